// Random workflows and random commands, valid and not, keep the rules of DESIGN section 3. RC_PARAMS="seed=N"
// tries other runs, and RC_PARAMS="reproduce=..." plays a failure again; rapidcheck prints it, with the
// shortest sequence that it found.

#include "tests/machine/random_world.h"

#include <QtTest/QtTest>

#include <rapidcheck.h>

#include <cstdlib>

using namespace cairn::testing;

namespace {

struct Tally {
    std::size_t cases = 0;
    std::size_t entries = 0;
};

std::string playAll(RandomWorld& world, const std::vector<CommandDice>& commands)
{
    for (const auto& dice : commands)
        if (auto wrong = world.move(dice); !wrong.empty())
            return wrong;
    return {};
}

void keepsTheRules(Tally& tally, std::uint8_t global, const std::vector<StepDice>& steps,
    const std::vector<CommandDice>& commands)
{
    const std::string workflow = randomWorkflow(global, steps);
    RandomWorld world(workflow);
    std::string wrong = playAll(world, commands);
    const std::string bytes = world.bytes();
    if (wrong.empty())
        wrong = world.settle();
    ++tally.cases;
    tally.entries += world.entries();
    if (!wrong.empty())
        RC_FAIL(workflow + world.log() + "BROKEN: " + wrong);
    RandomWorld again(workflow);
    RC_ASSERT(playAll(again, commands).empty());
    RC_ASSERT(again.bytes() == bytes);
}

}  // namespace

class TestMachineProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyCommandsKeepTheRules()
    {
        Tally tally;
        // Sizes bound the lengths only: each number is taken from its whole range.
        const auto number = rc::gen::resize(100, rc::gen::inRange<std::uint8_t>(0, 255));
        const auto steps = rc::gen::resize(
            6, rc::gen::container<std::vector<StepDice>>(rc::gen::container<StepDice>(number)));
        const auto commands = rc::gen::resize(
            120, rc::gen::container<std::vector<CommandDice>>(rc::gen::container<CommandDice>(number)));
        rc::detail::TestParams params = rc::detail::configuration().testParams;
        params.maxSuccess = std::max(params.maxSuccess, 4000);
        if (!std::getenv("RC_PARAMS"))
            params.seed = 4;  // the same runs each time; RC_PARAMS="seed=N" tries others
        const auto result = rc::detail::checkTestable(
            [&] { keepsTheRules(tally, *number, *steps, *commands); },
            rc::detail::TestMetadata{"any commands keep the rules", "any commands keep the rules"}, params);
        rc::detail::printResultMessage(result, std::cerr);
        QVERIFY(result.template is<rc::detail::SuccessResult>());
        QVERIFY2(tally.cases >= 4000 && tally.entries >= 40'000, "too little was tried to say anything");
        qInfo("%zu random runs, %zu entries", tally.cases, tally.entries);
    }
};

QTEST_APPLESS_MAIN(TestMachineProperties)
#include "tst_machine_properties.moc"
