#include "ui/pages/dataview.h"

#include "ui/data/format.h"
#include "ui/models/payloadsmodel.h"
#include "ui/pages/payloadviewer.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/theme.h"

#include <QPainter>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

DataView::DataView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_model(new PayloadsModel(this))
    , m_table(new DataTable(tr("Payloads"), this))
    , m_listTitle(new DockTitle(tr("Payloads"), this))
    , m_viewer(new PayloadViewer(source, run, this))
{
    m_table->setModel(m_model);
    m_table->setColumns({200, 120, 80}, 0);
    auto* left = new QWidget(this);
    auto* list = new QVBoxLayout(left);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(0);
    list->addWidget(m_listTitle);
    list->addWidget(m_table, 1);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(m_viewer);
    split->setSizes({320, 1080});
    split->setStretchFactor(1, 1);
    auto* row = new QVBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(split);
    connect(m_table, &DataTable::letterTyped, this, &DataView::letterTyped);
    connect(m_table, &DataTable::currentMoved, this, [this](const QModelIndex& index) {
        if (const PayloadLine* line = m_model->row(index.row()))
            openPayload(*line);
    });
    connect(m_table, &DataTable::opened, this, [this] { m_viewer->stops().front()->setFocus(); });
    connect(m_viewer, &PayloadViewer::letterTyped, this, &DataView::letterTyped);
    connect(m_viewer, &PayloadViewer::failed, this, &DataView::failed);
    connect(m_viewer, &PayloadViewer::said, this, &DataView::said);
}

void DataView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

void DataView::setPayloads(const std::vector<PayloadLine>& payloads)
{
    m_model->setPayloads(payloads);
    m_listTitle->setRemark(plural(payloads.size(), "payload", "payloads"));
}

QString DataView::headText() const { return m_viewer->headText(); }
QPlainTextEdit* DataView::viewer() const { return m_viewer->value(); }

std::vector<QWidget*> DataView::stops() const
{
    std::vector<QWidget*> stops{m_table};
    const std::vector<QWidget*> inside = m_viewer->stops();
    stops.insert(stops.end(), inside.begin(), inside.end());
    return stops;
}

QString DataView::place() const
{
    const QWidget* here = focusWidget();
    return here != nullptr && m_viewer->isAncestorOf(here) && here->hasFocus() ? tr("Value") : tr("Data");
}

void DataView::openPayload(const PayloadLine& payload)
{
    const int row = m_model->rowOf(payload.id);
    m_viewer->open(payload);
    if (row >= 0 && row != m_table->currentRow())
        m_table->setCurrentIndex(m_model->index(row, 0));
}

void DataView::showStep(const QString& step)
{
    if (step.isEmpty() || m_viewer->shownLine().step == step)
        return;
    for (int i = m_model->rowCount() - 1; i >= 0; --i)
        if (const PayloadLine* line = m_model->row(i); line->step == step)
            return openPayload(*line);
}

void DataView::save(const QString& path) { m_viewer->save(path); }

}  // namespace cairn::ui
