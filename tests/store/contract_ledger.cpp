#include "core/store/message.h"
#include "tests/store/contract.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

namespace {

AuditRow slowing(const std::string& name)
{
    AuditRow row;
    row.time = 5;
    row.kind = "applied";
    row.verb = Verb::Slow;
    row.actor = "kim";
    row.target = "api";
    row.command = idOf<CommandId>(name);
    row.before = row.after = "{}";
    return row;
}

EffectWrite effectWrite(
    const std::string& name, LedgerState state, const RunId& holder, std::uint64_t revision)
{
    EffectWrite write;
    EffectRow& row = write.row;
    row.effect = effectOf(name);
    row.tool = "pay";
    row.key = "run/" + name;
    row.state = state;
    row.holder = holder;
    row.holderStep = "pay";
    row.inputSalt = idOf<PayloadId>("effect salt").bytes;
    row.inputDigest = sha256("input");
    row.changedAt = 99;
    row.revision = revision;
    return write;
}

OutboxRow message(const Writer& from, std::uint32_t number, const std::string& to)
{
    Message m;
    m.kind = cmd::MessageKind::ControlFlow;
    m.to = idOf<RunId>("run " + to);
    return {from.run, from.version + 1, number, m.to, encodeMessage(m), 5};
}

Message fullMessage()
{
    Message m;
    m.kind = cmd::MessageKind::StartChild;
    m.to = idOf<RunId>("to");
    m.step = 7;
    m.index = 12;
    m.payload = {idOf<PayloadId>("p"), sha256("p"), 12, "application/json"};
    m.as = Activity::Failed;
    m.used = {{"EUR", 5}, {"tokens", -1}};
    m.allotment = {{"EUR", 10, 2, 3}};
    m.control = {true, true, true, 1234, 5};
    m.workflow = "audit";
    m.workflowVersion = 3;
    m.root = idOf<RunId>("root");
    m.confirmed = 41;
    m.total = 63;
    m.budgetAt = idOf<RunId>("budget");
    m.effect = effectOf("e");
    return m;
}

}  // namespace

void ContractTest::theLedgerGuardsACommit()
{
    Writer a("a"), b("b");
    for (Writer* w : {&a, &b}) {
        const CommitMember member = w->create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
        w->committed(member);
    }
    CommitMember first = a.next("x");
    first.effects = {effectWrite("pay", LedgerState::InFlight, a.run, 0)};
    CommitMember second = b.next("x");
    second.effects = {effectWrite("pay", LedgerState::InFlight, b.run, 0)};
    const auto results = commitAll({first, second});
    QVERIFY(results[0].kind == Kind::Committed);
    QVERIFY(results[1].kind == Kind::LedgerMoved);
    a.committed(first);
    QCOMPARE(m_store->hot(b.run)->version, std::uint64_t{1});

    const std::vector<EffectId> ids{effectOf("pay"), effectOf("other")};
    auto rows = m_store->effects(ids);
    QCOMPARE(rows->size(), std::size_t{1});
    QVERIFY(rows->front().state == LedgerState::InFlight);
    QCOMPARE(rows->front().revision, std::uint64_t{1});
    QCOMPARE(rows->front().holder, a.run);
    QCOMPARE(rows->front().key, std::string("run/pay"));
    QCOMPARE(rows->front().inputDigest, sha256("input"));
    QVERIFY(rows->front().inputSalt == first.effects[0].row.inputSalt);

    CommitMember done = a.next("y");
    done.effects = {effectWrite("pay", LedgerState::Completed, a.run, 1)};
    done.effects[0].row.result = idOf<PayloadId>("r");
    QVERIFY(commitOne(done).kind == Kind::Committed);
    a.committed(done);
    QCOMPARE(m_store->effects(ids)->front().result, idOf<PayloadId>("r"));
    // Read at revision 1, stored at 2: moved. Then the holder changes.
    QVERIFY(commitOne([&] {
        auto m = b.next("z");
        m.effects = done.effects;
        return m;
    }())
                .kind
        == Kind::LedgerMoved);
    CommitMember moved = b.next("z");
    moved.effects = {effectWrite("pay", LedgerState::InFlight, b.run, 2)};
    QVERIFY(commitOne(moved).kind == Kind::Committed);
    rows = m_store->effectsOfRun(b.run);
    QCOMPARE(rows->size(), std::size_t{1});
    QCOMPARE(rows->front().revision, std::uint64_t{3});
    QVERIFY(m_store->effectsOfRun(a.run)->empty());
}

