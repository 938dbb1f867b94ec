#pragma once
// A store with runs in every kind of standing, the places that it can be moved to, and what a store holds as
// text, to be compared.

#include "core/base/json_scan.h"
#include "core/model/codec.h"
#include "core/service/copy_store.h"
#include "core/service/impl.h"
#include "core/store/memory/memory_database.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/engine/engine_harness.h"
#include "tests/store/scratch.h"

namespace cairn::testing {

// --- places
// ----------------------------------------------------------------------------------------------------------

struct Place {
    std::string name;
    std::function<Result<std::unique_ptr<StoreWriter>>(const StoreOptions&)> open;
    std::function<Status(const InitOptions&)> make;

    [[nodiscard]] StoreDoor door() const { return {name, open, make}; }
    [[nodiscard]] std::unique_ptr<StoreWriter> writer() const
    {
        auto store = open({});
        if (!store)
            qFatal("%s: %s", name.c_str(), store.error().text.c_str());
        return *std::move(store);
    }
};

inline Place memoryPlace(const Clock& clock, std::shared_ptr<MemoryDatabase> there = nullptr)
{
    const auto held = std::make_shared<std::shared_ptr<MemoryDatabase>>(std::move(there));
    return {"memory:",
        [held](const StoreOptions& options) -> Result<std::unique_ptr<StoreWriter>> {
            if (!*held)
                return makeError(ErrorKind::NotFound, "there is no store");
            return connectMemory(*held, options);
        },
        [held, &clock](const InitOptions& options) -> Status {
            if (*held)
                return makeError(ErrorKind::Refused, "there is one");
            if (!options.preview)
                *held = makeMemoryDatabase(options, clock, 5);
            return {};
        }};
}

inline Place sqlitePlace(const std::string& path)
{
    return {"sqlite:" + path,
        [path](StoreOptions options) {
            options.synchronousNormal = true;  // no test here loses power
            return sqlite::openStore(path, options);
        },
        [path](const InitOptions& options) { return sqlite::initStore(path, options); }};
}

// --- what a store holds
// ----------------------------------------------------------------------------------------------

class Content {
public:
    explicit Content(StoreWriter& store)
        : m_store(store)
    {
        std::optional<PageKey> after;
        do {
            const auto page = need(store.list({}, ListOrder::NewestFirst, after, 100));
            for (const ListRow& row : page.rows)
                run(row);
            after = page.next;
        } while (after);
        for (const OutboxRow& row : need(store.outbox(10'000, 0)))
            add("message",
                {toText(row.from), number(row.version), number(row.number), toText(row.to),
                    hex(sha256(row.body)), number(row.createdAt)});
        for (const WorkflowRow& row : need(store.workflows(true)))
            add("workflow",
                {row.name, number(row.version), hex(row.digest), row.text, row.folder, number(row.addedAt)});
        for (const ResourceRow& row : need(store.resources()))
            add("resource",
                {row.name, number(row.backOffUntil), number(row.askedByServer), number(row.permitsPerSecond),
                    number(row.slots)});
        std::sort(lines.begin(), lines.end());
    }

    std::vector<std::string> lines;  // sorted
    std::vector<RunId> runs;

    // The first line that one has and the other has not.
    [[nodiscard]] std::string differsFrom(const Content& other) const
    {
        for (std::size_t i = 0; i < std::max(lines.size(), other.lines.size()); ++i) {
            const std::string a = i < lines.size() ? lines[i] : "(nothing)";
            const std::string b = i < other.lines.size() ? other.lines[i] : "(nothing)";
            if (a != b)
                return a + "\n  instead of\n" + b;
        }
        return {};
    }

private:
    template<typename T> static T need(Result<T> result)
    {
        if (!result)
            qFatal("%s", result.error().text.c_str());
        return *std::move(result);
    }
    template<typename N> static std::string number(N value) { return std::to_string(value); }
    template<typename E> static std::string word(E value)
    {
        return std::to_string(static_cast<unsigned>(value));
    }
    void add(const std::string& what, const std::vector<std::string>& fields)
    {
        std::string line = what;
        for (const std::string& field : fields)
            line += " | " + field;
        lines.push_back(std::move(line));
    }
    void run(const ListRow& row)
    {
        const RunId id = row.run;
        runs.push_back(id);
        const std::string r = toText(id);
        const LoadedRun loaded = need(m_store.loadRun(id, 1, 0));
        const RunRow& i = loaded.identity;
        add("run " + r,
            {toText(i.root), toText(i.parent.run), number(i.parent.step), number(i.parent.index),
                i.workflow.name, number(i.workflow.version), hex(i.workflow.digest), i.key, hex(i.keyInput),
                hex(i.keySalt), number(i.createdAt), toText(i.forkedFrom), number(i.driven)});
        add("hot " + r,
            {number(loaded.hot.version), number(loaded.hot.control), hex(loaded.hot.head),
                number(loaded.hot.format)});
        std::set<PayloadId> payloads;
        for (const SealedEntry& e : loaded.entries) {
            add("entry " + r,
                {number(e.version), toText(e.command), number(e.format), hex(e.hash), hex(e.previous),
                    hex(sha256(e.body))});
            payloads.merge(payloadsOf(need(decodeEntry(e.body, e.format))));
        }
        for (const PayloadId& p : payloads)
            payload(id, p);
        add("list " + r,
            {toText(row.root), toText(row.parent), row.workflow, row.key, word(row.activity),
                word(row.attention), word(row.reason), row.step, number(row.since), number(row.nextTime),
                row.situation, row.resource, row.error, number(row.createdAt), number(row.endedAt),
                number(row.steps), number(row.stepsDone), number(row.attempt), number(row.attemptsMax),
                number(row.amount.micros), row.amount.currency});
        rows(id, r);
    }
    void payload(const RunId& run, const PayloadId& id)
    {
        const auto info = m_store.payloadInfo(run, id);
        if (!info && info.error().kind == ErrorKind::NotFound)
            return;
        const PayloadInfo p = need(info);
        add("payload " + toText(run),
            {toText(id), hex(p.ref.hash), number(p.ref.size), p.ref.media, hex(p.salt), toText(p.artifact),
                hex(sha256(need(m_store.payload(run, id))))});
    }
    void rows(const RunId& id, const std::string& r)
    {
        for (const StepRow& s : need(m_store.steps(id)))
            add("step " + r,
                {number(s.ix), s.id, s.tool, word(s.state), word(s.reason), number(s.since), number(s.due),
                    number(s.revision), number(s.attempts), number(s.failures), toText(s.input),
                    toText(s.output), toText(s.error), hex(s.effect)});
        for (const AttemptRow& a : need(m_store.attempts(id, kNoStep)))
            add("attempt " + r,
                {toText(a.id), number(a.step), number(a.number), word(a.purpose), toText(a.session), a.worker,
                    number(a.startedAt), number(a.endedAt), word(a.how), word(a.effect), toText(a.error),
                    number(a.span)});
        for (const ApprovalRow& a : need(m_store.approvals(id)))
            add("approval " + r,
                {toText(a.id), number(a.step), word(a.state), hex(a.binding), a.role, number(a.askedAt),
                    number(a.expires), a.decidedBy, number(a.needed), a.askedBy, a.deciders});
        for (const AttributeRow& a : need(m_store.attributes(id)))
            add("attribute " + r, {a.name, a.type, a.text, number(a.number)});
        for (const EffectRow& e : need(m_store.effectsOfRun(id)))
            add("effect " + r,
                {hex(e.effect), e.tool, e.key, word(e.state), e.holderStep, hex(e.inputSalt),
                    hex(e.inputDigest), toText(e.result), number(e.changedAt)});
    }
    static std::string hex(const Digest& digest) { return cairn::hex(digest); }
    static std::string hex(const Salt& salt) { return cairn::hex(sha256(saltView(salt))); }

    StoreWriter& m_store;
};

// --- a store that has seen something
// ---------------------------------------------------------------------------------

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

    RunId start(const std::string& name, const std::string& workflow, const std::string& input = "null")
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
        c.settle();
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
            c.settle();
        }
        start("large", "look");
        hostile = std::string("\0\xED\xA0\x80\xFF{\"a\":1,\"a\":2}\n", 18);
        while (hostile.size() < largeBytes)
            hostile += hostile.substr(0, std::min(hostile.size(), largeBytes - hostile.size()));
        node.executor.complete(indexOf(node, runs["large"], "a"), hostile, "application/octet-stream");
        c.settle();
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
        c.settle();
        start("pays", "pay");
        start("waits for pays", "pay");
        start("cross 1", "cross1");
        start("cross 2", "cross2");
        for (const char* name : {"cross 1", "cross 2"}) {  // each waits for what the other has under way
            ring(name, "go", name);
            c.settle();
        }
        start("parent", "parent");
        start("cancelled parent", "parent");
        start("paused", "bell");
        for (int i = 0; i < 300; ++i)
            ring("bell", "noise", std::to_string(i));
        for (int i = 0; i < manyRuns; ++i)
            start("many " + std::to_string(i), "bell");
        c.settle();
    }

