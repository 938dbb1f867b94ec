#include "core/engine/work_pool.h"

#include "core/base/log.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace cairn {

namespace {

constexpr std::chrono::milliseconds kFirstPause{200};  // before a server that is away is tried again
constexpr std::chrono::milliseconds kLongestPause{5'000};

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
        bool waits = false;
        {
            const std::lock_guard lock(m_mutex);
            m_jobs.push_back({std::move(work), std::move(done)});
            waits = m_jobs.size() > m_idle;
        }
        m_changed.notify_one();
        if (waits && m_threads.size() < m_most)
            m_threads.emplace_back([this] { serve(); });
    }

private:
    struct Job {
        Work work;
        Done done;
    };

    // The connection is opened here and not by who asked for the work: a server that is away is tried for
    // seconds.
    void serve()
    {
        std::unique_ptr<StoreWriter> store;
        for (std::chrono::milliseconds pause = kFirstPause;;) {
            {
                std::unique_lock lock(m_mutex);
                ++m_idle;
                m_changed.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
                --m_idle;
                if (m_stopping)
                    return;
            }
            if (store) {
                takeOne(*store);
                continue;
            }
            auto opened = m_seams.open();
            if (opened) {
                store = *std::move(opened);
                continue;
            }
            log::warning("no_store_for_large_outputs", {{"text", opened.error().text}});
            if (opened.error().kind != ErrorKind::Disconnected) {
                giveBack();
                continue;
            }
            std::unique_lock lock(m_mutex);
            if (m_changed.wait_for(lock, pause, [this] { return m_stopping; }))
                return;
            pause = std::min(2 * pause, kLongestPause);
        }
    }
    // What no connection can be had for is done through the engine's own, on its thread.
    void giveBack()
    {
        if (auto job = next())
            m_seams.post([this, job = std::make_shared<Job>(*std::move(job))] {
                job->work(m_seams.fallback);
                job->done();
            });
    }
    void takeOne(StoreWriter& store)
    {
        auto job = next();
        if (!job)
            return;
        job->work(store);
        m_seams.post(std::move(job->done));
    }
    std::optional<Job> next()
    {
        const std::lock_guard lock(m_mutex);
        if (m_jobs.empty())
            return std::nullopt;
        Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        return job;
    }

    const unsigned m_most;
    WorkPoolSeams m_seams;
    std::vector<std::thread> m_threads;  // of the engine's thread
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    std::size_t m_idle = 0;  // threads that wait for a job
    bool m_stopping = false;
};

}  // namespace

std::unique_ptr<WorkPool> makeThreadPool(unsigned threads, WorkPoolSeams seams)
{
    return std::make_unique<ThreadPool>(threads, std::move(seams));
}

}  // namespace cairn
