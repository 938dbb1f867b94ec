// APR: approvals that are lost, misrouted, stale, decided twice, or expired.

#include "tests/cases/bench.h"

#include "tests/support/clocked_reader.h"

#include <algorithm>
#include <barrier>
#include <thread>

using namespace cairn;
using namespace cairn::testing;

namespace {

const char* const kAsk = ",'approval':{'role':'ops'";

cmd::Decide decideOn(const ApprovalRecord& record, bool yes)
{
    cmd::Decide body;
    body.approval = record.id;
    body.approve = yes;
    body.expectedBinding = record.binding;
    return body;
}

}  // namespace

class TestApr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c13_answerGoesToTheApprovalItWasMeantFor();
    void c15_expiryIsNeverConsent();
    void c16_twoPeopleDecideAtTheSameMoment();
    void c16_twoPeopleDecideInTwoThreads();
    void c18_parallelBranchesWaitEachForItself();
};

void TestApr::c13_answerGoesToTheApprovalItWasMeantFor()
{
    CAIRN_BENCH();
    // Two agents of the same display name ask for the same tool at once, and one asks from within a child
    // run.
    b.add(workflow("ask",
        std::string("{'name':'a','agent':'Assistant','tool':'pay','input':{'delete':'staging'}") + kAsk
            + "}},"
              "{'name':'b','agent':'Assistant','tool':'pay','input':{'delete':'production'}"
            + kAsk
            + "}},"
              "{'name':'seen','tool':'look','after':['b'],'after_skipped':true,'input':{}},"
              "{'name':'kid','kind':'run','workflow':'nested','input':{}}",
        ",'agents':['Assistant']"));
    b.add(workflow("nested",
        std::string("{'name':'a','agent':'Assistant','tool':'pay','input':{'delete':'staging'}") + kAsk
            + "}}",
        ",'agents':['Assistant']"));
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    const RunId run = b.started("ask");
    engine->settle();
    engine->kill();
    b.bury(*engine);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{"w2"});
    engine->settle();
    const RunId child = b.state(run).children.front().run;
    std::set<ApprovalId> ids;
    for (const ApprovalId& id :
        {b.step(run, "a").approval, b.step(run, "b").approval, b.step(child, "a").approval})
        ids.insert(id);
    QCOMPARE(ids.size(), std::size_t(3));
    cmd::Decide unknown;
    unknown.approval = makeId<ApprovalId>(b.now(), b.rng);
    const Outcome refused = b.doAct(run, unknown);
    QCOMPARE(refused.kind, Outcome::Kind::Rejected);
    QCOMPARE(refused.rejection.code, RejectCode::NotFound);
    // An id of the child's approval is unknown to the parent: matched by id alone, never by name or place.
    QCOMPARE(
        b.doAct(run, decideOn(b.state(child).approvals.front(), true)).rejection.code, RejectCode::NotFound);
    QCOMPARE(b.approve(run, "b", false).kind, Outcome::Kind::Committed);
    QCOMPARE(b.approve(run, "a", true).kind, Outcome::Kind::Committed);
    engine->settle();
    QCOMPARE(b.effectd.text(), std::string("a=1"));
    QCOMPARE(b.effectd.lines.front().arguments, std::string("{\"delete\":\"staging\"}"));
    QCOMPARE(b.step(run, "b").state, StepState::Skipped);
    QCOMPARE(b.state(run).findApproval(b.step(run, "b").approval)->state, ApprovalState::Rejected);
    QCOMPARE(b.step(run, "seen").state, StepState::Complete);
    QCOMPARE(b.step(child, "a").state, StepState::Waiting);
    QCOMPARE(b.verified(run), std::string());
}

