#include "ui/pages/planspage.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/models/plansmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/factgrid.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kItems = 1000;  // of one plan; the strip says how many there are
constexpr int kFactsHeight = 170;

QString countsText(const std::vector<Fact>& counts)
{
    QStringList parts;
    for (const Fact& count : counts)
        parts << count.name + u' ' + count.value;
    return parts.join(u", "_s);
}

}  // namespace

PlansPage::PlansPage(Stores& stores, StoreIx store, QWidget* parent)
    : QWidget(parent)
    , m_stores(stores)
    , m_store(store)
    , m_model(new PlansModel(this))
    , m_itemsModel(new PlanItemsModel(this))
    , m_table(new DataTable(tr("Plans"), this))
    , m_items(new DataTable(tr("Runs of the plan"), this))
    , m_title(new DockTitle(tr("Plan"), this))
    , m_note(new PanelNote(tr("Reading the plans"), m_table))
    , m_itemsNote(new PanelNote(tr("Reading the runs of the plan"), m_items))
    , m_strip(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_outcomes(safe::label({}, {.wrap = true, .selectable = true}, this))
    , m_copy(safe::button(tr("Copy as command   Y"), this))
    , m_closed(safe::button(tr("Closed ones too"), this))
    , m_facts(new QWidget(this))
    , m_factRow(new QHBoxLayout(m_facts))
{
    m_table->setModel(m_model);
    m_table->setColumns({220, 168, 120, 320, 220, 160}, PlansModel::Standing);
    m_table->setGiveWay({PlansModel::Since, PlansModel::Reason, PlansModel::Person}, 200);
    m_items->setModel(m_itemsModel);
    m_items->setColumns({64, 126, 140, 100, 190, 240}, PlanItemsModel::Why);
    m_items->setGiveWay({PlanItemsModel::Step, PlanItemsModel::Place}, 140);
    m_items->setRowSize(22);
    m_closed->setCheckable(true);
    safe::setTip(m_closed, m_closed->text());  // it is cut in a narrow window
    m_strip->setContentsMargins(12, 4, 12, 5);
    m_outcomes->setContentsMargins(16, 4, 16, 4);
    m_factRow->setContentsMargins(12, 8, 12, 8);
    m_facts->setFixedHeight(kFactsHeight);
    setAttribute(Qt::WA_StyledBackground);  // otherwise the frame's colour shows where there is nothing
    setProperty("ground", u"window"_s);
    buildLayout();
    connectSignals();
    showView();
}

void PlansPage::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table, 2);
    column->addWidget(m_strip);
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addWidget(m_outcomes);
    column->addWidget(m_items, 3);
    column->addWidget(buildButtons());
}

QWidget* PlansPage::buildButtons()
{
    auto* strip = new QWidget(this);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    const QString keys[] = {u"S"_s, u"A"_s, u"X"_s, {}, u"H"_s, u"Shift+H"_s, tr("Delete")};
    for (int i = 0; i < kPlanSteps; ++i) {
        const auto step = static_cast<PlanStep>(i);
        const QString& key = keys[static_cast<std::size_t>(i)];
        auto* button = safe::button(stepName(step) + (key.isEmpty() ? QString() : u"   "_s + key), strip);
        button->setAccessibleName(stepName(step));
        connect(button, &QPushButton::clicked, this, [this, step] { Q_EMIT stepChosen(step); });
        m_buttons.push_back(button);
        row->addWidget(button);
    }
    row->addStretch(1);
    row->addWidget(m_closed);
    row->addWidget(m_copy);
    return strip;
}

