// Plans, and acts that wait for a second person or for an engine, as one list.
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

constexpr std::size_t kMost = 500;  // of each kind; the answer says where there are more

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

Result<PlanEntries> ReadWorld::plans(bool closedToo)
{
    PlanEntries all;
    CAIRN_TRY_ASSIGN(all.at, m_store->now());
    CAIRN_TRY_ASSIGN(const auto acts, m_store->waitingActs(kMost));
    CAIRN_TRY_ASSIGN(const auto rows, m_store->plans(closedToo, kMost));
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

}  // namespace cairn::ui
