// An effect that happened is never recorded as not happened, whatever its result looks like; and what is said
// of one step does not end another's effect. Answers of the store that arrive when all was to be decided
// again.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceEffects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void anUndoThatCannotReadTheResultIsARepair_data();
    void anUndoThatCannotReadTheResultIsARepair();
    void anUndoThatDoesNotReadTheResultDoesNotMindIt();
    void aRecordedResultLeavesAnothersEffectAlone();
    void aCommitThatLandedBeforeABrokenChainIsAnswered();
    void aRefusalThatLandedBeforeABrokenChainStaysARefusal();
    void aMemberWhoseOutcomeIsUnknownIsAskedFor();
};

namespace {

const std::string kUndoTools = R"(
"buy":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},
       "undo":{"tool":"refund","input":{"receipt":{"$from":"output"}}}},
"book":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},
       "undo":{"tool":"refund","input":{"of":{"$from":"input"}}}},
"refund":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/true"]}},)";
const std::string kCompensates = R"(,"on_cancel":"compensate")";
const std::string kPdf = "%PDF-1.7\n\xE2\xFF\x00\x80";

Submission result(Service& by, const RunId& run, const AttemptId& attempt, const std::string& bytes,
    const std::string& media)
{
    Submission s = World::complete(by, run, attempt, "null");
    s.payloads.back() = by.newPayload(bytes, media);
    std::get<cmd::Complete>(s.command.body).output = s.payloads.back().ref;
    return s;
}

LedgerState ledgerOf(World& w, const EffectId& effect)
{
    const auto rows = w.store->effects(std::span(&effect, 1));
    return rows && !rows->empty() ? rows->front().state : LedgerState::Absent;
}

// Answers of commits are held back, and may be told otherwise than they were.
class ToldQueue final : public CommitQueue {
public:
    explicit ToldQueue(CommitQueue& real)
        : m_real(real)
    {
    }
    void push(CommitMember member, Done done) override
    {
        m_real.push(std::move(member), [this, done = std::move(done)](Result<MemberResult> result) {
            done(tell ? std::exchange(tell, {})(std::move(result)) : std::move(result));
        });
    }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        m_real.pushAudit(std::move(row), std::move(done));
    }
    bool pump() override { return m_real.pump(); }
    void drain() override { m_real.drain(); }

    std::function<Result<MemberResult>(Result<MemberResult>)> tell;  // of the next answer

private:
    CommitQueue& m_real;
};

int refusalsOnRecord(World& w)
{
    const auto rows = w.store->audit(0, 500);
    return !rows ? -1 : static_cast<int>(std::count_if(rows->begin(), rows->end(), [](const AuditRow& row) {
        return row.kind == "refused";
    }));
}

}  // namespace

void TestServiceEffects::anUndoThatCannotReadTheResultIsARepair_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("media");
    QTest::addColumn<bool>("before");  // the result is there when the run is cancelled
    for (const bool before : {false, true}) {
        const char* when = before ? " before the cancel" : " after the cancel";
        QTest::addRow("bytes%s", when)
            << QByteArray::fromStdString(kPdf) << QStringLiteral("application/pdf") << before;
        QTest::addRow("lines of JSON%s", when)
            << QByteArray("{\"a\":1}\n{\"a\":2}\n") << QStringLiteral("application/x-ndjson") << before;
    }
}

