// A store that moves: all of it comes along, wherever it is stopped it goes on, at no instant do both places
// take writes, and engines finish in the new place what was under way, without doing anything twice.

#include "core/base/failpoint.h"
#include "tests/service/copy_harness.h"
#include "tests/store/sqlite_fixture.h"

#include <fstream>

using namespace cairn;
using namespace cairn::testing;

class TestCopyStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure({}); }
    void everythingComesAlong_data();
    void everythingComesAlong();
    void stoppedAnywhereItGoesOn_data();
    void stoppedAnywhereItGoesOn();
    void enginesFinishItInTheNewPlace();
    void anEngineThatSleptEndsWhereItsStoreWasMoved();
    void aKeyBelongsToItsRunInTheNewPlaceAlone();
    void itEndsBetweenGroupsWhenAskedTo();
    void whatCannotBeMovedIsRefusedBeforeAnythingIsDone_data();
    void whatCannotBeMovedIsRefusedBeforeAnythingIsDone();
    void aLivingEngineIsNamed();
    void onlyOneCopyOfAMoveEverOpens();
    void aMoveThatIsGivenUpLeavesTheStoreAsItWas_data();
    void aMoveThatIsGivenUpLeavesTheStoreAsItWas();
    void aMoveThatIsGivenUpMeanwhileNeverOpensItsCopy();
    void aCopyThatIsOpenIsNotGivenUp();
    void theWayBackIsAnotherMove();
    void aPreviewSaysWhatWouldHappenAndDoesNothing();
    void aDamagedCopyIsNotOpened();
};

