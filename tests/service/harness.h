#pragma once
// A store in memory, a service on it, and a small engine that runs nothing by itself: tests say what attempts answer.

#include "core/definition/parse.h"
#include "core/service/service.h"
#include "core/store/memory/memory_store.h"
#include "tests/support/cairn_qtest.h"

#include <map>
#include <set>
#include <memory>

namespace cairn::testing {

inline const char* kindName(Outcome::Kind kind)
{
    static constexpr const char* kNames[] = {"Committed", "Repeated", "Existing", "NoChange", "Rejected", "Failed"};
    return kNames[static_cast<std::size_t>(kind)];
}
// "Rejected: why", for messages of failed checks and exact comparisons.
inline std::string told(const Outcome& o)
{
    const std::string kind = kindName(o.kind);
    switch (o.kind) {
    case Outcome::Kind::Rejected: return kind + ": " + o.rejection.text;
    case Outcome::Kind::Failed: return kind + ": " + errorLine(o.error);
    case Outcome::Kind::NoChange:
    case Outcome::Kind::Existing: return kind + ": " + o.text;
    default: return kind + " " + std::to_string(o.version);
    }
}

// Tools: look (read-only), note (repeatable), pay (irreversible, no look-up), ask (irreversible, with a look-up).
inline std::string workflowText(const std::string& name, const std::string& steps, const std::string& more = {})
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}},
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/true"]}},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"resource":"bank",
       "amount":{"at":"/amount","currency":"EUR"},"effect_key":"pay/${/order}","retry":{"attempts":5}}
},"steps":[)" + steps + "]" + more + "}";
}

struct World {
    ManualClock clock;
    SeededRng rng{7};
    std::shared_ptr<MemoryDatabase> db;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
    SessionId session;
    std::vector<Entry> seen;                    // entries of owned runs, as observed

    explicit World(InitOptions options = {}, std::uint32_t verifyOneIn = 1)
    {
        db = makeMemoryDatabase(options, clock, 11);
        store = connectMemory(db);
        writer = connectMemory(db);
        queue = makeInlineQueue(*writer);
        ServiceConfig config;
        config.verifyOneIn = verifyOneIn;
        config.uid = 1000;
        config.host = "host";
        service = std::make_unique<Service>(*store, *queue, clock, rng, config);
    }

    void add(const std::string& text)
    {
        const auto parsed = parseDefinition(text);
        if (!parsed) {
            std::string all;
            for (const auto& d : parsed.diagnostics)
                all += diagnosticLine("test", d) + "\n";
            qFatal("%s", all.c_str());
        }
        WorkflowRow row;
        row.name = parsed.definition->ref.name;
        row.version = parsed.definition->ref.version;
        row.digest = parsed.definition->ref.digest;
        row.text = text;
        row.addedAt = clock.wallMs();
        if (const Status added = writer->addWorkflow(row); !added)
            qFatal("%s", added.error().text.c_str());
    }

    // A service that is an engine: owns what it starts, with room for `attempts`.
    std::unique_ptr<Service> engine(std::uint32_t attempts = 100)
    {
        SessionRow row;
        row.id = makeId<SessionId>(clock.wallMs(), rng);
        row.name = "engine";
        row.startedAt = clock.wallMs();
        row.leaseUntil = clock.wallMs() + 10'000;
        if (const Status opened = writer->openSession(row); !opened)
            qFatal("%s", opened.error().text.c_str());
        session = row.id;
        ServiceConfig config;
        config.session = row.id;
        config.verifyOneIn = 1;
        auto made = std::make_unique<Service>(*store, *queue, clock, rng, config);
        made->setCapacity({attempts, {}});
        made->onCommitted([this](const RunState&, const Entry& entry) { seen.push_back(entry); });
        return made;
    }

    static Submission start(Service& by, const std::string& workflow, const std::string& input, const std::string& key = {})
    {
        Submission s;
        s.workflow = workflow;
        s.key = key;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(by.newPayload(input, "application/json"));
        cmd::Start start;
        start.input = s.payloads.back().ref;
        s.command.body = start;
        return s;
    }
    static Submission command(const RunId& run, cmd::Body body, Actor actor = {ActorKind::Engine, "engine"})
    {
        Submission s;
        s.run = run;
        s.command.actor = std::move(actor);
        s.command.body = std::move(body);
        return s;
    }
    static Submission act(const RunId& run, cmd::Body body, const std::string& reason = "because of a test")
    {
        Submission s = command(run, std::move(body), {ActorKind::Person, "kim"});
        s.reason = reason;
        return s;
    }
    static AttemptId attemptOf(const RunState& state, std::string_view step)
    {
        const StepRecord* record = state.find(step);
        return record && record->attempt ? record->attempt->id : AttemptId{};
    }
    static Submission complete(Service& by, const RunId& run, const AttemptId& attempt, const std::string& output)
    {
        Submission s = command(run, cmd::Advance{}, {ActorKind::Engine, "engine"});
        s.payloads.push_back(by.newPayload(output, "application/json"));
        cmd::Complete complete;
        complete.attempt = attempt;
        complete.output = s.payloads.back().ref;
        s.command.body = complete;
        return s;
    }
    std::string inputOf(const RunId& run, std::string_view step)
    {
        const auto state = service->load(run);
        const StepRecord* record = state ? state->find(step) : nullptr;
        if (!record || !record->input)
            return "(none)";
        const auto bytes = store->payload(run, record->input.id);
        return bytes ? *bytes : bytes.error().text;
    }
    std::string verified(const RunId& run)
    {
        const auto problems = verifyRun(*store, run);
        if (!problems)
            return problems.error().text;
        std::string text;
        for (const auto& problem : *problems)
            text += problem.where + ": " + problem.text + "\n";
        return text;
    }
};

}  // namespace cairn::testing
