#include "core/definition/reader.h"

#include "core/definition/text_values.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kMaxName = 64;

}  // namespace

void Report::add(Severity severity, std::string_view at, const std::string& pointer, std::string text)
{
    if (severity == Severity::Error)
        ++m_errors;
    if (m_items.size() >= kMaxDiagnostics)
        return;
    const auto offset = static_cast<std::size_t>(at.data() - m_text.data());
    const LineColumn place = lineColumn(m_text, offset);
    m_items.emplace_back(offset, Diagnostic{severity, place.line, place.column, pointer, std::move(text)});
}

void Report::error(std::string_view at, const std::string& pointer, std::string text)
{
    add(Severity::Error, at, pointer, std::move(text));
}

void Report::warning(std::string_view at, const std::string& pointer, std::string text)
{
    add(Severity::Warning, at, pointer, std::move(text));
}

std::string_view Report::locate(std::string pointer) const
{
    for (;;) {
        if (auto found = jsonAt(m_text, pointer))
            return *found;
        if (pointer.empty())
            return m_text;
        pointer.resize(pointer.rfind('/'));
    }
}

void Report::errorAt(const std::string& pointer, std::string text)
{
    error(locate(pointer), pointer, std::move(text));
}

void Report::warningAt(const std::string& pointer, std::string text)
{
    warning(locate(pointer), pointer, std::move(text));
}

bool Report::hasErrorAtOrBelow(const std::string& pointer) const
{
    return std::any_of(m_items.begin(), m_items.end(), [&](const auto& item) {
        const std::string& other = item.second.pointer;
        return item.second.severity == Severity::Error && other.compare(0, pointer.size(), pointer) == 0
            && (other.size() == pointer.size() || other[pointer.size()] == '/');
    });
}

