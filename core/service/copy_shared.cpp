#include "core/service/copy_shared.h"

#include "core/base/failpoint.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kAuditPage = 200;
constexpr std::size_t kActsPage = 8;       // of up to 1 MiB each
constexpr std::size_t kRemovedPage = 200;  // with the effects of each
constexpr std::size_t kReviewsPage = 200;
// Of these a store has few, for a person makes each: they are listed in one go.
constexpr std::size_t kMostOfPeople = 1'000'000;

Status stoppedAt(const char* point)
{
    if (failpoint::hit(point))
        return makeError(ErrorKind::Io, "stopped by a failpoint");
    return {};
}

Error differs(const std::string& what)
{
    return makeError(ErrorKind::Corrupt, what + " in the copy is not what it is in the store");
}

bool same(const EffectRow& a, const EffectRow& b)
{
    return a.effect == b.effect && a.tool == b.tool && a.key == b.key && a.state == b.state
        && a.holder == b.holder && a.holderStep == b.holderStep && a.inputSalt == b.inputSalt
        && a.inputDigest == b.inputDigest && a.result == b.result && a.changedAt == b.changedAt;
}

// But for the cursor, which is each store's own.
bool same(const RemovedRun& a, const RemovedRun& b)
{
    Tombstone stone = a.stone;
    stone.changed = b.stone.changed;
    return stone == b.stone && a.kept == b.kept
        && std::equal(a.effects.begin(), a.effects.end(), b.effects.begin(), b.effects.end(),
            [](const EffectRow& x, const EffectRow& y) { return same(x, y); });
}

}  // namespace

SharedCopier::SharedCopier(const CopyRequest& request, StoreWriter& to, SpanMs clockOffset)
    : m_request(request)
    , m_from(request.from)
    , m_to(to)
    , m_clockOffset(clockOffset)
{
}

Status SharedCopier::stop() const
{
    if (!m_request.stopped())
        return {};
    return makeError(ErrorKind::Cancelled, "stopped between two groups; the same command again goes on");
}

Status SharedCopier::copyAll()
{
    CAIRN_TRY(copyAudit());
    CAIRN_TRY(copyCheckpoints());
    if (m_clockOffset != 0)
        CAIRN_TRY(m_to.setClockOffset(m_clockOffset));
    CAIRN_TRY(copyPolicies());
    CAIRN_TRY(copyRules());
    CAIRN_TRY(copyResources());
    CAIRN_TRY(copyActs());
    CAIRN_TRY(copyReviews());
    CAIRN_TRY(copyPlans());
    return copyRemoved();
}

// Where the copy's audit ends. That it is a part of FROM's is what its next entry shows.
Result<std::uint64_t> SharedCopier::auditThere()
{
    std::uint64_t seq = 0;
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto rows, m_to.audit(seq, kAuditPage));
        if (rows.empty())
            return seq;
        seq = rows.back().seq;
        m_head = rows.back().hash;
    }
}

Status SharedCopier::copyAudit()
{
    CAIRN_TRY_ASSIGN(m_report.audit, auditThere());
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto rows, m_from.audit(m_report.audit, kAuditPage));
        if (rows.empty())
            break;
        CAIRN_TRY(m_to.extendAudit(rows));
        m_report.audit = rows.back().seq;
        m_head = rows.back().hash;
        CAIRN_TRY(stoppedAt("copy.audit"));
    }
    CAIRN_TRY_ASSIGN(const auto last, m_from.audit(m_report.audit - 1, 1));
    if (last.empty() || last.front().hash != m_head)
        return makeError(ErrorKind::Corrupt, "the copy's audit ends with another entry than the store's");
    return {};
}

// The store's id comes along, so what was signed of it stays signed.
Status SharedCopier::copyCheckpoints()
{
    CAIRN_TRY_ASSIGN(const auto newest, m_to.newestCheckpoint());
    for (std::uint64_t done = newest ? newest->number : 0;;) {
        CAIRN_TRY_ASSIGN(const auto rows, m_from.checkpoints(done, kAuditPage));
        if (rows.empty())
            return {};
        for (const CheckpointRow& row : rows) {
            CAIRN_TRY_ASSIGN(const auto covered, m_from.coveredHeads(row.number));
            std::vector<RunHead> heads;
            heads.reserve(covered.size());
            for (const CoveredHead& head : covered)
                heads.push_back(head.signedHead);
            CAIRN_TRY(m_to.appendCheckpoint(row, heads));
            done = row.number;
        }
    }
}

// All versions: the newest decides, the others are what the audit speaks of.
Status SharedCopier::copyPolicies()
{
    for (std::uint64_t version = 1;; ++version) {
        CAIRN_TRY_ASSIGN(const auto policy, m_from.policy(version));
        if (!policy)
            return {};
        CAIRN_TRY(m_to.extendPolicies(std::span(&*policy, 1)));
    }
}

