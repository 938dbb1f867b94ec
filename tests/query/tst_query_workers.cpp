// Engines and workers that are gone, and attempts: what run, list and counts say of them.

#include "core/query/query.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestQueryWorkers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void deadEngineIsNotPresent();
    void attemptsAreCountedWithinTheirSeries();
    void lostWorkerIsToldAlikeByRunListAndCounts_data();
    void lostWorkerIsToldAlikeByRunListAndCounts();
    void lostWorkersMakeOneSituation();
};

// Killed, and nobody has ended its session: once its lease has passed it is no engine that is there.
void TestQueryWorkers::deadEngineIsNotPresent()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    const auto engine = w.engine();
    const RunId run = w.service->submitAndWait(World::start(*w.service, "one", "{}")).run;
    Query query(*w.store, w.clock);
    const auto alive = query.run(run);
    CAIRN_VERIFY_OK(alive);
    QVERIFY2(alive->sentence.text.find("No engine") == std::string::npos, alive->sentence.text.c_str());
    w.clock.advance(11'000);
    const auto dead = query.run(run);
    CAIRN_VERIFY_OK(dead);
    QVERIFY2(
        dead->sentence.text.find("No engine is running.") != std::string::npos, dead->sentence.text.c_str());
    const auto told = query.sentence(dead->state, dead->explanation, dead->definition.get());
    CAIRN_VERIFY_OK(told);
    QCOMPARE(told->text, dead->sentence.text);
}

