#include "core/query/run_views.h"

#include "core/base/text.h"
#include "core/query/query_impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::uint64_t kComparedBytes = 1u << 20;  // of one payload
constexpr int kMostAncestors = 64;

std::string payloadText(const PayloadRef& ref)
{
    return ref ? visibleLine(ref.media) + ", " + formatBytes(ref.size) : std::string();
}

class Teller {
public:
    Teller(const RunView& left, const RunView& right, const SamePayload& same)
        : m_left(left)
        , m_right(right)
        , m_sameRun(left.state.id == right.state.id)
        , m_same(same)
    {
    }

    Compared all()
    {
        theRun();
        steps();
        approvals();
        return std::move(m_out);
    }

private:
    void add(const std::string& what, std::string left, std::string right)
    {
        if (left != right)
            m_out.differences.push_back({m_place, what, std::move(left), std::move(right)});
    }
    void count(const std::string& what, std::uint64_t left, std::uint64_t right)
    {
        add(what, std::to_string(left), std::to_string(right));
    }
    void time(const std::string& what, TimeMs left, TimeMs right)
    {
        if (m_sameRun)
            add(what, left == kNoTime ? "" : formatInstantMs(left),
                right == kNoTime ? "" : formatInstantMs(right));
    }
    // The same bytes have another hash in another run, so equality is looked for in the bytes there.
    void payload(const std::string& what, const PayloadRef& left, const PayloadRef& right)
    {
        if (left.id == right.id)
            return;
        std::string a = payloadText(left);
        std::string b = payloadText(right);
        if (left && right && left.media == right.media && left.size == right.size) {
            const std::optional<bool> same = m_same ? m_same(left, right) : std::nullopt;
            if (same.value_or(false))
                return;
            (same ? b : a) += same ? ", other bytes" : ", not compared";
            if (!same)
                b += ", not compared: read both";
        }
        add(what, std::move(a), std::move(b));
    }

    static std::string stateOf(const RunView& view)
    {
        const Summary& summary = view.explanation.summary;
        std::string text(label(summary.activity));
        if (summary.primary.reason != Reason::None && !isFinished(summary.activity))
            text += ", " + std::string(label(summary.primary.reason));
        return text;
    }
    static std::string workflowOf(const RunState& s)
    {
        return s.workflow.name.empty()
            ? std::string("driven by its caller")
            : visibleLine(s.workflow.name) + "@" + std::to_string(s.workflow.version);
    }
    static std::string pauseOf(const RunState& s)
    {
        if (!s.paused())
            return {};
        return s.own.paused ? "by " + actorName(s.pausedBy) : std::string("from above");
    }
    static std::string budgetOf(const RunState& s)
    {
        std::string text;
        for (const BudgetLine& line : s.budget)
            text += (text.empty() ? "" : "; ") + amountText(line.used, line.unit) + " of "
                + amountText(line.limit, line.unit);
        return text;
    }
    void theRun()
    {
        const RunState& a = m_left.state;
        const RunState& b = m_right.state;
        m_place = "the run";
        if (!m_sameRun)
            add("run", toText(a.id), toText(b.id));
        count("version", a.version, b.version);
        add("state", stateOf(m_left), stateOf(m_right));
        add("workflow", workflowOf(a), workflowOf(b));
        time("started", a.startedAt, b.startedAt);
        time("ended", a.endedAt, b.endedAt);
        add("deadline", a.deadline() == kNoTime ? "" : formatInstant(a.deadline()),
            b.deadline() == kNoTime ? "" : formatInstant(b.deadline()));
        add("paused", pauseOf(a), pauseOf(b));
        add("budget", budgetOf(a), budgetOf(b));
        payload("input", a.input, b.input);
        payload("output", a.output, b.output);
        count("children", a.children.size(), b.children.size());
    }

