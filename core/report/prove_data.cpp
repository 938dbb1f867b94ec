#include "core/report/prove_data.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/template.h"
#include "core/definition/text_values.h"
#include "core/report/prove_shape.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace cairn::proof {

namespace {

constexpr int kDeepest = 64;  // traces through templates of nested workflows
constexpr SpanMs kHour = 3'600'000;

bool isReference(std::string_view raw)
{
    return jsonKind(raw) == JsonKind::Object && jsonAt(raw, "/$from").has_value();
}

// Where a value is looked for: a source of a workflow, as one of its steps sees it.
struct Place {
    const Definition* flow = nullptr;
    const StepDef* reader = nullptr;  // whose "item" it is; null outside of steps
    std::string source;
    Path path;
};

std::string numberText(double value)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.6f", value);
    std::string out = text.data();
    while (out.back() == '0')
        out.pop_back();
    if (out.back() == '.')
        out.pop_back();
    return out;
}

// The literal as a number, and whether it was written as text.
std::optional<std::pair<double, bool>> decimalIn(std::string_view raw)
{
    const bool text = jsonKind(raw) == JsonKind::String;
    const auto decoded = text ? jsonString(raw) : Result<std::string>(std::string(jsonTrim(raw)));
    if (!decoded || !isDecimal(*decoded))
        return std::nullopt;
    return std::pair(std::strtod(decoded->c_str(), nullptr), text);
}

// A value that stands in this order to the literal: -1 below, 0 equal, 1 above.
std::string besides(std::string_view raw, int order)
{
    const auto number = decimalIn(raw);
    if (!number || order == 0)
        return std::string(jsonTrim(raw));
    const double value = number->first;
    const std::string text = numberText(order > 0 ? value + 1 : value > 0 ? value / 2 : value - 1);
    return number->second ? jsonQuote(text) : text;
}

std::string otherThan(std::string_view raw)
{
    switch (jsonKind(raw)) {
    case JsonKind::Bool: return *jsonBool(raw) ? "false" : "true";
    case JsonKind::Number: return besides(raw, 1);
    case JsonKind::String: return jsonQuote("not " + *jsonString(raw));
    default: return "\"other\"";
    }
}

class Maker {
public:
    Maker(const Family& family, const Wishes& wishes)
        : m_family(family)
        , m_wishes(wishes)
    {
    }

    MadeUp make()
    {
        preferWished();
        for (const auto& [name, flow] : m_family)
            for (const StepDef& step : flow.steps)
                satisfy(flow, step.condition, true, 0);
        for (const auto& [name, flow] : m_family)
            readFlow(flow);
        return result();
    }

private:
    [[nodiscard]] const Definition* find(std::string_view workflow) const
    {
        const auto found = m_family.find(workflow);
        return found == m_family.end() ? nullptr : &found->second;
    }

    // What the step that is to be reached, and all before it, ask for comes before everything else.
    void preferWished()
    {
        const Definition* flow = find(m_wishes.workflow);
        std::set<std::string> seen;
        if (flow)
            satisfyUpTo(*flow, m_wishes.step, seen);
    }
    void satisfyUpTo(const Definition& flow, const std::string& name, std::set<std::string>& seen)
    {
        const StepDef* step = flow.step(name);
        if (!step || !seen.insert(name).second)
            return;
        satisfy(flow, step->condition, true, 0);
        for (const std::string& earlier : step->after)
            satisfyUpTo(flow, earlier, seen);
    }

    // --- what is wanted, traced to who can give it

    bool want(const Place& place, const Want& wanted, int depth)
    {
        if (depth > kDeepest)
            return false;
        if (place.source == kItemSource)
            return wantOfItem(place, wanted, depth);
        if (place.source == kInputSource)
            return wantOfInput(place, wanted, depth);
        const StepDef* step = place.flow->step(place.source);
        if (!step)
            return false;
        Path path = place.path;
        if (step->forEach) {
            if (path.empty())
                return wanted.kind == WantKind::Present || wanted.kind == WantKind::List;
            path.erase(path.begin());  // members are alike
        }
        const Definition* child = step->kind == StepKind::Run ? find(step->workflow) : nullptr;
        if (child)
            return wantOfTemplate({child, nullptr, {}, std::move(path)}, child->output, wanted, depth + 1);
        return m_outputs[place.flow->ref.name][step->name].want(path, wanted);
    }

