// Text for people: nothing from outside may steer a terminal, and what people write is read exactly or
// refused.
#include "core/base/mask.h"
#include "core/base/shell.h"
#include "core/base/text.h"
#include "tests/support/cairn_qtest.h"

#include <rapidcheck.h>

#include <limits>

using namespace cairn;

namespace {

// "\x1b\u{202e}" is what a person sees; the compiler's own escapes are used only for what goes in.
struct TextRow {
    std::string_view in;
    std::string_view out;
};

template<typename Function> void compareAll(std::initializer_list<TextRow> rows, Function function)
{
    for (const TextRow& row : rows)
        QCOMPARE(function(row.in), std::string(row.out));
}

using namespace std::string_view_literals;

bool isTame(std::string_view text, bool oneLine)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto point = codePointAt(text, at);
        if (!point)
            return false;
        const char32_t c = point->value;
        const bool line = c == '\n' || c == '\t';
        if ((c < 0x20 && (!line || oneLine)) || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F)
            || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF)
            return false;
        at += point->size;
    }
    return true;
}

}  // namespace

class TestText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void utf8();
    void checksText();
    void makesVisible();
    void makesVisibleOnOneLine();
    void visibleTextIsTame();
    void clips();
    void writesJsonStrings();
    void formatsInstants();
    void parsesInstants();
    void refusesInstants_data();
    void refusesInstants();
    void instantsComeBack();
    void formatsSpans();
    void parsesSpans();
    void refusesSpans();
    void formatsCounts();
    void formatsBytes();
    void formatsMoney();
    void parsesAmounts();
    void refusesAmounts();
    void amountsComeBack();
    void shortensIds();
    void masksPasswords();
    void countsReasons();
    void trims();
    void signatures_data();
    void signatures();
    void signaturesAreTameAndShort();
    void wordsForAShell();
};

void TestText::utf8()
{
    const std::string_view good[] = {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\0x"sv};
    for (const auto text : good)
        QVERIFY2(isUtf8(text), hex(text).c_str());
    const std::string_view bad[] = {
        "\x80",
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xC2",
        "\xC2\x41",
        "\xE0\x80\x80",
        "\xE0\x9F\xBF",
        "\xE2\x82",
        "\xED\xA0\x80",
        "\xED\xBF\xBF",
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xF0\x9F\x98",
    };
    for (const auto text : bad) {
        QVERIFY2(!isUtf8(text), hex(text).c_str());
        QCOMPARE(firstInvalidUtf8("ab\xC3\xA4" + std::string(text)).value_or(0), std::size_t{4});
    }
}

void TestText::checksText()
{
    CAIRN_VERIFY_OK(checkText("The reason", "grüße"));
    const Status invalid = checkText("The reason", "ab\xFFz");
    CAIRN_VERIFY_ERROR(invalid, ErrorKind::InvalidInput);
    QCOMPARE(
        invalid.error().text, std::string("The reason is not valid UTF-8 at byte 2. Send it as UTF-8 text."));
    const Status nul = checkText("The reason", "ab\0z"sv);
    CAIRN_VERIFY_ERROR(nul, ErrorKind::InvalidInput);
    QCOMPARE(nul.error().text, std::string("The reason holds a NUL character at byte 2. Remove it."));
}

void TestText::makesVisible()
{
    compareAll(
        {
            {"", ""},
            {"plain, grüße, 你好, 😀", "plain, grüße, 你好, 😀"},
            {"a\nb\tc", "a\nb\tc"},
            {"a\rb", R"(a\x0db)"},
            {"\x1b[31mred\x1b[0m", R"(\x1b[31mred\x1b[0m)"},
            {"\0\x07\x1f\x7f"sv, R"(\x00\x07\x1f\x7f)"},
            {"\xC2\x9B"
             "31m",
                R"(\u{9b}31m)"},
            {"\xC2\x80\xC2\x9F\xC2\xA0", "\\u{80}\\u{9f}\xC2\xA0"},
            {"\xE2\x80\xAE"
             "evil",
                R"(\u{202e}evil)"},
            {"\xE2\x81\xA6\xE2\x81\xA9\xD8\x9C", R"(\u{2066}\u{2069}\u{61c})"},
            {"a\xE2\x80\x8B"
             "b\xEF\xBB\xBF",
                R"(a\u{200b}b\u{feff})"},
            {"a\xE2\x80\xA8"
             "b",
                R"(a\u{2028}b)"},
            {"\xF3\xA0\x81\x81", R"(\u{e0041})"},
            {"\x9B"
             "31m",
                R"(\x9b31m)"},
            {"a\xFF\xC3", R"(a\xff\xc3)"},
            {"\xED\xA0\x80", R"(\xed\xa0\x80)"},
        },
        visible);
}

void TestText::makesVisibleOnOneLine()
{
    compareAll({{"a\nb\tc\r", R"(a\nb\tc\x0d)"}, {"ä\x1b", R"(ä\x1b)"}}, visibleLine);
}

void TestText::visibleTextIsTame()
{
    QVERIFY(rc::check("any bytes", [](const std::string& bytes) {
        RC_ASSERT(isTame(visible(bytes), false));
        RC_ASSERT(isTame(visibleLine(bytes), true));
        RC_ASSERT(visibleLine(visibleLine(bytes)) == visibleLine(bytes));
    }));
    QVERIFY(rc::check("any code point", [] {
        const auto c = *rc::gen::inRange<std::uint32_t>(0x80, 0x110000);
        std::string text;
        if (c < 0x800)
            text = {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 63))};
        else if (c < 0x10000)
            text = {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 63)),
                static_cast<char>(0x80 | (c & 63))};
        else
            text = {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 63)),
                static_cast<char>(0x80 | ((c >> 6) & 63)), static_cast<char>(0x80 | (c & 63))};
        const auto point = codePointAt(text, 0);
        const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        RC_ASSERT(point.has_value() != surrogate);
        if (point) {
            RC_ASSERT(point->value == c);
            RC_ASSERT(point->size == text.size());
        }
        RC_ASSERT(isTame(visible(text), false));
    }));
}

