#include "app/cairn-exec/options.h"

#include <cstdlib>
#include <string_view>

namespace cairn::exec {

namespace {

bool parseNumber(std::string_view text, unsigned long long most, unsigned long long& out)
{
    if (text.empty() || text.size() > 19 || text.find_first_not_of("0123456789") != std::string_view::npos)
        return false;
    out = std::strtoull(std::string(text).c_str(), nullptr, 10);
    return out <= most;
}

int limitNamed(std::string_view name)
{
    if (name == "--cpu")
        return RLIMIT_CPU;
    if (name == "--as")
        return RLIMIT_AS;
    if (name == "--fsize")
        return RLIMIT_FSIZE;
    if (name == "--nofile")
        return RLIMIT_NOFILE;
    if (name == "--nproc")
        return RLIMIT_NPROC;
    return -1;
}

}  // namespace

bool parseOptions(int argc, char** argv, Options& options, std::string& problem)
{
    int at = 1;
    for (; at + 1 < argc && std::string_view(argv[at]) != "--"; at += 2) {
        const std::string_view name = argv[at];
        const std::string_view value = argv[at + 1];
        unsigned long long number = 0;
        if (name == "--cwd") {
            options.folder = value;
            continue;
        }
        const bool isCount = name == "--parent" || name == "--grace" || name == "--lease";
        const int resource = limitNamed(name);
        if (!isCount && resource < 0) {
            problem = "unknown option " + std::string(name);
            return false;
        }
        if (!parseNumber(value, isCount ? 2'000'000'000ULL : 1ULL << 62, number)) {
            problem = std::string(name) + " needs a whole number, found " + std::string(value);
            return false;
        }
        if (name == "--parent")
            options.parent = static_cast<int>(number);
        else if (name == "--grace")
            options.graceMs = static_cast<int>(number);
        else if (name == "--lease")
            options.lease = static_cast<int>(number);
        else
            options.limits.push_back({resource, static_cast<rlim_t>(number)});
    }
    if (at >= argc || std::string_view(argv[at]) != "--" || at + 1 >= argc) {
        problem = "there is no program after --";
        return false;
    }
    if (options.parent <= 0) {
        problem = "--parent is missing";
        return false;
    }
    options.argv.assign(argv + at + 1, argv + argc);
    options.argv.push_back(nullptr);
    return true;
}

}  // namespace cairn::exec
