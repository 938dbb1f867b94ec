// The dock of plans: what is staged, waits for somebody, or runs, with how it stands. All of it is on the
// plans' own tab.
#include "ui/data/format.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/models/plansmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"

#include <QHeaderView>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLine = 22;
constexpr int kMostLines = 3;  // the others are scrolled to
}  // namespace

void TriagePage::buildPlans(QVBoxLayout* column)
{
    column->addWidget(m_plansTitle);
    m_plansTable->setModel(m_plans);
    m_plansTable->horizontalHeader()->hide();
    m_plansTable->setColumns({190, 168, 110, 320, 180, 160}, PlansModel::Standing);
    m_plansTable->setGiveWay({PlansModel::Reason, PlansModel::Since, PlansModel::Person}, 200);
    m_plansTable->setRowSize(kLine);
    column->addWidget(m_plansTable);
    QMenu* menu = m_plansTitle->addMenu(tr("Act on it"));
    for (int i = 0; i < kPlanSteps; ++i) {
        const auto step = static_cast<PlanStep>(i);
        menu->addAction(stepName(step) + u'…', this, [this, step] { Q_EMIT planStepWanted(step); });
    }
    menu->addSeparator();
    menu->addAction(tr("All plans"), this, [this] { Q_EMIT plansWanted(); });
    connect(
        m_plansTable, &DataTable::opened, this, [this](const QModelIndex& index) { openPlan(index.row()); });
    connect(m_plansTable, &DataTable::letterTyped, this, &TriagePage::letterTyped);
    m_plansTable->installEventFilter(this);
    showPlans();
}

QString TriagePage::planKey() const
{
    const PlanEntry* entry = m_plans->row(m_plansTable->currentRow());
    return entry == nullptr ? QString() : entry->key();
}

// On the tab of its own store, where it is selected.
void TriagePage::openPlan(int row)
{
    const PlanEntry* wanted = m_plans->row(row);
    if (wanted == nullptr)
        return Q_EMIT plansWanted();
    for (const auto& [store, entries] : m_plansOf)
        for (const PlanEntry& entry : entries)
            if (entry.key() == wanted->key())
                return Q_EMIT planWanted(store, entry.key());
}

// A store that has none to tell of, or may not, has none here.
void TriagePage::loadPlans()
{
    if (!isVisible())
        return;  // the plans' own tab may be asking
    const quint64 ticket = m_planTickets.next();
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        if (!m_stores.state(store).opened)
            continue;
        whenDone(m_stores.source(store).plans(false), this,
            [this, ticket, store](const Reply<PlanEntries>& reply) {
                if (!m_planTickets.current(ticket) || reply.failure.cancelled)
                    return;
                m_plansOf[store] = reply ? reply.value->entries : std::vector<PlanEntry>();
                showPlans();
            });
    }
}

void TriagePage::showPlans()
{
    std::vector<PlanEntry> all;
    for (const auto& [store, entries] : m_plansOf)
        all.insert(all.end(), entries.begin(), entries.end());
    std::stable_partition(all.begin(), all.end(), [](const PlanEntry& entry) { return entry.waits; });
    const auto waiting =
        std::count_if(all.begin(), all.end(), [](const PlanEntry& entry) { return entry.waits; });
    const auto proposals =
        std::count_if(all.begin(), all.end(), [](const PlanEntry& entry) { return entry.proposal; });
    const auto plans = all.size() - static_cast<std::size_t>(proposals);
    QStringList parts;
    if (plans > 0)
        parts << tr("%1 open").arg(plural(plans, "plan", "plans"));
    if (proposals > 0)
        parts << plural(static_cast<quint64>(proposals), "proposed act", "proposed acts");
    if (waiting > 0)
        parts << tr("%1 for a second person")
                     .arg(waiting == 1 ? tr("1 waits")
                                       : tr("%1 wait").arg(countText(static_cast<quint64>(waiting))));
    const auto rows = static_cast<int>(all.size());
    m_plans->setRows(std::move(all));
    m_plansTitle->setRemark(parts.join(u", "_s));
    m_plansTable->setFixedHeight(kLine * std::min(kMostLines, rows) + 2);
    m_plansTitle->setVisible(rows > 0);
    m_plansTable->setVisible(rows > 0);
}

}  // namespace cairn::ui
