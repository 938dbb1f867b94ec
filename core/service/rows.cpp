// Rows derived from a state and an entry. Commit, verify and the list views all use these functions.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/model/codec.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kErrorBytes = 200;

std::uint32_t attemptsAllowed(const RunState& state, StepIx ix, const Definition* definition)
{
    const StepRecord& step = state.steps[ix];
    const StepDef* d = definition ? definition->step(step.name, ix) : nullptr;
    if (d && d->retry)
        return d->retry->maxAttempts;
    const ToolDef* t = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
    return t ? t->retry.maxAttempts : 0;
}

// The step that a list row is about: that of the primary reason, else one that is under way or failed.
StepIx listStep(const RunState& state, const Summary& summary)
{
    if (summary.primary.reason != Reason::None)
        return summary.primary.step;
    if (state.closed)
        return state.closedAs == Activity::Failed && !state.failed.empty() ? *state.failed.begin() : kNoStep;
    if (!state.running.empty())
        return *state.running.begin();
    return state.ready.empty() ? kNoStep : *state.ready.begin();
}

TimeMs listSince(const RunState& state, const Summary& summary, StepIx step)
{
    if (state.closed)
        return state.endedAt;
    if (summary.primary.reason != Reason::None)
        return summary.primary.since;
    if (step != kNoStep && state.steps[step].attempt)
        return state.steps[step].attempt->startedAt;
    return step == kNoStep ? state.startedAt : state.steps[step].since;
}

bool showsError(Reason reason)
{
    switch (reason) {
    case Reason::OutcomeUnknown:
    case Reason::EffectKeyConflict:
    case Reason::Worker:
    case Reason::AttemptsExhausted:
    case Reason::FailedChild:
    case Reason::Incompatible:
    case Reason::Credential:
    case Reason::Retry:
    case Reason::Resource: return true;
    default: return false;
    }
}

struct TouchCollector {
    const RunState& after;
    std::set<StepIx>& out;

    void around(StepIx ix)
    {
        out.insert(ix);
        const StepRecord& step = after.steps[ix];
        out.insert(step.dependents.begin(), step.dependents.end());
        if (step.owner != kNoStep)
            out.insert(step.owner);
    }
    void operator()(const StepAdded&) { }  // new steps are told by their number
    void operator()(const RestCancelled&)
    {
        for (StepIx ix = 0; ix < after.steps.size(); ++ix)
            out.insert(ix);
    }
    template<class F> void operator()(const F& f)
    {
        if constexpr (requires { f.step; })
            if (f.step != kNoStep && f.step < after.steps.size())
                around(f.step);
    }
};

struct PayloadCollector {
    std::set<PayloadId>& out;
    template<class T> void operator()(std::string_view, const T& field)
    {
        if constexpr (std::is_same_v<T, PayloadRef>)
            if (field)
                out.insert(field.id);
    }
    template<class T> void since(int, std::string_view name, const T& field) { (*this)(name, field); }
};

std::string errorMember(std::string_view object)
{
    const auto members = jsonObjectMembers(object);
    if (!members)
        return std::string(object);
    for (const char* name : {"message", "error", "detail", "reason"})
        for (const auto& member : *members)
            if (member.name == name) {
                if (jsonKind(member.value) == JsonKind::Object)
                    return errorMember(member.value);
                const auto text = jsonString(member.value);
                return text ? *text : std::string(member.value);
            }
    return std::string(object);
}

}  // namespace

EffectId effectIdOf(const Salt& salt, std::string_view tool, std::string_view key)
{
    std::string bytes(saltView(salt));
    bytes.append(tool);
    bytes.push_back('\0');
    bytes.append(key);
    return sha256(bytes);
}

std::string errorTextOf(std::string_view bytes, std::string_view media)
{
    if (media.find("json") != std::string_view::npos && !findJsonFault(bytes)) {
        if (jsonKind(bytes) == JsonKind::String)
            return jsonString(bytes).has_value() ? *jsonString(bytes) : std::string(bytes);
        if (jsonKind(bytes) == JsonKind::Object)
            return errorMember(bytes);
    }
    return std::string(bytes);
}

std::string normalisedError(std::string_view bytes, std::string_view media)
{
    const std::string text =
        errorTextOf(bytes.substr(0, 64 * 1024), bytes.size() > 64 * 1024 ? "text/plain" : media);
    return clipped(errorSignature(text), kErrorBytes);
}

