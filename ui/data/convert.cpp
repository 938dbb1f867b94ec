#include "ui/data/convert.h"

#include "core/base/json_scan.h"
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(convert)
};

bool isEnding(Activity activity)
{
    return activity == Activity::Cancelling || activity == Activity::Compensating;
}

// A run that is being undone says so, unless somebody is needed for it to go on.
QString stateWord(Activity activity, Reason reason)
{
    const bool waits = reason != Reason::None && !isFinished(activity)
        && (word(reason).attention <= Attention::Person || !isEnding(activity));
    return qt(waits ? label(reason) : label(activity));
}

// What finds the runs that the word of stateWord() is said of.
QString waitTerm(Activity activity, Reason reason)
{
    return reason != Reason::None && !isFinished(activity) ? u"wait:"_s + qt(key(reason))
                                                           : u"state:"_s + qt(key(activity));
}

Glyph approvalGlyph(Reason reason, TimeMs due, TimeMs now)
{
    constexpr TimeMs kSoon = 3'600'000;
    if (reason == Reason::Approval && due != kNoTime && due - now < kSoon)
        return Glyph::Expiring;
    return glyphOf(reason);
}

// In the core's order, which the lists of situations and of runs follow too.
struct Group {
    Attention attention;
    bool moving;
    const char16_t* key;
    const char* title;
    const char16_t* filter;
};
constexpr Group kGroups[] = {
    {Attention::UnknownEffect, false, u"unknown", QT_TRANSLATE_NOOP("convert", "Effect uncertain"),
        u"attention:unknown_effect"},
    {Attention::Repair, false, u"repair", QT_TRANSLATE_NOOP("convert", "Nobody can yet"),
        u"attention:nobody"},
    {Attention::Person, false, u"person", QT_TRANSLATE_NOOP("convert", "A person must"), u"attention:person"},
    {Attention::Machine, false, u"machine", QT_TRANSLATE_NOOP("convert", "The machine will"),
        u"attention:machine -wait:none"},
    {Attention::Machine, true, u"moving", QT_TRANSLATE_NOOP("convert", "Moving"),
        u"attention:machine wait:none"},
};

bool isMoving(const CountRow& row)
{
    return row.attention == Attention::Machine && row.reason == Reason::None;
}

// A run that is being ended is counted by that, whatever it waits for meanwhile. The filter of a line lets
// through exactly the runs that the line counts.
QString filterOf(const CountRow& row)
{
    const QString state = u"state:"_s + qt(key(row.activity));
    if (row.reason == Reason::None)
        return isFinished(row.activity) ? state : state + u" wait:none"_s;
    if (isEnding(row.activity))
        return state + u" -wait:none"_s
            + (row.attention == Attention::Machine ? u" attention:machine"_s : QString());
    // `wait:paused` finds all that are paused; this line counts those that wait for nothing more pressing.
    if (row.reason == Reason::Paused) {
        QString others;
        for (const Word& other : words<Reason>())
            if (static_cast<Reason>(other.value) != Reason::Paused)
                others += (others.isEmpty() ? u""_s : u"|"_s) + qt(other.key);
        return u"state:paused -wait:"_s + others;
    }
    // Who ends a wait for another run is for that run to say.
    const bool byAnother = row.reason == Reason::Child || row.reason == Reason::FailedChild
        || row.reason == Reason::EffectInFlight;
    return u"wait:"_s + qt(key(row.reason)) + u" -state:cancelling|compensating"_s
        + (byAnother ? u" attention:"_s + qt(key(row.attention)) : QString());
}

// The dock is narrow: the longest label is said by its first word there.
QString attentionWord(const CountRow& row)
{
    if (row.reason == Reason::OutcomeUnknown)
        return Words::tr("no result stored");
    return row.reason == Reason::Credential ? Words::tr("credential")
                                            : stateWord(row.activity, row.reason).toLower();
}

// One line per word: several rows may share it.
void addLines(std::vector<AttentionLine>& out, const QString& group, const std::vector<CountRow>& rows)
{
    std::vector<AttentionLine> lines;
    for (const CountRow& row : rows) {
        AttentionLine line{
            group, glyphOf(row.activity, row.reason), attentionWord(row), row.count, filterOf(row), false};
        if (row.reason == Reason::OutcomeUnknown)
            line.filter = u"wait:outcome_unknown"_s;
        const auto same = std::find_if(
            lines.begin(), lines.end(), [&line](const AttentionLine& l) { return l.word == line.word; });
        if (same != lines.end())
            same->count += line.count;
        else
            lines.push_back(line);
    }
    std::stable_sort(
        lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    out.insert(out.end(), lines.begin(), lines.end());
}

quint64 sumOf(const std::vector<CountRow>& rows)
{
    quint64 sum = 0;
    for (const CountRow& row : rows)
        sum += row.count;
    return sum;
}

}  // namespace

