// What is masked, what is not, and that JSON stays JSON.

#include "core/base/json_scan.h"
#include "core/base/log.h"
#include "core/base/secrets.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

class TestSecrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void masks_data();
    void masks();
    void jsonStaysJson_data();
    void jsonStaysJson();
    void maskingTwiceIsMaskingOnce_data() { jsonStaysJson_data(); }
    void maskingTwiceIsMaskingOnce();
    void badListsAreRefused_data();
    void badListsAreRefused();
    void aLogLineIsMasked();
    void whatIsHiddenHasAMarkOfItsOwn();
};

namespace {

const Masker& masker()
{
    static const Masker kMasker({{"password", "*_token", "Authorization"}, {"canary-*", "exact"}});
    return kMasker;
}

}  // namespace

void TestSecrets::masks_data()
{
    QTest::addColumn<QString>("media");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto text = [](const char* name, const char* from, const char* to) {
        QTest::newRow(name) << QStringLiteral("text/plain") << QString::fromUtf8(from)
                            << QString::fromUtf8(to);
    };
    const auto json = [](const char* name, const char* from, const char* to) {
        QTest::newRow(name) << QStringLiteral("application/json") << QString::fromUtf8(from)
                            << QString::fromUtf8(to);
    };
    text("nothing", "the run ended", "the run ended");
    text("a pattern", "got canary-12ab/x, then", "got [masked: canary-*], then");
    text("a literal", "inexactly", "in[masked: exact]ly");
    text("name=value", "password=hunter2&x=1", "password=[masked: password]&x=1");
    text("a header", "Authorization: Basic dXNlcg==", "Authorization: [masked: authorization]");
    text("a header in lines", "a: 1\nauthorization: x y\nb: 2",
        "a: 1\nauthorization: [masked: authorization]\nb: 2");
    text("a star", "my_token=abc rest", "my_token=[masked: *_token] rest");
    text("another name", "passwords=hunter2", "passwords=hunter2");
    text("a url", "postgresql://ann:hunter2@host/db", "postgresql://ann:[masked: password]@host/db");
    text("a url without one", "https://host/path", "https://host/path");
    text("a bearer", "Bearer abcdefgh12345", "Bearer [masked: bearer token]");
    text("no bearer", "bearer of news", "bearer of news");
    text("an access key", "key AKIAABCDEFGHIJKLMNOP.", "key [masked: access key].");
    text("a private key", "-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----\nrest",
        "[masked: private key]\nrest");
    json("a member", R"({"password":"hunter2","x":1})", R"({"password":"[masked: password]","x":1})");
    json("in any case", R"({"PassWord": 12 , "x":1})", R"({"PassWord": "[masked: password]" , "x":1})");
    json("a number at the end", R"({"a_token":12})", R"({"a_token":"[masked: *_token]"})");
    json("an object", R"({"password":{"a":[1,{"b":"}"}]},"x":1})",
        R"({"password":"[masked: password]","x":1})");
    json("a list", R"([{"password":["a","b"]},2])", R"([{"password":"[masked: password]"},2])");
    json("null is none", R"({"password":null})", R"({"password":null})");
    json("an escaped name", R"({"p\u0061ssword":"x"})", R"({"p\u0061ssword":"[masked: password]"})");
    json("a string", R"(["say canary-1 now"])", R"(["say [masked: canary-*] now"])");
    json("an escaped string", R"(["say \u0063anary-1"])", R"(["say [masked: canary-*]"])");
    json("json in a string", R"(["{\"password\":\"hunter2\",\"x\":1}"])",
        R"(["{\"password\":\"[masked: password]\",\"x\":1}"])");
    json("numbers stay", R"({"x":1.50,"y":[-0,1e400]})", R"({"x":1.50,"y":[-0,1e400]})");
    json("escapes stay", R"(["a\"b\\c\n\u00e9\ud83d\ude00"])", R"(["a\"b\\c\n\u00e9\ud83d\ude00"])");
}

void TestSecrets::masks()
{
    QFETCH(QString, media);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QCOMPARE(QString::fromStdString(masker().payload(from.toStdString(), media.toStdString())), to);
}

void TestSecrets::jsonStaysJson_data()
{
    QTest::addColumn<QString>("json");
    for (const char* json :
        {R"({"password":"a\"b","u":"postgresql://a:b@c"})", R"({"password":[],"a_token":{}})",
            R"(["-----BEGIN PRIVATE KEY-----\nxx","Bearer aaaaaaaaaaaa\\"])", R"("password=a\\b\"c")",
            R"({"a":"{\"b\":\"{\\\"password\\\":\\\"x\\\"}\"}"})", R"({"password" : true , "exact":"exact"})",
            R"({"":{"password":"\u0022\u005c"}})", R"("authorization: \ud83d\ude00 x\ty")"})
        QTest::newRow(json) << QString::fromLatin1(json);
}

