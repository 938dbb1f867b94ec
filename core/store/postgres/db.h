#pragma once
// RAII over libpq: a connection in pipeline mode, its prepared statements, batches of statements that share
// one round trip, and typed reading of binary results. One thread at a time (but for interrupt()); all calls
// block. No function throws.

#include "core/base/result.h"
#include "core/store/postgres/connect.h"
#include "core/store/postgres/conninfo.h"
#include "core/store/postgres/errors.h"
#include "core/store/postgres/params.h"
#include "core/store/postgres/sql.h"

#include <libpq-fe.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cairn::postgres {

struct ResultClear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ResultClear>;

// The rows of one statement, read in order. Columns are read in order as well.
class Rows {
public:
    Rows() = default;
    explicit Rows(ResultHandle result)
        : m_result(std::move(result))
    {
    }
    // False: there are no more.
    [[nodiscard]] bool next();
    [[nodiscard]] std::size_t count() const;
    // Of an INSERT, UPDATE or DELETE.
    [[nodiscard]] std::uint64_t affected() const;
    template<typename... T> void read(T&... values)
    {
        m_column = 0;
        (readOne(values), ...);
    }
    template<typename... T> void readMore(T&... values) { (readOne(values), ...); }

private:
    template<typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>) void readOne(T& value)
    {
        value = static_cast<T>(integer());
    }
    template<typename Tag> void readOne(Id<Tag>& id) { bytes(id.bytes.data(), id.bytes.size()); }
    void readOne(Digest& digest) { bytes(digest.bytes.data(), digest.bytes.size()); }
    void readOne(Salt& salt) { bytes(salt.data(), salt.size()); }
    void readOne(std::string& text);
    [[nodiscard]] std::int64_t integer();
    void bytes(std::uint8_t* out, std::size_t size);

    ResultHandle m_result;
    int m_row = -1;
    int m_column = 0;
};

// Statements that are sent together and answered together: one round trip. Where one fails, those after it
// are not run.
class Batch {
public:
    // The place of its answer.
    template<typename... T> std::size_t add(Sql id, const T&... values)
    {
        m_items.push_back({id, {}, Params(values...)});
        return m_items.size() - 1;
    }
    // For the list queries, whose text is put together from fixed fragments.
    std::size_t addText(std::string text, Params params)
    {
        m_items.push_back({std::nullopt, std::move(text), std::move(params)});
        return m_items.size() - 1;
    }
    void append(const Batch& other)
    {
        m_items.insert(m_items.end(), other.m_items.begin(), other.m_items.end());
    }
    [[nodiscard]] bool empty() const noexcept { return m_items.empty(); }

    struct Item {
        std::optional<Sql> id;
        std::string text;
        Params params;
    };
    [[nodiscard]] const std::vector<Item>& items() const noexcept { return m_items; }

private:
    std::vector<Item> m_items;
};

// What a connection is for, which decides how long one statement may take. A smaller limit of the login's own
// stays.
enum class Use : std::uint8_t {
    Commands,  // writes runs, as engines and command lines do; reads where it is readOnly
    Building,  // makes tables, or moves them to another schema: as long as it takes
};

struct Session {
    bool readOnly = false;
    bool unsynced = false;  // synchronous_commit=off: an explicit, named downgrade
    Use use = Use::Commands;
};

class Db {
public:
    Db(Target target, Session session)
        : m_target(std::move(target))
        , m_session(session)
    {
    }
    ~Db() { disconnect(); }
    Db(const Db&) = delete;
    Db& operator=(const Db&) = delete;

    // Connects anew and sets the session up; any transaction and all prepared statements are gone.
    // Disconnected: nobody answers, or it is not a server that can be used now.
    [[nodiscard]] Status connect();
    void disconnect() noexcept;
    [[nodiscard]] bool connected() const noexcept
    {
        return m_conn && PQstatus(m_conn.get()) == CONNECTION_OK;
    }
    [[nodiscard]] bool inTransaction() const noexcept;
    [[nodiscard]] const Target& target() const noexcept { return m_target; }

    // The answers in the order of the batch. `withCommit`: it ends with COMMIT, so that a lost link leaves
    // the outcome unknown.
    [[nodiscard]] Result<std::vector<Rows>> run(const Batch& batch, bool withCommit = false);
    template<typename... T> [[nodiscard]] Result<Rows> query(Sql id, const T&... values)
    {
        Batch batch;
        batch.add(id, values...);
        CAIRN_TRY_ASSIGN(auto answers, run(batch));
        return std::move(answers.front());
    }
    // Runs constant SQL without parameters, several statements at once: for making and changing tables.
    [[nodiscard]] Status execute(const char* constantSql);
    void rollback() noexcept;

    // What the last error of run() was.
    [[nodiscard]] const Verdict& verdict() const noexcept { return m_verdict; }
    // The constraint that it named; empty: none.
    [[nodiscard]] const std::string& constraint() const noexcept { return m_constraint; }
    [[nodiscard]] bool poisoned() const noexcept { return m_poisoned; }

    // From any thread: asks the server to end the running statement.
    void interrupt() noexcept;

private:
    struct CancelFree {
        void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
    };
    struct Sent {
        std::size_t item = 0;
        bool prepares = false;
    };

    [[nodiscard]] Status setUp();
    [[nodiscard]] Status limit();
    [[nodiscard]] Status plain(const char* constantSql);
    [[nodiscard]] bool send(const Batch& batch, std::vector<Sent>& sent);
    [[nodiscard]] bool sendItem(const Batch::Item& item, std::size_t at, std::vector<Sent>& sent);
    [[nodiscard]] std::optional<Error> receive(
        const Batch& batch, const std::vector<Sent>& sent, bool withCommit, std::vector<Rows>& answers);
    [[nodiscard]] Error failed(const PGresult* result, bool commitSent);
    [[nodiscard]] Error lost(bool commitSent);
    static void onNotice(void* self, const PGresult* notice);

    Target m_target;
    Session m_session;
    ConnHandle m_conn;
    std::chrono::steady_clock::time_point m_began{};  // of what run() was asked last
    std::atomic<bool> m_interrupted = false;          // since then
    std::mutex m_cancelMutex;
    std::unique_ptr<PGcancel, CancelFree> m_cancel;
    std::array<bool, kSqlCount> m_prepared{};
    Verdict m_verdict;
    std::string m_constraint;
    bool m_poisoned = false;
    bool m_onlyLocal = false;
};

}  // namespace cairn::postgres
