#pragma once
// One thread that runs jobs in order. A job may have a slot: a later job of the same slot takes its place
// while it waits, and interrupts it while it runs. Stopping runs nothing more: waiting jobs are dropped, the
// running one is interrupted.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cairn::ui {

class JobThread {
public:
    struct Job {
        int slot = -1;               // -1: never superseded
        std::function<void()> run;   // on the thread
        std::function<void()> drop;  // on any thread, instead of run
    };

    JobThread();
    ~JobThread();
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    void post(Job job);
    void stop();  // joins; later jobs are dropped at once
    // Called from any thread to make the running job end early; set from the jobs' thread, or before the
    // first job.
    void setInterrupt(std::function<void()> interrupt);

private:
    void loop();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Job> m_jobs;
    std::function<void()> m_interrupt;
    int m_runningSlot = -1;
    bool m_running = false;
    bool m_stopped = false;
    std::thread m_thread;  // last: it uses what stands above
};

}  // namespace cairn::ui
