#include "ui/dialogs/actsheet.h"

#include "ui/data/actcommand.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/reasonfield.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QAbstractButton>
#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
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

struct Words {
    Q_DECLARE_TR_FUNCTIONS(actsheet)
};

constexpr int kTypingMs = 400;

QString objectOf(const ActRequest& request)
{
    if (request.verb == Verb::Slow)
        return actName(request) + u' ' + shown(request.resource, false, 40);
    if (request.verb == Verb::Redact)
        return request.payloads.empty()
            ? actName(request)
            : actName(request) + u' ' + plural(request.payloads.size(), "payload", "payloads");
    return request.verb == Verb::Settle ? Words::tr("Set outcome of 1 run")
                                        : actName(request) + Words::tr(" 1 run");
}

}  // namespace

ActSheet::ActSheet(Source& source, const StoreFacts& facts, const ActRequest& request, QWidget* parent)
    : Sheet(parent)
    , m_source(source)
    , m_facts(facts)
    , m_request(request)
    , m_validity(new Validity(this))
    , m_typing(new QTimer(this))
    , m_reasonField(new ReasonField(this))
    , m_reason(m_reasonField->edit())
    , m_result(new QLineEdit(this))
    , m_evidence(new QLineEdit(this))
    , m_count(new QLineEdit(this))
    , m_countText(safe::label({}, {.wrap = true}, this))
    , m_countBox(new QWidget(this))
    , m_value(new QLineEdit(request.value, this))
    , m_notice(new SheetNotice(this))
    , m_valid(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_confirm(safe::button(objectOf(request), this))
    , m_again(safe::button(tr("Look again"), this))
    , m_copy(safe::button(tr("Copy as command"), this))
    , m_close(safe::button(tr("Close"), this))
{
    setWindowTitle(actName(request));
    setModal(true);
    m_typing->setSingleShot(true);
    m_typing->setInterval(kTypingMs);
    m_confirm->setText(objectOf(request) + u"   Ctrl Enter"_s);
    m_close->setText(tr("Close   Esc"));
    m_reasonField->watchBy(this);
    m_result->setAccessibleName(tr("Result to record"));
    m_result->setFont(typeface(13, false, Face::Mono));
    m_evidence->setAccessibleName(tr("Evidence"));
    m_count->setFixedWidth(56);
    m_value->setAccessibleName(valueName(request.verb));
    m_value->setVisible(!valueName(request.verb).isEmpty());
    for (QLineEdit* edit : {m_result, m_evidence, m_count, m_value})
        edit->installEventFilter(this);
    m_evidence->setVisible(request.verb == Verb::Settle);
    m_result->setVisible(request.verb == Verb::Settle);
    m_again->hide();
    buildLayout();
    connectSignals();
    resize(m_request.verb == Verb::Settle ? QSize(760, 740) : QSize(640, 640));
    ask();
    if (lacksValue())
        m_value->setFocus();
}

// What no editor has taken.
void ActSheet::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (!plain || !chooseOutcome(event->key() - Qt::Key_0))
        Sheet::keyPressEvent(event);
}

void ActSheet::setPreviewOnly()
{
    m_previewOnly = true;
    m_confirm->hide();
    setWindowTitle(tr("What if: %1").arg(windowTitle()));
    updateConfirm();
}

bool ActSheet::settled() const
{
    return !m_typing->isActive() && findChildren<QFutureWatcherBase*>().isEmpty();
}

QString ActSheet::notice() const { return m_notice->text(); }
QString ActSheet::state() const { return m_valid->text(); }

QWidget* ActSheet::buildHead()
{
    QString title = actName(m_request);
    if (!m_request.step.isEmpty())
        title += u", "_s + m_request.step;
    if (m_request.verb == Verb::Slow)
        return new SheetHead(m_facts, title + u", "_s + m_request.resource, this);
    return new SheetHead(m_facts, title + tr(", run ") + shortId(m_request.run), this);
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
    m_reasonField->setCaption(m_facts.guarded ? tr("Reason, required") : tr("Reason"));
    below->addWidget(m_reasonField);
    auto* typed = new QHBoxLayout(m_countBox);
    typed->setContentsMargins(0, 0, 0, 0);
    typed->addWidget(m_countText, 1);
    typed->addWidget(m_count);
    below->addWidget(m_countBox);
    askCount();
    below->addWidget(m_notice);
    column->addLayout(below);
    column->addWidget(sheetFoot(m_valid, {m_copy, m_close, m_again, m_validity->more(), m_confirm}, this));
}

