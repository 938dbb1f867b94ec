#include "core/definition/template.h"

#include "core/base/json_scan.h"
#include "core/definition/text_values.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::array<std::string_view, 11> kOperators{"equals", "not_equals", "less", "less_or_equal",
    "greater", "greater_or_equal", "in", "exists", "all", "any", "not"};

void fault(TemplateScan& scan, std::string_view slice, std::string text)
{
    scan.faults.push_back({slice, std::move(text)});
}

const JsonMember* memberNamed(const std::vector<JsonMember>& members, std::string_view name)
{
    const auto found =
        std::find_if(members.begin(), members.end(), [name](const JsonMember& m) { return m.name == name; });
    return found == members.end() ? nullptr : &*found;
}

void readReference(TemplateScan& scan, std::string_view slice, const std::vector<JsonMember>& members)
{
    TemplateReference reference;
    reference.slice = slice;
    for (const JsonMember& member : members) {
        const bool isText = jsonKind(member.value) == JsonKind::String;
        if (member.name == "$from" && isText) {
            reference.source = *jsonString(member.value);
            reference.sourceSlice = member.value;
        } else if (member.name == "at" && isText) {
            reference.at = *jsonString(member.value);
            reference.atSlice = member.value;
            if (std::string text = jsonPointerFault(reference.at); !text.empty())
                return fault(scan, member.value, jsonQuote(reference.at) + ": " + text);
        } else if (member.name == "else") {
            reference.hasElse = true;
            reference.otherwise = member.value;
        } else if (member.name == "$from" || member.name == "at") {
            return fault(scan, member.value,
                jsonQuote(member.name) + " must be text, found "
                    + std::string(jsonKindName(jsonKind(member.value))));
        } else {
            return fault(scan, member.written,
                "unknown field " + jsonQuote(member.name)
                    + " beside \"$from\": it takes \"at\" and \"else\"");
        }
    }
    scan.references.push_back(std::move(reference));
}

void scanValue(TemplateScan& scan, std::string_view slice)
{
    const JsonKind kind = jsonKind(slice);
    if (kind == JsonKind::Array) {
        if (auto items = jsonArraySlices(slice))
            for (const std::string_view item : *items)
                scanValue(scan, item);
        return;
    }
    if (kind != JsonKind::Object)
        return;
    auto members = jsonObjectMembers(slice);
    if (!members)
        return;
    if (memberNamed(*members, "$from"))
        return readReference(scan, slice, *members);
    if (const JsonMember* literal = memberNamed(*members, "$literal")) {
        if (members->size() > 1)
            fault(scan, slice, "\"$literal\" must be the only field of its object");
        scan.literals.push_back({slice, literal->value});
        return;
    }
    for (const JsonMember& member : *members) {
        if (!member.name.empty() && member.name.front() == '$')
            fault(scan, member.written,
                "unknown word " + jsonQuote(member.name)
                    + ": \"$from\" and \"$literal\" are known; put the object into \"$literal\" "
                      "to mean the text itself");
        scanValue(scan, member.value);
    }
}

void scanTest(TemplateScan& scan, std::string_view slice);

void scanOperand(TemplateScan& scan, const JsonMember& test)
{
    const std::string_view name = test.name;
    const JsonKind kind = jsonKind(test.value);
    if (name == "not")
        return scanTest(scan, test.value);
    if (name == "exists") {
        const std::size_t before = scan.references.size();
        scanValue(scan, test.value);
        if (scan.references.size() != before + 1 || scan.references.back().slice.data() != test.value.data())
            fault(scan, test.value, "\"exists\" takes one {\"$from\": ...}");
        return;
    }
    auto items = jsonArraySlices(test.value);
    if (!items)
        return fault(
            scan, test.value, jsonQuote(name) + " takes a list, found " + std::string(jsonKindName(kind)));
    if (name == "all" || name == "any") {
        if (items->empty())
            fault(scan, test.value, jsonQuote(name) + " takes at least one condition");
        for (const std::string_view item : *items)
            scanTest(scan, item);
        return;
    }
    if (items->size() != 2)
        return fault(
            scan, test.value, jsonQuote(name) + " takes two values, found " + std::to_string(items->size()));
    for (const std::string_view item : *items)
        scanValue(scan, item);
}

