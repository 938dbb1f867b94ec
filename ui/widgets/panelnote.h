#pragma once
// Lies over a panel while there is nothing true to be seen in it: until it has been read for the first time,
// so that an empty list or a zero is never taken for the answer, and where it could not be read or drawn.
// Says what is read and since when, or what failed. Takes no focus and no mouse while it is read.

#include <QWidget>

class QLabel;
class QPushButton;
class QTimer;

namespace cairn::ui {

class PanelNote final : public QWidget {
    Q_OBJECT
public:
    // Hidden at first. `what`: "Reading the steps".
    PanelNote(const QString& what, QWidget* over);

    // From now on, unless it is read already. The words come after 0.3 s: most answers are there before.
    void begin();
    void fail(const QString& why);  // stays until the next begin() or end()
    void end();
    [[nodiscard]] bool reading() const { return m_since != 0; }
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void againWanted();  // "Try again" after a failure

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void tell();
    void cover();

    QString m_what;
    QLabel* m_text;
    QPushButton* m_again;
    QTimer* m_tick;
    qint64 m_since = 0;  // ms of the clock on the wall; 0: nothing is read
};

}  // namespace cairn::ui
