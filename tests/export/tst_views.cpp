// Tables, pages and traces of a run that holds hostile text.

#include "core/export/views.h"
#include "tests/export/exported_run.h"
#include "tests/service/agreement_desk.h"

#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QSet>

#include <set>

using namespace cairn;
using namespace cairn::testing;

namespace {

// As RFC 4180 has it: rows of cells.
std::vector<std::vector<std::string>> parseCsv(const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            row.back() += '"';
            ++i;
        } else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            row.emplace_back();
        else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            rows.push_back(std::exchange(row, {std::string()}));
            ++i;
        } else
            row.back() += c;
    }
    return rows;
}

QJsonValue attribute(const QJsonObject& span, const QString& name)
{
    for (const QJsonValue& one : span.value(QStringLiteral("attributes")).toArray())
        if (one.toObject().value(QStringLiteral("key")).toString() == name) {
            const QJsonObject value = one.toObject().value(QStringLiteral("value")).toObject();
            return value.value(value.keys().value(0));
        }
    return {};
}

}  // namespace

class TestViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void cellsAreNoFormulas_data();
    void cellsAreNoFormulas();
    void c40_numbersKeepTheirDigitsInABundle();
    void c58_whatARunHoldsIsNoFormula();
    void tablesHaveARowForEachThing();
    void tablesAndPagesSayWhoWasAlone();
    void aPageHasNothingThatRunsOrIsFetched();
    void tracesAreThoseOfTheConventions();

private:
    template<class Write> static std::string written(Exported& e, Write&& write)
    {
        Query query(*e.w.store, e.w.clock);
        std::string text;
        const ex::Sink sink = [&](std::string_view some) {
            text += some;
            return Status();
        };
        const Status done = write(query, sink);
        return done ? text : "failed: " + done.error().text;
    }
};

void TestViews::cellsAreNoFormulas_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cell");
    const std::pair<const char*, const char*> kRows[] = {{"", ""}, {"plain", "plain"}, {"=1+1", "'=1+1"},
        {"+1+cmd", "'+1+cmd"}, {"-1+cmd", "'-1+cmd"}, {"@SUM(A1)", "'@SUM(A1)"}, {"\tx", "'\tx"},
        {"\rx", "\"'\rx\""}, {"-12", "-12"}, {"+12", "+12"}, {"-12.50", "-12.50"}, {"1e9", "1e9"},
        {"-1e-9", "-1e-9"}, {"-", "'-"}, {"-.5", "'-.5"}, {"-1.", "'-1."}, {"-1 2", "'-1 2"},
        {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""}, {"a\nb", "\"a\nb\""}, {" a", "\" a\""},
        {"=\"a\",1", "\"'=\"\"a\"\",1\""}, {"\n=1", "\"'\n=1\""}, {"\"=1+1\"", "\"\"\"=1+1\"\"\""},
        {"\xEF\xBC\x9D"
         "1+1",
            "'\xEF\xBC\x9D"
            "1+1"},
        {"\xEF\xBC\x8B"
         "1",
            "'\xEF\xBC\x8B"
            "1"},
        {"\xEF\xBC\x8D"
         "1",
            "'\xEF\xBC\x8D"
            "1"},
        {"\xEF\xBC\xA0"
         "A1",
            "'\xEF\xBC\xA0"
            "A1"},
        {"-5", "-5"}, {"+3", "+3"}, {" =1+1", "' =1+1"}, {"  @A1", "'  @A1"}, {" -5", "\" -5\""},
        {"\xEF\xBB\xBF"
         "=1",
            "'\xEF\xBB\xBF"
            "=1"},
        {"\xC2\xA0 +x", "'\xC2\xA0 +x"}};
    for (const auto& [text, cell] : kRows)
        QTest::addRow("%s", QByteArray(text).toPercentEncoding().constData())
            << QByteArray(text) << QByteArray(cell);
}

void TestViews::cellsAreNoFormulas()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cell);
    QCOMPARE(ex::csvCell(text.toStdString()), cell.toStdString());
}

// What a step gave lies in the bundle byte for byte: no number was read on the way.
void TestViews::c40_numbersKeepTheirDigitsInABundle()
{
    const std::string exact =
        R"({"id": 9007199254740993, "neg": -4611686018427387905, "price": 1.10, "k":1})";
    Exported e(exact);
    QCOMPARE(e.write("b.zip"), std::string());
    const Files files = Files::of(e.path("b.zip"));
    QCOMPARE(
        std::count_if(files.all.begin(), files.all.end(),
            [&](const auto& file) { return file.first.starts_with("payloads/") && file.second == exact; }),
        1);
}

