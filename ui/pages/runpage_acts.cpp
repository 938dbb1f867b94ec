// What may be done: about the run, at its head, and about the step that is selected.
#include "ui/data/safetext.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>

#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

void RunPage::fillButtons()
{
    std::vector<VerbLine> verbs = m_detail.why.verbs;
    if (!m_off.isEmpty())
        for (VerbLine& verb : verbs) {
            verb.on = false;
            verb.text = m_off;
        }
    if (verbs == m_buttonVerbs && m_buttons->count() > 0)
        return;
    m_buttonVerbs = std::move(verbs);
    QString focused;  // the keyboard stays where it is
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        if (item->widget()->hasFocus())
            focused = item->widget()->accessibleName();
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    auto* more = safe::button(tr("More"), this);
    auto* menu = new QMenu(more);
    int placed = 0;
    for (const VerbLine& verb : m_buttonVerbs) {
        if (verb.on && !verb.abandon && placed < 3) {
            ++placed;
            auto* button = safe::button(verb.name + u"…"_s, this);
            button->setAccessibleName(shown(verb.name));
            if (!verb.letter.isEmpty()) {
                const QPixmap cap = keycapPixmap(verb.letter, devicePixelRatioF());
                button->setIcon(QIcon(cap));
                button->setIconSize(cap.deviceIndependentSize().toSize());
                button->setLayoutDirection(Qt::RightToLeft);  // the cap after the name
            }
            safe::setTip(button, verb.text);
            connect(button, &QPushButton::clicked, this, [this, verb] { Q_EMIT verbChosen(verb, run()); });
            m_buttons->addWidget(button);
            continue;
        }
        QAction* action = menu->addAction(
            shown(verb.name + (verb.on ? u"…"_s : tr(" (off: ") + verb.text + u')'), false, 120)
                .replace(u'&', u"&&"_s));
        action->setEnabled(verb.on);
        connect(action, &QAction::triggered, this, [this, verb] { Q_EMIT verbChosen(verb, run()); });
    }
    more->setMenu(menu);
    safe::setOff(more, menu->isEmpty() ? tr("There are no other acts.") : QString());
    more->setAccessibleName(tr("More acts, and why others are off"));
    m_buttons->addWidget(more);
    // A layout shows what it is given when the event loop comes round; the keyboard may ask for it sooner.
    for (int i = 0; i < m_buttons->count(); ++i)
        m_buttons->itemAt(i)->widget()->show();
    if (focused.isEmpty())
        return;
    QWidget* next = more;
    for (int i = 0; i < m_buttons->count(); ++i)
        if (m_buttons->itemAt(i)->widget()->accessibleName() == focused)
            next = m_buttons->itemAt(i)->widget();
    next->setFocus();
}

void RunPage::setOff(const QString& why)
{
    if (std::exchange(m_off, why) == why || !m_loaded)
        return;
    fillButtons();
    showStepActs();
}

// Asked for the step that is looked at, once for each version of the run. While a question is under way
// another selection waits for its answer, so that a held arrow key asks for few of the steps that it passes.
void RunPage::readStepActs()
{
    showStepActs();
    const StepLine* step = m_steps->currentStep();
    if (!m_loaded || !atNow() || currentView() != 1 || step == nullptr || m_askingActs)
        return;
    if (m_stepActs.step == step->ix && m_stepActs.version == m_newest.version)
        return;
    m_askingActs = true;
    const StepActs asked{step->ix, m_newest.version};
    whenDone(
        m_source.stepActs(m_run, asked.step), this, [this, asked](const Reply<std::vector<VerbLine>>& reply) {
            m_askingActs = false;
            m_stepActs = asked;
            if (reply)
                m_stepActs.verbs = *reply.value;
            else if (!reply.failure.cancelled)
                m_stepActs.failure = reply.failure.what;
            readStepActs();  // another may be selected by now
        });
}

void RunPage::showStepActs()
{
    const quint32 step = m_steps->current();
    if (!atNow())
        return m_steps->setActs(step, {}, tr("This is how it was: go back to now to act."));
    if (m_stepActs.step != step)
        return;  // they are asked for
    std::vector<VerbLine> verbs = m_stepActs.verbs;
    if (!m_off.isEmpty())
        for (VerbLine& verb : verbs) {
            verb.on = false;
            verb.text = m_off;
        }
    m_steps->setActs(step, verbs, m_stepActs.failure);
}

}  // namespace cairn::ui
