#include "core/engine/executor.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"

#include <algorithm>

namespace cairn {

EffectKnowledge knowledgeWhenBroken(const StartOrder& order) noexcept
{
    return order.purpose == Purpose::LookUp || !writes(order.safety) ? EffectKnowledge::NoEffect
                                                                     : EffectKnowledge::Unknown;
}

EffectKnowledge knowledgeWhenNotDone(const StartOrder& order) noexcept
{
    return order.purpose == Purpose::LookUp || !writes(order.safety) ? EffectKnowledge::NoEffect
                                                                     : EffectKnowledge::NotHappened;
}

AttemptResult failedResult(
    const StartOrder& order, FailureClass failure, EffectKnowledge effect, std::string error)
{
    AttemptResult result;
    result.attempt = order.attempt;
    result.failure = failure;
    result.effect = effect;
    result.error = clipped(visible(error), kErrorTextLimit);
    return result;
}

std::string mediaType(std::string_view said)
{
    constexpr std::size_t kLongest = 127;  // RFC 6838 allows 127 characters for each half
    const std::string_view type = trimmed(said.substr(0, said.find(';')));
    const auto isToken = [](std::string_view part) {
        return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
            return c > ' ' && c < 0x7F
                && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
        });
    };
    const auto slash = type.find('/');
    const bool valid = type.size() <= 2 * kLongest + 1 && slash != std::string_view::npos
        && isToken(type.substr(0, slash)) && isToken(type.substr(slash + 1));
    return valid ? std::string(type) : std::string();
}

AttemptResult lookUpResult(const StartOrder& order, std::string_view answer)
{
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::LookedUp;
    const auto unclear = [&](const std::string& why) {
        result.evidence = clipped(visible("the look-up's answer is not usable: " + why), kErrorTextLimit);
        return std::move(result);
    };
    if (auto valid = validateJson(answer); !valid)
        return unclear(valid.error().text);
    const auto happened = jsonAt(answer, "/happened");
    if (!happened)
        return unclear("it has no \"happened\"");
    const JsonKind kind = jsonKind(*happened);
    if (kind != JsonKind::Bool && kind != JsonKind::Null)
        return unclear("\"happened\" must be true, false or null");
    if (kind == JsonKind::Bool)
        result.verdict = *jsonBool(*happened) ? EffectKnowledge::Happened : EffectKnowledge::NotHappened;
    if (const auto evidence = jsonAt(answer, "/evidence")) {
        const auto text = jsonString(*evidence);
        result.evidence = clipped(visible(text ? *text : std::string(*evidence)), kErrorTextLimit);
    }
    if (const auto output = jsonAt(answer, "/output");
        output && result.verdict == EffectKnowledge::Happened) {
        result.output = std::make_shared<Spool>(answer.size());
        if (auto kept = result.output->append(*output); !kept)
            return unclear(kept.error().text);
        result.media = "application/json";
    }
    return result;
}

AttemptResult lookUpResult(const StartOrder& order, Spool& answer)
{
    if (answer.size() > kLookUpBytes) {
        AttemptResult result;
        result.attempt = order.attempt;
        result.kind = AttemptResult::Kind::LookedUp;
        result.evidence = "the look-up's answer is not usable: it has " + formatBytes(answer.size())
            + ", and at most " + formatBytes(kLookUpBytes) + " are read";
        return result;
    }
    const auto bytes = answer.all();
    if (!bytes)
        return failedResult(order, FailureClass::Retryable, EffectKnowledge::NoEffect, bytes.error().text);
    return lookUpResult(order, *bytes);
}

}  // namespace cairn
