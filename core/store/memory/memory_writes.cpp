#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>

namespace cairn {

Status MemoryStore::commit(std::span<const CommitMember> members, std::vector<MemberResult>& results)
{
    CAIRN_TRY(mayWrite());
    results.clear();
    if (m_db->faults.beforeCommit)
        if (const auto error = m_db->faults.beforeCommit())
            return *error;
    for (const CommitMember& member : members)
        results.push_back(m_db->commitMember(member));
    if (m_db->faults.afterCommit)
        if (const auto error = m_db->faults.afterCommit()) {
            results.clear();
            return *error;
        }
    return {};
}

// --- ownership
// -----------------------------------------------------------------------------------------------------

ClaimedRun MemoryStore::take(MemoryRun& run, const SessionId& session)
{
    ++run.hot.epoch;
    m_db->setOwner(run, session, run.hot.nextDue);
    return {run.identity.run, run.hot.epoch, run.hot.version};
}

Result<std::vector<ClaimedRun>> MemoryStore::claim(const SessionId& session, TimeMs now, std::size_t limit)
{
    CAIRN_TRY(mayWrite());
    if (!m_db->living(session))
        return makeError(ErrorKind::LeaseLost, "session " + toText(session) + " is not open");
    std::vector<std::pair<TimeMs, RunId>> found;
    for (const auto& [owner, runs] : m_db->owned)
        if (!m_db->living(owner))
            for (const RunId& id : runs)
                found.emplace_back(m_db->runs.at(id).hot.nextDue, id);
    std::sort(found.begin(), found.end());
    for (auto at = m_db->unowned.begin(); at != m_db->unowned.end() && at->first <= now; ++at)
        found.push_back(*at);
    std::vector<ClaimedRun> claimed;
    for (const auto& [due, id] : found) {
        if (claimed.size() >= limit)
            break;
        if (m_db->runs.at(id).hot.format <= kMaxFormat)
            claimed.push_back(take(m_db->runs.at(id), session));
    }
    return claimed;
}

Status MemoryStore::release(const SessionId& session, std::span<const ClaimedRun> runs)
{
    CAIRN_TRY(mayWrite());
    if (!m_db->living(session))
        return makeError(ErrorKind::LeaseLost, "session " + toText(session) + " is not open");
    for (const ClaimedRun& claimed : runs) {
        const auto found = m_db->runs.find(claimed.run);
        if (found == m_db->runs.end() || found->second.hot.owner != session
            || found->second.hot.epoch != claimed.epoch)
            continue;
        // Another's commit that this session has not looked at yet is the next owner's to act on, at once.
        auto& wakeups = m_db->wakeups[session];
        const bool woken = wakeups.erase(claimed.run) > 0;
        m_db->setOwner(
            found->second, {}, woken ? m_db->now() : claimed.nextDue.value_or(found->second.hot.nextDue));
    }
    return {};
}

Result<ClaimedRun> MemoryStore::takeOver(const RunId& run, const SessionId& session)
{
    CAIRN_TRY(mayWrite());
    if (!session.isNull() && !m_db->living(session))
        return makeError(ErrorKind::LeaseLost, "session " + toText(session) + " is not open");
    const auto found = m_db->runs.find(run);
    if (found == m_db->runs.end())
        return makeError(ErrorKind::NotFound, "there is no run " + toText(run));
    MemoryRun& row = found->second;
    const SessionId before = row.hot.owner;
    ++row.hot.epoch;
    m_db->setOwner(row, session, session.isNull() ? m_db->now() : row.hot.nextDue);
    if (!before.isNull() && before != session)
        m_db->wakeUp(before, run);
    return ClaimedRun{run, row.hot.epoch, row.hot.version};
}

// --- sessions
// ------------------------------------------------------------------------------------------------------

Status MemoryStore::openSession(const SessionRow& session)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkSession(session));
    if (!m_db->sessions.try_emplace(session.id, session).second)
        return makeError(ErrorKind::Conflict, "session " + toText(session.id) + " was opened before");
    return {};
}

Result<bool> MemoryStore::heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil)
{
    CAIRN_TRY(mayWrite());
    if (!m_db->living(session))
        return false;
    SessionRow& row = m_db->sessions.at(session);
    row.heartbeatAt = at;
    row.leaseUntil = leaseUntil;
    return true;
}

