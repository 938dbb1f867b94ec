// The filter from the keyboard: completion, terms from cells, what removed how many, saved views.
#include "desk.h"
#include "ui/data/savedviews.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/models/viewsmodel.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/choicelist.h"
#include "ui/widgets/filterbox.h"

#include <QSignalSpy>
#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

class TestFilterBox : public QObject {
    Q_OBJECT

private:
    // Typed into the filter, with the answer on screen.
    static ChoiceList* typed(Desk& desk, const QString& text)
    {
        FilterBox* box = desk.window->triage()->filterBox();
        desk.key(Qt::Key_Slash);
        QTest::keyClicks(box->edit(), text);
        ChoiceList* list = box->choices();
        static_cast<void>(QTest::qWaitFor([list] { return list->isVisible(); }, 2000));
        return list;
    }

private Q_SLOTS:
    void completionIsChosenByKeys()
    {
        Desk desk([](DemoSource& s) {
            s.help = {0, 2, {}, {{u"state:"_s, -1}, {u"step:"_s, -1}}, false, {}};
        });
        FilterBox* box = desk.window->triage()->filterBox();
        ChoiceList* list = typed(desk, u"st"_s);
        QVERIFY(list->isVisible());
        QCOMPARE(desk.source.questions.back().text, u"st"_s);
        QCOMPARE(desk.source.questions.back().cursor, 2);
        QCOMPARE(list->current(), nullptr);
        desk.source.help = {5, 0, u"step"_s, {{u"pay"_s, 7}, {u"\u202Eevil"_s, 1}}, false, {}};
        QTest::keyClick(box->edit(), Qt::Key_Down);
        QTest::keyClick(box->edit(), Qt::Key_Down);
        QTest::keyClick(box->edit(), Qt::Key_Tab);
        QCOMPARE(box->edit()->text(), u"step:"_s);
        QTRY_COMPARE(list->choices().size(), 2U);
        QTRY_COMPARE(list->choices().front().text, u"pay"_s);
        const QAbstractItemModel* rows = list->model();
        QCOMPARE(rows->index(0, 1).data().toString(), u"7"_s);
        QCOMPARE(rows->index(0, 0).data(Qt::AccessibleTextRole).toString(), u"pay, 7 runs"_s);
        QVERIFY(!rows->index(1, 0).data().toString().contains(QChar(0x202E)));
        QVERIFY(box->edit()->hasFocus());
        QTest::keyClick(box->edit(), Qt::Key_Down);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QCOMPARE(box->filter(), u"step:pay"_s);
        QVERIFY(!list->isVisible());
    }

    void escapeLeavesTheListThenTheBox()
    {
        Desk desk([](DemoSource& s) { s.help = {0, 1, {}, {{u"wait:"_s, -1}}, false, {}}; });
        FilterBox* box = desk.window->triage()->filterBox();
        const ChoiceList* list = typed(desk, u"w"_s);
        QVERIFY(list->isVisible());
        QTest::keyClick(box->edit(), Qt::Key_Escape);
        QVERIFY(!list->isVisible());
        QVERIFY(box->edit()->hasFocus());
        QTest::keyClick(box->edit(), Qt::Key_Escape);
        QTRY_VERIFY(desk.runs()->hasFocus());
    }

    void answersAboutOtherTextAreDropped()
    {
        Desk desk;
        FilterBox* box = desk.window->triage()->filterBox();
        desk.key(Qt::Key_Slash);
        box->edit()->setText(u"de"_s);
        box->setHelp({u"d"_s, 1, false}, {0, 1, {}, {{u"def:"_s, -1}}, false, {}});
        QVERIFY(!box->choices()->isVisible());
        box->setHelp({u"de"_s, 2, false}, {0, 2, {}, {{u"def:"_s, -1}}, false, {}});
        QVERIFY(box->choices()->isVisible());
    }

