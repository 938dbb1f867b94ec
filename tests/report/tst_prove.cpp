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
        text += step.step + "=" + worstName(step.worst) + "/" + std::to_string(step.calls) + " ";
    return text;
}

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
    void eachSafetyHasItsWorstCase()
    {
        const std::string tools = toolText("read", "read_only") + "," + toolText("keyed", "repeatable") + ","
            + toolText("pay", "irreversible", ",'look_up':{'function':'echo'}") + ","
            + toolText("blind", "irreversible");
        const Definition definition =
            parsed(json("{'schema':'urn:cairn:workflow:1','name':'w','version':1,'tools':{" + tools
                + "},'steps':[{'name':'a','tool':'read'},{'name':'b','tool':'keyed','after':['a']},"
                  "{'name':'c','tool':'pay','after':['b']},{'name':'d','tool':'blind','after':['c']}]}"));
        const Proof proof = proveWorkflow(definition, options());
        QCOMPARE(summary(proof), std::string("a=repeated/3 b=repeated/3 c=looked up/1 d=parked/1 "));
        QVERIFY(proof.kills > 50);
        QVERIFY(proof.failures.empty());
    }

    void exampleWorkflowsNeverDouble_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* name : {"purchase", "audit", "repo-review", "research", "research-item"})
            QTest::newRow(name) << QString::fromLatin1(CAIRN_SOURCE_DIR "/resources/workflows/%1.json")
                                       .arg(QLatin1String(name));
    }
    void exampleWorkflowsNeverDouble()
    {
        QFETCH(QString, file);
        const Definition definition = parsed(fileText(file.toStdString()));
        QVERIFY(!definition.steps.empty());
        const Proof proof = proveWorkflow(definition, options());
        for (const auto& failure : proof.failures)
            qWarning("%s", failure.c_str());
        QVERIFY(proof.failures.empty());
        QVERIFY(proof.kills > 0);
    }
};

QTEST_APPLESS_MAIN(TestProve)
#include "tst_prove.moc"
