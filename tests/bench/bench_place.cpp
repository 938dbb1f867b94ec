#include "tests/bench/bench_place.h"

#include "core/store/postgres/postgres_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/figures.h"

#include <cstdlib>
#include <libpq-fe.h>

namespace cairn::bench {

namespace {

std::string ask(const std::string& url, const char* sql)
{
    const std::unique_ptr<PGconn, void (*)(PGconn*)> conn(PQconnectdb(url.c_str()), &PQfinish);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(conn.get(), sql), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail(PQerrorMessage(conn.get()));
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

}  // namespace

BenchPlace::BenchPlace(std::string dir, const std::string& name, Where where)
    : m_dir(std::move(dir))
{
    const char* server = where == Where::File ? nullptr : std::getenv("CAIRN_STORE");
    m_server = server != nullptr && postgres::isPostgresUrl(server);
    m_path = m_dir + "/" + name;
    m_url = m_server ? server : "sqlite:" + m_path;
}

BenchPlace::~BenchPlace() { clear(); }

void BenchPlace::clear() const
{
    if (m_server)
        ask(m_url, "SET client_min_messages = error; DROP SCHEMA IF EXISTS cairn CASCADE");
    else
        freshFile(m_dir, std::filesystem::path(m_path).filename());
}

void BenchPlace::anew()
{
    clear();
    must(m_server ? postgres::initStore(m_url, {}) : sqlite::initStore(m_path, {}));
}

Result<std::unique_ptr<StoreWriter>> BenchPlace::open() const
{
    return m_server ? postgres::openStore(m_url, StoreOptions{}) : sqlite::openStore(m_path, StoreOptions{});
}

std::string BenchPlace::words() const
{
    return m_server ? "PostgreSQL " + ask(m_url, "SHOW server_version") : "a file";
}

}  // namespace cairn::bench
