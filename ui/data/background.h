#pragma once
// Work that reads no store (an index, a search, a picture), done on a thread of the pool. The answer comes as
// a Reply to whenDone(). Inputs are taken by value; `stop` ends it early, and then nothing is answered.

#include "ui/data/source.h"

#include <QPromise>
#include <QThreadPool>

#include <atomic>
#include <memory>

namespace cairn::ui {

// Set by who has lost interest.
using StopFlag = std::shared_ptr<std::atomic_bool>;
[[nodiscard]] inline StopFlag makeStopFlag() { return std::make_shared<std::atomic_bool>(false); }

template<typename T, typename Work> QFuture<Reply<T>> inBackground(Work work)
{
    auto promise = std::make_shared<QPromise<Reply<T>>>();
    promise->start();
    QFuture<Reply<T>> future = promise->future();
    QThreadPool::globalInstance()->start([promise, work = std::move(work)] {
        promise->addResult(Reply<T>{work(), {}});
        promise->finish();
    });
    return future;
}

}  // namespace cairn::ui
