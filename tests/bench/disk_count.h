#pragma once
// What this process asked of its disks: syncs, and bytes handed to the kernel for writing (log and
// checkpoints alike). A program that links disk_count.cpp has its fsync and fdatasync counted.

#include <cstdint>

namespace cairn::bench {

struct DiskCount {
    std::uint64_t syncs = 0;
    std::uint64_t bytes = 0;
    [[nodiscard]] DiskCount since(const DiskCount& before) const
    {
        return {syncs - before.syncs, bytes - before.bytes};
    }
};

[[nodiscard]] DiskCount diskCount();

}  // namespace cairn::bench
