#include "core/machine/policy.h"

#include "core/base/text.h"
#include "core/machine/decider.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace cairn {

namespace {

// Characters. The database's own rule, for logins that do not ask here, has the same (schema_acts.cpp).
constexpr std::uint32_t kReasonMinimum = 10;

template<class C> constexpr bool kNamesStep = requires(const C& c) { c.step.size(); };

bool fitsVerb(const PolicyRule& rule, Verb verb)
{
    if (!policyKnows(verb))
        return false;
    if (rule.verbs.empty())  // an approval says itself how many people it needs
        return verb != Verb::Approve && verb != Verb::Reject;
    return std::find(rule.verbs.begin(), rule.verbs.end(), verb) != rule.verbs.end();
}

bool fitsAmount(const PolicyRule& rule, const Money& amount)
{
    return rule.amountFrom.currency.empty()
        || (amount.currency == rule.amountFrom.currency && amount.micros >= rule.amountFrom.micros);
}

bool fits(const PolicyRule& rule, const PolicyAct& act, const Money& amount)
{
    const auto& places = rule.environments;
    return fitsVerb(rule, act.verb) && act.runs >= rule.runsFrom && fitsAmount(rule, amount)
        && (places.empty() || std::find(places.begin(), places.end(), act.environment) != places.end());
}

WhoIsNeeded firstThatFits(const Policy& policy, const PolicyAct& act, const Money& amount)
{
    WhoIsNeeded needed;
    needed.reason = reasonMinimum(act.safety);
    const auto rule = std::find_if(policy.rules.begin(), policy.rules.end(),
        [&](const PolicyRule& candidate) { return fits(candidate, act, amount); });
    if (rule == policy.rules.end())
        return needed;
    needed.people = std::clamp<std::uint32_t>(rule->people, 1, kMostPeople);
    needed.role = rule->role;
    needed.reason = std::max(needed.reason, rule->reason);
    needed.expiresAfter = rule->expiresAfter;
    needed.rule = static_cast<std::size_t>(rule - policy.rules.begin()) + 1;
    return needed;
}

// Of two that ask for as many people, and both of a role or of none, the policy's earlier rule wins.
bool isStricter(const WhoIsNeeded& than, const WhoIsNeeded& needed)
{
    if (needed.people != than.people)
        return needed.people > than.people;
    if (needed.role.empty() != than.role.empty())
        return than.role.empty();
    if (needed.rule == 0 || than.rule == 0)
        return needed.reason > than.reason;
    return needed.rule < than.rule;
}

// The stricter one, with the longest reason of both and, of proposals, the shorter time.
WhoIsNeeded strictest(WhoIsNeeded known, WhoIsNeeded other)
{
    const std::uint32_t reason = std::max(known.reason, other.reason);
    SpanMs expires = std::min(known.expiresAfter, other.expiresAfter);
    if (known.second() != other.second())
        expires = (known.second() ? known : other).expiresAfter;
    WhoIsNeeded needed = isStricter(known, other) ? std::move(other) : std::move(known);
    needed.reason = reason;
    needed.expiresAfter = expires;
    return needed;
}

// The largest of each currency, by currency: amounts of two are never compared, nor added.
std::vector<Money> largestOpen(const RunState& state)
{
    std::vector<Money> most;
    for (const StepRecord& step : state.steps) {
        if (isFinished(step.state) || step.amount.currency.empty())
            continue;
        const auto at = std::find_if(most.begin(), most.end(),
            [&](const Money& known) { return known.currency >= step.amount.currency; });
        if (at == most.end() || at->currency != step.amount.currency)
            most.insert(at, step.amount);
        else
            at->micros = std::max(at->micros, step.amount.micros);
    }
    return most;
}

std::vector<Money> onlyKnown(const Money& amount)
{
    return amount.currency.empty() ? std::vector<Money>() : std::vector{amount};
}

std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

std::uint32_t reasonMinimum(Safety safety) noexcept { return safety == Safety::Guarded ? kReasonMinimum : 0; }

std::optional<Rejection> reasonMissing(Safety safety, std::uint32_t reasonLength)
{
    if (reasonLength >= reasonMinimum(safety))
        return std::nullopt;
    return refuse(RejectCode::ReasonMissing,
        "this store is guarded: give a reason of at least " + std::to_string(kReasonMinimum) + " characters");
}

std::optional<Rejection> notEntitled(const Command& command, const Given& given)
{
    if (command.reasonLength < given.needed.reason)
        return refuse(RejectCode::ReasonMissing,
            "the policy asks for a reason of at least " + std::to_string(given.needed.reason)
                + " characters for this");
    if (given.lacksRole.empty())
        return std::nullopt;
    const std::string& who = command.actor.login.empty() ? command.actor.id : command.actor.login;
    return refuse(RejectCode::NoRight,
        quote(who) + " lacks the role " + quote(given.lacksRole)
            + ", which this needs; nothing was done: ask somebody who has it");
}

std::optional<Rejection> needsAnother(const Command& command, const Given& given)
{
    if (command.actor.kind != ActorKind::Person || !given.needed.second() || given.agreed)
        return std::nullopt;
    return refuse(RejectCode::SecondPerson,
        "the policy asks for 2 people: somebody else"
            + (given.needed.role.empty() ? std::string() : " with the role " + quote(given.needed.role))
            + " has to confirm this");
}

WhoIsNeeded whoIsNeeded(const Policy& policy, const PolicyAct& act)
{
    if (act.amounts.empty())
        return firstThatFits(policy, act, {});
    WhoIsNeeded needed = firstThatFits(policy, act, act.amounts.front());
    for (std::size_t at = 1; at < act.amounts.size(); ++at)
        needed = strictest(std::move(needed), firstThatFits(policy, act, act.amounts[at]));
    return needed;
}

bool asksForRole(const Policy& policy, Verb verb, std::string_view role, std::size_t before)
{
    const std::size_t count = before == 0 ? policy.rules.size() : std::min(before - 1, policy.rules.size());
    return std::any_of(policy.rules.begin(), policy.rules.begin() + static_cast<std::ptrdiff_t>(count),
        [&](const PolicyRule& rule) { return rule.people > 1 && rule.role == role && fitsVerb(rule, verb); });
}

Policy defaultPolicy(Safety safety, bool roles)
{
    Policy policy;
    if (safety != Safety::Guarded || !roles)
        return policy;
    PolicyRule brake;  // never waits for anybody
    brake.verbs = {Verb::Pause};
    PolicyRule truth;
    truth.verbs = {Verb::Record, Verb::Settle, Verb::Amend, Verb::Migrate, Verb::SetPolicy};
    truth.people = kMostPeople;
    PolicyRule many;
    many.runsFrom = 100;
    many.people = kMostPeople;
    policy.rules = {brake, truth, many};
    return policy;
}

std::vector<Money> atStake(const RunState& state, const cmd::Body& body)
{
    return std::visit(
        [&](const auto& command) -> std::vector<Money> {
            using C = std::decay_t<decltype(command)>;
            if constexpr (std::is_same_v<C, cmd::Decide>) {
                const auto asked = std::find_if(state.approvals.begin(), state.approvals.end(),
                    [&](const ApprovalRecord& record) { return record.id == command.approval; });
                return asked == state.approvals.end() || asked->step >= state.steps.size()
                    ? std::vector<Money>()
                    : onlyKnown(state.steps[asked->step].amount);
            } else if constexpr (kNamesStep<C>) {
                const StepRecord* step = state.find(command.step);
                return step ? onlyKnown(step->amount) : std::vector<Money>();
            } else {
                return largestOpen(state);
            }
        },
        body);
}

std::optional<bool> hasRole(const Policy& policy, std::string_view role, std::string_view login)
{
    for (const PolicyRole& known : policy.roles)
        if (known.name == role)
            return std::find(known.logins.begin(), known.logins.end(), login) != known.logins.end();
    return std::nullopt;
}

std::string tellNeeded(const WhoIsNeeded& needed)
{
    std::string text = needed.second() ? "2 people" : "1 person";
    if (!needed.role.empty())
        text +=
            needed.second() ? ", the second with the role " + needed.role : " with the role " + needed.role;
    if (needed.reason > 0)
        text += "; a reason of " + std::to_string(needed.reason) + " characters or more";
    if (needed.second())
        text += "; a proposal expires after " + formatSpan(needed.expiresAfter);
    return text
        + (needed.rule == 0 ? std::string("; no rule asks for more")
                            : "; rule " + std::to_string(needed.rule));
}

std::string notSecond(std::string_view author, std::string_view confirmer)
{
    if (author.empty() || confirmer.empty())
        return "nobody vouches for who this is, so it cannot be told whether it is somebody else";
    if (author == confirmer)
        return "who proposed an act cannot confirm it: somebody else has to";
    return {};
}

}  // namespace cairn
