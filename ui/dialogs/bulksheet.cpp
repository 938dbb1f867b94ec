#include "ui/dialogs/bulksheet.h"

#include "ui/data/format.h"
#include "ui/dialogs/reasonfield.h"
#include "ui/models/bulkmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSet>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace cairn::ui {

using namespace Qt::StringLiterals;
using State = BulkRow::State;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(bulksheet)
};

// What is to be told of one kind of line in all runs.
struct Told {
    QString line;  // as it stands, where nothing is to be added up
    SumLine sum;
    quint64 runs = 0;
};

QString textOf(const Told& told)
{
    const QString runs = plural(told.runs, "run", "runs");
    if (!told.sum.many.isEmpty())
        return told.sum.head + countText(told.sum.count) + u' '
            + (told.sum.count == 1 ? told.sum.one : told.sum.many)
            + (told.runs == 1 ? QString() : Words::tr(", in ") + runs);
    if (told.runs == 1)
        return told.line;
    const QString lead = told.sum.currency.isEmpty() ? told.line : told.sum.head;
    return u"%1 (%2)"_s.arg(lead, runs)
        + (told.sum.currency.isEmpty()
                ? QString()
                : Words::tr(", %1 together").arg(moneyText(told.sum.micros, told.sum.currency)));
}

// Lines that several runs share are told once, with their number; what each counts, or has at stake, is added
// up: never across currencies.
QStringList gathered(const std::vector<ActPreview>& previews, QStringList ActPreview::*what)
{
    std::map<QString, Told> all;
    QStringList order;
    for (const ActPreview& preview : previews) {
        if (!preview.possible)
            continue;
        QSet<QString> here;
        for (const QString& line : preview.*what) {
            const auto sum = std::find_if(preview.sums.begin(), preview.sums.end(),
                [&line](const SumLine& one) { return one.line == line; });
            const bool sums = sum != preview.sums.end();
            const QString key = sums ? u"\n"_s + sum->head + u'\n' + sum->many + sum->currency : line;
            Told& told = all[key];
            if (told.runs == 0) {
                order << key;
                told.line = line;
                if (sums)
                    told.sum = {line, sum->head, 0, sum->one, sum->many, 0, sum->currency};
            }
            if (sums) {
                told.sum.count += sum->count;
                told.sum.micros += sum->micros;
            }
            if (!here.contains(key))
                ++told.runs;
            here.insert(key);
        }
    }
    QStringList lines;
    for (const QString& key : order)
        lines << textOf(all[key]);
    return lines;
}

}  // namespace

bool BulkSheet::takes(Verb verb)
{
    return verb == Verb::Pause || verb == Verb::Resume || verb == Verb::Cancel || verb == Verb::Retry;
}

