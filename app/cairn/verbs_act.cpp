// Verbs that change runs: approve, reject, pause, resume, cancel, retry, settle, signal, fork.
// Each takes --reason and --preview; --preview runs the same decision and writes nothing.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/service/staged.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <thread>

namespace cairn::cli {

namespace {

constexpr const char* kRunHelp = "id, unique beginning of an id, or key";
constexpr const char* kRunsHelp = "ids, unique beginnings of ids, or keys";

void printList(Session& s, const std::string& heading, const std::vector<std::string>& lines)
{
    if (lines.empty())
        return;
    s.line("  " + heading);
    for (const auto& text : lines)
        s.line("    " + text);
}

// Makes the command for a run as it is now; the payloads it refers to go into the submission.
using Build = std::function<Result<cmd::Body>(const RunState& state, Submission& submission)>;

void printOutcome(Session& s, const Outcome& outcome)
{
    if (s.options.json) {
        s.json(dump(jsonOutcome(outcome)));
        return;
    }
    std::string text = toText(outcome.run) + ": ";
    switch (outcome.kind) {
    case Outcome::Kind::Committed: text += "done, version " + std::to_string(outcome.version); break;
    case Outcome::Kind::Repeated: text += "done before, version " + std::to_string(outcome.version); break;
    case Outcome::Kind::Existing: text += "exists already with the same key and input"; break;
    case Outcome::Kind::NoChange: text += outcome.text; break;
    case Outcome::Kind::Rejected: text += "refused: " + outcome.rejection.text; break;
    case Outcome::Kind::Failed: text += "failed: " + outcome.error.text; break;
    }
    if (outcome.ownerElsewhere)
        text += "; an engine owns the run and acts on it within a second";
    if (outcome.auditSeq != 0)
        text += "; audit entry " + std::to_string(outcome.auditSeq);
    s.line(text);
}

constexpr SpanMs kWaitForEngine = 5'000;
constexpr std::chrono::milliseconds kLookAgain{50};

// What became of a staged act, within 5 s; nullopt: it still waits.
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

// The login may not commit: an engine does, in this person's name.
int leave(Session& s, Submission submission, const RunState& seen)
{
    if (const Status may = checkMayAct(s.rights()); !may)
        return s.fail(may.error());
    submission.command.id = makeId<CommandId>(s.clock.wallMs(), s.rng);
    const RunId run = submission.run;
    const auto act = stagedOf(std::move(submission), seen, s.config());
    if (!act)
        return s.fail(act.error());
    if (const Status staged = s.store().stage(*act); !staged)
        return s.fail(staged.error());
    const auto answer = awaitEngine(s, act->command);
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

int actOn(Session& s, const RunId& run, const Build& build)
{
    auto state = s.service().load(run);
    if (!state)
        return s.fail(state.error());
    Submission submission;
    submission.run = run;
    submission.command.actor = s.person();
    submission.reason = s.options.reason;
    submission.claimedName = s.options.as;
    auto body = build(*state, submission);
    if (!body)
        return s.fail(body.error());
    submission.command.body = std::move(*body);
    if (s.options.preview) {
        auto preview = s.service().preview(submission);
        return preview ? printPreview(s, run, *preview) : s.fail(preview.error());
    }
    if (!s.rights().commits)
        return leave(s, std::move(submission), *state);
    const Outcome outcome = s.service().submitAndWait(std::move(submission));
    printOutcome(s, outcome);
    return exitOfOutcome(outcome);
}

// The worst of several outcomes is the exit code; each target says its own.
int act(Session& s, const std::vector<std::string>& named, const Build& build)
{
    if (!s.openWriter())
        return s.exitCode;
    const auto runs = s.targets(named);
    if (!runs)
        return s.exitCode;
    if (runs->empty())
        s.note("0 runs match; nothing was done");
    int worst = kDone;
    for (const RunId& run : *runs)
        worst = std::max(worst, actOn(s, run, build));
    return worst;
}

Result<ApprovalId> approvalOf(const RunState& state, const std::string& named)
{
    if (!named.empty()) {
        if (const auto id = parseId<ApprovalId>(named))
            return *id;
        const StepRecord* step = state.find(named);
        if (step && !step->approval.isNull())
            return step->approval;
        return makeError(ErrorKind::NotFound,
            "\"" + visibleLine(named) + "\" is neither an approval id nor a step that asks for one");
    }
    std::vector<const ApprovalRecord*> pending;
    for (const auto& record : state.approvals)
        if (record.state == ApprovalState::Pending)
            pending.push_back(&record);
    if (pending.size() == 1)
        return pending.front()->id;
    if (pending.empty())
        return makeError(ErrorKind::NotFound, "no approval is pending in this run");
    std::string text = "several approvals are pending; name one:";
    for (const auto* record : pending)
        text += "\n  " + toText(record->id) + "  " + visibleLine(state.steps[record->step].id);
    return makeError(ErrorKind::InvalidInput, text);
}

void addDecide(Verbs v, bool approve)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(approve ? "approve" : "reject",
        approve ? "Consent to exactly what was asked" : "Refuse what was asked; the step is skipped");
    auto run = std::make_shared<std::string>();
    auto approval = std::make_shared<std::string>();
    auto binding = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("APPROVAL", *approval, "approval id or step; may be left out where only one is pending");
    cmd->add_option("--expect", *binding, "digest of what was shown; refused as stale when it has changed");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                CAIRN_TRY_ASSIGN(const ApprovalId id, approvalOf(state, *approval));
                cmd::Decide body{id, approve, {}};
                if (!binding->empty()) {
                    const auto digest = parseDigest(*binding);
                    if (!digest)
                        return makeError(ErrorKind::InvalidInput, "--expect takes 64 hexadecimal digits");
                    body.expectedBinding = *digest;
                }
                return cmd::Body(body);
            });
        };
    });
}

