#pragma once
// What a store keeps, as plain rows. Everything but payload bytes, sessions, resources and the audit is
// derived from entries; the service computes these rows from the state after an entry, the store only writes
// them.

#include "core/base/wire.h"
#include "core/machine/machine.h"
#include "core/model/entry.h"
#include "core/store/store_info.h"

#include <memory>
#include <string>
#include <vector>

namespace cairn {

// Identity of a run: written once, never changed.
struct RunRow {
    RunId run;
    RunId root;
    ParentRef parent;
    WorkflowRef workflow;
    std::string key;  // caller's key; empty: none. Unique per (store, workflow name)
    Digest keyInput;  // salted digest of the input it was first used with (salt = keySalt)
    Salt keySalt{};
    TimeMs createdAt = kNoTime;
    RunId forkedFrom;
    bool driven = false;
};

struct HotRow {
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;  // raised by claim and takeover only
    std::uint64_t control =
        0;            // version of the entry that last changed what flows down to the run's children
    SessionId owner;  // null: nobody
    Digest head;
    TimeMs nextDue = kNoTime;  // kNoTime: nothing is due by itself
    std::uint16_t format = kFormat1;
};

// No child begins on a control state of its parent that has changed meanwhile (DESIGN 12.6).
struct ControlGuard {
    RunId run;
    std::uint64_t control = 0;  // HotRow::control that was decided on
};

// What lists, counts and groups need. Written only when it changes; `changed` is set by the store.
struct ListRow {
    RunId run;
    RunId root;
    RunId parent;
    std::string workflow;
    std::uint32_t workflowVersion = 0;
    std::string key;
    Activity activity = Activity::Queued;
    Attention attention = Attention::Machine;
    Reason reason = Reason::None;
    std::string step;  // id of the step that the primary reason is about
    TimeMs since = kNoTime;
    TimeMs nextTime = kNoTime;
    std::string situation;  // groups runs that wait for the same reason in the same place; empty: none
    std::string resource;
    std::string error;  // normalised last error, clipped
    TimeMs createdAt = kNoTime;
    TimeMs endedAt = kNoTime;
    std::uint32_t steps = 0;
    std::uint32_t stepsDone = 0;
    std::uint32_t attempt = 0;  // of the step
    std::uint32_t attemptsMax = 0;
    Money amount;                // at stake in the step
    TimeMs heldUntil = kNoTime;  // RunState::heldUntil(): a time that has passed holds nothing
    std::string assigned{};      // person who looks after the run; empty: nobody
    std::uint64_t version = 0;
    std::uint64_t changed = 0;  // change cursor; filled by the store

