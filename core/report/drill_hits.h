#pragma once
// Which runs a random kill hit, and how long each took to move again. A kill counts as one that interrupted
// work where it hit a run, but for one whose runs had all been ended by the victim in the instant before.

#include "core/report/drill_stage.h"

#include <set>

namespace cairn::drill {

class Hits {
public:
    explicit Hits(Stage& stage)
        : m_stage(stage)
    {
    }

    using Versions = std::map<RunId, std::uint64_t>;
    // Those of `runs`, and of their child runs, in which the session with this process id has an attempt
    // under way: they move as soon as another engine sees it gone. Asked before the kill.
    [[nodiscard]] Versions workedOnBy(pid_t pid, std::span<const RunId> runs);
    // The process is dead as of now. Counts one fault.
    void killed(const Versions& versions);
    // Counts those that have moved meanwhile: by the time that the first entry after the kill names, so it
    // does not matter when this is asked.
    void settle();
    [[nodiscard]] bool empty() const { return m_hit.empty(); }

private:
    struct Hit {
        std::uint64_t version = 0;  // at the kill, or before
        TimeMs at = kNoTime;
        std::size_t kill = 0;  // which one
    };
    void addWorkedOn(const RunId& run, const std::set<SessionId>& sessions, Versions& versions);
    [[nodiscard]] TimeMs firstAfter(const RunId& run, Hit& hit);  // kNoTime: none yet
    [[nodiscard]] TimeMs timeOf(const RunId& run, std::uint64_t version);

    Stage& m_stage;
    std::map<RunId, Hit> m_hit;
    struct Kill {
        std::size_t open = 0;  // runs that it hit and that have not moved yet
        bool recovered = false;
    };
    std::vector<Kill> m_kills;
};

}  // namespace cairn::drill
