#include "ui/dialogs/plansheet.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/reasonfield.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTypingMs = 400;

QLineEdit* numberBox(const QString& name, const QString& value, QWidget* parent)
{
    auto* edit = new QLineEdit(value, parent);
    edit->setAccessibleName(name);
    edit->setFixedWidth(56);
    edit->setValidator(new QIntValidator(0, 1'000'000, edit));
    return edit;
}

}  // namespace

QWidget* forecastBlocks(const PlanForecast& forecast, QWidget* parent)
{
    auto* box = new QWidget(parent);
    box->setAutoFillBackground(true);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    grid->addWidget(
        consequences(PlanSheet::tr("What happens next"), Glyph::Running, forecast.willHappen, box), 0, 0);
    grid->addWidget(
        consequences(PlanSheet::tr("Will not be repeated"), Glyph::Done, forecast.willNotRepeat, box), 0, 1);
    grid->addWidget(
        consequences(PlanSheet::tr("May be repeated"), Glyph::Uncertain, forecast.mayRepeat, box), 1, 0);
    grid->addWidget(
        consequences(PlanSheet::tr("Also changes"), Glyph::Child, forecast.alsoChanges, box), 1, 1);
    if (!forecast.leftOut.isEmpty())
        grid->addWidget(
            consequences(PlanSheet::tr("Left out"), Glyph::Skipped, forecast.leftOut, box), 2, 0, 1, 2);
    QStringList below;
    if (!forecast.load.isEmpty())
        below << PlanSheet::tr("Load: %1").arg(forecast.load);
    below << PlanSheet::tr("Undo: %1")
                 .arg(forecast.reversible.isEmpty() ? PlanSheet::tr("nothing to undo") : forecast.reversible);
    auto* line = safe::label(
        shown(below.join(u" · "_s), false, 600), {.size = 11, .secondary = true, .wrap = true}, box);
    line->setContentsMargins(14, 0, 14, 8);
    grid->addWidget(line, 3, 0, 1, 2);
    return box;
}

PlanSheet::PlanSheet(Source& source, const StoreFacts& facts, PlanRequest request, QWidget* parent)
    : Sheet(parent)
    , m_source(source)
    , m_facts(facts)
    , m_request(std::move(request))
    , m_typing(new QTimer(this))
    , m_validity(new Validity(this))
    , m_sentence(safe::label({}, {.size = 16, .wrap = true, .selectable = true}, this))
    , m_rate(numberBox(tr("Runs a minute; 0: as fast as it goes"), u"0"_s, this))
    , m_rampFrom(numberBox(tr("Runs a minute at first; 0: no ramp"), u"0"_s, this))
    , m_rampSeconds(numberBox(tr("Seconds in which the rate grows"), u"0"_s, this))
    , m_canary(numberBox(tr("Runs that go first"), u"0"_s, this))
    , m_stopOver(numberBox(tr("Stop if more than this percentage returns"), u"0"_s, this))
    , m_verify(numberBox(tr("Minutes of looking after the runs"), u"10"_s, this))
    , m_leaveOut(new QCheckBox(tr("leave out runs in which an effect may happen twice"), this))
    , m_reasonField(new ReasonField(this))
    , m_reason(m_reasonField->edit())
    , m_needs(safe::label({}, {.bold = true, .wrap = true}, this))
    , m_notice(new SheetNotice(this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_close(safe::button(tr("Close   Esc"), this))
    , m_copy(safe::button(tr("Copy as command"), this))
    , m_again(safe::button(tr("Look again"), this))
    , m_confirm(safe::button({}, this))
{
    setWindowTitle(tr("Plan: %1").arg(actName(m_request.act)));
    setModal(true);
    m_typing->setSingleShot(true);
    m_typing->setInterval(kTypingMs);
    m_needs->hide();
    m_again->hide();
    m_reasonField->watchBy(this);
    for (QLineEdit* edit : numbers())
        edit->installEventFilter(this);
    buildLayout();
    connectSignals();
    resize(760, 720);
    ask();
    m_reason->setFocus();
}

QString PlanSheet::state() const { return m_state->text(); }

void PlanSheet::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(new SheetHead(m_facts,
        tr("Plan: %1, %2")
            .arg(actName(m_request.act),
                m_request.filter.isEmpty() ? plural(m_request.runs.size(), "run", "runs")
                                           : tr("all that %1 finds").arg(m_request.filter)),
        this));
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
    m_effects = new QVBoxLayout;
    body->addLayout(m_effects);
    body->addStretch(1);
    scroll->setWidget(inside);
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(18, 4, 18, 10);
    below->setSpacing(6);
    below->addWidget(buildPace());
    below->addWidget(m_leaveOut);
    below->addWidget(safe::label(actsAs(m_facts), {.size = 11, .secondary = true, .wrap = true}, this));
    m_reasonField->setCaption(m_facts.guarded ? tr("Reason, required; it is recorded with every run")
                                              : tr("Reason; it is recorded with every run"));
    below->addWidget(m_reasonField);
    below->addWidget(m_needs);
    below->addWidget(m_notice);
    column->addLayout(below);
    column->addWidget(sheetFoot(m_state, {m_copy, m_close, m_again, m_validity->more(), m_confirm}, this));
}

QWidget* PlanSheet::buildPace()
{
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    const std::pair<QString, QLineEdit*> parts[] = {{tr("Runs a minute"), m_rate}, {tr("from"), m_rampFrom},
        {tr("within, s"), m_rampSeconds}, {tr("first only"), m_canary}, {tr("stop over %"), m_stopOver},
        {tr("look after, min"), m_verify}};
    for (const auto& [name, edit] : parts) {
        auto* label = caption(name, box);
        label->setBuddy(edit);
        row->addWidget(label);
        row->addWidget(edit);
    }
    row->addStretch(1);
    return box;
}

void PlanSheet::connectSignals()
{
    connect(m_close, &QPushButton::clicked, this, &PlanSheet::reject);
    connect(m_again, &QPushButton::clicked, this, &PlanSheet::ask);
    connect(m_confirm, &QPushButton::clicked, this, &PlanSheet::execute);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_forecast.command);
        safe::setText(m_state, tr("copied; the reason is added with --reason"));
    });
    for (QLineEdit* edit : numbers())
        connect(edit, &QLineEdit::textChanged, this, &PlanSheet::edited);
    connect(m_leaveOut, &QCheckBox::toggled, this, &PlanSheet::edited);
    connect(m_typing, &QTimer::timeout, this, &PlanSheet::ask);
    connect(m_reasonField, &ReasonField::changed, this, &PlanSheet::updateConfirm);
    connect(m_validity, &QTimer::timeout, this, [this] {
        refuse({tr("the preview is older than five minutes, and nothing was staged: look again"),
            tr("nothing was staged")});
    });
}

