// One run: why, steps, payloads.
#include "ui/data/convert.h"

#include "core/base/text.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(convert_run)
};

bool isOffered(Verb verb)
{
    switch (verb) {
    case Verb::Approve:
    case Verb::Reject:
    case Verb::Pause:
    case Verb::Resume:
    case Verb::Cancel:
    case Verb::Retry:
    case Verb::Settle: return true;
    default: return false;
    }
}

// What the sheet will offer of it, safest first.
QString outcomesText(const std::vector<SettleOffer>& offers)
{
    QStringList names;
    for (const SettleOffer& offer : offers) {
        if (!offer.allowed)
            continue;
        switch (offer.as) {
        case cmd::SettleAs::Happened: names << Words::tr("happened"); break;
        case cmd::SettleAs::NotHappened: names << Words::tr("did not happen"); break;
        case cmd::SettleAs::RepeatSameKey: names << Words::tr("repeat with the same key"); break;
        case cmd::SettleAs::Compensate: names << Words::tr("compensate"); break;
        case cmd::SettleAs::Park: names << Words::tr("park"); break;
        }
    }
    return names.join(u" · "_s);
}

// What ends some waits is seldom done: it is named, and stands in the menu.
void addOtherRepairs(const RunView& view, std::vector<VerbLine>& off)
{
    QStringList names;
    for (const Action& action : view.explanation.actions) {
        const QString name = qt(label(action.verb)).toLower();
        if (action.allowed && !isOffered(action.verb) && action.verb != Verb::Compensate
            && !names.contains(name))
            names << name;
    }
    if (!names.isEmpty())
        off.push_back({Verb::Skip, {}, Words::tr("Other repairs"),
            names.join(u", "_s) + Words::tr(": in the menu Run, and by Ctrl+K"), false, {}, {}});
}

// It waits because of how often something is called: slowing that down is what one may want first.
bool isAboutCalls(const RunView& view)
{
    const Reason reason = view.explanation.summary.primary.reason;
    return !view.row.resource.empty()
        && (reason == Reason::Resource || reason == Reason::Capacity || reason == Reason::Retry);
}

// About the resource at which the run stands, for all runs that call it.
VerbLine slowOf(const RunView& view)
{
    VerbLine line{Verb::Slow, letterOf(Verb::Slow), verbName(Verb::Slow),
        Words::tr("the run stands at no resource; `cairn slow` takes one by its name"), false, {}, {}};
    line.resource = qt(view.row.resource);
    if (line.resource.isEmpty())
        return line;
    line.on = true;
    line.text = Words::tr("Hold or pace new calls to %1, by all runs").arg(line.resource);
    return line;
}

// Verbs that can be done now first; of those that cannot, one line each with its reason.
std::vector<VerbLine> verbsOf(const RunView& view)
{
    std::vector<VerbLine> on;
    std::vector<VerbLine> off;
    std::set<Verb> named;
    const auto stepOf = [&view](StepIx ix) {
        return ix < view.state.steps.size() ? qt(view.state.steps[ix].id) : QString();
    };
    std::unordered_map<int, int> many;
    for (const Action& action : view.explanation.actions)
        if (action.allowed)
            ++many[static_cast<int>(action.verb)];
    for (const Action& action : view.explanation.actions) {
        if (!isOffered(action.verb))
            continue;
        VerbLine line{action.verb, letterOf(action.verb), verbName(action.verb), qt(action.why),
            action.allowed, stepOf(action.step), action.approval};
        if (action.allowed && !action.outcomes.empty())
            line.text = outcomesText(action.outcomes);
        if (many[static_cast<int>(action.verb)] > 1 && !line.step.isEmpty())
            line.name += u' ' + line.step;
        if (action.allowed)
            on.push_back(line);
        else if (many[static_cast<int>(action.verb)] == 0 && named.insert(action.verb).second)
            off.push_back(line);
        named.insert(action.verb);
    }
    // What can be cancelled can be abandoned: offered in menus, last, and never by a letter.
    for (const VerbLine& line : on)
        if (line.verb == Verb::Cancel) {
            on.push_back({Verb::Cancel, {}, Words::tr("Abandon"),
                Words::tr("Stops and undoes nothing; last resort"), true, {}, {}, true});
            break;
        }
    if (isAboutCalls(view))
        on.insert(on.begin(), slowOf(view));
    addOtherRepairs(view, off);
    if (named.count(Verb::Settle) == 0 && !view.state.closed)
        off.push_back({Verb::Settle, letterOf(Verb::Settle), verbName(Verb::Settle),
            Words::tr("no effect is uncertain in this run"), false, {}, {}});
    if (named.count(Verb::Approve) == 0 && !view.state.closed)
        off.push_back({Verb::Approve, letterOf(Verb::Approve), verbName(Verb::Approve),
            Words::tr("no approval is asked for in this run"), false, {}, {}});
    on.insert(on.end(), off.begin(), off.end());
    return on;
}

