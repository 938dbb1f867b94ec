#include "core/report/worth.h"

#include "core/base/text.h"

#include <algorithm>

namespace cairn {

std::optional<Formula> breakEven(const std::optional<Money>& engine, const Counted& counted,
    const Spent& kept, const Spent& month, SpanMs period)
{
    if (!engine) {
        std::string most;
        for (const auto& [unit, amount] : month.used)
            if (unit.size() == 3 && amount > 0)
                most += (most.empty() ? "" : ", or ") + formatMoney(amount, unit);
        if (most.empty())
            return std::nullopt;
        return Formula{
            "break_even", "an engine pays while it costs less a month than what it keeps", most + " a month"};
    }
    const auto money = kept.used.find(engine->currency);
    if (counted.count == 0 || money == kept.used.end() || money->second == 0)
        return std::nullopt;
    const std::int64_t each = std::max<std::int64_t>(scaled(money->second, 1, counted.count), 1);
    const std::int64_t even = engine->micros / each + (engine->micros % each != 0 ? 1 : 0);
    const std::int64_t now = scaled(counted.count, kMonth, std::max<SpanMs>(period, 1));
    return Formula{"break_even",
        std::string("cost of an engine a month / what it keeps of ") + counted.one + ", rounded up",
        formatMoney(engine->micros, engine->currency) + " / " + formatMoney(each, engine->currency) + " = "
            + formatCount(even) + " " + counted.many + " a month; there are " + formatCount(now)};
}

Worth worthOf(const std::optional<Money>& engine, const Spent& month, const std::string& otherwise)
{
    if (!engine)
        return {true,
            "an engine pays as soon as it costs less a month than what it keeps, " + spentText(month)
                + ": give --engine-cost for an answer"};
    const auto found = month.used.find(engine->currency);
    const std::int64_t kept = found == month.used.end() ? 0 : found->second;
    const std::string cost = formatMoney(engine->micros, engine->currency);
    if (found == month.used.end() || kept < engine->micros)
        return {false,
            "no engine is needed for the money: it costs " + cost + " a month and keeps "
                + formatMoney(kept, engine->currency) + "; " + otherwise};
    return {true,
        "an engine pays: it costs " + cost + " a month and keeps " + formatMoney(kept, engine->currency)};
}

}  // namespace cairn
