#pragma once
// What one run cost, and what a restart did not have to do again, from its history. Pure: entries in, figures
// out; memory grows with the steps of a run, not with its entries.

#include "core/model/entry.h"
#include "core/report/spent.h"

#include <functional>
#include <map>
#include <vector>

namespace cairn {

struct RunWork {
    Spent spent;  // by all attempts that ended
    Spent
        again;  // of these, by attempts that ended with their engine: at most, since nobody heard the answer
    std::uint64_t effects = 0;  // done, and not undone since

    // Interruptions: an engine was gone while the run went on. What stood recorded then is summed over them:
    // without the record the run would have begun again from its first step each time.
    std::uint64_t interruptions = 0;
    Spent kept;
    std::uint64_t keptSteps = 0;
    std::uint64_t keptEffects = 0;
    // The next attempt was another engine's, and when the first one ended is not recorded: in none of these.
    std::uint64_t handedOver = 0;
};

class RunTally {
public:
    // Whether a session had ended by then; false also where nobody knows.
    using EndedBy = std::function<bool(const SessionId&, TimeMs)>;

    // Interruptions count from `since` to before `until`; all else counts always.
    RunTally(TimeMs since, TimeMs until, EndedBy endedBy);

    void add(const Entry& entry);  // in the order of the versions, from the first on
    [[nodiscard]] const RunWork& work() const { return m_work; }

private:
    struct Step {
        bool writes = false;
        bool done = false;
        StepIx undoOf = kNoStep;
    };
    struct Open {
        TimeMs since = kNoTime;
        bool engine = false;
    };
    void began(const AttemptStarted& fact, TimeMs at);
    void ended(const AttemptEnded& fact, TimeMs at);
    void completed(const StepCompleted& fact);
    void interrupted(TimeMs at);

    TimeMs m_since, m_until;
    EndedBy m_endedBy;
    RunWork m_work;
    std::vector<Step> m_steps;
    std::map<StepIx, Open> m_open;
    std::map<StepIx, Spent> m_results;  // of attempts that completed in this entry
    Spent m_recorded;
    std::uint64_t m_recordedSteps = 0, m_recordedEffects = 0;
    SessionId m_engine;  // of the newest attempt; null: none, or it is known to be gone
};

}  // namespace cairn
