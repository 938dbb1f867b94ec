// Chunks of large payloads in the store's own tables and in a bucket. A store that keeps them itself in any
// case refuses to name a place, and that is all that is asked of it here.

#include "tests/store/contract.h"
#include "tests/store/memory_objects.h"

namespace cairn::testing {

namespace {

using Kind = MemberResult::Kind;

std::string someBytes(std::size_t size, std::uint64_t seed)
{
    std::string bytes(size, '\0');
    SeededRng(seed).fill(bytes.data(), bytes.size());
    return bytes;
}

AuditRow placed(const std::string& name)
{
    AuditRow row;
    row.time = 1'790'000'000'000;
    row.kind = "applied";
    row.verb = Verb::PlaceArtifacts;
    row.actor = "ann";
    row.login = "uid 1000";
    row.target = "store";
    row.command = idOf<CommandId>("place " + name);
    row.reason = name;
    return row;
}

ArtifactChange changeTo(const std::string& url, bool writes = true)
{
    ArtifactChange change;
    change.url = url;
    change.writes = writes;
    change.audit = placed(url + (writes ? "" : ", not written"));
    return change;
}

Result<PayloadRow> stagedRow(StoreWriter& store, const std::string& name, const std::string& bytes)
{
    PayloadRow row = inlinePayload(name, bytes);
    row.bytes.clear();
    row.artifact = idOf<ArtifactId>("artifact " + name);
    std::uint32_t index = 0;
    for (std::size_t at = 0; at < bytes.size(); at += kChunkSize)
        CAIRN_TRY(store.stageChunk(row.artifact, index++, std::string_view(bytes).substr(at, kChunkSize)));
    return row;
}

StoreOptions with(const std::shared_ptr<ObjectsState>& state)
{
    StoreOptions options;
    options.objects = memoryObjects(state);
    return options;
}

// Names a place; false: this store keeps artifacts itself.
bool namesPlace(StoreWriter& store, bool& can)
{
    const Status done = store.changeArtifacts(changeTo("s3://one"));
    can = static_cast<bool>(done);
    return can || (done.error().kind == ErrorKind::Refused && store.info()->artifacts == ArtifactPlace{});
}

}  // namespace

#define CAIRN_NEEDS_PLACE(store) \
    do { \
        bool can = false; \
        QVERIFY(namesPlace(store, can)); \
        if (!can) \
            return; \
    } while (false)

void ContractTest::chunksGoIntoTheBucketFromTheChangeOn()
{
    const auto state = std::make_shared<ObjectsState>();
    const auto earlier = m_backend->connect(with(state));  // knows of no bucket
    const auto store = m_backend->connect(with(state));
    const std::string before = someBytes(kChunkSize + 5, 1);
    const std::string after = someBytes(2 * kChunkSize + 17, 2);
    Writer a("a");
    CommitMember member = a.create();
    auto here = stagedRow(*store, "here", before);
    CAIRN_VERIFY_OK(here);
    CAIRN_NEEDS_PLACE(*store);
    auto there = stagedRow(*store, "there", after);
    CAIRN_VERIFY_OK(there);
    member.payloads = {*here, *there};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    QVERIFY(results.front().kind == Kind::Committed);
    QCOMPARE(state->objects.size(), 3U);
    for (StoreWriter* reader : {store.get(), earlier.get()}) {
        QVERIFY(*reader->payload(a.run, here->ref.id) == before);
        QVERIFY(*reader->payload(a.run, there->ref.id) == after);
        QVERIFY(
            *reader->payload(a.run, there->ref.id, kChunkSize - 3, 10) == after.substr(kChunkSize - 3, 10));
    }
    const auto totals = store->chunkTotals();
    CAIRN_VERIFY_OK(totals);
    QCOMPARE(totals->here, 2U);
    QCOMPARE(totals->hereBytes, before.size());
    QCOMPARE(totals->elsewhere, 3U);
    QCOMPARE(totals->elsewhereBytes, after.size());
    // Its first connection is one that does not know how to open a bucket: it refuses, and gives no part.
    CAIRN_VERIFY_ERROR(m_store->payload(a.run, there->ref.id), ErrorKind::Disconnected);
    QVERIFY(*m_store->payload(a.run, here->ref.id) == before);
    const ArtifactPlace place = store->info()->artifacts;
    QCOMPARE(place.url, std::string("s3://one"));
    QVERIFY(place.writes);
    for (const auto& [name, bytes] : state->objects)
        QCOMPARE(name.substr(0, place.folder.size() + 1), place.folder + "/");
    CAIRN_VERIFY_OK(store->changeArtifacts(changeTo("", false)));
    CAIRN_VERIFY_OK(stagedRow(*store, "here again", before));
    QCOMPARE(state->objects.size(), 3U);
    const auto audit = store->audit(0, 10);
    CAIRN_VERIFY_OK(audit);
    QCOMPARE(audit->size(), 2U);
    QVERIFY(audit->front().verb == Verb::PlaceArtifacts);
    const auto problems = store->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void ContractTest::anObjectIsDurableBeforeARowNamesIt()
{
    const auto state = std::make_shared<ObjectsState>();
    const auto store = m_backend->connect(with(state));
    CAIRN_NEEDS_PLACE(*store);
    const std::string bytes = someBytes(kChunkSize + 1, 3);
    std::uint64_t namedTooEarly = 0;
    state->onPut = [&](const std::string& name) {
        const auto rows = store->chunksElsewhere({}, 0, 100);
        for (const ChunkRow& row : *rows)
            namedTooEarly += row.stored == name ? 1 : 0;
    };
    CAIRN_VERIFY_OK(stagedRow(*store, "good", bytes));
    QCOMPARE(namedTooEarly, 0U);
    QCOMPARE(store->chunksElsewhere({}, 0, 100)->size(), 2U);
    state->problem = makeError(ErrorKind::Disconnected, "nobody answers");
    CAIRN_VERIFY_ERROR(stagedRow(*store, "bad", bytes), ErrorKind::Disconnected);
    QCOMPARE(store->chunksElsewhere({}, 0, 100)->size(), 2U);
    // Said again at once: nobody waits for a place that does not answer at each chunk anew.
    const int puts = state->puts;
    CAIRN_VERIFY_ERROR(stagedRow(*store, "bad", bytes), ErrorKind::Disconnected);
    QCOMPARE(state->puts, puts);
    Writer a("a");
    CommitMember member = a.create();
    PayloadRow never = inlinePayload("bad", bytes);
    never.bytes.clear();
    never.artifact = idOf<ArtifactId>("artifact bad");
    member.payloads = {never};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    QVERIFY(results.front().kind == Kind::Failed);
}

void ContractTest::aDamagedObjectIsAnErrorThatNamesIt_data()
{
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"missing", "cut", "longer", "other"})
        QTest::newRow(damage) << QString::fromUtf8(damage);
}

