#pragma once
// The strip at the bottom: where the keyboard is, and what its keys do there now.

#include <QWidget>

#include <vector>

namespace cairn::ui {

struct KeyHint {
    QStringList keys;
    QString text;
};

class KeyStrip final : public QWidget {
    Q_OBJECT
public:
    explicit KeyStrip(QWidget* parent = nullptr);
    void setHints(const QString& place, std::vector<KeyHint> hints);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_place;
    std::vector<KeyHint> m_hints;
};

}  // namespace cairn::ui
