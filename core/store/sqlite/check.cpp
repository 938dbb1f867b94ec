#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

// Rows of (where, what) are problems.
Status SqliteStore::collect(Sql id, const char* table, std::vector<VerifyProblem>& problems)
{
    Query query(db(), id);
    return forEach(query, [&](Query& q) {
        std::string where, text;
        q.read(where, text);
        problems.push_back({std::string(table) + ' ' + where, text});
    });
}

Status SqliteStore::checkAuditChain(std::vector<VerifyProblem>& problems)
{
    AuditVerifier verifier;
    std::vector<AuditRow> rows;  // their texts keep their room from page to page
    for (std::uint64_t after = 0;; after = rows.back().seq) {
        CAIRN_TRY(auditPage(after, 500, rows));
        if (rows.empty())
            return {};
        for (const AuditRow& row : rows)
            if (!verifier.next(row)) {
                problems.push_back({"audit", verifier.problem()});
                return {};
            }
    }
}

// One chunk at a time, so that a check of many artifacts needs little memory.
Status SqliteStore::checkChunks(std::vector<VerifyProblem>& problems)
{
    for (std::int64_t place = 0;;) {
        ChunkRow row;
        {
            Query chunk(db(), Sql::AllChunks);
            CAIRN_TRY_ASSIGN(const bool more, chunk.bind(place).step());
            if (!more)
                return {};
            chunk.read(row.artifact, row.index, row.digest, row.size, row.stored, place);
        }
        const std::string where = "artifact " + toText(row.artifact);
        const std::string which = "chunk " + std::to_string(row.index) + " is damaged";
        const auto bytes = chunkBytes(std::move(row), which);
        if (!bytes && bytes.error().kind != ErrorKind::Corrupt)
            return bytes.error();
        if (!bytes)
            problems.push_back({where, bytes.error().text});
    }
}

Result<std::vector<VerifyProblem>> SqliteStore::check(bool deep)
{
    std::vector<VerifyProblem> problems;
    {
        Query query(db(), deep ? Sql::IntegrityCheck : Sql::QuickCheck);
        CAIRN_TRY(forEach(query, [&](Query& q) {
            std::string text;
            q.read(text);
            if (text != "ok")
                problems.push_back({"database", text});
        }));
    }
    CAIRN_TRY_ASSIGN(const Standing standing, readStanding(db()));
    for (const std::string& text : standing.problems)
        problems.push_back({"schema", text});
    CAIRN_TRY_ASSIGN(const std::string synchronous, pragma(db(), "PRAGMA synchronous"));
    if (synchronous != "2" && !m_options.synchronousNormal)
        problems.push_back({"connection", "synchronous is " + synchronous + ", not FULL"});
    CAIRN_TRY(checkAuditChain(problems));
    CAIRN_TRY(collect(Sql::ChangeAhead, "list", problems));
    constexpr std::size_t kTold = 20;
    CAIRN_TRY_ASSIGN(const std::vector<Review> open, reviews(false, kTold));
    for (const Review& review : open)
        problems.push_back(openReview(review));
    if (!deep)
        return problems;
    {
        Query query(db(), Sql::ForeignKeyCheck);
        CAIRN_TRY(forEach(query, [&](Query& q) {
            std::string text;
            q.read(text);
            problems.push_back({"database", text});
        }));
    }
    for (const Sql id : {Sql::BrokenHistories, Sql::BrokenHeads, Sql::LostEntries, Sql::LostRows,
             Sql::ListAhead, Sql::ListUncounted})
        CAIRN_TRY(collect(id, "run", problems));
    for (const Sql id : {Sql::BadChunks, Sql::UnusedArtifacts})
        CAIRN_TRY(collect(id, "artifact", problems));
    CAIRN_TRY(checkChunks(problems));
    return problems;
}

}  // namespace cairn::sqlite
