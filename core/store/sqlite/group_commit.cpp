#include "core/store/sqlite/group_commit.h"

#include "core/store/message.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

void refuse(MemberResult& result, Error error)
{
    result.kind = MemberResult::Kind::Failed;
    result.error = std::move(error);
}

}  // namespace

// --- may it be written?
// ----------------------------------------------------------------------------------------------

Result<bool> GroupCommit::sessionOpen(const SessionId& session)
{
    if (const auto known = m_sessions.find(session); known != m_sessions.end())
        return known->second;
    Query query(m_db, Sql::SessionOpen);
    CAIRN_TRY_ASSIGN(const bool open, query.bind(session).step());
    m_sessions[session] = open;
    return open;
}

Result<bool> GroupCommit::findDuplicate(const CommitMember& member, MemberResult& result)
{
    CAIRN_TRY(m_batch.writeAll());
    Query query(m_db, Sql::CommandOf);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(member.run, member.entry.command).step());
    if (found) {
        result.kind = Kind::Duplicate;
        query.read(result.version);
    }
    return found;
}

Result<bool> GroupCommit::admitCreate(const CommitMember& member, MemberResult& result)
{
    {
        CommandId begun;
        Query query(m_db, Sql::BegunBy);
        CAIRN_TRY_ASSIGN(const bool removed, query.bind(member.run).step());
        if (removed)
            query.read(begun);
        if (removed && begun == member.entry.command) {
            result.kind = Kind::Duplicate;
            result.version = 1;
            return false;
        }
        if (removed) {
            refuse(result, makeError(ErrorKind::Refused, "this run was deleted"));
            return false;
        }
    }
    const RunRow& identity = *member.identity;
    if (!identity.key.empty()) {
        Query query(m_db, Sql::KeyHolder);
        CAIRN_TRY_ASSIGN(const bool taken, query.bind(identity.workflow.name, identity.key).step());
        if (taken) {
            query.read(result.other);
            result.kind = Kind::KeyTaken;
            return false;
        }
    }
    if (member.owner == OwnerChange::Take) {
        CAIRN_TRY_ASSIGN(const bool open, sessionOpen(member.newOwner));
        if (!open) {
            refuse(result,
                makeError(ErrorKind::LeaseLost, "session " + toText(member.newOwner) + " is not open"));
            return false;
        }
    }
    return true;
}

Result<bool> GroupCommit::ancestorsFit(const CommitMember& member)
{
    for (const ControlGuard& guard : member.ancestors) {
        Query query(m_db, Sql::ControlOf);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(guard.run).step());
        std::uint64_t control = 0;
        if (found)
            query.read(control);
        if (!found || control != guard.control)
            return false;
    }
    return true;
}

Result<bool> GroupCommit::admitChange(const CommitMember& member, HotRow& hot, MemberResult& result)
{
    Query query(m_db, Sql::HotOf);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(member.run).step());
    if (found)
        readHot(query, hot);
    const bool stale = member.create ? found
                                     : !found || hot.version != member.expectedVersion
            || (member.checkEpoch && hot.epoch != member.expectedEpoch);
    if (stale) {
        result.kind = Kind::Stale;
        if (found)
            CAIRN_TRY(findDuplicate(member, result));
        return false;
    }
    // The command may be there although the version fits: then it was decided on a state that already had it.
    // Without savepoints the index on (run, command) finds it; but for what it has ended itself.
    if (m_savepoints || member.planItem || member.left) {
        CAIRN_TRY_ASSIGN(const bool repeated, findDuplicate(member, result));
        if (repeated)
            return false;
    }
    if (!member.create && hot.head != member.entry.previous) {
        refuse(result,
            makeError(
                ErrorKind::Corrupt, "the entry does not continue the head of run " + toText(member.run)));
        return false;
    }
    return true;
}

// Whoever asked for it: an act that was left, or an item of a plan.
Result<bool> GroupCommit::stillWaits(const CommitMember& member, MemberResult& result)
{
    if (member.left) {
        Query query(m_db, Sql::StateOfStaged);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(member.entry.command).step());
        StagedState state = StagedState::Waiting;
        if (found)
            query.read(state);
        if (state != StagedState::Waiting) {
            refuse(result, actIsOver(member.entry.command));
            return false;
        }
    }
    if (!member.planItem)
        return true;
    const PlanOutcome& item = *member.planItem;
    Query query(m_db, Sql::OpenPlanItem);
    CAIRN_TRY_ASSIGN(
        const bool open, query.bind(item.plan, item.ord, member.run, member.entry.command).step());
    if (!open)
        refuse(result, planItemOver(item));
    return open;
}

