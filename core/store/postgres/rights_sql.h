#pragma once
// Who may do what, as rows of constants: granted by roles.cpp and compared with the catalogue by
// RightsProblems, both from these same rows. Words are separated by blanks; roles without their prefix
// "cairn_"; "-" for columns: the whole table.

#define CAIRN_PG_STAGE_TYPES "uuid,uuid,bigint,text,bytea,text,text,bigint,text,bigint,bytea,bigint"

#define CAIRN_PG_ROLE_NAMES \
    "'cairn_owner', 'cairn_engine', 'cairn_operator', 'cairn_approver', 'cairn_viewer', 'cairn_auditor', " \
    "'cairn_breakglass'"

#define CAIRN_PG_OPEN_TABLES \
    "approvals artifacts attempts effect_waiters effects entries meta never_store outbox policies " \
    "resource_slices resources " \
    "remains retention retired_keys run_attributes run_hot run_list runs sessions steps tombstones wakeups " \
    "workflows"

// Viewers see everything but the bytes of payloads, what would let them be guessed, and what people did.
// Operators and approvers judge by payloads, and by what others did.
#define CAIRN_PG_TABLE_RIGHTS \
    "('engine operator approver auditor viewer breakglass', '" CAIRN_PG_OPEN_TABLES \
    " artifact_place', 'SELECT', '-')," \
    "('engine operator approver auditor breakglass', 'artifact_chunks audit audit_head checkpoint_heads " \
    "checkpoints payloads plan_items plans reviews staged_acts', " \
    "'SELECT', " \
    "'-')," \
    "('viewer', 'payloads', 'SELECT', 'run id hash size media artifact redacted_by')," \
    "('viewer', 'artifact_chunks', 'SELECT', 'artifact ix digest size')," \
    "('engine', 'entries payloads runs tombstones workflows', 'INSERT', '-')," \
    "('engine', 'approvals attempts effects plan_items plans resources retention run_attributes run_hot " \
    "run_list steps', " \
    "'INSERT " \
    "UPDATE', " \
    "'-')," \
    "('engine', 'approvals attempts effects entries payloads run_attributes run_hot run_list runs steps', " \
    "'DELETE', '-')," \
    "('engine', 'payloads', 'UPDATE', 'bytes salt artifact redacted_by')," \
    "('engine', 'artifact_chunks artifacts remains retired_keys sessions', 'INSERT UPDATE DELETE', '-')," \
    "('engine', 'effect_waiters never_store outbox resource_slices wakeups', 'INSERT DELETE', '-')," \
    "('engine', 'meta', 'UPDATE', 'clock_offset change_base')"

#define CAIRN_PG_FUNCTION_RIGHTS \
    "('engine', 'append_audit append_checkpoint finish_staged forget_staged lock_audit_head lock_staged " \
    "open_review propose_act record_decision take_staged')," \
    "('operator approver', 'decide_act')," \
    "('operator', 'draft_plan order_plan')," \
    "('operator approver breakglass', 'stage_act')," \
    "('approver', 'close_review')"

#define CAIRN_PG_SCHEMA_READERS "'engine operator approver auditor viewer breakglass'"

// What each row stands for, one right a line.
#define CAIRN_PG_TABLE_RIGHTS_ROWS \
    "SELECT 'cairn_' || r AS role, t AS relation, p AS privilege, c AS col FROM " \
    "(VALUES " CAIRN_PG_TABLE_RIGHTS \
    ") AS v(roles, tables, privileges, columns), string_to_table(v.roles, ' ') AS r, " \
    "string_to_table(v.tables, ' ') AS t, string_to_table(v.privileges, ' ') AS p, " \
    "string_to_table(v.columns, ' ') AS c " \
    "WHERE t <> 'artifact_place' OR to_regclass('cairn.artifact_place') IS NOT NULL"
#define CAIRN_PG_FUNCTION_RIGHTS_ROWS \
    "SELECT 'cairn_' || r AS role, f AS function FROM (VALUES " CAIRN_PG_FUNCTION_RIGHTS \
    ") AS v(roles, functions), string_to_table(v.roles, ' ') AS r, string_to_table(v.functions, ' ') AS f"

