#include "ui/pages/inspector.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/models/attemptsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

Inspector::Inspector(QWidget* parent)
    : QWidget(parent)
    , m_title(new DockTitle(tr("Step"), this))
    , m_glyph(new QLabel(this))
    , m_name(safe::label({}, {.size = 16, .bold = true}, this))
    , m_safety(safe::label({}, {.size = 11}, this))
    , m_state(safe::label({}, {.secondary = true, .wrap = true}, this))
    , m_repeat(safe::label({}, {.wrap = true}, this))
    , m_effect(safe::label({}, {.size = 11, .face = Face::Mono, .wrap = true, .selectable = true}, this))
    , m_other(safe::button({}, this))
    , m_attempts(new DataTable(tr("Attempts"), this))
    , m_model(new AttemptsModel(this))
    , m_body(new QWidget(this))
    , m_payloads(new QVBoxLayout)
    , m_acts(new QWidget(this))
    , m_actGrid(new QGridLayout)
    , m_off(safe::label({}, {.size = 11, .secondary = true, .wrap = true}, this))
{
    m_effect->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    // A step with many attempts and payloads may need more room than there is; its acts stay in sight.
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    column->addWidget(m_acts);
    buildActs();
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 12, 0, 12);
    body->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 0, 16, 0);
    head->setSpacing(9);
    head->addWidget(m_glyph);
    head->addWidget(m_name, 1);
    head->addWidget(m_safety);
    body->addLayout(head);
    for (QLabel* label : {m_state, m_repeat, m_effect}) {
        if (label != m_repeat)
            label->setContentsMargins(16, 0, 16, 0);
        body->addWidget(label);
    }
    m_repeat->setProperty("frame", u"box"_s);
    m_safety->setProperty("frame", u"tag"_s);
    m_other->setProperty("small", true);
    connect(m_other, &QPushButton::clicked, this, [this] { Q_EMIT runChosen(m_step.other); });
    auto* link = new QHBoxLayout;
    link->setContentsMargins(16, 0, 16, 0);
    link->addWidget(m_other);
    link->addStretch(1);
    body->addLayout(link);
    m_attempts->setModel(m_model);
    m_attempts->setColumns({52, 84, 84, 70, 70, 90, 120}, AttemptsModel::Outcome);
    m_attempts->setGiveWay({AttemptsModel::Waited}, 150);  // what became of it is said in full first
    // There is room for the essential here; the timeline has all of it.
    for (const int absent : {AttemptsModel::Ended, AttemptsModel::Worker})
        m_attempts->setColumnAbsent(absent, true);
    m_attempts->setFixedHeight(26 + 3 * 28);
    body->addWidget(m_attempts);
    m_payloads->setContentsMargins(16, 4, 16, 0);
    m_payloads->setSpacing(4);
    body->addLayout(m_payloads);
    body->addStretch(1);
    scroll->setWidget(m_body);  // which shows it, and fills it
    m_body->setAutoFillBackground(false);
    m_body->hide();
    m_other->hide();
    setMinimumWidth(240);
}

void Inspector::buildActs()
{
    auto* column = new QVBoxLayout(m_acts);
    column->setContentsMargins(16, 8, 16, 10);
    column->setSpacing(6);
    auto* hair = new QFrame(m_acts);
    hair->setFrameShape(QFrame::HLine);
    column->addWidget(hair);
    m_actGrid->setSpacing(6);
    column->addLayout(m_actGrid);
    column->addWidget(m_off);
    m_acts->setAccessibleName(tr("What may be done about this step"));
    m_acts->hide();
}

void Inspector::setActs(const std::vector<VerbLine>& acts, const QString& note)
{
    if (acts != m_verbs || m_actGrid->count() == 0) {
        m_verbs = acts;
        fillActs();
    }
    QStringList why;
    for (std::size_t i = 0; i < m_verbs.size(); ++i) {
        const QString& text = m_verbs[i].text;
        const auto same = [&text](const VerbLine& verb) { return !verb.on && verb.text == text; };
        if (m_verbs[i].on || std::any_of(m_verbs.begin(), m_verbs.begin() + static_cast<int>(i), same))
            continue;
        QStringList names;
        for (const VerbLine& verb : m_verbs)
            if (same(verb))
                names << verb.name;
        why << (names.size() == 1 ? tr("%1 is off: %2") : tr("%1 are off: %2"))
                   .arg(names.join(u", "_s), text);
    }
    safe::setText(m_off, m_verbs.empty() ? note : why.join(u'\n'));
    m_off->setVisible(!m_off->text().isEmpty());
    m_acts->setVisible(m_has && (!m_verbs.empty() || !note.isEmpty()));
}

