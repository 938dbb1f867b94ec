#include "core/store/postgres/roles.h"

namespace cairn::postgres {

namespace {

// A member without the right to pass its membership on may still be one already: SET ROLE will tell.
constexpr const char* kMakeRoles = R"sql(
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY[)sql" CAIRN_PG_ROLE_NAMES R"sql(] LOOP
    IF NOT EXISTS(SELECT 1 FROM pg_catalog.pg_roles r WHERE r.rolname = wanted) THEN
      EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
  END LOOP;
  IF NOT (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = current_user) THEN
    BEGIN
      EXECUTE pg_catalog.format('GRANT cairn_owner TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN
      NULL;
    END;
  END IF;
END $$;
CREATE SCHEMA cairn AUTHORIZATION cairn_owner;
)sql";

constexpr const char* kGrantRights = R"sql(
DO $$
DECLARE
  g record;
BEGIN
  FOR g IN )sql" CAIRN_PG_TABLE_RIGHTS_ROWS R"sql( LOOP
    EXECUTE pg_catalog.format('GRANT %s%s ON cairn.%I TO %I', g.privilege,
      CASE WHEN g.col = '-' THEN '' ELSE pg_catalog.format(' (%I)', g.col) END, g.relation, g.role);
  END LOOP;
  FOR g IN )sql" CAIRN_PG_FUNCTION_RIGHTS_ROWS R"sql( LOOP
    EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION cairn.%I TO %I', g.function, g.role);
  END LOOP;
  FOR g IN SELECT 'cairn_' || r AS role FROM pg_catalog.string_to_table()sql" CAIRN_PG_SCHEMA_READERS
                                     R"sql(, ' ') AS r LOOP
    EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA cairn TO %I', g.role);
  END LOOP;
END $$;
)sql";

}  // namespace

Status makeRoles(Db& db)
{
    const Status made = db.execute(kMakeRoles);
    if (made || made.error().kind != ErrorKind::NoRight)
        return made;
    return makeError(ErrorKind::NoRight,
        made.error().text
            + "\nmaking a store with roles needs the right to make roles and schemas, or an administrator "
              "who says "
              "beforehand:\n"
              "CREATE ROLE cairn_owner NOLOGIN; CREATE ROLE cairn_engine NOLOGIN; CREATE ROLE cairn_operator "
              "NOLOGIN;\n"
              "CREATE ROLE cairn_approver NOLOGIN; CREATE ROLE cairn_viewer NOLOGIN; CREATE ROLE "
              "cairn_auditor "
              "NOLOGIN;\nCREATE ROLE cairn_breakglass NOLOGIN;\n"
              "GRANT cairn_owner TO this_login; GRANT CREATE ON DATABASE this_database TO this_login;",
        made.error().native);
}

Status becomeOwner(Db& db)
{
    const auto done = db.query(Sql::BecomeOwner);
    if (done)
        return {};
    Error error = done.error();
    if (error.kind == ErrorKind::NoRight)
        error.text =
            "this store has roles, and that is for its owner: connect with a login that is a member of "
            "the role cairn_owner (handbook: stores, roles)";
    return error;
}

Result<bool> hasRoles(Db& db)
{
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::RolesOn));
    bool roles = false;
    if (rows.next())
        rows.read(roles);
    return roles;
}

Status grantRights(Db& db) { return db.execute(kGrantRights); }

Result<std::vector<std::string>> rightsProblems(Db& db)
{
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::RightsProblems));
    std::vector<std::string> problems;
    while (rows.next())
        rows.read(problems.emplace_back());
    return problems;
}

}  // namespace cairn::postgres
