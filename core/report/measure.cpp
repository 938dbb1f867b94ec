// What a real store holds, for an estimate.

#include "core/report/estimate.h"

#include "core/machine/sums.h"

#include <algorithm>
#include <unordered_set>

namespace cairn {

namespace {

// The payloads that facts name, each once in a run.
class Payloads {
public:
    explicit Payloads(std::int64_t& bytes)
        : m_bytes(bytes)
    {
    }
    void clear() { m_seen.clear(); }
    void add(const PayloadRef& ref)
    {
        if (ref && m_seen.insert(ref.id).second)
            m_bytes = saturatedSum(m_bytes, static_cast<std::int64_t>(ref.size));
    }
    void operator()(std::string_view, const PayloadRef& ref) { add(ref); }
    template<typename T> void operator()(std::string_view, const T&) { }
    template<typename T> void since(int, std::string_view, const T&) { }

private:
    std::int64_t& m_bytes;
    std::unordered_set<PayloadId> m_seen;
};

void countSteps(const Fact& fact, StoreMeasure& measure)
{
    if (std::holds_alternative<StepAdded>(fact))
        ++measure.steps;
}

template<typename T> void measured(Input<T>& input, T value)
{
    if (input.from == From::Assumed)
        input = {value, From::Measured};
}

std::int64_t ratio(std::uint64_t part, std::uint64_t whole, std::int64_t unit)
{
    return scaled(unit, static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole));
}

}  // namespace

std::int64_t StoreMeasure::bytesPerStep() const
{
    return steps == 0 ? 0
                      : scaled(saturatedSum(entryBytes, payloadBytes), 1, static_cast<std::int64_t>(steps));
}

Result<StoreMeasure> measureStore(
    StoreReader& store, const std::function<Result<RunPage>(const std::optional<PageKey>&)>& page)
{
    StoreMeasure out;
    Payloads payloads(out.payloadBytes);
    RunWalk walk;
    walk.page = page;
    walk.wants = [](const ListRow&) { return true; };
    walk.entry = [&](const ListRow&, const Entry& entry, const SealedEntry& sealed) {
        if (entry.version == 1)
            payloads.clear();
        ++out.entries;
        out.entryBytes = saturatedSum(out.entryBytes, static_cast<std::int64_t>(sealed.body.size()));
        payloads.add(entry.reason);
        for (const Fact& fact : entry.facts) {
            countSteps(fact, out);
            std::visit([&](const auto& f) { f.each(f, payloads); }, fact);
        }
    };
    walk.done = [&](const ListRow& row) {
        ++out.runs;
        out.oldest = out.oldest == kNoTime ? row.createdAt : std::min(out.oldest, row.createdAt);
        out.newest = out.newest == kNoTime ? row.createdAt : std::max(out.newest, row.createdAt);
        if (!isFinished(row.activity) || row.endedAt == kNoTime)
            return;
        ++out.ended;
        out.endedWithout += row.activity == Activity::Completed ? 0 : 1;
        out.took = saturatedSum(out.took, row.endedAt - row.createdAt);
    };
    CAIRN_TRY(walkRuns(store, walk));
    return out;
}

void calibrate(EstimateInput& input, const StoreMeasure& m)
{
    if (m.runs == 0)
        return;
    const auto runs = static_cast<std::int64_t>(m.runs);
    measured(input.stateBytes, scaled(saturatedSum(m.entryBytes, m.payloadBytes), 1, runs));
    measured(input.entriesMillionths, std::max<std::int64_t>(ratio(m.entries, m.runs, kMillion), 1));
    if (m.steps > 0)
        measured(input.stepsMillionths, std::max<std::int64_t>(ratio(m.steps, m.runs, kMillion), 1));
    if (m.ended > 0) {
        measured(input.failureMillionths, ratio(m.endedWithout, m.ended, kMillion));
        measured(input.active, scaled(m.took, 1, static_cast<std::int64_t>(m.ended)));
    }
    if (m.newest > m.oldest)
        measured(input.starts, std::max<std::int64_t>(scaled(runs, kMonth, m.newest - m.oldest), 1));
}

}  // namespace cairn
