// Acts that somebody else must confirm: proposed by whoever commits, decided by another session_user, in the
// database itself. And policies, which are only ever added to.

#include "core/store/postgres/schema_tables.h"

namespace cairn::postgres {

namespace {

constexpr const char* kAgreement = R"sql(
CREATE TABLE cairn.policies(version bigint NOT NULL PRIMARY KEY, text text COLLATE "C" NOT NULL,
  login text COLLATE "C" NOT NULL, claimed text COLLATE "C" NOT NULL, set_at bigint NOT NULL);
CREATE FUNCTION cairn.policies_in_order() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.version <> 1 + (SELECT coalesce(max(p.version), 0) FROM cairn.policies p) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'the policy has changed by now: look at what was set, and set it again';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER policies_in_order BEFORE INSERT ON cairn.policies FOR EACH ROW EXECUTE FUNCTION cairn.policies_in_order();
CREATE TRIGGER policies_no_update BEFORE UPDATE ON cairn.policies FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('policies are append-only');
CREATE TRIGGER policies_no_delete BEFORE DELETE ON cairn.policies FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('policies are append-only');
CREATE TRIGGER policies_no_truncate BEFORE TRUNCATE ON cairn.policies
  EXECUTE FUNCTION cairn.refuse_change('policies are append-only');

-- A new act in the name of who is connected, or one that waits for an engine and needs somebody else as it turns out.
CREATE FUNCTION cairn.propose_act(command_id uuid, on_run uuid, act_verb bigint, on_target text, act_body bytea, why text,
  as_name text, from_uid bigint, from_host text, saw_version bigint, saw_digest bytea, for_role text, until bigint,
  of_digest bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  clock bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint + (SELECT m.clock_offset FROM cairn.meta m);
BEGIN
  PERFORM cairn.asks_read_committed();
  INSERT INTO cairn.staged_acts AS s(command, run, verb, target, body, reason, claimed, uid, host, seen_version, seen_digest,
      staged_by, address, backend, staged_at, taken_until, state, code, version, audit, outcome, decided_at, glass, role,
      expires, digest, confirmed_by, confirmed_name, note, confirmed_at)
    VALUES(command_id, on_run, act_verb, on_target, act_body, why, as_name, from_uid, from_host, saw_version, saw_digest,
      session_user::text, coalesce(host(inet_client_addr()), ''), pg_backend_pid(), clock, 0, 5, 0, 0, 0, '', 0, 0, for_role,
      until, of_digest, '', '', '', 0)
    ON CONFLICT(command) DO UPDATE SET state = 5, role = EXCLUDED.role, expires = EXCLUDED.expires, digest = EXCLUDED.digest
      WHERE s.state = 0 AND s.confirmed_by = '' AND s.glass = 0;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this act is there already, and is not as it was';
  END IF;
END $$;

-- Of what waits for an engine: by its author, or an owner, while its run has no entry of it; without a run, what carries it
-- out answers it, too. The row is locked as by the transaction that carries it out (lock_staged), so that one of the two
-- comes first.
CREATE FUNCTION cairn.withdraw_left(command_id uuid, why text, as_name text, heard boolean) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s record;
  m record;
  clock bigint;
  noted uuid := cairn.derived_id('act-decided', command_id);
BEGIN
  PERFORM cairn.asks_read_committed();
  SELECT safety, clock_offset INTO STRICT m FROM cairn.meta;
  clock := (extract(epoch FROM clock_timestamp()) * 1000)::bigint + m.clock_offset;
  SELECT w.state, w.code, w.run, w.staged_by, w.confirmed_by INTO s FROM cairn.staged_acts w
    WHERE w.command = command_id FOR UPDATE;
  IF NOT FOUND OR s.state <> 0 OR s.code <> 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this act does not wait for anybody any more';
  END IF;
  IF EXISTS(SELECT 1 FROM cairn.entries e WHERE e.run = s.run AND e.command = command_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this act was carried out already; nothing was withdrawn';
  END IF;
  IF s.staged_by <> session_user::text AND NOT cairn.has_role('cairn_owner') THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('only its author, "%s", or an owner of the store withdraws an act that waits for an engine', s.staged_by);
  END IF;
  -- The entry on an act without a run has an id that follows from the act's (decisionEntry).
  IF s.confirmed_by <> '' AND NOT EXISTS(SELECT 1 FROM cairn.audit a WHERE a.run = s.run AND a.command = command_id
      AND a.verb = 51 AND a.kind = 'confirmed')
    AND NOT (s.run IS NULL AND EXISTS(SELECT 1 FROM cairn.audit a WHERE a.run IS NULL AND a.command = noted
      AND a.verb = 51 AND a.kind = 'confirmed')) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003',
      MESSAGE = 'who confirmed this act is not on record yet: withdraw it once an engine has noted that';
  END IF;
  IF m.safety = 2 AND coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'this store is guarded: a reason of {reason} characters or more is needed';
  END IF;
  UPDATE cairn.staged_acts w SET state = CASE WHEN heard THEN 8 ELSE 0 END, code = CASE WHEN heard THEN 0 ELSE 8 END,
      confirmed_by = session_user::text, confirmed_name = as_name, note = why, confirmed_at = clock,
      decided_at = CASE WHEN heard THEN clock ELSE 0 END, taken_until = 0
    WHERE w.command = command_id;
END $$;

-- The author never decides but to withdraw, whoever asks and with whatever role. `heard`: by who puts it on record itself;
-- else an engine does, and until then the act waits for that.
CREATE FUNCTION cairn.decide_staged(command_id uuid, shown bytea, as_state bigint, why text, as_name text, heard boolean)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s record;
  m record;
  clock bigint;
BEGIN
  PERFORM cairn.asks_read_committed();
  IF as_state = 8 AND EXISTS(SELECT 1 FROM cairn.staged_acts w WHERE w.command = command_id AND w.state = 0) THEN
    PERFORM cairn.withdraw_left(command_id, why, as_name, heard);
    RETURN;
  END IF;
  SELECT safety, clock_offset INTO STRICT m FROM cairn.meta;
  clock := (extract(epoch FROM clock_timestamp()) * 1000)::bigint + m.clock_offset;
  SELECT w.state, w.staged_by, w.role, w.expires, w.digest INTO s FROM cairn.staged_acts w
    WHERE w.command = command_id FOR UPDATE;
  IF NOT FOUND OR s.state <> 5 THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this act does not wait for anybody any more';
  END IF;
  IF as_state = 7 AND heard AND s.expires <= clock THEN
    UPDATE cairn.staged_acts w SET state = 7, decided_at = clock WHERE w.command = command_id;
    RETURN;
  END IF;
  IF s.digest IS DISTINCT FROM shown THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this is not the act that was shown; nothing was decided: look again';
  END IF;
  IF as_state IS NULL OR as_state NOT IN (0, 6, 8) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'an act is confirmed, rejected or withdrawn';
  END IF;
  IF as_state = 8 AND s.staged_by <> session_user::text THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = format('only its author, "%s", withdraws an act', s.staged_by);
  END IF;
  IF as_state <> 8 AND s.staged_by = session_user::text THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'who proposed an act cannot confirm it: somebody else has to';
  END IF;
  IF s.expires <= clock THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this act has expired, and expiry is never consent';
  END IF;
  IF as_state <> 8 AND NOT cairn.may_take_part(session_user::text, s.role) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('the login "%s" lacks the role %s, for which this act waits', session_user, s.role);
  END IF;
  IF m.safety = 2 AND coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'this store is guarded: a reason of {reason} characters or more is needed';
  END IF;
  UPDATE cairn.staged_acts w SET state = CASE WHEN heard THEN as_state ELSE 0 END,
      code = CASE WHEN heard THEN 0 ELSE as_state END, confirmed_by = session_user::text, confirmed_name = as_name,
      note = why, confirmed_at = clock, decided_at = CASE WHEN heard AND as_state <> 0 THEN clock ELSE 0 END, taken_until = 0
    WHERE w.command = command_id;
END $$;
-- A role that the database does not know is the policy's own, which the engine asks.
CREATE FUNCTION cairn.may_take_part(who text, wanted text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$ SELECT wanted = '' OR coalesce((SELECT coalesce((SELECT
  pg_has_role(l.oid, r.oid, 'MEMBER') FROM pg_roles l WHERE l.rolname = who), false) FROM pg_roles r
  WHERE r.rolname = wanted), true) $$;
CREATE FUNCTION cairn.decide_act(command_id uuid, shown bytea, as_state bigint, why text, as_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM cairn.decide_staged(command_id, shown, as_state, why, as_name, false);
END $$;
CREATE FUNCTION cairn.record_decision(command_id uuid, shown bytea, as_state bigint, why text, as_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM cairn.decide_staged(command_id, shown, as_state, why, as_name, true);
END $$;

-- Of what somebody with the right to commit did alone.
CREATE FUNCTION cairn.open_review(command_id uuid, on_run uuid, act_verb bigint, on_target text, why text, at_time bigint)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO cairn.reviews(command, run, verb, target, login, reason, address, backend, opened_at, closed_by, note, closed_at)
    VALUES(command_id, on_run, act_verb, on_target, session_user::text, why, coalesce(host(inet_client_addr()), ''),
      pg_backend_pid(), at_time, '', '', 0);
END $$;
)sql";

}  // namespace

std::string agreementText() { return withReasonMinimum(kAgreement); }

}  // namespace cairn::postgres
