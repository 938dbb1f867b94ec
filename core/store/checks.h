#pragma once
// What every store refuses, in the same words: so that a value accepted by one is accepted by all. Pure.

#include "core/base/wire.h"
#include "core/store/store.h"

namespace cairn {

// Valid UTF-8 without a NUL: what a text column may hold. Bytes of any kind belong into payloads.
[[nodiscard]] bool isStorableText(std::string_view text) noexcept;

// InvalidInput names the field. SchemaMismatch: the entry's format may not be written yet.
[[nodiscard]] Status checkMember(const CommitMember& member, std::uint16_t writeFormat);
// The two parts of it: what a member says by itself, which needs no lock, and what the store may be written
// in.
[[nodiscard]] Status checkContent(const CommitMember& member);
[[nodiscard]] Status checkFormat(const CommitMember& member, std::uint16_t writeFormat);
// Where a payload is inline: the bytes fit their size, limit and hash.
[[nodiscard]] Status checkInlinePayload(const PayloadRow& payload);
// For payloads(): takes the bytes where it is inline and has no more than that; Corrupt where they do not
// fit.
[[nodiscard]] Status checkFound(
    FoundPayload& found, std::string bytes, const RunId& run, std::uint64_t inlineUpTo);
[[nodiscard]] Status checkAudit(const AuditRow& row);
// Of a person's act on a resource: a name, and an act without a run that has an id.
[[nodiscard]] Status checkSlow(const ResourceRow& wanted, const AuditRow& act);
[[nodiscard]] Error limitsMoved(const ResourceRow& stored);  // Conflict, for people
[[nodiscard]] Status checkStaged(const StagedAct& act);
// What a change of a plan may say by itself: ids, text, numbers; items are added to drafts alone, and no more
// than kPlanPage of each kind at a time. InvalidInput.
[[nodiscard]] Status checkPlan(const PlanChange& change);
// What others have written may be no value of ours, and is counted by: Corrupt.
[[nodiscard]] Status checkRead(const PlanId& plan, std::span<const PlanItem> items);
[[nodiscard]] Status checkRead(const PlanId& plan, std::span<const PlanCount> counts);
[[nodiscard]] Error nobodyLeaves();  // Refused: a change of a plan by an order, in a store without logins
[[nodiscard]] Error planMoved(const PlanId& plan);          // Conflict
[[nodiscard]] Error actIsOver(const CommandId& act);        // Refused
[[nodiscard]] Error planItemOver(const PlanOutcome& item);  // Conflict
// A store whose glass was broken is not as it should be until somebody else has looked at it; that is no
// damage.
[[nodiscard]] VerifyProblem openReview(const Review& review);
[[nodiscard]] Status checkSession(const SessionRow& row);
[[nodiscard]] Status checkWorkflow(const WorkflowRow& row);
// A version never changes: Refused where the store has it with another digest.
[[nodiscard]] Status checkSameWorkflow(const WorkflowRow& row, const Digest& stored);
[[nodiscard]] Status checkClockOffset(const StoreInfo& info);  // Refused unless a test-clock store
[[nodiscard]] Status checkChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes);

// A chunk's digest is bound to its artifact (a random id) and place, so equal content is not seen as equal.
[[nodiscard]] Digest chunkDigest(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes);

// Of situationStarts(): InvalidInput for slots that are not longer than nothing; and what it asks about, in
// order, each once, without texts that no store can hold.
[[nodiscard]] Status checkSlots(SpanMs width);
[[nodiscard]] std::vector<std::string> inOrder(std::span<const std::string> texts);

// Whether an entry of another store's audit goes on from this one's end, as it is. Conflict, Corrupt.
[[nodiscard]] Status checkAuditLink(const AuditRow& row, std::uint64_t seq, const Digest& head);
[[nodiscard]] Status checkFilled(std::uint32_t intoFence);  // Refused unless the store is being filled

// What every store asks of a checkpoint: the number after the newest one's, and as many heads as it says, in
// order. Conflict, InvalidInput. What it signs is not looked at.
[[nodiscard]] Status checkCheckpoint(
    const CheckpointRow& row, std::span<const RunHead> heads, std::uint64_t newest);

// The next links of the audit chain, checked one by one; the problem names the sequence number.
class AuditVerifier {
public:
    // False after the first break; `problem` then says what is wrong.
    bool next(const AuditRow& row);
    [[nodiscard]] const std::string& problem() const { return m_problem; }

private:
    std::uint64_t m_seq = 0;
    Digest m_head;
    std::string m_problem;
    WireWriter m_room;  // so that no row needs memory of its own
};

// Bounds of the ids that begin with hex text ("018f-2a" or "018f2a"); nullopt where it is not such text.
struct IdBounds {
    UuidBytes low{};
    UuidBytes high{};
};
[[nodiscard]] std::optional<IdBounds> idBounds(std::string_view hexPrefix);

// The time at which a run that nobody owns is to be claimed, after this commit (DESIGN 12.4): a commit by
// another than the owner wakes the run at once, unless it has ended, or is created by an engine that serves
// it and has let it go.
[[nodiscard]] TimeMs dueAfterCommit(const CommitMember& member, bool byOwner, TimeMs now);

}  // namespace cairn
