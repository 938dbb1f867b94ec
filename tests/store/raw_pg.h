#pragma once
// A plain connection to a PostgreSQL server, as somebody with psql would have it. One thread at a time.

#include <libpq-fe.h>

#include <string>

namespace cairn::testing {

struct RawPg {
    explicit RawPg(const std::string& url)
        : conn(PQconnectdb(url.c_str()))
    {
        PQsetNoticeProcessor(
            conn, [](void*, const char*) {}, nullptr);
    }
    ~RawPg() { PQfinish(conn); }
    RawPg(const RawPg&) = delete;
    RawPg& operator=(const RawPg&) = delete;
    // Empty: done. Else the SQLSTATE and the error's text.
    std::string exec(const std::string& sql) const
    {
        PGresult* result = PQexec(conn, sql.c_str());
        const auto status = PQresultStatus(result);
        std::string error;
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            error =
                (state == nullptr ? std::string("?????") : std::string(state)) + ' ' + PQerrorMessage(conn);
        }
        PQclear(result);
        return error;
    }
    std::string value(const std::string& sql) const
    {
        PGresult* result = PQexec(conn, sql.c_str());
        std::string value = "none";
        if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0)
            value = PQgetisnull(result, 0, 0) != 0 ? "null" : PQgetvalue(result, 0, 0);
        PQclear(result);
        return value;
    }
    PGconn* conn;
};

}  // namespace cairn::testing
