#pragma once
// One write transaction on PostgreSQL, and how long a call is tried again.

#include "core/store/postgres/shared.h"

#include <chrono>

namespace cairn::postgres {

// The pauses of one call that is tried again: full jitter, capped, 5 s in all.
class Retrying {
public:
    // Pauses. False: that was long enough, or the error is not one to try again after.
    [[nodiscard]] bool again(ErrorKind kind, bool mayRepeat);

private:
    std::chrono::steady_clock::time_point m_began = std::chrono::steady_clock::now();
    int m_tries = 0;
};

// One write transaction as seen by what is done in it.
class Transaction {
public:
    // `asOwner`: with the rights of cairn_owner, as which a store with roles is filled.
    explicit Transaction(Db& db, std::uint32_t intoFence = 0, bool asOwner = false)
        : m_db(db)
        , m_intoFence(intoFence)
        , m_asOwner(asOwner)
    {
    }
    ~Transaction() { m_db.rollback(); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    // Begins with the first statements of its work in the same round trip: their answers.
    [[nodiscard]] Result<std::vector<Rows>> begin(const Batch& first);
    [[nodiscard]] Result<std::vector<Rows>> run(const Batch& batch) { return m_db.run(batch); }
    template<typename... T> [[nodiscard]] Result<Rows> query(Sql id, const T&... values)
    {
        return m_db.query(id, values...);
    }
    // Statements that go with COMMIT, in its round trip.
    [[nodiscard]] Batch& last() noexcept { return m_last; }
    // OutcomeUnknown where the link was lost after COMMIT had been sent. The answers of last().
    [[nodiscard]] Result<std::vector<Rows>> commit();

    [[nodiscard]] const Numbers& numbers() const noexcept { return m_numbers; }
    // Store time, by the server's clock, when it began.
    [[nodiscard]] TimeMs now() const noexcept { return m_serverNow + m_numbers.clockOffset; }
    // The transaction's number, which never repeats.
    [[nodiscard]] std::uint64_t number() const noexcept { return m_number; }

private:
    Db& m_db;
    std::uint32_t m_intoFence;
    bool m_asOwner;
    Batch m_last;
    Numbers m_numbers;
    TimeMs m_serverNow = kNoTime;
    std::uint64_t m_number = 0;
};

}  // namespace cairn::postgres
