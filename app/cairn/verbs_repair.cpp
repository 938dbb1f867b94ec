// Verbs that repair a run by hand: skip, record, amend, deadline, budget, compensate, migrate, takeover. As
// with every act, --preview runs the same decision and writes nothing; what a person looked at is checked
// again when it is committed.

#include "app/cairn/acting.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

namespace {

// The step as it is now: an act on it is stale when it has changed by the time of the commit.
template<class Body> void expectStep(Body& body, const RunState& state, const std::string& step)
{
    body.step = step;
    if (const StepRecord* record = state.find(step)) {
        body.expectedRevision = record->revision;
        body.checkRevision = true;
    }
}

template<class Body> void expectControl(Body& body, const RunState& state)
{
    body.expectedControl = state.own.revision;
    body.checkControl = true;
}

// A verb on one step with one payload of JSON, which `given` takes.
template<class Body> void addStepVerb(Verbs v, const char* name, const char* help, const char* option,
    const char* optionHelp, bool required, PayloadRef Body::*given)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(name, help);
    auto run = std::make_shared<std::string>();
    auto step = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("STEP", *step, kStepHelp)->required();
    cmd->add_option(option, *json, optionHelp)->required(required);
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission& submission) -> Result<cmd::Body> {
                Body body;
                expectStep(body, state, *step);
                CAIRN_TRY_ASSIGN(body.*given, attach(s, submission, *json, "application/json"));
                return cmd::Body(body);
            });
        };
    });
}

void addDeadline(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("deadline", "Sets the time by which the run must be finished");
    auto run = std::make_shared<std::string>();
    auto when = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("WHEN", *when, "an instant (2026-12-01T18:00:00Z), a span from now (2h), or none")
        ->required();
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                cmd::SetDeadline body;
                CAIRN_TRY_ASSIGN(body.deadline, typedDeadline(*when, s.service().now()));
                expectControl(body, state);
                return cmd::Body(body);
            });
        };
    });
}

void addBudget(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "budget", "Sets a limit of the run: in all, not on top of what it has used already");
    auto run = std::make_shared<std::string>();
    auto limit = std::make_shared<std::vector<std::string>>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option(
           "LIMIT", *limit, "an amount and its currency (25.00 EUR), or a count and its unit (200000 tokens)")
        ->required()
        ->expected(1, 2);
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                CAIRN_TRY_ASSIGN(cmd::SetBudget body,
                    typedBudget(limit->size() == 2 ? limit->front() + " " + limit->back() : limit->front()));
                expectControl(body, state);
                return cmd::Body(body);
            });
        };
    });
}

// What is taken over as it was seen has to have been seen: the history has attempts, and no owners.
Status seenAtWork(Session& s, const cmd::Takeover& body, const RunState& seen)
{
    if (s.options.seen == 0)
        return {};
    if (body.step.empty())
        return makeError(ErrorKind::InvalidInput,
            "--expect goes with a STEP: which engine has the run is not part of its history, and is checked "
            "in any case");
    if (body.attempt.isNull())
        return makeError(ErrorKind::NotFound,
            "no attempt at step \"" + visibleLine(body.step) + "\" was under way at version "
                + std::to_string(seen.version));
    return {};
}

void addTakeover(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("takeover",
        "Ends the lease of who works on a run, or on one step, early; what he hands in later is refused");
    auto run = std::make_shared<std::string>();
    auto step = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option(
        "STEP", *step, "the attempt at this step only, also a worker's; default: the run, from its engine");
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                cmd::Takeover body;
                body.step = *step;
                if (const StepRecord* record = state.find(*step); record && record->attempt)
                    body.attempt = record->attempt->id;
                CAIRN_TRY(seenAtWork(s, body, state));
                if (step->empty()) {
                    CAIRN_TRY_ASSIGN(const HotRow hot, s.store().hot(state.id));
                    body.owner = hot.owner;
                    body.checkOwner = true;
                }
                return cmd::Body(body);
            });
        };
    });
}

void addMigrate(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "migrate", "Moves runs on to another version of their workflow, where a migration says how");
    auto runs = std::make_shared<std::vector<std::string>>();
    auto version = std::make_shared<std::uint32_t>(0);
    cmd->add_option("RUN", *runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    cmd->add_option("--to", *version, "version; default: the newest in the store");
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState&, Submission&) -> Result<cmd::Body> {
                return cmd::Body(cmd::Migrate{*version});
            });
        };
    });
}

}  // namespace

void addRepairVerbs(Verbs v)
{
    addStepVerb<cmd::SkipStep>(v, "skip", "Leaves a step out; what needs it goes on", "--output",
        "what the steps after it read instead of its result: JSON, @FILE or -", false,
        &cmd::SkipStep::output);
    addStepVerb<cmd::RecordResult>(v, "record", "Gives a step its result by hand; it is not called",
        "--output", "the result: JSON, @FILE or -", true, &cmd::RecordResult::output);
    addStepVerb<cmd::AmendInput>(v, "amend", "Gives a step another input before it is tried again", "--input",
        "the new input: JSON, @FILE or -", true, &cmd::AmendInput::input);
    addDeadline(v);
    addBudget(v);
    addRunsVerb(v, "compensate", "Stops the run and undoes its completed effects, newest first",
        GoesBy::WhatWasSeen, [] { return cmd::Body(cmd::Compensate{}); });
    addMigrate(v);
    addTakeover(v);
}

}  // namespace cairn::cli
