// A run with all that belongs to it, call by call: for stores that answer at once.

#include "core/store/store.h"

namespace cairn {

namespace {

Status readRows(StoreReader& store, const RunId& run, WholeRun& whole)
{
    CAIRN_TRY_ASSIGN(auto lists, store.listRows(std::span(&run, 1)));
    if (!lists.empty())
        whole.list = std::move(lists.front());
    CAIRN_TRY_ASSIGN(whole.steps, store.steps(run));
    CAIRN_TRY_ASSIGN(whole.attempts, store.attempts(run, kNoStep));
    CAIRN_TRY_ASSIGN(whole.approvals, store.approvals(run));
    CAIRN_TRY_ASSIGN(whole.attributes, store.attributes(run));
    CAIRN_TRY_ASSIGN(whole.effects, store.effectsOfRun(run));
    return {};
}

}  // namespace

Result<std::vector<WholeRun>> StoreReader::wholeRuns(std::span<const RunId> runs, const RunParts& parts)
{
    std::vector<WholeRun> all;
    all.reserve(runs.size());
    for (const RunId& run : runs) {
        WholeRun& whole = all.emplace_back();
        if (parts.entries) {
            CAIRN_TRY_ASSIGN(whole.loaded, loadRun(run, 1, 0));
        } else {
            CAIRN_TRY_ASSIGN(whole.loaded.hot, hot(run));
        }
        if (parts.rows)
            CAIRN_TRY(readRows(*this, run, whole));
    }
    return all;
}

}  // namespace cairn
