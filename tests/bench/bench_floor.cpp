// What bare SQLite does at the same durability (WAL, synchronous=FULL): the floor that the other figures are compared to.

#include "tests/bench/figures.h"

#include <sqlite3.h>

#include <cstdlib>
#include <string>

namespace {

using namespace cairn::bench;

void must(int code, sqlite3* db)
{
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return;
    std::fprintf(stderr, "sqlite: %s\n", db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    std::exit(1);
}

void run(sqlite3* db, const char* sql) { must(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), db); }

// Rows of 300 bytes, `batch` to a commit; gives rows per second.
double insertRate(sqlite3* db, int batch, int rows)
{
    sqlite3_stmt* insert = nullptr;
    must(sqlite3_prepare_v2(db, "INSERT INTO floor(a, b) VALUES(?1, ?2)", -1, &insert, nullptr), db);
    const std::string body(300, 'x');
    Stopwatch watch;
    for (int done = 0; done < rows; done += batch) {
        run(db, "BEGIN IMMEDIATE");
        for (int i = 0; i < batch; ++i) {
            must(sqlite3_bind_int64(insert, 1, done + i), db);
            must(sqlite3_bind_blob(insert, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC), db);
            must(sqlite3_step(insert), db);
            must(sqlite3_reset(insert), db);
        }
        run(db, "COMMIT");
    }
    const double seconds = watch.seconds();
    sqlite3_finalize(insert);
    return rows / seconds;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string path = freshFile(argument(argc, argv, "--dir", "."), "bench-floor.db");
    sqlite3* db = nullptr;
    must(sqlite3_open(path.c_str(), &db), db);
    run(db, "PRAGMA journal_mode=WAL");
    run(db, "PRAGMA synchronous=FULL");
    run(db, "CREATE TABLE floor(a INTEGER, b BLOB)");
    std::printf("SQLite %s, WAL, synchronous=FULL, rows of 300 bytes\n", sqlite3_libversion());
    figure("floor: single commits", insertRate(db, 1, 4000), "commits/s");
    for (const int batch : {10, 100, 300})
        figure("floor: rows, " + std::to_string(batch) + " to a commit", insertRate(db, batch, batch * 300), "rows/s");
    sqlite3_close(db);
    freshFile(argument(argc, argv, "--dir", "."), "bench-floor.db");
    return 0;
}
