#pragma once
// The list of runs: ids of all rows seen so far, contents only of those near the window. Pages are asked for
// when the view comes near the end; contents that were let go are asked for again by id. Never a reset on
// refresh.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

#include <deque>
#include <optional>

namespace cairn::ui {

// A row: which run, and its contents where they are held.
struct RunSlot {
    RunRef run;
    std::optional<RunLine> line;
    bool operator==(const RunSlot&) const = default;
};

class RunsModel final : public RowsModel<RunSlot, RunRef> {
    Q_OBJECT
public:
    enum Column { State, Store, Run, Workflow, Step, Attempt, Waited, NextAt, Money, Key, ColumnCount };

    explicit RunsModel(QObject* parent = nullptr);

    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

    // A new list (another filter): rows that are in both stay where the reader left them.
    void setFirst(const RunSlice& slice);
    // The same list read again while somebody reads further down: rows that are in it no more go, the others
    // are brought up to date, new ones that follow the last row are appended, and new ones above it are only
    // counted. Gives the number of those.
    int settle(const RunSlice& slice);
    void addPage(const RunSlice& slice);
    void setLines(const std::vector<RunLine>& lines);  // contents asked for by linesWanted
    // Changed rows: those held are brought up to date in place, never by an older version. Gives how many of
    // them are in the list, and how many are not.
    struct Merged {
        int shown = 0;
        int others = 0;
    };
    Merged merge(const std::vector<RunLine>& changed);
    void drop(const std::vector<RunRef>& removed);  // runs that the store has no more
    // Marks belong to runs, not to rows: they survive a refresh, and go with a run that leaves the list.
    void toggleMark(int row);
    void setMark(int row, bool on);
    void markShown();
    void clearMarks();
    [[nodiscard]] std::vector<RunLine> marked() const;  // in the order of the list
    [[nodiscard]] std::size_t marks() const { return m_marks.size(); }
    // By store: its time, since no two clocks agree; its name and environment. Told where there are several.
    void setNow(std::vector<qint64> now) { m_now = std::move(now); }
    void setStores(std::vector<StoreTag> tags);
    void setWindow(std::size_t most);  // contents held at the same time
    [[nodiscard]] bool more() const { return m_more; }
    [[nodiscard]] const std::vector<PageMark>& places() const { return m_places; }
    [[nodiscard]] std::size_t held() const { return m_held.size(); }
    void pageFailed() { m_asked = false; }

Q_SIGNALS:
    void pageWanted();
    void linesWanted(const std::vector<cairn::ui::RunRef>& runs);
    void marksChanged();

protected:
    [[nodiscard]] RunRef keyOf(const RunSlot& slot) const override { return slot.run; }
    [[nodiscard]] QVariant cell(const RunSlot& slot, int column, int role) const override;

private:
    [[nodiscard]] QString text(const RunLine& line, int column) const;
    [[nodiscard]] int look(const RunLine& line, int column) const;
    [[nodiscard]] QString term(const RunLine& line, int column) const;
    void want(const RunRef& run) const;
    void dropMarksOfGone();
    void update(int row, const RunLine& line);
    void hold(const RunRef& run);
    [[nodiscard]] qint64 now(StoreIx store) const { return store < m_now.size() ? m_now[store] : 0; }

    std::vector<qint64> m_now;
    std::vector<StoreTag> m_tags;
    bool m_more = false;
    bool m_asked = false;
    std::vector<PageMark> m_places;  // after the last row, by store
    std::size_t m_window = 20'000;
    std::deque<RunRef> m_held;  // oldest first
    std::unordered_map<RunRef, RunLine> m_marks;
    std::unordered_set<RunRef> m_touched;  // changed since the list was read
    mutable std::unordered_set<RunRef> m_wanted;
};

}  // namespace cairn::ui
