// What submissions answer: every kind of outcome, repeated commands, lost races, chains of commits, audit,
// preview.

#include "tests/service/harness.h"
#include "core/store/hooked_store.h"

#include "core/base/failpoint.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const std::string kTwoSteps = R"({"name":"first","tool":"look","input":{"$from":"input"}},
    {"name":"second","tool":"look","after":["first"],"input":{"x":{"$from":"first","at":"/a"}}})";
const std::string kSignal = R"({"name":"wait","kind":"signal","signal":"go"})";

Submission signal(Service& by, const RunId& run, const std::string& id, const std::string& data)
{
    Submission s = World::command(run, cmd::Advance{}, {ActorKind::Caller, "test"});
    s.payloads.push_back(by.newPayload(data, "application/json"));
    cmd::Signal body;
    body.name = "other";
    const auto hash = by.saltedId(id);
    body.messageHash = hash ? *hash : Digest{};
    body.data = s.payloads.back().ref;
    s.command.body = body;
    return s;
}

}  // namespace

class TestService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void runsToItsEnd();
    void observerSeesEachCommitOnceInOrder();
    void repeatedCommandGivesItsFirstAnswer();
    void refusalsSayWhy_data();
    void refusalsSayWhy();
    void lostRaceIsDecidedAgainUnseen();
    void commitsOfOneRunAreChained();
    void refusalWaitsForTheCommitsBeforeIt();
    void chainIsDecidedAgainWhenItsFirstMemberLosesARace();
    void fullStoreAnswersEveryMember();
    void lostAnswerIsResolved();
    void aLostAnswerStaysUnknownWhateverFollows();
    void failpointBeforePushFailsAndChangesNothing();
    void entryThatDoesNotFoldParksItsRunInTheStore();
    void runWhoseParkingDoesNotFoldEitherStandsStillHere();
    void lateResultIsKeptAsEvidence();
    void personsActsAreAudited();
    void previewWritesNothing();
    void idleRunIsGivenBackWithItsNextTime();
    void takeoverIsNoticed();
};

void TestService::runsToItsEnd()
{
    World w;
    w.add(workflowText("two", kTwoSteps, R"(,"output":{"$from":"second"})"));
    auto engine = w.engine();
    const Outcome started = engine->submitAndWait(World::start(*engine, "two", R"({"n":1})"));
    QCOMPARE(told(started), std::string("Committed 1"));
    const RunState* state = engine->state(started.run);
    QVERIFY(state != nullptr);
    QCOMPARE(w.inputOf(started.run, "first"), std::string(R"({"n":1})"));
    const Outcome first = engine->submitAndWait(
        World::complete(*engine, started.run, World::attemptOf(*state, "first"), R"({"a":[1, 2.50]})"));
    QCOMPARE(told(first), std::string("Committed 2"));
    QCOMPARE(w.inputOf(started.run, "second"), std::string(R"({"x":[1, 2.50]})"));
    state = engine->state(started.run);
    QVERIFY(state != nullptr);
    const Outcome second = engine->submitAndWait(
        World::complete(*engine, started.run, World::attemptOf(*state, "second"), R"("done")"));
    QCOMPARE(told(second), std::string("Committed 3"));
    const auto loaded = w.service->load(started.run);
    CAIRN_VERIFY_OK(loaded);
    QVERIFY(loaded->closed);
    QCOMPARE(loaded->closedAs, Activity::Completed);
    const auto output = w.store->payload(started.run, loaded->output.id);
    CAIRN_VERIFY_OK(output);
    QCOMPARE(*output, std::string(R"("done")"));
    QCOMPARE(w.verified(started.run), std::string());
    QVERIFY(engine->state(started.run) == nullptr);  // let go with its end
}

void TestService::observerSeesEachCommitOnceInOrder()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "two", R"({})")).run;
    // A commit by another: found by reload, and heard of like one's own.
    const Outcome paused = w.service->submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(told(paused), std::string("Committed 2"));
    QVERIFY(paused.ownerElsewhere);
    QCOMPARE(w.seen.size(), std::size_t(1));
    const auto woken = w.writer->takeWakeups(w.session);
    CAIRN_VERIFY_OK(woken);
    QCOMPARE(woken->size(), std::size_t(1));
    engine->reload(run);
    QCOMPARE(w.seen.size(), std::size_t(2));
    QCOMPARE(w.seen[1].version, std::uint64_t(2));
    QVERIFY(engine->state(run)->paused());
}

