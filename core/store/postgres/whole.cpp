// Runs with all that belongs to them: one snapshot, one round trip.

#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

namespace {

constexpr std::uint64_t kAllEntries = std::uint64_t{1} << 62U;

void ask(Batch& batch, const RunId& run, const RunParts& parts)
{
    if (parts.entries)
        batch.add(Sql::IdentityOf, run);
    batch.add(Sql::HotOf, run);
    if (parts.entries)
        batch.add(Sql::Entries, run, 0, kAllEntries);
    if (parts.rows) {
        batch.add(Sql::ListRowsOf, Column::of(Type::Uuid, std::span(&run, 1)));
        batch.add(Sql::StepsOf, run);
        batch.add(kSchema >= 2 ? Sql::Attempts2 : Sql::Attempts1, run, kNoStep, true);
        batch.add(Sql::ApprovalsOf, run);
        batch.add(Sql::AttributesOf, run);
        batch.add(Sql::EffectsOfRun, run);
    }
    if (parts.payloads)
        batch.add(Sql::PayloadsOf, run);
}

template<typename Row, typename ReadRow> void readInto(std::vector<Row>& out, Rows& rows, ReadRow&& readRow)
{
    out.reserve(rows.count());
    while (rows.next())
        readRow(rows, out.emplace_back());
}

void readPayload(Rows& q, StoredPayload& p)
{
    q.read(p.info.ref.id, p.info.ref.hash, p.info.ref.size, p.info.ref.media, p.info.salt, p.info.artifact,
        p.info.by, p.bytes);
    p.info.redacted = p.info.by != 0;
}

void readRows(std::span<Rows> answers, const RunId& run, WholeRun& whole)
{
    if (answers[0].next())
        readListRow(answers[0], whole.list.emplace());
    readInto(whole.steps, answers[1], readStep);
    readInto(whole.attempts, answers[2], [&](Rows& q, AttemptRow& a) { readAttempt(q, run, a); });
    readInto(whole.approvals, answers[3], readApproval);
    readInto(whole.attributes, answers[4], readAttribute);
    readInto(whole.effects, answers[5], readEffect);
}

constexpr std::size_t kRunAnswers = 3;
constexpr std::size_t kRowAnswers = 6;

// `at` moves on to the answers of the next run.
Status answer(
    std::vector<Rows>& answers, std::size_t& at, const RunId& run, const RunParts& parts, WholeRun& whole)
{
    const std::span all(answers);
    if (parts.entries) {
        CAIRN_TRY_ASSIGN(whole.loaded, readRun(all.subspan(at).first<kRunAnswers>(), run, 1, kAllEntries));
        at += kRunAnswers;
    } else if (Rows& hot = answers[at++]; hot.next()) {
        readHot(hot, whole.loaded.hot);
    } else {
        return noRun(run);
    }
    if (parts.rows) {
        readRows(all.subspan(at, kRowAnswers), run, whole);
        at += kRowAnswers;
    }
    if (parts.payloads)
        readInto(whole.payloads.emplace(), answers[at++], readPayload);
    return {};
}

}  // namespace

Result<std::vector<WholeRun>> PostgresStore::wholeRuns(std::span<const RunId> runs, const RunParts& parts)
{
    return reading([&]() -> Result<std::vector<WholeRun>> {
        Batch batch;
        batch.add(Sql::BeginReading);
        for (const RunId& run : runs)
            ask(batch, run, parts);
        batch.add(Sql::Commit);
        auto answers = m_db->run(batch);
        if (!answers) {
            const Error error = answers.error();
            m_db->rollback();
            return error;
        }
        std::vector<WholeRun> all(runs.size());
        std::size_t at = 1;
        for (std::size_t i = 0; i < runs.size(); ++i)
            CAIRN_TRY(answer(*answers, at, runs[i], parts, all[i]));
        return all;
    });
}

}  // namespace cairn::postgres
