// Commits on a PostgreSQL server: groups of 1, 10 and 100 members, each a step of a run as an engine writes
// it, beside the floor of the same server (single rows inserted and committed one by one). Run it under
// packaging/with-postgres.

#include "core/base/rng.h"
#include "core/model/codec.h"
#include "core/store/postgres/postgres_store.h"
#include "tests/bench/figures.h"
#include "tests/store/builders.h"

#include <libpq-fe.h>

#include <memory>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

struct Finish {
    void operator()(PGconn* conn) const noexcept { PQfinish(conn); }
};

class Raw {
public:
    explicit Raw(const std::string& url)
        : m_conn(PQconnectdb(url.c_str()))
    {
    }
    void exec(const char* constantSql)
    {
        PGresult* result = PQexec(m_conn.get(), constantSql);
        if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
            fail(PQerrorMessage(m_conn.get()));
        PQclear(result);
    }
    [[nodiscard]] std::string value(const char* constantSql)
    {
        PGresult* result = PQexec(m_conn.get(), constantSql);
        std::string text = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
        PQclear(result);
        return text;
    }

private:
    std::unique_ptr<PGconn, Finish> m_conn;
};

double floorRowsPerSecond(const std::string& url, double seconds)
{
    Raw raw(url);
    raw.exec("SET client_min_messages = error");
    raw.exec("DROP TABLE IF EXISTS public.cairn_bench_floor");
    raw.exec("CREATE TABLE public.cairn_bench_floor(id bigserial PRIMARY KEY, body bytea NOT NULL)");
    raw.exec(
        "PREPARE one AS INSERT INTO public.cairn_bench_floor(body) VALUES(decode(repeat('ab', 300), 'hex'))");
    int rows = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
        raw.exec("EXECUTE one");
        ++rows;
    }
    const double rate = rows / watch.seconds();
    raw.exec("DROP TABLE public.cairn_bench_floor");
    return rate;
}

// Runs of one client, each a step further with every group.
class Client {
public:
    Client(const std::string& url, int number, int runs)
        : m_store(must(postgres::openStore(url, {})))
    {
        SessionRow session = testing::sessionRow("bench " + std::to_string(number), 1000);
        must(m_store->openSession(session));
        std::vector<CommitMember> starts;
        for (int i = 0; i < runs; ++i) {
            m_writers.emplace_back("bench " + std::to_string(number) + "/" + std::to_string(i), session.id);
            CommitMember start = m_writers.back().create();
            start.list = m_writers.back().listRow();
            starts.push_back(std::move(start));
        }
        commit(starts, 0);
    }
    // A step completed and the next one begun: entry, two step rows, two attempts, a result.
    void steps(std::size_t count)
    {
        std::vector<CommitMember> members;
        const std::size_t first = m_next;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = (first + i) % m_writers.size();
            members.push_back(step(m_writers[at], at));
        }
        m_next = (first + count) % m_writers.size();
        commit(members, first);
    }

private:
    CommitMember step(const testing::Writer& writer, std::size_t at)
    {
        const std::string name = std::to_string(at) + "/" + std::to_string(writer.version);
        CommitMember m = writer.next(name);
        const auto ix = static_cast<StepIx>(writer.version);
        m.steps = {testing::stepRow(ix, name, StepState::Complete),
            testing::stepRow(ix + 1, name, StepState::Running)};
        AttemptRow done = testing::attemptRow(name, ix, 1, writer.by);
        done.endedAt = 7;
        m.attempts = {done, testing::attemptRow(name + "+", ix + 1, 1, writer.by)};
        m.payloads = {testing::inlinePayload(toText(writer.run) + name, std::string(200, 'x'))};
        return m;
    }
    void commit(const std::vector<CommitMember>& members, std::size_t first)
    {
        std::vector<MemberResult> results;
        must(m_store->commit(members, results));
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].kind != MemberResult::Kind::Committed)
                fail("a member was not committed: " + results[i].error.text);
            m_writers[(first + i) % m_writers.size()].committed(members[i]);
        }
    }

    std::unique_ptr<StoreWriter> m_store;
    std::vector<testing::Writer> m_writers;
    std::size_t m_next = 0;
};

void measure(const std::string& url, int clients, std::size_t group, double seconds)
{
    std::vector<std::vector<double>> times(static_cast<std::size_t>(clients));
    std::vector<std::unique_ptr<Client>> all;
    static int number = 0;
    for (int i = 0; i < clients; ++i)
        all.push_back(std::make_unique<Client>(url, number++, std::max<int>(static_cast<int>(group), 8)));
    Raw raw(url);
    const std::string before = raw.value("SELECT pg_current_wal_lsn()");
    const Stopwatch whole;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < all.size(); ++i)
            threads.emplace_back([&, i] {
                while (whole.seconds() < seconds) {
                    const Stopwatch one;
                    all[i]->steps(group);
                    times[i].push_back(one.ms());
                }
            });
    }
    const double took = whole.seconds();
    std::vector<double> merged;
    for (const auto& t : times)
        merged.insert(merged.end(), t.begin(), t.end());
    const double steps = static_cast<double>(merged.size() * group);
    const std::string name = std::to_string(clients) + (clients == 1 ? " client" : " clients")
        + ", groups of " + std::to_string(group);
    figure(name + ": steps", steps / took, "/s");
    figure(name + ": commit p50", percentile(merged, 0.5), "ms");
    figure(name + ": commit p99", percentile(merged, 0.99), "ms");
    const std::string wal = raw.value(("SELECT pg_current_wal_lsn() - '" + before + "'::pg_lsn").c_str());
    figure(name + ": WAL per step", std::stod(wal) / steps, "bytes");
}

}  // namespace

int main(int argc, char** argv)
{
    const char* url = std::getenv("CAIRN_STORE");
    if (url == nullptr || !postgres::isPostgresUrl(url))
        fail("CAIRN_STORE names no PostgreSQL server; run this as packaging/with-postgres bench_postgres");
    const double seconds = number(argc, argv, "--seconds", 3);
    {
        Raw raw(url);
        raw.exec("SET client_min_messages = error");
        raw.exec("DROP SCHEMA IF EXISTS cairn CASCADE");
        std::printf("fsync %s, synchronous_commit %s, server %s\n", raw.value("SHOW fsync").c_str(),
            raw.value("SHOW synchronous_commit").c_str(), raw.value("SHOW server_version").c_str());
    }
    must(postgres::initStore(url, {}));
    figure("floor: single rows of 300 bytes, 1 client", floorRowsPerSecond(url, seconds), "/s");
    for (const int clients : {1, 4})
        for (const std::size_t group : {std::size_t{1}, std::size_t{10}, std::size_t{100}})
            measure(url, clients, group, seconds);
    const auto store = must(postgres::openStore(url, {}));
    const Stopwatch checking;
    const auto problems = must(store->check(false));
    figure("check, quick", checking.ms(), "ms");
    if (!problems.empty())
        fail(problems.front().where + ": " + problems.front().text);
    return 0;
}
