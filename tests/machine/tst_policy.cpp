// Who is needed for an act: the first rule that fits, and nothing that a rule does not say.

#include "core/machine/policy.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

using namespace cairn;

namespace {

constexpr std::int64_t kEuro = 1'000'000;

PolicyAct act(Verb verb, std::uint64_t runs = 1, const Money& amount = {}, const char* environment = "prod")
{
    std::vector<Money> amounts;
    if (!amount.currency.empty())
        amounts.push_back(amount);
    return {verb, environment, Safety::Guarded, amounts, runs};
}

PolicyRule two(std::vector<Verb> verbs)
{
    PolicyRule rule;
    rule.verbs = std::move(verbs);
    rule.people = 2;
    return rule;
}

}  // namespace

class TestPolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstRuleThatFitsDecides();
    void aRuleAsksForNothingThatItDoesNotName();
    void amountsAreOfOneCurrency();
    void aLargerPlanNeverAsksForLess();
    void aStoreBeginsWithRulesOfItsSafety();
    void whatIsAtStakeIsToldByTheStep();
    void rolesAreThoseOfThePolicyWhereItHasThem();
    void nobodyConfirmsHimself();
    void decisionsAskForWhoIsNeeded();
};

void TestPolicy::theFirstRuleThatFitsDecides()
{
    Policy policy;
    PolicyRule brake;
    brake.verbs = {Verb::Pause};
    PolicyRule dear = two({Verb::Retry});
    dear.amountFrom = {1000 * kEuro, "EUR"};
    dear.role = "finance";
    dear.reason = 30;
    dear.expiresAfter = 3'600'000;
    PolicyRule many = two({});
    many.runsFrom = 10;
    policy.rules = {brake, dear, many};

    QCOMPARE(whoIsNeeded(policy, act(Verb::Pause, 500)).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Pause, 500)).rule, std::size_t{1});
    const WhoIsNeeded retry = whoIsNeeded(policy, act(Verb::Retry, 1, {1000 * kEuro, "EUR"}));
    QCOMPARE(retry.people, 2U);
    QCOMPARE(retry.role, std::string("finance"));
    QCOMPARE(retry.reason, 30U);
    QCOMPARE(retry.expiresAfter, SpanMs{3'600'000});
    QCOMPARE(retry.rule, std::size_t{2});
    QCOMPARE(tellNeeded(retry),
        std::string(
            "2 people, the second with the role finance; a reason of 30 characters or more; a proposal "
            "expires after 1 h 00 m; rule 2"));
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 10)).rule, std::size_t{3});
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 9)).rule, std::size_t{0});
}

void TestPolicy::aRuleAsksForNothingThatItDoesNotName()
{
    Policy policy;
    policy.rules = {two({})};
    policy.rules.front().environments = {"prod"};
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry)).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 1, {}, "test")).people, 1U);
    // An approval says itself how many it needs; what is no act of an operator is nobody's to confirm.
    for (const Verb verb :
        {Verb::Approve, Verb::Reject, Verb::Start, Verb::Signal, Verb::Complete, Verb::Park})
        QCOMPARE(whoIsNeeded(policy, act(verb)).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::SetPolicy)).people, 2U);
    // The store's safety asks for a reason whatever the rule says.
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry)).reason, reasonMinimum(Safety::Guarded));
    PolicyAct free = act(Verb::Retry);
    free.safety = Safety::Free;
    QCOMPARE(whoIsNeeded(policy, free).reason, 0U);
}

