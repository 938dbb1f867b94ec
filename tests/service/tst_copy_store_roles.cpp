// A store that moves into one with roles: who may, what it may hold before, and that everything comes along,
// table by table.

#include "core/base/failpoint.h"
#include "core/store/checks.h"
#include "tests/service/copy_harness.h"
#include "tests/store/role_logins.h"

#include <map>

using namespace cairn;
using namespace cairn::testing;

class TestCopyStoreRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { failpoint::configure({}); }
    void theOwnerFillsIt_data();
    void theOwnerFillsIt();
    void stoppedAnywhereItGoesOn_data();
    void stoppedAnywhereItGoesOn();
    void othersAreRefusedBeforeAnythingIsDone();
    void whatHoldsSomethingIsNotFilled_data();
    void whatHoldsSomethingIsNotFilled();
    void aMoveIntoItIsGivenUp();
    void theNumbersOfFencesAreThoseOfTheDatabase();
    void everyTableIsAccountedFor();
    void actsComeAlongWhereNobodyLogsIn();

private:
    [[nodiscard]] static Place placeAt(const std::string& url)
    {
        return {"postgresql: " + url,
            [url](const StoreOptions& options) { return postgres::openStore(url, options); },
            [url](const InitOptions& options) { return postgres::initStore(url, options); }};
    }
    [[nodiscard]] Place as(const std::string& login) const { return placeAt(m_roles.urlOf(login)); }
    // Another database of the same server.
    [[nodiscard]] std::string secondUrl() const
    {
        std::string url = m_roles.url;
        const std::string name = "/cairn?";
        return url.replace(url.find(name), name.size(), "/cairn_second?");
    }
    static Result<CopyReport> moveWithRoles(const Place& from, const Place& to, Rng& rng)
    {
        const auto store = from.writer();
        return copyStore({*store, from.name, to.door(), rng, byKim(), true, true});
    }
    void makeLike(const Place& from, const std::string& changes = {}) const
    {
        const StoreInfo info = *from.writer()->info();
        InitOptions options{info.environment, info.safety == Safety::Guarded, info.testClock, true};
        if (changes == "guarded")
            options.guarded = !options.guarded;
        if (changes == "environment")
            options.environment += " of another kind";
        if (changes == "without roles")
            options.roles = false;
        CAIRN_VERIFY_OK(postgres::initStore(m_roles.urlOf("t_owner"), options));
        if (options.roles)
            m_roles.grantLogins();
    }
    [[nodiscard]] std::string soundness(const std::string& url) const
    {
        const auto problems = placeAt(url).writer()->check(true);
        if (!problems)
            return problems.error().text;
        return problems->empty() ? std::string() : problems->front().where + ": " + problems->front().text;
    }
    void leaveAndAnswer(const std::string& name, StagedState as) const;
    void leaveCheckpoint();
    void leaveRules();

    RoleLogins m_roles;
};

void TestCopyStoreRoles::initTestCase()
{
    m_roles.initWithRoles();  // the server's roles, and logins that have one each
    m_roles.login("t_owner", "cairn_owner");
    m_roles.admin("GRANT CREATE ON DATABASE cairn TO t_owner");
    static_cast<void>(RawPg(m_roles.url).exec("CREATE DATABASE cairn_second"));
}

void TestCopyStoreRoles::init() { m_roles.drop(); }

void TestCopyStoreRoles::theOwnerFillsIt_data()
{
    QTest::addColumn<bool>("before");
    QTest::newRow("made by the move") << false;
    QTest::newRow("made beforehand") << true;
}

void TestCopyStoreRoles::theOwnerFillsIt()
{
    QFETCH(bool, before);
    SeededRng rng(3);
    const Place from = copyOfSmallStore();
    const Content content(*from.writer());
    if (before)
        makeLike(from);
    const auto report = before ? move(from, as("t_owner"), rng) : moveWithRoles(from, as("t_owner"), rng);
    QVERIFY2(report, errorOf(report).c_str());
    m_roles.grantLogins();
    QCOMPARE(Content(*as("t_owner").writer()).differsFrom(content), std::string());
    QCOMPARE(soundness(m_roles.url), std::string());
    QVERIFY(!takesWrites(from));
    QVERIFY(takesWrites(as("t_engine")));
    QVERIFY(!takesWrites(as("t_operator")));
    QCOMPARE(RawPg(m_roles.url).value("SELECT roles FROM cairn.meta"), std::string("1"));
    // From here on decisions need their people again.
    const std::string undecided =
        "UPDATE cairn.approvals SET state = 2, deciders = '[\"uid 1000\"]' WHERE state = 1";
    QCOMPARE(stateIn(RawPg(m_roles.urlOf("t_engine")), undecided), std::string("CA002"));
    QCOMPARE(stateIn(RawPg(m_roles.urlOf("t_owner")), undecided), std::string("CA002"));
    // And it is left again by its owner alone.
    const Scratch folder;
    const auto refused = move(as("t_engine"), sqlitePlace(folder.file("away.db")), rng);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
    QVERIFY2(
        refused.error().text.find("moved by its owner") != std::string::npos, refused.error().text.c_str());
    QVERIFY(takesWrites(as("t_engine")));
    CAIRN_VERIFY_OK(move(as("t_owner"), sqlitePlace(folder.file("away.db")), rng));
    QVERIFY(!takesWrites(as("t_engine")));
}

