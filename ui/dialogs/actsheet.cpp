#include "ui/dialogs/actsheet.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kValidMs = 5 * 60 * 1000;

QString objectOf(const ActRequest& request)
{
    return request.verb == Verb::Settle ? u"Set outcome of 1 run"_s : verbName(request.verb) + u" 1 run"_s;
}

// The strip at the top, in the environment's colour.
class SheetHead final : public QWidget {
public:
    SheetHead(const StoreFacts& facts, const QString& title, QWidget* parent)
        : QWidget(parent), m_production(facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive)),
          m_word(m_production ? u"PROD"_s : facts.environment.toUpper()), m_store(facts.name), m_title(title)
    {
        setFixedHeight(30);
        setAccessibleName(m_word + u' ' + m_store + u", "_s + m_title);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), m_production ? theme().prodBand : theme().otherBand);
        painter.setPen(m_production ? theme().prodLine : theme().otherLine);
        painter.drawLine(0, height() - 1, width(), height() - 1);
        const QColor ink = m_production ? theme().prodText : theme().otherText;
        if (m_production)
            paintLock(painter, QRectF(12, 8, 12, 14), ink);
        painter.setPen(ink);
        painter.setFont(typeface(13, true));
        double x = m_production ? 32 : 12;
        painter.drawText(QPointF(x, 20), m_word);
        x += QFontMetricsF(painter.font()).horizontalAdvance(m_word) + 8;
        painter.setFont(typeface(13));
        painter.drawText(QPointF(x, 20), m_store);
        painter.drawText(rect().adjusted(0, 0, -12, -1), Qt::AlignRight | Qt::AlignVCenter, m_title);
    }

private:
    bool m_production;
    QString m_word;
    QString m_store;
    QString m_title;
};

}  // namespace

ActSheet::ActSheet(Source& source, const StoreFacts& facts, const ActRequest& request, QWidget* parent)
    : QDialog(parent), m_source(source), m_facts(facts), m_request(request), m_validity(new QTimer(this)),
      m_reason(new QPlainTextEdit(this)), m_result(new QLineEdit(this)),
      m_notice(safe::label({}, {.wrap = true, .selectable = true}, this)),
      m_valid(safe::label({}, {.size = 11, .secondary = true}, this)), m_confirm(safe::button(objectOf(request), this)),
      m_again(safe::button(u"Look again"_s, this)), m_close(safe::button(u"Close"_s, this))
{
    setWindowTitle(verbName(request.verb));
    setModal(true);
    m_validity->setSingleShot(true);
    m_validity->setInterval(kValidMs);
    m_confirm->setProperty("primary", true);
    m_confirm->setText(objectOf(request) + u"   Ctrl Enter"_s);
    m_close->setText(u"Close   Esc"_s);
    for (QPushButton* button : {m_confirm, m_again, m_close})
        button->setAutoDefault(false);
    m_reason->setAccessibleName(u"Reason"_s);
    m_reason->setTabChangesFocus(true);
    m_reason->setFixedHeight(50);
    m_reason->installEventFilter(this);
    m_result->setAccessibleName(u"Result to record"_s);
    m_result->setFont(typeface(13, false, Face::Mono));
    m_result->installEventFilter(this);
    m_notice->hide();
    m_again->hide();
    buildLayout();
    connectSignals();
    resize(m_request.verb == Verb::Settle ? 720 : 640, 640);
    ask();
}

QString ActSheet::notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

void ActSheet::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.setPen(theme().control);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

QWidget* ActSheet::buildHead()
{
    QString title = verbName(m_request.verb);
    if (!m_request.step.isEmpty())
        title += u", "_s + m_request.step;
    return new SheetHead(m_facts, title + u", run "_s + shortId(m_request.run), this);
}

QWidget* ActSheet::buildFoot()
{
    auto* foot = new QWidget(this);
    foot->setFixedHeight(48);
    foot->setAutoFillBackground(true);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(18, 0, 18, 0);
    row->setSpacing(8);
    row->addWidget(m_valid);
    row->addStretch(1);
    row->addWidget(m_close);
    row->addWidget(m_again);
    row->addWidget(m_confirm);
    return foot;
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
    below->addWidget(safe::label(m_facts.guarded ? u"Reason, required"_s : u"Reason"_s,
                                 {.size = 11, .bold = true, .secondary = true}, this));
    below->addWidget(m_reason);
    below->addWidget(m_notice);
    column->addLayout(below);
    column->addWidget(buildFoot());
}

