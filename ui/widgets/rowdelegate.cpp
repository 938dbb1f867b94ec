#include "ui/widgets/rowdelegate.h"

#include "ui/data/cellroles.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <QTableView>

namespace cairn::ui {

namespace {

struct Pen {
    double x = 0;
    double right = 0;
};

double digitWidth(const QFontMetricsF& metrics)
{
    double widest = 0;
    for (char16_t c = u'0'; c <= u'9'; ++c)
        widest = std::max(widest, metrics.horizontalAdvance(QChar(c)));
    return widest;
}

void paintFold(QPainter& painter, const QPointF& at, bool open)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().text2);
    painter.translate(at);
    if (open)
        painter.drawPolygon(QPolygonF({QPointF(1, 2.2), QPointF(4, 6), QPointF(7, 2.2)}));
    else
        painter.drawPolygon(QPolygonF({QPointF(2.2, 1), QPointF(6, 4), QPointF(2.2, 7)}));
    painter.restore();
}

QString elided(const QFontMetricsF& metrics, const QString& text, double width)
{
    return metrics.elidedText(text, Qt::ElideRight, width);
}

void paintLines(QPainter& painter, const QRect& rect, int look, bool onlyTop)
{
    painter.setPen((look & StrongLineLook) != 0 ? theme().control : theme().hair);
    if (!onlyTop)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    if ((look & TopLineLook) != 0) {
        painter.setPen(theme().hair);
        painter.drawLine(rect.topLeft(), rect.topRight());
    }
}

void paintMark(QPainter& painter, const QRectF& box, bool on)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(on ? theme().text : theme().control, 1));
    painter.setBrush(on ? theme().text : QColor(Qt::transparent));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    if (on) {
        painter.setPen(QPen(theme().window, 1.8));
        painter.drawPolyline(QPolygonF({box.topLeft() + QPointF(3, 6.5), box.topLeft() + QPointF(5.2, 9),
            box.topLeft() + QPointF(9.4, 3.6)}));
    }
    painter.restore();
}

// Columns to the right may be hidden: the last one that is shown has the outer margin.
bool isLastShown(const QModelIndex& index, const QWidget* widget)
{
    const auto* table = qobject_cast<const QTableView*>(widget);
    for (int c = index.column() + 1; c < index.model()->columnCount(index.parent()); ++c)
        if (table == nullptr || !table->isColumnHidden(c))
            return false;
    return true;
}

// A thin line with a dot at its end, now.
void paintTrend(QPainter& painter, const QRectF& rect, const QList<int>& heights, Pen& pen)
{
    constexpr double kWidth = 40;
    const double reach = std::max(4.0, std::min(16.0, rect.height() - 10));
    const double bottom = rect.center().y() + reach / 2;
    QPolygonF line;
    for (qsizetype i = 0; i < heights.size(); ++i)
        line << QPointF(pen.x + kWidth * static_cast<double>(i) / static_cast<double>(heights.size() - 1),
            bottom - reach * heights.at(i) / 100.0);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().text2, 1.2));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().text);
    painter.drawEllipse(line.back(), 1.8, 1.8);
    painter.restore();
    pen.x += kWidth + 6;
}

// What is done, then, after a gap, what failed; the figures stand beside it.
void paintShare(QPainter& painter, const QRectF& rect, const QList<int>& shares, Pen& pen)
{
    constexpr double kWidth = 76;
    constexpr double kGap = 1;
    QRectF bar(pen.x, rect.center().y() - 4, kWidth, 8);
    painter.fillRect(bar, theme().track);
    bar.setWidth(kWidth * shares.value(0) / 100.0);
    painter.fillRect(bar, theme().family(Family::Good));
    if (shares.value(1) > 0) {
        bar.moveLeft(bar.right() + kGap);
        bar.setWidth(std::max(2.0, kWidth * shares.value(1) / 100.0 - kGap));
        painter.fillRect(bar, theme().family(Family::Nobody));
    }
    pen.x += kWidth + 8;
}

void paintLeading(
    QPainter& painter, const QRectF& rect, const QModelIndex& index, const QColor& ground, Pen& pen)
{
    const int mark = index.data(MarkRole).toInt();
    if (mark != 0) {
        paintMark(painter, QRectF(pen.x, rect.center().y() - 6, 12, 12), mark == 2);
        pen.x += kMarkWidth;
    }
    const int glyph = index.data(GlyphRole).toInt();
    if (glyph != 0) {
        const double size = 14;
        paintGlyph(painter, QRectF(pen.x, rect.center().y() - size / 2, size, size),
            static_cast<Glyph>(glyph), ground);
        pen.x += size + 8;
    }
    if (index.data(WarnRole).toBool()) {
        paintWarning(painter, QRectF(pen.x, rect.center().y() - 6, 12, 12), ground);
        pen.x += 16;
    }
    if (const auto heights = index.data(TrendRole).value<QList<int>>(); heights.size() > 1)
        paintTrend(painter, rect, heights, pen);
    if (const auto shares = index.data(ShareRole).value<QList<int>>(); !shares.isEmpty())
        paintShare(painter, rect, shares, pen);
    const int fold = index.data(FoldRole).toInt();
    if (fold != 0) {
        paintFold(painter, QPointF(pen.x, rect.center().y() - 4), fold == 2);
        pen.x += 13;
    }
}

