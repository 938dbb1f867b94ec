// What a decision reads of payloads: from the command, from what was made, from the store. A few are read
// where the decision is made; more, or larger ones, are left for readAside, and the decision is made again
// with them.

#include "core/service/work.h"

#include "core/base/text.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kReadHere = 100;
constexpr std::uint64_t kBytesHere = 1024 * 1024;

bool isJson(std::string_view media) { return media.empty() || media.find("json") != std::string_view::npos; }

}  // namespace

// --- what is there

// Of the command, made by this decision, or of a commit in flight.
const NewPayload* Work::inHand(const PayloadId& id) const
{
    if (const auto came = m_came.find(id); came != m_came.end())
        return came->second;
    if (const auto made = m_made.find(id); made != m_made.end())
        return &made->second;
    const auto fresh = m_slot.fresh.find(id);
    return fresh == m_slot.fresh.end() ? nullptr : &fresh->second;
}

// Where the store has its bytes: those of a copy that is not committed yet are its source's.
WantedPayload Work::placeOf(const PayloadRef& ref) const
{
    WantedPayload place;
    place.run = m_slot.run;
    place.id = ref.id;
    place.size = ref.size;
    if (const NewPayload* held = inHand(ref.id); held && !held->copyOf.isNull()) {
        place.run = held->copyFrom;
        place.id = held->copyOf;
    }
    return place;
}

bool Work::have(const PayloadId& place)
{
    if (m_item.read.contains(place))
        return true;
    Bytes known = m_service.cache.find(place);
    if (!known)
        return false;
    m_item.read[place].bytes = std::move(known);
    return true;
}

Result<std::string_view> Work::readAt(const PayloadId& place) const
{
    const auto read = m_item.read.find(place);
    if (read == m_item.read.end())
        return makeError(ErrorKind::NotFound, "there is no payload");
    if (!read->second.bytes)
        return *read->second.error;
    return std::string_view(*read->second.bytes);
}

// --- what is wanted

void Work::want(const PayloadRef& ref, ReadFor what)
{
    if (!ref)
        return;
    if (const NewPayload* held = inHand(ref.id); held && held->copyOf.isNull())
        return;
    WantedPayload place = placeOf(ref);
    if (have(place.id))
        return;
    WantedPayload& wanted = m_wanted.emplace(place.id, place).first->second;
    wanted.json = wanted.json || (what == ReadFor::Template && isJson(ref.media));
    wanted.plain = wanted.plain || what == ReadFor::Hash;
}

void Work::wantSource(std::string_view name)
{
    if (name == kInputSource)
        return want(m_state.input, ReadFor::Template);
    const StepRecord* record = sourceRecord(name);
    if (!record)
        return;
    if (record->kind != StepKind::FanOut || record->output)
        return want(record->output, ReadFor::Template);
    if (record->state != StepState::Complete || m_arrays.contains(m_state.stepById.at(record->id))
        || isTooLong(*record))
        return;
    for (const StepIx member : record->members)
        want(m_state.steps[member].output, ReadFor::Template);
}

// All at once, so that it is read at once.
void Work::wantFor(const Needs& needs)
{
    std::set<const StepDef*> seen;  // members of one fan-out read the same
    for (const StepIx ix : needs.render) {
        const StepRecord& record = m_state.steps[ix];
        if (const PayloadRef* given = givenInput(record)) {
            want(*given, ReadFor::Template);
        } else if (record.undoOf != kNoStep) {
            want(m_state.steps[record.undoOf].input, ReadFor::Template);
            want(m_state.steps[record.undoOf].output, ReadFor::Template);
        } else if (const StepDef* def = m_definition ? m_definition->step(record.name, ix) : nullptr;
                   def && seen.insert(def).second) {
            for (const std::string& name : sourcesOf(*def))
                wantSource(name);
        }
    }
    if (needs.output && m_definition)
        for (const std::string& name : sourcesOfTemplate(m_definition->output))
            wantSource(name);
    if (needs.ledger.empty())
        return;
    const std::set<EffectId> effects(needs.ledger.begin(), needs.ledger.end());
    for (const StepIx ix : m_state.ready)
        if (effects.contains(m_state.steps[ix].effect))
            want(m_state.steps[ix].input, ReadFor::Hash);
}

// --- reading

Status Work::gather()
{
    if (m_wanted.empty())
        return {};
    std::vector<WantedPayload> wanted;
    for (const auto& [id, each] : std::exchange(m_wanted, {})) {
        wanted.push_back(each);
        ++m_countHere;
        m_bytesHere += each.size;
    }
    if (m_mayWait && (m_countHere > kReadHere || m_bytesHere > kBytesHere)) {
        m_aside.wanted = std::move(wanted);
        return makeError(ErrorKind::Busy, "what the decision reads is to be read first");
    }
    CAIRN_TRY(readPayloads(m_service.reader, wanted, m_item.read));
    for (const WantedPayload& each : wanted)
        if (const ReadPayload& read = m_item.read.at(each.id); read.bytes)
            m_service.cache.put(each.id, read.bytes);
    return {};
}

