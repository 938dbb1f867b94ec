// report durability and report estimate, as printed.

#include "tests/cli/cli_fixture.h"

namespace {

void collectNames(const QJsonValue& value, QSet<QString>& names)
{
    if (value.isArray())
        for (const QJsonValue& item : value.toArray())
            collectNames(item, names);
    const QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        names.insert(it.key());
        collectNames(it.value(), names);
    }
}

const QByteArray kLog =
    json("{'id':'a','started':'2026-11-01T00:00:00Z','ended':'2026-11-01T02:00:00Z','outcome':'completed',"
         "'calls':10,'tokens':5,'cost':{'amount':'9.00','currency':'EUR'}}\n"
         "{'id':'b','started':'2026-11-02T00:00:00Z','ended':'2026-11-11T00:00:00Z','outcome':'crashed',"
         "'calls':10,'tokens':5,'cost':10.00}\n");

}  // namespace

class TestCliReports : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { freshStore(); }
    void aStoreIsReported();
    void aLogIsReportedWithoutAStore();
    void theMonthOfTheBriefIsEstimated();
    void aStoreCalibrates();
    void whatIsNotUnderstoodIsTwo_data();
    void whatIsNotUnderstoodIsTwo();

private:
    static QStringList report(const char* words)
    {
        return QStringList{QStringLiteral("report")} + QString::fromUtf8(words).split(QLatin1Char('|'));
    }
    // Every field is in the handbook.
    void documented(const QJsonObject& object)
    {
        QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/reports.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        QSet<QString> names;
        collectNames(object, names);
        QVERIFY(names.size() > 10);
        for (const QString& name : std::as_const(names))
            QVERIFY2(text.contains(QLatin1Char('`') + name + QLatin1Char('`')), qPrintable(name));
    }
};

void TestCliReports::aStoreIsReported()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("k"));
    engineUntilIdle();
    QCOMPARE(cairn({QStringLiteral("cancel"), run}).code, 0);
    QVERIFY(!startAsk(QStringLiteral("l")).isEmpty());
    const Answer all = cairn(report("durability|--since|1d"));
    QVERIFY2(all.code == 0, all.err.constData());
    QCOMPARE(all.json().value(QStringLiteral("runs")).toInt(), 2);
    QCOMPARE(all.json().value(QStringLiteral("open")).toInt(), 1);
    QCOMPARE(all.json().value(QStringLiteral("ended_without_completing")).toInt(), 1);
    QCOMPARE(
        all.json().value(QStringLiteral("longest")).toObject().value(QStringLiteral("id")).toString(), run);
    documented(all.json());
    QVERIFY(!all.json().value(QStringLiteral("needed")).toBool(true));
    QVERIFY2(all.json()
                 .value(QStringLiteral("verdict"))
                 .toString()
                 .startsWith(QStringLiteral("no engine was needed")),
        all.out.constData());
    const Answer costly = cairn(report("durability|--engine-cost|40 EUR"));
    QCOMPARE(
        costly.json().value(QStringLiteral("engine")).toObject().value(QStringLiteral("amount")).toString(),
        QStringLiteral("40.00"));
    QCOMPARE(cairn(report("durability|--engine-cost|-40 EUR")).code, 2);
    const Answer some = cairn(report("durability|--where|state:cancelled"));
    QCOMPARE(some.json().value(QStringLiteral("runs")).toInt(), 1);
    QCOMPARE(cairn(report("durability|--until|2001-01-01")).json().value(QStringLiteral("runs")).toInt(), 0);
    const QByteArray told = text(report("durability"));
    QVERIFY2(told.contains("ended without completing") && told.contains("formulas (a month is 30 days)"),
        told.constData());
}

