// Groups of runs that wait alike: their order, whose they are, and when their runs came into them.
#include "tests/store/contract.h"

namespace cairn::testing {
namespace {

ListRow rowIn(Writer& writer, const std::string& situation, TimeMs since, const std::string& assigned = {})
{
    ListRow row = writer.listRow();
    row.situation = situation;
    row.since = since;
    row.assigned = assigned;
    return row;
}

}  // namespace

// However few runs they have, those that somebody must see to come first, and a limit cuts off the others.
void ContractTest::situationsStandByWhoMovesNext()
{
    const auto make = [&](const std::string& name, const std::string& situation, Attention attention,
                          TimeMs since) {
        Writer w(name);
        ListRow row = w.listRow();
        row.situation = situation;
        row.attention = attention;
        row.since = since;
        createRun(w, row);
    };
    for (int i = 0; i < 3; ++i)
        make("m" + std::to_string(i), "many", Attention::Machine, 10);
    make("p0", "later", Attention::Person, 30);
    make("p1", "later", Attention::Machine, 15);  // its oldest is less urgent than the group
    make("p2", "earlier", Attention::Person, 20);
    make("u0", "uncertain", Attention::UnknownEffect, 900);
    const auto names = [&](std::size_t limit) {
        const auto list = m_store->situations({}, limit);
        std::string text;
        for (const SituationRow& row : list->rows)
            text += row.situation + ' ' + std::to_string(row.count) + ' '
                + std::to_string(static_cast<int>(row.attention)) + ", ";
        return text + "of " + std::to_string(list->total);
    };
    QCOMPARE(names(10), std::string("uncertain 1 1, later 2 3, earlier 1 3, many 3 4, of 4"));
    QCOMPARE(names(2), std::string("uncertain 1 1, later 2 3, of 4"));
    QCOMPARE(m_store->situations({}, 10)->rows[1].example, Writer("p1").run);
}

// One person's, several people's, nobody's; and of the runs that the filter lets through alone.
void ContractTest::situationsSayWhoseTheyAre()
{
    const auto make = [&](const std::string& name, const std::string& situation, const std::string& person) {
        Writer w(name);
        createRun(w, rowIn(w, situation, 10, person));
    };
    make("a0", "alone", "kim");
    make("a1", "alone", "");
    make("a2", "alone", "kim");
    make("b0", "both", "lee");
    make("b1", "both", "Zoe");  // by bytes, whatever the store's language
    make("b2", "both", "kim");
    make("n0", "nobody's", "");
    const auto told = [&](const ListFilter& filter) {
        const auto list = m_store->situations(filter, 10);
        std::string text;
        for (const SituationRow& row : list->rows)
            text += row.situation + ' ' + std::to_string(row.assignedRuns) + " of "
                + std::to_string(row.count) + ' ' + row.assigned + '-' + row.assignedLast + ", ";
        return text;
    };
    QCOMPARE(told({}), std::string("alone 2 of 3 kim-kim, both 3 of 3 Zoe-lee, nobody's 0 of 1 -, "));
    ListTerm term;
    term.assigned = {"kim"};
    QCOMPARE(told({term}), std::string("alone 2 of 2 kim-kim, both 1 of 1 kim-kim, "));
}

void ContractTest::situationsSayWhenTheirRunsCame()
{
    const auto make = [&](const std::string& name, const std::string& situation, TimeMs since) {
        Writer w(name);
        createRun(w, rowIn(w, situation, since));
    };
    make("a0", "a", 999);  // before the first slot
    make("a1", "a", 1000);
    make("a2", "a", 1099);
    make("a3", "a", 1100);
    make("a4", "a", 1450);  // the caller's last slot may be long past
    make("b0", "b", 1200);
    make("c0", "c", 1200);  // not asked about
    make("none", "", 1200);
    const auto told = [&](const ListFilter& filter, const std::vector<std::string>& situations) {
        const auto starts = m_store->situationStarts(filter, situations, 1000, 100);
        std::string text = starts ? std::string() : std::string("not read");
        for (const SituationStarts& one : starts ? *starts : std::vector<SituationStarts>())
            text += one.situation + ' ' + std::to_string(one.slot) + ' ' + std::to_string(one.count) + ", ";
        return text;
    };
    QCOMPARE(told({}, {"b", "a"}), std::string("a 0 2, a 1 1, a 4 1, b 2 1, "));
    QCOMPARE(told({}, {"b", "b", "not there", std::string("no\0text", 7), ""}), std::string("b 2 1, "));
    QCOMPARE(told({}, {}), std::string());
    ListTerm early;
    early.sinceBefore = 1100;
    ListTerm one;
    one.run = Writer("b0").run;
    QCOMPARE(told({early}, {"a", "b"}), std::string("a 0 2, "));
    QCOMPARE(told({early, one}, {"a", "b"}), std::string("a 0 2, b 2 1, "));
    const std::vector<std::string> asked{"a"};
    CAIRN_VERIFY_ERROR(m_store->situationStarts({}, asked, 1000, 0), ErrorKind::InvalidInput);
}

// When they go on by themselves, and what they are runs of.
void ContractTest::situationsSayWhenTheirRunsGoOnAndWhatTheyAre()
{
    const auto make = [&](const std::string& name, const std::string& situation, TimeMs next,
                          const std::string& workflow, const std::string& step) {
        Writer w(name);
        ListRow row = rowIn(w, situation, 10);
        row.nextTime = next;
        row.workflow = workflow;
        row.step = step;
        createRun(w, row);
    };
    make("a0", "a", 999, "order", "price");
    make("a1", "a", 1000, "order", "price");
    make("a2", "a", 1099, "refund", "fetch");
    make("a3", "a", 1450, "order", "look");
    make("a4", "a", kNoTime, "order", "price");
    make("b0", "b", 1000, "refund", "fetch");
    const auto next = [&](const ListFilter& filter, const std::string& situation) {
        const auto slots = m_store->situationNext(filter, situation, 1000, 100);
        std::string text = slots ? std::string() : std::string("not read");
        for (const SituationStarts& one : slots ? *slots : std::vector<SituationStarts>())
            text += one.situation + ' ' + std::to_string(one.slot) + ' ' + std::to_string(one.count) + ", ";
        return text;
    };
    QCOMPARE(next({}, "a"), std::string("a 0 2, a 4 1, "));
    QCOMPARE(next({}, "b"), std::string("b 0 1, "));
    QCOMPARE(next({}, "c"), std::string());
    QCOMPARE(next({}, ""), std::string());
    ListTerm one;
    one.run = Writer("a3").run;
    QCOMPARE(next({one}, "a"), std::string("a 4 1, "));
    CAIRN_VERIFY_ERROR(m_store->situationNext({}, "a", 1000, 0), ErrorKind::InvalidInput);
    const auto parts = [&](const ListFilter& filter, const std::string& situation) {
        const auto all = m_store->situationParts(filter, situation);
        std::string text = all ? std::string() : std::string("not read");
        for (const SituationPart& part : all ? *all : std::vector<SituationPart>())
            text += part.workflow + '/' + part.step + ' ' + std::to_string(part.count) + ", ";
        return text;
    };
    QCOMPARE(parts({}, "a"), std::string("order/look 1, order/price 3, refund/fetch 1, "));
    QCOMPARE(parts({}, "b"), std::string("refund/fetch 1, "));
    QCOMPARE(parts({one}, "a"), std::string("order/look 1, "));
    QCOMPARE(parts({}, ""), std::string());
}

}  // namespace cairn::testing
