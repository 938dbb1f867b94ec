#pragma once
// A real SQLite store with runs in many states, made through the service by an engine that only tests drive.

#include "core/service/service.h"

#include <functional>
#include <string>

namespace cairn::ui::test {

class Fixture {
public:
    // Makes the store file; ends the program with a message where something fails.
    Fixture(const std::string& path, const std::string& environment, bool guarded);

    // One run each: approval, uncertain effect, failed for good, back-off, paused, under way, and `completed`
    // that ended.
    void fill(int completed);
    RunId start(const std::string& order);
    // Answers open attempts until none is left or the named step has one.
    void drive(const RunId& run, const std::string& stopAt = {});
    void approve(const RunId& run);
    void fail(const RunId& run, const std::string& step, FailureClass failure, EffectKnowledge effect,
        const std::string& text);
    void pause(const RunId& run);
    void endEngine();  // what it had under way is lost
    // --- what is large
    RunId driven(const std::string& key);  // a run without a workflow, waiting for its caller
    void cancel(const RunId& run);
    RunId longHistory(int entries);       // one run, paused and resumed again and again
    void toggle(const RunId& run);        // pauses or resumes it: one entry
    RunId fanOut(int members);            // one step that fans out to so many
    RunId withOutput(std::string bytes);  // one step, completed with this
    RunId hiding(std::string input);      // of a workflow that hides "iban"
    [[nodiscard]] RunState state(const RunId& run);

    RunId waitsForApproval;
    RunId uncertain;

private:
    void addWorkflow(const std::string& name, std::uint32_t version, const std::string& text);
    void complete(const RunId& run, const std::string& step, std::string output);
    Outcome submit(Submission submission);

    SystemClock m_clock;
    SeededRng m_rng{7};
    SessionId m_session;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
};

}  // namespace cairn::ui::test
