// One example workflow through a real engine: as it is, or killed at each hit of each boundary.

#include "core/report/demo.h"
#include "core/report/drill_examples.h"

#include "core/base/text.h"

#include <algorithm>
#include <csignal>

namespace cairn {

namespace {

using namespace drill;

constexpr int kRunLimitMs = 120'000;
constexpr int kRecoveryLimitMs = 60'000;

void finishRun(Stage& stage, Examples& examples, const ExampleRun& run)
{
    const bool done = stage.poll(
        [&] {
            examples.operate();
            return examples.finished(run);
        },
        kRunLimitMs);
    stage.expect(done, run.name + " did not end within " + std::to_string(kRunLimitMs / 1000) + " s");
    examples.check(run);
}

// Until the next commit of the run, or of a run below it, that is not the operator's. Nothing is measured
// where the run waited for a person, or had ended.
void recover(Stage& stage, Examples& examples, const ExampleRun& run, Process& successor)
{
    ++stage.now().faults;
    stage.remember(run.run);
    const auto row = stage.row(run.run);
    const bool moves = row && row->attention == Attention::Machine && !isFinished(row->activity);
    const std::uint64_t before = stage.progress(run.run);
    SystemClock clock;
    const SpanMs from = clock.monotonicMs();
    successor = stage.engine("successor");
    if (!moves)
        return;
    const bool moved = stage.poll(
        [&] {
            if (stage.progress(run.run) > before)
                return true;
            examples.operate();  // a child run may wait for a person
            return false;
        },
        kRecoveryLimitMs);
    ++stage.now().interrupted;
    if (!moved) {
        stage.broken(Guarantee::Recovered, run.name + " did not move after a kill");
        return;
    }
    ++stage.now().recovered;
    stage.now().recoveryMs.push_back(static_cast<double>(clock.monotonicMs() - from));
}

void killAt(Stage& stage, Examples& examples, Example kind, const std::string& boundary)
{
    stage.begin(boundary);
    for (unsigned hit = 1;; ++hit) {
        const ExampleRun& run = examples.start(kind);
        Process engine = stage.engine("armed", boundary + "=kill@" + std::to_string(hit));
        const bool over = stage.poll(
            [&] {
                examples.operate();
                return engine.ended() || examples.finished(run);
            },
            kRunLimitMs);
        stage.expect(over, run.name + " neither ended nor was its engine killed");
        if (!engine.ended()) {
            finishRun(stage, examples, run);
            stopEngine(engine);
            break;
        }
        stage.expect(
            engine.wait() == 128 + SIGKILL, "the engine ended by itself: " + std::to_string(engine.wait()));
        Process successor;
        recover(stage, examples, run, successor);
        finishRun(stage, examples, run);
        stopEngine(successor);
    }
    stage.expect(stage.now().faults > 0, "the boundary was never reached: this tested nothing");
    stage.finish();
}

void runOnly(Stage& stage, Examples& examples, Example kind, unsigned runs)
{
    stage.begin(std::to_string(runs) + " of " + workflowOf(kind));
    std::vector<ExampleRun> started;
    for (unsigned i = 0; i < runs; ++i)
        started.push_back(examples.start(kind));
    Process engine = stage.engine("worker");
    for (const ExampleRun& run : started)
        finishRun(stage, examples, run);
    stopEngine(engine);
    stage.finish();
}

}  // namespace

std::vector<std::string> demoBoundaries(const std::string& workflow)
{
    // In the order in which an attempt comes by them.
    std::vector<std::string> all{"service.before-push", "queue.before-commit", "store.before_commit",
        "store.after_commit", "queue.after-commit", "queue.before-answer", "engine.intent-committed",
        "command.before-spawn", "command.before-answer", "http.before-answer", "engine.result-in-hand",
        "engine.result-answered"};
    if (workflow != workflowOf(Example::Purchase))
        std::erase(all, "http.before-answer");  // no tool of the others speaks HTTP
    return all;
}

const std::vector<std::string>& demoWorkflows()
{
    static const std::vector<std::string> all{"purchase", "repo-review", "research"};
    return all;
}

Result<DrillReport> runDemo(const DemoOptions& options)
{
    const auto kind = exampleOf(options.workflow);
    if (!kind)
        return makeError(
            ErrorKind::InvalidInput, "there is no example workflow \"" + options.workflow + "\"");
    const auto all = demoBoundaries(options.workflow);
    for (const auto& boundary : options.killAt) {
        if (std::find(all.begin(), all.end(), boundary) == all.end())
            return makeError(
                ErrorKind::InvalidInput, options.workflow + " has no boundary \"" + boundary + "\"");
    }
    Stage stage(options.drill);
    CAIRN_TRY(stage.makeStore());
    Examples examples(stage, options.definitions);
    CAIRN_TRY(examples.prepare(options.repository));
    if (options.killAt.empty())
        runOnly(stage, examples, *kind, options.runs);
    for (const auto& boundary : options.killAt)
        killAt(stage, examples, *kind, boundary);
    stage.begin("nothing else was done outside");
    examples.checkNothingElse();
    stage.finish();
    verifyAll(stage);
    return summarised(stage);
}

Result<DrillReport> leaveSituations(const DrillOptions& options)
{
    Stage stage(options);
    CAIRN_TRY(stage.makeStore());
    CAIRN_TRY(addWorkflows(stage, options.cairn));
    leaveEverySituation(stage);
    verifyAll(stage);
    return summarised(stage);
}

}  // namespace cairn
