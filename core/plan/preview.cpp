#include "core/plan/preview.h"

#include "core/service/agreement.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/machine/sums.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace cairn {

namespace {

void addLine(PlanLines& to, const std::string& key, const PreviewSum* sum)
{
    auto at =
        std::find_if(to.lines.begin(), to.lines.end(), [&](const PlanLine& l) { return l.text == key; });
    if (at == to.lines.end()) {
        if (to.lines.size() >= kPlanLines) {
            ++to.more;
            return;
        }
        at = to.lines.insert(at, PlanLine{key, 0, 0, {}});
    }
    ++at->runs;
    if (!sum)
        return;
    at->count += sum->many.empty() ? 0 : sum->count;
    if (!sum->amount.currency.empty()) {
        std::int64_t& total = at->amount[sum->amount.currency];
        total = saturatedSum(total, sum->amount.micros);
    }
}

// A line that counts things stands once for all counts: "no new step starts; steps under way finish".
void addLines(PlanLines& to, const std::vector<std::string>& lines, const Preview& preview)
{
    to.runs += lines.empty() ? 0 : 1;
    for (const std::string& line : lines) {
        const auto sum = std::find_if(preview.sums.begin(), preview.sums.end(),
            [&](const PreviewSum& each) { return each.line == line; });
        if (sum == preview.sums.end())
            addLine(to, line, nullptr);
        else
            addLine(to, sum->many.empty() ? sum->head : sum->head + sum->many, &*sum);
    }
}

void addMoney(std::map<std::string, std::int64_t>& to, const Money& money)
{
    if (money.currency.empty())
        return;
    std::int64_t& total = to[money.currency];
    total = saturatedSum(total, money.micros);
}

// What is known of the targets before any is decided: a page of rows, and who else has them.
class Targets {
public:
    explicit Targets(StoreReader& reader)
        : m_reader(reader)
    {
    }
    Status read(std::span<const RunId> runs, const PlanId& own)
    {
        m_rows.clear();
        m_others.clear();
        CAIRN_TRY_ASSIGN(auto rows, m_reader.listRows(runs));
        for (ListRow& row : rows)
            m_rows.emplace(row.run, std::move(row));
        CAIRN_TRY_ASSIGN(const auto others, m_reader.plansOfRuns(runs));
        for (const PlanOfRun& other : others)
            if (other.plan != own)
                m_others.emplace(other.run, other.plan);
        return {};
    }
    [[nodiscard]] const ListRow* row(const RunId& run) const
    {
        const auto at = m_rows.find(run);
        return at == m_rows.end() ? nullptr : &at->second;
    }
    [[nodiscard]] Result<std::optional<Tombstone>> tombstone(const RunId& run) const
    {
        return m_reader.tombstone(run);
    }
    [[nodiscard]] const PlanId* other(const RunId& run) const
    {
        const auto at = m_others.find(run);
        return at == m_others.end() ? nullptr : &at->second;
    }

private:
    StoreReader& m_reader;
    std::unordered_map<RunId, ListRow> m_rows;
    std::unordered_map<RunId, PlanId> m_others;
};

void leave(PlanItem& item, PlanLeftOut leftOut, std::string why)
{
    item.state = PlanItemState::Skipped;
    item.leftOut = leftOut;
    item.why = std::move(why);
}

// Decides one item after the other and adds up.
class Looker {
public:
    Looker(Service& service, const PlanRow& plan, const PlanSpec& spec, const Targets& targets)
        : m_service(service)
        , m_plan(plan)
        , m_spec(spec)
        , m_targets(targets)
    {
    }

    // `fresh`: what the item depends on is read and frozen; else it is compared.
    Status look(PlanItem& item, bool fresh)
    {
        ++out.targets;
        CAIRN_TRY(decide(item, fresh));
        if (item.state != PlanItemState::Skipped)
            return {};
        ++out.leftOut[static_cast<std::size_t>(item.leftOut)];
        if (out.left.size() < kPlanSamples)
            out.left.push_back({item.run, item.leftOut, item.why});
        return {};
    }

