#include "ui/data/auditbeside.h"

#include "core/base/json_scan.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(auditbeside)
};

constexpr std::size_t kReviews = 1'000;  // that are looked at; older ones stand as not known

// The text of a member of the entry's `after`; empty: there is none.
QString textMember(const AuditRow& row, std::string_view name)
{
    if (row.after.find(name) == std::string::npos || findJsonFault(row.after))
        return {};
    const auto members = jsonObjectMembers(row.after);
    if (!members)
        return {};
    const auto found = std::find_if(
        members->begin(), members->end(), [name](const JsonMember& one) { return one.name == name; });
    if (found == members->end())
        return {};
    const auto text = jsonString(found->value);
    return text ? qt(*text) : qt(found->value);
}

}  // namespace

Status AuditBeside::fill(const AuditRow& row, AuditLine& line)
{
    if (row.verb == Verb::Plan)
        return ofPlan(row, line);
    if (row.kind == "proposed")
        return ofProposal(row, line);
    if (const QString second = textMember(row, "confirmed_by"); !second.isEmpty())
        line.second = second;
    else if (textMember(row, "break_glass") == u"true"_s)
        return ofGlass(row, line);
    return {};
}

Status AuditBeside::ofPlan(const AuditRow& row, AuditLine& line)
{
    const auto id = parseId<PlanId>(row.target);
    if (!id)
        return {};
    auto known = m_plans.find(row.target);
    if (known == m_plans.end()) {
        CAIRN_TRY_ASSIGN(auto plan, m_store.plan(*id));
        known = m_plans.emplace(row.target, std::move(plan)).first;
    }
    if (!known->second)
        return {};
    const PlanRow& plan = *known->second;
    line.target = Words::tr("%1 of %2, plan %3")
                      .arg(verbName(plan.verb), plural(plan.items, "run", "runs"), shortId(plan.id));
    if (!plan.confirmedBy.empty())
        line.second = qt(plan.confirmedBy);
    else if (plan.people > 1)
        line.second = plan.state == PlanState::Staged ? Words::tr("waits") : Words::tr("nobody confirmed it");
    return {};
}

// Loud until somebody else has looked at it.
Status AuditBeside::ofGlass(const AuditRow& row, AuditLine& line)
{
    if (!m_reviews) {
        CAIRN_TRY_ASSIGN(const auto reviews, m_store.reviews(true, kReviews));
        m_reviews.emplace();
        for (const Review& review : reviews)
            m_reviews->emplace(review.command, review);
    }
    const auto found = m_reviews->find(row.command);
    if (found == m_reviews->end())
        line.second = Words::tr("alone, by break-glass");
    else if (found->second.open())
        line.second = Words::tr("ALONE, by break-glass: review open");
    else
        line.second = Words::tr("alone, by break-glass; looked at by %1").arg(qt(found->second.closedBy));
    return {};
}

Status AuditBeside::ofProposal(const AuditRow& row, AuditLine& line)
{
    CAIRN_TRY_ASSIGN(const auto act, m_store.stagedAct(row.command));
    if (!act)
        return {};
    const QString who = qt(act->confirmedBy);
    switch (act->state) {
    case StagedState::Proposed: line.second = Words::tr("waits"); break;
    case StagedState::Expired: line.second = Words::tr("nobody came"); break;
    case StagedState::Withdrawn: line.second = Words::tr("withdrawn before anybody came"); break;
    case StagedState::Refused: line.second = Words::tr("no, by %1").arg(who); break;
    default: line.second = who; break;
    }
    return {};
}

}  // namespace cairn::ui
