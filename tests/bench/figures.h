#pragma once
// Shared by the benches: arguments, time, percentiles, one line per figure.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace cairn::bench {

inline std::string argument(int argc, char** argv, const char* name, const char* fallback)
{
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return fallback;
}

class Stopwatch {
public:
    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }
    [[nodiscard]] double ms() const { return seconds() * 1000; }
    void restart() { m_start = std::chrono::steady_clock::now(); }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

inline double percentile(std::vector<double> values, double p)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5);
    return values[at];
}

inline void figure(const std::string& name, double value, const char* unit)
{
    std::printf("%-58s %12.2f %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
}

// A file that is not there, its -wal and -shm neither.
inline std::string freshFile(const std::string& dir, const std::string& name)
{
    std::filesystem::create_directories(dir);
    const std::string path = dir + "/" + name;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        std::filesystem::remove(path + suffix);
    return path;
}

inline double fileBytes(const std::string& path)
{
    std::error_code error;
    double sum = 0;
    for (const char* suffix : {"", "-wal"})
        if (const auto size = std::filesystem::file_size(path + suffix, error); !error)
            sum += static_cast<double>(size);
    return sum;
}

}  // namespace cairn::bench
