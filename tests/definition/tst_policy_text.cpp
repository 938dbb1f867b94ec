// Policies as text: what is read, where each mistake stands, what differs between two.

#include "core/definition/policy_text.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace cairn;

namespace {

std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}
std::string policy(const std::string& rules, const std::string& more = {})
{
    return json("{'schema':'urn:cairn:policy:1','rules':[" + rules + "]" + more + "}");
}

}  // namespace

class TestPolicyText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFieldIsRead();
    void whatIsWrittenIsReadBack();
    void eachMistakeHasItsPlace_data();
    void eachMistakeHasItsPlace();
    void aRuleThatNeverDecidesIsToldOf();
    void differencesAreToldRuleByRule();
};

void TestPolicyText::everyFieldIsRead()
{
    const auto parsed = parsePolicy(policy("{'verbs':['retry','policy_set'],'environments':['prod'],"
                                           "'amount':{'from':'1000.50','currency':'EUR'},'runs':3,'people':2,"
                                           "'role':'finance','reason':20,'expires':'4h'}",
        ",'roles':{'finance':['uid 1000','ann']}"));
    QVERIFY(parsed);
    QVERIFY(parsed.diagnostics.empty());
    const Policy& read = *parsed.policy;
    QCOMPARE(read.rules.size(), std::size_t{1});
    PolicyRule wanted;
    wanted.verbs = {Verb::Retry, Verb::SetPolicy};
    wanted.environments = {"prod"};
    wanted.amountFrom = {1'000'500'000, "EUR"};
    wanted.runsFrom = 3;
    wanted.people = 2;
    wanted.role = "finance";
    wanted.reason = 20;
    wanted.expiresAfter = 4 * 3'600'000;
    QVERIFY(read.rules.front() == wanted);
    QCOMPARE(read.roles.size(), std::size_t{1});
    QCOMPARE(read.roles.front().name, std::string("finance"));
    QVERIFY((read.roles.front().logins == std::vector<std::string>{"uid 1000", "ann"}));
}

void TestPolicyText::whatIsWrittenIsReadBack()
{
    const auto first =
        parsePolicy(policy("{'verbs':['pause']},{'environments':['prod'],'amount':{'from':'7.25',"
                           "'currency':'USD'},'people':2,'expires':'90m'},{'runs':100,'people':2}",
            ",'roles':{'ops':['uid 1']}"));
    QVERIFY(first);
    const auto second = parsePolicy(policyText(*first.policy));
    QVERIFY(second);
    QVERIFY(*second.policy == *first.policy);
    const auto none = parsePolicy(policyText(Policy{}));
    QVERIFY(none);
    QVERIFY(*none.policy == Policy{});
}

void TestPolicyText::eachMistakeHasItsPlace_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& text, int line, int column, const char* says) {
        QTest::newRow(name) << QString::fromStdString(text) << line << column << QString::fromUtf8(says);
    };
    row("no JSON", "{\n  nonsense", 2, 3, "");
    row("no object", "[]", 1, 1, "a policy must be an object");
    row("no rules", json("{'schema':'urn:cairn:policy:1'}"), 1, 1, "a policy needs \"rules\"");
    row("another format", json("{'schema':'urn:cairn:policy:2','rules':[]}"), 1, 11, "this binary reads");
    row("no such field", json("{'schema':'urn:cairn:policy:1',\n'rule':[],'rules':[]}"), 2, 1,
        "unknown field \"rule\" in a policy");
    row("no such verb", json("{'schema':'urn:cairn:policy:1','rules':[\n{'verbs':['retry','start']}]}"), 2,
        19, "\"start\" is no verb that a policy may name");
    row("three people", json("{'schema':'urn:cairn:policy:1','rules':[\n{'people':3}]}"), 2, 11,
        "\"people\" must be a whole number from 1 to 2, found 3");
    row("no currency",
        json("{'schema':'urn:cairn:policy:1','rules':[\n{'amount':{'from':'1','currency':'EURO'}}]}"), 2, 34,
        "\"EURO\" is no currency code");
    row("approve by two",
        json("{'schema':'urn:cairn:policy:1','rules':[\n{'verbs':['approve'],'people':2}]}"), 2, 31,
        "approve and reject take no second person here");
    row("expiry of nothing", json("{'schema':'urn:cairn:policy:1','rules':[\n{'expires':'4h'}]}"), 2, 12,
        "only what waits for a second person expires");
    row("empty list", json("{'schema':'urn:cairn:policy:1','rules':[\n{'environments':[]}]}"), 2, 17,
        "\"environments\" is empty");
}

void TestPolicyText::eachMistakeHasItsPlace()
{
    QFETCH(QString, text);
    QFETCH(int, line);
    QFETCH(int, column);
    QFETCH(QString, says);
    const auto parsed = parsePolicy(text.toStdString());
    QVERIFY(!parsed);
    QVERIFY(!parsed.diagnostics.empty());
    const Diagnostic& first = parsed.diagnostics.front();
    QVERIFY2(first.text.find(says.toStdString()) != std::string::npos, first.text.c_str());
    QCOMPARE(static_cast<int>(first.line), line);
    QCOMPARE(static_cast<int>(first.column), column);
}

void TestPolicyText::aRuleThatNeverDecidesIsToldOf()
{
    const auto parsed =
        parsePolicy(policy("{'people':2},{'verbs':['retry'],'runs':5},{'verbs':['approve']}"));
    QVERIFY(parsed);
    QCOMPARE(parsed.diagnostics.size(), std::size_t{1});
    QVERIFY(parsed.diagnostics.front().severity == Severity::Warning);
    QCOMPARE(parsed.diagnostics.front().text,
        std::string("rule 2 never decides: rule 1 stands before it and fits whatever it fits"));
    QVERIFY(parsePolicy(policy("{'runs':5,'people':2},{'people':1}")).diagnostics.empty());
}

void TestPolicyText::differencesAreToldRuleByRule()
{
    const auto before = parsePolicy(policy("{'verbs':['retry'],'people':2}", ",'roles':{'ops':['ann']}"));
    const auto after =
        parsePolicy(policy("{'verbs':['retry'],'people':1},{'people':2}", ",'roles':{'ops':['bob']}"));
    QVERIFY(before && after);
    const auto lines = policyDifferences(*before.policy, *after.policy);
    QVERIFY((lines
        == std::vector<std::string>{
            R"(rule 1: {"verbs": ["retry"], "people": 2} -> {"verbs": ["retry"], "people": 1})",
            R"(rule 2: not there -> {"people": 2})", R"(role "ops": ["ann"] -> ["bob"])"}));
    QVERIFY(policyDifferences(*before.policy, *before.policy).empty());
}

QTEST_APPLESS_MAIN(TestPolicyText)
#include "tst_policy_text.moc"
