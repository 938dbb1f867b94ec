#include "ui/widgets/timeline/timelinelegend.h"

#include "ui/data/safetext.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMark = 22;  // of each mark, and the gap after it
constexpr double kGap = 6;
constexpr double kApart = 14;

}  // namespace

void paintQueue(QPainter& painter, const QRectF& bar, const QColor& color, bool member)
{
    painter.fillRect(
        QRectF(bar.left(), bar.center().y() - (member ? 1 : 2), bar.width(), member ? 2 : 4), color);
    if (!member)
        painter.fillRect(QRectF(bar.left(), bar.center().y() - 6, 1.5, 12), color);
}

void paintFold(QPainter& painter, const QRectF& fold)
{
    painter.fillRect(fold, theme().panel);
    painter.setPen(QPen(theme().line, 1, Qt::DashLine));
    painter.drawLine(fold.topLeft(), fold.bottomLeft());
    painter.drawLine(fold.topRight(), fold.bottomRight());
}

void paintActCap(
    QPainter& painter, const QRectF& cap, const QString& initials, bool applied, bool chosen, bool focused)
{
    painter.setPen(QPen(chosen && focused ? theme().focus : theme().control, chosen ? 2 : 1));
    painter.setBrush(chosen ? theme().sel : theme().window);
    painter.drawRoundedRect(cap, 3, 3);
    painter.setFont(typeface(11, true));
    painter.setPen(applied ? theme().text : theme().text2);
    painter.drawText(cap, Qt::AlignCenter, shown(initials, false, 4));
}

TimelineLegend::TimelineLegend(QWidget* parent)
    : QWidget(parent)
    , m_words{tr("queued"), tr("ran"), tr("between attempts"), tr("waits"), tr("idle, folded"),
          tr("a person acted")}
{
    setFixedHeight(30);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("What the marks mean"));
    setAccessibleDescription(tr("thin bar with a tick: %1; thick bar: %2; thin bar after a thick one: %3; "
                                "dotted line: %4; strip with broken edges: %5; letters in a frame: %6")
                                 .arg(m_words[Queued], m_words[Ran], m_words[Between], m_words[Waits],
                                     m_words[Fold], m_words[Act]));
}

QSize TimelineLegend::sizeHint() const
{
    const QFontMetricsF metrics(typeface(11));
    double width = 0;
    for (const QString& word : m_words)
        width += kMark + kGap + metrics.horizontalAdvance(word) + kApart;
    return {static_cast<int>(width) + 1, 30};
}

void TimelineLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().hair);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor moving = theme().family(Family::Moving);
    double x = 0;
    for (int mark = Queued; mark <= Act; ++mark) {
        const QRectF area(x, 9, kMark, 12);
        switch (mark) {
        case Queued: paintQueue(painter, area, theme().control, false); break;
        case Ran: painter.fillRect(area, moving); break;
        case Between:  // as it stands in a lane: after the attempt that it follows
            painter.fillRect(QRectF(x, 9, 6, 12), moving);
            paintQueue(painter, QRectF(x + 7, 9, kMark - 7, 12), theme().control, false);
            break;
        case Waits:
            painter.setPen(QPen(theme().text2, 1, Qt::DotLine));
            painter.drawLine(QPointF(x, 15), QPointF(x + kMark, 15));
            break;
        case Fold: paintFold(painter, QRectF(x + 4, 5, kMark - 8, 19)); break;
        default: paintActCap(painter, QRectF(x, 6, kMark, 18), u"AB"_s, true, false, false); break;
        }
        painter.setFont(typeface(11));
        painter.setPen(theme().text2);
        painter.drawText(QPointF(x + kMark + kGap, 19), m_words[mark]);
        x += kMark + kGap + QFontMetricsF(painter.font()).horizontalAdvance(m_words[mark]) + kApart;
    }
}

}  // namespace cairn::ui
