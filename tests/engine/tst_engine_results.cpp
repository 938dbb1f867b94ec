// Results that are refused for what they are end their attempt; and waiting for a permit writes nothing.

#include "core/model/codec.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineResults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRefusedPlanEndsItsAttempt_data();
    void aRefusedPlanEndsItsAttempt();
    void waitingForAPermitWritesNothing();
    void whatTheOutputReportsIsUsed();
    void anAbsurdReportDoesNotSwitchTheBudgetOff();
    void whatWouldTimeOutOnItsWayIsNotCalled();
};

namespace {

std::size_t placeOf(const Node& node, const std::string& step)
{
    for (std::size_t i = 0; i < node.executor.started.size(); ++i)
        if (node.executor.started[i].step == step)
            return i;
    qFatal("not started");
}

// What the history keeps of a report that was not taken.
std::string reportKept(Cluster& c, const RunId& run, const std::string& step)
{
    const RunState state = c.load(run);
    const auto loaded = c.store->loadRun(run, 1, 0);
    if (!loaded)
        return loaded.error().text;
    for (const SealedEntry& sealed : loaded->entries) {
        const auto entry = decodeEntry(sealed.body, sealed.format);
        if (!entry)
            return entry.error().text;
        for (const Fact& fact : entry->facts) {
            const auto* ended = std::get_if<AttemptEnded>(&fact);
            if (!ended || !ended->error || state.steps[ended->step].id != step)
                continue;
            const auto text = c.store->payload(run, ended->error.id);
            return text ? *text : text.error().text;
        }
    }
    return {};
}

}  // namespace

void TestEngineResults::aRefusedPlanEndsItsAttempt_data()
{
    QTest::addColumn<QString>("plan");
    QTest::addColumn<QString>("why");
    QTest::newRow("names no step") << QStringLiteral(R"({"steps":[{"id":"x","name":"nothing"}]})")
                                   << QStringLiteral("names \"nothing\", which is no step");
    QTest::newRow("an id that is taken") << QStringLiteral(R"({"steps":[{"id":"other","name":"more"}]})")
                                         << QStringLiteral("step \"other\" exists already");
    QTest::newRow("no text") << QStringLiteral("\x01\xff") << QStringLiteral("so a template cannot read it");
}

