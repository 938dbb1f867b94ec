#include "core/store/postgres/store_impl.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

Error hidden(Error error, const RunId& run, const PayloadId& payload)
{
    if (error.kind == ErrorKind::NoRight)
        error.text = "your role may not read payloads: payload " + toText(payload) + " of run " + toText(run)
            + " is for operators, approvers, auditors and engines";
    return error;
}

}  // namespace

Result<PayloadInfo> PostgresStore::payloadInfo(const RunId& run, const PayloadId& payload)
{
    std::int64_t act = 0;
    auto found = readAll<PayloadInfo>(
        Sql::PayloadInfo,
        [&](Rows& q, PayloadInfo& i) {
            q.read(i.ref.id, i.ref.hash, i.ref.size, i.ref.media, i.salt, i.artifact, act);
            i.redacted = act != 0;
        },
        run, payload);
    if (!found)
        return hidden(std::move(found).error(), run, payload);
    if (found->empty()) {
        CAIRN_TRY_ASSIGN(const auto stone, tombstone(run));
        return stone
            ? makeError(ErrorKind::Refused, removedText(*stone))
            : makeError(ErrorKind::NotFound, "run " + toText(run) + " has no payload " + toText(payload));
    }
    if (found->front().redacted)
        return redactedError(payload, act);
    return std::move(found->front());
}

Result<std::vector<PayloadInfo>> PostgresStore::redactedPayloads(const RunId& run)
{
    return readAll<PayloadInfo>(
        Sql::RedactedPayloads,
        [](Rows& q, PayloadInfo& i) {
            q.read(i.ref.id, i.ref.hash, i.ref.size, i.ref.media, i.by);
            i.redacted = true;
        },
        run);
}

// Chunks one by one, each checked against its own digest; a read of the whole also against the payload's
// hash.
Result<std::string> PostgresStore::artifactSlice(
    const PayloadInfo& info, const std::string& where, std::uint64_t offset, std::uint64_t limit)
{
    const std::uint64_t size = info.ref.size;
    const std::uint64_t end = offset + std::min(limit, size - std::min(offset, size));
    const bool whole = offset == 0 && end == size;
    std::string out;
    Sha256 hash;
    for (auto index = static_cast<std::uint32_t>(offset / kChunkSize); index * kChunkSize < end; ++index) {
        const std::string damaged = where + " is damaged in chunk " + std::to_string(index);
        CAIRN_TRY_ASSIGN(auto found,
            readAll<ChunkRow>(
                Sql::Chunk, [](Rows& q, ChunkRow& r) { q.read(r.digest, r.size, r.stored); }, info.artifact,
                index));
        if (found.empty())
            return makeError(ErrorKind::Corrupt, damaged);
        found.front().artifact = info.artifact;
        found.front().index = index;
        CAIRN_TRY_ASSIGN(const std::string bytes, chunkBytes(std::move(found.front()), damaged));
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

Result<std::string> PostgresStore::payload(
    const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit)
{
    CAIRN_TRY_ASSIGN(const PayloadInfo info, payloadInfo(run, payload));
    const std::string where = "payload " + toText(payload) + " of run " + toText(run);
    if (!info.artifact.isNull())
        return offset >= info.ref.size ? Result<std::string>(std::string())
                                       : artifactSlice(info, where, offset, limit);
    CAIRN_TRY_ASSIGN(auto found,
        readAll<std::string>(
            Sql::PayloadBytes, [](Rows& q, std::string& inlined) { q.read(inlined); }, run, payload));
    const std::string bytes = found.empty() ? std::string() : std::move(found.front());
    // Inline bytes are read whole anyway, so they are always checked.
    if (bytes.size() != info.ref.size || saltedDigest(info.salt, sha256(bytes)) != info.ref.hash)
        return makeError(ErrorKind::Corrupt, where + " does not fit its hash");
    if (offset >= bytes.size())
        return std::string();
    return offset == 0 && limit >= bytes.size() ? bytes : bytes.substr(offset, limit);
}

Result<std::vector<FoundPayload>> PostgresStore::payloads(
    const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo)
{
    std::vector<FoundPayload> out;
    if (ids.empty())
        return out;
    struct Row {
        FoundPayload found;
        std::uint64_t act = 0;
        std::string bytes;
    };
    auto rows = readAll<Row>(
        Sql::InfosAndBytes,
        [](Rows& q, Row& row) {
            PayloadInfo& i = row.found.info;
            q.read(i.ref.id, i.ref.hash, i.ref.size, i.ref.media, i.salt, i.artifact, row.act, row.bytes);
        },
        run, Column::of(Type::Uuid, ids), inlineUpTo);
    if (!rows)
        return hidden(std::move(rows).error(), run, ids.front());
    out.reserve(rows->size());
    for (Row& row : *rows) {
        if (row.act != 0)
            continue;
        CAIRN_TRY(checkFound(row.found, std::move(row.bytes), run, inlineUpTo));
        out.push_back(std::move(row.found));
    }
    return out;
}

}  // namespace cairn::postgres
