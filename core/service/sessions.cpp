#include "core/service/sessions.h"

#include <algorithm>

namespace cairn {

bool isAhead(const SessionRow& row, TimeMs now)
{
    constexpr SpanMs kAhead = 2'000;
    return row.heartbeatAt > now + kAhead;
}

HeardSessions::HeardSessions(std::vector<SessionRow> open, TimeMs now)
    : m_open(std::move(open))
    , m_now(now)
{
    for (const SessionRow& row : m_open)
        if (row.leaseUntil >= now && !isAhead(row, now))
            m_living.push_back(row.id);
}

std::vector<SessionRow> HeardSessions::open(bool living) const
{
    std::vector<SessionRow> rows;
    for (const SessionRow& row : m_open)
        if (!lost(row.id) == living)
            rows.push_back(row);
    return rows;
}

std::vector<SessionRow> HeardSessions::mayLive() const
{
    std::vector<SessionRow> rows;
    for (const SessionRow& row : m_open)
        if (row.leaseUntil >= m_now)
            rows.push_back(row);
    return rows;
}

std::optional<LostSession> HeardSessions::lost(const SessionId& session) const
{
    if (session.isNull() || std::find(m_living.begin(), m_living.end(), session) != m_living.end())
        return std::nullopt;
    LostSession lost;
    // Another engine looks for it all the time; where none is running, nobody takes over.
    lost.takenOverAt = m_living.empty() ? kNoTime : m_now;
    for (const SessionRow& row : m_open)
        if (row.id == session)
            lost.lastHeard = std::min(row.heartbeatAt, m_now);
    return lost;
}

Result<HeardSessions> hearSessions(StoreReader& reader, TimeMs now, const SessionGone& gone)
{
    CAIRN_TRY_ASSIGN(auto open, reader.sessions(false));
    if (gone)
        for (SessionRow& row : open)
            if (gone(row))
                row.leaseUntil = std::min(row.leaseUntil, now - 1);
    return HeardSessions(std::move(open), now);
}

}  // namespace cairn
