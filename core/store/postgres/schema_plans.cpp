// Plans: one act on many runs. What was frozen never changes, an outcome is not taken back, and whoever makes
// a plan, or confirms one, is who is connected.

#include "core/store/postgres/schema_tables.h"

namespace cairn::postgres {

const char* const kPlans = R"sql(
CREATE TABLE cairn.plans(
  id uuid PRIMARY KEY, verb smallint NOT NULL, command uuid NOT NULL, login text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL, uid bigint NOT NULL, host text COLLATE "C" NOT NULL, reason text COLLATE "C" NOT NULL,
  staged_at bigint NOT NULL, expires_at bigint NOT NULL, spec bytea NOT NULL, items bigint NOT NULL, digest bytea,
  people smallint NOT NULL, role text COLLATE "C" NOT NULL, revision bigint NOT NULL, state smallint NOT NULL,
  confirmed_by text COLLATE "C" NOT NULL, confirmed_at bigint NOT NULL, note text COLLATE "C" NOT NULL,
  aborted smallint NOT NULL, started_at bigint NOT NULL, executed_at bigint NOT NULL, ended_at bigint NOT NULL,
  holder uuid, lease_until bigint NOT NULL);
CREATE INDEX plans_open ON cairn.plans(staged_at, id) WHERE state > 1 AND state < 6;
CREATE INDEX plans_under_way ON cairn.plans(state, staged_at, id) WHERE state = 3 OR state = 5;
CREATE INDEX plans_staged ON cairn.plans(staged_at, id);
CREATE TABLE cairn.plan_items(
  plan uuid NOT NULL REFERENCES cairn.plans(id), ord bigint NOT NULL, run uuid NOT NULL, command uuid NOT NULL,
  target text COLLATE "C" NOT NULL, seen bigint NOT NULL, situation text COLLATE "C" NOT NULL, state smallint NOT NULL,
  left_out smallint NOT NULL, why text COLLATE "C" NOT NULL, version bigint NOT NULL, done_at bigint NOT NULL,
  fate smallint NOT NULL, PRIMARY KEY(plan, ord)) WITH (fillfactor = 80);
CREATE INDEX plan_items_state ON cairn.plan_items(plan, state, ord);
CREATE INDEX plan_items_run ON cairn.plan_items(run, plan) WHERE state = 1;
CREATE FUNCTION cairn.plans_frozen() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.id, NEW.verb, NEW.command, NEW.login, NEW.actor, NEW.uid, NEW.host, NEW.reason, NEW.staged_at, NEW.expires_at,
      NEW.spec, NEW.items, NEW.digest, NEW.people, NEW.role)
      IS DISTINCT FROM (OLD.id, OLD.verb, OLD.command, OLD.login, OLD.actor, OLD.uid, OLD.host, OLD.reason, OLD.staged_at,
      OLD.expires_at, OLD.spec, OLD.items, OLD.digest, OLD.people, OLD.role)
      OR NEW.revision <> OLD.revision + 1 OR (NEW.state < OLD.state AND NOT (OLD.state = 4 AND NEW.state = 3)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'what a plan does is frozen, and it only moves on';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER plans_frozen BEFORE UPDATE ON cairn.plans FOR EACH ROW EXECUTE FUNCTION cairn.plans_frozen();
CREATE FUNCTION cairn.plans_by_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT m.roles FROM cairn.meta m) <> 1 OR cairn.is_filled() THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'INSERT' AND (NEW.login IS DISTINCT FROM session_user::text OR NEW.confirmed_by <> '') THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'a plan is made by who is connected, and confirmed later';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.confirmed_by IS DISTINCT FROM OLD.confirmed_by
      AND (OLD.confirmed_by <> '' OR NEW.confirmed_by = NEW.login OR (NEW.confirmed_by IS DISTINCT FROM session_user::text
        AND NOT EXISTS(SELECT 1 FROM cairn.staged_acts s WHERE s.verb = 53 AND s.target = NEW.id::text
          AND s.staged_by = NEW.confirmed_by AND s.state = 0 AND s.code = 0 AND octet_length(s.body) = 34 AND get_byte(s.body, 1) = 1
          AND substr(s.body, 3) = NEW.digest))) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'a plan is confirmed once, by somebody else, who is connected or has left that';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.state BETWEEN 3 AND 5 AND NEW.people > 1 AND NEW.confirmed_by = '' THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'fewer people have agreed to this plan than are required';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER plans_by_people BEFORE INSERT OR UPDATE ON cairn.plans FOR EACH ROW EXECUTE FUNCTION cairn.plans_by_people();
CREATE TRIGGER plans_no_delete BEFORE DELETE ON cairn.plans FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('plans are kept');
CREATE TRIGGER plans_no_truncate BEFORE TRUNCATE ON cairn.plans
  EXECUTE FUNCTION cairn.refuse_change('plans are kept');
CREATE FUNCTION cairn.plan_items_of_drafts() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT p.state FROM cairn.plans p WHERE p.id = NEW.plan) IS DISTINCT FROM 1 THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'a plan that is frozen takes no more items';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER plan_items_of_drafts BEFORE INSERT ON cairn.plan_items FOR EACH ROW
  EXECUTE FUNCTION cairn.plan_items_of_drafts();
CREATE FUNCTION cairn.plan_items_frozen() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.plan, NEW.ord, NEW.run, NEW.command, NEW.target, NEW.seen, NEW.situation)
      IS DISTINCT FROM (OLD.plan, OLD.ord, OLD.run, OLD.command, OLD.target, OLD.seen, OLD.situation)
      OR (OLD.state <> 1 AND (NEW.state, NEW.left_out, NEW.why, NEW.version, NEW.done_at)
        IS DISTINCT FROM (OLD.state, OLD.left_out, OLD.why, OLD.version, OLD.done_at)) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'an item of a plan is frozen, and has one outcome';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER plan_items_frozen BEFORE UPDATE ON cairn.plan_items FOR EACH ROW
  EXECUTE FUNCTION cairn.plan_items_frozen();
CREATE TRIGGER plan_items_no_delete BEFORE DELETE ON cairn.plan_items FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('plans are kept');
CREATE TRIGGER plan_items_no_truncate BEFORE TRUNCATE ON cairn.plan_items
  EXECUTE FUNCTION cairn.refuse_change('plans are kept');
)sql";

}  // namespace cairn::postgres
