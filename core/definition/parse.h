#pragma once
// From the text of a workflow definition to a checked Definition, or to all that is wrong with it, each with
// its place. Pure; at most some milliseconds for a definition of the largest size (1 MiB).

#include "core/model/definition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

enum class Severity : std::uint8_t { Error = 1, Warning };

struct Diagnostic {
    Severity severity = Severity::Error;
    std::uint32_t line = 1;    // from 1
    std::uint32_t column = 1;  // from 1, in characters
    std::string pointer;       // JSON Pointer to the value concerned
    std::string text;          // what is wrong, and what to do
    friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};
// "file:12:7: error: text", as compilers write it, so that editors find the place.
[[nodiscard]] std::string diagnosticLine(std::string_view file, const Diagnostic& diagnostic);

struct ParsedDefinition {
    std::optional<Definition> definition;  // there when no diagnostic is an error
    std::vector<Diagnostic> diagnostics;   // in the order of the text; at most kMaxDiagnostics
    [[nodiscard]] explicit operator bool() const noexcept { return definition.has_value(); }
};
inline constexpr std::size_t kMaxDiagnostics = 500;

// `text` is kept in Definition::text, its SHA-256 in ref.digest.
[[nodiscard]] ParsedDefinition parseDefinition(std::string_view text);

// The published JSON Schema (resources/schemas/workflow-1.schema.json) as built into this binary.
[[nodiscard]] std::string_view workflowSchemaText() noexcept;

}  // namespace cairn
