// Acts that take what is typed, from the keyboard, on the demo source.
#include "desk.h"
#include "ui/data/actcommand.h"
#include "ui/data/format.h"
#include "ui/pages/dataview.h"
#include "ui/pages/runpage.h"

#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

void severalMore(DemoSource& source)
{
    source.store.guarded = false;
    source.detail.why.more = {
        {cairn::Verb::Assign, {}, u"Assign"_s, u"Say who looks after the run"_s, true, {}, {}},
        {cairn::Verb::Note, {}, u"Note"_s, u"Keep a text beside the run"_s, true, {}, {}},
        {cairn::Verb::Skip, {}, u"Skip step"_s, u"what needs it goes on"_s, true, u"rank-quotes"_s, {}},
        {cairn::Verb::Record, {}, u"Record result"_s, u"no step of this run waits for it"_s, false, {}, {}},
        {cairn::Verb::Slow, u"P"_s, u"Slow down"_s, u"Hold or pace new calls"_s, true, {}, {}, false,
            u"api.acme.test"_s},
        {cairn::Verb::Redact, {}, u"Redact"_s, u"the bytes go for good"_s, true, {}, {}}};
}

void openOne(const Desk& desk)
{
    desk.window->openRun(demoRun(1));
    static_cast<void>(QTest::qWaitFor([&desk] { return desk.window->currentRun()->loaded(); }, 2000));
}

}  // namespace

