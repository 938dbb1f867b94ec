// The filter language: what each term means, and what is said about one that means nothing.

#include "core/query/query.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

namespace {

constexpr TimeMs kNow = 1'790'000'000'000;  // 2026-09-21 14:13:20Z

std::string list(const std::vector<std::string>& values)
{
    std::string out;
    for (const auto& v : values)
        out += (out.empty() ? "" : "|") + v;
    return out;
}
template<typename Enum> std::string list(const std::vector<Enum>& values)
{
    std::string out;
    for (const auto v : values)
        out += (out.empty() ? "" : "|") + std::string(key(v));
    return out;
}
std::string span(TimeMs at) { return std::to_string((kNow - at) / 1000); }

// A term written out in a fixed order, so that one comparison sees all of it.
std::string shown(const ListTerm& t)
{
    std::string out;
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty())
            out += (out.empty() ? "" : " ") + std::string(name) + "=" + value;
    };
    add("activity", list(t.activity));
    add("!activity", list(t.notActivity));
    add("attention", list(t.attention));
    add("!attention", list(t.notAttention));
    add("reason", list(t.reason));
    add("!reason", list(t.notReason));
    add("workflow", list(t.workflow));
    add("!workflow", list(t.notWorkflow));
    add("step", list(t.step));
    add("!step", list(t.notStep));
    add("situation", list(t.situation));
    add("resource", list(t.resource));
    add("error", list(t.errorContains));
    add("key", list(t.key));
    add("parent", t.parent ? toText(*t.parent) : "");
    add("root", t.root ? toText(*t.root) : "");
    add("run", t.run ? toText(*t.run) : "");
    add("since<", t.sinceBefore == kNoTime ? "" : span(t.sinceBefore));
    add("since>", t.sinceAfter == kNoTime ? "" : span(t.sinceAfter));
    add("created<", t.createdBefore == kNoTime ? "" : span(t.createdBefore));
    add("created>", t.createdAfter == kNoTime ? "" : span(t.createdAfter));
    for (const auto& [name, value] : t.attributes)
        add(name.c_str(), value);
    add("worker", list(t.worker));
    add("touched", list(t.touchedBy));
    add("amount>", t.amountAbove ? std::to_string(*t.amountAbove) : "");
    add("amount<", t.amountBelow ? std::to_string(*t.amountBelow) : "");
    add("currency", t.currency);
    const auto people = [](std::vector<std::string> names) {
        for (std::string& name : names)
            name = name.empty() ? "nobody" : name;
        return list(names);
    };
    add("assigned", people(t.assigned));
    add("!assigned", people(t.notAssigned));
    add("held", t.heldAt == kNow ? "now" : "");
    add("!held", t.notHeldAt == kNow ? "now" : "");
    add("open", t.unfinishedOnly ? "yes" : "");
    add("roots", t.rootsOnly ? "yes" : "");
    return out;
}

}  // namespace

class TestFilter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void means_data();
    void means();
    void refuses_data();
    void refuses();
    void everyReasonCanBeWritten();
};

void TestFilter::means_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("terms");
    const auto row = [](const char* text, const char* terms) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(terms);
    };
    row("", "");
    row("   ", "");
    row("wait:approval", "reason=approval");
    row("reason:outcome_unknown", "reason=outcome_unknown");
    row("wait:throttled", "reason=resource");
    row("wait:uncertain|mismatch", "reason=outcome_unknown|incompatible");
    row("wait:\"Attempts exhausted\"", "reason=attempts_exhausted");
    row("WAIT:Back-off", "reason=retry");
    row("-wait:timer", "!reason=timer");
    row("state:running", "activity=executing");
    row("state:open", "open=yes");
    row("state:finished", "activity=completed|failed|cancelled|compensated");
    row("attention:person", "attention=person");
    row("attention:uncertain|nobody", "attention=unknown_effect|repair");
    row("def:order@12", "workflow=order@12");
    row("workflow:order", "workflow=order");
    row("-def:order", "!workflow=order");
    row("step:charge*", "step=charge*");
    row("error:\"429\"", "error=429");
    row("error:\"says \\\"no\\\" | twice\"", "error=says \"no\" | twice");
    row("age:>2h", "created<=7200");
    row("age:<30m", "created>=1800");
    row("since:>10m", "since<=600");
    row("since:<1h30m", "since>=5400");
    row("since:today", "since>=51200");
    row("since:yesterday", "since<=51200 since>=137600");
    row("created:2026-09-20", "created<=51200 created>=137600");
    row("created:2026-09-21T13:00:00Z", "created>=4400");
    row("key:order-17", "key=order-17");
    row("key:order-*", "key=order-*");
    row("parent:0193b2a4-5c1e-7d00-8000-0123456789ab", "parent=0193b2a4-5c1e-7d00-8000-0123456789ab");
    row("root:0193b2a4-5c1e-7d00-8000-0123456789ab", "root=0193b2a4-5c1e-7d00-8000-0123456789ab");
    row("run:0193B2A4-5C1E-7D00-8000-0123456789AB", "run=0193b2a4-5c1e-7d00-8000-0123456789ab");
    row("resource:api.acme.test", "resource=api.acme.test");
    row("attr.customer=acme", "customer=acme");
    row("attr.Customer:\"a b\" attr.n=5", "Customer=a b n=5");
    row("situation:0123456789abcdef", "situation=0123456789abcdef");
    row("is:root is:open", "open=yes roots=yes");
    row("-is:open", "activity=completed|failed|cancelled|compensated");
    row("wait:approval def:order@12 -step:x", "reason=approval workflow=order@12 !step=x");
    row("wait:approval or wait:budget since:>1h", "reason=approval / reason=budget since<=3600");
    row("wait:approval OR state:paused", "reason=approval / activity=paused");
    row("key:\"or\"", "key=or");
    row("worker:w-17", "worker=w-17");
    row("worker:w-17|e1", "worker=w-17|e1");
    row("touched-by:kim", "touched=kim");
    row("assigned:kim|none", "assigned=kim|nobody");
    row("owner:kim", "assigned=kim");
    row("-assigned:none", "!assigned=nobody");
    row("assigned:\"none\"", "assigned=none");
    row("is:held", "held=now");
    row("-is:held", "!held=now");
    row("touched_by:kim|lee", "touched=kim|lee");
    row("money:>500", "amount>=500000000");
    row("money:<20.5eur", "amount<=20500000 currency=EUR");
    row("amount:>\"4860.00 USD\"", "amount>=4860000000 currency=USD");
    row("money:EUR", "currency=EUR");
}

