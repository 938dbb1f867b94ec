#include "ui/dialogs/actsheet.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTypingMs = 400;

QString objectOf(const ActRequest& request)
{
    if (request.verb == Verb::Slow)  // it is about the resource, of whichever run it was reached from
        return u"Slow down for all runs"_s;
    return request.verb == Verb::Settle ? u"Set outcome of 1 run"_s : actName(request) + u" 1 run"_s;
}

}  // namespace

ActSheet::ActSheet(Source& source, const StoreFacts& facts, const ActRequest& request, QWidget* parent)
    : Sheet(parent)
    , m_source(source)
    , m_facts(facts)
    , m_request(request)
    , m_validity(new QTimer(this))
    , m_typing(new QTimer(this))
    , m_reason(new QPlainTextEdit(this))
    , m_result(new QLineEdit(this))
    , m_evidence(new QLineEdit(this))
    , m_count(new QLineEdit(this))
    , m_value(new QLineEdit(request.value, this))
    , m_notice(safe::label({}, {.wrap = true, .selectable = true}, this))
    , m_valid(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_confirm(safe::button(objectOf(request), this))
    , m_again(safe::button(u"Look again"_s, this))
    , m_close(safe::button(u"Close"_s, this))
{
    setWindowTitle(actName(request));
    setModal(true);
    m_validity->setSingleShot(true);
    m_typing->setSingleShot(true);
    m_typing->setInterval(kTypingMs);
    m_confirm->setText(objectOf(request) + u"   Ctrl Enter"_s);
    m_close->setText(u"Close   Esc"_s);
    prepareReason(m_reason);
    m_reason->installEventFilter(this);
    m_result->setAccessibleName(u"Result to record"_s);
    m_result->setFont(typeface(13, false, Face::Mono));
    m_evidence->setAccessibleName(u"Evidence"_s);
    m_count->setAccessibleName(u"Type 1 to abandon one run"_s);
    m_count->setFixedWidth(56);
    m_value->setAccessibleName(valueName(request.verb));
    m_value->setVisible(!valueName(request.verb).isEmpty());
    for (QLineEdit* edit : {m_result, m_evidence, m_count, m_value})
        edit->installEventFilter(this);
    m_evidence->setVisible(request.verb == Verb::Settle);
    m_result->setVisible(request.verb == Verb::Settle);
    m_count->hide();
    m_notice->hide();
    m_again->hide();
    buildLayout();
    connectSignals();
    resize(m_request.verb == Verb::Settle ? QSize(760, 740) : QSize(640, 640));
    ask();
    if (lacksValue())
        m_value->setFocus();
}

QString ActSheet::notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }
QString ActSheet::state() const { return m_valid->text(); }

QWidget* ActSheet::buildHead()
{
    QString title = actName(m_request);
    if (!m_request.step.isEmpty())
        title += u", "_s + m_request.step;
    return new SheetHead(m_facts, title + u", run "_s + shortId(m_request.run), this);
}

void ActSheet::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(buildHead());
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_bodyWidget = new QWidget(scroll);
    m_bodyWidget->setProperty("ground", u"window"_s);
    m_body = new QVBoxLayout(m_bodyWidget);
    m_body->setContentsMargins(18, 12, 18, 12);
    m_body->setSpacing(0);
    scroll->setWidget(m_bodyWidget);
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(18, 0, 18, 10);
    below->setSpacing(4);
    if (m_request.verb == Verb::Settle)
        buildOptions();
    if (m_optionsBox != nullptr)
        below->addWidget(m_optionsBox);
    if (const QString name = valueName(m_request.verb); !name.isEmpty()) {
        below->addWidget(caption(name, this));
        below->addWidget(m_value);
    }
    below->addWidget(safe::label(actsAs(m_facts), {.size = 11, .secondary = true, .wrap = true}, this));
    below->addWidget(safe::label(m_facts.guarded ? u"Reason, required"_s : u"Reason"_s,
        {.size = 11, .bold = true, .secondary = true}, this));
    below->addWidget(m_reason);
    if (m_request.verb == Verb::Cancel && !m_request.compensate) {
        auto* typed = new QHBoxLayout;
        typed->addWidget(safe::label(
            u"Nothing is undone, and it cannot be taken back. Type 1, the number of runs:"_s, {}, this));
        typed->addWidget(m_count);
        typed->addStretch(1);
        m_count->show();
        below->addLayout(typed);
    }
    below->addWidget(m_notice);
    column->addLayout(below);
    column->addWidget(sheetFoot(m_valid, {m_close, m_again, m_confirm}, this));
}

