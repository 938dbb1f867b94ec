#pragma once
// A payload from its first byte to its last, as one bar: where one is, where the matches of a search are, and
// which part of it belongs to which of its uppermost members. A click goes there; so do the arrows (by a
// hundredth), Home and End.

#include <QString>
#include <QWidget>

#include <vector>

namespace cairn::ui {

class ByteMap final : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QString name;
        quint64 begin = 0;
        quint64 end = 0;  // after its last byte
    };

    explicit ByteMap(QWidget* parent = nullptr);
    // `read`: bytes that have been read; what lies behind them is drawn as not known.
    void setSize(quint64 size, quint64 read);
    void setParts(std::vector<Part> parts);
    void setMatches(const std::vector<quint64>& at, bool more);  // in ascending order
    void setHere(quint64 offset);
    [[nodiscard]] quint64 here() const { return m_here; }
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }
    [[nodiscard]] double xOf(quint64 offset) const;
    [[nodiscard]] quint64 offsetAt(double x) const;
    // Pixels of the bar that have a match, from its left end; each once.
    [[nodiscard]] std::vector<int> marks() const;
    [[nodiscard]] QString spoken() const;
    [[nodiscard]] QSize sizeHint() const override { return {400, 48}; }

Q_SIGNALS:
    void offsetChosen(quint64 offset);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void speak();
    void paintParts(QPainter& painter) const;
    void paintHere(QPainter& painter) const;
    [[nodiscard]] QRectF bar() const;

    quint64 m_size = 0;
    quint64 m_read = 0;
    quint64 m_here = 0;
    bool m_more = false;
    std::vector<Part> m_parts;
    std::vector<quint64> m_matches;
};

}  // namespace cairn::ui