    Outcome decide(const std::string& name)
    {
        const RunState state = c.load(runs[name]);
        const Outcome outcome = c.act(runs[name], cmd::Decide{state.find("a")->approval, true, {}});
        c.settle();
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

// "Rejected: why", for messages of failed checks and exact comparisons.
inline std::string told(const Outcome& o)
{
    static constexpr const char* kNames[] = {
        "Committed", "Repeated", "Existing", "NoChange", "Rejected", "Failed"};
    return std::string(kNames[static_cast<std::size_t>(o.kind)]) + ": " + o.rejection.text + o.error.text
        + o.text;
}

// --- moving
// ----------------------------------------------------------------------------------------------------------

inline AuditRow byKim()
{
    AuditRow row;
    row.actor = "kim";
    row.uid = 1000;
    row.host = "desk";
    row.reason = "the file has become too large";
    return row;
}

inline Result<CopyReport> move(
    const Place& from, const Place& to, Rng& rng, std::function<bool()> stopped = [] { return false; },
    std::function<void(const CopyProgress&)> tell = [](const CopyProgress&) {})
{
    const auto store = from.writer();
    return copyStore({*store, from.name, to.door(), rng, byKim(), true, std::move(stopped), std::move(tell)});
}

// Whether a program that knows nothing of the move can write.
inline bool takesWrites(const Place& place)
{
    const auto store = place.open({});
    return store && (*store)->raiseBackOff("probe", 1, false);
}

}  // namespace cairn::testing
