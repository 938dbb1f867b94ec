#pragma once
// Who must agree to an act of a person: policies as data. Kept in the store, newest version counts; the rule
// that reads them is whoIsNeeded() in core/machine/policy.h. Plain values.

#include "core/base/clock.h"
#include "core/model/types.h"
#include "core/model/vocabulary.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cairn {

inline constexpr std::uint32_t kMostPeople = 2;
// Characters of a reason that a rule may ask for. A look at an act whose reason is given later takes one of
// this length, so that no rule refuses it for that.
inline constexpr std::uint32_t kLongestReason = 500;
inline constexpr SpanMs kProposalExpires = SpanMs{24} * 3600 * 1000;

// Verbs that a policy may name: those of operators, on runs and on the store. Notes and the like, and what
// callers and engines do, are nobody's to confirm.
[[nodiscard]] constexpr bool policyKnows(Verb verb) noexcept
{
    return (verb >= Verb::Approve && verb <= Verb::Redact) || verb == Verb::SetPolicy;
}

// The first rule that fits an act decides. What a rule does not name, it does not ask for.
struct PolicyRule {
    std::vector<Verb> verbs;                 // empty: every verb that policyKnows(), but approve and reject
    std::vector<std::string> environments;   // the store's word: "prod"; empty: every one
    Money amountFrom;                        // at stake, this much or more in this currency; no currency: any
    std::uint64_t runsFrom = 0;              // so many runs by one act, or more
    std::uint32_t people = 1;                // 1, or 2: somebody else confirms what the author proposed
    std::string role;                        // of who confirms, or acts where one is enough; empty: any
    std::uint32_t reason = 0;                // characters at least; the store's safety may ask for more
    SpanMs expiresAfter = kProposalExpires;  // of a proposal; expiry is never consent

    friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// Who has a role, in stores that know no roles themselves: logins as the store vouches for them ("uid 1000").
struct PolicyRole {
    std::string name;
    std::vector<std::string> logins;
    friend bool operator==(const PolicyRole&, const PolicyRole&) = default;
};

struct Policy {
    std::uint64_t version = 0;  // 0: none was set, these are the rules that a store begins with
    std::vector<PolicyRule> rules;
    std::vector<PolicyRole> roles;
    friend bool operator==(const Policy&, const Policy&) = default;
};

// What whoIsNeeded() answers.
struct WhoIsNeeded {
    std::uint32_t people = 1;
    std::string role;          // of who confirms, or acts where one is enough; empty: whoever may act
    std::uint32_t reason = 0;  // characters at least; 0: none is asked for
    SpanMs expiresAfter = kProposalExpires;  // of a proposal
    std::size_t rule = 0;                    // from 1, the rule that said so; 0: none fits, one person
    [[nodiscard]] bool second() const noexcept { return people > 1; }
};

}  // namespace cairn
