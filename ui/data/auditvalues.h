#pragma once
// The audit of a store as plain values: what people did, and whether anybody has changed that since.

#include "ui/data/values.h"

#include <atomic>
#include <memory>

namespace cairn::ui {

struct AuditLine {
    quint64 seq = 0;
    qint64 time = 0;
    QString person;  // as vouched for, with the name that was claimed
    QString verb;    // as read by people
    QString verbKey;
    QString target;  // step, approval, or what of the store
    RunId run;
    QString reason;
    QString outcome;  // applied, refused, …
    Glyph glyph = Glyph::None;
    QString why;          // of a refusal
    QString second;       // who else had a hand in it, for people; empty: nobody else was needed
    QString secondKey;    // what a filter asks for: a login, or a word
    bool unseen = false;  // done alone by break-glass, and its review is open, or not known to be closed
    std::vector<Fact> act, change, chain;
    bool operator==(const AuditLine&) const = default;
};
struct AuditRequest {
    QString filter;      // person: verb: outcome: second: run: since: day: and words; see auditfilter.h
    quint64 before = 0;  // entries with a smaller number; 0: from the newest
    int limit = 200;
    quint64 downTo = 0;  // where it is known that no entry with a smaller number is of use
};
// How many entries each day has, counted part by part: a log of years is not read at once.
struct AuditDayCount {
    qint64 day = 0;  // of UTC, since 1970-01-01
    quint64 entries = 0;
    quint64 refused = 0;
    quint64 first = 0;  // the lowest number among them, and the highest
    quint64 last = 0;
    bool operator==(const AuditDayCount&) const = default;
};
struct AuditDays {
    std::vector<AuditDayCount> days;  // of the entries that were counted now, by the day
    quint64 counted = 0;              // up to this entry
    quint64 total = 0;                // entries in the store
};
constexpr quint64 kAuditDaysPart = 20'000;  // entries that are counted at once
struct AuditSlice {
    std::vector<AuditLine> lines;  // newest first
    quint64 total = 0;             // entries in the store
    quint64 lookedFrom = 0;        // the smallest number that was looked at
    bool more = false;             // there are entries before that
    qint64 at = 0;
    FilterState filter;
};

// Shared by who asks and the thread that checks.
struct CheckProgress {
    std::atomic<quint64> acts = 0;
    std::atomic<quint64> actsInAll = 0;
    std::atomic<quint64> entries = 0;  // of runs; nobody knows how many there are
    std::atomic<bool> stop = false;
};
struct AuditVerdict {
    bool whole = false;
    QString sentence;
    QString detail;
    QStringList damage;   // what was found, the first of each chain
    QStringList detects;  // what this installation can and cannot detect
    quint64 entries = 0;
    QString head;
    qint64 at = 0;
    qint64 tookMs = 0;
};

}  // namespace cairn::ui