Result<std::string_view> Work::bytes(const PayloadRef& ref)
{
    if (const NewPayload* held = inHand(ref.id); held && held->copyOf.isNull())
        return std::string_view(held->bytes);
    want(ref, ReadFor::Verbatim);
    CAIRN_TRY(gather());
    return readAt(placeOf(ref).id);
}

Result<Digest> Work::plain(const PayloadRef& ref)
{
    if (!ref)
        return sha256("");
    if (const auto known = m_plains.find(ref.id); known != m_plains.end())
        return known->second;
    if (const NewPayload* held = inHand(ref.id); held && held->copyOf.isNull())
        return held->plain;
    want(ref, ReadFor::Hash);
    CAIRN_TRY(gather());
    const PayloadId place = placeOf(ref).id;
    CAIRN_TRY_ASSIGN(const std::string_view read, readAt(place));
    const std::optional<Digest>& hashed = m_item.read.at(place).plain;
    return m_plains[ref.id] = hashed ? *hashed : sha256(read);
}

// --- sources of templates

Result<std::string_view> Work::json(const PayloadRef& ref)
{
    if (!ref)
        return std::string_view("null");
    if (const auto quoted = m_quoted.find(ref.id); quoted != m_quoted.end())
        return std::string_view(*quoted->second);
    want(ref, ReadFor::Template);
    CAIRN_TRY_ASSIGN(const std::string_view raw, bytes(ref));
    if (m_checked.contains(ref.id))
        return raw;
    const auto read = m_item.read.find(placeOf(ref).id);
    const bool looked = read != m_item.read.end() && read->second.json;
    CAIRN_TRY_ASSIGN(auto quoted, quotedForTemplate(raw, ref.media, looked));
    if (!quoted) {
        m_checked.insert(ref.id);
        return raw;
    }
    const auto& kept = m_quoted[ref.id] = std::make_shared<const std::string>(*std::move(quoted));
    return std::string_view(*kept);
}

const StepRecord* Work::sourceRecord(std::string_view name) const
{
    const StepRecord* record = m_state.find(name);
    const StepDef* def = m_definition ? m_definition->step(name) : nullptr;
    if (!record && def && !def->onDemand) {  // a migration renames steps; their ids stay
        const auto renamed =
            std::find_if(m_state.steps.begin(), m_state.steps.end(), [name](const StepRecord& step) {
                return step.name == name && step.owner == kNoStep && step.undoOf == kNoStep;
            });
        record = renamed == m_state.steps.end() ? nullptr : &*renamed;
    }
    return record;
}

Result<const StepRecord*> Work::finishedSource(std::string_view name) const
{
    const StepRecord* record = sourceRecord(name);
    if (!record)
        return makeError(ErrorKind::NotFound, "the run has no such step");
    if (record->state == StepState::Skipped && !record->output)
        return makeError(ErrorKind::NotFound, "the step was skipped");
    if (record->state != StepState::Complete && record->state != StepState::Skipped)
        return makeError(ErrorKind::NotFound, "the step has no result");
    return record;
}

Result<std::string_view> Work::source(std::string_view name)
{
    if (name == kInputSource)
        return json(m_state.input);
    CAIRN_TRY_ASSIGN(const StepRecord* record, finishedSource(name));
    if (record->kind == StepKind::FanOut && !record->output)
        return fanOutArray(*record);
    return json(record->output);
}

// Whatever its members' results are: known before any is read.
bool Work::isTooLong(const StepRecord& record) const
{
    std::uint64_t size = 0;
    for (const StepIx member : record.members)
        size += m_state.steps[member].output.size;
    return size > kPayloadLimit;
}

// A fan-out's output is the list of its members' outputs in their order; null where a member has none.
Result<std::string_view> Work::fanOutArray(const StepRecord& record)
{
    const StepIx ix = m_state.stepById.at(record.id);
    if (const auto known = m_arrays.find(ix); known != m_arrays.end())
        return std::string_view(*known->second);
    if (isTooLong(record))
        return listTooLong();
    for (const StepIx member : record.members)
        want(m_state.steps[member].output, ReadFor::Template);
    CAIRN_TRY(gather());
    std::string list = "[";
    for (const StepIx member : record.members) {
        if (list.size() > 1)
            list += ',';
        CAIRN_TRY_ASSIGN(const std::string_view value, json(m_state.steps[member].output));
        list += value;
        if (list.size() > kPayloadLimit)
            return listTooLong();
    }
    list += ']';
    const auto& kept = m_arrays[ix] = std::make_shared<const std::string>(std::move(list));
    return std::string_view(*kept);
}

Result<std::string_view> Work::item(const StepRecord& member)
{
    auto found = m_items.find(member.owner);
    if (found == m_items.end()) {
        const StepDef* def = m_definition->step(m_state.steps[member.owner].name);
        if (!def || !def->forEach)
            return makeError(ErrorKind::InvalidInput,
                "step \"" + member.name + "\" is no longer made for each item of a list");
        const auto sources = [this](std::string_view name) { return source(name); };
        CAIRN_TRY_ASSIGN(auto slices, itemSlices(*def->forEach, sources));
        found = m_items.emplace(member.owner, std::move(slices)).first;
    }
    if (member.index >= found->second.size())
        return makeError(ErrorKind::InvalidInput, "the list has no item " + std::to_string(member.index));
    return found->second[member.index];
}

}  // namespace cairn
