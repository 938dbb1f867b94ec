#pragma once
// Above a value in which the workflow hides fields: how many, why one wants to read them, and the button that
// puts it on record and reveals them; afterwards where it is recorded, and the button that hides them again.

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace cairn::ui {

class HiddenBar final : public QWidget {
    Q_OBJECT
public:
    explicit HiddenBar(QWidget* parent = nullptr);

    // 0 fields: nothing is hidden, and the bar is not there. `off`: why they cannot be revealed.
    void showHidden(quint64 fields, const QString& off);
    void showRevealed(quint64 fields, const QString& where);
    void sayFailure(const QString& what);  // what was typed stays
    [[nodiscard]] QString text() const;
    [[nodiscard]] QLineEdit* reason() const { return m_reason; }
    [[nodiscard]] QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void revealAsked(const QString& reason);
    void hideAsked();

private:
    QLabel* m_text;
    QLineEdit* m_reason;
    QPushButton* m_button;
    bool m_revealed = false;
};

}  // namespace cairn::ui
