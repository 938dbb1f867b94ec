// STO and RET: faults of the store, and its growth. Not in memory where the case is about a disk or about
// locks.

#include "tests/cases/bench.h"
#include "tests/cases/full_disk.h"
#include "tests/store/raw_pg.h"

#include <QtCore/QElapsedTimer>

#include <atomic>
#include <thread>

using namespace cairn;
using namespace cairn::testing;

namespace {

// One step of a driven run: asked for, done, completed. Gives what went wrong, or nothing.
std::string drive(Service& service, const RunId& run, const std::string& name, const std::string& input,
    const std::string& output)
{
    cmd::DrivenStep ask;
    ask.step.id = ask.step.name = name;
    ask.step.safety = ReplaySafety::Repeatable;
    ask.step.tool = "note";
    ask.worker = "body";
    Submission s = Bench::command(run, cmd::Advance{}, {ActorKind::Caller, "body"});
    s.payloads.push_back(service.newPayload(input, "application/json"));
    ask.input = s.payloads.back().ref;
    s.command.body = ask;
    const Outcome asked = service.submitAndWait(std::move(s));
    if (asked.kind != Outcome::Kind::Committed)
        return "step " + name + ": " + asked.rejection.text + asked.error.text;
    cmd::Complete complete;
    for (const Fact& fact : asked.entry.facts)
        if (const auto* started = std::get_if<AttemptStarted>(&fact))
            complete.attempt = started->attempt;
    s = Bench::command(run, cmd::Advance{}, {ActorKind::Worker, "body"});
    s.payloads.push_back(service.newPayload(output, "application/json"));
    complete.output = s.payloads.back().ref;
    s.command.body = complete;
    const Outcome done = service.submitAndWait(std::move(s));
    return done.kind == Outcome::Kind::Committed
        ? std::string()
        : "result of " + name + ": " + done.rejection.text + done.error.text;
}

std::string integrity(const std::string& path)
{
    sqlite3* db = nullptr;
    sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
    std::string answer;
    sqlite3_exec(
        db, "PRAGMA integrity_check",
        [](void* out, int, char** values, char**) {
            *static_cast<std::string*>(out) += values[0];
            return 0;
        },
        &answer, nullptr);
    sqlite3_close(db);
    return answer;
}

// A console that holds one view of the store for as long as this lives.
class LongReader {
public:
    explicit LongReader(const Bench& b)
    {
        if (b.onServer()) {
            m_server = std::make_unique<RawPg>(serverUrl());
            m_problem =
                m_server->exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM cairn.entries");
            return;
        }
        if (sqlite3_open_v2(b.path().c_str(), &m_file, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK
            || sqlite3_exec(m_file, "BEGIN; SELECT count(*) FROM entries", nullptr, nullptr, nullptr)
                != SQLITE_OK)
            m_problem = sqlite3_errmsg(m_file);
    }
    ~LongReader() { sqlite3_close(m_file); }
    LongReader(const LongReader&) = delete;
    LongReader& operator=(const LongReader&) = delete;
    [[nodiscard]] const std::string& problem() const { return m_problem; }

private:
    std::unique_ptr<RawPg> m_server;
    sqlite3* m_file = nullptr;
    std::string m_problem;
};

// A disk that is full when told to be. On a server: what writes runs is answered as it answers then.
class Full {
public:
    explicit Full(Kept kept)
    {
        if (kept == Kept::Sqlite)
            m_disk.emplace();
    }
    void fill(bool full) const
    {
        if (m_disk) {
            FullDisk::fill(full);
            return;
        }
        const RawPg raw(serverUrl());
        std::string sql = full
            ? "CREATE FUNCTION cairn.no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
              "EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
            : "DROP FUNCTION cairn.no_room() CASCADE";
        for (const char* table : {"payloads", "entries", "run_hot"})
            if (full)
                sql += std::string("; CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON cairn.") + table
                    + " FOR EACH ROW EXECUTE FUNCTION cairn.no_room()";
        if (const std::string error = raw.exec(sql); !error.empty())
            qFatal("%s", error.c_str());
    }

private:
    std::optional<FullDisk> m_disk;
};

Kept onDisk() { return serverUrl().empty() ? Kept::Sqlite : Kept::Postgres; }

std::string soundness(Bench& b)
{
    if (!b.onServer())
        return integrity(b.path());
    const auto problems = must(b.store->check(true));
    return problems.empty() ? "ok" : problems.front().text;
}

}  // namespace

class TestSto : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void c42_busyThatNoWaitingCures();
    void c43_diskFullWhenAResultIsStored();
    void c50_historyGrowsWithWhatIsNew_data() { bothStores(); }
    void c50_historyGrowsWithWhatIsNew();
};

