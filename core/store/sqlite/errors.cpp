#include "core/store/sqlite/errors.h"

#include "core/store/sqlite/sqlite_store.h"

#include <sqlite3.h>

namespace cairn::sqlite {

Verdict classify(int extended, bool atCommit) noexcept
{
    switch (extended) {
    case SQLITE_CONSTRAINT_TRIGGER: return {ErrorKind::Refused, false, false};
    case SQLITE_READONLY_DBMOVED: return {ErrorKind::Io, true, true};
    case SQLITE_IOERR_NOMEM: return {ErrorKind::Internal, false, true};
    default: break;
    }
    switch (extended & 0xFF) {
    case SQLITE_BUSY:  // also 517, BUSY_SNAPSHOT
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_SCHEMA: return {ErrorKind::Busy, false, true};
    case SQLITE_FULL: return {ErrorKind::Full, false, true};
    case SQLITE_IOERR: return {atCommit ? ErrorKind::OutcomeUnknown : ErrorKind::Io, true, true};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {ErrorKind::Corrupt, true, true};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return {ErrorKind::Io, false, true};
    case SQLITE_READONLY:
    case SQLITE_AUTH: return {ErrorKind::Refused, false, false};
    case SQLITE_INTERRUPT: return {ErrorKind::Cancelled, false, true};
    case SQLITE_TOOBIG: return {ErrorKind::InvalidInput, false, false};
    case SQLITE_NOMEM: return {ErrorKind::Internal, false, true};
    default: return {ErrorKind::Internal, false, false};
    }
}

const char* networkFileSystem(unsigned long magic) noexcept
{
    switch (magic & 0xFFFFFFFFUL) {
    case 0x6969UL: return "NFS";
    case 0x517BUL: return "SMB";
    case 0xFF534D42UL: return "CIFS";
    case 0xFE534D42UL: return "SMB2";
    case 0x01021997UL: return "9p";
    case 0x65735546UL: return "FUSE";
    case 0x5346414FUL: return "AFS";
    case 0x73757245UL: return "Coda";
    case 0x00C36400UL: return "Ceph";
    case 0x0BD00BD0UL: return "Lustre";
    case 0x01161970UL: return "GFS2";
    case 0x7461636FUL: return "OCFS2";
    case 0x786F4256UL: return "VirtualBox shared folder";
    default: return nullptr;
    }
}

bool walIsSafeIn(int versionNumber) noexcept
{
    if (versionNumber < 3007000 || versionNumber >= 3051003)
        return true;
    const bool backport50 = versionNumber >= 3050007 && versionNumber < 3051000;
    const bool backport44 = versionNumber >= 3044006 && versionNumber < 3045000;
    return backport50 || backport44;
}

std::string libraryVersion() { return sqlite3_libversion(); }

bool walIsSafe() { return walIsSafeIn(sqlite3_libversion_number()); }

}  // namespace cairn::sqlite
