#pragma once
// A store in a folder of its own, and raw access to its file, as somebody with a shell would have it.

#include "core/store/sqlite/sqlite_store.h"
#include "core/store/sqlite/store_impl.h"
#include "tests/store/builders.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

namespace cairn::testing {

struct RawDb {
    explicit RawDb(const std::string& path, int flags = SQLITE_OPEN_READWRITE)
    {
        sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
    }
    ~RawDb() { sqlite3_close(db); }
    RawDb(const RawDb&) = delete;
    RawDb& operator=(const RawDb&) = delete;
    // Empty: done. Else the error's text.
    std::string exec(const std::string& sql) const
    {
        char* text = nullptr;
        sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &text);
        const std::string error = text == nullptr ? "" : text;
        sqlite3_free(text);
        return error;
    }
    std::string value(const std::string& sql) const
    {
        sqlite3_stmt* stmt = nullptr;
        sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr);
        const sqlite::StmtHandle owner(stmt);
        if (stmt == nullptr || sqlite3_step(stmt) != SQLITE_ROW)
            return "none";
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(stmt, 0));
        return text == nullptr ? "null" : text;
    }
    sqlite3* db = nullptr;
};

struct Folder {
    Scratch scratch;
    std::string path = scratch.file("store.db");

    void init(std::uint32_t schema = sqlite::kSchema) const
    {
        const Status made = sqlite::initStoreAt(path, {"test", false, true}, schema);
        if (!made)
            qFatal("%s", errorLine(made.error()).c_str());
    }
    std::unique_ptr<StoreWriter> open(const StoreOptions& options = {}) const
    {
        auto store = sqlite::openStore(path, options);
        if (!store)
            qFatal("%s", errorLine(store.error()).c_str());
        return *std::move(store);
    }
};

// One answer of a commit of one member.
inline Result<MemberResult> commitOne(StoreWriter& store, const CommitMember& member)
{
    std::vector<MemberResult> results;
    const Status status = store.commit(std::span(&member, 1), results);
    if (!status)
        return status.error();
    return results.front();
}

inline bool committed(StoreWriter& store, Writer& writer, const CommitMember& member)
{
    const auto result = commitOne(store, member);
    if (!result || result->kind != MemberResult::Kind::Committed)
        return false;
    writer.committed(member);
    return true;
}

}  // namespace cairn::testing
