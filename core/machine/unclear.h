#pragma once
// The rule for "what happens when a worker dies during an irreversible step", and for every other end of an
// attempt after which it is not clear whether the outside effect happened: the owner is gone, a time-out
// passed, the connection broke after the request was sent. It stands here once; recovery, time-outs and
// failures all ask it.
//
//   read-only      try again: there is no effect to repeat
//   repeatable     try again under the same effect key: the provider gives the same effect
//   irreversible   ask the provider by key, where the tool has a look-up; otherwise park the step as
//   `unknown`:
//                  a person decides. It is never tried again blindly.
//
// A look-up is itself read-only, so a look-up that ended unclear is made again.

#include "core/model/vocabulary.h"

namespace cairn {

enum class UnclearNext : std::uint8_t { TryAgain = 1, LookUp, Park };

[[nodiscard]] constexpr UnclearNext afterUnclearEnd(ReplaySafety safety, bool hasLookUp) noexcept
{
    if (safety != ReplaySafety::Irreversible)
        return UnclearNext::TryAgain;
    return hasLookUp ? UnclearNext::LookUp : UnclearNext::Park;
}

// What is known about the effect of an attempt that ended without an answer.
[[nodiscard]] constexpr EffectKnowledge knowledgeAfterLoss(ReplaySafety safety, Purpose purpose) noexcept
{
    return purpose == Purpose::LookUp || !writes(safety) ? EffectKnowledge::NoEffect
                                                         : EffectKnowledge::Unknown;
}

}  // namespace cairn
