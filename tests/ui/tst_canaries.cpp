// Fifty secrets that were planted through the command line: the console opens that store, goes to every view
// that it has, and paints none of them, nor says one to a screen reader, a tooltip or the clipboard.
#include "app/console/opening.h"
#include "hostile.h"
#include "tests/cli/planted.h"
#include "ui/data/keychain.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/windowviews.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int kViewMs = 30'000;

// Without blanks: one line of text may come in parts, and a word that is broken in two lines.
QString drawnText(QWidget& widget)
{
    Recorder recorder(widget.size());
    widget.render(&recorder);
    QString all;
    for (const QChar c : recorder.texts().join(QString()))
        if (!c.isSpace())
            all += c;
    return all;
}

// Names, descriptions and tips, without blanks as what is painted.
QString saidBy(const QWidget& top)
{
    QString said = top.windowTitle();
    QList<const QWidget*> all{&top};
    for (const QWidget* child : top.findChildren<QWidget*>())
        all << child;
    for (const QWidget* widget : std::as_const(all))
        said += widget->accessibleName() + widget->accessibleDescription() + widget->toolTip()
            + widget->statusTip() + widget->windowTitle();
    QString plain;
    for (const QChar c : std::as_const(said))
        if (!c.isSpace())
            plain += c;
    return plain;
}

}  // namespace

class TestCanaries : public QObject, private PlantedSecrets {
    Q_OBJECT

private Q_SLOTS:
    void noViewPaintsASecret();

private:
    static bool settle(const MainWindow& window)
    {
        int calm = 0;
        return QTest::qWaitFor(
            [&] {
                calm = atRest(window) ? calm + 1 : 0;
                return calm >= 4;
            },
            kViewMs);
    }
};

void TestCanaries::noViewPaintsASecret()
{
    plantAll();
    if (QTest::currentTestFailed())
        return;
    cairn::console::HowOpened how;
    how.act = true;
    DesktopKeychain keychain;
    cairn::console::OpenStores opened(how, true, keychain);
    QCOMPARE(opened.add(u"sqlite:"_s + m_store), QString());
    applyTheme(*qApp, false);
    MainWindow window(opened.stores, false);
    window.resize(1440, 900);
    window.show();
    window.start();
    QVERIFY(settle(window));
    window.setPolling(false);
    QString all;
    int painted = 0;
    const auto look = [&](const QString& view) {
        const QString seen = drawnText(*seenOf(window));
        painted += seen.isEmpty() ? 0 : 1;
        QString copied;
        for (const QChar c : QApplication::clipboard()->text())
            if (!c.isSpace())
                copied += c;
        const QString view_ = seen + saidBy(*seenOf(window)) + saidBy(window) + copied;
        const QByteArray found = foundIn(view_.toUtf8());
        QVERIFY2(found.isEmpty(), (view.toUtf8() + ": " + found).constData());
        all += seen;
    };
    const std::vector<WindowView> views = windowViews();
    for (const WindowView& view : views) {
        for (const WindowView::Step& step : view.steps) {
            step(window);
            settle(window);
        }
        look(view.name);
        if (QTest::currentTestFailed())
            return;
        leaveView(window);
        settle(window);
    }
    QCOMPARE(painted, static_cast<int>(views.size()));
    // Those views choose the run that shows them best; here the runs that hold the secrets.
    for (const QString& run : {m_run, m_other}) {
        const auto id = cairn::parseId<cairn::RunId>(run.toStdString());
        QVERIFY(id.has_value());
        RunPage* page = window.openRun({0, *id});
        QVERIFY(settle(window));
        for (const QString& view : RunPage::viewNames()) {
            page->showNamed(view);
            QVERIFY(settle(window));
            look(view + u" of "_s + run);
            if (QTest::currentTestFailed())
                return;
        }
    }
    // What is left of them stands there: so what was painted has been read.
    QVERIFY2(all.count(u"[masked:"_s) > 5, qPrintable(QString::number(all.count(u"[masked:"_s))));
    QVERIFY(all.contains(u"itsays[masked:canary-*]"_s) || all.contains(u"withpassword=[masked:password]"_s));
}

QTEST_MAIN(TestCanaries)
#include "tst_canaries.moc"
