// PAY: payloads that change on their way, or are too large to live with.

#include "core/service/retention.h"
#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const std::string kNul("a\0b", 3);
const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe", 18);

}  // namespace

class TestPay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c38_nulInText();
    void c40_numbersKeepTheirDigits();
    void c40_refusedOnEntry_data();
    void c40_refusedOnEntry();
    void c41_valueTooLargeToCancel();
};

void TestPay::c38_nulInText()
{
    CAIRN_BENCH();
    b.add(workflow("one",
        "{'name':'do','tool':'look','input':{'$from':'input'}},{'name':'ask','kind':'approval','after':['do']"
        ",'input':{},"
        "'approval':{'role':'ops'}}"));
    b.tools["look"] = [&](const Call& call) {
        Answer given = call.input == "3" ? fails(FailureClass::Permanent, "went wrong: " + kNul)
                                         : done(call.input == "1" ? kNul : kPng);
        given.media = call.input == "3" ? "text/plain" : "application/octet-stream";
        return given;
    };
    EngineStandIn engine(b, {});
    const RunId one = b.started("one", "1");
    const RunId two = b.started("one", "2");
    const RunId three = b.started("one", "3");
    engine.settle();
    QVERIFY(b.output(one, "do") == kNul);  // kept without loss
    QVERIFY(b.output(two, "do") == kPng);
    QCOMPARE(b.step(one, "do").output.size, std::uint64_t(3));
    QVERIFY(b.text(three, b.step(three, "do").error) == "went wrong: " + kNul);
    // A list shows the NUL and what follows it.
    QCOMPARE(b.row(three).error, std::string("went wrong: a\\x00b"));
    QCOMPARE(b.step(three, "do").state, StepState::Failed);
    QCOMPARE(b.step(three, "do").attempts, 1U);  // no loop
    QVERIFY(engine.errors.empty());
    // A note and a run's key are text: refused, by name, and nothing changes.
    const std::uint64_t version = b.state(one).version;
    cmd::Decide approve;
    approve.approval = b.step(one, "ask").approval;
    const Outcome note = b.service->submitAndWait(b.act(one, approve, "kim", "fine " + kNul));
    QCOMPARE(note.kind, Outcome::Kind::Rejected);
    QCOMPARE(note.rejection.code, RejectCode::InvalidInput);
    QVERIFY2(note.rejection.text.find("the reason") == 0, note.rejection.text.c_str());
    QCOMPARE(b.state(one).version, version);
    const Outcome key = b.service->submitAndWait(b.start("one", "1", kNul));
    QCOMPARE(key.kind, Outcome::Kind::Rejected);
    QCOMPARE(key.rejection.code, RejectCode::InvalidInput);
    QVERIFY2(key.rejection.text.find("the key") == 0, key.rejection.text.c_str());
    for (const RunId& run : {one, two, three})
        QCOMPARE(b.verified(run), std::string());
}

void TestPay::c40_numbersKeepTheirDigits()
{
    CAIRN_BENCH();
    const std::string input =
        json("{'id': 9007199254740993, 'neg': -4611686018427387905, 'price': 1.10, 'k':1}");
    b.add(workflow("one",
        "{'name':'whole','tool':'note','input':{'$from':'input'}},"
        "{'name':'part','tool':'note','input':{'id':{'$from':'input','at':'/"
        "id'},'neg':{'$from':'input','at':'/neg'},"
        "'price':{'$from':'input','at':'/price'}}},"
        "{'name':'back','tool':'note','after':['whole'],'input':{'$from':'whole','at':'/price'}}"));
    b.tools["note"] = [&](const Call& call) {
        b.effectd.note(b.now(), call.id, call.key, call.input);
        return call.id == "back" && b.effectd.count("back") == 1 ? fails(FailureClass::Permanent)
                                                                 : done(call.input);
    };
    EngineStandIn engine(b, {});
    const RunId run = b.started("one", input);
    engine.settle();
    QCOMPARE(b.text(run, b.state(run).input), input);
    QCOMPARE(b.output(run, "whole"), input);
    QCOMPARE(b.output(run, "part"), json("{'id':9007199254740993,'neg':-4611686018427387905,'price':1.10}"));
    QCOMPARE(b.text(run, b.step(run, "back").input), std::string("1.10"));
    // Another field is edited: what the person gives is what the tool gets, byte for byte.
    cmd::AmendInput amend;
    amend.step = "back";
    const std::string edited = json("{'id': 9007199254740993,  'price': 1.10, 'k':2}");
    Submission s = b.act(run, amend);
    s.payloads.push_back(b.service->newPayload(edited, "application/json"));
    amend.input = s.payloads.back().ref;
    s.command.body = amend;
    QCOMPARE(b.service->submitAndWait(std::move(s)).kind, Outcome::Kind::Committed);
    engine.settle();
    QVERIFY(b.doAct(run, cmd::RetryStep{"back"}).kind != Outcome::Kind::Failed);
    engine.settle();
    QCOMPARE(b.effectd.lines.back().arguments, edited);
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.verified(run), std::string());
    // Run again from its beginning: the same bytes, in another run.
    Submission fork = b.act({}, cmd::Fork{{}, 1, false});
    fork.forkSource = run;
    const Outcome forked = b.service->submitAndWait(std::move(fork));
    QVERIFY2(forked.kind == Outcome::Kind::Committed, forked.rejection.text.c_str());
    QCOMPARE(b.text(forked.run, b.state(forked.run).input), input);
}

