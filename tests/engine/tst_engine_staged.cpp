// Acts that people without the engine's right leave in a PostgreSQL store, carried out by an engine whose
// login has the role cairn_engine: in whose name, once, and what they are told.

#include "core/plan/left.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"
#include "tests/engine/staged_desk.h"

namespace cairn::testing {

namespace {

const std::string kSteps = "{'name':'one','kind':'approval','input':{},'approval':{'role':'ops'}},"
                           "{'name':'two','kind':'approval','input':{},'approval':{'role':'ops','needed':2}}";

std::string doubleQuoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

}  // namespace

class TestEngineStaged : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void anApprovalIsCarriedOutInTheNameOfWhoLeftIt();
    void twoPeopleAreTwoLogins();
    void anActCountsOnceAlthoughTheEngineDied();
    void aWithdrawnActIsNeverCarriedOut();
    void aCancelThatWaitsDependsOnNothing();
    void anOperatorsPlanIsStagedAndCarriedOut();
    void anOrderThatWaitsIsWithdrawn();
    void whatAnApproverLeavesOnAnActOnTheStoreIsRecorded();
    void aLargeDraftCostsNoLease();
    void whatIsSaidOfAPlanIsNotTrusted();
    void whatWaitedForADayIsOver();
    void theRulesDecideAgain();
    void whatIsLeftIsNotTrusted();
    void anEngineNeedsItsRole();
    void previewsNeedNoMoreThanReading();
    void answeredActsAreForgottenByAnEngine();

private:
    // What became of it; the engine ticks meanwhile.
    StagedAct answer(Desk& desk, const Result<CommandId>& command)
    {
        if (!command)
            qFatal("%s", command.error().text.c_str());
        StagedAct act;
        const bool answered = QTest::qWaitFor(
            [&] {
                static_cast<void>(m_engine->core->tick());
                const auto found = desk.store->stagedAct(*command);
                if (found && *found)
                    act = **found;
                return act.state != StagedState::Waiting;
            },
            20'000);
        if (!answered)
            qFatal("no engine carried it out");
        return act;
    }
    [[nodiscard]] std::vector<AuditRow> audit() const
    {
        return m_roles.openAs("t_auditor")->audit(0, 100).value();
    }

    RoleLogins m_roles;
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<Desk> m_caller;
    RunId m_run;
};

void TestEngineStaged::init()
{
    m_roles.initWithRoles();
    m_caller = std::make_unique<Desk>(m_roles, "t_engine");
    addTo(*m_caller->store, workflow("buy", doubleQuoted(kSteps)), 5);
    m_engine = std::make_unique<Engine>(m_roles);
    m_run = startIn(*m_caller->service, "buy");
    QTRY_VERIFY((static_cast<void>(m_engine->core->tick()), m_caller->load(m_run).approvals.size() == 2));
}

void TestEngineStaged::cleanup()
{
    m_engine.reset();
    m_caller.reset();
}

void TestEngineStaged::anApprovalIsCarriedOutInTheNameOfWhoLeftIt()
{
    Desk desk(m_roles, "t_approver");
    const StagedAct done = answer(desk, desk.approve(m_run, "one", "Ann"));
    QVERIFY2(done.state == StagedState::Committed, done.outcome.c_str());
    QCOMPARE(done.stagedBy, std::string("t_approver"));
    const RunState state = desk.load(m_run);
    const ApprovalRecord* record = state.findApproval(state.find("one")->approval);
    QCOMPARE(record->state, ApprovalState::Approved);
    QCOMPARE(record->decidedBy.login, std::string("t_approver"));
    QCOMPARE(record->decidedBy.id, std::string("Ann"));
    const auto rows = audit();
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows.front().login, std::string("t_approver"));
    QCOMPARE(rows.front().actor, std::string("Ann"));
    QCOMPARE(rows.front().uid, std::uint32_t{4711});
    QCOMPARE(rows.front().host, std::string("desk"));
    QCOMPARE(rows.front().reason, std::string("because of this test"));
    QVERIFY(rows.front().command == done.command);
    QCOMPARE(done.auditSeq, rows.front().seq);
    QVERIFY(desk.store->findCommand(m_run, done.command)->value() == done.version);
    QVERIFY(m_roles.open()->check(true)->empty());
    QVERIFY(verifyRun(*m_caller->store, m_run)->empty());
}