    bool wantOfItem(const Place& place, const Want& wanted, int depth)
    {
        if (!place.reader || !place.reader->forEach)
            return false;
        Path path = jsonPointerParts(place.reader->forEach->at);
        path.push_back(kEveryItem);
        path.insert(path.end(), place.path.begin(), place.path.end());
        return want({place.flow, nullptr, place.reader->forEach->step, std::move(path)}, wanted, depth + 1);
    }

    bool wantOfInput(const Place& place, const Want& wanted, int depth)
    {
        if (place.flow->ref.name == m_wishes.root)
            return m_wishes.input.empty() ? m_input.want(place.path, wanted) : false;
        bool agreed = true;
        for (const auto& [name, flow] : m_family)
            for (const StepDef& step : flow.steps)
                if (step.kind == StepKind::Run && step.workflow == place.flow->ref.name)
                    agreed = wantOfTemplate({&flow, &step, {}, place.path}, step.input, wanted, depth + 1)
                        && agreed;
        return agreed;
    }

    // `place.path` is into what the template gives.
    bool wantOfTemplate(const Place& place, std::string_view raw, const Want& wanted, int depth)
    {
        std::string_view here = jsonTrim(raw);
        for (std::size_t at = 0; !here.empty(); ++at) {
            if (isReference(here)) {
                const TemplateScan scan = scanTemplate(here);
                if (scan.references.size() != 1)
                    return false;
                Path path = jsonPointerParts(scan.references.front().at);
                path.insert(
                    path.end(), place.path.begin() + static_cast<std::ptrdiff_t>(at), place.path.end());
                return want({place.flow, place.reader, scan.references.front().source, std::move(path)},
                    wanted, depth + 1);
            }
            if (at == place.path.size() || jsonAt(here, "/$literal"))
                return wanted.kind == WantKind::Present;
            const auto next = jsonAt(here, "/" + jsonPointerPart(place.path[at]));
            if (!next)
                return false;
            here = *next;
        }
        return false;
    }

    [[nodiscard]] std::optional<std::string> known(const Place& place)
    {
        if (place.source == kInputSource && place.flow->ref.name == m_wishes.root) {
            if (m_wishes.input.empty())
                return m_input.known(place.path);
            std::string pointer;
            for (const std::string& part : place.path)
                pointer += "/" + jsonPointerPart(part);
            const auto value = jsonAt(m_wishes.input, pointer);
            return value ? std::optional<std::string>(*value) : std::nullopt;
        }
        const auto flow = m_outputs.find(place.flow->ref.name);
        if (flow == m_outputs.end() || !flow->second.contains(place.source))
            return std::nullopt;
        return flow->second.at(place.source).known(place.path);
    }

    // --- conditions

    void satisfy(const Definition& flow, std::string_view raw, bool wanted, int depth)
    {
        if (raw.empty() || depth > kDeepest)
            return;
        const auto members = jsonObjectMembers(raw);
        if (!members || members->size() != 1)
            return;
        const std::string& name = members->front().name;
        const std::string_view operand = members->front().value;
        if (name == "not")
            return satisfy(flow, operand, !wanted, depth + 1);
        if (name == "exists") {
            if (const auto place = placeOf(flow, operand); place && wanted)
                want(*place, {}, 0);
            return;
        }
        const auto items = jsonArraySlices(operand);
        if (!items || items->empty())
            return;
        if (name == "all" || name == "any") {
            const bool each = (name == "all") == wanted;
            for (const std::string_view item : *items) {
                satisfy(flow, item, wanted, depth + 1);
                if (!each)
                    break;  // one is enough
            }
            return;
        }
        if (items->size() == 2)
            compare(flow, name, items->at(0), items->at(1), wanted);
    }

    [[nodiscard]] static std::optional<Place> placeOf(const Definition& flow, std::string_view raw)
    {
        if (!isReference(raw))
            return std::nullopt;
        const TemplateScan scan = scanTemplate(jsonTrim(raw));
        if (scan.references.size() != 1)
            return std::nullopt;
        return Place{
            &flow, nullptr, scan.references.front().source, jsonPointerParts(scan.references.front().at)};
    }
    void exactly(const Place& place, std::string raw) { want(place, {WantKind::Exact, std::move(raw)}, 0); }

