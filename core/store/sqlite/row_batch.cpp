#include "core/store/sqlite/row_batch.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

constexpr std::size_t kRows = 16;     // of the statements whose names end so
constexpr std::size_t kAtMost = 128;  // then they are written: a multiple of it

struct Statements {
    Sql one;
    Sql many;
};

template<typename Row> Statements statementsFor();
template<> Statements statementsFor<SealedEntry>() { return {Sql::InsertEntry, Sql::InsertEntry16}; }
template<> Statements statementsFor<StepRow>() { return {Sql::InsertStep, Sql::InsertStep16}; }
template<> Statements statementsFor<PayloadRow>() { return {Sql::InsertPayload, Sql::InsertPayload16}; }
template<> Statements statementsFor<AttemptRow>()
{
    return kSchema >= 2 ? Statements{Sql::InsertAttempt2, Sql::InsertAttempt2x16}
                        : Statements{Sql::InsertAttempt1, Sql::InsertAttempt1x16};
}

}  // namespace

void bindRow(Query& query, const RunId& run, const SealedEntry& e)
{
    query.bind(run, e.version, e.command, e.format, Blob{e.hash.view()}, Blob{e.body});
}

void bindRow(Query& query, const RunId& run, const StepRow& s)
{
    query.bind(run, s.ix, s.id, s.name, s.tool, s.agent, s.kind, s.safety, s.state, s.reason, s.since, s.due,
        s.revision, s.attempts, s.failures, s.lost, s.input, s.output, s.error, s.effect, s.readyAt,
        s.startedAt, s.endedAt);
}

void bindRow(Query& query, const RunId& run, const AttemptRow& a)
{
    query.bind(run, a.step, a.id, a.number, a.purpose, a.session, a.worker, a.startedAt, a.endedAt, a.how,
        a.effect, a.error);
    if (kSchema >= 2)
        query.bind(a.trace, static_cast<std::int64_t>(a.span));
}

void bindRow(Query& query, const RunId& run, const PayloadRow& p)
{
    query.bind(
        run, p.ref.id, Blob{p.ref.hash.view()}, p.ref.size, p.ref.media, p.salt, p.artifact, Blob{p.bytes});
}

template<typename Row> Status RowBatch::write(Rows<Row>& rows)
{
    if (rows.size() > 1)
        std::stable_sort(rows.begin(), rows.end(),
            [](const Of<Row>& a, const Of<Row>& b) { return a.run->bytes < b.run->bytes; });
    const Statements statements = statementsFor<Row>();
    std::size_t at = 0;
    while (at < rows.size()) {
        const std::size_t count = rows.size() - at >= kRows ? kRows : 1;
        Query query(m_db, count == 1 ? statements.one : statements.many);
        for (std::size_t i = 0; i < count; ++i)
            bindRow(query, *rows[at + i].run, *rows[at + i].row);
        CAIRN_TRY(query.run());
        at += count;
    }
    rows.clear();
    return {};
}

template<typename Row> Status RowBatch::add(Rows<Row>& rows, const RunId& run, const Row& row)
{
    rows.push_back({&run, &row});
    return rows.size() < kAtMost ? Status() : write(rows);
}

Status RowBatch::addEntry(const CommitMember& member) { return add(m_entries, member.run, member.entry); }
Status RowBatch::addStep(const RunId& run, const StepRow& row) { return add(m_steps, run, row); }
Status RowBatch::addAttempt(const RunId& run, const AttemptRow& row) { return add(m_attempts, run, row); }
Status RowBatch::addPayload(const RunId& run, const PayloadRow& row) { return add(m_payloads, run, row); }

Status RowBatch::writeAll()
{
    CAIRN_TRY(write(m_entries));
    CAIRN_TRY(write(m_steps));
    CAIRN_TRY(write(m_attempts));
    return write(m_payloads);
}

}  // namespace cairn::sqlite
