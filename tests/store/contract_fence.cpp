// A fence stops every write and no read, and is changed only by whoever has seen the store as it is.

#include "tests/store/contract.h"

#include <algorithm>
#include <tuple>

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

namespace {

RemovedRun removedRun(const std::string& name, bool kept)
{
    RemovedRun gone;
    Tombstone& stone = gone.stone;
    stone.run = stone.root = idOf<RunId>("run " + name);
    stone.workflow = "purchase";
    stone.workflowVersion = 3;
    stone.versions = 4;
    stone.head = sha256("head of " + name);
    stone.createdAt = 1'000;
    stone.endedAt = 2'000;
    stone.as = Activity::Failed;
    stone.deletedAt = 3'000;
    stone.rule = "kept 30 days after its end";
    stone.by = "ann";
    stone.key.bytes.fill(7);
    stone.signature.bytes.fill(9);
    stone.act = 12;
    stone.begun = idOf<CommandId>("begun " + name);
    if (!kept)
        return gone;
    gone.kept =
        RemovedRun::Key{"purchase", "key of " + name, sha256("input"), idOf<RunId>("salt").bytes, 5'000};
    EffectRow& effect = gone.effects.emplace_back();
    effect.effect = effectOf(name);
    effect.tool = "pay";
    effect.key = "k";
    effect.state = LedgerState::Completed;
    effect.holder = stone.run;
    effect.holderStep = "a";
    effect.inputSalt = idOf<RunId>("input salt").bytes;
    effect.inputDigest = sha256("digest");
    effect.result = idOf<PayloadId>("result");
    effect.changedAt = 1'500;
    effect.revision = 6;
    return gone;
}

// One that needed nobody else, and was left by break-glass; one that somebody else confirmed, rejected, or
// its author withdrew.
StagedAct answeredAct(const std::string& name, StagedState as, bool proposed)
{
    StagedAct act;
    act.command = idOf<CommandId>("act " + name);
    act.run = idOf<RunId>("run");
    act.verb = Verb::Pause;
    act.target = "step";
    act.body = std::string("b\0dy", 4);
    act.reason = "because of this test";
    act.claimed = "ann";
    act.uid = 1'000;
    act.host = "desk";
    act.seenVersion = 3;
    act.stagedBy = "ann's login";
    act.address = proposed ? "" : "10.0.0.7";
    act.backend = proposed ? 0 : 4'711;
    act.stagedAt = 100;
    act.state = as;
    act.code = 2;
    act.version = as == StagedState::Committed ? 4 : 0;
    act.auditSeq = 9;
    act.outcome = "so it was";
    act.decidedAt = 200;
    act.glass = !proposed;
    if (!proposed) {
        act.seenDigest = sha256("seen");
        return act;
    }
    act.role = "ops";
    act.expires = 400;
    act.digest = actDigest(act);
    act.confirmedBy = as == StagedState::Withdrawn ? act.stagedBy : "bob's login";
    act.confirmedName = "bob";
    act.note = "looked at it";
    act.confirmedAt = 150;
    return act;
}

auto fieldsOf(const StagedAct& a)
{
    return std::tie(a.command, a.run, a.verb, a.target, a.body, a.reason, a.claimed, a.uid, a.host,
        a.seenVersion, a.seenDigest, a.stagedBy, a.address, a.backend, a.stagedAt, a.state, a.code, a.version,
        a.auditSeq, a.outcome, a.decidedAt, a.glass, a.role, a.expires, a.digest, a.confirmedBy,
        a.confirmedName, a.note, a.confirmedAt);
}

auto fieldsOf(const Review& r)
{
    return std::tie(r.command, r.run, r.verb, r.target, r.login, r.reason, r.address, r.backend, r.openedAt,
        r.closedBy, r.note, r.closedAt);
}

auto fieldsOf(const EffectRow& e)
{
    return std::tie(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputSalt, e.inputDigest,
        e.result, e.changedAt);
}

template<typename Row, typename Id> void sortBy(std::vector<Row>& rows, Id Row::*id)
{
    std::sort(rows.begin(), rows.end(), [id](const Row& a, const Row& b) { return a.*id < b.*id; });
}

void removedAreThere(StoreWriter& store, const std::vector<RemovedRun>& gone)
{
    const auto stones = store.removedRuns({}, 10);
    CAIRN_VERIFY_OK(stones);
    QCOMPARE(stones->size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        const RemovedRun& there = (*stones)[i];
        Tombstone wanted = gone[i].stone;
        wanted.changed = there.stone.changed;
        QVERIFY(there.stone == wanted);
        QVERIFY(there.stone.changed > 0);
        QVERIFY(there.kept == gone[i].kept);
        QCOMPARE(there.effects.size(), gone[i].effects.size());
        for (std::size_t e = 0; e < there.effects.size(); ++e) {
            QVERIFY(fieldsOf(there.effects[e]) == fieldsOf(gone[i].effects[e]));
            QCOMPARE(there.effects[e].revision, std::uint64_t{1});
        }
        QVERIFY(*store.findCommand(there.stone.run, wanted.begun) == std::uint64_t{1});
    }
    QCOMPARE(store.removedRuns({}, 1)->size(), std::size_t{1});
    QVERIFY(store.removedRuns(gone[0].stone.run, 10)->front().stone.run == gone[1].stone.run);
    const auto holder = store.findKey("purchase", "key of kept");
    CAIRN_VERIFY_OK(holder);
    QVERIFY(holder->has_value() && (*holder)->run == idOf<RunId>("run kept"));
}

void decidedIsThere(StoreWriter& store, const std::vector<StagedAct>& acts, const Review& review)
{
    const auto answered = store.answeredActs({}, 10);
    CAIRN_VERIFY_OK(answered);
    QCOMPARE(answered->size(), acts.size());
    for (std::size_t i = 0; i < acts.size(); ++i)
        QVERIFY(fieldsOf((*answered)[i]) == fieldsOf(acts[i]));
    QVERIFY(store.waitingActs(10)->empty());
    const auto reviews = store.reviews(true, 10);
    CAIRN_VERIFY_OK(reviews);
    QCOMPARE(reviews->size(), std::size_t{1});
    QVERIFY(fieldsOf(reviews->front()) == fieldsOf(review));
    QVERIFY(store.reviews(false, 10)->empty());
    QCOMPARE(store.retention()->front().changedAt, TimeMs{77});
}

}  // namespace

// What removed runs have left, answered acts, reviews, rules, and payloads that were redacted: column by
// column, and once.
void ContractTest::whatAMoveBringsIsKeptAsItWas()
{
    std::vector<RemovedRun> gone{removedRun("kept", true), removedRun("forgotten", false)};
    std::sort(gone.begin(), gone.end(),
        [](const RemovedRun& a, const RemovedRun& b) { return a.stone.run < b.stone.run; });
    std::vector<StagedAct> acts{answeredAct("alone", StagedState::Committed, false),
        answeredAct("rejected by the rules", StagedState::Rejected, false),
        answeredAct("confirmed", StagedState::Committed, true),
        answeredAct("refused", StagedState::Refused, true),
        answeredAct("withdrawn", StagedState::Withdrawn, true)};
    sortBy(acts, &StagedAct::command);
    Review review{idOf<CommandId>("act alone"), idOf<RunId>("run"), Verb::Pause, "step", "ann's login",
        "because of this test", "10.0.0.7", 4'711, 100, "bob's login", "all was well", 300};
    RetentionRow rule;
    rule.workflow = "purchase";
    rule.keepDays = 30;
    rule.changedAt = 77;
    for (const Status& refused : {m_store->extendRemoved(gone), m_store->extendActs(acts),
             m_store->extendReviews(std::vector{review}), m_store->setRetention(rule, {})})
        CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);

    const std::uint32_t filling = minWriterOf({FenceKind::Filling, 5});
    CAIRN_VERIFY_OK(m_store->changeFence({m_store->info()->minWriter, filling, false, {}, std::nullopt}));
    StoreOptions options;
    options.intoFence = filling;
    const auto filler = m_backend->connect(options);
    CAIRN_VERIFY_OK(filler->extendRemoved(gone));
    for (int again = 0; again < 2; ++again) {  // as a move does that was stopped
        CAIRN_VERIFY_OK(filler->extendActs(acts));
        CAIRN_VERIFY_OK(filler->extendReviews(std::vector{review}));
        CAIRN_VERIFY_OK(filler->setRetention(rule, {}));
    }
    Writer run("redacted");
    CommitMember member = run.create();
    member.list = run.listRow();
    PayloadRow empty = inlinePayload("secret", "secret");
    empty.bytes.clear();
    empty.salt = {};
    empty.redactedBy = 7;
    member.payloads = {empty, inlinePayload("kept", "kept")};
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(filler->commit(std::vector{member}, results));
    QCOMPARE(results.front().kind, MemberResult::Kind::Committed);

    removedAreThere(*m_store, gone);
    decidedIsThere(*m_store, acts, review);
    const auto redacted = m_store->redactedPayloads(run.run);
    CAIRN_VERIFY_OK(redacted);
    QCOMPARE(redacted->size(), std::size_t{1});
    QVERIFY(redacted->front().ref == empty.ref);
    QVERIFY(redacted->front().redacted);
    QCOMPARE(redacted->front().by, std::int64_t{7});
    const auto read = m_store->payload(run.run, empty.ref.id);
    CAIRN_VERIFY_ERROR(read, ErrorKind::Refused);
    QCOMPARE(read.error().text, "payload " + toText(empty.ref.id) + " was redacted by act 7");
    QVERIFY(m_store->redactedPayloads(idOf<RunId>("run kept"))->empty());
}

}  // namespace cairn::testing
