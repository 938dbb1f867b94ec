// What may be done about the step that is selected: by its buttons, with the reason of those that are off.
#include "desk.h"
#include "ui/dialogs/actsheet.h"
#include "ui/pages/inspector.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"

#include <QPushButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;
using cairn::Verb;

namespace {

struct Open {
    explicit Open(const std::function<void(DemoSource&)>& prepare = {})
        : desk(prepare)
        , page(desk.window->openRun(demoRun(1)))
    {
        static_cast<void>(QTest::qWaitFor([this] { return page->loaded(); }, 3000));
    }
    [[nodiscard]] Inspector* panel() const { return page->steps()->inspector(); }
    [[nodiscard]] QStringList names(bool on) const
    {
        QStringList names;
        for (const QPushButton* button : panel()->actButtons())
            if (button->isEnabled() == on)
                names << button->accessibleName();
        return names;
    }
    Desk desk;
    RunPage* page;
};

}  // namespace

class TestStepActs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void actsOfTheStepStandBelowItWithTheirReasons()
    {
        const Open o;  // at the approval, which the run waits for
        QTRY_COMPARE(o.names(true).join(u'|'), u"Approve|Reject|Restart from"_s);
        QCOMPARE(o.names(false).join(u'|'), u"Retry now|Skip step"_s);
        // One line for those that are off for the same reason.
        QCOMPARE(o.panel()->actsText(), u"Retry now, Skip step are off: it has not failed"_s);
        for (const QPushButton* button : o.panel()->actButtons()) {
            QVERIFY(button->isVisible());
            QVERIFY(!button->accessibleDescription().isEmpty());
            // A key stands on what it would do here only.
            const bool keyed = button->isEnabled();
            QCOMPARE(!button->icon().isNull(), keyed);
        }
        o.page->steps()->select(12);  // complete
        QTRY_COMPARE(o.names(true).join(u'|'), u"Restart from"_s);
        QCOMPARE(o.panel()->actsText(), u"Retry now, Skip step are off: it has a recorded result"_s);
    }

    void aButtonOpensTheSheetWithItsPreview()
    {
        const Open o;
        QTRY_COMPARE(o.names(true).size(), 3);
        QPushButton* approve = o.panel()->actButtons().front();
        approve->setFocus();
        o.desk.key(Qt::Key_Space);
        ActSheet* sheet = o.desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(!sheet->preview().sentence.isEmpty());
        QCOMPARE(sheet->preview().request.verb, Verb::Approve);
        QCOMPARE(sheet->preview().request.step, u"approve-purchase"_s);
        QCOMPARE(sheet->preview().request.run, demoRun(1));
        QVERIFY(o.desk.source.executed.empty());  // looked at, not done
    }

    void anotherStepsActsAreNotShownMeanwhile()
    {
        Open o;
        QTRY_COMPARE(o.names(true).size(), 3);
        o.desk.source.stepGate.close();
        o.desk.source.stepsAsked.clear();
        for (const quint32 step : {11U, 12U, 13U})
            o.page->steps()->select(step);
        QVERIFY(o.panel()->actButtons().empty());
        // One question at a time: the steps in between are not asked for.
        QCOMPARE(o.desk.source.stepsAsked, (std::vector<quint32>{11}));
        o.desk.source.stepGate.open();
        QTRY_COMPARE(o.desk.source.stepsAsked, (std::vector<quint32>{11, 13}));
        QTRY_COMPARE(o.names(true).join(u'|'), u"Restart from"_s);
    }

    void theyAreAskedForOnceForEachVersionOfTheRun()
    {
        Open o;
        QTRY_COMPARE(o.names(true).size(), 3);
        const std::size_t asked = o.desk.source.stepsAsked.size();
        o.page->showView(2);
        o.page->showView(1);
        QCOMPARE(o.desk.source.stepsAsked.size(), asked);
        ++o.desk.source.detail.version;
        o.page->load();
        QTRY_COMPARE(o.desk.source.stepsAsked.size(), asked + 1);
        QCOMPARE(o.desk.source.stepsAsked.back(), 14U);
    }

    void ofAnEarlierVersionNothingCanBeDone()
    {
        const Open o;
        QTRY_COMPARE(o.names(true).size(), 3);
        o.page->travelTo(o.page->newest().version - 1);
        QTRY_COMPARE(o.panel()->actsText(), u"This is how it was: go back to now to act."_s);
        QVERIFY(o.panel()->actButtons().empty());
        o.page->travelTo(o.page->newest().version);
        QTRY_COMPARE(o.names(true).size(), 3);
    }

    void aWindowThatMayNotActSaysWhy()
    {
        const Open o;
        QTRY_COMPARE(o.names(true).size(), 3);
        o.page->setOff(u"this window is read-only"_s);
        QVERIFY(o.names(true).isEmpty());
        QCOMPARE(o.panel()->actsText(),
            u"Approve, Reject, Restart from, Retry now, Skip step are off: this window is read-only"_s);
        o.page->setOff({});
        QCOMPARE(o.names(true).size(), 3);
    }

    void whatCouldNotBeReadIsSaid()
    {
        const Open o([](DemoSource& s) { s.stepGate.fails.what = u"The store does not answer."_s; });
        QTRY_COMPARE(o.panel()->actsText(), u"The store does not answer."_s);
        QVERIFY(o.panel()->actButtons().empty());
    }
};

QTEST_MAIN(TestStepActs)
#include "tst_stepacts.moc"
