#include "core/definition/render.h"

#include "core/base/json_scan.h"
#include "core/definition/resolve.h"
#include "core/definition/text_values.h"
#include "core/definition/timer.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kMaxKey = 512;

Error bad(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }

std::string sourceName(std::string_view source)
{
    if (source == kInputSource)
        return "the input";
    if (source == kItemSource)
        return "the item";
    return "the output of step " + jsonQuote(source);
}

std::string placeOf(const TemplateReference& reference)
{
    return (reference.at.empty() ? std::string() : reference.at + " of ") + sourceName(reference.source);
}

// What a reference stands for; `missing` is set where there is nothing.
Result<std::string_view> find(
    const TemplateReference& reference, const Sources& sources, std::string& missing)
{
    auto bytes = sources(reference.source);
    if (!bytes) {
        if (bytes.error().kind != ErrorKind::NotFound)
            return std::move(bytes).error();
        missing = "it reads " + placeOf(reference) + ", which is not there"
            + (bytes.error().text.empty() ? "" : ": " + bytes.error().text);
        return std::string_view();
    }
    auto value = jsonAt(*bytes, reference.at);
    if (!value)
        missing = "it reads " + placeOf(reference) + ": " + value.error().text;
    return value ? *value : std::string_view();
}

Error prefixed(const std::string& prefix, Error error)
{
    error.text = prefix + error.text;
    return error;
}

Result<std::string> scalarText(std::string_view value)
{
    switch (jsonKind(value)) {
    case JsonKind::String: return jsonString(value);
    case JsonKind::Number:
    case JsonKind::Bool: return std::string(jsonTrim(value));
    default:
        return bad(
            "found " + std::string(jsonKindName(jsonKind(value))) + ", it takes text, a number or a boolean");
    }
}

Result<std::string_view> listOf(const ForEach& forEach, const Sources& sources)
{
    TemplateReference reference;
    reference.source = forEach.step;
    reference.at = forEach.at;
    CAIRN_TRY_ASSIGN(const std::string_view list, resolveReference(reference, sources));
    if (jsonKind(list) != JsonKind::Array)
        return bad(placeOf(reference) + " is " + std::string(jsonKindName(jsonKind(list))) + ", not a list");
    return list;
}

Status renderInputParts(
    StepRendering& out, const Definition& definition, const StepDef& step, const Sources& sources)
{
    const std::string where = "step " + jsonQuote(step.name) + ": ";
    auto input = renderInput(step.input, sources);
    if (!input)
        return prefixed(where + "input: ", std::move(input).error());
    out.input = *std::move(input);
    const ToolDef* tool = step.tool.empty() ? nullptr : definition.tool(step.tool);
    if (!tool)
        return {};
    if (writes(tool->safety) && !tool->effectKey.empty()) {
        auto key = renderEffectKey(tool->effectKey, out.input);
        if (!key)
            return prefixed(where + "effect key: ", std::move(key).error());
        out.effectKey = *std::move(key);
    }
    auto amount = renderAmount(*tool, out.input);
    if (!amount)
        return prefixed(where + "amount: ", std::move(amount).error());
    out.amount = *std::move(amount);
    return {};
}

bool takesInput(StepKind kind)
{
    return kind != StepKind::Timer && kind != StepKind::Signal && kind != StepKind::FanOut;
}

}  // namespace

Result<std::string_view> resolveReference(const TemplateReference& reference, const Sources& sources)
{
    std::string missing;
    CAIRN_TRY_ASSIGN(const std::string_view value, find(reference, sources, missing));
    if (missing.empty())
        return value;
    if (reference.hasElse)
        return reference.otherwise;
    return bad(std::move(missing));
}

Result<bool> referenceExists(const TemplateReference& reference, const Sources& sources)
{
    std::string missing;
    CAIRN_TRY(find(reference, sources, missing));
    return missing.empty();
}

