// What a checkpoint covers, that each follows the one before, and that nothing broken is signed.
#include "core/audit/verify_audit.h"
#include "core/store/hooked_store.h"
#include "core/store/memory/memory_database.h"
#include "tests/audit/acts.h"

using namespace cairn;
using namespace cairn::testing;

class TestCheckpoint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void theFirstCoversAllRuns();
    void theNextCoversWhatWentOn();
    void oneIsMadeWhereNothingWentOn();
    void manyRunsTakeSeveral();
    void everyFieldIsSigned();
    void nothingBrokenIsSigned_data();
    void nothingBrokenIsSigned();
    void theLaterOfTwoBeginsAnew();
    void itIsDueByTheStoresClock();
    void aSoundStoreIsFoundSound();
    void enginesMayGoOnMeanwhile();
    void aRunMayBeDeletedMeanwhile();
    void whatCanBeDetectedIsSaid();

private:
    ManualClock m_clock;
    std::shared_ptr<MemoryDatabase> m_database;
    std::unique_ptr<StoreWriter> m_store;
    TestKey m_keyFile;
    SigningKey m_key = m_keyFile.get();
};

void TestCheckpoint::init()
{
    m_database = makeMemoryDatabase({"test", false, true}, m_clock, 7);
    m_store = connectMemory(m_database);
}

void TestCheckpoint::theFirstCoversAllRuns()
{
    Writer a("a"), b("b");
    addActs(*m_store, 3);
    for (Writer* writer : {&a, &a, &b})
        addEntry(*m_store, *writer);
    const auto made = audit::makeCheckpoint(*m_store, m_key, "t");
    QVERIFY(made);
    QCOMPARE(made->made, std::uint64_t{1});
    QCOMPARE(made->runs, std::uint64_t{2});
    const CheckpointRow& row = made->newest;
    QCOMPARE(row.number, std::uint64_t{1});
    QVERIFY(row.store == m_store->info()->id);
    QCOMPARE(row.auditSeq, std::uint64_t{3});
    QCOMPARE(row.auditHead, m_store->audit(2, 1)->front().hash);
    QVERIFY(row.previous.isNull());
    QVERIFY(row.key == m_key.publicKey());
    QVERIFY(audit::signatureHolds(row));
    const auto covered = m_store->coveredHeads(1);
    QVERIFY(covered);
    QCOMPARE(covered->size(), std::size_t{2});
    for (const CoveredHead& head : *covered) {
        const Writer& writer = head.signedHead.run == a.run ? a : b;
        QCOMPARE(head.signedHead.version, writer.version);
        QCOMPARE(head.signedHead.head, writer.head);
    }
}

void TestCheckpoint::theNextCoversWhatWentOn()
{
    Writer a("a"), b("b");
    addEntry(*m_store, a);
    addEntry(*m_store, b);
    const CheckpointRow first = mustSign(*m_store, m_key);
    addEntry(*m_store, b);
    addActs(*m_store, 2);
    const CheckpointRow second = mustSign(*m_store, m_key);
    QCOMPARE(second.number, std::uint64_t{2});
    QCOMPARE(second.previous, audit::checkpointHash(first));
    QCOMPARE(second.auditSeq, std::uint64_t{2});
    const auto heads = m_store->coveredHeads(2);
    QCOMPARE(heads->size(), std::size_t{1});
    QVERIFY(heads->front().signedHead.run == b.run);
    QCOMPARE(heads->front().signedHead.version, std::uint64_t{2});
}

void TestCheckpoint::oneIsMadeWhereNothingWentOn()
{
    const CheckpointRow first = mustSign(*m_store, m_key);
    QCOMPARE(first.runs, 0U);
    QCOMPARE(first.auditSeq, std::uint64_t{0});
    QCOMPARE(mustSign(*m_store, m_key).number, std::uint64_t{2});
}

void TestCheckpoint::manyRunsTakeSeveral()
{
    for (std::size_t i = 0; i < kCheckpointRuns + 5; ++i) {
        Writer run("r" + std::to_string(i));
        addEntry(*m_store, run);
    }
    const auto made = audit::makeCheckpoint(*m_store, m_key, "t");
    QVERIFY(made);
    QCOMPARE(made->made, std::uint64_t{2});
    QCOMPARE(made->runs, std::uint64_t{kCheckpointRuns + 5});
    QCOMPARE(made->newest.runs, 5U);
    const auto report = audit::verifyAudit(*m_store, {{m_key.publicKey()}, {}, {}});
    QVERIFY(report && report->found.empty());
    QCOMPARE(report->histories.uncovered, std::uint64_t{0});
    QCOMPARE(report->histories.runs, std::uint64_t{kCheckpointRuns + 5});
}

