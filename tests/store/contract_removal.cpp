// Trees are removed whole or not at all; their keys live on; what is redacted keeps hash and size.

#include "tests/store/contract.h"

namespace cairn::testing {

namespace {

constexpr TimeMs kEnd = 1'790'000'500'000;
constexpr TimeMs kRemoved = 1'800'000'000'000;

AuditRow removedBy(const std::string& name)
{
    AuditRow row;
    row.time = kRemoved;
    row.kind = "applied";
    row.verb = Verb::ExportRuns;
    row.actor = "ann";
    row.login = "uid 1000";
    row.target = "tree";
    row.command = idOf<CommandId>("remove " + name);
    row.reason = "its time is over";
    return row;
}

Tombstone stoneOf(const Writer& run, const RunId& root)
{
    Tombstone stone;
    stone.run = run.run;
    stone.root = root;
    stone.workflow = "purchase";
    stone.workflowVersion = 1;
    stone.versions = run.version;
    stone.head = run.head;
    stone.createdAt = run.createdAt;
    stone.endedAt = kEnd;
    stone.deletedAt = kRemoved;
    stone.rule = "kept 30 days after its end (set in the store)";
    stone.by = "ann";
    return stone;
}

ListRow endedRow(const Writer& run, const RunId& root)
{
    ListRow row = run.listRow();
    row.root = root;
    if (root != run.run)
        row.parent = root;
    row.activity = Activity::Completed;
    row.attention = Attention::None;
    row.endedAt = kEnd;
    return row;
}

TreeRemoval removalOf(
    const Writer& root, const std::vector<const Writer*>& children, TimeMs keysUntil = kNoTime)
{
    TreeRemoval removal;
    removal.root = root.run;
    removal.stones = {stoneOf(root, root.run)};
    for (const Writer* child : children)
        removal.stones.push_back(stoneOf(*child, root.run));
    removal.keysUntil = keysUntil;
    removal.audit = removedBy("tree");
    removal.audit.run = root.run;
    return removal;
}

CommitMember childOf(Writer& child, const Writer& root)
{
    CommitMember member = child.create();
    member.identity->root = root.run;
    member.identity->parent.run = root.run;
    member.list = endedRow(child, root.run);
    member.ancestors = {{root.run, 0}};
    return member;
}

// A plan that is staged and has not expired, with one item.
Status putPlan(StoreWriter& store, const RunId& run)
{
    PlanChange change;
    change.row.id = idOf<PlanId>("plan");
    change.row.command = idOf<CommandId>("plan");
    change.row.login = "uid 1000";
    change.row.items = 1;
    change.row.expiresAt = 4'000'000'000'000;
    PlanItem item;
    item.ord = 1;
    item.run = run;
    item.command = idOf<CommandId>("item");
    change.added = {item};
    CAIRN_TRY(store.changePlan(change));
    change.expected = 1;
    change.added.clear();
    change.row.state = PlanState::Staged;
    return store.changePlan(change);
}

// An act on the run that waits for a second person.
Status putProposal(StoreWriter& store, const RunId& run)
{
    CAIRN_TRY_ASSIGN(const StoreRights rights, store.rights());
    StagedAct act;
    act.command = idOf<CommandId>("proposal");
    act.run = run;
    act.verb = Verb::Retry;
    act.stagedBy = rights.login.empty() ? "uid 1" : rights.login;
    act.state = StagedState::Proposed;
    act.expires = 4'000'000'000'000;
    act.digest = actDigest(act);
    AuditRow row = removedBy("proposal");
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    row.run = run;
    auto change = std::make_shared<StoreChange>();
    change->propose = act;
    row.with = std::move(change);
    CAIRN_TRY(store.appendAudit(row));
    return {};
}

// Who follows the changes hears of a removal once, in parts as in one.
void hearOnce(StoreWriter& store, std::uint64_t cursor, const RunId& root, const RunId& child)
{
    const auto heard = store.changesSince(cursor, 10);
    CAIRN_VERIFY_OK(heard);
    QVERIFY(heard->rows.empty() && !heard->more);
    QCOMPARE(heard->removed.size(), std::size_t{2});
    QVERIFY(heard->removed[0].run == root && heard->removed[1].run == child);
    QVERIFY(store.changesSince(heard->cursor, 10)->removed.empty());
    const auto part = store.changesSince(cursor, 1);
    QVERIFY(part->more && part->removed.size() == 1 && part->removed[0].run == root);
    const auto rest = store.changesSince(part->cursor, 1);
    QVERIFY(!rest->more && rest->removed.size() == 1 && rest->removed[0].run == child);
}

}  // namespace

void ContractTest::aTreeGoesWholeWithItsTombstones()
{
    Writer root("root"), child("child"), other("other");
    CommitMember first = root.create("key 1");
    first.list = endedRow(root, root.run);
    first.payloads = {inlinePayload("p", "four")};
    first.steps = {stepRow(0, "a", StepState::Complete)};
    first.attributes = {{"supplier", "text", "acme", 0}};
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    root.committed(first);
    const CommitMember second = childOf(child, root);
    QCOMPARE(commitOne(second).kind, MemberResult::Kind::Committed);
    child.committed(second);
    createRun(other, other.listRow());
    const std::uint64_t cursor = m_store->changesSince(0, 10)->cursor;
    QVERIFY((*m_store->bondsOf(root.run) == TreeBonds{2, 0, 0, 0}));
    const auto bytes = m_store->bytesOf(root.run);
    CAIRN_VERIFY_OK(bytes);
    QCOMPARE(bytes->entries, std::uint64_t{first.entry.body.size()});
    QCOMPARE(bytes->payloads, std::uint64_t{4});
    const auto done = m_store->removeTree(removalOf(root, {&child}));
    CAIRN_VERIFY_OK(done);
    QVERIFY(*done);

    for (const Writer* gone : {&root, &child}) {
        const auto loaded = m_store->loadRun(gone->run, 1, 0);
        CAIRN_VERIFY_ERROR(loaded, ErrorKind::NotFound);
        QVERIFY(loaded.error().text.find("was removed on 2027-01-15 08:00:00Z by ann") != std::string::npos);
        CAIRN_VERIFY_ERROR(m_store->hot(gone->run), ErrorKind::NotFound);
        const auto stone = m_store->tombstone(gone->run);
        CAIRN_VERIFY_OK(stone);
        QVERIFY(stone->has_value());
        Tombstone wanted = stoneOf(*gone, root.run);
        wanted.act = 1;
        wanted.changed = (*stone)->changed;
        wanted.begun = gone == &root ? first.entry.command : second.entry.command;
        QVERIFY(**stone == wanted);
        QVERIFY((*stone)->changed > 0);
    }
    CAIRN_VERIFY_ERROR(m_store->payload(root.run, first.payloads[0].ref.id), ErrorKind::Refused);
    QVERIFY(!m_store->tombstone(other.run)->has_value());
    QCOMPARE(m_store->tombstones({}, 10)->size(), std::size_t{2});
    QCOMPARE(m_store->tombstones({}, 1)->size(), std::size_t{1});
    QCOMPARE(*m_store->count({}), std::uint64_t{1});
    QVERIFY(m_store->findRuns(toText(root.run), 10)->empty());
    QVERIFY(m_store->children(root.run)->empty());
    const auto audit = m_store->audit(0, 10);
    CAIRN_VERIFY_OK(audit);
    QCOMPARE(audit->size(), std::size_t{1});
    QVERIFY(audit->front().run == root.run);
    hearOnce(*m_store, cursor, root.run, child.run);
    // Again: it is not there any more. And nothing brings it back.
    QVERIFY(!*m_store->removeTree(removalOf(root, {&child})));
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    Writer again("root");
    CommitMember back = again.create();
    back.list = again.listRow();
    back.entry.command = idOf<CommandId>("another start");
    QCOMPARE(commitOne(back).kind, MemberResult::Kind::Failed);
    CAIRN_VERIFY_OK(m_store->hot(other.run));
}

void ContractTest::whatRemovedRunsLeftIsSwept()
{
    Writer root("root");
    CommitMember first = root.create();
    first.list = endedRow(root, root.run);
    const ArtifactId artifact = idOf<ArtifactId>("large");
    const std::string large(kInlineLimit + 1, 'x');
    CAIRN_VERIFY_OK(m_store->stageChunk(artifact, 0, large));
    PayloadRow payload = inlinePayload("large", large);
    payload.bytes.clear();
    payload.artifact = artifact;
    first.payloads = {payload, inlinePayload("small", "bytes")};
    first.steps = {stepRow(0, "a"), stepRow(1, "b"), stepRow(2, "c")};
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    root.committed(first);
    for (int i = 0; i < 5; ++i) {
        const CommitMember more = root.next("more" + std::to_string(i));
        QCOMPARE(commitOne(more).kind, MemberResult::Kind::Committed);
        root.committed(more);
    }
    QVERIFY(*m_store->removeTree(removalOf(root, {})));
    // Sound at every moment, and nobody reads what is left.
    for (;;) {
        const auto problems = m_store->check(true);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
        std::size_t seen = 0;
        CAIRN_VERIFY_OK(m_store->eachEntry({}, 100, [&](const RunId&, const SealedEntry&) { ++seen; }));
        QCOMPARE(seen, std::size_t{0});
        const auto swept = m_store->sweepRemoved(2);
        CAIRN_VERIFY_OK(swept);
        if (*swept == 0)
            break;
    }
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(2));
    const auto totals = m_store->chunkTotals();
    if (totals) {  // memory counts none
        QCOMPARE(totals->here, std::uint64_t{0});
    }
    CAIRN_VERIFY_OK(m_store->giveBack(1U << 30U));
    CAIRN_VERIFY_OK(m_store->space());
}

