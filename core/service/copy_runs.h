#pragma once
// The part of a move that goes through the runs (copy_store.h). Holds the rows of one run, and some entries.

#include "core/service/copy_store.h"

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
        LoadedRun loaded;              // some entries at a time
        std::set<PayloadId> payloads;  // that are in `to`, or on the way there
    };
    template<typename Each> [[nodiscard]] Status eachRun(Each&& each);
    template<typename Each> [[nodiscard]] static Status eachMessage(StoreWriter& store, Each&& each);
    [[nodiscard]] Status copyRun(const RunId& id);
    [[nodiscard]] Result<std::uint64_t> versionThere(const RunId& id);
    [[nodiscard]] Status recallPayloads(Run& run, std::uint64_t upTo);
    [[nodiscard]] Status addEntry(Run& run, const SealedEntry& sealed);
    [[nodiscard]] Status addPayloads(Run& run, const Entry& entry, CommitMember& member);
    [[nodiscard]] Status stage(const RunId& run, const PayloadRow& payload);
    [[nodiscard]] Status addRows(const RunId& run, CommitMember& member);
    [[nodiscard]] Status addEffects(const RunId& run, CommitMember& member);
    [[nodiscard]] Status addWaits(CommitMember& member);
    [[nodiscard]] Status addMessages(const RunId& run, CommitMember& member);
    [[nodiscard]] Status writeEffect(const EffectRow& row, bool there, CommitMember& member);
    [[nodiscard]] Status flush();
    [[nodiscard]] Status checkResults(const std::vector<MemberResult>& results) const;
    [[nodiscard]] Status compareRun(const RunId& id);
    [[nodiscard]] Status verify(const RunId& id);
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
    std::set<EffectId> m_groupEffects;
};

}  // namespace cairn
