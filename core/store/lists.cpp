#include "core/store/lists.h"

#include <tuple>

namespace cairn {

PageKey pageKey(const ListRow& row, ListOrder order)
{
    if (order == ListOrder::NewestFirst)
        return {row.createdAt, 0, row.run};
    return {static_cast<std::int64_t>(row.attention), row.since, row.run};
}

bool precedes(const PageKey& a, const PageKey& b, ListOrder order)
{
    const auto mine = std::tie(a.a, a.b, a.run);
    const auto other = std::tie(b.a, b.b, b.run);
    return order == ListOrder::NewestFirst ? mine > other : mine < other;
}

std::optional<std::size_t> nextOf(std::span<const std::optional<PageKey>> heads, ListOrder order)
{
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (heads[i] && (!first || precedes(*heads[i], *heads[*first], order)))
            first = i;
    return first;
}

std::uint64_t keepOldest(Changes& changes, std::size_t limit)
{
    const std::vector<ListRow>& rows = changes.rows;
    const std::vector<GoneRun>& removed = changes.removed;
    std::size_t row = 0, gone = 0;
    std::uint64_t last = 0;
    while (row + gone < limit && (row < rows.size() || gone < removed.size())) {
        const bool isRow =
            gone == removed.size() || (row < rows.size() && rows[row].changed < removed[gone].changed);
        last = isRow ? rows[row++].changed : removed[gone++].changed;
    }
    changes.more = row < rows.size() || gone < removed.size();
    changes.rows.resize(row);
    changes.removed.resize(gone);
    return last;
}

}  // namespace cairn
