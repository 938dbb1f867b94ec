// Break-glass: what a login leaves by the role cairn_breakglass alone, and who has looked at it since. A row
// is made by a trigger on the acts themselves, so no way of leaving one goes past it.

#include "core/store/postgres/schema_tables.h"

namespace cairn::postgres {

namespace {

constexpr const char* kReviews = R"sql(
CREATE TABLE cairn.reviews(command uuid NOT NULL PRIMARY KEY, run uuid, verb bigint NOT NULL,
  target text COLLATE "C" NOT NULL, login text COLLATE "C" NOT NULL, reason text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL, backend bigint NOT NULL, opened_at bigint NOT NULL,
  closed_by text COLLATE "C" NOT NULL, note text COLLATE "C" NOT NULL, closed_at bigint NOT NULL);
CREATE INDEX reviews_open ON cairn.reviews(opened_at, command) WHERE closed_at = 0;

-- Whether who is connected may leave this only because the glass is broken: neither of the roles that people have for it.
CREATE FUNCTION cairn.breaks_glass(act_verb bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT (SELECT m.roles = 1 FROM cairn.meta m) AND cairn.has_role('cairn_breakglass')
  AND NOT cairn.has_role(CASE WHEN act_verb IN (1, 2) THEN 'cairn_approver' ELSE 'cairn_operator' END) $$;

CREATE FUNCTION cairn.staged_opens_review() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.glass = 1 OR cairn.breaks_glass(NEW.verb)) AND NEW.state = 0 AND NOT cairn.is_filled() THEN
    INSERT INTO cairn.reviews(command, run, verb, target, login, reason, address, backend, opened_at, closed_by, note, closed_at)
      VALUES(NEW.command, NEW.run, NEW.verb, NEW.target, session_user::text, NEW.reason, NEW.address, NEW.backend,
        NEW.staged_at, '', '', 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER staged_opens_review AFTER INSERT ON cairn.staged_acts FOR EACH ROW
  EXECUTE FUNCTION cairn.staged_opens_review();

CREATE FUNCTION cairn.close_review(command_id uuid, why text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  r record;
BEGIN
  PERFORM cairn.asks_read_committed();
  SELECT v.login, v.closed_at, v.closed_by INTO r FROM cairn.reviews v WHERE v.command = command_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'there is no such review';
  END IF;
  IF r.closed_at <> 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = format('"%s" has closed this review already', r.closed_by);
  END IF;
  IF r.login = session_user::text THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002', MESSAGE = 'who broke the glass cannot review it: somebody else has to';
  END IF;
  IF coalesce(length(btrim(why)), 0) < {reason} THEN
    RAISE EXCEPTION USING ERRCODE = 'CA002',
      MESSAGE = 'a review says what was found, in {reason} characters or more';
  END IF;
  UPDATE cairn.reviews v SET closed_by = session_user::text, note = why,
      closed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + (SELECT m.clock_offset FROM cairn.meta m)
    WHERE v.command = command_id;
END $$;

CREATE FUNCTION cairn.reviews_no_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.closed_at <> 0 OR NEW.closed_at = 0 OR NEW.closed_by = OLD.login OR NEW.closed_by <> session_user::text
      OR (NEW.command, NEW.run, NEW.verb, NEW.target, NEW.login, NEW.reason, NEW.address, NEW.backend, NEW.opened_at)
      IS DISTINCT FROM (OLD.command, OLD.run, OLD.verb, OLD.target, OLD.login, OLD.reason, OLD.address, OLD.backend,
      OLD.opened_at) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA001', MESSAGE = 'a review is closed once, by somebody else, and nothing else of it changes';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER reviews_no_change BEFORE UPDATE ON cairn.reviews FOR EACH ROW EXECUTE FUNCTION cairn.reviews_no_change();
CREATE TRIGGER reviews_no_delete BEFORE DELETE ON cairn.reviews FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('reviews are append-only');
CREATE TRIGGER reviews_no_truncate BEFORE TRUNCATE ON cairn.reviews
  EXECUTE FUNCTION cairn.refuse_change('reviews are append-only');
)sql";

}  // namespace

std::string reviewsText() { return withReasonMinimum(kReviews); }

}  // namespace cairn::postgres
