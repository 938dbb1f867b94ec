#pragma once
// What stores keep of who must agree: policies, and what the transaction of an audit entry writes beside it.

#include "core/base/result.h"
#include "core/store/review.h"
#include "core/store/rows.h"
#include "core/store/staged_act.h"

#include <optional>
#include <string>

namespace cairn {

// A policy as it was set; versions from 1, without a hole, and none ever changes.
struct PolicyRow {
    std::uint64_t version = 0;
    std::string text;   // JSON, as it was given
    std::string login;  // of who set it, as the audit has it
    std::string claimed;
    TimeMs setAt = kNoTime;
    friend bool operator==(const PolicyRow&, const PolicyRow&) = default;
};
inline constexpr std::size_t kPolicyLimit = 64 * 1024;  // bytes of a text

// An act on the store itself that waited, and is done with this entry: its answer. Which of its withdrawal
// and this comes first is the store's to say.
struct ActDone {
    CommandId act;
    std::uint64_t version = 0;  // of the policy that it has set; 0: it was none
};

// By appendAudit() and by a commit, in their transaction. What does not fit any more (the act was decided,
// the policy has another version, the review is closed) is a Conflict, and nothing is written.
struct StoreChange {
    // Proposed: a new act, or one that waits for an engine and needs somebody else as it turns out.
    std::optional<StagedAct> propose;
    // Of a proposed act: Waiting (confirmed), Refused, Expired or Withdrawn, with confirmedBy, confirmedName,
    // note and confirmedAt. The same person never confirms, whoever asks. Of an act on a run that waits to be
    // carried out: Withdrawn, where its run has no entry of this command yet; of one without a run: where it
    // waits still.
    std::optional<StagedAct> decide;
    std::optional<ActDone> done;      // Refused where it does not wait any more
    std::optional<PolicyRow> policy;  // version: the newest one's and one
    std::optional<Review> review;     // opened; where closedAt is set: closed
};

// What every store asks of a change, with what it has: Conflict, NoRight, NotFound, InvalidInput. Pure.
[[nodiscard]] Status checkProposed(const std::optional<StagedAct>& kept, const StagedAct& act);
// `carriedOut`: the run has the act's entry.
[[nodiscard]] Status checkDecided(
    const std::optional<StagedAct>& kept, const StagedAct& act, TimeMs now, bool carriedOut);
[[nodiscard]] Status checkDone(const std::optional<StagedAct>& kept, const ActDone& done);
[[nodiscard]] Status checkPolicyRow(std::uint64_t newest, const PolicyRow& row);
[[nodiscard]] Status checkReview(const std::optional<Review>& kept, const Review& review);

}  // namespace cairn
