#pragma once
// Engines without processes: a memory store, a clock that moves when told to, executors that answer when told
// to.

#include "core/definition/parse.h"
#include "core/store/hooked_store.h"
#include "core/store/memory/memory_store.h"
#include "tests/engine/fakes.h"

#include <map>

namespace cairn::testing {

// An engine on connections that its test makes, with executors that answer when told to.
struct EngineOn {
    explicit EngineOn(std::int64_t pid = 1000)
        : processes(pid, gone)
    {
    }
    // Once `store` and `writer` are there. All that is given outlives it.
    void open(const Clock& clock, Rng& rng, EngineConfig config, HintLink* link = nullptr)
    {
        config.alert = [this](const std::string& kind, const std::string&) { alerts.push_back(kind); };
        queue = makeInlineQueue(*writer);
        core = std::make_unique<EngineCore>(
            EngineSeams{clock, rng, *store, *queue, executor, processes, nullptr, link}, config);
        if (const Status opened = core->open(); !opened)
            qFatal("%s", opened.error().text.c_str());
    }
    // Until there is nothing more to do at this instant; for how long there is not.
    SpanMs settle()
    {
        SpanMs sleep = 0;
        for (int i = 0; i < 200 && sleep == 0; ++i)
            sleep = core->tick();
        return sleep;
    }

    std::unique_ptr<StoreWriter> store, writer;
    std::unique_ptr<CommitQueue> queue;
    FakeExecutor executor;
    std::set<std::int64_t> gone;
    FakeProcesses processes;
    std::vector<std::string> alerts;
    std::unique_ptr<EngineCore> core;
};

// What callers and people do, in any store; a failure of the test where it cannot be done.
inline void addTo(StoreWriter& store, const std::string& text, TimeMs at)
{
    const auto parsed = parseDefinition(text);
    for (const auto& d : parsed.diagnostics)
        if (d.severity == Severity::Error)
            qFatal("%s", diagnosticLine("test", d).c_str());
    WorkflowRow row;
    row.name = parsed.definition->ref.name;
    row.version = parsed.definition->ref.version;
    row.digest = parsed.definition->ref.digest;
    row.text = text;
    row.addedAt = at;
    if (const Status added = store.addWorkflow(row); !added)
        qFatal("%s", added.error().text.c_str());
}
inline RunId startIn(Service& service, const std::string& workflow, const std::string& input = "null")
{
    Submission s;
    s.workflow = workflow;
    s.command.actor = {ActorKind::Caller, "test"};
    s.payloads.push_back(service.newPayload(input, "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    const Outcome outcome = service.submitAndWait(std::move(s));
    if (outcome.kind != Outcome::Kind::Committed)
        qFatal("start: %s %s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
    return outcome.run;
}
inline Outcome actIn(Service& service, const RunId& run, cmd::Body body)
{
    Submission s;
    s.run = run;
    s.command.actor = {ActorKind::Person, "kim"};
    s.command.body = std::move(body);
    s.reason = "because of a test";
    return service.submitAndWait(std::move(s));
}
inline RunState loadFrom(Service& service, const RunId& run)
{
    auto state = service.load(run);
    if (!state)
        qFatal("%s", state.error().text.c_str());
    return *std::move(state);
}

// One engine. The hooks are asked at each store call of the engine itself and of its commit queue.
struct Node {
    StoreHooks hooks;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<LateQueue> queue;
    FakeExecutor executor;
    FakeProcesses processes;
    FakePool pool;
    std::int64_t pid;
    std::vector<std::string> alerts;
    std::unique_ptr<EngineCore> core;

    Node(const std::shared_ptr<MemoryDatabase>& db, const Clock& clock, Rng& rng, std::int64_t p,
        const std::set<std::int64_t>& gone, EngineConfig config, const std::string& host = "host")
        : store(connect(db))
        , writer(connect(db))
        , queue(std::make_unique<LateQueue>(*writer))
        , processes(p, gone, host)
        , pool(*store)
        , pid(p)
    {
        config.alert = [this](const std::string& kind, const std::string&) { alerts.push_back(kind); };
        core = std::make_unique<EngineCore>(
            EngineSeams{clock, rng, *store, *queue, executor, processes, &pool}, config);
        if (const Status opened = core->open(); !opened)
            qFatal("%s", opened.error().text.c_str());
    }
    std::unique_ptr<StoreWriter> connect(const std::shared_ptr<MemoryDatabase>& db)
    {
        const auto ask = [this](auto StoreHooks::*hook) {
            return [this, hook](const char* what, Access access) {
                return hooks.*hook ? (hooks.*hook)(what, access) : std::nullopt;
            };
        };
        return std::make_unique<HookedStore>(
            connectMemory(db), StoreHooks{ask(&StoreHooks::before), ask(&StoreHooks::after)});
    }
    // Until there is nothing more to do at this instant.
    void settle()
    {
        for (int i = 0; i < 200 && core->tick() == 0; ++i) { }
    }
};

struct Cluster {
    explicit Cluster(InitOptions of = {})
        : options(std::move(of))
    {
    }
    InitOptions options;
    ManualClock clock;
    SeededRng rng{7};
    std::shared_ptr<MemoryDatabase> db = makeMemoryDatabase(options, clock, 11);
    std::unique_ptr<StoreWriter> store = connectMemory(db);
    std::unique_ptr<CommitQueue> queue = makeInlineQueue(*store);
    std::unique_ptr<Service> client = std::make_unique<Service>(*store, *queue, clock, rng, ServiceConfig{});
    std::set<std::int64_t> gone;
    std::int64_t nextPid = 1000;
    std::vector<std::unique_ptr<Node>> nodes;

    static EngineConfig config(const std::string& name = "engine")
    {
        EngineConfig c;
        c.name = name;
        c.lease = 1'000;
        c.heartbeat = 300;
        c.verifyOneIn = 1;
        return c;
    }
    Node& engine(const EngineConfig& c = config(), const std::string& host = "host")
    {
        nodes.push_back(std::make_unique<Node>(db, clock, rng, nextPid++, gone, c, host));
        return *nodes.back();
    }
    // SIGKILL: nothing is given back; others may see that the process is gone.
    void kill(Node& node)
    {
        gone.insert(node.pid);
        std::erase_if(nodes, [&](const auto& each) { return each.get() == &node; });
    }
    void settle()
    {
        for (auto& node : nodes)
            node->settle();
    }
    void pass(SpanMs span, SpanMs step = 50)
    {
        for (SpanMs gone_ = 0; gone_ < span; gone_ += step) {
            clock.advance(step);
            settle();
        }
    }
    void add(const std::string& text) { addTo(*store, text, clock.wallMs()); }
    RunId start(const std::string& workflow, const std::string& input = "null")
    {
        return startIn(*client, workflow, input);
    }
    Outcome act(const RunId& run, cmd::Body body) { return actIn(*client, run, std::move(body)); }
    RunState load(const RunId& run) { return loadFrom(*client, run); }
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

// Tools: look (read-only, 3 attempts), pay (irreversible, no look-up), ask (irreversible, with a look-up).
inline std::string workflow(const std::string& name, const std::string& steps, const std::string& more = {})
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},"resource":"web",
        "retry":{"attempts":3,"first_delay":"1s","max_delay":"1s"}},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]}},
"ask":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"look_up":{"argv":["/bin/false"]}}
},"steps":[)"
        + steps + "]" + more + "}";
}

}  // namespace cairn::testing
