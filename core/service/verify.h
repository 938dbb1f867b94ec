#pragma once
// verifyRun() (service.h) for many runs: what was read at once, and workflows that are parsed once.

#include "core/definition/parse.h"
#include "core/store/store.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

class ParsedWorkflows {
public:
    // Null: there is none, or it cannot be parsed.
    [[nodiscard]] Result<const Definition*> find(
        StoreReader& reader, const std::string& name, std::uint32_t version);

private:
    std::map<std::pair<std::string, std::uint32_t>, ParsedDefinition> m_known;
};

// `whole` with entries and rows.
[[nodiscard]] Result<std::vector<VerifyProblem>> verifyWhole(
    StoreReader& reader, const WholeRun& whole, ParsedWorkflows& workflows);

}  // namespace cairn
