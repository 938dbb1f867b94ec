// Reads a bundle once, as a stream, and trusts none of it: names, sizes and encodings are checked while they
// come in, hashes at the end.

#include "core/base/text.h"
#include "core/export/bundle_parts.h"
#include "core/export/zip.h"
#include "core/model/codec.h"

#include <algorithm>

namespace cairn::exporting {

namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;
constexpr std::uint64_t kMaxLine = 64 * kMebibyte;
constexpr std::uint64_t kMaxFiles = 5'000'000;
// Text of a bundle shrinks to a tenth. What grows more than this is made to fill a memory.
constexpr std::uint64_t kMostExpansion = 200;
constexpr std::uint64_t kExpansionFrom = 16 * kMebibyte;

enum class Kind {
    Manifest,
    ReadMe,
    Heads,
    Audit,
    Definitions,
    Definition,
    History,
    Decoded,
    Payloads,
    State,
    Bytes
};

struct Place {
    Kind kind = Kind::ReadMe;
    RunId run;
    Digest digest;
    std::uint64_t limit = 0;
};

std::optional<Place> runPlace(std::string_view rest)
{
    const auto id = rest.size() > 37 && rest[36] == '/' ? parseId<RunId>(rest.substr(0, 36)) : std::nullopt;
    if (!id || runFolder(*id).substr(5) != rest.substr(0, 37))
        return std::nullopt;
    rest.remove_prefix(37);
    if (rest == "history.jsonl")
        return Place{Kind::History, *id, {}, UINT64_MAX};
    if (rest == "decoded.jsonl")
        return Place{Kind::Decoded, *id, {}, UINT64_MAX};
    if (rest == "payloads.jsonl")
        return Place{Kind::Payloads, *id, {}, UINT64_MAX};
    if (rest == "state.json")
        return Place{Kind::State, *id, {}, 512 * kMebibyte};
    return std::nullopt;
}

std::optional<Place> hashPlace(std::string_view name)
{
    const auto within = [&](std::string_view folder, std::string_view end) -> std::optional<Digest> {
        if (!name.starts_with(folder) || !name.ends_with(end)
            || name.size() != folder.size() + 64 + end.size())
            return std::nullopt;
        const std::string_view hash = name.substr(folder.size(), 64);
        const auto digest = parseDigest(hash);
        return digest && hex(*digest) == hash ? digest : std::nullopt;
    };
    if (const auto digest = within("payloads/", ""))
        return Place{Kind::Bytes, {}, *digest, kInlineLimit};
    if (const auto digest = within("artifacts/", ""))
        return Place{Kind::Bytes, {}, *digest, kPayloadLimit};
    if (const auto digest = within("definitions/", ".json"))
        return Place{Kind::Definition, {}, *digest, 16 * kMebibyte};
    return std::nullopt;
}

std::optional<Place> placeOf(std::string_view name)
{
    if (name == "manifest.json")
        return Place{Kind::Manifest, {}, {}, 512 * kMebibyte};
    if (name == "README.txt")
        return Place{Kind::ReadMe, {}, {}, 64 * 1024};
    if (name == "heads.json")
        return Place{Kind::Heads, {}, {}, 512 * kMebibyte};
    if (name == "audit.jsonl")
        return Place{Kind::Audit, {}, {}, UINT64_MAX};
    if (name == "definitions.jsonl")
        return Place{Kind::Definitions, {}, {}, 512 * kMebibyte};
    return name.starts_with("runs/") ? runPlace(name.substr(5)) : hashPlace(name);
}

bool leavesTheBundle(std::string_view name)
{
    return name.starts_with("/") || name.find('\\') != std::string_view::npos || name == ".."
        || name.starts_with("../") || name.ends_with("/..") || name.find("/../") != std::string_view::npos
        || (name.size() > 1 && name[1] == ':');
}

class Loader {
public:
    Loader(Bundle& bundle, BundleFault& fault)
        : m_bundle(bundle)
        , m_fault(fault)
    {
    }

    Status load(ZipReader& zip)
    {
        for (;;) {
            auto item = zip.next();
            if (!item)
                return bad("archive", m_name.empty() ? "the file" : "after " + m_name, item.error().text);
            if (!*item)
                break;
            CAIRN_TRY(begin(**item));
            CAIRN_TRY(body(zip));
            CAIRN_TRY(end());
        }
        return compareFiles();
    }

private:
    Status bad(const char* kind, const std::string& where, const std::string& text)
    {
        m_fault = {kind, visibleLine(where), text};
        return makeError(ErrorKind::Corrupt, m_fault.where + ": " + text + " (" + kind + ")");
    }
    std::string line() const { return m_name + ", line " + std::to_string(m_lines + 1); }

