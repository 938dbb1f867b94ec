#include "core/engine/limits.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kUnusedFor = 1'000;  // slots that nobody used for so long are given back
constexpr SpanMs kSlotsAgain = 500;   // after an answer that was less than wanted
constexpr SpanMs kRateAgain = 100;
constexpr SpanMs kAway = 200;       // a store that could not be reached is left alone for so long
constexpr SpanMs kRowsAge = 1'000;  // how long limits read from the store are believed
constexpr std::uint32_t kSliceSize = 8;
constexpr std::uint32_t kUnlimited = 0xFFFFFFFF;

}  // namespace

void Limits::reset(const SessionId& session, SpanMs lease, Definitions definitions)
{
    m_session = session;
    m_lease = lease;
    m_definitions = std::move(definitions);
    m_slices.clear();
    m_asked.clear();
    m_awayUntil = 0;
    m_untold = false;
}

void Limits::note(const Error& error)
{
    if (error.kind != ErrorKind::Disconnected)
        return;
    m_awayUntil = m_clock.monotonicMs() + kAway;
    m_away = error;
    m_untold = true;
}

Status Limits::learn(const Definition& definition)
{
    if (definition.limits.empty() || m_learned.contains({definition.ref.name, definition.ref.version}))
        return {};
    if (away())
        return m_away;
    const Status installed = install(definition);
    if (!installed)
        note(installed.error());
    return installed;
}