void ActSheet::connectSignals()
{
    connect(m_close, &QPushButton::clicked, this, &ActSheet::reject);
    connect(m_again, &QPushButton::clicked, this, &ActSheet::ask);
    connect(m_confirm, &QPushButton::clicked, this, &ActSheet::execute);
    connect(m_reason, &QPlainTextEdit::textChanged, this, &ActSheet::updateConfirm);
    for (QLineEdit* edit : {m_result, m_evidence, m_value})
        connect(edit, &QLineEdit::textChanged, this, &ActSheet::edited);
    connect(m_typing, &QTimer::timeout, this, &ActSheet::ask);
    connect(m_count, &QLineEdit::textChanged, this, &ActSheet::updateConfirm);
    connect(m_validity, &QTimer::timeout, this, [this] {
        refuse(u"The preview is older than five minutes. Nothing was sent. Look again before you act."_s,
            u"nothing was sent"_s);
    });
}

// What the preview was computed of is no more what would be sent.
void ActSheet::edited()
{
    m_request.result = m_result->text();
    m_request.evidence = m_evidence->text();
    m_request.value = m_value->text();
    m_tickets.next();
    m_ready = false;
    m_validity->stop();
    m_typing->start();
    safe::setText(m_valid, u"the preview follows when you pause"_s);
    updateConfirm();
}

void ActSheet::ask()
{
    if (m_busy)
        return;
    m_typing->stop();
    m_validity->stop();
    const quint64 ticket = m_tickets.next();
    m_ready = false;
    m_request.expects = false;
    m_notice->hide();
    m_again->hide();
    if (lacksValue()) {  // nothing can be said of it yet
        safe::setText(m_valid, tr("still needed: %1").arg(valueName(m_request.verb)));
        return updateConfirm();
    }
    safe::setText(m_valid, u"computing the preview"_s);
    updateConfirm();
    whenDone(m_source.preview(m_request), this, [this, ticket](const Reply<ActPreview>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            showPreview(*reply.value);
        else if (!reply.failure.cancelled)
            refuse(reply.failure.what + u' ' + reply.failure.todo, u"nothing was sent"_s);
        Q_EMIT previewed();
    });
}

void ActSheet::showPreview(const ActPreview& preview)
{
    m_preview = preview;
    m_request = preview.request;
    m_confirm->setText(objectOf(m_request) + (preview.second.isEmpty() ? QString() : tr(", as 1 of 2"))
        + u"   Ctrl Enter"_s);
    fillBody();
    m_ready = preview.possible;
    if (preview.possible)
        m_validity->start(kPreviewValidMs);
    else
        refuse(preview.refusal, u"nothing was sent"_s);
    updateConfirm();
    if (focusWidget() != nullptr && focusWidget()->hasFocus())
        return;
    // What has to be typed first: the result of a settle comes before its evidence and the reason.
    if (m_request.verb == Verb::Settle && !m_result->isHidden())
        m_result->setFocus();
    else if (!m_value->isHidden())
        m_value->setFocus();
    else
        m_reason->setFocus();
}

bool ActSheet::lacksValue() const
{
    return needsValue(m_request.verb) && m_value->text().trimmed().isEmpty();
}

bool ActSheet::reasonSuffices() const
{
    const qsizetype length = m_reason->toPlainText().trimmed().size();
    return !m_preview.reasonRequired || length >= m_preview.reasonMinimum;
}

