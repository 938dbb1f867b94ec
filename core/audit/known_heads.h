#pragma once
// What this client verified last of each store: in a file of the user, so that a store which was put back,
// cut or made anew cannot take it along.

#include "core/audit/verify_audit.h"

namespace cairn::audit {

struct Remembered {
    std::uint64_t seq = 0;  // of the audit; 0: it was empty
    Digest head;
    std::uint64_t checkpoint = 0;  // the newest; 0: there was none
    Digest checkpointHash;
    TimeMs at = kNoTime;  // by the store's clock
    friend bool operator==(const Remembered&, const Remembered&) = default;
};

// A file of JSON, by the stores' ids. Each call reads it, and writes it anew: under a lock, to a new file
// that is synced and then takes the old one's name. Any thread; blocks.
class KnownHeads {
public:
    explicit KnownHeads(std::string path)
        : m_path(std::move(path))
    {
    }
    // $XDG_STATE_HOME/cairn/heads.json, else ~/.local/state/...; empty where neither is known.
    [[nodiscard]] static std::string usualPath();

    // Nothing: this store was not seen before. Corrupt: the file cannot be understood (and is left as it is).
    [[nodiscard]] Result<std::optional<Remembered>> find(const UuidBytes& store) const;
    // Makes the folder (mode 0700) where it is not there.
    [[nodiscard]] Status remember(const UuidBytes& store, const Remembered& seen);
    [[nodiscard]] Status forget(const UuidBytes& store);
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }

private:
    [[nodiscard]] Status change(const UuidBytes& store, const Remembered* seen);
    std::string m_path;
};

// As questions to verifyAudit().
void askRemembered(const Remembered& seen, Questions& questions);

// Only whether what was remembered is still there as it was: two short reads, for a client that connects.
// Nothing: it is, or nothing was remembered. Not to be asked of a standby, which may not have it yet. NoRight
// where the login may not read the audit.
[[nodiscard]] Result<std::optional<Found>> rewrittenSince(StoreReader& store, const KnownHeads& heads);

// Whether the store still extends what was remembered of it, and remembers its end: on every `verify`. Reads
// the audit from what was remembered on, so little where little was done. Found: history was rewritten, and
// nothing is remembered anew. NoRight where the login may not read the audit.
struct HeadAnswer {
    bool known = false;  // it was seen before
    Remembered now;
    std::optional<Found> found;
};
[[nodiscard]] Result<HeadAnswer> checkKnownHead(StoreReader& store, KnownHeads& heads);

}  // namespace cairn::audit