ListRow listRowOf(const RunState& state, const RunRow& identity, TimeMs now, const Definition* definition)
{
    const Summary summary = summarise(state, now);
    const StepIx ix = listStep(state, summary);
    ListRow row;
    row.run = state.id;
    row.root = state.root;
    row.parent = state.parent.run;
    row.workflow = state.workflow.name;
    row.workflowVersion = state.workflow.version;
    row.key = identity.key;
    row.activity = summary.activity;
    row.attention = summary.attention;
    row.reason = summary.primary.reason;
    row.since = listSince(state, summary, ix);
    row.nextTime = summary.primary.due;
    row.createdAt = identity.createdAt;
    row.endedAt = state.endedAt;
    row.steps = static_cast<std::uint32_t>(state.steps.size());
    row.stepsDone = state.stepsIn[static_cast<std::size_t>(StepState::Complete)]
        + state.stepsIn[static_cast<std::size_t>(StepState::Skipped)];
    row.heldUntil = state.heldUntil();
    row.assigned = state.assigned.to;
    row.version = state.version;
    if (ix != kNoStep) {
        const StepRecord& step = state.steps[ix];
        row.step = step.id;
        row.attempt = attemptOf(step);
        row.attemptsMax = attemptsAllowed(state, ix, definition);
        row.amount = step.amount;
        const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
        // Of one that is under way too: it holds a permit, and `why` of those that wait for one names it.
        if (tool && (summary.primary.reason != Reason::None || summary.activity == Activity::Executing))
            row.resource = tool->resource;
    }
    return row;
}

std::string listStepName(const RunState& state, TimeMs now)
{
    const StepIx ix = listStep(state, summarise(state, now));
    return ix == kNoStep ? std::string() : state.steps[ix].name;
}

PayloadRef listError(const RunState& state, TimeMs now)
{
    const Summary summary = summarise(state, now);
    const StepIx ix = listStep(state, summary);
    if (state.closed)
        return ix == kNoStep ? PayloadRef{} : state.steps[ix].error;
    if (!showsError(summary.primary.reason))
        return {};
    if (ix == kNoStep)
        return state.blockedDetail;
    return state.steps[ix].error ? state.steps[ix].error : state.steps[ix].detail;
}

void finishListRow(ListRow& row, std::string error, std::string_view stepName)
{
    row.error = std::move(error);
    row.situation.clear();
    if (isFinished(row.activity) || row.reason == Reason::None)
        return;
    // Those that a resource keeps waiting are one situation, whatever they are runs of, and whether they were
    // told so or only wait with them.
    const bool ofResource = row.reason == Reason::Resource && !row.resource.empty();
    WireWriter place;
    place.bytes(key(row.reason));
    place.bytes(ofResource ? std::string_view() : row.workflow);
    place.u32(ofResource ? 0 : row.workflowVersion);
    place.bytes(ofResource ? std::string_view() : stepName);
    place.bytes(row.reason == Reason::Resource ? std::string_view() : row.error);
    place.bytes(row.resource);
    row.situation = hex(sha256("cairn-situation", place.out())).substr(0, 16);
}

std::uint32_t attemptOf(const StepRecord& step)
{
    const bool again = step.state == StepState::Waiting
        && (step.reason == Reason::Retry || (step.reason == Reason::Resource && step.attempts > 0));
    if (step.state == StepState::Running || again)
        return step.failures + 1;
    // A worker that was lost leaves a doubt without a failure; the attempt that did was the first.
    if (step.state == StepState::Unknown)
        return std::max(step.failures, std::min(step.attempts, 1U));
    return step.failures;
}

StepRow stepRowOf(const RunState& state, StepIx step)
{
    const StepRecord& r = state.steps[step];
    StepRow row;
    row.ix = step;
    row.id = r.id;
    row.name = r.name;
    row.tool = r.tool;
    row.agent = r.agent;
    row.kind = r.kind;
    row.safety = r.safety;
    row.state = r.state;
    row.reason = r.reason;
    row.since = r.since;
    row.due = r.due;
    row.revision = r.revision;
    row.attempts = r.attempts;
    row.failures = r.failures;
    row.lost = r.lost;
    row.input = r.input.id;
    row.output = r.output.id;
    row.error = r.error.id;
    row.effect = r.effect;
    row.readyAt = r.readyAt;
    row.startedAt = r.firstStartedAt;
    row.endedAt = r.endedAt;
    return row;
}

