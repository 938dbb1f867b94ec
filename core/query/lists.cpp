// Lists with what shows without a commit: attempts whose engine is no longer heard.

#include "core/query/query_impl.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cairn {

namespace {

constexpr const char* kLostSituation = "lease";

template<typename Enum> bool has(const std::vector<Enum>& values, Enum value)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

// The rows of a term that are executing and have no other reason: those that a lost worker may have.
std::optional<ListTerm> executingOf(ListTerm term)
{
    const bool excluded = has(term.notActivity, Activity::Executing)
        || (!term.activity.empty() && !has(term.activity, Activity::Executing));
    if (excluded)
        return std::nullopt;
    term.activity = {Activity::Executing};
    term.reason = {Reason::None};
    std::erase(term.notReason, Reason::None);
    return term;
}

// Those rows of a term that count as lost: no other reason is asked for.
std::optional<ListTerm> lostOf(ListTerm term, const HeardSessions& heard)
{
    if ((!term.reason.empty() && !has(term.reason, Reason::Lease)) || has(term.notReason, Reason::Lease))
        return std::nullopt;
    auto lost = executingOf(std::move(term));
    if (lost)
        lost->lost = heard.living();
    return lost;
}

// Of a resolved filter: the terms under which lost runs are found.
ListFilter lostAmong(const ListFilter& resolved, const HeardSessions& heard)
{
    ListFilter out;
    for (const ListTerm& term : resolved.empty() ? ListFilter(1) : resolved)
        if (auto part = executingOf(term);
            part && !part->notLost && (term.reason.empty() || has(term.reason, Reason::None))) {
            part->lost = heard.living();
            out.push_back(*std::move(part));
        }
    return out;
}

// A paused run is that whatever else it waits for: its row has one reason, and another may press more.
ListFilter withPaused(const ListFilter& filter)
{
    ListFilter out;
    for (ListTerm term : filter) {
        if (has(term.notReason, Reason::Paused))
            term.notActivity.push_back(Activity::Paused);
        if (has(term.reason, Reason::Paused)) {
            ListTerm paused = term;
            paused.reason.clear();
            paused.activity = {Activity::Paused};
            const bool none = has(term.notActivity, Activity::Paused)
                || (!term.activity.empty() && !has(term.activity, Activity::Paused));
            if (!none)
                out.push_back(std::move(paused));
            std::erase(term.reason, Reason::Paused);
            if (term.reason.empty() && !none)
                continue;
            if (term.reason.empty())
                term.run = RunId{};  // nothing can be both
        }
        out.push_back(std::move(term));
    }
    return out;
}

constexpr std::uint64_t kMostParted = 100'000;  // of more runs it is not told what they are runs of

bool comesBefore(const SituationRow& a, const SituationRow& b)
{
    return std::tie(a.attention, a.oldest, a.situation) < std::tie(b.attention, b.oldest, b.situation);
}

void mark(ListRow& row, const AttemptRow& attempt, const LostSession& lost)
{
    row.reason = Reason::Lease;
    row.since = lost.lastHeard == kNoTime ? attempt.startedAt : lost.lastHeard;
    row.nextTime = lost.takenOverAt;
}

}  // namespace

Result<HeardSessions> Query::Impl::heard()
{
    CAIRN_TRY_ASSIGN(const TimeMs at, now());
    return hearSessions(reader, at, gone);
}

Result<ListFilter> Query::Impl::resolved(const ListFilter& filter, const HeardSessions& heard)
{
    ListFilter out;
    for (ListTerm term : withPaused(filter)) {
        if (std::erase(term.situation, kLostSituation) > 0) {
            const bool others = !term.situation.empty();
            ListTerm all = term;
            all.situation.clear();
            if (auto lost = lostOf(std::move(all), heard))
                out.push_back(*std::move(lost));
            if (!others)
                continue;
        }
        if (has(term.notReason, Reason::Lease)) {
            ListTerm without = term;
            without.notLost = heard.living();
            out.push_back(std::move(without));
            continue;
        }
        if (term.reason.empty()) {
            out.push_back(term);
            continue;
        }
        ListTerm others = term;
        std::erase(others.reason, Reason::Lease);
        if (has(others.reason, Reason::None) && others.reason.size() == term.reason.size())
            others.notLost = heard.living();
        if (!others.reason.empty())
            out.push_back(std::move(others));
        auto lost = has(term.reason, Reason::Lease) ? executingOf(term) : std::nullopt;
        if (lost) {
            lost->lost = heard.living();
            out.push_back(*std::move(lost));
        }
    }
    if (out.empty() && !filter.empty()) {  // nothing can have it; an empty filter would be everything
        out.emplace_back();
        out.back().run = RunId{};
    }
    return out;
}

// In rows that are executing: the step's attempts tell by whom.
Status Query::Impl::tellLost(std::span<ListRow> rows, const HeardSessions& heard)
{
    for (ListRow& row : rows) {
        if (row.activity != Activity::Executing || row.reason != Reason::None)
            continue;
        CAIRN_TRY_ASSIGN(const HotRow hot, reader.hot(row.run));
        if (!hot.owner.isNull() && !heard.lost(hot.owner))
            continue;
        CAIRN_TRY_ASSIGN(const auto attempts, reader.attempts(row.run, kNoStep));
        for (const AttemptRow& attempt : attempts)
            if (const auto lost = heard.lost(attempt.session); lost && attempt.endedAt == kNoTime) {
                mark(row, attempt, *lost);
                break;
            }
    }
    return {};
}

Result<RunPage> Query::list(
    const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    CAIRN_TRY_ASSIGN(RunPage page, m_impl->reader.list(resolved, order, after, limit));
    CAIRN_TRY(m_impl->tellLost(page.rows, heard));
    return page;
}

