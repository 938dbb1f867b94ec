// The text of the tables. Ids are uuid, digests and salts bytea, times milliseconds (bigint), enums smallint.
// Text is in the collation "C", so that it sorts by bytes as in every other store.

#include "core/store/postgres/schema_tables.h"

namespace cairn::postgres {

const char* const kRunTables = R"sql(
CREATE TABLE cairn.meta(
  one smallint PRIMARY KEY CHECK(one = 1), store_id bytea NOT NULL, schema bigint NOT NULL, min_reader bigint NOT NULL,
  min_writer bigint NOT NULL, write_format smallint NOT NULL, environment text COLLATE "C" NOT NULL,
  safety smallint NOT NULL, test_clock smallint NOT NULL, clock_offset bigint NOT NULL, salt bytea NOT NULL,
  seed bigint NOT NULL, created_at bigint NOT NULL, change_base bigint NOT NULL, roles smallint NOT NULL,
  CHECK(test_clock = 1 OR clock_offset = 0));
CREATE TABLE cairn.runs(
  run uuid PRIMARY KEY, root uuid NOT NULL, parent uuid, parent_step bigint NOT NULL, parent_index bigint NOT NULL,
  workflow text COLLATE "C" NOT NULL, workflow_version bigint NOT NULL, workflow_digest bytea,
  state_schema bigint NOT NULL, key text COLLATE "C", key_input bytea, key_salt bytea NOT NULL,
  created_at bigint NOT NULL, forked_from uuid, driven smallint NOT NULL);
CREATE UNIQUE INDEX runs_key ON cairn.runs(workflow, key) WHERE key IS NOT NULL;
CREATE INDEX runs_parent ON cairn.runs(parent) WHERE parent IS NOT NULL;
CREATE TABLE cairn.run_hot(
  run uuid PRIMARY KEY REFERENCES cairn.runs(run), version bigint NOT NULL, epoch bigint NOT NULL, owner uuid,
  control bigint NOT NULL, head bytea NOT NULL, next_due bigint, format smallint NOT NULL)
  WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX run_hot_due ON cairn.run_hot(next_due, run) WHERE owner IS NULL AND next_due IS NOT NULL;
CREATE INDEX run_hot_owner ON cairn.run_hot(owner) WHERE owner IS NOT NULL;
CREATE TABLE cairn.run_list(
  run uuid PRIMARY KEY REFERENCES cairn.runs(run), root uuid NOT NULL, parent uuid,
  workflow text COLLATE "C" NOT NULL, workflow_version bigint NOT NULL, key text COLLATE "C", activity smallint NOT NULL,
  attention smallint NOT NULL, reason smallint NOT NULL, step text COLLATE "C" NOT NULL, since bigint NOT NULL,
  next_time bigint NOT NULL, situation text COLLATE "C", resource text COLLATE "C" NOT NULL,
  error text COLLATE "C" NOT NULL, created_at bigint NOT NULL, ended_at bigint NOT NULL, steps bigint NOT NULL,
  steps_done bigint NOT NULL, attempt bigint NOT NULL, attempts_max bigint NOT NULL, amount bigint NOT NULL,
  currency text COLLATE "C" NOT NULL, held_until bigint NOT NULL, assigned text COLLATE "C" NOT NULL,
  version bigint NOT NULL, changed bigint NOT NULL)
  WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX list_created ON cairn.run_list(created_at, run);
CREATE INDEX list_attention ON cairn.run_list(attention, since, run);
CREATE INDEX list_activity ON cairn.run_list(activity, attention, reason, since);
CREATE INDEX list_workflow ON cairn.run_list(workflow, created_at, run);
CREATE INDEX list_root ON cairn.run_list(root);
CREATE INDEX list_parent ON cairn.run_list(parent) WHERE parent IS NOT NULL;
CREATE INDEX list_key ON cairn.run_list(key) WHERE key IS NOT NULL;
CREATE INDEX list_situation ON cairn.run_list(situation, since, run) WHERE situation IS NOT NULL;
CREATE UNIQUE INDEX list_changed ON cairn.run_list(changed);
CREATE TABLE cairn.run_attributes(
  run uuid NOT NULL, name text COLLATE "C" NOT NULL, type text COLLATE "C" NOT NULL, text text COLLATE "C" NOT NULL,
  number bigint NOT NULL, PRIMARY KEY(run, name));
CREATE INDEX attributes_text ON cairn.run_attributes(name, text);
CREATE TABLE cairn.entries(
  run uuid NOT NULL, version bigint NOT NULL, command uuid NOT NULL, format smallint NOT NULL, hash bytea NOT NULL,
  body bytea NOT NULL, PRIMARY KEY(run, version));
CREATE UNIQUE INDEX entries_command ON cairn.entries(run, command);
)sql";

