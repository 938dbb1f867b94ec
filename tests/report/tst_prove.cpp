// What --prove says of workflows, and that it finds a workflow in which an effect could happen twice.

#include "core/definition/parse.h"
#include "core/report/prove.h"
#include "core/store/memory/memory_store.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

#include <fstream>
#include <sstream>

using namespace cairn;

namespace {

// Written with ' for ", which is easier to read in C++.
std::string json(std::string text)
{
    for (char& c : text)
        c = c == '\'' ? '"' : c;
    return text;
}

std::string toolText(const std::string& name, const std::string& safety, const std::string& more = {})
{
    return "'" + name + "':{'safety':'" + safety + "','executor':'builtin','settings':{'function':'echo'}"
        + more + "}";
}

Definition parsed(const std::string& text)
{
    ParsedDefinition result = parseDefinition(text);
    for (const auto& d : result.diagnostics)
        if (d.severity == Severity::Error)
            qWarning("%s", diagnosticLine("workflow", d).c_str());
    return result.definition.value_or(Definition{});
}

std::string fileText(const std::string& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string summary(const Proof& proof)
{
    std::string text;
    for (const auto& step : proof.steps)
        text += step.step + "=" + worstName(step.worst) + " ";
    return text;
}

Definition definitionOf(const std::string& tools, const std::string& steps, const std::string& more = {},
    const std::string& name = "w")
{
    return parsed(json("{'schema':'urn:cairn:workflow:1','name':'" + name + "','version':1,'tools':{" + tools
        + "},'steps':[" + steps + "]" + more + "}"));
}

const std::string kFourTools = toolText("read", "read_only") + "," + toolText("keyed", "repeatable") + ","
    + toolText("pay", "irreversible", ",'look_up':{'function':'echo'}") + ","
    + toolText("blind", "irreversible");
const std::string kFourSteps =
    "{'name':'a','tool':'read'},{'name':'b','tool':'keyed','after':['a']},"
    "{'name':'c','tool':'pay','after':['b']},{'name':'d','tool':'blind','after':['c']}";

ProveOptions options()
{
    ProveOptions options;
    options.makeStore = [](const Clock& clock, std::uint64_t seed) -> ProveOptions::Connect {
        return [database = makeMemoryDatabase({}, clock, seed)] { return connectMemory(database); };
    };
    return options;
}

}  // namespace

class TestProve : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachSafetyHasItsWorstCase();
    void worstIsNamedWithItsBoundary();
    void doubled_data();
    void doubled();
    void soundSettingsAreNotDoubled_data();
    void soundSettingsAreNotDoubled();
    void compensationIsProved();
    void everyKindOfWaitIsABoundary();
    void childRunsAreProvedWithTheirFiles();
    void decisionsThatAddSteps();
    void conditionsAreMetWhereTheyAgree();
    void whatIsNotReachedIsSaid();
    void inputAsGiven();
    void outsideWorkers();
    void retriesThatAreUsedUpPark();
    void tooManyKillsAreSpreadAndSaid();
    void sameSeedSameProof();
    void exampleWorkflowsNeverDouble_data();
    void exampleWorkflowsNeverDouble();
};

void TestProve::eachSafetyHasItsWorstCase()
{
    const Proof proof = proveWorkflow(definitionOf(kFourTools, kFourSteps), options());
    QCOMPARE(summary(proof), std::string("a=repeated b=repeated c=looked up d=parked "));
    QVERIFY(proof.kills > 100);
    QVERIFY(proof.failures.empty());
    QVERIFY(proof.notProved.empty());
    // A call that is made again arrives at least twice; an irreversible one never does.
    QVERIFY(proof.steps[0].calls >= 2 && proof.steps[1].calls >= 2);
    QCOMPARE(proof.steps[2].calls, 1U);
    QCOMPARE(proof.steps[3].calls, 1U);
}

void TestProve::worstIsNamedWithItsBoundary()
{
    const Proof proof = proveWorkflow(definitionOf(kFourTools, kFourSteps), options());
    QCOMPARE(proof.steps[1].boundary, std::string("after the provider acted, before its answer"));
    // An intent without a result is enough to park, whether or not the request was sent.
    QCOMPARE(proof.steps[3].boundary, std::string("after the commit of its intent"));
    QCOMPARE(proof.steps[3].reason, std::string("outcome_unknown"));
    for (const StepProof& step : proof.steps)
        QVERIFY2(step.boundaries >= 8, step.step.c_str());
}

