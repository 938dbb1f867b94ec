#include "core/store/postgres/group_commit.h"

#include "core/store/message.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

void refuse(MemberResult& result, Error error)
{
    result.kind = MemberResult::Kind::Failed;
    result.error = std::move(error);
}

// What a group needs to know before anything of it is written.
struct Asked {
    explicit Asked(std::span<const CommitMember> members)
    {
        for (const CommitMember& m : members) {
            addIdentity(m);
            addLedger(m);
            for (const PayloadRow& p : m.payloads)
                if (!p.artifact.isNull())
                    artifacts.insert(p.artifact);
        }
    }

    std::set<RunId> runs, created;
    std::set<SessionId> sessions;
    std::set<EffectId> effects, woken;
    std::set<ArtifactId> artifacts;
    std::set<CommandId> left;
    Columns commands, keys, items;

private:
    void addIdentity(const CommitMember& m)
    {
        runs.insert(m.run);
        for (const ControlGuard& guard : m.ancestors)
            runs.insert(guard.run);
        commands.row(m.run, m.entry.command);
        if (m.create)
            created.insert(m.run);
        if (m.planItem)
            items.row(m.planItem->plan, m.planItem->ord);
        if (m.left)
            left.insert(m.entry.command);
        if (m.create && m.identity && !m.identity->key.empty() && isStorableText(m.identity->key)
            && isStorableText(m.identity->workflow.name))
            keys.row(m.identity->workflow.name, m.identity->key);
        if (m.owner == OwnerChange::Take)
            sessions.insert(m.newOwner);
    }
    void addLedger(const CommitMember& m)
    {
        for (const EffectWrite& write : m.effects)
            effects.insert(write.row.effect);
        for (const auto& [effect, step] : m.waits)
            effects.insert(effect);
        for (const EffectId& effect : m.wake) {
            effects.insert(effect);
            woken.insert(effect);
        }
    }
};

}  // namespace

// --- reading, with the locks
// ----------------------------------------------------------------------------------------

void GroupCommit::readLedger(Rows& effects, Rows& waiters)
{
    while (effects.next()) {
        EffectRow row;
        readEffect(effects, row);
        m_effects[row.effect] = {row, true, false};
    }
    while (waiters.next()) {
        EffectId effect;
        Waiter waiter;
        waiters.read(effect, waiter.first, waiter.second);
        m_waiters[effect].insert(waiter);
    }
}

void GroupCommit::readItems(Rows& items)
{
    while (items.next()) {
        ItemPlace place;
        std::pair<RunId, CommandId> act;
        items.read(place.first, place.second, act.first, act.second);
        m_openItems[place] = act;
    }
}

void GroupCommit::readRuns(Rows& runs, Rows& commands)
{
    while (runs.next()) {
        RunId run;
        Run state;
        runs.read(run);
        runs.readMore(state.hot.version, state.hot.epoch, state.hot.control, state.hot.owner, state.hot.head,
            state.hot.nextDue, state.hot.format);
        state.stored = state.exists = true;
        m_runs[run] = state;
    }
    while (commands.next()) {
        std::pair<RunId, CommandId> command;
        std::uint64_t version = 0;
        commands.read(command.first, command.second, version);
        m_commands[command] = version;
    }
}

// Runs that were removed, of those that a member creates.
void GroupCommit::readBegun(Rows& begun)
{
    while (begun.next()) {
        RunId run;
        CommandId command;
        begun.read(run, command);
        m_removed.insert(run);
        m_commands[{run, command}] = 1;
    }
}

void GroupCommit::readKeys(Rows& keys)
{
    while (keys.next()) {
        std::pair<std::string, std::string> key;
        RunId run;
        keys.read(key.first, key.second, run);
        m_keys[key] = run;
    }
}

void GroupCommit::readActs(Rows& acts)
{
    while (acts.next()) {
        CommandId act;
        std::int64_t waits = 0;
        acts.read(act, waits);
        if (waits == 0)
            m_actsOver.insert(act);
    }
}

