#include "core/store/postgres/roles.h"
#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

namespace {

Status insertMeta(Db& db, const InitOptions& options, std::uint32_t schema, bool roles)
{
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::ServerNow));
    TimeMs now = kNoTime;
    if (rows.next())
        rows.read(now);
    const StoreInfo made = newStore(options, now, schema);
    CAIRN_TRY(db.query(Sql::InsertMeta, made.id, schema, schema, made.minWriter, schema, made.environment,
        made.safety, made.testClock, made.salt, static_cast<std::int64_t>(made.seed), made.createdAt, roles));
    CAIRN_TRY(db.query(Sql::InsertAuditHead, Blob{Digest{}.view()}));
    if (!made.artifacts.url.empty())
        CAIRN_TRY(putArtifactPlace(db, made.artifacts));
    return {};
}

// A store with roles that holds nothing yet becomes the one that `like` tells of. What its administrator has
// decided for it (environment, guarded, test clock) has to be what that store has.
Status becomeLike(Db& db, const StoreInfo& like)
{
    const std::string& place = db.target().shown;
    CAIRN_TRY_ASSIGN(const bool roles, hasRoles(db));
    if (!roles)
        return makeError(ErrorKind::Refused,
            place
                + " has a store already; a move makes its own, or fills one that was made with roles and "
                  "holds nothing yet");
    CAIRN_TRY(becomeOwner(db));
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::MadeAs));
    StoreInfo made;
    if (!rows.next())
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    rows.read(made.environment, made.safety, made.testClock, made.schema, made.minWriter, made.writeFormat);
    if (made.environment != like.environment || made.safety != like.safety
        || made.testClock != like.testClock)
        return makeError(ErrorKind::Refused,
            place + " was made for the environment " + made.environment
                + (made.safety == Safety::Guarded ? ", guarded" : "")
                + (made.testClock ? ", with a test clock" : "") + "; the store that moves is "
                + like.environment + (like.safety == Safety::Guarded ? ", guarded" : "")
                + (like.testClock ? ", with a test clock" : "") + ": make it alike");
    if (made.schema != like.schema || made.minWriter != kSchema || made.writeFormat != like.writeFormat)
        return makeError(ErrorKind::Refused,
            place
                + " is not as this version makes it, or is the copy of another move; remove it, and make it "
                  "anew");
    CAIRN_TRY_ASSIGN(Rows held, db.query(Sql::AnyRows));
    if (held.next()) {
        std::string table;
        held.read(table);
        return makeError(ErrorKind::Refused,
            place + " holds something already (" + table + "); a move fills only what nobody has used");
    }
    CAIRN_TRY(db.query(Sql::BecomeLike, like.id, like.minWriter, like.salt,
        static_cast<std::int64_t>(like.seed), like.createdAt));
    return {};
}

Status makeStore(Db& db, const InitOptions& options, std::uint32_t schema)
{
    const bool roles = options.roles || (options.like && options.like->roles);
    if (roles) {
        CAIRN_TRY(makeRoles(db));
        CAIRN_TRY(becomeOwner(db));
    } else {
        CAIRN_TRY(db.execute("CREATE SCHEMA cairn"));
    }
    CAIRN_TRY(createTables(db, schema));
    CAIRN_TRY(insertMeta(db, options, schema, roles));
    return roles ? grantRights(db) : Status();
}

Status refuseVersions(const std::string& place, const Numbers& numbers)
{
    const std::string mine = "this program knows schema " + std::to_string(kSchema);
    if (numbers.minReader > kSchema)
        return makeError(ErrorKind::SchemaMismatch,
            place + " needs a program that knows schema " + std::to_string(numbers.minReader) + "; " + mine
                + "; use a newer one");
    if (numbers.schema < kSchema)
        return makeError(ErrorKind::SchemaMismatch,
            place + " has schema " + std::to_string(numbers.schema) + "; " + mine
                + "; run `cairn store migrate` on it first");
    return {};
}

}  // namespace

PostgresStore::PostgresStore(std::unique_ptr<Db> db, const StoreOptions& options)
    : m_db(std::move(db))
    , m_options(options)
    , m_artifacts(options.objects, options.patience)
{
}

Result<std::unique_ptr<Db>> makeDb(
    const std::string& url, const Session& session, const std::shared_ptr<LoginPasswords>& passwords)
{
    CAIRN_TRY_ASSIGN(Target target, resolveTarget(url, !session.readOnly));
    target.passwords = passwords;
    auto db = std::make_unique<Db>(std::move(target), session);
    CAIRN_TRY(db->connect());
    return db;
}

