#pragma once
// The part of a move that goes through the runs (copy_store.h). Holds some runs,
// of 256 entries together, or a part of one.

#include "core/service/copy_store.h"
#include "core/service/verify.h"

#include <map>
#include <set>

namespace cairn {

class RunCopier {
public:
    // `fresh`: nothing is in `to` yet.
    RunCopier(const CopyRequest& request, StoreWriter& to, bool fresh);

    [[nodiscard]] Status copyAll();
    // That both stores have the same runs with the same heads, and that those of `to` fold to their rows.
    [[nodiscard]] Status compareAll();
    [[nodiscard]] const CopyReport& report() const { return m_report; }

private:
    // One run on its way.
    struct Run {
        RunId id;
        WholeRun whole;                // entries: some at a time; rows: with the last of them
        std::set<PayloadId> payloads;  // that are in `to`, or on the way there
        std::map<PayloadId, StoredPayload*> stored;
        std::optional<std::map<PayloadId, PayloadInfo>> redacted{};  // where they were asked for
    };
    template<typename Each> [[nodiscard]] Status eachRuns(Each&& each);
    template<typename Each> [[nodiscard]] static Status eachMessage(StoreWriter& store, Each&& each);
    [[nodiscard]] Status copySome(const std::vector<RunId>& runs);
    [[nodiscard]] Status copyWhole(std::span<const RunId> runs);
    [[nodiscard]] Status copyRun(const RunId& id, std::uint64_t version);
    [[nodiscard]] Result<std::set<RunId>> completeThere(const std::vector<RunId>& runs);
    [[nodiscard]] Result<std::uint64_t> versionThere(const RunId& id);
    [[nodiscard]] Status recallPayloads(Run& run, std::uint64_t upTo);
    [[nodiscard]] Status addEntry(Run& run, const SealedEntry& sealed);
    [[nodiscard]] Status addPayloads(Run& run, const std::set<PayloadId>& ids, CommitMember& member);
    [[nodiscard]] Result<std::optional<StoredPayload>> payloadOf(Run& run, const PayloadId& id);
    [[nodiscard]] Result<std::optional<StoredPayload>> redactedOf(Run& run, const PayloadId& id);
    [[nodiscard]] Status stage(const RunId& run, const PayloadRow& payload);
    [[nodiscard]] Status addRows(Run& run, CommitMember& member);
    [[nodiscard]] Status readLedger(const std::vector<WholeRun>& wholes);
    void writeEffect(const EffectRow& row, CommitMember& member);
    void addWaits(CommitMember& member);
    [[nodiscard]] Status addMessages(const RunId& run, CommitMember& member);
    [[nodiscard]] Status flush();
    [[nodiscard]] Status checkResults(const std::vector<MemberResult>& results) const;
    [[nodiscard]] Status compareSome(const std::vector<RunId>& runs, std::uint64_t& compared);
    [[nodiscard]] Status verify(std::span<const RunId> runs);
    [[nodiscard]] Status stop() const;  // Cancelled where that is wanted
    void tell(const char* doing, std::uint64_t runs);

    const CopyRequest& m_request;
    StoreWriter& m_from;
    StoreWriter& m_to;
    bool m_fresh;
    std::uint64_t m_runsInAll = 0;
    CopyProgress m_progress;
    CopyReport m_report;
    std::map<RunId, std::vector<std::uint64_t>> m_messages;  // places in the outbox, by sender
    std::vector<CommitMember> m_group;
    std::size_t m_groupBytes = 0;
    std::map<EffectId, EffectRow> m_waited;  // as they are in `from`
    std::set<EffectId> m_there;              // in `to`, or on the way there, as far as was asked
    std::set<EffectId> m_brought;            // by runs that wait for them
    ParsedWorkflows m_workflows;
};

}  // namespace cairn