void TestEngineStaged::twoPeopleAreTwoLogins()
{
    Desk desk(m_roles, "t_approver");
    QVERIFY(answer(desk, desk.approve(m_run, "two", "Ann")).state == StagedState::Committed);
    CAIRN_VERIFY_ERROR(desk.approve(m_run, "two", "Bob"), ErrorKind::NoRight);
    QCOMPARE(
        desk.load(m_run).findApproval(desk.load(m_run).find("two")->approval)->state, ApprovalState::Pending);
    Desk other(m_roles, "t_second");
    QVERIFY(answer(other, other.approve(m_run, "two", "Ann")).state == StagedState::Committed);
    const RunState state = desk.load(m_run);
    const ApprovalRecord* record = state.findApproval(state.find("two")->approval);
    QCOMPARE(record->consents.size(), std::size_t{2});
    QVERIFY(record->state == ApprovalState::Approved || record->state == ApprovalState::Used);
    QVERIFY(verifyRun(*m_caller->store, m_run)->empty());
}

// Committed, and gone before it could say so: the next engine finds the command there.
void TestEngineStaged::anActCountsOnceAlthoughTheEngineDied()
{
    Desk desk(m_roles, "t_operator");
    const auto command = desk.leave(m_run, cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(command);
    const auto act = desk.store->stagedAct(*command);
    const Outcome first = m_caller->service->submitAndWait(*cairn::submissionOf(**act));
    QVERIFY2(first.kind == Outcome::Kind::Committed, (first.rejection.text + first.error.text).c_str());
    const StagedAct done = answer(desk, command);
    QVERIFY(done.state == StagedState::Committed);
    QCOMPARE(done.version, first.version);
    QCOMPARE(audit().size(), std::size_t{1});
    QVERIFY(desk.load(m_run).paused());
}

void TestEngineStaged::aWithdrawnActIsNeverCarriedOut()
{
    Desk desk(m_roles, "t_operator");
    Desk other(m_roles, "t_both");
    const auto command = desk.leave(m_run, cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(command);
    const StagedAct left = **desk.store->stagedAct(*command);
    StagedAct withdrawn = left;
    withdrawn.state = StagedState::Withdrawn;
    withdrawn.note = "short";
    withdrawn.confirmedName = "Ann";
    CAIRN_VERIFY_ERROR(desk.store->decideAct(withdrawn), ErrorKind::NoRight);  // a guarded store asks why
    withdrawn.note = "it was the wrong run";
    const Status others = other.store->decideAct(withdrawn);
    CAIRN_VERIFY_ERROR(others, ErrorKind::NoRight);
    QVERIFY2(others.error().text.find("only its author") != std::string::npos, others.error().text.c_str());
    CAIRN_VERIFY_OK(desk.store->decideAct(withdrawn));
    CAIRN_VERIFY_ERROR(desk.store->decideAct(withdrawn), ErrorKind::Conflict);
    // An engine that had it in its hands does nothing with it.
    const Outcome late = m_caller->service->submitAndWait(*cairn::submissionOf(left));
    QVERIFY(late.kind == Outcome::Kind::Failed);
    QVERIFY2(late.error.kind == ErrorKind::Refused, late.error.text.c_str());
    QVERIFY(answer(desk, command).state == StagedState::Withdrawn);
    QVERIFY(!desk.load(m_run).paused());
    const auto rows = audit();
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows.front().kind, std::string("withdrawn"));
    QCOMPARE(rows.front().login, std::string("t_operator"));
    QCOMPARE(rows.front().reason, withdrawn.note);
    // The other way round.
    const auto second = desk.leave(m_run, cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(second);
    StagedAct done = **desk.store->stagedAct(*second);
    QVERIFY(m_caller->service->submitAndWait(*cairn::submissionOf(done)).kind == Outcome::Kind::Committed);
    done.state = StagedState::Withdrawn;
    done.note = "it was the wrong run";
    const Status tooLate = desk.store->decideAct(done);
    CAIRN_VERIFY_ERROR(tooLate, ErrorKind::Conflict);
    QVERIFY2(
        tooLate.error().text.find("carried out already") != std::string::npos, tooLate.error().text.c_str());
    QVERIFY(answer(desk, second).state == StagedState::Committed);
    QVERIFY(m_roles.open()->check(true)->empty());
}

// Both are left on the run as it is, and the first of them changes what the second is pinned to.
void TestEngineStaged::aCancelThatWaitsDependsOnNothing()
{
    Desk desk(m_roles, "t_operator");
    const RunState seen = desk.load(m_run);
    const auto pause = desk.leave(m_run, cmd::SetPaused{true, 0, false});
    cmd::Body body = cmd::Cancel{};
    cairn::pin(body, seen, {});
    QVERIFY(std::get<cmd::Cancel>(body).checkControl);
    const auto cancel = desk.leave(m_run, body);
    QVERIFY(answer(desk, pause).state == StagedState::Committed);
    QVERIFY(desk.load(m_run).own.revision != seen.own.revision);
    const StagedAct done = answer(desk, cancel);
    QVERIFY2(done.state == StagedState::Committed, done.outcome.c_str());
    QVERIFY(desk.load(m_run).own.cancelled);
}

void TestEngineStaged::anOperatorsPlanIsStagedAndCarriedOut()
{
    Desk desk(m_roles, "t_operator");
    const PlanDraft draft = pausing(desk, {m_run});
    CAIRN_VERIFY_ERROR(stagePlan(*desk.store, draft), ErrorKind::NoRight);
    const auto staging = leavePlan(*desk.store, draft);
    CAIRN_VERIFY_OK(staging);
    QVERIFY((*desk.store->plan(draft.row.id))->state == PlanState::Draft);
    QVERIFY2(answer(desk, staging->command).state == StagedState::Committed,
        answer(desk, staging->command).outcome.c_str());
    const PlanRow staged = **desk.store->plan(draft.row.id);
    QVERIFY(staged.state == PlanState::Staged && staged.digest == draft.row.digest);
    QCOMPARE(staged.login, std::string("t_operator"));
    QVERIFY(!desk.load(m_run).paused());
    const auto order = [&](Desk& by, PlanAct act) {
        return leaveOrder(*by.store, *by.service,
            {draft.row.id, act, {}, makeId<CommandId>(by.clock.wallMs(), by.rng)}, whoIs(by));
    };
    Desk approver(m_roles, "t_approver");
    CAIRN_VERIFY_ERROR(order(approver, PlanAct::Start), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(order(desk, PlanAct::Pause), ErrorKind::Refused);  // said at once, and nothing is left
    const auto start = order(desk, PlanAct::Start);
    CAIRN_VERIFY_OK(start);
    QVERIFY(answer(desk, start->command).state == StagedState::Committed);
    QTRY_VERIFY((static_cast<void>(m_engine->core->tick()),
        (*desk.store->plan(draft.row.id))->state == PlanState::Closed));
    QVERIFY(desk.load(m_run).paused());
    QCOMPARE(desk.store->planItems(draft.row.id, 0, 10, PlanItemState::Done)->size(), std::size_t{1});
    std::string told;
    for (const AuditRow& row : audit())
        told += row.kind + " " + row.login + ";";
    QCOMPARE(told, std::string("staged t_operator;started t_operator;applied t_operator;finished t_engine;"));
    QVERIFY(desk.store->waitingActs(10)->empty());
    CAIRN_VERIFY_ERROR(order(desk, PlanAct::Abort), ErrorKind::Refused);
    QVERIFY(m_roles.open()->check(true)->empty());
}

// By its author, before an engine has come to it: the plan stays as it was, and the audit says so.
void TestEngineStaged::anOrderThatWaitsIsWithdrawn()
{
    Desk desk(m_roles, "t_operator");
    const PlanDraft draft = pausing(desk, {m_run});
    const auto staging = leavePlan(*desk.store, draft);
    CAIRN_VERIFY_OK(staging);
    QVERIFY(answer(desk, staging->command).state == StagedState::Committed);
    const auto start = leaveOrder(*desk.store, *desk.service,
        {draft.row.id, PlanAct::Start, {}, makeId<CommandId>(desk.clock.wallMs(), desk.rng)}, whoIs(desk));
    CAIRN_VERIFY_OK(start);
    StagedAct withdrawn = **desk.store->stagedAct(start->command);
    withdrawn.state = StagedState::Withdrawn;
    withdrawn.note = "not before the weekend";
    withdrawn.confirmedName = "Ann";
    Desk other(m_roles, "t_both");
    CAIRN_VERIFY_ERROR(other.store->decideAct(withdrawn), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(desk.store->decideAct(withdrawn));
    QVERIFY(answer(desk, start->command).state == StagedState::Withdrawn);
    QVERIFY((*desk.store->plan(draft.row.id))->state == PlanState::Staged);
    QVERIFY(!desk.load(m_run).paused());
    const auto rows = audit();
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows.back().kind, std::string("withdrawn"));
    QCOMPARE(rows.back().login, std::string("t_operator"));
    QCOMPARE(rows.back().reason, withdrawn.note);
    CAIRN_VERIFY_ERROR(desk.store->decideAct(withdrawn), ErrorKind::Conflict);
}

// An act without a run, whose decision is on record under an id of its own: the engine may put it there in
// the name of who left it, and does what was confirmed.
void TestEngineStaged::whatAnApproverLeavesOnAnActOnTheStoreIsRecorded()
{
    Desk admin(m_roles, "cairn");
    const Outcome set =
        Agreements(*admin.service)
            .setPolicy({R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["slow"],"people":2}]})", 0,
                "nobody slows the bank alone", "ann", true});
    QVERIFY2(set.kind == Outcome::Kind::Committed, (set.rejection.text + set.error.text).c_str());
    ResourceRow seen;
    seen.name = "bank";
    ResourceRow wanted = seen;
    wanted.permitsPerSecond = 5;
    const Outcome proposed =
        Agreements(*m_caller->service)
            .slow(*m_caller->store, {seen, wanted, "the bank asked us to", "Ann", false, {}});
    QVERIFY2(
        proposed.kind == Outcome::Kind::Proposed, (proposed.rejection.text + proposed.error.text).c_str());
    Desk approver(m_roles, "t_approver");
    StagedAct act = **approver.store->stagedAct(proposed.proposal->command);
    act.state = StagedState::Waiting;
    act.note = "looked at it and agree";
    act.confirmedName = "Bob";
    CAIRN_VERIFY_OK(approver.store->decideAct(act));
    const StagedAct done = answer(approver, act.command);
    QVERIFY2(done.state == StagedState::Committed, done.outcome.c_str());
    std::string told;
    for (const AuditRow& row : audit())
        if (row.verb == Verb::ConfirmAct || row.verb == Verb::Slow)
            told += row.kind + " " + row.login + ";";
    QCOMPARE(told, std::string("confirmed t_approver;applied t_engine;"));
}

