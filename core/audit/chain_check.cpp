#include "core/audit/chain_check.h"

#include "core/base/wire.h"
#include "core/model/codec.h"

#include <algorithm>
#include <optional>

namespace cairn::audit {

namespace {

std::string entryText(std::uint64_t number) { return "entry " + std::to_string(number); }

// Entries that belong at other places: how far the one that belongs here has been pushed down.
std::optional<std::size_t> pushedDown(const Window& window, const Stand& stand)
{
    for (std::size_t at = 1; at < std::min(window.size(), kWindow); ++at)
        if (window.fits(at, stand.number + 1, stand.head))
            return at;
    return std::nullopt;
}

// The first entry and the one that belongs in its place have changed places.
bool swapped(const Window& window, const Stand& stand, std::size_t with)
{
    const Digest& before = with == 1 ? window.hash(1) : window.hash(with - 1);
    return window.fits(0, stand.number + 1 + with, before);
}

// How many entries are missing before the first one, where those after it were numbered anew.
std::optional<std::uint64_t> missingBefore(const Window& window, const Stand& stand)
{
    const std::uint64_t here = stand.number + 1;
    for (std::uint64_t by = 1; by <= kWindow; ++by) {
        const Digest named = window.named(0);
        if (!named.isNull() && named != stand.head && window.fits(0, here + by, named))
            return by;
        if (window.size() > 1 && window.fits(1, here + 1 + by, window.hash(0)))
            return by;
    }
    return std::nullopt;
}

}  // namespace

bool AuditWindow::fits(std::size_t at, std::uint64_t number, const Digest& previous) const
{
    AuditRow row = m_rows[at];
    row.seq = number;
    row.previous = previous;
    return auditHash(row) == row.hash;
}

bool EntryWindow::fits(std::size_t at, std::uint64_t number, const Digest& previous) const
{
    return entryFits(m_entries[at], number, previous);
}

bool entryFits(const SealedEntry& entry, std::uint64_t version, const Digest& previous)
{
    WireReader in(entry.body);
    const bool columns = in.u64() == version && in.id<CommandId>() == entry.command && !in.fail();
    return columns && entryHash(entry.format, previous, entry.body) == entry.hash;
}

Found classify(const std::string& chain, const Window& window, const Stand& stand)
{
    const std::uint64_t here = stand.number + 1;
    const auto found = [&](Damage kind, std::uint64_t number, std::string text) {
        return Found{kind, chain, number, chain + ": " + std::move(text)};
    };
    if (window.size() == 0)
        return found(Damage::CutAtEnd, here, entryText(here) + " is missing, and none follows it");
    if (window.number(0) != here)
        return found(Damage::Removed, here,
            (window.number(0) == here + 1 ? entryText(here) + " was"
                                          : "entries " + std::to_string(here) + " to "
                        + std::to_string(window.number(0) - 1) + " were")
                + " removed");
    if (stand.number > 0 && window.fits(0, stand.number, stand.before))
        return found(Damage::Inserted, stand.number,
            entryText(stand.number) + " was inserted; what belongs there follows it");
    if (const auto down = pushedDown(window, stand)) {
        if (swapped(window, stand, *down))
            return found(Damage::Reordered, here,
                entryText(here) + " and " + entryText(here + *down) + " were put in each other's place");
        return found(Damage::Inserted, here,
            entryText(here) + " was inserted; what belongs there is now " + entryText(here + *down));
    }
    if (const auto missing = missingBefore(window, stand))
        return found(Damage::Removed, here,
            std::to_string(*missing) + " entries from " + std::to_string(here)
                + " on were removed, and those after them numbered anew");
    // Whole in itself, and written after another entry than the one that now stands before it.
    const Digest named = window.named(0);
    if (stand.number > 0 && !named.isNull() && named != stand.head && window.fits(0, here, named))
        return found(Damage::Changed, stand.number,
            entryText(stand.number)
                + " was changed, with its hash made anew: the entry after it was written "
                  "after another one");
    return found(Damage::Changed, here,
        entryText(here) + " was changed after it was written"
            + (stand.number > 0 && named.isNull() ? ", or the one before it with its hash made anew" : ""));
}

}  // namespace cairn::audit