// The text of each deviation. In a store without roles only what everybody was given is one.
#define CAIRN_PG_RIGHTS_PROBLEMS \
    "WITH on_roles AS MATERIALIZED (SELECT roles = 1 AS yes FROM cairn.meta), " \
    "place AS MATERIALIZED (SELECT oid, nspowner, nspacl FROM pg_namespace WHERE nspname = 'cairn'), " \
    "wanted(line) AS (" \
    "SELECT CASE WHEN col = '-' THEN 'table ' || relation ELSE 'column ' || relation || '.' || col END " \
    "|| ': ' || role || ' ' || privilege FROM (" CAIRN_PG_TABLE_RIGHTS_ROWS ") AS x " \
    "UNION ALL SELECT 'function ' || function || ': ' || role || ' EXECUTE' FROM " \
    "(" CAIRN_PG_FUNCTION_RIGHTS_ROWS ") AS x " \
    "UNION ALL SELECT 'schema cairn: cairn_' || r || ' USAGE' FROM string_to_table(" CAIRN_PG_SCHEMA_READERS \
    ", ' ') AS r), " \
    "acls(what, owner, grantee, privilege, again) AS (" \
    "SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || c.relname, c.relowner, " \
    "a.grantee, " \
    "a.privilege_type, a.is_grantable FROM place, pg_class c, aclexplode(coalesce(c.relacl, " \
    "acldefault((CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::\"char\", c.relowner))) AS a " \
    "WHERE c.relnamespace = place.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') " \
    "UNION ALL SELECT 'column ' || c.relname || '.' || t.attname, c.relowner, a.grantee, a.privilege_type, " \
    "a.is_grantable FROM place, pg_class c, pg_attribute t, aclexplode(t.attacl) AS a " \
    "WHERE c.relnamespace = place.oid AND t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped " \
    "UNION ALL SELECT 'function ' || p.proname, p.proowner, a.grantee, a.privilege_type, a.is_grantable " \
    "FROM place, pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a " \
    "WHERE p.pronamespace = place.oid " \
    "UNION ALL SELECT 'schema cairn', nspowner, a.grantee, a.privilege_type, a.is_grantable " \
    "FROM place, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) AS a), " \
    "found(line, everybody) AS (SELECT what || ': ' || CASE WHEN grantee = 0 THEN 'PUBLIC' " \
    "ELSE coalesce((SELECT g.rolname::text FROM pg_roles g WHERE g.oid = grantee), grantee::text) END || ' " \
    "' " \
    "|| privilege || CASE WHEN again THEN ', to pass on' ELSE '' END, grantee = 0 FROM acls WHERE grantee " \
    "<> owner), " \
    "owned(what, owner) AS (SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || " \
    "c.relname, " \
    "c.relowner FROM place, pg_class c WHERE c.relnamespace = place.oid AND c.relkind IN ('r', 'p', 'v', " \
    "'m', 'f', 'S') " \
    "UNION ALL SELECT 'function ' || p.proname, p.proowner FROM place, pg_proc p WHERE p.pronamespace = " \
    "place.oid " \
    "UNION ALL SELECT 'schema cairn', nspowner FROM place), " \
    "named(role) AS (SELECT unnest(ARRAY[" CAIRN_PG_ROLE_NAMES "]::text[])), " \
    "cairn_roles AS (SELECT r.oid, n.role, r.rolcanlogin, " \
    "r.rolsuper OR r.rolcreatedb OR r.rolcreaterole OR r.rolreplication OR r.rolbypassrls AS mighty " \
    "FROM named n LEFT JOIN pg_roles r ON r.rolname = n.role) " \
    "SELECT 'the right is missing: ' || w.line FROM wanted w, on_roles WHERE yes " \
    "AND NOT EXISTS(SELECT 1 FROM found f WHERE f.line = w.line) " \
    "UNION ALL SELECT 'there is a right too many: ' || f.line FROM found f, on_roles WHERE (yes OR " \
    "f.everybody) " \
    "AND NOT (yes AND EXISTS(SELECT 1 FROM wanted w WHERE w.line = f.line)) " \
    "UNION ALL SELECT o.what || ' belongs to ' || (SELECT rolname::text FROM pg_roles WHERE oid = o.owner) " \
    "|| ', not to cairn_owner' FROM owned o, on_roles WHERE yes " \
    "AND o.owner IS DISTINCT FROM (SELECT oid FROM cairn_roles WHERE role = 'cairn_owner') " \
    "UNION ALL SELECT CASE WHEN oid IS NULL THEN 'the role ' || role || ' is missing' " \
    "WHEN rolcanlogin THEN 'the role ' || role || ' may log in' " \
    "ELSE 'the role ' || role || ' may do more than a role of Cairn needs (superuser, create, replicate or " \
    "bypass)' END " \
    "FROM cairn_roles, on_roles WHERE yes AND (oid IS NULL OR rolcanlogin OR mighty) " \
    "UNION ALL SELECT 'the role ' || c.role || ' is a member of ' || (SELECT rolname::text FROM pg_roles " \
    "WHERE oid = m.roleid) " \
    "FROM pg_auth_members m, cairn_roles c, on_roles WHERE yes AND c.oid = m.member " \
    "UNION ALL SELECT 'the login ' || l.rolname::text || ' may both change the tables (cairn_owner) and " \
    "work as an engine' " \
    "FROM pg_roles l, cairn_roles o, cairn_roles e, on_roles WHERE yes AND o.role = 'cairn_owner' " \
    "AND e.role = 'cairn_engine' AND l.rolcanlogin AND NOT l.rolsuper AND pg_has_role(l.oid, o.oid, " \
    "'MEMBER') " \
    "AND pg_has_role(l.oid, e.oid, 'MEMBER')"
