#pragma once
// An SQLite VFS over the default one that can stop at the n-th call that changes a file, and then knows what
// a disk would hold after a power cut: what was synced for certain, and of the rest what the chosen mode
// says.
//
//   crash::Disk disk;                      // registers itself as the default VFS
//   disk.watch(folder); disk.arm(17, Loss::Unsynced);
//   ... work until calls fail ...
//   disk.crash();                          // close all connections first; writes the files as the power cut
//   left them

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cairn::testing::crash {

enum class Loss : std::uint8_t {
    Nothing,    // a killed process: everything written stays
    Unsynced,   // power cut: what was not synced is gone
    Torn,       // power cut: of the unsynced writes the first half is there, the last of them cut at a sector
    Reordered,  // power cut: every second unsynced write is there, the older ones missing
};

struct Write {
    std::uint64_t offset = 0;
    std::string bytes;
    bool truncates = false;  // then `offset` is the new size
};

// What the disk holds of one file, and what is on its way.
struct FileState {
    bool exists = false;  // durable: the entry in the folder too
    std::string durable;
    std::vector<Write> pending;
    bool deletePending = false;
};

class Disk {
public:
    Disk();
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    // Files in this folder are watched; what is there now counts as durable.
    void watch(const std::string& folder);
    // The n-th changing call from now on (1 = the first) and all calls after it fail. 0: never.
    void arm(std::uint64_t atCall);
    // The next sync fails, and all calls after it.
    void armAtSync() { m_stopAtSync = true; }
    // The machine works again, with its files as they are.
    void repair();
    [[nodiscard]] std::uint64_t calls() const { return m_calls; }
    [[nodiscard]] bool stopped() const { return m_stopped; }
    [[nodiscard]] std::uint64_t syncs() const { return m_syncs; }
    // Writes every watched file as the power cut leaves it. All connections must be closed.
    void crash(Loss loss);

    // --- for the VFS
    [[nodiscard]] bool mayChange(
        bool isSync = false);  // counts a changing call; false: the machine has stopped
    [[nodiscard]] FileState* file(const std::string& path);
    void synced() { ++m_syncs; }

private:
    std::string m_folder;
    std::map<std::string, FileState> m_files;
    std::uint64_t m_calls = 0;
    std::uint64_t m_stopAt = 0;
    std::uint64_t m_syncs = 0;
    bool m_stopped = false;
    bool m_stopAtSync = false;
    bool m_watching = false;
};

}  // namespace cairn::testing::crash
