// Rendering: bytes are copied exactly, conditions compare exactly, and errors say where and what.
#include "core/base/json_scan.h"
#include "core/definition/parse.h"
#include "core/definition/render.h"
#include "tests/support/cairn_qtest.h"

#include <map>

using namespace cairn;

namespace {

// Case C40: what a double or a re-serialisation would change.
constexpr std::string_view kExact =
    R"({"id": 9007199254740993, "neg": -4611686018427387905, "price": 1.10, "text":"\u00e9\/x" , "e":1E5,"list":[ 1.0 ,2 ]})";

Sources sourcesOf(std::map<std::string, std::string_view> bytes)
{
    return [bytes = std::move(bytes)](std::string_view name) -> Result<std::string_view> {
        const auto found = bytes.find(std::string(name));
        if (found == bytes.end())
            return makeError(ErrorKind::NotFound, "it was skipped");
        return found->second;
    };
}

const Sources kSources =
    sourcesOf({{"input", kExact}, {"a", R"({"x":{"y":[10,20,30]},"when":"2026-03-01T09:00:00Z"})"}});

std::string shown(const Result<std::string>& result)
{
    return result ? *result : "error: " + result.error().text;
}

struct Named {
    const char* name;
    const char* first;
    const char* second;
};

}  // namespace

class TstRender : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rendersInputs_data();
    void rendersInputs();
    void copiesLargeValuesWhole();
    void passesOnOtherErrors();
    void refusesWhatLiesTooDeep();
    void evaluatesConditions_data();
    void evaluatesConditions();
    void rendersEffectKeys_data();
    void rendersEffectKeys();
    void rendersAmounts_data();
    void rendersAmounts();
    void readsUsage();
    void rendersUntil();
    void countsAndSlicesItems();
    void rendersWholeSteps();
    void rendersMembers();
    void rendersUndo();
    void namesWhatAStepReads();
};

void TstRender::rendersInputs_data()
{
    static constexpr Named rows[] = {
        {"empty", "", "null"},
        {"literal, kept as written", R"( {"a" :  1.0,"b":[ "\u0041" ]} )",
            R"({"a" :  1.0,"b":[ "\u0041" ]})"},
        {"whole input", R"({"$from":"input"})",
            R"({"id": 9007199254740993, "neg": -4611686018427387905, "price": 1.10, "text":"\u00e9\/x" , "e":1E5,"list":[ 1.0 ,2 ]})"},
        {"numbers",
            R"({"i":{"$from":"input","at":"/id"}, "n" : {"at":"/neg","$from":"input"},"p":{"$from":"input","at":"/price"}})",
            R"({"i":9007199254740993, "n" : -4611686018427387905,"p":1.10})"},
        {"text as written", R"([{"$from":"input","at":"/text"}])", R"(["\u00e9\/x"])"},
        {"list as written", R"([{"$from":"input","at":"/list"},{"$from":"a","at":"/x/y/1"}])",
            "[[ 1.0 ,2 ],20]"},
        {"else, source missing", R"({"v":{"$from":"z","at":"/q","else":{"d": 1.0}}})", R"({"v":{"d": 1.0}})"},
        {"else, pointer missing", R"([{"$from":"a","at":"/q","else":null}])", "[null]"},
        {"else not needed", R"([{"$from":"a","at":"/x/y/0","else":null}])", "[10]"},
        {"literal object", R"({"t":{"$literal":{"$from": "input"}}})", R"({"t":{"$from": "input"}})"},
        {"missing pointer", R"([{"$from":"input","at":"/total"}])",
            R"(error: it reads /total of the input: the whole value has no member "total", it has the members "id", "neg", "price", "text", "e", "list")"},
        {"missing source", R"([{"$from":"z"}])",
            R"(error: it reads the output of step "z", which is not there: it was skipped)"},
        {"missing item", R"([{"$from":"a","at":"/x/y/3"}])",
            R"(error: it reads /x/y/3 of the output of step "a": /x/y has no item 3: the list has 3)"},
    };
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("expected");
    for (const Named& row : rows)
        QTest::newRow(row.name) << QByteArray(row.first) << QByteArray(row.second);
}

void TstRender::rendersInputs()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(shown(renderInput(raw.toStdString(), kSources))), expected);
}

void TstRender::copiesLargeValuesWhole()
{
    const std::string large = "{\"big\":\"" + std::string(20u << 20, 'x') + "\",\"n\":1.10}";
    const Sources sources = sourcesOf({{"input", large}});
    const auto out = renderInput(R"({"copy":{"$from":"input"},"n":{"$from":"input","at":"/n"}})", sources);
    QVERIFY(out);
    QCOMPARE(out->size(), large.size() + 18);
    QVERIFY(*out == "{\"copy\":" + large + ",\"n\":1.10}");
}

