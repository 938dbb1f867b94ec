// DUP: a side effect that happens again after a resume, a wake-up or a replay.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

// A driven run's body: what a program with effects and questions does, from its top each time.
struct Body {
    Bench& b;
    RunId run;
    std::string waitsFor;  // empty: it came to its end
    int entered = 0;

    // False: the body stops here, for the step has no result yet.
    bool effect(const std::string& name)
    {
        cmd::DrivenStep ask;
        ask.step.id = ask.step.name = name;
        ask.step.safety = ReplaySafety::Repeatable;
        ask.step.tool = name;
        ask.worker = "body";
        Submission s = Bench::command(run, cmd::Advance{}, {ActorKind::Caller, "body"});
        s.payloads.push_back(b.service->newPayload("{}", "application/json"));
        ask.input = s.payloads.back().ref;
        s.command.body = ask;
        const Outcome asked = b.service->submitAndWait(std::move(s));
        if (asked.kind == Outcome::Kind::NoChange)
            return b.step(run, name).state == StepState::Complete;
        const StepRecord record = b.step(run, name);
        b.effectd.note(b.now(), name, toText(run) + "/" + name, "{}");
        return b.service->submitAndWait(b.complete(run, record.attempt->id, "\"" + name + " done\"")).ok();
    }
    bool question(const std::string& name)
    {
        Submission s = Bench::command(run, cmd::Advance{}, {ActorKind::Caller, "body"});
        cmd::RequestApproval ask;
        ask.step.id = ask.step.name = name;
        ask.policy.role = "editor";
        s.payloads.push_back(b.service->newPayload("{\"ask\":\"" + name + "\"}", "application/json"));
        ask.input = s.payloads.back().ref;
        s.command.body = ask;
        static_cast<void>(b.service->submitAndWait(std::move(s)));
        waitsFor = b.step(run, name).state == StepState::Complete ? std::string() : name;
        return waitsFor.empty();
    }
    void enter()
    {
        ++entered;
        static_cast<void>(effect("A") && question("Q1") && effect("B") && question("Q2") && effect("C"));
    }
};

}  // namespace

class TestDup : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c01_secondQuestionRepeatsNothing();
    void c02_answeringOneOfManyCallsFiresNoOther();
    void c04_crashBetweenOutputAndEnd_data();
    void c04_crashBetweenOutputAndEnd();
};

void TestDup::c01_secondQuestionRepeatsNothing()
{
    CAIRN_BENCH();
    Submission s = b.start("");
    const RunId run = b.service->submitAndWait(std::move(s)).run;
    Body body{b, run, {}};
    body.enter();
    QCOMPARE(body.waitsFor, std::string("Q1"));
    QCOMPARE(b.approve(run, "Q1").kind, Outcome::Kind::Committed);
    body.enter();
    QCOMPARE(body.waitsFor, std::string("Q2"));
    // The worker is killed here; another one runs the body from its top, sees Q2 open, and waits.
    for (int i = 0; i < 3; ++i) {
        Body other{b, run, {}};
        other.enter();
        QCOMPARE(other.waitsFor, std::string("Q2"));
        const Summary summary = b.summary(run);
        QCOMPARE(summary.activity, Activity::Waiting);
        QCOMPARE(summary.primary.reason, Reason::Approval);
        QCOMPARE(b.row(run).step, std::string("Q2"));
    }
    QCOMPARE(b.approve(run, "Q2").kind, Outcome::Kind::Committed);
    Body last{b, run, {}};
    last.enter();
    QCOMPARE(last.waitsFor, std::string());
    QCOMPARE(b.effectd.text(), std::string("A=1 B=1 C=1"));
    QCOMPARE(b.facts<ApprovalRequested>(run), 2);
    for (const char* step : {"A", "B", "C"})
        QCOMPARE(b.step(run, step).attempts, 1U);
    QCOMPARE(b.output(run, "B"), std::string("\"B done\""));
    QCOMPARE(b.verified(run), std::string());
}

