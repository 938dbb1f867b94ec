#pragma once
// The world outside of a proof: does what it is asked, and knows a call again only by what the definition
// really sends with it. Internal to the proof.

#include "core/engine/executor.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace cairn::proof {

// What a call of a tool tells its receiver, as far as the receiver may know it again by that: the effect key,
// and the URL or argument list with every ${...} in it.
struct Identity {
    std::string text;
    bool changes = false;  // holds ${attempt}: the next attempt looks like another call
};
[[nodiscard]] Identity identityOf(const StartOrder& order);

// Why the receiver of this look-up cannot know which call it is about; empty: it can.
[[nodiscard]] std::string lookUpFault(const StartOrder& lookUp, const std::string& doSettings);

class Provider {
public:
    using Step = std::pair<RunId, std::string>;  // run, step id
    // `keyless`: tools whose provider does not remember keys, whatever their definition promises.
    explicit Provider(const std::set<std::string, std::less<>>& keyless)
        : m_keyless(keyless)
    {
    }

    // A request has arrived.
    void call(const StartOrder& order);
    // What it says when it is asked: whether it knows of the call.
    [[nodiscard]] bool knows(const StartOrder& lookUp, const std::string& doSettings) const;

    // The truth, which nobody in the simulation is told.
    [[nodiscard]] std::uint32_t effectsOf(const Step& step) const;
    [[nodiscard]] std::uint32_t callsOf(const Step& step) const;
    [[nodiscard]] const std::map<std::string, std::uint32_t>& effectsByKey() const { return m_byKey; }
    [[nodiscard]] const std::map<Step, std::uint32_t>& calls() const { return m_calls; }
    [[nodiscard]] const std::map<Step, std::uint32_t>& effects() const { return m_effects; }

private:
    const std::set<std::string, std::less<>>& m_keyless;
    std::map<Step, std::uint32_t> m_calls;
    std::map<Step, std::uint32_t> m_effects;
    std::map<std::string, std::uint32_t> m_byKey;  // tool and effect key
    std::set<std::string> m_remembered;            // identities of repeatable calls
};

}  // namespace cairn::proof
