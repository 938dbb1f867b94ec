// The policy is asked of a plan when it is staged, when it is started, and for each run when its turn comes:
// what was agreed to under an earlier one does not last longer than that. And no plan keeps a secret.

#include "core/audit/second_person.h"
#include "core/service/agreement.h"
#include "tests/plan/plan_world.h"

using namespace cairn;
using namespace cairn::testing;

class PlanAgreementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void aStricterPolicyStopsThePlanAtItsStart();
    void whoConfirmedHasToHaveTheRoleOfNow();
    void aPolicyThatChangesMeanwhileStopsTheRest();
    void aPlanIsConfirmedAsAWhole();
    void theAuditSaysWhoConfirmedAPlanAndItsActs();
    void noPlanTakesThePlaceOfAnEarlierRule();
    void runsThatAreLeftOutCountToo();
    void aLongReasonIsAskedOfThePlanAndNotOfItsRuns();
    void aPlanKeepsNoSecret();
};

namespace {

std::string retryByTwo(const std::string& role, const std::string& login)
{
    return R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["retry"],"people":2,"role":")" + role
        + R"("}],"roles":{")" + role + R"(":[")" + login + R"("]}})";
}

void setPolicy(PlanWorld& w, const std::string& text, std::uint64_t from)
{
    const Outcome set =
        Agreements(w.person->service).setPolicy({text, from, "who may retry has changed", "ann", false});
    if (set.kind != Outcome::Kind::Committed)
        qFatal("%s", told(set).c_str());
}

Result<PlanRow> confirm(PlanWorld& w, const PlanId& plan, const std::string& login)
{
    return orderPlan(*w.writer, w.person->service,
        {plan, PlanAct::Confirm, w.row(plan).digest, makeId<CommandId>(w.clock.wallMs(), w.rng)},
        PlanWorld::author(login));
}

}  // namespace

void PlanAgreementTest::aStricterPolicyStopsThePlanAtItsStart()
{
    PlanWorld w;
    const auto runs = w.stuck(3);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    setPolicy(w, retryByTwo("ops", "lee"), 0);
    const auto started = w.order(plan, PlanAct::Start);
    CAIRN_VERIFY_ERROR(started, ErrorKind::Refused);
    QCOMPARE(started.error().text,
        "the policy asks for 2 people for this by now (rule 1), and one was enough when it was staged; "
        "nothing "
        "was started: abort plan "
            + toText(plan) + ", and stage it anew");
    QCOMPARE(w.row(plan).state, PlanState::Staged);
    QCOMPARE(w.planAudits(), std::string("staged refused"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Abort));
    for (const RunId& run : runs)
        QCOMPARE(w.retries(run), std::size_t{0});
    QVERIFY(w.writer->waitingActs(10)->empty());  // nor is any of its acts proposed
}

void PlanAgreementTest::whoConfirmedHasToHaveTheRoleOfNow()
{
    PlanWorld w;
    setPolicy(w, retryByTwo("ops", "lee"), 0);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), w.stuck(2));
    QCOMPARE(w.row(plan).people, 2U);
    QCOMPARE(w.row(plan).role, std::string("ops"));
    CAIRN_VERIFY_ERROR(confirm(w, plan, "max"), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(confirm(w, plan, "lee"));
    setPolicy(w, retryByTwo("finance", "max"), 1);
    const auto started = w.order(plan, PlanAct::Start);
    CAIRN_VERIFY_ERROR(started, ErrorKind::Refused);
    QCOMPARE(started.error().text,
        "\"lee\", who confirmed it, lacks the role \"finance\", which the policy asks for now; nothing was "
        "started: abort plan "
            + toText(plan) + ", and stage it anew");
    setPolicy(w, retryByTwo("ops", "lee"), 2);
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
}

void PlanAgreementTest::aPolicyThatChangesMeanwhileStopsTheRest()
{
    PlanWorld w;
    setPolicy(w, retryByTwo("ops", "lee"), 0);
    const auto runs = w.stuck(4);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    CAIRN_VERIFY_OK(confirm(w, plan, "lee"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
    setPolicy(w, retryByTwo("finance", "max"), 1);
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Failed), std::uint64_t{4});
    const auto items = w.connection->planItems(plan, 0, 10, PlanItemState::Failed);
    CAIRN_VERIFY_OK(items);
    for (const PlanItem& item : *items)
        QCOMPARE(item.why,
            std::string(
                "\"lee\", who confirmed it, lacks the role \"finance\", which the policy asks for now; "
                "nothing was done: propose it again"));
    for (const RunId& run : runs)
        QCOMPARE(w.retries(run), std::size_t{0});
}