BulkSheet::BulkSheet(std::vector<BulkStore> stores, std::vector<ActRequest> requests,
    const QStringList& names, QWidget* parent)
    : Sheet(parent)
    , m_stores(std::move(stores))
    , m_requests(std::move(requests))
    , m_model(new BulkModel(this))
    , m_table(new DataTable(tr("Runs of this act"), this))
    , m_sum(safe::label({}, {.size = 16, .wrap = true}, this))
    , m_reasonField(new ReasonField(this))
    , m_reason(m_reasonField->edit())
    , m_count(new QLineEdit(this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_validity(new Validity(this))
    , m_close(safe::button(tr("Close   Esc"), this))
    , m_plan(safe::button(tr("As a plan…   Ctrl P"), this))
    , m_again(safe::button(tr("Look again"), this))
    , m_confirm(safe::button({}, this))
{
    setWindowTitle(actName(m_requests.front()));
    setModal(true);
    std::vector<BulkRow> rows;
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        rows.push_back({m_requests[i].ref(), names.value(static_cast<qsizetype>(i)), State::Asking, {}});
    QStringList storeNames;
    for (const BulkStore& store : m_stores)
        storeNames << store.facts.name;
    m_model->setStores(storeNames);
    m_model->setRows(std::move(rows));
    m_again->hide();
    m_reasonField->watchBy(this);
    m_count->setAccessibleName(tr("Number of runs, typed"));
    m_count->setFixedWidth(72);
    m_count->installEventFilter(this);
    m_table->installEventFilter(this);
    buildLayout();
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_confirm, &QPushButton::clicked, this, &BulkSheet::execute);
    connect(m_again, &QPushButton::clicked, this, &BulkSheet::ask);
    const bool abandons = m_requests.front().verb == Verb::Cancel && !m_requests.front().compensate;
    m_plan->setVisible(concerned().size() == 1 && !abandons);
    m_plan->setShortcut(QKeySequence(u"Ctrl+P"_s));
    connect(m_plan, &QPushButton::clicked, this, &BulkSheet::planWanted);
    connect(m_validity, &QTimer::timeout, this, [this] {
        m_old = true;
        m_again->show();
        updateConfirm();
    });
    connect(m_reasonField, &ReasonField::changed, this, &BulkSheet::updateConfirm);
    connect(m_count, &QLineEdit::textChanged, this, &BulkSheet::updateConfirm);
    resize(760, 660);
    ask();
    m_reason->setFocus();
}

void BulkSheet::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(new SheetHead(headFacts(),
        u"%1, %2"_s.arg(actName(m_requests.front()), plural(m_requests.size(), "run", "runs")), this));
    auto* body = new QVBoxLayout;
    body->setContentsMargins(18, 12, 18, 10);
    body->setSpacing(8);
    body->addWidget(m_sum);
    m_table->setModel(m_model);
    m_table->setColumns({126, 110, 200, 110, 200}, BulkModel::Text);
    m_table->setColumnAbsent(BulkModel::Store, concerned().size() < 2);
    body->addWidget(m_table, 1);
    m_effects = new QVBoxLayout;
    body->addLayout(m_effects);
    QStringList as;
    for (const StoreIx store : concerned())
        as << actsAs(m_stores[store].facts);
    body->addWidget(safe::label(as.join(u' '), {.size = 11, .secondary = true, .wrap = true}, this));
    m_reasonField->setCaption(guarded() ? tr("Reason, required; it is recorded with every run")
                                        : tr("Reason; it is recorded with every run"));
    body->addWidget(m_reasonField);
    const bool abandons = m_requests.front().verb == Verb::Cancel && !m_requests.front().compensate;
    m_count->setVisible(abandons);
    if (abandons) {
        auto* typed = new QHBoxLayout;
        typed->addWidget(safe::label(
            tr("Nothing is undone, and it cannot be taken back. Type the number of runs:"), {}, this));
        typed->addWidget(m_count);
        typed->addStretch(1);
        body->addLayout(typed);
    }
    column->addLayout(body, 1);
    column->addWidget(sheetFoot(m_state, {m_plan, m_close, m_again, m_validity->more(), m_confirm}, this));
}

quint64 BulkSheet::ready() const { return m_model->count(State::Ready); }

bool BulkSheet::guarded() const
{
    const std::vector<StoreIx> stores = concerned();
    return std::any_of(
        stores.begin(), stores.end(), [this](StoreIx store) { return m_stores[store].facts.guarded; });
}

std::vector<StoreIx> BulkSheet::concerned() const
{
    std::vector<StoreIx> stores;
    for (StoreIx store = 0; store < m_stores.size(); ++store)
        if (std::any_of(m_requests.begin(), m_requests.end(),
                [store](const ActRequest& request) { return request.store == store; }))
            stores.push_back(store);
    return stores;
}

QString BulkSheet::byStore(State state) const
{
    const std::vector<StoreIx> stores = concerned();
    if (stores.size() < 2)
        return {};
    QStringList parts;
    for (const StoreIx store : stores) {
        quint64 all = 0;
        quint64 in = 0;
        for (const BulkRow& row : m_model->rows()) {
            all += row.run.store == store ? 1 : 0;
            in += row.run.store == store && row.state == state ? 1 : 0;
        }
        parts << tr("%1 %2 of %3").arg(m_stores[store].facts.name, countText(in), countText(all));
    }
    return parts.join(u", "_s);
}

