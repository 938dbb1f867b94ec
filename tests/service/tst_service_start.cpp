// Starting runs: keys, payloads by reference, forks, driven runs.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const std::string kOne = R"({"name":"only","tool":"look","input":{"$from":"input"}})";

}  // namespace

class TestServiceStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void keyWithInput_data();
    void keyWithInput();
    void fiftyAtOnceGiveOneRun();
    void keyOfAnotherWorkflowIsAnotherKey();
    void largePayloadGoesByReference();
    void attributesComeFromTheInput();
    void forkRepeatsNoEffect();
    void aForkThatRanAheadIsNotRepeated();
    void drivenStepIsClaimedOnce();
    void idsOfNewStepsAreOneLine();
};

void TestServiceStart::keyWithInput_data()
{
    QTest::addColumn<QString>("second");
    QTest::addColumn<bool>("same");
    QTest::newRow("same bytes") << QStringLiteral(R"({"a":1,"b":2})") << true;
    QTest::newRow("other value") << QStringLiteral(R"({"a":2,"b":2})") << false;
    QTest::newRow("1 against 1.0") << QStringLiteral(R"({"a":1.0,"b":2})") << false;
    QTest::newRow("other order") << QStringLiteral(R"({"b":2,"a":1})") << false;
    QTest::newRow("extra blank") << QStringLiteral(R"({"a":1, "b":2})") << false;
}

void TestServiceStart::keyWithInput()
{
    QFETCH(QString, second);
    QFETCH(bool, same);
    World w;
    w.add(workflowText("one", kOne));
    const Outcome first =
        w.service->submitAndWait(World::start(*w.service, "one", R"({"a":1,"b":2})", "order-17"));
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    const Outcome again =
        w.service->submitAndWait(World::start(*w.service, "one", second.toStdString(), "order-17"));
    QCOMPARE(again.run, first.run);
    if (same) {
        QCOMPARE(again.kind, Outcome::Kind::Existing);
    } else {
        QCOMPARE(again.kind, Outcome::Kind::Rejected);
        QCOMPARE(again.rejection.code, RejectCode::Conflict);
        // The key and both fingerprints are named.
        const std::string& text = again.rejection.text;
        QVERIFY(text.find("key \"order-17\" belongs to run " + toText(first.run)) == 0);
        const auto at = text.find("its fingerprint is ");
        QVERIFY(at != std::string::npos);
        const std::string theirs = text.substr(at + 19, 12);
        const std::string mine = text.substr(text.find("that of this input ") + 19, 12);
        QCOMPARE(theirs.find_first_not_of("0123456789abcdef"), std::string::npos);
        QCOMPARE(mine.find_first_not_of("0123456789abcdef"), std::string::npos);
        QVERIFY(theirs != mine);
    }
    const auto count = w.store->count({});
    CAIRN_VERIFY_OK(count);
    QCOMPARE(*count, std::uint64_t(1));
}

void TestServiceStart::fiftyAtOnceGiveOneRun()
{
    World w;
    w.add(workflowText("one", kOne));
    std::map<std::string, int> kinds;
    std::set<RunId> runs;
    for (int i = 0; i < 50; ++i)
        w.service->submit(World::start(*w.service, "one", R"({"a":1})", "k"), [&](const Outcome& o) {
            ++kinds[kindName(o.kind)];
            runs.insert(o.run);
        });
    w.service->drain();
    QCOMPARE(kinds, (std::map<std::string, int>{{"Committed", 1}, {"Existing", 49}}));
    QCOMPARE(runs.size(), std::size_t(1));
}

void TestServiceStart::keyOfAnotherWorkflowIsAnotherKey()
{
    World w;
    w.add(workflowText("one", kOne));
    w.add(workflowText("other", kOne));
    QCOMPARE(
        w.service->submitAndWait(World::start(*w.service, "one", "1", "k")).kind, Outcome::Kind::Committed);
    QCOMPARE(
        w.service->submitAndWait(World::start(*w.service, "other", "2", "k")).kind, Outcome::Kind::Committed);
}