void addRunsVerb(Verbs v, const char* name, const char* help, std::function<cmd::Body()> body)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(name, help);
    auto runs = std::make_shared<std::vector<std::string>>();
    cmd->add_option("RUN", *runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState&, Submission&) -> Result<cmd::Body> { return body(); });
        };
    });
}

void addCancel(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("cancel", "Stops the run; compensates where the workflow says so");
    auto runs = std::make_shared<std::vector<std::string>>();
    auto abandon = std::make_shared<bool>(false);
    cmd->add_option("RUN", *runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    cmd->add_flag("--no-compensation", *abandon, "leave completed effects as they are (abandon)");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState&, Submission&) -> Result<cmd::Body> {
                return cmd::Body(cmd::Cancel{!*abandon});
            });
        };
    });
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

void addRetry(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "retry", "Same run, same code; skips the remaining back-off and starts the counts anew");
    auto run = std::make_shared<std::string>();
    auto step = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("STEP", *step, "step id, as show prints it")->required();
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                const StepRecord* record = state.find(*step);
                return cmd::Body(cmd::RetryStep{*step, record ? record->revision : 0, record != nullptr});
            });
        };
    });
}

void addSettle(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("settle", "Says what became of an uncertain effect");
    auto run = std::make_shared<std::string>();
    auto step = std::make_shared<std::string>();
    auto happened = std::make_shared<bool>(false);
    auto denied = std::make_shared<bool>(false);
    auto repeat = std::make_shared<bool>(false);
    auto output = std::make_shared<std::string>();
    auto evidence = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("STEP", *step, "step id, as show prints it")->required();
    auto* group = cmd->add_option_group("outcome", "what is known, safest first");
    group->add_flag(
        "--happened", *happened, "it happened: --output gives its result; it is not called again");
    group->add_flag("--did-not-happen", *denied, "it did not happen: the step runs again with the same key");
    group->add_flag("--repeat-same-key", *repeat, "repeat it (only for tools whose provider takes our key)");
    group->require_option(1);
    cmd->add_option("--output", *output, "result, @FILE or - for standard input");
    cmd->add_option(
        "--evidence", *evidence, "what it was found by, for example the provider's reference; @FILE");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission& submission) -> Result<cmd::Body> {
                cmd::Settle body;
                body.step = *step;
                body.as = *happened ? cmd::SettleAs::Happened
                    : *denied       ? cmd::SettleAs::NotHappened
                                    : cmd::SettleAs::RepeatSameKey;
                if (!*happened && !output->empty())
                    return makeError(ErrorKind::InvalidInput, "--output goes with --happened only");
                CAIRN_TRY_ASSIGN(body.output, attach(s, submission, *output, "application/json"));
                CAIRN_TRY_ASSIGN(body.evidence, attach(s, submission, *evidence, "text/plain"));
                if (const StepRecord* record = state.find(*step)) {
                    body.expectedRevision = record->revision;
                    body.checkRevision = true;
                }
                return cmd::Body(body);
            });
        };
    });
}

