// Hints by LISTEN and NOTIFY: what is told and when, how little of it, and a listener whose link dies without
// anybody being told (case C47).

#include "core/store/postgres/hint_words.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/role_logins.h"
#include "tests/store/scratch.h"

#include <atomic>
#include <chrono>
#include <mutex>

namespace cairn::testing {

namespace {

constexpr int kPatience = 30'000;    // ms, until a test gives up
constexpr SpanMs kInterval = 1'000;  // of probes
constexpr SpanMs kShort = 300;       // where a link is to be found dead
constexpr SpanMs kNever = 3'600'000;

// As somebody with psql who listens.
struct RawListener : RawPg {
    explicit RawListener(const std::string& url)
        : RawPg(url)
    {
        const std::string error = exec(std::string("LISTEN ") + postgres::kHintChannel);
        if (!error.empty())
            qFatal("%s", error.c_str());
    }
    // What has been committed until now.
    std::vector<std::string> heard() const
    {
        static_cast<void>(value("SELECT 1"));
        std::vector<std::string> words;
        while (PGnotify* one = PQnotifies(conn)) {
            words.emplace_back(one->extra);
            PQfreemem(one);
        }
        return words;
    }
};

struct Told final : HintSink {
    void tell(HintSet what) noexcept override
    {
        all = static_cast<HintSet>(all | what);
        ++times;
        if (onTell)
            onTell();
    }
    HintSet take() { return std::exchange(all, hint::kNone); }
    HintSet all = hint::kNone;
    int times = 0;
    std::function<void()> onTell;
};

std::shared_ptr<HintLink> linkTo(const std::string& url, HintOptions options = {{}, kInterval, 50})
{
    auto link = postgres::openHints(url, options);
    if (!link)
        qFatal("%s", errorLine(link.error()).c_str());
    return *std::move(link);
}

// Waits until it is heard. True: that, and nothing else where that is asked.
bool hears(HintLink& link, HintSet what, bool exactly = true)
{
    HintSet all = hint::kNone;
    const auto heard = [&] {
        all = static_cast<HintSet>(all | link.take());
        return (all & what) == what;
    };
    return QTest::qWaitFor(heard, kPatience) && (all == what || !exactly);
}

// Waits until something is heard, and gives it.
std::vector<std::string> awaitWords(const RawListener& raw)
{
    std::vector<std::string> words;
    static_cast<void>(QTest::qWaitFor(
        [&] {
            words = raw.heard();
            return !words.empty();
        },
        kPatience));
    return words;
}

bool listens(const HintLink& link) { return link.health().state == HintHealth::State::Listening; }
bool isDeaf(const HintLink& link) { return link.health().state == HintHealth::State::Deaf; }

}  // namespace

class PostgresHintsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void wordsAreLetters();
    void whatIsTold();
    void aStagedActIsTold();
    void aPlanThatSomebodyChangesIsTold();
    void nothingIsNotifiedBeforeTheAcknowledgement();
    void aCommandLineSendsItsOwn();
    void aBurstIsFewNotifications();
    void whatIsToldIsHeardElsewhere();
    void whatIsForgedIsLookedAtAndNoMore();
    void aHalfOpenLinkIsFoundAndReplaced();
    void anEndedSessionOfTheServerIsReplaced();
    void aServerThatIsDownIsTriedUntilItIsBack();
    void itEndsWhileNobodyAnswers();
    void howAnEngineHearsIsShownWhileItIsConnected();

private:
    std::unique_ptr<CuttingProxy> proxy();
    [[nodiscard]] std::unique_ptr<StoreWriter> open(std::shared_ptr<HintSink> sink) const
    {
        StoreOptions options;
        options.hints = std::move(sink);
        return m_postgres.open(options);
    }

    Scratch m_folder;
    RoleLogins m_postgres;
    std::string m_through;
    int m_proxies = 0;
};

void PostgresHintsTest::init() { m_postgres.init(); }

std::unique_ptr<CuttingProxy> PostgresHintsTest::proxy()
{
    const RawPg raw(m_postgres.url);
    const std::string server = std::string(PQhost(raw.conn)) + "/.s.PGSQL." + std::string(PQport(raw.conn));
    const std::string port = std::to_string(5432 + m_proxies++);
    m_through = "postgresql:///cairn?host=" + m_folder.path() + "&port=" + port + "&user=cairn";
    return std::make_unique<CuttingProxy>(m_folder.file(".s.PGSQL." + port), server, std::string());
}