const char* const kStepTables = R"sql(
CREATE TABLE cairn.steps(
  run uuid NOT NULL, ix bigint NOT NULL, id text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL, agent text COLLATE "C" NOT NULL, kind smallint NOT NULL, safety smallint NOT NULL,
  state smallint NOT NULL, reason smallint NOT NULL, since bigint NOT NULL, due bigint NOT NULL,
  revision bigint NOT NULL, attempts bigint NOT NULL, failures bigint NOT NULL, lost bigint NOT NULL, input uuid,
  output uuid, error uuid, effect bytea, ready_at bigint NOT NULL, started_at bigint NOT NULL,
  ended_at bigint NOT NULL, PRIMARY KEY(run, ix)) WITH (fillfactor = 80);
CREATE TABLE cairn.attempts(
  run uuid NOT NULL, step bigint NOT NULL, id uuid NOT NULL, number bigint NOT NULL, purpose smallint NOT NULL,
  session uuid, worker text COLLATE "C" NOT NULL, started_at bigint NOT NULL, ended_at bigint NOT NULL,
  how smallint NOT NULL, effect smallint NOT NULL, error uuid, PRIMARY KEY(run, step, id)) WITH (fillfactor = 80);
CREATE TABLE cairn.approvals(
  run uuid NOT NULL, id uuid NOT NULL, step bigint NOT NULL, state smallint NOT NULL, binding bytea,
  role text COLLATE "C" NOT NULL, asked_at bigint NOT NULL, expires bigint NOT NULL, decided_at bigint NOT NULL,
  decided_by text COLLATE "C" NOT NULL, note uuid, needed bigint NOT NULL, asked_by text COLLATE "C" NOT NULL,
  deciders text COLLATE "C" NOT NULL, PRIMARY KEY(run, id));
CREATE TABLE cairn.artifacts(id uuid PRIMARY KEY, staged_at bigint NOT NULL, adopted smallint NOT NULL);
CREATE INDEX artifacts_staged ON cairn.artifacts(staged_at) WHERE adopted = 0;
CREATE TABLE cairn.artifact_chunks(
  artifact uuid NOT NULL REFERENCES cairn.artifacts(id) ON DELETE CASCADE, ix bigint NOT NULL, digest bytea NOT NULL,
  size bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY(artifact, ix));
ALTER TABLE cairn.artifact_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE cairn.payloads(
  run uuid NOT NULL, id uuid NOT NULL, hash bytea NOT NULL, size bigint NOT NULL, media text COLLATE "C" NOT NULL,
  salt bytea, artifact uuid REFERENCES cairn.artifacts(id), redacted_by bigint, bytes bytea, PRIMARY KEY(run, id));
CREATE INDEX payloads_artifact ON cairn.payloads(artifact) WHERE artifact IS NOT NULL;
CREATE TABLE cairn.tombstones(
  run uuid PRIMARY KEY, versions bigint NOT NULL, head bytea NOT NULL, act bigint NOT NULL, deleted_at bigint NOT NULL,
  changed bigint NOT NULL, root uuid NOT NULL, workflow text COLLATE "C" NOT NULL, workflow_version bigint NOT NULL,
  created_at bigint NOT NULL, ended_at bigint NOT NULL, ended_as smallint NOT NULL, rule text COLLATE "C" NOT NULL,
  removed_by text COLLATE "C" NOT NULL, public_key bytea NOT NULL, signature bytea NOT NULL, begun uuid);