void TestDup::c02_answeringOneOfManyCallsFiresNoOther()
{
    CAIRN_BENCH();
    b.add(workflow("video",
        "{'name':'each','tool':'render','for_each':{'from':'input'},'input':{'$from':'item'}},"
        "{'name':'finalize','tool':'note','after':['each'],'input':{'$from':'each'}}"));
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    const RunId run = b.started("video", "[1,2,3,4,5,6]");
    engine->settle();
    std::map<int, AttemptId> attempts;
    for (int i = 1; i <= 6; ++i) {  // "accepted": the renderer holds a claim, and posts its result later
        cmd::Claim claim;
        claim.step = "each#" + std::to_string(i - 1);
        claim.worker = "renderer";
        claim.heartbeat = 40'000'000;
        QCOMPARE(b.service->submitAndWait(Bench::command(run, claim, {ActorKind::Worker, "renderer"})).kind,
            Outcome::Kind::Committed);
        const StepRecord record = b.step(run, claim.step);
        attempts[i] = record.attempt->id;
        b.effectd.note(b.now(), "render", record.id, std::to_string(i));
    }
    const auto post = [&](int i, const std::string& result) {
        return b.service->submitAndWait(b.complete(run, attempts[i], result));
    };
    const auto version = [&] { return b.state(run).version; };
    int posted = 0;
    for (const int i : {3, 1, 6, 2, 5, 4}) {
        QCOMPARE(post(i, "{\"video\":" + std::to_string(i) + "}").kind, Outcome::Kind::Committed);
        engine->settle();
        if (++posted == 2) {  // the worker is restarted
            engine->kill();
            b.bury(*engine);
            engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
            engine->settle();
        }
        if (i == 3) {  // again unchanged: acknowledged, nothing changes; with other content: refused, and on
                       // record
            const std::uint64_t before = version();
            QCOMPARE(post(3, "{\"video\":3}").kind, Outcome::Kind::NoChange);
            QCOMPARE(version(), before);
            const Outcome other = post(3, "{\"video\":33}");
            QCOMPARE(other.kind, Outcome::Kind::Rejected);
            QCOMPARE(other.rejection.code, RejectCode::Conflict);
            QCOMPARE(b.facts<LateResult>(run), 1);
            QCOMPARE(b.output(run, "each#2"), std::string("{\"video\":3}"));
        }
    }
    engine->settle();
    QCOMPARE(b.effectd.text(), std::string("finalize=1 render=6"));
    QCOMPARE(b.effectd.lines.back().name, std::string("finalize"));
    QCOMPARE(b.effectd.lines.back().arguments,
        std::string("[{\"video\":1},{\"video\":2},{\"video\":3},{\"video\":4},"
                    "{\"video\":5},{\"video\":6}]"));
    QCOMPARE(b.state(run).closedAs, Activity::Completed);
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.verified(run), std::string());
}

void TestDup::c04_crashBetweenOutputAndEnd_data()
{
    QTest::addColumn<bool>("asChild");
    QTest::newRow("top-level") << false;
    QTest::newRow("child") << true;
}

// In Cairn the output, the end of the step and the end of the run are one commit, so "output stored, run not
// closed" is not a state that a kill can leave. What can be lost is all that comes after that commit: the
// answer to it (the same command comes again) and the message to the parent.
void TestDup::c04_crashBetweenOutputAndEnd()
{
    CAIRN_BENCH();
    QFETCH(bool, asChild);
    b.add(workflow("work", "{'name':'do','tool':'note','input':{}}", ",'output':{'$from':'do'}"));
    b.add(workflow("parent",
        "{'name':'kid','kind':'run','workflow':'work','input':{}},{'name':'after','tool':'look','after':['"
        "kid']}"));
    EngineStandIn first(b, {"w1"});
    bool dies = true;
    CommandId command;
    b.tools["note"] = [&](const Call& call) {
        b.effectd.note(b.now(), call.id, call.key, call.input);
        if (!dies)
            return done("\"again\"");
        dies = false;
        Submission s = b.complete(call.run, call.attempt, "\"once\"");
        s.command.id = command = makeId<CommandId>(b.now(), b.rng);
        static_cast<void>(first.submit(std::move(s)));  // the output is stored, and then the process is gone
        return killed();
    };
    const RunId top = b.started(asChild ? "parent" : "work");
    first.settle();
    QVERIFY(first.dead());
    const RunId run = asChild ? b.state(top).children.front().run : top;
    QVERIFY(b.state(run).closed);
    b.bury(first);
    EngineStandIn second(b, {"w2"});
    second.settle();
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    QCOMPARE(b.text(run, b.state(run).output), std::string("\"once\""));
    QCOMPARE(b.facts<RunClosed>(run), 1);
    QCOMPARE(b.state(top).closedAs, Activity::Completed);
    QVERIFY(b.state(top).closed);
    QCOMPARE(b.facts<ChildAnswered>(top), asChild ? 1 : 0);
    // The dead engine's command comes again: its first answer.
    Submission again = b.complete(run, b.step(run, "do").lastAttempt, "\"once\"");
    again.command.id = command;
    QCOMPARE(b.service->submitAndWait(std::move(again)).kind, Outcome::Kind::Repeated);
    QCOMPARE(b.facts<RunClosed>(run), 1);
    QCOMPARE(b.verified(run), std::string());
}

CAIRN_CASES(TestDup, "dup")
#include "cases_dup.moc"