void PlansPage::connectSignals()
{
    connect(m_table, &DataTable::currentMoved, this, &PlansPage::loadEntry);
    connect(m_table, &DataTable::opened, this, [this] {
        const PlanEntry* now = entry();
        if (now != nullptr && !now->run.isNull())
            Q_EMIT openRun({m_store, now->run});
        else
            m_items->setFocus();
    });
    connect(m_items, &DataTable::opened, this, [this](const QModelIndex& index) {
        if (const PlanItemLine* item = m_itemsModel->row(index.row()))
            Q_EMIT openRun({m_store, item->run});
    });
    connect(m_table, &DataTable::letterTyped, this, &PlansPage::letterTyped);
    connect(m_items, &DataTable::letterTyped, this, [this](QChar letter, bool shift) {
        if (letter != u'd' || shift)
            return Q_EMIT letterTyped(letter, shift);
        const PlanItemLine* item = m_itemsModel->row(m_items->currentRow());
        if (item == nullptr || item->version < 2)
            return Q_EMIT said(tr("Compare is off: nothing was done to this run by the plan."));
        Q_EMIT compareRun({m_store, item->run}, item->version - 1);
    });
    connect(m_copy, &QPushButton::clicked, this, &PlansPage::copyCommand);
    connect(m_closed, &QPushButton::toggled, this, &PlansPage::setClosedToo);
}

const PlanEntry* PlansPage::entry() const { return m_model->row(m_table->currentRow()); }

void PlansPage::setClosedToo(bool on)
{
    if (std::exchange(m_closedToo, on) != on)
        load();
}

void PlansPage::select(const QString& key)
{
    const int row = m_model->rowOf(key);
    m_wanted = row < 0 ? key : QString();
    if (row >= 0)
        m_table->setCurrentIndex(m_model->index(row, 0));
}

void PlansPage::focusNext()
{
    if (m_table->hasFocus())
        m_items->setFocus(Qt::TabFocusReason);
    else
        m_table->setFocus(Qt::TabFocusReason);
}

void PlansPage::copyCommand()
{
    if (m_view.command.isEmpty())
        return Q_EMIT said(tr("Copy is off: select a plan."));
    QApplication::clipboard()->setText(m_view.command);
    Q_EMIT said(tr("Copied the command that stages the same plan."));
}

void PlansPage::follow()
{
    constexpr qint64 kLeast = 1000;
    constexpr qint64 kShare = 8;
    if (settled() && (!m_read.isValid() || m_read.elapsed() >= std::max(kLeast, kShare * m_took)))
        load();
}

void PlansPage::load()
{
    m_read.start();
    const quint64 ticket = m_listTickets.next();
    ++m_open;
    if (!m_listed)
        m_note->begin();
    whenDone(
        m_stores.source(m_store).plans(m_closedToo), this, [this, ticket](const Reply<PlanEntries>& reply) {
            --m_open;
            if (!m_listTickets.current(ticket))
                return;
            if (reply)
                return showEntries(*reply.value);
            if (reply.failure.cancelled)
                return;
            if (!m_listed)
                for (PanelNote* note : {m_note, m_itemsNote})
                    note->fail(told(reply.failure));
            Q_EMIT failed(told(reply.failure));
        });
}

void PlansPage::showEntries(const PlanEntries& entries)
{
    m_listed = true;
    m_note->end();
    m_model->setRows(entries.entries);
    const auto waiting = std::count_if(
        entries.entries.begin(), entries.entries.end(), [](const PlanEntry& one) { return one.waits; });
    const auto proposals = std::count_if(
        entries.entries.begin(), entries.entries.end(), [](const PlanEntry& one) { return one.proposal; });
    QStringList parts{plural(entries.entries.size() - static_cast<std::size_t>(proposals), "plan", "plans"),
        plural(static_cast<quint64>(proposals), "proposed act", "proposed acts"),
        waiting == 1 ? tr("1 waits for a second person")
                     : tr("%1 wait for a second person").arg(countText(static_cast<quint64>(waiting)))};
    if (!m_closedToo)
        parts << tr("closed plans are not shown");
    if (entries.entries.empty())
        parts << tr("one begins in the lists: mark runs or filter them, then menu Plan");
    if (entries.more)
        parts << tr("older ones are not shown");
    safe::setText(m_strip, parts.join(u" · "_s));
    if (!m_wanted.isEmpty())
        select(std::exchange(m_wanted, {}));
    m_wanted.clear();  // what is not there now has been closed meanwhile
    if (m_step && m_model->rowOf(m_step->first) < 0)
        m_step.reset();
    if (m_table->currentRow() < 0 && m_model->rowCount() > 0)
        m_table->setCurrentIndex(m_model->index(0, 0));
    loadEntry();
}

