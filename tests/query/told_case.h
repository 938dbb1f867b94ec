#pragma once
// One run in a state that a reason describes, with all that its sentence is told from.

#include "core/query/tell.h"

namespace cairn::testing {

constexpr TimeMs kNow = 1'790'000'000'000;  // 2026-09-21 14:13:20Z
constexpr SpanMs kMinute = 60'000;
constexpr SpanMs kHour = 60 * kMinute;

inline RunId runId(std::uint8_t last)
{
    RunId id;
    id.bytes[0] = 0x01;
    id.bytes[15] = last;
    return id;
}

inline PayloadRef text(std::uint8_t number)
{
    PayloadRef ref;
    ref.id.bytes[15] = number;
    ref.size = 1;
    ref.media = "text/plain";
    return ref;
}
constexpr std::uint8_t kNotThere = 99;

inline Definition definition()
{
    Definition d;
    d.ref.name = "order";
    d.ref.version = 12;
    ToolDef pay;
    pay.name = "pay";
    pay.safety = ReplaySafety::Irreversible;
    pay.resource = "bank";
    pay.secret = "bank-key";
    pay.worstCase = {{"EUR", 5'000'000}};
    d.tools.push_back(pay);
    StepDef step;
    step.name = "pay";
    step.tool = "pay";
    step.signal = "paid";
    d.steps.push_back(step);
    return d;
}

struct Case {
    RunState state;
    Explanation explanation;
    Definition def = definition();
    Lookup look;
    bool withDefinition = true;

    explicit Case(
        Reason reason = Reason::None, bool step = true, TimeMs since = kNow - 3 * kHour, TimeMs due = kNoTime)
    {
        state.id = runId(1);
        state.workflow = def.ref;
        state.version = 5;
        state.changedAt = kNow - 2 * kMinute;
        StepRecord record;
        record.id = record.name = record.tool = "pay";
        record.safety = ReplaySafety::Irreversible;
        record.state = StepState::Waiting;
        record.reason = reason;
        record.since = since;
        record.due = due;
        record.firstStartedAt = kNow - 4 * kHour;
        record.attempts = 2;
        record.failures = 2;
        record.amount = {4'860'000'000, "EUR"};
        record.error = text(1);
        record.firstError = text(2);
        state.steps.push_back(record);
        ReasonItem item;
        item.reason = reason;
        item.step = step ? 0 : kNoStep;
        item.since = since;
        item.due = due;
        explanation.summary.primary = item;
        explanation.summary.attention = word(reason).attention;
        if (reason != Reason::None)
            explanation.reasons.push_back(item);
        look.text = [](const PayloadRef& ref) -> std::optional<std::string> {
            switch (ref.id.bytes[15]) {
            case 1: return "HTTP 503 from the bank";
            case 2: return "connection refused";
            case 3: return "the provider is down";
            default: return std::nullopt;
            }
        };
        look.key = [](StepIx) { return std::optional<std::string>("pay/A1"); };
        look.engines = []() { return std::vector<SessionRow>{}; };
        look.session = [](const SessionId&) { return std::optional<SessionRow>(); };
        look.othersOn = [](std::string_view, const RunId&) { return std::uint64_t(41); };
        look.child = [](const RunId&) -> std::optional<ChildTold> {
            Sentence sentence;
            sentence.ends = "a yes or no by finance";
            sentence.next = kNow + 5 * kHour;
            sentence.shortText = "Approval by finance, asked 3 h ago";
            return ChildTold{
                "audit", "waits for an approval by finance, asked 3 h ago, expires in 5 h", sentence};
        };
    }
    StepRecord& step() { return state.steps.front(); }
    Told tell() const { return tellRun(state, explanation, withDefinition ? &def : nullptr, kNow, look); }
};

}  // namespace cairn::testing
