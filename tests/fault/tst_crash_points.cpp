#include "tests/fault/crash_vfs.h"
#include "tests/store/sqlite_fixture.h"

#include <filesystem>

using namespace cairn;
using namespace cairn::testing;
using crash::Disk;
using crash::Loss;

// Stops the machine at every call that changes a file, for several scenarios and kinds of loss, and opens the
// store again: what was acknowledged is there, what was not is there whole or not at all, and every chain
// holds.
class CrashPointsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyPoint_data();
    void everyPoint();
    void aFailedSyncIsNeverAcknowledgedAndEndsTheWriter();
    void theShimCanLoseWhatWasNotSynced();

private:
    std::unique_ptr<Scratch> m_template;
};

namespace {

// Payloads, steps and an audit entry: a member that touches most tables.
CommitMember fullMember(const Writer& writer, const std::string& command, std::size_t size)
{
    CommitMember member = writer.version == 0
        ? writer.create(writer.version == 0 ? "key " + toText(writer.run) : "")
        : writer.next(command);
    const std::string name = toText(writer.run) + command;
    member.payloads = {inlinePayload(name, std::string(size, 'x'))};
    member.steps = {stepRow(static_cast<StepIx>(writer.version), name)};
    member.list = writer.listRow();
    member.list->steps = static_cast<std::uint32_t>(writer.version) + 1;
    member.audit = AuditRow{};
    member.audit->reason = command;
    member.outbox = {{writer.run, writer.version + 1, 0, writer.run, "body", 1}};
    return member;
}

// What the scenario was told before the machine stopped.
struct Ledger {
    std::map<RunId, std::uint64_t> acknowledged;  // newest version
    std::map<RunId, std::uint64_t> asked;         // newest version that was handed to the store
    std::vector<std::vector<RunId>> groups;       // runs whose commits shared a group
    std::size_t acks = 0;
};

struct Scenario {
    const char* name;
    bool (*run)(StoreWriter& store, Ledger& ledger);  // false: the machine stopped
};

bool commitGroup(StoreWriter& store, Ledger& ledger, std::vector<Writer*> writers, const std::string& command,
    std::size_t size)
{
    std::vector<CommitMember> members;
    for (Writer* writer : writers) {
        members.push_back(fullMember(*writer, command, size));
        ledger.asked[writer->run] = writer->version + 1;
    }
    std::vector<MemberResult> results;
    if (!store.commit(members, results))
        return false;
    for (std::size_t i = 0; i < writers.size(); ++i) {
        if (results[i].kind != MemberResult::Kind::Committed)
            return false;
        writers[i]->committed(members[i]);
        ledger.acknowledged[writers[i]->run] = writers[i]->version;
        ++ledger.acks;
    }
    return true;
}

bool single(StoreWriter& store, Ledger& ledger)
{
    Writer a("a");
    for (const char* command : {"start", "1", "2"})
        if (!commitGroup(store, ledger, {&a}, command, 100))
            return false;
    return true;
}

bool grouped(StoreWriter& store, Ledger& ledger)
{
    Writer a("a"), b("b"), c("c");
    for (const char* command : {"start", "1"})
        if (!commitGroup(store, ledger, {&a, &b, &c}, command, 3000))
            return false;
    return true;
}

bool checkpointed(StoreWriter& store, Ledger& ledger)
{
    Writer a("a"), b("b");
    if (!commitGroup(store, ledger, {&a}, "start", 9000) || !store.checkpoint())
        return false;
    // After a checkpoint the log begins anew: old frames lie behind the new ones.
    return commitGroup(store, ledger, {&a, &b}, "1", 100) && store.checkpoint().has_value()
        && commitGroup(store, ledger, {&b}, "2", 100);
}

bool refusedNeighbour(StoreWriter& store, Ledger& ledger)
{
    Writer a("a"), b("b");
    if (!commitGroup(store, ledger, {&a}, "start", 100))
        return false;
    std::vector<CommitMember> members{
        fullMember(a, "1", 100), fullMember(a, "1", 100), fullMember(b, "start", 100)};
    members[1].payloads.push_back(members[1].payloads[0]);
    ledger.asked[a.run] = 2;
    ledger.asked[b.run] = 1;
    std::vector<MemberResult> results;
    if (!store.commit(members, results))
        return false;
    // A group that takes long is committed in parts, and a later part may fail alone.
    const auto acknowledge = [&](std::size_t member, const Writer& writer, std::uint64_t version) {
        if (results[member].kind != MemberResult::Kind::Committed)
            return false;
        ledger.acknowledged[writer.run] = version;
        ++ledger.acks;
        return true;
    };
    const bool first = acknowledge(0, a, 2);
    const bool last = acknowledge(2, b, 1);
    return first && last && results[1].kind == MemberResult::Kind::Duplicate;
}

bool claimed(StoreWriter& store, Ledger& ledger)
{
    Writer a("a");
    const SessionRow session = sessionRow("e", 1000);
    if (!commitGroup(store, ledger, {&a}, "start", 100) || !store.openSession(session))
        return false;
    const auto runs = store.claim(session.id, *store.now() + 1000, 5);
    if (!runs)
        return false;
    a.by = session.id;
    a.epoch = runs->empty() ? 0 : runs->front().epoch;
    return commitGroup(store, ledger, {&a}, "1", 100)
        && store.endSession(session.id, 5000, kNoTime).has_value();
}

bool artifact(StoreWriter& store, Ledger& ledger)
{
    const ArtifactId id = idOf<ArtifactId>("art");
    const std::string bytes(40'000, 'q');
    if (!store.stageChunk(id, 0, bytes))
        return false;
    Writer a("a");
    CommitMember member = fullMember(a, "start", 10);
    PayloadRow row = inlinePayload("large", "");
    row.artifact = id;
    row.ref.size = bytes.size();
    row.ref.hash = saltedDigest(row.salt, sha256(bytes));
    member.payloads.push_back(row);
    ledger.asked[a.run] = 1;
    std::vector<MemberResult> results;
    if (!store.commit(std::span(&member, 1), results))
        return false;
    ledger.acknowledged[a.run] = 1;
    ++ledger.acks;
    return true;
}

const Scenario kScenarios[] = {
    {"single commits", single},
    {"groups", grouped},
    {"with checkpoints", checkpointed},
    {"a refused neighbour", refusedNeighbour},
    {"claim and sessions", claimed},
    {"an artifact", artifact},
};

// Everything that must hold after the machine came back. Empty: it does.
std::string verdict(const std::string& path, const Ledger& ledger)
{
    auto opened = sqlite::openStore(path, {});
    if (!opened)
        return "cannot be opened: " + opened.error().text;
    StoreWriter& store = **opened;
    const auto problems = store.check(true);
    if (!problems)
        return "cannot be checked: " + problems.error().text;
    if (!problems->empty())
        return problems->front().where + ": " + problems->front().text;
    std::uint64_t entries = 0;
    for (const auto& [run, asked] : ledger.asked) {
        const auto acknowledged = ledger.acknowledged.find(run);
        const std::uint64_t floor = acknowledged == ledger.acknowledged.end() ? 0 : acknowledged->second;
        const auto loaded = store.loadRun(run, 1, 0);
        const std::uint64_t version = loaded ? loaded->hot.version : 0;
        if (version < floor || version > asked)
            return "acknowledged " + std::to_string(floor) + ", asked " + std::to_string(asked) + ", found "
                + std::to_string(version);
        if (!loaded)
            continue;
        Digest previous;
        for (const SealedEntry& entry : loaded->entries) {
            if (!checkSeal(entry, previous))
                return "the chain is broken at version " + std::to_string(entry.version);
            previous = entry.hash;
        }
        entries += version;
        // All rows of a commit came with it.
        if (store.steps(run)->size() != version)
            return "steps without their entry, or the other way";
        const auto rows = store.listRows(std::span(&run, 1));
        if (rows->size() != 1 || rows->front().version != version)
            return "the list row is not of the newest version";
    }
    const auto audit = store.audit(0, 1000);
    if (audit->size() != entries || store.outbox(1000)->size() != entries)
        return "audit, messages and entries do not agree";
    Writer after("after");
    CommitMember next = after.create();
    if (!committed(store, after, next))
        return "no more commits are accepted";
    return {};
}

}  // namespace

void CrashPointsTest::initTestCase()
{
    m_template = std::make_unique<Scratch>();
    CAIRN_VERIFY_OK(sqlite::initStore(m_template->file("store.db"), {"test", false, true}));
    QVERIFY(!std::filesystem::exists(m_template->file("store.db-wal")));
}

void CrashPointsTest::everyPoint_data()
{
    QTest::addColumn<int>("scenario");
    QTest::addColumn<int>("loss");
    const std::pair<const char*, Loss> losses[] = {{"killed", Loss::Nothing},
        {"unsynced lost", Loss::Unsynced}, {"torn", Loss::Torn}, {"reordered", Loss::Reordered}};
    for (int s = 0; s < static_cast<int>(std::size(kScenarios)); ++s)
        for (const auto& [name, loss] : losses)
            QTest::addRow("%s, %s", kScenarios[s].name, name) << s << static_cast<int>(loss);
}

void CrashPointsTest::everyPoint()
{
    QFETCH(int, scenario);
    QFETCH(int, loss);
    Disk disk;
    std::uint64_t points = 0;
    std::size_t acks = 0;
    std::size_t stops = 0;
    for (std::uint64_t at = 1;; ++at) {
        Scratch scratch;
        const std::string path = scratch.file("store.db");
        std::filesystem::copy_file(m_template->file("store.db"), path);
        Ledger ledger;
        bool finished = false;
        disk.watch(scratch.path());
        {
            disk.arm(at);
            auto store = sqlite::openStore(path, {});
            finished = store && kScenarios[scenario].run(**store, ledger);
        }
        stops += disk.stopped() ? 1 : 0;
        points = std::max(points, disk.calls());
        const bool last = !disk.stopped();
        QVERIFY2(!last || finished, "the scenario must run to its end when nothing stops it");
        disk.crash(static_cast<Loss>(loss));
        const std::string problem = verdict(path, ledger);
        QVERIFY2(problem.empty(), ("stopped at call " + std::to_string(at) + ": " + problem).c_str());
        acks += ledger.acks;
        if (last)
            break;
    }
    // All points were enumerated, and the work was real.
    QCOMPARE(std::uint64_t{stops}, points);
    QVERIFY2(points >= 20, std::to_string(points).c_str());
    QVERIFY2(acks >= 30, std::to_string(acks).c_str());
    qInfo("%d crash points, %d acknowledged commits", static_cast<int>(points), static_cast<int>(acks));
}

void CrashPointsTest::aFailedSyncIsNeverAcknowledgedAndEndsTheWriter()
{
    Disk disk;
    Scratch scratch;
    const std::string path = scratch.file("store.db");
    std::filesystem::copy_file(m_template->file("store.db"), path);
    disk.watch(scratch.path());
    auto store = sqlite::openStore(path, {});
    CAIRN_VERIFY_OK(store);
    Writer a("a"), b("b");
    QVERIFY(committed(**store, a, a.create()));
    QVERIFY(committed(**store, b, b.create()));
    disk.armAtSync();
    const auto result = commitOne(**store, a.next("x"));
    CAIRN_VERIFY_ERROR(result, ErrorKind::OutcomeUnknown);
    disk.repair();  // the disk works again: the writer does not
    const auto later = commitOne(**store, b.next("y"));
    CAIRN_VERIFY_ERROR(later, ErrorKind::Io);
    QCOMPARE(disk.calls(), std::uint64_t{0});
    // A new connection resolves the unknown commit by its command id.
    store->reset();
    auto again = sqlite::openStore(path, {});
    CAIRN_VERIFY_OK(again);
    const auto resolved = commitOne(**again, a.next("x"));
    CAIRN_VERIFY_OK(resolved);
    QVERIFY(
        resolved->kind == MemberResult::Kind::Committed || resolved->kind == MemberResult::Kind::Duplicate);
    QCOMPARE((*again)->hot(a.run)->version, std::uint64_t{2});
}

// The test of the test: without FULL the shim loses an acknowledged commit, so it would see a missing sync.
void CrashPointsTest::theShimCanLoseWhatWasNotSynced()
{
    Disk disk;
    Scratch scratch;
    const std::string path = scratch.file("store.db");
    std::filesystem::copy_file(m_template->file("store.db"), path);
    disk.watch(scratch.path());
    Ledger ledger;
    {
        StoreOptions options;
        options.synchronousNormal = true;
        auto store = sqlite::openStore(path, options);
        CAIRN_VERIFY_OK(store);
        Writer a("a");
        QVERIFY(commitGroup(**store, ledger, {&a}, "start", 100));
        QVERIFY(commitGroup(**store, ledger, {&a}, "1", 100));
        disk.arm(1);  // closing must not checkpoint
    }
    disk.crash(Loss::Unsynced);
    const std::string problem = verdict(path, ledger);
    QVERIFY2(problem.starts_with("acknowledged 2, asked 2, found "), problem.c_str());
}

QTEST_APPLESS_MAIN(CrashPointsTest)
#include "tst_crash_points.moc"
