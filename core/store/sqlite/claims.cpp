#include "core/store/sqlite/store_impl.h"

#include <algorithm>
#include <tuple>

namespace cairn::sqlite {

Status SqliteStore::claimInto(
    std::vector<ClaimedRun>& claimed, const SessionId& session, TimeMs now, std::size_t limit)
{
    struct Found {
        ClaimedRun run;
        TimeMs due = kNoTime;
    };
    const auto readFound = [](Query& q, Found& f) { q.read(f.run.run, f.run.epoch, f.run.version, f.due); };
    std::vector<Found> found;
    {
        Query left(db(), Sql::ClaimLeft);
        left.bind(kMaxFormat, limit);
        CAIRN_TRY_ASSIGN(found, readAll<Found>(left, readFound));
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return std::tie(a.due, a.run.run) < std::tie(b.due, b.run.run);
    });
    const bool noneLeft = found.size() < limit;
    if (noneLeft) {
        Query dueNow(db(), Sql::ClaimDue);
        dueNow.bind(now, kMaxFormat, limit - found.size());
        CAIRN_TRY_ASSIGN(auto more, readAll<Found>(dueNow, readFound));
        found.insert(found.end(), more.begin(), more.end());
    }
    for (Found& f : found) {
        CAIRN_TRY(Query(db(), Sql::SetOwner).bind(session, f.run.run).run());
        ++f.run.epoch;
        claimed.push_back(f.run);
    }
    return noneLeft ? Query(db(), Sql::MarkEmptied).run() : Status();
}

Status SqliteStore::requireOpen(const SessionId& session)
{
    Query open(db(), Sql::SessionOpen);
    CAIRN_TRY_ASSIGN(const bool isOpen, open.bind(session).step());
    return isOpen ? Status() : makeError(ErrorKind::LeaseLost, "session " + toText(session) + " is not open");
}

Result<std::vector<ClaimedRun>> SqliteStore::claim(const SessionId& session, TimeMs now, std::size_t limit)
{
    std::vector<ClaimedRun> claimed;
    {
        // An idle engine looks without taking the write lock.
        Query left(db(), Sql::AnyLeft);
        Query due(db(), Sql::AnyDue);
        CAIRN_TRY_ASSIGN(const bool anyLeft, left.step());
        CAIRN_TRY_ASSIGN(const bool anyDue, due.bind(now, kMaxFormat).step());
        Query open(db(), Sql::SessionOpen);
        CAIRN_TRY_ASSIGN(const bool isOpen, open.bind(session).step());
        if (isOpen && !anyLeft && !anyDue)
            return claimed;
    }
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        claimed.clear();
        CAIRN_TRY(requireOpen(session));
        return claimInto(claimed, session, now, limit);
    }));
    return claimed;
}

Status SqliteStore::release(const SessionId& session, std::span<const ClaimedRun> runs)
{
    return write([&](const WriteContext& context) -> Status {
        CAIRN_TRY(requireOpen(session));
        for (const ClaimedRun& run : runs) {
            // Another's commit that this session has not looked at yet is the next owner's to act on, at
            // once.
            CAIRN_TRY(Query(db(), Sql::DropWakeup).bind(session, run.run, run.epoch).run());
            if (db().changes() > 0)
                CAIRN_TRY(Query(db(), Sql::GiveBackDue).bind(context.now, run.run, session, run.epoch).run());
            else if (run.nextDue)
                CAIRN_TRY(
                    Query(db(), Sql::GiveBackDue).bind(Due{*run.nextDue}, run.run, session, run.epoch).run());
            else
                CAIRN_TRY(Query(db(), Sql::GiveBack).bind(run.run, session, run.epoch).run());
        }
        return {};
    });
}

