#pragma once
// A provider for tests and the drill: a small HTTP server that does "effects" and keeps a ledger of its own,
// so that what happened outside can be compared with what Cairn recorded. Loopback only.
//
//   POST /do/NAME, /payments, /refunds   does the effect: one line "time TAB name TAB key TAB sha256 of the
//   body", synced to
//                         the ledger file before the answer. Idempotency-Key names it: known already, the
//                         first answer is given again and nothing is done (another body under the key: 422).
//   GET  /seen/KEY, /payments/KEY, /refunds/KEY   200 with the first answer, or 404
//   GET  /count           {"NAME": lines, ...}
//   POST /mode/NAME       body: ok | slow:S | slow:Nms | hold | do-then-drop | drop-before | 429:S | 429:raw:TEXT |
//   503:S | 500 | 401 | 404 | 409
//                         | exit | keyless, each with "@n" for the next n calls only (for example 429:2@3),
//                         and after them what was set for good. keyless: does it at every call, whatever the
//                         key; do-then-drop, slow and hold do so too where keyless was set for good.
//                         hold: done, but not answered before another mode is set for good
// Names: letters, digits, - and _. KEY is percent-encoded.
// A name that begins with "model" is a model: its answer says what the call used
// ({"usage": {"tokens": 214, "cost": "0.000642"}}), and its line in the ledger goes on with "TAB tokens TAB
// cost", so that what was charged can be compared with what Cairn counted.

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cairn {

class Effectd {
public:
    // Opens (or goes on with) the ledger and listens on 127.0.0.1; port 0: any free one.
    [[nodiscard]] static Result<std::unique_ptr<Effectd>> open(const std::string& ledger, std::uint16_t port);
    ~Effectd();
    [[nodiscard]] std::uint16_t port() const;
    // Serves until stop(), which any thread may call. Blocks.
    void run();
    void stop();

    struct Impl;

private:
    explicit Effectd(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cairn
