#pragma once
// Rows of a run's views: acts, relations, differences, and the timeline as a list.

#include "ui/data/runvalues.h"
#include "ui/models/rowsmodel.h"

#include <set>

namespace cairn::ui {

class ActsModel final : public RowsModel<ActLine, quint64> {
    Q_OBJECT
public:
    enum Column { Seq, Time, Person, Act, Target, Outcome, Reason, Version, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setActs(std::vector<ActLine> acts) { sync(std::move(acts)); }

protected:
    [[nodiscard]] quint64 keyOf(const ActLine& line) const override { return line.seq; }
    [[nodiscard]] QVariant cell(const ActLine& line, int column, int role) const override;
};

// A tree of runs, opened a level at a time: what a run's relations are is asked when it is opened.
class RelationsModel final : public RowsModel<RelationLine, QString> {
    Q_OBJECT
public:
    enum Column { Run, State, Through, By, May, Since, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setRelations(std::vector<RelationLine> lines);  // of the run itself
    // What a child has started: its children take their place below it.
    void setChildren(const RelationLine& of, const std::vector<RelationLine>& lines);
    void fold(const RelationLine& line);
    [[nodiscard]] bool isOpen(const RelationLine& line) const { return m_open.contains(keyOf(line)); }
    [[nodiscard]] static bool canOpen(const RelationLine& line)
    {
        return line.tie == Tie::Child && line.here;
    }

protected:
    [[nodiscard]] QString keyOf(const RelationLine& line) const override;
    [[nodiscard]] QVariant cell(const RelationLine& line, int column, int role) const override;

private:
    [[nodiscard]] static QString tieText(Tie tie);
    [[nodiscard]] QString text(const RelationLine& line, int column) const;
    void arrange();
    void addBelow(std::vector<RelationLine>& out, const RelationLine& line) const;

    std::vector<RelationLine> m_own;
    std::unordered_map<QString, std::vector<RelationLine>> m_children;  // by the key of whose they are
    std::set<QString> m_open;
};

struct CompareRow {
    quint32 ix = 0;
    CompareLine line;
    bool operator==(const CompareRow&) const = default;
};

class CompareModel final : public RowsModel<CompareRow, quint32> {
    Q_OBJECT
public:
    enum Column { Place, What, Left, Right, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setLines(const std::vector<CompareLine>& lines, const QString& left, const QString& right);

protected:
    [[nodiscard]] quint32 keyOf(const CompareRow& row) const override { return row.ix; }
    [[nodiscard]] QVariant cell(const CompareRow& row, int column, int role) const override;

private:
    QString m_left;
    QString m_right;
};

// One row for each stretch of time that the timeline draws: the same, for who does not see it.
struct SpanRow {
    quint64 key = 0;
    QString lane;
    quint32 step = kNone;  // kNone: an act
    QString title;
    Glyph glyph = Glyph::None;
    QString what;  // queued, ran, between attempts, waits, act
    qint64 from = 0;
    qint64 to = 0;
    bool open = false;
    qint64 doubt = 0;
    bool operator==(const SpanRow&) const = default;
};

class SpansModel final : public RowsModel<SpanRow, quint64> {
    Q_OBJECT
public:
    enum Column { Step, LaneName, What, From, To, Took, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setSpans(std::vector<SpanRow> rows) { sync(std::move(rows)); }
    [[nodiscard]] int firstOf(quint32 step) const;  // -1: none

protected:
    [[nodiscard]] quint64 keyOf(const SpanRow& row) const override { return row.key; }
    [[nodiscard]] QVariant cell(const SpanRow& row, int column, int role) const override;
};

}  // namespace cairn::ui
