#include "tests/store/contract.h"

#include <algorithm>

namespace cairn::testing {

namespace {

CheckpointRow checkpoint(std::uint64_t number, std::uint32_t runs)
{
    CheckpointRow row;
    row.number = number;
    row.store = idOf<RunId>("store").bytes;
    row.time = 1'790'000'000'000 + static_cast<TimeMs>(number);
    row.auditSeq = 7;
    row.auditHead = sha256("audit");
    row.runs = runs;
    row.runHeads = sha256("heads");
    row.previous = number == 1 ? Digest{} : sha256("previous");
    row.key.bytes.fill(3);
    row.signature.bytes.fill(5);
    row.login = "somebody";
    return row;
}

RunHead headOf(const Writer& writer) { return {writer.run, writer.version, writer.head}; }

std::vector<RunHead> sorted(std::vector<RunHead> heads)
{
    std::sort(heads.begin(), heads.end(), [](const RunHead& a, const RunHead& b) { return a.run < b.run; });
    return heads;
}

}  // namespace

void ContractTest::checkpointsComeBackAsWritten()
{
    QVERIFY(!m_store->newestCheckpoint()->has_value());
    Writer a("a"), b("b");
    CommitMember first = a.create();
    commitOne(first);
    a.committed(first);
    CommitMember other = b.create();
    commitOne(other);
    b.committed(other);
    const auto heads = sorted({headOf(a), headOf(b)});
    CAIRN_VERIFY_OK(m_store->appendCheckpoint(checkpoint(1, 2), heads));
    CAIRN_VERIFY_OK(m_store->appendCheckpoint(checkpoint(2, 0), {}));
    const auto rows = m_store->checkpoints(0, 10);
    QCOMPARE(rows->size(), std::size_t{2});
    const CheckpointRow& row = rows->front();
    const CheckpointRow wanted = checkpoint(1, 2);
    QCOMPARE(row.number, wanted.number);
    QVERIFY(row.store == wanted.store);
    QCOMPARE(row.time, wanted.time);
    QCOMPARE(row.auditSeq, wanted.auditSeq);
    QCOMPARE(row.auditHead, wanted.auditHead);
    QCOMPARE(row.runs, wanted.runs);
    QCOMPARE(row.runHeads, wanted.runHeads);
    QVERIFY(row.previous.isNull());
    QVERIFY(row.key == wanted.key && row.signature == wanted.signature);
    QVERIFY(!row.login.empty());
    QCOMPARE(rows->back().previous, sha256("previous"));
    QCOMPARE((*m_store->newestCheckpoint())->number, std::uint64_t{2});
    QCOMPARE(m_store->checkpoints(1, 10)->size(), std::size_t{1});
    const auto covered = m_store->coveredHeads(1);
    QCOMPARE(covered->size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY((*covered)[i].signedHead == heads[i]);
        QCOMPARE((*covered)[i].stored, heads[i].head);
        QCOMPARE((*covered)[i].deletedAt, std::uint64_t{0});
    }
    QVERIFY(m_store->coveredHeads(2)->empty());
}

void ContractTest::aCheckpointFollowsTheNewest()
{
    CAIRN_VERIFY_ERROR(m_store->appendCheckpoint(checkpoint(2, 0), {}), ErrorKind::Conflict);
    CAIRN_VERIFY_OK(m_store->appendCheckpoint(checkpoint(1, 0), {}));
    CAIRN_VERIFY_ERROR(m_store->appendCheckpoint(checkpoint(1, 0), {}), ErrorKind::Conflict);
    CAIRN_VERIFY_ERROR(m_store->appendCheckpoint(checkpoint(2, 1), {}), ErrorKind::InvalidInput);
    const RunHead twice{idOf<RunId>("x"), 1, sha256("x")};
    CAIRN_VERIFY_ERROR(
        m_store->appendCheckpoint(checkpoint(2, 2), std::vector{twice, twice}), ErrorKind::InvalidInput);
    QCOMPARE(m_store->checkpoints(0, 10)->size(), std::size_t{1});
    CAIRN_VERIFY_OK(m_store->appendCheckpoint(checkpoint(2, 0), {}));
}

void ContractTest::headsOfRunsSayWhatIsCovered()
{
    Writer a("a"), b("b");
    for (Writer* writer : {&a, &b}) {
        const CommitMember member = writer->create();
        commitOne(member);
        writer->committed(member);
    }
    CAIRN_VERIFY_OK(m_store->appendCheckpoint(checkpoint(1, 1), std::vector{headOf(a)}));
    const RunHead signedHead = headOf(a);
    const CommitMember more = a.next("more");
    commitOne(more);
    a.committed(more);
    const auto all = m_store->runHeads({}, 10);
    QCOMPARE(all->size(), std::size_t{2});
    for (const OpenHead& open : *all) {
        const bool isA = open.now.run == a.run;
        QVERIFY(open.now == headOf(isA ? a : b));
        QCOMPARE(open.covered, std::uint64_t{isA ? 1U : 0U});
        QCOMPARE(open.coveredHead, isA ? signedHead.head : Digest{});
    }
    const auto first = m_store->runHeads({}, 1);
    QCOMPARE(first->size(), std::size_t{1});
    QVERIFY(first->front().now == all->front().now);
    QVERIFY(m_store->runHeads(first->front().now.run, 10)->front().now == all->back().now);
    QVERIFY(m_store->runHeads(all->back().now.run, 10)->empty());
}

void ContractTest::entriesOfAllRunsAreReadInOrder()
{
    Writer a("a"), b("b");
    for (Writer* writer : {&a, &b})
        for (int i = 0; i < 3; ++i) {
            const CommitMember member = i == 0 ? writer->create() : writer->next(std::to_string(i));
            commitOne(member);
            writer->committed(member);
        }
    std::vector<std::pair<RunId, std::uint64_t>> seen;
    ChainPlace at;
    for (std::size_t read = 1; read > 0;) {
        const auto page = m_store->eachEntry(at, 2, [&](const RunId& run, const SealedEntry& entry) {
            at = {run, entry.version};
            seen.emplace_back(run, entry.version);
            QVERIFY(entry.body == m_store->loadRun(run, entry.version, entry.version)->entries.front().body);
        });
        QVERIFY(page);
        read = *page;
    }
    QCOMPARE(seen.size(), std::size_t{6});
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    // In whatever order: each once.
    std::vector<std::pair<RunId, std::uint64_t>> scanned;
    ScanPlace place;
    for (std::size_t read = 1; read > 0;) {
        const auto page = m_store->scanEntries(place, 2,
            [&](const RunId& run, const SealedEntry& entry) { scanned.emplace_back(run, entry.version); });
        QVERIFY(page);
        read = *page;
    }
    std::sort(scanned.begin(), scanned.end());
    QVERIFY(scanned == seen);
}

void ContractTest::theAuditsEndIsTold()
{
    QCOMPARE(m_store->auditEnd()->seq, std::uint64_t{0});
    QVERIFY(m_store->auditEnd()->hash.isNull());
    AuditRow row;
    row.kind = "applied";
    row.reason = "x";
    QCOMPARE(*m_store->appendAudit(row), std::uint64_t{1});
    QCOMPARE(*m_store->appendAudit(row), std::uint64_t{2});
    const auto end = m_store->auditEnd();
    QCOMPARE(end->seq, std::uint64_t{2});
    QCOMPARE(end->hash, m_store->audit(1, 1)->front().hash);
    QVERIFY(end->toldSeq == 0 || (end->toldSeq == 2 && end->toldHash == end->hash));
}

}  // namespace cairn::testing
