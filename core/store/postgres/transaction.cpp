#include "core/store/postgres/store_impl.h"

#include "core/base/failpoint.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRetryInAll{5000};
constexpr int kLongestPause = 250;  // ms
constexpr SpanMs kTimeIsGoodFor = 1'000;

}  // namespace

bool Retrying::again(ErrorKind kind, bool mayRepeat)
{
    const bool passing = kind == ErrorKind::Busy || kind == ErrorKind::Disconnected
        || (mayRepeat && kind == ErrorKind::OutcomeUnknown);
    if (!passing || steady_clock::now() - m_began >= kRetryInAll)
        return false;
    SystemRng rng;
    const int most = std::min(kLongestPause, 2 << std::min(m_tries++, 10));
    std::this_thread::sleep_for(
        milliseconds(1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(most)))));
    return true;
}

Result<std::vector<Rows>> Transaction::begin(const Batch& first)
{
    Batch batch;
    batch.add(Sql::Begin);
    if (m_asOwner)
        batch.add(Sql::BecomeOwner);
    batch.add(Sql::LockWriting);
    const std::size_t numbers = batch.add(Sql::WriteNumbers);
    batch.append(first);
    CAIRN_TRY_ASSIGN(auto answers, m_db.run(batch));
    Rows& row = answers[numbers];
    if (!row.next())
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    readNumbers(row, m_numbers);
    row.readMore(m_serverNow, m_number);
    CAIRN_TRY(checkWriter(m_numbers.minWriter, kSchema, m_intoFence));
    answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(numbers) + 1);
    return answers;
}

Result<std::vector<Rows>> Transaction::commit()
{
    if (failpoint::hit("store.before_commit"))
        return makeError(ErrorKind::Io, "stopped by a failpoint before COMMIT");
    m_last.add(Sql::Commit);
    auto answers = m_db.run(m_last, true);
    if (answers && failpoint::hit("store.after_commit"))
        return makeError(ErrorKind::OutcomeUnknown, "failpoint store.after_commit");
    return answers;
}

Status PostgresStore::ready()
{
    if (m_untold != hint::kNone)
        sendHints();
    if (m_db->connected())
        return {};
    CAIRN_TRY(m_db->connect());
    if (!m_opened)
        return {};
    if (!m_label.empty())
        CAIRN_TRY(m_db->query(Sql::ShowLabel, m_label));
    CAIRN_TRY(readInfo());
    return {};
}

Status PostgresStore::writeOnce(const Body& body)
{
    CAIRN_TRY(ready());
    Transaction transaction(*m_db, m_options.intoFence, m_options.intoFence != 0 && m_info.roles);
    CAIRN_TRY(body(transaction));
    if (!m_db->inTransaction())  // the body found nothing to do
        return {};
    CAIRN_TRY(transaction.commit());
    return {};
}

Status PostgresStore::write(const Body& body, Repeat repeat)
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    for (Retrying retrying;;) {
        if (m_db->poisoned())
            return makeError(ErrorKind::Io,
                "an earlier write failed in the server's storage; look at the server's log, then close the "
                "store and check it before writing again");
        Status status = writeOnce(body);
        if (status || !retrying.again(status.error().kind, repeat == Repeat::Harmless))
            return status;
    }
}

// The server's clock, read again after a second; in between by the monotonic clock. The offset of a test
// clock may be moved by others at any time.
Result<TimeMs> PostgresStore::now()
{
    if (m_info.testClock)
        return reading([&]() -> Result<TimeMs> {
            CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::Now));
            TimeMs now = kNoTime;
            if (rows.next())
                rows.read(now);
            return now;
        });
    SpanMs since = m_clock.monotonicMs() - m_serverTimeAt;
    if (m_serverTime == kNoTime || since < 0 || since > kTimeIsGoodFor) {
        CAIRN_TRY_ASSIGN(const TimeMs read, reading([&]() -> Result<TimeMs> {
            CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::ServerNow));
            TimeMs now = kNoTime;
            if (rows.next())
                rows.read(now);
            return now;
        }));
        m_serverTime = read;
        m_serverTimeAt = m_clock.monotonicMs();
        since = 0;
    }
    // Reading it anew may find it a few milliseconds behind what was said last.
    const TimeMs now = m_serverTime + since;
    if (now > m_lastNow || m_lastNow - now > kTimeIsGoodFor)
        m_lastNow = now;
    return m_lastNow;
}

Result<std::vector<Rows>> PostgresStore::analyse(const Batch& batch, Haste haste)
{
    return reading([&]() -> Result<std::vector<Rows>> {
        Batch whole;
        whole.add(Sql::BeginReading);
        whole.add(Sql::Analyse);
        if (haste == Haste::Unhurried)
            whole.add(Sql::Unhurried);
        const auto before = static_cast<std::ptrdiff_t>(whole.items().size());
        whole.append(batch);
        whole.add(Sql::Commit);
        auto answers = m_db->run(whole);
        if (!answers) {
            const Error error = answers.error();
            m_db->rollback();
            return error;
        }
        answers->erase(answers->begin(), answers->begin() + before);
        answers->pop_back();
        return answers;
    });
}

}  // namespace cairn::postgres