void TestCopyStoreRoles::stoppedAnywhereItGoesOn_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point : {"copy.fenced", "copy.made", "copy.bound", "copy.group", "copy.moved"})
        QTest::newRow(point) << QString::fromLatin1(point);
}

void TestCopyStoreRoles::stoppedAnywhereItGoesOn()
{
    QFETCH(QString, point);
    SeededRng rng(3);
    const Place from = copyOfSmallStore();
    const Content content(*from.writer());
    makeLike(from);
    QVERIFY(failpoint::configure(point.toStdString() + "=error@1"));
    const auto stopped = move(from, as("t_owner"), rng);
    failpoint::configure({});
    QVERIFY(!stopped);
    QVERIFY(!takesWrites(from));
    if (point != QLatin1String("copy.fenced"))
        QVERIFY(!takesWrites(as("t_engine")));
    const auto report = move(from, as("t_owner"), rng);
    QVERIFY2(report, errorOf(report).c_str());
    QCOMPARE(Content(*as("t_owner").writer()).differsFrom(content), std::string());
    QCOMPARE(soundness(m_roles.url), std::string());
    QVERIFY(takesWrites(as("t_engine")));
}

void TestCopyStoreRoles::othersAreRefusedBeforeAnythingIsDone()
{
    SeededRng rng(3);
    const Place from = copyOfSmallStore();
    makeLike(from);
    for (const char* login : {"t_engine", "t_both", "t_auditor"}) {
        const auto refused = move(from, as(login), rng);
        CAIRN_VERIFY_ERROR(refused, ErrorKind::NoRight);
        QVERIFY2(refused.error().text.find("a member of the role cairn_owner") != std::string::npos,
            errorOf(refused).c_str());
        const auto preview = previewCopy(*from.writer(), as(login).door());
        CAIRN_VERIFY_ERROR(preview, ErrorKind::NoRight);
    }
    QVERIFY(takesWrites(from));
    CAIRN_VERIFY_OK(previewCopy(*from.writer(), as("t_owner").door()));
    QCOMPARE(
        RawPg(m_roles.url).value("SELECT min_writer FROM cairn.meta"), std::to_string(postgres::kSchema));
}

void TestCopyStoreRoles::whatHoldsSomethingIsNotFilled_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QString>("made");
    QTest::addColumn<QByteArray>("told");
    const auto row = [](const char* name, const char* sql, const char* made, const char* told) {
        QTest::newRow(name) << QByteArray(sql) << QString::fromLatin1(made) << QByteArray(told);
    };
    row("a resource", "INSERT INTO cairn.resources VALUES('x', 0, 0, 0, 0, 0)", "", "(resources)");
    row("a workflow", "INSERT INTO cairn.workflows VALUES('x', 1, 'd', '', 0, '{}')", "", "(workflows)");
    row("an engine",
        "INSERT INTO cairn.sessions VALUES(gen_random_uuid(), 'n', 'h', 'b', 'p', 1, 1, 'b', 2, 2, '', 1, 1, "
        "1, 0, 0)",
        "", "(sessions)");
    row("another environment", "", "environment", "make it alike");
    row("another safety", "", "guarded", "make it alike");
    row("no roles", "", "without roles", "fills one that was made with roles");
    row("a fence", "UPDATE cairn.meta SET min_writer = 2013265921", "", "already");
}

void TestCopyStoreRoles::whatHoldsSomethingIsNotFilled()
{
    QFETCH(QByteArray, sql);
    QFETCH(QString, made);
    QFETCH(QByteArray, told);
    SeededRng rng(3);
    const Place from = copyOfSmallStore();
    makeLike(from, made.toStdString());
    if (!sql.isEmpty())
        m_roles.admin(sql.toStdString());
    const auto refused = move(from, as("t_owner"), rng);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
    QVERIFY2(refused.error().text.find(told.toStdString()) != std::string::npos, errorOf(refused).c_str());
    QVERIFY(takesWrites(from));
}

