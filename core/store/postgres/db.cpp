#include "core/store/postgres/db.h"

#include "core/base/text.h"
#include "core/store/postgres/postgres_store.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace cairn::postgres {

namespace {

constexpr std::array<const char*, kSqlCount> kTexts = {
#define CAIRN_SQL(name, text) text,
#include "core/store/postgres/sql.inc"
#undef CAIRN_SQL
};

std::atomic<std::uint64_t> s_statements = 0, s_roundTrips = 0;

constexpr int kOldestServer = 150000;

std::string_view field(const PGresult* result, int code)
{
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string statementName(Sql id)
{
    std::string name(1, 's');
    name += std::to_string(static_cast<std::size_t>(id));
    return name;
}

// COMMIT of a transaction that had failed before is no error to the server: it says what it did instead.
bool rolledBack(PGresult* result) { return std::string_view(PQcmdStatus(result)) == "ROLLBACK"; }

constexpr std::string_view kQueryCancelled = "57014";

// The server says one and the same of a limit that was reached and of an administrator, in its own language.
std::string overTime(std::chrono::steady_clock::time_point began)
{
    const auto took = std::chrono::steady_clock::now() - began;
    return "the server ended this query after "
        + formatSpan(std::chrono::duration_cast<std::chrono::milliseconds>(took).count())
        + ": it had reached the limit for one statement (statement_timeout), or an administrator cancelled "
          "it; nothing was changed: ask for less, for instance with a narrower filter, or again when the "
          "server is less busy";
}

// The parameters in libpq's form; they point into the batch.
struct Wire {
    explicit Wire(const Params& params)
    {
        for (const Params::Value& value : params.values()) {
            types.push_back(static_cast<Oid>(value.type));
            values.push_back(value.null ? nullptr : value.bytes.data());
            lengths.push_back(static_cast<int>(value.bytes.size()));
            formats.push_back(1);
        }
    }
    [[nodiscard]] int count() const { return static_cast<int>(types.size()); }
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths, formats;
};

}  // namespace

// --- Rows
// ----------------------------------------------------------------------------------------------------------

bool Rows::next() { return m_result && ++m_row < PQntuples(m_result.get()); }

std::size_t Rows::count() const { return m_result ? static_cast<std::size_t>(PQntuples(m_result.get())) : 0; }

std::uint64_t Rows::affected() const
{
    return m_result ? std::strtoull(PQcmdTuples(m_result.get()), nullptr, 10) : 0;
}

std::int64_t Rows::integer()
{
    const int column = m_column++;
    if (PQgetisnull(m_result.get(), m_row, column) != 0)
        return 0;
    const auto* data = reinterpret_cast<const unsigned char*>(PQgetvalue(m_result.get(), m_row, column));
    const int length = PQgetlength(m_result.get(), m_row, column);
    std::uint64_t value = length > 0 && (data[0] & 0x80U) != 0 && length > 1 ? ~std::uint64_t{0} : 0;
    for (int i = 0; i < length && i < 8; ++i)
        value = (value << 8) | data[i];
    return static_cast<std::int64_t>(value);
}

void Rows::readOne(std::string& text)
{
    const int column = m_column++;
    text.assign(PQgetvalue(m_result.get(), m_row, column),
        static_cast<std::size_t>(PQgetlength(m_result.get(), m_row, column)));
}

void Rows::bytes(std::uint8_t* out, std::size_t size)
{
    const int column = m_column++;
    const bool fits = static_cast<std::size_t>(PQgetlength(m_result.get(), m_row, column)) == size;
    if (fits)
        std::memcpy(out, PQgetvalue(m_result.get(), m_row, column), size);
    else
        std::memset(out, 0, size);
}

Traffic traffic() noexcept
{
    return {s_statements.load(std::memory_order_relaxed), s_roundTrips.load(std::memory_order_relaxed)};
}

// --- connecting
// ----------------------------------------------------------------------------------------------------

void Db::onNotice(void* self, const PGresult* notice)
{
    auto& db = *static_cast<Db*>(self);
    if (isOnlyLocal(field(notice, PG_DIAG_SOURCE_FUNCTION), field(notice, PG_DIAG_SEVERITY_NONLOCALIZED)))
        db.m_onlyLocal = true;
}

Status Db::connect()
{
    disconnect();
    m_verdict = classify({}, false);
    CAIRN_TRY_ASSIGN(m_conn, connectTo(m_target));
    const Status status = setUp();
    if (!status)
        disconnect();
    return status;
}

Status Db::plain(const char* constantSql)
{
    m_began = std::chrono::steady_clock::now();
    const ResultHandle result(PQexec(m_conn.get(), constantSql));
    const auto status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return {};
    return connected() ? failed(result.get(), false) : lost(false);
}

// Whoever looks waits half a minute at most; a commit of many runs has a minute, and no more, since what it
// locked is locked until then. COMMIT itself, which may wait for a standby, is not counted by the server.
Status Db::limit()
{
    if (m_session.use == Use::Building)
        return {};
    return plain(m_session.readOnly
            ? "SELECT pg_catalog.set_config('statement_timeout', '30s', false) FROM pg_catalog.pg_settings "
              "WHERE name = 'statement_timeout' AND setting::bigint NOT BETWEEN 1 AND 30000"
            : "SELECT pg_catalog.set_config('statement_timeout', '60s', false) FROM pg_catalog.pg_settings "
              "WHERE name = 'statement_timeout' AND setting::bigint NOT BETWEEN 1 AND 60000");
}

// The search path first of all: no name is looked up before it is empty.
Status Db::setUp()
{
    CAIRN_TRY(plain("SELECT pg_catalog.set_config('search_path', '', false)"));
    PQsetNoticeReceiver(m_conn.get(), onNotice, this);
    if (PQserverVersion(m_conn.get()) < kOldestServer)
        return makeError(ErrorKind::Refused,
            m_target.shown + " runs PostgreSQL " + std::to_string(PQserverVersion(m_conn.get()) / 10000)
                + "; Cairn needs 15 or newer");
    const char* encoding = PQparameterStatus(m_conn.get(), "server_encoding");
    if (encoding == nullptr || std::string_view(encoding) != "UTF8")
        return makeError(ErrorKind::Refused,
            m_target.shown + " has the encoding " + (encoding == nullptr ? "?" : encoding)
                + "; make a database with the encoding UTF8");
    // Statements of the hot path start from an index, whatever the statistics of a young table say; jit never
    // pays for them. What looks at many rows undoes this for its own transaction (Sql::Analyse).
    CAIRN_TRY(limit());
    CAIRN_TRY(
        plain("SELECT pg_catalog.set_config(name, value, false) FROM (VALUES"
              " ('default_transaction_isolation', 'read committed'), ('lock_timeout', '5s'),"
              " ('idle_in_transaction_session_timeout', '5s'), ('jit', 'off'),"
              " ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_hashjoin', 'off'),"
              " ('enable_mergejoin', 'off'), ('plan_cache_mode', 'force_generic_plan')) AS s(name, value)"));
    CAIRN_TRY(plain("SELECT pg_catalog.set_config('synchronous_commit', 'on', false)"
                    " WHERE pg_catalog.current_setting('synchronous_commit') IN ('off', 'local')"));
    if (m_session.unsynced)
        CAIRN_TRY(plain("SELECT pg_catalog.set_config('synchronous_commit', 'off', false)"));
    if (m_session.readOnly)
        CAIRN_TRY(plain("SELECT pg_catalog.set_config('default_transaction_read_only', 'on', false)"));
    {
        const std::scoped_lock lock(m_cancelMutex);
        m_cancel.reset(PQgetCancel(m_conn.get()));
    }
    if (PQenterPipelineMode(m_conn.get()) != 1)
        return makeError(ErrorKind::Internal, "the connection does not go into pipeline mode");
    return {};
}

void Db::disconnect() noexcept
{
    {
        const std::scoped_lock lock(m_cancelMutex);
        m_cancel.reset();
    }
    m_conn.reset();
    m_prepared.fill(false);
}

bool Db::inTransaction() const noexcept
{
    return connected() && PQtransactionStatus(m_conn.get()) != PQTRANS_IDLE;
}

void Db::interrupt() noexcept
{
    const std::scoped_lock lock(m_cancelMutex);
    m_interrupted = true;
    char ignored[256] = {};
    if (m_cancel)
        PQcancel(m_cancel.get(), ignored, static_cast<int>(sizeof ignored));
}

// --- errors
// --------------------------------------------------------------------------------------------------------

Error Db::failed(const PGresult* result, bool commitSent)
{
    const std::string_view state = field(result, PG_DIAG_SQLSTATE);
    m_verdict = classify(state, commitSent);
    m_constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
    m_poisoned = m_poisoned || m_verdict.poisons;
    if (state == kQueryCancelled && !m_interrupted) {
        m_verdict.kind = ErrorKind::Busy;  // nobody here gave up
        return makeError(ErrorKind::Busy, overTime(m_began), nativeCode(state));
    }
    std::string text = "the store: " + tidy(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    if (state.empty())
        text = "the store: " + tidy(PQresultErrorMessage(result));
    else if (state.substr(0, 2) != "CA")  // what our own triggers and functions say is said to people
        text += " (SQLSTATE " + std::string(state) + ")";
    if (state == "42501")
        text += "; the login \"" + tidy(PQuser(m_conn.get()))
            + "\" needs a role of this store for that (handbook: stores, roles)";
    if (m_verdict.kind == ErrorKind::Full)
        text += "; free some space on the server, nothing of this was stored";
    if (m_verdict.poisons)
        text += "; nothing more is written through this connection: look at the server's log and run `cairn "
                "store check`";
    return makeError(m_verdict.kind, std::move(text), nativeCode(state));
}

Error Db::lost(bool commitSent)
{
    m_verdict = classify({}, commitSent);
    m_constraint.clear();
    std::string text =
        "the connection to " + m_target.shown + " was lost: " + tidy(PQerrorMessage(m_conn.get()));
    if (commitSent)
        text += "; whether the last commit is there has to be found out by its command ids";
    return makeError(m_verdict.kind, std::move(text));
}

// --- batches
// -------------------------------------------------------------------------------------------------------

bool Db::sendItem(const Batch::Item& item, std::size_t at, std::vector<Sent>& sent)
{
    const Wire wire(item.params);
    if (!item.id) {
        sent.push_back({at, false});
        return PQsendQueryParams(m_conn.get(), item.text.c_str(), wire.count(), wire.types.data(),
                   wire.values.data(), wire.lengths.data(), wire.formats.data(), 1)
            == 1;
    }
    const auto index = static_cast<std::size_t>(*item.id);
    const std::string name = statementName(*item.id);
    if (!m_prepared[index]) {
        sent.push_back({at, true});
        m_prepared[index] = true;  // taken back where it fails
        if (PQsendPrepare(m_conn.get(), name.c_str(), kTexts[index], wire.count(), wire.types.data()) != 1)
            return false;
    }
    sent.push_back({at, false});
    return PQsendQueryPrepared(m_conn.get(), name.c_str(), wire.count(), wire.values.data(),
               wire.lengths.data(), wire.formats.data(), 1)
        == 1;
}

bool Db::send(const Batch& batch, std::vector<Sent>& sent)
{
    for (std::size_t at = 0; at < batch.items().size(); ++at)
        if (!sendItem(batch.items()[at], at, sent))
            return false;
    return PQpipelineSync(m_conn.get()) == 1;
}

// Each statement answers with a result and a null; the batch ends with the mark of its sync.
std::optional<Error> Db::receive(
    const Batch& batch, const std::vector<Sent>& sent, bool withCommit, std::vector<Rows>& answers)
{
    std::optional<Error> error;
    std::size_t at = 0;
    for (;;) {
        ResultHandle result(PQgetResult(m_conn.get()));
        if (!connected())  // what the server said before it went is the better answer: nothing after it was
                           // run
            return error ? error : lost(withCommit);
        if (!result) {
            if (++at > sent.size() + 8)  // answers that belong to nothing: this connection is of no use
                return error ? error : lost(withCommit);
            continue;
        }
        const auto status = PQresultStatus(result.get());
        if (status == PGRES_PIPELINE_SYNC)
            return error;
        const Sent* what = at < sent.size() ? &sent[at] : nullptr;
        const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        if (good && withCommit && at + 1 == sent.size() && !error && rolledBack(result.get())) {
            m_verdict = classify("40001", false);
            error = makeError(ErrorKind::Busy, "the store: the transaction had failed, and was rolled back");
        }
        if (!good && what != nullptr && what->prepares)
            m_prepared[static_cast<std::size_t>(*batch.items()[what->item].id)] = false;
        if (good && what != nullptr && !what->prepares)
            answers[what->item] = Rows(std::move(result));
        else if (status == PGRES_FATAL_ERROR && !error) {
            // Only an error of COMMIT itself, the last statement, can leave the outcome open.
            error = failed(result.get(), withCommit && at + 1 == sent.size());
            if (m_verdict.drops)  // nothing after it was run, and there is nothing more to hear
                return error;
        }
    }
}

Result<std::vector<Rows>> Db::run(const Batch& batch, bool withCommit)
{
    if (!connected()) {
        m_verdict = classify({}, false);
        return makeError(ErrorKind::Disconnected, "there is no connection to " + m_target.shown);
    }
    std::vector<Rows> answers(batch.items().size());
    std::vector<Sent> sent;
    m_onlyLocal = false;
    m_interrupted = false;
    m_began = std::chrono::steady_clock::now();
    s_statements.fetch_add(batch.items().size(), std::memory_order_relaxed);
    s_roundTrips.fetch_add(1, std::memory_order_relaxed);
    std::optional<Error> error;
    if (send(batch, sent))
        error = receive(batch, sent, withCommit, answers);
    else
        error = lost(withCommit);
    if (!error && withCommit && m_onlyLocal) {
        m_verdict = classify("40003", true);
        error = makeError(ErrorKind::OutcomeUnknown,
            "the commit is on the primary, and perhaps not on its standby: waiting for it was cut short");
    }
    if (!error)
        return answers;
    if (m_verdict.drops || !connected())
        disconnect();
    return *std::move(error);
}

Status Db::execute(const char* constantSql)
{
    if (!connected())
        return makeError(ErrorKind::Disconnected, "there is no connection to " + m_target.shown);
    if (PQexitPipelineMode(m_conn.get()) != 1)
        return makeError(ErrorKind::Internal, "the connection does not leave pipeline mode");
    const Status status = plain(constantSql);
    if (connected() && PQenterPipelineMode(m_conn.get()) != 1)
        disconnect();
    return status;
}

void Db::rollback() noexcept
{
    if (!inTransaction())
        return;
    Batch batch;
    batch.add(Sql::Rollback);
    const auto kept = std::pair(m_verdict, m_constraint);
    if (!run(batch) || inTransaction())
        disconnect();
    std::tie(m_verdict, m_constraint) = kept;
}

}  // namespace cairn::postgres
