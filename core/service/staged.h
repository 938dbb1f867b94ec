#pragma once
// Acts that a person leaves in the store because the login may not commit (DESIGN 9): from a submission to
// what is stored, and back on the engine that decides it again. Pure.

#include "core/service/service.h"

namespace cairn {

// Actor::login of people on a connection with these rights; `uid`: of this process, for stores that know no
// logins.
[[nodiscard]] std::string loginOf(const StoreRights& rights, std::uint32_t uid);
// NoRight: this login may neither commit nor leave acts for an engine.
[[nodiscard]] Status checkMayAct(const StoreRights& rights);

// What to stage. `seen`: the state that the person was shown; its binding goes with a decision on an
// approval. InvalidInput: this command is not one of a person on a run.
[[nodiscard]] Result<StagedAct> stagedOf(
    Submission submission, const RunState& seen, const ServiceConfig& from);

// The submission that carries an act out, in the name of who staged it. The same act always gives the same
// one. InvalidInput where it is damaged, or says something else than its columns: nothing in it is trusted
// but who staged it.
[[nodiscard]] Result<Submission> submissionOf(const StagedAct& act);

// When an act that waits for an engine is over: what its person saw is of another day, then.
[[nodiscard]] TimeMs expiryOf(const StagedAct& act) noexcept;
// What becomes of one that has expired: stale, and nothing was done.
[[nodiscard]] Outcome expired(const StagedAct& act);
// The audit's entry on an act that submissionOf() did not accept: refused, in the name of who staged it.
[[nodiscard]] AuditRow refusedEntry(const StagedAct& act, const Error& why, TimeMs now);

// The act with what became of it.
[[nodiscard]] StagedAct answered(StagedAct act, const Outcome& outcome);
// False: the store could not say; the act goes on waiting.
[[nodiscard]] bool isAnswer(const Outcome& outcome) noexcept;
// What the person is told once it was answered.
[[nodiscard]] Outcome outcomeOf(const StagedAct& act);

}  // namespace cairn
