#pragma once
// What those hear who do not see the window: the accessible tree below a widget, flat.

#include <QAccessible>
#include <QString>
#include <QWidget>

#include <vector>

namespace cairn::ui::test {

struct Heard {
    QString name;
    QString description;
    QAccessible::Role role = QAccessible::NoRole;
    QAccessible::State state;
    QObject* object = nullptr;
    QString where;  // names of what it is in, outermost first

    [[nodiscard]] bool isCell() const
    {
        return role == QAccessible::Cell || role == QAccessible::ListItem || role == QAccessible::TreeItem;
    }
    [[nodiscard]] bool isControl() const
    {
        return role == QAccessible::Button || role == QAccessible::ButtonMenu || role == QAccessible::CheckBox
            || role == QAccessible::RadioButton || role == QAccessible::EditableText
            || role == QAccessible::SpinBox || role == QAccessible::ComboBox;
    }
};

inline void hear(QAccessibleInterface* at, const QString& where, std::vector<Heard>& all)
{
    if (at == nullptr || !at->isValid())
        return;
    Heard one{at->text(QAccessible::Name), at->text(QAccessible::Description), at->role(), at->state(),
        at->object(), where};
    // A cell that is scrolled out of sight is heard all the same.
    if (one.state.invisible && !one.isCell())
        return;
    const QString here = where + u'/' + (one.name.isEmpty() ? QStringLiteral("?") : one.name);
    all.push_back(std::move(one));
    for (int i = 0; i < at->childCount(); ++i)
        hear(at->child(i), here, all);
}

inline std::vector<Heard> heardIn(QWidget& widget)
{
    std::vector<Heard> all;
    hear(QAccessible::queryAccessibleInterface(&widget), {}, all);
    return all;
}

}  // namespace cairn::ui::test
