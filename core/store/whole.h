#pragma once
// Runs as they are read from a store.

#include "core/store/lists.h"
#include "core/store/payload_info.h"
#include "core/store/rows.h"

#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct LoadedRun {
    RunRow identity;
    HotRow hot;
    std::vector<SealedEntry> entries;  // from the asked version on
};

// All of a run at one moment.
struct StoredPayload {
    PayloadInfo info;
    std::string bytes{};  // of an inline one; not checked against its hash
};
struct RunParts {
    bool entries = false;
    bool rows = false;
    bool payloads = false;
};
struct WholeRun {
    LoadedRun loaded;  // without entries: the hot row alone
    std::optional<ListRow> list{};
    std::vector<StepRow> steps{};
    std::vector<AttemptRow> attempts{};
    std::vector<ApprovalRow> approvals{};
    std::vector<AttributeRow> attributes{};
    std::vector<EffectRow> effects{};                      // that it holds
    std::optional<std::vector<StoredPayload>> payloads{};  // not set: this store gives them one by one
};

}  // namespace cairn