// The rule for so many runs decides, of the plan and of each of its acts; one of them alone would be asked
// for another.
void PlanAgreementTest::aPlanIsConfirmedAsAWhole()
{
    PlanWorld w;
    setPolicy(w, R"({"schema":"urn:cairn:policy:1","rules":[
        {"verbs":["retry"],"runs":3,"people":2,"role":"ops"},{"verbs":["retry"],"people":2,"role":"finance"}],
        "roles":{"ops":["lee"],"finance":["max"]}})",
        0);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), w.stuck(3));
    QCOMPARE(w.row(plan).role, std::string("ops"));
    CAIRN_VERIFY_ERROR(confirm(w, plan, "max"), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(confirm(w, plan, "lee"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{3});
}

void PlanAgreementTest::theAuditSaysWhoConfirmedAPlanAndItsActs()
{
    PlanWorld w;
    setPolicy(w, retryByTwo("ops", "lee"), 0);
    const auto runs = w.stuck(2);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    const auto told = [&w] {
        audit::SecondPeople seconds(*w.writer);
        std::vector<std::string> lines;
        const auto rows = w.writer->audit(0, 1'000);
        for (const AuditRow& row : *rows) {
            const auto second = seconds.of(row);
            if (row.verb == Verb::Plan || row.verb == Verb::Retry)
                lines.push_back(row.kind + ": " + (second ? label(*second) : second.error().text));
        }
        return lines;
    };
    QVERIFY((told() == std::vector<std::string>{"staged: waits for somebody else"}));
    CAIRN_VERIFY_OK(confirm(w, plan, "lee"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{2});
    const std::vector<std::string> lines = told();
    QVERIFY(lines.size() >= 5);  // staged, confirmed, started, and an act on each run
    for (const std::string& line : lines)
        QVERIFY2(line.ends_with(": lee"), line.c_str());
    QCOMPARE(std::count(lines.begin(), lines.end(), std::string("applied: lee")), 2);
}

// Who confirmed the plan confirms its acts too, but not in place of the role that an earlier rule asks for.
void PlanAgreementTest::noPlanTakesThePlaceOfAnEarlierRule()
{
    PlanWorld w;
    setPolicy(w, retryByTwo("ops", "lee"), 0);
    const auto runs = w.stuck(3);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    CAIRN_VERIFY_OK(confirm(w, plan, "lee"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
    setPolicy(w, R"({"schema":"urn:cairn:policy:1","rules":[
        {"verbs":["retry"],"people":2,"role":"finance"},{"verbs":["retry"],"people":2,"role":"ops"}],
        "roles":{"ops":["lee"],"finance":["max"]}})",
        1);
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Failed), std::uint64_t{3});
    for (const RunId& run : runs)
        QCOMPARE(w.retries(run), std::size_t{0});
}

// Each item is decided as one of all that were chosen: a plan that asks for less would fail run by run.
void PlanAgreementTest::runsThatAreLeftOutCountToo()
{
    PlanWorld w;
    setPolicy(w, R"({"schema":"urn:cairn:policy:1","rules":[{"runs":3,"people":2}]})", 0);
    const auto runs = w.stuck(3);
    QVERIFY(w.person->service.submitAndWait(World::act(runs[1], cmd::Hold{true, kNoTime, 0, false})).ok());
    const PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), runs);
    QCOMPARE(draft.preview.included, std::uint64_t{2});
    QCOMPARE(draft.needed.people, 2U);
    QCOMPARE(w.draft(w.retry(PlanWorld::unhurried()), {runs[0], runs[2]}, "two").needed.people, 1U);
}

void PlanAgreementTest::aLongReasonIsAskedOfThePlanAndNotOfItsRuns()
{
    PlanWorld w;
    setPolicy(w, R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["retry"],"reason":500}]})", 0);
    const PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), w.stuck(2));
    QCOMPARE(draft.preview.included, std::uint64_t{2});
    const auto staged = stagePlan(*w.writer, draft);
    CAIRN_VERIFY_ERROR(staged, ErrorKind::Refused);
    QCOMPARE(staged.error().text, std::string("this plan needs a reason of at least 500 characters"));
}

void PlanAgreementTest::aPlanKeepsNoSecret()
{
    PlanWorld w;
    w.add(workflowText(
        "secretive", R"({"name":"ask","tool":"look"})", R"(,"never_store":{"patterns":["canary-*"]})"));
    const Outcome started = w.engineService->submitAndWait(World::start(*w.engineService, "secretive", "{}"));
    QVERIFY2(started.ok(), told(started).c_str());
    const auto specOn = [&](const std::vector<RunId>& runs) {
        Submission act;
        act.run = deriveId<RunId>("test", "template");
        act.command.id = deriveId<CommandId>("test", "template");
        act.payloads.push_back(w.person->service.newPayload(
            R"({"note":"canary-4711 and AKIAABCDEFGHIJKLMNOP"})", "application/json"));
        cmd::RecordResult record;
        record.output = act.payloads.back().ref;
        act.command.body = record;
        PlanSpec spec;
        spec.pace = PlanWorld::unhurried();
        spec.step = "ask";
        const auto made = specFor(*w.connection, w.person->service, std::move(act), std::move(spec), runs);
        return made ? encodeSpec(*made) : made.error().text;
    };
    const std::string masked = specOn({w.stuck(), started.run});
    QVERIFY2(masked.find("[masked: canary-*] and [masked: access key]") != std::string::npos, masked.c_str());
    QVERIFY(masked.find("canary-4711") == std::string::npos);
    // The list of a workflow that is not meant masks nothing.
    const std::string other = specOn({w.stuck()});
    QVERIFY2(other.find("canary-4711 and [masked: access key]") != std::string::npos, other.c_str());
}

QTEST_APPLESS_MAIN(PlanAgreementTest)
#include "tst_plan_agreement.moc"
