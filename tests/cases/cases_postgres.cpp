// What only a PostgreSQL server can do to a store: links cut in the middle of COMMIT, settings of a role,
// other isolation levels. Left out where there is none (tst_cases_postgres has one).

#include "core/base/text.h"
#include "core/query/query.h"
#include "core/store/hooked_store.h"
#include "core/store/postgres/postgres_store.h"
#include "tests/cases/bench.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/raw_pg.h"
#include "tests/store/scratch.h"
#include "tests/support/clocked_reader.h"

#include <atomic>
#include <ctime>
#include <thread>

using namespace cairn;
using namespace cairn::testing;

namespace {

void run(const std::string& sql)
{
    if (const std::string error = RawPg(serverUrl()).exec(sql); !error.empty())
        qFatal("%s: %s", sql.c_str(), error.c_str());
}

std::string value(const std::string& sql) { return RawPg(serverUrl()).value(sql); }

// What the store said, in order: an error, or what became of the first member.
class Recorded final : public HookedStore {
public:
    explicit Recorded(std::unique_ptr<StoreWriter> store)
        : HookedStore(
            std::move(store), {[](auto...) { return std::nullopt; }, [](auto...) { return std::nullopt; }})
    {
    }
    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override
    {
        Status status = HookedStore::commit(members, results);
        said += (said.empty() ? "" : ", ")
            + (status ? std::string(results.front().kind == MemberResult::Kind::Committed ? "committed"
                       : results.front().kind == MemberResult::Kind::Duplicate            ? "found"
                                                                                          : "refused")
                      : std::string(errorKindName(status.error().kind)));
        return status;
    }
    std::string said;
};

// Where COMMIT hangs: before it has done anything, or when all is done but the wait for a standby.
enum class Hangs { Before, After };

// Whether a commit waits for the standby that is not there: the server's processes learn of it one by one.
bool waitsForStandbys(const RawPg& gate)
{
    const std::string pid = std::to_string(PQbackendPID(gate.conn));
    if (PQsendQuery(gate.conn, "SELECT pg_logical_emit_message(true, 'cairn', 'probe')") != 1)
        return false;
    bool waits = false;
    for (;;) {
        if (PQconsumeInput(gate.conn) != 1)
            return false;
        if (PQisBusy(gate.conn) == 0) {
            PGresult* result = PQgetResult(gate.conn);
            if (result == nullptr)
                return waits;
            PQclear(result);
        } else if (!waits) {
            waits =
                value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = " + pid)
                == "1";
            if (waits)
                run("SELECT pg_cancel_backend(" + pid + ")");
        }
    }
}

// `act`, in another thread, commits; the server's process is ended in the middle of that COMMIT.
void cutCommit(Hangs where, const std::function<void()>& act)
{
    const RawPg gate(serverUrl());
    if (where == Hangs::Before) {
        // What the page does with a pause of two seconds: here it waits until the test lets go.
        run("CREATE OR REPLACE FUNCTION cairn.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM "
            "pg_catalog.pg_advisory_xact_lock_shared(77); RETURN NULL; END $$");
        for (const char* table : {"entries", "run_hot"})
            run(std::string("CREATE CONSTRAINT TRIGGER slow AFTER INSERT OR UPDATE ON cairn.") + table
                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cairn.wait()");
        if (gate.value("SELECT pg_advisory_lock(77)") == "none")
            qFatal("no lock");
    } else {
        run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
        run("SELECT pg_reload_conf()");
        QTRY_VERIFY(waitsForStandbys(gate));
    }
    const std::string hanging = std::string("FROM pg_stat_activity WHERE application_name = 'cairn' AND ")
        + (where == Hangs::Before ? "wait_event = 'advisory'" : "wait_event = 'SyncRep'");
    {
        std::jthread acting(act);
        QTRY_COMPARE(value("SELECT count(*) " + hanging), std::string("1"));
        QCOMPARE(value("SELECT pg_terminate_backend(pid, 10000) " + hanging), std::string("t"));
        if (where == Hangs::Before) {
            QCOMPARE(gate.value("SELECT pg_advisory_unlock(77)"), std::string("t"));
        } else {
            run("ALTER SYSTEM RESET synchronous_standby_names");
            run("SELECT pg_reload_conf()");
        }
    }
    if (where == Hangs::Before)
        run("DROP FUNCTION cairn.wait() CASCADE");
}

}  // namespace

class TestPostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void c10_connectionLostDuringCommit_data();
    void c10_connectionLostDuringCommit();
    void c10_claimLostDuringCommit_data();
    void c10_claimLostDuringCommit();
    void c27_zoneOfTheDatabaseMeansNothing();
    void c47_aDeafListenerIsFoundAndMadeAnew();
    void c45_otherIsolationLevels_data();
    void c45_otherIsolationLevels();
};

