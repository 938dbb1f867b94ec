// Retry-After and HTTP dates as servers send them, and as they should not.
#include "core/base/http_date.h"
#include "tests/support/cairn_qtest.h"

#include <rapidcheck.h>

using namespace cairn;

namespace {

constexpr TimeMs kExample = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr TimeMs kNow = 1'795'949'127'000;    // Sun, 29 Nov 2026 10:45:27 GMT

}  // namespace

class TestHttpDate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsAllForms();
    void twoDigitYearsAreNear();
    void refusesDates();
    void readsSeconds();
    void readsDates();
    void datesAreRelativeToTheServersClock();
    void refusesHeaders();
    void neverLeavesItsRange();
};

void TestHttpDate::readsAllForms()
{
    const std::pair<std::string_view, TimeMs> rows[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", kExample},
        {"Sunday, 06-Nov-94 08:49:37 GMT", kExample},
        {"Sun Nov  6 08:49:37 1994", kExample},
        {"Wed Nov 16 08:49:37 1994", kExample + 10 * 86'400'000LL},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Tue, 29 Feb 2000 23:59:59 GMT", 951'868'799'000},
        {"Sat, 31 Dec 2016 23:59:60 GMT", 1'483'228'800'000},
    };
    for (const auto& [text, time] : rows) {
        const auto parsed = parseHttpDate(text, kExample);
        CAIRN_VERIFY_OK(parsed);
        QCOMPARE(*parsed, time);
    }
}

void TestHttpDate::twoDigitYearsAreNear()
{
    // In 2026: 76 is 50 years ahead and stays, 77 is more and was 49 years ago.
    QCOMPARE(*parseHttpDate("Sunday, 29-Nov-26 10:45:27 GMT", kNow), kNow);
    const auto ahead = parseHttpDate("Sunday, 29-Nov-76 10:45:27 GMT", kNow);
    CAIRN_VERIFY_OK(ahead);
    QVERIFY(*ahead > kNow);
    const auto past = parseHttpDate("Tuesday, 29-Nov-77 10:45:27 GMT", kNow);
    CAIRN_VERIFY_OK(past);
    QCOMPARE(*past, TimeMs{249'648'327'000});
    QCOMPARE(*parseHttpDate("Tuesday, 29-Nov-77 10:45:27 GMT", kExample), TimeMs{249'648'327'000});
    QVERIFY2(!parseHttpDate("Monday, 29-Nov-77 10:45:27 GMT", kNow), "that is the weekday of 2077");
}

void TestHttpDate::refusesDates()
{
    for (const std::string_view text :
        {"", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT",
            "sun, 06 nov 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994 GMT", "Sun Nov  06 08:49:37 1994",
            "1994-11-06T08:49:37Z", "784111777", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, -6 Nov 1994 08:49:37 GMT"}) {
        const auto parsed = parseHttpDate(text, kExample);
        QVERIFY2(!parsed, std::string(text).c_str());
        QCOMPARE(parsed.error().kind, ErrorKind::InvalidInput);
    }
}

void TestHttpDate::readsSeconds()
{
    const std::pair<std::string_view, SpanMs> rows[] = {
        {"0", 0}, {"1", 1'000}, {"120", 120'000}, {"0000000000000000000000000120", 120'000},
        {" 120\t", 120'000},                           // blanks around a value belong to the header line
        {"86400", 86'400'000}, {"86401", 86'400'000},  // cut to the longest wait
        {"9223372036854775", 86'400'000},              // the last that fits in milliseconds
    };
    for (const auto& [text, span] : rows) {
        const auto parsed = parseRetryAfter(text, "", kNow);
        CAIRN_VERIFY_OK(parsed);
        QCOMPARE(*parsed, span);
    }
}

void TestHttpDate::readsDates()
{
    QCOMPARE(*parseRetryAfter("Sun, 29 Nov 2026 10:46:27 GMT", "", kNow), SpanMs{60'000});
    QCOMPARE(*parseRetryAfter("Sunday, 29-Nov-26 10:46:27 GMT", "", kNow), SpanMs{60'000});
    QCOMPARE(*parseRetryAfter("Sun Nov 29 10:46:27 2026", "", kNow), SpanMs{60'000});
    QCOMPARE(*parseRetryAfter("Sun, 29 Nov 2026 10:45:27 GMT", "", kNow), SpanMs{0});
    QCOMPARE(*parseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", "", kNow), SpanMs{0});
    QCOMPARE(*parseRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", "", kNow), kLongestRetryAfter);
}

void TestHttpDate::datesAreRelativeToTheServersClock()
{
    // The server's clock is an hour fast: it asks for one minute, not for sixty-one.
    QCOMPARE(*parseRetryAfter("Sun, 29 Nov 2026 11:46:27 GMT", "Sun, 29 Nov 2026 11:45:27 GMT", kNow),
        SpanMs{60'000});
    // A year slow: not the past.
    QCOMPARE(*parseRetryAfter("Sat, 29 Nov 2025 10:46:27 GMT", "Sat, 29 Nov 2025 10:45:27 GMT", kNow),
        SpanMs{60'000});
    // A Date that cannot be read counts as absent; for seconds it does not matter at all.
    QCOMPARE(*parseRetryAfter("Sun, 29 Nov 2026 10:46:27 GMT", "yesterday", kNow), SpanMs{60'000});
    QCOMPARE(*parseRetryAfter("60", "Sun, 06 Nov 1994 08:49:37 GMT", kNow), SpanMs{60'000});
}

void TestHttpDate::refusesHeaders()
{
    for (const std::string_view text : {"", " ", "-1", "+1", "1.5", "1e3", "0x10", "1 2", "1, 2", "1;2",
             "120s", "٣", "9223372036854776", "99999999999999999999999999", "soon",
             "Sun, 29 Nov 2026 10:46:27", "Mon, 29 Nov 2026 10:46:27 GMT"}) {
        const auto parsed = parseRetryAfter(text, "", kNow);
        QVERIFY2(!parsed, std::string(text).c_str());
        QCOMPARE(parsed.error().kind, ErrorKind::InvalidInput);
        QVERIFY(parsed.error().text.find("the policy's own delay is used") != std::string::npos);
    }
}

void TestHttpDate::neverLeavesItsRange()
{
    QVERIFY(rc::check("any bytes", [](const std::string& header, const std::string& date) {
        const auto parsed = parseRetryAfter(header, date, kNow);
        const bool inRange = !parsed || (*parsed >= 0 && *parsed <= kLongestRetryAfter);
        RC_ASSERT(inRange);
    }));
    QVERIFY(rc::check("bytes that look like it", [] {
        const auto header =
            *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789 SunNov,:-GMT")));
        const auto parsed = parseRetryAfter(header, "", kNow);
        const bool inRange = !parsed || (*parsed >= 0 && *parsed <= kLongestRetryAfter);
        RC_ASSERT(inRange);
    }));
}

QTEST_APPLESS_MAIN(TestHttpDate)
#include "tst_http_date.moc"