void TestCheckpoint::everyFieldIsSigned()
{
    addActs(*m_store, 1);
    const CheckpointRow row = mustSign(*m_store, m_key);
    const std::pair<const char*, std::function<void(CheckpointRow&)>> changes[] = {
        {"number", [](CheckpointRow& r) { ++r.number; }},
        {"store", [](CheckpointRow& r) { r.store[0] ^= 1; }}, {"time", [](CheckpointRow& r) { ++r.time; }},
        {"auditSeq", [](CheckpointRow& r) { ++r.auditSeq; }},
        {"auditHead", [](CheckpointRow& r) { r.auditHead.bytes[31] ^= 1; }},
        {"runs", [](CheckpointRow& r) { ++r.runs; }},
        {"runHeads", [](CheckpointRow& r) { r.runHeads.bytes[31] ^= 1; }},
        {"previous", [](CheckpointRow& r) { r.previous.bytes[31] ^= 1; }},
        {"key", [](CheckpointRow& r) { r.key.bytes[0] ^= 1; }},
        {"signature", [](CheckpointRow& r) { r.signature.bytes[0] ^= 1; }}};
    QVERIFY(audit::signatureHolds(row));
    for (const auto& [name, change] : changes) {
        CheckpointRow other = row;
        change(other);
        QVERIFY2(!audit::signatureHolds(other), name);
        QVERIFY2(audit::checkpointHash(other) != audit::checkpointHash(row), name);
    }
}

void TestCheckpoint::nothingBrokenIsSigned_data()
{
    QTest::addColumn<QString>("what");
    for (const char* what : {"audit", "signed audit", "entry", "signed head", "cut", "signature"})
        QTest::newRow(what) << QString::fromLatin1(what);
}

void TestCheckpoint::nothingBrokenIsSigned()
{
    QFETCH(QString, what);
    Writer a("a");
    addActs(*m_store, 2);
    addEntry(*m_store, a);
    addEntry(*m_store, a);
    mustSign(*m_store, m_key);
    addActs(*m_store, 2);
    addEntry(*m_store, a);
    addEntry(*m_store, a);
    MemoryRun& run = m_database->runs.at(a.run);
    if (what == QLatin1String("audit"))
        m_database->audit[2].reason = "another";
    else if (what == QLatin1String("signed audit"))
        m_database->audit[1].hash = sha256("another");
    else if (what == QLatin1String("entry"))
        run.entries[2].body.back() = static_cast<char>(run.entries[2].body.back() ^ 1);
    else if (what == QLatin1String("signed head"))
        m_database->covered[a.run].head = sha256("another");
    else if (what == QLatin1String("cut"))
        run.entries.pop_back();
    else
        m_database->checkpoints.back().row.signature.bytes[3] ^= 1;
    const auto made = audit::makeCheckpoint(*m_store, m_key, "t");
    QVERIFY(!made);
    QCOMPARE(made.error().kind, ErrorKind::Corrupt);
    QVERIFY2(made.error().text.find("not signed") != std::string::npos, made.error().text.c_str());
    QCOMPARE((*m_store->newestCheckpoint())->number, std::uint64_t{1});
}

namespace {

// Another signer comes first, once.
class Overtaken final : public HookedStore {
public:
    Overtaken(std::unique_ptr<StoreWriter> store, std::function<void()> first)
        : HookedStore(std::move(store),
            {[first = std::move(first), done = false](const char* what, Access) mutable {
                 if (!done && std::string_view(what) == "appendCheckpoint") {
                     done = true;
                     first();
                 }
                 return std::optional<Error>();
             },
                [](const char*, Access) { return std::optional<Error>(); }})
    {
    }
};

}  // namespace

void TestCheckpoint::theLaterOfTwoBeginsAnew()
{
    Writer a("a");
    addEntry(*m_store, a);
    Overtaken slow(connectMemory(m_database), [&] { mustSign(*m_store, m_key); });
    const auto made = audit::makeCheckpoint(slow, m_key, "t");
    QVERIFY(made);
    QCOMPARE(made->newest.number, std::uint64_t{2});
    const auto report = audit::verifyAudit(*m_store, {});
    QVERIFY(report && report->found.empty());
    QCOMPARE(report->checkpoints, std::uint64_t{2});
}

