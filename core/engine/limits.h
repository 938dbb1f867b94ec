#pragma once
// Permits of limited resources: leased from the store in slices and spent in memory (DESIGN 6). Slots (calls
// under way at one time) and rate (starts in a second) are two things: each is leased and runs out by itself.
// One thread.

#include "core/model/definition.h"
#include "core/store/store.h"

#include <functional>
#include <map>
#include <set>

namespace cairn {

class Limits {
public:
    Limits(StoreWriter& store, const Clock& clock)
        : m_store(store)
        , m_clock(clock)
    {
    }

    // Gives a definition of the store, or null; asked for those whose limits are not known yet.
    using Definitions =
        std::function<std::shared_ptr<const Definition>(const std::string& name, std::uint32_t)>;
    // A new session holds nothing. Slots are leased for as long as `lease`.
    void reset(const SessionId& session, SpanMs lease, Definitions definitions);
    // Makes known what a definition limits. A row that is there already (an operator may have slowed it)
    // stays.
    [[nodiscard]] Status learn(const Definition& definition);
    // Until when the resource asked to be left alone, as last read; kNoTime: it did not.
    [[nodiscard]] TimeMs backOffUntil(std::string_view resource) const;
    // Starts that may be spent now; leases when there is none left.
    [[nodiscard]] std::uint32_t permits(std::string_view resource);
    void started(const std::string& resource);
    void ended(const std::string& resource);
    // Renews slots in use, gives back unused ones. Disconnected: it, or a call since the last tick(), could
    // not reach the store; nothing is asked then for 200 ms, for each call to it may block for seconds.
    Status tick();
    void giveBack();

private:
    struct Slice {
        std::uint32_t active = 0;
        std::uint32_t mostActive = 0;  // since slots were asked for last: what is more than that goes back
        bool hasSlots = false;
        std::uint32_t slots = 0;  // granted for calls at one time
        SpanMs slotsUntil = 0;    // monotonic, as all here
        SpanMs slotsAskedAt = 0;
        SpanMs slotsAgainAt = 0;  // not asked for more before
        std::uint32_t next = 1;   // asked for beside those in use; doubled each time
        bool hasRate = false;
        std::uint32_t rate = 0;  // starts left of this second
        SpanMs rateUntil = 0;
        SpanMs rateAgainAt = 0;
    };
    void refresh(std::string_view resource);
    void learnNew();
    [[nodiscard]] bool away() const { return m_clock.monotonicMs() < m_awayUntil; }
    void note(const Error& error);
    [[nodiscard]] Status install(const Definition& definition);
    [[nodiscard]] std::uint32_t slotsLeft(const std::string& name, Slice& slice);
    [[nodiscard]] std::uint32_t rateLeft(const std::string& name, Slice& slice, std::uint32_t perSecond);
    void leaseSlots(const std::string& name, Slice& slice, std::uint32_t more);

    StoreWriter& m_store;
    const Clock& m_clock;
    SessionId m_session;
    SpanMs m_lease = 10'000;
    Definitions m_definitions;
    std::map<std::string, Slice, std::less<>> m_slices;
    std::map<std::string, ResourceRow, std::less<>> m_rows;
    std::set<std::string, std::less<>> m_asked;  // resources that were looked for since m_rows was read first
    SpanMs m_rowsAt = -1'000'000;
    SpanMs m_awayUntil = 0;
    Error m_away;                                          // why
    bool m_untold = false;                                 // by tick()
    std::map<std::string, SpanMs, std::less<>> m_slowest;  // rates below one a second: span between starts
    std::set<std::pair<std::string, std::uint32_t>> m_learned;
};

}  // namespace cairn
