// Without any colour every state still has a shape or a word of its own: shapes alone, chips of stores, the
// tabs and the picture of a run.
#include "ui/data/words.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QImage>
#include <QPainter>
#include <QRadioButton>
#include <QTest>

#include <cmath>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace {

// How much of each pixel is covered, 0 to 1, whatever the colour: two shapes that differ in colour only have
// the same cover.
std::vector<double> coverOf(Glyph glyph, int size)
{
    QImage image(size, size, QImage::Format_ARGB32_Premultiplied);
    image.fill(theme().window);
    {
        QPainter painter(&image);
        paintGlyph(painter, QRectF(0, 0, size, size), glyph, theme().window);
    }
    const double ground = qGray(theme().window.rgb());
    std::vector<double> cover;
    double most = 0;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            cover.push_back(std::abs(qGray(image.pixel(x, y)) - ground));
            most = std::max(most, cover.back());
        }
    for (double& one : cover)
        one = most > 0 ? one / most : 0;
    return cover;
}

// Pixels in which two shapes clearly differ.
int apart(const std::vector<double>& a, const std::vector<double>& b)
{
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        count += std::abs(a[i] - b[i]) > 0.4 ? 1 : 0;
    return count;
}

int inked(const std::vector<double>& cover)
{
    return static_cast<int>(std::count_if(cover.begin(), cover.end(), [](double one) { return one > 0.5; }));
}

}  // namespace

class TestGrey : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStateHasAShapeAndAWord_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("size");
        for (const bool dark : {false, true})
            for (const int size : {12, 16, 24})
                QTest::addRow("%s, %d px", dark ? "dark" : "light", size) << dark << size;
    }

    void everyStateHasAShapeAndAWord()
    {
        QFETCH(bool, dark);
        QFETCH(int, size);
        applyTheme(*qApp, dark);
        constexpr int kLeast = 3;  // pixels; a shape of 12 px has some fifty
        std::vector<std::vector<double>> covers;
        QSet<QString> words;
        for (int g = 1; g < static_cast<int>(Glyph::Count); ++g) {
            covers.push_back(coverOf(static_cast<Glyph>(g), size));
            QVERIFY2(inked(covers.back()) >= size, qPrintable(glyphName(static_cast<Glyph>(g))));
            words.insert(glyphName(static_cast<Glyph>(g)));
        }
        QCOMPARE(words.size(), static_cast<int>(Glyph::Count) - 1);
        QVERIFY(!words.contains(QString()));
        for (std::size_t a = 0; a < covers.size(); ++a)
            for (std::size_t b = a + 1; b < covers.size(); ++b)
                QVERIFY2(apart(covers[a], covers[b]) >= kLeast,
                    qPrintable(
                        u"%1 and %2 differ in %3 pixels only"_s
                            .arg(glyphName(static_cast<Glyph>(a + 1)), glyphName(static_cast<Glyph>(b + 1)))
                            .arg(apart(covers[a], covers[b]))));
    }

    // The measure sees shapes, and no colours.
    void theMeasureIsBlindToColour()
    {
        applyTheme(*qApp, false);
        const auto light = coverOf(Glyph::Approval, 16);
        QCOMPARE(apart(light, light), 0);
        applyTheme(*qApp, true);
        // The same shape in another colour on another ground: its edge may fall a little differently.
        QVERIFY(apart(light, coverOf(Glyph::Approval, 16)) <= 2);
        QVERIFY(apart(light, coverOf(Glyph::Failed, 16)) > 10);
    }

    // A box that is off is seen on its ground, and told from one that is on, without colour.
    void boxesAreSeenOnAndOff_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("radio");
        for (const bool dark : {false, true})
            for (const bool radio : {false, true})
                QTest::addRow("%s, %s", dark ? "dark" : "light", radio ? "radio" : "check") << dark << radio;
    }
    void boxesAreSeenOnAndOff()
    {
        QFETCH(bool, dark);
        QFETCH(bool, radio);
        applyTheme(*qApp, dark);
        QWidget ground;
        ground.resize(60, 40);
        QAbstractButton* box = radio ? static_cast<QAbstractButton*>(new QRadioButton(&ground))
                                     : static_cast<QAbstractButton*>(new QCheckBox(&ground));
        box->setGeometry(10, 8, 24, 24);
        const auto greys = [&](bool on) {
            box->setChecked(on);
            const QImage image = ground.grab().toImage();
            std::vector<double> all;
            for (int y = 8; y < 32; ++y)
                for (int x = 10; x < 34; ++x)
                    all.push_back(qGray(image.pixel(x, y)) / 255.0);
            return all;
        };
        const std::vector<double> off = greys(false);
        const std::vector<double> on = greys(true);
        // Its outline: 3 to 1 is what WCAG 2.1 (1.4.11) asks of it, which is more than a third of a grey's
        // way here.
        const double under = qGray(theme().panel.rgb()) / 255.0;
        const auto outline = std::count_if(
            off.begin(), off.end(), [under](double grey) { return std::abs(grey - under) > 0.25; });
        QVERIFY2(outline >= 14, qPrintable(QString::number(outline)));
        int differ = 0;
        for (std::size_t i = 0; i < off.size(); ++i)
            differ += std::abs(off[i] - on[i]) > 0.4 ? 1 : 0;
        QVERIFY2(differ >= 6, qPrintable(QString::number(differ)));
    }

    // What a colour of a family says, who moves next, is in the words of each of its states.
    void everyFamilyIsNamedByWords()
    {
        const QHash<Family, QStringList> said{
            {Family::Moving,
                {u"under way"_s, u"the machine will"_s, u"follows the child"_s, u"outside party must"_s}},
            {Family::Person, {u"a person must"_s}}, {Family::Uncertain, {u"people must"_s}},
            {Family::Nobody, {u"nobody can"_s}}, {Family::Good, {u"completed"_s}},
            {Family::Rest, {u"paused"_s, u"cancelled"_s, u"skipped"_s, u"not started"_s}}};
        for (int g = 1; g < static_cast<int>(Glyph::Count); ++g) {
            const auto glyph = static_cast<Glyph>(g);
            const QStringList& words = said.value(familyOf(glyph));
            QVERIFY2(std::any_of(words.begin(), words.end(),
                         [glyph](const QString& word) { return glyphName(glyph).contains(word); }),
                qPrintable(glyphName(glyph)));
        }
    }
};

QTEST_MAIN(TestGrey)
#include "tst_grey.moc"
