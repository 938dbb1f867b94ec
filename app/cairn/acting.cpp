#include "app/cairn/acting.h"

#include "app/cairn/acts.h"
#include "app/cairn/asked.h"
#include "app/cairn/json_rows.h"
#include "app/cairn/previewed.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <thread>

namespace cairn::cli {

namespace {

void printList(Session& s, const std::string& heading, const std::vector<std::string>& lines)
{
    if (lines.empty())
        return;
    s.line("  " + heading);
    for (const auto& text : lines)
        s.line("    " + text);
}

void printOutcome(Session& s, const Outcome& outcome)
{
    const bool warns = outcome.ok() && !s.warning.empty();
    if (s.options.json) {
        Json json = jsonOutcome(outcome);
        if (warns)
            json["warning"] = jsonText(s.warning);
        s.json(dump(json));
        tellGlass(s, outcome);
        return;
    }
    if (warns)
        s.note("warning: " + s.warning);
    std::string text = toText(outcome.run) + ": ";
    switch (outcome.kind) {
    case Outcome::Kind::Committed: text += "done, version " + std::to_string(outcome.version); break;
    case Outcome::Kind::Repeated:
        text += "done before, version " + std::to_string(outcome.version)
            + (outcome.text.empty() ? std::string() : "; " + outcome.text);
        break;
    case Outcome::Kind::Existing: text += "exists already with the same key and input"; break;
    case Outcome::Kind::NoChange: text += outcome.text; break;
    case Outcome::Kind::Proposed:
        text += "proposed, " + outcome.text + "; act " + toText(outcome.proposal->command);
        break;
    case Outcome::Kind::Rejected: text += "refused: " + outcome.rejection.text; break;
    case Outcome::Kind::Failed: text += "failed: " + outcome.error.text; break;
    }
    if (outcome.ownerElsewhere)
        text += "; an engine owns the run and acts on it within a second";
    if (outcome.auditSeq != 0)
        text += "; audit entry " + std::to_string(outcome.auditSeq);
    s.line(text);
    if (outcome.kind == Outcome::Kind::Rejected)
        s.note("what next: " + std::string(whatNext(outcome.rejection.code)));
    tellGlass(s, outcome);
}

constexpr SpanMs kWaitForEngine = 5'000;
constexpr std::chrono::milliseconds kLookAgain{50};

// The login may not commit: an engine does, in this person's name.
int leave(Session& s, Submission submission, const RunState& seen)
{
    if (const Status may = checkMayAct(s.rights()); !may)
        return s.fail(may.error());
    if (submission.command.actor.kind == ActorKind::Person && !s.reasonGiven())
        return s.exitCode;
    if (submission.command.id.isNull())
        submission.command.id = makeId<CommandId>(s.clock.wallMs(), s.rng);
    s.service().mask(submission);  // it is kept before it is submitted
    const RunId run = submission.run;
    pin(submission.command.body, seen, {});  // somebody else may have to confirm what is seen now
    auto act = stagedOf(std::move(submission), seen, s.config());
    if (!act)
        return s.fail(act.error());
    act->glass = s.options.breakGlass;
    if (const Status staged = s.store().stage(*act); !staged)
        return s.fail(staged.error());
    const auto answer = cli::awaitEngine(s, act->command);
    if (!answer)
        return s.fail(answer.error());
    if (*answer) {
        const Outcome outcome = outcomeOf(**answer);
        printOutcome(s, outcome);
        return exitOfOutcome(outcome);
    }
    const std::string waits = "accepted, waits for an engine";
    s.answer(dump(Json{{"run", toText(run)}, {"outcome", "staged"}, {"command", toText(act->command)},
                 {"text", waits}}),
        toText(run) + ": " + waits);
    return kDone;
}

// The run as the person looked at it: what the act depends on is taken from there.
Result<RunState> loadAsSeen(Session& s, const RunId& run)
{
    CAIRN_TRY_ASSIGN(RunState now, s.service().load(run));
    const std::uint64_t seen = s.options.seen;
    if (seen == 0 || seen == now.version)
        return now;
    if (seen > now.version)
        return makeError(
            ErrorKind::InvalidInput, "--expect: the run has versions 1 to " + std::to_string(now.version));
    return s.service().load(run, seen);
}

// A step that was not there then has no revision that could be checked.
Status holdToSeen(Session& s, cmd::Body& body, const RunState& seen)
{
    if (s.options.seen == 0)
        return {};
    pin(body, seen, {});
    return std::visit(
        [&](const auto& c) -> Status {
            if constexpr (requires { c.checkRevision; })
                if (!c.checkRevision)
                    return makeError(ErrorKind::NotFound,
                        "there was no step \"" + visibleLine(c.step) + "\" at version "
                            + std::to_string(seen.version));
            return {};
        },
        body);
}

bool goesBySeen(const cmd::Body& body)
{
    if (const auto* paused = std::get_if<cmd::SetPaused>(&body))
        return !paused->paused;
    if (const auto* takeover = std::get_if<cmd::Takeover>(&body))
        return !takeover->step.empty();
    if (std::holds_alternative<cmd::Note>(body))
        return false;
    return std::visit(
        [](const auto& c) {
            return requires { c.checkRevision; }
            || requires { c.checkControl; }
            || requires { c.check; }
            || requires
            {
                c.fromVersion;
                c.toVersion;
            };
        },
        body);
}

int previewOn(Session& s, const RunState& seen, const Submission& submission)
{
    auto preview = s.service().preview(submission);
    if (!preview)
        return s.fail(preview.error());
    const auto* decide = std::get_if<cmd::Decide>(&submission.command.body);
    const int code = printPreview(s, seen.id, *preview,
        decide ? s.query().asked(seen, &s.service(), decide->approval, 1) : std::vector<Asked>());
    if (!s.options.json && code == kDone && goesBySeen(submission.command.body)) {
        const std::string version = std::to_string(preview->before.version);
        s.line("  of version " + version + "; with --expect " + version
            + " it is done only while what it depends on is as it is here");
    }
    return code;
}

int actOn(Session& s, const RunId& run, const Build& build, const CommandId& command)
{
    auto state = loadAsSeen(s, run);
    if (!state)
        return s.fail(state.error());
    Submission submission;
    submission.command.id = command;
    submission.run = run;
    submission.command.actor = s.person();
    submission.reason = s.options.reason;
    submission.claimedName = s.options.as;
    submission.breakGlass = s.options.breakGlass;
    auto body = build(*state, submission);
    if (!body)
        return s.fail(body.error());
    submission.command.body = std::move(*body);
    if (const Status held = holdToSeen(s, submission.command.body, *state); !held)
        return s.fail(held.error());
    if (s.options.preview)
        return previewOn(s, *state, submission);
    if (!s.rights().commits)
        return leave(s, std::move(submission), *state);
    const Outcome outcome = s.service().submitAndWait(std::move(submission));
    printOutcome(s, outcome);
    return exitOfOutcome(outcome);
}

}  // namespace

Result<std::optional<StagedAct>> awaitEngine(Session& s, const CommandId& command)
{
    for (const SpanMs until = s.clock.monotonicMs() + kWaitForEngine;;) {
        CAIRN_TRY_ASSIGN(auto found, s.store().stagedAct(command));
        if (found && found->state != StagedState::Waiting)
            return found;
        if (s.clock.monotonicMs() >= until)
            return std::optional<StagedAct>();
        std::this_thread::sleep_for(kLookAgain);
    }
}

std::optional<CommandId> ownCommandId(Session& s)
{
    if (s.options.command.empty())
        return CommandId{};
    auto command = parseId<CommandId>(s.options.command);
    if (command && !command->isNull())
        return command;
    s.fail(kUsage,
        "--command takes an id of your own as a UUID, as `cairn history --json` prints them; the same id is "
        "carried out once");
    return std::nullopt;
}

void addCommandId(CLI::App* cmd, Session& s)
{
    cmd->add_option("--command", s.options.command,
        "a UUID of your own for this act: given again, it answers what became of the first");
}

int act(Session& s, const std::vector<std::string>& named, const Build& build)
{
    const auto command = ownCommandId(s);
    if (!command)
        return s.exitCode;
    if (!s.openWriter())
        return s.exitCode;
    const auto runs = s.targets(named);
    if (!runs)
        return s.exitCode;
    if (runs->size() > 1 && (s.options.seen != 0 || !command->isNull()))
        return s.fail(kUsage, "--expect and --command are for one run: name it");
    if (runs->empty())
        s.note("0 runs match; nothing was done");
    int worst = s.exitCode;
    for (const RunId& run : *runs)
        worst = std::max(worst, actOn(s, run, build, *command));
    return worst;
}

// Nothing is stored here: the commit stages what is large, and a preview comes to no commit.
Result<PayloadRef> attach(Session& s, Submission& submission, const std::string& argument, const char* media)
{
    if (argument.empty())
        return PayloadRef{};
    CAIRN_TRY_ASSIGN(std::string bytes, readArgument(argument));
    submission.payloads.push_back(s.service().newPayload(std::move(bytes), media));
    return submission.payloads.back().ref;
}

Result<TimeMs> instantOf(Session& s, const std::string& text)
{
    return typedInstant(text, s.service().now());
}

void addActing(CLI::App* cmd, Session& s, GoesBy goesBy)
{
    addCommon(cmd, s);
    addCommandId(cmd, s);
    if (goesBy == GoesBy::WhatWasSeen)
        cmd->add_option("--expect", s.options.seen,
               "version of the run that was looked at, as show and --preview print it; refused as stale "
               "where what the act depends on has changed since")
            ->check(CLI::PositiveNumber);
}

void addRunsVerb(Verbs v, const char* name, const char* help, GoesBy goesBy, std::function<cmd::Body()> body)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(name, help);
    auto runs = std::make_shared<std::vector<std::string>>();
    cmd->add_option("RUN", *runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    addActing(cmd, s, goesBy);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState&, Submission&) -> Result<cmd::Body> { return body(); });
        };
    });
}

