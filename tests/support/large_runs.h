#pragma once
// A run with many steps, driven in place as the service does: no copies, no checks beside it.

#include "core/machine/machine.h"

namespace cairn::testing {

[[nodiscard]] Definition chainOf(std::uint32_t steps);
[[nodiscard]] Definition fanOutOf(std::uint32_t members);    // one fan-out and one step after it
[[nodiscard]] Definition childrenOf(std::uint32_t members);  // a fan-out of child runs

class LargeRun {
public:
    LargeRun(Definition definition, std::uint32_t concurrency);
    // Completes attempts until none is under way; nanoseconds for one completion, decided and applied.
    double completeAll();
    void failAll();  // for good
    [[nodiscard]] std::vector<Action> remedies() const;
    [[nodiscard]] const RunState& state() const { return m_state; }
    // Folds the entries again; the first difference.
    [[nodiscard]] std::string refold() const;

private:
    Decision give(cmd::Body body);

    Definition m_definition;
    std::uint32_t m_concurrency;
    std::uint64_t m_commands = 0;
    RunState m_state;
    std::vector<Entry> m_entries;
};

}  // namespace cairn::testing
