// What becomes of a request when the server fails, cuts, lies, is silent or says no.

#include "core/store/s3/objects.h"
#include "tests/store/s3/fake_bucket.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QFile>

using namespace cairn;
using namespace cairn::testing;
using Fault = FakeBucket::Fault;

class TestS3Objects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void whatPassesIsTriedAgain_data();
    void whatPassesIsTriedAgain();
    void whatDoesNotPassIsSaid_data();
    void whatDoesNotPassIsSaid();
    void aWrongSecretIsSaidWithoutIt();
    void credentialsThatWereRenewedAreReadAgain();
    void aServerThatIsAwayIsGivenUp();
    void aServerThatGoesOnFailingIsGivenUp();
    void aSilentServerIsGivenUp();
    void aLongerPauseIsKeptToOrGivenUp();
    void anInterruptEndsIt();
    void whatIsTooLargeIsNotTaken();
    void oneConnectionIsKept();
    void listsOfManyPages();
    void strangersAreNoBuckets();

private:
    [[nodiscard]] std::unique_ptr<ObjectStore> open(const FakeBucket& server, const s3::Timing& timing) const;
    // Tries again soon, and gives up soon.
    static constexpr s3::Timing kQuick{3'000, 1'000, 500, 2'000, 1, 5};
};

void TestS3Objects::init()
{
    qputenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    qputenv("AWS_SECRET_ACCESS_KEY", "the/secret+key");
    qunsetenv("AWS_SESSION_TOKEN");
}

std::unique_ptr<ObjectStore> TestS3Objects::open(const FakeBucket& server, const s3::Timing& timing) const
{
    auto opened = s3::openBucket(server.url(), timing);
    if (!opened)
        qFatal("%s", errorLine(opened.error()).c_str());
    return *std::move(opened);
}

void TestS3Objects::whatPassesIsTriedAgain_data()
{
    QTest::addColumn<QVector<int>>("codes");
    QTest::addColumn<int>("kind");
    QTest::newRow("500") << QVector<int>{500} << -1;
    QTest::newRow("502, 503, 504") << QVector<int>{502, 503, 504} << -1;
    QTest::newRow("429") << QVector<int>{429, 429} << -1;
    QTest::newRow("closed") << QVector<int>{} << int(Fault::Kind::Close);
    QTest::newRow("closed when done") << QVector<int>{} << int(Fault::Kind::DoClose);
    QTest::newRow("cut headers") << QVector<int>{} << int(Fault::Kind::CutHead);
    QTest::newRow("cut body") << QVector<int>{} << int(Fault::Kind::Cut);
    QTest::newRow("silent") << QVector<int>{} << int(Fault::Kind::Silent);
}

void TestS3Objects::whatPassesIsTriedAgain()
{
    QFETCH(const QVector<int>, codes);
    QFETCH(const int, kind);
    std::vector<Fault> faults;
    for (const int code : codes)
        faults.push_back(FakeBucket::status(code, code == 503 ? "SlowDown" : "InternalError"));
    if (kind >= 0)
        faults.push_back({static_cast<Fault::Kind>(kind), {}});
    FakeBucket server;
    const auto objects = open(server, kQuick);
    const std::string bytes(100'000, 'x');
    // Each kind of request; the answer to a put has no body, so it is not cut in its body.
    if (kind != int(Fault::Kind::Cut)) {
        server.fail(faults);
        CAIRN_VERIFY_OK(objects->put("f/a", bytes));
        QCOMPARE(server.faultsLeft(), 0U);
    }
    CAIRN_VERIFY_OK(objects->put("f/a", bytes));
    server.fail(faults);
    const auto got = objects->get("f/a", bytes.size());
    CAIRN_VERIFY_OK(got);
    QVERIFY(*got == bytes);
    server.fail(faults);
    const auto listed = objects->list("f/", "");
    CAIRN_VERIFY_OK(listed);
    QCOMPARE(listed->size(), 1U);
    QCOMPARE(server.faultsLeft(), 0U);
    QCOMPARE(server.refused(), 0);  // each try is signed anew
}

void TestS3Objects::whatDoesNotPassIsSaid_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("says");
    const auto row = [](int status, const char* code, ErrorKind kind, const char* says) {
        QTest::newRow(code) << status << code << int(kind) << says;
    };
    row(403, "RequestTimeTooSkewed", ErrorKind::NoRight, "there 2026-11-30 09:00:00Z");
    row(403, "InvalidAccessKeyId", ErrorKind::NoRight, "AWS_ACCESS_KEY_ID");
    row(403, "SignatureDoesNotMatch", ErrorKind::NoRight, "secret key");
    row(400, "ExpiredToken", ErrorKind::NoRight, "session token");
    row(403, "AccessDenied", ErrorKind::NoRight, "may not");
    row(404, "NoSuchBucket", ErrorKind::Refused, "no such bucket");
    row(404, "NoSuchKey", ErrorKind::NotFound, "missing");
    row(400, "AuthorizationHeaderMalformed", ErrorKind::Refused, "region");
    row(301, "PermanentRedirect", ErrorKind::Refused, "not followed");
    row(307, "TemporaryRedirect", ErrorKind::Refused, "elsewhere.example");
    row(507, "InsufficientStorage", ErrorKind::Full, "full");
    row(400, "InvalidArgument", ErrorKind::Refused, "said so");
}

