#include "app/cairn/acts.h"

#include "app/cairn/cli.h"
#include "core/base/text.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"

#include <algorithm>

namespace cairn::cli {

std::vector<StagedAct> waitingOf(Session& session, const RunId& run)
{
    auto acts = session.store().waitingActs(kActsLooked);
    if (!acts)
        return {};
    std::erase_if(*acts, [&](const StagedAct& act) { return act.run != run; });
    return *std::move(acts);
}

Json jsonAct(const StagedAct& act)
{
    return {{"command", toText(act.command)}, {"run", act.run.isNull() ? Json() : Json(toText(act.run))},
        {"verb", key(act.verb)}, {"target", jsonOptional(act.target)}, {"login", jsonOptional(act.stagedBy)},
        {"address", jsonOptional(act.address)}, {"backend", act.backend},
        {"actor", jsonOptional(act.claimed)}, {"reason", jsonOptional(act.reason)},
        {"time", jsonTime(act.stagedAt)}, {"expires", jsonTime(expiryOf(act))}, {"seen", act.seenVersion},
        {"standing", jsonText(standingOf(act))}, {"role", jsonOptional(act.role)},
        {"digest", act.digest.isNull() ? Json() : Json(hex(act.digest))},
        {"confirmed_by", jsonOptional(act.confirmedBy)}, {"confirmed", jsonTime(act.confirmedAt)}};
}

Json jsonActs(const std::vector<StagedAct>& acts)
{
    Json list = Json::array();
    for (const StagedAct& act : acts)
        list.push_back(jsonAct(act));
    return list;
}

std::string actLine(const StagedAct& act)
{
    return formatInstant(act.stagedAt) + "  " + pad(act.stagedBy, 14) + " "
        + pad(std::string(key(act.verb)), 8) + " "
        + (act.run.isNull() ? pad("the store", 36) : toText(act.run))
        + (act.target.empty() ? std::string() : "  " + act.target)
        + (act.reason.empty() ? std::string() : "  \"" + act.reason + "\"")
        + (act.digest.isNull() ? "  expires " + formatInstant(expiryOf(act))
                               : "  act " + toText(act.command) + "  " + standingOf(act));
}

void tellGlass(Session& session, const Outcome& outcome)
{
    if (outcome.glass)
        session.note(
            "THE GLASS WAS BROKEN: one person alone did this, and a review is open until somebody else "
            "closes it (`cairn audit reviews`)");
}

void printWaiting(Session& session, const std::vector<StagedAct>& acts)
{
    for (const StagedAct& act : acts)
        session.line("  " + pad(act.state == StagedState::Proposed ? "waits for 2nd" : "waits for engine", 16)
            + " " + std::string(key(act.verb)) + " by " + act.stagedBy + ", since "
            + formatInstant(act.stagedAt) + ", until " + formatInstant(expiryOf(act))
            + (act.target.empty() ? std::string() : ", of " + act.target));
}

}  // namespace cairn::cli
