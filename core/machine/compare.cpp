// Field by field comparison of two states: what `verify` and the writer's own check report.

#include "core/machine/machine.h"

namespace cairn {

namespace {

class Differ {
public:
    template<class T> void operator()(const std::string& name, const T& a, const T& b)
    {
        if (!(a == b))
            out.push_back(name);
    }
    std::vector<std::string> out;
};

bool same(const AttemptState& a, const AttemptState& b)
{
    return a.id == b.id && a.purpose == b.purpose && a.number == b.number && a.session == b.session
        && a.worker == b.worker && a.startedAt == b.startedAt && a.timeoutAt == b.timeoutAt
        && a.heartbeatDue == b.heartbeatDue && a.approval == b.approval && a.reserved == b.reserved
        && a.trace == b.trace && a.span == b.span;
}

void compareStep(Differ& d, const StepRecord& a, const StepRecord& b)
{
    const std::string p = "step " + a.id + ": ";
    d(p + "id", a.id, b.id);
    d(p + "name", a.name, b.name);
    d(p + "tool", a.tool, b.tool);
    d(p + "agent", a.agent, b.agent);
    d(p + "kind", a.kind, b.kind);
    d(p + "safety", a.safety, b.safety);
    d(p + "state", a.state, b.state);
    d(p + "flags",
        std::array{a.runsAfterSkip, a.fromLedger, a.byPerson, a.effectDone, a.skippedDependency, a.lookedUp,
            a.holdsKey, a.doubt, a.looked},
        std::array{b.runsAfterSkip, b.fromLedger, b.byPerson, b.effectDone, b.skippedDependency, b.lookedUp,
            b.holdsKey, b.doubt, b.looked});
    d(p + "reason", a.reason, b.reason);
    d(p + "times", std::array{a.since, a.due, a.readyAt, a.firstStartedAt, a.keySince, a.endedAt},
        std::array{b.since, b.due, b.readyAt, b.firstStartedAt, b.keySince, b.endedAt});
    d(p + "time worked", a.worked, b.worked);
    d(p + "revision", a.revision, b.revision);
    d(p + "counts",
        std::array{
            a.unmet, a.attempts, a.failures, a.lost, a.lookUps, a.tries, a.membersOpen, a.membersFailed},
        std::array{
            b.unmet, b.attempts, b.failures, b.lost, b.lookUps, b.tries, b.membersOpen, b.membersFailed});
    d(p + "owner", std::array{a.owner, a.index, a.undoOf}, std::array{b.owner, b.index, b.undoOf});
    d(p + "waiting for run", a.waitRun, b.waitRun);
    d(p + "payloads", std::array{a.input, a.output, a.partial, a.error, a.firstError, a.detail},
        std::array{b.input, b.output, b.partial, b.error, b.firstError, b.detail});
    d(p + "signature", a.signature, b.signature);
    d(p + "effect", a.effect, b.effect);
    d(p + "amount", a.amount, b.amount);
    d(p + "approval", a.approval, b.approval);
    d(p + "graph", std::array{a.after, a.dependents, a.members},
        std::array{b.after, b.dependents, b.members});
    d(p + "held", a.held, b.held);
    d(p + "attempt ids", std::array{a.lastAttempt, a.completedBy}, std::array{b.lastAttempt, b.completedBy});
    const bool attempts =
        a.attempt.has_value() == b.attempt.has_value() && (!a.attempt || same(*a.attempt, *b.attempt));
    d(p + "attempt", attempts, true);
}

void compareRecords(Differ& d, const RunState& a, const RunState& b)
{
    d("number of approvals", a.approvals.size(), b.approvals.size());
    for (std::size_t i = 0; i < std::min(a.approvals.size(), b.approvals.size()); ++i) {
        const ApprovalRecord& x = a.approvals[i];
        const ApprovalRecord& y = b.approvals[i];
        const bool equal = x.id == y.id && x.step == y.step && x.state == y.state && x.binding == y.binding
            && x.role == y.role && x.needed == y.needed && x.askedAt == y.askedAt && x.expires == y.expires
            && x.decidedAt == y.decidedAt && x.askedBy == y.askedBy && x.consents == y.consents
            && x.decidedBy == y.decidedBy && x.note == y.note;
        d("approval " + toText(x.id), equal, true);
    }
    d("number of signals", a.signals.size(), b.signals.size());
    for (std::size_t i = 0; i < std::min(a.signals.size(), b.signals.size()); ++i) {
        const SignalRecord& x = a.signals[i];
        const SignalRecord& y = b.signals[i];
        d("signal " + x.name,
            x.name == y.name && x.messageHash == y.messageHash && x.data == y.data && x.at == y.at
                && x.consumedBy == y.consumedBy,
            true);
    }
    d("number of children", a.children.size(), b.children.size());
    for (std::size_t i = 0; i < std::min(a.children.size(), b.children.size()); ++i) {
        const ChildRecord& x = a.children[i];
        const ChildRecord& y = b.children[i];
        d("child " + toText(x.run),
            x.run == y.run && x.step == y.step && x.answered == y.answered && x.as == y.as
                && x.allotment == y.allotment && x.asked == y.asked && x.askedRevision == y.askedRevision
                && x.askedAt == y.askedAt && x.output == y.output && x.used == y.used
                && x.cancelConfirmed == y.cancelConfirmed && x.cancelTotal == y.cancelTotal
                && x.needs == y.needs && x.needsRevision == y.needsRevision && x.needsSince == y.needsSince
                && x.reopened == y.reopened,
            true);
    }
}

void compareAnnotations(Differ& d, const RunState& a, const RunState& b)
{
    d("hold", a.hold, b.hold);
    d("assignment", a.assigned, b.assigned);
    d("notes", a.notes, b.notes);
}

void compareSets(Differ& d, const RunState& a, const RunState& b)
{
    d("counts of steps", a.stepsIn, b.stepsIn);
    d("steps that wait for a doubt", a.heldInDoubt, b.heldInDoubt);
    d("children that ask", a.asking, b.asking);
    d("children that need somebody", a.needing, b.needing);
    d("fresh steps", a.fresh, b.fresh);
    d("ready steps", a.ready, b.ready);
    d("running steps", a.running, b.running);
    d("unknown steps", a.unknown, b.unknown);
    d("failed steps", a.failed, b.failed);
    d("waiting steps", a.waiting, b.waiting);
    d("due times", a.due, b.due);
    d("open children", a.openChildren, b.openChildren);
    d("attempt index", a.attempts, b.attempts);
    d("step index", a.stepById, b.stepById);
    d("child index", a.childByRun, b.childByRun);
}

}  // namespace

std::vector<std::string> differences(const RunState& a, const RunState& b)
{
    Differ d;
    d("run", a.id, b.id);
    d("root", a.root, b.root);
    d("origin", a.origin, b.origin);
    d("forked from", a.forkedFrom, b.forkedFrom);
    d("forked at", a.forkedAt, b.forkedAt);
    d("parent", a.parent, b.parent);
    d("workflow", a.workflow, b.workflow);
    d("input", a.input, b.input);
    d("output", a.output, b.output);
    d("key hash", a.keyHash, b.keyHash);
    d("driven", a.driven, b.driven);
    d("redacted payloads", a.redacted, b.redacted);
    d("failure accepted", a.failureAccepted, b.failureAccepted);
    d("times", std::array{a.startedAt, a.endedAt, a.changedAt},
        std::array{b.startedAt, b.endedAt, b.changedAt});
    d("version", a.version, b.version);
    d("control", std::array{a.own, a.inherited}, std::array{b.own, b.inherited});
    d("control version", a.controlVersion, b.controlVersion);
    d("paused by", a.pausedBy, b.pausedBy);
    d("paused at", a.pausedAt, b.pausedAt);
    d("pause reason", a.pauseReason, b.pauseReason);
    d("blocked", a.blocked, b.blocked);
    d("blocked at", a.blockedAt, b.blockedAt);
    d("blocked detail", a.blockedDetail, b.blockedDetail);
    d("parked", a.parked, b.parked);
    d("phase", std::array{a.restCancelled, a.compensating, a.closed, a.closedByRecovery},
        std::array{b.restCancelled, b.compensating, b.closed, b.closedByRecovery});
    d("closed as", a.closedAs, b.closedAs);
    d("budget", a.budget, b.budget);
    d("budget set at", a.budgetAt, b.budgetAt);
    d("budget asked for", a.asked, b.asked);
    d("parent told", a.told, b.told);
    d("number of steps", a.steps.size(), b.steps.size());
    for (std::size_t i = 0; i < std::min(a.steps.size(), b.steps.size()); ++i)
        compareStep(d, a.steps[i], b.steps[i]);
    compareRecords(d, a, b);
    compareAnnotations(d, a, b);
    compareSets(d, a, b);
    return std::move(d.out);
}

}  // namespace cairn
