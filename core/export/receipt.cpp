#include "core/export/receipt.h"

#include "core/export/keys.h"

#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/machine/decider.h"
#include "core/model/codec.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace cairn::exporting {

namespace {

constexpr std::uint64_t kEntriesAtOnce = 256;
constexpr std::string_view kTitle = "cairn receipt 1";
constexpr std::string_view kNone = "none";
constexpr std::size_t kMaxReceipt = 16 * 1024 * 1024;

// What the entries say of one step. The same is read from a store and from a receipt.
struct Told {
    StepIx step = kNoStep;
    PayloadRef input;
    EffectId effect;
    Money amount;
    ApprovalId approval;
    Digest binding;
    bool approved = false;
    bool executedUnderIt = false;
    bool fromLedger = false;
    bool byPerson = false;
    PayloadRef result;
    std::uint64_t resultVersion = 0;
    bool found = false;  // of the last entry: it says something of the step

    void read(const Entry& entry)
    {
        found = false;
        for (const Fact& fact : entry.facts)
            std::visit([&](const auto& f) { take(f); }, fact);
        if (found && result && resultVersion == 0)
            resultVersion = entry.version;
    }

private:
    template<class F> void take(const F&) { }
    template<class F> void inputOf(const F& f)
    {
        if (f.step != step)
            return;
        found = true;
        input = f.input;
        effect = f.effect;
        amount = f.amount;
    }
    void take(const StepReady& f) { inputOf(f); }
    void take(const InputAmended& f) { inputOf(f); }
    void take(const ApprovalRequested& f)
    {
        if (f.step != step)
            return;
        found = true;
        approval = f.approval;
        binding = f.binding;
        approved = executedUnderIt = false;
    }
    void take(const ApprovalDecided& f)
    {
        if (approval.isNull() || f.approval != approval)
            return;
        found = true;
        approved = f.as == ApprovalState::Approved;
    }
    void take(const AttemptStarted& f)
    {
        if (f.step != step)
            return;
        found = true;
        executedUnderIt = !approval.isNull() && f.approval == approval;
    }
    void take(const StepCompleted& f)
    {
        if (f.step != step)
            return;
        found = true;
        result = f.output;
        resultVersion = 0;
        fromLedger = f.fromLedger;
        byPerson = f.byPerson;
    }
};

// What was executed, by the same rule that made what was approved.
Digest executedDigest(
    const Told& told, const std::string& tool, const Digest& contract, const std::string& secret)
{
    StepRecord step;
    step.tool = tool;
    step.effect = told.effect;
    step.input = told.input;
    step.amount = told.amount;
    ToolDef def;
    def.contractDigest = contract;
    def.secret = secret;
    return bindingOf(step, &def);
}

std::string entryLine(const SealedEntry& e)
{
    return "entry " + std::to_string(e.version) + " " + std::to_string(e.format) + " " + toText(e.command)
        + " " + hex(e.previous) + " " + hex(e.hash) + " " + base64(e.body) + "\n";
}

std::string labelled(std::string name, const std::string& value)
{
    name += ':';
    name.append(name.size() < 18 ? 18 - name.size() : 1, ' ');
    return name + visibleLine(value) + "\n";
}

std::string orNone(const Digest& digest) { return digest.isNull() ? std::string(kNone) : hex(digest); }

struct Collected {
    RunState state;
    Told told;
    std::vector<SealedEntry> entries;  // that say something of the step
};

Result<Collected> collect(const ReceiptRequest& request)
{
    Collected all;
    for (;;) {
        CAIRN_TRY_ASSIGN(const LoadedRun page,
            request.reader.loadRun(request.run, all.state.version + 1, all.state.version + kEntriesAtOnce));
        for (const SealedEntry& sealed : page.entries) {
            CAIRN_TRY(checkSeal(sealed, all.state.head));
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            apply(all.state, entry);
            all.state.head = sealed.hash;
            if (all.told.step == kNoStep)
                if (const auto at = all.state.stepById.find(request.step); at != all.state.stepById.end())
                    all.told.step = at->second;
            if (all.told.step == kNoStep)
                continue;
            all.told.read(entry);
            if (all.told.found)
                all.entries.push_back(sealed);
        }
        if (page.entries.empty() || all.state.version >= page.hot.version)
            break;
    }
    if (all.told.step == kNoStep)
        return makeError(ErrorKind::NotFound, "the run has no step \"" + visibleLine(request.step) + "\"");
    if (!all.told.result)
        return makeError(ErrorKind::Refused,
            "step \"" + visibleLine(request.step) + "\" has no result yet; a receipt is of what is done");
    return all;
}

struct Contract {
    Digest digest;
    std::string secret;
};
Result<Contract> contractOf(StoreReader& reader, const RunState& state, const std::string& tool)
{
    Contract contract;
    if (state.workflow.name.empty() || tool.empty())
        return contract;
    CAIRN_TRY_ASSIGN(const auto row, reader.workflow(state.workflow.name, state.workflow.version));
    const auto parsed = row ? parseDefinition(row->text) : ParsedDefinition{};
    if (!parsed)
        return makeError(
            ErrorKind::Refused, "the run's workflow is not in this store: its tool cannot be told");
    if (const ToolDef* def = parsed.definition->tool(tool))
        contract = {def->contractDigest, def->secret};
    return contract;
}

std::string approvalLines(const Told& told, const Digest& executed)
{
    if (told.approval.isNull())
        return labelled("approval", "none was asked") + labelled("executed digest", hex(executed));
    return labelled("approval", toText(told.approval)) + labelled("approved digest", hex(told.binding))
        + labelled("executed digest", hex(executed));
}

}  // namespace

