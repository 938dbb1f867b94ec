#pragma once
// Two attempts, two versions or two runs against each other: what differs, and how much is alike.

#include "ui/data/source.h"

#include <QWidget>

#include <array>

class QLabel;
class QLineEdit;
class QPushButton;

namespace cairn::ui {

class CompareModel;
class DataTable;
class DockTitle;
class PanelNote;

// What a person wrote for a side.
struct SideText {
    enum class Kind : quint8 { Wrong, Version, Attempt, Run };
    Kind kind = Kind::Wrong;
    quint64 version = 0;  // 0: now
    quint32 attempt = 0;
    QString step;
    QString run;    // id, beginning of an id, or key
    QString wrong;  // what is, and what would be right
};
// "now", "12" or "version 12", "attempt 2 of pay", RUN or RUN@12; "run:" before a key that reads like
// another.
[[nodiscard]] SideText parseSide(const QString& text);

class CompareView final : public QWidget {
    Q_OBJECT
public:
    CompareView(Source& source, const RunId& run, QWidget* parent = nullptr);

    // Fills the two boxes and compares.
    void compare(const QString& left, const QString& right);
    void suggest(quint64 version);  // of the boxes, while nobody has written there
    [[nodiscard]] QLineEdit* box(int side) const { return m_boxes[static_cast<std::size_t>(side)]; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QString remark() const;
    [[nodiscard]] QString wrong() const;
    [[nodiscard]] std::vector<QWidget*> stops() const;

Q_SIGNALS:
    void letterTyped(QChar letter, bool shift);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void start();
    void resolve(int side, quint64 ticket);
    void ask(quint64 ticket);
    void say(const QString& wrong);

    Source& m_source;
    RunId m_run;
    CompareModel* m_model;
    DataTable* m_table;
    DockTitle* m_title;
    PanelNote* m_note;
    std::array<QLineEdit*, 2> m_boxes{};
    std::array<SideText, 2> m_texts;
    std::array<CompareSide, 2> m_sides;
    QPushButton* m_go;
    QLabel* m_wrong;
    Tickets m_tickets;
    bool m_touched = false;
};

}  // namespace cairn::ui
