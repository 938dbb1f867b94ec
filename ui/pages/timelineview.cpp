#include "ui/pages/timelineview.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/models/attemptsmodel.h"
#include "ui/models/runviewmodels.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/timeline/timelinecanvas.h"
#include "ui/widgets/timeline/timelinelegend.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

QString kindText(SpanKind kind)
{
    switch (kind) {
    case SpanKind::Queued: return TimelineView::tr("queued");
    case SpanKind::Ran: return TimelineView::tr("ran");
    case SpanKind::Between: return TimelineView::tr("between attempts");
    case SpanKind::Waits: return TimelineView::tr("waits");
    }
    return {};
}

std::vector<SpanRow> rowsOf(const Timeline& timeline)
{
    std::vector<SpanRow> rows;
    for (const LaneAct& act : timeline.acts) {
        SpanRow row;
        row.key = (quint64{1} << 63) | act.seq;
        row.lane = TimelineView::tr("Operators");
        row.title = act.text;
        row.what = TimelineView::tr("act");
        row.from = row.to = act.time;
        rows.push_back(std::move(row));
    }
    for (const Lane& lane : timeline.lanes)
        for (const LaneRow& step : lane.rows)
            for (std::size_t i = 0; i < step.spans.size(); ++i) {
                const LaneSpan& span = step.spans[i];
                SpanRow row;
                row.key = (quint64{step.step} << 20) | i;
                row.lane = lane.name;
                row.step = step.step;
                row.title = step.title;
                row.glyph = span.glyph;
                row.what = kindText(span.kind);
                if (span.kind == SpanKind::Ran && step.spans.size() > 2)
                    row.what += TimelineView::tr(", attempt %1").arg(span.attempt + 1);
                row.from = span.from;
                row.to = span.to;
                row.open = span.open;
                row.doubt = span.doubt;
                rows.push_back(std::move(row));
            }
    return rows;
}

}  // namespace

TimelineView::TimelineView(QWidget* parent)
    : QWidget(parent)
    , m_canvas(new TimelineCanvas(this))
    , m_spans(new SpansModel(this))
    , m_list(new DataTable(tr("Timeline as a list"), this))
    , m_views(new QStackedWidget(this))
    , m_title(new DockTitle(tr("Timeline"), this))
    , m_legend(new TimelineLegend(this))
    , m_idle(safe::button(tr("Show idle time"), this))
    , m_selected(new DockTitle(tr("Selected"), this))
    , m_attempts(new AttemptsModel(this))
    , m_tries(new DataTable(tr("Attempts of the selected step"), this))
{
    setObjectName(u"view-timeline"_s);
    m_list->setModel(m_spans);
    m_list->setColumns({220, 120, 220, 200, 200, 120}, 0);
    m_tries->setModel(m_attempts);
    m_tries->setColumns({56, 110, 110, 90, 90, 130, 300}, AttemptsModel::Outcome);
    m_tries->setFixedHeight(26 + 4 * 28);
    m_views->addWidget(m_canvas);
    m_views->addWidget(m_list);
    m_idle->setProperty("small", true);
    m_idle->setCheckable(true);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 8, 0);
    head->setSpacing(0);
    head->addWidget(m_title, 1);
    head->addWidget(m_legend);
    head->addWidget(m_idle);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_views, 1);
    column->addWidget(m_selected);
    column->addWidget(m_tries);
    connect(m_idle, &QPushButton::toggled, this, &TimelineView::setIdleShown);
    connect(m_canvas, &TimelineCanvas::stepChosen, this, &TimelineView::stepChosen);
    connect(m_canvas, &TimelineCanvas::stepOpened, this, &TimelineView::stepOpened);
    connect(m_list, &DataTable::currentMoved, this, [this](const QModelIndex& at) {
        const SpanRow* row = m_spans->row(at.row());
        if (!m_quiet && row != nullptr && row->step != kNone)
            Q_EMIT stepChosen(row->step);
    });
    connect(m_list, &DataTable::opened, this, [this] { Q_EMIT stepOpened(m_step); });
    for (DataTable* table : {m_list, m_tries})
        connect(table, &DataTable::letterTyped, this, &TimelineView::letterTyped);
    connect(m_canvas, &TimelineCanvas::letterTyped, this, &TimelineView::letterTyped);
}

