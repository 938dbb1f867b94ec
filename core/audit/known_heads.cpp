#include "core/audit/known_heads.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::audit {

namespace {

using Json = nlohmann::json;

Error failedFile(const std::string& path, const char* doing)
{
    const int code = errno;
    return makeError(ErrorKind::Io, std::string(doing) + " " + path + ": " + std::strerror(code), code);
}

Status makeFolder(const std::string& folder)
{
    for (std::size_t at = 0; at != std::string::npos;) {
        at = folder.find('/', at + 1);
        const std::string part = folder.substr(0, at);
        if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && errno != EACCES && errno != EROFS)
            return failedFile(part, "cannot make the folder");
    }
    return {};
}

Error notUnderstood(const std::string& path)
{
    return makeError(ErrorKind::Corrupt,
        path
            + " cannot be understood, so it is not known what this client saw last; look at it, and remove "
              "it to begin anew");
}

// An empty object where there is no file.
Result<Json> readAll(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        if (::access(path.c_str(), F_OK) == 0)
            return makeError(ErrorKind::Io, "cannot read " + path);
        return Json::object();
    }
    std::ostringstream text;
    text << in.rdbuf();
    Json json = Json::parse(text.str(), nullptr, false);
    if (!json.is_object())
        return notUnderstood(path);
    return json;
}

Status writeAll(const std::string& path, const std::string& text)
{
    const std::string fresh = path + ".new";
    {
        const OwnedFd file(
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file.get() < 0)
            return failedFile(fresh, "cannot write");
        if (!writeWhole(file.get(), text))
            return failedFile(fresh, "cannot write");
        if (::fsync(file.get()) != 0)
            return failedFile(fresh, "cannot sync");
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0)
        return failedFile(path, "cannot replace");
    if (!syncFolder(folderOfFile(path)))
        return failedFile(folderOfFile(path), "cannot sync the folder");
    return {};
}

Json jsonOf(const Remembered& seen)
{
    return {{"entries", seen.seq}, {"head", hex(seen.head.view())}, {"checkpoint", seen.checkpoint},
        {"checkpoint_hash", hex(seen.checkpointHash.view())}, {"time", seen.at}};
}

std::optional<Remembered> parse(const Json& json)
{
    if (!json.is_object())
        return std::nullopt;
    const auto number = [&](const char* name) {
        const auto at = json.find(name);
        return at != json.end() && at->is_number_integer() ? std::optional(at->get<std::int64_t>())
                                                           : std::nullopt;
    };
    const auto digest = [&](const char* name) {
        const auto at = json.find(name);
        return at != json.end() && at->is_string() ? parseDigest(at->get<std::string>()) : std::nullopt;
    };
    const auto seq = number("entries"), checkpoint = number("checkpoint"), at = number("time");
    const auto head = digest("head"), hash = digest("checkpoint_hash");
    if (!seq || !checkpoint || !at || !head || !hash)
        return std::nullopt;
    return Remembered{
        static_cast<std::uint64_t>(*seq), *head, static_cast<std::uint64_t>(*checkpoint), *hash, *at};
}

std::string fromClient(const Remembered& seen)
{
    return "what this client verified on " + formatInstant(seen.at);
}

Found rewritten(Damage kind, const char* chain, std::uint64_t number, const std::string& text)
{
    return {kind, chain, number, std::string(chain) + ": " + text};
}