// Over several stores in the strictest one's colour.
StoreFacts BulkSheet::headFacts() const
{
    const std::vector<StoreIx> stores = concerned();
    StoreFacts facts = m_stores[stores.front()].facts;
    QStringList names;
    for (const StoreIx store : stores) {
        names << m_stores[store].facts.name;
        if (m_stores[store].facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive))
            facts.environment = m_stores[store].facts.environment;
    }
    facts.name = names.join(u", "_s);
    return facts;
}

void BulkSheet::ask()
{
    m_old = false;
    m_next = 0;
    m_since = nowText();
    m_again->hide();
    m_previews.assign(m_requests.size(), {});
    for (int i = 0; i < m_model->rowCount(); ++i)
        m_model->set(i, State::Asking, {});
    emptyLayout(m_effects);
    updateConfirm();
    askNext();
}

// One after the other: the acting thread is not filled with questions that a closed sheet does not need.
void BulkSheet::askNext()
{
    for (; !previewed() && !m_stores[m_requests[m_next].store].off.isEmpty(); ++m_next)
        m_model->set(static_cast<int>(m_next), State::LeftOut, m_stores[m_requests[m_next].store].off);
    if (previewed()) {
        showPreviews();
        return;
    }
    safe::setText(m_sum,
        tr("Computing the preview: %1 of %2, since %3")
            .arg(countText(m_next + 1), countText(m_requests.size()), m_since));
    Source* source = m_stores[m_requests[m_next].store].source;
    whenDone(source->preview(m_requests[m_next]), this, [this](const Reply<ActPreview>& reply) {
        const auto row = static_cast<int>(m_next);
        if (reply) {
            m_previews[m_next] = *reply.value;
            const StoreIx of = m_requests[m_next].store;
            m_requests[m_next] = reply.value->request;
            m_requests[m_next].store = of;
            m_model->set(row, reply.value->possible ? State::Ready : State::LeftOut, reply.value->refusal);
        } else {
            m_model->set(row, State::LeftOut, told(reply.failure));
        }
        ++m_next;
        askNext();
    });
}

void BulkSheet::showPreviews()
{
    const quint64 out = m_model->count(State::LeftOut);
    const QString stores = byStore(State::Ready);
    safe::setText(m_sum,
        tr("%1: %2 of %3 marked, %4 left out%5")
                .arg(actName(m_requests.front()), plural(ready(), "run", "runs"),
                    countText(m_requests.size()), countText(out),
                    out == 0 ? u"."_s : tr("; why stands in its line."))
            + (stores.isEmpty() ? QString() : tr(" By store: %1.").arg(stores)));
    auto* box = new QWidget(this);
    box->setAutoFillBackground(true);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    QStringList next = gathered(m_previews, &ActPreview::willHappen);
    next += gathered(m_previews, &ActPreview::alsoChanges);
    row->addWidget(consequences(tr("What happens next"), Glyph::Running, next, box), 1);
    row->addWidget(consequences(tr("May be repeated"), Glyph::Uncertain,
                       gathered(m_previews, &ActPreview::mayRepeat), box),
        1);
    m_effects->addWidget(box);
    m_validity->begin();
    updateConfirm();
}

QString BulkSheet::missing() const
{
    if (!previewed() && !m_sending)
        return tr("computing the preview");
    if (m_old)
        return tr("the preview is older than five minutes, and nothing was sent: look again before you act");
    if (std::none_of(
            m_previews.begin(), m_previews.end(), [](const ActPreview& one) { return one.possible; }))
        return tr("nothing to do: 0 runs take this act now");
    int minimum = 0;  // the strictest store's
    for (const ActPreview& preview : m_previews)
        if (preview.possible && preview.reasonRequired)
            minimum = std::max(minimum, preview.reasonMinimum);
    if (m_reasonField->length() < minimum)
        return tr("still needed: a reason of at least %1 characters").arg(minimum);
    if (!m_count->isHidden() && m_count->text().trimmed() != QString::number(ready()))
        return tr("still needed: the number of runs, typed");
    return {};
}

