// The console's ear on a real server (case C47): a link that passes nothing on any more, and of which nobody
// is told, is found and shown, is made anew by itself, and what was committed meanwhile is read by the polls.

#include "core/definition/parse.h"
#include "core/service/service.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"
#include "ui/data/stores.h"
#include "ui/data/storesession.h"

#include <QCoreApplication>
#include <QSignalSpy>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace cairn::testing {

namespace {

constexpr int kPatience = 60'000;  // ms, until a test gives up
constexpr SpanMs kProbes = 300;    // how often the link looks whether it still listens

constexpr auto kAsks = R"({"schema":"urn:cairn:workflow:1","name":"asks","version":1,"tools":{},"steps":[
{"name":"ok","kind":"approval","input":{},"approval":{"role":"ops"}}]})";

// A command line on another machine, straight to the server.
RunId start(const PostgresStoreFixture& postgres)
{
    const SystemClock clock;
    SystemRng rng;
    StoreOptions options;
    options.sendsHints = true;
    const auto store = postgres.open(options);
    const auto queue = makeInlineQueue(*store);
    Service service(*store, *queue, clock, rng, ServiceConfig{});
    Submission s;
    s.workflow = "asks";
    s.command.actor = {ActorKind::Caller, "test"};
    s.payloads.push_back(service.newPayload("null", "application/json"));
    cmd::Start body;
    body.input = s.payloads.back().ref;
    s.command.body = body;
    const Outcome outcome = service.submitAndWait(std::move(s));
    if (!outcome.ok())
        qFatal("start: %s %s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
    return outcome.run;
}

}  // namespace

class PostgresListenerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void c47_aHalfOpenLinkIsShownAndHealsItself();

private:
    [[nodiscard]] std::unique_ptr<CuttingProxy> proxy();
    [[nodiscard]] StoreOpening opening() const;

    Scratch m_folder;
    PostgresStoreFixture m_postgres;
    std::string m_through;
};

void PostgresListenerTest::init()
{
    m_postgres.init();
    const auto parsed = parseDefinition(kAsks);
    if (!parsed)
        qFatal("%s", diagnosticLine("asks", parsed.diagnostics.front()).c_str());
    CAIRN_VERIFY_OK(m_postgres.open()->addWorkflow({"asks", 1, parsed.definition->ref.digest, kAsks, {}, 5}));
}

std::unique_ptr<CuttingProxy> PostgresListenerTest::proxy()
{
    const RawPg raw(m_postgres.url);
    const std::string server = std::string(PQhost(raw.conn)) + "/.s.PGSQL." + std::string(PQport(raw.conn));
    m_through = "postgresql:///cairn?host=" + m_folder.path() + "&port=5432&user=cairn";
    return std::make_unique<CuttingProxy>(m_folder.file(".s.PGSQL.5432"), server, std::string());
}

// As app/console makes it.
StoreOpening PostgresListenerTest::opening() const
{
    StoreOpening opening;
    opening.url = QString::fromStdString(m_through);
    opening.name = u"team"_s;
    opening.mayAct = true;
    opening.open = [url = m_through](bool readOnly) {
        StoreOptions how;
        how.readOnly = readOnly;
        how.sendsHints = true;
        return postgres::openStore(url, how);
    };
    opening.openHints = [url = m_through](const HintOptions& asked) {
        HintOptions how = asked;
        how.interval = kProbes;
        return postgres::openHints(url, how);
    };
    return opening;
}

void PostgresListenerTest::c47_aHalfOpenLinkIsShownAndHealsItself()
{
    const auto between = proxy();
    StoreSession session(opening());
    Stores stores;
    const StoreIx here = stores.add(session, u"team"_s);
    int deafened = 0;
    connect(&session, &Source::hearingChanged, this,
        [&](Hearing hearing, const QString&) { deafened += hearing == Hearing::Deaf ? 1 : 0; });
    stores.open();
    QTRY_VERIFY_WITH_TIMEOUT(
        stores.state(here).opened && stores.state(here).hearing == Hearing::Listening, kPatience);
    QVERIFY(!stores.state(here).deaf() && !stores.state(here).facts.standing.standby());
    QCOMPARE(between->listeners(), 1);
    QSignalSpy hints(&session, &Source::hinted);
    QSignalSpy changes(&stores, &Stores::changed);
    const auto shows = [&](const RunId& run) {
        for (const auto& row : changes)
            for (const RunLine& line : row.front().value<ChangeSet>().lines)
                if (line.run == run)
                    return true;
        return false;
    };
    const auto polled = [&](const RunId& run) {
        stores.poll();
        return shows(run);
    };
    const RunId first = start(m_postgres);
    QTRY_VERIFY_WITH_TIMEOUT(hints.count() >= 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(polled(first), kPatience);

    // Half open: nothing comes, and nobody is told.
    between->swallowListeners();
    QCOMPARE(between->swallowed(), 1);
    const RunId second = start(m_postgres);
    QTRY_VERIFY_WITH_TIMEOUT(polled(second), kPatience);  // the poll is the truth
    QTRY_VERIFY_WITH_TIMEOUT(deafened >= 1, kPatience);   // and the status becomes amber

    // By itself: another link, which is not held up, and hints are heard again.
    QTRY_VERIFY_WITH_TIMEOUT(
        between->listeners() >= 2 && stores.state(here).hearing == Hearing::Listening, kPatience);
    QVERIFY(!stores.state(here).deaf());
    QCOMPARE(between->swallowed(), 1);
    hints.clear();
    const RunId third = start(m_postgres);
    QTRY_VERIFY_WITH_TIMEOUT(hints.count() >= 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(polled(third), kPatience);
}

}  // namespace cairn::testing

int main(int argc, char** argv)
{
    if (const auto code = cairn::testing::PostgresStoreFixture::withoutServer())
        return *code;
    QCoreApplication program(argc, argv);
    cairn::testing::PostgresListenerTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_postgres_listener.moc"