void TestServiceStart::largePayloadGoesByReference()
{
    World w;
    w.add(workflowText("big", R"({"name":"make","tool":"look"},
        {"name":"use","tool":"look","after":["make"],"input":{"all":{"$from":"make"}}},
        {"name":"pick","tool":"look","after":["make"],"input":{"tail":{"$from":"make","at":"/tail"}}})"));
    auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "big", "{}")).run;
    const std::string big = R"({"fill":")" + std::string(20 * 1024 * 1024, 'x') + R"(","tail":[7]})";
    // Streamed in by an executor.
    std::size_t at = 0;
    const auto staged = engine->stageLarge(
        *w.writer,
        [&](std::size_t limit) -> Result<std::string> {
            const std::size_t size = std::min({limit, big.size() - at, std::size_t(70'000)});
            at += size;
            return big.substr(at - size, size);
        },
        "application/json");
    CAIRN_VERIFY_OK(staged);
    QVERIFY(staged->staged);
    Submission s = World::command(run, cmd::Advance{});
    s.payloads.push_back(*staged);
    cmd::Complete complete;
    complete.attempt = World::attemptOf(*engine->state(run), "make");
    complete.output = staged->ref;
    s.command.body = complete;
    const Outcome outcome = engine->submitAndWait(std::move(s));
    QCOMPARE(told(outcome), std::string("Committed 2"));
    // The entry holds references: it is small however large the payload is.
    const auto loaded = w.store->loadRun(run, 2, 2);
    CAIRN_VERIFY_OK(loaded);
    QVERIFY(loaded->entries.front().body.size() < 2000);
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    const auto stored = w.store->payload(run, state->find("make")->output.id);
    CAIRN_VERIFY_OK(stored);
    QVERIFY(*stored == big);
    QCOMPARE(
        w.inputOf(run, "use").size(), big.size() + std::string(R"({"all":})").size());  // an artifact too
    QCOMPARE(w.inputOf(run, "pick"), std::string(R"({"tail":[7]})"));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceStart::attributesComeFromTheInput()
{
    World w;
    w.add(workflowText("one", kOne, R"(,"attributes":{"customer":{"type":"text","at":"/customer"},
        "count":{"type":"integer","at":"/n"},"missing":{"type":"text","at":"/nowhere"}})"));
    const RunId run =
        w.service->submitAndWait(World::start(*w.service, "one", R"({"customer":"acme \u00e9","n":42})")).run;
    const auto rows = w.store->attributes(run);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t(2));
    std::map<std::string, std::pair<std::string, std::int64_t>> found;
    for (const auto& row : *rows)
        found[row.name] = {row.text, row.number};
    QCOMPARE(found["customer"].first, std::string("acme \xc3\xa9"));
    QCOMPARE(found["count"].second, std::int64_t(42));
}

void TestServiceStart::forkRepeatsNoEffect()
{
    World w;
    w.add(workflowText("pays", R"({"name":"pay","tool":"pay","input":{"$from":"input"}},
        {"name":"tell","tool":"look","after":["pay"],"input":{"$from":"pay"}})"));
    auto engine = w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"12.50"})")).run;
    const Outcome paid = engine->submitAndWait(
        World::complete(*engine, run, World::attemptOf(*engine->state(run), "pay"), R"({"receipt":9})"));
    QCOMPARE(told(paid), std::string("Committed 2"));
    // Forked from before the payment: the key is the same, so the recorded result is taken and nothing is
    // called.
    Submission fork = World::act({}, cmd::Fork{{}, 1, false}, "try it again from the start");
    fork.forkSource = run;
    const Outcome forked = engine->submitAndWait(fork);
    QCOMPARE(told(forked), std::string("Committed 1"));
    QVERIFY(forked.run != run);
    auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        engine->own(c);
    const Outcome advanced = engine->submitAndWait(World::command(forked.run, cmd::Advance{}));
    const auto state = w.service->load(forked.run);
    CAIRN_VERIFY_OK(state);
    QVERIFY2(state->find("pay")->state == StepState::Complete, told(advanced).c_str());
    QVERIFY(state->find("pay")->fromLedger);
    QCOMPARE(state->find("pay")->attempts, std::uint32_t(0));
    QCOMPARE(w.inputOf(forked.run, "tell"), std::string(R"({"receipt":9})"));
    QCOMPARE(w.verified(forked.run), std::string());
}

// The original takes its own key for free; that its fork was there before is found by the commit.
void TestServiceStart::aForkThatRanAheadIsNotRepeated()
{
    World w;
    w.add(workflowText(
        "notes", R"({"name":"search","tool":"look"},{"name":"write","tool":"note","after":["search"]})"));
    auto engine = w.engine();
    const auto finish = [&](const RunId& run, std::string_view step, const std::string& output) {
        return engine->submitAndWait(
            World::complete(*engine, run, World::attemptOf(*engine->state(run), step), output));
    };
    const RunId run = engine->submitAndWait(World::start(*engine, "notes", R"({})")).run;
    Submission fork = World::act({}, cmd::Fork{{}, 1, false}, "see what it gives");
    fork.forkSource = run;
    const RunId ahead = engine->submitAndWait(fork).run;
    const auto claimed = w.writer->claim(w.session, w.clock.wallMs(), 10);
    CAIRN_VERIFY_OK(claimed);
    for (const ClaimedRun& c : *claimed)
        engine->own(c);
    QVERIFY(engine->submitAndWait(World::command(ahead, cmd::Recover{})).ok());
    QVERIFY(finish(ahead, "search", R"("fork")").ok());
    QVERIFY(finish(ahead, "write", R"({"note":"by the fork"})").ok());
    const Outcome searched = finish(run, "search", R"("original")");
    QCOMPARE(told(searched), std::string("Committed 2"));
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(state->find("write")->state, StepState::Complete);
    QVERIFY(state->find("write")->fromLedger);
    QCOMPARE(state->find("write")->attempts, std::uint32_t(0));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceStart::drivenStepIsClaimedOnce()
{
    World w;
    Submission start = World::start(*w.service, "", R"({})", "agent-1");
    const RunId run = w.service->submitAndWait(start).run;
    const auto ask = [&](const std::string& input) {
        Submission s = World::command(run, cmd::Advance{}, {ActorKind::Caller, "agent"});
        s.payloads.push_back(w.service->newPayload(input, "application/json"));
        cmd::DrivenStep step;
        step.step.id = "plan/search#1";
        step.step.tool = "search";
        step.step.safety = ReplaySafety::Repeatable;
        step.input = s.payloads.back().ref;
        step.worker = "agent";
        s.command.body = step;
        return s;
    };
    QCOMPARE(told(w.service->submitAndWait(ask(R"({"q":1})"))), std::string("Committed 2"));
    auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    const AttemptId attempt = World::attemptOf(*state, "plan/search#1");
    QVERIFY(!attempt.isNull());  // "yours to run"
    QCOMPARE(told(w.service->submitAndWait(ask(R"({"q":1})"))),
        std::string("NoChange: step \"plan/search#1\" is Running"));
    const Outcome other = w.service->submitAndWait(ask(R"({"q":2})"));
    QCOMPARE(other.kind, Outcome::Kind::Rejected);
    QCOMPARE(other.rejection.code, RejectCode::Conflict);
    QCOMPARE(told(w.service->submitAndWait(World::complete(*w.service, run, attempt, R"(["hit"])"))),
        std::string("Committed 3"));
    const Outcome again = w.service->submitAndWait(ask(R"({"q":1})"));
    QCOMPARE(told(again), std::string("NoChange: step \"plan/search#1\" is Complete"));
    QVERIFY(again.step != kNoStep);
    QCOMPARE(w.verified(run), std::string());
}

// Ids stand in lines that people read: a caller's are refused where they are no text of one line.
void TestServiceStart::idsOfNewStepsAreOneLine()
{
    World w;
    const RunId run = w.service->submitAndWait(World::start(*w.service, "", "{}", "agent-2")).run;
    cmd::NewStep step;
    step.tool = "search";
    cmd::DrivenStep driven;
    cmd::RequestApproval approval;
    for (const char* id : {"a\nb", "a\x1b[2J", "a\xe2\x80\xae", "a\xff"}) {
        step.id = id;
        driven.step = approval.step = step;
        for (const cmd::Body& body :
            {cmd::Body(cmd::AddSteps{{step}}), cmd::Body(driven), cmd::Body(approval)}) {
            const Outcome o =
                w.service->submitAndWait(World::command(run, body, {ActorKind::Caller, "agent"}));
            QCOMPARE(o.kind, Outcome::Kind::Rejected);
            QCOMPARE(o.rejection.code, RejectCode::InvalidInput);
            QVERIFY2(o.rejection.text.find("text of one line") != std::string::npos, told(o).c_str());
        }
    }
    step.id = "plan/search#1 é";
    QCOMPARE(told(w.service->submitAndWait(
                 World::command(run, cmd::AddSteps{{step}}, {ActorKind::Caller, "agent"}))),
        std::string("Committed 2"));
}

QTEST_APPLESS_MAIN(TestServiceStart)
#include "tst_service_start.moc"