void ActSheet::connectSignals()
{
    connect(m_close, &QPushButton::clicked, this, &ActSheet::reject);
    connect(m_again, &QPushButton::clicked, this, &ActSheet::ask);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        ActRequest request = m_request;
        request.reason = m_reasonField->text();
        QApplication::clipboard()->setText(commandOf(request, m_facts.url));
        safe::setText(m_valid, tr("copied the command that does the same"));
    });
    connect(m_confirm, &QPushButton::clicked, this, &ActSheet::execute);
    connect(m_reasonField, &ReasonField::changed, this, &ActSheet::updateConfirm);
    for (QLineEdit* edit : {m_result, m_evidence, m_value})
        connect(edit, &QLineEdit::textChanged, this, &ActSheet::edited);
    connect(m_typing, &QTimer::timeout, this, &ActSheet::ask);
    connect(m_count, &QLineEdit::textChanged, this, &ActSheet::updateConfirm);
    connect(m_validity, &Validity::extended, this, &ActSheet::updateConfirm);
    connect(m_validity, &QTimer::timeout, this, [this] {
        refuse(tr("The preview is older than five minutes. Nothing was sent. Look again before you act."),
            tr("nothing was sent"));
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
    m_validity->end();
    m_typing->start();
    safe::setText(m_valid, tr("the preview follows when you pause"));
    updateConfirm();
}

void ActSheet::ask()
{
    if (m_busy)
        return;
    m_typing->stop();
    m_validity->end();
    const quint64 ticket = m_tickets.next();
    m_ready = false;
    m_request.expects = false;
    m_notice->tell({});
    m_again->hide();
    if (lacksValue()) {  // nothing can be said of it yet
        safe::setText(m_valid, tr("still needed: %1").arg(valueName(m_request.verb)));
        return updateConfirm();
    }
    safe::setText(m_valid, computingText());
    updateConfirm();
    whenDone(m_source.preview(m_request), this, [this, ticket](const Reply<ActPreview>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            showPreview(*reply.value);
        else if (!reply.failure.cancelled)
            refuse(told(reply.failure), tr("nothing was sent"));
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
    askCount();
    m_ready = preview.possible;
    if (preview.possible)
        m_validity->begin();
    else
        refuse(preview.refusal, tr("nothing was sent"));
    updateConfirm();
    // A sheet opens with the keyboard somewhere; it is for who types that it stays there.
    const bool begun = m_shown || m_reasonField->length() > 0;
    m_shown = true;
    if (focusWidget() != nullptr && focusWidget()->hasFocus() && (begun || m_options == nullptr))
        return;
    // What is decided first: a number chooses another outcome, Tab goes on to what this one needs.
    if (m_options != nullptr && m_options->checkedButton() != nullptr)
        m_options->checkedButton()->setFocus();
    else if (!m_value->isHidden())
        m_value->setFocus();
    else
        m_reason->setFocus();
}

bool ActSheet::lacksValue() const
{
    return needsValue(m_request.verb) && m_value->text().trimmed().isEmpty();
}

bool ActSheet::abandons() const { return m_request.verb == Verb::Cancel && !m_request.compensate; }

quint64 ActSheet::countToType() const { return abandons() ? 1 : m_preview.typed; }

// What cannot be taken back is confirmed by its number.
void ActSheet::askCount()
{
    const quint64 count = countToType();
    m_countBox->setVisible(count > 0);
    if (count == 0)
        return;
    m_count->setAccessibleName(abandons()
            ? tr("Type 1 to abandon one run")
            : tr("Type %1, the number of %2").arg(QString::number(count), m_preview.typedOf));
    safe::setText(m_countText,
        abandons() ? tr("Nothing is undone, and it cannot be taken back. Type 1, the number of runs:")
                   : tr("It cannot be taken back. Type %1, the number of %2:")
                         .arg(QString::number(count), m_preview.typedOf));
}

bool ActSheet::reasonSuffices() const
{
    const qsizetype length = m_reasonField->length();
    return !m_preview.reasonRequired || length >= m_preview.reasonMinimum;
}

void ActSheet::updateConfirm()
{
    const QString lacks = missing();
    safe::setOff(m_confirm, m_ready && !m_busy && !m_previewOnly ? lacks : notNow(m_valid->text()));
    if (!m_ready || m_busy)
        return;
    if (m_previewOnly)
        return safe::setText(
            m_valid, tr("preview at revision %1: nothing is written").arg(countText(m_preview.version)));
    safe::setText(m_valid,
        lacks.isEmpty() ? tr("preview at revision %1, valid until %2")
                              .arg(countText(m_preview.version),
                                  clockText(m_preview.at + m_validity->lastsMs(), m_preview.at))
                        : lacks);
}

QString ActSheet::missing() const
{
    const bool settles = m_request.verb == Verb::Settle;
    if (settles && m_request.settleAs == Outcome::Happened && m_result->text().trimmed().isEmpty())
        return tr("still needed: the result to record");
    const bool known = m_request.settleAs == Outcome::Happened || m_request.settleAs == Outcome::NotHappened;
    if (settles && known && m_evidence->text().trimmed().isEmpty())
        return tr("still needed: the evidence");
    if (lacksValue())
        return tr("still needed: %1").arg(valueName(m_request.verb));
    if (!reasonSuffices())
        return tr("still needed: a reason of at least %1 characters").arg(m_preview.reasonMinimum);
    if (const quint64 count = countToType(); count > 0 && m_count->text().trimmed() != QString::number(count))
        return tr("still needed: the number of %1, typed").arg(abandons() ? tr("runs") : m_preview.typedOf);
    return {};
}

bool ActSheet::isOffered(Outcome outcome) const
{
    return std::any_of(m_preview.outcomes.begin(), m_preview.outcomes.end(),
        [outcome](const OutcomeOffer& offer) { return offer.outcome == outcome && offer.allowed; });
}

void ActSheet::refuse(const QString& text, const QString& state, bool notKnown)
{
    m_ready = false;
    m_validity->end();
    m_notice->tell(text, notKnown);
    m_again->show();
    safe::setText(m_valid, state);
    updateConfirm();
}

// What is being sent stays as it is until the answer is there.
void ActSheet::setBusy(bool busy)
{
    m_busy = busy;
    m_reasonField->setReadOnly(busy);
    for (QLineEdit* edit : {m_result, m_evidence, m_count, m_value})
        edit->setReadOnly(busy);
    if (m_options != nullptr) {
        for (QAbstractButton* option : m_options->buttons())
            if (busy)
                safe::setOff(option, tr("It is being sent."));
            else if (isOffered(static_cast<Outcome>(m_options->id(option))))
                safe::setOff(option, {});
            else
                option->setEnabled(false);
    }
}

void ActSheet::reject()
{
    if (m_busy)
        safe::setText(m_valid, tr("sending: this stays open until the outcome is known"));
    else
        Sheet::reject();
}

void ActSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_validity->end();
    setBusy(true);
    ActRequest request = m_request;
    request.expects = true;
    request.reason = m_reasonField->text();
    safe::setText(m_valid, tr("sending"));
    updateConfirm();
    whenDone(m_source.execute(request), this, [this](const Reply<ActResult>& reply) {
        setBusy(false);
        if (reply)
            return finish(*reply.value);
        const EndWords words = endWords(reply.failure);
        refuse(words.text, words.state, words.notKnown);
    });
}

void ActSheet::finish(const ActResult& result)
{
    if (result.end == ActEnd::Done || result.end == ActEnd::NoChange) {
        Q_EMIT ended(result);
        return accept();
    }
    const EndWords words = endWords(result);
    refuse(words.text, words.state, words.notKnown);
}

}  // namespace cairn::ui
