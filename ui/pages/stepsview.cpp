#include "ui/pages/stepsview.h"

#include "ui/models/stepsmodel.h"
#include "ui/pages/inspector.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/graph/graphcanvas.h"

#include <QSplitter>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

StepsView::StepsView(QWidget* parent)
    : QWidget(parent)
    , m_model(new StepsModel(this))
    , m_table(new DataTable(tr("Steps"), this))
    , m_graph(new GraphCanvas(this))
    , m_inspector(new Inspector(this))
    , m_listTitle(new DockTitle(tr("Steps"), this))
    , m_graphTitle(new DockTitle(tr("Graph"), this))
{
    m_table->setModel(m_model);
    m_graphTitle->setLegend(true);
    buildLayout();
    connectSignals();
}

void StepsView::buildLayout()
{
    const auto wrap = [](QWidget* title, QWidget* content) {
        auto* holder = new QWidget;
        auto* column = new QVBoxLayout(holder);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(title);
        column->addWidget(content, 1);
        return holder;
    };
    m_table->setColumns({200, 90, 60, 62, 96}, 0);
    m_table->setGiveWay({StepsModel::Queued, StepsModel::Agent}, 120);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(wrap(m_listTitle, m_table));
    split->addWidget(wrap(m_graphTitle, m_graph));
    split->addWidget(m_inspector);
    split->setSizes({456, 590, 388});
    split->setStretchFactor(1, 1);
    auto* row = new QVBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(split);
}

void StepsView::connectSignals()
{
    connect(m_table, &DataTable::currentMoved, this, [this](const QModelIndex& index) {
        const StepSlot* slot = m_model->row(index.row());
        if (m_quiet || slot == nullptr)
            return;
        m_current = slot->step.ix;
        m_graph->select(m_current);
        m_graph->reveal(m_current);
        inspect();
        Q_EMIT selected(m_current);
    });
    connect(m_table, &DataTable::foldAsked, this, [this](int row, bool open) {
        const StepSlot* slot = m_model->row(row);
        if (slot == nullptr || !slot->foldable)
            return;
        const quint32 step = slot->step.ix;
        m_quiet = true;
        m_model->setOpen(step, open);
        m_graph->setOpen(step, open);
        m_quiet = false;
        restoreRow();
        writeTitles();
    });
    connect(m_table, &DataTable::opened, this, [this] { Q_EMIT stepOpened(m_current); });
    connect(m_table, &DataTable::letterTyped, this, &StepsView::letterTyped);
    connect(m_graph, &GraphCanvas::letterTyped, this, &StepsView::letterTyped);
    connect(m_graph, &GraphCanvas::stepChosen, this, &StepsView::select);
    connect(m_graph, &GraphCanvas::stepOpened, this, &StepsView::stepOpened);
    connect(m_graph, &GraphCanvas::foldChanged, this, &StepsView::writeTitles);
    connect(m_inspector, &Inspector::payloadChosen, this, &StepsView::payloadChosen);
    connect(m_inspector, &Inspector::verbChosen, this, &StepsView::verbChosen);
    connect(m_inspector, &Inspector::runChosen, this, &StepsView::runChosen);
}

const StepLine* StepsView::currentStep() const { return m_model->find(m_current); }

void StepsView::setDetail(const RunDetail& detail)
{
    const bool first = m_model->all().empty();
    m_now = detail.at;
    m_model->setNow(detail.at);
    m_quiet = true;
    m_model->setSteps(detail.steps);
    m_graph->setSteps(detail.steps);
    m_quiet = false;
    if (first) {
        // The wait is what one came to see.
        for (const StepLine& step : detail.steps)
            if (step.root)
                m_current = step.ix;
        if (m_current == kNone && !detail.steps.empty())
            m_current = detail.steps.front().ix;
    }
    restoreRow();
    m_graph->select(m_current);
    inspect();
    writeTitles();
}

void StepsView::inspect()
{
    const StepLine* step = currentStep();
    m_inspector->setStep(step, m_now);
    const std::vector<PayloadLine> payloads = step != nullptr ? step->payloads : std::vector<PayloadLine>();
    if (payloads == m_asked)
        return;
    m_asked = payloads;
    if (!payloads.empty())
        Q_EMIT previewsWanted(payloads);
}

void StepsView::setActs(quint32 of, const std::vector<VerbLine>& acts, const QString& note)
{
    if (of == m_current)
        m_inspector->setActs(acts, note);
}

void StepsView::setPreviews(const std::vector<PayloadText>& texts) { m_inspector->setPreviews(texts); }

void StepsView::restoreRow()
{
    const int row = m_model->rowShowing(m_current);
    if (row == m_table->currentRow())
        return;
    m_quiet = true;
    m_table->setCurrentIndex(row < 0 ? QModelIndex() : m_model->index(row, 0));
    m_quiet = false;
}

void StepsView::select(quint32 step)
{
    m_current = step;
    restoreRow();
    m_graph->select(step);
    m_graph->reveal(step);
    inspect();
    Q_EMIT selected(step);
}

void StepsView::selectNextStuck(bool backwards)
{
    const quint32 next = m_model->nextStuck(m_current, backwards);
    if (next != kNone)
        select(next);
}

void StepsView::toggleUnfinished()
{
    m_quiet = true;
    m_model->setOnlyUnfinished(!m_model->onlyUnfinished());
    m_quiet = false;
    restoreRow();
    writeTitles();
    Q_EMIT shownChanged();
}

void StepsView::setNow(qint64 now)
{
    m_now = now;
    m_model->setNow(now);
    m_table->viewport()->update();
    m_inspector->setStep(currentStep(), now);
}

void StepsView::writeTitles()
{
    m_listTitle->setRemark(m_model->summary());
    m_graphTitle->setRemark(m_graph->summary());
    Q_EMIT shownChanged();
}

QString StepsView::hiddenText() const { return m_model->hiddenText(); }
void StepsView::focusList() { m_table->setFocus(); }

std::vector<QWidget*> StepsView::stops() const
{
    std::vector<QWidget*> stops{m_table, m_graph};
    if (QWidget* first = m_inspector->firstStop()) {
        m_inspector->setFocusProxy(first);  // and whoever is in it is at this stop, on whichever button
        stops.push_back(m_inspector);
    }
    return stops;
}

QString StepsView::place() const
{
    const QWidget* here = focusWidget();
    if (here == m_graph)
        return tr("Graph");
    return here != nullptr && m_inspector->isAncestorOf(here) ? tr("Step") : tr("Steps");
}

}  // namespace cairn::ui
