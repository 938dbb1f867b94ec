#include "ui/widgets/safetext.h"

#include "ui/data/safetext.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSystemTrayIcon>
#include <QToolTip>

namespace cairn::ui::safe {

QLabel* label(const QString& text, const LabelLook& look, QWidget* parent)
{
    auto* result = new QLabel(parent);
    result->setTextFormat(Qt::PlainText);
    result->setOpenExternalLinks(false);
    result->setFont(typeface(look.size, look.bold, look.face));
    result->setWordWrap(look.wrap);
    if (look.secondary)
        result->setForegroundRole(QPalette::PlaceholderText);
    if (look.selectable)
        result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    result->setText(shown(text, true));
    return result;
}

void setText(QLabel* label, const QString& text)
{
    label->setTextFormat(Qt::PlainText);
    label->setText(shown(text, true));
}

void showTip(const QPoint& at, const QString& text, QWidget* over)
{
    QToolTip::showText(at, tip(text), over);
}

void setTip(QWidget* widget, const QString& text) { widget->setToolTip(tip(text)); }
void setOff(QWidget* widget, const QString& why)
{
    widget->setEnabled(why.isEmpty());
    setTip(widget, why);
    widget->setAccessibleDescription(shown(why, false, 400));
}
// Trays differ in whether they take a text for markup: nothing is left in it that could be.
void setTip(QSystemTrayIcon* icon, const QString& text) { icon->setToolTip(unmarked(text)); }
QString unmarked(const QString& text)
{
    QString plain = shown(text, false, 200);
    return plain.remove(u'<').remove(u'>').replace(u'&', u'+');
}

QPushButton* button(const QString& text, QWidget* parent)
{
    auto* result = new QPushButton(parent);
    // An ampersand in run data is not a shortcut.
    result->setText(shown(text).replace(u'&', QStringLiteral("&&")));
    result->setAccessibleName(shown(text));
    result->setFont(typeface(13));
    return result;
}

QPlainTextEdit* viewer(QWidget* parent)
{
    auto* result = new QPlainTextEdit(parent);
    result->setReadOnly(true);
    result->setFont(typeface(13, false, Face::Mono));
    result->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    result->setWordWrapMode(QTextOption::WrapAnywhere);
    result->setTabChangesFocus(true);
    result->setProperty("flat", true);
    return result;
}

}  // namespace cairn::ui::safe