void GroupCommit::readSizes(Rows& sizes)
{
    while (sizes.next()) {
        ArtifactId artifact;
        Staged staged;
        sizes.read(artifact, staged.count, staged.last, staged.size);
        m_staged[artifact] = staged;
    }
}

Status GroupCommit::read(Transaction& transaction)
{
    const Asked asked(m_members);
    Batch batch;
    const auto add = [&](Sql id, const auto& ids, Type type) {
        return ids.empty() ? 0 : batch.add(id, Column::of(type, ids));
    };
    // Sessions before runs, as a takeover does.
    const std::size_t atSessions = add(Sql::LockSessions, asked.sessions, Type::Uuid);
    const std::size_t atRuns = batch.add(Sql::LockRuns, Column::of(Type::Uuid, asked.runs));
    const std::size_t atCommands = batch.add(Sql::CommandsOf, asked.commands);
    const std::size_t atBegun = add(Sql::BegunBy, asked.created, Type::Uuid);
    const std::size_t atKeys = asked.keys.empty() ? 0 : batch.add(Sql::KeyHolders, asked.keys);
    const std::size_t atEffects = add(Sql::LockEffects, asked.effects, Type::Bytea);
    const std::size_t atWaiters =
        asked.effects.empty() ? 0 : batch.add(Sql::WaitersOf, Column::of(Type::Bytea, asked.woken));
    const std::size_t atLeft = add(Sql::LockStaged, asked.left, Type::Uuid);
    const std::size_t atItems = asked.items.empty() ? 0 : batch.add(Sql::LockPlanItems, asked.items);
    add(Sql::LockArtifacts, asked.artifacts, Type::Uuid);
    const std::size_t atStaged = add(Sql::StagedSizes, asked.artifacts, Type::Uuid);
    CAIRN_TRY_ASSIGN(auto answers, transaction.begin(batch));
    readRuns(answers[atRuns], answers[atCommands]);
    if (atBegun != 0)
        readBegun(answers[atBegun]);
    if (atKeys != 0)
        readKeys(answers[atKeys]);
    while (!asked.sessions.empty() && answers[atSessions].next()) {
        SessionId session;
        answers[atSessions].read(session);
        m_openSessions.insert(session);
    }
    if (atEffects != 0)
        readLedger(answers[atEffects], answers[atWaiters]);
    if (atItems != 0)
        readItems(answers[atItems]);
    if (atLeft != 0)
        readActs(answers[atLeft]);
    if (atStaged != 0)
        readSizes(answers[atStaged]);
    return {};
}

// --- may it be written?
// ----------------------------------------------------------------------------------------------

bool GroupCommit::findDuplicate(const CommitMember& member, MemberResult& result)
{
    const auto found = m_commands.find({member.run, member.entry.command});
    if (found == m_commands.end())
        return false;
    result.kind = Kind::Duplicate;
    result.version = found->second;
    return true;
}

bool GroupCommit::admitChange(const CommitMember& member, MemberResult& result)
{
    const auto at = m_runs.find(member.run);
    const bool found = at != m_runs.end() && at->second.exists;
    const HotRow hot = found ? at->second.hot : HotRow{};
    const bool stale = member.create ? found
                                     : !found || hot.version != member.expectedVersion
            || (member.checkEpoch && hot.epoch + (at->second.dropped ? 1 : 0) != member.expectedEpoch);
    if (stale) {
        result.kind = Kind::Stale;
        if (found)
            static_cast<void>(findDuplicate(member, result));
        return false;
    }
    // The command may be there although the version fits: then it was decided on a state that already had it.
    if (findDuplicate(member, result))
        return false;
    if (!member.create && hot.head != member.entry.previous) {
        refuse(result,
            makeError(
                ErrorKind::Corrupt, "the entry does not continue the head of run " + toText(member.run)));
        return false;
    }
    return true;
}

