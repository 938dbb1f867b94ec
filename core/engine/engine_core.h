#pragma once
// The engine's rules, without threads, sockets or sleeping: everything happens inside tick() and
// onFinished(), on one thread, by the clock that is handed in. The loop (loop.h) drives it in a process;
// tests and the simulator drive it by hand, with an inline commit queue and an executor of their own.

#include "core/engine/executor.h"
#include "core/engine/process_table.h"
#include "core/engine/work_pool.h"
#include "core/service/service.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct EngineConfig {
    std::string name = "engine";      // may repeat: the session's id is the incarnation
    std::string build;                // product version
    std::vector<std::string> serves;  // "name" or "name@version"; empty: all
    SpanMs lease = 10'000;
    SpanMs heartbeat = 3'000;        // at most a third of the lease
    std::uint32_t maxAttempts = 64;  // at one time
    std::uint32_t maxOwned = 2'000;  // runs
    SpanMs drainGrace = 30'000;      // attempts may go on for so long after drain()
    SpanMs fullProbe = 5'000;        // how often a full store is tried again
    SpanMs restPoll = 1'000;         // how often the store is asked while hints are heard; else more often
    std::uint32_t verifyOneIn = 256;
    std::uint32_t uid = 0;
    std::uint32_t schema = 0;                   // highest that this binary knows; 0: the store's
    bool retains = false;                       // removes and redacts what is over, by the rules of the store
    std::shared_ptr<const SigningKey> signs{};  // the tombstones; null: they are not signed
    std::function<void(const std::string& kind, const std::string& text)>
        alert;  // once per trouble; also logged
};

struct EngineSeams {
    const Clock& clock;
    Rng& rng;
    StoreWriter& store;  // reads, sessions, claims, wake-ups, outbox, slices
    CommitQueue& queue;  // commits of runs
    Executor& executor;
    ProcessTable& processes;
    WorkPool* pool = nullptr;   // null: large outputs are staged inside tick(), through `store`
    HintLink* hints = nullptr;  // null: none, it polls
};

struct EngineStats {
    std::uint64_t claimed = 0;
    std::uint64_t started = 0;
    std::uint64_t results = 0;
    std::uint64_t fenced = 0;  // results that came too late
    std::uint64_t delivered = 0;
    std::uint64_t sessionsEnded = 0;  // of others
    std::uint64_t sessionsLost = 0;   // own
    std::uint32_t owned = 0;
    std::uint32_t active = 0;
    bool full = false;
    std::uint64_t hinted = 0;    // rounds of looking that a hint began
    std::uint64_t deafened = 0;  // how often hints were heard no more
    bool hears = false;          // hints, now
    bool deaf = false;           // they should be heard, and are not: it polls
};

class EngineCore {
public:
    EngineCore(EngineSeams seams, EngineConfig config);
    ~EngineCore();  // without close(): as a kill leaves it
    EngineCore(const EngineCore&) = delete;
    EngineCore& operator=(const EngineCore&) = delete;

    // Opens a session. Errors are the store's.
    [[nodiscard]] Status open();
    // Does what is due; gives the milliseconds until it wants to be called again (0: at once). Blocks for
    // short store calls only. A lost session is opened anew by itself.
    [[nodiscard]] SpanMs tick();
    // No new attempts or claims from here on. When drained() is true, close().
    void drain();
    [[nodiscard]] bool drained() const;
    // Stops what still runs and ends the session, so that others take over at once.
    void close();
    // Set where the store refuses every write of this process (after a failed sync, damage, or a move):
    // close() and end the process. A new one opens the store anew, and checks it.
    [[nodiscard]] const std::optional<Error>& hopeless() const;

    [[nodiscard]] SessionId session() const;  // null while there is none
    [[nodiscard]] const EngineStats& stats() const;
    [[nodiscard]] Service* service();  // null while there is no session

    struct Impl;

private:
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cairn
