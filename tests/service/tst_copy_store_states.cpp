// What is refused before a store moves, moves that are given up, and copies that never open.

#include "core/base/failpoint.h"
#include "core/store/hooked_store.h"
#include "tests/service/copy_harness.h"
#include "tests/store/sqlite_fixture.h"

#include <fstream>

using namespace cairn;
using namespace cairn::testing;

class TestCopyStoreStates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure({}); }
    void whatCannotBeMovedIsRefusedBeforeAnythingIsDone_data();
    void whatCannotBeMovedIsRefusedBeforeAnythingIsDone();
    void aLivingEngineIsNamed();
    void onlyOneCopyOfAMoveEverOpens();
    void aMoveThatIsGivenUpLeavesTheStoreAsItWas_data();
    void aMoveThatIsGivenUpLeavesTheStoreAsItWas();
    void aMoveThatIsGivenUpMeanwhileNeverOpensItsCopy();
    void aCopyOfAMoveThatWasGivenUpIsNotTakenForANewOne();
    void aCopyThatIsOpenIsNotGivenUp();
    void theWayBackIsAnotherMove();
    void aPreviewSaysWhatWouldHappenAndDoesNothing();
    void aDamagedCopyIsNotOpened();
};

namespace {

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

void TestCopyStoreStates::whatCannotBeMovedIsRefusedBeforeAnythingIsDone_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("told");
    QTest::newRow("an older format") << QStringLiteral("format")
                                     << QStringLiteral("cairn store migrate --contract");
    QTest::newRow("an act that waits")
        << QStringLiteral("act") << QStringLiteral("an act that was left for an engine still waits");
    QTest::newRow("a store in the way") << QStringLiteral("there") << QStringLiteral("there is a store at");
    QTest::newRow("itself") << QStringLiteral("itself") << QStringLiteral("there is a store at");
    QTest::newRow("a file in the way") << QStringLiteral("file") << QStringLiteral("to.db");
}

void TestCopyStoreStates::whatCannotBeMovedIsRefusedBeforeAnythingIsDone()
{
    QFETCH(QString, what);
    QFETCH(QString, told);
    SeededRng rng(4);
    const Scratch folder;
    // On a file, which somebody with a shell can change.
    const Place from = sqlitePlace(folder.file("from.db"));
    CAIRN_VERIFY_OK(move(copyOfSmallStore(), from, rng));
    Place there = sqlitePlace(folder.file("to.db"));
    Place opened = from;
    if (what == QLatin1String("format")) {
        const RawDb raw(folder.file("from.db"));
        QCOMPARE(raw.exec("UPDATE meta SET write_format = 1"), std::string());
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
    if (what != QLatin1String("format"))
        QVERIFY(takesWrites(from));
}

void TestCopyStoreStates::aLivingEngineIsNamed()
{
    SeededRng rng(4);
    const Place from = copyOfSmallStore();
    const Place there = memoryPlace(smallStore().c.clock);
    SessionRow session;
    session.id = makeId<SessionId>(smallStore().c.clock.wallMs(), rng);
    session.name = "night shift";
    session.host = "rack-7";
    session.pid = 4711;
    session.leaseUntil = smallStore().c.clock.wallMs() + 1'000;
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
    QCOMPARE(*from.writer()->endSession(session.id, smallStore().c.clock.wallMs(), kNoTime), true);
    CAIRN_VERIFY_OK(move(from, there, rng));
    // And afterwards none can begin.
    session.id = makeId<SessionId>(smallStore().c.clock.wallMs(), rng);
    QVERIFY(!from.writer()->openSession(session));
}

void TestCopyStoreStates::onlyOneCopyOfAMoveEverOpens()
{
    SeededRng rng(4);
    const Place from = copyOfSmallStore();
    const Place first = memoryPlace(smallStore().c.clock);
    const Place second = memoryPlace(smallStore().c.clock);
    QVERIFY(failpoint::configure("copy.made=error@1"));
    QVERIFY(!move(from, first, rng));
    QVERIFY(failpoint::configure("copy.copied=error@1"));
    QVERIFY(!move(from, second, rng));  // the first was made and not yet named: this one is
    failpoint::configure({});
    const auto refused = move(from, first, rng);
    QVERIFY2(!refused && refused.error().text.find("another copy of this one") != std::string::npos,
        errorOf(refused).c_str());
    const auto third = move(from, memoryPlace(smallStore().c.clock), rng);
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

void TestCopyStoreStates::aMoveThatIsGivenUpLeavesTheStoreAsItWas_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point : {"fenced", "made", "bound", "audit", "group", "compared", "moved"})
        QTest::newRow(point) << QStringLiteral("copy.") + QString::fromLatin1(point);
}

