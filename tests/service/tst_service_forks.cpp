// Forks of runs with children: what had a result is kept, what is started again pays nothing twice.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceForks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void forkKeepsFinishedChildrenAndRestartsTheRest_data();
    void forkKeepsFinishedChildrenAndRestartsTheRest();
    void forkWhoseFanOutsOpenInAnotherOrderPaysNothingTwice();
};

namespace {

const std::string kKid = R"({"name":"pay","tool":"note","input":{"$from":"input"}})";

// Answers every attempt of these tests: writing ones with a receipt of their own, each counted.
struct Payer {
    World& w;
    Service& engine;
    std::map<std::string, int> called;  // by effect key

    void answerAll()
    {
        for (int round = 0; round < 50; ++round) {
            bool moved = false;
            const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 100);
            QVERIFY(claimed);
            for (const ClaimedRun& c : *claimed) {
                engine.own(c);
                moved = engine.submitAndWait(World::command(c.run, cmd::Recover{})).kind
                        == Outcome::Kind::Committed
                    || moved;
            }
            for (const RunId& run : runs()) {
                const RunState* state = engine.state(run);
                if (!state || state->running.empty())
                    continue;
                const StepIx ix = *state->running.begin();
                const StepRecord step = state->steps[ix];
                const auto key = engine.effectKey(run, ix);
                QVERIFY(key);
                const std::string receipt =
                    "\"receipt " + std::to_string(writes(step.safety) ? ++called[*key] : 0) + "\"";
                QVERIFY(engine.submitAndWait(World::complete(engine, run, step.attempt->id, receipt)).ok());
                moved = true;
            }
            const auto rows = w.writer->outbox(100);
            QVERIFY(rows);
            for (const OutboxRow& row : *rows) {
                const Outcome o = engine.submitAndWait(*engine.deliver(row));
                QVERIFY2(o.ok(), told(o).c_str());
                if (o.kind != Outcome::Kind::Committed)
                    QVERIFY(w.writer->dropOutbox(row));
                moved = true;
            }
            if (!moved)
                return;
        }
        QFAIL("it does not come to an end");
    }
    [[nodiscard]] std::vector<RunId> runs() const
    {
        std::vector<RunId> ids;
        if (const auto page = w.store->list({}, ListOrder::NewestFirst, std::nullopt, 200))
            for (const ListRow& row : page->rows)
                ids.push_back(row.run);
        return ids;
    }
};

Submission forkOf(const RunId& run, std::uint64_t version)
{
    Submission fork = World::act({}, cmd::Fork{{}, version, false}, "try it again from here");
    fork.forkSource = run;
    return fork;
}

}  // namespace

void TestServiceForks::forkKeepsFinishedChildrenAndRestartsTheRest_data()
{
    QTest::addColumn<int>("version");
    QTest::addColumn<QStringList>("restarted");
    QTest::newRow("before any child has answered")
        << 1 << QStringList{QStringLiteral("one"), QStringLiteral("two")};
    QTest::newRow("after the first child's answer") << 2 << QStringList{QStringLiteral("two")};
    QTest::newRow("after both") << 3 << QStringList{};
}

// Done is done: a child that had answered by then is not started again, and its result is the same bytes. A
// child that is started again finds its effects in the ledger.
void TestServiceForks::forkKeepsFinishedChildrenAndRestartsTheRest()
{
    QFETCH(int, version);
    QFETCH(QStringList, restarted);
    World w;
    w.add(workflowText("kid", kKid, R"(,"output":{"$from":"pay"})"));
    w.add(workflowText("parent", R"({"name":"one","kind":"run","workflow":"kid","input":1},
        {"name":"two","kind":"run","workflow":"kid","after":["one"],"input":2},
        {"name":"ask","kind":"approval","after":["two"],"approval":{"role":"ops"},"input":{"$from":"two"}})"));
    auto engine = w.engine();
    Payer payer{w, *engine, {}};
    const RunId run = engine->submitAndWait(World::start(*engine, "parent", "{}")).run;
    payer.answerAll();
    const auto before = w.service->load(run);
    CAIRN_VERIFY_OK(before);
    QCOMPARE(before->version, std::uint64_t(3));
    QCOMPARE(before->children.size(), std::size_t(2));
    QCOMPARE(payer.called.size(), std::size_t(2));
    const Outcome forked = engine->submitAndWait(forkOf(run, static_cast<std::uint64_t>(version)));
    QCOMPARE(told(forked), std::string("Committed 1"));
    payer.answerAll();
    const auto after = w.service->load(forked.run);
    CAIRN_VERIFY_OK(after);
    QStringList begun;
    for (const ChildRecord& child : after->children) {
        begun.append(QString::fromStdString(after->steps[child.step].id));
        QVERIFY(!before->childByRun.contains(child.run));
    }
    QCOMPARE(begun, restarted);
    for (const char* step : {"one", "two"}) {
        QCOMPARE(after->find(step)->state, StepState::Complete);
        const auto mine = w.store->payload(forked.run, after->find(step)->output.id);
        const auto theirs = w.store->payload(run, before->find(step)->output.id);
        CAIRN_VERIFY_OK(mine);
        CAIRN_VERIFY_OK(theirs);
        QCOMPARE(*mine, *theirs);
    }
    QCOMPARE(payer.called.size(), std::size_t(2));
    for (const auto& [key, times] : payer.called)
        QCOMPARE(times, 1);
    QCOMPARE(after->find("ask")->reason, Reason::Approval);
    for (const RunId& each : payer.runs())
        QCOMPARE(w.verified(each), std::string());
}

// What names a child's effects is its step's id: its place among the steps depends on which fan-out opened
// first.
void TestServiceForks::forkWhoseFanOutsOpenInAnotherOrderPaysNothingTwice()
{
    World w;
    w.add(workflowText("kid", kKid, R"(,"output":{"$from":"pay"})"));
    const std::string each =
        R"("kind":"run","workflow":"kid","for_each":{"from":"input"},"input":{"$from":"item"})";
    w.add(workflowText("parent",
        R"({"name":"first","tool":"look"},{"name":"second","tool":"look"},
        {"name":"left","after":["first"],)"
            + each + R"(},{"name":"right","after":["second"],)" + each + "}"));
    auto engine = w.engine();
    Payer payer{w, *engine, {}};
    const RunId run = engine->submitAndWait(World::start(*engine, "parent", "[1,2,3]")).run;
    payer.answerAll();  // "first" is answered first
    QCOMPARE(payer.called.size(), std::size_t(6));
    const RunId forked = engine->submitAndWait(forkOf(run, 1)).run;
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        engine->own(c);
    QVERIFY(engine->submitAndWait(World::command(forked, cmd::Advance{})).ok());
    const AttemptId second = World::attemptOf(*engine->state(forked), "second");
    QVERIFY(engine->submitAndWait(World::complete(*engine, forked, second, "1")).ok());
    payer.answerAll();
    const auto before = w.service->load(run);
    const auto after = w.service->load(forked);
    CAIRN_VERIFY_OK(before);
    CAIRN_VERIFY_OK(after);
    QVERIFY(after->stepById.at("left#0") != before->stepById.at("left#0"));  // the places did change
    QVERIFY(after->closed);
    QCOMPARE(after->children.size(), std::size_t(6));
    QCOMPARE(payer.called.size(), std::size_t(6));
    for (const auto& [key, times] : payer.called)
        QCOMPARE(times, 1);
}

QTEST_APPLESS_MAIN(TestServiceForks)
#include "tst_service_forks.moc"