AttemptRow attemptRowOf(const RunState& state, const AttemptStarted& fact, TimeMs at)
{
    AttemptRow row;
    row.id = fact.attempt;
    row.step = fact.step;
    row.number = fact.number;
    row.purpose = fact.purpose;
    row.session = fact.session;
    row.worker = fact.worker;
    row.startedAt = at;
    row.trace = fact.trace == UuidBytes{} ? legacyTrace(state.id) : fact.trace;
    row.span = fact.span == 0 ? legacySpan(fact.attempt) : fact.span;
    return row;
}

AttemptRow openAttemptRow(const RunState& state, StepIx step)
{
    const AttemptState& attempt = *state.steps[step].attempt;
    AttemptRow row;
    row.id = attempt.id;
    row.step = step;
    row.number = attempt.number;
    row.purpose = attempt.purpose;
    row.session = attempt.session;
    row.worker = attempt.worker;
    row.startedAt = attempt.startedAt;
    row.trace = attempt.trace;
    row.span = attempt.span;
    return row;
}

void endAttemptRow(AttemptRow& row, const AttemptEnded& fact, TimeMs at)
{
    row.endedAt = at;
    row.how = fact.how;
    row.effect = fact.effect;
    row.error = fact.error.id;
}

namespace {

// Of those that somebody vouches for.
std::string decidersOf(const ApprovalRecord& record)
{
    std::vector<std::string> logins;
    const auto add = [&](const Actor& actor) {
        if (!actor.login.empty() && std::find(logins.begin(), logins.end(), actor.login) == logins.end())
            logins.push_back(actor.login);
    };
    for (const Consent& consent : record.consents)
        add(consent.by);
    if (record.state == ApprovalState::Rejected)
        add(record.decidedBy);
    std::string list = "[";
    for (const std::string& login : logins) {
        list += list.size() > 1 ? "," : "";
        appendJsonString(list, login);
    }
    return list + "]";
}

}  // namespace

ApprovalRow approvalRowOf(const ApprovalRecord& record)
{
    ApprovalRow row;
    row.id = record.id;
    row.step = record.step;
    row.state = record.state;
    row.binding = record.binding;
    row.role = record.role;
    row.askedAt = record.askedAt;
    row.expires = record.expires;
    row.decidedAt = record.decidedAt;
    row.decidedBy = record.decidedBy.id;
    row.note = record.note.id;
    row.needed = record.needed;
    row.askedBy = record.askedBy.login;
    row.deciders = decidersOf(record);
    return row;
}

std::set<StepIx> touchedSteps(const RunState& after, const Entry& entry)
{
    std::set<StepIx> touched;
    std::size_t added = 0;
    TouchCollector collector{after, touched};
    for (const Fact& fact : entry.facts) {
        added += std::holds_alternative<StepAdded>(fact) ? 1 : 0;
        std::visit(collector, fact);
        if (const auto* migrated = std::get_if<RunMigrated>(&fact))
            for (StepIx ix = 0; ix < after.steps.size(); ++ix)
                for (const RenamedStep& renamed : migrated->renamed)
                    if (after.steps[ix].name == renamed.to)
                        touched.insert(ix);
    }
    for (std::size_t ix = after.steps.size() - std::min(added, after.steps.size()); ix < after.steps.size();
         ++ix)
        touched.insert(static_cast<StepIx>(ix));
    return touched;
}

std::set<PayloadId> payloadsOf(const Entry& entry)
{
    std::set<PayloadId> ids;
    PayloadCollector collector{ids};
    if (entry.reason)
        ids.insert(entry.reason.id);
    for (const Fact& fact : entry.facts)
        std::visit([&](const auto& f) { std::decay_t<decltype(f)>::each(f, collector); }, fact);
    return ids;
}

std::string targetOf(const cmd::Body& body)
{
    return std::visit(
        [](const auto& c) -> std::string {
            using C = std::decay_t<decltype(c)>;
            if constexpr (std::is_same_v<C, cmd::Decide>)
                return toText(c.approval);
            else if constexpr (std::is_same_v<C, cmd::Signal>)
                return c.name;
            else if constexpr (std::is_same_v<C, cmd::SetBudget>)
                return c.unit;
            else if constexpr (std::is_same_v<C, cmd::Assign>)
                return c.to;
            else if constexpr (requires { std::string(c.step); })
                return c.step;
            else if constexpr (requires { c.step.id; })
                return c.step.id;
            else
                return {};
        },
        body);
}

}  // namespace cairn