Status initStoreAt(const std::string& url, const InitOptions& options, std::uint32_t schema)
{
    if (options.environment.empty() || !isStorableText(options.environment))
        return makeError(ErrorKind::InvalidInput, "the environment's name must be text");
    CAIRN_TRY_ASSIGN(const auto db, makeDb(url, {false, false, Use::Building}));
    Transaction transaction(*db);  // rolls back where it is left early
    CAIRN_TRY(db->query(Sql::Begin));
    CAIRN_TRY(db->query(Sql::LockMigrating));
    CAIRN_TRY_ASSIGN(Rows there, db->query(Sql::SchemaThere));
    if (there.count() > 0 && !options.like)
        return makeError(ErrorKind::Refused,
            db->target().shown + " has a schema \"cairn\" already; a store is made in a database without");
    if (there.count() > 0)
        CAIRN_TRY(becomeLike(*db, *options.like));
    else
        CAIRN_TRY(makeStore(*db, options, schema));
    if (!options.preview)
        CAIRN_TRY(transaction.commit());
    return {};
}

Status initStore(const std::string& url, const InitOptions& options)
{
    return initStoreAt(url, options, kSchema);
}

Result<std::unique_ptr<StoreWriter>> openStore(const std::string& url, const StoreOptions& options)
{
    auto db = makeDb(url, {options.readOnly, options.synchronousNormal}, options.passwords);
    if (!db)
        return options.readOnly ? db.error() : whyNotOpened(url, db.error(), options.passwords);
    auto store = std::make_unique<PostgresStore>(*std::move(db), options);
    CAIRN_TRY(store->open());
    return std::unique_ptr<StoreWriter>(std::move(store));
}

Status PostgresStore::open()
{
    const std::string& place = m_db->target().shown;
    CAIRN_TRY_ASSIGN(const auto standing, readStanding(*m_db));
    const auto& [numbers, problems] = standing;
    CAIRN_TRY(refuseVersions(place, numbers));
    if (!problems.empty())
        return makeError(ErrorKind::SchemaMismatch,
            place + " says schema " + std::to_string(numbers.schema) + " but " + problems.front()
                + (problems.size() > 1 ? " (and more)" : "") + "; restore it from a backup");
    CAIRN_TRY(learnPlace());
    CAIRN_TRY_ASSIGN(m_info, info());
    m_opened = true;
    if (m_options.readOnly)
        return {};
    CAIRN_TRY_ASSIGN(const Replica seen, replica());
    if (seen.standby)
        return standbyRefusal(*m_db);
    CAIRN_TRY_ASSIGN(const StoreRights may, rights());
    return may.commits ? continueChanges() : Status();
}

// The change cursor is made of transaction numbers, and those of another server (this store was restored into
// it) begin anew: then they count from the highest that is stored.
Status PostgresStore::continueChanges()
{
    CAIRN_TRY_ASSIGN(const Rows ahead, m_db->query(Sql::ChangesAhead));
    if (ahead.count() == 0)
        return {};
    Transaction transaction(*m_db);
    CAIRN_TRY(m_db->query(Sql::Begin));
    CAIRN_TRY(m_db->query(Sql::LockMigrating));
    CAIRN_TRY_ASSIGN(const Rows still, m_db->query(Sql::ChangesAhead));
    if (still.count() > 0)
        CAIRN_TRY(m_db->query(Sql::RaiseChangeBase));
    CAIRN_TRY(transaction.commit());
    return {};
}

Status PostgresStore::checkpoint()
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    return {};  // the server's own business
}

Status PostgresStore::backup(const std::string& path) { return checkBackup(path); }

Status PostgresStore::checkBackup(const std::string&)
{
    return makeError(ErrorKind::Refused,
        "a PostgreSQL store is backed up with the server's own tools: `pg_dump --format=custom "
        "--schema=cairn` for a copy "
        "of this store, pg_basebackup with WAL archiving for recovery to a point in time");
}

Result<std::string> placeOf(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const Target target, resolveTarget(url, false));
    return target.shown;
}

Result<std::string> loginOf(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const Target target, resolveTarget(url, false));
    return target.login;
}

std::string libraryVersion()
{
    const int version = PQlibVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version % 10000);
}

}  // namespace cairn::postgres
