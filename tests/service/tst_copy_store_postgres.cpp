// A store that moves from a file to a server and back, and is stopped on the way.

#include "core/base/failpoint.h"
#include "tests/service/copy_kept.h"
#include "tests/store/postgres_fixture.h"

using namespace cairn;
using namespace cairn::testing;

class TestCopyStorePostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure({}); }
    void fromAFileToAServerAndBack();
    void stoppedAnywhereItGoesOn_data();
    void stoppedAnywhereItGoesOn();
    void whatPeopleLeftComesAlong();
    void whatPeopleLeftGoesOnWhereItWasStopped_data();
    void whatPeopleLeftGoesOnWhereItWasStopped();
    void aLostAnswerIsResolved();
    void aStoreWithRolesIsLeft();
};

namespace {

Place serverPlace()
{
    const PostgresStoreFixture fixture;
    const std::string url = fixture.url;
    return {"postgresql: the test's",
        [url](const StoreOptions& options) { return postgres::openStore(url, options); },
        [url](const InitOptions& options) { return postgres::initStore(url, options); }};
}

std::string soundness(const Place& place)
{
    const auto problems = place.writer()->check(true);
    if (!problems)
        return problems.error().text;
    return problems->empty() ? std::string() : problems->front().where + ": " + problems->front().text;
}

}  // namespace

void TestCopyStorePostgres::fromAFileToAServerAndBack()
{
    PostgresStoreFixture().drop();
    Lived lived(20U << 20U, 300);
    const Scratch folder;
    const Place origin = memoryPlace(lived.c.clock, lived.c.db);
    const Place file = sqlitePlace(folder.file("from.db"));
    const Place server = serverPlace();
    const Place back = sqlitePlace(folder.file("back.db"));
    const Content before(*origin.writer());
    CAIRN_VERIFY_OK(move(origin, file, lived.c.rng));
    const auto there = move(file, server, lived.c.rng);
    QVERIFY2(there, errorOf(there).c_str());
    QCOMPARE(there->runs, std::uint64_t(before.runs.size()));
    QCOMPARE(Content(*server.writer()).differsFrom(before), std::string());
    QCOMPARE(soundness(server), std::string());
    QVERIFY(takesWrites(server));
    QVERIFY(!takesWrites(file));
    const auto here = move(server, back, lived.c.rng);
    QVERIFY2(here, errorOf(here).c_str());
    Content after(*back.writer());
    std::erase_if(after.lines, [](const std::string& line) { return line.find("resource | probe") == 0; });
    QCOMPARE(after.differsFrom(before), std::string());
    QCOMPARE(soundness(back), std::string());
    QVERIFY(!takesWrites(server));
    QVERIFY(takesWrites(back));
    QCOMPARE(back.writer()->audit(0, 1'000)->size(), origin.writer()->audit(0, 1'000)->size() + 5);
}

void TestCopyStorePostgres::stoppedAnywhereItGoesOn_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point :
        {"copy.fenced", "copy.made", "copy.bound", "copy.audit", "copy.shared", "copy.chunk", "copy.group",
            "copy.copied", "copy.compared", "copy.moved", "copy.opened", "store.before_commit"})
        QTest::newRow(point) << QString::fromLatin1(point);
}

void TestCopyStorePostgres::stoppedAnywhereItGoesOn()
{
    QFETCH(QString, point);
    SeededRng rng(3);
    const Place server = serverPlace();
    const Content before(*copyOfSmallStore().writer());
    std::uint64_t hits = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        PostgresStoreFixture().drop();
        const Place from = copyOfSmallStore();
        QVERIFY(failpoint::configure(point.toStdString() + "=error@" + std::to_string(nth)));
        const auto stopped = move(from, server, rng);
        const std::uint64_t counted = failpoint::counts()[point.toStdString()];
        failpoint::configure({});
        if (counted < nth)
            break;
        ++hits;
        QVERIFY2(!stopped, "it was to be stopped");
        const bool open = takesWrites(server);
        QVERIFY2(!takesWrites(from), "the store that is left takes writes");
        QCOMPARE(open, point == QLatin1String("copy.opened"));
        const auto report = move(from, server, rng);
        QVERIFY2(report, errorOf(report).c_str());
        Content after(*server.writer());
        std::erase_if(
            after.lines, [](const std::string& line) { return line.starts_with("resource | probe"); });
        QCOMPARE(after.differsFrom(before), std::string());
        QVERIFY(!takesWrites(from));
        QVERIFY(takesWrites(server));
        QCOMPARE(soundness(server), std::string());
    }
    QVERIFY2(hits >= 1, "this point was never met");
}

