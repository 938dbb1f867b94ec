#include "tests/sim/gate.h"

#include "tests/sim/checker.h"

namespace cairn::sim {

namespace {

// One in so many calls.
struct Rates {
    std::uint64_t kill, pause, busy, io, down, lost;
};
constexpr Rates kRead{2'500, 2'500, 1'200, 3'000, 3'000, 0};
constexpr Rates kWrite{700, 900, 400, 1'500, 1'500, 500};
constexpr Rates kCommit{150, 200, 120, 400, 300, 70};
constexpr std::uint64_t kLostClaim = 250;

const Rates& ratesOf(Access access)
{
    return access == Access::Read ? kRead : access == Access::Write ? kWrite : kCommit;
}

}  // namespace

void Gate::die(const char* where, const char* what)
{
    m_world.fault(
        std::string("killed ") + where + (std::string_view(what) == "commit" ? " a commit" : " a call"));
    m_world.trace(m_name + " is killed " + where + " " + what);
    m_dead = true;
    throw Killed{};
}

// The process stands still inside the call, mostly for longer than any lease, while all others go on.
void Gate::pause(const char* where, const char* what)
{
    if (m_world.paused >= 2 || !m_world.elsewhere)
        return;
    const SpanMs span = m_world.rng.below(4) == 0 ? m_world.upTo(5'000) : 10'000 + m_world.upTo(20'000);
    m_world.fault(
        std::string("paused ") + where + (std::string_view(what) == "commit" ? " a commit" : " a call"));
    m_world.trace(m_name + " is paused " + where + " " + what + " for " + std::to_string(span) + " ms");
    ++m_world.paused;
    m_world.elsewhere(span);
    --m_world.paused;
    m_world.trace(m_name + " goes on");
    if (m_dead)
        throw Killed{};
}

std::optional<Error> Gate::linkDown(const char* what)
{
    if (m_world.now() >= m_downUntil)
        return std::nullopt;
    m_world.trace(m_name + ": no link for " + what);
    return makeError(ErrorKind::Disconnected, "the link is down");
}

std::optional<Error> Gate::before(const char* what, Access access)
{
    if (m_dead)
        throw Killed{};
    if (!m_world.faults) {
        m_downUntil = 0;
        return std::nullopt;
    }
    const Rates& rates = ratesOf(access);
    if (m_world.chance(rates.kill))
        die("before", what);
    if (m_world.chance(rates.pause))
        pause("before", what);
    if (auto error = linkDown(what))
        return error;
    if (m_world.chance(rates.down)) {
        m_world.fault("the link to the store breaks");
        m_downUntil = m_world.now() + m_world.upTo(6'000);
        return makeError(ErrorKind::Disconnected, "the link broke");
    }
    if (access != Access::Read && m_world.now() < m_world.fullUntil)
        return makeError(ErrorKind::Full, "the store is full");
    if (m_world.chance(rates.busy)) {
        m_world.fault("the store is busy");
        return makeError(ErrorKind::Busy, "busy");
    }
    if (m_world.chance(rates.io)) {
        m_world.fault("the store cannot read or write");
        return makeError(ErrorKind::Io, "input/output error");
    }
    return std::nullopt;
}

std::optional<Error> Gate::after(const char* what, Access access)
{
    if (!m_world.faults || access == Access::Read)
        return std::nullopt;
    const Rates& rates = ratesOf(access);
    if (m_world.chance(rates.kill))
        die("after", what);
    if (m_world.chance(rates.pause))
        pause("after", what);
    // A lost answer to a claim is rare among writes, and most claims give nothing.
    const std::uint64_t lost = std::string_view(what) == "claim" ? kLostClaim : rates.lost;
    if (m_world.chance(lost)) {
        m_world.fault(
            access == Access::Commit ? "the answer to a commit is lost" : "the answer to a write is lost");
        m_world.trace(m_name + ": the answer to " + what + " is lost");
        if (m_world.rng.below(2) == 0)
            m_downUntil = m_world.now() + m_world.upTo(6'000);
        return makeError(ErrorKind::OutcomeUnknown, "the answer is lost");
    }
    return std::nullopt;
}

namespace {

// One connection: the checker sees each commit before and after.
class GatedStore final : public testing::HookedStore {
public:
    explicit GatedStore(Gate& gate)
        : HookedStore(connectMemory(gate.world().database),
            {[this](const char* what, Access access) { return refused(what, access); },
                [this](const char* what, Access access) { return unanswered(what, access); }})
        , m_gate(gate)
    {
    }
    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override
    {
        m_members = members;
        m_results = &results;
        return HookedStore::commit(members, results);
    }
    // A lease that was answered for runs from when it was asked for, however long the answer took.
    Status openSession(const SessionRow& session) override
    {
        const SpanMs from = m_gate.world().now();
        Status opened = HookedStore::openSession(session);
        if (opened)
            m_gate.world().checker->leased(session.id, from + session.leaseUntil - session.heartbeatAt);
        return opened;
    }
    Result<bool> heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil) override
    {
        const SpanMs from = m_gate.world().now();
        auto alive = HookedStore::heartbeat(session, at, leaseUntil);
        if (alive && *alive)
            m_gate.world().checker->leased(session, from + leaseUntil - at);
        return alive;
    }

private:
    // After an I/O error nothing more is written through this connection, as a store must do after a failed
    // sync.
    std::optional<Error> refused(const char* what, Access access)
    {
        if (m_poisoned && access != Access::Read && !m_gate.dead())
            return makeError(ErrorKind::Io, "an earlier write of this connection failed");
        auto error = m_gate.before(what, access);
        m_poisoned = m_poisoned || (error && error->kind == ErrorKind::Io);
        if (access == Access::Commit && !error)
            for (const CommitMember& member : m_members)
                m_gate.world().checker->committing(member);
        return error;
    }
    std::optional<Error> unanswered(const char* what, Access access)
    {
        if (access == Access::Commit)
            for (std::size_t i = 0; i < m_results->size(); ++i)
                m_gate.world().checker->committed(m_gate.name(), m_members[i], (*m_results)[i]);
        auto error = m_gate.after(what, access);
        if (error && m_gate.world().rng.below(3) == 0) {
            m_gate.world().fault("a sync fails");
            m_poisoned = true;
        }
        return error;
    }

    Gate& m_gate;
    std::span<const CommitMember> m_members;
    std::vector<MemberResult>* m_results = nullptr;
    bool m_poisoned = false;
};

}  // namespace

std::unique_ptr<StoreWriter> connectThrough(Gate& gate) { return std::make_unique<GatedStore>(gate); }

}  // namespace cairn::sim
