// What may be said of an effect in doubt: one list, safest first, each with its reason where it is not to be
// had, and what comes of each.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceSettle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void theListIsSafestFirst();
    void aRepeatIsOfferedWhileTheKeyIsRemembered();
    void aRepeatAfterThatIsAPersonsQuestion();
    void compensateUndoesWhatMayHaveHappened();
    void parkedItWaitsForAPerson();
    void whyAndRemediesGiveTheSameList();

private:
    // A run whose step `buy` (irreversible) was begun and lost, so that nobody knows.
    static RunId inDoubt(World& w, std::unique_ptr<Service>& engine, const std::string& more)
    {
        w.add(workflowText("buys", R"({"name":"buy","tool":"buy","input":{"$from":"input"}})", {},
            R"("refund":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]}},)"
            R"("buy":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},)"
            R"("timeout":"1m","retry":{"attempts":3})"
                + more + "},"));
        engine = w.engine();
        const RunId run = engine->submitAndWait(World::start(*engine, "buys", R"({"order":"A1"})")).run;
        cmd::Takeover lost;
        lost.step = "buy";
        const Outcome taken = w.service->submitAndWait(World::act(run, lost));
        if (!taken.ok())
            qFatal("%s", told(taken).c_str());
        return run;
    }
    static std::vector<SettleOffer> offersOf(World& w, const RunId& run)
    {
        const auto state = w.service->load(run);
        return settleOffers(*state, 0, w.service->explainGiven(*state));
    }
    static std::string allowed(const std::vector<SettleOffer>& offers)
    {
        std::string out;
        for (const SettleOffer& offer : offers)
            if (offer.allowed)
                out += (out.empty() ? "" : " ") + std::string(cmd::settleKey(offer.as));
        return out;
    }
    static Outcome settle(World& w, const RunId& run, cmd::SettleAs as, const std::string& assign = {})
    {
        cmd::Settle body;
        body.step = "buy";
        body.as = as;
        body.assign = assign;
        return w.service->submitAndWait(World::act(run, body));
    }
};

void TestServiceSettle::theListIsSafestFirst()
{
    World w;
    std::unique_ptr<Service> engine;
    const RunId run = inDoubt(w, engine, "");
    const auto offers = offersOf(w, run);
    QCOMPARE(offers.size(), std::size_t{5});
    std::string order;
    for (const SettleOffer& offer : offers)
        order += std::string(cmd::settleKey(offer.as)) + " ";
    QCOMPARE(order, std::string("happened did_not_happen repeat_same_key compensate park "));
    QCOMPARE(allowed(offers), std::string("happened did_not_happen park"));
    QVERIFY(
        offers[2].why.find("does not promise that the same key has the same effect") != std::string::npos);
    QVERIFY(offers[3].why.find("names nothing that undoes it") != std::string::npos);
    for (const cmd::SettleAs as : {cmd::SettleAs::RepeatSameKey, cmd::SettleAs::Compensate}) {
        const Outcome refused = settle(w, run, as);
        QCOMPARE(refused.kind, Outcome::Kind::Rejected);
        QCOMPARE(refused.rejection.text, offers[static_cast<std::size_t>(as) - 1].why);
    }
    QVERIFY(settle(w, run, cmd::SettleAs::NotHappened).ok());
    QVERIFY(offersOf(w, run).empty());
}

