#include "tests/bench/synthetic_runs.h"

#include "core/base/rng.h"
#include "core/model/codec.h"
#include "tests/bench/figures.h"

#include <array>

namespace cairn::bench {

namespace {

constexpr SpanMs kDay = 86'400'000;
constexpr std::uint32_t kGroup = 300;

constexpr std::array<const char*, 12> kStepNames{"plan", "search", "quote", "compare", "decide", "approve",
    "pay", "audit", "report", "wait", "notify", "archive"};
constexpr std::array<const char*, 8> kRegions{
    "eu-west", "eu-north", "us-east", "us-west", "ap-south", "ap-east", "sa", "af"};
constexpr std::array<const char*, 6> kFaults{"HTTP 503 from", "connection refused by",
    "timed out after # ms waiting for", "certificate expired at", "quota exceeded at", "no such account at"};

// What an unfinished run waits for, per cent of the unfinished.
struct Wait {
    std::uint32_t share;
    Activity activity;
    Attention attention;
    Reason reason;
    bool error;
};
constexpr std::array<Wait, 11> kWaits{{
    {32, Activity::Waiting, Attention::Person, Reason::Approval, false},
    {25, Activity::Waiting, Attention::Machine, Reason::Timer, false},
    {10, Activity::Retrying, Attention::Machine, Reason::Retry, true},
    {8, Activity::Blocked, Attention::Repair, Reason::AttemptsExhausted, true},
    {8, Activity::Queued, Attention::Machine, Reason::Capacity, false},
    {6, Activity::Waiting, Attention::Machine, Reason::Signal, false},
    {4, Activity::Blocked, Attention::Repair, Reason::Credential, true},
    {3, Activity::Blocked, Attention::UnknownEffect, Reason::OutcomeUnknown, true},
    {2, Activity::Executing, Attention::Machine, Reason::None, false},
    {1, Activity::Blocked, Attention::Person, Reason::Budget, false},
    {1, Activity::Paused, Attention::Person, Reason::Paused, false},
}};

const Wait& waitOf(std::uint64_t draw)
{
    std::uint64_t left = draw % 100;
    for (const Wait& wait : kWaits) {
        if (left < wait.share)
            return wait;
        left -= wait.share;
    }
    return kWaits.front();
}

std::uint32_t workflowOf(std::uint64_t draw)
{
    const std::uint64_t part = draw % 100;
    return part < 20 ? 0
        : part < 50  ? 1 + static_cast<std::uint32_t>(part % 5)
                     : 6 + static_cast<std::uint32_t>(draw / 100 % 14);
}

std::string errorOf(std::uint64_t draw)
{
    return std::string(kFaults[draw % kFaults.size()]) + " service-" + std::to_string(draw / 7 % 40)
        + ".example, request #";
}

class Maker {
public:
    explicit Maker(const SyntheticRuns& shape)
        : m_shape(shape)
    {
    }