void TestSecrets::jsonStaysJson()
{
    QFETCH(QString, json);
    CAIRN_VERIFY_OK(validateJson(json.toStdString()));
    const std::string masked = masker().payload(json.toStdString(), "application/json");
    const Status valid = validateJson(masked);
    QVERIFY2(valid, (masked + ": " + (valid ? "" : valid.error().text)).c_str());
}

void TestSecrets::maskingTwiceIsMaskingOnce()
{
    QFETCH(QString, json);
    for (const char* media : {"application/json", "text/plain"}) {
        const std::string once = masker().payload(json.toStdString(), media);
        QCOMPARE(masker().payload(once, media), once);
    }
}

void TestSecrets::badListsAreRefused_data()
{
    QTest::addColumn<bool>("pattern");
    QTest::addColumn<QString>("name");
    QTest::newRow("too short a key") << false << QStringLiteral("a");
    QTest::newRow("only a star") << false << QStringLiteral("*");
    QTest::newRow("a star in the middle") << false << QStringLiteral("a*b");
    QTest::newRow("a blank") << false << QStringLiteral("a b");
    QTest::newRow("a quote") << true << QStringLiteral("ab\"cd");
    QTest::newRow("a backslash") << true << QStringLiteral("ab\\cd");
    QTest::newRow("too short a pattern") << true << QStringLiteral("abc*");
    QTest::newRow("a star in front") << true << QStringLiteral("*abcd");
    QTest::newRow("the mark itself") << true << QStringLiteral("masked*");
}

void TestSecrets::badListsAreRefused()
{
    QFETCH(bool, pattern);
    QFETCH(QString, name);
    SecretList list;
    (pattern ? list.patterns : list.keys) = {name.toStdString()};
    CAIRN_VERIFY_ERROR(checkSecretList(list), ErrorKind::InvalidInput);
    CAIRN_VERIFY_OK(checkSecretList(masker().list()));
}

void TestSecrets::aLogLineIsMasked()
{
    std::string said;
    log::setSink([&](std::string_view line) { said += line; });
    log::start(log::Level::Warning);
    log::setMasker(std::make_shared<const Masker>(masker()));
    log::warning(
        "failed", {{"error", "no route to postgresql://ann:hunter2@host with canary-9"}, {"password", "x"}});
    log::setMasker(std::make_shared<const Masker>());
    log::start(log::Level::Off);
    log::setSink({});
    QVERIFY2(said.find("hunter2") == std::string::npos, said.c_str());
    QVERIFY2(said.find("canary-9") == std::string::npos, said.c_str());
    QVERIFY2(said.find("\"password\":\"[masked: password]\"") != std::string::npos, said.c_str());
    CAIRN_VERIFY_OK(validateJson(said));
}

// Only what is listed: what shows itself as a credential was masked before it was stored.
void TestSecrets::whatIsHiddenHasAMarkOfItsOwn()
{
    const Masker hiding({{"iban"}, {"card-*"}}, Mark::Hidden);
    QCOMPARE(hiding.payload(R"({"iban":{"a":1},"n":"card-7 Bearer abcdefgh12345"})", "application/json"),
        std::string(R"({"iban":"[hidden: iban]","n":"[hidden: card-*] Bearer abcdefgh12345"})"));
    QCOMPARE(hiding.text("iban=DE02&x=1"), std::string("iban=[hidden: iban]&x=1"));
    QVERIFY(hiding.mayStandIn(R"({"a":{"IBAN":1}})"));
    QVERIFY(hiding.mayStandIn("on card-7"));
    QVERIFY(hiding.mayStandIn(R"({"ib\u0061n":1})"));
    QVERIFY(!hiding.mayStandIn(R"({"a":["card",1,"x\ny"],"Card-":2})"));
    QVERIFY(Masker({{"*_secret"}, {}}, Mark::Hidden).mayStandIn("app_SECRET: x"));
    // A mark is left as it is, of either kind.
    const std::string marked = R"({"iban":"[masked: iban]","x":"[hidden: iban]"})";
    QCOMPARE(hiding.payload(marked, "application/json"), marked);
    QCOMPARE(Masker({{"iban"}, {}}).payload(R"({"iban":"[hidden: iban]"})", "application/json"),
        std::string(R"({"iban":"[hidden: iban]"})"));
    QCOMPARE(countMarks("[hidden: a] [masked: b] [hidden: c]", Mark::Hidden), std::size_t(2));
    QCOMPARE(countMarks("[hidden: a] [masked: b] [hidden: c]", Mark::NeverStored), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestSecrets)
#include "tst_secrets.moc"
