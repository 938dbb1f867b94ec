#include "tests/store/contract.h"

namespace cairn::testing {

namespace {

PlanRow planRow(const std::string& name, TimeMs stagedAt)
{
    PlanRow row;
    row.id = idOf<PlanId>("plan " + name);
    row.verb = Verb::Retry;
    row.command = idOf<CommandId>("plan " + name);
    row.login = "uid 1000";
    row.actor = "kim";
    row.uid = 1000;
    row.host = "host";
    row.reason = "the model answers again";
    row.stagedAt = stagedAt;
    row.expiresAt = stagedAt + 1'000;
    row.spec = std::string("spec\0bytes", 10);
    row.items = 3;
    row.digest = sha256("digest " + name);
    row.people = 2;
    row.role = "finance";
    return row;
}

PlanItem item(std::uint32_t ord, const std::string& run)
{
    PlanItem i;
    i.ord = ord;
    i.run = idOf<RunId>("run " + run);
    i.command = idOf<CommandId>("item " + run);
    i.target = "ask";
    i.seen = 4;
    i.situation = "attempts_exhausted|flow";
    return i;
}

AuditRow auditOf(const PlanRow& row, const std::string& kind, const std::string& command)
{
    AuditRow audit;
    audit.time = row.stagedAt;
    audit.kind = kind;
    audit.verb = Verb::Plan;
    audit.target = toText(row.id);
    audit.command = idOf<CommandId>(command);
    return audit;
}

// The plan with its three items, staged: at revision 2.
Status putStaged(StoreWriter& store, const PlanRow& row)
{
    PlanChange change;
    change.row = row;
    change.added = {item(1, "a"), item(2, "b"), item(3, "c")};
    CAIRN_TRY(store.changePlan(change));
    change.expected = 1;
    change.added.clear();
    change.row.state = PlanState::Staged;
    return store.changePlan(change);
}

// The act of the item at this place, with its audit entry.
CommitMember actOf(const Writer& writer, const PlanRow& row, std::uint32_t ord)
{
    CommitMember member = writer.next("act");
    member.planItem = PlanOutcome{row.id, ord, 6'000};
    member.audit = auditOf(row, "applied", "unused");
    member.audit->verb = Verb::Retry;
    member.audit->run = writer.run;
    member.audit->command = member.entry.command;
    return member;
}

// The same plan with items that are done by the writers' acts.
Status putActs(StoreWriter& store, const PlanRow& row, const std::vector<const Writer*>& writers)
{
    PlanChange change;
    change.row = row;
    change.row.items = static_cast<std::uint32_t>(writers.size());
    for (const Writer* writer : writers) {
        PlanItem& each =
            change.added.emplace_back(item(static_cast<std::uint32_t>(change.added.size()) + 1, ""));
        each.run = writer->run;
        each.command = actOf(*writer, row, each.ord).entry.command;
    }
    CAIRN_TRY(store.changePlan(change));
    change.expected = 1;
    change.added.clear();
    change.row.state = PlanState::Staged;
    CAIRN_TRY(store.changePlan(change));
    change.expected = 2;
    change.row.state = PlanState::Running;
    change.row.startedAt = 5'500;
    return store.changePlan(change);
}

}  // namespace

void ContractTest::aPlanComesBackAsWritten()
{
    const PlanRow row = planRow("one", 5'000);
    QVERIFY(!m_store->plan(row.id)->has_value());
    CAIRN_VERIFY_OK(putStaged(*m_store, row));
    const auto found = m_store->plan(row.id);
    CAIRN_VERIFY_OK(found);
    QVERIFY(found->has_value());
    const PlanRow& p = **found;
    QVERIFY(p.id == row.id && p.verb == row.verb && p.command == row.command && p.uid == row.uid);
    QCOMPARE(p.login, row.login);
    QCOMPARE(p.actor, row.actor);
    QCOMPARE(p.host, row.host);
    QCOMPARE(p.reason, row.reason);
    QCOMPARE(p.stagedAt, row.stagedAt);
    QCOMPARE(p.expiresAt, row.expiresAt);
    QCOMPARE(p.spec, row.spec);
    QCOMPARE(p.items, row.items);
    QCOMPARE(p.digest, row.digest);
    QCOMPARE(p.people, row.people);
    QCOMPARE(p.role, row.role);
    QCOMPARE(p.revision, std::uint64_t{2});
    QVERIFY(p.state == PlanState::Staged && !p.aborted && p.holder.isNull());
    const auto items = m_store->planItems(row.id, 0, 10, {});
    QCOMPARE(items->size(), std::size_t{3});
    QVERIFY((*items)[0] == item(1, "a") && (*items)[2] == item(3, "c"));
    QCOMPARE(m_store->planItems(row.id, 1, 1, {})->size(), std::size_t{1});
    QVERIFY(m_store->planItems(row.id, 1, 1, {})->front() == item(2, "b"));
    QVERIFY(m_store->planItems(row.id, 3, 10, {})->empty());
}

void ContractTest::aPlanMovesOnByItsRevision()
{
    PlanRow row = planRow("one", 5'000);
    CAIRN_VERIFY_OK(putStaged(*m_store, row));
    PlanChange change;
    change.row = row;
    change.row.state = PlanState::Running;
    change.row.confirmedBy = "lee";
    change.row.confirmedAt = 6'000;
    change.row.startedAt = 6'001;
    change.row.note = "runs";
    change.row.holder = open("executor");
    change.row.leaseUntil = 7'000;
    change.expected = 1;
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::Conflict);
    change.expected = 0;
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::Conflict);
    QVERIFY((*m_store->plan(row.id))->state == PlanState::Staged);
    change.expected = 2;
    CAIRN_VERIFY_OK(m_store->changePlan(change));
    const PlanRow p = **m_store->plan(row.id);
    QCOMPARE(p.revision, std::uint64_t{3});
    QVERIFY(p.state == PlanState::Running && p.holder == change.row.holder);
    QCOMPARE(p.confirmedBy, std::string("lee"));
    QCOMPARE(p.confirmedAt, TimeMs{6'000});
    QCOMPARE(p.startedAt, TimeMs{6'001});
    QCOMPARE(p.note, std::string("runs"));
    QCOMPARE(p.leaseUntil, TimeMs{7'000});
    // What was frozen stays, whatever a change says.
    change.row.spec = "another";
    change.row.reason = "another";
    change.expected = 3;
    static_cast<void>(m_store->changePlan(change));
    QCOMPARE((*m_store->plan(row.id))->spec, row.spec);
    QCOMPARE((*m_store->plan(row.id))->reason, row.reason);
    CAIRN_VERIFY_ERROR(m_store->changePlan({planRow("none", 1), 4, {}, {}, {}}), ErrorKind::Conflict);
}

void ContractTest::anItemHasOneOutcome()
{
    const PlanRow row = planRow("one", 5'000);
    CAIRN_VERIFY_OK(putStaged(*m_store, row));
    PlanChange change;
    change.row = row;
    change.row.state = PlanState::Running;
    change.expected = 2;
    PlanItem done = item(2, "b");
    done.state = PlanItemState::Done;
    done.version = 9;
    done.doneAt = 6'000;
    PlanItem left = item(3, "c");
    left.state = PlanItemState::Skipped;
    left.leftOut = PlanLeftOut::Held;
    left.why = "it is held";
    left.doneAt = 6'001;
    change.done = {done, left};
    CAIRN_VERIFY_OK(m_store->changePlan(change));
    const auto items = m_store->planItems(row.id, 0, 10, {});
    QVERIFY((*items)[0] == item(1, "a") && (*items)[1] == done && (*items)[2] == left);
    QCOMPARE(m_store->planItems(row.id, 0, 10, PlanItemState::Open)->size(), std::size_t{1});
    QVERIFY(m_store->planItems(row.id, 0, 10, PlanItemState::Done)->front() == done);
    QVERIFY(m_store->planItems(row.id, 2, 10, PlanItemState::Done)->empty());
    // What became of the run is looked at later.
    done.fate = PlanFate::Again;
    change.done = {done};
    change.expected = 3;
    CAIRN_VERIFY_OK(m_store->changePlan(change));
    QVERIFY(m_store->planItems(row.id, 1, 1, {})->front() == done);
    const auto counts = m_store->planCounts(row.id);
    QCOMPARE(counts->size(), std::size_t{3});
    std::uint64_t again = 0, open = 0, held = 0;
    for (const PlanCount& count : *counts) {
        again += count.fate == PlanFate::Again ? count.count : 0;
        open += count.state == PlanItemState::Open ? count.count : 0;
        held += count.leftOut == PlanLeftOut::Held ? count.count : 0;
    }
    QVERIFY(again == 1 && open == 1 && held == 1);
}

void ContractTest::plansAreListedAndFoundByTheirRuns()
{
    const PlanRow first = planRow("one", 5'000), second = planRow("two", 6'000);
    CAIRN_VERIFY_OK(putStaged(*m_store, first));
    PlanChange draft;
    draft.row = second;
    draft.added = {item(1, "d")};
    CAIRN_VERIFY_OK(m_store->changePlan(draft));
    const std::vector<RunId> runs{idOf<RunId>("run b"), idOf<RunId>("run d"), idOf<RunId>("run x")};
    const auto found = m_store->plansOfRuns(runs);
    QCOMPARE(found->size(), std::size_t{1});  // a draft has nothing yet
    QVERIFY(found->front().run == runs[0] && found->front().plan == first.id);
    QCOMPARE(m_store->plans(false, 10)->size(), std::size_t{1});  // nor does it stand in the way of others
    QVERIFY(m_store->plans(false, 1)->front().id == first.id);
    QVERIFY(m_store->plans(true, 1)->front().id == second.id);
    QVERIFY(m_store->unmovable()->front().find(toText(first.id)) != std::string::npos);
    QVERIFY(m_store->plansUnderWay(10)->empty());
    PlanChange end;
    end.row = first;
    end.row.state = PlanState::Closed;
    end.row.aborted = true;
    end.row.endedAt = 7'000;
    end.expected = 2;
    CAIRN_VERIFY_OK(m_store->changePlan(end));
    QVERIFY(m_store->plansOfRuns(runs)->empty());
    QVERIFY(m_store->plans(false, 10)->empty());
    QVERIFY(m_store->unmovable()->empty());
    const auto all = m_store->plans(true, 10);
    QCOMPARE(all->size(), std::size_t{2});
    QVERIFY((*all)[1].id == first.id && (*all)[1].aborted);
    QCOMPARE((*all)[1].endedAt, TimeMs{7'000});
}

void ContractTest::plansUnderWayAreThoseThatRunFirst()
{
    const auto put = [&](const std::string& name, TimeMs stagedAt, PlanState state) {
        PlanChange change;
        change.row = planRow(name, stagedAt);
        if (state != PlanState::Draft)
            CAIRN_VERIFY_OK(putStaged(*m_store, change.row));
        else
            CAIRN_VERIFY_OK(m_store->changePlan(change));
        change.expected = 2;
        change.row.state = state;
        if (state > PlanState::Staged)
            CAIRN_VERIFY_OK(m_store->changePlan(change));
    };
    put("draft", 1'000, PlanState::Draft);
    put("staged", 2'000, PlanState::Staged);
    put("verifying", 3'000, PlanState::Verifying);
    put("paused", 4'000, PlanState::Paused);
    put("running late", 6'000, PlanState::Running);
    put("running", 5'000, PlanState::Running);
    put("closed", 7'000, PlanState::Closed);
    const auto found = m_store->plansUnderWay(10);
    CAIRN_VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t{3});
    QVERIFY((*found)[0].id == idOf<PlanId>("plan running"));
    QVERIFY((*found)[1].id == idOf<PlanId>("plan running late"));
    QVERIFY((*found)[2].id == idOf<PlanId>("plan verifying"));
    QVERIFY(m_store->plansUnderWay(1)->front().id == idOf<PlanId>("plan running"));
    QCOMPARE(m_store->plans(false, 10)->size(), std::size_t{5});
}

void ContractTest::thePlansAuditGoesWithItsChange()
{
    const PlanRow row = planRow("one", 5'000);
    PlanChange change;
    change.row = row;
    change.audit = auditOf(row, "staged", "act");
    CAIRN_VERIFY_OK(m_store->changePlan(change));
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    QCOMPARE(m_store->audit(0, 10)->front().kind, std::string("staged"));
    QCOMPARE(m_store->audit(0, 10)->front().target, toText(row.id));
    change.audit = auditOf(row, "started", "other act");
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::Conflict);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    // One command id is one entry.
    change.expected = 1;
    change.audit = auditOf(row, "staged", "act");
    CAIRN_VERIFY_OK(m_store->changePlan(change));
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    QVERIFY(m_store->check(false)->empty());
}

void ContractTest::aPlanThatCannotBeIsRefused()
{
    PlanChange change;
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.row = planRow("one", 5'000);
    change.row.state = PlanState::Staged;
    change.added = {item(1, "a")};
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.row.state = PlanState::Draft;
    change.added = {item(0, "a")};
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.added = {item(1, "a")};
    change.added.front().state = static_cast<PlanItemState>(6);
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.added = {item(1, "a")};
    change.added.front().leftOut = static_cast<PlanLeftOut>(kLeftOutKinds);
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.added = {item(1, "a")};
    change.added.front().fate = static_cast<PlanFate>(6);
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    change.added.clear();
    change.row.reason = std::string("no \xFF text", 9);
    CAIRN_VERIFY_ERROR(m_store->changePlan(change), ErrorKind::InvalidInput);
    QVERIFY(m_store->plans(true, 10)->empty());
}

void ContractTest::anActAndItsItemAreWrittenTogetherOrNotAtAll()
{
    Writer a("a"), b("b");
    createRun(a, a.listRow());
    createRun(b, b.listRow());
    const PlanRow row = planRow("one", 5'000);
    CAIRN_VERIFY_OK(putActs(*m_store, row, {&a, &b}));
    const auto itemAt = [&](std::uint32_t ord) {
        return m_store->planItems(row.id, ord - 1, 1, {})->front();
    };
    // One of the group is stale: nothing of it is there, and all of its neighbour.
    CommitMember stale = actOf(b, row, 2);
    stale.expectedVersion = 7;
    stale.entry.version = 8;
    const CommitMember act = actOf(a, row, 1);
    const auto both = commitAll({stale, act});
    QCOMPARE(both.size(), std::size_t{2});
    QVERIFY(both[0].kind == MemberResult::Kind::Stale && both[1].kind == MemberResult::Kind::Committed);
    QVERIFY(itemAt(1).state == PlanItemState::Done && itemAt(1).leftOut == PlanLeftOut::None);
    QCOMPARE(itemAt(1).version, std::uint64_t{2});
    QCOMPARE(itemAt(1).doneAt, TimeMs{6'000});
    QVERIFY(itemAt(2).state == PlanItemState::Open && itemAt(2).version == 0);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    // The command says what the item says; and the same act again changes neither.
    QVERIFY(m_store->findCommand(a.run, act.entry.command)->value() == 2);
    a.committed(act);
    const MemberResult repeated = commitOne(actOf(a, row, 1));
    QVERIFY(repeated.kind == MemberResult::Kind::Duplicate);
    QCOMPARE(repeated.version, std::uint64_t{2});
    // A member that fails in the middle of being written takes its item's outcome back.
    CommitMember broken = actOf(b, row, 2);
    broken.payloads = {inlinePayload("p", "one"), inlinePayload("p", "one")};
    QVERIFY(commitOne(broken).kind == MemberResult::Kind::Failed);
    QVERIFY(itemAt(2).state == PlanItemState::Open);
    QCOMPARE(m_store->hot(b.run)->version, std::uint64_t{1});
    QVERIFY(commitOne(actOf(b, row, 2)).kind == MemberResult::Kind::Committed);
    QVERIFY(itemAt(2).state == PlanItemState::Done);
}

void ContractTest::anActOnAnItemThatIsOverIsNotDone()
{
    Writer a("a"), b("b");
    createRun(a, a.listRow());
    createRun(b, b.listRow());
    const PlanRow row = planRow("one", 5'000);
    CAIRN_VERIFY_OK(putActs(*m_store, row, {&a, &b}));
    PlanChange left;
    left.row = row;
    left.row.state = PlanState::Running;
    left.expected = 3;
    left.done = {m_store->planItems(row.id, 0, 1, {})->front()};
    left.done[0].state = PlanItemState::Skipped;
    left.done[0].leftOut = PlanLeftOut::Aborted;
    left.done[0].why = "the plan was aborted before its turn";
    left.done[0].doneAt = 5'900;
    CAIRN_VERIFY_OK(m_store->changePlan(left));
    // Its executor was only slow: the run stays as the item says.
    const MemberResult late = commitOne(actOf(a, row, 1));
    QVERIFY(late.kind == MemberResult::Kind::Failed);
    QVERIFY2(late.error.kind == ErrorKind::Conflict, late.error.text.c_str());
    QVERIFY(!m_store->findCommand(a.run, actOf(a, row, 1).entry.command)->has_value());
    QVERIFY(m_store->planItems(row.id, 0, 1, {})->front() == left.done[0]);
    // Nor is the item of another run, of another act, or of no plan.
    QVERIFY(commitOne(actOf(a, row, 2)).error.kind == ErrorKind::Conflict);
    CommitMember other = b.next("another act");
    other.planItem = PlanOutcome{row.id, 2, 6'000};
    QVERIFY(commitOne(other).error.kind == ErrorKind::Conflict);
    other.planItem->plan = idOf<PlanId>("none");
    QVERIFY(commitOne(other).error.kind == ErrorKind::Conflict);
    other.planItem->ord = 0;
    QVERIFY(commitOne(other).error.kind == ErrorKind::InvalidInput);
    QVERIFY(m_store->audit(0, 10)->empty());
    // And who comes late to say that one was left out is not believed once it was done.
    QVERIFY(commitOne(actOf(b, row, 2)).kind == MemberResult::Kind::Committed);
    const PlanItem done = m_store->planItems(row.id, 1, 1, {})->front();
    left.done = {done};
    left.done[0].state = PlanItemState::Skipped;
    left.done[0].leftOut = PlanLeftOut::Aborted;
    left.expected = 4;
    CAIRN_VERIFY_OK(m_store->changePlan(left));
    QVERIFY(m_store->planItems(row.id, 1, 1, {})->front() == done);
}

}  // namespace cairn::testing
