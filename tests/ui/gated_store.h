#pragma once
// A store behind a gate: each call waits until the test opens it, or fails while the store is dead. A call on
// the window's thread is counted and refused at once: it would stand still with the window.

#include "core/store/hooked_store.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cairn::ui::test {

class StoreGate {
public:
    void close() { set(State::Closed); }
    void open() { set(State::Open); }
    void kill() { set(State::Dead); }

    // Of the window's thread, which is the one that made this.
    [[nodiscard]] int callsOnWindow() const { return m_onWindow; }
    [[nodiscard]] int callsBeside() const { return m_beside; }  // the watch does see something
    [[nodiscard]] int waiting() const { return m_waiting; }     // held back now

    std::optional<Error> pass()
    {
        if (std::this_thread::get_id() == m_window) {
            ++m_onWindow;
            return makeError(ErrorKind::Internal, "the window's thread asked the store");
        }
        ++m_beside;
        std::unique_lock lock(m_mutex);
        ++m_waiting;
        m_changed.wait(lock, [this] { return m_state != State::Closed; });
        --m_waiting;
        if (m_state == State::Dead)
            return makeError(ErrorKind::Disconnected, "the store is gone");
        return std::nullopt;
    }

private:
    enum class State : std::uint8_t { Open, Closed, Dead };

    void set(State state)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_state = state;
        }
        m_changed.notify_all();
    }

    const std::thread::id m_window = std::this_thread::get_id();
    std::atomic<int> m_onWindow = 0;
    std::atomic<int> m_beside = 0;
    std::atomic<int> m_waiting = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    State m_state = State::Open;
};

// HookedStore asks before most calls; the others that the console makes are asked about here.
class GatedStore final : public HookedStore {
public:
    GatedStore(std::unique_ptr<StoreWriter> store, std::shared_ptr<StoreGate> gate)
        : HookedStore(std::move(store),
            {[gate](const char*, Access) { return gate->pass(); },
                [](const char*, Access) { return std::optional<Error>(); }})
        , m_gate(std::move(gate))
    {
    }
    Result<std::uint64_t> count(const ListFilter& filter) override
    {
        return gated([&] { return m_store->count(filter); });
    }
    Result<std::vector<CountRow>> counts(const ListFilter& filter) override
    {
        return gated([&] { return m_store->counts(filter); });
    }
    Result<SituationList> situations(const ListFilter& filter, std::size_t limit) override
    {
        return gated([&] { return m_store->situations(filter, limit); });
    }
    Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width) override
    {
        return gated([&] { return m_store->situationNext(filter, situation, from, width); });
    }
    Result<std::vector<SituationPart>> situationParts(
        const ListFilter& filter, const std::string& situation) override
    {
        return gated([&] { return m_store->situationParts(filter, situation); });
    }
    Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width) override
    {
        return gated([&] { return m_store->situationStarts(filter, situations, from, width); });
    }
    Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit) override
    {
        return gated([&] { return m_store->changesSince(cursor, limit); });
    }
    Result<std::vector<StepRow>> steps(const RunId& run) override
    {
        return gated([&] { return m_store->steps(run); });
    }
    Result<std::vector<AttemptRow>> attempts(const RunId& run, StepIx step) override
    {
        return gated([&] { return m_store->attempts(run, step); });
    }
    Result<std::vector<ApprovalRow>> approvals(const RunId& run) override
    {
        return gated([&] { return m_store->approvals(run); });
    }
    Result<std::vector<RunId>> children(const RunId& run) override
    {
        return gated([&] { return m_store->children(run); });
    }
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override
    {
        return gated([&] { return m_store->audit(after, limit); });
    }
    Result<std::vector<AuditRow>> auditOfRun(const RunId& run) override
    {
        return gated([&] { return m_store->auditOfRun(run); });
    }
    cairn::Result<std::vector<cairn::AuditDay>> auditDays(std::uint64_t after, std::uint64_t upTo) override
    {
        return gated([&] { return m_store->auditDays(after, upTo); });
    }
    Status auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page) override
    {
        return gated([&] { return m_store->auditPage(after, limit, page); });
    }
    Result<AuditEnd> auditEnd() override
    {
        return gated([&] { return m_store->auditEnd(); });
    }

private:
    template<typename Call> auto gated(Call call) -> decltype(call())
    {
        if (auto error = m_gate->pass())
            return *std::move(error);
        return call();
    }

    std::shared_ptr<StoreGate> m_gate;
};

}  // namespace cairn::ui::test
