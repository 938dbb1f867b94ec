// Policies, acts that wait for somebody else, acts by break-glass.

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

namespace {

void readStaged(Query& q, StagedAct& a)
{
    q.read(a.command, a.run, a.verb, a.target, a.body, a.reason, a.claimed, a.uid, a.host, a.seenVersion,
        a.seenDigest, a.stagedBy, a.stagedAt, a.role, a.expires, a.digest, a.state, a.code, a.version,
        a.auditSeq, a.outcome, a.decidedAt, a.confirmedBy, a.confirmedName, a.note, a.confirmedAt, a.address,
        a.backend, a.glass);
}

void readReview(Query& q, Review& r)
{
    q.read(r.command, r.run, r.verb, r.target, r.login, r.reason, r.openedAt, r.closedBy, r.note, r.closedAt,
        r.address, r.backend);
}

template<class Row, class ReadRow> Result<std::optional<Row>> readOne(Query& query, const ReadRow& readRow)
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<Row>(query, readRow));
    return rows.empty() ? std::optional<Row>() : std::optional(std::move(rows.front()));
}

Result<std::optional<StagedAct>> actOf(Db& db, const CommandId& command)
{
    Query query(db, Sql::StagedAct);
    query.bind(command);
    return readOne<StagedAct>(query, readStaged);
}

Status insertAct(Db& db, const StagedAct& act)
{
    return Query(db, Sql::InsertStaged)
        .bind(act.command, act.run, act.verb, act.target, Blob{act.body}, act.reason, act.claimed, act.uid,
            act.host, act.seenVersion, act.seenDigest, act.stagedBy, act.stagedAt, act.role, act.expires,
            act.digest, act.state, act.code, act.version, act.auditSeq, act.outcome, act.decidedAt,
            act.confirmedBy, act.confirmedName, act.note, act.confirmedAt, act.address, act.backend,
            act.glass)
        .run();
}

Status insertReview(Db& db, const Review& r)
{
    return Query(db, Sql::InsertReview)
        .bind(r.command, r.run, r.verb, r.target, r.login, r.reason, r.openedAt, r.closedBy, r.note,
            r.closedAt, r.address, r.backend)
        .run();
}

Status propose(Db& db, const StagedAct& act)
{
    CAIRN_TRY_ASSIGN(const auto kept, actOf(db, act.command));
    CAIRN_TRY(checkProposed(kept, act));
    if (kept)  // nothing waits for an engine here unless somebody else has confirmed it
        return makeError(ErrorKind::Conflict, "act " + toText(act.command) + " is there already");
    return insertAct(db, act);
}

Status decide(Db& db, const StagedAct& act, TimeMs now)
{
    CAIRN_TRY_ASSIGN(const auto kept, actOf(db, act.command));
    bool carriedOut = false;
    if (kept && kept->state == StagedState::Waiting) {
        Query entry(db, Sql::CommandOf);
        CAIRN_TRY_ASSIGN(carriedOut, entry.bind(kept->run, act.command).step());
    }
    CAIRN_TRY(checkDecided(kept, act, now, carriedOut));
    return Query(db, Sql::DecideStaged)
        .bind(act.state, act.confirmedBy, act.confirmedName, act.note, act.confirmedAt,
            isOpen(act.state) ? kNoTime : act.decidedAt, act.command)
        .run();
}

Status finish(Db& db, const ActDone& done, std::uint64_t seq, TimeMs now)
{
    CAIRN_TRY_ASSIGN(const auto kept, actOf(db, done.act));
    CAIRN_TRY(checkDone(kept, done));
    return Query(db, Sql::FinishStaged)
        .bind(StagedState::Committed, std::uint8_t{0}, done.version, seq, std::string(), now, done.act)
        .run();
}

Status setPolicy(Db& db, const PolicyRow& row)
{
    std::uint64_t newest = 0;
    {
        Query query(db, Sql::NewestPolicy);
        CAIRN_TRY_ASSIGN(const bool found, query.step());
        if (found)
            query.read(newest);
    }
    CAIRN_TRY(checkPolicyRow(newest, row));
    return Query(db, Sql::InsertPolicy).bind(row.version, row.text, row.login, row.claimed, row.setAt).run();
}

Result<std::optional<Review>> reviewOf(Db& db, const CommandId& command)
{
    Query query(db, Sql::ReviewOf);
    query.bind(command);
    return readOne<Review>(query, readReview);
}

Status changeReview(Db& db, const Review& review)
{
    CAIRN_TRY_ASSIGN(const auto kept, reviewOf(db, review.command));
    CAIRN_TRY(checkReview(kept, review));
    if (!review.open())
        return Query(db, Sql::CloseReview)
            .bind(review.closedBy, review.note, review.closedAt, review.command)
            .run();
    return insertReview(db, review);
}

}  // namespace

