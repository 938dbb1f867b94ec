#pragma once
// May a run that was written by one version of a workflow go on under another? Pure: the caller hands in what
// the run has recorded.

#include "core/model/definition.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn {

// A step as a run has recorded it; members of a fan-out and steps added by a decision carry their definition
// step's name.
struct RecordedStep {
    std::string name;
    StepKind kind = StepKind::Tool;  // of a for_each step: FanOut, or the kind of its members
    std::string tool;
    StepState state = StepState::Pending;
};

enum class Fit : std::uint8_t {
    Same = 1,    // the same version with the same bytes
    Compatible,  // another version, nothing needs to be renamed
    Migrated,    // by a registered migration
    Incompatible,
};

struct MigrationAnswer {
    Fit fit = Fit::Same;
    // Old name to new name, from the registered migration; names that stay are not listed.
    std::vector<std::pair<std::string, std::string>> renamedSteps;
    // Why not, one text for each obstacle, for the reason `incompatible`; empty otherwise. For example
    // "written by state schema 3, this version reads 4, no step 3 to 4".
    std::vector<std::string> problems;
    // The problems in one line.
    [[nodiscard]] std::string text() const;
};

// Moving from `written` to `target`: both must be of one workflow, the state schema equal or led over by a
// migration of the target, and every recorded step there under its (new) name with the same kind and tool.
// Steps that the target has and the run has not are added by moving; so none of them may come before a step
// that has already begun.
[[nodiscard]] MigrationAnswer checkMigration(
    const WorkflowRef& written, const std::vector<RecordedStep>& recorded, const Definition& target);

// Resuming under the definition that is here for the run's own version: its bytes must be those the run was
// written by.
[[nodiscard]] MigrationAnswer checkResume(const WorkflowRef& written, const Definition& here);

}  // namespace cairn
