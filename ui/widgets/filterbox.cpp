#include "ui/widgets/filterbox.h"

#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QTimer>

namespace cairn::ui {

using namespace Qt::StringLiterals;

FilterBox::FilterBox(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, m_edit))
    , m_clear(safe::button(u"Clear filter"_s, this))
{
    setFixedHeight(40);
    m_edit->setFont(typeface(13, false, Face::Mono));
    m_edit->setAccessibleName(u"Filter"_s);
    m_edit->setPlaceholderText(u"wait:approval  state:running  def:order  age:>2h"_s);
    m_edit->setTextMargins(24, 0, 0, 0);
    m_edit->installEventFilter(this);
    m_clear->setEnabled(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(m_edit, 1);
    row->addWidget(m_clear);
    auto* typed = new QTimer(this);
    typed->setSingleShot(true);
    typed->setInterval(150);
    connect(m_edit, &QLineEdit::textChanged, typed, qOverload<>(&QTimer::start));
    connect(typed, &QTimer::timeout, this, [this] {
        if (filter() == m_last)
            return;
        m_last = filter();
        m_clear->setEnabled(!m_last.isEmpty());
        Q_EMIT filterChanged(m_last);
    });
    connect(m_clear, &QPushButton::clicked, this, [this] { setFilter({}); });
}

QString FilterBox::filter() const { return m_edit->text().trimmed(); }

void FilterBox::setFilter(const QString& text)
{
    m_edit->setText(text);
    m_clear->setEnabled(!filter().isEmpty());
    if (filter() != m_last) {
        m_last = filter();
        Q_EMIT filterChanged(m_last);
    }
}

void FilterBox::setState(const FilterState& state, const QString& effect)
{
    safe::setText(
        m_state, state.valid ? effect : u"not valid at %1: %2"_s.arg(state.offset + 1).arg(state.text));
    safe::setTip(m_state, state.text);
    m_state->adjustSize();
    resizeEvent(nullptr);
}

void FilterBox::resizeEvent(QResizeEvent*)
{
    const int most = m_edit->width() * 6 / 10;
    const int w = std::min(m_state->sizeHint().width(), most);
    m_state->setGeometry(m_edit->width() - w - 10, 0, w, m_edit->height());
    m_edit->setTextMargins(24, 0, w + 8, 0);
}

void FilterBox::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().line);
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

bool FilterBox::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Down || key == Qt::Key_Return) {
            if (key == Qt::Key_Return)
                setFilter(m_edit->text());
            Q_EMIT leave();
            return true;
        }
    }
    if (watched == m_edit && event->type() == QEvent::Paint) {
        m_edit->removeEventFilter(this);
        m_edit->event(event);
        m_edit->installEventFilter(this);
        QPainter painter(m_edit);
        paintKeycap(painter, QPointF(6, (m_edit->height() - 18) / 2.0), u"/"_s);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace cairn::ui
