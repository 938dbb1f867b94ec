// The URL of a bucket, and where credentials are found.

#include "core/store/s3/credentials.h"
#include "core/store/s3/place.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QFile>

using namespace cairn;
using namespace cairn::testing;

class TestS3Place : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void urls_data();
    void urls();
    void wrongUrls_data();
    void wrongUrls();
    void credentialsOfTheEnvironment();
    void credentialsOfAFile();
    void missingCredentials_data();
    void missingCredentials();

private:
    void write(const char* text, QFileDevice::Permissions permissions) const;
    Scratch m_folder;
};

void TestS3Place::init()
{
    for (const char* name :
        {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"})
        qunsetenv(name);
    qputenv("AWS_SHARED_CREDENTIALS_FILE", QByteArray::fromStdString(m_folder.file("credentials")));
    QFile::remove(QString::fromStdString(m_folder.file("credentials")));
}

void TestS3Place::urls_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("object");
    QTest::newRow("amazon") << "s3://bucket"
                            << "https://bucket.s3.us-east-1.amazonaws.com/f/n";
    QTest::newRow("region") << "s3://bucket/?region=eu-central-1"
                            << "https://bucket.s3.eu-central-1.amazonaws.com/f/n";
    QTest::newRow("china") << "s3://bucket?region=cn-north-1"
                           << "https://bucket.s3.cn-north-1.amazonaws.com.cn/f/n";
    QTest::newRow("prefix") << "s3://bucket/a/b-c_d.e~f/"
                            << "https://bucket.s3.us-east-1.amazonaws.com/a/b-c_d.e~f/f/n";
    QTest::newRow("endpoint") << "s3://bucket/p?endpoint=https://minio.example:9000/"
                              << "https://minio.example:9000/bucket/p/f/n";
    QTest::newRow("as a host") << "s3://bucket/p?endpoint=https://minio.example&addressing=host"
                               << "https://bucket.minio.example/p/f/n";
    QTest::newRow("dots") << "s3://my.bucket?addressing=path"
                          << "https://s3.us-east-1.amazonaws.com/my.bucket/f/n";
    QTest::newRow("loopback") << "s3://bucket?endpoint=http://127.0.0.1:9000"
                              << "http://127.0.0.1:9000/bucket/f/n";
    QTest::newRow("localhost") << "s3://bucket?endpoint=http://localhost"
                               << "http://localhost/bucket/f/n";
    QTest::newRow("IPv6") << "s3://bucket?endpoint=http://[::1]:9000"
                          << "http://[::1]:9000/bucket/f/n";
    QTest::newRow("said") << "s3://bucket?endpoint=http://minio.example&plain-http=yes"
                          << "http://minio.example/bucket/f/n";
}

void TestS3Place::urls()
{
    QFETCH(const QString, url);
    QFETCH(const QString, object);
    const auto place = s3::parsePlace(url.toStdString());
    CAIRN_VERIFY_OK(place);
    QCOMPARE(place->urlOf("f/n"), object.toStdString());
    const auto again = s3::parsePlace(place->url());  // what is stored means the same
    CAIRN_VERIFY_OK(again);
    QCOMPARE(again->urlOf("f/n"), object.toStdString());
    QCOMPARE(again->url(), place->url());
}

void TestS3Place::wrongUrls_data()
{
    QTest::addColumn<QString>("url");
    for (const char* url :
        {"", "bucket", "https://bucket", "s3://", "s3://ab", "s3://Bucket", "s3://bu_cket", "s3://-bucket",
            "s3://buc..ket", "s3://bucket/a//b", "s3://bucket/../b", "s3://bucket/a b", "s3://bucket/a%2Fb",
            "s3://bucket/\xC3\xA4", "s3://key:s3cr3t@bucket/p", "s3://bucket/s3cr3t@x",
            "s3://bucket?region=", "s3://bucket?region=EU", "s3://bucket?region=a&region=b",
            "s3://bucket?secret=s3cr3t", "s3://bucket?endpoint=ftp://h", "s3://bucket?endpoint=minio.example",
            "s3://bucket?endpoint=https://a:s3cr3t@h", "s3://bucket?endpoint=https://h/path",
            "s3://bucket?endpoint=https://h:port", "s3://bucket?endpoint=http://minio.example",
            "s3://bucket?endpoint=http://127.0.0.1.example", "s3://bucket?endpoint=http://localhost.example",
            "s3://bucket?addressing=dns", "s3://my.bucket", "s3://bucket?plain-http=true"})
        QTest::newRow(url) << QString::fromUtf8(url);
}

void TestS3Place::wrongUrls()
{
    QFETCH(const QString, url);
    const auto place = s3::parsePlace(url.toStdString());
    CAIRN_VERIFY_ERROR(place, ErrorKind::InvalidInput);
    QVERIFY2(place.error().text.find("s3cr3t") == std::string::npos, place.error().text.c_str());
}

void TestS3Place::write(const char* text, QFileDevice::Permissions permissions) const
{
    QFile file(QString::fromStdString(m_folder.file("credentials")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    QVERIFY(file.setPermissions(permissions));
}

constexpr auto kPrivate = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
constexpr const char* kFile =
    "# of tests\n[default]\naws_access_key_id = one\naws_secret_access_key=two\n\n"
    "[ other ]\n; token too\naws_access_key_id=three\naws_secret_access_key = fo=ur\n"
    "aws_session_token = five\nregion = eu-central-1\n[half]\naws_access_key_id=six\n"
    "[blank]\naws_access_key_id=se ven\naws_secret_access_key=eight\n";

void TestS3Place::credentialsOfTheEnvironment()
{
    write(kFile, kPrivate);
    qputenv("AWS_ACCESS_KEY_ID", "key");
    qputenv("AWS_SECRET_ACCESS_KEY", "secret");
    auto found = s3::findCredentials();
    CAIRN_VERIFY_OK(found);
    QCOMPARE(found->id + "/" + found->secret + "/" + found->token, std::string("key/secret/"));
    qputenv("AWS_SESSION_TOKEN", "token");
    QCOMPARE(s3::findCredentials()->token, std::string("token"));
    qunsetenv("AWS_SECRET_ACCESS_KEY");
    found = s3::findCredentials();
    CAIRN_VERIFY_ERROR(found, ErrorKind::NoRight);  // half of them: never those of the file instead
    QVERIFY(found.error().text.find("AWS_SECRET_ACCESS_KEY") != std::string::npos);
}

void TestS3Place::credentialsOfAFile()
{
    write(kFile, kPrivate);
    const auto found = s3::findCredentials();
    CAIRN_VERIFY_OK(found);
    QCOMPARE(found->id + "/" + found->secret + "/" + found->token, std::string("one/two/"));
    qputenv("AWS_PROFILE", "other");
    const auto other = s3::findCredentials();
    CAIRN_VERIFY_OK(other);
    QCOMPARE(other->id + "/" + other->secret + "/" + other->token, std::string("three/fo=ur/five"));
    QVERIFY(other->from.find("other") != std::string::npos);
}

void TestS3Place::missingCredentials_data()
{
    QTest::addColumn<QString>("profile");
    QTest::addColumn<int>("permissions");
    QTest::addColumn<QString>("says");
    QTest::newRow("no file") << "" << -1 << "AWS_ACCESS_KEY_ID is not set";
    QTest::newRow("no profile") << "absent" << int(kPrivate) << "no profile [absent]";
    QTest::newRow("half a profile") << "half" << int(kPrivate) << "[half] without";
    QTest::newRow("blanks") << "blank" << int(kPrivate) << "characters that none have";
    QTest::newRow("others may read it") << "" << int(kPrivate | QFileDevice::ReadGroup) << "chmod 600";
    QTest::newRow("all may read it") << "" << int(kPrivate | QFileDevice::ReadOther) << "chmod 600";
}

void TestS3Place::missingCredentials()
{
    QFETCH(const QString, profile);
    QFETCH(const int, permissions);
    QFETCH(const QString, says);
    if (permissions >= 0)
        write(kFile, QFileDevice::Permissions(permissions));
    if (!profile.isEmpty())
        qputenv("AWS_PROFILE", profile.toUtf8());
    const auto found = s3::findCredentials();
    CAIRN_VERIFY_ERROR(found, ErrorKind::NoRight);
    QVERIFY2(QString::fromStdString(found.error().text).contains(says), found.error().text.c_str());
    for (const char* secret : {"two", "fo=ur", "eight"})
        QVERIFY(found.error().text.find(secret) == std::string::npos);
}

QTEST_APPLESS_MAIN(TestS3Place)
#include "tst_s3_place.moc"
