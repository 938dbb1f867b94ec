#include "core/base/file.h"
#include "core/store/checks.h"
#include "core/store/sqlite/store_impl.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::sqlite {

namespace {

Result<std::int64_t> number(Db& db, Sql id)
{
    Query query(db, id);
    CAIRN_TRY(query.step());
    std::int64_t value = 0;
    query.read(value);
    return value;
}

Status insertMeta(Db& db, const InitOptions& options, std::uint32_t schema)
{
    const StoreInfo made = newStore(options, SystemClock().wallMs(), schema);
    CAIRN_TRY(Query(db, Sql::InsertMeta)
                  .bind(made.id, schema, schema, made.minWriter, schema, made.environment, made.safety,
                      made.testClock, made.salt, static_cast<std::int64_t>(made.seed), made.createdAt)
                  .run());
    if (!made.artifacts.url.empty())
        CAIRN_TRY(putArtifactPlace(db, made.artifacts));
    return Query(db, Sql::InsertChangeCounter).run();
}

Status refuseVersions(const std::string& path, const Numbers& numbers)
{
    const std::string mine = "this program knows schema " + std::to_string(kSchema);
    if (numbers.minReader > kSchema)
        return makeError(ErrorKind::SchemaMismatch,
            path + " needs a program that knows schema " + std::to_string(numbers.minReader) + "; " + mine
                + "; use a newer one");
    if (numbers.schema < kSchema)
        return makeError(ErrorKind::SchemaMismatch,
            path + " has schema " + std::to_string(numbers.schema) + "; " + mine
                + "; run `cairn store migrate` on it first");
    return {};
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<Connection> connection, const StoreOptions& options, StoreInfo info)
    : m_connection(std::move(connection))
    , m_options(options)
    , m_info(std::move(info))
    , m_artifacts(options.objects, options.patience)
    , m_intoFence(options.intoFence)
{
}

namespace {

// A file that an interrupted `store init` left has no table yet: it is taken for empty.
Status requireEmpty(Db& db, const std::string& path)
{
    CAIRN_TRY_ASSIGN(const std::int64_t tables, number(db, Sql::TableCount));
    if (tables != 0)
        return makeError(ErrorKind::Refused, path + " exists and is not empty");
    return {};
}

// What is there is read only: opening a file for a schema turns its journal to another kind.
Status previewInit(const std::string& path)
{
    CAIRN_TRY(checkStorePlace(path));
    struct stat info { };
    if (::lstat(path.c_str(), &info) != 0 || info.st_size == 0)
        return {};
    CAIRN_TRY_ASSIGN(auto connection, Connection::open(path, OpenFor::Reading, {}));
    return requireEmpty(connection->db(), path);
}

}  // namespace

Status initStoreAt(const std::string& path, const InitOptions& options, std::uint32_t schema)
{
    if (options.environment.empty() || !isStorableText(options.environment))
        return makeError(ErrorKind::InvalidInput, "the environment's name must be text");
    if (options.preview)
        return previewInit(path);
    CAIRN_TRY(makeStoreFile(path));
    CAIRN_TRY_ASSIGN(auto connection, Connection::open(path, OpenFor::Schema, {}));
    Db& db = connection->db();
    Transaction transaction(db);
    CAIRN_TRY(transaction.begin());
    CAIRN_TRY(requireEmpty(db, path));
    CAIRN_TRY(createTables(db, schema));
    CAIRN_TRY(insertMeta(db, options, schema));
    CAIRN_TRY(db.exec("PRAGMA application_id = 1130459758"));
    CAIRN_TRY(transaction.commit());
    return syncPath(folderOfFile(path));
}

Status initStore(const std::string& path, const InitOptions& options)
{
    return initStoreAt(path, options, kSchema);
}

Status requireStore(Db& db, const std::string& path)
{
    CAIRN_TRY_ASSIGN(const std::int64_t id, number(db, Sql::ApplicationId));
    if (id != kApplicationId)
        return makeError(
            ErrorKind::NotFound, path + " is not a Cairn store; make one with `cairn store init`");
    return {};
}

Result<std::unique_ptr<StoreWriter>> openStore(const std::string& path, const StoreOptions& options)
{
    CAIRN_TRY_ASSIGN(auto connection,
        Connection::open(path, options.readOnly ? OpenFor::Reading : OpenFor::Writing, options));
    Db& db = connection->db();
    CAIRN_TRY(requireStore(db, path));
    CAIRN_TRY_ASSIGN(const auto standing, readStanding(db));
    const auto& [numbers, problems] = standing;
    CAIRN_TRY(refuseVersions(path, numbers));
    if (!problems.empty())
        return makeError(ErrorKind::SchemaMismatch,
            path + " says schema " + std::to_string(numbers.schema) + " but " + problems.front()
                + (problems.size() > 1 ? " (and more)" : "") + "; restore it from a backup");
    auto store = std::make_unique<SqliteStore>(std::move(connection), options, StoreInfo{});
    CAIRN_TRY(store->remember());
    return std::unique_ptr<StoreWriter>(std::move(store));
}

Status SqliteStore::remember()
{
    CAIRN_TRY(learnPlace());
    CAIRN_TRY_ASSIGN(m_info, info());
    return {};
}

Status SqliteStore::checkpoint()
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    const int code =
        sqlite3_wal_checkpoint_v2(db().raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (code != SQLITE_OK)
        return db().fail(code, "checkpoint");
    return {};
}

// --- backup
// ------------------------------------------------------------------------------------------------------------

namespace {

struct BackupFinisher {
    void operator()(sqlite3_backup* backup) const noexcept { sqlite3_backup_finish(backup); }
};

Status copyAll(Db& from, Db& to)
{
    const std::unique_ptr<sqlite3_backup, BackupFinisher> backup(
        sqlite3_backup_init(to.raw(), "main", from.raw(), "main"));
    if (!backup)
        return to.fail(sqlite3_errcode(to.raw()), "backup");
    // Whole in one step: a consistent copy although others write; in WAL mode it blocks nobody.
    const int code = sqlite3_backup_step(backup.get(), -1);
    if (code != SQLITE_DONE)
        return makeError(classify(code, false).kind, std::string("backup: ") + sqlite3_errstr(code), code);
    return {};
}

// Two files that both took the folder for theirs would sweep each other's objects away. What lies there is
// read from there on.
Status giveOwnFolder(Db& copy)
{
    CAIRN_TRY_ASSIGN(ArtifactPlace place, readArtifactPlace(copy));
    if (place.url.empty())
        return {};
    SystemRng rng;
    place.folder = newFolder(rng);
    return putArtifactPlace(copy, place);
}

// Chunks in a bucket are not copied, but read: a copy whose objects are gone is none.
Status checkCopy(const std::string& path, const OpenObjects& objects)
{
    StoreOptions options;
    options.objects = objects;
    CAIRN_TRY_ASSIGN(auto copy, openStore(path, options));
    CAIRN_TRY_ASSIGN(const auto problems, copy->check(true));
    for (const VerifyProblem& problem : problems)
        if (problem.blocksCopy)
            return makeError(ErrorKind::Corrupt,
                "the copy " + path + " is not sound: " + problem.where + ": " + problem.text);
    return copy->checkpoint();
}

}  // namespace

Status SqliteStore::checkBackup(const std::string& path)
{
    struct stat info { };
    if (::lstat(path.c_str(), &info) == 0)
        return makeError(ErrorKind::Refused, path + " exists; name a new file for the backup");
    return checkStorePlace(path);
}

Status SqliteStore::backup(const std::string& path)
{
    CAIRN_TRY(checkBackup(path));
    CAIRN_TRY(makeStoreFile(path));
    Status status;
    {
        auto target = Connection::open(path, OpenFor::Schema, {});
        status = target ? copyAll(db(), (*target)->db()) : Status(target.error());
        if (status)
            status = giveOwnFolder((*target)->db());
    }
    if (status)
        status = checkCopy(path, m_options.objects);
    if (status)
        status = syncPath(folderOfFile(path));
    if (!status) {
        ::unlink(path.c_str());
        ::unlink((path + "-wal").c_str());
        ::unlink((path + "-shm").c_str());
    }
    return status;
}

}  // namespace cairn::sqlite
