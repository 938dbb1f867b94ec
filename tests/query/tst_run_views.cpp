// What the views of a run are made of: versions against each other, relations, attempts as they were.

#include "core/query/run_views.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestRunViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void versionsOfOneRunAreToldByWhatDiffers();
    void aVersionEqualsItself();
    void runsAreComparedByTheBytesOfTheirPayloads();
    void attemptsAreAsTheyWere();
    void relationsGoUpAndOneLevelDown();
    void oneStepTellsWhatMayBeDoneAndWhyNot();

private:
    static const Difference* find(const Compared& compared, const std::string& place, const std::string& what)
    {
        for (const Difference& one : compared.differences)
            if (one.place == place && one.what == what)
                return &one;
        return nullptr;
    }
    static RunId started(Service& engine, const std::string& input)
    {
        return engine.submitAndWait(World::start(engine, "one", input)).run;
    }
};

void TestRunViews::versionsOfOneRunAreToldByWhatDiffers()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    const RunId run = started(*engine, "{}");
    QCOMPARE(engine
                 ->submitAndWait(
                     World::complete(*engine, run, World::attemptOf(*engine->state(run), "only"), "[1]"))
                 .version,
        std::uint64_t(2));
    Query query(*w.store, w.clock);
    const auto compared = query.compare({run, 1}, {run, 2});
    CAIRN_VERIFY_OK(compared);
    const Difference* version = find(*compared, "the run", "version");
    QVERIFY(version != nullptr);
    QCOMPARE(version->left, std::string("1"));
    QCOMPARE(version->right, std::string("2"));
    const Difference* state = find(*compared, "step only", "state");
    QVERIFY(state != nullptr);
    QCOMPARE(state->left, std::string(label(StepState::Running)));
    QCOMPARE(state->right, std::string(label(StepState::Complete)));
    const Difference* output = find(*compared, "step only", "output");
    QVERIFY(output != nullptr);
    QCOMPARE(output->left, std::string());
    QCOMPARE(output->right, std::string("application/json, 3 B"));
    QVERIFY(find(*compared, "the run", "input") == nullptr);
    QVERIFY(find(*compared, "the run", "run") == nullptr);
    QCOMPARE(compared->steps, std::size_t(1));
    QCOMPARE(compared->same, std::size_t(0));
    CAIRN_VERIFY_ERROR(query.compare({run, 1}, {run, 9}), ErrorKind::NotFound);
}

void TestRunViews::aVersionEqualsItself()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    const RunId run = started(*engine, "{}");
    Query query(*w.store, w.clock);
    const auto compared = query.compare({run, 1}, {run, 0});
    CAIRN_VERIFY_OK(compared);
    QVERIFY(compared->differences.empty());
    QCOMPARE(compared->same, std::size_t(1));
}

void TestRunViews::runsAreComparedByTheBytesOfTheirPayloads()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    const RunId first = started(*engine, R"({"n":1})");
    const RunId alike = started(*engine, R"({"n":1})");
    const RunId other = started(*engine, R"({"n":2})");
    Query query(*w.store, w.clock);
    const auto same = query.compare({first, 0}, {alike, 0});
    CAIRN_VERIFY_OK(same);
    QVERIFY(find(*same, "the run", "input") == nullptr);  // salts differ, bytes do not
    QVERIFY(find(*same, "the run", "run") != nullptr);
    const auto differs = query.compare({first, 0}, {other, 0});
    CAIRN_VERIFY_OK(differs);
    const Difference* input = find(*differs, "the run", "input");
    QVERIFY(input != nullptr);
    QCOMPARE(input->left, std::string("application/json, 7 B"));
    QCOMPARE(input->right, std::string("application/json, 7 B, other bytes"));
    // Nobody has looked: neither the same nor another.
    const auto a = query.run(first);
    const auto b = query.run(alike);
    QVERIFY(a && b);
    const Compared blind = compareRuns(*a, *b, {});
    const Difference* unread = find(blind, "the run", "input");
    QVERIFY(unread != nullptr);
    QCOMPARE(unread->left, std::string("application/json, 7 B, not compared"));
}

