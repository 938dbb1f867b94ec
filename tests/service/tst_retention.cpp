// C48: only settled trees go, the preview is what goes, and what goes leaves its tombstone and its keys. What
// is redacted is refused while it is needed, and stays verifiable.

#include "core/service/agreement.h"
#include "core/service/redaction.h"
#include "core/service/retention.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestRetention : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void onlySettledTreesGo();
    void thePreviewIsWhatGoes();
    void aFailureThatIsDealtWithGoes();
    void aHeldRunStays();
    void aRunThatAPersonStillActsOnStays();
    void aRunInAnOpenPlanStays();
    void rulesComeFromTheStoreThenTheDefinition();
    void aKeyOutlivesItsRun();
    void payloadsAreRedactedByTheRule();
    void whatTheRunNeedsIsNotRedacted();
    void aRedactedRunVerifies();
    void tombstonesAreSigned();
    void theStartOfARemovedRunIsAnsweredAgain();
};

namespace {

const std::string kLook = R"({"name":"a","tool":"look"})";
const std::string kAsk = R"({"name":"a","kind":"approval","approval":{"role":"finance"},"input":{"x":1}})";

RetentionBy ann()
{
    RetentionBy by;
    by.name = "ann";
    by.login = "uid 1000";
    by.uid = 1000;
    by.host = "host";
    by.reason = "its time is over";
    by.person = true;
    return by;
}

struct Bench {
    World w;
    std::unique_ptr<Service> engine;

    Bench()
    {
        w.add(workflowText("quick", kLook, R"(,"retention":{"keep_days":10,"redact_days":2})"));
        w.add(workflowText("asks", kAsk, R"(,"retention":{"keep_days":10})"));
        w.add(workflowText("fails", kLook, R"(,"on_failure":"close","retention":{"keep_days":10})"));
        engine = w.engine();
    }

    RunId start(const std::string& workflow, const std::string& key = {})
    {
        const Outcome started = engine->submitAndWait(World::start(*engine, workflow, R"({"sum":7})", key));
        if (started.kind != Outcome::Kind::Committed)
            qFatal("%s", told(started).c_str());
        return started.run;
    }
    void complete(const RunId& run)
    {
        const AttemptId attempt = World::attemptOf(*engine->state(run), "a");
        const Outcome done =
            engine->submitAndWait(World::complete(*engine, run, attempt, R"({"found":"it"})"));
        if (done.kind != Outcome::Kind::Committed)
            qFatal("%s", told(done).c_str());
        letGo(run);
    }
    void fail(const RunId& run)
    {
        cmd::Fail body;
        body.attempt = World::attemptOf(*engine->state(run), "a");
        body.failure = FailureClass::Permanent;
        Submission s = World::command(run, cmd::Advance{});
        s.payloads.push_back(engine->newPayload("it broke", "text/plain"));
        body.error = s.payloads.back().ref;
        s.command.body = body;
        const Outcome done = engine->submitAndWait(std::move(s));
        if (done.kind != Outcome::Kind::Committed)
            qFatal("%s", told(done).c_str());
        letGo(run);
    }
    // A run that has ended is let go by the commit that ends it, or here.
    void letGo(const RunId& run)
    {
        if (const auto idle = engine->idle(run)) {
            static_cast<void>(w.writer->release(w.session, std::span(&*idle, 1)));
            engine->disown(run);
        }
    }
    std::vector<TreeVerdict> verdicts(RetentionDo what = RetentionDo::Remove, RetentionBy by = ann())
    {
        RetentionPass pass(*w.store, w.rng, std::move(by), what);
        if (const Status began = pass.begin(); !began)
            qFatal("%s", began.error().text.c_str());
        std::vector<TreeVerdict> all;
        for (;;) {
            auto next = pass.next();
            if (!next)
                qFatal("%s", next.error().text.c_str());
            if (!*next)
                return all;
            all.push_back(*std::move(*next));
        }
    }
    RetentionDone carryOutAll(RetentionDo what = RetentionDo::Remove, const RetentionBy& by = ann())
    {
        RetentionDone done;
        for (const TreeVerdict& verdict : verdicts(what, by))
            if (const Status carried = carryOut(*w.writer, *w.service, by, verdict, done); !carried)
                qFatal("%s", carried.error().text.c_str());
        return done;
    }
};

std::string whyStays(const std::vector<TreeVerdict>& verdicts, const RunId& run)
{
    for (const TreeVerdict& verdict : verdicts)
        if (verdict.root == run)
            return verdict.stays.empty() ? "goes" : verdict.stays;
    return "not looked at";
}

}  // namespace

