#include "core/definition/policy_text.h"

#include "core/base/text.h"
#include "core/definition/reader.h"
#include "core/definition/text_values.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::string_view kPolicySchemaId = "urn:cairn:policy:1";
constexpr std::size_t kMostRules = 200;
constexpr std::size_t kMostNames = 200;  // of one list
constexpr std::uint64_t kMostRuns = 1'000'000'000;
constexpr SpanMs kLongestWait = SpanMs{30} * 24 * 3600 * 1000;

std::string knownVerbs()
{
    std::string all;
    for (const Word& word : words<Verb>())
        if (policyKnows(static_cast<Verb>(word.value)))
            all += (all.empty() ? "" : ", ") + std::string(word.key);
    return all;
}

std::vector<std::string> names(Fields& fields, std::string_view name)
{
    std::vector<std::string> all;
    for (const Node& item : fields.list(name)) {
        std::string text = textOf(fields.report(), item, "an item of " + jsonQuote(name), 200);
        if (jsonKind(item.raw) != JsonKind::String)
            continue;
        if (text.empty())
            fields.report().error(item.raw, item.pointer, "an item of " + jsonQuote(name) + " is empty");
        else if (std::find(all.begin(), all.end(), text) != all.end())
            fields.report().error(
                item.raw, item.pointer, jsonQuote(text) + " stands twice in " + jsonQuote(name));
        else
            all.push_back(std::move(text));
    }
    if (fields.has(name) && all.empty() && jsonKind(fields.node(name).raw) == JsonKind::Array)
        fields.error(name, jsonQuote(name) + " is empty: leave it out, or name at least one");
    if (all.size() > kMostNames)
        fields.error(name, jsonQuote(name) + " has more than " + std::to_string(kMostNames) + " items");
    return all;
}

std::vector<Verb> verbs(Fields& rule)
{
    std::vector<Verb> all;
    const auto nodes = rule.list("verbs");
    const auto texts = names(rule, "verbs");
    for (const std::string& text : texts) {
        const auto verb = parseKey<Verb>(text);
        if (verb && policyKnows(*verb)) {
            all.push_back(*verb);
            continue;
        }
        const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
            const auto written = jsonString(node.raw);
            return written && *written == text;
        });
        rule.report().error(at->raw, at->pointer,
            jsonQuote(text) + " is no verb that a policy may name; those are " + knownVerbs());
    }
    return all;
}

Money amount(Fields& rule)
{
    if (!rule.has("amount"))
        return {};
    Fields fields(rule.report(), rule.node("amount"), "\"amount\"", {"from", "currency"});
    if (!fields.require("from") || !fields.require("currency"))
        return {};
    Money money{0, fields.text("currency")};
    const auto micros = parseMicros(fields.text("from"));
    if (rule.report().hasErrorAtOrBelow(rule.node("amount").pointer))
        return {};
    if (!micros || *micros < 0)
        fields.error(
            "from", "\"from\": " + (micros ? std::string("it must not be negative") : micros.error().text));
    if (!isCurrency(money.currency))
        fields.error("currency",
            jsonQuote(money.currency) + " is no currency code" + didYouMean(nearestCurrency(money.currency)));
    money.micros = micros ? *micros : 0;
    return money;
}

void checkRule(const PolicyRule& rule, Fields& fields)
{
    const auto names = [&](Verb verb) {
        return std::find(rule.verbs.begin(), rule.verbs.end(), verb) != rule.verbs.end();
    };
    if (rule.people > 1 && (names(Verb::Approve) || names(Verb::Reject)))
        fields.error("people",
            "approve and reject take no second person here: how many an approval needs is said where it is "
            "asked for (\"approval\" in the workflow)");
    if (rule.people < 2 && fields.has("expires"))
        fields.error(
            "expires", "only what waits for a second person expires: leave it out, or set \"people\" to 2");
    if (rule.expiresAfter > kLongestWait)
        fields.error("expires", "a proposal waits for " + spanText(kLongestWait) + " at most");
}

