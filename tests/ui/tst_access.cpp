// Everything by the keyboard, and everything said: names, states and reasons of all that can be reached, in
// every view; each act without a mouse and without single keys; nothing cut without its whole text beside it.
#include "desk.h"
#include "heard.h"
#include "ui/dialogs/preferencesbox.h"
#include "ui/models/runviewmodels.h"
#include "ui/models/stepsmodel.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/timelineview.h"
#include "ui/pages/windowviews.h"
#include "ui/widgets/barchart.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/graph/graphcanvas.h"
#include "ui/widgets/letters.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/taborder.h"
#include "ui/widgets/timeline/timelinecanvas.h"

#include <QAbstractButton>
#include <QAction>
#include <QCheckBox>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

void rest(const Desk& desk)
{
    static_cast<void>(QTest::qWaitFor([&desk] { return desk.window->settled(); }, 3000));
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
}

QWidget* comeTo(const Desk& desk, const WindowView& view)
{
    for (const WindowView::Step& step : view.steps) {
        step(*desk.window);
        rest(desk);
    }
    return seenOf(*desk.window);
}

void addViews()
{
    QTest::addColumn<int>("view");
    const auto views = windowViews();
    for (std::size_t i = 0; i < views.size(); ++i)
        QTest::newRow(qPrintable(views[i].name)) << static_cast<int>(i);
}
WindowView viewOf(int number) { return windowViews()[static_cast<std::size_t>(number)]; }

// The line edit inside of a spin box speaks with its box; a text that can be selected is its own name.
bool speaksForItself(const Heard& one)
{
    return one.object != nullptr
        && (one.object->objectName() == u"qt_spinbox_lineedit"_s || one.object->inherits("QLabel")
            || one.object->objectName() == u"qt_scrollarea_viewport"_s);
}

QString told(const Heard& one)
{
    return one.where + u": role %1 "_s.arg(static_cast<int>(one.role))
        + (one.object == nullptr ? QString()
                                 : QString::fromLatin1(one.object->metaObject()->className()) + u' '
                    + one.object->objectName());
}

// Menu entries by the id of their act.
QHash<QString, QAction*> entriesOf(const MainWindow& window)
{
    QHash<QString, QAction*> all;
    for (const QMenuBar* bar : window.findChildren<QMenuBar*>())
        for (const QAction* title : bar->actions())
            for (QAction* entry : title->menu()->actions())
                all.insert(entry->objectName(), entry);
    return all;
}

std::vector<QWidget*> stopsOf(QWidget& dialog)
{
    std::vector<QWidget*> stops;
    for (QWidget* at = dialog.nextInFocusChain(); at != &dialog; at = at->nextInFocusChain())
        if (dialog.isAncestorOf(at) && at->isVisibleTo(&dialog)
            && (at->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && at->focusProxy() == nullptr)
            stops.push_back(at);
    return stops;
}

}  // namespace

class TestAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingHasANameARoleAndAState_data() { addViews(); }
    void everythingHasANameARoleAndAState()
    {
        QFETCH(int, view);
        const Desk desk;
        QWidget* top = comeTo(desk, viewOf(view));
        const std::vector<Heard> all = heardIn(*top);
        QVERIFY(all.size() > 2);
        QStringList unnamed;
        QStringList unexplained;
        for (const Heard& one : all) {
            QVERIFY2(one.role != QAccessible::NoRole, qPrintable(told(one)));
            const bool mute = one.name.trimmed().isEmpty() && !speaksForItself(one);
            if (mute && (one.state.focusable || one.isCell() || one.isControl())
                && one.role != QAccessible::Separator)
                unnamed << told(one);
            if (one.isControl() && one.state.disabled && one.description.trimmed().isEmpty())
                unexplained << told(one) + u' ' + one.name;
        }
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(u'\n')));
        QVERIFY2(unexplained.isEmpty(), qPrintable(unexplained.join(u'\n')));
        if (top != desk.window.get())
            QVERIFY2(!all.front().name.isEmpty(), "a dialog without a title");
    }

    void tabGoesThroughDialogsAsTheyAreRead_data() { addViews(); }
    void tabGoesThroughDialogsAsTheyAreRead()
    {
        QFETCH(int, view);
        const Desk desk;
        QWidget* top = comeTo(desk, viewOf(view));
        if (top == desk.window.get())
            return;  // panels of the window: F6, below
        orderByPlace(*top);
        std::vector<QWidget*> stops = stopsOf(*top);
        QVERIFY(!stops.empty());
        // The chain has no beginning: it is looked at from its uppermost stop on.
        const auto centre = [top](const QWidget* stop) { return stop->mapTo(top, stop->rect().center()); };
        const auto first =
            std::min_element(stops.begin(), stops.end(), [&](const QWidget* a, const QWidget* b) {
                return std::pair(centre(a).y() / 8, centre(a).x())
                    < std::pair(centre(b).y() / 8, centre(b).x());
            });
        std::rotate(stops.begin(), first, stops.end());
        for (std::size_t i = 1; i < stops.size(); ++i) {
            const QPoint before = centre(stops[i - 1]);
            const QPoint here = centre(stops[i]);
            QVERIFY2(here.y() > before.y() - 8 && (here.y() >= before.y() + 8 || here.x() >= before.x()),
                qPrintable(u"%1 at %2,%3 comes after %4,%5"_s.arg(stops[i]->accessibleName())
                               .arg(here.x())
                               .arg(here.y())
                               .arg(before.x())
                               .arg(before.y())));
        }
    }

    // F6 goes round every panel and comes back, in the lists and in each view of a run.
    void panelsAreReachedInTurn()
    {
        const Desk desk;
        const auto round = [&desk] {
            QWidget* from = QApplication::focusWidget();
            QSet<QWidget*> seen;
            for (int i = 0; i < 20; ++i) {
                desk.key(Qt::Key_F6);
                seen.insert(QApplication::focusWidget());
                if (QApplication::focusWidget() == from)
                    break;
            }
            return QApplication::focusWidget() == from ? seen.size() : 0;
        };
        QVERIFY(round() >= 3);
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        for (int number = 1; number <= 8; ++number) {
            page->showView(number);
            rest(desk);
            desk.key(Qt::Key_F6);  // into it
            QVERIFY2(round() >= 2, qPrintable(QString::number(number)));
        }
    }

    void everyActIsReachedByTheKeyboard()
    {
        const Desk desk;
        const QHash<QString, QAction*> entries = entriesOf(*desk.window);
        int acts = 0;
        for (const WindowAction& action : desk.window->actionTable().all()) {
            if (!action.run)
                continue;
            ++acts;
            QVERIFY2(entries.contains(action.id), qPrintable(action.id + u" is in no menu"_s));
            const QAction* entry = entries.value(action.id);
            QCOMPARE(entry->shortcut(), action.keys);
            QVERIFY2(!entry->text().isEmpty(), qPrintable(action.id));
        }
        QVERIFY(acts > 40);
        // Menus are opened by Alt and a letter of their own.
        QSet<QChar> letters;
        for (const QAction* title : desk.window->findChild<QMenuBar*>()->actions()) {
            const auto at = title->text().indexOf(u'&');
            QVERIFY2(at >= 0, qPrintable(title->text()));
            const QChar letter = title->text().at(at + 1).toLower();
            QVERIFY2(!letters.contains(letter), qPrintable(title->text()));
            letters.insert(letter);
        }
    }

    void lettersAreBoundAnewEverywhereAtOnce()
    {
        QString wrong;
        QVERIFY(!Letters::parse(u"h=j"_s, wrong) && wrong.contains(u"other than J and K"_s));
        QVERIFY(!Letters::parse(u"h=z h=y"_s, wrong) && wrong == u"H is bound twice"_s);
        QVERIFY(!Letters::parse(u"h=z p=z z=h"_s, wrong) && wrong == u"Z would do two things"_s);
        QVERIFY(!Letters::parse(u"h=r"_s, wrong)
            && wrong == u"R has an act of its own: bind that too, as in r=h"_s);
        QCOMPARE(Letters::text(*Letters::parse(u" H=R,r=h "_s, wrong)), u"h=r, r=h"_s);
        const Desk desk;
        desk.window->actionTable().find(u"edit.preferences"_s)->run();
        auto* box = desk.window->findChild<PreferencesBox*>();
        auto* edit = box->findChild<QLineEdit*>(u"bound"_s);
        QVERIFY(edit != nullptr);
        edit->setText(u"h=r"_s);
        QVERIFY(textOf(box).contains(u"R has an act of its own"_s));
        QCOMPARE(Letters::typed(Qt::Key_R), QChar(u'r'));
        edit->setText(u"h=r, r=h"_s);
        QCOMPARE(Letters::typed(Qt::Key_R), QChar(u'h'));
        QCOMPARE(Letters::typed(Qt::Key_H), QChar(u'r'));
        QCOMPARE(Letters::shown(u"H"_s), u"R"_s);
        QCOMPARE(Letters::shown(u"Shift+H"_s), u"Shift+R"_s);
        QCOMPARE(Letters::shown(u"Enter"_s), u"Enter"_s);
        QCOMPARE(Letters::shown(u"Ctrl+H"_s), u"Ctrl+H"_s);
        const ActionTable& table = desk.window->actionTable();
        QVERIFY(table.keysOf(*table.find(u"run.pause"_s)).startsWith(u'R'));
        edit->setText({});
        QCOMPARE(Letters::typed(Qt::Key_R), QChar(u'r'));
        QVERIFY(table.keysOf(*table.find(u"run.pause"_s)).startsWith(u'H'));
        box->accept();
    }

    void singleKeysAreSwitchedOffInThePreferences()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_3);
        QCOMPARE(page->findChild<QWidget*>(u"view-history"_s)->isVisible(), true);
        page->showView(1);
        desk.window->actionTable().find(u"edit.preferences"_s)->run();
        auto* box = desk.window->findChild<PreferencesBox*>();
        QVERIFY(box != nullptr);
        auto* letters = box->findChild<QCheckBox*>(u"letters"_s);
        QVERIFY(letters != nullptr && letters->isChecked());
        letters->click();
        box->accept();
        QTRY_VERIFY(desk.window->findChild<PreferencesBox*>() == nullptr);
        QVERIFY(!desk.window->actionTable().lettersOn());
        desk.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(desk.window.get(), 3000));
        page->steps()->focusList();
        DataTable* list = page->steps()->table();
        const int tab = desk.window->findChild<QTabBar*>()->currentIndex();
        const quint32 step = page->steps()->current();
        const auto nothingHappened = [&](const QString& key) {
            QApplication::processEvents();
            const bool same = desk.window->sheet() == nullptr && desk.window->bulkSheet() == nullptr
                && QApplication::activeModalWidget() == nullptr && page->steps()->isVisible()
                && page->steps()->current() == step && !page->steps()->model()->onlyUnfinished()
                && desk.window->findChild<QTabBar*>()->currentIndex() == tab;
            if (!same)
                qWarning("%s did something", qPrintable(key));
            return same;
        };
        for (const WindowAction& action : desk.window->actionTable().all())
            if (!action.letter.isNull() && action.letter != QChar(0x7F)) {
                QTest::keyClick(list, action.letter.toUpper().toLatin1(),
                    action.shift ? Qt::ShiftModifier : Qt::NoModifier);
                QVERIFY(nothingHappened(action.id));
            }
        for (const Qt::Key key : {Qt::Key_Delete, Qt::Key_3, Qt::Key_BracketLeft, Qt::Key_E, Qt::Key_F,
                 Qt::Key_D, Qt::Key_G, Qt::Key_Question}) {
            QTest::keyClick(list, key);
            QVERIFY(nothingHappened(QString::number(key)));
        }
        // The rest works: keys with Ctrl, arrows, F6, what one writes.
        QTest::keyClick(list, Qt::Key_3, Qt::ControlModifier);
        QTRY_VERIFY(page->findChild<QWidget*>(u"view-history"_s)->isVisible());
        desk.window->actionTable().find(u"view.run-unfinished"_s)->run();
        QVERIFY(page->steps()->model()->onlyUnfinished());
        desk.window->actionTable().find(u"go.filter"_s)->run();
        QLineEdit* edit = desk.window->triage()->filterBox()->edit();
        QTRY_VERIFY(edit->hasFocus());
        QTest::keyClicks(edit, u"age"_s);
        QCOMPARE(edit->text(), u"age"_s);
    }

    // What the graph draws is in the list beside it, and says the same of each step.
    void theGraphHasAListTwin()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        GraphCanvas* graph = page->steps()->graph();
        QAbstractItemModel* list = page->steps()->table()->model();
        QHash<QString, QString> rows;  // what the list says, by the step
        for (int row = 0; row < list->rowCount(); ++row) {
            const QModelIndex cell = list->index(row, StepsModel::Step);
            rows.insert(cell.data().toString(), cell.data(Qt::AccessibleTextRole).toString());
        }
        QAccessibleInterface* shapes = QAccessible::queryAccessibleInterface(graph);
        QCOMPARE(shapes->childCount(), static_cast<int>(graph->scene().boxes.size()));
        // As many entries as the list has rows: what is folded in one is folded in the other.
        QCOMPARE(shapes->childCount(), list->rowCount());
        for (int i = 0; i < shapes->childCount(); ++i) {
            const QString name = shapes->child(i)->text(QAccessible::Name);
            const DrawnNode& node = graph->scene().graph.nodes[static_cast<std::size_t>(i)];
            QVERIFY2(rows.contains(node.title), qPrintable(name));
            QVERIFY2(name.startsWith(node.title) && rows.value(node.title).startsWith(node.title),
                qPrintable(name + u" / "_s + rows.value(node.title)));
        }
    }

    void theTimelineHasAListTwin()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->showView(2);
        TimelineView* view = page->timeline();
        QTRY_VERIFY(!view->canvas()->timeline().acts.empty());
        view->setAsList(true);
        std::size_t drawn = view->canvas()->timeline().acts.size();
        for (const Lane& lane : view->canvas()->timeline().lanes)
            for (const LaneRow& row : lane.rows)
                drawn += row.spans.size();
        QCOMPARE(static_cast<std::size_t>(view->spans()->rowCount()), drawn);
        for (int row = 0; row < view->spans()->rowCount(); ++row)
            for (int column = 0; column < view->spans()->columnCount(); ++column)
                QVERIFY(!view->spans()
                             ->index(row, column)
                             .data(Qt::AccessibleTextRole)
                             .toString()
                             .trimmed()
                             .isEmpty());
        QAccessibleInterface* bars = QAccessible::queryAccessibleInterface(view->canvas());
        QCOMPARE(bars->childCount(), static_cast<int>(view->canvas()->places().size()));
        for (int i = 0; i < bars->childCount(); ++i)
            QVERIFY(!bars->child(i)->text(QAccessible::Name).isEmpty());
    }

    // In the least room that the window takes nothing is cut without its whole text beside it.
    void nothingIsCutWithoutItsText_data() { addViews(); }
    void nothingIsCutWithoutItsText()
    {
        QFETCH(int, view);
        const Desk desk;
        desk.window->resize(desk.window->minimumSize());
        QWidget* top = comeTo(desk, viewOf(view));
        QStringList cut;
        for (const QLabel* label : top->findChildren<QLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty()
                || qobject_cast<PanelNote*>(label->parentWidget()))
                continue;
            const bool fits = label->wordWrap() ? label->heightForWidth(label->width()) <= label->height() + 2
                                                : label->sizeHint().width() <= label->width() + 2;
            if (!fits && label->toolTip().isEmpty())
                cut << u"label: "_s + label->text();
        }
        for (const QAbstractButton* button : top->findChildren<QAbstractButton*>())
            if (button->isVisible() && button->text().size() > 1
                && button->minimumSizeHint().width() > button->width() + 2 && button->toolTip().isEmpty())
                cut << u"button: "_s + button->text();
        for (const DataTable* table : top->findChildren<DataTable*>())
            for (int row = 0; table->isVisible() && row < table->model()->rowCount(); ++row)
                for (int column = 0; column < table->model()->columnCount(); ++column) {
                    const QModelIndex cell = table->model()->index(row, column);
                    if (!table->isColumnHidden(column) && RowDelegate::isCut(cell, table->columnWidth(column))
                        && cell.data(Qt::AccessibleTextRole).toString().isEmpty())
                        cut << u"cell: "_s + cell.data().toString();
                }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }
};

// At 200 %: what is measured in pixels of the window has half the room of the screen.
int main(int argc, char** argv)
{
    qputenv("QT_SCALE_FACTOR", "2");
    QApplication app(argc, argv);
    TestAccess test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_access.moc"