void TestCopyStoreRoles::aMoveIntoItIsGivenUp()
{
    SeededRng rng(3);
    const Place from = copyOfSmallStore();
    makeLike(from);
    QVERIFY(failpoint::configure("copy.fenced=error@1"));
    QVERIFY(!move(from, as("t_owner"), rng));
    failpoint::configure({});
    QVERIFY(!takesWrites(from));
    {
        const auto store = from.writer();
        CAIRN_VERIFY_OK(abandonCopy({*store, from.name, as("t_owner").door(), rng, byKim()}));
    }
    QVERIFY(takesWrites(from));
    QVERIFY2(takesWrites(as("t_engine")), "it is what it was");
    QCOMPARE(RawPg(m_roles.url).exec("DELETE FROM cairn.resources"), std::string());
    QVERIFY(failpoint::configure("copy.copied=error@1"));
    QVERIFY(!move(from, as("t_owner"), rng));
    failpoint::configure({});
    {
        const auto store = from.writer();
        CAIRN_VERIFY_OK(abandonCopy({*store, from.name, as("t_owner").door(), rng, byKim()}));
    }
    QVERIFY(takesWrites(from));
    QVERIFY(!takesWrites(as("t_engine")));
}

// cairn.is_filled() has them as constants.
void TestCopyStoreRoles::theNumbersOfFencesAreThoseOfTheDatabase()
{
    m_roles.initWithRoles();
    const RawPg owner(m_roles.urlOf("t_owner"));
    const auto filled = [&](std::uint32_t minWriter) {
        m_roles.admin("UPDATE cairn.meta SET min_writer = " + std::to_string(minWriter));
        return owner.value("SELECT cairn.is_filled()") == "t";
    };
    QVERIFY(!filled(postgres::kSchema));
    for (const std::uint32_t copy : {0U, 1U, kCopies - 1}) {
        QVERIFY(filled(minWriterOf({FenceKind::Filling, copy})));
        for (const FenceKind kind : {FenceKind::Leaving, FenceKind::Moved, FenceKind::Abandoned})
            QVERIFY(!filled(minWriterOf({kind, copy})));
    }
    // Whoever is not the owner decides and acts by the rules also meanwhile.
    QVERIFY(filled(minWriterOf({FenceKind::Filling, 1})));
    const std::string decided = "INSERT INTO cairn.approvals(run, id, step, state, role, asked_at, expires, "
                                "decided_at, decided_by, needed, "
                                "asked_by, deciders) VALUES(gen_random_uuid(), gen_random_uuid(), 0, 2, "
                                "'ops', 1, 0, 0, '', 1, '', '[\"ann\"]')";
    QCOMPARE(stateIn(RawPg(m_roles.urlOf("t_engine")), decided), std::string("CA002"));
    QCOMPARE(stateIn(RawPg(m_roles.urlOf("t_owner")), decided), std::string());
}

void TestCopyStoreRoles::leaveAndAnswer(const std::string& name, StagedState as) const
{
    StagedAct act;
    act.command = idOf<CommandId>("act " + name);
    act.command.bytes[6] = static_cast<std::uint8_t>(0x70U | (act.command.bytes[6] & 0x0FU));
    act.run = smallStore().runs.at("nap");
    act.verb = Verb::Pause;
    act.body = std::string("b\0dy", 4);
    act.reason = "because of this test";
    act.claimed = "somebody";
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(act));
    const auto engine = m_roles.openAs("t_engine");
    CAIRN_VERIFY_OK(engine->takeStaged(10));
    act.state = as;
    act.outcome = "so it was";
    CAIRN_VERIFY_OK(engine->finishStaged(act));
}

