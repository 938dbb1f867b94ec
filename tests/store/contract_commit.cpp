#include "tests/store/contract.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

void ContractTest::init()
{
    m_backend = makeBackend();
    m_store = m_backend->connect();
    QVERIFY(m_store);
}

void ContractTest::cleanup()
{
    m_store.reset();
    m_backend.reset();
}

std::vector<MemberResult> ContractTest::commitAll(const std::vector<CommitMember>& members)
{
    std::vector<MemberResult> results;
    const Status status = m_store->commit(members, results);
    if (!status)
        qWarning("%s", errorLine(status.error()).c_str());
    return results;
}

MemberResult ContractTest::commitOne(const CommitMember& member)
{
    const auto results = commitAll({member});
    return results.size() == 1 ? results.front() : MemberResult{Kind::Failed, 0, {}, 0, false, {}};
}

void ContractTest::createRun(Writer& writer, ListRow row)
{
    CommitMember member = writer.create();
    member.identity->parent.run = row.parent;
    member.identity->root = row.root;
    member.list = std::move(row);
    QVERIFY(commitOne(member).kind == Kind::Committed);
    writer.committed(member);
}

SessionId ContractTest::open(const std::string& name)
{
    const SessionRow row = sessionRow(name, *m_store->now());
    const Status status = m_store->openSession(row);
    if (!status)
        qWarning("%s", errorLine(status.error()).c_str());
    return row.id;
}

void ContractTest::infoIsComplete()
{
    const auto info = m_store->info();
    CAIRN_VERIFY_OK(info);
    QVERIFY(info->id != UuidBytes{});
    QVERIFY(info->salt != Salt{});
    QVERIFY(info->seed != 0);
    QVERIFY(info->createdAt > 0);
    QCOMPARE(info->schema, std::uint32_t{kMaxFormat});
    QCOMPARE(info->writeFormat, kMaxFormat);
    QCOMPARE(info->environment, std::string("test"));
    QVERIFY(info->safety == Safety::Guarded);
    QVERIFY(info->testClock);
}

void ContractTest::aNewRunIsThereAsWritten()
{
    Writer writer("a", open("e"));
    CommitMember member = writer.create("key 1");
    member.nextDue = 1234;
    member.identity->parent = {idOf<RunId>("parent"), 3, 7};
    member.identity->root = idOf<RunId>("root");
    member.identity->forkedFrom = idOf<RunId>("fork");
    member.identity->driven = true;
    const MemberResult result = commitOne(member);
    QVERIFY(result.kind == Kind::Committed);
    QCOMPARE(result.version, std::uint64_t{1});

    const auto loaded = m_store->loadRun(writer.run, 1, 0);
    CAIRN_VERIFY_OK(loaded);
    const RunRow& id = loaded->identity;
    QCOMPARE(id.run, writer.run);
    QCOMPARE(id.root, idOf<RunId>("root"));
    QVERIFY(id.parent == (ParentRef{idOf<RunId>("parent"), 3, 7}));
    QVERIFY(id.workflow == member.identity->workflow);
    QCOMPARE(id.key, std::string("key 1"));
    QCOMPARE(id.keyInput, sha256("input"));
    QVERIFY(id.keySalt == member.identity->keySalt);
    QCOMPARE(id.createdAt, writer.createdAt);
    QCOMPARE(id.forkedFrom, idOf<RunId>("fork"));
    QVERIFY(id.driven);
    QCOMPARE(loaded->hot.version, std::uint64_t{1});
    QCOMPARE(loaded->hot.epoch, std::uint64_t{1});
    QCOMPARE(loaded->hot.owner, writer.by);
    QCOMPARE(loaded->hot.head, member.entry.hash);
    QCOMPARE(loaded->hot.nextDue, TimeMs{1234});
    QCOMPARE(loaded->hot.format, kMaxFormat);
}

