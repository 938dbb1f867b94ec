#pragma once
// Says what kind of damage broke a chain, from the entries around the break. Pure.

#include "core/audit/damage.h"
#include "core/store/rows.h"

#include <span>

namespace cairn::audit {

// How far around a break it is looked. Whatever was moved farther is called changed.
inline constexpr std::size_t kWindow = 1'000;

// Entries as they stand, from the first that does not fit on.
class Window {
public:
    virtual ~Window() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::uint64_t number(std::size_t at) const = 0;
    [[nodiscard]] virtual const Digest& hash(std::size_t at) const = 0;
    // Whether the entry is whole if it stood at that number, after an entry with that hash.
    [[nodiscard]] virtual bool fits(std::size_t at, std::uint64_t number, const Digest& previous) const = 0;
    // The hash that it names itself as the one before it; null: it names none.
    [[nodiscard]] virtual Digest named(std::size_t at) const = 0;
};

class AuditWindow final : public Window {
public:
    explicit AuditWindow(std::span<const AuditRow> rows)
        : m_rows(rows)
    {
    }
    [[nodiscard]] std::size_t size() const override { return m_rows.size(); }
    [[nodiscard]] std::uint64_t number(std::size_t at) const override { return m_rows[at].seq; }
    [[nodiscard]] const Digest& hash(std::size_t at) const override { return m_rows[at].hash; }
    [[nodiscard]] bool fits(std::size_t at, std::uint64_t number, const Digest& previous) const override;
    [[nodiscard]] Digest named(std::size_t at) const override { return m_rows[at].previous; }

private:
    std::span<const AuditRow> m_rows;
};

class EntryWindow final : public Window {
public:
    explicit EntryWindow(std::span<const SealedEntry> entries)
        : m_entries(entries)
    {
    }
    [[nodiscard]] std::size_t size() const override { return m_entries.size(); }
    [[nodiscard]] std::uint64_t number(std::size_t at) const override { return m_entries[at].version; }
    [[nodiscard]] const Digest& hash(std::size_t at) const override { return m_entries[at].hash; }
    [[nodiscard]] bool fits(std::size_t at, std::uint64_t number, const Digest& previous) const override;
    [[nodiscard]] Digest named(std::size_t) const override { return {}; }

private:
    std::span<const SealedEntry> m_entries;
};

// Hash, link and columns of one entry that stands where it should; no text is made.
[[nodiscard]] bool entryFits(const SealedEntry& entry, std::uint64_t version, const Digest& previous);

// Where a chain stood before the window begins.
struct Stand {
    std::uint64_t number = 0;  // of the newest entry that fits
    Digest head;               // its hash
    Digest before;             // the hash of the one before that
};
// The first entry of the window does not fit after `stand`. `chain` is only named.
[[nodiscard]] Found classify(const std::string& chain, const Window& window, const Stand& stand);

}  // namespace cairn::audit