    PlanPreview out;

private:
    Status decide(PlanItem& item, bool fresh)
    {
        const ListRow* row = m_targets.row(item.run);
        if (!row) {
            CAIRN_TRY_ASSIGN(const auto stone, m_targets.tombstone(item.run));
            if (stone)
                leave(item, PlanLeftOut::Removed, removedText(*stone));
            else
                leave(item, PlanLeftOut::NotFound, "there is no such run in this store");
            return {};
        }
        if (const PlanId* other = m_targets.other(item.run)) {
            leave(item, PlanLeftOut::OtherPlan,
                "plan " + toText(*other) + " has this run: let it end, or abort it");
            return {};
        }
        if (row->heldUntil > m_service.now()) {
            leave(item, PlanLeftOut::Held, heldText(*row));
            return {};
        }
        if (fresh) {
            item.situation = row->situation;
            if (isAboutStep(m_spec.verb))
                item.target = m_spec.step.empty() ? row->step : m_spec.step;
            if (isAboutStep(m_spec.verb) && item.target.empty()) {
                leave(item, PlanLeftOut::NotFound, "it waits in no step that the act could be about");
                return {};
            }
        }
        CAIRN_TRY_ASSIGN(Submission submission, submissionOf(m_plan, m_spec, item, !fresh));
        if (fresh)  // whether the plan's reason suffices is asked once, when it is staged (reasonLacked)
            submission.reason.assign(kLongestReason, '.');
        CAIRN_TRY_ASSIGN(const Preview preview, m_service.preview(submission));
        if (fresh)
            item.seen = dependsOn(m_spec.verb, item.target, preview.before).value_or(0);
        judge(item, preview, submission, row->resource);
        return {};
    }

    void judge(
        PlanItem& item, const Preview& preview, const Submission& submission, const std::string& resource)
    {
        if (const auto* rejection = std::get_if<Rejection>(&preview.decision))
            return leave(item, leftOutOf(*rejection), rejection->text);
        if (const auto* nothing = std::get_if<NoChange>(&preview.decision))
            return leave(item, PlanLeftOut::AlreadySo, nothing->text);
        if (mayHappenTwice(m_spec.verb, preview.before, preview.after)) {
            const std::string why =
                "an effect of it may have happened, and this act does not settle that: `cairn why` names it";
            if (m_spec.leaveOutUncertain)
                return leave(item, PlanLeftOut::Uncertain, why);
            ++out.uncertain;
            if (out.uncertainRuns.size() < kPlanSamples)
                out.uncertainRuns.push_back({item.run, PlanLeftOut::Uncertain, why});
        }
        ++out.included;
        addLines(out.willHappen, preview.willHappen, preview);
        addLines(out.notRepeated, preview.willNotRepeat, preview);
        addLines(out.mayRepeat, preview.mayRepeat, preview);
        addLines(out.alsoChanges, preview.alsoChanges, preview);
        for (const PreviewCost& cost : preview.parts.cost) {
            std::int64_t& total = out.cost[cost.unit];
            total = saturatedSum(total, cost.worst);
        }
        for (const Money& amount : atStake(preview.before, submission.command.body))
            addMoney(out.atStake, amount);
        if (!resource.empty())
            ++out.resources[resource];
    }

    Service& m_service;
    const PlanRow& m_plan;
    const PlanSpec& m_spec;
    const Targets& m_targets;
};

void finish(PlanPreview& preview, const PlanSpec& spec)
{
    preview.estimate = estimatedSpan(spec.pace, preview.included);
    preview.undo = undoOf(spec.verb);
}

// As many runs as were chosen, whatever of them is left out: so each item is decided, too.
WhoIsNeeded neededFor(
    const Policy& policy, const StoreInfo& info, const PlanRow& plan, const PlanPreview& preview)
{
    // Of some of the runs no amount may be known: the rules without one count as well.
    PolicyAct act{plan.verb, info.environment, info.safety, {Money{}}, plan.items};
    for (const auto& [currency, micros] : preview.atStake)
        act.amounts.push_back({micros, currency});
    return whoIsNeeded(policy, act);
}

std::vector<RunId> onceEach(std::span<const RunId> runs)
{
    std::unordered_set<RunId> seen;
    std::vector<RunId> out;
    for (const RunId& run : runs)
        if (seen.insert(run).second)
            out.push_back(run);
    return out;
}

}  // namespace

Result<WhoIsNeeded> neededNow(
    StoreReader& reader, Service& service, const PlanRow& plan, const PlanPreview& preview)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, reader.info());
    CAIRN_TRY_ASSIGN(const Policy policy, Agreements(service).policy());
    return neededFor(policy, info, plan, preview);
}

Result<PlanSpec> specFor(
    StoreReader& reader, Service& service, Submission act, PlanSpec spec, std::span<const RunId> runs)
{
    const RunId own = act.run;
    std::set<std::pair<std::string, std::uint32_t>> workflows;
    if (act.payloads.empty())
        runs = {};
    for (std::size_t at = 0; at < runs.size(); at += kPlanPage) {
        CAIRN_TRY_ASSIGN(
            const auto rows, reader.listRows(runs.subspan(at, std::min(kPlanPage, runs.size() - at))));
        for (const ListRow& row : rows)
            if (workflows.emplace(row.workflow, row.workflowVersion).second) {
                act.run = row.run;
                service.mask(act);
            }
    }
    act.run = own;
    service.mask(act);  // by the store's own list, where no run is there
    return specOf(std::move(act), std::move(spec));
}

