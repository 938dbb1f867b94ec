#include "core/plan/runner.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/plan/words.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cairn {

namespace {

constexpr SpanMs kSoon = 20;  // something is under way
constexpr SpanMs kLookEvery = 5'000;
constexpr SpanMs kCanaryLook = 500;
constexpr SpanMs kLate = 1'000;  // what was missed by more is not made up for in a burst
constexpr SpanMs kRest = 1'000;  // after an act that the store could not answer
constexpr std::size_t kMostPlans = 1'000;

CommandId stepOf(const PlanRow& plan, std::string_view what)
{
    return deriveId<CommandId>("plan-runner", toText(plan.id) + " " + std::string(what));
}

}  // namespace

PlanRunner::PlanRunner(StoreWriter& store, Service& service, const Clock& clock, PlanRunnerConfig config)
    : m_store(store)
    , m_service(service)
    , m_clock(clock)
    , m_config(std::move(config))
{
}

PlanRunner::~PlanRunner() = default;

// A person, or another executor, has changed the row meanwhile: the next call reads it again.
Result<std::optional<SpanMs>> PlanRunner::tick()
{
    auto next = work();
    if (!next && next.error().kind == ErrorKind::Conflict)
        return std::optional(kSoon);
    return next;
}

Result<std::optional<SpanMs>> PlanRunner::work()
{
    CAIRN_TRY_ASSIGN(const TimeMs now, m_store.now());
    if (m_plan)
        CAIRN_TRY(refresh(now));
    if (!m_plan)
        CAIRN_TRY(findPlan(now));
    if (!m_plan)
        return std::optional<SpanMs>();
    CAIRN_TRY(flush(now));
    if (!m_plan)
        return std::optional(kSoon);  // another has taken it
    if (m_plan->state == PlanState::Running) {
        CAIRN_TRY_ASSIGN(const SpanMs next, run(now));
        return std::optional(std::min(next, m_config.lease / 3));  // so that it is renewed in time
    }
    if (!m_underWay.empty() || !m_ended.empty())
        return std::optional(kSoon);
    if (m_plan->state == PlanState::Verifying)
        CAIRN_TRY(verify(now));
    else
        CAIRN_TRY(release());
    return std::optional(kSoon);
}

// --- holding a plan

bool PlanRunner::needsExecutor(const PlanRow& row, TimeMs now) const
{
    if (!m_config.only.isNull() && row.id != m_config.only)
        return false;
    if (!row.holder.isNull() && row.holder != m_config.holder && row.leaseUntil > now)
        return false;
    if (row.state == PlanState::Running)
        return true;
    if (row.state != PlanState::Verifying)
        return false;
    const auto spec = decodeSpec(row.spec);
    return row.executedAt == kNoTime || !spec || now >= row.executedAt + spec->pace.verify;
}

// What runs comes before what is looked after in what is read, so that no window, however long, hides it.
Status PlanRunner::findPlan(TimeMs now)
{
    CAIRN_TRY_ASSIGN(auto plans, m_store.plansUnderWay(kMostPlans));
    std::sort(plans.begin(), plans.end(), [](const PlanRow& a, const PlanRow& b) {
        return std::tie(a.stagedAt, a.id) < std::tie(b.stagedAt, b.id);
    });
    for (auto row = plans.begin(); row != plans.end() && !m_plan; ++row)
        if (needsExecutor(*row, now))
            CAIRN_TRY(take(*row, now));
    return {};
}

