#pragma once
// The roles of a store (DESIGN 9): who owns it, who may write what, and the proof that it is so. Roles belong
// to the whole server; each store grants them rights on its own schema.

#include "core/store/postgres/db.h"

namespace cairn::postgres {

// In an open transaction, before there is a schema. Makes the roles that are missing, and the login a member
// of cairn_owner. NoRight, with what the server's administrator has to say, where the login may not.
[[nodiscard]] Status makeRoles(Db& db);
// For the rest of the transaction everything is made by, and for, cairn_owner.
[[nodiscard]] Status becomeOwner(Db& db);
// Where the store in this database has roles.
[[nodiscard]] Result<bool> hasRoles(Db& db);
// As the owner: gives every role what rights_sql.h says. Again: changes nothing.
[[nodiscard]] Status grantRights(Db& db);
// What differs from it, one line each; empty: nothing.
[[nodiscard]] Result<std::vector<std::string>> rightsProblems(Db& db);

}  // namespace cairn::postgres