void TimelineView::setDetail(const RunDetail& detail)
{
    m_steps = detail.steps;
    m_now = detail.at;
    draw();
}

void TimelineView::setActs(const std::vector<ActLine>& acts)
{
    if (m_acts == acts)
        return;
    m_acts = acts;
    draw();
}

void TimelineView::setNow(qint64 now)
{
    m_now = now;
    draw();
}

void TimelineView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        draw();
}

// The title says what is left out, so it keeps its room; the legend only explains.
void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int kTitle = 500;
    m_legend->setVisible(width() >= kTitle + m_legend->sizeHint().width() + m_idle->sizeHint().width());
}

void TimelineView::draw()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_canvas->setTimeline(timelineOf(m_steps, m_acts, m_now));
    fillList();
    showAttempts();
    writeTitle();
}

void TimelineView::fillList()
{
    if (!asList())
        return;
    m_quiet = true;
    m_spans->setSpans(rowsOf(m_canvas->timeline()));
    const SpanRow* current = m_spans->row(m_list->currentRow());
    if (const int row = m_spans->firstOf(m_step); row >= 0 && (current == nullptr || current->step != m_step))
        m_list->setCurrentIndex(m_spans->index(row, 0));
    m_quiet = false;
}

void TimelineView::select(quint32 step)
{
    m_step = step;
    m_canvas->select(step);
    const SpanRow* current = m_spans->row(m_list->currentRow());
    if (current == nullptr || current->step != step) {
        m_quiet = true;
        const int row = m_spans->firstOf(step);
        m_list->setCurrentIndex(row < 0 ? QModelIndex() : m_spans->index(row, 0));
        m_quiet = false;
    }
    showAttempts();
}

void TimelineView::showAttempts()
{
    const StepLine* chosen = nullptr;
    for (const StepLine& step : m_steps)
        if (step.ix == m_step)
            chosen = &step;
    m_attempts->setNow(m_now);
    if (chosen == nullptr) {
        m_attempts->setAttempts({}, 0);
        m_selected->setRemark(tr("no step is selected"));
        m_selected->setRight({});
        return;
    }
    m_attempts->setAttempts(chosen->tries, chosen->readyAt);
    QStringList told{chosen->word};
    for (const QString& more : {chosen->safety, repeatText(*chosen)})
        if (!more.isEmpty())
            told << more;
    m_selected->setRemark({}, chosen->id);
    m_selected->setRight(told.join(u" · "_s), chosen->glyph);
}

void TimelineView::writeTitle()
{
    qint64 ran = 0;
    qint64 queued = 0;
    bool more = false;
    for (const Lane& lane : m_canvas->timeline().lanes) {
        ran += lane.ran;
        queued += lane.queued;
        more = more || lane.more;
    }
    m_title->setRemark(tr("total: ran %1%2, queued %3")
                           .arg(durationText(ran), more ? u"+"_s : QString(), durationText(queued)));
    QStringList right;
    const bool idle = !idleGaps(m_canvas->timeline(), kIdleFolded).empty();
    safe::setOff(
        m_idle, idle ? QString() : tr("No idle stretch is as long as %1.").arg(durationText(kIdleFolded)));
    if (const std::size_t gaps = m_canvas->scale().folded().size(); gaps > 0)
        right << tr("%1 idle stretches over %2 are folded").arg(gaps).arg(durationText(kIdleFolded));
    if (m_canvas->timeline().notBegun > 0)
        right << plural(m_canvas->timeline().notBegun, "step has not begun", "steps have not begun");
    m_title->setRight(right.join(u" · "_s));
}

QString TimelineView::remark() const { return m_title->remark() + u" · "_s + m_title->right(); }

QString TimelineView::selectedText() const { return m_selected->accessibleName().simplified(); }

void TimelineView::setIdleShown(bool shown)
{
    m_canvas->setFolded(!shown);
    m_idle->setChecked(shown);
    writeTitle();
}

bool TimelineView::asList() const { return m_views->currentWidget() == m_list; }

void TimelineView::setAsList(bool list)
{
    const bool here = m_views->currentWidget()->hasFocus();
    m_views->setCurrentWidget(list ? static_cast<QWidget*>(m_list) : m_canvas);
    fillList();
    if (here)
        m_views->currentWidget()->setFocus();
}

std::vector<QWidget*> TimelineView::stops() const { return {m_views->currentWidget(), m_tries}; }

}  // namespace cairn::ui
