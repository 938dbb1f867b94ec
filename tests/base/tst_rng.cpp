// Randomness: seeded sequences never change (histories and simulations depend on them), bounds are kept
// without bias.
#include "core/base/rng.h"
#include "tests/support/cairn_qtest.h"

#include <array>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace cairn;

class TestRng : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mixIsSplitmix();
    void seededSequenceStays();
    void sameSeedSameSequence();
    void fillsEveryByte();
    void belowKeepsItsBound();
    void belowRejectsTheRest();
    void systemRandomnessDiffers();
    void systemRandomnessDiffersAfterFork();
    void systemRandomnessOfManySizesDiffers();
};

namespace {

// Gives the numbers that a test wants.
class ListRng final : public Rng {
public:
    explicit ListRng(std::vector<std::uint64_t> values)
        : m_values(std::move(values))
    {
    }
    void fill(void* out, std::size_t size) override
    {
        QCOMPARE(size, sizeof(std::uint64_t));
        QVERIFY(m_at < m_values.size());
        std::memcpy(out, &m_values[m_at++], size);
    }
    [[nodiscard]] std::size_t used() const { return m_at; }

private:
    std::vector<std::uint64_t> m_values;
    std::size_t m_at = 0;
};

}  // namespace

void TestRng::mixIsSplitmix()
{
    // The first outputs of the reference implementation (Vigna, splitmix64.c) with seed 0: its state steps by
    // the same constant that mix64 adds.
    QCOMPARE(mix64(0), std::uint64_t{0xE220A8397B1DCDAF});
    QCOMPARE(mix64(0x9E3779B97F4A7C15), std::uint64_t{0x6E789E6AA1B965F4});
    QCOMPARE(mix64(2 * 0x9E3779B97F4A7C15ULL), std::uint64_t{0x06C45D188009454F});
}

void TestRng::seededSequenceStays()
{
    SeededRng rng(42);
    const std::array<std::uint64_t, 4> expected{
        0x15780B2E0C2EC716U, 0x6104D9866D113A7EU, 0xAE17533239E499A1U, 0xECB8AD4703B360A1U};
    for (const std::uint64_t value : expected)
        QCOMPARE(rng.next(), value);
}

void TestRng::sameSeedSameSequence()
{
    SeededRng a(7);
    SeededRng b(7);
    SeededRng c(8);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const auto value = a.next();
        QCOMPARE(b.next(), value);
        differs = differs || c.next() != value;
    }
    QVERIFY(differs);
}

void TestRng::fillsEveryByte()
{
    SeededRng rng(1);
    for (std::size_t size = 0; size <= 33; ++size) {
        std::vector<unsigned char> ever(size, 0);
        for (int round = 0; round < 40; ++round) {
            std::vector<unsigned char> bytes(size + 1, 0xA5);
            rng.fill(bytes.data(), size);
            QCOMPARE(bytes[size], static_cast<unsigned char>(0xA5));  // and not one more
            for (std::size_t i = 0; i < size; ++i)
                ever[i] |= bytes[i];
        }
        for (const auto byte : ever)
            QCOMPARE(byte, static_cast<unsigned char>(0xFF));
    }
}

void TestRng::belowKeepsItsBound()
{
    SeededRng rng(3);
    std::array<int, 6> counts{};
    for (int i = 0; i < 6'000; ++i) {
        const auto value = rng.below(6);
        QVERIFY(value < 6);
        ++counts[value];
    }
    for (const int count : counts)
        QVERIFY2(count > 850 && count < 1'150, std::to_string(count).c_str());
    for (int i = 0; i < 10; ++i)
        QCOMPARE(rng.below(1), std::uint64_t{0});
    QVERIFY(rng.below(~std::uint64_t{0}) != ~std::uint64_t{0});
}

// 2^64 is not a multiple of 6: the 4 lowest values would come up too often, and are drawn again.
void TestRng::belowRejectsTheRest()
{
    ListRng rng({0, 3, 4});
    QCOMPARE(rng.below(6), std::uint64_t{4});
    QCOMPARE(rng.used(), std::size_t{3});
    ListRng power({0});
    QCOMPARE(power.below(8), std::uint64_t{0});
}

void TestRng::systemRandomnessDiffers()
{
    SystemRng rng;
    QVERIFY(rng.next() != rng.next());
}

// A child must not hand out what its parent is about to hand out.
void TestRng::systemRandomnessDiffersAfterFork()
{
    SystemRng rng;
    static_cast<void>(rng.next());  // something is in stock
    std::array<int, 2> ends{};
    QVERIFY(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const std::uint64_t value = rng.next();
        ::_exit(::write(ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
    }
    const std::uint64_t mine = rng.next();
    std::uint64_t theirs = 0;
    QCOMPARE(::read(ends[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
    int status = 0;
    ::waitpid(child, &status, 0);
    QCOMPARE(status, 0);
    QVERIFY(mine != theirs);
    for (const int end : ends)
        ::close(end);
}

void TestRng::systemRandomnessOfManySizesDiffers()
{
    SystemRng rng;
    std::set<std::string> seen;
    for (int round = 0; round < 100; ++round)
        for (std::size_t size = 8; size <= 600; size += 37) {
            std::string bytes(size, '\0');
            rng.fill(bytes.data(), bytes.size());
            QVERIFY(seen.insert(bytes.substr(0, 8)).second);
            QVERIFY(seen.insert(bytes.substr(size - 8)).second || size == 8);
        }
}

QTEST_APPLESS_MAIN(TestRng)
#include "tst_rng.moc"
