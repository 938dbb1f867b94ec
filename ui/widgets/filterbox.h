#pragma once
// The filter: always visible, editable, says whether it is valid and how much it leaves out.

#include "ui/data/values.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace cairn::ui {

class FilterBox final : public QWidget {
    Q_OBJECT
public:
    explicit FilterBox(QWidget* parent = nullptr);
    [[nodiscard]] QString filter() const;
    void setFilter(const QString& text);  // announces it
    void setState(const FilterState& state, const QString& effect);
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }

Q_SIGNALS:
    void filterChanged(const QString& text);
    void leave();  // Esc or Down: back to the list

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QLineEdit* m_edit;
    QLabel* m_state;
    QPushButton* m_clear;
    QString m_last;
};

}  // namespace cairn::ui
