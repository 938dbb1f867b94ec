#pragma once
// Who else had a hand in an act of the audit: who confirmed it where two people were needed, or said no; that
// somebody is still waited for, or nobody came; and an act that was done alone, by break-glass, with what
// became of its review. The same for the command line, the console and exports.

#include "core/store/store.h"

#include <map>

namespace cairn::audit {

enum class Second : std::uint8_t {
    None,        // nobody else was needed
    Confirmed,   // by `login`
    Rejected,    // by `login`
    Waiting,     // somebody else is needed, and may come still
    NobodyCame,  // in time
    Withdrawn,   // by its author, before anybody came
    Asked,       // was needed; what came of it is not kept with the act any more: a later entry says it
    Alone,       // by break-glass, and nobody else has looked at it
    Reviewed,    // by break-glass, and `login` has looked at it since
    Glass,       // by break-glass; whether anybody has looked at it cannot be read here
};

struct SecondPerson {
    Second kind = Second::None;
    std::string login{};  // as the store vouches for it
    friend bool operator==(const SecondPerson&, const SecondPerson&) = default;
};
[[nodiscard]] std::string_view key(Second kind) noexcept;  // empty: None
// For people, in one line; empty where nobody else was needed. Loud: in capitals where a review is open.
[[nodiscard]] std::string label(const SecondPerson& second);
[[nodiscard]] constexpr bool isLoud(Second kind) noexcept
{
    return kind == Second::Alone || kind == Second::Glass;
}

// Asks the store for what an entry does not say itself: proposals that wait, plans, reviews. Each is asked
// for at most once, so one object goes with one look at the audit. One thread; of() blocks. What the login
// may not read is not an error: Asked and Glass then stand for it.
class SecondPeople {
public:
    explicit SecondPeople(StoreReader& store)
        : m_store(store)
    {
    }
    [[nodiscard]] Result<SecondPerson> of(const AuditRow& row);

private:
    [[nodiscard]] Status readReviews();
    [[nodiscard]] Result<TimeMs> now();
    [[nodiscard]] Result<SecondPerson> ofProposal(const CommandId& act);
    [[nodiscard]] Result<SecondPerson> ofPlan(const std::string& plan);

    StoreReader& m_store;
    bool m_reviewsRead = false;
    std::map<CommandId, SecondPerson> m_glass;  // by the act
    std::map<std::string, SecondPerson> m_plans;
    TimeMs m_now = kNoTime;
};

}  // namespace cairn::audit
