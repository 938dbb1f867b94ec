#pragma once
// The bench that the acceptance cases run on: a store (in memory, SQLite or PostgreSQL), a caller's and an
// operator's service, a stand-in for the engine that runs attempts by calling functions, and "effectd", the
// outside world's own ledger. Time is a clock that moves only when told to. Kill = the engine's objects are
// dropped with all that they had not committed; its session stays open until another ends it.

#include "core/service/service.h"
#include "core/store/memory/memory_store.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QTemporaryDir>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace cairn::testing {

// Ends the test program where a store of the bench itself fails.
template<typename T> T must(Result<T> result)
{
    if (!result)
        qFatal("%s", errorLine(result.error()).c_str());
    return *std::move(result);
}
inline void must(const Status& status)
{
    if (!status)
        qFatal("%s", errorLine(status.error()).c_str());
}

enum class Kept { Memory, Sqlite, Postgres };

// The URL of a store on a PostgreSQL server (CAIRN_STORE, as packaging/with-postgres exports it); empty:
// there is none. Where there is one, all cases run on it instead of the other stores.
[[nodiscard]] std::string serverUrl();

// Rows "memory" and "sqlite", or "postgresql", for every test of a class: call it in initTestCase_data(),
// then kept() in each test.
void bothStores();
[[nodiscard]] Kept kept(int row);

// Written with ' for ", which saves the escapes.
[[nodiscard]] std::string json(std::string text);

// Tools: look (read-only), note (repeatable), pay (irreversible, nobody can be asked), buy (irreversible, can
// be looked up), render (an outside worker's). `more` begins with a comma.
[[nodiscard]] std::string workflow(const std::string& name, const std::string& steps,
    const std::string& more = {}, int version = 1, const std::string& tools = {});

// What was really done outside: one line per call that had its effect.
struct Effectd {
    struct Line {
        TimeMs time = kNoTime;
        std::string name;
        std::string key;
        std::string arguments;
    };
    std::vector<Line> lines;
    std::mutex mutex;  // of note(), which engines in several threads may call

    void note(TimeMs time, const std::string& name, const std::string& key, const std::string& arguments)
    {
        const std::scoped_lock lock(mutex);
        lines.push_back({time, name, key, arguments});
    }
    [[nodiscard]] int count(std::string_view name) const;
    [[nodiscard]] bool seen(std::string_view key) const;
    [[nodiscard]] std::string text() const;  // "A=1 B=2", sorted by name
};

// What a tool is called with, and what it answers.
struct Call {
    RunId run;
    StepIx step = kNoStep;
    std::string id;
    std::string tool;
    std::string key;  // empty: read-only
    std::string input;
    AttemptId attempt;
    std::uint32_t number = 0;
    Purpose purpose = Purpose::Do;
};
struct Answer {
    enum class Kind { Done, Failed, Found, Later, Killed };
    Kind kind = Kind::Done;
    std::string text = "null";  // output, or error
    FailureClass failure = FailureClass::Retryable;
    EffectKnowledge effect = EffectKnowledge::NoEffect;
    SpanMs retryAfter = -1;
    bool timedOut = false;
    std::string media = "application/json";
};
[[nodiscard]] Answer done(std::string output = "null");
[[nodiscard]] Answer fails(FailureClass failure, std::string error = "it failed", SpanMs retryAfter = -1);
[[nodiscard]] Answer found(EffectKnowledge verdict, std::string output = "null");
[[nodiscard]] Answer later();   // under way until the test answers for it
[[nodiscard]] Answer killed();  // the engine dies here

using Tool = std::function<Answer(const Call&)>;
using Tools = std::map<std::string, Tool>;

class Bench;
class BenchQueue;
class ClockedReader;

struct EngineSettings {
    EngineSettings(std::string n = "w1", std::vector<std::string> s = {}, SpanMs l = 10'000)
        : name(std::move(n))
        , serves(std::move(s))
        , lease(l)
    {
    }
    std::string name;
    std::vector<std::string> serves;
    SpanMs lease;
    std::size_t messages = 100;     // delivered in one turn
    SpanMs skew = 0;                // how far its host's own clock is off
    std::uint32_t verifyOneIn = 1;  // commits that are folded again before they are written
};

// Several may work in a thread each, as long as nobody moves the bench's clock, and the tools can stand it.
class EngineStandIn {
public:
    EngineStandIn(Bench& bench, EngineSettings settings);
    ~EngineStandIn();
    EngineStandIn(const EngineStandIn&) = delete;
    EngineStandIn& operator=(const EngineStandIn&) = delete;