void TestPolicy::amountsAreOfOneCurrency()
{
    Policy policy;
    policy.rules = {two({})};
    policy.rules.front().amountFrom = {100 * kEuro, "EUR"};
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 1, {100 * kEuro, "EUR"})).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 1, {100 * kEuro - 1, "EUR"})).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 1, {500 * kEuro, "USD"})).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry)).people, 1U);
    // A cent of another currency beside it asks for no less, in either order.
    PolicyAct both = act(Verb::Cancel, 1, {100 * kEuro, "EUR"});
    both.amounts.push_back({1, "USD"});
    QCOMPARE(whoIsNeeded(policy, both).people, 2U);
    std::swap(both.amounts[0], both.amounts[1]);
    QCOMPARE(whoIsNeeded(policy, both).people, 2U);
    // Where each amount has a rule of its own the strictest counts, and not the first.
    PolicyRule alone;
    alone.amountFrom = {1, "USD"};
    alone.role = "clerk";
    policy.rules.insert(policy.rules.begin(), alone);
    QCOMPARE(whoIsNeeded(policy, both).rule, std::size_t{2});
    both.amounts = {{1, "USD"}, {1, "EUR"}};
    QCOMPARE(whoIsNeeded(policy, both).role, std::string("clerk"));
}

// The role of the rule for so many runs does not take the place of that which an earlier rule asks for.
void TestPolicy::aLargerPlanNeverAsksForLess()
{
    Policy policy;
    PolicyRule dear = two({Verb::Retry});
    dear.amountFrom = {10'000 * kEuro, "EUR"};
    dear.role = "finance";
    dear.reason = 20;
    PolicyRule many = two({Verb::Retry});
    many.runsFrom = 100;
    many.role = "approver";
    many.reason = 40;
    many.expiresAfter = 3'600'000;
    policy.rules = {dear, many};
    PolicyAct plan = act(Verb::Retry, 100);
    plan.amounts = {Money{}, {20'000 * kEuro, "EUR"}};
    for (int order = 0; order < 2; ++order) {
        const WhoIsNeeded needed = whoIsNeeded(policy, plan);
        QCOMPARE(needed.people, 2U);
        QCOMPARE(needed.role, std::string("finance"));
        QCOMPARE(needed.rule, std::size_t{1});
        QCOMPARE(needed.reason, 40U);
        QCOMPARE(needed.expiresAfter, SpanMs{3'600'000});
        std::swap(plan.amounts[0], plan.amounts[1]);
    }
    plan.amounts = {Money{}, {9'999 * kEuro, "EUR"}};
    QCOMPARE(whoIsNeeded(policy, plan).role, std::string("approver"));
    // Nor has one person who is enough for an amount any say in how long a proposal lasts.
    policy.rules[1].people = 1;
    plan.amounts = {Money{}, {20'000 * kEuro, "EUR"}};
    QCOMPARE(whoIsNeeded(policy, plan).expiresAfter, kProposalExpires);
    policy.rules[1].people = 2;
    QVERIFY(asksForRole(policy, Verb::Retry, "approver"));
    QVERIFY(!asksForRole(policy, Verb::Retry, "approver", 2));
    QVERIFY(!asksForRole(policy, Verb::Retry, "approver", 1));
    QVERIFY(asksForRole(policy, Verb::Retry, "finance", 2));
}

void TestPolicy::aStoreBeginsWithRulesOfItsSafety()
{
    QVERIFY(defaultPolicy(Safety::Free, false).rules.empty());
    QVERIFY(defaultPolicy(Safety::Free, true).rules.empty());
    QVERIFY(defaultPolicy(Safety::Guarded, false).rules.empty());
    const Policy policy = defaultPolicy(Safety::Guarded, true);
    QCOMPARE(policy.version, std::uint64_t{0});
    QCOMPARE(whoIsNeeded(policy, act(Verb::Settle)).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Amend)).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::SetPolicy)).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry)).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 99)).people, 1U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Retry, 100)).people, 2U);
    QCOMPARE(whoIsNeeded(policy, act(Verb::Pause, 10'000)).people, 1U);
}

void TestPolicy::whatIsAtStakeIsToldByTheStep()
{
    RunState state;
    for (const char* id : {"first", "second", "third"}) {
        StepRecord step;
        step.id = id;
        step.state = StepState::Pending;
        state.stepById[id] = static_cast<StepIx>(state.steps.size());
        state.steps.push_back(step);
    }
    state.steps[0].amount = {5 * kEuro, "EUR"};
    state.steps[1].amount = {7 * kEuro, "EUR"};
    using Amounts = std::vector<Money>;
    QVERIFY((atStake(state, cmd::RetryStep{"first", 0, false}) == Amounts{{5 * kEuro, "EUR"}}));
    QVERIFY(atStake(state, cmd::RetryStep{"third", 0, false}).empty());
    QVERIFY(atStake(state, cmd::RetryStep{"none", 0, false}).empty());
    QVERIFY((atStake(state, cmd::Cancel{}) == Amounts{{7 * kEuro, "EUR"}}));
    state.steps[1].state = StepState::Complete;  // what is done is not at stake
    QVERIFY((atStake(state, cmd::Cancel{}) == Amounts{{5 * kEuro, "EUR"}}));
    state.steps[2].amount = {9 * kEuro, "CHF"};  // two currencies are never compared, and neither is lost
    QVERIFY((atStake(state, cmd::Cancel{}) == Amounts{{9 * kEuro, "CHF"}, {5 * kEuro, "EUR"}}));
}

void TestPolicy::rolesAreThoseOfThePolicyWhereItHasThem()
{
    Policy policy;
    policy.roles = {{"finance", {"uid 1000", "ann"}}, {"nobody", {}}};
    QCOMPARE(hasRole(policy, "finance", "ann"), std::optional(true));
    QCOMPARE(hasRole(policy, "finance", "uid 1001"), std::optional(false));
    QCOMPARE(hasRole(policy, "nobody", "ann"), std::optional(false));
    QCOMPARE(hasRole(policy, "other", "ann"), std::optional<bool>());
}

void TestPolicy::nobodyConfirmsHimself()
{
    QVERIFY(notSecond("uid 1000", "uid 1001").empty());
    QCOMPARE(notSecond("uid 1000", "uid 1000"),
        std::string("who proposed an act cannot confirm it: somebody else has to"));
    QVERIFY(!notSecond("", "uid 1000").empty());
    QVERIFY(!notSecond("uid 1000", "").empty());
}

void TestPolicy::decisionsAskForWhoIsNeeded()
{
    RunState state;
    state.version = 1;
    Command cancel;
    cancel.actor = {ActorKind::Person, "kim", "uid 1000"};
    cancel.body = cmd::Cancel{};
    Given given;
    QVERIFY(!check(state, cancel, given));
    given.needed.people = 2;
    given.needed.role = "ops";
    auto refused = check(state, cancel, given);
    QVERIFY(refused.has_value());
    QCOMPARE(refused->code, RejectCode::SecondPerson);
    QCOMPARE(refused->text,
        std::string("the policy asks for 2 people: somebody else with the role \"ops\" has to confirm this"));
    given.agreed = Agreed{{ActorKind::Person, "lee", "uid 1001"}, sha256("act"), false};
    QVERIFY(!check(state, cancel, given));
    given.needed.reason = 10;
    refused = check(state, cancel, given);
    QCOMPARE(refused->code, RejectCode::ReasonMissing);
    cancel.reasonLength = 10;
    QVERIFY(!check(state, cancel, given));
    given.lacksRole = "finance";
    refused = check(state, cancel, given);
    QCOMPARE(refused->code, RejectCode::NoRight);
    QCOMPARE(refused->text,
        std::string(
            "\"uid 1000\" lacks the role \"finance\", which this needs; nothing was done: ask somebody "
            "who has it"));
    // What engines and callers do is nobody's to confirm; what is refused anyway is not proposed.
    cancel.actor = {ActorKind::Engine, "engine"};
    QVERIFY(!check(state, cancel, given));
    given = Given{};
    given.needed.people = 2;
    cancel.actor = {ActorKind::Person, "kim", "uid 1000"};
    cancel.body = cmd::RetryStep{"none", 0, false};
    QCOMPARE(check(state, cancel, given)->code, RejectCode::NotFound);
}

QTEST_APPLESS_MAIN(TestPolicy)
#include "tst_policy.moc"
