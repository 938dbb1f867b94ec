#include "tests/store/contract.h"

#include <algorithm>

namespace cairn::testing {

using Kind = MemberResult::Kind;

namespace {

// Rows "r0" to "r7" with different fields, so that each filter has an answer of its own.
ListRow sample(const Writer& w, int i)
{
    ListRow row = w.listRow();
    row.createdAt = 1000 + i;
    row.since = 5000 - 100 * i;
    row.workflow = i % 3 == 0 ? "purchase" : "review";
    row.workflowVersion = static_cast<std::uint32_t>(1 + i % 2);
    row.step = i < 4 ? "quote#" + std::to_string(i) : "pay";
    row.key = i == 2 ? "" : "order " + std::to_string(i);
    switch (i) {
    case 0:
        row.activity = Activity::Completed;
        row.attention = Attention::None;
        break;
    case 1:
        row.activity = Activity::Blocked;
        row.attention = Attention::UnknownEffect;
        row.reason = Reason::OutcomeUnknown;
        break;
    case 2:
        row.activity = Activity::Waiting;
        row.attention = Attention::Person;
        row.reason = Reason::Approval;
        break;
    case 3:
        row.activity = Activity::Waiting;
        row.attention = Attention::Person;
        row.reason = Reason::Approval;
        break;
    case 4:
        row.activity = Activity::Retrying;
        row.attention = Attention::Machine;
        row.reason = Reason::Retry;
        break;
    case 5:
        row.activity = Activity::Blocked;
        row.attention = Attention::Repair;
        row.reason = Reason::AttemptsExhausted;
        break;
    case 6:
        row.activity = Activity::Failed;
        row.attention = Attention::None;
        row.reason = Reason::AttemptsExhausted;
        break;
    default:
        row.activity = Activity::Queued;
        row.attention = Attention::Machine;
        row.reason = Reason::Resource;
        break;
    }
    row.resource = i >= 6 ? "api.example" : "";
    row.error = i == 5 ? "HTTP 503 from 100%_sure.example" : i == 6 ? "exit status 1" : "";
    row.situation = row.reason == Reason::Approval ? "approval/purchase" : i == 5 ? "exhausted" : "";
    row.nextTime = i == 2 ? 900 : i == 3 ? 800 : kNoTime;
    return row;
}

struct Case {
    const char* name;
    void (*set)(ListTerm&);
    const char* wanted;  // digits of the rows, in rising order
};

const Case kCases[] = {
    {"everything", [](ListTerm&) {}, "01234567"},
    {"activity",
        [](ListTerm& t) {
            t.activity = {Activity::Waiting, Activity::Failed};
        },
        "236"},
    {"not activity",
        [](ListTerm& t) {
            t.notActivity = {Activity::Waiting, Activity::Blocked};
        },
        "0467"},
    {"attention", [](ListTerm& t) { t.attention = {Attention::Person}; }, "23"},
    {"not attention",
        [](ListTerm& t) {
            t.notAttention = {Attention::None, Attention::Machine};
        },
        "1235"},
    {"reason",
        [](ListTerm& t) {
            t.reason = {Reason::AttemptsExhausted, Reason::Retry};
        },
        "456"},
    {"not reason",
        [](ListTerm& t) {
            t.notReason = {Reason::None, Reason::Approval};
        },
        "14567"},
    {"no reason", [](ListTerm& t) { t.reason = {Reason::None}; }, "0"},
    {"contradiction",
        [](ListTerm& t) {
            t.activity = {Activity::Waiting};
            t.notActivity = {Activity::Waiting};
        },
        ""},
    {"unfinished", [](ListTerm& t) { t.unfinishedOnly = true; }, "123457"},
    {"unfinished and exhausted",
        [](ListTerm& t) {
            t.unfinishedOnly = true;
            t.reason = {Reason::AttemptsExhausted};
        },
        "5"},
    {"workflow", [](ListTerm& t) { t.workflow = {"purchase"}; }, "036"},
    {"workflow version",
        [](ListTerm& t) {
            t.workflow = {"review@2", "purchase@1"};
        },
        "01567"},
    {"one workflow version", [](ListTerm& t) { t.workflow = {"review@2"}; }, "157"},
    {"workflow and reason",
        [](ListTerm& t) {
            t.workflow = {"purchase"};
            t.reason = {Reason::Approval};
        },
        "3"},
    {"error among the unfinished",
        [](ListTerm& t) {
            t.errorContains = {"exit", "HTTP"};
            t.unfinishedOnly = true;
        },
        "5"},
    {"not workflow",
        [](ListTerm& t) {
            t.notWorkflow = {"review@1", "purchase"};
        },
        "157"},
    {"step", [](ListTerm& t) { t.step = {"pay"}; }, "4567"},
    {"step prefix", [](ListTerm& t) { t.step = {"quote#*"}; }, "0123"},
    {"any step", [](ListTerm& t) { t.step = {"*"}; }, "01234567"},
    {"not step",
        [](ListTerm& t) {
            t.notStep = {"quote#*", "none"};
        },
        "4567"},
    {"situation", [](ListTerm& t) { t.situation = {"approval/purchase"}; }, "23"},
    {"no situation",
        [](ListTerm& t) {
            t.situation = {"", "exhausted"};
        },
        "014567"},
    {"resource",
        [](ListTerm& t) {
            t.resource = {"api.example", "other"};
        },
        "67"},
    {"error",
        [](ListTerm& t) {
            t.errorContains = {"http 503", "none"};
        },
        "5"},
    {"error with wildcards", [](ListTerm& t) { t.errorContains = {"100%_sure"}; }, "5"},
    {"wildcard is a letter", [](ListTerm& t) { t.errorContains = {"100%xsure"}; }, ""},
    {"key", [](ListTerm& t) { t.key = {"order 4"}; }, "4"},
    {"key prefix", [](ListTerm& t) { t.key = {"order*"}; }, "0134567"},
    {"no key", [](ListTerm& t) { t.key = {""}; }, "2"},
    {"any key", [](ListTerm& t) { t.key = {"*"}; }, "01234567"},
    {"parent", [](ListTerm& t) { t.parent = Writer("r1").run; }, "4"},
    {"root", [](ListTerm& t) { t.root = Writer("r1").run; }, "14"},
    {"run", [](ListTerm& t) { t.run = Writer("r3").run; }, "3"},
    {"roots only", [](ListTerm& t) { t.rootsOnly = true; }, "0123567"},
    {"since before", [](ListTerm& t) { t.sinceBefore = 4700; }, "4567"},
    {"since after", [](ListTerm& t) { t.sinceAfter = 4700; }, "0123"},
    {"created between",
        [](ListTerm& t) {
            t.createdAfter = 1002;
            t.createdBefore = 1005;
        },
        "234"},
    {"attribute",
        [](ListTerm& t) {
            t.attributes = {{"order", "PO-3"}};
        },
        "3"},
    {"two attributes",
        [](ListTerm& t) {
            t.attributes = {{"order", "PO-3"}, {"region", "EU"}};
        },
        "3"},
    {"attribute of another value",
        [](ListTerm& t) {
            t.attributes = {{"order", "PO-3"}, {"region", "US"}};
        },
        ""},
    {"hostile text",
        [](ListTerm& t) {
            t.step = {"' OR 1=1 --"};
            t.workflow = {"x\"; DROP TABLE runs"};
        },
        ""},
    {"all at once",
        [](ListTerm& t) {
            t.activity = {Activity::Waiting};
            t.reason = {Reason::Approval};
            t.step = {"quote#3"};
            t.workflow = {"purchase"};
            t.rootsOnly = true;
        },
        "3"},
};

std::string digits(std::vector<ListRow> rows)
{
    std::sort(
        rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.createdAt < b.createdAt; });
    std::string out;
    for (const ListRow& row : rows)
        out += static_cast<char>('0' + (row.createdAt - 1000));
    return out;
}

}  // namespace

