#include "core/store/sqlite/connection.h"

#include "core/base/file.h"

#include "core/store/sqlite/sqlite_store.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>

namespace cairn::sqlite {

namespace {

Error fileError(const std::string& path, const char* what)
{
    const int code = errno;
    return makeError(code == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
        std::string(what) + " " + path + ": " + std::strerror(code), code);
}

// Links are refused: a second name for the file would get a second write-ahead log.
Status checkFile(const std::string& path)
{
    struct stat info { };
    if (::lstat(path.c_str(), &info) != 0)
        return fileError(path, "there is no store at");
    if (S_ISLNK(info.st_mode) || (S_ISREG(info.st_mode) && info.st_nlink > 1))
        return makeError(ErrorKind::Refused, path + " is a link; name the store's file itself");
    if (!S_ISREG(info.st_mode))
        return makeError(ErrorKind::Refused, path + " is not a file");
    return {};
}

Result<bool> isOnNetwork(const std::string& path, bool allowed)
{
    struct statfs info { };
    if (::statfs(path.c_str(), &info) != 0)
        return fileError(path, "cannot ask for the file system of");
    const char* name = networkFileSystem(static_cast<unsigned long>(info.f_type));
    if (name != nullptr && !allowed)
        return makeError(ErrorKind::Refused,
            path + " is on " + name
                + ", where file locks cannot be relied on; put the store on a local disk");
    return name != nullptr;
}

bool isAppendOnly(std::string_view table)
{
    return table == "entries" || table == "audit" || table == "tombstones" || table == "runs"
        || table == "checkpoints" || table == "checkpoint_heads";
}

// Asked when a statement is prepared, so it costs nothing when it runs.
int authorize(void* given, int action, const char* first, const char* second, const char*, const char*)
{
    const std::string_view table = first == nullptr ? "" : first;
    const std::string_view column = second == nullptr ? "" : second;
    const auto& permits = *static_cast<const Connection::Permits*>(given);
    if (table == "artifact_place"
        && (action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_CREATE_TABLE))
        return permits.artifactPlace ? SQLITE_OK : SQLITE_DENY;
    switch (action) {
    case SQLITE_DELETE:
        if (permits.removal && (table == "entries" || table == "runs" || table == "payloads"))
            return SQLITE_OK;
        return isAppendOnly(table) || table == "payloads" || table == "meta" || table == "artifact_place"
            ? SQLITE_DENY
            : SQLITE_OK;
    case SQLITE_UPDATE:
        if (table == "meta" && column == "min_writer")
            return permits.fence ? SQLITE_OK : SQLITE_DENY;
        if (isAppendOnly(table) || (table == "meta" && column != "clock_offset"))
            return SQLITE_DENY;
        return table == "payloads" && column != "bytes" && column != "salt" && column != "artifact"
                && column != "redacted_by"
            ? SQLITE_DENY
            : SQLITE_OK;
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_VIEW:
    case SQLITE_ALTER_TABLE:
    case SQLITE_ATTACH:
    case SQLITE_DETACH: return SQLITE_DENY;
    default: return SQLITE_OK;
    }
}

Error openError(Db& db, int code, const std::string& path, bool readOnly)
{
    Error error = db.fail(code, "opening");
    const bool recovery =
        (error.native & 0xFF) == SQLITE_READONLY || (error.native & 0xFF) == SQLITE_CANTOPEN;
    error.text = path + ": " + sqlite3_errmsg(db.raw());
    if (readOnly && recovery)
        error.text += "; its write-ahead log must be recovered first, which reading alone cannot do: open "
                      "the store once "
                      "for writing (`cairn store check`), or give this user write access to its folder";
    return error;
}

}  // namespace

int BusyWait::step(void* self, int count) noexcept
{
    auto& wait = *static_cast<BusyWait*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (count == 0)
        wait.m_since = now;
    if (now - wait.m_since >= wait.m_limit)
        return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
}

Result<std::string> pragma(Db& db, const char* constantSql)
{
    Query query(db, std::string(constantSql));
    CAIRN_TRY_ASSIGN(const bool row, query.step());
    std::string answer;
    if (row)
        query.read(answer);
    return answer;
}

Result<std::unique_ptr<Connection>> Connection::open(
    const std::string& path, OpenFor purpose, const StoreOptions& options)
{
    CAIRN_TRY(checkFile(path));
    CAIRN_TRY_ASSIGN(const bool network, isOnNetwork(path, options.allowNetworkFileSystem));
    std::unique_ptr<Connection> connection(new Connection);
    connection->m_path = path;
    const bool readOnly = purpose == OpenFor::Reading;
    sqlite3* raw = nullptr;
    const int flags = (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    connection->m_db = std::make_unique<Db>(DbHandle(raw));
    if (raw == nullptr)
        return makeError(ErrorKind::Internal, "out of memory while opening " + path);
    if (code != SQLITE_OK)
        return openError(connection->db(), code, path, readOnly);
    if (const auto status = connection->configure(purpose, options, walIsSafe() && !network); !status) {
        const int native = status.error().native;
        const bool driver = native != 0 && sqlite3_errcode(raw) != SQLITE_OK;
        return driver ? openError(connection->db(), native, path, readOnly) : status.error();
    }
    return connection;
}

Status Connection::configure(OpenFor purpose, const StoreOptions& options, bool wal)
{
    Db& db = *m_db;
    sqlite3_busy_handler(db.raw(), &BusyWait::step, &m_busy);
    sqlite3_db_config(db.raw(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db.raw(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db.raw(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_limit(db.raw(), SQLITE_LIMIT_ATTACHED, 0);
    CAIRN_TRY(db.exec("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;"
                      "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA cache_size = -32768;"
                      "PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;"));
    CAIRN_TRY(
        db.exec(options.synchronousNormal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
    // Of a file that is still empty; pages that nothing uses any more can then be given back (giveBack).
    if (purpose == OpenFor::Schema) {
        CAIRN_TRY_ASSIGN(const std::string pages, pragma(db, "PRAGMA page_count"));
        if (pages == "0")  // of one that is not, it would write
            CAIRN_TRY(db.exec("PRAGMA auto_vacuum = INCREMENTAL"));
    }
    if (purpose != OpenFor::Reading)
        CAIRN_TRY(setJournal(wal));
    else if (!wal)
        CAIRN_TRY(refuseWal());
    CAIRN_TRY(pragma(db, "PRAGMA journal_size_limit = 67108864"));
    // The first read shows a file that is not a database, and a log that cannot be recovered.
    CAIRN_TRY(pragma(db, "PRAGMA application_id"));
    if (purpose != OpenFor::Schema)
        sqlite3_set_authorizer(db.raw(), &authorize, &m_permits);
    return {};
}

Status Connection::setJournal(bool wal)
{
    CAIRN_TRY_ASSIGN(const std::string mode,
        pragma(*m_db, wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE"));
    if (mode != (wal ? "wal" : "delete"))
        return makeError(ErrorKind::Io,
            m_path + ": the journal mode is " + mode + " and cannot be changed to "
                + (wal ? "wal" : "delete"));
    return {};
}

// A reader takes part in a write-ahead log too, so it keeps away from one where that is not safe.
Status Connection::refuseWal()
{
    CAIRN_TRY_ASSIGN(const std::string mode, pragma(*m_db, "PRAGMA journal_mode"));
    if (mode == "wal")
        return makeError(ErrorKind::Refused,
            m_path + " uses a write-ahead log, which is not safe here (SQLite " + libraryVersion()
                + ", or a network file system)");
    return {};
}

Status syncPath(const std::string& path)
{
    return syncFolder(path) ? Status() : Status(fileError(path, "cannot sync the folder"));
}

Status checkStorePlace(const std::string& path)
{
    struct stat info { };
    if (::lstat(path.c_str(), &info) == 0)
        return checkFile(path);
    if (::access(folderOfFile(path).c_str(), W_OK | X_OK) != 0)
        return fileError(path, "cannot create");
    return {};
}

// The file is opened here only when it is new: closing any other descriptor of an open database drops
// SQLite's locks.
Status makeStoreFile(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        ::close(fd);
        return {};
    }
    if (errno != EEXIST)
        return fileError(path, "cannot create");
    return checkFile(path);
}

}  // namespace cairn::sqlite
