// AMB: the outcome is unknown: an effect or a commit may or may not have happened.

#include "core/base/failpoint.h"
#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestAmb : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void cleanup() { static_cast<void>(failpoint::configure("")); }
    void c10_commitWhoseAnswerWasLost_data();
    void c10_commitWhoseAnswerWasLost();
    void c10_commitThatWasLostWithItsAnswer();
    void c10_claimWhoseAnswerWasLost();
    void c10_killedRightAfterCommit();
    void c12_crashBetweenCallAndResult_data();
    void c12_crashBetweenCallAndResult();
};

void TestAmb::c10_commitWhoseAnswerWasLost_data()
{
    QTest::addColumn<int>("which");
    QTest::newRow("a new run") << 1;
    QTest::newRow("the intent of a payment") << 2;
    QTest::newRow("an approval") << 3;
    QTest::newRow("a step's result") << 4;
}

// Case 2 of the page, the commit landed: the answer is taken away after COMMIT.
void TestAmb::c10_commitWhoseAnswerWasLost()
{
    CAIRN_BENCH();
    QFETCH(int, which);
    b.add(workflow("one", "{'name':'do','tool':'pay','approval':{'role':'ops'},'input':{}}"));
    EngineStandIn engine(b, {});
    const auto lose = [&](int when) {
        return failpoint::configure(when == which ? "queue.after-commit=error@1" : "");
    };
    const auto lost = [&](int when) { return when == which ? failpoint::counts()["queue.after-commit"] : 2; };
    QVERIFY(lose(1));
    const Outcome started = b.service->submitAndWait(b.start("one", "{}", "key-1"));
    QVERIFY2(started.ok(), (started.rejection.text + started.error.text).c_str());
    QCOMPARE(lost(1), std::uint64_t(2));  // committed again under the same command id, and found there
    QVERIFY(lose(0));
    engine.settle();
    QVERIFY(lose(3));
    const Outcome approved = b.approve(started.run, "do");
    QVERIFY2(approved.ok(), (approved.rejection.text + approved.error.text).c_str());
    QCOMPARE(lost(3), std::uint64_t(2));
    bool called = false;
    b.tools["pay"] = [&](const Call& call) {
        called = true;
        b.effectd.note(b.now(), call.id, call.key, call.input);
        static_cast<void>(lose(4));
        return done("\"paid\"");
    };
    QVERIFY(lose(2));
    engine.settle();
    QVERIFY(called);
    QVERIFY(lose(0));
    QVERIFY(engine.errors.empty());
    const RunState state = b.state(started.run);
    QVERIFY(state.closed);
    QCOMPARE(state.version, std::uint64_t(b.entries(started.run).size()));
    QCOMPARE(b.facts<RunStarted>(started.run), 1);
    QCOMPARE(b.facts<ApprovalDecided>(started.run), 1);
    QCOMPARE(b.facts<AttemptStarted>(started.run), 1);
    QCOMPARE(b.facts<StepCompleted>(started.run), 1);
    QCOMPARE(b.audit(started.run).size(), std::size_t(1));
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    QCOMPARE(b.verified(started.run), std::string());
}

// Case 1, nothing landed and nobody knows. Only the store in memory can lose a commit on order; a SQLite
// store, which has no connection to lose, says Io (rolled back), and the same command again is the first.
void TestAmb::c10_commitThatWasLostWithItsAnswer()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'pay','input':{}}"));
    Submission s = b.start("one", "{}", "key-1");
    s.run = makeId<RunId>(b.now(), b.rng);
    s.command.id = makeId<CommandId>(b.now(), b.rng);
    if (b.onDisk()) {
        QVERIFY(failpoint::configure("store.before_commit=error@1"));
        const Outcome failed = b.service->submitAndWait(s);
        QCOMPARE(failed.kind, Outcome::Kind::Failed);
        QCOMPARE(failed.error.kind, ErrorKind::Io);
        QVERIFY(failpoint::configure(""));
        QVERIFY(!b.service->load(s.run));
    } else {
        int times = 0;
        MemoryFaults faults;
        faults.beforeCommit = [&]() -> std::optional<Error> {
            return ++times == 1
                ? std::optional(makeError(ErrorKind::OutcomeUnknown, "the connection was lost"))
                : std::nullopt;
        };
        setFaults(*b.memory, faults);
        const Outcome first = b.service->submitAndWait(s);
        QCOMPARE(first.kind, Outcome::Kind::Committed);
        QCOMPARE(times, 2);
    }
    const Outcome again = b.service->submitAndWait(s);
    QVERIFY2(again.ok(), (again.rejection.text + again.error.text).c_str());
    QCOMPARE(again.run, s.run);
    EngineStandIn engine(b, {});
    engine.settle();
    QCOMPARE(b.facts<RunStarted>(s.run), 1);
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    QCOMPARE(b.verified(s.run), std::string());
}