void TestRetention::onlySettledTreesGo()
{
    Bench b;
    const RunId done = b.start("quick"), running = b.start("quick"), waiting = b.start("asks");
    const RunId failed = b.start("fails");
    b.complete(done);
    b.fail(failed);
    QVERIFY(b.verdicts().empty());
    b.w.clock.advance(10 * kDay - 1);
    QVERIFY(b.verdicts().empty());
    b.w.clock.advance(1);
    const auto verdicts = b.verdicts();
    QCOMPARE(whyStays(verdicts, done), std::string("goes"));
    QCOMPARE(whyStays(verdicts, running), std::string("not looked at"));
    QCOMPARE(whyStays(verdicts, waiting), std::string("not looked at"));
    QCOMPARE(
        whyStays(verdicts, failed), std::string("it failed, and nobody has said that this is dealt with"));
    const RetentionDone did = b.carryOutAll();
    QCOMPARE(did.trees, std::uint64_t{1});
    QCOMPARE(did.runs, std::uint64_t{1});
    QCOMPARE(did.stayed, std::uint64_t{1});
    CAIRN_VERIFY_ERROR(b.w.store->hot(done), ErrorKind::NotFound);
    for (const RunId& run : {running, waiting, failed}) {
        CAIRN_VERIFY_OK(b.w.store->hot(run));
        QCOMPARE(b.w.verified(run), std::string());
    }
    const auto audit = b.w.store->audit(0, 100);
    CAIRN_VERIFY_OK(audit);
    // Who had a part in it is told that it was removed, and not that the store went back.
    const Outcome late =
        b.engine->submitAndWait(World::act(done, cmd::SetDeadline{b.w.clock.wallMs() + kDay, 0, false}));
    QCOMPARE(late.rejection.code, RejectCode::NotFound);
    const auto stone = b.w.store->tombstone(done);
    QVERIFY(stone && *stone);
    QCOMPARE(late.rejection.text, removedText(**stone));
    QVERIFY(audit->back().run == done);
    QCOMPARE(audit->back().verb, Verb::Retain);
    QCOMPARE(audit->back().reason, std::string("its time is over"));
}

void TestRetention::thePreviewIsWhatGoes()
{
    Bench b;
    std::set<RunId> wanted;
    for (int i = 0; i < 12; ++i) {
        const RunId run = b.start(i % 3 == 0 ? "fails" : "quick");
        if (i % 4 == 3)
            continue;
        if (i % 3 == 0)
            b.fail(run);
        else
            b.complete(run);
        if (i % 3 != 0)
            wanted.insert(run);
    }
    b.w.clock.advance(11 * kDay);
    std::set<RunId> shown;
    std::uint64_t bytes = 0;
    for (const TreeVerdict& verdict : b.verdicts())
        if (verdict.stays.empty()) {
            shown.insert(verdict.root);
            bytes += verdict.bytes();
        }
    QVERIFY(shown == wanted);
    QVERIFY(bytes > 0);
    const RetentionDone did = b.carryOutAll();
    QCOMPARE(did.trees, std::uint64_t{wanted.size()});
    QCOMPARE(did.bytes, bytes);
    std::set<RunId> gone;
    const auto stones = b.w.store->tombstones({}, 100);
    CAIRN_VERIFY_OK(stones);
    for (const Tombstone& stone : *stones)
        gone.insert(stone.run);
    QVERIFY(gone == wanted);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{0});
    CAIRN_VERIFY_OK(sweep(*b.w.writer, b.w.clock.wallMs(), [] { return false; }));
    const auto problems = b.w.store->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void TestRetention::aFailureThatIsDealtWithGoes()
{
    Bench b;
    const RunId failed = b.start("fails"), done = b.start("quick");
    QCOMPARE(told(b.w.service->submitAndWait(World::act(failed, cmd::Retain{}))),
        std::string("Rejected: the run has not ended: retention keeps it anyway"));
    b.fail(failed);
    b.complete(done);
    QCOMPARE(told(b.w.service->submitAndWait(World::act(done, cmd::Retain{}))),
        std::string("NoChange: the run did not fail: retention does not ask for this"));
    const Outcome accepted = b.w.service->submitAndWait(World::act(failed, cmd::Retain{}));
    QCOMPARE(accepted.kind, Outcome::Kind::Committed);
    QVERIFY(b.w.service->load(failed)->failureAccepted);
    QCOMPARE(b.w.verified(failed), std::string());
    b.w.clock.advance(11 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{2});
}

