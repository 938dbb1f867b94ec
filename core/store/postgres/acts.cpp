// What this connection's login may do, and acts that wait for an engine.

#include "core/store/postgres/audit_head.h"
#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

namespace {

void readStaged(Rows& q, StagedAct& a)
{
    q.read(a.command, a.run, a.verb, a.target, a.body, a.reason, a.claimed, a.uid, a.host, a.seenVersion,
        a.seenDigest, a.stagedBy, a.address, a.backend, a.stagedAt, a.state, a.code, a.version, a.auditSeq,
        a.outcome, a.decidedAt, a.glass, a.role, a.expires, a.digest, a.confirmedBy, a.confirmedName, a.note,
        a.confirmedAt);
}

}  // namespace

Result<StoreRights> PostgresStore::rights()
{
    return reading([&]() -> Result<StoreRights> {
        CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::Rights));
        StoreRights may;
        if (rows.next())
            rows.read(may.login, may.commits, may.payloads, may.stages, may.takesStaged, may.owns);
        return may;
    });
}

Result<std::vector<Review>> PostgresStore::reviews(bool closedToo, std::size_t limit)
{
    const auto readReview = [](Rows& q, Review& r) {
        q.read(r.command, r.run, r.verb, r.target, r.login, r.reason, r.address, r.backend, r.openedAt,
            r.closedBy, r.note, r.closedAt);
    };
    return readAll<Review>(Sql::Reviews, readReview, closedToo, limit);
}

Status PostgresStore::closeReview(const CommandId& act, std::string_view note)
{
    CAIRN_TRY(change(Repeat::Never, Sql::CloseReview, act, std::string(note)));
    return {};
}

Status PostgresStore::decideAct(const StagedAct& act)
{
    CAIRN_TRY(change(
        Repeat::Never, Sql::DecideAct, act.command, act.digest, act.state, act.note, act.confirmedName));
    hint({}, hint::kStaged);
    return {};
}

void addChange(Batch& batch, const StoreChange& change, std::uint64_t seq)
{
    if (const auto& a = change.propose)
        batch.add(Sql::ProposeAct, a->command, a->run, a->verb, a->target, Blob{a->body}, a->reason,
            a->claimed, a->uid, a->host, a->seenVersion, a->seenDigest, a->role, a->expires, a->digest);
    if (const auto& a = change.decide)
        batch.add(Sql::RecordDecision, a->command, a->digest, a->state, a->note, a->confirmedName);
    if (const auto& d = change.done)
        batch.add(Sql::FinishStaged, d->act, StagedState::Committed, std::uint8_t{0}, d->version, seq,
            std::string());
    if (const auto& p = change.policy)
        batch.add(Sql::InsertPolicy, p->version, p->text, p->login, p->claimed, p->setAt);
    if (const auto& r = change.review; r && r->open())
        batch.add(Sql::OpenReview, r->command, r->run, r->verb, r->target, r->reason, r->openedAt);
    else if (r)
        batch.add(Sql::CloseReview, r->command, r->note);
}

Result<std::optional<PolicyRow>> PostgresStore::policy(std::uint64_t version)
{
    const auto readPolicy = [](Rows& q, PolicyRow& r) {
        q.read(r.version, r.text, r.login, r.claimed, r.setAt);
    };
    CAIRN_TRY_ASSIGN(auto rows,
        version == 0 ? readAll<PolicyRow>(Sql::NewestPolicy, readPolicy)
                     : readAll<PolicyRow>(Sql::Policy, readPolicy, version));
    return rows.empty() ? std::optional<PolicyRow>() : std::optional(std::move(rows.front()));
}

Status PostgresStore::extendPolicies(std::span<const PolicyRow> rows)
{
    CAIRN_TRY(checkFilled(m_options.intoFence));
    for (const PolicyRow& row : rows)
        CAIRN_TRY(change(
            Repeat::Harmless, Sql::CopyPolicy, row.version, row.text, row.login, row.claimed, row.setAt));
    return {};
}

Result<std::optional<bool>> PostgresStore::holdsRole(std::string_view login, std::string_view role)
{
    const auto readHeld = [](Rows& q, std::int64_t& held) { q.read(held); };
    CAIRN_TRY_ASSIGN(const auto rows,
        readAll<std::int64_t>(Sql::HoldsRole, readHeld, std::string(login), std::string(role)));
    return rows.empty() ? std::optional<bool>() : std::optional(rows.front() != 0);
}

Result<std::optional<StagedAct>> PostgresStore::stagedAct(const CommandId& command)
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<StagedAct>(Sql::StagedAct, readStaged, command));
    return rows.empty() ? std::optional<StagedAct>() : std::optional(std::move(rows.front()));
}

