#pragma once
// Command line of cairn-exec.

#include <string>
#include <sys/resource.h>
#include <vector>

namespace cairn::exec {

struct Limit {
    int resource = 0;
    rlim_t value = 0;
};

struct Options {
    int parent = 0;       // pid of the engine: checked after the parent-death signal is set
    int graceMs = 5'000;  // between TERM and KILL
    int lease = -1;       // descriptor of eight bytes: when the engine's lease ends, CLOCK_BOOTTIME in ms
    std::string folder;   // working directory; empty: stays
    std::vector<Limit> limits;
    std::vector<char*> argv;  // ends with a null pointer
};

// False where the command line is wrong; `problem` says why.
[[nodiscard]] bool parseOptions(int argc, char** argv, Options& options, std::string& problem);

}  // namespace cairn::exec
