// Counts by day and by wait, each asked of the store as the lists ask it.
#include "ui/data/qtconvert.h"
#include "ui/data/readworld.h"
#include "ui/data/words.h"

#include <algorithm>

namespace cairn::ui {

Result<ReportView> ReadWorld::report(int days)
{
    ReportView view;
    CAIRN_TRY_ASSIGN(view.at, m_store->now());
    const TimeMs today = view.at - view.at % kDayMs;
    for (int back = std::clamp(days, 1, 90) - 1; back >= 0; --back) {
        ReportDay day;
        day.day = today - back * kDayMs;
        ListTerm ended;
        ended.activity = {Activity::Completed, Activity::Failed, Activity::Cancelled, Activity::Compensated};
        ended.sinceAfter = day.day;
        ended.sinceBefore = day.day + kDayMs;
        CAIRN_TRY_ASSIGN(const auto rows, m_store->counts({ended}));
        for (const CountRow& row : rows)
            (row.activity == Activity::Completed       ? day.completed
                    : row.activity == Activity::Failed ? day.failed
                                                       : day.cancelled) += row.count;
        ListTerm begun;
        begun.createdAfter = day.day;
        begun.createdBefore = day.day + kDayMs;
        CAIRN_TRY_ASSIGN(day.started, m_store->count({begun}));
        view.days.push_back(day);
    }
    ListTerm open;
    open.unfinishedOnly = true;
    CAIRN_TRY_ASSIGN(const auto waits, m_query->counts({open}));
    for (const CountRow& row : waits) {
        const QString word = qt(row.reason != Reason::None ? label(row.reason) : label(row.activity));
        const auto same = std::find_if(view.waits.begin(), view.waits.end(),
            [&word](const ReportWait& one) { return one.word == word; });
        if (same == view.waits.end()) {
            view.waits.push_back({glyphOf(row.activity, row.reason), word, row.count, row.oldest});
            continue;
        }
        same->count += row.count;
        same->oldest = std::min<qint64>(same->oldest, row.oldest);
    }
    std::stable_sort(view.waits.begin(), view.waits.end(),
        [](const ReportWait& a, const ReportWait& b) { return a.count > b.count; });
    return view;
}

}  // namespace cairn::ui