// Two are allowed: a retry by a person begins them anew, whatever there was before.
void TestQueryWorkers::attemptsAreCountedWithinTheirSeries()
{
    World w;
    w.add(workflowText("flaky", R"({"name":"only","tool":"shaky"})", {},
        R"("shaky":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
            "retry":{"attempts":2,"first_delay":"1s","factor":1}},)"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "flaky", "{}")).run;
    Query query(*w.store, w.clock);
    const auto failOnce = [&] {
        cmd::Fail failed;
        failed.attempt = World::attemptOf(*engine->state(run), "only");
        return engine->submitAndWait(World::command(run, failed)).ok();
    };
    const auto goOn = [&] {
        w.clock.advance(5'000);
        return engine->submitAndWait(World::command(run, cmd::FireTimers{})).kind == Outcome::Kind::Committed;
    };
    const auto told = [&]() -> std::string {
        const auto view = query.run(run);
        return view ? view->sentence.shortText + " | " + view->sentence.text + " | "
                + std::to_string(view->row.attempt) + " of " + std::to_string(view->row.attemptsMax)
                    : view.error().text;
    };
    const auto says = [&](const std::string& part) {
        const std::string text = told();
        if (text.find(part) != std::string::npos)
            return std::string();
        return text;
    };
    for (const std::string& inAll : {std::string(), std::string(" (4 in all)")}) {
        QCOMPARE(says("attempt 1 of 2, tool shaky"), std::string());
        QCOMPARE(says(" | 1 of 2"), std::string());
        QVERIFY(failOnce());
        QCOMPARE(says("Back-off, attempt 2 of 2"), std::string());
        QCOMPARE(says(" | 2 of 2"), std::string());
        QVERIFY(goOn());
        QCOMPARE(says("attempt 2 of 2, tool shaky"), std::string());
        QVERIFY(failOnce());
        QCOMPARE(says("failed after 2 attempts" + inAll + ":"), std::string());
        QCOMPARE(says(" | 2 of 2"), std::string());
        QCOMPARE(w.verified(run), std::string());
        QVERIFY(engine->submitAndWait(World::act(run, cmd::RetryStep{"only", 0, false})).ok());
        const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
        CAIRN_VERIFY_OK(claimed);
        for (const ClaimedRun& c : *claimed)
            engine->own(c);
        QVERIFY(engine->submitAndWait(World::command(run, cmd::Advance{})).ok());
    }
}

void TestQueryWorkers::lostWorkerIsToldAlikeByRunListAndCounts_data()
{
    QTest::addColumn<bool>("ended");    // by another; else its lease has passed, and nobody looked
    QTest::addColumn<bool>("another");  // engine is there
    QTest::newRow("lease passed, another engine lives") << false << true;
    QTest::newRow("lease passed, none lives") << false << false;
    QTest::newRow("ended, another lives") << true << true;
}

// No commit is made when an engine is lost: run view, row, filter and counts all ask the same function.
void TestQueryWorkers::lostWorkerIsToldAlikeByRunListAndCounts()
{
    QFETCH(bool, ended);
    QFETCH(bool, another);
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    w.add(workflowText("waits", R"({"name":"go","kind":"signal","signal":"go"})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
    const RunId waits = engine->submitAndWait(World::start(*engine, "waits", "{}")).run;
    Query query(*w.store, w.clock);
    const auto reasons = [&]() -> std::string {
        const auto view = query.run(run);
        const auto rows = query.rows(std::span(&run, 1));
        const auto all = query.list({}, ListOrder::NewestFirst, std::nullopt, 10);
        const auto lost = query.count(parseFilter("wait:lease", w.clock.wallMs()).filter);
        const auto others = query.count(parseFilter("-wait:lease", w.clock.wallMs()).filter);
        const auto counts = query.counts({});
        if (!view || !rows || !all || !lost || !others || !counts)
            return "a read failed";
        std::string text;
        for (const Reason reason :
            {view->explanation.summary.primary.reason, view->row.reason, rows->front().reason})
            text += std::string(key(reason)) + " ";
        for (const ListRow& row : all->rows)
            if (row.run == run)
                text += std::string(key(row.reason)) + " ";
        for (const CountRow& row : *counts)
            text += std::string(key(row.activity)) + "/" + std::string(key(row.reason)) + "="
                + std::to_string(row.count) + " ";
        return text + std::to_string(*lost) + " " + std::to_string(*others);
    };
    const std::string heard = "none none none none executing/none=1 waiting/signal=1 0 2";
    QCOMPARE(reasons(), heard);
    const TimeMs lastHeard = w.clock.wallMs();
    const SessionId dead = w.session;
    if (another)
        w.clock.advance(5'000);
    auto second = another ? w.engine() : nullptr;
    if (ended)
        QVERIFY(*w.writer->endSession(dead, w.clock.wallMs(), kNoTime));
    else
        w.clock.advance(another ? 6'000 : 11'000);
    QCOMPARE(reasons(), std::string("lease lease lease lease waiting/signal=1 executing/lease=1 1 1"));
    const auto view = query.run(run);
    CAIRN_VERIFY_OK(view);
    QCOMPARE(view->explanation.summary.activity, Activity::Executing);
    QCOMPARE(view->explanation.summary.attention, Attention::Machine);
    QCOMPARE(view->row.since, view->explanation.summary.primary.since);
    QCOMPARE(view->row.nextTime, view->explanation.summary.primary.due);
    QCOMPARE(view->row.nextTime, another ? w.clock.wallMs() : kNoTime);
    if (!ended)
        QCOMPARE(view->row.since, lastHeard);
    QVERIFY(view->sentence.text.find("lost its worker") != std::string::npos);
    // As it was at an earlier version, and after the take-over, nobody is lost.
    const auto before = query.run(run, 1);
    CAIRN_VERIFY_OK(before);
    QCOMPARE(before->explanation.summary.primary.reason, Reason::None);
    if (!another)
        return;
    QVERIFY(*w.writer->endSession(dead, w.clock.wallMs(), kNoTime) != ended);
    second->setSessionEnded([dead](const SessionId& id) { return id == dead; });
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        second->own(c);
    QVERIFY(second->submitAndWait(World::command(run, cmd::Recover{})).ok());
    QCOMPARE(reasons(), heard);
    QVERIFY(waits != run);
}

// It stands in no row: the group is made of what the sessions tell, and a list asks for it by its key.
void TestQueryWorkers::lostWorkersMakeOneSituation()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    w.add(workflowText("waits", R"({"name":"go","kind":"signal","signal":"go"})"));
    auto engine = w.engine();
    const RunId first = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
    w.clock.advance(100);
    const RunId second = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
    QVERIFY(!engine->submitAndWait(World::start(*engine, "waits", "{}")).run.isNull());
    QVERIFY(engine->submitAndWait(World::act(first, cmd::Assign{"lee", 0, false})).ok());
    QVERIFY(engine->submitAndWait(World::act(second, cmd::Assign{"kim", 0, false})).ok());
    Query query(*w.store, w.clock);
    const auto told = [&](const char* filter, std::size_t limit) -> std::string {
        const ParsedFilter parsed = parseFilter(filter, w.clock.wallMs());
        const auto list = query.situations(parsed.filter, limit);
        if (parsed.error || !list)
            return "a read failed";
        std::string text;
        for (const SituationRow& row : list->rows)
            text += std::string(key(row.reason)) + " " + std::to_string(row.count) + ", ";
        return text + "of " + std::to_string(list->total);
    };
    QCOMPARE(told("", 10), std::string("signal 1, of 1"));
    QCOMPARE(told("wait:lease", 10), std::string("of 0"));
    w.clock.advance(11'000);
    QCOMPARE(told("wait:lease", 10), std::string("lease 2, of 1"));
    QCOMPARE(told("-wait:lease", 10), std::string("signal 1, of 1"));
    QCOMPARE(told("wait:signal", 10), std::string("signal 1, of 1"));
    QCOMPARE(told("wait:none", 10), std::string("of 0"));
    QCOMPARE(told("def:waits", 10), std::string("signal 1, of 1"));
    QCOMPARE(told("def:one|waits", 1), std::string("lease 2, of 2"));
    const auto all = query.situations({}, 10);
    CAIRN_VERIFY_OK(all);
    QCOMPARE(all->total, std::uint64_t{2});
    const auto lost = std::find_if(all->rows.begin(), all->rows.end(),
        [](const SituationRow& row) { return row.reason == Reason::Lease; });
    QVERIFY(lost != all->rows.end());
    QCOMPARE(lost->situation, std::string("lease"));
    QCOMPARE(lost->attention, Attention::Machine);
    QCOMPARE(lost->example, first);
    QCOMPARE(lost->oldest, query.run(first)->row.since);
    QCOMPARE(lost->assignedRuns, std::uint64_t{2});
    QCOMPARE(lost->assigned, std::string("kim"));
    QCOMPARE(lost->assignedLast, std::string("lee"));
    // The list of its members, alone and with another filter beside it.
    const auto members = [&](ListTerm term) {
        term.situation = {lost->situation};
        const auto page = query.list({term}, ListOrder::AttentionThenOldest, std::nullopt, 10);
        std::vector<RunId> runs;
        for (const ListRow& row : page->rows)
            runs.push_back(row.run);
        return runs;
    };
    QVERIFY((members({}) == std::vector<RunId>{first, second}));
    ListTerm other;
    other.workflow = {"waits"};
    QVERIFY(members(other).empty());
    other = {};
    other.reason = {Reason::Signal};
    QVERIFY(members(other).empty());
    other.reason = {Reason::Signal, Reason::Lease};
    QVERIFY((members(other) == std::vector<RunId>{first, second}));
}

QTEST_APPLESS_MAIN(TestQueryWorkers)
#include "tst_query_workers.moc"
