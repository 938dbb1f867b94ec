// STK: stuck without a reason, or a signal that was lost before the wait began.

#include "tests/cases/bench.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestStk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c19_hungAttemptIsEndedAndTriedAgain();
    void c21_versionThatNobodyServesIsSaid();
    void c22_signalBeforeTheWaitBegins();
};

void TestStk::c19_hungAttemptIsEndedAndTriedAgain()
{
    CAIRN_BENCH();
    b.add(workflow("keyed", "{'name':'do','tool':'keyed','input':{'$from':'input'}}", {}, 1,
        "'keyed':{'safety':'repeatable','executor':'command','settings':{'argv':['/bin/true']},"
        "'effect_key':'K-${/"
        "k}','timeout':'60s','retry':{'attempts':5,'first_delay':'1s','max_delay':'1s'}}"));
    std::uint32_t hangs = 2;
    b.tools["keyed"] = [&](const Call& call) {
        if (call.number == 1) {  // the connection broke: the same key is tried again
            Answer broke = fails(FailureClass::Retryable, "connection reset");
            broke.effect = EffectKnowledge::Unknown;
            return broke;
        }
        if (call.number <= 1 + hangs)
            return later();
        b.effectd.note(b.now(), call.id, call.key, call.input);
        return done("\"made\"");
    };
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    const RunId x = b.started("keyed", "{\"k\":7}");
    engine->settle();
    const RunId second = b.started("keyed", "{\"k\":7}");
    const RunId third = b.started("keyed", "{\"k\":7}");
    engine->settle();
    b.advance(2'000);
    engine->settle();  // attempt 2 hangs
    QCOMPARE(b.step(x, "do").attempts, 2U);
    QCOMPARE(b.summary(x).activity, Activity::Executing);
    for (const RunId& run : {second, third}) {  // blocked by run x on the key, and said so
        QCOMPARE(b.summary(run).primary.reason, Reason::EffectInFlight);
        QCOMPARE(b.step(run, "do").waitRun, x);
    }
    b.advance(60'000);
    engine->settle();  // ended at the limit, not parked
    const ListRow row = b.row(x);
    QCOMPARE(row.activity, Activity::Retrying);
    QCOMPARE(row.reason, Reason::Retry);
    QCOMPARE(row.attemptsMax, 5U);
    QVERIFY(row.nextTime > b.now() && row.nextTime <= b.now() + 1'001);
    const auto attempts = b.store->attempts(x, 0);
    CAIRN_VERIFY_OK(attempts);
    QCOMPARE(attempts->size(), std::size_t(2));
    QCOMPARE(attempts->back().how, AttemptEnd::TimedOut);
    QCOMPARE(attempts->back().endedAt - attempts->back().startedAt, SpanMs(60'000));
    const Explanation why = b.explained(x);
    QVERIFY(std::any_of(why.actions.begin(), why.actions.end(),
        [](const Action& action) { return action.verb == Verb::Retry && action.allowed; }));
    b.advance(1'001);
    engine->settle();  // attempt 3 hangs, and the worker is restarted
    QCOMPARE(b.step(x, "do").attempts, 3U);
    engine->kill();
    b.bury(*engine);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    engine->settle();
    QCOMPARE(b.step(x, "do").lost, 1U);
    QCOMPARE(b.effectd.text(), std::string("do=1"));
    for (const RunId& run : {x, second, third}) {
        QVERIFY(b.state(run).closed);
        QCOMPARE(b.output(run, "do"), std::string("\"made\""));
        QCOMPARE(b.verified(run), std::string());
    }
}

void TestStk::c21_versionThatNobodyServesIsSaid()
{
    CAIRN_BENCH();
    const std::string first =
        "{'name':'a','tool':'note','input':{}},{'name':'b','tool':'note','after':['a'],'input':{}}";
    b.add(workflow("flow", first));
    b.tools["note"] = [&](const Call& call) {
        if (call.id == "b" && b.effectd.count("b") == 0 && b.state(call.run).workflow.version == 1)
            return later();
        b.effectd.note(b.now(), call.id, call.key, {});
        return done();
    };
    EngineStandIn old(b, {"old", {"flow@1"}});
    const RunId run = b.started("flow");
    old.settle();
    QCOMPARE(b.effectd.text(), std::string("a=1"));
    old.kill();
    b.bury(old);
    b.add(workflow("flow", first + ",{'name':'c','tool':'note','after':['b'],'input':{}}",
        ",'migrations':[{'from_version':1}]", 2));
    b.add(workflow("flow", "{'name':'b','tool':'note','input':{}}", ",'migrations':[{'from_version':1}]", 3));
    EngineStandIn newer(b, {"new", {"flow@2"}});
    newer.settle();
    b.advance(300'000);
    newer.settle();
    QCOMPARE(b.effectd.text(), std::string("a=1"));
    const Summary summary = b.summary(run);
    QCOMPARE(summary.activity, Activity::Blocked);
    QCOMPARE(summary.primary.reason, Reason::Worker);
    QCOMPARE(summary.attention, Attention::Repair);
    QCOMPARE(
        b.text(run, b.state(run).blockedDetail), std::string("wanted flow@1; this engine serves flow@2"));
    const auto counts = b.store->counts({});
    CAIRN_VERIFY_OK(counts);
    QCOMPARE(std::count_if(counts->begin(), counts->end(),
                 [](const CountRow& row) { return row.reason == Reason::Worker && row.count == 1; }),
        1);
    // Version 3 has no step "a", which has a recorded result.
    const Outcome refused = b.doAct(run, cmd::Migrate{3});
    QCOMPARE(refused.kind, Outcome::Kind::Rejected);
    QVERIFY2(refused.rejection.text.find("\"a\"") != std::string::npos, refused.rejection.text.c_str());
    QCOMPARE(b.state(run).workflow.version, 1U);
    const auto preview = b.service->preview(b.act(run, cmd::Migrate{2}));
    CAIRN_VERIFY_OK(preview);
    QVERIFY(std::holds_alternative<Entry>(preview->decision));
    QCOMPARE(b.state(run).workflow.version, 1U);
    QCOMPARE(b.doAct(run, cmd::Migrate{2}).kind, Outcome::Kind::Committed);
    newer.settle();
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.effectd.text(), std::string("a=1 b=1 c=1"));
    const auto audit = b.audit(run);
    QCOMPARE(audit.size(), std::size_t(2));
    QCOMPARE(audit[0].kind, std::string("refused"));
    QCOMPARE(audit[1].kind, std::string("applied"));
    QCOMPARE(audit[1].verb, Verb::Migrate);
    QCOMPARE(b.verified(run), std::string());
}

// 500 runs on each store; the signal comes in the same millisecond, before any engine has seen the run.
void TestStk::c22_signalBeforeTheWaitBegins()
{
    CAIRN_BENCH();
    b.add(workflow("one",
        "{'name':'first','tool':'look','input':{}},{'name':'wait','kind':'signal','signal':'go','after':['"
        "first']}"));
    b.add(workflow("two",
        "{'name':'wait','kind':'signal','signal':'go'},{'name':'again','kind':'signal','signal':'go','after':"
        "['wait']}"));
    EngineStandIn engine(b, {});
    for (int i = 0; i < 500; ++i) {
        const RunId run = b.started("one");
        QCOMPARE(b.signal(run, "go", "m" + std::to_string(i), "{\"n\":" + std::to_string(i) + "}").kind,
            Outcome::Kind::Committed);
        if (i % 50 == 49)
            engine.settle();
    }
    ListTerm term;
    term.activity = {Activity::Completed};
    const auto finished = b.store->count({term});
    CAIRN_VERIFY_OK(finished);
    QCOMPARE(*finished, std::uint64_t(500));

    // One second before the start: there is no such run, and the sender is told.
    const RunId notYet = makeId<RunId>(b.now(), b.rng);
    const Outcome early = b.signal(notYet, "go", "early");
    QCOMPARE(early.kind, Outcome::Kind::Rejected);
    QCOMPARE(early.rejection.code, RejectCode::NotFound);

    // Twice: the second copy changes nothing and does not end the second wait.
    const RunId run = b.started("two");
    QCOMPARE(b.signal(run, "go", "twice").kind, Outcome::Kind::Committed);
    QCOMPARE(b.signal(run, "go", "twice").kind, Outcome::Kind::NoChange);
    QCOMPARE(b.signal(run, "go", "twice", "{\"other\":1}").rejection.code, RejectCode::Conflict);
    engine.settle();
    QCOMPARE(b.step(run, "wait").state, StepState::Complete);
    QCOMPARE(b.step(run, "again").state, StepState::Waiting);
    QCOMPARE(b.facts<SignalConsumed>(run), 1);
    QCOMPARE(b.signal(run, "go", "another").kind, Outcome::Kind::Committed);
    engine.settle();
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.verified(run), std::string());
}

CAIRN_CASES(TestStk, "stk")
#include "cases_stk.moc"
