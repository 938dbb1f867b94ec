#include "ui/widgets/filterbox.h"

#include "ui/widgets/choicelist.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QTextCharFormat>
#include <QTimer>

namespace cairn::ui {

using namespace Qt::StringLiterals;

FilterBox::FilterBox(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, m_edit))
    , m_clear(safe::button(tr("Clear filter"), this))
    , m_choices(new ChoiceList(tr("Completions"), this))
{
    setFixedHeight(40);
    m_edit->setFont(typeface(13, false, Face::Mono));
    m_edit->setAccessibleName(tr("Filter"));
    m_edit->setPlaceholderText(u"wait:approval  state:running  def:order  age:>2h"_s);
    m_edit->setTextMargins(24, 0, 0, 0);
    m_edit->installEventFilter(this);
    clearable();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(m_edit, 1);
    row->addWidget(m_clear);
    auto* typed = new QTimer(this);
    typed->setSingleShot(true);
    typed->setInterval(
        40);  // rows within 100 ms of the key; an answer that a later key overtakes is given up
    connect(m_edit, &QLineEdit::textChanged, typed, qOverload<>(&QTimer::start));
    connect(typed, &QTimer::timeout, this, [this] {
        if (filter() == m_last)
            return;
        m_last = filter();
        clearable();
        Q_EMIT filterChanged(m_last);
    });
    auto* asking = new QTimer(this);
    asking->setSingleShot(true);
    asking->setInterval(60);
    connect(m_edit, &QLineEdit::textEdited, asking, qOverload<>(&QTimer::start));
    connect(asking, &QTimer::timeout, this, [this] {
        Q_EMIT helpWanted({m_edit->text(), m_edit->cursorPosition(), false});
    });
    connect(m_choices, &QTableView::clicked, this, [this] {
        if (const FilterChoice* choice = m_choices->current())
            take(*choice);
    });
    connect(m_clear, &QPushButton::clicked, this, [this] { setFilter({}); });
}

FilterBox::~FilterBox() { delete m_choices; }

ChoiceList* FilterBox::choices() const { return m_choices; }

QString FilterBox::filter() const { return m_edit->text().trimmed(); }

void FilterBox::clearable()
{
    safe::setOff(m_clear, filter().isEmpty() ? tr("There is no filter.") : QString());
}

void FilterBox::setFilter(const QString& text)
{
    m_edit->setText(text);
    clearable();
    if (filter() != m_last) {
        m_last = filter();
        Q_EMIT filterChanged(m_last);
    }
}

void FilterBox::setExample(const QString& text) { m_edit->setPlaceholderText(text); }

void FilterBox::setState(const FilterState& state, const QString& effect)
{
    safe::setText(
        m_state, state.valid ? effect : tr("not valid at %1: %2").arg(state.offset + 1).arg(state.text));
    safe::setTip(m_state, m_state->text());  // it is cut where there is no room
    m_state->adjustSize();
    underline(state);
    resizeEvent(nullptr);
}

// A line under what is wrong, where the text is still the one that was judged. QLineEdit formats parts of its
// text by the events of input methods only.
void FilterBox::underline(const FilterState& state)
{
    QList<QInputMethodEvent::Attribute> parts;
    if (!state.valid && state.length > 0 && state.offset + state.length <= m_edit->text().size()) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(theme().family(Family::Nobody));
        parts.append(
            {QInputMethodEvent::TextFormat, state.offset - m_edit->cursorPosition(), state.length, format});
    }
    QInputMethodEvent event(QString(), parts);
    QCoreApplication::sendEvent(m_edit, &event);
}

void FilterBox::setHelp(const FilterQuestion& question, const FilterHelp& help)
{
    if (question.text != m_edit->text() || question.cursor != m_edit->cursorPosition() || !m_edit->hasFocus())
        return;
    m_help = help;
    m_choices->setChoices(help.choices);
    m_choices->setVisible(!help.choices.empty());
    placeChoices();
}

// Over whatever lies below the box: a child of the window, so that the editor keeps the keyboard.
void FilterBox::placeChoices()
{
    if (m_choices->isHidden())
        return;
    if (m_choices->parentWidget() != window())
        m_choices->setParent(window());
    const QPoint below = m_edit->mapTo(window(), QPoint(0, m_edit->height() + 1));
    m_choices->setGeometry(below.x(), below.y(), std::min(m_edit->width(), 460), m_choices->wantedHeight());
    m_choices->show();
    m_choices->raise();
}

void FilterBox::take(const FilterChoice& choice)
{
    QString text = m_edit->text();
    const bool value = !m_help.field.isEmpty();
    const int end = m_help.offset + static_cast<int>(choice.text.size());
    text.replace(m_help.offset, m_help.length, choice.text);
    m_edit->setText(text);
    m_edit->setCursorPosition(end);
    m_choices->hide();
    if (value)
        setFilter(text);
    else
        Q_EMIT helpWanted({text, end, false});
}

void FilterBox::askValues(const QString& field)
{
    QString text = filter();
    text += (text.isEmpty() ? u""_s : u" "_s) + field + u':';
    m_edit->setFocus();
    m_edit->setText(text);
    m_edit->setCursorPosition(static_cast<int>(text.size()));
    Q_EMIT helpWanted({text, static_cast<int>(text.size()), false});
}

bool FilterBox::choiceKey(const QKeyEvent& event)
{
    if (event.key() == Qt::Key_Space && event.modifiers() == Qt::ControlModifier) {
        Q_EMIT helpWanted({m_edit->text(), m_edit->cursorPosition(), false});
        return true;
    }
    if (!m_choices->isVisible())
        return false;
    const FilterChoice* choice = m_choices->current();
    switch (event.key()) {
    case Qt::Key_Down: m_choices->move(1); return true;
    case Qt::Key_Up: m_choices->move(-1); return true;
    case Qt::Key_Escape: m_choices->hide(); return true;
    case Qt::Key_Tab:
        if (choice == nullptr)
            m_choices->move(1);
        choice = m_choices->current();
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter: break;
    default: return false;
    }
    if (choice == nullptr) {
        m_choices->hide();
        return false;
    }
    take(FilterChoice(*choice));
    return true;
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
        if (choiceKey(*static_cast<QKeyEvent*>(event)))
            return true;
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Down || key == Qt::Key_Return) {
            if (key == Qt::Key_Return)
                setFilter(m_edit->text());
            Q_EMIT leave();
            return true;
        }
    }
    if (watched == m_edit && event->type() == QEvent::FocusOut && m_choices != nullptr)
        m_choices->hide();
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
