#include "ui/dialogs/namebox.h"

#include "ui/widgets/safetext.h"

#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace cairn::ui {

NameBox::NameBox(const QString& title, const QString& question, QWidget* parent)
    : QDialog(parent)
    , m_edit(new QLineEdit(this))
{
    setWindowTitle(title);
    setModal(true);
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(420);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->addWidget(safe::label(question, {.wrap = true}, this));
    m_edit->setAccessibleName(question);
    m_edit->setMaxLength(80);
    column->addWidget(m_edit);
    connect(m_edit, &QLineEdit::returnPressed, this, [this] {
        if (m_edit->text().trimmed().isEmpty())
            return;
        Q_EMIT chosen(m_edit->text().trimmed());
        accept();
    });
    m_edit->setFocus();
}

}  // namespace cairn::ui
