// RET: retention and purge.

#include "core/service/retention.h"
#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestRet : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c48_purgeTakesOnlyWhatIsSettled();
    void c50_spaceComesBackAfterAPurge();
};

namespace {

const std::string kDay1 = ",'retention':{'keep_days':1}";

RetentionBy auditor(Bench& b)
{
    RetentionBy by;
    by.name = "kim";
    by.login = must(b.store->rights()).login;
    if (by.login.empty())
        by.login = "uid 1000";
    by.host = "host";
    by.reason = "kept for a day, as agreed";
    by.person = true;
    return by;
}

std::map<RunId, std::string> purge(Bench& b, bool acts, RetentionDone& done)
{
    const RetentionBy by = auditor(b);
    RetentionPass pass(b.reader(), b.rng, by, RetentionDo::Remove);
    must(pass.begin());
    std::map<RunId, std::string> said;
    for (;;) {
        const auto verdict = must(pass.next());
        if (!verdict)
            return said;
        said[verdict->root] = verdict->stays.empty() ? "goes" : verdict->stays;
        if (acts)
            must(carryOut(*b.store, *b.service, by, *verdict, done));
    }
}

struct Kinds {
    RunId done1, waiting, parent, whole, failed, dealtWith, running, unknown;
};

void addKinds(Bench& b)
{
    b.add(workflow("quick", "{'name':'do','tool':'look','input':{}}", kDay1));
    b.add(workflow("fails", "{'name':'do','tool':'look','input':{}}", ",'on_failure':'close'" + kDay1));
    b.add(workflow("asks", "{'name':'do','tool':'note','input':{},'approval':{'role':'ops'}}", kDay1));
    b.add(workflow("pays", "{'name':'do','tool':'pay','input':{}}", kDay1));
    b.add(workflow("parent",
        "{'name':'kid','kind':'run','workflow':'quick','input':{}},"
        "{'name':'then','tool':'note','after':['kid'],'input':{},'approval':{'role':'ops'}}",
        kDay1));
    b.add(workflow("whole", "{'name':'kid','kind':'run','workflow':'quick','input':{}}", kDay1));
}

// As far as they come by themselves.
Kinds oneOfEach(Bench& b, EngineStandIn& engine)
{
    Kinds kinds;
    kinds.done1 = b.started("quick", "{}", "key 1");
    kinds.waiting = b.started("asks");
    kinds.parent = b.started("parent");
    kinds.whole = b.started("whole");
    engine.settle();
    b.tools["look"] = [](const Call&) { return fails(FailureClass::Permanent); };
    kinds.failed = b.started("fails");
    kinds.dealtWith = b.started("fails");
    engine.settle();
    b.tools["look"] = [](const Call&) { return later(); };
    kinds.running = b.started("quick");
    b.tools["pay"] = [](const Call&) {
        Answer lost = fails(FailureClass::Retryable);
        lost.effect = EffectKnowledge::Unknown;
        return lost;
    };
    kinds.unknown = b.started("pays");
    engine.settle();
    return kinds;
}

}  // namespace

// One of each kind, all old enough: only what has ended, and what somebody has dealt with, goes.
void TestRet::c48_purgeTakesOnlyWhatIsSettled()
{
    CAIRN_BENCH();
    addKinds(b);
    EngineStandIn engine(b, {"w1"});
    const auto [done1, waiting, parent, whole, failed, dealtWith, running, unknown] = oneOfEach(b, engine);
    QVERIFY(!b.state(unknown).closed);
    QVERIFY(b.state(whole).closed);
    const RunId wholeKid = must(b.store->children(whole)).front();
    const RunId parentKid = must(b.store->children(parent)).front();
    QVERIFY(b.state(parentKid).closed);
    QCOMPARE(b.doAct(dealtWith, cmd::Retain{}).kind, Outcome::Kind::Committed);
    b.advance(9 * kDay);

    RetentionDone none;
    const auto shown = purge(b, false, none);
    const std::map<RunId, std::string> wanted{{done1, "goes"}, {whole, "goes"}, {dealtWith, "goes"},
        {failed, "it failed, and nobody has said that this is dealt with"}};
    QVERIFY(shown == wanted);
    const std::size_t audited = must(b.store->audit(0, 1'000)).size();
    RetentionDone did;
    QVERIFY(purge(b, true, did) == shown);
    QCOMPARE(did.trees, std::uint64_t{3});
    QCOMPARE(did.runs, std::uint64_t{4});
    QCOMPARE(did.stayed, std::uint64_t{1});
    // Exactly what was shown is gone, each with its entry in the audit; a child goes with its parent only.
    for (const RunId& run : {done1, whole, wholeKid, dealtWith})
        CAIRN_VERIFY_ERROR(b.store->hot(run), ErrorKind::NotFound);
    for (const RunId& run : {waiting, parent, parentKid, failed, running, unknown})
        QCOMPARE(b.verified(run), std::string());
    // C55: who still has one of them open saves nothing, and is told why.
    const Outcome late = b.doAct(done1, cmd::SetDeadline{b.now() + kDay, 0, false}, "bob");
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::NotFound);
    QVERIFY2(late.rejection.text.find("run " + toText(done1) + " was removed on ") == 0,
        late.rejection.text.c_str());
    auto audit = must(b.store->audit(0, 1'000));
    QCOMPARE(audit.back().kind, std::string("refused"));
    audit.pop_back();
    QCOMPARE(audit.size(), audited + 3);
    QVERIFY(audit.back().before.find("\"runs\":") != std::string::npos);
    // Keys have a life of their own: the same request is the same run still, and starts nothing.
    const Outcome again = b.service->submitAndWait(b.start("quick", "{}", "key 1"));
    QCOMPARE(again.kind, Outcome::Kind::Existing);
    QVERIFY(again.run == done1);
    // C51: and another request is a conflict still, though nothing but the key is left of the first.
    const Outcome another = b.service->submitAndWait(b.start("quick", "{\"a\":2}", "key 1"));
    QCOMPARE(another.kind, Outcome::Kind::Rejected);
    QCOMPARE(another.rejection.code, RejectCode::Conflict);
    QVERIFY2(another.rejection.text.find("key \"key 1\" belongs to run " + toText(done1)) == 0,
        another.rejection.text.c_str());
    must(sweep(*b.store, b.now(), [] { return false; }));
    const auto problems = must(b.store->check(true));
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().text.c_str());
}

// What a purge frees is used again, or given back.
void TestRet::c50_spaceComesBackAfterAPurge()
{
    CAIRN_BENCH();
    b.add(workflow("quick", "{'name':'do','tool':'look','input':{}}", kDay1));
    EngineStandIn engine(b, {"w1"});
    const std::string large = "\"" + std::string(600'000, 'x') + "\"";
    for (int i = 0; i < 8; ++i)
        static_cast<void>(b.started("quick", large));
    engine.settle();
    b.advance(2 * kDay);
    const StoreSpace before = must(b.store->space());
    RetentionDone did;
    static_cast<void>(purge(b, true, did));
    QCOMPARE(did.trees, std::uint64_t{8});
    QVERIFY(did.bytes > 8 * 600'000);
    const std::uint64_t givenBack = must(sweep(*b.store, b.now(), [] { return false; }));
    if (b.onDisk() && !b.onServer()) {  // memory has no file; a server's autovacuum comes in its own time
        QVERIFY(givenBack > std::uint64_t{4} * 600'000);
        const StoreSpace after = must(b.store->space());
        QVERIFY(after.bytes < before.bytes / 2);
    }
}

CAIRN_CASES(TestRet, "ret")
#include "cases_ret.moc"
