#include "core/base/failpoint.h"
#include "tests/store/sqlite_fixture.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

using namespace cairn;
using namespace cairn::testing;

// Two writers, a full disk, a large payload, a backup: the store as its users meet it.
class BusyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure(""); }
    void twoWritersLoseNothing();
    void aReaderThatWantsToWriteGets517AtOnce();
    void aHeldLockIsWaitedForFiveSecondsInAll();
    void noWriterStarvesBesideTwoThatSaturate();
    void aLongGroupIsSplit();
    void aFullStoreStopsAndGoesOn();
    void aFailpointBeforeCommitLeavesNothing();
    void twentyMegabytesInAndOut();
    void aDamagedChunkIsFound();
    void aBackupIsSoundAndPrivate();
    void interruptEndsALongRead();
};

void BusyTest::twoWritersLoseNothing()
{
    Folder folder;
    folder.init();
    constexpr int kEach = 300;
    std::atomic<int> failures{0};
    {
        std::jthread threads[2];
        for (int t = 0; t < 2; ++t)
            threads[t] = std::jthread([&, t] {
                const auto store = folder.open();
                for (int i = 0; i < kEach; ++i) {
                    Writer writer(std::to_string(t) + "/" + std::to_string(i));
                    CommitMember first = writer.create();
                    first.audit = AuditRow{};
                    first.list = writer.listRow();
                    if (!committed(*store, writer, first))
                        ++failures;
                }
            });
    }
    QCOMPARE(failures.load(), 0);
    const auto store = folder.open();
    QCOMPARE(*store->count({}), std::uint64_t{2 * kEach});
    QCOMPARE(store->audit(0, 10'000)->size(), std::size_t{2 * kEach});
    QVERIFY(store->check(true)->empty());
}

// The trap that BEGIN IMMEDIATE avoids: no waiting helps a reader whose snapshot has grown old
// (SQLITE_BUSY_SNAPSHOT).
void BusyTest::aReaderThatWantsToWriteGets517AtOnce()
{
    Folder folder;
    folder.init();
    const auto connection = sqlite::Connection::open(folder.path, sqlite::OpenFor::Writing, {});
    sqlite::Db& db = (*connection)->db();
    CAIRN_VERIFY_OK(db.exec("BEGIN; SELECT count(*) FROM runs"));
    Writer writer("a");
    QVERIFY(committed(*folder.open(), writer, writer.create()));
    const auto began = std::chrono::steady_clock::now();
    const Status status = db.exec("INSERT INTO wakeups VALUES(x'01', x'02')");
    QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(500));
    CAIRN_VERIFY_ERROR(status, ErrorKind::Busy);
    QCOMPARE(status.error().native, SQLITE_BUSY_SNAPSHOT);
    CAIRN_VERIFY_OK(db.exec("ROLLBACK"));
    QVERIFY(committed(*folder.open(), writer, writer.next("x")));
}

void BusyTest::aHeldLockIsWaitedForFiveSecondsInAll()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    Writer writer("a");
    QVERIFY(committed(*store, writer, writer.create()));
    const RawDb holder(folder.path);
    QVERIFY(holder.exec("BEGIN IMMEDIATE").empty());
    const auto began = std::chrono::steady_clock::now();
    CAIRN_VERIFY_ERROR(commitOne(*store, writer.next("x")), ErrorKind::Busy);
    const auto waited = std::chrono::steady_clock::now() - began;
    QVERIFY(waited >= std::chrono::milliseconds(4900));
    QVERIFY(waited < std::chrono::milliseconds(7000));
    QVERIFY(holder.exec("ROLLBACK").empty());
    QVERIFY(committed(*store, writer, writer.next("x")));
}