PolicyRule readRule(Report& report, const Node& node, std::size_t number)
{
    Fields fields(report, node, "rule " + std::to_string(number),
        {"verbs", "environments", "amount", "runs", "people", "role", "reason", "expires", "description"});
    PolicyRule rule;
    static_cast<void>(fields.text("description", 2'000));
    rule.verbs = verbs(fields);
    rule.environments = names(fields, "environments");
    rule.amountFrom = amount(fields);
    rule.runsFrom =
        static_cast<std::uint64_t>(fields.integer("runs", 1, static_cast<std::int64_t>(kMostRuns), 0));
    rule.people = static_cast<std::uint32_t>(fields.integer("people", 1, kMostPeople, 1));
    rule.role = fields.text("role");
    rule.reason = static_cast<std::uint32_t>(fields.integer("reason", 0, kLongestReason, 0));
    rule.expiresAfter = fields.span("expires", kProposalExpires);
    if (!report.hasErrorAtOrBelow(node.pointer))
        checkRule(rule, fields);
    return rule;
}

template<class T> bool covers(const std::vector<T>& all, const std::vector<T>& some)
{
    return all.empty() || (!some.empty() && std::all_of(some.begin(), some.end(), [&](const T& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    }));
}

// Whatever fits `later` fits `first` as well.
bool shadows(const PolicyRule& first, const PolicyRule& later)
{
    const bool verbs = first.verbs.empty() ? std::none_of(later.verbs.begin(), later.verbs.end(),
                           [](Verb verb) { return verb == Verb::Approve || verb == Verb::Reject; })
                                           : covers(first.verbs, later.verbs);
    const bool amounts = first.amountFrom.currency.empty()
        || (first.amountFrom.currency == later.amountFrom.currency
            && first.amountFrom.micros <= later.amountFrom.micros);
    return verbs && amounts && first.runsFrom <= std::max<std::uint64_t>(later.runsFrom, 1)
        && covers(first.environments, later.environments);
}

void readRules(Policy& policy, Fields& top)
{
    const auto nodes = top.list("rules");
    if (nodes.size() > kMostRules)
        top.error("rules", "a policy has " + std::to_string(kMostRules) + " rules at most");
    for (const Node& node : nodes) {
        PolicyRule rule = readRule(top.report(), node, policy.rules.size() + 1);
        const auto before = std::find_if(policy.rules.begin(), policy.rules.end(),
            [&](const PolicyRule& first) { return shadows(first, rule); });
        if (before != policy.rules.end() && !top.report().hasErrors())
            top.report().warning(node.raw, node.pointer,
                "rule " + std::to_string(policy.rules.size() + 1) + " never decides: rule "
                    + std::to_string(before - policy.rules.begin() + 1) + " stands before it and fits "
                    + "whatever it fits");
        policy.rules.push_back(std::move(rule));
        if (policy.rules.size() > kMostRules)
            return;
    }
}

void readRoles(Policy& policy, Fields& top)
{
    for (auto& [member, node] : top.map("roles")) {
        if (member.name.empty() || member.name.size() > 200)
            top.report().error(member.written, node.pointer, "a role's name has 1 to 200 bytes");
        PolicyRole role{member.name, {}};
        if (jsonKind(node.raw) != JsonKind::Array)
            top.report().error(node.raw, node.pointer,
                "role " + jsonQuote(member.name.substr(0, 60)) + " must be a list of logins, found "
                    + std::string(jsonKindName(jsonKind(node.raw))));
        else if (const auto items = jsonArraySlices(node.raw))
            for (std::size_t i = 0; i < items->size(); ++i)
                role.logins.push_back(textOf(
                    top.report(), {(*items)[i], node.pointer + '/' + std::to_string(i)}, "a login", 200));
        policy.roles.push_back(std::move(role));
    }
}

std::string listText(const std::vector<std::string>& items)
{
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? "" : ", ") + jsonQuote(item);
    return "[" + text + "]";
}

std::string ruleText(const PolicyRule& rule)
{
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) {
        text += (text.empty() ? "" : ", ") + jsonQuote(name) + ": " + value;
    };
    std::vector<std::string> verbKeys;
    for (const Verb verb : rule.verbs)
        verbKeys.emplace_back(key(verb));
    if (!verbKeys.empty())
        add("verbs", listText(verbKeys));
    if (!rule.environments.empty())
        add("environments", listText(rule.environments));
    if (!rule.amountFrom.currency.empty())
        add("amount",
            "{\"from\": " + jsonQuote(formatAmount(rule.amountFrom.micros, rule.amountFrom.currency))
                + ", \"currency\": " + jsonQuote(rule.amountFrom.currency) + "}");
    if (rule.runsFrom > 0)
        add("runs", std::to_string(rule.runsFrom));
    add("people", std::to_string(rule.people));
    if (!rule.role.empty())
        add("role", jsonQuote(rule.role));
    if (rule.reason > 0)
        add("reason", std::to_string(rule.reason));
    if (rule.people > 1 && rule.expiresAfter != kProposalExpires)
        add("expires", jsonQuote(spanText(rule.expiresAfter)));
    return "{" + text + "}";
}

}  // namespace