void TestService::repeatedCommandGivesItsFirstAnswer()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    Submission pause = World::act(run, cmd::SetPaused{true, 0, false});
    pause.command.id = makeId<CommandId>(w.clock.wallMs(), w.rng);
    QCOMPARE(told(w.service->submitAndWait(pause)), std::string("Committed 2"));
    QCOMPARE(told(w.service->submitAndWait(World::act(run, cmd::SetPaused{false, 0, false}))),
        std::string("Committed 3"));
    // Paused again by the repeated command? No: it was answered before, and the run stays as it is.
    const Outcome again = w.service->submitAndWait(pause);
    QCOMPARE(told(again), std::string("Repeated 2"));
    QCOMPARE(again.entry.command, pause.command.id);
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->version, std::uint64_t(3));
    QVERIFY(!state->paused());
    // Another command that changes nothing.
    QCOMPARE(told(w.service->submitAndWait(World::act(run, cmd::SetPaused{false, 0, false}))),
        std::string("NoChange: the run is not paused"));
}

void TestService::refusalsSayWhy_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("code");
    QTest::newRow("no such step") << 0 << QStringLiteral("NotFound");
    QTest::newRow("seen revision is old") << 1 << QStringLiteral("Stale");
    QTest::newRow("nothing to settle") << 2 << QStringLiteral("Refused");
    QTest::newRow("no such run") << 3 << QStringLiteral("NotFound");
    QTest::newRow("no such workflow") << 4 << QStringLiteral("NotFound");
    QTest::newRow("negative budget") << 5 << QStringLiteral("InvalidInput");
    QTest::newRow("reason that is not text") << 6 << QStringLiteral("InvalidInput");
}

void TestService::refusalsSayWhy()
{
    QFETCH(int, which);
    QFETCH(QString, code);
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    Submission s;
    switch (which) {
    case 0: s = World::act(run, cmd::RetryStep{"nothing", 0, false}); break;
    case 1: s = World::act(run, cmd::SkipStep{"first", {}, 999, true}); break;
    case 2: s = World::act(run, cmd::Settle{"first", cmd::SettleAs::Happened, {}, {}, 0, false}); break;
    case 3: s = World::act(makeId<RunId>(1, w.rng), cmd::Cancel{true}); break;
    case 4: s = World::start(*w.service, "unheard-of", "{}"); break;
    case 5: s = World::act(run, cmd::SetBudget{"tokens", -1, 0, false}); break;
    default: s = World::act(run, cmd::Cancel{true}, "bad \xff byte"); break;
    }
    const Outcome outcome = w.service->submitAndWait(s);
    QCOMPARE(outcome.kind, Outcome::Kind::Rejected);
    static const std::map<RejectCode, QString> kCodes = {{RejectCode::NotFound, QStringLiteral("NotFound")},
        {RejectCode::Stale, QStringLiteral("Stale")}, {RejectCode::Refused, QStringLiteral("Refused")},
        {RejectCode::InvalidInput, QStringLiteral("InvalidInput")}};
    QCOMPARE(kCodes.at(outcome.rejection.code), code);
    QVERIFY(outcome.rejection.text.size() > 10);
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->version, std::uint64_t(1));
}

void TestService::lostRaceIsDecidedAgainUnseen()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    World::Other other(w);
    std::optional<Outcome> answer;
    w.service->submit(World::act(run, cmd::SetDeadline{w.clock.wallMs() + 1000, 0, false}),
        [&](Outcome o) { answer = std::move(o); });
    QVERIFY(!answer);  // decided on version 1, not committed yet
    QCOMPARE(told(other.service.submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}))),
        std::string("Committed 2"));
    w.service->drain();
    QVERIFY(answer.has_value());
    QCOMPARE(told(*answer), std::string("Committed 3"));
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(state->own.paused);  // both acts hold
    QVERIFY(state->own.deadline != kNoTime);
    QCOMPARE(w.verified(run), std::string());
}

