// Parents and children through the outbox: budgets that move, and children that cannot begin.

#include "core/query/query.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineChildren : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aChildOutOfItsAllotmentGetsMore();
    void aPersonSetsTheBudgetAtTheRoot();
    void aChildWhoseWorkflowIsMissingIsAMismatchInListsToo();
    void whoTakesOverTellsTheParentThatItsChildHasBegun();
    void whatTheParentIsToldIsNotLostInAFailedCommit();
    void aChildThatOnlyWaitsIsNobodys();
    void aChildThatOnlyWaitsFillsNoEngine();
    void grandchildrenOfAChildThatWaitsBeginAtOnce();
    void aRunThatCouldNotBeLetGoIsLetGoLater();
    void aCancelThatComesBeforeTheFirstCommitIsHeardStopsItsCall();
    void aChildWhoseStartWasNotHeardIsClaimedAnew();
    void aCancelledRunDoesNotWaitForAChildThatCannotBegin();
    void aCancelledRunAnswersForItsChildOnceTheEngineIsBack();
};

namespace {

// Each of the two calls may cost 100 tokens, and nobody says what they took.
const char* kMember = R"({"schema":"urn:cairn:workflow:1","name":"part","version":1,"tools":{
    "look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
            "worst_case":[{"tokens":100}]}},
    "steps":[{"name":"a","tool":"look"},{"name":"b","tool":"look","after":["a"]}]})";

std::string whole(const std::string& name, const std::string& child, int budget)
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{},
        "budget":[{"tokens":)"
        + std::to_string(budget) + R"(}],"steps":[{"name":"kid","kind":"run","workflow":")" + child
        + R"(","allotment":[{"tokens":100}]}]})";
}

RunId childOf(Cluster& c, const RunId& run) { return c.load(run).children.front().run; }

ListRow rowOf(Cluster& c, const RunId& run)
{
    const auto rows = c.store->listRows(std::span(&run, 1));
    return rows && !rows->empty() ? rows->front() : ListRow{};
}

}  // namespace

