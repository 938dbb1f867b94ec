// Signatures by the vectors of RFC 8032, and key files.

#include "core/base/signing.h"
#include "core/base/digest.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <filesystem>
#include <fstream>

using namespace cairn;
using namespace cairn::testing;

class TestSigning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void signsAsTheStandardSays();
    void aChangedMessageOrSignatureDoesNotFit();
    void base64IsStrict();
    void aKeyFileIsMadeAndRead();
    void aKeyFileThatIsNoneIsRefused_data();
    void aKeyFileThatIsNoneIsRefused();
    void aKeyThatOthersMayReadIsRefused();
    void publicKeysAreText();

private:
    static std::string hexOf(std::string_view bytes) { return hex(bytes); }
    // Test 2 of RFC 8032 section 7.1.
    static SigningKey standardKey()
    {
        return SigningKey(
            parseDigest("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")->bytes);
    }
};

void TestSigning::signsAsTheStandardSays()
{
    const SigningKey key = standardKey();
    QCOMPARE(hexOf({reinterpret_cast<const char*>(key.publicKey().bytes.data()), 32}),
        std::string("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
    const Signature signature = key.sign("\x72");
    QCOMPARE(hexOf({reinterpret_cast<const char*>(signature.data()), 64}),
        std::string("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"));
    QVERIFY(isSignedBy(key.publicKey(), "\x72", signature));
}

void TestSigning::aChangedMessageOrSignatureDoesNotFit()
{
    const SigningKey key = standardKey(), other({1});
    Signature signature = key.sign("message");
    QVERIFY(isSignedBy(key.publicKey(), "message", signature));
    QVERIFY(!isSignedBy(key.publicKey(), "massage", signature));
    QVERIFY(!isSignedBy(other.publicKey(), "message", signature));
    signature[10] = static_cast<std::uint8_t>(signature[10] + 1);
    QVERIFY(!isSignedBy(key.publicKey(), "message", signature));
}

void TestSigning::base64IsStrict()
{
    QCOMPARE(base64(""), std::string());
    QCOMPARE(base64("f"), std::string("Zg=="));
    QCOMPARE(base64("fo"), std::string("Zm8="));
    QCOMPARE(base64("foobar"), std::string("Zm9vYmFy"));
    QCOMPARE(parseBase64("Zm8=").value_or("none"), std::string("fo"));
    QCOMPARE(parseBase64("").value_or("none"), std::string());
    for (const char* wrong : {"Zg", "Zg=", "Zg==\n", "Z g==", "Zh==", "Zm9vYmFy=", "-_=="})
        QVERIFY2(!parseBase64(wrong), wrong);
}

void TestSigning::aKeyFileIsMadeAndRead()
{
    const Scratch folder;
    const std::string path = folder.file("key");
    const auto made = makeSigningKey(path);
    CAIRN_VERIFY_OK(made);
    const auto read = readSigningKey(path);
    CAIRN_VERIFY_OK(read);
    QVERIFY(read->publicKey() == made->publicKey());
    QVERIFY(std::filesystem::status(path).permissions()
        == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CAIRN_VERIFY_ERROR(makeSigningKey(path), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(readSigningKey(folder.file("none")), ErrorKind::NotFound);
    const auto text =
        parseSigningKey("# of the witness\n\n  cairn-ed25519 AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n");
    CAIRN_VERIFY_OK(text);
    QVERIFY(text->publicKey() == SigningKey({1}).publicKey());
}

void TestSigning::aKeyFileThatIsNoneIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    const QByteArray line("cairn-ed25519 AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no word") << line.mid(14);
    QTest::newRow("another word") << "ssh-" + line;
    QTest::newRow("public") << QByteArray(
        "cairn-ed25519-public AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    QTest::newRow("short") << QByteArray("cairn-ed25519 AQAA");
    QTest::newRow("two") << line + "\n" + line;
}

void TestSigning::aKeyFileThatIsNoneIsRefused()
{
    QFETCH(QByteArray, text);
    const auto key = parseSigningKey(text.toStdString());
    CAIRN_VERIFY_ERROR(key, ErrorKind::InvalidInput);
    QVERIFY(key.error().text.find("AQAA") == std::string::npos);
}

void TestSigning::aKeyThatOthersMayReadIsRefused()
{
    const Scratch folder;
    const std::string path = folder.file("key");
    CAIRN_VERIFY_OK(makeSigningKey(path));
    std::filesystem::permissions(
        path, std::filesystem::perms::group_read, std::filesystem::perm_options::add);
    CAIRN_VERIFY_ERROR(readSigningKey(path), ErrorKind::Refused);
}

void TestSigning::publicKeysAreText()
{
    const PublicKey key = standardKey().publicKey();
    const std::string text = toText(key);
    QVERIFY(text.starts_with("cairn-ed25519-public "));
    for (const std::string& form : {text, text.substr(21), " " + text + "\n"}) {
        const auto parsed = parsePublicKey(form);
        QVERIFY2(parsed && *parsed == key, form.c_str());
    }
    QVERIFY(!parsePublicKey("cairn-ed25519-public AQAA"));
    QCOMPARE(fingerprint(key).size(), std::size_t(16));
}

QTEST_APPLESS_MAIN(TestSigning)
#include "tst_signing.moc"
