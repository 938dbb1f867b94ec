#pragma once
// The newest version of each run that this process has read or was told to be stored, with the head of its
// chain there. A store does not go back by itself; one that an asynchronous standby or a backup took the
// place of does, and then what was acknowledged may be gone. A run that has lost entries must not go on by
// itself: what they began may have happened. Bounded: the runs that were touched longest ago are forgotten.
// And the server that the store was on when it was seen last, by which such a change is noticed. One thread.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cairn {

class Acknowledged {
public:
    struct Head {
        std::uint64_t version = 0;
        Digest hash;
    };
    void note(const RunId& run, std::uint64_t version, const Digest& hash)
    {
        if (m_young.size() >= kKeep) {
            m_old = std::move(m_young);
            m_young.clear();
        }
        m_young[run] = {version, hash};
    }
    // Null: nothing is known of it.
    [[nodiscard]] const Head* find(const RunId& run) const
    {
        for (const auto* heads : {&m_young, &m_old})
            if (const auto found = heads->find(run); found != heads->end())
                return &found->second;
        return nullptr;
    }

    // StoreInfo::serverSystem and serverTimeline as just read, at `mono` of the monotonic clock. True: the
    // store was on another server before.
    bool seesServer(std::uint64_t system, std::uint32_t timeline, SpanMs mono)
    {
        const std::pair now(system, timeline);
        const bool other = m_server && *m_server != now;
        m_server = now;
        if (other) {
            ++m_replacements;
            m_replacedAt = mono;
        }
        return other;
    }
    // How often that was so, and when it was seen last.
    [[nodiscard]] std::uint32_t replacements() const { return m_replacements; }
    [[nodiscard]] std::optional<SpanMs> replacedAt() const { return m_replacedAt; }

    [[nodiscard]] std::vector<RunId> all() const
    {
        std::vector<RunId> runs;
        for (const auto* heads : {&m_young, &m_old})
            for (const auto& [run, head] : *heads)
                if (heads == &m_young || !m_young.contains(run))
                    runs.push_back(run);
        return runs;
    }

private:
    static constexpr std::size_t kKeep = 30'000;  // twice that at most, some 80 bytes each
    std::unordered_map<RunId, Head> m_young, m_old;
    std::optional<std::pair<std::uint64_t, std::uint32_t>> m_server;
    std::uint32_t m_replacements = 0;
    std::optional<SpanMs> m_replacedAt;
};

}  // namespace cairn
