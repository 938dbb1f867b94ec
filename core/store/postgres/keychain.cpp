#include "core/store/postgres/keychain.h"

#include "core/base/session_bus.h"
#include "core/base/shell.h"
#include "core/store/postgres/errors.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace cairn::postgres {

namespace {

constexpr std::size_t kLongest = 8'192;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

// In the absolute folders of PATH: what lies in the working folder is nobody's keychain.
std::string secretTool()
{
    const std::string path = variable("PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string file = path.substr(at, end - at) + "/secret-tool";
        if (file.front() == '/' && ::access(file.c_str(), X_OK) == 0)
            return file;
        at = end + 1;
    }
    return {};
}

std::vector<std::string> attributes(const KeychainItem& item)
{
    return {"application", "cairn", "host", item.host, "port", item.port, "database", item.database, "user",
        item.user};
}

class Pipe {
public:
    Pipe() { static_cast<void>(!::pipe2(m_ends.data(), O_CLOEXEC)); }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    [[nodiscard]] bool good() const { return m_ends[0] >= 0; }
    [[nodiscard]] int end(std::size_t which) const { return m_ends.at(which); }
    void closeEnd(std::size_t which)
    {
        if (m_ends.at(which) >= 0)
            ::close(m_ends.at(which));
        m_ends.at(which) = -1;
    }

private:
    std::array<int, 2> m_ends{-1, -1};
};

// Its messages are looked at, so they are asked for untranslated.
std::vector<std::string> childEnvironment()
{
    std::vector<std::string> all{"LC_ALL=C"};
    for (char** each = environ; *each != nullptr; ++each)
        if (std::string_view(*each).substr(0, 7) != "LC_ALL=")
            all.emplace_back(*each);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

pid_t spawn(const std::string& file, std::vector<std::string> arguments, const Pipe& out, const Pipe& err)
{
    std::vector<std::string> environment = childEnvironment();
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.end(1), 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.end(1), 2);
    pid_t pid = -1;
    const int failed = ::posix_spawn(
        &pid, file.c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? pid : -1;
}

// False: it ended. What does not fit is dropped.
bool readSome(int fd, std::string& text)
{
    std::array<char, 1'024> bytes{};
    const ssize_t size = ::read(fd, bytes.data(), bytes.size());
    if (size > 0 && text.size() < kLongest)
        text.append(bytes.data(), static_cast<std::size_t>(size));
    return size > 0 || (size < 0 && errno == EINTR);
}

// False: the time is up.
bool readBoth(const Pipe& out, const Pipe& err, std::string& said, std::string& complained, SpanMs patience)
{
    const SystemClock clock;
    const SpanMs deadline = clock.monotonicMs() + patience;
    std::array<pollfd, 2> fds{pollfd{out.end(0), POLLIN, 0}, pollfd{err.end(0), POLLIN, 0}};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        const SpanMs left = deadline - clock.monotonicMs();
        if (left <= 0)
            return false;
        if (::poll(fds.data(), fds.size(), static_cast<int>(left)) <= 0)
            continue;
        if (fds[0].fd >= 0 && fds[0].revents != 0 && !readSome(fds[0].fd, said))
            fds[0].fd = -1;
        if (fds[1].fd >= 0 && fds[1].revents != 0 && !readSome(fds[1].fd, complained))
            fds[1].fd = -1;
    }
    return true;
}

bool nobodyKeepsSecrets(std::string_view complaint)
{
    for (const std::string_view sign : {"org.freedesktop.secrets was not provided", "Cannot autolaunch D-Bus",
             "Could not connect", "Cannot spawn a message bus"})
        if (complaint.find(sign) != std::string_view::npos)
            return true;
    return false;
}

}  // namespace

KeychainAnswer askKeychain(const KeychainItem& item, SpanMs patience)
{
    using Kind = KeychainAnswer::Kind;
    const std::string tool = secretTool();
    Pipe out, err;
    if (tool.empty() || !hasSessionBus() || !out.good() || !err.good())
        return {};
    std::vector<std::string> arguments{tool, "lookup"};
    for (std::string& word : attributes(item))
        arguments.push_back(std::move(word));
    const pid_t pid = spawn(tool, std::move(arguments), out, err);
    if (pid < 0)
        return {Kind::Refused, {}, "the keychain could not be asked: " + tool + " cannot be started"};
    out.closeEnd(1);
    err.closeEnd(1);
    std::string said, complained;
    const bool ended = readBoth(out, err, said, complained, patience);
    if (!ended)
        ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) { }
    if (!ended)
        return {Kind::Refused, {},
            "the keychain did not answer within " + std::to_string(patience / 1'000)
                + " s: it is locked, and nobody unlocked it"};
    if (!said.empty() && said.back() == '\n')
        said.pop_back();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !said.empty())
        return {Kind::Found, std::move(said), {}};
    const std::string complaint = tidy(complained.c_str());
    if (complaint.empty())
        return {Kind::Nothing, {}, {}};
    if (nobodyKeepsSecrets(complaint))
        return {};
    return {Kind::Refused, {}, "the keychain refused: " + complaint};
}

std::string keychainCommand(const KeychainItem& item)
{
    std::string command = "secret-tool store --label='Cairn' ";
    bool value = false;
    for (const std::string& word : attributes(item)) {
        command += (value ? " " : "") + shellWord(word);
        value = true;
    }
    return command;
}

}  // namespace cairn::postgres
