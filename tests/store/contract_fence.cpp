// A fence stops every write and no read, and is changed only by whoever has seen the store as it is.

#include "tests/store/contract.h"

namespace cairn::testing {

namespace {

AuditRow moved(const std::string& reason)
{
    AuditRow row;
    row.time = 1'790'000'000'000;
    row.kind = "applied";
    row.verb = Verb::CopyStore;
    row.actor = "ann";
    row.login = "uid 1000";
    row.target = "store";
    row.command = idOf<CommandId>("move " + reason);
    row.reason = reason;
    return row;
}

template<typename T> Status only(const Result<T>& result)
{
    return result ? Status() : Status(result.error());
}

using Write = std::pair<const char*, std::function<Status()>>;

// Each kind of write, of which every one would have something to do.
std::vector<Write> writesOf(StoreWriter& store, const Writer& run, const SessionId& session, TimeMs now)
{
    const auto row = [](const char* name) {
        ResourceRow resource;
        resource.name = name;
        resource.slots = 1;
        return resource;
    };
    return {
        {"commit",
            [&] {
                std::vector<MemberResult> results;
                return store.commit(std::vector{run.next("more")}, results);
            }},
        {"create",
            [&] {
                std::vector<MemberResult> results;
                return store.commit(std::vector{Writer("another").create()}, results);
            }},
        {"claim", [&, now] { return only(store.claim(session, now + 1, 10)); }},
        {"release",
            [&] {
                return store.release(session, std::vector<ClaimedRun>{{run.run, 0, 1, {}}});
            }},
        {"takeOver", [&] { return only(store.takeOver(run.run, session)); }},
        {"openSession", [&, now] { return store.openSession(sessionRow("late", now)); }},
        {"heartbeat", [&, now] { return only(store.heartbeat(session, now, now + 1)); }},
        {"endSession", [&, now] { return only(store.endSession(session, now, kNoTime)); }},
        {"dropSessions", [&, now] { return store.dropSessionsEndedBefore(now); }},
        {"dropOutbox", [&] { return store.dropOutbox({}); }},
        {"putResource", [&, row] { return store.putResource(row("web")); }},
        {"slowResource",
            [&, row] {
                AuditRow act;
                act.verb = Verb::Slow;
                act.kind = "applied";
                act.command = idOf<CommandId>("slow");
                return only(store.slowResource(row("web"), row("web"), act));
            }},
        {"raiseBackOff", [&] { return store.raiseBackOff("web", 5, false); }},
        {"leaseSlots", [&, now] { return only(store.leaseSlots(session, "limited", 1, now, now + 1)); }},
        {"spendRate", [&, now] { return only(store.spendRate(session, "limited", 1, now)); }},
        {"returnSlots", [&] { return store.returnSlots(session, "limited"); }},
        {"addWorkflow",
            [&] {
                WorkflowRow workflow;
                workflow.name = "late";
                workflow.version = 1;
                return store.addWorkflow(workflow);
            }},
        {"appendAudit", [&] { return only(store.appendAudit(moved("late"))); }},
        {"setClockOffset", [&] { return store.setClockOffset(5); }},
        {"setNeverStore", [&] { return store.setNeverStore({}, moved("never")); }},
        {"setRetention", [&] { return store.setRetention({}, moved("retention")); }},
        {"stageChunk", [&] { return store.stageChunk(idOf<ArtifactId>("late"), 0, "bytes"); }},
        {"dropStaged", [&, now] { return store.dropStagedBefore(now); }},
    };
}

}  // namespace

void ContractTest::aFenceStopsEveryWriteAndNoRead()
{
    Writer run("r");
    CommitMember created = run.create();
    created.list = run.listRow();
    QCOMPARE(commitOne(created).kind, MemberResult::Kind::Committed);
    run.committed(created);
    const SessionId session = open("e");
    ResourceRow limited;
    limited.name = "limited";
    limited.slots = 1;
    limited.permitsPerSecond = 1;
    CAIRN_VERIFY_OK(m_store->putResource(limited));
    const auto now = m_store->now();
    CAIRN_VERIFY_OK(now);
    const auto other = m_backend->connect();
    const std::uint32_t schema = m_store->info()->minWriter;
    std::uint32_t standing = schema;
    for (const FenceKind kind :
        {FenceKind::Leaving, FenceKind::Moved, FenceKind::Filling, FenceKind::Abandoned}) {
        const Fence fence{kind, 77};
        FenceChange change;
        change.from = standing;
        change.to = standing = minWriterOf(fence);
        CAIRN_VERIFY_OK(m_store->changeFence(change));
        QVERIFY(fenceOf(other->info()->minWriter) == fence);
        for (StoreWriter* store : {m_store.get(), other.get()})
            for (const auto& [name, write] : writesOf(*store, run, session, *now)) {
                const Status status = write();
                QVERIFY2(!status, name);
                QVERIFY2(status.error() == fenceError(fence), name);
            }
        QCOMPARE(other->hot(run.run)->version, std::uint64_t{1});
        QCOMPARE(*other->count({}), std::uint64_t{1});
        CAIRN_VERIFY_OK(m_backend->connect()->loadRun(run.run, 1, 0));
    }
    FenceChange back;
    back.from = standing;
    back.to = schema;
    CAIRN_VERIFY_OK(other->changeFence(back));
    for (const auto& [name, write] : writesOf(*m_store, run, session, *now)) {
        const Status status = write();
        QVERIFY2(status || std::string_view(name) == "release", name);  // its session was just ended
    }
}

void ContractTest::aFenceIsChangedOnlyFromWhatWasSeen()
{
    const std::uint32_t schema = m_store->info()->minWriter;
    const std::uint32_t leaving = minWriterOf({FenceKind::Leaving, 0});
    QCOMPARE(*m_store->appendAudit(moved("before")), std::uint64_t{1});
    const Digest seen = m_store->audit(0, 10)->back().hash;
    FenceChange change;
    change.from = leaving;
    change.to = schema;
    change.audit = moved("not done");
    CAIRN_VERIFY_ERROR(m_store->changeFence(change), ErrorKind::Conflict);
    change = {schema, leaving, false, sha256("another head"), moved("not done")};
    CAIRN_VERIFY_ERROR(m_store->changeFence(change), ErrorKind::Conflict);
    QCOMPARE(m_store->info()->minWriter, schema);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    change = {schema, leaving, false, seen, moved("done")};
    CAIRN_VERIFY_OK(m_store->changeFence(change));
    QCOMPARE(m_store->info()->minWriter, leaving);
    const auto rows = m_store->audit(0, 10);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE(rows->back().reason, std::string("done"));
    QCOMPARE(rows->back().previous, seen);
    QVERIFY(m_store->check(true)->empty());
    CAIRN_VERIFY_ERROR(m_store->changeFence(change), ErrorKind::Conflict);
}

void ContractTest::aFenceWaitsForEnginesToEnd()
{
    const std::uint32_t schema = m_store->info()->minWriter;
    const auto now = m_store->now();
    SessionRow engine = sessionRow("e", *now);
    engine.leaseUntil = *now + 60'000;
    CAIRN_VERIFY_OK(m_store->openSession(engine));
    const FenceChange change{schema, minWriterOf({FenceKind::Leaving, 0}), true, {}, std::nullopt};
    const Status refused = m_store->changeFence(change);
    QVERIFY(!refused);
    QVERIFY(refused.error() == engineLives(engine.name, engine.host, engine.pid));
    QCOMPARE(m_store->info()->minWriter, schema);
    CAIRN_VERIFY_OK(m_store->setClockOffset(120'000));  // its lease has passed, and nobody has ended it
    CAIRN_VERIFY_OK(m_store->changeFence(change));
}

void ContractTest::onlyWhoFillsAStoreWritesIntoItsFence()
{
    const std::uint32_t schema = m_store->info()->minWriter;
    const std::uint32_t filling = minWriterOf({FenceKind::Filling, 5});
    std::vector<AuditRow> rows{moved("one"), moved("two")};
    Digest head;
    for (AuditRow& row : rows) {
        row.seq = &row == &rows.front() ? 1 : 2;
        row.previous = head;
        row.hash = head = auditHash(row);
    }
    CAIRN_VERIFY_ERROR(m_store->extendAudit(rows), ErrorKind::Refused);
    CAIRN_VERIFY_OK(m_store->changeFence({schema, filling, false, {}, std::nullopt}));
    StoreOptions options;
    options.intoFence = minWriterOf({FenceKind::Filling, 6});
    CAIRN_VERIFY_ERROR(m_backend->connect(options)->raiseBackOff("web", 5, false), ErrorKind::Refused);
    options.intoFence = filling;
    const auto filler = m_backend->connect(options);
    CAIRN_VERIFY_OK(filler->raiseBackOff("web", 5, false));
    CAIRN_VERIFY_ERROR(filler->extendAudit(std::span(rows).subspan(1)), ErrorKind::Conflict);
    AuditRow changed = rows.front();
    changed.reason = "another";
    CAIRN_VERIFY_ERROR(filler->extendAudit(std::span(&changed, 1)), ErrorKind::Corrupt);
    QVERIFY(m_store->audit(0, 10)->empty());
    CAIRN_VERIFY_OK(filler->extendAudit(rows));
    const auto stored = m_store->audit(0, 10);
    QCOMPARE(stored->size(), std::size_t{2});
    QCOMPARE(stored->back().hash, head);
    QCOMPARE(stored->back().reason, std::string("two"));
    CAIRN_VERIFY_OK(filler->changeFence({filling, schema, false, head, std::nullopt}));
    QVERIFY(m_store->check(true)->empty());
    // It filled a fence that is there no more: nothing sets it apart now.
    CAIRN_VERIFY_OK(m_store->raiseBackOff("web", 6, false));
    QCOMPARE(*m_store->appendAudit(rows.front()), std::uint64_t{1});  // recorded once
}

}  // namespace cairn::testing
