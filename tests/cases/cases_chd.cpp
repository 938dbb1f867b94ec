// CHD: parents and children.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestChd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c31_cancelRacesWithFanOut_data();
    void c31_cancelRacesWithFanOut();
    void c33_childFinishedWhileItsParentHadFailed_data();
    void c33_childFinishedWhileItsParentHadFailed();
};

void TestChd::c31_cancelRacesWithFanOut_data()
{
    QTest::addColumn<bool>("kill");
    QTest::addColumn<int>("at");        // children that are made by then
    QTest::addColumn<int>("messages");  // delivered in a turn: where in a turn the cancel comes
    QTest::newRow("alive") << false << 60 << 3;
    QTest::newRow("worker killed right after the cancel") << true << 60 << 3;
    QTest::newRow("all in one turn") << false << 60 << 40;
    for (int i = 0; i < 12; ++i)
        QTest::addRow("moment %d", i) << (i % 4 == 3) << 50 + 2 * i << 1 + i % 7;
}

// 200 children, cancelled when about 60 are made. Nothing here depends on chance, so the cancel comes at many
// moments instead of 50 times at one: after how many children, and where in a turn. The clock moves 20 ms
// with each turn.
void TestChd::c31_cancelRacesWithFanOut()
{
    CAIRN_BENCH();
    QFETCH(bool, kill);
    QFETCH(int, at);
    QFETCH(int, messages);
    if (b.onDisk() && QByteArray(QTest::currentDataTag()).startsWith("moment"))
        return;  // the same rules on a slower store
    std::string items = "[0";
    for (int i = 1; i < 200; ++i)
        items += "," + std::to_string(i);
    b.add(workflow("parent",
        "{'name':'kids','kind':'run','workflow':'kid','for_each':{'from':'input'},'input':{'$from':'item'}"
        "}"));
    b.add(workflow("kid", "{'name':'do','tool':'note','input':{}}"));
    EngineSettings settings{"w1"};
    settings.messages = static_cast<std::size_t>(messages);
    auto engine = std::make_unique<EngineStandIn>(b, settings);
    const RunId run = b.started("parent", items + "]");
    const auto children = [&] {
        const auto ids = b.store->children(run);
        return ids ? *ids : std::vector<RunId>{};
    };
    for (int i = 0; i < 1000 && children().size() < static_cast<std::size_t>(at); ++i) {
        static_cast<void>(engine->turn());
        b.advance(20);
    }
    QVERIFY(children().size() >= static_cast<std::size_t>(at) && children().size() < 120);
    b.advance(1);
    const TimeMs accepted = b.now();
    QCOMPARE(b.doAct(run, cmd::Cancel{}).kind, Outcome::Kind::Committed);
    QCOMPARE(b.summary(run).activity, Activity::Cancelling);
    if (kill) {
        engine->kill();
        b.bury(*engine);
        engine = std::make_unique<EngineStandIn>(b, settings);
    }
    QCOMPARE(b.doAct(run, cmd::Cancel{}).kind, Outcome::Kind::NoChange);
    // "Cancelling, n left": fewer and fewer, until all have answered.
    const auto openChildren = [&] { return b.state(run).openChildren; };
    std::uint32_t left = openChildren();
    QVERIFY(left > 100);
    // What the killed worker was at is not begun again after the cancel: it is in doubt until a person has
    // looked.
    const auto settleDoubts = [&] {
        for (const RunId& child : children())
            if (const RunState state = b.state(child); kill && !state.closed && !state.unknown.empty())
                QCOMPARE(b.doAct(child, cmd::Settle{"do", cmd::SettleAs::NotHappened, {}, {}, 0, false}).kind,
                    Outcome::Kind::Committed);
    };
    for (int i = 0; i < 2000 && b.row(run).activity == Activity::Cancelling; ++i) {
        b.advance(20);
        static_cast<void>(engine->turn());
        if (i % 10 > 0)
            continue;
        const std::uint32_t now = openChildren();
        QVERIFY(now <= left);
        left = now;
        settleDoubts();
    }
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.state(run).closedAs, Activity::Cancelled);
    engine->settle();
    ListTerm unfinished;
    unfinished.root = run;
    unfinished.unfinishedOnly = true;
    const auto open = b.store->count({unfinished});
    CAIRN_VERIFY_OK(open);
    QCOMPARE(*open, std::uint64_t(0));
    // No child that is made after the cancel begins an attempt, then or later; those from before begin no
    // second one.
    int startedLate = 0;
    for (const RunId& child : children()) {
        const auto entries = b.entries(child);
        for (const Entry& entry : entries)
            for (const Fact& fact : entry.facts)
                startedLate += std::holds_alternative<AttemptStarted>(fact) && entry.time >= accepted ? 1 : 0;
    }
    QCOMPARE(startedLate, 0);
    // What was made is on record: one effect row for each line of the ledger.
    std::size_t completed = 0;
    for (const RunId& child : children()) {
        const auto effects = b.store->effectsOfRun(child);
        CAIRN_VERIFY_OK(effects);
        for (const EffectRow& row : *effects)
            completed += row.state == LedgerState::Completed ? 1 : 0;
    }
    QCOMPARE(completed, b.effectd.lines.size());
    QCOMPARE(b.verified(run), std::string());
}

