// Acts of people in a store with roles, and what the database itself enforces about them, about decisions and
// about the audit, whoever writes.

#include "tests/store/role_logins.h"

#include <set>
#include <thread>

namespace cairn::testing {

class PostgresActsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_roles.initWithRoles(); }
    void appendOnlyHoldsForEverybody_data();
    void appendOnlyHoldsForEverybody();
    void actsAreRecordedForWhoIsConnected();
    void namesOfOthersAreNotCalled();
    void eachVerbNeedsItsRole();
    void aGuardedStoreAsksForAReason();
    void idsOfMessagesCannotBeTakenBeforehand();
    void fourEyesHoldInTheDatabase();
    void enginesRecordOnlyDecisionsOfApprovers();
    void theAuditNamesWhoActed();
    void consentsAreForWhatWasShown();
    void whatHasEndedIsNotDecided();
    void whereAnActCameFromIsRecorded();
    void answeredActsAreForgottenAfterAMonth();
    void anActIsConfirmedByAnotherLogin();
    void aDraftThatCannotBeIsNotTaken();
    void anActIsLockedBeforeTheAudit();
    void nothingIsDecidedOnAnOldSnapshot();

private:
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_roles.url).value(sql); }
    [[nodiscard]] static StagedAct act(const std::string& name, Verb verb, const std::string& target = {})
    {
        StagedAct act;
        act.command = idOf<CommandId>("act " + name);
        act.command.bytes[6] = static_cast<std::uint8_t>(0x70U | (act.command.bytes[6] & 0x0FU));
        act.run = idOf<RunId>("a");
        act.verb = verb;
        act.target = target;
        act.body = "body";
        act.reason = "because of this test";
        act.claimed = "somebody";
        act.uid = 4711;
        act.host = "desk";
        return act;
    }
    void ask(const std::string& name, int needed, const std::string& by) const
    {
        m_roles.admin(
            "INSERT INTO cairn.approvals(run, id, step, state, role, asked_at, expires, decided_at, "
            "decided_by, needed, asked_by, deciders, binding) VALUES('"
            + toText(idOf<RunId>("a")) + "', '" + approval(name) + "', 0, 1, 'ops', 1, 0, 0, '', "
            + std::to_string(needed) + ", '" + by + "', '[]', decode(repeat('62', 32), 'hex'))");
    }
    [[nodiscard]] static std::string approval(const std::string& name)
    {
        return toText(idOf<ApprovalId>("approval " + name));
    }
    // What an engine writes once a decision was taken.
    [[nodiscard]] static std::string decided(const std::string& name, int state, const std::string& people)
    {
        return "UPDATE cairn.approvals SET state = " + std::to_string(state) + ", deciders = '" + people
            + "' WHERE id = '" + approval(name) + "'";
    }
    void answer(StoreWriter& engine) const
    {
        const auto acts = engine.takeStaged(1'000);
        CAIRN_VERIFY_OK(acts);
        for (StagedAct act : *acts) {
            act.state = StagedState::Committed;
            CAIRN_VERIFY_OK(engine.finishStaged(act));
        }
    }
    [[nodiscard]] StagedAct decision(const std::string& id, Verb verb, const std::string& name) const
    {
        StagedAct made = act(id, verb, approval(name));
        made.seenDigest.bytes.fill(0x62);
        return made;
    }

    RoleLogins m_roles;
};

void PostgresActsTest::appendOnlyHoldsForEverybody_data()
{
    QTest::addColumn<QByteArray>("sql");
    for (const char* who : {"SET ROLE cairn_owner", "SET session_replication_role = replica"})
        for (const char* what :
            {"UPDATE cairn.staged_acts SET reason = 'another'", "DELETE FROM cairn.staged_acts",
                "TRUNCATE cairn.staged_acts", "UPDATE cairn.staged_acts SET staged_by = 't_second'",
                "UPDATE cairn.staged_acts SET state = 1; UPDATE cairn.staged_acts SET state = 0"})
            QTest::addRow("%s; %s", who, what) << QByteArray(who) + "; " + what;
}

void PostgresActsTest::appendOnlyHoldsForEverybody()
{
    QFETCH(QByteArray, sql);
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(act("p", Verb::Pause)));
    QCOMPARE(stateIn(RawPg(m_roles.url), sql.toStdString()), std::string("CA001"));
}