namespace {

std::string errorOf(const Result<CopyReport>& report) { return report ? "moved" : report.error().text; }

// A place of the wanted kind where nothing is.
Place placeFor(const QString& kind, const Clock& clock, const Scratch& folder, const std::string& name)
{
    return kind == QLatin1String("memory") ? memoryPlace(clock) : sqlitePlace(folder.file(name));
}

// As it was when its engine died; each test moves a copy of it.
const Lived& small()
{
    static const Lived lived(3U << 20U, 2);
    return lived;
}
Place copyOfSmall() { return memoryPlace(small().c.clock, copyOf(*small().c.db)); }

FenceKind fenceAt(const Place& place)
{
    const auto info = place.writer()->info();
    const auto fence = info ? fenceOf(info->minWriter) : std::nullopt;
    if (!fence)
        qFatal("no fence");
    return fence->kind;
}

std::size_t auditsOf(const Place& place)
{
    const auto rows = place.writer()->audit(0, 10'000);
    return rows ? rows->size() : 0;
}

}  // namespace

void TestCopyStore::everythingComesAlong_data()
{
    QTest::addColumn<QString>("to");
    QTest::newRow("to a file") << QStringLiteral("sqlite");
    QTest::newRow("to memory") << QStringLiteral("memory");
}

void TestCopyStore::everythingComesAlong()
{
    QFETCH(QString, to);
    Lived lived(20U << 20U, 300);
    const Scratch folder;
    const Place from = memoryPlace(lived.c.clock, lived.c.db);
    const Place there = placeFor(to, lived.c.clock, folder, "to.db");
    const Content before(*from.writer());
    const auto info = from.writer()->info();
    const std::size_t acts = auditsOf(from);
    std::uint64_t told = 0;
    const auto report = move(
        from, there, lived.c.rng, [] { return false; },
        [&](const CopyProgress& progress) { told = std::max(told, progress.runs); });
    CAIRN_VERIFY_OK(report);
    QVERIFY(!report->already);
    QCOMPARE(report->runs, std::uint64_t(before.runs.size()));
    QCOMPARE(report->verified, report->runs);
    QCOMPARE(told, report->runs);
    QVERIFY2(report->notes.empty(), report->notes.empty() ? "" : report->notes.front().c_str());
    const auto store = there.writer();
    QCOMPARE(Content(*store).differsFrom(before), std::string());
    const auto now = store->info();
    CAIRN_VERIFY_OK(now);
    QCOMPARE(now->id, info->id);
    QCOMPARE(now->salt, info->salt);
    QCOMPARE(now->seed, info->seed);
    QCOMPARE(now->environment, info->environment);
    QCOMPARE(now->createdAt, info->createdAt);
    QVERIFY(now->testClock);
    QCOMPARE(now->minWriter, std::uint32_t(kMaxFormat));
    // What was known of either store beforehand, and one entry in each about the move.
    QCOMPARE(auditsOf(from), acts + 1);
    QCOMPARE(auditsOf(there), acts + 2);
    const auto rows = store->audit(acts, 10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->at(0).after, "{\"to\":" + jsonQuote(there.name) + "}");
    QCOMPARE(rows->at(0).verb, Verb::CopyStore);
    QCOMPARE(rows->at(0).reason, std::string("the file has become too large"));
    QVERIFY(rows->at(1).before.find(jsonQuote(from.name)) != std::string::npos);
    const auto problems = store->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    QVERIFY(takesWrites(there));
    QVERIFY(!takesWrites(from));
    // The same command again.
    const auto again = move(from, there, lived.c.rng);
    CAIRN_VERIFY_OK(again);
    QVERIFY(again->already);
    QCOMPARE(auditsOf(there), acts + 2);
}

void TestCopyStore::stoppedAnywhereItGoesOn_data()
{
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("point");
    for (const char* to : {"memory", "sqlite"}) {
        for (const char* point : {"fenced", "made", "bound", "audit", "shared", "chunk", "group", "copied",
                 "compared", "moved", "opened"})
            QTest::addRow("%s, copy.%s", to, point)
                << QString::fromLatin1(to) << QStringLiteral("copy.") + QString::fromLatin1(point);
    }
    QTest::addRow("sqlite, before each commit")
        << QStringLiteral("sqlite") << QStringLiteral("store.before_commit");
}

void TestCopyStore::stoppedAnywhereItGoesOn()
{
    QFETCH(QString, to);
    QFETCH(QString, point);
    SeededRng rng(3);
    const Content before(*copyOfSmall().writer());
    std::uint64_t hits = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        const Scratch folder;
        const Place from = copyOfSmall();
        const Place there = placeFor(to, small().c.clock, folder, "to.db");
        QVERIFY(failpoint::configure(point.toStdString() + "=error@" + std::to_string(nth)));
        const auto stopped = move(from, there, rng);
        const std::uint64_t counted = failpoint::counts()[point.toStdString()];
        failpoint::configure({});
        if (counted < nth)  // it was not met so often
            break;
        ++hits;
        QVERIFY2(!stopped, "it was to be stopped");
        const bool open = takesWrites(there);
        QVERIFY2(!takesWrites(from), "the store that is left takes writes");
        QCOMPARE(open, point == QLatin1String("copy.opened"));
        const auto report = move(from, there, rng);
        QVERIFY2(report, errorOf(report).c_str());
        QCOMPARE(report->already, open);
        QCOMPARE(Content(*there.writer()).differsFrom(before), std::string());
        QVERIFY(!takesWrites(from));
        QVERIFY(takesWrites(there));
        const auto problems = there.writer()->check(true);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    }
    QVERIFY2(hits >= 1, "this point was never met");
    if (point == QLatin1String("copy.chunk"))
        QCOMPARE(hits, std::uint64_t(3));
    if (point == QLatin1String("copy.group"))
        QVERIFY(hits >= 2);
}

