// Why a run does not move, who moves next, and what may be done about it.

#include "core/machine/decider.h"
#include "core/model/policy.h"

#include <algorithm>

namespace cairn {

namespace {

std::size_t at(Reason r) { return static_cast<std::size_t>(r); }

// Higher attention first, then the order of the vocabulary, then the oldest.
bool morePressing(const ReasonItem& a, const ReasonItem& b)
{
    if (movesNext(a) != movesNext(b))
        return movesNext(a) < movesNext(b);
    if (a.reason != b.reason)
        return a.reason < b.reason;
    return a.since < b.since;
}

// What ends the wait of a step, where time does.
TimeMs nextOf(const StepRecord& step) { return step.due; }

class Collector {
public:
    explicit Collector(const RunState& state, const Given* given = nullptr)
        : s(state)
        , g(given)
    {
    }

    std::vector<ReasonItem> collect()
    {
        if (s.closed)
            return {};
        if (s.paused())
            items.push_back({Reason::Paused, kNoStep, s.pausedAt, kNoTime, 1, false});
        if (s.blocked != Reason::None)
            items.push_back({s.blocked, kNoStep, s.blockedAt, kNoTime, 1, false});
        collectUnknown();
        collectFailed();
        collectLost();
        collectAsking();
        collectChildren();
        for (std::size_t r = 1; r < kReasonCount; ++r) {
            const auto reason = static_cast<Reason>(r);
            const auto& set = s.waiting[r];
            if (set.empty() || reason == Reason::Dependency)
                continue;
            const bool said = std::any_of(items.begin(), items.end(),
                [](const ReasonItem& item) { return item.reason == Reason::Child; });
            if (reason == Reason::Child && said)
                continue;  // told above, by the child that needs somebody
            const bool doubted = reason == Reason::EffectInFlight && !s.heldInDoubt.empty();
            const StepIx ix = doubted ? *s.heldInDoubt.begin() : set.begin()->second;
            items.push_back(
                {reason, ix, s.steps[ix].since, nextOf(s.steps[ix]), static_cast<std::uint32_t>(set.size()),
                    false, doubted ? Attention::UnknownEffect : Attention::None});
        }
        // A driven run with no open step waits for its caller.
        if (items.empty() && s.driven && s.running.empty() && !s.restCancelled)
            items.push_back({Reason::Signal, kNoStep, s.changedAt, kNoTime, 1, false});
        std::sort(items.begin(), items.end(), morePressing);
        return std::move(items);
    }

private:
    void collectUnknown()
    {
        ReasonItem parked{Reason::OutcomeUnknown, kNoStep, kNoTime, kNoTime, 0, false};
        ReasonItem asked{Reason::OutcomeUnknown, kNoStep, kNoTime, kNoTime, 0, true};
        for (const StepIx ix : s.unknown) {
            const StepRecord& step = s.steps[ix];
            const bool looking = step.attempt || step.due != kNoTime;
            ReasonItem& item = looking ? asked : parked;
            if (item.count++ == 0 || step.since < item.since) {
                item.step = ix;
                item.since = step.since;
                item.due = looking ? step.due : kNoTime;
            }
        }
        for (const auto& item : {parked, asked})
            if (item.count > 0)
                items.push_back(item);
    }
    void collectFailed()
    {
        for (const StepIx ix : s.failed) {
            const StepRecord& step = s.steps[ix];
            if (s.restCancelled && step.undoOf == kNoStep)
                continue;
            // A child that failed and goes on since: who moves next there moves next here.
            const auto child =
                step.reason == Reason::FailedChild ? s.childByRun.find(step.waitRun) : s.childByRun.end();
            const bool goesOn = child != s.childByRun.end() && s.children[child->second].reopened;
            const Attention who = goesOn ? s.children[child->second].needs : Attention::None;
            const auto same = std::find_if(items.begin(), items.end(), [&](const ReasonItem& item) {
                return item.reason == step.reason && item.step != kNoStep && item.attention == who;
            });
            if (same != items.end())
                ++same->count;
            else
                items.push_back({step.reason, ix, step.since, kNoTime, 1, false, who});
        }
    }

    // Children in which somebody must act, the one that needs it most in front. A child that asks for budget
    // which is set further up waits for a person too.
    void collectChildren()
    {
        const auto open =
            static_cast<std::uint32_t>(std::max<std::size_t>(s.waiting[at(Reason::Child)].size(), 1));
        if (!s.needing.empty()) {
            const auto& [who, children] = *s.needing.begin();
            const auto& [since, place] = *children.begin();
            items.push_back({Reason::Child, s.children[place].step, since, kNoTime, open, false, who});
        } else if (!s.asking.empty() && !s.budgetAt.isNull()) {
            const ChildRecord& child = s.children[*s.asking.begin()];
            items.push_back(
                {Reason::Child, child.step, child.askedAt, kNoTime, open, false, Attention::Person});
        }
    }

