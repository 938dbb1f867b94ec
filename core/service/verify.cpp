// Folds all entries of a run again, checks the chain, and compares with every derived row.

#include "core/service/verify.h"

#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn {

namespace {

struct Verifier {
    StoreReader& reader;
    ParsedWorkflows& workflows;
    const WholeRun& whole;
    RunId run;
    RunState state;
    std::map<AttemptId, AttemptRow> attempts;
    std::vector<VerifyProblem> problems;

    void found(const std::string& where, std::string text)
    {
        problems.push_back({"run " + toText(run) + ", " + where, std::move(text)});
    }

    // False: the history itself is damaged, nothing derived can be compared.
    bool fold(const LoadedRun& loaded)
    {
        for (const SealedEntry& sealed : loaded.entries) {
            const std::string where = "entry " + std::to_string(sealed.version);
            if (sealed.version != state.version + 1) {
                found(where, "a version is missing before it");
                return false;
            }
            if (const Status seal = checkSeal(sealed, state.head); !seal) {
                found(where, seal.error().text);
                return false;
            }
            const auto entry = decodeEntry(sealed.body, sealed.format);
            if (!entry) {
                found(where, entry.error().text);
                return false;
            }
            apply(state, *entry);
            state.head = sealed.hash;
            for (const Fact& fact : entry->facts) {
                if (const auto* started = std::get_if<AttemptStarted>(&fact))
                    attempts[started->attempt] = attemptRowOf(state, *started, entry->time);
                else if (const auto* ended = std::get_if<AttemptEnded>(&fact);
                         ended && attempts.contains(ended->attempt))
                    endAttemptRow(attempts[ended->attempt], *ended, entry->time);
            }
        }
        if (loaded.hot.version != state.version)
            found("run_hot",
                "version is " + std::to_string(loaded.hot.version) + ", the history ends at "
                    + std::to_string(state.version));
        if (loaded.hot.control != state.controlVersion)
            found("run_hot",
                "control is of version " + std::to_string(loaded.hot.control)
                    + ", the history changed it last in version " + std::to_string(state.controlVersion));
        if (loaded.hot.head != state.head)
            found("run_hot", "head is not the hash of the last entry");
        return true;
    }

    template<class Row, class Key> void compare(
        const char* table, const std::vector<Row>& stored, const std::map<Key, Row>& expected, Key Row::*id)
    {
        std::map<Key, const Row*> there;
        for (const Row& row : stored)
            there[row.*id] = &row;
        for (const auto& [key, row] : expected) {
            const auto at = there.find(key);
            if (at == there.end())
                found(table, "row " + idText(key) + " is missing");
            else if (!(*at->second == row))
                found(table,
                    "row " + idText(key) + " differs from what its entries give"
                        + differing(*at->second, row));
        }
        for (const auto& [key, row] : there)
            if (!expected.contains(key))
                found(table, "row " + idText(key) + " has no entry that made it");
    }
    template<class Tag> static std::string idText(const Id<Tag>& id) { return toText(id); }
    static std::string idText(StepIx ix) { return std::to_string(ix); }
    template<class Row> static std::string differing(const Row&, const Row&) { return {}; }
    static std::string differing(const StepRow& a, const StepRow& b)
    {
        std::string text = " (step " + a.id + ":";
        if (a.state != b.state)
            text += " state " + std::string(key(a.state)) + " instead of " + std::string(key(b.state));
        else if (a.revision != b.revision)
            text += " revision " + std::to_string(a.revision) + " instead of " + std::to_string(b.revision);
        else
            text += " another field";
        return text + ")";
    }

    void rows()
    {
        std::map<StepIx, StepRow> steps;
        for (StepIx ix = 0; ix < state.steps.size(); ++ix)
            steps[ix] = stepRowOf(state, ix);
        std::map<ApprovalId, ApprovalRow> approvals;
        for (const ApprovalRecord& record : state.approvals)
            approvals[record.id] = approvalRowOf(record);
        compare("steps", whole.steps, steps, &StepRow::ix);
        compare("attempts", whole.attempts, attempts, &AttemptRow::id);
        compare("approvals", whole.approvals, approvals, &ApprovalRow::id);
    }

    Status list(const RunRow& identity)
    {
        CAIRN_TRY_ASSIGN(const TimeMs now, reader.now());
        if (!whole.list) {
            found("run_list", "the row is missing");
            return {};
        }
        const ListRow& row = *whole.list;
        const Definition* definition = nullptr;
        if (!state.workflow.name.empty()) {
            CAIRN_TRY_ASSIGN(definition, workflows.find(reader, state.workflow.name, state.workflow.version));
        }
        ListRow expected = listRowOf(state, identity, now, definition);
        std::string error;
        if (const PayloadRef ref = listError(state, now)) {
            const auto bytes = reader.payload(run, ref.id);
            if (!bytes && bytes.error().kind != ErrorKind::Refused)
                return bytes.error();
            error = bytes ? normalisedError(*bytes, ref.media) : row.error;  // redacted: it cannot be told
        }
        finishListRow(expected, std::move(error), listStepName(state, now));
        if (!expected.sameContent(row))
            found("run_list",
                "the row says " + std::string(key(row.activity)) + " / " + std::string(key(row.reason))
                    + " at step \"" + row.step + "\", the history gives "
                    + std::string(key(expected.activity)) + " / " + std::string(key(expected.reason))
                    + " at step \"" + expected.step + "\"" + listDifference(row, expected));
        return {};
    }
    static std::string listDifference(const ListRow& a, const ListRow& b)
    {
        if (a.since != b.since)
            return " (since differs)";
        if (a.nextTime != b.nextTime)
            return " (next time differs)";
        if (a.error != b.error)
            return " (error differs)";
        if (a.situation != b.situation)
            return " (situation differs)";
        if (a.attempt != b.attempt || a.attemptsMax != b.attemptsMax)
            return " (attempts differ)";
        if (a.steps != b.steps || a.stepsDone != b.stepsDone)
            return " (step counts differ)";
        if (a.heldUntil != b.heldUntil || a.assigned != b.assigned)
            return " (hold or assignment differs)";
        return {};
    }