bool GroupCommit::admitCreate(const CommitMember& member, MemberResult& result)
{
    if (m_removed.contains(member.run)) {
        refuse(result, makeError(ErrorKind::Refused, "this run was deleted"));
        return false;
    }
    const RunRow& identity = *member.identity;
    if (!identity.key.empty()) {
        const auto taken = m_keys.find({identity.workflow.name, identity.key});
        if (taken != m_keys.end()) {
            result.other = taken->second;
            result.kind = Kind::KeyTaken;
            return false;
        }
    }
    if (member.owner == OwnerChange::Take && !m_openSessions.contains(member.newOwner)) {
        refuse(
            result, makeError(ErrorKind::LeaseLost, "session " + toText(member.newOwner) + " is not open"));
        return false;
    }
    return true;
}

bool GroupCommit::admitRows(const CommitMember& member, MemberResult& result)
{
    for (const ControlGuard& guard : member.ancestors) {
        const auto at = m_runs.find(guard.run);
        if (at == m_runs.end() || !at->second.exists || at->second.hot.control != guard.control) {
            result.kind = Kind::Stale;
            return false;
        }
    }
    for (const EffectWrite& write : member.effects) {
        const auto at = m_effects.find(write.row.effect);
        if ((at == m_effects.end() ? 0 : at->second.row.revision) != write.row.revision) {
            result.kind = Kind::LedgerMoved;
            return false;
        }
    }
    // Nobody would wake a waiter for an effect that has ended meanwhile.
    for (const auto& [effect, step] : member.waits) {
        if (std::any_of(member.effects.begin(), member.effects.end(),
                [&e = effect](const EffectWrite& write) { return write.row.effect == e; }))
            continue;
        const auto at = m_effects.find(effect);
        const LedgerState state = at == m_effects.end() ? LedgerState::Absent : at->second.row.state;
        if (state != LedgerState::InFlight && state != LedgerState::Unknown) {
            result.kind = Kind::LedgerMoved;
            return false;
        }
    }
    if (member.left && m_actsOver.contains(member.entry.command)) {
        refuse(result, actIsOver(member.entry.command));
        return false;
    }
    if (member.planItem) {
        const auto at = m_openItems.find({member.planItem->plan, member.planItem->ord});
        if (at == m_openItems.end() || at->second != std::pair(member.run, member.entry.command)) {
            refuse(result, planItemOver(*member.planItem));
            return false;
        }
    }
    for (const PayloadRow& payload : member.payloads) {
        if (payload.artifact.isNull())
            continue;
        const auto at = m_staged.find(payload.artifact);
        const Staged staged = at == m_staged.end() ? Staged{} : at->second;
        if (staged.count == 0 || staged.last + 1 != staged.count || staged.size != payload.ref.size) {
            refuse(result,
                makeError(ErrorKind::InvalidInput,
                    "artifact " + toText(payload.artifact) + " was not staged completely; stage it again"));
            return false;
        }
    }
    return true;
}

bool GroupCommit::admit(const CommitMember& member, MemberResult& result, std::uint16_t writeFormat)
{
    if (const auto checked = checkMember(member, writeFormat); !checked) {
        refuse(result, checked.error());
        return false;
    }
    return admitChange(member, result) && (!member.create || admitCreate(member, result))
        && admitRows(member, result);
}

// --- what it makes of the rows, in memory
// ------------------------------------------------------------------------------