void ContractTest::aDamagedObjectIsAnErrorThatNamesIt()
{
    QFETCH(const QString, damage);
    const auto state = std::make_shared<ObjectsState>();
    const auto store = m_backend->connect(with(state));
    CAIRN_NEEDS_PLACE(*store);
    const std::string bytes = someBytes(2 * kChunkSize, 4);
    Writer a("a");
    CommitMember member = a.create();
    auto row = stagedRow(*store, "large", bytes);
    CAIRN_VERIFY_OK(row);
    member.payloads = {*row};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    const auto rows = store->chunksElsewhere({}, 0, 100);
    CAIRN_VERIFY_OK(rows);
    const std::string name = rows->at(1).stored;
    std::string& object = state->objects.at(name);
    if (damage == QStringLiteral("missing"))
        state->objects.erase(name);
    else if (damage == QStringLiteral("cut"))
        object.resize(object.size() / 2);
    else if (damage == QStringLiteral("longer"))
        object += 'x';
    else
        object[7] = static_cast<char>(object[7] ^ 1);
    QVERIFY(*store->payload(a.run, row->ref.id, 0, 100) == bytes.substr(0, 100));  // of the first chunk
    for (const auto& [offset, limit] :
        {std::pair<std::uint64_t, std::uint64_t>{0, bytes.size()}, {kChunkSize + 1, 5}}) {
        const auto read = store->payload(a.run, row->ref.id, offset, limit);
        CAIRN_VERIFY_ERROR(read, ErrorKind::Corrupt);
        QVERIFY2(read.error().text.find(name) != std::string::npos, read.error().text.c_str());
    }
    const auto problems = store->check(true);
    CAIRN_VERIFY_OK(problems);
    QCOMPARE(problems->size(), 1U);
    QVERIFY(problems->front().text.find(name) != std::string::npos);
    QVERIFY(store->check(false)->empty());
}

void ContractTest::aBucketThatDoesNotAnswerDamagesNothing()
{
    const auto state = std::make_shared<ObjectsState>();
    const auto store = m_backend->connect(with(state));
    CAIRN_NEEDS_PLACE(*store);
    const std::string bytes = someBytes(kChunkSize, 5);
    Writer a("a");
    CommitMember member = a.create();
    auto row = stagedRow(*store, "large", bytes);
    CAIRN_VERIFY_OK(row);
    member.payloads = {*row, inlinePayload("small", "beside it")};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    state->problem = makeError(ErrorKind::Disconnected, "nobody answers");
    const auto reader = m_backend->connect(with(state));
    CAIRN_VERIFY_ERROR(reader->payload(a.run, row->ref.id), ErrorKind::Disconnected);
    CAIRN_VERIFY_ERROR(reader->check(true), ErrorKind::Disconnected);  // not sound: not known
    CAIRN_VERIFY_OK(reader->loadRun(a.run, 1, 0));
    QCOMPARE(*reader->payload(a.run, member.payloads[1].ref.id), std::string("beside it"));
    state->problem.reset();
    QVERIFY(*m_backend->connect(with(state))->payload(a.run, row->ref.id) == bytes);
}

