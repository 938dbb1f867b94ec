// The fixed scenarios of the drill: one fault each, at a place where systems of this kind lose or double
// something.

#include "core/report/drill_stage.h"

#include "core/base/text.h"

#include <algorithm>
#include <csignal>
#include <fstream>

namespace cairn::drill {

namespace {

constexpr SpanMs kDay = 86'400'000;
const std::string kOrderInput = R"({"amount":"12.50"})";

void expectCompleted(Stage& stage, const RunId& run)
{
    if (!stage.awaitActivity(run, Activity::Completed)) {
        const auto row = stage.row(run);
        stage.broken("run " + toText(run) + " did not complete; it is "
            + (row ? std::string(key(row->activity)) + " " + std::string(key(row->reason))
                   : "not in the list"));
    }
    stage.countAttempts(run);
    stage.remember(run);
}

}  // namespace

Status addWorkflows(Stage& stage, const std::string& program)
{
    std::vector<std::string> command{"workflow", "add"};
    for (const auto& name : workflowNames()) {
        const std::string file = stage.options().folder + "/" + name + ".json";
        std::ofstream out(file);
        out << workflowText(name);
        out.close();
        if (!out)
            return makeError(ErrorKind::Io, "cannot write " + file);
        command.push_back(file);
    }
    int code = 0;
    const std::string output = stage.cli(command, &code, program);
    if (code != 0)
        return makeError(ErrorKind::Internal, "the drill's workflows were not taken: " + output);
    return {};
}

// Five agents, seven transitions; the coordinating engine dies after three, another resumes; the auditor's
// pause of 24 hours passes by the test clock while every engine is down.
void fiveAgents(Stage& stage)
{
    stage.begin("five agents, coordinator killed after 3 of 7 transitions, a pause of 24 hours");
    stage.mode("quote", "slow:1");
    const std::uint32_t before = stage.effectsOf("pay");
    const RunId run = stage.start("drill-agents", "agents", kOrderInput);
    Process first = stage.engine("coordinator");
    stage.expect(stage.await(run, [](const ListRow& r) { return r.stepsDone >= 3; }),
        "three transitions were not reached");
    Process second;
    stage.killAndRecover(first, run, second, "successor");
    stage.expect(stage.awaitReason(run, Reason::Timer), "the run did not come to its pause");
    stopEngine(second);
    stage.advanceClock(kDay + 1000);
    Process third = stage.engine("next-day");
    expectCompleted(stage, run);
    stage.expect(stage.effectsOf("pay") == before + 1, "the payment must have been made exactly once");
    stage.mode("quote", "ok");
    stopEngine(third);
    stage.finish();
}

void messageTwice(Stage& stage)
{
    stage.begin("a queue message is delivered twice");
    const RunId run = stage.start("drill-signal", "signal", "{}");
    Process engine = stage.engine("listener");
    stage.expect(stage.awaitReason(run, Reason::Signal), "the run does not wait for its signal");
    const std::vector<std::string> message{
        "signal", toText(run), "paid", "--id", "message-1", "--data", R"({"n":1})"};
    static_cast<void>(stage.cli(message));
    const std::string again = stage.cli(message);
    ++stage.now().faults;
    stage.expect(again.find("no_change") != std::string::npos,
        "the second delivery was not recognised: " + visibleLine(again));
    stage.expect(
        stage.await(run, [](const ListRow& r) { return r.stepsDone == 1 && r.reason == Reason::Signal; }),
        "one message must end one wait");
    static_cast<void>(stage.cli({"signal", toText(run), "paid", "--id", "message-2"}));
    expectCompleted(stage, run);
    stopEngine(engine);
    stage.finish();
}

// The provider answers 429 with Retry-After; the engine that was told dies; nobody calls before the named
// time.
void rateLimited(Stage& stage)
{
    stage.begin("the provider answers 429 with Retry-After, and the engine that was told is killed");
    stage.mode("limited", "429:2@1");
    const RunId run = stage.start("drill-limited", "limited", "{}");
    Process first = stage.engine("told");
    stage.expect(stage.awaitReason(run, Reason::Resource), "the run is not shown as throttled");
    const auto row = stage.row(run);
    const TimeMs asked = row ? row->nextTime : kNoTime;
    auto told = stage.store().now();
    stage.expect(row && told && asked > *told, "the wait has no next time");
    Process second;
    stage.killAndRecover(first, run, second, "not-told");
    expectCompleted(stage, run);
    auto attempts = stage.store().attempts(run, kNoStep);
    stage.expect(attempts && attempts->size() == 2, "one refused call and one accepted call were expected");
    if (attempts && attempts->size() == 2) {
        const auto later = std::max((*attempts)[0].startedAt, (*attempts)[1].startedAt);
        const auto refused = std::min((*attempts)[0].endedAt, (*attempts)[1].endedAt);
        stage.expect(later >= refused + 2000, "the provider was called before the time it named");
    }
    // Recovery here is the wait that the provider asked for; it is not a figure of ours.
    stage.now().recoveryMs.clear();
    stopEngine(second);
    stage.finish();
}

void killedAfterModelCall(Stage& stage)
{
    stage.begin("killed right after a model call, before its answer is recorded");
    const RunId run = stage.start("drill-decision", "decision", "{}");
    Process first = stage.engine("thinker", "engine.result-in-hand=kill@1");
    Process second;
    stage.awaitDeathAndRecover(first, run, second, "rethinker");
    expectCompleted(stage, run);
    auto attempts = stage.store().attempts(run, 0);
    stage.expect(attempts && attempts->size() == 2,
        "the model is asked again exactly once, since its answer was not recorded");
    stopEngine(second);
    stage.finish();
}

// Before the commit, in it, after it, and before the answer: at each of the first commits of a run.
void killedDuringCommit(Stage& stage)
{
    stage.begin("killed during a commit, at each of several commits");
    int number = 0;
    for (const char* point :
        {"queue.before-commit", "store.before_commit", "queue.after-commit", "queue.before-answer"})
        for (const int hit : {1, 3, 6}) {
            const std::string name = std::to_string(++number);
            const RunId run = stage.start("drill-chain", "chain-" + name, "{}");
            Process first =
                stage.engine("commit-" + name, std::string(point) + "=kill@" + std::to_string(hit));
            Process second;
            stage.awaitDeathAndRecover(first, run, second, "commit-" + name + "-next");
            expectCompleted(stage, run);
            stopEngine(second);
        }
    stage.finish();
}

// The worst moment: the provider has done it, and nobody here knows. With a look-up the provider is asked;
// without one a person is. It is never done again.
void killedAfterAcceptance(Stage& stage)
{
    stage.begin("killed after the provider accepted a payment; it can be looked up");
    const std::uint32_t before = stage.effectsOf("pay");
    const RunId run = stage.start("drill-pay", "pay", kOrderInput);
    Process first = stage.engine("payer", "engine.result-in-hand=kill@1");
    Process second;
    stage.awaitDeathAndRecover(first, run, second, "asker");
    expectCompleted(stage, run);
    stage.expect(stage.effectsOf("pay") == before + 1, "the payment must have been made exactly once");
    stopEngine(second);
    stage.finish();

    stage.begin("killed after the provider accepted a payment that cannot be looked up");
    const RunId blind = stage.start("drill-blind", "blind", kOrderInput);
    Process third = stage.engine("blind-payer", "engine.result-in-hand=kill@1");
    Process fourth;
    stage.awaitDeathAndRecover(third, blind, fourth, "parker");
    stage.expect(stage.awaitReason(blind, Reason::OutcomeUnknown), "the step was not parked as unknown");
    stage.expect(stage.effectsOf("blind-pay") == 1, "the payment must have been made exactly once");
    stage.act({"settle", toText(blind), "pay", "--happened", "--output",
        R"({"found":"in the provider's statement"})"});
    expectCompleted(stage, blind);
    stage.expect(stage.effectsOf("blind-pay") == 1, "settling must not pay again");
    stopEngine(fourth);
    stage.finish();

    stage.begin("the provider does it and drops the connection");
    stage.mode("pay", "do-then-drop@1");
    const std::uint32_t paid = stage.effectsOf("pay");
    const RunId dropped = stage.start("drill-pay", "pay-dropped", kOrderInput);
    Process fifth = stage.engine("dropped");
    expectCompleted(stage, dropped);
    ++stage.now().faults;
    stage.expect(stage.effectsOf("pay") == paid + 1, "the payment must have been made exactly once");
    stopEngine(fifth);
    stage.finish();
}

// A waiting run needs no engine: the approval is given while none is there.
void killedWhileApprovalIsAwaited(Stage& stage)
{
    stage.begin("killed while an approval is awaited; the approval is given while no engine is there");
    const std::uint32_t before = stage.effectsOf("pay");
    const RunId run = stage.start("drill-approval", "approval", kOrderInput);
    Process first = stage.engine("asker");
    stage.expect(stage.awaitReason(run, Reason::Approval), "the run does not wait for its approval");
    first.kill(SIGKILL);
    first.wait();
    ++stage.now().faults;
    stage.expect(stage.effectsOf("pay") == before, "nothing may be paid before the approval");
    stage.act({"approve", toText(run)});
    stage.remember(run);
    Process second = stage.engine("approved");
    expectCompleted(stage, run);
    stage.expect(stage.effectsOf("pay") == before + 1, "the approved payment must be made exactly once");
    int code = 0;
    const std::string twice =
        stage.cli({"approve", toText(run), "pay", "--reason", "the drill's operator says so"}, &code);
    stage.expect(code == 0 && twice.find("no_change") != std::string::npos,
        "the same approval twice must give the first answer");
    stage.now().recoveryMs.clear();
    stopEngine(second);
    stage.finish();
}

// The store was made by the older binary, which works on it while the newer one migrates; then both run; then
// the older one is killed in the middle of a run; then the format is raised, and the older one must refuse.
Status migrationDuringWork(Stage& stage)
{
    const std::string& old = stage.options().format1;
    stage.begin("a store migration while a second engine, built for format 1, is at work");
    if (old.empty()) {
        stage.broken("not run: there is no cairn-format1 beside this program");
        CAIRN_TRY(stage.openStore());
        stage.finish();
        return {};
    }
    Process older = stage.engine("format1", {}, old);
    const RunId before = stage.start("drill-chain", "format-before", "{}", old);
    static_cast<void>(stage.cli({"store", "migrate"}));
    CAIRN_TRY(stage.openStore());
    expectCompleted(stage, before);
    stage.mode("pay", "slow:1@1");
    const RunId during = stage.start("drill-pay", "format-during", kOrderInput);
    stage.expect(stage.await(during, [](const ListRow& r) { return r.activity == Activity::Executing; }),
        "the older engine does not work on the migrated store");
    int code = 0;
    static_cast<void>(stage.cli({"store", "migrate", "--contract"}, &code));
    stage.expect(code == 1, "raising the format must be refused while an older engine lives");
    Process newer;
    stage.killAndRecover(older, during, newer, "format2");
    expectCompleted(stage, during);
    stage.expect(stage.poll(
                     [&] {
                         int result = 0;
                         static_cast<void>(stage.cli({"store", "migrate", "--contract"}, &result));
                         return result == 0;
                     },
                     15'000),
        "the format could not be raised after the older engine was gone");
    const RunId after = stage.start("drill-chain", "format-after", "{}");
    expectCompleted(stage, after);
    auto hot = stage.store().hot(after);
    stage.expect(hot && hot->format == kMaxFormat,
        "a run that was started after the migration must have the new format");
    Process refused = stage.engine("format1-again", {}, old);
    stage.expect(stage.poll([&] { return refused.ended(); }, 10'000) && refused.wait() != 0,
        "the older engine must refuse a store of a format that it does not know");
    stopEngine(newer);
    stage.finish();
    return {};
}

}  // namespace cairn::drill