void TestRunViews::attemptsAreAsTheyWere()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    const RunId run = started(*engine, "{}");
    w.clock.advance(5'000);
    QVERIFY(
        engine
            ->submitAndWait(World::complete(*engine, run, World::attemptOf(*engine->state(run), "only"), "1"))
            .ok());
    const auto rows = w.store->attempts(run, kNoStep);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(1));
    QVERIFY(rows->front().endedAt != kNoTime);
    Query query(*w.store, w.clock);
    const auto before = query.run(run, 1);
    const auto after = query.run(run, 2);
    QVERIFY(before && after);
    const auto then = attemptsAsOf(before->state, *rows);
    QCOMPARE(then.size(), std::size_t(1));
    QCOMPARE(then.front().endedAt, kNoTime);  // it was under way
    QCOMPARE(then.front().startedAt, rows->front().startedAt);
    QCOMPARE(attemptsAsOf(after->state, *rows), *rows);
    QVERIFY(attemptsAsOf(RunState{}, *rows).empty());  // none had begun
    const auto told = compareAttempts(then.front(), rows->front());
    QCOMPARE(told.size(), std::size_t(4));  // ended, took, ended as, effect
    QCOMPARE(told[1].what, std::string("took"));
    QCOMPARE(told[1].left, std::string("under way"));
    QCOMPARE(told[1].right, std::string("5.0 s"));
}

void TestRunViews::relationsGoUpAndOneLevelDown()
{
    World w;
    w.add(workflowText("leaf", R"({"name":"go","kind":"signal","signal":"sig"})"));
    w.add(workflowText("middle", R"({"name":"down","kind":"run","workflow":"leaf"})"));
    w.add(workflowText("top", R"({"name":"order","kind":"run","workflow":"middle"})"));
    auto engine = w.engine();
    const RunId top = engine->submitAndWait(World::start(*engine, "top", "{}")).run;
    for (int round = 0; round < 20; ++round) {
        const auto rows = w.writer->outbox(100);
        QVERIFY(rows);
        for (const OutboxRow& row : *rows) {
            auto s = engine->deliver(row);
            CAIRN_VERIFY_OK(s);
            QVERIFY(engine->submitAndWait(*std::move(s)).ok());
        }
        if (rows->empty())
            break;
    }
    Query query(*w.store, w.clock);
    const auto ofTop = query.relations(top);
    CAIRN_VERIFY_OK(ofTop);
    QCOMPARE(ofTop->size(), std::size_t(2));
    QCOMPARE((*ofTop)[0].kind, Relation::Kind::Self);
    QCOMPARE((*ofTop)[1].kind, Relation::Kind::Child);
    QCOMPARE((*ofTop)[1].step, std::string("order"));
    QVERIFY((*ofTop)[1].row.has_value());
    const RunId middle = (*ofTop)[1].run;
    const auto ofMiddle = query.relations(middle);
    CAIRN_VERIFY_OK(ofMiddle);
    QCOMPARE(ofMiddle->size(), std::size_t(3));
    QCOMPARE((*ofMiddle)[0].kind, Relation::Kind::Ancestor);
    QCOMPARE((*ofMiddle)[0].run, top);
    QCOMPARE((*ofMiddle)[1].run, middle);
    const auto ofLeaf = query.relations((*ofMiddle)[2].run);
    CAIRN_VERIFY_OK(ofLeaf);
    QCOMPARE(ofLeaf->size(), std::size_t(3));
    QCOMPARE((*ofLeaf)[0].run, top);  // topmost first
    QCOMPARE((*ofLeaf)[1].run, middle);
    QCOMPARE((*ofLeaf)[2].kind, Relation::Kind::Self);
    CAIRN_VERIFY_ERROR(query.relations(RunId{}), ErrorKind::NotFound);
}

void TestRunViews::oneStepTellsWhatMayBeDoneAndWhyNot()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    const RunId run = started(*engine, "{}");
    Query query(*w.store, w.clock);
    const auto running = query.stepActions(run, 0);
    CAIRN_VERIFY_OK(running);
    QCOMPARE(running->step, std::string("only"));
    std::vector<Verb> verbs;
    for (const Action& action : running->actions) {
        verbs.push_back(action.verb);
        QCOMPARE(action.step, StepIx(0));
        QVERIFY2(!action.allowed, action.why.c_str());
    }
    QCOMPARE(verbs, (std::vector<Verb>{Verb::Retry, Verb::Amend, Verb::Skip, Verb::Record}));
    QVERIFY(running->actions[0].why.ends_with("an attempt is under way"));
    QVERIFY(running->actions[2].why.ends_with("so skip does not apply"));
    QCOMPARE(engine
                 ->submitAndWait(
                     World::complete(*engine, run, World::attemptOf(*engine->state(run), "only"), "[1]"))
                 .version,
        std::uint64_t(2));
    const auto done = query.stepActions(run, 0);
    CAIRN_VERIFY_OK(done);
    QCOMPARE(done->actions.size(), std::size_t(4));
    // Every reason is the one with which the act itself would be refused.
    QVERIFY(done->actions[0].why != running->actions[0].why);
    CAIRN_VERIFY_ERROR(query.stepActions(run, 1), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(query.stepActions(RunId{}, 0), ErrorKind::NotFound);
}

QTEST_APPLESS_MAIN(TestRunViews)
#include "tst_run_views.moc"
