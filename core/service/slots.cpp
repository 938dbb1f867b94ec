// Loading runs: folding entries, and what is kept beside the state.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/service/impl.h"
#include "core/service/work.h"

#include <algorithm>

namespace cairn {

namespace {

// What of the entries that are gone may have happened outside: steps whose effects had begun.
std::string effectsLost(const RunState& had, const RunState& has)
{
    constexpr std::size_t kNamed = 5;
    std::string names;
    std::size_t count = 0;
    for (StepIx ix = 0; ix < had.steps.size(); ++ix) {
        const StepRecord& step = had.steps[ix];
        const bool same = ix < has.steps.size() && has.steps[ix].attempts == step.attempts
            && has.steps[ix].effectDone == step.effectDone;
        if (same || !writes(step.safety) || step.attempts == 0 || ++count > kNamed)
            continue;
        names += (names.empty() ? "step \"" : ", step \"") + visibleLine(step.id) + '"';
    }
    if (count > kNamed)
        names += " and " + std::to_string(count - kNamed) + " more";
    return names.empty() ? std::string() : "; at least of " + names;
}

std::string lostText(const RunState& had, const RunState& has, std::uint64_t acknowledged)
{
    const std::string which = has.version < acknowledged
        ? "versions " + std::to_string(has.version + 1) + " to " + std::to_string(acknowledged)
            + " of this run"
        : "the last entries of this run up to version " + std::to_string(acknowledged);
    return which
        + " were stored and acknowledged, and the store has them no more: a standby or a backup has taken "
          "its place. What they began may have happened"
        + effectsLost(had, has)
        + ". Look at the effects outside before this run goes on; nothing is done again by itself";
}

// Folds entries onto a state, each checked against the chain.
Status foldOnto(RunState& state, const std::vector<SealedEntry>& entries,
    const std::function<void(const RunState&, const Entry&)>& heard)
{
    for (const SealedEntry& sealed : entries) {
        if (sealed.version != state.version + 1)
            return makeError(ErrorKind::Corrupt,
                "the run's history has a hole before version " + std::to_string(sealed.version));
        CAIRN_TRY(checkSeal(sealed, state.head));
        CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
        apply(state, entry);
        state.head = sealed.hash;
        state.format = std::max(state.format, sealed.format);
        if (heard)
            heard(state, entry);
    }
    return {};
}

}  // namespace

Slot& Service::Impl::slotOf(const RunId& run)
{
    auto& slot = slots[run];
    if (!slot) {
        slot = std::make_unique<Slot>();
        slot->run = run;
    }
    return *slot;
}

Slot* Service::Impl::findSlot(const RunId& run)
{
    const auto found = slots.find(run);
    return found == slots.end() ? nullptr : found->second.get();
}

Result<RunState> Service::Impl::fold(
    const RunId& run, std::uint64_t version, RunRow* identity, HotRow* hot, const Heard& heard)
{
    CAIRN_TRY_ASSIGN(LoadedRun loaded, reader.loadRun(run, 1, version));
    RunState state;
    CAIRN_TRY(foldOnto(state, loaded.entries, heard));
    if (version != 0 && state.version != version)
        return makeError(ErrorKind::NotFound,
            "run " + toText(run) + " has no version " + std::to_string(version) + "; its newest is "
                + std::to_string(loaded.hot.version));
    if (identity)
        *identity = std::move(loaded.identity);
    if (hot)
        *hot = loaded.hot;
    return state;
}

Result<std::optional<Service::Impl::ControlOfRun>> Service::Impl::controlOf(const RunId& run)
{
    constexpr std::size_t kKeep = 4096;
    const auto hot = reader.hot(run);
    if (!hot && hot.error().kind == ErrorKind::NotFound)
        return std::optional<ControlOfRun>();
    if (!hot)
        return hot.error();
    const auto known = controls.find(run);
    if (known != controls.end() && known->second.version == hot->control)
        return std::optional(known->second);
    const auto of = [](const RunState& state) {
        return ControlOfRun{controlForChildren(state), state.controlVersion, state.parent.run};
    };
    if (controls.size() >= kKeep)
        controls.clear();
    if (const Slot* slot = findSlot(run);
        slot && slot->confirmed.version > 0 && slot->confirmed.controlVersion == hot->control)
        return std::optional(controls[run] = of(slot->confirmed));
    CAIRN_TRY_ASSIGN(const RunState state, fold(run, 0, nullptr, nullptr));
    return std::optional(controls[run] = of(state));
}

Result<Entry> Service::Impl::entryAt(const RunId& run, std::uint64_t version)
{
    CAIRN_TRY_ASSIGN(const LoadedRun loaded, reader.loadRun(run, version, version));
    if (loaded.entries.size() != 1)
        return makeError(
            ErrorKind::NotFound, "run " + toText(run) + " has no version " + std::to_string(version));
    return decodeEntry(loaded.entries.front().body, loaded.entries.front().format);
}

Status Service::Impl::load(Slot& slot)
{
    if (const Error* error = stillAway())
        return *error;
    HotRow hot;
    const Acknowledged::Head* known = acknowledged->find(slot.run);
    bool kept = known == nullptr;
    auto state = fold(slot.run, 0, &slot.identity, &hot, [&](const RunState& at, const Entry&) {
        kept = kept || (at.version == known->version && at.head == known->hash);
    });
    if (!state && known && state.error().kind == ErrorKind::NotFound) {
        const auto stone = reader.tombstone(slot.run);
        if (stone && *stone && (*stone)->versions >= known->version)
            return std::move(state).error();  // removed, with all that was acknowledged
        log::error("run_lost", {{"run", slot.run}, {"version", known->version}});
        return makeError(ErrorKind::NotFound,
            state.error().text + " any more, although version " + std::to_string(known->version)
                + " of it was acknowledged: a standby or a backup has taken the store's place");
    }
    if (!state) {
        noteAway(state.error());
        return std::move(state).error();
    }
    if (!kept && slot.lost.empty())
        slot.lost = lostText(slot.confirmed, *state, known->version);
    slot.confirmed = *std::move(state);
    seen(slot);
    return afterLoad(slot, hot);
}

// What the store has of it now is what it must never have less of. After a loss only once that is in its
// history.
void Service::Impl::seen(Slot& slot)
{
    if (slot.confirmed.parked)
        slot.lost.clear();
    if (slot.lost.empty())
        acknowledged->note(slot.run, slot.confirmed.version, slot.confirmed.head);
}

Status Service::Impl::refresh(Slot& slot)
{
    if (slot.confirmed.version == 0)
        return load(slot);
    if (const Error* error = stillAway())
        return *error;
    const auto read = reader.loadRun(slot.run, slot.confirmed.version + 1, 0);
    if (!read && read.error().kind == ErrorKind::NotFound)
        return load(slot);  // it is gone altogether
    if (!read) {
        noteAway(read.error());
        return read.error();
    }
    const LoadedRun& loaded = *read;
    std::function<void(const RunState&, const Entry&)> heard;
    if (slot.owned && observer)
        heard = [this](const RunState& state, const Entry& entry) {
            capacity.attempts -= std::min(capacity.attempts, startsOf(entry, config.session));
            observer(state, entry);
        };
    const Status folded = foldOnto(slot.confirmed, loaded.entries, heard);
    if (!folded || slot.confirmed.head != loaded.hot.head)
        return load(slot);  // the copy here is not a prefix of the history: begin at the beginning
    seen(slot);
    return afterLoad(slot, loaded.hot);
}

Status Service::Impl::afterLoad(Slot& slot, const HotRow& hot)
{
    slot.loaded = false;
    slot.tentative = slot.confirmed;
    slot.releasing = false;
    slot.forgetRows();
    for (const StepRecord& step : slot.tentative.steps)
        slot.rows.push_back(step.revision + 1);
    for (const StepIx ix : slot.tentative.running) {
        AttemptRow row = openAttemptRow(slot.tentative, ix);
        slot.open.emplace(row.id, std::move(row));
    }
    auto rows = reader.listRows(std::span(&slot.run, 1));
    if (!rows) {
        noteAway(rows.error());
        return std::move(rows).error();
    }
    slot.list = rows->empty() ? std::optional<ListRow>() : std::optional(std::move(rows->front()));
    slot.loaded = true;
    slot.owner = hot.owner;
    const bool mine = !config.session.isNull() && hot.owner == config.session;
    if (slot.owned && (!mine || hot.epoch != slot.epoch)) {
        slot.owned = mine;
        if (!mine && disowned)
            disowned(slot.run, true);
    }
    slot.epoch = hot.epoch;
    return {};
}

std::string Service::Impl::errorText(Slot& slot, const PayloadRef& error, Work* work)
{
    if (!error)
        return {};
    if (const auto found = slot.errors.find(error.id); found != slot.errors.end())
        return found->second;
    std::string text;
    if (work) {
        const auto bytes = work->bytes(error);
        if (!work->aside().empty())
            return text;  // asked for again with the whole entry
        if (bytes)
            text = normalisedError(*bytes, error.media);
    } else if (const auto bytes = reader.payload(slot.run, error.id, 0, kPayloadLimit)) {
        text = normalisedError(*bytes, error.media);
    }
    if (slot.errors.size() > 64)
        slot.errors.clear();
    slot.errors[error.id] = text;
    return text;
}

}  // namespace cairn
