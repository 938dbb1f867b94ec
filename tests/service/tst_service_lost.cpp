// A store that went back: a standby that had not everything took its place, or a backup did. What was
// acknowledged and is gone is told as lost, and nothing is done again by itself.

#include "core/base/failpoint.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceLost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { World::s_onSqlite = false; }
    void aRunThatLostEntriesIsParked_data();
    void aRunThatLostEntriesIsParked();
    void anotherEntryOfTheSameVersionIsALossToo();
    void aRunThatIsGoneIsSaidToBeLost();
    void aRunThatHadEndedIsParkedToo();
    void manyRunsAreLookedAtInParts();
    void aStoreThatLostNothingGoesOn();
    void whatCannotBeParkedAtOnceIsParkedLater();
};

namespace {

const std::string kPays = R"({"name":"look","tool":"look"},
{"name":"pay","tool":"pay","after":["look"],"input":{"order":"7","amount":"12.50"}},
{"name":"tell","tool":"note","after":["pay"]})";

// A run whose standby has it up to `look`, while the store has the payment as well.
struct Ahead {
    World w;
    std::unique_ptr<Service> engine;
    std::shared_ptr<MemoryDatabase> standby;
    RunId run;

    Ahead()
    {
        w.add(workflowText("pays", kPays));
        engine = w.engine();
        run = engine->submitAndWait(World::start(*engine, "pays", "{}")).run;
        standby = copyOf(*w.db);
        complete("look");
        complete("pay");
    }
    [[nodiscard]] AttemptId attempt(const char* step) const
    {
        return World::attemptOf(*w.service->load(run), step);
    }
    void claim()
    {
        const auto taken = w.writer->takeOver(run, w.session);
        if (!taken)
            qFatal("%s", taken.error().text.c_str());
        engine->own(*taken);
    }
    void complete(const char* step)
    {
        const Outcome done =
            engine->submitAndWait(World::complete(*engine, run, attempt(step), R"({"reference":1})"));
        if (!done.ok())
            qFatal("%s", told(done).c_str());
    }
    [[nodiscard]] std::string detail() const
    {
        const auto state = w.service->load(run);
        if (!state || !state->parked)
            return "(not parked)";
        const auto bytes = w.store->payload(run, state->blockedDetail.id);
        return bytes ? *bytes : bytes.error().text;
    }
    [[nodiscard]] std::uint32_t paymentsBegunInStore() const
    {
        return w.service->load(run)->find("pay")->attempts;
    }
};

const std::string kTold =
    "versions 2 to 3 of this run were stored and acknowledged, and the store has them no more: a "
    "standby or a backup has taken its place. What they began may have happened";
const std::string kThen =
    ". Look at the effects outside before this run goes on; nothing is done again by itself";

}  // namespace

void TestServiceLost::aRunThatLostEntriesIsParked_data()
{
    QTest::addColumn<QString>("noticedBy");
    for (const char* by : {"its next result", "a reload", "a claim after it was let go", "a later session",
             "an act of a person"})
        QTest::newRow(by) << QString::fromLatin1(by);
}

void TestServiceLost::aRunThatLostEntriesIsParked()
{
    QFETCH(QString, noticedBy);
    Ahead a;
    QCOMPARE(a.engine->state(a.run)->version, std::uint64_t(3));
    const bool later = noticedBy == QLatin1String("a later session");
    const bool letGo = later || noticedBy == QLatin1String("a claim after it was let go");
    const AttemptId tell = a.attempt("tell");
    if (letGo)
        a.engine->disown(a.run);
    replaceBy(*a.w.db, *a.standby);
    const std::size_t before = a.w.seen.size();
    if (noticedBy == QLatin1String("its next result")) {
        const Outcome late = a.engine->submitAndWait(World::complete(*a.engine, a.run, tell, "{}"));
        QVERIFY2(!late.ok(), told(late).c_str());
    } else if (letGo) {
        if (later) {
            QVERIFY(*a.w.writer->endSession(a.w.session, a.w.clock.wallMs(), kNoTime));
            a.engine.reset();
            a.engine = a.w.engine();
        }
        a.claim();
    } else if (noticedBy == QLatin1String("a reload")) {
        a.engine->reload(a.run);
    } else {
        QCOMPARE(told(a.engine->submitAndWait(World::act(a.run, cmd::SetPaused{true, 0, false}))),
            std::string("Committed 3"));
    }
    a.engine->drain();
    const std::string named = letGo ? "" : "; at least of step \"pay\", step \"tell\"";
    QCOMPARE(a.detail(), kTold + named + kThen);
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(0));
    // The first step is done once more where its result was lost with the rest; nothing follows from it.
    const Outcome look = a.engine->submitAndWait(World::complete(*a.engine, a.run, a.attempt("look"), "{}"));
    QVERIFY2(look.ok(), told(look).c_str());
    QCOMPARE(a.engine->submitAndWait(World::command(a.run, cmd::Recover{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(0));
    for (std::size_t i = before; i < a.w.seen.size(); ++i)
        for (const Fact& fact : a.w.seen[i].facts)
            QVERIFY(!std::holds_alternative<AttemptStarted>(fact));
    QCOMPARE(a.w.verified(a.run), std::string());
    // A person has looked, and lets it go on; the preview says what to look for.
    const auto preview = a.engine->preview(World::act(a.run, cmd::SetPaused{false, 0, false}));
    CAIRN_VERIFY_OK(preview);
    const std::string kLook =
        ": look outside first; the run was parked, and its history may lack that it happened";
    QCOMPARE(preview->mayRepeat,
        (std::vector<std::string>{"step \"pay\"" + kLook + ", 12.50 EUR", "step \"tell\"" + kLook}));
    const Outcome resumed = a.engine->submitAndWait(World::act(a.run, cmd::SetPaused{false, 0, false}));
    QVERIFY2(resumed.ok(), told(resumed).c_str());
    if (a.engine->state(a.run) == nullptr) {  // let go meanwhile: nothing was to be done
        a.claim();
        QVERIFY(a.engine->submitAndWait(World::command(a.run, cmd::Advance{})).ok());
    }
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(1));
    QCOMPARE(a.detail(), std::string("(not parked)"));
}

void TestServiceLost::anotherEntryOfTheSameVersionIsALossToo()
{
    Ahead a;
    replaceBy(*a.w.db, *a.standby);
    // Others have gone on with the run as the standby knew it: as many entries, not the same ones.
    World::Other other(a.w);
    for (const bool paused : {true, false})
        QVERIFY(other.service.submitAndWait(World::act(a.run, cmd::SetPaused{paused, 0, false})).ok());
    a.engine->reload(a.run);
    a.engine->drain();
    QVERIFY2(
        a.detail().starts_with("the last entries of this run up to version 3 were stored and acknowledged"),
        a.detail().c_str());
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(0));
}

