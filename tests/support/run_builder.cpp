#include "tests/support/run_builder.h"

#include "core/base/wire.h"
#include <algorithm>

#include <cstdlib>
#include <iostream>
#include <sstream>

namespace cairn::testing {

namespace {

[[noreturn]] void wrong(const std::string& text)
{
    std::cerr << "bad test definition: " << text << '\n';
    std::abort();
}

std::vector<std::string> split(std::string_view text, char by)
{
    std::vector<std::string> out;
    std::stringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, by);)
        if (!part.empty())
            out.push_back(part);
    return out;
}

BudgetLine amountOf(const std::string& value)
{
    const auto colon = value.find(':');
    return {value.substr(0, colon), std::stoll(value.substr(colon + 1)), 0, 0};
}

ReplaySafety safetyOf(const std::string& word)
{
    if (word == "once")
        return ReplaySafety::Irreversible;
    return word == "repeat" ? ReplaySafety::Repeatable : ReplaySafety::ReadOnly;
}

void setOption(Definition& d, StepDef& step, ToolDef& tool, const std::string& name, const std::string& value)
{
    RetryPolicy& retry = tool.retry;
    if (name == "lookup")
        tool.lookUp = "{}";
    else if (name == "check_first")
        tool.checkFirst = true;
    else if (name == "ask")
        step.approval = ApprovalPolicy{"boss", 86'400'000, 1};
    else if (name == "needed")
        step.approval = ApprovalPolicy{"boss", 86'400'000, static_cast<std::uint8_t>(std::stoi(value))};
    else if (name == "undo") {
        tool.undoTool = tool.name + "_undo";
        ToolDef undo;
        undo.name = tool.undoTool;
        undo.safety = value.empty() ? ReplaySafety::Repeatable : safetyOf(value);
        undo.executor = "command";
        d.tools.push_back(undo);
    } else if (name == "worker")
        tool.executor = "worker";
    else if (name == "resource")
        tool.resource = value;
    else if (name == "cost")
        tool.worstCase.push_back({amountOf(value).unit, amountOf(value).limit});
    else if (name == "meter")
        tool.usage.push_back({value, "/used"});
    else if (name == "retry")
        retry.maxAttempts = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "lost")
        retry.maxLost = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "total")
        retry.maxTotal = std::stoll(value);
    else if (name == "timeout")
        tool.timeout = std::stoll(value);
    else if (name == "wait")
        step.wait = std::stoll(value);
    else if (name == "runs_after_skip")
        step.runsAfterSkip = true;
    else if (name == "on_demand")
        step.onDemand = true;
    else if (name == "allow_failures")
        step.forEach->allowFailures = true;
    else if (name == "safety")
        tool.safety = safetyOf(value);
    else if (name == "allot")
        step.allotment.push_back(amountOf(value));
    else
        wrong("option " + name);
}

void setKind(StepDef& step, ToolDef& tool, const std::string& kind)
{
    const bool hasTool =
        kind == "read" || kind == "repeat" || kind == "once" || kind == "choose" || kind == "each";
    if (hasTool) {
        tool.name = step.name;
        tool.executor = "command";
        tool.safety = safetyOf(kind);
        step.tool = step.name;
    }
    if (kind == "choose")
        step.kind = StepKind::Decision;
    else if (kind == "each")
        step.forEach = ForEach{"input", "/items", false, 20'000};
    else if (kind == "approval") {
        step.kind = StepKind::Approval;
        step.approval = ApprovalPolicy{"boss", 86'400'000, 1};
    } else if (kind == "timer") {
        step.kind = StepKind::Timer;
        step.wait = 60'000;
    } else if (kind == "signal") {
        step.kind = StepKind::Signal;
        step.signal = step.name;
    } else if (kind == "child") {
        step.kind = StepKind::Run;
        step.workflow = "child";
    } else if (!hasTool)
        wrong("kind " + kind);
}

void setGlobal(Definition& d, const std::string& name, const std::string& value)
{
    if (name == "compensate_on_cancel")
        d.compensateOnCancel = true;
    else if (name == "compensate_on_failure")
        d.compensateOnFailure = true;
    else if (name == "close_on_failure")
        d.closeOnFailure = true;
    else if (name == "budget")
        d.budget.push_back(amountOf(value));
    else if (name == "deadline")
        d.deadline = std::stoll(value);
    else if (name == "version")
        d.ref.version = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "schema")
        d.ref.stateSchema = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "migrates_schema")
        d.migrations.push_back({1, static_cast<std::uint32_t>(std::stoul(value)), {}});
    else if (name == "output")
        d.output = "{}";
    else
        wrong("!" + name);
}

}  // namespace

