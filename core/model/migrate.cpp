#include "core/model/migrate.h"

#include "core/base/json_scan.h"

#include <algorithm>
#include <set>

namespace cairn {

namespace {

std::string versionText(const WorkflowRef& ref)
{
    return ref.name + " version " + std::to_string(ref.version);
}

const MigrationDef* migrationFrom(const WorkflowRef& written, const Definition& target)
{
    for (const MigrationDef& migration : target.migrations)
        if (migration.fromVersion == written.version && migration.fromStateSchema == written.stateSchema)
            return &migration;
    return nullptr;
}

std::string newName(const MigrationAnswer& answer, const std::string& name)
{
    for (const auto& [from, to] : answer.renamedSteps)
        if (from == name)
            return to;
    return name;
}

bool sameKind(const RecordedStep& step, const StepDef& def)
{
    return step.kind == def.kind || (step.kind == StepKind::FanOut && def.forEach);
}

bool hasBegun(StepState state) { return state != StepState::Pending && state != StepState::Ready; }

void checkStep(MigrationAnswer& answer, const RecordedStep& step, const Definition& target)
{
    const std::string name = newName(answer, step.name);
    const std::string what =
        "step " + jsonQuote(step.name) + (name == step.name ? "" : " (now " + jsonQuote(name) + ")");
    const StepDef* def = target.step(name);
    if (!def) {
        answer.problems.push_back(
            what + " is recorded, and " + versionText(target.ref) + " has no such step and no rename");
    } else if (!sameKind(step, *def)) {
        answer.problems.push_back(what + " is recorded as " + std::string(key(step.kind)) + ", and is "
            + std::string(key(def->kind)) + " in " + versionText(target.ref));
    } else if (!step.tool.empty() && step.tool != def->tool) {
        answer.problems.push_back(what + " is recorded with tool " + jsonQuote(step.tool) + ", and has "
            + (def->tool.empty() ? "none" : jsonQuote(def->tool)) + " in " + versionText(target.ref));
    }
}

// A step that the run does not have yet must not come before one that has already begun.
void checkNewSteps(
    MigrationAnswer& answer, const std::vector<RecordedStep>& recorded, const Definition& target)
{
    std::set<std::string> known;
    for (const RecordedStep& step : recorded)
        known.insert(newName(answer, step.name));
    for (const RecordedStep& step : recorded) {
        const StepDef* def = target.step(newName(answer, step.name));
        if (!def || !hasBegun(step.state))
            continue;
        for (const std::string& before : def->after)
            if (known.count(before) == 0)
                answer.problems.push_back("step " + jsonQuote(step.name) + " has begun, and in "
                    + versionText(target.ref) + " the new step " + jsonQuote(before) + " comes before it");
    }
}

}  // namespace

std::string MigrationAnswer::text() const
{
    std::string all;
    for (const std::string& problem : problems)
        all += (all.empty() ? "" : "; ") + problem;
    return all;
}

MigrationAnswer checkMigration(
    const WorkflowRef& written, const std::vector<RecordedStep>& recorded, const Definition& target)
{
    MigrationAnswer answer;
    if (written.name != target.ref.name) {
        answer.problems.push_back(
            "written by workflow " + jsonQuote(written.name) + ", this is " + jsonQuote(target.ref.name));
    } else if (written.version == target.ref.version && written.digest == target.ref.digest) {
        return answer;
    } else {
        const MigrationDef* migration = migrationFrom(written, target);
        answer.fit = migration ? Fit::Migrated : Fit::Compatible;
        if (migration)
            answer.renamedSteps = migration->renamedSteps;
        else if (written.stateSchema != target.ref.stateSchema)
            answer.problems.push_back("written by state schema " + std::to_string(written.stateSchema)
                + ", this version reads " + std::to_string(target.ref.stateSchema) + ", no step "
                + std::to_string(written.stateSchema) + " to " + std::to_string(target.ref.stateSchema));
        for (const RecordedStep& step : recorded)
            checkStep(answer, step, target);
        checkNewSteps(answer, recorded, target);
    }
    if (!answer.problems.empty())
        answer.fit = Fit::Incompatible;
    return answer;
}

MigrationAnswer checkResume(const WorkflowRef& written, const Definition& here)
{
    MigrationAnswer answer;
    if (written.name == here.ref.name && written.version == here.ref.version
        && written.digest == here.ref.digest)
        return answer;
    answer.fit = Fit::Incompatible;
    if (written.name != here.ref.name || written.version != here.ref.version)
        answer.problems.push_back(
            "written by " + versionText(written) + ", here is " + versionText(here.ref));
    else
        answer.problems.push_back(versionText(written) + " is here with other content (sha256 "
            + hex(here.ref.digest).substr(0, 12) + ", written by " + hex(written.digest).substr(0, 12)
            + "): add it under a new version");
    return answer;
}

}  // namespace cairn