Status PlanRunner::take(PlanRow row, TimeMs now)
{
    auto spec = decodeSpec(row.spec);
    if (!spec) {
        log::error("plan_damaged", {{"plan", toText(row.id)}, {"text", spec.error().text}});
        row.state = row.state == PlanState::Running ? PlanState::Paused : PlanState::Closed;
        row.note = spec.error().text;
        row.endedAt = row.state == PlanState::Closed ? now : kNoTime;
        return m_store.changePlan({row, row.revision, {}, {}, {}});
    }
    PlanChange taken{row, row.revision, {}, {}, {}};
    taken.row.holder = m_config.holder;
    taken.row.leaseUntil = now + m_config.lease;
    if (const Status written = m_store.changePlan(taken); !written)
        return written.error().kind == ErrorKind::Conflict ? Status() : written;  // somebody else was first
    drop();
    m_spec = *std::move(spec);
    m_plan = std::move(taken.row);
    ++m_plan->revision;
    beginPace();
    return {};
}

void PlanRunner::beginPace()
{
    m_paceAt = m_clock.monotonicMs();
    m_paced = 0;
    m_canaryOver = m_spec.pace.canary == 0;
    m_canaryAt = 0;
    m_lookAt = m_paceAt + kLookEvery;
}

// People change the row too, and another executor may have taken it.
Status PlanRunner::refresh(TimeMs now)
{
    CAIRN_TRY_ASSIGN(auto row, m_store.plan(m_plan->id));
    if (!row || row->holder != m_config.holder) {
        drop();
        return {};
    }
    const bool continued = row->startedAt != m_plan->startedAt;
    m_plan = *std::move(row);
    if (continued)
        beginPace();
    if (m_plan->leaseUntil - now > m_config.lease * 2 / 3)
        return {};
    PlanRow held = *m_plan;
    held.leaseUntil = now + m_config.lease;
    const Status renewed = change(std::move(held), {}, {});
    return !renewed && renewed.error().kind == ErrorKind::Conflict ? Status() : renewed;
}

Status PlanRunner::change(PlanRow row, std::vector<PlanItem> done, std::optional<AuditRow> audit)
{
    PlanChange to{std::move(row), m_plan->revision, {}, std::move(done), std::move(audit)};
    CAIRN_TRY(m_store.changePlan(to));
    m_plan = std::move(to.row);
    m_plan->revision = to.expected + 1;
    return {};
}

void PlanRunner::drop()
{
    ++*m_hold;
    m_plan.reset();
    m_next.clear();
    m_read = 0;
    m_readAll = false;
    m_underWay.clear();
    m_ended.clear();
}

Status PlanRunner::release()
{
    if (!m_plan)
        return {};
    CAIRN_TRY_ASSIGN(const TimeMs now, m_store.now());
    CAIRN_TRY(refresh(now));
    while (m_plan && !m_ended.empty())
        CAIRN_TRY(flush(now));
    if (!m_plan)
        return {};
    PlanRow free = *m_plan;
    free.holder = {};
    free.leaseUntil = kNoTime;
    CAIRN_TRY(change(std::move(free), {}, {}));
    drop();
    return {};
}

// --- outcomes

// Where a person changed the row meanwhile it is read again, and the outcomes are written then.
Status PlanRunner::flush(TimeMs now)
{
    if (m_ended.empty())
        return {};
    const std::size_t count = std::min(m_ended.size(), kPlanPage);
    std::vector<PlanItem> done(m_ended.begin(), m_ended.begin() + static_cast<std::ptrdiff_t>(count));
    PlanRow row = *m_plan;
    row.leaseUntil = now + m_config.lease;
    if (const Status written = change(std::move(row), std::move(done), {}); !written) {
        if (written.error().kind != ErrorKind::Conflict)
            return written;
        return refresh(now);
    }
    m_ended.erase(m_ended.begin(), m_ended.begin() + static_cast<std::ptrdiff_t>(count));
    return {};
}

