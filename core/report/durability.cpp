// What a store tells of a period: runs that ended without completing, interruptions, and what the record
// kept.

#include "core/report/worth.h"

#include "core/base/text.h"

#include <algorithm>

namespace cairn {

namespace {

bool endedWithin(const ListRow& row, TimeMs since, TimeMs until)
{
    return isFinished(row.activity) && row.endedAt != kNoTime && row.endedAt < until
        && (since == kNoTime || row.endedAt >= since);
}

std::vector<Formula> formulasOf(const DurabilityReport& r)
{
    const std::string period = formatSpan(r.until - r.since);
    return {
        {"kept",
            "for each interruption, the steps that were recorded by then: without the record the run begins "
            "again from its first step",
            formatCount(static_cast<std::int64_t>(r.work.interruptions)) + " interruptions, "
                + formatCount(static_cast<std::int64_t>(r.work.keptSteps))
                + " recorded steps = " + spentText(r.work.kept)},
        {"month", "kept x 30 days / length of the period",
            spentText(r.work.kept) + " x 30 d / " + period + " = " + spentText(r.month)},
        {"month_effects", "effects recorded at an interruption x 30 days / length of the period",
            formatCount(static_cast<std::int64_t>(r.work.keptEffects)) + " x 30 d / " + period + " = "
                + formatCount(r.monthEffects) + " effects that would come twice"}};
}

std::vector<std::string> remarksOf(const DurabilityReport& r, TimeMs asked)
{
    std::vector<std::string> out;
    if (r.since != kNoTime && r.until - r.since < SpanMs{24} * 3'600'000)
        out.push_back("the period is shorter than a day: the figures of a month are a guess");
    if (asked == kNoTime && r.since != kNoTime)
        out.push_back("the period begins with the oldest run that is counted; --since sets another");
    if (r.work.handedOver > 0)
        out.push_back(formatCount(static_cast<std::int64_t>(r.work.handedOver))
            + " times another engine went on, and when the first one ended is not recorded (sessions are "
              "kept for a week): not counted as interruptions");
    if (r.gone > 0)
        out.push_back(formatCount(static_cast<std::int64_t>(r.gone))
            + " runs were removed while they were read, and are not counted");
    out.push_back(
        "runs that retention removed before are not counted; a child run counts as a run of its own, "
        "and its work not in its parent's");
    return out;
}

// Money is the question only where nothing outside would be done twice.
void judge(DurabilityReport& r)
{
    r.needed = false;
    if (r.runs == 0) {
        r.verdict = "there is no run in this period: nothing can be said";
    } else if (r.work.interruptions == 0) {
        r.verdict = "no engine was needed: none was gone while a run went on, so its record kept nothing";
    } else if (r.work.keptEffects > 0) {
        r.needed = true;
        r.verdict = "an engine is needed, whatever it costs: without its record "
            + formatCount(r.monthEffects) + " effects a month would be done twice";
    } else if (r.month == Spent{}) {
        r.verdict = "no engine was needed: the interrupted runs had recorded nothing by then, and would have "
                    "begun again as they did";
    } else {
        Worth worth = worthOf(r.engine, r.month, "interrupted runs would begin again");
        r.needed = worth.needed;
        r.verdict = std::move(worth.verdict);
    }
}

}  // namespace

DurabilitySums::DurabilitySums(TimeMs since, TimeMs until)
    : m_since(since)
{
    m_sums.until = until;
}

bool DurabilitySums::wants(const ListRow& row) const
{
    if (row.createdAt >= m_sums.until)
        return false;
    return m_since == kNoTime || !isFinished(row.activity) || row.endedAt == kNoTime
        || row.endedAt >= m_since;
}

void DurabilitySums::add(const ListRow& row, const RunWork& work)
{
    ++m_sums.runs;
    if (m_oldest == kNoTime || row.createdAt < m_oldest)
        m_oldest = row.createdAt;
    m_sums.work.spent.add(work.spent);
    m_sums.work.again.add(work.again);
    m_sums.work.kept.add(work.kept);
    m_sums.work.effects += work.effects;
    m_sums.work.interruptions += work.interruptions;
    m_sums.work.keptSteps += work.keptSteps;
    m_sums.work.keptEffects += work.keptEffects;
    m_sums.work.handedOver += work.handedOver;
    if (work.interruptions > 0) {
        ++m_sums.interrupted;
        m_sums.resumed += row.activity == Activity::Completed ? 1 : 0;
    }
    if (!endedWithin(row, m_since, m_sums.until)) {
        ++m_sums.open;
        return;
    }
    ++m_sums.ended[row.activity];
    if (row.activity != Activity::Completed) {
        ++m_sums.endedWithout;
        m_sums.lost.add(work.spent);
        m_sums.effectsLeft += work.effects;
    }
    const SpanMs took = row.endedAt - row.createdAt;
    if (!m_sums.longest || took > m_sums.longest->took)
        m_sums.longest = LongestRun{toText(row.run), std::string(key(row.activity)), took, work.spent};
}

DurabilityReport DurabilitySums::report(std::uint64_t gone, const std::optional<Money>& engine) const
{
    DurabilityReport out = m_sums;
    out.gone = gone;
    out.engine = engine;
    out.since = m_since == kNoTime ? m_oldest : m_since;
    if (out.since != kNoTime && out.until > out.since) {
        out.month = out.work.kept.times(kMonth, out.until - out.since);
        out.monthEffects =
            scaled(static_cast<std::int64_t>(out.work.keptEffects), kMonth, out.until - out.since);
        out.formulas = formulasOf(out);
        if (auto even = breakEven(engine,
                {"an interruption", "interruptions", static_cast<std::int64_t>(out.work.interruptions)},
                out.work.kept, out.month, out.until - out.since))
            out.formulas.push_back(*std::move(even));
    }
    judge(out);
    out.remarks = remarksOf(out, m_since);
    return out;
}

Result<DurabilityReport> durabilityOf(StoreReader& store,
    const std::function<Result<RunPage>(const std::optional<PageKey>&)>& page, TimeMs since, TimeMs until,
    const std::optional<Money>& engine)
{
    CAIRN_TRY_ASSIGN(const auto sessions, store.sessions(true));
    std::map<SessionId, TimeMs> ends;
    for (const SessionRow& session : sessions)
        if (session.endedAt != kNoTime)
            ends[session.id] = session.endedAt;
    const auto endedBy = [&](const SessionId& session, TimeMs at) {
        const auto end = ends.find(session);
        return end != ends.end() && end->second <= at;
    };
    DurabilitySums sums(since, until);
    std::optional<RunTally> tally;
    RunWalk walk;
    walk.page = page;
    walk.wants = [&](const ListRow& row) { return sums.wants(row); };
    walk.entry = [&](const ListRow&, const Entry& entry, const SealedEntry&) {
        if (entry.version == 1)
            tally.emplace(since == kNoTime ? std::numeric_limits<TimeMs>::min() : since, until, endedBy);
        if (tally)
            tally->add(entry);
    };
    walk.done = [&](const ListRow& row) {
        sums.add(row, tally ? tally->work() : RunWork{});
        tally.reset();
    };
    CAIRN_TRY_ASSIGN(const std::uint64_t gone, walkRuns(store, walk));
    return sums.report(gone, engine);
}

}  // namespace cairn
