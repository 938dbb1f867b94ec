#pragma once
// Internal to parsing: the order of a definition's steps.

#include "core/model/definition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cairn {

// Steps by name, what each waits for, and what is done before it. The definition must outlive it.
class StepGraph {
public:
    explicit StepGraph(const Definition& definition);

    // Position of the first step of that name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    // Steps that wait for each other, each cycle once, in the order of waiting.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& cycles() const noexcept { return m_cycles; }
    // Neither in a cycle nor behind one.
    [[nodiscard]] bool ordered(std::size_t step) const { return m_ordered[step]; }
    // True where `earlier` is always finished when `step` begins. Only for ordered steps.
    [[nodiscard]] bool isUpstream(std::size_t step, std::size_t earlier) const;
    [[nodiscard]] const std::vector<std::size_t>& order() const noexcept { return m_order; }
    [[nodiscard]] const std::vector<std::size_t>& after(std::size_t step) const { return m_after[step]; }

private:
    void sort();
    void findCycles();
    void findUpstream();

    std::unordered_map<std::string_view, std::size_t> m_byName;
    std::vector<std::vector<std::size_t>> m_after;  // known steps only
    std::vector<std::size_t> m_order;               // ordered steps, each after what it waits for
    std::vector<bool> m_ordered;
    std::vector<std::vector<std::size_t>> m_cycles;
    std::vector<std::vector<std::uint64_t>> m_upstream;
};

}  // namespace cairn