// 8 workers with a connection each; somebody reads for long, and a backup is made or the tables are vacuumed.
// 1,000 steps; on SQLite, where each waits for the one before it, 200.
void TestSto::c42_busyThatNoWaitingCures()
{
    constexpr int kWorkers = 8;
    Bench b(onDisk());
    const int kSteps = b.onServer() ? 125 : 25;
    std::vector<RunId> runs;
    for (int i = 0; i < kWorkers; ++i)
        runs.push_back(b.started(""));
    const LongReader reader(b);
    QCOMPARE(reader.problem(), std::string());
    std::vector<std::string> problems(kWorkers);
    std::atomic<int> effects{0};
    std::vector<std::unique_ptr<StoreWriter>> stores;
    for (int i = 0; i < kWorkers; ++i)
        stores.push_back(b.connect());
    std::vector<std::thread> threads;
    for (int i = 0; i < kWorkers; ++i)
        threads.emplace_back([&, i] {
            SystemClock clock;
            SeededRng rng(static_cast<std::uint64_t>(100 + i));
            auto queue = makeInlineQueue(*stores[static_cast<std::size_t>(i)]);
            Service service(*stores[static_cast<std::size_t>(i)], *queue, clock, rng, {});
            for (int n = 0; n < kSteps && problems[static_cast<std::size_t>(i)].empty(); ++n) {
                ++effects;
                problems[static_cast<std::size_t>(i)] =
                    drive(service, runs[static_cast<std::size_t>(i)], "s" + std::to_string(n), "{}", "1");
            }
        });
    const std::string copy = b.path() + ".copy";
    Status backup;
    std::string vacuum;
    if (b.onServer())
        vacuum = RawPg(serverUrl()).exec("VACUUM");
    else
        backup = b.store->backup(copy);
    for (std::thread& thread : threads)
        thread.join();
    CAIRN_VERIFY_OK(backup);
    QCOMPARE(vacuum, std::string());
    for (const std::string& problem : problems)
        QCOMPARE(problem, std::string());
    QCOMPARE(effects.load(), kWorkers * kSteps);
    int results = 0;
    for (const RunId& run : runs) {
        results += b.facts<StepCompleted>(run);
        QCOMPARE(b.facts<AttemptStarted>(run), kSteps);
        QCOMPARE(b.verified(run), std::string());
    }
    QCOMPARE(results, kWorkers * kSteps);
    QCOMPARE(b.onServer() ? soundness(b) : integrity(copy), std::string("ok"));
}

void TestSto::c43_diskFullWhenAResultIsStored()
{
    const Full disk(onDisk());
    Bench b(onDisk(), true);
    b.add(workflow("one", "{'name':'do','tool':'pay','input':{}}"));
    int called = 0;
    b.tools["pay"] = [&](const Call& call) {
        ++called;
        b.effectd.note(b.now(), call.id, call.key, {});
        disk.fill(true);  // P2: the effect is done, its result is not stored
        return done("\"paid\"");
    };
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    const RunId run = b.started("one");
    engine->settle();
    QVERIFY(!engine->errors.empty());
    QCOMPARE(engine->errors.front().kind, ErrorKind::Full);
    // The cause is told, not a failed ROLLBACK after it.
    QVERIFY2(engine->errors.front().text.find("no transaction") == std::string::npos,
        engine->errors.front().text.c_str());
    QCOMPARE(b.step(run, "do").state, StepState::Running);
    const Outcome other = b.service->submitAndWait(b.start("one"));
    QCOMPARE(other.kind, Outcome::Kind::Failed);
    QCOMPARE(other.error.kind, ErrorKind::Full);
    const auto claim = b.store->claim(engine->session, b.now(), 10);
    QVERIFY(!claim || claim->empty());  // no new claims
    disk.fill(false);  // space is given back; the engine is restarted, and what it held is lost
    engine->kill();
    b.bury(*engine);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{"w2"});
    engine->settle();
    QVERIFY(engine->errors.empty());
    QCOMPARE(called, 1);  // never repeated blindly
    QCOMPARE(b.step(run, "do").state, StepState::Unknown);
    QCOMPARE(b.summary(run).attention, Attention::UnknownEffect);
    QCOMPARE(b.verified(run), std::string());
    QCOMPARE(soundness(b), std::string("ok"));
}

// 400 steps instead of 2,000, on a driven run with an input of 2 MiB that never changes.
void TestSto::c50_historyGrowsWithWhatIsNew()
{
    QFETCH(int, store);
    Bench b(kept(store));
    ServiceConfig config;
    config.verifyOneIn = 0;  // the check folds the run again: not what is measured here
    auto mine = b.connect();
    auto queue = makeInlineQueue(*mine);
    SeededRng rng(4);
    Service service(b.reader(), *queue, b.clock, rng, config);
    const std::string big = "\"" + std::string(2u << 20, 'c') + "\"";
    const RunId run = b.started("", big);
    const auto size = [&] { return static_cast<qint64>(b.size()); };
    constexpr int kSteps = 2'000;
    std::vector<qint64> sizes;
    for (int n = 0; n < kSteps; ++n) {
        if (b.onDisk() && n % (kSteps / 2) == 0)
            sizes.push_back(size());
        const std::string problem = drive(service, run, "s" + std::to_string(n),
            "{\"n\":" + std::to_string(n) + "}", "\"" + std::string(1000, 'o') + "\"");
        QCOMPARE(problem, std::string());
    }
    if (b.onDisk()) {
        sizes.push_back(size());
        const qint64 first = sizes[1] - sizes[0];
        const qint64 second = sizes[2] - sizes[1];
        // Straight growth: the second half takes what the first took; in all a few KiB a step, never 2 MiB a
        // step, which would be 4 GB.
        QVERIFY2(second <= first + first / 4, qPrintable(QString("%1 then %2").arg(first).arg(second)));
        QVERIFY2(second / (kSteps / 2) < 10 * 1024, qPrintable(QString::number(second / 200)));
        QVERIFY2(sizes[2] < (30 << 20), qPrintable(QString::number(sizes[2])));
    }
    QCOMPARE(b.facts<StepCompleted>(run), kSteps);
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(b.state(run).steps.size(), std::size_t(kSteps));
    QVERIFY2(timer.elapsed() < 2'000, qPrintable(QString::number(timer.elapsed())));
}

CAIRN_CASES(TestSto, "sto")
#include "cases_sto.moc"
