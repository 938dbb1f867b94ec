#pragma once
// Opening a database file the one right way: file checks, flags, pragmas, busy handler, authorizer.

#include "core/store/sqlite/db.h"
#include "core/store/store.h"

#include <chrono>

namespace cairn::sqlite {

enum class OpenFor : std::uint8_t {
    Reading,
    Writing,  // with the authorizer: no statement may change what is append-only
    Schema,   // creating and migrating tables
};

// Waits for a lock in steps of 1 ms, 5 s in all. Installed on every connection in place of PRAGMA
// busy_timeout.
class BusyWait {
public:
    static int step(void* self, int count) noexcept;
    void setLimit(std::chrono::milliseconds limit) { m_limit = limit; }

private:
    std::chrono::steady_clock::time_point m_since;
    std::chrono::milliseconds m_limit{5000};
};

class Connection {
public:
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(
        const std::string& path, OpenFor purpose, const StoreOptions& options);
    [[nodiscard]] Db& db() noexcept { return *m_db; }
    [[nodiscard]] BusyWait& busy() noexcept { return m_busy; }
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }
    // What the authorizer lets through, for the statements that do so alone.
    struct Permits {
        bool fence = false;          // min_writer is changed (changeFence)
        bool artifactPlace = false;  // the table of that name is made and written (changeArtifacts)
        bool removal = false;        // rows of runs with a tombstone go (removeTree, sweepRemoved)
    };
    void allow(Permits permits) noexcept { m_permits = permits; }

private:
    Connection() = default;
    [[nodiscard]] Status configure(OpenFor purpose, const StoreOptions& options, bool wal);
    [[nodiscard]] Status setJournal(bool wal);
    [[nodiscard]] Status refuseWal();

    std::string m_path;
    BusyWait m_busy;
    Permits m_permits;
    std::unique_ptr<Db> m_db;
};

// A pragma's answer as text; the name is a constant of ours.
[[nodiscard]] Result<std::string> pragma(Db& db, const char* constantSql);
// Creates an empty file with mode 0600, or accepts an empty one. Refused: exists with content.
// Whether makeStoreFile() could make the file, or leave it as it is; writes nothing.
[[nodiscard]] Status checkStorePlace(const std::string& path);
[[nodiscard]] Status makeStoreFile(const std::string& path);
[[nodiscard]] Status syncPath(const std::string& path);  // fsync of a folder

}  // namespace cairn::sqlite
