// The payload viewer: what is shown at once, the index, exact digits, search, copies, and what it says of
// what it does not show.
#include "desk.h"
#include "core/base/digest.h"
#include "ui/data/payloadindex.h"
#include "ui/models/payloadmodels.h"
#include "ui/dialogs/namebox.h"
#include "ui/pages/dataview.h"
#include "ui/pages/hiddenbar.h"
#include "ui/pages/payloadvalue.h"
#include "ui/pages/payloadviewer.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/bytemap.h"

#include <QAbstractItemModelTester>
#include <QBuffer>
#include <QClipboard>
#include <QComboBox>
#include <QCryptographicHash>
#include <QImage>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;
using cairn::JsonKind;

namespace {

constexpr auto kOffers =
    R"({"total":12345678901234567890.1200,"suppliers":[{"name":"Nord","sku":"CH-2040"},{"name":"Süd","n":1e2,"sku":"X"}],"a/b":{"~":null},"ok":true})";

PayloadIndexPtr indexOf(const QByteArray& bytes, bool json = true)
{
    const std::atomic_bool stop = false;
    return PayloadIndex::build(bytes, json, stop);
}

PayloadLine lineOf(const QByteArray& bytes, const QString& media = u"application/json"_s)
{
    PayloadLine line;
    line.id.bytes[3] = 5;
    line.title = u"output of export"_s;
    line.step = u"export"_s;
    line.role = u"output"_s;
    line.media = media;
    line.size = static_cast<quint64>(bytes.size());
    return line;
}

// A run's page with one payload, at its data.
struct Viewer {
    explicit Viewer(const QByteArray& bytes, const QString& media = u"application/json"_s)
        : desk([&](DemoSource& s) {
            s.payloadBytes = [bytes](const PayloadLine&) { return bytes; };
            s.detail.payloads = {lineOf(bytes, media)};
        })
        , page(desk.window->openRun(demoRun(1)))
    {
        static_cast<void>(QTest::qWaitFor([this] { return page->loaded(); }, 3000));
        page->showView(4);
        page->data()->openPayload(desk.source.detail.payloads.front());
    }
    [[nodiscard]] PayloadViewer* view() const { return page->data()->payload(); }
    [[nodiscard]] bool ready() const
    {
        return QTest::qWaitFor([this] { return view()->whole(); }, 20'000);
    }
    Desk desk;
    RunPage* page;
};

}  // namespace

class TestPayload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void indexKnowsEachValueByItsPlace()
    {
        const auto index = indexOf(kOffers);
        QVERIFY(index->hasTree());
        QCOMPARE(index->nodes().size(), 13U);  // the whole, 4 members, 2 items, 2 + 3 members, 1
        QCOMPARE(index->depth(), 3);
        QCOMPARE(index->childrenOf(0), (std::vector<quint32>{1, 2, 10, 12}));
        QCOMPARE(index->name(2), u"suppliers"_s);
        QCOMPARE(index->nodes()[2].count, 2U);
        QCOMPARE(index->path(9), u"/suppliers/1/sku"_s);
        QCOMPARE(index->path(11), u"/a~1b/~0"_s);
        QCOMPARE(index->path(0), QString());
        QCOMPARE(index->raw(11), QByteArray("null"));
        QCOMPARE(index->nodes()[12].kind, JsonKind::Bool);
        for (quint32 node = 0; node < index->nodes().size(); ++node)
            QCOMPARE(index->nodeAt(index->nodes()[node].begin), node);
        const QByteArray bytes(kOffers);
        QCOMPARE(index->nodeAt(static_cast<quint64>(bytes.indexOf("CH-2040"))), 5U);
        QCOMPARE(index->nodeAt(static_cast<quint64>(bytes.indexOf("suppliers"))), 2U);  // its name
    }

