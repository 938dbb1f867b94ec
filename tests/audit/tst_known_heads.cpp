// What a client remembers of a store, and that it notices when history does not extend it.
#include "core/audit/known_heads.h"
#include "core/store/memory/memory_store.h"
#include "tests/audit/acts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace cairn;
using namespace cairn::testing;
using audit::KnownHeads;

class TestKnownHeads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void whatIsRememberedComesBack();
    void storesDoNotMix();
    void severalWritersLoseNothing();
    void aDamagedFileIsNotTakenForNone_data();
    void aDamagedFileIsNotTakenForNone();
    void theUsualPlaceFollowsTheEnvironment();
    void aHistoryThatGoesOnIsFine();
    void anOldBackupIsNoticed_data();
    void anOldBackupIsNoticed();
    void aBrokenLinkSinceIsNoticed();
    void theQuestionsAreThoseOfTheWholeCheck();

private:
    [[nodiscard]] std::string path() const { return m_folder->file("state/cairn/heads.json"); }

    ManualClock m_clock;
    std::shared_ptr<MemoryDatabase> m_database;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<Scratch> m_folder;
    TestKey m_keyFile;
    SigningKey m_key = m_keyFile.get();
};

namespace {

audit::Remembered seen(std::uint64_t seq)
{
    return {seq, sha256("head " + std::to_string(seq)), seq + 1, sha256("checkpoint"), 1'790'000'000'000};
}

}  // namespace

void TestKnownHeads::init()
{
    m_database = makeMemoryDatabase({"test", false, true}, m_clock, 7);
    m_store = connectMemory(m_database);
    m_folder = std::make_unique<Scratch>();
}

void TestKnownHeads::whatIsRememberedComesBack()
{
    KnownHeads heads(path());
    const UuidBytes store = m_store->info()->id;
    QVERIFY(!heads.find(store)->has_value());
    CAIRN_VERIFY_OK(heads.remember(store, seen(4)));
    QVERIFY(**KnownHeads(path()).find(store) == seen(4));
    CAIRN_VERIFY_OK(heads.remember(store, seen(9)));
    QVERIFY(**heads.find(store) == seen(9));
    namespace fs = std::filesystem;
    QVERIFY((fs::status(path()).permissions() & (fs::perms::group_all | fs::perms::others_all))
        == fs::perms::none);
    QVERIFY(!fs::exists(path() + ".new"));
    CAIRN_VERIFY_OK(heads.forget(store));
    QVERIFY(!heads.find(store)->has_value());
}

void TestKnownHeads::storesDoNotMix()
{
    KnownHeads heads(path());
    const UuidBytes one = idOf<RunId>("one").bytes, other = idOf<RunId>("other").bytes;
    CAIRN_VERIFY_OK(heads.remember(one, seen(1)));
    CAIRN_VERIFY_OK(heads.remember(other, seen(2)));
    CAIRN_VERIFY_OK(heads.forget(other));
    QVERIFY(**heads.find(one) == seen(1));
    QVERIFY(!heads.find(other)->has_value());
}

