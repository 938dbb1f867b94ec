// VER: resuming and rolling out across changed code, schema or formats.

#include "core/model/codec.h"
#include "core/store/postgres/store_impl.h"
#include "core/store/sqlite/store_impl.h"
#include "tests/cases/bench.h"
#include "tests/store/raw_pg.h"

#include <thread>

using namespace cairn;
using namespace cairn::testing;

class TestVer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c35_stateOfAnUnknownSchemaIsRefused();
    void c37_oldAndNewOnOneStore();
};

void TestVer::c35_stateOfAnUnknownSchemaIsRefused()
{
    CAIRN_BENCH();
    const std::string order =
        "{'name':'order','tool':'note','input':{}},{'name':'ask','kind':'approval','after':['order'],"
        "'input':{'$from':'order'},'approval':{'role':'ops'}},{'name':'ship','tool':'note','after':['ask'],'"
        "input':{'$from':'order'}}";
    const std::string bought =
        "{'name':'purchase','tool':'note','input':{}},{'name':'ask','kind':'approval','after':['purchase'],"
        "'input':{'$from':'purchase'},'approval':{'role':'ops'}},{'name':'ship','tool':'note','after':['ask']"
        ",'input':{'$from':'purchase'}}";
    b.add(workflow("shop", order, ",'state_schema':3"));
    b.tools["note"] = [&](const Call& call) {
        b.effectd.note(b.now(), call.id, call.key, call.input);
        return done("{\"type\":\"Order\", \"total\":1.10}");
    };
    EngineStandIn engine(b, {});
    const RunId run = b.started("shop");
    engine.settle();
    QVERIFY(b.doAct(run, cmd::SetPaused{true}).ok());
    b.add(workflow("shop", bought, ",'state_schema':4", 2));  // no way over
    b.add(workflow("shop", bought,
        ",'state_schema':4,'migrations':[{'from_version':1,'from_state_schema':3,"
        "'renamed_steps':{'order':'purchase'}}]",
        3));
    const auto before = b.store->hot(run);
    CAIRN_VERIFY_OK(before);
    const Outcome refused = b.doAct(run, cmd::Migrate{2});
    QCOMPARE(refused.kind, Outcome::Kind::Rejected);
    QVERIFY2(refused.rejection.text.find("written by state schema 3, this version reads 4, no step 3 to 4")
            != std::string::npos,
        refused.rejection.text.c_str());
    const auto after = b.store->hot(run);
    CAIRN_VERIFY_OK(after);
    QCOMPARE(after->head, before->head);
    QCOMPARE(b.summary(run).activity, Activity::Paused);
    QCOMPARE(b.output(run, "order"), std::string("{\"type\":\"Order\", \"total\":1.10}"));
    QVERIFY(b.doAct(run, cmd::Migrate{3}).ok());
    QCOMPARE(b.output(run, "order"), std::string("{\"type\":\"Order\", \"total\":1.10}"));
    QVERIFY(b.doAct(run, cmd::SetPaused{false}).ok());
    QVERIFY(b.approve(run, "ask").ok());
    engine.settle();
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.effectd.lines.back().arguments, std::string("{\"type\":\"Order\", \"total\":1.10}"));
    // The history names both: the start says version 1 with schema 3, the move version 3 with schema 4.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> named;
    for (const Entry& entry : b.entries(run))
        for (const Fact& fact : entry.facts) {
            if (const auto* started = std::get_if<RunStarted>(&fact))
                named.emplace_back(started->workflow.version, started->workflow.stateSchema);
            if (const auto* migrated = std::get_if<RunMigrated>(&fact))
                named.emplace_back(migrated->to.version, migrated->to.stateSchema);
        }
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{1, 3}, {3, 4}};
    QCOMPARE(named.size(), expected.size());
    QVERIFY(named == expected);
    // An older build does not take what a newer one wrote for something else: a format above its own is
    // refused.
    const auto loaded = b.store->loadRun(run, 1, 1);
    CAIRN_VERIFY_OK(loaded);
    const auto newer = decodeEntry(loaded->entries.front().body, static_cast<std::uint16_t>(kMaxFormat + 1));
    CAIRN_VERIFY_ERROR(newer, ErrorKind::SchemaMismatch);
    QCOMPARE(b.verified(run), std::string());
}

// With the means of one binary: a store of schema 1, its migration, and what a program that is too old or too
// new says. Kills in mid-migration and a dropped column stand in tests/store (tst_sqlite_schema,
// tst_postgres_migration).
void TestVer::c37_oldAndNewOnOneStore()
{
    QFETCH_GLOBAL(int, store);
    if (kept(store) == Kept::Memory)
        return;  // nothing is migrated in memory
    const QTemporaryDir folder;
    const std::string path = folder.filePath("old.cairn").toStdString();
    const std::string url = serverUrl();
    const bool server = kept(store) == Kept::Postgres;
    if (server)
        QCOMPARE(RawPg(url).exec("DROP SCHEMA IF EXISTS cairn CASCADE"), std::string());
    const auto open = [&] { return server ? postgres::openStore(url, {}) : sqlite::openStore(path, {}); };
    const auto migrate = [&](bool contract) -> Result<std::pair<std::string, bool>> {
        if (server) {
            CAIRN_TRY_ASSIGN(const auto report, postgres::migrateStore(url, contract));
            return std::pair(report.text, report.contracted);
        }
        CAIRN_TRY_ASSIGN(const auto report, sqlite::migrateStore(path, contract));
        return std::pair(report.text, report.contracted);
    };
    const Status made =
        server ? postgres::initStoreAt(url, {"test", false, true}, 1) : sqlite::initStoreAt(path, {}, 1);
    CAIRN_VERIFY_OK(made);
    const auto early = open();  // the new binary before the migration
    CAIRN_VERIFY_ERROR(early, ErrorKind::SchemaMismatch);
    QVERIFY2(early.error().text.find("store migrate") != std::string::npos, early.error().text.c_str());
    std::vector<std::string> texts(2);  // two migrators at once
    std::vector<std::thread> threads;
    for (std::string& text : texts)
        threads.emplace_back([&text, &migrate] {
            const auto report = migrate(false);
            text = report ? report->first : report.error().text;
        });
    for (std::thread& thread : threads)
        thread.join();
    std::sort(texts.begin(), texts.end());
    QVERIFY2(texts[0].find("already at schema 2") == 0, texts[0].c_str());
    QVERIFY2(texts[1].find("expanded from schema 1 to 2") == 0, texts[1].c_str());
    auto opened = open();
    CAIRN_VERIFY_OK(opened);
    const auto problems = (*opened)->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY(problems->empty());
    // An old worker lives: the step after which it could not write any more is refused, and says why.
    SystemRng rng;
    SessionRow old;
    old.id = makeId<SessionId>(1, rng);
    old.name = "old worker";
    old.schema = 1;
    old.format = kFormat1;
    old.startedAt = SystemClock{}.wallMs();
    old.leaseUntil = old.startedAt + 60'000;
    const Status opens = (*opened)->openSession(old);
    CAIRN_VERIFY_OK(opens);
    const auto refused = migrate(true);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
    QVERIFY2(refused.error().text.find("old worker") != std::string::npos, refused.error().text.c_str());
    const auto ended = (*opened)->endSession(old.id, old.startedAt, kNoTime);
    CAIRN_VERIFY_OK(ended);
    const auto contracted = migrate(true);
    CAIRN_VERIFY_OK(contracted);
    QVERIFY(contracted->second);
}

CAIRN_CASES(TestVer, "ver")
#include "cases_ver.moc"