void GroupCommit::applyHead(const CommitMember& member, MemberResult& result, TimeMs now)
{
    const SealedEntry& e = member.entry;
    Run& run = m_runs[member.run];
    HotRow& hot = run.hot;
    if (member.create) {
        const bool take = member.owner == OwnerChange::Take;
        hot = {};
        hot.epoch = take ? 1 : 0;
        hot.owner = take ? member.newOwner : SessionId{};
        hot.nextDue = dueAfterCommit(member, take, now);
        hot.format = e.format;
        if (!member.identity->key.empty())
            m_keys[{member.identity->workflow.name, member.identity->key}] = member.run;
    } else {
        const bool byOwner = !hot.owner.isNull() && hot.owner == member.by;
        const bool elsewhere = !hot.owner.isNull() && !byOwner;
        hot.nextDue = dueAfterCommit(member, byOwner || elsewhere, now);
        hot.format = std::max(hot.format, e.format);
        if (elsewhere) {
            result.ownerElsewhere = true;
            m_wakeups.insert({hot.owner, member.run});
        }
        if (byOwner && member.owner == OwnerChange::Release)
            hot.owner = {};
        if (elsewhere && member.owner == OwnerChange::Drop) {
            result.ownerElsewhere = false;
            hot.owner = {};
            hot.nextDue = dueAfterCommit(member, false, now);
            run.dropped = true;
        }
    }
    hot.version = e.version;
    hot.control = member.control;
    hot.head = e.hash;
    run.exists = run.changed = true;
    m_commands[{member.run, e.command}] = e.version;
}

void GroupCommit::wake(const CommitMember& member, const EffectId& effect, std::uint32_t& number, TimeMs now)
{
    const auto waiting = m_waiters.find(effect);
    if (waiting == m_waiters.end() || waiting->second.empty())
        return;
    for (const auto& [run, step] : waiting->second) {
        Message message;
        message.kind = cmd::MessageKind::EffectReleased;
        message.to = run;
        message.step = step;
        message.effect = effect;
        m_outbox.row(member.run, member.entry.version, number++, run, Blob{encodeMessage(message)}, now);
    }
    waiting->second.clear();
    m_newWaiters.erase(effect);
    m_woken.insert(effect);
}

void GroupCommit::applyLedger(const CommitMember& member, TimeMs now)
{
    for (const EffectWrite& write : member.effects) {
        Effect& effect = m_effects[write.row.effect];
        const EffectRow before = effect.row;
        effect.row = write.row;
        if (effect.stored || effect.changed) {  // what a key is for never changes
            effect.row.tool = before.tool;
            effect.row.key = before.key;
        }
        effect.row.revision = write.row.revision + 1;
        effect.changed = true;
    }
    for (const auto& [effect, step] : member.waits) {
        m_newWaiters[effect].insert({member.run, step});
        m_waiters[effect].insert({member.run, step});
    }
    std::uint32_t number = 0;
    for (const OutboxRow& o : member.outbox) {
        m_outbox.row(o.from, o.version, o.number, o.to, Blob{o.body}, o.createdAt);
        number = std::max(number, o.number + 1);
    }
    for (const EffectId& effect : member.wake)
        wake(member, effect, number, now);
}

void GroupCommit::apply(const CommitMember& member, MemberResult& result, TimeMs now)
{
    applyHead(member, result, now);
    m_rows.add(member);
    applyLedger(member, now);
    if (member.audit) {
        m_rows.audit.push_back(*member.audit);
        m_audited.push_back(&result);
    }
    if (const auto& item = member.planItem) {
        m_itemsDone.row(item->plan, item->ord, member.entry.version, item->doneAt);
        m_openItems.erase({item->plan, item->ord});
    }
    result.version = member.entry.version;
}

// --- writing
// ---------------------------------------------------------------------------------------------------------

void GroupCommit::writeHots(Batch& batch) const
{
    Columns created, changed, dropped;
    for (const auto& [run, state] : m_runs) {
        const HotRow& h = state.hot;
        if (state.dropped)
            dropped.row(run);
        if (state.changed)
            (state.stored ? changed : created)
                .row(run, h.version, h.epoch, h.control, h.owner, Blob{h.head.view()}, Due{h.nextDue},
                    h.format);
    }
    if (!created.empty())
        batch.add(Sql::InsertHot, created);
    if (!changed.empty())
        batch.add(Sql::UpdateHot, changed);
    if (!dropped.empty())
        batch.add(Sql::RaiseEpochs, dropped);
}

