// The audit and the export from the keyboard, on the demo source.
#include "desk.h"
#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/dialogs/exportbox.h"
#include "ui/models/auditmodel.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/choicelist.h"
#include "ui/widgets/daybar.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/taskstrip.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

AuditLine acted(quint64 seq, const QString& person, const QString& verb, const QString& outcome)
{
    AuditLine line;
    line.seq = seq;
    line.time = kDemoNow - static_cast<qint64>(10 - seq) * 60'000;
    line.person = person;
    line.verb = verb;
    line.verbKey = verb.toLower();
    line.target = u"run"_s;
    line.run = demoRun(static_cast<int>(seq));
    line.reason = u"month-end freeze"_s;
    line.outcome = outcome;
    line.glyph = outcome == u"applied"_s ? Glyph::Done : Glyph::Skipped;
    line.why = outcome == u"refused"_s ? u"it has moved on"_s : QString();
    line.secondKey = u"none"_s;
    line.act = {{u"Claimed name"_s, person, false}};
    line.change = {{u"Before"_s, u"{}"_s, true}};
    line.chain = {{u"Recomputed"_s, u"the same"_s, false}};
    return line;
}

void threeActs(DemoSource& source)
{
    source.acted = {acted(3, u"kim"_s, u"Pause"_s, u"applied"_s),
        acted(2, u"Tom Aydin"_s, u"Retry"_s, u"refused"_s), acted(1, u"kim"_s, u"Approve"_s, u"applied"_s)};
}

AuditPage* opened(const Desk& desk)
{
    desk.key(Qt::Key_G);
    desk.key(Qt::Key_L);
    AuditPage* page = desk.window->currentAudit();
    if (page != nullptr)
        static_cast<void>(QTest::qWaitFor([page] { return page->settled(); }, 2000));
    return page;
}

QPushButton* buttonOf(const AuditPage* page, const QString& name)
{
    for (auto* button : page->findChildren<QPushButton*>())
        if (button->accessibleName() == name)
            return button;
    return nullptr;
}

QString cell(const AuditPage* page, int row, int column)
{
    return page->table()->model()->index(row, column).data().toString();
}

}  // namespace

class TestAuditPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void actsAreListedNewestFirst()
    {
        const Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QCOMPARE(page->table()->model()->rowCount(), 3);
        QCOMPARE(cell(page, 0, AuditModel::Entry), u"3"_s);
        QCOMPARE(cell(page, 0, AuditModel::Person), u"kim"_s);
        QCOMPARE(cell(page, 1, AuditModel::Outcome), u"refused: it has moved on"_s);
        QCOMPARE(cell(page, 1, AuditModel::Reason), u"month-end freeze"_s);
        QVERIFY2(textOf(page).contains(
                     u"3 of 3 entries shown · 1 refused or expired · reading is not logged as acting"_s),
            qPrintable(textOf(page)));
        QVERIFY(textOf(page).contains(u"the same"_s));  // of the entry that is selected
        QCOMPARE(desk.window->actionTable().map(ActPlace::Audit).front().name, u"V"_s);
    }

    void cellsFilterAndFieldsComplete()
    {
        Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        page->table()->setCurrentIndex(page->table()->model()->index(1, AuditModel::Person));
        QTest::keyClick(page->table(), Qt::Key_Plus);
        QCOMPARE(page->filterBox()->filter(), u"person:\"Tom Aydin\""_s);
        QCOMPARE(desk.source.auditRequests.back().filter, u"person:\"Tom Aydin\""_s);
        page->table()->setCurrentIndex(page->table()->model()->index(1, AuditModel::Outcome));
        QTest::keyClick(page->table(), Qt::Key_Minus);
        QCOMPARE(page->filterBox()->filter(), u"person:\"Tom Aydin\" -outcome:refused"_s);
        page->filterBox()->setFilter(u"verb:pause"_s);
        page->table()->setCurrentIndex(page->table()->model()->index(1, AuditModel::Time));
        QTest::keyClick(page->table(), Qt::Key_Minus);
        QCOMPARE(page->filterBox()->filter(), u"verb:pause"_s);  // no day is left out
        QTest::keyClick(page->table(), Qt::Key_Plus);
        QCOMPARE(page->filterBox()->filter(), u"verb:pause day:2026-11-29"_s);
        page->table()->setCurrentIndex(page->table()->model()->index(2, AuditModel::Time));
        QTest::keyClick(page->table(), Qt::Key_Plus);
        QCOMPARE(page->filterBox()->filter(), u"verb:pause day:2026-11-29"_s);  // it is listed already
        page->filterBox()->setFilter(u"bad:x"_s);
        QTRY_VERIFY(textOf(page).contains(u"not valid at 1: no such field: bad"_s));
        QCOMPARE(page->table()->model()->rowCount(), 3);
    }

    void theSecondPersonHasAColumn()
    {
        Desk desk([](DemoSource& s) {
            threeActs(s);
            s.acted[0].second = u"uid 2"_s;
            s.acted[0].secondKey = u"uid 2"_s;
            s.acted[1].second = u"NOBODY: by break-glass, REVIEW OPEN"_s;
            s.acted[1].secondKey = u"alone"_s;
            s.acted[1].unseen = true;
        });
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        const QAbstractItemModel* model = page->table()->model();
        QCOMPARE(model->headerData(AuditModel::Second, Qt::Horizontal).toString(), u"Second person"_s);
        QCOMPARE(cell(page, 0, AuditModel::Second), u"uid 2"_s);
        QCOMPARE(cell(page, 1, AuditModel::Second), u"NOBODY: by break-glass, REVIEW OPEN"_s);
        QCOMPARE(cell(page, 2, AuditModel::Second), u"–"_s);
        // Loud, with a shape of its own and its word, as long as nobody has looked at it.
        const QModelIndex alone = model->index(1, AuditModel::Second);
        QCOMPARE(alone.data(GlyphRole).toInt(), int(Glyph::Approval));
        QCOMPARE(alone.data(LookRole).toInt(), int(BoldLook));
        QVERIFY(alone.data(Qt::AccessibleTextRole).toString().endsWith(u", "_s + glyphName(Glyph::Approval)));
        QCOMPARE(model->index(0, AuditModel::Second).data(GlyphRole).toInt(), 0);
        page->table()->setCurrentIndex(alone);
        QTest::keyClick(page->table(), Qt::Key_Plus);
        QCOMPARE(page->filterBox()->filter(), u"second:alone"_s);
        page->table()->setCurrentIndex(model->index(2, AuditModel::Second));
        QTest::keyClick(page->table(), Qt::Key_Minus);
        QCOMPARE(page->filterBox()->filter(), u"second:alone -second:none"_s);
    }

    void barsAreByDayAndOfSeveralWhereThereIsNoRoom()
    {
        DayBar bar;
        bar.resize(432, 56);  // 400 pixels for bars
        QVERIFY(bar.bars().empty());
        bar.setDays({{10, 1, 0}, {12, 4, 1}});
        QCOMPARE(bar.daysOfABar(), 1);
        QCOMPARE(bar.rectOf(0), QRectF(16, 33.5, 23, 5.5));  // a quarter of 22
        QCOMPARE(bar.rectOf(1), QRectF(64, 17, 23, 22));     // the day between has none
        QSignalSpy chosen(&bar, &DayBar::chosen);
        QTest::mouseClick(&bar, Qt::LeftButton, {}, {70, 30});
        QTest::mouseClick(&bar, Qt::LeftButton, {}, {45, 30});  // between them
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.front().at(0).toLongLong(), 12);
        QCOMPARE(bar.spoken(), u"1970-01-13: 4 entries, 1 refused"_s);
        bar.setDays({{0, 1, 0}, {199, 1, 0}});
        QCOMPARE(bar.daysOfABar(), 7);
        bar.setDays({{0, 1, 0}, {4999, 3, 0}});
        QCOMPARE(bar.daysOfABar(), 112);
        QCOMPARE(bar.bars().size(), 2U);
        QCOMPARE(bar.bars()[1].first, 4928);
        QCOMPARE(bar.bars()[1].last, 5039);
    }

    void daysAreCountedAndNarrowedToByKeys()
    {
        Desk desk([](DemoSource& s) {
            threeActs(s);
            for (AuditLine& line : s.acted)
                if (line.seq < 3)
                    line.time -= 2 * 86'400'000;
        });
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QCOMPARE(page->days()->spoken(), u"2026-11-29: 1 entry"_s);
        QCOMPARE(page->days()->bars().size(), 2U);
        page->days()->setFocus();
        desk.key(Qt::Key_Left);
        QCOMPARE(page->days()->accessibleDescription(), u"2026-11-27: 2 entries, 1 refused"_s);
        desk.key(Qt::Key_Return);
        QCOMPARE(page->filterBox()->filter(), u"day:2026-11-27"_s);
        // Asked for where that day's entries stand, not from the newest on.
        QCOMPARE(desk.source.auditRequests.back().before, 3U);
        QCOMPARE(desk.source.auditRequests.back().downTo, 1U);
        QCOMPARE(page->days()->spoken(), u"2026-11-27: 2 entries, 1 refused · only 2026-11-27 is listed"_s);
        desk.key(Qt::Key_Right);
        desk.key(Qt::Key_Return);  // in place of the other
        QCOMPARE(page->filterBox()->filter(), u"day:2026-11-29"_s);
        QCOMPARE(desk.source.auditRequests.back().before, 0U);  // there may be more of it by now
        page->filterBox()->setFilter(u"person:\"Tom Aydin\" day:2026-11-29"_s);
        desk.key(Qt::Key_Return);  // the same again: every day
        QCOMPARE(page->filterBox()->filter(), u"person:\"Tom Aydin\""_s);
        QCOMPARE(desk.source.auditRequests.back().downTo, 0U);
    }

    void daysAreCountedPartByPartAndOnlyOnce()
    {
        Desk desk([](DemoSource& s) {
            threeActs(s);
            s.daysPart = 2;
        });
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QTRY_COMPARE(desk.source.daysAsked, (std::vector<quint64>{0, 2}));
        QTRY_COMPARE(page->days()->spoken(), u"2026-11-29: 3 entries, 1 refused"_s);
        page->load();
        QTRY_VERIFY(page->settled());
        QCOMPARE(desk.source.daysAsked.size(), 2U);
        desk.source.acted.insert(desk.source.acted.begin(), acted(4, u"kim"_s, u"Resume"_s, u"applied"_s));
        page->load();
        QTRY_COMPARE(desk.source.daysAsked, (std::vector<quint64>{0, 2, 3}));  // what is new
        QTRY_COMPARE(page->days()->spoken(), u"2026-11-29: 4 entries, 1 refused"_s);
    }

    void lettersStageNothingHere()
    {
        const Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        page->table()->setFocus();
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Approve is off: open the run first: Enter."_s);
        desk.key(Qt::Key_Return);
        RunPage* run = desk.window->currentRun();
        QVERIFY(run != nullptr);
        QCOMPARE(run->run().run, demoRun(3));
        desk.window->openAudit();
        QCOMPARE(desk.window->currentAudit(), page);  // the same tab again
        page->table()->setFocus();
        desk.key(Qt::Key_Escape);
        QVERIFY(desk.window->onLists());
    }

    void verdictSaysWhatThisInstallationDetects()
    {
        const Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QCOMPARE(page->verdictText(), u"Not verified since this window was opened."_s);
        page->table()->setFocus();
        desk.key(Qt::Key_V);
        QTRY_COMPARE(
            page->verdictText(), u"The audit log is whole: 3 entries, none missing, none changed."_s);
        // What this installation detects is told when it is asked for, so that the list keeps its room.
        auto* limits = buttonOf(page, u"What it detects"_s);
        QVERIFY(limits != nullptr && limits->isVisible());
        const auto told = [page] {
            for (const QLabel* label : page->findChildren<QLabel*>())
                if (label->isVisible() && label->text() == u"Detects a changed entry."_s)
                    return true;
            return false;
        };
        QVERIFY(!told());
        QTest::mouseClick(limits, Qt::LeftButton);
        QVERIFY(told());
        QVERIFY(textOf(page).contains(u" in 1.9 s · no checkpoint"_s));
    }

    void whereNothingMatchesOneLooksFurtherBack()
    {
        Desk desk([](DemoSource& s) {
            s.auditTotal = 30'000;
            s.auditLookedFrom = 10'001;
        });
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        const QString total = countText(30'000) + u" entries"_s;
        QVERIFY2(textOf(page).contains(u"Nothing matches so far, of "_s + total + u" · entries before "_s
                     + countText(10'001) + u" have not been looked at yet · "_s),
            qPrintable(textOf(page)));
        QPushButton* further = buttonOf(page, u"Look further back"_s);
        QVERIFY(further != nullptr && further->isVisible());
        desk.source.auditLookedFrom = 1;
        QTest::mouseClick(further, Qt::LeftButton);
        QTRY_VERIFY(page->settled());
        QCOMPARE(desk.source.auditRequests.back().before, 10'001U);
        QVERIFY(textOf(page).contains(
            u"Nothing matches: the filter leaves out all of "_s + total + u"; clear it (/) to see them"_s));
        QVERIFY(!further->isVisible());
    }

    void fieldsHaveAButtonAndWhatWasNotDoneIsCounted()
    {
        Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QVERIFY2(textOf(page).contains(u"1 refused or expired"_s), qPrintable(textOf(page)));
        auto* verb = page->findChild<QPushButton*>(u"choose-verb"_s);
        QVERIFY(verb != nullptr);
        QTest::mouseClick(verb, Qt::LeftButton);
        QCOMPARE(page->filterBox()->edit()->text(), u"verb:"_s);
        QTRY_VERIFY(page->filterBox()->choices() != nullptr);
        QVERIFY(page->filterBox()->choices()->choices().size() >= 2);
    }

    void anEntryIsCopiedAsText()
    {
        Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        page->table()->setFocus();
        desk.key(Qt::Key_C);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(u"Entry "_s) && copied.contains(u"\nRecomputed: the same"_s),
            qPrintable(copied));
    }

    void theLogIsExportedAsItIsFiltered()
    {
        Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        page->filterBox()->setFilter(u"person:kim"_s);
        QTRY_VERIFY(page->settled());
        QTest::mouseClick(buttonOf(page, u"Export log…"_s), Qt::LeftButton);
        auto* box = desk.window->findChild<ExportBox*>();
        QVERIFY(box != nullptr);
        QStringList offered;
        for (const auto* button : box->findChildren<QRadioButton*>())
            offered << button->text();
        QCOMPARE(
            offered.mid(0, 2), (QStringList{u"all that the filter finds: person:kim"_s, u"the whole log"_s}));
        QCOMPARE(offered.size(), 4);
        QVERIFY(offered[2].startsWith(u"Log: "_s) && offered[3].startsWith(u"Table: "_s));
        box->path()->setText(u"/nowhere/audit.jsonl"_s);
        box->reason()->setText(u"AUD-311"_s);
        QTest::keyClick(box, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(!box->busy());
        QVERIFY(!desk.source.exported.empty());
        QCOMPARE(desk.source.exported.back().kind, ExportKind::AuditLog);
        QCOMPARE(desk.source.exported.back().filter, u"person:kim"_s);
        QVERIFY(desk.source.exported.back().runs.empty());
        box->close();
    }

    void theHeadOfAWholeLogIsCopied()
    {
        Desk desk(threeActs);
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QPushButton* head = buttonOf(page, u"Copy head"_s);
        QVERIFY(head != nullptr);
        QVERIFY(!head->isEnabled());
        QVERIFY(head->accessibleDescription().startsWith(u"Verify first"_s));
        page->table()->setFocus();
        desk.key(Qt::Key_V);
        QTRY_VERIFY(head->isEnabled());
        QTest::mouseClick(head, Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(),
            QString::number(desk.source.verdict.entries) + u' ' + desk.source.verdict.head);
        // And of one that is damaged it is not.
        desk.source.verdict.whole = false;
        page->table()->setFocus();
        desk.key(Qt::Key_V);
        QTRY_VERIFY(!head->isEnabled());
    }

    void aCheckTellsHowFarItIsAndCanBeStopped()
    {
        Desk desk([](DemoSource& s) {
            threeActs(s);
            s.verdicts.close();
        });
        AuditPage* page = opened(desk);
        QVERIFY(page != nullptr);
        page->table()->setFocus();
        desk.key(Qt::Key_V);
        QVERIFY(page->checking());
        desk.source.checking->actsInAll = 3;
        desk.source.checking->acts = 2;
        desk.source.checking->entries = 1204;
        QTRY_VERIFY2(textOf(page).contains(u"2 of 3 acts, 1\u2009204 entries of runs so far"_s),
            qPrintable(textOf(page)));
        desk.key(Qt::Key_V);
        QVERIFY(desk.source.checking->stop);
        desk.source.verdicts.open();
        QTRY_VERIFY(!page->checking());
    }

    void exportSaysHowMuchItIsAndWhereItWent()
    {
        Desk desk;
        desk.key(Qt::Key_E, Qt::ControlModifier);
        ExportBox* box = nullptr;
        QTRY_VERIFY((box = desk.window->findChild<ExportBox*>()) != nullptr);
        QTRY_VERIFY2(textOf(box).contains(u"1 run, 10 entries; 2 payloads with 2.0 KiB of payloads"_s),
            qPrintable(textOf(box)));
        QVERIFY(!box->start()->isEnabled());  // no file is named yet
        QTest::keyClicks(box->path(), u"/tmp/new.zip"_s);
        box->choose(ExportKind::Html);
        QTest::keyClick(box->path(), Qt::Key_Return);
        QVERIFY(desk.source.exported.empty());  // a bare Enter writes nothing
        QTest::keyClick(box->path(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.exported.size(), 1U);
        QCOMPARE(desk.source.exported.front().kind, ExportKind::Html);
        QCOMPARE(desk.source.exported.front().runs.size(), 1U);
        QTRY_COMPARE(box->state(), u"Wrote /tmp/new.zip, 2.0 KiB, 1 run. Audit entry 7."_s);
    }

    void stopLeavesNothingBehind()
    {
        Desk desk([](DemoSource& s) { s.exports.close(); });
        desk.key(Qt::Key_E, Qt::ControlModifier);
        ExportBox* box = nullptr;
        QTRY_VERIFY((box = desk.window->findChild<ExportBox*>()) != nullptr);
        QTest::keyClicks(box->path(), u"/tmp/new.zip"_s);
        QTest::mouseClick(box->start(), Qt::LeftButton);
        QVERIFY(box->busy());
        desk.source.exporting->runsInAll = 300;
        desk.source.exporting->runs = 40;
        QTRY_VERIFY2(box->state().startsWith(u"Wrote 40 of 300 runs"_s), qPrintable(box->state()));
        QTest::mouseClick(box->start(), Qt::LeftButton);
        QVERIFY(desk.source.exporting->stop);
        desk.source.exports.open();
        QTRY_VERIFY(!box->busy());
    }

    void anExportGoesOnWithoutItsWindow()
    {
        Desk desk([](DemoSource& s) { s.exports.close(); });
        desk.key(Qt::Key_E, Qt::ControlModifier);
        QPointer<ExportBox> box;
        QTRY_VERIFY((box = desk.window->findChild<ExportBox*>()) != nullptr);
        QTest::keyClicks(box->path(), u"/tmp/new.zip"_s);
        QTest::mouseClick(box->start(), Qt::LeftButton);
        auto* strip = desk.window->findChild<TaskStrip*>();
        QVERIFY(strip != nullptr && !strip->isVisible());
        QTest::keyClick(box.data(), Qt::Key_Escape);
        QVERIFY(!box->isVisible());
        QVERIFY(!desk.source.exporting->stop);
        QVERIFY(strip->isVisible());
        desk.source.exporting->runsInAll = 300;
        desk.source.exporting->runs = 40;
        QTRY_VERIFY2(textOf(strip).contains(u"Export: Wrote 40 of 300 runs"_s), qPrintable(textOf(strip)));
        // Its window again, and away.
        for (auto* button : strip->findChildren<QPushButton*>())
            if (button->text() == u"Show"_s)
                button->click();
        QVERIFY(box->isVisible());
        QVERIFY(!strip->isVisible());
        box->reject();
        QVERIFY(strip->isVisible());
        // One key too many does not cut it off.
        QVERIFY(!desk.window->close());
        QVERIFY(desk.window->isVisible());
        desk.source.exports.open();
        QTRY_VERIFY(box == nullptr);
        QVERIFY(!strip->isVisible());
        QVERIFY2(textOf(desk.window.get()).contains(u"Wrote /tmp/new.zip, 2.0 KiB, 1 run."_s), "it is told");
        QVERIFY(desk.window->close());
    }
};

QTEST_MAIN(TestAuditPage)
#include "tst_auditpage.moc"
