// IDM: the rules of the idempotency key.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestIdm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c51_sameKeyDifferentRequest();
    void c51_fiftyAtOnce();
};

void TestIdm::c51_sameKeyDifferentRequest()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','input':{}}", ",'on_failure':'close'"));
    b.tools["note"] = [&](const Call& call) {
        b.effectd.note(b.now(), call.id, call.key, {});
        return fails(FailureClass::Permanent);
    };
    EngineStandIn engine(b, {});
    const auto ask = [&](const std::string& input) {
        return b.service->submitAndWait(b.start("one", input, "K"));
    };
    const Outcome first = ask("{\"a\":1}");
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    const auto mustBeTheSame = [&] {
        const Outcome again = ask("{\"a\":1}");
        return again.kind == Outcome::Kind::Existing && again.run == first.run;
    };
    QVERIFY(mustBeTheSame());
    // The rule of the key: byte for byte. 1 and 1.0, another order and another blank are other requests.
    for (const char* other : {"{\"a\":2}", "{\"a\":1.0}", "{\"b\":2,\"a\":1}", "{\"a\": 1}"}) {
        const Outcome refused = ask(other);
        QCOMPARE(refused.kind, Outcome::Kind::Rejected);
        QCOMPARE(refused.rejection.code, RejectCode::Conflict);
        QCOMPARE(refused.run, first.run);
        const std::string& text = refused.rejection.text;
        QVERIFY2(text.find("key \"K\"") == 0, text.c_str());
        // Both fingerprints: twelve hexadecimal digits each, and different.
        const std::size_t one = text.find("its fingerprint is ");
        const std::size_t two = text.find("that of this input ");
        QVERIFY2(one != std::string::npos && two != std::string::npos, text.c_str());
        QVERIFY(text.substr(one + 19, 12) != text.substr(two + 19, 12));
    }
    engine.settle();
    QCOMPARE(b.state(first.run).closedAs, Activity::Failed);
    QVERIFY(mustBeTheSame());  // after the first failed
    engine.settle();
    QCOMPARE(b.effectd.count("do"), 1);
    // A client whose reply was lost tries again with the same command: its first answer.
    Submission s = b.start("one", "{\"a\":1}", "L");
    s.run = makeId<RunId>(b.now(), b.rng);
    s.command.id = makeId<CommandId>(b.now(), b.rng);
    QCOMPARE(b.service->submitAndWait(s).kind, Outcome::Kind::Committed);
    const Outcome again = b.service->submitAndWait(s);
    QVERIFY(again.kind == Outcome::Kind::Repeated || again.kind == Outcome::Kind::Existing);
    QCOMPARE(again.run, s.run);
    const auto count = b.store->count({});
    CAIRN_VERIFY_OK(count);
    QCOMPARE(*count, std::uint64_t(2));
}

// Fifty clients: each has decided before any has committed.
void TestIdm::c51_fiftyAtOnce()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','input':{}}"));
    auto otherStore = b.connect();
    auto otherQueue = makeInlineQueue(*otherStore);
    SeededRng rng(3);
    Service other(b.reader(), *otherQueue, b.clock, rng, {});
    std::vector<Outcome> outcomes;
    for (int i = 0; i < 50; ++i)
        (i % 2 ? other : *b.service).submit(b.start("one", "{\"a\":1}", "K"), [&](Outcome outcome) {
            outcomes.push_back(std::move(outcome));
        });
    QVERIFY(outcomes.empty());
    other.drain();
    b.service->drain();
    QCOMPARE(outcomes.size(), std::size_t(50));
    int committed = 0;
    for (const Outcome& outcome : outcomes) {
        QVERIFY2(outcome.ok(), outcome.rejection.text.c_str());
        QCOMPARE(outcome.run, outcomes.front().run);
        committed += outcome.kind == Outcome::Kind::Committed ? 1 : 0;
    }
    QCOMPARE(committed, 1);
    const auto count = b.store->count({});
    CAIRN_VERIFY_OK(count);
    QCOMPARE(*count, std::uint64_t(1));
    EngineStandIn engine(b, {});
    engine.settle();
    QCOMPARE(b.effectd.count("do"), 1);
}

CAIRN_CASES(TestIdm, "idm")
#include "cases_idm.moc"
