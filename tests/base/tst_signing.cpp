// Keys in files, and Ed25519 signatures against the first vector of RFC 8032.
#include "core/base/signing.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace cairn;
using namespace cairn::testing;

class TestSigning : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aKnownVector();
    void aNewKeyIsItsOwnersAlone();
    void aKeyFileIsNeverOverwritten();
    void keysThatAreRefused_data();
    void keysThatAreRefused();
    void publicKeysAreTakenAsTextOrFile();
    void nothingElseFitsASignature();

private:
    static void write(const std::string& path, const std::string& text, unsigned mode)
    {
        std::ofstream(path) << text;
        QCOMPARE(::chmod(path.c_str(), mode), 0);
    }
    static std::string read(const std::string& path)
    {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

namespace {

// The seed of RFC 8032, 7.1, test 1.
const std::string kSeedLine = "cairn-ed25519 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n";

}  // namespace

void TestSigning::aKnownVector()
{
    const Scratch folder;
    write(folder.file("k"), kSeedLine, 0600);
    const auto key = readKey(folder.file("k"));
    QVERIFY(key);
    QCOMPARE(key->publicKey().view().size(), std::size_t{32});
    QCOMPARE(publicKeyText(key->publicKey()),
        std::string("cairn-ed25519-pub 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="));
    const Signature signature = sign(*key, "");
    QCOMPARE(base64(signature.view()),
        std::string(
            "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw=="));
    const auto again = parseSignature(base64(signature.view()));
    QVERIFY(again && *again == signature);
}

void TestSigning::aNewKeyIsItsOwnersAlone()
{
    const Scratch folder;
    const mode_t before = ::umask(0);
    const auto made = makeKey(folder.file("k"));
    ::umask(before);
    QVERIFY(made);
    struct stat info { };
    QCOMPARE(::stat(folder.file("k").c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777, mode_t{0600});
    const std::string text = read(folder.file("k"));
    QVERIFY(text.starts_with("cairn-ed25519 ") && text.ends_with("=\n"));
    QCOMPARE(text.size(), std::string("cairn-ed25519 ").size() + 44 + 1);
    const auto key = readKey(folder.file("k"));
    QVERIFY(key);
    QVERIFY(key->publicKey() == *made);
    const auto other = makeKey(folder.file("other"));
    QVERIFY(other && !(*other == *made));
}

void TestSigning::aKeyFileIsNeverOverwritten()
{
    const Scratch folder;
    write(folder.file("k"), "mine", 0600);
    const auto made = makeKey(folder.file("k"));
    QVERIFY(!made);
    QCOMPARE(made.error().kind, ErrorKind::Refused);
    QCOMPARE(read(folder.file("k")), std::string("mine"));
    std::filesystem::create_symlink(folder.file("nowhere"), folder.file("link"));
    QVERIFY(!makeKey(folder.file("link")));
    QVERIFY(!std::filesystem::exists(folder.file("nowhere")));
}

void TestSigning::keysThatAreRefused_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<unsigned>("mode");
    QTest::addColumn<ErrorKind>("kind");
    QTest::newRow("group may read") << kSeedLine << 0640U << ErrorKind::Refused;
    QTest::newRow("all may read") << kSeedLine << 0604U << ErrorKind::Refused;
    QTest::newRow("all may write") << kSeedLine << 0602U << ErrorKind::Refused;
    QTest::newRow("empty") << std::string() << 0600U << ErrorKind::InvalidInput;
    QTest::newRow("cut") << kSeedLine.substr(0, 40) << 0600U << ErrorKind::InvalidInput;
    QTest::newRow("a byte short") << std::string(
        "cairn-ed25519 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyufw==\n")
                                  << 0600U << ErrorKind::InvalidInput;
    QTest::newRow("more than a key") << kSeedLine + "x" << 0600U << ErrorKind::InvalidInput;
    QTest::newRow("another word") << std::string("ssh-ed25519 ") + kSeedLine.substr(14) << 0600U
                                  << ErrorKind::InvalidInput;
    QTest::newRow("the public one") << std::string(
        "cairn-ed25519-pub 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n")
                                    << 0644U << ErrorKind::InvalidInput;
}

void TestSigning::keysThatAreRefused()
{
    QFETCH(std::string, text);
    QFETCH(unsigned, mode);
    QFETCH(ErrorKind, kind);
    const Scratch folder;
    write(folder.file("k"), text, mode);
    const auto key = readKey(folder.file("k"));
    QVERIFY(!key);
    QCOMPARE(key.error().kind, kind);
    QCOMPARE(readKey(folder.file("none")).error().kind, ErrorKind::NotFound);
    QCOMPARE(readKey(folder.path()).error().kind, ErrorKind::Refused);
}

void TestSigning::publicKeysAreTakenAsTextOrFile()
{
    const Scratch folder;
    const auto made = makeKey(folder.file("k"));
    QVERIFY(made);
    const std::string line = publicKeyText(*made);
    write(folder.file("p"), line + "\n", 0644);
    for (const std::string& given : {line, folder.file("p"), folder.file("k")}) {
        const auto key = readPublicKey(given);
        QVERIFY2(key && *key == *made, given.c_str());
    }
    QCOMPARE(::chmod(folder.file("k").c_str(), 0644), 0);
    QCOMPARE(readPublicKey(folder.file("k")).error().kind, ErrorKind::Refused);
    QCOMPARE(readPublicKey("cairn-ed25519-pub AAAA").error().kind, ErrorKind::InvalidInput);
    QCOMPARE(readPublicKey(folder.file("none")).error().kind, ErrorKind::NotFound);
}

void TestSigning::nothingElseFitsASignature()
{
    const Scratch folder;
    QVERIFY(makeKey(folder.file("a")));
    QVERIFY(makeKey(folder.file("b")));
    const auto a = readKey(folder.file("a")), b = readKey(folder.file("b"));
    const Signature signature = sign(*a, "history");
    QVERIFY(verifySignature(a->publicKey(), "history", signature));
    QVERIFY(!verifySignature(a->publicKey(), "historz", signature));
    QVERIFY(!verifySignature(a->publicKey(), "history ", signature));
    QVERIFY(!verifySignature(b->publicKey(), "history", signature));
    for (std::size_t at = 0; at < signature.bytes.size(); ++at) {
        Signature other = signature;
        other.bytes[at] ^= 1;
        QVERIFY(!verifySignature(a->publicKey(), "history", other));
    }
    QVERIFY(!verifySignature(PublicKey{}, "history", Signature{}));
}

QTEST_APPLESS_MAIN(TestSigning)
#include "tst_signing.moc"
