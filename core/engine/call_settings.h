#pragma once
// Settings of an executor with every ${...} resolved for one call. Secrets are read here and go no further
// than the call.

#include "core/engine/executor.h"

#include <map>
#include <optional>

namespace cairn {

// The tool's secret; empty optional where the tool names none. Refused where it is missing or cannot be read
// (the text never holds the secret).
[[nodiscard]] Result<std::optional<std::string>> readSecret(const std::string& reference);

class CallSettings {
public:
    // InvalidInput where the settings are damaged.
    [[nodiscard]] static Result<CallSettings> open(
        const StartOrder& order, std::optional<std::string> secret);

    // With ${key} percent-encoded where `forUrl`. Absent: the fallback.
    [[nodiscard]] Result<std::string> text(
        std::string_view name, std::string fallback, bool forUrl = false) const;
    [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view name) const;
    [[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> pairs(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t fallback) const;
    [[nodiscard]] bool has(std::string_view name) const { return m_members.contains(std::string(name)); }

private:
    [[nodiscard]] Result<std::string> expand(std::string_view slice, bool forUrl) const;
    [[nodiscard]] std::optional<std::string> lookUp(std::string_view name, bool forUrl) const;

    std::map<std::string, std::string> m_members;  // raw values
    std::optional<std::string> m_secret;
    std::string m_folder, m_key, m_run, m_step, m_attempt;
};

[[nodiscard]] std::string percentEncoded(std::string_view text);

}  // namespace cairn