void TstRender::passesOnOtherErrors()
{
    const Sources broken = [](std::string_view) -> Result<std::string_view> {
        return makeError(ErrorKind::Corrupt, "damaged");
    };
    const auto out = renderInput(R"({"$from":"input","else":1})", broken);
    QVERIFY(!out);
    QCOMPARE(out.error(), makeError(ErrorKind::Corrupt, "damaged"));
    QCOMPARE(evaluateCondition(R"({"exists":{"$from":"input"}})", broken).error().kind, ErrorKind::Corrupt);
}

void TstRender::refusesWhatLiesTooDeep()
{
    const std::string deep = std::string(512, '[') + std::string(512, ']');
    const Sources sources = sourcesOf({{"input", deep}});
    QCOMPARE(renderInput(R"({"$from":"input"})", sources)->size(), deep.size());
    QCOMPARE(shown(renderInput(R"([{"$from":"input"}])", sources)),
        std::string(
            "error: line 1, column 513 (byte 512): more than 512 arrays and objects inside each other"));
}

void TstRender::evaluatesConditions_data()
{
    static constexpr Named rows[] = {
        {"none", "", "true"},
        {"equals number by value", R"({"equals":[{"$from":"input","at":"/price"},1.1]})", "true"},
        {"equals beyond a double", R"({"equals":[{"$from":"input","at":"/id"},9007199254740992]})", "false"},
        {"equals text by meaning", R"({"equals":[{"$from":"input","at":"/text"},"é/x"]})", "true"},
        {"number is not text", R"({"equals":[1,"1"]})", "false"},
        {"objects without order", R"({"equals":[{"a":1,"b":[2.0]},{"b":[2],"a":1}]})", "true"},
        {"objects that differ", R"({"equals":[{"a":1},{"a":1,"b":2}]})", "false"},
        {"lists in order", R"({"equals":[[1,2],[2,1]]})", "false"},
        {"not_equals", R"({"not_equals":[null,false]})", "true"},
        {"in", R"({"in":[20,{"$from":"a","at":"/x/y"}]})", "true"},
        {"not in", R"({"in":["20",[20,30]]})", "false"},
        {"in what is no list", R"({"in":[1,{"$from":"a"}]})",
            "error: \"in\" takes a list as its second value, found an object"},
        {"exists", R"({"exists":{"$from":"a","at":"/x"}})", "true"},
        {"exists not, pointer", R"({"exists":{"$from":"a","at":"/z"}})", "false"},
        {"exists not, source", R"({"exists":{"$from":"z"}})", "false"},
        {"less", R"({"less":[9007199254740992,{"$from":"input","at":"/id"}]})", "true"},
        {"less with amounts as text", R"({"less_or_equal":["12.50",12.5]})", "true"},
        {"greater", R"({"greater":[1e2,99.99]})", "true"},
        {"greater_or_equal", R"({"greater_or_equal":[1.0,1]})", "true"},
        {"less with a word", R"({"less":["a",1]})", "error: \"less\" compares numbers, found \"a\""},
        {"all", R"({"all":[{"equals":[1,1]},{"equals":[1,2]}]})", "false"},
        {"any", R"({"any":[{"equals":[1,2]},{"equals":[2,2]}]})", "true"},
        {"not", R"({"not":{"equals":[1,2]}})", "true"},
        {"all stops at the first false", R"({"all":[{"exists":{"$from":"z"}},{"equals":[{"$from":"z"},1]}]})",
            "false"},
        {"missing operand", R"({"equals":[{"$from":"a","at":"/q"},1]})",
            R"(error: it reads /q of the output of step "a": the whole value has no member "q", it has the members "x", "when")"},
    };
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("expected");
    for (const Named& row : rows)
        QTest::newRow(row.name) << QByteArray(row.first) << QByteArray(row.second);
}

void TstRender::evaluatesConditions()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, expected);
    const std::string text = raw.toStdString();
    if (!text.empty())
        QCOMPARE(scanCondition(text).faults.size(), std::size_t(0));
    const auto result = evaluateCondition(text, kSources);
    const std::string said = result ? (*result ? "true" : "false") : "error: " + result.error().text;
    QCOMPARE(QByteArray::fromStdString(said), expected);
}

void TstRender::rendersEffectKeys_data()
{
    static constexpr Named rows[] = {
        {"exact number", "order:${/id}", "order:9007199254740993"},
        {"decimals kept", "${/price}/${/neg}", "1.10/-4611686018427387905"},
        {"text decoded", "t:${/text}", "t:é/x"},
        {"dollar", "$$${/e}$$", "$1E5$"},
        {"item of a list", "${/list/0}", "1.0"},
        {"missing", "${/order}",
            R"(error: it reads /order of the rendered input: the whole value has no member "order", it has the members "id", "neg", "price", "text", "e", "list")"},
        {"a list", "${/list}",
            "error: it reads /list of the rendered input: found a list, it takes text, a number or a "
            "boolean"},
    };
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("expected");
    for (const Named& row : rows)
        QTest::newRow(row.name) << QByteArray(row.first) << QByteArray(row.second);
}

