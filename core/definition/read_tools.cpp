// Tools of a definition and the settings of their executors.
#include "core/definition/contract.h"
#include "core/definition/page.h"
#include "core/definition/reader.h"
#include "core/definition/settings.h"
#include "core/definition/template.h"
#include "core/definition/text_values.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::array<std::string_view, 6> kNames{"workflow_dir", "key", "secret", "run", "step", "attempt"};

bool isEnvName(std::string_view name)
{
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos
        && !(name[0] >= '0' && name[0] <= '9');
}

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

// Checks every ${...} of a setting. Secrets may only go where they are not seen by others of the machine.
void checkNames(
    Report& report, const Node& at, const std::string& text, const ToolDef& tool, bool mayHoldSecret)
{
    auto parts = parseSettingsText(text);
    if (!parts)
        return report.error(at.raw, at.pointer, parts.error().text);
    for (const SettingsPart& part : *parts) {
        if (!part.isName)
            continue;
        const bool env = part.text.compare(0, 4, "env.") == 0;
        if (env && isEnvName(part.text.substr(4)))
            continue;
        if (std::find(kNames.begin(), kNames.end(), part.text) == kNames.end()) {
            const std::string near = nearestName(part.text, kNames, [](std::string_view n) { return n; });
            report.error(
                at.raw, at.pointer, "unknown name ${" + part.text.substr(0, 60) + "}" + didYouMean(near));
        } else if (part.text == "key" && !writes(tool.safety)) {
            report.error(at.raw, at.pointer, "${key}: a read_only tool has no effect key");
        } else if (part.text == "secret" && tool.secret.empty()) {
            report.error(at.raw, at.pointer, "${secret}: the tool names no \"secret\"");
        } else if (part.text == "secret" && !mayHoldSecret) {
            report.error(at.raw, at.pointer,
                "${secret} may stand in a header only, where others do not see it; a command "
                "finds it in CAIRN_SECRET");
        }
    }
}

std::string settingText(
    Report& report, const Node& node, const std::string& what, const ToolDef& tool, bool mayHoldSecret)
{
    std::string text = textOf(report, node, what, 4000);
    checkNames(report, node, text, tool, mayHoldSecret);
    return text;
}

void checkCommand(Report& report, const Node& node, const std::string& what, const ToolDef& tool)
{
    Fields fields(report, node, what, {"argv", "cwd", "env", "max_output"});
    fields.require("argv");
    std::size_t count = 0;
    for (const Node& item : fields.list("argv")) {
        const std::string text = settingText(report, item, "an argument in \"argv\"", tool, false);
        const bool placed = !text.empty()
            && (text.front() == '/' || text.compare(0, 16, "${workflow_dir}/") == 0
                || text.compare(0, 6, "${env.") == 0);
        if (count++ == 0 && !placed && jsonKind(item.raw) == JsonKind::String)
            report.error(item.raw, item.pointer,
                "the program must be an absolute path, or begin with ${workflow_dir}/ or "
                "${env.NAME}, found "
                    + jsonQuote(text));
    }
    if (count == 0 && fields.has("argv"))
        fields.error("argv", "\"argv\" needs the program as its first item");
    if (fields.has("cwd"))
        static_cast<void>(settingText(report, fields.node("cwd"), "\"cwd\"", tool, false));
    for (const Node& item : fields.list("env")) {
        const std::string name = textOf(report, item, "a name in \"env\"", 200);
        if (jsonKind(item.raw) == JsonKind::String && !isEnvName(name))
            report.error(item.raw, item.pointer, jsonQuote(name) + " is no name of an environment variable");
    }
    static_cast<void>(fields.integer("max_output", 1, std::int64_t{256} << 20, 1));
}

