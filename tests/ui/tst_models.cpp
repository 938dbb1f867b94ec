// Every model: the tester's rules, the borders -1, 0, n-1, n, and refresh without a reset.
#include "demosource.h"
#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/models/attemptsmodel.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/historymodel.h"
#include "ui/models/payloadsmodel.h"
#include "ui/models/bulkmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/models/stepsmodel.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

RunSlice sliceOf(std::initializer_list<int> runs, bool more = false)
{
    RunSlice slice;
    for (const int n : runs) {
        RunLine line;
        line.run = demoRun(n);
        line.word = u"Approval"_s;
        line.glyph = Glyph::Approval;
        line.key = QString::number(n);
        slice.lines.push_back(line);
    }
    slice.more = more;
    return slice;
}

QString keysOf(const RunsModel& model)
{
    QStringList keys;
    for (int i = 0; i < model.rowCount(); ++i)
        keys << model.index(i, RunsModel::Key).data().toString();
    return keys.join(u' ');
}

void checkBorders(const QAbstractItemModel& model)
{
    const int rows = model.rowCount();
    const int columns = model.columnCount();
    QVERIFY(rows > 0);
    QVERIFY(!model.index(-1, 0).isValid());
    QVERIFY(model.index(0, 0).isValid());
    QVERIFY(model.index(rows - 1, columns - 1).isValid());
    QVERIFY(!model.index(rows, 0).isValid());
    QVERIFY(!model.index(0, columns).isValid());
    QVERIFY(!model.index(0, -1).isValid());
    QVERIFY(!model.headerData(columns, Qt::Horizontal, Qt::DisplayRole).isValid());
    QVERIFY(!model.headerData(-1, Qt::Horizontal, Qt::DisplayRole).isValid());
    QVERIFY(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).isValid());
    QVERIFY(!model.headerData(columns - 1, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
    for (int c = 0; c < columns; ++c)
        QVERIFY(!model.index(0, c).data(Qt::SizeHintRole).isValid());
}

}  // namespace

class TestModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsHoldTheirBorders()
    {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFirst(sliceOf({1, 2, 3}));
        checkBorders(model);
    }

    void runsAreRefreshedWithoutReset_data()
    {
        QTest::addColumn<QList<int>>("after");
        QTest::addColumn<int>("followed");  // where run 3 is afterwards, -1: gone
        QTest::newRow("the same") << QList<int>{1, 2, 3, 4} << 2;
        QTest::newRow("new at the top") << QList<int>{9, 8, 1, 2, 3, 4} << 4;
        QTest::newRow("gone before") << QList<int>{3, 4} << 0;
        QTest::newRow("moved to the top") << QList<int>{3, 1, 2, 4} << 0;
        QTest::newRow("turned round, with new ones") << QList<int>{4, 7, 3, 2, 6, 1} << 2;
        QTest::newRow("gone itself") << QList<int>{1, 2, 4} << -1;
        QTest::newRow("all gone") << QList<int>{} << -1;
    }
    void runsAreRefreshedWithoutReset()
    {
        QFETCH(QList<int>, after);
        QFETCH(int, followed);
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFirst(sliceOf({1, 2, 3, 4}));
        const QPersistentModelIndex third(model.index(2, 0));
        const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        RunSlice slice;
        QStringList expected;
        for (const int n : after) {
            slice.lines.push_back(sliceOf({n}).lines.front());
            expected << QString::number(n);
        }
        model.setFirst(slice);
        QCOMPARE(keysOf(model), expected.join(u' '));
        QCOMPARE(third.isValid() ? third.row() : -1, followed);
        QCOMPARE(reset.count(), 0);
    }

    void runsAskForPagesOnce()
    {
        RunsModel model;
        const QSignalSpy wanted(&model, &RunsModel::pageWanted);
        model.setFirst(sliceOf({1, 2}, true));
        QVERIFY(model.canFetchMore({}));
        model.fetchMore({});
        model.fetchMore({});
        QCOMPARE(wanted.count(), 1);
        model.addPage(sliceOf({2, 3}));  // run 2 moved while the page was read
        QCOMPARE(keysOf(model), u"1 2 3"_s);
        QVERIFY(!model.canFetchMore({}));
    }

    void runsLetGoAndAskAgainById()
    {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setWindow(2);
        model.setFirst(sliceOf({1, 2}, true));
        model.addPage(sliceOf({3, 4}));
        QCOMPARE(model.held(), 2U);
        QSignalSpy wanted(&model, &RunsModel::linesWanted);
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"reading…"_s);
        QCOMPARE(model.index(1, RunsModel::State).data().toString(), u"reading…"_s);
        QVERIFY(wanted.wait(1000));
        QCOMPARE(wanted.count(), 1);  // one request for both
        QCOMPARE(wanted.first().first().value<std::vector<RunRef>>().size(), 2U);
        model.setLines(sliceOf({1}).lines);
        QCOMPARE(model.index(0, RunsModel::Key).data().toString(), u"1"_s);
        QCOMPARE(model.rowCount(), 4);
    }

    void changedRunsAreMergedInPlace()
    {
        RunsModel model;
        model.setFirst(sliceOf({1, 2, 3}));
        const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        RunSlice now = sliceOf({2, 9});
        now.lines[0].word = u"Completed"_s;
        const RunsModel::Merged merged = model.merge(now.lines);
        QCOMPARE(merged.shown, 1);
        QCOMPARE(merged.others, 1);  // run 9 is not in the list
        QCOMPARE(changed.count(), 1);
        QCOMPARE(model.index(1, RunsModel::State).data().toString(), u"Completed"_s);
        QCOMPARE(keysOf(model), u"1 2 3"_s);
    }

    void runsThatWereRemovedLeaveTheList()
    {
        RunsModel model;
        model.setFirst(sliceOf({1, 2, 3}));
        model.setMark(1, true);
        model.setMark(2, true);
        model.drop({sliceOf({2}).lines[0].ref(), sliceOf({9}).lines[0].ref()});
        QCOMPARE(keysOf(model), u"1 3"_s);
        QCOMPARE(model.marks(), std::size_t{1});
    }

    void olderVersionsNeverOverwriteNewerOnes()
    {
        RunsModel model;
        const auto told = [](const QString& word, quint64 version) {
            RunSlice slice = sliceOf({1});
            slice.lines.front().word = word;
            slice.lines.front().version = version;
            return slice;
        };
        model.setFirst(told(u"Executing"_s, 4));
        model.merge(told(u"Completed"_s, 9).lines);
        model.merge(told(u"Waiting"_s, 7).lines);  // two updates in the wrong order
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"Completed"_s);
        model.setLines(told(u"Waiting"_s, 7).lines);
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"Completed"_s);
        model.setFirst(told(u"Executing"_s, 5));  // an answer that was on its way for long
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"Completed"_s);
        model.setFirst(told(u"Compensated"_s, 12));
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"Compensated"_s);
    }

    void settlingTakesAwayAndCountsAndInsertsOnlyBelow()
    {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFirst(sliceOf({1, 2, 3, 4}));
        const QPersistentModelIndex fourth(model.index(3, 0));
        QCOMPARE(model.settle(sliceOf({8, 1, 4, 9})), 1);  // 8 is only counted, 9 moves nothing
        QCOMPARE(keysOf(model), u"1 4 9"_s);
        QCOMPARE(fourth.row(), 1);
        QCOMPARE(model.settle(sliceOf({4}, true)), 0);  // there is more: the others may have been pushed down
        QCOMPARE(keysOf(model), u"1 4 9"_s);
        model.merge(sliceOf({1}).lines);
        QCOMPARE(
            model.settle(sliceOf({7, 4, 6}, true)), 2);  // 1 has changed, and is not where it was; 9 is below
        QCOMPARE(keysOf(model), u"4 9"_s);
        QCOMPARE(model.settle(sliceOf({5, 6})), 0);  // all that was read has gone: the list is filled again
        QCOMPARE(keysOf(model), u"5 6"_s);
    }

    void marksBelongToRunsAndGoWithThem()
    {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        RunSlice slice = sliceOf({1, 2, 3});
        slice.lines[2].endedAt = kDemoNow;  // over: there is nothing to act on
        model.setFirst(slice);
        const QSignalSpy changed(&model, &RunsModel::marksChanged);
        QCOMPARE(model.index(0, RunsModel::State).data(MarkRole).toInt(), 1);
        QCOMPARE(model.index(2, RunsModel::State).data(MarkRole).toInt(), 0);
        model.toggleMark(1);
        model.toggleMark(2);
        QCOMPARE(model.marks(), 1U);
        QVERIFY(
            model.index(1, RunsModel::State).data(Qt::AccessibleTextRole).toString().endsWith(u", marked"_s));
        model.markShown();
        QCOMPARE(model.marks(), 2U);
        model.setFirst(sliceOf({5, 2}));  // run 1 has left the list, and its mark with it
        QCOMPARE(model.marks(), 1U);
        QCOMPARE(model.marked().front().run, demoRun(2));
        QCOMPARE(model.index(1, RunsModel::State).data(MarkRole).toInt(), 2);
        model.clearMarks();
        QCOMPARE(model.marks(), 0U);
        QCOMPARE(changed.count(), 4);
    }

    // The same id in another store is another run: for marks, changes, contents and clocks.
    void runsOfTwoStoresAreTwo()
    {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        RunSlice slice = sliceOf({1, 1, 2, 2});
        for (std::size_t i = 0; i < 4; ++i) {
            slice.lines[i].store = i % 2;
            slice.lines[i].since = kDemoNow;
        }
        model.setFirst(slice);
        QCOMPARE(model.rowCount(), 4);
        model.setStores({{u"eu"_s, u"prod"_s, TagLook::Production}, {u"us"_s, u"dev"_s, TagLook::Other}});
        model.setNow({kDemoNow + 1000, kDemoNow + 2000});
        QCOMPARE(model.index(1, RunsModel::Store).data().toString(), u"us"_s);
        QCOMPARE(model.index(0, RunsModel::Waited).data().toString(), u"1.0 s"_s);
        QCOMPARE(model.index(1, RunsModel::Waited).data().toString(), u"2.0 s"_s);
        model.toggleMark(1);
        QCOMPARE(model.index(0, RunsModel::State).data(MarkRole).toInt(), 1);
        QCOMPARE(model.marked().front().ref(), (RunRef{1, demoRun(1)}));
        RunLine changed = slice.lines[1];
        changed.word = u"Executing"_s;
        model.merge({changed});
        QCOMPARE(model.index(0, RunsModel::State).data().toString(), u"Approval"_s);
        QCOMPARE(model.index(1, RunsModel::State).data().toString(), u"Executing"_s);
        slice.lines.erase(slice.lines.begin() + 1);
        model.settle(slice);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.marks(), 0U);
    }

    void bulkShowsZeroAsZero()
    {
        BulkModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows({{{0, demoRun(1)}, u"a"_s, BulkRow::State::Ready, {}},
            {{1, demoRun(1)}, u"b"_s, BulkRow::State::Ready, {}}});
        model.setStores({u"eu"_s, u"us"_s});
        QCOMPARE(model.index(1, BulkModel::Store).data().toString(), u"us"_s);
        checkBorders(model);
        model.set(1, BulkRow::State::LeftOut, u"it is paused already"_s);
        QCOMPARE(model.count(BulkRow::State::Ready), 1ULL);
        QCOMPARE(model.count(BulkRow::State::Done), 0ULL);
        QCOMPARE(model.index(1, BulkModel::Text).data().toString(), u"it is paused already"_s);
    }

    void situations()
    {
        SituationsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        DemoSource source;
        model.setSituations(source.overview({}).result().value->situations);
        model.setNow({kDemoNow});
        checkBorders(model);
        QCOMPARE(model.index(0, SituationsModel::Oldest).data().toString(), u"14 m 13 s"_s);
        QVERIFY((model.index(0, 0).data(LookRole).toInt() & StrongLineLook) != 0);
        QCOMPARE(model.index(0, 0).data(Qt::AccessibleTextRole).toString(),
            u"Uncertain effect, uncertain effect, people must find out"_s);
        const QPersistentModelIndex second(model.index(1, 0));
        auto fewer = model.rows();
        fewer.erase(fewer.begin());
        model.setSituations(fewer);
        QCOMPARE(second.row(), 0);
    }

    void situationsSayWhoseTheyAreAndHowTheyGrow()
    {
        SituationsModel model;
        DemoSource source;
        model.setSituations(source.overview({}).result().value->situations);
        model.setNow({kDemoNow});
        const auto said = [&model](int row, int column, int role = Qt::DisplayRole) {
            return model.index(row, column).data(role);
        };
        using M = SituationsModel;
        // Nobody's, and nothing new; all of one person's; of several people; not known.
        QCOMPARE(said(0, M::Own).toString(), u"–"_s);
        QCOMPARE(said(0, M::Own, FilterRole).toString(), u"assigned:none"_s);
        QCOMPARE(said(0, M::Own, Qt::AccessibleTextRole).toString(), u"assigned to nobody"_s);
        QCOMPARE(said(0, M::Trend).toString(), u"+0"_s);
        QCOMPARE(said(0, M::Trend, TrendRole).value<QList<int>>(), QList<int>(13, 100));
        QCOMPARE(said(1, M::Own).toString(), u"Kim Larsen"_s);
        QCOMPARE(said(1, M::Own, FilterRole).toString(), u"assigned:\"Kim Larsen\""_s);
        QCOMPARE(
            said(1, M::Own, Qt::AccessibleTextRole).toString(), u"7 of 7 runs assigned, to Kim Larsen"_s);
        QCOMPARE(said(1, M::Trend).toString(), u"+3"_s);
        QCOMPARE(said(1, M::Trend, TrendRole).value<QList<int>>(),
            (QList<int>{57, 57, 57, 57, 71, 71, 71, 71, 71, 71, 71, 71, 100}));
        QCOMPARE(said(1, M::Trend, Qt::AccessibleTextRole).toString(),
            u"3 of 7 runs began to wait here since 10:00:00, 2 of them since 10:50:00; "
            "those that have left are not counted"_s);
        QCOMPARE(said(4, M::Own).toString(), u"Ines Duarte, …"_s);
        QCOMPARE(said(4, M::Own, FilterRole).toString(), QString());
        QCOMPARE(said(4, M::Own, Qt::AccessibleTextRole).toString(),
            u"2 of 18 runs assigned, to Ines Duarte and others"_s);
        QCOMPARE(said(10, M::Trend).toString(), u"–"_s);
        QVERIFY(said(10, M::Trend, TrendRole).value<QList<int>>().isEmpty());
        QCOMPARE(said(10, M::Trend, Qt::AccessibleTextRole).toString(),
            u"When its runs came here is not recorded"_s);
        // Some of them, of one person.
        auto lines = model.rows();
        lines[4].owners = false;
        model.setSituations(lines);
        QCOMPARE(said(4, M::Own).toString(), u"Ines Duarte (2)"_s);
        QCOMPARE(said(4, M::Own, FilterRole).toString(), u"assigned:\"Ines Duarte\""_s);
    }

    void attention()
    {
        AttentionModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        DemoSource source;
        model.setLines(source.overview({}).result().value->attention);
        checkBorders(model);
        QStringList groups;
        for (const AttentionLine& line : model.rows())
            if (line.head)
                groups << line.word;
        QCOMPARE(groups.join(u", "_s),
            u"Effect uncertain, A person must, Nobody can yet, The machine will, Moving"_s);
    }

    void stepsAreFolded()
    {
        StepsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSteps(demoSteps());
        checkBorders(model);
        QCOMPARE(model.rowCount(), 19);
        QCOMPARE(model.hiddenText(), u"31 steps, 12 folded"_s);
        QCOMPARE(model.rowShowing(22), 4);  // a folded member is shown by its fan-out
        const QPersistentModelIndex last(model.index(18, 0));
        model.setOpen(4, true);
        QCOMPARE(model.rowCount(), 31);
        QCOMPARE(last.row(), 30);
        QCOMPARE(model.rowShowing(22), 8);
        model.setOpen(4, false);
        QCOMPARE(last.row(), 18);
        QCOMPARE(model.summary(), u"22 complete, 1 failed, 1 skipped, 1 running, 2 waiting, 4 to come"_s);
    }

    void stepsCanBeLimitedToUnfinished()
    {
        StepsModel model;
        model.setSteps(demoSteps());
        model.setOnlyUnfinished(true);
        QCOMPARE(model.rowCount(), 7);
        QCOMPARE(model.hiddenText(), u"31 steps, 12 folded, 12 finished hidden"_s);
        QCOMPARE(model.nextStuck(kNone, false), 14U);
        QCOMPARE(model.nextStuck(14, false), 22U);  // the failed member
        QCOMPARE(model.nextStuck(14, true), 22U);
    }

    void history()
    {
        HistoryModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QSignalSpy wanted(&model, &HistoryModel::pageWanted);
        model.setTotal(61);
        model.fetchMore({});
        model.fetchMore({});
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.first().first().toULongLong(), 1ULL);
        DemoSource source;
        model.addLines(*source.history({}, 1, 40).result().value);
        model.addLines(*source.history({}, 30, 40).result().value);  // overlaps
        checkBorders(model);
        QCOMPARE(model.rowCount(), 61);
        QVERIFY(!model.canFetchMore({}));
    }

    void payloadsAndAttempts()
    {
        PayloadsModel payloads;
        const QAbstractItemModelTester first(
            &payloads, QAbstractItemModelTester::FailureReportingMode::QtTest);
        payloads.setPayloads(demoDetail().payloads);
        checkBorders(payloads);
        QCOMPARE(payloads.index(0, PayloadsModel::Size).data().toString(), u"214 B"_s);
        AttemptsModel attempts;
        const QAbstractItemModelTester second(
            &attempts, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const std::vector<AttemptLine> tries = demoSteps()[12].tries;
        attempts.setAttempts(tries, tries[0].startedAt - 900);
        checkBorders(attempts);
        QCOMPARE(attempts.index(0, AttemptsModel::Ran).data().toString(), u"30.0 s"_s);
        QCOMPARE(attempts.index(0, AttemptsModel::Waited).data().toString(), u"900 ms"_s);
        QCOMPARE(attempts.index(1, AttemptsModel::Waited).data().toString(), u"10.0 s"_s);
        attempts.setAttempts(tries, 0);  // nobody knows when it became ready
        QCOMPARE(attempts.index(0, AttemptsModel::Waited).data().toString(), u"–"_s);
        QCOMPARE(attempts.index(0, AttemptsModel::Worker).data().toString(), u"w-04"_s);
        QCOMPARE(attempts.index(0, AttemptsModel::Ended).data().toString(),
            clockText(demoSteps()[12].tries[0].endedAt, 0));
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"
