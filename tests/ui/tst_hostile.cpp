// RELIABILITY.md 4.2 over everything that is shown: each view, dialog, menu, tip, title, notice and copy of a
// store whose every text is hostile opens nothing, hides nothing and is no markup. A view or dialog that no
// row comes to fails here. And a panel that throws takes nothing else with it.
#include "desk.h"
#include "hostile.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/exportbox.h"
#include "ui/pages/dataview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/windowviews.h"
#include "ui/widgets/panelguard.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"

#include <QClipboard>
#include <QDialog>
#include <QDirIterator>
#include <QMimeData>
#include <QRegularExpression>
#include <QToolTip>

#include <stdexcept>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

QString taintOf(const Canary& canary)
{
    return canary.text() + u"pay"_s + hiddenParts().join(u"-"_s) + u"pal"_s;
}

void poison(DemoSource& source, const QString& taint)
{
    source.taint = source.store.name = source.store.person = source.store.url = taint;
    source.store.identity = source.store.whyNot = taint;
    AuditLine act;
    act.seq = 1;
    act.run = demoRun(1);
    act.person = act.verb = act.target = act.reason = act.outcome = act.why = taint;
    act.act = act.change = act.chain = {{taint, taint, true}};
    source.acted = {act};
    source.verdict.sentence = source.verdict.detail = taint;
    source.verdict.damage = QStringList{taint};
    source.help = {0, 4, {}, {{taint, 1}}, false, {}};
}

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

// Shows each tip that a view has to give, of widgets and of cells; gives their number.
int showTips(QWidget& top)
{
    QStringList tips;
    for (const QWidget* widget : top.findChildren<QWidget*>())
        tips << widget->toolTip();
    for (const QAbstractItemView* view : top.findChildren<QAbstractItemView*>())
        for (int row = 0; view->model() != nullptr && row < std::min(3, view->model()->rowCount()); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                tips << view->model()->index(row, column).data(Qt::ToolTipRole).toString();
    tips.removeAll(QString());
    tips.removeDuplicates();
    for (const QString& text : tips) {
        QToolTip::showText(QPoint(10, 10), text, &top);
        for (QWidget* one : QApplication::topLevelWidgets())
            if (one->inherits("QTipLabel"))
                static_cast<void>(one->grab());
    }
    QToolTip::hideText();
    return static_cast<int>(tips.size());
}

QStringList cellsHiding(const QWidget& top)
{
    QStringList found;
    for (const QAbstractItemView* view : top.findChildren<QAbstractItemView*>())
        for (int row = 0; view->model() != nullptr && row < view->model()->rowCount(); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                for (const int role :
                    {int(Qt::DisplayRole), int(Qt::AccessibleTextRole), int(Qt::ToolTipRole)})
                    for (const QString& part : hiddenParts())
                        if (view->model()->index(row, column).data(role).toString().contains(part))
                            found << view->accessibleName() + u" column %1 role %2"_s.arg(column).arg(role);
    found.removeDuplicates();
    return found;
}

bool hides(const QString& text)
{
    const QStringList parts = hiddenParts();
    return std::any_of(parts.begin(), parts.end(), [&](const QString& part) { return text.contains(part); });
}

// Widgets that the sources of a folder make, by their full names.
QStringList widgetsOf(const QString& folder)
{
    static const QRegularExpression kClass(
        u"class (\\w+) final : public (?:QWidget|QDialog|Sheet) \\{\\s*Q_OBJECT"_s);
    QStringList names;
    QDirIterator files(QStringLiteral(CAIRN_SOURCE_DIR) + u'/' + folder, {u"*.h"_s}, QDir::Files);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            qFatal("%s cannot be read", qPrintable(file.fileName()));
        auto matches = kClass.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext())
            names << u"cairn::ui::"_s + matches.next().captured(1);
    }
    return names;
}

// What a renderer does that meets what it was not made for.
class Throws final : public QWidget {
public:
    explicit Throws(QWidget* parent)
        : QWidget(parent)
    {
        resize(60, 60);
        show();
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override { throw std::runtime_error("no such <b>glyph</b>"); }
};

PanelNote* faultOf(const QWidget* panel)
{
    return panel->findChild<PanelNote*>(u"panel-fault"_s, Qt::FindDirectChildrenOnly);
}

}  // namespace

class TestHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyView_data()
    {
        QTest::addColumn<int>("view");
        const auto views = windowViews();
        for (std::size_t i = 0; i < views.size(); ++i)
            QTest::newRow(qPrintable(views[i].name)) << static_cast<int>(i);
    }

    void everyView()
    {
        QFETCH(int, view);
        const Canary canary;
        const QString taint = taintOf(canary);
        const Desk desk([&](DemoSource& source) { poison(source, taint); });
        desk.window->resize(2200, 1200);
        QWidget* top = comeTo(desk, windowViews()[static_cast<std::size_t>(view)]);
        paintAll(*top);
        const QStringList hidden = hiddenIn(*top) + cellsHiding(*top);
        QVERIFY2(hidden.isEmpty(), qPrintable(hidden.join(u" | "_s)));
        QVERIFY(showTips(*top) > 0 || top != desk.window.get());
        QVERIFY2(
            !hides(top->windowTitle()) && !hides(desk.window->windowTitle()), qPrintable(top->windowTitle()));
        QCOMPARE(canary.opened(), 0);
    }

    // Each widget of the dialogs and pages is met on the way through the views.
    void noWidgetWithoutARow()
    {
        QSet<QString> met;
        for (const WindowView& view : windowViews()) {
            const Desk desk;
            static_cast<void>(comeTo(desk, view));
            for (const QWidget* widget : desk.window->findChildren<QWidget*>())
                met.insert(QString::fromLatin1(widget->metaObject()->className()));
        }
        met.insert(u"cairn::ui::MainWindow"_s);
        const QStringList all = widgetsOf(u"ui/dialogs"_s) + widgetsOf(u"ui/pages"_s);
        QVERIFY(all.size() > 15);
        QStringList missed;
        for (const QString& name : all)
            if (!met.contains(name))
                missed << name;
        QVERIFY2(missed.isEmpty(), qPrintable(u"no row of windowViews() comes to "_s + missed.join(u", "_s)));
    }

    void whatIsSaidAndNoticed()
    {
        const Canary canary;
        const QString taint = taintOf(canary);
        const Desk desk([&](DemoSource& source) { poison(source, taint); });
        desk.window->say(taint);
        paintAll(*desk.window);
        QVERIFY(!hides(desk.window->notice()));
        // Of a desktop's notices nobody knows whether they take markup: nothing is left that could be.
        const QString told = safe::unmarked(taint);
        QVERIFY(!told.contains(u'<') && !told.contains(u'>') && !hides(told));
        QVERIFY(!hides(desk.window->offlineText()));
        QCOMPARE(canary.opened(), 0);
    }

    void copiesAreWhatIsStoredAndPlain()
    {
        const Canary canary;
        const Desk desk([&](DemoSource& source) { poison(source, taintOf(canary)); });
        for (const QString& id : {u"edit.copy"_s, u"edit.link"_s}) {
            QApplication::clipboard()->clear();
            desk.window->actionTable().find(id)->run();
            QVERIFY2(!QApplication::clipboard()->text().isEmpty(), qPrintable(id));
            QCOMPARE(QApplication::clipboard()->mimeData()->formats(), QStringList{u"text/plain"_s});
            QVERIFY(!hides(QApplication::clipboard()->text()));
        }
        QCOMPARE(canary.opened(), 0);
    }

    // Nothing of the console prints or makes rich documents of what it shows; reports are the core's.
    void nothingPrints()
    {
        QDirIterator files(QStringLiteral(CAIRN_SOURCE_DIR) + u"/ui"_s, {u"*.h"_s, u"*.cpp"_s}, QDir::Files,
            QDirIterator::Subdirectories);
        int read = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY2(!text.contains("QPrinter") && !text.contains("QPdfWriter"), qPrintable(file.fileName()));
            ++read;
        }
        QVERIFY(read > 100);
    }

    void aPanelThatThrowsIsReplacedAlone()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->showView(4);
        page->data()->openPayload(page->detail().payloads.front());
        rest(desk);
        auto* viewer = page->findChild<QWidget*>(u"payload-viewer"_s);
        QVERIFY(viewer != nullptr && viewer->isVisible());
        auto* renderer = new Throws(viewer);
        static_cast<void>(desk.window->grab());
        PanelNote* note = nullptr;
        QTRY_VERIFY((note = faultOf(viewer)) != nullptr && note->isVisible());
        QVERIFY2(
            note->text().contains(u"cannot be shown: no such <b>glyph</b>."_s), qPrintable(note->text()));
        QCOMPARE(note->size(), viewer->size());
        // Nothing else is: the list beside it, the other views, keys.
        int faults = 0;
        for (const PanelNote* one : desk.window->findChildren<PanelNote*>(u"panel-fault"_s))
            faults += one->isVisible() ? 1 : 0;
        QCOMPARE(faults, 1);
        QVERIFY(page->data()->isVisible());
        desk.key(Qt::Key_1);
        QTRY_VERIFY(page->steps()->isVisible());
        QVERIFY(!desk.window->grab().isNull());
        // What failed is drawn anew on demand.
        delete renderer;
        page->showView(4);
        for (auto* button : note->findChildren<QAbstractButton*>())
            button->click();
        QTRY_VERIFY(!note->isVisible());
    }

    void whatFillsAPanelMayThrowToo()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        guarded(page->steps(), [] { throw std::out_of_range("step 99"); });
        PanelNote* note = nullptr;
        QTRY_VERIFY((note = faultOf(page->steps())) != nullptr && note->isVisible());
        QVERIFY(note->text().contains(u"step 99"_s));
        QVERIFY(page->isVisible() && page->timeline() != nullptr);
        // Outside of every panel a fault is everybody's.
        bool thrown = false;
        QWidget bare;
        try {
            guarded(&bare, [] { throw std::out_of_range("nowhere"); });
        } catch (const std::out_of_range&) {
            thrown = true;
        }
        QVERIFY(thrown);
    }
};

int main(int argc, char** argv)
{
    GuardedApplication app(argc, argv);
    TestHostile test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_hostile.moc"
