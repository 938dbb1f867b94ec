// OWN: two owners of one step.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestOwn : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c05_recoveryLeavesRunsThatThisProcessHasJustStarted();
    void c07_restartedWorkerWithItsOldName();
};

// The clock stands still: the run is created in the very instant of the sweep. 200 runs each way.
void TestOwn::c05_recoveryLeavesRunsThatThisProcessHasJustStarted()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','input':{}}"));
    EngineStandIn first(b, {"w1"});
    EngineStandIn second(b, {"w2"});
    for (int i = 0; i < 200; ++i) {
        Submission s = b.start("one");
        if (i % 2 == 0) {
            QVERIFY(first.submit(std::move(s)).ok());  // started by this very engine
        } else {
            QVERIFY(b.service->submitAndWait(std::move(s)).ok());
        }
        // Both sweep before the attempt has run.
        static_cast<void>(second.turn());
        static_cast<void>(first.turn());
    }
    first.settle();
    second.settle();
    QCOMPARE(b.effectd.count("do"), 200);
    std::set<std::string> keys;
    for (const auto& line : b.effectd.lines)
        keys.insert(line.key);
    QCOMPARE(keys.size(), std::size_t(200));
    QVERIFY(first.errors.empty() && second.errors.empty());
    ListTerm unfinished;
    unfinished.unfinishedOnly = true;
    const auto left = b.store->count({unfinished});
    CAIRN_VERIFY_OK(left);
    QCOMPARE(*left, std::uint64_t(0));
}

void TestOwn::c07_restartedWorkerWithItsOldName()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','input':{}}"));
    EngineStandIn dead(b, {"w1"});
    b.tools["note"] = [](const Call&) { return killed(); };
    const RunId run = b.started("one");
    dead.settle();
    QVERIFY(dead.dead());
    QCOMPARE(b.step(run, "do").state, StepState::Running);
    b.tools.clear();
    // Restarted at once under the same name: the run is not its own, and is not adopted while the old lease
    // lives.
    EngineStandIn again(b, {"w1"});
    again.settle();
    QCOMPARE(b.effectd.count("do"), 0);
    QCOMPARE(b.step(run, "do").attempt->session, dead.session);
    // The lease passes: one sweep ends the old session, whatever its name, and the orphan is taken.
    b.advance(10'001);
    const auto ended = b.store->endSession(dead.session, b.now(), b.now());
    CAIRN_VERIFY_OK(ended);
    QVERIFY(*ended);
    again.settle();
    QCOMPARE(b.effectd.count("do"), 1);
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.step(run, "do").lost, 1U);
    const auto sessions = b.store->sessions(true);
    CAIRN_VERIFY_OK(sessions);
    QCOMPARE(sessions->size(), std::size_t(2));
    QVERIFY((*sessions)[0].id != (*sessions)[1].id);
    QCOMPARE((*sessions)[0].name, (*sessions)[1].name);
    // Two living ones of one name: each run is executed once, by the one that owns it.
    EngineStandIn twin(b, {"w1"});
    std::map<std::string, std::set<SessionId>> owners;
    b.tools["note"] = [&](const Call& call) {
        owners[toText(call.run)].insert(b.step(call.run, call.id).attempt->session);
        b.effectd.note(b.now(), call.id, call.key, {});
        return done();
    };
    for (int i = 0; i < 50; ++i) {
        static_cast<void>(b.started("one"));
        static_cast<void>(again.turn());
        static_cast<void>(twin.turn());
    }
    again.settle();
    twin.settle();
    QCOMPARE(b.effectd.count("do"), 51);
    QCOMPARE(owners.size(), std::size_t(50));
    for (const auto& [id, sessionsOfRun] : owners)
        QCOMPARE(sessionsOfRun.size(), std::size_t(1));
}

CAIRN_CASES(TestOwn, "own")
#include "cases_own.moc"
