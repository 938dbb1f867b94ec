#pragma once
// Makes a connection in such a way that no password goes to somebody who was not checked before. Blocks for
// up to connect_timeout for each host. No function throws.

#include "core/base/result.h"
#include "core/store/postgres/conninfo.h"

#include <libpq-fe.h>

#include <memory>

namespace cairn::postgres {

struct ConnFinish {
    void operator()(PGconn* conn) const noexcept { PQfinish(conn); }
};
using ConnHandle = std::unique_ptr<PGconn, ConnFinish>;

// Disconnected: no host of it can be used. The text says what failed, where, and what to do about it.
[[nodiscard]] Result<ConnHandle> connectTo(const Target& target);

// Of a failed connection: what to do about it, beginning with "; ", or nothing. `text` is what libpq said.
[[nodiscard]] std::string adviceOn(std::string_view text, const Target& target);

}  // namespace cairn::postgres
