#pragma once
// The one place of the programs that knows which drivers there are.

#include "core/store/store.h"

namespace cairn {

inline constexpr const char* kStoreUrls = "sqlite:PATH or postgresql://[user@]host[:port]/database";

inline constexpr const char* kBucketUrls =
    "s3://BUCKET[/PREFIX][?region=R&endpoint=URL&addressing=path|host&plain-http=yes]";

// Opens `sqlite:PATH` or `postgresql://...`. InvalidInput for other schemes, with what is possible.
[[nodiscard]] Result<std::unique_ptr<StoreWriter>> openStoreUrl(
    const std::string& url, const StoreOptions& options);
// Hints between the processes of a store; null for a kind of store that has none.
[[nodiscard]] Result<std::shared_ptr<HintLink>> openHintsUrl(
    const std::string& url, const HintOptions& options);
// Makes a store. Refused where there is one. A bucket for artifacts is tried out first.
[[nodiscard]] Status initStoreUrl(const std::string& url, const InitOptions& options);

// A bucket for artifacts, in the words in which a store keeps it. InvalidInput.
[[nodiscard]] Result<std::string> bucketUrl(const std::string& url);
// Sends nothing yet. NoRight: there are no credentials here.
[[nodiscard]] Result<std::unique_ptr<ObjectStore>> openBucket(const std::string& url);
// Whether it can be used: looks at it; with `writing` also stores an object, reads it and removes it.
[[nodiscard]] Status tryOutBucket(ObjectStore& objects, bool writing);

struct MigrateOutcome {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool contracted = false;
    bool changed = false;  // something was done
    std::string text;
};
[[nodiscard]] Result<MigrateOutcome> migrateStoreUrl(
    const std::string& url, bool contract, bool preview = false);

struct StorePlace {
    std::string path;   // of an SQLite file; empty: a server
    std::string shown;  // the path, or database and host
};
// Opens nothing.
[[nodiscard]] Result<StorePlace> storePlace(const std::string& url);
// user@host:port/database, by which a password is kept; empty: a store without logins.
[[nodiscard]] Result<std::string> storeLogin(const std::string& url);
// The same store for whoever reads it elsewhere: a path is made absolute, a password never shown.
[[nodiscard]] Result<std::string> storeName(const std::string& url);
// What each of several stores is called: as short as tells it from the others. A password is never shown.
[[nodiscard]] std::vector<std::string> shortNames(const std::vector<std::string>& urls);
// PATH of `sqlite:PATH`. InvalidInput where it is another kind of store.
[[nodiscard]] Result<std::string> sqlitePath(const std::string& url);
// "cairn 0.1.0 (SQLite 3.53.2, ...)": product and the libraries whose version matters.
[[nodiscard]] std::string versionText(std::string_view program);

}  // namespace cairn