void TestChd::c33_childFinishedWhileItsParentHadFailed_data()
{
    QTest::addColumn<QByteArray>("onFailure");
    QTest::addColumn<int>("child");
    for (const char* policy : {"leave", "close"}) {
        QTest::addRow("parent %s, child completed", policy) << QByteArray(policy) << 0;
        QTest::addRow("parent %s, child failed", policy) << QByteArray(policy) << 1;
    }
    QTest::newRow("parent leave, child running") << QByteArray("leave") << 2;
}

// "Retries P" is the retry of its failed step: P goes on from where it was, with C as it is. A fork of P
// ("from just after the start of C") is a new run with children of its own, whose effects it finds in the
// ledger: asserted at the end.
void TestChd::c33_childFinishedWhileItsParentHadFailed()
{
    CAIRN_BENCH();
    QFETCH(QByteArray, onFailure);
    QFETCH(int, child);
    b.add(workflow("parent",
        "{'name':'kid','kind':'run','workflow':'kid','input':{}},{'name':'bad','tool':'look','input':{}},"
        "{'name':'end','tool':'note','after':['kid','bad'],'input':{'$from':'kid'}}",
        ",'on_failure':'" + onFailure.toStdString() + "'"));
    b.add(workflow("kid", "{'name':'slow','tool':'note','input':{}}",
        ",'on_failure':'close','output':{'$from':'slow'}"));
    bool broken = true;
    b.tools["look"] = [&](const Call&) { return broken ? fails(FailureClass::Permanent) : done(); };
    b.tools["note"] = [&](const Call& call) {
        if (call.id == "slow")
            return later();
        b.effectd.note(b.now(), call.id, call.key, call.input);
        return done();
    };
    EngineStandIn engine(b, {});
    const RunId run = b.started("parent");
    engine.settle();
    QCOMPARE(b.step(run, "bad").state, StepState::Failed);
    QCOMPARE(b.state(run).children.size(), std::size_t(1));
    const RunId kid = b.state(run).children.front().run;
    const Call slow = engine.open(kid, "slow");
    const auto finish = [&](bool well) {
        if (well)
            b.effectd.note(b.now(), "slow", slow.key, {});
        static_cast<void>(engine.answer(slow, well ? done("\"from C\"") : fails(FailureClass::Permanent)));
        engine.settle();
    };
    // A fork of P at the version right after the start of C, as far as it goes by itself.
    const auto fork = [&] {
        Submission submission = b.act({}, cmd::Fork{{}, 1, false});
        submission.forkSource = run;
        const Outcome outcome = b.service->submitAndWait(std::move(submission));
        engine.settle();
        return outcome.kind == Outcome::Kind::Committed ? outcome.run : RunId{};
    };
    if (child < 2)
        finish(child == 0);
    QCOMPARE(b.state(run).closed, onFailure == "close");
    broken = false;
    QVERIFY(b.doAct(run, cmd::RetryStep{"bad"}).ok());
    engine.settle();
    if (child == 2) {
        QCOMPARE(b.step(run, "kid").state, StepState::Waiting);
        QCOMPARE(b.summary(run).primary.reason, Reason::Child);
        finish(true);
    }
    QCOMPARE(b.state(run).children.size(), std::size_t(1));
    QCOMPARE(b.facts<ChildRequested>(run), 1);
    if (child == 1) {
        QCOMPARE(b.step(run, "kid").state, StepState::Failed);
        QCOMPARE(b.step(run, "kid").reason, Reason::FailedChild);
        QCOMPARE(b.effectd.text(), std::string());
        // What C failed at has not happened: the child of a fork tries it, and C stays as it is.
        const RunId forked = fork();
        QVERIFY(!forked.isNull());
        QCOMPARE(b.state(forked).children.size(), std::size_t(1));
        const RunId other = b.state(forked).children.front().run;
        QVERIFY(other != kid);
        QCOMPARE(b.summary(forked).primary.reason, Reason::Child);
        const Call call = engine.open(other, "slow");
        b.effectd.note(b.now(), "slow", call.key, {});
        static_cast<void>(engine.answer(call, done("\"from the fork's\"")));
        engine.settle();
        QVERIFY(b.state(forked).closed);
        QCOMPARE(b.state(forked).closedAs, Activity::Completed);
        QCOMPARE(b.effectd.text(), std::string("end=1 slow=1"));
        QCOMPARE(b.step(run, "kid").state, StepState::Failed);
        QCOMPARE(b.state(kid).closedAs, Activity::Failed);
        QCOMPARE(b.verified(forked), std::string());
        return;
    }
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.state(run).closedAs, Activity::Completed);
    QCOMPARE(b.effectd.text(), std::string("end=1 slow=1"));
    QCOMPARE(b.effectd.lines.back().arguments, std::string("\"from C\""));
    const RunId forked = fork();
    QVERIFY(!forked.isNull());
    QVERIFY(b.state(forked).closed);
    QCOMPARE(b.output(forked, "kid"), std::string("\"from C\""));
    QCOMPARE(b.effectd.count("slow"), 1);
    QCOMPARE(b.verified(run), std::string());
    QCOMPARE(b.verified(forked), std::string());
}

CAIRN_CASES(TestChd, "chd")
#include "cases_chd.moc"
