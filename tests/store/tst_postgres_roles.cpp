// Who may do what in a store with roles: each cell of the matrix tried in a session of that role, and what
// the database itself enforces about acts, decisions and the audit.

#include "tests/store/role_logins.h"

#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace cairn::testing {

namespace {

// The matrix as written down here, apart from the driver's own: s select, i insert, u update, d delete. Roles
// in the order of kRoles.
struct Cells {
    const char* table;
    const char* rights[std::size(kRoles)];
};
constexpr Cells kMatrix[] = {
    {"approvals", {"siud", "s", "s", "s", "s", "s"}},
    {"artifact_chunks", {"siud", "s", "s", "", "s", "s"}},
    {"artifacts", {"siud", "s", "s", "s", "s", "s"}},
    {"attempts", {"siud", "s", "s", "s", "s", "s"}},
    {"audit", {"s", "s", "s", "", "s", "s"}},
    {"audit_head", {"s", "s", "s", "", "s", "s"}},
    {"checkpoint_heads", {"s", "s", "s", "", "s", "s"}},
    {"checkpoints", {"s", "s", "s", "", "s", "s"}},
    {"effect_waiters", {"sid", "s", "s", "s", "s", "s"}},
    {"effects", {"siud", "s", "s", "s", "s", "s"}},
    {"entries", {"sid", "s", "s", "s", "s", "s"}},
    {"meta", {"s", "s", "s", "s", "s", "s"}},
    {"never_store", {"sid", "s", "s", "s", "s", "s"}},
    {"outbox", {"sid", "s", "s", "s", "s", "s"}},
    {"payloads", {"sid", "s", "s", "", "s", "s"}},
    {"plan_items", {"siu", "s", "s", "", "s", "s"}},
    {"plans", {"siu", "s", "s", "", "s", "s"}},
    {"policies", {"s", "s", "s", "s", "s", "s"}},
    {"remains", {"siud", "s", "s", "s", "s", "s"}},
    {"resource_slices", {"sid", "s", "s", "s", "s", "s"}},
    {"resources", {"siu", "s", "s", "s", "s", "s"}},
    {"retention", {"siu", "s", "s", "s", "s", "s"}},
    {"retired_keys", {"siud", "s", "s", "s", "s", "s"}},
    {"reviews", {"s", "s", "s", "", "s", "s"}},
    {"run_attributes", {"siud", "s", "s", "s", "s", "s"}},
    {"run_hot", {"siud", "s", "s", "s", "s", "s"}},
    {"run_list", {"siud", "s", "s", "s", "s", "s"}},
    {"runs", {"sid", "s", "s", "s", "s", "s"}},
    {"sessions", {"siud", "s", "s", "s", "s", "s"}},
    {"staged_acts", {"s", "s", "s", "", "s", "s"}},
    {"steps", {"siud", "s", "s", "s", "s", "s"}},
    {"tombstones", {"si", "s", "s", "s", "s", "s"}},
    {"wakeups", {"sid", "s", "s", "s", "s", "s"}},
    {"workflows", {"si", "s", "s", "s", "s", "s"}},
};
// Single columns beyond that.
const std::set<std::string> kColumns = {"engine u meta.clock_offset", "engine u meta.change_base",
    "engine u payloads.bytes", "engine u payloads.salt", "engine u payloads.artifact",
    "engine u payloads.redacted_by", "viewer s payloads.run", "viewer s payloads.id",
    "viewer s payloads.hash", "viewer s payloads.size", "viewer s payloads.media",
    "viewer s payloads.artifact", "viewer s payloads.redacted_by", "viewer s artifact_chunks.artifact",
    "viewer s artifact_chunks.ix", "viewer s artifact_chunks.digest", "viewer s artifact_chunks.size"};
const std::map<std::string, std::set<std::string>> kFunctions = {{"append_audit", {"engine"}},
    {"append_checkpoint", {"engine"}}, {"finish_staged", {"engine"}}, {"forget_staged", {"engine"}},
    {"lock_audit_head", {"engine"}}, {"lock_staged", {"engine"}}, {"take_staged", {"engine"}},
    {"stage_act", {"operator", "approver", "breakglass"}}, {"close_review", {"approver"}},
    {"propose_act", {"engine"}}, {"record_decision", {"engine"}}, {"open_review", {"engine"}},
    {"decide_act", {"operator", "approver"}}, {"draft_plan", {"operator"}}, {"order_plan", {"operator"}}};

std::vector<std::string> lines(const RawPg& raw, const std::string& sql)
{
    std::vector<std::string> out;
    PGresult* result = PQexec(raw.conn, sql.c_str());
    for (int i = 0; i < PQntuples(result); ++i)
        out.emplace_back(PQgetvalue(result, i, 0));
    PQclear(result);
    return out;
}

}  // namespace

class PostgresRolesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_roles.initWithRoles(); }
    void eachRoleMayDoWhatTheMatrixSays_data();
    void eachRoleMayDoWhatTheMatrixSays();
    void functionsAreForTheirRoles();
    void nobodyIsLetInWithoutARole();
    void rightsAreTold();
    void theStoreProvesItsRights();
    void deviationsAreNamed_data();
    void deviationsAreNamed();
    void migratesAsItsOwner();
    void makingRolesNeedsTheRightTo();
    void payloadsAreNotForViewers();

private:
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_roles.url).value(sql); }

    RoleLogins m_roles;
};

void PostgresRolesTest::eachRoleMayDoWhatTheMatrixSays_data()
{
    QTest::addColumn<int>("role");
    for (int role = 0; role < static_cast<int>(std::size(kRoles)); ++role)
        QTest::newRow(kRoles[role]) << role;
}

// Every column of every table, each verb by itself: a statement that the role may do fails by something else
// than its rights, or not at all.
void PostgresRolesTest::eachRoleMayDoWhatTheMatrixSays()
{
    QFETCH(int, role);
    const RawPg admin(m_roles.url);
    const RawPg session(m_roles.urlOf(std::string("t_") + kRoles[role]));
    std::set<std::string> known;
    int cells = 0;
    const auto check = [&](const std::string& sql, bool allowed) {
        ++cells;
        const std::string state = stateIn(session, sql);
        if ((state != "42501") != allowed)
            QTest::qFail((sql + (allowed ? " is refused" : " is not refused") + " (" + state + ")").c_str(),
                __FILE__, __LINE__);
    };
    for (const Cells& cell : kMatrix) {
        const std::string table = cell.table;
        const std::string rights = cell.rights[role];
        known.insert(table);
        const auto may = [&](char verb, const std::string& column) {
            return rights.find(verb) != std::string::npos
                || kColumns.contains(std::string(kRoles[role]) + ' ' + verb + ' ' + table + '.' + column);
        };
        check("INSERT INTO cairn." + table + " DEFAULT VALUES", may('i', {}));
        check("DELETE FROM cairn." + table, may('d', {}));
        check("TRUNCATE cairn." + table, false);
        check("CREATE TRIGGER mine BEFORE INSERT ON cairn." + table
                + " EXECUTE FUNCTION pg_catalog.tsvector_update_trigger()",
            false);
        check("ALTER TABLE cairn." + table + " DISABLE TRIGGER ALL", false);
        check("LOCK TABLE cairn." + table + " IN ACCESS EXCLUSIVE MODE",
            rights.find_first_of("ud") != std::string::npos);
        const auto columns = lines(admin,
            "SELECT attname FROM pg_attribute WHERE attrelid = 'cairn." + table
                + "'::regclass AND attnum > 0 AND NOT attisdropped");
        QVERIFY(!columns.empty());
        for (const std::string& column : columns) {
            check("SELECT " + column + " FROM cairn." + table, may('s', column));
            check("UPDATE cairn." + table + " SET " + column + " = DEFAULT", may('u', column));
        }
    }
    const auto tables = lines(
        admin, "SELECT relname FROM pg_class WHERE relnamespace = 'cairn'::regnamespace AND relkind = 'r'");
    QVERIFY2(std::set<std::string>(tables.begin(), tables.end()) == known, "the matrix names every table");
    QVERIFY2(cells > 500, "this many were tried, or the matrix is empty");
}

