// Figures of durability, by hand-made histories and logs: exact values.

#include "core/base/text.h"
#include "core/report/durability.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

#include <limits>
#include <sstream>

using namespace cairn;

namespace {

constexpr std::int64_t kEuro = 1'000'000;

RunId runId(const char* name) { return deriveId<RunId>("test", name); }
SessionId sessionId(const char* name) { return deriveId<SessionId>("test", name); }
AttemptId attempt(const char* name) { return deriveId<AttemptId>("test", name); }

StepAdded added(const char* id, ReplaySafety safety, StepIx undoOf = kNoStep)
{
    StepAdded fact;
    fact.id = fact.name = id;
    fact.safety = safety;
    fact.undoOf = undoOf;
    return fact;
}
AttemptStarted begins(StepIx step, const char* name, const char* session)
{
    AttemptStarted fact;
    fact.step = step;
    fact.attempt = attempt(name);
    fact.session = session ? sessionId(session) : SessionId{};
    return fact;
}
AttemptEnded ends(StepIx step, const char* name, AttemptEnd how, std::vector<Usage> used = {})
{
    AttemptEnded fact;
    fact.step = step;
    fact.attempt = attempt(name);
    fact.how = how;
    fact.used = std::move(used);
    return fact;
}
StepCompleted done(StepIx step)
{
    StepCompleted fact;
    fact.step = step;
    return fact;
}

// A history of one run; each entry has its time.
class History {
public:
    History& at(TimeMs time, std::vector<Fact> facts)
    {
        Entry entry;
        entry.version = m_entries.size() + 1;
        entry.time = time;
        entry.facts = std::move(facts);
        m_entries.push_back(std::move(entry));
        return *this;
    }
    [[nodiscard]] RunWork work(TimeMs since = 0, TimeMs until = 10'000, TimeMs firstEnded = kNoTime) const
    {
        RunTally tally(since, until, [&](const SessionId& session, TimeMs by) {
            return firstEnded != kNoTime && session == sessionId("s1") && firstEnded <= by;
        });
        for (const Entry& entry : m_entries)
            tally.add(entry);
        return tally.work();
    }

private:
    std::vector<Entry> m_entries;
};

// A step that reads, then one that pays.
History begun()
{
    History h;
    h.at(0,
        {added("look", ReplaySafety::ReadOnly), added("pay", ReplaySafety::Irreversible),
            begins(0, "a", "s1")});
    return h;
}

LogReport logOf(const std::string& text, const std::optional<Money>& engine = std::nullopt)
{
    std::istringstream in(text);
    return readLog(in, "EUR", engine);
}

std::string line(const char* id, const char* from, const char* to, const char* outcome, const char* calls,
    const char* cost)
{
    return std::string(R"({"id":")") + id + R"(","started":"2026-11-)" + from + R"(","ended":"2026-11-)" + to
        + R"(","outcome":")" + outcome + R"(","calls":)" + calls + R"(,"tokens":1000,"cost":)" + cost + "}\n";
}

}  // namespace

class TestDurability : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void amountsAreScaledExactly();
    void aDeadEnginesRunKeepsWhatWasRecorded();
    void anotherEngineAfterAnEndIsAnInterruption();
    void onlyThePeriodCounts();
    void aWorkerOutsideIsNoEngine();
    void anUndoneEffectIsNotLeft();
    void sumsOfAStoreAreExact();
    void aStoreSaysWhenNoEngineIsNeeded();
    void aLogLineIsReadExactly();
    void badLinesAreNamedByNumber_data();
    void badLinesAreNamedByNumber();
    void aLogTellsTheBreakEven();
    void aLogSaysWhenNoEngineIsNeeded();
};

