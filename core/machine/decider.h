#pragma once
// Inside of the machine: one decision under way. The command's own facts come first (decide_*.cpp), then
// settle() makes whatever follows from them: steps become ready, attempts start, waits begin, the run closes.

#include "core/machine/fold.h"
#include "core/machine/machine.h"
#include "core/model/migrate.h"

namespace cairn {

// Whether a command can be taken: nothing, a refusal, or "already so".
using Examined = std::variant<std::monostate, Rejection, NoChange>;
[[nodiscard]] Examined examine(const RunState& state, const Command& command, const Given& given);

// Who moves next in a run, as its parent should know it: not what came from the parent itself (its pause,
// its deadline), nor what the parent hears in other words (a lack of budget).
[[nodiscard]] Attention attentionForParent(const RunState& state);

// What the policy asks of a person, and the role that an approval is for: reason, role (notEntitled);
// somebody else who confirms it (needsAnother).
[[nodiscard]] std::optional<Rejection> notEntitled(const Command& command, const Given& given);
[[nodiscard]] std::optional<Rejection> needsAnother(const Command& command, const Given& given);

[[nodiscard]] Examined examineMessage(const RunState& state, const cmd::Deliver& message);
[[nodiscard]] Examined examineRedaction(const RunState& state, const cmd::Redact& command);  // settled.cpp
[[nodiscard]] Examined examineAcceptance(const RunState& state);

// settle.cpp
[[nodiscard]] Examined examineSettle(const RunState& state, const cmd::Settle& command, const Given& given);
// Whether a call that begins now, under the key that the step's first try had, still finds that key at the
// provider. True where nothing was called yet, and where the tool does not bound it.
[[nodiscard]] bool keyIsKept(const StepRecord& step, const ToolDef* tool, TimeMs now);

// takeover.cpp
[[nodiscard]] Examined examineTakeover(
    const RunState& state, const cmd::Takeover& command, const SessionId& owner);

// annotate.cpp
[[nodiscard]] Examined examineAnnotation(const RunState& state, const Command& command, TimeMs now);
[[nodiscard]] bool isAnnotation(const cmd::Body& body) noexcept;

[[nodiscard]] Rejection refuse(RejectCode code, std::string text);
// A ready step that a worker with these tools may take; an empty list of tools fits all.
[[nodiscard]] bool claimable(
    const RunState& state, const StepRecord& step, const std::vector<std::string>& tools);
[[nodiscard]] Digest bindingOf(const StepRecord& step, const ToolDef* tool);
// What the run has recorded against another version of its workflow (core/model/migrate.h).
[[nodiscard]] MigrationAnswer fitOf(const RunState& state, const Definition& target);
[[nodiscard]] const StepDef* stepDef(const Definition* definition, const RunState& state, StepIx ix);
[[nodiscard]] const ToolDef* toolDef(const Definition* definition, const StepRecord& step);

// The identity of a child is (parent run, step, index). The step's id, not its place: in a fork, steps that
// are added on the way may come in another order.
[[nodiscard]] RunId childId(const RunId& parent, const StepRecord& step);

struct Decider::Impl {
    Impl(RunState& state, const Command& command, Given& given);

    Decision run();

    // The command's own facts. False: something is needed first, nothing has been decided yet.
    bool own(const cmd::Start& c);
    bool own(const cmd::AddSteps& c);
    bool own(const cmd::DrivenStep& c);
    bool own(const cmd::Signal& c);
    bool own(const cmd::Claim& c);
    bool own(const cmd::Renew& c);
    bool own(const cmd::Complete& c);
    [[nodiscard]] bool isOver(const StepRecord& r) const;
    bool own(const cmd::Fail& c);
    bool own(const cmd::Partial& c);
    bool own(const cmd::LookedUp& c);
    bool own(const cmd::RequestApproval& c);
    bool own(const cmd::Decide& c);
    bool own(const cmd::SetPaused& c);
    bool own(const cmd::Cancel& c);
    bool own(const cmd::Compensate& c);
    bool own(const cmd::RetryStep& c);
    bool own(const cmd::SkipStep& c);
    bool own(const cmd::RecordResult& c);
    bool own(const cmd::Settle& c);
    bool own(const cmd::AmendInput& c);
    bool own(const cmd::SetDeadline& c);
    bool own(const cmd::SetBudget& c);
    bool own(const cmd::Fork& c);
    bool own(const cmd::Migrate& c);
    bool own(const cmd::Redact& c);
    bool own(const cmd::Retain& c);
    bool own(const cmd::Advance& c);
    bool own(const cmd::Park& c);
    bool own(const cmd::Recover& c);
    bool own(const cmd::FireTimers& c);
    bool own(const cmd::Deliver& c);
    bool own(const cmd::Takeover& c);
    bool own(const cmd::Hold& c);
    bool own(const cmd::Assign& c);
    bool own(const cmd::Note& c);