Definition define(std::string_view text)
{
    Definition d;
    d.ref.name = "w";
    d.ref.version = 1;
    for (const auto& line : split(text, '\n')) {
        std::stringstream in(line);
        std::string name;
        if (!(in >> name))
            continue;
        if (name[0] == '!') {
            const auto equals = name.find('=');
            setGlobal(
                d, name.substr(1, equals - 1), equals == std::string::npos ? "" : name.substr(equals + 1));
            continue;
        }
        StepDef step;
        ToolDef tool;
        step.name = name;
        std::string kind;
        in >> kind;
        setKind(step, tool, kind);
        for (std::string word; in >> word;) {
            if (word == "after") {
                in >> word;
                step.after = split(word, ',');
                continue;
            }
            const auto equals = word.find('=');
            setOption(d, step, tool, word.substr(0, equals),
                equals == std::string::npos ? "" : word.substr(equals + 1));
        }
        tool.contractDigest = sha256("contract " + tool.name);
        if (!tool.name.empty())
            d.tools.push_back(tool);
        d.steps.push_back(step);
    }
    d.ref.digest = sha256(text);
    return d;
}

PayloadRef payload(std::string_view content)
{
    return {deriveId<PayloadId>("test payload", content), sha256(content), content.size(), "text/plain"};
}
RunId runId(std::string_view name) { return deriveId<RunId>("test run", name); }
SessionId sessionId(std::string_view name) { return deriveId<SessionId>("test session", name); }

Rendered RunDriver::render(StepIx ix) const
{
    const StepRecord& step = m_state.steps[ix];
    const auto found = renders.find(step.id);
    const Render how = found == renders.end() ? Render{} : found->second;
    Rendered out;
    out.condition = how.condition;
    out.failed = how.failed;
    if (out.failed)
        out.error = payload("template of " + step.id + " failed");
    out.input = payload(how.input.empty() ? "input of " + step.id : how.input);
    out.items = how.items;
    out.until = how.until;
    if (writes(step.safety) && (step.kind == StepKind::Tool || step.kind == StepKind::Decision)) {
        const std::string key = !how.key.empty() ? how.key : toText(m_state.origin) + "/" + step.id;
        out.effect = sha256(step.tool + "\n", key);
    }
    return out;
}

Given RunDriver::given() const
{
    Given g;
    g.now = m_world.now;
    g.seed = m_world.seed;
    g.safety = safety;
    g.canWrite = canWrite;
    g.definition = definition;
    g.target = target;
    g.served = served;
    g.format = format;
    g.session = session;
    g.capacity = capacity;
    g.sessionEnded = [this](const SessionId& id) { return m_world.ended.contains(id); };
    g.forkSource = forkSource;
    if (forkSource) {
        const auto copy = [&g](const PayloadRef& ref) {
            if (ref)
                g.copies[ref.id] = ref;
        };
        copy(forkSource->input);
        for (const auto& step : forkSource->steps) {
            copy(step.input);
            copy(step.output);
        }
    }
    return g;
}