void GroupCommit::writeLedger(Batch& batch) const
{
    Columns created, changed, waiters;
    for (const auto& [id, effect] : m_effects) {
        const EffectRow& e = effect.row;
        if (effect.changed)
            (effect.stored ? changed : created)
                .row(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputSalt, e.inputDigest,
                    e.result, e.changedAt, e.revision);
    }
    for (const auto& [effect, waiting] : m_newWaiters)
        for (const auto& [run, step] : waiting)
            waiters.row(effect, run, step);
    if (!created.empty())
        batch.add(Sql::InsertEffects, created);
    if (!changed.empty())
        batch.add(Sql::UpdateEffects, changed);
    if (!m_woken.empty())
        batch.add(Sql::DropWaiters, Column::of(Type::Bytea, m_woken));
    if (!waiters.empty())
        batch.add(Sql::AddWaiters, waiters);
}

// The chain's end is locked after all else, and for as short as can be.
Status GroupCommit::writeAudit(Transaction& transaction, Batch& batch)
{
    const std::size_t at = batch.add(Sql::LockAuditHead);
    CAIRN_TRY_ASSIGN(auto answers, transaction.run(batch));
    AuditHead head;
    if (!answers[at].next())
        return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
    answers[at].read(head.seq, head.hash);
    for (std::size_t i = 0; i < m_rows.audit.size(); ++i) {
        chain(m_rows.audit[i], head);
        m_audited[i]->auditSeq = head.seq;
    }
    addAudit(transaction.last(), m_rows.audit);
    return {};
}

Status GroupCommit::write(Transaction& transaction)
{
    // A place in the transaction's changes for each list row: together with its number, the change cursor.
    std::uint64_t place = transaction.number() << kPlaceBits;
    for (auto& [run, row] : m_rows.list)
        row.first.changed = place++;
    Batch batch;
    m_rows.into(batch);
    writeHots(batch);
    writeLedger(batch);
    if (!m_outbox.empty())
        batch.add(Sql::AddOutbox, m_outbox);
    m_rows.intoLast(batch);
    Columns wakeups;
    for (const auto& [session, run] : m_wakeups)
        wakeups.row(session, run);
    if (!wakeups.empty())
        batch.add(Sql::AddWakeups, wakeups);
    if (m_rows.audit.empty())
        transaction.last().append(batch);
    else
        CAIRN_TRY(writeAudit(transaction, batch));
    // After the audit, which takes an entry in the name of a plan's author for an item without an outcome.
    if (!m_itemsDone.empty())
        transaction.last().add(Sql::PlanItemsDone, m_itemsDone);
    return {};
}

HintSet GroupCommit::hints() const noexcept
{
    const bool claimable = std::any_of(m_runs.begin(), m_runs.end(), [this](const auto& each) {
        const HotRow& hot = each.second.hot;
        return each.second.changed && hot.owner.isNull() && hot.nextDue != kNoTime && hot.nextDue <= m_now;
    });
    return static_cast<HintSet>((m_wakeups.empty() ? hint::kNone : hint::kWakeups)
        | (m_outbox.empty() ? hint::kNone : hint::kOutbox) | (claimable ? hint::kClaims : hint::kNone));
}

Result<bool> GroupCommit::run(Transaction& transaction)
{
    CAIRN_TRY(read(transaction));
    m_now = transaction.now();
    bool any = false;
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        m_results[i] = {};
        if (!admit(m_members[i], m_results[i], transaction.numbers().writeFormat))
            continue;
        apply(m_members[i], m_results[i], transaction.now());
        any = true;
    }
    if (any)
        CAIRN_TRY(write(transaction));
    return any;
}

}  // namespace cairn::postgres