void TestService::commitsOfOneRunAreChained()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    std::vector<std::string> answers;
    for (int i = 0; i < 5; ++i)
        w.service->submit(signal(*w.service, run, std::to_string(i), std::to_string(i)),
            [&](const Outcome& o) { answers.push_back(told(o)); });
    QVERIFY(answers.empty());
    QVERIFY(w.service->pump());  // one group, no second round
    QCOMPARE(answers,
        (std::vector<std::string>{
            "Committed 2", "Committed 3", "Committed 4", "Committed 5", "Committed 6"}));
    QCOMPARE(w.verified(run), std::string());
}

void TestService::refusalWaitsForTheCommitsBeforeIt()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    std::vector<std::string> answers;
    const auto note = [&](const Outcome& o) { answers.push_back(told(o)); };
    w.service->submit(World::command(run, cmd::SetPaused{true, 0, false}), note);
    w.service->submit(World::command(run, cmd::SetPaused{true, 0, false}), note);
    QVERIFY(answers.empty());  // "paused already" holds only once the first has landed
    w.service->drain();
    QCOMPARE(answers, (std::vector<std::string>{"Committed 2", "NoChange: the run is paused already"}));
}

void TestService::chainIsDecidedAgainWhenItsFirstMemberLosesARace()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    World::Other other(w);
    std::vector<std::string> answers;
    const auto note = [&](const Outcome& o) { answers.push_back(told(o)); };
    w.service->submit(signal(*w.service, run, "a", "1"), note);
    w.service->submit(World::command(run, cmd::SetPaused{true, 0, false}), note);
    w.service->submit(signal(*w.service, run, "b", "2"), note);
    QCOMPARE(told(other.service.submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}))),
        std::string("Committed 2"));
    w.service->drain();
    // The pause in the middle is "already so" now; the others follow in their order.
    QCOMPARE(answers,
        (std::vector<std::string>{"Committed 3", "NoChange: the run is paused already", "Committed 4"}));
    QCOMPARE(w.verified(run), std::string());
}

void TestService::fullStoreAnswersEveryMember()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    bool full = true;
    const auto fault = [&]() {
        return full ? std::optional(makeError(ErrorKind::Full, "no space left")) : std::nullopt;
    };
    if (w.db)
        setFaults(*w.db, {fault, {}});
    else
        QVERIFY(failpoint::configure("queue.before-commit=error@1"));
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i)
        w.service->submit(signal(*w.service, run, std::to_string(i), "1"),
            [&](const Outcome& o) { answers.push_back(told(o)); });
    w.service->drain();
    QCOMPARE(answers.size(), std::size_t(3));
    for (const auto& answer : answers)
        QVERIFY2(answer.find(w.db ? "no space left" : "failpoint queue.before-commit") != std::string::npos,
            answer.c_str());
    full = false;
    QVERIFY(failpoint::configure(""));
    QCOMPARE(
        told(w.service->submitAndWait(signal(*w.service, run, "again", "1"))), std::string("Committed 2"));
}

void TestService::lostAnswerIsResolved()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    int lost = 1;
    const auto fault = [&]() {
        return lost-- > 0 ? std::optional(makeError(ErrorKind::OutcomeUnknown, "gone")) : std::nullopt;
    };
    if (w.db)
        setFaults(*w.db, {{}, fault});
    else
        QVERIFY(failpoint::configure("queue.after-commit=error@1"));
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i)
        w.service->submit(signal(*w.service, run, std::to_string(i), "1"),
            [&](const Outcome& o) { answers.push_back(told(o)); });
    w.service->drain();
    QVERIFY(failpoint::configure(""));
    QCOMPARE(answers,
        (std::vector<std::string>{"Committed 2", "Committed 3", "Committed 4"}));  // each once, none twice
    QCOMPARE(w.verified(run), std::string());
}