    Status begin(const ZipReader::Item& item)
    {
        const std::string shown = "\"" + visibleLine(clipped(item.name, 200)) + "\"";
        if (item.name.empty() || !isUtf8(item.name))
            return bad("name", "the zip's directory", "a file has a name that is not UTF-8: " + shown);
        if (leavesTheBundle(item.name))
            return bad("name", "the zip's directory", "a file's name leads out of the bundle: " + shown);
        const auto place = placeOf(item.name);
        if (!place || !item.regular)
            return bad("name", "the zip's directory", "no bundle has such a file: " + shown);
        if (item.encrypted)
            return bad("archive", item.name, "it is encrypted");
        m_name = item.name;
        m_place = *place;
        m_size = 0;
        m_lines = 0;
        m_text.clear();
        m_hash = std::make_unique<Sha256>();
        if (m_bundle.files.contains(m_name) || (m_place.kind == Kind::Manifest && m_hasManifest))
            return bad("duplicate", m_name, "the zip has two files of this name");
        if (m_bundle.files.size() > kMaxFiles)
            return bad("size", m_name, "a bundle has no more than five million files");
        return {};
    }

    Status body(ZipReader& zip)
    {
        const std::uint64_t from = zip.consumed();
        for (;;) {
            auto bytes = zip.read();
            if (!bytes)
                return bad("archive", m_name, bytes.error().text);
            if (bytes->empty())
                return {};
            m_size += bytes->size();
            if (m_size > m_place.limit)
                return bad(
                    "size", m_name, "it is larger than " + formatBytes(m_place.limit) + ", the most for it");
            if (m_place.kind != Kind::Bytes && m_size > kExpansionFrom
                && m_size > kMostExpansion * (zip.consumed() - std::min(from, zip.consumed()) + 65'536))
                return bad("size", m_name,
                    "it grows to more than " + std::to_string(kMostExpansion)
                        + " times its size in the zip file, as a zip bomb does");
            m_hash->update(*bytes);
            CAIRN_TRY(take(*bytes));
        }
    }

    bool hasLines() const
    {
        return m_place.kind == Kind::History || m_place.kind == Kind::Decoded
            || m_place.kind == Kind::Payloads || m_place.kind == Kind::Audit
            || m_place.kind == Kind::Definitions;
    }

    Status take(std::string_view bytes)
    {
        if (m_place.kind == Kind::Bytes || m_place.kind == Kind::ReadMe)
            return {};
        if (!hasLines()) {
            m_text.append(bytes);
            return {};
        }
        while (!bytes.empty()) {
            const std::size_t cut = bytes.find('\n');
            m_text.append(bytes.substr(0, cut));
            if (m_text.size() > kMaxLine)
                return bad("size", line(), "the line is longer than 64 MiB");
            if (cut == std::string_view::npos)
                return {};
            bytes.remove_prefix(cut + 1);
            CAIRN_TRY(takeLine());
            ++m_lines;
            m_text.clear();
        }
        return {};
    }

    Status takeLine()
    {
        if (!isUtf8(m_text))
            return bad("encoding", line(), "it is not UTF-8");
        switch (m_place.kind) {
        case Kind::History: return takeEntry();
        case Kind::Decoded: return takeDecoded();
        case Kind::Payloads: return row(m_bundle.runs[m_place.run].payloads.emplace_back());
        case Kind::Audit: return row(m_bundle.audit.emplace_back());
        default: return row(m_bundle.definitions.emplace_back());
        }
    }
    template<class Row> Status row(Row& into)
    {
        const Status read = parseRow(m_text, into);
        return read ? Status() : bad("format", line(), read.error().text);
    }

    Status takeEntry()
    {
        auto& entries = m_bundle.runs[m_place.run].whole.loaded.entries;
        SealedEntry& sealed = entries.emplace_back();
        CAIRN_TRY(row(sealed));
        if (sealed.version != entries.size())
            return bad("chain", line(),
                "the entry says that it is number " + std::to_string(sealed.version) + ", it is number "
                    + std::to_string(entries.size()));
        const Digest previous = entries.size() == 1 ? Digest{} : entries[entries.size() - 2].hash;
        if (const Status seal = checkSeal(sealed, previous); !seal)
            return bad("chain", line(), seal.error().text);
        const auto entry = decodeEntry(sealed.body, sealed.format);
        if (!entry)
            return bad("chain", line(), entry.error().text);
        const std::string fault = stepFault(*entry, m_steps[m_place.run]);
        return fault.empty() ? Status() : bad("fold", line(), fault);
    }

    // The copy that people read says what the entries say.
    Status takeDecoded()
    {
        const auto& entries = m_bundle.runs[m_place.run].whole.loaded.entries;
        if (m_lines >= entries.size())
            return bad("format", line(), "there is no such entry in the history before it");
        const auto entry = decodeEntry(entries[m_lines].body, entries[m_lines].format);
        if (!entry || entryJson(*entry) != m_text)
            return bad("hash", line(), "it does not say what the entry says");
        return {};
    }

    Status end()
    {
        if (hasLines() && !m_text.empty())
            return bad("format", line(), "the last line has no end");
        if (m_place.kind == Kind::Manifest)
            return takeManifest();
        m_bundle.files[m_name] = {m_size, m_hash->finish()};
        if (m_place.kind == Kind::Decoded
            && m_lines != m_bundle.runs[m_place.run].whole.loaded.entries.size())
            return bad("missing", m_name, "it has fewer lines than the history");
        if (m_place.kind == Kind::State)
            return takeState();
        if (m_place.kind == Kind::Definition)
            m_bundle.texts[m_place.digest] = m_text;
        if (m_place.kind == Kind::Heads) {
            auto heads = isUtf8(m_text) ? parseHeads(m_text) : notText();
            if (!heads)
                return bad("format", m_name, heads.error().text);
            m_bundle.heads = *std::move(heads);
        }
        return {};
    }
    static Error notText() { return makeError(ErrorKind::InvalidInput, "it is not UTF-8"); }

    Status takeManifest()
    {
        if (!isUtf8(m_text))
            return bad("encoding", m_name, "it is not UTF-8");
        auto manifest = parseManifest(m_text);
        if (!manifest)
            return bad("format", m_name, manifest.error().text);
        m_bundle.manifest = *std::move(manifest);
        m_hasManifest = true;
        return {};
    }

    Status takeState()
    {
        if (!isUtf8(m_text))
            return bad("encoding", m_name, "it is not UTF-8");
        auto whole = parseState(m_text);
        if (!whole)
            return bad("format", m_name, whole.error().text);
        WholeRun& run = m_bundle.runs[m_place.run].whole;
        whole->loaded.entries = std::move(run.loaded.entries);
        run = *std::move(whole);
        m_states.insert(m_place.run);
        return {};
    }

    Status compareFiles()
    {
        if (!m_hasManifest)
            return bad("missing", "manifest.json", "the bundle has no manifest");
        for (const auto& [name, listed] : m_bundle.manifest.files) {
            const auto at = m_bundle.files.find(name);
            if (at == m_bundle.files.end())
                return bad("missing", name, "the manifest lists it, and the bundle has no such file");
            if (at->second.size != listed.size)
                return bad("size", name,
                    "it has " + std::to_string(at->second.size) + " bytes, the manifest says "
                        + std::to_string(listed.size));
            if (at->second.sha256 != listed.sha256)
                return bad("hash", name, "it does not have the hash that the manifest says");
        }
        for (const auto& [name, file] : m_bundle.files)
            if (!m_bundle.manifest.files.contains(name))
                return bad("unlisted", name, "the manifest does not list it");
        for (const RunHead& head : m_bundle.manifest.runs)
            if (!m_states.contains(head.run))
                return bad("missing", runFolder(head.run) + "state.json",
                    "the manifest names a run without a state");
        if (m_bundle.runs.size() != m_bundle.manifest.runs.size())
            return bad("unlisted", "runs/", "there are files of runs that the manifest does not name");
        return {};
    }

    Bundle& m_bundle;
    BundleFault& m_fault;
    std::string m_name;
    Place m_place;
    std::string m_text;  // of a whole file, or of a line
    std::uint64_t m_size = 0;
    std::uint64_t m_lines = 0;
    std::unique_ptr<Sha256> m_hash;
    bool m_hasManifest = false;
    std::set<RunId> m_states;
    std::map<RunId, std::size_t> m_steps;  // that the entries read so far have added
};

}  // namespace

Status loadBundle(const std::string& path, Bundle& bundle, BundleFault& fault)
{
    auto zip = ZipReader::open(path);
    if (!zip && zip.error().kind == ErrorKind::Corrupt)
        fault = {"archive", "the file", zip.error().text};
    CAIRN_TRY(zip);
    return Loader(bundle, fault).load(**zip);
}

}  // namespace cairn::exporting
