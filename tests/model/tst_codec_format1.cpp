// The older binary, built for format 1 only: it must leave alone what it cannot read.
#include "core/model/codec.h"
#include "tests/support/cairn_qtest.h"
#include "tests/support/samples.h"

using namespace cairn;
using cairn::testing::entryOf;
using cairn::testing::filled;

static_assert(kMaxFormat == kFormat1);

class TestCodecFormat1 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refusesFormat2();
    void writesAndReadsFormat1();
};

void TestCodecFormat1::refusesFormat2()
{
    const std::string body = encodeEntry(entryOf({filled<AttemptStarted>(1)}), kFormat1);
    const auto read = decodeEntry(body, kFormat2);
    CAIRN_VERIFY_ERROR(read, ErrorKind::SchemaMismatch);
    QCOMPARE(read.error().text,
        std::string(
            "This entry has format 2, and this program reads formats up to 1. Use the newer Cairn that "
            "wrote it; 'cairn store info' shows what the store needs. Nothing was changed."));
}

void TestCodecFormat1::writesAndReadsFormat1()
{
    const SealedEntry sealed = sealEntry(entryOf({filled<AttemptStarted>(1)}), kMaxFormat, Digest{});
    QCOMPARE(SealedEntry{}.format, kFormat1);
    CAIRN_VERIFY_OK(checkSeal(sealed, Digest{}));
    const auto read = decodeEntry(sealed.body, sealed.format);
    CAIRN_VERIFY_OK(read);
    QCOMPARE(std::get<AttemptStarted>(read->facts[0]).span, std::uint64_t{0});
    QCOMPARE(encodeEntry(*read, kFormat1), sealed.body);
}

QTEST_APPLESS_MAIN(TestCodecFormat1)
#include "tst_codec_format1.moc"
