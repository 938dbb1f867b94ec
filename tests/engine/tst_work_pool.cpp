// The threads beside the engine's thread.

#include "core/engine/work_pool.h"
#include "core/store/memory/memory_store.h"
#include "tests/support/cairn_qtest.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

using namespace cairn;

namespace {

// What came back, and threads that are to meet.
struct Bench {
    ManualClock clock;
    std::shared_ptr<MemoryDatabase> db = makeMemoryDatabase({}, clock, 1);
    std::unique_ptr<StoreWriter> own = connectMemory(db);
    std::mutex mutex;
    std::condition_variable changed;
    int done = 0;
    int inside = 0;
    std::set<std::thread::id> threads;
    std::set<const StoreWriter*> connections;
    int opened = 0;
    bool refuses = false;

    std::unique_ptr<WorkPool> pool(unsigned threads_)
    {
        return makeThreadPool(threads_,
            {[this]() -> Result<std::unique_ptr<StoreWriter>> {
                 ++opened;
                 if (refuses)
                     return makeError(ErrorKind::Io, "no more files");
                 return connectMemory(db);
             },
                [this](const WorkPool::Done& after) {
                    const std::lock_guard lock(mutex);
                    after();
                    changed.notify_all();
                },
                *own});
    }
    template<typename F> bool await(F holds)
    {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(20), holds);
    }
    WorkPool::Work noting()
    {
        return [this](StoreWriter& store) {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            connections.insert(&store);
        };
    }
    WorkPool::Done counting()
    {
        return [this] { ++done; };  // under the mutex, by `post`
    }
};

}  // namespace

class TestWorkPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void worksBesideTheCallerAndTellsAfterwards();
    void twoWorkAtOnceEachWithItsOwnStore();
    void withoutAStoreTheCallerWorks();
    void endsWithWorkUnderWayAndWaiting();
};

void TestWorkPool::worksBesideTheCallerAndTellsAfterwards()
{
    Bench bench;
    const auto pool = bench.pool(2);
    QCOMPARE(bench.opened, 0);  // nothing before it is needed
    for (int i = 0; i < 50; ++i)
        pool->run(bench.noting(), bench.counting());
    QVERIFY(bench.await([&] { return bench.done == 50; }));
    QVERIFY(!bench.threads.contains(std::this_thread::get_id()));
    QVERIFY(!bench.connections.contains(bench.own.get()));
    QVERIFY(bench.opened <= 2);
}

void TestWorkPool::twoWorkAtOnceEachWithItsOwnStore()
{
    Bench bench;
    const auto pool = bench.pool(2);
    std::atomic<int> met{0};
    for (int i = 0; i < 2; ++i)
        pool->run(
            [&](StoreWriter& store) {
                std::unique_lock lock(bench.mutex);
                bench.connections.insert(&store);
                ++bench.inside;
                bench.changed.notify_all();
                met +=
                    bench.changed.wait_for(lock, std::chrono::seconds(20), [&] { return bench.inside == 2; })
                    ? 1
                    : 0;
            },
            bench.counting());
    QVERIFY(bench.await([&] { return bench.done == 2; }));
    QCOMPARE(met.load(), 2);
    QCOMPARE(bench.connections.size(), std::size_t(2));
    QCOMPARE(bench.opened, 2);
}

void TestWorkPool::withoutAStoreTheCallerWorks()
{
    Bench bench;
    bench.refuses = true;
    const auto pool = bench.pool(2);
    pool->run(bench.noting(), bench.counting());
    pool->run(bench.noting(), bench.counting());
    QCOMPARE(bench.done, 2);
    QCOMPARE(bench.threads, std::set<std::thread::id>{std::this_thread::get_id()});
    QCOMPARE(bench.connections, std::set<const StoreWriter*>{bench.own.get()});
}

void TestWorkPool::endsWithWorkUnderWayAndWaiting()
{
    Bench bench;
    auto pool = bench.pool(1);
    bool finished = false;
    pool->run(
        [&](StoreWriter&) {
            std::unique_lock lock(bench.mutex);
            bench.inside = 1;
            bench.changed.notify_all();
            bench.changed.wait_for(lock, std::chrono::seconds(20), [&] { return bench.inside == 2; });
            finished = true;
        },
        bench.counting());
    QVERIFY(bench.await([&] { return bench.inside == 1; }));
    pool->run(bench.noting(), bench.counting());  // waits; dropped
    std::thread release([&] {
        const std::lock_guard lock(bench.mutex);
        bench.inside = 2;
        bench.changed.notify_all();
    });
    pool.reset();
    release.join();
    QVERIFY(finished);
    QVERIFY(bench.done <= 2);
    QCOMPARE(bench.threads.contains(std::this_thread::get_id()), false);
}

QTEST_APPLESS_MAIN(TestWorkPool)
#include "tst_work_pool.moc"