void checkHeaders(Fields& fields, const ToolDef& tool)
{
    static constexpr std::array<std::string_view, 5> guarded{
        "authorization", "proxy-authorization", "x-api-key", "cookie", "api-key"};
    for (auto& [member, node] : fields.map("headers")) {
        const std::string value =
            settingText(fields.report(), node, "header " + jsonQuote(member.name.substr(0, 60)), tool, true);
        const bool holdsSecret =
            std::find(guarded.begin(), guarded.end(), lower(member.name)) != guarded.end();
        if (holdsSecret && value.find("${secret}") == std::string::npos
            && value.find("${env.") == std::string::npos)
            fields.report().error(node.raw, node.pointer,
                "a secret must not stand in a definition: name it in \"secret\" "
                "and write ${secret} here");
    }
}

void checkHttp(Report& report, const Node& node, const std::string& what, const ToolDef& tool)
{
    Fields fields(report, node, what, {"method", "url", "headers", "key_header", "max_output"});
    if (fields.require("url")) {
        const std::string url = settingText(report, fields.node("url"), "\"url\"", tool, false);
        const bool known = url.compare(0, 7, "http://") == 0 || url.compare(0, 8, "https://") == 0
            || url.compare(0, 6, "${env.") == 0;
        if (!known && !report.hasErrorAtOrBelow(fields.node("url").pointer))
            fields.error("url",
                "\"url\" must begin with http://, https:// or ${env.NAME}, found "
                    + jsonQuote(url.substr(0, 60)));
    }
    static_cast<void>(fields.choice("method", {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, 1));
    checkHeaders(fields, tool);
    static_cast<void>(fields.text("key_header", 100));
    static_cast<void>(fields.integer("max_output", 1, std::int64_t{256} << 20, 1));
}

void checkBuiltin(Report& report, const Node& node, const std::string& what)
{
    Fields fields(report, node, what, {"function", "at", "for", "times", "failure"});
    if (fields.require("function"))
        static_cast<void>(fields.choice("function", {"noop", "echo", "pick", "sleep", "fail"}, 0));
    static_cast<void>(fields.pointer("at"));
    static_cast<void>(fields.span("for", 0, true));
    static_cast<void>(fields.integer("times", 0, 1'000'000, 0));
    static_cast<void>(fields.choice("failure",
        {"retryable", "permanent", "rate_limited", "credential", "rejected", "too_large", "crashed"}, 0));
}

void checkSettings(Report& report, const Node& node, const std::string& what, const ToolDef& tool)
{
    if (jsonKind(node.raw) != JsonKind::Object)
        return;  // reported by rawObject
    if (tool.executor == "command") {
        checkCommand(report, node, what, tool);
    } else if (tool.executor == "http") {
        checkHttp(report, node, what, tool);
    } else if (tool.executor == "builtin") {
        checkBuiltin(report, node, what);
    } else {
        Fields fields(report, node, what, {"queue"});
        // Workers are not told apart by queues: a setting that nobody reads would only seem to keep others
        // away.
        fields.forbid(
            "queue", "a worker says which tools it serves when it claims; give the tool a name of its own");
    }
}

void readAmount(ToolDef& tool, Fields& fields)
{
    if (!fields.has("amount"))
        return;
    Fields amount(fields.report(), fields.node("amount"), "\"amount\"", {"at", "currency", "currency_at"});
    amount.require("at");
    tool.amountAt = amount.pointer("at");
    tool.currencyAt = amount.pointer("currency_at");
    tool.currency = amount.text("currency");
    if (jsonKind(amount.self().raw) == JsonKind::Object
        && amount.has("currency") == amount.has("currency_at"))
        fields.error("amount", "\"amount\" needs either \"currency\" or \"currency_at\"");
    if (!tool.currency.empty() && !isCurrency(tool.currency))
        amount.error("currency",
            jsonQuote(tool.currency) + " is no currency code" + didYouMean(nearestCurrency(tool.currency)));
}

void readUsage(ToolDef& tool, Fields& fields)
{
    for (auto& [member, node] : fields.map("usage")) {
        if (member.name != "tokens" && !isCurrency(member.name))
            fields.report().error(member.written, node.pointer,
                jsonQuote(member.name.substr(0, 60)) + " is neither \"tokens\" nor a currency code"
                    + didYouMean(nearestCurrency(member.name)));
        std::string at = textOf(fields.report(), node, "a pointer into the output", 1000);
        if (std::string fault = jsonPointerFault(at); !fault.empty())
            fields.report().error(node.raw, node.pointer, jsonQuote(at) + ": " + fault);
        tool.usage.push_back({member.name, std::move(at)});
    }
}

void readUndo(ToolDef& tool, Fields& fields)
{
    if (!fields.has("undo"))
        return;
    Fields undo(fields.report(), fields.node("undo"), "\"undo\"", {"tool", "input"});
    undo.require("tool");
    undo.require("input");
    tool.undoTool = undo.text("tool");
    tool.undoInput = undo.raw("input");
}

void readEffect(ToolDef& tool, Fields& fields)
{
    tool.effectKey = fields.text("effect_key", 1000);
    if (auto key = parseEffectKey(tool.effectKey); !key)
        fields.error("effect_key", key.error().text);
    tool.checkFirst = fields.flag("check_first", false);
    tool.keysKept = fields.span("keys_kept", 0);
    tool.lookUp = fields.rawObject("look_up");
    if (fields.has("look_up"))
        checkSettings(fields.report(), fields.node("look_up"), "\"look_up\"", tool);
    if (!writes(tool.safety)) {
        const std::string why = "it is read_only and has no effect outside";
        for (const std::string_view name :
            {"effect_key", "look_up", "check_first", "keys_kept", "undo", "amount"})
            fields.forbid(name, why);
        return;
    }
    readAmount(tool, fields);
    readUndo(tool, fields);
    if (tool.checkFirst && tool.lookUp.empty())
        fields.error("check_first", fields.what() + " has \"check_first\" but no \"look_up\" to check with");
    if (tool.safety == ReplaySafety::Irreversible && !fields.has("look_up"))
        fields.report().warning(fields.self().raw, fields.self().pointer,
            fields.what()
                + " is irreversible and has no \"look_up\": where a call's outcome is not "
                  "known, the run is parked until a person decides");
}

ToolDef readTool(Report& report, const JsonMember& member, const Node& node)
{
    ToolDef tool;
    tool.name = member.name;
    const std::string what = "tool " + jsonQuote(member.name.substr(0, 60));
    if (std::string fault = identifierFault(member.name); !fault.empty())
        report.error(
            member.written, node.pointer, jsonQuote(member.name.substr(0, 60)) + " is no name: " + fault);
    Fields fields(report, node, what,
        {"title", "contract", "safety", "executor", "settings", "effect_key", "resource", "look_up",
            "check_first", "keys_kept", "secret", "amount", "worst_case", "usage", "retry", "timeout",
            "heartbeat", "undo", "page", "model", "prompt"});
    static_cast<void>(fields.text("title"));
    tool.contract = static_cast<std::uint32_t>(fields.integer("contract", 1, 0xFFFFFFFF, 1));
    fields.require("safety");
    tool.safety = static_cast<ReplaySafety>(
        fields.choice("safety", {"read_only", "repeatable", "irreversible"}, 0) + 1);
    const std::initializer_list<std::string_view> executors{"command", "http", "worker", "builtin"};
    const bool hasExecutor = fields.require("executor");
    tool.executor = *(executors.begin() + fields.choice("executor", executors, 0));
    tool.secret = fields.text("secret");
    if (!tool.secret.empty() && tool.secret.compare(0, 4, "env:") != 0
        && tool.secret.compare(0, 5, "file:") != 0)
        fields.error(
            "secret", "\"secret\" is a reference, never the secret itself: write env:NAME or file:/path");
    tool.settings = fields.rawObject("settings");
    if (hasExecutor && !report.hasErrorAtOrBelow(fields.node("executor").pointer)) {
        if (tool.executor != "worker")
            fields.require("settings");
        if (fields.has("settings"))
            checkSettings(report, fields.node("settings"), "\"settings\" of " + what, tool);
    }
    if (tool.settings.empty())
        tool.settings = "{}";
    tool.resource = fields.text("resource", 128);
    readEffect(tool, fields);
    for (const BudgetLine& line : readBudget(fields, "worst_case"))
        tool.worstCase.push_back({line.unit, line.limit});
    readUsage(tool, fields);
    tool.retry = readRetry(fields, "retry", {});
    tool.timeout = fields.span("timeout", tool.timeout);
    boundAttempt(fields, tool.retry, tool.timeout);
    tool.heartbeatTimeout = fields.span("heartbeat", tool.heartbeatTimeout);
    if (tool.executor == "worker" && tool.heartbeatTimeout > tool.timeout)
        fields.error(fields.has("heartbeat") ? "heartbeat" : "timeout",
            "the heartbeat time-out (" + spanText(tool.heartbeatTimeout)
                + ") is longer than the time-out of the "
                  "attempt ("
                + spanText(tool.timeout) + ")");
    tool.page = fields.text("page", kLongestPage);
    if (const Status fits = checkPage(tool.page); !tool.page.empty() && !fits)
        fields.error("page", fits.error().text);
    tool.model = fields.text("model");
    tool.prompt = fields.text("prompt");
    tool.contractDigest = contractDigest(tool);
    return tool;
}

}  // namespace