Result<bool> GroupCommit::admitRows(const CommitMember& member, MemberResult& result)
{
    CAIRN_TRY_ASSIGN(const bool fit, ancestorsFit(member));
    if (!fit) {
        result.kind = Kind::Stale;
        return false;
    }
    for (const EffectWrite& write : member.effects) {
        Query query(m_db, Sql::EffectRevision);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(write.row.effect).step());
        std::uint64_t revision = 0;
        if (found)
            query.read(revision);
        if (revision != write.row.revision) {
            result.kind = Kind::LedgerMoved;
            return false;
        }
    }
    // Nobody would wake a waiter for an effect that has ended meanwhile.
    for (const auto& [effect, step] : member.waits) {
        if (std::any_of(member.effects.begin(), member.effects.end(),
                [&e = effect](const EffectWrite& write) { return write.row.effect == e; }))
            continue;
        Query query(m_db, Sql::EffectState);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(effect).step());
        LedgerState state = LedgerState::Absent;
        if (found)
            query.read(state);
        if (state != LedgerState::InFlight && state != LedgerState::Unknown) {
            result.kind = Kind::LedgerMoved;
            return false;
        }
    }
    CAIRN_TRY_ASSIGN(const bool waits, stillWaits(member, result));
    if (!waits)
        return false;
    for (const PayloadRow& payload : member.payloads) {
        if (payload.artifact.isNull())
            continue;
        Query query(m_db, Sql::StagedSize);
        CAIRN_TRY(query.bind(payload.artifact).step());
        std::int64_t count = 0, last = 0;
        std::uint64_t size = 0;
        query.read(count, last, size);
        if (count == 0 || last + 1 != count || size != payload.ref.size) {
            refuse(result,
                makeError(ErrorKind::InvalidInput,
                    "artifact " + toText(payload.artifact) + " was not staged completely; stage it again"));
            return false;
        }
    }
    return true;
}

Result<bool> GroupCommit::admit(
    const CommitMember& member, const Status& checked, HotRow& hot, MemberResult& result)
{
    if (const auto fits = checkFormat(member, m_context.numbers.writeFormat); !fits || !checked) {
        refuse(result, fits ? checked.error() : fits.error());
        return false;
    }
    CAIRN_TRY_ASSIGN(const bool current, admitChange(member, hot, result));
    if (!current)
        return false;
    if (member.create) {
        CAIRN_TRY_ASSIGN(const bool free, admitCreate(member, result));
        if (!free)
            return false;
    }
    return admitRows(member, result);
}

// --- writing
// ---------------------------------------------------------------------------------------------------------

Status GroupCommit::writeIdentity(const CommitMember& member)
{
    const RunRow& r = *member.identity;
    return Query(m_db, Sql::InsertRun)
        .bind(r.run, r.root, r.parent.run, r.parent.step, r.parent.index, r.workflow.name, r.workflow.version,
            r.workflow.digest, r.workflow.stateSchema, TextOrNull{r.key}, r.keyInput, r.keySalt, r.createdAt,
            r.forkedFrom, r.driven)
        .run();
}