Status Limits::install(const Definition& definition)
{
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
        row.name = limit.resource;
        row.slots = limit.slots;
        row.permitsPerSecond = limit.rate == 0
            ? 0
            : static_cast<std::uint32_t>(std::max<std::int64_t>(1, limit.rate * 1'000LL / per));
        CAIRN_TRY(m_store.putResource(row));
    }
    m_learned.emplace(definition.ref.name, definition.ref.version);
    m_rowsAt = -1'000'000;
    // Calls that were under way before the limit was known are counted from here on, too.
    for (const LimitDef& limit : definition.limits) {
        Slice& slice = m_slices[limit.resource];
        slice.hasSlots = limit.slots > 0;
        slice.hasRate = limit.rate > 0;
        if (slice.hasSlots && slice.active > slice.slots)
            leaseSlots(limit.resource, slice, 0);
    }
    return {};
}

// Definitions that came into the store since the last look: their limits hold from the first start on.
void Limits::learnNew()
{
    if (!m_definitions)
        return;
    const auto rows = m_store.workflows(false);
    if (!rows)
        return note(rows.error());
    for (const WorkflowRow& row : *rows) {
        if (m_learned.contains({row.name, row.version}))
            continue;
        const auto definition = m_definitions(row.name, row.version);
        if (!definition)
            continue;  // it could not be read now
        if (const Status learned = learn(*definition); !learned)
            return;
        m_learned.emplace(row.name, row.version);
    }
}

void Limits::refresh(std::string_view resource)
{
    const SpanMs now = m_clock.monotonicMs();
    if (away() || (m_asked.contains(resource) && now - m_rowsAt <= kRowsAge))
        return;
    learnNew();
    if (away())
        return;
    auto rows = m_store.resources();
    if (!rows)
        return note(rows.error());
    m_rows.clear();
    for (ResourceRow& row : *rows)
        m_rows[row.name] = std::move(row);
    m_rowsAt = now;
    m_asked.emplace(resource);
}

std::uint32_t Limits::permits(std::string_view resource)
{
    refresh(resource);
    if (m_rowsAt < 0)
        return 0;  // what is limited could not be read yet
    const auto row = m_rows.find(resource);
    if (row == m_rows.end() || (row->second.slots == 0 && row->second.permitsPerSecond == 0))
        return kUnlimited;
    const std::string name(resource);
    const std::uint32_t perSecond = row->second.permitsPerSecond;
    Slice& slice = m_slices[name];
    slice.hasSlots = row->second.slots > 0;
    slice.hasRate = perSecond > 0;
    // No rate is spent while there is no slot for it.
    const std::uint32_t slots = slice.hasSlots ? slotsLeft(name, slice) : kUnlimited;
    return slots == 0 || !slice.hasRate ? slots : std::min(slots, rateLeft(name, slice, perSecond));
}

TimeMs Limits::backOffUntil(std::string_view resource) const
{
    const auto row = m_rows.find(resource);
    return row == m_rows.end() ? kNoTime : row->second.backOffUntil;
}

std::uint32_t Limits::slotsLeft(const std::string& name, Slice& slice)
{
    const SpanMs now = m_clock.monotonicMs();
    const auto left = [&] {
        return now < slice.slotsUntil && slice.slots > slice.active ? slice.slots - slice.active : 0;
    };
    if (left() == 0 && now >= slice.slotsAgainAt) {
        leaseSlots(name, slice, slice.next);
        slice.next = std::min(2 * slice.next, kSliceSize);
    }
    return left();
}

// The store counts what a session holds of slots anew at each call, so calls under way are part of what is
// asked for.
void Limits::leaseSlots(const std::string& name, Slice& slice, std::uint32_t more)
{
    if (away())
        return;
    const SpanMs now = m_clock.monotonicMs();
    slice.slotsAskedAt = now;
    const std::uint32_t want = slice.active + more;
    const auto storeNow = m_store.now();
    const auto got = storeNow ? m_store.leaseSlots(m_session, name, want, *storeNow, *storeNow + m_lease)
                              : Result<std::uint32_t>(storeNow.error());
    if (!got || *got < want)
        slice.slotsAgainAt = now + kSlotsAgain;
    if (!got)
        return note(got.error());
    slice.slots = *got;  // fewer than are in use where the limit was lowered: then none is left
    slice.mostActive = slice.active;
    slice.slotsUntil = now + m_lease;
}

std::uint32_t Limits::rateLeft(const std::string& name, Slice& slice, std::uint32_t perSecond)
{
    const SpanMs now = m_clock.monotonicMs();
    if (now < slice.rateUntil && slice.rate > 0)
        return slice.rate;
    slice.rate = 0;
    if (now < slice.rateAgainAt || away())
        return 0;
    const std::uint32_t want = m_slowest.contains(name) ? 1 : std::max(kSliceSize, perSecond / 10);
    const auto storeNow = m_store.now();
    const auto got = storeNow ? m_store.spendRate(m_session, name, want, *storeNow)
                              : Result<std::uint32_t>(storeNow.error());
    if (!got || *got < want)
        slice.rateAgainAt = now + kRateAgain;
    if (!got) {
        note(got.error());
        return 0;
    }
    slice.rate = *got;
    slice.rateUntil = now + kRateSpan;
    return slice.rate;
}

void Limits::started(const std::string& resource)
{
    if (resource.empty())
        return;
    Slice& slice = m_slices[resource];
    slice.mostActive = std::max(slice.mostActive, ++slice.active);
    if (slice.rate > 0)
        --slice.rate;
    if (const auto slow = m_slowest.find(resource); slow != m_slowest.end() && !away()) {
        // Less than one a second: the next start is put off in the store, for all engines.
        const auto now = m_store.now();
        if (!now)
            return note(now.error());
        if (const auto row = m_rows.find(resource); row != m_rows.end())
            row->second.backOffUntil = std::max(row->second.backOffUntil, *now + slow->second);
        if (const Status raised = m_store.raiseBackOff(resource, *now + slow->second, false); !raised)
            note(raised.error());
    }
}

void Limits::ended(const std::string& resource)
{
    const auto found = m_slices.find(resource);
    if (found != m_slices.end() && found->second.active > 0)
        --found->second.active;
}

Status Limits::tick()
{
    const SpanMs now = m_clock.monotonicMs();
    for (auto& [name, slice] : m_slices) {
        if (!slice.hasSlots)
            continue;
        if (away())
            break;
        const bool unused = slice.slots > slice.mostActive && now - slice.slotsAskedAt > kUnusedFor;
        if (unused)
            slice.next = 1;
        const bool renew = slice.active > 0 && slice.slotsUntil - now < m_lease / 2;
        if (unused && slice.mostActive == 0) {
            if (const Status returned = m_store.returnSlots(m_session, name); !returned)
                note(returned.error());
            slice.slots = 0;
            slice.slotsUntil = 0;
        } else if (unused || renew) {
            leaseSlots(name, slice, slice.mostActive - slice.active);
        }
    }
    return std::exchange(m_untold, false) ? Status(m_away) : Status();
}

void Limits::giveBack()
{
    for (auto& [name, slice] : m_slices)
        if (slice.slots > 0 && !away())
            if (const Status returned = m_store.returnSlots(m_session, name); !returned)
                note(returned.error());
    m_slices.clear();
}

}  // namespace cairn
