// What comes back from the commit queue: landed, lost races, errors.

#include "core/base/log.h"
#include "core/service/impl.h"
#include "core/service/work.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr int kMaxUnknown = 3;
constexpr int kMaxTries = 64;  // lost races of one submission before it gives up

}  // namespace

void Service::Impl::giveBack(const Item& item)
{
    startsInFlight -= std::min(startsInFlight, item.starts);
    for (const auto& [name, count] : item.permits) {
        auto& used = permitsInFlight[name];
        used -= std::min(used, count);
    }
}

void Service::Impl::arrived(const RunId& run, const ItemPtr& item, Result<MemberResult> result)
{
    ++depth;
    Slot& slot = slotOf(run);
    --slot.outstanding;
    giveBack(*item);
    // A member that failed by itself in a broken chain was decided on what is not there: it is decided again.
    if (result && result->kind == MemberResult::Kind::Failed
        && (!slot.broken || result->error.kind == ErrorKind::OutcomeUnknown))
        result = std::move(result->error);
    const bool unknown = !result && result.error().kind == ErrorKind::OutcomeUnknown;
    item->unclear = item->unclear || unknown;
    const bool landed = result
        && (result->kind == MemberResult::Kind::Committed || result->kind == MemberResult::Kind::Duplicate);
    if (unknown || landed)
        item->callersId = true;  // whenever it is decided again, the store is asked by its command id
    if (unknown && ++item->tries < kMaxUnknown) {
        breakChain(slot);
    } else if (!result) {
        failed(slot, item, failedWith(run, std::move(result).error()));
    } else if (slot.broken && result->kind == MemberResult::Kind::Committed
        && item->entry.version == slot.confirmed.version + 1) {
        committed(slot, item, *result);  // what broke the chain came after it
    } else if (!slot.broken) {           // else its chain is decided again as a whole
        switch (result->kind) {
        case MemberResult::Kind::Committed: committed(slot, item, *result); break;
        case MemberResult::Kind::Duplicate: duplicate(slot, item, *result); break;
        case MemberResult::Kind::Failed: break;
        case MemberResult::Kind::KeyTaken: taken(slot, item, result->other); break;
        case MemberResult::Kind::Stale:
        case MemberResult::Kind::LedgerMoved:
            if (++item->tries >= kMaxTries)
                failed(slot, item,
                    failedWith(run,
                        makeError(ErrorKind::Busy,
                            "run " + toText(run)
                                + " is being changed by "
                                  "others all the time; nothing was done: try again")));
            else
                breakChain(slot);
            break;
        }
    }
    if (slot.broken && slot.outstanding == 0)
        rebuild(slot);
    else if (slot.reloadWanted && slot.outstanding == 0)
        rebuild(slot);
    maybeIdle.push_back(run);
    --depth;
}

void Service::Impl::committed(Slot& slot, const ItemPtr& item, const MemberResult& result)
{
    std::erase(slot.chain, item);
    std::erase(slot.waiting, item);  // of a broken chain
    apply(slot.confirmed, item->entry);
    slot.confirmed.head = item->hash;
    slot.confirmed.format = std::max(slot.confirmed.format, item->format);
    seen(slot);
    capacity.attempts -= std::min(capacity.attempts, item->starts);
    for (const PayloadId& id : payloadsOf(item->entry))
        if (const auto fresh = slot.fresh.find(id); fresh != slot.fresh.end()) {
            if (fresh->second.copyOf.isNull())
                cache.put(id, fresh->second.bytes.share());
            slot.fresh.erase(fresh);
        }
    const bool wasOwned = slot.owned;
    if (item->owner == OwnerChange::Take) {
        slot.owned = true;
        slot.owner = config.session;
        slot.epoch = 1;  // a run that is taken by the commit that creates it
    } else if (item->owner == OwnerChange::Release) {
        slot.owned = false;
        slot.releasing = false;
        slot.owner = {};
    } else if (item->owner == OwnerChange::Drop && !slot.owner.isNull()) {
        slot.owner = {};
        ++slot.epoch;
    }
    if ((wasOwned || slot.owned) && observer)
        observer(slot.confirmed, item->entry);
    if (wasOwned && !slot.owned && disowned)
        disowned(slot.run, false);
    Outcome outcome;
    outcome.run = slot.run;
    outcome.kind = Outcome::Kind::Committed;
    outcome.glass = item->glass;
    outcome.version = result.version;
    outcome.entry = std::move(item->entry);  // nothing asks for it any more
    outcome.auditSeq = result.auditSeq;
    outcome.ownerElsewhere = result.ownerElsewhere;
    if (item->late) {  // the evidence is kept; the submission itself was refused
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = *item->late;
    }
    auditRefusal(item, std::move(outcome));
    releaseHeld(slot);
}

// The command id is there already. Where that is this very entry, its first answer was lost on the way.
void Service::Impl::duplicate(Slot& slot, const ItemPtr& item, const MemberResult& result)
{
    auto loaded = reader.loadRun(slot.run, result.version, result.version);
    if (loaded && loaded->entries.size() != 1) {
        failed(slot, item,
            failedWith(slot.run, makeError(ErrorKind::Corrupt, "the run lacks an entry that it had")));
        return;
    }
    if (!loaded) {
        failed(slot, item, repeated(slot.run, result.version));
        return;
    }
    if (loaded->entries.front().hash == item->hash && slot.confirmed.version + 1 == result.version) {
        MemberResult own = result;
        own.kind = MemberResult::Kind::Committed;
        committed(slot, item, own);
        return;
    }
    failed(slot, item, repeated(slot.run, result.version));
}

