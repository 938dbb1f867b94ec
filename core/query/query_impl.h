#pragma once
// Inside of the query layer.

#include "core/query/tell.h"
#include "core/service/sessions.h"

#include <map>
#include <set>

namespace cairn {

struct Query::Impl {
    Impl(StoreReader& r, const Clock& c)
        : reader(r)
        , clock(c)
    {
    }

    [[nodiscard]] Result<TimeMs> now() { return reader.now(); }
    [[nodiscard]] std::shared_ptr<const Definition> definition(const WorkflowRef& ref);
    struct Folded {
        RunRow identity;
        HotRow hot;
        RunState state;
    };
    [[nodiscard]] Result<Folded> fold(const RunId& run, std::uint64_t version);
    // `heard`: null for an earlier version, which is told as it was.
    [[nodiscard]] Explanation explained(
        const RunState& state, const Definition* def, TimeMs at, const HeardSessions* heard);
    // What a decision is given here, and which writers the store admits.
    [[nodiscard]] std::pair<Given, std::uint32_t> given(
        const Definition* def, TimeMs at, const HeardSessions* heard);
    // --- lists.cpp: rows are as of their last commit; a worker that was lost since then makes none.
    [[nodiscard]] Result<HeardSessions> heard();
    [[nodiscard]] Result<ListFilter> resolved(const ListFilter& filter, const HeardSessions& heard);
    // The group of runs that a resolved filter lets through and whose worker is lost; nullopt: there are
    // none.
    [[nodiscard]] Result<std::optional<SituationRow>> lostSituation(
        const ListFilter& resolved, const HeardSessions& heard);
    // Whose runs they are that it counts.
    [[nodiscard]] Status tellAssigned(ListFilter executing, SituationRow& row);
    [[nodiscard]] Status tellParts(const ListFilter& resolved, SituationRow& row);
    Status tellLost(std::span<ListRow> rows, const HeardSessions& heard);
    // What a sentence is told from, of a run and of the children that its wait is followed through.
    struct Telling {
        TimeMs at = kNoTime;
        const HeardSessions* heard = nullptr;  // null: an earlier version; nothing that is so now is asked
        std::vector<std::pair<RunId, Sentence>>* chain = nullptr;
        std::set<RunId> visited{};
        int depth = 0;
    };
    [[nodiscard]] Lookup lookup(const RunState& state, Telling& telling);
    void lookUpPresent(Lookup& look, const RunState& state, Telling& telling);
    [[nodiscard]] std::optional<ChildTold> unstarted(const RunState& parent, const RunId& child);
    [[nodiscard]] std::optional<ChildTold> childTold(
        const RunState& parent, const RunId& run, Telling& telling);
    [[nodiscard]] Told told(
        const RunState& state, const Explanation& explanation, const Definition* def, Telling& telling);
    // The ids of a run's steps, by their number, as of the version `needed` or later; the store has at least
    // `newest`. Valid until the next call.
    [[nodiscard]] Result<const std::vector<std::string>*> stepIds(
        const RunId& run, std::uint64_t needed, std::uint64_t newest);
    // run_views.cpp
    [[nodiscard]] static Status fillRows(Query& query, std::vector<Relation>& relations);
    // A payload's text in one visible line, clipped.
    [[nodiscard]] std::optional<std::string> line(const RunId& run, const PayloadRef& ref);

    StoreReader& reader;
    StoreReader* compared = &reader;
    const Clock& clock;
    SessionGone gone;  // null: only leases tell
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const Definition>> definitions;

private:
    RunId m_stepsOf;
    std::uint64_t m_stepsAt = 0;
    std::vector<std::string> m_stepIds;
};

// One line that tells an entry; `steps` are the ids of the run's steps as of it or later.
[[nodiscard]] std::string historyLine(const Entry& entry, const std::vector<std::string>& steps);
[[nodiscard]] std::string dotOf(const RunState& state);

// A working context. `bytes` gives a payload or says why not.
struct ContextSource {
    const RunState& state;
    const RunRow& identity;
    const Sentence& sentence;
    const Explanation& explanation;
    // From its beginning, at most so many.
    std::function<Result<std::string>(const PayloadRef&, std::size_t most)> bytes;
    TimeMs now = kNoTime;
};
[[nodiscard]] std::string contextMarkdown(const ContextSource& source, std::size_t budgetBytes);
[[nodiscard]] std::string contextJson(const ContextSource& source, std::size_t budgetBytes);

}  // namespace cairn