// The answer is lost, and after it the store: "failed" must not sound as if nothing had been done.
void TestService::aLostAnswerStaysUnknownWhateverFollows()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    bool down = false;
    const auto refuse = [&](const char*, Access access) {
        const ErrorKind kind = access == Access::Commit ? ErrorKind::Io : ErrorKind::Disconnected;
        return down ? std::optional(makeError(kind, "gone")) : std::nullopt;
    };
    bool lost = false;
    const auto lose = [&](const char*, Access access) {
        if (access != Access::Commit || std::exchange(lost, true))
            return std::optional<Error>();
        down = true;
        return std::optional(makeError(ErrorKind::OutcomeUnknown, "gone"));
    };
    HookedStore store(w.connect(), {refuse, lose});
    const auto queue = makeInlineQueue(store);
    Service service(store, *queue, w.clock, w.rng, ServiceConfig{});
    Submission pause = World::command(run, cmd::SetPaused{true, 0, false});
    pause.command.id = makeId<CommandId>(1, w.rng);
    const Outcome outcome = service.submitAndWait(pause);
    QCOMPARE(outcome.kind, Outcome::Kind::Failed);
    QCOMPARE(outcome.error.kind, ErrorKind::OutcomeUnknown);
    down = false;
    QCOMPARE(told(service.submitAndWait(pause)), std::string("Repeated 2"));
}

