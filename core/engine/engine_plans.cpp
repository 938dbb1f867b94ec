// Plans of people: carried out by whichever engine comes first, one executor a plan.

#include "core/engine/engine_impl.h"
#include "core/plan/left.h"
#include "core/service/staged.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kPlans = 1'000;

}  // namespace

void EngineCore::Impl::openPlans(const StoreRights& may)
{
    PlanRunnerConfig wanted;
    wanted.holder = session;
    wanted.lease = config.lease;
    wanted.who = {loginOf(may, config.uid), config.name, config.uid, identity.host, {}};
    plans = std::make_unique<PlanRunner>(seams.store, *service, seams.clock, std::move(wanted));
    plansAt = seams.clock.monotonicMs() + kPlans;
}

void EngineCore::Impl::runPlans()
{
    const auto next = plans->tick();
    if (!next)
        return trouble(next.error());
    plansAt = seams.clock.monotonicMs() + std::min(next->value_or(kPlans), kPlans);
}

// A draft of a thousand runs takes longer to look at than a lease lasts.
Status EngineCore::Impl::stillAlive()
{
    if (dueInStore(heartbeatAt, config.heartbeat))
        heartbeat();
    if (!lost && seams.clock.monotonicMs() >= leaseEnds)
        lost = "the lease passed without a renewal";
    if (lost)
        return makeError(ErrorKind::LeaseLost, *lost);
    return {};
}

// Of somebody whose login may not write plans. Done, it has its answer already. Where the session was lost
// meanwhile, whoever is given the act next begins anew.
void EngineCore::Impl::carryOutOrder(const StagedAct& act)
{
    const Outcome outcome = cairn::carryOutOrder(seams.store, *service, act, [this] { return stillAlive(); });
    if (outcome.kind != Outcome::Kind::Committed)
        return finishStaged(act, outcome);
    carryingOut.erase(act.command);
    plansAt = seams.clock.monotonicMs();
}

// Another engine goes on at once; what is under way here counts all the same, once.
void EngineCore::Impl::leavePlans()
{
    if (!plans)
        return;
    if (const Status left = plans->release(); !left)
        trouble(left.error());
    plans.reset();
}

}  // namespace cairn
