#include "app/common/open_store.h"

#include "core/base/mask.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/s3/objects.h"
#include "core/store/sqlite/sqlite_store.h"

#include <cairn/version.h>

#include <algorithm>
#include <filesystem>

namespace cairn {

Result<StorePlace> storePlace(const std::string& url)
{
    static constexpr std::string_view kScheme = "sqlite:";
    if (url.rfind(kScheme, 0) == 0 && url.size() > kScheme.size()) {
        const std::string path = url.substr(kScheme.size());
        return StorePlace{path, path};
    }
    if (postgres::isPostgresUrl(url)) {
        CAIRN_TRY_ASSIGN(std::string place, postgres::placeOf(url));
        return StorePlace{{}, std::move(place)};
    }
    return makeError(ErrorKind::InvalidInput,
        "store \"" + maskPassword(url) + "\" is not a store URL; use " + kStoreUrls
            + ", for example sqlite:runs.db");
}

Result<std::string> storeName(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    if (place.path.empty())
        return place.shown;
    std::error_code error;
    const auto path = std::filesystem::absolute(place.path, error);
    return "sqlite:" + (error ? place.path : path.lexically_normal().string());
}

Result<std::string> storeLogin(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    return place.path.empty() ? postgres::loginOf(url) : std::string();
}

std::vector<std::string> shortNames(const std::vector<std::string>& urls)
{
    std::vector<std::string> shorts;
    for (const std::string& url : urls) {
        const auto place = storePlace(url);
        shorts.push_back(!place       ? maskPassword(url)
                : place->path.empty() ? place->shown
                                      : std::filesystem::path(place->path).stem().string());
    }
    std::vector<std::string> names = shorts;
    for (std::size_t i = 0; i < urls.size(); ++i)
        if (std::count(shorts.begin(), shorts.end(), shorts[i]) > 1)
            names[i] = maskPassword(urls[i]);
    return names;
}

Result<std::string> sqlitePath(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    if (place.path.empty())
        return makeError(ErrorKind::InvalidInput, "this needs a store in a file; use sqlite:PATH");
    return place.path;
}

Result<std::unique_ptr<StoreWriter>> openStoreUrl(const std::string& url, const StoreOptions& options)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    StoreOptions how = options;
    if (!how.objects)
        how.objects = s3::openObjects;
    return place.path.empty() ? postgres::openStore(url, how) : sqlite::openStore(place.path, how);
}

Result<std::string> bucketUrl(const std::string& url) { return s3::canonicalUrl(url); }

Result<std::unique_ptr<ObjectStore>> openBucket(const std::string& url)
{
    return s3::openObjects(url, Patience::Long);
}

Status tryOutBucket(ObjectStore& objects, bool writing) { return s3::tryOut(objects, writing); }

Result<std::shared_ptr<HintLink>> openHintsUrl(const std::string& url, const HintOptions& options)
{
    if (postgres::isPostgresUrl(url))
        return postgres::openHints(url, options);
    return std::shared_ptr<HintLink>();
}

Status initStoreUrl(const std::string& url, const InitOptions& options)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    if (options.roles && !place.path.empty())
        return makeError(ErrorKind::InvalidInput,
            "--roles is for PostgreSQL: whoever may write a file may do everything in it");
    InitOptions how = options;
    if (!how.artifacts.empty()) {
        CAIRN_TRY_ASSIGN(how.artifacts, bucketUrl(how.artifacts));
        CAIRN_TRY_ASSIGN(const auto objects, openBucket(how.artifacts));
        CAIRN_TRY(tryOutBucket(*objects, !how.preview));
    }
    return place.path.empty() ? postgres::initStore(url, how) : sqlite::initStore(place.path, how);
}

Result<MigrateOutcome> migrateStoreUrl(const std::string& url, bool contract, bool preview)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    if (place.path.empty()) {
        CAIRN_TRY_ASSIGN(auto report, postgres::migrateStore(url, contract, preview));
        return MigrateOutcome{
            report.from, report.to, report.contracted, report.changed, std::move(report.text)};
    }
    CAIRN_TRY_ASSIGN(auto report, sqlite::migrateStore(place.path, contract, preview));
    return MigrateOutcome{report.from, report.to, report.contracted, report.changed, std::move(report.text)};
}

std::string versionText(std::string_view program)
{
    return std::string(program) + " " CAIRN_VERSION_FULL ", SQLite " + sqlite::libraryVersion()
        + (sqlite::walIsSafe() ? ", write-ahead log"
                               : ", without write-ahead log: this SQLite has the WAL-reset bug")
        + ", libpq " + postgres::libraryVersion() + ", entry format " + std::to_string(kMaxFormat);
}

}  // namespace cairn
