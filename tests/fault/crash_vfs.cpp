#include "tests/fault/crash_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

namespace cairn::testing::crash {

namespace {

Disk* g_disk = nullptr;
sqlite3_vfs* g_real = nullptr;
sqlite3_vfs g_vfs;
constexpr std::size_t kSector = 512;

struct File {
    sqlite3_file base;
    FileState* state;    // null: not watched (temporary files)
    sqlite3_file* real;  // follows this struct
};

File& self(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return self(file).real; }

int closeFile(sqlite3_file* file)
{
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}
int readFile(sqlite3_file* file, void* out, int size, sqlite3_int64 offset)
{
    return real(file)->pMethods->xRead(real(file), out, size, offset);
}

int writeFile(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    if (self(file).state != nullptr) {
        if (!g_disk->mayChange())
            return SQLITE_IOERR_WRITE;
        self(file).state->pending.push_back({static_cast<std::uint64_t>(offset),
            std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)), false});
    }
    return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
}

int truncateFile(sqlite3_file* file, sqlite3_int64 size)
{
    if (self(file).state != nullptr) {
        if (!g_disk->mayChange())
            return SQLITE_IOERR_TRUNCATE;
        self(file).state->pending.push_back({static_cast<std::uint64_t>(size), {}, true});
    }
    return real(file)->pMethods->xTruncate(real(file), size);
}

void applyWrite(std::string& content, const Write& write, std::size_t length)
{
    if (write.truncates) {
        content.resize(write.offset);
        return;
    }
    if (content.size() < write.offset + length)
        content.resize(write.offset + length);
    std::memcpy(content.data() + write.offset, write.bytes.data(), length);
}

// Nothing is really synced: the durable image is kept in memory, so that the test is quick.
int syncFile(sqlite3_file* file, int)
{
    FileState* state = self(file).state;
    if (state == nullptr)
        return SQLITE_OK;
    if (!g_disk->mayChange(true))
        return SQLITE_IOERR_FSYNC;
    for (const Write& write : state->pending)
        applyWrite(state->durable, write, write.bytes.size());
    state->pending.clear();
    state->exists = true;
    g_disk->synced();
    return SQLITE_OK;
}

int fileSize(sqlite3_file* file, sqlite3_int64* size)
{
    return real(file)->pMethods->xFileSize(real(file), size);
}
int lockFile(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlockFile(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int checkLock(sqlite3_file* file, int* out)
{
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int controlFile(sqlite3_file* file, int op, void* arg)
{
    return real(file)->pMethods->xFileControl(real(file), op, arg);
}
int sectorSize(sqlite3_file*) { return static_cast<int>(kSector); }
int characteristics(sqlite3_file*) { return 0; }  // a plain disk: no atomic writes, no power-safe overwrite
int mapShared(sqlite3_file* file, int page, int size, int extend, void volatile** out)
{
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int lockShared(sqlite3_file* file, int offset, int n, int flags)
{
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmapShared(sqlite3_file* file, int remove)
{
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

const sqlite3_io_methods kMethods = {
    2,
    closeFile,
    readFile,
    writeFile,
    truncateFile,
    syncFile,
    fileSize,
    lockFile,
    unlockFile,
    checkLock,
    controlFile,
    sectorSize,
    characteristics,
    mapShared,
    lockShared,
    barrier,
    unmapShared,
    nullptr,
    nullptr,
};

int openFile(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* outFlags)
{
    File& f = self(file);
    f.state = name == nullptr ? nullptr : g_disk->file(name);
    if (f.state != nullptr && f.state->deletePending)
        *f.state = {};  // a new file of the old name
    f.real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
    f.base.pMethods = nullptr;
    const int code = g_real->xOpen(g_real, name, f.real, flags, outFlags);
    if (code == SQLITE_OK)
        f.base.pMethods = &kMethods;
    return code;
}

int deleteFile(sqlite3_vfs*, const char* name, int syncFolder)
{
    if (FileState* state = g_disk->file(name)) {
        if (!g_disk->mayChange())
            return SQLITE_IOERR_DELETE;
        // Without a sync of the folder the file may come back after a power cut.
        state->pending.clear();
        state->deletePending = syncFolder == 0;
        if (syncFolder != 0) {
            state->exists = false;
            state->durable.clear();
        }
    }
    return g_real->xDelete(g_real, name, 0);
}

}  // namespace

Disk::Disk()
{
    g_disk = this;
    g_real = sqlite3_vfs_find(nullptr);
    g_vfs = *g_real;
    g_vfs.zName = "cairn-crash";
    g_vfs.szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
    g_vfs.xOpen = openFile;
    g_vfs.xDelete = deleteFile;
    sqlite3_vfs_register(&g_vfs, 1);
}

Disk::~Disk()
{
    sqlite3_vfs_unregister(&g_vfs);
    sqlite3_vfs_register(g_real, 1);
    g_disk = nullptr;
}

void Disk::watch(const std::string& folder)
{
    m_folder = folder + "/";
    m_files.clear();
    for (const auto& item : std::filesystem::directory_iterator(folder)) {
        if (item.path().string().ends_with("-shm"))
            continue;
        std::ifstream in(item.path(), std::ios::binary);
        FileState& state = m_files[item.path().string()];
        state.exists = true;
        state.durable.assign(std::istreambuf_iterator<char>(in), {});
    }
    m_calls = 0;
    m_syncs = 0;
    m_stopAt = 0;
    m_stopped = false;
    m_stopAtSync = false;
    m_watching = true;
}

void Disk::arm(std::uint64_t atCall)
{
    m_stopAt = atCall;
    m_calls = 0;
}

void Disk::repair()
{
    m_stopped = false;
    m_stopAtSync = false;
    arm(0);
}

FileState* Disk::file(const std::string& path)
{
    return m_watching && path.starts_with(m_folder) ? &m_files[path] : nullptr;
}

bool Disk::mayChange(bool isSync)
{
    const bool reached = m_stopAt != 0 && m_calls + 1 >= m_stopAt;
    m_stopped = m_stopped || reached || (isSync && m_stopAtSync);
    if (m_stopped)
        return false;
    ++m_calls;
    return true;
}

void Disk::crash(Loss loss)
{
    m_watching = false;
    for (auto& [path, state] : m_files) {
        std::string content = state.durable;
        bool exists = state.exists;
        const std::size_t count = state.pending.size();
        for (std::size_t i = 0; i < count; ++i) {
            const Write& write = state.pending[i];
            const bool keep = loss == Loss::Nothing || (loss == Loss::Torn && i < (count + 1) / 2)
                || (loss == Loss::Reordered && i % 2 == 1);
            if (!keep)
                continue;
            exists = true;
            const bool torn = loss == Loss::Torn && i + 1 == (count + 1) / 2;
            const std::size_t half = write.bytes.size() / 2 / kSector * kSector;
            applyWrite(content, write, torn ? half : write.bytes.size());
        }
        if (state.deletePending && loss == Loss::Nothing)
            exists = false;
        std::filesystem::remove(path);
        if (exists)
            std::ofstream(path, std::ios::binary) << content;
        std::filesystem::remove(path + "-shm");
    }
}

}  // namespace cairn::testing::crash
