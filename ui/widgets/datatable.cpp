#include "ui/widgets/datatable.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/widgets/letters.h"
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/theme.h"

#include <QHeaderView>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace cairn::ui {

namespace {

// Header cells line up with the cells of RowDelegate.
class CellHeader final : public QHeaderView {
public:
    explicit CellHeader(QWidget* parent)
        : QHeaderView(Qt::Horizontal, parent)
    {
    }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        painter->save();
        painter->fillRect(rect, palette().color(QPalette::Base));
        painter->setPen(theme().line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
        painter->setPen(theme().text2);
        painter->setFont(typeface(11));
        const bool last = visualIndex(section) == lastShown();
        const QRect area = rect.adjusted(section == 0 ? 12 : 6, 0, last ? -12 : -4, 0);
        const auto align =
            Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
        const QString text = model()->headerData(section, Qt::Horizontal).toString();
        painter->drawText(area, static_cast<int>(align | Qt::AlignVCenter | Qt::TextSingleLine), text);
        painter->restore();
    }

private:
    [[nodiscard]] int lastShown() const
    {
        int last = count() - 1;
        while (last > 0 && isSectionHidden(logicalIndex(last)))
            --last;
        return last;
    }
};

}  // namespace

DataTable::DataTable(const QString& name, QWidget* parent)
    : QTableView(parent)
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
    m_widths = widths;
    m_stretch = stretch;
    for (int i = 0; i < widths.size(); ++i) {
        horizontalHeader()->setSectionResizeMode(
            i, i == stretch ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (i != stretch)
            setColumnWidth(i, widths.at(i));
    }
}

void DataTable::setGiveWay(const QList<int>& order, int least)
{
    m_giveWay = order;
    m_least = least;
    fitColumns();
}

void DataTable::setColumnWanted(int column, bool wanted)
{
    if (wanted)
        m_unwanted.remove(column);
    else
        m_unwanted.insert(column);
    fitColumns();
}

void DataTable::setColumnAbsent(int column, bool absent)
{
    if (m_absent.contains(column) == absent)
        return;
    if (absent)
        m_absent.insert(column);
    else
        m_absent.remove(column);
    fitColumns();
}

void DataTable::fitColumns()
{
    QSet<int> hidden = m_unwanted;
    hidden += m_absent;
    int taken = m_least;
    for (int i = 0; i < m_widths.size(); ++i)
        if (i != m_stretch && !hidden.contains(i))
            taken += isColumnHidden(i) ? m_widths.at(i) : columnWidth(i);
    for (const int column : m_giveWay) {
        if (taken <= viewport()->width())
            break;
        if (hidden.contains(column))
            continue;
        hidden.insert(column);
        taken -= isColumnHidden(column) ? m_widths.at(column) : columnWidth(column);
    }
    bool changed = false;
    for (int i = 0; i < m_widths.size(); ++i) {
        if (isColumnHidden(i) == hidden.contains(i))
            continue;
        setColumnHidden(i, hidden.contains(i));
        changed = true;
    }
    if (changed)
        Q_EMIT columnsChanged();
}

QString DataTable::hiddenText() const
{
    QStringList names;
    for (int i = 0; i < m_widths.size(); ++i)
        if (isColumnHidden(i) && !m_absent.contains(i))
            names << model()->headerData(i, Qt::Horizontal).toString();
    if (names.isEmpty())
        return {};
    return plural(static_cast<quint64>(names.size()), "column hidden", "columns hidden")
        + QStringLiteral(": ") + names.join(QStringLiteral(", "));
}

void DataTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    if (!m_giveWay.isEmpty())
        fitColumns();
}

void DataTable::moveBy(int rows)
{
    if (model() == nullptr || model()->rowCount() == 0)
        return;
    const int row = std::clamp(currentRow() + rows, 0, model()->rowCount() - 1);
    setCurrentIndex(model()->index(row, m_cells ? std::max(0, currentIndex().column()) : 0));
}

void DataTable::moveCell(int step)
{
    int column = std::max(0, currentIndex().column());
    for (int next = column + step; next >= 0 && next < model()->columnCount(); next += step)
        if (!isColumnHidden(next)) {
            column = next;
            break;
        }
    if (currentRow() >= 0)
        setCurrentIndex(model()->index(currentRow(), column));
}