namespace {

// An engine on the moved store, whose clock goes on from where the old one's was.
struct NewPlace {
    explicit NewPlace(const Place& place)
        : store(place.writer())
        , writer(place.writer())
        , queue(makeInlineQueue(*writer))
        , processes(4000, gone)
        , pool(*store)
        , client(*store, *queue, clock, rng, {})
    {
        clock = small().c.clock;
        keepTime();
        EngineConfig config = Cluster::config("new");
        core = std::make_unique<EngineCore>(
            EngineSeams{clock, rng, *store, *queue, executor, processes, &pool}, config);
        if (const Status opened = core->open(); !opened)
            qFatal("%s", opened.error().text.c_str());
    }
    void keepTime()
    {
        if (const Status moved = writer->setClockOffset(clock.wallMs() - SystemClock().wallMs()); !moved)
            qFatal("%s", moved.error().text.c_str());
    }
    void pass(SpanMs span)
    {
        for (SpanMs gone_ = 0; gone_ < span; gone_ += 50) {
            clock.advance(50);
            keepTime();
            for (int i = 0; i < 200 && core->tick() == 0; ++i) { }
        }
    }
    RunState load(const RunId& run)
    {
        auto state = client.load(run);
        if (!state)
            qFatal("%s", state.error().text.c_str());
        return *std::move(state);
    }
    Outcome act(const std::string& name, cmd::Body body)
    {
        Submission s;
        s.run = small().runs.at(name);
        s.command.actor = {ActorKind::Person, "kim"};
        s.command.body = std::move(body);
        s.reason = "because of a test";
        return client.submitAndWait(std::move(s));
    }
    std::size_t startsOf(const std::string& name) const
    {
        const RunId run = small().runs.at(name);
        return static_cast<std::size_t>(std::count_if(executor.started.begin(), executor.started.end(),
            [&](const StartOrder& order) { return order.run == run; }));
    }

    ManualClock clock;
    SeededRng rng{99};
    std::set<std::int64_t> gone;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<CommitQueue> queue;
    FakeExecutor executor;
    FakeProcesses processes;
    FakePool pool;
    Service client;
    std::unique_ptr<EngineCore> core;
};

}  // namespace

