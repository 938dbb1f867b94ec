// Plans and proposed acts: their tab, and the sheets that stage them and act on them.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/dialogs/plansheet.h"
#include "ui/pages/compareview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/planspage.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"

#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>
#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct StepKey {
    PlanStep step;
    QChar letter;
    bool shift;
};
constexpr StepKey kStepKeys[] = {{PlanStep::Start, u's', false}, {PlanStep::Confirm, u'a', false},
    {PlanStep::Reject, u'x', false}, {PlanStep::Pause, u'h', false}, {PlanStep::Continue, u'h', true},
    {PlanStep::Abort, QChar(0x7F), false}};

// Those whose meaning does not hang on the run: what has to be read run by run is no plan.
constexpr Verb kPlanVerbs[] = {Verb::Retry, Verb::Pause, Verb::Resume, Verb::Cancel};

// In the ids of acts, the same in every language; in the order of PlanStep.
const std::array<QString, kPlanSteps> kStepIds{
    u"start"_s, u"confirm"_s, u"reject"_s, u"withdraw"_s, u"pause"_s, u"continue"_s, u"abort"_s};

}  // namespace

PlansPage* MainWindow::currentPlans() const { return qobject_cast<PlansPage*>(m_pages->currentWidget()); }

PlanSheet* MainWindow::planSheet() const { return m_plan; }

OrderSheet* MainWindow::orderSheet() const { return m_order; }

PlansPage* MainWindow::openPlans()
{
    return openPlansOf(currentRunRef().isNull() ? 0 : currentRunRef().store);
}

void MainWindow::openPlan(StoreIx store, const QString& key) { openPlansOf(store)->select(key); }

PlansPage* MainWindow::openPlansOf(StoreIx store)
{
    for (int i = 1; i < m_pages->count(); ++i) {
        auto* page = qobject_cast<PlansPage*>(m_pages->widget(i));
        if (page != nullptr && page->store() == store) {
            m_tabs->setCurrentIndex(i);
            page->load();
            return page;
        }
    }
    auto* page = new PlansPage(m_stores, store, this);
    connect(page, &PlansPage::openRun, this, [this](const RunRef& run) { openRun(run); });
    connect(page, &PlansPage::compareRun, this, [this](const RunRef& ref, quint64 before) {
        RunPage* run = openRun(ref);
        run->showNamed(u"compare"_s);
        run->comparison()->compare(QString::number(before), u"now"_s);
    });
    connect(page, &PlansPage::letterTyped, this, &MainWindow::takeLetter);
    connect(page, &PlansPage::stepChosen, this, &MainWindow::orderPlan);
    connect(page, &PlansPage::failed, this, &MainWindow::trouble);
    connect(page, &PlansPage::said, this, &MainWindow::say);
    const QString title = m_stores.several()
        ? tr("Plans · %1").arg(shown(m_stores.nameOf(store), false, 24)).replace(u'&', u"&&"_s)
        : tr("Plans");
    const int tab = addPage(page, title, Glyph::None);
    page->load();
    m_tabs->setCurrentIndex(tab);
    return page;
}

void MainWindow::addPlanActions()
{
    for (const Verb verb : kPlanVerbs)
        m_actions.add({u"plan.stage-"_s + verbSlug(verb), tr("Plan"), tr("%1 as a plan…").arg(verbName(verb)),
            {}, {}, false, {}, ActPlace::Lists, [this, verb] { stagePlan(verb); },
            [this] { return onLists() ? QString() : tr("a plan is staged from the lists."); }});
    for (int i = 0; i < kPlanSteps; ++i) {
        const auto step = static_cast<PlanStep>(i);
        m_actions.add({u"plan."_s + kStepIds[static_cast<std::size_t>(i)], tr("Plan"), stepName(step) + u'…',
            {}, {}, false, {}, ActPlace::Plans, [this, step] { orderPlan(step); },
            [this, step] { return stepOff(step); }, i == 0});
    }
    m_actions.add({u"plan.copy"_s, tr("Plan"), tr("Copy as command"), {}, {}, false, {}, ActPlace::Plans,
        [this] {
            if (PlansPage* page = currentPlans())
                page->copyCommand();
        },
        [this] { return currentPlans() != nullptr ? QString() : tr("open the plans first: G P."); }});
}

// Letters mean plans on their tab, and open a sheet at most.
bool MainWindow::takePlanLetter(QChar letter, bool shift)
{
    PlansPage* page = currentPlans();
    if (page == nullptr)
        return takeDockLetter(letter, shift);
    if (letter == u'y' && !shift) {
        page->copyCommand();
        return true;
    }
    for (const StepKey& key : kStepKeys)
        if (key.letter == letter && key.shift == shift) {
            orderPlan(key.step);
            return true;
        }
    return false;
}

