// Leaves runs in every activity and for every reason, so that the console has something to show after the
// drill.

#include "core/report/drill_stage.h"

#include "core/base/text.h"
#include "core/query/query.h"

#include <algorithm>
#include <csignal>
#include <iterator>

namespace cairn::drill {

namespace {

const std::string kAmount = R"({"amount":"240.00","order":"A-58213"})";

const std::string kUnserved = "stuck-unserved";

struct Wanted {
    const char* workflow;
    const char* key;
    Reason reason;
};

// Those that come to their wait by themselves.
constexpr Wanted kByThemselves[] = {
    {"stuck-approval", "chairs, Lyon", Reason::Approval},
    {"stuck-exhausted", "ledger import", Reason::AttemptsExhausted},
    {"stuck-credential", "supplier login", Reason::Credential},
    {"stuck-rejected", "order 58214", Reason::Incompatible},
    {"stuck-retry", "price feed", Reason::Retry},
    {"stuck-limited", "catalogue sync", Reason::Resource},
    {"stuck-budget", "long analysis", Reason::Budget},
    {"stuck-deadline", "delivery by noon", Reason::Deadline},
    {"stuck-timer", "quote validity", Reason::Timer},
    {"stuck-signal", "parcel 4711", Reason::Signal},
    {"stuck-parent", "purchase with audit", Reason::Child},
    {"stuck-failed-child", "audit of account", Reason::FailedChild},
};

// What no run can be left with, and why. A run that has it all the same is a failure too: then this is wrong.
struct NotLeft {
    Reason reason;
    const char* why;
};
constexpr NotLeft kNotLeft[] = {
    {Reason::Dependency, "never a run's only reason: what the earlier step waits for is shown"},
};

constexpr int kLeaseLimitMs = 15'000;

// As the command line and the console count them.
bool countRuns(Stage& stage)
{
    SystemClock clock;
    const auto counts = Query(stage.store(), clock).counts({});
    if (!counts)
        return false;
    ScenarioReport& now = stage.now();
    now.activities.clear();
    now.reasons.clear();
    for (const CountRow& row : *counts) {
        now.activities[row.activity] += row.count;
        now.reasons[row.reason] += row.count;
    }
    return true;
}

void expectEverySituation(Stage& stage)
{
    // The killed engine counts as lost when its lease has passed.
    stage.expect(stage.poll([&] { return countRuns(stage) && stage.now().reasons.contains(Reason::Lease); },
                     kLeaseLimitMs),
        "no run is shown as having lost its worker");
    for (const Word& word : words<Activity>())
        stage.expect(stage.now().activities.contains(static_cast<Activity>(word.value)),
            "no run was left that is " + std::string(word.key));
    for (const Word& word : words<Reason>()) {
        const auto reason = static_cast<Reason>(word.value);
        const auto* excused = std::find_if(
            std::begin(kNotLeft), std::end(kNotLeft), [&](const NotLeft& n) { return n.reason == reason; });
        const bool left = stage.now().reasons.contains(reason);
        if (excused == std::end(kNotLeft))
            stage.expect(left, "no run was left with the reason " + std::string(word.key));
        else if (left)
            stage.broken(
                "a run has the reason " + std::string(word.key) + ", which none can have: " + excused->why);
        else
            stage.tell(std::string(word.key) + ": " + excused->why);
    }
}

void uncertainAndWhoWaitsForIt(Stage& stage)
{
    stage.mode("charge", "do-then-drop@1");
    const RunId unknown = stage.start("stuck-same-effect", "checkout A-58213", kAmount);
    stage.expect(stage.awaitReason(unknown, Reason::OutcomeUnknown), "no run with an uncertain effect");
    const RunId waits = stage.start("stuck-same-effect", "checkout A-58213, again", kAmount);
    stage.expect(stage.awaitReason(waits, Reason::EffectInFlight), "no run that waits for another's effect");
    const RunId conflict = stage.start(
        "stuck-same-effect", "checkout A-58213, other amount", R"({"amount":"999.00","order":"A-58213"})");
    stage.expect(
        stage.awaitReason(conflict, Reason::EffectKeyConflict), "no run with an effect key conflict");
}

void ended(Stage& stage)
{
    const RunId done = stage.start("drill-chain", "nightly report", "{}");
    stage.expect(stage.awaitActivity(done, Activity::Completed), "no completed run");
    const RunId failed = stage.start("ends-failed", "account 9931", "{}");
    stage.expect(stage.awaitActivity(failed, Activity::Failed), "no failed run");
    const RunId cancelled = stage.start("stuck-signal", "parcel 4712", "{}");
    stage.expect(stage.awaitReason(cancelled, Reason::Signal), "no run to cancel");
    stage.act({"cancel", toText(cancelled)});
    stage.expect(stage.awaitActivity(cancelled, Activity::Cancelled), "no cancelled run");
    const RunId undone = stage.start("undo", "booking 12", "{}");
    stage.expect(stage.awaitReason(undone, Reason::Signal), "no run to compensate");
    stage.act({"cancel", toText(undone)});
    stage.expect(stage.awaitActivity(undone, Activity::Compensated), "no compensated run");
    stage.mode("unbook-stuck", "500");
    const RunId undoing = stage.start("stuck-undo", "booking 13", "{}");
    stage.expect(stage.awaitReason(undoing, Reason::Signal), "no run to compensate");
    stage.act({"cancel", toText(undoing)});
    stage.expect(stage.awaitActivity(undoing, Activity::Compensating), "no run that is being compensated");
}

}  // namespace

void leaveEverySituation(Stage& stage)
{
    stage.begin("runs in every activity and for every reason");
    stage.mode("throttled", "429:3600");
    // It serves every workflow but one, so that a run of that one has no eligible worker.
    std::vector<std::string> serves;
    for (const auto& name : workflowNames())
        if (name != kUnserved)
            serves.insert(serves.end(), {"--serves", name});
    Process engine = stage.engine("w-17", {}, {}, serves);
    const RunId worker = stage.start(kUnserved, "needs another worker", "{}");
    stage.expect(stage.awaitReason(worker, Reason::Worker), "no run without an eligible worker");
    std::vector<std::pair<RunId, const Wanted*>> wanted;
    for (const Wanted& want : kByThemselves)
        wanted.emplace_back(stage.start(want.workflow, want.key, kAmount), &want);
    const RunId paused = stage.start("stuck-timer", "month-end freeze", "{}");
    stage.expect(stage.awaitReason(paused, Reason::Timer), "no run to pause");
    stage.act({"pause", toText(paused)});
    uncertainAndWhoWaitsForIt(stage);
    ended(stage);
    const RunId cancelling = stage.start("stuck-slow", "scan of 12 GB", "{}");
    const RunId executing = stage.start("stuck-slow", "scan of 4 GB", "{}");
    const RunId holds = stage.start("stuck-slot", "render 1", "{}");
    stage.expect(stage.awaitActivity(holds, Activity::Executing), "no run that holds the slot");
    const RunId capacity = stage.start("stuck-slot", "render 2", "{}");
    for (const auto& [run, want] : wanted)
        stage.expect(stage.awaitReason(run, want->reason),
            std::string("no run with reason ") + std::string(key(want->reason)));
    stage.expect(stage.awaitReason(capacity, Reason::Capacity), "no run that waits for a limit");
    stage.expect(stage.awaitActivity(executing, Activity::Executing), "no executing run");
    stage.expect(stage.awaitActivity(cancelling, Activity::Executing), "no run to cancel while it executes");
    // Killed, not ended: what it executed is left as `worker lost` until somebody starts an engine.
    engine.kill(SIGKILL);
    engine.wait();
    stage.act({"cancel", toText(cancelling)});
    stage.expect(stage.awaitActivity(cancelling, Activity::Cancelling), "no run that is being cancelled");
    const RunId queued = stage.start("drill-chain", "waits for an engine", "{}");
    stage.expect(stage.awaitActivity(queued, Activity::Queued), "no queued run");
    expectEverySituation(stage);
    stage.finish();
}

}  // namespace cairn::drill