Result<bool> MemoryStore::endSession(const SessionId& session, TimeMs at, TimeMs leaseBefore)
{
    CAIRN_TRY(mayWrite());
    if (!m_db->living(session))
        return false;
    SessionRow& row = m_db->sessions.at(session);
    if (leaseBefore != kNoTime && row.leaseUntil >= leaseBefore)
        return false;
    row.endedAt = at;
    m_db->wakeups.erase(session);
    for (auto& [name, slices] : m_db->slices)
        std::erase_if(slices, [&](const MemorySlice& s) { return !s.rate && s.session == session; });
    return true;
}

Status MemoryStore::dropSessionsEndedBefore(TimeMs endedBefore)
{
    CAIRN_TRY(mayWrite());
    std::erase_if(m_db->sessions, [&](const auto& each) {
        const SessionRow& row = each.second;
        return row.endedAt != kNoTime && row.endedAt < endedBefore && !m_db->owned.contains(row.id);
    });
    return {};
}

Result<std::vector<RunId>> MemoryStore::takeWakeups(const SessionId& session)
{
    CAIRN_TRY(mayWrite());
    std::vector<RunId> out;
    if (const auto found = m_db->wakeups.find(session); found != m_db->wakeups.end()) {
        out.assign(found->second.begin(), found->second.end());
        m_db->wakeups.erase(found);
    }
    return out;
}

// --- messages, resources, workflows, audit, artifacts
// ----------------------------------------------------------------

Result<std::vector<OutboxRow>> MemoryStore::outbox(std::size_t limit, std::uint64_t after)
{
    std::vector<OutboxRow> out;
    for (auto at = m_db->outbox.upper_bound(after); at != m_db->outbox.end() && out.size() < limit; ++at)
        out.push_back(at->second);
    return out;
}

Status MemoryStore::dropOutbox(const OutboxRow& row)
{
    CAIRN_TRY(mayWrite());
    m_db->dropOutbox(row);
    return {};
}

Status MemoryStore::putResource(const ResourceRow& row)
{
    CAIRN_TRY(mayWrite());
    if (row.name.empty() || !isStorableText(row.name))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    ResourceRow& stored = m_db->resources[row.name];
    if (stored.revision == 0)
        stored = row;
    stored.permitsPerSecond = row.permitsPerSecond;
    stored.slots = row.slots;
    ++stored.revision;
    return {};
}

Result<std::uint64_t> MemoryStore::slowResource(
    const ResourceRow& wanted, const ResourceRow& seen, AuditRow act)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkSlow(wanted, act));
    if (const auto done = m_db->actsWithoutRun.find(act.command); done != m_db->actsWithoutRun.end())
        return done->second;
    const auto found = m_db->resources.find(wanted.name);
    ResourceRow stored = found == m_db->resources.end() ? ResourceRow{} : found->second;
    stored.name = wanted.name;
    if (stored.permitsPerSecond != seen.permitsPerSecond || stored.slots != seen.slots)
        return limitsMoved(stored);
    if (act.with)
        CAIRN_TRY(m_db->checkChange(*act.with, act.time));
    // What a provider asked for itself is not shortened, nor a hold that has come since the resource was
    // seen.
    const bool stays = stored.askedByServer || stored.backOffUntil != seen.backOffUntil;
    if (!stays || stored.backOffUntil <= wanted.backOffUntil) {
        stored.backOffUntil = wanted.backOffUntil;
        stored.askedByServer = false;
    }
    stored.permitsPerSecond = wanted.permitsPerSecond;
    stored.slots = wanted.slots;
    ++stored.revision;
    m_db->resources[wanted.name] = std::move(stored);
    m_db->actsWithoutRun.emplace(act.command, m_db->audit.size() + 1);
    return m_db->addAudit(std::move(act));
}

Status MemoryStore::raiseBackOff(std::string_view resource, TimeMs until, bool askedByServer)
{
    CAIRN_TRY(mayWrite());
    if (resource.empty() || !isStorableText(resource))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    m_db->raiseBackOff({std::string(resource), until, askedByServer, 0, 0, 1});
    return {};
}

Result<std::uint32_t> MemoryStore::leaseSlots(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now, TimeMs until)
{
    CAIRN_TRY(mayWrite());
    return leaseSlice(want, now, {session, false, 0, until}, resource);
}

Result<std::uint32_t> MemoryStore::spendRate(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now)
{
    CAIRN_TRY(mayWrite());
    return leaseSlice(want, now, {session, true, 0, now + kRateSpan}, resource);
}