// In the dock of plans a letter means the plan, not the run that is selected above.
bool MainWindow::takeDockLetter(QChar letter, bool shift)
{
    const auto* meant = std::find_if(std::begin(kStepKeys), std::end(kStepKeys),
        [&](const StepKey& key) { return key.letter == letter && key.shift == shift; });
    const DataTable* dock = m_triage->plansTable();
    if (meant == std::end(kStepKeys) || !onLists() || m_triage->focusWidget() != dock
        || dock->currentRow() < 0)
        return false;
    orderFromDock(meant->step);
    return true;
}

// The sheet comes where all of the plan is, once it has been read how it stands: what may be done to it is
// told there.
void MainWindow::orderFromDock(PlanStep step)
{
    DataTable* dock = m_triage->plansTable();
    if (dock->currentRow() < 0)
        return say(tr("%1 is off: select a plan in the dock.").arg(stepName(step)));
    const QString key = m_triage->planKey();
    Q_EMIT dock->opened(dock->currentIndex());
    if (PlansPage* page = currentPlans())
        page->chooseOnceRead(key, step);
}

QString MainWindow::stepOff(PlanStep step) const
{
    const PlansPage* page = currentPlans();
    if (page == nullptr)
        return tr("open the plans first: G P.");
    if (const QString off = actsOff(page->store()); !off.isEmpty())
        return off;
    return page->whyOff(step);
}

void MainWindow::orderPlan(PlanStep step)
{
    // Delete means what takes the thing away: a plan is stopped, a proposal withdrawn.
    if (const PlansPage* page = currentPlans();
        step == PlanStep::Abort && page != nullptr && page->entry() != nullptr && page->entry()->proposal)
        step = PlanStep::Withdraw;
    if (const QString off = stepOff(step); !off.isEmpty())
        return say(tr("%1 is off: %2").arg(stepName(step), off));
    if (m_order != nullptr)
        return;
    const PlansPage* page = currentPlans();
    m_order = new OrderSheet(
        m_stores.source(page->store()), m_stores.state(page->store()).facts, page->view().entry, step, this);
    m_order->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_order, &OrderSheet::ended, this, &MainWindow::planEnded);
    helpOn(*m_order, Verb::Plan);
    m_order->open();
}

// On the runs that are marked, or on all that the filter finds: never on everything without having said so.
void MainWindow::stagePlan(Verb verb)
{
    if (!onLists())
        return say(tr("%1 is off: a plan is staged from the lists.").arg(verbName(verb)));
    const std::vector<RunLine> marked = m_triage->marked();
    PlanRequest request;
    request.act.verb = verb;
    StoreIx store = currentRunRef().isNull() ? 0 : currentRunRef().store;
    if (!marked.empty()) {
        store = marked.front().store;
        if (std::any_of(
                marked.begin(), marked.end(), [store](const RunLine& line) { return line.store != store; }))
            return say(tr("A plan is about runs of one store; the marked ones are of several."));
        for (const RunLine& line : marked)
            request.runs.push_back(line.run);
    } else {
        const QString filter = m_triage->filterBox()->filter();
        const auto here =
            m_stores.several() ? filterFor(filter, m_stores.nameOf(store)) : std::optional(filter);
        if (!here || here->trimmed().isEmpty())
            return say(tr("A plan is off: mark runs with Space, or write a filter that finds them."));
        request.filter = *here;
    }
    openPlanSheet(store, std::move(request));
}

void MainWindow::openPlanSheet(StoreIx store, PlanRequest request)
{
    if (const QString off = actsOff(store); !off.isEmpty())
        return say(tr("%1 is off: %2").arg(verbName(request.act.verb), off));
    if (m_plan != nullptr)
        return;
    const Verb verb = request.act.verb;
    m_plan = new PlanSheet(m_stores.source(store), m_stores.state(store).facts, std::move(request), this);
    m_plan->setAttribute(Qt::WA_DeleteOnClose);
    helpOn(*m_plan, verb);
    connect(m_plan, &PlanSheet::ended, this, [this](const ActResult& result) {
        m_triage->clearMarks();
        planEnded(result);
    });
    m_plan->open();
}

void MainWindow::planEnded(const ActResult& result)
{
    say(result.text
        + (result.auditSeq != 0 ? tr(" Audit entry %1.").arg(countText(result.auditSeq)) : QString()));
    m_stores.poll();
    m_triage->refresh();
    for (int i = 1; i < m_pages->count(); ++i)
        if (auto* page = qobject_cast<PlansPage*>(m_pages->widget(i)))
            page->load();
}

}  // namespace cairn::ui
