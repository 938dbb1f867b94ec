// Messages between runs: from the outbox of the store to their receivers. One that cannot be delivered yet,
// for its receiver has not begun or a workflow is missing, holds up no other: it is passed by, and tried
// again later.

#include "core/base/log.h"
#include "core/engine/engine_impl.h"
#include "core/store/message.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kPage = 128;
constexpr std::size_t kMostDelivering = 128;
constexpr std::uint64_t kCopyAside = 1024 * 1024;  // larger payloads are copied beside the engine's thread
constexpr SpanMs kFirstWait = 500;
constexpr SpanMs kLongestWait = 10'000;

}  // namespace

// In rounds over the whole outbox, a slice of time each: a heartbeat goes out in between.
void EngineCore::Impl::deliverOutbox()
{
    const SpanMs until = seams.clock.monotonicMs() + config.lease / 20;
    for (;;) {
        const auto rows = seams.store.outbox(kPage, outboxAfter);
        if (!rows)
            return trouble(rows.error());
        for (const OutboxRow& row : *rows) {
            if (delivering.size() >= kMostDelivering) {
                moreMessages = true;  // goes on as soon as these are delivered
                return;
            }
            outboxAfter = row.seq;
            deliver(row);
            if (seams.clock.monotonicMs() >= until) {
                outboxAt = seams.clock.monotonicMs();
                return;
            }
        }
        if (rows->size() < kPage)
            break;
    }
    outboxAfter = 0;
    std::erase_if(
        held, [this](const auto& each) { return each.second.round != outboxRound; });  // others' work
    ++outboxRound;
}

void EngineCore::Impl::deliver(const OutboxRow& row)
{
    const MessageKey key{row.from, row.version, row.number};
    const auto waits = held.find(key);
    if (waits != held.end())
        waits->second.round = outboxRound;
    if (delivering.contains(key)
        || (waits != held.end() && seams.clock.monotonicMs() < waits->second.notBefore))
        return;
    const auto message = decodeMessage(row.body);
    if (!message)
        return hold(row, message.error().text);
    if (message->kind == cmd::MessageKind::StartChild && !canStart(row, *message))
        return;
    delivering.insert(key);
    if (message->payload && message->payload.size > kCopyAside)
        return copyAside(row, message->payload);
    deliver(row, std::nullopt);
}

bool EngineCore::Impl::canStart(const OutboxRow& row, const Message& message)
{
    if (message.workflow.empty() || service->definition(message.workflow, message.workflowVersion))
        return true;
    const auto stored = seams.store.workflow(message.workflow, message.workflowVersion);
    if (!stored) {
        trouble(stored.error());
        return false;
    }
    if (service->cancelled(row.from)) {
        answerFor(row);
        return false;
    }
    const std::string why =
        *stored ? "its workflow cannot be read by this version" : "its workflow is not in this store";
    hold(row,
        "the child run of workflow " + message.workflow + "@" + std::to_string(message.workflowVersion)
            + " cannot begin: " + why + (*stored ? "" : "; add it with `cairn workflow add`"));
    Held& entry = held[{row.from, row.version, row.number}];
    if (entry.workflow.empty())
        tellParent({row.from, row.to}, why);
    entry.workflow = message.workflow;
    entry.workflowVersion = message.workflowVersion;
    entry.child = row.to;
    return false;
}

// A child that cannot begin, of a run that is cancelled: its parent waits for an answer, and would for ever.
void EngineCore::Impl::answerFor(const OutboxRow& row)
{
    auto answer = service->answerForChild(row);
    if (!answer)
        return hold(row, answer.error().text);
    delivering.insert({row.from, row.version, row.number});
    service->submit(*std::move(answer), [this, row](const Outcome& outcome) { delivered(row, outcome); });
}

// The receiver is not there. True: it will never be, and the message is over.
bool EngineCore::Impl::neverBegins(const OutboxRow& row)
{
    const auto message = decodeMessage(row.body);
    if (!message || message->kind != cmd::MessageKind::ControlFlow)
        return false;
    if (message->control.cancelled)
        for (auto& [key, entry] : held)
            if (entry.child == row.to)
                entry.notBefore = outboxAt = 0;  // it is answered for now
    if (!held.contains({row.from, row.version, row.number}))
        return false;  // the message that starts it is on its way
    const auto sender = service->load(row.from);
    if (!sender)
        return false;
    const auto child = sender->childByRun.find(row.to);
    return child != sender->childByRun.end() && sender->children[child->second].answered;
}

// A large payload of the sender, copied for the receiver.
void EngineCore::Impl::copyAside(const OutboxRow& row, const PayloadRef& payload)
{
    auto copy = std::make_shared<Result<NewPayload>>(makeError(ErrorKind::Internal, "it was not copied"));
    const auto work = [copy, from = row.from, payload, seed = service->payloadSeed()](StoreWriter& store) {
        std::uint64_t at = 0;
        const auto read = [&](std::size_t limit) -> Result<std::string> {
            if (at >= payload.size)
                return std::string();
            CAIRN_TRY_ASSIGN(std::string bytes, store.payload(from, payload.id, at, limit));
            at += bytes.size();
            return bytes;
        };
        try {
            *copy = stagePayload(store, seed, read, payload.media);
        } catch (const std::exception& problem) {
            *copy = makeError(ErrorKind::Internal, std::string("it cannot be copied: ") + problem.what());
        }
    };
    background(work, [this, row, copy, by = session] {
        if (!service || session != by)
            return;
        if (*copy)
            return deliver(row, *std::move(*copy));
        if (copy->error().kind == ErrorKind::Refused)  // redacted: what says so is small
            return deliver(row, std::nullopt);
        trouble(copy->error());
        delivering.erase({row.from, row.version, row.number});
        hold(row, copy->error().text);
    });
}

