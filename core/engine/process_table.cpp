#include "core/engine/process_table.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace cairn {

namespace {

std::string firstLine(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

struct Stat {
    char state = '?';
    std::int64_t startTicks = 0;
};

// Fields 3 and 22; the name in field 2 may hold blanks and brackets, so counting begins after the last one.
std::optional<Stat> readStat(std::int64_t pid)
{
    const std::string line = firstLine("/proc/" + std::to_string(pid) + "/stat");
    const auto end = line.rfind(')');
    if (end == std::string::npos || end + 2 >= line.size())
        return std::nullopt;
    Stat stat;
    stat.state = line[end + 2];
    std::size_t at = end + 2;
    for (int field = 3; field < 22; ++field) {
        at = line.find(' ', at);
        if (at == std::string::npos)
            return std::nullopt;
        ++at;
    }
    stat.startTicks = std::strtoll(line.c_str() + at, nullptr, 10);
    return stat;
}

}  // namespace

ProcessIdentity SystemProcessTable::self()
{
    ProcessIdentity me;
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0)
        me.host = host.data();
    me.bootId = firstLine("/proc/sys/kernel/random/boot_id");
    std::array<char, 128> ns{};
    if (readlink("/proc/self/ns/pid", ns.data(), ns.size() - 1) > 0)
        me.pidNamespace = ns.data();
    me.pid = getpid();
    if (const auto stat = readStat(me.pid))
        me.startTicks = stat->startTicks;
    return me;
}

bool SystemProcessTable::isGone(std::int64_t pid, std::int64_t startTicks)
{
    if (pid <= 0)
        return false;
    if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
        return true;
    const auto stat = readStat(pid);
    if (!stat)
        return false;  // /proc may be hidden: the lease decides
    // A zombie runs nothing any more. Threads of a killed process end before it becomes one.
    return stat->startTicks != startTicks || stat->state == 'Z' || stat->state == 'X';
}

}  // namespace cairn
