#pragma once
// Paints table cells: shape and word, hairlines, selection and focus without losing either, tabular figures.
// Words use the text colour; only the shape carries the family's colour. The painted area has no per-row
// widgets.

#include <QStyledItemDelegate>

class QPainter;

namespace cairn::ui {

// Draws text so that every digit takes the same width (Qt 6.4 cannot switch a font's tabular figures on).
void drawTabular(QPainter& painter, const QRectF& where, const QString& text, Qt::Alignment align);
[[nodiscard]] double tabularWidth(const QFont& font, const QString& text);

constexpr int kMarkWidth = 20;  // the box at the beginning of a row that can be marked, with its gap

class RowDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    // A cell that has no tip of its own tells its text where that is cut.
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;
    [[nodiscard]] static bool isCut(const QModelIndex& index, int width);
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace cairn::ui