void TestS3Objects::whatDoesNotPassIsSaid()
{
    QFETCH(const int, status);
    QFETCH(const QString, code);
    QFETCH(const int, kind);
    QFETCH(const QString, says);
    FakeBucket server;
    const auto objects = open(server, kQuick);
    server.fail({FakeBucket::status(
        status, code.toStdString(), status == 307 ? "Location: http://elsewhere.example/\r\n" : "")});
    const auto got = objects->get("f/a", 10);
    CAIRN_VERIFY_ERROR(got, static_cast<ErrorKind>(kind));
    const QString text = QString::fromStdString(got.error().text);
    QVERIFY2(text.contains(says), got.error().text.c_str());
    QVERIFY2(text.contains(code) && text.contains(QStringLiteral("s3://bucket/some/prefix/f/a")),
        got.error().text.c_str());
    QCOMPARE(server.requests().size(), 1U);  // and not tried again
}

void TestS3Objects::aWrongSecretIsSaidWithoutIt()
{
    qputenv("AWS_SECRET_ACCESS_KEY", "not-the-s3cr3t");
    FakeBucket server;
    const auto objects = open(server, kQuick);
    const Status put = objects->put("f/a", "bytes");
    CAIRN_VERIFY_ERROR(put, ErrorKind::NoRight);
    QVERIFY(put.error().text.find("s3cr3t") == std::string::npos);
    QCOMPARE(server.refused(), 1);
    QVERIFY(server.objects().empty());
    for (const WireRequest& request : server.requests())
        for (const auto& [name, value] : request.headers)
            QVERIFY(value.find("s3cr3t") == std::string::npos);  // nor sent
}

void TestS3Objects::credentialsThatWereRenewedAreReadAgain()
{
    const Scratch folder;
    const auto write = [&](const char* key, const char* secret) {
        QFile file(QString::fromStdString(folder.file("credentials")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner));
        file.write("[default]\naws_access_key_id=");
        file.write(key);
        file.write("\naws_secret_access_key=");
        file.write(secret);
        file.write("\n");
    };
    qunsetenv("AWS_ACCESS_KEY_ID");
    qunsetenv("AWS_SECRET_ACCESS_KEY");
    qunsetenv("AWS_PROFILE");
    qputenv("AWS_SHARED_CREDENTIALS_FILE", QByteArray::fromStdString(folder.file("credentials")));
    write("first", "one");
    FakeBucket server("first", "one");
    const auto objects = open(server, kQuick);
    CAIRN_VERIFY_OK(objects->put("f/a", "bytes"));
    server.setKeys("second", "two");
    write("second", "two");
    CAIRN_VERIFY_OK(objects->put("f/b", "bytes"));
    QCOMPARE(server.refused(), 1);
    server.setKeys("third", "three");
    CAIRN_VERIFY_ERROR(objects->put("f/c", "bytes"), ErrorKind::NoRight);
}

void TestS3Objects::aServerThatIsAwayIsGivenUp()
{
    std::string url;
    {
        const FakeBucket server;
        url = server.url();
    }
    const auto objects = s3::openBucket(url, {50, 500, 500, 500, 1, 5});
    CAIRN_VERIFY_OK(objects);
    const Status put = (*objects)->put("f/a", "bytes");
    CAIRN_VERIFY_ERROR(put, ErrorKind::Disconnected);
    QVERIFY2(put.error().text.find("127.0.0.1") != std::string::npos, put.error().text.c_str());
}

