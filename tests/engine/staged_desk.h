#pragma once
// A person without the engine's right, and an engine, on one PostgreSQL store with roles: what the one
// leaves, the other carries out.

#include "core/plan/preview.h"
#include "core/service/staged.h"
#include "tests/engine/engine_harness.h"
#include "tests/store/role_logins.h"

namespace cairn::testing {

// A person at a desk, or an application: a connection of that login, and a service that decides for it.
struct Desk {
    Desk(const RoleLogins& roles, const std::string& login)
        : store(roles.openAs(login))
        , queue(makeInlineQueue(*store))
    {
        config.uid = 4711;
        config.host = "desk";
        config.login = login;
        service = std::make_unique<Service>(*store, *queue, clock, rng, config);
    }
    [[nodiscard]] RunState load(const RunId& run) const { return loadFrom(*service, run); }
    Submission submission(const RunId& run, cmd::Body body, const std::string& name)
    {
        Submission s;
        s.run = run;
        s.command.id = makeId<CommandId>(clock.wallMs(), rng);
        s.command.actor = {ActorKind::Person, name};
        s.claimedName = name;
        s.command.body = std::move(body);
        s.reason = "because of this test";
        return s;
    }
    Result<CommandId> leave(Submission s)
    {
        const RunState seen = load(s.run);
        CAIRN_TRY_ASSIGN(const StagedAct act, stagedOf(std::move(s), seen, config));
        CAIRN_TRY(store->stage(act));
        return act.command;
    }
    Result<CommandId> leave(const RunId& run, cmd::Body body, const std::string& name = "somebody")
    {
        return leave(submission(run, std::move(body), name));
    }
    Result<CommandId> approve(const RunId& run, const std::string& step, const std::string& name = "somebody")
    {
        return leave(run, cmd::Decide{load(run).find(step)->approval, true, {}}, name);
    }

    SystemClock clock;
    SystemRng rng;
    ServiceConfig config;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
};

inline PlanAuthor whoIs(const Desk& desk)
{
    return {desk.config.login, "Ann", desk.config.uid, desk.config.host, "because of this test"};
}

// A plan that pauses these runs, and does not look after them.
inline PlanDraft pausing(Desk& desk, const std::vector<RunId>& runs)
{
    Submission act;
    act.run = deriveId<RunId>("test", "template");
    act.command.id = deriveId<CommandId>("test", "template");
    act.command.body = cmd::SetPaused{true, 0, false};
    PlanSpec spec;
    spec.pace.verify = 0;
    const auto made = specOf(std::move(act), std::move(spec));
    auto draft = made
        ? draftPlan(*desk.store, *desk.service, *made, runs, whoIs(desk),
            makeId<PlanId>(desk.clock.wallMs(), desk.rng), makeId<CommandId>(desk.clock.wallMs(), desk.rng))
        : Result<PlanDraft>(made.error());
    if (!draft)
        qFatal("%s", draft.error().text.c_str());
    return *std::move(draft);
}

// The time of the host, or as if some of it had passed.
class AheadClock : public Clock {
public:
    [[nodiscard]] TimeMs wallMs() const override { return SystemClock{}.wallMs() + ahead; }
    [[nodiscard]] SpanMs monotonicMs() const override { return SystemClock{}.monotonicMs() + ahead; }
    SpanMs ahead = 0;
};

// The engine's time, which its calls to the store may take. Destroyed after the engine.
struct SlowTime {
    // Each look for a removed run takes `takes`.
    StoreHooks hooks()
    {
        const auto nothing = [](const char*, Access) { return std::optional<Error>(); };
        return {[this](const char* what, Access) {
                    clock.ahead += std::string_view(what) == "tombstone" ? takes : 0;
                    return std::optional<Error>();
                },
            nothing};
    }
    AheadClock clock;
    SpanMs takes = 0;
    SystemRng rng;
};

struct Engine : SlowTime, EngineOn {
    explicit Engine(const RoleLogins& roles)
    {
        store = std::make_unique<HookedStore>(roles.openAs("t_engine"), hooks());
        writer = roles.openAs("t_engine");
        EngineConfig config = Cluster::config();
        config.lease = 20'000;
        open(clock, rng, config);
    }
};

}  // namespace cairn::testing