    void numbersKeepEachDigit()
    {
        const auto index = indexOf(kOffers);
        QCOMPARE(index->raw(1), QByteArray("12345678901234567890.1200"));
        JsonTreeModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setIndex(index);
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.index(1, JsonTreeModel::Value).data().toString(), u"12345678901234567890.1200"_s);
        model.setOpen(2, true);
        QCOMPARE(model.rowCount(), 7);
        model.setOpen(4, true);
        QCOMPARE(model.index(6, JsonTreeModel::Value).data().toString(), u"1e2"_s);
        model.setOpen(2, false);  // with all that is open inside
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.reveal(8), 6);
        QCOMPARE(model.rowOf(5), -1);  // another item, still folded
    }

    void whatIsNoJsonHasNoTreeAndSaysWhere()
    {
        const auto index = indexOf(R"({"a":1,})");
        QVERIFY(!index->hasTree());
        QCOMPARE(index->faultAt(), 7U);
        QVERIFY(!index->fault().isEmpty());
        QVERIFY(indexOf("{}", false)->fault().isEmpty());  // nobody said that it is JSON
        QVERIFY(!indexOf("")->hasTree());
        const std::atomic_bool stop = true;
        QVERIFY(PayloadIndex::build("{}", true, stop) == nullptr);
    }

    void rowsOfTextAreNeverBrokenInsideACharacter()
    {
        const QByteArray bytes = QByteArray(119, 'a') + "\xC3\xA4" + QByteArray(200, 'b') + "\nend";
        const auto index = indexOf(bytes, false);
        QCOMPARE(index->rows(), (std::vector<quint64>{0, 119, 239, 322}));
        QCOMPARE(index->rowAt(0), 0U);
        QCOMPARE(index->rowAt(118), 0U);
        QCOMPARE(index->rowAt(119), 1U);
        QCOMPARE(index->rowAt(324), 3U);
        TextRowsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setIndex(index);
        QVERIFY(model.index(1, TextRowsModel::Text).data().toString().startsWith(u"äb"_s));
        QByteArray again;
        for (int row = 0; row < model.rowCount(); ++row)
            again += model.bytesOf(row);
        QCOMPARE(again, bytes);
    }

    void bytesAreShownAsTheyAre()
    {
        HexRowsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setIndex(indexOf(QByteArray("\x00\xFF<b>0123456789ABCDEF", 21), false));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, HexRowsModel::Hex).data().toString(),
            u"00 ff 3c 62 3e 30 31 32 33 34 35 36 37 38 39 41"_s);
        QCOMPARE(model.index(0, HexRowsModel::Text).data().toString(), u"..<b>0123456789A"_s);
        QCOMPARE(model.index(1, HexRowsModel::Offset).data().toString(), u"00000010"_s);
    }

    void anArrayOfObjectsIsATable()
    {
        JsonTableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto index = indexOf(kOffers);
        QVERIFY(!model.setArray(index, 0));  // an object
        QVERIFY(model.setArray(index, 2));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), 3);
        QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), u"n"_s);
        QCOMPARE(model.index(1, 2).data().toString(), u"1e2"_s);
        QCOMPARE(model.index(0, 2).data().toString(), QString());
        QCOMPARE(model.index(0, 2).data(Qt::AccessibleTextRole).toString(), u"not there"_s);
        QVERIFY(!model.setArray(indexOf("[{},1]"), 0));
    }

    void findsExactlyTheBytes()
    {
        const std::atomic_bool stop = false;
        QCOMPARE(findAll("abcabcab", "abc", stop).at, (std::vector<quint64>{0, 3}));
        QCOMPARE(findAll("aaaa", "aa", stop).at, (std::vector<quint64>{0, 2}));
        QVERIFY(findAll("ABC", "abc", stop).at.empty());
        QVERIFY(findAll("abc", "", stop).at.empty());
        const std::atomic_bool stopped = true;
        QVERIFY(findAll("aaaa", "a", stopped).at.empty());
    }

    void treeIsOpenedByKeysAndItsPathCopied()
    {
        const Viewer v(kOffers);
        QVERIFY(v.ready());
        QCOMPARE(v.view()->mode(), PayloadViewer::Tree);
        DataTable* tree = v.view()->table(PayloadViewer::Tree);
        tree->setFocus();
        v.desk.key(Qt::Key_Down);
        QCOMPARE(v.view()->value()->toPlainText(), u"12345678901234567890.1200"_s);
        v.desk.key(Qt::Key_Down);
        v.desk.key(Qt::Key_Right);  // suppliers
        v.desk.key(Qt::Key_Down);
        v.desk.key(Qt::Key_Right);  // the first of them
        v.desk.key(Qt::Key_Down);
        v.desk.key(Qt::Key_Down);
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        v.desk.key(Qt::Key_C);
        QCOMPARE(QApplication::clipboard()->text(), u"/suppliers/0/sku"_s);
        v.desk.key(Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(), u"\"CH-2040\""_s);
        QVERIFY(v.view()->value()->isReadOnly());
    }

    void waysToShowItAreTurnedThroughByKeys()
    {
        const Viewer v(R"([{"a":1},{"a":2}])");
        QVERIFY(v.ready());
        v.view()->table(PayloadViewer::Tree)->setFocus();
        QList<PayloadViewer::Mode> modes;
        for (int i = 0; i < 4; ++i) {
            v.desk.key(Qt::Key_PageDown, Qt::ControlModifier);
            modes << v.view()->mode();
        }
        QCOMPARE(modes,
            (QList<PayloadViewer::Mode>{
                PayloadViewer::Text, PayloadViewer::Table, PayloadViewer::Hex, PayloadViewer::Tree}));
        QVERIFY(v.view()->table(PayloadViewer::Tree)->hasFocus());
    }

    void searchGoesThroughTheMatches()
    {
        const Viewer v(kOffers);
        QVERIFY(v.ready());
        v.view()->table(PayloadViewer::Tree)->setFocus();
        v.desk.key(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(v.view()->findBox()->hasFocus());
        QTest::keyClicks(v.view()->findBox(), u"sku"_s);
        v.desk.key(Qt::Key_Return);
        QTRY_COMPARE(v.view()->findText(), u"1 of 2"_s);
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        v.desk.key(Qt::Key_F3);
        QCOMPARE(v.view()->findText(), u"2 of 2"_s);
        QCOMPARE(v.view()->path(), u"/suppliers/1/sku"_s);
        v.desk.key(Qt::Key_F3);
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        v.desk.key(Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(v.view()->path(), u"/suppliers/1/sku"_s);
        v.desk.key(Qt::Key_Escape);  // leaves the box, not the run
        QVERIFY(v.desk.window->currentRun() != nullptr);
        QVERIFY(v.view()->table(PayloadViewer::Tree)->hasFocus());
        v.view()->find(u"nowhere"_s);
        QTRY_COMPARE(v.view()->findText(), u"nothing found"_s);
    }

    void beginningIsThereBeforeTheRest()
    {
        QByteArray bytes = "[";
        for (int i = 0; i < 60'000; ++i)
            bytes += (i > 0 ? ",{\"i\":" : "{\"i\":") + QByteArray::number(i) + "}";
        bytes += "]";
        const Viewer v(bytes);
        // Type and size at once, the beginning with the first answer; the rest is held back.
        QVERIFY(v.view()->headText().startsWith(u"application/json · "_s));
        QVERIFY(v.ready());
        QCOMPARE(v.view()->index()->nodes().size(), 120'001U);
        QVERIFY(v.view()->stateText().startsWith(u"120"_s));
        QCOMPARE(v.view()->index()->bytes(), bytes);
        QVERIFY(textOf(v.view()).contains(u"more not shown"_s));  // in the panel of the value
    }

    void theBytesAreComparedWithTheirStoredHash()
    {
        // SHA-256(salt || SHA-256(bytes)), computed here in another way.
        const QByteArray bytes = "{\"a\":1}";
        const QByteArray salt(std::tuple_size_v<cairn::Salt>, 's');
        const auto sha = [](const QByteArray& of) {
            return QCryptographicHash::hash(of, QCryptographicHash::Sha256);
        };
        const QString hash = QString::fromLatin1(sha(salt + sha(bytes)).toHex());
        QVERIFY(bytesFit(bytes, salt, hash));
        QVERIFY(!bytesFit(bytes + ' ', salt, hash));
        QVERIFY(!bytesFit(bytes, {}, hash));
        for (const bool fits : {true, false}) {
            Viewer v("{}");
            v.desk.source.payloadBytes = [&](const PayloadLine&) {
                return fits ? bytes : QByteArray("{\"a\":2}");
            };
            v.desk.source.payloadSalt = salt;
            v.desk.source.payloadHash = hash;
            PayloadLine line = lineOf(bytes, u"application/json"_s);
            line.id.bytes[3] = 7;
            v.page->data()->openPayload(line);
            const QString end = fits
                ? u" · stored hash "_s + hash.left(6) + u'…' + hash.right(4) + u", checked"_s
                : u": THESE BYTES DO NOT FIT IT. Do not write to this store; run cairn store check."_s;
            QTRY_VERIFY2(v.view()->headText().endsWith(end), qPrintable(v.view()->headText()));
        }
    }

    void whatIsHiddenIsRevealedOnRecordOnly()
    {
        const QByteArray bytes = R"({"iban":"DE02 1203","amount":"12.50"})";
        Viewer v(bytes);
        QVERIFY(v.ready());
        v.desk.source.hidden = {{"iban"}, {}};
        PayloadLine other = lineOf(bytes);
        other.id.bytes[3] = 6;
        v.view()->open(other);
        QVERIFY(v.ready());
        HiddenBar* bar = v.view()->hiddenBar();
        QVERIFY(bar->isVisible());
        QVERIFY2(
            v.view()->headText().contains(u"shown with 1 field hidden"_s), qPrintable(v.view()->headText()));
        QVERIFY(bar->text().startsWith(u"1 field is hidden by the workflow"_s));
        QVERIFY(v.view()->index()->bytes().contains("[hidden: iban]"));
        QVERIFY(!v.view()->index()->bytes().contains("DE02"));
        QVERIFY(!v.view()->value()->toPlainText().contains(u"DE02"_s));
        // From the keyboard: the bar is a stop of F6; the store wants a reason and says so in its place.
        const auto stops = v.view()->stops();
        QVERIFY(std::find(stops.begin(), stops.end(), bar->reason()) != stops.end());
        bar->reason()->setFocus();
        QTest::keyClick(bar->reason(), Qt::Key_Return);
        QTRY_VERIFY(bar->text().contains(u"this store wants a reason"_s));
        QVERIFY(!v.view()->index()->bytes().contains("DE02"));
        QTest::keyClicks(bar->reason(), u"asked by the bank"_s);
        QTest::keyClick(bar->reason(), Qt::Key_Return);
        QTRY_VERIFY(v.view()->whole() && v.view()->index()->bytes() == bytes);
        QCOMPARE(v.desk.source.revealReasons, (QStringList{{}, u"asked by the bank"_s}));
        QVERIFY2(
            bar->text().contains(u"1 hidden field is revealed: audit entry 812."_s), qPrintable(bar->text()));
        QCOMPARE(bar->button()->text(), u"Hide again"_s);
        // The run's page is read again: what is revealed stays, until another is chosen.
        v.view()->open(other);
        QVERIFY(v.view()->index()->bytes() == bytes);
        QTest::mouseClick(bar->button(), Qt::LeftButton);
        QTRY_VERIFY(v.view()->whole() && v.view()->index()->bytes().contains("[hidden: iban]"));
        QTest::keyClicks(bar->reason(), u"once more"_s);
        QTest::keyClick(bar->reason(), Qt::Key_Return);
        QTRY_VERIFY(v.view()->whole() && v.view()->index()->bytes() == bytes);
        v.view()->open(lineOf(bytes));
        QVERIFY(v.ready());
        QVERIFY(v.view()->index()->bytes().contains("[hidden: iban]"));
        v.view()->open(other);
        QVERIFY(v.ready());
        QVERIFY(v.view()->index()->bytes().contains("[hidden: iban]"));
    }

    void whoMayNotRevealSeesWhy()
    {
        Viewer v(R"({"iban":"DE02"})");
        QVERIFY(v.ready());
        v.desk.source.hidden = {{"iban"}, {}};
        v.desk.source.revealOff = u"\"uid 1000\" lacks the role \"privacy\""_s;
        PayloadLine other = lineOf(R"({"iban":"DE02"})");
        other.id.bytes[3] = 6;
        v.view()->open(other);
        QVERIFY(v.ready());
        HiddenBar* bar = v.view()->hiddenBar();
        QVERIFY(!bar->button()->isEnabled());
        QVERIFY(!bar->reason()->isVisible());
        QVERIFY2(bar->text().contains(u"lacks the role"_s), qPrintable(bar->text()));
    }

    void oneGoesToAByteOrAPath()
    {
        Viewer v(kOffers);
        QVERIFY(v.ready());
        QVERIFY(v.view()->goToPlace(u"/suppliers/1/sku"_s));
        QCOMPARE(v.view()->path(), u"/suppliers/1/sku"_s);
        QVERIFY(v.view()->goToPlace(u"/a~1b/~0"_s));
        QCOMPARE(v.view()->path(), u"/a~1b/~0"_s);
        QVERIFY(v.view()->goToPlace(QString::number(QByteArray(kOffers).indexOf("CH-2040"))));
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        QVERIFY(!v.view()->goToPlace(u"/suppliers/2"_s));
        QVERIFY(!v.view()->goToPlace(u"suppliers"_s));
        QVERIFY(!v.view()->goToPlace(u"100000"_s));
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        v.view()->table(PayloadViewer::Tree)->setFocus();
        QTest::keyClick(v.view()->table(PayloadViewer::Tree), Qt::Key_L, Qt::ControlModifier);
        auto* box = v.view()->findChild<NameBox*>(u"go-to"_s);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->edit(), u"/nothing"_s);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QCOMPARE(v.view()->stateText(), u"There is no /nothing in this value."_s);
    }

    void theTreeIsOpenedToALevel()
    {
        Viewer v(kOffers);
        QVERIFY(v.ready());
        DataTable* tree = v.view()->table(PayloadViewer::Tree);
        tree->setFocus();
        QCOMPARE(tree->model()->rowCount(), 5);
        QTest::keyClick(tree, Qt::Key_2, Qt::AltModifier);
        QCOMPARE(tree->model()->rowCount(), 8);  // two suppliers, and "~"
        QTest::keyClick(tree, Qt::Key_9, Qt::AltModifier);
        QCOMPARE(tree->model()->rowCount(), 13);
        QTest::keyClick(tree, Qt::Key_1, Qt::AltModifier);
        QCOMPARE(tree->model()->rowCount(), 5);
        QCOMPARE(tree->currentRow(), 0);
    }

    void namesAndValuesAreSearchedApart()
    {
        Viewer v(R"({"sku":"sku-1","x":"sku","n":{"sku":2}})");
        QVERIFY(v.ready());
        v.view()->find(u"sku"_s);
        QTRY_COMPARE(v.view()->matches().at.size(), 4U);
        v.view()->findScope()->setCurrentIndex(1);
        v.view()->find(u"sku"_s);
        QTRY_COMPARE(v.view()->matches().at, (std::vector<quint64>{2, 31}));
        v.view()->findScope()->setCurrentIndex(2);
        v.view()->find(u"sku"_s);
        QTRY_COMPARE(v.view()->matches().at, (std::vector<quint64>{8, 20}));
    }

    void whatIsNotReadYetIsSaid()
    {
        const QByteArray bytes(200'000, 'y');
        Viewer v("{}");
        v.desk.source.payloadBytes = [bytes](const PayloadLine&) { return bytes; };
        v.desk.source.partGate.close();
        PayloadLine line = lineOf(bytes, u"text/plain"_s);
        line.id.bytes[3] = 6;
        v.page->data()->openPayload(line);
        QTRY_VERIFY(v.view()->index() != nullptr && v.view()->mode() == PayloadViewer::Text);
        QVERIFY(!v.view()->whole());
        QCOMPARE(v.view()->stateText(), u"64.0 KiB of 195.3 KiB read"_s);
        QVERIFY(v.view()->table(PayloadViewer::Text)->model()->rowCount() > 500);
        v.view()->find(u"y"_s);
        QTRY_VERIFY(v.view()->findText().endsWith(u", in what has been read"_s));
        // The map is of all of it; where nothing has been read yet one cannot go.
        QVERIFY(v.view()->map()->isVisible());
        QCOMPARE(v.view()->map()->spoken(), u"at 0 B of 195.3 KiB, 64.0 KiB read, 65\u2009536 matches"_s);
        v.view()->goTo(150'000);
        QCOMPARE(v.view()->map()->here(), 65'535U);
        v.desk.source.partGate.open();
        QVERIFY(v.ready());
        QCOMPARE(v.view()->index()->bytes(), bytes);
    }

    void twentyMegabytesInOneLine()
    {
        QByteArray bytes = R"({"suppliers":[)";
        while (bytes.size() < 20 * 1024 * 1024)
            bytes += R"({"sku":"CH-2040-BK","price":202.50,"note":"Height 42 to 54 cm, mesh back"},)";
        bytes += R"({"sku":"last"}]})";
        const Viewer v(bytes);
        QVERIFY(v.ready());
        QCOMPARE(v.view()->mode(), PayloadViewer::Tree);
        v.view()->find(u"\"last\""_s);
        QTRY_COMPARE(v.view()->matches().at.size(), 1U);
        const quint32 items = v.view()->index()->nodes()[1].count;
        QCOMPARE(v.view()->path(), u"/suppliers/%1/sku"_s.arg(items - 1));
        QCOMPARE(v.view()->value()->toPlainText(), u"last"_s);
        v.view()->setMode(PayloadViewer::Hex);
        v.view()->goTo(static_cast<quint64>(bytes.size()) - 1);
        QCOMPARE(
            v.view()->table(PayloadViewer::Hex)->currentRow(), static_cast<int>((bytes.size() - 1) / 16));
    }

    void mapOfTheBytesIsExact()
    {
        ByteMap map;
        map.resize(432, 48);  // a bar of 400 pixels
        map.setSize(4000, 4000);
        QCOMPARE(map.xOf(0), 16.0);
        QCOMPARE(map.xOf(2000), 216.0);
        QCOMPARE(map.offsetAt(216.0), 2000U);
        QCOMPARE(map.offsetAt(-5.0), 0U);
        QCOMPARE(map.offsetAt(900.0), 3999U);
        map.setMatches({0, 5, 9, 15, 2005}, false);
        QCOMPARE(map.marks(), (std::vector<int>{0, 1, 200}));  // several in one pixel are one mark
        map.setHere(2000);
        map.setParts({{u"head"_s, 0, 1024}});
        QCOMPARE(map.accessibleDescription(), u"at 2.0 KiB of 3.9 KiB, 5 matches, head 1.0 KiB"_s);
        map.setSize(4000, 1024);  // another, read in part
        QCOMPARE(map.spoken(), u"at 0 B of 3.9 KiB, 1.0 KiB read"_s);
        const QSignalSpy chosen(&map, &ByteMap::offsetChosen);
        QTest::mouseClick(&map, Qt::LeftButton, {}, {216, 20});
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_End);
        QCOMPARE(chosen.at(0).at(0).toULongLong(), 2000U);
        QCOMPARE(chosen.at(1).at(0).toULongLong(), 40U);  // a hundredth from where one is
        QCOMPARE(chosen.at(2).at(0).toULongLong(), 3999U);
    }

    void mapFollowsSelectionAndSearch()
    {
        const QByteArray bytes =
            "{\"head\":\"" + QByteArray(3000, 'a') + "\",\"tail\":\"" + QByteArray(999, 'b') + "\"}";
        QCOMPARE(bytes.size(), 4020);
        const Viewer v(bytes);
        QVERIFY(v.ready());
        ByteMap* map = v.view()->map();
        QVERIFY(map->isVisible());
        QCOMPARE(map->parts().size(), 2U);
        QCOMPARE(map->parts()[0].name, u"head"_s);
        QCOMPARE(map->parts()[0].begin, 1U);  // with its name
        QCOMPARE(map->parts()[0].end, 3010U);
        QCOMPARE(map->parts()[1].begin, 3011U);
        QCOMPARE(map->parts()[1].end, 4019U);
        v.view()->table(PayloadViewer::Tree)->setFocus();
        v.desk.key(Qt::Key_Down);
        v.desk.key(Qt::Key_Down);
        QCOMPARE(v.view()->path(), u"/tail"_s);
        QCOMPARE(map->here(), 3018U);
        v.view()->find(u"b\""_s);
        QTRY_COMPARE(v.view()->matches().at.size(), 1U);
        QCOMPARE(map->here(), 4017U);
        QVERIFY(map->spoken().contains(u"1 match"_s));
        map->setFocus();
        v.desk.key(Qt::Key_Home);
        QCOMPARE(map->here(), 0U);
        QCOMPARE(v.view()->path(), QString());
        v.view()->find(u"nowhere"_s);
        QTRY_COMPARE(v.view()->findText(), u"nothing found"_s);
        QVERIFY(map->marks().empty());
        const Viewer small(kOffers);
        QVERIFY(small.ready());
        QVERIFY(!small.view()->map()->isVisible());  // all of it is in sight
    }

    void valueIsShownWholeAndAsStored()
    {
        const QByteArray bytes(kOffers);
        const Viewer v(bytes);
        QVERIFY(v.ready());
        v.view()->goTo(static_cast<quint64>(bytes.indexOf("CH-2040")));
        QCOMPARE(v.view()->path(), u"/suppliers/0/sku"_s);
        QCOMPARE(v.view()->value()->toPlainText(), u"CH-2040"_s);
        const auto begin = bytes.indexOf("\"CH-2040\"");
        PayloadValue* panel = v.view()->valuePanel();
        QCOMPARE(panel->factsText(),
            u"string · 7 characters · 9 B · bytes %1 to %2 of %3"_s.arg(begin).arg(begin + 9).arg(
                bytes.size()));
        QCOMPARE(panel->moreText(), u"Shown whole."_s);
        const QString stored = panel->stored()->toPlainText();
        const QString from = u"%1  "_s.arg(bytes.indexOf("\"sku\":\"CH"), 8, 16, QChar(u'0'));
        QVERIFY2(stored.startsWith(from + u"\"sku\":\"CH-2040\"},"_s), qPrintable(stored));
        QCOMPARE(stored.count(u'\n'), 1);  // 79 bytes are two rows
        v.view()->goTo(0);
        QVERIFY(panel->factsText().startsWith(u"object · 4 members · "_s));
        const Viewer escaped(R"({"a":"x\ny \u00e9"})");
        QVERIFY(escaped.ready());
        escaped.view()->goTo(5);
        QCOMPARE(escaped.view()->value()->toPlainText(), u"x\ny é"_s);
        QCOMPARE(
            escaped.view()->valuePanel()->stored()->toPlainText(), u"00000001  \"a\":\"x\\ny \\u00e9\"}"_s);
        QVERIFY(escaped.view()->valuePanel()->factsText().startsWith(u"string · 5 characters · 13 B"_s));
    }

    void storedRowsBreakBetweenCharacters()
    {
        const QByteArray bytes = "a" + QByteArray("\xc3\xa9").repeated(30);
        const std::vector<StoredRow> rows = storedRows(bytes, 0, 4);
        QCOMPARE(rows.size(), 2U);
        QCOMPARE(rows[0].bytes.size(), 39);  // at 40 stands the second half of a character
        QCOMPARE(rows[1].offset, 39U);
        QCOMPARE(rows[1].bytes.size(), 22);
        QCOMPARE(storedRows(bytes, 39, 4).front().bytes, rows[1].bytes);
        QVERIFY(storedRows(bytes, 61, 4).empty());
    }

    void imageIsDrawnByAnActOnly()
    {
        QImage image(7, 5, QImage::Format_RGB32);
        image.fill(Qt::blue);
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QVERIFY(image.save(&buffer, "PNG"));
        const Viewer v(bytes, u"image/png"_s);
        QVERIFY(v.ready());
        QCOMPARE(v.view()->mode(), PayloadViewer::Text);
        v.view()->drawImage();
        QTRY_COMPARE(v.view()->mode(), PayloadViewer::Image);
        QCOMPARE(v.view()->stateText(), u"image, 7 × 5"_s);
    }

    void whatOnlyClaimsToBeAnImageIsNotDrawn()
    {
        const Viewer v(R"(<svg width="9" height="9"/>)", u"image/svg+xml"_s);
        QVERIFY(v.ready());
        v.view()->drawImage();
        QTRY_VERIFY(v.view()->stateText().startsWith(u"These bytes are no image"_s));
        QVERIFY(v.view()->mode() != PayloadViewer::Image);
    }
};

QTEST_MAIN(TestPayload)
#include "tst_payload.moc"
