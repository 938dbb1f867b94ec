// The log: quiet until started, one line per event, nothing in a value can break out of it.
#include "core/base/log.h"
#include "tests/support/cairn_qtest.h"

#include <rapidcheck.h>

#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>

#include <limits>
#include <thread>

using namespace cairn;

class TestLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void quietUntilStarted();
    void keepsToItsLevel();
    void writesAllKinds();
    void valuesStayInTheirField();
    void longFieldsAreCut();
    void linesStayWhole();
    void parsesLevels();

private:
    std::vector<std::string> m_lines;
    QJsonObject parsed(std::size_t line) const
    {
        return QJsonDocument::fromJson(QByteArray::fromStdString(m_lines.at(line))).object();
    }
};

void TestLog::init()
{
    m_lines.clear();
    log::setSink([this](std::string_view line) { m_lines.emplace_back(line); });
}

void TestLog::cleanup()
{
    log::start(log::Level::Off);
    log::setSink({});
}

void TestLog::quietUntilStarted()
{
    log::error("nobody_listens");
    QVERIFY(m_lines.empty());
    QVERIFY(!log::enabled(log::Level::Error));
    QVERIFY(!log::enabled(log::Level::Off));
}

void TestLog::keepsToItsLevel()
{
    log::start(log::Level::Warning);
    log::debug("a");
    log::info("b");
    log::warning("c");
    log::error("d");
    log::write(log::Level::Off, "e", {});
    QCOMPARE(m_lines.size(), std::size_t{2});
    QCOMPARE(parsed(0)["event"].toString(), QString("c"));
    QCOMPARE(parsed(0)["level"].toString(), QString("warning"));
    QCOMPARE(parsed(1)["level"].toString(), QString("error"));
}

void TestLog::writesAllKinds()
{
    log::start(log::Level::Debug);
    RunId run;
    run.bytes[15] = 1;
    log::debug("e",
        {{"text", "a\"b"}, {"view", std::string_view("v")}, {"yes", true}, {"int", -5},
            {"size", std::size_t{7}}, {"most", std::numeric_limits<std::uint64_t>::max()}, {"real", 1.5},
            {"nan", std::numeric_limits<double>::quiet_NaN()}, {"run", run}});
    const std::string tail =
        R"("level":"debug","event":"e","text":"a\"b","view":"v","yes":true,"int":-5,"size":7,)"
        R"("most":18446744073709551615,"real":1.5,"nan":null,)"
        R"("run":"00000000-0000-0000-0000-000000000001"})";
    QVERIFY2(m_lines.at(0).ends_with(tail), m_lines.at(0).c_str());
    const auto time = parseInstant(parsed(0)["time"].toString().toStdString());
    CAIRN_VERIFY_OK(time);
    QVERIFY(*time > 1'700'000'000'000);
}

void TestLog::valuesStayInTheirField()
{
    log::start(log::Level::Info);
    QVERIFY(rc::check("any bytes", [this](const std::string& value, const std::string& event) {
        m_lines.clear();
        log::info(event, {{"value", value}});
        RC_ASSERT(m_lines.size() == std::size_t{1});
        for (const char c : m_lines[0])
            RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
        QJsonParseError error{};
        const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(m_lines[0]), &error);
        RC_ASSERT(error.error == QJsonParseError::NoError);
        RC_ASSERT(document.object().size() == 4);
        RC_ASSERT(document.object()["level"].toString() == QString("info"));
    }));
    m_lines.clear();
    log::info("e", {{"value", "x\",\"level\":\"error\n{\"time\":0}"}});
    QCOMPARE(parsed(0)["value"].toString(), QString("x\",\"level\":\"error\n{\"time\":0}"));
    QCOMPARE(parsed(0)["level"].toString(), QString("info"));
}

void TestLog::longFieldsAreCut()
{
    log::start(log::Level::Info);
    log::info("e", {{"value", std::string(10'000, 'x')}});
    QCOMPARE(parsed(0)["value"].toString(), QString(4096, 'x') + QString::fromUtf8("… (5904 more bytes)"));
}

void TestLog::linesStayWhole()
{
    log::start(log::Level::Info);
    std::mutex mutex;
    std::vector<std::string> lines;
    log::setSink([&](std::string_view line) {
        const std::lock_guard lock(mutex);
        lines.emplace_back(line);
    });
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([t] {
                for (int i = 0; i < 200; ++i)
                    log::info("e", {{"thread", t}, {"i", i}});
            });
    }
    QCOMPARE(lines.size(), std::size_t{800});
    for (const std::string& line : lines)
        QVERIFY(line.starts_with("{\"time\":") && line.ends_with('}'));
    log::setSink({});
}

void TestLog::parsesLevels()
{
    QVERIFY(log::parseLevel("debug") == log::Level::Debug);
    QVERIFY(log::parseLevel("info") == log::Level::Info);
    QVERIFY(log::parseLevel("warning") == log::Level::Warning);
    QVERIFY(log::parseLevel("error") == log::Level::Error);
    QVERIFY(log::parseLevel("off") == log::Level::Off);
    QVERIFY(!log::parseLevel("warn"));
    QVERIFY(!log::parseLevel(""));
}

QTEST_APPLESS_MAIN(TestLog)
#include "tst_log.moc"
