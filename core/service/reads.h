#pragma once
// Payloads that a decision reads, several at a time: what is inline a page to a round trip, the rest one by
// one.

#include "core/service/payload_cache.h"
#include "core/store/store.h"

#include <map>
#include <span>

namespace cairn {

struct WantedPayload {
    RunId run;
    PayloadId id;
    std::uint64_t size = 0;
    bool json = false;   // look whether it is, too
    bool plain = false;  // and hash it
};

struct ReadPayload {
    Bytes bytes;                   // null: `error` says why it cannot be used
    std::optional<Error> error{};  // NotFound, Refused (redacted), Corrupt: of this one alone
    bool json = false;             // was looked at, and is
    std::optional<Digest> plain{};
};
using ReadPayloads = std::map<PayloadId, ReadPayload>;

// From any thread, with a connection that is that thread's. Blocks. An error is the store's: then it is not
// known what could be read.
[[nodiscard]] Status readPayloads(
    StoreReader& store, std::span<const WantedPayload> wanted, ReadPayloads& into);

}  // namespace cairn
