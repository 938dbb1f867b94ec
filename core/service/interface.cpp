// The service's public face.

#include "core/service/impl.h"
#include "core/service/sessions.h"
#include "core/service/work.h"
#include "core/store/message.h"

#include "core/base/wire.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::uint64_t kKeyFromInput =
    1024 * 1024;  // a larger one is not read for it: the ledger has the key

}  // namespace

Service::Service(StoreReader& reader, CommitQueue& queue, const Clock& clock, Rng& rng, ServiceConfig config)
    : m_impl(std::make_unique<Impl>(reader, queue, clock, rng, std::move(config)))
{
}

Service::~Service()
{
    m_impl->observer = {};
    m_impl->disowned = {};
    for (auto& [run, slot] : m_impl->slots)
        for (auto* items : {&slot->waiting, &slot->chain})
            for (auto& item : *items)
                item->done = {};
    // Callbacks in the queue refer to this object.
    m_impl->queue.drain();
}

void Service::submit(Submission submission, Done done)
{
    m_impl->submit(std::move(submission), std::move(done));
    m_impl->tidy();
}

Outcome Service::submitAndWait(Submission submission)
{
    std::optional<Outcome> answer;
    submit(std::move(submission), [&answer](Outcome outcome) { answer = std::move(outcome); });
    while (!answer)
        if (!pump())
            drain();
    return *std::move(answer);
}

bool Service::pump()
{
    const bool moved = m_impl->queue.pump();
    const bool read = m_impl->goOnWithRead();
    const bool more = m_impl->lookAgain();
    m_impl->tidy();
    return moved || read || more;
}

void Service::drain()
{
    m_impl->queue.drain();
    m_impl->tidy();
}

NewPayload Service::newPayload(std::string bytes, std::string media)
{
    return m_impl->makePayload(std::move(bytes), std::move(media));
}

void Service::own(const ClaimedRun& run)
{
    ++m_impl->depth;
    Slot& slot = m_impl->slotOf(run.run);
    slot.owned = true;
    slot.epoch = run.epoch;
    slot.parked.reset();
    if (slot.outstanding > 0)
        slot.reloadWanted = true;
    else
        m_impl->rebuild(slot);
    --m_impl->depth;
}

void Service::disown(const RunId& run)
{
    if (Slot* slot = m_impl->findSlot(run)) {
        slot->owned = false;
        slot->parked.reset();
        m_impl->maybeIdle.push_back(run);
        m_impl->tidy();
    }
}

void Service::reload(const RunId& run)
{
    Slot* slot = m_impl->findSlot(run);
    if (!slot)
        return;
    ++m_impl->depth;
    slot->parked.reset();
    if (slot->outstanding > 0)
        slot->reloadWanted = true;
    else
        m_impl->rebuild(*slot);
    --m_impl->depth;
}

const RunState* Service::state(const RunId& run) const
{
    const Slot* slot = m_impl->findSlot(run);
    return slot && slot->owned && slot->confirmed.version > 0 ? &slot->confirmed : nullptr;
}

void Service::setCapacity(Capacity capacity) { m_impl->capacity = std::move(capacity); }

void Service::setSessionEnded(std::function<bool(const SessionId&)> ended)
{
    m_impl->sessionEnded = std::move(ended);
}

void Service::setTimekeeping(Timekeeping timekeeping) { m_impl->timekeeping = std::move(timekeeping); }

std::optional<SpanMs> Service::clockSteppedAt() const { return m_impl->steppedAt; }

void Service::onCommitted(std::function<void(const RunState& after, const Entry& entry)> observer)
{
    m_impl->observer = std::move(observer);
}

void Service::onDisowned(std::function<void(const RunId& run, bool taken)> observer)
{
    m_impl->disowned = std::move(observer);
}

std::optional<SpanMs> Service::serverReplacedAt()
{
    static_cast<void>(m_impl->readInfo());  // an error is told by whatever is asked next
    return m_impl->acknowledged->replacedAt();
}

