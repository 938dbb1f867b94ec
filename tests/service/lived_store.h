#pragma once
// A store in memory with runs in every kind of standing, as its engine's death left it.

#include "core/store/memory/memory_database.h"
#include "tests/engine/engine_harness.h"

namespace cairn::testing {

inline std::string flow(const std::string& name, const std::string& steps, const std::string& more = {})
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
        "retry":{"attempts":3,"first_delay":"60s","max_delay":"60s"}},
"call":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},"resource":"web"},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"effect_key":"pay/${/order}"}
},"steps":[)"
        + steps + "]" + more + "}";
}

inline std::string pays(const std::string& name, const std::string& order, const std::string& after = {})
{
    return R"({"name":")" + name + R"(","tool":"pay","input":{"order":")" + order + "\"}"
        + (after.empty() ? "" : R"(,"after":[")" + after + "\"]") + "}";
}

// The runs by what they are for; attempts are under way in some of them when the engine dies.
struct Lived {
    static constexpr SpanMs kLease = 1'000;
    Cluster c;
    std::map<std::string, RunId> runs;
    std::string hostile;  // output of "large"

    explicit Lived(std::size_t largeBytes, int manyRuns)
    {
        c.db->info.testClock = true;
        for (const std::string& text : workflows())
            c.add(text);
        ResourceRow web;
        web.name = "web";
        web.slots = 7;
        if (!c.store->putResource(web))
            qFatal("resource");
        Node& node = c.engine();
        live(node, largeBytes, manyRuns);
        c.kill(node);
        // Nobody delivers what the cancelled parent says to its child.
        if (!c.act(runs["cancelled parent"], cmd::Cancel{}).ok()
            || !c.act(runs["paused"], cmd::SetPaused{}).ok())
            qFatal("acts");
        c.clock.advance(2 * kLease);
    }

    static std::vector<std::string> workflows()
    {
        const std::string go = R"(,{"name":"go","kind":"signal","signal":"go"},)";
        const std::string asks =
            R"({"name":"a","tool":"pay","input":{"order":{"$from":"input","at":"/order"}},)"
            R"("approval":{"role":"ops","expires":"8h"}})";
        return {flow("look", R"({"name":"a","tool":"look"},{"name":"b","tool":"look","after":["a"]})"),
            flow("call", R"({"name":"a","tool":"call"})"),
            flow("ask", asks, R"(,"attributes":{"order":{"type":"text","at":"/order"}})"),
            flow("nap", R"({"name":"a","kind":"timer","wait":"60s"})"),
            flow("bell",
                R"({"name":"a","kind":"signal","signal":"rung"},{"name":"b","kind":"signal","signal":"again"})"),
            flow("pay", pays("a", "A")), flow("cross1", pays("x", "X") + go + pays("y", "Y", "go")),
            flow("cross2", pays("y", "Y") + go + pays("x", "X", "go")),
            flow("parent", R"({"name":"sub","kind":"run","workflow":"bell","input":{"a":1}})")};
    }

    // Until the engine has claimed what is due, or heard what others did.
    void pass() { c.pass(250); }

    RunId start(const std::string& name, const std::string& workflow, const std::string& input = "null")
    {
        const RunId run = submitStart(name, workflow, input);
        pass();
        return run;
    }
    RunId submitStart(const std::string& name, const std::string& workflow, const std::string& input)
    {
        Submission s;
        s.workflow = workflow;
        s.key = "key of " + name;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(c.client->newPayload(input, "application/json"));
        cmd::Start begin;
        begin.input = s.payloads.back().ref;
        s.command.body = begin;
        const Outcome outcome = c.client->submitAndWait(std::move(s));
        if (outcome.kind != Outcome::Kind::Committed)
            qFatal("start: %s %s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
        return runs[name] = outcome.run;
    }

    static std::size_t indexOf(const Node& node, const RunId& run, const std::string& step)
    {
        const auto& orders = node.executor.started;
        for (std::size_t i = orders.size(); i-- > 0;)
            if (orders[i].run == run && orders[i].step == step)
                return i;
        qFatal("step %s was not started", step.c_str());
        return 0;
    }

    void live(Node& node, std::size_t largeBytes, int manyRuns)
    {
        start("done", "look");
        for (const char* step : {"a", "b"}) {
            node.executor.complete(indexOf(node, runs["done"], step), R"({"n":1})");
            pass();
        }
        start("large", "look");
        hostile = std::string("\0\xED\xA0\x80\xFF{\"a\":1,\"a\":2}\n", 18);
        while (hostile.size() < largeBytes)
            hostile += hostile.substr(0, std::min(hostile.size(), largeBytes - hostile.size()));
        node.executor.complete(indexOf(node, runs["large"], "a"), hostile, "application/octet-stream");
        pass();
        start("in flight", "look");
        start("retry", "look");
        node.executor.fail(
            indexOf(node, runs["retry"], "a"), FailureClass::Retryable, EffectKnowledge::NoEffect);
        start("limited", "call");
        node.executor.fail(indexOf(node, runs["limited"], "a"), FailureClass::RateLimited,
            EffectKnowledge::NoEffect, 120'000);
        start("asks", "ask", R"({"order":"C"})");
        start("nap", "nap");
        start("bell", "bell");
        start("paid", "ask", R"({"order":"D"})");
        decide("paid");
        node.executor.complete(indexOf(node, runs["paid"], "a"), R"({"receipt":9})");
        pass();
        start("pays", "pay");
        start("waits for pays", "pay");
        start("cross 1", "cross1");
        start("cross 2", "cross2");
        for (const char* name : {"cross 1", "cross 2"}) {  // each waits for what the other has under way
            ring(name, "go", name);
            pass();
        }
        start("parent", "parent");
        start("cancelled parent", "parent");
        start("paused", "bell");
        for (int i = 0; i < 300; ++i)
            ring("bell", "noise", std::to_string(i));
        for (int i = 0; i < manyRuns; ++i)
            submitStart("many " + std::to_string(i), "bell", "null");
        pass();
    }

    Outcome decide(const std::string& name)
    {
        const RunState state = c.load(runs[name]);
        const Outcome outcome = c.act(runs[name], cmd::Decide{state.find("a")->approval, true, {}});
        pass();
        return outcome;
    }

    static Submission ringing(Service& by, const RunId& run, const std::string& signal, const std::string& id)
    {
        Submission s;
        s.run = run;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(by.newPayload("1", "application/json"));
        cmd::Signal body;
        body.name = signal;
        const auto hash = by.saltedId(id);
        if (!hash)
            qFatal("%s", hash.error().text.c_str());
        body.messageHash = *hash;
        body.data = s.payloads.back().ref;
        s.command.body = body;
        return s;
    }
    void ring(const std::string& name, const std::string& signal, const std::string& id)
    {
        const Outcome outcome = c.client->submitAndWait(ringing(*c.client, runs[name], signal, id));
        if (!outcome.ok())
            qFatal("%s", outcome.rejection.text.c_str());
    }
};

}  // namespace cairn::testing