void Service::Impl::taken(Slot& slot, const ItemPtr& item, const RunId& other)
{
    const RunRow& mine = item->identity;
    auto row = reader.findKey(mine.workflow.name, mine.key);
    if (!row)
        failed(slot, item, failedWith(slot.run, std::move(row).error()));
    else if (!*row)
        failed(slot, item,
            failedWith(slot.run,
                makeError(ErrorKind::Internal,
                    "the key belongs to run " + toText(other) + ", which is not there")));
    else
        failed(slot, item, keyTaken(*item, **row));
}

// Answered without a commit; whatever was decided on top of it is decided again.
void Service::Impl::failed(Slot& slot, const ItemPtr& item, Outcome outcome)
{
    std::erase(slot.chain, item);
    std::erase(slot.waiting, item);
    slot.parkFailed = slot.parkFailed || std::holds_alternative<cmd::Park>(item->submission.command.body);
    breakChain(slot);
    auditRefusal(item, std::move(outcome));
}

void Service::Impl::releaseHeld(Slot& slot)
{
    while (!slot.broken && !slot.chain.empty() && slot.chain.front()->held) {
        const ItemPtr item = slot.chain.front();
        slot.chain.pop_front();
        Outcome outcome = *std::move(item->held);
        item->held.reset();
        auditRefusal(item, std::move(outcome));
    }
}

void Service::Impl::breakChain(Slot& slot)
{
    slot.broken = true;
    while (!slot.chain.empty()) {
        const ItemPtr item = slot.chain.back();
        slot.chain.pop_back();
        item->held.reset();
        slot.waiting.push_front(item);
    }
}

// From the store, then everything that waits is decided again in order.
void Service::Impl::rebuild(Slot& slot)
{
    slot.broken = false;
    slot.reloadWanted = false;
    slot.busy = true;
    const bool isNew = slot.confirmed.version == 0;
    Status status = refresh(slot);
    if (!status && isNew && status.error().kind == ErrorKind::NotFound) {
        slot.loaded = slot.releasing = false;
        slot.tentative = RunState{};
        slot.confirmed = RunState{};
        slot.forgetRows();
        status = {};
    }
    slot.busy = false;
    if (!status) {
        // What was confirmed stays so: the entries that follow it are heard of when they can be read.
        const ErrorKind kind = status.error().kind;
        if (kind == ErrorKind::NotFound || kind == ErrorKind::Corrupt)
            slot.confirmed = RunState{};
        slot.loaded = slot.releasing = false;
        slot.tentative = slot.confirmed;
        slot.forgetRows();
        std::deque<ItemPtr> waiting = std::move(slot.waiting);
        slot.waiting.clear();
        for (const ItemPtr& item : waiting)
            answer(item, failedWith(slot.run, status.error()));
        return;
    }
    if (slot.mustBeParked() && !slot.parkFailed) {
        log::error("run_went_back", {{"run", slot.run}, {"version", slot.tentative.version}});
        parkNext(slot, slot.lost);
    }
    work(slot);
}

void Service::Impl::rebuildSoon(Slot& slot)
{
    if (slot.outstanding > 0)
        slot.reloadWanted = true;
    else
        rebuild(slot);
}

// After another server has taken the store's place: all runs that are known, owned or not, since those that
// were let go, or ended, may have come back to what they were. A part of them at a time: heartbeats go out in
// between. True: there are more.
bool Service::Impl::lookAgain()
{
    constexpr std::size_t kPart = 200;
    if (depth > 0 || stillAway())
        return false;
    if (const std::uint32_t seenNow = acknowledged->replacements(); replacements != seenNow) {
        replacements = seenNow;
        toLookAt = acknowledged->all();
    }
    if (toLookAt.empty())
        return false;
    ++depth;
    const std::size_t rest = toLookAt.size() - std::min(kPart, toLookAt.size());
    const bool done = lookAt(std::span(toLookAt).subspan(rest));
    if (done)
        toLookAt.resize(rest);  // else once more with the next pump
    --depth;
    return done && rest > 0;
}

// False: the store could not be read.
bool Service::Impl::lookAt(std::span<const RunId> runs)
{
    const auto rows = reader.listRows(runs);
    if (!rows) {
        noteAway(rows.error());
        return false;
    }
    std::unordered_map<RunId, std::uint64_t> versions;
    for (const ListRow& row : *rows)
        versions[row.run] = row.version;
    for (const RunId& run : runs) {
        const Acknowledged::Head* known = acknowledged->find(run);
        if (!known || versions[run] >= known->version)
            continue;
        // A row may be older than its run: it is written when it changes.
        const auto hot = reader.hot(run);
        if (!hot && hot.error().kind != ErrorKind::NotFound)
            return false;
        if (hot
            && (hot->version > known->version
                || (hot->version == known->version && hot->head == known->hash)))
            continue;
        Slot& slot = slotOf(run);
        rebuildSoon(slot);
        if (hot && !slot.owned && !config.session.isNull() && hot->owner == config.session)
            foundMine.push_back({run, hot->epoch});
    }
    return true;
}

void Service::Impl::tidy()
{
    if (depth > 0)
        return;
    for (const RunId& run : std::exchange(maybeIdle, {})) {
        const auto found = slots.find(run);
        if (found != slots.end() && found->second->idle() && !found->second->owned && !found->second->parked)
            slots.erase(found);
    }
}

}  // namespace cairn