RunLine lineOf(const ListRow& row, ListOrder order)
{
    RunLine line;
    line.run = row.run;
    line.parent = row.parent;
    line.workflow = qt(row.workflow);
    line.workflowVersion = row.workflowVersion;
    line.key = qt(row.key);
    line.glyph = glyphOf(row.activity, row.reason);
    line.word = stateWord(row.activity, row.reason);
    line.waitTerm = waitTerm(row.activity, row.reason);
    line.step = qt(row.step);
    line.since = row.since;
    line.next = row.nextTime;
    line.attempt = row.attempt;
    line.attemptsMax = row.attemptsMax;
    line.money = moneyText(row.amount.micros, qt(row.amount.currency));
    line.error = qt(row.error);
    line.createdAt = row.createdAt;
    line.endedAt = row.endedAt;
    line.steps = row.steps;
    line.stepsDone = row.stepsDone;
    line.version = row.version;
    const PageKey place = pageKey(row, order);
    line.place = {place.a, place.b, place.run};
    return line;
}

SituationLine situationOf(const SituationRow& row, TimeMs now)
{
    SituationLine line;
    line.key = qt(row.situation);
    line.glyph = approvalGlyph(row.reason, row.nextTime, now);
    line.wait = qt(label(row.reason));
    line.what = row.error.empty() ? qt(word(row.reason).help) : qt(row.error);
    // The thing waited for, unless it is the step, which stands beside it.
    if (!row.resource.empty() && row.resource != row.step)
        line.what = row.error.empty() ? qt(row.resource) + u": "_s + line.what
                                      : line.what + u" · "_s + qt(row.resource);
    line.waitTerm = u"wait:"_s + qt(key(row.reason));
    line.whereTerm = !row.step.empty() ? termOf(u"step"_s, qt(row.step)) : termOf(u"def"_s, qt(row.workflow));
    line.where = qt(row.step);
    const QString workflow = row.workflow.empty()
        ? Words::tr("driven")
        : qt(row.workflow) + u" @"_s + QString::number(row.workflowVersion);
    line.where += line.where.isEmpty() ? workflow : u" · "_s + workflow;
    if (row.reason == Reason::Lease && row.count > 1)
        line.where = Words::tr("steps under way");
    if (row.reason == Reason::Resource && row.workflow.empty() && row.count > 1) {
        std::set<std::string> steps, workflows;
        for (const SituationPart& part : row.parts) {
            steps.insert(part.step);
            workflows.insert(part.workflow);
        }
        line.where = row.parts.empty() ? Words::tr("several workflows")
                                       : plural(steps.size(), "step", "steps") + u" · "_s
                + plural(workflows.size(), "workflow", "workflows");
        line.whereTerm = termOf(u"resource"_s, qt(row.resource));
    }
    line.count = row.count;
    line.oldest = row.oldest;
    line.next = row.nextTime;
    line.nextWord = row.attention == Attention::Person ? Words::tr("person")
        : row.attention == Attention::UnknownEffect    ? Words::tr("people")
        : row.attention == Attention::Repair           ? Words::tr("repair")
                                                       : u"–"_s;
    line.example = row.example;
    line.pinned = row.attention == Attention::UnknownEffect;
    line.place = {static_cast<qint64>(row.attention), row.oldest, row.example};
    line.owned = row.assignedRuns;
    line.owner = qt(row.assigned);
    line.owners = row.assigned != row.assignedLast;
    if (row.reason != Reason::Lease)  // since when a worker is not heard is no time that the store has
        line.began.assign(kTrendSlots, 0);
    return line;
}

TimeSlots slotsOf(const std::vector<SituationStarts>& seconds, TimeMs from)
{
    TimeSlots slots;
    if (seconds.empty())
        return slots;
    constexpr qint64 kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
    constexpr std::array kWidths{kSecond, 5 * kSecond, 15 * kSecond, kMinute, 5 * kMinute, 15 * kMinute,
        kHour, 6 * kHour, kDay, 7 * kDay, 30 * kDay};
    const TimeMs last = from + static_cast<TimeMs>(seconds.back().slot) * kSecond;
    const auto countOf = [&](qint64 width) { return last / width - from / width + 1; };
    const auto fits = std::find_if(kWidths.begin(), kWidths.end(),
        [&](qint64 width) { return countOf(width) <= static_cast<qint64>(kMostSlots); });
    slots.width = fits == kWidths.end() ? kWidths.back() : *fits;
    slots.from = from - from % slots.width;
    slots.counts.assign(std::min<std::size_t>(static_cast<std::size_t>(countOf(slots.width)), kMostSlots), 0);
    for (const SituationStarts& one : seconds) {
        const TimeMs at = from + static_cast<TimeMs>(one.slot) * kSecond;
        const auto slot = static_cast<std::size_t>((at - slots.from) / slots.width);
        slots.counts[std::min(slot, slots.counts.size() - 1)] += one.count;
    }
    return slots;
}

