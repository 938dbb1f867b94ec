#pragma once
// New rows that no later member of a group asks for before the group's end: entries, steps of new runs,
// attempts that begin, inline payloads. They are written sixteen to a statement, in the order of their runs:
// a statement costs about as much by itself as the row that it writes, and each one that writes entries keeps
// copies of the pages that it changes, for the triggers of that table. Only plain INSERTs: a row that is
// there already is an error, and the group is then written again member by member (see GroupCommit).

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

class RowBatch {
public:
    explicit RowBatch(Db& db)
        : m_db(db)
    {
    }

    // What is given must outlive the batch; it is written by these calls, or by writeAll().
    [[nodiscard]] Status addEntry(const CommitMember& member);
    [[nodiscard]] Status addStep(const RunId& run, const StepRow& row);
    [[nodiscard]] Status addAttempt(const RunId& run, const AttemptRow& row);
    [[nodiscard]] Status addPayload(const RunId& run, const PayloadRow& row);
    [[nodiscard]] Status writeAll();
    [[nodiscard]] bool empty() const noexcept
    {
        return m_entries.empty() && m_steps.empty() && m_attempts.empty() && m_payloads.empty();
    }

private:
    template<typename Row> struct Of {
        const RunId* run;
        const Row* row;
    };
    template<typename Row> using Rows = std::vector<Of<Row>>;

    template<typename Row> [[nodiscard]] Status add(Rows<Row>& rows, const RunId& run, const Row& row);
    template<typename Row> [[nodiscard]] Status write(Rows<Row>& rows);

    Db& m_db;
    Rows<SealedEntry> m_entries;
    Rows<StepRow> m_steps;
    Rows<AttemptRow> m_attempts;
    Rows<PayloadRow> m_payloads;
};

// One row each, in the order of the statements' columns.
void bindRow(Query& query, const RunId& run, const SealedEntry& row);
void bindRow(Query& query, const RunId& run, const StepRow& row);
void bindRow(Query& query, const RunId& run, const AttemptRow& row);
void bindRow(Query& query, const RunId& run, const PayloadRow& row);  // inline

}  // namespace cairn::sqlite
