#pragma once
// What a timeline shows, and where: pure. Times are milliseconds of store time. Queue wait and run time are
// two spans; between two attempts lies a span of its own, for how much of it was back-off is not recorded.

#include "ui/data/runvalues.h"

#include <vector>

namespace cairn::ui {

enum class SpanKind : quint8 { Queued, Ran, Between, Waits };
struct LaneSpan {
    SpanKind kind = SpanKind::Ran;
    qint64 from = 0;
    qint64 to = 0;
    quint32 attempt = 0;  // place among the step's attempts; 0: the first
    Glyph glyph = Glyph::None;
    bool open = false;  // goes on: it ends now, as far as is known
    qint64 doubt = 0;   // ms by which its end lies before its beginning: clocks that differ
    bool operator==(const LaneSpan&) const = default;
};

struct LaneRow {
    quint32 step = kNone;
    QString title;
    Glyph glyph = Glyph::Pending;
    std::vector<LaneSpan> spans;
    qint64 due = 0;       // when time itself ends its wait
    bool member = false;  // of a fan-out: drawn thin
    bool operator==(const LaneRow&) const = default;
};

struct Lane {
    QString name;  // the agent; empty: steps of none
    qint64 ran = 0;
    qint64 queued = 0;
    bool more = false;  // something of it goes on: both grow
    std::vector<LaneRow> rows;
    bool operator==(const Lane&) const = default;
};

struct LaneAct {
    qint64 time = 0;
    QString initials;
    QString text;
    bool applied = true;
    quint64 seq = 0;
    bool operator==(const LaneAct&) const = default;
};

struct Timeline {
    std::vector<LaneAct> acts;
    std::vector<Lane> lanes;  // in the order in which their first steps became ready
    qint64 from = 0;
    qint64 to = 0;  // the last thing that is drawn; at least one second after `from`
    qint64 now = 0;
    quint64 notBegun = 0;  // steps that have nothing to draw
};
[[nodiscard]] Timeline timelineOf(
    const std::vector<StepLine>& steps, const std::vector<ActLine>& acts, qint64 now);

// Stretches in which nothing ran or was queued, and nobody acted, of `least` ms or more.
struct IdleGap {
    qint64 from = 0;
    qint64 to = 0;
    bool operator==(const IdleGap&) const = default;
};
[[nodiscard]] std::vector<IdleGap> idleGaps(const Timeline& timeline, qint64 least);
constexpr qint64 kIdleFolded = 300'000;

// Where a time is on a line of `width` pixels, with each gap folded into kFoldWidth.
class TimeScale {
public:
    static constexpr double kFoldWidth = 34;
    TimeScale() = default;
    TimeScale(qint64 from, qint64 to, std::vector<IdleGap> folded, double width);
    [[nodiscard]] double x(qint64 time) const;
    [[nodiscard]] qint64 time(double x) const;
    [[nodiscard]] double width() const { return m_width; }
    [[nodiscard]] const std::vector<IdleGap>& folded() const { return m_folded; }
    // A round distance between two marks, at least `pixels` apart where nothing is folded.
    [[nodiscard]] qint64 tick(double pixels) const;

private:
    qint64 m_from = 0;
    qint64 m_to = 1;
    std::vector<IdleGap> m_folded;
    double m_width = 1;
    double m_perMs = 1;
};

}  // namespace cairn::ui
