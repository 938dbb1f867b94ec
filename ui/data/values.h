#pragma once
// What the console shows, as plain values: made on the store's thread, handed over by value, never changed
// afterwards. Times are milliseconds since the epoch in store time, 0 = none. Texts are as stored; widgets
// and models show them through safetext.h.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/model/vocabulary.h"
#include "ui/data/sharedlist.h"
#include "ui/data/storevalues.h"
#include "ui/data/timeslots.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace cairn::ui {

// One shape per kind of wait or state; the family gives its colour (CONSOLE 16.1: who moves next).
enum class Glyph : quint8 {
    None,
    Running,
    Queued,
    Timer,
    Backoff,
    Limit,
    Child,
    Event,
    Lost,
    Approval,
    Expiring,
    Uncertain,
    Failed,
    Mismatch,
    NoWorker,
    Done,
    DoneSkip,
    Paused,
    Cancelled,
    Skipped,
    Pending,
    Count,
};
enum class Family : quint8 { Moving, Person, Uncertain, Nobody, Good, Rest, Count };

constexpr quint32 kNone = 0xFFFFFFFF;  // no step

struct RunLine {
    StoreIx store = 0;
    RunId run;
    RunId parent;
    QString workflow;
    quint32 workflowVersion = 0;
    QString key;
    Glyph glyph = Glyph::None;
    QString word;  // what it does or waits for
    QString step;
    qint64 since = 0;
    qint64 next = 0;
    quint32 attempt = 0;
    quint32 attemptsMax = 0;
    QString money;  // at stake
    QString error;
    qint64 createdAt = 0;
    qint64 endedAt = 0;
    quint32 steps = 0;
    quint32 stepsDone = 0;
    quint64 version = 0;
    PageMark place;
    QString waitTerm{};  // the filter's term for what it does or waits for
    [[nodiscard]] RunRef ref() const { return {store, run}; }
    bool operator==(const RunLine&) const = default;
};

// Group of what waits for a second person: no filter finds it, it leads to the plans.
inline const QString kSecondPerson = QStringLiteral("second");
struct AttentionLine {
    QString group;  // key of its group
    Glyph glyph = Glyph::None;
    QString word;
    quint64 count = 0;
    QString filter;     // what selecting it writes into the filter box
    bool head = false;  // the group's own line, with its sum
    bool operator==(const AttentionLine&) const = default;
};

// The slots of time in which it is told how many runs came into a situation: the last hour, begun or whole.
constexpr int kTrendSlots = 12;
constexpr qint64 kTrendSlot = 5 * 60'000;

struct SituationLine {
    StoreIx store = 0;
    QString key;  // within its store
    Glyph glyph = Glyph::None;
    QString wait;
    QString what;
    QString where;  // step · workflow
    quint64 count = 0;
    qint64 oldest = 0;
    qint64 next = 0;
    QString nextWord;  // where no time is known: who moves next
    RunId example;
    bool pinned = false;  // uncertain effects stay above everything
    PageMark place;
    // The filter's terms for what it waits for, and for its step, or its workflow where it has none.
    QString waitTerm{};
    QString whereTerm{};
    // Of its runs, how many began to wait in each slot, the first of which begins at `beganFrom`. Empty: not
    // known.
    std::vector<quint64> began{};
    qint64 beganFrom = 0;
    quint64 owned = 0;    // runs of it that are assigned to somebody
    QString owner{};      // to whom
    bool owners = false;  // and to others
    bool operator==(const SituationLine&) const = default;
};

struct FilterState {
    bool valid = true;
    int offset = 0;
    int length = 0;
    QString text;  // what is wrong, or empty
};

// Of plans, what one wants to be told of beside the lists.
struct PlanNote {
    QString key;         // of its entry in the list of plans
    bool waits = false;  // for a second person
    quint64 again = 0;   // runs that are back in the situation that it took them out of
    QString what;
    QString standing;
    bool operator==(const PlanNote&) const = default;
};

struct Overview {
    std::vector<AttentionLine> attention;
    std::vector<SituationLine> situations;
    quint64 hiddenSituations = 0;  // by the filter
    quint64 cutSituations = 0;     // those that can wait longest, where there are too many to be shown
    quint64 matching = 0;          // runs that the filter lets through
    quint64 all = 0;  // runs that are not finished, plus finished ones where the filter asks for them
    FilterState filter;
    QString finishedToday;
    QString allClear;                // where nothing needs a person: what is the oldest wait
    qint64 oldestWait = 0;           // …and since when; 0: none
    std::vector<StoreShare> shares;  // stores that do not answer: then counts are "at least"
    std::vector<PlanNote> plans{};   // of watch() alone
    qint64 at = 0;
};

