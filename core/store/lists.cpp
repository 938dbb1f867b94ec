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

}  // namespace cairn
