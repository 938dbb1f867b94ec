#pragma once
// Who is needed for an act of a person. Service, previews, plans, command line and console ask here and
// nowhere else. Pure.

#include "core/machine/machine.h"
#include "core/model/policy.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// What is about to be done, as far as policies tell acts apart.
struct PolicyAct {
    Verb verb = Verb::Approve;
    std::string environment;       // StoreInfo::environment
    Safety safety = Safety::Free;  // StoreInfo::safety
    std::vector<Money> amounts;    // at stake, one of each currency; empty: none is known
    std::uint64_t runs = 1;        // that this act touches: those of a plan together
};

// The first rule that fits. A rule with an amount fits acts of that currency only; where amounts of several
// are at stake, the strictest answer of all counts, so that one more currency never asks for less: more
// people, then one of a role, then the earlier rule; and the longest reason and the shortest time of them. A
// reason is asked for by the store's safety at least. What takes nothing away and stops harm (pause) asks
// nobody else by the rules that a store begins with, but a policy may say so.
[[nodiscard]] WhoIsNeeded whoIsNeeded(const Policy& policy, const PolicyAct& act);

// Whether a rule asks for a second person of this role for the verb, whatever else it asks for. `before`: one
// that comes before this one, counted from 1; 0: any.
[[nodiscard]] bool asksForRole(
    const Policy& policy, Verb verb, std::string_view role, std::size_t before = 0);

// The rules that a store begins with. `roles`: a store whose logins have roles (StoreInfo::roles). Two people
// only in guarded stores with roles: for what says that an effect happened or not, changes what is done or
// sets policies, and for 100 runs or more.
[[nodiscard]] Policy defaultPolicy(Safety safety, bool roles);

// What is at stake where `body` is applied to the run: the amount of the step that it names; of a verb on the
// whole run, the largest of each currency among the steps that are not finished, by currency. Empty: nothing
// is known.
[[nodiscard]] std::vector<Money> atStake(const RunState& state, const cmd::Body& body);

// Whether the policy gives this login the role; nullopt: it says nothing of that role.
[[nodiscard]] std::optional<bool> hasRole(
    const Policy& policy, std::string_view role, std::string_view login);

// Sentence of a rule for people: "2 people of role finance, a reason of 10 characters; rule 3".
[[nodiscard]] std::string tellNeeded(const WhoIsNeeded& needed);

// Why these two cannot be author and confirmer; empty: they can. Both are logins that the store vouches for;
// a claimed name never counts.
[[nodiscard]] std::string notSecond(std::string_view author, std::string_view confirmer);

}  // namespace cairn