// Texts of an agent and of people in every column that holds one; what is a number stays one.
void TestViews::c58_whatARunHoldsIsNoFormula()
{
    Exported e;
    const char* const kTexts[] = {"=HYPERLINK(\"http://x\")", "+1+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)",
        "\tx",
        "\xEF\xBC\x9D"
        "1+1",
        "-5", "+3"};
    TimeMs until = e.w.clock.wallMs();
    for (const char* text : kTexts)
        Exported::need(
            e.engine->submitAndWait(World::act(e.run, cmd::Hold{true, until += 3'600'000, 0, false}, text)));
    Exported::need(e.engine->submitAndWait(World::act(e.run, cmd::Assign{"=lee", 0, false}, "=because")));
    const auto table = [&](ex::CsvTable which) {
        return parseCsv(written(e, [&](Query& query, const ex::Sink& sink) {
            return ex::writeCsv(query, std::span(&e.run, 1), which, sink);
        }));
    };
    std::set<std::string> seen;
    for (const ex::CsvTable which : {ex::CsvTable::History, ex::CsvTable::Steps, ex::CsvTable::Audit})
        for (const auto& row : table(which))
            for (const std::string& cell : row) {
                const bool number = cell == "-5" || cell == "+3";
                QVERIFY2(
                    number || cell.empty() || std::string("=+-@\t\r\n").find(cell[0]) == std::string::npos,
                    cell.c_str());
                QVERIFY2(!cell.starts_with("\xEF\xBC"), cell.c_str());
                seen.insert(cell);
            }
    for (const char* text :
        {"'=HYPERLINK(\"http://x\")", "'+1+cmd|' /C calc'!A0", "'-1+1", "'@SUM(A1)", "'\tx",
            "'\xEF\xBC\x9D"
            "1+1",
            "-5", "+3", "'=lee"})
        QVERIFY2(seen.contains(text), text);
    QCOMPARE(ex::csvCell(std::string("\0=1", 3)), std::string("'\0=1", 4));
    // The names of the columns are Cairn's own, and the rule is told with each table.
    for (const ex::CsvTable which : {ex::CsvTable::History, ex::CsvTable::Steps, ex::CsvTable::Audit}) {
        const auto rows = table(which);
        QVERIFY(!rows.empty());
        for (const std::string& name : rows.front())
            QVERIFY2(
                !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos,
                name.c_str());
    }
    // As data it is exactly what was written.
    const auto audit = e.w.store->auditOfRun(e.run);
    CAIRN_VERIFY_OK(audit);
    QCOMPARE(audit->back().reason, std::string("=because"));
    QCOMPARE(audit->back().target, std::string("=lee"));
}

void TestViews::tablesHaveARowForEachThing()
{
    Exported e;
    const auto table = [&](ex::CsvTable which) {
        return parseCsv(written(e, [&](Query& query, const ex::Sink& sink) {
            return ex::writeCsv(query, std::span(&e.run, 1), which, sink);
        }));
    };
    const auto history = table(ex::CsvTable::History);
    QCOMPARE(history.size(), std::size_t(e.w.service->load(e.run)->version) + 1);
    for (const auto& row : history)
        QCOMPARE(row.size(), std::size_t(10));
    QCOMPARE(history[2][3], std::string("pause"));
    const auto steps = table(ex::CsvTable::Steps);
    QCOMPARE(steps.size(), std::size_t(3));
    QCOMPARE(steps[2][1], std::string("pay"));
    QCOMPARE(steps[2][12], std::string("12.50"));
    QCOMPARE(steps[2][13], std::string("EUR"));
    const auto audit = table(ex::CsvTable::Audit);
    QCOMPARE(audit.size(), std::size_t(4));
    QCOMPARE(audit[1].size(), std::size_t(16));
    QCOMPARE(audit[0][14], std::string("second"));
    QCOMPARE(audit[0][15], std::string("second_login"));
    QCOMPARE(audit[1][14], std::string());  // one person was enough
    QCOMPARE(audit[1][10], std::string(kHostile));
}

void TestViews::tablesAndPagesSayWhoWasAlone()
{
    Exported e;
    Desk ann{e.w, "uid 1"};
    const Outcome set = Agreements(*ann.service)
                            .setPolicy({R"({"schema":"urn:cairn:policy:1","rules":[)"
                                        R"({"verbs":["pause"],"people":2}]})",
                                0, "two people pause", "ann", false});
    QCOMPARE(set.kind, Outcome::Kind::Committed);
    const RunId run = e.w.service
                          ->submitAndWait(World::start(
                              *e.w.service, "order", R"({"order":"A2","amount":"1.00"})", "order A2"))
                          .run;
    Submission alone = World::act(run, cmd::SetPaused{true, 0, false}, "nobody else can be reached");
    alone.breakGlass = true;
    Exported::need(ann.service->submitAndWait(alone));
    const auto table = parseCsv(written(e, [&](Query& query, const ex::Sink& sink) {
        return ex::writeCsv(query, std::span(&run, 1), ex::CsvTable::Audit, sink);
    }));
    QCOMPARE(table.back()[14], std::string("alone"));
    QCOMPARE(table.back()[15], std::string());
    const std::string page = written(e, [&](Query& query, const ex::Sink& sink) {
        return ex::writeHtml(query, std::span(&run, 1), {"t", "test", "kim"}, sink);
    });
    QVERIFY(page.find("NOBODY: by break-glass, REVIEW OPEN") != std::string::npos);
}

