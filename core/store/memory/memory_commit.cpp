#include "core/store/checks.h"
#include "core/store/memory/memory_database.h"
#include "core/store/message.h"

#include <algorithm>

namespace cairn {

namespace {

MemberResult answer(MemberResult::Kind kind, std::uint64_t version = 0)
{
    MemberResult result;
    result.kind = kind;
    result.version = version;
    return result;
}

MemberResult failed(Error error)
{
    MemberResult result = answer(MemberResult::Kind::Failed);
    result.error = std::move(error);
    return result;
}

}  // namespace

bool MemoryDatabase::living(const SessionId& session) const
{
    const auto found = sessions.find(session);
    return found != sessions.end() && found->second.endedAt == kNoTime;
}

void MemoryDatabase::setOwner(MemoryRun& run, const SessionId& owner, TimeMs nextDue)
{
    const RunId& id = run.identity.run;
    if (run.hot.owner.isNull()) {
        unowned.erase({run.hot.nextDue, id});
    } else if (run.hot.owner != owner) {
        auto& mine = owned[run.hot.owner];
        mine.erase(id);
        if (mine.empty())
            owned.erase(run.hot.owner);
    }
    run.hot.owner = owner;
    run.hot.nextDue = nextDue;
    if (!owner.isNull())
        owned[owner].insert(id);
    else if (nextDue != kNoTime)
        unowned.insert({nextDue, id});
}

void MemoryDatabase::wakeUp(const SessionId& owner, const RunId& run)
{
    if (living(owner))
        wakeups[owner].insert(run);
}

std::uint64_t MemoryDatabase::addAudit(AuditRow row)
{
    if (const auto with = std::exchange(row.with, nullptr))
        writeChange(*with, audit.size() + 1, row.time);
    row.seq = audit.size() + 1;
    row.previous = audit.empty() ? Digest{} : audit.back().hash;
    row.hash = auditHash(row);
    audit.push_back(std::move(row));
    return audit.size();
}

void MemoryDatabase::addOutbox(const OutboxRow& row)
{
    const auto [place, isNew] = outboxPlace.try_emplace({row.from, row.version, row.number}, outboxSeq + 1);
    if (!isNew)
        return;
    OutboxRow& kept = outbox[++outboxSeq];
    kept = row;
    kept.seq = outboxSeq;
}

void MemoryDatabase::dropOutbox(const OutboxRow& row)
{
    const auto place = outboxPlace.find({row.from, row.version, row.number});
    if (place == outboxPlace.end())
        return;
    outbox.erase(place->second);
    outboxPlace.erase(place);
}

std::optional<MemberResult> MemoryDatabase::refuseCreate(const CommitMember& member) const
{
    if (const auto found = runs.find(member.run); found != runs.end()) {
        const auto command = found->second.commands.find(member.entry.command);
        if (command != found->second.commands.end())
            return answer(MemberResult::Kind::Duplicate, command->second);
        return answer(MemberResult::Kind::Stale);
    }
    if (const auto stone = tombstones.find(member.run); stone != tombstones.end())
        return stone->second.begun == member.entry.command
            ? answer(MemberResult::Kind::Duplicate, 1)
            : failed(makeError(ErrorKind::Refused, "this run was deleted"));
    const RunRow& identity = *member.identity;
    if (!identity.key.empty())
        if (const auto taken = keys.find({identity.workflow.name, identity.key}); taken != keys.end()) {
            MemberResult result = answer(MemberResult::Kind::KeyTaken);
            result.other = taken->second;
            return result;
        }
    if (member.owner == OwnerChange::Take && !living(member.newOwner))
        return failed(makeError(ErrorKind::LeaseLost, "session " + toText(member.newOwner) + " is not open"));
    return std::nullopt;
}

// Null: there is none of this run and command that waits for its outcome.
const PlanItem* MemoryDatabase::openItem(const CommitMember& member) const
{
    const auto plan = plans.find(member.planItem->plan);
    if (plan == plans.end())
        return nullptr;
    const auto at = plan->second.items.find(member.planItem->ord);
    const bool fits = at != plan->second.items.end() && at->second.run == member.run
        && at->second.command == member.entry.command && at->second.state == PlanItemState::Open;
    return fits ? &at->second : nullptr;
}

std::optional<MemberResult> MemoryDatabase::refuseRows(const CommitMember& member) const
{
    for (const ControlGuard& guard : member.ancestors) {
        const auto found = runs.find(guard.run);
        if (found == runs.end() || found->second.hot.control != guard.control)
            return answer(MemberResult::Kind::Stale);
    }
    for (const EffectWrite& write : member.effects) {
        const auto found = effects.find(write.row.effect);
        if ((found == effects.end() ? 0 : found->second.revision) != write.row.revision)
            return answer(MemberResult::Kind::LedgerMoved);
    }
    // Nobody would wake a waiter for an effect that has ended meanwhile.
    for (const auto& [effect, step] : member.waits) {
        if (std::any_of(member.effects.begin(), member.effects.end(),
                [&e = effect](const EffectWrite& write) { return write.row.effect == e; }))
            continue;
        const auto found = effects.find(effect);
        const LedgerState state = found == effects.end() ? LedgerState::Absent : found->second.state;
        if (state != LedgerState::InFlight && state != LedgerState::Unknown)
            return answer(MemberResult::Kind::LedgerMoved);
    }
    if (member.left)
        if (const auto act = staged.find(member.entry.command);
            act != staged.end() && act->second.state != StagedState::Waiting)
            return failed(actIsOver(member.entry.command));
    if (member.planItem && openItem(member) == nullptr)
        return failed(planItemOver(*member.planItem));
    const auto run = runs.find(member.run);
    std::set<PayloadId> seen;
    for (const PayloadRow& payload : member.payloads) {
        if (!seen.insert(payload.ref.id).second
            || (run != runs.end() && run->second.payloads.contains(payload.ref.id)))
            return failed(
                makeError(ErrorKind::Internal, "payload " + toText(payload.ref.id) + " is there already"));
        if (payload.artifact.isNull())
            continue;
        const auto found = artifacts.find(payload.artifact);
        std::uint64_t size = 0;
        std::uint32_t next = 0;
        bool gap = found == artifacts.end();
        for (std::size_t i = 0; !gap && i < found->second.chunks.size(); ++i) {
            const auto chunk = found->second.chunks.find(next++);
            gap = chunk == found->second.chunks.end();
            size += gap ? 0 : chunk->second.size();
        }
        if (gap || size != payload.ref.size)
            return failed(makeError(ErrorKind::InvalidInput,
                "artifact " + toText(payload.artifact) + " was not staged completely; stage it again"));
    }
    return std::nullopt;
}

std::optional<MemberResult> MemoryDatabase::refuse(const CommitMember& member) const
{
    if (const auto checked = checkMember(member, info.writeFormat); !checked)
        return failed(checked.error());
    if (member.create) {
        if (auto refused = refuseCreate(member))
            return refused;
        return refuseRows(member);
    }
    const auto found = runs.find(member.run);
    if (found == runs.end())
        return answer(MemberResult::Kind::Stale);
    const MemoryRun& run = found->second;
    if (const auto command = run.commands.find(member.entry.command); command != run.commands.end())
        return answer(MemberResult::Kind::Duplicate, command->second);
    if (run.hot.version != member.expectedVersion
        || (member.checkEpoch && run.hot.epoch != member.expectedEpoch))
        return answer(MemberResult::Kind::Stale);
    if (member.entry.previous != run.hot.head)
        return failed(makeError(
            ErrorKind::Corrupt, "the entry does not continue the head of run " + toText(member.run)));
    return refuseRows(member);
}

void MemoryDatabase::writeOwner(MemoryRun& run, const CommitMember& member, MemberResult& result)
{
    if (member.owner == OwnerChange::Take) {
        run.hot.epoch = 1;
        setOwner(run, member.newOwner, member.nextDue);
        return;
    }
    const SessionId owner = run.hot.owner;
    const bool byOwner = !owner.isNull() && owner == member.by;
    if (!owner.isNull() && !byOwner) {
        wakeUp(owner, member.run);
        const bool drop = member.owner == OwnerChange::Drop;
        result.ownerElsewhere = !drop;
        run.hot.epoch += drop ? 1 : 0;
        setOwner(
            run, drop ? SessionId{} : owner, drop ? dueAfterCommit(member, false, now()) : member.nextDue);
        return;
    }
    const bool release = byOwner && member.owner == OwnerChange::Release;
    setOwner(run, release ? SessionId{} : owner, dueAfterCommit(member, byOwner, now()));
}

void MemoryDatabase::writeEffects(const CommitMember& member)
{
    for (const EffectWrite& write : member.effects) {
        EffectRow row = write.row;
        ++row.revision;
        effects[row.effect] = row;
    }
    for (const auto& [effect, step] : member.waits)
        waiters[effect].insert({member.run, step});
    std::uint32_t number = 0;
    for (const OutboxRow& row : member.outbox) {
        addOutbox(row);
        number = std::max(number, row.number + 1);
    }
    for (const EffectId& effect : member.wake) {
        const auto found = waiters.find(effect);
        if (found == waiters.end())
            continue;
        for (const auto& [run, step] : found->second) {
            Message message;
            message.kind = cmd::MessageKind::EffectReleased;
            message.to = run;
            message.step = step;
            message.effect = effect;
            addOutbox({member.run, member.entry.version, number++, run, encodeMessage(message), now()});
        }
        waiters.erase(found);
    }
    for (const ResourceRow& given : member.resources)
        raiseBackOff(given);
}

void MemoryDatabase::raiseBackOff(const ResourceRow& given)
{
    auto [place, isNew] = resources.try_emplace(given.name, given);
    if (!isNew && given.backOffUntil > place->second.backOffUntil) {
        place->second.backOffUntil = given.backOffUntil;
        place->second.askedByServer = given.askedByServer;
        ++place->second.revision;
    }
}

void MemoryDatabase::writeList(MemoryRun& run, const CommitMember& member)
{
    if (!member.list)
        return;
    if (run.list)
        byChange.erase(run.list->changed);
    run.list = *member.list;
    run.list->run = member.run;
    run.list->version = member.entry.version;
    run.list->changed = ++change;
    byChange[change] = member.run;
}

void MemoryDatabase::writeRows(MemoryRun& run, const CommitMember& member)
{
    for (const StepRow& row : member.steps)
        run.steps[row.ix] = row;
    for (const AttemptRow& row : member.attempts)
        run.attempts[{row.step, row.id}] = row;
    for (const ApprovalRow& row : member.approvals)
        run.approvals[row.id] = row;
    for (const AttributeRow& row : member.attributes)
        run.attributes[row.name] = row;
    for (const PayloadRow& row : member.payloads) {
        run.payloads.insert_or_assign(row.ref.id, row);
        if (row.redactedBy != 0)
            run.redacted[row.ref.id] = row.redactedBy;
        if (!row.artifact.isNull())
            artifacts[row.artifact].adopted = true;
    }
}

void MemoryDatabase::redact(MemoryRun& run, const CommitMember& member)
{
    for (const PayloadId& id : member.redacted) {
        const auto found = run.payloads.find(id);
        if (found == run.payloads.end()
            || !run.redacted.try_emplace(id, static_cast<std::int64_t>(member.entry.version)).second)
            continue;
        PayloadRow& row = found->second;
        if (!row.artifact.isNull())
            artifacts.erase(row.artifact);
        row.bytes.clear();
        row.salt = {};
        row.artifact = {};
    }
}

void MemoryDatabase::write(const CommitMember& member, MemberResult& result)
{
    MemoryRun& run = runs[member.run];
    if (member.create) {
        run.identity = *member.identity;
        if (!run.identity.key.empty())
            keys[{run.identity.workflow.name, run.identity.key}] = member.run;
        if (!run.identity.parent.run.isNull())
            children[run.identity.parent.run].insert(member.run);
    }
    run.entries.push_back(member.entry);
    run.commands[member.entry.command] = member.entry.version;
    run.hot.version = member.entry.version;
    run.hot.control = member.control;
    run.hot.head = member.entry.hash;
    run.hot.format = std::max(run.hot.format, member.entry.format);
    writeOwner(run, member, result);
    writeList(run, member);
    writeRows(run, member);
    redact(run, member);
    writeEffects(member);
    if (member.delivered)
        dropOutbox(*member.delivered);
    if (member.audit)
        result.auditSeq = addAudit(*member.audit);
    if (member.planItem) {
        PlanItem& item = plans[member.planItem->plan].items[member.planItem->ord];
        item.state = PlanItemState::Done;
        item.version = member.entry.version;
        item.doneAt = member.planItem->doneAt;
    }
}

MemberResult MemoryDatabase::commitMember(const CommitMember& member)
{
    if (auto refused = refuse(member))
        return *std::move(refused);
    MemberResult result = answer(MemberResult::Kind::Committed, member.entry.version);
    write(member, result);
    return result;
}

}  // namespace cairn
