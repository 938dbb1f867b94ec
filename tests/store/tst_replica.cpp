// What is said of a standby's age: every state of it, and that a store of one place is none.

#include "core/store/memory/memory_store.h"
#include "core/store/replica.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

class ReplicaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAgeIsTold_data();
    void theAgeIsTold();
    void aStoreOfOnePlaceIsNoStandby();
};

void ReplicaTest::theAgeIsTold_data()
{
    QTest::addColumn<bool>("receives");
    QTest::addColumn<bool>("replaysAll");
    QTest::addColumn<bool>("silent");
    QTest::addColumn<qlonglong>("age");
    QTest::addColumn<qlonglong>("behind");
    QTest::addColumn<bool>("late");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, bool receives, bool all, bool silent, qlonglong age,
                         qlonglong behind, bool late, const char* text) {
        QTest::newRow(name) << receives << all << silent << age << behind << late
                            << QString(QLatin1String(text));
    };
    // An idle primary: the newest transaction is an hour old, and there is no newer one.
    row("idle", true, true, false, 3'600'000, 0, false, "Standby, up to date");
    row("replays", true, false, false, 3'200, 3'200, false, "Standby, 3.2 s behind");
    row("far behind", true, false, false, 5'001, 5'001, true, "Standby, 5.0 s behind");
    row("not far", true, false, false, 5'000, 5'000, false, "Standby, 5.0 s behind");
    row("cut off", false, true, false, 185'000, 185'000, true,
        "Standby, at most 3 m 05 s behind, and it receives nothing from its primary");
    row("a link that died unseen", true, true, true, 12'000, 12'000, true,
        "Standby, at most 12.0 s behind: no heartbeat of an engine came since");
    row("just started, whole", true, true, false, kUnknownAge, 0, false, "Standby, up to date");
    row("just started, cut off", false, true, false, kUnknownAge, kUnknownAge, true,
        "Standby, behind by nobody knows how much, and it receives nothing from its primary");
}

void ReplicaTest::theAgeIsTold()
{
    QFETCH(bool, receives);
    QFETCH(bool, replaysAll);
    QFETCH(bool, silent);
    QFETCH(qlonglong, age);
    QFETCH(qlonglong, behind);
    QFETCH(bool, late);
    QFETCH(QString, text);
    const Replica replica{true, receives, replaysAll, age, silent};
    QCOMPARE(replica.behind(), SpanMs{behind});
    QCOMPARE(replica.late(), late);
    QCOMPARE(QString::fromStdString(replicaText(replica)), text);
}

void ReplicaTest::aStoreOfOnePlaceIsNoStandby()
{
    const SystemClock clock;
    const auto store = connectMemory(makeMemoryDatabase({}, clock, 1));
    const auto replica = store->replica();
    CAIRN_VERIFY_OK(replica);
    QCOMPARE(*replica, Replica{});
    QVERIFY(!replica->late());
    QCOMPARE(replicaText(*replica), std::string());
    QVERIFY(store->reviews(true, 10)->empty());
    CAIRN_VERIFY_ERROR(store->closeReview({}, "all was well"), ErrorKind::Refused);
}

QTEST_GUILESS_MAIN(ReplicaTest)
#include "tst_replica.moc"