std::vector<ClaimedRun> Service::foundOwned() { return std::exchange(m_impl->foundMine, {}); }

std::optional<ClaimedRun> Service::idle(const RunId& run) { return m_impl->toLetGo(run, false); }

std::optional<ClaimedRun> Service::withoutAttempt(const RunId& run) { return m_impl->toLetGo(run, true); }

std::optional<ClaimedRun> Service::Impl::toLetGo(const RunId& run, bool forOthers)
{
    const Slot* slot = findSlot(run);
    if (!slot || !slot->owned || !slot->idle() || slot->confirmed.version == 0)
        return std::nullopt;
    const RunState& state = slot->confirmed;
    const auto def = definition(state.workflow.name, state.workflow.version);
    const TimeMs at = now();
    const auto isOwn = [&](StepIx ix) {
        const auto& attempt = state.steps[ix].attempt;
        return attempt && attempt->session == config.session;
    };
    const bool keeps = forOthers ? std::any_of(state.running.begin(), state.running.end(), isOwn)
                                 : worthOwning(state, def.get(), at);
    if (keeps)
        return std::nullopt;
    return ClaimedRun{run, slot->epoch, state.version, nextDueOf(state, def.get(), at)};
}

Result<RunState> Service::load(const RunId& run, std::uint64_t version)
{
    return m_impl->fold(run, version, nullptr, nullptr);
}

Given Service::explainGiven(const RunState& state)
{
    Given given;
    given.now = m_impl->now();
    if (const auto info = m_impl->info()) {
        given.seed = info->seed;
        given.safety = info->safety;
        given.format = std::min(info->writeFormat, kMaxFormat);
    }
    given.definition = definition(state.workflow.name, state.workflow.version).get();  // kept by the cache
    given.served = m_impl->serves(state.workflow.name, state.workflow.version);
    if (auto heard = hearSessions(m_impl->reader, given.now))
        given.sessionLost = [heard = *std::move(heard)](const SessionId& id) { return heard.lost(id); };
    return given;
}

std::shared_ptr<const Definition> Service::definition(std::string_view name, std::uint32_t version)
{
    return m_impl->definition(name, version);
}

Result<std::string> Service::effectKey(const RunId& run, StepIx step)
{
    CAIRN_TRY(m_impl->info());
    Slot loaded;
    Slot* slot = m_impl->findSlot(run);
    if (!slot || slot->confirmed.version == 0) {
        loaded.run = run;
        CAIRN_TRY_ASSIGN(loaded.confirmed, m_impl->fold(run, 0, nullptr, nullptr));
        slot = &loaded;
    }
    if (step >= slot->confirmed.steps.size())
        return makeError(ErrorKind::NotFound, "the run has no step " + std::to_string(step));
    const StepRecord& record = slot->confirmed.steps[step];
    if (record.input.size > kKeyFromInput && !record.effect.isNull()) {
        CAIRN_TRY_ASSIGN(const auto rows, m_impl->reader.effects(std::span(&record.effect, 1)));
        if (!rows.empty() && !rows.front().key.empty())
            return rows.front().key;
    }
    Item item;
    CAIRN_TRY_ASSIGN(item.definition,
        m_impl->findDefinition(slot->confirmed.workflow.name, slot->confirmed.workflow.version));
    Work work(*m_impl, *slot, slot->confirmed, item);
    work.useDefinition(item.definition);
    return work.keyText(step);
}

Result<Digest> Service::saltedId(std::string_view id)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, m_impl->info());
    return sha256(saltView(info.salt), id);
}

TimeMs Service::now() { return m_impl->now(); }

// --- messages