// An act that was committed has written the outcome itself. What is written here is why there was none; and
// what an act was that the store had already, where it has not got that outcome, too.
void PlanRunner::ended(PlanItem item, const Outcome& outcome)
{
    m_underWay.erase(item.ord);
    if (outcome.kind == Outcome::Kind::Committed)
        return;
    if (!isAnswer(outcome)) {
        m_next.push_front(std::move(item));
        m_restUntil = m_clock.monotonicMs() + kRest;
        return;
    }
    item.doneAt = std::max(m_service.now(), m_plan->startedAt);  // clocks of two connections
    item.version = outcome.version;
    switch (outcome.kind) {
    case Outcome::Kind::NoChange:
        item.state = PlanItemState::Skipped;
        item.leftOut = PlanLeftOut::AlreadySo;
        item.why = outcome.text;
        break;
    case Outcome::Kind::Proposed:  // the policy has become stricter since the plan was made
        item.state = PlanItemState::Failed;
        item.leftOut = PlanLeftOut::NoRight;
        item.why = outcome.text;
        break;
    case Outcome::Kind::Rejected:
        item.leftOut = leftOutOf(outcome.rejection);
        item.state = item.leftOut == PlanLeftOut::AlreadyMoved ? PlanItemState::Stale : PlanItemState::Failed;
        item.why = outcome.rejection.text;
        break;
    case Outcome::Kind::Failed:
        item.state = PlanItemState::Failed;
        item.leftOut = outcome.error.kind == ErrorKind::NotFound ? PlanLeftOut::NotFound : PlanLeftOut::None;
        item.why = outcome.error.text;
        break;
    default: item.state = PlanItemState::Done; break;
    }
    m_ended.push_back(std::move(item));
}

// --- going on

Status PlanRunner::fill()
{
    if (!m_next.empty() || m_readAll)
        return {};
    CAIRN_TRY_ASSIGN(auto items, m_store.planItems(m_plan->id, m_read, kPlanPage, PlanItemState::Open));
    m_readAll = items.size() < kPlanPage;
    for (PlanItem& item : items) {
        m_read = item.ord;
        m_next.push_back(std::move(item));
    }
    return {};
}

Result<SpanMs> PlanRunner::run(TimeMs now)
{
    if (const SpanMs mono = m_clock.monotonicMs(); mono < m_restUntil)
        return std::min(m_restUntil - mono, kRest);
    CAIRN_TRY(fill());
    CAIRN_TRY(lookAtReturns(now));
    if (m_plan->state != PlanState::Running)
        return kSoon;
    if (m_next.empty()) {
        if (m_readAll && m_underWay.empty() && m_ended.empty())
            CAIRN_TRY(executed(now));
        return kSoon;
    }
    if (!m_canaryOver && m_next.front().ord > m_spec.pace.canary) {
        CAIRN_TRY_ASSIGN(const bool over, canaryIsOver(now));
        if (!over)
            return m_underWay.empty() ? kCanaryLook : kSoon;
    }
    return startDue();
}

Result<bool> PlanRunner::canaryIsOver(TimeMs now)
{
    if (!m_underWay.empty() || !m_ended.empty())
        return false;
    const SpanMs mono = m_clock.monotonicMs();
    if (m_canaryAt == 0)
        m_canaryAt = mono;
    CAIRN_TRY_ASSIGN(const PlanFates fates,
        readFates(m_store, m_plan->id, m_spec.verb, m_plan->startedAt, m_spec.pace.canary));
    if (stopsAt(m_spec.pace, {fates.done, fates.of(PlanFate::Again)}, fates.done)) {
        CAIRN_TRY(stop(fates, now));
        return false;
    }
    const bool undecided = fates.of(PlanFate::Moved) + fates.of(PlanFate::NotYet) > 0;
    if (undecided && mono - m_canaryAt < m_spec.pace.canaryWait)
        return false;
    m_canaryOver = true;
    m_paceAt = mono;
    m_paced = 0;
    return true;
}

