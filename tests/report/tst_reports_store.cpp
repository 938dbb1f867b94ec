// Reports from a store: what a dead engine left, what was cancelled, and that reading stays within its
// bounds.

#include "core/query/query.h"
#include "core/report/estimate.h"
#include "tests/service/harness.h"

#include <QtTest/QtTest>

using namespace cairn;
using namespace cairn::testing;

namespace {

const std::string kTwo = R"({"name":"first","tool":"look","input":{"$from":"input"}},
{"name":"second","tool":"note","after":["first"],"input":{"$from":"first"}})";

constexpr SpanMs kDay = 86'400'000;

// Counts what is read together; tells of one run, or of groups, that they are not there.
class Watched final : public ClockedReader {
public:
    using ClockedReader::ClockedReader;
    Result<LoadedRun> loadRun(const RunId& run, std::uint64_t from, std::uint64_t to) override
    {
        if (run == missing)
            return makeError(ErrorKind::NotFound, "removed meanwhile");
        largestPart = std::max(largestPart, to - from + 1);
        return ClockedReader::loadRun(run, from, to);
    }
    Result<std::vector<WholeRun>> wholeRuns(std::span<const RunId> runs, const RunParts& parts) override
    {
        largestGroup = std::max(largestGroup, runs.size());
        return StoreReader::wholeRuns(runs, parts);
    }
    RunId missing;
    std::size_t largestGroup = 0;
    std::uint64_t largestPart = 0;
};

}  // namespace

class TestReportsStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void whatADeadEngineLeftIsKept();
    void whatWasCancelledIsLost();
    void aStoreIsMeasured();
    void readingStaysWithinItsBounds();

private:
    static std::function<Result<RunPage>(const std::optional<PageKey>&)> pages(
        StoreReader& store, std::size_t limit = 50)
    {
        return [&store, limit](const std::optional<PageKey>& after) {
            return store.list({}, ListOrder::NewestFirst, after, limit);
        };
    }
};

void TestReportsStore::whatADeadEngineLeftIsKept()
{
    World w;
    w.add(workflowText("two", kTwo));
    auto first = w.engine();
    const RunId run = first->submitAndWait(World::start(*first, "two", "{}")).run;
    QVERIFY(
        first->submitAndWait(
                 World::complete(*first, run, World::attemptOf(*first->state(run), "first"), "{}"))
            .ok());
    const SessionId dead = w.session;
    QVERIFY(*w.writer->endSession(dead, w.clock.wallMs(), kNoTime));
    auto second = w.engine();
    second->setSessionEnded([dead](const SessionId& id) { return id == dead; });
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        second->own(c);
    QVERIFY(second->submitAndWait(World::command(run, cmd::Recover{})).ok());
    const TimeMs until = w.clock.wallMs() + kDay;
    const auto report = durabilityOf(*w.store, pages(*w.store), kNoTime, until);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->runs, std::uint64_t(1));
    QCOMPARE(report->open, std::uint64_t(1));
    QCOMPARE(report->work.interruptions, std::uint64_t(1));
    QCOMPARE(report->interrupted, std::uint64_t(1));
    QCOMPARE(report->work.keptSteps, std::uint64_t(1));
    QCOMPARE(report->work.kept.calls, std::int64_t(1));
    QCOMPARE(report->work.again.calls, std::int64_t(1));
    QCOMPARE(report->month.calls, std::int64_t(30));  // one a day
    // Before it began there was nothing.
    const auto before = durabilityOf(*w.store, pages(*w.store), kNoTime, report->since);
    CAIRN_VERIFY_OK(before);
    QCOMPARE(before->runs, std::uint64_t(0));
}

void TestReportsStore::whatWasCancelledIsLost()
{
    World w;
    w.add(workflowText("two", kTwo));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    const Outcome cancelled = w.service->submitAndWait(World::act(run, cmd::Cancel{}));
    QVERIFY2(cancelled.ok(), told(cancelled).c_str());
    const auto report = durabilityOf(*w.store, pages(*w.store), kNoTime, w.clock.wallMs() + kDay);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->endedWithout, std::uint64_t(1));
    QCOMPARE(report->ended.at(Activity::Cancelled), std::uint64_t(1));
    QCOMPARE(report->open, std::uint64_t(0));
    QVERIFY(report->lost == Spent{});  // nothing had begun
    QCOMPARE(report->longest->id, toText(run));
}

void TestReportsStore::aStoreIsMeasured()
{
    World w;
    w.add(workflowText("two", kTwo));
    const std::string input = R"({"text":"exactly so many bytes"})";
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", input)).run;
    const auto measure = measureStore(*w.store, pages(*w.store));
    CAIRN_VERIFY_OK(measure);
    QCOMPARE(measure->runs, std::uint64_t(1));
    QCOMPARE(measure->ended, std::uint64_t(0));
    QCOMPARE(measure->steps, std::uint64_t(2));
    const auto loaded = w.store->loadRun(run, 1, 0);
    CAIRN_VERIFY_OK(loaded);
    QCOMPARE(measure->entries, std::uint64_t(loaded->entries.size()));
    std::size_t bytes = 0;
    for (const SealedEntry& sealed : loaded->entries)
        bytes += sealed.body.size();
    QCOMPARE(measure->entryBytes, static_cast<std::int64_t>(bytes));
    // The run's input, and what the first step was given of it; each counts once.
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(measure->payloadBytes >= static_cast<std::int64_t>(input.size()));
    QVERIFY(measure->payloadBytes <= static_cast<std::int64_t>(2 * input.size()));
    QVERIFY(measure->bytesPerStep() > 0);
}

void TestReportsStore::readingStaysWithinItsBounds()
{
    World w;
    w.add(workflowText("two", kTwo));
    std::vector<RunId> runs;
    for (int i = 0; i < 150; ++i)
        runs.push_back(w.service->submitAndWait(World::start(*w.service, "two", "{}")).run);
    Watched reader(*w.connection, w.clock);
    const auto all = measureStore(reader, pages(reader));
    CAIRN_VERIFY_OK(all);
    QCOMPARE(all->runs, std::uint64_t(150));
    QCOMPARE(reader.largestGroup, kWalkRuns);
    // A run that is removed meanwhile is counted as such, and the others of its group are read.
    reader.missing = runs[70];
    const auto report = durabilityOf(reader, pages(reader), kNoTime, w.clock.wallMs() + kDay);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->runs, std::uint64_t(149));
    QCOMPARE(report->gone, std::uint64_t(1));
    QVERIFY(reader.largestPart <= kWalkEntries);
}

QTEST_APPLESS_MAIN(TestReportsStore)
#include "tst_reports_store.moc"