void TestCheckpoint::itIsDueByTheStoresClock()
{
    QVERIFY(*audit::checkpointDue(*m_store, 3'600'000));
    mustSign(*m_store, m_key);
    QVERIFY(!*audit::checkpointDue(*m_store, 3'600'000));
    m_clock.advance(3'599'999);
    QVERIFY(!*audit::checkpointDue(*m_store, 3'600'000));
    m_clock.advance(1);
    QVERIFY(*audit::checkpointDue(*m_store, 3'600'000));
}

void TestCheckpoint::aSoundStoreIsFoundSound()
{
    Writer a("a"), b("b");
    addActs(*m_store, 5);
    for (Writer* writer : {&a, &a, &b})
        addEntry(*m_store, *writer);
    mustSign(*m_store, m_key);
    addEntry(*m_store, a);
    const auto report = audit::verifyAudit(*m_store, {{m_key.publicKey()}, {}, {}});
    QVERIFY(report);
    QVERIFY(report->found.empty());
    QCOMPARE(report->entries, std::uint64_t{5});
    QCOMPARE(report->head, m_store->audit(4, 1)->front().hash);
    QCOMPARE(report->histories.entries, std::uint64_t{4});
    QCOMPARE(report->histories.runs, std::uint64_t{2});
    QCOMPARE(report->histories.uncovered, std::uint64_t{1});
    QCOMPARE(report->checkpoints, std::uint64_t{1});
}

namespace {

// Something happens between the scan of all entries and the look at where runs stand, once.
class Meanwhile final : public HookedStore {
public:
    Meanwhile(std::unique_ptr<StoreWriter> store, std::function<void()> happens)
        : HookedStore(std::move(store),
            {[](const char*, Access) { return std::optional<Error>(); },
                [](const char*, Access) { return std::optional<Error>(); }})
        , m_happens(std::move(happens))
    {
    }
    Result<std::size_t> scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see) override
    {
        auto read = HookedStore::scanEntries(place, limit, see);
        if (read && *read == 0 && m_happens)
            std::exchange(m_happens, {})();
        return read;
    }

private:
    std::function<void()> m_happens;
};

}  // namespace

void TestCheckpoint::enginesMayGoOnMeanwhile()
{
    Writer a("a"), b("b"), fresh("fresh");
    for (Writer* writer : {&a, &a, &b})
        addEntry(*m_store, *writer);
    Meanwhile busy(connectMemory(m_database), [&] {
        addEntry(*m_store, a);
        addEntry(*m_store, b);
        addEntry(*m_store, fresh);
    });
    const auto report = audit::verifyAudit(busy, {});
    QVERIFY(report);
    QVERIFY2(report->found.empty(), report->found.empty() ? "" : report->found.front().text.c_str());
    QCOMPARE(a.version, std::uint64_t{3});
    QCOMPARE(report->histories.runs, std::uint64_t{3});
}

void TestCheckpoint::aRunMayBeDeletedMeanwhile()
{
    Writer a("a"), b("b");
    addEntry(*m_store, a);
    addEntry(*m_store, b);
    Meanwhile busy(connectMemory(m_database), [&] { m_database->runs.erase(a.run); });
    const auto report = audit::verifyAudit(busy, {});
    QVERIFY(report);
    QVERIFY2(report->found.empty(), report->found.empty() ? "" : report->found.front().text.c_str());
    QCOMPARE(report->histories.runs, std::uint64_t{1});
}

void TestCheckpoint::whatCanBeDetectedIsSaid()
{
    const auto says = [](const audit::Evidence& evidence, const char* what) {
        for (const std::string& line : audit::detects(evidence))
            if (line.find(what) != std::string::npos)
                return true;
        return false;
    };
    QVERIFY(says({}, "no key: nothing is signed"));
    QVERIFY(says({}, "no anchor: newest entries that were cut"));
    QVERIFY(says({3, false, false, false}, "name the real one with --public"));
    QVERIFY(says({3, true, false, false}, "what is covered by 3 checkpoints"));
    QVERIFY(!says({3, true, false, false}, "no key"));
    QVERIFY(says({3, true, true, false}, "remembered head"));
    QVERIFY(!says({3, true, true, false}, "no anchor"));
    QVERIFY(says({3, true, false, true}, "anchor: the same"));
    QVERIFY(says({3, true, true, true}, "never detected"));
}

QTEST_APPLESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
