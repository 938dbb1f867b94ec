// TIM: timers and clocks.

#include "core/base/text.h"
#include "core/definition/cron.h"
#include "core/definition/parse.h"
#include "core/definition/timer.h"
#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestTim : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c23_sleepEndsWhileEverythingIsDown();
    void c25_timeOfTheDayWhenClocksAreChanged_data();
    void c25_timeOfTheDayWhenClocksAreChanged();
    void c25_everyQuarterRunsStraightThrough_data();
    void c25_everyQuarterRunsStraightThrough();
    void c25_refusedOnEntry_data();
    void c25_refusedOnEntry();
    void c25_impossibleDateFromTheInput();
    void c25_previewShowsUtcAndLocalWithOffset();
    void c27_clockOfOneWorkerIsOff();
};

void TestTim::c23_sleepEndsWhileEverythingIsDown()
{
    CAIRN_BENCH();
    b.add(workflow("nap",
        "{'name':'sleep','kind':'timer','wait':'30s'},{'name':'go','tool':'note','after':['sleep'],'input':{}"
        "}"));
    const TimeMs began = b.now();
    EngineStandIn only(b, {"w0"});
    const RunId run = b.started("nap");
    only.settle();
    b.advance(5'000);
    only.settle();
    only.kill();
    b.advance(295'000);
    // Three workers at once; whoever comes first ends the dead one's session. The bound: the first turn of
    // whoever claims.
    EngineStandIn one(b, {"w1"});
    EngineStandIn two(b, {"w2"});
    EngineStandIn three(b, {"w3"});
    b.bury(only);
    for (EngineStandIn* engine : {&one, &two, &three})
        static_cast<void>(engine->turn());
    for (EngineStandIn* engine : {&three, &two, &one})
        engine->settle();
    QCOMPARE(b.effectd.text(), std::string("go=1"));
    QVERIFY(b.state(run).closed);
    TimeMs due = kNoTime;
    TimeMs real = kNoTime;
    int ends = 0;
    for (const Entry& entry : b.entries(run))
        for (const Fact& fact : entry.facts) {
            if (const auto* waiting = std::get_if<StepWaiting>(&fact);
                waiting && waiting->reason == Reason::Timer)
                due = waiting->due;
            if (const auto* completed = std::get_if<StepCompleted>(&fact);
                completed && completed->step == 0) {
                real = entry.time;
                ++ends;
            }
        }
    QCOMPARE(due, began + 30'000);
    QCOMPARE(real, began + 300'000);
    QCOMPARE(ends, 1);
    QCOMPARE(b.verified(run), std::string());
}

namespace {

TimeMs at(const char* text)
{
    const auto instant = parseInstant(text);
    return instant ? *instant : kNoTime;
}

}  // namespace

void TestTim::c25_timeOfTheDayWhenClocksAreChanged_data()
{
    QTest::addColumn<QByteArray>("timer");
    QTest::addColumn<QByteArray>("now");
    QTest::addColumn<QByteArrayList>("ends");
    const auto row = [](const char* name, const char* timer, const char* now, const QByteArrayList& ends) {
        QTest::newRow(name) << QByteArray(timer) << QByteArray(now) << ends;
    };
    const char* berlin = "'next':{'cron':'30 2 * * *','zone':'Europe/Berlin'}";
    row("daily over the gap in Berlin", berlin, "2027-03-26T12:00:00Z",
        {"2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"});
    row("daily over the double hour in Berlin", berlin, "2027-10-29T12:00:00Z",
        {"2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"});
    row("daily over the double hour in New York", "'next':{'cron':'30 1 * * *','zone':'America/New_York'}",
        "2027-11-05T12:00:00Z", {"2027-11-06T05:30:00Z", "2027-11-07T05:30:00Z", "2027-11-08T06:30:00Z"});
    row("two times that fall into the gap are one", "'next':{'cron':'0,30 2 * * *','zone':'Europe/Berlin'}",
        "2027-03-27T12:00:00Z", {"2027-03-28T01:00:00Z", "2027-03-29T00:00:00Z", "2027-03-29T00:30:00Z"});
    row("once, in the gap", "'at':{'local':'2027-03-28T02:30','zone':'Europe/Berlin'}",
        "2027-03-27T12:00:00Z", {"2027-03-28T01:00:00Z"});
    row("once, in the double hour", "'at':{'local':'2027-10-31T02:30','zone':'Europe/Berlin'}",
        "2027-10-30T12:00:00Z", {"2027-10-31T00:30:00Z"});
    row("weekdays only", "'next':{'cron':'0 9 * * mon-fri','zone':'Europe/Berlin'}", "2027-03-26T12:00:00Z",
        {"2027-03-29T07:00:00Z", "2027-03-30T07:00:00Z"});
}

// A run waits for one time; the job is a run per day. The instant is chosen when the wait begins and stands
// in the entry: a worker that dies meanwhile changes nothing about it.
void TestTim::c25_timeOfTheDayWhenClocksAreChanged()
{
    CAIRN_BENCH();
    QFETCH(QByteArray, timer);
    QFETCH(QByteArray, now);
    QFETCH(QByteArrayList, ends);
    b.clock.jumpWall(at(now.constData()) - b.now());
    b.advance(0);
    b.add(workflow("job",
        "{'name':'sleep','kind':'timer'," + timer.toStdString()
            + "},{'name':'go','tool':'note','after':['sleep'],'input':{}}"));
    for (int day = 0; day < ends.size(); ++day) {
        const TimeMs wanted = at(ends[day].constData());
        EngineStandIn first(b, {"w" + std::to_string(2 * day)});
        const RunId run = b.started("job");
        first.settle();
        QCOMPARE(b.step(run, "sleep").due, wanted);
        int waits = 0;
        for (const Entry& entry : b.entries(run))
            for (const Fact& fact : entry.facts)
                if (const auto* waiting = std::get_if<StepWaiting>(&fact)) {
                    QCOMPARE(waiting->due, wanted);
                    ++waits;
                }
        QCOMPARE(waits, 1);
        first.kill();
        b.advance(wanted - 1 - b.now());
        b.bury(first);
        EngineStandIn second(b, {"w" + std::to_string(2 * day + 1)});
        second.settle();
        QCOMPARE(b.effectd.count("go"), day);
        b.advance(1);
        second.settle();
        QCOMPARE(b.effectd.count("go"), day + 1);
        QVERIFY(b.state(run).closed);
        QCOMPARE(b.verified(run), std::string());
        second.kill();
        b.bury(second);
    }
}

void TestTim::c25_everyQuarterRunsStraightThrough_data()
{
    QTest::addColumn<QByteArray>("zone");
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<int>("times");
    // A local day from midnight to midnight: 23 or 25 hours.
    QTest::newRow("Berlin, spring") << QByteArray("Europe/Berlin") << QByteArray("2027-03-27T23:00:00Z")
                                    << QByteArray("2027-03-28T22:00:00Z") << 92;
    QTest::newRow("Berlin, autumn") << QByteArray("Europe/Berlin") << QByteArray("2027-10-30T22:00:00Z")
                                    << QByteArray("2027-10-31T23:00:00Z") << 100;
    QTest::newRow("New York, autumn") << QByteArray("America/New_York") << QByteArray("2027-11-07T04:00:00Z")
                                      << QByteArray("2027-11-08T05:00:00Z") << 100;
}

void TestTim::c25_everyQuarterRunsStraightThrough()
{
    QFETCH(QByteArray, zone);
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(int, times);
    const auto rule = parseCron("*/15 * * * *");
    CAIRN_VERIFY_OK(rule);
    TimeMs last = at(from.constData()) - 1;
    int count = 0;
    for (;;) {
        const auto next = nextMatch(*rule, zone.toStdString(), last);
        CAIRN_VERIFY_OK(next);
        if (*next >= at(to.constData()))
            break;
        QCOMPARE(*next, count == 0 ? at(from.constData()) : last + 15 * 60'000);
        last = *next;
        ++count;
    }
    QCOMPARE(count, times);
}

void TestTim::c25_refusedOnEntry_data()
{
    QTest::addColumn<QByteArray>("timer");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* timer, const char* says) {
        QTest::newRow(name) << QByteArray(timer) << QByteArray(says);
    };
    row("a day that does not exist", "\"at\":{\"local\":\"2027-04-31T10:00\",\"zone\":\"Europe/Berlin\"}",
        "3:15: error: \"2027-04-31T10:00\" names a day that is in no calendar");
    row("a time that does not exist", "\"at\":{\"local\":\"2027-04-30T24:00\",\"zone\":\"Europe/Berlin\"}",
        "3:15: error: \"2027-04-30T24:00\" names a time that is on no clock");
    row("an offset", "\"at\":{\"local\":\"2027-04-30T10:00:00Z\",\"zone\":\"Europe/Berlin\"}",
        "3:15: error: \"2027-04-30T10:00:00Z\" is no local time; write it like 2027-03-28T02:30, without an "
        "offset");
    row("unknown zone", "\"at\":{\"local\":\"2027-04-30T10:00\",\"zone\":\"Europe/Berln\"}",
        "3:41: error: there is no time zone \"Europe/Berln\"; did you mean Europe/Berlin?");
    row("a path is no zone", "\"next\":{\"cron\":\"30 2 * * *\",\"zone\":\"../../etc/passwd\"}",
        "3:36: error: there is no time zone \"../../etc/passwd\"");
    row("unknown zone of a rule", "\"next\":{\"cron\":\"30 2 * * *\",\"zone\":\"Mars/Olympus\"}",
        "3:36: error: there is no time zone \"Mars/Olympus\"");
    row("a rule that never matches", "\"next\":{\"cron\":\"0 10 31 4 *\",\"zone\":\"UTC\"}",
        "3:16: error: the rule has no match before 2038");
    row("an hour that is on no clock", "\"next\":{\"cron\":\"0 24 * * *\",\"zone\":\"UTC\"}",
        "3:16: error: \"24\" is no hour of a cron rule: 0 to 23");
    row("a field too few", "\"next\":{\"cron\":\"0 10 * *\",\"zone\":\"UTC\"}",
        "3:16: error: \"0 10 * *\" is no cron rule: it has 4 fields");
    row("after what the database knows", "\"at\":{\"local\":\"2041-04-30T10:00\",\"zone\":\"Europe/Berlin\"}",
        "3:15: error: it is after 2037");
}

void TestTim::c25_refusedOnEntry()
{
    QFETCH(QByteArray, timer);
    QFETCH(QByteArray, says);
    const std::string text =
        "{\"schema\":\"urn:cairn:workflow:1\",\"name\":\"job\",\"version\":1,\"steps\":[\n"
        "{\"name\":\"sleep\",\"kind\":\"timer\",\n"
        + timer.toStdString() + "}]}";
    const auto parsed = parseDefinition(text);
    QVERIFY(!parsed);
    const std::string line = diagnosticLine("f", parsed.diagnostics.front());
    QVERIFY2(line.find("f:" + says.toStdString()) == 0, line.c_str());
    QCOMPARE(parsed.diagnostics.size(), std::size_t(1));
}

// What the check could not see: the step says what is wrong, and waits for nothing.
void TestTim::c25_impossibleDateFromTheInput()
{
    CAIRN_BENCH();
    b.add(workflow("once",
        "{'name':'sleep','kind':'timer','at':{'local':{'$from':'input','at':'/when'},'zone':'Europe/"
        "Berlin'}}"));
    EngineStandIn engine(b, {});
    const RunId bad = b.started("once", json("{'when':'2031-04-31T10:00'}"));
    const RunId good = b.started("once", json("{'when':'2031-04-30T10:00'}"));
    engine.settle();
    QCOMPARE(b.step(bad, "sleep").state, StepState::Failed);
    QCOMPARE(b.step(bad, "sleep").reason, Reason::Incompatible);
    QVERIFY(b.text(bad, b.step(bad, "sleep").error).find("names a day that is in no calendar")
        != std::string::npos);
    QCOMPARE(b.summary(bad).attention, Attention::Repair);
    QCOMPARE(b.step(good, "sleep").due, at("2031-04-30T08:00:00Z"));
}

void TestTim::c25_previewShowsUtcAndLocalWithOffset()
{
    const auto parsed = parseDefinition(workflow("jobs",
        "{'name':'daily','kind':'timer','next':{'cron':'30 2 * * *','zone':'Europe/Berlin'}},"
        "{'name':'once','kind':'timer','at':{'local':'2027-11-07T01:30','zone':'America/New_York'}},"
        "{'name':'given','kind':'timer','at':{'local':{'$from':'input'},'zone':'UTC'}},{'name':'span','kind':"
        "'timer','wait':'1h'}"));
    QVERIFY(parsed);
    const auto previews = previewTimers(*parsed.definition, at("2027-03-26T12:00:00Z"));
    QStringList shown;
    for (const TimerPreview& preview : previews)
        for (const TimeMs next : preview.next)
            shown.append(QString::fromStdString(
                preview.step + ": " + formatInstant(next) + " = " + *formatLocal(next, preview.zone)));
    QCOMPARE(shown,
        (QStringList{QStringLiteral("daily: 2027-03-27 01:30:00Z = 2027-03-27 02:30:00+01:00 Europe/Berlin"),
            QStringLiteral("daily: 2027-03-28 01:00:00Z = 2027-03-28 03:00:00+02:00 Europe/Berlin"),
            QStringLiteral("daily: 2027-03-29 00:30:00Z = 2027-03-29 02:30:00+02:00 Europe/Berlin"),
            QStringLiteral("once: 2027-11-07 05:30:00Z = 2027-11-07 01:30:00-04:00 America/New_York")}));
    QCOMPARE(previews.size(), std::size_t(3));
    QVERIFY(previews[2].next.empty());
}

// B's host clock is 10 minutes ahead. All that is judged is judged by the store's time.
void TestTim::c27_clockOfOneWorkerIsOff()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','timeout':'5m','input':{}}"));
    b.tools["note"] = [](const Call&) { return later(); };
    EngineStandIn a(b, {"A", {}, 60'000});
    EngineSettings ahead{"B"};
    ahead.skew = 600'000;
    EngineStandIn other(b, ahead);
    const RunId run = b.started("one");
    a.settle();
    other.settle();
    QCOMPARE(other.service().now(), b.now());
    const auto ended = b.store->endSession(a.session, other.service().now(), other.service().now());
    CAIRN_VERIFY_OK(ended);
    QVERIFY(!*ended);  // A's lease of 60 s holds
    QCOMPARE(b.step(run, "do").attempt->session, a.session);
    // B's idea of time does not time the attempt out, and what B commits carries the store's time.
    QCOMPARE(other.submit(Bench::command(run, cmd::FireTimers{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(other.submit(b.act(run, cmd::SetDeadline{b.now() + 3'600'000})).kind, Outcome::Kind::Committed);
    QCOMPARE(b.entries(run).back().time, b.now());
    QCOMPARE(b.summary(run).activity, Activity::Executing);
    a.settle();
    static_cast<void>(a.answer(a.open(run, "do"), done()));
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.step(run, "do").attempts, 1U);
}

CAIRN_CASES(TestTim, "tim")
#include "cases_tim.moc"
