#pragma once
// Bars, stacked by series. Series are told apart by their pattern as well as by colour, so that a grey
// picture says the same; whoever cannot see it has its numbers as its description, and in the table beside
// it.

#include "ui/data/values.h"

#include <QBrush>
#include <QWidget>

class QPainter;

namespace cairn::ui {

struct BarSeries {
    QString name;
    Family family = Family::Rest;
};
struct BarGroup {
    QString label;
    std::vector<quint64> values;  // one for each series
};

class BarChart final : public QWidget {
    Q_OBJECT
public:
    explicit BarChart(const QString& title, QWidget* parent = nullptr);
    void setData(std::vector<BarSeries> series, std::vector<BarGroup> groups);
    [[nodiscard]] quint64 most() const { return m_most; }  // what the axis goes up to
    [[nodiscard]] QSize sizeHint() const override { return {480, 200}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintAxis(QPainter& painter, const QRectF& plot) const;
    void paintLegend(QPainter& painter) const;
    [[nodiscard]] QBrush brushOf(std::size_t series) const;

    QString m_title;
    std::vector<BarSeries> m_series;
    std::vector<BarGroup> m_groups;
    quint64 m_most = 1;
};

// The next of 1, 2, 5, 10, 20 ... that is no less: an axis up to it can be read.
[[nodiscard]] quint64 axisEnd(quint64 most);

}  // namespace cairn::ui