void EngineCore::Impl::deliver(const OutboxRow& row, std::optional<NewPayload> copy)
{
    auto submission = service->deliver(row, std::move(copy));
    if (!submission) {
        delivering.erase({row.from, row.version, row.number});
        return hold(row, submission.error().text);
    }
    service->submit(*std::move(submission), [this, row](const Outcome& outcome) { delivered(row, outcome); });
}

void EngineCore::Impl::delivered(const OutboxRow& row, const Outcome& outcome)
{
    const MessageKey key{row.from, row.version, row.number};
    delivering.erase(key);
    if (delivering.empty() && std::exchange(moreMessages, false))
        outboxAt = 0;
    if (outcome.kind == Outcome::Kind::Failed) {
        hold(row, outcome.error.text);
        lostStart(row, outcome.error);
        return notCommitted(outcome.error);
    }
    if (outcome.kind == Outcome::Kind::Rejected && outcome.rejection.code == RejectCode::NotFound
        && !neverBegins(row))
        return hold(row, {});  // the receiver has not begun yet
    // Nothing of it was applied, so it is not over: it is kept, for a program that can read it.
    if (outcome.kind == Outcome::Kind::Rejected && outcome.rejection.code == RejectCode::InvalidInput)
        return hold(row, outcome.rejection.text);
    if (outcome.run == row.to)
        tellBegun(row);
    held.erase(key);
    ++stats.delivered;
    claimAt = 0;  // a child may have begun
    hastenMessages(outcome);
    if (outcome.kind != Outcome::Kind::Committed)
        if (const Status dropped = seams.store.dropOutbox(row); !dropped)
            trouble(dropped.error());
}

// Whether the child has begun nobody here knows. If it has, the commit gave it to this session, which would
// stand beside it for as long as it lives: as after a claim without an answer it is ended.
void EngineCore::Impl::lostStart(const OutboxRow& row, const Error& error)
{
    const auto message = decodeMessage(row.body);
    if (error.kind == ErrorKind::OutcomeUnknown && message && message->kind == cmd::MessageKind::StartChild)
        lost = "the answer to the start of a child run was lost: " + error.text;
}

// A run that this engine does not own may have something to say as well: a child that began by asking for
// children of its own.
void EngineCore::Impl::hastenMessages(const Outcome& outcome)
{
    if (outcome.kind == Outcome::Kind::Committed
        && std::any_of(outcome.entry.facts.begin(), outcome.entry.facts.end(), tellsOthers))
        outboxAt = 0;
}

// The parent of a child that was held is told that it has begun. Where another engine, that is gone, had held
// it, the message is old and the parent's row says so; a row whose reason presses more may hide that.
void EngineCore::Impl::tellBegun(const OutboxRow& row)
{
    const auto waits = held.find({row.from, row.version, row.number});
    bool told = waits != held.end() && !waits->second.workflow.empty();
    if (!told && service->now() - row.createdAt > kFirstWait) {
        const auto message = decodeMessage(row.body);
        if (!message || message->kind != cmd::MessageKind::StartChild)
            return;
        const auto parent = seams.store.listRows(std::span(&row.from, 1));
        told = parent && !parent->empty() && parent->front().reason != Reason::None
            && parent->front().reason <= Reason::Incompatible;
    }
    if (told)
        tellParent({row.from, row.to}, {});
}

void EngineCore::Impl::tellParent(const ParentAndChild& who, const std::string& why)
{
    Word& word = untold[who];
    word.why = why;
    if (!word.underWay)
        say(who);
}

// Kept until it is stored: nothing else would tell the parent.
void EngineCore::Impl::say(const ParentAndChild& who)
{
    Word& word = untold[who];
    word.underWay = true;
    const auto answered = [this, who, why = word.why](const Outcome& outcome) {
        const auto said = untold.find(who);
        if (said == untold.end())
            return;
        said->second.underWay = false;
        if (outcome.kind == Outcome::Kind::Failed)
            notCommitted(outcome.error);
        else if (said->second.why == why)
            untold.erase(said);
    };
    service->submit(service->tellParent(who.first, who.second, word.why), answered);
}

void EngineCore::Impl::sayUntold()
{
    std::vector<ParentAndChild> waiting;
    for (const auto& [who, word] : untold)
        if (!word.underWay)
            waiting.push_back(who);
    for (const ParentAndChild& who : waiting)
        say(who);
}

// `why` is said once; empty: nothing is wrong.
void EngineCore::Impl::hold(const OutboxRow& row, const std::string& why)
{
    Held& entry = held[{row.from, row.version, row.number}];
    entry.round = outboxRound;
    entry.wait = std::clamp(2 * entry.wait, kFirstWait, kLongestWait);
    entry.notBefore = seams.clock.monotonicMs() + entry.wait;
    outboxAt = std::min(outboxAt, entry.notBefore);
    if (!why.empty() && !std::exchange(entry.told, true))
        log::warning("message_not_delivered", {{"from", row.from}, {"to", row.to}, {"text", why}});
}

// Children whose workflow is there by now begin at once.
void EngineCore::Impl::freeServed()
{
    std::map<std::pair<std::string, std::uint32_t>, bool> there;
    for (auto& [key, entry] : held) {
        if (entry.workflow.empty())
            continue;
        const auto [place, isNew] = there.try_emplace({entry.workflow, entry.workflowVersion}, false);
        if (isNew)
            place->second = service->definition(entry.workflow, entry.workflowVersion) != nullptr;
        if (!place->second)
            continue;
        entry.notBefore = 0;
        outboxAt = 0;
    }
}

}  // namespace cairn