CREATE INDEX tombstones_changed ON cairn.tombstones(changed);
CREATE TABLE cairn.retention(
  workflow text COLLATE "C" PRIMARY KEY, keep_days bigint NOT NULL, redact_days bigint NOT NULL, keys_days bigint NOT NULL,
  changed_at bigint NOT NULL);
CREATE TABLE cairn.retired_keys(
  run uuid PRIMARY KEY REFERENCES cairn.tombstones(run), workflow text COLLATE "C" NOT NULL, key text COLLATE "C",
  key_input bytea, key_salt bytea NOT NULL, until bigint NOT NULL);
CREATE UNIQUE INDEX retired_key ON cairn.retired_keys(workflow, key) WHERE key IS NOT NULL;
CREATE INDEX retired_until ON cairn.retired_keys(until) WHERE until <> 0;
CREATE TABLE cairn.never_store(kind smallint NOT NULL, text text COLLATE "C" NOT NULL, PRIMARY KEY(kind, text));
CREATE TABLE cairn.remains(run uuid PRIMARY KEY REFERENCES cairn.tombstones(run));
)sql";

const char* const kSharedTables = R"sql(
CREATE TABLE cairn.effects(
  effect bytea PRIMARY KEY, tool text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, state smallint NOT NULL,
  holder uuid, holder_step text COLLATE "C" NOT NULL, input_salt bytea NOT NULL, input_digest bytea, result uuid,
  changed_at bigint NOT NULL, revision bigint NOT NULL) WITH (fillfactor = 80);
CREATE INDEX effects_holder ON cairn.effects(holder);
CREATE TABLE cairn.effect_waiters(
  effect bytea NOT NULL, run uuid NOT NULL, step bigint NOT NULL, PRIMARY KEY(effect, run, step));
CREATE TABLE cairn.outbox(
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, from_run uuid NOT NULL, version bigint NOT NULL,
  number bigint NOT NULL, to_run uuid NOT NULL, body bytea NOT NULL, created_at bigint NOT NULL)
  WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX outbox_message ON cairn.outbox(from_run, version, number);
CREATE TABLE cairn.sessions(
  id uuid PRIMARY KEY, name text COLLATE "C" NOT NULL, host text COLLATE "C" NOT NULL, boot_id text COLLATE "C" NOT NULL,
  pid_namespace text COLLATE "C" NOT NULL, pid bigint NOT NULL, start_ticks bigint NOT NULL,
  build text COLLATE "C" NOT NULL, format smallint NOT NULL, schema bigint NOT NULL, serves text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL, heartbeat_at bigint NOT NULL, lease_until bigint NOT NULL, ended_at bigint NOT NULL,
  emptied smallint NOT NULL) WITH (fillfactor = 50);
CREATE INDEX sessions_open ON cairn.sessions(id) WHERE ended_at = 0;
CREATE INDEX sessions_left ON cairn.sessions(id) WHERE ended_at <> 0 AND emptied = 0;
CREATE INDEX sessions_ended ON cairn.sessions(ended_at) WHERE ended_at <> 0;
CREATE TABLE cairn.wakeups(session uuid NOT NULL, run uuid NOT NULL, PRIMARY KEY(session, run))
  WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE cairn.resources(
  name text COLLATE "C" PRIMARY KEY, back_off_until bigint NOT NULL, asked_by_server smallint NOT NULL,
  permits_per_second bigint NOT NULL, slots bigint NOT NULL, revision bigint NOT NULL);
CREATE TABLE cairn.resource_slices(
  slice bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, resource text COLLATE "C" NOT NULL, session uuid NOT NULL,
  rate smallint NOT NULL, until bigint NOT NULL, permits bigint NOT NULL) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX slices_resource ON cairn.resource_slices(resource);
CREATE INDEX slices_session ON cairn.resource_slices(session);
CREATE TABLE cairn.workflows(
  name text COLLATE "C" NOT NULL, version bigint NOT NULL, digest bytea, folder text COLLATE "C" NOT NULL,
  added_at bigint NOT NULL, text text COLLATE "C" NOT NULL, PRIMARY KEY(name, version));