void TestText::clips()
{
    QCOMPARE(clipped("abc", 3), std::string("abc"));
    QCOMPARE(clipped("abcd", 3), std::string("abc… (1 more bytes)"));
    QCOMPARE(clipped("aää", 2), std::string("a… (4 more bytes)"));
    QCOMPARE(clipped("a😀", 4), std::string("a… (4 more bytes)"));
    QCOMPARE(clipped("😀", 0), std::string("… (4 more bytes)"));
    QCOMPARE(clipped(std::string(10, '\x80'), 8).size(), std::string("… (5 more bytes)").size() + 5);
}

void TestText::writesJsonStrings()
{
    compareAll(
        {
            {"", R"("")"},
            {"a\"b\\c/", R"("a\"b\\c/")"},
            {"\n\t\r\b\x1b\x7f", R"("\n\t\r\u0008\u001b\u007f")"},
            {"\0"sv, R"("\u0000")"},
            {"ä😀", R"("ä😀")"},
            {"\xC2\x9B\xE2\x80\xAE\xF3\xA0\x81\x81", R"("\u009b\u202e\udb40\udc41")"},
            {"a\xFF", R"("a\ufffd")"},
        },
        [](std::string_view text) {
            std::string out;
            appendJsonString(out, text);
            return out;
        });
}

