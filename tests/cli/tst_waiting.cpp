// What a command that goes on waits for.

#include "app/cairn/waiting.h"
#include "core/base/clock.h"

#include <QtCore/QObject>
#include <QtTest/QTest>

#include <csignal>

using namespace cairn;
using cairn::cli::Waiting;

class TestWaiting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTimePasses();
    void aSignalComesEarlier();
};

void TestWaiting::theTimePasses()
{
    // A store whose processes cannot reach each other has nothing that would wake.
    Waiting waiting("sqlite:/nowhere/runs.db");
    const SystemClock clock;
    const SpanMs before = clock.monotonicMs();
    QVERIFY(waiting.wait(0) == Waiting::Woken::Time);
    QVERIFY(waiting.wait(-5) == Waiting::Woken::Time);
    QVERIFY(waiting.wait(30) == Waiting::Woken::Time);
    QVERIFY(clock.monotonicMs() - before >= 30);
}

void TestWaiting::aSignalComesEarlier()
{
    Waiting waiting;
    QCOMPARE(std::raise(SIGTERM), 0);  // of this thread: it waits, and does not end the program
    QVERIFY(waiting.wait(600'000) == Waiting::Woken::Signal);
    QVERIFY(waiting.wait(600'000) == Waiting::Woken::Signal);
}

QTEST_APPLESS_MAIN(TestWaiting)
#include "tst_waiting.moc"
