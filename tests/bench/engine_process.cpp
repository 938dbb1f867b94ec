#include "tests/bench/engine_process.h"

#include "tests/bench/figures.h"

#include <fstream>

namespace cairn::bench {

namespace {

// The value after "Name:" in a file of /proc; 0 where it is not there.
std::uint64_t valueOf(const std::string& path, const std::string& name)
{
    std::ifstream file(path);
    std::string word;
    std::uint64_t value = 0;
    while (file >> word)
        if (word == name + ":" && file >> value)
            return value;
    return 0;
}

}  // namespace

ProcessUse useOf(pid_t pid)
{
    const std::string folder = "/proc/" + std::to_string(pid);
    ProcessUse use;
    use.rssMb = static_cast<double>(valueOf(folder + "/status", "VmRSS")) / 1024;
    use.peakRssMb = static_cast<double>(valueOf(folder + "/status", "VmHWM")) / 1024;
    use.bytesWritten = valueOf(folder + "/io", "wchar");
    for (const auto& thread : std::filesystem::directory_iterator(folder + "/task")) {
        std::uint64_t nanoseconds = 0;
        std::ifstream(thread.path() / "schedstat") >> nanoseconds;
        use.cpuSeconds += static_cast<double>(nanoseconds) / 1e9;
        use.wakeups += valueOf((thread.path() / "status").string(), "voluntary_ctxt_switches");
    }
    return use;
}

Process startEngine(const std::string& storeUrl, const std::string& dir, int concurrency)
{
    const auto program = std::filesystem::canonical("/proc/self/exe").parent_path() / "cairn";
    if (!std::filesystem::exists(program))
        fail(program.string() + " is not built: add `cairn` to the targets");
    return must(Process::start({program.string(), "--store", storeUrl, "engine", "--concurrency",
                                   std::to_string(concurrency)},
        {}, dir + "/bench-engine.log", false));
}

}  // namespace cairn::bench
