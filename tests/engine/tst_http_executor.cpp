// The HTTP executor against a server that answers byte for byte what a test says, or not at all.

#include "core/engine/http_executor.h"
#include "tests/support/cairn_qtest.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <list>
#include <set>

using namespace cairn;
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// On the executor's own loop, as everything is one thread.
class CannedServer {
public:
    explicit CannedServer(asio::io_context& io)
        : m_acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0))
    {
        accept();
    }
    std::string url(const std::string& path = "/") const
    {
        return "http://127.0.0.1:" + std::to_string(m_acceptor.local_endpoint().port()) + path;
    }

    std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}";
    bool closes = true;              // after the answer; false: keeps the connection open and says no more
    std::vector<std::string> heads;  // of requests, as they came
    std::vector<std::string> bodies;

private:
    struct Peer {
        explicit Peer(tcp::socket s)
            : socket(std::move(s))
        {
        }
        tcp::socket socket;
        std::string bytes;
    };
    void accept()
    {
        m_acceptor.async_accept([this](error_code problem, tcp::socket socket) {
            if (problem)
                return;
            m_peers.push_back(std::make_shared<Peer>(std::move(socket)));
            read(m_peers.back());
            accept();
        });
    }
    static std::size_t lengthOf(const std::string& head)
    {
        const auto at = head.find("Content-Length: ");
        return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    }
    void read(const std::shared_ptr<Peer>& peer)
    {
        peer->socket.async_read_some(
            asio::buffer(m_chunk), [this, peer](error_code problem, std::size_t got) {
                peer->bytes.append(m_chunk.data(), got);
                const auto end = peer->bytes.find("\r\n\r\n");
                if (problem)
                    return;
                if (end == std::string::npos || peer->bytes.size() < end + 4 + lengthOf(peer->bytes))
                    return read(peer);
                heads.push_back(peer->bytes.substr(0, end + 2));
                bodies.push_back(peer->bytes.substr(end + 4));
                peer->bytes.clear();
                write(peer);
            });
    }
    void write(const std::shared_ptr<Peer>& peer)
    {
        auto text = std::make_shared<std::string>(answer);
        asio::async_write(
            peer->socket, asio::buffer(*text), [this, peer, text](error_code problem, std::size_t) {
                if (problem || closes)
                    peer->socket.close();
                else
                    read(peer);
            });
    }

    tcp::acceptor m_acceptor;
    std::list<std::shared_ptr<Peer>> m_peers;
    std::array<char, 4096> m_chunk{};
};

struct Bench {
    asio::io_context io;
    SystemClock clock;
    std::vector<AttemptResult> results;
    CannedServer server{io};
    HttpExecutor http;
    std::uint8_t next = 0;

    explicit Bench(HttpConfig config = {})
        : http(io, clock, config)
    {
        http.onFinished([this](AttemptResult result) { results.push_back(std::move(result)); });
    }
    StartOrder order(const std::string& settings, ReplaySafety safety = ReplaySafety::Irreversible)
    {
        StartOrder o;
        o.attempt.bytes[0] = ++next;
        o.safety = safety;
        o.settings = settings;
        o.input = R"({"n":1})";
        o.effectKey = writes(safety) ? "key-1" : "";
        return o;
    }
    StartOrder orderTo(const std::string& url) { return order(R"({"url":")" + url + R"("})"); }
    template<typename F> void runUntil(F holds)
    {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > until)
                qFatal("nothing came");
            io.restart();
            io.run_for(std::chrono::milliseconds(20));
        }
    }
    AttemptResult call(StartOrder o)
    {
        results.clear();
        http.start(std::move(o));
        runUntil([&] { return !results.empty(); });
        return results.front();
    }
    AttemptResult call(const std::string& answer)
    {
        server.answer = answer;
        return call(orderTo(server.url()));
    }
};

std::string answerOf(const std::string& status, const std::string& headers, const std::string& body = "{}")
{
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers
        + "\r\n" + body;
}

}  // namespace

