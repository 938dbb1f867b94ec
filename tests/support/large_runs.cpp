#include "tests/support/large_runs.h"

#include "core/base/wire.h"

#include <chrono>

namespace cairn::testing {

namespace {

constexpr TimeMs kNow = 1'000'000'000'000;

Definition oneTool()
{
    Definition d;
    d.ref.name = "large";
    d.ref.version = 1;
    ToolDef tool;
    tool.name = "tool";
    tool.executor = "command";
    tool.safety = ReplaySafety::Repeatable;
    d.tools.push_back(tool);
    return d;
}

StepDef toolStep(std::string name)
{
    StepDef step;
    step.name = std::move(name);
    step.tool = "tool";
    return step;
}

PayloadRef reference(std::string_view text)
{
    return {deriveId<PayloadId>("large", text), sha256(text), text.size(), "application/json"};
}

}  // namespace

Definition chainOf(std::uint32_t steps)
{
    Definition d = oneTool();
    for (std::uint32_t i = 0; i < steps; ++i) {
        d.steps.push_back(toolStep("step" + std::to_string(i)));
        if (i > 0)
            d.steps.back().after.push_back("step" + std::to_string(i - 1));
    }
    return d;
}

Definition fanOutOf(std::uint32_t members)
{
    Definition d = oneTool();
    d.steps.push_back(toolStep("many"));
    d.steps.back().forEach = ForEach{"input", "/items", false, members};
    d.steps.push_back(toolStep("after"));
    d.steps.back().after.push_back("many");
    return d;
}

Definition childrenOf(std::uint32_t members)
{
    Definition d = oneTool();
    StepDef step;
    step.name = "kids";
    step.kind = StepKind::Run;
    step.workflow = "kid";
    step.forEach = ForEach{"input", "/items", false, members};
    d.steps.push_back(std::move(step));
    return d;
}

LargeRun::LargeRun(Definition definition, std::uint32_t concurrency)
    : m_definition(std::move(definition))
    , m_concurrency(concurrency)
{
    cmd::Start start;
    start.run = deriveId<RunId>("large", "run");
    give(start);
}

Decision LargeRun::give(cmd::Body body)
{
    Command command;
    WireWriter seed;
    seed.u64(++m_commands);
    command.id = deriveId<CommandId>("large", seed.out());
    command.actor = {ActorKind::Engine, "engine"};
    command.body = std::move(body);
    Given given;
    given.now = kNow;
    given.definition = &m_definition;
    given.session = deriveId<SessionId>("large", "session");
    given.capacity = m_concurrency - static_cast<std::uint32_t>(m_state.running.size())
        + (std::holds_alternative<cmd::Complete>(command.body) ? 1 : 0);
    Decider decider(m_state, command, given);
    for (;;) {
        Decision decision = decider.run();
        const auto* needs = std::get_if<Needs>(&decision);
        if (!needs) {
            if (const auto* entry = std::get_if<Entry>(&decision))
                m_entries.push_back(*entry);
            return decision;
        }
        for (const StepIx ix : needs->render) {
            Rendered& rendered = given.rendered[ix];
            rendered.input = PayloadRef{PayloadId{{1}}, Digest{}, 10, "application/json"};
            WireWriter key;
            key.u32(ix);
            rendered.effect.bytes[0] = 1;
            for (std::size_t i = 0; i < 4; ++i)
                rendered.effect.bytes[i + 1] = static_cast<std::uint8_t>(key.out()[i]);
            rendered.items =
                m_definition.steps.front().forEach ? m_definition.steps.front().forEach->maxItems : 0;
        }
        for (const EffectId& effect : needs->ledger)
            given.ledger[effect] = LedgerRow{};
    }
}

double LargeRun::completeAll()
{
    std::uint64_t count = 0;
    const PayloadRef output = reference("{}");
    m_entries.reserve(m_entries.size() + m_state.steps.size() + 1);
    const auto began = std::chrono::steady_clock::now();
    while (!m_state.running.empty()) {
        give(cmd::Complete{m_state.steps[*m_state.running.begin()].attempt->id, output, {}, {}, false});
        ++count;
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    return count == 0 ? 0 : took.count() / static_cast<double>(count);
}

void LargeRun::failAll()
{
    while (!m_state.running.empty()) {
        cmd::Fail fail;
        fail.attempt = m_state.steps[*m_state.running.begin()].attempt->id;
        fail.failure = FailureClass::Permanent;
        give(fail);
    }
}

std::vector<Action> LargeRun::remedies() const
{
    Given given;
    given.now = kNow;
    given.definition = &m_definition;
    return cairn::remedies(m_state, given);
}

std::string LargeRun::refold() const
{
    RunState again;
    for (const auto& entry : m_entries)
        apply(again, entry);
    const auto wrong = differences(again, m_state);
    return wrong.empty() ? std::string{} : wrong.front();
}

}  // namespace cairn::testing
