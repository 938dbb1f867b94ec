// What the service adds to decisions: rendering, the effect ledger, fan-outs, messages between runs,
// back-off.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void effectOfTwoRunsHappensOnce();
    void sameKeyWithOtherInputIsAConflict();
    void waiterTakesOverAfterTheEffectDidNotHappen();
    void fanOutOutputIsTheListOfItsMembers();
    void templateThatDoesNotFitNamesThePlace();
    void textOutputIsReadAsJsonText();
    void childRunAnswersItsParent();
    void childBeginsUnderWhatItsParentsControlIsThen_data();
    void childBeginsUnderWhatItsParentsControlIsThen();
    void childOfACancelledRootBeginsNoAttempt_data();
    void childOfACancelledRootBeginsNoAttempt();
    void rateLimitHoldsTheResourceForAllRuns();
    void capacityIsNeverOverspent();
    void aWorkersClaimAsksWhatTheResourceAllows();
    void whoWaitsForAPermitNamesWhoHoldsIt();
    void unservedVersionSaysWhatIsHere();
    void signalWithTheSameIdCountsOnce();
    void listRowGroupsTheSameSituation();

private:
    static void deliverAll(World& w, Service& engine)
    {
        for (int round = 0; round < 20; ++round) {
            const auto rows = w.writer->outbox(100);
            QVERIFY(rows);
            if (rows->empty())
                return;
            for (const OutboxRow& row : *rows) {
                auto s = engine.deliver(row);
                CAIRN_VERIFY_OK(s);
                const Outcome o = engine.submitAndWait(*std::move(s));
                QVERIFY2(o.ok(), told(o).c_str());
                if (o.kind != Outcome::Kind::Committed)
                    QVERIFY(w.writer->dropOutbox(row));
            }
        }
        QFAIL("messages do not come to an end");
    }
};

namespace {

const std::string kPay = R"({"name":"pay","tool":"pay","input":{"$from":"input"}})";

Submission fail(Service& by, const RunId& run, const AttemptId& attempt, cmd::Fail body,
    const std::string& error = "HTTP 503")
{
    Submission s = World::command(run, cmd::Advance{});
    s.payloads.push_back(by.newPayload(error, "text/plain"));
    body.attempt = attempt;
    body.error = s.payloads.back().ref;
    s.command.body = body;
    return s;
}

}  // namespace

void TestServiceSteps::effectOfTwoRunsHappensOnce()
{
    World w;
    w.add(workflowText("pays", kPay));
    auto engine = w.engine();
    const std::string input = R"({"order":"A1","amount":"4860.00"})";
    const RunId a = engine->submitAndWait(World::start(*engine, "pays", input)).run;
    const RunId b = engine->submitAndWait(World::start(*engine, "pays", input)).run;
    auto waiting = w.service->load(b);
    CAIRN_VERIFY_OK(waiting);
    QCOMPARE(waiting->find("pay")->reason, Reason::EffectInFlight);
    QCOMPARE(waiting->find("pay")->waitRun, a);
    const auto key = engine->effectKey(a, 0);
    CAIRN_VERIFY_OK(key);
    QCOMPARE(*key, std::string("pay/A1"));
    const Outcome paid = engine->submitAndWait(
        World::complete(*engine, a, World::attemptOf(*engine->state(a), "pay"), R"({"id":77})"));
    QCOMPARE(told(paid), std::string("Committed 2"));
    deliverAll(w, *engine);
    const auto done = w.service->load(b);
    CAIRN_VERIFY_OK(done);
    QCOMPARE(done->closedAs, Activity::Completed);
    QVERIFY(done->closed);
    QVERIFY(done->find("pay")->fromLedger);
    QCOMPARE(done->find("pay")->attempts, std::uint32_t(0));
    const auto result = w.store->payload(b, done->find("pay")->output.id);  // copied into this run
    CAIRN_VERIFY_OK(result);
    QCOMPARE(*result, std::string(R"({"id":77})"));
    QCOMPARE(w.verified(a) + w.verified(b), std::string());
}

