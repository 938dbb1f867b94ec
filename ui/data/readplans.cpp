// Plans, and acts that wait for a second person or for an engine, as one list.
#include "core/plan/fate.h"
#include "core/plan/progress.h"
#include "core/plan/words.h"
#include "core/service/agreement.h"
#include "ui/data/format.h"
#include "ui/data/planconvert.h"
#include "ui/data/qtconvert.h"
#include "ui/data/readworld.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(readplans)
};

constexpr std::size_t kMost = 500;           // of each kind; the answer says where there are more
constexpr std::size_t kMostFollowed = 20;    // plans under way that are told of with how far they are
constexpr std::uint64_t kMostFates = 1'000;  // runs that are looked at each time

Glyph glyphOf(const PlanRow& row)
{
    switch (row.state) {
    case PlanState::Draft: return Glyph::Pending;
    case PlanState::Staged:
        return row.people > 1 && row.confirmedBy.empty() ? Glyph::Approval : Glyph::Queued;
    case PlanState::Running: return Glyph::Running;
    case PlanState::Paused: return Glyph::Paused;
    case PlanState::Verifying: return Glyph::Timer;
    case PlanState::Closed: break;
    }
    return row.aborted ? Glyph::Cancelled : Glyph::Done;
}

}  // namespace

QString PlanEntry::key() const { return proposal ? u"act "_s + idText(act) : u"plan "_s + idText(plan); }

PlanEntry entryOf(const PlanRow& row)
{
    PlanEntry entry;
    entry.plan = row.id;
    entry.what = Words::tr("%1 of %2").arg(verbName(row.verb), plural(row.items, "run", "runs"));
    entry.person = qt(row.login);
    entry.standing = qt(cairn::standingOf(row));
    entry.reason = qt(row.reason);
    entry.glyph = glyphOf(row);
    entry.at = row.stagedAt;
    entry.waits = row.state == PlanState::Staged && row.people > 1 && row.confirmedBy.empty();
    return entry;
}

PlanEntry entryOf(const StagedAct& act)
{
    PlanEntry entry;
    entry.proposal = true;
    entry.act = act.command;
    entry.run = act.run;
    entry.what = verbName(act.verb) + (act.target.empty() ? QString() : u", "_s + qt(act.target));
    entry.person = qt(act.stagedBy);
    entry.standing = qt(cairn::standingOf(act));
    entry.reason = qt(act.reason);
    entry.waits = act.state == StagedState::Proposed;
    entry.glyph = entry.waits ? Glyph::Approval : isOpen(act.state) ? Glyph::Queued : Glyph::Done;
    entry.at = act.stagedAt;
    return entry;
}

void fillFacts(const StagedAct& act, PlanView& view)
{
    const auto add = [&view](const QString& name, const QString& value, bool mono = false) {
        view.facts.push_back({name, value.isEmpty() ? u"–"_s : value, mono});
    };
    add(Words::tr("Act"), idText(act.command), true);
    add(Words::tr("Run"), act.run.isNull() ? Words::tr("none: it is about the store") : idText(act.run),
        true);
    add(Words::tr("Standing"), view.entry.standing);
    add(Words::tr("Proposed by"), qt(act.stagedBy));
    add(Words::tr("Reason"), qt(act.reason));
    add(Words::tr("Proposed"), instantText(act.stagedAt));
    add(Words::tr("Expires"), instantText(act.expires) + Words::tr("; expiry is never consent"));
    add(Words::tr("Digest"), hexText(act.digest), true);
}

Result<PlanEntries> ReadWorld::planEntries(bool closedToo, std::vector<PlanRow>& rows)
{
    PlanEntries all;
    CAIRN_TRY_ASSIGN(all.at, m_store->now());
    CAIRN_TRY_ASSIGN(const auto acts, m_store->waitingActs(kMost));
    CAIRN_TRY_ASSIGN(rows, m_store->plans(closedToo, kMost));
    all.more = acts.size() == kMost || rows.size() == kMost;
    for (const StagedAct& act : acts)
        if (act.verb != Verb::Plan)  // an order on one of the plans below
            all.entries.push_back(entryOf(act));
    for (const PlanRow& row : rows)
        if (row.state != PlanState::Draft)
            all.entries.push_back(entryOf(row));
    std::stable_sort(all.entries.begin(), all.entries.end(),
        [](const PlanEntry& a, const PlanEntry& b) { return a.waits != b.waits ? a.waits : a.at > b.at; });
    return all;
}

// What became of the runs is read of each of them, so of so many only. What others have damaged is no reason
// to tell of no plan at all: it is told of with the plan itself.
Status ReadWorld::addProgress(const PlanRow& row, PlanEntry& entry)
{
    const auto spec = decodeSpec(row.spec);
    const auto counts = m_store->planCounts(row.id);
    if (!counts && counts.error().kind != ErrorKind::Corrupt)
        return counts.error();
    if (!spec || !counts)
        return {};
    const PlanProgress progress = progressOf(row, *spec, *counts);
    entry.share = {progress.items - std::min(progress.items, progress.leftOut), progress.done,
        progress.stale + progress.failed, progress.leftOut};
    if (progress.done > 0 && progress.done <= kMostFates) {
        CAIRN_TRY_ASSIGN(const PlanFates fates, readFates(*m_store, row.id, row.verb, kNoTime, 0));
        entry.share.again = fates.of(PlanFate::Again);
        entry.standing += u"; "_s
            + Words::tr("%1 moved or finished, %2 back again")
                  .arg(countText(fates.of(PlanFate::Moved) + fates.of(PlanFate::Finished)),
                      countText(fates.of(PlanFate::Again)));
    }
    entry.standing += u"; "_s + qt(cairn::nextOf(row, *spec, progress));
    return {};
}

Result<PlanEntries> ReadWorld::plans(bool closedToo)
{
    std::vector<PlanRow> rows;
    CAIRN_TRY_ASSIGN(PlanEntries all, planEntries(closedToo, rows));
    std::erase_if(rows, [](const PlanRow& row) { return !isUnderWay(row.state); });
    if (rows.size() > kMostFollowed)  // the newest first
        rows.resize(kMostFollowed);
    for (const PlanRow& row : rows)
        for (PlanEntry& entry : all.entries)
            if (!entry.proposal && entry.plan == row.id)
                CAIRN_TRY(addProgress(row, entry));
    return all;
}

Result<Overview> ReadWorld::watch()
{
    CAIRN_TRY_ASSIGN(Overview overview, this->overview({}));
    const auto all = plans(false);
    if (!all && all.error().kind == ErrorKind::NoRight)
        return overview;  // who may not see them is told nothing of them
    CAIRN_TRY(all);
    for (const PlanEntry& entry : all->entries)
        if (entry.waits || entry.share.again > 0)
            overview.plans.push_back(
                {entry.key(), entry.waits, entry.share.again, entry.what, entry.standing});
    return overview;
}

}  // namespace cairn::ui
