#pragma once
// Deletion of whole trees of runs and what is left of them: tombstones, keys that live on, rows that are
// still to be swept. What may be deleted is the service's to say (core/service/retention.h); a store looks
// only at what would make a deletion wrong. All calls block; errors as of store.h. Stores that keep none of
// this (bundles) have nothing, and refuse to delete.

#include "core/base/result.h"
#include "core/base/secrets.h"
#include "core/base/signing.h"
#include "core/store/rows.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn {

// What is kept of a deleted run, for ever. It names nothing that came from outside but the workflow and the
// id of the command that began it.
struct Tombstone {
    RunId run;
    RunId root;
    std::string workflow;
    std::uint32_t workflowVersion = 0;
    std::uint64_t versions = 0;  // how many entries it had
    Digest head;                 // hash of the last one
    TimeMs createdAt = kNoTime;
    TimeMs endedAt = kNoTime;
    Activity as = Activity::Completed;
    TimeMs deletedAt = kNoTime;
    std::string rule{};         // by which it went: "kept 30 days after its end (set for the workflow)"
    std::string by{};           // whose program deleted it
    PublicKey key{};            // zeros: it is not signed
    Signature signature{};      // over tombstoneText()
    std::uint64_t act = 0;      // audit entry; filled by the store
    std::uint64_t changed = 0;  // change cursor; filled by the store
    CommandId begun{};  // of its first entry: the same start again is answered as it was; by the store
    friend bool operator==(const Tombstone&, const Tombstone&) = default;
};

// What a tombstone's signature covers: the store, and every field but key, signature, act, cursor and
// `begun`.
[[nodiscard]] std::string tombstoneText(const UuidBytes& store, const Tombstone& stone);
enum class StoneSeal : std::uint8_t { Unsigned, Good, Bad };
[[nodiscard]] StoneSeal sealOf(const UuidBytes& store, const Tombstone& stone);
// "removed on 2026-11-30 18:00:00 by engine a: kept 30 days after its end (...)": for people.
[[nodiscard]] std::string removedText(const Tombstone& stone);

// One tree, deleted whole or not at all.
struct TreeRemoval {
    RunId root;
    std::vector<Tombstone> stones;  // one for each run of the tree
    TimeMs keysUntil = kNoTime;     // how long its keys and effects stay known; kNoTime: for ever
    AuditRow audit;
};

// A removed run as it goes along to another place: its tombstone, and what of it has not been forgotten.
struct RemovedRun {
    Tombstone stone;  // `changed`: the new store's own
    struct Key {
        std::string workflow;
        std::string key;  // empty: it had none, and holds effects
        Digest input;
        Salt salt{};
        TimeMs until = kNoTime;  // kNoTime: for ever
        friend bool operator==(const Key&, const Key&) = default;
    };
    std::optional<Key> kept{};
    std::vector<EffectRow> effects{};
};

// What binds a tree to the rest of the store.
struct TreeBonds {
    std::uint64_t runs = 0;       // of the tree
    std::uint64_t owned = 0;      // of them, by an engine
    std::uint64_t messages = 0;   // from or to one of them, not delivered yet
    std::uint64_t waiters = 0;    // steps of it that wait for another run's effect
    std::uint64_t acts = 0;       // of people on one of them, that wait for an engine
    std::uint64_t proposals = 0;  // the same that wait for somebody else
    std::uint64_t plans = 0;      // items without an outcome in plans that are open and have not expired
    friend bool operator==(const TreeBonds&, const TreeBonds&) = default;
};

// How long runs of a workflow are kept, as set in the store; it goes before what the definition says.
struct RetentionRow {
    std::string workflow;  // empty: driven runs
    std::uint32_t keepDays = 90;
    std::uint32_t redactDays = 0;  // 0: payloads stay as long as the run
    std::uint32_t keysDays = 0;    // from the run's end; 0: its keys stay known for ever
    TimeMs changedAt = kNoTime;
    friend bool operator==(const RetentionRow&, const RetentionRow&) = default;
};

struct RunBytes {
    std::uint64_t entries = 0;
    std::uint64_t payloads = 0;  // that are not redacted
};

// What the store takes up, and how much of that nothing uses. Both 0 where the store cannot tell.
struct StoreSpace {
    std::uint64_t bytes = 0;
    std::uint64_t free = 0;  // used again by what is written next, or given back by giveBack()
};

class RemovalReader {
public:
    virtual ~RemovalReader() = default;
    [[nodiscard]] virtual Result<std::optional<Tombstone>> tombstone(const RunId& run);
    // By run id, after that one.
    [[nodiscard]] virtual Result<std::vector<Tombstone>> tombstones(const RunId& after, std::size_t limit);
    // The same with what is known of those runs still: for a move.
    [[nodiscard]] virtual Result<std::vector<RemovedRun>> removedRuns(const RunId& after, std::size_t limit);
    [[nodiscard]] virtual Result<std::vector<RetentionRow>> retention();
    [[nodiscard]] virtual Result<TreeBonds> bondsOf(const RunId& root);
    [[nodiscard]] virtual Result<RunBytes> bytesOf(const RunId& run);
    [[nodiscard]] virtual Result<StoreSpace> space();
    // What is masked in everything that is written into this store (core/base/secrets.h).
    [[nodiscard]] virtual Result<SecretList> neverStore();
};

class RemovalWriter {
public:
    virtual ~RemovalWriter() = default;
    // The tree is gone for every reader in one transaction, with its tombstones and the audit entry; what
    // fills the most space is left for sweepRemoved(). False, and nothing is changed, where a run has moved
    // on since, has another owner, or is bound (TreeBonds), or where the tree has other runs than these.
    [[nodiscard]] virtual Result<bool> removeTree(const TreeRemoval& removal);
    // Up to `limit` rows of runs that were removed; how many it were. 0: nothing is left. Chunks of artifacts
    // are left to dropStagedBefore().
    [[nodiscard]] virtual Result<std::uint64_t> sweepRemoved(std::size_t limit);
    // Forgets keys and effects of up to `limit` removed runs whose time is over; how many runs it were.
    [[nodiscard]] virtual Result<std::uint64_t> forgetKeys(TimeMs now, std::size_t limit);
    // Removed runs of another store, that are not here: tombstones as they are, keys and effects. Only into a
    // store that is being filled.
    [[nodiscard]] virtual Status extendRemoved(std::span<const RemovedRun> runs);
    // InvalidInput; the same row again changes nothing but adds its audit entry. Of this and the next: an
    // entry without a kind is not added, in a store that is being filled, and `changedAt` stays as given.
    [[nodiscard]] virtual Status setRetention(const RetentionRow& row, const AuditRow& audit);
    // The whole list. InvalidInput as of checkSecretList().
    [[nodiscard]] virtual Status setNeverStore(const SecretList& list, const AuditRow& audit);
    // Gives up to that many unused bytes back to the file system, in short transactions; how many it were.
    // 0 where the store does so by itself, or cannot.
    [[nodiscard]] virtual Result<std::uint64_t> giveBack(std::uint64_t bytes);
};

// What every store asks of a removal. InvalidInput.
[[nodiscard]] Status checkRemoval(const TreeRemoval& removal);
[[nodiscard]] Status checkRetention(const RetentionRow& row);
// Of setRetention() and setNeverStore(): whether an entry is to be added.
[[nodiscard]] Result<bool> addsEntry(const AuditRow& audit, std::uint32_t intoFence);
inline constexpr std::uint32_t kMostDays = 36'500;

}  // namespace cairn