Status PlanRunner::stop(const PlanFates& fates, TimeMs now)
{
    PlanRow row = *m_plan;
    row.state = PlanState::Paused;
    row.note = "stopped by itself: " + formatCount(static_cast<std::int64_t>(fates.of(PlanFate::Again)))
        + " of " + formatCount(static_cast<std::int64_t>(fates.done))
        + " runs came back to the same situation, more than " + std::to_string(m_spec.pace.stopOver) + " %";
    std::string after = "{\"note\":";
    appendJsonString(after, row.note);
    after += "}";
    const std::string what = "stopped " + std::to_string(m_plan->revision);
    AuditRow entry = audit("stopped", now, std::move(after));
    entry.command = stepOf(*m_plan, what);
    return change(std::move(row), {}, std::move(entry));
}

Status PlanRunner::lookAtReturns(TimeMs now)
{
    const SpanMs mono = m_clock.monotonicMs();
    if (m_spec.pace.stopOver == 0 || mono < m_lookAt)
        return {};
    m_lookAt = mono + kLookEvery;
    CAIRN_TRY_ASSIGN(
        const PlanFates fates, readFates(m_store, m_plan->id, m_spec.verb, m_plan->startedAt, 0));
    if (!stopsAt(m_spec.pace, {fates.done, fates.of(PlanFate::Again)}, m_plan->items))
        return {};
    return stop(fates, now);
}

SpanMs PlanRunner::startDue()
{
    const SpanMs mono = m_clock.monotonicMs();
    while (!m_next.empty() && m_underWay.size() < m_config.atOnce && mono >= m_restUntil) {
        if (!m_canaryOver && m_next.front().ord > m_spec.pace.canary)
            return kSoon;
        if (m_spec.pace.rate > 0) {
            const SpanMs due = m_paceAt + dueWithJitter(m_spec.pace, m_plan->id, m_paced);
            if (mono < due)
                return m_underWay.empty() && m_ended.empty() ? due - mono : std::min(due - mono, kSoon);
            if (mono - due > kLate)
                m_paceAt += mono - due;
        }
        ++m_paced;
        PlanItem item = std::move(m_next.front());
        m_next.pop_front();
        startItem(std::move(item));
    }
    return kSoon;
}

// Nothing is done to a run that somebody holds, also where that began after the plan was made, and to one
// that was removed meanwhile.
bool PlanRunner::leavesOut(PlanItem& item)
{
    const auto row = m_store.listRows(std::span(&item.run, 1));
    const bool gone = row && row->empty();
    const auto stone = gone ? m_store.tombstone(item.run) : Result<std::optional<Tombstone>>(std::nullopt);
    if (!row || !stone) {
        m_next.push_front(std::move(item));
        m_restUntil = m_clock.monotonicMs() + kRest;
        return true;
    }
    if (gone && *stone) {
        item.leftOut = PlanLeftOut::Removed;
        item.why = removedText(**stone);
    } else if (!gone && row->front().heldUntil > m_service.now()) {
        item.leftOut = PlanLeftOut::Held;
        item.why = heldText(row->front());
    } else {
        return false;
    }
    item.state = PlanItemState::Skipped;
    item.doneAt = m_service.now();
    m_ended.push_back(std::move(item));
    return true;
}

void PlanRunner::startItem(PlanItem item)
{
    if (leavesOut(item))
        return;
    m_underWay.insert(item.ord);
    auto submission = submissionOf(*m_plan, m_spec, item);
    if (!submission) {
        Outcome outcome;
        outcome.error = submission.error();
        return ended(std::move(item), outcome);
    }
    const std::weak_ptr<std::uint64_t> holds = m_hold;
    m_service.submit(*std::move(submission), [this, holds, hold = *m_hold, item](const Outcome& outcome) {
        if (const auto now = holds.lock(); now && *now == hold)
            ended(item, outcome);
    });
}

// --- ends

AuditRow PlanRunner::audit(std::string kind, TimeMs now, std::string after) const
{
    return planAudit(*m_plan, kind, m_config.who, stepOf(*m_plan, kind), now, std::move(after));
}