void ContractTest::onlyAnEffectUnderWayCanBeWaitedFor_data()
{
    QTest::addColumn<int>("state");
    QTest::addColumn<bool>("taken");
    const auto row = [](const char* name, LedgerState state, bool taken) {
        QTest::newRow(name) << static_cast<int>(state) << taken;
    };
    row("never begun", LedgerState::Absent, false);
    row("under way", LedgerState::InFlight, true);
    row("completed", LedgerState::Completed, false);
    row("unknown", LedgerState::Unknown, true);
    row("did not happen", LedgerState::NotHappened, false);
}

// Nobody would wake a waiter for an effect that has ended meanwhile: its commit is refused, and nothing of it
// is left.
void ContractTest::onlyAnEffectUnderWayCanBeWaitedFor()
{
    QFETCH(int, state);
    QFETCH(bool, taken);
    Writer holder("holder"), waiter("waiter"), other("other");
    for (Writer* w : {&holder, &waiter, &other}) {
        const CommitMember member = w->create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
        w->committed(member);
    }
    if (static_cast<LedgerState>(state) != LedgerState::Absent) {
        CommitMember hold = holder.next("hold");
        hold.effects = {effectWrite("e", static_cast<LedgerState>(state), holder.run, 0)};
        QVERIFY(commitOne(hold).kind == Kind::Committed);
        holder.committed(hold);
    }
    CommitMember wait = waiter.next("wait");
    wait.waits = {{effectOf("e"), 3}};
    wait.steps = {stepRow(3, "pay", StepState::Waiting)};
    CommitMember beside = other.next("beside");
    const auto results = commitAll({wait, beside});
    QVERIFY(results[0].kind == (taken ? Kind::Committed : Kind::LedgerMoved));
    QVERIFY2(results[1].kind == Kind::Committed, "its neighbour is not affected");
    QCOMPARE(m_store->hot(waiter.run)->version, std::uint64_t(taken ? 2 : 1));
    QCOMPARE(m_store->steps(waiter.run)->size(), std::size_t(taken ? 1 : 0));
    if (!taken)
        QCOMPARE(*m_store->findCommand(waiter.run, wait.entry.command), std::optional<std::uint64_t>());
    // A commit that begins the effect and lets another step of the same run wait for it is its own witness.
    other.committed(beside);
    CommitMember both = other.next("both");
    both.effects = {effectWrite("own", LedgerState::InFlight, other.run, 0)};
    both.waits = {{effectOf("own"), 1}};
    QVERIFY(commitOne(both).kind == Kind::Committed);
    // Who waits is woken by the commit that ends it; who was refused is not.
    CommitMember end = holder.next("end");
    end.effects = {effectWrite("e", LedgerState::Completed, holder.run,
        static_cast<LedgerState>(state) == LedgerState::Absent ? 0 : 1)};
    end.wake = {effectOf("e")};
    QVERIFY(commitOne(end).kind == Kind::Committed);
    const auto rows = m_store->outbox(10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(taken ? 1 : 0));
    if (taken)
        QCOMPARE(rows->front().to, waiter.run);
}

