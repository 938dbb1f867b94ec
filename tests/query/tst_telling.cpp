// How sentences are put together: what moves by itself, names from outside, spans, rows without their run.

#include "core/base/text.h"
#include "tests/query/told_case.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;
using namespace cairn::testing;

class TestTelling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesFromOutsideBeginNoLine();
    void moving_data();
    void moving();
    void spans_data();
    void spans();
    void peopleByTheirLogin();
    void rowWithoutItsRun();
};

// Keys, ids, roles and names come from runs: none of them may look like a line of ours.
void TestTelling::namesFromOutsideBeginNoLine()
{
    const std::string hostile = "x\nYou can:\n  approve\x1b[2J\xe2\x80\xae";
    for (const Word& w : words<Reason>()) {
        Case c(static_cast<Reason>(w.value));
        c.step().id = c.step().name = c.step().tool = hostile;
        c.def.tools.front().name = c.def.tools.front().resource = c.def.tools.front().secret = hostile;
        c.def.steps.front().name = c.def.steps.front().signal = hostile;
        c.state.workflow.name = hostile;
        c.state.pausedBy = {ActorKind::Person, hostile};
        c.step().waitRun = runId(9);
        ApprovalRecord record;
        record.role = hostile;
        record.askedBy = {ActorKind::Run, hostile};
        c.state.approvals.push_back(record);
        c.look.key = [&](StepIx) { return std::optional(hostile); };
        c.look.text = [&](const PayloadRef&) { return std::optional(visibleLine(hostile)); };
        c.look.child = [&](const RunId&) { return std::optional(ChildTold{hostile, hostile, {}}); };
        const Told told = c.tell();
        const Sentence& s = told.sentence;
        std::vector<std::string> all{s.text, s.shortText, s.subject, s.ends, told.clause};
        for (const auto& [name, value] : s.evidence)
            all.push_back(value);
        for (const std::string& text : all)
            QVERIFY2(visibleLine(text) == text, (std::string(w.key) + ": " + text).c_str());
    }
}

void TestTelling::moving_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("says");
    QTest::newRow("running")
        << 0 << QStringLiteral("Step \"pay\" runs, begun 2 m ago, attempt 2 of 5, tool pay, by engine e1.");
    QTest::newRow("queued without an engine")
        << 2
        << QStringLiteral("Step \"pay\" is ready, 3 h ago, and starts as soon as an engine has room. No "
                          "engine is running.");
    QTest::newRow("cancelling")
        << 3 << QStringLiteral("The run is being cancelled: 41 of 63 confirmed, 0 attempts under way.");
    QTest::newRow("cancelling, and a child needs somebody")
        << 7
        << QStringLiteral(
               "The run is being cancelled: 41 of 63 confirmed, 0 attempts under way; waits for child run "
               "audit (010000\u2026"
               "0009), which waits for an approval by finance, asked 3 h ago, "
               "expires in 5 h.");
    QTest::newRow("compensating") << 4 << QStringLiteral("The run undoes completed effects: 1 of 2 undone.");
    QTest::newRow("failed")
        << 5
        << QStringLiteral("The run ended as failed 3 h ago. Step \"pay\" failed: HTTP 503 from the bank.");
    QTest::newRow("completed") << 6 << QStringLiteral("The run ended as completed 3 h ago.");
}

void TestTelling::moving()
{
    QFETCH(int, which);
    QFETCH(QString, says);
    Case c;
    c.step().state = StepState::Running;
    SessionRow session;
    session.id.bytes[15] = 5;
    session.name = "e1";
    session.heartbeatAt = kNow - kMinute;
    session.leaseUntil = kNow + 5'000;
    if (which == 0) {
        AttemptState attempt;
        attempt.number = 2;
        attempt.session = session.id;
        attempt.startedAt = kNow - 2 * kMinute;
        c.step().attempt = attempt;
        c.state.running.insert(0);
        c.step().failures = 1;
        c.look.session = [session](const SessionId&) { return std::optional(session); };
    } else if (which == 2) {
        c.step().state = StepState::Ready;
        c.state.ready.insert(0);
    } else if (which == 3 || which == 4 || which == 7) {
        c.state.restCancelled = true;
        c.explanation.summary.attention = Attention::Machine;
        c.state.compensating = which == 4;
        ChildRecord record;
        record.cancelConfirmed = 41;
        record.cancelTotal = 62;
        record.run = runId(9);
        c.state.children.push_back(record);
        if (which == 7)
            c.look.pressing = [](std::span<const RunId> open) { return std::optional(open.front()); };
        for (const StepState state : {StepState::Complete, StepState::Ready}) {
            StepRecord undo;
            undo.undoOf = 0;
            undo.state = state;
            c.state.steps.push_back(undo);
        }
    } else {
        c.state.closed = true;
        c.state.closedAs = which == 5 ? Activity::Failed : Activity::Completed;
        c.state.endedAt = kNow - 3 * kHour;
        if (which == 5)
            c.state.failed.insert(0);
    }
    const Sentence told = c.tell().sentence;
    QCOMPARE(told.text, says.toStdString());
    if (which == 7)
        QCOMPARE(told.ends, std::string("a yes or no by finance"));
}

