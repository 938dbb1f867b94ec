#pragma once
// How a verb acts on runs: the targets, the preview by the same decision, the commit or, where the login may
// not, the act that is left for an engine, and what is printed. For verbs_act.cpp and verbs_repair.cpp.

#include "app/cairn/cli.h"
#include "core/service/typed.h"

#include <functional>

namespace cairn::cli {

inline constexpr const char* kRunHelp = "id, unique beginning of an id, or key";
inline constexpr const char* kRunsHelp = "ids, unique beginnings of ids, or keys";
inline constexpr const char* kStepHelp = "step id, as show prints it";

// Makes the command for a run as it is now; the payloads it refers to go into the submission.
using Build = std::function<Result<cmd::Body>(const RunState& state, Submission& submission)>;

// Acts on each of the runs named, or that --where matches. Each says its own outcome; the worst of them is
// the exit code that is given.
[[nodiscard]] int act(Session& session, const std::vector<std::string>& named, const Build& build);

// "@FILE", "-" or the bytes themselves as a payload of the submission; a null reference for "".
[[nodiscard]] Result<PayloadRef> attach(
    Session& session, Submission& submission, const std::string& argument, const char* media);

// What became of an act that was left for an engine, within 5 s; nullopt: it still waits.
[[nodiscard]] Result<std::optional<StagedAct>> awaitEngine(Session& session, const CommandId& command);
// An instant, or a span from now by the store's clock.
[[nodiscard]] Result<TimeMs> instantOf(Session& session, const std::string& text);

// --command, and the id that was given: null where none was; nullopt after a failure that was printed.
void addCommandId(CLI::App* cmd, Session& session);
[[nodiscard]] std::optional<CommandId> ownCommandId(Session& session);

// What an act goes by of the run as somebody looked at it (--expect); nothing: as note, signal and pause do.
enum class GoesBy { Nothing, WhatWasSeen };
// --reason, --preview, --command and, where it goes by something, --expect: for verbs that go through act().
void addActing(CLI::App* cmd, Session& session, GoesBy goesBy);

// A verb that takes runs or --where, and nothing else.
void addRunsVerb(
    Verbs verbs, const char* name, const char* help, GoesBy goesBy, std::function<cmd::Body()> body);

}  // namespace cairn::cli
