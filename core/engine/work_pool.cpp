#include "core/engine/work_pool.h"

#include "core/base/log.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace cairn {

namespace {

class ThreadPool final : public WorkPool {
public:
    ThreadPool(unsigned threads, WorkPoolSeams seams)
        : m_most(threads)
        , m_seams(std::move(seams))
    {
    }
    ~ThreadPool() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stopping = true;
            m_jobs.clear();
        }
        m_changed.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }
    void run(Work work, Done done) override
    {
        std::size_t waiting = 0;
        {
            const std::lock_guard lock(m_mutex);
            m_jobs.push_back({std::move(work), std::move(done)});
            waiting = m_jobs.size();
        }
        m_changed.notify_one();
        if (m_threads.size() < m_most && (m_threads.empty() || waiting > 1))
            addThread();
    }

private:
    struct Job {
        Work work;
        Done done;
    };

    void addThread()
    {
        auto store = m_seams.open();
        if (store) {
            m_threads.emplace_back(
                [this, connection = std::shared_ptr<StoreWriter>(std::move(*store))] { serve(*connection); });
            return;
        }
        log::warning("no_store_for_large_outputs", {{"text", store.error().text}});
        while (m_threads.empty() && takeOne(m_seams.fallback)) { }
    }
    void serve(StoreWriter& store)
    {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
                if (m_stopping)
                    return;
            }
            static_cast<void>(takeOne(store));
        }
    }
    bool takeOne(StoreWriter& store)
    {
        Job job;
        {
            const std::lock_guard lock(m_mutex);
            if (m_jobs.empty())
                return false;
            job = std::move(m_jobs.front());
            m_jobs.pop_front();
        }
        job.work(store);
        m_seams.post(std::move(job.done));
        return true;
    }

    const unsigned m_most;
    WorkPoolSeams m_seams;
    std::vector<std::thread> m_threads;  // of the engine's thread
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    bool m_stopping = false;
};

}  // namespace

std::unique_ptr<WorkPool> makeThreadPool(unsigned threads, WorkPoolSeams seams)
{
    return std::make_unique<ThreadPool>(threads, std::move(seams));
}

}  // namespace cairn