// What people say of the store as a whole, and what is left of plans, reviews and removed runs; who said it
// is another test's matter.
void TestCopyStoreRoles::leaveRules()
{
    const RawPg raw(m_roles.url);
    for (const char* sql :
        {"INSERT INTO cairn.never_store(kind, text) VALUES(1, 'pin-code')",
            "INSERT INTO cairn.retention(workflow, keep_days, redact_days, keys_days, changed_at) "
            "VALUES('kept', 30, 0, 0, 5)",
            "INSERT INTO cairn.policies(version, text, login, claimed, set_at) "
            "VALUES(1, '{\"schema\":\"urn:cairn:policy:1\",\"rules\":[]}', 't_owner', 'kim', 5)",
            "INSERT INTO cairn.plans(id, verb, command, login, actor, uid, host, reason, staged_at, "
            "expires_at, "
            "spec, items, digest, people, role, revision, state, confirmed_by, confirmed_at, note, aborted, "
            "started_at, executed_at, ended_at, holder, lease_until) "
            "VALUES('01900000-0000-7000-8000-000000000001', 6, '01900000-0000-7000-8000-000000000002', "
            "session_user::text, 'kim', 1, 'desk', 'why', 5, 9, 'spec', 1, NULL, 1, '', 1, 1, '', 0, '', 0, "
            "0, 0, "
            "0, NULL, 0)",
            "INSERT INTO cairn.plan_items(plan, ord, run, command, target, seen, situation, state, left_out, "
            "why, "
            "version, done_at, fate) VALUES('01900000-0000-7000-8000-000000000001', 1, gen_random_uuid(), "
            "gen_random_uuid(), 'a', 3, 'stuck', 2, 0, '', 4, 7, 1)",
            "UPDATE cairn.plans SET revision = 2, state = 6, note = 'done', started_at = 6, executed_at = 7, "
            "ended_at = 8",
            "INSERT INTO cairn.reviews(command, run, verb, target, login, reason, address, backend, "
            "opened_at, "
            "closed_by, note, closed_at) VALUES(gen_random_uuid(), gen_random_uuid(), 3, '', 'ann', "
            "'burning', "
            "'10.0.0.7', 4711, 5, 'bob', 'all was well', 6)",
            "INSERT INTO cairn.tombstones(run, versions, head, act, deleted_at, changed, root, workflow, "
            "workflow_version, created_at, ended_at, ended_as, rule, removed_by, public_key, signature, "
            "begun) "
            "VALUES('01900000-0000-7000-8000-000000000003', 4, decode(repeat('07', 32), 'hex'), 1, 9, 1, "
            "'01900000-0000-7000-8000-000000000003', 'look', 1, 5, 6, 1, 'kept 30 days', 'ann', "
            "decode(repeat('00', 32), 'hex'), decode(repeat('00', 64), 'hex'), gen_random_uuid())",
            "INSERT INTO cairn.retired_keys(run, workflow, key, key_input, key_salt, until) "
            "VALUES('01900000-0000-7000-8000-000000000003', 'look', 'key of old', "
            "decode(repeat('05', 32), 'hex'), decode(repeat('06', 16), 'hex'), 400)",
            "INSERT INTO cairn.effects(effect, tool, key, state, holder, holder_step, input_salt, "
            "input_digest, "
            "result, changed_at, revision) VALUES(decode(repeat('09', 32), 'hex'), 'pay', 'k', 3, "
            "'01900000-0000-7000-8000-000000000003', 'a', decode(repeat('06', 16), 'hex'), NULL, NULL, 5, "
            "4)"})
        QCOMPARE(raw.exec(sql), std::string());
}

void TestCopyStoreRoles::leaveCheckpoint()
{
    const auto engine = m_roles.openAs("t_engine");
    const auto open = engine->runHeads({}, 3);
    QVERIFY(open && !open->empty());
    std::vector<RunHead> heads;
    for (const OpenHead& head : *open)
        heads.push_back(head.now);
    CheckpointRow row;
    row.number = 1;
    row.store = engine->info()->id;
    row.time = 1'790'000'000'000;
    row.runs = static_cast<std::uint32_t>(heads.size());
    row.runHeads = sha256("heads");
    row.key.bytes.fill(3);
    row.signature.bytes.fill(5);
    CAIRN_VERIFY_OK(engine->appendCheckpoint(row, heads));
}

