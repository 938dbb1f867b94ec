// Makes the painted rows known to assistive technology: a list whose items can be pressed.
#include "ui/widgets/timeline/timelinecanvas.h"

#include <QAccessibleWidget>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

class RowItem final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    RowItem(TimelineCanvas* canvas, int place)
        : m_canvas(canvas)
        , m_place(place)
    {
    }

    [[nodiscard]] bool isValid() const override
    {
        return m_canvas != nullptr && m_place < static_cast<int>(m_canvas->places().size());
    }
    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_canvas);
    }
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }
    [[nodiscard]] QRect rect() const override
    {
        return isValid()
            ? m_canvas->viewRect(m_place).translated(m_canvas->viewport()->mapToGlobal(QPoint(0, 0)))
            : QRect();
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        return isValid() && kind == QAccessible::Name ? m_canvas->spoken(m_place) : QString();
    }
    void setText(QAccessible::Text, const QString&) override { }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State s;
        s.selectable = true;
        s.focusable = true;
        s.selected = isValid() && m_canvas->currentPlace() == m_place;
        s.focused = s.selected && m_canvas->hasFocus();
        return s;
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                    : nullptr;
    }
    [[nodiscard]] QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString& action) override
    {
        if (action == pressAction() && isValid())
            m_canvas->choose(m_place);
    }
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    TimelineCanvas* m_canvas;
    int m_place;
};

class TimelineItem final : public QAccessibleWidget {
public:
    explicit TimelineItem(TimelineCanvas* canvas)
        : QAccessibleWidget(canvas, QAccessible::List)
        , m_canvas(canvas)
    {
    }
    ~TimelineItem() override
    {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }
    [[nodiscard]] int childCount() const override { return static_cast<int>(m_canvas->places().size()); }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount())
            return nullptr;
        while (m_ids.size() <= static_cast<std::size_t>(index))
            m_ids.push_back(QAccessible::registerAccessibleInterface(
                new RowItem(m_canvas, static_cast<int>(m_ids.size()))));
        return QAccessible::accessibleInterface(m_ids[static_cast<std::size_t>(index)]);
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* item) const override
    {
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            if (QAccessible::accessibleInterface(m_ids[i]) == item)
                return static_cast<int>(i);
        return -1;
    }

private:
    TimelineCanvas* m_canvas;
    mutable std::vector<QAccessible::Id> m_ids;
};

QAccessibleInterface* makeItem(const QString& name, QObject* object)
{
    if (name == u"cairn::ui::TimelineCanvas")
        return new TimelineItem(static_cast<TimelineCanvas*>(object));
    return nullptr;
}

}  // namespace

void installTimelineAccessibility()
{
    static const bool kOnce = [] {
        QAccessible::installFactory(&makeItem);
        return true;
    }();
    static_cast<void>(kOnce);
}

}  // namespace cairn::ui