void PostgresActsTest::actsAreRecordedForWhoIsConnected()
{
    const auto by = m_roles.openAs("t_operator");
    const StagedAct wanted = act("p", Verb::Pause);
    CAIRN_VERIFY_OK(by->stage(wanted));
    CAIRN_VERIFY_OK(by->stage(wanted));  // again: the same
    StagedAct other = wanted;
    other.body = "another";
    CAIRN_VERIFY_ERROR(by->stage(other), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(m_roles.openAs("t_both")->stage(wanted), ErrorKind::NoRight);
    QCOMPARE(value("SELECT count(*) FROM cairn.staged_acts"), std::string("1"));
    const auto engine = m_roles.openAs("t_engine");
    const auto taken = engine->takeStaged(10);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->size(), std::size_t{1});
    const StagedAct& got = taken->front();
    QCOMPARE(got.stagedBy, std::string("t_operator"));
    QCOMPARE(got.claimed, wanted.claimed);
    QCOMPARE(got.uid, wanted.uid);
    QCOMPARE(got.host, wanted.host);
    QCOMPARE(got.body, wanted.body);
    QCOMPARE(got.reason, wanted.reason);
    QVERIFY(got.run == wanted.run && got.command == wanted.command && got.verb == wanted.verb);
    QVERIFY2(m_roles.openAs("t_engine")->takeStaged(10)->empty(), "one engine at a time");
    StagedAct done = got;
    done.state = StagedState::Committed;
    done.version = 7;
    done.auditSeq = 3;
    done.outcome = "done";
    CAIRN_VERIFY_ERROR(by->finishStaged(done), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(engine->finishStaged(done));
    done.outcome = "twice";
    CAIRN_VERIFY_OK(engine->finishStaged(done));
    const auto seen = by->stagedAct(wanted.command);
    CAIRN_VERIFY_OK(seen);
    QCOMPARE((*seen)->outcome, std::string("done"));
    QCOMPARE((*seen)->version, std::uint64_t{7});
    QCOMPARE((*seen)->auditSeq, std::uint64_t{3});
    QVERIFY(engine->takeStaged(10)->empty());
}

// What somebody has in a schema of their own, before all others on their search path, is not called by a
// function that runs as the owner; and neither SET ROLE nor a temporary table changes who it is that acts.
void PostgresActsTest::namesOfOthersAreNotCalled()
{
    m_roles.admin("CREATE SCHEMA IF NOT EXISTS mine AUTHORIZATION t_operator");
    const RawPg session(m_roles.urlOf("t_operator"));
    for (const char* sql :
        {"CREATE TABLE IF NOT EXISTS mine.trapped(who text)", "GRANT ALL ON mine.trapped TO PUBLIC",
            "GRANT USAGE ON SCHEMA mine TO PUBLIC",
            "CREATE OR REPLACE FUNCTION mine.substr(text, integer, integer) RETURNS text LANGUAGE plpgsql AS "
            "$$ BEGIN INSERT INTO mine.trapped VALUES(current_user); RETURN '7'; END $$",
            "CREATE OR REPLACE FUNCTION mine.btrim(text) RETURNS text LANGUAGE plpgsql AS "
            "$$ BEGIN INSERT INTO mine.trapped VALUES(current_user); RETURN 'long enough'; END $$",
            "CREATE TEMPORARY TABLE staged_acts(x integer)", "CREATE TEMPORARY TABLE meta(roles smallint)",
            "CREATE TEMPORARY TABLE pg_roles(rolname name, oid oid)",
            "CREATE FUNCTION pg_temp.session_user() RETURNS text LANGUAGE sql AS $$ SELECT 't_both' $$",
            "SET search_path = mine, pg_temp, pg_catalog", "SET ROLE cairn_operator"})
        QCOMPARE(session.exec(sql), std::string());
    QVERIFY(session.exec("SELECT substr('x'::text, 1, 1)").empty());
    QCOMPARE(session.value("SELECT count(*) FROM mine.trapped"), std::string("1"));  // the trap is one
    const StagedAct wanted = act("t", Verb::Pause);
    QCOMPARE(session.exec("SELECT cairn.stage_act('" + toText(wanted.command) + "', '" + toText(wanted.run)
                 + "', 3, '', 'body', 'because of this test', 'x', 1, 'h', 1, NULL)"),
        std::string());
    QCOMPARE(session.value("SELECT count(*) FROM mine.trapped"), std::string("1"));
    QCOMPARE(value("SELECT staged_by FROM cairn.staged_acts"), std::string("t_operator"));
    m_roles.admin("DROP SCHEMA mine CASCADE");
}

// Numbers of verbs stand in the database's functions: they are those of the enum.
void PostgresActsTest::eachVerbNeedsItsRole()
{
    const std::set<Verb> operators = {Verb::Pause, Verb::Resume, Verb::Cancel, Verb::Retry, Verb::Skip,
        Verb::Record, Verb::Settle, Verb::Amend, Verb::Deadline, Verb::Budget, Verb::Compensate, Verb::Fork,
        Verb::Migrate, Verb::Signal, Verb::Takeover, Verb::Hold, Verb::Assign, Verb::Note, Verb::Redact,
        Verb::Retain};
    const std::set<Verb> approvers = {Verb::Approve, Verb::Reject};
    ask("one", 1, "");
    const auto byOperator = m_roles.openAs("t_operator");
    const auto byApprover = m_roles.openAs("t_approver");
    for (const Word& word : words<Verb>()) {
        const auto verb = static_cast<Verb>(word.value);
        const std::string name(word.key);
        const bool decides = approvers.contains(verb);
        const StagedAct first = decides ? decision("o" + name, verb, "one") : act("o" + name, verb);
        const StagedAct second = decides ? decision("a" + name, verb, "one") : act("a" + name, verb);
        const Status one = byOperator->stage(first);
        QVERIFY2(one.has_value() == operators.contains(verb), name.c_str());
        const Status two = byApprover->stage(second);
        QVERIFY2(two.has_value() == decides, name.c_str());
        const ErrorKind kind = verb == Verb::Plan ? ErrorKind::InvalidInput : ErrorKind::NoRight;
        for (const Status& refused : {one, two})
            QVERIFY2(refused.has_value() || refused.error().kind == kind, name.c_str());
    }
}

void PostgresActsTest::aGuardedStoreAsksForAReason()
{
    StagedAct hasty = act("h", Verb::Pause);
    hasty.reason = "  short  ";
    const auto by = m_roles.openAs("t_operator");
    const Status refused = by->stage(hasty);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
    QVERIFY(refused.error().text.find("reason") != std::string::npos);
    hasty.body.assign(kStagedLimit + 1, 'x');
    hasty.reason = "because of this test";
    CAIRN_VERIFY_ERROR(by->stage(hasty), ErrorKind::InvalidInput);
}

void PostgresActsTest::idsOfMessagesCannotBeTakenBeforehand()
{
    StagedAct taken = act("m", Verb::Pause);
    taken.command = deriveId<CommandId>("message", "the next one of some run");
    CAIRN_VERIFY_ERROR(m_roles.openAs("t_operator")->stage(taken), ErrorKind::NoRight);
}

void PostgresActsTest::fourEyesHoldInTheDatabase()
{
    ask("two", 2, "t_both");
    const auto asker = m_roles.openAs("t_both");
    const Status own = asker->stage(decision("1", Verb::Approve, "two"));
    CAIRN_VERIFY_ERROR(own, ErrorKind::NoRight);
    QVERIFY2(own.error().text.find("who asked") != std::string::npos, own.error().text.c_str());
    CAIRN_VERIFY_OK(asker->stage(decision("2", Verb::Reject, "two")));  // no is no consent
    const auto approver = m_roles.openAs("t_approver");
    StagedAct other = decision("3", Verb::Approve, "two");
    other.seenDigest = sha256("something else");
    CAIRN_VERIFY_ERROR(approver->stage(other), ErrorKind::Conflict);
    CAIRN_VERIFY_ERROR(approver->stage(decision("4", Verb::Approve, "none")), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(approver->stage(decision("5", Verb::Approve, "two")));
    const RawPg engine(m_roles.urlOf("t_engine"));
    QCOMPARE(engine.exec(decided("two", 1, "[\"t_approver\"]")), std::string());
    const Status twice = approver->stage(decision("6", Verb::Approve, "two"));
    CAIRN_VERIFY_ERROR(twice, ErrorKind::NoRight);
    QVERIFY2(
        twice.error().text.find("has approved already") != std::string::npos, twice.error().text.c_str());
    CAIRN_VERIFY_OK(m_roles.openAs("t_second")->stage(decision("7", Verb::Approve, "two")));
    QCOMPARE(engine.exec(decided("two", 2, "[\"t_approver\", \"t_second\"]")), std::string());
}

void PostgresActsTest::enginesRecordOnlyDecisionsOfApprovers()
{
    ask("one", 1, "");
    ask("two", 2, "t_both");
    const RawPg engine(m_roles.urlOf("t_engine"));
    const auto refused = [&](const std::string& sql) { return stateIn(engine, sql) == "CA002"; };
    QVERIFY(refused(decided("one", 2, "[]")));
    QVERIFY(refused(decided("one", 2, "[\"t_engine\"]")));
    QVERIFY(refused(decided("one", 2, "[\"t_approver\"]")));  // who has left nothing
    QVERIFY(refused(decided("one", 3, "[]")));
    CAIRN_VERIFY_OK(m_roles.openAs("t_approver")->stage(decision("1", Verb::Approve, "one")));
    QCOMPARE(stateIn(engine, decided("one", 2, "[\"t_approver\"]")), std::string());
    QVERIFY2(refused(decided("two", 1, "[\"t_approver\"]")), "it was left for another approval");
    CAIRN_VERIFY_OK(m_roles.openAs("t_approver")->stage(decision("2", Verb::Approve, "two")));
    QCOMPARE(stateIn(engine, decided("two", 1, "[\"t_approver\"]")), std::string());
    QVERIFY2(refused(decided("two", 2, "[\"t_approver\"]")), "two are required");
    QVERIFY2(refused(decided("two", 2, "[\"t_approver\", \"t_approver\"]")), "two are two people");
    QVERIFY(refused("UPDATE cairn.approvals SET needed = 1"));
    QVERIFY(refused("UPDATE cairn.approvals SET asked_by = 'nobody' WHERE needed = 2"));
    QVERIFY(stateIn(engine, decided("two", 5, "[]")).empty());  // cancelled with its run
    // Whoever is connected as an approver with an engine's right may decide without leaving it.
    m_roles.login("t_direct", "cairn_engine, cairn_approver");
    QVERIFY(stateIn(RawPg(m_roles.urlOf("t_direct")), decided("one", 2, "[\"t_direct\"]")).empty());
    // Also where triggers are off for replication.
    QCOMPARE(
        stateIn(RawPg(m_roles.url), "SET session_replication_role = replica; " + decided("two", 2, "[]")),
        std::string("CA002"));
}

void PostgresActsTest::theAuditNamesWhoActed()
{
    const auto engine = m_roles.openAs("t_engine");
    AuditRow row;
    row.time = 5;
    row.kind = "refused";
    row.reason = "because";
    row.login = "t_operator";
    CAIRN_VERIFY_ERROR(engine->appendAudit(row), ErrorKind::NoRight);
    row.login = {};
    CAIRN_VERIFY_ERROR(engine->appendAudit(row), ErrorKind::NoRight);
    row.login = "t_engine";
    CAIRN_VERIFY_OK(engine->appendAudit(row));
    const StagedAct left = act("p", Verb::Pause);
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(left));
    row.login = "t_operator";
    row.command = left.command;
    row.run = left.run;
    row.verb = left.verb;
    CAIRN_VERIFY_ERROR(engine->appendAudit(row), ErrorKind::NoRight);  // not for the reason that was given
    row.reason = left.reason;
    row.verb = Verb::Cancel;
    CAIRN_VERIFY_ERROR(engine->appendAudit(row), ErrorKind::NoRight);  // nor was that asked for
    row.verb = left.verb;
    CAIRN_VERIFY_OK(engine->appendAudit(row));
    row.login = "t_both";
    CAIRN_VERIFY_ERROR(engine->appendAudit(row), ErrorKind::NoRight);
    const auto rows = m_roles.openAs("t_auditor")->audit(0, 10);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE(rows->back().login, std::string("t_operator"));
    QVERIFY(m_roles.open()->check(true)->empty());
    // Nor does the chain go on from anything but its end.
    const RawPg raw(m_roles.urlOf("t_engine"));
    QCOMPARE(stateIn(raw,
                 "SELECT cairn.append_audit('{1}', '{1}', '{k}', '{1}', '{a}', '{1}', '{h}', '{t_engine}', "
                 "ARRAY[NULL]::uuid[], '{t}', ARRAY[NULL]::uuid[], '{r}', '{b}', '{a}', "
                 "ARRAY[decode(repeat('00', 32), 'hex')], '{hh}')"),
        std::string("CA001"));
}

// An engine cannot turn a no into a yes, use a yes for another input, or change what was asked.
void PostgresActsTest::consentsAreForWhatWasShown()
{
    ask("one", 1, "");
    const RawPg engine(m_roles.urlOf("t_engine"));
    const auto refused = [&](const std::string& sql) { return stateIn(engine, sql) == "CA002"; };
    CAIRN_VERIFY_OK(m_roles.openAs("t_approver")->stage(decision("1", Verb::Reject, "one")));
    QVERIFY2(refused(decided("one", 2, "[\"t_approver\"]")), "it was a no");
    QVERIFY2(refused(decided("one", 6, "[\"t_approver\"]")), "it was a no");
    QVERIFY2(refused(decided("one", 1, "[\"t_approver\"]")), "it was a no");
    QCOMPARE(stateIn(engine, decided("one", 3, "[\"t_approver\"]")), std::string());
    QVERIFY2(refused(decided("one", 3, "[\"t_second\"]")), "who said nothing");
    ask("two", 1, "");
    CAIRN_VERIFY_OK(m_roles.openAs("t_second")->stage(decision("2", Verb::Approve, "two")));
    QVERIFY2(refused(decided("two", 3, "[\"t_second\"]")), "it was a yes");
    QVERIFY(refused("UPDATE cairn.approvals SET binding = decode(repeat('63', 32), 'hex')"));
    QVERIFY(refused("UPDATE cairn.approvals SET expires = 99"));
    // By the owner: then what was left no longer fits.
    m_roles.admin("ALTER TABLE cairn.approvals DISABLE TRIGGER approvals_by_people; UPDATE cairn.approvals "
                  "SET binding = "
                  "decode(repeat('63', 32), 'hex'); ALTER TABLE cairn.approvals ENABLE ALWAYS TRIGGER "
                  "approvals_by_people");
    QVERIFY2(refused(decided("two", 2, "[\"t_second\"]")), "another input was shown");
}

void PostgresActsTest::whatHasEndedIsNotDecided()
{
    for (const char* name : {"decided", "expired", "late", "open"})
        ask(name, 1, "");
    m_roles.admin("ALTER TABLE cairn.approvals DISABLE TRIGGER approvals_by_people; UPDATE cairn.approvals "
                  "SET state = 5 "
                  "WHERE id = '"
        + approval("decided") + "'; UPDATE cairn.approvals SET expires = 1000 WHERE id = '"
        + approval("expired") + "'; UPDATE cairn.approvals SET expires = 9000000000000 WHERE id IN ('"
        + approval("late") + "', '" + approval("open")
        + "'); ALTER TABLE cairn.approvals ENABLE ALWAYS TRIGGER approvals_by_people");
    const auto approver = m_roles.openAs("t_approver");
    for (const char* name : {"decided", "expired"})
        for (const Verb verb : {Verb::Approve, Verb::Reject}) {
            const Status status = approver->stage(decision(name, verb, name));
            CAIRN_VERIFY_ERROR(status, ErrorKind::Conflict);
            QVERIFY2(status.error().text.find("not open any more") != std::string::npos,
                status.error().text.c_str());
        }
    QCOMPARE(value("SELECT count(*) FROM cairn.staged_acts"), std::string("0"));
    for (const char* name : {"late", "open"})
        CAIRN_VERIFY_OK(approver->stage(decision(name, Verb::Approve, name)));
    // The same one again changes nothing, also where it was answered meanwhile.
    const RawPg engine(m_roles.urlOf("t_engine"));
    QCOMPARE(stateIn(engine, decided("late", 2, "[\"t_approver\"]")), std::string());
    const std::string at = ", decided_at = 9000000000001 WHERE";
    std::string late = decided("late", 2, "[\"t_approver\"]");
    QCOMPARE(stateIn(engine, late.replace(late.find(" WHERE"), 6, at)), std::string("CA002"));
    QCOMPARE(engine.exec(decided("open", 2, "[\"t_approver\"]")), std::string());
    CAIRN_VERIFY_OK(approver->stage(decision("open", Verb::Approve, "open")));
}

void PostgresActsTest::whereAnActCameFromIsRecorded()
{
    const auto by = m_roles.openAs("t_operator");
    StagedAct wanted = act("p", Verb::Pause);
    wanted.address = "203.0.113.9";  // what somebody claims is not taken
    wanted.backend = 1;
    CAIRN_VERIFY_OK(by->stage(wanted));
    const auto seen = by->stagedAct(wanted.command);
    CAIRN_VERIFY_OK(seen);
    QCOMPARE((*seen)->address, std::string());  // over a socket of this machine
    QCOMPARE(value("SELECT count(*) FROM pg_stat_activity WHERE usename = 't_operator' AND pid = "
                 + std::to_string((*seen)->backend)),
        std::string("1"));
}

void PostgresActsTest::answeredActsAreForgottenAfterAMonth()
{
    const auto engine = m_roles.openAs("t_engine");
    const auto by = m_roles.openAs("t_operator");
    for (int i = 0; i < 25; ++i)
        CAIRN_VERIFY_OK(by->stage(act(std::to_string(i), Verb::Pause)));
    AuditRow row;
    row.kind = "applied";
    row.login = "t_operator";
    row.command = act("1", Verb::Pause).command;
    row.run = act("1", Verb::Pause).run;
    row.verb = Verb::Pause;
    row.reason = act("1", Verb::Pause).reason;
    CAIRN_VERIFY_OK(engine->appendAudit(row));
    answer(*engine);
    CAIRN_VERIFY_OK(by->stage(act("waits", Verb::Pause)));
    const auto forget = [&](std::size_t limit) {
        const auto count = engine->forgetStaged(limit);
        return count ? static_cast<int>(*count) : -1;
    };
    const auto deleted = [&] {
        return stateIn(RawPg(m_roles.url), "DELETE FROM cairn.staged_acts WHERE state = 1");
    };
    QCOMPARE(forget(100), 0);
    CAIRN_VERIFY_OK(engine->setClockOffset(kKeepAnswered - 60'000));
    QCOMPARE(forget(100), 0);
    QCOMPARE(deleted(), std::string("CA001"));
    QCOMPARE(RawPg(m_roles.urlOf("t_engine")).value("SELECT cairn.forget_staged(100)"), std::string("0"));
    CAIRN_VERIFY_OK(engine->setClockOffset(kKeepAnswered + 60'000));
    QCOMPARE(deleted(), std::string());
    CAIRN_VERIFY_ERROR(by->forgetStaged(100), ErrorKind::NoRight);
    QCOMPARE(forget(10), 10);
    QCOMPARE(forget(10), 10);
    QCOMPARE(forget(10), 5);
    QCOMPARE(forget(10), 0);
    // What waits stays, however long; so does what was done.
    QCOMPARE(value("SELECT string_agg(state::text, ',') FROM cairn.staged_acts"), std::string("0"));
    QCOMPARE(stateIn(RawPg(m_roles.url), "DELETE FROM cairn.staged_acts"), std::string("CA001"));
    QCOMPARE(value("SELECT count(*) FROM cairn.audit"), std::string("1"));
    QVERIFY(m_roles.open()->check(true)->empty());
}

// An engine finds that somebody else is needed; who that is, the database says, and never the author.
void PostgresActsTest::anActIsConfirmedByAnotherLogin()
{
    const auto by = m_roles.openAs("t_both");
    const auto engine = m_roles.openAs("t_engine");
    CAIRN_VERIFY_OK(by->stage(act("two", Verb::Settle, "pay")));
    const auto taken = engine->takeStaged(10);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->size(), std::size_t{1});
    StagedAct proposed = taken->front();
    proposed.state = StagedState::Proposed;
    proposed.expires = 4'000'000'000'000;
    proposed.digest = actDigest(proposed);
    AuditRow row;
    row.time = proposed.stagedAt;
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    row.login = proposed.stagedBy;
    row.run = proposed.run;
    row.command = proposed.command;
    row.reason = proposed.reason;
    auto change = std::make_shared<StoreChange>();
    change->propose = proposed;
    row.with = change;
    CAIRN_VERIFY_OK(engine->appendAudit(row));
    QVERIFY(engine->takeStaged(10)->empty());

    StagedAct yes = proposed;
    yes.state = StagedState::Waiting;
    yes.note = "looked at it and agree";
    yes.confirmedName = "somebody else";
    CAIRN_VERIFY_ERROR(by->decideAct(yes), ErrorKind::NoRight);  // the author, under whatever name
    CAIRN_VERIFY_ERROR(m_roles.openAs("t_viewer")->decideAct(yes), ErrorKind::NoRight);
    for (const std::string& url : {m_roles.urlOf("t_engine"), m_roles.url})  // nor says anybody who was here
        QVERIFY(
            !RawPg(url).exec("UPDATE cairn.staged_acts SET state = 0, confirmed_by = 't_second'").empty());
    StagedAct other = yes;
    other.digest = sha256("another");
    const auto second = m_roles.openAs("t_second");
    CAIRN_VERIFY_ERROR(second->decideAct(other), ErrorKind::Conflict);
    CAIRN_VERIFY_OK(second->decideAct(yes));
    CAIRN_VERIFY_ERROR(second->decideAct(yes), ErrorKind::Conflict);
    const auto confirmed = engine->takeStaged(10);
    CAIRN_VERIFY_OK(confirmed);
    QCOMPARE(confirmed->size(), std::size_t{1});
    QCOMPARE(confirmed->front().confirmedBy, std::string("t_second"));
    QCOMPARE(confirmed->front().stagedBy, std::string("t_both"));
    QCOMPARE(confirmed->front().note, yes.note);
    QCOMPARE(actDigest(confirmed->front()), proposed.digest);
}

// Whatever an operator's program sends: nothing that readers count by, and no time of its own choice.
void PostgresActsTest::aDraftThatCannotBeIsNotTaken()
{
    const RawPg raw(m_roles.urlOf("t_operator"));
    const std::string now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    const std::string nobody = "gen_random_uuid()", id = "01900000-0000-7000-8000-000000000001";
    const auto draft = [&](const std::string& at, const std::string& outcome) {
        return stateIn(raw,
            "SELECT cairn.draft_plan('" + id + "', 0, 3, " + nobody + ", 'x', 1, 'h', 'because', " + at
                + ", 9, 'spec', 1, NULL, 1, '', ARRAY[1::bigint], ARRAY[" + nobody + "], ARRAY[" + nobody
                + "], ARRAY[''], ARRAY[0::bigint], ARRAY[''], " + outcome + ")");
    };
    const auto outcome = [](const char* state, const char* out, const char* fate) {
        return std::string("ARRAY[") + state + "::bigint], ARRAY[" + out
            + "::bigint], ARRAY[''], ARRAY[0::bigint], ARRAY[0::bigint], ARRAY[" + fate + "::bigint]";
    };
    QCOMPARE(draft(now + " + 30000", outcome("1", "0", "0")), std::string());
    QCOMPARE(draft(now + " - 3600000", outcome("3", "10", "0")), std::string());
    QCOMPARE(draft(now + " + 120000", outcome("1", "0", "0")), std::string("CA002"));
    QCOMPARE(draft(now + " - 90000000", outcome("1", "0", "0")), std::string("CA002"));
    for (const auto& wrong :
        {outcome("0", "0", "0"), outcome("2", "0", "0"), outcome("9000", "0", "0"), outcome("1", "11", "0"),
            outcome("1", "-1", "0"), outcome("1", "0", "1"), outcome("NULL", "0", "0")})
        QCOMPARE(draft(now, wrong), std::string("CA002"));
    // What is there all the same is not counted by.
    m_roles.admin(
        "INSERT INTO cairn.plans(id, verb, command, login, actor, uid, host, reason, staged_at, expires_at, "
        "spec, items, people, role, revision, state, confirmed_by, confirmed_at, note, aborted, started_at, "
        "executed_at, ended_at, lease_until) VALUES('"
        + id + "', 3, " + nobody
        + ", session_user::text, 'x', 1, 'h', 'because', 5, 9, 'spec', 1, 1, '', 1, 1, '', 0, '', 0, 0, 0, "
          "0, 0); "
          "INSERT INTO cairn.plan_items(plan, ord, run, command, target, seen, situation, state, left_out, "
          "why, version, "
          "done_at, fate) VALUES('"
        + id + "', 1, " + nobody + ", " + nobody + ", '', 0, '', 3, 200, '', 0, 0, 0)");
    const auto plan = parseId<PlanId>(id);
    const auto store = m_roles.open();
    CAIRN_VERIFY_ERROR(store->planItems(*plan, 0, 10, {}), ErrorKind::Corrupt);
    CAIRN_VERIFY_ERROR(store->planCounts(*plan), ErrorKind::Corrupt);
}

// As the commit that carries it out has it: the audit's head is the last lock of all.
void PostgresActsTest::anActIsLockedBeforeTheAudit()
{
    CAIRN_VERIFY_OK(m_roles.openAs("t_both")->stage(act("two", Verb::Settle, "pay")));
    const auto engine = m_roles.openAs("t_engine");
    const auto taken = engine->takeStaged(10);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->size(), std::size_t{1});
    auto change = std::make_shared<StoreChange>();
    change->propose = taken->front();
    change->propose->expires = 4'000'000'000'000;
    change->propose->digest = actDigest(taken->front());
    AuditRow row;
    row.time = taken->front().stagedAt;
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    row.login = taken->front().stagedBy;
    row.run = taken->front().run;
    row.command = taken->front().command;
    row.reason = taken->front().reason;
    row.with = change;
    Result<std::uint64_t> added = std::uint64_t{0};
    std::jthread proposes;
    const RawPg holder(m_roles.url);  // goes before the thread is waited for
    QCOMPARE(holder.exec("BEGIN"), std::string());
    QCOMPARE(holder.exec(
                 "SELECT 1 FROM cairn.staged_acts WHERE command = '" + toText(row.command) + "' FOR UPDATE"),
        std::string());
    proposes = std::jthread([&] { added = engine->appendAudit(row); });
    QTRY_COMPARE(value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = "
                       "'t_engine'"),
        std::string("1"));
    QCOMPARE(RawPg(m_roles.url).exec("SELECT 1 FROM cairn.audit_head FOR UPDATE NOWAIT"), std::string());
    QCOMPARE(holder.exec("COMMIT"), std::string());
    proposes.join();
    CAIRN_VERIFY_OK(added);
    QCOMPARE(*added, std::uint64_t{1});
}

// What was committed before a lock was had is not seen in a snapshot that is older: a withdrawal would miss
// that the act was carried out.
void PostgresActsTest::nothingIsDecidedOnAnOldSnapshot()
{
    const StagedAct left = act("left", Verb::Pause);
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(left));
    const std::string withdrawal =
        "decide_act('" + toText(left.command) + "', NULL, 8, 'it was the wrong run', 'x')";
    const auto nulls = [](const std::string& name, int count) {
        std::string call = name + "(NULL";
        for (int i = 1; i < count; ++i)
            call += ", NULL";
        return call + ")";
    };
    const std::pair<std::string, std::string> calls[] = {{"t_operator", withdrawal},
        {"t_operator", nulls("stage_act", 12)}, {"t_operator", nulls("order_plan", 7)},
        {"t_engine", nulls("propose_act", 14)}, {"t_engine", nulls("record_decision", 5)},
        {"t_engine", nulls("append_audit", 16)}, {"t_engine", nulls("append_checkpoint", 14)},
        {"t_approver", nulls("close_review", 2)}};
    for (const char* level : {"REPEATABLE READ", "SERIALIZABLE"})
        for (const auto& [login, call] : calls) {
            const RawPg session(m_roles.urlOf(login));
            QCOMPARE(session.exec(std::string("BEGIN ISOLATION LEVEL ") + level), std::string());
            const std::string error = session.exec("SELECT cairn." + call);
            QVERIFY2(error.find("CA002") == 0 && error.find("READ COMMITTED alone") != std::string::npos,
                (call + ": " + error).c_str());
        }
    QCOMPARE(value("SELECT state FROM cairn.staged_acts"), std::string("0"));
    QCOMPARE(stateIn(RawPg(m_roles.urlOf("t_operator")), "SELECT cairn." + withdrawal), std::string());
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresActsTest)

#include "tst_postgres_acts.moc"
