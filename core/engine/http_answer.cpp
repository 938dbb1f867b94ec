// What a response means: pure, table-tested.

#include "core/base/http_date.h"
#include "core/base/text.h"
#include "core/engine/http_executor.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kShownBody = 2048;

std::string textOf(const HttpAnswer& answer)
{
    std::string text = "HTTP " + std::to_string(answer.status);
    if (answer.body && answer.body->size() > 0) {
        const auto body = answer.body->all();
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

AttemptResult done(const StartOrder& order, const HttpAnswer& answer)
{
    if (order.purpose == Purpose::LookUp) {
        const auto body = answer.body ? answer.body->all() : Result<std::string>(std::string());
        if (!body)
            return failedResult(order, FailureClass::Retryable, EffectKnowledge::NoEffect, body.error().text);
        AttemptResult said = lookUpResult(order, *body);
        if (said.verdict != EffectKnowledge::Unknown || body->find("\"happened\"") != std::string::npos)
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
    if (status == 401 || status == 403 || status == 407)
        return failedResult(order, FailureClass::Credential, notDone, textOf(answer));
    if (status == 408 || status == 425)
        return failedResult(order, FailureClass::Retryable, notDone, textOf(answer));
    if (status == 404 || status == 405 || status == 410 || status == 501)
        return failedResult(order, FailureClass::Permanent, notDone, textOf(answer));
    if (status == 409 || status >= 500)
        return failedResult(order, FailureClass::Retryable, knowledgeWhenBroken(order), textOf(answer));
    if (status >= 400)
        return failedResult(order, FailureClass::Rejected, notDone, textOf(answer));
    return failedResult(
        order, FailureClass::Permanent, notDone, textOf(answer) + " (redirects are not followed)");
}

}  // namespace cairn
