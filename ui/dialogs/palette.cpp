#include "ui/dialogs/palette.h"

#include "ui/data/cellroles.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/widgets/datatable.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

int fits(const QString& title, const QString& wanted)
{
    int least = 2;
    const QStringList have = title.split(u' ', Qt::SkipEmptyParts);
    for (const QString& word : wanted.split(u' ', Qt::SkipEmptyParts)) {
        const bool begins = std::any_of(have.begin(), have.end(),
            [&word](const QString& one) { return one.startsWith(word, Qt::CaseInsensitive); });
        least = std::min(least, begins ? 2 : title.contains(word, Qt::CaseInsensitive) ? 1 : 0);
    }
    return least;
}

Palette::Palette(std::vector<PaletteEntry> entries, More more, QWidget* parent)
    : QDialog(parent)
    , m_entries(std::move(entries))
    , m_more(std::move(more))
    , m_edit(new QLineEdit(this))
    , m_table(new DataTable(tr("What can be done"), this))
    , m_rows(new QStandardItemModel(0, 2, this))
{
    setWindowTitle(tr("Go to anything"));
    setModal(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(8);
    m_edit->setPlaceholderText(tr("what to do, or a run: its id, the beginning of it, or its key"));
    m_edit->setAccessibleName(tr("What to do, or a run"));
    m_edit->installEventFilter(this);
    column->addWidget(m_edit);
    m_table->setModel(m_rows);
    m_table->horizontalHeader()->hide();
    m_table->setColumns({240, 240}, 0);
    m_table->setFocusPolicy(Qt::NoFocus);
    column->addWidget(m_table, 1);
    resize(600, 420);
    connect(m_edit, &QLineEdit::textChanged, this, &Palette::fill);
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) { take(index.row()); });
    fill({});
    m_edit->setFocus();
}

void Palette::fill(const QString& text)
{
    m_matches.clear();
    const auto addThose = [&](int wanted) {
        for (const PaletteEntry& entry : m_entries)
            if (fits(entry.title, text) == wanted)
                m_matches.push_back(entry);
    };
    addThose(2);  // what looks like an act comes before a run of that name
    if (m_more && !text.trimmed().isEmpty())
        for (PaletteEntry& entry : m_more(text.trimmed()))
            m_matches.push_back(std::move(entry));
    addThose(1);
    m_rows->removeRows(0, m_rows->rowCount());
    for (const PaletteEntry& entry : m_matches) {
        auto* title = new QStandardItem(shown(entry.title, false, 200));
        title->setData(int(entry.on ? PlainLook : SecondaryLook), LookRole);
        auto* remark = new QStandardItem(shown(entry.remark, false, 200));
        remark->setData(int(SecondaryLook), LookRole);
        remark->setData(int(Qt::AlignRight), Qt::TextAlignmentRole);
        title->setData(remark->text().isEmpty() ? title->text() : title->text() + u", "_s + remark->text(),
            Qt::AccessibleTextRole);
        remark->setData(spokenCell(remark->text()), Qt::AccessibleTextRole);
        m_rows->appendRow({title, remark});
    }
    if (m_rows->rowCount() > 0)
        m_table->setCurrentIndex(m_rows->index(0, 0));
}

void Palette::take(int row)
{
    if (row < 0 || row >= static_cast<int>(m_matches.size()) || !m_matches[static_cast<std::size_t>(row)].on)
        return;
    const std::function<void()> run = m_matches[static_cast<std::size_t>(row)].run;
    accept();  // first: what it does may open another window
    run();
}

bool Palette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int rows = m_rows->rowCount();
        if ((key == Qt::Key_Down || key == Qt::Key_Up) && rows > 0) {
            const int row = std::clamp(m_table->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0, rows - 1);
            m_table->setCurrentIndex(m_rows->index(row, 0));
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            take(m_table->currentRow());
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace cairn::ui
