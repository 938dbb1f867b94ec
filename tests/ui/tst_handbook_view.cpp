// The handbook in the console: F1 opens the page that applies, links lead within it only, nothing is loaded,
// and every verb's page names the key that the console has for it.
#include "desk.h"
#include "ui/data/handbook.h"
#include "ui/data/words.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/handbookbox.h"
#include "ui/widgets/handbookview.h"

#include <QLineEdit>
#include <QListWidget>
#include <QTextBlock>
#include <QTextDocument>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

// As a person would click on it.
void follow(HandbookView* view, const QString& link) { Q_EMIT view->anchorClicked(QUrl(link)); }

}  // namespace

class TestHandbookView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void f1OpensThePageOfTheReason()
    {
        const Desk desk;
        QVERIFY(desk.window->handbook() == nullptr);
        desk.key(Qt::Key_F1);
        HandbookBox* box = desk.window->handbook();
        QVERIFY(box != nullptr);
        QVERIFY(box->isVisible());
        QVERIFY(!box->isModal());
        QCOMPARE(box->view()->page(), u"reasons/approval"_s);
        QVERIFY(box->view()->document()->toPlainText().contains(u"exactly what will be done"_s));
    }

    void f1InASheetOpensThePageOfTheVerb()
    {
        const Desk desk;
        ActSheet* sheet = desk.sheetBy(Qt::Key_H);
        QVERIFY(sheet != nullptr);
        QVERIFY(QTest::qWaitForWindowActive(sheet, 3000));
        QTest::keyClick(sheet, Qt::Key_F1);
        HandbookBox* box = desk.window->handbook();
        QVERIFY(box != nullptr);
        QCOMPARE(box->view()->page(), u"verbs/pause"_s);
        QCOMPARE(box->parentWidget(), static_cast<QWidget*>(sheet));
    }

    void linksLeadWithinTheHandbookOnly()
    {
        HandbookBox box;
        box.openPage(u"reasons/approval"_s);
        follow(box.view(), u"../verbs/approve.md"_s);
        QCOMPARE(box.view()->page(), u"verbs/approve"_s);
        for (const QString& out : {u"https://example.org/"_s, u"file:///etc/passwd"_s, u"../../README.md"_s,
                 u"/etc/passwd"_s, u"cairn:run"_s}) {
            follow(box.view(), out);
            QCOMPARE(box.view()->page(), u"verbs/approve"_s);
            QVERIFY2(box.notice().startsWith(u"Not opened: "_s), qPrintable(out));
        }
        box.back();
        QCOMPARE(box.view()->page(), u"reasons/approval"_s);
        QVERIFY(box.notice().isEmpty());
        box.forward();
        QCOMPARE(box.view()->page(), u"verbs/approve"_s);
        box.forward();
        QCOMPARE(box.view()->page(), u"verbs/approve"_s);
    }

    void nothingIsLoaded()
    {
        HandbookView view;
        for (const int type : {int(QTextDocument::HtmlResource), int(QTextDocument::ImageResource),
                 int(QTextDocument::StyleSheetResource), int(QTextDocument::MarkdownResource)})
            for (const QString& name : {u"file:///etc/passwd"_s, u"qrc:/cairn/cairn.svg"_s, u"x.png"_s})
                QVERIFY(!view.loadResource(type, QUrl(name)).isValid());
        QVERIFY(!view.openExternalLinks());
        QVERIFY(!view.openLinks());
        QVERIFY(view.isReadOnly());
    }

    void aPlaceIsAHeading()
    {
        HandbookView view;
        view.resize(500, 200);
        view.show();
        QVERIFY(view.open(u"engine"_s, u"clocks"_s));
        QCOMPARE(view.textCursor().block().text(), u"Clocks"_s);
        QVERIFY(view.open(u"engine"_s));
        QCOMPARE(view.textCursor().position(), 0);
        QVERIFY(!view.open(u"no such page"_s));
        QCOMPARE(view.page(), u"engine"_s);
    }

    void everyPageIsShown_data()
    {
        QTest::addColumn<QString>("name");
        for (const HandbookLine& line : searchedHandbook({}))
            QTest::newRow(qPrintable(line.name)) << line.name;
    }
    void everyPageIsShown()
    {
        QFETCH(QString, name);
        HandbookView view;
        QVERIFY(view.open(name));
        QTextBlock first = view.document()->begin();
        while (first.isValid() && first.text().isEmpty())
            first = first.next();
        QCOMPARE(first.text(), handbookText(name).title);
        QCOMPARE(first.blockFormat().headingLevel(), 1);
    }

    void aSearchFiltersThePages()
    {
        HandbookBox box;
        box.openPage(handbookIndex());
        box.show();
        const int all = box.list()->count();
        QVERIFY(all > 40);
        box.search(u"uncertain effect"_s);
        QVERIFY(box.list()->count() > 0 && box.list()->count() < all);
        QCOMPARE(box.list()->item(0)->text(), u"Uncertain effect"_s);
        QTest::keyClick(box.words(), Qt::Key_Return);
        QCOMPARE(box.view()->page(), u"reasons/outcome_unknown"_s);
        box.search(u"zzqqxx"_s);
        QCOMPARE(box.list()->count(), 0);
        QCOMPARE(box.notice(), u"No page has all of these words."_s);
        box.search({});
        QCOMPARE(box.list()->count(), all);
    }

    void aPageNamesTheKeyOfItsVerb_data()
    {
        QTest::addColumn<int>("verb");
        for (const cairn::Word& word : cairn::words<cairn::Verb>())
            if (handbookNameOf(static_cast<cairn::Verb>(word.value)) != handbookIndex())
                QTest::newRow(std::string(word.key).c_str()) << int(word.value);
    }
    void aPageNamesTheKeyOfItsVerb()
    {
        QFETCH(int, verb);
        const auto which = static_cast<cairn::Verb>(verb);
        const QString letter = letterOf(which).replace(u"⇧"_s, u"Shift+"_s).replace(u"Del"_s, u"Delete"_s);
        const QString expected = letter.isEmpty() ? u"\n**Key:** none"_s : u"\n**Key:** `%1`"_s.arg(letter);
        QVERIFY2(handbookText(handbookNameOf(which)).text.contains(expected), qPrintable(expected));
    }
};

QTEST_MAIN(TestHandbookView)
#include "tst_handbook_view.moc"
