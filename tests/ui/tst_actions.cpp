// One table of what the window can be asked to do: the palette, the map of keys and single letters are made
// from it.
#include "desk.h"
#include "ui/dialogs/palette.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/actiontable.h"
#include "ui/widgets/filterbox.h"

#include <QLineEdit>
#include <QSet>

#include <algorithm>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

class TestActions : public QObject {
    Q_OBJECT

private:
    static Palette* opened(const Desk& desk)
    {
        desk.key(Qt::Key_K, Qt::ControlModifier);
        Palette* box = nullptr;
        static_cast<void>(QTest::qWaitFor(
            [&] { return (box = desk.window->findChild<Palette*>(u"palette"_s)) != nullptr; }, 2000));
        return box;
    }

private Q_SLOTS:
    void noKeyHasTwoMeanings()
    {
        const Desk desk;
        QSet<QString> ids;
        QSet<QString> keys;
        for (const WindowAction& action : desk.window->actionTable().all()) {
            QVERIFY2(!ids.contains(action.id), qPrintable(action.id));
            ids.insert(action.id);
            QVERIFY2(!action.title.isEmpty(), qPrintable(action.id));
            const QString letter =
                action.letter.isNull() ? QString() : action.letter + (action.shift ? u"+"_s : u""_s);
            for (const QString& key : {action.keys.toString(), letter})
                if (!key.isEmpty()) {
                    QVERIFY2(!keys.contains(key), qPrintable(key));
                    keys.insert(key);
                }
        }
        QVERIFY(ids.contains(u"run.approve"_s));
    }

    void paletteRunsWhatIsWritten()
    {
        const Desk desk;
        QVERIFY(!theme().dark);
        Palette* box = opened(desk);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->edit(), u"light"_s);
        QCOMPARE(box->matches().front().title, u"View: Light / dark"_s);
        QCOMPARE(box->matches().front().remark, u"Ctrl+Shift+L"_s);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QVERIFY(theme().dark);
    }

    void paletteGoesToARun()
    {
        const Desk desk;
        Palette* box = opened(desk);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->edit(), u"K-58214"_s);
        QCOMPARE(box->matches().size(), 1U);
        QCOMPARE(box->matches().front().title, u"Go to run K-58214"_s);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QTRY_VERIFY(desk.window->currentRun() != nullptr);
    }

    void whatIsOffSaysWhyAndDoesNothing()
    {
        const Desk desk;
        Palette* box = opened(desk);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->edit(), u"retry now"_s);
        QCOMPARE(box->matches().front().title, u"Run: Retry now…"_s);
        QVERIFY(!box->matches().front().on);
        QCOMPARE(box->matches().front().remark, u"off: nothing in this run asks for it."_s);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QVERIFY(box->isVisible());
        QVERIFY(desk.window->sheet() == nullptr);
    }

    void lettersCanBeSwitchedOff()
    {
        const Desk desk;
        desk.window->setLettersOn(false);
        for (const Qt::Key key : {Qt::Key_A, Qt::Key_Slash, Qt::Key_Colon, Qt::Key_Question})
            desk.key(key);
        QVERIFY(desk.window->sheet() == nullptr);
        QVERIFY(!desk.window->triage()->filterBox()->edit()->hasFocus());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        const WindowAction* approve = desk.window->actionTable().find(u"run.approve"_s);
        QVERIFY(approve != nullptr);
        QCOMPARE(desk.window->actionTable().keysOf(*approve), QString());
        QVERIFY(opened(desk) != nullptr);  // what they did is reached by Ctrl+K
    }

    void gGoesToPanels()
    {
        const Desk desk;
        desk.key(Qt::Key_G);
        desk.key(Qt::Key_S);
        QCOMPARE(desk.window->triage()->place(), u"Situations"_s);
        desk.key(Qt::Key_G);
        desk.key(Qt::Key_A);
        QCOMPARE(desk.window->triage()->place(), u"Attention"_s);
        QVERIFY(desk.window->sheet() == nullptr);  // A was a place, not Approve
        desk.key(Qt::Key_G);
        desk.key(Qt::Key_V);
        QCOMPARE(desk.window->notice(), u"No view has been saved."_s);
    }

    void theMapBeginsWithThisPlace()
    {
        const Desk desk;
        const auto lists = desk.window->actionTable().map(ActPlace::Lists);
        QCOMPARE(lists.front().name, u"Space, Shift+arrows"_s);
        QCOMPARE(lists.front().value, u"mark a run, mark a range"_s);
        const auto found = std::find_if(lists.begin(), lists.end(),
            [](const Fact& fact) { return fact.value.startsWith(u"Go to anything…"_s); });
        QVERIFY(found != lists.end());
        QCOMPARE(found->name, u":, Ctrl+K"_s);
        QCOMPARE(found->value, u"Go to anything… (everywhere)"_s);
        QCOMPARE(desk.window->actionTable().map(ActPlace::Run).front().value, u"next, previous problem"_s);
    }

    void wordsFitByTheirBeginnings()
    {
        QCOMPARE(fits(u"View: Light / dark"_s, u"da li"_s), 2);
        QCOMPARE(fits(u"View: Light / dark"_s, u"ight"_s), 1);
        QCOMPARE(fits(u"View: Light / dark"_s, u"light x"_s), 0);
        QCOMPARE(fits(u"anything"_s, QString()), 2);
    }
};

QTEST_MAIN(TestActions)
#include "tst_actions.moc"
