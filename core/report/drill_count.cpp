// What the drill counts: the provider's ledger, attempts, what was lost, and what it cost.

#include "core/report/drill_stage.h"

#include "core/base/text.h"
#include "core/model/codec.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cairn {

namespace {

constexpr const char* kCurrency = "EUR";  // of what the provider charges

// A provider that asks to wait did nothing; any other end but a result may hide one.
bool isUnclear(const AttemptEnded& end)
{
    return end.how != AttemptEnd::Completed
        && !(end.how == AttemptEnd::Failed
            && (end.failure == FailureClass::RateLimited || end.failure == FailureClass::NotBegun));
}

// Of the calls in these facts whose answer never came, or was none: they were made again, and may have cost
// as much as was reserved for them. A provider that asks to wait did nothing.
class LostCalls {
public:
    void take(const Fact& fact)
    {
        if (const auto* started = std::get_if<AttemptStarted>(&fact);
            started && started->purpose == Purpose::Do)
            m_open[started->attempt] = started->reserved;
        const auto* ended = std::get_if<AttemptEnded>(&fact);
        if (!ended)
            return;
        if (const auto call = m_open.extract(ended->attempt); call && isUnclear(*ended))
            for (const Usage& most : call.mapped())
                m_sum[most.unit] += most.amount;
    }
    [[nodiscard]] const std::map<std::string, std::int64_t>& sum() const { return m_sum; }

private:
    std::map<AttemptId, std::vector<Usage>> m_open;
    std::map<std::string, std::int64_t> m_sum;
};

}  // namespace

std::string_view guaranteeKey(Guarantee guarantee)
{
    switch (guarantee) {
    case Guarantee::Course: return "course";
    case Guarantee::Recovered: return "recovered";
    case Guarantee::NoDuplicateEffect: return "no_duplicate_effect";
    case Guarantee::NoLostEntry: return "no_lost_entry";
    case Guarantee::CostAccounted: return "cost_accounted";
    }
    return {};
}

bool ScenarioReport::held(Guarantee guarantee) const
{
    return std::none_of(failures.begin(), failures.end(),
        [&](const Failure& failure) { return failure.guarantee == guarantee; });
}

bool ScenarioReport::expects(Guarantee guarantee) const
{
    return (guarantee != Guarantee::CostAccounted || expectsCost)
        && (guarantee != Guarantee::Recovered || interrupted > 0 || !held(guarantee));
}

