// Earlier versions of a run, what people did with it, and going from one to the other.
#include "ui/data/format.h"
#include "ui/pages/compareview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/runpage.h"
#include "ui/pages/runviews.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/timelineview.h"
#include "ui/widgets/revisionbar.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

void RunPage::connectTravel()
{
    connect(m_revisions, &RevisionBar::versionWanted, this, &RunPage::travelTo);
    connect(m_acts, &ActsView::versionWanted, this, &RunPage::travelTo);
    connect(m_acts, &ActsView::letterTyped, this, &RunPage::letterTyped);
    connect(m_acts, &ActsView::compareWanted, this, [this](quint64 before, quint64 after) {
        showView(7);
        m_compare->compare(u"version %1"_s.arg(before), u"version %1"_s.arg(after));
    });
    connect(m_history, &HistoryView::versionWanted, this, &RunPage::travelTo);
    connect(m_steps, &StepsView::selected, this, &RunPage::selectStep);
    connect(m_timeline, &TimelineView::stepChosen, this, &RunPage::selectStep);
    connect(m_timeline, &TimelineView::stepOpened, this, &RunPage::openStep);
    connect(m_timeline, &TimelineView::letterTyped, this, &RunPage::letterTyped);
    connect(m_relations, &RelationsView::letterTyped, this, &RunPage::letterTyped);
    connect(m_relations, &RelationsView::failed, this, &RunPage::failed);
    connect(m_relations, &RelationsView::runChosen, this, [this](const RunId& other) {
        Q_EMIT runChosen({m_store, other});
    });
    connect(m_compare, &CompareView::letterTyped, this, &RunPage::letterTyped);
    connect(m_context, &ContextView::said, this, &RunPage::said);
    connect(m_context, &ContextView::failed, this, &RunPage::failed);
}

QString RunPage::versionText() const
{
    return tr("As it was at version %1 of %2, %3: not now")
        .arg(countText(m_version), countText(m_newest.version), instantText(m_detail.at));
}

void RunPage::travelTo(quint64 version)
{
    if (m_newest.version == 0 || version == 0)
        return;
    if (version >= m_newest.version)
        return backToNow();
    const quint64 ticket = m_travels.next();
    m_revisions->setShown(version, 0);
    whenDone(m_source.runAt(m_run, version), this, [this, ticket, version](const Reply<RunDetail>& reply) {
        if (!m_travels.current(ticket))
            return;
        if (!reply) {
            // What is shown stays, and so does the bar.
            m_revisions->setShown(atNow() ? m_newest.version : m_version, atNow() ? 0 : m_detail.at);
            if (!reply.failure.cancelled)
                Q_EMIT failed(told(reply.failure));
            return;
        }
        m_version = version;
        showDetail(*reply.value);
        m_revisions->setShown(version, m_detail.at);
    });
}

void RunPage::backToNow()
{
    static_cast<void>(m_travels.next());  // an answer about the past comes too late
    m_version = 0;
    m_revisions->setShown(m_newest.version, 0);
    showDetail(m_newest);
}

// Again only where the run has moved on since.
void RunPage::loadActs()
{
    if (m_actsOf == m_newest.version)
        return;
    m_actsOf = m_newest.version;
    whenDone(m_source.acts(m_run), this, [this](const Reply<std::vector<ActLine>>& reply) {
        if (!reply) {
            m_actsOf = 0;
            return;  // the next read of the run asks again
        }
        m_actLines = *reply.value;
        m_acts->setActs(m_actLines);
        m_timeline->setActs(m_actLines);
        m_revisions->setActs(m_actLines);
        writeTabs();
    });
}

// The last two attempts of the selected step against each other.
void RunPage::compareAttempts()
{
    const StepLine* step = m_steps->currentStep();
    if (step == nullptr || step->tries.size() < 2) {
        Q_EMIT said(tr("Nothing to compare: the step has had fewer than two attempts."));
        return;
    }
    const QString before =
        u"attempt %1 of %2"_s.arg(step->tries[step->tries.size() - 2].number).arg(step->id);
    const QString last = u"attempt %1 of %2"_s.arg(step->tries.back().number).arg(step->id);
    showView(7);
    m_compare->compare(before, last);
}

}  // namespace cairn::ui
