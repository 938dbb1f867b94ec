#pragma once
// The versions of a run as a line to move along: what is shown is as it was at that version. Acts of people
// are marked on it. Left and Right go by one, Page Up and Page Down by a tenth, Home to the first, End to
// now.

#include "ui/data/runvalues.h"

#include <QWidget>

namespace cairn::ui {

class RevisionBar final : public QWidget {
    Q_OBJECT
public:
    explicit RevisionBar(QWidget* parent = nullptr);

    void setNewest(quint64 version);              // who is at now stays at now
    void setShown(quint64 version, qint64 time);  // what the views show; time 0: not known yet
    void setActs(const std::vector<ActLine>& acts);
    [[nodiscard]] quint64 newest() const { return m_newest; }
    [[nodiscard]] quint64 shownVersion() const { return m_shown; }
    [[nodiscard]] bool atNow() const { return m_shown == m_newest; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] double xOf(quint64 version) const;

Q_SIGNALS:
    void versionWanted(quint64 version);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Mark {
        quint64 version = 0;
        QString initials;
        bool operator==(const Mark&) const = default;
    };
    void want(qint64 version);
    void speak();
    [[nodiscard]] quint64 versionAt(double x) const;
    void paintMarks(QPainter& painter) const;
    void paintScale(QPainter& painter) const;

    quint64 m_newest = 0;
    quint64 m_shown = 0;
    qint64 m_time = 0;
    std::vector<Mark> m_marks;
};

}  // namespace cairn::ui
