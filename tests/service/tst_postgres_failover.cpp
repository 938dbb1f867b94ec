// Two servers, and one takes the other's place (packaging/with-postgres-pair): with synchronous replication
// nothing that was acknowledged is lost; with asynchronous, what is lost is told as lost and not done again;
// an old primary that comes back is refused. Each test needs a pair of its own, and is a test of ctest by
// itself.

#include "core/definition/parse.h"
#include "core/service/service.h"
#include "core/store/postgres/postgres_store.h"
#include "tests/support/cairn_qtest.h"

#include <cstdlib>
#include <set>
#include <thread>

using namespace cairn;

class PostgresFailoverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void synchronousReplicationLosesNothing();
    void whatTheStandbyLacksIsToldAsLost();
    void aReplacedPrimaryIsRefused();
};

namespace {

constexpr SpanMs kLongLease = 24 * 3'600'000LL;
constexpr int kPatience = 60'000;  // ms: a fail-over with its time-outs takes some ten seconds

const std::string kPays = R"({"schema":"urn:cairn:workflow:1","name":"pays","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"effect_key":"pay/${/order}"}},
"steps":[{"name":"look","tool":"look"},{"name":"pay","tool":"pay","after":["look"],"input":{"order":"7"}}]})";

int pair(const char* verb)
{
    const char* command = std::getenv("CAIRN_PAIR_COMMAND");
    return command == nullptr ? -1 : std::system((std::string(command) + ' ' + verb).c_str());
}

std::string storeUrl()
{
    const char* url = std::getenv("CAIRN_STORE");
    return url == nullptr ? "" : url;
}

std::unique_ptr<StoreWriter> connection()
{
    auto opened = postgres::openStore(storeUrl(), {});
    if (!opened)
        qFatal("%s", opened.error().text.c_str());
    return *std::move(opened);
}

void make()
{
    if (const Status made = postgres::initStore(storeUrl(), {}); !made)
        qFatal("%s", made.error().text.c_str());
    const auto parsed = parseDefinition(kPays);
    if (!parsed)
        qFatal("%s", diagnosticLine("pays", parsed.diagnostics.front()).c_str());
    if (const Status added =
            connection()->addWorkflow({"pays", 1, parsed.definition->ref.digest, kPays, ".", 1});
        !added)
        qFatal("%s", added.error().text.c_str());
}

// An engine's service; this test says what its attempts answer.
struct Engine {
    SystemClock clock;
    SystemRng rng;
    std::unique_ptr<StoreWriter> store = connection();
    std::unique_ptr<StoreWriter> writer = connection();
    std::unique_ptr<CommitQueue> queue = makeInlineQueue(*writer);
    std::unique_ptr<Service> service;

    Engine()
    {
        SessionRow row;
        row.id = makeId<SessionId>(clock.wallMs(), rng);
        row.name = "engine";
        row.startedAt = row.heartbeatAt = clock.wallMs();
        row.leaseUntil = row.startedAt + kLongLease;
        if (const Status opened = writer->openSession(row); !opened)
            qFatal("%s", opened.error().text.c_str());
        ServiceConfig config;
        config.session = row.id;
        service = std::make_unique<Service>(*store, *queue, clock, rng, config);
        service->setCapacity({1'000'000, {}});
    }
    Outcome start(const std::string& key)
    {
        Submission s;
        s.workflow = "pays";
        s.key = key;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(service->newPayload("{}", "application/json"));
        cmd::Start body;
        body.input = s.payloads.back().ref;
        s.command.body = body;
        return service->submitAndWait(std::move(s));
    }
    Outcome complete(const RunId& run, const char* step)
    {
        Submission s;
        s.run = run;
        s.command.actor = {ActorKind::Engine, "engine"};
        cmd::Complete body;
        body.attempt = service->load(run)->find(step)->attempt->id;
        s.payloads.push_back(service->newPayload("{}", "application/json"));
        body.output = s.payloads.back().ref;
        s.command.body = body;
        return service->submitAndWait(std::move(s));
    }
    Outcome act(const RunId& run, cmd::Body body)
    {
        Submission s;
        s.run = run;
        s.command.actor = {ActorKind::Person, "kim"};
        s.command.body = std::move(body);
        s.reason = "because of a test";
        return service->submitAndWait(std::move(s));
    }
};

}  // namespace

