#include "core/store/postgres/roles.h"
#include "core/store/postgres/store_impl.h"

#include "core/base/failpoint.h"

namespace cairn::postgres {

namespace {

constexpr SpanMs kRecoveryWindow = 14LL * 24 * 3600 * 1000;

Status refuseOlderSessions(Db& db, TimeMs now)
{
    CAIRN_TRY_ASSIGN(Rows sessions, db.query(Sql::OlderSessions, kSchema, now));
    if (sessions.next()) {
        SessionId id;
        std::string name, host;
        std::int64_t pid = 0;
        sessions.read(id, name, host, pid);
        return makeError(ErrorKind::Refused,
            "an older engine still lives: " + name + " on " + host + ", process " + std::to_string(pid)
                + "; end it, then contract again");
    }
    CAIRN_TRY_ASSIGN(Rows runs, db.query(Sql::RunsOfOlderSessions, kSchema, now - kRecoveryWindow));
    std::int64_t count = 0;
    if (runs.next())
        runs.read(count);
    if (count > 0)
        return makeError(ErrorKind::Refused,
            std::to_string(count)
                + " runs belong to an older engine that vanished within "
                  "the last 14 days; start a newer engine, which takes them over, then "
                  "contract again");
    return {};
}

Status expand(Db& db, Numbers& numbers)
{
    CAIRN_TRY_ASSIGN(const auto problems, shapeProblems(db, numbers.schema));
    if (!problems.empty())
        return makeError(ErrorKind::SchemaMismatch,
            "the store says schema " + std::to_string(numbers.schema) + " but " + problems.front()
                + "; restore it from a backup");
    CAIRN_TRY(expandTables(db, numbers.schema, kSchema));
    numbers.schema = kSchema;
    return {};
}

Status migrateIn(Db& db, bool contract, MigrateReport& report)
{
    CAIRN_TRY_ASSIGN(Numbers numbers, readNumbers(db));
    report.from = numbers.schema;
    if (numbers.schema > kSchema)
        return makeError(ErrorKind::SchemaMismatch,
            "the store has schema " + std::to_string(numbers.schema) + ", this program knows "
                + std::to_string(kSchema) + "; use the newer program");
    if (const auto fence = fenceOf(numbers.minWriter))  // contracting would take it away
        return fenceError(*fence);
    const bool expands = numbers.schema < kSchema;
    if (expands)
        CAIRN_TRY(expand(db, numbers));
    report.to = numbers.schema;
    const bool contracts = contract && (numbers.writeFormat < kMaxFormat || numbers.minWriter < kSchema);
    if (contracts) {
        CAIRN_TRY_ASSIGN(Rows clock, db.query(Sql::Now));
        TimeMs now = kNoTime;
        if (clock.next())
            clock.read(now);
        CAIRN_TRY(refuseOlderSessions(db, now));
        CAIRN_TRY(refill(db));  // attempts that an older engine wrote since the store was expanded
        numbers.minReader = kSchema;
        numbers.minWriter = kSchema;
        numbers.writeFormat = kMaxFormat;
    }
    report.contracted = numbers.writeFormat == kMaxFormat && numbers.minWriter == kSchema;
    report.changed = expands || contracts;
    if (report.changed)
        CAIRN_TRY(db.query(
            Sql::SetNumbers, numbers.schema, numbers.minReader, numbers.minWriter, numbers.writeFormat));
    report.text = expands
        ? "expanded from schema " + std::to_string(report.from) + " to " + std::to_string(report.to)
        : "already at schema " + std::to_string(report.to);
    if (contracts)
        report.text += "; format " + std::to_string(kMaxFormat) + " may be written from now on";
    else if (contract)
        report.text += "; already contracted";
    else if (!report.contracted)
        report.text += "; older programs may still write; contract once they have ended";
    return {};
}

Result<MigrateReport> migrateOnce(Db& db, bool contract, bool preview)
{
    MigrateReport report;
    Transaction transaction(db);  // rolls back where it is left early
    CAIRN_TRY(readNumbers(db));   // is there a store at all?
    CAIRN_TRY(db.query(Sql::Begin));
    CAIRN_TRY(db.query(Sql::LockMigrating));
    CAIRN_TRY_ASSIGN(const bool roles, hasRoles(db));
    if (roles)
        CAIRN_TRY(becomeOwner(db));
    CAIRN_TRY(migrateIn(db, contract, report));
    if (roles)
        CAIRN_TRY(grantRights(db));
    if (preview)
        return report;
    if (failpoint::hit("store.migrate.before_commit"))
        return makeError(ErrorKind::Io, "stopped by a failpoint");
    CAIRN_TRY(transaction.commit());
    return report;
}

}  // namespace

// One transaction, so that a kill at any instant leaves the old shape or the new one. It waits for the
// writers under way, and new ones wait for it; a second migrator waits and then finds nothing to do.
Result<MigrateReport> migrateStore(const std::string& url, bool contract, bool preview)
{
    CAIRN_TRY_ASSIGN(const auto db, makeDb(url, {false, false, Use::Building}));
    for (Retrying retrying;;) {
        if (!db->connected())
            CAIRN_TRY(db->connect());
        auto report = migrateOnce(*db, contract, preview);
        if (report || !retrying.again(report.error().kind, true))
            return report;
    }
}

}  // namespace cairn::postgres
