#pragma once
// RAII over sqlite3: a connection, its prepared statements, and typed binding and reading of columns.
// One thread at a time; all calls block. No function throws.

#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/store/sqlite/errors.h"
#include "core/store/sqlite/sql.h"

#include <sqlite3.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cairn::sqlite {

struct StmtFinalizer {
    void operator()(sqlite3_stmt* stmt) const noexcept { sqlite3_finalize(stmt); }
};
using StmtHandle = std::unique_ptr<sqlite3_stmt, StmtFinalizer>;
struct DbCloser {
    void operator()(sqlite3* db) const noexcept { sqlite3_close(db); }
};
using DbHandle = std::unique_ptr<sqlite3, DbCloser>;

class Db {
public:
    explicit Db(DbHandle handle)
        : m_handle(std::move(handle))
    {
    }

    [[nodiscard]] sqlite3* raw() const noexcept { return m_handle.get(); }
    // A statement of sql.inc, prepared on first use and kept. Null: the database's error code says why.
    [[nodiscard]] sqlite3_stmt* prepared(Sql id);
    // Runs constant SQL without parameters.
    [[nodiscard]] Status exec(const char* constantSql);
    // The error of the last failed call, classified; remembers whether it poisons the connection.
    [[nodiscard]] Error fail(int code, const char* doing, bool atCommit = false);
    [[nodiscard]] bool inTransaction() const noexcept { return sqlite3_get_autocommit(m_handle.get()) == 0; }
    [[nodiscard]] bool poisoned() const noexcept { return m_poisoned; }
    [[nodiscard]] std::int64_t changes() const noexcept { return sqlite3_changes64(m_handle.get()); }
    // Was the last error one that ends the whole transaction?
    [[nodiscard]] bool lastWasWhole() const noexcept { return m_lastWasWhole; }
    void dropStatements();

private:
    DbHandle m_handle;
    std::array<StmtHandle, kSqlCount> m_statements;
    bool m_poisoned = false;
    bool m_lastWasWhole = false;
};

struct Blob {
    std::string_view bytes;
};
// NULL where the time is not set: for columns with a partial index.
struct Due {
    std::int64_t time = 0;
};
// NULL where the text is empty.
struct TextOrNull {
    std::string_view text;
};

// One use of a statement: binds in order, steps, reads columns in order; resets when it goes out of scope, so
// that no read transaction is left open.
class Query {
public:
    Query(Db& db, Sql id);
    // For the list queries, whose text is put together from fixed fragments.
    Query(Db& db, const std::string& text);
    ~Query();
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    template<typename... T> Query& bind(const T&... values)
    {
        (bindOne(values), ...);
        return *this;
    }
    // True: there is a row. False: done.
    [[nodiscard]] Result<bool> step();
    // Steps to the end and resets, for writes; bindings start anew.
    [[nodiscard]] Status run();
    template<typename... T> void read(T&... values)
    {
        m_column = 0;
        (readOne(values), ...);
    }
    template<typename... T> void readMore(T&... values) { (readOne(values), ...); }

private:
    template<typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>) void bindOne(T value)
    {
        bindInteger(static_cast<std::int64_t>(value));
    }
    template<typename Tag> void bindOne(const Id<Tag>& id)
    {
        if (id.isNull())
            bindNull();
        else
            bindBlob(id.view());
    }
    void bindOne(const Digest& digest)
    {
        if (digest.isNull())
            bindNull();
        else
            bindBlob(digest.view());
    }
    void bindOne(const Salt& salt) { bindBlob(saltView(salt)); }
    void bindOne(const std::string& text) { bindText(text); }
    void bindOne(std::string_view text) { bindText(text); }
    void bindOne(const char* text) { bindText(text); }
    void bindOne(const Blob& blob) { bindBlob(blob.bytes); }
    void bindOne(const TextOrNull& text)
    {
        if (text.text.empty())
            bindNull();
        else
            bindText(text.text);
    }
    void bindOne(const Due& due)
    {
        if (due.time == 0)
            bindNull();
        else
            bindInteger(due.time);
    }
    void bindInteger(std::int64_t value);
    void bindText(std::string_view text);
    void bindBlob(std::string_view bytes);
    void bindNull() { ++m_parameter; }

    template<typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>) void readOne(T& value)
    {
        value = static_cast<T>(sqlite3_column_int64(m_stmt, m_column++));
    }
    template<typename Tag> void readOne(Id<Tag>& id) { readBytes(id.bytes.data(), id.bytes.size()); }
    void readOne(Digest& digest) { readBytes(digest.bytes.data(), digest.bytes.size()); }
    void readOne(Salt& salt) { readBytes(salt.data(), salt.size()); }
    void readOne(std::string& bytes);
    void readBytes(std::uint8_t* out, std::size_t size);

    Db& m_db;
    sqlite3_stmt* m_stmt = nullptr;
    StmtHandle m_own;
    int m_parameter = 0;
    int m_column = 0;
    int m_error = SQLITE_OK;
};

// BEGIN IMMEDIATE (or a read transaction); rolls back when it goes out of scope without commit().
class Transaction {
public:
    explicit Transaction(Db& db)
        : m_db(db)
    {
    }
    ~Transaction() { rollback(); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    [[nodiscard]] Status begin(bool forWriting = true);
    // An I/O error here is OutcomeUnknown.
    [[nodiscard]] Status commit();
    // SQLite may have rolled back by itself (disk full): looked up, not assumed.
    void rollback() noexcept;

private:
    Db& m_db;
};

}  // namespace cairn::sqlite