Result<std::string> renderInput(std::string_view rawTemplate, const Sources& sources)
{
    if (rawTemplate.empty())
        return std::string("null");
    const std::string_view raw = jsonTrim(rawTemplate);
    const TemplateScan scan = scanTemplate(raw);
    if (!scan.faults.empty())
        return bad(scan.faults.front().text);
    std::vector<std::pair<std::string_view, std::string_view>> parts;  // what is replaced, and by what
    for (const TemplateReference& reference : scan.references) {
        CAIRN_TRY_ASSIGN(const std::string_view value, resolveReference(reference, sources));
        parts.emplace_back(reference.slice, value);
    }
    for (const TemplateLiteral& literal : scan.literals)
        parts.emplace_back(literal.slice, literal.value);
    std::sort(parts.begin(), parts.end(),
        [](const auto& a, const auto& b) { return a.first.data() < b.first.data(); });
    std::size_t size = raw.size();
    for (const auto& [slice, value] : parts)
        size += value.size() - slice.size();
    if (size > kPayloadJson.size)
        return bad("it would have " + std::to_string(size) + " bytes, at most "
            + std::to_string(kPayloadJson.size) + " are accepted");
    std::string out;
    out.reserve(size);
    const char* at = raw.data();
    for (const auto& [slice, value] : parts) {
        out.append(at, static_cast<std::size_t>(slice.data() - at));
        out.append(value);
        at = slice.data() + slice.size();
    }
    out.append(at, static_cast<std::size_t>(raw.data() + raw.size() - at));
    // A value inside a template may lie too deep although neither is too deep alone.
    if (parts.size() != 1 || parts.front().first.size() != raw.size())
        CAIRN_TRY(validateJson(out, kPayloadJson));
    return out;
}

Result<std::string> renderEffectKey(std::string_view keyTemplate, std::string_view renderedInput)
{
    CAIRN_TRY_ASSIGN(const auto parts, parseEffectKey(keyTemplate));
    std::string key;
    for (const KeyPart& part : parts) {
        if (!part.isPointer) {
            key += part.text;
            continue;
        }
        auto value = jsonAt(renderedInput, part.text);
        if (!value)
            return bad("it reads " + part.text + " of the rendered input: " + value.error().text);
        auto text = scalarText(*value);
        if (!text)
            return bad("it reads " + part.text + " of the rendered input: " + text.error().text);
        if (text->empty())
            return bad(
                "it reads " + part.text + " of the rendered input: found empty text, which names nothing");
        key += *text;
    }
    if (key.size() > kMaxKey)
        return bad("it has " + std::to_string(key.size()) + " bytes, at most " + std::to_string(kMaxKey)
            + " are accepted");
    for (const char c : key)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            return bad("it holds a control character");
    return key;
}

Result<Money> renderAmount(const ToolDef& tool, std::string_view renderedInput)
{
    if (tool.amountAt.empty())
        return Money{};
    auto value = jsonAt(renderedInput, tool.amountAt);
    if (!value)
        return bad("it reads " + tool.amountAt + " of the rendered input: " + value.error().text);
    auto text = scalarText(*value);
    auto micros = text ? parseMicros(*text) : Result<std::int64_t>(std::move(text).error());
    if (!micros)
        return bad("it reads " + tool.amountAt + " of the rendered input: " + micros.error().text);
    if (*micros < 0)
        return bad("it reads " + tool.amountAt + " of the rendered input: an amount must not be negative");
    Money money{*micros, tool.currency};
    if (!tool.currencyAt.empty()) {
        auto code = jsonAt(renderedInput, tool.currencyAt);
        auto name = code ? jsonString(*code) : Result<std::string>(std::move(code).error());
        if (!name)
            return bad(
                "its currency is at " + tool.currencyAt + " of the rendered input: " + name.error().text);
        if (!isCurrency(*name))
            return bad("its currency is at " + tool.currencyAt + " of the rendered input: " + jsonQuote(*name)
                + " is no currency code");
        money.currency = *std::move(name);
    }
    return money;
}

