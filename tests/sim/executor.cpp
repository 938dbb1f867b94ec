#include "tests/sim/executor.h"

#include "tests/sim/checker.h"

#include <algorithm>

namespace cairn::sim {

namespace {

AttemptResult completed(const StartOrder& order, const std::string& output)
{
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = std::make_shared<Spool>(kPayloadBytes);
    static_cast<void>(result.output->append(output));
    return result;
}

}  // namespace

Answer SimExecutor::dice(ReplaySafety safety) const
{
    if (!m_world.faults)  // reading may still take its time, so that there is something to stop
        return safety == ReplaySafety::ReadOnly && m_world.rng.below(2) == 0 ? Answer::Slow : Answer::Ok;
    switch (m_world.rng.below(32)) {
    case 0: return Answer::Slow;
    case 1:
    case 2: return Answer::DoThenDrop;
    case 3: return Answer::DropBefore;
    case 4: return Answer::Silent;
    case 5: return Answer::Limited;
    case 6: return Answer::Refused;
    case 7: return Answer::Garbled;
    default: return Answer::Ok;
    }
}

void SimExecutor::start(StartOrder order)
{
    m_world.trace(m_engine + " calls " + order.tool + " to " + std::string(cairn::key(order.purpose))
        + " attempt " + toText(order.attempt).substr(24));
    const std::string key = writes(order.safety) ? order.tool + " " + order.effectKey : std::string();
    m_world.checker->called(order, key);
    auto request = std::make_shared<Request>();
    request->run = order.run;
    request->step = order.step;
    request->key = key;
    request->keyed = order.safety == ReplaySafety::Repeatable;
    request->lookUp = order.purpose == Purpose::LookUp;
    request->answer = dice(order.safety);
    if (request->answer == Answer::Garbled && !request->lookUp)
        request->answer = Answer::Ok;
    request->arrives = m_world.now() + 20 + m_world.upTo(kTransit - 20);
    request->answered =
        request->arrives + 20 + m_world.upTo(request->answer == Answer::Slow ? 15'000 : 1'000);
    if (request->answer == Answer::Silent)
        request->answered = m_world.now() + (order.timeout > 0 ? order.timeout : 60'000);
    static constexpr const char* kNames[] = {"", "an answer is slow", "an answer is dropped",
        "a request is dropped", "no answer ever comes", "429 with Retry-After", "the provider refuses",
        "a look-up's answer cannot be read"};
    if (request->answer != Answer::Ok && m_world.faults)
        m_world.fault(kNames[static_cast<std::size_t>(request->answer)]);
    m_world.network.push_back(request);
    m_calls.insert_or_assign(order.attempt, Call{std::move(order), std::move(request)});
}

// The connection is closed; the request may be there already.
void SimExecutor::cancel(const AttemptId& attempt)
{
    const auto found = m_calls.find(attempt);
    if (found == m_calls.end())
        return;
    const Call call = std::move(found->second);
    m_calls.erase(found);
    m_world.trace(m_engine + " stops " + call.order.tool);
    m_world.checker->stopped(attempt);
    AttemptResult result =
        failedResult(call.order, FailureClass::Retryable, knowledgeWhenBroken(call.order), "stopped");
    result.cancelled = true;
    m_finished(std::move(result));
}

void SimExecutor::abandon(const AttemptId& attempt)
{
    m_calls.erase(attempt);
    m_world.checker->stopped(attempt);
}

SpanMs SimExecutor::next() const
{
    SpanMs next = kIdle;
    for (const auto& [attempt, call] : m_calls)
        next = std::min(next, std::max<SpanMs>(call.request->answered - m_world.now(), 0));
    return next;
}

SpanMs SimExecutor::tick()
{
    std::vector<Call> due;
    for (const auto& [attempt, call] : m_calls)
        if (m_world.now() >= call.request->answered)
            due.push_back(call);
    std::stable_sort(due.begin(), due.end(),
        [](const Call& a, const Call& b) { return a.request->answered < b.request->answered; });
    for (const Call& call : due) {
        m_calls.erase(call.order.attempt);
        answer(call);
    }
    return next();
}

void SimExecutor::answer(const Call& call)
{
    m_world.checker->stopped(call.order.attempt);
    m_finished(resultOf(call));
    if (m_world.chance(30)) {
        m_world.fault("an answer comes twice");
        m_finished(resultOf(call));
    }
}

AttemptResult SimExecutor::resultOf(const Call& call) const
{
    const Request& request = *call.request;
    AttemptResult result;
    switch (request.answer) {
    case Answer::DoThenDrop:
    case Answer::DropBefore:
        return failedResult(
            call.order, FailureClass::Retryable, knowledgeWhenBroken(call.order), "the connection broke");
    case Answer::Silent:
        result =
            failedResult(call.order, FailureClass::Retryable, knowledgeWhenBroken(call.order), "no answer");
        result.timedOut = true;
        return result;
    case Answer::Limited:
        result = failedResult(call.order, FailureClass::RateLimited, knowledgeWhenNotDone(call.order), "429");
        result.retryAfter = 2'000;
        return result;
    case Answer::Refused:
        return failedResult(call.order, FailureClass::Retryable, knowledgeWhenNotDone(call.order), "503");
    default: break;
    }
    if (!request.lookUp)
        return completed(call.order, request.result.empty() ? "{}" : request.result);
    if (request.answer == Answer::Garbled)
        return lookUpResult(call.order, "<html>");
    return lookUpResult(call.order,
        request.found ? R"({"happened":true,"output":{"receipt":"found"}})" : R"({"happened":false})");
}

}  // namespace cairn::sim
