// Tables of (history, command) -> (entry or rejection), as transcripts in tests/machine/cases/*.txt. Each
// case plays its "> " lines on a fresh world, and the whole transcript must come out as it is written there.
//
// CAIRN_PRINT_CASES=FILE prints the transcripts of one file as they come out now: the way to write a new case
// is to write its commands, print, and read every line of the answer against the rules before keeping it.

#include "tests/support/cairn_qtest.h"
#include "tests/support/run_script.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace cairn::testing;

namespace {

struct Case {
    std::string name;
    std::string head;  // definition as written
    Play with;
    std::string script;
    std::string expected;  // the transcript
};

std::vector<Case> read(const std::filesystem::path& path)
{
    std::vector<Case> cases;
    std::ifstream in(path);
    bool transcript = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("== ")) {
            cases.push_back({line.substr(3), {}, {"", "", ""}, {}, {}});
            transcript = false;
            continue;
        }
        if (cases.empty() || line.empty())
            continue;
        Case& c = cases.back();
        transcript = transcript || line.starts_with("> ");
        if (line.starts_with("> "))
            c.script += line.substr(2) + "\n";
        if (transcript) {
            c.expected += line + "\n";
            continue;
        }
        c.head += line + "\n";
        if (line.starts_with("child: "))
            c.with.child += line.substr(7) + "\n";
        else if (line.starts_with("target: "))
            c.with.target += line.substr(8) + "\n";
        else
            c.with.definition += line + "\n";
    }
    return cases;
}

}  // namespace

class TestDecideTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void transcripts_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("index");
        int rows = 0;
        for (const auto& file :
            std::filesystem::directory_iterator(std::string(CAIRN_SOURCE_DIR) + "/tests/machine/cases")) {
            const auto cases = read(file.path());
            for (std::size_t i = 0; i < cases.size(); ++i, ++rows) {
                const std::string row = file.path().stem().string() + ": " + cases[i].name;
                QTest::newRow(row.c_str())
                    << QString::fromStdString(file.path().string()) << static_cast<int>(i);
            }
        }
        QVERIFY2(rows >= 60, "the tables of cases are not where this test looks for them");
    }

    void transcripts()
    {
        QFETCH(QString, file);
        QFETCH(int, index);
        const auto cases = read(file.toStdString());
        const Case& c = cases[static_cast<std::size_t>(index)];
        const std::string actual = play(c.with, c.script);
        if (actual == c.expected)
            return;
        std::stringstream a(actual);
        std::stringstream e(c.expected);
        std::string at;
        std::string expected;
        while (std::getline(e, expected) && std::getline(a, at) && at == expected) { }
        QFAIL(("\nexpected: " + expected + "\nactual:   " + at
            + "\n--- the whole transcript as it came out:\n" + actual)
                  .c_str());
    }
};

static int print(const char* file)
{
    for (const auto& c : read(file))
        std::cout << "== " << c.name << "\n" << c.head << play(c.with, c.script) << "\n";
    return 0;
}

int main(int argc, char** argv)
{
    if (const char* file = std::getenv("CAIRN_PRINT_CASES"))
        return print(file);
    TestDecideTables test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_decide_tables.moc"
