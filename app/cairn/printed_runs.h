#pragma once
// Runs that `watch` has printed, so that it knows of which a removal is told. Any one thread; never blocks.

#include "core/base/ids.h"

#include <cstddef>
#include <set>

namespace cairn::cli {

// Without a filter every removal is told, so nothing is remembered, however long it watches. With one, a run
// that is gone cannot be asked whether the filter finds it: those that it found are told.
class PrintedRuns {
public:
    explicit PrintedRuns(bool filtered)
        : m_filtered(filtered)
    {
    }
    void note(const RunId& run)
    {
        if (m_filtered)
            m_runs.insert(run);
    }
    // Whether the removal of this run is told; it is not asked for again.
    [[nodiscard]] bool take(const RunId& run) { return m_runs.erase(run) > 0 || !m_filtered; }
    [[nodiscard]] std::size_t remembered() const noexcept { return m_runs.size(); }

private:
    bool m_filtered;
    std::set<RunId> m_runs;
};

}  // namespace cairn::cli
