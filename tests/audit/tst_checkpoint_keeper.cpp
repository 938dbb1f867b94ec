// Checkpoints beside an engine: when one is due by the store's clock, and a last one at the end.
#include "core/audit/keeper.h"
#include "core/audit/verify_audit.h"
#include "tests/audit/acts.h"
#include "tests/store/sqlite_fixture.h"

#include <condition_variable>
#include <mutex>

using namespace cairn;
using namespace cairn::testing;

namespace {

// What a keeper has done, awaited.
class Done {
public:
    void add(const Result<audit::Checkpointed>& made)
    {
        const std::lock_guard lock(m_mutex);
        ++(made ? m_made : m_failed);
        m_changed.notify_all();
    }
    bool awaitMade(int count) { return await(m_made, count); }
    bool awaitFailed(int count) { return await(m_failed, count); }

private:
    bool await(const int& what, int count)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(60), [&] { return what >= count; });
    }
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_made = 0;
    int m_failed = 0;
};

}  // namespace

class TestCheckpointKeeper : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneIsMadeEachTimeThatItIsDue();
    void aStoreThatIsAwayIsTriedAgain();

private:
    static audit::KeeperOptions optionsFor(const Folder& folder, Done& done)
    {
        audit::KeeperOptions options;
        options.openStore = [&folder](const std::string&, const StoreOptions& how) {
            return sqlite::openStore(folder.path, how);
        };
        options.every = 3'600'000;
        options.look = 3'600'000;  // only when it is asked to
        options.login = "uid 7";
        options.onDone = [&done](const auto& made) { done.add(made); };
        return options;
    }
    TestKey m_key;
};

void TestCheckpointKeeper::oneIsMadeEachTimeThatItIsDue()
{
    const Folder folder;
    folder.init();
    const auto store = folder.open();
    addActs(*store, 2);
    Done done;
    audit::Keeper keeper(optionsFor(folder, done), m_key.get());
    QVERIFY(done.awaitMade(1));
    keeper.lookNow();  // not due
    addActs(*store, 1);
    CAIRN_VERIFY_OK(store->setClockOffset(3'700'000));
    keeper.lookNow();
    QVERIFY(done.awaitMade(2));
    addActs(*store, 1);
    keeper.stop();
    const auto rows = store->checkpoints(0, 10);
    QCOMPARE(rows->size(), std::size_t{3});
    const std::uint64_t ends[] = {2, 3, 4};
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE((*rows)[i].auditSeq, ends[i]);
        QCOMPARE((*rows)[i].login, std::string("uid 7"));
    }
    QVERIFY((*rows)[1].time - (*rows)[0].time >= 3'600'000);
    const auto report = audit::verifyAudit(*store, {{m_key.get().publicKey()}, {}, {}});
    QVERIFY(report && report->found.empty());
}

void TestCheckpointKeeper::aStoreThatIsAwayIsTriedAgain()
{
    const Folder folder;
    Done done;
    audit::Keeper keeper(optionsFor(folder, done), m_key.get());
    QVERIFY(done.awaitFailed(1));
    folder.init();
    keeper.lookNow();
    QVERIFY(done.awaitMade(1));
}

QTEST_APPLESS_MAIN(TestCheckpointKeeper)
#include "tst_checkpoint_keeper.moc"
