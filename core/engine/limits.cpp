#include "core/engine/limits.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kRateSlice = 1'000;
constexpr SpanMs kAskAgain = 100;  // after an empty answer
constexpr SpanMs kRowsAge = 1'000;  // how long limits read from the store are believed
constexpr std::uint32_t kSliceSize = 8;
constexpr std::uint32_t kUnlimited = 0xFFFFFFFF;

}  // namespace

void Limits::reset(const SessionId& session, SpanMs lease)
{
    m_session = session;
    m_lease = lease;
    m_slices.clear();
}

Status Limits::learn(const Definition& definition)
{
    if (definition.limits.empty() || !m_learned.emplace(definition.ref.name, definition.ref.version).second)
        return {};
    CAIRN_TRY_ASSIGN(const auto rows, m_store.resources());
    for (const LimitDef& limit : definition.limits) {
        const SpanMs per = std::max<SpanMs>(limit.per, 1);
        if (limit.rate > 0 && limit.rate * 1'000LL < per)
            m_slowest[limit.resource] = per / limit.rate;
        const bool known = std::any_of(rows.begin(), rows.end(), [&](const ResourceRow& row) {
            return row.name == limit.resource && row.revision > 0
                && (row.slots > 0 || row.permitsPerSecond > 0);
        });
        if (known)
            continue;
        ResourceRow row;
        for (const ResourceRow& there : rows)
            if (there.name == limit.resource)
                row = there;  // keeps its back-off
        row.name = limit.resource;
        row.slots = limit.slots;
        row.permitsPerSecond = limit.rate == 0
            ? 0
            : static_cast<std::uint32_t>(std::max<std::int64_t>(1, limit.rate * 1'000LL / per));
        CAIRN_TRY(m_store.putResource(row));
    }
    m_rowsAt = -1'000'000;
    // The start that made the limit known is counted from here on, too.
    for (const LimitDef& limit : definition.limits) {
        Slice& slice = m_slices[limit.resource];
        slice.hasSlots = limit.slots > 0;
        slice.hasRate = limit.rate > 0;
        if (slice.hasSlots && slice.active > slice.slots)
            lease(limit.resource, slice, 0);
    }
    return {};
}

std::uint32_t Limits::permits(std::string_view resource)
{
    const SpanMs now = m_clock.monotonicMs();
    if (now - m_rowsAt > kRowsAge) {
        if (auto rows = m_store.resources()) {
            m_rows.clear();
            for (ResourceRow& row : *rows)
                m_rows[row.name] = std::move(row);
            m_rowsAt = now;
        }
    }
    const auto row = m_rows.find(resource);
    if (row == m_rows.end() || (row->second.slots == 0 && row->second.permitsPerSecond == 0))
        return kUnlimited;
    const std::string name(resource);
    Slice& slice = m_slices[name];
    slice.hasSlots = row->second.slots > 0;
    slice.hasRate = row->second.permitsPerSecond > 0;
    const auto left = [&] {
        std::uint32_t permits = kUnlimited;
        if (slice.hasSlots)
            permits = now < slice.slotsUntil && slice.slots > slice.active ? slice.slots - slice.active : 0;
        if (slice.hasRate)
            permits = std::min(permits, now < slice.rateUntil ? slice.rate : 0);
        return permits;
    };
    if (left() == 0 && now - slice.askedAt >= kAskAgain)
        lease(name, slice, m_slowest.contains(name) ? 1 : kSliceSize);
    return left();
}

// The store counts what a session holds of slots anew at each call, so calls under way are part of what is
// asked for.
void Limits::lease(const std::string& name, Slice& slice, std::uint32_t more)
{
    const SpanMs now = m_clock.monotonicMs();
    slice.askedAt = now;
    const auto storeNow = m_store.now();
    if (!storeNow)
        return;
    const std::uint32_t want = slice.hasSlots ? slice.active + more : more;
    const SpanMs span = slice.hasSlots ? m_lease : kRateSlice;
    const auto got = m_store.leaseSlice(m_session, name, want, *storeNow, *storeNow + span);
    if (!got)
        return;
    if (slice.hasSlots) {
        slice.slots = std::max(*got, slice.active);
        slice.slotsUntil = now + span;
    }
    if (slice.hasRate) {
        slice.rate = *got;
        slice.rateUntil = now + kRateSlice;
    }
}

void Limits::started(const std::string& resource)
{
    if (resource.empty())
        return;
    Slice& slice = m_slices[resource];
    ++slice.active;
    if (slice.rate > 0)
        --slice.rate;
    if (const auto slow = m_slowest.find(resource); slow != m_slowest.end()) {
        // Less than one a second: the next start is put off in the store, for all engines.
        const auto row = m_rows.find(resource);
        const auto now = m_store.now();
        if (row == m_rows.end() || !now)
            return;
        row->second.backOffUntil = std::max(row->second.backOffUntil, *now + slow->second);
        static_cast<void>(m_store.putResource(row->second));
    }
}

void Limits::ended(const std::string& resource)
{
    const auto found = m_slices.find(resource);
    if (found != m_slices.end() && found->second.active > 0)
        --found->second.active;
}

void Limits::tick()
{
    const SpanMs now = m_clock.monotonicMs();
    for (auto& [name, slice] : m_slices) {
        if (!slice.hasSlots || slice.slots == 0)
            continue;
        if (slice.active == 0 && now - slice.askedAt > kRateSlice) {
            static_cast<void>(m_store.returnSlice(m_session, name));
            slice.slots = 0;
            slice.slotsUntil = 0;
        } else if (slice.active > 0 && slice.slotsUntil - now < m_lease / 2) {
            lease(name, slice, 0);
        }
    }
}

void Limits::giveBack()
{
    for (auto& [name, slice] : m_slices)
        if (slice.slots > 0)
            static_cast<void>(m_store.returnSlice(m_session, name));
    m_slices.clear();
}

}  // namespace cairn