// Three that commit as fast as they can, two of them in groups as engines do, which are made before. Told in
// transactions and not in time: how many of the others' land while one waits. The figure in time is printed
// by tests/bench/bench_busy.
void BusyTest::noWriterStarvesBesideTwoThatSaturate()
{
    Folder folder;
    folder.init();
    constexpr int kGroups = 60;
    constexpr int kMembers = 100;
    std::vector<std::vector<CommitMember>> groups[2];
    for (int t = 0; t < 2; ++t)
        for (int g = 0; g < kGroups; ++g) {
            auto& group = groups[t].emplace_back();
            for (int i = 0; i < kMembers; ++i) {
                Writer writer(std::to_string(t) + "/" + std::to_string(g) + "/" + std::to_string(i));
                group.push_back(writer.create());
                group.back().list = writer.listRow();
            }
        }
    failpoint::configure("");  // counts hits
    const auto landed = [] { return failpoint::counts()["store.after_commit"]; };
    std::atomic<bool> stop{false};
    std::atomic<int> done[2]{};
    std::vector<std::uint64_t> waited;
    int seen[2]{};
    {
        std::vector<std::jthread> engines;
        for (int t = 0; t < 2; ++t)
            engines.emplace_back([&, t] {
                const auto store = folder.open();
                std::vector<MemberResult> results;
                for (const auto& group : groups[t])
                    if (!stop && store->commit(group, results))
                        ++done[t];
            });
        const auto store = folder.open();
        while (done[0] == 0 || done[1] == 0)
            std::this_thread::yield();
        // Until one of them has nothing more to commit.
        while (done[0] < kGroups - 1 && done[1] < kGroups - 1) {
            Writer writer("console " + std::to_string(waited.size()));
            const CommitMember member = writer.create();
            const std::uint64_t before = landed();
            QVERIFY(committed(*store, writer, member));
            waited.push_back(landed() - before - 1);
        }
        seen[0] = done[0];
        seen[1] = done[1];
        stop = true;
    }
    std::sort(waited.begin(), waited.end());
    qInfo("%d commits of a console; transactions of others while one waits: median %d, most %d; groups %d "
          "and %d",
        int(waited.size()), int(waited[waited.size() / 2]), int(waited.back()), seen[0], seen[1]);
    QVERIFY2(waited.size() >= 20, "a console gets the lock as often as the others leave it");
    QVERIFY2(waited[waited.size() * 9 / 10] <= 10, "nine of ten get their turn among ten of the others'");
    const auto [fewer, more] = std::minmax(seen[0], seen[1]);
    QVERIFY2(fewer * 4 >= more, "neither of two that saturate keeps the other from the lock");
}

// A group that would hold the lock too long is committed in parts; each part is whole.
void BusyTest::aLongGroupIsSplit()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    std::vector<CommitMember> group;
    for (int i = 0; i < 3000; ++i) {
        Writer writer(std::to_string(i));
        group.push_back(writer.create());
        group.back().payloads = {inlinePayload(std::to_string(i), std::string(4000, 'x'))};
    }
    failpoint::configure("");  // counts hits
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(group, results));
    const auto parts = failpoint::counts().at("store.after_commit");
    qInfo("3000 members were committed in %d transactions", static_cast<int>(parts));
    QVERIFY(parts > 1);
    for (const MemberResult& result : results)
        QVERIFY(result.kind == MemberResult::Kind::Committed);

    // A part that fails gives its error to the members that are not committed, and to those only.
    Folder other;
    other.init();
    const auto second = other.open();
    QVERIFY(failpoint::configure("store.before_commit=error@2"));
    CAIRN_VERIFY_OK(second->commit(group, results));
    QVERIFY(results.front().kind == MemberResult::Kind::Committed);
    QVERIFY(results.back().kind == MemberResult::Kind::Failed);
    QCOMPARE(results.back().error.kind, ErrorKind::Io);
    for (std::size_t i = 0; i < group.size(); ++i)
        QCOMPARE(second->hot(group[i].run).has_value(), results[i].kind == MemberResult::Kind::Committed);
}

