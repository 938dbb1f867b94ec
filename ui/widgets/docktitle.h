#pragma once
// The line above a panel: its name in capitals, a remark, and a remark or legend at the right.

#include "ui/data/values.h"

#include <QWidget>

class QMenu;
class QToolButton;

namespace cairn::ui {

class DockTitle final : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(const QString& title, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setRemark(const QString& remark, const QString& strong = {});
    void setRight(const QString& text, Glyph glyph = Glyph::None);
    void setLegend(bool on);  // of the graph
    // A button at the right end that opens a menu; gives the menu.
    QMenu* addMenu(const QString& text);
    [[nodiscard]] QString remark() const { return m_remark; }
    [[nodiscard]] QString right() const { return m_right; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] static double legendWidth();
    void paintLegend(QPainter& painter, double& right) const;
    void speak();

    QString m_title;
    QString m_remark;
    QString m_strong;
    QString m_right;
    Glyph m_glyph = Glyph::None;
    bool m_legend = false;
    QToolButton* m_button = nullptr;
};

}  // namespace cairn::ui
