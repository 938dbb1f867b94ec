// Ids: RFC 9562 text, version 7 in time order, version 8 from the same inputs for ever.
#include "core/base/ids.h"
#include "core/base/rng.h"
#include "tests/support/cairn_qtest.h"

#include <set>
#include <unordered_set>

using namespace cairn;

class TestIds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textAndBack();
    void refusesOtherText();
    void version7HoldsTheTime();
    void version7SortsByTime();
    void version8IsTheHash();
    void idsFromBytes();
    void randomIdsDiffer();
};

void TestIds::textAndBack()
{
    const std::string text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";  // RFC 9562, appendix A.6
    const auto id = parseId<RunId>(text);
    QVERIFY(id.has_value());
    QCOMPARE(toText(*id), text);
    QCOMPARE(id->bytes[0], std::uint8_t{0x01});
    QCOMPARE(id->bytes[15], std::uint8_t{0x8f});
    QVERIFY(parseId<RunId>("017F22E2-79B0-7CC3-98C4-DC0C0C07398F") == *id);
    QVERIFY(!id->isNull());
    QVERIFY(RunId{}.isNull());
    QCOMPARE(toText(RunId{}), std::string("00000000-0000-0000-0000-000000000000"));
}

void TestIds::refusesOtherText()
{
    for (const std::string_view text : {"", "017f22e2", "017f22e279b07cc398c4dc0c0c07398f",
             "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
             "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
             "017f22e2x79b0-7cc3-98c4-dc0c0c07398f", "017f22e-279b0-7cc3-98c4-dc0c0c07398f",
             " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f"})
        QVERIFY2(!parseUuid(text), std::string(text).c_str());
}

void TestIds::version7HoldsTheTime()
{
    SeededRng rng(1);
    const UuidBytes bytes = makeUuidV7(0x017F22E279B0, rng);
    QCOMPARE(uuidText(bytes).substr(0, 15), std::string("017f22e2-79b0-7"));
    QCOMPARE(bytes[8] & 0xC0, 0x80);
}

void TestIds::version7SortsByTime()
{
    SeededRng rng(2);
    RunId before;
    for (std::int64_t ms = 1'790'000'000'000; ms < 1'790'000'001'000; ++ms) {
        const auto id = makeId<RunId>(ms, rng);
        QVERIFY(before < id);
        before = id;
    }
}

void TestIds::version8IsTheHash()
{
    // First 16 bytes of SHA-256("child\0seed"), with the version and the variant set.
    QCOMPARE(uuidText(deriveUuid("child", "seed")), std::string("9c9051ab-2eb2-8cee-94b2-e150b2be145c"));
    QVERIFY(deriveUuid("child", "seed") == deriveUuid("child", "seed"));
    QVERIFY(deriveUuid("child", "seee") != deriveUuid("child", "seed"));
    QVERIFY(deriveUuid("childs", "eed") != deriveUuid("child", "seed"));
}

void TestIds::idsFromBytes()
{
    SeededRng rng(3);
    const auto id = makeId<PayloadId>(5, rng);
    QVERIFY(idFromBytes<PayloadId>(id.view()) == id);
    QVERIFY(!idFromBytes<PayloadId>(id.view().substr(1)));
    QVERIFY(!idFromBytes<PayloadId>(std::string(17, 'x')));
    QVERIFY(!idFromBytes<PayloadId>(""));
}

void TestIds::randomIdsDiffer()
{
    SystemRng rng;
    std::unordered_set<RunId> seen;
    for (int i = 0; i < 10'000; ++i)
        QVERIFY(seen.insert(makeId<RunId>(1'790'000'000'000, rng)).second);
}

QTEST_APPLESS_MAIN(TestIds)
#include "tst_ids.moc"
