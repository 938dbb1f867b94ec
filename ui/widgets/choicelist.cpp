#include "ui/widgets/choicelist.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <QHeaderView>
#include <QStandardItemModel>

#include <algorithm>

namespace cairn::ui {

namespace {
constexpr int kRow = 22;
constexpr int kMostRows = 10;  // that are shown; the others are scrolled to
}  // namespace

ChoiceList::ChoiceList(const QString& name, QWidget* parent)
    : DataTable(name, parent)
    , m_rows(new QStandardItemModel(0, 2, this))
{
    setModel(m_rows);
    horizontalHeader()->hide();
    setColumns({200, 80}, 0);
    setRowSize(kRow);
    setFocusPolicy(Qt::NoFocus);
    setFrameShape(QFrame::Box);
    hide();
}

void ChoiceList::setChoices(std::vector<FilterChoice> choices)
{
    m_choices = std::move(choices);
    m_rows->removeRows(0, m_rows->rowCount());
    for (const FilterChoice& choice : m_choices) {
        auto* text = new QStandardItem(shown(choice.text, false, 200));
        text->setData(int(MonoLook), LookRole);
        const QString figure = choice.count < 0 ? QString() : countText(static_cast<quint64>(choice.count));
        auto* count = new QStandardItem(figure);
        count->setData(int(FigureLook), LookRole);
        count->setData(int(Qt::AlignRight), Qt::TextAlignmentRole);
        text->setData(figure.isEmpty() ? text->text() : tr("%1, %2 runs").arg(text->text(), figure),
            Qt::AccessibleTextRole);
        count->setData(spokenCell(figure), Qt::AccessibleTextRole);
        m_rows->appendRow({text, count});
    }
    setCurrentIndex({});
    clearSelection();
}

void ChoiceList::move(int rows)
{
    const int count = m_rows->rowCount();
    if (count == 0)
        return;
    const int from = currentRow() < 0 ? (rows > 0 ? -1 : count) : currentRow();
    setCurrentIndex(m_rows->index(std::clamp(from + rows, 0, count - 1), 0));
}

const FilterChoice* ChoiceList::current() const
{
    const int row = currentRow();
    return row >= 0 && row < static_cast<int>(m_choices.size()) ? &m_choices[static_cast<std::size_t>(row)]
                                                                : nullptr;
}

int ChoiceList::wantedHeight() const
{
    return kRow * std::min(kMostRows, static_cast<int>(m_choices.size())) + 2;
}

}  // namespace cairn::ui
