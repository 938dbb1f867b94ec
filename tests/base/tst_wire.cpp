// The byte format: exact bytes out, and a reader that neither trusts a length nor reads past the end.
#include "core/base/wire.h"
#include "tests/support/cairn_qtest.h"

#include <rapidcheck.h>

#include <limits>

using namespace cairn;

class TestWire : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writesBigEndian();
    void comesBack();
    void shortInputFailsAndReadsAsZeros();
    void lengthsAreNotTrusted();
    void flagsAreZeroOrOne();
    void neverReadsPastTheEnd();
};

void TestWire::writesBigEndian()
{
    WireWriter out;
    out.reserve(64);
    out.u8(0xFE);
    out.boolean(true);
    out.boolean(false);
    out.u16(0x0102);
    out.u32(0x03040506);
    out.u64(0x0708090A0B0C0D0E);
    out.i64(-2);
    out.bytes(std::string_view("a\0b", 3));
    out.raw("z");
    QCOMPARE(hex(out.out()),
        std::string("fe01000102030405060708090a0b0c0d0efffffffffffffffe00000003610062"
                    "7a"));
    QCOMPARE(out.take().size(), std::size_t{33});
}

void TestWire::comesBack()
{
    QVERIFY(rc::check("what was written is read",
        [](std::uint8_t a, std::uint16_t b, std::uint32_t c, std::uint64_t d, std::int64_t e, bool f,
            const std::string& g) {
            WireWriter out;
            out.u8(a);
            out.u16(b);
            out.u32(c);
            out.u64(d);
            out.i64(e);
            out.boolean(f);
            out.bytes(g);
            out.digest(sha256(g));
            WireReader in(out.out());
            RC_ASSERT(in.u8() == a);
            RC_ASSERT(in.u16() == b);
            RC_ASSERT(in.u32() == c);
            RC_ASSERT(in.u64() == d);
            RC_ASSERT(in.i64() == e);
            RC_ASSERT(in.boolean() == f);
            RC_ASSERT(in.bytes() == g);
            RC_ASSERT(!in.atEnd());
            RC_ASSERT(in.digest() == sha256(g));
            RC_ASSERT(in.atEnd());
            RC_ASSERT(!in.fail());
        }));
}

void TestWire::shortInputFailsAndReadsAsZeros()
{
    WireReader in(std::string_view("\1\2\3", 3));
    QCOMPARE(in.u32(), std::uint32_t{0});
    QVERIFY(in.fail());
    QCOMPARE(in.u8(), std::uint8_t{0});  // although there are bytes left: nothing means anything any more
    QVERIFY(in.bytes().empty());
    QVERIFY(in.digest().isNull());
    QVERIFY(in.id<RunId>().isNull());
    QVERIFY(in.fail());
}

void TestWire::lengthsAreNotTrusted()
{
    WireReader huge(std::string_view("\xff\xff\xff\xff"
                                     "abc",
        7));
    QVERIFY(huge.bytes().empty());
    QVERIFY(huge.fail());
    WireReader oneTooMany(std::string_view("\0\0\0\4abc", 7));
    QVERIFY(oneTooMany.bytes().empty());
    QVERIFY(oneTooMany.fail());
    WireReader exact(std::string_view("\0\0\0\3abc", 7));
    QCOMPARE(exact.bytes(), std::string("abc"));
    QVERIFY(!exact.fail() && exact.atEnd());
}

void TestWire::flagsAreZeroOrOne()
{
    for (int value = 0; value < 256; ++value) {
        const char byte = static_cast<char>(value);
        WireReader in(std::string_view(&byte, 1));
        QCOMPARE(in.boolean(), value == 1);
        QCOMPARE(in.fail(), value > 1);
    }
}

void TestWire::neverReadsPastTheEnd()
{
    QVERIFY(rc::check("any bytes", [](const std::string& bytes) {
        WireReader in(bytes);
        std::size_t read = 0;
        while (!in.fail() && !in.atEnd()) {
            const std::size_t before = in.left();
            read += in.bytes().size();
            RC_ASSERT(in.left() <= before);
        }
        RC_ASSERT(read <= bytes.size());
    }));
}

QTEST_APPLESS_MAIN(TestWire)
#include "tst_wire.moc"