void TstRender::rendersEffectKeys()
{
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(shown(renderEffectKey(key.toStdString(), kExact))), expected);
    QCOMPARE(shown(renderEffectKey("${/a}", R"({"a":""})")),
        std::string("error: it reads /a of the rendered input: found empty text, which names nothing"));
    QCOMPARE(shown(renderEffectKey("${/a}", R"({"a":"x\ny"})")),
        std::string("error: it holds a control character"));
    QCOMPARE(shown(renderEffectKey("${/a}", "{\"a\":\"" + std::string(513, 'k') + "\"}")),
        std::string("error: it has 513 bytes, at most 512 are accepted"));
}

void TstRender::rendersAmounts_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* input, const char* expected) {
        QTest::newRow(input) << QByteArray(input) << QByteArray(expected);
    };
    row(R"({"sum":"12.50","cur":"EUR"})", "12500000 EUR");
    row(R"({"sum":12.5,"cur":"CHF"})", "12500000 CHF");
    row(R"({"sum":0.1,"cur":"CHF"})", "100000 CHF");
    row(R"({"sum":-1,"cur":"EUR"})", "it reads /sum of the rendered input: an amount must not be negative");
    row(R"({"sum":"1.0000001","cur":"EUR"})",
        "it reads /sum of the rendered input: \"1.0000001\" has more than six decimals");
    row(R"({"sum":"much","cur":"EUR"})",
        "it reads /sum of the rendered input: \"much\" is not an amount: write it like \"12.50\"");
    row(R"({"sum":1,"cur":"euro"})",
        "its currency is at /cur of the rendered input: \"euro\" is no currency code");
    row(R"({"sum":1})",
        "its currency is at /cur of the rendered input: the whole value has no member \"cur\", it has the "
        "members \"sum\"");
    row(R"({"cur":"EUR"})",
        "it reads /sum of the rendered input: the whole value has no member \"sum\", it has the members "
        "\"cur\"");
}

void TstRender::rendersAmounts()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, expected);
    ToolDef tool;
    QVERIFY(*renderAmount(tool, input.toStdString()) == Money{});
    tool.amountAt = "/sum";
    tool.currencyAt = "/cur";
    const auto money = renderAmount(tool, input.toStdString());
    const std::string said =
        money ? std::to_string(money->micros) + ' ' + money->currency : money.error().text;
    QCOMPARE(QByteArray::fromStdString(said), expected);
}

void TstRender::readsUsage()
{
    const std::vector<UsageAt> places{{"tokens", "/usage/total"}, {"EUR", "/cost"}};
    QCOMPARE(usageOf(places, R"({"usage":{"total":1200.2},"cost":"0.000001"})"),
        (std::vector<Usage>{{"tokens", 1201}, {"EUR", 1}}));
    // What is not there, is no amount or is negative is not reported.
    QCOMPARE(usageOf(places, R"({"usage":{"total":-3},"cost":7})"), (std::vector<Usage>{{"EUR", 7'000'000}}));
    QCOMPARE(usageOf(places, R"({"usage":null,"cost":[]})"), std::vector<Usage>());
    QCOMPARE(usageOf(places, "not JSON"), std::vector<Usage>());
    // What no call can use is not reported either, and is named.
    RefusedUsage refused;
    QCOMPARE(usageOf(places, R"({"usage":{"total":-3},"cost":"1000000000.000001"})", &refused),
        std::vector<Usage>());
    QCOMPARE(refused.tooMuch, (std::vector<std::string>{"EUR"}));
    QCOMPARE(refused.text,
        std::string(
            "the report of what was used is not taken: tokens at /usage/total is -3, and a call uses from "
            "nothing to 1000000000; EUR at /cost is 1000000000.000001, and a call uses from nothing to "
            "1000000000"));
    refused = {};
    QCOMPARE(usageOf(places, R"({"usage":{"total":1e300},"cost":"1000000000"})", &refused),
        (std::vector<Usage>{{"EUR", kMostUsed}}));
    QCOMPARE(refused.tooMuch, (std::vector<std::string>{"tokens"}));
}

