#include "ui/data/auditfilter.h"

#include "core/query/tell.h"
#include "ui/data/qtconvert.h"
#include "ui/data/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(readaudit)
};

bool contains(const QString& text, const std::string& part)
{
    return text.contains(qt(part), Qt::CaseInsensitive);
}
// "none": nobody else was needed.
bool isSecond(const audit::SecondPerson& second, const std::string& value)
{
    if (second.kind == audit::Second::None)
        return nobodyElse() == qt(value);
    return contains(qt(second.login), value) || contains(qt(key(second.kind)), value);
}
bool holds(const FilterPlace& place, const AuditRow& row, const audit::SecondPerson& second)
{
    return std::any_of(place.values.begin(), place.values.end(), [&](const std::string& value) {
        if (place.field == "person")
            return contains(personOf(row), value) || contains(qt(row.actor), value);
        if (place.field == "verb")
            return contains(qt(key(row.verb)), value) || contains(qt(label(row.verb)), value);
        if (place.field == "outcome")
            return contains(qt(row.kind), value);
        if (place.field == "second")
            return isSecond(second, value);
        if (place.field == "run")
            return !row.run.isNull() && idText(row.run).startsWith(qt(value), Qt::CaseInsensitive);
        return contains(qt(row.reason), value) || contains(qt(row.target), value)
            || contains(qt(row.actor), value) || contains(qt(label(row.verb)), value);
    });
}

}  // namespace

QString personOf(const AuditRow& row)
{
    Actor actor{ActorKind::Person, row.actor};
    actor.login = row.login;
    return qt(actorName(actor));
}

QString nobodyElse() { return QString::fromLatin1("none"); }

AuditFilter::AuditFilter(const std::string& text, TimeMs now)
    : m_text(text)
    , m_places(filterPlaces(m_text))
{
    for (const FilterPlace& place : m_places)
        check(place, now);
}

bool AuditFilter::takes(const AuditRow& row, const audit::SecondPerson& second) const
{
    for (const FilterPlace& place : m_places)
        if (place.field != "since" && place.field != "day" && holds(place, row, second) == place.negated)
            return false;
    return (m_after == kNoTime || row.time >= m_after) && (m_before == kNoTime || row.time < m_before);
}

void AuditFilter::fail(const FilterPlace& place, const QString& text)
{
    if (m_state.valid)
        m_state = {false, static_cast<int>(qt(m_text.substr(0, place.offset)).size()),
            static_cast<int>(qt(m_text.substr(place.offset, place.length)).size()), text};
}

void AuditFilter::check(const FilterPlace& place, TimeMs now)
{
    static const std::vector<std::string> kFields{
        "person", "verb", "outcome", "second", "run", "since", "day", ""};
    if (place.isOr)
        return fail(
            place, Words::tr("\"or\" is not offered here; join values by |, as in verb:pause|resume"));
    if (std::find(kFields.begin(), kFields.end(), place.field) == kFields.end())
        return fail(place,
            Words::tr("there is no field \"%1\" here. Fields: person, verb, outcome, second, run, since, "
                      "day; or words")
                .arg(qt(place.field)));
    for (const std::string& value : place.values)
        if (value.empty())
            return fail(place, qt(place.field) + Words::tr(" needs a value"));
    if (place.field == "day")
        return checkDay(place, now);
    if (place.field != "since")
        return;
    const ParsedFilter parsed = parseFilter(m_text.substr(place.offset, place.length), now);
    if (parsed.error)
        return fail(place, qt(parsed.error->text));
    m_after = parsed.filter.front().sinceAfter;
    m_before = parsed.filter.front().sinceBefore;
}

// One day of UTC, or several: 2026-11-01..2026-11-30. Read as a filter of runs reads when they began.
void AuditFilter::checkDay(const FilterPlace& place, TimeMs now)
{
    const std::string& value = place.values.front();
    const auto dots = value.find("..");
    const std::string last = dots == std::string::npos ? value : value.substr(dots + 2);
    const ParsedFilter from = parseFilter("created:" + value.substr(0, dots), now);
    const ParsedFilter to = parseFilter("created:" + last, now);
    const auto begins = [](const ParsedFilter& day) {
        const TimeMs at = day.error ? kNoTime : day.filter.front().createdAfter;
        return at != kNoTime && at % kDayMs == 0 ? at : kNoTime;
    };
    const bool days = begins(from) != kNoTime && begins(to) != kNoTime && begins(from) <= begins(to);
    if (place.negated || place.values.size() > 1 || !days)
        return fail(place,
            Words::tr("day takes one day or the first and the last of several, as in day:2026-11-29, "
                      "day:yesterday, day:2026-11-01..2026-11-30"));
    m_ofDays = true;
    m_after = begins(from);
    m_before = begins(to) + kDayMs;
}

}  // namespace cairn::ui