#define CAIRN_MAKE_SAMPLES() \
    for (int i = 0; i < 8; ++i) { \
        Writer w("r" + std::to_string(i)); \
        ListRow row = sample(w, i); \
        if (i == 4) \
            row.parent = row.root = Writer("r1").run; \
        CommitMember member = w.create(); \
        member.identity->parent.run = row.parent; \
        member.attributes = {{"order", "text", "PO-" + std::to_string(i), 0}, {"region", "text", "EU", 0}}; \
        member.list = row; \
        QVERIFY(commitOne(member).kind == Kind::Committed); \
    }

void ContractTest::filters_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i)
        QTest::newRow(kCases[i].name) << i;
}

void ContractTest::filters()
{
    QFETCH(int, index);
    CAIRN_MAKE_SAMPLES()
    ListTerm term;
    kCases[index].set(term);
    const std::string wanted = kCases[index].wanted;
    for (const ListOrder order : {ListOrder::NewestFirst, ListOrder::AttentionThenOldest}) {
        const auto page = m_store->list({term}, order, std::nullopt, 100);
        CAIRN_VERIFY_OK(page);
        QCOMPARE(digits(page->rows), wanted);
    }
    QCOMPARE(*m_store->count({term}), std::uint64_t{wanted.size()});
    const auto counts = m_store->counts({term});
    CAIRN_VERIFY_OK(counts);
    std::uint64_t sum = 0;
    for (const CountRow& row : *counts)
        sum += row.count;
    QCOMPARE(sum, std::uint64_t{wanted.size()});
    const auto situations = m_store->situations({term}, 10);
    CAIRN_VERIFY_OK(situations);
    std::uint64_t waiting = 0;
    for (const SituationRow& row : situations->rows)
        waiting += row.count;
    QCOMPARE(waiting, std::uint64_t(std::count_if(wanted.begin(), wanted.end(), [](char c) {
        return c == '2' || c == '3' || c == '5';
    })));
}