Result<std::string> PlanRunner::totals()
{
    CAIRN_TRY_ASSIGN(const auto counts, m_store.planCounts(m_plan->id));
    std::map<std::string_view, std::uint64_t> items, fates;
    for (const PlanItemState state : {PlanItemState::Open, PlanItemState::Done, PlanItemState::Skipped,
             PlanItemState::Stale, PlanItemState::Failed})
        items[key(state)] = 0;
    for (const PlanFate fate :
        {PlanFate::Moved, PlanFate::Finished, PlanFate::Again, PlanFate::NotYet, PlanFate::Unknown})
        fates[key(fate)] = 0;
    for (const PlanCount& count : counts) {
        items[key(count.state)] += count.count;
        if (count.fate != PlanFate::None)
            fates[key(count.fate)] += count.count;
    }
    std::string out = "{";
    for (const auto* all : {&items, &fates})
        for (const auto& [name, count] : *all)
            out += (out.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + std::to_string(count);
    return out + "}";
}

// Nobody holds a plan while its runs are looked after: it is taken again when that is over.
Status PlanRunner::executed(TimeMs now)
{
    CAIRN_TRY_ASSIGN(std::string after, totals());
    AuditRow entry = audit("finished", now, std::move(after));
    PlanRow row = *m_plan;
    row.executedAt = now;
    row.state = m_spec.pace.verify > 0 ? PlanState::Verifying : PlanState::Closed;
    row.endedAt = row.state == PlanState::Closed ? now : kNoTime;
    row.holder = {};
    row.leaseUntil = kNoTime;
    CAIRN_TRY(change(std::move(row), {}, std::move(entry)));
    drop();
    return {};
}

// An act that was committed before the plan was ended is done, though nobody came to write that.
Status PlanRunner::endOne(PlanItem item, TimeMs now)
{
    item.doneAt = now;
    const auto version = m_store.findCommand(item.run, item.command);
    if (!version && version.error().kind != ErrorKind::NotFound)
        return version.error();
    if (version && *version) {
        item.state = PlanItemState::Done;
        item.version = **version;
    } else {
        item.state = PlanItemState::Skipped;
        item.leftOut = PlanLeftOut::Aborted;
        item.why = "the plan was aborted before its turn";
    }
    m_ended.push_back(std::move(item));
    return {};
}

Status PlanRunner::skipRest(TimeMs now)
{
    for (;;) {
        CAIRN_TRY_ASSIGN(auto items, m_store.planItems(m_plan->id, 0, kPlanPage, PlanItemState::Open));
        if (items.empty())
            return {};
        for (PlanItem& item : items)
            CAIRN_TRY(endOne(std::move(item), now));
        while (m_plan && !m_ended.empty())
            CAIRN_TRY(flush(now));
        if (!m_plan)
            return makeError(ErrorKind::Conflict, "another executor has taken the plan");
    }
}

Status PlanRunner::verify(TimeMs now)
{
    if (m_plan->executedAt == kNoTime) {  // it was aborted
        CAIRN_TRY(skipRest(now));
        return executed(now);
    }
    std::vector<PlanItem> page;
    Status written;
    const auto write = [&] {
        PlanRow row = *m_plan;
        row.leaseUntil = now + m_config.lease;
        written = change(std::move(row), std::exchange(page, {}), {});
    };
    CAIRN_TRY(readFates(m_store, m_plan->id, m_spec.verb, kNoTime, 0, [&](PlanItem item) {
        if (!written)
            return;
        page.push_back(std::move(item));
        if (page.size() == kPlanPage)
            write();
    }));
    if (written && !page.empty())
        write();
    CAIRN_TRY(written);
    CAIRN_TRY_ASSIGN(std::string after, totals());
    AuditRow entry = audit("verified", now, std::move(after));
    PlanRow row = *m_plan;
    row.state = PlanState::Closed;
    row.endedAt = now;
    row.holder = {};
    row.leaseUntil = kNoTime;
    CAIRN_TRY(change(std::move(row), {}, std::move(entry)));
    drop();
    return {};
}

}  // namespace cairn
