#pragma once
// Counts the calls that one thread makes into SQLite's files: reads, locks, and those of the WAL index.
// Connections that are opened while a ThreadWatch lives are concerned. One at a time.

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace cairn::ui::test {

class ThreadWatch {
public:
    explicit ThreadWatch(std::thread::id watched = std::this_thread::get_id())
    {
        s_watched = watched;
        s_calls = 0;
        s_others = 0;
        s_inner = sqlite3_vfs_find(nullptr);
        s_vfs = *s_inner;
        s_vfs.zName = "thread-watch";
        s_vfs.pNext = nullptr;
        s_vfs.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
            note();
            const int code = s_inner->xOpen(s_inner, name, file, flags, out);
            if (code == SQLITE_OK && file->pMethods != nullptr)
                file->pMethods = patched(file->pMethods);
            return code;
        };
        sqlite3_vfs_register(&s_vfs, 1);
    }
    ~ThreadWatch()
    {
        sqlite3_vfs_unregister(&s_vfs);
        sqlite3_vfs_register(s_inner, 1);
    }
    ThreadWatch(const ThreadWatch&) = delete;
    ThreadWatch& operator=(const ThreadWatch&) = delete;

    static void reset() { s_calls = 0; }
    [[nodiscard]] static int calls() { return s_calls; }  // of the watched thread
    [[nodiscard]] static int others()
    {
        return s_others;
    }  // of all other threads: the watch does see something

private:
    struct Pair {
        sqlite3_io_methods mine;
        const sqlite3_io_methods* theirs;
    };
    static void note() { ++(std::this_thread::get_id() == s_watched ? s_calls : s_others); }
    static const sqlite3_io_methods* theirs(sqlite3_file* file)
    {
        return reinterpret_cast<const Pair*>(file->pMethods)
            ->theirs;  // `mine` is the first member of the pair
    }
    static const sqlite3_io_methods* patched(const sqlite3_io_methods* inner)
    {
        const std::scoped_lock lock(s_mutex);
        auto& pair = s_methods[inner];
        if (pair)
            return &pair->mine;
        pair = std::make_unique<Pair>(Pair{*inner, inner});
        pair->mine.xRead = [](sqlite3_file* file, void* to, int count, sqlite3_int64 at) {
            note();
            return theirs(file)->xRead(file, to, count, at);
        };
        pair->mine.xWrite = [](sqlite3_file* file, const void* from, int count, sqlite3_int64 at) {
            note();
            return theirs(file)->xWrite(file, from, count, at);
        };
        if (inner->iVersion >= 2 && inner->xShmLock != nullptr)
            pair->mine.xShmLock = [](sqlite3_file* file, int offset, int n, int flags) {
                note();
                return theirs(file)->xShmLock(file, offset, n, flags);
            };
        return &pair->mine;
    }

    inline static sqlite3_vfs* s_inner = nullptr;
    inline static sqlite3_vfs s_vfs{};
    inline static std::thread::id s_watched;
    inline static std::atomic<int> s_calls{0};
    inline static std::atomic<int> s_others{0};
    inline static std::mutex s_mutex;
    inline static std::map<const sqlite3_io_methods*, std::unique_ptr<Pair>> s_methods;
};

}  // namespace cairn::ui::test
