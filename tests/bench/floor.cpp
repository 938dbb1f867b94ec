#include "tests/bench/floor.h"

#include "tests/bench/figures.h"

#include <sqlite3.h>

namespace cairn::bench {

namespace {

constexpr const char* kFile = "bench-floor.db";

}  // namespace

void Floor::must(int code) const
{
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        fail(std::string("sqlite: ") + (m_db != nullptr ? sqlite3_errmsg(m_db) : sqlite3_errstr(code)));
}

void Floor::run(const char* sql) const { must(sqlite3_exec(m_db, sql, nullptr, nullptr, nullptr)); }

Floor::Floor(const std::string& dir)
    : m_dir(dir)
{
    must(sqlite3_open(freshFile(dir, kFile).c_str(), &m_db));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE floor(a INTEGER, b BLOB)");
    must(sqlite3_prepare_v2(m_db, "INSERT INTO floor(a, b) VALUES(?1, ?2)", -1, &m_insert, nullptr));
}

Floor::~Floor()
{
    sqlite3_finalize(m_insert);
    sqlite3_close(m_db);
    freshFile(m_dir, kFile);
}

void Floor::insert(int batch) const
{
    static const std::string body(300, 'x');
    run("BEGIN IMMEDIATE");
    for (int i = 0; i < batch; ++i) {
        must(sqlite3_bind_int64(m_insert, 1, i));
        must(sqlite3_bind_blob(m_insert, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC));
        must(sqlite3_step(m_insert));
        must(sqlite3_reset(m_insert));
    }
    run("COMMIT");
}

double Floor::rowsPerSecond(int batch, double seconds)
{
    double rows = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
        insert(batch);
        rows += batch;
    }
    return rows / watch.seconds();
}

}  // namespace cairn::bench