void TestServiceSettle::aRepeatIsOfferedWhileTheKeyIsRemembered()
{
    World w;
    std::unique_ptr<Service> engine;
    const RunId run = inDoubt(w, engine, R"(,"keys_kept":"24h")");
    QCOMPARE(allowed(offersOf(w, run)), std::string("happened did_not_happen repeat_same_key park"));
    const TimeMs first = w.service->load(run)->find("buy")->keySince;
    QVERIFY(first != kNoTime);
    // The last call that may begin would end before the provider forgets the key.
    w.clock.advance(first + SpanMs{24} * 3'600'000 - 60'000 - 1 - w.clock.wallMs());
    QVERIFY(offersOf(w, run)[2].allowed);
    w.clock.advance(1);
    const auto late = offersOf(w, run);
    QVERIFY(!late[2].allowed);
    QVERIFY2(late[2].why.find("it might take another call for a new one") != std::string::npos,
        late[2].why.c_str());
    QCOMPARE(settle(w, run, cmd::SettleAs::RepeatSameKey).rejection.code, RejectCode::Refused);
}

void TestServiceSettle::aRepeatAfterThatIsAPersonsQuestion()
{
    World w;
    w.add(workflowText("keeps", R"({"name":"buy","tool":"buy","input":{}})", {},
        R"("buy":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/true"]},)"
        R"("timeout":"1m","keys_kept":"1h","retry":{"attempts":3}},)"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "keeps", "{}")).run;
    cmd::Takeover lost;
    lost.step = "buy";
    QVERIFY(w.service->submitAndWait(World::act(run, lost)).ok());
    QVERIFY(w.service->load(run)->find("buy")->state != StepState::Unknown);  // tried again by itself
    // Nobody was there to try it in time.
    w.clock.advance(SpanMs{2} * 3'600'000);
    engine->reload(run);
    const Outcome fired = engine->submitAndWait(World::command(run, cmd::FireTimers{}));
    QVERIFY2(fired.ok(), told(fired).c_str());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("buy")->state, StepState::Unknown);
    QCOMPARE(state->find("buy")->attempts, 1U);
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceSettle::compensateUndoesWhatMayHaveHappened()
{
    World w;
    std::unique_ptr<Service> engine;
    const RunId run = inDoubt(w, engine, R"(,"undo":{"tool":"refund","input":{"$from":"input"}})");
    QCOMPARE(allowed(offersOf(w, run)), std::string("happened did_not_happen compensate park"));
    const Outcome done = settle(w, run, cmd::SettleAs::Compensate);
    QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(state->compensating);
    QCOMPARE(state->find("buy")->state, StepState::Complete);
    const StepRecord* undo = state->find("undo:buy");
    QVERIFY(undo != nullptr);
    QCOMPARE(undo->tool, std::string("refund"));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceSettle::parkedItWaitsForAPerson()
{
    World w;
    std::unique_ptr<Service> engine;
    const RunId run = inDoubt(w, engine, "");
    const Outcome nobody = settle(w, run, cmd::SettleAs::Park);
    QCOMPARE(nobody.kind, Outcome::Kind::Rejected);
    QVERIFY(nobody.rejection.text.find("say to whom") != std::string::npos);
    QVERIFY(settle(w, run, cmd::SettleAs::Park, "lee").ok());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("buy")->state, StepState::Unknown);
    QCOMPARE(state->assigned.to, std::string("lee"));
    QCOMPARE(settle(w, run, cmd::SettleAs::NotHappened, "lee").rejection.code, RejectCode::InvalidInput);
    QVERIFY(settle(w, run, cmd::SettleAs::NotHappened).ok());
}

void TestServiceSettle::whyAndRemediesGiveTheSameList()
{
    World w;
    std::unique_ptr<Service> engine;
    const RunId run = inDoubt(w, engine, "");
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    const Given given = w.service->explainGiven(*state);
    std::size_t seen = 0;
    for (const auto& actions : {explain(*state, given).actions, remedies(*state, given)})
        for (const Action& action : actions) {
            QCOMPARE(action.outcomes.empty(), action.verb != Verb::Settle);
            if (action.verb == Verb::Settle) {
                ++seen;
                QCOMPARE(allowed(action.outcomes), std::string("happened did_not_happen park"));
            }
        }
    QCOMPARE(seen, std::size_t{2});
}

QTEST_APPLESS_MAIN(TestServiceSettle)
#include "tst_service_settle.moc"
