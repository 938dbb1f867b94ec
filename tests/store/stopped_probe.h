#pragma once
// A program, such as the older one (format1_probe.cpp), as a process that stops itself at a failpoint, so
// that a test can act at just that instant.

#include <QtCore/QProcess>

#include <csignal>
#include <sys/wait.h>

namespace cairn::testing {

class StoppedProgram {
public:
    // No failpoint: it does not stop.
    StoppedProgram(const QString& program, const QStringList& arguments, const char* failpoint)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (*failpoint != '\0')
            environment.insert(
                QStringLiteral("CAIRN_FAILPOINTS"), QLatin1String(failpoint) + QLatin1String("=stop@1"));
        m_process.setProcessEnvironment(environment);
        m_process.start(program, arguments);
    }

    // Blocks until it has stopped; false where it ended instead.
    [[nodiscard]] bool stopped()
    {
        siginfo_t info{};
        if (!m_process.waitForStarted())
            return false;
        const auto pid = static_cast<id_t>(m_process.processId());
        return ::waitid(P_PID, pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0 && info.si_code == CLD_STOPPED;
    }

    // Lets it go on; what it said when it had ended.
    [[nodiscard]] QByteArray goOn()
    {
        ::kill(static_cast<pid_t>(m_process.processId()), SIGCONT);
        return ended();
    }

    // Waits for its end; what it said.
    [[nodiscard]] QByteArray ended()
    {
        m_process.waitForFinished(20'000);
        return m_process.readAllStandardOutput().trimmed();
    }

    // Ends it where it is.
    void kill()
    {
        m_process.kill();
        m_process.waitForFinished(20'000);
    }

private:
    QProcess m_process;
};

class StoppedProbe : public StoppedProgram {
public:
    StoppedProbe(const char* verb, const std::string& place, const char* failpoint)
        : StoppedProgram(QStringLiteral(CAIRN_FORMAT1_PROBE),
            {QString::fromLatin1(verb), QString::fromStdString(place)}, failpoint)
    {
    }
};

}  // namespace cairn::testing
