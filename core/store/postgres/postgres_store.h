#pragma once
// PostgreSQL (15 and newer) behind the store seam. A store is the schema `cairn` of one database, which has
// to be there already. URLs are libpq's:
// postgresql://[user@]host[:port][,host...]/database[?option=value...], service files included. Over TCP the
// server's certificate is checked (sslmode=verify-full) unless the URL, PGSSLMODE or the service file says
// otherwise. Passwords come from ~/.pgpass or a service file only.

#include "core/store/store.h"

namespace cairn::postgres {

[[nodiscard]] bool isPostgresUrl(const std::string& url) noexcept;

// Makes the schema. Refused where there is one; Disconnected where nobody answers.
[[nodiscard]] Status initStore(const std::string& url, const InitOptions& options);
// NotFound: no store in that database. A lost connection is made anew by the next call.
[[nodiscard]] Result<std::unique_ptr<StoreWriter>> openStore(
    const std::string& url, const StoreOptions& options);

// LISTEN and NOTIFY on a connection and a thread of their own. InvalidInput: not such a URL. The destructor
// waits for a connection that is being made: at most the URL's connect_timeout (5 s) for each of its hosts.
[[nodiscard]] Result<std::shared_ptr<HintLink>> openHints(const std::string& url, const HintOptions& options);

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
[[nodiscard]] Result<MigrateReport> migrateStore(const std::string& url, bool contract, bool preview = false);

// What all stores of this process have sent to servers since it began: statements, and the round trips in
// which they went. For figures.
struct Traffic {
    std::uint64_t statements = 0;
    std::uint64_t roundTrips = 0;
};
[[nodiscard]] Traffic traffic() noexcept;

// The database and host of a URL, for messages; never a password.
[[nodiscard]] Result<std::string> placeOf(const std::string& url);
// By whom a password for a URL is known: user@host:port/database. InvalidInput: not such a URL.
[[nodiscard]] Result<std::string> loginOf(const std::string& url);
// Version of the libpq that is linked, for --version and About.
[[nodiscard]] std::string libraryVersion();

}  // namespace cairn::postgres
