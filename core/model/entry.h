#pragma once
// One committed command in a run's history, and its place in the run's hash chain.

#include "core/model/fact.h"

#include <map>

namespace cairn {

inline constexpr std::uint16_t kFormat1 = 1;
inline constexpr std::uint16_t kFormat2 = 2;
#ifdef CAIRN_MAX_FORMAT
inline constexpr std::uint16_t kMaxFormat = CAIRN_MAX_FORMAT;
#else
// Weak, so that a program can be linked that knows less: cairn-format1, the older binary of the drill,
// overrides it.
[[nodiscard]] std::uint16_t newestFormatOfThisProgram() noexcept;
// The newest format that this program reads and writes.
inline const std::uint16_t kMaxFormat = newestFormatOfThisProgram();
#endif

struct Entry {
    std::uint64_t version = 0;  // 1 for the first entry, then without a hole
    CommandId command;
    Verb verb = Verb::Start;
    Actor actor;
    TimeMs time = kNoTime;  // store time at the decision
    PayloadRef reason;      // of a person's act
    std::vector<Fact> facts;
};

// All payloads that an entry names, as it names them.
void collectPayloads(const Entry& entry, std::map<PayloadId, PayloadRef>& refs);

// What is stored and hashed. hash = SHA-256("cairn-entry\0" || format (2 bytes) || previous || body).
struct SealedEntry {
    std::uint64_t version = 0;
    CommandId command;
    std::uint16_t format = kMaxFormat;
    std::string body;  // encoded Entry
    Digest previous;
    Digest hash;
};

}  // namespace cairn
