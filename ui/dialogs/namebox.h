#pragma once
// Asks for one line of text: a name, for instance.

#include <QDialog>

class QLineEdit;

namespace cairn::ui {

class NameBox final : public QDialog {
    Q_OBJECT
public:
    NameBox(const QString& title, const QString& question, QWidget* parent);
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }

Q_SIGNALS:
    void chosen(const QString& text);  // not empty

private:
    QLineEdit* m_edit;
};

}  // namespace cairn::ui