CREATE TABLE cairn.audit(
  seq bigint PRIMARY KEY, time bigint NOT NULL, kind text COLLATE "C" NOT NULL, verb smallint NOT NULL,
  actor text COLLATE "C" NOT NULL, uid bigint NOT NULL, host text COLLATE "C" NOT NULL,
  login text COLLATE "C" NOT NULL, run uuid,
  target text COLLATE "C" NOT NULL, command uuid, reason text COLLATE "C" NOT NULL, before text COLLATE "C" NOT NULL,
  after text COLLATE "C" NOT NULL, previous bytea NOT NULL, hash bytea NOT NULL);
CREATE INDEX audit_run ON cairn.audit(run, seq) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX audit_command ON cairn.audit(command) WHERE run IS NULL AND command IS NOT NULL;
CREATE TABLE cairn.audit_head(one smallint PRIMARY KEY CHECK(one = 1), seq bigint NOT NULL, hash bytea NOT NULL);
CREATE TABLE cairn.staged_acts(
  command uuid PRIMARY KEY, run uuid, verb smallint NOT NULL, target text COLLATE "C" NOT NULL,
  body bytea NOT NULL CHECK(octet_length(body) <= 1048576), reason text COLLATE "C" NOT NULL,
  claimed text COLLATE "C" NOT NULL, uid bigint NOT NULL, host text COLLATE "C" NOT NULL, seen_version bigint NOT NULL,
  seen_digest bytea, staged_by text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, backend bigint NOT NULL,
  staged_at bigint NOT NULL, taken_until bigint NOT NULL,
  state smallint NOT NULL, code smallint NOT NULL, version bigint NOT NULL, audit bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL, decided_at bigint NOT NULL, glass smallint NOT NULL, role text COLLATE "C" NOT NULL,
  expires bigint NOT NULL, digest bytea, confirmed_by text COLLATE "C" NOT NULL, confirmed_name text COLLATE "C" NOT NULL,
  note text COLLATE "C" NOT NULL, confirmed_at bigint NOT NULL);
CREATE INDEX staged_waiting ON cairn.staged_acts(staged_at, command) WHERE state = 0;
CREATE INDEX staged_proposed ON cairn.staged_acts(expires, command) WHERE state = 5;
CREATE INDEX staged_target ON cairn.staged_acts(run, target);
CREATE INDEX staged_settled ON cairn.staged_acts(decided_at, command) WHERE state <> 0 AND state <> 5;
)sql";

// What may never change is refused by the database itself, also to its owner, and also where triggers are off
// for replication (ENABLE ALWAYS). A run's rows may go only where its tombstone exists, which is written in
// the same transaction: once the rows are gone nothing can bring them back (runs_no_return).
const char* const kTriggers = R"sql(
CREATE FUNCTION cairn.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = TG_ARGV[0];
END $$;
CREATE FUNCTION cairn.refuse_without_tombstone() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS(SELECT 1 FROM cairn.tombstones t WHERE t.run = OLD.run) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = TG_ARGV[0];
  END IF;
  RETURN OLD;