    static std::string stepState(const StepRecord& step)
    {
        std::string text(label(step.state));
        if (step.reason != Reason::None && !isFinished(step.state))
            text += ", " + std::string(label(step.reason));
        if (step.fromLedger)
            text += ", result of an earlier call under the same key";
        if (step.byPerson)
            text += ", by a person";
        return text;
    }
    static std::string spanOf(const StepRecord& step)
    {
        return step.firstStartedAt == kNoTime || step.endedAt == kNoTime
            ? std::string()
            : formatSpan(step.endedAt - step.firstStartedAt);
    }
    void bothSteps(const StepRecord& a, const StepRecord& b)
    {
        add("state", stepState(a), stepState(b));
        add("tool", visibleLine(a.tool), visibleLine(b.tool));
        add("agent", visibleLine(a.agent), visibleLine(b.agent));
        count("attempts", a.attempts, b.attempts);
        count("failures", a.failures, b.failures);
        time("ready", a.readyAt, b.readyAt);
        time("started", a.firstStartedAt, b.firstStartedAt);
        time("ended", a.endedAt, b.endedAt);
        if (!m_sameRun)
            add("took", spanOf(a), spanOf(b));
        payload("input", a.input, b.input);
        payload("output", a.output, b.output);
        payload("last error", a.error, b.error);
        add("amount", formatMoney(a.amount.micros, a.amount.currency),
            formatMoney(b.amount.micros, b.amount.currency));
    }
    void steps()
    {
        const auto step = [this](const StepRecord& a, const StepRecord* b) {
            ++m_out.steps;
            m_place = "step " + visibleLine(a.id);
            const std::size_t before = m_out.differences.size();
            if (b != nullptr)
                bothSteps(a, *b);
            else
                add("state", stepState(a), {});
            m_out.same += m_out.differences.size() == before ? 1 : 0;
        };
        for (const StepRecord& a : m_left.state.steps)
            step(a, m_right.state.find(a.id));
        for (const StepRecord& b : m_right.state.steps)
            if (m_left.state.find(b.id) == nullptr) {
                ++m_out.steps;
                m_place = "step " + visibleLine(b.id);
                add("state", {}, stepState(b));
            }
    }

    static std::string approvalState(const ApprovalRecord& approval)
    {
        return std::string(label(approval.state)) + ", " + std::to_string(approval.consents.size()) + " of "
            + std::to_string(approval.needed);
    }
    void approvals()
    {
        if (!m_sameRun)
            return;  // each run asks for its own
        const auto find = [](const RunState& state, const ApprovalId& id) { return state.findApproval(id); };
        const auto placeOf = [](const RunState& state, const ApprovalRecord& approval) {
            return "approval of "
                + (approval.step < state.steps.size() ? visibleLine(state.steps[approval.step].id)
                                                      : std::string("a step"));
        };
        for (const ApprovalRecord& a : m_left.state.approvals) {
            m_place = placeOf(m_left.state, a);
            const ApprovalRecord* b = find(m_right.state, a.id);
            add("state", approvalState(a), b != nullptr ? approvalState(*b) : std::string());
        }
        for (const ApprovalRecord& b : m_right.state.approvals)
            if (find(m_left.state, b.id) == nullptr) {
                m_place = placeOf(m_right.state, b);
                add("state", {}, approvalState(b));
            }
    }

    const RunView& m_left;
    const RunView& m_right;
    bool m_sameRun;
    const SamePayload& m_same;
    std::string m_place;
    Compared m_out;
};

}  // namespace

Compared compareRuns(const RunView& left, const RunView& right, const SamePayload& same)
{
    return Teller(left, right, same).all();
}

std::vector<Difference> compareAttempts(const AttemptRow& left, const AttemptRow& right)
{
    std::vector<Difference> out;
    const std::string place =
        "attempts " + std::to_string(left.number) + " and " + std::to_string(right.number);
    const auto add = [&](const char* what, std::string a, std::string b) {
        if (a != b)
            out.push_back({place, what, std::move(a), std::move(b)});
    };
    const auto time = [](TimeMs t) { return t == kNoTime ? std::string() : formatInstantMs(t); };
    const auto took = [](const AttemptRow& row) {
        return row.endedAt == kNoTime ? std::string("under way") : formatSpan(row.endedAt - row.startedAt);
    };
    const auto how = [](const AttemptRow& row) {
        return row.endedAt == kNoTime ? std::string("under way") : std::string(label(row.how));
    };
    const auto effect = [](const AttemptRow& row) {
        return row.endedAt == kNoTime ? std::string() : std::string(label(row.effect));
    };
    add("number", std::to_string(left.number), std::to_string(right.number));
    add("purpose", std::string(label(left.purpose)), std::string(label(right.purpose)));
    add("worker", left.worker.empty() ? toText(left.session) : visibleLine(left.worker),
        right.worker.empty() ? toText(right.session) : visibleLine(right.worker));
    add("started", time(left.startedAt), time(right.startedAt));
    add("ended", time(left.endedAt), time(right.endedAt));
    add("took", took(left), took(right));
    add("ended as", how(left), how(right));
    add("effect", effect(left), effect(right));
    return out;
}