void TestViews::aPageHasNothingThatRunsOrIsFetched()
{
    Exported e;
    const std::string page = written(e, [&](Query& query, const ex::Sink& sink) {
        return ex::writeHtml(query, std::span(&e.run, 1), {"<b>Title</b>", "test", "kim\"'&"}, sink);
    });
    const RunState state = *e.w.service->load(e.run);
    for (const std::string& there :
        {toText(e.run), hex(state.head), std::string("&lt;script&gt;alert(1)"),
            std::string("&lt;b&gt;Title&lt;/b&gt;"), std::string("kim&quot;&#39;&amp;"),
            std::string("<h3>Steps</h3>"), std::string("<h3>Approvals</h3>"), std::string("<h3>History</h3>"),
            std::string("<h3>Audit</h3>"), std::string("<th>Second person</th>"),
            hex(state.findApproval(state.find("pay")->approval)->binding), std::string("default-src 'none'"),
            std::string("@media print")})
        QVERIFY2(page.find(there) != std::string::npos, there.c_str());
    for (const char* absent :
        {"<script", "http:", "https:", "<img", "<link", " src=", " href=", "url(", "@import", "\x1b", "<b>"})
        QVERIFY2(page.find(absent) == std::string::npos, absent);
    QVERIFY(page.ends_with("</body></html>\n"));
}

void TestViews::tracesAreThoseOfTheConventions()
{
    Exported e;
    const auto write = [&](Query& query, const ex::Sink& sink) {
        return ex::writeOtlp(query, std::span(&e.run, 1), "test", sink);
    };
    const std::string text = written(e, write);
    QCOMPARE(written(e, write), text);
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text));
    QVERIFY2(document.isObject(), text.c_str());
    const QJsonArray resources = document.object().value(QStringLiteral("resourceSpans")).toArray();
    QCOMPARE(resources.size(), 1);
    const QJsonArray spans = resources.at(0)
                                 .toObject()
                                 .value(QStringLiteral("scopeSpans"))
                                 .toArray()
                                 .at(0)
                                 .toObject()
                                 .value(QStringLiteral("spans"))
                                 .toArray();
    QCOMPARE(spans.size(), 5);  // the run, two steps, an attempt at each
    QSet<QString> ids;
    for (const QJsonValue& value : spans) {
        const QJsonObject span = value.toObject();
        QCOMPARE(
            span.value(QStringLiteral("traceId")).toString(), QString::fromStdString(ex::traceIdOf(e.run)));
        const QString id = span.value(QStringLiteral("spanId")).toString();
        QCOMPARE(id.size(), 16);
        QVERIFY(!ids.contains(id));
        const QString parent = span.value(QStringLiteral("parentSpanId")).toString();
        QVERIFY(parent.isEmpty() == ids.isEmpty());
        QVERIFY(parent.isEmpty() || ids.contains(parent));
        ids.insert(id);
        for (const char* name : {"startTimeUnixNano", "endTimeUnixNano"})
            QCOMPARE(span.value(QLatin1String(name)).toString().size(), 19);
    }
    const QJsonObject run = spans.at(0).toObject();
    QJsonObject attempt;  // in which order attempts come is the store's
    for (const QJsonValue& value : spans)
        if (value.toObject().value(QStringLiteral("name")).toString() == QStringLiteral("execute_tool pay"))
            attempt = value.toObject();
    QCOMPARE(run.value(QStringLiteral("name")).toString(), QStringLiteral("invoke_workflow order"));
    QCOMPARE(attribute(run, QStringLiteral("gen_ai.operation.name")).toString(),
        QStringLiteral("invoke_workflow"));
    QCOMPARE(attribute(run, QStringLiteral("gen_ai.workflow.name")).toString(), QStringLiteral("order"));
    QCOMPARE(attribute(attempt, QStringLiteral("gen_ai.operation.name")).toString(),
        QStringLiteral("execute_tool"));
    QCOMPARE(attribute(attempt, QStringLiteral("gen_ai.tool.name")).toString(), QStringLiteral("pay"));
    QCOMPARE(attempt.value(QStringLiteral("status")).toObject().value(QStringLiteral("code")).toInt(), 1);
    QCOMPARE(attribute(attempt, QStringLiteral("cairn.latency_ms")).toString(), QStringLiteral("0"));
}

QTEST_APPLESS_MAIN(TestViews)
#include "tst_views.moc"