void TestTelling::spans_data()
{
    QTest::addColumn<qlonglong>("span");
    QTest::addColumn<QString>("says");
    QTest::newRow("0") << qlonglong(0) << QStringLiteral("0 s");
    QTest::newRow("past") << qlonglong(-5) << QStringLiteral("0 s");
    QTest::newRow("59 s") << qlonglong(59'999) << QStringLiteral("59 s");
    QTest::newRow("1 m") << qlonglong(60'000) << QStringLiteral("1 m");
    QTest::newRow("59 m") << qlonglong(3'599'000) << QStringLiteral("59 m");
    QTest::newRow("1 h") << qlonglong(3'600'000) << QStringLiteral("1 h");
    QTest::newRow("3 h 20 m") << qlonglong(12'000'000) << QStringLiteral("3 h 20 m");
    QTest::newRow("1 d") << qlonglong(86'400'000) << QStringLiteral("1 d");
    QTest::newRow("2 d 3 h") << qlonglong(183'600'000) << QStringLiteral("2 d 3 h");
}

void TestTelling::spans()
{
    QFETCH(qlonglong, span);
    QFETCH(QString, says);
    QCOMPARE(roughSpan(span), says.toStdString());
}

// What the store vouches for comes first; the name is only what was claimed.
void TestTelling::peopleByTheirLogin()
{
    QCOMPARE(actorName({ActorKind::Person, "root", "op"}), std::string("op (as root)"));
    QCOMPARE(actorName({ActorKind::Person, "op", "op"}), std::string("op"));
    QCOMPARE(actorName({ActorKind::Person, "kim", "uid 1000"}), std::string("kim"));
    Case c(Reason::Paused, false);
    c.state.own.paused = true;
    c.state.pausedBy = {ActorKind::Person, "root", "op"};
    c.state.pausedAt = kNow - kHour;
    const std::string told = c.tell().sentence.text;
    QVERIFY2(told.find("is paused by op (as root)") != std::string::npos, told.c_str());
}

void TestTelling::rowWithoutItsRun()
{
    ListRow row;
    row.activity = Activity::Retrying;
    row.attention = Attention::Machine;
    row.reason = Reason::Retry;
    row.step = "pay";
    row.since = kNow - kMinute;
    row.nextTime = kNow + 40'000;
    row.attempt = 2;
    row.attemptsMax = 5;
    row.error = "HTTP 503 from #";
    const Sentence s = Query::rowSentence(row, kNow);
    QCOMPARE(s.text,
        std::string("Step \"pay\": Back-off, attempt 2 of 5, 1 m ago, next in 40 s: HTTP 503 from #."));
    QCOMPARE(s.ends, std::string("time, at 2026-09-21 14:14:00Z"));
    row.reason = Reason::AttemptsExhausted;
    row.nextTime = kNoTime;
    row.attention = Attention::Repair;
    QCOMPARE(
        Query::rowSentence(row, kNow).shortText, std::string("Failed for good, attempt 2 of 5, 1 m ago"));
    row.attempt = 5;
    QCOMPARE(
        Query::rowSentence(row, kNow).shortText, std::string("Attempts exhausted, attempt 5 of 5, 1 m ago"));
    row.attempt = 2;
    // Who moves next is the row's own: a parent's is its child's.
    row.reason = Reason::Child;
    row.attention = Attention::Person;
    QCOMPARE(Query::rowSentence(row, kNow).ends, std::string("A person must"));
    row.reason = Reason::None;
    row.activity = Activity::Completed;
    row.attention = Attention::None;
    row.nextTime = kNoTime;
    row.error.clear();
    row.step.clear();
    QCOMPARE(Query::rowSentence(row, kNow).text, std::string("The run: Completed, 1 m ago."));
}

QTEST_APPLESS_MAIN(TestTelling)
#include "tst_telling.moc"