void TestCliReports::aLogIsReportedWithoutAStore()
{
    const QString log = file(QStringLiteral("runs.jsonl"), kLog);
    QStringList words = report("durability|--currency|EUR|--engine-cost|20 EUR|--log");
    const Answer answer = cairn(words + QStringList{log});  // the store that --store names is not there
    QVERIFY2(answer.code == 0, answer.err.constData());
    QCOMPARE(answer.json().value(QStringLiteral("runs")).toInt(), 2);
    QCOMPARE(answer.json().value(QStringLiteral("needed")).toBool(), true);  // it keeps 27.00 a month
    documented(answer.json());
    const QString bad = file(QStringLiteral("bad.jsonl"), kLog + "nonsense\n");
    const Answer wanting = cairn(words + QStringList{bad});
    QCOMPARE(wanting.code, 1);
    const QJsonArray lines = wanting.json().value(QStringLiteral("bad_lines")).toArray();
    QCOMPARE(lines.size(), 1);
    QCOMPARE(lines.first().toObject().value(QStringLiteral("line")).toInt(), 3);
    documented(wanting.json());
    QVERIFY(text(words + QStringList{bad}).contains("line 3 is left out"));
}

void TestCliReports::theMonthOfTheBriefIsEstimated()
{
    const Answer answer = cairn(report(
        "estimate|--starts-per-month|100000|--failure-rate|15%|--state-per-run|500KB|--price-storage|0.10 EUR"
        "|--price-writes|0.05 EUR|--price-engine|40 EUR|--cost-per-run|0.20 EUR"));
    QVERIFY2(answer.code == 0, answer.err.constData());
    QCOMPARE(answer.json().value(QStringLiteral("failures")).toInt(), 15'000);
    QCOMPARE(answer.json().value(QStringLiteral("checkpoints")).toInt(), 3'248'000);
    QCOMPARE(
        answer.json().value(QStringLiteral("total")).toObject().value(QStringLiteral("amount")).toString(),
        QStringLiteral("55.16935"));
    documented(answer.json());
    const Answer many = cairn(report(
        "estimate|--starts-per-month|100000|--failure-rate|0.15|--state-per-run|500KB|--checkpoints-per-day"
        "|2000000"));
    QCOMPARE(many.json().value(QStringLiteral("checkpoints")).toInt(), 60'900'000);
    // What was computed with, and nothing beside it.
    QVERIFY2(
        many.out.contains("checkpoints_per_day") && !many.out.contains("\"checkpoints_per_run\",\"value\""),
        many.out.constData());
    QVERIFY2(answer.out.contains("price_storage") && answer.out.contains("0.10 EUR"), answer.out.constData());
    QVERIFY(text(report("estimate|--starts-per-day|10")).contains("starts a month x failure rate"));
}

void TestCliReports::aStoreCalibrates()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    QVERIFY(!startAsk(QStringLiteral("k")).isEmpty());
    const Answer answer = cairn(
        report("estimate|--starts-per-day|10|--from") + QStringList{QStringLiteral("sqlite:") + m_store});
    QVERIFY2(answer.code == 0, answer.err.constData());
    const QJsonObject measured = answer.json().value(QStringLiteral("measured")).toObject();
    QCOMPARE(measured.value(QStringLiteral("runs")).toInt(), 1);
    QCOMPARE(measured.value(QStringLiteral("steps")).toInt(), 1);
    for (const QJsonValue& input : answer.json().value(QStringLiteral("inputs")).toArray())
        if (input.toObject().value(QStringLiteral("name")).toString() == QLatin1String("steps_per_run"))
            QCOMPARE(input.toObject().value(QStringLiteral("from")).toString(), QStringLiteral("measured"));
    documented(answer.json());
}

void TestCliReports::whatIsNotUnderstoodIsTwo_data()
{
    QTest::addColumn<QString>("words");
    for (const char* words :
        {"durability|--since|soon", "durability|--log|/nowhere/runs.jsonl", "durability|--currency|EUR",
            "estimate|--failure-rate|15%", "estimate|--starts-per-day|10|--failure-rate|101%",
            "estimate|--starts-per-day|10|--price-engine|40",
            "estimate|--starts-per-day|10|--state-per-run|5 XB",
            "estimate|--starts-per-day|10|--starts-per-month|300",
            "estimate|--starts-per-day|10|--price-engine|1 EUR|--price-storage|1 USD"})
        QTest::newRow(words) << QString::fromUtf8(words);
}

void TestCliReports::whatIsNotUnderstoodIsTwo()
{
    QFETCH(QString, words);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const Answer answer = cairn(report(words.toUtf8().constData()));
    QVERIFY2(answer.code == 2, qPrintable(QString::fromUtf8(answer.out + answer.err)));
}

QTEST_APPLESS_MAIN(TestCliReports)
#include "tst_cli_reports.moc"
