#include "ui/widgets/panelnote.h"

#include "ui/data/format.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QDateTime>
#include <QEvent>
#include <QLabel>
#include <QMetaMethod>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

namespace {
constexpr int kSilentMs = 300;
constexpr int kTickMs = 1000;
}  // namespace

PanelNote::PanelNote(const QString& what, QWidget* over)
    : QWidget(over)
    , m_what(what)
    , m_text(safe::label({}, {.secondary = true, .wrap = true, .selectable = true}, this))
    , m_again(safe::button(tr("Try again"), this))
    , m_tick(new QTimer(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->addWidget(m_text);
    column->addWidget(m_again, 0, Qt::AlignLeft);
    column->addStretch(1);
    m_text->setFocusPolicy(Qt::NoFocus);
    m_again->hide();
    m_tick->setSingleShot(true);
    connect(m_tick, &QTimer::timeout, this, &PanelNote::tell);
    connect(m_again, &QPushButton::clicked, this, &PanelNote::againWanted);
    over->installEventFilter(this);
    hide();
}

void PanelNote::begin()
{
    if (m_since != 0)
        return;
    m_since = QDateTime::currentMSecsSinceEpoch();
    m_again->hide();
    safe::setText(m_text, {});
    setAttribute(Qt::WA_TransparentForMouseEvents, true);
    cover();
    m_tick->start(kSilentMs);
}

void PanelNote::tell()
{
    const qint64 so = std::max<qint64>(0, QDateTime::currentMSecsSinceEpoch() - m_since);
    safe::setText(
        m_text, tr("%1, since %2 (%3)").arg(m_what, instantText(m_since), durationText(so / 100 * 100)));
    setAccessibleName(m_text->text());
    m_tick->start(kTickMs);
}

void PanelNote::fail(const QString& why)
{
    m_since = 0;
    m_tick->stop();
    safe::setText(m_text, why);
    setAccessibleName(m_text->text());
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    m_again->setVisible(isSignalConnected(QMetaMethod::fromSignal(&PanelNote::againWanted)));
    cover();
}

void PanelNote::end()
{
    m_since = 0;
    m_tick->stop();
    safe::setText(m_text, {});
    setAccessibleName({});
    hide();
}

QString PanelNote::text() const { return m_text->text(); }

void PanelNote::cover()
{
    setGeometry(parentWidget()->rect());
    raise();
    show();
}

void PanelNote::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

bool PanelNote::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

}  // namespace cairn::ui
