#pragma once
// Where a password for the server may stand: ~/.pgpass or a service file, both readable by their owner alone.

#include "core/base/result.h"

#include <string>

namespace cairn::postgres {

// InvalidInput where there is a password in the URL (`parsed`: libpq found one), where one that is mistyped
// looks as if there were, or where PGPASSWORD is set. No text of it is in the error.
[[nodiscard]] Status refusePasswords(const std::string& url, bool parsed);

// InvalidInput where the service file that holds this service, and so a password, can be read by others.
[[nodiscard]] Status checkServiceFile(const std::string& service);

}  // namespace cairn::postgres