void TestRetention::aHeldRunStays()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    cmd::Hold hold;
    hold.held = true;
    hold.until = b.w.clock.wallMs() + 12 * kDay;
    QCOMPARE(b.w.service->submitAndWait(World::act(run, hold)).kind, Outcome::Kind::Committed);
    b.w.clock.advance(11 * kDay);
    QVERIFY(whyStays(b.verdicts(), run).starts_with("it is held until "));
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{0});
    b.w.clock.advance(kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::aRunThatAPersonStillActsOnStays()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    QVERIFY(Agreements(*b.w.service)
                .setPolicy({R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["redact"],"people":2,)"
                            R"("expires":"20d"}]})",
                    0, "two people redact", "ann", false})
                .ok());
    b.w.clock.advance(9 * kDay);
    const auto state = b.w.service->load(run);
    CAIRN_VERIFY_OK(state);
    Submission asks = World::act(run, cmd::Redact{{state->input.id}}, "asked for by law");
    asks.command.actor.login = "uid 1";
    const Outcome proposed = b.w.service->submitAndWait(std::move(asks));
    QVERIFY2(proposed.kind == Outcome::Kind::Proposed, told(proposed).c_str());
    b.w.clock.advance(2 * kDay);
    QCOMPARE(
        whyStays(b.verdicts(), run), std::string("an act of a person waits for somebody else to confirm it"));
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{0});
    // Withdrawn, it binds nothing any more.
    StagedAct act = **b.w.writer->stagedAct(proposed.proposal->command);
    act.state = StagedState::Withdrawn;
    act.confirmedBy = act.stagedBy;
    act.confirmedAt = act.decidedAt = b.w.clock.wallMs();
    AuditRow row = decisionEntry(act, {}, act.decidedAt);
    auto change = std::make_shared<StoreChange>();
    change->decide = act;
    row.with = std::move(change);
    CAIRN_VERIFY_OK(b.w.writer->appendAudit(row));
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::aRunInAnOpenPlanStays()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    b.w.clock.advance(11 * kDay);
    PlanChange change;
    change.row.id = deriveId<PlanId>("test", "plan");
    change.row.command = deriveId<CommandId>("test", "plan");
    change.row.login = "uid 1000";
    change.row.items = 1;
    change.row.expiresAt = b.w.clock.wallMs() + kDay;
    PlanItem item;
    item.ord = 1;
    item.run = run;
    item.command = deriveId<CommandId>("test", "item");
    change.added = {item};
    CAIRN_VERIFY_OK(b.w.writer->changePlan(change));
    QCOMPARE(whyStays(b.verdicts(), run), std::string("goes"));  // nobody sees a draft
    change.added.clear();
    change.expected = 1;
    change.row.state = PlanState::Staged;
    CAIRN_VERIFY_OK(b.w.writer->changePlan(change));
    QCOMPARE(whyStays(b.verdicts(), run), "it is in a plan that is open: " + toText(change.row.id));
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{0});
    b.w.clock.advance(kDay);  // it was not started in time, and never will be
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::rulesComeFromTheStoreThenTheDefinition()
{
    Bench b;
    const auto ruleOf = [&](const std::string& workflow) {
        const auto rules = retentionRules(*b.w.store);
        for (const RetentionRule& rule : *rules)
            if (rule.workflow == workflow)
                return std::to_string(rule.keepDays) + "/" + std::to_string(rule.redactDays) + " "
                    + rule.source;
        return std::string("none");
    };
    QCOMPARE(ruleOf("quick"), std::string("10/2 version 1 of the workflow"));
    QCOMPARE(ruleOf(""), std::string("90/0 where nothing is said"));
    RetentionRow row;
    row.workflow = "quick";
    row.keepDays = 3;
    AuditRow audit;
    audit.time = b.w.clock.wallMs();
    audit.kind = "applied";
    audit.verb = Verb::Retain;
    audit.actor = "ann";
    audit.command = makeId<CommandId>(b.w.clock.wallMs(), b.w.rng);
    CAIRN_VERIFY_OK(b.w.writer->setRetention(row, audit));
    QCOMPARE(ruleOf("quick"), std::string("3/0 set in the store"));
    const RunId run = b.start("quick");
    b.complete(run);
    b.w.clock.advance(3 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::aKeyOutlivesItsRun()
{
    Bench b;
    const RunId run = b.start("quick", "order 7");
    b.complete(run);
    b.w.clock.advance(11 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
    const Outcome again =
        b.engine->submitAndWait(World::start(*b.engine, "quick", R"({"sum":7})", "order 7"));
    QCOMPARE(again.kind, Outcome::Kind::Existing);
    QVERIFY(again.run == run);
    const Outcome other =
        b.engine->submitAndWait(World::start(*b.engine, "quick", R"({"sum":8})", "order 7"));
    QCOMPARE(other.kind, Outcome::Kind::Rejected);
}

void TestRetention::payloadsAreRedactedByTheRule()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    b.w.clock.advance(2 * kDay - 1);
    QVERIFY(b.verdicts(RetentionDo::Redact).empty());
    b.w.clock.advance(1);
    const auto state = b.w.service->load(run);
    CAIRN_VERIFY_OK(state);
    const PayloadId input = state->input.id, output = state->steps[0].output.id;
    const RetentionDone did = b.carryOutAll(RetentionDo::Redact);
    QCOMPARE(did.runs, std::uint64_t{1});
    for (const PayloadId& id : {input, output})
        CAIRN_VERIFY_ERROR(b.w.store->payload(run, id), ErrorKind::Refused);
    QCOMPARE(b.w.verified(run), std::string());
    // What says so is kept: it is not redacted in its turn for ever.
    const std::uint64_t version = b.w.store->hot(run)->version;
    static_cast<void>(b.carryOutAll(RetentionDo::Redact));
    static_cast<void>(b.carryOutAll(RetentionDo::Redact));
    QCOMPARE(b.w.store->hot(run)->version, version);
    b.w.clock.advance(8 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::whatTheRunNeedsIsNotRedacted()
{
    Bench b;
    const RunId run = b.start("quick");
    const auto state = b.w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(told(b.w.service->submitAndWait(World::act(run, cmd::Redact{{state->input.id}}))),
        std::string(
            "Rejected: the run's input may be read by later steps: redact it when the run has ended"));
    QCOMPARE(told(b.w.service->submitAndWait(World::act(run, cmd::Redact{}))),
        std::string("Rejected: name what is to be redacted: a step, a kind or a payload's id"));
    RedactionChoice none;
    CAIRN_VERIFY_ERROR(chosenPayloads(*b.w.store, *state, none), ErrorKind::InvalidInput);
    RedactionChoice odd;
    odd.kinds = {"inputs"};
    CAIRN_VERIFY_ERROR(chosenPayloads(*b.w.store, *state, odd), ErrorKind::InvalidInput);
    RedactionChoice noStep;
    noStep.step = "b";
    CAIRN_VERIFY_ERROR(chosenPayloads(*b.w.store, *state, noStep), ErrorKind::NotFound);
    b.complete(run);
    const auto ended = b.w.service->load(run);
    CAIRN_VERIFY_OK(ended);
    RedactionChoice inputs;
    inputs.kinds = {"input"};
    const auto chosen = chosenPayloads(*b.w.store, *ended, inputs);
    CAIRN_VERIFY_OK(chosen);
    QVERIFY(std::find(chosen->begin(), chosen->end(), ended->input.id) != chosen->end());
    QVERIFY(std::find(chosen->begin(), chosen->end(), ended->steps[0].output.id) == chosen->end());
}

void TestRetention::aRedactedRunVerifies()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    const auto state = b.w.service->load(run);
    CAIRN_VERIFY_OK(state);
    const PayloadId output = state->steps[0].output.id;
    const Submission redact = World::act(run, cmd::Redact{{output}}, "asked for by the customer");
    const auto preview = b.w.service->preview(redact);
    CAIRN_VERIFY_OK(preview);
    QCOMPARE(preview->willHappen.front(),
        std::string("1 payload loses its bytes for good; its size and hash stay"));
    CAIRN_VERIFY_OK(b.w.store->payload(run, output));
    const Outcome done = b.w.service->submitAndWait(redact);
    QCOMPARE(done.kind, Outcome::Kind::Committed);
    CAIRN_VERIFY_ERROR(b.w.store->payload(run, output), ErrorKind::Refused);
    QCOMPARE(b.w.verified(run), std::string());
    QCOMPARE(told(b.w.service->submitAndWait(World::act(run, cmd::Redact{{output}}))),
        std::string("NoChange: all of that was redacted before"));
    const auto after = b.w.service->load(run);
    CAIRN_VERIFY_OK(after);
    const auto text = redactedText(*b.w.store, *after, output);
    CAIRN_VERIFY_OK(text);
    QVERIFY2(text->ends_with(" by kim: asked for by the customer"), text->c_str());
    QVERIFY(redactedText(*b.w.store, *after, after->input.id)->empty());
    // It can still be removed.
    b.w.clock.advance(11 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
}

void TestRetention::tombstonesAreSigned()
{
    Bench b;
    const RunId run = b.start("quick");
    b.complete(run);
    b.w.clock.advance(11 * kDay);
    RetentionBy by = ann();
    by.key = std::make_shared<const SigningKey>(std::array<std::uint8_t, 32>{7});
    QCOMPARE(b.carryOutAll(RetentionDo::Remove, by).trees, std::uint64_t{1});
    const auto stone = b.w.store->tombstone(run);
    CAIRN_VERIFY_OK(stone);
    QVERIFY(stone->has_value());
    QCOMPARE(sealOf(b.w.store->info()->id, **stone), StoneSeal::Good);
    QCOMPARE((*stone)->rule, std::string("kept 10 days after its end (version 1 of the workflow)"));
    QCOMPARE((*stone)->by, std::string("ann"));
}

// As it was the first time, whoever asks: also once nothing is left of the run but its tombstone.
void TestRetention::theStartOfARemovedRunIsAnsweredAgain()
{
    Bench b;
    Submission start = World::start(*b.engine, "quick", R"({"sum":7})");
    start.run = makeId<RunId>(b.w.clock.wallMs(), b.w.rng);
    start.command.id = makeId<CommandId>(b.w.clock.wallMs(), b.w.rng);
    const RunId run = start.run;
    const Outcome first = b.engine->submitAndWait(Submission(start));
    QCOMPARE(told(first), std::string("Committed 1"));
    b.complete(run);
    b.w.clock.advance(11 * kDay);
    QCOMPARE(b.carryOutAll().trees, std::uint64_t{1});
    const auto stone = b.w.store->tombstone(run);
    CAIRN_VERIFY_OK(stone);
    const auto asked = [&] {
        const Outcome again = b.w.service->submitAndWait(Submission(start));
        QCOMPARE(told(again), std::string("Repeated 1"));
        QCOMPARE(again.text, removedText(**stone));
        QCOMPARE(again.run, run);
    };
    asked();
    while (*b.w.writer->sweepRemoved(100) > 0) { }
    asked();
    CAIRN_VERIFY_ERROR(b.w.store->hot(run), ErrorKind::NotFound);
}

QTEST_APPLESS_MAIN(TestRetention)
#include "tst_retention.moc"