    // decide_steps.cpp
    void settle();
    void checkVersions();
    bool openFresh(StepIx ix);
    bool proceed(StepIx ix);
    bool startTool(StepIx ix);
    bool begin(StepIx ix, SessionId session, const std::string& worker, SpanMs heartbeat);
    bool gateByApproval(StepIx ix, const StepDef* def, const ToolDef* tool);
    bool spentBudget(const ToolDef& t) const;
    bool fitsBudget(const std::vector<Usage>& amounts) const;
    bool overBudget(StepIx ix, const ToolDef* tool);
    void releaseBudget();
    void grantChildren();
    void askParent();
    void tellParent();
    [[nodiscard]] std::vector<Usage> costOf(StepIx ix) const;
    [[nodiscard]] std::vector<Usage> lackOf(const ChildRecord& child) const;
    enum class Ledger : std::uint8_t { Go, Stop, Moved };
    Ledger askLedger(StepIx ix);
    bool throttled(StepIx ix, const ToolDef* tool);
    void startAttempt(StepIx ix, Purpose purpose, const StepDef* def, const ToolDef* tool, SessionId session,
        const std::string& worker, SpanMs heartbeat);
    void startLookUps();
    void openFanOut(StepIx ix, const Rendered& rendered);
    bool openChild(StepIx ix);
    bool takeSignal(StepIx ix);
    void askApproval(StepIx ix, const ApprovalPolicy& policy, const ToolDef* tool, const Actor& asker);
    void finishFanOuts();
    void close();
    void closeAsFailed(bool byRecovery);
    bool startCompensation();
    bool mayStart(const StepRecord& step) const;
    // No more ledger rows are asked for than attempts could start: the rest is asked when these have been
    // answered.
    bool mayAsk() const { return needs.ledger.size() < capacity; }
    std::optional<RetryPolicy> policyOf(StepIx ix) const;
    // What is left of the time that the step as a whole may take; nullopt: it is not limited.
    std::optional<SpanMs> timeLeft(StepIx ix) const;

    // decide_attempts.cpp
    void retryUncounted(StepIx ix, const cmd::Fail& c);
    void endUnclear(StepIx ix, AttemptEnd how, const PayloadRef& error);
    void afterUnclear(StepIx ix, Purpose purpose, EffectKnowledge knowledge, bool handledFailure);
    void retryLater(StepIx ix, Reason reason, TimeMs due);
    void exhaust(StepIx ix, const PayloadRef& error);
    void retryOrExhaust(StepIx ix, bool handledFailure, const PayloadRef& error);
    void retryDenied(StepIx ix);
    void failStep(StepIx ix, Reason reason, const PayloadRef& error);
    void expireApproval(StepIx ix);
    void releaseToPermit(StepIx ix);

    // decide_run.cpp
    void addStep(const cmd::NewStep& step, StepIx owner, std::uint32_t index);
    void addDefinedSteps();
    void cancelRest();

    void emit(Fact fact);
    StepRecord& step(StepIx ix) { return s.steps[ix]; }
    ApprovalRecord* approval(const ApprovalId& id);
    const StepDef* def(StepIx ix) const { return stepDef(g.definition, s, ix); }
    const ToolDef* tool(StepIx ix) const { return toolDef(g.definition, s.steps[ix]); }
    StepIx indexOf(const std::string& id) const { return s.stepById.at(id); }

    RunState& s;
    const Command& cmd;
    Given& g;
    Entry entry;
    fold::Head head;
    Needs needs;
    std::uint32_t capacity = 0;
    std::map<std::string, std::uint32_t, std::less<>> spent;  // permits spent per resource in this entry
    std::set<EffectId> claimed;                               // effects whose intent is in this entry
    std::vector<StepIx> owners;                               // fan-outs with a member that just finished
    bool examined = false;
    bool owned = false;    // the command's own facts are in
    bool scanAll = false;  // look at every ready step, not only until capacity is spent
};

}  // namespace cairn