void TestApr::c15_expiryIsNeverConsent()
{
    CAIRN_BENCH();
    b.add(workflow("default", std::string("{'name':'do','tool':'pay','input':{}") + kAsk + "}}"));
    b.add(workflow(
        "short", std::string("{'name':'do','tool':'pay','input':{}") + kAsk + ",'expires':'300s'}}"));
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    const auto approvalOf = [&](const RunId& run) { return b.state(run).approvals.front(); };

    const RunId a = b.started("default");  // (a) no explicit expiry: the default is 24 h
    const RunId polled = b.started("short");
    engine->settle();
    for (int poll = 0; poll < 3; ++poll) {  // (b) three polls of 10 s change nothing
        b.advance(10'000);
        engine->settle();
        QCOMPARE(b.summary(polled).primary.reason, Reason::Approval);
    }
    b.advance(30'000);
    QCOMPARE(b.approve(polled, "do").kind, Outcome::Kind::Committed);
    engine->settle();
    QCOMPARE(b.effectd.count("do"), 1);
    QVERIFY(b.state(polled).closed);

    b.advance(86'400'000);
    engine->settle();
    QCOMPARE(approvalOf(a).state, ApprovalState::Expired);
    QVERIFY(approvalOf(a).decidedBy.kind != ActorKind::Person);
    QVERIFY(approvalOf(a).consents.empty());
    QCOMPARE(b.step(a, "do").state, StepState::Skipped);

    const RunId late = b.started("short");  // (c) one second too late, before any engine has looked
    engine->settle();
    const TimeMs expires = approvalOf(late).expires;
    engine->kill();
    b.bury(*engine);
    b.advance(301'000);
    const Outcome refused = b.approve(late, "do");
    QCOMPARE(refused.kind, Outcome::Kind::Rejected);
    QVERIFY2(refused.rejection.text.find(formatInstant(expires)) != std::string::npos,
        refused.rejection.text.c_str());
    QCOMPARE(approvalOf(late).state, ApprovalState::Pending);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{"w2"});  // (d) down across the expiry
    engine->settle();
    QCOMPARE(approvalOf(late).state, ApprovalState::Expired);
    QCOMPARE(b.facts<ApprovalDecided>(late), 1);
    engine->settle();
    QCOMPARE(b.facts<ApprovalDecided>(late), 1);

    const RunId rejected = b.started("short");
    const RunId cancelled = b.started("short");
    engine->settle();
    QVERIFY(b.approve(rejected, "do", false).ok());
    QVERIFY(b.doAct(cancelled, cmd::Cancel{}).ok());
    engine->settle();
    QCOMPARE(approvalOf(rejected).state, ApprovalState::Rejected);
    QCOMPARE(approvalOf(cancelled).state, ApprovalState::Cancelled);
    QCOMPARE(b.effectd.count("do"), 1);
}

// 100 repeats on each store: both decide on the same version; their commits meet.
void TestApr::c16_twoPeopleDecideAtTheSameMoment()
{
    CAIRN_BENCH();
    b.add(workflow("one", std::string("{'name':'do','tool':'pay','input':{}") + kAsk + "}}"));
    EngineStandIn engine(b, {});
    auto otherStore = b.connect();
    auto otherQueue = makeInlineQueue(*otherStore);
    SeededRng rng(5);
    ServiceConfig config;
    config.uid = 1001;
    Service other(b.reader(), *otherQueue, b.clock, rng, config);
    int approved = 0;
    for (int i = 0; i < 100; ++i) {
        const RunId run = b.started("one");
        engine.settle();
        const ApprovalRecord asked = b.state(run).approvals.front();
        std::optional<Outcome> ann;
        std::optional<Outcome> bob;
        b.service->submit(
            b.act(run, decideOn(asked, true), "ann"), [&](Outcome outcome) { ann = std::move(outcome); });
        other.submit(
            b.act(run, decideOn(asked, false), "bob"), [&](Outcome outcome) { bob = std::move(outcome); });
        if (i % 2 == 0) {
            b.service->drain();
            other.drain();
        } else {
            other.drain();
            b.service->drain();
        }
        const bool annWon = ann->kind == Outcome::Kind::Committed;
        QVERIFY(annWon != (bob->kind == Outcome::Kind::Committed));
        const Outcome& loser = annWon ? *bob : *ann;
        QCOMPARE(loser.kind, Outcome::Kind::Rejected);
        QCOMPARE(loser.rejection.code, RejectCode::Stale);
        const ApprovalRecord after = b.state(run).approvals.front();
        const std::string says = std::string("already ")
            + (annWon ? "approved by ann at " : "rejected by bob at ") + formatInstant(after.decidedAt);
        QVERIFY2(loser.rejection.text.find(says) == 0, loser.rejection.text.c_str());
        engine.settle();
        approved += annWon ? 1 : 0;
        QCOMPARE(b.effectd.count("do"), approved);
        QCOMPARE(b.facts<ApprovalDecided>(run), 1);
        const auto audit = b.audit(run);
        QCOMPARE(audit.size(), std::size_t(2));
        QCOMPARE(std::count_if(
                     audit.begin(), audit.end(), [](const AuditRow& row) { return row.kind == "refused"; }),
            1);
        // A double click of the winner: one decision, the same answer.
        const Outcome again = b.doAct(run, decideOn(asked, annWon), annWon ? "ann" : "bob");
        QCOMPARE(again.kind, Outcome::Kind::NoChange);
        QCOMPARE(b.facts<ApprovalDecided>(run), 1);
    }
    QCOMPARE(approved, 50);
}

// The same with nobody in between: two programs' worth of connections, which the store itself has to keep
// apart.
void TestApr::c16_twoPeopleDecideInTwoThreads()
{
    CAIRN_BENCH();
    if (!b.onDisk())
        return;  // the store in memory has one thread
    b.add(workflow("one", std::string("{'name':'do','tool':'pay','input':{}") + kAsk + "}}"));
    EngineStandIn engine(b, {});
    std::unique_ptr<StoreWriter> stores[2] = {b.connect(), b.connect()};
    const char* people[2] = {"ann", "bob"};
    int approved = 0;
    for (int i = 0; i < 100; ++i) {
        const RunId run = b.started("one");
        engine.settle();
        const ApprovalRecord asked = b.state(run).approvals.front();
        Outcome outcomes[2];
        std::barrier together(2);
        const auto decide = [&](int who) {
            SeededRng rng(static_cast<std::uint64_t>(1000 + 2 * i + who));
            auto queue = makeInlineQueue(*stores[who]);
            ClockedReader reader(*stores[who], b.clock);
            ServiceConfig config;
            config.uid = 1000 + static_cast<std::uint32_t>(who);
            Service service(reader, *queue, b.clock, rng, config);
            together.arrive_and_wait();
            outcomes[who] = service.submitAndWait(b.act(run, decideOn(asked, who == 0), people[who]));
        };
        {
            std::jthread other([&] { decide(1); });
            decide(0);
        }
        const int winner = outcomes[0].kind == Outcome::Kind::Committed ? 0 : 1;
        const Outcome& loser = outcomes[1 - winner];
        QCOMPARE(outcomes[winner].kind, Outcome::Kind::Committed);
        QCOMPARE(loser.kind, Outcome::Kind::Rejected);
        QVERIFY2(
            loser.rejection.text.find(winner == 0 ? "already approved by ann" : "already rejected by bob")
                == 0,
            loser.rejection.text.c_str());
        engine.settle();
        approved += winner == 0 ? 1 : 0;
        QCOMPARE(b.effectd.count("do"), approved);
        QCOMPARE(b.facts<ApprovalDecided>(run), 1);
        QCOMPARE(b.audit(run).size(), std::size_t(2));
        QCOMPARE(b.verified(run), std::string());
    }
}

void TestApr::c18_parallelBranchesWaitEachForItself()
{
    CAIRN_BENCH();
    const auto branch = [](const std::string& n) {
        return "{'name':'think" + n
            + "','tool':'look','input':{}},"
              "{'name':'ask"
            + n + "','kind':'approval','after':['think" + n + "'],'input':{'n':" + n
            + "},'approval':{'role':'ops'}}";
    };
    b.add(workflow("three",
        branch("1") + "," + branch("2") + "," + branch("3")
            + ",{'name':'next','tool':'note',"
              "'after':['ask1','ask2','ask3'],'input':{'one':{'$from':'ask1'},'two':{'$from':'ask2'},'three':"
              "{'$from':'ask3'}}}"));
    b.tools["look"] = [](const Call&) { return later(); };
    std::vector<int> order{1, 2, 3};
    int rounds = 0;
    do {
        for (const bool restart : {false, true}) {
            auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
            const RunId run = b.started("three");
            engine->settle();
            int answered = 0;
            for (const int n : order) {
                // This branch asks while the others still compute; its answer comes before they have asked.
                const std::string id = std::to_string(n);
                static_cast<void>(engine->answer(engine->open(run, "think" + id), done()));
                engine->settle();
                QVERIFY(!b.state(run).closed);
                QVERIFY(b.approve(run, "ask" + id).ok());
                engine->settle();
                ++answered;
                if (restart && answered == 1) {
                    engine->kill();
                    b.bury(*engine);
                    engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
                    engine->settle();
                }
                for (int i = 0; i < 3; ++i) {
                    const bool over = i < answered;
                    const StepState state =
                        b.step(run, "ask" + std::to_string(order[static_cast<std::size_t>(i)])).state;
                    QCOMPARE(state == StepState::Complete, over);
                }
            }
            ++rounds;
            QVERIFY(b.state(run).closed);
            QCOMPARE(b.effectd.count("next"), rounds);
            QCOMPARE(b.effectd.lines.back().arguments,
                std::string("{\"one\":{\"n\":1},\"two\":{\"n\":2},\"three\":{\"n\":3}}"));
        }
    } while (std::next_permutation(order.begin(), order.end()));
    QCOMPARE(rounds, 12);
}

CAIRN_CASES(TestApr, "apr")
#include "cases_apr.moc"
