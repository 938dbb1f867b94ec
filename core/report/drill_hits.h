#pragma once
// Which runs a random kill hit, and how long each took to move again.

#include "core/report/drill_stage.h"

namespace cairn::drill {

class Hits {
public:
    explicit Hits(Stage& stage)
        : m_stage(stage)
    {
    }

    // Versions of a run and of its child runs.
    using Tree = std::map<RunId, std::uint64_t>;
    // Those of `runs` that the session with this process id owns and that move by themselves, with how far
    // they are. Asked before the kill: afterwards another engine may have taken them over already.
    [[nodiscard]] std::map<RunId, Tree> ownedBy(pid_t pid, std::span<const RunId> runs);
    // The process is dead as of now.
    void killed(const std::map<RunId, Tree>& owned);
    // Counts those that have moved meanwhile: by the time that the first entry after the kill names, so it
    // does not matter when this is asked.
    void settle();
    [[nodiscard]] bool empty() const { return m_hit.empty(); }

private:
    struct Hit {
        Tree before;
        TimeMs at = kNoTime;
    };
    void addTree(const RunId& run, Tree& tree);
    [[nodiscard]] TimeMs firstAfter(const RunId& run, const Hit& hit);  // kNoTime: none yet
    [[nodiscard]] TimeMs timeOf(const RunId& run, std::uint64_t version);

    Stage& m_stage;
    std::map<RunId, Hit> m_hit;
};

}  // namespace cairn::drill
