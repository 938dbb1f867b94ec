// Numbers, times, ids, and text made safe: exact results.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/source.h"
#include "ui/data/words.h"

#include <QCoreApplication>
#include <QSet>
#include <QTest>
#include <QTranslator>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace {
QString codePoint(char32_t c) { return QString::fromUcs4(&c, 1); }

// A language with three forms for numbers.
class Polish final : public QTranslator {
public:
    [[nodiscard]] QString translate(
        const char* context, const char* source, const char*, int n) const override
    {
        if (qstrcmp(context, "plural") != 0 || qstrcmp(source, "runs") != 0)
            return {};
        const bool few = n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 12 || n % 100 > 14);
        return n == 1 ? u"przebieg"_s : few ? u"przebiegi"_s : u"przebiegów"_s;
    }
    [[nodiscard]] bool isEmpty() const override { return false; }
};
}  // namespace

class TestFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durations_data()
    {
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << qint64(0) << u"0 ms"_s;
        QTest::newRow("under a second") << qint64(850) << u"850 ms"_s;
        QTest::newRow("seconds") << qint64(12'440) << u"12.4 s"_s;
        QTest::newRow("just under a minute") << qint64(59'999) << u"59.9 s"_s;
        QTest::newRow("minutes") << qint64(185'000) << u"3 m 05 s"_s;
        QTest::newRow("hours") << qint64(3'840'000) << u"1 h 04 m"_s;
        QTest::newRow("days") << qint64(183'600'000) << u"2 d 3 h"_s;
        QTest::newRow("negative") << qint64(-3'200) << u"−3.2 s"_s;
    }
    void durations()
    {
        QFETCH(qint64, ms);
        QTEST(durationText(ms), "text");
    }

    void failuresSayAllThatIsKnown()
    {
        QCOMPARE(told({u"the disk is full"_s, u"The store is unchanged."_s, u"Free space."_s, false, false,
                     false, u"full 28"_s}),
            u"the disk is full. The store is unchanged. Free space. Code: full 28."_s);
        QCOMPARE(told({u"no such run"_s, {}, u"Check the id."_s}), u"no such run. Check the id."_s);
        QCOMPARE(told({u"no such run"_s, {}, {}}), u"no such run"_s);
    }

    void numbers()
    {
        QCOMPARE(countText(7), u"7"_s);
        QCOMPARE(countText(1204), QString(u"1"_s + QChar(0x2009) + u"204"_s));
        QCOMPARE(sizeText(214), u"214 B"_s);
        QCOMPARE(sizeText(86'118), u"84.1 KiB"_s);
        QCOMPARE(sizeText(21'390'118), u"20.4 MiB"_s);
        QCOMPARE(moneyText(249'900'000, u"EUR"_s), u"249.90 EUR"_s);
        QCOMPARE(moneyText(1'234'567, u"USD"_s), u"1.234567 USD"_s);
        QCOMPARE(moneyText(-5'000'000, u"USD"_s), u"−5.00 USD"_s);
        QCOMPARE(moneyText(5, QString()), QString());
        QCOMPARE(instantText(1'795'949'780'000), u"2026-11-29 10:56:20Z"_s);
        QCOMPARE(preciseText(1'795'949'780'318), u"2026-11-29 10:56:20.318Z"_s);
        QCOMPARE(clockText(1'795'949'780'000, 1'795'949'790'000), u"10:56:20"_s);
        QCOMPARE(clockText(1'795'949'780'000, 1'796'949'790'000), u"11-29 10:56"_s);
        QCOMPARE(clockText(0, 5), u"–"_s);
    }

    void textIsMadeVisible_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shownText");
        QTest::newRow("plain") << u"a < b > c & d"_s << u"a < b > c & d"_s;
        QTest::newRow("escape") << QString(u"x"_s + QChar(0x1B) + u"[31m"_s) << u"x␛[31m"_s;
        QTest::newRow("C1") << QString(QChar(0x9B)) << u"⟨U+009B⟩"_s;
        QTest::newRow("right-to-left override")
            << QString(u"a"_s + QChar(0x202E) + u"b"_s) << u"a⟨U+202E⟩b"_s;
        QTest::newRow("zero width") << QString(u"pay"_s + QChar(0x200B) + u"pal"_s) << u"pay⟨U+200B⟩pal"_s;
        QTest::newRow("fillers of Hangul") << QString(u"a"_s + QChar(0x115F) + QChar(0x3164) + QChar(0xFFA0))
                                           << u"a⟨U+115F⟩⟨U+3164⟩⟨U+FFA0⟩"_s;
        QTest::newRow("tags, beyond 16 bits")
            << QString(u"pay"_s + codePoint(0xE0001) + codePoint(0xE0061) + codePoint(0xE0FFF))
            << u"pay⟨U+E0001⟩⟨U+E0061⟩⟨U+E0FFF⟩"_s;
        QTest::newRow("musical format") << codePoint(0x1D173) << u"⟨U+1D173⟩"_s;
        QTest::newRow("half a pair") << QString(u"a"_s + QChar(0xD83D)) << u"a⟨U+D83D⟩"_s;
        QTest::newRow("what can be seen") << QString(u"é "_s + codePoint(0x1F600) + QChar(0xFE0F))
                                          << QString(u"é "_s + codePoint(0x1F600) + QChar(0xFE0F));
        QTest::newRow("line break in a cell") << u"a\nb"_s << u"a␊b"_s;
    }
    void textIsMadeVisible()
    {
        QFETCH(QString, text);
        QTEST(shown(text), "shownText");
    }

    void longTextSaysWhatIsLeftOut()
    {
        QCOMPARE(shown(u"abcdef"_s, false, 4), u"abcd… (2 more)"_s);
        // A pair is not cut in two.
        QCOMPARE(shown(u"a"_s + codePoint(0x1F600) + u"bc"_s, false, 2),
            QString(u"a"_s + codePoint(0x1F600) + u"… (2 more)"_s));
        QCOMPARE(shown(u"a\nb"_s, true), u"a\nb"_s);
    }

    void tipsAreEscaped()
    {
        QCOMPARE(tip(u"<img src=\"x\">"_s), u"<span>&lt;img src=&quot;x&quot;&gt;</span>"_s);
        QCOMPARE(tip(QString()), QString());
    }

    void everyReasonHasAShapeOfItsFamily()
    {
        for (const cairn::Word& word : cairn::words<cairn::Reason>()) {
            const auto reason = static_cast<cairn::Reason>(word.value);
            const Family family = familyOf(glyphOf(reason));
            switch (word.attention) {
            case cairn::Attention::UnknownEffect: QCOMPARE(family, Family::Uncertain); break;
            case cairn::Attention::Repair: QCOMPARE(family, Family::Nobody); break;
            case cairn::Attention::Person:
                QCOMPARE(family, reason == cairn::Reason::Paused ? Family::Rest : Family::Person);
                break;
            default: QCOMPARE(family, Family::Moving);
            }
        }
    }

    void countsTakeTheFormsOfTheLanguage()
    {
        QCOMPARE(plural(0, "run", "runs"), u"0 runs"_s);
        QCOMPARE(plural(1, "run", "runs"), u"1 run"_s);
        QCOMPARE(plural(2, "entry", "entries"), u"2 entries"_s);
        Polish polish;
        QVERIFY(QCoreApplication::installTranslator(&polish));
        QCOMPARE(plural(1, "run", "runs"), u"1 przebieg"_s);
        QCOMPARE(plural(3, "run", "runs"), u"3 przebiegi"_s);
        QCOMPARE(plural(12, "run", "runs"), u"12 przebiegów"_s);
        QCOMPARE(plural(22, "run", "runs"), u"22 przebiegi"_s);
        QCOMPARE(plural(5, "entry", "entries"), u"5 entries"_s);  // not translated
        QVERIFY(QCoreApplication::removeTranslator(&polish));
        QSet<QString> nouns;
        for (const char* noun : countedNouns())
            nouns.insert(QString::fromLatin1(noun));
        QCOMPARE(nouns.size(), static_cast<qsizetype>(countedNouns().size()));
        QVERIFY(nouns.contains(u"runs"_s));
    }

    void daysAreThoseOfUtc()
    {
        QCOMPARE(dayText(0), u"1970-01-01"_s);
        QCOMPARE(dayText(20'786), u"2026-11-29"_s);
    }

    // The ids of acts are the same in every language.
    void idsOfActsAreNotTranslated()
    {
        QCOMPARE(verbSlug(cairn::Verb::Settle), u"set-outcome"_s);
        QCOMPARE(verbSlug(cairn::Verb::Retry), u"retry-now"_s);
        QCOMPARE(verbName(cairn::Verb::Settle), u"Set outcome"_s);
    }

    void everyShapeHasANameOfItsOwn()
    {
        QSet<QString> names;
        for (int g = 1; g < static_cast<int>(Glyph::Count); ++g)
            names.insert(glyphName(static_cast<Glyph>(g)));
        QCOMPARE(names.size(), static_cast<int>(Glyph::Count) - 1);
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
