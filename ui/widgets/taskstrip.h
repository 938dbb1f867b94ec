#pragma once
// Long work that goes on after its window was closed: one line each, with how far it is, a way back to its
// window, and Stop. Not there while there is none.

#include <QTimer>
#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace cairn::ui {

struct LongTask {
    QString name;                     // "Export"
    std::function<QString()> said{};  // how far it is, and what Stop means; asked several times a second
    std::function<void()> show{};     // its window again
    std::function<void()> stop{};
};

class TaskStrip final : public QWidget {
    Q_OBJECT
public:
    explicit TaskStrip(QWidget* parent = nullptr);

    // Until `owner`, which the work belongs to, is gone or remove() is called for it.
    void add(QObject* owner, LongTask task);
    void remove(const QObject* owner);
    [[nodiscard]] std::size_t count() const { return m_rows.size(); }
    [[nodiscard]] QStringList names() const;
    void stopAll();

private:
    struct Row {
        const QObject* owner = nullptr;
        LongTask task;
        QWidget* line = nullptr;
        QLabel* text = nullptr;
    };
    void tell();

    QVBoxLayout* m_lines;
    QTimer m_look;
    std::vector<Row> m_rows;
};

}  // namespace cairn::ui