// Whatever it was refused for, the step does not stay under way with nobody at work on it.
void TestEngineResults::aRefusedPlanEndsItsAttempt()
{
    QFETCH(QString, plan);
    QFETCH(QString, why);
    Cluster c;
    c.add(workflow("plans", R"({"name":"choose","kind":"decision","tool":"look","adds_steps":true},
        {"name":"more","tool":"look","on_demand":true},{"name":"other","tool":"look"})"));
    Node& a = c.engine();
    const RunId run = c.start("plans");
    c.pass(300);
    a.executor.complete(placeOf(a, "choose"), plan.toLatin1().toStdString());
    c.pass(500);
    const RunState state = c.load(run);
    const StepRecord& step = *state.find("choose");
    QCOMPARE(step.state, StepState::Failed);
    QCOMPARE(step.reason, Reason::Incompatible);
    const auto text = c.store->payload(run, step.error.id);
    CAIRN_VERIFY_OK(text);
    QVERIFY2(text->find(why.toStdString()) != std::string::npos, text->c_str());
    QCOMPARE(a.core->stats().active, 1U);  // the other step's
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineResults::waitingForAPermitWritesNothing()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"},{"name":"nap","kind":"timer","wait":"20s"})",
        R"(,"limits":{"web":{"slots":1}})"));
    Node& a = c.engine();
    const RunId first = c.start("one");
    c.pass(300);
    const RunId second = c.start("one");
    c.pass(2'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(c.load(second).find("first")->reason, Reason::Capacity);
    const std::uint64_t version = c.load(second).version;
    c.pass(17'000, 250);
    QCOMPARE(c.load(second).version, version);
    c.pass(2'000);  // its own timer is not late for it
    QCOMPARE(c.load(second).version, version + 1);
    QCOMPARE(c.load(second).find("nap")->state, StepState::Complete);
    c.pass(30'000, 250);
    QCOMPARE(c.load(second).version, version + 1);
    const auto listed = c.store->listRows(std::span(&second, 1));
    CAIRN_VERIFY_OK(listed);
    QCOMPARE(listed->front().reason, Reason::Capacity);
    a.executor.complete(0);
    c.pass(2'000);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(a.executor.started[1].run, second);
    QVERIFY(c.load(first).closed);
    QCOMPARE(c.verified(first) + c.verified(second), std::string());
}

void TestEngineResults::whatTheOutputReportsIsUsed()
{
    Cluster c;
    c.add(R"({"schema":"urn:cairn:workflow:1","name":"spends","version":1,"budget":[{"tokens":100}],
        "tools":{"ask":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
            "worst_case":[{"tokens":60}],"usage":{"tokens":"/usage/total"}}},
        "steps":[{"name":"a","tool":"ask"},{"name":"b","tool":"ask","after":["a"]},
            {"name":"c","tool":"ask","after":["b"]}]})");
    Node& a = c.engine();
    const RunId run = c.start("spends");
    c.pass(300);
    a.executor.complete(placeOf(a, "a"), R"({"usage":{"total":30}})");
    a.settle();
    QCOMPARE(c.load(run).budget.front().used, 30);
    a.executor.complete(placeOf(a, "b"), R"({"usage":"not said"})");
    a.settle();
    QCOMPARE(c.load(run).budget.front().used, 90);  // the worst case
    QCOMPARE(c.load(run).find("c")->reason, Reason::Budget);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
}

// A sum beyond the type would look like nothing spent at all.
void TestEngineResults::anAbsurdReportDoesNotSwitchTheBudgetOff()
{
    Cluster c;
    c.add(
        R"({"schema":"urn:cairn:workflow:1","name":"spends","version":1,"budget":[{"currency":"EUR","amount":"50"}],
        "tools":{"ask":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
            "usage":{"EUR":"/cost"}},
          "pay":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},
            "worst_case":[{"currency":"EUR","amount":"10"}]}},
        "steps":[{"name":"a","tool":"ask"},{"name":"b","tool":"ask"},{"name":"c","tool":"pay","after":["a","b"]}]})");
    Node& a = c.engine();
    const RunId run = c.start("spends");
    c.pass(300);
    for (const char* step : {"a", "b"}) {
        a.executor.complete(placeOf(a, step), R"({"cost":"9223372036854.775807"})");
        a.settle();
    }
    QCOMPARE(c.load(run).budget.front().used, 2 * kMostUsed);  // it has no worst case
    // The results stand, and what they reported is kept beside them.
    for (const char* step : {"a", "b"}) {
        const RunState state = c.load(run);
        QCOMPARE(state.find(step)->state, StepState::Complete);
        QVERIFY(!state.find(step)->error);
        QCOMPARE(reportKept(c, run, step),
            std::string(
                "the report of what was used is not taken: EUR at /cost is 9223372036854.775807, and a "
                "call uses from nothing to 1000000000"));
    }
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.load(run).find("c")->reason, Reason::Budget);
    QCOMPARE(c.verified(run), std::string());
}

// The commit of the intent took nearly as long as the tool may take. A look-up after the time-out could
// overtake the request, and deny what then happens.
void TestEngineResults::whatWouldTimeOutOnItsWayIsNotCalled()
{
    Cluster c;
    c.add(R"({"schema":"urn:cairn:workflow:1","name":"slow","version":1,"tools":{
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"timeout":"5s",
       "look_up":{"argv":["/bin/true"]},"retry":{"attempts":5,"first_delay":"1s","max_delay":"1s"}}},
"steps":[{"name":"pay","tool":"pay"}]})");
    EngineConfig config = Cluster::config();
    config.lease = 60'000;
    Node& a = c.engine(config);
    const RunId run = c.start("slow");
    std::size_t commits = 0;
    a.hooks.after = [&](const char*, Access access) -> std::optional<Error> {
        if (access == Access::Commit && commits++ == 0)
            c.clock.advance(4'500);
        return std::nullopt;
    };
    c.clock.advance(200);
    for (int i = 0; i < 50 && commits == 0; ++i)
        static_cast<void>(a.core->tick());
    QVERIFY(commits >= 1);
    QCOMPARE(c.load(run).steps[0].attempts, 1U);  // the intent is on record
    QCOMPARE(a.executor.started.size(), std::size_t(0));
    c.pass(3'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(a.executor.started[0].purpose, Purpose::Do);  // nobody had to be asked
    QCOMPARE(a.executor.started[0].number, 2U);
    QCOMPARE(c.verified(run), std::string());
}

QTEST_APPLESS_MAIN(TestEngineResults)
#include "tst_engine_results.moc"
