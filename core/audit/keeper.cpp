#include "core/audit/keeper.h"

#include "core/base/log.h"

#include <chrono>

namespace cairn::audit {

Keeper::Keeper(KeeperOptions options, SigningKey key)
    : m_options(std::move(options))
    , m_key(std::move(key))
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
}

Keeper::~Keeper() { stop(); }

void Keeper::stop()
{
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void Keeper::lookNow()
{
    const std::lock_guard lock(m_mutex);
    m_asked = true;
    m_wake.notify_all();
}

void Keeper::work(const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        look(false);
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, std::chrono::milliseconds(m_options.look), [this] { return m_asked; });
        m_asked = false;
    }
    look(true);
}

// A connection that failed is made anew, so that a store which was away for a while is found again.
void Keeper::look(bool last)
{
    const auto attempt = [&]() -> Result<std::optional<Checkpointed>> {
        if (!m_store) {
            CAIRN_TRY_ASSIGN(m_store, m_options.openStore(m_options.storeUrl, {}));
        }
        CAIRN_TRY_ASSIGN(const bool due, checkpointDue(*m_store, last ? 0 : m_options.every));
        if (!due)
            return std::optional<Checkpointed>();
        CAIRN_TRY_ASSIGN(auto made, makeCheckpoint(*m_store, m_key, m_options.login));
        return std::optional(std::move(made));
    };
    auto done = attempt();
    if (!done) {
        log::error("checkpoint_failed", {{"store", m_options.storeUrl}, {"error", done.error().text}});
        m_store.reset();
    }
    if (m_options.onDone && !done)
        m_options.onDone(done.error());
    else if (m_options.onDone && *done)
        m_options.onDone(**done);
}

}  // namespace cairn::audit
