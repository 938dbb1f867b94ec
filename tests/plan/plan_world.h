#pragma once
// Runs that stand still in a store of either driver, a person who makes plans, and an executor that can be
// killed at any write.

#include "core/plan/runner.h"
#include "core/store/hooked_store.h"
#include "tests/service/harness.h"

#include <algorithm>

namespace cairn::testing {

struct Killed { };

struct PlanWorld : World {
    PlanWorld()
    {
        add(workflowText("flow", R"({"name":"ask","tool":"plan","input":{"q":1}})", {},
            R"("plan":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},)"
            R"("retry":{"attempts":1}},)"));
        engineService = engine();
        person = std::make_unique<Other>(*this);
    }

    // `ask` failed for good and waits for a person.
    RunId stuck()
    {
        const Outcome started = engineService->submitAndWait(start(*engineService, "flow", "{}"));
        if (!started.ok())
            qFatal("%s", told(started).c_str());
        fail(started.run);
        return started.run;
    }
    std::vector<RunId> stuck(std::size_t count)
    {
        std::vector<RunId> runs;
        while (runs.size() < count)
            runs.push_back(stuck());
        return runs;
    }
    void fail(const RunId& run) const
    {
        Submission s = command(run, cmd::Advance{});
        s.payloads.push_back(engineService->newPayload("no such thing", "text/plain"));
        cmd::Fail failed;
        failed.attempt = attemptOf(*engineService->state(run), "ask");
        failed.failure = FailureClass::Permanent;
        failed.error = s.payloads.back().ref;
        s.command.body = failed;
        if (const Outcome outcome = engineService->submitAndWait(std::move(s)); !outcome.ok())
            qFatal("%s", told(outcome).c_str());
    }
    // The engine takes the run, where it had let go of it, and begins the step anew.
    void goesOn(const RunId& run) const
    {
        const auto claimed = writer->claim(session, clock.wallMs() + 60'000, 1'000);
        if (!claimed)
            qFatal("%s", claimed.error().text.c_str());
        for (const ClaimedRun& each : *claimed)
            engineService->own(each);
        engineService->reload(run);
        const Outcome outcome = engineService->submitAndWait(command(run, cmd::Advance{}));
        if (!outcome.ok())
            qFatal("%s", told(outcome).c_str());
    }
    void completes(const RunId& run) const
    {
        const Outcome outcome = engineService->submitAndWait(
            complete(*engineService, run, attemptOf(*engineService->state(run), "ask"), R"({"a":1})"));
        if (!outcome.ok())
            qFatal("%s", told(outcome).c_str());
    }

    static PlanAuthor author(const std::string& login = "kim")
    {
        return {login, login, 1000, "host", "the model answers again"};
    }
    [[nodiscard]] PlanSpec retry(PlanPace pace) const
    {
        Submission act;
        act.run = deriveId<RunId>("test", "template");
        act.command.id = deriveId<CommandId>("test", "template");
        act.command.body = cmd::RetryStep{};
        PlanSpec spec;
        spec.pace = pace;
        auto made = specOf(std::move(act), std::move(spec));
        if (!made)
            qFatal("%s", made.error().text.c_str());
        return *std::move(made);
    }
    static PlanPace unhurried()
    {
        PlanPace pace;
        pace.verify = 0;
        return pace;
    }
    PlanDraft draft(const PlanSpec& spec, const std::vector<RunId>& runs, const std::string& name = "plan")
    {
        auto made = draftPlan(*connection, person->service, spec, runs, author(),
            deriveId<PlanId>("test", name), deriveId<CommandId>("test", name));
        if (!made)
            qFatal("%s", made.error().text.c_str());
        return *std::move(made);
    }
    PlanId staged(const PlanSpec& spec, const std::vector<RunId>& runs, const std::string& name = "plan")
    {
        const PlanDraft made = draft(spec, runs, name);
        if (const auto done = stagePlan(*writer, made); !done)
            qFatal("%s", done.error().text.c_str());
        return made.row.id;
    }
    Result<PlanRow> order(const PlanId& plan, PlanAct act, const std::string& login = "kim")
    {
        return orderPlan(
            *writer, person->service, {plan, act, {}, makeId<CommandId>(clock.wallMs(), rng)}, author(login));
    }
    PlanId running(const PlanSpec& spec, const std::vector<RunId>& runs, const std::string& name = "plan")
    {
        const PlanId plan = staged(spec, runs, name);
        if (const auto started = order(plan, PlanAct::Start); !started)
            qFatal("%s", started.error().text.c_str());
        return plan;
    }

