#pragma once
// Who acts beside the engine in a proof: the caller, people who approve and repair, outside workers. Each
// knows what a real one could know: what the history says, and, before settling, what the provider really
// did. Internal to the proof.

#include "core/engine/executor.h"
#include "core/report/prove.h"
#include "core/service/service.h"
#include "core/store/hooked_store.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn::proof {

// What they see of the play.
class Scene {
public:
    virtual ~Scene() = default;
    virtual void theyCommitted(
        std::span<const CommitMember> members, std::span<const MemberResult> results) = 0;
    // A boundary of an outside worker; true: it is killed here.
    [[nodiscard]] virtual bool killsWorker(const std::string& path, const char* when) = 0;
    virtual void called(const StartOrder& order) = 0;  // by an outside worker
    [[nodiscard]] virtual const std::map<RunId, RunState>& runs() const = 0;
    [[nodiscard]] virtual const Definition& definitionOf(const RunState& state) const = 0;
    [[nodiscard]] virtual std::string pathOf(const RunState& state, StepIx ix) const = 0;
    [[nodiscard]] virtual std::string outputOf(const RunId& run, const std::string& step) const = 0;
    [[nodiscard]] virtual std::string mediaOf(const RunId& run, const std::string& step) const = 0;
    [[nodiscard]] virtual bool happened(const RunId& run, const std::string& step) const = 0;
    // Whether it is approved; nullopt: nobody decides.
    [[nodiscard]] virtual std::optional<bool> decision(
        const RunState& state, const ApprovalRecord& approval) const = 0;
    // Nobody repairs it: it is to fail.
    [[nodiscard]] virtual bool staysFailed(const RunState& state, const StepRecord& step) const = 0;
    // Somebody sends what it waits for.
    [[nodiscard]] virtual bool isSignalled(const RunState& state, const StepRecord& step) const = 0;
    virtual void parked(const RunState& state, StepIx ix, Reason reason) = 0;
    virtual void trouble(const std::string& path, const std::string& what) = 0;
};

class People {
public:
    People(Scene& scene, ProveOptions::Connect connect, const Clock& clock);
    ~People();

    [[nodiscard]] Outcome start(const std::string& workflow, const std::string& input);
    // One act that somebody is asked for now; false: there is none.
    bool act();
    void cancel(const RunId& run);
    // False where there is nothing to undo.
    [[nodiscard]] bool compensate(const RunId& run);

private:
    struct One;
    [[nodiscard]] Service& person(std::size_t number);
    [[nodiscard]] Outcome give(
        const RunId& run, cmd::Body body, std::size_t number = 0, ActorKind kind = ActorKind::Person);
    [[nodiscard]] Outcome submit(Submission submission, std::size_t number);
    bool actOn(const RunState& state);
    bool approve(const RunState& state);
    bool settle(const RunState& state);
    bool repair(const RunState& state);
    bool repairStep(const RunState& state, StepIx ix);
    bool signal(const RunState& state);
    bool unblock(const RunState& state);
    bool raiseBudget(const RunState& state);
    bool work(const RunState& state);
    void doWork(const RunId& run, StepIx ix);

    Scene& m_scene;
    ProveOptions::Connect m_connect;
    const Clock& m_clock;
    SeededRng m_rng{99};
    std::vector<std::unique_ptr<One>> m_people;
    std::map<RunId, std::uint64_t> m_refused;  // version at which an act was refused: wait for the next
};

}  // namespace cairn::proof
