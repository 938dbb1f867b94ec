// How many entries each day has, and narrowing the list to one.
#include "ui/data/format.h"
#include "ui/models/auditmodel.h"
#include "ui/pages/auditpage.h"
#include "ui/widgets/daybar.h"
#include "ui/widgets/filterbox.h"

#include <QDate>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kField = u"day:"_s;

std::optional<qint64> dayOf(const QString& text)
{
    const QDate date = QDate::fromString(text, Qt::ISODate);
    return date.isValid() ? std::optional(QDate(1970, 1, 1).daysTo(date)) : std::nullopt;
}

// The days that a filter names by their dates. What it names otherwise (day:today) is not shown in the bar.
std::optional<std::pair<qint64, qint64>> daysIn(const QString& filter)
{
    for (const QString& term : filter.split(u' ')) {
        if (!term.startsWith(kField))
            continue;
        const QString value = term.mid(kField.size());
        const auto first = dayOf(value.section(u".."_s, 0, 0));
        const auto last = dayOf(value.section(u".."_s, -1));
        if (first && last && *first <= *last)
            return std::pair(*first, *last);
    }
    return std::nullopt;
}

}  // namespace

// Part by part, so that lists go on meanwhile; after that, what is new only.
void AuditPage::countDays()
{
    if (m_counting || m_counted >= m_last.total)
        return;
    m_counting = true;
    whenDone(m_stores.source(m_store).auditDays(m_counted), this, [this](const Reply<AuditDays>& reply) {
        m_counting = false;
        if (!reply) {
            if (!reply.failure.cancelled)
                m_days->setRemark(tr("not counted: %1").arg(reply.failure.what));
            return;  // the next read of the list asks again
        }
        for (const AuditDayCount& day : reply.value->days) {
            AuditDayCount& sum = m_dayCounts[day.day];
            sum.day = day.day;
            sum.entries += day.entries;
            sum.refused += day.refused;
            sum.first = sum.first == 0 ? day.first : std::min(sum.first, day.first);
            sum.last = std::max(sum.last, day.last);
        }
        const bool further = reply.value->counted > m_counted;
        m_counted = std::max(m_counted, reply.value->counted);
        m_last.total = std::max(m_last.total, reply.value->total);
        showDays();
        if (further)
            countDays();
    });
}

void AuditPage::showDays()
{
    std::vector<DayBar::Day> days;
    for (const auto& [number, day] : m_dayCounts)
        days.push_back({number, day.entries, day.refused});
    m_days->setDays(std::move(days));
    m_days->setRemark(m_counted < m_last.total
            ? tr("%1 of %2 counted").arg(countText(m_counted), countText(m_last.total))
            : QString());
    if (const auto chosen = daysIn(m_filter->filter()))
        m_days->setChosen(chosen->first, chosen->second);
    else
        m_days->clearChosen();
}

// The days as a term of the filter, in place of the one that is there; the same again takes it away.
void AuditPage::narrowTo(qint64 first, qint64 last)
{
    const QString filter = m_filter->filter();
    QStringList terms;
    for (const QString& term : filter.split(u' '))
        if (!term.startsWith(kField))
            terms << term;
    if (daysIn(filter) != std::pair(first, last))
        terms << kField + dayText(first) + (first == last ? QString() : u".."_s + dayText(last));
    m_filter->setFilter(terms.join(u' ').trimmed());
}

// From a cell: it stays where that day is listed already.
void AuditPage::listDayOf(int row)
{
    const AuditLine* line = m_model->row(row);
    const qint64 day = line == nullptr ? 0 : line->time / 86'400'000;
    if (line != nullptr && daysIn(m_filter->filter()) != std::pair(day, day))
        narrowTo(day, day);
}

// Entries of one day stand together by their numbers, so a day of years ago is found at once.
AuditRequest AuditPage::request() const
{
    AuditRequest request;
    request.filter = m_filter->filter();
    const auto days = daysIn(request.filter);
    if (!days || m_counted < m_last.total)
        return request;
    quint64 first = 0;
    quint64 last = 0;
    for (auto at = m_dayCounts.lower_bound(days->first); at != m_dayCounts.end() && at->first <= days->second;
         ++at) {
        first = first == 0 ? at->second.first : std::min(first, at->second.first);
        last = std::max(last, at->second.last);
    }
    if (last == 0)
        return request;
    request.downTo = first;
    request.before = last == m_counted ? 0 : last + 1;  // today's may be more by now
    return request;
}

}  // namespace cairn::ui
