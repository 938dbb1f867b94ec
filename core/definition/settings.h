#pragma once
// ${...} in executor settings: resolved by the executor when it runs, never stored. Pure.

#include "core/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// Known names: "workflow_dir" (folder of the definition's file), "env.NAME" (of the engine's environment),
// "key" (the effect key of the call), "secret" (the tool's secret), "run", "step", "attempt".
using SettingsLookup = std::function<std::optional<std::string>(std::string_view name)>;

// One part of a settings text. $$ stands for a dollar sign.
struct SettingsPart {
    bool isName = false;
    std::string text;
};
[[nodiscard]] Result<std::vector<SettingsPart>> parseSettingsText(std::string_view text);

// The text with every ${name} replaced. InvalidInput where the lookup has no value: "${env.PORT} is not set".
[[nodiscard]] Result<std::string> expandSettingsText(std::string_view text, const SettingsLookup& lookup);

}  // namespace cairn