ParsedPolicy parsePolicy(std::string_view text)
{
    ParsedPolicy parsed;
    if (auto fault = findJsonFault(text, kInterpretedJson)) {
        const LineColumn place = lineColumn(text, fault->offset);
        parsed.diagnostics.push_back({Severity::Error, place.line, place.column, {}, std::move(fault->text)});
        return parsed;
    }
    Report report(text);
    Policy policy;
    Fields top(
        report, {jsonTrim(text), {}}, "a policy", {"$schema", "schema", "description", "rules", "roles"});
    if (jsonKind(text) == JsonKind::Object) {
        if (top.require("schema") && top.text("schema") != kPolicySchemaId
            && !report.hasErrorAtOrBelow("/schema"))
            top.error("schema",
                "this binary reads " + jsonQuote(kPolicySchemaId) + ", found "
                    + std::string(jsonTrim(top.node("schema").raw).substr(0, 60)));
        static_cast<void>(top.text("$schema"));
        static_cast<void>(top.text("description", 20'000));
        top.require("rules");
        readRules(policy, top);
        readRoles(policy, top);
    }
    const bool usable = !report.hasErrors();
    parsed.diagnostics = report.take();
    if (usable)
        parsed.policy = std::move(policy);
    return parsed;
}

std::string policyText(const Policy& policy)
{
    std::string text = "{\n  \"schema\": " + jsonQuote(kPolicySchemaId) + ",\n  \"rules\": [";
    for (std::size_t i = 0; i < policy.rules.size(); ++i)
        text += (i == 0 ? "\n    " : ",\n    ") + ruleText(policy.rules[i]);
    text += policy.rules.empty() ? "]" : "\n  ]";
    if (!policy.roles.empty()) {
        text += ",\n  \"roles\": {";
        for (std::size_t i = 0; i < policy.roles.size(); ++i)
            text += (i == 0 ? "\n    " : ",\n    ") + jsonQuote(policy.roles[i].name) + ": "
                + listText(policy.roles[i].logins);
        text += "\n  }";
    }
    return text + "\n}\n";
}

std::vector<std::string> policyDifferences(const Policy& before, const Policy& after)
{
    std::vector<std::string> lines;
    const auto differ = [&](const std::string& what, const std::string& was, const std::string& is) {
        if (was != is)
            lines.push_back(
                what + ": " + (was.empty() ? "not there" : was) + " -> " + (is.empty() ? "not there" : is));
    };
    for (std::size_t i = 0; i < std::max(before.rules.size(), after.rules.size()); ++i)
        differ("rule " + std::to_string(i + 1),
            i < before.rules.size() ? ruleText(before.rules[i]) : std::string(),
            i < after.rules.size() ? ruleText(after.rules[i]) : std::string());
    const auto logins = [](const Policy& policy, const std::string& name) {
        const auto at = std::find_if(policy.roles.begin(), policy.roles.end(),
            [&](const PolicyRole& role) { return role.name == name; });
        return at == policy.roles.end() ? std::string() : listText(at->logins);
    };
    for (const PolicyRole& role : before.roles)
        differ("role " + jsonQuote(role.name), logins(before, role.name), logins(after, role.name));
    for (const PolicyRole& role : after.roles)
        if (logins(before, role.name).empty())
            differ("role " + jsonQuote(role.name), {}, logins(after, role.name));
    return lines;
}

}  // namespace cairn