    void compare(const Definition& flow, const std::string& name, std::string_view left,
        std::string_view right, bool wanted)
    {
        const auto a = placeOf(flow, left);
        const auto b = placeOf(flow, right);
        if (name == "in")
            return belong(a, b, left, right, wanted);
        if (name == "equals" || name == "not_equals")
            return equal(a, b, left, right, (name == "equals") == wanted);
        int order = name == "less" || name == "less_or_equal" ? -1 : 1;
        bool strict = name == "less" || name == "greater";
        if (!wanted) {
            order = -order;
            strict = !strict;
        }
        rank(a, b, left, right, strict ? order : 0);
    }

    void belong(const std::optional<Place>& value, const std::optional<Place>& list, std::string_view left,
        std::string_view right, bool wanted)
    {
        if (list) {  // a list that comes from somewhere: its items are as the value
            Place item = *list;
            item.path.push_back(kEveryItem);
            const std::string raw = value ? "\"same\"" : std::string(jsonTrim(left));
            if (value)
                exactly(*value, raw);
            exactly(item, wanted ? raw : otherThan(raw));
            return;
        }
        const auto items = jsonArraySlices(right);
        if (!value || !items || items->empty())
            return;
        exactly(*value, wanted ? std::string(items->front()) : otherThan(items->front()));
    }

    void equal(const std::optional<Place>& a, const std::optional<Place>& b, std::string_view left,
        std::string_view right, bool wanted)
    {
        if (a && b) {
            const auto raw = known(*a) ? known(*a) : known(*b);
            const std::string one = raw.value_or("\"same\"");
            exactly(*a, one);
            exactly(*b, wanted ? one : otherThan(one));
        } else if (a || b) {
            const std::string_view literal = a ? right : left;
            exactly(a ? *a : *b, wanted ? std::string(jsonTrim(literal)) : otherThan(literal));
        }
    }

    // a below (-1), equal to (0) or above (1) b.
    void rank(const std::optional<Place>& a, const std::optional<Place>& b, std::string_view left,
        std::string_view right, int order)
    {
        if (a && b) {
            const auto base = known(*b);
            const auto mine = known(*a);
            if (mine && !base)
                return exactly(*b, besides(*mine, -order));
            exactly(*b, base.value_or("10"));
            exactly(*a, besides(base.value_or("10"), order));
        } else if (a) {
            exactly(*a, besides(right, order));
        } else if (b) {
            exactly(*b, besides(left, -order));
        }
    }

    // --- what templates read

    void readFlow(const Definition& flow)
    {
        for (const StepDef& step : flow.steps)
            readStep(flow, step);
        readTemplate(flow, nullptr, flow.output);
        for (const AttributeDef& attribute : flow.attributes)
            want({&flow, nullptr, std::string(kInputSource), jsonPointerParts(attribute.at)},
                attribute.type == "time" ? instant()
                                         : Want{attribute.type == "text" ? WantKind::Text : WantKind::Number},
                0);
    }

    void readStep(const Definition& flow, const StepDef& step)
    {
        for (const TemplateReference& reference : scanCondition(step.condition).references)
            readReference(flow, nullptr, reference);
        if (step.forEach)
            want({&flow, nullptr, step.forEach->step, jsonPointerParts(step.forEach->at)},
                {WantKind::List, {}, std::min(m_wishes.items, step.forEach->maxItems)}, 0);
        readTemplate(flow, &step, step.input);
        if (const auto place = placeOf(flow, step.until))
            want(*place, instant(), 0);
        if (const auto place = placeOf(flow, step.local))
            want(*place, {WantKind::Typed, jsonQuote(soon().substr(0, 16))}, 0);
        if (step.addsSteps)
            addPlan(flow, step);
        if (const ToolDef* tool = flow.tool(step.tool))
            readTool(flow, step, *tool);
    }