// Two in a row, so that the panel may be narrow. Keys stand on those that can be done only: a letter means
// another step where this one does not take the act.
void Inspector::fillActs()
{
    QString focused;  // the keyboard stays where it is
    while (QLayoutItem* item = m_actGrid->takeAt(0)) {
        if (item->widget()->hasFocus())
            focused = item->widget()->accessibleName();
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (std::size_t i = 0; i < m_verbs.size(); ++i) {
        const VerbLine& verb = m_verbs[i];
        auto* button = safe::button(verb.name + (verb.on ? u"…"_s : QString()), m_acts);
        button->setAccessibleName(shown(verb.name));
        button->setProperty("small", true);
        if (verb.on && !verb.letter.isEmpty()) {
            const QPixmap cap = keycapPixmap(verb.letter, devicePixelRatioF());
            button->setIcon(QIcon(cap));
            button->setIconSize(cap.deviceIndependentSize().toSize());
            button->setLayoutDirection(Qt::RightToLeft);  // the cap after the name
        }
        if (verb.on) {
            safe::setTip(button, verb.text);
            button->setAccessibleDescription(shown(verb.text, false, 400));
            connect(button, &QPushButton::clicked, this, [this, verb] { Q_EMIT verbChosen(verb); });
        } else {
            safe::setOff(button, verb.text);
        }
        m_actGrid->addWidget(button, static_cast<int>(i) / 2, static_cast<int>(i) % 2);
        button->show();  // at once: the keyboard may go there before the event loop comes round
        if (button->accessibleName() == focused && button->isEnabled())
            button->setFocus();
    }
}

QString Inspector::actsText() const { return m_off->text(); }

std::vector<QPushButton*> Inspector::actButtons() const
{
    std::vector<QPushButton*> buttons;
    for (int i = 0; i < m_actGrid->count(); ++i)
        buttons.push_back(qobject_cast<QPushButton*>(m_actGrid->itemAt(i)->widget()));
    return buttons;
}

void Inspector::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    if (m_has)
        return;
    painter.setPen(theme().text2);
    painter.drawText(rect(), Qt::AlignCenter, tr("Select a step."));
}

void Inspector::setStep(const StepLine* step, qint64 now)
{
    m_has = step != nullptr;
    m_body->setVisible(m_has);
    m_model->setNow(now);
    m_title->setRight(m_has ? tr("revision %1").arg(step->revision) : QString());
    if (!m_has || step->ix != m_step.ix)
        setActs({}, {});  // those were another's
    if (!m_has) {
        m_step = {};
        update();
        return;
    }
    m_attempts->viewport()->update();
    m_glyph->setPixmap(glyphPixmap(step->glyph, 16, devicePixelRatioF()));
    if (*step == m_step)
        return;
    m_step = *step;
    m_glyph->setAccessibleName(glyphName(step->glyph));
    safe::setText(m_name, step->id);
    safe::setText(m_safety, step->safety);
    m_safety->setVisible(!step->safety.isEmpty());
    QString state = step->word;
    if (step->since != 0)
        state += tr(" since ") + clockText(step->since, now);
    if (!step->agent.isEmpty())
        state += tr(", agent ") + step->agent;
    if (!step->tool.isEmpty())
        state += tr(", tool ") + step->tool;
    safe::setText(m_state, state);
    safe::setText(m_repeat, repeatText(*step));
    m_repeat->setVisible(!repeatText(*step).isEmpty());
    safe::setText(m_effect, step->effectKey.isEmpty() ? QString() : tr("effect ") + step->effectKey);
    m_effect->setVisible(!step->effectKey.isEmpty());
    m_model->setAttempts(step->tries, step->readyAt);
    m_attempts->setVisible(!step->tries.empty());
    m_attempts->setFixedHeight(27 + 28 * std::min<int>(5, static_cast<int>(step->tries.size())));
    m_other->setVisible(!step->other.isNull());
    const bool child = step->safety == childRunWord();
    m_other->setText(
        (child ? tr("Open child run ") : tr("Open the run that holds its effect, ")) + shortId(step->other));
    m_other->setAccessibleName(m_other->text());
    std::erase_if(m_previews, [step](const PayloadText& text) {
        return std::find(step->payloads.begin(), step->payloads.end(), text.line) == step->payloads.end();
    });
    fillPayloads();
}