std::vector<QLineEdit*> PlanSheet::numbers() const
{
    return {m_rate, m_rampFrom, m_rampSeconds, m_canary, m_stopOver, m_verify};
}

// What was previewed is no more what would be staged.
void PlanSheet::edited()
{
    m_request.pace = {m_rate->text().toUInt(), m_rampFrom->text().toUInt(), m_rampSeconds->text().toUInt(),
        m_canary->text().toUInt(), m_stopOver->text().toUInt(), m_verify->text().toUInt(),
        m_leaveOut->isChecked()};
    m_tickets.next();
    m_ready = false;
    m_validity->end();
    m_typing->start();
    safe::setText(m_state, tr("the preview follows when you pause"));
    updateConfirm();
}

void PlanSheet::ask()
{
    if (m_busy)
        return;
    m_typing->stop();
    m_validity->end();
    const quint64 ticket = m_tickets.next();
    m_ready = false;
    m_again->hide();
    m_notice->tell({});
    safe::setText(m_state, computingText());
    updateConfirm();
    whenDone(m_source.previewPlan(m_request), this, [this, ticket](const Reply<PlanForecast>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            showForecast(*reply.value);
        else if (!reply.failure.cancelled)
            refuse(endWords(reply.failure));
    });
}

void PlanSheet::showForecast(const PlanForecast& forecast)
{
    m_forecast = forecast;
    safe::setText(m_sentence, forecast.sentence);
    emptyLayout(m_effects);
    m_effects->addWidget(forecastBlocks(forecast, this));
    safe::setText(
        m_needs, forecast.needs.isEmpty() ? QString() : tr("A second person is required: ") + forecast.needs);
    m_needs->setVisible(!forecast.needs.isEmpty());
    m_ready = forecast.possible;
    if (!forecast.possible)
        return refuse({forecast.refusal, tr("nothing was staged")});
    m_validity->begin();
    updateConfirm();
}

void PlanSheet::refuse(const EndWords& why)
{
    m_ready = false;
    m_validity->end();
    m_again->show();
    m_notice->tell(why.text, why.notKnown);
    safe::setText(m_state, why.state);
    updateConfirm();
}

QString PlanSheet::missing() const
{
    if (m_reasonField->length() < m_forecast.reasonMinimum)
        return m_forecast.reasonLacks;
    return {};
}

void PlanSheet::updateConfirm()
{
    const QString lacks = missing();
    safe::setOff(m_confirm, m_ready && !m_busy ? lacks : notNow(m_state->text()));
    safe::setOff(m_copy, m_forecast.command.isEmpty() ? tr("There is no preview yet.") : QString());
    const QString second = m_forecast.needs.isEmpty() ? QString() : tr(", as 1 of 2");
    m_confirm->setText(tr("%1 %2%3   Ctrl Enter")
                           .arg(actName(m_request.act), plural(m_forecast.included, "run", "runs"), second));
    m_confirm->setAccessibleName(m_confirm->text());
    if (m_ready && !m_busy)
        safe::setText(m_state, lacks.isEmpty() ? tr("each run is decided again when its turn comes") : lacks);
}

void PlanSheet::reject()
{
    if (m_busy)
        safe::setText(m_state, tr("staging: this stays open until the outcome is known"));
    else
        Sheet::reject();
}

void PlanSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_validity->end();
    m_busy = true;
    m_reasonField->setReadOnly(true);
    updateConfirm();
    safe::setText(m_state, tr("staging"));
    whenDone(m_source.stagePlan(m_forecast.digest, m_reasonField->text()), this,
        [this](const Reply<ActResult>& reply) {
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