void ContractTest::waitersAreWokenOnce()
{
    Writer holder("holder"), one("one"), two("two");
    for (Writer* w : {&holder, &one, &two}) {
        const CommitMember member = w->create();
        QVERIFY(commitOne(member).kind == Kind::Committed);
        w->committed(member);
    }
    CommitMember hold = holder.next("hold");
    hold.effects = {effectWrite("e", LedgerState::InFlight, holder.run, 0)};
    QVERIFY(commitOne(hold).kind == Kind::Committed);
    holder.committed(hold);
    std::uint32_t step = 4;
    for (Writer* w : {&one, &two}) {
        CommitMember wait = w->next("wait");
        wait.waits = {{effectOf("e"), step++}, {effectOf("e"), 4}};
        QVERIFY(commitOne(wait).kind == Kind::Committed);
        w->committed(wait);
    }
    CommitMember release = holder.next("release");
    release.effects = {effectWrite("e", LedgerState::Completed, holder.run, 1)};
    release.outbox = {message(holder, 0, "parent")};
    release.wake = {effectOf("e"), effectOf("nobody waits")};
    QVERIFY(commitOne(release).kind == Kind::Committed);
    holder.committed(release);

    const auto rows = m_store->outbox(100);
    QCOMPARE(rows->size(), std::size_t{4});  // one of the holder, run "one" once, run "two" for two steps
    std::set<std::tuple<RunId, StepIx>> woken;
    std::set<std::uint32_t> numbers;
    for (const OutboxRow& row : *rows) {
        numbers.insert(row.number);
        QCOMPARE(row.from, holder.run);
        QCOMPARE(row.version, std::uint64_t{3});
        const auto m = decodeMessage(row.body);
        CAIRN_VERIFY_OK(m);
        QCOMPARE(m->to, row.to);
        if (m->kind == cmd::MessageKind::EffectReleased) {
            QCOMPARE(m->effect, effectOf("e"));
            woken.insert({m->to, m->step});
        }
    }
    QCOMPARE(numbers.size(), std::size_t{4});
    QVERIFY(woken == (std::set<std::tuple<RunId, StepIx>>{{one.run, 4}, {two.run, 4}, {two.run, 5}}));

    CommitMember again = holder.next("again");
    again.wake = {effectOf("e")};
    QVERIFY(commitOne(again).kind == Kind::Committed);
    QCOMPARE(m_store->outbox(100)->size(), std::size_t{4});
}

void ContractTest::messagesAreKeptUntilDelivered()
{
    Writer a("a");
    CommitMember member = a.create();
    member.outbox = {message(a, 0, "x"), message(a, 1, "y")};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    const auto rows = m_store->outbox(10);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[0].number, 0U);
    QCOMPARE((*rows)[0].to, idOf<RunId>("run x"));
    QCOMPARE((*rows)[0].body, member.outbox[0].body);
    QCOMPARE((*rows)[0].createdAt, TimeMs{5});
    QCOMPARE(m_store->outbox(1)->size(), std::size_t{1});
    CAIRN_VERIFY_OK(m_store->dropOutbox((*rows)[0]));
    CAIRN_VERIFY_OK(m_store->dropOutbox((*rows)[0]));
    const auto left = m_store->outbox(10);
    QCOMPARE(left->size(), std::size_t{1});
    QCOMPARE(left->front().number, 1U);
}

void ContractTest::aDeliveredMessageGoesWithItsCommit()
{
    Writer a("a"), b("b");
    CommitMember send = a.create();
    send.outbox = {message(a, 0, "b")};
    QVERIFY(commitOne(send).kind == Kind::Committed);
    const CommitMember start = b.create();
    QVERIFY(commitOne(start).kind == Kind::Committed);
    b.committed(start);
    CommitMember answer = b.next("answer");
    answer.delivered = m_store->outbox(1)->front();
    answer.expectedVersion = 8;
    answer.entry.version = 9;
    QVERIFY(commitOne(answer).kind == Kind::Stale);
    QCOMPARE(m_store->outbox(10)->size(), std::size_t{1});
    answer.expectedVersion = 1;
    answer.entry = b.next("answer").entry;
    QVERIFY(commitOne(answer).kind == Kind::Committed);
    QVERIFY(m_store->outbox(10)->empty());
}

void ContractTest::messagesSurviveEncoding()
{
    const Message m = fullMessage();
    const auto back = decodeMessage(encodeMessage(m));
    CAIRN_VERIFY_OK(back);
    QVERIFY(back->kind == m.kind);
    QCOMPARE(back->to, m.to);
    QCOMPARE(back->step, m.step);
    QVERIFY(back->payload == m.payload);
    QCOMPARE(back->as, m.as);
    QVERIFY(back->used == m.used);
    QVERIFY(back->allotment == m.allotment);
    QVERIFY(back->control == m.control);
    QCOMPARE(back->workflow, m.workflow);
    QCOMPARE(back->workflowVersion, m.workflowVersion);
    QCOMPARE(back->root, m.root);
    QCOMPARE(back->confirmed, 41U);
    QCOMPARE(back->total, 63U);
    QCOMPARE(back->effect, m.effect);
    QCOMPARE(back->budgetAt, m.budgetAt);
}

