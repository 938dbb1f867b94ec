#include "ui/pages/inspector.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/models/attemptsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(inspector)
};

// What happens when this step is run again; the question that an operator has before any act.
QString repeatText(const StepLine& step)
{
    if (step.finished && step.glyph == Glyph::Done)
        return Words::tr(
            "If this is run again: suppressed. The recorded result is returned; nothing is called.");
    if (step.glyph == Glyph::Uncertain)
        return Words::tr("Whether its effect happened is not known. It is not run again by itself.");
    if (step.safety.startsWith(u"read"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again: it only reads.");
    if (step.safety.startsWith(u"repeatable"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again: same key, same effect; the receiver acts once.");
    if (step.safety.startsWith(u"irreversible"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again after an unclear end: a person decides first.");
    return {};
}

}  // namespace

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
{
    m_effect->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addWidget(m_body, 1);
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
    m_attempts->setColumns({56, 92, 92, 74, 90, 120}, AttemptsModel::Outcome);
    // There is room for the essential here; the timeline has all of it.
    for (const int absent : {AttemptsModel::Ended, AttemptsModel::Worker})
        m_attempts->setColumnAbsent(absent, true);
    m_attempts->setFixedHeight(26 + 3 * 28);
    body->addWidget(m_attempts);
    m_payloads->setContentsMargins(16, 4, 16, 0);
    m_payloads->setSpacing(4);
    body->addLayout(m_payloads);
    body->addStretch(1);
    m_body->hide();
    m_other->hide();
    setMinimumWidth(240);
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
    m_model->setAttempts(step->tries);
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
    return m_attempts->isVisible() ? m_attempts : nullptr;
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
