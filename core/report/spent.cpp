#include "core/report/spent.h"

#include "core/base/text.h"
#include "core/machine/sums.h"

#include <limits>

namespace cairn {

namespace {

__extension__ typedef __int128 Wide;

}  // namespace

std::int64_t scaled(std::int64_t amount, std::int64_t part, std::int64_t whole) noexcept
{
    if (whole <= 0)
        return 0;
    const Wide product = static_cast<Wide>(amount) * part;
    const Wide half = whole / 2;
    const Wide result = product < 0 ? (product - half) / whole : (product + half) / whole;
    using Limits = std::numeric_limits<std::int64_t>;
    if (result > Limits::max())
        return Limits::max();
    return result < Limits::min() ? Limits::min() : static_cast<std::int64_t>(result);
}

void Spent::use(const std::string& unit, std::int64_t amount)
{
    std::int64_t& sum = used[unit];
    sum = saturatedSum(sum, amount);
}

void Spent::add(const Spent& more)
{
    calls = saturatedSum(calls, more.calls);
    worked = saturatedSum(worked, more.worked);
    for (const auto& [unit, amount] : more.used)
        use(unit, amount);
}

Spent Spent::times(std::int64_t part, std::int64_t whole) const
{
    Spent out{scaled(calls, part, whole), scaled(worked, part, whole), {}};
    for (const auto& [unit, amount] : used)
        out.used[unit] = scaled(amount, part, whole);
    return out;
}

std::string unitText(const std::string& unit, std::int64_t amount)
{
    return unit.size() == 3 ? formatMoney(amount, unit) : formatCount(amount) + " " + visibleLine(unit);
}

std::string spentText(const Spent& spent)
{
    if (spent == Spent{})
        return "nothing";
    std::string text = formatCount(spent.calls) + (spent.calls == 1 ? " call" : " calls");
    if (spent.worked > 0)
        text += ", " + formatSpan(spent.worked) + " of work";
    for (const auto& [unit, amount] : spent.used)
        text += ", " + unitText(unit, amount);
    return text;
}

}  // namespace cairn