void addSignal(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "signal", "Sends an external event to a run; early ones are kept, repeated ones count once");
    auto run = std::make_shared<std::string>();
    auto name = std::make_shared<std::string>();
    auto id = std::make_shared<std::string>();
    auto data = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("NAME", *name, "what the run waits for, as why prints it")->required();
    cmd->add_option("--id", *id, "the sender's message id: the same id is taken once")->required();
    cmd->add_option("--data", *data, "JSON, @FILE or -");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState&, Submission& submission) -> Result<cmd::Body> {
                submission.command.actor.kind = ActorKind::Caller;
                cmd::Signal body;
                body.name = *name;
                body.messageHash = sha256(saltView(s.info().salt), "signal\n" + *name + "\n" + *id);
                CAIRN_TRY_ASSIGN(body.data, attach(s, submission, *data, "application/json"));
                return cmd::Body(body);
            });
        };
    });
}

void addFork(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "fork", "A new run from an earlier version; earlier results are copied, effects keep their keys");
    auto run = std::make_shared<std::string>();
    auto version = std::make_shared<std::uint64_t>(0);
    auto fresh = std::make_shared<bool>(false);
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("--from", *version, "version of the run's history")->required();
    cmd->add_flag("--new-effects", *fresh, "give effects new keys: what was done is done AGAIN (audited)");
    addCommon(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission& submission) -> Result<cmd::Body> {
                if (*version == 0 || *version > state.version)
                    return makeError(ErrorKind::InvalidInput,
                        "--from: the run has versions 1 to " + std::to_string(state.version));
                submission.forkSource = state.id;
                submission.run = makeId<RunId>(s.clock.wallMs(), s.rng);
                return cmd::Body(cmd::Fork{submission.run, *version, *fresh});
            });
        };
    });
}

}  // namespace

int printPreview(Session& s, const RunId& run, const Preview& preview)
{
    const auto* rejection = std::get_if<Rejection>(&preview.decision);
    const auto* nothing = std::get_if<NoChange>(&preview.decision);
    if (s.options.json) {
        Json json{{"run", toText(run)}, {"preview", true}, {"allowed", rejection == nullptr}};
        if (rejection)
            json["text"] = jsonText(rejection->text);
        if (nothing)
            json["text"] = jsonText(nothing->text);
        json["will_happen"] = preview.willHappen;
        json["will_not_repeat"] = preview.willNotRepeat;
        json["may_repeat"] = preview.mayRepeat;
        json["also_changes"] = preview.alsoChanges;
        json["reversible"] = preview.reversible;
        s.json(dump(json));
        return rejection ? exitOfRejection(*rejection) : kDone;
    }
    s.line(toText(run) + ": preview, nothing is written");
    if (rejection)
        s.line("  would be refused: " + rejection->text);
    if (nothing)
        s.line("  would change nothing: " + nothing->text);
    printList(s, "will happen:", preview.willHappen);
    printList(s, "will not be repeated:", preview.willNotRepeat);
    printList(s, "may be repeated:", preview.mayRepeat);
    printList(s, "will also change:", preview.alsoChanges);
    if (!preview.reversible.empty())
        s.line("  undo: " + preview.reversible);
    return rejection ? exitOfRejection(*rejection) : kDone;
}

void addActVerbs(Verbs v)
{
    addDecide(v, true);
    addDecide(v, false);
    addRunsVerb(v, "pause", "No new step starts; a step under way finishes", [] {
        return cmd::Body(cmd::SetPaused{true, 0, false});
    });
    addRunsVerb(v, "resume", "Undoes pause", [] { return cmd::Body(cmd::SetPaused{false, 0, false}); });
    addCancel(v);
    addRetry(v);
    addSettle(v);
    addSignal(v);
    addFork(v);
}

}  // namespace cairn::cli