void ContractTest::damagedMessagesAreRefused()
{
    const std::string body = encodeMessage(fullMessage());
    for (std::size_t length = 0; length < body.size(); ++length)
        CAIRN_VERIFY_ERROR(decodeMessage(body.substr(0, length)), ErrorKind::Corrupt);
    CAIRN_VERIFY_ERROR(decodeMessage(body + "x"), ErrorKind::Corrupt);
    for (const auto& [at, value] :
        {std::pair{0, 9}, std::pair{1, 0}, std::pair{1, static_cast<int>(cmd::kLastMessage) + 1}}) {
        std::string broken = body;
        broken[static_cast<std::size_t>(at)] = static_cast<char>(value);
        CAIRN_VERIFY_ERROR(decodeMessage(broken), ErrorKind::Corrupt);
    }
}

void ContractTest::messagesAreReadInParts()
{
    Writer a("a");
    CommitMember member = a.create();
    for (std::uint32_t i = 0; i < 5; ++i)
        member.outbox.push_back(message(a, i, "x"));
    QVERIFY(commitOne(member).kind == Kind::Committed);
    std::uint64_t after = 0;
    std::vector<std::uint32_t> numbers;
    for (;;) {
        const auto rows = m_store->outbox(2, after);
        CAIRN_VERIFY_OK(rows);
        if (rows->empty())
            break;
        for (const OutboxRow& row : *rows) {
            QVERIFY(row.seq > after);
            after = row.seq;
            numbers.push_back(row.number);
        }
    }
    QVERIFY((numbers == std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

void ContractTest::backOffIsRaisedByItself()
{
    CAIRN_VERIFY_OK(m_store->putResource({"api", 100, false, 5, 2, 0}));
    CAIRN_VERIFY_OK(m_store->raiseBackOff("api", 500, true));
    CAIRN_VERIFY_OK(m_store->raiseBackOff("api", 400, false));
    CAIRN_VERIFY_OK(m_store->raiseBackOff("new", 300, false));
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 6, 3, 0}));  // changes the limits, and only them
    const auto rows = m_store->resources();
    QCOMPARE(rows->size(), std::size_t{2});
    const ResourceRow& api = (*rows)[0];
    QCOMPARE(api.backOffUntil, TimeMs{500});
    QVERIFY(api.askedByServer);
    QCOMPARE(api.permitsPerSecond, 6U);
    QCOMPARE(api.slots, 3U);
    QCOMPARE(api.revision, std::uint64_t{3});
    QCOMPARE((*rows)[1].backOffUntil, TimeMs{300});
    QCOMPARE((*rows)[1].slots, 0U);
    QCOMPARE((*rows)[1].revision, std::uint64_t{1});
    CAIRN_VERIFY_ERROR(m_store->raiseBackOff("", 1, false), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(m_store->raiseBackOff("\xFF", 1, false), ErrorKind::InvalidInput);
}

void ContractTest::aPersonSlowsAResourceWithItsAuditEntry()
{
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 5, 2, 0}));
    const auto act = slowing;
    const ResourceRow seen{"api", 0, false, 5, 2, 0};
    const auto first = m_store->slowResource({"api", 900, false, 3, 1, 0}, seen, act("one"));
    CAIRN_VERIFY_OK(first);
    QCOMPARE(*first, std::uint64_t{1});
    // The same act again is the same entry, and changes nothing.
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 4, 1, 0}));
    QCOMPARE(*m_store->slowResource({"api", 900, false, 3, 1, 0}, seen, act("one")), std::uint64_t{1});
    QCOMPARE((*m_store->resources())[0].permitsPerSecond, 4U);
    // Limits that have moved since they were shown are refused, and nothing is written.
    CAIRN_VERIFY_ERROR(
        m_store->slowResource({"api", 0, false, 1, 1, 0}, seen, act("two")), ErrorKind::Conflict);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{1});
    // A hold of a person is lifted by another one; what the provider asked for is not.
    const ResourceRow now{"api", 900, false, 4, 1, 0};
    CAIRN_VERIFY_OK(m_store->slowResource({"api", 100, false, 4, 0, 0}, now, act("three")));
    QCOMPARE((*m_store->resources())[0].backOffUntil, TimeMs{100});
    QCOMPARE((*m_store->resources())[0].slots, 0U);
    CAIRN_VERIFY_OK(m_store->raiseBackOff("api", 700, true));
    CAIRN_VERIFY_OK(
        m_store->slowResource({"api", 0, false, 9, 0, 0}, {"api", 0, false, 4, 0, 0}, act("four")));
    const ResourceRow last = (*m_store->resources())[0];
    QCOMPARE(last.backOffUntil, TimeMs{700});
    QVERIFY(last.askedByServer);
    QCOMPARE(last.permitsPerSecond, 9U);
    // One that is not there yet.
    CAIRN_VERIFY_OK(
        m_store->slowResource({"new", 50, false, 2, 0, 0}, {"new", 0, false, 0, 0, 0}, act("five")));
    QCOMPARE((*m_store->resources())[1].permitsPerSecond, 2U);
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{4});
    CAIRN_VERIFY_ERROR(m_store->slowResource({"", 0, false, 0, 0, 0}, {"", 0, false, 0, 0, 0}, act("six")),
        ErrorKind::InvalidInput);
    AuditRow nobody = act("seven");
    nobody.command = {};
    CAIRN_VERIFY_ERROR(m_store->slowResource(now, now, nobody), ErrorKind::InvalidInput);
}

