#pragma once
// Shared by the benches: arguments, time, percentiles, one line per figure.

#include "core/base/result.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

inline int number(int argc, char** argv, const char* name, int fallback)
{
    return std::atoi(argument(argc, argv, name, std::to_string(fallback).c_str()).c_str());
}

// A bench has nobody to hand an error to: it says what went wrong and ends.
[[noreturn]] inline void fail(const std::string& text)
{
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(1);
}
template<class T> T must(Result<T> result)
{
    if (!result)
        fail(result.error().text);
    return std::move(*result);
}
inline void must(const Status& status)
{
    if (!status)
        fail(status.error().text);
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

// Nearest rank; 0 where there are none.
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
    std::printf("%-62s %12.2f %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
}

inline void percentiles(const std::string& name, const std::vector<double>& values, const char* unit)
{
    figure(name + ": p50", percentile(values, 0.5), unit);
    figure(name + ": p99", percentile(values, 0.99), unit);
    figure(name + ": max", percentile(values, 1), unit);
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
