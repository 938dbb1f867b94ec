#pragma once
// Inside of the machine: folding one fact. apply() and Decider use these and nothing else to change a state.

#include "core/machine/state.h"

namespace cairn::fold {

// What a fact may take from its entry.
struct Head {
    std::uint64_t version = 0;
    Verb verb = Verb::Start;
    Actor actor;
    TimeMs time = kNoTime;
    PayloadRef reason;
};

void begin(RunState& state, const Head& head);
void fact(RunState& state, const Fact& fact, const Head& head);

}  // namespace cairn::fold