void TestDurability::amountsAreScaledExactly()
{
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(scaled(7, 1, 2), std::int64_t(4));
    QCOMPARE(scaled(-7, 1, 2), std::int64_t(-4));
    QCOMPARE(scaled(10, 1, 3), std::int64_t(3));
    QCOMPARE(scaled(kMax, 1'000'000, 1'000'000), kMax);  // no overflow on the way
    QCOMPARE(scaled(kMax, 2, 1), kMax);
    QCOMPARE(scaled(5, 1, 0), std::int64_t(0));
    Spent spent;
    spent.use("EUR", kMax);
    spent.use("EUR", 1);
    QCOMPARE(spent.used["EUR"], kMax);
    QCOMPARE(spentText({2, 1'500, {{"EUR", 4'100'000}, {"tokens", 12'340}}}),
        std::string("2 calls, 1.5 s of work, 4.10 EUR, 12 340 tokens"));
    QCOMPARE(spentText({}), std::string("nothing"));
}

void TestDurability::aDeadEnginesRunKeepsWhatWasRecorded()
{
    const RunWork work =
        begun()
            .at(100, {ends(0, "a", AttemptEnd::Completed, {{"tokens", 50}}), done(0), begins(1, "b", "s1")})
            .at(200, {ends(1, "b", AttemptEnd::OwnerLost, {{"tokens", 9}})})
            .at(300, {begins(1, "c", "s2")})
            .at(450, {ends(1, "c", AttemptEnd::Completed, {{"EUR", 2 * kEuro}}), done(1)})
            .work();
    QVERIFY(work.spent == (Spent{3, 350, {{"tokens", 59}, {"EUR", 2 * kEuro}}}));
    QVERIFY(work.again == (Spent{1, 100, {{"tokens", 9}}}));
    QVERIFY(work.kept == (Spent{1, 100, {{"tokens", 50}}}));
    QCOMPARE(work.interruptions, std::uint64_t(1));
    QCOMPARE(work.keptSteps, std::uint64_t(1));
    QCOMPARE(work.keptEffects, std::uint64_t(0));
    QCOMPARE(work.handedOver, std::uint64_t(0));
    QCOMPARE(work.effects, std::uint64_t(1));
}