// What is in the menu only. Verbs that the state's explanation does not try are tried when they are staged.
std::vector<VerbLine> moreOf(const RunView& view)
{
    std::vector<VerbLine> more;
    std::set<Verb> tried;
    for (const Action& action : view.explanation.actions) {
        if (isOffered(action.verb))
            continue;
        tried.insert(action.verb);
        more.push_back({action.verb, {}, verbName(action.verb), qt(action.why), action.allowed,
            action.step < view.state.steps.size() ? qt(view.state.steps[action.step].id) : QString(),
            action.approval});
    }
    constexpr Verb kOfRun[] = {Verb::Hold, Verb::Assign, Verb::Note, Verb::Deadline, Verb::Budget,
        Verb::Migrate, Verb::Takeover, Verb::Fork};
    for (const Verb verb : kOfRun)
        if (tried.count(verb) == 0)
            more.push_back({verb, {}, verbName(verb), qt(word(verb).help), true, {}, {}});
    constexpr Verb kOfStep[] = {Verb::Skip, Verb::Record, Verb::Amend};
    for (const Verb verb : kOfStep)
        if (tried.count(verb) == 0)
            more.push_back(
                {verb, {}, verbName(verb), Words::tr("no step of this run waits for it"), false, {}, {}});
    if (const VerbLine line = slowOf(view); !isAboutCalls(view))
        more.push_back(line);
    more.push_back({Verb::Redact, {}, verbName(Verb::Redact), qt(word(Verb::Redact).help), true, {}, {}});
    return more;
}

Glyph glyphOfRun(const RunView& view)
{
    const ReasonItem& primary = view.explanation.summary.primary;
    constexpr TimeMs kSoon = 3'600'000;
    if (primary.reason == Reason::Approval && primary.due != kNoTime && primary.due - view.at < kSoon)
        return Glyph::Expiring;
    return glyphOf(view.explanation.summary.activity, primary.reason);
}

// In one piece: a narrow panel breaks the line before it, not inside.
QString agoText(TimeMs span)
{
    return QString(durationText(span) + Words::tr(" ago")).replace(u' ', QChar(0x00A0));
}

// Facts that one copies: ids and keys, set in mono.
bool isReference(const std::string& name)
{
    return name == "key" || name == "approval" || name == "child" || name == "held by" || name == "page";
}

QString stepWord(const StepRecord& step)
{
    if (step.state == StepState::Waiting && step.reason != Reason::None)
        return qt(label(step.reason));
    QString text = qt(label(step.state));
    if (step.fromLedger)
        text += Words::tr(", result of an earlier call under the same key");
    else if (step.byPerson)
        text += Words::tr(", by a person");
    return text;
}

// From the wait back to the start, each time to the dependency that ended last: what the run has been waiting
// along.
void markPath(const RunState& state, StepIx root, std::vector<StepLine>& steps)
{
    std::size_t guard = steps.size() + 1;
    for (StepIx at = root; at != kNoStep && at < steps.size() && guard-- > 0;) {
        steps[at].onPath = true;
        const StepRecord& record = state.steps[at];
        if (record.owner != kNoStep && record.owner < steps.size())
            steps[record.owner].onPath = true;
        const auto& before =
            record.after.empty() && record.owner != kNoStep ? state.steps[record.owner].after : record.after;
        StepIx next = kNoStep;
        for (const StepIx dependency : before)
            if (dependency < steps.size()
                && (next == kNoStep || state.steps[dependency].endedAt > state.steps[next].endedAt))
                next = dependency;
        at = next;
    }
}

QString noteOf(const RunView& view, const StepRecord& step)
{
    if (step.state == StepState::Waiting && step.reason == Reason::Approval)
        for (const ApprovalRecord& approval : view.state.approvals)
            if (approval.id == step.approval)
                return Words::tr("%1, %2 of %3\nexpires %4")
                    .arg(qt(approval.role))
                    .arg(approval.consents.size())
                    .arg(approval.needed)
                    .arg(clockText(approval.expires, view.at));
    if (step.state == StepState::Waiting && step.due != kNoTime)
        return Words::tr("until ") + clockText(step.due, view.at);
    if (step.state == StepState::Unknown)
        return Words::tr("no result stored");
    return {};
}