class TestHttpExecutor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsSent();
    void aLookUpAsksAndSendsNoKey();
    void retryAfterInSecondsAndAsADate();
    void redirectsAreNotFollowed();
    void aBodyOverTheLimitIsRefused();
    void whatNeverLeftWasNotDone();
    void whatBrokeAfterSendingIsNotKnown_data();
    void whatBrokeAfterSendingIsNotKnown();
    void aHangingCallTimesOut();
    void nothingLeavesAfterTheLease();
    void aHangingCallCanBeStoppedAndAbandoned();
    void settingsThatDoNotWorkAreFinal_data();
    void settingsThatDoNotWorkAreFinal();
    void aSecretGoesOnlyWhereItBelongs();
    void interimAnswersAreNoAnswersAndTrailersNoHeaders();
    void manyCallsAtATime();
};

void TestHttpExecutor::whatIsSent()
{
    Bench bench;
    StartOrder o = bench.order(
        R"({"url":")" + bench.server.url("/pay/${key}?run=${run}") + R"(","headers":{"X-Shop":"one"}})");
    o.effectKey = "order 7/ü";
    QVERIFY(bench.call(o).kind == AttemptResult::Kind::Completed);
    const std::string& head = bench.server.heads.front();
    QVERIFY2(head.find("POST /pay/order%207%2F%C3%BC?run=") == 0, head.c_str());
    QVERIFY2(head.find("\r\nIdempotency-Key: order 7/ü\r\n") != std::string::npos, head.c_str());
    QVERIFY2(head.find("\r\nContent-Type: application/json\r\n") != std::string::npos, head.c_str());
    QVERIFY2(head.find("\r\nX-Shop: one\r\n") != std::string::npos, head.c_str());
    QVERIFY2(head.find("Expect:") == std::string::npos, head.c_str());
    QCOMPARE(bench.server.bodies.front(), std::string(R"({"n":1})"));

    StartOrder other = bench.order(R"({"method":"PUT","url":")" + bench.server.url()
        + R"(","key_header":"X-Key","headers":{"content-type":"text/x"}})");
    QVERIFY(bench.call(other).kind == AttemptResult::Kind::Completed);
    const std::string& second = bench.server.heads.back();
    QVERIFY2(second.find("PUT / ") == 0, second.c_str());
    QVERIFY2(second.find("\r\nX-Key: key-1\r\n") != std::string::npos, second.c_str());
    QVERIFY2(second.find("application/json") == std::string::npos, second.c_str());

    // A tool that only reads has no key.
    QVERIFY(bench.call(bench.order(R"({"url":")" + bench.server.url() + R"("})", ReplaySafety::ReadOnly)).kind
        == AttemptResult::Kind::Completed);
    QVERIFY2(bench.server.heads.back().find("Idempotency-Key") == std::string::npos,
        bench.server.heads.back().c_str());
}

void TestHttpExecutor::aLookUpAsksAndSendsNoKey()
{
    Bench bench;
    StartOrder o = bench.orderTo(bench.server.url("/seen/${key}"));
    o.purpose = Purpose::LookUp;
    bench.server.answer = answerOf("200 OK", "", R"({"id":7})");
    const AttemptResult result = bench.call(o);
    QVERIFY(result.verdict == EffectKnowledge::Happened);
    QCOMPARE(*result.output->all(), std::string(R"({"id":7})"));
    QVERIFY2(bench.server.heads[0].find("GET /seen/key-1 ") == 0, bench.server.heads[0].c_str());
    QVERIFY2(
        bench.server.heads[0].find("Idempotency-Key") == std::string::npos, bench.server.heads[0].c_str());
    QCOMPARE(bench.server.bodies[0], std::string());
    bench.server.answer = answerOf("404 Not Found", "");
    QVERIFY(bench.call(o).verdict == EffectKnowledge::NotHappened);
    bench.server.answer.clear();  // closes without a word: that is no "not happened"
    const AttemptResult broken = bench.call(o);
    QVERIFY(broken.kind == AttemptResult::Kind::Failed);
    QVERIFY(broken.failure == FailureClass::Retryable);
}

