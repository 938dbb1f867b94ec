// STO and RET: faults of the store, and its growth. SQLite alone where the case says so.

#include "tests/cases/bench.h"
#include "tests/cases/full_disk.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QFile>

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

}  // namespace

class TestSto : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void c42_busyThatNoWaitingCures();
    void c43_diskFullWhenAResultIsStored();
    void c50_historyGrowsWithWhatIsNew_data() { bothStores(); }
    void c50_historyGrowsWithWhatIsNew();
};

// 8 workers with a connection each; somebody reads for long, and a backup is made. 8 x 25 steps instead of
// 1,000.
void TestSto::c42_busyThatNoWaitingCures()
{
    constexpr int kWorkers = 8;
    constexpr int kSteps = 25;
    Bench b(Kept::Sqlite);
    std::vector<RunId> runs;
    for (int i = 0; i < kWorkers; ++i)
        runs.push_back(b.started(""));
    // A console that holds a read open over all of it.
    sqlite3* reader = nullptr;
    QCOMPARE(sqlite3_open_v2(b.path().c_str(), &reader, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    QCOMPARE(
        sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM entries", nullptr, nullptr, nullptr), SQLITE_OK);
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
    const Status backup = b.store->backup(copy);
    for (std::thread& thread : threads)
        thread.join();
    CAIRN_VERIFY_OK(backup);
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
    sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(reader);
    QCOMPARE(integrity(copy), std::string("ok"));
}

void TestSto::c43_diskFullWhenAResultIsStored()
{
    FullDisk disk;
    Bench b(Kept::Sqlite, true);
    b.add(workflow("one", "{'name':'do','tool':'pay','input':{}}"));
    int called = 0;
    b.tools["pay"] = [&](const Call& call) {
        ++called;
        b.effectd.note(b.now(), call.id, call.key, {});
        FullDisk::fill(true);  // P2: the effect is done, its result is not stored
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
    FullDisk::fill(false);  // space is given back; the engine is restarted, and what it held is lost
    engine->kill();
    b.bury(*engine);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{"w2"});
    engine->settle();
    QVERIFY(engine->errors.empty());
    QCOMPARE(called, 1);  // never repeated blindly
    QCOMPARE(b.step(run, "do").state, StepState::Unknown);
    QCOMPARE(b.summary(run).attention, Attention::UnknownEffect);
    QCOMPARE(b.verified(run), std::string());
    QCOMPARE(integrity(b.path()), std::string("ok"));
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
    const auto size = [&] {
        if (const Status checkpoint = b.store->checkpoint(); !checkpoint)
            qFatal("%s", errorLine(checkpoint.error()).c_str());
        return QFile(QString::fromStdString(b.path())).size();
    };
    std::vector<qint64> sizes;
    for (int n = 0; n < 400; ++n) {
        if (b.sqlite() && n % 200 == 0)
            sizes.push_back(size());
        const std::string problem = drive(service, run, "s" + std::to_string(n),
            "{\"n\":" + std::to_string(n) + "}", "\"" + std::string(1000, 'o') + "\"");
        QCOMPARE(problem, std::string());
    }
    if (b.sqlite()) {
        sizes.push_back(size());
        const qint64 first = sizes[1] - sizes[0];
        const qint64 second = sizes[2] - sizes[1];
        // Straight growth: the second half takes what the first took; in all a few KiB a step, never 2 MiB a
        // step.
        QVERIFY2(second <= first + first / 4, qPrintable(QString("%1 then %2").arg(first).arg(second)));
        QVERIFY2(second / 200 < 10 * 1024, qPrintable(QString::number(second / 200)));
        QVERIFY2(sizes[2] < (10 << 20), qPrintable(QString::number(sizes[2])));
    }
    QCOMPARE(b.facts<StepCompleted>(run), 400);
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(b.state(run).steps.size(), std::size_t(400));
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
}

CAIRN_CASES(TestSto, "sto")
#include "cases_sto.moc"