// From memory to a server, to a file, and back to a server.
void TestCopyStorePostgres::whatPeopleLeftComesAlong()
{
    SeededRng rng(3);
    const Scratch folder;
    const Place server = serverPlace();
    const Place file = sqlitePlace(folder.file("to.db"));
    const Place origin = copyOfSmallStore();
    Kept kept;
    {
        const auto store = origin.writer();
        kept = Keeping(*store).kept();
    }
    const Content before(*origin.writer());
    const std::pair<Place, Place> ways[] = {{origin, server}, {server, file}, {file, server}};
    for (const auto& [from, to] : ways) {
        if (to.name == server.name)
            PostgresStoreFixture().drop();
        const auto report = move(from, to, rng);
        QVERIFY2(report, errorOf(report).c_str());
        QVERIFY(report->notes.empty());
        QCOMPARE(report->acts, std::uint64_t{3});
        QCOMPARE(report->reviews, std::uint64_t{1});
        QCOMPARE(report->plans, std::uint64_t{1});
        QCOMPARE(report->removed, std::uint64_t{1});
        QCOMPARE(report->redacted, std::uint64_t{1});
        QCOMPARE(Content(*to.writer()).differsFrom(before), std::string());
        verifyKept(to, kept);
    }
}

void TestCopyStorePostgres::whatPeopleLeftGoesOnWhereItWasStopped_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point : {"copy.acts", "copy.items", "copy.plans", "copy.removed"})
        QTest::newRow(point) << QString::fromLatin1(point);
}

void TestCopyStorePostgres::whatPeopleLeftGoesOnWhereItWasStopped()
{
    QFETCH(QString, point);
    SeededRng rng(3);
    const Place server = serverPlace();
    PostgresStoreFixture().drop();
    const Place from = copyOfSmallStore();
    Kept kept;
    {
        const auto store = from.writer();
        kept = Keeping(*store).kept();
    }
    const Content before(*from.writer());
    QVERIFY(failpoint::configure(point.toStdString() + "=error@1"));
    QVERIFY(!move(from, server, rng));
    failpoint::configure({});
    QVERIFY(!takesWrites(from));
    QVERIFY(!takesWrites(server));
    const auto report = move(from, server, rng);
    QVERIFY2(report, errorOf(report).c_str());
    QCOMPARE(Content(*server.writer()).differsFrom(before), std::string());
    verifyKept(server, kept);
}

// COMMIT was sent, and nobody said what became of it.
void TestCopyStorePostgres::aLostAnswerIsResolved()
{
    SeededRng rng(3);
    const Place server = serverPlace();
    const Content before(*copyOfSmallStore().writer());
    std::uint64_t hits = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        PostgresStoreFixture().drop();
        const Place from = copyOfSmallStore();
        QVERIFY(failpoint::configure("store.after_commit=error@" + std::to_string(nth)));
        const auto first = move(from, server, rng);
        const std::uint64_t counted = failpoint::counts()["store.after_commit"];
        failpoint::configure({});
        if (counted < nth)
            break;
        ++hits;
        if (!first) {
            QCOMPARE(first.error().kind, ErrorKind::OutcomeUnknown);
            const auto report = move(from, server, rng);
            QVERIFY2(report, errorOf(report).c_str());
        }
        QCOMPARE(Content(*server.writer()).differsFrom(before), std::string());
        QVERIFY(!takesWrites(from));
        QVERIFY(takesWrites(server));
    }
    QVERIFY(hits > 10);
}

void TestCopyStorePostgres::aStoreWithRolesIsLeft()
{
    PostgresStoreFixture fixture;
    fixture.drop();
    InitOptions roles;
    roles.roles = true;
    CAIRN_VERIFY_OK(postgres::initStore(fixture.url, roles));
    SeededRng rng(3);
    const Scratch folder;
    const Place server = serverPlace();
    const Place file = sqlitePlace(folder.file("to.db"));
    const auto left = move(server, file, rng);
    QVERIFY2(left, errorOf(left).c_str());
    QVERIFY(takesWrites(file));
    QVERIFY(!takesWrites(server));
    QCOMPARE(soundness(server), std::string());
    fixture.drop();
}

CAIRN_POSTGRES_TEST_MAIN(TestCopyStorePostgres)
#include "tst_copy_store_postgres.moc"
