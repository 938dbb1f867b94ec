// Makes the painted nodes known to assistive technology: a list whose items can be pressed.
#include "ui/data/words.h"
#include "ui/data/safetext.h"
#include "ui/widgets/graph/graphcanvas.h"

#include <QAccessibleWidget>

#include <memory>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

class NodeItem final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    NodeItem(GraphCanvas* canvas, int node)
        : m_canvas(canvas)
        , m_node(node)
    {
    }

    [[nodiscard]] bool isValid() const override
    {
        return m_canvas != nullptr && m_node < static_cast<int>(m_canvas->scene().boxes.size());
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
            ? m_canvas->viewRect(m_node).translated(m_canvas->viewport()->mapToGlobal(QPoint(0, 0)))
            : QRect();
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        if (!isValid() || kind != QAccessible::Name)
            return {};
        const DrawnNode& node = m_canvas->scene().graph.nodes[static_cast<std::size_t>(m_node)];
        QString name = node.title + u", "_s + glyphName(node.glyph);
        for (const auto& [glyph, count] : node.counts)
            name += u", "_s + count;
        return shown(node.note.isEmpty() ? name : name + u", "_s + node.note, true);
    }
    void setText(QAccessible::Text, const QString&) override { }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State s;
        s.selectable = true;
        s.focusable = true;
        s.selected = isValid() && m_canvas->currentNode() == m_node;
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
            m_canvas->choose(m_node);
    }
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    GraphCanvas* m_canvas;
    int m_node;
};

class CanvasItem final : public QAccessibleWidget {
public:
    explicit CanvasItem(GraphCanvas* canvas)
        : QAccessibleWidget(canvas, QAccessible::List)
        , m_canvas(canvas)
    {
    }
    ~CanvasItem() override
    {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }
    [[nodiscard]] int childCount() const override { return static_cast<int>(m_canvas->scene().boxes.size()); }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount())
            return nullptr;
        while (m_ids.size() <= static_cast<std::size_t>(index))
            m_ids.push_back(QAccessible::registerAccessibleInterface(
                new NodeItem(m_canvas, static_cast<int>(m_ids.size()))));
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
    GraphCanvas* m_canvas;
    mutable std::vector<QAccessible::Id> m_ids;
};

QAccessibleInterface* makeItem(const QString& name, QObject* object)
{
    if (name == u"cairn::ui::GraphCanvas")
        return new CanvasItem(static_cast<GraphCanvas*>(object));
    return nullptr;
}

}  // namespace

void installGraphAccessibility()
{
    static const bool kOnce = [] {
        QAccessible::installFactory(&makeItem);
        return true;
    }();
    static_cast<void>(kOnce);
}

}  // namespace cairn::ui
