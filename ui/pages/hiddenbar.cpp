#include "ui/pages/hiddenbar.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/widgets/safetext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace cairn::ui {

using namespace Qt::StringLiterals;

HiddenBar::HiddenBar(QWidget* parent)
    : QWidget(parent)
    , m_text(safe::label({}, {.wrap = true, .selectable = true}, this))
    , m_reason(new QLineEdit(this))
    , m_button(safe::button({}, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 12, 6);
    row->setSpacing(6);
    row->addWidget(m_text, 2);
    row->addWidget(m_reason, 1);
    row->addWidget(m_button);
    m_text->setFocusPolicy(Qt::NoFocus);
    m_reason->setPlaceholderText(tr("Why you read it: goes on record"));
    m_reason->setAccessibleName(tr("Reason to reveal the hidden fields"));
    m_reason->setMaxLength(1000);
    const auto act = [this] {
        if (!m_button->isEnabled())
            return;
        if (m_revealed)
            Q_EMIT hideAsked();
        else
            Q_EMIT revealAsked(m_reason->text().trimmed());
    };
    connect(m_button, &QPushButton::clicked, this, act);
    connect(m_reason, &QLineEdit::returnPressed, this, act);
    hide();
}

void HiddenBar::showHidden(quint64 fields, const QString& off)
{
    m_revealed = false;
    m_reason->setVisible(off.isEmpty());
    const QString many = plural(fields, "field is hidden", "fields are hidden");
    safe::setText(m_text,
        off.isEmpty()
            ? tr("%1 by the workflow. To reveal is an act of yours, on record before anything is shown.")
                  .arg(many)
            : tr("%1 by the workflow, and cannot be revealed: %2.").arg(many, off));
    m_button->setText(tr("Reveal %1").arg(plural(fields, "field", "fields")));
    safe::setOff(m_button, off);
    setVisible(fields > 0);
}

void HiddenBar::showRevealed(quint64 fields, const QString& where)
{
    m_revealed = true;
    m_reason->clear();
    m_reason->hide();
    safe::setText(
        m_text, tr("%1 revealed: %2.").arg(plural(fields, "hidden field is", "hidden fields are"), where));
    m_button->setText(tr("Hide again"));
    safe::setOff(m_button, {});
    show();
}

void HiddenBar::sayFailure(const QString& what)
{
    safe::setText(m_text, what);
    m_reason->setFocus();
}

QString HiddenBar::text() const { return m_text->text(); }

}  // namespace cairn::ui