std::vector<Diagnostic> Report::take()
{
    std::stable_sort(
        m_items.begin(), m_items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Diagnostic> all;
    for (auto& item : m_items)
        if (all.empty() || !(all.back() == item.second))
            all.push_back(std::move(item.second));
    return all;
}

std::string identifierFault(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (name.empty() || name.size() > kMaxName || !letter(name.front()))
        return "a name has 1 to 64 characters and begins with a letter";
    for (const char c : name)
        if (!letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
            return "a name is made of letters, digits, '-', '_' and '.'";
    return {};
}

std::string didYouMean(const std::string& near)
{
    return near.empty() ? std::string() : ": did you mean " + jsonQuote(near) + "?";
}

std::string textOf(Report& report, const Node& node, const std::string& what, std::size_t most)
{
    if (jsonKind(node.raw) != JsonKind::String) {
        report.error(node.raw, node.pointer,
            what + " must be text, found " + std::string(jsonKindName(jsonKind(node.raw))));
        return {};
    }
    auto decoded = jsonString(node.raw);
    if (!decoded)
        return {};
    if (decoded->size() > most) {
        report.tooLongForSchema = true;
        report.error(node.raw, node.pointer,
            what + " has " + std::to_string(decoded->size()) + " bytes, at most " + std::to_string(most)
                + " are accepted");
        return {};
    }
    return *std::move(decoded);
}

Fields::Fields(Report& report, Node node, std::string what, std::initializer_list<std::string_view> known)
    : m_report(report)
    , m_node(std::move(node))
    , m_what(std::move(what))
{
    auto members = jsonObjectMembers(m_node.raw);
    if (!members) {
        report.error(m_node.raw, m_node.pointer,
            m_what + " must be an object, found " + std::string(jsonKindName(jsonKind(m_node.raw))));
        return;
    }
    m_members = *std::move(members);
    for (const JsonMember& m : m_members) {
        if (std::find(known.begin(), known.end(), std::string_view(m.name)) != known.end())
            continue;
        const std::string near = nearestName(m.name, known, [](std::string_view k) { return k; });
        report.error(m.written, m_node.pointer + '/' + jsonPointerPart(m.name),
            "unknown field " + jsonQuote(m.name.substr(0, 60)) + " in " + m_what + didYouMean(near));
    }
}

const JsonMember* Fields::member(std::string_view name) const
{
    const auto found =
        std::find_if(m_members.begin(), m_members.end(), [name](const auto& m) { return m.name == name; });
    return found == m_members.end() ? nullptr : &*found;
}

Node Fields::node(std::string_view name) const
{
    const JsonMember* m = member(name);
    return {m ? m->value : std::string_view(), m_node.pointer + '/' + jsonPointerPart(name)};
}

void Fields::error(std::string_view name, std::string text)
{
    const Node at = node(name);
    m_report.error(at.raw.empty() ? m_node.raw : at.raw, at.pointer, std::move(text));
}

bool Fields::require(std::string_view name)
{
    if (has(name))
        return true;
    if (jsonKind(m_node.raw) == JsonKind::Object)
        m_report.error(m_node.raw, m_node.pointer, m_what + " needs " + jsonQuote(name));
    return false;
}

void Fields::forbid(std::string_view name, const std::string& why)
{
    if (const JsonMember* m = member(name))
        m_report.error(m->written, node(name).pointer,
            m_what + " takes no " + jsonQuote(name) + (why.empty() ? "" : ": " + why));
}

bool Fields::wants(std::string_view name, JsonKind kind)
{
    const JsonMember* m = member(name);
    if (!m)
        return false;
    if (jsonKind(m->value) == kind)
        return true;
    error(name,
        jsonQuote(name) + " must be " + std::string(jsonKindName(kind)) + ", found "
            + std::string(jsonKindName(jsonKind(m->value))));
    return false;
}

std::string Fields::text(std::string_view name, std::size_t most)
{
    return has(name) ? textOf(m_report, node(name), jsonQuote(name), most) : std::string();
}

std::string Fields::identifier(std::string_view name)
{
    if (!has(name))
        return {};
    std::string value = text(name);
    if (jsonKind(node(name).raw) == JsonKind::String && !m_report.hasErrorAtOrBelow(node(name).pointer)) {
        if (std::string fault = identifierFault(value); !fault.empty()) {
            error(name, jsonQuote(value) + " is no name: " + fault);
            return {};
        }
    }
    return value;
}

std::string Fields::pointer(std::string_view name)
{
    std::string value = text(name, 1000);
    if (std::string fault = jsonPointerFault(value); !fault.empty()) {
        error(name, jsonQuote(value) + ": " + fault);
        return {};
    }
    return value;
}

std::int64_t Fields::integer(
    std::string_view name, std::int64_t least, std::int64_t most, std::int64_t fallback)
{
    const JsonMember* m = member(name);
    if (!m)
        return fallback;
    auto value = jsonInt(m->value);
    if (value && *value >= least && *value <= most)
        return *value;
    const JsonKind kind = jsonKind(m->value);
    error(name,
        jsonQuote(name) + " must be a whole number from " + std::to_string(least) + " to "
            + std::to_string(most) + ", found "
            + (kind == JsonKind::Number ? std::string(m->value.substr(0, 40))
                                        : std::string(jsonKindName(kind))));
    return fallback;
}

bool Fields::flag(std::string_view name, bool fallback)
{
    return wants(name, JsonKind::Bool) ? node(name).raw.front() == 't' : fallback;
}

SpanMs Fields::span(std::string_view name, SpanMs fallback, bool mayBeZero)
{
    if (!wants(name, JsonKind::String))
        return fallback;
    auto value = parseSpan(text(name));
    if (!value) {
        error(name, jsonQuote(name) + ": " + value.error().text);
        return fallback;
    }
    if (*value == 0 && !mayBeZero) {
        error(name, jsonQuote(name) + " must be longer than nothing");
        return fallback;
    }
    return *value;
}

std::string Fields::rawObject(std::string_view name)
{
    return wants(name, JsonKind::Object) ? raw(name) : std::string();
}

std::string Fields::raw(std::string_view name) const { return std::string(node(name).raw); }

std::vector<Node> Fields::list(std::string_view name)
{
    std::vector<Node> nodes;
    if (!wants(name, JsonKind::Array))
        return nodes;
    const Node whole = node(name);
    if (auto items = jsonArraySlices(whole.raw))
        for (const std::string_view item : *items)
            nodes.push_back({item, whole.pointer + '/' + std::to_string(nodes.size())});
    return nodes;
}

std::vector<std::pair<JsonMember, Node>> Fields::map(std::string_view name)
{
    std::vector<std::pair<JsonMember, Node>> all;
    if (!wants(name, JsonKind::Object))
        return all;
    const Node whole = node(name);
    if (auto members = jsonObjectMembers(whole.raw))
        for (JsonMember& m : *members) {
            Node at{m.value, whole.pointer + '/' + jsonPointerPart(m.name)};
            all.emplace_back(std::move(m), std::move(at));
        }
    return all;
}

int Fields::choice(std::string_view name, std::initializer_list<std::string_view> choices, int fallback)
{
    if (!has(name))
        return fallback;
    const Node at = node(name);
    const std::string value = jsonKind(at.raw) == JsonKind::String ? text(name) : std::string();
    int i = 0;
    std::string all;
    for (const std::string_view one : choices) {
        if (one == value)
            return i;
        all += (i++ == 0 ? "" : ", ") + jsonQuote(one);
    }
    const std::string near = nearestName(value, choices, [](std::string_view c) { return c; });
    error(name,
        jsonQuote(name) + " must be one of " + all + ", found " + std::string(jsonTrim(at.raw).substr(0, 60))
            + didYouMean(near));
    return fallback;
}

std::vector<std::string> Fields::identifiers(std::string_view name)
{
    std::vector<std::string> names;
    for (const Node& item : list(name)) {
        std::string value = textOf(m_report, item, "a name in " + jsonQuote(name), 200);
        if (jsonKind(item.raw) != JsonKind::String)
            continue;
        if (std::string fault = identifierFault(value); !fault.empty())
            m_report.error(item.raw, item.pointer, jsonQuote(value) + " is no name: " + fault);
        else if (std::find(names.begin(), names.end(), value) != names.end())
            m_report.error(item.raw, item.pointer, jsonQuote(value) + " stands twice in " + jsonQuote(name));
        else
            names.push_back(std::move(value));
    }
    return names;
}

}  // namespace cairn