// Looking at it takes 30 s, and the lease lasts 20.
void TestEngineStaged::aLargeDraftCostsNoLease()
{
    Desk desk(m_roles, "t_operator");
    std::vector<RunId> runs{m_run};
    while (runs.size() <= 30)
        runs.push_back(deriveId<RunId>("test", "nobody " + std::to_string(runs.size())));
    PlanDraft draft = pausing(desk, runs);
    for (PlanItem& item : draft.items) {
        item.state = PlanItemState::Open;
        item.leftOut = PlanLeftOut::None;
        item.why.clear();
    }
    draft.setReason(draft.row.reason);
    const auto staging = leavePlan(*desk.store, draft);
    CAIRN_VERIFY_OK(staging);
    const SessionId before = m_engine->core->session();
    m_engine->takes = 1'000;
    const StagedAct done = answer(desk, staging->command);
    m_engine->takes = 0;
    QVERIFY2(done.state == StagedState::Committed, done.outcome.c_str());
    static_cast<void>(m_engine->core->tick());
    QVERIFY(m_engine->clock.ahead >= 30'000);
    QVERIFY(m_engine->core->session() == before);
}

// A draft is what its author's machine says. What an engine does with it is decided by the engine.
void TestEngineStaged::whatIsSaidOfAPlanIsNotTrusted()
{
    Desk desk(m_roles, "t_operator");
    PlanDraft other = pausing(desk, {m_run});
    other.row.digest = sha256("another plan");
    const auto wrong = leavePlan(*desk.store, other);
    CAIRN_VERIFY_OK(wrong);
    const StagedAct refused = answer(desk, wrong->command);
    QVERIFY(refused.state == StagedState::Rejected);
    QVERIFY2(refused.outcome.find("another digest") != std::string::npos, refused.outcome.c_str());
    // How many people it takes is the policy's to say, as the engine has it.
    PlanDraft alone = pausing(desk, {m_run});
    alone.row.people = 2;
    alone.setReason(alone.row.reason);
    const auto more = leavePlan(*desk.store, alone);
    CAIRN_VERIFY_OK(more);
    QVERIFY(answer(desk, more->command).state == StagedState::Rejected);
    // Under the command id of a message to come.
    PlanDraft forged = pausing(desk, {m_run});
    forged.items.front().command = deriveId<CommandId>("message", "the next one of some run");
    forged.setReason(forged.row.reason);
    const auto taken = leavePlan(*desk.store, forged);
    CAIRN_VERIFY_OK(taken);
    QVERIFY(answer(desk, taken->command).state == StagedState::Rejected);
    for (const PlanDraft* draft : {&other, &alone, &forged})
        QVERIFY((*desk.store->plan(draft->row.id))->state == PlanState::Closed);
    QVERIFY(desk.store->plans(false, 10)->empty());
    // Nor does anybody stage the draft of somebody else, or of nobody.
    Desk both(m_roles, "t_both");
    const PlanDraft own = pausing(desk, {m_run});
    PlanChange change;
    change.row = own.row;
    change.added = own.items;
    CAIRN_VERIFY_OK(desk.store->leaveDraft(change));
    StagedAct his = *taken;
    his.target = toText(own.row.id);
    his.command = makeId<CommandId>(both.clock.wallMs(), both.rng);
    CAIRN_VERIFY_ERROR(both.store->stage(his), ErrorKind::NoRight);
    his.target = toText(makeId<PlanId>(both.clock.wallMs(), both.rng));
    CAIRN_VERIFY_ERROR(both.store->stage(his), ErrorKind::NoRight);
    PlanDraft large = pausing(desk, {m_run});
    large.row.items = kMostLeftItems + 1;
    CAIRN_VERIFY_ERROR(leavePlan(*desk.store, large), ErrorKind::Refused);
    QVERIFY(!desk.load(m_run).paused());
    QCOMPARE(audit().size(), std::size_t{3});  // each refusal, in the name of who left it
    for (const AuditRow& row : audit())
        QCOMPARE(row.kind + " " + row.login, std::string("refused t_operator"));
}

// No engine was there for a day: what was left is not done any more. What an engine had done before it died
// was done.
void TestEngineStaged::whatWaitedForADayIsOver()
{
    Desk desk(m_roles, "t_operator");
    const auto done = desk.leave(m_run, cmd::SetPaused{true, 0, false});
    const auto late = desk.leave(m_run, cmd::Cancel{true});
    CAIRN_VERIFY_OK(done);
    CAIRN_VERIFY_OK(late);
    const auto act = desk.store->stagedAct(*done);
    CAIRN_VERIFY_OK(act);
    QVERIFY(m_caller->service->submitAndWait(*cairn::submissionOf(**act)).kind == Outcome::Kind::Committed);
    CAIRN_VERIFY_OK(m_caller->store->setClockOffset(kActExpires + 60'000));
    QVERIFY(answer(desk, done).state == StagedState::Committed);
    const Outcome told = outcomeOf(answer(desk, late));
    QVERIFY(told.kind == Outcome::Kind::Rejected && told.rejection.code == RejectCode::Stale);
    QVERIFY2(told.rejection.text.find("nothing was done") != std::string::npos, told.rejection.text.c_str());
    const RunState state = desk.load(m_run);
    QVERIFY(state.paused() && !state.cancelled());
}

void TestEngineStaged::theRulesDecideAgain()
{
    Desk desk(m_roles, "t_operator");
    const StagedAct nothing = answer(desk, desk.leave(m_run, cmd::SetPaused{false, 0, false}));
    QVERIFY(nothing.state == StagedState::NoChange);
    QVERIFY(!nothing.outcome.empty());
    const StagedAct refused = answer(desk, desk.leave(m_run, cmd::RetryStep{"nowhere", 0, false}));
    QVERIFY(refused.state == StagedState::Rejected);
    const Outcome told = outcomeOf(refused);
    QVERIFY(told.kind == Outcome::Kind::Rejected && told.rejection.code == RejectCode::NotFound);
    const auto rows = audit();
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows.front().kind, std::string("refused"));
    QCOMPARE(rows.front().login, std::string("t_operator"));
    // With what comes along: kept byte for byte.
    Submission signal = desk.submission(m_run, {}, "somebody");
    signal.command.actor.kind = ActorKind::Caller;
    const std::string large(100'000, 'x');
    signal.payloads.push_back(desk.service->newPayload('"' + large + '"', "application/json"));
    cmd::Signal body;
    body.name = "hello";
    body.messageHash = sha256("1");
    body.data = signal.payloads.back().ref;
    signal.command.body = body;
    QVERIFY(answer(desk, desk.leave(std::move(signal))).state == StagedState::Committed);
    const RunState state = desk.load(m_run);
    QCOMPARE(state.signals.size(), std::size_t{1});
    QCOMPARE(desk.store->payload(m_run, state.signals.front().data.id).value(), '"' + large + '"');
    // A fork is a run of its own.
    Submission fork = desk.submission(m_run, {}, "somebody");
    fork.forkSource = m_run;
    fork.run = makeId<RunId>(desk.clock.wallMs(), desk.rng);
    fork.command.body = cmd::Fork{fork.run, 1, false};
    const RunId forked = fork.run;
    const RunState seen = desk.load(m_run);
    const auto act = stagedOf(std::move(fork), seen, desk.config);
    CAIRN_VERIFY_OK(act);
    CAIRN_VERIFY_OK(desk.store->stage(*act));
    QVERIFY(answer(desk, act->command).state == StagedState::Committed);
    QVERIFY(desk.load(forked).forkedFrom == m_run);
}

void TestEngineStaged::whatIsLeftIsNotTrusted()
{
    Desk desk(m_roles, "t_operator");
    const RunState seen = desk.load(m_run);
    const auto made =
        stagedOf(desk.submission(m_run, cmd::RetryStep{"one", 1, true}, "somebody"), seen, desk.config);
    CAIRN_VERIFY_OK(made);
    const auto refused = [&](const StagedAct& act) { return !cairn::submissionOf(act).has_value(); };
    QVERIFY(!refused(*made));
    StagedAct act = *made;
    act.target = "two";
    QVERIFY(refused(act));
    act = *made;
    act.verb = Verb::Approve;  // what the body is, is said by the column that its role was asked for
    QVERIFY(refused(act));
    for (std::size_t size = 0; size < made->body.size(); ++size) {
        act = *made;
        act.body.resize(size);
        QVERIFY(refused(act));
    }
    act = *made;
    act.body += 'x';
    QVERIFY(refused(act));
    // The engine says so, and goes on.
    act.command = makeId<CommandId>(desk.clock.wallMs(), desk.rng);
    CAIRN_VERIFY_OK(desk.store->stage(act));
    const StagedAct told = answer(desk, act.command);
    QVERIFY(told.state == StagedState::Failed);
    // The attempt is on record, in the name of who made it.
    QCOMPARE(audit().size(), std::size_t{1});
    const AuditRow attempt = audit().front();
    QCOMPARE(attempt.seq, told.auditSeq);
    QCOMPARE(attempt.kind, std::string("refused"));
    QCOMPARE(attempt.login, std::string("t_operator"));
    QCOMPARE(attempt.actor, std::string("somebody"));
    QVERIFY2(attempt.after.find("damaged") != std::string::npos, attempt.after.c_str());
    // Nor can a fork take the place of a child that is still to come.
    Submission fork = desk.submission(m_run, {}, "somebody");
    fork.forkSource = m_run;
    fork.run = deriveId<RunId>("child", "the next one");
    fork.command.body = cmd::Fork{fork.run, 1, false};
    const auto forked = stagedOf(std::move(fork), seen, desk.config);
    CAIRN_VERIFY_OK(forked);
    QVERIFY(refused(*forked));
}

void TestEngineStaged::anEngineNeedsItsRole()
{
    Desk desk(m_roles, "t_operator");
    FakeExecutor executor;
    std::set<std::int64_t> gone;
    FakeProcesses processes{1001, gone};
    EngineCore core(EngineSeams{desk.clock, desk.rng, *desk.store, *desk.queue, executor, processes, nullptr},
        Cluster::config());
    const Status refused = core.open();
    CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
    QVERIFY2(refused.error().text.find("cairn_engine") != std::string::npos, refused.error().text.c_str());
}

void TestEngineStaged::previewsNeedNoMoreThanReading()
{
    for (const char* login : {"t_operator", "t_approver", "t_viewer", "t_auditor"}) {
        Desk desk(m_roles, login);
        const auto told =
            desk.service->preview(desk.submission(m_run, cmd::SetPaused{true, 0, false}, "somebody"));
        CAIRN_VERIFY_OK(told);
        QVERIFY2(std::holds_alternative<Entry>(told->decision), login);
        QVERIFY(!told->willHappen.empty());
    }
}

// By the database's clock: the engine's own says only when it looks.
void TestEngineStaged::answeredActsAreForgottenByAnEngine()
{
    Desk desk(m_roles, "t_approver");
    const StagedAct done = answer(desk, desk.approve(m_run, "one", "Ann"));
    const auto acts = [&] { return RawPg(m_roles.url).value("SELECT count(*) FROM cairn.staged_acts"); };
    const auto tidied = [&] {
        m_engine->clock.ahead += 4'000'000;
        static_cast<void>(m_engine->core->tick());
        return acts();
    };
    QCOMPARE(tidied(), std::string("1"));
    CAIRN_VERIFY_OK(m_caller->store->setClockOffset(kKeepAnswered + 60'000));
    QTRY_COMPARE(tidied(), std::string("0"));
    const auto rows = audit();
    QVERIFY(std::any_of(
        rows.begin(), rows.end(), [&](const AuditRow& row) { return row.command == done.command; }));
    QVERIFY(m_roles.open()->check(true)->empty());
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::TestEngineStaged)

#include "tst_engine_staged.moc"
