// cairn-exec: stands between an engine and one tool.
//   cairn-exec --parent PID [--grace MS] [--lease FD] [--cwd DIR] [--cpu S] [--as B] [--fsize B] [--nofile N]
//   [--nproc N]
//   -- PROGRAM ARG...
// Standard input, output and error are the tool's. Descriptor 3 gets one line when all is over: "exit N",
// "signal N", "lost" (the engine is gone, or its lease has passed), or where the tool has done nothing, for
// it was never begun: "exec ERRNO" (the program could not be run), "cwd ERRNO" (its folder could not be
// entered) or "begin ERRNO" (the system has no room for it). It stays as the reaper of everything that the
// tool leaves behind: whatever forked, left the group or the session is killed when the tool ends, when the
// engine asks (TERM, then KILL after the grace; QUIT: at once), and when it dies. The tool ends as well when
// the engine's lease does, for another engine may have the run by then: --lease names a descriptor of shared
// memory that says when, and that the engine changes with each renewal; an engine that was stopped, or is
// blocked, changes nothing. The parent-death signal belongs to the thread that made this process: the engine
// spawns from its loop thread.

#include "app/cairn-exec/options.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using cairn::exec::Options;

constexpr int kStatus = 3;
constexpr int kUsage = 2;

void report(const char* word, int number)
{
    char line[64];
    const int size = std::snprintf(line, sizeof line, "%s %d\n", word, number);
    if (size > 0 && write(kStatus, line, static_cast<std::size_t>(size)) < 0)
        _exit(1);  // nobody listens any more
}

sigset_t watched()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2, SIGALRM})
        sigaddset(&set, signal);
    return set;
}

long long nowMs()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// Why the tool was not begun; as it goes through the pipe from the child.
struct Problem {
    enum Where : int { Exec, Cwd, Begin } where;
    int native;
};

const char* wordOf(Problem::Where where)
{
    return where == Problem::Exec ? "exec" : where == Problem::Cwd ? "cwd" : "begin";
}

// In the child: never returns. `problemFd` closes by itself when the program runs.
[[noreturn]] void runTool(const Options& options, pid_t supervisor, int problemFd)
{
    const auto give = [&](int native, Problem::Where where = Problem::Begin) {
        const Problem problem{where, native};
        static_cast<void>(!write(problemFd, &problem, sizeof problem));
        _exit(127);
    };
    // Should the supervisor itself be killed, the tool goes with it.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        give(errno);
    if (getppid() != supervisor)
        _exit(127);
    if (setsid() < 0)
        give(errno);
    const rlimit noCore{0, 0};
    if (setrlimit(RLIMIT_CORE, &noCore) != 0)
        give(errno);
    for (const auto& limit : options.limits) {
        rlimit now{};
        getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &now);
        const rlim_t value =
            now.rlim_max == RLIM_INFINITY || limit.value < now.rlim_max ? limit.value : now.rlim_max;
        const rlimit wanted{value, value};
        if (setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &wanted) != 0)
            give(errno);
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give(errno);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0)
        give(errno, Problem::Cwd);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // All descriptors but 0, 1, 2 are marked; the one for problems must live until exec succeeds.
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    execv(options.argv[0], options.argv.data());
    give(errno, Problem::Exec);
    _exit(127);
}

// Kills every process below this one. Orphans come to us (subreaper), so this ends when there is no child
// left.
void killAll(pid_t tool)
{
    const long long giveUp = nowMs() + 10'000;
    for (;;) {
        if (tool > 0)
            kill(-tool, SIGKILL);
        char path[64];
        std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
        if (FILE* file = std::fopen(path, "re")) {
            int child = 0;
            while (std::fscanf(file, "%d", &child) == 1)
                kill(child, SIGKILL);
            std::fclose(file);
        }
        for (;;) {
            const pid_t ended = waitpid(-1, nullptr, WNOHANG);
            if (ended < 0 && errno == ECHILD)
                return;
            if (ended == 0)
                break;
        }
        if (nowMs() > giveUp)
            return;
        timespec pause{0, 2'000'000};
        nanosleep(&pause, nullptr);
    }
}

