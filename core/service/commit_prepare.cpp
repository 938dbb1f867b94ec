#include "core/service/commit_prepare.h"

#include "core/base/failpoint.h"
#include "core/service/reads.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr int kBusyTries = 4;  // each has waited the store's own 5 s before
constexpr int kUnknownTries = 8;
constexpr SpanMs kFirstPause = 10;
constexpr SpanMs kLongestPause = 2'000;

Status commitOnce(StoreWriter& writer, std::vector<CommitMember>& members, std::vector<MemberResult>& results)
{
    if (failpoint::hit("queue.before-commit"))
        return makeError(ErrorKind::Io, "failpoint queue.before-commit");
    CAIRN_TRY(writer.commit(members, results));
    if (failpoint::hit("queue.after-commit"))
        return makeError(ErrorKind::OutcomeUnknown, "failpoint queue.after-commit");
    if (results.size() != members.size())
        return makeError(ErrorKind::Internal,
            "the store answered " + std::to_string(results.size()) + " of " + std::to_string(members.size())
                + " commits");
    return {};
}

}  // namespace

namespace {

// A mebibyte at a time. What the copy holds must fit its hash, as all that comes from a caller must.
Status copyArtifact(StoreWriter& writer, const PayloadRow& payload)
{
    Sha256 hash;
    std::uint32_t index = 0;
    for (std::uint64_t at = 0; at < payload.ref.size; at += kChunkSize) {
        CAIRN_TRY_ASSIGN(
            const std::string chunk, writer.payload(payload.copyFrom, payload.copyOf, at, kChunkSize));
        hash.update(chunk);
        CAIRN_TRY(writer.stageChunk(payload.artifact, index++, chunk));
    }
    if (saltedDigest(payload.salt, hash.finish()) != payload.ref.hash)
        return makeError(ErrorKind::Corrupt,
            "payload " + toText(payload.copyOf) + " of run " + toText(payload.copyFrom)
                + " does not fit its hash");
    return {};
}

// Copies of another run's payloads: artifacts one after the other, inline ones read a page at a time.
Status copyPayloads(StoreWriter& writer, CommitMember& member)
{
    std::vector<WantedPayload> small;
    for (PayloadRow& payload : member.payloads) {
        if (payload.copyOf.isNull())
            continue;
        if (payload.artifact.isNull())
            small.push_back({payload.copyFrom, payload.copyOf, payload.ref.size});
        else
            CAIRN_TRY(copyArtifact(writer, payload));
    }
    ReadPayloads read;
    CAIRN_TRY(readPayloads(writer, small, read));
    for (PayloadRow& payload : member.payloads) {
        if (payload.copyOf.isNull())
            continue;
        if (payload.artifact.isNull()) {
            const ReadPayload& found = read.at(payload.copyOf);
            if (!found.bytes)
                return *found.error;
            payload.bytes = *found.bytes;
        }
        payload.copyFrom = {};
        payload.copyOf = {};
    }
    return {};
}

}  // namespace

Status stagePayloads(StoreWriter& writer, CommitMember& member)
{
    CAIRN_TRY(copyPayloads(writer, member));
    for (PayloadRow& payload : member.payloads) {
        if (payload.artifact.isNull() || payload.bytes.empty())
            continue;
        std::uint32_t index = 0;
        for (std::size_t at = 0; at < payload.bytes.size(); at += kChunkSize)
            CAIRN_TRY(writer.stageChunk(
                payload.artifact, index++, std::string_view(payload.bytes).substr(at, kChunkSize)));
        payload.bytes.clear();
    }
    return {};
}

Status commitGroup(StoreWriter& writer, std::vector<CommitMember>& members,
    std::vector<MemberResult>& results, const std::function<bool(SpanMs)>& pause)
{
    int busy = 0;
    int unknown = 0;
    SpanMs wait = kFirstPause;
    for (;;) {
        results.clear();
        auto status = commitOnce(writer, members, results);
        if (status)
            return {};
        const ErrorKind kind = status.error().kind;
        const bool again = (kind == ErrorKind::Busy && ++busy < kBusyTries)
            || (kind == ErrorKind::OutcomeUnknown && ++unknown < kUnknownTries)
            // A lost connection after a lost answer: whether the group is there is still to be found out.
            || (unknown > 0 && kind == ErrorKind::Disconnected && ++unknown < kUnknownTries);
        if (!again || !pause(wait)) {
            if (unknown > 0 && kind != ErrorKind::OutcomeUnknown)
                return makeError(ErrorKind::OutcomeUnknown, status.error().text, status.error().native);
            return status;
        }
        wait = std::min(wait * 3, kLongestPause);
    }
}

}  // namespace cairn