void TestPostgres::initTestCase()
{
    if (serverUrl().empty())
        QSKIP("these need a PostgreSQL server: tst_cases_postgres has one");
}

void TestPostgres::cleanup()
{
    if (serverUrl().empty())
        return;
    run("ALTER SYSTEM RESET synchronous_standby_names");
    run("SELECT pg_reload_conf()");
    run("ALTER ROLE cairn RESET ALL");
}

void TestPostgres::c10_connectionLostDuringCommit_data()
{
    QTest::addColumn<bool>("lands");
    QTest::addColumn<int>("which");
    for (const bool lands : {false, true}) {
        const char* how = lands ? "lands" : "aborts";
        QTest::addRow("%s: a new run", how) << lands << 1;
        QTest::addRow("%s: an approval", how) << lands << 2;
        QTest::addRow("%s: a worker's claim", how) << lands << 3;
        QTest::addRow("%s: a step's result", how) << lands << 4;
    }
}

// The two recipes of the page.
void TestPostgres::c10_connectionLostDuringCommit()
{
    QFETCH(bool, lands);
    QFETCH(int, which);
    Bench b(Kept::Postgres, true);
    b.add(workflow("one",
        "{'name':'ask','tool':'pay','approval':{'role':'ops'},'input':{}},"
        "{'name':'draw','tool':'render','after':['ask'],'input':{}}"));
    Recorded store(b.connect());
    ClockedReader reader(store, b.clock);
    auto queue = makeInlineQueue(store);
    SeededRng rng(12);
    Service service(reader, *queue, b.clock, rng, {});
    EngineStandIn engine(b, {});
    const auto submit = [&](int number, Submission submission) {
        Outcome outcome;
        store.said.clear();
        const auto act = [&] { outcome = service.submitAndWait(std::move(submission)); };
        if (number == which)
            cutCommit(lands ? Hangs::After : Hangs::Before, act);
        else
            act();
        // Not known, then looked for by its own mark: there, or done only now.
        const std::string wanted = number != which ? "committed"
            : lands                                ? "outcome_unknown, found"
                                                   : "outcome_unknown, committed";
        if (store.said != wanted)
            qWarning("%s", store.said.c_str());
        return store.said == wanted && outcome.ok() ? outcome : Outcome{};
    };
    const RunId id = submit(1, b.start("one", "{}", "key-1")).run;
    QVERIFY(!id.isNull());
    engine.settle();
    const ApprovalRecord asked = b.state(id).approvals.front();
    cmd::Decide decide;
    decide.approval = asked.id;
    decide.approve = true;
    decide.expectedBinding = asked.binding;
    QVERIFY(!submit(2, b.act(id, decide, "ann")).run.isNull());
    engine.settle();
    QCOMPARE(b.effectd.text(), std::string("ask=1"));
    QVERIFY(!submit(3, Bench::command(id, cmd::Claim{"draw", "w1", {}, 30'000}, {ActorKind::Worker, "w1"}))
                 .run.isNull());
    QVERIFY(!submit(4, b.complete(id, b.step(id, "draw").attempt->id, "\"drawn\"")).run.isNull());
    engine.settle();
    QVERIFY(b.state(id).closed);
    QCOMPARE(b.state(id).closedAs, Activity::Completed);
    QCOMPARE(b.state(id).version, std::uint64_t(b.entries(id).size()));
    QCOMPARE(b.facts<RunStarted>(id), 1);
    QCOMPARE(b.facts<ApprovalDecided>(id), 1);
    QCOMPARE(b.facts<AttemptStarted>(id), 2);
    QCOMPARE(b.facts<StepCompleted>(id), 2);
    QCOMPARE(b.audit(id).size(), std::size_t(1));
    QCOMPARE(b.effectd.text(), std::string("ask=1"));
    QCOMPARE(value("SELECT count(*) FROM cairn.runs"), std::string("1"));
    QVERIFY(engine.errors.empty());
    QCOMPARE(b.verified(id), std::string());
    QVERIFY(must(b.store->check(true)).empty());
}

void TestPostgres::c10_claimLostDuringCommit_data()
{
    QTest::addColumn<bool>("lands");
    QTest::newRow("aborts") << false;
    QTest::newRow("lands") << true;
}

// An engine's own claim. It does not know what it owns, so its session ends (core/engine does that,
// tst_engine_core shows it), and whoever comes next does the work, once.
void TestPostgres::c10_claimLostDuringCommit()
{
    QFETCH(bool, lands);
    Bench b(Kept::Postgres, true);
    b.add(workflow("one", "{'name':'do','tool':'pay','input':{}}"));
    const RunId id = b.started("one");
    auto lost = std::make_unique<EngineStandIn>(b, EngineSettings{"w1"});
    cutCommit(lands ? Hangs::After : Hangs::Before, [&] { static_cast<void>(lost->turn()); });
    QCOMPARE(lost->errors.size(), std::size_t(1));
    QCOMPARE(lost->errors.front().kind, ErrorKind::OutcomeUnknown);
    const SessionId owner = must(b.store->hot(id)).owner;
    QVERIFY(owner == (lands ? lost->session : SessionId{}));
    lost->kill();
    b.bury(*lost);
    EngineStandIn next(b, {"w2"});
    next.settle();
    QVERIFY(next.errors.empty());
    QVERIFY(b.state(id).closed);
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    QCOMPARE(b.step(id, "do").attempts, 1U);
    QCOMPARE(b.verified(id), std::string());
}

// The second half of the case; the first, a worker's clock that is off, is c27_clockOfOneWorkerIsOff.
void TestPostgres::c27_zoneOfTheDatabaseMeansNothing()
{
    Bench b(Kept::Postgres);
    b.add(workflow("one", "{'name':'do','tool':'note','timeout':'5m','input':{}}"));
    b.tools["note"] = [](const Call&) { return later(); };
    EngineStandIn a(b, {"A", {}, 60'000});
    const RunId id = b.started("one");
    a.settle();
    const std::string lease = "SELECT concat(heartbeat_at, ' ', lease_until) FROM cairn.sessions";
    const std::string before = value(lease);
    run("ALTER ROLE cairn SET timezone = 'America/Sao_Paulo'");
    QCOMPARE(value("SHOW timezone"), std::string("America/Sao_Paulo"));
    EngineStandIn other(b, {"B"});  // its connection has that zone
    const auto there = b.connect();
    const TimeMs first = must(b.store->now());
    const TimeMs second = must(there->now());
    const TimeMs third = must(b.store->now());
    QVERIFY2(first <= second && second <= third, "one time, whatever the zone");
    other.settle();
    QVERIFY(!must(there->endSession(a.session, must(there->now()), must(there->now()))));  // A's lease holds
    QVERIFY(!b.sessionEnded(*there, a.session));
    QCOMPARE(b.step(id, "do").attempt->session, a.session);
    QCOMPARE(value(lease + " WHERE name = 'A'"), before);  // numbers, no local times
    QCOMPARE(other.submit(Bench::command(id, cmd::FireTimers{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(other.submit(b.act(id, cmd::SetDeadline{b.now() + 3'600'000})).kind, Outcome::Kind::Committed);
    QCOMPARE(b.entries(id).back().time, b.now());
    // A console on a machine of another zone whose clock is 5 minutes behind: it tells the same.
    const auto told = [&](StoreReader& from, const Clock& clock) {
        ClockedReader reader(from, b.clock);
        const RunView view = must(Query(reader, clock).run(id));
        const bool dead = view.explanation.summary.primary.reason == Reason::Lease;
        return (dead ? "dead: " : "") + view.sentence.text + " " + formatInstant(view.sentence.since);
    };
    const std::string here = told(*b.store, b.clock);
    qputenv("TZ", "Asia/Kathmandu");
    ::tzset();
    ManualClock late{b.now() - 300'000};
    const std::string elsewhere = told(*there, late);
    qunsetenv("TZ");
    ::tzset();
    QCOMPARE(elsewhere, here);
    QVERIFY2(here.find("dead") == std::string::npos && here.find('Z') != std::string::npos, here.c_str());
    QCOMPARE(b.summary(id).activity, Activity::Executing);
    a.settle();
    static_cast<void>(a.answer(a.open(id, "do"), done()));
    QVERIFY(b.state(id).closed);
    QCOMPARE(b.step(id, "do").attempts, 1U);
    QCOMPARE(b.verified(id), std::string());
}

// A half-open link, as an engine or a console has one: what was committed meanwhile is found by the poll, and
// the link listens again, with a look at everything. Engines: tests/engine/tst_engine_half_open, with the
// restart of the server; the console: tests/ui/tst_postgres_listener.
void TestPostgres::c47_aDeafListenerIsFoundAndMadeAnew()
{
    Bench b(Kept::Postgres);
    b.add(workflow("one", "{'name':'do','tool':'pay','input':{}}"));
    EngineStandIn engine(b, {});
    Scratch folder;
    const RawPg raw(serverUrl());
    CuttingProxy between(folder.file(".s.PGSQL.5432"),
        std::string(PQhost(raw.conn)) + "/.s.PGSQL." + std::string(PQport(raw.conn)), std::string());
    std::atomic<int> wakes = 0;
    HintOptions options;
    options.interval = 300;  // between two probes
    options.wake = [&wakes] { ++wakes; };
    const auto link = must(
        postgres::openHints("postgresql:///cairn?host=" + folder.path() + "&port=5432&user=cairn", options));
    const auto state = [&link] { return link->health().state; };
    constexpr int kPatience = 60'000;
    // Once it was heard it stays so: the macro asks a last time when it is through.
    bool told = false;
    const auto heard = [&link, &told] { return told = told || link->take() != hint::kNone; };
    QTRY_VERIFY_WITH_TIMEOUT(state() == HintHealth::State::Listening, kPatience);
    static_cast<void>(link->take());
    run("SELECT pg_notify('cairn_hints', 'anything')");
    QTRY_VERIFY_WITH_TIMEOUT(heard(), kPatience);
    between.swallowListeners();
    QCOMPARE(between.swallowed(), 1);
    const RunId id = b.started("one");
    engine.settle();  // the poll
    QVERIFY(b.state(id).closed);
    QTRY_VERIFY_WITH_TIMEOUT(between.listeners() >= 2 && state() == HintHealth::State::Listening, kPatience);
    HintSet missed = hint::kNone;  // it scans for what it missed
    QTRY_VERIFY_WITH_TIMEOUT((missed = static_cast<HintSet>(missed | link->take())) == hint::kAll, kPatience);
    QVERIFY(wakes > 0);
    told = false;
    run("SELECT pg_notify('cairn_hints', 'anything')");
    QTRY_VERIFY_WITH_TIMEOUT(heard(), kPatience);
    engine.settle();
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    QCOMPARE(b.verified(id), std::string());
}

void TestPostgres::c45_otherIsolationLevels_data()
{
    QTest::addColumn<QByteArray>("level");
    QTest::newRow("repeatable read") << QByteArray("repeatable read");
    QTest::newRow("serializable") << QByteArray("serializable");
}

namespace {

constexpr int kRuns = 125, kSteps = 16;  // 2,000 steps
constexpr int kLooks = 40;               // of each other in a phase: it meets the workers, and lets them work
constexpr SpanMs kLong = 3'600'000;      // a lease: the stand-in does not renew it

// One call in seven fails the first time, without an effect.
Answer flaky(Bench& b, const Call& call)
{
    if (call.step % 7 == 3 && call.number == 1)
        return fails(FailureClass::Retryable);
    b.effectd.note(b.now(), call.id, call.key, {});
    return done();
}

std::string chain()
{
    std::string steps;
    for (int i = 0; i < kSteps; ++i)
        steps += (i == 0 ? "" : ",") + ("{'name':'s" + std::to_string(i)) + "','tool':'note'"
            + (i == 0 ? "" : ",'after':['s" + std::to_string(i - 1) + "']") + ",'input':{}}";
    return steps;
}

// Every run is folded in the end: here one commit in sixteen is, or the checks would take most of the time.
EngineSettings worker(const std::string& name)
{
    EngineSettings settings{name, {}, kLong};
    settings.verifyOneIn = 16;
    return settings;
}

// Until the workers have come to rest: whoever has a look at everything, and whoever edits anything.
struct Others {
    explicit Others(Bench& bench, const std::vector<RunId>& all)
        : b(bench)
        , runs(all)
    {
    }
    // As c08 has it: the runs of owners that are gone, attempts whose time is up. Here nobody is, and none
    // is.
    void sweep(const std::atomic<int>& working)
    {
        const auto store = b.connect();
        ClockedReader reader(*store, b.clock);
        auto queue = makeInlineQueue(*store);
        SeededRng rng(21);
        Service service(reader, *queue, b.clock, rng, {});
        service.setSessionEnded([&](const SessionId& id) { return Bench::sessionEnded(*store, id); });
        for (int look = 0; look < kLooks && working > 0; ++look) {
            for (const SessionRow& row : must(store->sessions(false)))
                if (must(store->endSession(row.id, b.now(), b.now())))
                    ++wrong;
            const RunId& id = runs[rng.below(runs.size())];
            for (auto body : {cmd::Body(cmd::FireTimers{}), cmd::Body(cmd::Recover{})}) {
                const auto kind = service.submitAndWait(Bench::command(id, body)).kind;
                wrong += kind == Outcome::Kind::Failed ? 1 : 0;
            }
        }
    }
    void edit(const std::atomic<int>& working)
    {
        const auto store = b.connect();
        ClockedReader reader(*store, b.clock);
        auto queue = makeInlineQueue(*store);
        SeededRng rng(22);
        Service service(reader, *queue, b.clock, rng, {});
        for (int look = 0; look < kLooks && working > 0; ++look) {
            const RunId& id = runs[rng.below(runs.size())];
            for (auto body : {cmd::Body(cmd::SetPaused{true}),
                     cmd::Body(cmd::SetDeadline{b.now() + 9'000'000}), cmd::Body(cmd::SetPaused{false})}) {
                const auto kind = service.submitAndWait(b.act(id, body)).kind;
                edits += kind == Outcome::Kind::Committed ? 1 : 0;
                wrong += kind == Outcome::Kind::Failed ? 1 : 0;
            }
        }
    }

    Bench& b;
    const std::vector<RunId>& runs;
    std::atomic<int> wrong = 0, edits = 0;
};

// No attempt is under way without anybody, none is one too many, and each effect is there once.
void eachEffectOnce(Bench& b, const std::vector<RunId>& runs)
{
    QCOMPARE(value("SELECT count(*) FROM cairn.attempts WHERE ended_at = 0"), std::string("0"));
    std::set<std::string> keys;
    for (const Effectd::Line& line : b.effectd.lines)
        keys.insert(line.key);
    QCOMPARE(keys.size(), std::size_t(kRuns * kSteps));
    QCOMPARE(b.effectd.lines.size(), std::size_t(kRuns * kSteps));
    for (const RunId& id : runs) {
        const RunState state = b.state(id);
        QCOMPARE(state.closedAs, Activity::Completed);
        for (const StepRecord& record : state.steps)
            QVERIFY(record.attempts <= 3U);
        QCOMPARE(b.verified(id), std::string());
    }
}

}  // namespace

// One of the workers is killed in the middle, and another comes.
void TestPostgres::c45_otherIsolationLevels()
{
    QFETCH(QByteArray, level);
    run("ALTER ROLE cairn SET default_transaction_isolation = '" + level.toStdString() + "'");
    QCOMPARE(value("SHOW transaction_isolation"), level.toStdString());
    Bench b(Kept::Postgres);
    b.add(workflow("chain", chain()));
    b.tools["note"] = [&](const Call& call) { return flaky(b, call); };
    std::vector<RunId> runs;
    for (int i = 0; i < kRuns; ++i)
        runs.push_back(b.started("chain"));
    std::vector<std::unique_ptr<EngineStandIn>> engines;
    for (const char* name : {"w1", "w2"})
        engines.push_back(std::make_unique<EngineStandIn>(b, worker(name)));
    engines.front()->dieAfterCommit(100);
    static_cast<void>(engines.front()->turn());  // it has runs of its own before the other asks
    Others others(b, runs);
    const auto open = [] { return value("SELECT count(*) FROM cairn.run_list WHERE ended_at = 0"); };
    bool died = false;
    for (int phase = 0; phase < 400 && open() != "0"; ++phase) {
        std::atomic<int> working = 0;
        std::vector<std::jthread> threads;
        for (const auto& engine : engines) {
            if (engine->dead())
                continue;
            ++working;
            threads.emplace_back([&engine = *engine, &working] {
                for (int idle = 0; idle < 20 && !engine.dead();)
                    idle = engine.turn() ? 0 : idle + 1;
                --working;
            });
        }
        threads.emplace_back([&] { others.sweep(working); });
        threads.emplace_back([&] { others.edit(working); });
        threads.clear();
        if (!died && engines.front()->dead()) {
            died = true;
            b.bury(*engines.front());
            engines.push_back(std::make_unique<EngineStandIn>(b, worker("w3")));
        }
        b.advance(5'000);
    }
    QCOMPARE(open(), std::string("0"));
    QVERIFY2(died, "the first worker was never killed");
    QCOMPARE(others.wrong.load(), 0);
    QVERIFY2(others.edits > 20, "the console never met the workers");
    for (const auto& engine : engines)
        for (const Error& error : engine->errors)
            QVERIFY2(false, errorLine(error).c_str());
    eachEffectOnce(b, runs);
    QVERIFY(must(b.store->check(true)).empty());
}

CAIRN_CASES(TestPostgres, "postgres")
#include "cases_postgres.moc"