    // All but version and changed.
    [[nodiscard]] bool sameContent(const ListRow& o) const;
};

struct StepRow {
    StepIx ix = kNoStep;
    std::string id;
    std::string name;
    std::string tool;
    std::string agent;
    StepKind kind = StepKind::Tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    StepState state = StepState::Pending;
    Reason reason = Reason::None;
    TimeMs since = kNoTime;
    TimeMs due = kNoTime;
    std::uint32_t revision = 0;
    std::uint32_t attempts = 0;
    std::uint32_t failures = 0;
    std::uint32_t lost = 0;
    PayloadId input;
    PayloadId output;
    PayloadId error;
    EffectId effect;
    TimeMs readyAt = kNoTime;
    TimeMs startedAt = kNoTime;
    TimeMs endedAt = kNoTime;
    friend bool operator==(const StepRow&, const StepRow&) = default;
};

struct AttemptRow {
    AttemptId id;
    StepIx step = kNoStep;
    std::uint32_t number = 0;
    Purpose purpose = Purpose::Do;
    SessionId session;
    std::string worker;
    TimeMs startedAt = kNoTime;
    TimeMs endedAt = kNoTime;  // kNoTime: under way
    AttemptEnd how = AttemptEnd::Completed;
    EffectKnowledge effect = EffectKnowledge::NoEffect;
    PayloadId error;
    UuidBytes trace{};  // columns since schema 2
    std::uint64_t span = 0;
    friend bool operator==(const AttemptRow&, const AttemptRow&) = default;
};

struct ApprovalRow {
    ApprovalId id;
    StepIx step = kNoStep;
    ApprovalState state = ApprovalState::Pending;
    Digest binding;
    std::string role;
    TimeMs askedAt = kNoTime;
    TimeMs expires = kNoTime;
    TimeMs decidedAt = kNoTime;
    std::string decidedBy;
    PayloadId note;
    std::uint32_t needed = 1;     // people
    std::string askedBy{};        // login of who asked; empty: nobody vouches for it
    std::string deciders = "[]";  // JSON list of the logins that approved, or rejected
    friend bool operator==(const ApprovalRow&, const ApprovalRow&) = default;
};

struct AttributeRow {
    std::string name;
    std::string type;         // text, integer, money, time
    std::string text;         // as shown
    std::int64_t number = 0;  // integer, micros or TimeMs
};

// A payload to be stored: inline, or by an artifact staged before (see Store::stageChunk).
struct PayloadRow {
    PayloadRef ref;
    Salt salt{};
    std::string bytes;  // where artifact is null
    ArtifactId artifact;
    // A copy of another run's payload, under the same salt and hash: the commit queue reads it, and stages it
    // where it is an artifact. Stores see rows without it.
    RunId copyFrom{};
    PayloadId copyOf{};
    // Not 0: it comes without bytes and salt, because the entry of that version redacted it in the store that
    // it comes from, or because the bundle that it comes from leaves them out.
    std::int64_t redactedBy = 0;
};
inline constexpr std::int64_t kWithheldBy = -1;  // PayloadRow::redactedBy of one that a bundle leaves out
inline constexpr std::size_t kInlineLimit = 16 * 1024;
inline constexpr std::size_t kChunkSize = 1024 * 1024;
inline constexpr std::uint64_t kPayloadLimit = 256ULL * 1024 * 1024;

// A ledger row as stored.
struct EffectRow {
    EffectId effect;
    std::string tool;
    std::string key;  // effect key text
    LedgerState state = LedgerState::Absent;
    RunId holder;
    std::string holderStep;
    Salt inputSalt{};
    Digest inputDigest;  // SHA-256(inputSalt || SHA-256(input)); null: redacted
    PayloadId result;    // in the holder's run
    TimeMs changedAt = kNoTime;
    std::uint64_t revision = 0;  // 0: the row is new
};
struct EffectWrite {
    EffectRow row;  // revision: what was read; stored with +1
};

struct OutboxRow {
    RunId from;
    std::uint64_t version = 0;
    std::uint32_t number = 0;
    RunId to;
    std::string body;  // encoded Message (core/service)
    TimeMs createdAt = kNoTime;
    std::uint64_t seq = 0;  // place in the order of arrival; filled by the store
};

struct ResourceRow {
    std::string name;
    TimeMs backOffUntil = kNoTime;
    bool askedByServer = false;
    std::uint32_t permitsPerSecond = 0;  // 0: no rate
    std::uint32_t slots = 0;             // 0: no limit on concurrency
    std::uint64_t revision = 0;
};

inline constexpr SpanMs kRateSpan = 1'000;  // what was spent of a rate counts for so long

struct SessionRow {
    SessionId id;
    std::string name;  // worker name, may repeat; the id is the incarnation
    std::string host;
    std::string bootId;
    std::string pidNamespace;
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;  // process start time, /proc/PID/stat field 22
    std::string build;            // product version
    std::uint16_t format = kMaxFormat;
    std::uint32_t schema = 0;  // highest schema that it knows
    std::string serves;        // workflows served, "name@version" separated by blanks; "*": all
    TimeMs startedAt = kNoTime;
    TimeMs heartbeatAt = kNoTime;
    TimeMs leaseUntil = kNoTime;
    TimeMs endedAt = kNoTime;  // kNoTime: living (as far as the lease says)
};

struct StoreChange;  // agreement.h

// One act of a person (or a refused one) in the store's audit chain.
struct AuditRow {
    std::uint64_t seq = 0;  // gapless from 1; filled by the store
    TimeMs time = kNoTime;
    std::string kind;  // "applied", "refused", "staged", ...
    Verb verb = Verb::Approve;
    std::string actor;      // claimed name (--as), shown as such
    std::uint32_t uid = 0;  // real uid on `host`, as that host says
    std::string host;
    std::string login{};  // what the store vouches for: session_user on PostgreSQL; else "uid 1000"
    RunId run;            // null: not about one run
    std::string target;   // step or approval id
    CommandId command;
    std::string reason;  // stored and shown verbatim; hashed
    std::string before;  // JSON
    std::string after;   // JSON; of a refusal, why
    Digest previous;     // filled by the store
    Digest hash;         // filled by the store
    // What the same transaction writes beside it, or neither is written. Not there in what was read.
    std::shared_ptr<const StoreChange> with{};
};
// Entries of one day of UTC, by their own times.
struct AuditDay {
    std::int64_t day = 0;  // since 1970-01-01
    std::uint64_t entries = 0;
    std::uint64_t refused = 0;  // of them
    std::uint64_t first = 0;    // the lowest number among them, and the highest
    std::uint64_t last = 0;
};
constexpr TimeMs kDayMs = 86'400'000;
// The bytes that an audit entry's hash covers (tag, previous and every field, length-prefixed).
[[nodiscard]] Digest auditHash(const AuditRow& row);
// The same, made in `room`, whose content is lost: of many rows none needs memory of its own.
[[nodiscard]] Digest auditHash(const AuditRow& row, WireWriter& room);

}  // namespace cairn