void TestPay::c40_refusedOnEntry_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("beyond a double") << QByteArray("{\"e\": 1e400}")
                                     << QByteArray("a number beyond the range of a double");
    QTest::newRow("not a number") << QByteArray("{\"e\": NaN}") << QByteArray("expected");
    QTest::newRow("a key twice") << QByteArray("{\"k\":1, \"k\":2}") << QByteArray("");
    QTest::newRow("a key twice, escaped") << QByteArray("{\"k\":1, \"\\u006b\":2}") << QByteArray("");
}

// The service's own check, which stands in front of every store: what a caller or a person gives is refused
// before anything is written, whichever verb it comes with.
void TestPay::c40_refusedOnEntry()
{
    CAIRN_BENCH();
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, says);
    b.add(workflow("one",
        "{'name':'do','tool':'note','input':{'$from':'input'}},{'name':'go','kind':'signal','signal':'go'}"));
    const auto refused = [&](const Outcome& outcome, const std::string& what) {
        QCOMPARE(outcome.kind, Outcome::Kind::Rejected);
        QCOMPARE(outcome.rejection.code, RejectCode::InvalidInput);
        const std::string begin = what + " is not JSON that can be kept exactly: line 1, column ";
        QVERIFY2(outcome.rejection.text.find(begin) == 0, outcome.rejection.text.c_str());
        QVERIFY2(outcome.rejection.text.find(says.toStdString()) != std::string::npos,
            outcome.rejection.text.c_str());
    };
    refused(b.service->submitAndWait(b.start("one", input.toStdString(), "k")), "the input");
    const auto count = b.store->count({});
    CAIRN_VERIFY_OK(count);
    QCOMPARE(*count, std::uint64_t(0));
    // The key is still free, and a good run takes none of it later either.
    b.tools["note"] = [](const Call&) { return fails(FailureClass::Permanent); };
    EngineStandIn engine(b, {});
    const RunId run = b.started("one", "{}", "k");
    engine.settle();
    const std::uint64_t version = b.state(run).version;
    refused(b.signal(run, "go", "1", input.toStdString()), "the signal's data");
    Submission amend = b.act(run, cmd::Advance{});
    amend.payloads.push_back(b.service->newPayload(input.toStdString(), "application/json"));
    Submission record = amend;
    amend.command.body = cmd::AmendInput{"do", amend.payloads.back().ref, 0, false};
    record.command.body = cmd::RecordResult{"do", record.payloads.back().ref, 0, false};
    refused(b.service->submitAndWait(std::move(amend)), "the input");
    refused(b.service->submitAndWait(std::move(record)), "the result");
    QCOMPARE(b.state(run).version, version);
    QCOMPARE(b.effectd.count("do"), 0);
    QCOMPARE(b.verified(run), std::string());
}

