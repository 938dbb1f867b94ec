#include "core/plan/fate.h"

#include <unordered_map>

namespace cairn {

namespace {

// The verb ends what the run does, instead of letting it go on.
bool stops(Verb verb) { return verb == Verb::Pause || verb == Verb::Cancel || verb == Verb::Compensate; }

bool isStopped(Activity activity) { return activity == Activity::Paused || isFinished(activity); }

Result<std::unordered_map<RunId, ListRow>> rowsOf(StoreReader& reader, const std::vector<PlanItem>& items)
{
    std::vector<RunId> runs;
    runs.reserve(items.size());
    for (const PlanItem& item : items)
        runs.push_back(item.run);
    CAIRN_TRY_ASSIGN(auto rows, reader.listRows(runs));
    std::unordered_map<RunId, ListRow> by;
    for (ListRow& row : rows)
        by.emplace(row.run, std::move(row));
    return by;
}

}  // namespace

// A wait that began after the act, in the place that the act took the run out of, is the same trouble again.
PlanFate fateOf(Verb verb, const PlanItem& item, const ListRow* now)
{
    if (item.state != PlanItemState::Done)
        return PlanFate::None;
    if (!now)
        return PlanFate::Unknown;
    if (isFinished(now->activity))
        return PlanFate::Finished;
    if (stops(verb))
        return isStopped(now->activity) ? PlanFate::Moved : PlanFate::NotYet;
    const bool same = !item.situation.empty() && now->situation == item.situation;
    if (same)
        return now->since >= item.doneAt && now->version > item.version ? PlanFate::Again : PlanFate::NotYet;
    return now->version > item.version ? PlanFate::Moved : PlanFate::NotYet;
}

Result<PlanFates> readFates(
    StoreReader& reader, const PlanId& plan, Verb verb, TimeMs since, std::uint32_t upTo, const SeeFate& each)
{
    PlanFates fates;
    for (std::uint32_t after = 0;;) {
        CAIRN_TRY_ASSIGN(auto items, reader.planItems(plan, after, kPlanPage, PlanItemState::Done));
        if (items.empty())
            return fates;
        after = items.back().ord;
        CAIRN_TRY_ASSIGN(const auto rows, rowsOf(reader, items));
        for (PlanItem& item : items) {
            if (upTo > 0 && item.ord > upTo)
                return fates;
            if (item.doneAt < since)
                continue;
            const auto row = rows.find(item.run);
            item.fate = fateOf(verb, item, row == rows.end() ? nullptr : &row->second);
            if (item.fate == PlanFate::Unknown) {  // one that retention removed had ended
                CAIRN_TRY_ASSIGN(const auto stone, reader.tombstone(item.run));
                item.fate = stone ? PlanFate::Finished : PlanFate::Unknown;
            }
            ++fates.count[static_cast<std::size_t>(item.fate)];
            ++fates.done;
            if (each)
                each(std::move(item));
        }
    }
}

}  // namespace cairn
