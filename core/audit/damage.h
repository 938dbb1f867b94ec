#pragma once
// What was found wrong with a chain, and what can be found at all. Pure.

#include "core/base/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::audit {

enum class Damage : std::uint8_t {
    Changed,       // what an entry says, or its hash
    Removed,       // entries are missing in the middle
    Inserted,      // an entry that was not written here
    Reordered,     // entries stand in another order than they were written in
    CutAtEnd,      // the newest entries are missing
    ReplacedTail,  // a chain without a break that is another than the one that was known
    BadSignature,  // of a checkpoint, or an anchor
};

// As in JSON: changed, removed, inserted, reordered, cut, replaced, signature.
[[nodiscard]] std::string_view word(Damage kind) noexcept;

struct Found {
    Damage kind = Damage::Changed;
    std::string chain;         // "audit", "run 018f...", "checkpoints"
    std::uint64_t number = 0;  // of the first bad entry
    std::string text;          // a sentence for people
};

// What stood beside the store when it was verified.
struct Evidence {
    std::uint64_t checkpoints = 0;
    bool publicKey = false;   // named by whoever verifies, so not taken from the store
    bool remembered = false;  // a head that this client verified before
    bool anchor = false;      // or a head that was kept by hand
};
// What an installation with this evidence can and cannot detect, one sentence a line.
[[nodiscard]] std::vector<std::string> detects(const Evidence& evidence);

}  // namespace cairn::audit