void RunDriver::answer(const Needs& needs, const RunState& now, Given& given) const
{
    for (const StepIx ix : needs.render)
        given.rendered[ix] = render(ix);
    for (const EffectId& effect : needs.ledger) {
        const auto found = m_world.ledger.find(effect);
        LedgerRow row = found == m_world.ledger.end() ? LedgerRow{} : found->second.row;
        for (const auto& step : now.steps)
            if (found != m_world.ledger.end() && step.effect == effect && !isFinished(step.state))
                row.sameInput = step.input.hash == found->second.input;
        given.ledger[effect] = row;
    }
    for (const auto& name : needs.resources) {
        const auto found = m_world.resources.find(name);
        given.resources[name] = found == m_world.resources.end() ? ResourceView{} : found->second;
    }
    if (needs.output) {
        given.output = payload("output of the run");
        given.outputRendered = true;
    }
}

Decision RunDriver::submit(cmd::Body body, Actor actor)
{
    Command command;
    WireWriter seed;
    seed.u64(++m_world.commands);
    command.id = deriveId<CommandId>("test command", seed.out());
    command.actor = std::move(actor);
    if (command.actor.kind == ActorKind::Person) {
        command.reason = payload("because");
        command.reasonLength = reasonLength;
    }
    command.body = std::move(body);
    return submit(std::move(command));
}

Decision RunDriver::submit(Command command)
{
    Given g = given();
    const auto* amend = std::get_if<cmd::AmendInput>(&command.body);
    Decider decider(m_state, command, g);
    for (int round = 0; round < 100; ++round) {
        Decision decision = decider.run();
        if (auto* rejection = std::get_if<Rejection>(&decision); rejection && rejection->late) {
            apply(m_state, *rejection->late);
            record(*rejection->late);
        }
        const auto* needs = std::get_if<Needs>(&decision);
        if (!needs) {
            if (const auto* entry = std::get_if<Entry>(&decision))
                record(*entry);
            return decision;
        }
        answer(*needs, m_state, g);
        if (amend)  // the given bytes are the input; only key and amount are rendered
            for (const StepIx ix : needs->render)
                g.rendered[ix].input = amend->input;
    }
    m_problem = "a decision never had what it needed";
    return NoChange{m_problem, kNoStep};
}

void RunDriver::record(const Entry& entry)
{
    m_entries.push_back(entry);
    settleLedger(entry);
    if (!checks)
        return;
    const auto decoded = decodeEntry(encodeEntry(entry, format), format);
    if (!decoded) {
        m_problem = "the entry cannot be decoded: " + decoded.error().text;
        return;
    }
    apply(m_folded, *decoded);
    for (const auto& field : differences(m_state, m_folded))
        m_problem += "version " + std::to_string(entry.version) + " folds to another \"" + field + "\"; ";
}

void RunDriver::settleLedger(const Entry& entry)
{
    for (const auto& change : ledgerChangesOf(m_state, entry)) {
        auto& row = m_world.ledger[change.effect];
        if (!mayChange(row.row, change, m_state.id, m_state.steps[change.step].id))
            continue;
        row.row.state = change.state;
        row.row.holder = m_state.id;
        row.row.holderStep = m_state.steps[change.step].id;
        row.row.result = change.result;
        ++row.row.revision;
        row.input = m_state.steps[change.step].input.hash;
        if (!change.wakesWaiters)
            continue;
        for (const RunId& waiter : m_world.waiters[change.effect]) {
            Message message;
            message.kind = cmd::MessageKind::EffectReleased;
            message.to = waiter;
            message.effect = change.effect;
            m_world.outbox.push_back({m_state.id, entry.version, 1000, message});
        }
        m_world.waiters.erase(change.effect);
    }
    std::uint32_t number = 0;
    for (const auto& message : messagesOf(m_state, entry, definition))
        m_world.outbox.push_back({m_state.id, entry.version, ++number, message});
    for (const auto& fact : entry.facts)
        if (const auto* wait = std::get_if<StepWaiting>(&fact);
            wait && wait->reason == Reason::EffectInFlight)
            m_world.waiters[m_state.steps[wait->step].effect].insert(m_state.id);
}

}  // namespace cairn::testing
