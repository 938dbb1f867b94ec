// A working context for an agent, rebuilt from what is recorded. Every call has exactly one answer; where
// none is recorded it says so and never invents one. What does not fit the budget is left out with the number
// of bytes, the oldest outputs first; waits and approvals stay.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/query/query_impl.h"

#include <algorithm>

namespace cairn {

namespace {

struct Call {
    const StepRecord* step = nullptr;
    std::string status;  // a word: complete, failed, unknown, running, retrying, skipped, cancelled, waiting
    std::string answer;  // a sentence, where there is no output
    PayloadRef input;
    PayloadRef output;  // of a complete call; the error of a failed one
};

Call callOf(const StepRecord& step)
{
    Call call{&step, std::string(key(step.state)), {}, step.input, {}};
    switch (step.state) {
    case StepState::Complete:
        call.output = step.output;
        if (!step.output)
            call.answer = "complete, with no output";
        break;
    case StepState::Failed:
        call.output = step.error;
        call.answer = "failed: " + std::string(label(step.reason)) + ". Nothing was returned";
        break;
    case StepState::Unknown:
        call.answer = "interrupted, outcome unknown: it may have had its effect. Do not repeat it; a look-up "
                      "or a person will say";
        break;
    case StepState::Running: call.answer = "no answer yet: the call is under way"; break;
    case StepState::Skipped:
        call.output = step.output;
        call.answer = step.byPerson ? "skipped by a person" : "skipped";
        break;
    case StepState::Cancelled: call.answer = "cancelled before it gave a result"; break;
    default:
        call.answer = step.attempts > 0
            ? "no answer yet: attempt " + std::to_string(step.attempts) + " gave none, it is tried again"
            : "not called yet";
        break;
    }
    return call;
}

// Calls: tools and decisions that were begun or are finished, the newest first.
std::vector<Call> callsOf(const RunState& state)
{
    std::vector<std::pair<TimeMs, Call>> calls;
    for (const StepRecord& step : state.steps) {
        const bool called =
            step.kind == StepKind::Tool || step.kind == StepKind::Decision || step.kind == StepKind::Run;
        const bool begun = step.attempts > 0 || step.state == StepState::Complete
            || step.state == StepState::Failed || (step.kind == StepKind::Run && step.readyAt != kNoTime);
        if (called && begun)
            calls.emplace_back(
                step.endedAt != kNoTime ? step.endedAt : std::max(step.since, step.firstStartedAt),
                callOf(step));
    }
    std::stable_sort(
        calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Call> out;
    for (auto& [at, call] : calls)
        out.push_back(std::move(call));
    return out;
}

std::string name(const StepRecord& step)
{
    return step.tool.empty() ? std::string(key(step.kind)) : step.tool;
}

constexpr std::size_t kLeastShown = 200;  // a shorter beginning of a body says nothing

// A body cut to fit: what is shown, and how many bytes are left out.
struct Shown {
    std::string text;
    std::uint64_t leftOut = 0;
    bool redacted = false;
};

Shown shownOf(const ContextSource& source, const PayloadRef& ref, std::size_t room)
{
    Shown shown;
    if (!ref)
        return shown;
    if (room < kLeastShown && ref.size > room) {
        shown.leftOut = ref.size;
        return shown;
    }
    const auto bytes = source.bytes(ref, room + 1);  // with one more it is seen where a character ends
    if (!bytes) {
        shown.redacted = true;
        shown.text = bytes.error().kind == ErrorKind::Refused
            ? "redacted"
            : "not readable: " + visibleLine(bytes.error().text);
        return shown;
    }
    if (bytes->size() <= room) {
        shown.text = *bytes;
        return shown;
    }
    std::size_t cut = room;
    while (cut > 0 && (static_cast<unsigned char>((*bytes)[cut]) & 0xC0) == 0x80)
        --cut;
    shown.text = bytes->substr(0, cut);
    shown.leftOut =
        std::max<std::uint64_t>(ref.size, bytes->size()) - cut;  // hidden fields may make it longer
    return shown;
}

std::string fenced(const std::string& text)
{
    std::size_t run = 0, longest = 2;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fence + "\n" + visible(text) + (text.empty() || text.back() != '\n' ? "\n" : "") + fence + "\n";
}

std::string leftOutText(std::uint64_t bytes)
{
    return "(" + formatCount(static_cast<std::int64_t>(bytes)) + " bytes left out)\n";
}

std::string approvalLine(const RunState& state, const ApprovalRecord& record)
{
    std::string line = "approval for step \"" + visibleLine(state.steps[record.step].id) + "\""
        + (record.role.empty() ? "" : " by " + visibleLine(record.role)) + ": "
        + std::string(key(record.state));
    if (record.state == ApprovalState::Pending)
        return line + (record.expires == kNoTime ? "" : ", expires " + formatInstant(record.expires));
    return line + (record.decidedBy.id.empty() ? "" : " by " + actorName(record.decidedBy)) + " at "
        + formatInstant(record.decidedAt);
}

std::string head(const ContextSource& source)
{
    const RunState& s = source.state;
    std::string out = "# Run " + toText(s.id) + "\n\n";
    out += "- workflow: "
        + (s.workflow.name.empty() ? std::string("driven by its caller")
                                   : visibleLine(s.workflow.name) + "@" + std::to_string(s.workflow.version))
        + "\n";
    if (!source.identity.key.empty())
        out += "- key: " + visibleLine(source.identity.key) + "\n";
    out += "- state: " + std::string(key(source.explanation.summary.activity)) + ", version "
        + std::to_string(s.version) + ", " + formatInstant(source.now) + "\n\n";
    out += "## Now\n\n" + source.sentence.text + "\n";
    if (source.sentence.ends != "not recorded")
        out += "What ends it: " + source.sentence.ends + ".\n";
    for (std::size_t i = 1; i < source.explanation.reasons.size(); ++i) {
        const ReasonItem& item = source.explanation.reasons[i];
        out += "- also " + std::string(label(item.reason))
            + (item.step == kNoStep ? "" : " at step \"" + visibleLine(s.steps[item.step].id) + "\"") + "\n";
    }
    if (!s.approvals.empty())
        out += "\n## Approvals\n\n";
    for (auto at = s.approvals.rbegin(); at != s.approvals.rend(); ++at)
        out += "- " + approvalLine(s, *at) + "\n";
    return out;
}

// Room for saying that a body is left out, kept for the calls that come later.
constexpr std::size_t kLeastBody = 44;
constexpr std::size_t kLeastJsonBody = 96;
std::size_t leastBodies(const Call& call, std::size_t least)
{
    return (call.input ? least : 0) + (call.output ? least : 0);
}

std::string callHead(const Call& call)
{
    std::string text = "\n### " + visibleLine(call.step->id) + " (" + visibleLine(name(*call.step))
        + "): " + call.status + "\n\n";
    return call.answer.empty() ? text : text + call.answer + ".\n";
}

}  // namespace

std::string contextMarkdown(const ContextSource& source, std::size_t budgetBytes)
{
    std::string out = clipped(head(source), budgetBytes);
    const std::vector<Call> calls = callsOf(source.state);
    std::vector<std::string> parts;
    std::size_t used = out.size() + 200;  // room for what is said about the rest
    std::size_t leftCalls = 0;
    std::uint64_t leftBytes = 0;
    std::size_t heads = 0;
    bool cut = false;
    for (const Call& call : calls)
        heads += callHead(call).size() + leastBodies(call, kLeastBody);
    for (const Call& call : calls) {
        std::string part = callHead(call);
        heads -= part.size() + leastBodies(call, kLeastBody);
        if (used + part.size() > budgetBytes) {
            ++leftCalls;
            leftBytes += call.input.size + call.output.size;
            continue;
        }
        used += part.size();
        // Heads of older calls come before bodies: an answer's word is worth more than an older output.
        const auto room = [&]() {
            return budgetBytes > used + heads + 80 ? budgetBytes - used - heads - 80 : 0;
        };
        for (const auto& [title, ref] :
            {std::pair{call.status == "failed" ? "Error:\n" : "Output:\n", call.output},
                std::pair{"Input:\n", call.input}}) {
            if (!ref)
                continue;
            // After the first body that is cut, older ones stand whole or not at all.
            const Shown shown = shownOf(source, ref, cut && ref.size > room() ? 0 : room());
            cut = cut || shown.leftOut > 0;
            std::string body = shown.text.empty() ? title : title + fenced(shown.text);
            if (shown.leftOut > 0)
                body += leftOutText(shown.leftOut);
            used += body.size();
            part += body;
        }
        parts.push_back(std::move(part));
    }
    out += "\n## Calls, the newest first\n";
    if (calls.empty())
        out += "\nNone yet.\n";
    for (const std::string& part : parts)
        out += part;
    if (leftCalls > 0)
        out += "\n" + formatCount(static_cast<std::int64_t>(leftCalls)) + " older calls left out "
            + leftOutText(leftBytes);
    return out;
}

namespace {

// A payload inside JSON: as it is where it is whole JSON, else as text with what is left out.
std::string jsonBody(const Shown& shown, const PayloadRef& ref)
{
    if (shown.redacted)
        return "{\"unavailable\":" + jsonQuote(shown.text) + "}";
    if (shown.leftOut == 0 && !findJsonFault(shown.text))
        return std::string(jsonTrim(shown.text));
    std::string text;
    appendJsonString(text, shown.text);
    if (shown.leftOut == 0)
        return text;
    return "{\"media\":" + jsonQuote(ref.media) + ",\"begins\":" + text
        + ",\"left_out_bytes\":" + std::to_string(shown.leftOut) + "}";
}

std::string jsonCallHead(const Call& call)
{
    std::string out = "{\"step\":" + jsonQuote(call.step->id) + ",\"call\":" + jsonQuote(name(*call.step))
        + ",\"status\":" + jsonQuote(call.status);
    return call.answer.empty() ? out : out + ",\"answer\":" + jsonQuote(call.answer);
}

std::string jsonHead(const ContextSource& source)
{
    const RunState& s = source.state;
    std::string out = "{\"run\":" + jsonQuote(toText(s.id)) + ",\"workflow\":"
        + (s.workflow.name.empty() ? std::string("null")
                                   : jsonQuote(s.workflow.name + "@" + std::to_string(s.workflow.version)))
        + ",\"version\":" + std::to_string(s.version) + ",\"time\":" + jsonQuote(formatRfc3339(source.now))
        + ",\"activity\":" + jsonQuote(key(source.explanation.summary.activity)) + ",\"now\":"
        + jsonQuote(source.sentence.text) + ",\"ends\":" + jsonQuote(source.sentence.ends) + ",\"waits\":[";
    for (std::size_t i = 0; i < source.explanation.reasons.size(); ++i) {
        const ReasonItem& item = source.explanation.reasons[i];
        out += (i == 0 ? "" : ",") + std::string("{\"reason\":") + jsonQuote(key(item.reason))
            + ",\"step\":" + (item.step == kNoStep ? std::string("null") : jsonQuote(s.steps[item.step].id))
            + ",\"count\":" + std::to_string(item.count) + "}";
    }
    out += "],\"approvals\":[";
    for (std::size_t i = s.approvals.size(); i-- > 0;)
        out += jsonQuote(approvalLine(s, s.approvals[i])) + (i == 0 ? "" : ",");
    return out + "]";
}

}  // namespace

std::string contextJson(const ContextSource& source, std::size_t budgetBytes)
{
    std::string out = jsonHead(source) + ",\"calls\":[";
    const std::vector<Call> calls = callsOf(source.state);
    std::size_t used = out.size() + 80, leftCalls = 0, heads = 0;
    std::uint64_t leftBytes = 0;
    for (const Call& call : calls)
        heads += jsonCallHead(call).size() + 2 + leastBodies(call, kLeastJsonBody);
    bool first = true;
    bool cut = false;
    for (const Call& call : calls) {
        std::string part = jsonCallHead(call);
        heads -= part.size() + 2 + leastBodies(call, kLeastJsonBody);
        if (used + part.size() > budgetBytes) {
            ++leftCalls;
            leftBytes += call.input.size + call.output.size;
            continue;
        }
        used += part.size() + 2;
        for (const auto& [field, ref] : {std::pair{"output", call.output}, std::pair{"input", call.input}}) {
            if (!ref)
                continue;
            const std::size_t room = budgetBytes > used + heads + 120 ? budgetBytes - used - heads - 120 : 0;
            // Escaping may make text longer than it was.
            const Shown shown = shownOf(source, ref, cut && ref.size > room ? 0 : room);
            cut = cut || shown.leftOut > 0;
            std::string body = jsonBody(shown, ref);
            if (body.size() > room)
                body = jsonBody(shownOf(source, ref, room / 8), ref);
            used += body.size() + 12;
            part += ",\"" + std::string(field) + "\":" + body;
        }
        out += (first ? "" : ",") + part + "}";
        first = false;
    }
    return out + "],\"left_out\":{\"calls\":" + std::to_string(leftCalls)
        + ",\"bytes\":" + std::to_string(leftBytes) + "}}";
}

}  // namespace cairn