void PostgresRolesTest::functionsAreForTheirRoles()
{
    const RawPg admin(m_roles.url);
    const auto all = lines(admin,
        "SELECT proname || ' cairn.' || proname || '(' || oidvectortypes(proargtypes) || ')' FROM pg_proc "
        "WHERE pronamespace = "
        "'cairn'::regnamespace");
    QVERIFY(all.size() >= 18);
    for (const char* role : kRoles) {
        const RawPg session(m_roles.urlOf(std::string("t_") + role));
        for (const std::string& line : all) {
            const std::string name = line.substr(0, line.find(' '));
            std::string call = line.substr(line.find(' ') + 1);  // cairn.f(uuid,text)
            const auto open = call.find('(');
            std::string arguments;
            std::istringstream types(call.substr(open + 1, call.size() - open - 2));
            for (std::string type; std::getline(types, type, ',');)
                arguments += (arguments.empty() ? "NULL::" : ", NULL::") + type;
            call = "SELECT " + call.substr(0, open) + "(" + arguments + ")";
            const auto found = kFunctions.find(name);
            const bool allowed = found != kFunctions.end() && found->second.contains(role);
            const std::string state = stateIn(session, call);
            QVERIFY2(
                (state != "42501") == allowed, (std::string(role) + ": " + call + " gives " + state).c_str());
        }
        QCOMPARE(stateIn(session, "CREATE TABLE cairn.mine(x integer)"), std::string("42501"));
        QCOMPARE(stateIn(session, "CREATE FUNCTION cairn.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'"),
            std::string("42501"));
        QCOMPARE(stateIn(session, "SET ROLE cairn_owner"), std::string("42501"));
        QCOMPARE(stateIn(session, "SET session_replication_role = replica"), std::string("42501"));
    }
}

void PostgresRolesTest::nobodyIsLetInWithoutARole()
{
    CAIRN_VERIFY_ERROR(postgres::openStore(m_roles.urlOf("t_nobody"), {}), ErrorKind::NoRight);
    for (const char* role : {"cairn_owner", "cairn_engine", "cairn_operator", "cairn_approver",
             "cairn_viewer", "cairn_auditor", "cairn_breakglass"})
        QVERIFY2(PQstatus(RawPg(m_roles.urlOf(role)).conn) != CONNECTION_OK, role);
}

void PostgresRolesTest::rightsAreTold()
{
    struct Wanted {
        const char* login;
        bool commits, payloads, stages, takes;
    };
    for (const Wanted& w : {Wanted{"t_engine", true, true, false, true},
             Wanted{"t_operator", false, true, true, false}, Wanted{"t_approver", false, true, true, false},
             Wanted{"t_viewer", false, false, false, false}, Wanted{"t_auditor", false, true, false, false},
             Wanted{"t_breakglass", false, true, true, false}}) {
        const auto may = m_roles.openAs(w.login)->rights();
        CAIRN_VERIFY_OK(may);
        QCOMPARE(may->login, std::string(w.login));
        QCOMPARE(may->commits, w.commits);
        QCOMPARE(may->payloads, w.payloads);
        QCOMPARE(may->stages, w.stages);
        QCOMPARE(may->takesStaged, w.takes);
    }
}

void PostgresRolesTest::theStoreProvesItsRights()
{
    // By any role that reads the audit: the catalogue is open to all.
    for (const char* login : {"t_engine", "t_operator", "t_auditor"}) {
        const auto problems = m_roles.openAs(login, true)->check(true);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    }
    CAIRN_VERIFY_ERROR(m_roles.openAs("t_viewer", true)->check(false), ErrorKind::NoRight);
    // Again over what is there: nothing changes.
    m_roles.drop();
    m_roles.initWithRoles();
    QVERIFY(m_roles.open()->check(true)->empty());
}

