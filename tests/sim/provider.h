#pragma once
// The outside world of the simulator: a provider that keeps a ledger of its own and knows nothing of Cairn.

#include "core/base/clock.h"

#include <cstdint>
#include <map>
#include <string>

namespace cairn::sim {

enum class Answer : std::uint8_t {
    Ok,
    Slow,        // after many seconds, perhaps longer than the tool's time-out
    DoThenDrop,  // done, and the connection breaks before the answer
    DropBefore,  // the connection breaks and nothing is done
    Silent,      // done, and no answer ever comes
    Limited,     // 429 with Retry-After; nothing is done
    Refused,     // an error that says that nothing was done
    Garbled,     // look-ups: an answer that cannot be read
};

class Provider {
public:
    struct Row {
        std::uint32_t effects = 0;  // how often it really happened
        std::string result;
    };
    // A call that the provider receives. Where it promises "same key, same effect" (keyed), a repeat changes
    // nothing.
    std::string call(const std::string& key, bool keyed)
    {
        Row& row = m_rows[key];
        ++m_calls;
        if (row.effects == 0 || !keyed)
            ++row.effects;
        row.result = "{\"receipt\":\"" + key + "\"}";
        return row.result;
    }
    [[nodiscard]] bool happened(const std::string& key) const { return m_rows.contains(key); }
    [[nodiscard]] const std::map<std::string, Row>& rows() const { return m_rows; }
    [[nodiscard]] std::uint64_t calls() const { return m_calls; }

private:
    std::map<std::string, Row> m_rows;
    std::uint64_t m_calls = 0;
};

}  // namespace cairn::sim