// Reaps what has ended. True: the tool itself is among them, `status` is set.
bool reap(pid_t tool, int& status)
{
    bool ended = false;
    int each = 0;
    for (pid_t pid = waitpid(-1, &each, WNOHANG); pid > 0; pid = waitpid(-1, &each, WNOHANG)) {
        if (pid == tool) {
            status = each;
            ended = true;
        }
    }
    return ended;
}

// When the engine's lease ends; never, where none was named.
class Lease {
public:
    // False: the descriptor is none of these.
    bool open(int fd)
    {
        if (fd < 0)
            return true;
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        void* at = mmap(nullptr, sizeof *m_end, PROT_READ, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            return false;
        m_end = static_cast<const long long*>(at);
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGALRM;
        return timer_create(CLOCK_BOOTTIME, &event, &m_timer) == 0;
    }
    [[nodiscard]] bool passed() const { return m_end != nullptr && nowMs() >= end(); }
    // SIGALRM when it ends as it is now; it may have been renewed by then.
    void arm() const
    {
        if (m_end == nullptr)
            return;
        const long long at = end();
        itimerspec when{};
        if (at < kFar)
            when.it_value = {static_cast<time_t>(at / 1000), static_cast<long>(at % 1000) * 1'000'000 + 1};
        timer_settime(m_timer, TIMER_ABSTIME, &when, nullptr);
    }

private:
    static constexpr long long kFar = 1LL << 52;
    [[nodiscard]] long long end() const { return __atomic_load_n(m_end, __ATOMIC_ACQUIRE); }
    const long long* m_end = nullptr;
    timer_t m_timer{};
};

int supervise(pid_t tool, const Options& options, const Lease& lease)
{
    const sigset_t set = watched();
    long long killAt = 0;  // 0: nobody asked to stop
    for (;;) {
        lease.arm();
        timespec wait{3600, 0};
        if (killAt != 0) {
            const long long left = killAt > nowMs() ? killAt - nowMs() : 0;
            wait = {static_cast<time_t>(left / 1000), static_cast<long>(left % 1000) * 1'000'000};
        }
        const int signal = sigtimedwait(&set, nullptr, &wait);
        int status = 0;
        if (reap(tool, status)) {
            killAll(tool);
            if (WIFEXITED(status))
                report("exit", WEXITSTATUS(status));
            else
                report("signal", WTERMSIG(status));
            return 0;
        }
        // The engine is gone, wants an end without delay, or may not let anybody work for it any more.
        if (signal == SIGQUIT || getppid() != options.parent || lease.passed()) {
            killAll(tool);
            report("lost", 0);
            return 1;
        }
        if ((signal == SIGTERM || signal == SIGINT || signal == SIGHUP) && killAt == 0) {
            kill(-tool, SIGTERM);
            killAt = nowMs() + options.graceMs;
        }
        if (killAt != 0 && nowMs() >= killAt) {
            killAll(tool);
            report("signal", SIGKILL);
            return 0;
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    std::string problem;
    if (!cairn::exec::parseOptions(argc, argv, options, problem)) {
        std::fprintf(stderr, "cairn-exec: %s\n", problem.c_str());
        return kUsage;
    }
    const sigset_t set = watched();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signal(SIGPIPE, SIG_IGN);
    // Set first, checked after: an engine that died in between is seen by its pid.
    if (prctl(PR_SET_PDEATHSIG, SIGUSR2) != 0 || getppid() != options.parent)
        return 1;
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    fcntl(kStatus, F_SETFD, FD_CLOEXEC);

    Lease lease;
    if (!lease.open(options.lease)) {
        report("begin", errno);
        return 1;
    }
    int problems[2];
    const bool piped = pipe2(problems, O_CLOEXEC) == 0;
    const pid_t supervisor = getpid();
    const pid_t tool = piped ? fork() : -1;
    if (tool < 0) {
        report("begin", errno);
        return 1;
    }
    if (tool == 0) {
        signal(SIGPIPE, SIG_DFL);
        runTool(options, supervisor, problems[1]);
    }
    close(problems[1]);
    // The tool's streams must end when the tool's side closes them.
    for (const int fd : {0, 1, 2})
        close(fd);
    Problem why{};
    if (read(problems[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why)) {
        killAll(tool);
        report(wordOf(why.where), why.native);
        return 1;
    }
    close(problems[0]);
    return supervise(tool, options, lease);
}
