#pragma once
// Turns a function that reads a World (a connection and what stands on it) into a future that a JobThread
// finishes.

#include "ui/data/jobthread.h"
#include "ui/data/qtconvert.h"

#include <QPromise>

#include <memory>
#include <optional>
#include <utility>

namespace cairn::ui {

// World: default state plus `Status open()`, called on the thread before the first job and again after a
// failure.
template<typename World> class Jobs {
public:
    template<typename... Args> explicit Jobs(Args&&... args)
        : m_world(std::forward<Args>(args)...)
    {
    }
    ~Jobs() { m_thread.stop(); }

    [[nodiscard]] JobThread& thread() { return m_thread; }
    // Before the first request only: afterwards the world belongs to the thread.
    template<typename F> void onWorld(F f) { f(m_world); }

    // `work` gives Result<T>; T must be movable. slot: see JobThread.
    template<typename T, typename Work> QFuture<Reply<T>> ask(int slot, Work work, bool writes = false)
    {
        auto promise = std::make_shared<QPromise<Reply<T>>>();
        promise->start();
        QFuture<Reply<T>> future = promise->future();
        const auto finish = [promise](Reply<T> reply) {
            promise->addResult(std::move(reply));
            promise->finish();
        };
        m_thread.post({slot,
            [this, work = std::move(work), finish, writes] {
                if (const Status opened = open(); !opened)
                    return finish({std::nullopt, failureOf(opened.error(), writes)});
                Result<T> result = work(m_world);
                if (result)
                    finish({std::move(*result), {}});
                else
                    finish({std::nullopt, failureOf(result.error(), writes)});
            },
            [finish] {
                Failure dropped;
                dropped.cancelled = true;
                finish({std::nullopt, dropped});
            }});
        return future;
    }

private:
    Status open()
    {
        if (m_open)
            return {};
        const Status opened = m_world.open();
        m_open = opened.has_value();
        return opened;
    }

    World m_world;
    bool m_open = false;  // of the thread
    JobThread m_thread;   // last: it stops first
};

}  // namespace cairn::ui