struct RunSlice {
    std::vector<RunLine> lines;
    bool more = false;
    PageMark mark;  // after the last row; of one store
    // Of several: after the last row of each; null: none of its rows was taken yet.
    std::vector<PageMark> marks;
    std::vector<StoreShare> shares;  // those that do not answer
    qint64 at = 0;
};

struct ChangeSet {
    StoreIx store = 0;
    std::vector<RunLine> lines;
    quint64 cursor = 0;
    bool more = false;
    qint64 at = 0;
    Standing standing{};
    std::vector<RunId> removed{};  // by retention
};

struct Fact {
    QString name;
    QString value;
    bool mono = false;
    bool link = false;  // a page that can be opened by an explicit act
    bool operator==(const Fact&) const = default;
};

struct VerbLine {
    Verb verb = Verb::Approve;
    QString letter;  // key that stages it; empty: from the menu only
    QString name;
    QString text;  // consequence, or why it is off
    bool on = false;
    QString step;
    ApprovalId approval;
    bool abandon = false;  // cancel that undoes nothing; from the menu only
    QString resource{};    // that it is about, not the run alone
    QString situation{};   // of which it takes all runs, by a plan: its key; empty: it is about one run
    bool operator==(const VerbLine&) const = default;
};

struct WhyView {
    StoreIx store = 0;
    RunId run;  // null: of a situation with several runs, or of nothing
    [[nodiscard]] RunRef ref() const { return {store, run}; }
    Glyph glyph = Glyph::None;
    QString badge;  // wait, who moves next
    QString sentence;
    QStringList strong;  // parts of the sentence set in bold
    qint64 since = 0;    // of the wait that the sentence is about
    std::vector<Fact> evidence;
    TimeSlots next{};  // of a situation: when its runs go on by themselves
    QString releases;
    std::vector<VerbLine> verbs;
    std::vector<VerbLine> more;    // in the menu and the palette only: what is seldom done, and annotations
    Reason reason = Reason::None;  // why it waits; the handbook has a page about each
    bool operator==(const WhyView&) const = default;
};

struct PayloadLine {
    PayloadId id;
    QString title;  // "output of rank-quotes"
    QString step;
    QString role;  // input, output, error, partial, note
    QString media;
    quint64 size = 0;
    bool plain = false;  // asked for with what is hidden in it, which was revealed
    bool operator==(const PayloadLine&) const = default;
};

struct AttemptLine {
    quint32 number = 0;
    Glyph glyph = Glyph::None;
    qint64 startedAt = 0;
    qint64 endedAt = 0;
    QString outcome;
    QString worker;
    quint32 seq = 0;  // position among the step's attempts; look-ups have numbers of their own
    bool operator==(const AttemptLine&) const = default;
};

struct StepLine {
    quint32 ix = kNone;
    QString id;
    QString tool;
    QString agent;
    QString kind;
    QString safety;
    Glyph glyph = Glyph::Pending;
    QString word;  // state, or what it waits for
    QString note;  // beside the node: who is asked, when it lapses
    quint32 attempts = 0;
    qint64 readyAt = 0;
    qint64 startedAt = 0;
    qint64 endedAt = 0;
    qint64 since = 0;
    qint64 due = 0;
    quint32 revision = 0;
    quint32 owner = kNone;  // fan-out step that it is a member of
    RunId other;            // child run, or the run that holds its effect; null: none
    bool finished = false;
    bool begun = false;   // something has happened to it
    bool stuck = false;   // waits, failed or unknown: what "next problem" goes to
    bool onPath = false;  // on the path to the wait
    bool root = false;    // the wait itself
    std::vector<quint32> after;
    std::vector<AttemptLine> tries;
    std::vector<PayloadLine> payloads;
    QString effectKey;
    bool operator==(const StepLine&) const = default;
};

using StepList = SharedList<StepLine>;

struct RunDetail {
    RunLine line;
    QString title;
    QString idText;
    WhyView why;
    QStringList meta;  // workflow @version, key, started, deadline, budgets
    StepList steps;
    std::vector<PayloadLine> payloads;
    quint64 version = 0;
    qint64 at = 0;
};

struct HistoryLine {
    quint64 version = 0;
    qint64 time = 0;
    QString actor;
    QString verb;
    QString text;
    QString reason;
    bool person = false;
    QString hash;
    bool matters = true;  // otherwise it is folded with its neighbours where the history is shown compact
    quint64 folded = 0;   // entries that this line stands for; 0: itself
    quint64 last = 0;     // of those, the last one's version
    bool operator==(const HistoryLine&) const = default;
};

}  // namespace cairn::ui