void ContractTest::aHoldThatCameInBetweenStays()
{
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 5, 2, 0}));
    CAIRN_VERIFY_OK(m_store->raiseBackOff("api", 900, false));
    const auto api = [this] { return (*m_store->resources())[0]; };
    CAIRN_VERIFY_OK(
        m_store->slowResource({"api", 0, false, 3, 2, 0}, {"api", 0, false, 5, 2, 0}, slowing("one")));
    QCOMPARE(api().permitsPerSecond, 3U);
    QCOMPARE(api().backOffUntil, TimeMs{900});
    QVERIFY(!api().askedByServer);
    // A longer one takes its place; and who has seen it may lift it.
    CAIRN_VERIFY_OK(
        m_store->slowResource({"api", 950, false, 3, 2, 0}, {"api", 0, false, 3, 2, 0}, slowing("two")));
    QCOMPARE(api().backOffUntil, TimeMs{950});
    CAIRN_VERIFY_OK(
        m_store->slowResource({"api", 0, false, 3, 2, 0}, {"api", 950, false, 3, 2, 0}, slowing("three")));
    QCOMPARE(api().backOffUntil, TimeMs{0});
}

void ContractTest::backOffOnlyGrows()
{
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 5, 2, 0}));
    Writer a("a");
    CommitMember member = a.create();
    member.resources = {{"api", 500, true, 0, 0, 0}, {"new", 300, false, 0, 0, 0}};
    QVERIFY(commitOne(member).kind == Kind::Committed);
    a.committed(member);
    CommitMember next = a.next("x");
    next.resources = {{"api", 400, false, 0, 0, 0}, {"new", 301, true, 0, 0, 0}};
    QVERIFY(commitOne(next).kind == Kind::Committed);
    const auto rows = m_store->resources();
    QCOMPARE(rows->size(), std::size_t{2});
    const ResourceRow& api = (*rows)[0];
    QCOMPARE(api.name, std::string("api"));
    QCOMPARE(api.backOffUntil, TimeMs{500});
    QVERIFY(api.askedByServer);
    QCOMPARE(api.permitsPerSecond, 5U);
    QCOMPARE(api.slots, 2U);
    QCOMPARE(api.revision, std::uint64_t{2});
    QCOMPARE((*rows)[1].backOffUntil, TimeMs{301});
    CAIRN_VERIFY_ERROR(m_store->putResource({"", 0, false, 0, 0, 0}), ErrorKind::InvalidInput);
}

void ContractTest::slicesNeverExceedTheLimit()
{
    const SessionId one = open("one"), two = open("two");
    CAIRN_VERIFY_OK(m_store->putResource({"gpu", 0, false, 0, 5, 0}));
    QCOMPARE(*m_store->leaseSlots(one, "unlimited", 70, 100, 200), 70U);
    QCOMPARE(*m_store->leaseSlots(one, "gpu", 3, 100, 200), 3U);
    QCOMPARE(*m_store->leaseSlots(two, "gpu", 3, 100, 200), 2U);
    QCOMPARE(*m_store->leaseSlots(two, "gpu", 3, 101, 201), 2U);  // renewed, not added
    QCOMPARE(*m_store->leaseSlots(one, "gpu", 4, 101, 300), 3U);
    CAIRN_VERIFY_OK(m_store->returnSlots(two, "gpu"));
    QCOMPARE(*m_store->leaseSlots(one, "gpu", 5, 102, 300), 5U);
    QCOMPARE(*m_store->leaseSlots(two, "gpu", 1, 103, 300), 0U);
    QCOMPARE(*m_store->leaseSlots(two, "gpu", 1, 300, 400), 1U);  // the first has expired
    QCOMPARE(*m_store->leaseSlots(one, "gpu", 5, 300, 400), 4U);
    QVERIFY(*m_store->endSession(one, 301, kNoTime));
    QCOMPARE(*m_store->leaseSlots(two, "gpu", 9, 302, 400), 5U);  // slices go with their session
}

