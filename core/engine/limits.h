#pragma once
// Permits of limited resources: leased from the store in slices and spent in memory (DESIGN 6). One thread.

#include "core/model/definition.h"
#include "core/store/store.h"

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

    // A new session holds nothing. Slots are leased for as long as `lease`.
    void reset(const SessionId& session, SpanMs lease);
    // Makes known what a definition limits. A row that is there already (an operator may have slowed it)
    // stays.
    [[nodiscard]] Status learn(const Definition& definition);
    // Starts that may be spent now; leases when there is none left.
    [[nodiscard]] std::uint32_t permits(std::string_view resource);
    void started(const std::string& resource);
    void ended(const std::string& resource);
    // Renews slots in use, gives back unused ones.
    void tick();
    void giveBack();

private:
    struct Slice {
        std::uint32_t slots = 0;  // granted for calls at one time; limited by them where `hasSlots`
        std::uint32_t active = 0;
        std::uint32_t rate = 0;  // starts left of this second
        bool hasSlots = false;
        bool hasRate = false;
        SpanMs rateUntil = 0;  // monotonic
        SpanMs slotsUntil = 0;
        SpanMs askedAt = -1'000;
    };
    void lease(const std::string& name, Slice& slice, std::uint32_t more);

    StoreWriter& m_store;
    const Clock& m_clock;
    SessionId m_session;
    SpanMs m_lease = 10'000;
    std::map<std::string, Slice, std::less<>> m_slices;
    std::map<std::string, ResourceRow, std::less<>> m_rows;
    SpanMs m_rowsAt = -1'000'000;
    std::map<std::string, SpanMs, std::less<>> m_slowest;  // rates below one a second: span between starts
    std::set<std::pair<std::string, std::uint32_t>> m_learned;
};

}  // namespace cairn
