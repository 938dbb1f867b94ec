// A draft that somebody left, as an engine decides it: what it says of itself is a claim. These stores have
// no logins, so that a draft with which nothing is wrong is refused at the very end, by the store.

#include "core/base/wire.h"
#include "core/plan/left.h"
#include "core/store/checks.h"
#include "tests/plan/plan_world.h"

using namespace cairn;
using namespace cairn::testing;

class PlanLeftTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void aDraftThatIsAsItSays();
    void theActIsThatOfTheRow();
    void anUncertainRunIsNotActedOn();
    void aLostSessionStagesNothing();
};

namespace {

// Writes the draft as it is, and gives the act that is about it.
StagedAct left(PlanWorld& w, const PlanDraft& draft)
{
    PlanChange change;
    change.row = draft.row;
    change.added = draft.items;
    if (const Status written = w.writer->changePlan(change); !written)
        qFatal("%s", written.error().text.c_str());
    WireWriter body;
    body.u8(1);  // version
    body.u8(0);  // to be staged
    body.digest(draft.row.digest);
    StagedAct act;
    act.command = draft.row.command;
    act.verb = Verb::Plan;
    act.target = toText(draft.row.id);
    act.body = body.take();
    act.reason = draft.row.reason;
    act.claimed = draft.row.actor;
    act.stagedBy = draft.row.login;
    return act;
}

std::string whyRejected(PlanWorld& w, const PlanDraft& draft)
{
    const Outcome outcome = carryOutOrder(*w.writer, w.person->service, left(w, draft));
    return outcome.kind == Outcome::Kind::Rejected ? outcome.rejection.text : "it was not rejected";
}

// `ask` failed for good, and what `send` did is not known.
RunId uncertain(PlanWorld& w)
{
    w.add(workflowText("sends",
        R"({"name":"ask","tool":"plan","input":{"q":1}},)"
        R"({"name":"send","tool":"send","input":{"q":1}})",
        {},
        R"("plan":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]},)"
        R"("retry":{"attempts":1}},)"
        R"("send":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]}},)"));
    const Outcome started = w.engineService->submitAndWait(World::start(*w.engineService, "sends", "{}"));
    if (!started.ok())
        qFatal("%s", told(started).c_str());
    w.fail(started.run);
    cmd::Takeover lost;
    lost.step = "send";
    if (const Outcome taken = w.person->service.submitAndWait(World::act(started.run, lost)); !taken.ok())
        qFatal("%s", told(taken).c_str());
    return started.run;
}

}  // namespace

void PlanLeftTest::aDraftThatIsAsItSays()
{
    PlanWorld w;
    QCOMPARE(whyRejected(w, w.draft(w.retry(PlanWorld::unhurried()), w.stuck(2))), nobodyLeaves().text);
}

// The policy judges the verb of the row; the runner does that of the spec.
void PlanLeftTest::theActIsThatOfTheRow()
{
    PlanWorld w;
    PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), w.stuck(1));
    draft.row.verb = Verb::Pause;
    draft.setReason(draft.row.reason);
    const std::string why = whyRejected(w, draft);
    QVERIFY2(why.find("is not as it was left: it says one act, and would do another") != std::string::npos,
        why.c_str());
    QVERIFY(w.row(draft.row.id).state == PlanState::Closed);
    QCOMPARE(w.planAudits(), std::string("refused"));
}

void PlanLeftTest::anUncertainRunIsNotActedOn()
{
    PlanWorld w;
    PlanSpec spec = w.retry(PlanWorld::unhurried());
    spec.step = "ask";
    spec.leaveOutUncertain = true;
    const std::vector<RunId> runs{w.stuck(), uncertain(w)};
    QCOMPARE(whyRejected(w, w.draft(spec, runs, "honest")), nobodyLeaves().text);  // it is left out
    PlanDraft draft = w.draft(spec, runs, "forged");
    QCOMPARE(draft.preview.included, std::uint64_t{1});
    QCOMPARE(draft.preview.of(PlanLeftOut::Uncertain), std::uint64_t{1});
    for (PlanItem& item : draft.items) {
        item.state = PlanItemState::Open;
        item.leftOut = PlanLeftOut::None;
        item.why.clear();
    }
    draft.setReason(draft.row.reason);
    const std::string why = whyRejected(w, draft);
    QVERIFY2(why.find("an effect of a run that it would act on may happen twice") != std::string::npos,
        why.c_str());
    QVERIFY(w.row(draft.row.id).state == PlanState::Closed);
}

void PlanLeftTest::aLostSessionStagesNothing()
{
    PlanWorld w;
    const PlanDraft draft = w.draft(w.retry(PlanWorld::unhurried()), w.stuck(3));
    int asked = 0;
    const Outcome outcome = carryOutOrder(*w.writer, w.person->service, left(w, draft), [&]() -> Status {
        return ++asked < 3 ? Status() : Status(makeError(ErrorKind::LeaseLost, "it was lost"));
    });
    QVERIFY(outcome.kind == Outcome::Kind::Failed);
    CAIRN_VERIFY_ERROR(Status(outcome.error), ErrorKind::LeaseLost);
    QCOMPARE(asked, 3);
    QVERIFY(w.row(draft.row.id).state == PlanState::Draft);
    QCOMPARE(w.planAudits(), std::string());
}

QTEST_APPLESS_MAIN(PlanLeftTest)
#include "tst_plan_left.moc"
