// Tools that need no process.

#include "core/engine/builtin_executor.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

namespace {

struct Bench {
    ManualClock clock;
    BuiltinExecutor executor{clock};
    std::vector<AttemptResult> results;
    std::uint8_t next = 0;

    Bench()
    {
        executor.onFinished([this](AttemptResult result) { results.push_back(std::move(result)); });
    }
    StartOrder order(const std::string& settings, const std::string& input = R"({"n":1})")
    {
        StartOrder o;
        o.attempt.bytes[0] = ++next;
        o.safety = ReplaySafety::Irreversible;
        o.settings = settings;
        o.input = input;
        return o;
    }
    AttemptResult call(StartOrder o)
    {
        results.clear();
        executor.start(std::move(o));
        if (results.size() != 1)
            qFatal("one answer was expected");
        return results.front();
    }
    AttemptResult call(const std::string& settings, const std::string& input = R"({"n":1})")
    {
        return call(order(settings, input));
    }
};

std::string outputOf(const AttemptResult& result)
{
    if (result.kind != AttemptResult::Kind::Completed)
        return "not completed: " + result.error;
    return *result.output->all();
}

}  // namespace

class TestBuiltin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outputs();
    void refusals();
    void failsAsOftenAsTold();
    void sleepHoldsNoThreadAndCanBeStopped();
    void lookUpsAnswerByTheirOutput();
};

void TestBuiltin::outputs()
{
    Bench bench;
    QCOMPARE(outputOf(bench.call(R"({"function":"noop"})")), std::string("null"));
    QCOMPARE(
        outputOf(bench.call(R"({"function":"echo"})", R"({"a":[1, 2]})")), std::string(R"({"a":[1, 2]})"));
    QCOMPARE(outputOf(bench.call(R"({"function":"pick","at":"/a/1"})", R"({"a":[1,{"b":2}]})")),
        std::string(R"({"b":2})"));
    QCOMPARE(outputOf(bench.call(R"({"function":"pick"})", "7")), std::string("7"));
    QCOMPARE(bench.results[0].media, std::string("application/json"));
}

void TestBuiltin::refusals()
{
    Bench bench;
    const auto fails = [&](const std::string& settings, FailureClass wanted, const std::string& says) {
        const AttemptResult result = bench.call(settings);
        QVERIFY2(result.kind == AttemptResult::Kind::Failed, settings.c_str());
        QVERIFY2(result.failure == wanted, settings.c_str());
        QVERIFY2(result.effect == EffectKnowledge::NotHappened, settings.c_str());
        QVERIFY2(result.error.find(says) != std::string::npos, result.error.c_str());
    };
    fails(R"({"function":"dance"})", FailureClass::Permanent, "dance");
    fails("{}", FailureClass::Permanent, "no built-in tool");
    fails("not an object", FailureClass::Permanent, "");
    fails(R"({"function":"pick","at":"/missing"})", FailureClass::Rejected, "");
    fails(R"({"function":"sleep","for":"soon"})", FailureClass::Permanent, "soon");
    fails(R"({"function":"fail","failure":"bad luck"})", FailureClass::Permanent, "bad luck");
    fails(R"({"function":"pick","at":"${env.CAIRN_NO_SUCH}"})", FailureClass::Permanent, "CAIRN_NO_SUCH");
}

void TestBuiltin::failsAsOftenAsTold()
{
    Bench bench;
    StartOrder o = bench.order(R"({"function":"fail","times":2,"failure":"credential"})");
    for (o.number = 1; o.number <= 2; ++o.number) {
        const AttemptResult result = bench.call(o);
        QVERIFY(result.failure == FailureClass::Credential);
        QVERIFY(result.effect == EffectKnowledge::NotHappened);
    }
    QCOMPARE(outputOf(bench.call(o)), std::string(R"({"n":1})"));
    o.settings = R"({"function":"fail"})";
    o.number = 1'000;
    QVERIFY(bench.call(o).failure == FailureClass::Retryable);
}

void TestBuiltin::sleepHoldsNoThreadAndCanBeStopped()
{
    Bench bench;
    QCOMPARE(bench.executor.tick(), Executor::kIdle);
    const StartOrder one = bench.order(R"({"function":"sleep","for":"2s"})", "1");
    const StartOrder two = bench.order(R"({"function":"sleep","for":"3s"})", "2");
    const StartOrder three = bench.order(R"({"function":"sleep"})", "3");
    for (const StartOrder& o : {one, two, three})
        bench.executor.start(o);
    QCOMPARE(bench.executor.tick(), SpanMs(1'000));
    bench.executor.abandon(three.attempt);  // no answer, ever
    bench.clock.advance(1'999);
    QCOMPARE(bench.executor.tick(), SpanMs(1));
    QVERIFY(bench.results.empty());
    bench.clock.advance(1);
    QCOMPARE(bench.executor.tick(), SpanMs(1'000));
    QCOMPARE(bench.results.size(), std::size_t(1));
    QCOMPARE(outputOf(bench.results[0]), std::string("1"));
    bench.executor.cancel(one.attempt);  // it has ended: ignored
    bench.executor.cancel(two.attempt);
    QCOMPARE(bench.results.size(), std::size_t(2));
    QVERIFY(bench.results[1].attempt == two.attempt);
    QVERIFY(bench.results[1].cancelled);
    QVERIFY(bench.results[1].effect == EffectKnowledge::NotHappened);
    QCOMPARE(bench.executor.tick(), Executor::kIdle);
}

void TestBuiltin::lookUpsAnswerByTheirOutput()
{
    Bench bench;
    StartOrder o = bench.order(R"({"function":"echo"})", R"({"happened":true,"output":{"id":7}})");
    o.purpose = Purpose::LookUp;
    AttemptResult result = bench.call(o);
    QVERIFY(result.kind == AttemptResult::Kind::LookedUp);
    QVERIFY(result.verdict == EffectKnowledge::Happened);
    QCOMPARE(*result.output->all(), std::string(R"({"id":7})"));
    o.input = R"({"happened":false})";
    QVERIFY(bench.call(o).verdict == EffectKnowledge::NotHappened);
    o.input = R"({"n":1})";
    result = bench.call(o);
    QVERIFY(result.verdict == EffectKnowledge::Unknown);
    QVERIFY(!result.evidence.empty());
}

QTEST_APPLESS_MAIN(TestBuiltin)
#include "tst_builtin.moc"
