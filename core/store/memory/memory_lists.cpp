#include "core/store/checks.h"
#include "core/store/memory/list_match.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>
#include <tuple>

namespace cairn {

namespace {

void add(TimeMs& earliest, TimeMs time)
{
    if (time != kNoTime && (earliest == kNoTime || time < earliest))
        earliest = time;
}

void addAssigned(SituationRow& row, const std::string& person)
{
    if (person.empty())
        return;
    row.assigned = row.assignedRuns == 0 ? person : std::min(row.assigned, person);
    row.assignedLast = std::max(row.assignedLast, person);
    ++row.assignedRuns;
}

}  // namespace

std::vector<const ListRow*> MemoryStore::matching(const ListFilter& filter) const
{
    ListLookup look;
    look.hasAttribute = [this](const RunId& run, const std::string& name, const std::string& text) {
        const auto& attributes = m_db->runs.at(run).attributes;
        const auto found = attributes.find(name);
        return found != attributes.end() && found->second.text == text;
    };
    look.worksOn = [this](const RunId& run, const std::string& name) {
        const MemoryRun& row = m_db->runs.at(run);
        const auto owner = m_db->sessions.find(row.hot.owner);
        if (owner != m_db->sessions.end() && owner->second.name == name)
            return true;
        return std::any_of(row.attempts.begin(), row.attempts.end(), [&](const auto& attempt) {
            return attempt.second.endedAt == kNoTime && attempt.second.worker == name;
        });
    };
    look.actedOn = [this](const RunId& run, const std::string& name) {
        return std::any_of(m_db->audit.begin(), m_db->audit.end(), [&](const AuditRow& row) {
            return row.run == run && row.kind == "applied" && row.actor == name;
        });
    };
    look.sessions = [this](const RunId& run) {
        std::vector<SessionId> sessions;
        for (const auto& [place, attempt] : m_db->runs.at(run).attempts)
            if (attempt.endedAt == kNoTime && !attempt.session.isNull())
                sessions.push_back(attempt.session);
        return sessions;
    };
    std::vector<const ListRow*> rows;
    for (const auto& [id, run] : m_db->runs)
        if (run.list && matches(filter, *run.list, look))
            rows.push_back(&*run.list);
    return rows;
}

Result<RunPage> MemoryStore::list(
    const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit)
{
    std::vector<const ListRow*> rows = matching(filter);
    if (after) {
        std::erase_if(
            rows, [&](const ListRow* row) { return !precedes(*after, pageKey(*row, order), order); });
    }
    std::sort(rows.begin(), rows.end(), [order](const ListRow* a, const ListRow* b) {
        return precedes(pageKey(*a, order), pageKey(*b, order), order);
    });
    RunPage page;
    for (std::size_t i = 0; i < std::min(limit, rows.size()); ++i)
        page.rows.push_back(*rows[i]);
    if (rows.size() > limit && limit > 0)
        page.next = pageKey(page.rows.back(), order);
    return page;
}

Result<std::uint64_t> MemoryStore::count(const ListFilter& filter)
{
    return static_cast<std::uint64_t>(matching(filter).size());
}

Result<std::vector<CountRow>> MemoryStore::counts(const ListFilter& filter)
{
    std::map<std::tuple<Attention, Activity, Reason>, CountRow> groups;
    for (const ListRow* row : matching(filter)) {
        CountRow& group = groups[{row->attention, row->activity, row->reason}];
        group.attention = row->attention;
        group.activity = row->activity;
        group.reason = row->reason;
        ++group.count;
        add(group.oldest, row->since);
    }
    std::vector<CountRow> out;
    for (const auto& [key, group] : groups)
        out.push_back(group);
    return out;
}

Result<SituationList> MemoryStore::situations(const ListFilter& filter, std::size_t limit)
{
    struct Group {
        SituationRow row;
        const ListRow* oldest = nullptr;
    };
    std::map<std::string, Group> groups;
    for (const ListRow* row : matching(filter)) {
        if (row->situation.empty())
            continue;
        Group& group = groups[row->situation];
        group.row.attention =
            group.row.count == 0 ? row->attention : std::min(group.row.attention, row->attention);
        ++group.row.count;
        add(group.row.oldest, row->since);
        add(group.row.nextTime, row->nextTime);
        addAssigned(group.row, row->assigned);
        if (!group.oldest
            || std::tie(row->since, row->run) < std::tie(group.oldest->since, group.oldest->run))
            group.oldest = row;
    }
    SituationList out;
    for (auto& [text, group] : groups) {
        const ListRow& example = *group.oldest;
        SituationRow row = group.row;
        row.situation = text;
        row.reason = example.reason;
        row.workflow = example.workflow;
        row.workflowVersion = example.workflowVersion;
        row.step = example.step;
        row.error = example.error;
        row.resource = example.resource;
        row.example = example.run;
        out.rows.push_back(std::move(row));
    }
    std::sort(out.rows.begin(), out.rows.end(), [](const SituationRow& a, const SituationRow& b) {
        return std::tie(a.attention, a.oldest, a.situation) < std::tie(b.attention, b.oldest, b.situation);
    });
    out.total = out.rows.size();
    if (out.rows.size() > limit)
        out.rows.resize(limit);
    return out;
}

Result<std::vector<SituationStarts>> MemoryStore::situationStarts(
    const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    const std::vector<std::string> asked = inOrder(situations);
    std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> slots;
    for (const ListRow* row : matching(filter))
        if (row->since >= from && !row->situation.empty()
            && std::binary_search(asked.begin(), asked.end(), row->situation))
            ++slots[{row->situation, static_cast<std::uint64_t>((row->since - from) / width)}];
    std::vector<SituationStarts> starts;
    for (const auto& [place, count] : slots)
        starts.push_back({place.first, place.second, count});
    return starts;
}

Result<std::vector<SituationStarts>> MemoryStore::situationNext(
    const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    std::map<std::uint64_t, std::uint64_t> slots;
    for (const ListRow* row : matching(filter))
        if (row->nextTime >= from && row->situation == situation && !situation.empty())
            ++slots[static_cast<std::uint64_t>((row->nextTime - from) / width)];
    std::vector<SituationStarts> next;
    for (const auto& [slot, count] : slots)
        next.push_back({situation, slot, count});
    return next;
}

Result<std::vector<SituationPart>> MemoryStore::situationParts(
    const ListFilter& filter, const std::string& situation)
{
    std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
    for (const ListRow* row : matching(filter))
        if (row->situation == situation && !situation.empty())
            ++counts[{row->workflow, row->step}];
    std::vector<SituationPart> parts;
    for (const auto& [what, count] : counts)
        parts.push_back({what.first, what.second, count});
    return parts;
}

Result<std::vector<ListRow>> MemoryStore::listRows(std::span<const RunId> runs)
{
    std::vector<ListRow> out;
    for (const RunId& id : runs)
        if (const auto found = m_db->runs.find(id); found != m_db->runs.end() && found->second.list)
            out.push_back(*found->second.list);
    return out;
}

Result<Changes> MemoryStore::changesSince(std::uint64_t cursor, std::size_t limit)
{
    Changes changes;
    changes.cursor = m_db->change;
    if (cursor == 0)
        return changes;
    auto at = m_db->byChange.upper_bound(cursor);
    for (; at != m_db->byChange.end() && changes.rows.size() <= limit; ++at)
        changes.rows.push_back(*m_db->runs.at(at->second).list);
    for (const auto& [run, stone] : m_db->tombstones)
        if (stone.changed > cursor)
            changes.removed.push_back({run, stone.changed});
    std::sort(changes.removed.begin(), changes.removed.end(),
        [](const GoneRun& a, const GoneRun& b) { return a.changed < b.changed; });
    const std::uint64_t last = keepOldest(changes, limit);
    if (changes.more)
        changes.cursor = last == 0 ? cursor : last;
    return changes;
}

}  // namespace cairn
