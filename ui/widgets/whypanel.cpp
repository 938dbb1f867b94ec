#include "ui/widgets/whypanel.h"

#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/factgrid.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/sentence.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/timebars.h"

#include <QCoreApplication>
#include <QAbstractButton>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(whypanel)
};

// Key, name, and under it the consequence or the reason why it is off. Off stays visible and focusable: it
// says why.
class VerbButton final : public QAbstractButton {
public:
    VerbButton(const VerbLine& verb, int indent, QWidget* parent)
        : QAbstractButton(parent)
        , m_verb(verb)
        , m_indent(indent)
    {
        m_verb.name = shown(verb.name, false, 120);
        m_verb.text = shown(verb.text, false, 400);
        setFocusPolicy(Qt::StrongFocus);
        setAccessibleName(m_verb.name);
        setAccessibleDescription(line());
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override
    {
        return 18 + std::max(16, textRect(width).height()) + 6;
    }
    [[nodiscard]] QSize sizeHint() const override { return {240, heightForWidth(240)}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 40}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (!m_verb.letter.isEmpty())
            paintKeycap(painter, QPointF(0, 1), m_verb.letter, !m_verb.on);
        painter.setFont(typeface(13, m_verb.on));
        painter.setPen(m_verb.on ? theme().text : theme().text2);
        painter.drawText(QPointF(m_indent, 14), m_verb.name + (m_verb.on ? u"…"_s : QString()));
        painter.setFont(typeface(11));
        painter.setPen(theme().text2);
        painter.drawText(
            QRectF(m_indent, 18, width() - m_indent - 4, height() - 18), Qt::TextWordWrap, line());
        if (hasFocus()) {
            painter.setPen(QPen(theme().focus, 2));
            painter.drawRect(rect().adjusted(0, 1, -1, -3));
        }
    }

private:
    [[nodiscard]] QString line() const { return (m_verb.on ? QString() : Words::tr("Off: ")) + m_verb.text; }
    [[nodiscard]] QRect textRect(int width) const
    {
        return QFontMetrics(typeface(11))
            .boundingRect(QRect(0, 0, std::max(60, width - m_indent - 4), 400), Qt::TextWordWrap, line());
    }

    VerbLine m_verb;  // its texts as they are shown
    int m_indent;
};

// Names begin in one line, beside the widest key cap that is there.
int indentOf(const std::vector<VerbLine>& verbs)
{
    double widest = 18;
    for (const VerbLine& verb : verbs)
        if (!verb.letter.isEmpty())
            widest = std::max(widest, keycapWidth(verb.letter));
    return static_cast<int>(widest) + 10;
}

}  // namespace

WhyPanel::WhyPanel(QWidget* parent)
    : QWidget(parent)
    , m_title(new DockTitle(tr("Why"), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_body = new QWidget(scroll);
    m_body->setProperty("ground", u"window"_s);
    m_layout = new QVBoxLayout(m_body);
    m_layout->setContentsMargins(16, 12, 16, 12);
    m_layout->setSpacing(0);
    scroll->setWidget(m_body);
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    setAccessibleName(tr("Why"));
    setFocusPolicy(Qt::NoFocus);
    setMinimumWidth(260);
}

void WhyPanel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

void WhyPanel::clear()
{
    m_firstVerb = nullptr;
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

void WhyPanel::addHair()
{
    m_layout->addSpacing(10);
    auto* hair = new QWidget(m_body);
    hair->setFixedHeight(1);
    hair->setAutoFillBackground(true);
    QPalette p = hair->palette();
    p.setColor(QPalette::Window, theme().hair);
    hair->setPalette(p);
    m_layout->addWidget(hair);
    m_layout->addSpacing(8);
}

void WhyPanel::addCaption(const QString& text)
{
    m_layout->addWidget(safe::label(text, {.size = 11, .bold = true, .secondary = true}, m_body));
    m_layout->addSpacing(4);
}

void WhyPanel::addEvidence(const std::vector<Fact>& facts)
{
    addHair();
    addCaption(tr("Evidence"));
    m_layout->addWidget(factGrid(facts, 84, m_body));
}

void WhyPanel::addVerbs()
{
    addHair();
    addCaption(tr("You can"));
    m_layout->addSpacing(2);
    const int indent = indentOf(m_why.verbs);
    for (const VerbLine& verb : m_why.verbs) {
        if (verb.abandon)
            continue;  // the last resort is in the menus only
        auto* button = new VerbButton(verb, indent, m_body);
        connect(button, &QAbstractButton::clicked, this, [this, verb] { Q_EMIT verbChosen(verb); });
        m_layout->addWidget(button);
        if (m_firstVerb == nullptr)
            m_firstVerb = button;
    }
}

void WhyPanel::setWhy(const WhyView& why)
{
    if (m_empty.isEmpty() && why == m_why && m_layout->count() > 0)
        return;  // nothing moves under the reader's eyes
    // A refresh that changes only words must not take the keyboard's place away.
    const QString focused =
        focusWidget() != nullptr && focusWidget()->hasFocus() ? focusWidget()->accessibleName() : QString();
    m_why = why;
    m_empty.clear();
    clear();
    m_title->setRight(why.badge, why.glyph);
    auto* sentence = new Sentence(m_body);
    sentence->setSentence(why.sentence, why.strong);
    m_layout->addWidget(sentence);
    if (!why.evidence.empty())
        addEvidence(why.evidence);
    if (!why.next.counts.empty()) {
        addHair();
        auto* bars = new TimeBars(m_body);
        bars->setSlots(why.next);
        const bool retries = why.reason == Reason::Retry || why.reason == Reason::Resource;
        addCaption((retries ? tr("Next automatic retries") : tr("They go on by themselves")) + u" · "_s
            + bars->remark());
        m_layout->addWidget(bars);
    }
    if (!why.releases.isEmpty()) {
        addHair();
        addCaption(tr("Releases when"));
        m_layout->addWidget(safe::label(why.releases, {.wrap = true}, m_body));
    }
    if (!why.verbs.empty())
        addVerbs();
    m_layout->addStretch(1);
    for (auto* button : m_body->findChildren<QAbstractButton*>())
        if (!focused.isEmpty() && button->isVisibleTo(m_body) && button->accessibleName() == focused)
            button->setFocus();
}

void WhyPanel::setEmpty(const QString& text)
{
    if (text == m_empty)
        return;
    m_empty = text;
    m_why = {};
    clear();
    m_title->setRight({});
    auto* sentence = new Sentence(m_body);
    sentence->setSentence(text, {});
    m_layout->addWidget(sentence);
    m_layout->addStretch(1);
}

void WhyPanel::keyPressEvent(QKeyEvent* event)
{
    const bool down = event->key() == Qt::Key_Down || event->key() == Qt::Key_J;
    const bool up = event->key() == Qt::Key_Up || event->key() == Qt::Key_K;
    const auto* button = qobject_cast<QAbstractButton*>(focusWidget());
    if (button != nullptr && (down || up)) {
        focusNextPrevChild(down);
        return;
    }
    if (button != nullptr && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        const_cast<QAbstractButton*>(button)->click();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace cairn::ui
