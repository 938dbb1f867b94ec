// What helps to write a filter: values with counts, what each term takes away, and one term more.

#include "core/query/filter_help.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

// Three open runs: two of workflow one, one of workflow two.
void fill(World& w)
{
    w.add(workflowText("one", R"({"name":"only","tool":"look"})"));
    w.add(workflowText("two", R"({"name":"only","tool":"look"})"));
    for (const auto& [workflow, key] : {std::pair{"one", "order-17"}, {"one", "order-18"}, {"two", "same"}})
        QCOMPARE(w.service->submitAndWait(World::start(*w.service, workflow, "{}", key)).kind,
            Outcome::Kind::Committed);
}

std::string told(const FilterOptions& found)
{
    std::string out = std::to_string(found.offset) + "+" + std::to_string(found.length) + " " + found.field;
    for (const FilterOption& option : found.options)
        out += " " + option.text + (option.count ? "=" + std::to_string(*option.count) : std::string());
    return out + (found.more ? " ..." : "");
}

}  // namespace

class TestFilterHelp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }

    void placesAreThoseOfTheParser()
    {
        const auto places = filterPlaces(R"(-wait:timer OR error:"a or b" "or")");
        QCOMPARE(places.size(), 4U);
        QCOMPARE(places[0].field, std::string("wait"));
        QVERIFY(places[0].negated);
        QCOMPARE(places[0].valueAt, 6U);
        QVERIFY(places[1].isOr);
        QCOMPARE(places[1].alternative, 1U);
        QCOMPARE(places[2].values.front(), std::string("a or b"));
        QCOMPARE(places[2].alternative, 1U);
        QVERIFY(!places[3].isOr);
        QCOMPARE(filterPlaces("error:\"not closed").size(), 1U);
        QVERIFY(filterPlaces("  ").empty());
    }

    void optionsAreFieldsThenValuesWithCounts()
    {
        World w;
        fill(w);
        Query query(*w.store, w.clock);
        const auto at = [&](std::string_view text, std::size_t cursor, std::size_t limit = 20) {
            const auto found = filterOptions(query, text, cursor, w.clock.wallMs(), limit);
            return found ? told(*found) : found.error().text;
        };
        QCOMPARE(at("st", 2), std::string("0+2  state: step:"));
        QCOMPARE(at("-wa", 3), std::string("1+2  wait:"));
        QCOMPARE(at("def:", 4), std::string("4+0 def one=2 two=1"));
        QCOMPARE(at("def:T", 5), std::string("4+1 def two=1"));
        QCOMPARE(at("def:one|", 8), std::string("8+0 def one=2 two=1"));
        QCOMPARE(at("def:one key:or", 14), std::string("12+2 key order-17=1 order-18=1"));
        QCOMPARE(at("def:two key:", 12), std::string("12+0 key same=1"));
        QCOMPARE(at("def:two or def:", 15), std::string("15+0 def one=2 two=1"));
        QCOMPARE(at("def:", 4, 1), std::string("4+0 def one=2 ..."));
        QCOMPARE(at("wait:nonsense def:", 18), std::string("18+0 def one two"));
        QCOMPARE(at("def:one ", 8, 2), std::string("8+0  wait: reason: ..."));
    }

    // Names of whoever has runs, and the word for nobody; what may stand after `is:`.
    void whoseRunsAndWhatTheyAreIsOffered()
    {
        World w;
        fill(w);
        Query query(*w.store, w.clock);
        const auto run = query.resolve("order-17");
        CAIRN_VERIFY_OK(run);
        QVERIFY(w.service->submitAndWait(World::act(*run, cmd::Assign{"lee", 0, false})).ok());
        const auto at = [&](std::string_view text) {
            const auto found = filterOptions(query, text, text.size(), w.clock.wallMs(), 20);
            return found ? told(*found) : found.error().text;
        };
        QCOMPARE(at("assigned:l"), std::string("9+1 assigned lee=1"));
        QCOMPARE(at("owner:l"), std::string("6+1 owner lee=1"));
        QCOMPARE(at("assigned:n"), std::string("9+1 assigned none=2"));
        QCOMPARE(at("def:two assigned:n"), std::string("17+1 assigned none=1"));
        QCOMPARE(at("def:two assigned:l"), std::string("17+1 assigned"));  // of the runs that are left
        QCOMPARE(at("is:"), std::string("3+0 is open=3 root=3 held=0"));
        QCOMPARE(at("is:h"), std::string("3+1 is held=0"));
    }

    void effectsAddUpToWhatIsLeft()
    {
        World w;
        fill(w);
        Query query(*w.store, w.clock);
        const auto effects = filterEffects(query, "def:one key:order-17 key2", w.clock.wallMs());
        QVERIFY(!effects);
        QCOMPARE(effects.error().kind, ErrorKind::InvalidInput);
        const auto both = filterEffects(query, "def:one key:order-17", w.clock.wallMs());
        CAIRN_VERIFY_OK(both);
        QCOMPARE(both->size(), 2U);
        QCOMPARE((*both)[0].term, std::string("def:one"));
        QCOMPARE((*both)[0].removed, 1U);
        QCOMPARE((*both)[0].without, 1U);
        QCOMPARE((*both)[1].removed, 1U);
        QCOMPARE((*both)[1].without, 2U);
        const auto either = filterEffects(query, "def:none or def:two", w.clock.wallMs());
        CAIRN_VERIFY_OK(either);
        QCOMPARE((*either)[0].removed, 3U);
        QCOMPARE((*either)[0].without, 3U);
        QCOMPARE((*either)[1].removed, 2U);
        QCOMPARE((*either)[1].alternative, 1U);
    }

    void aTermIsAddedToEachAlternative()
    {
        const auto with = [](const char* filter, const char* term, bool negated) {
            const auto text = withFilterTerm(filter, term, negated);
            return text ? *text : "refused: " + text.error().text;
        };
        QCOMPARE(with("", "wait:approval", false), std::string("wait:approval"));
        QCOMPARE(
            with("state:open wait:retry", "wait:approval", false), std::string("state:open wait:approval"));
        QCOMPARE(with("workflow:a", "def:b", false), std::string("def:b"));
        QCOMPARE(with("def:a or def:b", "step:x", true), std::string("def:a -step:x or def:b -step:x"));
        QCOMPARE(with("-wait:timer", "wait:timer", true), std::string("-wait:timer"));
        QVERIFY(with("", "error:x", true).starts_with("refused: error cannot be negated"));
        QCOMPARE(filterValue("plain"), std::string("plain"));
        QCOMPARE(filterValue("a b"), std::string("\"a b\""));
        QCOMPARE(filterValue("a\"b"), std::string("\"a\\\"b\""));
    }
};

QTEST_APPLESS_MAIN(TestFilterHelp)
#include "tst_filter_help.moc"
