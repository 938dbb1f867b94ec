#pragma once
// Counts over time, as bars show them.

#include <QtGlobal>

#include <vector>

namespace cairn::ui {

// How many in each stretch of time, the first of which begins at `from`.
struct TimeSlots {
    std::vector<quint64> counts{};  // empty: nothing is told
    qint64 from = 0;
    qint64 width = 0;  // ms
    bool operator==(const TimeSlots&) const = default;
};

}  // namespace cairn::ui
