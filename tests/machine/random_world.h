#pragma once
// Two or three runs of a random workflow that share a world, moved by random commands, and a checker that
// knows DESIGN's rules and looks at entries and states only. Everything is made from the numbers given, so a
// failure can be played again.

#include "tests/support/run_builder.h"

#include <array>
#include <cstdint>
#include <memory>

namespace cairn::testing {

using StepDice = std::array<std::uint8_t, 4>;     // kind, options, dependencies, more options
using CommandDice = std::array<std::uint8_t, 4>;  // verb, run, step, detail

// The text of a workflow (see define()) that these numbers stand for.
[[nodiscard]] std::string randomWorkflow(std::uint8_t global, const std::vector<StepDice>& steps);

class RandomWorld {
public:
    explicit RandomWorld(const std::string& workflow);
    ~RandomWorld();

    // Gives one command; the text says what rule was broken, empty: none.
    [[nodiscard]] std::string move(const CommandDice& dice);
    // Lets everything that can move by itself move on. Then no run may be left that should have moved.
    [[nodiscard]] std::string settle();
    // Encoded entries of all runs.
    [[nodiscard]] std::string bytes() const;
    // What happened, as text.
    [[nodiscard]] const std::string& log() const;
    [[nodiscard]] std::size_t entries() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cairn::testing
