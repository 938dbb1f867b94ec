#include "core/service/work.h"

#include "core/base/text.h"
#include "core/definition/plan.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr int kMaxAncestors = 64;
constexpr int kMaxRounds =
    200'000;  // each gives the machine something that it did not have: a bound on broken rules

// By somebody outside: engines start attempts in other commands' decisions.
bool startsAttempt(const cmd::Body& body)
{
    return std::holds_alternative<cmd::Claim>(body) || std::holds_alternative<cmd::DrivenStep>(body);
}

// A template cannot be filled from what is there: the step fails, and a person sees why. Anything else is an
// error of the store, and says nothing about the step.
bool cannotBeRead(ErrorKind kind)
{
    return kind == ErrorKind::InvalidInput || kind == ErrorKind::NotFound || kind == ErrorKind::Refused;
}

bool has(const std::map<StepIx, Rendered>& rendered, const std::vector<StepIx>& steps)
{
    return std::any_of(steps.begin(), steps.end(), [&](StepIx ix) { return rendered.contains(ix); });
}

}  // namespace

Work::Work(Service::Impl& service, Slot& slot, RunState& state, Item& item)
    : m_service(service)
    , m_slot(slot)
    , m_state(state)
    , m_item(item)
{
    for (const NewPayload& payload : item.submission.payloads)
        m_came.emplace(payload.ref.id, &payload);
}

Status Work::prepareGiven()
{
    const Command& command = m_item.submission.command;
    m_given.now = m_service.now();
    const StoreInfo& info = *m_service.storeInfo;
    m_given.seed = info.seed;
    m_given.safety = info.safety;
    m_given.format = std::min(info.writeFormat, kMaxFormat);
    const bool driven = m_item.creates ? m_item.identity.driven : m_state.driven;
    const WorkflowRef& workflow = m_item.creates ? m_item.identity.workflow : m_state.workflow;
    if (!driven) {
        m_definition = m_item.definition;
        if (!m_definition) {
            CAIRN_TRY_ASSIGN(m_definition, m_service.findDefinition(workflow.name, workflow.version));
        }
        m_given.served = m_service.serves(workflow.name, workflow.version);
    }
    m_given.definition = m_definition.get();
    if (const auto* migrate = std::get_if<cmd::Migrate>(&command.body)) {
        CAIRN_TRY_ASSIGN(m_target, m_service.findDefinition(workflow.name, migrate->toVersion));
        m_given.target = m_target.get();
    }
    const bool engine = !m_service.config.session.isNull();
    const bool takes = m_item.creates && !driven && m_given.served && m_definition;
    if (engine && (takes || (m_slot.owned && !m_slot.releasing))) {
        m_given.session = m_service.config.session;
        m_given.capacity = m_service.attemptsLeft();
        if (!driven && (!m_given.served || !m_definition)) {
            const std::string wanted = workflow.name + "@" + std::to_string(workflow.version);
            m_given.detail = keep(m_service.makePayload(m_definition
                    ? "wanted " + wanted + "; this engine serves " + m_service.servedHere()
                    : "workflow " + wanted + " is not in this store, or this version cannot read it",
                "text/plain"));
        }
    }
    m_given.owner = m_slot.owner;
    m_given.sessionEnded = m_service.sessionEnded;
    m_given.timeIsOver = m_service.timekeeping.timeIsOver;
    m_given.holdsExpiry = m_service.timekeeping.holdsExpiry && m_service.timekeeping.holdsExpiry();
    if (m_item.source) {
        m_given.forkSource = m_item.source.get();
        m_given.copies = m_item.copies;
    }
    return {};
}

Result<Decision> Work::decide()
{
    CAIRN_TRY(m_service.info());
    CAIRN_TRY(prepareGiven());
    CAIRN_TRY(inheritControl());
    if (m_ancestorCancelled && !m_item.creates && startsAttempt(m_item.submission.command.body)
        && !m_state.restCancelled)
        return Decision(Rejection{RejectCode::Refused,
            "the run that began this one is cancelled, and so is this one as soon as it "
            "hears of it: no step may start",
            std::nullopt});
    CAIRN_TRY(compareRepeats());
    CAIRN_TRY(readAddedSteps());
    Decider decider(m_state, m_item.submission.command, m_given);
    for (int round = 0; round < kMaxRounds; ++round) {
        Decision decision = decider.run();
        const auto* needs = std::get_if<Needs>(&decision);
        if (!needs)
            return decision;
        CAIRN_TRY(fetch(*needs));
    }
    return makeError(ErrorKind::Internal, "a decision did not come to an end on run " + toText(m_state.id));
}

