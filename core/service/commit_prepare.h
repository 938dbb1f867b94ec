#pragma once
// What both commit queues do with a group: stage large payloads, commit, and resolve a lost answer.

#include "core/service/service.h"

#include <functional>
#include <vector>

namespace cairn {

// Copies payloads that are copies of another run's; stages the chunks of those that have an artifact and
// bytes, and clears the bytes.
[[nodiscard]] Status stagePayloads(StoreWriter& writer, CommitMember& member);

// Commits the group. Busy is tried again with growing pauses; after OutcomeUnknown the same members are
// committed again under the same command ids, where Duplicate means done. `pause` waits and says whether to
// go on (false: give up).
[[nodiscard]] Status commitGroup(StoreWriter& writer, std::vector<CommitMember>& members,
    std::vector<MemberResult>& results, const std::function<bool(SpanMs)>& pause);

}  // namespace cairn
