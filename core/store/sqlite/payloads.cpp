#include "core/store/sqlite/store_impl.h"

#include <algorithm>

namespace cairn::sqlite {

Result<PayloadInfo> SqliteStore::payloadInfo(const RunId& run, const PayloadId& payload)
{
    Query query(db(), Sql::PayloadInfo);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(run, payload).step());
    if (!found) {
        CAIRN_TRY_ASSIGN(const auto stone, tombstone(run));
        return stone
            ? makeError(ErrorKind::Refused, removedText(*stone))
            : makeError(ErrorKind::NotFound, "run " + toText(run) + " has no payload " + toText(payload));
    }
    PayloadInfo info;
    std::int64_t act = 0;
    query.read(info.ref.id, info.ref.hash, info.ref.size, info.ref.media, info.salt, info.artifact, act);
    info.redacted = act != 0;
    if (info.redacted)
        return redactedError(payload, act);
    return info;
}

// Chunks one by one, each checked against its own digest; a read of the whole also against the payload's
// hash.
Result<std::string> SqliteStore::artifactSlice(
    const PayloadInfo& info, const std::string& where, std::uint64_t offset, std::uint64_t limit)
{
    const std::uint64_t size = info.ref.size;
    const std::uint64_t end = offset + std::min(limit, size - std::min(offset, size));
    const bool whole = offset == 0 && end == size;
    std::string out;
    Sha256 hash;
    for (auto index = static_cast<std::uint32_t>(offset / kChunkSize); index * kChunkSize < end; ++index) {
        const std::string damaged = where + " is damaged in chunk " + std::to_string(index);
        ChunkRow row{info.artifact, index, {}, 0, {}};
        {
            Query query(db(), Sql::Chunk);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(info.artifact, index).step());
            if (!found)
                return makeError(ErrorKind::Corrupt, damaged);
            query.read(row.digest, row.size, row.stored);
        }
        CAIRN_TRY_ASSIGN(const std::string bytes, chunkBytes(std::move(row), damaged));
        if (whole)
            hash.update(bytes);
        const std::uint64_t begin = index * kChunkSize;
        const std::uint64_t from = std::max(offset, begin) - begin;
        const std::uint64_t to = std::min<std::uint64_t>(end - begin, bytes.size());
        if (from < to)
            out.append(bytes, from, to - from);
    }
    if (out.size() != end - offset || (whole && saltedDigest(info.salt, hash.finish()) != info.ref.hash))
        return makeError(ErrorKind::Corrupt, where + " does not fit its hash");
    return out;
}

Result<std::string> SqliteStore::payload(
    const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit)
{
    CAIRN_TRY_ASSIGN(const PayloadInfo info, payloadInfo(run, payload));
    const std::string where = "payload " + toText(payload) + " of run " + toText(run);
    if (!info.artifact.isNull())
        return offset >= info.ref.size ? Result<std::string>(std::string())
                                       : artifactSlice(info, where, offset, limit);
    std::string bytes;
    {
        Query query(db(), Sql::PayloadBytes);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(run, payload).step());
        if (found)
            query.read(bytes);
    }
    // Inline bytes are read whole anyway, so they are always checked.
    if (bytes.size() != info.ref.size || saltedDigest(info.salt, sha256(bytes)) != info.ref.hash)
        return makeError(ErrorKind::Corrupt, where + " does not fit its hash");
    if (offset >= bytes.size())
        return std::string();
    return offset == 0 && limit >= bytes.size() ? bytes : bytes.substr(offset, limit);
}

Result<std::vector<FoundPayload>> SqliteStore::payloads(
    const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo)
{
    std::vector<FoundPayload> out;
    out.reserve(ids.size());
    for (const PayloadId& id : ids) {
        Query query(db(), Sql::InfoAndBytes);
        CAIRN_TRY_ASSIGN(const bool there, query.bind(inlineUpTo, run, id).step());
        if (!there)
            continue;
        FoundPayload found;
        PayloadInfo& info = found.info;
        std::uint64_t act = 0;
        std::string bytes;
        query.read(
            info.ref.id, info.ref.hash, info.ref.size, info.ref.media, info.salt, info.artifact, act, bytes);
        if (act != 0)
            continue;
        CAIRN_TRY(checkFound(found, std::move(bytes), run, inlineUpTo));
        out.push_back(std::move(found));
    }
    return out;
}

Result<std::vector<PayloadInfo>> SqliteStore::redactedPayloads(const RunId& run)
{
    Query query(db(), Sql::RedactedPayloads);
    query.bind(run);
    return readAll<PayloadInfo>(query, [](Query& q, PayloadInfo& i) {
        q.read(i.ref.id, i.ref.hash, i.ref.size, i.ref.media, i.by);
        i.redacted = true;
    });
}

}  // namespace cairn::sqlite