    [[nodiscard]] PlanRow row(const PlanId& plan) const { return **connection->plan(plan); }
    [[nodiscard]] std::uint64_t count(const PlanId& plan, PlanItemState state) const
    {
        std::uint64_t all = 0;
        const auto counts = connection->planCounts(plan);
        for (const PlanCount& each : *counts)
            all += each.state == state ? each.count : 0;
        return all;
    }
    [[nodiscard]] std::uint64_t count(const PlanId& plan, PlanFate fate) const
    {
        std::uint64_t all = 0;
        const auto counts = connection->planCounts(plan);
        for (const PlanCount& each : *counts)
            all += each.fate == fate ? each.count : 0;
        return all;
    }
    // How often a person's retry of this run was committed.
    [[nodiscard]] std::size_t retries(const RunId& run) const
    {
        const auto rows = connection->auditOfRun(run);
        return static_cast<std::size_t>(std::count_if(rows->begin(), rows->end(),
            [](const AuditRow& row) { return row.kind == "applied" && row.verb == Verb::Retry; }));
    }
    // Kinds of the audit's entries about plans, in order.
    [[nodiscard]] std::string planAudits() const
    {
        std::string kinds;
        const auto rows = connection->audit(0, 10'000);
        for (const AuditRow& row : *rows)
            if (row.verb == Verb::Plan)
                kinds += (kinds.empty() ? "" : " ") + row.kind;
        return kinds;
    }

    std::unique_ptr<Service> engineService;
    std::unique_ptr<Other> person;
};

// A process that carries plans out. `killAt`: at that write of the store, before or after it (0: never).
struct Executor {
    explicit Executor(
        PlanWorld& world, const std::string& name = "executor", std::size_t killAt = 0, bool after = false)
        : w(world)
    {
        const auto count = [this, killAt, after](bool isAfter) {
            return [this, killAt, after, isAfter](const char*, Access access) -> std::optional<Error> {
                if (access == Access::Read)
                    return std::nullopt;
                if (!isAfter)
                    ++writes;
                if (killAt > 0 && writes == killAt && isAfter == after)
                    throw Killed{};
                return std::nullopt;
            };
        };
        store = std::make_unique<HookedStore>(w.connect(), StoreHooks{count(false), count(true)});
        reader = std::make_unique<ClockedReader>(*store, w.clock);
        queue = makeInlineQueue(*store);
        service = std::make_unique<Service>(*reader, *queue, w.clock, w.rng, ServiceConfig{});
        PlanRunnerConfig config;
        config.holder = deriveId<SessionId>("test", name);
        config.who = PlanWorld::author("executor");
        runner = std::make_unique<PlanRunner>(*store, *service, w.clock, config);
    }

    // Until nothing is to be done, or for that long by the clock of the world. False: it was killed.
    bool drive(SpanMs most = 3'600'000)
    {
        try {
            for (const SpanMs until = w.clock.monotonicMs() + most;;) {
                const auto next = runner->tick();
                if (!next)
                    qFatal("%s", next.error().text.c_str());
                const bool moved = service->pump();
                if (!*next)
                    return true;
                if (w.clock.monotonicMs() >= until)
                    return true;
                if (!moved)
                    w.clock.advance(std::max<SpanMs>(std::min(**next, until - w.clock.monotonicMs()), 1));
            }
        } catch (const Killed&) {
            return false;
        }
    }

    PlanWorld& w;
    std::size_t writes = 0;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<ClockedReader> reader;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
    std::unique_ptr<PlanRunner> runner;
};

}  // namespace cairn::testing
