#pragma once
// A filter of the audit's list, read once for many entries: person: verb: outcome: second: run: since: day:
// and words. Pure, but for the words of its errors.

#include "core/audit/second_person.h"
#include "core/query/query.h"
#include "ui/data/values.h"

namespace cairn::ui {

class AuditFilter {
public:
    AuditFilter(const std::string& text, TimeMs now);
    [[nodiscard]] const FilterState& state() const { return m_state; }
    [[nodiscard]] bool takes(const AuditRow& row, const audit::SecondPerson& second) const;
    // Older entries cannot match any more. A day has its first entry by number: a clock may have been set
    // back.
    [[nodiscard]] bool isPast(const AuditRow& row) const
    {
        return !m_ofDays && m_after != kNoTime && row.time < m_after;
    }

private:
    void fail(const FilterPlace& place, const QString& text);
    void check(const FilterPlace& place, TimeMs now);
    void checkDay(const FilterPlace& place, TimeMs now);

    std::string m_text;
    std::vector<FilterPlace> m_places;
    FilterState m_state;
    TimeMs m_after = kNoTime;
    TimeMs m_before = kNoTime;
    bool m_ofDays = false;
};

// As the list says who it was: as vouched for, with the name that was claimed.
[[nodiscard]] QString personOf(const AuditRow& row);
// In a filter: nobody else was needed.
[[nodiscard]] QString nobodyElse();

}  // namespace cairn::ui
