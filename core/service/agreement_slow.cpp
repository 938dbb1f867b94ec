// Slowing a resource: by one person or, where the policy asks for it, by two. An act on the store.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/impl.h"
#include "core/service/staged.h"
#include "core/store/checks.h"

namespace cairn {

namespace {

constexpr std::uint8_t kBodyVersion = 1;

template<class F, class Row> void eachLimit(F& f, Row& row)
{
    f(row.backOffUntil);
    f(row.askedByServer);
    f(row.permitsPerSecond);
    f(row.slots);
    f(row.revision);
}

struct Put {
    WireWriter& out;
    void operator()(TimeMs v) { out.i64(v); }
    void operator()(bool v) { out.boolean(v); }
    void operator()(std::uint32_t v) { out.u32(v); }
    void operator()(std::uint64_t v) { out.u64(v); }
};
struct Get {
    WireReader& in;
    void operator()(TimeMs& v) { v = in.i64(); }
    void operator()(bool& v) { v = in.boolean(); }
    void operator()(std::uint32_t& v) { v = in.u32(); }
    void operator()(std::uint64_t& v) { v = in.u64(); }
};

// The act's body: the resource as it was seen, and as it is wanted. Its name is the act's target.
std::string bodyOf(const SlowChange& change)
{
    WireWriter out;
    out.u8(kBodyVersion);
    Put put{out};
    eachLimit(put, change.seen);
    eachLimit(put, change.wanted);
    return out.take();
}

std::string limitsJson(const ResourceRow& row)
{
    return "{\"per_second\":" + std::to_string(row.permitsPerSecond)
        + ",\"slots\":" + std::to_string(row.slots) + ",\"held_until\":"
        + (row.backOffUntil == kNoTime ? std::string("null") : jsonQuote(formatRfc3339(row.backOffUntil)))
        + "}";
}

}  // namespace

Result<SlowChange> slowOf(const StagedAct& act)
{
    WireReader in(act.body);
    SlowChange change;
    if (act.verb == Verb::Slow && in.u8() == kBodyVersion) {
        Get get{in};
        eachLimit(get, change.seen);
        eachLimit(get, change.wanted);
        change.seen.name = change.wanted.name = act.target;
        change.reason = act.reason;
        change.claimedName = act.claimed;
        if (!in.fail() && in.atEnd() && !act.target.empty())
            return change;
    }
    return makeError(ErrorKind::InvalidInput, "act " + toText(act.command) + " is damaged");
}

Result<SlowPreview> Agreements::previewSlow(const SlowChange& change)
{
    SlowPreview preview;
    CAIRN_TRY_ASSIGN(const auto present, m_impl->policyNow());
    CAIRN_TRY_ASSIGN(preview.needed, neededOnStore(*present, Verb::Slow, change.breakGlass));
    CAIRN_TRY_ASSIGN(const ResourceRow now, resourceNamed(m_impl->reader, change.wanted.name));
    if (now.permitsPerSecond != change.seen.permitsPerSecond || now.slots != change.seen.slots) {
        preview.rejection = Rejection{RejectCode::Stale, limitsMoved(now).text, std::nullopt};
        return preview;
    }
    CAIRN_TRY_ASSIGN(preview.rejection, refusedOnStore(*present, preview.needed, Verb::Slow, change.reason));
    return preview;
}

AuditRow Agreements::entryOf(const SlowChange& change)
{
    AuditRow row = entryOnStore(Verb::Slow, change.wanted.name, change.reason, change.claimedName);
    row.before = limitsJson(change.seen);
    row.after = limitsJson(change.wanted);
    return row;
}

// Limits that were changed in this moment are the store's to see. What has put calls off since it was seen
// stays there, be it a person's hold or the pace of a slow limit, which engines keep in the same place: an
// act that did not know of it does not lift it.
Outcome Agreements::slow(StoreWriter& store, const SlowChange& given)
{
    SlowChange change = given;
    change.reason = m_impl->masker({})->text(given.reason);
    auto before = answeredBefore(change.command, Verb::Slow, change.wanted.name);
    if (!before)
        return failedWith({}, std::move(before).error());
    if (*before)
        return **std::move(before);
    auto preview = previewSlow(change);
    if (!preview)
        return failedWith({}, std::move(preview).error());
    ActOnStore act{entryOf(change), bodyOf(change), change.seen.revision, change.breakGlass,
        [&](const AuditRow& entry) { return store.slowResource(change.wanted, change.seen, entry); }};
    act.entry.command =
        change.command.isNull() ? makeId<CommandId>(act.entry.time, m_impl->rng) : change.command;
    return doOnStore(std::move(act), std::move(preview->rejection), preview->needed);
}

Outcome Agreements::carryOutSlow(StoreWriter& store, const StagedAct& act)
{
    auto change = slowOf(act);
    if (!change)
        return failedWith({}, std::move(change).error());
    if (const Status confirmed = confirmedBySecond(act); !confirmed)
        return failedWith({}, confirmed.error());
    const auto present = m_impl->policyNow();
    if (!present)
        return failedWith({}, present.error());
    const auto needed = neededOnStore(**present, Verb::Slow, false);
    if (!needed)
        return failedWith({}, needed.error());
    if (const Status may = m_impl->secondOfNow(**present, *needed, act.stagedBy, act.confirmedBy); !may)
        return failedWith({}, may.error());
    return landedOnStore(
        store.slowResource(change->wanted, change->seen, entryOfConfirmed(entryOf(*change), act)));
}

}  // namespace cairn
