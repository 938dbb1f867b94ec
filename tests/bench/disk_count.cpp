#include "tests/bench/disk_count.h"

#include <atomic>
#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<std::uint64_t> g_syncs{0};

}  // namespace

// These stand before those of the C library, in this program only.
extern "C" int fdatasync(int fd)
{
    ++g_syncs;
    return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

extern "C" int fsync(int fd)
{
    ++g_syncs;
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace cairn::bench {

DiskCount diskCount()
{
    DiskCount count;
    count.syncs = g_syncs;
    if (std::FILE* file = std::fopen("/proc/self/io", "r")) {
        unsigned long long read = 0, written = 0;
        if (std::fscanf(file, "rchar: %llu wchar: %llu", &read, &written) == 2)
            count.bytes = written;
        std::fclose(file);
    }
    return count;
}

}  // namespace cairn::bench