void TestCopyStore::enginesFinishItInTheNewPlace()
{
    const Scratch folder;
    SeededRng rng(4);
    const Place there = sqlitePlace(folder.file("to.db"));
    CAIRN_VERIFY_OK(move(copyOfSmall(), there, rng));
    NewPlace n(there);
    const auto run = [](const char* name) { return small().runs.at(name); };
    n.pass(2'000);
    // What only reads is read again; what may have been paid is asked for, and not paid again.
    QCOMPARE(n.startsOf("in flight"), std::size_t(1));
    for (const char* name : {"pays", "cross 1", "cross 2"}) {
        QCOMPARE(n.startsOf(name), std::size_t(0));
        QVERIFY2(!n.load(run(name)).unknown.empty(), name);
    }
    QCOMPARE(n.load(run("waits for pays")).find("a")->reason, Reason::EffectInFlight);
    // A person settles it, and who waited for it goes on with its result.
    const auto settle = [&](const char* name, const char* step) {
        cmd::Settle body;
        body.step = step;
        body.as = cmd::SettleAs::Happened;
        return told(n.act(name, body));
    };
    QCOMPARE(settle("pays", "a").substr(0, 9), std::string("Committed"));
    n.pass(2'000);
    QCOMPARE(n.load(run("waits for pays")).closedAs, Activity::Completed);
    QCOMPARE(settle("cross 1", "x").substr(0, 9), std::string("Committed"));
    QCOMPARE(settle("cross 2", "y").substr(0, 9), std::string("Committed"));
    n.pass(2'000);
    for (const char* name : {"pays", "waits for pays", "cross 1", "cross 2"}) {
        QVERIFY2(n.load(run(name)).closed, name);
        QCOMPARE(n.startsOf(name), std::size_t(0));
    }
    // The message that was under way has come: the child of the cancelled parent is cancelled too.
    QVERIFY(n.load(run("cancelled parent")).closed);
    QCOMPARE(n.load(n.load(run("cancelled parent")).children.front().run).closedAs, Activity::Cancelled);
    // An approval that was asked for in the old place is given in the new one.
    QCOMPARE(n.startsOf("asks"), std::size_t(0));
    QVERIFY(n.act("asks", cmd::Decide{n.load(run("asks")).find("a")->approval, true, {}}).ok());
    n.pass(1'000);
    QCOMPARE(n.startsOf("asks"), std::size_t(1));
    // Time goes on: the timer fires once, a wait for the provider is kept, and a retry comes.
    QVERIFY(!n.load(run("nap")).closed);
    QCOMPARE(n.startsOf("limited"), std::size_t(0));
    n.pass(60'000);
    QVERIFY(n.load(run("nap")).closed);
    QCOMPARE(n.startsOf("retry"), std::size_t(1));
    n.pass(60'000);
    QCOMPARE(n.startsOf("limited"), std::size_t(1));
    // What was rung before is not rung again; what is rung now is heard.
    const RunId bell = run("bell");
    const std::uint64_t version = n.load(bell).version;
    QCOMPARE(
        n.client.submitAndWait(Lived::ringing(n.client, bell, "noise", "7")).kind, Outcome::Kind::NoChange);
    QVERIFY(n.client.submitAndWait(Lived::ringing(n.client, bell, "rung", "new 1")).ok());
    QVERIFY(n.client.submitAndWait(Lived::ringing(n.client, bell, "again", "new 2")).ok());
    n.pass(1'000);
    QVERIFY(n.load(bell).closed);
    QVERIFY(n.load(bell).version >= version + 2);
    for (const auto& [name, id] : small().runs) {
        const auto problems = verifyRun(*n.store, id);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    }
}

void TestCopyStore::anEngineThatSleptEndsWhereItsStoreWasMoved()
{
    Cluster c;
    c.add(flow("look", R"({"name":"a","tool":"look"})"));
    Node& node = c.engine();
    const RunId run = c.start("look");
    c.settle();
    QCOMPARE(node.executor.started.size(), std::size_t(1));
    c.clock.advance(2 * Lived::kLease);
    const Place there = memoryPlace(c.clock);
    CAIRN_VERIFY_OK(move(memoryPlace(c.clock, c.db), there, c.rng));
    node.executor.complete(0);
    c.pass(5'000);
    QVERIFY(node.core->hopeless());
    QCOMPARE(*node.core->hopeless(), fenceError({FenceKind::Moved, 0}));
    QCOMPARE(c.load(run).version, there.writer()->hot(run)->version);
}

void TestCopyStore::aKeyBelongsToItsRunInTheNewPlaceAlone()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place there = memoryPlace(small().c.clock);
    CAIRN_VERIFY_OK(move(from, there, rng));
    const auto start = [&](const Place& place, const std::string& key, const std::string& input) {
        const auto store = place.writer();
        const auto queue = makeInlineQueue(*store);
        Service service(*store, *queue, small().c.clock, rng, {});
        Submission s;
        s.workflow = "look";
        s.key = key;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(service.newPayload(input, "application/json"));
        cmd::Start body;
        body.input = s.payloads.back().ref;
        s.command.body = body;
        return service.submitAndWait(std::move(s));
    };
    const Outcome same = start(there, "key of done", "null");
    QCOMPARE(same.kind, Outcome::Kind::Existing);
    QCOMPARE(same.run, small().runs.at("done"));
    QCOMPARE(start(there, "key of done", "1").kind, Outcome::Kind::Rejected);
    QCOMPARE(start(there, "another key", "1").kind, Outcome::Kind::Committed);
    for (const char* key : {"key of done", "a new key", ""}) {
        const Outcome moved = start(from, key, "null");
        QCOMPARE(moved.kind, Outcome::Kind::Failed);
        QCOMPARE(moved.error.text, fenceError({FenceKind::Moved, 0}).text);
    }
}

void TestCopyStore::itEndsBetweenGroupsWhenAskedTo()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place there = memoryPlace(small().c.clock);
    int calls = 0;
    int last = 1;
    for (;; ++last) {
        calls = 0;
        const auto stopped = move(from, there, rng, [&] { return ++calls >= last; });
        if (stopped)
            break;
        QCOMPARE(stopped.error().kind, ErrorKind::Cancelled);
        QVERIFY(!takesWrites(from));
        QVERIFY(!takesWrites(there));
    }
    QVERIFY(last > 3);
    QCOMPARE(Content(*there.writer()).differsFrom(Content(*copyOfSmall().writer())), std::string());
}

void TestCopyStore::whatCannotBeMovedIsRefusedBeforeAnythingIsDone_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("told");
    QTest::newRow("an older format") << QStringLiteral("format")
                                     << QStringLiteral("cairn store migrate --contract");
    QTest::newRow("a redacted payload")
        << QStringLiteral("redacted") << QStringLiteral("has a redacted payload");
    QTest::newRow("an act that waits")
        << QStringLiteral("act") << QStringLiteral("an act that was left for an engine still waits");
    QTest::newRow("a store in the way") << QStringLiteral("there") << QStringLiteral("there is a store at");
    QTest::newRow("itself") << QStringLiteral("itself") << QStringLiteral("there is a store at");
    QTest::newRow("a file in the way") << QStringLiteral("file") << QStringLiteral("to.db");
}

void TestCopyStore::whatCannotBeMovedIsRefusedBeforeAnythingIsDone()
{
    QFETCH(QString, what);
    QFETCH(QString, told);
    SeededRng rng(4);
    const Scratch folder;
    // On a file, which somebody with a shell can change.
    const Place from = sqlitePlace(folder.file("from.db"));
    CAIRN_VERIFY_OK(move(copyOfSmall(), from, rng));
    Place there = sqlitePlace(folder.file("to.db"));
    Place opened = from;
    if (what == QLatin1String("format")) {
        const RawDb raw(folder.file("from.db"));
        QCOMPARE(raw.exec("UPDATE meta SET write_format = 1"), std::string());
    } else if (what == QLatin1String("redacted")) {
        const RawDb raw(folder.file("from.db"));
        QCOMPARE(raw.exec("UPDATE payloads SET bytes = NULL, salt = NULL, redacted_by = 1 WHERE rowid = "
                          "(SELECT min(rowid) FROM payloads WHERE artifact IS NULL)"),
            std::string());
    } else if (what == QLatin1String("act")) {
        class Waiting : public HookedStore {
        public:
            using HookedStore::HookedStore;
            Result<std::vector<StagedAct>> waitingActs(std::size_t) override
            {
                return std::vector<StagedAct>(1);
            }
        };
        opened.open = [from](const StoreOptions& options) -> Result<std::unique_ptr<StoreWriter>> {
            const auto never = [](const char*, Access) { return std::optional<Error>(); };
            CAIRN_TRY_ASSIGN(auto store, from.open(options));
            return std::unique_ptr<StoreWriter>(
                std::make_unique<Waiting>(std::move(store), StoreHooks{never, never}));
        };
    } else if (what == QLatin1String("there")) {
        CAIRN_VERIFY_OK(there.make({}));
    } else if (what == QLatin1String("itself")) {
        there = from;
    } else {
        std::ofstream(folder.file("to.db")) << std::string(8192, 'x');
    }
    const auto refused = move(opened, there, rng);
    QVERIFY2(!refused && refused.error().text.find(told.toStdString()) != std::string::npos,
        errorOf(refused).c_str());
    QVERIFY(!fenceOf(from.writer()->info()->minWriter));
    if (what != QLatin1String("format") && what != QLatin1String("redacted"))
        QVERIFY(takesWrites(from));
}

void TestCopyStore::aLivingEngineIsNamed()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place there = memoryPlace(small().c.clock);
    SessionRow session;
    session.id = makeId<SessionId>(small().c.clock.wallMs(), rng);
    session.name = "night shift";
    session.host = "rack-7";
    session.pid = 4711;
    session.leaseUntil = small().c.clock.wallMs() + 1'000;
    CAIRN_VERIFY_OK(from.writer()->openSession(session));
    const auto refused = move(from, there, rng);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Refused);
    QVERIFY(
        refused.error().text.find("an engine still lives: night shift on rack-7, process 4711; end it") == 0);
    // Also where it came after the look at the store.
    const auto late = from.writer()->changeFence(
        {kMaxFormat, minWriterOf({FenceKind::Leaving, 0}), true, {}, std::nullopt});
    QVERIFY(!late);
    QCOMPARE(late.error(), refused.error());
    QVERIFY(takesWrites(from));
    QCOMPARE(*from.writer()->endSession(session.id, small().c.clock.wallMs(), kNoTime), true);
    CAIRN_VERIFY_OK(move(from, there, rng));
    // And afterwards none can begin.
    session.id = makeId<SessionId>(small().c.clock.wallMs(), rng);
    QVERIFY(!from.writer()->openSession(session));
}

void TestCopyStore::onlyOneCopyOfAMoveEverOpens()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place first = memoryPlace(small().c.clock);
    const Place second = memoryPlace(small().c.clock);
    QVERIFY(failpoint::configure("copy.made=error@1"));
    QVERIFY(!move(from, first, rng));
    QVERIFY(failpoint::configure("copy.copied=error@1"));
    QVERIFY(!move(from, second, rng));  // the first was made and not yet named: this one is
    failpoint::configure({});
    const auto refused = move(from, first, rng);
    QVERIFY2(!refused && refused.error().text.find("another copy of this one") != std::string::npos,
        errorOf(refused).c_str());
    const auto third = move(from, memoryPlace(small().c.clock), rng);
    QVERIFY2(!third && third.error().text.find("the copy that this move fills is not at") == 0,
        errorOf(third).c_str());
    CAIRN_VERIFY_OK(move(from, second, rng));
    QVERIFY(!move(from, first, rng));
    QVERIFY(!takesWrites(first));
    QVERIFY(takesWrites(second));
    // The wrong way round, too.
    const auto reversed = move(first, from, rng);
    QVERIFY(!reversed);
    QCOMPARE(reversed.error().text, fenceError({FenceKind::Filling, 0}).text);
}

void TestCopyStore::aMoveThatIsGivenUpLeavesTheStoreAsItWas_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point : {"fenced", "made", "bound", "audit", "group", "compared", "moved"})
        QTest::newRow(point) << QStringLiteral("copy.") + QString::fromLatin1(point);
}

