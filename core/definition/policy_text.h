#pragma once
// Policies as JSON text: read with the place of each mistake, and written. Pure.

#include "core/definition/parse.h"
#include "core/model/policy.h"

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct ParsedPolicy {
    std::optional<Policy> policy;         // there when no diagnostic is an error; version 0
    std::vector<Diagnostic> diagnostics;  // in the order of the text
    [[nodiscard]] explicit operator bool() const noexcept { return policy.has_value(); }
};
// The format is resources/schemas/policy-1.schema.json. Warns of rules that never decide, for an earlier one
// fits whatever they fit.
[[nodiscard]] ParsedPolicy parsePolicy(std::string_view text);

// Text that parsePolicy() reads back as the same rules and roles; one rule a line.
[[nodiscard]] std::string policyText(const Policy& policy);

// What differs, rule by rule and role by role, each as a line; empty: nothing does.
[[nodiscard]] std::vector<std::string> policyDifferences(const Policy& before, const Policy& after);

}  // namespace cairn