// Who set these is in the audit that comes along.
Status SharedCopier::copyRules()
{
    CAIRN_TRY_ASSIGN(const auto retention, m_from.retention());
    for (const RetentionRow& row : retention)
        CAIRN_TRY(m_to.setRetention(row, {}));
    CAIRN_TRY_ASSIGN(const SecretList never, m_from.neverStore());
    if (!never.empty())
        CAIRN_TRY(m_to.setNeverStore(never, {}));
    return {};
}

Status SharedCopier::copyResources()
{
    CAIRN_TRY_ASSIGN(const auto workflows, m_from.workflows(false));
    for (const WorkflowRow& named : workflows) {
        CAIRN_TRY_ASSIGN(const auto workflow, m_from.workflow(named.name, named.version));
        if (workflow)
            CAIRN_TRY(m_to.addWorkflow(*workflow));
    }
    CAIRN_TRY_ASSIGN(const auto resources, m_from.resources());
    for (const ResourceRow& resource : resources) {
        CAIRN_TRY(m_to.putResource(resource));
        if (resource.backOffUntil != kNoTime)
            CAIRN_TRY(m_to.raiseBackOff(resource.name, resource.backOffUntil, resource.askedByServer));
    }
    return {};
}

// Who left or proposed them, what was asked, who confirmed it, and what became of it.
Status SharedCopier::copyActs()
{
    for (CommandId after;;) {
        CAIRN_TRY_ASSIGN(const auto acts, m_from.answeredActs(after, kActsPage));
        if (acts.empty())
            return {};
        CAIRN_TRY(m_to.extendActs(acts));
        m_report.acts += acts.size();
        after = acts.back().command;
        CAIRN_TRY(stoppedAt("copy.acts"));
        CAIRN_TRY(stop());
    }
}

Status SharedCopier::copyReviews()
{
    CAIRN_TRY_ASSIGN(const auto all, m_from.reviews(true, kMostOfPeople));
    for (std::size_t begin = 0; begin < all.size(); begin += kReviewsPage) {
        const std::span<const Review> some(all);
        CAIRN_TRY(m_to.extendReviews(some.subspan(begin, std::min(kReviewsPage, all.size() - begin))));
    }
    m_report.reviews = all.size();
    return {};
}

Status SharedCopier::copyPlans()
{
    CAIRN_TRY_ASSIGN(const auto plans, m_from.plans(true, kMostOfPeople));
    for (const PlanRow& plan : plans) {
        CAIRN_TRY(copyPlan(plan));
        ++m_report.plans;
        CAIRN_TRY(stoppedAt("copy.plans"));
        CAIRN_TRY(stop());
    }
    return {};
}

// As it was made: its items come while it is a draft, and last what became of it. So a draft that is there is
// one whose copying was stopped, and items that are there already stay.
Status SharedCopier::copyPlan(const PlanRow& plan)
{
    CAIRN_TRY_ASSIGN(const auto there, m_to.plan(plan.id));
    if (there && there->state != PlanState::Draft)
        return {};
    PlanChange change;
    change.expected = there ? there->revision : 0;
    for (std::uint32_t after = 0;;) {
        CAIRN_TRY_ASSIGN(change.added, m_from.planItems(plan.id, after, kPlanPage, std::nullopt));
        if (change.added.empty() && change.expected > 0)
            break;
        if (!change.added.empty())
            after = change.added.back().ord;
        change.row = plan;
        change.row.state = PlanState::Draft;
        CAIRN_TRY(m_to.changePlan(change));
        ++change.expected;
        CAIRN_TRY(stoppedAt("copy.items"));
    }
    change.row = plan;
    return m_to.changePlan(change);
}

// The last one that came along: they come in the order of their runs.
Result<RunId> SharedCopier::removedThere()
{
    for (RunId last;;) {
        CAIRN_TRY_ASSIGN(const auto some, m_to.tombstones(last, kRemovedPage));
        if (some.empty())
            return last;
        last = some.back().run;
        m_report.removed += some.size();
    }
}

// Before the runs: none of theirs may be begun again under their ids or keys, and who waits for one of their
// effects finds it.
Status SharedCopier::copyRemoved()
{
    CAIRN_TRY_ASSIGN(RunId after, removedThere());
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto runs, m_from.removedRuns(after, kRemovedPage));
        if (runs.empty())
            return {};
        CAIRN_TRY(m_to.extendRemoved(runs));
        m_report.removed += runs.size();
        after = runs.back().stone.run;
        CAIRN_TRY(stoppedAt("copy.removed"));
        CAIRN_TRY(stop());
    }
}

Status SharedCopier::compareAll()
{
    for (RunId after;;) {
        CAIRN_TRY_ASSIGN(const auto here, m_from.removedRuns(after, kRemovedPage));
        CAIRN_TRY_ASSIGN(const auto there, m_to.removedRuns(after, kRemovedPage));
        if (here.size() != there.size())
            return differs("the number of tombstones");
        for (std::size_t i = 0; i < here.size(); ++i)
            if (!same(here[i], there[i]))
                return differs("what is left of removed run " + toText(here[i].stone.run));
        if (here.empty())
            return {};
        after = here.back().stone.run;
    }
}

}  // namespace cairn