// An outside worker's claim: the answer is taken away after COMMIT, and once more on the way to the worker,
// who asks again.
void TestAmb::c10_claimWhoseAnswerWasLost()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'draw','tool':'render','input':{}}"));
    const RunId run = b.started("one");
    const auto claim = [&](const std::string& worker, const CommandId& id) {
        Submission s =
            Bench::command(run, cmd::Claim{"draw", worker, {}, 30'000}, {ActorKind::Worker, worker});
        s.command.id = id;
        return b.service->submitAndWait(std::move(s));
    };
    const auto mine = makeId<CommandId>(b.now(), b.rng);
    QVERIFY(failpoint::configure("queue.after-commit=error@1"));
    const Outcome first = claim("w1", mine);
    QCOMPARE(
        failpoint::counts()["queue.after-commit"], std::uint64_t(2));  // committed again, and found there
    QVERIFY(failpoint::configure(""));
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    const AttemptId attempt = b.step(run, "draw").attempt->id;
    const Outcome again = claim("w1", mine);
    QCOMPARE(again.kind, Outcome::Kind::Repeated);
    QCOMPARE(again.version, first.version);
    const auto* started = std::get_if<AttemptStarted>(&again.entry.facts.front());
    QVERIFY(started != nullptr);
    QCOMPARE(started->attempt, attempt);
    // Another's claim does not get it, under its own id or under none.
    QCOMPARE(claim("w2", makeId<CommandId>(b.now(), b.rng)).kind, Outcome::Kind::Rejected);
    QVERIFY(b.service->submitAndWait(b.complete(run, attempt, "1")).ok());
    QCOMPARE(b.facts<AttemptStarted>(run), 1);
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.verified(run), std::string());
}

// The process is gone between COMMIT and whatever it would have done next, at each commit of a run in turn.
void TestAmb::c10_killedRightAfterCommit()
{
    CAIRN_BENCH();
    b.add(workflow("one",
        "{'name':'first','tool':'buy','input':{}},{'name':'second','tool':'buy','after':['first'],'input':{}"
        "}"));
    for (int commit = 1; commit <= 3; ++commit) {
        const RunId run = b.started("one");
        EngineStandIn doomed(b, {"doomed"});
        doomed.dieAfterCommit(commit);
        doomed.settle();
        QVERIFY(doomed.dead());
        b.bury(doomed);
        EngineStandIn engine(b, {"next"});
        engine.settle();
        QVERIFY(b.state(run).closed);
        QCOMPARE(b.effectd.count("first"), commit);
        QCOMPARE(b.effectd.count("second"), commit);
        QCOMPARE(b.facts<StepCompleted>(run), 2);
        QCOMPARE(b.verified(run), std::string());
    }
}

void TestAmb::c12_crashBetweenCallAndResult_data()
{
    QTest::addColumn<bool>("canAsk");
    QTest::newRow("the provider can be asked") << true;
    QTest::newRow("nobody can say") << false;
}

void TestAmb::c12_crashBetweenCallAndResult()
{
    CAIRN_BENCH();
    QFETCH(bool, canAsk);
    const std::string tool = canAsk ? "buy" : "pay";
    b.add(workflow("talk",
        "{'name':'one','tool':'" + tool + "','input':{'n':1}},{'name':'two','tool':'" + tool
            + "','input':{'n':2}},"
              "{'name':'user','kind':'signal','signal':'message'},{'name':'reply','tool':'look','after':['"
              "user'],'input':{'$from':'user'}},"
              "{'name':'end','tool':'look','after':['one','two','reply'],'input':{}}"));
    EngineStandIn first(b, {"w0"});
    b.tools[tool] = [&](const Call& call) {
        b.effectd.note(b.now(), call.id, call.key, call.input);
        return call.id == "one" ? done("\"first result\"") : killed();  // P2 of the other
    };
    const RunId run = b.started("talk");
    first.settle();
    QVERIFY(first.dead());
    b.bury(first);
    std::uint64_t version = 0;
    for (int resume = 1; resume <= 3; ++resume) {
        EngineStandIn engine(b, {"w" + std::to_string(resume)});
        engine.settle();
        engine.kill();
        b.bury(engine);
        if (resume == 1)
            version = b.state(run).version;
        QCOMPARE(b.state(run).version, version);  // the repair is stored once
    }
    QCOMPARE(b.facts<StepUnknown>(run), 1);
    QCOMPARE(b.output(run, "one"), std::string("\"first result\""));
    QCOMPARE(b.step(run, "two").state, canAsk ? StepState::Complete : StepState::Unknown);
    EngineStandIn engine(b, {"w9"});
    QVERIFY(b.signal(run, "message", "m1", "\"go on\"").ok());  // the run goes on
    engine.settle();
    QCOMPARE(b.step(run, "reply").state, StepState::Complete);
    if (!canAsk) {
        QCOMPARE(b.summary(run).attention, Attention::UnknownEffect);
        QCOMPARE(b.summary(run).primary.reason, Reason::OutcomeUnknown);
        QVERIFY(b.step(run, "two").output.isNull());  // no invented result
        cmd::Settle settle;
        settle.step = "two";
        QVERIFY(b.doAct(run, settle).ok());
        engine.settle();
    }
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.effectd.text(), std::string("one=1 two=1"));
    int answers = 0;
    for (const Entry& entry : b.entries(run))
        for (const Fact& fact : entry.facts)
            if (const auto* completed = std::get_if<StepCompleted>(&fact); completed && completed->step < 2)
                ++answers;
    QCOMPARE(answers, 2);
    QCOMPARE(b.verified(run), std::string());
}

CAIRN_CASES(TestAmb, "amb")
#include "cases_amb.moc"
