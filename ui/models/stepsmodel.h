#pragma once
// The steps of one run. Members of a fan-out of twelve or more are folded into its line until opened.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

#include <set>

namespace cairn::ui {

struct StepSlot {
    StepLine step;
    int members = 0;  // folded or shown below it
    bool foldable = false;
    bool open = false;
    bool operator==(const StepSlot&) const = default;
};

class StepsModel final : public RowsModel<StepSlot, quint32> {
    Q_OBJECT
public:
    enum Column { Step, Agent, Attempts, Queued, Ran, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setSteps(const StepList& steps);
    void setNow(qint64 now) { m_now = now; }
    void setOpen(quint32 step, bool open);
    void setOnlyUnfinished(bool only);
    [[nodiscard]] bool onlyUnfinished() const { return m_onlyUnfinished; }
    // Row that shows the step: its own, or that of the fold it is in; -1 where it is hidden.
    [[nodiscard]] int rowShowing(quint32 step) const;
    [[nodiscard]] const StepLine* find(quint32 step) const;
    [[nodiscard]] const StepList& all() const { return m_all; }
    [[nodiscard]] QString summary() const;     // "21 complete, 1 failed, 4 to come"
    [[nodiscard]] QString hiddenText() const;  // what is not shown, and why
    // The next step that waits for somebody, failed or is unknown, after `from`; kNone: there is none.
    [[nodiscard]] quint32 nextStuck(quint32 from, bool backwards) const;

protected:
    [[nodiscard]] quint32 keyOf(const StepSlot& slot) const override { return slot.step.ix; }
    [[nodiscard]] QVariant cell(const StepSlot& slot, int column, int role) const override;

private:
    void arrange();
    [[nodiscard]] QString text(const StepSlot& slot, int column) const;

    StepList m_all;
    std::set<quint32> m_open;
    qint64 m_now = 0;
    bool m_onlyUnfinished = false;
    int m_folded = 0;
    int m_filtered = 0;
};

}  // namespace cairn::ui
