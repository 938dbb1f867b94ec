// Verbs that change runs: approve, reject, pause, resume, cancel, retry, settle, signal, fork.
// Those that repair a run by hand are in verbs_repair.cpp.

#include "app/cairn/acting.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

namespace {

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
    const ApprovalRecord* answered = nullptr;
    for (const auto& record : state.approvals) {
        if (record.state == ApprovalState::Pending)
            pending.push_back(&record);
        else if (!answered || record.decidedAt >= answered->decidedAt)
            answered = &record;
    }
    if (pending.size() == 1)
        return pending.front()->id;
    if (pending.empty() && answered)
        return answered->id;  // a second answer is told who gave the first
    if (pending.empty())
        return makeError(ErrorKind::NotFound,
            state.closed
                ? "no approval was ever asked for in this run, and it is finished"
                : "no approval is pending in this run, and none was: `cairn why` tells what it does now");
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
    cmd->add_option("--expect", *binding,
        "digest of what was shown, by why, show or --preview; refused as stale when it has changed");
    addActing(cmd, s, GoesBy::Nothing);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                CAIRN_TRY_ASSIGN(const ApprovalId id, approvalOf(state, *approval));
                cmd::Decide body{id, approve, {}};
                if (!binding->empty()) {
                    const auto digest = parseDigest(*binding);
                    if (!digest || digest->isNull())  // the rules take the null digest for "not checked"
                        return makeError(ErrorKind::InvalidInput,
                            "--expect takes the digest that `cairn why`, `show` and --preview print: 64 "
                            "hexadecimal digits, not all of them 0");
                    body.expectedBinding = *digest;
                }
                return cmd::Body(body);
            });
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
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState&, Submission&) -> Result<cmd::Body> {
                return cmd::Body(cmd::Cancel{!*abandon});
            });
        };
    });
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
    addActing(cmd, s, GoesBy::WhatWasSeen);
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

// A result that somebody forgot would be null to all that comes after, and nothing would say so.
Status resultGiven(const RunState& state, const std::string& step, bool given)
{
    const StepRecord* record = state.find(step);
    if (given || !record || record->dependents.empty())
        return {};
    return makeError(ErrorKind::InvalidInput,
        "step \"" + visibleLine(state.steps[record->dependents.front()].id)
            + "\" comes after it and may read its result, which would be null: give --output, or say "
              "--no-output");
}

struct SettleArguments {
    std::string run, step, output, evidence, assign;
    bool happened = false, denied = false, repeat = false, undo = false, park = false, none = false;

    [[nodiscard]] cmd::SettleAs as() const
    {
        return happened ? cmd::SettleAs::Happened
            : denied    ? cmd::SettleAs::NotHappened
            : repeat    ? cmd::SettleAs::RepeatSameKey
            : undo      ? cmd::SettleAs::Compensate
                        : cmd::SettleAs::Park;
    }
};

Result<cmd::Body> settleOf(
    Session& s, const SettleArguments& a, const RunState& state, Submission& submission)
{
    cmd::Settle body;
    body.step = a.step;
    body.as = a.as();
    body.assign = a.assign;
    if (!a.happened && !a.undo && !a.output.empty())
        return makeError(ErrorKind::InvalidInput, "--output goes with --happened and --compensate only");
    if (a.none && !a.happened)
        return makeError(ErrorKind::InvalidInput, "--no-output goes with --happened only");
    CAIRN_TRY(resultGiven(state, a.step, !a.happened || a.none || !a.output.empty()));
    CAIRN_TRY_ASSIGN(body.output, attach(s, submission, a.output, "application/json"));
    CAIRN_TRY_ASSIGN(body.evidence, attach(s, submission, a.evidence, "text/plain"));
    if (const StepRecord* record = state.find(a.step)) {
        body.expectedRevision = record->revision;
        body.checkRevision = true;
    }
    return cmd::Body(body);
}

void addSettle(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("settle", "Says what became of an uncertain effect");
    auto a = std::make_shared<SettleArguments>();
    cmd->add_option("RUN", a->run, kRunHelp)->required();
    cmd->add_option("STEP", a->step, "step id, as show prints it")->required();
    auto* group = cmd->add_option_group("outcome", "what is known, safest first");
    group->add_flag(
        "--happened", a->happened, "it happened: --output gives its result; it is not called again");
    group->add_flag(
        "--did-not-happen", a->denied, "it did not happen: the step runs again with the same key");
    group->add_flag(
        "--repeat-same-key", a->repeat, "repeat it (only while the tool's provider remembers our key)");
    group->add_flag("--compensate", a->undo,
        "take it for done, stop the run, and undo what it did, newest first (only where an undo is named)");
    auto* parked = group->add_flag("--park", a->park,
        "leave it uncertain: the provider is not asked any more, and a person looks after it");
    group->require_option(1);
    cmd->add_option("--assign", a->assign, "with --park: to this person")->needs(parked);
    auto* result = cmd->add_option("--output", a->output, "result, @FILE or - for standard input");
    cmd->add_flag("--no-output", a->none, "it happened and left no result: steps that come after read null")
        ->excludes(result);
    cmd->add_option(
        "--evidence", a->evidence, "what it was found by, for example the provider's reference; @FILE");
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {a->run}, [&](const RunState& state, Submission& submission) {
                return settleOf(s, *a, state, submission);
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
    addActing(cmd, s, GoesBy::Nothing);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission& submission) -> Result<cmd::Body> {
                submission.command.actor.kind = ActorKind::Caller;
                const auto definition = s.service().definition(state.workflow.name, state.workflow.version);
                s.warning = unawaitedSignal(definition.get(), *name);
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
    cmd->add_option("--from", *version, "version of the run's history")
        ->required()
        ->check(CLI::PositiveNumber);
    cmd->add_flag("--new-effects", *fresh,
        "new keys for effects: what was done is done AGAIN (audited); keys that the workflow names "
        "(effect_key) stay, and their results are taken");
    addActing(cmd, s, GoesBy::Nothing);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission& submission) -> Result<cmd::Body> {
                if (*version == 0 || *version > state.version)
                    return makeError(ErrorKind::InvalidInput,
                        "--from: the run has versions 1 to " + std::to_string(state.version));
                submission.forkSource = state.id;
                const CommandId& command = submission.command.id;  // the same act is the same new run
                submission.run = command.isNull()
                    ? makeId<RunId>(s.clock.wallMs(), s.rng)
                    : deriveId<RunId>("cairn-fork", toText(state.id) + toText(command));
                return cmd::Body(cmd::Fork{submission.run, *version, *fresh});
            });
        };
    });
}

}  // namespace

void addActVerbs(Verbs v)
{
    addDecide(v, true);
    addDecide(v, false);
    addRunsVerb(v, "pause", "No new step starts; a step under way finishes", GoesBy::Nothing, [] {
        return cmd::Body(cmd::SetPaused{true, 0, false});
    });
    addRunsVerb(v, "resume", "Undoes pause", GoesBy::WhatWasSeen, [] {
        return cmd::Body(cmd::SetPaused{false, 0, false});
    });
    addCancel(v);
    addRetry(v);
    addSettle(v);
    addSignal(v);
    addFork(v);
}

}  // namespace cairn::cli