void ContractTest::entriesComeBackAsWritten()
{
    Writer writer("a");
    std::vector<SealedEntry> written;
    for (int i = 0; i < 5; ++i) {
        CommitMember member = i == 0 ? writer.create() : writer.next("c" + std::to_string(i));
        QVERIFY(commitOne(member).kind == Kind::Committed);
        writer.committed(member);
        written.push_back(member.entry);
    }
    const auto loaded = m_backend->connect()->loadRun(writer.run, 1, 0);
    CAIRN_VERIFY_OK(loaded);
    QCOMPARE(loaded->entries.size(), written.size());
    Digest previous;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const SealedEntry& e = loaded->entries[i];
        QCOMPARE(e.version, written[i].version);
        QCOMPARE(e.command, written[i].command);
        QCOMPARE(e.format, written[i].format);
        QCOMPARE(e.body, written[i].body);
        QCOMPARE(e.hash, written[i].hash);
        QCOMPARE(e.previous, previous);
        CAIRN_VERIFY_OK(checkSeal(e, previous));
        previous = e.hash;
    }
}

void ContractTest::versionsOfALoadCanBeChosen()
{
    Writer writer("a");
    for (int i = 0; i < 6; ++i) {
        const CommitMember member = i == 0 ? writer.create() : writer.next(std::to_string(i));
        QVERIFY(commitOne(member).kind == Kind::Committed);
        writer.committed(member);
    }
    struct Case {
        std::uint64_t from, to;
        std::size_t count;
        std::uint64_t first;
    };
    for (const Case& c : {Case{1, 0, 6, 1}, Case{3, 0, 4, 3}, Case{2, 4, 3, 2}, Case{6, 99, 1, 6},
             Case{7, 0, 0, 0}, Case{0, 1, 1, 1}}) {
        const auto loaded = m_store->loadRun(writer.run, c.from, c.to);
        CAIRN_VERIFY_OK(loaded);
        QCOMPARE(loaded->entries.size(), c.count);
        if (c.count > 0)
            QCOMPARE(loaded->entries.front().version, c.first);
        QCOMPARE(loaded->hot.version, std::uint64_t{6});
    }
    // A load that begins later still names the hash that its first entry continues.
    const auto later = m_store->loadRun(writer.run, 4, 0);
    CAIRN_VERIFY_OK(
        checkSeal(later->entries.front(), m_store->loadRun(writer.run, 3, 3)->entries.front().hash));
    CAIRN_VERIFY_ERROR(m_store->loadRun(idOf<RunId>("none"), 1, 0), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(m_store->hot(idOf<RunId>("none")), ErrorKind::NotFound);
}

void ContractTest::aStaleMemberIsRefusedAndItsNeighboursAreNot()
{
    Writer a("a"), b("b"), c("c");
    for (Writer* w : {&a, &b, &c}) {
        const CommitMember member = w->create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
        w->committed(member);
    }
    CommitMember stale = b.next("x");
    stale.expectedVersion = 5;
    stale.entry.version = 6;
    stale.steps = {stepRow(0, "s")};
    Writer unknown("unknown");
    unknown.version = 1;
    const auto results = commitAll({a.next("x"), stale, unknown.next("x"), c.next("x")});
    QCOMPARE(results.size(), std::size_t{4});
    QVERIFY(results[0].kind == Kind::Committed);
    QVERIFY(results[1].kind == Kind::Stale);
    QVERIFY(results[2].kind == Kind::Stale);
    QVERIFY(results[3].kind == Kind::Committed);
    QCOMPARE(m_store->hot(a.run)->version, std::uint64_t{2});
    QCOMPARE(m_store->hot(b.run)->version, std::uint64_t{1});
    QCOMPARE(m_store->hot(c.run)->version, std::uint64_t{2});
    QVERIFY(m_store->steps(b.run)->empty());
}

void ContractTest::aStaleEpochIsRefusedOnlyWhereItIsChecked()
{
    Writer writer("a", open("e"));
    const CommitMember first = writer.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    writer.committed(first);
    writer.epoch = 9;
    QVERIFY(commitOne(writer.next("x")).kind == Kind::Stale);
    CommitMember unfenced = writer.next("x");
    unfenced.checkEpoch = false;
    QVERIFY(commitOne(unfenced).kind == Kind::Committed);
}

void ContractTest::aRepeatedCommandIsADuplicate()
{
    Writer writer("a");
    const CommitMember first = writer.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    writer.committed(first);
    const CommitMember second = writer.next("x");
    QVERIFY(commitOne(second).kind == Kind::Committed);
    const MemberResult again = commitOne(second);
    QVERIFY(again.kind == Kind::Duplicate);
    QCOMPARE(again.version, std::uint64_t{2});
    const MemberResult start = commitOne(first);
    QVERIFY(start.kind == Kind::Duplicate);
    QCOMPARE(start.version, std::uint64_t{1});
    Writer other = Writer("a");
    CommitMember otherStart = other.create();
    otherStart.entry = other.seal("another start");
    QVERIFY(commitOne(otherStart).kind == Kind::Stale);
    const auto found = m_store->findCommand(writer.run, second.entry.command);
    QVERIFY(found && *found == std::optional<std::uint64_t>(2));
    QVERIFY(*m_store->findCommand(writer.run, idOf<CommandId>("none")) == std::nullopt);
    QCOMPARE(m_store->loadRun(writer.run, 1, 0)->entries.size(), std::size_t{2});
}

void ContractTest::aRepeatedCommandOnTheCurrentVersionIsADuplicateToo()
{
    Writer writer("a");
    for (const char* command : {"start", "x", "y"}) {
        const CommitMember member = writer.version == 0 ? writer.create() : writer.next(command);
        QVERIFY(commitOne(member).kind == Kind::Committed);
        writer.committed(member);
    }
    CommitMember again = writer.next("x");
    again.steps = {stepRow(0, "s")};
    const MemberResult result = commitOne(again);
    QVERIFY(result.kind == Kind::Duplicate);
    QCOMPARE(result.version, std::uint64_t{2});
    QCOMPARE(m_store->hot(writer.run)->version, std::uint64_t{3});
    QVERIFY(m_store->steps(writer.run)->empty());
}

void ContractTest::aTakenKeyNamesItsRun()
{
    Writer a("a"), b("b"), c("c");
    QVERIFY(commitOne(a.create("order 7")).kind == Kind::Committed);
    const MemberResult taken = commitOne(b.create("order 7"));
    QVERIFY(taken.kind == Kind::KeyTaken);
    QCOMPARE(taken.other, a.run);
    CAIRN_VERIFY_ERROR(m_store->hot(b.run), ErrorKind::NotFound);
    CommitMember elsewhere = c.create("order 7");
    elsewhere.identity->workflow.name = "refund";
    QVERIFY(commitOne(elsewhere).kind == Kind::Committed);
    const auto found = m_store->findKey("purchase", "order 7");
    CAIRN_VERIFY_OK(found);
    QCOMPARE((*found)->run, a.run);
    QCOMPARE((*found)->keyInput, sha256("input"));
    QVERIFY(!*m_store->findKey("purchase", "order 8"));
    QVERIFY(!*m_store->findKey("purchase", ""));
    // Within one group the first wins.
    Writer d("d"), e("e");
    const auto both = commitAll({d.create("k"), e.create("k")});
    QVERIFY(both[0].kind == Kind::Committed);
    QVERIFY(both[1].kind == Kind::KeyTaken);
    QCOMPARE(both[1].other, d.run);
}

void ContractTest::aFailedMemberLeavesNothing_data()
{
    QTest::addColumn<int>("defect");
    QTest::addColumn<int>("kind");
    const auto invalid = static_cast<int>(ErrorKind::InvalidInput);
    QTest::newRow("payload of another hash") << 0 << invalid;
    QTest::newRow("payload of another size") << 1 << invalid;
    QTest::newRow("payload over the inline limit") << 2 << invalid;
    QTest::newRow("NUL in a step's name") << 3 << invalid;
    QTest::newRow("broken UTF-8 in an attribute") << 4 << invalid;
    QTest::newRow("artifact that is not there") << 5 << invalid;
    QTest::newRow("format that may not be written") << 6 << static_cast<int>(ErrorKind::SchemaMismatch);
    QTest::newRow("version that does not follow") << 7 << invalid;
    QTest::newRow("take by a change") << 8 << invalid;
    QTest::newRow("no command id") << 9 << invalid;
    QTest::newRow("surrogate in an audit reason") << 10 << invalid;
}

void ContractTest::aFailedMemberLeavesNothing()
{
    QFETCH(int, defect);
    QFETCH(int, kind);
    Writer a("a"), b("b"), c("c");
    for (Writer* w : {&a, &b, &c}) {
        const CommitMember member = w->create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
        w->committed(member);
    }
    CommitMember bad = b.next("x");
    bad.steps = {stepRow(0, "s")};
    bad.payloads = {inlinePayload("p", "hello")};
    switch (defect) {
    case 0: bad.payloads[0].bytes = "hellO"; break;
    case 1: bad.payloads[0].ref.size = 4; break;
    case 2: bad.payloads[0] = inlinePayload("p", std::string(kInlineLimit + 1, 'x')); break;
    case 3: bad.steps[0].name = std::string("a\0b", 3); break;
    case 4: bad.attributes = {{"n", "text", "\xC3\x28", 0}}; break;
    case 5: bad.payloads[0].artifact = idOf<ArtifactId>("none"); break;
    case 6: bad.entry.format = kMaxFormat + 1; break;
    case 7: bad.entry.version = 7; break;
    case 8:
        bad.owner = OwnerChange::Take;
        bad.newOwner = idOf<SessionId>("s");
        break;
    case 9: bad.entry.command = {}; break;
    default:
        bad.audit = AuditRow{};
        bad.audit->reason = "\xED\xA0\x80";
        break;
    }
    const auto results = commitAll({a.next("x"), bad, c.next("x")});
    QVERIFY(results[0].kind == Kind::Committed);
    QVERIFY(results[1].kind == Kind::Failed);
    QVERIFY2(static_cast<int>(results[1].error.kind) == kind, errorLine(results[1].error).c_str());
    QVERIFY(!results[1].error.text.empty());
    QVERIFY(results[2].kind == Kind::Committed);
    QCOMPARE(m_store->hot(b.run)->version, std::uint64_t{1});
    QVERIFY(m_store->steps(b.run)->empty());
    CAIRN_VERIFY_ERROR(m_store->payloadInfo(b.run, idOf<PayloadId>("payload p")), ErrorKind::NotFound);
    QVERIFY(m_store->audit(0, 10)->empty());
}

void ContractTest::anEntryMustContinueTheHead()
{
    Writer writer("a");
    const CommitMember first = writer.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    writer.committed(first);
    writer.head = sha256("another history");
    const MemberResult result = commitOne(writer.next("x"));
    QVERIFY(result.kind == Kind::Failed);
    QCOMPARE(result.error.kind, ErrorKind::Corrupt);
    QCOMPARE(m_store->hot(writer.run)->version, std::uint64_t{1});
}

void ContractTest::everyRowIsStored()
{
    const SessionId session = open("e");
    Writer writer("a", session);
    CommitMember member = writer.create();
    StepRow step = stepRow(0, "plan", StepState::Running);
    step.kind = StepKind::Decision;
    step.safety = ReplaySafety::Irreversible;
    step.reason = Reason::Retry;
    step.since = 1;
    step.due = 2;
    step.revision = 3;
    step.attempts = 4;
    step.failures = 5;
    step.lost = 6;
    step.input = idOf<PayloadId>("i");
    step.output = idOf<PayloadId>("o");
    step.error = idOf<PayloadId>("e");
    step.effect = effectOf("x");
    step.readyAt = 7;
    step.startedAt = 8;
    step.endedAt = 9;
    member.steps = {step, stepRow(1, "pay")};
    AttemptRow attempt = attemptRow("1", 0, 1, session);
    attempt.purpose = Purpose::LookUp;
    attempt.endedAt = 5;
    attempt.how = AttemptEnd::TimedOut;
    attempt.effect = EffectKnowledge::Unknown;
    attempt.error = idOf<PayloadId>("e");
    member.attempts = {attempt, attemptRow("2", 1, 1, session)};
    if (kMaxFormat == kFormat1)  // schema 1 has no columns for them: they follow from the ids
        for (AttemptRow& row : member.attempts) {
            row.trace = legacyTrace(writer.run);
            row.span = legacySpan(row.id);
        }
    ApprovalRow approval{idOf<ApprovalId>("a"), 1, ApprovalState::Approved, sha256("b"), "finance", 1, 2, 3,
        "ann", idOf<PayloadId>("n"), 2, "bob_login", "[\"ann_login\"]"};
    member.approvals = {approval};
    member.attributes = {{"amount", "money", "12.50 EUR", 12'500'000}, {"order", "text", "PO-7", 0}};
    member.list = writer.listRow();
    QVERIFY(commitOne(member).kind == Kind::Committed);

    QVERIFY(*m_store->steps(writer.run) == member.steps);
    QVERIFY(*m_store->attempts(writer.run, kNoStep) == member.attempts);
    QVERIFY(*m_store->attempts(writer.run, 1) == std::vector<AttemptRow>{member.attempts[1]});
    QVERIFY(*m_store->approvals(writer.run) == member.approvals);
    const auto attributes = m_store->attributes(writer.run);
    QCOMPARE(attributes->size(), std::size_t{2});
    QCOMPARE((*attributes)[0].name, std::string("amount"));
    QCOMPARE((*attributes)[0].type, std::string("money"));
    QCOMPARE((*attributes)[0].text, std::string("12.50 EUR"));
    QCOMPARE((*attributes)[0].number, std::int64_t{12'500'000});
    const auto rows = m_store->listRows(std::vector<RunId>{idOf<RunId>("none"), writer.run});
    QCOMPARE(rows->size(), std::size_t{1});
    QVERIFY(rows->front().sameContent(*member.list));
    QCOMPARE(rows->front().version, std::uint64_t{1});
    for (const auto& missing : {m_store->steps(idOf<RunId>("none")).has_value(),
             m_store->attempts(idOf<RunId>("none"), kNoStep).has_value(),
             m_store->approvals(idOf<RunId>("none")).has_value()})
        QVERIFY(!missing);
}

void ContractTest::rowsAreReplacedByLaterOnes()
{
    const SessionId session = open("e");
    Writer writer("a", session);
    CommitMember member = writer.create();
    member.steps = {stepRow(0, "s")};
    member.attempts = {attemptRow("1", 0, 1, session)};
    member.attempts[0].trace = legacyTrace(writer.run);
    member.attempts[0].span = legacySpan(member.attempts[0].id);
    member.attributes = {{"n", "text", "old", 0}};
    member.list = writer.listRow();
    QVERIFY(commitOne(member).kind == Kind::Committed);
    writer.committed(member);
    CommitMember next = writer.next("x");
    next.steps = {stepRow(0, "s", StepState::Complete)};
    next.attempts = member.attempts;
    next.attempts[0].endedAt = 77;
    next.attributes = {{"n", "integer", "5", 5}};
    next.list = member.list;
    next.list->activity = Activity::Completed;
    next.list->attention = Attention::None;
    next.list->situation = "s1";
    next.list->amount = {5'000'000, "EUR"};
    next.list->workflowVersion = 2;
    QVERIFY(commitOne(next).kind == Kind::Committed);
    QVERIFY(*m_store->steps(writer.run) == next.steps);
    QVERIFY(*m_store->attempts(writer.run, 0) == next.attempts);
    QCOMPARE(m_store->attributes(writer.run)->front().text, std::string("5"));
    const auto rows = m_store->listRows(std::vector<RunId>{writer.run});
    QVERIFY(rows->front().sameContent(*next.list));
    QCOMPARE(rows->front().version, std::uint64_t{2});
}

void ContractTest::membersOfOneRunFollowEachOther()
{
    Writer writer("a");
    std::vector<CommitMember> members;
    for (int i = 0; i < 4; ++i) {
        members.push_back(i == 0 ? writer.create() : writer.next(std::to_string(i)));
        writer.committed(members.back());
    }
    for (const MemberResult& result : commitAll(members))
        QVERIFY(result.kind == Kind::Committed);
    QCOMPARE(m_store->hot(writer.run)->version, std::uint64_t{4});
}

void ContractTest::aChildBeginsOnlyOnTheControlThatItWasDecidedOn_data()
{
    QTest::addColumn<int>("change");
    QTest::addColumn<bool>("begins");
    QTest::newRow("nothing changed") << 0 << true;
    QTest::newRow("the parent moved, its control did not") << 1 << true;
    QTest::newRow("the parent's control changed") << 2 << false;
    QTest::newRow("the parent's control changes in the same group") << 3 << false;
    QTest::newRow("that of the parent's parent changed") << 4 << false;
    QTest::newRow("there is no such parent") << 5 << false;
}

void ContractTest::aChildBeginsOnlyOnTheControlThatItWasDecidedOn()
{
    QFETCH(int, change);
    QFETCH(bool, begins);
    Writer root("root"), parent("parent"), child("child");
    for (Writer* w : {&root, &parent}) {
        CommitMember first = w->create();
        first.control = 1;
        QVERIFY(commitOne(first).kind == Kind::Committed);
        w->committed(first);
    }
    CommitMember start = child.create();
    start.ancestors = {{parent.run, 1}, {root.run, 1}};
    if (change == 5)
        start.ancestors = {{idOf<RunId>("run nobody"), 1}};
    Writer& moved = change == 4 ? root : parent;
    CommitMember move = moved.next("move");
    move.control = change == 1 ? 1 : 2;
    if (change == 1 || change == 2 || change == 4)
        QVERIFY(commitOne(move).kind == Kind::Committed);
    const auto results = change == 3 ? commitAll({move, start}) : commitAll({start});
    QVERIFY(results.back().kind == (begins ? Kind::Committed : Kind::Stale));
    QCOMPARE(m_store->hot(child.run).has_value(), begins);
    if (change > 0 && change < 5)
        QCOMPARE(m_store->hot(moved.run)->control, move.control);
    if (change != 2)
        return;
    // Decided again on what is there now, under the same command id.
    start.ancestors = {{parent.run, 2}, {root.run, 1}};
    QVERIFY(commitOne(start).kind == Kind::Committed);
    child.committed(start);
    // What a child does later may be guarded as well; a repeated command is a duplicate all the same.
    CommitMember later = child.next("later");
    later.ancestors = {{parent.run, 1}};
    QVERIFY(commitOne(later).kind == Kind::Stale);
    later.ancestors = {{parent.run, 2}};
    QVERIFY(commitOne(later).kind == Kind::Committed);
    later.ancestors = {{parent.run, 1}};
    QVERIFY(commitOne(later).kind == Kind::Duplicate);
}

void ContractTest::aLargeGroupIsCommitted()
{
    std::vector<CommitMember> members;
    for (int i = 0; i < 1500; ++i) {
        Writer writer("r" + std::to_string(i));
        members.push_back(writer.create());
        members.back().list = writer.listRow();
        members.back().payloads = {inlinePayload(std::to_string(i), std::string(2000, 'x'))};
    }
    const auto results = commitAll(members);
    QCOMPARE(results.size(), members.size());
    for (const MemberResult& result : results)
        QVERIFY(result.kind == Kind::Committed);
    QCOMPARE(*m_store->count({}), std::uint64_t{1500});
}

void ContractTest::anEmptyGroupIsFine() { QVERIFY(commitAll({}).empty()); }

}  // namespace cairn::testing
