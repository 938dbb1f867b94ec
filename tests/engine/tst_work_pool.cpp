// The threads beside the engine's thread.

#include "core/engine/work_pool.h"
#include "core/store/memory/memory_store.h"
#include "tests/support/cairn_qtest.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace cairn;

namespace {

// What came back, and threads that are to meet. The caller's thread is the loop: what is posted waits for it.
struct Bench {
    ManualClock clock;
    std::shared_ptr<MemoryDatabase> db = makeMemoryDatabase({}, clock, 1);
    std::unique_ptr<StoreWriter> own = connectMemory(db);
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<WorkPool::Done> mail;
    int done = 0;  // of the caller's thread
    int inside = 0;
    std::set<std::thread::id> threads;
    std::set<const StoreWriter*> connections;
    std::set<std::thread::id> openers;
    int opened = 0;
    std::function<std::optional<Error>()> refuses;  // asked at each opening, on whichever thread

    std::unique_ptr<WorkPool> pool(unsigned threads_)
    {
        return makeThreadPool(threads_,
            {[this]() -> Result<std::unique_ptr<StoreWriter>> {
                 {
                     const std::lock_guard lock(mutex);
                     ++opened;
                     openers.insert(std::this_thread::get_id());
                     changed.notify_all();
                 }
                 if (auto problem = refuses ? refuses() : std::nullopt)
                     return *std::move(problem);
                 return connectMemory(db);
             },
                [this](WorkPool::Done after) {
                    const std::lock_guard lock(mutex);
                    mail.push_back(std::move(after));
                    changed.notify_all();
                },
                *own});
    }
    // Does what was posted, until the condition holds.
    template<typename F> bool await(F holds)
    {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        std::unique_lock lock(mutex);
        for (;;) {
            const auto posted = std::exchange(mail, {});
            lock.unlock();
            for (const WorkPool::Done& each : posted)
                each();
            lock.lock();
            if (holds())
                return true;
            if (mail.empty() && changed.wait_until(lock, until) == std::cv_status::timeout)
                return false;
        }
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
        return [this] { ++done; };
    }
};

}  // namespace

class TestWorkPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void worksBesideTheCallerAndTellsAfterwards();
    void twoWorkAtOnceEachWithItsOwnStore();
    void withoutAStoreTheCallerWorks();
    void aServerThatIsAwayKeepsNobody();
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
    bench.refuses = [] { return makeError(ErrorKind::Io, "no more files"); };
    const auto pool = bench.pool(2);
    pool->run(bench.noting(), bench.counting());
    pool->run(bench.noting(), bench.counting());
    QVERIFY(bench.await([&] { return bench.done == 2; }));
    QCOMPARE(bench.threads, std::set<std::thread::id>{std::this_thread::get_id()});
    QCOMPARE(bench.connections, std::set<const StoreWriter*>{bench.own.get()});
    QVERIFY(!bench.openers.contains(std::this_thread::get_id()));
}

// It is tried beside the caller's thread, for as long as that takes, and the work waits.
void TestWorkPool::aServerThatIsAwayKeepsNobody()
{
    Bench bench;
    bool answers = false;
    int refused = 0;
    bench.refuses = [&]() -> std::optional<Error> {
        std::unique_lock lock(bench.mutex);
        if (!bench.changed.wait_for(lock, std::chrono::seconds(20), [&] { return answers; }))
            return makeError(ErrorKind::Io, "the caller waits for its answer");
        if (++refused > 2)
            return std::nullopt;
        return makeError(ErrorKind::Disconnected, "nobody answers");
    };
    const auto pool = bench.pool(1);
    pool->run(bench.noting(), bench.counting());
    QVERIFY(bench.await([&] { return bench.opened == 1; }));
    QVERIFY(!bench.openers.contains(std::this_thread::get_id()));
    {
        const std::lock_guard lock(bench.mutex);
        answers = true;
        bench.changed.notify_all();
    }
    QVERIFY(bench.await([&] { return bench.done == 1; }));
    QCOMPARE(bench.opened, 3);
    QVERIFY(!bench.connections.contains(bench.own.get()));
    QVERIFY(!bench.threads.contains(std::this_thread::get_id()));
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