namespace drill {

std::vector<LedgerLine> Stage::ledger() const
{
    std::vector<LedgerLine> lines;
    std::ifstream in(m_ledgerFile);
    std::string text;
    while (std::getline(in, text)) {
        std::istringstream fields(text);
        LedgerLine line;
        std::string time, sha, tokens, cost;
        if (!std::getline(fields, time, '\t') || !std::getline(fields, line.name, '\t')
            || !std::getline(fields, line.key, '\t'))
            continue;
        std::getline(fields, sha, '\t');
        std::getline(fields, tokens, '\t');
        std::getline(fields, cost, '\t');
        line.tokens = std::strtoll(tokens.c_str(), nullptr, 10);
        if (const auto micros = parseAmount(cost))
            line.micros = *micros;
        lines.push_back(std::move(line));
    }
    return lines;
}

std::uint32_t Stage::effectsOf(const std::string& name) const
{
    const auto lines = ledger();
    return static_cast<std::uint32_t>(
        std::count_if(lines.begin(), lines.end(), [&](const LedgerLine& l) { return l.name == name; }));
}

void Stage::checkNoDuplicateEffects()
{
    const auto lines = ledger();
    std::map<std::pair<std::string, std::string>, int> counts;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (!lines[i].key.empty() && lines[i].key != "-" && ++counts[{lines[i].name, lines[i].key}] > 1
            && i >= m_ledgerBefore) {
            ++now().duplicateEffects;
            broken(Guarantee::NoDuplicateEffect,
                "the provider did " + lines[i].name + " twice under the key " + lines[i].key);
        }
}

// Tried again although nobody had said that the first try did nothing: its answer was lost, or was none.
void Stage::countAttempts(const RunId& run)
{
    std::map<std::pair<StepIx, Purpose>, bool> unclear;  // the newest attempt's end
    std::map<AttemptId, std::pair<StepIx, Purpose>> open;
    const auto count = [&](const Fact& fact) {
        if (const auto* started = std::get_if<AttemptStarted>(&fact)) {
            const std::pair work(started->step, started->purpose);
            ++now().calls;
            if (started->purpose == Purpose::LookUp)
                ++now().lookUps;
            else if (const auto before = unclear.find(work); before != unclear.end() && before->second)
                ++now().duplicateAttempts;
            open[started->attempt] = work;
        } else if (const auto* ended = std::get_if<AttemptEnded>(&fact);
                   ended && open.contains(ended->attempt)) {
            unclear[open[ended->attempt]] = isUnclear(*ended);
        }
    };
    forEachFact(run, count);
    if (const auto children = m_store->children(run))
        for (const RunId& child : *children)
            countAttempts(child);
}

void Stage::remember(const RunId& run)
{
    if (auto hot = m_store->hot(run))
        m_known[run] = {hot->version, hot->head};
}

// What the command line told its caller: this command is that entry of the run.
void Stage::acknowledge(const std::string& verb, const std::string& answer)
{
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (!json.is_object() || !json.contains("version") || !json.contains("run")
        || json.value("outcome", "") != "committed")
        return;
    if (const auto run = parseId<RunId>(json["run"].get<std::string>()))
        m_acknowledged.push_back({*run, json["version"].get<std::uint64_t>(), verb});
}

void Stage::checkNothingLost()
{
    for (const auto& [run, known] : m_known) {
        auto loaded = m_store->loadRun(run, known.first, known.first);
        const bool there =
            loaded && loaded->entries.size() == 1 && loaded->entries.front().hash == known.second;
        if (!there) {
            ++now().lostEntries;
            broken(Guarantee::NoLostEntry,
                "entry " + std::to_string(known.first) + " of run " + toText(run)
                    + " was seen and is not there");
        }
    }
    now().acknowledged += static_cast<std::uint32_t>(m_acknowledged.size());
    for (const Acknowledged& told : m_acknowledged) {
        auto loaded = m_store->loadRun(told.run, told.version, told.version);
        const auto entry = loaded && loaded->entries.size() == 1
            ? decodeEntry(loaded->entries.front().body, loaded->entries.front().format)
            : Result<Entry>(makeError(ErrorKind::NotFound, "no entry"));
        if (!entry || key(entry->verb) != told.verb) {
            ++now().lostEntries;
            broken(Guarantee::NoLostEntry,
                "`" + told.verb + "` was acknowledged as entry " + std::to_string(told.version) + " of run "
                    + toText(told.run) + " and is not there");
        }
    }
    m_known.clear();
    m_acknowledged.clear();
}

// In their order; `folded` has the state that they lead to.
void Stage::forEachFact(const RunId& run, const std::function<void(const Fact&)>& take, RunState* folded)
{
    const auto loaded = m_store->loadRun(run, 1, 0);
    if (!loaded) {
        broken(Guarantee::NoLostEntry, "run " + toText(run) + " cannot be read: " + loaded.error().text);
        return;
    }
    for (const SealedEntry& sealed : loaded->entries) {
        const auto entry = decodeEntry(sealed.body, sealed.format);
        if (!entry) {
            broken(Guarantee::NoLostEntry, "run " + toText(run) + ": " + entry.error().text);
            return;
        }
        if (folded)
            apply(*folded, *entry);
        for (const Fact& fact : entry->facts)
            take(fact);
    }
}

// As the product accounts for it: the budget of the run's state, and what its lost calls had reserved.
void Stage::addCost(const RunId& run)
{
    RunState state;
    LostCalls lost;
    forEachFact(
        run, [&](const Fact& fact) { lost.take(fact); }, &state);
    for (const BudgetLine& line : state.budget)
        now().cost[line.unit].spent += line.used;
    for (const auto& [unit, most] : lost.sum())
        now().cost[unit].spentAgain += most;
}

void Stage::countCost()
{
    for (const RunId& run : m_started)
        addCost(run);
    const auto lines = ledger();
    for (std::size_t i = m_ledgerBefore; i < lines.size(); ++i) {
        if (lines[i].tokens == 0)
            continue;
        ++now().modelCalls;
        now().cost["tokens"].charged += lines[i].tokens;
        now().cost[kCurrency].charged += lines[i].micros;
    }
    std::erase_if(now().cost, [](const auto& item) {
        return item.second.spent == 0 && item.second.spentAgain == 0 && item.second.charged == 0;
    });
    if (!now().expects(Guarantee::CostAccounted))
        return;
    expect(now().modelCalls > 0, "no model was called: this tested nothing of its cost");
    for (const auto& [unit, cost] : now().cost)
        if (cost.charged < cost.spent || cost.charged > cost.spent + cost.spentAgain)
            broken(Guarantee::CostAccounted,
                unit + ": the provider charged " + std::to_string(cost.charged) + ", the runs spent "
                    + std::to_string(cost.spent) + ", and calls that were lost at most "
                    + std::to_string(cost.spentAgain));
}

}  // namespace drill

}  // namespace cairn
