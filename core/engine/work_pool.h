#pragma once
// Work that would hold up the engine's thread: hashing, checking and copying what is larger than a mebibyte.
// Done on a few threads with store connections of their own; what follows from it happens on the engine's
// thread.

#include "core/store/store.h"

#include <functional>
#include <memory>

namespace cairn {

class WorkPool {
public:
    // Must not touch anything of the engine's thread; the connection is this thread's for as long as it runs.
    using Work = std::function<void(StoreWriter&)>;
    using Done = std::function<void()>;
    virtual ~WorkPool() = default;
    // Never blocks for the work. `done` comes on the engine's thread, after the work; not at all once the
    // pool is gone.
    virtual void run(Work work, Done done) = 0;
};

struct WorkPoolSeams {
    using Open = std::function<Result<std::unique_ptr<StoreWriter>>()>;
    Open open;                                 // a connection; called on the threads of the pool, may block
    std::function<void(WorkPool::Done)> post;  // from any thread: has it called on the engine's thread
    StoreWriter& fallback;  // of the engine's thread: used there where no connection can be opened
};
// Where the store cannot be reached (Disconnected) work waits until it can be; any other error of `open` has
// the work done through `fallback`, as a posted call. Threads and connections are made when they are needed
// first. The destructor waits for work under way, and drops what was not begun.
[[nodiscard]] std::unique_ptr<WorkPool> makeThreadPool(unsigned threads, WorkPoolSeams seams);

}  // namespace cairn