Status GroupCommit::writeHead(const CommitMember& member, const HotRow& hot, MemberResult& result)
{
    const SealedEntry& e = member.entry;
    const auto format = std::max(hot.format, e.format);
    if (member.create) {
        CAIRN_TRY(writeIdentity(member));
        const bool take = member.owner == OwnerChange::Take;
        const Due due{dueAfterCommit(member, take, m_context.now)};
        CAIRN_TRY(Query(m_db, Sql::InsertHot)
                      .bind(member.run, e.version, take ? 1 : 0, member.control,
                          take ? member.newOwner : SessionId{}, Blob{e.hash.view()}, due, format)
                      .run());
    } else {
        const bool byOwner = !hot.owner.isNull() && hot.owner == member.by;
        const bool elsewhere = !hot.owner.isNull() && !byOwner;
        const bool release = byOwner && member.owner == OwnerChange::Release;
        const Due due{dueAfterCommit(member, byOwner || elsewhere, m_context.now)};
        CAIRN_TRY(Query(m_db, release ? Sql::ReleaseHot : Sql::UpdateHot)
                      .bind(e.version, member.control, Blob{e.hash.view()}, due, format, member.run)
                      .run());
        if (elsewhere) {
            result.ownerElsewhere = true;
            CAIRN_TRY(Query(m_db, Sql::AddWakeup).bind(hot.owner, member.run).run());
        }
        if (elsewhere && member.owner == OwnerChange::Drop) {
            result.ownerElsewhere = false;
            const TimeMs at = dueAfterCommit(member, false, m_context.now);
            CAIRN_TRY(Query(m_db, Sql::SetOwnerDue).bind(SessionId{}, Due{at}, member.run).run());
        }
    }
    if (!m_savepoints)
        return m_batch.addEntry(member);
    return runWith(Sql::InsertEntry, member.run, e);
}

Result<std::uint64_t> GroupCommit::nextChange()
{
    if (m_change == 0) {
        Query query(m_db, Sql::ChangeCounter);
        CAIRN_TRY(query.step());
        query.read(m_change);
    }
    return ++m_change;
}

Status GroupCommit::writeList(const CommitMember& member)
{
    if (!member.list)
        return {};
    const ListRow& l = *member.list;
    CAIRN_TRY_ASSIGN(const std::uint64_t changed, nextChange());
    if (!member.create) {
        CAIRN_TRY(Query(m_db, Sql::UpdateList)
                      .bind(l.workflowVersion, l.activity, l.attention, l.reason, l.step, l.since, l.nextTime,
                          TextOrNull{l.situation}, l.resource, l.error, l.endedAt, l.steps, l.stepsDone,
                          l.attempt, l.attemptsMax, l.amount.micros, l.amount.currency, l.heldUntil,
                          l.assigned, member.entry.version, changed, member.run)
                      .run());
        if (m_db.changes() > 0)
            return {};
    }
    return Query(m_db, Sql::InsertList)
        .bind(member.run, l.root.isNull() ? member.run : l.root, l.parent, l.workflow, l.workflowVersion,
            TextOrNull{l.key}, l.activity, l.attention, l.reason, l.step, l.since, l.nextTime,
            TextOrNull{l.situation}, l.resource, l.error, l.createdAt, l.endedAt, l.steps, l.stepsDone,
            l.attempt, l.attemptsMax, l.amount.micros, l.amount.currency, l.heldUntil, l.assigned,
            member.entry.version, changed)
        .run();
}

template<typename Row> Status GroupCommit::runWith(Sql id, const RunId& run, const Row& row)
{
    Query query(m_db, id);
    bindRow(query, run, row);
    return query.run();
}

// Nearly every row that is not new is there: an UPDATE costs about half of an INSERT that ends as one. Where
// it is not there (or waits in the batch), it is put as in any order.
Status GroupCommit::writeStep(const CommitMember& member, const StepRow& s)
{
    if (member.create && !m_savepoints)
        return m_batch.addStep(member.run, s);
    if (!member.create) {
        CAIRN_TRY(Query(m_db, Sql::UpdateStep)
                      .bind(s.id, s.name, s.tool, s.agent, s.kind, s.safety, s.state, s.reason, s.since,
                          s.due, s.revision, s.attempts, s.failures, s.lost, s.input, s.output, s.error,
                          s.effect, s.readyAt, s.startedAt, s.endedAt, member.run, s.ix)
                      .run());
        if (m_db.changes() > 0)
            return {};
        CAIRN_TRY(m_batch.writeAll());
    }
    return runWith(Sql::PutStep, member.run, s);
}

Status GroupCommit::writeAttempt(const CommitMember& member, const AttemptRow& a)
{
    if (a.endedAt == kNoTime && !m_savepoints)
        return m_batch.addAttempt(member.run, a);
    const bool two = kSchema >= 2;
    if (a.endedAt != kNoTime) {
        {
            Query query(m_db, two ? Sql::UpdateAttempt2 : Sql::UpdateAttempt1);
            query.bind(
                a.number, a.purpose, a.session, a.worker, a.startedAt, a.endedAt, a.how, a.effect, a.error);
            if (two)
                query.bind(a.trace, static_cast<std::int64_t>(a.span));
            CAIRN_TRY(query.bind(member.run, a.step, a.id).run());
        }
        if (m_db.changes() > 0)
            return {};
        CAIRN_TRY(m_batch.writeAll());
    }
    return runWith(two ? Sql::PutAttempt2 : Sql::PutAttempt1, member.run, a);
}

