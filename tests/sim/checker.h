#pragma once
// What must hold (RELIABILITY 5.6), checked from the store's rows and the provider's ledger. Uses no engine or service
// code: it folds entries and looks.

#include "core/store/store.h"
#include "tests/sim/provider.h"

#include <map>
#include <set>

namespace cairn::sim {

// An answer that a caller was given: it must stay true.
struct Acknowledged {
    RunId run;
    std::uint64_t version = 0;
    CommandId command;
};

class Checker {
public:
    Checker(StoreReader& store, const Provider& provider) : m_store(store), m_provider(provider) {}

    void acknowledged(Acknowledged ack) { m_acks.push_back(std::move(ack)); }
    void watch(const RunId& run) { m_watched.insert(run); }
    // After each step. Empty: everything holds.
    [[nodiscard]] std::string step();
    // At the end: acknowledgements, the audit, nothing unfinished that should have moved.
    [[nodiscard]] std::string end(TimeMs now);

    [[nodiscard]] const RunState* state(const RunId& run) const;
    [[nodiscard]] const std::set<RunId>& runs() const { return m_watched; }
    std::uint64_t unknowns = 0;      // steps whose outcome became unknown
    std::uint64_t acks() const { return m_acks.size(); }

private:
    struct Seen {
        RunState state;
        std::uint64_t epoch = 0;
        std::map<CommandId, std::uint64_t> commands;
        std::set<StepIx> done;
    };
    [[nodiscard]] std::string run(const RunId& id);
    [[nodiscard]] std::string fold(Seen& seen, const SealedEntry& sealed);
    [[nodiscard]] std::string ledger() const;
    [[nodiscard]] std::string audit();
    [[nodiscard]] std::string parked(const RunState& state, TimeMs now) const;

    StoreReader& m_store;
    const Provider& m_provider;
    std::set<RunId> m_watched;
    std::map<RunId, Seen> m_seen;
    std::vector<Acknowledged> m_acks;
};

}  // namespace cairn::sim
