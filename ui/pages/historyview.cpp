#include "ui/pages/historyview.h"

#include "ui/data/format.h"
#include "ui/models/historymodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/panelnote.h"

#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kPage = 200;
}

HistoryView::HistoryView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_model(new HistoryModel(this))
    , m_table(new DataTable(tr("History"), this))
    , m_title(new DockTitle(tr("History"), this))
    , m_note(new PanelNote(tr("Reading the history"), m_table))
{
    m_table->setModel(m_model);
    m_table->setColumns({64, 196, 120, 150, 120, 320, 240}, HistoryModel::What);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addWidget(m_table, 1);
    connect(m_table, &DataTable::letterTyped, this, &HistoryView::letterTyped);
    connect(m_model, &HistoryModel::pageWanted, this, &HistoryView::load);
    connect(m_table, &DataTable::opened, this, [this](const QModelIndex& at) {
        if (const HistoryLine* line = m_model->row(at.row()))
            Q_EMIT versionWanted(HistoryModel::lastOf(*line));
    });
    connect(m_table, &DataTable::nearEnd, this, [this] { m_model->fetchMore({}); });
}

void HistoryView::setTotal(quint64 total)
{
    m_total = total;
    m_model->setTotal(total);
    writeTitle();
    if (isVisible() && m_model->rowCount() < kPage)
        m_model->fetchMore({});
}

void HistoryView::writeTitle()
{
    const quint64 have = m_model->lastVersion();
    QString remark = m_total > have ? tr("%1 of %2 entries read").arg(countText(have), countText(m_total))
                                    : plural(m_total, "entry", "entries");
    if (compact())
        remark += tr(", in %1").arg(plural(static_cast<quint64>(m_model->rowCount()), "line", "lines"));
    m_title->setRemark(remark);
    m_title->setRight(
        (compact() ? tr("Z: every entry") : tr("Z: compact")) + tr(" · Enter: the run as it was then"));
}

bool HistoryView::compact() const { return m_model->compact(); }

void HistoryView::setCompact(bool compact)
{
    if (m_model->compact() == compact)
        return;
    static_cast<void>(m_tickets.next());  // a page that is under way is read again
    m_model->setCompact(compact);
    writeTitle();
    if (isVisible())
        m_model->fetchMore({});
}

void HistoryView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_model->fetchMore({});
}

void HistoryView::load(quint64 from)
{
    const quint64 ticket = m_tickets.next();
    if (m_model->rowCount() == 0)
        m_note->begin();
    whenDone(m_source.history(m_run, from, kPage), this,
        [this, ticket](const Reply<std::vector<HistoryLine>>& reply) {
            if (!m_tickets.current(ticket))
                return;
            if (!reply) {
                m_model->pageFailed();
                if (!reply.failure.cancelled) {
                    if (m_note->reading())
                        m_note->fail(told(reply.failure));
                    Q_EMIT failed(told(reply.failure));
                }
                return;
            }
            m_note->end();
            m_model->addLines(*reply.value);
            setTotal(m_total);
        });
}

}  // namespace cairn::ui