void TestDurability::anotherEngineAfterAnEndIsAnInterruption()
{
    History h = begun();
    h.at(100, {ends(0, "a", AttemptEnd::Completed, {{"tokens", 50}}), done(0)});
    h.at(300, {begins(1, "b", "s2")});
    QCOMPARE(h.work(0, 10'000, 250).interruptions, std::uint64_t(1));
    QVERIFY(h.work(0, 10'000, 250).kept == (Spent{1, 100, {{"tokens", 50}}}));
    for (const TimeMs ended : {TimeMs{301}, kNoTime}) {  // it lived on, or nobody knows
        QCOMPARE(h.work(0, 10'000, ended).interruptions, std::uint64_t(0));
        QCOMPARE(h.work(0, 10'000, ended).handedOver, std::uint64_t(1));
        QVERIFY(h.work(0, 10'000, ended).kept == Spent{});
    }
}

void TestDurability::onlyThePeriodCounts()
{
    History h = begun();
    h.at(100, {ends(0, "a", AttemptEnd::Completed), done(0), begins(1, "b", "s1")});
    h.at(200, {ends(1, "b", AttemptEnd::OwnerLost)});
    QCOMPARE(h.work(200, 201).interruptions, std::uint64_t(1));
    QCOMPARE(h.work(201, 300).interruptions, std::uint64_t(0));
    QCOMPARE(h.work(0, 200).interruptions, std::uint64_t(0));
    QCOMPARE(h.work(201, 300).spent.calls, std::int64_t(2));
}

void TestDurability::aWorkerOutsideIsNoEngine()
{
    History h;
    h.at(0, {added("look", ReplaySafety::ReadOnly), begins(0, "a", nullptr)});
    h.at(200, {ends(0, "a", AttemptEnd::OwnerLost)});
    QCOMPARE(h.work().interruptions, std::uint64_t(0));
    QVERIFY(h.work().again == Spent{});
    QVERIFY(h.work().spent == (Spent{1, 200, {}}));
}

void TestDurability::anUndoneEffectIsNotLeft()
{
    History h = begun();
    h.at(100, {ends(0, "a", AttemptEnd::Completed), done(0), begins(1, "b", "s1")});
    h.at(200, {ends(1, "b", AttemptEnd::Completed), done(1)});
    QCOMPARE(h.work().effects, std::uint64_t(1));
    h.at(300, {added("undo:pay", ReplaySafety::Irreversible, 1), begins(2, "u", "s1")});
    h.at(400, {ends(2, "u", AttemptEnd::Completed), done(2)});
    QCOMPARE(h.work().effects, std::uint64_t(0));
}

void TestDurability::sumsOfAStoreAreExact()
{
    constexpr SpanMs kDay = 86'400'000;
    DurabilitySums sums(kNoTime, 13 * kDay);
    const auto row = [&](const char* name, Activity activity, TimeMs from, TimeMs to) {
        ListRow out;
        out.run = runId(name);
        out.activity = activity;
        out.createdAt = from;
        out.endedAt = to;
        return out;
    };
    QVERIFY(!sums.wants(row("late", Activity::Queued, 13 * kDay, kNoTime)));
    RunWork kept;
    kept.interruptions = 2;
    kept.kept = {4, 0, {{"EUR", 3 * kEuro}}};
    kept.keptEffects = 2;
    sums.add(row("a", Activity::Completed, 3 * kDay, 5 * kDay), kept);
    RunWork failed;
    failed.spent = {7, 0, {{"EUR", kEuro}}};
    failed.effects = 1;
    sums.add(row("b", Activity::Failed, 4 * kDay, 9 * kDay), failed);
    sums.add(row("c", Activity::Executing, 8 * kDay, kNoTime), {});
    const DurabilityReport report = sums.report(0);
    QCOMPARE(report.since, 3 * kDay);
    QCOMPARE(report.runs, std::uint64_t(3));
    QCOMPARE(report.open, std::uint64_t(1));
    QCOMPARE(report.endedWithout, std::uint64_t(1));
    QVERIFY(report.lost == failed.spent);
    QCOMPARE(report.effectsLeft, std::uint64_t(1));
    QCOMPARE(report.longest->id, toText(runId("b")));
    QCOMPARE(report.longest->took, 5 * kDay);
    QCOMPARE(report.interrupted, std::uint64_t(1));
    QCOMPARE(report.resumed, std::uint64_t(1));
    QVERIFY(report.month == (Spent{12, 0, {{"EUR", 9 * kEuro}}}));  // ten days, times three
    QCOMPARE(report.monthEffects, std::int64_t(6));
    QCOMPARE(report.formulas.size(), std::size_t(4));
    QCOMPARE(report.formulas.back().name, std::string("break_even"));
    QCOMPARE(report.formulas.back().text, std::string("9.00 EUR a month"));
    // Two effects would have come twice: then the money is not the question.
    QVERIFY(report.needed);
    QCOMPARE(report.verdict,
        std::string(
            "an engine is needed, whatever it costs: without its record 6 effects a month would be done "
            "twice"));
    // 9.00 a month, 1.50 for each interruption: six of them.
    QCOMPARE(sums.report(0, Money{9 * kEuro, "EUR"}).formulas.back().text,
        std::string("9.00 EUR / 1.50 EUR = 6 interruptions a month; there are 6"));
    // From a day on: what had ended before is not asked for, and counts nowhere.
    DurabilitySums later(6 * kDay, 13 * kDay);
    QVERIFY(!later.wants(row("a", Activity::Completed, 3 * kDay, 5 * kDay)));
    QVERIFY(later.wants(row("b", Activity::Failed, 4 * kDay, 9 * kDay)));
    QVERIFY(DurabilitySums(kNoTime, kDay).report(0).formulas.empty());  // no run, no arithmetic
}

void TestDurability::aStoreSaysWhenNoEngineIsNeeded()
{
    constexpr SpanMs kDay = 86'400'000;
    ListRow row;
    row.run = runId("a");
    row.activity = Activity::Completed;
    row.createdAt = kDay;
    row.endedAt = 2 * kDay;
    const auto reportOf = [&](const RunWork& work, const std::optional<Money>& engine) {
        DurabilitySums sums(kDay, 11 * kDay);
        sums.add(row, work);
        return sums.report(0, engine);
    };
    const auto none = DurabilitySums(0, 10 * kDay).report(0);
    QVERIFY(!none.needed);
    QCOMPARE(none.verdict, std::string("there is no run in this period: nothing can be said"));
    RunWork work;
    work.spent = {9, 0, {{"EUR", 50 * kEuro}}};
    QVERIFY(!reportOf(work, std::nullopt).needed);
    QVERIFY2(reportOf(work, std::nullopt).verdict.starts_with("no engine was needed: none was gone"),
        reportOf(work, std::nullopt).verdict.c_str());
    work.interruptions = 1;
    QVERIFY2(reportOf(work, std::nullopt).verdict.find("had recorded nothing by then") != std::string::npos,
        reportOf(work, std::nullopt).verdict.c_str());
    work.kept = {4, 0, {{"EUR", 10 * kEuro}}};  // in ten days: 30.00 a month
    QVERIFY2(reportOf(work, std::nullopt).needed, reportOf(work, std::nullopt).verdict.c_str());
    const DurabilityReport even = reportOf(work, Money{30 * kEuro, "EUR"});
    QVERIFY(even.needed);
    QCOMPARE(even.verdict, std::string("an engine pays: it costs 30.00 EUR a month and keeps 30.00 EUR"));
    QCOMPARE(even.formulas.back().text,
        std::string("30.00 EUR / 10.00 EUR = 3 interruptions a month; there are 3"));
    const DurabilityReport dear = reportOf(work, Money{30 * kEuro + 1, "EUR"});
    QVERIFY(!dear.needed);
    QCOMPARE(dear.verdict,
        "no engine is needed for the money: it costs " + formatMoney(30 * kEuro + 1, "EUR")
            + " a month and keeps 30.00 EUR; interrupted runs would begin again");
    QVERIFY(!reportOf(work, Money{1, "USD"}).needed);  // never compared with another currency
}

void TestDurability::aLogLineIsReadExactly()
{
    const auto parsed =
        parseLogLine(line("r1", "01T00:00:00Z", "01T00:01:00Z", "failed", "12", "0.10"), "EUR");
    CAIRN_VERIFY_OK(parsed);
    QCOMPARE(parsed->ended - parsed->started, SpanMs{60'000});
    QVERIFY(parsed->kind == LogLine::Kind::Lost);
    QVERIFY(parsed->cost == (Money{100'000, "EUR"}));
    const auto named = parseLogLine(
        line("r1", "01T00:00:00Z", "01T00:01:00Z", "ok", "12", R"({"amount":"1.234567","currency":"USD"})"),
        "EUR");
    CAIRN_VERIFY_OK(named);
    QVERIFY(named->cost == (Money{1'234'567, "USD"}));
    CAIRN_VERIFY_ERROR(parseLogLine(line("r1", "01T00:00:00Z", "01T00:01:00Z", "ok", "1", "1"), ""),
        ErrorKind::InvalidInput);  // of which currency?
}

void TestDurability::badLinesAreNamedByNumber_data()
{
    QTest::addColumn<QString>("bad");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& bad, const char* says) {
        QTest::newRow(name) << QString::fromStdString(bad) << QString::fromUtf8(says);
    };
    row("no JSON", "{\"id\":", "found");
    row("no object", "[1]", "an object");
    row("a member is missing", R"({"id":"x"})", "\"started\" is missing");
    row("ends before it starts", line("x", "02T00:00:00Z", "01T00:00:00Z", "ok", "1", "1"), "before");
    row("an unknown outcome", line("x", "01T00:00:00Z", "01T00:00:01Z", "maybe", "1", "1"), "maybe");
    row("no instant", line("x", "01", "01T00:00:01Z", "ok", "1", "1"), "\"started\"");
    row("half a call", line("x", "01T00:00:00Z", "01T00:00:01Z", "ok", "1.5", "1"), "\"calls\"");
    row("a negative cost", line("x", "01T00:00:00Z", "01T00:00:01Z", "ok", "1", "-1"), "negative");
    row("a cost too fine", line("x", "01T00:00:00Z", "01T00:00:01Z", "ok", "1", "0.0000001"), "\"cost\"");
    row("a long line", std::string(kLogLineLimit + 1, 'x'), "1 MiB");
}

void TestDurability::badLinesAreNamedByNumber()
{
    QFETCH(QString, bad);
    QFETCH(QString, says);
    const std::string good = line("g", "01T00:00:00Z", "01T00:01:00Z", "completed", "1", "1.00");
    const std::string middle = bad.toStdString();
    const LogReport report = logOf(good + "\n" + middle + (middle.back() == '\n' ? "" : "\n") + good);
    QCOMPARE(report.runs, std::uint64_t(2));
    QCOMPARE(report.bad, std::uint64_t(1));
    QCOMPARE(report.badLines.size(), std::size_t(1));
    QCOMPARE(report.badLines.front().number, std::uint64_t(3));  // an empty line counts, and is none
    QVERIFY2(report.badLines.front().text.find(says.toStdString()) != std::string::npos,
        report.badLines.front().text.c_str());
    QCOMPARE(report.repeatedIds, std::uint64_t(1));
}

void TestDurability::aLogTellsTheBreakEven()
{
    // Ten days. Two lost runs of ten calls, one that was cancelled, one that completed.
    const std::string log = line("a", "01T00:00:00Z", "01T02:00:00Z", "completed", "10", "9.00")
        + line("b", "02T00:00:00Z", "02T01:00:00Z", "crashed", "10", "10.00")
        + line("c", "03T00:00:00Z", "03T01:00:00Z", "failed", "10", "20.00")
        + line("d", "11T00:00:00Z", "11T00:00:00Z", "cancelled", "10", "40.00");
    const LogReport cheap = logOf(log, Money{81 * kEuro, "EUR"});
    QCOMPARE(cheap.endedWithout, std::uint64_t(3));
    QCOMPARE(cheap.wanted, std::uint64_t(1));
    QCOMPARE(cheap.lost.used.at("EUR"), 70 * kEuro);
    QCOMPARE(cheap.kept.used.at("EUR"), 27 * kEuro);  // 10 x 9/10 + 20 x 9/10
    QCOMPARE(cheap.month.used.at("EUR"), 81 * kEuro);
    QCOMPARE(cheap.longest->id, std::string("a"));
    QVERIFY(cheap.needed);
    QCOMPARE(cheap.verdict, std::string("an engine pays: it costs 81.00 EUR a month and keeps 81.00 EUR"));
    // 81.00 a month, 13.50 for each lost run: six of them.
    QCOMPARE(cheap.formulas.back().name, std::string("break_even"));
    QCOMPARE(
        cheap.formulas.back().text, std::string("81.00 EUR / 13.50 EUR = 6 lost runs a month; there are 6"));
    const LogReport dear = logOf(log, Money{81 * kEuro + 1, "EUR"});
    QVERIFY(!dear.needed);
    QVERIFY2(dear.verdict.starts_with("no engine is needed for the money"), dear.verdict.c_str());
    QVERIFY(dear.formulas.back().text.find("= 7 lost runs") != std::string::npos);
    QVERIFY(logOf(log).needed);                    // and asks for --engine-cost
    QVERIFY(!logOf(log, Money{1, "USD"}).needed);  // never compared with another currency
}

void TestDurability::aLogSaysWhenNoEngineIsNeeded()
{
    const std::string good = line("a", "01T00:00:00Z", "02T00:00:00Z", "completed", "5", "1");
    QCOMPARE(logOf(good).verdict, std::string("no engine is needed: no run ended against anybody's will"));
    QVERIFY(!logOf(good).needed);
    // One call each: a record has nothing to keep.
    const LogReport single = logOf(good + line("b", "02T00:00:00Z", "03T00:00:00Z", "failed", "1", "7"));
    QVERIFY(!single.needed);
    QVERIFY2(single.verdict.find("one call at most") != std::string::npos, single.verdict.c_str());
    const LogReport none = logOf("");
    QVERIFY(!none.needed);
    QVERIFY(none.formulas.empty());
}

QTEST_APPLESS_MAIN(TestDurability)
#include "tst_durability.moc"
