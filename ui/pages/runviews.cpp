#include "ui/pages/runviews.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/models/runviewmodels.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

void stack(QWidget* holder, QWidget* title, QWidget* content)
{
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(title);
    column->addWidget(content, 1);
}

}  // namespace

// --- acts

ActsView::ActsView(QWidget* parent)
    : QWidget(parent)
    , m_model(new ActsModel(this))
    , m_table(new DataTable(tr("Acts"), this))
    , m_title(new DockTitle(tr("Acts"), this))
    , m_note(new PanelNote(tr("Reading the acts"), m_table))
{
    setObjectName(u"view-acts"_s);
    m_table->setModel(m_model);
    m_table->setColumns({70, 190, 130, 110, 150, 90, 260, 70}, ActsModel::Reason);
    m_table->setGiveWay({ActsModel::Seq, ActsModel::Target}, 160);
    stack(this, m_title, m_table);
    m_title->setRight(tr("Enter: the run as it was then · D: what the act changed"));
    connect(m_table, &DataTable::letterTyped, this, &ActsView::letterTyped);
    connect(m_table, &DataTable::opened, this, [this](const QModelIndex& at) {
        if (const ActLine* act = m_model->row(at.row()); act != nullptr && act->version != 0)
            Q_EMIT versionWanted(act->version);
    });
    m_note->begin();
}

void ActsView::setActs(const std::vector<ActLine>& acts)
{
    m_note->end();
    m_model->setActs(acts);
    std::size_t refused = 0;
    for (const ActLine& act : acts)
        refused += act.applied ? 0U : 1U;
    QString remark = acts.empty() ? tr("nobody has acted on this run") : plural(acts.size(), "act", "acts");
    if (refused > 0)
        remark += tr(", %1 of them without effect").arg(refused);
    m_title->setRemark(remark);
}

bool ActsView::takeLetter(QChar letter)
{
    const ActLine* act = m_model->row(m_table->currentRow());
    if (letter != u'd' || act == nullptr || act->version == 0)
        return false;
    Q_EMIT compareWanted(act->version > 1 ? act->version - 1 : 1, act->version);
    return true;
}

QString ActsView::remark() const { return m_title->remark(); }

// --- relations

RelationsView::RelationsView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_model(new RelationsModel(this))
    , m_table(new DataTable(tr("Relations"), this))
    , m_title(new DockTitle(tr("Relations"), this))
    , m_note(new PanelNote(tr("Reading the relations"), m_table))
{
    setObjectName(u"view-relations"_s);
    m_table->setModel(m_model);
    m_table->setColumns({340, 240, 150, 120, 150, 170}, RelationsModel::Run);
    m_table->setGiveWay({RelationsModel::May, RelationsModel::By, RelationsModel::Since}, 220);
    stack(this, m_title, m_table);
    m_title->setRight(tr("as they are now · Right: children · Enter: open the run"));
    connect(m_table, &DataTable::letterTyped, this, &RelationsView::letterTyped);
    connect(m_table, &DataTable::foldAsked, this, &RelationsView::open);
    connect(m_table, &DataTable::opened, this, [this](const QModelIndex& at) {
        if (const RelationLine* line = m_model->row(at.row());
            line != nullptr && line->here && line->tie != Tie::Self)
            Q_EMIT runChosen(line->run);
    });
}

void RelationsView::load()
{
    if (!m_read)
        m_note->begin();
    const quint64 ticket = m_tickets.next();
    whenDone(m_source.relations(m_run), this, [this, ticket](const Reply<std::vector<RelationLine>>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (!reply) {
            if (!reply.failure.cancelled) {
                if (!m_read)
                    m_note->fail(told(reply.failure));
                Q_EMIT failed(told(reply.failure));
            }
            return;
        }
        m_read = true;
        m_note->end();
        std::size_t above = 0;
        std::size_t children = 0;
        for (const RelationLine& line : *reply.value) {
            above += line.tie == Tie::Ancestor ? 1U : 0U;
            children += line.tie == Tie::Child ? 1U : 0U;
        }
        m_model->setRelations(*reply.value);
        select(QString(m_wanted));
        m_title->setRemark(tr("%1 above, %2").arg(above).arg(plural(children, "child", "children")));
    });
}

void RelationsView::open(int row, bool open)
{
    const RelationLine* at = m_model->row(row);
    if (at == nullptr || !RelationsModel::canOpen(*at) || m_model->isOpen(*at) == open)
        return;
    const RelationLine line = *at;
    if (!open)
        return m_model->fold(line);
    whenDone(m_source.relations(line.run), this, [this, line](const Reply<std::vector<RelationLine>>& reply) {
        if (reply)
            m_model->setChildren(line, *reply.value);
        else if (!reply.failure.cancelled)
            Q_EMIT failed(told(reply.failure));
    });
}

void RelationsView::select(const QString& step)
{
    m_wanted = step;
    for (int i = 0; i < m_model->rowCount() && !m_wanted.isEmpty(); ++i)
        if (const RelationLine* line = m_model->row(i); line->under.isNull() && line->step == step) {
            m_wanted.clear();  // a later refresh moves nothing
            m_table->setCurrentIndex(m_model->index(i, 0));
        }
}

// --- context

ContextView::ContextView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_text(safe::viewer(this))
    , m_budget(new QSpinBox(this))
    , m_copy(safe::button(tr("Copy all"), this))
    , m_title(new DockTitle(tr("Context"), this))
    , m_note(new PanelNote(tr("Putting the context together"), m_text))
{
    setObjectName(u"view-context"_s);
    m_text->setAccessibleName(tr("Context that an agent would be given on resume"));
    m_budget->setAccessibleName(tr("Budget in tokens"));
    m_budget->setRange(100, 1'000'000);
    m_budget->setSingleStep(1000);
    m_budget->setValue(8000);
    m_budget->setSuffix(tr(" tokens"));
    m_budget->setKeyboardTracking(false);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(16, 8, 12, 8);
    tools->setSpacing(8);
    tools->addWidget(safe::label(tr("What an agent that resumes this run now would read, within"), {}, this));
    tools->addWidget(m_budget);
    tools->addStretch(1);
    tools->addWidget(m_copy);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addLayout(tools);
    column->addWidget(m_text, 1);
    connect(m_budget, &QSpinBox::valueChanged, this, &ContextView::load);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_text->toPlainText());
        Q_EMIT said(tr("Copied."));
    });
}

void ContextView::load()
{
    if (m_text->toPlainText().isEmpty())
        m_note->begin();
    const quint64 ticket = m_tickets.next();
    whenDone(
        m_source.context(m_run, m_budget->value()), this, [this, ticket](const Reply<ContextText>& reply) {
            if (!m_tickets.current(ticket))
                return;
            if (!reply) {
                if (!reply.failure.cancelled) {
                    if (m_note->reading())
                        m_note->fail(told(reply.failure));
                    Q_EMIT failed(told(reply.failure));
                }
                return;
            }
            m_note->end();
            // The core has cut it already, and says in it what it left out.
            const QString text = shown(reply.value->text, true, reply.value->text.size());
            if (m_text->toPlainText() != text)
                m_text->setPlainText(text);
            m_title->setRemark(tr("%1, about %2 of %3 tokens, as of now")
                                   .arg(sizeText(reply.value->bytes), countText((reply.value->bytes + 3) / 4),
                                       countText(static_cast<quint64>(reply.value->tokens))));
        });
}

QString ContextView::remark() const { return m_title->remark(); }

}  // namespace cairn::ui