void PostgresRolesTest::deviationsAreNamed_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("back");
    QTest::addColumn<QByteArray>("told");
    const auto row = [](const char* name, const char* sql, const char* back, const char* told) {
        QTest::newRow(name) << QByteArray(sql) << QByteArray(back) << QByteArray(told);
    };
    row("table for all", "GRANT SELECT ON cairn.payloads TO PUBLIC", "",
        "too many: table payloads: PUBLIC SELECT");
    row("schema for all", "GRANT USAGE ON SCHEMA cairn TO PUBLIC", "",
        "too many: schema cairn: PUBLIC USAGE");
    row("function for all", "GRANT EXECUTE ON FUNCTION cairn.append_audit TO PUBLIC", "",
        "too many: function append_audit: PUBLIC EXECUTE");
    row("one column too many", "GRANT SELECT (bytes) ON cairn.payloads TO cairn_viewer", "",
        "too many: column payloads.bytes: cairn_viewer SELECT");
    row("a login by itself", "GRANT UPDATE ON cairn.entries TO t_operator", "",
        "too many: table entries: t_operator UPDATE");
    row("to pass on", "GRANT SELECT ON cairn.entries TO cairn_viewer WITH GRANT OPTION", "",
        "table entries: cairn_viewer SELECT, to pass on");
    row("missing", "REVOKE INSERT ON cairn.entries FROM cairn_engine", "",
        "missing: table entries: cairn_engine INSERT");
    row("function missing", "REVOKE EXECUTE ON FUNCTION cairn.stage_act FROM cairn_operator", "",
        "missing: function stage_act: cairn_operator EXECUTE");
    row("sequence", "GRANT USAGE ON SEQUENCE cairn.outbox_seq_seq TO cairn_viewer", "",
        "too many: sequence outbox_seq_seq: cairn_viewer USAGE");
    row("review by everybody", "GRANT EXECUTE ON FUNCTION cairn.close_review TO cairn_breakglass", "",
        "too many: function close_review: cairn_breakglass EXECUTE");
    row("review not opened", "ALTER TABLE cairn.staged_acts DISABLE TRIGGER staged_opens_review", "",
        "staged_opens_review");
    row("owner of a table", "ALTER TABLE cairn.audit OWNER TO cairn", "",
        "table audit belongs to cairn, not to cairn_owner");
    row("owner of a function", "ALTER FUNCTION cairn.stage_act OWNER TO cairn", "",
        "function stage_act belongs to cairn");
    row("owner of the schema", "ALTER SCHEMA cairn OWNER TO cairn", "", "schema cairn belongs to cairn");
    row("a role that logs in", "ALTER ROLE cairn_viewer LOGIN", "ALTER ROLE cairn_viewer NOLOGIN",
        "the role cairn_viewer may log in");
    row("a role past row security", "ALTER ROLE cairn_auditor BYPASSRLS",
        "ALTER ROLE cairn_auditor NOBYPASSRLS", "the role cairn_auditor may do more");
    row("a role in a role", "GRANT cairn_engine TO cairn_approver", "REVOKE cairn_engine FROM cairn_approver",
        "the role cairn_approver is a member of cairn_engine");
    row("an engine that owns", "GRANT cairn_owner TO t_engine", "REVOKE cairn_owner FROM t_engine",
        "the login t_engine may both change the tables");
    row("search path not pinned", "ALTER FUNCTION cairn.stage_act RESET search_path", "",
        "function stage_act");
    row("trigger not always", "ALTER TABLE cairn.approvals ENABLE TRIGGER approvals_by_people", "",
        "approvals_by_people");
}

