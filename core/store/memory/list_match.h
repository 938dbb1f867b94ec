#pragma once
// Whether a list row matches a filter: the meaning of ListTerm in plain code. The SQL of a database must
// agree with it (the contract tests compare them).

#include "core/store/store.h"

namespace cairn {

// What the row itself does not say.
struct ListLookup {
    std::function<bool(const RunId& run, const std::string& name, const std::string& text)> hasAttribute;
    std::function<bool(const RunId& run, const std::string& name)> worksOn;  // engine or outside worker
    std::function<bool(const RunId& run, const std::string& name)> actedOn;
    std::function<std::vector<SessionId>(const RunId& run)> sessions;  // with an attempt under way
};

[[nodiscard]] bool matches(const ListFilter& filter, const ListRow& row, const ListLookup& look);

}  // namespace cairn
