// What people decided, what was redacted and what was removed comes along as it is, and its chains and
// signatures hold in the new place; what has not ended is refused before anything is changed.

#include "core/base/failpoint.h"
#include "tests/service/copy_kept.h"

using namespace cairn;
using namespace cairn::testing;

class TestCopyStoreKept : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure({}); }
    void itComesAlongByEveryWay_data();
    void itComesAlongByEveryWay();
    void stoppedAnywhereItGoesOn_data();
    void stoppedAnywhereItGoesOn();
    void aRemovedRunsStartIsAnsweredInTheNewPlace();
    void whatHasNotEndedIsRefused_data();
    void whatHasNotEndedIsRefused();
    void aTombstoneThatDiffersIsFound();
};

void TestCopyStoreKept::itComesAlongByEveryWay_data()
{
    QTest::addColumn<QStringList>("ways");
    QTest::newRow("memory to file to memory")
        << QStringList{QStringLiteral("file"), QStringLiteral("memory")};
    QTest::newRow("memory to memory to file")
        << QStringList{QStringLiteral("memory"), QStringLiteral("file")};
    QTest::newRow("file to file") << QStringList{QStringLiteral("file"), QStringLiteral("file")};
}

void TestCopyStoreKept::itComesAlongByEveryWay()
{
    QFETCH(QStringList, ways);
    SeededRng rng(3);
    const Scratch folder;
    Place place = copyOfSmallStore();
    Kept kept;
    {
        const auto store = place.writer();
        kept = Keeping(*store).kept();
    }
    const Content before(*place.writer());
    for (const QString& way : ways) {
        const std::string name = std::to_string(rng.below(1'000'000)) + ".db";
        const Place to =
            way == QLatin1String("file") ? sqlitePlace(folder.file(name)) : memoryPlace(smallStore().c.clock);
        const auto report = move(place, to, rng);
        QVERIFY2(report, errorOf(report).c_str());
        QVERIFY2(report->notes.empty(), report->notes.empty() ? "" : report->notes.front().c_str());
        QCOMPARE(report->acts, std::uint64_t{3});
        QCOMPARE(report->reviews, std::uint64_t{1});
        QCOMPARE(report->plans, std::uint64_t{1});
        QCOMPARE(report->removed, std::uint64_t{1});
        QCOMPARE(report->redacted, std::uint64_t{1});
        QCOMPARE(Content(*to.writer()).differsFrom(before), std::string());
        verifyKept(to, kept);
        QVERIFY(!takesWrites(place));
        place = to;
    }
}

void TestCopyStoreKept::stoppedAnywhereItGoesOn_data()
{
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("point");
    for (const char* to : {"memory", "file"})
        for (const char* point : {"copy.acts", "copy.items", "copy.plans", "copy.removed", "copy.group"})
            QTest::addRow("%s, %s", to, point) << QString::fromLatin1(to) << QString::fromLatin1(point);
}

void TestCopyStoreKept::stoppedAnywhereItGoesOn()
{
    QFETCH(QString, to);
    QFETCH(QString, point);
    SeededRng rng(3);
    const Place origin = copyOfSmallStore();
    Kept kept;
    {
        const auto store = origin.writer();
        kept = Keeping(*store).kept();
    }
    const Content before(*origin.writer());
    std::uint64_t hits = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        const Scratch folder;
        // Keeping() does the same each time: its ids and times are.
        const Place from = copyOfSmallStore();
        {
            const auto store = from.writer();
            static_cast<void>(Keeping(*store));
        }
        const Place there = to == QLatin1String("file") ? sqlitePlace(folder.file("to.db"))
                                                        : memoryPlace(smallStore().c.clock);
        QVERIFY(failpoint::configure(point.toStdString() + "=error@" + std::to_string(nth)));
        const auto stopped = move(from, there, rng);
        const std::uint64_t counted = failpoint::counts()[point.toStdString()];
        failpoint::configure({});
        if (counted < nth)
            break;
        ++hits;
        QVERIFY2(!stopped, "it was to be stopped");
        QVERIFY2(!takesWrites(from), "the store that is left takes writes");
        QVERIFY2(!takesWrites(there), "the copy takes writes");
        const auto report = move(from, there, rng);
        QVERIFY2(report, errorOf(report).c_str());
        QCOMPARE(Content(*there.writer()).differsFrom(before), std::string());
        verifyKept(there, kept);
        QVERIFY(!takesWrites(from));
    }
    QVERIFY2(hits >= 1, "this point was never met");
    if (point == QLatin1String("copy.items"))
        QCOMPARE(hits, std::uint64_t{2});  // 501 of them
}