Status writeChange(Db& db, const StoreChange& change, std::uint64_t seq, TimeMs now)
{
    if (change.propose)
        CAIRN_TRY(propose(db, *change.propose));
    if (change.decide)
        CAIRN_TRY(decide(db, *change.decide, now));
    if (change.done)
        CAIRN_TRY(finish(db, *change.done, seq, now));
    if (change.policy)
        CAIRN_TRY(setPolicy(db, *change.policy));
    return change.review ? changeReview(db, *change.review) : Status();
}

Result<std::optional<StagedAct>> SqliteStore::stagedAct(const CommandId& command)
{
    return actOf(db(), command);
}

Result<std::vector<StagedAct>> SqliteStore::waitingActs(std::size_t limit)
{
    Query query(db(), Sql::WaitingActs);
    query.bind(limit);
    return readAll<StagedAct>(query, readStaged);
}

Result<std::vector<StagedAct>> SqliteStore::answeredActs(const CommandId& after, std::size_t limit)
{
    Query query(db(), Sql::AnsweredActs);
    query.bind(Blob{after.view()}, limit);
    return readAll<StagedAct>(query, readStaged);
}

Result<std::optional<PolicyRow>> SqliteStore::policy(std::uint64_t version)
{
    std::uint64_t wanted = version;
    if (wanted == 0) {
        Query newest(db(), Sql::NewestPolicy);
        CAIRN_TRY_ASSIGN(const bool found, newest.step());
        if (found)
            newest.read(wanted);
    }
    Query query(db(), Sql::Policy);
    query.bind(wanted);
    return readOne<PolicyRow>(
        query, [](Query& q, PolicyRow& r) { q.read(r.version, r.text, r.login, r.claimed, r.setAt); });
}

Result<std::vector<Review>> SqliteStore::reviews(bool closedToo, std::size_t limit)
{
    Query query(db(), closedToo ? Sql::AllReviews : Sql::OpenReviews);
    query.bind(limit);
    return readAll<Review>(query, readReview);
}

// Whoever takes one carries it out under its command id: it counts once, however many do.
Result<std::vector<StagedAct>> SqliteStore::takeStaged(std::size_t limit)
{
    CAIRN_TRY_ASSIGN(const TimeMs clock, now());
    Query query(db(), Sql::TakeStaged);
    query.bind(clock, limit);
    return readAll<StagedAct>(query, readStaged);
}

Status SqliteStore::finishStaged(const StagedAct& act)
{
    if (act.state < StagedState::Committed || act.state > StagedState::Failed)
        return {};
    return write([&](const WriteContext& context) {
        return Query(db(), Sql::FinishStaged)
            .bind(act.state, act.code, act.version, act.auditSeq, act.outcome, context.now, act.command)
            .run();
    });
}

// An idle engine looks without writing anything.
Result<std::uint64_t> SqliteStore::forgetStaged(std::size_t limit)
{
    std::uint64_t forgotten = 0;
    CAIRN_TRY_ASSIGN(const TimeMs clock, now());
    {
        Query any(db(), Sql::AnyOverStaged);
        CAIRN_TRY_ASSIGN(const bool found, any.bind(clock - kKeepAnswered).step());
        if (!found)
            return forgotten;
    }
    CAIRN_TRY(write([&](const WriteContext& context) -> Status {
        CAIRN_TRY(Query(db(), Sql::ForgetStaged).bind(context.now - kKeepAnswered, limit).run());
        forgotten = static_cast<std::uint64_t>(db().changes());
        return {};
    }));
    return forgotten;
}

Status SqliteStore::extendActs(std::span<const StagedAct> acts)
{
    CAIRN_TRY(checkFilled(m_intoFence));
    return write([&](const WriteContext&) -> Status {
        for (const StagedAct& act : acts) {
            CAIRN_TRY_ASSIGN(const auto kept, actOf(db(), act.command));
            if (!kept)
                CAIRN_TRY(insertAct(db(), act));
        }
        return {};
    });
}

Status SqliteStore::extendReviews(std::span<const Review> reviews)
{
    CAIRN_TRY(checkFilled(m_intoFence));
    return write([&](const WriteContext&) -> Status {
        for (const Review& review : reviews) {
            CAIRN_TRY_ASSIGN(const auto kept, reviewOf(db(), review.command));
            if (!kept)
                CAIRN_TRY(insertReview(db(), review));
        }
        return {};
    });
}

Status SqliteStore::extendPolicies(std::span<const PolicyRow> rows)
{
    CAIRN_TRY(checkFilled(m_intoFence));
    return write([&](const WriteContext&) -> Status {
        for (const PolicyRow& row : rows) {
            CAIRN_TRY_ASSIGN(const auto kept, policy(row.version));
            if (!kept)
                CAIRN_TRY(setPolicy(db(), row));
        }
        return {};
    });
}

}  // namespace cairn::sqlite
