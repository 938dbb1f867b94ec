// start: a run of a workflow, from a file or by the name of a workflow that the store has.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/definition/timer.h"
#include "core/definition/zone.h"
#include "core/store/checks.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <sys/stat.h>

namespace cairn::cli {

namespace {

bool isFile(const std::string& path)
{
    struct stat info { };
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string folderOf(const std::string& path)
{
    char resolved[PATH_MAX];
    if (!::realpath(path.c_str(), resolved))
        return {};
    const std::string full = resolved;
    return full.substr(0, full.rfind('/'));
}

struct Named {
    std::string name;
    std::uint32_t version = 0;
    bool isNew = false;                                 // a file's, that the store did not have
    std::shared_ptr<const Definition> definition = {};  // of a file
};

// Checks a file's definition and adds it to the store, with the same rules as `workflow add`. A preview adds
// nothing.
Result<Named> addFile(Session& s, const std::string& path, bool add)
{
    CAIRN_TRY_ASSIGN(std::string text, readArgument("@" + path));
    ParsedDefinition parsed = parseDefinition(text);
    std::string problems;
    for (const auto& d : parsed.diagnostics)
        if (d.severity == Severity::Error)
            problems += (problems.empty() ? "" : "\n") + diagnosticLine(path, d);
    if (!parsed)
        return makeError(ErrorKind::Refused, "the workflow is not valid:\n" + problems);
    WorkflowRow row;
    row.name = parsed.definition->ref.name;
    row.version = parsed.definition->ref.version;
    row.digest = parsed.definition->ref.digest;
    row.text = std::move(text);
    row.folder = folderOf(path);
    row.addedAt = s.service().now();
    CAIRN_TRY_ASSIGN(const auto there, s.store().workflow(row.name, row.version));
    Named named{row.name, row.version, !there.has_value(),
        std::make_shared<const Definition>(std::move(*parsed.definition))};
    CAIRN_TRY(checkWorkflow(row));
    if (there)
        if (const Status same = checkSameWorkflow(row, there->digest); !same) {
            if (!s.options.preview)
                s.recordRefusal(
                    Verb::AddWorkflow, row.name + "@" + std::to_string(row.version), same.error());
            return same.error();
        }
    if (!add || there)
        return named;
    CAIRN_TRY(s.store().addWorkflow(row));
    if (!s.record(Verb::AddWorkflow, row.name + "@" + std::to_string(row.version), "{}",
            "{\"digest\":\"" + hex(row.digest) + "\"}"))
        return makeError(ErrorKind::Io, "the workflow was added");
    return named;
}

Result<Named> workflowOf(Session& s, const std::string& argument)
{
    if (isFile(argument))
        return addFile(s, argument, !s.options.preview);
    const auto at = argument.rfind('@');
    Named named{argument.substr(0, at), 0, false, {}};
    if (at != std::string::npos) {
        char* end = nullptr;
        named.version = static_cast<std::uint32_t>(std::strtoul(argument.c_str() + at + 1, &end, 10));
        if (*end != '\0' || named.version == 0)
            return makeError(ErrorKind::InvalidInput,
                "\"" + visibleLine(argument) + "\": the version after @ is a number from 1");
    }
    CAIRN_TRY_ASSIGN(const auto row, s.store().workflow(named.name, named.version));
    if (!row)
        return makeError(ErrorKind::NotFound,
            "\"" + visibleLine(argument)
                + "\" is neither a file nor a workflow of this store (`cairn workflow list`)");
    return Named{row->name, row->version, false, {}};
}

// Keys are unique in a workflow. Who used this one in another meant, perhaps, that run.
void tellOtherWorkflows(Session& s, const std::string& key, const RunId& started)
{
    ListTerm same;
    same.key.emplace_back(key);
    const auto page = s.store().list({same}, ListOrder::NewestFirst, std::nullopt, 2);
    if (!page || key.back() == '*')
        return;
    for (const ListRow& row : page->rows)
        if (row.run != started) {
            s.note("the key \"" + visibleLine(key) + "\" is in use in workflow " + visibleLine(row.workflow)
                + " as well, by run " + toText(row.run)
                + ": keys are each workflow's own, so this is another run; name them by their ids");
            return;
        }
}

int start(Session& s, const std::string& workflow, const std::string& key, const std::string& input)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto named = workflowOf(s, workflow);
    if (!named)
        return s.exitCode == kDone ? s.fail(named.error()) : s.exitCode;
    Submission submission;
    submission.reason = s.options.reason;
    submission.command.actor = {ActorKind::Caller, s.person().id};
    submission.workflow = named->name;
    submission.workflowVersion = named->version;
    submission.key = key;
    submission.run = makeId<RunId>(s.clock.wallMs(), s.rng);
    cmd::Start body;
    body.run = submission.run;
    if (!input.empty()) {
        auto bytes = readArgument(input);
        if (!bytes)
            return s.fail(bytes.error());
        submission.payloads.push_back(s.service().newPayload(std::move(*bytes), "application/json"));
        if (auto valid = checkGiven(submission.payloads.back()); !valid)
            return s.fail(kUsage, "--input is not JSON: " + valid.error().text);
        body.input = submission.payloads.back().ref;
    }
    submission.command.body = body;
    if (s.options.preview) {
        if (named->definition)
            s.service().assume(named->definition);
        auto preview = s.service().preview(submission);
        if (preview && named->isNew)
            preview->willHappen.insert(preview->willHappen.begin(),
                "workflow " + named->name + "@" + std::to_string(named->version) + " is added to the store");
        if (!preview)
            return s.fail(preview.error());
        if (!preview->undo.text.empty())
            preview->undo.text = "`cairn cancel` ends the run; what it did until then stays done.";
        return printPreview(s, RunId{}, *preview);  // the run that starts gets an id of its own
    }
    const Outcome outcome = s.service().submitAndWait(std::move(submission));
    if (outcome.kind == Outcome::Kind::Committed && !key.empty())
        tellOtherWorkflows(s, key, outcome.run);
    if (s.options.json) {
        Json json = jsonOutcome(outcome);
        if (!outcome.ok())
            json["run"] = nullptr;  // there is none
        s.json(dump(json));
    } else if (outcome.ok()) {
        s.line(toText(outcome.run));
        if (outcome.kind == Outcome::Kind::Existing)
            s.note("existing: this key was used before with the same input");
    }
    const Exit code = exitOfOutcome(outcome);
    if (!outcome.ok() && !s.options.json)
        s.fail(code, outcome.kind == Outcome::Kind::Rejected ? outcome.rejection.text : outcome.error.text);
    return code;
}

// When the timers of a definition would end that began to wait now, in UTC and as the clocks there show it.
void printTimers(Session& s, const std::string& file, const Definition& definition)
{
    for (const TimerPreview& timer : previewTimers(definition, s.clock.wallMs())) {
        Json next = Json::array();
        std::vector<std::string> lines{file + ": step " + timer.step + ", " + timer.rule + " in " + timer.zone
            + ":" + (timer.next.empty() ? " depends on what the run is given" : "")};
        for (const TimeMs at : timer.next) {
            const auto local = formatLocal(at, timer.zone);
            next.push_back({{"utc", jsonTime(at)}, {"local", local ? *local : std::string()}});
            lines.push_back("    " + formatInstant(at) + "  " + (local ? *local : local.error().text));
        }
        if (s.options.json)
            s.json(dump(Json{{"file", file}, {"step", jsonText(timer.step)}, {"rule", jsonText(timer.rule)},
                {"zone", timer.zone}, {"next", next}}));
        else
            for (const std::string& line : lines)
                s.line(line);
    }
}

int workflowCheck(Session& s, const std::vector<std::string>& files, const ProveArguments& proof)
{
    int code = kDone;
    std::vector<std::string> sound;
    std::vector<Definition> definitions;
    for (const auto& file : files) {
        auto text = readArgument("@" + file);
        if (!text)
            return s.fail(text.error());
        const ParsedDefinition parsed = parseDefinition(*text);
        for (const auto& d : parsed.diagnostics) {
            if (s.options.json)
                s.json(dump(Json{{"file", file}, {"line", d.line}, {"column", d.column},
                    {"pointer", d.pointer}, {"severity", d.severity == Severity::Error ? "error" : "warning"},
                    {"text", jsonText(d.text)}}));
            else
                s.line(diagnosticLine(file, d));
        }
        if (parsed)
            printTimers(s, file, *parsed.definition);
        if (!parsed)
            code = kRefused;
        else if (!s.options.json)
            s.line(file + ": " + parsed.definition->ref.name + "@"
                + std::to_string(parsed.definition->ref.version) + " is valid, "
                + std::to_string(parsed.definition->steps.size()) + " steps");
        if (parsed) {
            sound.push_back(file);
            definitions.push_back(*parsed.definition);
        }
    }
    return proof.wanted ? std::max(code, prove(s, sound, definitions, proof)) : code;
}

int workflowAdd(Session& s, const std::vector<std::string>& files)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    for (const auto& file : files)  // none is added where one is not right
        if (const auto checked = addFile(s, file, false); !checked && !s.options.preview)
            return s.fail(checked.error());
    for (const auto& file : files) {
        const auto named = addFile(s, file, !s.options.preview);
        if (s.options.preview) {
            const std::string what =
                named ? named->name + "@" + std::to_string(named->version) : std::string();
            if (const int code = printPreview(s, named ? Status() : Status(named.error()),
                    named && named->isNew ? what + " is added" : what + " is there already: nothing changes"))
                return code;
            continue;
        }
        if (!named)
            return s.exitCode == kDone ? s.fail(named.error()) : s.exitCode;
        s.answer(dump(Json{{"workflow", named->name}, {"version", named->version}}),
            named->name + "@" + std::to_string(named->version));
    }
    return kDone;
}

int workflowList(Session& s)
{
    if (!s.openReader())
        return s.exitCode;
    auto rows = s.store().workflows(false);
    if (!rows)
        return s.fail(rows.error());
    for (const auto& row : *rows)
        s.answer(dump(Json{{"workflow", row.name}, {"version", row.version}, {"digest", hex(row.digest)},
                     {"added", jsonTime(row.addedAt)}}),
            row.name + "@" + std::to_string(row.version) + "  " + hex(row.digest).substr(0, 12) + "  added "
                + formatInstant(row.addedAt));
    return kDone;
}

}  // namespace

void addStartVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* cmd =
        v.app.add_subcommand("start", "Starts a run; the same workflow, key and input give the same run");
    auto workflow = std::make_shared<std::string>();
    auto key = std::make_shared<std::string>();
    auto input = std::make_shared<std::string>();
    cmd->add_option("FILE", *workflow, "workflow definition file, or NAME[@VERSION] of the store")
        ->required();
    cmd->add_option(
        "--key", *key, "your own name for this run among those of the workflow; makes starting idempotent");
    cmd->add_option("--input", *input, "JSON, @FILE or -");
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return start(s, *workflow, *key, *input); }; });
}

void addWorkflowVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* group = v.app.add_subcommand("workflow", "Checks, adds and lists workflow definitions");
    group->require_subcommand(1);
    auto files = std::make_shared<std::vector<std::string>>();
    auto* check = group->add_subcommand("check", "Names file, line and column of each mistake");
    check->add_option("FILE", *files)->required();
    auto proof = std::make_shared<ProveArguments>();
    auto* proves = check->add_flag("--prove", proof->wanted,
        "kill at every boundary in a simulation: what can happen to each step at worst");
    check->add_option("--input", proof->input, "of the first FILE's run: JSON, @FILE or -; default: made up")
        ->needs(proves);
    check->add_option("--items", proof->items, "items of each list that is made up; default 2")
        ->check(CLI::Range(1, 20))
        ->needs(proves);
    check->add_option("--keyless", proof->keyless, "prove as if this tool's provider forgot keys")
        ->needs(proves);
    check->add_option("--seed", proof->seed, "of ids and delays; default 1")->needs(proves);
    check->callback([=, &s, &chosen] { chosen = [=, &s] { return workflowCheck(s, *files, *proof); }; });
    auto* add = group->add_subcommand("add", "Adds definitions to the store; a version never changes");
    add->add_option("FILE", *files)->required();
    addCommon(add, s);
    add->callback([=, &s, &chosen] { chosen = [=, &s] { return workflowAdd(s, *files); }; });
    auto* list = group->add_subcommand("list", "Workflows of the store");
    list->callback([=, &s, &chosen] { chosen = [=, &s] { return workflowList(s); }; });
}

}  // namespace cairn::cli
