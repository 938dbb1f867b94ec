// The drill's workflows, and scenarios that test what the five agents do not: small workflows, one fault
// each.

#include "core/report/drill_stage.h"

#include "core/base/text.h"

#include <algorithm>
#include <csignal>
#include <fstream>

namespace cairn::drill {

namespace {

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

void messageTwice(Stage& stage)
{
    stage.begin("a message that is delivered twice ends one of two waits for it");
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

// The provider has done it, nobody here knows, and it cannot be asked: a person is. It is never done again.
void killedWithoutLookUp(Stage& stage)
{
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
}

void connectionDropped(Stage& stage)
{
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

}  // namespace cairn::drill