void Inspector::setPreviews(const std::vector<PayloadText>& texts)
{
    std::vector<PayloadText> mine;
    for (const PayloadText& text : texts)
        if (std::find(m_step.payloads.begin(), m_step.payloads.end(), text.line) != m_step.payloads.end())
            mine.push_back(text);
    m_previews = std::move(mine);
    fillPayloads();
}

QWidget* Inspector::firstStop() const
{
    if (m_other->isVisible())
        return m_other;
    for (int i = 0; i < m_payloads->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_payloads->itemAt(i)->widget()))
            return button;
    if (m_attempts->isVisible())
        return m_attempts;
    for (QPushButton* button : actButtons())
        if (button->isEnabled())
            return button;
    return nullptr;
}

// What it says, as far as a few lines hold it; the button above opens the whole.
QWidget* Inspector::preview(const PayloadText& text)
{
    constexpr int kLines = 5;
    constexpr qsizetype kShown = 600;
    auto* view = safe::viewer(m_body);
    view->setFont(typeface(11, false, Face::Mono));
    view->setFocusPolicy(Qt::ClickFocus);
    view->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    view->setAccessibleName(shown(text.line.title));
    view->setProperty("flat", false);
    view->setProperty("ground", u"panel"_s);
    const QString shownText = shownBytes(text.head, kShown);
    view->setPlainText(text.head.size() > kShown ? shownText + u"…"_s : shownText);
    const QFontMetrics metrics(view->font());
    const int perLine = std::max(20, (width() - 60) / std::max(1, metrics.horizontalAdvance(u'0')));
    const auto lines = static_cast<int>(
        std::min<qsizetype>(kLines, shownText.count(u'\n') + shownText.size() / perLine + 1));
    view->setFixedHeight(lines * metrics.lineSpacing() + 18);
    return view;
}

namespace {

void drop(QBoxLayout* layout, int place)
{
    QLayoutItem* item = layout->takeAt(place);
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
}

}  // namespace

// One button each, with its preview below it. Buttons stay while the payloads are the same: the keyboard may
// be on one.
void Inspector::fillPayloads()
{
    if (m_step.payloads != m_buttonsOf) {
        while (m_payloads->count() > 0)
            drop(m_payloads, 0);
        m_buttonsOf = m_step.payloads;
        for (const PayloadLine& payload : m_buttonsOf)
            addButton(payload);
    }
    for (int i = m_payloads->count() - 1; i >= 0; --i)
        if (qobject_cast<QPushButton*>(m_payloads->itemAt(i)->widget()) == nullptr)
            drop(m_payloads, i);
    int place = 0;
    for (const PayloadLine& payload : m_buttonsOf) {
        ++place;  // its button
        for (const PayloadText& text : m_previews)
            if (text.line == payload && !text.redacted && !text.head.isEmpty())
                m_payloads->insertWidget(place++, preview(text));
    }
}

void Inspector::addButton(const PayloadLine& payload)
{
    auto* button =
        safe::button(payload.role + u"   "_s + payload.media + u", "_s + sizeText(payload.size), m_body);
    button->setProperty("small", true);
    button->setAccessibleName(shown(tr("Open ") + payload.title));
    connect(button, &QPushButton::clicked, this, [this, payload] { Q_EMIT payloadChosen(payload); });
    m_payloads->addWidget(button, 0, Qt::AlignLeft);
    button->show();  // at once: the keyboard may go there before the event loop comes round
}

}  // namespace cairn::ui
