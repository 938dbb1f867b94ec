// Signatures: the verifier of these tests against the values that Amazon publishes, and what libcurl signs
// against the verifier, for every kind of request that Cairn sends.

#include "core/store/s3/objects.h"
#include "tests/store/s3/fake_bucket.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;
using namespace cairn::testing;

class TestS3Signature : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void publishedValues_data();
    void publishedValues();
    void aWrongByteAnywhereIsSeen_data();
    void aWrongByteAnywhereIsSeen();
    void everyRequestIsSigned();
    void aSessionTokenIsSignedToo();
};

namespace {

// "Examples: Signature Calculations" of the documentation of Amazon S3.
constexpr const char* kSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

WireRequest example(const std::string& method, const std::string& path, const std::string& query,
    std::map<std::string, std::string> headers, const std::string& digest = kEmpty)
{
    headers["host"] = "examplebucket.s3.amazonaws.com";
    headers["x-amz-date"] = "20130524T000000Z";
    headers["x-amz-content-sha256"] = digest;
    return {method, path, query, std::move(headers), {}};
}

Authorization byExample(const WireRequest& request)
{
    Authorization by{"AKIAIOSFODNN7EXAMPLE", "20130524", "us-east-1", "s3", {}, {}};
    for (const auto& [name, value] : request.headers)
        by.signedHeaders.push_back(name);
    return by;
}

void setKeys(const char* key, const char* secret, const char* token = "")
{
    qputenv("AWS_ACCESS_KEY_ID", key);
    qputenv("AWS_SECRET_ACCESS_KEY", secret);
    qputenv("AWS_SESSION_TOKEN", token);
}

}  // namespace

void TestS3Signature::initTestCase() { setKeys("AKIDEXAMPLE", "the/secret+key"); }

void TestS3Signature::publishedValues_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("signature");
    QTest::newRow("get object") << 0 << "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
    QTest::newRow("put object") << 1 << "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd";
    QTest::newRow("get lifecycle") << 2 << "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543";
    QTest::newRow("list") << 3 << "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
}

void TestS3Signature::publishedValues()
{
    QFETCH(const int, number);
    QFETCH(const QString, signature);
    const std::vector<WireRequest> requests{example("GET", "/test.txt", "", {{"range", "bytes=0-9"}}),
        example("PUT", "/test%24file.text", "",
            {{"date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
            "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
        example("GET", "/", "lifecycle", {}), example("GET", "/", "max-keys=2&prefix=J", {})};
    const WireRequest& request = requests.at(static_cast<std::size_t>(number));
    QCOMPARE(signatureOf(request, byExample(request), kSecret), signature.toStdString());
}

void TestS3Signature::aWrongByteAnywhereIsSeen_data()
{
    QTest::addColumn<QString>("part");
    for (const char* part : {"method", "path", "query", "header", "body", "secret", "unsigned"})
        QTest::newRow(part) << QString::fromUtf8(part);
}

// The server of these tests would not say yes to everything.
void TestS3Signature::aWrongByteAnywhereIsSeen()
{
    QFETCH(const QString, part);
    WireRequest request = example("PUT", "/bucket/a", "x=1", {}, hex(sha256("bytes")));
    request.body = "bytes";
    Authorization by = byExample(request);
    by.signature = signatureOf(request, by, kSecret);
    std::string names;
    for (const std::string& name : by.signedHeaders)
        names += (names.empty() ? "" : ";") + name;
    request.headers["authorization"] = "AWS4-HMAC-SHA256 Credential=" + by.key
        + "/20130524/us-east-1/s3/aws4_request, SignedHeaders=" + names + ", Signature=" + by.signature;
    QCOMPARE(problemOf(request, by.key, kSecret, "us-east-1"), std::string());
    std::string secret = kSecret;
    if (part == QStringLiteral("method"))
        request.method = "GET";
    else if (part == QStringLiteral("path"))
        request.path += 'b';
    else if (part == QStringLiteral("query"))
        request.query = "x=2";
    else if (part == QStringLiteral("header"))
        request.headers["host"] += 'x';
    else if (part == QStringLiteral("body"))
        request.body += 'x';
    else if (part == QStringLiteral("secret"))
        secret += 'x';
    else
        request.headers["x-amz-security-token"] = "never signed";
    QVERIFY(!problemOf(request, by.key, secret, "us-east-1").empty());
}

void TestS3Signature::everyRequestIsSigned()
{
    FakeBucket server;
    const auto opened = s3::openObjects(server.url(), Patience::Short);
    CAIRN_VERIFY_OK(opened);
    ObjectStore& objects = **opened;
    std::string bytes(1024 * 1024, 'b');
    for (const std::string& name :
        {std::string("folder/0123-abcd"), std::string("a~b_c.d/e"), std::string("f/g")})
        CAIRN_VERIFY_OK(objects.put(name, bytes));
    CAIRN_VERIFY_OK(objects.put("f/empty", ""));
    QCOMPARE(server.objects().size(), 4U);
    QVERIFY(server.objects().at("some/prefix/folder/0123-abcd") == bytes);
    const auto got = objects.get("f/g", bytes.size());
    CAIRN_VERIFY_OK(got);
    QVERIFY(*got == bytes);
    QCOMPARE(*objects.get("f/empty", 10), std::string());
    const auto listed = objects.list("f/", "");
    CAIRN_VERIFY_OK(listed);
    QCOMPARE(listed->size(), 2U);
    QCOMPARE(listed->front().name, std::string("f/empty"));
    QCOMPARE(listed->at(1).size, bytes.size());
    QVERIFY(listed->at(1).storedAt != kNoTime);
    const auto rest = objects.list("f/", "f/empty");
    CAIRN_VERIFY_OK(rest);
    QCOMPARE(rest->size(), 1U);
    CAIRN_VERIFY_OK(objects.remove("f/g"));
    CAIRN_VERIFY_OK(objects.remove("f/g"));
    CAIRN_VERIFY_ERROR(objects.get("f/g", 10), ErrorKind::NotFound);
    CAIRN_VERIFY_OK(s3::tryOut(objects, true));
    QCOMPARE(server.refused(), 0);
    for (const WireRequest& request : server.requests()) {
        QVERIFY(!request.headers.contains("expect"));  // would cost a second for each object
        QCOMPARE(request.headers.at("x-amz-content-sha256"), hex(sha256(request.body)));
    }
}

void TestS3Signature::aSessionTokenIsSignedToo()
{
    const std::string token(1800, 't');
    setKeys("AKIDEXAMPLE", "the/secret+key", token.c_str());
    FakeBucket server;
    const auto opened = s3::openObjects(server.url(), Patience::Short);
    setKeys("AKIDEXAMPLE", "the/secret+key");
    CAIRN_VERIFY_OK(opened);
    CAIRN_VERIFY_OK((*opened)->put("f/g", "bytes"));
    QCOMPARE(server.refused(), 0);
    QCOMPARE(server.requests().front().headers.at("x-amz-security-token"), token);
}

QTEST_APPLESS_MAIN(TestS3Signature)
#include "tst_s3_signature.moc"