void ContractTest::whoWorksAndWhoActedAndWhatIsAtStake()
{
    const SessionId one = open("one"), two = open("two");
    const auto make = [&](const std::string& name, const SessionId& owner, const SessionId& attempt,
                          TimeMs ended, const std::string& worker, Money amount) {
        Writer w(name, owner);
        CommitMember member = w.create();
        member.list = w.listRow();
        member.list->createdAt = 1000 + name.back() - '0';
        member.list->amount = std::move(amount);
        AttemptRow row = attemptRow(name, 0, 1, attempt);
        row.worker = worker;
        row.endedAt = ended;
        member.attempts = {row};
        QVERIFY(commitOne(member).kind == Kind::Committed);
    };
    make("r0", one, one, kNoTime, "", {400'000'000, "EUR"});
    make("r1", two, two, kNoTime, "", {500'000'000, "EUR"});
    make("r2", {}, {}, kNoTime, "w-17", {900'000'000, "USD"});
    make("r3", one, one, 7, "w-17", {});  // its attempt has ended
    const auto act = [&](const char* run, const char* kind, const char* actor) {
        AuditRow row;
        row.time = 5;
        row.kind = kind;
        row.verb = Verb::Pause;
        row.actor = actor;
        row.run = Writer(run).run;
        row.command = idOf<CommandId>(std::string(run) + kind + actor);
        QVERIFY(m_store->appendAudit(row));
    };
    act("r0", "applied", "kim");
    act("r1", "refused", "kim");  // did not touch it
    act("r2", "applied", "lee");
    const auto found = [&](const std::function<void(ListTerm&)>& set) {
        ListTerm term;
        set(term);
        const auto page = m_store->list({term}, ListOrder::NewestFirst, std::nullopt, 10);
        const auto count = m_store->count({term});
        return page && count && *count == page->rows.size() ? digits(page->rows) : std::string("?");
    };
    QCOMPARE(found([](ListTerm& t) { t.worker = {"one"}; }), std::string("03"));
    QCOMPARE(found([](ListTerm& t) { t.worker = {"two", "w-17"}; }), std::string("12"));
    QCOMPARE(found([](ListTerm& t) { t.worker = {"' OR 1=1 --"}; }), std::string());
    QCOMPARE(found([](ListTerm& t) { t.touchedBy = {"kim"}; }), std::string("0"));
    QCOMPARE(found([](ListTerm& t) { t.touchedBy = {"kim", "lee"}; }), std::string("02"));
    QCOMPARE(found([](ListTerm& t) { t.amountAbove = 400'000'000; }), std::string("12"));
    QCOMPARE(found([](ListTerm& t) { t.amountBelow = 900'000'000; }), std::string("01"));
    QCOMPARE(found([](ListTerm& t) {
        t.amountAbove = 400'000'000;
        t.currency = "EUR";
    }),
        std::string("1"));
    QCOMPARE(found([](ListTerm& t) { t.currency = "USD"; }), std::string("2"));
    // An attempt under way by a session that does not live; an outside worker's has none.
    QCOMPARE(found([&](ListTerm& t) { t.lost = {{one}}; }), std::string("1"));
    QCOMPARE(found([&](ListTerm& t) { t.lost = std::vector<SessionId>{}; }), std::string("01"));
    QCOMPARE(found([&](ListTerm& t) { t.lost = {{one, two}}; }), std::string());
    QCOMPARE(found([&](ListTerm& t) { t.notLost = {{one}}; }), std::string("023"));
}