Result<std::string> makeReceipt(const ReceiptRequest& request)
{
    CAIRN_TRY_ASSIGN(const Collected all, collect(request));
    const Told& told = all.told;
    const StepRecord& step = all.state.steps[told.step];
    CAIRN_TRY_ASSIGN(const Contract contract, contractOf(request.reader, all.state, step.tool));
    const Digest executed = executedDigest(told, step.tool, contract.digest, contract.secret);
    if (!told.approval.isNull() && (executed != told.binding || !told.approved))
        return makeError(ErrorKind::Refused,
            "what was approved for step \"" + visibleLine(request.step) + "\" is not what its result is of");
    std::string key(kNone);
    if (!told.effect.isNull()) {
        CAIRN_TRY_ASSIGN(const auto rows, request.reader.effects(std::span(&told.effect, 1)));
        if (!rows.empty())
            key = rows.front().key;
    }
    CAIRN_TRY_ASSIGN(const TimeMs now, request.reader.now());
    std::string text = std::string(kTitle) + "\n" + labelled("run", toText(request.run))
        + labelled("workflow",
            all.state.workflow.name.empty()
                ? std::string(kNone)
                : all.state.workflow.name + "@" + std::to_string(all.state.workflow.version))
        + labelled("step", request.step) + labelled("step number", std::to_string(told.step))
        + labelled("tool", step.tool.empty() ? std::string(kNone) : step.tool)
        + labelled("contract", orNone(contract.digest))
        + labelled("secret", contract.secret.empty() ? std::string(kNone) : contract.secret)
        + approvalLines(told, executed) + labelled("effect key", key)
        + labelled("effect", orNone(told.effect)) + labelled("input hash", orNone(told.input.hash))
        + labelled("result hash", hex(told.result.hash))
        + labelled("result size", std::to_string(told.result.size) + " bytes")
        + labelled("result given by",
            told.byPerson         ? "a person"
                : told.fromLedger ? "an earlier run with this effect key"
                                  : "the tool")
        + labelled("recorded in",
            "version " + std::to_string(told.resultVersion) + " of " + std::to_string(all.state.version))
        + labelled("head", hex(all.state.head))
        + labelled("issued", formatInstant(now) + " by " + request.tool) + "\n";
    for (const SealedEntry& sealed : all.entries)
        text += entryLine(sealed);
    text += "\n" + labelled("public key", publicKeyText(request.key.publicKey()));
    return text + labelled("signature", base64(sign(request.key, text).view()));
}

// --- checking

namespace {

template<class N> bool parseNumber(std::string_view text, N& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

bool parseEntryLine(std::string_view line, SealedEntry& e)
{
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t cut = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, cut));
        line.remove_prefix(std::min(cut + 1, line.size()));
    }
    if (words.size() != 7 || !parseNumber(words[1], e.version) || !parseNumber(words[2], e.format))
        return false;
    const auto command = parseId<CommandId>(words[3]);
    const auto previous = parseDigest(words[4]), hash = parseDigest(words[5]);
    auto body = parseBase64(words[6]);
    if (!command || !previous || !hash || !body)
        return false;
    e.command = *command;
    e.previous = *previous;
    e.hash = *hash;
    e.body = *std::move(body);
    return true;
}