// A store's name on the ground of its environment; production carries a lock. Neither is the row's state.
void paintTag(QPainter& painter, const QRectF& rect, const QModelIndex& index, TagLook look, const Pen& pen)
{
    const bool production = look == TagLook::Production;
    const double lead = production ? 19 : 6;
    painter.setFont(typeface(11));
    const QFontMetricsF metrics(painter.font());
    const double room = std::max(0.0, pen.right - pen.x - lead - 6);
    const QString text = elided(metrics, index.data(Qt::DisplayRole).toString(), room);
    const QRectF box(
        pen.x, rect.center().y() - 9, lead + std::min(room, metrics.horizontalAdvance(text)) + 6, 17);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(production ? theme().prodLine : theme().otherLine, 1));
    painter.setBrush(production ? theme().prodBand : theme().otherBand);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.restore();
    const QColor ink = production ? theme().prodText : theme().otherText;
    if (production)
        paintLock(painter, QRectF(box.left() + 4, box.top() + 1.5, 12, 14), ink);
    painter.setPen(ink);
    painter.drawText(
        box.adjusted(lead, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text);
}

void paintText(
    QPainter& painter, const QRectF& rect, const QModelIndex& index, int look, bool selected, const Pen& pen)
{
    if (const int tag = index.data(TagRole).toInt(); tag != 0)
        return paintTag(painter, rect, index, static_cast<TagLook>(tag), pen);
    const bool big = (look & BigLook) != 0;
    painter.setFont(
        typeface(big ? 20 : 13, (look & BoldLook) != 0, (look & MonoLook) != 0 ? Face::Mono : Face::Text));
    const bool secondary = (look & SecondaryLook) != 0 && !selected;
    const QString text = index.data(Qt::DisplayRole).toString();
    const QString head = index.data(HeadRole).toString();
    QRectF area(pen.x, rect.top(), std::max(0.0, pen.right - pen.x), rect.height() - 1);
    const QFontMetricsF metrics(painter.font());
    if (!head.isEmpty()) {
        painter.setPen(selected ? theme().text : theme().text2);
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, head);
        area.setLeft(std::min(area.right(), area.left() + metrics.horizontalAdvance(head)));
    }
    painter.setPen(secondary ? theme().text2 : theme().text);
    const auto align = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()) | Qt::AlignVCenter;
    if ((look & FigureLook) != 0 && tabularWidth(painter.font(), text) <= area.width() + 0.5) {
        drawTabular(painter, area, text, align);
        return;
    }
    const QString cut = elided(metrics, text, area.width());
    painter.drawText(area, static_cast<int>(align | Qt::TextSingleLine), cut);
    const QString suffix = index.data(SuffixRole).toString();
    if (!suffix.isEmpty()) {
        area.setLeft(std::min(area.right(), area.left() + metrics.horizontalAdvance(cut) + 5));
        painter.setFont(typeface(13));
        painter.setPen(selected ? theme().text : theme().text2);
        painter.drawText(area, Qt::AlignVCenter | Qt::TextSingleLine,
            elided(QFontMetricsF(painter.font()), suffix, area.width()));
    }
}

}  // namespace

double tabularWidth(const QFont& font, const QString& text)
{
    const QFontMetricsF metrics(font);
    const double digit = digitWidth(metrics);
    double width = 0;
    for (const QChar c : text)
        width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
}

void drawTabular(QPainter& painter, const QRectF& where, const QString& text, Qt::Alignment align)
{
    const QFontMetricsF metrics(painter.font());
    const double digit = digitWidth(metrics);
    double x = where.left();
    if ((align & Qt::AlignRight) != 0)
        x = where.right() - tabularWidth(painter.font(), text);
    const double baseline = where.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    for (const QChar c : text) {
        const double advance = metrics.horizontalAdvance(c);
        const double cell = c.isDigit() ? digit : advance;
        painter.drawText(QPointF(x + (cell - advance) / 2, baseline), QString(c));
        x += cell;
    }
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int look = index.data(LookRole).toInt();
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const bool onPanel =
        option.widget != nullptr && option.widget->property("ground") == QStringLiteral("panel");
    const QColor ground = selected ? theme().sel : onPanel ? theme().panel : theme().window;
    painter->save();
    painter->fillRect(option.rect, ground);
    const QRectF rect(option.rect);
    if ((look & RailLook) != 0)
        painter->fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), theme().text);
    const bool first = index.column() == 0;
    const bool last = isLastShown(index, option.widget);
    Pen pen{rect.left() + (first ? 12 : 6) + index.data(IndentRole).toInt(), rect.right() - (last ? 12 : 4)};
    paintLeading(*painter, rect, index, ground, pen);
    paintText(*painter, rect, index, look, selected, pen);
    if (!onPanel || (look & TopLineLook) != 0)
        paintLines(*painter, option.rect, look, onPanel);
    painter->restore();
}

bool RowDelegate::isCut(const QModelIndex& index, int width)
{
    const bool first = index.column() == 0;
    const int glyph = index.data(GlyphRole).toInt() != 0 ? 20 : 0;
    const int left = (first ? 12 : 6) + index.data(IndentRole).toInt() + glyph;
    const QFont font = typeface(13, (index.data(LookRole).toInt() & BoldLook) != 0);
    return left + tabularWidth(font, index.data(Qt::DisplayRole).toString()) > width - 4;
}

bool RowDelegate::helpEvent(
    QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (event->type() != QEvent::ToolTip || !index.data(Qt::ToolTipRole).toString().isEmpty()
        || !isCut(index, option.rect.width()))
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    safe::showTip(event->globalPos(), index.data(Qt::DisplayRole).toString(), view->viewport());
    return true;
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const { return {60, 28}; }

}  // namespace cairn::ui
