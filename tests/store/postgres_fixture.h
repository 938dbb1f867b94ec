#pragma once
// A store on the throw-away server of packaging/with-postgres, and raw access to it, as somebody with psql
// would have it. One database, so one store at a time: init() takes away what was there.

#include "core/store/postgres/postgres_store.h"
#include "core/store/postgres/store_impl.h"
#include "tests/store/builders.h"
#include "tests/store/raw_pg.h"
#include "tests/support/cairn_qtest.h"

#include <cstdio>
#include <cstdlib>

namespace cairn::testing {

struct PostgresStoreFixture {
    std::string url = std::getenv("CAIRN_STORE") == nullptr ? "" : std::getenv("CAIRN_STORE");

    // Without a server: says so; a failure where CI is set, else left out.
    [[nodiscard]] static std::optional<int> withoutServer()
    {
        const char* store = std::getenv("CAIRN_STORE");
        if (store != nullptr && postgres::isPostgresUrl(store))
            return std::nullopt;
        const bool ci = std::getenv("CI") != nullptr;
        std::fprintf(stderr,
            "%s: CAIRN_STORE names no PostgreSQL server; run this under packaging/with-postgres\n",
            ci ? "FAIL" : "SKIP");
        return ci ? 1 : 77;
    }
    void drop() const
    {
        const RawPg raw(url);
        const std::string error = raw.exec("DROP SCHEMA IF EXISTS cairn CASCADE");
        if (!error.empty())
            qFatal("%s", error.c_str());
    }
    void init(
        std::uint32_t schema = postgres::kSchema, const InitOptions& options = {"test", true, true}) const
    {
        drop();
        const Status made = postgres::initStoreAt(url, options, schema);
        if (!made)
            qFatal("%s", errorLine(made.error()).c_str());
    }
    [[nodiscard]] std::unique_ptr<StoreWriter> open(const StoreOptions& options = {}) const
    {
        auto store = postgres::openStore(url, options);
        if (!store)
            qFatal("%s", errorLine(store.error()).c_str());
        return *std::move(store);
    }
};

// main() of a test that needs the server.
#define CAIRN_POSTGRES_TEST_MAIN(Test) \
    int main(int argc, char** argv) \
    { \
        if (const auto code = cairn::testing::PostgresStoreFixture::withoutServer()) \
            return *code; \
        Test test; \
        return QTest::qExec(&test, argc, argv); \
    }

}  // namespace cairn::testing
