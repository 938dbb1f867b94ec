// The handbook as the programs carry it: the pages are those of the folder, every reason and every verb of
// operators has one that says what has to be said, and links lead somewhere.
#include "core/handbook/handbook.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QDirIterator>
#include <QtCore/QFile>
#include <QtCore/QRegularExpression>

#include <set>

using namespace cairn;

namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

// A page with its code replaced by blanks, as the lint of links reads it.
QString prose(const HandbookPage& page)
{
    static const QRegularExpression code(
        QStringLiteral("^(?: {4}|\\t)[^\\n]*|`[^`\\n]*`"), QRegularExpression::MultilineOption);
    return text(page.text).replace(code, QStringLiteral(" "));
}

QStringList headings(const HandbookPage& page)
{
    static const QRegularExpression heading(
        QStringLiteral("^#{1,6} +(.+?) *$"), QRegularExpression::MultilineOption);
    QStringList all;
    for (auto it = heading.globalMatch(text(page.text)); it.hasNext();)
        all << it.next().captured(1);
    return all;
}

// Whoever acts by hand uses these: the operators' own, the signal in a sender's place, and what came after
// the first version (values are stored, so they stand at the end).
bool isOperators(const Word& verb)
{
    return verb.value <= static_cast<std::uint8_t>(Verb::Redact)
        || verb.value == static_cast<std::uint8_t>(Verb::Signal)
        || verb.value > static_cast<std::uint8_t>(Verb::ImportRuns);
}

std::string names(const std::vector<const HandbookPage*>& pages)
{
    std::string all;
    for (const HandbookPage* page : pages)
        all += (all.empty() ? "" : " ") + std::string(page->name);
    return all;
}

}  // namespace