bool DataTable::cellKey(const QKeyEvent& event)
{
    const bool plain = (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    if (!plain)
        return false;
    switch (event.key()) {
    case Qt::Key_Left: moveCell(-1); return true;
    case Qt::Key_Right: moveCell(1); return true;
    case Qt::Key_Plus: Q_EMIT filterAsked(currentIndex(), u'+'); return true;
    case Qt::Key_Minus: Q_EMIT filterAsked(currentIndex(), u'-'); return true;
    case Qt::Key_Underscore: Q_EMIT filterAsked(currentIndex(), u'_'); return true;
    default: return false;
    }
}

void DataTable::contextMenuEvent(QContextMenuEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    if (!m_cells || index.data(FilterRole).toString().isEmpty())
        return;
    setCurrentIndex(index);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::pair<QString, QChar> lines[] = {
        {tr("Only this (+)"), u'+'}, {tr("Not this (-)"), u'-'}, {tr("Group by this (_)"), u'_'}};
    for (const auto& [text, how] : lines)
        connect(menu->addAction(text), &QAction::triggered, this,
            [this, place = QPersistentModelIndex(index), how = how] { Q_EMIT filterAsked(place, how); });
    menu->popup(event->globalPos());
}

void DataTable::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const int key = event->key();
    if ((m_markable && markKey(*event)) || (m_cells && cellKey(*event))) {
        event->accept();
        return;
    }
    if (plain && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        if (currentIndex().isValid())
            Q_EMIT opened(currentIndex());
    } else if (plain && (key == Qt::Key_J || key == Qt::Key_K) && event->modifiers() == Qt::NoModifier) {
        moveBy(key == Qt::Key_J ? 1 : -1);
    } else if (plain && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        Q_EMIT foldAsked(currentRow(), key == Qt::Key_Right);
    } else if (plain
        && (key == Qt::Key_Delete || (key >= Qt::Key_A && key <= Qt::Key_Z) || key == Qt::Key_Slash
            || key == Qt::Key_BracketLeft || key == Qt::Key_BracketRight || key == Qt::Key_Colon)) {
        Q_EMIT letterTyped(Letters::typed(key), (event->modifiers() & Qt::ShiftModifier) != 0);
    } else if (plain && ((key >= Qt::Key_0 && key <= Qt::Key_9) || key == Qt::Key_Backspace)) {
        event->ignore();  // views are switched by the page, and so is the run
        return;
    } else {
        QTableView::keyPressEvent(event);
        return;
    }
    event->accept();
}

bool DataTable::markKey(const QKeyEvent& event)
{
    const int key = event.key();
    const Qt::KeyboardModifiers with = event.modifiers() & ~Qt::KeypadModifier;
    if (key == Qt::Key_Space && with == Qt::NoModifier) {
        Q_EMIT markToggled(currentRow());
    } else if ((key == Qt::Key_Up || key == Qt::Key_Down) && with == Qt::ShiftModifier) {
        Q_EMIT markSet(currentRow());
        moveBy(key == Qt::Key_Down ? 1 : -1);
        Q_EMIT markSet(currentRow());
    } else if (key == Qt::Key_A && with == Qt::ControlModifier) {
        Q_EMIT markAll();
    } else if (key == Qt::Key_A && with == (Qt::ControlModifier | Qt::ShiftModifier)) {
        Q_EMIT markMatching();
    } else {
        return false;
    }
    return true;
}

void DataTable::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    const QRect cell = visualRect(index);
    const bool onBox = index.column() == 0 && event->position().x() < cell.left() + 10 + kMarkWidth;
    if (m_markable && index.isValid() && onBox && event->button() == Qt::LeftButton) {
        setFocus(Qt::MouseFocusReason);
        Q_EMIT markToggled(index.row());
        return;
    }
    QTableView::mousePressEvent(event);
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
    if (m_cells && !currentIndex().data(FilterRole).toString().isEmpty()) {
        const QRect cell = visualRect(currentIndex()).adjusted(5, 4, -3, -5);
        painter.setPen(QPen(theme().focus, 1, Qt::DotLine));
        painter.drawRect(cell);
    }
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
