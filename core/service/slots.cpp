// Loading runs: folding entries, and what is kept beside the state.

#include "core/base/log.h"
#include "core/model/codec.h"
#include "core/service/impl.h"
#include "core/service/work.h"

#include <algorithm>

namespace cairn {

namespace {

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

Result<RunState> Service::Impl::fold(const RunId& run, std::uint64_t version, RunRow* identity, HotRow* hot)
{
    CAIRN_TRY_ASSIGN(LoadedRun loaded, reader.loadRun(run, 1, version));
    RunState state;
    CAIRN_TRY(foldOnto(state, loaded.entries, {}));
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
    HotRow hot;
    auto state = fold(slot.run, 0, &slot.identity, &hot);
    if (!state)
        return std::move(state).error();
    slot.confirmed = *std::move(state);
    return afterLoad(slot, hot);
}

Status Service::Impl::refresh(Slot& slot)
{
    if (!slot.loaded || slot.confirmed.version == 0)
        return load(slot);
    CAIRN_TRY_ASSIGN(const LoadedRun loaded, reader.loadRun(slot.run, slot.confirmed.version + 1, 0));
    std::function<void(const RunState&, const Entry&)> heard;
    if (slot.owned && observer)
        heard = [this](const RunState& state, const Entry& entry) {
            capacity.attempts -= std::min(capacity.attempts, startsOf(entry, config.session));
            observer(state, entry);
        };
    if (const Status folded = foldOnto(slot.confirmed, loaded.entries, heard); !folded)
        return load(slot);  // the copy here is not a prefix of the history: begin at the beginning
    return afterLoad(slot, loaded.hot);
}

Status Service::Impl::afterLoad(Slot& slot, const HotRow& hot)
{
    slot.loaded = true;
    slot.tentative = slot.confirmed;
    slot.releasing = false;
    slot.forgetRows();
    for (const StepRecord& step : slot.tentative.steps)
        slot.rows.push_back(step.revision + 1);
    for (const StepIx ix : slot.tentative.running) {
        AttemptRow row = openAttemptRow(slot.tentative, ix);
        slot.open.emplace(row.id, std::move(row));
    }
    CAIRN_TRY_ASSIGN(auto rows, reader.listRows(std::span(&slot.run, 1)));
    slot.list = rows.empty() ? std::optional<ListRow>() : std::optional(std::move(rows.front()));
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
        if (const auto bytes = work->bytes(error))
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