    // Key and amount are read from what the step's input gives.
    void readTool(const Definition& flow, const StepDef& step, const ToolDef& tool)
    {
        const auto ofInput = [&](const std::string& pointer, const Want& wanted) {
            wantOfTemplate({&flow, &step, {}, jsonPointerParts(pointer)}, step.input, wanted, 0);
        };
        if (!tool.amountAt.empty())
            ofInput(tool.amountAt, {WantKind::Number});
        if (!tool.currencyAt.empty())
            ofInput(tool.currencyAt, {WantKind::Typed, "\"EUR\""});
        if (const auto parts = parseEffectKey(tool.effectKey))
            for (const KeyPart& part : *parts)
                if (part.isPointer)
                    ofInput(part.text, {WantKind::Text});
        for (const TemplateReference& reference : scanTemplate(tool.undoInput).references) {
            const Path path = jsonPointerParts(reference.at);
            if (reference.source == kOutputSource)
                m_outputs[flow.ref.name][step.name].want(path, {});
            else if (reference.source == kInputSource)
                wantOfTemplate({&flow, &step, {}, path}, step.input, {}, 0);
        }
    }

    // Each step on demand once, in the order of the definition, after those of them that it reads.
    void addPlan(const Definition& flow, const StepDef& decision)
    {
        if (m_planned.contains(flow.ref.name))
            return;
        m_planned.insert(flow.ref.name);
        std::string plan = "[";
        std::set<std::string> before;
        for (const StepDef& step : flow.steps) {
            if (!step.onDemand)
                continue;
            std::string after = jsonQuote(decision.name);
            for (const std::string& name : step.after)
                if (before.contains(name))
                    after += "," + jsonQuote(name);
            plan += (before.empty() ? "" : ",") + ("{\"name\":" + jsonQuote(step.name)) + ",\"after\":["
                + after + "]}";
            before.insert(step.name);
        }
        m_outputs[flow.ref.name][decision.name].want({"steps"}, {WantKind::Exact, plan + "]"});
    }

    void readTemplate(const Definition& flow, const StepDef* step, std::string_view raw)
    {
        for (const TemplateReference& reference : scanTemplate(raw).references)
            readReference(flow, step, reference);
    }
    void readReference(const Definition& flow, const StepDef* step, const TemplateReference& reference)
    {
        want({&flow, step, reference.source, jsonPointerParts(reference.at)}, {}, 0);
    }
    // As RFC 3339 writes it.
    [[nodiscard]] std::string soon() const
    {
        std::string text = formatInstant(m_wishes.now + kHour);
        std::replace(text.begin(), text.end(), ' ', 'T');
        return text;
    }
    [[nodiscard]] Want instant() const { return {WantKind::Typed, jsonQuote(soon())}; }

    MadeUp result()
    {
        MadeUp made;
        made.input = m_wishes.input.empty() ? m_input.known({}).value_or(valueOf(m_input, "input", 0))
                                            : m_wishes.input;
        for (const auto& [name, flow] : m_family)
            for (const StepDef& step : flow.steps) {
                auto& outputs = made.flows[name].outputs[step.name];
                for (std::uint32_t i = 0; i < (step.forEach ? m_wishes.items : 1); ++i)
                    outputs.push_back(valueOf(m_outputs[name][step.name], step.name, i));
            }
        return made;
    }
    // An object, where nobody reads a part of it.
    [[nodiscard]] static std::string valueOf(const Shape& shape, const std::string& name, std::uint32_t index)
    {
        const std::string text = shape.value(name, index);
        return text == Shape().value(name, index) ? "{\"made_up\":" + text + "}" : text;
    }

    const Family& m_family;
    const Wishes& m_wishes;
    Shape m_input;
    std::map<std::string, std::map<std::string, Shape>> m_outputs;  // by workflow and step
    std::set<std::string> m_planned;
};

}  // namespace

const std::string& MadeUp::output(std::string_view workflow, std::string_view name, std::uint32_t index) const
{
    static const std::string kNothing = "{}";
    const auto flow = flows.find(workflow);
    if (flow == flows.end())
        return kNothing;
    const auto step = flow->second.outputs.find(name);
    if (step == flow->second.outputs.end() || step->second.empty())
        return kNothing;
    return step->second[std::min<std::size_t>(index, step->second.size() - 1)];
}

MadeUp makeUp(const Family& family, const Wishes& wishes) { return Maker(family, wishes).make(); }

}  // namespace cairn::proof