void TestService::failpointBeforePushFailsAndChangesNothing()
{
    World w;
    w.add(workflowText("waits", kSignal));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "waits", "{}")).run;
    QVERIFY(failpoint::configure("service.before-push=error@1"));
    const Outcome outcome = w.service->submitAndWait(World::command(run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(outcome.kind, Outcome::Kind::Failed);
    QCOMPARE(outcome.error.kind, ErrorKind::Io);
    QCOMPARE(failpoint::counts().at("service.before-push"), std::uint64_t(1));
    QVERIFY(failpoint::configure(""));
    QCOMPARE(told(w.service->submitAndWait(World::command(run, cmd::SetPaused{true, 0, false}))),
        std::string("Committed 2"));
}

void TestService::entryThatDoesNotFoldParksItsRunInTheStore()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "two", "{}")).run;
    const AttemptId first = World::attemptOf(*engine->state(run), "first");
    QVERIFY(failpoint::configure("service.fold-differs=error@1"));
    const Outcome refused = engine->submitAndWait(World::complete(*engine, run, first, R"({"a":1})"));
    engine->drain();
    QVERIFY(failpoint::configure(""));
    QCOMPARE(refused.kind, Outcome::Kind::Failed);
    const std::string why = "run " + toText(run)
        + ": folding entry 2 again gives another control (1 fields differ); nothing was "
          "written and the run is parked";
    QCOMPARE(refused.error.text, why);
    // On record: nothing of the result, and why the run stands still.
    auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->version, std::uint64_t(2));
    QVERIFY(state->parked);
    QCOMPARE(state->blocked, Reason::Incompatible);
    QCOMPARE(state->find("first")->state, StepState::Running);
    const auto detail = w.store->payload(run, state->blockedDetail.id);
    CAIRN_VERIFY_OK(detail);
    QCOMPARE(*detail, why);
    auto rows = w.store->listRows(std::span(&run, 1));
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->front().reason, Reason::Incompatible);
    QCOMPARE(rows->front().attention, Attention::Repair);
    QVERIFY2(
        rows->front().error.find("gives another control") != std::string::npos, rows->front().error.c_str());
    // What is under way may still hand in its result; nothing follows from it, whichever engine owns the run.
    QCOMPARE(told(engine->submitAndWait(World::complete(*engine, run, first, R"({"a":1})"))),
        std::string("Committed 3"));
    engine.reset();
    QVERIFY(*w.writer->endSession(w.session, w.clock.wallMs(), kNoTime));
    auto another = w.engine();
    const auto taken = w.writer->takeOver(run, w.session);
    CAIRN_VERIFY_OK(taken);
    another->own(*taken);
    QCOMPARE(another->submitAndWait(World::command(run, cmd::Recover{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(another->submitAndWait(World::command(run, cmd::FireTimers{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(another->state(run)->find("second")->attempts, std::uint32_t(0));
    // Only a person lets it go on.
    const Outcome byMachine = another->submitAndWait(World::command(run, cmd::SetPaused{false, 0, false}));
    QCOMPARE(byMachine.kind, Outcome::Kind::Rejected);
    QCOMPARE(byMachine.rejection.code, RejectCode::NoRight);
    QCOMPARE(told(another->submitAndWait(World::act(run, cmd::SetPaused{false, 0, false}))),
        std::string("Committed 4"));
    state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(!state->parked);
    QCOMPARE(state->blocked, Reason::None);
    QCOMPARE(state->find("second")->state, StepState::Running);
    QCOMPARE(w.verified(run), std::string());
}

void TestService::runWhoseParkingDoesNotFoldEitherStandsStillHere()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    QVERIFY(failpoint::configure("service.fold-differs=error"));
    QCOMPARE(w.service->submitAndWait(World::act(run, cmd::SetPaused{true, 0, false})).kind,
        Outcome::Kind::Failed);
    w.service->drain();
    QVERIFY(failpoint::configure(""));
    const Outcome still = w.service->submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(still.kind, Outcome::Kind::Failed);
    QVERIFY2(still.error.text.find("the run is parked") != std::string::npos, still.error.text.c_str());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->version, std::uint64_t(1));
}

void TestService::lateResultIsKeptAsEvidence()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "two", "{}")).run;
    const AttemptId attempt = World::attemptOf(*engine->state(run), "first");
    QCOMPARE(told(engine->submitAndWait(World::complete(*engine, run, attempt, R"({"a":1})"))),
        std::string("Committed 2"));
    // The same bytes again are the same result; other bytes are a conflict and are kept.
    QCOMPARE(told(engine->submitAndWait(World::complete(*engine, run, attempt, R"({"a":1})"))),
        std::string("NoChange: this result was recorded before"));
    const Outcome late = engine->submitAndWait(World::complete(*engine, run, attempt, R"({"a":2})"));
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Conflict);
    QCOMPARE(late.version, std::uint64_t(3));
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(w.inputOf(run, "second"), std::string(R"({"x":1})"));
    const auto evidence = w.seen.back();
    QCOMPARE(evidence.facts.size(), std::size_t(1));
    const auto* fact = std::get_if<LateResult>(&evidence.facts.front());
    QVERIFY(fact != nullptr);
    const auto bytes = w.store->payload(run, fact->evidence.id);
    CAIRN_VERIFY_OK(bytes);
    QCOMPARE(*bytes, std::string(R"({"a":2})"));
}

void TestService::personsActsAreAudited()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    const Outcome done = w.service->submitAndWait(
        World::act(run, cmd::SetPaused{true, 0, false}, "provider asked us to stop"));
    QCOMPARE(done.auditSeq, std::uint64_t(1));
    const Outcome refused =
        w.service->submitAndWait(World::act(run, cmd::RetryStep{"first", 0, false}, "please"));
    QCOMPARE(refused.kind, Outcome::Kind::NoChange);  // nothing refused, nothing written
    const Outcome no =
        w.service->submitAndWait(World::act(run, cmd::RetryStep{"second", 0, false}, "please"));
    QCOMPARE(no.kind, Outcome::Kind::Rejected);
    QCOMPARE(no.auditSeq, std::uint64_t(2));
    const auto rows = w.store->audit(0, 10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(2));
    const AuditRow& applied = rows->front();
    QCOMPARE(applied.kind, std::string("applied"));
    QCOMPARE(applied.verb, Verb::Pause);
    QCOMPARE(applied.actor, std::string("kim"));
    QCOMPARE(applied.uid, std::uint32_t(1000));
    QCOMPARE(applied.reason, std::string("provider asked us to stop"));
    QCOMPARE(applied.before, std::string(R"({"version":1,"activity":"queued"})"));
    QCOMPARE(applied.after, std::string(R"({"version":2,"activity":"paused","reason":"paused"})"));
    QCOMPARE(rows->back().kind, std::string("refused"));
    QCOMPARE(rows->back().target, std::string("second"));
    QVERIFY(rows->back().after.find("\"refused\":\"refused\"") != std::string::npos);
}