// What was remembered itself: is it still there, as it was?
Result<std::optional<Found>> compare(StoreReader& store, const Remembered& seen)
{
    if (seen.seq > 0) {
        CAIRN_TRY_ASSIGN(const auto rows, store.audit(seen.seq - 1, 1));
        const bool there = !rows.empty() && rows.front().seq == seen.seq;
        const std::string name = "entry " + std::to_string(seen.seq);
        if (!there)
            return std::optional(rewritten(Damage::CutAtEnd, "audit", seen.seq,
                name + ", the newest of " + fromClient(seen) + ", is gone"));
        if (rows.front().hash != seen.head)
            return std::optional(rewritten(
                Damage::ReplacedTail, "audit", seen.seq, name + " is not the one in " + fromClient(seen)));
    }
    if (seen.checkpoint > 0) {
        CAIRN_TRY_ASSIGN(const auto rows, store.checkpoints(seen.checkpoint - 1, 1));
        const std::string name = "checkpoint " + std::to_string(seen.checkpoint);
        if (rows.empty() || rows.front().number != seen.checkpoint)
            return std::optional(rewritten(Damage::CutAtEnd, "checkpoints", seen.checkpoint,
                name + ", the newest of " + fromClient(seen) + ", is gone"));
        if (checkpointHash(rows.front()) != seen.checkpointHash)
            return std::optional(rewritten(Damage::ReplacedTail, "checkpoints", seen.checkpoint,
                name + " is not the one in " + fromClient(seen)));
    }
    return std::optional<Found>();
}

}  // namespace

std::string KnownHeads::usualPath()
{
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/')
        return std::string(state) + "/cairn/heads.json";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/')
        return std::string(home) + "/.local/state/cairn/heads.json";
    return {};
}

Result<std::optional<Remembered>> KnownHeads::find(const UuidBytes& store) const
{
    CAIRN_TRY_ASSIGN(const Json json, readAll(m_path));
    const auto at = json.find(uuidText(store));
    if (at == json.end())
        return std::optional<Remembered>();
    auto seen = parse(*at);
    if (!seen)
        return notUnderstood(m_path);
    return seen;
}

Status KnownHeads::change(const UuidBytes& store, const Remembered* seen)
{
    CAIRN_TRY(makeFolder(folderOfFile(m_path)));
    const std::string lockPath = m_path + ".lock";
    const OwnedFd lock(::open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.get() < 0)
        return failedFile(lockPath, "cannot make");
    while (::flock(lock.get(), LOCK_EX) != 0)
        if (errno != EINTR)
            return failedFile(lockPath, "cannot lock");
    CAIRN_TRY_ASSIGN(Json json, readAll(m_path));
    if (seen == nullptr)
        json.erase(uuidText(store));
    else
        json[uuidText(store)] = jsonOf(*seen);
    return writeAll(m_path, json.dump(2) + "\n");
}

Status KnownHeads::remember(const UuidBytes& store, const Remembered& seen) { return change(store, &seen); }

Status KnownHeads::forget(const UuidBytes& store) { return change(store, nullptr); }

void askRemembered(const Remembered& seen, Questions& questions)
{
    if (seen.seq > 0)
        questions.heads.push_back({fromClient(seen), seen.seq, seen.head});
    if (seen.checkpoint > 0)
        questions.checkpoints.push_back({fromClient(seen), seen.checkpoint, seen.checkpointHash});
}

Result<std::optional<Found>> rewrittenSince(StoreReader& store, const KnownHeads& heads)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const auto seen, heads.find(info.id));
    return compare(store, seen.value_or(Remembered{}));
}

Result<HeadAnswer> checkKnownHead(StoreReader& store, KnownHeads& heads)
{
    HeadAnswer answer;
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const auto seen, heads.find(info.id));
    answer.known = seen.has_value();
    const Remembered from = seen.value_or(Remembered{});
    CAIRN_TRY_ASSIGN(answer.found, compare(store, from));
    if (answer.found)
        return answer;
    CAIRN_TRY_ASSIGN(const auto walk, walkAudit(store, from.seq, from.head, {}));
    CAIRN_TRY_ASSIGN(const auto newest, store.newestCheckpoint());
    CAIRN_TRY_ASSIGN(answer.now.at, store.now());
    answer.found = walk.found;
    answer.now.seq = walk.seq;
    answer.now.head = walk.head;
    if (newest) {
        answer.now.checkpoint = newest->number;
        answer.now.checkpointHash = checkpointHash(*newest);
    }
    if (!answer.found)
        CAIRN_TRY(heads.remember(info.id, answer.now));
    return answer;
}

}  // namespace cairn::audit
