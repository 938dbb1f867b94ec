#pragma once
// Plans, and acts that wait for a second person, as plain values: what is asked, what a preview says, how it
// stands. See values.h.

#include "ui/data/actvalues.h"

namespace cairn::ui {

// How far a plan is that was begun; its runs by what became of them.
struct PlanShare {
    quint64 toDo = 0;  // all but those that are left out; 0: nothing is told of it
    quint64 done = 0;
    quint64 refused = 0;  // stale, or not possible
    quint64 leftOut = 0;
    quint64 again = 0;  // of `done`: back in the situation that they were taken out of
    [[nodiscard]] quint64 tried() const { return done + refused; }
    bool operator==(const PlanShare&) const = default;
};

// A plan, or an act on one run (or on the store) that somebody proposed.
struct PlanEntry {
    bool proposal = false;
    PlanId plan;    // null: a proposal
    CommandId act;  // null: a plan
    RunId run;      // of a proposal; null: it is about the store
    QString what;   // "Retry of 12 runs", "Cancel"
    QString person;
    // "1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"; of one that was begun what became of
    // the runs, and what happens next.
    QString standing;
    QString reason;
    Glyph glyph = Glyph::None;
    qint64 at = 0;       // when it was staged, or proposed
    bool waits = false;  // for a second person
    PlanShare share{};
    [[nodiscard]] QString key() const;
    bool operator==(const PlanEntry&) const = default;
};
struct PlanEntries {
    std::vector<PlanEntry> entries;  // what waits for a second person first, then the newest first
    bool more = false;               // there are older ones
    qint64 at = 0;
};

// How one plan goes, as it is typed. Rates are runs in a minute.
struct PlanPaceAsked {
    quint32 rate = 0;         // 0: as fast as it goes
    quint32 rampFrom = 0;     // rate at first; 0: no ramp
    quint32 rampSeconds = 0;  // in which it grows to `rate`
    quint32 canary = 0;
    quint32 stopOver = 0;  // percent; 0: it does not stop by itself
    quint32 verifyMinutes = 10;
    bool leaveOutUncertain = false;
    bool operator==(const PlanPaceAsked&) const = default;
};
struct PlanRequest {
    ActRequest act;           // run and revisions are not read
    std::vector<RunId> runs;  // empty: all that the filter finds when the preview is computed
    QString filter;
    PlanPaceAsked pace;
};

// What a plan, or a proposed act, would do now. Counts of nothing stand in it as 0.
struct PlanForecast {
    PlanId plan;
    QString digest;        // what is confirmed, or staged; empty: nothing is
    bool possible = true;  // as far as the runs go
    QString refusal;       // where it is not
    QString sentence;      // "Retry: 12 of 14 runs, 2 left out."
    quint64 included = 0;
    QStringList willHappen;
    QStringList willNotRepeat;
    QStringList mayRepeat;
    QStringList alsoChanges;
    QStringList leftOut;  // reasons with their numbers, then the first runs with theirs
    QString load;
    QString reversible;
    QString needs;    // "two people, ..."; empty: one is enough
    QString command;  // that stages the same
    int reasonMinimum = 0;
    QString reasonLacks;  // what is said of a shorter one; empty: of a plan that is staged already
    qint64 at = 0;
    bool operator==(const PlanForecast&) const = default;
};

// What can be done to a plan or a proposal; in the order in which it is offered.
enum class PlanStep : quint8 { Start, Confirm, Reject, Withdraw, Pause, Continue, Abort };
inline constexpr int kPlanSteps = 7;
struct PlanOffer {
    PlanStep step = PlanStep::Start;
    QString whyOff;  // empty: it can be done
    bool operator==(const PlanOffer&) const = default;
};

struct PlanItemLine {
    quint32 place = 0;
    RunId run;
    QString step;
    QString outcome;  // "done"
    QString fate;     // "moved"; empty: not looked at
    QString why;
    Glyph glyph = Glyph::None;
    quint64 version = 0;  // of the run after the act; 0: it was not done
    bool operator==(const PlanItemLine&) const = default;
};
// One plan, or one proposal; items from the first on.
struct PlanView {
    PlanEntry entry;
    std::vector<Fact> facts;
    std::vector<Fact> outcomes;  // each state with its number
    std::vector<Fact> fates;     // what became of those that were done
    std::vector<PlanOffer> offers;
    std::vector<PlanItemLine> items;
    quint64 itemsInAll = 0;
    QString command;
    qint64 at = 0;
};

struct PlanOrderRequest {
    PlanEntry of;
    PlanStep step = PlanStep::Start;
    QString digest;  // of what was shown
    QString reason;
};

}  // namespace cairn::ui