END $$;
CREATE FUNCTION cairn.entries_in_order() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS(SELECT 1 FROM added a WHERE a.version <> 1 AND NOT EXISTS(
      SELECT 1 FROM cairn.entries e WHERE e.run = a.run AND e.version = a.version - 1)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'entries of a run have versions without a hole';
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION cairn.runs_no_return() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS(SELECT 1 FROM added a JOIN cairn.tombstones t ON t.run = a.run) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'this run was deleted';
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION cairn.payloads_no_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.run <> OLD.run OR NEW.id <> OLD.id OR NEW.hash <> OLD.hash OR NEW.size <> OLD.size OR NEW.media <> OLD.media
      OR (NEW.salt IS NOT NULL AND NEW.salt IS DISTINCT FROM OLD.salt)
      OR (NEW.bytes IS NOT NULL AND NEW.bytes IS DISTINCT FROM OLD.bytes)
      OR (NEW.artifact IS NOT NULL AND NEW.artifact IS DISTINCT FROM OLD.artifact) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'payloads can be redacted, not changed';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION cairn.audit_in_order() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS(SELECT 1 FROM added a WHERE a.seq < 1
      OR (a.seq > 1 AND NOT EXISTS(SELECT 1 FROM cairn.audit b WHERE b.seq = a.seq - 1))) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'audit entries are numbered without a hole';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON cairn.entries FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('entries are append-only');
CREATE TRIGGER entries_no_delete BEFORE DELETE ON cairn.entries FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_without_tombstone('entries are append-only: the run has no tombstone');
CREATE TRIGGER entries_no_truncate BEFORE TRUNCATE ON cairn.entries
  EXECUTE FUNCTION cairn.refuse_change('entries are append-only');
CREATE TRIGGER entries_in_order AFTER INSERT ON cairn.entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION cairn.entries_in_order();
CREATE TRIGGER runs_no_update BEFORE UPDATE ON cairn.runs FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('the identity of a run never changes');
CREATE TRIGGER runs_no_delete BEFORE DELETE ON cairn.runs FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_without_tombstone('a run may be deleted only with a tombstone');
CREATE TRIGGER runs_no_truncate BEFORE TRUNCATE ON cairn.runs
  EXECUTE FUNCTION cairn.refuse_change('a run may be deleted only with a tombstone');
CREATE TRIGGER runs_no_return AFTER INSERT ON cairn.runs REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION cairn.runs_no_return();
CREATE TRIGGER payloads_no_change BEFORE UPDATE ON cairn.payloads FOR EACH ROW
  EXECUTE FUNCTION cairn.payloads_no_change();
CREATE TRIGGER payloads_no_delete BEFORE DELETE ON cairn.payloads FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_without_tombstone('payloads can be redacted, not deleted');
CREATE TRIGGER payloads_no_truncate BEFORE TRUNCATE ON cairn.payloads
  EXECUTE FUNCTION cairn.refuse_change('payloads can be redacted, not deleted');
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON cairn.tombstones FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('tombstones are append-only');
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON cairn.tombstones FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('tombstones are append-only');
CREATE TRIGGER tombstones_no_truncate BEFORE TRUNCATE ON cairn.tombstones
  EXECUTE FUNCTION cairn.refuse_change('tombstones are append-only');
CREATE TRIGGER audit_in_order AFTER INSERT ON cairn.audit REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION cairn.audit_in_order();
CREATE TRIGGER audit_no_update BEFORE UPDATE ON cairn.audit FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('the audit is append-only');
CREATE TRIGGER audit_no_delete BEFORE DELETE ON cairn.audit FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('the audit is append-only');
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON cairn.audit
  EXECUTE FUNCTION cairn.refuse_change('the audit is append-only');
CREATE TRIGGER workflows_no_update BEFORE UPDATE OF name, version, digest, text ON cairn.workflows FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('a version of a workflow never changes');
)sql";

// Every trigger of the schema, so that none is forgotten.
const char* const kEnableAlways = R"sql(
DO $$
DECLARE t record;
BEGIN
  FOR t IN SELECT g.tgname, c.relname FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
      WHERE c.relnamespace = 'cairn'::pg_catalog.regnamespace AND NOT g.tgisinternal LOOP
    EXECUTE pg_catalog.format('ALTER TABLE cairn.%I ENABLE ALWAYS TRIGGER %I', t.relname, t.tgname);
  END LOOP;
END $$;
REVOKE ALL ON SCHEMA cairn FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA cairn FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA cairn FROM PUBLIC;
)sql";

const char* const kToSchema2 = R"sql(
ALTER TABLE cairn.attempts ADD COLUMN trace bytea;
ALTER TABLE cairn.attempts ADD COLUMN span bigint;
)sql";

const char* const kArtifactPlace = R"sql(
CREATE TABLE cairn.artifact_place(
  one smallint PRIMARY KEY CHECK(one = 1), url text COLLATE "C" NOT NULL, folder text COLLATE "C" NOT NULL,
  writes smallint NOT NULL);
REVOKE ALL ON cairn.artifact_place FROM PUBLIC;
)sql";

}  // namespace cairn::postgres
