#pragma once
// Whether a list row matches a filter: the meaning of ListTerm in plain code. The SQL of a database must
// agree with it (the contract tests compare them).

#include "core/store/store.h"

namespace cairn {

using AttributeLookup =
    std::function<bool(const RunId& run, const std::string& name, const std::string& text)>;

[[nodiscard]] bool matches(const ListFilter& filter, const ListRow& row, const AttributeLookup& hasAttribute);

}  // namespace cairn