void TestCopyStore::aMoveThatIsGivenUpLeavesTheStoreAsItWas()
{
    QFETCH(QString, point);
    SeededRng rng(4);
    const Scratch folder;
    const Place from = copyOfSmall();
    const Place there = sqlitePlace(folder.file("to.db"));
    const Content before(*from.writer());
    const std::size_t acts = auditsOf(from);
    QVERIFY(failpoint::configure(point.toStdString() + "=error@1"));
    QVERIFY(!move(from, there, rng));
    // Killed in the middle, and again.
    QVERIFY(failpoint::configure("copy.shut=error@1"));
    const auto giveUp = [&] {
        const auto store = from.writer();
        return abandonCopy({*store, from.name, there.door(), rng, byKim()});
    };
    QVERIFY(!giveUp());
    failpoint::configure({});
    QVERIFY(!takesWrites(from));
    const auto given = giveUp();
    QVERIFY2(given, errorOf(given).c_str());
    QVERIFY(takesWrites(from));
    QVERIFY(!takesWrites(there));
    QCOMPARE(auditsOf(from), acts + 2);
    const auto last = from.writer()->audit(acts + 1, 1);
    QCOMPARE(last->front().after, std::string("{\"abandoned\":true}"));
    QVERIFY(!giveUp());
    if (point != QLatin1String("copy.fenced")) {
        QCOMPARE(fenceAt(there), FenceKind::Abandoned);
        const auto again = move(from, there, rng);
        QVERIFY2(!again && again.error().text.find("there is a store at") == 0, errorOf(again).c_str());
    }
    const Place other = memoryPlace(small().c.clock);
    CAIRN_VERIFY_OK(move(from, other, rng));
    Content after(*other.writer());
    std::erase_if(after.lines, [](const std::string& line) { return line.find("resource | probe") == 0; });
    QCOMPARE(after.differsFrom(before), std::string());
}