void TestCopyStoreStates::aMoveThatIsGivenUpLeavesTheStoreAsItWas()
{
    QFETCH(QString, point);
    SeededRng rng(4);
    const Scratch folder;
    const Place from = copyOfSmallStore();
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
    const Place other = memoryPlace(smallStore().c.clock);
    CAIRN_VERIFY_OK(move(from, other, rng));
    Content after(*other.writer());
    std::erase_if(after.lines, [](const std::string& line) { return line.find("resource | probe") == 0; });
    QCOMPARE(after.differsFrom(before), std::string());
}

// By another process, while this one copies.
void TestCopyStoreStates::aMoveThatIsGivenUpMeanwhileNeverOpensItsCopy()
{
    for (const bool found : {true, false}) {
        SeededRng rng(4);
        const Place from = copyOfSmallStore();
        const Place there = memoryPlace(smallStore().c.clock);
        const Place other = memoryPlace(smallStore().c.clock);
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

// It holds what has changed since.
void TestCopyStoreStates::aCopyOfAMoveThatWasGivenUpIsNotTakenForANewOne()
{
    SeededRng rng(4);
    const Place from = copyOfSmallStore();
    const Place old = memoryPlace(smallStore().c.clock);
    const Place other = memoryPlace(smallStore().c.clock);
    QVERIFY(failpoint::configure("copy.copied=error@1"));
    QVERIFY(!move(from, old, rng));
    failpoint::configure({});
    {
        const auto store = from.writer();
        const auto given =
            abandonCopy({*store, from.name, other.door(), rng, byKim()});  // the old one is not found
        QVERIFY2(given, errorOf(given).c_str());
    }
    QVERIFY(takesWrites(from));
    QVERIFY(failpoint::configure("copy.made=error@1"));
    QVERIFY(!move(from, other, rng));
    failpoint::configure({});
    const auto taken = move(from, old, rng);
    QVERIFY(!taken);
    QVERIFY2(errorOf(taken).find("holds the copy of an earlier move; remove it") != std::string::npos,
        errorOf(taken).c_str());
    CAIRN_VERIFY_OK(move(from, other, rng));
    QVERIFY(takesWrites(other));
    QVERIFY(!takesWrites(old));
}

void TestCopyStoreStates::aCopyThatIsOpenIsNotGivenUp()
{
    SeededRng rng(4);
    const Place from = copyOfSmallStore();
    const Place there = memoryPlace(smallStore().c.clock);
    const auto giveUp = [&](const Place& to) {
        const auto store = from.writer();
        const auto given = abandonCopy({*store, from.name, to.door(), rng, byKim()});
        return errorOf(given);
    };
    QCOMPARE(giveUp(there), std::string("this store is not being moved"));
    CAIRN_VERIFY_OK(move(from, there, rng));
    QVERIFY(giveUp(there).find("takes writes: the move is done") != std::string::npos);
    QVERIFY(giveUp(memoryPlace(smallStore().c.clock)).find("the copy is not at") == 0);
    QVERIFY(!takesWrites(from));
    QVERIFY(takesWrites(there));
}

void TestCopyStoreStates::theWayBackIsAnotherMove()
{
    SeededRng rng(4);
    const Scratch folder;
    const Place from = copyOfSmallStore();
    const Place there = sqlitePlace(folder.file("to.db"));
    const Place back = memoryPlace(smallStore().c.clock);
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

void TestCopyStoreStates::aPreviewSaysWhatWouldHappenAndDoesNothing()
{
    SeededRng rng(4);
    const Place from = copyOfSmallStore();
    const Place there = memoryPlace(smallStore().c.clock);
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
void TestCopyStoreStates::aDamagedCopyIsNotOpened()
{
    for (const char* sql : {"UPDATE run_hot SET head = zeroblob(32)",
             "UPDATE steps SET state = 5 WHERE rowid = (SELECT min(rowid) FROM steps)", "DELETE FROM outbox",
             "DELETE FROM approvals"}) {
        SeededRng rng(4);
        const Scratch folder;
        const Place from = copyOfSmallStore();
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

QTEST_APPLESS_MAIN(TestCopyStoreStates)
#include "tst_copy_store_states.moc"