// What a definition can get wrong, so that an effect happens twice.
void TestProve::doubled_data()
{
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("why");
    const auto http = [](const char* safety, const char* url, const char* more) {
        return QString::fromLatin1("'p':{'safety':'%1','executor':'http','settings':{'url':'%2'%3}")
            .arg(QLatin1String(safety), QLatin1String(url), QLatin1String(more));
    };
    const QString bank = QStringLiteral("http://bank/pay");
    QTest::newRow("the URL differs from attempt to attempt")
        << http("repeatable", "http://bank/pay/${attempt}", "") + QLatin1Char('}')
        << QStringLiteral("its settings hold ${attempt}");
    QTest::newRow("the key that is sent differs from attempt to attempt")
        << http("repeatable", "http://bank/pay", ",'headers':{'idempotency-key':'${attempt}'}")
            + QLatin1Char('}')
        << QStringLiteral("its settings hold ${attempt}");
    QTest::newRow("an argument differs from attempt to attempt")
        << QStringLiteral("'p':{'safety':'repeatable','executor':'command',"
                          "'settings':{'argv':['/bin/pay','--id','${attempt}']}}")
        << QStringLiteral("its settings hold ${attempt}");
    QTest::newRow("the look-up asks for its own attempt")
        << http("irreversible", "http://bank/pay", "},'look_up':{'url':'http://bank/pay/${attempt}'")
            + QLatin1Char('}')
        << QStringLiteral("its look-up names ${attempt}");
    QTest::newRow("the look-up does not name the effect")
        << http("irreversible", "http://bank/pay", "},'look_up':{'url':'http://bank/newest-payment'")
            + QLatin1Char('}')
        << QStringLiteral("its look-up does not name the effect");
    QTest::newRow("a provider that forgets keys") << http("repeatable", "http://bank/pay", "")
            + QLatin1Char('}') << QStringLiteral("its provider forgets keys");
}

void TestProve::doubled()
{
    QFETCH(QString, tool);
    QFETCH(QString, why);
    const Definition definition = definitionOf(tool.toStdString(), "{'name':'pay','tool':'p'}");
    ProveOptions how = options();
    if (why.contains(QStringLiteral("forgets")))
        how.keyless.insert("p");
    const Proof proof = proveWorkflow(definition, how);
    QCOMPARE(summary(proof), std::string("pay=DOUBLED "));
    QVERIFY(!proof.failures.empty());
    QVERIFY2(QString::fromStdString(proof.failures.front())
                 .contains(QStringLiteral("its effect happened 2 times")),
        proof.failures.front().c_str());
    QVERIFY2(QString::fromStdString(proof.steps[0].note).contains(why), proof.steps[0].note.c_str());
    QVERIFY(!proof.steps[0].boundary.empty());
}

void TestProve::soundSettingsAreNotDoubled_data()
{
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("worst");
    QTest::newRow("the attempt in a header for tracing") << QStringLiteral(
        "'p':{'safety':'repeatable','executor':'http','settings':{'url':'http://bank/pay?try=${attempt}',"
        "'headers':{'X-Request-Id':'${attempt}'}}}") << QStringLiteral("repeated");
    QTest::newRow("run and step in call and look-up") << QStringLiteral(
        "'p':{'safety':'irreversible','executor':'http','settings':{'url':'http://bank/${run}/${step}'},"
        "'look_up':{'url':'http://bank/${run}/${step}'}}")
                                                      << QStringLiteral("looked up");
    QTest::newRow("a look-up that sends the input") << QStringLiteral(
        "'p':{'safety':'irreversible','executor':'http','settings':{'url':'http://bank/pay'},"
        "'look_up':{'method':'POST','url':'http://bank/find'}}")
                                                    << QStringLiteral("looked up");
    QTest::newRow("a command that is told the key") << QStringLiteral(
        "'p':{'safety':'irreversible','executor':'command','settings':{'argv':['/bin/pay']},"
        "'look_up':{'argv':['/bin/paid','${key}','${attempt}']}}")
                                                    << QStringLiteral("looked up");
}

void TestProve::soundSettingsAreNotDoubled()
{
    QFETCH(QString, tool);
    QFETCH(QString, worst);
    const Proof proof =
        proveWorkflow(definitionOf(tool.toStdString(), "{'name':'pay','tool':'p'}"), options());
    QCOMPARE(summary(proof), "pay=" + worst.toStdString() + " ");
    QVERIFY(proof.failures.empty());
}