Result<std::vector<StagedAct>> PostgresStore::waitingActs(std::size_t limit)
{
    return readAll<StagedAct>(Sql::WaitingActs, readStaged, limit);
}

Status PostgresStore::stage(const StagedAct& act)
{
    CAIRN_TRY(checkStaged(act));
    if (act.verb == Verb::Plan) {
        const auto plan = parseId<PlanId>(act.target);
        if (!plan)
            return makeError(ErrorKind::InvalidInput, "an order on a plan names the plan");
        CAIRN_TRY(change(Repeat::Harmless, Sql::OrderPlan, act.command, *plan, Blob{act.body}, act.reason,
            act.claimed, act.uid, act.host));
        hint({}, hint::kStaged);
        return {};
    }
    CAIRN_TRY(
        change(Repeat::Harmless, Sql::StageAct, act.command, act.run, act.verb, act.target, Blob{act.body},
            act.reason, act.claimed, act.uid, act.host, act.seenVersion, act.seenDigest, act.glass));
    hint({}, hint::kStaged);
    return {};
}

// An idle engine looks without writing anything. Where the answer to the commit is lost, the acts are given
// out again after their time.
Result<std::vector<StagedAct>> PostgresStore::takeStaged(std::size_t limit)
{
    std::vector<StagedAct> acts;
    bool any = false;
    CAIRN_TRY_ASSIGN(const TimeMs clock, now());
    CAIRN_TRY(reading([&]() -> Status {
        CAIRN_TRY_ASSIGN(const Rows rows, m_db->query(Sql::AnyStaged, clock));
        any = rows.count() > 0;
        return {};
    }));
    if (!any)
        return acts;
    CAIRN_TRY(write([&](Transaction& transaction) -> Status {
        acts.clear();
        Batch first;
        first.add(Sql::TakeStaged, limit);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        while (answers.front().next())
            readStaged(answers.front(), acts.emplace_back());
        return {};
    }));
    return acts;
}

// An idle engine looks without writing anything.
Result<std::uint64_t> PostgresStore::forgetStaged(std::size_t limit)
{
    CAIRN_TRY_ASSIGN(const TimeMs clock, now());
    const auto readOne = [](Rows& q, std::int64_t& one) { q.read(one); };
    CAIRN_TRY_ASSIGN(
        const auto any, readAll<std::int64_t>(Sql::AnyOverStaged, readOne, clock - kKeepAnswered));
    std::uint64_t forgotten = 0;
    if (any.empty())
        return forgotten;
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            first.add(Sql::ForgetStaged, limit);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            if (answers.front().next())
                answers.front().read(forgotten);
            return {};
        },
        Repeat::Harmless));
    return forgotten;
}

Result<std::vector<StagedAct>> PostgresStore::answeredActs(const CommandId& after, std::size_t limit)
{
    return readAll<StagedAct>(Sql::AnsweredActs, readStaged, RawId{after.bytes}, limit);
}

Status PostgresStore::extendActs(std::span<const StagedAct> acts)
{
    CAIRN_TRY(checkFilled(m_options.intoFence));
    Columns rows;
    for (const StagedAct& a : acts)
        rows.row(a.command, a.run, a.verb, a.target, Blob{a.body}, a.reason, a.claimed, a.uid, a.host,
            a.seenVersion, a.seenDigest, a.stagedBy, a.address, a.backend, a.stagedAt, a.state, a.code,
            a.version, a.auditSeq, a.outcome, a.decidedAt, a.glass, a.role, a.expires, a.digest,
            a.confirmedBy, a.confirmedName, a.note, a.confirmedAt);
    if (rows.empty())
        return {};
    CAIRN_TRY(change(Repeat::Harmless, Sql::CopyActs, rows));
    return {};
}

Status PostgresStore::extendReviews(std::span<const Review> reviews)
{
    CAIRN_TRY(checkFilled(m_options.intoFence));
    Columns rows;
    for (const Review& r : reviews)
        rows.row(r.command, r.run, r.verb, r.target, r.login, r.reason, r.address, r.backend, r.openedAt,
            r.closedBy, r.note, r.closedAt);
    if (rows.empty())
        return {};
    CAIRN_TRY(change(Repeat::Harmless, Sql::CopyReviews, rows));
    return {};
}

Status PostgresStore::finishStaged(const StagedAct& act)
{
    CAIRN_TRY(change(Repeat::Harmless, Sql::FinishStaged, act.command, act.state, act.code, act.version,
        act.auditSeq, act.outcome));
    return {};
}

}  // namespace cairn::postgres
