#pragma once
// The SQL that makes a store's tables, in the order in which it is run.

#include <string>

namespace cairn::postgres {

extern const char* const kRunTables;
extern const char* const kStepTables;
extern const char* const kSharedTables;
extern const char* const kTriggers;
[[nodiscard]] std::string actsText();  // schema_acts.cpp: who may write acts, decisions and the audit
[[nodiscard]] std::string reviewsText();
[[nodiscard]] std::string
agreementText();  // schema_reviews.cpp: what was done by break-glass; after the acts
// A text with the least length of a reason in the place of its mark.
[[nodiscard]] std::string withReasonMinimum(std::string text);
extern const char* const kCheckpoints;  // checkpoints.cpp
extern const char* const kPlans;        // schema_plans.cpp
extern const char* const kEnableAlways;
extern const char* const kToSchema2;
extern const char* const kArtifactPlace;  // of stores with a bucket for artifacts, and no others

}  // namespace cairn::postgres
