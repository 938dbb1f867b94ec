// hold, assign, note: what people keep beside a run. The engine does not look at it; plans and retention
// leave a held run alone.

#include "app/cairn/acting.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

namespace {

void addHold(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "hold", "Plans and retention leave the run alone, with --reason; it runs on. --off releases it");
    auto runs = std::make_shared<std::vector<std::string>>();
    auto until = std::make_shared<std::string>();
    auto off = std::make_shared<bool>(false);
    cmd->add_option("RUN", *runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    auto* time = cmd->add_option("--until", *until,
        "an instant (2026-12-01T18:00:00Z) or a span from now (2h); default: until it is released");
    cmd->add_flag("--off", *off, "release it")->excludes(time);
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, *runs, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                cmd::Hold body;
                body.held = !*off;
                if (!until->empty()) {
                    CAIRN_TRY_ASSIGN(body.until, instantOf(s, *until));
                }
                body.expected = state.hold.version;
                body.check = true;
                return cmd::Body(body);
            });
        };
    });
}

void addAssign(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("assign", "Says who looks after the run; none: nobody");
    auto run = std::make_shared<std::string>();
    auto name = std::make_shared<std::string>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("NAME", *name, "a person, as lists find it with assigned:NAME, or none")->required();
    addActing(cmd, s, GoesBy::WhatWasSeen);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                return cmd::Body(
                    cmd::Assign{*name == "none" ? std::string() : *name, state.assigned.version, true});
            });
        };
    });
}

void addNote(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand("note", "Keeps a text beside the run, or withdraws one");
    auto run = std::make_shared<std::string>();
    auto text = std::make_shared<std::string>();
    auto masked = std::make_shared<bool>(false);
    auto withdraw = std::make_shared<std::uint64_t>(0);
    cmd->add_option("RUN", *run, kRunHelp)->required();
    auto* given = cmd->add_option("TEXT", *text, "the note, @FILE or -");
    auto* mask = cmd->add_flag("--masked", *masked, "show and why do not print it; `cairn payload` does")
                     ->needs(given);
    cmd->add_option("--withdraw", *withdraw, "the note of this number, as show prints it")
        ->check(CLI::PositiveNumber)
        ->excludes(given)
        ->excludes(mask);
    addActing(cmd, s, GoesBy::Nothing);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            return act(s, {*run}, [&](const RunState&, Submission& submission) -> Result<cmd::Body> {
                if (*withdraw == 0 && text->empty())
                    return makeError(
                        ErrorKind::InvalidInput, "give the note's text, or --withdraw and its number");
                cmd::Note body;
                body.masked = *masked;
                body.withdraw = *withdraw;
                CAIRN_TRY_ASSIGN(body.text, attach(s, submission, *text, "text/plain"));
                return cmd::Body(body);
            });
        };
    });
}

}  // namespace

void addAnnotateVerbs(Verbs v)
{
    addHold(v);
    addAssign(v);
    addNote(v);
}

}  // namespace cairn::cli