// SQLite rolls back by itself when the disk is full (C43): the cause must not be hidden by a failing
// ROLLBACK.
void BusyTest::aFullStoreStopsAndGoesOn()
{
    Folder folder;
    folder.init();
    auto connection = sqlite::Connection::open(folder.path, sqlite::OpenFor::Writing, {});
    CAIRN_VERIFY_OK(connection);
    sqlite::Db* db = &(*connection)->db();
    const auto store =
        std::make_unique<sqlite::SqliteStore>(*std::move(connection), StoreOptions{}, StoreInfo{});
    CAIRN_VERIFY_OK(store->remember());
    Writer small("small");
    QVERIFY(committed(*store, small, small.create()));
    CAIRN_VERIFY_OK(sqlite::pragma(*db, "PRAGMA max_page_count = 100"));
    int acknowledged = 0;
    Error error;
    for (int i = 0; i < 1000; ++i) {
        Writer writer(std::to_string(i));
        CommitMember first = writer.create();
        first.payloads = {inlinePayload(std::to_string(i), std::string(9000, 'x'))};
        const auto result = commitOne(*store, first);
        if (!result) {
            error = result.error();
            break;
        }
        QVERIFY(result->kind == MemberResult::Kind::Committed);
        ++acknowledged;
    }
    QVERIFY(acknowledged > 3);
    QCOMPARE(error.kind, ErrorKind::Full);
    QCOMPARE(error.native, SQLITE_FULL);
    QVERIFY2(error.text.find("full") != std::string::npos, error.text.c_str());
    QVERIFY(!db->inTransaction());
    QVERIFY(store->check(true)->empty());
    CAIRN_VERIFY_OK(sqlite::pragma(*db, "PRAGMA max_page_count = 100000"));  // space again
    Writer later("later");
    QVERIFY(committed(*store, later, later.create()));
    QCOMPARE(store->findRuns("", 10'000)->size(), std::size_t(acknowledged) + 2);
}

void BusyTest::aFailpointBeforeCommitLeavesNothing()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    Writer writer("a");
    QVERIFY(failpoint::configure("store.before_commit=error@1"));
    CAIRN_VERIFY_ERROR(commitOne(*store, writer.create()), ErrorKind::Io);
    CAIRN_VERIFY_ERROR(store->hot(writer.run), ErrorKind::NotFound);
    QVERIFY(committed(*store, writer, writer.create()));
}

void BusyTest::twentyMegabytesInAndOut()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    const std::size_t chunks = 20;
    const ArtifactId artifact = idOf<ArtifactId>("large");
    Sha256 hash;
    std::string chunk(kChunkSize, '\0');
    SeededRng rng(5);
    for (std::uint32_t i = 0; i < chunks; ++i) {
        rng.fill(chunk.data(), chunk.size());
        hash.update(chunk);
        CAIRN_VERIFY_OK(store->stageChunk(artifact, i, chunk));
    }
    Writer writer("a");
    CommitMember first = writer.create();
    PayloadRow row = inlinePayload("large", "");
    row.artifact = artifact;
    row.ref.size = chunks * kChunkSize;
    row.ref.hash = saltedDigest(row.salt, hash.finish());
    first.payloads = {row};
    QVERIFY(committed(*store, writer, first));
    SeededRng again(5);
    for (std::uint32_t i = 0; i < chunks; ++i) {  // read in parts: bounded memory
        again.fill(chunk.data(), chunk.size());
        const auto part = store->payload(writer.run, row.ref.id, i * kChunkSize, kChunkSize);
        CAIRN_VERIFY_OK(part);
        QVERIFY(*part == chunk);
    }
    QCOMPARE(store->payload(writer.run, row.ref.id)->size(), chunks * kChunkSize);
}