std::vector<Usage> usageOf(std::span<const UsageAt> places, std::string_view output, RefusedUsage* refused)
{
    constexpr std::int64_t kMicros = 1'000'000;
    constexpr std::size_t kShown = 100;
    std::vector<Usage> used;
    const auto refuse = [&](const UsageAt& usage, const std::string& text) {
        if (!refused)
            return;
        refused->text += (refused->text.empty() ? "the report of what was used is not taken: " : "; ")
            + usage.unit + " at " + usage.at + " is " + text.substr(0, kShown)
            + ", and a call uses from nothing to 1000000000";
        if (text.front() != '-')
            refused->tooMuch.push_back(usage.unit);
    };
    for (const UsageAt& usage : places) {
        const auto value = jsonAt(output, usage.at);
        const auto text = value ? scalarText(*value) : Result<std::string>(value.error());
        const auto micros = text ? parseMicros(*text) : Result<std::int64_t>(text.error());
        const bool isNumber =
            text && jsonKind(*value) == JsonKind::Number;  // too long for an amount, perhaps
        if (micros ? !isReportable(*micros) : isNumber)
            refuse(usage, *text);
        if (!micros || !isReportable(*micros))
            continue;
        used.push_back({usage.unit,
            usage.unit == "tokens" ? *micros / kMicros + (*micros % kMicros == 0 ? 0 : 1) : *micros});
    }
    return used;
}

Result<TimeMs> renderUntil(std::string_view rawTemplate, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const std::string value, renderInput(rawTemplate, sources));
    CAIRN_TRY_ASSIGN(const std::string text, jsonString(value));
    return parseInstant(text);
}

Result<std::uint32_t> countItems(const ForEach& forEach, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const std::string_view list, listOf(forEach, sources));
    CAIRN_TRY_ASSIGN(const std::size_t count, jsonArraySize(list));
    if (count > forEach.maxItems)
        return bad("the list has " + std::to_string(count) + " items, at most "
            + std::to_string(forEach.maxItems) + " are accepted");
    return static_cast<std::uint32_t>(count);
}

Result<std::string_view> itemSlice(const ForEach& forEach, const Sources& sources, std::size_t index)
{
    CAIRN_TRY_ASSIGN(const std::string_view list, listOf(forEach, sources));
    return jsonArrayItem(list, index);
}

Result<std::vector<std::string_view>> itemSlices(const ForEach& forEach, const Sources& sources)
{
    CAIRN_TRY_ASSIGN(const std::string_view list, listOf(forEach, sources));
    return jsonArraySlices(list);
}

Result<StepRendering> renderStep(const Definition& definition, const StepDef& step, const Sources& sources,
    std::optional<std::string_view> item, TimeMs now)
{
    const std::string where = "step " + jsonQuote(step.name) + ": ";
    StepRendering out;
    if (!item) {
        auto condition = evaluateCondition(step.condition, sources);
        if (!condition)
            return prefixed(where + "condition: ", std::move(condition).error());
        out.condition = *condition;
        if (!out.condition)
            return out;
    }
    if (step.forEach && !item) {
        auto items = countItems(*step.forEach, sources);
        if (!items)
            return prefixed(where + "for_each: ", std::move(items).error());
        out.items = *items;
        return out;
    }
    if (!step.until.empty()) {
        auto until = renderUntil(step.until, sources);
        if (!until)
            return prefixed(where + "until: ", std::move(until).error());
        out.until = *until;
    }
    if (!step.zone.empty()) {
        auto until = renderTimer(step, sources, now);
        if (!until)
            return prefixed(where + (step.cron.empty() ? "at: " : "next: "), std::move(until).error());
        out.until = *until;
    }
    if (!takesInput(step.kind))
        return out;
    if (!item) {
        CAIRN_TRY(renderInputParts(out, definition, step, sources));
        return out;
    }
    const Sources withItem = [&](std::string_view source) {
        return source == kItemSource ? Result<std::string_view>(*item) : sources(source);
    };
    CAIRN_TRY(renderInputParts(out, definition, step, withItem));
    return out;
}

Result<std::string> renderUndo(const ToolDef& tool, const Sources& sources)
{
    return renderInput(tool.undoInput, [&](std::string_view source) -> Result<std::string_view> {
        if (source == kInputSource || source == kOutputSource)
            return sources(source);
        return makeError(ErrorKind::NotFound, "undo reads \"input\" and \"output\" only");
    });
}

}  // namespace cairn
