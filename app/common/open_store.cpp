#include "app/common/open_store.h"

#include "core/store/sqlite/sqlite_store.h"

#include <cairn/version.h>

namespace cairn {

Result<std::string> sqlitePath(const std::string& url)
{
    static constexpr std::string_view kScheme = "sqlite:";
    if (url.rfind(kScheme, 0) == 0 && url.size() > kScheme.size())
        return url.substr(kScheme.size());
    if (url.rfind("postgresql:", 0) == 0)
        return makeError(ErrorKind::InvalidInput, "this build has no PostgreSQL driver; use sqlite:PATH");
    return makeError(ErrorKind::InvalidInput,
        "store \"" + url + "\" is not a store URL; use sqlite:PATH, for example sqlite:runs.db");
}

Result<std::unique_ptr<StoreWriter>> openStoreUrl(const std::string& url, const StoreOptions& options)
{
    CAIRN_TRY_ASSIGN(const std::string path, sqlitePath(url));
    return sqlite::openStore(path, options);
}

std::string versionText(std::string_view program)
{
    return std::string(program) + " " CAIRN_VERSION_FULL ", SQLite " + sqlite::libraryVersion()
        + (sqlite::walIsSafe() ? ", write-ahead log"
                               : ", without write-ahead log: this SQLite has the WAL-reset bug")
        + ", entry format " + std::to_string(kMaxFormat);
}

}  // namespace cairn