QString sharedBy(const std::vector<SituationPart>& parts)
{
    std::map<std::string, quint64> counts;
    for (const SituationPart& part : parts)
        counts[part.workflow] += part.count;
    std::vector<std::pair<std::string, quint64>> order(counts.begin(), counts.end());
    std::stable_sort(
        order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t kNamed = 5;
    QStringList texts;
    for (std::size_t i = 0; i < std::min(order.size(), kNamed); ++i)
        texts << (order[i].first.empty() ? Words::tr("driven") : qt(order[i].first)) + u' '
                + countText(order[i].second);
    if (order.size() > kNamed)
        texts << Words::tr("and %1 more").arg(plural(order.size() - kNamed, "workflow", "workflows"));
    return texts.join(u", "_s);
}

TimeMs trendBegin(TimeMs now) { return now - now % kTrendSlot - (kTrendSlots - 1) * kTrendSlot; }

void tellTrend(std::vector<SituationLine>& lines, const std::vector<SituationStarts>& starts, TimeMs from)
{
    std::map<QString, SituationLine*> places;
    for (SituationLine& line : lines) {
        line.beganFrom = line.began.empty() ? 0 : from;
        if (!line.began.empty())
            places[line.key] = &line;
    }
    // What began after the lists were asked for counts as of the last slot.
    for (const SituationStarts& one : starts)
        if (const auto found = places.find(qt(one.situation)); found != places.end())
            found->second->began[std::min<std::uint64_t>(one.slot, kTrendSlots - 1)] += one.count;
}

std::vector<AttentionLine> attentionOf(
    const std::vector<CountRow>& open, const std::vector<CountRow>& finished)
{
    std::vector<AttentionLine> lines;
    for (const Group& group : kGroups) {
        std::vector<CountRow> rows;
        for (const CountRow& row : open)
            if (row.attention == group.attention && isMoving(row) == group.moving)
                rows.push_back(row);
        const QString name = QString::fromUtf16(group.key);
        lines.push_back(
            {name, Glyph::None, Words::tr(group.title), sumOf(rows), QString::fromUtf16(group.filter), true});
        addLines(lines, name, rows);
    }
    lines.push_back({u"finished"_s, Glyph::None, Words::tr("Finished today"), sumOf(finished),
        u"state:finished since:today"_s, true});
    addLines(lines, u"finished"_s, finished);
    for (AttentionLine& line : lines)
        if (line.group == u"finished"_s && !line.head)
            line.filter += u" since:today"_s;
    return lines;
}

QString finishedText(const std::vector<CountRow>& finished)
{
    QStringList parts;
    for (const CountRow& row : finished)
        parts << countText(row.count) + u' ' + qt(label(row.activity)).toLower();
    return parts.isEmpty() ? QString() : parts.join(u" · "_s);
}

namespace {

template<typename... Facts> bool holdsAny(const cairn::Fact& fact)
{
    return (std::holds_alternative<Facts>(fact) || ...);
}

// What one looks for in a history: beginnings and ends of the run, waits for people, failures, doubt,
// children.
bool mattersToPeople(const Entry& entry)
{
    if (entry.actor.kind == ActorKind::Person)
        return true;
    return std::any_of(entry.facts.begin(), entry.facts.end(), [](const cairn::Fact& fact) {
        return holdsAny<RunStarted, RunBlocked, RunClosed, RunReopened, RunMigrated, CompensationStarted,
            BudgetChanged, PayloadsRedacted, StepFailed, StepUnknown, EffectDenied, EffectEvidence,
            LateResult, ApprovalRequested, ApprovalDecided, ChildRequested, ChildAnswered, HolderInDoubt>(
            fact);
    });
}

}  // namespace

HistoryLine historyOf(const HistoryItem& item)
{
    HistoryLine line;
    line.version = item.entry.version;
    line.time = item.entry.time;
    line.person = item.entry.actor.kind == ActorKind::Person;
    const QString who = qt(item.entry.actor.id);
    line.actor =
        line.person ? who : qt(label(item.entry.actor.kind)) + (who.isEmpty() ? QString() : u' ' + who);
    line.verb = qt(label(item.entry.verb));
    line.text = qt(item.line);
    line.reason = qt(item.reason);
    line.hash = hexText(item.hash);
    line.matters = mattersToPeople(item.entry);
    return line;
}

PayloadLine payloadOf(const PayloadRef& ref, const QString& role, const QString& step)
{
    return {ref.id, step.isEmpty() ? role + Words::tr(" of the run") : role + Words::tr(" of ") + step, step,
        role, qt(ref.media), ref.size};
}

std::vector<Fact> flatFields(const std::string& bytes)
{
    constexpr std::size_t kMostMembers = 14;
    constexpr std::size_t kLongest = 200;
    if (bytes.size() > 16'384 || findJsonFault(bytes, kInterpretedJson)
        || jsonKind(bytes) != JsonKind::Object)
        return {};
    const auto members = jsonObjectMembers(bytes);
    if (!members || members->empty() || members->size() > kMostMembers)
        return {};
    std::vector<Fact> facts;
    for (const JsonMember& member : *members) {
        std::string_view value = jsonTrim(member.value);
        if (value.size() > kLongest)
            return {};
        // A plain string without its quotes; everything else, numbers too, exactly as written.
        if (jsonKind(value) == JsonKind::String && value.find('\\') == std::string_view::npos)
            value = value.substr(1, value.size() - 2);
        facts.push_back({qt(member.name), qt(value), false});
    }
    return facts;
}

}  // namespace cairn::ui