void TestServiceEffects::anUndoThatCannotReadTheResultIsARepair()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, media);
    QFETCH(bool, before);
    World w;
    w.add(workflowText("shop", R"({"name":"buy","tool":"buy","input":{"$from":"input"}},
        {"name":"then","tool":"look","after":["buy"]})",
        kCompensates, kUndoTools));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "shop", R"({"n":1})")).run;
    const EffectId effect = engine->state(run)->find("buy")->effect;
    const auto paid = [&] {
        return told(engine->submitAndWait(result(*engine, run, World::attemptOf(*engine->state(run), "buy"),
            bytes.toStdString(), media.toStdString())));
    };
    if (before)
        QCOMPARE(paid(), std::string("Committed 2"));
    QCOMPARE(told(engine->submitAndWait(World::act(run, cmd::Cancel{true}))),
        std::string(before ? "Committed 3" : "Committed 2"));
    QCOMPARE(before ? told(engine->submitAndWait(
                 World::complete(*engine, run, World::attemptOf(*engine->state(run), "then"), "1")))
                    : paid(),
        std::string(before ? "Committed 4" : "Committed 3"));
    QCOMPARE(ledgerOf(w, effect), LedgerState::Completed);
    auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("buy")->state, StepState::Complete);
    QVERIFY(!state->closed);
    const StepRecord* undo = state->find("undo:buy");
    QVERIFY(undo);
    QCOMPARE(undo->state, StepState::Failed);
    QCOMPARE(undo->reason, Reason::Incompatible);
    const auto why = w.store->payload(run, undo->error.id);
    CAIRN_VERIFY_OK(why);
    QVERIFY2(why->find("the undo reads the output of step \"buy\": it is not") == 0
            || why->find("the undo reads the output of step \"buy\": it is application/pdf") == 0,
        why->c_str());
    // A person says what to give back, and the key is the one of this undo.
    Submission amend = World::act(run, cmd::Advance{});
    amend.payloads.push_back(engine->newPayload(R"({"receipt":7})", "application/json"));
    amend.command.body = cmd::AmendInput{"undo:buy", amend.payloads.back().ref, 0, false};
    QVERIFY(engine->submitAndWait(std::move(amend)).ok());
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        engine->own(c);
    QVERIFY(engine->submitAndWait(World::command(run, cmd::Advance{})).ok());
    state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("undo:buy")->state, StepState::Running);
    const StepIx ix = state->stepById.at("undo:buy");
    QCOMPARE(*engine->effectKey(run, ix), toText(run) + "/buy:undo");
    QVERIFY(engine
                ->submitAndWait(
                    World::complete(*engine, run, World::attemptOf(*engine->state(run), "undo:buy"), "1"))
                .ok());
    state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(state->closed);
    QCOMPARE(state->closedAs, Activity::Compensated);
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceEffects::anUndoThatDoesNotReadTheResultDoesNotMindIt()
{
    World w;
    w.add(workflowText(
        "trip", R"({"name":"book","tool":"book","input":{"$from":"input"}})", kCompensates, kUndoTools));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "trip", R"({"n":1})")).run;
    QVERIFY(engine->submitAndWait(World::act(run, cmd::Cancel{true})).ok());
    const Outcome paid = engine->submitAndWait(
        result(*engine, run, World::attemptOf(*engine->state(run), "book"), kPdf, "application/pdf"));
    QCOMPARE(told(paid), std::string("Committed 3"));
    QCOMPARE(w.inputOf(run, "undo:book"), std::string(R"({"of":{"n":1}})"));
    QVERIFY(!World::attemptOf(*engine->state(run), "undo:book").isNull());
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceEffects::aRecordedResultLeavesAnothersEffectAlone()
{
    World w;
    w.add(workflowText("pays", R"({"name":"pay","tool":"pay","input":{"$from":"input"}})"));
    auto engine = w.engine();
    const RunId a =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"1"})")).run;
    const RunId b =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"2"})")).run;
    const EffectId effect = engine->state(a)->find("pay")->effect;
    QCOMPARE(w.service->load(b)->find("pay")->reason, Reason::EffectKeyConflict);
    Submission record = World::act(b, cmd::Advance{});
    record.payloads.push_back(w.service->newPayload("\"by hand\"", "application/json"));
    record.command.body = cmd::RecordResult{"pay", record.payloads.back().ref, 0, false};
    QCOMPARE(told(w.service->submitAndWait(std::move(record))), std::string("Committed 2"));
    const auto held = w.store->effects(std::span(&effect, 1));
    CAIRN_VERIFY_OK(held);
    QCOMPARE(held->front().state, LedgerState::InFlight);
    QCOMPARE(held->front().holder, a);
    QVERIFY(w.service->load(b)->closed);
    // What A's effect comes to is A's: the key is free again, and a third run may use it.
    cmd::Fail refused;
    refused.attempt = World::attemptOf(*engine->state(a), "pay");
    refused.failure = FailureClass::Permanent;
    refused.effect = EffectKnowledge::NotHappened;
    QVERIFY(engine->submitAndWait(World::command(a, refused)).ok());
    QCOMPARE(ledgerOf(w, effect), LedgerState::NotHappened);
    const RunId c =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"1"})")).run;
    QVERIFY(!World::attemptOf(*engine->state(c), "pay").isNull());
    QCOMPARE(w.verified(a) + w.verified(b) + w.verified(c), std::string());
}

