#pragma once
// The one place of the programs that knows which drivers there are.

#include "core/store/store.h"

namespace cairn {

// Opens `sqlite:PATH`. InvalidInput for other schemes, with what is possible.
[[nodiscard]] Result<std::unique_ptr<StoreWriter>> openStoreUrl(
    const std::string& url, const StoreOptions& options);
// PATH of `sqlite:PATH`.
[[nodiscard]] Result<std::string> sqlitePath(const std::string& url);
// "cairn 0.1.0 (SQLite 3.53.2, ...)": product and the libraries whose version matters.
[[nodiscard]] std::string versionText(std::string_view program);

}  // namespace cairn
