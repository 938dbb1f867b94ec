// A standby: what is known of its age, and why nothing is written through it.

#include "core/store/postgres/store_impl.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

Result<Replica> readReplica(Db& db)
{
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::Replica));
    Replica replica;
    if (!rows.next())
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    bool waits = false;
    TimeMs replayed = kNoTime, now = kNoTime, leased = kNoTime;
    std::int64_t engines = 0;
    rows.read(replica.standby, replica.receives, waits, replayed, now, engines, leased);
    if (!replica.standby)
        return Replica{};
    replica.replaysAll = !waits;
    replica.age = replayed == kNoTime ? kUnknownAge : std::max<SpanMs>(0, now - replayed);
    replica.silent = engines > 0 && leased < now;
    return replica;
}

}  // namespace

// The server's own words for whom it follows are for few logins; all others are told what to look for.
Error standbyRefusal(Db& db)
{
    std::string primary;
    if (auto rows = db.query(Sql::PrimaryOf); rows && rows->next())
        rows->read(primary);
    return makeError(ErrorKind::Refused,
        db.target().shown + " is a standby: it can be looked at, and takes no writes; name the primary"
            + (primary.empty() ? std::string() : " (it follows " + primary + ")")
            + " in --store, or all hosts (postgresql://…primary,standby/…), of which the one that takes "
              "writes is used");
}

// A writer that was sent away because of what the server is, and not because nobody answered.
Error whyNotOpened(const std::string& url, Error error, const std::shared_ptr<LoginPasswords>& passwords)
{
    const auto says = [&](std::string_view word) { return error.text.find(word) != std::string::npos; };
    if (error.kind != ErrorKind::Disconnected || !(says("standby") || says("read-only")))
        return error;
    const auto looking = makeDb(url, {true}, passwords);
    if (!looking)
        return error;
    const auto replica = readReplica(**looking);
    return replica && replica->standby ? standbyRefusal(**looking) : std::move(error);
}

// Most of what a primary with nothing to do writes changes no row, and waits for a moment too: the newest
// transaction may be an hour old then. So it is looked at again, and what was whole a while ago is no older
// now.
Result<Replica> PostgresStore::replica()
{
    constexpr int kLooks = 5;
    Replica seen;
    for (int look = 0; look < kLooks; ++look) {
        CAIRN_TRY_ASSIGN(seen, reading([&] { return readReplica(*m_db); }));
        if (!seen.standby || !seen.late() || !seen.receives || seen.replaysAll)
            break;
    }
    const SpanMs mono = m_clock.monotonicMs();
    if (seen.behind() == 0)
        m_wholeAt = mono;
    else if (seen.receives && !seen.silent && m_wholeAt)
        seen.age = seen.age == kUnknownAge ? mono - *m_wholeAt : std::min(seen.age, mono - *m_wholeAt);
    return seen;
}

}  // namespace cairn::postgres
