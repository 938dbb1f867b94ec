#pragma once
// The documented JSON of --json. Field names are the vocabulary's and never change their meaning.

#include "core/query/query.h"

#include <nlohmann/json.hpp>

namespace cairn::cli {

using Json = nlohmann::ordered_json;
class Session;

// Text of people and runs may hold any bytes: what is not UTF-8 is replaced, so that the output always is
// JSON.
[[nodiscard]] Json jsonText(std::string_view text);
[[nodiscard]] Json jsonOptional(std::string_view text);  // null where there is none
[[nodiscard]] Json jsonTime(TimeMs time);                // RFC 3339 in UTC, null where not set
[[nodiscard]] Json jsonMoney(const Money& money);
[[nodiscard]] Json jsonRow(const ListRow& row, TimeMs now);
[[nodiscard]] Json jsonSentence(const Sentence& sentence);
[[nodiscard]] Json jsonReason(const ReasonItem& item, const RunState& state);
[[nodiscard]] Json jsonActions(
    const Session& session, const std::vector<Action>& actions, const RunState& state);
// The outcomes that a settle may have, safest first, as lines below the verb.
void printOffers(Session& session, const Action& action);
[[nodiscard]] Json jsonStep(const StepRecord& step);
[[nodiscard]] Json jsonOutcome(const Outcome& outcome);
[[nodiscard]] std::string dump(const Json& json, int indent = -1);

}  // namespace cairn::cli
