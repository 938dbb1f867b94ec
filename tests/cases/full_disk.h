#pragma once
// A disk that is full when told to be: SQLite's own file methods, with writes that answer SQLITE_FULL, as
// they do on ENOSPC. Files that are opened while a FullDisk lives are concerned. Not thread-safe.

#include <sqlite3.h>

#include <map>
#include <memory>

namespace cairn::testing {

class FullDisk {
public:
    FullDisk()
    {
        s_inner = sqlite3_vfs_find(nullptr);
        s_vfs = *s_inner;
        s_vfs.zName = "full-disk";
        s_vfs.pNext = nullptr;
        s_vfs.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
            const int code = s_inner->xOpen(s_inner, name, file, flags, out);
            if (code == SQLITE_OK && file->pMethods != nullptr)
                file->pMethods = patched(file->pMethods);
            return code;
        };
        sqlite3_vfs_register(&s_vfs, 1);
    }
    ~FullDisk()
    {
        s_full = false;
        sqlite3_vfs_unregister(&s_vfs);
        sqlite3_vfs_register(s_inner, 1);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    static void fill(bool full) { s_full = full; }

private:
    struct Pair {
        sqlite3_io_methods mine;
        const sqlite3_io_methods* theirs;
    };
    static const sqlite3_io_methods* patched(const sqlite3_io_methods* theirs)
    {
        auto& pair = s_methods[theirs];
        if (!pair) {
            pair = std::make_unique<Pair>(Pair{*theirs, theirs});
            pair->mine.xWrite = [](sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
                // `mine` is the first member of the pair.
                const auto* self = reinterpret_cast<const Pair*>(file->pMethods);
                return s_full ? SQLITE_FULL : self->theirs->xWrite(file, bytes, count, at);
            };
        }
        return &pair->mine;
    }

    inline static sqlite3_vfs* s_inner = nullptr;
    inline static sqlite3_vfs s_vfs{};
    inline static bool s_full = false;
    inline static std::map<const sqlite3_io_methods*, std::unique_ptr<Pair>> s_methods;
};

}  // namespace cairn::testing