    CommitMember member(std::uint32_t index)
    {
        const TimeMs created = m_shape.now - 90 * kDay + 90 * kDay / m_shape.runs * index;
        CommitMember member;
        member.create = true;
        member.run = makeId<RunId>(created, m_rng);
        member.entry = firstEntry(member.run, created);
        const ListRow row = listRow(member.run, index, created);
        member.identity = identityOf(row);
        member.list = row;
        member.nextDue = row.nextTime;
        member.attributes = {
            {"customer", "text", syntheticCustomer(static_cast<std::uint32_t>(m_rng.below(50'000))), 0},
            {"region", "text", kRegions[m_rng.below(kRegions.size())], 0}};
        return member;
    }

private:
    SealedEntry firstEntry(const RunId& run, TimeMs created)
    {
        RunStarted started;
        started.run = started.root = started.origin = run;
        Entry entry;
        entry.version = 1;
        entry.command = makeId<CommandId>(created, m_rng);
        entry.verb = Verb::Start;
        entry.actor = {ActorKind::Caller, "bench"};
        entry.time = created;
        entry.facts = {started};
        return sealEntry(entry, kMaxFormat, {});
    }
    static RunRow identityOf(const ListRow& row)
    {
        RunRow identity;
        identity.run = row.run;
        identity.root = row.root;
        identity.parent.run = row.parent;
        identity.workflow = {row.workflow, row.workflowVersion, sha256(row.workflow), 1};
        identity.key = row.key;
        identity.keyInput = row.key.empty() ? Digest{} : sha256(row.key);
        identity.createdAt = row.createdAt;
        return identity;
    }
    ListRow listRow(const RunId& run, std::uint32_t index, TimeMs created)
    {
        ListRow row;
        row.run = row.root = run;
        const std::uint32_t workflow = workflowOf(m_rng.next());
        row.workflow = syntheticWorkflow(workflow);
        row.workflowVersion = 1 + static_cast<std::uint32_t>(index * 3ULL / m_shape.runs);
        row.key = "order-" + std::to_string(index);
        row.createdAt = created;
        row.version = 1;
        row.steps = 12;
        if (m_parent && m_rng.below(10) == 0)
            row.parent = row.root = *m_parent;
        else
            m_parent = run;
        row.since =
            created + static_cast<SpanMs>(m_rng.below(static_cast<std::uint64_t>(m_shape.now - created) + 1));
        if (m_rng.below(100) < m_shape.openPerCent)
            wait(row);
        else
            end(row);
        return row;
    }
    void wait(ListRow& row)
    {
        const Wait& w = waitOf(m_rng.next());
        row.activity = w.activity;
        row.attention = w.attention;
        row.reason = w.reason;
        row.step = kStepNames[m_rng.below(kStepNames.size())];
        row.stepsDone = static_cast<std::uint32_t>(m_rng.below(12));
        row.attempt = 1;
        row.attemptsMax = 5;
        if (w.error)
            row.error = errorOf(m_rng.next());
        if (w.activity == Activity::Retrying || w.reason == Reason::Timer)
            row.nextTime = m_shape.now + kDay + static_cast<SpanMs>(m_rng.below(30 * kDay));
        if (w.reason == Reason::Capacity)
            row.resource = "service-" + std::to_string(m_rng.below(40));
        if (w.reason != Reason::None)
            row.situation = hex(sha256(row.workflow + row.step + row.error + row.resource
                                    + std::to_string(static_cast<int>(w.reason))))
                                .substr(0, 16);
    }
    void end(ListRow& row)
    {
        const std::uint64_t draw = m_rng.below(100);
        row.activity = draw < 90 ? Activity::Completed : draw < 96 ? Activity::Failed : Activity::Cancelled;
        row.attention = Attention::None;
        row.stepsDone = 12;
        row.endedAt = row.since;
        if (row.activity == Activity::Failed) {
            row.step = kStepNames[m_rng.below(kStepNames.size())];
            row.error = errorOf(m_rng.next());
        }
    }

    SyntheticRuns m_shape;
    SeededRng m_rng{7};
    std::optional<RunId> m_parent;
};

}  // namespace

std::string syntheticWorkflow(std::uint32_t number) { return "workflow-" + std::to_string(number); }
std::string syntheticCustomer(std::uint32_t number) { return "customer-" + std::to_string(number); }

void addSyntheticRuns(StoreWriter& store, const SyntheticRuns& shape)
{
    Maker maker(shape);
    std::vector<CommitMember> group;
    std::vector<MemberResult> results;
    for (std::uint32_t index = 0; index < shape.runs;) {
        group.clear();
        for (; group.size() < kGroup && index < shape.runs; ++index)
            group.push_back(maker.member(index));
        must(store.commit(group, results));
        for (const MemberResult& result : results)
            if (result.kind != MemberResult::Kind::Committed)
                fail("a run was not accepted: " + result.error.text);
    }
    must(store.checkpoint());
}

}  // namespace cairn::bench
