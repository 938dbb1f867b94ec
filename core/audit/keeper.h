#pragma once
// Makes checkpoints on a timer beside an engine, on a thread and a connection of its own.

#include "core/audit/checkpoint.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace cairn::audit {

struct KeeperOptions {
    StoreFactory openStore;
    std::string storeUrl;
    SpanMs every = 3'600'000;  // by the store's clock; engines that share a store make one between them
    SpanMs look = 5'000;       // how often it is asked whether one is due, by the host's clock
    std::string login{};       // who makes them, where the store knows no logins
    std::function<void(const Result<Checkpointed>&)> onDone{};  // on the thread, after each
};

// One makes checkpoints from its construction until it is stopped, and then a last one. What fails is logged
// and tried again at the next look.
class Keeper {
public:
    Keeper(KeeperOptions options, SigningKey key);
    ~Keeper();  // stops
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    // Blocks until the last checkpoint is made. Once; later calls do nothing.
    void stop();
    // Looks at once: for tests with a clock of their own.
    void lookNow();

private:
    void work(const std::stop_token& stop);
    void look(bool last);

    KeeperOptions m_options;
    SigningKey m_key;
    std::unique_ptr<StoreWriter> m_store;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_asked = false;
    std::jthread m_thread;
};

}  // namespace cairn::audit