// A cancel of any ancestor holds at once, although the message that says so is still on its way down: a child
// begins as cancelled, and one that is there begins no attempt. All else comes from the parent alone, which
// passes on what it is told. The commit is guarded by what was read here. A child that knows of its cancel
// goes by its own rules: it looks up and undoes.
Status Work::inheritControl()
{
    auto* start = std::get_if<cmd::Start>(&m_item.submission.command.body);
    if (!start && m_state.restCancelled)
        return {};
    const bool outside = startsAttempt(m_item.submission.command.body);
    RunId next = start                         ? start->parent.run
        : m_given.session.isNull() && !outside ? RunId{}
                                               : m_state.parent.run;
    bool cancelled = false;
    for (int up = 0; up < kMaxAncestors && !next.isNull(); ++up) {
        CAIRN_TRY_ASSIGN(const auto above, m_service.controlOf(next));
        if (!above)
            break;  // its history was deleted: what was sent is all there is
        m_ancestors.push_back({next, above->version});
        if (start && up == 0)
            start->inherited = above->control;
        cancelled = cancelled || above->control.cancelled;
        next = above->parent;
    }
    if (start)
        start->inherited.cancelled = start->inherited.cancelled || cancelled;
    else if (cancelled)
        m_given.session = {};
    m_ancestorCancelled = cancelled;
    return {};
}

// Compared under the recorded salt: the recorded bytes are not read. Salt gone: never the same.
Result<bool> Work::same(const PayloadRef& recorded, const PayloadRef& given)
{
    if (!recorded || !given)
        return recorded.isNull() == given.isNull();
    CAIRN_TRY_ASSIGN(const Digest digest, plain(given));
    if (inHand(recorded.id)) {  // of a commit in flight
        CAIRN_TRY_ASSIGN(const Digest before, plain(recorded));
        return before == digest;
    }
    CAIRN_TRY_ASSIGN(const PayloadInfo info, m_service.reader.payloadInfo(m_slot.run, recorded.id));
    return !info.redacted && saltedDigest(info.salt, digest) == recorded.hash;
}

Status Work::compareRepeats()
{
    cmd::Body& body = m_item.submission.command.body;
    const auto inputOf = [this](const std::string& id) -> const PayloadRef* {
        const StepRecord* record = m_state.find(id);
        return record && record->input ? &record->input : nullptr;
    };
    if (auto* c = std::get_if<cmd::DrivenStep>(&body)) {
        if (const PayloadRef* input = inputOf(c->step.id)) {
            CAIRN_TRY_ASSIGN(c->sameInput, same(*input, c->input));
        }
    } else if (auto* asked = std::get_if<cmd::RequestApproval>(&body)) {
        if (const PayloadRef* input = inputOf(asked->step.id)) {
            CAIRN_TRY_ASSIGN(asked->sameInput, same(*input, asked->input));
        }
    } else if (auto* signal = std::get_if<cmd::Signal>(&body)) {
        for (const SignalRecord& record : m_state.signals)
            if (record.messageHash == signal->messageHash && record.name == signal->name) {
                CAIRN_TRY_ASSIGN(signal->sameDataAsBefore, same(record.data, signal->data));
            }
    } else if (auto* complete = std::get_if<cmd::Complete>(&body)) {
        const auto found = m_state.attempts.find(complete->attempt);
        if (found != m_state.attempts.end()
            && m_state.steps[found->second].completedBy == complete->attempt) {
            CAIRN_TRY_ASSIGN(
                complete->sameOutputAsBefore, same(m_state.steps[found->second].output, complete->output));
        }
    }
    return {};
}

