#pragma once
// A receipt: a page of text that proves one step to somebody who has no Cairn store. It holds the entries
// that it is about, byte for byte, so that approval, execution and result can be read from them again, and it
// is signed by a key that lies outside the store.

#include "core/base/signing.h"
#include "core/store/store.h"

#include <optional>
#include <string>
#include <string_view>

namespace cairn::exporting {

struct ReceiptRequest {
    StoreReader& reader;
    RunId run;
    std::string step;
    const SigningKey& key;
    std::string tool;  // which program makes it
};
// NotFound: no such run or step. Refused: the step has no result, or what was approved is not what was done.
// Blocks; reads the whole history.
[[nodiscard]] Result<std::string> makeReceipt(const ReceiptRequest& request);

struct ReceiptVerdict {
    std::string fault;  // empty: it holds
    PublicKey key;      // that signed it
    std::string run;
    std::string step;
    std::string approvedDigest;  // empty: no approval was asked
    std::string resultHash;
};
// Pure. `wanted`: the key that must have signed it; without one the receipt says itself whose it is.
[[nodiscard]] ReceiptVerdict checkReceipt(
    std::string_view text, const std::optional<PublicKey>& wanted = std::nullopt);

}  // namespace cairn::exporting