void TestText::formatsInstants()
{
    QCOMPARE(formatInstant(0), std::string("1970-01-01 00:00:00Z"));
    QCOMPARE(formatInstant(1'795'949'127'999), std::string("2026-11-29 10:45:27Z"));
    QCOMPARE(formatInstantMs(1'795'949'127'009), std::string("2026-11-29 10:45:27.009Z"));
    QCOMPARE(formatRfc3339(951'782'400'000), std::string("2000-02-29T00:00:00.000Z"));
    QCOMPARE(formatInstantMs(-1), std::string("1969-12-31 23:59:59.999Z"));
    QCOMPARE(formatInstant(253'402'300'799'000), std::string("9999-12-31 23:59:59Z"));
}

void TestText::parsesInstants()
{
    const std::pair<std::string_view, TimeMs> rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-11-29T10:45:27.123Z", 1'795'949'127'123},
        {"2026-11-29t10:45:27.1z", 1'795'949'127'100},
        {"2026-11-29 10:45:27Z", 1'795'949'127'000},
        {"2026-11-29T12:45:27.123999999+02:00", 1'795'949'127'123},
        {"2026-11-29T05:15:27-05:30", 1'795'949'127'000},
        {"2026-11-29T10:45:27-00:00", 1'795'949'127'000},
        {"2000-02-29T23:59:59Z", 951'868'799'000},
        {"2016-12-31T23:59:60Z", 1'483'228'800'000},
        {"2017-01-01T00:59:60+01:00", 1'483'228'800'000},
        {"1969-12-31T23:59:59.999Z", -1},
    };
    for (const auto& [text, time] : rows) {
        const auto parsed = parseInstant(text);
        CAIRN_VERIFY_OK(parsed);
        QCOMPARE(*parsed, time);
    }
}

void TestText::refusesInstants_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("why");
    const std::pair<const char*, const char*> rows[] = {
        {"", "form of RFC 3339"},
        {"2027-04-31T00:00:00Z", "no such day"},
        {"2027-02-29T00:00:00Z", "no such day"},
        {"2027-13-01T00:00:00Z", "no such day"},
        {"2027-00-10T00:00:00Z", "no such day"},
        {"2027-01-00T00:00:00Z", "no such day"},
        {"2027-01-01T24:00:00Z", "no such time"},
        {"2027-01-01T23:60:00Z", "no such time"},
        {"2027-01-01T23:58:60Z", "no such time"},
        {"2027-01-01T23:59:60+01:00", "no such time"},
        {"2027-01-01T23:59:61Z", "no such time"},
        {"2027-01-01T10:00:00", "offset from UTC is missing"},
        {"2027-01-01T10:00:00.5", "offset from UTC is missing"},
        {"2027-01-01T10:00:00 Z", "no offset"},
        {"2027-01-01T10:00:00+24:00", "offset from UTC is wrong"},
        {"2027-01-01T10:00:00+0200", "offset from UTC is wrong"},
        {"2027-01-01T10:00:00+02", "offset from UTC is wrong"},
        {"2027-01-01T10:00:00Zx", "offset from UTC is wrong"},
        {"2027-01-01T10:00:00.Z", "form of RFC 3339"},
        {"2027-01-01T10:00Z", "form of RFC 3339"},
        {"2027-01-01", "form of RFC 3339"},
        {" 2027-01-01T10:00:00Z", "form of RFC 3339"},
        {"+2027-01-01T10:00:00Z", "form of RFC 3339"},
        {"20270101T100000Z", "form of RFC 3339"},
        {"tomorrow", "form of RFC 3339"},
    };
    for (const auto& [text, why] : rows)
        QTest::newRow(text) << std::string(text) << std::string(why);
}

void TestText::refusesInstants()
{
    QFETCH(std::string, text);
    QFETCH(std::string, why);
    const auto parsed = parseInstant(text);
    CAIRN_VERIFY_ERROR(parsed, ErrorKind::InvalidInput);
    QVERIFY2(parsed.error().text.find(why) != std::string::npos, parsed.error().text.c_str());
    QVERIFY(parsed.error().text.find("Write it like") != std::string::npos);
}

void TestText::instantsComeBack()
{
    QVERIFY(rc::check("parse(format(t)) == t", [] {
        const TimeMs time = *rc::gen::inRange<TimeMs>(-62'000'000'000'000, 253'402'300'799'999);
        const auto parsed = parseInstant(formatRfc3339(time));
        RC_ASSERT(parsed.has_value());
        RC_ASSERT(*parsed == time);
    }));
}

void TestText::formatsSpans()
{
    const std::pair<SpanMs, std::string_view> rows[] = {
        {0, "0 ms"},
        {850, "850 ms"},
        {999, "999 ms"},
        {1'000, "1.0 s"},
        {12'449, "12.4 s"},
        {59'999, "59.9 s"},
        {60'000, "1 m 00 s"},
        {185'000, "3 m 05 s"},
        {3'599'999, "59 m 59 s"},
        {3'600'000, "1 h 00 m"},
        {3'840'000, "1 h 04 m"},
        {86'399'999, "23 h 59 m"},
        {86'400'000, "1 d 0 h"},
        {183'600'000, "2 d 3 h"},
        {-12'449, "-12.4 s"},
        {std::numeric_limits<SpanMs>::min(), "-53375995583 d 15 h"},
    };
    for (const auto& [span, text] : rows)
        QCOMPARE(formatSpan(span), std::string(text));
}

void TestText::parsesSpans()
{
    const std::pair<std::string_view, SpanMs> rows[] = {
        {"0s", 0},
        {"250ms", 250},
        {"30s", 30'000},
        {"5m", 300'000},
        {"2h", 7'200'000},
        {"1d", 86'400'000},
        {"1h30m", 5'400'000},
        {"1d2h3m4s5ms", 93'784'005},
        {"90m", 5'400'000},
        {"36500d", 3'153'600'000'000},
    };
    for (const auto& [text, span] : rows) {
        const auto parsed = parseSpan(text);
        CAIRN_VERIFY_OK(parsed);
        QCOMPARE(*parsed, span);
    }
}

void TestText::refusesSpans()
{
    for (const std::string_view text : {"", "30", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5h", "5x", "5S",
             "30m1h", "1s1s", "36501d", "36500d1ms", "99999999999999999999s", "5mss", "1e3s", "٣s"}) {
        const auto parsed = parseSpan(text);
        QVERIFY2(!parsed, std::string(text).c_str());
        QCOMPARE(parsed.error().kind, ErrorKind::InvalidInput);
    }
}

void TestText::formatsCounts()
{
    const std::pair<std::int64_t, std::string_view> rows[] = {
        {0, "0"},
        {999, "999"},
        {1'204, "1 204"},
        {48'000, "48 000"},
        {1'000'000, "1 000 000"},
        {-1'234, "-1 234"},
        {-999, "-999"},
        {std::numeric_limits<std::int64_t>::min(), "-9 223 372 036 854 775 808"},
    };
    for (const auto& [count, text] : rows)
        QCOMPARE(formatCount(count), std::string(text));
}

void TestText::formatsBytes()
{
    const std::pair<std::uint64_t, std::string_view> rows[] = {
        {0, "0 B"},
        {1'023, "1023 B"},
        {1'024, "1 KiB"},
        {1'536, "1.5 KiB"},
        {16'384, "16 KiB"},
        {1'048'575, "1023.9 KiB"},
        {1'048'576, "1 MiB"},
        {268'435'456, "256 MiB"},
        {1'610'612'736, "1.5 GiB"},
        {std::numeric_limits<std::uint64_t>::max(), "15.9 EiB"},
    };
    for (const auto& [size, text] : rows)
        QCOMPARE(formatBytes(size), std::string(text));
}

void TestText::formatsMoney()
{
    struct Row {
        std::int64_t micros;
        std::string_view currency;
        std::string_view text;
    };
    const Row rows[] = {
        {4'860'000'000, "EUR", "4 860.00 EUR"},
        {4'860'500'000, "EUR", "4 860.50 EUR"},
        {1'234'567, "EUR", "1.234567 EUR"},
        {1'234'000, "EUR", "1.234 EUR"},
        {-500'000, "USD", "-0.50 USD"},
        {1'000'000'000, "JPY", "1 000 JPY"},
        {1'500'000, "JPY", "1.5 JPY"},
        {1'500'000, "KWD", "1.500 KWD"},
        {0, "EUR", "0.00 EUR"},
        {1, "EUR", "0.000001 EUR"},
        {std::numeric_limits<std::int64_t>::min(), "EUR", "-9 223 372 036 854.775808 EUR"},
    };
    for (const Row& row : rows)
        QCOMPARE(formatMoney(row.micros, row.currency), std::string(row.text));
    QCOMPARE(formatAmount(4'860'000'000, "EUR"), std::string("4860.00"));
    QCOMPARE(formatAmount(-4'860'000'000, "JPY"), std::string("-4860"));
}

void TestText::parsesAmounts()
{
    const std::pair<std::string_view, std::int64_t> rows[] = {
        {"0", 0},
        {"12", 12'000'000},
        {"4860.00", 4'860'000'000},
        {"-0.5", -500'000},
        {"1.234567", 1'234'567},
        {"0.000001", 1},
        {"0000000000000000000001", 1'000'000},
        {"9223372036854.775807", std::numeric_limits<std::int64_t>::max()},
        {"-9223372036854.775807", -std::numeric_limits<std::int64_t>::max()},
    };
    for (const auto& [text, micros] : rows) {
        const auto parsed = parseAmount(text);
        CAIRN_VERIFY_OK(parsed);
        QCOMPARE(*parsed, micros);
    }
}

void TestText::refusesAmounts()
{
    for (const std::string_view text : {"", "-", "--1", "+1", ".5", "5.", "1.2345678", "1.0000000", "1e3",
             "1,5", "1 000", " 1", "1 ", "0x10", "1.2.3", "1.-2", "NaN", "9223372036854.775808",
             "99999999999999999999", "-9223372036854.775808"}) {
        const auto parsed = parseAmount(text);
        QVERIFY2(!parsed, std::string(text).c_str());
        QCOMPARE(parsed.error().kind, ErrorKind::InvalidInput);
    }
}

void TestText::amountsComeBack()
{
    QVERIFY(rc::check("parse(format(m)) == m", [](std::int64_t micros) {
        RC_PRE(micros != std::numeric_limits<std::int64_t>::min());
        const auto currency = *rc::gen::element<std::string>("EUR", "JPY", "KWD", "tokens");
        const auto parsed = parseAmount(formatAmount(micros, currency));
        RC_ASSERT(parsed.has_value());
        RC_ASSERT(*parsed == micros);
    }));
}

void TestText::shortensIds()
{
    QCOMPARE(shortId("0193b2c4-7d10-7a3e-8f00-12345678ca1f"), std::string("0193b2…ca1f"));
    QCOMPARE(shortId("123456789012"), std::string("123456789012"));
    QCOMPARE(shortId("1234567890123"), std::string("123456…0123"));
    QCOMPARE(shortId("äöüäöüäöüäöü"), std::string("äöüäöüäöüäöü"));
    QCOMPARE(shortId(""), std::string());
}

void TestText::masksPasswords()
{
    compareAll({{"postgresql://ann:hunter2@db/runs", "postgresql://ann:***@db/runs"},
                   {"postgress://ann:hun/ter@2@db:5432/runs?x=@y", "postgress://ann:***@db:5432/runs?x=@y"},
                   {"postgress://u:pa?ss@h/db", "postgress://u:***@h/db"},
                   {"host=db password=hunter2 dbname=runs", "host=db password=*** dbname=runs"},
                   {"postgresql:///runs?sslpassword=a&password=b&c=d",
                       "postgresql:///runs?sslpassword=***&password=***&c=d"},
                   {"postgresql://ann@[::1]:5432/runs?host=@abstract",
                       "postgresql://ann@[::1]:5432/runs?host=@abstract"},
                   {"sqlite:a@b:c.db", "sqlite:a@b:c.db"}, {"", ""}},
        [](std::string_view url) { return maskPassword(url); });
}

void TestText::countsReasons()
{
    const std::pair<std::string_view, std::uint32_t> rows[] = {
        {"", 0},
        {"   \n\t ", 0},
        {"ok", 2},
        {"  provider confirmed  ", 18},
        {"a          b", 3},
        {"grüße", 5},
        {"支払済みを確認した。", 10},
        {"\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B\xE2\x80\x8B", 0},  // zero-width
        {"\xC2\xA0\xE3\x80\x80x\xC2\xA0", 1},                                 // blanks that are not ASCII
        {"a\x1b\x01z", 2},
        {"\xFF\xFE", 0},
    };
    for (const auto& [text, length] : rows)
        QVERIFY2(reasonLength(text) == length,
            (visible(text) + ": " + std::to_string(reasonLength(text))).c_str());
}

void TestText::trims()
{
    QCOMPARE(trimmed("  a b\r\n"), std::string_view("a b"));
    QCOMPARE(trimmed(" \t"), std::string_view());
    QCOMPARE(trimmed("x"), std::string_view("x"));
}

void TestText::signatures_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("signature");
    const std::pair<const char*, const char*> rows[] = {
        {"", ""},
        {"connection refused", "connection refused"},
        {"HTTP 429 from api.acme.test", "HTTP 429 from api.acme.test"},
        {"HTTP/1.1 503 Service Unavailable", "HTTP/1.1 503 Service Unavailable"},
        {"HTTP/2 429", "HTTP/2 429"},
        {"status: 404, retry in 17 s", "status: 404, retry in <n> s"},
        {"status=500", "status=500"},
        {"status code 502 after 1234 ms", "status code 502 after <n> ms"},
        {"exit status 3", "exit status 3"},
        {"killed by signal 9", "killed by signal 9"},
        {"errno 28", "errno 28"},
        {"error 1062: duplicate", "error <n>: duplicate"},
        {"order 429 failed", "order <n> failed"},
        {"order A-1234/56 failed", "order A-<n>/<n> failed"},
        {"no row 0193b2c4-7d10-7a3e-8f00-12345678ca1f here", "no row <id> here"},
        {"customer cus_9s6XKzkNRiz8i3 unknown", "customer <id> unknown"},
        {"commit 1f3a9c0b missing", "commit <id> missing"},
        {"at 0x7ffd1234 in worker w-17", "at <hex> in worker w-<n>"},
        {"connect to 10.0.0.17:8443: refused", "connect to <address>: refused"},
        {"connect to [fe80::1%eth0]:80", "connect to [<address>]:<n>"},
        {"mail to kim@example.org bounced", "mail to <address> bounced"},
        {"api-2.acme.test:8443 said no", "api-<n>.acme.test:<n> said no"},
        {"field \"name\" of 'order' is `bad`", "field <text> of <text> is <text>"},
        {"can't read what isn't there", "can't read what isn't there"},
        {"“quoted” text", "<text> text"},
        {"unfinished \"quote", "unfinished \"quote"},
        {"took 12.5 s of 1e9", "took <n>.<n> s of <n>e<n>"},
        {"2026-11-29T10:42:07Z timed out", "<n>-<n>-<n>T<n>:<n>:<n>Z timed out"},
        {"  many\n\n  blanks\there ", "many blanks here"},
        {"UTF8 decode of SHA256 failed", "UTF<n> decode of SHA<n> failed"},
        {"grüße 5", "grüße <n>"},
    };
    for (const auto& [text, signature] : rows)
        QTest::newRow(visibleLine(text).c_str()) << std::string(text) << std::string(signature);
}

void TestText::signatures()
{
    QFETCH(std::string, text);
    QFETCH(std::string, signature);
    QCOMPARE(errorSignature(text), signature);
}

void TestText::signaturesAreTameAndShort()
{
    QVERIFY(rc::check("any bytes", [](const std::string& bytes) {
        const std::string signature = errorSignature(bytes);
        RC_ASSERT(signature.size() <= 400);
        RC_ASSERT(isTame(signature, true));
    }));
    QVERIFY(errorSignature(std::string(100'000, 'x')).size() <= 400);
    const std::string wide = errorSignature(std::string(399, 'x') + "ääää");
    QVERIFY(wide.size() <= 400 && isUtf8(wide));
    QVERIFY(rc::check("numbers and ids do not matter", [] {
        const auto text = [](std::uint32_t number, std::uint64_t seed) {
            return "row " + std::to_string(number) + " of " + uuidText(deriveUuid("t", std::to_string(seed)))
                + " at 10.0.0." + std::to_string(number % 256);
        };
        const auto n = *rc::gen::arbitrary<std::pair<std::uint32_t, std::uint32_t>>();
        RC_ASSERT(errorSignature(text(n.first, n.second)) == errorSignature(text(n.second, n.first)));
    }));
}

void TestText::wordsForAShell()
{
    compareAll({{"run-1.a:b@c/d%e+f=g,h_I", "run-1.a:b@c/d%e+f=g,h_I"}, {"", "''"},
                   {"two words", "'two words'"}, {"it's", "'it'\\''s'"}, {"{\"a\":1}", "'{\"a\":1}'"},
                   {"$HOME", "'$HOME'"}, {"a\nb", "'a\nb'"}, {"~", "'~'"}, {"ä", "'ä'"}},
        shellWord);
}

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