Status GroupCommit::writeSteps(const CommitMember& member)
{
    for (const StepRow& s : member.steps)
        CAIRN_TRY(writeStep(member, s));
    for (const AttemptRow& a : member.attempts)
        CAIRN_TRY(writeAttempt(member, a));
    return {};
}

Status GroupCommit::writeOthers(const CommitMember& member)
{
    for (const ApprovalRow& a : member.approvals)
        CAIRN_TRY(Query(m_db, Sql::PutApproval)
                      .bind(member.run, a.id, a.step, a.state, a.binding, a.role, a.askedAt, a.expires,
                          a.decidedAt, a.decidedBy, a.note, a.needed, a.askedBy, a.deciders)
                      .run());
    for (const AttributeRow& a : member.attributes)
        CAIRN_TRY(Query(m_db, Sql::PutAttribute).bind(member.run, a.name, a.type, a.text, a.number).run());
    for (const ResourceRow& r : member.resources)
        CAIRN_TRY(Query(m_db, Sql::BackOff)
                      .bind(r.name, r.backOffUntil, r.askedByServer, r.permitsPerSecond, r.slots, r.revision)
                      .run());
    return {};
}

Status GroupCommit::writePayloads(const CommitMember& member)
{
    for (const PayloadRow& p : member.payloads) {
        if (p.redactedBy != 0) {
            CAIRN_TRY(Query(m_db, Sql::InsertWithheldPayload)
                          .bind(member.run, p.ref.id, Blob{p.ref.hash.view()}, p.ref.size, p.ref.media,
                              p.redactedBy)
                          .run());
            continue;
        }
        if (p.artifact.isNull()) {
            CAIRN_TRY(m_savepoints ? runWith(Sql::InsertPayload, member.run, p)
                                   : m_batch.addPayload(member.run, p));
            continue;
        }
        CAIRN_TRY(Query(m_db, Sql::AdoptArtifact).bind(p.artifact).run());
        CAIRN_TRY(Query(m_db, Sql::InsertArtifactPayload)
                      .bind(member.run, p.ref.id, Blob{p.ref.hash.view()}, p.ref.size, p.ref.media, p.salt,
                          p.artifact)
                      .run());
    }
    return {};
}

// The chunks of a large one are nobody's from then on, and go with what was staged and never used.
Status GroupCommit::writeRedactions(const CommitMember& member)
{
    if (member.redacted.empty())
        return {};
    CAIRN_TRY(m_batch.writeAll());
    for (const PayloadId& id : member.redacted) {
        ArtifactId artifact;
        {
            Query query(m_db, Sql::ArtifactOf);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(member.run, id).step());
            if (found)
                query.read(artifact);
        }
        CAIRN_TRY(Query(m_db, Sql::RedactPayload).bind(member.entry.version, member.run, id).run());
        if (!artifact.isNull())
            CAIRN_TRY(Query(m_db, Sql::Unadopt).bind(artifact).run());
    }
    return {};
}

Status GroupCommit::writeEffects(const CommitMember& member)
{
    for (const EffectWrite& write : member.effects) {
        const EffectRow& e = write.row;
        if (e.revision == 0) {
            CAIRN_TRY(Query(m_db, Sql::InsertEffect)
                          .bind(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputSalt,
                              e.inputDigest, e.result, e.changedAt)
                          .run());
            continue;
        }
        // Most changes keep the holder; then its index is not touched.
        CAIRN_TRY(Query(m_db, Sql::UpdateEffect)
                      .bind(e.state, e.holderStep, e.inputSalt, e.inputDigest, e.result, e.changedAt,
                          e.effect, e.holder)
                      .run());
        if (m_db.changes() == 0)
            CAIRN_TRY(Query(m_db, Sql::MoveEffect)
                          .bind(e.state, e.holderStep, e.inputSalt, e.inputDigest, e.result, e.changedAt,
                              e.holder, e.effect)
                          .run());
    }
    for (const auto& [effect, step] : member.waits)
        CAIRN_TRY(Query(m_db, Sql::AddWaiter).bind(effect, member.run, step).run());
    return {};
}

