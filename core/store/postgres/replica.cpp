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
Error whyNotOpened(const std::string& url, Error error)
{
    const auto says = [&](std::string_view word) { return error.text.find(word) != std::string::npos; };
    if (error.kind != ErrorKind::Disconnected || !(says("standby") || says("read-only")))
        return error;
    const auto looking = makeDb(url, {true});
    if (!looking)
        return error;
    const auto replica = readReplica(**looking);
    return replica && replica->standby ? standbyRefusal(**looking) : std::move(error);
}

Result<Replica> PostgresStore::replica()
{
    return reading([&] { return readReplica(*m_db); });
}

}  // namespace cairn::postgres
