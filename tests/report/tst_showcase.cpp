// The showcase: what it promises is there, it is a store like any other, and the same seed gives the same
// one.

#include "core/query/query.h"
#include "core/report/showcase.h"
#include "core/service/service.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/support/cairn_qtest.h"

#include <QTemporaryDir>

#include <algorithm>
#include <map>

using namespace cairn;

class TestShowcase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void itHasWhatItPromises();
    void whatAResourceKeepsWaitingIsOneSituation();
    void thePurchaseHasItsStepsAndDelegations();
    void everyHistoryFolds();
    void theSameSeedGivesTheSame();

private:
    Result<ShowcaseReport> make(const char* name)
    {
        const std::string path = m_folder.filePath(QLatin1String(name)).toStdString();
        InitOptions init;
        init.testClock = true;
        CAIRN_TRY(sqlite::initStore(path, init));
        ShowcaseOptions options;
        options.open = [path] {
            StoreOptions how;
            how.synchronousNormal = true;  // a test's store needs no power cut
            return sqlite::openStore(path, how);
        };
        options.seed = 3;
        auto report = makeShowcase(options);
        CAIRN_TRY_ASSIGN(m_store, sqlite::openStore(path, {}));
        return report;
    }
    std::map<Reason, std::uint64_t> reasons()
    {
        std::map<Reason, std::uint64_t> counts;
        SystemClock clock;
        if (const auto rows = Query(*m_store, clock).counts({}))
            for (const CountRow& row : *rows)
                counts[row.reason] += row.count;
        return counts;
    }
    // How many runs of each workflow there are in each state: which of them are first served hangs on their
    // ids.
    std::map<std::string, int> counted()
    {
        std::map<std::string, int> counts;
        std::optional<PageKey> from;
        do {
            const auto page = m_store->list({}, ListOrder::NewestFirst, from, 500);
            if (!page)
                return {{page.error().text, 1}};
            for (const ListRow& row : page->rows)
                ++counts[row.workflow + " " + std::string(key(row.activity)) + " "
                    + std::string(key(row.reason))];
            from = page->next;
        } while (from);
        return counts;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<StoreWriter> m_store;
    ShowcaseReport m_report;
};

void TestShowcase::initTestCase()
{
    const auto report = make("one.db");
    CAIRN_VERIFY_OK(report);
    m_report = *report;
}

void TestShowcase::itHasWhatItPromises()
{
    const auto counts = reasons();
    const auto of = [&](Reason reason) { return counts.contains(reason) ? counts.at(reason) : 0; };
    QCOMPARE(of(Reason::OutcomeUnknown), std::uint64_t{1});
    QCOMPARE(of(Reason::Approval), std::uint64_t{7});
    QCOMPARE(of(Reason::Paused), std::uint64_t{4});
    QCOMPARE(of(Reason::AttemptsExhausted), std::uint64_t{2});
    QCOMPARE(of(Reason::Incompatible), std::uint64_t{18});
    QCOMPARE(of(Reason::Retry), std::uint64_t{61});
    QCOMPARE(of(Reason::Resource), std::uint64_t{300});
    QCOMPARE(of(Reason::Child), std::uint64_t{49});  // 48 lists, and the file of the supplier
    QCOMPARE(of(Reason::Timer), std::uint64_t{160});
    QCOMPARE(of(Reason::Signal), std::uint64_t{26});
    QCOMPARE(of(Reason::Worker), std::uint64_t{1});
    QCOMPARE(of(Reason::Lease), std::uint64_t{14});
    QCOMPARE(of(Reason::Capacity), std::uint64_t{88});
    QCOMPARE(m_store->info()->clockOffset, SpanMs{0});
    const auto reviews = m_store->reviews(false, 10);
    CAIRN_VERIFY_OK(reviews);
    QCOMPARE(reviews->size(), std::size_t{1});  // by break-glass
}

// Four workflows call the same host: one row, not one for each.
void TestShowcase::whatAResourceKeepsWaitingIsOneSituation()
{
    SystemClock clock;
    Query query(*m_store, clock);
    const auto all = query.situations({}, 100);
    CAIRN_VERIFY_OK(all);
    std::vector<SituationRow> held;
    for (const SituationRow& row : all->rows)
        if (row.reason == Reason::Resource)
            held.push_back(row);
    QCOMPARE(held.size(), std::size_t{1});
    const SituationRow& row = held.front();
    QCOMPARE(row.count, std::uint64_t{300});
    QCOMPARE(row.workflow, std::string());
    QCOMPARE(row.step, std::string());
    std::map<std::string, std::uint64_t> parts;
    for (const SituationPart& part : row.parts)
        parts[part.workflow] += part.count;
    QCOMPARE(parts.size(), std::size_t{4});
    QCOMPARE(parts["order-intake"], std::uint64_t{171});
    QCOMPARE(parts["refund"], std::uint64_t{62});
    // They go on by themselves, each in its second.
    ListTerm members;
    members.situation = {row.situation};
    const auto next = query.situationNext({members}, row.situation, row.nextTime, 1000);
    CAIRN_VERIFY_OK(next);
    std::uint64_t sum = 0;
    for (const SituationStarts& slot : *next)
        sum += slot.count;
    QCOMPARE(sum, std::uint64_t{300});
    // One that waits alone is told as it is.
    ListTerm one = members;
    one.workflow = {"refund"};
    const auto refunds = query.situations({one}, 10);
    CAIRN_VERIFY_OK(refunds);
    QCOMPARE(refunds->rows.size(), std::size_t{1});
    QCOMPARE(refunds->rows.front().workflow, std::string("refund"));
}

void TestShowcase::thePurchaseHasItsStepsAndDelegations()
{
    const auto hot = m_store->hot(m_report.purchase);
    CAIRN_VERIFY_OK(hot);
    const auto children = m_store->children(m_report.purchase);
    CAIRN_VERIFY_OK(children);
    QCOMPARE(children->size(), std::size_t{1});
    const auto below = m_store->children(children->front());
    CAIRN_VERIFY_OK(below);
    QCOMPARE(below->size(), std::size_t{1});
    const auto steps = m_store->steps(m_report.purchase);
    CAIRN_VERIFY_OK(steps);
    QCOMPARE(steps->size(), std::size_t{31});
    std::uint64_t largest = 0;
    for (const StepRow& step : *steps)
        if (!step.output.isNull()) {
            const auto info = m_store->payloadInfo(m_report.purchase, step.output);
            CAIRN_VERIFY_OK(info);
            largest = std::max(largest, info->ref.size);
        }
    QVERIFY2(largest > 20'000'000, std::to_string(largest).c_str());
}

void TestShowcase::everyHistoryFolds()
{
    const auto problems = verifyRun(*m_store, m_report.purchase);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void TestShowcase::theSameSeedGivesTheSame()
{
    const std::map<std::string, int> first = counted();
    QVERIFY(first.size() > 20);
    CAIRN_VERIFY_OK(make("two.db"));
    const std::map<std::string, int> second = counted();
    for (const auto& [what, count] : first)
        QVERIFY2(second.contains(what) && second.at(what) == count, what.c_str());
    QCOMPARE(second.size(), first.size());
}

QTEST_GUILESS_MAIN(TestShowcase)
#include "tst_showcase.moc"
