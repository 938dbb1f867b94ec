// Failpoints: configured exactly or not at all, counted always, and deadly where they are told to be.
#include "core/base/failpoint.h"
#include "tests/support/cairn_qtest.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cairn;

namespace {

// Runs the code in a child process and gives how it ended.
template<typename Function> int statusOfChild(Function function)
{
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);  // Qt Test would write a report for it
        function();
        ::_exit(7);
    }
    int status = 0;
    ::waitpid(child, &status, WUNTRACED);
    if (WIFSTOPPED(status)) {
        ::kill(child, SIGKILL);
        int end = 0;
        ::waitpid(child, &end, 0);
    }
    return status;
}

}  // namespace

class TestFailpoint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void errorsAtEveryHit();
    void errorsAtOneHit();
    void countsWhatIsNotNamed();
    void refusesWrongTexts();
    void killsItself();
    void stopsItself();
    void readsTheEnvironment();
    void countsFromManyThreads();
};

void TestFailpoint::errorsAtEveryHit()
{
    QVERIFY(failpoint::configure("a=error,b=off"));
    QVERIFY(failpoint::hit("a"));
    QVERIFY(failpoint::hit("a"));
    QVERIFY(!failpoint::hit("b"));
    QVERIFY(!failpoint::hit("c"));
}

void TestFailpoint::errorsAtOneHit()
{
    QVERIFY(failpoint::configure("a=error@3"));
    QVERIFY(!failpoint::hit("a"));
    QVERIFY(!failpoint::hit("a"));
    QVERIFY(failpoint::hit("a"));
    QVERIFY(!failpoint::hit("a"));
    QCOMPARE(failpoint::counts().at("a"), std::uint64_t{4});
}

void TestFailpoint::countsWhatIsNotNamed()
{
    QVERIFY(failpoint::configure(""));
    QVERIFY(!failpoint::hit("x"));
    QVERIFY(!failpoint::hit("x"));
    QVERIFY(!failpoint::hit("y"));
    QCOMPARE(failpoint::counts(), (std::map<std::string, std::uint64_t>{{"x", 2}, {"y", 1}}));
    QVERIFY(failpoint::configure(""));
    QVERIFY(failpoint::counts().empty());
}

void TestFailpoint::refusesWrongTexts()
{
    QVERIFY(failpoint::configure("keep=error"));
    QVERIFY(!failpoint::hit("count me"));
    for (const char* text : {"a", "=kill", "a=", "a=die", "a=kill@", "a=kill@0", "a=kill@x", "a=kill@1x",
             "a=error,b", "a=KILL", ",a=kill"}) {
        QVERIFY2(!failpoint::configure(text), text);
        QVERIFY2(failpoint::hit("keep"), text);  // nothing was changed
        QCOMPARE(failpoint::counts().at("count me"), std::uint64_t{1});
    }
}

void TestFailpoint::killsItself()
{
    const int status = statusOfChild([] {
        if (failpoint::configure("a=kill@2") && !failpoint::hit("a"))
            static_cast<void>(failpoint::hit("a"));
    });
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGKILL);
    const int survived = statusOfChild([] {
        if (!failpoint::configure("a=kill@2") || failpoint::hit("a"))
            ::_exit(1);
    });
    QVERIFY(WIFEXITED(survived));
    QCOMPARE(WEXITSTATUS(survived), 7);
}

void TestFailpoint::stopsItself()
{
    const int status = statusOfChild([] {
        if (failpoint::configure("a=stop"))
            static_cast<void>(failpoint::hit("a"));
    });
    QVERIFY(WIFSTOPPED(status));
    QCOMPARE(WSTOPSIG(status), SIGSTOP);
}

void TestFailpoint::readsTheEnvironment()
{
    const int good = statusOfChild([] {
        ::setenv("CAIRN_FAILPOINTS", "env=error", 1);
        failpoint::configureFromEnvironment();
        ::_exit(failpoint::hit("env") ? 5 : 1);
    });
    QVERIFY(WIFEXITED(good));
    QCOMPARE(WEXITSTATUS(good), 5);
    const int wrong = statusOfChild([] {
        ::setenv("CAIRN_FAILPOINTS", "env=explode", 1);
        failpoint::configureFromEnvironment();
    });
    QVERIFY2(WIFSIGNALED(wrong) && WTERMSIG(wrong) == SIGABRT, "a wrong text must end the program");
}

void TestFailpoint::countsFromManyThreads()
{
    QVERIFY(failpoint::configure("a=error@500"));
    std::atomic<int> errors{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&errors] {
                for (int hit = 0; hit < 250; ++hit)
                    errors += failpoint::hit("a") ? 1 : 0;
            });
    }
    QCOMPARE(errors.load(), 1);
    QCOMPARE(failpoint::counts().at("a"), std::uint64_t{1'000});
}

QTEST_APPLESS_MAIN(TestFailpoint)
#include "tst_failpoint.moc"