    // Attempts whose engine is no longer heard. An outside worker's end by their own heartbeat.
    void collectLost()
    {
        if (!g || !g->sessionLost)
            return;
        ReasonItem item{Reason::Lease, kNoStep, kNoTime, kNoTime, 0, false};
        for (const StepIx ix : s.running) {
            const AttemptState& attempt = *s.steps[ix].attempt;
            const auto lost = attempt.session.isNull() ? std::nullopt : g->sessionLost(attempt.session);
            if (!lost || item.count++ > 0)
                continue;
            item.step = ix;
            item.since = lost->lastHeard == kNoTime ? attempt.startedAt : lost->lastHeard;
            item.due = lost->takenOverAt;
        }
        if (item.count > 0)
            items.push_back(item);
    }

    // Children that want more than this run's budget has, where the budget is set here. Where it is set
    // further up, the run waits for its child, and the child says where.
    void collectAsking()
    {
        if (s.asking.empty() || !s.budgetAt.isNull())
            return;
        ReasonItem item{Reason::Budget, kNoStep, kNoTime, kNoTime, 0, false};
        for (const std::uint32_t place : s.asking) {
            const ChildRecord& child = s.children[place];
            if (item.count++ > 0 && child.askedAt >= item.since)
                continue;
            item.step = child.step;
            item.since = child.askedAt;
        }
        items.push_back(item);
    }