int printPreview(Session& s, const RunId& run, const Preview& preview, const std::vector<Asked>& asked)
{
    const auto* rejection = std::get_if<Rejection>(&preview.decision);
    const auto* nothing = std::get_if<NoChange>(&preview.decision);
    if (s.options.json) {
        Json json{{"run", run.isNull() ? Json() : Json(toText(run))}, {"preview", true},
            {"allowed", rejection == nullptr},
            {"seen", preview.before.version == 0 ? Json() : Json(preview.before.version)}};
        if (rejection) {
            json["text"] = jsonText(rejection->text);
            json["what_next"] = std::string(whatNext(rejection->code));
        }
        if (nothing)
            json["text"] = jsonText(nothing->text);
        json["will_happen"] = preview.willHappen;
        json["will_not_repeat"] = preview.willNotRepeat;
        json["may_repeat"] = preview.mayRepeat;
        json["also_changes"] = preview.alsoChanges;
        addPreviewParts(json, preview);
        json["reversible"] = preview.undo.text;
        json["people"] = preview.needed.people;
        json["role"] = jsonOptional(preview.needed.role);
        if (!asked.empty())
            json["approvals"] = jsonAsked(asked);
        s.json(dump(json));
        return rejection ? exitOfRejection(*rejection) : kDone;
    }
    const bool two = preview.needed.second() && rejection == nullptr && nothing == nullptr;
    if (two)
        s.note("somebody else has to confirm this before it is done: " + tellNeeded(preview.needed));
    s.line((run.isNull() ? std::string("a new run") : toText(run)) + ": preview, nothing is written");
    if (rejection) {
        s.line("  would be refused: " + rejection->text);
        s.note("what next: " + std::string(whatNext(rejection->code)));
    }
    if (nothing)
        s.line("  would change nothing: " + nothing->text);
    printAsked(s, asked);
    printList(s, "will happen:", preview.willHappen);
    printList(s, "will not be repeated:", preview.willNotRepeat);
    printList(s, "may be repeated:", preview.mayRepeat);
    printList(s, "will also change:", preview.alsoChanges);
    printPreviewParts(s, preview.parts);
    if (!preview.undo.text.empty())
        s.line("  undo: " + preview.undo.text);
    return rejection ? exitOfRejection(*rejection) : kDone;
}

}  // namespace cairn::cli
