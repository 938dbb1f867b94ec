#pragma once
// What only the views of one run show, as plain values. See values.h.

#include "ui/data/values.h"

namespace cairn::ui {

// What a person did, or tried to do, with a run: an entry of the audit.
struct ActLine {
    quint64 seq = 0;
    qint64 time = 0;
    QString person;
    QString verb;
    QString target;
    QString reason;
    QString outcome;       // applied, refused, ...
    bool applied = false;  // otherwise the run did not change
    quint64 version = 0;   // of the run that it made; 0: none
    bool operator==(const ActLine&) const = default;
};

enum class Tie : quint8 { Ancestor, Self, Child, HoldsEffect, ForkedFrom };
struct RelationLine {
    Tie tie = Tie::Self;
    RunId run;
    RunId under;  // whose relation it is; null: of the run that the view is about
    int depth = 0;
    QString step;   // through which step
    QString agent;  // who handed the work over
    QString share;  // what it may use
    QString note;
    QString workflow;
    QString key;
    Glyph glyph = Glyph::Pending;
    QString word;
    qint64 since = 0;
    bool here = false;  // in this store; otherwise it cannot be opened
    bool operator==(const RelationLine&) const = default;
};

struct CompareSide {
    RunId run;
    quint64 version = 0;  // 0: the newest
    QString step;         // with an attempt: of which step
    quint32 attempt = 0;  // 0: none
    bool operator==(const CompareSide&) const = default;
};
struct CompareLine {
    QString place;
    QString what;
    QString left;
    QString right;
    bool operator==(const CompareLine&) const = default;
};
struct Comparison {
    std::vector<CompareLine> lines;
    quint64 same = 0;  // steps that are alike
    quint64 steps = 0;
};

struct ContextText {
    QString text;
    int tokens = 0;     // the budget
    quint64 bytes = 0;  // of the text; a token is counted as four
};

struct PayloadText {
    PayloadLine line;
    QByteArray head;  // the first kPayloadShown bytes
    bool redacted = false;
    QString redaction;         // when, by whom and why
    QString hash;              // as stored: of the salt and the bytes' own hash
    QByteArray salt;           // empty: not known
    quint64 hidden = 0;        // values that are hidden in it
    QString revealOff;         // why they cannot be revealed here; empty: they can
    quint64 shown = 0;         // bytes with these hidden; otherwise as many as are stored
    std::vector<Fact> fields;  // of a small, flat JSON object: name and raw value
};
constexpr qint64 kPayloadShown = 64 * 1024;
constexpr quint64 kPreviewMost = 4 * 1024;  // larger payloads are opened, not shown beside their step

struct PayloadPart {
    QByteArray bytes;
    quint64 size = 0;  // of the whole
};
constexpr quint64 kPayloadPart = 4ULL * 1024 * 1024;
constexpr quint64 kPayloadWhole = 256ULL * 1024 * 1024;  // more than this is shown in part, and says so

}  // namespace cairn::ui
