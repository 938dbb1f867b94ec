#pragma once
// The engine as a process: one loop thread with timers, signals, child processes and HTTP; one writer thread.

#include "core/engine/command_executor.h"
#include "core/engine/engine_core.h"
#include "core/engine/http_executor.h"

#include <vector>

namespace cairn {

struct EngineOptions {
    std::string storeUrl;
    StoreFactory openStore;  // only mains name a driver
    HintFactory openHints;   // not set: it polls
    EngineConfig core;
    CommandConfig command;  // helper empty: found beside the program
    HttpConfig http;
    std::function<void(const SessionId&)> onReady;  // once the first session is open
    std::function<void()> onStop;                   // it was asked to end; on its thread
    bool exitWhenIdle = false;  // ends once nothing is owned, under way or due now: demos and tests
};

// Serves the store until SIGTERM or SIGINT (then it drains; a second one ends it at once). Blocks. Call it
// from the thread that stays for ever: tools die with the thread that started them. Errors: the store cannot
// be opened or used; cairn-exec is missing (Refused, nothing was begun).
[[nodiscard]] Status runEngine(EngineOptions options);
// Several stores, each by an engine in a thread of its own, until all have ended. One that cannot be used
// does not stop the others: its error is logged, it is tried again after 1 s and then ever more slowly, and
// what it was at the end is given.
[[nodiscard]] Status runEngines(std::vector<EngineOptions> engines);

}  // namespace cairn
