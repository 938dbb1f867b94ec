#pragma once
// Plays a script of commands on runs and gives the transcript: each command after "> ", then what came of it.
//
// A line is "[RUN:] VERB [STEP] [word or name=value ...]"; RUN is "a" where it is left out. Everything that a
// line can say stands in the table of run_script.cpp. A step "pay#2" in complete, fail, looked, renew and
// partial means attempt 2 of "pay"; without it, the current one.

#include "tests/support/run_builder.h"

namespace cairn::testing {

// `definition` for every run; child runs get `child` (empty: one step "work"), their children one step
// "work"; `target` is what "migrate" moves to.
struct Play {
    std::string definition;
    std::string child;
    std::string target;
};
[[nodiscard]] std::string play(const Play& with, std::string_view script);

}  // namespace cairn::testing
