// From text to values: what each field becomes, what is not JSON, hostile input, and the schema beside the
// reader.
#include "core/base/json_scan.h"
#include "core/definition/contract.h"
#include "core/definition/page.h"
#include "core/definition/parse.h"
#include "core/definition/reader.h"
#include "core/definition/settings.h"
#include "core/definition/text_values.h"
#include "tests/support/cairn_qtest.h"

#include <sys/resource.h>

#include <QFile>

#include <array>
#include <chrono>

using namespace cairn;

namespace {

// One of everything; a file of its own, because moc does not read raw strings of many lines.
std::string fullText()
{
    QFile file(QStringLiteral(CAIRN_SOURCE_DIR "/tests/definition/data/full.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}
const std::string kFull = fullText();

Definition full()
{
    const ParsedDefinition parsed = parseDefinition(kFull);
    for (const Diagnostic& d : parsed.diagnostics)
        qWarning("%s", diagnosticLine("full", d).c_str());
    return parsed.definition ? *parsed.definition : Definition{};
}

std::string first(std::string_view text)
{
    const ParsedDefinition parsed = parseDefinition(text);
    return parsed.diagnostics.empty() ? std::string() : diagnosticLine("f", parsed.diagnostics.front());
}

std::string last(std::string_view text)
{
    const ParsedDefinition parsed = parseDefinition(text);
    return parsed.diagnostics.empty() ? std::string() : diagnosticLine("f", parsed.diagnostics.back());
}

long maxRssKb()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

class TstParse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hasNothingToSayAboutARightOne();
    void readsTheHead();
    void readsTools();
    void aPageHasTheKeyInItsPlaceOnly();
    void readsSteps();
    void saysWhatIsNotJson_data();
    void saysWhatIsNotJson();
    void namesThePointer();
    void refusesHostileInputAtOnce();
    void readsTenThousandSteps();
    void neverListsWithoutEnd();
    void schemaRefusesToo_data();
    void schemaRefusesToo();
    void contractIgnoresWhatDoesNotMatter();
    void readsSmallValues_data();
    void readsSmallValues();
    void readsInstants();
    void comparesDecimalsExactly_data();
    void comparesDecimalsExactly();
    void expandsSettings();
};

void TstParse::hasNothingToSayAboutARightOne()
{
    const ParsedDefinition parsed = parseDefinition(kFull);
    QCOMPARE(parsed.diagnostics.size(), std::size_t(0));
    QVERIFY(parsed.definition);
}

void TstParse::readsTheHead()
{
    const Definition d = full();
    QCOMPARE(d.ref.name, std::string("full"));
    QCOMPARE(d.ref.version, 7u);
    QCOMPARE(d.ref.stateSchema, 4u);
    QCOMPARE(d.ref.digest, sha256(kFull));
    QCOMPARE(d.text, kFull);
    QCOMPARE(d.title, std::string("All of it"));
    QCOMPARE(d.agents, (std::vector<std::string>{"x", "y"}));
    QCOMPARE(d.budget, (std::vector<BudgetLine>{{"tokens", 100, 0, 0}, {"EUR", 12'500'000, 0, 0}}));
    QCOMPARE(d.deadline, SpanMs(30) * 86'400'000);
    QCOMPARE(d.attributes.size(), std::size_t(1));
    QCOMPARE(d.attributes[0].name + ' ' + d.attributes[0].type + ' ' + d.attributes[0].at,
        std::string("id integer /a~1b"));
    QCOMPARE(d.limits.size(), std::size_t(1));
    QCOMPARE(d.limits[0].resource, std::string("mail"));
    QCOMPARE(d.limits[0].slots, 2u);
    QCOMPARE(d.limits[0].rate, 5u);
    QCOMPARE(d.limits[0].per, SpanMs(1000));
    QVERIFY(d.compensateOnCancel && !d.compensateOnFailure);
    QCOMPARE(d.output, std::string(R"({"x": 9007199254740993})"));
    QCOMPARE(d.retention.keepDays, 30u);
    QCOMPARE(d.retention.redactDays, 7u);
    QCOMPARE(d.migrations.size(), std::size_t(1));
    QCOMPARE(d.migrations[0].fromVersion, 6u);
    QCOMPARE(d.migrations[0].fromStateSchema, 3u);
    QVERIFY(
        (d.migrations[0].renamedSteps == std::vector<std::pair<std::string, std::string>>{{"old", "send"}}));
}

void TstParse::readsTools()
{
    const Definition d = full();
    QCOMPARE(d.tools.size(), std::size_t(3));
    const ToolDef& t = d.tools[0];
    QCOMPARE(t.name, std::string("send"));
    QCOMPARE(t.contract, 3u);
    QCOMPARE(t.contractDigest, contractDigest(t));
    QCOMPARE(t.safety, ReplaySafety::Irreversible);
    QCOMPARE(t.executor, std::string("command"));
    QCOMPARE(t.settings, std::string(R"({"argv": ["/bin/send", "${env.HOME}"], "env": ["LANG"]})"));
    QCOMPARE(t.effectKey, std::string("mail:${/id}"));
    QCOMPARE(t.resource, std::string("mail"));
    QCOMPARE(t.lookUp, std::string(R"({"argv": ["/bin/asked"]})"));
    QVERIFY(t.checkFirst);
    QCOMPARE(t.secret, std::string("env:MAIL"));
    QCOMPARE(t.amountAt, std::string("/sum"));
    QCOMPARE(t.currency, std::string("CHF"));
    QCOMPARE(t.worstCase, (std::vector<Usage>{{"tokens", 10}, {"EUR", 1}}));
    QCOMPARE(t.usage, (std::vector<UsageAt>{{"tokens", "/usage/total"}, {"EUR", "/cost"}}));
    QCOMPARE(t.retry, (RetryPolicy{2, 9, 250, 1500, 120'000, 3'600'000}));
    QCOMPARE(t.timeout, SpanMs(90'000));
    QCOMPARE(t.heartbeatTimeout, SpanMs(7'000));
    QCOMPARE(t.undoTool, std::string("unsend"));
    QCOMPARE(t.undoInput, std::string(R"({"$from": "output"})"));
    QCOMPARE(t.model + ' ' + t.prompt, std::string("m-1 p-2"));
    QCOMPARE(t.page, std::string("https://pay.example/search?q={key}"));
    QCOMPARE(d.tools[1].safety, ReplaySafety::Repeatable);
    QCOMPARE(d.tools[2].settings, std::string(R"({"function": "echo"})"));
    QCOMPARE(d.tools[2].retry, RetryPolicy{});
}

void TstParse::aPageHasTheKeyInItsPlaceOnly()
{
    for (const char* bad : {"", "javascript:alert(1)", "file:///etc/passwd", "https://a b",
             "https://x/{keys}", "https://x/\"", "ftp://x"})
        QVERIFY2(!checkPage(bad), bad);
    CAIRN_VERIFY_OK(checkPage("https://pay.example/{key}?q={key}"));
    QCOMPARE(pageFor("https://pay.example/{key}?q={key}", "a/b c&{key}"),
        std::string("https://pay.example/a%2Fb%20c%26%7Bkey%7D?q=a%2Fb%20c%26%7Bkey%7D"));
    QCOMPARE(pageFor("https://pay.example/", "x"), std::string("https://pay.example/"));
}

void TstParse::readsSteps()
{
    const Definition d = full();
    QCOMPARE(d.steps.size(), std::size_t(10));
    QVERIFY(d.steps[0].addsSteps && d.steps[0].kind == StepKind::Decision && d.steps[0].agent == "x");
    QVERIFY(d.steps[1].onDemand);
    const StepDef& s = d.steps[2];
    QCOMPARE(s.title, std::string("Send it"));
    QCOMPARE(s.after, std::vector<std::string>{"think"});
    QCOMPARE(s.condition, std::string(R"({"exists": {"$from": "input"}})"));
    QCOMPARE(s.input, std::string(R"({"id": {"$from": "item", "at": "/id"}, "sum": 1.10})"));
    QVERIFY(s.forEach && s.forEach->step == "think" && s.forEach->at == "/list" && s.forEach->allowFailures);
    QCOMPARE(s.forEach->maxItems, 5u);
    QVERIFY(s.approval == (ApprovalPolicy{"boss", 10'800'000, 2}));
    QVERIFY(s.retry == (RetryPolicy{8, 9, 250, 1500, 120'000, 3'600'000}));  // the rest from its tool
    QCOMPARE(s.timeout, SpanMs(5'000));
    QCOMPARE(d.steps[3].wait, SpanMs(172'800'000));
    QCOMPARE(d.steps[4].until, std::string("\"2026-03-01T09:00:00Z\""));
    QVERIFY(d.steps[5].kind == StepKind::Signal && d.steps[5].signal == "rung" && d.steps[5].wait == 600'000);
    QVERIFY(d.steps[6].kind == StepKind::Approval && d.steps[6].input == "5");
    const StepDef& child = d.steps[7];
    QVERIFY(child.kind == StepKind::Run && child.workflow == "other" && child.workflowVersion == 2
        && child.runsAfterSkip);
    QCOMPARE(child.allotment, (std::vector<BudgetLine>{{"tokens", 3, 0, 0}}));
    QCOMPARE(d.steps[8].local, std::string("\"2027-03-28T02:30\""));
    QCOMPARE(d.steps[8].zone, std::string("Europe/Berlin"));
    QCOMPARE(d.steps[9].cron, std::string("30 2 * * mon-fri"));
    QCOMPARE(d.steps[9].zone, std::string("Europe/Berlin"));
}

void TstParse::saysWhatIsNotJson_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const QByteArray& text, const char* expected) {
        QTest::newRow(name) << text << QByteArray(expected);
    };
    row("nothing", "", "f:1:1: error: expected a value, found the end of the text");
    row("a list", "[]", "f:1:1: error: a workflow must be an object, found a list");
    row("comma", "{\n  \"name\": \"x\",\n}",
        "f:3:1: error: expected a member name in double quotes, found '}'");
    row("twice", "{\"name\":1,\n\"name\":2}", "f:2:1: error: the member name \"name\" is there twice");
    row("number", "{\"version\": 1e999}",
        "f:1:13: error: a number beyond the range of a double: write it as a string");
    row("NUL", "{\"name\": \"a\\u0000\"}", "f:1:12: error: \\u0000 is not accepted here");
    row("utf-8", "{\"name\": \"\xFF\"}", "f:1:11: error: not UTF-8 (byte 0xff)");
    row("other format", "{\"schema\":\"urn:cairn:workflow:2\"}", "f:1:1: error: a workflow needs \"name\"");
}

void TstParse::saysWhatIsNotJson()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(first(text.toStdString())), expected);
}

void TstParse::namesThePointer()
{
    std::string text = kFull;
    text.replace(text.find("\"/bin/asked\""), 12, "\"asked\"");
    text.replace(text.find("\"rung\""), 6, "7");
    const ParsedDefinition parsed = parseDefinition(text);
    QCOMPARE(parsed.diagnostics.size(), std::size_t(2));
    QCOMPARE(parsed.diagnostics[0].pointer, std::string("/tools/send/look_up/argv/0"));
    QCOMPARE(parsed.diagnostics[1].pointer, std::string("/steps/5/signal"));
}

void TstParse::refusesHostileInputAtOnce()
{
    std::string deep = "{\"output\":";
    for (int i = 0; i < 100'000; ++i)
        deep += '[';
    const std::string longName = R"({"schema":"urn:cairn:workflow:1","version":1,"steps":[],"name":")"
        + std::string(250'000, 'a') + "\"}";
    const std::string huge = "[" + std::string(2u << 20, ' ') + "]";
    std::string manySteps =
        R"({"schema":"urn:cairn:workflow:1","name":"w","version":1,"steps":[{"name":"a"})";
    for (int i = 0; i < 20'000; ++i)
        manySteps += ",{\"name\":\"a\"}";
    manySteps += "]}";
    const std::array<std::pair<std::string, std::string>, 3> all{{
        {deep, "f:1:74: error: more than 64 arrays and objects inside each other"},
        {longName, "f:1:64: error: \"name\" has 250000 bytes, at most 200 are accepted"},
        {huge, "f:1:1048577: error: the text has 2097154 bytes, at most 1048576 are accepted"},
    }};
    const long before = maxRssKb();
    for (const auto& [text, expected] : all) {
        const auto begin = std::chrono::steady_clock::now();
        const std::string said = last(text);
        QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(50));
        QCOMPARE(said, expected);
    }
    QVERIFY(maxRssKb() - before < 16 * 1024);
    QVERIFY(!parseDefinition(manySteps));
}

void TstParse::readsTenThousandSteps()
{
    std::string text =
        R"({"schema":"urn:cairn:workflow:1","name":"w","version":1,"tools":{"t":{"safety":"read_only",)"
        R"("executor":"worker"}},"steps":[{"name":"s0","tool":"t"})";
    for (int i = 1; i < 10'000; ++i)
        text += ",\n{\"name\":\"s" + std::to_string(i) + "\",\"tool\":\"t\",\"after\":[\"s"
            + std::to_string(i - 1) + "\"]}";
    text += "]}";
    QVERIFY(text.size() < (1u << 20));
    const auto begin = std::chrono::steady_clock::now();
    const ParsedDefinition parsed = parseDefinition(text);
    QVERIFY(parsed.definition);
    QCOMPARE(parsed.definition->steps.size(), std::size_t(10'000));
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

void TstParse::neverListsWithoutEnd()
{
    std::string text =
        R"({"schema":"urn:cairn:workflow:1","name":"w","version":1,"steps":[{"name":"s","tool":"t"})";
    for (int i = 0; i < 5'000; ++i)
        text += ",\n{\"x\":1}";
    const ParsedDefinition parsed = parseDefinition(text + "]}");
    QVERIFY(!parsed.definition);
    QCOMPARE(parsed.diagnostics.size(), kMaxDiagnostics);
}

// The schema alone, without the reader: it is what editors see.
void TstParse::schemaRefusesToo_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("pointer");
    const auto row = [](const char* name, const char* from, const char* to, const char* pointer) {
        QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(pointer);
    };
    row("nothing changed", "\"name\": \"full\"", "\"name\": \"full\"", "-");
    row("name", "\"name\": \"full\"", "\"name\": \"a b\"", "/name");
    row("version", "\"version\": 7", "\"version\": 0", "/version");
    row("unknown field", "\"title\"", "\"titel\"", "");
    row("safety", "\"irreversible\"", "\"never\"", "/tools/send/safety");
    row("settings of a command", "\"argv\": [\"/bin/send\"", "\"argw\": [\"/bin/send\"",
        "/tools/send/settings");
    row("tool of a timer", "\"wait\": \"2d\"", "\"wait\": \"2d\", \"tool\": \"think\"", "/steps/3");
    row("timer with both", "\"wait\": \"2d\"", "\"wait\": \"2d\", \"until\": \"x\"", "/steps/3");
    row("timer with three", "\"at\": {\"local\"", "\"wait\": \"1s\", \"at\": {\"local\"", "/steps/8");
    row("local time without its zone", ", \"zone\": \"Europe/Berlin\"}}", "}}", "/steps/8/at");
    row("rule without its text", "\"cron\": \"30 2 * * mon-fri\", ", "", "/steps/9/next");
    row("span", "\"wait\": \"2d\"", "\"wait\": \"2 d\"", "/steps/3/wait");
    row("span of two units", "\"wait\": \"2d\"", "\"wait\": \"2d12h\"", "-");
    row("condition", "{\"exists\": {", "{\"exist\": {", "/steps/2/when");
    row("pointer", "\"/a~1b\"", "\"a\"", "/attributes/id/at");
    row("secret", "\"env:MAIL\"", "\"hunter2\"", "/tools/send/secret");
}

void TstParse::schemaRefusesToo()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, pointer);
    std::string text = kFull;
    const std::size_t at = text.find(from.toStdString());
    QVERIFY(at != std::string::npos);
    text.replace(at, static_cast<std::size_t>(from.size()), to.toStdString());
    Report report(text);
    checkSchema(text, report);
    const auto all = report.take();
    if (pointer == "-") {
        QCOMPARE(all.size(), std::size_t(0));
        return;
    }
    QCOMPARE(all.size(), std::size_t(1));
    QCOMPARE(QByteArray::fromStdString(all.front().pointer), pointer);
}

void TstParse::contractIgnoresWhatDoesNotMatter()
{
    const ToolDef tool = full().tools[0];
    ToolDef other = tool;
    other.settings = jsonCompact(tool.settings);
    other.retry.maxAttempts = 99;
    other.timeout = 1;
    other.worstCase.clear();
    QCOMPARE(contractDigest(other), contractDigest(tool));
    const auto differs = [&tool](auto change) {
        ToolDef changed = tool;
        change(changed);
        return contractDigest(changed) != contractDigest(tool);
    };
    QVERIFY(differs([](ToolDef& t) { t.settings = R"({"argv":["/bin/other"]})"; }));
    QVERIFY(differs([](ToolDef& t) { t.contract = 4; }));
    QVERIFY(differs([](ToolDef& t) { t.safety = ReplaySafety::Repeatable; }));
    QVERIFY(differs([](ToolDef& t) { t.effectKey = "mail:${/sum}"; }));
    QVERIFY(differs([](ToolDef& t) { t.secret = "env:OTHER"; }));
    QVERIFY(differs([](ToolDef& t) { t.lookUp = "{}"; }));
    QVERIFY(differs([](ToolDef& t) { t.amountAt = "/id"; }));
    // What ends one field must not begin the next.
    QVERIFY(differs([](ToolDef& t) {
        t.secret += t.amountAt;
        t.amountAt.clear();
    }));
}

void TstParse::readsSmallValues_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qlonglong>("value");  // -1: refused
    const auto row = [](const char* what, const char* text, qlonglong value) {
        QTest::newRow((std::string(what) + ' ' + text).c_str())
            << QByteArray(what) << QByteArray(text) << value;
    };
    row("span", "0s", 0);
    row("span", "250ms", 250);
    row("span", "30s", 30'000);
    row("span", "5m", 300'000);
    row("span", "2h", 7'200'000);
    row("span", "3650d", 315'360'000'000);
    row("span", "36501d", -1);
    row("span", "9999999999999999d", -1);
    row("span", "1h30m", 5'400'000);
    row("span", "30m1h", -1);
    row("span", "-1s", -1);
    row("span", "1.5s", -1);
    row("span", "s", -1);
    row("span", "", -1);
    row("money", "12.50", 12'500'000);
    row("money", "0", 0);
    row("money", "0.000001", 1);
    row("money", "0.0000010", 1);
    row("money", "0.0000001", -1);
    row("money", "9223372036854.775807", 9'223'372'036'854'775'807);
    row("money", "9223372036854.775808", -1);
    row("money", "99999999999999999999", -1);
    row("money", "1e3", -1);
    row("money", "01", -1);
    row("money", ".5", -1);
    row("money", "12,50", -1);
}

void TstParse::readsSmallValues()
{
    QFETCH(QByteArray, what);
    QFETCH(QByteArray, text);
    QFETCH(qlonglong, value);
    const Result<std::int64_t> read =
        what == "span" ? parseSpan(text.toStdString()) : parseMicros(text.toStdString());
    QCOMPARE(read ? *read : -1, std::int64_t(value));
    if (what == "span" && read)
        QCOMPARE(*parseSpan(spanText(*read)), *read);
}

void TstParse::readsInstants()
{
    QCOMPARE(*parseInstant("1970-01-01T00:00:00Z"), TimeMs(0));
    QCOMPARE(*parseInstant("2026-11-29T15:23:37Z"), TimeMs(1'795'965'817'000));
    QCOMPARE(*parseInstant("2026-11-29T15:23:37.1239Z"), TimeMs(1'795'965'817'123));
    QCOMPARE(*parseInstant("2026-11-29T16:53:37+01:30"), TimeMs(1'795'965'817'000));
    QCOMPARE(*parseInstant("2024-02-29T00:00:00-00:00"), TimeMs(1'709'164'800'000));
    for (const char* wrong :
        {"2026-11-29", "2026-11-29T15:23:37", "2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-11-29T24:00:00Z", "2026-11-29T15:23:37.Z", "2026-11-29T15:23:37+1:30", "soon"})
        QVERIFY2(!parseInstant(wrong), wrong);
}

void TstParse::comparesDecimalsExactly_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<int>("order");
    const auto row = [](const char* a, const char* b, int order) {
        QTest::newRow((std::string(a) + " and " + b).c_str()) << QByteArray(a) << QByteArray(b) << order;
    };
    row("9007199254740993", "9007199254740992", 1);
    row("1.10", "1.1", 0);
    row("1.10", "1.1000000000000000000000000001", -1);
    row("-4611686018427387905", "-4611686018427387904", -1);
    row("0", "-0.0", 0);
    row("1e2", "100", 0);
    row("1E-2", "0.01", 0);
    row("12e1", "120.0", 0);
    row("-1", "1e-300", -1);
    row("2", "10", -1);
    row("0.00", "0e999", 0);
}

void TstParse::comparesDecimalsExactly()
{
    QFETCH(QByteArray, a);
    QFETCH(QByteArray, b);
    QFETCH(int, order);
    QCOMPARE(compareDecimals(a.toStdString(), b.toStdString()), order);
    QCOMPARE(compareDecimals(b.toStdString(), a.toStdString()), -order);
}

void TstParse::expandsSettings()
{
    const SettingsLookup lookup = [](std::string_view name) -> std::optional<std::string> {
        return name == "env.PORT" ? std::optional<std::string>("8080") : std::nullopt;
    };
    QCOMPARE(*expandSettingsText("http://h:${env.PORT}/$$x/${env.PORT}", lookup),
        std::string("http://h:8080/$x/8080"));
    QCOMPARE(
        expandSettingsText("a${env.OTHER}", lookup).error().text, std::string("${env.OTHER} is not set"));
    QVERIFY(!expandSettingsText("a$b", lookup));
    QVERIFY(!expandSettingsText("a${b", lookup));
}

QTEST_APPLESS_MAIN(TstParse)
#include "tst_parse.moc"
