// What a response means: pure, table-tested.

#include "core/base/http_date.h"
#include "core/base/text.h"
#include "core/engine/http_executor.h"

#include <optional>

namespace cairn {

namespace {

constexpr std::size_t kShownBody = 2048;

std::string textOf(const HttpAnswer& answer)
{
    std::string text = "HTTP " + std::to_string(answer.status);
    if (answer.body && answer.body->size() > 0) {
        const auto body = answer.body->read(4 * kShownBody);  // it may be of 256 MiB
        if (body)
            text += ": " + std::string(trimmed(clipped(visible(*body), kShownBody)));
    }
    return text;
}

AttemptResult limited(const StartOrder& order, const HttpAnswer& answer, TimeMs now)
{
    AttemptResult result =
        failedResult(order, FailureClass::RateLimited, knowledgeWhenNotDone(order), textOf(answer));
    if (answer.retryAfter.empty())
        return result;
    if (const auto asked = parseRetryAfter(answer.retryAfter, answer.date, now))
        result.retryAfter = *asked;
    else
        result.error +=
            " (Retry-After \"" + clipped(visibleLine(answer.retryAfter), 100) + "\" cannot be read)";
    return result;
}

bool saysHappened(Spool& body)
{
    const auto bytes = body.all();
    return !bytes || bytes->find("\"happened\"") != std::string::npos;
}

AttemptResult done(const StartOrder& order, const HttpAnswer& answer)
{
    if (order.purpose == Purpose::LookUp) {
        AttemptResult said =
            answer.body ? lookUpResult(order, *answer.body) : lookUpResult(order, std::string_view());
        // Where the answer does not speak of it, its being there is the answer, and its body the output.
        const bool speaks = answer.body && (answer.body->size() > kLookUpBytes || saysHappened(*answer.body));
        if (said.kind != AttemptResult::Kind::LookedUp || said.verdict != EffectKnowledge::Unknown || speaks)
            return said;
        said.verdict = EffectKnowledge::Happened;
        said.evidence = "HTTP " + std::to_string(answer.status);
        said.output = answer.body;
        said.media = answer.contentType;
        return said;
    }
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = answer.body;
    result.media = answer.contentType;
    return result;
}

// Answers by which a server says that it did not do what was asked. Every other answer may have come after
// the call had its effect: a redirect to what was made (303 after a POST), a gateway that waited no longer
// (408, 504, and 499 where it tells of its own client), a call under the same key that is done or under way
// (409), a failure half-way (5xx).
std::optional<FailureClass> refusedAs(long status)
{
    switch (status) {
    case 401:
    case 403:
    case 407: return FailureClass::Credential;
    case 404:
    case 405:
    case 410:
    case 501: return FailureClass::Permanent;
    case 425: return FailureClass::Retryable;
    case 408:
    case 409:
    case 460:
    case 499: return std::nullopt;
    default: return status >= 400 && status < 500 ? std::optional(FailureClass::Rejected) : std::nullopt;
    }
}

}  // namespace

AttemptResult resultOfAnswer(const StartOrder& order, const HttpAnswer& answer, TimeMs now)
{
    const long status = answer.status;
    const EffectKnowledge notDone = knowledgeWhenNotDone(order);
    if (status >= 200 && status < 300)
        return done(order, answer);
    if (status == 429 || (status == 503 && !answer.retryAfter.empty()))
        return limited(order, answer, now);
    if (order.purpose == Purpose::LookUp && (status == 404 || status == 410)) {
        AttemptResult result;
        result.attempt = order.attempt;
        result.kind = AttemptResult::Kind::LookedUp;
        result.verdict = EffectKnowledge::NotHappened;
        result.evidence = textOf(answer);
        return result;
    }
    if (const auto failure = refusedAs(status))
        return failedResult(order, *failure, notDone, textOf(answer));
    const bool elsewhere = status >= 300 && status < 400;
    return failedResult(order, elsewhere ? FailureClass::Permanent : FailureClass::Retryable,
        knowledgeWhenBroken(order), textOf(answer) + (elsewhere ? " (redirects are not followed)" : ""));
}

}  // namespace cairn
