#include "core/definition/graph.h"

#include <algorithm>

namespace cairn {

StepGraph::StepGraph(const Definition& definition)
    : m_after(definition.steps.size())
    , m_ordered(definition.steps.size())
{
    for (std::size_t i = 0; i < definition.steps.size(); ++i)
        m_byName.emplace(definition.steps[i].name, i);
    for (std::size_t i = 0; i < definition.steps.size(); ++i)
        for (const std::string& name : definition.steps[i].after)
            if (const auto found = find(name))
                m_after[i].push_back(*found);
    sort();
    findCycles();
    findUpstream();
}

std::optional<std::size_t> StepGraph::find(std::string_view name) const
{
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? std::nullopt : std::optional(found->second);
}

bool StepGraph::isUpstream(std::size_t step, std::size_t earlier) const
{
    return ((m_upstream[step][earlier / 64] >> (earlier % 64)) & 1) != 0;
}

void StepGraph::sort()
{
    std::vector<std::size_t> unmet(m_after.size());
    std::vector<std::vector<std::size_t>> dependents(m_after.size());
    for (std::size_t i = 0; i < m_after.size(); ++i) {
        unmet[i] = m_after[i].size();
        for (const std::size_t earlier : m_after[i])
            dependents[earlier].push_back(i);
        if (unmet[i] == 0)
            m_order.push_back(i);
    }
    for (std::size_t next = 0; next < m_order.size(); ++next) {
        m_ordered[m_order[next]] = true;
        for (const std::size_t later : dependents[m_order[next]])
            if (--unmet[later] == 0)
                m_order.push_back(later);
    }
}

// Every step that is not ordered waits for one that is not ordered either: following that leads into a cycle.
void StepGraph::findCycles()
{
    constexpr std::size_t unseen = 0;
    std::vector<std::size_t> walkOf(m_after.size(), unseen);
    for (std::size_t start = 0; start < m_after.size(); ++start) {
        if (m_ordered[start] || walkOf[start] != unseen)
            continue;
        std::vector<std::size_t> path;
        std::size_t at = start;
        while (walkOf[at] == unseen) {
            walkOf[at] = start + 1;
            path.push_back(at);
            at = *std::find_if(
                m_after[at].begin(), m_after[at].end(), [this](std::size_t s) { return !m_ordered[s]; });
        }
        if (walkOf[at] != start + 1)
            continue;  // ran into a walk that has been followed
        const auto begin = std::find(path.begin(), path.end(), at);
        std::vector<std::size_t> cycle(begin, path.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        m_cycles.push_back(std::move(cycle));
    }
}

void StepGraph::findUpstream()
{
    m_upstream.resize(m_after.size());
    for (const std::size_t step : m_order) {
        std::vector<std::uint64_t>& mine = m_upstream[step];
        mine.resize((m_after.size() + 63) / 64);
        for (const std::size_t earlier : m_after[step]) {
            mine[earlier / 64] |= std::uint64_t{1} << (earlier % 64);
            for (std::size_t word = 0; word < mine.size(); ++word)
                mine[word] |= m_upstream[earlier][word];
        }
    }
}

}  // namespace cairn