Status GroupCommit::wake(const CommitMember& member, const EffectId& effect, std::uint32_t& number)
{
    std::vector<std::pair<RunId, StepIx>> waiters;
    {
        Query query(m_db, Sql::WaitersOf);
        query.bind(effect);
        CAIRN_TRY(forEach(query, [&](Query& q) {
            auto& waiter = waiters.emplace_back();
            q.read(waiter.first, waiter.second);
        }));
    }
    if (waiters.empty())
        return {};
    for (const auto& [run, step] : waiters) {
        Message message;
        message.kind = cmd::MessageKind::EffectReleased;
        message.to = run;
        message.step = step;
        message.effect = effect;
        const std::string body = encodeMessage(message);
        CAIRN_TRY(Query(m_db, Sql::AddOutbox)
                      .bind(member.run, member.entry.version, number++, run, Blob{body}, m_context.now)
                      .run());
    }
    return Query(m_db, Sql::DropWaiters).bind(effect).run();
}

Status GroupCommit::writeMessages(const CommitMember& member)
{
    std::uint32_t number = 0;
    for (const OutboxRow& o : member.outbox) {
        CAIRN_TRY(Query(m_db, Sql::AddOutbox)
                      .bind(o.from, o.version, o.number, o.to, Blob{o.body}, o.createdAt)
                      .run());
        number = std::max(number, o.number + 1);
    }
    for (const EffectId& effect : member.wake)
        CAIRN_TRY(wake(member, effect, number));
    if (member.delivered) {
        const OutboxRow& d = *member.delivered;
        CAIRN_TRY(Query(m_db, Sql::DropOutbox).bind(d.from, d.version, d.number).run());
    }
    return {};
}

Status GroupCommit::write(const CommitMember& member, const HotRow& hot, MemberResult& result)
{
    CAIRN_TRY(writeHead(member, hot, result));
    CAIRN_TRY(writeList(member));
    CAIRN_TRY(writeSteps(member));
    CAIRN_TRY(writeOthers(member));
    CAIRN_TRY(writePayloads(member));
    CAIRN_TRY(writeRedactions(member));
    CAIRN_TRY(writeEffects(member));
    CAIRN_TRY(writeMessages(member));
    if (member.audit) {
        if (!m_audit) {
            CAIRN_TRY_ASSIGN(m_audit, readAuditHead(m_db));
        }
        CAIRN_TRY(insertAudit(m_db, *member.audit, *m_audit));
        result.auditSeq = m_audit->seq;
    }
    if (!member.planItem)
        return {};
    const PlanOutcome& item = *member.planItem;
    return Query(m_db, Sql::PlanItemDone).bind(member.entry.version, item.doneAt, item.plan, item.ord).run();
}

Status GroupCommit::writeAlone(const CommitMember& member, const HotRow& hot, MemberResult& result)
{
    const auto auditBefore = m_audit;
    CAIRN_TRY(Query(m_db, Sql::Savepoint).run());
    const Status written = write(member, hot, result);
    if (!written) {
        if (m_db.lastWasWhole() || !m_db.inTransaction())
            return written;
        CAIRN_TRY(Query(m_db, Sql::SavepointBack).run());
        m_audit = auditBefore;
        result = {};
        refuse(result, written.error());
    }
    return Query(m_db, Sql::SavepointRelease).run();
}

Status GroupCommit::member(const CommitMember& member, const Status& checked, MemberResult& result)
{
    result = {};
    HotRow hot;
    CAIRN_TRY_ASSIGN(const bool admitted, admit(member, checked, hot, result));
    if (!admitted)
        return {};
    CAIRN_TRY(m_savepoints ? writeAlone(member, hot, result) : write(member, hot, result));
    if (result.kind == Kind::Committed)
        result.version = member.entry.version;
    return {};
}

Status GroupCommit::finish()
{
    CAIRN_TRY(m_batch.writeAll());
    return m_change == 0 ? Status() : Query(m_db, Sql::SetChangeCounter).bind(m_change).run();
}

}  // namespace cairn::sqlite
