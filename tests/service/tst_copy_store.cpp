// A store that moves: all of it comes along, wherever it is stopped it goes on, at no instant do both places
// take writes, and engines finish in the new place what was under way, without doing anything twice.

#include "core/base/failpoint.h"
#include "core/base/json_scan.h"
#include "tests/service/copy_harness.h"
#include "tests/store/sqlite_fixture.h"

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
    void aFileHasTheTablesThatAreAccountedFor();
};

namespace {

// A place of the wanted kind where nothing is.
Place placeFor(const QString& kind, const Clock& clock, const Scratch& folder, const std::string& name)
{
    return kind == QLatin1String("memory") ? memoryPlace(clock) : sqlitePlace(folder.file(name));
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
    const Content before(*copyOfSmallStore().writer());
    std::uint64_t hits = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        const Scratch folder;
        const Place from = copyOfSmallStore();
        const Place there = placeFor(to, smallStore().c.clock, folder, "to.db");
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
        Content after(*there.writer());
        std::erase_if(
            after.lines, [](const std::string& line) { return line.starts_with("resource | probe"); });
        QCOMPARE(after.differsFrom(before), std::string());
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
        clock = smallStore().c.clock;
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
        s.run = smallStore().runs.at(name);
        s.command.actor = {ActorKind::Person, "kim"};
        s.command.body = std::move(body);
        s.reason = "because of a test";
        return client.submitAndWait(std::move(s));
    }
    std::size_t startsOf(const std::string& name) const
    {
        const RunId run = smallStore().runs.at(name);
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
    CAIRN_VERIFY_OK(move(copyOfSmallStore(), there, rng));
    NewPlace n(there);
    const auto run = [](const char* name) { return smallStore().runs.at(name); };
    // A move makes unfinished runs due at once, by the file's own clock; that was ahead of the test's.
    ListTerm open;
    open.unfinishedOnly = true;
    const auto unfinished = n.store->list({open}, ListOrder::NewestFirst, std::nullopt, 1'000);
    CAIRN_VERIFY_OK(unfinished);
    for (const ListRow& row : unfinished->rows)
        CAIRN_VERIFY_OK(n.store->takeOver(row.run, {}));
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
    n.pass(75'000);
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
    for (const auto& [name, id] : smallStore().runs) {
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
    const Place from = copyOfSmallStore();
    const Place there = memoryPlace(smallStore().c.clock);
    CAIRN_VERIFY_OK(move(from, there, rng));
    const auto start = [&](const Place& place, const std::string& key, const std::string& input) {
        const auto store = place.writer();
        const auto queue = makeInlineQueue(*store);
        Service service(*store, *queue, smallStore().c.clock, rng, {});
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
    QCOMPARE(same.run, smallStore().runs.at("done"));
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
    const Place from = copyOfSmallStore();
    const Place there = memoryPlace(smallStore().c.clock);
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
    QCOMPARE(Content(*there.writer()).differsFrom(Content(*copyOfSmallStore().writer())), std::string());
}

// Which of them come along, column by column: tst_copy_store_roles. A table that is new has to be added
// there, and here.
void TestCopyStore::aFileHasTheTablesThatAreAccountedFor()
{
    const Scratch folder;
    const std::string path = folder.file("store.db");
    CAIRN_VERIFY_OK(sqlite::initStore(path, {}));
    QCOMPARE(RawDb(path).value("SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE "
                               "type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name)"),
        std::string(
            "approvals artifact_chunks artifacts attempts audit change_counter checkpoint_heads checkpoints "
            "effect_waiters effects "
            "entries meta never_store "
            "outbox payloads plan_items plans policies remains resource_slices resources retention "
            "retired_keys "
            "reviews run_attributes run_hot run_list runs sessions staged_acts steps "
            "tombstones wakeups workflows"));
}

QTEST_APPLESS_MAIN(TestCopyStore)
#include "tst_copy_store.moc"
