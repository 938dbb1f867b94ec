#pragma once
// How much there is of each day, as bars along the time. Arrows go from one bar to the next that has
// something, Enter or a click narrows to it; the same again undoes that. Where there are more days than room,
// a bar is of several. Days are those of UTC, whatever zone the lists are shown in.

#include <QRectF>
#include <QString>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace cairn::ui {

class DayBar final : public QWidget {
    Q_OBJECT
public:
    struct Day {
        qint64 day = 0;  // since 1970-01-01
        quint64 count = 0;
        quint64 refused = 0;  // of them
        bool operator==(const Day&) const = default;
    };
    struct Bar {
        qint64 first = 0;
        qint64 last = 0;
        quint64 count = 0;
        quint64 refused = 0;
    };

    explicit DayBar(QWidget* parent = nullptr);
    void setDays(std::vector<Day> days);    // ascending, without days that have nothing
    void setRemark(const QString& remark);  // said beside: that it is still being counted
    void setChosen(qint64 first, qint64 last);
    void clearChosen();
    [[nodiscard]] std::vector<Bar> bars() const;  // those that have something
    [[nodiscard]] int daysOfABar() const;
    [[nodiscard]] QString spoken() const;  // of the bar that one stands on
    [[nodiscard]] QRectF rectOf(std::size_t bar) const;
    [[nodiscard]] QSize sizeHint() const override { return {600, 56}; }

Q_SIGNALS:
    void chosen(qint64 first, qint64 last);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void speak();
    void paintMonths(QPainter& painter, const std::vector<Bar>& all) const;
    [[nodiscard]] double pitch() const;
    [[nodiscard]] QRectF boxOf(const std::vector<Bar>& all, std::size_t bar) const;
    [[nodiscard]] QString textOf(const Bar& bar) const;

    std::vector<Day> m_days;
    QString m_remark;
    std::optional<std::pair<qint64, qint64>> m_chosen;
    qint64 m_at = 0;  // a day of the bar that one stands on
};

}  // namespace cairn::ui