std::string heldText(const ListRow& row)
{
    return "it is held"
        + (row.heldUntil == kForever ? std::string() : " until " + formatInstant(row.heldUntil))
        + ": release it first (`cairn hold --off`)";
}

PlanLeftOut leftOutOf(const Rejection& rejection) noexcept
{
    switch (rejection.code) {
    case RejectCode::Stale: return PlanLeftOut::AlreadyMoved;
    case RejectCode::NotFound: return PlanLeftOut::NotFound;
    case RejectCode::NoRight: return PlanLeftOut::NoRight;
    default: return PlanLeftOut::WrongState;
    }
}

bool mayHappenTwice(Verb verb, const RunState& before, const RunState& after)
{
    if (verb == Verb::Pause || verb == Verb::Cancel)
        return false;
    for (const StepRecord& step : after.steps) {
        if (!writes(step.safety) || step.effectDone || isFinished(step.state))
            continue;
        if (before.parked && !after.parked)
            return true;  // its history may lack that an effect happened
        if (step.safety == ReplaySafety::Irreversible && (step.state == StepState::Unknown || step.inDoubt()))
            return true;
    }
    return false;
}

Result<PlanDraft> draftPlan(StoreReader& reader, Service& service, const PlanSpec& spec,
    std::span<const RunId> runs, const PlanAuthor& author, const PlanId& id, const CommandId& command)
{
    const std::vector<RunId> targets = onceEach(runs);
    if (targets.empty())
        return makeError(ErrorKind::InvalidInput, "a plan needs at least one run; 0 match");
    if (targets.size() > kMaxPlanItems)
        return makeError(ErrorKind::InvalidInput,
            "a plan has 100 000 runs at most, and these are "
                + formatCount(static_cast<std::int64_t>(targets.size())) + ": narrow the filter");
    CAIRN_TRY_ASSIGN(const StoreInfo info, reader.info());
    CAIRN_TRY_ASSIGN(const TimeMs now, reader.now());
    CAIRN_TRY_ASSIGN(const Policy policy, Agreements(service).policy());
    PlanDraft draft;
    PlanRow& row = draft.row;
    row.id = id;
    row.verb = spec.verb;
    row.command = command;
    row.login = author.login;
    row.actor = author.actor;
    row.uid = author.uid;
    row.host = author.host;
    row.stagedAt = now;
    row.spec = encodeSpec(spec);
    row.items = static_cast<std::uint32_t>(targets.size());
    Targets known(reader);
    Looker looker(service, row, spec, known);
    draft.items.reserve(targets.size());
    for (std::size_t at = 0; at < targets.size(); ++at) {
        if (at % kPlanPage == 0)
            CAIRN_TRY(
                known.read(std::span(targets).subspan(at, std::min(kPlanPage, targets.size() - at)), row.id));
        PlanItem& item = draft.items.emplace_back();
        item.ord = static_cast<std::uint32_t>(at + 1);
        item.run = targets[at];
        item.command = itemCommand(row.id, item.run);
        CAIRN_TRY(looker.look(item, true));
    }
    draft.preview = std::move(looker.out);
    finish(draft.preview, spec);
    // Those that are left out stand at the end, so that the first ones are the canary.
    std::stable_partition(draft.items.begin(), draft.items.end(),
        [](const PlanItem& item) { return item.state == PlanItemState::Open; });
    for (std::size_t at = 0; at < draft.items.size(); ++at)
        draft.items[at].ord = static_cast<std::uint32_t>(at + 1);
    draft.needed = neededFor(policy, info, row, draft.preview);
    row.people = draft.needed.people;
    row.role = draft.needed.second() ? draft.needed.role : std::string();
    row.expiresAt = now + draft.needed.expiresAfter;
    draft.setReason(author.reason);
    return draft;
}

void PlanDraft::setReason(std::string reason)
{
    row.reason = std::move(reason);
    PlanDigest digest(row);
    digest.add(items);
    row.digest = digest.digest();
}

Result<PlanPreview> previewPlan(
    StoreReader& reader, Service& service, const PlanRow& plan, const StillAlive& alive)
{
    CAIRN_TRY_ASSIGN(const PlanSpec spec, decodeSpec(plan.spec));
    Targets known(reader);
    Looker looker(service, plan, spec, known);
    for (std::uint32_t after = 0;;) {
        CAIRN_TRY_ASSIGN(auto items, reader.planItems(plan.id, after, kPlanPage, PlanItemState::Open));
        if (items.empty())
            break;
        after = items.back().ord;
        std::vector<RunId> runs;
        for (const PlanItem& item : items)
            runs.push_back(item.run);
        CAIRN_TRY(known.read(runs, plan.id));
        for (PlanItem& item : items) {
            if (alive)
                CAIRN_TRY(alive());
            CAIRN_TRY(looker.look(item, false));
        }
    }
    finish(looker.out, spec);
    return std::move(looker.out);
}

}  // namespace cairn
