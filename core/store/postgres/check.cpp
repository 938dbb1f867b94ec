#include "core/base/text.h"
#include "core/store/postgres/roles.h"
#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

Status PostgresStore::checkAuditChain(std::vector<VerifyProblem>& problems)
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
Status PostgresStore::checkChunks(std::vector<VerifyProblem>& problems)
{
    ArtifactId artifact;
    std::int64_t index = -1;
    for (;;) {
        const auto readChunk = [](Rows& q, ChunkRow& r) {
            q.read(r.artifact, r.index, r.digest, r.size, r.stored);
        };
        CAIRN_TRY_ASSIGN(
            auto chunk, readAll<ChunkRow>(Sql::NextChunk, readChunk, RawId{artifact.bytes}, index));
        if (chunk.empty())
            return {};
        artifact = chunk.front().artifact;
        index = chunk.front().index;
        const std::string which = "chunk " + std::to_string(index) + " is damaged";
        const auto bytes = chunkBytes(std::move(chunk.front()), which);
        if (!bytes && bytes.error().kind != ErrorKind::Corrupt)
            return bytes.error();
        if (!bytes)
            problems.push_back({"artifact " + toText(artifact), bytes.error().text});
    }
}

Status PostgresStore::checkSettings(std::vector<VerifyProblem>& problems)
{
    CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::Settings));
    while (rows.next()) {
        std::string name, setting;
        rows.read(name, setting);
        const bool durable =
            name == "synchronous_commit" ? setting != "off" && setting != "local" : setting == "on";
        if (!durable && !(name == "synchronous_commit" && m_options.synchronousNormal))
            problems.push_back({"server", name + " is " + setting + ": acknowledged commits can be lost"});
    }
    return {};
}

Status PostgresStore::checkReviews(std::vector<VerifyProblem>& problems)
{
    constexpr std::size_t kTold = 100;
    CAIRN_TRY_ASSIGN(const std::vector<Review> open, reviews(false, kTold));
    for (const Review& review : open)
        problems.push_back(openReview(review));
    return {};
}

Result<std::vector<VerifyProblem>> PostgresStore::check(bool deep)
{
    std::vector<VerifyProblem> problems;
    CAIRN_TRY(reading([&]() -> Status {
        problems.clear();
        CAIRN_TRY_ASSIGN(const Standing standing, readStanding(*m_db));
        for (const std::string& text : standing.problems)
            problems.push_back({"schema", text});
        CAIRN_TRY_ASSIGN(const auto rights, rightsProblems(*m_db));
        for (const std::string& text : rights)
            problems.push_back({"rights", text});
        return checkSettings(problems);
    }));
    CAIRN_TRY(checkAuditChain(problems));
    CAIRN_TRY(checkReviews(problems));
    struct Question {
        Sql id;
        const char* about;
        bool deepOnly;
    };
    static constexpr Question kQuestions[] = {{Sql::AuditBehindHead, "audit", false},
        {Sql::BrokenHistories, "run", true}, {Sql::BrokenHeads, "run", true}, {Sql::LostEntries, "run", true},
        {Sql::LostRows, "run", true}, {Sql::ListAhead, "run", true}, {Sql::ListUncounted, "run", true},
        {Sql::BadChunks, "artifact", true}, {Sql::UnusedArtifacts, "artifact", true}};
    for (const Question& question : kQuestions) {
        if (question.deepOnly && !deep)
            continue;
        Batch batch;
        batch.add(question.id);
        CAIRN_TRY_ASSIGN(auto answers, analyse(batch, Haste::Unhurried));
        while (answers.front().next()) {
            std::string where, text;
            answers.front().read(where, text);
            problems.push_back({std::string(question.about) + ' ' + where, text});
        }
    }
    if (deep)
        CAIRN_TRY(checkChunks(problems));
    return problems;
}

}  // namespace cairn::postgres