class TestHandbook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pagesAreThoseOfTheFolder()
    {
        const QString folder = QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/");
        std::size_t count = 0;
        QDirIterator files(folder, {QStringLiteral("*.md")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            const QByteArray name = file.fileName().mid(folder.size()).chopped(3).toUtf8();
            const HandbookPage* page = handbookPage(std::string_view(name.constData()));
            QVERIFY2(page != nullptr, name.constData());
            QVERIFY2(
                page->text == std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
                name.constData());
            QVERIFY2(page->text.starts_with("# " + std::string(page->title) + "\n"), name.constData());
            ++count;
        }
        QCOMPARE(handbookPages().size(), count);
        QVERIFY(handbookPage("no such page") == nullptr);
    }

    void everyReasonHasItsPage_data()
    {
        QTest::addColumn<int>("reason");
        for (const Word& word : words<Reason>())
            if (word.value != static_cast<std::uint8_t>(Reason::None))
                QTest::newRow(std::string(word.key).c_str()) << int(word.value);
    }
    void everyReasonHasItsPage()
    {
        QFETCH(int, reason);
        const Word& word = cairn::word(static_cast<Reason>(reason));
        const HandbookPage* page = handbookPage(static_cast<Reason>(reason));
        QVERIFY2(page != nullptr, "write resources/handbook/reasons/<key>.md");
        QCOMPARE(page->title, word.label);
        const QString all = text(page->text);
        QVERIFY2(all.section(QStringLiteral("\n## "), 0, 0)
                     .contains(QLatin1Char('`') + text(word.key) + QLatin1Char('`')),
            "its beginning names the machine word");
        QVERIFY2(all.contains(QStringLiteral("\n> ")), "it shows the sentence");
        QCOMPARE(headings(*page).mid(1),
            QStringList({QStringLiteral("What Cairn does by itself"), QStringLiteral("What ends it"),
                QStringLiteral("What you may do, the safest first"), QStringLiteral("What not to do")}));
        const QString list =
            all.section(QStringLiteral("the safest first\n"), 1).section(QStringLiteral("\n## "), 0, 0);
        QVERIFY2(list.contains(QStringLiteral("\n1. ")) && list.contains(QStringLiteral("\n3. ")),
            "the ways out are a list, by their order");
        QVERIFY2(list.contains(QStringLiteral("`cairn ")), "they name their commands");
        // Where a verb is named, its page is a step away.
        QVERIFY2(list.contains(QStringLiteral("](../verbs/")), "they lead to the pages of the verbs");
    }

    void everyOperatorsVerbHasItsPage_data()
    {
        QTest::addColumn<int>("verb");
        for (const Word& word : words<Verb>())
            if (isOperators(word))
                QTest::newRow(std::string(word.key).c_str()) << int(word.value);
    }
    void everyOperatorsVerbHasItsPage()
    {
        QFETCH(int, verb);
        const Word& word = cairn::word(static_cast<Verb>(verb));
        const HandbookPage* page = handbookPage(static_cast<Verb>(verb));
        QVERIFY2(page != nullptr, "write resources/handbook/verbs/<key>.md");
        QCOMPARE(page->title, word.label);
        const QString all = text(page->text);
        QVERIFY2(all.contains(QStringLiteral("\n    cairn ")), "it shows its command");
        QVERIFY2(all.contains(QStringLiteral("\n**Key:** ")), "it names its key, or says that there is none");
        QCOMPARE(headings(*page).mid(1),
            QStringList({QStringLiteral("What happens"), QStringLiteral("When it is refused"),
                QStringLiteral("The safest way"), QStringLiteral("Undoing it"),
                QStringLiteral("What not to do")}));
    }

    void noPageIsAboutNothing()
    {
        for (const HandbookPage& page : handbookPages()) {
            const std::size_t slash = page.name.find('/');
            const std::string_view name = page.name.substr(slash + 1);
            if (page.name.starts_with("reasons/"))
                QVERIFY2(parseKey<Reason>(name).has_value(), std::string(page.name).c_str());
            else if (page.name.starts_with("verbs/"))
                QVERIFY2(parseKey<Verb>(name).has_value(), std::string(page.name).c_str());
        }
    }

    void linksLeadSomewhere()
    {
        static const QRegularExpression link(QStringLiteral("\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
        int followed = 0;
        for (const HandbookPage& page : handbookPages()) {
            for (auto it = link.globalMatch(prose(page)); it.hasNext();) {
                const QByteArray target = it.next().captured(1).toUtf8();
                if (target.endsWith(".png"))  // a picture; that it is there is held by lint-pictures
                    continue;
                const auto place = handbookLink(page, target.constData());
                const QByteArray where = text(page.name).toUtf8() + ": " + target;
                // Out of the handbook, to the tree's own pages: these are not part of the programs.
                if (!place && page.name.find('/') == std::string_view::npos && target.startsWith("../../"))
                    continue;
                QVERIFY2(place.has_value(), where.constData());
                ++followed;
                if (place->place.empty())
                    continue;
                QStringList anchors;
                for (const QString& heading : headings(*place->page))
                    anchors << QString::fromStdString(headingAnchor(heading.toStdString()));
                QVERIFY2(anchors.contains(QString::fromStdString(place->place)), where.constData());
            }
        }
        QVERIFY(followed > 100);
    }

    void theIndexNamesEveryPage()
    {
        static const QRegularExpression link(QStringLiteral("\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
        const HandbookPage* index = handbookPage("README");
        QVERIFY(index != nullptr);
        std::set<std::string_view> named{index->name};
        for (auto it = link.globalMatch(prose(*index)); it.hasNext();)
            if (const auto place = handbookLink(*index, it.next().captured(1).toStdString()))
                named.insert(place->page->name);
        for (const HandbookPage& page : handbookPages())
            QVERIFY2(named.contains(page.name), std::string(page.name).c_str());
    }

    void linksAreRead_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("link");
        QTest::addColumn<QByteArray>("page");
        QTest::addColumn<QByteArray>("place");
        QTest::newRow("beside") << QByteArray("README") << QByteArray("limits.md") << QByteArray("limits")
                                << QByteArray();
        QTest::newRow("up") << QByteArray("reasons/lease") << QByteArray("../engine.md#clocks")
                            << QByteArray("engine") << QByteArray("clocks");
        QTest::newRow("across") << QByteArray("reasons/lease") << QByteArray("../verbs/takeover.md")
                                << QByteArray("verbs/takeover") << QByteArray();
        QTest::newRow("here") << QByteArray("engine") << QByteArray("#limits") << QByteArray("engine")
                              << QByteArray("limits");
        QTest::newRow("above the handbook")
            << QByteArray("README") << QByteArray("../../README.md") << QByteArray() << QByteArray();
        QTest::newRow("the net") << QByteArray("README") << QByteArray("https://example.org/limits.md")
                                 << QByteArray() << QByteArray();
        QTest::newRow("a file") << QByteArray("README") << QByteArray("file:///etc/passwd") << QByteArray()
                                << QByteArray();
        QTest::newRow("no page") << QByteArray("README") << QByteArray("nowhere.md") << QByteArray()
                                 << QByteArray();
    }
    void linksAreRead()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, link);
        QFETCH(QByteArray, page);
        QFETCH(QByteArray, place);
        const HandbookPage* source = handbookPage(from.constData());
        QVERIFY(source != nullptr);
        const auto found = handbookLink(*source, link.constData());
        QCOMPARE(found.has_value(), !page.isEmpty());
        if (found) {
            QCOMPARE(found->page->name, std::string_view(page.constData()));
            QCOMPARE(found->place, place.toStdString());
        }
    }

    void wordsFindTheirPages_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QByteArray>("pages");
        const auto row = [](const char* word, const char* pages) {
            QTest::newRow(word) << QByteArray(word) << QByteArray(pages);
        };
        row("approval", "reasons/approval");
        row("approve", "verbs/approve");
        row("retry", "reasons/retry verbs/retry");
        row("reasons/retry", "reasons/retry");
        row("Signal", "reasons/signal verbs/signal");
        row("uncertain EFFECT", "reasons/outcome_unknown");
        row("Set outcome", "verbs/settle");
        row("Runbook", "runbook");
        row("limits", "limits");
        row("readme", "README");
        row("none", "");
        row("advance", "");
        row("no such word", "");
        row("", "");
    }
    void wordsFindTheirPages()
    {
        QFETCH(QByteArray, word);
        QFETCH(QByteArray, pages);
        QCOMPARE(names(handbookAbout(word.constData())), pages.toStdString());
    }

    void anchorsAreThoseOfWebPages()
    {
        QCOMPARE(headingAnchor("What the drill does"), std::string("what-the-drill-does"));
        QCOMPARE(
            headingAnchor("1. Is it `the run`, or the store?"), std::string("1-is-it-the-run-or-the-store"));
        QCOMPARE(headingAnchor("Roll-out_2"), std::string("roll-out_2"));
    }

    void aSearchFindsTheBestPageFirst()
    {
        const auto hits = searchHandbook("uncertain effect");
        QVERIFY(hits.size() > 3);
        QCOMPARE(hits.front().page->name, std::string_view("reasons/outcome_unknown"));
        QCOMPARE(searchHandbook("UNCERTAIN  Effect").size(), hits.size());
        QCOMPARE(searchHandbook("uncertain effect", 1).size(), std::size_t{1});
        for (const HandbookHit& hit : searchHandbook("parked")) {
            QVERIFY(QString::fromStdString(hit.line).contains(QStringLiteral("parked"), Qt::CaseInsensitive));
            QVERIFY(hit.line.size() <= 170);
            QVERIFY(hit.line.find('*') == std::string::npos);
        }
        QVERIFY(searchHandbook("zzqqxx").empty());
        QVERIFY(searchHandbook("  ").empty());
    }

    void aHitNamesItsPlace()
    {
        const auto hits = searchHandbook("silent_sessions");
        QVERIFY(!hits.empty());
        for (const HandbookHit& hit : hits)
            if (hit.page->name == "reasons/lease")
                QCOMPARE(hit.place, std::string("what-you-may-do-the-safest-first"));
    }
};

QTEST_GUILESS_MAIN(TestHandbook)
#include "tst_handbook.moc"
