#pragma once
// Inside of core/export: what the writer and the readers of bundles share.

#include "core/export/bundle.h"
#include "core/export/rows_json.h"
#include "core/model/entry.h"

#include <map>
#include <set>

namespace cairn::exporting {

struct FileRow {
    std::uint64_t size = 0;
    Digest sha256;
};

struct RunHead {
    RunId run;
    std::uint64_t version = 0;
    Digest head;
};

struct Manifest {
    std::uint32_t format = kBundleFormat;
    std::string tool;
    std::string exporter;
    std::string filter;
    TimeMs exportedAt = kNoTime;
    bool redacted = false;
    std::vector<std::string> masked;  // what was left out, in words
    std::string store;                // its id
    std::string environment;
    std::vector<RunHead> runs;
    std::uint64_t auditSeq = 0;  // of the newest entry of the store's audit; 0: none, or not told
    Digest auditHead;
    std::map<std::string, FileRow> files;  // all but the manifest
};
[[nodiscard]] std::string manifestJson(const Manifest& manifest);
[[nodiscard]] Result<Manifest> parseManifest(std::string_view json);

inline constexpr std::string_view kHeadsFile = "heads.json";
// What is signed: all that the manifest says, each file but heads.json by its hash. Made of the manifest
// alone.
[[nodiscard]] std::string headsStatement(const Manifest& manifest);
[[nodiscard]] std::string headsJson(
    const std::string& statement, const std::vector<HeadSignature>& signatures);
struct SignedHeads {
    std::string statement;
    std::vector<HeadSignature> signatures;
};
[[nodiscard]] Result<SignedHeads> parseHeads(std::string_view json);

[[nodiscard]] std::string runFolder(const RunId& run);  // with the / at its end
[[nodiscard]] std::string payloadFile(const PayloadInfo& info);
[[nodiscard]] std::string definitionFile(const Digest& digest);

// Folding trusts the steps that an entry names, since only the rules write entries; a bundle's are checked
// before. Counts the steps that it adds; empty: it may be folded.
[[nodiscard]] std::string stepFault(const Entry& entry, std::size_t& steps);

// What all of a bundle but its payloads' bytes says.
struct BundleRun {
    WholeRun whole;  // with entries
    std::vector<PayloadInfo> payloads;
};
struct Bundle {
    Manifest manifest;
    std::map<RunId, BundleRun> runs;
    std::vector<DefinitionRow> definitions;
    std::map<Digest, std::string> texts;  // of definitions
    std::vector<AuditRow> audit;
    std::optional<SignedHeads> heads;
    std::map<std::string, FileRow> files;  // as read
};
// Reads all of it once. An error of kind Corrupt has its place and kind in `fault`.
[[nodiscard]] Status loadBundle(const std::string& path, Bundle& bundle, BundleFault& fault);
[[nodiscard]] Status proveBundle(const std::string& path, const Bundle& bundle,
    const std::optional<PublicKey>& wanted, BundleVerdict& verdict, BundleFault& fault);

}  // namespace cairn::exporting