std::uint32_t MemoryStore::leaseSlice(
    std::uint32_t want, TimeMs now, MemorySlice slice, std::string_view resource)
{
    const auto limits = m_db->resources.find(resource);
    if (limits == m_db->resources.end())
        return want;
    const std::uint32_t limit = slice.rate ? limits->second.permitsPerSecond : limits->second.slots;
    if (limit == 0)
        return want;
    std::vector<MemorySlice>& slices = m_db->slices[std::string(resource)];
    std::uint32_t taken = 0;
    std::erase_if(slices, [&](const MemorySlice& s) {
        return s.until <= now || (!s.rate && !slice.rate && s.session == slice.session);
    });
    for (const MemorySlice& s : slices)
        taken += s.rate == slice.rate ? s.permits : 0;
    slice.permits = std::min(want, limit > taken ? limit - taken : 0);
    if (slice.permits > 0)
        slices.push_back(slice);
    return slice.permits;
}

Status MemoryStore::returnSlots(const SessionId& session, std::string_view resource)
{
    CAIRN_TRY(mayWrite());
    if (const auto found = m_db->slices.find(resource); found != m_db->slices.end())
        std::erase_if(found->second, [&](const MemorySlice& s) { return !s.rate && s.session == session; });
    return {};
}

Status MemoryStore::addWorkflow(const WorkflowRow& row)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkWorkflow(row));
    const auto [place, isNew] = m_db->workflows.try_emplace({row.name, row.version}, row);
    return isNew ? Status() : checkSameWorkflow(row, place->second.digest);
}

Result<std::uint64_t> MemoryStore::appendAudit(AuditRow row)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkAudit(row));
    const bool once = row.run.isNull() && !row.command.isNull();
    if (row.with && !(once && m_db->actsWithoutRun.contains(row.command)))
        CAIRN_TRY(m_db->checkChange(*row.with, row.time));
    if (!once)
        return m_db->addAudit(std::move(row));
    const auto [place, isNew] = m_db->actsWithoutRun.try_emplace(row.command, m_db->audit.size() + 1);
    return isNew ? m_db->addAudit(std::move(row)) : place->second;
}

Status MemoryStore::extendAudit(std::span<const AuditRow> rows)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkFilled(m_intoFence));
    AuditRow last = m_db->audit.empty() ? AuditRow{} : m_db->audit.back();
    for (const AuditRow& row : rows) {
        CAIRN_TRY(checkAuditLink(row, last.seq, last.hash));
        last = row;
    }
    for (const AuditRow& row : rows) {
        if (row.run.isNull() && !row.command.isNull())
            m_db->actsWithoutRun[row.command] = row.seq;
        static_cast<void>(m_db->addAudit(row));
    }
    return {};
}

Status MemoryStore::changeFence(const FenceChange& change)
{
    if (change.audit)
        CAIRN_TRY(checkAudit(*change.audit));
    CAIRN_TRY(checkFenceChange(
        change, m_db->info.minWriter, m_db->audit.empty() ? Digest{} : m_db->audit.back().hash));
    for (const auto& [id, session] : m_db->sessions)
        if (change.withoutEngines && session.endedAt == kNoTime && session.leaseUntil > m_db->now())
            return engineLives(session.name, session.host, session.pid);
    if (change.audit)
        static_cast<void>(m_db->addAudit(*change.audit));
    m_db->info.minWriter = change.to;
    return {};
}

Status MemoryStore::setClockOffset(SpanMs offset)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkClockOffset(m_db->info));
    m_db->info.clockOffset = offset;
    return {};
}

Status MemoryStore::stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkChunk(artifact, index, bytes));
    MemoryArtifact& staged = m_db->artifacts[artifact];
    if (staged.adopted)
        return makeError(
            ErrorKind::Refused, "artifact " + toText(artifact) + " is in use and cannot be changed");
    if (staged.chunks.empty())
        staged.stagedAt = m_db->now();
    staged.chunks[index] = std::string(bytes);
    return {};
}

Status MemoryStore::dropStagedBefore(TimeMs before)
{
    CAIRN_TRY(mayWrite());
    std::erase_if(m_db->artifacts,
        [&](const auto& item) { return !item.second.adopted && item.second.stagedAt < before; });
    return {};
}

Status MemoryStore::backup(const std::string& path) { return checkBackup(path); }

Status MemoryStore::checkBackup(const std::string&)
{
    return makeError(ErrorKind::Refused, "a store in memory cannot be backed up");
}

}  // namespace cairn
