#include "core/report/walk_runs.h"

#include "core/model/codec.h"

#include <algorithm>

namespace cairn {

namespace {

class Walker {
public:
    Walker(StoreReader& store, const RunWalk& walk)
        : m_store(store)
        , m_walk(walk)
    {
    }

    Result<std::uint64_t> all()
    {
        std::optional<PageKey> after;
        do {
            CAIRN_TRY_ASSIGN(RunPage page, m_walk.page(after));
            for (ListRow& row : page.rows)
                if (m_walk.wants(row))
                    CAIRN_TRY(take(std::move(row)));
            after = page.next;
        } while (after);
        CAIRN_TRY(flush());
        return m_gone;
    }

private:
    Status take(ListRow row)
    {
        if (row.version > kWalkEntries)
            return inParts(row);
        if (m_rows.size() == kWalkRuns || m_entries + row.version > kWalkEntries)
            CAIRN_TRY(flush());
        m_entries += row.version;
        m_rows.push_back(std::move(row));
        return {};
    }

    Status flush()
    {
        const std::vector<ListRow> rows = std::move(m_rows);
        m_rows.clear();
        m_entries = 0;
        if (rows.empty())
            return {};
        std::vector<RunId> ids;
        for (const ListRow& row : rows)
            ids.push_back(row.run);
        RunParts parts;
        parts.entries = true;
        const auto runs = m_store.wholeRuns(ids, parts);
        if (!runs && runs.error().kind != ErrorKind::NotFound)
            return runs.error();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!runs) {  // one of them was removed: each by itself tells which
                CAIRN_TRY(inParts(rows[i]));
                continue;
            }
            CAIRN_TRY(give(rows[i], (*runs)[i].loaded.entries));
            m_walk.done(rows[i]);
        }
        return {};
    }

    Status inParts(const ListRow& row)
    {
        for (std::uint64_t from = 1; from <= row.version; from += kWalkEntries) {
            const auto part = m_store.loadRun(row.run, from, std::min(row.version, from + kWalkEntries - 1));
            if (!part && part.error().kind == ErrorKind::NotFound) {
                ++m_gone;
                return {};
            }
            if (!part)
                return part.error();
            CAIRN_TRY(give(row, part->entries));
        }
        m_walk.done(row);
        return {};
    }

    Status give(const ListRow& row, const std::vector<SealedEntry>& entries)
    {
        for (const SealedEntry& sealed : entries) {
            const auto entry = decodeEntry(sealed.body, sealed.format);
            if (!entry)
                return makeError(entry.error().kind,
                    "run " + toText(row.run) + ", version " + std::to_string(sealed.version) + ": "
                        + entry.error().text);
            m_walk.entry(row, *entry, sealed);
        }
        return {};
    }

    StoreReader& m_store;
    const RunWalk& m_walk;
    std::vector<ListRow> m_rows;
    std::uint64_t m_entries = 0;
    std::uint64_t m_gone = 0;
};

}  // namespace

Result<std::uint64_t> walkRuns(StoreReader& store, const RunWalk& walk) { return Walker(store, walk).all(); }

}  // namespace cairn