void TestS3Objects::aServerThatGoesOnFailingIsGivenUp()
{
    FakeBucket server;
    const auto objects = open(server, {100, 500, 500, 500, 1, 5});
    server.fail(std::vector<Fault>(100'000, FakeBucket::status(503, "SlowDown")));
    const Status put = objects->put("f/a", "bytes");
    CAIRN_VERIFY_ERROR(put, ErrorKind::Disconnected);
    QVERIFY2(put.error().text.find("tries)") != std::string::npos, put.error().text.c_str());
    QVERIFY(server.requests().size() > 1);
    server.fail({});
    CAIRN_VERIFY_OK(objects->put("f/a", "bytes"));
}

void TestS3Objects::aSilentServerIsGivenUp()
{
    FakeBucket server;
    const auto objects = open(server, {1, 500, 100, 60'000, 1, 5});
    server.fail({{Fault::Kind::Silent, {}}});
    const auto got = objects->get("f/a", 10);
    CAIRN_VERIFY_ERROR(got, ErrorKind::Disconnected);
    QVERIFY2(got.error().text.find("nothing was heard") != std::string::npos, got.error().text.c_str());
}

// Whoever asks for a pause gets it; where it is longer than there is patience, the call ends at once.
void TestS3Objects::aLongerPauseIsKeptToOrGivenUp()
{
    FakeBucket server;
    const auto objects = open(server, kQuick);
    server.fail({FakeBucket::status(503, "SlowDown", "Retry-After: 3600\r\n")});
    CAIRN_VERIFY_ERROR(objects->put("f/a", "bytes"), ErrorKind::Disconnected);
    QCOMPARE(server.requests().size(), 1U);
    server.fail({FakeBucket::status(503, "SlowDown", "Retry-After: 0\r\n")});
    CAIRN_VERIFY_OK(objects->put("f/a", "bytes"));
}

void TestS3Objects::anInterruptEndsIt()
{
    FakeBucket server;
    const auto objects = open(server, {60'000, 500, 60'000, 60'000, 1, 5});
    server.fail({{Fault::Kind::Silent, {}}});
    std::thread other([&] {
        server.awaitSilence();
        objects->interrupt();
    });
    const auto got = objects->get("f/a", 10);
    other.join();
    CAIRN_VERIFY_ERROR(got, ErrorKind::Cancelled);
    CAIRN_VERIFY_OK(objects->put("f/a", "bytes"));  // the next call is another one
}

void TestS3Objects::whatIsTooLargeIsNotTaken()
{
    FakeBucket server;
    const auto objects = open(server, kQuick);
    CAIRN_VERIFY_OK(objects->put("f/a", std::string(1000, 'x')));
    CAIRN_VERIFY_OK(objects->get("f/a", 1000));
    const auto got = objects->get("f/a", 999);
    CAIRN_VERIFY_ERROR(got, ErrorKind::Corrupt);
    QVERIFY(got.error().text.find("f/a") != std::string::npos);
}

void TestS3Objects::oneConnectionIsKept()
{
    FakeBucket server;
    const auto objects = open(server, kQuick);
    for (int i = 0; i < 20; ++i)
        CAIRN_VERIFY_OK(objects->put("f/" + std::to_string(i), "bytes"));
    QCOMPARE(server.connections(), 1);
}

void TestS3Objects::listsOfManyPages()
{
    FakeBucket server;
    const auto objects = open(server, kQuick);
    for (int i = 0; i < 8; ++i)
        CAIRN_VERIFY_OK(objects->put("f/" + std::to_string(i), "bytes"));
    CAIRN_VERIFY_OK(objects->put("g/0", "bytes"));
    std::vector<std::string> names;
    for (std::string after;;) {
        const auto page = objects->list("f/", after);
        CAIRN_VERIFY_OK(page);
        if (page->empty())
            break;
        for (const auto& each : *page)
            names.push_back(each.name);
        after = names.back();
    }
    QCOMPARE(names.size(), 8U);
    QCOMPARE(names.back(), std::string("f/7"));
}

void TestS3Objects::strangersAreNoBuckets()
{
    FakeBucket server;
    const auto objects = open(server, kQuick);
    server.fail({{Fault::Kind::Answer, FakeBucket::answer(200, "<html>It works!</html>")}});
    CAIRN_VERIFY_ERROR(s3::tryOut(*objects, false), ErrorKind::Refused);
    server.fail({{Fault::Kind::DoAnswer, FakeBucket::answer(200, "<ListBucketResult></ListBucketResult>")},
        {Fault::Kind::DoAnswer, FakeBucket::answer(200, "")},
        {Fault::Kind::DoAnswer, FakeBucket::answer(200, "something else")}});
    const Status tried = s3::tryOut(*objects, true);
    CAIRN_VERIFY_ERROR(tried, ErrorKind::Refused);
    QVERIFY(server.objects().empty());  // what was stored to try it out is gone again
}

QTEST_APPLESS_MAIN(TestS3Objects)
#include "tst_s3_objects.moc"
