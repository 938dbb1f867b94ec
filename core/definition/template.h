#pragma once
// The template language: JSON in which {"$from": "step", "at": "/pointer"} stands for a value. What a
// template reads is found here without rendering it, with places, so that mistakes can be shown in the text.
// Pure.

#include "core/base/result.h"
#include "core/model/definition.h"

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// Words that name a source beside the steps.
inline constexpr std::string_view kInputSource =
    "input";  // the run's input; in "undo", the input of the undone call
inline constexpr std::string_view kItemSource = "item";      // the member's item of a for_each
inline constexpr std::string_view kOutputSource = "output";  // in "undo" only: what the undone call gave

struct TemplateReference {
    std::string source;
    std::string at;  // JSON Pointer into it
    bool hasElse = false;
    std::string_view otherwise;    // raw value taken where source or pointer is missing
    std::string_view slice;        // the whole object in the template
    std::string_view sourceSlice;  // the source's name as written
    std::string_view atSlice;      // empty where not written
};

struct TemplateLiteral {
    std::string_view slice;  // {"$literal": x}
    std::string_view value;  // x
};

struct TemplateFault {
    std::string_view slice;
    std::string text;
};

struct TemplateScan {
    std::vector<TemplateReference> references;  // in the order of the text
    std::vector<TemplateLiteral> literals;
    std::vector<TemplateFault> faults;
};

// `raw` is a slice of a text that validateJson(kInterpretedJson) accepted (nesting is bounded by that).
[[nodiscard]] TemplateScan scanTemplate(std::string_view raw);

// Conditions: {"equals": [a, b]}, not_equals, less, less_or_equal, greater, greater_or_equal, {"in": [a,
// list]}, {"exists": reference}, {"all": [...]}, {"any": [...]}, {"not": condition}. Operands are templates.
[[nodiscard]] TemplateScan scanCondition(std::string_view raw);

// An effect key: text with ${/pointer} into the rendered input, and $$ for a dollar sign.
struct KeyPart {
    bool isPointer = false;
    std::string text;
};
[[nodiscard]] Result<std::vector<KeyPart>> parseEffectKey(std::string_view keyTemplate);

// What a pointer into a rendered template would meet.
enum class StaticAnswer : std::uint8_t {
    Literal,   // a value that is the same for every run
    Rendered,  // a value that comes from a source
    Missing,   // nothing: the template cannot produce it
};
struct StaticLook {
    StaticAnswer answer = StaticAnswer::Missing;
    bool fromItem = false;   // Rendered: from the item of a for_each
    std::string source;      // Rendered
    std::string_view value;  // Literal
};
[[nodiscard]] StaticLook lookStatically(std::string_view rawTemplate, std::string_view pointer);

// Names of what a step reads: "input" and steps, each once. "item" is replaced by where its list comes from.
[[nodiscard]] std::vector<std::string> sourcesOf(const StepDef& step);
// The same for a template alone, for example Definition::output.
[[nodiscard]] std::vector<std::string> sourcesOfTemplate(std::string_view raw);

}  // namespace cairn
