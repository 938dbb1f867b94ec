#include "core/store/sqlite/db.h"

#include <cstring>

namespace cairn::sqlite {

namespace {

constexpr std::array<const char*, kSqlCount> kTexts = {
#define CAIRN_SQL(name, text) text,
#include "core/store/sqlite/sql.inc"
#undef CAIRN_SQL
};

}  // namespace

sqlite3_stmt* Db::prepared(Sql id)
{
    StmtHandle& slot = m_statements[static_cast<std::size_t>(id)];
    if (!slot) {
        sqlite3_stmt* stmt = nullptr;
        const int code = sqlite3_prepare_v3(
            raw(), kTexts[static_cast<std::size_t>(id)], -1, SQLITE_PREPARE_PERSISTENT, &stmt, nullptr);
        slot.reset(stmt);
        if (code != SQLITE_OK)
            slot.reset();
    }
    return slot.get();
}

void Db::dropStatements()
{
    for (StmtHandle& slot : m_statements)
        slot.reset();
}

Status Db::exec(const char* constantSql)
{
    const int code = sqlite3_exec(raw(), constantSql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        return fail(code, "the store");
    return {};
}

Error Db::fail(int code, const char* doing, bool atCommit)
{
    const int extended = sqlite3_extended_errcode(raw());
    const int used = (extended & 0xFF) == (code & 0xFF) ? extended : code;
    const Verdict verdict = classify(used, atCommit);
    m_poisoned = m_poisoned || verdict.poisons;
    m_lastWasWhole = verdict.wholeTransaction || !inTransaction();
    std::string text = std::string(doing) + ": " + sqlite3_errmsg(raw());
    if (verdict.kind == ErrorKind::Full)
        text += "; free some space, nothing of this was stored";
    if (verdict.poisons)
        text += "; this connection writes nothing any more, close it and run `cairn store check`";
    return makeError(verdict.kind, std::move(text), used);
}

// --- Query
// ---------------------------------------------------------------------------------------------------------

Query::Query(Db& db, Sql id)
    : m_db(db)
    , m_stmt(db.prepared(id))
{
    if (m_stmt == nullptr)
        m_error = sqlite3_extended_errcode(db.raw());
}

Query::Query(Db& db, const std::string& text)
    : m_db(db)
{
    const int code =
        sqlite3_prepare_v3(db.raw(), text.data(), static_cast<int>(text.size()), 0, &m_stmt, nullptr);
    m_own.reset(m_stmt);
    if (code != SQLITE_OK) {
        m_stmt = nullptr;
        m_error = code;
    }
}

Query::~Query()
{
    if (m_stmt != nullptr) {
        sqlite3_reset(m_stmt);
        sqlite3_clear_bindings(m_stmt);
    }
}

void Query::bindInteger(std::int64_t value)
{
    const int code = m_stmt == nullptr ? m_error : sqlite3_bind_int64(m_stmt, ++m_parameter, value);
    m_error = m_error != SQLITE_OK ? m_error : code;
}

void Query::bindText(std::string_view text)
{
    const char* data = text.data() == nullptr ? "" : text.data();
    const int code = m_stmt == nullptr
        ? m_error
        : sqlite3_bind_text64(m_stmt, ++m_parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
    m_error = m_error != SQLITE_OK ? m_error : code;
}

void Query::bindBlob(std::string_view bytes)
{
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    const int code = m_stmt == nullptr
        ? m_error
        : sqlite3_bind_blob64(m_stmt, ++m_parameter, data, bytes.size(), SQLITE_STATIC);
    m_error = m_error != SQLITE_OK ? m_error : code;
}

Result<bool> Query::step()
{
    if (m_error != SQLITE_OK)
        return m_db.fail(m_error, "preparing a statement");
    const int code = sqlite3_step(m_stmt);
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE)
        return false;
    return m_db.fail(code, "the store");
}

Status Query::run()
{
    for (;;) {
        CAIRN_TRY_ASSIGN(const bool row, step());
        if (!row)
            break;
    }
    sqlite3_reset(m_stmt);
    m_parameter = 0;
    return {};
}

void Query::readOne(std::string& bytes)
{
    const auto* data = static_cast<const char*>(sqlite3_column_blob(m_stmt, m_column));
    const int size = sqlite3_column_bytes(m_stmt, m_column);
    bytes.assign(data == nullptr ? "" : data, static_cast<std::size_t>(size));
    ++m_column;
}

void Query::readBytes(std::uint8_t* out, std::size_t size)
{
    const void* data = sqlite3_column_blob(m_stmt, m_column);
    const bool fits = static_cast<std::size_t>(sqlite3_column_bytes(m_stmt, m_column)) == size;
    if (data != nullptr && fits)
        std::memcpy(out, data, size);
    else
        std::memset(out, 0, size);
    ++m_column;
}

// --- Transaction
// ---------------------------------------------------------------------------------------------------

Status Transaction::begin(bool forWriting)
{
    Query query(m_db, forWriting ? Sql::BeginImmediate : Sql::Begin);
    return query.run();
}

Status Transaction::commit()
{
    sqlite3_stmt* stmt = m_db.prepared(Sql::Commit);
    if (stmt == nullptr)
        return m_db.fail(sqlite3_extended_errcode(m_db.raw()), "COMMIT");
    const int code = sqlite3_step(stmt);
    Status status;
    if (code != SQLITE_DONE)
        status = m_db.fail(code, "COMMIT", true);
    sqlite3_reset(stmt);
    return status;
}

void Transaction::rollback() noexcept
{
    if (!m_db.inTransaction())
        return;
    if (sqlite3_stmt* stmt = m_db.prepared(Sql::Rollback)) {
        sqlite3_step(stmt);
        sqlite3_reset(stmt);
    }
}

}  // namespace cairn::sqlite