struct Page {
    std::map<std::string, std::string, std::less<>> lines;
    std::vector<SealedEntry> entries;
    std::string_view signedPart;
    std::string fault;

    explicit Page(std::string_view text)
    {
        const std::size_t last = text.rfind("\nsignature:");
        if (text.size() > kMaxReceipt || !text.starts_with(kTitle) || last == std::string_view::npos) {
            fault = "this is no receipt";
            return;
        }
        signedPart = text.substr(0, last + 1);
        text.remove_prefix(kTitle.size() + 1);
        while (!text.empty() && fault.empty()) {
            const std::size_t cut = std::min(text.find('\n'), text.size());
            take(text.substr(0, cut));
            text.remove_prefix(std::min(cut + 1, text.size()));
        }
    }
    void take(std::string_view line)
    {
        if (line.empty())
            return;
        if (line.starts_with("entry ")) {
            if (!parseEntryLine(line, entries.emplace_back()))
                fault = "an entry of it cannot be read";
            return;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos
            || !lines
                    .emplace(std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))))
                    .second)
            fault = "a line of it cannot be read, or is there twice";
    }
    [[nodiscard]] std::string value(std::string_view name) const
    {
        const auto at = lines.find(name);
        return at == lines.end() || at->second == kNone ? std::string() : at->second;
    }
};

std::string signatureFault(const Page& page, const std::optional<PublicKey>& wanted, PublicKey& key)
{
    const auto own = parsePublicKey(page.value("public key"));
    const auto signature = parseSignature(page.value("signature"));
    if (!own || !signature)
        return "its signature or its key cannot be read";
    key = *own;
    if (!verifySignature(key, page.signedPart, *signature))
        return "its signature does not fit: it was changed after it was signed";
    if (wanted && *wanted != key)
        return "it is signed by the key " + fingerprint(key) + ", not by " + fingerprint(*wanted);
    return {};
}

// That the readable lines say what the entries say.
std::string contentFault(const Page& page)
{
    Told told;
    if (!parseNumber(page.value("step number"), told.step))
        return "it does not say which step it is of";
    std::uint64_t version = 0;
    Digest head;
    for (const SealedEntry& sealed : page.entries) {
        if (sealed.version <= version
            || (sealed.version == version + 1 && version > 0 && sealed.previous != head))
            return "its entries do not follow one another";
        if (const Status seal = checkSeal(sealed, sealed.previous); !seal)
            return "entry " + std::to_string(sealed.version) + ": " + seal.error().text;
        const auto entry = decodeEntry(sealed.body, sealed.format);
        if (!entry)
            return "entry " + std::to_string(sealed.version) + ": " + entry.error().text;
        told.read(*entry);
        version = sealed.version;
        head = sealed.hash;
    }
    if (!told.result || hex(told.result.hash) != page.value("result hash"))
        return "its entries have another result";
    const Digest contract = parseDigest(page.value("contract")).value_or(Digest{});
    const std::string executed =
        hex(executedDigest(told, page.value("tool"), contract, page.value("secret")));
    if (executed != page.value("executed digest"))
        return "what was executed is not what it says";
    if (!told.approval.isNull()
        && (!told.approved || hex(told.binding) != page.value("approved digest")
            || executed != hex(told.binding)))
        return "what was approved is not what was executed";
    if (told.approval.isNull() && !page.value("approved digest").empty())
        return "its entries have no approval";
    if (orNone(told.effect) != (page.value("effect").empty() ? std::string(kNone) : page.value("effect"))
        || orNone(told.input.hash)
            != (page.value("input hash").empty() ? std::string(kNone) : page.value("input hash")))
        return "its entries have another input or effect";
    return {};
}

}  // namespace

ReceiptVerdict checkReceipt(std::string_view text, const std::optional<PublicKey>& wanted)
{
    ReceiptVerdict verdict;
    const Page page(text);
    verdict.fault = page.fault;
    verdict.run = page.value("run");
    verdict.step = page.value("step");
    verdict.approvedDigest = page.value("approved digest");
    verdict.resultHash = page.value("result hash");
    if (verdict.fault.empty())
        verdict.fault = signatureFault(page, wanted, verdict.key);
    if (verdict.fault.empty())
        verdict.fault = contentFault(page);
    return verdict;
}

}  // namespace cairn::exporting
