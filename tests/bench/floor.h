#pragma once
// What bare SQLite does at the same durability (WAL, synchronous=FULL), on a file of its own beside the one
// measured. Disks drift, so a figure is compared with the floor measured right before it, never with one of
// another day.

#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace cairn::bench {

class Floor {
public:
    explicit Floor(const std::string& dir);
    ~Floor();
    Floor(const Floor&) = delete;
    Floor& operator=(const Floor&) = delete;

    // Rows of 300 bytes per second, `batch` to a commit, inserted for about `seconds`.
    [[nodiscard]] double rowsPerSecond(int batch, double seconds);

private:
    void must(int code) const;
    void run(const char* sql) const;
    void insert(int batch) const;

    std::string m_dir;
    sqlite3* m_db = nullptr;
    sqlite3_stmt* m_insert = nullptr;
};

}  // namespace cairn::bench
