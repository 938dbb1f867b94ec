#pragma once
// Inside of effectd: the ledger and the modes, without any network.

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>

namespace cairn {

// What a call of a name is to meet.
struct EffectMode {
    enum class Kind : std::uint8_t { Ok, Slow, Hold, DoThenDrop, DropBefore, Refuse, Exit, Keyless };
    Kind kind = Kind::Ok;
    int status = 0;
    std::string retryAfter;  // header text; empty: none
    std::int64_t slowMs = 0;
    std::int64_t calls = -1;  // for how many calls; -1: for ever
};
// What a call of a model is charged: so many tokens, each at one price.
[[nodiscard]] std::uint32_t tokensOf(const std::string& name, std::size_t bodySize);
[[nodiscard]] std::string costOf(std::uint32_t tokens);  // a decimal
[[nodiscard]] Result<EffectMode> parseEffectMode(std::string_view text);

class EffectLedger {
public:
    [[nodiscard]] static Result<EffectLedger> open(const std::string& path);
    EffectLedger(EffectLedger&& other) noexcept;
    EffectLedger& operator=(EffectLedger&&) = delete;
    ~EffectLedger();

    struct Line {
        std::string name;
        std::string bodySha;
        std::uint64_t number = 0;
        std::uint32_t tokens = 0;  // that it charged; 0: it charges none
    };
    [[nodiscard]] const Line* find(const std::string& name, const std::string& key) const;
    // Appended and synced when it returns.
    [[nodiscard]] Result<Line> append(const std::string& name, const std::string& key,
        const std::string& bodySha, std::uint32_t tokens = 0);
    [[nodiscard]] std::map<std::string, std::uint64_t> counts() const { return m_counts; }

private:
    explicit EffectLedger(int file)
        : m_file(file)
    {
    }

    int m_file = -1;
    std::uint64_t m_lines = 0;
    std::map<std::pair<std::string, std::string>, Line> m_byKey;
    std::map<std::string, std::uint64_t> m_counts;
};

}  // namespace cairn
