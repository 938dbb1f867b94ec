#include "core/store/postgres/hint_words.h"

#include <array>
#include <utility>

namespace cairn::postgres {

namespace {

constexpr std::array<std::pair<char, HintSet>, 5> kLetters = {{{'w', hint::kWakeups}, {'c', hint::kClaims},
    {'o', hint::kOutbox}, {'s', hint::kStaged}, {'p', hint::kPlans}}};

}  // namespace

std::string hintWord(HintSet what)
{
    std::string word;
    for (const auto& [letter, bit] : kLetters)
        if ((what & bit) != 0)
            word += letter;
    return word;
}

HintSet hintOf(std::string_view word) noexcept
{
    HintSet what = hint::kNone;
    for (const char c : word) {
        HintSet found = hint::kNone;
        for (const auto& [letter, bit] : kLetters)
            if (c == letter)
                found = bit;
        if (found == hint::kNone)
            return hint::kAll;
        what = static_cast<HintSet>(what | found);
    }
    return what == hint::kNone ? hint::kAll : what;
}

}  // namespace cairn::postgres
