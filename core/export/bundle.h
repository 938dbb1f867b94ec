#pragma once
// A bundle: runs as a zip file that stands by itself (resources/handbook/export.md has the layout). It holds
// the entries as they are stored, so that their chain can be checked by anybody, and it is written, checked
// and read as a stream. One thread; all calls block.

#include "core/base/signing.h"
#include "core/service/copy_store.h"
#include "core/store/store.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn::exporting {

inline constexpr std::uint32_t kBundleFormat = 1;

struct HeadSignature {
    PublicKey key;
    Signature signature{};
};
// Signs the statement of a bundle's heads (heads.json), byte for byte. None: the bundle has no signed heads.
using SignHeads = std::function<Result<std::vector<HeadSignature>>(std::string_view statement)>;
[[nodiscard]] SignHeads signWith(const SigningKey& key);

struct BundleProgress {
    std::uint64_t runs = 0;
    std::uint64_t runsInAll = 0;
    std::uint64_t bytes = 0;  // of payloads
};

struct BundleOptions {
    bool redact = false;   // no bytes of payloads, and nothing that is made of them
    std::string tool;      // which program writes it
    std::string exporter;  // who, as claimed
    std::string filter;    // how the runs were named
    SignHeads signHeads{};
    std::function<bool()> stopped = [] { return false; };  // asked between parts: then nothing is left
    std::function<void(const BundleProgress&)> tell = [](const BundleProgress&) {};
};

struct BundleCounts {
    std::uint64_t runs = 0;
    std::uint64_t entries = 0;
    std::uint64_t payloads = 0;  // with their bytes
    std::uint64_t withheld = 0;  // payloads that are named, and whose bytes are not there
    std::uint64_t bytes = 0;     // of payloads
    std::uint64_t audit = 0;
    std::uint64_t files = 0;
};

struct BundleReport {
    BundleCounts counts;
    std::uint64_t size = 0;  // of the zip file
    std::vector<std::string> notes;
};
// NotFound: no such run. NoRight: payloads are not for this login (a redacted bundle is). Refused: the file
// is there. Cancelled. Whatever happens, there is a whole bundle or none.
[[nodiscard]] Result<BundleReport> writeBundle(
    StoreReader& reader, std::span<const RunId> runs, const std::string& path, const BundleOptions& options);

// The first thing that is wrong with a bundle.
struct BundleFault {
    std::string kind;   // archive, name, duplicate, size, encoding, format, missing, unlisted, hash, chain,
                        // fold, payload, definition, audit, signature
    std::string where;  // the file, and the place in it
    std::string text;
};

struct BundleVerdict {
    std::optional<BundleFault> fault;  // none: it is proved
    BundleCounts counts;
    bool redacted = false;
    std::string tool;
    std::string exporter;
    TimeMs exportedAt = kNoTime;
    std::vector<PublicKey> signedBy;  // whose signatures of the heads fit
};
// Reads all of it, and writes nothing. `wanted`: one of the signatures must be by this key. An error: the
// file cannot be read.
[[nodiscard]] Result<BundleVerdict> verifyBundle(
    const std::string& path, const std::optional<PublicKey>& wanted = std::nullopt);

// What a verdict without a fault shows, and what it does not: sentences for people. `wanted`: as it was
// asked.
struct BundleProof {
    std::vector<std::string> shown;
    std::vector<std::string> notShown;
};
[[nodiscard]] BundleProof proofOf(const BundleVerdict& verdict, const std::optional<PublicKey>& wanted);

struct ImportRequest {
    std::string path;
    StoreDoor to;  // makes a new store
    AuditRow act;  // who, where, why
    Rng& rng;
    std::function<bool()> stopped = [] { return false; };
};
// Proves the bundle, and then makes a store of it that takes no writes (FenceKind::Imported). Corrupt: what
// is wrong with the bundle; nothing was made then.
[[nodiscard]] Result<BundleCounts> importBundle(const ImportRequest& request);

}  // namespace cairn::exporting