void TestProve::compensationIsProved()
{
    const std::string tools = toolText("pay", "repeatable",
                                  ",'undo':{'tool':'refund','input':{'of':{'$from':'output','at':'/id'}}}")
        + ","
        + toolText(
            "ship", "irreversible", ",'look_up':{'function':'echo'},'undo':{'tool':'recall','input':1}")
        + "," + toolText("refund", "repeatable") + "," + toolText("recall", "irreversible");
    const std::string steps = "{'name':'a','tool':'pay'},{'name':'b','tool':'ship','after':['a']}";
    for (const char* policy : {"", ",'on_cancel':'compensate'", ",'on_failure':'compensate'"}) {
        const Proof proof = proveWorkflow(definitionOf(tools, steps, policy), options());
        // A cancelled run repeats nothing, not even under the same key: a cancel during the call parks it.
        const std::string a =
            std::string_view(policy).find("on_cancel") == std::string::npos ? "repeated" : "parked";
        QCOMPARE(summary(proof), "a=" + a + " b=looked up undo:a=repeated undo:b=parked ");
        QVERIFY2(proof.failures.empty(), proof.failures.empty() ? "" : proof.failures.front().c_str());
        QVERIFY(proof.notProved.empty());
    }
    const std::string wrong = toolText("pay", "repeatable", ",'undo':{'tool':'refund','input':1}")
        + ",'refund':{'safety':'repeatable','executor':'http','settings':{'url':'http://bank/${attempt}'}}";
    const Proof proof = proveWorkflow(definitionOf(wrong, "{'name':'a','tool':'pay'}"), options());
    QCOMPARE(summary(proof), std::string("a=repeated undo:a=DOUBLED "));
    QVERIFY(!proof.failures.empty());
}

void TestProve::everyKindOfWaitIsABoundary()
{
    // Of a doubled step each boundary after which it was doubled is a failure of its own: so they are seen.
    const std::string tools =
        "'p':{'safety':'repeatable','executor':'http','settings':{'url':'http://x/${attempt}'}},"
        + toolText("e", "read_only");
    const std::string steps =
        "{'name':'ask','kind':'approval','approval':{'role':'boss','needed':2}},"
        "{'name':'nap','kind':'timer','wait':'30d','after':['ask']},"
        "{'name':'bell','kind':'signal','signal':'rung','wait':'1h','after':['nap']},"
        "{'name':'each','tool':'e','after':['bell'],'for_each':{'from':'input','at':'/list'},"
        "'input':{'i':{'$from':'item','at':'/x'}}},"
        "{'name':'pay','tool':'p','after':['each'],'approval':{'role':'boss'}}";
    const Proof proof = proveWorkflow(definitionOf(tools, steps), options());
    QCOMPARE(summary(proof), std::string("each=repeated pay=DOUBLED "));
    std::string failures;
    for (const std::string& failure : proof.failures)
        failures += failure + "\n";
    for (const char* boundary : {"after the provider acted, before its answer of step pay",
             "with the answer in hand, before its commit of step pay",
             "before the commit of its result of step pay"})
        QVERIFY2(failures.find(boundary) != std::string::npos, failures.c_str());
    // While it waited, nothing was sent yet: nothing can be doubled there. That these kills were made shows
    // in what a wait for a retry brings about.
    QVERIFY2(failures.find("while it waited (Back-off) of step pay, after the answer of pay was lost")
            != std::string::npos,
        failures.c_str());
}