void ActSheet::updateConfirm()
{
    const QString lacks = missing();
    m_confirm->setEnabled(m_ready && !m_busy && lacks.isEmpty());
    safe::setTip(m_confirm, m_ready ? lacks : QString());
    if (!m_ready || m_busy)
        return;
    safe::setText(m_valid,
        lacks.isEmpty() ? u"preview at revision %1, valid until %2"_s.arg(
            countText(m_preview.version), clockText(m_preview.at + kPreviewValidMs, m_preview.at))
                        : lacks);
}

QString ActSheet::missing() const
{
    const bool settles = m_request.verb == Verb::Settle;
    if (settles && m_request.settleAs == Outcome::Happened && m_result->text().trimmed().isEmpty())
        return u"still needed: the result to record"_s;
    const bool known = m_request.settleAs == Outcome::Happened || m_request.settleAs == Outcome::NotHappened;
    if (settles && known && m_evidence->text().trimmed().isEmpty())
        return u"still needed: the evidence"_s;
    if (lacksValue())
        return tr("still needed: %1").arg(valueName(m_request.verb));
    if (!reasonSuffices())
        return u"still needed: a reason of at least %1 characters"_s.arg(m_preview.reasonMinimum);
    if (m_request.verb == Verb::Cancel && !m_request.compensate && m_count->text().trimmed() != u"1"_s)
        return u"still needed: the number of runs, typed"_s;
    return {};
}

bool ActSheet::isOffered(Outcome outcome) const
{
    return std::any_of(m_preview.outcomes.begin(), m_preview.outcomes.end(),
        [outcome](const OutcomeOffer& offer) { return offer.outcome == outcome && offer.allowed; });
}

void ActSheet::refuse(const QString& text, const QString& state)
{
    m_ready = false;
    m_validity->stop();
    safe::setText(m_notice, text);
    m_notice->show();
    m_again->show();
    safe::setText(m_valid, state);
    updateConfirm();
}

// What is being sent stays as it is until the answer is there.
void ActSheet::setBusy(bool busy)
{
    m_busy = busy;
    m_reason->setReadOnly(busy);
    for (QLineEdit* edit : {m_result, m_evidence, m_count, m_value})
        edit->setReadOnly(busy);
    if (m_options != nullptr)
        for (QAbstractButton* option : m_options->buttons())
            option->setEnabled(!busy && isOffered(static_cast<Outcome>(m_options->id(option))));
}

void ActSheet::reject()
{
    if (m_busy)
        safe::setText(m_valid, u"sending: this stays open until the outcome is known"_s);
    else
        Sheet::reject();
}

void ActSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_validity->stop();
    setBusy(true);
    ActRequest request = m_request;
    request.expects = true;
    request.reason = m_reason->toPlainText().trimmed();
    safe::setText(m_valid, u"sending"_s);
    updateConfirm();
    whenDone(m_source.execute(request), this, [this](const Reply<ActResult>& reply) {
        setBusy(false);
        if (reply)
            finish(*reply.value);
        else
            refuse(reply.failure.what + u' ' + reply.failure.todo, reply.failure.state);
    });
}

void ActSheet::finish(const ActResult& result)
{
    switch (result.end) {
    case ActEnd::Done:
    case ActEnd::NoChange:
        Q_EMIT ended(result);
        accept();
        return;
    case ActEnd::Stale:
        refuse(u"Refused, because what this depends on has changed since you looked: "_s + result.text,
            u"nothing was changed"_s);
        return;
    case ActEnd::Refused: refuse(u"Refused: "_s + result.text, u"nothing was changed"_s); return;
    case ActEnd::Failed: refuse(u"Not done: "_s + result.text, u"the store is unchanged"_s); return;
    case ActEnd::NotKnown:
        refuse(u"Whether this was done is not known: "_s + result.text + u" Look again; the history tells."_s,
            u"not known whether it was done"_s);
        return;
    }
}

}  // namespace cairn::ui