std::vector<AttemptRow> attemptsAsOf(const RunState& state, const std::vector<AttemptRow>& rows)
{
    std::vector<AttemptRow> then;
    for (const AttemptRow& row : rows) {
        if (!state.attempts.contains(row.id) || row.step >= state.steps.size())
            continue;
        then.push_back(row);
        const auto& open = state.steps[row.step].attempt;
        if (!open || open->id != row.id)
            continue;
        AttemptRow& was = then.back();
        was.endedAt = kNoTime;
        was.how = AttemptEnd::Completed;
        was.effect = EffectKnowledge::NoEffect;
        was.error = {};
    }
    return then;
}

Result<Compared> Query::compare(const RunAt& left, const RunAt& right)
{
    CAIRN_TRY_ASSIGN(const RunView a, run(left.run, left.version));
    CAIRN_TRY_ASSIGN(const RunView b, run(right.run, right.version));
    const SamePayload same = [&](const PayloadRef& x, const PayloadRef& y) -> std::optional<bool> {
        if (x.size > kComparedBytes)
            return std::nullopt;
        const auto first = m_impl->compared->payload(left.run, x.id);
        const auto second = m_impl->compared->payload(right.run, y.id);
        return first && second ? std::optional(*first == *second) : std::nullopt;
    };
    return compareRuns(a, b, same);
}

namespace {

std::string shareOf(const ChildRecord& child)
{
    std::string text;
    for (const BudgetLine& line : child.allotment)
        text += (text.empty() ? "" : ", ") + amountText(line.limit, line.unit);
    return text.empty() ? text : "may use " + text;
}

}  // namespace

// Rows of those that are in this store, a page of them at a time.
Status Query::Impl::fillRows(Query& query, std::vector<Relation>& relations)
{
    constexpr std::size_t kPage = 500;
    std::map<RunId, ListRow> found;
    for (std::size_t from = 0; from < relations.size(); from += kPage) {
        std::vector<RunId> ids;
        for (std::size_t i = from; i < std::min(from + kPage, relations.size()); ++i)
            if (!relations[i].row)
                ids.push_back(relations[i].run);
        CAIRN_TRY_ASSIGN(auto rows, query.rows(ids));
        for (ListRow& row : rows)
            found.insert_or_assign(row.run, std::move(row));
    }
    for (Relation& relation : relations)
        if (const auto row = found.find(relation.run); row != found.end())
            relation.row = row->second;
    return {};
}

Result<std::vector<Relation>> Query::relations(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto folded, m_impl->fold(run, 0));
    const RunState& state = folded.state;
    std::vector<Relation> out;
    // Upwards, the topmost first in the end. A parent that is not in this store ends the way.
    RunId above = state.parent.run;
    for (int i = 0; i < kMostAncestors && !above.isNull(); ++i) {
        CAIRN_TRY_ASSIGN(auto rows, this->rows(std::span(&above, 1)));
        Relation relation;
        relation.kind = Relation::Kind::Ancestor;
        relation.run = above;
        above = rows.empty() ? RunId{} : rows.front().parent;
        if (!rows.empty())
            relation.row = std::move(rows.front());
        out.insert(out.begin(), std::move(relation));
    }
    const auto add = [&](Relation::Kind kind, const RunId& other, StepIx step) -> Relation& {
        Relation& relation = out.emplace_back();
        relation.kind = kind;
        relation.run = other;
        if (step < state.steps.size()) {
            relation.step = state.steps[step].id;
            relation.agent = state.steps[step].agent;
        }
        return relation;
    };
    add(Relation::Kind::Self, run, kNoStep);
    for (const ChildRecord& child : state.children) {
        Relation& relation = add(Relation::Kind::Child, child.run, child.step);
        relation.share = shareOf(child);
        if (child.answered)
            relation.note = "answered: " + std::string(label(child.as));
    }
    for (StepIx ix = 0; ix < state.steps.size(); ++ix)
        if (const RunId& other = state.steps[ix].waitRun;
            !other.isNull() && !state.childByRun.contains(other))
            add(Relation::Kind::HoldsEffect, other, ix);
    if (!state.forkedFrom.isNull())
        add(Relation::Kind::ForkedFrom, state.forkedFrom, kNoStep).note =
            "results up to version " + std::to_string(state.forkedAt);
    CAIRN_TRY(Impl::fillRows(*this, out));
    return out;
}

}  // namespace cairn