    // One round of everything that an engine does; true: something moved.
    bool turn();
    void settle(int limit = 20'000);
    void kill();                   // from here on it does nothing; what it had not committed is gone
    void dieAfterCommit(int nth);  // the commit lands, and nothing that follows from it is done
    [[nodiscard]] bool dead() const { return m_dead; }

    Service& service() { return *m_service; }
    [[nodiscard]] Outcome submit(Submission submission);
    [[nodiscard]] Outcome answer(const Call& call, const Answer& answer);
    // The call that is under way at a step ("later"); fails the process where there is none.
    [[nodiscard]] Call open(const RunId& run, std::string_view step) const;

    SessionId session;
    std::vector<Error> errors;  // of the store, while doing its rounds
    int claims = 0;             // asked for work
    bool claimsWork = true;

private:
    void allow();
    bool claim();
    bool fireDue();
    bool deliver();
    bool reload();
    bool runCalls();
    void letGoIdle();
    void observe(const RunState& after, const Entry& entry);

    Bench& m_bench;
    EngineSettings m_settings;
    SeededRng m_rng;
    std::unique_ptr<Clock> m_clock;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<ClockedReader> m_reader;
    std::unique_ptr<BenchQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::map<RunId, ClaimedRun> m_owned;
    std::deque<Call> m_calls;
    std::vector<Call> m_open;
    bool m_dead = false;
};

class Bench {
public:
    explicit Bench(Kept kept, bool fullSync = false);
    ~Bench();

    [[nodiscard]] std::unique_ptr<StoreWriter> connect() const;
    [[nodiscard]] bool onDisk() const { return m_kept != Kept::Memory; }
    [[nodiscard]] bool onServer() const { return m_kept == Kept::Postgres; }
    [[nodiscard]] std::string path() const;  // of the SQLite store's file
    // How much the store takes, without what could be given back at once.
    [[nodiscard]] std::uint64_t size();
    [[nodiscard]] StoreReader& reader();
    void add(const std::string& text);
    void advance(SpanMs span);
    [[nodiscard]] TimeMs now() const { return clock.wallMs(); }
    [[nodiscard]] static bool sessionEnded(StoreReader& from, const SessionId& session);
    [[nodiscard]] bool sessionEnded(const SessionId& session) { return sessionEnded(*store, session); }
    // The dead engine's session is ended, as another engine does it when the lease has passed.
    void bury(const EngineStandIn& engine);
    void bury(const SessionId& session);

    // --- submissions
    [[nodiscard]] Submission start(
        const std::string& workflow, const std::string& input = "{}", const std::string& key = {});
    [[nodiscard]] RunId started(
        const std::string& workflow, const std::string& input = "{}", const std::string& key = {});
    [[nodiscard]] static Submission command(
        const RunId& run, cmd::Body body, Actor actor = {ActorKind::Engine, "engine"});
    [[nodiscard]] Submission act(const RunId& run, cmd::Body body, const std::string& person = "kim",
        const std::string& reason = "because of a test") const;
    [[nodiscard]] Outcome doAct(const RunId& run, cmd::Body body, const std::string& person = "kim");
    [[nodiscard]] Outcome signal(
        const RunId& run, const std::string& name, const std::string& id, const std::string& data = "{}");
    [[nodiscard]] Submission complete(const RunId& run, const AttemptId& attempt, const std::string& output);
    [[nodiscard]] Outcome approve(
        const RunId& run, std::string_view step, bool yes = true, const std::string& person = "kim");

    // --- looking
    [[nodiscard]] RunState state(const RunId& run);
    [[nodiscard]] StepRecord step(const RunId& run, std::string_view id);
    [[nodiscard]] Summary summary(const RunId& run);
    [[nodiscard]] Explanation explained(const RunId& run);
    [[nodiscard]] ListRow row(const RunId& run);
    [[nodiscard]] std::string output(const RunId& run, std::string_view step);
    [[nodiscard]] std::string text(const RunId& run, const PayloadRef& ref);
    [[nodiscard]] std::vector<Entry> entries(const RunId& run);
    template<typename F> [[nodiscard]] int facts(const RunId& run)
    {
        int n = 0;
        for (const Entry& entry : entries(run))
            for (const Fact& fact : entry.facts)
                n += std::holds_alternative<F>(fact) ? 1 : 0;
        return n;
    }
    [[nodiscard]] std::vector<AuditRow> audit(const RunId& run);
    [[nodiscard]] std::string verified(const RunId& run);  // empty: clean

    ManualClock clock{1'900'000'000'000};
    SeededRng rng{7};
    Effectd effectd;
    Tools tools;  // by tool name; what is not there answers null, noted in effectd where it writes
    std::shared_ptr<MemoryDatabase> memory;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<Service> service;  // of callers and operators: no session

private:
    Kept m_kept;
    bool m_fullSync;
    QTemporaryDir m_folder;
    std::unique_ptr<ClockedReader> m_reader;
    std::unique_ptr<CommitQueue> m_queue;
};

// A test class that stands in the cases program: CASES(TestDup, "dup") once per file.
using MakeTest = std::unique_ptr<QObject> (*)();
bool registerCases(const char* kind, MakeTest make);

}  // namespace cairn::testing

#define CAIRN_CASES(type, kind) \
    [[maybe_unused]] static const bool s_registered = cairn::testing::registerCases( \
        kind, +[]() -> std::unique_ptr<QObject> { return std::make_unique<type>(); });

// The bench of this row.
#define CAIRN_BENCH() \
    QFETCH_GLOBAL(int, store); \
    cairn::testing::Bench b(cairn::testing::kept(store))