void BusyTest::aDamagedChunkIsFound()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    const ArtifactId artifact = idOf<ArtifactId>("a");
    const std::string bytes = std::string(kChunkSize, 'x') + "tail";
    CAIRN_VERIFY_OK(store->stageChunk(artifact, 0, bytes.substr(0, kChunkSize)));
    CAIRN_VERIFY_OK(store->stageChunk(artifact, 1, "tail"));
    Writer writer("a");
    CommitMember first = writer.create();
    PayloadRow row = inlinePayload("p", "");
    row.artifact = artifact;
    row.ref.size = bytes.size();
    row.ref.hash = saltedDigest(row.salt, sha256(bytes));
    first.payloads = {row, inlinePayload("small", "hello")};
    QVERIFY(committed(*store, writer, first));
    const RawDb raw(folder.path);
    QVERIFY(raw.exec("UPDATE artifact_chunks SET bytes = CAST('tall' AS BLOB) WHERE ix = 1").empty());
    const auto whole = store->payload(writer.run, row.ref.id);
    CAIRN_VERIFY_ERROR(whole, ErrorKind::Corrupt);
    QVERIFY(whole.error().text.find("chunk 1") != std::string::npos);
    CAIRN_VERIFY_OK(store->payload(writer.run, row.ref.id, 0, 100));
    // Chunks exchanged for one another are found too: the digest is bound to the place.
    QVERIFY(raw.exec("UPDATE artifact_chunks SET bytes = (SELECT bytes FROM artifact_chunks WHERE ix = 0), "
                     "digest = (SELECT "
                     "digest FROM artifact_chunks WHERE ix = 0) WHERE ix = 1")
                .empty());
    CAIRN_VERIFY_ERROR(store->payload(writer.run, row.ref.id, kChunkSize, 4), ErrorKind::Corrupt);
    QVERIFY(raw.exec("DROP TRIGGER payloads_no_change; UPDATE payloads SET bytes = CAST('hellO' AS BLOB) "
                     "WHERE bytes IS NOT NULL")
                .empty());
    CAIRN_VERIFY_ERROR(store->payload(writer.run, idOf<PayloadId>("payload small")), ErrorKind::Corrupt);
}

void BusyTest::aBackupIsSoundAndPrivate()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    Writer writer("a");
    QVERIFY(committed(*store, writer, writer.create()));
    const std::string copy = folder.scratch.file("copy.db");
    CAIRN_VERIFY_OK(store->backup(copy));
    QVERIFY(committed(*store, writer, writer.next("after the copy")));
    const auto opened = sqlite::openStore(copy, {});
    CAIRN_VERIFY_OK(opened);
    QCOMPARE((*opened)->hot(writer.run)->version, std::uint64_t{1});
    QVERIFY((*opened)->info()->id == store->info()->id);
    CAIRN_VERIFY_ERROR(store->backup(copy), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(store->backup(folder.scratch.file("no/such/folder.db")), ErrorKind::NotFound);
    const auto mode = std::filesystem::status(copy).permissions();
    QVERIFY(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

void BusyTest::interruptEndsALongRead()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    std::vector<CommitMember> group;
    for (int i = 0; i < 3000; ++i) {
        Writer writer(std::to_string(i));
        group.push_back(writer.create());
        group.back().list = writer.listRow();
    }
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(group, results));
    ListTerm term;
    term.errorContains.assign(200, std::string(200, 'q'));
    std::atomic<bool> done{false};
    std::jthread interrupting([&] {
        while (!done) {
            store->interrupt();
            std::this_thread::yield();
        }
    });
    bool cancelled = false;
    for (int i = 0; i < 200 && !cancelled; ++i) {
        const auto count = store->count({term});
        cancelled = !count && count.error().kind == ErrorKind::Cancelled;
    }
    done = true;
    interrupting.join();
    QVERIFY(cancelled);
    CAIRN_VERIFY_OK(store->count({term}));
}

QTEST_APPLESS_MAIN(BusyTest)
#include "tst_sqlite_busy.moc"
