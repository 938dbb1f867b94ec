#include "core/engine/command_spawn.h"

#include "core/base/digest.h"
#include "core/engine/call_settings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr int kLeaseDescriptor = 4;  // in the helper

class Pipe {
public:
    Status open()
    {
        if (::pipe2(m_ends.data(), O_CLOEXEC) != 0)
            return makeError(
                ErrorKind::Io, std::string("a pipe cannot be made: ") + std::strerror(errno), errno);
        return {};
    }
    ~Pipe()
    {
        for (const int fd : m_ends)
            if (fd >= 0)
                ::close(fd);
    }
    [[nodiscard]] int read() const { return m_ends[0]; }
    [[nodiscard]] int write() const { return m_ends[1]; }
    int take(std::size_t end)
    {
        ::fcntl(m_ends[end], F_SETFL, ::fcntl(m_ends[end], F_GETFL) | O_NONBLOCK);
        return std::exchange(m_ends[end], -1);
    }

private:
    std::array<int, 2> m_ends{-1, -1};
};

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (const std::string& text : texts)
        out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

std::string traceParent(const StartOrder& order)
{
    std::array<char, 17> span{};
    std::snprintf(span.data(), span.size(), "%016llx", static_cast<unsigned long long>(order.span));
    const std::string_view trace{reinterpret_cast<const char*>(order.trace.data()), order.trace.size()};
    return "00-" + hex(trace) + "-" + span.data() + "-01";
}

std::vector<std::string> buildEnvironment(
    const StartOrder& order, const std::vector<std::string>& names, const std::optional<std::string>& secret)
{
    std::vector<std::string> wanted{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"};
    wanted.insert(wanted.end(), names.begin(), names.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<std::string> out;
    for (const std::string& name : wanted)
        if (const char* value = std::getenv(name.c_str()))
            out.push_back(name + "=" + value);
    out.push_back("CAIRN_RUN=" + toText(order.run));
    out.push_back("CAIRN_STEP=" + order.step);
    out.push_back("CAIRN_ATTEMPT=" + toText(order.attempt));
    out.push_back("CAIRN_ATTEMPT_NUMBER=" + std::to_string(order.number));
    out.push_back("CAIRN_PURPOSE=" + std::string(key(order.purpose)));
    if (!order.effectKey.empty())
        out.push_back("CAIRN_EFFECT_KEY=" + order.effectKey);
    if (secret)
        out.push_back("CAIRN_SECRET=" + *secret);
    if (order.span != 0)
        out.push_back("TRACEPARENT=" + traceParent(order));
    return out;
}

}  // namespace

Result<SpawnRequest> buildRequest(const StartOrder& order, const CommandConfig& config,
    const std::optional<std::string>& secret, int lease, std::uint64_t& maxOutput)
{
    CAIRN_TRY_ASSIGN(const CallSettings settings, CallSettings::open(order, secret));
    CAIRN_TRY_ASSIGN(const auto argv, settings.texts("argv"));
    CAIRN_TRY_ASSIGN(const std::string folder, settings.text("cwd", ""));
    CAIRN_TRY_ASSIGN(const auto names, settings.texts("env"));
    if (argv.empty() || argv.front().empty() || argv.front().front() != '/')
        return makeError(
            ErrorKind::InvalidInput, "the program of tool \"" + order.tool + "\" must be an absolute path");
    for (const std::string& argument : argv)
        if (argument.find('\0') != std::string::npos)
            return makeError(
                ErrorKind::InvalidInput, "an argument of tool \"" + order.tool + "\" holds a NUL");
    const CommandLimits& limits = config.limits;
    maxOutput = std::min<std::uint64_t>(limits.output,
        static_cast<std::uint64_t>(settings.number("max_output", static_cast<std::int64_t>(limits.output))));
    SpawnRequest request;
    request.arguments = {
        config.helper, "--parent", std::to_string(::getpid()), "--grace", std::to_string(limits.grace)};
    const auto limit = [&](const char* name, std::uint64_t value) {
        if (value > 0) {
            request.arguments.emplace_back(name);
            request.arguments.push_back(std::to_string(value));
        }
    };
    request.lease = lease;
    if (lease >= 0)
        limit("--lease", kLeaseDescriptor);
    limit("--cpu", limits.cpuSeconds);
    limit("--as", limits.memory);
    limit("--fsize", limits.fileSize);
    limit("--nofile", limits.files);
    limit("--nproc", limits.processes);
    if (!folder.empty()) {
        request.arguments.emplace_back("--cwd");
        request.arguments.push_back(folder);
    }
    request.program = argv.front();
    request.folder = folder;
    request.arguments.emplace_back("--");
    request.arguments.insert(request.arguments.end(), argv.begin(), argv.end());
    request.environment = buildEnvironment(order, names, secret);
    return request;
}

Result<Spawned> spawnHelper(const std::string& helper, const SpawnRequest& request)
{
    Pipe in, out, err, status;
    for (Pipe* pipe : {&in, &out, &err, &status})
        CAIRN_TRY(pipe->open());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // In this order no source is overwritten before it is used: all sources are above 2.
    posix_spawn_file_actions_adddup2(&actions, in.read(), 0);
    posix_spawn_file_actions_adddup2(&actions, out.write(), 1);
    posix_spawn_file_actions_adddup2(&actions, err.write(), 2);
    posix_spawn_file_actions_adddup2(&actions, status.write(), 3);
    if (request.lease >= 0)
        posix_spawn_file_actions_adddup2(&actions, request.lease, kLeaseDescriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    Spawned spawned;
    const int problem = posix_spawn(&spawned.pid, helper.c_str(), &actions, &attributes,
        pointers(request.arguments).data(), pointers(request.environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (problem != 0)
        return makeError(ErrorKind::Io,
            problem == E2BIG
                ? "the arguments and the environment of " + request.program + " are too long for the system"
                : "the engine's helper " + (helper.empty() ? "cairn-exec" : helper)
                    + " cannot be run: " + std::strerror(problem),
            problem);
    // The header of glibc 2.36 declares pidfd_open without C linkage.
    spawned.pidFd = static_cast<int>(::syscall(SYS_pidfd_open, spawned.pid, 0));
    if (spawned.pidFd < 0) {
        const int native = errno;
        ::kill(spawned.pid, SIGQUIT);
        int how = 0;
        const bool before = ::waitpid(spawned.pid, &how, 0) == spawned.pid && WIFSIGNALED(how);
        // A helper that the signal ended had not come to where it begins the tool. One that took it as a wish
        // may have: then what the tool did is not known.
        return makeError(before ? ErrorKind::Io : ErrorKind::OutcomeUnknown,
            std::string("pidfd_open: ") + std::strerror(native), native);
    }
    spawned.in = in.take(1);
    spawned.out = out.take(0);
    spawned.err = err.take(0);
    spawned.status = status.take(0);
    return spawned;
}

}  // namespace cairn