void ActSheet::connectSignals()
{
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_again, &QPushButton::clicked, this, &ActSheet::ask);
    connect(m_confirm, &QPushButton::clicked, this, &ActSheet::execute);
    connect(m_reason, &QPlainTextEdit::textChanged, this, &ActSheet::updateConfirm);
    connect(m_result, &QLineEdit::textChanged, this, [this] {
        m_request.result = m_result->text();
        updateConfirm();
    });
    connect(m_validity, &QTimer::timeout, this, [this] {
        refuse(u"The preview is older than five minutes. Nothing was sent. Look again before you act."_s, true);
    });
}

void ActSheet::ask()
{
    const quint64 ticket = m_tickets.next();
    m_ready = false;
    m_request.expects = false;
    m_notice->hide();
    m_again->hide();
    safe::setText(m_valid, u"computing the preview"_s);
    updateConfirm();
    whenDone(m_source.preview(m_request), this, [this, ticket](const Reply<ActPreview>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            showPreview(*reply.value);
        else if (!reply.failure.cancelled)
            refuse(reply.failure.what + u' ' + reply.failure.state + u' ' + reply.failure.todo, true);
        Q_EMIT previewed();
    });
}

void ActSheet::showPreview(const ActPreview& preview)
{
    m_preview = preview;
    const QString typed = m_request.result;
    m_request = preview.request;
    m_request.result = typed;
    fillBody();
    m_ready = preview.possible;
    if (!preview.possible)
        refuse(preview.refusal, true);
    else
        safe::setText(m_valid, u"preview at revision %1, valid until %2"_s.arg(countText(preview.version),
                                                                             clockText(preview.at + kValidMs, preview.at)));
    m_validity->start();
    updateConfirm();
    if (focusWidget() == nullptr || !focusWidget()->hasFocus())
        m_reason->setFocus();
}

bool ActSheet::reasonSuffices() const
{
    const qsizetype length = m_reason->toPlainText().trimmed().size();
    return !m_preview.reasonRequired || length >= m_preview.reasonMinimum;
}

void ActSheet::updateConfirm()
{
    const bool needsResult = m_request.verb == Verb::Settle && m_request.settleAs == Outcome::Happened;
    const bool enough = reasonSuffices() && (!needsResult || !m_result->text().trimmed().isEmpty());
    m_confirm->setEnabled(m_ready && !m_busy && enough);
    if (m_ready && !reasonSuffices())
        safe::setTip(m_confirm, u"A reason of at least %1 characters is required here."_s.arg(m_preview.reasonMinimum));
    else
        safe::setTip(m_confirm, {});
}

void ActSheet::refuse(const QString& text, bool again)
{
    m_ready = false;
    safe::setText(m_notice, text);
    m_notice->show();
    m_again->setVisible(again);
    safe::setText(m_valid, u"nothing was changed"_s);
    updateConfirm();
}

void ActSheet::execute()
{
    if (!m_confirm->isEnabled())
        return;
    m_busy = true;
    ActRequest request = m_request;
    request.expects = true;
    request.reason = m_reason->toPlainText().trimmed();
    safe::setText(m_valid, u"sending"_s);
    updateConfirm();
    whenDone(m_source.execute(request), this, [this](const Reply<ActResult>& reply) {
        m_busy = false;
        if (reply)
            finish(*reply.value);
        else
            refuse(reply.failure.what + u' ' + reply.failure.state + u' ' + reply.failure.todo, true);
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
        refuse(u"Refused, because what this depends on has changed since you looked: "_s + result.text
                   + u" Nothing was changed."_s, true);
        return;
    case ActEnd::Refused:
        refuse(u"Refused: "_s + result.text + u" Nothing was changed."_s, true);
        return;
    case ActEnd::Failed:
        refuse(u"Not done: "_s + result.text + u" The store is unchanged."_s, true);
        return;
    case ActEnd::NotKnown:
        refuse(u"Whether this was done is not known: "_s + result.text + u" Look again; the history tells."_s, true);
        return;
    }
}

bool ActSheet::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && (key->modifiers() & Qt::ControlModifier) != 0) {
            execute();
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void ActSheet::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter) {
        if ((event->modifiers() & Qt::ControlModifier) != 0)
            execute();
        return;   // a bare Enter never executes
    }
    QDialog::keyPressEvent(event);
}

}  // namespace cairn::ui