Status Work::readAddedSteps()
{
    auto* complete = std::get_if<cmd::Complete>(&m_item.submission.command.body);
    if (!complete || !complete->adds.empty() || !m_definition)
        return {};
    const auto found = m_state.attempts.find(complete->attempt);
    if (found == m_state.attempts.end())
        return {};
    const StepRecord& record = m_state.steps[found->second];
    const StepDef* def = m_definition->step(record.name, found->second);
    if (!def || !def->addsSteps || !record.attempt || record.attempt->id != complete->attempt
        || record.attempt->purpose != Purpose::Do)
        return {};
    CAIRN_TRY_ASSIGN(const std::string_view output, json(complete->output));
    CAIRN_TRY_ASSIGN(complete->adds, readPlan(*m_definition, record.id, output));
    return {};
}

Status Work::fetch(const Needs& needs)
{
    const bool again = needs.empty() || has(m_given.rendered, needs.render)
        || (needs.output && m_given.outputRendered)
        || std::any_of(needs.ledger.begin(), needs.ledger.end(),
            [&](const EffectId& e) { return m_given.ledger.contains(e); })
        || std::any_of(needs.resources.begin(), needs.resources.end(),
            [&](const std::string& name) { return m_given.resources.contains(name); });
    if (again)
        return makeError(ErrorKind::Internal,
            "a decision on run " + toText(m_state.id) + " asks again for what it was given");
    wantFor(needs);
    CAIRN_TRY(gather());
    for (const StepIx ix : needs.render) {
        CAIRN_TRY_ASSIGN(Rendered rendered, render(ix));
        m_given.rendered[ix] = std::move(rendered);
    }
    for (const EffectId& effect : needs.ledger)
        CAIRN_TRY(fetchLedger(effect));
    for (const std::string& name : needs.resources) {
        m_given.resources[name] = m_service.resource(name);
        if (std::holds_alternative<cmd::Claim>(m_item.submission.command.body)
            && m_service.limitedElsewhere(name))
            return makeError(ErrorKind::Refused,
                "resource " + visibleLine(name)
                    + " is limited, and permits are leased by engines: claim through an engine");
    }
    return needs.output ? fetchOutput() : Status{};
}

// --- payloads

PayloadRef Work::keep(NewPayload payload)
{
    const PayloadRef ref = payload.ref;
    m_made.emplace(ref.id, std::move(payload));
    return ref;
}

// --- ledger, resources, output

Result<EffectRow> Work::ledgerRow(const EffectId& effect)
{
    if (const auto own = m_slot.ledger.find(effect); own != m_slot.ledger.end())
        return own->second;
    if (const auto known = m_rows.find(effect); known != m_rows.end())
        return known->second;
    EffectRow row;
    row.effect = effect;
    if (!m_own.contains(effect)) {
        CAIRN_TRY_ASSIGN(const auto rows, m_service.reader.effects(std::span(&effect, 1)));
        if (!rows.empty())
            row = rows.front();
    }
    m_rows[effect] = row;
    return row;
}

Result<LedgerRow> Work::ledgerOf(const EffectId& effect)
{
    CAIRN_TRY_ASSIGN(const EffectRow row, ledgerRow(effect));
    return ledgerView(row);
}

Status Work::fetchLedger(const EffectId& effect)
{
    CAIRN_TRY_ASSIGN(const EffectRow row, ledgerRow(effect));
    CAIRN_TRY_ASSIGN(LedgerRow view, ledgerView(row));
    m_given.ledger[effect] = std::move(view);
    m_asked.insert(effect);
    return {};
}

Result<LedgerRow> Work::ledgerView(const EffectRow& row)
{
    LedgerRow view;
    view.state = row.state;
    view.holder = row.holder;
    view.holderStep = row.holderStep;
    view.revision = row.revision;
    if (row.state == LedgerState::Absent)
        return view;
    view.unknowable = row.inputDigest.isNull();
    for (const StepIx ix : m_state.ready) {
        if (m_state.steps[ix].effect != row.effect)
            continue;
        const auto digest = plain(m_state.steps[ix].input);
        if (!digest && digest.error().kind != ErrorKind::Refused)
            return digest.error();
        view.unknowable = view.unknowable || !digest;  // redacted
        view.sameInput = !view.unknowable && saltedDigest(row.inputSalt, *digest) == row.inputDigest;
        break;
    }
    if (row.state != LedgerState::Completed || !view.sameInput || row.result.isNull())
        return view;
    if (row.holder == m_state.id) {
        const StepRecord* holder = m_state.find(row.holderStep);
        view.result = holder ? holder->output : PayloadRef{};
        return view;
    }
    // The recorded result, copied: payloads are shared within their run only.
    auto result = copiedResult(row);
    if (!result && result.error().kind == ErrorKind::Refused) {
        view.unknowable = true;  // redacted
        return view;
    }
    if (!result)
        return std::move(result).error();
    view.result = *result;
    return view;
}

