// Payloads: inline, in chunks, one and several at a time.

#include "tests/store/contract.h"

#include <algorithm>

namespace cairn::testing {

using Kind = MemberResult::Kind;

namespace {

std::string patternBytes(std::size_t size)
{
    std::string bytes(size, '\0');
    SeededRng rng(size);
    rng.fill(bytes.data(), bytes.size());
    return bytes;
}

PayloadRow staged(StoreWriter& store, const std::string& name, const std::string& bytes)
{
    PayloadRow row = inlinePayload(name, {});
    row.artifact = idOf<ArtifactId>("artifact " + name);
    row.ref.size = bytes.size();
    row.ref.hash = saltedDigest(row.salt, sha256(bytes));
    for (std::size_t at = 0; at < bytes.size(); at += kChunkSize)
        if (const auto status = store.stageChunk(row.artifact, static_cast<std::uint32_t>(at / kChunkSize),
                std::string_view(bytes).substr(at, kChunkSize));
            !status)
            qWarning("%s", errorLine(status.error()).c_str());
    return row;
}

}  // namespace

void ContractTest::payloadsInlineAndInChunks()
{
    const std::string large = patternBytes(3 * kChunkSize + 17);
    const std::string withNul("a\0b\x89PNG", 7);
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {inlinePayload("small", withNul, "application/octet-stream"),
        inlinePayload("empty", ""), staged(*m_store, "large", large),
        inlinePayload("limit", std::string(kInlineLimit, 'z'))};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    QCOMPARE(*m_store->payload(a.run, member.payloads[0].ref.id), withNul);
    QCOMPARE(*m_store->payload(a.run, member.payloads[1].ref.id), std::string());
    QVERIFY(*m_store->payload(a.run, member.payloads[2].ref.id) == large);
    QCOMPARE(m_store->payload(a.run, member.payloads[3].ref.id)->size(), kInlineLimit);
    const auto info = m_store->payloadInfo(a.run, member.payloads[2].ref.id);
    CAIRN_VERIFY_OK(info);
    QVERIFY(info->ref == member.payloads[2].ref);
    QVERIFY(info->salt == member.payloads[2].salt);
    QCOMPARE(info->artifact, member.payloads[2].artifact);
    QVERIFY(!info->redacted);
    QVERIFY(m_store->payloadInfo(a.run, member.payloads[0].ref.id)->artifact.isNull());
    CAIRN_VERIFY_ERROR(m_store->payload(a.run, idOf<PayloadId>("none")), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(m_store->payload(idOf<RunId>("none"), member.payloads[0].ref.id), ErrorKind::NotFound);
}

void ContractTest::severalPayloadsAtOnce()
{
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {inlinePayload("small", std::string("a\0b", 3), "application/octet-stream"),
        inlinePayload("empty", ""), staged(*m_store, "large", patternBytes(kInlineLimit + 1)),
        inlinePayload("limit", std::string(kInlineLimit, 'z'))};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    std::vector<PayloadId> ids{idOf<PayloadId>("none")};
    for (const PayloadRow& row : member.payloads)
        ids.push_back(row.ref.id);
    const auto check = [&](std::uint64_t upTo) {
        const auto found = m_store->payloads(a.run, ids, upTo);
        CAIRN_VERIFY_OK(found);
        QCOMPARE(found->size(), member.payloads.size());  // what is not there is left out
        for (const PayloadRow& row : member.payloads) {
            const auto each = std::find_if(found->begin(), found->end(),
                [&](const FoundPayload& one) { return one.info.ref.id == row.ref.id; });
            QVERIFY(each != found->end());
            QVERIFY(each->info.ref == row.ref);
            QVERIFY(each->info.salt == row.salt);
            QCOMPARE(each->info.artifact, row.artifact);
            QCOMPARE(each->bytes.has_value(), row.artifact.isNull() && row.ref.size <= upTo);
            QVERIFY(!each->bytes || *each->bytes == row.bytes);
        }
    };
    check(kInlineLimit);
    check(10);
    check(0);
    QVERIFY(m_store->payloads(a.run, {})->empty());
    QVERIFY(m_store->payloads(idOf<RunId>("none"), ids)->empty());
}

// As a store has them that was made from a redacted bundle: named, with hash and size, and without bytes.
void ContractTest::withheldPayloadsReadAsRedacted()
{
    Writer a("a");
    CommitMember member = a.create();
    PayloadRow kept = inlinePayload("kept", "here");
    PayloadRow left = inlinePayload("left", "somewhere else");
    left.bytes.clear();
    left.salt = {};
    left.redactedBy = kWithheldBy;
    member.payloads = {kept, left};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    const std::string text = "payload " + toText(left.ref.id)
        + " was redacted: the bundle that this store was made from does not have it";
    const auto bytes = m_store->payload(a.run, left.ref.id);
    CAIRN_VERIFY_ERROR(bytes, ErrorKind::Refused);
    QCOMPARE(bytes.error().text, text);
    const auto info = m_store->payloadInfo(a.run, left.ref.id);
    CAIRN_VERIFY_ERROR(info, ErrorKind::Refused);
    QCOMPARE(info.error().text, text);
    const PayloadId ids[] = {kept.ref.id, left.ref.id};
    const auto several = m_store->payloads(a.run, ids, 100);
    CAIRN_VERIFY_OK(several);
    QCOMPARE(several->size(), std::size_t{1});
    QCOMPARE(*several->front().bytes, std::string("here"));
    // With bytes it would be one that nobody checks.
    Writer b("b");
    CommitMember bad = b.create();
    left.bytes = "somewhere else";
    bad.payloads = {left};
    QVERIFY(commitOne(bad).kind == Kind::Failed);
}

void ContractTest::payloadRangesAreExact()
{
    const std::string large = patternBytes(2 * kChunkSize + 100);
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {staged(*m_store, "large", large), inlinePayload("small", "0123456789")};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    const PayloadId id = member.payloads[0].ref.id;
    struct Range {
        std::uint64_t offset, limit;
    };
    for (const Range& r :
        {Range{0, 10}, Range{kChunkSize - 5, 10}, Range{kChunkSize, kChunkSize}, Range{5, 2 * kChunkSize},
            Range{2 * kChunkSize, 1000}, Range{large.size() - 1, 5}, Range{0, large.size()}}) {
        const auto part = m_store->payload(a.run, id, r.offset, r.limit);
        CAIRN_VERIFY_OK(part);
        QVERIFY(*part == large.substr(r.offset, r.limit));
    }
    QCOMPARE(*m_store->payload(a.run, id, large.size(), 5), std::string());
    QCOMPARE(*m_store->payload(a.run, id, large.size() + 99, 5), std::string());
    QCOMPARE(*m_store->payload(a.run, member.payloads[1].ref.id, 3, 4), std::string("3456"));
    QCOMPARE(*m_store->payload(a.run, member.payloads[1].ref.id, 8, 40), std::string("89"));
}

void ContractTest::incompleteArtifactsAreRefused()
{
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {staged(*m_store, "p", std::string(kChunkSize + 5, 'x'))};
    member.payloads[0].ref.size += 1;
    MemberResult result = commitOne(member);
    QVERIFY(result.kind == Kind::Failed);
    QCOMPARE(result.error.kind, ErrorKind::InvalidInput);
    member.payloads = {inlinePayload("gap", "")};
    member.payloads[0].artifact = idOf<ArtifactId>("gap");
    member.payloads[0].ref.size = 4;
    CAIRN_VERIFY_OK(m_store->stageChunk(member.payloads[0].artifact, 0, "ab"));
    CAIRN_VERIFY_OK(m_store->stageChunk(member.payloads[0].artifact, 2, "cd"));
    result = commitOne(member);
    QVERIFY(result.kind == Kind::Failed);
    CAIRN_VERIFY_ERROR(m_store->hot(a.run), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(m_store->stageChunk(idOf<ArtifactId>("x"), 0, ""), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(m_store->stageChunk(idOf<ArtifactId>("x"), 256, "a"), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(m_store->stageChunk(idOf<ArtifactId>("x"), 0, std::string(kChunkSize + 1, 'x')),
        ErrorKind::InvalidInput);
}

void ContractTest::adoptedArtifactsCannotChange()
{
    Writer a("a");
    CommitMember member = a.create();
    const ArtifactId artifact = idOf<ArtifactId>("artifact p");
    CAIRN_VERIFY_OK(m_store->stageChunk(artifact, 0, "first try"));  // a repeated chunk replaces the first
    member.payloads = {staged(*m_store, "p", "content")};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    CAIRN_VERIFY_ERROR(m_store->stageChunk(artifact, 0, "changed"), ErrorKind::Refused);
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(*m_store->now() + 1000));
    QCOMPARE(*m_store->payload(a.run, member.payloads[0].ref.id), std::string("content"));
}

void ContractTest::unusedChunksAreDropped()
{
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {staged(*m_store, "p", "content")};
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(*m_store->now() - 60'000));
    CAIRN_VERIFY_OK(m_store->setClockOffset(3'600'000));
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(*m_store->now() - 60'000));
    QVERIFY(commitOne(member).kind == Kind::Failed);
}

// More than one batch of them, and an artifact without any chunk left.
void ContractTest::manyUnusedChunksAreDroppedAndUsedOnesStay()
{
    Writer a("a");
    CommitMember used = a.create();
    used.payloads = {staged(*m_store, "used", "content")};
    QVERIFY(commitOne(used).kind == Kind::Committed);
    a.committed(used);
    const auto large = idOf<ArtifactId>("large"), small = idOf<ArtifactId>("small");
    for (std::uint32_t i = 0; i < 20; ++i)
        CAIRN_VERIFY_OK(m_store->stageChunk(large, i, "chunk " + std::to_string(i)));
    CAIRN_VERIFY_OK(m_store->stageChunk(small, 0, "x"));
    CAIRN_VERIFY_OK(m_store->setClockOffset(3'600'000));
    const auto young = idOf<ArtifactId>("young");
    CAIRN_VERIFY_OK(m_store->stageChunk(young, 0, "y"));
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(*m_store->now() - 60'000));
    QCOMPARE(*m_store->payload(a.run, used.payloads[0].ref.id), std::string("content"));
    const auto commits = [&](const char* name, const ArtifactId& artifact, std::uint64_t size) {
        CommitMember member = a.next(name);
        PayloadRow row = used.payloads[0];
        row.ref.id = idOf<PayloadId>(name);
        row.ref.size = size;
        row.artifact = artifact;
        member.payloads = {row};
        return commitOne(member).kind;
    };
    QVERIFY(commits("small", small, 1) == Kind::Failed);
    QVERIFY(commits("large", large, 10 * 7 + 10 * 8) == Kind::Failed);
    QVERIFY(commits("young", young, 1) == Kind::Committed);
    QVERIFY(m_store->check(true)->empty());
}

}  // namespace cairn::testing
