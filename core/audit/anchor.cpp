#include "core/audit/anchor.h"

#include "core/base/file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::audit {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kKind = "anchor";
constexpr std::uint64_t kMostFile = 256ULL * 1024 * 1024;

Error notAnAnchor() { return makeError(ErrorKind::InvalidInput, "that is no anchor"); }

Error failedFile(const std::string& path, const char* doing)
{
    const int code = errno;
    return makeError(code == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
        std::string(doing) + " " + path + ": " + std::strerror(code), code);
}

Result<std::string> readWhole(const std::string& path)
{
    const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info { };
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0)
        return failedFile(path, "cannot open the anchors in");
    if (!S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) > kMostFile)
        return makeError(ErrorKind::InvalidInput, path + " is not a file of anchors");
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failedFile(path, "cannot read the anchors in");
        if (got == 0)
            break;
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    return text;
}

// False: it is not there, or of another type.
template<typename T> bool get(const Json& json, const char* name, T& value)
{
    const auto at = json.find(name);
    if (at == json.end() || !at->is_number_integer())
        return false;
    value = at->get<T>();
    return true;
}
bool get(const Json& json, const char* name, std::string& value)
{
    const auto at = json.find(name);
    if (at == json.end() || !at->is_string())
        return false;
    value = at->get<std::string>();
    return true;
}
bool get(const Json& json, const char* name, Digest& value)
{
    std::string text;
    const auto digest = get(json, name, text) ? parseDigest(text) : std::nullopt;
    if (digest)
        value = *digest;
    return digest.has_value();
}

}  // namespace

std::string anchorJson(const CheckpointRow& row)
{
    return Json{{"cairn_anchor", 1}, {"store", uuidText(row.store)}, {"checkpoint", row.number},
        {"time", row.time}, {"entries", row.auditSeq}, {"head", hex(row.auditHead.view())},
        {"runs", row.runs}, {"run_heads", hex(row.runHeads.view())}, {"previous", hex(row.previous.view())},
        {"key", publicKeyText(row.key)}, {"signature", base64(row.signature.view())}}
        .dump();
}

Result<CheckpointRow> parseAnchor(std::string_view text)
{
    if (text.size() > 4'096)
        return notAnAnchor();
    const Json json = Json::parse(text, nullptr, false);
    CheckpointRow row;
    int kind = 0;
    std::string store, key, signature;
    if (!json.is_object() || !get(json, "cairn_anchor", kind) || kind != 1 || !get(json, "store", store)
        || !get(json, "checkpoint", row.number) || !get(json, "time", row.time)
        || !get(json, "entries", row.auditSeq) || !get(json, "head", row.auditHead)
        || !get(json, "runs", row.runs) || !get(json, "run_heads", row.runHeads)
        || !get(json, "previous", row.previous) || !get(json, "key", key)
        || !get(json, "signature", signature))
        return notAnAnchor();
    const auto id = parseUuid(store);
    if (!id)
        return notAnAnchor();
    row.store = *id;
    CAIRN_TRY_ASSIGN(row.key, parsePublicKey(key));
    CAIRN_TRY_ASSIGN(row.signature, parseSignature(signature));
    return row;
}

Status appendAnchor(const std::string& path, const CheckpointRow& row)
{
    const bool fresh = ::access(path.c_str(), F_OK) != 0;
    const OwnedFd file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
    if (file.get() < 0)
        return failedFile(path, "cannot open the anchors in");
    if (::flock(file.get(), LOCK_EX) != 0)
        return failedFile(path, "cannot lock");
    struct stat info { };
    if (::fstat(file.get(), &info) != 0)
        return failedFile(path, "cannot look at");
    // A line that a crash cut off stays what it is, and begins no part of this one.
    char last = '\n';
    if (info.st_size > 0 && ::pread(file.get(), &last, 1, info.st_size - 1) != 1)
        return failedFile(path, "cannot read the anchors in");
    if (!writeWhole(file.get(), (last == '\n' ? "" : "\n") + anchorJson(row) + "\n"))
        return failedFile(path, "cannot write the anchor into");
    if (::fsync(file.get()) != 0)
        return failedFile(path, "cannot sync");
    if (fresh && !syncFolder(folderOfFile(path)))
        return failedFile(folderOfFile(path), "cannot sync the folder");
    return {};
}

Result<std::vector<CheckpointRow>> readAnchors(const std::string& path)
{
    CAIRN_TRY_ASSIGN(const std::string text, readWhole(path));
    std::vector<CheckpointRow> rows;
    std::size_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = rest.find('\n');
        auto row = parseAnchor(rest.substr(0, end));
        ++number;
        if (!row)
            return makeError(
                ErrorKind::InvalidInput, path + ", line " + std::to_string(number) + ": " + row.error().text);
        rows.push_back(*std::move(row));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return rows;
}

Status appendAnchor(StoreWriter& other, AuditRow act, const CheckpointRow& row)
{
    act.kind = kKind;
    act.verb = Verb::AnchorAudit;
    act.target = uuidText(row.store);
    act.after = anchorJson(row);
    CAIRN_TRY(other.appendAudit(std::move(act)));
    return {};
}

Result<std::vector<CheckpointRow>> readAnchors(StoreReader& other, const UuidBytes& store)
{
    std::vector<CheckpointRow> rows;
    for (std::uint64_t seq = 0;;) {
        CAIRN_TRY_ASSIGN(const auto page, other.audit(seq, 1'000));
        if (page.empty())
            return rows;
        for (const AuditRow& act : page) {
            seq = act.seq;
            if (act.kind != kKind || act.target != uuidText(store))
                continue;
            CAIRN_TRY_ASSIGN(auto row, parseAnchor(act.after));
            rows.push_back(std::move(row));
        }
    }
}

}  // namespace cairn::audit
