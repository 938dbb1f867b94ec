#include "ui/dialogs/ordersheet.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/plansheet.h"
#include "ui/dialogs/reasonfield.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

QString stepName(PlanStep step)
{
    switch (step) {
    case PlanStep::Start: return OrderSheet::tr("Start");
    case PlanStep::Confirm: return OrderSheet::tr("Confirm");
    case PlanStep::Reject: return OrderSheet::tr("Reject");
    case PlanStep::Withdraw: return OrderSheet::tr("Withdraw");
    case PlanStep::Pause: return OrderSheet::tr("Pause");
    case PlanStep::Continue: return OrderSheet::tr("Continue");
    case PlanStep::Abort: return OrderSheet::tr("Abort");
    }
    return {};
}

OrderSheet::OrderSheet(
    Source& source, const StoreFacts& facts, const PlanEntry& entry, PlanStep step, QWidget* parent)
    : Sheet(parent)
    , m_source(source)
    , m_facts(facts)
    , m_entry(entry)
    , m_step(step)
    , m_validity(new Validity(this))
    , m_sentence(safe::label({}, {.size = 16, .wrap = true, .selectable = true}, this))
    , m_reasonField(new ReasonField(this))
    , m_reason(m_reasonField->edit())
    , m_notice(new SheetNotice(this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_close(safe::button(tr("Close   Esc"), this))
    , m_again(safe::button(tr("Look again"), this))
    , m_confirm(
          safe::button((entry.proposal ? tr("%1 this act   Ctrl Enter") : tr("%1 the plan   Ctrl Enter"))
                           .arg(stepName(step)),
              this))
{
    setWindowTitle(stepName(step));
    setModal(true);
    m_again->hide();
    m_confirm->setAccessibleName(m_confirm->text());
    m_reasonField->watchBy(this);
    buildLayout();
    connect(m_close, &QPushButton::clicked, this, &OrderSheet::reject);
    connect(m_again, &QPushButton::clicked, this, &OrderSheet::ask);
    connect(m_confirm, &QPushButton::clicked, this, &OrderSheet::execute);
    connect(m_reasonField, &ReasonField::changed, this, &OrderSheet::updateConfirm);
    connect(m_validity, &QTimer::timeout, this, [this] {
        refuse({tr("the preview is older than five minutes, and nothing was sent: look again"),
            tr("nothing was sent")});
    });
    resize(720, 620);
    ask();
    m_reason->setFocus();
}

QString OrderSheet::state() const { return m_state->text(); }

bool OrderSheet::begins() const
{
    return m_step == PlanStep::Start || m_step == PlanStep::Confirm || m_step == PlanStep::Continue;
}

void OrderSheet::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(new SheetHead(m_facts, stepName(m_step) + u": "_s + m_entry.what, this));
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inside = new QWidget(scroll);
    inside->setProperty("ground", u"window"_s);
    auto* body = new QVBoxLayout(inside);
    body->setContentsMargins(18, 12, 18, 10);
    body->setSpacing(8);
    body->addWidget(m_sentence);
    body->addWidget(
        safe::label(tr("By %1, %2. Reason: %3")
                        .arg(m_entry.person, shown(m_entry.standing, false, 200),
                            m_entry.reason.isEmpty() ? tr("none") : shown(m_entry.reason, false, 400)),
            {.secondary = true, .wrap = true, .selectable = true}, this));
    m_effects = new QVBoxLayout;
    body->addLayout(m_effects);
    body->addStretch(1);
    scroll->setWidget(inside);
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(18, 4, 18, 10);
    below->setSpacing(6);
    below->addWidget(safe::label(actsAs(m_facts), {.size = 11, .secondary = true, .wrap = true}, this));
    m_reasonField->setCaption(m_facts.guarded ? tr("Reason, required") : tr("Reason"));
    below->addWidget(m_reasonField);
    below->addWidget(m_notice);
    column->addLayout(below);
    column->addWidget(sheetFoot(m_state, {m_close, m_again, m_validity->more(), m_confirm}, this));
}

void OrderSheet::ask()
{
    if (m_busy)
        return;
    m_ready = false;
    m_validity->end();
    m_again->hide();
    m_notice->tell({});
    safe::setText(m_state, computingText());
    updateConfirm();
    whenDone(m_source.previewEntry(m_entry), this, [this](const Reply<PlanForecast>& reply) {
        if (reply)
            showForecast(*reply.value);
        else if (!reply.failure.cancelled)
            refuse(endWords(reply.failure));
    });
}

void OrderSheet::showForecast(const PlanForecast& forecast)
{
    m_forecast = forecast;
    safe::setText(m_sentence, forecast.sentence);
    emptyLayout(m_effects);
    m_effects->addWidget(forecastBlocks(forecast, this));
    if (!forecast.digest.isEmpty())
        m_effects->addWidget(safe::label(tr("Digest %1").arg(forecast.digest),
            {.size = 11, .face = Face::Mono, .wrap = true, .selectable = true}, this));
    m_ready = forecast.possible || !begins();
    if (!m_ready)
        return refuse({forecast.refusal, tr("nothing was sent")});
    m_validity->begin();
    updateConfirm();
}

void OrderSheet::refuse(const EndWords& why)
{
    m_ready = false;
    m_validity->end();
    m_again->show();
    m_notice->tell(why.text, why.notKnown);
    safe::setText(m_state, why.state);
    updateConfirm();
}

// Whoever rejects says why, in every store: the author reads it.
QString OrderSheet::missing() const
{
    const qsizetype given = m_reasonField->length();
    if (given < m_forecast.reasonMinimum)
        return tr("still needed: a reason of at least %1 characters").arg(m_forecast.reasonMinimum);
    if (m_step == PlanStep::Reject && given == 0)
        return tr("still needed: a reason, which the author reads");
    return {};
}

void OrderSheet::updateConfirm()
{
    const QString lacks = missing();
    safe::setOff(m_confirm, m_ready && !m_busy ? lacks : notNow(m_state->text()));
    if (m_ready && !m_busy)
        safe::setText(m_state, lacks.isEmpty() ? tr("decided again when it is sent") : lacks);
}

void OrderSheet::reject()
{
    if (m_busy)
        safe::setText(m_state, tr("sending: this stays open until the outcome is known"));
    else
        Sheet::reject();
}

void OrderSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_validity->end();
    m_busy = true;
    m_reasonField->setReadOnly(true);
    updateConfirm();
    safe::setText(m_state, tr("sending"));
    const PlanOrderRequest request{m_entry, m_step, m_forecast.digest, m_reasonField->text()};
    whenDone(m_source.order(request), this, [this](const Reply<ActResult>& reply) {
        m_busy = false;
        m_reasonField->setReadOnly(false);
        if (!reply)
            return refuse(endWords(reply.failure));
        if (reply.value->end != ActEnd::Done)
            return refuse(endWords(*reply.value));
        Q_EMIT ended(*reply.value);
        accept();
    });
}

}  // namespace cairn::ui