void TestKnownHeads::severalWritersLoseNothing()
{
    constexpr int kWriters = 4, kEach = 25;
    std::vector<std::thread> threads;
    for (int w = 0; w < kWriters; ++w)
        threads.emplace_back([this, w] {
            KnownHeads heads(path());
            for (int i = 0; i < kEach; ++i) {
                const auto id = idOf<RunId>(std::to_string(w) + "." + std::to_string(i)).bytes;
                if (!heads.remember(id, seen(1)))
                    qFatal("not remembered");
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    KnownHeads heads(path());
    for (int w = 0; w < kWriters; ++w)
        for (int i = 0; i < kEach; ++i)
            QVERIFY(heads.find(idOf<RunId>(std::to_string(w) + "." + std::to_string(i)).bytes)->has_value());
}

void TestKnownHeads::aDamagedFileIsNotTakenForNone_data()
{
    const QString id = QString::fromStdString(uuidText(idOf<RunId>("one").bytes));
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QString();
    QTest::newRow("cut") << QStringLiteral("{\"") + id + QStringLiteral("\":{\"entries\":1");
    QTest::newRow("a list") << QStringLiteral("[]");
    QTest::newRow("no head") << QStringLiteral("{\"") + id + QStringLiteral("\":{\"entries\":1}}");
    QTest::newRow("a text") << QStringLiteral("{\"") + id + QStringLiteral("\":\"x\"}");
}

void TestKnownHeads::aDamagedFileIsNotTakenForNone()
{
    QFETCH(QString, text);
    KnownHeads heads(m_folder->file("heads.json"));
    std::ofstream(heads.path()) << text.toStdString();
    const auto found = heads.find(idOf<RunId>("one").bytes);
    QVERIFY(!found);
    QCOMPARE(found.error().kind, ErrorKind::Corrupt);
    QVERIFY(std::filesystem::exists(heads.path()));
}

void TestKnownHeads::theUsualPlaceFollowsTheEnvironment()
{
    const char* before = std::getenv("XDG_STATE_HOME");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("XDG_STATE_HOME", "/somewhere/state", 1);
    QCOMPARE(KnownHeads::usualPath(), std::string("/somewhere/state/cairn/heads.json"));
    ::setenv("XDG_STATE_HOME", "relative", 1);  // to be ignored, as the specification has it
    ::setenv("HOME", "/home/ann", 1);
    QCOMPARE(KnownHeads::usualPath(), std::string("/home/ann/.local/state/cairn/heads.json"));
    ::setenv("XDG_STATE_HOME", kept.c_str(), 1);
}

void TestKnownHeads::aHistoryThatGoesOnIsFine()
{
    KnownHeads heads(path());
    for (int round = 0; round < 3; ++round) {
        addActs(*m_store, 3);
        if (round > 0)
            mustSign(*m_store, m_key);
        const auto connecting = audit::rewrittenSince(*m_store, heads);
        QVERIFY(connecting && !*connecting);
        const auto answer = audit::checkKnownHead(*m_store, heads);
        QVERIFY(answer);
        QVERIFY(!answer->found);
        QCOMPARE(answer->known, round > 0);
        const auto kept = *heads.find(m_store->info()->id);
        QCOMPARE(kept->seq, static_cast<std::uint64_t>(3 * (round + 1)));
        QCOMPARE(kept->head, m_store->auditEnd()->hash);
        QCOMPARE(kept->checkpoint, static_cast<std::uint64_t>(round));
    }
}

void TestKnownHeads::anOldBackupIsNoticed_data()
{
    QTest::addColumn<int>("actsSince");
    QTest::addColumn<bool>("checkpointSince");
    QTest::addColumn<QString>("kind");
    QTest::newRow("nothing since") << 0 << false << QStringLiteral("cut");
    QTest::newRow("as many acts since") << 2 << false << QStringLiteral("replaced");
    QTest::newRow("more acts since") << 5 << false << QStringLiteral("replaced");
    QTest::newRow("other acts, and another checkpoint") << 5 << true << QStringLiteral("replaced");
}

void TestKnownHeads::anOldBackupIsNoticed()
{
    QFETCH(int, actsSince);
    QFETCH(bool, checkpointSince);
    QFETCH(QString, kind);
    KnownHeads heads(path());
    addActs(*m_store, 3);
    const auto backup = copyOf(*m_database);
    addActs(*m_store, 2);
    mustSign(*m_store, m_key);
    QVERIFY(!audit::checkKnownHead(*m_store, heads)->found);
    const auto remembered = **heads.find(m_store->info()->id);
    replaceBy(*m_database, *backup);
    addActs(*m_store, actsSince, "since");
    if (checkpointSince)
        mustSign(*m_store, m_key);
    for (int again = 0; again < 2; ++again) {  // it stays as loud
        const auto connecting = audit::rewrittenSince(*m_store, heads);
        QVERIFY(connecting && *connecting);
        const auto answer = audit::checkKnownHead(*m_store, heads);
        QVERIFY(answer && answer->found);
        QCOMPARE((*connecting)->text, answer->found->text);
        QCOMPARE(std::string(audit::word(answer->found->kind)), kind.toStdString());
        QCOMPARE(answer->found->number, std::uint64_t{5});
        QVERIFY(**heads.find(m_store->info()->id) == remembered);
    }
}

void TestKnownHeads::aBrokenLinkSinceIsNoticed()
{
    KnownHeads heads(path());
    addActs(*m_store, 3);
    QVERIFY(!audit::checkKnownHead(*m_store, heads)->found);
    addActs(*m_store, 2);
    // As far as this client knows all is well up to the third; it reads from there on.
    audit::Remembered wrong = **heads.find(m_store->info()->id);
    QCOMPARE(wrong.seq, std::uint64_t{3});
    const auto walk = audit::walkAudit(*m_store, 3, sha256("another"), {});
    QVERIFY(walk && walk->found);
    QCOMPARE(walk->seq, std::uint64_t{3});
    QVERIFY(!audit::checkKnownHead(*m_store, heads)->found);
    QCOMPARE((*heads.find(m_store->info()->id))->seq, std::uint64_t{5});
}

void TestKnownHeads::theQuestionsAreThoseOfTheWholeCheck()
{
    KnownHeads heads(path());
    addActs(*m_store, 3);
    const auto backup = copyOf(*m_database);
    addActs(*m_store, 2);
    QVERIFY(!audit::checkKnownHead(*m_store, heads)->found);
    audit::Questions questions;
    audit::askRemembered(**heads.find(m_store->info()->id), questions);
    QVERIFY(audit::verifyAudit(*m_store, questions)->found.empty());
    replaceBy(*m_database, *backup);
    const auto report = audit::verifyAudit(*m_store, questions);
    QVERIFY(report);
    QCOMPARE(report->found.size(), std::size_t{1});
    QVERIFY(report->found.front().kind == audit::Damage::CutAtEnd);
    QCOMPARE(report->found.front().number, std::uint64_t{4});
    QVERIFY2(report->found.front().text.find("what this client verified on") != std::string::npos,
        report->found.front().text.c_str());
}

QTEST_APPLESS_MAIN(TestKnownHeads)
#include "tst_known_heads.moc"