void TstRender::rendersUntil()
{
    QCOMPARE(*renderUntil(R"({"$from":"a","at":"/when"})", kSources), TimeMs(1'772'355'600'000));
    QCOMPARE(*renderUntil(R"("1970-01-01T00:00:01Z")", kSources), TimeMs(1'000));
    QCOMPARE(renderUntil(R"({"$from":"input","at":"/id"})", kSources).error().text,
        std::string("expected text, found a number"));
}

void TstRender::countsAndSlicesItems()
{
    ForEach forEach{"a", "/x/y", false, 3};
    QCOMPARE(*countItems(forEach, kSources), 3u);
    QCOMPARE(std::string(*itemSlice(forEach, kSources, 2)), std::string("30"));
    QCOMPARE(itemSlice(forEach, kSources, 3).error().text, std::string("no item 3: the list has 3"));
    QCOMPARE(itemSlices(forEach, kSources)->size(), std::size_t(3));
    forEach.maxItems = 2;
    QCOMPARE(countItems(forEach, kSources).error().text,
        std::string("the list has 3 items, at most 2 are accepted"));
    forEach.at = "/x";
    QCOMPARE(countItems(forEach, kSources).error().text,
        std::string(R"(/x of the output of step "a" is an object, not a list)"));
}

void TstRender::rendersWholeSteps()
{
    Definition definition;
    ToolDef pay;
    pay.name = "pay";
    pay.safety = ReplaySafety::Irreversible;
    pay.effectKey = "order:${/order}";
    pay.amountAt = "/sum";
    pay.currency = "EUR";
    definition.tools.push_back(pay);
    StepDef step;
    step.name = "pay";
    step.tool = "pay";
    step.condition = R"({"exists":{"$from":"input","at":"/id"}})";
    step.input = R"({"order":{"$from":"input","at":"/id"},"sum":{"$from":"input","at":"/price"}})";
    auto rendered = renderStep(definition, step, kSources);
    QVERIFY(rendered);
    QVERIFY(rendered->condition);
    QCOMPARE(rendered->input, std::string(R"({"order":9007199254740993,"sum":1.10})"));
    QCOMPARE(rendered->effectKey, std::string("order:9007199254740993"));
    QVERIFY(rendered->amount == (Money{1'100'000, "EUR"}));
    step.condition = R"({"exists":{"$from":"z"}})";
    step.input = R"({"$from":"z"})";
    rendered = renderStep(definition, step, kSources);
    QVERIFY(rendered && !rendered->condition && rendered->input.empty());
    step.condition.clear();
    QCOMPARE(renderStep(definition, step, kSources).error().text,
        std::string(
            R"(step "pay": input: it reads the output of step "z", which is not there: it was skipped)"));
    step.input = R"({"sum":1})";
    QCOMPARE(renderStep(definition, step, kSources).error().text,
        std::string(
            R"(step "pay": effect key: it reads /order of the rendered input: the whole value has no member "order", it has the members "sum")"));
}

void TstRender::rendersMembers()
{
    Definition definition;
    StepDef step;
    step.name = "each";
    step.kind = StepKind::Run;
    step.input = R"({"i":{"$from":"item"},"id":{"$from":"input","at":"/id"}})";
    step.forEach = ForEach{"a", "/x/y", false, 10};
    const auto fan = renderStep(definition, step, kSources);
    QVERIFY(fan && fan->items == 3 && fan->input.empty());
    const auto items = itemSlices(*step.forEach, kSources);
    QVERIFY(items);
    QCOMPARE(renderStep(definition, step, kSources, (*items)[1])->input,
        std::string(R"({"i":20,"id":9007199254740993})"));
}

void TstRender::rendersUndo()
{
    ToolDef tool;
    tool.undoInput = R"({"was":{"$from":"input","at":"/n"},"id":{"$from":"output","at":"/id"}})";
    std::string asked;
    const auto call = [&](std::string_view source) -> Result<std::string_view> {
        asked += source;
        return std::string_view(source == kInputSource ? R"({"n":1.0})" : R"({"id":"p-1"})");
    };
    QCOMPARE(shown(renderUndo(tool, call)), std::string(R"({"was":1.0,"id":"p-1"})"));
    tool.undoInput = R"({"$from":"output","at":"/id"})";
    asked.clear();
    QCOMPARE(shown(renderUndo(tool, call)), std::string(R"("p-1")"));
    QCOMPARE(asked, std::string("output"));
}

void TstRender::namesWhatAStepReads()
{
    StepDef step;
    step.condition = R"({"all":[{"exists":{"$from":"c"}},{"not":{"in":[{"$from":"d"},[1]]}}]})";
    step.input = R"({"x":[{"$from":"b"},{"$from":"item"},{"$from":"c"}],"y":{"$literal":{"$from":"no"}}})";
    step.until = R"({"$from":"e"})";
    step.local = R"({"$from":"f","at":"/when"})";
    step.forEach = ForEach{"input", "/l", false, 1};
    QCOMPARE(cairn::sourcesOf(step), (std::vector<std::string>{"c", "d", "input", "b", "e", "f"}));
    QCOMPARE(sourcesOfTemplate(R"([{"$from":"b"},{"$from":"b"}])"), std::vector<std::string>{"b"});
}

QTEST_APPLESS_MAIN(TstRender)
#include "tst_render.moc"
