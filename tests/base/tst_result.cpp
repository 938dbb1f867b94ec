// Result and the macros that pass errors on.
#include "tests/support/cairn_qtest.h"

#include <memory>
#include <set>
#include <type_traits>
#include <utility>

using namespace cairn;

namespace {

Result<int> half(int value)
{
    if (value % 2 != 0)
        return makeError(ErrorKind::InvalidInput, std::to_string(value) + " is odd", 33);
    return value / 2;
}

Result<std::string> quarterText(int value)
{
    CAIRN_TRY_ASSIGN(const int once, half(value));
    CAIRN_TRY_ASSIGN(const int twice, half(once));
    return std::to_string(twice);
}

Status checkAll(std::initializer_list<int> values, int& checked)
{
    for (const int value : values) {
        CAIRN_TRY(half(value));
        ++checked;
    }
    return {};
}

Result<std::unique_ptr<int>> made(bool ok)
{
    if (!ok)
        return makeError(ErrorKind::Full, "no");
    return std::make_unique<int>(5);
}

Result<int> moved(bool ok)
{
    CAIRN_TRY_ASSIGN(const std::unique_ptr<int> pointer, made(ok));
    return *pointer;
}

}  // namespace

class TestResult : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdsAValueOrAnError();
    void passesErrorsOn();
    void movesValues();
    void whatATemporaryHoldsOutlivesIt();
    void statusIsFineUnlessSaidOtherwise();
    void holdsAnEmptyOptionalAsAValue();
    void kindsHaveNames();
};

void TestResult::holdsAValueOrAnError()
{
    const Result<int> good = half(8);
    QVERIFY(good.has_value());
    QVERIFY(static_cast<bool>(good));
    QCOMPARE(*good, 4);
    const Result<int> bad = half(7);
    QVERIFY(!bad);
    QCOMPARE(bad.error(), (Error{ErrorKind::InvalidInput, 33, "7 is odd"}));
}

void TestResult::passesErrorsOn()
{
    const auto good = quarterText(20);
    CAIRN_VERIFY_OK(good);
    QCOMPARE(*good, std::string("5"));
    QCOMPARE(quarterText(7).error().text, std::string("7 is odd"));
    QCOMPARE(quarterText(6).error().text, std::string("3 is odd"));
    int checked = 0;
    QVERIFY(checkAll({2, 4}, checked).has_value());
    QCOMPARE(checked, 2);
    checked = 0;
    QCOMPARE(checkAll({2, 5, 4}, checked).error().text, std::string("5 is odd"));
    QCOMPARE(checked, 1);
}

void TestResult::movesValues()
{
    auto pointer = made(true);
    CAIRN_VERIFY_OK(pointer);
    const std::unique_ptr<int> taken = *std::move(pointer);
    QCOMPARE(*taken, 5);
    QCOMPARE(*moved(true), 5);
    CAIRN_VERIFY_ERROR(moved(false), ErrorKind::Full);
    Result<std::string> text{std::string("abc")};
    text->append("d");
    QCOMPARE(text->size(), std::size_t{4});
}

// Its own, and not a reference into a temporary that has gone: the whole kind of mistake.
void TestResult::whatATemporaryHoldsOutlivesIt()
{
    static_assert(std::is_same_v<decltype(*half(8)), int>);
    static_assert(std::is_same_v<decltype(half(8).value()), int>);
    static_assert(std::is_same_v<decltype(half(7).error()), Error>);
    static_assert(std::is_same_v<decltype(checkAll({}, std::declval<int&>()).error()), Error>);
    // One that counts how many of it are alive.
    struct Alive {
        std::shared_ptr<int> counted;
        [[nodiscard]] const int* begin() const { return counted.get(); }
        [[nodiscard]] const int* end() const { return counted.get() + 1; }
    };
    const auto counted = std::make_shared<int>(5);
    const auto load = [&]() -> Result<Alive> { return Alive{counted}; };
    long alive = 0;
    for (const int value : *load()) {
        QCOMPARE(value, 5);
        alive = counted.use_count();
    }
    QCOMPARE(alive, 2L);
    QCOMPARE(counted.use_count(), 1L);
    const Alive& bound = load().value();
    QCOMPARE(bound.counted.use_count(), 2L);
    const Error& error = half(7).error();
    QCOMPARE(error.text, std::string("7 is odd"));
}

void TestResult::statusIsFineUnlessSaidOtherwise()
{
    QVERIFY(Status{}.has_value());
    const Status bad = makeError(ErrorKind::Io, "disk");
    QVERIFY(!bad);
    QCOMPARE(bad.error().kind, ErrorKind::Io);
    QCOMPARE(bad.error().native, 0);
}

void TestResult::holdsAnEmptyOptionalAsAValue()
{
    const Result<std::optional<int>> none = std::optional<int>{};
    QVERIFY(none.has_value());
    QVERIFY(!none->has_value());
}

void TestResult::kindsHaveNames()
{
    const std::string_view expected[] = {"busy", "conflict", "lease_lost", "not_found", "invalid_input",
        "schema_mismatch", "corrupt", "full", "io", "disconnected", "outcome_unknown", "cancelled", "refused",
        "no_right", "internal"};
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        QCOMPARE(std::string_view(errorKindName(static_cast<ErrorKind>(i))), expected[i]);
        QVERIFY(seen.insert(expected[i]).second);
    }
    QCOMPARE(static_cast<std::size_t>(ErrorKind::Internal) + 1, std::size(expected));
    QCOMPARE(std::string_view(errorKindName(static_cast<ErrorKind>(200))), std::string_view("internal"));
}

QTEST_APPLESS_MAIN(TestResult)
#include "tst_result.moc"