    const RunState& s;
    const Given* g;  // null: nothing is known but the state
    std::vector<ReasonItem> items;
};

Activity activityOf(const RunState& s, const std::vector<ReasonItem>& reasons)
{
    if (s.closed)
        return s.closedAs;
    if (s.paused())
        return Activity::Paused;
    if (s.compensating)
        return Activity::Compensating;
    if (s.restCancelled)
        return Activity::Cancelling;
    if (!s.running.empty())
        return Activity::Executing;
    if (s.blocked != Reason::None)
        return Activity::Blocked;
    if (!s.waiting[at(Reason::Retry)].empty())
        return Activity::Retrying;
    const bool asks =
        std::any_of(reasons.begin(), reasons.end(), [](const ReasonItem& r) { return r.lookingUp; });
    const bool starts = !s.driven && (!s.ready.empty() || !s.fresh.empty());
    if (starts || asks || !s.waiting[at(Reason::Resource)].empty()
        || !s.waiting[at(Reason::Capacity)].empty())
        return Activity::Queued;
    for (const Reason r :
        {Reason::Approval, Reason::Timer, Reason::Signal, Reason::Child, Reason::EffectInFlight})
        if (!s.waiting[at(r)].empty())
            return Activity::Waiting;
    if (s.driven && reasons.size() == 1 && reasons.front().reason == Reason::Signal)
        return Activity::Waiting;
    return reasons.empty() ? Activity::Queued : Activity::Blocked;
}

Attention attentionOf(const RunState& s, const std::vector<ReasonItem>& reasons)
{
    if (s.closed)
        return Attention::None;
    Attention highest = Attention::Machine;
    for (const auto& item : reasons)
        highest = std::min(highest, movesNext(item));
    return highest;
}

Summary summaryOf(const RunState& s, const std::vector<ReasonItem>& reasons, TimeMs now)
{
    Summary summary;
    summary.activity = activityOf(s, reasons);
    summary.attention = attentionOf(s, reasons);
    if (!reasons.empty())
        summary.primary = reasons.front();
    const bool mayStart = !s.driven && !s.paused() && s.blocked == Reason::None;
    summary.nextDue = nextDueOf(s, now, mayStart && (!s.ready.empty() || !s.fresh.empty()));
    summary.running = static_cast<std::uint32_t>(s.running.size());
    return summary;
}

}  // namespace

Attention movesNext(const ReasonItem& item)
{
    if (item.lookingUp)
        return Attention::Machine;
    return item.attention != Attention::None ? item.attention : word(item.reason).attention;
}

Attention attentionForParent(const RunState& s)
{
    Attention highest = Attention::Machine;
    for (const ReasonItem& item : Collector(s).collect()) {
        const bool inherited = s.deadline() != s.own.deadline || s.inherited.deadline == s.own.deadline;
        const bool fromParent = (item.reason == Reason::Paused && !s.own.paused)
            || (item.reason == Reason::Deadline && inherited);
        const bool saidOtherwise = !s.budgetAt.isNull()
            && (item.reason == Reason::Budget || (item.reason == Reason::Child && s.needing.empty()));
        if (!fromParent && !saidOtherwise)
            highest = std::min(highest, movesNext(item));
    }
    return highest;
}

TimeMs nextDueOf(const RunState& s, TimeMs now, bool startable)
{
    if (s.closed)
        return kNoTime;
    // Look-ups need the definition, so a run that is blocked for want of it does not become due by them: an
    // engine that does not serve it would keep it from those that do.
    const bool lookUpsRest = s.blocked == Reason::Worker || s.blocked == Reason::Incompatible;
    TimeMs next = kNoTime;
    for (const auto& [due, ix] : s.due) {
        if (lookUpsRest && s.steps[ix].state == StepState::Unknown && !s.steps[ix].attempt)
            continue;
        next = due;
        break;
    }
    const auto sooner = [&next](TimeMs t) {
        if (t != kNoTime && (next == kNoTime || t < next))
            next = t;
    };
    if (s.blocked == Reason::None && !s.restCancelled)
        sooner(s.deadline());
    const auto& queued = s.waiting[at(Reason::Capacity)];
    if (!queued.empty() && s.blocked == Reason::None && !s.paused())
        sooner(s.steps[queued.begin()->second].due);
    if (startable)
        sooner(now);
    return next;
}

Summary summarise(const RunState& state, TimeMs now)
{
    return summaryOf(state, Collector(state).collect(), now);
}

namespace {

struct Probe {
    Verb verb;
    StepIx step;
    ApprovalId approval;
    cmd::Body body;
};

// Tried again as it is, it would come to the same: its key belongs to another input, or its templates do not
// fit what they read.
bool failsAgain(const StepRecord& step)
{
    return step.state == StepState::Failed
        && (step.reason == Reason::EffectKeyConflict || step.reason == Reason::Incompatible);
}

// What repairs a step that stands still, safest first.
void addRepairs(const RunState& s, StepIx ix, std::vector<Probe>& probes)
{
    const StepRecord& step = s.steps[ix];
    const bool last = failsAgain(step);
    if (!last)
        probes.push_back({Verb::Retry, ix, {}, cmd::RetryStep{step.id, 0, false}});
    probes.push_back({Verb::Amend, ix, {}, cmd::AmendInput{step.id, step.input, 0, false}});
    probes.push_back({Verb::Skip, ix, {}, cmd::SkipStep{step.id, {}, 0, false}});
    probes.push_back({Verb::Record, ix, {}, cmd::RecordResult{step.id, {}, 0, false}});
    if (last)
        probes.push_back({Verb::Retry, ix, {}, cmd::RetryStep{step.id, 0, false}});
}

// The verbs that could concern this run as it is, safest first. Whether each is allowed is for check() to
// say. Of steps and approvals that stand still for the same reason, `most` are looked at: the verbs are the
// same for every further one.
std::vector<Probe> probesFor(const RunState& s, TimeMs now, std::size_t most)
{
    std::vector<Probe> probes;
    const auto add = [&](Verb verb, StepIx step, cmd::Body body, ApprovalId approval = {}) {
        probes.push_back({verb, step, approval, std::move(body)});
    };
    std::size_t asked = 0;
    for (const auto& record : s.approvals) {
        if (record.state != ApprovalState::Pending)
            continue;
        if (++asked > most)
            break;
        add(Verb::Approve, record.step, cmd::Decide{record.id, true, record.binding}, record.id);
        add(Verb::Reject, record.step, cmd::Decide{record.id, false, record.binding}, record.id);
    }
    if (!s.closed) {
        if (s.own.paused || s.parked)
            add(Verb::Resume, kNoStep, cmd::SetPaused{false, 0, false});
        if (!s.own.paused)
            add(Verb::Pause, kNoStep, cmd::SetPaused{true, 0, false});
    }
    std::vector<StepIx> steps;
    std::array<std::size_t, kReasonCount> ofReason{};
    for (const StepIx ix : s.failed)
        if (ofReason[at(s.steps[ix].reason)]++ < most)
            steps.push_back(ix);
    for (const Reason r : {Reason::Retry, Reason::Resource})
        for (const auto& [since, ix] : s.waiting[at(r)]) {
            if (ofReason[at(r)]++ >= most)
                break;
            steps.push_back(ix);
        }
    for (const StepIx ix : steps)
        addRepairs(s, ix, probes);
    std::size_t doubted = 0;
    for (const StepIx ix : s.unknown) {
        if (++doubted > most)
            break;
        add(Verb::Settle, ix, cmd::Settle{s.steps[ix].id, cmd::SettleAs::Happened, {}, {}, 0, false});
        add(Verb::Retry, ix, cmd::RetryStep{s.steps[ix].id, 0, false});
    }
    const bool lacks = !s.asking.empty() && s.budgetAt.isNull();
    if (lacks || !s.waiting[at(Reason::Budget)].empty() || s.blocked == Reason::Budget) {
        const auto line = s.budget.empty() ? BudgetLine{"tokens", 1, 0, 0} : s.budget.front();
        add(Verb::Budget, kNoStep,
            cmd::SetBudget{line.unit, std::max<std::int64_t>(line.limit * 2, line.used), 0, false});
    }
    if (s.blocked == Reason::Deadline)
        add(Verb::Deadline, kNoStep, cmd::SetDeadline{now + 3'600'000, 0, false});
    if (!s.parked && (s.blocked == Reason::Incompatible || s.blocked == Reason::Worker))
        add(Verb::Migrate, kNoStep, cmd::Migrate{0});
    add(Verb::Compensate, kNoStep, cmd::Compensate{});
    add(Verb::Cancel, kNoStep, cmd::Cancel{true});
    return probes;
}

constexpr std::size_t kShown = 256;
// remedies() copies the state for each verb that it tries, so of a large run it tries fewer.
std::size_t triedOf(const RunState& s)
{
    constexpr std::size_t kMost = 16;
    constexpr std::size_t kStepsCopied = 32'768;
    return std::clamp<std::size_t>(kStepsCopied / std::max<std::size_t>(s.steps.size(), 1), 1, kMost);
}

Command probeCommand(cmd::Body body)
{
    Command command;
    command.actor = {ActorKind::Person, "probe"};
    command.reasonLength = kLongestReason;  // whether a reason is given is asked when the act is staged
    command.body = std::move(body);
    return command;
}

// Whether it would be done, and why not; what would change nothing is not offered either.
Action tried(const RunState& state, Probe probe, const Given& given)
{
    const auto answer = examine(state, probeCommand(std::move(probe.body)), given);
    const auto* rejection = std::get_if<Rejection>(&answer);
    const auto* nothing = std::get_if<NoChange>(&answer);
    Action action{probe.verb, probe.step, probe.approval, !rejection && !nothing, {}};
    action.why = rejection ? rejection->text : nothing ? nothing->text : std::string(word(probe.verb).help);
    if (probe.verb == Verb::Settle)
        action.outcomes = settleOffers(state, probe.step, given);
    return action;
}

}  // namespace

Explanation explain(const RunState& state, const Given& given)
{
    Explanation result;
    result.reasons = Collector(state, &given).collect();
    result.summary = summaryOf(state, result.reasons, given.now);
    for (auto& probe : probesFor(state, given.now, kShown))
        result.actions.push_back(tried(state, std::move(probe), given));
    return result;
}

std::vector<Action> stepActions(const RunState& state, StepIx step, const Given& given)
{
    std::vector<Action> actions;
    if (step >= state.steps.size())
        return actions;
    std::vector<Probe> probes;
    for (const auto& record : state.approvals)
        if (record.state == ApprovalState::Pending && record.step == step)
            for (const bool yes : {true, false})
                probes.push_back({yes ? Verb::Approve : Verb::Reject, step, record.id,
                    cmd::Decide{record.id, yes, record.binding}});
    if (state.steps[step].state == StepState::Unknown)
        probes.push_back({Verb::Settle, step, {},
            cmd::Settle{state.steps[step].id, cmd::SettleAs::Happened, {}, {}, 0, false}});
    addRepairs(state, step, probes);
    for (Probe& probe : probes)
        actions.push_back(tried(state, std::move(probe), given));
    return actions;
}

std::vector<Action> remedies(const RunState& state, const Given& given)
{
    std::vector<Action> result;
    const Summary before = summarise(state, given.now);
    for (auto& probe : probesFor(state, given.now, triedOf(state))) {
        // A run that is over is opened again by a retry, and by nothing else.
        if (probe.verb == Verb::Retry && !state.closed && failsAgain(state.steps[probe.step]))
            continue;
        const Command command = probeCommand(std::move(probe.body));
        if (check(state, command, given))
            continue;
        RunState after = state;
        Given own = given;
        const Decision decision = Decider(after, command, own).run();
        // What lacks a rendered input or a ledger row only moves further than it could be followed here.
        bool moves = std::holds_alternative<Needs>(decision);
        if (std::holds_alternative<Entry>(decision)) {
            const Summary summary = summarise(after, given.now);
            moves = (state.closed && !after.closed) || summary.attention > before.attention
                || (summary.attention == before.attention && summary.primary.count < before.primary.count);
        }
        if (!moves)
            continue;
        result.push_back({probe.verb, probe.step, probe.approval, true, std::string(word(probe.verb).help)});
        if (probe.verb == Verb::Settle)
            result.back().outcomes = settleOffers(state, probe.step, given);
    }
    return result;
}

}  // namespace cairn