class TestTypedActs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tTakesTheCase()
    {
        const Desk desk(severalMore);
        openOne(desk);
        desk.key(Qt::Key_T);
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QVERIFY(desk.source.executed.empty());  // a letter stages at most
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->value()->text(), desk.source.store.person);
        QCOMPARE(sheet->value()->accessibleName(), u"Who looks after it; empty: nobody"_s);
        QTest::keyClick(sheet->value(), Qt::Key_Return);
        QVERIFY(desk.source.executed.empty());
        QTest::keyClick(sheet->value(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().verb, cairn::Verb::Assign);
        QCOMPARE(desk.source.executed.front().value, desk.source.store.person);
    }

    void aNoteIsPreviewedOnceItIsWritten()
    {
        const Desk desk(severalMore);
        openOne(desk);
        desk.key(Qt::Key_N);
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QVERIFY(desk.source.previewed.empty());  // there is nothing to be said of it yet
        QCOMPARE(sheet->state(), u"still needed: The note"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClicks(sheet->value(), u"called the supplier"_s);
        QTRY_COMPARE(desk.source.previewed.size(), 1U);
        QCOMPARE(desk.source.previewed.front().value, u"called the supplier"_s);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->value(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().value, u"called the supplier"_s);
    }

    void whatIsOffSaysWhyAndASecondPersonIsNamed()
    {
        const Desk desk([](DemoSource& source) {
            severalMore(source);
            source.adjust = [](ActPreview& preview) {
                preview.second = u"2 people, the second with the role ops"_s;
            };
        });
        openOne(desk);
        const WindowAction* record = desk.window->actionTable().find(u"run.record-result"_s);
        QVERIFY(record != nullptr);
        QCOMPARE(record->whyOff(), u"no step of this run waits for it"_s);
        record->run();
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Record result is off: no step of this run waits for it"_s);
        const WindowAction* skip = desk.window->actionTable().find(u"run.skip-step"_s);
        QVERIFY(skip != nullptr);
        skip->run();
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->confirm()->isEnabled());  // what later steps read may be left out
        QCOMPARE(desk.source.previewed.front().step, u"rank-quotes"_s);
        QCOMPARE(sheet->confirm()->text(), u"Skip step 1 run, as 1 of 2   Ctrl Enter"_s);
        QVERIFY(
            textOf(sheet).contains(u"A second person is required: 2 people, the second with the role ops"_s));
    }

    void pSlowsAResourceDownWhateverIsMarked()
    {
        const Desk desk(severalMore);
        desk.key(Qt::Key_Space);  // a mark: it is no act on the marked runs
        QCOMPARE(desk.window->triage()->marked().size(), 1U);
        desk.key(Qt::Key_P);
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QVERIFY(desk.source.previewed.empty());  // at which rate has not been said
        QTest::keyClicks(sheet->value(), u"20/s"_s);
        QTRY_COMPARE(desk.source.previewed.size(), 1U);
        QCOMPARE(desk.source.previewed.front().verb, cairn::Verb::Slow);
        QCOMPARE(desk.source.previewed.front().resource, u"api.acme.test"_s);
        QCOMPARE(desk.source.previewed.front().value, u"20/s"_s);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->confirm()->text(), u"Slow down api.acme.test   Ctrl Enter"_s);
        QVERIFY(!sheet->count()->isVisible());
        QTest::keyClick(sheet->value(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().resource, u"api.acme.test"_s);
    }

    void redactAsksForTheNumberOfPayloads()
    {
        const Desk desk([](DemoSource& source) {
            severalMore(source);
            source.adjust = [](ActPreview& preview) {
                preview.request.payloads.resize(3);
                preview.typed = 3;
                preview.typedOf = u"payloads"_s;
            };
        });
        openOne(desk);
        desk.window->actionTable().find(u"run.redact"_s)->run();
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->value(), u"input,output"_s);
        QTRY_COMPARE(desk.source.previewed.size(), 1U);
        QTRY_VERIFY(sheet->count()->isVisible());
        QCOMPARE(sheet->state(), u"still needed: the number of payloads, typed"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QCOMPARE(sheet->count()->accessibleName(), u"Type 3, the number of payloads"_s);
        QTest::keyClicks(sheet->count(), u"2"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->count(), Qt::Key_Backspace);
        QTest::keyClicks(sheet->count(), u"3"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->confirm()->text(), u"Redact 3 payloads   Ctrl Enter"_s);
        QTest::keyClick(sheet->count(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().payloads.size(), 3U);
    }

    void theSheetGivesTheCommandThatDoesTheSame()
    {
        const Desk desk(severalMore);
        openOne(desk);
        desk.key(Qt::Key_N);
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->value(), u"it's late"_s);
        QTRY_COMPARE(desk.source.previewed.size(), 1U);
        sheet->reason()->setPlainText(u"asked by shop"_s);
        sheet->copyButton()->click();
        QCOMPARE(QApplication::clipboard()->text(),
            u"cairn --store sqlite:/srv/payments-eu.db note %1 'it'\\''s late' --reason 'asked by shop'"_s
                .arg(idText(demoRun(1))));
    }

    void commandsHaveWhatWasTyped_data()
    {
        QTest::addColumn<int>("verb");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("command");
        const auto row = [](const char* name, cairn::Verb verb, const QString& value,
                             const QString& command) {
            QTest::newRow(name) << int(verb) << value << command;
        };
        using cairn::Verb;
        row("pause", Verb::Pause, {}, u"cairn pause RUN"_s);
        row("slow", Verb::Slow, u"20/s"_s, u"cairn slow bank 20/s"_s);
        row("hold", Verb::Slow, u"hold 10m"_s, u"cairn slow bank hold --until 10m"_s);
        row("fork", Verb::Fork, u"12"_s, u"cairn fork RUN --from 12"_s);
        row("fork anew", Verb::Fork, u"12 new effects"_s, u"cairn fork RUN --from 12 --new-effects"_s);
        row("skip", Verb::Skip, u"{}"_s, u"cairn skip RUN s --output '{}'"_s);
        row("assign", Verb::Assign, {}, u"cairn assign RUN none"_s);
        row("migrate", Verb::Migrate, u"4"_s, u"cairn migrate RUN --to 4"_s);
        row("settle", Verb::Settle, {}, u"cairn settle RUN s --happened --no-output"_s);
    }
    void commandsHaveWhatWasTyped()
    {
        QFETCH(int, verb);
        QFETCH(QString, value);
        QFETCH(QString, command);
        ActRequest request;
        request.verb = static_cast<cairn::Verb>(verb);
        request.run = demoRun(1);
        request.step = u"s"_s;
        request.resource = u"bank"_s;
        request.value = value;
        QCOMPARE(commandOf(request, {}), QString(command).replace(u"RUN"_s, idText(demoRun(1))));
    }

    void whatIsLookedAtIsWhatRedactMeans()
    {
        const Desk desk(severalMore);
        openOne(desk);
        RunPage* page = desk.window->currentRun();
        const PayloadLine payload = page->detail().payloads.front();
        page->showNamed(u"data"_s);
        page->data()->openPayload(payload);
        desk.window->actionTable().find(u"run.redact"_s)->run();
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QCOMPARE(sheet->value()->text(), idText(payload.id));
    }
};

QTEST_MAIN(TestTypedActs)
#include "tst_typed_acts.moc"
