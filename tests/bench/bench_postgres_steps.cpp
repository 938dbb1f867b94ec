// Durable no-op steps per second on a PostgreSQL server, the whole path of bench_steps: one, two and four
// engines (each with its own service, writer thread and connections) on one store. Run it under
// packaging/with-postgres. The floor is that of bench_postgres: single rows inserted and committed one by one
// by as many clients.

#include "core/store/postgres/postgres_store.h"
#include "tests/bench/service_bench.h"

#include <libpq-fe.h>

#include <memory>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr int kSteps = 10;  // of a run

class Raw {
public:
    explicit Raw(const std::string& url)
        : m_conn(PQconnectdb(url.c_str()), &PQfinish)
    {
    }
    std::string value(const std::string& sql)
    {
        const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
            PQexec(m_conn.get(), sql.c_str()), &PQclear);
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            fail(PQerrorMessage(m_conn.get()));
        return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
    }
    double count(const std::string& sql) { return std::stod(value(sql)); }

private:
    std::unique_ptr<PGconn, void (*)(PGconn*)> m_conn;
};

// What the server had done by then.
struct ServerCount {
    explicit ServerCount(Raw& raw)
    {
        raw.value("SELECT pg_stat_force_next_flush()");
        lsn = raw.value("SELECT pg_current_wal_lsn()");
        syncs = raw.count("SELECT wal_sync FROM pg_stat_wal");
        commits = raw.count("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
    }
    std::string lsn;
    double syncs = 0;
    double commits = 0;
};

// As many rows as `clients` can insert, `together` of them in a statement and a commit.
double floorRate(const std::string& url, int clients, int together, double seconds)
{
    Raw setup(url);
    setup.value("DROP TABLE IF EXISTS public.cairn_bench_floor");
    setup.value("CREATE TABLE public.cairn_bench_floor(id bigserial PRIMARY KEY, body bytea NOT NULL)");
    std::vector<int> rows(static_cast<std::size_t>(clients));
    const Stopwatch watch;
    {
        std::vector<std::jthread> threads;
        for (int& mine : rows)
            threads.emplace_back([&] {
                Raw raw(url);
                raw.value("PREPARE several(integer) AS INSERT INTO public.cairn_bench_floor(body) "
                          "SELECT decode(repeat('ab', 300), 'hex') FROM generate_series(1, $1)");
                const std::string execute = "EXECUTE several(" + std::to_string(together) + ")";
                while (watch.seconds() < seconds) {
                    raw.value(execute);
                    mine += together;
                }
            });
    }
    double all = 0;
    for (const int mine : rows)
        all += mine;
    const double rate = all / watch.seconds();
    setup.value("DROP TABLE public.cairn_bench_floor");
    return rate;
}

using Engines = std::vector<std::unique_ptr<ServiceBench>>;

void concurrentRuns(Raw& raw, Engines& engines, int count, const std::string& kind, int concurrent, int scale)
{
    const int runs = std::max(1, (concurrent == 1 ? 300 : concurrent < 64 ? 1000 : 3000) * scale / 100);
    const int each = std::max(1, runs / count);
    const int together = std::max(1, concurrent / count);
    const ServerCount before(raw);
    const postgres::Traffic sent = postgres::traffic();
    const Stopwatch watch;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back(
                [&, i] { engines[static_cast<std::size_t>(i)]->runAll(kind, together, each); });
    }
    const double seconds = watch.seconds();
    const postgres::Traffic all = postgres::traffic();
    const ServerCount after(raw);
    const double steps = static_cast<double>(each) * count * kSteps;
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const auto& mine = engines[static_cast<std::size_t>(i)]->stepMs;
        times.insert(times.end(), mine.begin(), mine.end());
    }
    const std::string name =
        kind + ", engines " + std::to_string(count) + ", concurrent runs " + std::to_string(concurrent);
    figure(name, steps / seconds, "steps/s");
    figure(name + ": runs", static_cast<double>(each) * count / seconds, "runs/s");
    figure(name + ": statements", static_cast<double>(all.statements - sent.statements) / steps, "/step");
    figure(name + ": round trips", static_cast<double>(all.roundTrips - sent.roundTrips) / steps, "/step");
    figure(name + ": step p50", percentile(times, 0.5), "ms");
    figure(name + ": step p99", percentile(times, 0.99), "ms");
    figure(name + ": log syncs", (after.syncs - before.syncs) / steps, "syncs/step");
    figure(name + ": transactions", (after.commits - before.commits) / steps, "/step");
    figure(name + ": log written",
        raw.count("SELECT pg_current_wal_lsn() - '" + before.lsn + "'::pg_lsn") / steps, "bytes/step");
}

}  // namespace

int main(int argc, char** argv)
{
    const char* place = std::getenv("CAIRN_STORE");
    if (place == nullptr || !postgres::isPostgresUrl(place))
        fail("CAIRN_STORE names no PostgreSQL server; run this as packaging/with-postgres "
             "bench_postgres_steps");
    const std::string url = place;
    const int scale = number(argc, argv, "--scale", 100);
    const int most = number(argc, argv, "--engines", 4);
    Raw raw(url);
    raw.value("SET client_min_messages = error");
    raw.value("DROP SCHEMA IF EXISTS cairn CASCADE");
    std::printf("server %s, fsync %s, synchronous_commit %s\n", raw.value("SHOW server_version").c_str(),
        raw.value("SHOW fsync").c_str(), raw.value("SHOW synchronous_commit").c_str());
    for (const int clients : {1, 8, 32})
        figure("floor: single rows, clients " + std::to_string(clients), floorRate(url, clients, 1, 2),
            "rows/s");
    for (const int clients : {1, 8, 32})
        figure("floor: batches of 100 rows, clients " + std::to_string(clients),
            floorRate(url, clients, 100, 2), "rows/s");
    must(postgres::initStore(url, {}));
    Engines engines;
    for (int i = 0; i < most; ++i) {
        engines.push_back(
            std::make_unique<ServiceBench>([&url] { return postgres::openStore(url, StoreOptions{}); }));
        engines.back()->output = R"({"ok":true})";
    }
    for (const bool writing : {false, true})
        engines.front()->add(chainWorkflow(writing ? "writing" : "read-only", kSteps, writing));
    engines.front()->add(chainWorkflow("three", 3, false));
    engines.front()->add(chainWorkflow("thousand", 1000, false));
    for (int count = 1; count <= most; count *= 2)
        for (const int concurrent : {1, 8, 64, 512})
            if (concurrent >= count)
                concurrentRuns(raw, engines, count, "read-only", concurrent, scale);
    for (const int concurrent : {1, 512})
        concurrentRuns(raw, engines, 1, "writing", concurrent, scale);
    const int sequences = std::max(1, 2 * scale / 100);
    const Stopwatch watch;
    engines.front()->runAll("thousand", 1, sequences);
    figure("one run of 1,000 steps, one after another", sequences * 1000 / watch.seconds(), "steps/s");
    engines.front()->runAll("three", 1, std::max(1, 300 * scale / 100));
    percentiles("run of 3 steps, start to closed", engines.front()->runMs, "ms");
    return 0;
}
