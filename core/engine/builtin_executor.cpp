#include "core/engine/builtin_executor.h"

#include "core/base/json_scan.h"
#include "core/definition/text_values.h"
#include "core/engine/call_settings.h"

#include <algorithm>

namespace cairn {

void BuiltinExecutor::give(const StartOrder& order, std::string_view output)
{
    if (order.purpose == Purpose::LookUp) {
        m_finished(lookUpResult(order, output));
        return;
    }
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = std::make_shared<Spool>(kPayloadBytes);
    result.media = "application/json";
    if (auto kept = result.output->append(output); !kept)
        result = failedResult(order, FailureClass::Retryable, knowledgeWhenNotDone(order), kept.error().text);
    m_finished(std::move(result));
}

void BuiltinExecutor::fail(const StartOrder& order)
{
    const auto settings = CallSettings::open(order, std::nullopt);
    const std::int64_t times = settings ? settings->number("times", 1'000'000) : 0;
    if (static_cast<std::int64_t>(order.number) > times) {
        give(order, order.input);
        return;
    }
    const auto wanted =
        settings ? settings->text("failure", "retryable") : Result<std::string>(settings.error());
    const auto failure = wanted ? parseKey<FailureClass>(*wanted) : std::nullopt;
    if (!failure)
        return m_finished(failedResult(order, FailureClass::Permanent, knowledgeWhenNotDone(order),
            wanted ? "there is no failure class \"" + *wanted + "\"" : wanted.error().text));
    m_finished(failedResult(order, *failure, knowledgeWhenNotDone(order),
        "this tool fails on purpose, attempt " + std::to_string(order.number)));
}

void BuiltinExecutor::start(StartOrder order)
{
    const auto settings = CallSettings::open(order, std::nullopt);
    const auto refuse = [&](const std::string& why) {
        m_finished(failedResult(order, FailureClass::Permanent, knowledgeWhenNotDone(order), why));
    };
    if (!settings)
        return refuse(settings.error().text);
    const auto function = settings->text("function", "");
    if (!function)
        return refuse(function.error().text);
    if (*function == "noop")
        return give(order, "null");
    if (*function == "echo")
        return give(order, order.input);
    if (*function == "fail")
        return fail(order);
    if (*function == "pick") {
        const auto at = settings->text("at", "");
        if (!at)
            return refuse(at.error().text);
        const auto part = jsonAt(order.input, *at);
        if (!part)
            return m_finished(
                failedResult(order, FailureClass::Rejected, knowledgeWhenNotDone(order), part.error().text));
        return give(order, *part);
    }
    if (*function == "sleep") {
        const auto text = settings->text("for", "1s");
        const auto span = text ? cairn::parseSpan(*text) : Result<SpanMs>(text.error());
        if (!span)
            return refuse(span.error().text);
        const AttemptId attempt = order.attempt;
        m_sleeping[attempt] = {m_clock.monotonicMs() + *span, std::move(order)};
        return;
    }
    refuse("there is no built-in tool \"" + *function + "\"; there are noop, echo, pick, sleep and fail");
}

void BuiltinExecutor::cancel(const AttemptId& attempt)
{
    const auto found = m_sleeping.find(attempt);
    if (found == m_sleeping.end())
        return;
    const StartOrder order = std::move(found->second.second);
    m_sleeping.erase(found);
    AttemptResult result =
        failedResult(order, FailureClass::Retryable, knowledgeWhenNotDone(order), "stopped");
    result.cancelled = true;
    m_finished(std::move(result));
}

void BuiltinExecutor::abandon(const AttemptId& attempt) { m_sleeping.erase(attempt); }

SpanMs BuiltinExecutor::tick()
{
    const SpanMs now = m_clock.monotonicMs();
    SpanMs next = kIdle;
    std::vector<StartOrder> due;
    for (auto at = m_sleeping.begin(); at != m_sleeping.end();) {
        if (at->second.first <= now) {
            due.push_back(std::move(at->second.second));
            at = m_sleeping.erase(at);
        } else {
            next = std::min(next, at->second.first - now);
            ++at;
        }
    }
    for (const StartOrder& order : due)
        give(order, order.input);
    return next;
}

}  // namespace cairn
