// Acts that people left because their login may not commit: decided again here, and carried out in their
// name. One that was given out and not answered, for this engine died or the store could not say, is given
// out again; the command id makes sure that it counts once.

#include "core/base/log.h"
#include "core/engine/engine_impl.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"

namespace cairn {

namespace {

constexpr std::size_t kMostAtOnce = 32;

}  // namespace

void EngineCore::Impl::takeStaged()
{
    const auto acts = seams.store.takeStaged(kMostAtOnce);
    if (!acts)
        return trouble(acts.error());
    if (acts->empty())
        return;
    const auto now = seams.store.now();
    if (!now)
        return trouble(now.error());
    for (const StagedAct& act : *acts)
        if (carryingOut.insert(act.command).second)
            carryOut(act, *now);
}

// One that an engine carried out before it died, unanswered, was done all the same: its entry says so.
bool EngineCore::Impl::isOver(const StagedAct& act, const Submission& submission, TimeMs now)
{
    if (now < expiryOf(act))
        return false;
    const auto done = seams.store.findCommand(submission.run, submission.command.id);
    return done ? !*done : done.error().kind == ErrorKind::NotFound;
}

// Nobody confirmed it in time: on record once, in nobody's favour.
void EngineCore::Impl::expire(const StagedAct& act)
{
    carryingOut.erase(act.command);
    const auto rights = seams.store.rights();
    if (!rights)
        return trouble(rights.error());
    const auto seq = seams.store.appendAudit(expiryEntry(act, rights->login, service->now()));
    if (!seq && seq.error().kind != ErrorKind::Conflict)  // decided meanwhile, or put on record by another
        trouble(seq.error());
}

// Who decided it could not write the audit: that is done here, before anything follows from it; once, however
// many engines are given the act. False: not now.
bool EngineCore::Impl::recordDecision(const StagedAct& act)
{
    StagedAct decided = act;
    if (act.code != 0)
        decided.state = static_cast<StagedState>(act.code);
    const AuditRow entry = decisionEntry(decided, {}, act.confirmedAt);
    const auto known = act.run.isNull() ? seams.store.audit(0, 0) : seams.store.auditOfRun(act.run);
    if (!known) {
        trouble(known.error());
        return false;
    }
    std::uint64_t seq = 0;
    for (const AuditRow& row : *known)
        if (row.verb == Verb::ConfirmAct && row.command == act.command && row.kind == entry.kind)
            seq = row.seq;
    if (seq == 0) {
        const auto added = seams.store.appendAudit(entry);
        if (!added) {
            trouble(added.error());
            return false;
        }
        seq = *added;
    }
    if (decided.state == StagedState::Waiting)
        return true;
    decided.auditSeq = seq;
    decided.outcome = standingOf(decided);
    if (const Status done = seams.store.finishStaged(decided); !done)
        trouble(done.error());
    return false;
}

// A policy, a resource that is slowed, or an order on a plan. Whoever confirmed it does that at once; this is
// for one whose process died, or who may not. Where roles say who may set policies, engines may not.
void EngineCore::Impl::carryOutOnStore(const StagedAct& act, TimeMs now)
{
    if (act.verb != Verb::Plan) {
        const auto done = Agreements(*service).carriedOut(act);
        if (!done) {
            carryingOut.erase(act.command);
            return trouble(done.error());
        }
        if (*done)
            return finishStaged(act, **done);
    }
    if (now >= expiryOf(act))
        return finishStaged(act, expired(act));
    if (act.verb == Verb::Plan)
        return carryOutOrder(act);
    const auto rights = seams.store.rights();
    if (rights && (act.verb == Verb::SetPolicy ? rights->owns : rights->commits))
        return finishStaged(act, Agreements(*service).carryOut(seams.store, act));
    carryingOut.erase(act.command);
}

void EngineCore::Impl::carryOut(const StagedAct& act, TimeMs now)
{
    if (act.state == StagedState::Proposed)
        return expire(act);
    if (!act.confirmedBy.empty() && !recordDecision(act)) {
        carryingOut.erase(act.command);
        return;
    }
    if (act.run.isNull())
        return carryOutOnStore(act, now);
    auto submission = cairn::submissionOf(act);
    if (!submission) {
        log::warning("staged_act_refused", {{"run", act.run}, {"text", submission.error().text}});
        // On record before it is answered; where that cannot be, it is given out again.
        const auto seq = seams.store.appendAudit(refusedEntry(act, submission.error(), service->now()));
        if (!seq) {
            carryingOut.erase(act.command);
            return trouble(seq.error());
        }
        Outcome outcome;
        outcome.run = act.run;
        outcome.error = submission.error();
        outcome.auditSeq = *seq;
        return finishStaged(act, outcome);
    }
    if (isOver(act, *submission, now))
        return finishStaged(act, expired(act));
    // What it was pinned to is for whoever confirms it; alone it depends on nothing that has changed
    // meanwhile.
    if (auto* cancel = std::get_if<cmd::Cancel>(&submission->command.body); cancel && act.confirmedBy.empty())
        cancel->checkControl = false;
    service->submit(*std::move(submission), [this, act, by = session](const Outcome& outcome) {
        if (session == by)
            finishStaged(act, outcome);
    });
}

void EngineCore::Impl::finishStaged(const StagedAct& act, const Outcome& outcome)
{
    carryingOut.erase(act.command);
    if (!isAnswer(outcome))
        return notCommitted(outcome.error);
    if (outcome.kind == Outcome::Kind::Proposed)  // somebody else is needed: the store has it so already
        return;
    if (const Status done = seams.store.finishStaged(cairn::answered(act, outcome)); !done)
        trouble(done.error());
    claimAt = 0;  // the run may have something to do now
    hastenMessages(outcome);
}

}  // namespace cairn
