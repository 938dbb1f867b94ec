#include "ui/widgets/sentence.h"

#include "ui/data/safetext.h"
#include "ui/widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <QTextLayout>

#include <cmath>

namespace cairn::ui {

namespace {
constexpr double kLineHeight = 23.0;
constexpr int kMaxCharacters = 70;

// Where a part stands as words of its own: "cancel" is not set in bold inside of "cancelled". -1: nowhere.
qsizetype wholeWordAt(const QString& text, const QString& part)
{
    const auto joins = [&text](qsizetype i) {
        return i >= 0 && i < text.size() && text.at(i).isLetterOrNumber();
    };
    for (qsizetype at = part.isEmpty() ? -1 : text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
        const bool before = part.front().isLetterOrNumber() && joins(at - 1);
        const bool after = part.back().isLetterOrNumber() && joins(at + part.size());
        if (!before && !after)
            return at;
    }
    return -1;
}

}  // namespace

Sentence::Sentence(QWidget* parent)
    : QWidget(parent)
{
    setFont(typeface(16));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Sentence::setSentence(const QString& text, const QStringList& strong)
{
    const QString clean = shown(text, true, 1200);
    QStringList parts;  // as they stand in it
    for (const QString& part : strong)
        parts << shown(part, true);
    if (clean == m_text && parts == m_strong)
        return;
    m_text = clean;
    m_strong = parts;
    setAccessibleName(clean);
    updateGeometry();
    update();
}

int Sentence::lineWidth(int width) const
{
    return std::min(width, QFontMetrics(font()).averageCharWidth() * kMaxCharacters);
}

double Sentence::lay(QTextLayout& layout, int width) const
{
    QList<QTextLayout::FormatRange> ranges;
    QTextCharFormat bold;
    bold.setFontWeight(QFont::DemiBold);
    for (const QString& part : m_strong) {
        const qsizetype at = wholeWordAt(m_text, part);
        if (at >= 0)
            ranges.append({static_cast<int>(at), static_cast<int>(part.size()), bold});
    }
    layout.setFormats(ranges);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    double y = 0;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(lineWidth(width));
        line.setPosition(QPointF(0, y + (kLineHeight - line.height()) / 2));
        y += kLineHeight;
    }
    layout.endLayout();
    return y;
}

int Sentence::heightForWidth(int width) const
{
    QTextLayout layout(QString(m_text).replace(u'\n', QChar::LineSeparator), font());
    return static_cast<int>(std::ceil(lay(layout, std::max(width, 60))));
}

QSize Sentence::sizeHint() const { return {lineWidth(100'000), heightForWidth(lineWidth(100'000))}; }
QSize Sentence::minimumSizeHint() const { return {120, 23}; }

void Sentence::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(theme().text);
    QTextLayout layout(QString(m_text).replace(u'\n', QChar::LineSeparator), font());
    static_cast<void>(lay(layout, width()));
    layout.draw(&painter, QPointF(0, 0));
}

}  // namespace cairn::ui