void PostgresRolesTest::deviationsAreNamed()
{
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, back);
    QFETCH(QByteArray, told);
    const auto auditor = m_roles.openAs("t_auditor", true);
    m_roles.admin(sql.toStdString());
    const auto problems = auditor->check(false);
    if (!back.isEmpty())
        m_roles.admin(back.toStdString());
    CAIRN_VERIFY_OK(problems);
    std::string all;
    bool found = false;
    for (const VerifyProblem& problem : *problems) {
        all += problem.where + ": " + problem.text + "\n";
        found = found || problem.text.find(told.toStdString()) != std::string::npos;
    }
    QVERIFY2(found, all.empty() ? "nothing was found" : all.c_str());
}

void PostgresRolesTest::migratesAsItsOwner()
{
    m_roles.drop();
    m_roles.login("t_migrator", "cairn_owner");
    m_roles.admin("ALTER ROLE t_migrator NOCREATEROLE");
    m_roles.admin("GRANT CREATE ON DATABASE cairn TO t_migrator");
    // One who may make a schema, and is a member of the owner: roles that are there need not be made.
    CAIRN_VERIFY_OK(postgres::initStoreAt(m_roles.urlOf("t_migrator"), {"test", true, true, true}, 1));
    m_roles.grantLogins();
    QCOMPARE(value("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'cairn'"),
        std::string("cairn_owner"));
    CAIRN_VERIFY_ERROR(postgres::migrateStore(m_roles.urlOf("t_engine"), false), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(postgres::migrateStore(m_roles.urlOf("t_migrator"), true));
    const auto problems = m_roles.openAs("t_auditor")->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void PostgresRolesTest::makingRolesNeedsTheRightTo()
{
    m_roles.drop();
    m_roles.admin("GRANT CREATE ON DATABASE cairn TO t_nobody");
    const Status refused = postgres::initStore(m_roles.urlOf("t_nobody"), {"test", true, true, true});
    m_roles.admin("REVOKE CREATE ON DATABASE cairn FROM t_nobody");
    CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
    QVERIFY2(refused.error().text.find("CREATE ROLE cairn_owner NOLOGIN") != std::string::npos,
        refused.error().text.c_str());
    QCOMPARE(value("SELECT count(*) FROM pg_namespace WHERE nspname = 'cairn'"), std::string("0"));
}

void PostgresRolesTest::payloadsAreNotForViewers()
{
    Writer a("a");
    CommitMember first = a.create("k");
    first.payloads = {inlinePayload("p", "secret")};
    first.list = a.listRow();
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(m_roles.openAs("t_engine")->commit(std::span(&first, 1), results));
    QVERIFY(results.front().kind == MemberResult::Kind::Committed);
    const auto id = idOf<PayloadId>("payload p");
    for (const char* login : {"t_engine", "t_operator", "t_approver", "t_auditor"}) {
        const auto read = m_roles.openAs(login)->payload(a.run, id);
        CAIRN_VERIFY_OK(read);
        QCOMPARE(*read, std::string("secret"));
    }
    const auto viewer = m_roles.openAs("t_viewer");
    const auto refused = viewer->payload(a.run, id);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
    QVERIFY2(refused.error().text.find("may not read payloads") != std::string::npos,
        refused.error().text.c_str());
    QCOMPARE(viewer->list({}, ListOrder::NewestFirst, std::nullopt, 10)->rows.size(), std::size_t{1});
    CAIRN_VERIFY_OK(viewer->loadRun(a.run, 1, 0));
    CAIRN_VERIFY_ERROR(viewer->audit(0, 1), ErrorKind::NoRight);
    // Nobody but an engine commits.
    const CommitMember second = Writer("b").create();
    for (const char* login : {"t_operator", "t_approver", "t_viewer", "t_auditor"})
        CAIRN_VERIFY_ERROR(m_roles.openAs(login)->commit(std::span(&second, 1), results), ErrorKind::NoRight);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresRolesTest)

#include "tst_postgres_roles.moc"
