// Runs that left a store in a bundle are played again, killed at every boundary, and compared with their
// record.

#include "core/report/replay.h"
#include "tests/export/exported_run.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

ReplayOptions options(std::uint32_t most = 1'000)
{
    ReplayOptions options;
    options.makeStore = [](const Clock& clock, std::uint64_t seed) -> ProveOptions::Connect {
        return [database = makeMemoryDatabase({}, clock, seed)] { return connectMemory(database); };
    };
    options.most = most;
    return options;
}

ex::Recorded recordedOf(const std::string& path)
{
    auto recorded = ex::readRecorded(path);
    if (!recorded)
        qFatal("%s", recorded.error().text.c_str());
    return *std::move(recorded);
}

// All that went wrong, for messages of failed checks.
std::string told(const RunReplay& run)
{
    std::string text = run.notReplayed;
    for (const ReplayFailure& f : run.failures)
        text += "\n" + f.boundary + " of " + f.step + ": " + f.what;
    return text;
}

}  // namespace

class TestReplay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyReplayEndsAsRecorded();
    void aRejectionIsPlayedAgain();
    void killsAreSpreadEvenly();
    void anotherRecordIsNoticed();
    void anEffectThatHappensTwiceIsFound();
    void whatHasNotEndedIsLeftOut();
    void childrenThatAreMissingAreNamed();
    void aRedactedBundleHasNothingToPlay();
};

void TestReplay::everyReplayEndsAsRecorded()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    const ex::Recorded recorded = recordedOf(e.path("a.zip"));
    QCOMPARE(recorded.runs.at(e.run).input, std::string(R"({"order":"A1","amount":"12.50"})"));
    QCOMPARE(recorded.runs.at(e.run).outputs.at("pay"), std::string(R"({"receipt":9})"));
    const ReplayReport report = replayRecorded(recorded, options());
    QCOMPARE(report.runs.size(), std::size_t(1));
    const RunReplay& run = report.runs.front();
    QVERIFY2(run.notReplayed.empty() && run.failures.empty(), told(run).c_str());
    QCOMPARE(run.run, e.run);
    QCOMPARE(run.workflow, std::string("order"));
    QCOMPARE(run.runs, 1U);
    QCOMPARE(run.effects, 1U);
    QVERIFY(run.boundaries > 10);
    QCOMPARE(run.kills, run.boundaries);
    QCOMPARE(run.same, run.kills);
    QCOMPARE(run.once, run.kills);
    QVERIFY(run.parked > 0);  // the payment has no look-up
    QVERIFY(report.passed());
    // The same bundle and seed give the same answer.
    const ReplayReport again = replayRecorded(recorded, options());
    QCOMPARE(again.runs.front().boundaries, run.boundaries);
    QCOMPARE(again.runs.front().parked, run.parked);
}

void TestReplay::aRejectionIsPlayedAgain()
{
    World w;
    w.add(workflowText("order",
        R"({"name":"find","tool":"look"},{"name":"note","tool":"note","after":["find"],)"
        R"("approval":{"role":"ops"}})"));
    const auto engine = w.engine();
    const RunId id = engine->submitAndWait(World::start(*engine, "order", R"({"order":"A1"})")).run;
    Exported::need(engine->submitAndWait(
        World::complete(*engine, id, World::attemptOf(*engine->state(id), "find"), R"({"n":1})")));
    Exported::need(engine->submitAndWait(
        World::act(id, cmd::Decide{engine->load(id)->find("note")->approval, false, {}}, "too dear")));
    QVERIFY(engine->load(id)->closed);
    Scratch folder;
    CAIRN_VERIFY_OK(ex::writeBundle(*w.store, std::span(&id, 1), folder.file("a.zip"), {}));
    const ReplayReport report = replayRecorded(recordedOf(folder.file("a.zip")), options());
    const RunReplay& run = report.runs.front();
    QVERIFY2(run.notReplayed.empty() && run.failures.empty(), told(run).c_str());
    QCOMPARE(run.effects, 0U);
    QVERIFY(report.passed());
}