void addPayloads(const StepRecord& step, StepLine& line)
{
    // One payload stands once, under the first name that fits it.
    const auto add = [&line](const PayloadRef& ref, const QString& role) {
        const auto same = [&ref](const PayloadLine& other) { return other.id == ref.id; };
        if (ref && std::none_of(line.payloads.begin(), line.payloads.end(), same))
            line.payloads.push_back(payloadOf(ref, role, line.id));
    };
    add(step.input, u"input"_s);
    add(step.output, u"output"_s);
    add(step.partial, Words::tr("partial result"));
    add(step.firstError, step.firstError.id == step.error.id ? Words::tr("error") : Words::tr("first error"));
    add(step.error, Words::tr("last error"));
    add(step.detail, step.byPerson ? Words::tr("evidence") : Words::tr("detail"));
}

StepLine stepOf(const RunView& view, StepIx ix)
{
    const StepRecord& step = view.state.steps[ix];
    StepLine line;
    line.ix = ix;
    line.id = qt(step.id);
    line.tool = qt(step.tool);
    line.agent = qt(step.agent);
    line.kind = qt(key(step.kind));
    line.safety = !step.tool.empty() ? qt(label(step.safety))
        : step.kind == StepKind::Run ? childRunWord()
                                     : qt(label(step.kind));
    line.glyph = glyphOf(step.state, step.reason);
    if (step.kind == StepKind::FanOut && step.state == StepState::Complete && step.membersFailed > 0)
        line.glyph = Glyph::DoneSkip;
    line.word = stepWord(step);
    line.note = noteOf(view, step);
    line.attempts = step.attempts;
    line.readyAt = step.readyAt;
    line.startedAt = step.firstStartedAt;
    line.endedAt = step.endedAt;
    line.since = step.since;
    line.due = step.due;
    line.revision = step.revision;
    line.owner = step.owner == kNoStep ? kNone : step.owner;
    line.other = step.waitRun;
    line.finished = isFinished(step.state);
    line.begun = step.state != StepState::Pending;
    line.stuck = step.state == StepState::Unknown || step.state == StepState::Failed
        || (step.state == StepState::Waiting && word(step.reason).attention <= Attention::Person);
    line.after.assign(step.after.begin(), step.after.end());
    addPayloads(step, line);
    return line;
}

Glyph attemptGlyph(const AttemptRow& row)
{
    if (row.endedAt == kNoTime)
        return Glyph::Running;
    if (row.how == AttemptEnd::Completed)
        return Glyph::Done;
    return row.effect == EffectKnowledge::Unknown ? Glyph::Uncertain : Glyph::Cancelled;
}

AttemptLine attemptOf(const AttemptRow& row)
{
    AttemptLine line;
    line.number = row.number;
    line.glyph = attemptGlyph(row);
    line.startedAt = row.startedAt;
    line.endedAt = row.endedAt;
    line.outcome = row.endedAt == kNoTime ? Words::tr("under way") : qt(label(row.how)).toLower();
    if (row.purpose != Purpose::Do)
        line.outcome = qt(label(row.purpose)) + u": "_s + line.outcome;
    if (row.endedAt != kNoTime && row.how != AttemptEnd::Completed && row.effect != EffectKnowledge::NoEffect)
        line.outcome += Words::tr(", effect: ") + qt(label(row.effect)).toLower();
    line.worker = row.worker.empty() ? shortId(row.session) : qt(row.worker);
    return line;
}

QStringList metaOf(const RunView& view)
{
    QStringList meta;
    const RunState& s = view.state;
    meta << (s.workflow.name.empty() ? Words::tr("driven by its caller")
                                     : qt(s.workflow.name) + u" @"_s + QString::number(s.workflow.version));
    if (!view.identity.key.empty())
        meta << Words::tr("key ") + qt(view.identity.key);
    if (s.startedAt != kNoTime)
        meta << Words::tr("started %1, %2 ago")
                    .arg(instantText(s.startedAt), durationText(view.at - s.startedAt));
    if (s.endedAt != kNoTime)
        meta << Words::tr("ended ") + instantText(s.endedAt);
    if (s.deadline() != kNoTime)
        meta << Words::tr("deadline ") + instantText(s.deadline());
    for (const BudgetLine& line : s.budget) {
        const QString unit = qt(line.unit);
        meta << (unit == u"tokens"_s
                ? Words::tr("%1 of %2 tokens").arg(tokensText(line.used), tokensText(line.limit))
                : Words::tr("%1 of %2").arg(moneyText(line.used, unit), moneyText(line.limit, unit)));
    }
    if (!s.parent.run.isNull())
        meta << Words::tr("child of ") + shortId(s.parent.run);
    for (const AttributeRow& attribute : view.attributes)
        meta << qt(attribute.name) + u' ' + qt(attribute.text);
    return meta;
}

}  // namespace

