#include "core/report/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cairn {

namespace {

std::vector<std::string> mergedEnvironment(const std::vector<std::pair<std::string, std::string>>& extra)
{
    std::vector<std::string> list;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto& [key, value] : extra)
            replaced = replaced || key == name;
        if (!replaced)
            list.push_back(text);
    }
    for (const auto& [key, value] : extra)
        list.push_back(key + "=" + value);
    return list;
}

std::vector<char*> pointers(std::vector<std::string>& list)
{
    std::vector<char*> result;
    for (auto& text : list)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

Process::~Process() { close(); }

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept
{
    if (this != &other) {
        close();
        m_pid = std::exchange(other.m_pid, -1);
        m_output = std::exchange(other.m_output, -1);
        m_status = std::exchange(other.m_status, -1);
        m_buffer = std::move(other.m_buffer);
    }
    return *this;
}

void Process::close()
{
    if (m_pid > 0 && m_status < 0) {
        ::kill(m_pid, SIGKILL);
        wait();
    }
    if (m_output >= 0)
        ::close(m_output);
    m_output = -1;
    m_pid = -1;
}

Result<Process> Process::start(const std::vector<std::string>& argv,
    const std::vector<std::pair<std::string, std::string>>& environment, const std::string& logFile,
    bool readsOutput)
{
    int pipeEnds[2] = {-1, -1};
    if (readsOutput && ::pipe2(pipeEnds, O_CLOEXEC) != 0)
        return makeError(ErrorKind::Io, std::string("cannot make a pipe: ") + std::strerror(errno), errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (readsOutput)
        posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(
        &actions, STDERR_FILENO, logFile.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    std::vector<std::string> arguments = argv;
    std::vector<std::string> variables = mergedEnvironment(environment);
    pid_t pid = -1;
    const int failed = ::posix_spawn(&pid, argv.front().c_str(), &actions, nullptr,
        pointers(arguments).data(), pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (pipeEnds[1] >= 0)
        ::close(pipeEnds[1]);
    if (failed != 0) {
        if (pipeEnds[0] >= 0)
            ::close(pipeEnds[0]);
        return makeError(
            ErrorKind::Io, "cannot start " + argv.front() + ": " + std::strerror(failed), failed);
    }
    Process process;
    process.m_pid = pid;
    process.m_output = pipeEnds[0];
    return process;
}

Result<std::string> Process::readLine(int timeoutMs)
{
    for (;;) {
        if (const auto end = m_buffer.find('\n'); end != std::string::npos) {
            std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            return line;
        }
        pollfd entry{m_output, POLLIN, 0};
        const int ready = ::poll(&entry, 1, timeoutMs);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return makeError(ErrorKind::Io, "process " + std::to_string(m_pid) + " said nothing in time");
        char chunk[4096];
        const ssize_t got = ::read(m_output, chunk, sizeof chunk);
        if (got <= 0)
            return makeError(ErrorKind::Io, "process " + std::to_string(m_pid) + " ended its output");
        m_buffer.append(chunk, static_cast<std::size_t>(got));
    }
}

std::string Process::readAll()
{
    std::string all = std::move(m_buffer);
    m_buffer.clear();
    char chunk[65536];
    for (;;) {
        const ssize_t got = ::read(m_output, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return all;
        all.append(chunk, static_cast<std::size_t>(got));
    }
}

void Process::kill(int signal)
{
    if (m_pid > 0 && m_status < 0)
        ::kill(m_pid, signal);
}

int Process::wait()
{
    if (m_pid <= 0 || m_status >= 0)
        return m_status;
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) { }
    m_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return m_status;
}

bool Process::ended()
{
    if (m_pid <= 0 || m_status >= 0)
        return true;
    int status = 0;
    if (::waitpid(m_pid, &status, WNOHANG) != m_pid)
        return false;
    m_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

}  // namespace cairn
