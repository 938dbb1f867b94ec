#pragma once
// Input and tool outputs for a proof, made up from what the templates of a workflow read: every pointer meets
// something, lists have a few items, and conditions are met as far as they agree with each other. What is
// made up may still not fit; the proof sees that by what really becomes of the run. Pure and deterministic.

#include "core/model/definition.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::proof {

// A workflow and those that it starts, by name.
using Family = std::map<std::string, Definition, std::less<>>;

struct FlowData {
    std::map<std::string, std::vector<std::string>, std::less<>> outputs;  // by step, one for each item: JSON
};

struct MadeUp {
    std::string input;                                   // of the first run
    std::map<std::string, FlowData, std::less<>> flows;  // by workflow

    // What step `name` of `workflow` gives as item `index`; "{}" where nobody reads it.
    [[nodiscard]] const std::string& output(
        std::string_view workflow, std::string_view name, std::uint32_t index) const;
};

struct Wishes {
    std::string root;         // workflow
    std::string input;        // of the first run, as given; empty: made up
    std::uint32_t items = 2;  // of each list
    std::string workflow;     // whose `step` is to be reached: its conditions come first
    std::string step;
    TimeMs now = kNoTime;  // for instants
};
[[nodiscard]] MadeUp makeUp(const Family& family, const Wishes& wishes);

}  // namespace cairn::proof
