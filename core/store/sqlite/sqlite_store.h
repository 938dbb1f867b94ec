#pragma once
// SQLite behind the store seam.

#include "core/store/store.h"

namespace cairn::sqlite {

// Creates a store file with mode 0600. Refused where the file exists and is not empty.
[[nodiscard]] Status initStore(const std::string& path, const InitOptions& options);
[[nodiscard]] Result<std::unique_ptr<StoreWriter>> openStore(
    const std::string& path, const StoreOptions& options);

struct MigrateReport {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool contracted = false;
    bool changed = false;  // something was done
    std::string text;
};
// Expands the schema to the newest this binary knows; with `contract` also allows the newest format to be
// written, which is refused while an older session lives or an open run within the recovery window needs the
// old reader. `preview`: the same, rolled back.
[[nodiscard]] Result<MigrateReport> migrateStore(
    const std::string& path, bool contract, bool preview = false);

// Version of the SQLite that is linked, for --version and About.
[[nodiscard]] std::string libraryVersion();
// False where the linked SQLite has the WAL-reset bug: then stores are opened without WAL.
[[nodiscard]] bool walIsSafe();

}  // namespace cairn::sqlite