// The first of two acts is being committed when the second cannot be decided.
void TestServiceEffects::aCommitThatLandedBeforeABrokenChainIsAnswered()
{
    World w;
    w.add(workflowText("ask", R"({"name":"pay","tool":"pay","input":{"$from":"input"},
        "approval":{"role":"ops"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "ask", R"({"order":"A1","amount":"1"})")).run;
    QCOMPARE(engine->state(run)->find("pay")->reason, Reason::Approval);
    std::optional<Outcome> paused;
    std::optional<Outcome> amended;
    engine->submit(
        World::act(run, cmd::SetPaused{true, 0, false}), [&](Outcome o) { paused = std::move(o); });
    Submission amend = World::act(run, cmd::Advance{});
    amend.payloads.push_back(engine->newPayload(R"({"order":"A1"})", "application/json"));  // no amount
    amend.command.body = cmd::AmendInput{"pay", amend.payloads.back().ref, 0, false};
    engine->submit(std::move(amend), [&](Outcome o) { amended = std::move(o); });
    QVERIFY(!paused && !amended);
    engine->drain();
    QVERIFY(paused && amended);
    QCOMPARE(told(*paused), std::string("Committed 2"));
    QCOMPARE(amended->kind, Outcome::Kind::Rejected);
    QCOMPARE(amended->rejection.code, RejectCode::InvalidInput);
    QCOMPARE(refusalsOnRecord(w), 1);  // the second only
    QCOMPARE(w.verified(run), std::string());
}

// A late result is kept by a commit of its own, and is a refusal all the same.
void TestServiceEffects::aRefusalThatLandedBeforeABrokenChainStaysARefusal()
{
    World w;
    w.add(workflowText("two", R"({"name":"one","tool":"look"},{"name":"pay","tool":"pay",
        "input":{"$from":"input"},"approval":{"role":"ops"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "two", R"({"order":"A1","amount":"1"})")).run;
    const AttemptId attempt = World::attemptOf(*engine->state(run), "one");
    QVERIFY(engine->submitAndWait(World::complete(*engine, run, attempt, "1")).ok());
    std::optional<Outcome> late;
    engine->submit(World::complete(*engine, run, attempt, "2"), [&](Outcome o) { late = std::move(o); });
    Submission amend = World::act(run, cmd::Advance{});
    amend.payloads.push_back(engine->newPayload(R"({"order":"A1"})", "application/json"));
    amend.command.body = cmd::AmendInput{"pay", amend.payloads.back().ref, 0, false};
    engine->submit(std::move(amend), [](const Outcome&) {});
    engine->drain();
    QVERIFY(late.has_value());
    QCOMPARE(late->kind, Outcome::Kind::Rejected);
    QCOMPARE(late->rejection.code, RejectCode::Conflict);
    QCOMPARE(w.service->load(run)->version, std::uint64_t(3));
}

// A group was split, and of one member it is not known whether it landed: it did. The second time another
// act breaks the chain meanwhile.
void TestServiceEffects::aMemberWhoseOutcomeIsUnknownIsAskedFor()
{
    World w;
    w.add(workflowText("ask", R"({"name":"pay","tool":"pay","input":{"$from":"input"},
        "approval":{"role":"ops"}})"));
    ToldQueue queue(*w.queue);
    Service service(*w.store, queue, w.clock, w.rng, {});
    const RunId run =
        service.submitAndWait(World::start(service, "ask", R"({"order":"A1","amount":"1"})")).run;
    const auto unclear = [](Result<MemberResult>) {
        MemberResult told;
        told.kind = MemberResult::Kind::Failed;
        told.error = makeError(ErrorKind::OutcomeUnknown, "the link broke");
        return Result<MemberResult>(told);
    };
    queue.tell = unclear;
    QCOMPARE(told(service.submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}))),
        std::string("Repeated 2"));
    std::optional<Outcome> resumed;
    service.submit(
        World::act(run, cmd::SetPaused{false, 0, false}), [&](Outcome o) { resumed = std::move(o); });
    Submission amend = World::act(run, cmd::Advance{});
    amend.payloads.push_back(service.newPayload(R"({"order":"A1"})", "application/json"));
    amend.command.body = cmd::AmendInput{"pay", amend.payloads.back().ref, 0, false};
    service.submit(std::move(amend), [](const Outcome&) {});
    queue.tell = unclear;
    service.drain();
    QVERIFY(resumed.has_value());
    QCOMPARE(told(*resumed), std::string("Repeated 3"));
    QCOMPARE(refusalsOnRecord(w), 1);
    QCOMPARE(w.verified(run), std::string());
}

QTEST_APPLESS_MAIN(TestServiceEffects)
#include "tst_service_effects.moc"