void ContractTest::whatIsHeldAndWhoseItIs()
{
    const auto make = [&](const std::string& name, TimeMs heldUntil, const std::string& assigned) {
        Writer w(name);
        CommitMember member = w.create();
        member.list = w.listRow();
        member.list->createdAt = 1000 + name.back() - '0';
        member.list->heldUntil = heldUntil;
        member.list->assigned = assigned;
        QVERIFY(commitOne(member).kind == Kind::Committed);
    };
    make("r0", kNoTime, "");
    make("r1", kForever, "kim");
    make("r2", 5'000, "lee");
    make("r3", 4'000, "kim");
    const auto found = [&](const std::function<void(ListTerm&)>& set) {
        ListTerm term;
        set(term);
        const auto page = m_store->list({term}, ListOrder::NewestFirst, std::nullopt, 10);
        const auto count = m_store->count({term});
        return page && count && *count == page->rows.size() ? digits(page->rows) : std::string("?");
    };
    QCOMPARE(found([](ListTerm& t) { t.heldAt = 4'500; }), std::string("12"));
    QCOMPARE(found([](ListTerm& t) { t.heldAt = 4'000; }), std::string("12"));  // a hold ends at its time
    QCOMPARE(found([](ListTerm& t) { t.notHeldAt = 4'000; }), std::string("03"));
    QCOMPARE(found([](ListTerm& t) { t.assigned = {"kim"}; }), std::string("13"));
    QCOMPARE(found([](ListTerm& t) { t.assigned = {"", "lee"}; }), std::string("02"));
    QCOMPARE(found([](ListTerm& t) { t.notAssigned = {"kim"}; }), std::string("02"));
    QCOMPARE(found([](ListTerm& t) { t.notAssigned = {""}; }), std::string("123"));
    QCOMPARE(found([](ListTerm& t) {
        t.heldAt = 4'500;
        t.assigned = {"' OR 1=1 --", "kim"};
    }),
        std::string("1"));
    const std::vector<RunId> runs{Writer("r1").run};
    const auto rows = m_store->listRows(runs);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->front().heldUntil, kForever);
    QCOMPARE(rows->front().assigned, std::string("kim"));
}

void ContractTest::severalTermsAreAlternatives()
{
    CAIRN_MAKE_SAMPLES()
    ListTerm a, b;
    a.reason = {Reason::Retry};
    b.workflow = {"purchase"};
    b.unfinishedOnly = true;
    QCOMPARE(
        digits(m_store->list({a, b}, ListOrder::NewestFirst, std::nullopt, 100)->rows), std::string("34"));
    QCOMPARE(*m_store->count({a, b}), std::uint64_t{2});
    QCOMPARE(*m_store->count({}), std::uint64_t{8});
}

void ContractTest::pagesAreStableUnderInserts_data()
{
    QTest::addColumn<bool>("newest");
    QTest::newRow("newest first") << true;
    QTest::newRow("attention, then oldest") << false;
}

void ContractTest::pagesAreStableUnderInserts()
{
    QFETCH(bool, newest);
    const ListOrder order = newest ? ListOrder::NewestFirst : ListOrder::AttentionThenOldest;
    const auto make = [&](const std::string& name, TimeMs created, Attention attention, TimeMs since) {
        Writer w(name);
        ListRow row = w.listRow();
        row.createdAt = created;
        row.attention = attention;
        row.since = since;
        createRun(w, row);
    };
    for (int i = 0; i < 30; ++i)  // equal times: the id decides
        make("p" + std::to_string(i), 1000 + i / 5, i % 2 == 0 ? Attention::Person : Attention::Machine,
            100 + i / 7);
    const auto whole = m_store->list({}, order, std::nullopt, 100);
    QCOMPARE(whole->rows.size(), std::size_t{30});
    QVERIFY(!whole->next);
    std::vector<RunId> wanted, seen;
    for (const ListRow& row : whole->rows)
        wanted.push_back(row.run);
    std::optional<PageKey> after;
    int pages = 0;
    do {
        const auto page = m_store->list({}, order, after, 7);
        CAIRN_VERIFY_OK(page);
        for (const ListRow& row : page->rows)
            seen.push_back(row.run);
        after = page->next;
        // New rows before the present place must not shift the pages that follow.
        make("new" + std::to_string(pages), 9000 + pages, Attention::UnknownEffect, 1);
        ++pages;
    } while (after);
    QCOMPARE(pages, 5);
    QVERIFY(seen == wanted);
    for (std::size_t i = 1; i < whole->rows.size(); ++i) {
        const ListRow &a = whole->rows[i - 1], &b = whole->rows[i];
        QVERIFY(newest ? std::tie(a.createdAt, a.run) > std::tie(b.createdAt, b.run)
                       : std::tie(a.attention, a.since, a.run) < std::tie(b.attention, b.since, b.run));
    }
}

void ContractTest::countsAreGrouped()
{
    CAIRN_MAKE_SAMPLES()
    const auto rows = m_store->counts({});
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{7});
    const CountRow& person = (*rows)[2];
    QCOMPARE(person.attention, Attention::Person);
    QCOMPARE(person.activity, Activity::Waiting);
    QCOMPARE(person.reason, Reason::Approval);
    QCOMPARE(person.count, std::uint64_t{2});
    QCOMPARE(person.oldest, TimeMs{4700});
    QCOMPARE(rows->front().attention, Attention::UnknownEffect);
    QCOMPARE(rows->back().attention, Attention::None);
}

void ContractTest::situationsAreGrouped()
{
    CAIRN_MAKE_SAMPLES()
    const auto rows = m_store->situations({}, 10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->total, std::uint64_t{2});
    QCOMPARE(rows->rows.size(), std::size_t{2});
    QCOMPARE(rows->rows[0].situation, std::string("exhausted"));
    QCOMPARE(rows->rows[0].error, std::string("HTTP 503 from 100%_sure.example"));
    const SituationRow& s = rows->rows[1];
    QCOMPARE(s.situation, std::string("approval/purchase"));
    QCOMPARE(s.count, std::uint64_t{2});
    QCOMPARE(s.reason, Reason::Approval);
    QCOMPARE(s.attention, Attention::Person);
    QCOMPARE(s.oldest, TimeMs{4700});
    QCOMPARE(s.nextTime, TimeMs{800});
    QCOMPARE(s.example, Writer("r3").run);
    QCOMPARE(s.step, std::string("quote#3"));
    QCOMPARE(s.workflow, std::string("purchase"));
    QCOMPARE(s.workflowVersion, 2U);
}

void ContractTest::theCursorGivesEachChangeOnce()
{
    auto changes = m_store->changesSince(0, 10);
    CAIRN_VERIFY_OK(changes);
    QVERIFY(changes->rows.empty());
    QVERIFY2(changes->cursor != 0, "a cursor of an empty store must not mean 'from now on' again");
    Writer a("a"), b("b");
    for (Writer* w : {&a, &b})
        createRun(*w, w->listRow());
    auto next = m_store->changesSince(changes->cursor, 10);
    QCOMPARE(next->rows.size(), std::size_t{2});
    QCOMPARE(next->rows[0].run, a.run);
    QVERIFY(!next->more);
    QVERIFY(m_store->changesSince(next->cursor, 10)->rows.empty());
    CommitMember silent = a.next("no list row");
    QVERIFY(commitOne(silent).kind == Kind::Committed);
    a.committed(silent);
    QVERIFY(m_store->changesSince(next->cursor, 10)->rows.empty());
    CommitMember change = a.next("x");
    change.list = a.listRow();
    change.list->stepsDone = 1;
    QVERIFY(commitOne(change).kind == Kind::Committed);
    const auto last = m_store->changesSince(next->cursor, 10);
    QCOMPARE(last->rows.size(), std::size_t{1});
    QCOMPARE(last->rows[0].stepsDone, 1U);
    QVERIFY(last->cursor > next->cursor);
    QCOMPARE(m_store->changesSince(0, 10)->cursor, last->cursor);
}

void ContractTest::theCursorCanBeReadInParts()
{
    const std::uint64_t start = m_store->changesSince(0, 1)->cursor;
    for (int i = 0; i < 7; ++i) {
        Writer w(std::to_string(i));
        createRun(w, w.listRow());
    }
    std::uint64_t cursor = start;
    std::size_t seen = 0;
    for (const std::size_t wanted : {3U, 3U, 1U}) {
        const auto part = m_store->changesSince(cursor, 3);
        QCOMPARE(part->rows.size(), wanted);
        QCOMPARE(part->more, seen + wanted < 7);
        seen += wanted;
        cursor = part->cursor;
    }
}

void ContractTest::idPrefixesFindRuns()
{
    std::vector<Writer> writers;
    for (const char* name : {"a", "b", "c"}) {
        writers.emplace_back(name);
        const CommitMember member = writers.back().create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
    }
    const std::string text = toText(writers[1].run);
    for (const std::size_t length : {36U, 20U, 13U, 9U}) {
        const auto found = m_store->findRuns(text.substr(0, length), 10);
        CAIRN_VERIFY_OK(found);
        QVERIFY(*found == std::vector<RunId>{writers[1].run});
    }
    std::string undashed = text;
    std::erase(undashed, '-');
    QVERIFY(*m_store->findRuns(undashed.substr(0, 11), 10) == std::vector<RunId>{writers[1].run});
    QCOMPARE(m_store->findRuns("", 10)->size(), std::size_t{3});
    QCOMPARE(m_store->findRuns("", 2)->size(), std::size_t{2});
    QVERIFY(m_store->findRuns("xyz", 10)->empty());
    QVERIFY(m_store->findRuns(undashed + "0", 10)->empty());
}

void ContractTest::childrenAreFound()
{
    Writer parent("parent"), one("one"), two("two");
    createRun(parent, parent.listRow());
    for (Writer* w : {&one, &two}) {
        ListRow row = w->listRow();
        row.parent = row.root = parent.run;
        createRun(*w, row);
    }
    std::vector<RunId> wanted{one.run, two.run};
    std::sort(wanted.begin(), wanted.end());
    QVERIFY(*m_store->children(parent.run) == wanted);
    QVERIFY(m_store->children(one.run)->empty());
}

}  // namespace cairn::testing
