#pragma once
// A store of either driver with one run that asks, one that waits to be tried again and one that is done, and
// every act of a person on them: for the tests that no preview writes anything.

#include "core/definition/parse.h"
#include "tests/service/harness.h"

namespace cairn::testing {

struct PreviewRig {
    explicit PreviewRig(std::unique_ptr<StoreWriter> writer)
        : store(std::move(writer))
        , queue(makeInlineQueue(*store))
    {
        SessionRow row;
        row.id = makeId<SessionId>(clock.wallMs(), rng);
        row.name = "engine";
        row.startedAt = clock.wallMs();
        row.leaseUntil = clock.wallMs() + 3'600'000;
        if (const Status opened = store->openSession(row); !opened)
            qFatal("%s", opened.error().text.c_str());
        session = row.id;
        ServiceConfig config;
        config.session = session;
        engine = std::make_unique<Service>(*store, *queue, clock, rng, config);
        engine->setCapacity({100, {}});
        person = std::make_unique<Service>(*store, *queue, clock, rng, ServiceConfig{});
        add(workflowText("mixed",
            R"({"name":"ask","tool":"plan","input":{"q":1}},)"
            R"({"name":"pay","tool":"pay","after":["ask"],"input":{"order":"o1","amount":"12.50"},)"
            R"("approval":{"role":"finance","expires":"8h"}},)"
            R"({"name":"tell","tool":"note","after":["pay"],"input":{}})",
            R"(,"budget":[{"amount":"10.00","currency":"EUR"}])",
            R"("plan":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},)"
            R"("worst_case":[{"amount":"0.80","currency":"EUR"}],"retry":{"attempts":1}},)"));
    }

    void add(const std::string& text) const
    {
        const auto parsed = parseDefinition(text);
        if (!parsed)
            qFatal("%s", parsed.diagnostics.front().text.c_str());
        WorkflowRow row;
        row.name = parsed.definition->ref.name;
        row.version = parsed.definition->ref.version;
        row.digest = parsed.definition->ref.digest;
        row.text = text;
        row.addedAt = clock.wallMs();
        if (const Status added = store->addWorkflow(row); !added)
            qFatal("%s", added.error().text.c_str());
    }
    void must(const Outcome& outcome) const
    {
        if (!outcome.ok())
            qFatal("%s", told(outcome).c_str());
    }
    RunId started()
    {
        const Outcome outcome = engine->submitAndWait(World::start(*engine, "mixed", "{}"));
        must(outcome);
        return outcome.run;
    }
    void answered(const RunId& run, const char* step) const
    {
        must(engine->submitAndWait(
            World::complete(*engine, run, World::attemptOf(*engine->state(run), step), R"({"a":1})")));
    }
    // `ask` is done, and `pay` asks for its approval.
    RunId asking()
    {
        const RunId run = started();
        answered(run, "ask");
        return run;
    }
    // `ask` failed for good and waits for a person.
    RunId stuck()
    {
        const RunId run = started();
        Submission s = World::command(run, cmd::Advance{});
        s.payloads.push_back(engine->newPayload("no such thing", "text/plain"));
        cmd::Fail fail;
        fail.attempt = World::attemptOf(*engine->state(run), "ask");
        fail.failure = FailureClass::Permanent;
        fail.error = s.payloads.back().ref;
        s.command.body = fail;
        must(engine->submitAndWait(std::move(s)));
        return run;
    }
    // `pay` is allowed and done.
    RunId paid()
    {
        const RunId run = asking();
        must(engine->submitAndWait(World::act(run, cmd::Decide{approvalOf(run), true, {}}, kWhy)));
        // It was let go while it waited: only who owns it begins the next step.
        const auto claimed = store->claim(session, clock.wallMs() + 1'000, 10);
        if (!claimed)
            qFatal("%s", claimed.error().text.c_str());
        for (const ClaimedRun& each : *claimed)
            engine->own(each);
        if (World::attemptOf(*engine->state(run), "pay").isNull())
            must(engine->submitAndWait(World::command(run, cmd::Advance{})));
        answered(run, "pay");
        return run;
    }
    ApprovalId approvalOf(const RunId& run) const { return engine->load(run)->find("pay")->approval; }

    Result<Preview> preview(const RunId& run, cmd::Body body) const
    {
        return person->preview(World::act(run, std::move(body), kWhy));
    }
    template<class Body> Submission withJson(const RunId& run, Body body, PayloadRef Body::*at) const
    {
        Submission s = World::act(run, cmd::Advance{}, kWhy);
        s.payloads.push_back(person->newPayload(R"({"order":"o1","amount":"13.00"})", "application/json"));
        body.*at = s.payloads.back().ref;
        s.command.body = body;
        return s;
    }
    // Every act of a person, and those of a caller, on the runs here; some are allowed, some refused.
    std::vector<Submission> acts(const RunId& asks, const RunId& stands, const RunId& done) const
    {
        std::vector<Submission> all;
        for (const RunId& run : {asks, stands, done}) {
            const auto give = [&](cmd::Body body) { all.push_back(World::act(run, std::move(body), kWhy)); };
            give(cmd::Decide{approvalOf(asks), true, {}});
            give(cmd::Decide{approvalOf(asks), false, {}});
            give(cmd::SetPaused{true, 0, false});
            give(cmd::SetPaused{false, 0, false});
            give(cmd::Cancel{true});
            give(cmd::Cancel{false});
            give(cmd::Compensate{});
            give(cmd::RetryStep{"ask", 0, false});
            give(cmd::SetDeadline{clock.wallMs() + 3'600'000, 0, false});
            give(cmd::SetBudget{"EUR", 20'000'000, 0, false});
            give(cmd::Migrate{0});
            give(cmd::Redact{{engine->load(run)->input.id}});
            give(cmd::Retain{});
            give(cmd::Takeover{});
            give(cmd::Takeover{"ask", {}, {}, false});
            give(cmd::Hold{true, kNoTime, 0, false});
            give(cmd::Assign{"kim", 0, false});
            all.push_back(withJson(run, cmd::Note{}, &cmd::Note::text));
            give(cmd::Settle{"pay", cmd::SettleAs::NotHappened, {}, {}, 0, false});
            all.push_back(withJson(run, cmd::SkipStep{"ask", {}, 0, false}, &cmd::SkipStep::output));
            all.push_back(withJson(run, cmd::RecordResult{"ask", {}, 0, false}, &cmd::RecordResult::output));
            all.push_back(withJson(run, cmd::AmendInput{"ask", {}, 0, false}, &cmd::AmendInput::input));
            cmd::Settle happened{"pay", cmd::SettleAs::Happened, {}, {}, 0, false};
            all.push_back(withJson(run, happened, &cmd::Settle::output));
            all.push_back(withJson(run, cmd::Signal{"go", sha256("m"), {}, true}, &cmd::Signal::data));
            Submission fork = World::act(makeId<RunId>(clock.wallMs(), rng), cmd::Advance{}, kWhy);
            fork.forkSource = run;
            fork.command.body = cmd::Fork{fork.run, 1, false};
            all.push_back(std::move(fork));
        }
        all.push_back(
            World::start(*person, "mixed", R"({"large":")" + std::string(40'000, 'x') + R"("})", "k"));
        return all;
    }

    static inline const std::string kWhy = "because this test wants to know what would happen";
    SystemClock clock;
    mutable SeededRng rng{7};
    SessionId session;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> engine;
    std::unique_ptr<Service> person;
};

}  // namespace cairn::testing