void PostgresFailoverTest::synchronousReplicationLosesNothing()
{
    make();
    Engine engine;
    constexpr int kRuns = 60;
    std::map<std::string, RunId> acknowledged;
    std::thread failOver;
    int refused = 0;
    for (int i = 0; i < kRuns; ++i) {
        if (i == kRuns / 3)
            failOver = std::thread([] {
                if (pair("cut") != 0 || pair("promote") != 0)
                    qFatal("the standby was not promoted");
            });
        const std::string key = "order-" + std::to_string(i);
        Outcome outcome = engine.start(key);
        // Who got no answer asks again, with the same key.
        for (int tries = 0; !outcome.ok() && tries < 20; ++tries, ++refused)
            outcome = engine.start(key);
        QVERIFY2(outcome.ok(), outcome.error.text.c_str());
        acknowledged[key] = outcome.run;
    }
    failOver.join();
    const auto info = engine.store->info();
    CAIRN_VERIFY_OK(info);
    QCOMPARE(info->serverTimeline, 2U);
    qInfo("%d of %d starts got no answer at first", refused, kRuns);
    const auto store = connection();
    for (const auto& [key, run] : acknowledged) {
        const auto row = store->findKey("pays", key);
        CAIRN_VERIFY_OK(row);
        QVERIFY2(row->has_value(), key.c_str());
        QCOMPARE((*row)->run, run);
        const auto problems = verifyRun(*store, run);
        CAIRN_VERIFY_OK(problems);
        QVERIFY(problems->empty());
    }
}

void PostgresFailoverTest::whatTheStandbyLacksIsToldAsLost()
{
    make();
    Engine engine;
    const RunId run = engine.start("order-1").run;
    QVERIFY(!run.isNull());
    QCOMPARE(pair("following"), 0);
    QCOMPARE(pair("part"), 0);
    QVERIFY(engine.complete(run, "look").ok());
    QVERIFY(engine.complete(run, "pay").ok());  // it is paid, says the store
    const RunId second = engine.start("order-2").run;
    QVERIFY(!second.isNull());
    QCOMPARE(pair("crash"), 0);
    QCOMPARE(pair("join"), 0);
    QCOMPARE(pair("promote"), 0);
    // As EngineCore does before it claims.
    const auto parked = [&] {
        static_cast<void>(engine.service->serverReplacedAt());
        engine.service->pump();
        const auto state = engine.service->load(run);
        return state && state->parked;
    };
    QTRY_VERIFY_WITH_TIMEOUT(parked(), kPatience);
    const auto state = engine.service->load(run);
    CAIRN_VERIFY_OK(state);
    const auto why = engine.store->payload(run, state->blockedDetail.id);
    CAIRN_VERIFY_OK(why);
    QVERIFY2(why->starts_with(
                 "versions 2 to 3 of this run were stored and acknowledged, and the store has them no more"),
        why->c_str());
    QCOMPARE(state->find("pay")->attempts, 0U);
    QVERIFY(engine.complete(run, "look").ok());
    QCOMPARE(engine.service->load(run)->find("pay")->attempts, 0U);  // never redone by itself
    const Outcome gone = engine.act(second, cmd::SetPaused{true, 0, false});
    QCOMPARE(gone.kind, Outcome::Kind::Rejected);
    QVERIFY2(gone.rejection.text.find("although version 1 of it was acknowledged") != std::string::npos,
        gone.rejection.text.c_str());
}

void PostgresFailoverTest::aReplacedPrimaryIsRefused()
{
    make();
    const auto store = connection();
    auto info = store->info();
    CAIRN_VERIFY_OK(info);
    QCOMPARE(info->serverTimeline, 1U);
    const std::uint64_t system = info->serverSystem;
    QCOMPARE(pair("following"), 0);
    QCOMPARE(pair("cut"), 0);
    QCOMPARE(pair("promote"), 0);
    QTRY_VERIFY_WITH_TIMEOUT((info = store->info()).has_value(), kPatience);
    QCOMPARE(info->serverTimeline, 2U);
    QCOMPARE(info->serverSystem, system);
    QCOMPARE(pair("halt"), 0);
    QCOMPARE(pair("mend"), 0);
    const auto refused = [&] {
        info = store->info();
        return !info && info.error().kind == ErrorKind::Refused;
    };
    QTRY_VERIFY_WITH_TIMEOUT(refused(), kPatience);
    QVERIFY2(info.error().text.find("has gone back from timeline 2 to 1") != std::string::npos,
        info.error().text.c_str());
    const Status written = store->putResource({"bank", kNoTime, false, 1, 1, 0});
    QVERIFY(!written);
    QCOMPARE(written.error().kind, ErrorKind::Refused);
}

QTEST_GUILESS_MAIN(PostgresFailoverTest)
#include "tst_postgres_failover.moc"
