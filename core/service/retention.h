#pragma once
// What retention removes and what it redacts, and why the rest stays: one pass over the finished trees of a
// store. A preview goes through the same pass as the removal and only does not act, so what it lists is what
// goes. One thread; every call blocks on the store, a page or a tree at a time, so that a pass can be left
// and taken up again at any tree.

#include "core/machine/machine.h"
#include "core/service/service.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

inline constexpr SpanMs kDay = SpanMs{24} * 3'600'000;

// How long runs of one workflow are kept.
struct RetentionRule {
    std::string workflow;  // empty: driven runs
    std::uint32_t keepDays = 90;
    std::uint32_t redactDays = 0;  // 0: never
    std::uint32_t keysDays = 0;    // 0: for ever
    std::string source;            // "set in the store", "version 3 of the workflow", "where nothing is said"
};
// Set in the store, else in the newest version of the definition, else the default. By name; every workflow
// that the store has, every one that is set, and driven runs.
[[nodiscard]] Result<std::vector<RetentionRule>> retentionRules(StoreReader& reader);

enum class RetentionDo : std::uint8_t { Remove, Redact };

// Who deletes, for tombstones and the audit.
struct RetentionBy {
    std::string name;   // "engine a", or a person's name as claimed
    std::string login;  // as the store vouches for it
    std::uint32_t uid = 0;
    std::string host;
    std::string reason;   // a person's; empty: the rule alone
    bool person = false;  // who acts: what is redacted is an act of his, in the audit and by the policy
    std::shared_ptr<const SigningKey> key{};  // signs the tombstones; null: they are not signed
};

// A finished tree whose time has come, and what becomes of it.
struct TreeVerdict {
    RunId root;
    std::string workflow;
    TimeMs endedAt = kNoTime;  // of its last run
    std::vector<RunId> runs;   // the root first
    std::string stays{};       // why it is left alone; empty: it goes
    std::uint64_t entryBytes = 0;
    std::uint64_t payloadBytes = 0;
    TreeRemoval removal{};                               // Remove
    std::map<RunId, std::vector<PayloadId>> payloads{};  // Redact: what is not redacted yet; empty: nothing
    [[nodiscard]] std::uint64_t bytes() const { return entryBytes + payloadBytes; }
};

class RetentionPass {
public:
    // `rng` makes the command ids of audit entries.
    RetentionPass(StoreReader& reader, Rng& rng, RetentionBy by, RetentionDo what);
    // Reads the rules and the clock; begins from the beginning. `only`: of that workflow; nothing: of all.
    [[nodiscard]] Status begin(std::optional<std::string> only = std::nullopt);
    // The next tree whose time has come; nullopt: that was the last. A tree of which nothing is left to
    // redact is passed over.
    [[nodiscard]] Result<std::optional<TreeVerdict>> next();
    // Goes on with another connection to the same store.
    void use(StoreReader& reader) { m_reader = &reader; }
    [[nodiscard]] const std::vector<RetentionRule>& rules() const { return m_rules; }

private:
    [[nodiscard]] Status fill();
    [[nodiscard]] Result<TreeVerdict> judge(const ListRow& root, const RetentionRule& rule);
    [[nodiscard]] Status judgeTree(
        TreeVerdict& verdict, std::span<const ListRow> rows, const RetentionRule& rule);
    [[nodiscard]] Status judgeRun(TreeVerdict& verdict, const ListRow& row, const RetentionRule& rule);
    [[nodiscard]] std::uint32_t daysOf(const RetentionRule& rule) const;
    [[nodiscard]] Status finish(TreeVerdict& verdict, const RetentionRule& rule);

    StoreReader* m_reader;
    Rng& m_rng;
    RetentionBy m_by;
    RetentionDo m_do;
    UuidBytes m_store{};
    TimeMs m_now = kNoTime;
    std::vector<RetentionRule> m_rules;
    std::size_t m_rule = 0;
    std::optional<PageKey> m_after;
    bool m_lastPage = false;
    std::deque<ListRow> m_roots;
};

// A run's state from its entries, its chain checked; and the payloads that they name.
struct FoldedRun {
    RunState state;
    std::map<PayloadId, PayloadRef> payloads{};
};
[[nodiscard]] Result<FoldedRun> foldRun(StoreReader& reader, const RunId& run);
// Of those the ones that are this run's own and not redacted yet.
[[nodiscard]] Result<std::vector<PayloadInfo>> storedPayloads(StoreReader& reader, const FoldedRun& run);

// What one pass did, or would do.
struct RetentionDone {
    std::uint64_t trees = 0;
    std::uint64_t runs = 0;
    std::uint64_t payloads = 0;  // redacted
    std::uint64_t bytes = 0;
    std::uint64_t stayed = 0;    // trees whose time has come
    std::uint64_t moved = 0;     // trees that changed while they were looked at: left for the next pass
    std::uint64_t proposed = 0;  // runs whose redaction waits, by the policy, for somebody else
};
// Removes, or redacts (by commands of `service`, as any other act), what the verdict says. Refused: this
// person may not, or the policy asks for more of a reason.
[[nodiscard]] Status carryOut(StoreWriter& store, Service& service, const RetentionBy& by,
    const TreeVerdict& verdict, RetentionDone& done);
// After a pass: what removed runs left is swept, keys whose time is over are forgotten, unused space is given
// back; a few milliseconds at a time. `stop` is asked in between. How many bytes the file shrank.
[[nodiscard]] Result<std::uint64_t> sweep(StoreWriter& store, TimeMs now, const std::function<bool()>& stop);

}  // namespace cairn
