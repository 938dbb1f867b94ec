#include "ui/widgets/datatable.h"

#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

namespace cairn::ui {

namespace {

// Header cells line up with the cells of RowDelegate.
class CellHeader final : public QHeaderView {
public:
    explicit CellHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        painter->save();
        painter->fillRect(rect, palette().color(QPalette::Base));
        painter->setPen(theme().line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
        painter->setPen(theme().text2);
        painter->setFont(typeface(11));
        const bool last = section == count() - 1;
        const QRect area = rect.adjusted(section == 0 ? 12 : 6, 0, last ? -12 : -4, 0);
        const auto align = Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
        const QString text = model()->headerData(section, Qt::Horizontal).toString();
        painter->drawText(area, static_cast<int>(align | Qt::AlignVCenter | Qt::TextSingleLine), text);
        painter->restore();
    }
};

}  // namespace

DataTable::DataTable(const QString& name, QWidget* parent) : QTableView(parent)
{
    setAccessibleName(name);
    setHorizontalHeader(new CellHeader(this));
    setItemDelegate(new RowDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(false);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(18);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setRowSize(28);
    horizontalHeader()->setFixedHeight(26);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(20);
    connect(this, &QTableView::doubleClicked, this, &DataTable::opened);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (value > verticalScrollBar()->maximum() - 20 * verticalHeader()->defaultSectionSize())
            Q_EMIT nearEnd();
    });
}

void DataTable::setRowSize(int height) { verticalHeader()->setDefaultSectionSize(height); }

void DataTable::setColumns(const QList<int>& widths, int stretch)
{
    for (int i = 0; i < widths.size(); ++i) {
        horizontalHeader()->setSectionResizeMode(i, i == stretch ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (i != stretch)
            setColumnWidth(i, widths.at(i));
    }
}

void DataTable::moveBy(int rows)
{
    if (model() == nullptr || model()->rowCount() == 0)
        return;
    const int row = std::clamp(currentRow() + rows, 0, model()->rowCount() - 1);
    setCurrentIndex(model()->index(row, 0));
}

void DataTable::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const int key = event->key();
    if (plain && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        if (currentIndex().isValid())
            Q_EMIT opened(currentIndex());
    } else if (plain && (key == Qt::Key_J || key == Qt::Key_K) && event->modifiers() == Qt::NoModifier) {
        moveBy(key == Qt::Key_J ? 1 : -1);
    } else if (plain && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        Q_EMIT foldAsked(currentRow(), key == Qt::Key_Right);
    } else if (plain && (key == Qt::Key_Delete || (key >= Qt::Key_A && key <= Qt::Key_Z) || key == Qt::Key_Slash)) {
        const QChar letter = key == Qt::Key_Delete ? QChar(0x7F) : QChar(key).toLower();
        Q_EMIT letterTyped(letter, (event->modifiers() & Qt::ShiftModifier) != 0);
    } else if (plain && key >= Qt::Key_0 && key <= Qt::Key_9) {
        event->ignore();   // views are switched by the page
    } else {
        QTableView::keyPressEvent(event);
        return;
    }
    if (!(key >= Qt::Key_0 && key <= Qt::Key_9))
        event->accept();
}

void DataTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!hasFocus() || !currentIndex().isValid())
        return;
    QPainter painter(viewport());
    const QRect row(0, rowViewportPosition(currentRow()), viewport()->width(), rowHeight(currentRow()));
    painter.setPen(QPen(theme().focus, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(row.adjusted(1, 1, -1, -1));
}

void DataTable::focusInEvent(QFocusEvent* event)
{
    QTableView::focusInEvent(event);
    if (!currentIndex().isValid())
        moveBy(1);
    viewport()->update();
}

void DataTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    viewport()->update();
    Q_EMIT currentMoved(current);
}

}  // namespace cairn::ui