Result<std::uint64_t> Query::count(const ListFilter& filter)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    return m_impl->reader.count(resolved);
}

Result<std::vector<CountRow>> Query::counts(const ListFilter& filter)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    CAIRN_TRY_ASSIGN(auto counts, m_impl->reader.counts(resolved));
    const ListFilter executing = lostAmong(resolved, heard);
    if (executing.empty())
        return counts;
    CAIRN_TRY_ASSIGN(const auto lost, m_impl->reader.counts(executing));
    for (const CountRow& row : lost) {
        for (CountRow& all : counts)
            if (all.attention == row.attention && all.activity == row.activity && all.reason == row.reason)
                all.count -= std::min(all.count, row.count);
        counts.push_back(row);
        counts.back().reason = Reason::Lease;
    }
    std::erase_if(counts, [](const CountRow& row) { return row.count == 0; });
    return counts;
}

Status Query::Impl::tellAssigned(ListFilter executing, SituationRow& row)
{
    for (ListTerm& term : executing)
        term.notAssigned.emplace_back();
    CAIRN_TRY_ASSIGN(row.assignedRuns, reader.count(executing));
    if (row.assignedRuns == 0)
        return {};
    const auto one = [&]() -> Result<std::string> {
        CAIRN_TRY_ASSIGN(
            const RunPage page, reader.list(executing, ListOrder::AttentionThenOldest, std::nullopt, 1));
        return page.rows.empty() ? std::string() : page.rows.front().assigned;
    };
    CAIRN_TRY_ASSIGN(row.assigned, one());
    for (ListTerm& term : executing)
        term.notAssigned.push_back(row.assigned);
    CAIRN_TRY_ASSIGN(row.assignedLast, one());
    if (row.assignedLast.empty())
        row.assignedLast = row.assigned;
    else if (row.assignedLast < row.assigned)
        std::swap(row.assigned, row.assignedLast);
    return {};
}

Result<std::optional<SituationRow>> Query::Impl::lostSituation(
    const ListFilter& resolved, const HeardSessions& heard)
{
    const ListFilter executing = lostAmong(resolved, heard);
    if (executing.empty())
        return std::optional<SituationRow>();
    SituationRow row;
    CAIRN_TRY_ASSIGN(row.count, reader.count(executing));
    CAIRN_TRY_ASSIGN(RunPage page, reader.list(executing, ListOrder::AttentionThenOldest, std::nullopt, 1));
    if (row.count == 0 || page.rows.empty())
        return std::optional<SituationRow>();
    CAIRN_TRY(tellLost(page.rows, heard));
    const ListRow& example = page.rows.front();
    row.situation = kLostSituation;
    row.reason = Reason::Lease;
    row.attention = example.attention;
    row.oldest = example.since;
    row.nextTime = example.nextTime;
    row.example = example.run;
    CAIRN_TRY(tellAssigned(executing, row));
    if (row.count == 1) {
        row.workflow = example.workflow;
        row.workflowVersion = example.workflowVersion;
        row.step = example.step;
    }
    return std::optional(std::move(row));
}

// What a resource keeps waiting may be runs of anything.
Status Query::Impl::tellParts(const ListFilter& resolved, SituationRow& row)
{
    if (row.reason != Reason::Resource || row.count == 1)
        return {};
    if (row.count <= kMostParted) {
        CAIRN_TRY_ASSIGN(row.parts, reader.situationParts(resolved, row.situation));
        if (row.parts.size() <= 1)
            return {};
    }
    const auto same = [&row](std::string SituationPart::*what, const std::string& as) {
        return !row.parts.empty()
            && std::all_of(row.parts.begin(), row.parts.end(),
                [&](const SituationPart& part) { return part.*what == as; });
    };
    if (!same(&SituationPart::workflow, row.workflow)) {
        row.workflow.clear();
        row.workflowVersion = 0;
    }
    if (!same(&SituationPart::step, row.step))
        row.step.clear();
    return {};
}

Result<SituationList> Query::situations(const ListFilter& filter, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    CAIRN_TRY_ASSIGN(SituationList list, m_impl->reader.situations(resolved, limit));
    for (SituationRow& row : list.rows)
        CAIRN_TRY(m_impl->tellParts(resolved, row));
    CAIRN_TRY_ASSIGN(auto lost, m_impl->lostSituation(resolved, heard));
    if (!lost)
        return list;
    ++list.total;
    const auto place = std::lower_bound(list.rows.begin(), list.rows.end(), *lost, comesBefore);
    list.rows.insert(place, *std::move(lost));
    if (list.rows.size() > limit)
        list.rows.pop_back();
    return list;
}

Result<std::vector<SituationStarts>> Query::situationStarts(
    const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    return m_impl->reader.situationStarts(resolved, situations, from, width);
}

Result<std::vector<SituationStarts>> Query::situationNext(
    const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width)
{
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY_ASSIGN(const ListFilter resolved, m_impl->resolved(filter, heard));
    return m_impl->reader.situationNext(resolved, situation, from, width);
}

Result<std::vector<ListRow>> Query::rows(std::span<const RunId> runs)
{
    CAIRN_TRY_ASSIGN(auto rows, m_impl->reader.listRows(runs));
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY(m_impl->tellLost(rows, heard));
    return rows;
}

Result<Changes> Query::changesSince(std::uint64_t cursor, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(Changes changes, m_impl->reader.changesSince(cursor, limit));
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    CAIRN_TRY(m_impl->tellLost(changes.rows, heard));
    return changes;
}

}  // namespace cairn
