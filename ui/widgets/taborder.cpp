#include "ui/widgets/taborder.h"

#include <QWidget>

#include <algorithm>
#include <vector>

namespace cairn::ui {

namespace {
constexpr int kSameRow = 8;  // centres of one row lie closer than that
}

void orderByPlace(QWidget& dialog)
{
    struct Stop {
        QWidget* widget;
        QPoint centre;
    };
    std::vector<Stop> stops;
    for (QWidget* widget : dialog.findChildren<QWidget*>())
        if (widget->isVisibleTo(&dialog) && (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus
            && widget->focusProxy() == nullptr)
            stops.push_back({widget, widget->mapTo(&dialog, widget->rect().center())});
    std::stable_sort(
        stops.begin(), stops.end(), [](const Stop& a, const Stop& b) { return a.centre.y() < b.centre.y(); });
    for (auto row = stops.begin(); row != stops.end();) {
        const int top = row->centre.y();
        const auto end = std::find_if(
            row, stops.end(), [top](const Stop& stop) { return stop.centre.y() - top >= kSameRow; });
        std::stable_sort(row, end, [](const Stop& a, const Stop& b) { return a.centre.x() < b.centre.x(); });
        row = end;
    }
    for (std::size_t i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1].widget, stops[i].widget);
}

}  // namespace cairn::ui