void TestCopyStoreKept::aRemovedRunsStartIsAnsweredInTheNewPlace()
{
    SeededRng rng(3);
    const Scratch folder;
    const Place from = copyOfSmallStore();
    Kept kept;
    {
        const auto store = from.writer();
        kept = Keeping(*store).kept();
    }
    const Place there = sqlitePlace(folder.file("to.db"));
    CAIRN_VERIFY_OK(move(from, there, rng));
    const auto store = there.writer();
    const auto queue = makeInlineQueue(*store);
    Service service(*store, *queue, smallStore().c.clock, rng, {});
    Submission s;
    s.workflow = "look";
    s.key = "key of done";
    s.command.actor = {ActorKind::Caller, "test"};
    s.payloads.push_back(service.newPayload("null", "application/json"));
    cmd::Start body;
    body.input = s.payloads.back().ref;
    s.command.body = body;
    const Outcome again = service.submitAndWait(std::move(s));
    QCOMPARE(again.kind, Outcome::Kind::Existing);
    QCOMPARE(again.run, kept.removed);
}

void TestCopyStoreKept::whatHasNotEndedIsRefused_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("told");
    QTest::newRow("a plan that is staged") << QStringLiteral(
        "plan") << QStringLiteral("is not finished: let it end, or abort it; then move the store");
    QTest::newRow("a review that is open") << QStringLiteral(
        "review") << QStringLiteral("is open: close it first (`cairn audit review`); then move the store");
    QTest::newRow("an act that waits")
        << QStringLiteral("act") << QStringLiteral("let it be carried out, rejected or withdrawn first");
}

void TestCopyStoreKept::whatHasNotEndedIsRefused()
{
    QFETCH(QString, what);
    QFETCH(QString, told);
    SeededRng rng(3);
    for (const bool file : {false, true}) {
        const Scratch folder;
        Place from = copyOfSmallStore();
        if (file) {
            const Place moved = sqlitePlace(folder.file("from.db"));
            CAIRN_VERIFY_OK(move(from, moved, rng));
            from = moved;
        }
        {
            const auto store = from.writer();
            AuditRow row;
            row.time = 1;
            row.kind = "applied";
            row.verb = Verb::ProposeAct;
            row.command = deriveId<CommandId>("open", "entry");
            StoreChange change;
            if (what == QLatin1String("plan")) {
                PlanChange plan;
                plan.row.id = deriveId<PlanId>("open", "plan");
                plan.row.command = deriveId<CommandId>("open", "plan");
                plan.row.state = PlanState::Staged;
                CAIRN_VERIFY_OK(store->changePlan(plan));
            } else if (what == QLatin1String("review")) {
                change.review.emplace();
                change.review->command = deriveId<CommandId>("open", "review");
                change.review->login = "uid 1001";
                change.review->openedAt = 5;
            } else {
                StagedAct& act = change.propose.emplace();
                act.command = deriveId<CommandId>("open", "act");
                act.run = smallStore().runs.at("bell");
                act.verb = Verb::Pause;
                act.stagedBy = "uid 1001";
                act.state = StagedState::Proposed;
                act.expires = 4'000'000'000'000;
                act.digest = actDigest(act);
            }
            row.with = std::make_shared<StoreChange>(std::move(change));
            if (what != QLatin1String("plan"))
                CAIRN_VERIFY_OK(store->appendAudit(row));
        }
        const std::size_t audited = from.writer()->audit(0, 10'000)->size();
        const Place there = sqlitePlace(folder.file("to.db"));
        const auto preview = previewCopy(*from.writer(), there.door());
        CAIRN_VERIFY_ERROR(preview, ErrorKind::Refused);
        const auto refused = move(from, there, rng);
        CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
        QVERIFY2(
            refused.error().text.find(told.toStdString()) != std::string::npos, refused.error().text.c_str());
        QCOMPARE(refused.error().text, preview.error().text);
        QCOMPARE(from.writer()->audit(0, 10'000)->size(), audited);
        QVERIFY(!fenceOf(from.writer()->info()->minWriter));
        CAIRN_VERIFY_ERROR(there.open({}), ErrorKind::NotFound);
        QVERIFY(takesWrites(from));
    }
}

// Whatever came between: the copy does not open.
void TestCopyStoreKept::aTombstoneThatDiffersIsFound()
{
    SeededRng rng(3);
    const auto db = copyOf(*smallStore().c.db);
    const Place from = memoryPlace(smallStore().c.clock, db);
    {
        const auto store = from.writer();
        static_cast<void>(Keeping(*store));
    }
    const Place there = memoryPlace(smallStore().c.clock);
    QVERIFY(failpoint::configure("copy.copied=error@1"));
    QVERIFY(!move(from, there, rng));
    failpoint::configure({});
    db->tombstones.begin()->second.rule += "!";
    const auto refused = move(from, there, rng);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Corrupt);
    QVERIFY2(refused.error().text.find("what is left of removed run") != std::string::npos,
        refused.error().text.c_str());
    QVERIFY(!takesWrites(there));
}

QTEST_APPLESS_MAIN(TestCopyStoreKept)
#include "tst_copy_store_kept.moc"
