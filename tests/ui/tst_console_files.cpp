// Links, preferences, recent stores, what is wrong with a store's file, and when somebody is told of a
// situation.
#include "ui/data/deeplink.h"
#include "ui/data/preferences.h"
#include "ui/data/storecheck.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace {

SituationLine situation(const QString& key, quint64 count, qint64 oldest)
{
    SituationLine line;
    line.key = key;
    line.wait = u"Throttled"_s;
    line.what = u"HTTP 429"_s;
    line.where = u"pay"_s;
    line.count = count;
    line.oldest = oldest;
    line.glyph = Glyph::Limit;
    return line;
}

}  // namespace

class TestConsoleFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linksGoThereAndBack()
    {
        const DeepLink link{
            u"sqlite:/data/a b.db"_s, u"0193b2a4"_s, u"wait:timer -step:\"a&b\""_s, u"audit"_s};
        const auto again = parseDeepLink(linkText(link));
        QVERIFY2(again, qPrintable(again.failure.what));
        QCOMPARE(*again.value, link);
        QVERIFY(isDeepLink(u"cairn://open?store=x"_s));
        QVERIFY(!isDeepLink(u"sqlite:x"_s));
    }

    void wrongLinksSayWhatIsWrong_data()
    {
        QTest::addColumn<QString>("link");
        QTest::addColumn<QString>("what");
        QTest::newRow("host") << u"cairn://act?store=sqlite:x"_s << u"it does not begin with cairn://open?"_s;
        QTest::newRow("name") << u"cairn://open?store=sqlite:x&verb=approve"_s
                              << u"it has the unknown name \"verb\"."_s;
        QTest::newRow("twice") << u"cairn://open?store=sqlite:x&run=a&run=b"_s << u"it has run twice."_s;
        QTest::newRow("store") << u"cairn://open?store=http://x"_s
                               << u"store= must name a sqlite: or postgresql: store."_s;
        QTest::newRow("password") << u"cairn://open?store=postgresql://u:secret@h/d"_s
                                  << u"a password does not belong into a link."_s;
        QTest::newRow("page") << u"cairn://open?store=sqlite:x&page=shell"_s
                              << u"there is no page \"shell\"; there is audit."_s;
    }
    void wrongLinksSayWhatIsWrong()
    {
        QFETCH(QString, link);
        QFETCH(QString, what);
        const auto reply = parseDeepLink(link);
        QVERIFY(!reply);
        QCOMPARE(reply.failure.what, u"This is no link of Cairn: "_s + what);
    }

    void faultsOfFilesAreExplained()
    {
        const QTemporaryDir folder;
        const auto told = [](const QString& path) {
            QString todo;
            const auto fault = fileFault(path, todo);
            return fault ? fault->text + u" | "_s + todo : QString();
        };
        const QString gone = folder.filePath(u"gone.db"_s);
        QCOMPARE(told(gone),
            u"there is no file %1 | cairn store init makes a store; or choose the file."_s.arg(gone));
        QCOMPARE(told(folder.filePath(u"no/such.db"_s)),
            u"there is no folder %1 | Look for a typing mistake, or mount what holds it."_s.arg(
                folder.filePath(u"no"_s)));
        QCOMPARE(
            told(folder.path()), u"%1 is a folder | Name the file of the store in it."_s.arg(folder.path()));
        const QString text = folder.filePath(u"notes.txt"_s);
        QFile file(text);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hello");
        file.close();
        QCOMPARE(told(text),
            u"%1 is no SQLite file | A store of Cairn is one, and a bundle is a zip file; anything else is neither."_s
                .arg(text));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray("SQLite format 3\0 and so on", 26));
        file.close();
        QCOMPARE(told(text), QString());
    }

    void recentStoresAreFewAndTheNewestFirst()
    {
        std::vector<RecentStore> all;
        for (int i = 0; i < 15; ++i)
            all = withRecent(std::move(all), {u"sqlite:/%1"_s.arg(i), u"dev"_s, false, i});
        QCOMPARE(all.size(), 12U);
        all = withRecent(std::move(all), {u"sqlite:/10"_s, u"dev"_s, true, 20});
        QCOMPARE(all.size(), 12U);
        QCOMPARE(all.front().url, u"sqlite:/10"_s);
        QVERIFY(all.front().act);
        QCOMPARE(all[1].url, u"sqlite:/14"_s);
    }

    void preferencesGoThereAndBack()
    {
        Preferences other;
        other.shade = Shade::Dark;
        other.letters = false;
        other.rules[1].limit = 7;
        other.rules[3].on = false;
        other.rules[5].on = false;
        other.contrast = true;
        other.bound = u"h=z, z=h"_s;
        other.reasons = {u"the provider confirmed it"_s};
        other.colours[1] = u"#884400"_s;
        QCOMPARE(readPreferences(preferencesText(other)), other);
        QCOMPARE(readPreferences("{ not json"), Preferences());
        QCOMPARE(
            readPreferences(R"({"theme":"pink","notify":[{"when":"count_over","limit":-5}]})").rules[1].limit,
            qint64(0));
        const QByteArray some("{\"colours\":{\"person\":\"red\",\"done\":\"#00FF00\"}}");
        std::array<QString, kFamilies> wanted;
        wanted[static_cast<std::size_t>(Family::Good)] = u"#00ff00"_s;
        QCOMPARE(readPreferences(some).colours, wanted);
    }

    void plansAreToldOnceUntilTheyAreOver()
    {
        NoticeBook book;
        Overview overview;
        overview.plans = {{u"plan 1"_s, true, 0, u"Cancel of 3 runs"_s, u"1 of 2"_s},
            {u"plan 2"_s, false, 2, u"Retry of 40 runs"_s, u"is looked after"_s}};
        const std::vector<NotifyRule> rules = Preferences().rules;
        auto notices = book.look(0, rules, overview);
        QCOMPARE(notices.size(), 2U);
        QCOMPARE(notices[0].title, u"A second person must look: Cancel of 3 runs"_s);
        QVERIFY(notices[0].ofPlan());
        QCOMPARE(notices[0].situation, u"plan 1"_s);
        QCOMPARE(notices[1].title, u"2 runs are back again: Retry of 40 runs"_s);
        QCOMPARE(notices[1].text, u"is looked after"_s);
        overview.plans[1].again = 3;
        QVERIFY(book.look(0, rules, overview).empty());
        overview.plans[0].waits = false;
        QVERIFY(book.look(0, rules, overview).empty());
        overview.plans[0].waits = true;
        QCOMPARE(book.look(0, rules, overview).size(), 1U);  // again
    }

    void eachSituationIsToldOnceUntilItIsOver()
    {
        const std::vector<NotifyRule> rules = Preferences().rules;
        NoticeBook book;
        Overview overview;
        overview.at = 10'000'000;
        overview.situations = {situation(u"a"_s, 5, 9'000'000)};
        QVERIFY(book.look(0, rules, overview).empty());  // the first look: nothing is new
        overview.situations.push_back(situation(u"b"_s, 5, 9'000'000));
        auto notices = book.look(0, rules, overview);
        QCOMPARE(notices.size(), 1U);
        QCOMPARE(notices.front().title, u"New: Throttled"_s);
        QCOMPARE(notices.front().text, u"HTTP 429 · pay"_s);
        QVERIFY(book.look(0, rules, overview).empty());
        overview.situations.back().count = 101;
        notices = book.look(0, rules, overview);
        QCOMPARE(notices.size(), 1U);
        QCOMPARE(notices.front().title, u"Throttled: 101 runs"_s);
        QVERIFY(book.look(0, rules, overview).empty());
        overview.situations.back().count = 100;  // over, and again
        QVERIFY(book.look(0, rules, overview).empty());
        overview.situations.back().count = 300;
        QCOMPARE(book.look(0, rules, overview).size(), 1U);
        QVERIFY(book.look(1, rules, overview).size() == 1);  // of another store: its count, and nothing new
    }

    void approvalsAreToldBeforeTheyExpire()
    {
        NoticeBook book;
        Overview overview;
        overview.at = 10'000'000;
        SituationLine approval = situation(u"a"_s, 1, 9'000'000);
        approval.wait = u"Approval"_s;
        approval.glyph = Glyph::Approval;
        approval.next = overview.at + 7'200'000;
        overview.situations = {approval};
        QVERIFY(book.look(0, Preferences().rules, overview).empty());
        overview.at += 4'800'000;
        const auto notices = book.look(0, Preferences().rules, overview);
        QCOMPARE(notices.size(), 1U);
        QCOMPARE(notices.front().title, u"Approval expires in 40 m 00 s"_s);
        overview.attention = {{u"person"_s, Glyph::None, u"A person must"_s, 11, {}, true},
            {u"person"_s, Glyph::Approval, u"approval"_s, 7, {}, false}};
        QCOMPARE(personMust(overview), quint64(11));
    }
};

QTEST_GUILESS_MAIN(TestConsoleFiles)
#include "tst_console_files.moc"
