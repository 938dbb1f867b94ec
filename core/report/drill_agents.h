#pragma once
// One run of the five agents, from its start to its end: who delivers its message, agrees to its payment and
// lets its day pass, and what must be true of it afterwards.

#include "core/report/drill_stage.h"

namespace cairn::drill {

class FiveAgents {
public:
    // Starts the run, by `program` (empty: today's).
    FiveAgents(Stage& stage, const std::string& key, const std::string& program = {});

    void startEngine(const std::string& failpoints = {});
    void adopt(Process engine);  // which serves the run from now on
    // Until the condition holds, or the run has ended: does what the run waits for, and replaces an engine
    // that a failpoint has killed. False: nothing of that within a minute.
    [[nodiscard]] bool drive(const std::function<bool(const ListRow&)>& until = {});
    void driveTo(Reason reason);
    void driveToFourth();  // three transitions are done, the fourth is under way
    // Kills its engine and starts another, or hands over to one that is there; measures.
    void kill();
    void killFor(Process successor);
    void killOnly();  // nobody is there until replaceKilled(), from which on is measured
    void replaceKilled();
    void stop();  // as an operator does; a failpoint that was not reached is a failure
    void deliverTwice();
    void approve();
    // To the end: seven transitions by five agents, one message, one payment, whatever happened on the way.
    void finish();

    [[nodiscard]] const RunId& run() const { return m_run; }

private:
    void replaceDead();
    void nextDay();
    void checkHistory();

    Stage& m_stage;
    std::string m_name;
    RunId m_run;
    Process m_engine;
    unsigned m_engines = 0;
    bool m_armed = false;
    bool m_delivered = false, m_approved = false, m_slept = false;
    std::uint32_t m_paidBefore = 0, m_askedBefore = 0;
};

}  // namespace cairn::drill
