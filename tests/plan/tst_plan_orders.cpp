// What people do to plans: which acts fit which state, who may confirm, what a preview says and that it
// writes nothing, and the command that stages the same plan.

#include "tests/plan/plan_world.h"

#include <QtCore/QObject>

using namespace cairn;
using namespace cairn::testing;

class PlanOrdersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void statesAndActs_data();
    void statesAndActs();
    void twoPeople();
    void anExpiredPlanDoesNotStart();
    void aPreviewSaysEachRunAndWritesNothing();
    void aHeldRunIsLeftOut();
    void aRunIsInOneOpenPlan();
    void whoHoldsALeaseIsAskedBeforeEachRun();
    void whatIsStagedIsFrozen();
    void nothingToDoIsRefused();
    void theRowComesBackAsStaged();
    void verbsThatAreDoneRunByRun();
    void specsComeBackAsWritten();
    void theCommandStagesTheSame();
};

namespace {

PlanRow rowIn(PlanState state)
{
    PlanRow row;
    row.id = deriveId<PlanId>("test", "plan");
    row.state = state;
    row.login = "kim";
    row.digest = sha256("digest");
    row.expiresAt = 10'000;
    return row;
}

Result<PlanRow> decided(const PlanRow& row, PlanAct act, const std::string& login = "kim", TimeMs now = 5'000)
{
    return decideOrder(
        row, {row.id, act, row.digest, CommandId{}}, PlanWorld::author(login), StoreInfo{}, now);
}

}  // namespace

void PlanOrdersTest::statesAndActs_data()
{
    QTest::addColumn<int>("state");
    QTest::addColumn<int>("act");
    QTest::addColumn<int>("becomes");  // 0: refused
    const auto row = [](PlanState state, PlanAct act, int becomes) {
        QTest::newRow((std::string(key(act)) + " " + std::to_string(static_cast<int>(state))).c_str())
            << static_cast<int>(state) << static_cast<int>(act) << becomes;
    };
    using enum PlanState;
    for (const PlanState state : {Draft, Staged, Running, PlanState::Paused, Verifying, Closed}) {
        row(state, PlanAct::Start, state == Staged ? static_cast<int>(Running) : 0);
        row(state, PlanAct::Pause, state == Running ? static_cast<int>(PlanState::Paused) : 0);
        row(state, PlanAct::Continue, state == PlanState::Paused ? static_cast<int>(Running) : 0);
        const bool began = state == Running || state == PlanState::Paused;
        row(state, PlanAct::Abort, state >= Verifying ? 0 : static_cast<int>(began ? Verifying : Closed));
        row(state, PlanAct::Confirm, 0);  // it needs nobody else
    }
}

void PlanOrdersTest::statesAndActs()
{
    QFETCH(int, state);
    QFETCH(int, act);
    QFETCH(int, becomes);
    const auto after = decided(rowIn(static_cast<PlanState>(state)), static_cast<PlanAct>(act));
    if (becomes == 0) {
        CAIRN_VERIFY_ERROR(after, ErrorKind::Refused);
        return;
    }
    CAIRN_VERIFY_OK(after);
    QCOMPARE(static_cast<int>(after->state), becomes);
    QCOMPARE(after->aborted, static_cast<PlanAct>(act) == PlanAct::Abort);
    if (after->state == PlanState::Running)
        QCOMPARE(after->startedAt, TimeMs{5'000});
}

void PlanOrdersTest::twoPeople()
{
    PlanRow row = rowIn(PlanState::Staged);
    row.people = 2;
    CAIRN_VERIFY_ERROR(decided(row, PlanAct::Start), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(decided(row, PlanAct::Confirm, "kim"), ErrorKind::NoRight);
    PlanOrder other{row.id, PlanAct::Confirm, sha256("another"), {}};
    CAIRN_VERIFY_ERROR(
        decideOrder(row, other, PlanWorld::author("lee"), StoreInfo{}, 5'000), ErrorKind::Conflict);
    const auto confirmed = decided(row, PlanAct::Confirm, "lee");
    CAIRN_VERIFY_OK(confirmed);
    QCOMPARE(confirmed->confirmedBy, std::string("lee"));
    QCOMPARE(confirmed->confirmedAt, TimeMs{5'000});
    QVERIFY(confirmed->state == PlanState::Staged);
    CAIRN_VERIFY_ERROR(decided(*confirmed, PlanAct::Confirm, "max"), ErrorKind::Refused);
    CAIRN_VERIFY_OK(decided(*confirmed, PlanAct::Start));
    // The acts of such a plan say who agreed, to exactly this.
    PlanWorld w;
    PlanSpec spec = w.retry(PlanWorld::unhurried());
    PlanItem item;
    item.ord = 1;
    item.run = deriveId<RunId>("test", "run");
    item.command = itemCommand(row.id, item.run);
    item.target = "ask";
    item.seen = 3;
    const auto submission = submissionOf(*confirmed, spec, item);
    CAIRN_VERIFY_OK(submission);
    QVERIFY(submission->agreed && submission->agreed->by.login == "lee");
    QCOMPARE(submission->agreed->digest, row.digest);
    QVERIFY(!submissionOf(row, spec, item)->agreed);
    const auto& retry = std::get<cmd::RetryStep>(submission->command.body);
    QCOMPARE(retry.step, std::string("ask"));
    QVERIFY(retry.checkRevision && retry.expectedRevision == 3);
    QVERIFY(submission->command.plan == row.id && submission->command.id == item.command);
}

void PlanOrdersTest::anExpiredPlanDoesNotStart()
{
    PlanRow row = rowIn(PlanState::Staged);
    CAIRN_VERIFY_OK(decided(row, PlanAct::Start, "kim", 9'999));
    CAIRN_VERIFY_ERROR(decided(row, PlanAct::Start, "kim", 10'000), ErrorKind::Refused);
    row.people = 2;
    CAIRN_VERIFY_ERROR(decided(row, PlanAct::Confirm, "lee", 10'000), ErrorKind::Refused);
    CAIRN_VERIFY_OK(decided(row, PlanAct::Abort, "kim", 10'000));
}

void PlanOrdersTest::aPreviewSaysEachRunAndWritesNothing()
{
    PlanWorld w;
    auto runs = w.stuck(3);
    const RunId done = w.stuck();
    Submission act = World::act(done, cmd::Cancel{});
    QVERIFY(w.person->service.submitAndWait(std::move(act)).ok());
    runs.push_back(done);
    runs.push_back(deriveId<RunId>("test", "nobody"));
    runs.push_back(runs.front());  // named twice
    const auto audits = w.connection->audit(0, 1'000)->size();
    PlanPace pace = PlanWorld::unhurried();
    pace.rate = 60;
    const PlanDraft draft = w.draft(w.retry(pace), runs);
    QCOMPARE(draft.preview.targets, std::uint64_t{5});
    QCOMPARE(draft.preview.included, std::uint64_t{3});
    QCOMPARE(draft.preview.estimate, SpanMs{2'000});
    QCOMPARE(draft.preview.left.size(), std::size_t{2});
    QCOMPARE(draft.preview.uncertain, std::uint64_t{0});
    QVERIFY(!draft.preview.blocked());
    QCOMPARE(draft.preview.willHappen.runs, std::uint64_t{3});
    QVERIFY(draft.preview.undo.by == Verb::Pause);
    QCOMPARE(draft.items.size(), std::size_t{5});
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE(draft.items[i].run, runs[i]);
        QCOMPARE(draft.items[i].ord, static_cast<std::uint32_t>(i + 1));
        QCOMPARE(draft.items[i].target, std::string("ask"));
        QVERIFY(draft.items[i].seen > 0 && !draft.items[i].situation.empty());
        QVERIFY(draft.items[i].state == PlanItemState::Open);
    }
    QVERIFY(draft.items[3].state == PlanItemState::Skipped && !draft.items[3].why.empty());
    QCOMPARE(draft.row.digest, w.draft(w.retry(pace), runs).row.digest);
    pace.rate = 61;
    QVERIFY(draft.row.digest != w.draft(w.retry(pace), runs).row.digest);
    QVERIFY(w.connection->plans(true, 10)->empty());
    QCOMPARE(w.connection->audit(0, 1'000)->size(), audits);
}

void PlanOrdersTest::aHeldRunIsLeftOut()
{
    PlanWorld w;
    const auto runs = w.stuck(2);
    cmd::Hold hold;
    QVERIFY(w.person->service.submitAndWait(World::act(runs[0], hold)).ok());
    const PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), runs);
    QCOMPARE(draft.preview.included, std::uint64_t{1});
    QCOMPARE(draft.preview.of(PlanLeftOut::Held), std::uint64_t{1});
    // Held after it was staged: left out when its turn comes.
    const PlanId plan = w.running(w.retry(PlanWorld::unhurried()), {runs[1]}, "other");
    QVERIFY(w.person->service.submitAndWait(World::act(runs[1], hold)).ok());
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Skipped), std::uint64_t{1});
    QCOMPARE(w.retries(runs[1]), std::size_t{0});
}

void PlanOrdersTest::aRunIsInOneOpenPlan()
{
    PlanWorld w;
    const auto runs = w.stuck(2);
    const PlanId first = w.staged(w.retry(PlanWorld::unhurried()), {runs[0]}, "first");
    const PlanDraft second = w.draft(w.retry(PlanWorld::unhurried()), runs, "second");
    QCOMPARE(second.preview.of(PlanLeftOut::OtherPlan), std::uint64_t{1});
    QCOMPARE(second.preview.included, std::uint64_t{1});
    // The plan itself is no other one.
    const auto again = previewPlan(*w.connection, w.person->service, w.row(first));
    CAIRN_VERIFY_OK(again);
    QCOMPARE(again->included, std::uint64_t{1});
    CAIRN_VERIFY_OK(w.order(first, PlanAct::Abort));
    QVERIFY(w.row(first).state == PlanState::Closed);
    QCOMPARE(w.draft(w.retry(PlanWorld::unhurried()), runs, "second").preview.included, std::uint64_t{2});
    QCOMPARE(w.planAudits(), std::string("staged aborted"));
}

void PlanOrdersTest::whoHoldsALeaseIsAskedBeforeEachRun()
{
    PlanWorld w;
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), w.stuck(3));
    int asked = 0;
    const auto all = previewPlan(*w.connection, w.person->service, w.row(plan), [&]() -> Status {
        ++asked;
        return {};
    });
    CAIRN_VERIFY_OK(all);
    QCOMPARE(all->included, std::uint64_t{3});
    QCOMPARE(asked, 3);
    asked = 0;
    const auto ended = previewPlan(*w.connection, w.person->service, w.row(plan), [&]() -> Status {
        return ++asked < 2 ? Status() : Status(makeError(ErrorKind::LeaseLost, "it was lost"));
    });
    CAIRN_VERIFY_ERROR(ended, ErrorKind::LeaseLost);
    QCOMPARE(asked, 2);
}

// What a filter would find later is not part of it.
void PlanOrdersTest::whatIsStagedIsFrozen()
{
    PlanWorld w;
    const auto runs = w.stuck(2);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    const auto seen = w.connection->planItems(plan, 0, 10, {});
    static_cast<void>(w.stuck());
    QCOMPARE(w.row(plan).items, std::uint32_t{2});
    PlanDigest digest(w.row(plan));
    digest.add(*seen);
    QCOMPARE(digest.digest(), w.row(plan).digest);
    // Somebody else acts on one of them: what is previewed again says so.
    const Outcome other =
        w.person->service.submitAndWait(World::act(runs[0], cmd::RetryStep{"ask", 0, false}));
    QVERIFY(other.ok());
    const auto again = previewPlan(*w.connection, w.person->service, w.row(plan));
    CAIRN_VERIFY_OK(again);
    QCOMPARE(again->included, std::uint64_t{1});
    QCOMPARE(again->targets, std::uint64_t{2});
}

void PlanOrdersTest::nothingToDoIsRefused()
{
    PlanWorld w;
    const PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), {deriveId<RunId>("test", "nobody")});
    QCOMPARE(draft.preview.included, std::uint64_t{0});
    CAIRN_VERIFY_ERROR(stagePlan(*w.writer, draft), ErrorKind::Refused);
    QVERIFY(w.connection->plans(true, 10)->empty());
    CAIRN_VERIFY_ERROR(draftPlan(*w.connection, w.person->service, w.retry({}), {}, PlanWorld::author(),
                           draft.row.id, draft.row.command),
        ErrorKind::InvalidInput);
}

void PlanOrdersTest::theRowComesBackAsStaged()
{
    PlanWorld w;
    PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), w.stuck(2));
    draft.needed.reason = 24;
    draft.setReason("too short for this rule");  // 23
    const auto refused = stagePlan(*w.writer, draft);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
    QCOMPARE(refused.error().text, std::string("this plan needs a reason of at least 24 characters"));
    QCOMPARE(refused.error().text, reasonLacked(draft.needed, draft.row.reason));
    QVERIFY(w.connection->plans(true, 10)->empty());
    draft.setReason("long enough for the rule");  // 24
    QCOMPARE(reasonLacked(draft.needed, draft.row.reason), std::string());
    const auto staged = stagePlan(*w.writer, draft);
    CAIRN_VERIFY_OK(staged);
    const PlanRow stored = w.row(draft.row.id);
    QVERIFY(staged->state == PlanState::Staged && stored.state == PlanState::Staged);
    QCOMPARE(staged->revision, std::uint64_t{2});  // its items, and then the plan
    QCOMPARE(stored.revision, staged->revision);
    QCOMPARE(staged->reason, stored.reason);
    QVERIFY(staged->digest == stored.digest);
}

void PlanOrdersTest::verbsThatAreDoneRunByRun()
{
    for (const Verb verb : {Verb::Approve, Verb::Reject, Verb::Settle, Verb::Fork, Verb::Signal})
        CAIRN_VERIFY_ERROR(checkPlanVerb(verb), ErrorKind::Refused);
    for (const Verb verb : {Verb::Pause, Verb::Resume, Verb::Cancel, Verb::Retry, Verb::Skip, Verb::Record,
             Verb::Amend, Verb::Deadline, Verb::Budget, Verb::Compensate, Verb::Migrate})
        CAIRN_VERIFY_OK(checkPlanVerb(verb));
    PlanPace pace;
    CAIRN_VERIFY_OK(checkPace(pace));
    pace.rampFrom = 60;
    CAIRN_VERIFY_ERROR(checkPace(pace), ErrorKind::InvalidInput);  // no rate, no span
    pace.rate = 600;
    pace.ramp = 1'000;
    CAIRN_VERIFY_OK(checkPace(pace));
    pace.jitter = 101;
    CAIRN_VERIFY_ERROR(checkPace(pace), ErrorKind::InvalidInput);
}

void PlanOrdersTest::specsComeBackAsWritten()
{
    PlanWorld w;
    PlanSpec spec = w.retry({600, 120, 10'000, 10, 5, 30'000, 20, 60'000});
    spec.filter = "wait:attempts_exhausted";
    spec.leaveOutUncertain = true;
    const auto again = decodeSpec(encodeSpec(spec));
    CAIRN_VERIFY_OK(again);
    QVERIFY(*again == spec);
    CAIRN_VERIFY_ERROR(decodeSpec("damaged"), ErrorKind::Corrupt);
    CAIRN_VERIFY_ERROR(decodeSpec(encodeSpec(spec) + "x"), ErrorKind::Corrupt);
}

void PlanOrdersTest::theCommandStagesTheSame()
{
    PlanWorld w;
    PlanSpec spec = w.retry({600, 120, 10'000, 10, 5, 30'000, 20, 0});
    PlanRow row = rowIn(PlanState::Staged);
    row.command = deriveId<CommandId>("test", "command");
    row.reason = "it's back";
    const RunId run = deriveId<RunId>("test", "run");
    const std::string pace =
        " --rate 10/s --ramp-from 2/s --ramp 10000ms --jitter 10 --canary 5 --canary-wait 30000ms "
        "--stop-over 20 --verify 0ms --reason 'it'\\''s back'";
    QCOMPARE(
        commandOf(row, spec, std::span(&run, 1), ""), "cairn plan stage retry" + pace + " " + toText(run));
    spec.filter = "wait:retry def:order";
    spec.step = "ask";
    QCOMPARE(commandOf(row, spec, {}, "sqlite:runs.db"),
        "cairn --store sqlite:runs.db plan stage retry --step ask" + pace
            + " --where 'wait:retry def:order'");
}

QTEST_APPLESS_MAIN(PlanOrdersTest)
#include "tst_plan_orders.moc"