RetryPolicy readRetry(Fields& parent, std::string_view name, RetryPolicy fallback)
{
    if (!parent.has(name))
        return fallback;
    RetryPolicy retry = fallback;
    Fields fields(parent.report(), parent.node(name), jsonQuote(name),
        {"attempts", "lost", "first_delay", "factor", "max_delay", "max_total"});
    retry.maxAttempts = static_cast<std::uint32_t>(fields.integer("attempts", 1, 1000, retry.maxAttempts));
    retry.maxLost = static_cast<std::uint32_t>(fields.integer("lost", 1, 1000, retry.maxLost));
    retry.firstDelay = fields.span("first_delay", retry.firstDelay, true);
    retry.maxDelay = fields.span("max_delay", std::max(retry.maxDelay, retry.firstDelay), true);
    retry.maxTotal = fields.span("max_total", std::max(retry.maxTotal, retry.maxDelay));
    if (fields.has("factor")) {
        const Node at = fields.node("factor");
        auto micros =
            jsonKind(at.raw) == JsonKind::Number ? parseMicros(at.raw) : Result<std::int64_t>(Error{});
        if (micros && *micros >= 1'000'000 && *micros <= 100'000'000 && *micros % 1000 == 0)
            retry.factorPermille = static_cast<std::uint32_t>(*micros / 1000);
        else
            fields.error("factor",
                "\"factor\" must be a number from 1 to 100 with at most three decimals, found "
                    + std::string(at.raw.substr(0, 40)));
    }
    if (retry.firstDelay > retry.maxDelay)
        fields.error("max_delay",
            "\"max_delay\" (" + spanText(retry.maxDelay) + ") is shorter than \"first_delay\" ("
                + spanText(retry.firstDelay) + ")");
    if (retry.maxAttempts > 1 && retry.maxTotal < retry.firstDelay)
        fields.error("max_total",
            "\"max_total\" (" + spanText(retry.maxTotal)
                + ") leaves no time for a second attempt "
                  "after \"first_delay\" ("
                + spanText(retry.firstDelay) + ")");
    return retry;
}

void boundAttempt(Fields& parent, RetryPolicy& retry, SpanMs timeout)
{
    if (retry.maxTotal >= timeout)
        return;
    const Node written = parent.node("retry");
    const bool saysTotal = !written.raw.empty() && jsonAt(written.raw, "/max_total");
    if (!saysTotal)
        retry.maxTotal = timeout;
    else if (parent.has("timeout"))
        parent.error("timeout",
            "\"timeout\" (" + spanText(timeout) + ") is longer than \"max_total\" ("
                + spanText(retry.maxTotal) + "), which ends the step with all its attempts");
}

void readTools(Definition& out, Fields& top)
{
    for (auto& [member, node] : top.map("tools"))
        out.tools.push_back(readTool(top.report(), member, node));
}

}  // namespace cairn