void TestHttpExecutor::retryAfterInSecondsAndAsADate()
{
    Bench bench;
    const AttemptResult seconds = bench.call(answerOf("429 Too Many", "Retry-After: 12\r\n"));
    QVERIFY(seconds.failure == FailureClass::RateLimited);
    QVERIFY(seconds.effect == EffectKnowledge::NotHappened);
    QCOMPARE(seconds.retryAfter, SpanMs(12'000));
    // Counted from the server's own clock.
    const AttemptResult date = bench.call(answerOf("503 Busy",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRETRY-AFTER:  Sun, 06 Nov 1994 08:50:07 GMT \r\n"));
    QVERIFY(date.failure == FailureClass::RateLimited);
    QCOMPARE(date.retryAfter, SpanMs(30'000));
    const AttemptResult nonsense = bench.call(answerOf("429 Too Many", "Retry-After: later\r\n"));
    QCOMPARE(nonsense.retryAfter, SpanMs(-1));
    QVERIFY2(nonsense.error.find("later") != std::string::npos, nonsense.error.c_str());
    QVERIFY(bench.call(answerOf("503 Busy", "")).effect == EffectKnowledge::Unknown);
}

void TestHttpExecutor::redirectsAreNotFollowed()
{
    Bench bench;
    for (const char* status : {"301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"}) {
        const std::size_t before = bench.server.heads.size();
        const AttemptResult result =
            bench.call(answerOf(status, "Location: " + bench.server.url("/elsewhere") + "\r\n"));
        QVERIFY2(result.failure == FailureClass::Permanent, status);
        QVERIFY2(result.effect == EffectKnowledge::Unknown, status);
        QCOMPARE(bench.server.heads.size(), before + 1);
    }
}

void TestHttpExecutor::aBodyOverTheLimitIsRefused()
{
    HttpConfig config;
    config.output = 100'000;
    Bench bench(config);
    bench.server.answer = answerOf("200 OK", "", std::string(100'001, 'x'));
    AttemptResult result = bench.call(bench.orderTo(bench.server.url()));
    QVERIFY(result.failure == FailureClass::TooLarge);
    QVERIFY(result.effect == EffectKnowledge::Unknown);  // it answered: it may well have done it
    // Without a length, and over the tool's own limit.
    bench.server.answer = "HTTP/1.1 200 OK\r\n\r\n" + std::string(2'000, 'x');
    result = bench.call(bench.order(R"({"max_output":1999,"url":")" + bench.server.url() + R"("})"));
    QVERIFY(result.failure == FailureClass::TooLarge);
    result = bench.call(bench.order(R"({"max_output":2000,"url":")" + bench.server.url() + R"("})"));
    QVERIFY(result.kind == AttemptResult::Kind::Completed);
    QCOMPARE(result.output->size(), std::uint64_t(2'000));
    result = bench.call(bench.order(R"({"max_output":9000000,"url":")" + bench.server.url() + R"("})"));
    QVERIFY(result.kind == AttemptResult::Kind::Completed);
    bench.server.answer = answerOf("200 OK", "", std::string(100'000, 'x'));
    QCOMPARE(bench.call(bench.orderTo(bench.server.url())).output->size(), std::uint64_t(100'000));
}

void TestHttpExecutor::whatNeverLeftWasNotDone()
{
    HttpConfig config;
    config.connectTimeout = 1'000;
    Bench bench(config);
    std::string closed;
    {
        CannedServer gone(bench.io);
        closed = gone.url();
    }
    bench.io.restart();
    bench.io.poll();
    AttemptResult result = bench.call(bench.orderTo(closed));
    QVERIFY(result.failure == FailureClass::Retryable);
    QVERIFY(result.effect == EffectKnowledge::NotHappened);
    QVERIFY(!result.error.empty());
    result = bench.call(bench.orderTo("http://no-such-host.invalid/"));
    QVERIFY(result.failure == FailureClass::Retryable);
    QVERIFY(result.effect == EffectKnowledge::NotHappened);
    // TLS with a server that speaks none: no request was sent.
    result = bench.call(bench.orderTo("https" + bench.server.url().substr(4)));
    QVERIFY(result.effect == EffectKnowledge::NotHappened);
    QVERIFY(bench.server.heads.empty());
}

void TestHttpExecutor::whatBrokeAfterSendingIsNotKnown_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::newRow("closed without a word") << QByteArray();
    QTest::newRow("half a status line") << QByteArray("HTTP/1.1 2");
    QTest::newRow("half the headers") << QByteArray("HTTP/1.1 200 OK\r\nContent-Le");
    QTest::newRow("a status line and no more") << QByteArray("HTTP/1.1 200 OK\r\n");
    QTest::newRow("whole headers, but not their end") << QByteArray("HTTP/1.1 200 OK\r\nX-A: b\r\n");
    QTest::newRow("interim headers only") << QByteArray("HTTP/1.1 100 Continue\r\n\r\n");
    QTest::newRow("half the body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\"");
    QTest::newRow("half a chunk") << QByteArray(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"");
    QTest::newRow("not HTTP") << QByteArray("hello\r\n\r\n");
}

void TestHttpExecutor::whatBrokeAfterSendingIsNotKnown()
{
    QFETCH(QByteArray, answer);
    Bench bench;
    bench.server.answer = answer.toStdString();
    StartOrder o = bench.orderTo(bench.server.url());
    AttemptResult result = bench.call(o);
    QVERIFY(result.kind == AttemptResult::Kind::Failed);
    QVERIFY(result.failure == FailureClass::Retryable);
    QVERIFY(result.effect == EffectKnowledge::Unknown);
    QCOMPARE(bench.server.heads.size(), std::size_t(1));  // and was not sent once more
    o.safety = ReplaySafety::ReadOnly;
    o.attempt.bytes[0] = 200;
    QVERIFY(bench.call(o).effect == EffectKnowledge::NoEffect);
}

void TestHttpExecutor::aHangingCallTimesOut()
{
    Bench bench;
    bench.server.answer.clear();
    bench.server.closes = false;
    StartOrder o = bench.orderTo(bench.server.url());
    o.timeout = 50;  // the executor's own limit lies two seconds behind the engine's
    const AttemptResult result = bench.call(o);
    QVERIFY(result.failure == FailureClass::Retryable);
    QVERIFY(result.timedOut);
    QVERIFY(result.effect == EffectKnowledge::Unknown);
}

// start() only begins: connecting and sending come later, and by then the lease may have passed.
void TestHttpExecutor::nothingLeavesAfterTheLease()
{
    Bench bench;
    const StartOrder late = bench.orderTo(bench.server.url("/late"));
    bench.http.leaseEnds(bench.clock.monotonicMs() + 600'000);
    bench.http.start(late);
    bench.http.leaseEnds(0);
    // What comes after it on the same loop is done, so its turn has been.
    HttpExecutor other(bench.io, bench.clock, {});
    other.onFinished([&](AttemptResult result) { bench.results.push_back(std::move(result)); });
    for (std::size_t i = 1; i <= 3; ++i) {
        other.start(bench.orderTo(bench.server.url("/other")));
        bench.runUntil([&] { return bench.results.size() == i; });
    }
    QCOMPARE(bench.server.heads.size(), std::size_t(3));
    for (const std::string& head : bench.server.heads)
        QVERIFY2(head.find("/other") != std::string::npos, head.c_str());
    bench.http.abandon(late.attempt);
    bench.http.leaseEnds(bench.clock.monotonicMs() + 600'000);
    bench.results.clear();
    QVERIFY(bench.call(answerOf("200 OK", "")).kind == AttemptResult::Kind::Completed);
}

void TestHttpExecutor::aHangingCallCanBeStoppedAndAbandoned()
{
    Bench bench;
    bench.server.answer.clear();
    bench.server.closes = false;
    const StartOrder one = bench.orderTo(bench.server.url());
    const StartOrder two = bench.orderTo(bench.server.url());
    bench.http.start(one);
    bench.http.start(two);
    bench.runUntil([&] { return bench.server.heads.size() == 2; });
    bench.http.abandon(two.attempt);
    bench.http.cancel(one.attempt);
    QCOMPARE(bench.results.size(), std::size_t(1));
    QVERIFY(bench.results[0].attempt == one.attempt);
    QVERIFY(bench.results[0].cancelled);
    QVERIFY(bench.results[0].effect == EffectKnowledge::Unknown);
    bench.http.cancel(one.attempt);  // unknown now
    bench.http.cancel(two.attempt);
    QCOMPARE(bench.results.size(), std::size_t(1));
    // Stopped before it was sent.
    const StartOrder three = bench.orderTo(bench.server.url());
    bench.http.start(three);
    bench.http.cancel(three.attempt);
    QCOMPARE(bench.results.size(), std::size_t(2));
    QVERIFY(bench.results[1].effect == EffectKnowledge::NotHappened);
    // And the executor still works.
    bench.server.closes = true;
    QVERIFY(bench.call(answerOf("200 OK", "")).kind == AttemptResult::Kind::Completed);
}

void TestHttpExecutor::settingsThatDoNotWorkAreFinal_data()
{
    QTest::addColumn<QByteArray>("settings");
    QTest::newRow("no url") << QByteArray("{}");
    QTest::newRow("no value for a name") << QByteArray(R"({"url":"http://127.0.0.1:${env.CAIRN_NO_SUCH}/"})");
    QTest::newRow("not a url") << QByteArray(R"({"url":"http://"})");
    QTest::newRow("a file") << QByteArray(R"({"url":"file:///etc/hostname"})");
    QTest::newRow("no settings") << QByteArray("[]");
    QTest::newRow("a header that would end the head")
        << QByteArray(R"({"url":"http://127.0.0.1:1/","headers":{"X":"a\r\nY: b"}})");
}

void TestHttpExecutor::settingsThatDoNotWorkAreFinal()
{
    QFETCH(QByteArray, settings);
    Bench bench;
    const AttemptResult result = bench.call(bench.order(settings.toStdString()));
    QVERIFY2(result.failure == FailureClass::Permanent, result.error.c_str());
    QVERIFY(result.effect == EffectKnowledge::NotHappened);
    QVERIFY(!result.error.empty());
}

void TestHttpExecutor::aSecretGoesOnlyWhereItBelongs()
{
    qputenv("CAIRN_TEST_HTTP_TOKEN", "s3cr3t-canary");
    Bench bench;
    StartOrder o = bench.order(
        R"({"url":")" + bench.server.url() + R"(","headers":{"Authorization":"Bearer ${secret}"}})");
    o.secret = "env:CAIRN_TEST_HTTP_TOKEN";
    bench.server.answer = answerOf("200 OK", "", R"({"echo":"s3cr3t-canary"})");
    AttemptResult result = bench.call(o);
    QVERIFY(bench.server.heads[0].find("Authorization: Bearer s3cr3t-canary") != std::string::npos);
    QCOMPARE(*result.output->all(), std::string(R"({"echo":"[secret]"})"));
    bench.server.answer = answerOf("400 Bad", "", "no: s3cr3t-canary");
    result = bench.call(o);
    QVERIFY2(result.error.find("canary") == std::string::npos, result.error.c_str());
    o.secret = "env:CAIRN_TEST_NO_SUCH";
    result = bench.call(o);
    QVERIFY(result.failure == FailureClass::Credential);
    QVERIFY(result.effect == EffectKnowledge::NotHappened);
    QCOMPARE(bench.server.heads.size(), std::size_t(2));
}

void TestHttpExecutor::interimAnswersAreNoAnswersAndTrailersNoHeaders()
{
    Bench bench;
    const AttemptResult result =
        bench.call("HTTP/1.1 103 Early\r\nRetry-After: 99\r\nContent-Type: text/x\r\n\r\n"
            + answerOf("429 Too Many", ""));
    QVERIFY(result.failure == FailureClass::RateLimited);
    QCOMPARE(result.retryAfter, SpanMs(-1));
    const AttemptResult trailed = bench.call("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: "
                                             "X-Sum\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n");
    QVERIFY2(trailed.kind == AttemptResult::Kind::Completed, trailed.error.c_str());
    QCOMPARE(*trailed.output->all(), std::string("{}"));
}

void TestHttpExecutor::manyCallsAtATime()
{
    Bench bench;
    std::set<AttemptId> open;
    for (int i = 0; i < 60; ++i) {
        const StartOrder o = bench.order(R"({"url":")" + bench.server.url() + R"("})",
            i % 2 == 0 ? ReplaySafety::ReadOnly : ReplaySafety::Irreversible);
        open.insert(o.attempt);
        bench.http.start(o);
    }
    bench.runUntil([&] { return bench.results.size() >= 60; });
    QCOMPARE(bench.server.heads.size(), std::size_t(60));
    for (const AttemptResult& result : bench.results) {
        QVERIFY2(result.kind == AttemptResult::Kind::Completed, result.error.c_str());
        QCOMPARE(open.erase(result.attempt), std::size_t(1));
    }
}

QTEST_APPLESS_MAIN(TestHttpExecutor)
#include "tst_http_executor.moc"
