// C60: output, errors, names and notes that look like markup are shown as text; nothing that they name is
// opened, and nothing in them is hidden.
#include "demosource.h"
#include "hostile.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/compareview.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/planspage.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/choicelist.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/revisionbar.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTest>
#include <QToolTip>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

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

    void c60_nothingInTheWindowOpensIt()
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
        for (int view = 1; view <= 8; ++view) {
            page->showView(view);
            if (view == 7)
                page->comparison()->compare(u"now"_s, u"version 2"_s);
            paintAll(window);
        }
        page->travelTo(9);
        QTRY_COMPARE(page->detail().version, 9U);
        paintAll(window);
        page->travelTo(page->revisions()->newest());
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

    void recorderTakesDownWhatIsPainted()
    {
        QLabel careless(u"a"_s + codePoint(0xE0061) + u"b"_s);
        careless.resize(200, 50);
        QVERIFY(!hiddenIn(careless).isEmpty());
        QLabel plain(u"ab"_s);
        plain.resize(200, 50);
        QCOMPARE(hiddenIn(plain), QStringList());
    }

    void nothingHiddenReachesThePerson()
    {
        applyTheme(*qApp, false);
        DemoSource source;
        source.taint = u"pay"_s + hiddenParts().join(u"-"_s) + u"pal"_s;
        source.store.name = source.store.person = source.store.url = source.taint;
        MainWindow window(source, false);
        window.resize(2200, 1200);
        window.show();
        window.start();
        QTRY_VERIFY(window.settled() && window.triage()->runsTable()->currentRow() >= 0);
        window.setPolling(false);
        paintAll(window);
        const auto check = [](QWidget& widget, const char* where) {
            paintAll(widget);
            const QStringList found = hiddenIn(widget);
            QVERIFY2(
                found.isEmpty(), qPrintable(QString::fromLatin1(where) + u": "_s + found.join(u" | "_s)));
        };
        check(window, "triage");
        DataTable* situations = window.triage()->situationsTable();
        situations->setCurrentIndex(situations->model()->index(1, 0));
        QTRY_VERIFY(window.settled());
        check(window, "a situation");
        RunPage* page = window.openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->steps()->select(12);
        for (int view = 1; view <= 8; ++view) {
            page->showView(view);
            if (view == 7)
                page->comparison()->compare(u"now"_s, u"version 2"_s);
            check(window, "a run");
        }
        page->data()->openPayload(source.detail.payloads.front());
        QTRY_VERIFY(page->data()->viewer()->toPlainText().contains(u"⟨U+E0061⟩"_s));
        check(window, "a payload");
        page->showView(1);
        QTest::keyClick(page->steps()->table(), Qt::Key_A);
        QVERIFY(window.sheet() != nullptr);
        QTRY_VERIFY(!window.sheet()->preview().sentence.isEmpty());
        check(*window.sheet(), "the sheet");
        window.sheet()->close();
        QTRY_VERIFY(window.sheet() == nullptr);
        window.findChild<QTabBar*>()->setCurrentIndex(0);
        source.refuse = {demoRun(0)};
        window.triage()->runsModel()->markShown();
        QTest::keyClick(window.triage()->runsTable(), Qt::Key_H);
        QVERIFY(window.bulkSheet() != nullptr);
        QTRY_VERIFY(window.bulkSheet()->previewed());
        check(*window.bulkSheet(), "the sheet for several");
    }

    void nothingHiddenInAuditFilterAndDialogs()
    {
        applyTheme(*qApp, false);
        DemoSource source;
        const QString taint = u"pay"_s + hiddenParts().join(u"-"_s) + u"pal"_s;
        source.taint = source.store.name = source.store.url = taint;
        AuditLine act;
        act.seq = 1;
        act.run = demoRun(1);
        act.person = act.verb = act.target = act.reason = act.outcome = act.why = taint;
        act.act = act.change = act.chain = {{taint, taint, true}};
        source.acted = {act};
        source.verdict.sentence = source.verdict.detail = taint;
        source.verdict.damage = QStringList{taint};
        source.help = {0, 4, {}, {{taint, 1}}, false, {}};
        MainWindow window(source, false);
        window.resize(2200, 1200);
        window.show();
        window.start();
        QTRY_VERIFY(window.settled() && window.triage()->runsTable()->currentRow() >= 0);
        window.setPolling(false);
        const auto check = [](QWidget& widget, const char* where) {
            paintAll(widget);
            const QStringList found = hiddenIn(widget);
            QVERIFY2(
                found.isEmpty(), qPrintable(QString::fromLatin1(where) + u": "_s + found.join(u" | "_s)));
        };
        window.openAudit()->verify();
        QTRY_VERIFY(window.settled());
        check(window, "the audit");
        window.openPlans();
        QTRY_VERIFY(window.settled());
        check(window, "the plans");
        window.actionTable().find(u"plan.confirm"_s)->run();
        QTRY_VERIFY(window.orderSheet() != nullptr && !window.orderSheet()->forecast().digest.isEmpty());
        check(*window.orderSheet(), "the sheet of a proposal");
        window.orderSheet()->reject();
        QTRY_VERIFY(window.orderSheet() == nullptr);
        window.findChild<QTabBar*>()->setCurrentIndex(0);
        FilterBox* box = window.triage()->filterBox();
        window.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&window, 3000));
        box->askValues(u"step"_s);
        QTRY_VERIFY(box->choices()->isVisible());
        check(window, "completions");
        window.triage()->addView(taint);
        for (const char16_t* id : {u"go.palette", u"file.export", u"file.open"}) {
            window.actionTable().find(QString::fromUtf16(id))->run();
            QDialog* dialog = nullptr;
            QTRY_VERIFY((dialog = window.findChild<QDialog*>()) != nullptr);
            check(*dialog, "a dialog");
            dialog->reject();
            QTRY_VERIFY(window.findChild<QDialog*>() == nullptr);
        }
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

    void c60_markupIsReadLiterally()
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
