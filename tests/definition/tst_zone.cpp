// Local times and cron rules: which instant they mean, and what they are refused for.

#include "core/base/text.h"
#include "core/definition/cron.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

namespace {

TimeMs at(const char* text)
{
    const auto instant = parseInstant(text);
    return instant ? *instant : kNoTime;
}

}  // namespace

class TestZone : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void localTimes_data();
    void localTimes();
    void instants_data();
    void instants();
    void zones();
    void rules_data();
    void rules();
    void badRules_data();
    void badRules();
    void everyMatchFitsItsRule();
};

void TestZone::localTimes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("seconds");  // -1: refused
    QTest::newRow("minutes") << QByteArray("1970-01-02T00:01") << qint64(86'460);
    QTest::newRow("seconds") << QByteArray("1970-01-02T00:01:05") << qint64(86'465);
    QTest::newRow("blank") << QByteArray("1970-01-02 00:01") << qint64(86'460);
    QTest::newRow("leap day") << QByteArray("2028-02-29T00:00") << qint64(1'835'395'200);
    for (const char* bad :
        {"", "2027-04-31T10:00", "2027-02-29T10:00", "2027-13-01T10:00", "2027-00-01T10:00",
            "2027-01-00T10:00", "2027-01-01T24:00", "2027-01-01T10:60", "2027-01-01T10:00:60",
            "2027-01-01T10:00Z", "2027-01-01T10:00+02:00", "2027-01-01", "2027-1-1T10:00", "2027-01-01T10:0a",
            " 2027-01-01T10:00", "2027-01-01T10:00 ", "20270101T100000xx"})
        QTest::newRow(bad) << QByteArray(bad) << qint64(-1);
}

void TestZone::localTimes()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, seconds);
    const auto local = parseLocalTime(text.toStdString());
    QCOMPARE(local ? qint64(*local) : qint64(-1), seconds);
}

void TestZone::instants_data()
{
    QTest::addColumn<QByteArray>("zone");
    QTest::addColumn<QByteArray>("local");
    QTest::addColumn<QByteArray>("instant");
    const auto row = [](const char* zone, const char* local, const char* instant) {
        QTest::addRow("%s %s", zone, local) << QByteArray(zone) << QByteArray(local) << QByteArray(instant);
    };
    row("UTC", "2027-03-28T02:30", "2027-03-28T02:30:00Z");
    row("Europe/Berlin", "2027-03-28T01:59:59", "2027-03-28T00:59:59Z");
    row("Europe/Berlin", "2027-03-28T02:00", "2027-03-28T01:00:00Z");  // the gap, and what is right after it
    row("Europe/Berlin", "2027-03-28T02:59:59", "2027-03-28T01:00:00Z");
    row("Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00:00Z");
    row("Europe/Berlin", "2027-10-31T02:30", "2027-10-31T00:30:00Z");  // the first of two
    row("Europe/Berlin", "2027-10-31T03:00", "2027-10-31T02:00:00Z");
    row("America/New_York", "2027-11-07T01:30", "2027-11-07T05:30:00Z");
    row("America/New_York", "2027-03-14T02:30", "2027-03-14T07:00:00Z");
    row("Asia/Kathmandu", "2027-06-01T00:00", "2027-05-31T18:15:00Z");       // 5 h 45 m
    row("Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:30:00Z");  // a gap of half an hour
    row("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z");         // a day that was left out
}

void TestZone::instants()
{
    QFETCH(QByteArray, zone);
    QFETCH(QByteArray, local);
    QFETCH(QByteArray, instant);
    const auto parsed = parseLocalTime(local.toStdString());
    CAIRN_VERIFY_OK(parsed);
    const auto found = instantOf(*parsed, zone.toStdString());
    CAIRN_VERIFY_OK(found);
    QCOMPARE(QByteArray::fromStdString(formatRfc3339(*found)),
        QByteArray::fromStdString(formatRfc3339(at(instant.constData()))));
}

void TestZone::zones()
{
    for (const char* good : {"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"})
        CAIRN_VERIFY_OK(checkZone(good));
    for (const char* bad : {"", "europe/berlin", "Berlin", "CEST", "../../etc/passwd", "/etc/passwd",
             "Europe/", "Europe/Berlin\n"})
        CAIRN_VERIFY_ERROR(checkZone(bad), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(checkZone(std::string_view("Europe/Berlin\0", 14)), ErrorKind::InvalidInput);
    CAIRN_VERIFY_ERROR(instantOf(2'145'916'800, "UTC"), ErrorKind::InvalidInput);  // 2038
    CAIRN_VERIFY_OK(instantOf(2'145'916'799, "UTC"));
    const auto shown = formatLocal(at("2027-06-01T00:00:00Z"), "Asia/Kathmandu");
    CAIRN_VERIFY_OK(shown);
    QCOMPARE(*shown, std::string("2027-06-01 05:45:00+05:45 Asia/Kathmandu"));
    const auto west = formatLocal(at("2027-06-01T00:00:00Z"), "America/St_Johns");
    CAIRN_VERIFY_OK(west);
    QCOMPARE(*west, std::string("2027-05-31 21:30:00-02:30 America/St_Johns"));
}

void TestZone::rules_data()
{
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<QByteArrayList>("next");
    const auto row = [](const char* rule, const char* after, const QByteArrayList& next) {
        QTest::addRow("%s after %s", rule, after) << QByteArray(rule) << QByteArray(after) << next;
    };
    row("30 2 * * *", "2027-06-01T00:30:00Z", {"2027-06-02T00:30:00.000Z"});  // after, not at
    row("30 2 * * *", "2027-06-01T00:29:59Z", {"2027-06-01T00:30:00.000Z"});
    row("0 0 29 2 *", "2027-06-01T00:00:00Z", {"2028-02-28T23:00:00.000Z", "2032-02-28T23:00:00.000Z"});
    row("0 12 13 * fri", "2027-09-11T00:00:00Z",
        {"2027-09-13T10:00:00.000Z", "2027-09-17T10:00:00.000Z"});  // either day field
    row("0 12 * * 7", "2027-06-01T00:00:00Z", {"2027-06-06T10:00:00.000Z"});
    row("0 12 * * sun", "2027-06-01T00:00:00Z", {"2027-06-06T10:00:00.000Z"});
    row("10-12 8,20 1 JAN *", "2027-06-01T00:00:00Z",
        {"2028-01-01T07:10:00.000Z", "2028-01-01T07:11:00.000Z", "2028-01-01T07:12:00.000Z",
            "2028-01-01T19:10:00.000Z"});
    row("*/20 * * * *", "2027-10-31T00:10:00Z",
        {"2027-10-31T00:20:00.000Z", "2027-10-31T00:40:00.000Z", "2027-10-31T01:00:00.000Z",
            "2027-10-31T01:20:00.000Z"});
    row("0 */6 * * *", "2027-03-27T22:59:59Z", {"2027-03-27T23:00:00.000Z", "2027-03-28T04:00:00.000Z"});
    row("0-30/15 3 * * *", "2027-06-01T00:00:00Z",
        {"2027-06-01T01:00:00.000Z", "2027-06-01T01:15:00.000Z", "2027-06-01T01:30:00.000Z",
            "2027-06-02T01:00:00.000Z"});
    // Minute begins with *: in real time, so the hour that is left out has no match.
    row("*/30 2 * * *", "2027-03-27T12:00:00Z", {"2027-03-29T00:00:00.000Z", "2027-03-29T00:30:00.000Z"});
}

void TestZone::rules()
{
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, after);
    QFETCH(QByteArrayList, next);
    const auto parsed = parseCron(rule.toStdString());
    CAIRN_VERIFY_OK(parsed);
    TimeMs last = at(after.constData());
    QByteArrayList found;
    while (found.size() < next.size()) {
        const auto match = nextMatch(*parsed, "Europe/Berlin", last);
        CAIRN_VERIFY_OK(match);
        found.append(QByteArray::fromStdString(formatRfc3339(*match)));
        last = *match;
    }
    QCOMPARE(found, next);
}

void TestZone::badRules_data()
{
    QTest::addColumn<QByteArray>("rule");
    for (const char* bad : {"", "* * * *", "* * * * * *", "60 * * * *", "-1 * * * *", "* 24 * * *",
             "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8", "a * * * *", "1- * * * *", "5-1 * * * *",
             "*/0 * * * *", "*/x * * * *", "5/2 * * * *", "1,,2 * * * *", "1/2/3 * * * *", "* * * foo *",
             "* * * * mondays", "+5 * * * *", "@daily", "*\t* * * * *", "99999999999 * * * *"})
        QTest::newRow(bad) << QByteArray(bad);
}

void TestZone::badRules()
{
    QFETCH(QByteArray, rule);
    CAIRN_VERIFY_ERROR(parseCron(rule.toStdString()), ErrorKind::InvalidInput);
}

// Over a whole year in a zone with both nights: each day has its one time, in order, a day apart but for an
// hour.
void TestZone::everyMatchFitsItsRule()
{
    const auto rule = parseCron("30 2 * * *");
    CAIRN_VERIFY_OK(rule);
    TimeMs last = at("2027-01-01T00:00:00Z");
    for (int day = 0; day < 365; ++day) {
        const auto next = nextMatch(*rule, "Europe/Berlin", last);
        CAIRN_VERIFY_OK(next);
        QVERIFY(*next > last);
        const auto before = localOf(last, "Europe/Berlin");
        const auto local = localOf(*next, "Europe/Berlin");
        CAIRN_VERIFY_OK(before);
        CAIRN_VERIFY_OK(local);
        if (day > 0)
            QCOMPARE(*local / 86'400, *before / 86'400 + 1);
        last = *next;
    }
}

QTEST_APPLESS_MAIN(TestZone)
#include "tst_zone.moc"