// By another process, while this one copies.
void TestCopyStore::aMoveThatIsGivenUpMeanwhileNeverOpensItsCopy()
{
    for (const bool found : {true, false}) {
        SeededRng rng(4);
        const Place from = copyOfSmall();
        const Place there = memoryPlace(small().c.clock);
        const Place other = memoryPlace(small().c.clock);
        bool done = false;
        const auto report = move(
            from, there, rng, [] { return false; },
            [&](const CopyProgress& progress) {
                if (done || progress.doing != "compared")
                    return;
                done = true;
                const auto store = from.writer();
                const auto given =
                    abandonCopy({*store, from.name, found ? there.door() : other.door(), rng, byKim()});
                QVERIFY2(given, errorOf(given).c_str());
                // And begun once more, to another place.
                QVERIFY(failpoint::configure("copy.bound=error@1"));
                QVERIFY(!move(from, other, rng));
                failpoint::configure({});
            });
        QVERIFY(done);
        QVERIFY(!report);
        QVERIFY(!takesWrites(there));
        QVERIFY(!takesWrites(from));
        CAIRN_VERIFY_OK(move(from, other, rng));
        QVERIFY(takesWrites(other));
        QVERIFY(!takesWrites(there));
    }
}

void TestCopyStore::aCopyThatIsOpenIsNotGivenUp()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place there = memoryPlace(small().c.clock);
    const auto giveUp = [&](const Place& to) {
        const auto store = from.writer();
        const auto given = abandonCopy({*store, from.name, to.door(), rng, byKim()});
        return errorOf(given);
    };
    QCOMPARE(giveUp(there), std::string("this store is not being moved"));
    CAIRN_VERIFY_OK(move(from, there, rng));
    QVERIFY(giveUp(there).find("takes writes: the move is done") != std::string::npos);
    QVERIFY(giveUp(memoryPlace(small().c.clock)).find("the copy is not at") == 0);
    QVERIFY(!takesWrites(from));
    QVERIFY(takesWrites(there));
}