namespace {

// The same for all engines that deliver it.
CommandId commandOf(const OutboxRow& row)
{
    WireWriter seed;
    seed.id(row.from);
    seed.u64(row.version);
    seed.u32(row.number);
    return deriveId<CommandId>("message", seed.out());
}

// A payload of another run, copied: payloads are shared within their run only.
Result<PayloadRef> copied(
    Service& service, StoreReader& reader, const RunId& from, const PayloadRef& ref, Submission& into)
{
    if (!ref)
        return PayloadRef{};
    auto bytes = reader.payload(from, ref.id);
    std::string media = ref.media;
    if (!bytes && bytes.error().kind == ErrorKind::Refused) {
        bytes = "redacted in run " + toText(from) + ": " + bytes.error().text;
        media = "text/plain";
    }
    if (!bytes)
        return std::move(bytes).error();
    into.payloads.push_back(service.newPayload(*std::move(bytes), std::move(media)));
    return into.payloads.back().ref;
}

}  // namespace

Submission Service::tellParent(const RunId& parent, const RunId& child, const std::string& held)
{
    Submission s;
    s.run = parent;
    s.command.actor = {ActorKind::Engine, m_impl->config.actorName};
    cmd::Deliver body;
    body.kind = held.empty() ? cmd::MessageKind::ChildBegun : cmd::MessageKind::ChildHeld;
    body.from = child;
    if (!held.empty()) {
        s.payloads.push_back(newPayload(held, "text/plain"));
        body.output = s.payloads.back().ref;
    }
    s.command.body = std::move(body);
    return s;
}

bool Service::cancelled(const RunId& run)
{
    const auto control = m_impl->controlOf(run);
    return control && *control && (*control)->control.cancelled;
}

Result<Submission> Service::answerForChild(const OutboxRow& row)
{
    CAIRN_TRY_ASSIGN(const Message message, decodeMessage(row.body));
    Submission s;
    s.run = row.from;
    s.delivered = row;
    s.command.id = commandOf(row);
    s.command.actor = {ActorKind::Engine, m_impl->config.actorName};
    cmd::Deliver answer;
    answer.kind = cmd::MessageKind::ChildFinished;
    answer.from = row.to;
    answer.step = message.step;
    answer.as = Activity::Cancelled;
    s.command.body = std::move(answer);
    return s;
}

Result<Submission> Service::deliver(const OutboxRow& row, std::optional<NewPayload> copy)
{
    CAIRN_TRY_ASSIGN(const Message message, decodeMessage(row.body));
    Submission s;
    s.run = row.to;
    s.delivered = row;
    s.command.id = commandOf(row);
    s.command.actor = {ActorKind::Run, toText(row.from)};
    PayloadRef payload;
    if (copy) {
        payload = copy->ref;
        s.payloads.push_back(*std::move(copy));
    } else {
        CAIRN_TRY_ASSIGN(payload, copied(*this, m_impl->reader, row.from, message.payload, s));
    }
    if (message.kind == cmd::MessageKind::StartChild) {
        cmd::Start start;
        start.run = row.to;
        start.root = message.root;
        start.origin = message.origin;
        start.parent.run = row.from;
        start.parent.step = message.step;
        start.parent.index = message.index;
        start.input = payload;
        start.inherited = message.control;  // as it was; decided is what the sender's control is by then
        start.allotment = message.allotment;
        start.budgetAt = message.budgetAt;
        s.workflow = message.workflow;
        s.workflowVersion = message.workflowVersion;
        s.command.body = std::move(start);
        return s;
    }
    cmd::Deliver deliver;
    deliver.kind = message.kind;
    deliver.from = row.from;
    deliver.step = message.step;
    deliver.as = message.as;
    deliver.output = payload;
    deliver.used = message.used;
    deliver.control = message.control;
    deliver.confirmed = message.confirmed;
    deliver.total = message.total;
    deliver.effect = message.effect;
    deliver.allotment = message.allotment;
    deliver.budgetAt = message.budgetAt;
    s.command.body = std::move(deliver);
    return s;
}

}  // namespace cairn