void PlansPage::loadEntry()
{
    const quint64 ticket = m_viewTickets.next();
    const PlanEntry* now = entry();
    if (now == nullptr) {
        m_view = {};
        return showView();
    }
    if (now->key() != m_view.entry.key()) {  // what stands below is another's: nothing is offered meanwhile
        m_view = {};
        m_view.entry = *now;
        showView();
    }
    ++m_open;
    whenDone(m_stores.source(m_store).plan(*now, kItems), this, [this, ticket](const Reply<PlanView>& reply) {
        --m_open;
        if (!m_viewTickets.current(ticket))
            return;
        if (reply) {
            m_view = *reply.value;
            m_took = m_read.elapsed();
            showView();
            if (m_wanted.isEmpty() && m_step)
                if (const auto [key, step] = *std::exchange(m_step, {}); key == m_view.entry.key())
                    Q_EMIT stepChosen(step);
        } else if (!reply.failure.cancelled) {
            m_step.reset();
            if (m_itemsNote->reading())
                m_itemsNote->fail(told(reply.failure));
            Q_EMIT failed(told(reply.failure));
        }
    });
}

QString PlansPage::whyOff(PlanStep step) const
{
    if (entry() == nullptr)
        return tr("select a plan or a proposed act.");
    for (const PlanOffer& offer : m_view.offers)
        if (offer.step == step)
            return offer.whyOff;
    return tr("how it stands has not been read yet.");
}

void PlansPage::showView()
{
    m_itemsModel->setRows(m_view.items);
    if (entry() == nullptr ? !m_listed : m_view.offers.empty())
        m_itemsNote->begin();
    else
        m_itemsNote->end();
    showFacts();
    const PlanEntry* now = entry();
    m_title->setRemark(now == nullptr ? tr("nothing is selected") : shown(now->what, false, 120));
    QStringList lines;
    if (!m_view.outcomes.empty())
        lines << tr("Outcomes: %1").arg(countsText(m_view.outcomes));
    if (!m_view.fates.empty())
        lines << tr("Of those done: %1").arg(countsText(m_view.fates));
    if (m_view.itemsInAll > m_view.items.size())
        lines << tr("%1 of %2 runs shown").arg(countText(m_view.items.size()), countText(m_view.itemsInAll));
    safe::setText(m_outcomes, lines.join(u'\n'));
    m_outcomes->setVisible(!lines.isEmpty());
    m_items->setVisible(now == nullptr || !now->proposal);
    safe::setOff(m_copy,
        m_view.command.isEmpty() ? tr("Select a plan; a proposed act has no such command.") : QString());
    showButtons();
    Q_EMIT viewChanged();
}

// Not where they are the same: a refresh leaves what is selected in them.
void PlansPage::showFacts()
{
    if (m_shownFacts == m_view.facts)
        return;
    m_shownFacts = m_view.facts;
    while (QLayoutItem* item = m_factRow->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const std::size_t half = (m_view.facts.size() + 1) / 2;
    for (std::size_t from = 0; from < m_view.facts.size(); from += half) {
        const std::vector<Fact> part(m_view.facts.begin() + static_cast<std::ptrdiff_t>(from),
            m_view.facts.begin() + static_cast<std::ptrdiff_t>(std::min(from + half, m_view.facts.size())));
        auto* area = new QWidget(m_facts);
        auto* inner = new QVBoxLayout(area);
        inner->setContentsMargins(0, 0, 16, 0);
        inner->addWidget(factGrid(part, 100, area));
        inner->addStretch(1);
        m_factRow->addWidget(area, 1);
    }
}

void PlansPage::showButtons()
{
    for (int i = 0; i < kPlanSteps; ++i) {
        const QString off = whyOff(static_cast<PlanStep>(i));
        QPushButton* button = m_buttons[static_cast<std::size_t>(i)];
        safe::setOff(button, off);
    }
}

}  // namespace cairn::ui
