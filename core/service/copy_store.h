#pragma once
// Moves a whole store to another place, between any two drivers: runs with their histories, payloads, keys,
// effects and messages under the same ids, salts and hashes, workflows, resources, and the audit as it is.
// What was redacted stays redacted by the same act; of removed runs come their tombstones, and keys that are
// not forgotten.
//
// The store that is left is fenced first (core/store/fence.h), the new one opens last, and in between both
// can be read and neither written. Each group of entries is one commit of the new store, under the guards and
// the chain that every commit has. Whatever stops it (a kill, too), the same call again goes on where it was:
// what the new store has says how far it came.
//
// One thread; all calls block. `from` is opened for writing.

#include "core/base/rng.h"
#include "core/store/store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cairn {

struct CopyProgress {
    std::string doing;  // "copied", "compared"
    std::uint64_t runs = 0;
    std::uint64_t runsInAll = 0;
    std::uint64_t entries = 0;  // written by this call
    std::uint64_t bytes = 0;    // of payloads, likewise
};

// How a place is reached: only mains name a driver.
struct StoreDoor {
    std::string name;  // for people and for the audit; no password
    std::function<Result<std::unique_ptr<StoreWriter>>(const StoreOptions&)> open;
    std::function<Status(const InitOptions&)> make;
};

struct CopyRequest {
    StoreWriter& from;
    std::string fromName;
    StoreDoor to;
    Rng& rng;
    AuditRow act;                                          // who moves it, and why: actor, uid, host, reason
    bool verifyAll = true;                                 // folds every run in the new store, else one in 64
    bool roles = false;                                    // makes TO with roles, also where FROM has none
    std::function<bool()> stopped = [] { return false; };  // asked between groups
    std::function<void(const CopyProgress&)> tell = [](const CopyProgress&) {};
};

struct CopyReport {
    bool already = false;  // it had been moved before: the numbers are those of the audit and the list alone
    std::uint64_t runs = 0;
    std::uint64_t entries = 0;  // of all runs
    std::uint64_t audit = 0;    // entries that came along
    std::uint64_t verified = 0;
    std::uint64_t acts = 0;      // answered ones that are there, proposals that were decided among them
    std::uint64_t reviews = 0;   // closed ones
    std::uint64_t plans = 0;     // that have ended
    std::uint64_t removed = 0;   // tombstones of removed runs
    std::uint64_t redacted = 0;  // payloads without their bytes, of the runs that this call wrote
    SpanMs took = 0;             // by the monotonic clock
    std::vector<std::string> notes;
};

// Moves it, or goes on. TO is made, or is a store with roles that holds nothing yet; where FROM has roles and
// TO can have them, it has. NoRight: a store with roles is left, or filled, by a login that is not its
// owner's. Refused, before anything is changed: an engine lives, TO holds something else, an act waits, or a
// plan or a review is open, which the text says how to end.
// Cancelled: `stopped` said so. Afterwards TO takes writes, and FROM never again.
[[nodiscard]] Result<CopyReport> copyStore(const CopyRequest& request);

// Gives FROM back to its engines. The copy, where there is one, is shut for good before. Refused once it has
// been opened.
[[nodiscard]] Result<CopyReport> abandonCopy(const CopyRequest& request);

// What copyStore() or abandonCopy() would do as things are, in words; writes nothing. An error: what it would
// refuse with.
[[nodiscard]] Result<std::string> previewCopy(StoreReader& from, const StoreDoor& to, bool roles = false);
[[nodiscard]] Result<std::string> previewAbandon(StoreReader& from, const StoreDoor& to);

}  // namespace cairn
