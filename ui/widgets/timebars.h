#pragma once
// How many runs go on by themselves when: bars over time, each as wide as a slot, with a few times below. The
// numbers are its description, for whoever cannot see it.

#include "ui/data/timeslots.h"

#include <QWidget>

namespace cairn::ui {

class TimeBars final : public QWidget {
    Q_OBJECT
public:
    explicit TimeBars(QWidget* parent = nullptr);
    void setSlots(const TimeSlots& slots);
    [[nodiscard]] QString remark() const;  // "per minute, most 41"

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TimeSlots m_slots;
};

}  // namespace cairn::ui
