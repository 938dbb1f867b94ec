// Writes pictures of the console with the mock-ups' story: shots DIR. For people who judge how it looks; not
// a test.
#include "demosource.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/revisionbar.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QTest>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace {

// Until everything asked for has been answered, then once round for layouts and paints.
void settle(MainWindow& window)
{
    static_cast<void>(QTest::qWaitFor([&window] { return window.settled(); }, 5000));
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    const QString folder = QString::fromLocal8Bit(argc > 1 ? argv[1] : ".");
    for (const bool dark : {false, true})
        for (const QSize size : {QSize(1440, 900), QSize(1280, 720)}) {
            applyTheme(app, dark);
            test::DemoSource source;
            MainWindow window(source, dark);
            window.resize(size);
            window.show();
            window.start();
            settle(window);
            window.setPolling(false);
            const auto save = [&](const QString& name) {
                settle(window);
                window.grab().save(
                    u"%1/%2-%3-%4.png"_s.arg(folder, name, dark ? u"dark"_s : u"light"_s).arg(size.width()));
            };
            save(u"triage"_s);
            RunPage* page = window.openRun(test::demoRun(1));
            settle(window);
            page->steps()->select(12);
            save(u"run"_s);
            for (const QString& view : RunPage::viewNames().mid(1)) {
                page->showNamed(view);
                save(view);
            }
            page->showView(1);
            page->travelTo(9);
            save(u"as-it-was"_s);
            page->travelTo(page->revisions()->newest());
            settle(window);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_A);
            settle(window);
            if (window.sheet() != nullptr) {
                window.sheet()->reason()->setPlainText(
                    u"Cheapest offer that arrives before the move on 14 December."_s);
                settle(window);
                window.sheet()->grab().save(
                    u"%1/sheet-%2-%3.png"_s.arg(folder, dark ? u"dark"_s : u"light"_s).arg(size.width()));
                window.sheet()->reject();
            }
            settle(window);
        }
    return 0;
}
