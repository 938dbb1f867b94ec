#include "core/query/hidden_fields.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/service/roles.h"

namespace cairn {

namespace {

constexpr auto kRunFor = std::chrono::seconds(2);  // a run may be brought to a version that hides more
constexpr std::size_t kMostRuns = 4096;

std::optional<Error> nothing(const char*, Access) { return std::nullopt; }

std::string cut(const std::string& bytes, std::uint64_t offset, std::uint64_t limit)
{
    return offset >= bytes.size()
        ? std::string()
        : bytes.substr(static_cast<std::size_t>(offset),
            static_cast<std::size_t>(std::min<std::uint64_t>(limit, bytes.size() - offset)));
}

}  // namespace

HidingStore::HidingStore(std::unique_ptr<StoreWriter> store)
    : HookedStore(std::move(store), {&nothing, &nothing})
{
}

Result<std::shared_ptr<const HidingStore::Rule>> HidingStore::ruleOf(const RunId& run)
{
    const auto now = std::chrono::steady_clock::now();
    if (const auto known = m_runs.find(run); known != m_runs.end() && now - known->second.at < kRunFor)
        return known->second.rule;
    CAIRN_TRY_ASSIGN(const auto rows, m_store->listRows(std::span(&run, 1)));
    if (rows.empty())
        return std::make_shared<const Rule>();  // there is no such run, which its payloads will say
    const std::string& name = rows.front().workflow;
    const std::uint32_t version = rows.front().workflowVersion;
    std::shared_ptr<const Rule>& rule = m_rules[{name, version}];
    if (!rule) {
        CAIRN_TRY_ASSIGN(const auto row, m_store->workflow(name, version));
        auto made = std::make_shared<Rule>();
        if (row) {
            // A definition that this version cannot read may hide what it does not understand.
            const ParsedDefinition parsed = parseDefinition(row->text);
            if (!parsed.definition)
                return makeError(ErrorKind::Corrupt,
                    "the definition of " + name + " version " + std::to_string(version)
                        + " cannot be read by this version, so it is not known what it hides");
            if (!parsed.definition->hidden.fields.empty())
                made->masker = std::make_unique<Masker>(parsed.definition->hidden.fields, Mark::Hidden);
            made->role = parsed.definition->hidden.role;
        }
        rule = std::move(made);
    }
    if (m_runs.size() >= kMostRuns)
        m_runs.clear();
    m_runs[run] = {rule, now};
    return rule;
}

Status HidingStore::read(const RunId& run, const PayloadId& id, const Rule& rule)
{
    // Asked each time: it may have been redacted since.
    CAIRN_TRY_ASSIGN(const PayloadInfo info, m_store->payloadInfo(run, id));
    if (run == m_run && id == m_id)
        return {};
    m_id = {};
    if (info.ref.size > kHideMost)
        return makeError(ErrorKind::NoRight,
            "the workflow hides fields, and " + formatBytes(info.ref.size)
                + " are too many to look through for them; `cairn payload --reveal` gives them as they are");
    std::string bytes;
    while (bytes.size() < info.ref.size) {
        CAIRN_TRY_ASSIGN(const std::string part, m_store->payload(run, id, bytes.size(), kPayloadLimit));
        if (part.empty())
            return makeError(ErrorKind::Corrupt, "the payload is shorter than its recorded size");
        bytes += part;
    }
    const std::size_t before = countMarks(bytes, Mark::Hidden);
    m_bytes = rule.masker->mayStandIn(bytes) ? rule.masker->payloadFrom(std::move(bytes), info.ref.media)
                                             : std::move(bytes);
    const std::size_t after = countMarks(m_bytes, Mark::Hidden);
    m_hidden = after - std::min(before, after);
    m_run = run;
    m_id = id;
    return {};
}

Result<std::string> HidingStore::payload(
    const RunId& run, const PayloadId& id, std::uint64_t offset, std::uint64_t limit)
{
    CAIRN_TRY_ASSIGN(const auto rule, ruleOf(run));
    if (!rule->masker)
        return m_store->payload(run, id, offset, limit);
    CAIRN_TRY(read(run, id, *rule));
    return cut(m_bytes, offset, limit);
}

Result<std::vector<FoundPayload>> HidingStore::payloads(
    const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo)
{
    CAIRN_TRY_ASSIGN(auto found, m_store->payloads(run, ids, inlineUpTo));
    CAIRN_TRY_ASSIGN(const auto rule, ruleOf(run));
    if (rule->masker)
        for (FoundPayload& payload : found)
            if (payload.bytes)
                payload.bytes = rule->masker->payloadFrom(*std::move(payload.bytes), payload.info.ref.media);
    return found;
}

Result<ShownPayload> HidingStore::shown(const RunId& run, const PayloadId& id)
{
    CAIRN_TRY_ASSIGN(const auto rule, ruleOf(run));
    if (!rule->masker) {
        CAIRN_TRY_ASSIGN(const PayloadInfo info, m_store->payloadInfo(run, id));
        return ShownPayload{info.ref.size, 0, {}};
    }
    CAIRN_TRY(read(run, id, *rule));
    return ShownPayload{m_bytes.size(), m_hidden, rule->role};
}

Result<Revealable> HidingStore::revealable(const RunId& run, const PayloadId& id)
{
    CAIRN_TRY_ASSIGN(const auto rule, ruleOf(run));
    CAIRN_TRY_ASSIGN(const PayloadInfo info, m_store->payloadInfo(run, id));
    if (rule->masker && info.ref.size > kHideMost)
        return Revealable{std::nullopt, rule->role};
    CAIRN_TRY_ASSIGN(const ShownPayload known, shown(run, id));
    return Revealable{known.hidden, known.role};
}

Status mayReveal(StoreReader& store, const std::string& login, const std::string& role)
{
    if (role.empty())
        return {};
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const auto row, store.policy(0));
    CAIRN_TRY_ASSIGN(const Policy policy, policyOf(row, info));
    CAIRN_TRY_ASSIGN(const bool holds, holdsRole(store, policy, role, login));
    if (holds)
        return {};
    return makeError(ErrorKind::NoRight,
        "\"" + login + "\" lacks the role \"" + role
            + "\", which whoever reads what this workflow hides needs");
}

AuditRow revealAct(
    AuditRow who, const RunId& run, const PayloadId& payload, const Revealable& what, TimeMs now, Rng& rng)
{
    who.time = now;
    who.kind = "applied";
    who.verb = Verb::Reveal;
    who.run = run;
    who.target = "payload " + toText(payload);
    who.command = makeId<CommandId>(now, rng);
    who.before = "{}";
    who.after = "{\"fields\":" + (what.fields ? std::to_string(*what.fields) : "null") + "}";
    return who;
}

}  // namespace cairn
