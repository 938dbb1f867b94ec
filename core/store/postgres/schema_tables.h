#pragma once
// The SQL that makes a store's tables, in the order in which it is run.

namespace cairn::postgres {

extern const char* const kRunTables;
extern const char* const kStepTables;
extern const char* const kSharedTables;
extern const char* const kTriggers;
extern const char* const kActs;         // schema_acts.cpp: who may write acts, decisions and the audit
extern const char* const kCheckpoints;  // checkpoints.cpp
extern const char* const kEnableAlways;
extern const char* const kToSchema2;
extern const char* const kArtifactPlace;  // of stores with a bucket for artifacts, and no others

}  // namespace cairn::postgres
