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

// Bytes as a template reads them: as they are where that is JSON (`looked`: it was found to be), text as a
// JSON string. InvalidInput where it is neither.
[[nodiscard]] Result<std::optional<std::string>> quotedForTemplate(
    std::string_view raw, const std::string& media, bool looked);
[[nodiscard]] Error listTooLong();  // of a fan-out's results

}  // namespace cairn