    // Every effect of this run stands in the ledger as its step says.
    Status ledger()
    {
        const std::vector<EffectRow>& rows = whole.effects;
        for (const EffectRow& row : rows) {
            const StepRecord* step = state.find(row.holderStep);
            if (!step) {
                found("effects",
                    "effect \"" + visibleLine(row.key) + "\" is held by step \"" + row.holderStep
                        + "\", which the run does not have");
                continue;
            }
            if (step->effect != row.effect)
                continue;  // an amended input has another effect now
            if (row.state == LedgerState::Completed && step->state != StepState::Complete)
                found("effects",
                    "effect \"" + visibleLine(row.key) + "\" is completed, but step \"" + step->id + "\" is "
                        + std::string(key(step->state)));
            if (row.state != LedgerState::Completed && step->state == StepState::Complete
                && step->attempts > 0)
                found("effects",
                    "step \"" + step->id + "\" is complete, but its effect \"" + visibleLine(row.key)
                        + "\" is not");
            if (row.state == LedgerState::Completed && row.result != step->output.id)
                found("effects",
                    "effect \"" + visibleLine(row.key) + "\" names another result than step \"" + step->id
                        + "\"");
        }
        for (const StepRecord& step : state.steps) {
            if (!step.effectDone || step.fromLedger || (step.attempts == 0 && !step.byPerson))
                continue;
            bool there = std::any_of(
                rows.begin(), rows.end(), [&](const EffectRow& row) { return row.effect == step.effect; });
            if (!there && step.byPerson) {  // what a person recorded leaves the row of another as it is
                CAIRN_TRY_ASSIGN(const auto others, reader.effects(std::span(&step.effect, 1)));
                there = !others.empty();
            }
            if (!there && state.forkedFrom.isNull())
                found("effects",
                    "step \"" + step.id + "\" is complete, but the ledger does not know its effect");
        }
        return {};
    }
};

}  // namespace

namespace {

// Where the chain of one run breaks; nothing: it is whole.
Result<std::optional<VerifyProblem>> brokenAt(StoreReader& reader, const RunId& run, std::uint64_t& entries)
{
    constexpr std::uint64_t kAtOnce = 500;
    Digest head;
    for (std::uint64_t version = 0;;) {
        CAIRN_TRY_ASSIGN(const LoadedRun loaded, reader.loadRun(run, version + 1, version + kAtOnce));
        for (const SealedEntry& sealed : loaded.entries) {
            const std::string where = "run " + toText(run) + ", entry " + std::to_string(version + 1);
            if (sealed.version != version + 1)
                return std::optional(VerifyProblem{where, "it is missing"});
            if (const Status seal = checkSeal(sealed, head); !seal)
                return std::optional(VerifyProblem{where, seal.error().text});
            head = sealed.hash;
            ++version;
            ++entries;
        }
        if (!loaded.entries.empty() && version < loaded.hot.version)
            continue;
        if (version != loaded.hot.version || head != loaded.hot.head)
            return std::optional(VerifyProblem{"run " + toText(run),
                "its history does not end with the entry that the run is said to be at"});
        return std::optional<VerifyProblem>();
    }
}

}  // namespace

Result<ChainsRead> readChains(StoreReader& reader, std::size_t most)
{
    ChainsRead read;
    std::optional<PageKey> after;
    do {
        CAIRN_TRY_ASSIGN(const RunPage page, reader.list({}, ListOrder::NewestFirst, after, 500));
        for (const ListRow& row : page.rows) {
            CAIRN_TRY_ASSIGN(auto broken, brokenAt(reader, row.run, read.entries));
            ++read.runs;
            if (broken)
                read.problems.push_back(*std::move(broken));
            if (read.problems.size() >= most)
                return read;
        }
        after = page.next;
    } while (after);
    return read;
}

Result<const Definition*> ParsedWorkflows::find(
    StoreReader& reader, const std::string& name, std::uint32_t version)
{
    const auto [at, fresh] = m_known.try_emplace({name, version});
    if (fresh) {
        const auto workflow = reader.workflow(name, version);
        if (!workflow)
            m_known.erase(at);
        CAIRN_TRY(workflow);
        if (*workflow)
            at->second = parseDefinition((*workflow)->text);
    }
    return at->second ? &*at->second.definition : nullptr;
}

Result<std::vector<VerifyProblem>> verifyWhole(
    StoreReader& reader, const WholeRun& whole, ParsedWorkflows& workflows)
{
    Verifier verifier{reader, workflows, whole, whole.loaded.identity.run, {}, {}, {}};
    if (verifier.fold(whole.loaded)) {
        verifier.rows();
        CAIRN_TRY(verifier.list(whole.loaded.identity));
        CAIRN_TRY(verifier.ledger());
    }
    return std::move(verifier.problems);
}

Result<std::vector<VerifyProblem>> verifyRun(StoreReader& reader, const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto whole, reader.wholeRuns(std::span(&run, 1), {true, true, false}));
    ParsedWorkflows workflows;
    return verifyWhole(reader, whole.front(), workflows);
}

}  // namespace cairn
