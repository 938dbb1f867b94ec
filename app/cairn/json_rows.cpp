#include "app/cairn/json_rows.h"

#include "app/cairn/cli.h"
#include "core/base/text.h"

#include <algorithm>

namespace cairn::cli {

Json jsonText(std::string_view text) { return std::string(text); }
Json jsonOptional(std::string_view text) { return text.empty() ? Json() : jsonText(text); }
Json jsonTime(TimeMs time) { return time == kNoTime ? Json() : Json(formatRfc3339(time)); }

Json jsonMoney(const Money& money)
{
    if (money.currency.empty())
        return {};
    return {{"amount", formatAmount(money.micros, money.currency)}, {"currency", money.currency}};
}

std::string dump(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Json jsonSentence(const Sentence& s)
{
    Json evidence = Json::array();
    for (const auto& [name, value] : s.evidence)
        evidence.push_back({{"name", jsonText(name)}, {"value", jsonText(value)}});
    return {{"text", jsonText(s.text)}, {"short", jsonText(s.shortText)},
        {"subject", jsonOptional(s.subject)}, {"since", jsonTime(s.since)}, {"ends", jsonText(s.ends)},
        {"next", jsonTime(s.next)}, {"evidence", evidence}};
}

Json jsonRow(const ListRow& row, TimeMs now)
{
    Json json{{"run", toText(row.run)}, {"workflow", row.workflow}, {"version", row.workflowVersion},
        {"key", jsonOptional(row.key)}, {"activity", key(row.activity)}, {"attention", key(row.attention)},
        {"reason", row.reason == Reason::None ? Json() : Json(key(row.reason))},
        {"step", jsonOptional(row.step)}, {"since", jsonTime(row.since)}, {"next", jsonTime(row.nextTime)},
        {"created", jsonTime(row.createdAt)}, {"ended", jsonTime(row.endedAt)}, {"steps", row.steps},
        {"steps_done", row.stepsDone}, {"attempt", row.attempt}, {"attempts_max", row.attemptsMax},
        {"resource", jsonOptional(row.resource)}, {"error", jsonOptional(row.error)},
        {"situation", jsonOptional(row.situation)}, {"amount", jsonMoney(row.amount)}};
    json["parent"] = row.parent.isNull() ? Json() : Json(toText(row.parent));
    json["root"] = toText(row.root);
    json["held"] = row.heldUntil > now;
    json["assigned"] = jsonOptional(row.assigned);
    json["sentence"] = jsonText(Query::rowSentence(row, now).shortText);
    return json;
}

Json jsonReason(const ReasonItem& item, const RunState& state)
{
    return {{"reason", key(item.reason)}, {"label", label(item.reason)},
        {"step", item.step == kNoStep ? Json() : Json(state.steps[item.step].id)},
        {"since", jsonTime(item.since)}, {"next", jsonTime(item.due)}, {"count", item.count},
        {"looking_up", item.lookingUp}, {"attention", key(movesNext(item))}};
}

Json jsonActions(const Session& session, const std::vector<Action>& actions, const RunState& state)
{
    Json list = Json::array();
    for (const auto& action : actions) {
        Json json{{"verb", key(action.verb)}, {"label", label(action.verb)}, {"allowed", action.allowed},
            {"why", jsonText(action.why)}, {"command", session.hasCommand(action.verb)}};
        if (action.step != kNoStep)
            json["step"] = state.steps[action.step].id;
        if (!action.approval.isNull())
            json["approval"] = toText(action.approval);
        if (!action.outcomes.empty()) {
            Json outcomes = Json::array();
            for (const SettleOffer& offer : action.outcomes)
                outcomes.push_back({{"outcome", cmd::settleKey(offer.as)}, {"allowed", offer.allowed},
                    {"why", jsonText(offer.why)}});
            json["outcomes"] = outcomes;
        }
        list.push_back(std::move(json));
    }
    return list;
}

void printOffers(Session& session, const Action& action)
{
    for (const SettleOffer& offer : action.outcomes) {
        std::string flag = "--" + std::string(cmd::settleKey(offer.as));
        std::replace(flag.begin(), flag.end(), '_', '-');
        session.line(
            "      " + pad(std::move(flag), 18) + (offer.allowed ? "  " : "  not now: ") + offer.why);
    }
}

Json jsonStep(const StepRecord& step)
{
    Json json{{"id", step.id}, {"kind", key(step.kind)}, {"state", key(step.state)},
        {"reason", step.reason == Reason::None ? Json() : Json(key(step.reason))},
        {"tool", jsonOptional(step.tool)}, {"agent", jsonOptional(step.agent)}, {"safety", key(step.safety)},
        {"since", jsonTime(step.since)}, {"due", jsonTime(step.due)}, {"attempts", step.attempts},
        {"failures", step.failures}, {"lost", step.lost}, {"revision", step.revision},
        {"started", jsonTime(step.firstStartedAt)}, {"ended", jsonTime(step.endedAt)},
        {"amount", jsonMoney(step.amount)}};
    const auto payload = [](const PayloadRef& ref) {
        return ref ? Json{{"id", toText(ref.id)}, {"size", ref.size}, {"media", ref.media}} : Json();
    };
    json["input"] = payload(step.input);
    json["output"] = payload(step.output);
    json["error"] = payload(step.error);
    return json;
}

Json jsonOutcome(const Outcome& outcome)
{
    static constexpr const char* kKinds[] = {
        "committed", "repeated", "existing", "no_change", "rejected", "failed", "proposed"};
    Json json{{"run", toText(outcome.run)}, {"outcome", kKinds[static_cast<std::size_t>(outcome.kind)]}};
    if (outcome.version != 0)
        json["version"] = outcome.version;
    if (outcome.auditSeq != 0)
        json["audit"] = outcome.auditSeq;
    if (outcome.ownerElsewhere)
        json["owner_elsewhere"] = true;
    if (outcome.glass)
        json["break_glass"] = true;
    if (outcome.proposal) {
        json["command"] = toText(outcome.proposal->command);
        json["digest"] = hex(outcome.proposal->digest);
        json["role"] = jsonOptional(outcome.proposal->role);
        json["expires"] = jsonTime(outcome.proposal->expires);
    }
    if (!outcome.text.empty())
        json["text"] = jsonText(outcome.text);
    if (outcome.kind == Outcome::Kind::Rejected) {
        json["text"] = jsonText(outcome.rejection.text);
        json["what_next"] = std::string(whatNext(outcome.rejection.code));
    }
    if (outcome.kind == Outcome::Kind::Failed) {
        json["text"] = jsonText(outcome.error.text);
        json["error"] = errorKindName(outcome.error.kind);
    }
    return json;
}

}  // namespace cairn::cli
