#include "core/service/redaction.h"

#include "core/base/text.h"
#include "core/model/codec.h"

#include <algorithm>
#include <type_traits>

namespace cairn {

namespace {

// The payloads of one fact, and the step that it is about.
struct Namer {
    std::vector<std::pair<std::string_view, PayloadRef>> refs{};
    StepIx step = kNoStep;

    template<class T> void operator()(std::string_view name, const T& field)
    {
        if constexpr (std::is_same_v<T, PayloadRef>) {
            if (field)
                refs.emplace_back(name, field);
        } else if constexpr (std::is_same_v<T, StepIx>) {
            if (name == "step")
                step = field;
        }
    }
    template<class T> void since(int, std::string_view name, const T& field) { (*this)(name, field); }
};

class Lister {
public:
    explicit Lister(std::vector<NamedPayload>& out)
        : m_out(out)
    {
    }
    void entry(const RunState& after, const Entry& entry)
    {
        add(after, kNoStep, "reason", entry.reason, entry.version);
        for (const Fact& fact : entry.facts) {
            Namer namer;
            std::visit([&](const auto& f) { std::decay_t<decltype(f)>::each(f, namer); }, fact);
            const std::string_view kind = std::holds_alternative<PartialResult>(fact) ? "partial"
                : std::holds_alternative<NoteAdded>(fact)                             ? "note"
                                                                                      : "";
            for (const auto& [name, ref] : namer.refs)
                add(after, namer.step, kind.empty() ? name : kind, ref, entry.version);
        }
    }

private:
    void add(const RunState& after, StepIx step, std::string_view kind, const PayloadRef& ref,
        std::uint64_t version)
    {
        if (!ref || !m_seen.insert(ref.id).second)
            return;
        NamedPayload& named = m_out.emplace_back();
        named.ref = ref;
        named.kind = kind;
        named.version = version;
        if (step < after.steps.size())
            named.step = after.steps[step].id;
    }

    std::vector<NamedPayload>& m_out;
    std::set<PayloadId> m_seen;
};

std::string kindsText()
{
    std::string text;
    for (const std::string& kind : payloadKinds())
        text += (text.empty() ? "" : ", ") + kind;
    return text;
}

Status checkChoice(const RunState& state, const RedactionChoice& choice)
{
    if (choice.step.empty() && choice.kinds.empty() && choice.payloads.empty() && !choice.all)
        return makeError(ErrorKind::InvalidInput,
            "say what is to be redacted: a STEP, --what KIND, --payload ID, or --all of the run");
    for (const std::string& kind : choice.kinds)
        if (std::find(payloadKinds().begin(), payloadKinds().end(), kind) == payloadKinds().end())
            return makeError(ErrorKind::InvalidInput,
                "\"" + visibleLine(kind) + "\" is no kind of payload: use " + kindsText());
    if (!choice.step.empty() && state.find(choice.step) == nullptr)
        return makeError(ErrorKind::NotFound, "the run has no step \"" + visibleLine(choice.step) + "\"");
    return {};
}

bool isChosen(const NamedPayload& named, const RedactionChoice& choice)
{
    const auto has = [](const auto& list, const auto& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    if (has(choice.payloads, named.ref.id))
        return true;
    if (choice.step.empty() && choice.kinds.empty())
        return choice.all;
    return (choice.step.empty() || choice.step == named.step)
        && (choice.kinds.empty() || has(choice.kinds, named.kind));
}

}  // namespace

const std::vector<std::string>& payloadKinds()
{
    static const std::vector<std::string> kKinds{
        "input", "output", "partial", "error", "evidence", "detail", "progress", "note", "data", "reason"};
    return kKinds;
}

Result<std::vector<NamedPayload>> namedPayloads(StoreReader& reader, const RunId& run)
{
    std::vector<NamedPayload> all;
    Lister lister(all);
    RunState state;
    CAIRN_TRY_ASSIGN(const LoadedRun loaded, reader.loadRun(run, 1, 0));
    for (const SealedEntry& sealed : loaded.entries) {
        CAIRN_TRY(checkSeal(sealed, state.head));
        CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
        apply(state, entry);
        state.head = sealed.hash;
        lister.entry(state, entry);
    }
    FoldedRun folded;
    for (NamedPayload& named : all) {
        if (const auto found = state.redacted.find(named.ref.id); found != state.redacted.end())
            named.redacted = found->second;
        folded.payloads.emplace(named.ref.id, named.ref);
    }
    folded.state = std::move(state);
    CAIRN_TRY_ASSIGN(const auto stored, storedPayloads(reader, folded));
    std::set<PayloadId> own;
    for (const PayloadInfo& info : stored)
        own.insert(info.ref.id);
    std::erase_if(
        all, [&](const NamedPayload& named) { return named.redacted == 0 && !own.contains(named.ref.id); });
    return all;
}

Result<std::vector<PayloadId>> chosenPayloads(
    StoreReader& reader, const RunState& state, const RedactionChoice& choice)
{
    CAIRN_TRY(checkChoice(state, choice));
    CAIRN_TRY_ASSIGN(const auto named, namedPayloads(reader, state.id));
    for (const PayloadId& id : choice.payloads)
        if (std::none_of(named.begin(), named.end(), [&](const NamedPayload& n) { return n.ref.id == id; }))
            return makeError(ErrorKind::NotFound, "the run has no payload " + toText(id));
    std::vector<PayloadId> chosen;
    for (const NamedPayload& one : named)
        if (one.redacted == 0 && isChosen(one, choice))
            chosen.push_back(one.ref.id);
    if (chosen.empty())
        return makeError(
            ErrorKind::NotFound, "nothing of that is left: what it was is redacted, or never was");
    CAIRN_TRY_ASSIGN(const TreeBonds bonds, reader.bondsOf(state.root.isNull() ? state.id : state.root));
    if (bonds.messages > 0)
        return makeError(ErrorKind::Refused,
            "a message from or to a run of this tree has not been delivered, and may carry what is to be "
            "redacted: wait until an engine has delivered it");
    return chosen;
}

Result<std::string> redactedText(StoreReader& reader, const RunState& state, const PayloadId& payload)
{
    const auto found = state.redacted.find(payload);
    if (found == state.redacted.end())
        return std::string();
    CAIRN_TRY_ASSIGN(const LoadedRun loaded, reader.loadRun(state.id, found->second, found->second));
    if (loaded.entries.empty())
        return "redacted by entry " + std::to_string(found->second);
    CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(loaded.entries[0].body, loaded.entries[0].format));
    std::string text = "redacted on " + formatInstant(entry.time) + " by " + visibleLine(entry.actor.id);
    if (entry.reason)
        if (const auto reason = reader.payload(state.id, entry.reason.id); reason && !reason->empty())
            text += ": " + visibleLine(*reason);
    return text;
}

std::string redactedText(StoreReader& reader, const RunId& run, const PayloadId& payload)
{
    const auto folded = foldRun(reader, run);
    if (!folded)
        return "redacted";
    const auto text = redactedText(reader, folded->state, payload);
    return text && !text->empty() ? *text : "redacted";
}

}  // namespace cairn