// 20 MiB instead of 200, and the limit itself (256 MiB) is not filled: the machine that runs this is small.
void TestPay::c41_valueTooLargeToCancel()
{
    CAIRN_BENCH();
    b.add(workflow("one",
        "{'name':'do','tool':'look','input':{'$from':'input'}},{'name':'ask','kind':'approval','after':['do']"
        ",'input':{},"
        "'approval':{'role':'ops'}}",
        ",'retention':{'keep_days':1}"));
    std::string big(20u << 20, 'x');
    big.front() = big.back() = '"';
    b.tools["look"] = [&](const Call& call) {
        if (call.input == "0")
            return fails(FailureClass::TooLarge, "the output has 268435457 bytes; the limit is 268435456");
        return done(call.input == "1" ? std::string(16'384, '7')
                : call.input == "2"   ? std::string(16'385, '7')
                                      : big);
    };
    EngineStandIn engine(b, {});
    const RunId over = b.started("one", "0");
    const RunId at = b.started("one", "1");
    const RunId aside = b.started("one", "2");
    const RunId huge = b.started("one", "3");
    engine.settle();
    QCOMPARE(b.step(over, "do").state, StepState::Failed);  // typed, not tried again
    QCOMPARE(b.step(over, "do").attempts, 1U);
    QVERIFY(b.row(over).error.find("limit") != std::string::npos);
    const auto artifactOf = [&](const RunId& run) {
        const auto info = b.store->payloadInfo(run, b.step(run, "do").output.id);
        return info && !info->artifact.isNull();
    };
    QVERIFY(!artifactOf(at));
    QVERIFY(artifactOf(aside));
    QVERIFY(artifactOf(huge));
    QCOMPARE(b.step(huge, "do").output.size, std::uint64_t(big.size()));
    const auto slice =
        b.store->payload(huge, b.step(huge, "do").output.id, 0, 10);  // opened without loading it
    CAIRN_VERIFY_OK(slice);
    QCOMPARE(*slice, std::string("\"xxxxxxxxx"));
    QVERIFY(b.output(huge, "do") == big);
    // A note of 5 MiB is set aside too, and the decision stands.
    cmd::Decide approve;
    approve.approval = b.step(aside, "ask").approval;
    const std::string note(5u << 20, 'n');
    const Outcome decided = b.service->submitAndWait(b.act(aside, approve, "kim", note));
    QVERIFY2(decided.ok(), (decided.rejection.text + decided.error.text).c_str());
    QVERIFY(b.text(aside, b.state(aside).approvals.front().note) == note);
    QVERIFY(b.doAct(huge, cmd::Cancel{}).ok());
    engine.settle();
    QCOMPARE(b.state(huge).closedAs, Activity::Cancelled);
    QVERIFY(b.state(huge).closed);
    const auto list = b.store->list({}, ListOrder::NewestFirst, std::nullopt, 50);
    CAIRN_VERIFY_OK(list);
    QCOMPARE(list->rows.size(), std::size_t(4));
    QCOMPARE(b.verified(huge), std::string());
    // It is deleted as any other when its time is over: the bytes are counted, not read.
    std::uint64_t ended = 0;
    for (const RunId& run : {over, at, aside, huge})
        ended += b.state(run).closed ? 1 : 0;
    const std::uint64_t before = must(b.store->space()).bytes;
    b.advance(2 * kDay);
    RetentionBy by;
    by.name = "kim";
    by.login = must(b.store->rights()).login.empty() ? "uid 1000" : must(b.store->rights()).login;
    by.host = "host";
    by.reason = "kept for a day, as agreed";
    by.person = true;
    RetentionPass pass(b.reader(), b.rng, by, RetentionDo::Remove);
    must(pass.begin());
    RetentionDone removed;
    while (const auto verdict = must(pass.next()))
        must(carryOut(*b.store, *b.service, by, *verdict, removed));
    QCOMPARE(removed.trees, ended);
    QVERIFY(removed.bytes >= big.size());
    CAIRN_VERIFY_ERROR(b.store->hot(huge), ErrorKind::NotFound);
    must(sweep(*b.store, b.now(), [] { return false; }));
    if (b.onDisk() && !b.onServer())
        QVERIFY(must(b.store->space()).bytes < before - big.size() / 2);
}

CAIRN_CASES(TestPay, "pay")
#include "cases_pay.moc"