    void cellsFilter()
    {
        const Desk desk;
        DataTable* table = desk.window->triage()->situationsTable();
        FilterBox* box = desk.window->triage()->filterBox();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, SituationsModel::Wait));
        QTest::keyClick(table, Qt::Key_Plus);
        QCOMPARE(box->filter(), u"wait:approval"_s);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, SituationsModel::Wait));
        QTest::keyClick(table, Qt::Key_Right);  // over the store column, which is absent
        QCOMPARE(table->currentIndex().column(), int(SituationsModel::What));
        QTest::keyClick(table, Qt::Key_Right);
        QTest::keyClick(table, Qt::Key_Minus);
        QCOMPARE(box->filter(), u"wait:approval -step:charge-card"_s);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, SituationsModel::What));
        QTest::keyClick(table, Qt::Key_Minus);
        QVERIFY2(desk.window->notice().startsWith(u"Not possible: situation cannot be negated"_s),
            qPrintable(desk.window->notice()));
        table->setCurrentIndex(table->model()->index(1, SituationsModel::Runs));
        QTest::keyClick(table, Qt::Key_Plus);
        QCOMPARE(desk.window->notice(), u"No filter asks for what stands in this column."_s);
    }

    void groupingByACellShowsTheValuesWithCounts()
    {
        Desk desk([](DemoSource& s) { s.help = {5, 0, u"wait"_s, {{u"timer"_s, 512}}, false, {}}; });
        TriagePage* triage = desk.window->triage();
        DataTable* table = triage->situationsTable();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, SituationsModel::Wait));
        QTest::keyClick(table, Qt::Key_Underscore);
        QCOMPARE(triage->grouping(), u"wait"_s);
        QTRY_COMPARE(triage->groupsTable()->model()->rowCount(), 1);
        QCOMPARE(triage->groupsTable()->model()->index(0, 0).data().toString(), u"timer"_s);
        QCOMPARE(triage->groupsTable()->model()->index(0, 1).data().toString(), u"512"_s);
        QVERIFY(triage->filterBox()->filter().isEmpty());
    }

    void whatHasAValueOfItsOwnInEachRunIsNoGroup()
    {
        Desk desk([](DemoSource& s) { s.help = {4, 0, u"key"_s, {{u"PR-1"_s, 512}}, false, {}}; });
        DataTable* table = desk.runs();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, RunsModel::Key));
        QTest::keyClick(table, Qt::Key_Underscore);
        const FilterBox* box = desk.window->triage()->filterBox();
        QCOMPARE(box->edit()->text(), u"key:"_s);
        QTRY_VERIFY(box->choices()->isVisible());
        QCOMPARE(box->choices()->model()->index(0, 1).data().toString(), u"512"_s);
    }

    void nothingMatchesSaysWhichTermRemovedHowMany()
    {
        Desk desk;
        desk.source.help.terms = {{u"def:order"_s, 0, 9, 1204, 0}, {u"wait:timer"_s, 10, 10, 46, 46}};
        desk.source.matches = 0;
        TriagePage* triage = desk.window->triage();
        triage->filterBox()->setFilter(u"def:order wait:timer"_s);
        QTRY_VERIFY2(
            textOf(triage).contains(
                u"Nothing matches: def:order removes 1\u2009204, wait:timer removes 46 · Ctrl+Backspace "
                u"drops wait:timer, 46 runs then match"_s),
            qPrintable(textOf(triage)));
        desk.runs()->setFocus();
        QTest::keyClick(desk.runs(), Qt::Key_Backspace, Qt::ControlModifier);
        QCOMPARE(triage->filterBox()->filter(), u"def:order"_s);
    }

    void viewsAreSavedCountedAndShared()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"views.json"_s);
        {
            const Desk desk;
            TriagePage* triage = desk.window->triage();
            triage->useViewsFile(path);
            QTRY_VERIFY(triage->viewsTable()->isHidden());
            triage->filterBox()->setFilter(u"wait:timer"_s);
            QTRY_VERIFY(triage->overview().filter.valid);
            triage->addView(u"  timers "_s);
            QTRY_COMPARE(
                triage->viewsTable()->model()->index(0, ViewsModel::Count).data().toString(), u"9"_s);
            QTRY_VERIFY(QFile::exists(path));
        }
        const Desk desk;
        TriagePage* triage = desk.window->triage();
        triage->useViewsFile(path);
        QTRY_COMPARE(triage->views().size(), 1U);
        QCOMPARE(triage->views().front(), (SavedView{u"timers"_s, u"wait:timer"_s, {}}));
        triage->readViewsFrom(path);  // the same ones are not taken twice
        QTRY_VERIFY(desk.window->notice().startsWith(u"0 views read"_s));
        QCOMPARE(triage->views().size(), 1U);
        triage->viewsTable()->setFocus();
        QTest::keyClick(triage->viewsTable(), Qt::Key_Return);
        QCOMPARE(triage->filterBox()->filter(), u"wait:timer"_s);
    }

    void theFilterIsAsItWasLeft()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"last.json"_s);
        {
            const Desk desk;
            TriagePage* triage = desk.window->triage();
            QSignalSpy kept(triage, &TriagePage::lastKept);
            triage->useLastFile(path, u"these stores"_s);
            QTRY_VERIFY(triage->keepsLast());
            QVERIFY(triage->filterBox()->filter().isEmpty());
            triage->runsTable()->setColumnWanted(RunsModel::Key, false);
            triage->filterBox()->setFilter(u"wait:timer"_s);
            QTRY_VERIFY(triage->overview().filter.valid);
            QVERIFY(kept.wait());
        }
        {
            const Desk desk;
            TriagePage* triage = desk.window->triage();
            triage->useLastFile(path, u"these stores"_s);
            QTRY_COMPARE(triage->filterBox()->filter(), u"wait:timer"_s);
            QVERIFY(!triage->runsTable()->columnWanted(RunsModel::Key));
            // Never silently.
            QCOMPARE(desk.window->notice(), u"The filter is as you left it: wait:timer"_s);
        }
        // Of other stores it says nothing, and what somebody asks for by then stays.
        const Desk other;
        other.window->triage()->useLastFile(path, u"other stores"_s);
        QTRY_VERIFY(other.window->triage()->keepsLast());
        QVERIFY(other.window->triage()->filterBox()->filter().isEmpty());
        const Desk asked;
        asked.window->triage()->filterBox()->setFilter(u"def:order"_s);
        asked.window->triage()->useLastFile(path, u"these stores"_s);
        QTRY_VERIFY(asked.window->triage()->keepsLast());
        QCOMPARE(asked.window->triage()->filterBox()->filter(), u"def:order"_s);
    }

    void newsIsToldPolitely()
    {
        Announcer announcer(nullptr);
        announcer.setInterval(50);
        QSignalSpy told(&announcer, &Announcer::announced);
        announcer.tell(u"A person must 11"_s);  // as it is first seen
        QCOMPARE(told.size(), 0);
        announcer.tell(u"A person must 12"_s);
        QCOMPARE(told.size(), 1);
        QCOMPARE(announcer.accessibleName(), u"A person must 12"_s);
        announcer.tell(u"A person must 13"_s);
        announcer.tell(u"A person must 14"_s);
        QCOMPARE(told.size(), 1);  // not yet
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(told.back().front().toString(), u"A person must 14"_s);  // the newest of it
        announcer.tell(u"A person must 15"_s);
        announcer.tell(u"A person must 14"_s);
        QVERIFY(!told.wait(150));  // it is as it was said
    }

    void wrongFilesSayWhereAndChangeNothing()
    {
        const auto fault = [](const char* text) { return readViews(text).failure.what; };
        QCOMPARE(fault(R"({"schema":"urn:cairn:views:2"})"),
            u"This is no file of views: \"schema\" is not urn:cairn:views:1."_s);
        QCOMPARE(fault(R"({"schema":"urn:cairn:views:1","views":{}})"),
            u"This is no file of views: \"views\" is no list of at most 200."_s);
        QCOMPARE(fault(R"({"schema":"urn:cairn:views:1","views":[{"name":"a","filter":"x"},{"name":"b"}]})"),
            u"This is no file of views: views[1].filter is no text of at most 2000 characters."_s);
        QVERIFY(fault("{").startsWith(u"This is no file of views: at byte "_s));
        const std::vector<SavedView> views{{u"a"_s, u"def:x"_s, {u"Key"_s}}, {u"b"_s, {}, {}}};
        const auto again = readViews(viewsText(views));
        QVERIFY(again);
        QCOMPARE(*again.value, views);
        const auto both = joined(views, {{u"a"_s, u"def:y"_s, {}}, {u"b"_s, {}, {}}});
        QCOMPARE(both.size(), 3U);
        QCOMPARE(both.back().name, u"a (2)"_s);
    }
};

QTEST_MAIN(TestFilterBox)
#include "tst_filterbox.moc"
