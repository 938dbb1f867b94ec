// SHA-256 against the vectors of FIPS 180-4 and NIST's examples, and the digests made from it.
#include "core/base/digest.h"
#include "tests/support/cairn_qtest.h"

#include <future>

using namespace cairn;

class TestDigest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void knownVectors();
    void streamsLikeAWhole();
    void hashesDoNotMix();
    void saltedDigests();
    void hexAndBack();
    void refusesOtherText();
};

void TestDigest::knownVectors()
{
    const std::pair<std::string, std::string_view> rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
         "pqrstnopq"
         "rstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {std::string("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
        {std::string(55, '\0'), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {std::string(56, '\0'), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {std::string(119, '\0'), "f616b0d54e78571a9611f343c9f8e022e859e920381ab0e4d3da01e193a7bd7e"},
        {std::string(120, '\0'), "6edd9f6f9cc92cded36e6c4a580933f9c9f1b90562b46903b806f21902a1a54f"},
        {std::string(1'000, 'A'), "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"},
        {std::string(1'005, 'U'), "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"},
        {std::string(64, '\0'), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
    };
    for (const auto& [text, expected] : rows)
        QCOMPARE(hex(sha256(text)), std::string(expected));
}

void TestDigest::streamsLikeAWhole()
{
    const std::string text(1'000, 'x');
    for (const std::size_t cut : {0U, 1U, 63U, 64U, 65U, 999U, 1000U}) {
        Sha256 hash;
        hash.update(std::string_view(text).substr(0, cut));
        hash.update(std::string_view(text).substr(cut));
        QCOMPARE(hash.finish(), sha256(text));
        QCOMPARE(
            sha256(std::string_view(text).substr(0, cut), std::string_view(text).substr(cut)), sha256(text));
    }
}

// One that is under way, whole ones beside it, and other threads: each has a state of its own.
void TestDigest::hashesDoNotMix()
{
    const std::string_view abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    Sha256 stream;
    stream.update("a");
    QCOMPARE(hex(sha256("abc")), std::string(abc));
    stream.update("b");
    QCOMPARE(hex(sha256("a", "bc")), std::string(abc));
    stream.update({});
    stream.update("c");
    QCOMPARE(hex(stream.finish()), std::string(abc));

    std::vector<std::future<int>> threads;
    for (int i = 0; i < 4; ++i)
        threads.push_back(std::async(std::launch::async, [&] {
            int right = 0;
            for (int round = 0; round < 1'000; ++round)
                right += hex(sha256("abc")) == abc ? 1 : 0;
            return right;
        }));
    for (auto& thread : threads)
        QCOMPARE(thread.get(), 1'000);
}

void TestDigest::saltedDigests()
{
    Salt salt{};
    salt[0] = 7;
    const Digest plain = sha256("payload");
    QCOMPARE(saltedDigest(salt, plain),
        sha256(std::string("\7") + std::string(15, '\0') + std::string(plain.view())));
    Salt other = salt;
    other[15] = 1;
    QVERIFY(saltedDigest(other, plain) != saltedDigest(salt, plain));
}

void TestDigest::hexAndBack()
{
    const Digest digest = sha256("abc");
    QCOMPARE(hex(std::string_view("\x00\x0f\xf0\xff", 4)), std::string("000ff0ff"));
    QVERIFY(parseDigest(hex(digest)) == digest);
    QVERIFY(parseDigest("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD") == digest);
    QVERIFY(digestFromBytes(digest.view()) == digest);
    QVERIFY(Digest{}.isNull());
    QVERIFY(!digest.isNull());
}

void TestDigest::refusesOtherText()
{
    const std::string good = hex(sha256("abc"));
    QVERIFY(!parseDigest(""));
    QVERIFY(!parseDigest(good.substr(1)));
    QVERIFY(!parseDigest(good + "0"));
    for (const char bad : {'g', ' ', ':', '\0', '-'})
        for (const std::size_t at : {std::size_t{0}, std::size_t{31}, std::size_t{63}}) {
            std::string text = good;
            text[at] = bad;
            QVERIFY2(!parseDigest(text), text.c_str());
        }
    QVERIFY(!digestFromBytes(std::string(31, 'x')));
    QVERIFY(!digestFromBytes(std::string(33, 'x')));
}

QTEST_APPLESS_MAIN(TestDigest)
#include "tst_digest.moc"
