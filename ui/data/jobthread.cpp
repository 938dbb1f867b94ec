#include "ui/data/jobthread.h"

#include <utility>
#include <vector>

namespace cairn::ui {

JobThread::JobThread()
    : m_thread([this] { loop(); })
{
}
JobThread::~JobThread() { stop(); }

void JobThread::setInterrupt(std::function<void()> interrupt)
{
    const std::scoped_lock lock(m_mutex);
    m_interrupt = std::move(interrupt);
}

void JobThread::post(Job job)
{
    std::vector<Job> dropped;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_stopped) {
            dropped.push_back(std::move(job));
        } else {
            if (job.slot >= 0) {
                for (auto it = m_jobs.begin(); it != m_jobs.end();)
                    if (it->slot == job.slot) {
                        dropped.push_back(std::move(*it));
                        it = m_jobs.erase(it);
                    } else {
                        ++it;
                    }
                if (m_running && m_runningSlot == job.slot && m_interrupt)
                    m_interrupt();
            }
            m_jobs.push_back(std::move(job));
            m_wake.notify_one();
        }
    }
    for (const Job& one : dropped)
        one.drop();
}

void JobThread::stop()
{
    std::deque<Job> dropped;
    {
        const std::scoped_lock lock(m_mutex);
        m_stopped = true;
        dropped.swap(m_jobs);
        if (m_running && m_interrupt)
            m_interrupt();
        m_wake.notify_one();
    }
    for (const Job& one : dropped)
        one.drop();
    if (m_thread.joinable())
        m_thread.join();
}

void JobThread::loop()
{
    for (;;) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_stopped || !m_jobs.empty(); });
            if (m_jobs.empty())
                return;
            job = std::move(m_jobs.front());
            m_jobs.pop_front();
            m_running = true;
            m_runningSlot = job.slot;
        }
        job.run();
        const std::scoped_lock lock(m_mutex);
        m_running = false;
        m_runningSlot = -1;
    }
}

}  // namespace cairn::ui