// What comes along, column by column, and what stays behind and why. A table, or column, that is new has to
// be added to what the copy brings, or here.
void TestCopyStoreRoles::everyTableIsAccountedFor()
{
    struct Table {
        const char* name;
        const char* fresh;  // columns that are the new store's own
    };
    static constexpr Table kCopied[] = {{"approvals", ""}, {"artifact_chunks", ""},
        {"artifacts", "staged_at"}, {"attempts", ""}, {"checkpoint_heads", ""}, {"checkpoints", ""},
        {"effect_waiters", ""}, {"effects", "revision"}, {"entries", ""}, {"meta", "min_writer,change_base"},
        {"outbox", "seq"}, {"payloads", ""}, {"never_store", ""}, {"plan_items", ""}, {"plans", "revision"},
        {"policies", ""}, {"resources", "revision"}, {"retention", ""}, {"retired_keys", ""}, {"reviews", ""},
        {"run_attributes", ""}, {"run_hot", "epoch,owner"},  // of engines that have ended
        {"run_list", "version,changed"},                     // the cursor of this server
        {"runs", ""}, {"staged_acts", "taken_until"}, {"steps", ""}, {"tombstones", "changed"},
        {"workflows", ""}};
    static const std::map<std::string, std::string> kLeft = {
        {"audit", "copied, and an entry is added: below"}, {"audit_head", "follows from it"},
        {"resource_slices", "leases of engines that have ended"}, {"sessions", "engines that have ended"},
        {"remains", "rows that are to be swept are not copied"}, {"wakeups", "for engines that have ended"}};
    SeededRng rng(3);
    CAIRN_VERIFY_OK(moveWithRoles(copyOfSmallStore(), as("t_owner"), rng));
    m_roles.grantLogins();
    for (int i = 0; i < 20; ++i)
        leaveAndAnswer(std::to_string(i), i % 2 == 0 ? StagedState::Committed : StagedState::Rejected);
    leaveCheckpoint();
    leaveRules();
    static_cast<void>(RawPg(secondUrl()).exec("DROP SCHEMA IF EXISTS cairn CASCADE"));
    const auto report = move(placeAt(m_roles.url), placeAt(secondUrl()), rng);
    QVERIFY2(report, errorOf(report).c_str());
    QCOMPARE(report->acts, std::uint64_t{20});
    QVERIFY(report->notes.empty());
    const RawPg here(m_roles.url), there(secondUrl());
    QCOMPARE(there.value("SELECT roles FROM cairn.meta"), std::string("1"));
    std::string known;
    for (const Table& table : kCopied) {
        known += std::string(known.empty() ? "" : ",") + table.name;
        const std::string all =
            "SELECT string_agg(x, E'\\n' ORDER BY x) FROM (SELECT (to_jsonb(t) - string_to_array('"
            + std::string(table.fresh) + "', ','))::text AS x FROM cairn." + table.name + " t) AS y";
        const std::string before = here.value(all);
        QVERIFY2(before != "null" && before != "none", table.name);
        QVERIFY2(there.value(all) == before, table.name);
    }
    for (const auto& [name, why] : kLeft)
        known += "," + name;
    const std::string ordered = "SELECT string_agg(n, ',' ORDER BY n COLLATE \"C\") FROM ";
    QCOMPARE(here.value(ordered
                 + "(SELECT relname::text AS n FROM pg_class WHERE relkind = 'r' "
                   "AND relnamespace = 'cairn'::regnamespace) AS t"),
        here.value(ordered + "string_to_table('" + known + "', ',') AS n"));
    const std::string audit =
        "SELECT md5(string_agg(a::text, E'\\n' ORDER BY seq)) FROM cairn.audit a WHERE seq <= "
        + std::to_string(report->audit);
    QCOMPARE(there.value(audit), here.value(audit));
    QCOMPARE(there.value("SELECT max(seq) FROM cairn.audit"), std::to_string(report->audit + 1));
    QCOMPARE(soundness(secondUrl()), std::string());
    QCOMPARE(soundness(m_roles.url), std::string());
}

void TestCopyStoreRoles::actsComeAlongWhereNobodyLogsIn()
{
    SeededRng rng(3);
    CAIRN_VERIFY_OK(moveWithRoles(copyOfSmallStore(), as("t_owner"), rng));
    m_roles.grantLogins();
    leaveAndAnswer("one", StagedState::Committed);
    leaveAndAnswer("two", StagedState::Rejected);
    leaveRules();
    const Scratch folder;
    const Place file = sqlitePlace(folder.file("to.db"));
    const Content before(*as("t_owner").writer());
    const auto report = move(as("t_owner"), file, rng);
    QVERIFY2(report, errorOf(report).c_str());
    QCOMPARE(report->acts, std::uint64_t{2});
    QCOMPARE(report->reviews, std::uint64_t{1});
    QCOMPARE(report->plans, std::uint64_t{1});
    QCOMPARE(report->removed, std::uint64_t{1});
    QVERIFY(report->notes.empty());
    QCOMPARE(Content(*file.writer()).differsFrom(before), std::string());
    const auto acts = file.writer()->answeredActs({}, 10);
    CAIRN_VERIFY_OK(acts);
    QCOMPARE(acts->front().stagedBy, std::string("t_operator"));
}

CAIRN_POSTGRES_TEST_MAIN(TestCopyStoreRoles)
#include "tst_copy_store_roles.moc"