void TestEngineChildren::aChildOutOfItsAllotmentGetsMore()
{
    Cluster c;
    c.add(kMember);
    c.add(whole("middle", "part", 1000));
    c.add(whole("top", "middle", 250));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(2'000);
    const RunId middle = childOf(c, top);
    const RunId part = childOf(c, middle);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    a.executor.complete(0);
    c.pass(2'000);
    // Out of its 100, the part asks the middle, which was given 100 as well and asks the top.
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.load(part).budget.front().limit, std::int64_t(200));
    QCOMPARE(c.load(middle).budget.front().limit, std::int64_t(200));
    QCOMPARE(c.load(top).budget.front().reserved, std::int64_t(200));
    a.executor.complete(1);
    c.pass(2'000);
    QVERIFY(c.load(top).closed);
    QCOMPARE(c.load(top).budget.front().used, std::int64_t(200));
    QCOMPARE(c.load(top).budget.front().reserved, std::int64_t(0));
    for (const RunId& run : {top, middle, part})
        QCOMPARE(c.verified(run), std::string());
}

void TestEngineChildren::aPersonSetsTheBudgetAtTheRoot()
{
    Cluster c;
    c.add(kMember);
    c.add(whole("top", "part", 150));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(1'000);
    const RunId part = childOf(c, top);
    a.executor.complete(0);
    c.pass(1'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(rowOf(c, top).reason, Reason::Budget);
    QCOMPARE(rowOf(c, top).attention, Attention::Person);
    Query query(*a.store, c.clock);
    const auto told = query.run(top);
    CAIRN_VERIFY_OK(told);
    QVERIFY2(told->sentence.text.find("asks for more than is left of the budget") != std::string::npos,
        told->sentence.text.c_str());
    const auto toldPart = query.run(part);
    CAIRN_VERIFY_OK(toldPart);
    QVERIFY2(toldPart->sentence.ends.find(toText(top)) != std::string::npos, toldPart->sentence.ends.c_str());
    QCOMPARE(c.act(part, cmd::SetBudget{"tokens", 500, 0, false}).kind, Outcome::Kind::Rejected);
    QCOMPARE(c.act(top, cmd::SetBudget{"tokens", 200, 0, false}).kind, Outcome::Kind::Committed);
    c.pass(1'000);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(rowOf(c, top).reason, Reason::Child);
}

void TestEngineChildren::aChildWhoseWorkflowIsMissingIsAMismatchInListsToo()
{
    Cluster c;
    c.add(whole("top", "part", 500));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(1'000);
    QCOMPARE(rowOf(c, top).reason, Reason::Incompatible);
    QCOMPARE(rowOf(c, top).error, std::string("its workflow is not in this store"));
    Query query(*a.store, c.clock);
    const auto told = query.run(top);
    CAIRN_VERIFY_OK(told);
    QVERIFY2(told->sentence.text.find("cannot start: its workflow is not in this store") != std::string::npos,
        told->sentence.text.c_str());
    const std::uint64_t version = c.load(top).version;
    c.pass(30'000);
    QCOMPARE(c.load(top).version, version);  // it is said once
    c.add(kMember);
    c.pass(12'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(rowOf(c, top).reason, Reason::Child);
}

void TestEngineChildren::whoTakesOverTellsTheParentThatItsChildHasBegun()
{
    Cluster c;
    c.add(whole("top", "part", 500));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(1'000);
    QCOMPARE(rowOf(c, top).reason, Reason::Incompatible);
    c.kill(a);
    c.add(kMember);
    Node& b = c.engine();
    c.pass(15'000);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(c.load(top).steps.front().reason, Reason::Child);
}

void TestEngineChildren::whatTheParentIsToldIsNotLostInAFailedCommit()
{
    Cluster c;
    c.add(whole("top", "part", 500));
    Node& a = c.engine();
    const RunId top = c.start("top");
    int refused = 0;
    a.hooks.before = [&](const char*, Access access) -> std::optional<Error> {
        if (access != Access::Commit || c.load(top).children.empty() || refused == 2)
            return std::nullopt;
        ++refused;
        return makeError(ErrorKind::Busy, "refused by a test");
    };
    c.pass(5'000);
    QCOMPARE(refused, 2);
    QCOMPARE(rowOf(c, top).reason, Reason::Incompatible);
    c.add(kMember);
    refused = 0;
    c.pass(15'000);
    QCOMPARE(refused, 2);
    QCOMPARE(rowOf(c, top).reason, Reason::Child);
}

namespace {

constexpr const char* kAsksFirst = R"({"name":"ask","kind":"approval","input":{},"approval":{"role":"lead"}},
    {"name":"then","tool":"look","after":["ask"]})";

std::string parentOf(const std::string& name, const std::string& child)
{
    return workflow(name, R"({"name":"kid","kind":"run","workflow":")" + child + R"("})");
}

SessionId ownerOf(Cluster& c, const RunId& run)
{
    const auto hot = c.store->hot(run);
    return hot ? hot->owner : SessionId{};
}

}  // namespace

// Its first entry already makes it wait for a person: no engine has anything to do for it.
void TestEngineChildren::aChildThatOnlyWaitsIsNobodys()
{
    Cluster c;
    c.add(workflow("asks", kAsksFirst));
    c.add(parentOf("top", "asks"));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(2'000);
    const RunId child = childOf(c, top);
    QCOMPARE(rowOf(c, child).reason, Reason::Approval);
    QVERIFY(ownerOf(c, child).isNull());
    QCOMPARE(a.core->stats().owned, 0U);
    c.pass(60'000);
    // The parent: once to begin, and once to hear that somebody must act in its child.
    QCOMPARE(a.core->stats().claimed, std::uint64_t(2));
    cmd::Decide decide;
    decide.approval = c.load(child).approvals.front().id;
    QCOMPARE(c.act(child, decide).kind, Outcome::Kind::Committed);
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    a.executor.complete(0);
    c.pass(2'000);
    QVERIFY(c.load(top).closed);
    for (const RunId& run : {top, child})
        QCOMPARE(c.verified(run), std::string());
}

void TestEngineChildren::aChildThatOnlyWaitsFillsNoEngine()
{
    Cluster c;
    c.add(workflow("asks", kAsksFirst));
    c.add(parentOf("top", "asks"));
    c.add(workflow("one", R"({"name":"first","tool":"look"})"));
    EngineConfig config = Cluster::config();
    config.maxOwned = 2;
    Node& a = c.engine(config);
    for (int i = 0; i < 3; ++i)
        c.start("top");
    c.pass(3'000);
    c.start("one");
    c.pass(1'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
}

// The middle one is nobody's, and its own child is asked for all the same without waiting for a poll.
void TestEngineChildren::grandchildrenOfAChildThatWaitsBeginAtOnce()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"})"));
    c.add(parentOf("middle", "one"));
    c.add(parentOf("top", "middle"));
    Node& a = c.engine();
    c.start("top");
    for (int i = 0; i < 20 && a.executor.started.empty(); ++i)
        c.pass(10, 10);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QVERIFY2(c.clock.monotonicMs() <= 1'000'000 + 250, "it waited for a poll of the outbox");
}

void TestEngineChildren::aRunThatCouldNotBeLetGoIsLetGoLater()
{
    Cluster c;
    c.add(workflow("asks", kAsksFirst));
    const RunId run = c.start("asks");
    Node& a = c.engine();
    int refused = 0;
    a.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) != "release" || ++refused > 1)
            return std::nullopt;
        return makeError(ErrorKind::Busy, "refused by a test");
    };
    c.pass(5'000);
    QCOMPARE(refused, 2);
    QVERIFY(ownerOf(c, run).isNull());
    QCOMPARE(a.core->stats().owned, 0U);
}

// The commit that creates the child is in the store, and its answer on the way: the wake-up that comes
// meanwhile is for a run that the engine does not know to be its own yet.
void TestEngineChildren::aCancelThatComesBeforeTheFirstCommitIsHeardStopsItsCall()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"})"));
    c.add(parentOf("top", "one"));
    Node& a = c.engine();
    const RunId top = c.start("top");
    const auto begun = [&] {
        const RunState state = c.load(top);
        return !state.children.empty() && c.store->hot(state.children.front().run).has_value();
    };
    a.hooks.after = [&](const char*, Access access) -> std::optional<Error> {
        a.queue->holds = a.queue->holds || (access == Access::Commit && begun());
        return std::nullopt;
    };
    c.pass(1'000);
    QVERIFY(a.queue->holds);
    QCOMPARE(a.executor.started.size(), std::size_t(0));
    QCOMPARE(ownerOf(c, childOf(c, top)), a.core->session());
    QCOMPARE(c.act(childOf(c, top), cmd::Cancel{}).kind, Outcome::Kind::Committed);
    c.pass(500);
    a.hooks.after = {};
    a.queue->holds = false;
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QVERIFY(a.executor.cancelled.contains(a.executor.started[0].attempt));
}

// The child has begun, the answer to that is lost, and the link stays down until the engine no longer asks:
// it does not know of a child that is its own.
void TestEngineChildren::aChildWhoseStartWasNotHeardIsClaimedAnew()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"})"));
    c.add(parentOf("top", "one"));
    Node& a = c.engine();
    const RunId top = c.start("top");
    const auto begun = [&] {
        const RunState state = c.load(top);
        return !state.children.empty() && c.store->hot(state.children.front().run).has_value();
    };
    bool lost = false, down = false;
    a.hooks.after = [&](const char*, Access access) -> std::optional<Error> {
        if (access != Access::Commit || lost || !begun())
            return std::nullopt;
        lost = down = true;
        return makeError(ErrorKind::OutcomeUnknown, "the answer is lost");
    };
    // Its lease is renewed all the while: nothing else would end the session.
    a.hooks.before = [&](const char* what, Access access) -> std::optional<Error> {
        if (!down || (access != Access::Commit && std::string_view(what) != "loadRun"))
            return std::nullopt;
        return makeError(ErrorKind::Disconnected, "the link is down");
    };
    c.pass(1'000);
    QVERIFY(lost);
    QCOMPARE(a.executor.started.size(), std::size_t(0));
    down = false;
    c.pass(15'000);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(1));
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    a.executor.complete(0);
    c.pass(2'000);
    QVERIFY(c.load(top).closed);
    QCOMPARE(c.load(top).closedAs, Activity::Completed);
}

// Its workflow never comes, so no child will ever answer.
void TestEngineChildren::aCancelledRunDoesNotWaitForAChildThatCannotBegin()
{
    Cluster c;
    c.add(whole("top", "part", 500));
    c.engine();
    const RunId top = c.start("top");
    c.pass(20'000);  // by now it is tried again every ten seconds only
    QCOMPARE(rowOf(c, top).reason, Reason::Incompatible);
    QCOMPARE(c.act(top, cmd::Cancel{}).kind, Outcome::Kind::Committed);
    c.pass(2'000);
    QVERIFY(c.load(top).closed);
    QCOMPARE(c.load(top).closedAs, Activity::Cancelled);
    QCOMPARE(c.load(top).budget.front().reserved, std::int64_t(0));
    const auto left = c.store->outbox(10, 0);
    CAIRN_VERIFY_OK(left);
    QCOMPARE(left->size(), std::size_t(0));
    QCOMPARE(c.verified(top), std::string());
    c.add(kMember);  // too late
    c.pass(12'000);
    QVERIFY(!c.store->hot(childOf(c, top)).has_value());
}

void TestEngineChildren::aCancelledRunAnswersForItsChildOnceTheEngineIsBack()
{
    Cluster c;
    c.add(whole("middle", "part", 500));
    c.add(whole("top", "middle", 500));
    Node& a = c.engine();
    const RunId top = c.start("top");
    c.pass(2'000);
    const RunId middle = childOf(c, top);
    QCOMPARE(rowOf(c, middle).reason, Reason::Incompatible);
    c.kill(a);
    QCOMPARE(c.act(top, cmd::Cancel{}).kind, Outcome::Kind::Committed);
    c.engine();
    c.pass(4'000);
    for (const RunId& run : {top, middle}) {
        QVERIFY(c.load(run).closed);
        QCOMPARE(c.load(run).closedAs, Activity::Cancelled);
        QCOMPARE(c.verified(run), std::string());
    }
    QCOMPARE(c.store->outbox(10, 0)->size(), std::size_t(0));
}

QTEST_GUILESS_MAIN(TestEngineChildren)
#include "tst_engine_children.moc"
