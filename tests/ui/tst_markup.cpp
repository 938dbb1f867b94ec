// C60: output, errors, names and notes that look like markup are shown as text; nothing that they name is
// opened.
#include "demosource.h"
#include "ui/data/safetext.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include <sys/inotify.h>
#include <unistd.h>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

// A picture that hostile text names, and a count of how often anybody opened it.
class Canary {
public:
    Canary()
        : m_path(m_folder.filePath(u"canary.png"_s))
        , m_watch(inotify_init1(IN_NONBLOCK))
    {
        QImage image(4, 4, QImage::Format_RGB32);
        image.fill(Qt::red);
        image.save(m_path);
        inotify_add_watch(m_watch, QFile::encodeName(m_path).constData(), IN_OPEN);
    }
    ~Canary() { close(m_watch); }
    [[nodiscard]] QString text() const
    {
        return u"<img src=\"%1\"><b>bold</b> <a href=\"file://%1\">x</a> a < b > c"_s.arg(m_path);
    }
    [[nodiscard]] int opened() const
    {
        int count = 0;
        alignas(inotify_event) char buffer[4096];
        for (ssize_t got = read(m_watch, buffer, sizeof buffer); got > 0;
             got = read(m_watch, buffer, sizeof buffer))
            for (ssize_t at = 0; at < got;) {
                const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
                ++count;
                at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            }
        return count;
    }

private:
    QTemporaryDir m_folder;
    QString m_path;
    int m_watch;
};

void paintAll(QWidget& widget)
{
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
    static_cast<void>(widget.grab());
}

}  // namespace

class TestMarkup : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void canarySings()
    {
        // Without the helpers Qt takes this text for markup and opens the file: the watch works.
        const Canary canary;
        QLabel careless(canary.text());
        careless.resize(200, 50);
        paintAll(careless);
        QVERIFY(canary.opened() > 0);
    }

    void nothingInTheWindowOpensIt()
    {
        const Canary canary;
        applyTheme(*qApp, false);
        DemoSource source;
        source.taint = canary.text();
        source.store.name = source.store.person = source.store.url = canary.text();
        MainWindow window(source, false);
        window.resize(1440, 900);
        window.show();
        window.start();
        QTRY_VERIFY(window.settled() && window.triage()->runsTable()->currentRow() >= 0);
        window.setPolling(false);
        paintAll(window);
        RunPage* page = window.openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->steps()->select(12);
        for (const int view : {1, 3, 4}) {
            page->showView(view);
            paintAll(window);
        }
        page->data()->openPayload(source.detail.payloads.front());
        QTRY_COMPARE(page->data()->viewer()->toPlainText(), canary.text());
        paintAll(window);
        page->showView(1);
        QTest::keyClick(page->steps()->table(), Qt::Key_A);
        QVERIFY(window.sheet() != nullptr);
        QTRY_VERIFY(!window.sheet()->preview().sentence.isEmpty());
        paintAll(*window.sheet());
        QCOMPARE(canary.opened(), 0);
    }

    void tooltipsAreText()
    {
        const Canary canary;
        DemoSource source;
        source.taint = canary.text();
        MainWindow window(source, false);
        window.show();
        window.start();
        QTRY_VERIFY(window.settled() && window.triage()->runsTable()->currentRow() >= 0);
        window.setPolling(false);
        int shownTips = 0;
        for (const DataTable* table : {window.triage()->runsTable(), window.triage()->situationsTable()})
            for (int column = 0; column < table->model()->columnCount(); ++column) {
                const QString text = table->model()->index(0, column).data(Qt::ToolTipRole).toString();
                if (text.isEmpty())
                    continue;
                ++shownTips;
                QToolTip::showText(QPoint(10, 10), text, &window);
                for (QWidget* top : QApplication::topLevelWidgets())
                    if (top->inherits("QTipLabel"))
                        static_cast<void>(top->grab());  // no events between: they would take the tip away
            }
        QToolTip::hideText();
        QVERIFY(shownTips >= 4);
        QCOMPARE(canary.opened(), 0);
    }

    void markupIsReadLiterally()
    {
        const Canary canary;
        DemoSource source;
        source.taint = canary.text();
        MainWindow window(source, false);
        window.start();
        RunPage* page = window.openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        QCOMPARE(page->steps()->table()->model()->index(0, 0).data().toString(), canary.text());
        for (const QLabel* label : window.findChildren<QLabel*>())
            QCOMPARE(label->textFormat(),
                label->pixmap().isNull() && !label->text().isEmpty() ? Qt::PlainText : label->textFormat());
    }
};

QTEST_MAIN(TestMarkup)
#include "tst_markup.moc"