Result<PayloadRef> Work::copiedResult(const EffectRow& row)
{
    CAIRN_TRY_ASSIGN(const PayloadInfo about, m_service.reader.payloadInfo(row.holder, row.result));
    WantedPayload wanted;
    wanted.run = row.holder;
    wanted.id = row.result;
    wanted.size = about.ref.size;
    if (!have(wanted.id))
        m_wanted.emplace(wanted.id, wanted);
    CAIRN_TRY(gather());
    CAIRN_TRY_ASSIGN(const std::string_view bytes, readAt(wanted.id));
    return keep(m_service.makePayload(std::string(bytes), about.ref.media));
}

Status Work::fetchOutput()
{
    CAIRN_TRY_ASSIGN(auto aside, renderedAside(kNoStep, nullptr));
    m_given.outputRendered = true;
    if (aside && aside->made) {
        m_given.output = keep(std::move(aside->input));
        return {};
    }
    const auto sources = [this](std::string_view name) { return source(name); };
    auto output = aside ? Result<std::string>(std::move(aside->made).error())
                        : renderInput(m_definition->output, sources);
    if (output) {
        m_given.output = keep(m_service.makePayload(*std::move(output), "application/json"));
        return {};
    }
    if (!cannotBeRead(output.error().kind))
        return std::move(output).error();
    // All work is done: the run ends with what is wrong with its output said in the output's place.
    m_given.output =
        keep(m_service.makePayload("the output could not be made: " + output.error().text, "text/plain"));
    return {};
}

// --- rendering

Rendered Work::failed(std::string text)
{
    Rendered rendered;
    rendered.failed = true;
    rendered.error = keep(m_service.makePayload(visible(text), "text/plain"));
    return rendered;
}

const PayloadRef* Work::givenInput(const StepRecord& record) const
{
    const cmd::Body& body = m_item.submission.command.body;
    if (const auto* c = std::get_if<cmd::DrivenStep>(&body); c && c->step.id == record.id)
        return &c->input;
    if (const auto* c = std::get_if<cmd::AmendInput>(&body); c && c->step == record.id)
        return &c->input;
    return nullptr;
}

Result<Rendered> Work::render(StepIx ix)
{
    const StepRecord& record = m_state.steps[ix];
    if (const PayloadRef* input = givenInput(record))
        return renderGiven(ix, *input);
    if (record.undoOf != kNoStep)
        return renderUndoStep(ix);
    const StepDef* def = m_definition ? m_definition->step(record.name, ix) : nullptr;
    if (m_state.driven)
        return Rendered{};
    if (!def)
        return failed("step \"" + record.id + "\" is not in version "
            + std::to_string(m_state.workflow.version) + " of workflow " + m_state.workflow.name);
    return renderDefined(ix, *def);
}

Result<Rendered> Work::renderDefined(StepIx ix, const StepDef& def)
{
    std::optional<std::string_view> mine;
    if (m_state.steps[ix].owner != kNoStep) {
        auto slice = item(m_state.steps[ix]);
        if (!slice && cannotBeRead(slice.error().kind))
            return failed(slice.error().text);
        if (!slice)
            return std::move(slice).error();
        mine = *slice;
    }
    const auto sources = [this](std::string_view name) { return source(name); };
    std::optional<RenderedAside> aside;
    if (!mine) {
        CAIRN_TRY_ASSIGN(aside, renderedAside(ix, &def));
    }
    auto made = aside ? std::move(aside->made) : renderStep(*m_definition, def, sources, mine, m_given.now);
    if (!made) {
        if (cannotBeRead(made.error().kind))
            return failed(made.error().text);
        return std::move(made).error();
    }
    const bool defaultKey = made->effectKey.empty();
    CAIRN_TRY_ASSIGN(Rendered rendered,
        asRendered(ix, std::move(made->input), std::move(made->effectKey), made->amount,
            aside && aside->input.ref ? std::optional(std::move(aside->input)) : std::nullopt));
    // A fork of this run may have been there before: then the commit is refused, and the second try reads.
    // Where a person would be asked first, the row is read before that.
    const StepRecord& record = m_state.steps[ix];
    if (m_assume && defaultKey && !def.approval && m_item.tries == 0 && record.attempts == 0
        && m_state.origin == m_state.id && !rendered.effect.isNull())
        m_own.insert(rendered.effect);
    rendered.condition = made->condition;
    rendered.until = made->until;
    rendered.items = made->items;
    return rendered;
}

