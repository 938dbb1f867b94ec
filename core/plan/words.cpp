#include "core/plan/words.h"

#include "core/base/text.h"

#include <array>

namespace cairn {

namespace {

struct Words {
    std::string_view key;
    std::string_view label;
};

constexpr Words kDamaged{"?", "?"};
constexpr std::array<Words, 7> kStates{kDamaged, Words{"draft", "is being written"},
    Words{"staged", "waits for its start"}, Words{"running", "runs"}, Words{"paused", "is paused"},
    Words{"verifying", "is looked after"}, Words{"closed", "is closed"}};
constexpr std::array<std::string_view, 6> kItems{"?", "open", "done", "skipped", "stale", "failed"};
constexpr std::array<Words, kLeftOutKinds> kLeftOut{Words{"", ""}, Words{"not_found", "not there"},
    Words{"already_so", "already as asked"}, Words{"already_moved", "already moved"},
    Words{"wrong_state", "in a state that does not allow it"}, Words{"no_right", "no right"},
    Words{"other_plan", "under another plan"}, Words{"held", "held"},
    Words{"uncertain", "an effect may happen twice"}, Words{"aborted", "the plan was aborted before"},
    Words{"removed", "removed by retention"}};
static_assert(!kLeftOut.back().key.empty(), "a kind has no words");
constexpr std::array<Words, 6> kFates{Words{"", ""}, Words{"moved", "moved"}, Words{"finished", "finished"},
    Words{"again", "back in the same situation"}, Words{"not_yet", "not yet"}, Words{"unknown", "unknown"}};

template<class Table, class Value> constexpr auto at(const Table& table, Value value) noexcept
{
    const auto place = static_cast<std::size_t>(value);
    return table[place < table.size() ? place : 0];
}

}  // namespace

std::string_view key(PlanState state) noexcept { return at(kStates, state).key; }
std::string_view key(PlanItemState state) noexcept { return at(kItems, state); }
std::string_view key(PlanLeftOut why) noexcept { return at(kLeftOut, why).key; }
std::string_view key(PlanFate fate) noexcept { return at(kFates, fate).key; }
std::string_view label(PlanState state) noexcept { return at(kStates, state).label; }
std::string_view label(PlanLeftOut why) noexcept { return at(kLeftOut, why).label; }
std::string_view label(PlanFate fate) noexcept { return at(kFates, fate).label; }

std::string standingOf(const PlanRow& plan)
{
    std::string out(label(plan.state));
    if (plan.state == PlanState::Staged && plan.people > 1)
        out += "; " + std::to_string(plan.confirmedBy.empty() ? 1 : 2) + " of " + std::to_string(plan.people)
            + (plan.role.empty() || !plan.confirmedBy.empty() ? std::string()
                                                              : ", waiting for role " + plan.role)
            + ", expires " + formatInstant(plan.expiresAt);
    return plan.note.empty() ? out : out + "; " + plan.note;
}

}  // namespace cairn
