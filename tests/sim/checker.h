#pragma once
// What must hold (RELIABILITY 5.6), checked from the store's rows, the provider's ledger and what callers
// were told. Uses no engine or service code: it folds entries and looks.

#include "core/engine/executor.h"
#include "core/service/service.h"
#include "tests/sim/world.h"

#include <map>
#include <set>

namespace cairn::sim {

class Checker {
public:
    explicit Checker(World& world);

    // --- as it happens; what does not hold goes to World::fail
    void watch(const RunId& run)
    {
        m_watched.insert(run);
        ++m_roots;
    }
    void committing(const CommitMember& member);
    void committed(const std::string& by, const CommitMember& member, const MemberResult& result);
    // An executor is about to call; `key` is what the provider knows the effect by, empty for read-only
    // tools.
    void called(const StartOrder& order, const std::string& key);
    void happened(const Request& request);
    void leased(const SessionId& session, SpanMs until) { m_leases[session] = until; }  // monotonic
    // Or answered.
    void stopped(const AttemptId& attempt)
    {
        m_stopped.insert(attempt);
        m_toStop.erase(attempt);
    }
    void answered(const Submission& submission, const Outcome& outcome);
    void step();

    // At the end: acknowledgements, the audit, the ledger, nothing unfinished that should have moved.
    void end(const std::set<SessionId>& living);

    [[nodiscard]] const RunState* state(const RunId& run) const;
    [[nodiscard]] std::vector<RunId> known() const;  // runs that are there, in order of their ids
    [[nodiscard]] std::size_t roots() const { return m_roots; }
    [[nodiscard]] std::string effectOf(const RunId& run, const std::string& step) const;

    std::uint64_t unknowns = 0;   // attempts that ended without saying whether their effect happened
    std::uint64_t resolved = 0;   // of those, later known
    std::uint64_t takeovers = 0;  // attempts that were ended because their owner was gone
    std::uint64_t late = 0;       // results that came too late and were kept as evidence
    std::uint64_t acks = 0;

private:
    struct Seen {
        RunState state;
        std::uint64_t epoch = 0;
        std::map<CommandId, std::uint64_t> commands;
        std::map<AttemptId, SessionId> started;
        std::set<StepIx> done;
        std::set<StepIx> unclear;
    };
    struct Told {  // what a caller was told about a command
        RunId run;
        std::uint64_t version = 0;  // 0: that nothing was changed
        bool unclear = false;       // an earlier answer left it open
    };
    void run(const RunId& id);
    void fold(Seen& seen, const SealedEntry& sealed);
    void foldFact(Seen& seen, const RunState& before, const Fact& fact, TimeMs time);
    void completed(Seen& seen, const RunState& before, const StepCompleted& fact, TimeMs time);
    void ledger();
    void promptness();
    void cancelled(const RunState& state);
    void effects(const CommitMember& member);
    void endOfRun(const Seen& seen);
    void endOfLedger();
    void endOfStore(const std::set<SessionId>& living);
    void audit();
    [[nodiscard]] std::string waitsFor(const RunState& state) const;
    void fail(const std::string& what, const RunId& run, std::uint64_t version);

    World& m_world;
    std::unique_ptr<StoreWriter> m_store;
    std::set<RunId> m_watched;
    std::size_t m_roots = 0;
    std::map<RunId, Seen> m_seen;
    std::map<RunId, HotRow> m_before;      // of the group that is being committed
    std::map<EffectId, EffectRow> m_rows;  // the ledger, as entries left it
    std::map<CommandId, Told> m_told;
    std::set<AttemptId> m_called;
    std::map<SessionId, SpanMs> m_leases;  // until when, as their engines were told
    // When the faults have stopped: calls of cancelled runs, and attempts that their dead engine left in a
    // run that another has taken over, each since when.
    std::map<AttemptId, SpanMs> m_toStop;
    std::set<AttemptId> m_stopped;
    std::map<AttemptId, SpanMs> m_left;
    std::map<std::pair<RunId, std::string>, std::string> m_effects;   // what each step asks for
    std::map<std::pair<RunId, std::string>, std::string> m_happened;  // and what it did
};

}  // namespace cairn::sim
