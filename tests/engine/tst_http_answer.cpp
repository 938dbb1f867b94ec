// What an HTTP answer means, as a table.

#include "core/engine/http_executor.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

namespace {

struct Row {
    long status;
    const char* retryAfter;
    FailureClass failure;
    EffectKnowledge effect;  // for an irreversible tool
    SpanMs wait;
};

}  // namespace

class TestHttpAnswer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void failures();
    void lookUps();
    void ofAnErrorsBodyTheBeginningIsRead();
    void mediaTypes();
};

void TestHttpAnswer::failures()
{
    using enum FailureClass;
    constexpr EffectKnowledge no = EffectKnowledge::NotHappened;
    constexpr EffectKnowledge unknown = EffectKnowledge::Unknown;
    const Row rows[] = {
        {429, "30", RateLimited, no, 30'000},
        {429, "Sun, 06 Nov 1994 08:49:37 GMT", RateLimited, no, 0},
        {429, "-5", RateLimited, no, -1},
        {429, "soon", RateLimited, no, -1},
        {429, "86400", RateLimited, no, 86'400'000},
        {429, "99999999", RateLimited, no, 86'400'000},
        {429, "", RateLimited, no, -1},
        {503, "2", RateLimited, no, 2'000},
        {503, "", Retryable, unknown, -1},
        {500, "", Retryable, unknown, -1},
        {502, "", Retryable, unknown, -1},
        {409, "", Retryable, unknown, -1},
        {401, "", Credential, no, -1},
        {403, "", Credential, no, -1},
        {425, "", Retryable, no, -1},
        {408, "", Retryable, unknown, -1},
        {460, "", Retryable, unknown, -1},
        {499, "", Retryable, unknown, -1},
        {504, "", Retryable, unknown, -1},
        {599, "", Retryable, unknown, -1},
        {402, "", Rejected, no, -1},
        {412, "", Rejected, no, -1},
        {405, "", Permanent, no, -1},
        {410, "", Permanent, no, -1},
        {501, "", Permanent, no, -1},
        {400, "", Rejected, no, -1},
        {422, "", Rejected, no, -1},
        {404, "", Permanent, no, -1},
        {300, "", Permanent, unknown, -1},
        {302, "", Permanent, unknown, -1},
        {303, "", Permanent, unknown, -1},
        {307, "", Permanent, unknown, -1},
        {399, "", Permanent, unknown, -1},
    };
    for (const Row& row : rows) {
        StartOrder order;
        order.safety = ReplaySafety::Irreversible;
        HttpAnswer answer;
        answer.status = row.status;
        answer.retryAfter = row.retryAfter;
        const AttemptResult result = resultOfAnswer(order, answer, 1'790'000'000'000);
        const QByteArray where = QByteArray::number(static_cast<int>(row.status)) + " " + row.retryAfter;
        QVERIFY2(result.kind == AttemptResult::Kind::Failed, where);
        QVERIFY2(result.failure == row.failure, where);
        QVERIFY2(result.effect == row.effect, where);
        QVERIFY2(result.retryAfter == row.wait,
            where + " waits " + QByteArray::number(qlonglong(result.retryAfter)));
        order.safety = ReplaySafety::ReadOnly;
        QVERIFY2(resultOfAnswer(order, answer, 1'790'000'000'000).effect == EffectKnowledge::NoEffect, where);
    }
}

void TestHttpAnswer::lookUps()
{
    StartOrder order;
    order.safety = ReplaySafety::Irreversible;
    order.purpose = Purpose::LookUp;
    const auto verdict = [&](long status, const std::string& body) {
        HttpAnswer answer;
        answer.status = status;
        answer.body = std::make_shared<Spool>(1000);
        if (!answer.body->append(body))
            qFatal("spool");
        const AttemptResult result = resultOfAnswer(order, answer, 0);
        return std::make_pair(result.kind, result.verdict);
    };
    using Kind = AttemptResult::Kind;
    QVERIFY(verdict(200, R"({"id":7})") == std::make_pair(Kind::LookedUp, EffectKnowledge::Happened));
    QVERIFY(verdict(200, R"({"happened":false})")
        == std::make_pair(Kind::LookedUp, EffectKnowledge::NotHappened));
    QVERIFY(verdict(200, R"({"happened":null})") == std::make_pair(Kind::LookedUp, EffectKnowledge::Unknown));
    QVERIFY(verdict(404, "") == std::make_pair(Kind::LookedUp, EffectKnowledge::NotHappened));
    QVERIFY(verdict(500, "").first == Kind::Failed);
}

// It may have 256 MiB, and only the beginning is shown.
void TestHttpAnswer::ofAnErrorsBodyTheBeginningIsRead()
{
    HttpAnswer answer;
    answer.status = 500;
    answer.body = std::make_shared<Spool>(1 << 20);
    if (!answer.body->append(std::string(8192, 'a')) || !answer.body->append(std::string(8192, 'b')))
        qFatal("spool");
    const AttemptResult result = resultOfAnswer({}, answer, 0);
    QVERIFY(result.error.size() < 3000);
    QVERIFY(result.error.find("aaaa") != std::string::npos);
    QCOMPARE(*answer.body->read(1), std::string("b"));  // it goes on where reading ended
}

void TestHttpAnswer::mediaTypes()
{
    QCOMPARE(mediaType("application/json"), std::string("application/json"));
    QCOMPARE(mediaType(" application/vnd.a+json ; charset=utf-8"), std::string("application/vnd.a+json"));
    const std::string longest(127, 'x');
    QCOMPARE(mediaType(longest + "/" + longest), longest + "/" + longest);
    for (const std::string& none : {std::string(), std::string("json"), std::string("/"),
             std::string("text/"), std::string("/plain"), std::string("text/\xFF"),
             std::string("text/pl\0ain", 11), std::string("te xt/plain"), std::string("text/plain/more"),
             std::string("text/\x1b[2J"), std::string("t\xC3\xA9xt/plain"), longest + "x/" + longest})
        QCOMPARE(mediaType(none), std::string());
}

QTEST_APPLESS_MAIN(TestHttpAnswer)
#include "tst_http_answer.moc"