void TestService::previewWritesNothing()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    const RunId run = w.service->submitAndWait(World::start(*w.service, "two", "{}")).run;
    const auto preview = w.service->preview(World::act(run, cmd::SetPaused{true, 0, false}));
    CAIRN_VERIFY_OK(preview);
    QVERIFY(std::holds_alternative<Entry>(preview->decision));
    QCOMPARE(preview->willHappen, (std::vector<std::string>{"no new step starts; none is under way"}));
    QCOMPARE(preview->undo.text, std::string("Resume undoes it."));
    QVERIFY(!preview->before.paused());
    QVERIFY(preview->after.paused());
    const auto cancel = w.service->preview(World::act(run, cmd::Cancel{}));
    CAIRN_VERIFY_OK(cancel);
    QCOMPARE(cancel->willHappen[1], std::string("2 steps that have not begun are cancelled"));
    // In parts too, so that several runs can be added up.
    QCOMPARE(cancel->sums.front().line, cancel->willHappen[1]);
    QCOMPARE(cancel->sums.front().count, std::uint64_t(2));
    QCOMPARE(cancel->sums.front().many, std::string("steps that have not begun are cancelled"));
    const auto skip = w.service->preview(World::act(run, cmd::SkipStep{"first", {}, 0, false}));
    CAIRN_VERIFY_OK(skip);
    QCOMPARE(skip->willHappen.front(), std::string("step \"first\" is skipped"));
    const auto refused =
        w.service->preview(World::act(run, cmd::Settle{"first", cmd::SettleAs::Happened, {}, {}, 0, false}));
    CAIRN_VERIFY_OK(refused);
    QVERIFY(std::holds_alternative<Rejection>(refused->decision));
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->version, std::uint64_t(1));
    const auto audit = w.store->audit(0, 10);
    CAIRN_VERIFY_OK(audit);
    QVERIFY(audit->empty());
}

void TestService::idleRunIsGivenBackWithItsNextTime()
{
    World w;
    w.add(workflowText("later",
        R"({"name":"sleep","kind":"timer","wait":"1h"},{"name":"go","tool":"look","after":["sleep"]})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "later", "{}")).run;
    const auto idle = engine->idle(run);
    QVERIFY(idle.has_value());
    QCOMPARE(*idle->nextDue, w.clock.wallMs() + 3'600'000);
    const Status released = w.writer->release(w.session, std::span(&*idle, 1));
    CAIRN_VERIFY_OK(released);
    engine->disown(run);
    QVERIFY(engine->state(run) == nullptr);
    auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    QVERIFY(claimed->empty());
    w.clock.advance(3'600'000);
    claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    QCOMPARE(claimed->size(), std::size_t(1));
    engine->own(claimed->front());
    QCOMPARE(told(engine->submitAndWait(World::command(run, cmd::FireTimers{}))), std::string("Committed 2"));
    QVERIFY(!World::attemptOf(*engine->state(run), "go").isNull());
    QCOMPARE(w.verified(run), std::string());
}

void TestService::takeoverIsNoticed()
{
    World w;
    w.add(workflowText("two", kTwoSteps));
    auto first = w.engine();
    std::vector<bool> lost;
    first->onDisowned([&](const RunId&, bool taken) { lost.push_back(taken); });
    const RunId run = first->submitAndWait(World::start(*first, "two", "{}")).run;
    const AttemptId attempt = World::attemptOf(*first->state(run), "first");
    auto second = w.engine();
    const auto taken = w.writer->takeOver(run, w.session);
    CAIRN_VERIFY_OK(taken);
    second->own(*taken);
    QVERIFY(second->state(run) != nullptr);
    // The attempt of the first engine is still current: its result counts, whoever owns the run now.
    const Outcome outcome = first->submitAndWait(World::complete(*first, run, attempt, R"({"a":1})"));
    QCOMPARE(told(outcome), std::string("Committed 2"));
    QCOMPARE(lost, (std::vector<bool>{true}));
    QVERIFY(first->state(run) == nullptr);
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(World::attemptOf(*state, "second").isNull());  // only the owner starts attempts
    second->reload(run);
    QCOMPARE(told(second->submitAndWait(World::command(run, cmd::Advance{}))), std::string("Committed 3"));
    QVERIFY(!World::attemptOf(*second->state(run), "second").isNull());
    QCOMPARE(w.verified(run), std::string());
}

QTEST_APPLESS_MAIN(TestService)
#include "tst_service.moc"