void ContractTest::aTreeThatIsBoundStays_data()
{
    QTest::addColumn<QString>("what");
    for (const char* what : {"version", "head", "another run", "owner", "message from", "message to",
             "waiter", "plan", "proposal"})
        QTest::newRow(what) << QString::fromLatin1(what);
}

void ContractTest::aTreeThatIsBoundStays()
{
    QFETCH(QString, what);
    const SessionId session = what == QLatin1String("owner") ? open("e") : SessionId{};
    Writer root("root", session), child("child"), other("other");
    CommitMember first = root.create();
    first.list = endedRow(root, root.run);
    if (what == QLatin1String("message from"))
        first.outbox = {{root.run, 1, 0, other.run, "body", root.createdAt}};
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    root.committed(first);
    TreeRemoval removal = removalOf(root, {});
    if (what == QLatin1String("version")) {
        const CommitMember more = root.next("more");
        QCOMPARE(commitOne(more).kind, MemberResult::Kind::Committed);
    } else if (what == QLatin1String("head")) {
        removal.stones[0].head = sha256("another");
    } else if (what == QLatin1String("plan")) {
        CAIRN_VERIFY_OK(putPlan(*m_store, root.run));
        QVERIFY((*m_store->bondsOf(root.run) == TreeBonds{1, 0, 0, 0, 0, 0, 1}));
    } else if (what == QLatin1String("proposal")) {
        CAIRN_VERIFY_OK(putProposal(*m_store, root.run));
        QVERIFY((*m_store->bondsOf(root.run) == TreeBonds{1, 0, 0, 0, 0, 1, 0}));
    } else if (what == QLatin1String("another run")) {
        QCOMPARE(commitOne(childOf(child, root)).kind, MemberResult::Kind::Committed);
    } else if (what == QLatin1String("message to") || what == QLatin1String("waiter")) {
        CommitMember member = other.create();
        member.list = other.listRow();
        EffectRow effect;
        effect.effect = effectOf("e");
        effect.tool = "pay";
        effect.key = "k";
        effect.state = LedgerState::InFlight;
        effect.holder = other.run;
        effect.holderStep = "a";
        effect.inputDigest = sha256("input");
        effect.changedAt = other.createdAt;
        member.effects = {EffectWrite{effect}};
        if (what == QLatin1String("message to"))
            member.outbox = {{other.run, 1, 0, root.run, "body", root.createdAt}};
        QCOMPARE(commitOne(member).kind, MemberResult::Kind::Committed);
        if (what == QLatin1String("waiter")) {
            CommitMember waits = root.next("waits");
            waits.waits = {{effect.effect, 0}};
            QCOMPARE(commitOne(waits).kind, MemberResult::Kind::Committed);
            root.committed(waits);
            removal = removalOf(root, {});
        }
    }
    const std::size_t audited = m_store->audit(0, 10)->size();
    const auto done = m_store->removeTree(removal);
    CAIRN_VERIFY_OK(done);
    QVERIFY(!*done);
    CAIRN_VERIFY_OK(m_store->loadRun(root.run, 1, 0));
    QVERIFY(!m_store->tombstone(root.run)->has_value());
    QCOMPARE(m_store->audit(0, 10)->size(), audited);
}

