#pragma once
// Rules for repeated times: five fields as cron has them (minute, hour, day of the month, month, day of the
// week), in a zone. Pure but for the zone database.

#include "core/definition/zone.h"

#include <bitset>

namespace cairn {

// `*`, numbers, ranges, lists and steps; names of months and weekdays by three letters; 7 is Sunday too.
// Where both day fields are given, either will do.
struct CronRule {
    std::bitset<60> minutes;
    std::bitset<24> hours;
    std::bitset<32> days;     // 1 to 31
    std::bitset<13> months;   // 1 to 12
    std::bitset<7> weekdays;  // 0 is Sunday
    bool anyDay = true;       // the field is *
    bool anyWeekday = true;
    // Minute or hour begins with *: it runs straight through in real time. Otherwise it names times of the
    // day, and happens once for each of them on each local day, as instantOf() says.
    bool realTime = false;
};

// InvalidInput names the field and what it may hold.
[[nodiscard]] Result<CronRule> parseCron(std::string_view text);
// The first time after `after`. InvalidInput where there is none before kZonesKnownUntil (a 31st of
// February).
[[nodiscard]] Result<TimeMs> nextMatch(const CronRule& rule, std::string_view zone, TimeMs after);

}  // namespace cairn