// A driven step, or an amended input: the bytes are given; key and amount follow from them.
Result<Rendered> Work::renderGiven(StepIx ix, const PayloadRef& input)
{
    const StepRecord& record = m_state.steps[ix];
    const ToolDef* tool = m_definition && !record.tool.empty() ? m_definition->tool(record.tool) : nullptr;
    std::string key;
    Money amount;
    if (tool) {
        CAIRN_TRY_ASSIGN(const std::string_view value, json(input));
        if (record.undoOf != kNoStep) {
            CAIRN_TRY_ASSIGN(key, keyText(ix));
        } else if (!tool->effectKey.empty()) {
            CAIRN_TRY_ASSIGN(key, renderEffectKey(tool->effectKey, value));
        }
        CAIRN_TRY_ASSIGN(amount, renderAmount(*tool, value));
    }
    CAIRN_TRY_ASSIGN(Rendered rendered, asRendered(ix, {}, std::move(key), std::move(amount)));
    rendered.input = input;
    return rendered;
}

Result<Rendered> Work::renderUndoStep(StepIx ix)
{
    const StepRecord& undone = m_state.steps[m_state.steps[ix].undoOf];
    const ToolDef* tool = m_definition ? m_definition->tool(undone.tool) : nullptr;
    if (!tool)
        return failed("tool \"" + undone.tool + "\" is not in the workflow, so it cannot be undone");
    const auto sources = [&](std::string_view name) -> Result<std::string_view> {
        auto value = json(name == kInputSource ? undone.input : undone.output);
        if (value)
            return *value;
        return makeError(value.error().kind,
            "the undo reads the " + std::string(name) + " of step \"" + undone.id
                + "\": " + value.error().text);
    };
    auto made = renderUndo(*tool, sources);
    auto key = made ? keyText(ix) : Result<std::string>(std::move(made).error());
    if (!key && cannotBeRead(key.error().kind))
        return failed(key.error().text);
    if (!key)
        return std::move(key).error();
    Money amount = undone.amount;
    return asRendered(ix, *std::move(made), *std::move(key), std::move(amount));
}

Result<Rendered> Work::asRendered(
    StepIx ix, std::string input, std::string key, Money amount, std::optional<NewPayload> payload)
{
    const StepRecord& record = m_state.steps[ix];
    Rendered rendered;
    rendered.amount = std::move(amount);
    if (payload)
        rendered.input = keep(*std::move(payload));
    else if (!input.empty())
        rendered.input = keep(m_service.makePayload(std::move(input), "application/json"));
    if (!writes(record.safety) || record.tool.empty() || record.kind == StepKind::FanOut)
        return rendered;
    if (key.empty())
        key = toText(m_state.origin) + "/" + record.id;
    rendered.effect = effectIdOf(m_service.storeInfo->salt, record.tool, key);
    m_keys[ix] = std::move(key);
    return rendered;
}

Result<std::string> Work::keyText(StepIx ix)
{
    if (const auto known = m_keys.find(ix); known != m_keys.end())
        return known->second;
    const StepRecord& record = m_state.steps[ix];
    if (record.undoOf != kNoStep) {
        CAIRN_TRY_ASSIGN(const std::string undone, keyText(record.undoOf));
        return undone + ":undo";
    }
    const ToolDef* tool = m_definition && !record.tool.empty() ? m_definition->tool(record.tool) : nullptr;
    if (!tool || tool->effectKey.empty())
        return toText(m_state.origin) + "/" + record.id;
    CAIRN_TRY_ASSIGN(const std::string_view input, json(record.input));
    return renderEffectKey(tool->effectKey, input);
}

}  // namespace cairn
