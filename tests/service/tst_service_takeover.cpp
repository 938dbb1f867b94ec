// Taking a run over from the engine that has it, and a step from who works on it.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceTakeover : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void theRunIsFreeAndALateResultIsRefused();
    void anUncertainEffectIsNotRepeated();
    void aStepIsTakenFromItsWorker();
    void whatChangedHandsSinceIsStale();
    void thePreviewSaysIt();

private:
    static cmd::Takeover ofRun(World& w, const RunId& run)
    {
        cmd::Takeover body;
        body.owner = w.store->hot(run)->owner;
        body.checkOwner = true;
        return body;
    }
};

void TestServiceTakeover::theRunIsFreeAndALateResultIsRefused()
{
    World w;
    w.add(workflowText("one", R"({"name":"do","tool":"note","input":{}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
    const AttemptId attempt = World::attemptOf(*engine->state(run), "do");
    QCOMPARE(w.store->hot(run)->owner, w.session);
    const Outcome taken = w.service->submitAndWait(World::act(run, ofRun(w, run)));
    QVERIFY2(taken.kind == Outcome::Kind::Committed, told(taken).c_str());
    QCOMPARE(taken.entry.verb, Verb::Takeover);
    const auto hot = w.store->hot(run);
    CAIRN_VERIFY_OK(hot);
    QVERIFY(hot->owner.isNull());
    QCOMPARE(hot->epoch, std::uint64_t{2});
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(!state->find("do")->attempt);
    QCOMPARE(state->find("do")->lost, 1U);
    const Outcome late = engine->submitAndWait(World::complete(*engine, run, attempt, R"({"a":1})"));
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Fenced);
    // Any engine may have it now.
    auto second = w.engine();
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs() + 60'000, 5);
    CAIRN_VERIFY_OK(claimed);
    QCOMPARE(claimed->size(), std::size_t{1});
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceTakeover::anUncertainEffectIsNotRepeated()
{
    World w;
    w.add(workflowText("pays", R"({"name":"pay","tool":"pay","input":{"$from":"input"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"5.00"})")).run;
    QVERIFY(!World::attemptOf(*engine->state(run), "pay").isNull());
    QVERIFY(w.service->submitAndWait(World::act(run, ofRun(w, run))).ok());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("pay")->state, StepState::Unknown);
    QCOMPARE(summarise(*state, w.clock.wallMs()).attention, Attention::UnknownEffect);
}

void TestServiceTakeover::aStepIsTakenFromItsWorker()
{
    World w;
    w.add(workflowText("works", R"({"name":"dig","tool":"dig","input":{}})", {},
        R"("dig":{"safety":"repeatable","executor":"worker"},)"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "works", "{}")).run;
    cmd::Claim claim;
    claim.step = "dig";
    claim.worker = "w-17";
    QVERIFY(engine->submitAndWait(World::command(run, claim, {ActorKind::Worker, "w-17"})).ok());
    const AttemptId attempt = World::attemptOf(*w.service->load(run), "dig");
    QVERIFY(!attempt.isNull());
    const Outcome other = w.service->submitAndWait(
        World::act(run, cmd::Takeover{"dig", makeId<AttemptId>(5, w.rng), {}, false}));
    QCOMPARE(other.rejection.code, RejectCode::Stale);
    const Outcome taken = w.service->submitAndWait(World::act(run, cmd::Takeover{"dig", attempt, {}, false}));
    QVERIFY2(taken.kind == Outcome::Kind::Committed, told(taken).c_str());
    QVERIFY(World::attemptOf(*w.service->load(run), "dig").isNull());
    // Nobody works on it now, and a person gives its result.
    QCOMPARE(w.service->submitAndWait(World::act(run, cmd::Takeover{"dig", {}, {}, false})).rejection.code,
        RejectCode::Refused);
    QCOMPARE(w.service->submitAndWait(World::act(run, cmd::Takeover{"dag", {}, {}, false})).rejection.code,
        RejectCode::NotFound);
    Submission record = World::act(run, cmd::Advance{});
    record.payloads.push_back(w.service->newPayload(R"({"dug":1})", "application/json"));
    record.command.body = cmd::RecordResult{"dig", record.payloads.back().ref, 0, false};
    QVERIFY(w.service->submitAndWait(std::move(record)).ok());
    QCOMPARE(engine->submitAndWait(World::complete(*engine, run, attempt, R"({"dug":2})")).kind,
        Outcome::Kind::Rejected);
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceTakeover::whatChangedHandsSinceIsStale()
{
    World w;
    w.add(workflowText("one", R"({"name":"do","tool":"note","input":{}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
    const cmd::Takeover seen = ofRun(w, run);
    const SessionId first = w.session;
    auto second = w.engine();
    QVERIFY(first != w.session);
    CAIRN_VERIFY_OK(w.writer->takeOver(run, w.session));
    const Outcome late = w.service->submitAndWait(World::act(run, seen));
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QCOMPARE(w.store->hot(run)->owner, w.session);
}

void TestServiceTakeover::thePreviewSaysIt()
{
    World w;
    w.add(workflowText("pays", R"({"name":"pay","tool":"pay","input":{"$from":"input"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"5.00"})")).run;
    const auto preview = w.service->preview(World::act(run, ofRun(w, run)));
    CAIRN_VERIFY_OK(preview);
    std::string all;
    for (const std::string& line : preview->willHappen)
        all += line + "\n";
    QVERIFY2(all.find("the run is taken from engine ") != std::string::npos, all.c_str());
    QVERIFY2(all.find("the attempt at step \"pay\" ends as lost") != std::string::npos, all.c_str());
    QVERIFY2(all.find("whether step \"pay\" had its effect is not known: a person settles it")
            != std::string::npos,
        all.c_str());
    QVERIFY(!preview->undo.possible);
    QCOMPARE(w.store->hot(run)->owner, w.session);
}

QTEST_APPLESS_MAIN(TestServiceTakeover)
#include "tst_service_takeover.moc"