void TestFilter::means()
{
    QFETCH(QString, text);
    QFETCH(QString, terms);
    const ParsedFilter parsed = parseFilter(text.toStdString(), kNow);
    QVERIFY2(!parsed.error, parsed.error ? parsed.error->text.c_str() : "");
    std::string all;
    for (const auto& term : parsed.filter)
        all += (all.empty() ? "" : " / ") + shown(term);
    QCOMPARE(all, terms.toStdString());
}

void TestFilter::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("offset");
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* text, int offset, int length, const char* says) {
        QTest::newRow(text) << QString::fromUtf8(text) << offset << length << QString::fromUtf8(says);
    };
    row("wait:aproval", 5, 7, "\"aproval\" is no wait; one of: none, outcome_unknown,");
    row("state:sleeping", 6, 8, "one of: completed, failed, cancelled,");
    row("wiat:approval", 0, 5, "there is no field \"wiat\"; did you mean wait? Fields: wait,");
    row("colour:red", 0, 7, "there is no field \"colour\". Fields: wait,");
    row("wait:approval  order-17", 15, 8,
        "\"order-17\" names no field; write for example key:order-17 or step:order-17.");
    row("error:\"open", 6, 5, "the quote is not closed");
    row("wait:", 5, 0, "wait needs a value: one of none,");
    row("def:order@new", 4, 9, "a version is a number: def:order@12");
    row("age:>soon", 4, 5, "\">soon\" is no span: age:>2h,");
    row("since:never", 6, 5, "\"never\" is no time: since:>2h,");
    row("parent:0193", 7, 4, "parent needs one whole run id");
    row("or wait:approval", 0, 2, "\"or\" stands between two terms");
    row("wait:approval or", 14, 2, "\"or\" stands between two terms");
    row("wait:timer wait:child", 11, 10,
        "wait is given twice, and no run can have both; join values by |, as in wait:a|b");
    row("def:p*", 4, 2, "* stands for any ending in step: and key: only");
    row("worker:a|b*", 7, 4, "* stands for any ending");
    row("-is:root", 4, 4, "parent:RUN and root:RUN find children");
    row("-key:x", 0, 6, "key cannot be negated");
    row("-age:>2h", 0, 8, "turn > and < around instead");
    row("owner:me", 6, 2, "a filter does not know who asks: write the name, as in owner:kim");
    row("is:hold", 3, 4, "write is:root, is:open or is:held");
    row("store:eu", 0, 6, "store cannot be asked for yet: this list is of one store");
    row("tokens:>50k", 0, 7, "tokens cannot be asked for yet: lists do not keep what a run used");
    row("cost:>5", 0, 5, "cost cannot be asked for yet: lists do not keep what a run used; money:>500");
    row("money:500", 6, 3, "\"500\" is no amount: money:>500, money:<20EUR or money:EUR");
    row("money:>", 6, 1, "is no amount");
    row("money:>5DOLLARS", 6, 9, "is no amount");
    row("-money:>5", 0, 9, "turn > and < around instead");
    row("-worker:w", 0, 9, "worker cannot be negated");
    row("attr.=x", 0, 7, "an attribute needs a name");
    row("wait:approval \xff", 14, 1, "not valid UTF-8");
}

void TestFilter::refuses()
{
    QFETCH(QString, text);
    QFETCH(int, offset);
    QFETCH(int, length);
    QFETCH(QString, says);
    std::string bytes = text.toStdString();
    if (QString::fromUtf8(QTest::currentDataTag()).contains(QChar(0xFFFD)))
        bytes = "wait:approval \xff";
    const ParsedFilter parsed = parseFilter(bytes, kNow);
    QVERIFY(parsed.error.has_value());
    QVERIFY2(parsed.error->text.find(says.toStdString()) != std::string::npos, parsed.error->text.c_str());
    QCOMPARE(static_cast<int>(parsed.error->offset), offset);
    QCOMPARE(static_cast<int>(parsed.error->length), length);
    QVERIFY(parsed.filter.empty());
}

void TestFilter::everyReasonCanBeWritten()
{
    for (const Word& w : words<Reason>()) {
        const std::string byLabel = "wait:\"" + std::string(w.label) + "\"";
        for (const std::string& text : {"wait:" + std::string(w.key), byLabel}) {
            const ParsedFilter parsed = parseFilter(text, kNow);
            QVERIFY2(!parsed.error, text.c_str());
            QCOMPARE(parsed.filter.front().reason, std::vector<Reason>{static_cast<Reason>(w.value)});
        }
    }
}

QTEST_APPLESS_MAIN(TestFilter)
#include "tst_filter.moc"