void BulkSheet::updateConfirm()
{
    if (m_over || m_sending)
        return;
    const QString lacks = missing();
    safe::setOff(m_confirm, lacks);
    m_confirm->setText(
        u"%1 %2   Ctrl Enter"_s.arg(actName(m_requests.front()), plural(ready(), "run", "runs")));
    m_confirm->setAccessibleName(m_confirm->text());
    safe::setText(m_state, lacks.isEmpty() ? tr("each run is decided again when it is sent") : lacks);
}

void BulkSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_validity->end();
    m_sending = true;
    m_plan->hide();
    m_next = 0;
    safe::setOff(m_confirm, tr("It is being sent."));
    m_reasonField->setReadOnly(true);
    m_close->setText(tr("Stop after this run   Esc"));
    sendNext();
}

void BulkSheet::sendNext()
{
    while (m_next < m_requests.size() && m_model->row(static_cast<int>(m_next))->state != State::Ready)
        ++m_next;
    if (m_next == m_requests.size() || m_stop) {
        finish();
        return;
    }
    safe::setText(m_sum, summary());
    m_table->scrollTo(m_model->index(static_cast<int>(m_next), 0));
    m_model->set(static_cast<int>(m_next), State::Sending, {});
    ActRequest request = m_requests[m_next];
    request.expects = true;
    request.reason = m_reasonField->text();
    whenDone(m_stores[request.store].source->execute(request), this,
        [this](const Reply<ActResult>& reply) { answered(reply); });
}

void BulkSheet::answered(const Reply<ActResult>& reply)
{
    const auto row = static_cast<int>(m_next);
    if (!reply) {
        m_model->set(row, reply.failure.notKnown ? State::NotKnown : State::Failed, told(reply.failure));
    } else {
        static constexpr State kStates[] = {
            State::Done, State::NoChange, State::Refused, State::Refused, State::Failed, State::NotKnown};
        QString text = reply.value->text;
        if (reply.value->end == ActEnd::Done)
            text = tr("history entry %1, audit entry %2")
                       .arg(countText(reply.value->version), countText(reply.value->auditSeq));
        m_model->set(row, kStates[static_cast<std::size_t>(reply.value->end)], text);
    }
    ++m_next;
    sendNext();
}

QString BulkSheet::summary() const
{
    const auto said = [this](
                          State state) { return countText(m_model->count(state)) + u' ' + bulkWord(state); };
    QStringList parts{said(State::Done), said(State::NoChange), said(State::Refused), said(State::Failed)};
    if (m_model->count(State::NotKnown) > 0)
        parts << said(State::NotKnown);
    if (m_model->count(State::NotSent) > 0)
        parts << said(State::NotSent);
    parts << said(State::LeftOut);
    const QString stores = byStore(State::Done);
    return tr("%1 of %2: %3.")
               .arg(
                   actName(m_requests.front()), plural(m_requests.size(), "run", "runs"), parts.join(u", "_s))
        + (stores.isEmpty() ? QString() : tr(" Done by store: %1.").arg(stores));
}

void BulkSheet::finish()
{
    for (int i = 0; i < m_model->rowCount(); ++i)
        if (m_model->row(i)->state == State::Ready)
            m_model->set(i, State::NotSent, tr("stopped before it was sent"));
    m_sending = false;
    m_over = true;
    m_close->setText(tr("Close   Esc"));
    m_close->setFocus();
    m_confirm->hide();
    safe::setText(m_sum, summary());
    safe::setText(m_state, {});
    Q_EMIT ended(summary());
}

void BulkSheet::reject()
{
    if (m_sending) {
        m_stop = true;
        safe::setText(m_state, tr("stops after the run that is under way"));
        return;
    }
    QDialog::reject();
}

}  // namespace cairn::ui
