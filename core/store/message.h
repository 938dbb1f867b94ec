#pragma once
// The body of an outbox row: a Message in fixed field order. The service writes the messages of an entry, a
// store writes EffectReleased messages to the waiters of an effect; both use these functions.

#include "core/base/result.h"
#include "core/machine/machine.h"

namespace cairn {

[[nodiscard]] std::string encodeMessage(const Message& message);
// Corrupt for short, overlong or unknown input.
[[nodiscard]] Result<Message> decodeMessage(std::string_view body);

}  // namespace cairn
