// Acts of people: the functions that write them. Each runs as the owner of the tables, with a search path
// that nobody else can put anything into (pg_temp last), and knows who is asking by session_user, which
// neither SET ROLE nor the function itself changes. Verbs are the numbers of enum Verb (tst_postgres_roles
// compares).

#include "core/machine/machine.h"
#include "core/store/plans.h"
#include "core/store/postgres/schema_tables.h"

#include <string_view>

namespace cairn::postgres {

namespace {

// Stands for the least length of a reason, which core/machine knows (reasonMinimum).
constexpr std::string_view kReasonMark = "{reason}";

// draft_plan() below has the number of the last one.
static_assert(kLastLeftOut == PlanLeftOut{10});

constexpr const char* kActs = R"sql(
-- As deriveUuid() makes it of the bytes of an id: for what follows from an act without a run.
CREATE FUNCTION cairn.derived_id(domain text, seed uuid) RETURNS uuid LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT encode(set_byte(set_byte(substr(h.d, 1, 16), 6, (get_byte(h.d, 6) & 15) | 128), 8,
  (get_byte(h.d, 8) & 63) | 128), 'hex')::uuid
  FROM (SELECT sha256(convert_to(domain, 'UTF8') || '\x00'::bytea || uuid_send(seed)) AS d) h $$;
CREATE FUNCTION cairn.has_role(wanted text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce((SELECT pg_has_role(session_user, r.oid, 'MEMBER') FROM pg_roles r WHERE r.rolname = wanted), false) $$;

-- The owner brings in what people decided and did in the store that this one is the copy of (core/store/fence.h: Filling).
-- Nobody decides or acts here meanwhile, and the history that comes along is compared before the store is opened.
CREATE FUNCTION cairn.is_filled() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT (SELECT m.min_writer BETWEEN 2013265920 AND 2080374783 FROM cairn.meta m) AND cairn.has_role('cairn_owner') $$;

-- First in whatever locks and then looks: what was committed before the lock has to be seen, and of a snapshot that is
-- older, which a caller may choose, it is not.
CREATE FUNCTION cairn.asks_read_committed() RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'this is done in a transaction of READ COMMITTED alone';
  END IF;
END $$;

CREATE FUNCTION cairn.stage_act(command_id uuid, on_run uuid, act_verb bigint, on_target text, act_body bytea, why text,
  as_name text, from_uid bigint, from_host text, saw_version bigint, saw_digest bytea, by_glass bigint DEFAULT 0) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  m record;
  a record;
  clock bigint;
  needed_role text := CASE WHEN act_verb IN (1, 2) THEN 'cairn_approver' ELSE 'cairn_operator' END;
  broken boolean;
BEGIN
  PERFORM cairn.asks_read_committed();
  SELECT roles, safety, clock_offset INTO STRICT m FROM cairn.meta;
  IF act_verb IS NULL OR act_verb NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 27, 46, 47,
    48, 49) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'this kind of act is not left for an engine';
  END IF;
  IF by_glass = 1 AND NOT cairn.has_role('cairn_breakglass') THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('the login "%s" lacks the role cairn_breakglass, which breaking the glass needs', session_user);
  END IF;
  broken := by_glass = 1 OR cairn.breaks_glass(act_verb);
  IF m.roles = 1 AND NOT broken AND NOT cairn.has_role(needed_role) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('the login "%s" lacks the role %s, which this act needs', session_user, needed_role);
  END IF;
  -- Ids that are derived from messages have another version: nobody can take one of those beforehand.
  IF command_id IS NULL OR substr(command_id::text, 15, 1) <> '7' THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'the id of an act is a UUID of version 7';
  END IF;
  IF m.safety = 2 AND act_verb <> 27 AND coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'this store is guarded: a reason of {reason} characters or more is needed';
  END IF;
  IF broken AND coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'breaking the glass needs a reason of {reason} characters or more, in every store';
  END IF;
  clock := (extract(epoch FROM clock_timestamp()) * 1000)::bigint + m.clock_offset;
  IF act_verb IN (1, 2) THEN
    SELECT p.state, p.expires, p.needed, p.asked_by, p.deciders::jsonb AS deciders, p.binding INTO a FROM cairn.approvals p
      WHERE p.run = on_run AND p.id::text = on_target;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'there is no such approval in this run';
    END IF;
    IF a.binding IS DISTINCT FROM saw_digest THEN
      RAISE EXCEPTION USING ERRCODE = 'CA003',
        MESSAGE = 'what was asked has changed since it was shown; nothing was decided: look again';
    END IF;
    IF act_verb = 1 AND a.needed > 1 AND a.asked_by = session_user::text THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'who asked cannot approve where two people are required';
    END IF;
    IF act_verb = 1 AND a.needed > 1 AND a.deciders ? session_user::text THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002',
        MESSAGE = format('two people are required, and "%s" has approved already', session_user);
    END IF;
  END IF;
  INSERT INTO cairn.staged_acts(command, run, verb, target, body, reason, claimed, uid, host, seen_version, seen_digest,
      staged_by, address, backend, staged_at, taken_until, state, code, version, audit, outcome, decided_at, glass, role,
      expires, digest, confirmed_by, confirmed_name, note, confirmed_at)
    VALUES(command_id, on_run, act_verb, on_target, act_body, why, as_name, from_uid, from_host, saw_version, saw_digest,
      session_user::text, coalesce(host(inet_client_addr()), ''), pg_backend_pid(), clock, 0, 0, 0, 0, 0, '', 0,
      broken::int, '', 0, NULL, '', '', '', 0)
    ON CONFLICT(command) DO NOTHING;
  IF FOUND AND act_verb IN (1, 2) THEN
    IF a.state <> 1 OR (a.expires <> 0 AND a.expires <= clock) THEN
      RAISE EXCEPTION USING ERRCODE = 'CA003',
        MESSAGE = 'this approval is not open any more: it was decided or withdrawn, or has expired; nothing was decided';
    END IF;
  ELSIF NOT FOUND AND NOT EXISTS(SELECT 1 FROM cairn.staged_acts s WHERE s.command = command_id AND s.run = on_run
      AND s.verb = act_verb AND s.target = on_target AND s.body = act_body AND s.staged_by = session_user::text) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'another act was left under this command id';
  END IF;
END $$;

-- Plans of who may not write them: a draft, of which nobody sees anything, and what is to be done to a plan, which an engine
-- decides again. Whose it is, is who is connected.
CREATE FUNCTION cairn.draft_plan(plan_id uuid, known bigint, act_verb bigint, command_id uuid, as_name text, from_uid bigint,
  from_host text, why text, at_time bigint, until bigint, what bytea, targets bigint, of_digest bytea, needs bigint, of_role text,
  ords bigint[], runs uuid[], commands uuid[], steps text[], seens bigint[], situations text[], states bigint[],
  outs bigint[], whys text[], versions bigint[], dones bigint[], fates bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  clock bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    + (SELECT m.clock_offset FROM cairn.meta m);
BEGIN
  IF NOT cairn.has_role('cairn_operator') THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('the login "%s" lacks the role cairn_operator, which plans need', session_user);
  END IF;
  IF octet_length(what) > 1048576 OR cardinality(ords) > 500 OR targets > 100000 THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'this is more than a plan takes at a time';
  END IF;
  IF EXISTS(SELECT 1 FROM unnest(states, outs, fates) AS u(state, left_out, fate)
      WHERE NOT coalesce(u.state IN (1, 3) AND u.left_out BETWEEN 0 AND 10 AND u.fate = 0, false)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'an item of a draft is open or left out, and nothing became of it';
  END IF;
  -- How long somebody looks at a plan before leaving it is theirs.
  IF known = 0 AND NOT coalesce(at_time BETWEEN clock - 86400000 AND clock + 60000, false) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'a draft was made a day ago at most, and by a clock that is ahead by a minute at most: stage it anew';
  END IF;
  IF known = 0 THEN
    INSERT INTO cairn.plans(id, verb, command, login, actor, uid, host, reason, staged_at, expires_at, spec, items, digest,
        people, role, revision, state, confirmed_by, confirmed_at, note, aborted, started_at, executed_at, ended_at, holder,
        lease_until)
      VALUES(plan_id, act_verb, command_id, session_user::text, as_name, from_uid, from_host, why, at_time, until, what, targets,
        of_digest, needs, of_role, 1, 1, '', 0, '', 0, 0, 0, 0, NULL, 0);
  ELSE
    UPDATE cairn.plans p SET revision = known + 1
      WHERE p.id = plan_id AND p.revision = known AND p.state = 1 AND p.login = session_user::text;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'this plan is no draft of yours any more: stage it anew';
    END IF;
  END IF;
  INSERT INTO cairn.plan_items(plan, ord, run, command, target, seen, situation, state, left_out, why, version, done_at, fate)
    SELECT plan_id, u.* FROM unnest(ords, runs, commands, steps, seens, situations, states, outs, whys, versions, dones,
      fates) AS u ON CONFLICT(plan, ord) DO NOTHING;
END $$;
CREATE FUNCTION cairn.order_plan(command_id uuid, plan_id uuid, what bytea, why text, as_name text, from_uid bigint,
  from_host text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  m record;
BEGIN
  PERFORM cairn.asks_read_committed();
  SELECT safety, clock_offset INTO STRICT m FROM cairn.meta;
  IF NOT cairn.has_role('cairn_operator') THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = format('the login "%s" lacks the role cairn_operator, which plans need', session_user);
  END IF;
  IF command_id IS NULL OR substr(command_id::text, 15, 1) <> '7' THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'the id of an act is a UUID of version 7';
  END IF;
  IF m.safety = 2 AND coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'this store is guarded: a reason of {reason} characters or more is needed';
  END IF;
  IF octet_length(what) > 64 OR NOT EXISTS(SELECT 1 FROM cairn.plans p WHERE p.id = plan_id
      AND (p.state > 1 OR p.login = session_user::text)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'there is no such plan';
  END IF;
  INSERT INTO cairn.staged_acts(command, run, verb, target, body, reason, claimed, uid, host, seen_version, seen_digest,
      staged_by, address, backend, staged_at, taken_until, state, code, version, audit, outcome, decided_at, glass, role,
      expires, digest, confirmed_by, confirmed_name, note, confirmed_at)
    VALUES(command_id, NULL, 53, plan_id::text, what, why, as_name, from_uid, from_host, 0, NULL,
      session_user::text, coalesce(host(inet_client_addr()), ''), pg_backend_pid(),
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint + m.clock_offset, 0, 0, 0, 0, 0, '', 0, 0, '', 0, NULL, '', '', '', 0)
    ON CONFLICT(command) DO NOTHING;
  IF NOT FOUND AND NOT EXISTS(SELECT 1 FROM cairn.staged_acts s WHERE s.command = command_id AND s.verb = 53
      AND s.target = plan_id::text AND s.body = what AND s.staged_by = session_user::text) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'another act was left under this command id';
  END IF;
END $$;

CREATE FUNCTION cairn.take_staged(most bigint) RETURNS SETOF cairn.staged_acts LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  clock bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  RETURN QUERY WITH waiting AS MATERIALIZED (SELECT w.command FROM cairn.staged_acts w
      WHERE w.state = 0 AND w.taken_until <= clock ORDER BY w.staged_at, w.command LIMIT most FOR UPDATE SKIP LOCKED)
    UPDATE cairn.staged_acts s SET taken_until = clock + 5000 FROM waiting
    WHERE s.command = waiting.command RETURNING s.*;
  -- Proposals that nobody confirmed in time.
  RETURN QUERY WITH late AS MATERIALIZED (SELECT w.command FROM cairn.staged_acts w
      WHERE w.state = 5 AND w.expires <= clock + (SELECT m.clock_offset FROM cairn.meta m) AND w.taken_until <= clock
      ORDER BY w.expires, w.command LIMIT most FOR UPDATE SKIP LOCKED)
    UPDATE cairn.staged_acts s SET taken_until = clock + 5000 FROM late
    WHERE s.command = late.command RETURNING s.*;
END $$;

-- What becomes of an act and of its withdrawal is decided under this lock: by the commit that carries it out, or before it.
CREATE FUNCTION cairn.lock_staged(wanted uuid[]) RETURNS TABLE(act uuid, waits boolean) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT s.command, s.state = 0 AND s.code NOT IN (6, 8) FROM cairn.staged_acts s
    WHERE s.command = ANY(wanted) ORDER BY s.command FOR NO KEY UPDATE;
END $$;

CREATE FUNCTION cairn.finish_staged(command_id uuid, as_state bigint, with_code bigint, at_version bigint, in_audit bigint,
  said text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE cairn.staged_acts s SET state = as_state, code = with_code, version = at_version, audit = in_audit,
      outcome = said, decided_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        + (SELECT m.clock_offset FROM cairn.meta m)
    WHERE s.command = command_id AND s.state = 0
      AND CASE WHEN s.code IN (6, 8) THEN as_state = s.code ELSE as_state BETWEEN 1 AND 4 END;
END $$;

CREATE FUNCTION cairn.staged_no_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  withdrawn boolean;
BEGIN
  -- An act that waits may turn out to need somebody else. What is decided is decided by who is connected, and not by the
  -- author, but that it is withdrawn (8); once. An owner may withdraw what waits for an engine, too.
  withdrawn := OLD.state = 0 AND OLD.code = 0 AND NEW.state IN (0, 8) AND 8 IN (NEW.state, NEW.code)
    AND NEW.confirmed_by = session_user::text AND (OLD.staged_by = session_user::text OR cairn.has_role('cairn_owner'));
  IF OLD.state NOT IN (0, 5) OR (OLD.state = 0 AND NEW.state = 5 AND OLD.confirmed_by <> '')
      OR (OLD.state = 5 AND NEW.state NOT IN (0, 5, 6, 7, 8))
      OR (OLD.state = 5 AND NEW.state IN (0, 6, 8) AND NEW.confirmed_by IS DISTINCT FROM session_user::text)
      OR (OLD.state = 5 AND NEW.state IN (0, 6, 8) AND (NEW.confirmed_by = OLD.staged_by) <> (8 IN (NEW.state, NEW.code)))
      OR (NOT withdrawn AND NOT (OLD.state = 5 AND NEW.state IN (0, 6, 8)) AND (NEW.confirmed_by, NEW.confirmed_name, NEW.note, NEW.confirmed_at)
        IS DISTINCT FROM (OLD.confirmed_by, OLD.confirmed_name, OLD.note, OLD.confirmed_at))
      OR (NOT (OLD.state = 0 AND NEW.state = 5)
        AND (NEW.role, NEW.expires, NEW.digest) IS DISTINCT FROM (OLD.role, OLD.expires, OLD.digest))
      OR NEW.glass <> OLD.glass OR (NEW.command, NEW.run, NEW.verb, NEW.target, NEW.body, NEW.reason, NEW.claimed, NEW.uid, NEW.host,
      NEW.seen_version, NEW.seen_digest, NEW.staged_by, NEW.address, NEW.backend, NEW.staged_at)
      IS DISTINCT FROM (OLD.command, OLD.run, OLD.verb, OLD.target, OLD.body, OLD.reason, OLD.claimed, OLD.uid, OLD.host,
      OLD.seen_version, OLD.seen_digest, OLD.staged_by, OLD.address, OLD.backend, OLD.staged_at) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'of an act that was left only who else agrees and its outcome are added, once';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER staged_no_change BEFORE UPDATE ON cairn.staged_acts FOR EACH ROW
  EXECUTE FUNCTION cairn.staged_no_change();
-- What was answered 30 days ago goes; the audit and the run's history keep who did what, and why.
CREATE FUNCTION cairn.staged_over(settled bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT settled < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 2592000000 + m.clock_offset FROM cairn.meta m $$;
CREATE FUNCTION cairn.staged_no_early_delete() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state IN (0, 5) OR NOT cairn.staged_over(OLD.decided_at) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'acts that were left are append-only until 30 days after their answer';
  END IF;
  RETURN OLD;
END $$;
CREATE FUNCTION cairn.forget_staged(most bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  forgotten bigint;
  -- A value, so that the index is read up to it and no further.
  before bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 2592000000
    + (SELECT m.clock_offset FROM cairn.meta m);
BEGIN
  WITH over AS MATERIALIZED (SELECT w.command FROM cairn.staged_acts w
      WHERE w.state <> 0 AND w.state <> 5 AND w.decided_at < before ORDER BY w.decided_at LIMIT most FOR UPDATE SKIP LOCKED)
    DELETE FROM cairn.staged_acts s USING over WHERE s.command = over.command;
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;
CREATE TRIGGER staged_no_delete BEFORE DELETE ON cairn.staged_acts FOR EACH ROW
  EXECUTE FUNCTION cairn.staged_no_early_delete();
CREATE TRIGGER staged_no_truncate BEFORE TRUNCATE ON cairn.staged_acts
  EXECUTE FUNCTION cairn.refuse_change('acts that were left are append-only');

-- The audit: locked after all else, and added to in order. In a store with roles an entry names who is connected, or whose
-- act it is that was left under this command id.
CREATE FUNCTION cairn.lock_audit_head(OUT seq bigint, OUT hash bytea) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT h.seq, h.hash INTO STRICT seq, hash FROM cairn.audit_head h FOR UPDATE;
END $$;
CREATE FUNCTION cairn.append_audit(seqs bigint[], times bigint[], kinds text[], verbs bigint[], actors text[], uids bigint[],
  hosts text[], logins text[], runs uuid[], targets text[], commands uuid[], reasons text[], befores text[], afters text[],
  previouses bytea[], hashes bytea[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  top bigint;
  tip bytea;
  by_roles boolean;
BEGIN
  PERFORM cairn.asks_read_committed();
  SELECT h.seq, h.hash INTO STRICT top, tip FROM cairn.audit_head h FOR UPDATE;
  SELECT m.roles = 1 AND NOT cairn.is_filled() INTO STRICT by_roles FROM cairn.meta m;
  FOR i IN 1 .. cardinality(seqs) LOOP
    IF seqs[i] IS DISTINCT FROM top + 1 OR previouses[i] IS DISTINCT FROM tip THEN
      RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'an audit entry does not continue the chain';
    END IF;
    IF by_roles AND logins[i] IS DISTINCT FROM session_user::text AND NOT EXISTS(SELECT 1 FROM cairn.staged_acts s
        WHERE s.command = commands[i] AND s.run IS NOT DISTINCT FROM runs[i]
          AND ((s.staged_by = logins[i] AND verbs[i] IN (s.verb, 50) AND s.reason = reasons[i])
            OR (s.confirmed_by = logins[i] AND verbs[i] = 51 AND s.note = reasons[i])))
      -- What was said to an act without a run has an id that follows from the act's (decisionEntry).
      AND NOT (verbs[i] = 51 AND runs[i] IS NULL AND EXISTS(SELECT 1 FROM cairn.staged_acts s
        WHERE s.state = 0 AND s.run IS NULL AND s.confirmed_by = logins[i] AND s.note = reasons[i]
          AND commands[i] = cairn.derived_id(CASE s.code WHEN 8 THEN 'act-withdrawn' ELSE 'act-decided' END, s.command)))
      AND NOT EXISTS(SELECT 1 FROM cairn.plan_items t JOIN cairn.plans p ON p.id = t.plan
        WHERE t.run = runs[i] AND t.state = 1 AND t.command = commands[i] AND p.state > 2 AND p.login = logins[i]
          AND p.verb = verbs[i] AND p.reason = reasons[i]) THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002',
        MESSAGE = format('an audit entry in the name of "%s", who left no such act', logins[i]);
    END IF;
    top := seqs[i];
    tip := hashes[i];
  END LOOP;
  INSERT INTO cairn.audit(seq, time, kind, verb, actor, uid, host, login, run, target, command, reason, before, after,
      previous, hash)
    SELECT * FROM unnest(seqs, times, kinds, verbs, actors, uids, hosts, logins, runs, targets, commands, reasons, befores,
      afters, previouses, hashes);
  UPDATE cairn.audit_head h SET seq = top, hash = tip;
END $$;

-- Four eyes, whoever writes: a decision is recorded for a connected approver, or for one who left it here.
CREATE FUNCTION cairn.approvals_by_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  who text;
  people jsonb := NEW.deciders::jsonb;
  before jsonb := CASE WHEN TG_OP = 'UPDATE' THEN OLD.deciders::jsonb ELSE '[]'::jsonb END;
  fresh boolean := TG_OP = 'INSERT' OR NEW.state IS DISTINCT FROM OLD.state;
BEGIN
  IF (SELECT m.roles FROM cairn.meta m) <> 1 OR cairn.is_filled() THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.needed, NEW.asked_by, NEW.binding, NEW.expires)
      IS DISTINCT FROM (OLD.needed, OLD.asked_by, OLD.binding, OLD.expires) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'what was asked, who asked, how many must approve and until when, never changes';
  END IF;
  FOR who IN SELECT p FROM jsonb_array_elements_text(people) AS p LOOP
    IF NOT before ? who AND NOT (who = session_user::text AND cairn.has_role('cairn_approver'))
        AND NOT EXISTS(SELECT 1 FROM cairn.staged_acts s WHERE s.run = NEW.run AND s.target = NEW.id::text
          AND (s.verb = 1 OR (s.verb = 2 AND NEW.state = 3)) AND s.seen_digest IS NOT DISTINCT FROM NEW.binding
          AND s.staged_by = who AND s.state = 0) THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = format(
        'a decision of "%s", who is neither connected with the role cairn_approver nor left one for this approval', who);
    END IF;
    IF NOT before ? who AND NOT cairn.may_take_part(who, NEW.role) THEN
      RAISE EXCEPTION USING ERRCODE = 'CA002',
        MESSAGE = format('the login "%s" lacks the role %s, which this approval is for', who, NEW.role);
    END IF;
  END LOOP;
  IF NEW.state IN (2, 6) AND (SELECT count(DISTINCT p) FROM jsonb_array_elements_text(people) AS p)
      < greatest(NEW.needed, 1) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'fewer people have approved than are required';
  END IF;
  IF NEW.state IN (2, 6) AND NEW.needed > 1 AND people ? NEW.asked_by THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'who asked cannot approve where two people are required';
  END IF;
  IF NEW.state IN (2, 6) AND fresh AND NEW.expires <> 0 AND NEW.decided_at > NEW.expires THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'what has expired is not approved any more';
  END IF;
  IF NEW.state = 3 AND fresh AND NOT EXISTS(SELECT 1 FROM jsonb_array_elements_text(people) AS p
      WHERE (p = session_user::text AND cairn.has_role('cairn_approver')) OR EXISTS(SELECT 1 FROM cairn.staged_acts s
        WHERE s.run = NEW.run AND s.target = NEW.id::text AND s.verb = 2 AND s.staged_by = p AND s.state = 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'a refusal needs a person who refused';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER approvals_by_people AFTER INSERT OR UPDATE ON cairn.approvals FOR EACH ROW
  EXECUTE FUNCTION cairn.approvals_by_people();
)sql";

}  // namespace

std::string withReasonMinimum(std::string text)
{
    const std::string least = std::to_string(reasonMinimum(Safety::Guarded));
    for (auto at = text.find(kReasonMark); at != std::string::npos; at = text.find(kReasonMark, at))
        text.replace(at, kReasonMark.size(), least);
    return text;
}

std::string actsText() { return withReasonMinimum(kActs); }

}  // namespace cairn::postgres
