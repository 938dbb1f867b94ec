#pragma once
// What an SQLite result code means for the caller: one table for the whole driver.

#include "core/base/result.h"

namespace cairn::sqlite {

struct Verdict {
    ErrorKind kind = ErrorKind::Internal;
    bool poisons = false;           // nothing more may be written through this connection
    bool wholeTransaction = false;  // the transaction cannot go on (else only the statement failed)
};

// `extended` is an extended result code. `atCommit`: COMMIT itself gave it, so an I/O error leaves the
// outcome unknown.
[[nodiscard]] Verdict classify(int extended, bool atCommit) noexcept;

// The file systems on which locks or shared memory cannot be relied on, by the magic number of statfs(2);
// null: local.
[[nodiscard]] const char* networkFileSystem(unsigned long magic) noexcept;

// SQLite 3.7.0 to 3.51.2 can damage a database in WAL mode with two connections, but for 3.44.6 and 3.50.7.
[[nodiscard]] bool walIsSafeIn(int versionNumber) noexcept;

}  // namespace cairn::sqlite