void TestProve::childRunsAreProvedWithTheirFiles()
{
    const Definition parent = definitionOf(toolText("e", "read_only"),
        "{'name':'first','tool':'e'},{'name':'kid','kind':'run','workflow':'child','after':['first'],"
        "'input':{'order':{'$from':'first','at':'/order'}}},"
        "{'name':'last','tool':'e','after':['kid'],'input':{'$from':'kid','at':'/receipt'}}");
    const Proof alone = proveWorkflow(parent, options());
    QCOMPARE(summary(alone), std::string("first=repeated last=repeated "));
    QCOMPARE(alone.notProved.size(), std::size_t(1));
    ProveOptions both = options();
    const Definition child = definitionOf("'p':{'safety':'irreversible','executor':'command','settings':{'"
                                          "argv':['/bin/pay']},'effect_key':'o:${/o}'}",
        "{'name':'pay','tool':'p','input':{'o':{'$from':'input','at':'/order'}}}",
        ",'output':{'receipt':{'$from':'pay','at':'/receipt'}}", "child");
    both.children.push_back(child);
    const Proof proof = proveWorkflow(parent, both);
    QCOMPARE(summary(proof), std::string("first=repeated kid/pay=parked last=repeated "));
    QVERIFY2(proof.notProved.empty(), proof.notProved.empty() ? "" : proof.notProved.front().c_str());
    QVERIFY(proof.failures.empty());
    // One that starts itself has no end with made-up values: said, not hung.
    const Definition endless =
        definitionOf(toolText("e", "read_only"), "{'name':'again','kind':'run','workflow':'w'}");
    const Proof none = proveWorkflow(endless, options());
    QCOMPARE(none.kills, 0U);
    QCOMPARE(none.notProved.size(), std::size_t(1));
}

void TestProve::decisionsThatAddSteps()
{
    const std::string tools = toolText("think", "read_only") + "," + toolText("do", "irreversible");
    const Proof proof = proveWorkflow(
        definitionOf(tools,
            "{'name':'choose','kind':'decision','tool':'think','adds_steps':true},"
            "{'name':'x','tool':'do','on_demand':true},"
            "{'name':'y','tool':'do','on_demand':true,'after':['x'],'input':{'$from':'x','at':'/id'}}"),
        options());
    QCOMPARE(summary(proof), std::string("choose=repeated x=parked y=parked "));
    QVERIFY(proof.failures.empty());
}

void TestProve::conditionsAreMetWhereTheyAgree()
{
    const std::string tools = toolText("t", "read_only");
    const auto when = [](const char* name, const char* condition) {
        return std::string("{'name':'") + name + "','tool':'t','after':['first'],'when':" + condition + "}";
    };
    // The two routes exclude each other: each is reached with made-up values of its own.
    const std::string steps = "{'name':'first','tool':'t'},"
        + when("fast", "{'equals':[{'$from':'first','at':'/route'},'fast']}") + ","
        + when("slow", "{'not':{'in':[{'$from':'first','at':'/route'},['fast','none']]}}") + ","
        + when("dear",
            "{'all':[{'greater':[{'$from':'first','at':'/price'},100]},{'exists':{'$from':'input','at':'/"
            "limit'}},"
            "{'less_or_equal':[{'$from':'first','at':'/price'},{'$from':'input','at':'/limit'}]}]}")
        + "," + when("cheap", "{'less':[{'$from':'first','at':'/price'},100]}");
    const Proof proof = proveWorkflow(definitionOf(tools, steps), options());
    QCOMPARE(summary(proof),
        std::string("first=repeated fast=repeated slow=repeated dear=repeated cheap=repeated "));
    QVERIFY2(proof.notProved.empty(), proof.notProved.empty() ? "" : proof.notProved.front().c_str());
}

void TestProve::whatIsNotReachedIsSaid()
{
    const Proof proof = proveWorkflow(
        definitionOf(toolText("t", "read_only"),
            "{'name':'a','tool':'t'},{'name':'never','tool':'t','after':['a'],'when':{'equals':[1,2]}}"),
        options());
    QCOMPARE(proof.steps[1].calls, 0U);
    QCOMPARE(proof.notProved.size(), std::size_t(1));
    QVERIFY2(proof.notProved.front().find("step never was not reached") != std::string::npos,
        proof.notProved.front().c_str());
    QVERIFY(proof.failures.empty());
}

void TestProve::inputAsGiven()
{
    const Definition definition = definitionOf(toolText("t", "read_only"),
        "{'name':'a','tool':'t'},{'name':'b','tool':'t','after':['a'],"
        "'when':{'equals':[{'$from':'input','at':'/go'},true]}}");
    ProveOptions how = options();
    how.input = "{\"go\":false}";
    QCOMPARE(proveWorkflow(definition, how).steps[1].calls, 0U);
    how.input = "{\"go\":true}";
    QCOMPARE(summary(proveWorkflow(definition, how)), std::string("a=repeated b=repeated "));
    // Two orders under one key, because the given input says so: a conflict, which is told.
    const Definition keyed = definitionOf("'p':{'safety':'repeatable','executor':'command','settings':{'argv'"
                                          ":['/bin/p']},'effect_key':'k:${/k}'}",
        "{'name':'each','tool':'p','for_each':{'from':'input','at':'/"
        "list'},'input':{'k':{'$from':'item','at':'/k'},"
        "'n':{'$from':'item','at':'/n'}}}");
    QVERIFY(proveWorkflow(keyed, options()).notProved.empty());
    how.input = "{\"list\":[{\"k\":\"one\",\"n\":1},{\"k\":\"one\",\"n\":2}]}";
    const Proof conflict = proveWorkflow(keyed, how);
    QVERIFY(!conflict.notProved.empty());
    QVERIFY2(conflict.notProved.front().find("Effect key conflict") != std::string::npos,
        conflict.notProved.front().c_str());
}