WhyView whyOf(const RunView& view)
{
    WhyView why;
    why.run = view.state.id;
    why.glyph = glyphOfRun(view);
    const Summary& summary = view.explanation.summary;
    const QString wait = summary.primary.reason == Reason::None || isFinished(summary.activity)
        ? qt(label(summary.activity))
        : qt(label(summary.primary.reason));
    why.badge = isFinished(summary.activity) ? wait : wait + u", "_s + moverText(summary.attention);
    why.reason = isFinished(summary.activity) ? Reason::None : summary.primary.reason;
    why.sentence = qt(view.sentence.text);
    why.since = view.sentence.since;
    why.strong = {qt(view.sentence.subject)};
    // "Since" is asked for first, and not every sentence has room for it.
    if (why.since != 0)
        why.evidence.push_back({Words::tr("Since"),
            u"%1, %2"_s.arg(instantText(why.since), agoText(view.at - why.since)), false});
    if (const StepIx root = summary.primary.step; root < view.state.steps.size())
        why.strong << u'"' + qt(view.state.steps[root].id) + u'"';
    for (const auto& [name, value] : view.sentence.evidence) {
        if (name == "reason")
            continue;  // the badge says it
        const QString text = qt(name);
        why.evidence.push_back(
            {text.left(1).toUpper() + text.mid(1), qt(value), isReference(name), name == "page"});
    }
    for (const auto& [run, sentence] : view.chain) {
        why.evidence.push_back({childRunWord(), idText(run), true});
        why.evidence.push_back({Words::tr("It says"), qt(sentence.text), false});
    }
    why.releases = qt(view.sentence.ends);
    if (!why.releases.isEmpty())
        why.releases = withFullStop(why.releases.left(1).toUpper() + why.releases.mid(1));
    if (view.sentence.next != kNoTime
        && view.sentence.ends.find(formatInstant(view.sentence.next)) == std::string::npos)
        why.releases += (why.releases.isEmpty() ? QString() : u" "_s) + Words::tr("Next by itself at ")
            + instantText(view.sentence.next) + u'.';
    why.verbs = verbsOf(view);
    why.more = moreOf(view);
    return why;
}

QString runTitle(const QString& workflow, const QString& key, const RunId& run)
{
    if (!workflow.isEmpty() && key.startsWith(workflow, Qt::CaseInsensitive)
        && (key.size() == workflow.size() || !key.at(workflow.size()).isLetterOrNumber()))
        return key;
    return (workflow.isEmpty() ? Words::tr("driven") : workflow) + u' '
        + (key.isEmpty() ? shortId(run).mid(7) : key);
}

RunDetail detailOf(
    const RunView& view, const std::vector<AttemptRow>& attempts, const std::vector<EffectRow>& effects)
{
    RunDetail detail;
    const RunState& s = view.state;
    detail.line = lineOf(view.row);
    detail.idText = idText(s.id);
    detail.title = runTitle(qt(s.workflow.name), qt(view.identity.key), s.id);
    detail.why = whyOf(view);
    detail.meta = metaOf(view);
    detail.version = s.version;
    detail.at = view.at;
    std::vector<StepLine> steps;
    steps.reserve(s.steps.size());
    for (StepIx ix = 0; ix < s.steps.size(); ++ix)
        steps.push_back(stepOf(view, ix));
    const StepIx root = view.explanation.summary.primary.step;
    if (root < steps.size() && !s.closed) {
        steps[root].root = true;
        markPath(s, root, steps);
    }
    for (const AttemptRow& row : attempts)
        if (row.step < steps.size())
            steps[row.step].tries.push_back(attemptOf(row));
    for (const EffectRow& effect : effects)
        if (const auto found = s.stepById.find(effect.holderStep);
            found != s.stepById.end() && effect.holder == s.id)
            steps[found->second].effectKey = qt(effect.key);
    if (s.input)
        detail.payloads.push_back(payloadOf(s.input, u"input"_s, {}));
    if (s.output)
        detail.payloads.push_back(payloadOf(s.output, u"output"_s, {}));
    for (const StepLine& step : steps)
        detail.payloads.insert(detail.payloads.end(), step.payloads.begin(), step.payloads.end());
    detail.steps = std::move(steps);
    return detail;
}

}  // namespace cairn::ui
