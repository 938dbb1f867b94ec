// Objects over https, against a real server (packaging/with-s3 --tls): its certificate is checked, and
// nothing is sent to one that has none from an authority that is known.

#include "core/store/s3/objects.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

class TestS3Tls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aKnownAuthority();
    void anUnknownAuthority();

private:
    std::unique_ptr<ObjectStore> open() const
    {
        auto opened = s3::openObjects(m_url, Patience::Short);
        if (!opened)
            qFatal("%s", cairn::testing::errorLine(opened.error()).c_str());
        return *std::move(opened);
    }
    std::string m_url;
};

void TestS3Tls::initTestCase()
{
    m_url = qEnvironmentVariable("CAIRN_S3_BUCKET").toStdString();
    if (m_url.find("https://") == std::string::npos)
        QSKIP("CAIRN_S3_BUCKET names no https server; run this under packaging/with-s3 --tls");
}

void TestS3Tls::aKnownAuthority()
{
    const auto objects = open();
    CAIRN_VERIFY_OK(s3::tryOut(*objects, true));
    const std::string bytes(1024 * 1024, 'x');
    CAIRN_VERIFY_OK(objects->put("f/a", bytes));
    const auto got = objects->get("f/a", bytes.size());
    CAIRN_VERIFY_OK(got);
    QVERIFY(*got == bytes);
    CAIRN_VERIFY_OK(objects->remove("f/a"));
}

void TestS3Tls::anUnknownAuthority()
{
    const QByteArray bundle = qgetenv("AWS_CA_BUNDLE");
    qunsetenv("AWS_CA_BUNDLE");
    const Status put = open()->put("f/b", "bytes");
    qputenv("AWS_CA_BUNDLE", bundle);
    CAIRN_VERIFY_ERROR(put, ErrorKind::Refused);  // at once: another try changes nothing
    QVERIFY2(put.error().text.find("certificate") != std::string::npos, put.error().text.c_str());
    CAIRN_VERIFY_ERROR(open()->get("f/b", 10), ErrorKind::NotFound);
}

QTEST_APPLESS_MAIN(TestS3Tls)
#include "tst_s3_tls.moc"