void ContractTest::ratesAreLeasedPerSecond()
{
    const SessionId one = open("one"), two = open("two");
    CAIRN_VERIFY_OK(m_store->putResource({"api", 0, false, 10, 0, 0}));
    QCOMPARE(*m_store->spendRate(one, "unlimited", 70, 1000), 70U);
    QCOMPARE(*m_store->leaseSlots(one, "api", 70, 1000, 2000), 70U);  // it has a rate only
    QCOMPARE(*m_store->spendRate(one, "api", 6, 1000), 6U);
    QCOMPARE(*m_store->spendRate(two, "api", 6, 1500), 4U);
    QCOMPARE(*m_store->spendRate(one, "api", 6, 1900), 0U);
    CAIRN_VERIFY_OK(m_store->returnSlots(one, "api"));  // spent permits do not come back
    QCOMPARE(*m_store->spendRate(one, "api", 6, 1950), 0U);
    QVERIFY(*m_store->endSession(one, 1960, kNoTime));  // nor with the end of who spent them
    QCOMPARE(*m_store->spendRate(two, "api", 6, 1970), 0U);
    QCOMPARE(*m_store->spendRate(two, "api", 9, 2000), 6U);
}

void ContractTest::slotsAndRateDoNotTouchEachOther()
{
    const SessionId one = open("one"), two = open("two");
    CAIRN_VERIFY_OK(m_store->putResource({"bank", 0, false, 6, 4, 0}));
    QCOMPARE(*m_store->leaseSlots(one, "bank", 3, 1000, 11'000), 3U);
    QCOMPARE(*m_store->spendRate(one, "bank", 8, 1000), 6U);
    // The rate is spent; the slots are still held, renewed, and nobody else's.
    QCOMPARE(*m_store->leaseSlots(one, "bank", 3, 1100, 11'100), 3U);
    QCOMPARE(*m_store->leaseSlots(two, "bank", 4, 1100, 11'100), 1U);
    QCOMPARE(*m_store->spendRate(two, "bank", 1, 1999), 0U);
    QCOMPARE(*m_store->spendRate(two, "bank", 1, 2000), 1U);  // a second, whatever the slots' lease is
}

void ContractTest::workflowVersionsNeverChange()
{
    const WorkflowRow one{"purchase", 1, sha256("1"), "{\"a\":1}", "/w", 5};
    const WorkflowRow two{"purchase", 2, sha256("2"), "{}", "/w", 6};
    CAIRN_VERIFY_OK(m_store->addWorkflow(two));
    CAIRN_VERIFY_OK(m_store->addWorkflow(one));
    CAIRN_VERIFY_OK(m_store->addWorkflow(one));
    WorkflowRow changed = one;
    changed.digest = sha256("other");
    CAIRN_VERIFY_ERROR(m_store->addWorkflow(changed), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(m_store->addWorkflow({"", 1, {}, "", "", 0}), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(m_store->addWorkflow({"x", 0, {}, "", "", 0}), ErrorKind::InvalidInput);
    const auto newest = m_store->workflow("purchase", 0);
    QCOMPARE((*newest)->version, 2U);
    const auto first = m_store->workflow("purchase", 1);
    QCOMPARE((*first)->text, std::string("{\"a\":1}"));
    QCOMPARE((*first)->digest, sha256("1"));
    QCOMPARE((*first)->folder, std::string("/w"));
    QCOMPARE((*first)->addedAt, TimeMs{5});
    QVERIFY(!*m_store->workflow("purchase", 3));
    QVERIFY(!*m_store->workflow("none", 0));
    const auto all = m_store->workflows(false);
    QCOMPARE(all->size(), std::size_t{2});
    QCOMPARE((*all)[0].version, 1U);
    QCOMPARE((*all)[0].text, std::string());
    QCOMPARE(m_store->workflows(true)->front().text, std::string("{\"a\":1}"));
}

}  // namespace cairn::testing