void ContractTest::thePlaceIsChangedOnlyWhereNothingIsLeftBehind()
{
    const auto state = std::make_shared<ObjectsState>();
    const auto store = m_backend->connect(with(state));
    CAIRN_VERIFY_ERROR(store->changeArtifacts(changeTo("", false)), ErrorKind::Refused);  // there is none
    CAIRN_NEEDS_PLACE(*store);
    CAIRN_VERIFY_ERROR(store->changeArtifacts(changeTo("s3://one")), ErrorKind::Refused);  // as it is
    CAIRN_VERIFY_OK(store->changeArtifacts(changeTo("s3://two")));
    CAIRN_VERIFY_OK(stagedRow(*store, "large", someBytes(kChunkSize, 6)));
    CAIRN_VERIFY_ERROR(store->changeArtifacts(changeTo("s3://three")), ErrorKind::Refused);
    QCOMPARE(store->info()->artifacts.url, std::string("s3://two"));
    ArtifactChange copied = changeTo("s3://three");
    copied.copied = true;
    CAIRN_VERIFY_OK(store->changeArtifacts(copied));
    const ArtifactPlace place = store->info()->artifacts;
    QCOMPARE(place.url, std::string("s3://three"));
    ArtifactChange fresh = changeTo("");
    fresh.freshFolder = true;
    fresh.audit = placed("fresh");
    CAIRN_VERIFY_OK(store->changeArtifacts(fresh));
    QVERIFY(store->info()->artifacts.folder != place.folder);
    QCOMPARE(m_backend->connect(with(state))->info()->artifacts.url, std::string("s3://three"));
    QCOMPARE(store->audit(0, 10)->size(), 4U);  // of those that were done
    const std::uint32_t schema = store->info()->minWriter;
    CAIRN_VERIFY_OK(
        store->changeFence({schema, minWriterOf({FenceKind::Leaving, 0}), false, {}, std::nullopt}));
    CAIRN_VERIFY_ERROR(store->changeArtifacts(changeTo("", false)), ErrorKind::Refused);
}

void ContractTest::thePlaceIsChangedOnlyWithoutEngines()
{
    const auto store = m_backend->connect();
    const SessionRow engine = sessionRow("engine", *store->now());
    CAIRN_VERIFY_OK(store->openSession(engine));
    const Status refused = store->changeArtifacts(changeTo("s3://one"));
    QVERIFY(!refused);
    QVERIFY(store->info()->artifacts == ArtifactPlace{});
    CAIRN_VERIFY_OK(store->setClockOffset(120'000));  // its lease has passed, and nobody has ended it
    CAIRN_NEEDS_PLACE(*store);
    QVERIFY(refused.error() == engineHasPlace(engine.name, engine.host, engine.pid));
}

void ContractTest::objectsThatNoRowNamesAreFound()
{
    const auto state = std::make_shared<ObjectsState>();
    const auto store = m_backend->connect(with(state));
    CAIRN_NEEDS_PLACE(*store);
    const std::string bytes = someBytes(kChunkSize + 9, 7);
    auto kept = stagedRow(*store, "kept", bytes);
    CAIRN_VERIFY_OK(kept);
    // The same artifact again, as one does whose answer was lost: other objects, and the former ones are
    // orphans.
    CAIRN_VERIFY_OK(stagedRow(*store, "kept", bytes));
    Writer a("a");
    CommitMember member = a.create();
    member.payloads = {*kept};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    CAIRN_VERIFY_OK(stagedRow(*store, "dropped", bytes));
    CAIRN_VERIFY_OK(store->dropStagedBefore(*store->now() + 1));
    QCOMPARE(state->objects.size(), 6U);
    std::set<std::string> named;
    ArtifactId artifact;
    std::uint32_t index = 0;
    for (;;) {  // in pages of one
        const auto rows = store->chunksElsewhere(artifact, index, 1);
        CAIRN_VERIFY_OK(rows);
        if (rows->empty())
            break;
        named.insert(rows->front().stored);
        artifact = rows->front().artifact;
        index = rows->front().index;
    }
    QCOMPARE(named.size(), 2U);
    for (const std::string& name : named)
        QVERIFY(state->objects.contains(name));
    QVERIFY(*store->payload(a.run, kept->ref.id) == bytes);
}

}  // namespace cairn::testing