void PostgresHintsTest::wordsAreLetters()
{
    for (int what = 1; what <= hint::kAll; ++what)
        QCOMPARE(int(postgres::hintOf(postgres::hintWord(static_cast<HintSet>(what)))), what);
    for (const char* forged : {"", "x", "wx", "W", "w ", "\xff"})
        QCOMPARE(postgres::hintOf(forged), hint::kAll);
}

namespace {

// `own` is a's; `free` is nobody's.
void whatChangesHandsIsTold(StoreWriter& store, Told& told, const Writer& own, const RunId& free)
{
    const SessionId a = sessionRow("a", 0).id, b = sessionRow("b", 0).id;
    const TimeMs now = *store.now();
    // Given back with a wake-up that was not read: due at once. Without any: at its time.
    CAIRN_VERIFY_OK(store.release(a, std::vector<ClaimedRun>{{own.run, 1, own.version, now + kNever}}));
    QCOMPARE(told.take(), hint::kClaims);
    QCOMPARE(store.claim(a, *store.now() + 1'000, 10)->size(), std::size_t(2));
    QCOMPARE(told.take(), hint::kNone);
    const auto epoch = store.hot(own.run)->epoch;
    CAIRN_VERIFY_OK(store.release(a, std::vector<ClaimedRun>{{own.run, epoch, own.version, now + kNever}}));
    QCOMPARE(told.take(), hint::kNone);

    CAIRN_VERIFY_OK(store.takeOver(free, b));
    QCOMPARE(told.take(), hint::kWakeups);
    CAIRN_VERIFY_OK(store.takeOver(free, {}));
    QCOMPARE(int(told.take()), hint::kClaims | hint::kWakeups);
    QVERIFY(*store.endSession(b, now, kNoTime));
    QCOMPARE(told.take(), hint::kClaims);
    QVERIFY(!*store.endSession(b, now, kNoTime));
    QVERIFY(*store.heartbeat(a, now, now + 1));
    QCOMPARE(store.takeWakeups(a)->size(), std::size_t(1));
    QCOMPARE(told.take(), hint::kNone);
    CAIRN_VERIFY_OK(store.setClockOffset(5));
    QCOMPARE(told.take(), hint::kClaims);
}

}  // namespace

void PostgresHintsTest::whatIsTold()
{
    const auto told = std::make_shared<Told>();
    const auto store = open(told);
    std::vector<MemberResult> results;
    const auto commit = [&](const CommitMember& member) {
        const Status done = store->commit(std::span(&member, 1), results);
        if (!done || results.front().kind != MemberResult::Kind::Committed)
            qFatal("not committed");
    };
    const TimeMs now = *store->now();
    const SessionRow a = sessionRow("a", now), b = sessionRow("b", now);
    CAIRN_VERIFY_OK(store->openSession(a));
    CAIRN_VERIFY_OK(store->openSession(b));
    QCOMPARE(told->take(), hint::kNone);

    Writer free("free");  // whoever claims next may have it
    CommitMember first = free.create();
    commit(first);
    free.committed(first);
    QCOMPARE(told->take(), hint::kClaims);

    Writer own("own", a.id);  // nobody but its engine has to do with it
    CommitMember mine = own.create();
    commit(mine);
    own.committed(mine);
    mine = own.next("step");
    commit(mine);
    own.committed(mine);
    QCOMPARE(told->times, 1);

    CommitMember message = own.next("message");  // to another run
    OutboxRow out;
    out.from = own.run;
    out.version = message.entry.version;
    out.to = free.run;
    out.body = "body";
    out.createdAt = now;
    message.outbox.push_back(out);
    commit(message);
    own.committed(message);
    QCOMPARE(told->take(), hint::kOutbox);

    Writer person = own;  // commits on a run that an engine has
    person.by = {};
    CommitMember approval = person.next("approve");
    commit(approval);
    person.by = a.id;
    person.committed(approval);
    QCOMPARE(told->take(), hint::kWakeups);

    whatChangesHandsIsTold(*store, *told, person, free.run);
}

void PostgresHintsTest::aStagedActIsTold()
{
    m_postgres.initWithRoles();
    const auto told = std::make_shared<Told>();
    StoreOptions options;
    options.hints = told;
    const auto engine = m_postgres.openAs("t_engine");
    const Writer run("staged");
    std::vector<MemberResult> results;
    const CommitMember first = run.create();
    CAIRN_VERIFY_OK(engine->commit(std::span(&first, 1), results));
    const auto desk = *postgres::openStore(m_postgres.urlOf("t_operator"), options);
    StagedAct act;
    SystemRng rng;
    act.command = makeId<CommandId>(5, rng);
    act.run = run.run;
    act.verb = Verb::Pause;
    act.body = "{}";
    act.reason = "because of this test";
    act.claimed = "kim";
    act.host = "desk";
    CAIRN_VERIFY_OK(desk->stage(act));
    QCOMPARE(told->take(), hint::kStaged);
}

void PostgresHintsTest::aPlanThatSomebodyChangesIsTold()
{
    const auto told = std::make_shared<Told>();
    StoreOptions options;
    options.hints = told;
    const auto store = *postgres::openStore(m_postgres.url, options);
    PlanChange change;
    change.row.id = idOf<PlanId>("plan");
    change.row.command = idOf<CommandId>("plan");
    change.row.login = "cairn";
    CAIRN_VERIFY_OK(store->changePlan(change));  // a draft: nobody sees it
    QCOMPARE(told->take(), hint::kNone);
    change.expected = 1;
    change.row.state = PlanState::Staged;
    change.audit = AuditRow{};
    change.audit->kind = "staged";
    change.audit->verb = Verb::Plan;
    change.audit->login = "cairn";
    change.audit->command = change.row.command;
    CAIRN_VERIFY_OK(store->changePlan(change));
    QCOMPARE(told->take(), hint::kPlans);
    CAIRN_VERIFY_ERROR(store->changePlan(change), ErrorKind::Conflict);
    QCOMPARE(told->take(), hint::kNone);
}

// NOTIFY in the commit's transaction would make all commits of the server wait for each other. A listener
// hears of a transaction that notified before whoever committed it is answered, so it would know by then.
void PostgresHintsTest::nothingIsNotifiedBeforeTheAcknowledgement()
{
    const RawListener raw(m_postgres.url);
    const auto told = std::make_shared<Told>();
    const auto store = open(told);
    std::vector<std::string> heard;
    told->onTell = [&] { heard = raw.heard(); };
    std::vector<MemberResult> results;
    for (int i = 0; i < 20; ++i) {
        const CommitMember member = Writer("w" + std::to_string(i)).create();
        CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
        QVERIFY(heard.empty());
    }
    QCOMPARE(told->times, 20);
    QCOMPARE(raw.heard(), std::vector<std::string>());
    const auto link = linkTo(m_postgres.url);
    link->tell(hint::kClaims);
    QCOMPARE(awaitWords(raw), std::vector<std::string>{"c"});
}

void PostgresHintsTest::aCommandLineSendsItsOwn()
{
    const RawListener raw(m_postgres.url);
    StoreOptions options;
    options.sendsHints = true;
    auto store = m_postgres.open(options);
    std::vector<MemberResult> results;
    const CommitMember first = Writer("first").create();
    CAIRN_VERIFY_OK(store->commit(std::span(&first, 1), results));
    QCOMPARE(raw.heard(), std::vector<std::string>{"c"});  // it is sent when commit() returns
    const auto began = std::chrono::steady_clock::now();
    constexpr int kCommits = 200;
    for (int i = 0; i < kCommits; ++i) {
        const CommitMember member = Writer("w" + std::to_string(i)).create();
        CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    }
    store.reset();
    const auto took = std::chrono::steady_clock::now() - began;
    const auto heard = raw.heard();
    QVERIFY(!heard.empty());
    // Not more than one in 50 ms, however fast or slow this machine is, and one at the end.
    const auto most = static_cast<std::size_t>(took / std::chrono::milliseconds(50)) + 2;
    QVERIFY2(heard.size() <= most, qPrintable(QString("%1 of %2").arg(heard.size()).arg(most)));
    qInfo("%d commits, %d notifications", kCommits, static_cast<int>(heard.size()));
}

void PostgresHintsTest::aBurstIsFewNotifications()
{
    const RawListener raw(m_postgres.url);
    auto link = linkTo(m_postgres.url, {{}, kInterval, kNever});
    QTRY_VERIFY_WITH_TIMEOUT(listens(*link), kPatience);
    auto store = open(link);
    std::vector<MemberResult> results;
    const auto commit = [&](const std::string& name) {
        const CommitMember member = Writer(name).create();
        CAIRN_VERIFY_OK(store->commit(std::span(&member, 1), results));
    };
    commit("first");
    std::vector<std::string> heard;
    const auto hears = [&] {
        for (std::string& word : raw.heard())
            heard.push_back(std::move(word));
        return heard.size();
    };
    QTRY_COMPARE_WITH_TIMEOUT(hears(), std::size_t(1), kPatience);  // the first goes out at once
    for (int i = 0; i < 200; ++i)
        commit("w" + std::to_string(i));
    QCOMPARE(hears(), std::size_t(1));
    store.reset();
    link.reset();  // the last word is not lost
    QCOMPARE(hears(), std::size_t(2));
    QCOMPARE(heard, (std::vector<std::string>{"c", "c"}));
}

void PostgresHintsTest::whatIsToldIsHeardElsewhere()
{
    std::atomic<int> woken = 0;
    const auto ear = linkTo(m_postgres.url, {[&] { ++woken; }, kInterval, 50});
    const auto voice = linkTo(m_postgres.url);
    QTRY_VERIFY_WITH_TIMEOUT(listens(*ear) && listens(*voice), kPatience);
    QVERIFY(hears(*ear, hint::kAll));  // what was before is looked at once
    const int before = woken;
    voice->tell(hint::kStaged);
    QVERIFY(hears(*ear, hint::kStaged));
    QVERIFY(woken > before);
    voice->tell(hint::kNone);
    ear->tell(hint::kOutbox);  // a process hears itself as well
    QVERIFY(hears(*ear, hint::kOutbox));
}

void PostgresHintsTest::whatIsForgedIsLookedAtAndNoMore()
{
    m_postgres.initWithRoles();
    const RawPg nobody(m_postgres.urlOf("t_nobody"));
    const auto ear = linkTo(m_postgres.urlOf("t_engine"));
    QTRY_VERIFY_WITH_TIMEOUT(listens(*ear), kPatience);
    QVERIFY(hears(*ear, hint::kAll));
    QCOMPARE(nobody.exec("NOTIFY cairn_hints, 'o'"), std::string());
    QVERIFY(hears(*ear, hint::kOutbox));
    const std::string longest(7'999, 'z');
    QCOMPARE(nobody.exec("NOTIFY cairn_hints, '" + longest + "'"), std::string());
    QVERIFY(hears(*ear, hint::kAll));
    QCOMPARE(nobody.exec("NOTIFY something_else, 'o'"), std::string());
    QCOMPARE(nobody.exec("NOTIFY cairn_hints, 'w'"), std::string());  // in order: this one comes after it
    QVERIFY(hears(*ear, hint::kWakeups));
    QVERIFY(listens(*ear));
}

void PostgresHintsTest::aHalfOpenLinkIsFoundAndReplaced()
{
    const auto between = proxy();
    std::mutex mutex;
    const HintLink* watched = nullptr;
    std::vector<HintHealth::State> states;
    const auto watch = [&] {
        const std::scoped_lock lock(mutex);
        const auto state = watched == nullptr ? HintHealth::State::Beginning : watched->health().state;
        if (watched != nullptr && (states.empty() || states.back() != state))
            states.push_back(state);
    };
    const auto ear = linkTo(m_through, {watch, kShort, 50});
    const auto voice = linkTo(m_postgres.url);
    QTRY_VERIFY_WITH_TIMEOUT(listens(*ear) && listens(*voice), kPatience);
    QVERIFY(hears(*ear, hint::kAll));
    QCOMPARE(between->listeners(), 1);
    const auto aside = postgres::openStore(m_through, {});
    CAIRN_VERIFY_OK(aside);
    {
        const std::scoped_lock lock(mutex);
        watched = ear.get();
    }
    between->swallowListeners();
    QCOMPARE(between->swallowed(), 1);
    voice->tell(hint::kWakeups);  // nobody hears it
    QTRY_VERIFY_WITH_TIMEOUT(between->listeners() >= 2 && listens(*ear), kPatience);
    {
        const std::scoped_lock lock(mutex);
        QVERIFY(states.size() >= 2);
        QVERIFY(states[0] == HintHealth::State::Deaf);
        QVERIFY(states[1] == HintHealth::State::Listening);
        watched = nullptr;
    }
    QCOMPARE(ear->take(), hint::kAll);  // it listens first, and then all is looked at: what was missed too
    CAIRN_VERIFY_OK((*aside)->info());  // the others went on
    voice->tell(hint::kStaged);
    QVERIFY(hears(*ear, hint::kStaged));
    // What it says itself arrives as well.
    static_cast<void>(voice->take());
    ear->tell(hint::kClaims);
    QVERIFY(hears(*voice, hint::kClaims, false));
}

void PostgresHintsTest::anEndedSessionOfTheServerIsReplaced()
{
    const auto ear = linkTo(m_postgres.url);
    QTRY_VERIFY_WITH_TIMEOUT(listens(*ear), kPatience);
    QVERIFY(hears(*ear, hint::kAll));
    const RawPg raw(m_postgres.url);
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(raw.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                           "pid <> pg_backend_pid() AND (query LIKE 'LISTEN %' OR query LIKE '%listening%')"),
            std::string("1"));
        QVERIFY(hears(*ear, hint::kAll));
        QVERIFY(listens(*ear));
    }
}

void PostgresHintsTest::aServerThatIsDownIsTriedUntilItIsBack()
{
    const auto between = proxy();
    const auto ear = linkTo(m_through, {{}, kShort, 50});
    QVERIFY(hears(*ear, hint::kAll));
    between->refuse();
    QTRY_VERIFY_WITH_TIMEOUT(isDeaf(*ear) && between->refused() >= 5, kPatience);
    QVERIFY2(!ear->health().why.empty(), "nobody says why");
    ear->tell(hint::kOutbox);  // kept until it can be said
    const RawListener raw(m_postgres.url);
    between->acceptAgain();
    QCOMPARE(awaitWords(raw), std::vector<std::string>{"o"});
    QVERIFY(listens(*ear));
    QVERIFY((ear->take() & hint::kAll) == hint::kAll);
}

void PostgresHintsTest::itEndsWhileNobodyAnswers()
{
    const auto between = proxy();
    between->refuse();
    auto ear = linkTo(m_through, {{}, kNever, 50});
    QTRY_VERIFY_WITH_TIMEOUT(between->refused() >= 2, kPatience);
    QVERIFY(isDeaf(*ear));
    ear.reset();  // although it waits between two tries
    CAIRN_VERIFY_ERROR(postgres::openHints("postgresql://[", {}), ErrorKind::InvalidInput);
}

void PostgresHintsTest::howAnEngineHearsIsShownWhileItIsConnected()
{
    using State = HintHealth::State;
    m_postgres.initWithRoles();
    const auto viewer = m_postgres.openAs("t_viewer", true);
    auto engine = m_postgres.openAs("t_engine");
    const auto one = idOf<SessionId>("one"), two = idOf<SessionId>("two");
    QVERIFY(viewer->shownHints()->empty());
    CAIRN_VERIFY_OK(engine->showHints(one, State::Deaf));
    const auto other = m_postgres.openAs("t_engine");
    CAIRN_VERIFY_OK(other->showHints(two, State::Listening));
    QVERIFY(
        *viewer->shownHints() == (std::map<SessionId, State>{{one, State::Deaf}, {two, State::Listening}}));
    CAIRN_VERIFY_OK(engine->showHints(one, State::Listening));
    QVERIFY(viewer->shownHints()->at(one) == State::Listening);
    // A connection that is made anew shows it again.
    const RawPg raw(m_postgres.url);
    QCOMPARE(raw.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name "
                       "LIKE 'cairn engine %'"),
        std::string("2"));
    CAIRN_VERIFY_OK(engine->info());
    QVERIFY(viewer->shownHints()->at(one) == State::Listening);
    // What anybody says in such words is text.
    for (const char* forged : {"cairn engine ", "cairn engine x deaf", "cairn engine % hears y"})
        QCOMPARE(raw.exec(std::string("SET application_name = '") + forged + "'"), std::string());
    engine.reset();
    QTRY_VERIFY_WITH_TIMEOUT(viewer->shownHints()->empty(), kPatience);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresHintsTest)

#include "tst_postgres_hints.moc"