Result<ClaimedRun> SqliteStore::takeOver(const RunId& run, const SessionId& session)
{
    ClaimedRun taken{run, 0, 0};
    CAIRN_TRY(write([&](const WriteContext& context) -> Status {
        if (!session.isNull())
            CAIRN_TRY(requireOpen(session));
        HotRow hot;
        {
            Query query(db(), Sql::HotOf);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(run).step());
            if (!found)
                return makeError(ErrorKind::NotFound, "there is no run " + toText(run));
            readHot(query, hot);
        }
        taken = {run, hot.epoch + 1, hot.version};
        if (session.isNull())
            CAIRN_TRY(Query(db(), Sql::SetOwnerDue).bind(session, context.now, run).run());
        else
            CAIRN_TRY(Query(db(), Sql::SetOwner).bind(session, run).run());
        if (!hot.owner.isNull() && hot.owner != session)
            return Query(db(), Sql::AddWakeup).bind(hot.owner, run).run();
        return {};
    }));
    return taken;
}

Status SqliteStore::openSession(const SessionRow& s)
{
    CAIRN_TRY(checkSession(s));
    return write([&](const WriteContext&) -> Status {
        Query insert(db(), Sql::InsertSession);
        const Status status =
            insert
                .bind(s.id, s.name, s.host, s.bootId, s.pidNamespace, s.pid, s.startTicks, s.build, s.format,
                    s.schema, s.serves, s.startedAt, s.heartbeatAt, s.leaseUntil, s.endedAt)
                .run();
        if (!status && (status.error().native & 0xFF) == SQLITE_CONSTRAINT)
            return makeError(ErrorKind::Conflict, "session " + toText(s.id) + " was opened before");
        return status;
    });
}

Result<bool> SqliteStore::heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil)
{
    bool open = false;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        CAIRN_TRY(Query(db(), Sql::Heartbeat).bind(at, leaseUntil, session).run());
        open = db().changes() > 0;
        return {};
    }));
    return open;
}

Result<bool> SqliteStore::endSession(const SessionId& session, TimeMs at, TimeMs leaseBefore)
{
    bool ended = false;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        CAIRN_TRY(Query(db(), Sql::EndSession).bind(at, session, leaseBefore, leaseBefore).run());
        ended = db().changes() > 0;
        if (!ended)
            return {};
        CAIRN_TRY(Query(db(), Sql::DropWakeups).bind(session).run());
        return Query(db(), Sql::ReturnAllSlots).bind(session).run();
    }));
    return ended;
}

Status SqliteStore::dropSessionsEndedBefore(TimeMs endedBefore)
{
    constexpr std::int64_t kBatch = 256;
    for (std::int64_t dropped = kBatch; dropped == kBatch;)
        CAIRN_TRY(write([&](const WriteContext&) -> Status {
            CAIRN_TRY(Query(db(), Sql::DropSessions).bind(endedBefore, kBatch).run());
            dropped = db().changes();
            return {};
        }));
    return {};
}

Result<std::vector<RunId>> SqliteStore::takeWakeups(const SessionId& session)
{
    std::vector<RunId> runs;
    {
        Query query(db(), Sql::AnyWakeup);
        CAIRN_TRY_ASSIGN(const bool some, query.bind(session).step());
        if (!some)
            return runs;
    }
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        Query query(db(), Sql::Wakeups);
        query.bind(session);
        CAIRN_TRY_ASSIGN(runs, readAll<RunId>(query, [](Query& q, RunId& run) { q.read(run); }));
        return Query(db(), Sql::DropWakeups).bind(session).run();
    }));
    return runs;
}

Result<std::vector<SessionRow>> SqliteStore::sessions(bool endedToo)
{
    Query query(db(), endedToo ? Sql::AllSessions : Sql::Sessions);
    return readAll<SessionRow>(query, [](Query& q, SessionRow& s) {
        q.read(s.id, s.name, s.host, s.bootId, s.pidNamespace, s.pid, s.startTicks, s.build, s.format,
            s.schema, s.serves, s.startedAt, s.heartbeatAt, s.leaseUntil, s.endedAt);
    });
}

}  // namespace cairn::sqlite
