// A plan that runs, an act that waits for a second person, and whose the situations are.
#include "demosource.h"
#include "ui/data/format.h"

namespace cairn::ui::test {

using namespace Qt::StringLiterals;

namespace {

template<typename T> QFuture<Reply<T>> now(T value) { return readyReply<T>({std::move(value), {}}); }

PlanEntry aPlan()
{
    PlanEntry entry;
    entry.plan.bytes[15] = 5;
    entry.what = u"Retry now of 4 runs"_s;
    entry.person = u"Tom Aydin"_s;
    entry.standing = u"runs"_s;
    entry.reason = u"the gateway answers again"_s;
    entry.glyph = Glyph::Running;
    entry.at = kDemoNow - 60'000;
    entry.share = {3, 2, 0, 1};  // of four, one is left out
    return entry;
}

PlanEntry anAct()
{
    PlanEntry entry;
    entry.proposal = true;
    entry.act.bytes[15] = 9;
    entry.run = demoRun(1);
    entry.what = u"Cancel"_s;
    entry.person = u"Kim Larsen"_s;
    entry.standing = u"1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"_s;
    entry.reason = u"ordered twice"_s;
    entry.glyph = Glyph::Approval;
    entry.at = kDemoNow - 120'000;
    entry.waits = true;
    return entry;
}

PlanEntry withTaint(PlanEntry entry, const QString& taint)
{
    if (!taint.isEmpty())
        entry.what = entry.person = entry.standing = entry.reason = taint;
    return entry;
}

PlanForecast demoForecast(const QString& taint)
{
    PlanForecast told;
    told.digest = u"51be07c3d8"_s;
    told.sentence = u"Retry now: 3 of 4 runs, 1 left out."_s;
    told.included = 3;
    told.willHappen = QStringList{u"charge-card runs again (3 runs)"_s};
    told.willNotRepeat = QStringList{u"reserve-stock (3 runs, 74.70 EUR together)"_s};
    told.alsoChanges = QStringList{u"its time-out begins anew (3 runs)"_s};
    told.leftOut = QStringList{u"already moved 1, held 0"_s};
    told.load = u"as fast as it goes"_s;
    told.reversible = u"cannot be undone"_s;
    told.command = u"cairn --store pg:pay plan stage retry"_s;
    told.reasonMinimum = 10;
    told.reasonLacks = u"this plan needs a reason of at least 10 characters"_s;
    told.at = kDemoNow;
    if (!taint.isEmpty()) {
        told.sentence = told.load = told.reversible = told.needs = taint;
        told.willHappen = told.willNotRepeat = told.mayRepeat = told.alsoChanges = told.leftOut =
            QStringList{taint};
    }
    return told;
}

}  // namespace

// Kim Larsen has all approvals, Ines Duarte and others two of the mismatches; of lost workers nothing is
// known.
void tellOwnAndTrend(SituationLine& line)
{
    if (line.glyph == Glyph::Lost)
        return;
    line.began.assign(kTrendSlots, 0);
    line.beganFrom = kDemoNow - kDemoNow % kTrendSlot - (kTrendSlots - 1) * kTrendSlot;
    if (line.glyph == Glyph::Approval) {
        line.began[3] = 1;
        line.began[11] = 2;
        line.owned = line.count;
        line.owner = u"Kim Larsen"_s;
    } else if (line.glyph == Glyph::Mismatch) {
        line.began[4] = 2;
        line.owned = 2;
        line.owner = u"Ines Duarte"_s;
        line.owners = true;
    } else if (line.count == 300) {
        for (std::size_t i = 7; i < 12; ++i)
            line.began[i] = 20 * (i - 5);
    }
}

QFuture<Reply<std::vector<Fact>>> DemoSource::versions(const RunId&)
{
    const QString takes = u"would take it: what is done stays as it is"_s;
    return now(std::vector<Fact>{{u"order-intake @3"_s, u"the run follows this one"_s, false},
        {u"order-intake @4"_s, taint.isEmpty() ? takes : taint, false}});
}

QFuture<Reply<PlanEntries>> DemoSource::plans(bool closedToo)
{
    closedAsked = closedToo;
    PlanEntries entries;
    entries.at = kDemoNow;
    if (waiting)
        entries.entries.push_back(withTaint(anAct(), taint));
    entries.entries.push_back(withTaint(aPlan(), taint));
    return now(std::move(entries));
}

QFuture<Reply<PlanView>> DemoSource::plan(const PlanEntry& entry, int)
{
    PlanView view;
    view.entry = entry;
    view.at = kDemoNow;
    view.facts = {{u"Standing"_s, entry.standing, false}, {u"Reason"_s, entry.reason, false}};
    const QString noPlan = u"this is no plan but one act"_s;
    const QString own = u"who proposed an act cannot confirm it: somebody else has to"_s;
    const QString notThis = u"a plan is not rejected or withdrawn: it is aborted"_s;
    const QString runs = u"plan runs: only one that waits for its start is started"_s;
    for (int i = 0; i < kPlanSteps; ++i) {
        const auto step = static_cast<PlanStep>(i);
        QString off;
        if (entry.proposal)
            off = step == PlanStep::Confirm || step == PlanStep::Reject ? (author ? own : QString())
                : step == PlanStep::Withdraw ? (author ? QString() : u"only its author"_s)
                                             : noPlan;
        else
            off = step == PlanStep::Pause || step == PlanStep::Abort     ? QString()
                : step == PlanStep::Reject || step == PlanStep::Withdraw ? notThis
                                                                         : runs;
        view.offers.push_back({step, off});
    }
    if (!entry.proposal) {
        view.outcomes = {{u"open"_s, u"1"_s, false}, {u"done"_s, u"2"_s, false},
            {u"skipped"_s, u"1"_s, false}, {u"stale"_s, u"0"_s, false}, {u"failed"_s, u"0"_s, false}};
        view.fates = {{u"moved"_s, u"1"_s, false}, {u"finished"_s, u"0"_s, false},
            {u"back in the same situation"_s, u"1"_s, false}, {u"not yet"_s, u"0"_s, false},
            {u"unknown"_s, u"0"_s, false}};
        view.items = {{1, demoRun(1), u"charge-card"_s, u"done"_s, u"moved"_s, {}, Glyph::Done, 40},
            {2, demoRun(2), u"charge-card"_s, u"done"_s, u"back in the same situation"_s, {}, Glyph::Failed},
            {3, demoRun(3), u"charge-card"_s, u"open"_s, {}, {}, Glyph::Queued},
            {4, demoRun(4), {}, u"skipped"_s, {}, u"already moved"_s, Glyph::Skipped}};
        view.itemsInAll = 4;
        view.command = u"cairn --store pg:pay plan stage retry"_s;
        if (!taint.isEmpty())
            view.items.front().step = view.items.front().why = taint;
    }
    return now(std::move(view));
}

QFuture<Reply<PlanForecast>> DemoSource::previewPlan(const PlanRequest& request)
{
    drafted.push_back(request);
    PlanForecast told = demoForecast(taint);
    if (adjustForecast)
        adjustForecast(told);
    return now(std::move(told));
}

QFuture<Reply<ActResult>> DemoSource::stagePlan(const QString& digest, const QString& reason)
{
    staged.emplace_back(digest, reason);
    return now(ActResult{ActEnd::Done, u"Plan 000000…000005 runs."_s, 0, 0, false});
}

QFuture<Reply<PlanForecast>> DemoSource::previewEntry(const PlanEntry&)
{
    PlanForecast told = demoForecast(taint);
    if (adjustForecast)
        adjustForecast(told);
    return now(std::move(told));
}

QFuture<Reply<ActResult>> DemoSource::order(const PlanOrderRequest& request)
{
    ordered.push_back(request);
    return now(ActResult(orderAnswer));
}

}  // namespace cairn::ui::test
