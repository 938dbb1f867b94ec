#pragma once
// What must hold after every entry (DESIGN section 3), checked from entries and states without asking the
// machine.

#include "tests/support/run_builder.h"

namespace cairn::testing {

class RulesChecker {
public:
    // `after` is the state with the entry applied. Empty: nothing wrong.
    [[nodiscard]] std::string entry(const RunState& after, const Entry& entry, const Definition& definition);
    // The ledger of all runs after each entry: only who holds a row changes it.
    [[nodiscard]] std::string ledger(const std::map<EffectId, World::Row>& rows);
    // The kept sets, counts and reservations against what a scan of all steps gives; summary against the
    // tables.
    [[nodiscard]] static std::string state(const RunState& state, TimeMs now);

private:
    // One for each effect of an irreversible tool, over all runs.
    struct Effect {
        bool open = false;
        bool doubt = false;
        bool done = false;
        std::pair<RunId, StepIx> by;  // who tried last
    };
    [[nodiscard]] std::string attempt(const RunState& after, const AttemptStarted& f);
    void ended(const RunState& after, const AttemptEnded& f);
    void settled(const RunState& after, const Fact& fact);

    std::map<RunId, std::uint64_t> m_versions;
    std::map<std::pair<RunId, StepIx>, bool> m_done;
    std::map<EffectId, Effect> m_effects;
    std::map<EffectId, LedgerRow> m_ledger;
    std::map<AttemptId, std::pair<EffectId, Purpose>> m_attempts;
};

}  // namespace cairn::testing