void TestServiceSteps::sameKeyWithOtherInputIsAConflict()
{
    World w;
    w.add(workflowText("pays", kPay));
    auto engine = w.engine();
    const RunId a =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"1"})")).run;
    QVERIFY(!World::attemptOf(*engine->state(a), "pay").isNull());
    const RunId b =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"2"})")).run;
    const auto state = w.service->load(b);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("pay")->state, StepState::Failed);
    QCOMPARE(state->find("pay")->reason, Reason::EffectKeyConflict);
}

void TestServiceSteps::waiterTakesOverAfterTheEffectDidNotHappen()
{
    World w;
    w.add(workflowText("pays", kPay));
    auto engine = w.engine();
    const std::string input = R"({"order":"A1","amount":"5"})";
    const RunId a = engine->submitAndWait(World::start(*engine, "pays", input)).run;
    const RunId b = engine->submitAndWait(World::start(*engine, "pays", input)).run;
    cmd::Fail refused;
    refused.failure = FailureClass::Permanent;
    refused.effect = EffectKnowledge::NotHappened;
    const Outcome failed = engine->submitAndWait(
        fail(*engine, a, World::attemptOf(*engine->state(a), "pay"), refused, "card declined"));
    QCOMPARE(told(failed), std::string("Committed 2"));
    deliverAll(w, *engine);
    auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        engine->own(c);
    static_cast<void>(engine->submitAndWait(World::command(b, cmd::Advance{})));
    const auto state = w.service->load(b);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("pay")->state, StepState::Running);
    const auto rows = w.store->effectsOfRun(b);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(1));
    QCOMPARE(rows->front().state, LedgerState::InFlight);
    QCOMPARE(w.verified(a) + w.verified(b), std::string());
}