void TestCopyStore::theWayBackIsAnotherMove()
{
    SeededRng rng(4);
    const Scratch folder;
    const Place from = copyOfSmall();
    const Place there = sqlitePlace(folder.file("to.db"));
    const Place back = memoryPlace(small().c.clock);
    const Content before(*from.writer());
    CAIRN_VERIFY_OK(move(from, there, rng));
    const auto occupied = move(there, from, rng);
    QVERIFY2(!occupied && occupied.error().text.find("there is a store at") == 0, errorOf(occupied).c_str());
    CAIRN_VERIFY_OK(move(there, back, rng));
    QCOMPARE(Content(*back.writer()).differsFrom(before), std::string());
    QVERIFY(!takesWrites(from));
    QVERIFY(!takesWrites(there));
    QVERIFY(takesWrites(back));
}

void TestCopyStore::aPreviewSaysWhatWouldHappenAndDoesNothing()
{
    SeededRng rng(4);
    const Place from = copyOfSmall();
    const Place there = memoryPlace(small().c.clock);
    const auto say = [&] {
        const auto text = previewCopy(*from.writer(), there.door());
        return text ? *text : "refused: " + text.error().text;
    };
    QVERIFY2(say().find("nothing is written into this store from now on; ") == 0, say().c_str());
    QVERIFY(takesWrites(from));
    QVERIFY(!there.open({}));
    QCOMPARE(previewAbandon(*from.writer(), there.door()).error().text,
        std::string("this store is not being moved"));
    QVERIFY(failpoint::configure("copy.group=error@1"));
    QVERIFY(!move(from, there, rng));
    failpoint::configure({});
    QVERIFY2(say().find("the move to memory: goes on; ") == 0, say().c_str());
    QCOMPARE(*previewAbandon(*from.writer(), there.door()),
        std::string("engines may use this store again; the copy at memory: is shut for good"));
    QCOMPARE(fenceAt(from), FenceKind::Leaving);
    CAIRN_VERIFY_OK(move(from, there, rng));
    QCOMPARE(say(), std::string("nothing: it was moved to memory: before"));
}

// Whatever made it so: the copy is compared before it is opened.
void TestCopyStore::aDamagedCopyIsNotOpened()
{
    for (const char* sql : {"UPDATE run_hot SET head = zeroblob(32)",
             "UPDATE steps SET state = 5 WHERE rowid = (SELECT min(rowid) FROM steps)", "DELETE FROM outbox",
             "DELETE FROM approvals"}) {
        SeededRng rng(4);
        const Scratch folder;
        const Place from = copyOfSmall();
        const Place there = sqlitePlace(folder.file("to.db"));
        QVERIFY(failpoint::configure("copy.copied=error@1"));
        QVERIFY(!move(from, there, rng));
        failpoint::configure({});
        {
            const RawDb raw(folder.file("to.db"));
            QCOMPARE(raw.exec(sql), std::string());
        }
        QVERIFY2(!move(from, there, rng), sql);
        QVERIFY(!takesWrites(there));
        QVERIFY(!takesWrites(from));
        QCOMPARE(fenceAt(from), FenceKind::Leaving);
    }
}

QTEST_APPLESS_MAIN(TestCopyStore)
#include "tst_copy_store.moc"