void TestReplay::killsAreSpreadEvenly()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    const ReplayReport report = replayRecorded(recordedOf(e.path("a.zip")), options(5));
    QVERIFY(report.runs.front().boundaries > 5);
    QCOMPARE(report.runs.front().kills, 5U);
    QVERIFY(report.passed());
}

void TestReplay::anotherRecordIsNoticed()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    ex::Recorded recorded = recordedOf(e.path("a.zip"));
    recorded.runs.at(e.run).state.closedAs = Activity::Failed;
    const ReplayReport report = replayRecorded(recorded, options());
    const std::string& why = report.runs.front().notReplayed;
    QVERIFY2(
        why.find("the run: it ended as completed, recorded is failed") != std::string::npos, why.c_str());
    QCOMPARE(report.runs.front().kills, 0U);
    QVERIFY(!report.passed());
}

// Its settings make each attempt look like another call to its provider.
void TestReplay::anEffectThatHappensTwiceIsFound()
{
    World w;
    w.add(
        R"({"schema":"urn:cairn:workflow:1","name":"sms","version":1,"tools":{"send":{"safety":"repeatable",)"
        R"("executor":"command","settings":{"argv":["/bin/true","${attempt}"]}}},)"
        R"("steps":[{"name":"tell","tool":"send"}]})");
    const auto engine = w.engine();
    const RunId id = engine->submitAndWait(World::start(*engine, "sms", R"({"to":"kim"})")).run;
    Exported::need(engine->submitAndWait(
        World::complete(*engine, id, World::attemptOf(*engine->state(id), "tell"), R"({"sent":true})")));
    QVERIFY(engine->load(id)->closed);
    Scratch folder;
    CAIRN_VERIFY_OK(ex::writeBundle(*w.store, std::span(&id, 1), folder.file("a.zip"), {}));
    const ReplayReport report = replayRecorded(recordedOf(folder.file("a.zip")), options());
    const RunReplay& run = report.runs.front();
    QVERIFY2(run.notReplayed.empty(), run.notReplayed.c_str());
    QCOMPARE(run.effects, 1U);
    QCOMPARE(run.same, run.kills);
    QVERIFY(run.once < run.kills);
    QVERIFY(!run.failures.empty());
    QVERIFY2(run.failures.front().what.find("its effect happened 2 times") != std::string::npos,
        run.failures.front().what.c_str());
    QCOMPARE(run.failures.front().step, std::string("tell"));
    QVERIFY(!report.passed());
}

void TestReplay::whatHasNotEndedIsLeftOut()
{
    World w;
    w.add(workflowText("order", R"({"name":"find","tool":"look"})"));
    const auto engine = w.engine();
    const RunId id = engine->submitAndWait(World::start(*engine, "order", R"({"order":"A1"})")).run;
    Scratch folder;
    CAIRN_VERIFY_OK(ex::writeBundle(*w.store, std::span(&id, 1), folder.file("a.zip"), {}));
    const ReplayReport report = replayRecorded(recordedOf(folder.file("a.zip")), options());
    QCOMPARE(report.runs.front().notReplayed, "run " + toText(id) + ": it has not ended");
    QVERIFY(!report.passed());
}

void TestReplay::childrenThatAreMissingAreNamed()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    ex::Recorded recorded = recordedOf(e.path("a.zip"));
    ChildRecord child;
    child.run = makeId<RunId>(1, e.w.rng);
    child.step = 0;
    recorded.runs.at(e.run).state.children.push_back(child);
    const ReplayReport report = replayRecorded(recorded, options());
    QCOMPARE(report.runs.front().notReplayed,
        "run " + toText(child.run) + ", which it started, is not in the bundle: export it with --tree");
}

void TestReplay::aRedactedBundleHasNothingToPlay()
{
    Exported e;
    ex::BundleOptions redacted;
    redacted.redact = true;
    QCOMPARE(e.write("a.zip", redacted), std::string());
    const auto recorded = ex::readRecorded(e.path("a.zip"));
    CAIRN_VERIFY_ERROR(recorded, ErrorKind::Refused);
    QVERIFY2(
        recorded.error().text.find("it was redacted; export the run without --redact") != std::string::npos,
        recorded.error().text.c_str());
}

QTEST_APPLESS_MAIN(TestReplay)
#include "tst_replay.moc"
