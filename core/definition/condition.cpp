// Conditions and the comparisons that they are made of.
#include "core/base/json_scan.h"
#include "core/definition/render.h"
#include "core/definition/resolve.h"
#include "core/definition/text_values.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr int kMaxCompareDepth = 64;

Error bad(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }

Result<bool> equalAt(std::string_view a, std::string_view b, int depth);

Result<bool> equalLists(std::string_view a, std::string_view b, int depth)
{
    CAIRN_TRY_ASSIGN(const auto left, jsonArraySlices(a));
    CAIRN_TRY_ASSIGN(const auto right, jsonArraySlices(b));
    if (left.size() != right.size())
        return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        auto equal = equalAt(left[i], right[i], depth);
        if (!equal || !*equal)
            return equal;
    }
    return true;
}

Result<bool> equalObjects(std::string_view a, std::string_view b, int depth)
{
    CAIRN_TRY_ASSIGN(auto left, jsonObjectMembers(a));
    CAIRN_TRY_ASSIGN(auto right, jsonObjectMembers(b));
    if (left.size() != right.size())
        return false;
    const auto byName = [](const JsonMember& x, const JsonMember& y) { return x.name < y.name; };
    std::sort(left.begin(), left.end(), byName);
    std::sort(right.begin(), right.end(), byName);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].name != right[i].name)
            return false;
        auto equal = equalAt(left[i].value, right[i].value, depth);
        if (!equal || !*equal)
            return equal;
    }
    return true;
}

Result<bool> equalAt(std::string_view a, std::string_view b, int depth)
{
    if (depth > kMaxCompareDepth)
        return bad("values with more than 64 levels are not compared");
    const JsonKind kind = jsonKind(a);
    if (kind != jsonKind(b))
        return false;
    switch (kind) {
    case JsonKind::Number: return compareDecimals(jsonTrim(a), jsonTrim(b)) == 0;
    case JsonKind::String: {
        CAIRN_TRY_ASSIGN(const std::string left, jsonString(a));
        CAIRN_TRY_ASSIGN(const std::string right, jsonString(b));
        return left == right;
    }
    case JsonKind::Array: return equalLists(a, b, depth + 1);
    case JsonKind::Object: return equalObjects(a, b, depth + 1);
    case JsonKind::Null:
    case JsonKind::Bool: return jsonTrim(a) == jsonTrim(b);
    case JsonKind::Invalid: break;
    }
    return bad("not a JSON value");
}

// A number, or text that holds one: amounts are often written as text to keep their decimals.
Result<std::string> decimalOf(std::string_view value, std::string_view name)
{
    if (jsonKind(value) == JsonKind::Number)
        return std::string(jsonTrim(value));
    if (jsonKind(value) == JsonKind::String) {
        CAIRN_TRY_ASSIGN(std::string text, jsonString(value));
        if (isDecimal(text))
            return text;
    }
    return bad(jsonQuote(name) + " compares numbers, found " + std::string(jsonTrim(value).substr(0, 60)));
}

Result<bool> evaluate(std::string_view raw, const Sources& sources);

Result<bool> evaluateAll(std::string_view operand, bool stopAt, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const auto items, jsonArraySlices(operand));
    for (const std::string_view item : items) {
        auto one = evaluate(item, sources);
        if (!one || *one == stopAt)
            return one;
    }
    return !stopAt;
}

Result<bool> evaluateIn(std::string_view value, std::string_view list)
{
    auto items = jsonArraySlices(list);
    if (!items)
        return bad(
            "\"in\" takes a list as its second value, found " + std::string(jsonKindName(jsonKind(list))));
    for (const std::string_view item : *items) {
        auto equal = equalAt(value, item, 0);
        if (!equal || *equal)
            return equal;
    }
    return false;
}

Result<bool> compare(std::string_view name, std::string_view operand, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const auto items, jsonArraySlices(operand));
    if (items.size() != 2)
        return bad(jsonQuote(name) + " takes two values");
    CAIRN_TRY_ASSIGN(const std::string left, renderInput(items[0], sources));
    CAIRN_TRY_ASSIGN(const std::string right, renderInput(items[1], sources));
    if (name == "equals")
        return equalAt(left, right, 0);
    if (name == "not_equals") {
        CAIRN_TRY_ASSIGN(const bool equal, equalAt(left, right, 0));
        return !equal;
    }
    if (name == "in")
        return evaluateIn(left, right);
    CAIRN_TRY_ASSIGN(const std::string a, decimalOf(left, name));
    CAIRN_TRY_ASSIGN(const std::string b, decimalOf(right, name));
    const int order = compareDecimals(a, b);
    if (name == "less")
        return order < 0;
    if (name == "less_or_equal")
        return order <= 0;
    if (name == "greater")
        return order > 0;
    if (name == "greater_or_equal")
        return order >= 0;
    return bad("unknown operator " + jsonQuote(name));
}

Result<bool> evaluate(std::string_view raw, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const auto members, jsonObjectMembers(raw));
    if (members.size() != 1)
        return bad("a condition is an object with one operator");
    const std::string& name = members.front().name;
    const std::string_view operand = members.front().value;
    if (name == "all" || name == "any")
        return evaluateAll(operand, name == "any", sources);
    if (name == "not") {
        CAIRN_TRY_ASSIGN(const bool inner, evaluate(operand, sources));
        return !inner;
    }
    if (name == "exists") {
        const TemplateScan scan = scanTemplate(operand);
        if (scan.references.size() != 1)
            return bad("\"exists\" takes one {\"$from\": ...}");
        return referenceExists(scan.references.front(), sources);
    }
    return compare(name, operand, sources);
}

}  // namespace

Result<bool> jsonEquals(std::string_view a, std::string_view b) { return equalAt(a, b, 0); }

Result<bool> evaluateCondition(std::string_view raw, const Sources& sources)
{
    if (raw.empty())
        return true;
    return evaluate(raw, sources);
}

}  // namespace cairn