void ContractTest::keysOfRemovedRunsLiveOn()
{
    Writer root("root");
    CommitMember first = root.create("key 1");
    first.list = endedRow(root, root.run);
    EffectRow effect;
    effect.effect = effectOf("paid");
    effect.tool = "pay";
    effect.key = "k";
    effect.state = LedgerState::Completed;
    effect.holder = root.run;
    effect.holderStep = "a";
    effect.inputDigest = sha256("input");
    effect.changedAt = root.createdAt;
    first.effects = {EffectWrite{effect}};
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    root.committed(first);
    QVERIFY(*m_store->removeTree(removalOf(root, {}, kRemoved + 1'000)));

    const auto holder = m_store->findKey("purchase", "key 1");
    CAIRN_VERIFY_OK(holder);
    QVERIFY(holder->has_value());
    QVERIFY((*holder)->run == root.run);
    QVERIFY((*holder)->keyInput == first.identity->keyInput);
    QVERIFY((*holder)->keySalt == first.identity->keySalt);
    Writer second("second");
    CommitMember same = second.create("key 1");
    same.list = second.listRow();
    const MemberResult taken = commitOne(same);
    QCOMPARE(taken.kind, MemberResult::Kind::KeyTaken);
    QVERIFY(taken.other == root.run);
    QCOMPARE(m_store->effects(std::vector{effect.effect})->size(), std::size_t{1});

    QCOMPARE(*m_store->forgetKeys(kRemoved + 999, 10), std::uint64_t{0});
    QVERIFY(m_store->findKey("purchase", "key 1")->has_value());
    QCOMPARE(*m_store->forgetKeys(kRemoved + 1'000, 10), std::uint64_t{1});
    QVERIFY(!m_store->findKey("purchase", "key 1")->has_value());
    QVERIFY(m_store->effects(std::vector{effect.effect})->empty());
    QVERIFY(m_store->tombstone(root.run)->has_value());
    QCOMPARE(commitOne(same).kind, MemberResult::Kind::Committed);
}

// A command that was acknowledged is answered the same way again: also when its run was removed, and when
// what was left of it has been swept.
void ContractTest::aRemovedRunsStartIsAnsweredAsItWas()
{
    Writer root("root"), other("other");
    CommitMember first = root.create("key 1");
    first.list = endedRow(root, root.run);
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    root.committed(first);
    const CommitMember more = root.next("more");
    QCOMPARE(commitOne(more).kind, MemberResult::Kind::Committed);
    root.committed(more);
    QVERIFY(*m_store->removeTree(removalOf(root, {})));
    const auto asked = [&] {
        CommitMember another = first;
        another.entry.command = idOf<CommandId>("another start");
        const auto results = commitAll({first, another, root.next("later")});
        QCOMPARE(results.size(), std::size_t{3});
        QCOMPARE(results[0].kind, MemberResult::Kind::Duplicate);
        QCOMPARE(results[0].version, std::uint64_t{1});
        QCOMPARE(results[1].kind, MemberResult::Kind::Failed);
        QCOMPARE(results[1].error.kind, ErrorKind::Refused);
        QCOMPARE(results[1].error.text, std::string("this run was deleted"));
        QCOMPARE(results[2].kind, MemberResult::Kind::Stale);
        QVERIFY(*m_store->findCommand(root.run, first.entry.command) == std::uint64_t{1});
        QVERIFY(!m_store->findCommand(root.run, more.entry.command)->has_value());
        QVERIFY(!m_store->findCommand(root.run, another.entry.command)->has_value());
        QVERIFY(!m_store->findCommand(other.run, first.entry.command)->has_value());
    };
    asked();
    while (*m_store->sweepRemoved(100) > 0) { }
    asked();
    // Neighbours in the same group are not affected, and its key stays taken.
    const CommitMember neighbour = other.create();
    const auto together = commitAll({first, neighbour});
    QCOMPARE(together[0].kind, MemberResult::Kind::Duplicate);
    QCOMPARE(together[1].kind, MemberResult::Kind::Committed);
    QCOMPARE(commitOne(Writer("third").create("key 1")).kind, MemberResult::Kind::KeyTaken);
    QVERIFY(m_store->check(true)->empty());
}

void ContractTest::redactedPayloadsKeepHashAndSize()
{
    Writer run("run");
    CommitMember first = run.create();
    first.list = run.listRow();
    const ArtifactId artifact = idOf<ArtifactId>("large");
    const std::string large(kInlineLimit + 1, 'x');
    CAIRN_VERIFY_OK(m_store->stageChunk(artifact, 0, large));
    PayloadRow big = inlinePayload("large", large);
    big.bytes.clear();
    big.artifact = artifact;
    const PayloadRow small = inlinePayload("small", "secret"), kept = inlinePayload("kept", "kept");
    first.payloads = {big, small, kept};
    QCOMPARE(commitOne(first).kind, MemberResult::Kind::Committed);
    run.committed(first);
    CommitMember redacts = run.next("redact");
    redacts.redacted = {big.ref.id, small.ref.id};
    QCOMPARE(commitOne(redacts).kind, MemberResult::Kind::Committed);
    run.committed(redacts);

    for (const PayloadRow* gone : std::initializer_list<const PayloadRow*>{&big, &small}) {
        const auto read = m_store->payload(run.run, gone->ref.id);
        CAIRN_VERIFY_ERROR(read, ErrorKind::Refused);
        QVERIFY(read.error().text.find("was redacted by act 2") != std::string::npos);
        CAIRN_VERIFY_ERROR(m_store->payloadInfo(run.run, gone->ref.id), ErrorKind::Refused);
    }
    QCOMPARE(*m_store->payload(run.run, kept.ref.id), std::string("kept"));
    const std::vector ids{big.ref.id, small.ref.id, kept.ref.id};
    QCOMPARE(m_store->payloads(run.run, ids)->size(), std::size_t{1});
    QCOMPARE(m_store->bytesOf(run.run)->payloads, std::uint64_t{4});
    CAIRN_VERIFY_OK(m_store->dropStagedBefore(2));
    const auto problems = m_store->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    QCOMPARE(m_store->loadRun(run.run, 1, 0)->entries.size(), std::size_t{2});
}

void ContractTest::retentionIsSetPerWorkflow()
{
    QVERIFY(m_store->retention()->empty());
    RetentionRow row;
    row.workflow = "purchase";
    row.keepDays = 30;
    row.redactDays = 7;
    row.keysDays = 400;
    CAIRN_VERIFY_OK(m_store->setRetention(row, removedBy("set")));
    RetentionRow driven;
    driven.keepDays = 5;
    CAIRN_VERIFY_OK(m_store->setRetention(driven, removedBy("driven")));
    row.redactDays = 0;
    CAIRN_VERIFY_OK(m_store->setRetention(row, removedBy("again")));
    const auto rows = m_store->retention();
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE(rows->front().workflow, std::string());
    QCOMPARE(rows->front().keepDays, 5U);
    QCOMPARE(rows->back().redactDays, 0U);
    QCOMPARE(rows->back().keysDays, 400U);
    QVERIFY(rows->back().changedAt > 0);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{3});
    row.keepDays = 0;
    CAIRN_VERIFY_ERROR(m_store->setRetention(row, removedBy("bad")), ErrorKind::InvalidInput);
    row.keepDays = 10;
    row.redactDays = 11;
    CAIRN_VERIFY_ERROR(m_store->setRetention(row, removedBy("bad")), ErrorKind::InvalidInput);
    row.redactDays = 0;
    row.keysDays = 9;
    CAIRN_VERIFY_ERROR(m_store->setRetention(row, removedBy("bad")), ErrorKind::InvalidInput);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{3});
}

void ContractTest::whatIsNeverStoredIsKept()
{
    QVERIFY(m_store->neverStore()->empty());
    const SecretList list{{"password", "*_token"}, {"sk-live-*"}};
    CAIRN_VERIFY_OK(m_store->setNeverStore(list, removedBy("list")));
    const auto read = m_store->neverStore();
    CAIRN_VERIFY_OK(read);
    QVERIFY((*read == SecretList{{"*_token", "password"}, {"sk-live-*"}}));
    CAIRN_VERIFY_ERROR(m_store->setNeverStore({{"*"}, {}}, removedBy("bad")), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(m_store->setNeverStore({{}, {"a b c d"}}, removedBy("bad")), ErrorKind::InvalidInput);
    CAIRN_VERIFY_OK(m_store->setNeverStore({{"pin"}, {}}, removedBy("less")));
    QVERIFY((*m_store->neverStore() == SecretList{{"pin"}, {}}));
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{2});
}

void ContractTest::aTombstoneIsSigned()
{
    Writer root("root");
    root.version = 3;
    root.head = sha256("head");
    Tombstone stone = stoneOf(root, root.run);
    const UuidBytes store = idOf<RunId>("store").bytes;
    QCOMPARE(sealOf(store, stone), StoneSeal::Unsigned);
    const SigningKey key(std::array<std::uint8_t, 32>{1, 2, 3});
    stone.key = key.publicKey();
    stone.signature = sign(key, tombstoneText(store, stone));
    QCOMPARE(sealOf(store, stone), StoneSeal::Good);
    QCOMPARE(sealOf(idOf<RunId>("another").bytes, stone), StoneSeal::Bad);
    for (int field = 0; field < 6; ++field) {
        Tombstone changed = stone;
        if (field == 0)
            changed.versions = 2;
        else if (field == 1)
            changed.head = sha256("another");
        else if (field == 2)
            changed.deletedAt += 1;
        else if (field == 3)
            changed.rule += "!";
        else if (field == 4)
            changed.by = "bob";
        else
            changed.as = Activity::Failed;
        QCOMPARE(sealOf(store, changed), StoneSeal::Bad);
    }
}

}  // namespace cairn::testing
