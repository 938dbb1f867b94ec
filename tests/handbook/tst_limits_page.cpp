// "Limits and data" has no figure of its own: each is printed here from the constant that the program uses,
// and has to stand on the page; and the page has no row that is not printed here.
#include "core/base/json_scan.h"
#include "core/definition/parse.h"
#include "core/definition/plan.h"
#include "core/engine/engine_core.h"
#include "core/engine/executor.h"
#include "core/handbook/handbook.h"
#include "core/machine/machine.h"
#include "core/model/definition.h"
#include "core/model/policy.h"
#include "core/plan/left.h"
#include "core/query/query.h"
#include "core/query/tell.h"
#include "core/store/agreement.h"
#include "core/store/plans.h"
#include "core/store/rows.h"
#include "tests/bench/console_aims.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QLocale>

using namespace cairn;

namespace {

QString bytes(std::uint64_t count)
{
    constexpr std::uint64_t kKibi = 1024;
    return count % (kKibi * kKibi) == 0 ? QStringLiteral("%1 MiB").arg(count / (kKibi * kKibi))
        : count % kKibi == 0            ? QStringLiteral("%1 KiB").arg(count / kKibi)
                                        : QStringLiteral("%1 B").arg(count);
}

QString span(SpanMs ms)
{
    constexpr SpanMs kSecond = 1'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
    return ms % kDay == 0   ? QStringLiteral("%1 d").arg(ms / kDay)
        : ms % kHour == 0   ? QStringLiteral("%1 h").arg(ms / kHour)
        : ms % kMinute == 0 ? QStringLiteral("%1 m").arg(ms / kMinute)
        : ms % kSecond == 0 ? QStringLiteral("%1 s").arg(ms / kSecond)
                            : QStringLiteral("%1 ms").arg(ms);
}

QString count(std::uint64_t number)
{
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(qulonglong{number});
}

struct Figure {
    const char* what;
    QString figure;
};

std::vector<Figure> figures()
{
    const EngineConfig engine;
    const ToolDef tool;
    const RetryPolicy retry;
    return {
        {"one payload: an input, an output, an error", bytes(kPayloadLimit)},
        {"a tool's output, where the workflow sets no `max_output`", bytes(kPayloadBytes)},
        {"payload that lies within its row; larger ones are cut into chunks", bytes(kInlineLimit)},
        {"one chunk", bytes(kChunkSize)},
        {"error text that a tool leaves", bytes(kErrorTextLimit)},
        {"answer of a look-up", bytes(kLookUpBytes)},
        {"a workflow's text, as everything that Cairn interprets", bytes(kInterpretedJson.size)},
        {"depth of JSON in it", count(kInterpretedJson.depth)},
        {"depth of JSON in payloads, which are kept as they are", count(kPayloadJson.depth)},
        {"steps that decisions add to one run, at one time", count(kMaxAddedSteps)},
        {"mistakes that `workflow check` lists", count(kMaxDiagnostics)},
        {"an act that is left for an engine, with what it brings", bytes(kStagedLimit)},
        {"a policy's text", bytes(kPolicyLimit)},
        {"lease of an engine", span(engine.lease)},
        {"its heartbeat", span(engine.heartbeat)},
        {"time that work under way has after SIGTERM", span(engine.drainGrace)},
        {"how often a full store is tried again", span(engine.fullProbe)},
        {"how often an engine asks the store while it hears of changes", span(engine.restPoll)},
        {"time-out of an attempt", span(tool.timeout)},
        {"sign of life of a worker outside", span(tool.heartbeatTimeout)},
        {"first delay of a back-off", span(retry.firstDelay)},
        {"factor from each delay to the next", count(retry.factorPermille / 1'000)},
        {"longest delay of a back-off", span(retry.maxDelay)},
        {"a step's time-out as a whole", span(retry.maxTotal)},
        {"time within which an act that was left has to be carried out", span(kActExpires)},
        {"time within which somebody else confirms an act, where the policy sets no `expires`",
            span(PolicyRule{}.expiresAfter)},
        {"how long an act is kept after its answer", span(kKeepAnswered)},
        {"failures of a step before its attempts are exhausted", count(retry.maxAttempts)},
        {"lost workers of a step before that", count(retry.maxLost)},
        {"attempts of one engine at one time", count(engine.maxAttempts)},
        {"runs that one engine works on at one time", count(engine.maxOwned)},
        {"characters of a reason in a guarded store, at least", count(reasonMinimum(Safety::Guarded))},
        {"runs of one plan, at most", count(kMaxPlanItems)},
        {"runs of one plan that is left for an engine, at most", count(kMostLeftItems)},
        {"bytes of what an approval asks, in `why`, `show` and previews", count(kAskedShown)},
        {"entries from which on `why` calls a run large, and says what to do", count(kManyEntries)},
        {"steps from which on it does", count(kManySteps)},
    };
}

QString aim(const bench::Budget& budget)
{
    return QLatin1String(budget.unit) == QLatin1String("ms")
        ? QStringLiteral("%1 s").arg(budget.value / 1'000)
        : QStringLiteral("%1 %2").arg(budget.value).arg(QLatin1String(budget.unit));
}

struct Aim {
    QString what;
    bench::Budget budget;
};

// Of the console, in the order of the page.
std::vector<Aim> aims()
{
    using namespace cairn::bench;
    return {
        {QStringLiteral("start on a store of %1 runs, to the first counts").arg(count(kRunsThere)),
            kFirstCounts},
        {QStringLiteral("key in the filter to the first rows, the same store"), kFilterKey},
        {QStringLiteral("history of %1 entries, scrolled: the window stands still for at most")
                .arg(count(kEntriesThere)),
            kStall},
        {QStringLiteral("graph of %1 steps, folded and drawn").arg(count(kStepsThere)), kFold},
        {QStringLiteral("payload of %1 MiB, first screen").arg(kMebibytesThere), kFirstScreen},
        {QStringLiteral("found at its end"), kSearch},
        {QStringLiteral("preview of a plan for %1 runs").arg(count(kRunsPlanned)), kPreview},
        {QStringLiteral("%1 steps finished a second, for %2: the window stands still for at most")
                .arg(count(kUpdates),
                    kUpdateSeconds == 60 ? QStringLiteral("a minute")
                                         : QStringLiteral("%1 s").arg(kUpdateSeconds)),
            kStall},
        {QStringLiteral("resident memory in each of these"), kMemory},
    };
}

}  // namespace

class TestLimitsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachFigureIsThePrograms()
    {
        const HandbookPage* page = handbookPage("limits");
        QVERIFY(page != nullptr);
        const QString text = QString::fromUtf8(page->text.data(), static_cast<qsizetype>(page->text.size()));
        for (const Figure& figure : figures()) {
            const QString row =
                QStringLiteral("\n| %1 | %2 |\n").arg(QLatin1String(figure.what), figure.figure);
            qInfo("%s: %s", figure.what, qPrintable(figure.figure));
            QVERIFY2(text.contains(row), qPrintable(QStringLiteral("the page needs the row:") + row));
        }
    }

    void thereIsNoOtherFigure()
    {
        const HandbookPage* page = handbookPage("limits");
        QVERIFY(page != nullptr);
        const std::string_view tables = page->text.substr(0, page->text.find("\n## Where data lies"));
        QVERIFY(tables.size() < page->text.size());
        std::size_t rows = 0;
        for (std::size_t at = tables.find("\n| "); at != std::string_view::npos;
             at = tables.find("\n| ", at + 1))
            ++rows;
        // Each of the four tables has a head and a line under it.
        QCOMPARE(rows, figures().size() + 2 * 4);
    }

    void eachAimIsTheBenchs()
    {
        const HandbookPage* page = handbookPage("limits");
        QVERIFY(page != nullptr);
        const QString text = QString::fromUtf8(page->text.data(), static_cast<qsizetype>(page->text.size()));
        const qsizetype at = text.indexOf(QLatin1String("\n## How fast the console is meant to be"));
        const qsizetype end = text.indexOf(QLatin1String("\n## "), at + 1);
        QVERIFY(at >= 0 && end > at);
        const QString table = text.mid(at, end - at);
        for (const Aim& meant : aims()) {
            const QString row = QStringLiteral("\n| %1 | %2 | ").arg(meant.what, aim(meant.budget));
            qInfo("%s: %s", qPrintable(meant.what), qPrintable(aim(meant.budget)));
            QVERIFY2(table.contains(row), qPrintable(QStringLiteral("the page needs the row:") + row));
        }
        QCOMPARE(std::size_t(table.count(QLatin1String("\n| "))), aims().size() + 2);  // its head
    }
};

QTEST_GUILESS_MAIN(TestLimitsPage)
#include "tst_limits_page.moc"