void TestServiceLost::aRunThatIsGoneIsSaidToBeLost()
{
    Ahead a;
    const Outcome started = a.engine->submitAndWait(World::start(*a.engine, "pays", "{}"));
    QVERIFY(started.ok());
    replaceBy(*a.w.db, *a.standby);
    a.engine->reload(started.run);
    const Outcome gone = a.engine->submitAndWait(World::act(started.run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(gone.kind, Outcome::Kind::Rejected);
    QCOMPARE(gone.rejection.code, RejectCode::NotFound);
    QVERIFY2(
        gone.rejection.text.ends_with("any more, although version 1 of it was acknowledged: a standby or a "
                                      "backup has taken the store's place"),
        gone.rejection.text.c_str());
}

void TestServiceLost::aRunThatHadEndedIsParkedToo()
{
    Ahead a;
    a.complete("tell");
    QVERIFY(a.engine->state(a.run) == nullptr);  // closed, and let go
    replaceBy(*a.w.db, *a.standby);
    QVERIFY(a.engine->serverReplacedAt().has_value());
    a.engine->pump();
    a.engine->drain();
    QVERIFY2(a.detail().starts_with("versions 2 to 4 of this run were stored"), a.detail().c_str());
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(0));
    // It belongs to this engine again, as the standby knew it.
    const std::vector<ClaimedRun> found = a.engine->foundOwned();
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().run, a.run);
    a.engine->own(found.front());
    QVERIFY(a.engine->state(a.run) != nullptr);
    QVERIFY(a.engine->state(a.run)->parked);
}

void TestServiceLost::manyRunsAreLookedAtInParts()
{
    constexpr int kRuns = 450;
    World w;
    w.add(workflowText("pays", kPays));
    const auto engine = w.engine(2 * kRuns);
    std::vector<RunId> runs;
    const auto complete = [&](const RunId& run, const char* step) {
        const AttemptId attempt = World::attemptOf(*w.service->load(run), step);
        return engine->submitAndWait(World::complete(*engine, run, attempt, R"({"reference":1})")).ok();
    };
    for (int i = 0; i < kRuns; ++i)
        runs.push_back(engine->submitAndWait(World::start(*engine, "pays", "{}")).run);
    const auto standby = copyOf(*w.db);
    for (const RunId& run : runs)
        QVERIFY(complete(run, "look"));
    replaceBy(*w.db, *standby);
    QVERIFY(engine->serverReplacedAt().has_value());
    const auto parked = [&] {
        return std::count_if(
            runs.begin(), runs.end(), [&](const RunId& run) { return w.service->load(run)->parked; });
    };
    engine->pump();
    engine->drain();
    QVERIFY2(parked() > 0 && parked() < kRuns, "a part at a time");
    while (engine->pump()) { }
    engine->drain();
    QCOMPARE(parked(), std::ptrdiff_t(kRuns));
}

void TestServiceLost::aStoreThatLostNothingGoesOn()
{
    Ahead a;
    replaceBy(*a.w.db, *copyOf(*a.w.db));
    a.engine->reload(a.run);
    a.complete("tell");
    const auto state = a.w.service->load(a.run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->closedAs, Activity::Completed);
    QCOMPARE(a.detail(), std::string("(not parked)"));
}

void TestServiceLost::whatCannotBeParkedAtOnceIsParkedLater()
{
    Ahead a;
    replaceBy(*a.w.db, *a.standby);
    QVERIFY(failpoint::configure("service.before-push=error"));
    a.engine->reload(a.run);
    a.engine->drain();
    const Outcome none = a.engine->submitAndWait(World::act(a.run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(none.kind, Outcome::Kind::Failed);
    QVERIFY2(none.error.text.ends_with(
                 "has lost entries, which could not be recorded; nothing was done: try again"),
        none.error.text.c_str());
    QVERIFY(failpoint::configure(""));
    QCOMPARE(a.detail(), std::string("(not parked)"));
    // Whatever comes next finds it, and comes after it.
    const Outcome act = a.engine->submitAndWait(World::act(a.run, cmd::SetPaused{true, 0, false}));
    QCOMPARE(told(act), std::string("Committed 3"));
    QVERIFY2(a.detail().starts_with("versions 2 to 3 of this run were stored"), a.detail().c_str());
    QCOMPARE(a.paymentsBegunInStore(), std::uint32_t(0));
}

QTEST_APPLESS_MAIN(TestServiceLost)
#include "tst_service_lost.moc"