void TestServiceSteps::fanOutOutputIsTheListOfItsMembers()
{
    World w;
    w.add(workflowText("fan", R"({"name":"each","tool":"look","for_each":{"from":"input","at":"/items"},
        "input":{"item":{"$from":"item"},"all":{"$from":"input","at":"/tag"}}},
        {"name":"join","tool":"look","after":["each"],"input":{"$from":"each"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "fan", R"({"items":["a",2.0,{"c":3}],"tag":"t"})")).run;
    QCOMPARE(w.inputOf(run, "each#0"), std::string(R"({"item":"a","all":"t"})"));
    QCOMPARE(w.inputOf(run, "each#2"), std::string(R"({"item":{"c":3},"all":"t"})"));
    for (const auto& [step, output] :
        std::map<std::string, std::string>{{"each#2", "[3]"}, {"each#0", "1e2"}, {"each#1", R"("b")"}}) {
        const RunState* state = engine->state(run);
        const Outcome o =
            engine->submitAndWait(World::complete(*engine, run, World::attemptOf(*state, step), output));
        QVERIFY2(o.kind == Outcome::Kind::Committed, told(o).c_str());
    }
    QCOMPARE(w.inputOf(run, "join"), std::string(R"([1e2,"b",[3]])"));  // slices as they came
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceSteps::templateThatDoesNotFitNamesThePlace()
{
    World w;
    w.add(workflowText(
        "miss", R"({"name":"one","tool":"look","input":{"x":{"$from":"input","at":"/not/there"}}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "miss", R"({"a":1})")).run;
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("one")->state, StepState::Failed);
    QCOMPARE(state->find("one")->reason, Reason::Incompatible);
    const auto text = w.store->payload(run, state->find("one")->error.id);
    CAIRN_VERIFY_OK(text);
    QVERIFY2(text->find("step \"one\": input: it reads /not/there of the input") == 0, text->c_str());
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceSteps::textOutputIsReadAsJsonText()
{
    World w;
    w.add(workflowText("two",
        R"({"name":"first","tool":"look"},{"name":"second","tool":"look","after":["first"],"input":{"$from":"first"}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "two", "{}")).run;
    Submission s = World::command(run, cmd::Advance{});
    s.payloads.push_back(engine->newPayload("two \"lines\"\n", "text/plain"));
    cmd::Complete complete;
    complete.attempt = World::attemptOf(*engine->state(run), "first");
    complete.output = s.payloads.back().ref;
    s.command.body = complete;
    QCOMPARE(told(engine->submitAndWait(std::move(s))), std::string("Committed 2"));
    const std::string quoted = "\"two \\\"lines\\\"\\n\"";
    QCOMPARE(w.inputOf(run, "second"), quoted);
}

void TestServiceSteps::childRunAnswersItsParent()
{
    World w;
    w.add(workflowText("audit", R"({"name":"check","tool":"look","input":{"$from":"input"}})",
        R"(,"output":{"$from":"check"})"));
    w.add(workflowText("order",
        R"({"name":"audit","kind":"run","workflow":"audit","input":{"n":{"$from":"input","at":"/n"}}},
        {"name":"tell","tool":"look","after":["audit"],"input":{"$from":"audit"}})"));
    auto engine = w.engine();
    const RunId parent = engine->submitAndWait(World::start(*engine, "order", R"({"n":5})")).run;
    deliverAll(w, *engine);
    const auto children = w.store->children(parent);
    CAIRN_VERIFY_OK(children);
    QCOMPARE(children->size(), std::size_t(1));
    const RunId child = children->front();
    QCOMPARE(w.inputOf(child, "check"), std::string(R"({"n":5})"));
    const Outcome checked = engine->submitAndWait(World::complete(
        *engine, child, World::attemptOf(*engine->state(child), "check"), R"({"fine":true})"));
    QCOMPARE(told(checked), std::string("Committed 2"));
    deliverAll(w, *engine);
    QCOMPARE(w.inputOf(parent, "tell"), std::string(R"({"fine":true})"));
    QCOMPARE(w.verified(parent) + w.verified(child), std::string());
}

void TestServiceSteps::childBeginsUnderWhatItsParentsControlIsThen_data()
{
    QTest::addColumn<bool>("pause");            // else cancel
    QTest::addColumn<bool>("whileCommitting");  // after the child's start was decided, before it is committed
    QTest::addColumn<bool>("ofTheRoot");        // two levels up: the parent has not heard of it yet
    QTest::newRow("cancelled before") << false << false << false;
    QTest::newRow("cancelled between decision and commit") << false << true << false;
    QTest::newRow("root cancelled before") << false << false << true;
    QTest::newRow("root cancelled between decision and commit") << false << true << true;
    QTest::newRow("paused before") << true << false << false;
    QTest::newRow("paused between decision and commit") << true << true << false;
}

// The start message was written, and even read, before the act; no attempt begins after it.
void TestServiceSteps::childBeginsUnderWhatItsParentsControlIsThen()
{
    QFETCH(bool, pause);
    QFETCH(bool, whileCommitting);
    QFETCH(bool, ofTheRoot);
    World w;
    w.add(workflowText("kid", R"({"name":"do","tool":"look"})"));
    w.add(workflowText("parent",
        R"({"name":"kids","kind":"run","workflow":"kid","for_each":{"from":"input"},"input":{"$from":"item"}})"));
    w.add(workflowText(
        "top", R"({"name":"parent","kind":"run","workflow":"parent","input":{"$from":"input"}})"));
    auto engine = w.engine();
    const RunId top = engine->submitAndWait(World::start(*engine, "top", "[0,1]")).run;
    auto rows = w.writer->outbox(10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(1));
    const RunId parent = rows->front().to;
    QVERIFY(engine->submitAndWait(*engine->deliver(rows->front())).ok());
    rows = w.writer->outbox(10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(2));
    auto start = engine->deliver((*rows)[1]);
    CAIRN_VERIFY_OK(start);
    std::optional<Outcome> outcome;
    const auto note = [&](Outcome o) { outcome = std::move(o); };
    if (whileCommitting)
        engine->submit(*start, note);
    World::Other console(w);
    const cmd::Body act = pause ? cmd::Body(cmd::SetPaused{true, 0, false}) : cmd::Body(cmd::Cancel{});
    QCOMPARE(console.service.submitAndWait(World::act(ofTheRoot ? top : parent, act)).kind,
        Outcome::Kind::Committed);
    QVERIFY(!outcome);
    if (!whileCommitting)
        engine->submit(*start, note);
    engine->drain();
    QVERIFY(outcome.has_value());
    QCOMPARE(told(*outcome), std::string("Committed 1"));
    const auto kid = w.service->load((*rows)[1].to);
    CAIRN_VERIFY_OK(kid);
    QCOMPARE(kid->find("do")->attempts, std::uint32_t(0));
    QCOMPARE(kid->closed, !pause);
    QCOMPARE(kid->paused(), pause);
    QCOMPARE(kid->parent.index, std::uint32_t(1));  // the sender is in nobody's memory
    deliverAll(w, *engine);
    if (pause) {
        QCOMPARE(console.service.submitAndWait(World::act(parent, cmd::SetPaused{false, 0, false})).kind,
            Outcome::Kind::Committed);
        deliverAll(w, *engine);
        const auto resumed = w.service->load(kid->id);
        CAIRN_VERIFY_OK(resumed);
        QVERIFY(!resumed->paused());
    } else {
        const auto ended = w.service->load(ofTheRoot ? top : parent);
        CAIRN_VERIFY_OK(ended);
        QVERIFY(ended->closed);
        QCOMPARE(ended->closedAs, Activity::Cancelled);
    }
    QCOMPARE(w.verified(top) + w.verified(parent) + w.verified(kid->id), std::string());
}

void TestServiceSteps::childOfACancelledRootBeginsNoAttempt_data()
{
    QTest::addColumn<bool>("whileCommitting");
    QTest::newRow("cancelled before") << false;
    QTest::newRow("cancelled between decision and commit") << true;
}

// The child has not heard of it yet: the result of its first step is recorded, and its second is not begun.
void TestServiceSteps::childOfACancelledRootBeginsNoAttempt()
{
    QFETCH(bool, whileCommitting);
    World w;
    w.add(workflowText("kid", R"({"name":"one","tool":"look"},{"name":"two","tool":"look","after":["one"]},
        {"name":"hand","tool":"draw"})",
        {}, R"("draw":{"safety":"repeatable","executor":"worker"},)"));
    w.add(workflowText("top", R"({"name":"kid","kind":"run","workflow":"kid","input":1})"));
    auto engine = w.engine();
    const RunId top = engine->submitAndWait(World::start(*engine, "top", "{}")).run;
    const auto rows = w.writer->outbox(10);
    CAIRN_VERIFY_OK(rows);
    const RunId kid = rows->front().to;
    QVERIFY(engine->submitAndWait(*engine->deliver(rows->front())).ok());
    const AttemptId first = World::attemptOf(*engine->state(kid), "one");
    QVERIFY(!first.isNull());
    std::optional<Outcome> outcome;
    const auto note = [&](Outcome o) { outcome = std::move(o); };
    if (whileCommitting)
        engine->submit(World::complete(*engine, kid, first, "1"), note);
    World::Other console(w);
    QCOMPARE(console.service.submitAndWait(World::act(top, cmd::Cancel{})).kind, Outcome::Kind::Committed);
    if (!whileCommitting)
        engine->submit(World::complete(*engine, kid, first, "1"), note);
    engine->drain();
    QVERIFY(outcome.has_value());
    QCOMPARE(outcome->kind, Outcome::Kind::Committed);
    auto state = w.service->load(kid);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("one")->state, StepState::Complete);
    QCOMPARE(state->find("two")->attempts, std::uint32_t(0));
    const Outcome claimed = w.service->submitAndWait(
        World::command(kid, cmd::Claim{"hand", "w1", {}, 30'000}, {ActorKind::Worker, "w1"}));
    QCOMPARE(told(claimed),
        std::string(
            "Rejected: the run that began this one is cancelled, and so is this one as soon as it hears "
            "of it: no step may start"));
    deliverAll(w, *engine);
    for (const RunId& run : {top, kid}) {
        state = w.service->load(run);
        CAIRN_VERIFY_OK(state);
        QVERIFY(state->closed);
        QCOMPARE(state->closedAs, Activity::Cancelled);
        QCOMPARE(w.verified(run), std::string());
    }
}

void TestServiceSteps::rateLimitHoldsTheResourceForAllRuns()
{
    World w;
    w.add(workflowText("pays", kPay));
    auto engine = w.engine();
    const RunId a = engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A","amount":"1"})")).run;
    cmd::Fail limited;
    limited.failure = FailureClass::RateLimited;
    limited.effect = EffectKnowledge::NotHappened;
    limited.retryAfter = 20'000;
    QCOMPARE(told(engine->submitAndWait(
                 fail(*engine, a, World::attemptOf(*engine->state(a), "pay"), limited, "HTTP 429"))),
        std::string("Committed 2"));
    const auto resources = w.store->resources();
    CAIRN_VERIFY_OK(resources);
    QCOMPARE(resources->size(), std::size_t(1));
    QCOMPARE(resources->front().name, std::string("bank"));
    QCOMPARE(resources->front().backOffUntil, w.clock.wallMs() + 20'000);
    QVERIFY(resources->front().askedByServer);
    const RunId b = engine->submitAndWait(World::start(*engine, "pays", R"({"order":"B","amount":"1"})")).run;
    const auto other = w.service->load(b);
    CAIRN_VERIFY_OK(other);
    QCOMPARE(other->find("pay")->reason, Reason::Resource);
    QVERIFY(other->find("pay")->due >= w.clock.wallMs() + 20'000);
    const auto own = w.service->load(a);
    CAIRN_VERIFY_OK(own);
    QCOMPARE(own->find("pay")->failures, std::uint32_t(0));  // being limited uses up no attempt
}

void TestServiceSteps::aWorkersClaimAsksWhatTheResourceAllows()
{
    World w;
    w.add(workflowText("hand", R"({"name":"only","tool":"hand"})", R"(,"limits":{"bank":{"slots":1}})",
        R"("hand":{"safety":"read_only","executor":"worker","resource":"bank"},)"));
    ResourceRow bank;
    bank.name = "bank";
    bank.slots = 1;
    CAIRN_VERIFY_OK(w.writer->putResource(bank));
    auto engine = w.engine();
    std::uint32_t permits = 1;
    engine->setCapacity({100, [&permits](std::string_view) { return permits; }, {}});
    const RunId a = engine->submitAndWait(World::start(*engine, "hand", "1")).run;
    const RunId b = engine->submitAndWait(World::start(*engine, "hand", "2")).run;
    const auto claim = [](const RunId& run) {
        return World::command(run, cmd::Claim{"only", "w1", {}, 30'000}, {ActorKind::Worker, "w1"});
    };
    // Two at once: what is decided and not committed yet has spent its permit.
    std::vector<std::string> said;
    for (const RunId& run : {a, b})
        engine->submit(claim(run), [&](const Outcome& o) { said.push_back(told(o)); });
    engine->drain();
    QCOMPARE(said, (std::vector<std::string>{"Committed 2", "Committed 2"}));
    QVERIFY(!World::attemptOf(*w.service->load(a), "only").isNull());
    QCOMPARE(w.service->load(b)->find("only")->reason, Reason::Capacity);
    // Who leases no permits cannot spend any.
    const RunId c = engine->submitAndWait(World::start(*engine, "hand", "3")).run;
    const std::string refused = told(w.service->submitAndWait(claim(c)));
    QVERIFY2(refused.find("claim through an engine") != std::string::npos, refused.c_str());
    QCOMPARE(w.service->load(c)->find("only")->state, StepState::Ready);
}

void TestServiceSteps::whoWaitsForAPermitNamesWhoHoldsIt()
{
    World w;
    w.add(workflowText("pays", kPay));
    auto engine = w.engine();
    const RunId a = engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A","amount":"1"})")).run;
    engine->setCapacity({100, [](std::string_view) { return 0U; }, {}});
    const RunId b = engine->submitAndWait(World::start(*engine, "pays", R"({"order":"B","amount":"1"})")).run;
    const auto waits = w.service->load(b);
    CAIRN_VERIFY_OK(waits);
    QCOMPARE(waits->find("pay")->reason, Reason::Capacity);
    QCOMPARE(toText(waits->find("pay")->waitRun), toText(a));
}

void TestServiceSteps::capacityIsNeverOverspent()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine(3);
    std::vector<RunId> runs;
    // Ten at once: what is decided and not committed yet counts too.
    for (int i = 0; i < 10; ++i)
        engine->submit(World::start(*engine, "one", std::to_string(i)),
            [&](const Outcome& o) { runs.push_back(o.run); });
    engine->drain();
    std::size_t started = 0;
    for (const RunId& run : runs)
        started += engine->state(run) && !World::attemptOf(*engine->state(run), "only").isNull() ? 1 : 0;
    QCOMPARE(runs.size(), std::size_t(10));
    QCOMPARE(started, std::size_t(3));
}

void TestServiceSteps::unservedVersionSaysWhatIsHere()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    w.engine();
    ServiceConfig config;
    config.session = w.session;
    config.serves = {"other@3"};
    Service engine(*w.store, *w.queue, w.clock, w.rng, config);
    engine.setCapacity({10, {}});
    const RunId run = w.service->submitAndWait(World::start(*w.service, "one", "{}")).run;
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    QCOMPARE(claimed->size(), std::size_t(1));
    engine.own(claimed->front());
    QCOMPARE(told(engine.submitAndWait(World::command(run, cmd::Recover{}))), std::string("Committed 2"));
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->blocked, Reason::Worker);
    const auto text = w.store->payload(run, state->blockedDetail.id);
    CAIRN_VERIFY_OK(text);
    QCOMPARE(*text, std::string("wanted one@1; this engine serves other@3"));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceSteps::signalWithTheSameIdCountsOnce()
{
    World w;
    w.add(workflowText("waits",
        R"({"name":"wait","kind":"signal","signal":"go"},{"name":"then","tool":"look","after":["wait"],"input":{"$from":"wait"}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "waits", "{}")).run;
    const auto send = [&](const std::string& id, const std::string& data) {
        Submission s = World::command(run, cmd::Advance{}, {ActorKind::Caller, "test"});
        s.payloads.push_back(engine->newPayload(data, "application/json"));
        const auto hash = engine->saltedId(id);
        s.command.body = cmd::Signal{"go", *hash, s.payloads.back().ref, true};
        return engine->submitAndWait(std::move(s));
    };
    QCOMPARE(told(send("m1", "1")), std::string("Committed 2"));
    QCOMPARE(told(send("m1", "1")), std::string("NoChange: this signal was received before"));
    const Outcome other = send("m1", "2");
    QCOMPARE(other.kind, Outcome::Kind::Rejected);
    QCOMPARE(other.rejection.code, RejectCode::Conflict);
    QCOMPARE(w.inputOf(run, "then"), std::string("1"));
}

void TestServiceSteps::listRowGroupsTheSameSituation()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    auto engine = w.engine();
    std::vector<RunId> runs;
    for (const char* error : {"HTTP 503 from host 10.0.0.1 after 120 ms",
             "HTTP 503 from host 10.0.0.7 after 98 ms", "disk full"}) {
        const RunId run = engine->submitAndWait(World::start(*engine, "one", "{}")).run;
        const Outcome o = engine->submitAndWait(
            fail(*engine, run, World::attemptOf(*engine->state(run), "only"), {}, error));
        QVERIFY2(o.kind == Outcome::Kind::Committed, told(o).c_str());
        runs.push_back(run);
    }
    const auto rows = w.store->listRows(runs);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(3));
    std::map<RunId, ListRow> byRun;
    for (const auto& row : *rows)
        byRun[row.run] = row;
    const ListRow& first = byRun[runs[0]];
    QCOMPARE(first.reason, Reason::Retry);
    QCOMPARE(first.activity, Activity::Retrying);
    QCOMPARE(first.step, std::string("only"));
    QCOMPARE(first.attempt, std::uint32_t(2));  // the one that comes next, as why tells it
    QCOMPARE(first.attemptsMax, std::uint32_t(5));
    QCOMPARE(first.error, byRun[runs[1]].error);
    QVERIFY(!first.situation.empty());
    QCOMPARE(first.situation, byRun[runs[1]].situation);
    QVERIFY(first.situation != byRun[runs[2]].situation);
    for (const RunId& run : runs)
        QCOMPARE(w.verified(run), std::string());
}

QTEST_APPLESS_MAIN(TestServiceSteps)
#include "tst_service_steps.moc"
