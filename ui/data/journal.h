#pragma once
// The operator's own journal: acts in stores that are only looked at, as entries of a chain in a file, each
// with the hash of the one before it, by the rule of the stores' audits. Any thread; blocks.

#include "core/store/rows.h"

#include <QString>

namespace cairn::ui {

class Journal {
public:
    explicit Journal(QString path)
        : m_path(std::move(path))
    {
    }
    // $XDG_STATE_HOME/cairn/journal.jsonl, else ~/.local/state/...
    [[nodiscard]] static QString usualPath();
    // Under a lock, and durable before it returns. Corrupt: the file's last entry cannot be understood, or
    // does not have the hash that it should; nothing is added then. Gives the entry's number.
    [[nodiscard]] Result<std::uint64_t> append(AuditRow row, const QString& store) const;
    // The number of the first entry that does not follow from the one before it; 0: all do.
    [[nodiscard]] Result<std::uint64_t> firstBroken() const;

private:
    QString m_path;
};

}  // namespace cairn::ui
