#pragma once
// What a sheet asks, what its preview says and how the act ended, as plain values; see values.h.

#include "ui/data/runvalues.h"

namespace cairn::ui {

// In the order of cmd::SettleAs: safest first.
enum class Outcome : quint8 { Happened, NotHappened, RepeatSameKey, Compensate, Park };
inline constexpr int kOutcomes = 5;

// What may be said of an uncertain effect; `why`: what follows, or why it cannot be said now.
struct OutcomeOffer {
    Outcome outcome = Outcome::Happened;
    bool allowed = false;
    QString why;
    bool operator==(const OutcomeOffer&) const = default;
};

// A resource as it was when the person looked.
struct LimitsSeen {
    quint32 perSecond = 0;  // 0: no rate
    quint32 atOnce = 0;     // 0: no limit
    qint64 heldUntil = 0;
    bool askedByServer = false;
    quint64 revision = 0;
    bool operator==(const LimitsSeen&) const = default;
};

struct ActRequest {
    Verb verb = Verb::Approve;
    StoreIx store = 0;
    RunId run;
    [[nodiscard]] RunRef ref() const { return {store, run}; }
    QString step;
    ApprovalId approval;
    Outcome settleAs = Outcome::Happened;
    QString result;          // settle, happened: the provider's result to record
    QString evidence;        // settle: what it was found by, for example the provider's reference
    bool compensate = true;  // cancel; false: abandon
    QString value;           // what is typed for verbs with a valueName(): a result, a time, a name
    QString reason;
    // What the act depends on, as it was when the person looked; filled from the preview.
    Digest binding;
    quint32 stepRevision = 0;
    quint64 controlRevision = 0;
    SessionId owner;         // takeover of the run: from whom
    quint64 annotation = 0;  // version of the entry that last held, or assigned, the run
    QString resource;        // slow: which one
    LimitsSeen limits;
    qint64 holdUntil = 0;             // slow: what a span meant when the preview was made; 0: nothing is held
    bool releases = false;            // hold: it is held, so this ends that
    std::vector<PayloadId> payloads;  // redact: exactly these
    bool expects = false;
};

// A line of a preview that several runs' previews can be added up by: `head` and a count of things, or `head`
// and an amount.
struct SumLine {
    QString line;  // as it stands in the preview
    QString head;
    quint64 count = 0;
    QString one;   // "step under way is stopped"
    QString many;  // empty: it counts nothing
    qint64 micros = 0;
    QString currency;  // empty: no amount
    bool operator==(const SumLine&) const = default;
};

struct ActPreview {
    ActRequest request;  // with what it depends on filled in
    bool possible = false;
    QString refusal;  // where it is not
    QString sentence;
    QStringList strong;
    std::vector<Fact> facts;  // the request, or the evidence
    PayloadText sent;         // what would be sent, or was
    QString sentTitle;
    QStringList willHappen;
    QStringList willNotRepeat;
    QStringList mayRepeat;
    QStringList alsoChanges;
    QStringList otherwise;  // approve, reject: what the other answer would do, or why it is refused
    std::vector<SumLine> sums;
    QString reversible;
    QString second;                      // who else is needed; empty: nobody
    std::vector<OutcomeOffer> outcomes;  // settle: all of them, safest first
    quint64 version = 0;
    qint64 at = 0;
    quint64 typed = 0;  // this number has to be typed, as it cannot be taken back; 0: none
    QString typedOf;    // of what: "payloads"
    bool reasonRequired = false;
    int reasonMinimum = 0;
};

enum class ActEnd : quint8 { Done, NoChange, Stale, Refused, Failed, NotKnown };

struct ActResult {
    ActEnd end = ActEnd::Failed;
    QString text;
    quint64 version = 0;
    quint64 auditSeq = 0;
    bool ownerElsewhere = false;
};

}  // namespace cairn::ui