void scanTest(TemplateScan& scan, std::string_view slice)
{
    auto members = jsonObjectMembers(slice);
    if (!members || members->size() != 1)
        return fault(scan, slice, "a condition is an object with one operator, like {\"equals\": [a, b]}");
    const JsonMember& test = members->front();
    if (std::find(kOperators.begin(), kOperators.end(), test.name) == kOperators.end()) {
        const std::string near = nearestName(test.name, kOperators, [](std::string_view o) { return o; });
        return fault(scan, test.written,
            "unknown operator " + jsonQuote(test.name)
                + (near.empty() ? "" : ": did you mean " + jsonQuote(near) + "?"));
    }
    scanOperand(scan, test);
}

void addSource(std::vector<std::string>& sources, const std::string& name)
{
    if (std::find(sources.begin(), sources.end(), name) == sources.end())
        sources.push_back(name);
}

}  // namespace

TemplateScan scanTemplate(std::string_view raw)
{
    TemplateScan scan;
    if (!raw.empty())
        scanValue(scan, jsonTrim(raw));
    return scan;
}

TemplateScan scanCondition(std::string_view raw)
{
    TemplateScan scan;
    if (!raw.empty())
        scanTest(scan, jsonTrim(raw));
    return scan;
}

Result<std::vector<KeyPart>> parseEffectKey(std::string_view keyTemplate)
{
    std::vector<KeyPart> parts;
    std::string literal;
    const auto flush = [&] {
        if (!literal.empty())
            parts.push_back({false, std::move(literal)});
        literal.clear();
    };
    for (std::size_t at = 0; at < keyTemplate.size(); ++at) {
        if (keyTemplate[at] != '$') {
            literal += keyTemplate[at];
            continue;
        }
        const char next = at + 1 < keyTemplate.size() ? keyTemplate[at + 1] : '\0';
        const std::size_t end = keyTemplate.find('}', at);
        if (next == '$') {
            literal += '$';
            ++at;
        } else if (next == '{' && end != std::string_view::npos) {
            std::string pointer(keyTemplate.substr(at + 2, end - at - 2));
            if (pointer.empty() || !jsonPointerFault(pointer).empty())
                return makeError(ErrorKind::InvalidInput,
                    "${" + pointer
                        + "} in an effect key: between the braces stands "
                          "a JSON Pointer into the rendered input, like ${/order}");
            flush();
            parts.push_back({true, std::move(pointer)});
            at = end;
        } else {
            return makeError(ErrorKind::InvalidInput,
                "'$' in an effect key begins ${/pointer}; write $$ for the sign itself");
        }
    }
    flush();
    return parts;
}

StaticLook lookStatically(std::string_view rawTemplate, std::string_view pointer)
{
    std::string_view here = rawTemplate.empty() ? std::string_view("null") : jsonTrim(rawTemplate);
    std::vector<std::string> parts = jsonPointerParts(pointer);
    for (std::size_t i = 0; i <= parts.size(); ++i) {
        if (auto source = jsonKind(here) == JsonKind::Object ? jsonAt(here, "/$from")
                                                             : Result<std::string_view>(Error{})) {
            auto name = jsonString(*source);
            const std::string text = name ? *name : std::string();
            return {StaticAnswer::Rendered, text == kItemSource, text, {}};
        }
        if (auto literal = jsonKind(here) == JsonKind::Object ? jsonAt(here, "/$literal")
                                                              : Result<std::string_view>(Error{}))
            here = *literal;
        if (i == parts.size())
            break;
        std::string part = "/";
        part += jsonPointerPart(parts[i]);
        auto next = jsonAt(here, part);
        if (!next)
            return {};
        here = *next;
    }
    const TemplateScan inner = scanTemplate(here);
    if (inner.references.empty())
        return {StaticAnswer::Literal, false, {}, here};
    return {StaticAnswer::Rendered, inner.references.front().source == kItemSource,
        inner.references.front().source, {}};
}

std::vector<std::string> sourcesOf(const StepDef& step)
{
    std::vector<std::string> sources;
    const auto add = [&](const TemplateScan& scan) {
        for (const TemplateReference& reference : scan.references)
            if (reference.source != kItemSource)
                addSource(sources, reference.source);
    };
    add(scanCondition(step.condition));
    if (step.forEach)
        addSource(sources, step.forEach->step);
    add(scanTemplate(step.input));
    add(scanTemplate(step.until));
    add(scanTemplate(step.local));
    return sources;
}

std::vector<std::string> sourcesOfTemplate(std::string_view raw)
{
    std::vector<std::string> sources;
    for (const TemplateReference& reference : scanTemplate(raw).references)
        addSource(sources, reference.source);
    return sources;
}

}  // namespace cairn
