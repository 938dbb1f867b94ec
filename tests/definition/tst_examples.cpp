// The example workflows are right, and damaging them in any way gives diagnostics, never a crash.
#include "core/base/json_scan.h"
#include "core/base/rng.h"
#include "core/definition/parse.h"

#include <QDir>
#include <QFileInfo>
#include <QtTest>

#include <chrono>

using namespace cairn;

namespace {

QString folder() { return QStringLiteral(CAIRN_SOURCE_DIR "/resources/workflows"); }

std::string fileText(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

QByteArray lines(const ParsedDefinition& parsed)
{
    std::string all;
    for (const Diagnostic& d : parsed.diagnostics)
        all += diagnosticLine("", d) + "\n";
    return QByteArray::fromStdString(all);
}

// Small and cheap, and the same on every machine.
struct Dice {
    std::uint64_t state;
    std::uint64_t operator()(std::uint64_t below)
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33) % below;
    }
};

// One of: flip a byte, cut, double a piece, drop a piece, swap in a token.
std::string mutated(std::string text, Dice& dice)
{
    static const char* const tokens[] = {"null", "{}", "[]", "\"\"", "-1", "1e400", "\"$from\"", ",", "}",
        "true", "\"input\"", "{\"$from\":\"x\"}", "99999999999999999999", "\"\\ud800\""};
    const std::size_t at = dice(text.size());
    const std::size_t length = std::min<std::size_t>(1 + dice(40), text.size() - at);
    switch (dice(5)) {
    case 0: text[at] = static_cast<char>(dice(256)); break;
    case 1: text.resize(at); break;
    case 2: text.insert(at, text.substr(at, length)); break;
    case 3: text.erase(at, length); break;
    default: text.replace(at, length, tokens[dice(std::size(tokens))]); break;
    }
    return text;
}

// Replaces one JSON value by another, so that the text stays JSON and the later checks are reached.
std::string mutatedValue(const std::string& text, Dice& dice)
{
    static const char* const values[] = {"null", "{}", "[]", "\"\"", "-1", "0", "true", "\"pay\"", "\"1s\"",
        "\"~\"", "{\"$from\":\"pay\",\"at\":\"/x\"}", "[1]", "\"${/a}\"", "4294967296", "1.5"};
    std::string_view here = jsonTrim(text);
    for (std::uint64_t depth = 1 + dice(6); depth > 0; --depth) {
        if (auto members = jsonObjectMembers(here); members && !members->empty())
            here = (*members)[dice(members->size())].value;
        else if (auto items = jsonArraySlices(here); items && !items->empty())
            here = (*items)[dice(items->size())];
    }
    const auto at = static_cast<std::size_t>(here.data() - text.data());
    return text.substr(0, at) + values[dice(std::size(values))] + text.substr(at + here.size());
}

}  // namespace

class TstExamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areRight_data();
    void areRight();
    void haveTheirScripts();
    void childrenAreThere();
    void surviveMutation();
    void surviveChangedValues();
};

void TstExamples::areRight_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : QDir(folder()).entryList({QStringLiteral("*.json")}))
        QTest::newRow(qPrintable(name)) << name;
}

void TstExamples::areRight()
{
    QFETCH(QString, name);
    const std::string text = fileText(folder() + u'/' + name);
    const ParsedDefinition parsed = parseDefinition(text);
    QCOMPARE(lines(parsed), QByteArray());
    QVERIFY(parsed.definition);
    QCOMPARE(QByteArray::fromStdString(parsed.definition->ref.name + ".json"), name.toUtf8());
    QCOMPARE(parsed.definition->ref.digest, sha256(text));
    QCOMPARE(parsed.definition->text, text);
}

void TstExamples::haveTheirScripts()
{
    int scripts = 0;
    for (const QString& name : QDir(folder()).entryList({QStringLiteral("*.json")})) {
        const ParsedDefinition parsed = parseDefinition(fileText(folder() + u'/' + name));
        QVERIFY(parsed.definition);
        for (const ToolDef& tool : parsed.definition->tools) {
            for (const std::string& settings : {tool.settings, tool.lookUp}) {
                const auto program = jsonAt(settings, "/argv/0");
                if (!program)
                    continue;
                QString path = QString::fromStdString(*jsonString(*program));
                path.replace(QStringLiteral("${workflow_dir}"), folder());
                QVERIFY2(QFileInfo(path).isExecutable(), qPrintable(path));
                ++scripts;
            }
        }
    }
    QVERIFY(scripts >= 15);
}

void TstExamples::childrenAreThere()
{
    int children = 0;
    for (const QString& name : QDir(folder()).entryList({QStringLiteral("*.json")})) {
        const ParsedDefinition parsed = parseDefinition(fileText(folder() + u'/' + name));
        for (const StepDef& step : parsed.definition->steps)
            if (step.kind == StepKind::Run) {
                QVERIFY(QFileInfo::exists(
                    folder() + u'/' + QString::fromStdString(step.workflow) + QStringLiteral(".json")));
                ++children;
            }
    }
    QCOMPARE(children, 2);
}

void TstExamples::surviveMutation()
{
    const std::string text = fileText(folder() + QStringLiteral("/purchase.json"));
    Dice dice{1};
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = text;
        for (std::uint64_t n = 1 + dice(3); n > 0 && !damaged.empty(); --n)
            damaged = mutated(std::move(damaged), dice);
        const ParsedDefinition parsed = parseDefinition(damaged);
        QVERIFY(parsed.definition || !parsed.diagnostics.empty());
        refused += parsed.definition ? 0 : 1;
    }
    QVERIFY2(refused > 2000 && refused < 3000, qPrintable(QString::number(refused)));
}

void TstExamples::surviveChangedValues()
{
    Dice dice{2};
    int refused = 0;
    int unexplained = 0;
    for (const QString& name : {QStringLiteral("/purchase.json"), QStringLiteral("/research.json")}) {
        const std::string text = fileText(folder() + name);
        for (int i = 0; i < 600; ++i) {
            const std::string damaged = mutatedValue(mutatedValue(text, dice), dice);
            const ParsedDefinition parsed = parseDefinition(damaged);
            QVERIFY(parsed.definition || !parsed.diagnostics.empty());
            refused += parsed.definition ? 0 : 1;
            for (const Diagnostic& d : parsed.diagnostics)
                if (d.text.find("the workflow schema") != std::string::npos) {
                    ++unexplained;
                    qWarning("%s", diagnosticLine(name.toStdString(), d).c_str());
                }
        }
    }
    QVERIFY(refused > 500);
    // Whatever the schema refuses, the reader has named in plain words.
    QCOMPARE(unexplained, 0);
}

QTEST_APPLESS_MAIN(TstExamples)
#include "tst_examples.moc"
