#pragma once
// A store (in memory or SQLite), a service on it, and a small engine that runs nothing by itself: tests say
// what attempts answer. A test class that calls storeRows() and useStoreOfRow() runs each of its tests on
// either.

#include "core/definition/parse.h"
#include "core/service/acknowledged.h"
#include "core/service/service.h"
#include "core/store/memory/memory_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"
#include "tests/support/clocked_reader.h"

#include <functional>
#include <map>
#include <set>
#include <memory>

namespace cairn::testing {

inline const char* kindName(Outcome::Kind kind)
{
    static constexpr const char* kNames[] = {
        "Committed", "Repeated", "Existing", "NoChange", "Rejected", "Failed", "Proposed"};
    return kNames[static_cast<std::size_t>(kind)];
}
// "Rejected: why", for messages of failed checks and exact comparisons.
inline std::string told(const Outcome& o)
{
    const std::string kind = kindName(o.kind);
    switch (o.kind) {
    case Outcome::Kind::Rejected: return kind + ": " + o.rejection.text;
    case Outcome::Kind::Failed: return kind + ": " + errorLine(o.error);
    case Outcome::Kind::Proposed:
    case Outcome::Kind::NoChange:
    case Outcome::Kind::Existing: return kind + ": " + o.text;
    default: return kind + " " + std::to_string(o.version);
    }
}

// Tools: look (read-only), note (repeatable), pay (irreversible, no look-up), ask (irreversible, with a
// look-up).
inline std::string workflowText(const std::string& name, const std::string& steps,
    const std::string& more = {}, const std::string& tools = {})
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{)" + tools + R"(
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}},
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/true"]}},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"resource":"bank",
       "amount":{"at":"/amount","currency":"EUR"},"effect_key":"pay/${/order}","retry":{"attempts":5}}
},"steps":[)"
        + steps + "]" + more + "}";
}

// Moves only when told to, and takes the time of a SQLite store with it.
class WorldClock final : public Clock {
public:
    [[nodiscard]] TimeMs wallMs() const override { return m_wall; }
    [[nodiscard]] SpanMs monotonicMs() const override { return m_wall - kStart + 1'000'000; }
    void advance(SpanMs span)
    {
        m_wall += span;
        if (moved)
            moved();
    }
    std::function<void()> moved;

private:
    static constexpr TimeMs kStart = 1'790'000'000'000;
    TimeMs m_wall = kStart;
};

struct World {
    static inline bool s_onSqlite = false;  // of the worlds that are made from here on
    // Where set: connections to a store that is there already, with a clock for tests.
    static inline std::function<std::unique_ptr<StoreWriter>()> s_elsewhere;

    std::unique_ptr<Scratch> folder;
    WorldClock clock;
    SeededRng rng{7};
    std::shared_ptr<MemoryDatabase> db;  // null: SQLite
    std::unique_ptr<StoreWriter> connection;
    std::unique_ptr<StoreReader> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
    SessionId session;
    std::vector<Entry> seen;  // entries of owned runs, as observed
    std::shared_ptr<Acknowledged> known =
        std::make_shared<Acknowledged>();  // by all engines, as of one process

    explicit World(InitOptions options = {}, std::uint32_t verifyOneIn = 1)
    {
        if (s_elsewhere) {
            // Nothing is to be made.
        } else if (s_onSqlite) {
            folder = std::make_unique<Scratch>();
            options.testClock = true;
            if (const Status made = sqlite::initStore(folder->file("store.db"), options); !made)
                qFatal("%s", made.error().text.c_str());
        } else {
            db = makeMemoryDatabase(options, clock, 11);
        }
        connection = connect();
        writer = connect();
        clock.moved = [this] {
            if (db)
                return;
            if (const Status moved = writer->setClockOffset(clock.wallMs() - SystemClock{}.wallMs()); !moved)
                qFatal("%s", moved.error().text.c_str());
        };
        clock.moved();
        store = std::make_unique<ClockedReader>(*connection, clock);
        queue = makeInlineQueue(*writer);
        ServiceConfig config;
        config.verifyOneIn = verifyOneIn;
        config.uid = 1000;
        config.host = "host";
        service = std::make_unique<Service>(*store, *queue, clock, rng, config);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] std::unique_ptr<StoreWriter> connect() const
    {
        if (s_elsewhere)
            return s_elsewhere();
        if (db)
            return connectMemory(db);
        StoreOptions options;
        options.synchronousNormal = true;  // no test here loses power
        auto opened = sqlite::openStore(folder->file("store.db"), options);
        if (!opened)
            qFatal("%s", opened.error().text.c_str());
        return *std::move(opened);
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

    // Another's: a service with connections of its own, as another process has it.
    struct Other {
        explicit Other(World& w)
            : connection(w.connect())
            , reader(*connection, w.clock)
            , queue(makeInlineQueue(*connection))
            , service(reader, *queue, w.clock, w.rng, {})
        {
        }
        std::unique_ptr<StoreWriter> connection;
        ClockedReader reader;
        std::unique_ptr<CommitQueue> queue;
        Service service;
    };

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
        config.acknowledged = known;
        config.verifyOneIn = 1;
        auto made = std::make_unique<Service>(*store, *queue, clock, rng, config);
        made->setCapacity({attempts, {}});
        made->onCommitted([this](const RunState&, const Entry& entry) { seen.push_back(entry); });
        return made;
    }

    static Submission start(
        Service& by, const std::string& workflow, const std::string& input, const std::string& key = {})
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
    static Submission complete(
        Service& by, const RunId& run, const AttemptId& attempt, const std::string& output)
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

// Rows "memory" and "sqlite" for all tests of a class: call them in initTestCase_data() and init().
inline void storeRows()
{
    QTest::addColumn<bool>("sqlite");
    QTest::newRow("memory") << false;
    QTest::newRow("sqlite") << true;
}
inline void useStoreOfRow()
{
    QFETCH_GLOBAL(bool, sqlite);
    World::s_onSqlite = sqlite;
}

}  // namespace cairn::testing