void TestProve::outsideWorkers()
{
    const auto worker = [](const char* name, const char* safety) {
        return std::string("'") + name + "':{'safety':'" + safety + "','executor':'worker'}";
    };
    const Proof proof =
        proveWorkflow(definitionOf(worker("r", "repeatable") + "," + worker("i", "irreversible"),
                          "{'name':'a','tool':'r'},{'name':'b','tool':'i','after':['a']}"),
            options());
    QCOMPARE(summary(proof), std::string("a=repeated b=parked "));
    QVERIFY(proof.failures.empty());
}

void TestProve::retriesThatAreUsedUpPark()
{
    const Proof proof = proveWorkflow(
        definitionOf(toolText("t", "read_only", ",'retry':{'lost':1}"), "{'name':'a','tool':'t'}"),
        options());
    QCOMPARE(summary(proof), std::string("a=parked "));
    QCOMPARE(proof.steps[0].reason, std::string("attempts_exhausted"));
}

void TestProve::tooManyKillsAreSpreadAndSaid()
{
    ProveOptions few = options();
    few.most = 20;
    const Proof proof = proveWorkflow(definitionOf(kFourTools, kFourSteps), few);
    QCOMPARE(proof.kills, 20U);
    QCOMPARE(proof.notProved.size(), std::size_t(1));
    QVERIFY2(proof.notProved.front().find("20 were, spread evenly") != std::string::npos,
        proof.notProved.front().c_str());
}

void TestProve::sameSeedSameProof()
{
    const Definition definition = definitionOf(kFourTools, kFourSteps);
    const auto whole = [&](std::uint64_t seed) {
        ProveOptions how = options();
        how.seed = seed;
        const Proof proof = proveWorkflow(definition, how);
        std::string text = std::to_string(proof.kills);
        for (const StepProof& step : proof.steps)
            text += " " + step.step + worstName(step.worst) + step.boundary + std::to_string(step.boundaries)
                + " " + std::to_string(step.calls);
        return text;
    };
    QCOMPARE(whole(5), whole(5));
    QCOMPARE(whole(6), whole(5));  // nothing here hangs on chance
}

void TestProve::exampleWorkflowsNeverDouble_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("expected");
    QTest::newRow("purchase") << QStringLiteral("purchase")
                              << QStringLiteral(
                                     "research=repeated quotes=repeated choose=repeated pay=looked up "
                                     "audit/examine=repeated audit/judge=repeated report=repeated "
                                     "undo:pay=repeated ");
    QTest::newRow("repo-review") << QStringLiteral("repo-review")
                                 << QStringLiteral("history=repeated sizes=repeated analysis=repeated "
                                                   "verdict=repeated tag=looked up summary=repeated ");
    QTest::newRow("research") << QStringLiteral("research")
                              << QStringLiteral("split=repeated topics/look=repeated join=repeated ");
}

void TestProve::exampleWorkflowsNeverDouble()
{
    QFETCH(QString, file);
    QFETCH(QString, expected);
    const auto example = [](const char* name) {
        return parsed(fileText(std::string(CAIRN_SOURCE_DIR "/resources/workflows/") + name + ".json"));
    };
    ProveOptions how = options();
    how.children = {example("audit"), example("research-item")};
    const Proof proof = proveWorkflow(example(qPrintable(file)), how);
    for (const auto& failure : proof.failures)
        qWarning("%s", failure.c_str());
    for (const auto& text : proof.notProved)
        qWarning("not proved: %s", text.c_str());
    QVERIFY(proof.failures.empty());
    QVERIFY(proof.notProved.empty());
    QCOMPARE(summary(proof), expected.toStdString());
}

QTEST_APPLESS_MAIN(TestProve)
#include "tst_prove.moc"
