#pragma once
// A small engine for the simulator: what an engine does, one tick at a time, with calls that take simulated time.

#include "core/service/service.h"
#include "core/store/memory/memory_store.h"
#include "tests/sim/provider.h"

#include <map>
#include <set>

namespace cairn::sim {

inline constexpr SpanMs kLease = 10'000;
inline constexpr SpanMs kMargin = 3'000;   // no call is begun so shortly before the lease may end; calls arrive within it

// A request on its way. Once sent it arrives whatever becomes of the engine that sent it.
struct Request {
    std::string key;
    bool keyed = false;
    bool lookUp = false;
    Answer answer = Answer::Ok;
    SpanMs arrives = 0;            // monotonic
    SpanMs answered = 0;
    bool arrived = false;
    bool found = false;            // look-ups
    std::string result;
};

struct Shared {
    ManualClock& clock;
    std::shared_ptr<MemoryDatabase> database;
    Provider& provider;
    std::function<void(const std::string&)> trace;
    std::function<void(const Outcome&)> acknowledged;
    std::vector<std::shared_ptr<Request>> network;
    bool faults = true;            // the provider fails
    std::uint64_t fired = 0;       // faults of the provider
};

class SimEngine {
public:
    SimEngine(Shared& shared, std::string name, std::uint64_t seed);

    // False: its session was ended by another; it must be thrown away.
    bool tick();
    [[nodiscard]] const std::string& name() const { return m_name; }
    Service& service() { return *m_service; }

private:
    struct Call {
        RunId run;
        AttemptId attempt;
        Purpose purpose = Purpose::Do;
        ReplaySafety safety = ReplaySafety::ReadOnly;
        std::string key;
        std::shared_ptr<Request> request;   // null: not sent yet
    };
    struct Watched {
        TimeMs heartbeat = kNoTime;
        SpanMs since = 0;
    };

    bool heartbeat();
    void watchOthers();
    void claim();
    void ownedRuns();
    bool letGo(const RunId& run);
    void deliver();
    void calls();
    void send(Call& call);
    void report(const Call& call);
    void observe(const RunState& after, const Entry& entry);
    void give(const RunId& run, cmd::Body body, std::vector<NewPayload> payloads = {});

    Shared& m_shared;
    std::string m_name;
    SeededRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<StoreWriter> m_writer;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    SessionId m_session;
    SpanMs m_beatSent = 0;
    std::map<SessionId, Watched> m_watched;
    std::set<SessionId> m_ended;
    std::set<RunId> m_owned;
    std::vector<Call> m_calls;
};

}  // namespace cairn::sim
