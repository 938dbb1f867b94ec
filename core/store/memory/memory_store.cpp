#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>

namespace cairn {

namespace {

template<typename Map> auto values(const Map& map)
{
    std::vector<typename Map::mapped_type> out;
    out.reserve(map.size());
    for (const auto& [key, value] : map)
        out.push_back(value);
    return out;
}

}  // namespace

std::shared_ptr<MemoryDatabase> copyOf(const MemoryDatabase& database)
{
    return std::make_shared<MemoryDatabase>(database);
}

void replaceBy(MemoryDatabase& database, const MemoryDatabase& standby)
{
    const std::uint32_t timeline = database.info.serverTimeline;
    database = standby;
    database.info.serverTimeline = timeline + 1;
}

std::shared_ptr<MemoryDatabase> makeMemoryDatabase(
    const InitOptions& options, const Clock& clock, std::uint64_t seed)
{
    auto database = std::make_shared<MemoryDatabase>(clock);
    StoreInfo& info = database->info;
    if (options.like) {
        info = *options.like;
        info.roles = false;  // nobody logs in here
        return database;
    }
    SeededRng rng(seed);
    info.id = makeUuidV7(clock.wallMs(), rng);
    info.schema = kMaxFormat;
    info.minReader = kMaxFormat;
    info.minWriter = kMaxFormat;
    info.writeFormat = kMaxFormat;
    info.environment = options.environment;
    info.safety = options.guarded ? Safety::Guarded : Safety::Free;
    info.testClock = options.testClock;
    rng.fill(info.salt.data(), info.salt.size());
    info.seed = rng.next();
    info.createdAt = clock.wallMs();
    return database;
}

std::unique_ptr<StoreWriter> connectMemory(
    std::shared_ptr<MemoryDatabase> database, const StoreOptions& options)
{
    return std::make_unique<MemoryStore>(std::move(database), options.intoFence);
}

void setFaults(MemoryDatabase& database, MemoryFaults faults) { database.faults = std::move(faults); }

// --- reading one run
// -----------------------------------------------------------------------------------------------

Result<const MemoryRun*> MemoryStore::find(const RunId& run) const
{
    const auto found = m_db->runs.find(run);
    if (found == m_db->runs.end())
        return missing(run);
    return &found->second;
}

Result<LoadedRun> MemoryStore::loadRun(const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    LoadedRun loaded{found->identity, found->hot, {}};
    const std::uint64_t newest = found->entries.size();
    const std::uint64_t last = toVersion == 0 ? newest : std::min(toVersion, newest);
    for (std::uint64_t v = std::max<std::uint64_t>(fromVersion, 1); v <= last; ++v)
        loaded.entries.push_back(found->entries[v - 1]);
    return loaded;
}

Result<HotRow> MemoryStore::hot(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    return found->hot;
}

Result<std::optional<std::uint64_t>> MemoryStore::findCommand(const RunId& run, const CommandId& command)
{
    const auto found = m_db->runs.find(run);
    if (found != m_db->runs.end())
        if (const auto at = found->second.commands.find(command); at != found->second.commands.end())
            return std::optional<std::uint64_t>(at->second);
    const auto stone = m_db->tombstones.find(run);
    if (stone != m_db->tombstones.end() && stone->second.begun == command)
        return std::optional<std::uint64_t>(1);
    return std::optional<std::uint64_t>();
}

Result<std::optional<RunRow>> MemoryStore::findKey(std::string_view workflow, std::string_view key)
{
    const auto found = m_db->keys.find({std::string(workflow), std::string(key)});
    if (key.empty() || found == m_db->keys.end())
        return std::optional<RunRow>();
    const auto run = m_db->runs.find(found->second);
    return std::optional<RunRow>(
        run != m_db->runs.end() ? run->second.identity : m_db->retired.at(found->second).identity);
}

Result<std::vector<RunId>> MemoryStore::findRuns(std::string_view idPrefix, std::size_t limit)
{
    const auto bounds = idBounds(idPrefix);
    std::vector<RunId> out;
    if (!bounds)
        return out;
    for (auto at = m_db->runs.lower_bound(RunId{bounds->low}); at != m_db->runs.end() && out.size() < limit;
         ++at) {
        if (RunId{bounds->high} < at->first)
            break;
        out.push_back(at->first);
    }
    return out;
}

Result<const PayloadRow*> MemoryStore::findPayload(const RunId& run, const PayloadId& payload) const
{
    if (const auto stone = m_db->tombstones.find(run); stone != m_db->tombstones.end())
        return makeError(ErrorKind::Refused, removedText(stone->second));
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    if (const auto act = found->redacted.find(payload); act != found->redacted.end())
        return redactedError(payload, act->second);
    const auto at = found->payloads.find(payload);
    if (at == found->payloads.end())
        return makeError(ErrorKind::NotFound, "run " + toText(run) + " has no payload " + toText(payload));
    return &at->second;
}

Result<PayloadInfo> MemoryStore::payloadInfo(const RunId& run, const PayloadId& payload)
{
    CAIRN_TRY_ASSIGN(const PayloadRow* row, findPayload(run, payload));
    return PayloadInfo{row->ref, row->salt, false, row->artifact};
}

Result<std::string> MemoryStore::payload(
    const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit)
{
    CAIRN_TRY_ASSIGN(const PayloadRow* row, findPayload(run, payload));
    std::string whole;
    if (row->artifact.isNull())
        whole = row->bytes;
    else
        for (const auto& [index, bytes] : m_db->artifacts.at(row->artifact).chunks)
            whole += bytes;
    const bool all = offset == 0 && limit >= row->ref.size;
    if (all && (whole.size() != row->ref.size || saltedDigest(row->salt, sha256(whole)) != row->ref.hash))
        return makeError(ErrorKind::Corrupt,
            "payload " + toText(payload) + " of run " + toText(run) + " does not fit its hash");
    if (offset >= whole.size())
        return std::string();
    return whole.substr(offset, limit);
}

Result<std::vector<FoundPayload>> MemoryStore::payloads(
    const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo)
{
    std::vector<FoundPayload> out;
    for (const PayloadId& id : ids) {
        auto info = payloadInfo(run, id);
        if (!info)
            continue;
        FoundPayload& found = out.emplace_back(FoundPayload{*std::move(info), std::nullopt});
        if (found.info.artifact.isNull() && found.info.ref.size <= inlineUpTo) {
            CAIRN_TRY_ASSIGN(found.bytes, payload(run, id, 0, kPayloadLimit));
        }
    }
    return out;
}

Result<std::vector<PayloadInfo>> MemoryStore::redactedPayloads(const RunId& run)
{
    std::vector<PayloadInfo> out;
    const auto found = m_db->runs.find(run);
    if (found != m_db->runs.end())
        for (const auto& [id, by] : found->second.redacted)
            out.push_back({found->second.payloads.at(id).ref, {}, true, {}, by});
    return out;
}

Result<std::vector<StepRow>> MemoryStore::steps(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    return values(found->steps);
}

Result<std::vector<AttemptRow>> MemoryStore::attempts(const RunId& run, StepIx step)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    std::vector<AttemptRow> out;
    for (const auto& [key, row] : found->attempts)
        if (step == kNoStep || row.step == step)
            out.push_back(row);
    std::stable_sort(out.begin(), out.end(), [](const AttemptRow& a, const AttemptRow& b) {
        return std::tie(a.step, a.number) < std::tie(b.step, b.number);
    });
    return out;
}

Result<std::vector<ApprovalRow>> MemoryStore::approvals(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    return values(found->approvals);
}

Result<std::vector<AttributeRow>> MemoryStore::attributes(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const MemoryRun* found, find(run));
    return values(found->attributes);
}

Result<std::vector<RunId>> MemoryStore::children(const RunId& run)
{
    const auto found = m_db->children.find(run);
    if (found == m_db->children.end())
        return std::vector<RunId>();
    return std::vector<RunId>(found->second.begin(), found->second.end());
}

// --- reading what runs share
// ---------------------------------------------------------------------------------------

Result<std::vector<EffectRow>> MemoryStore::effects(std::span<const EffectId> ids)
{
    std::vector<EffectRow> out;
    for (const EffectId& id : ids)
        if (const auto found = m_db->effects.find(id); found != m_db->effects.end())
            out.push_back(found->second);
    return out;
}

Result<std::vector<EffectRow>> MemoryStore::effectsOfRun(const RunId& run)
{
    std::vector<EffectRow> out;
    for (const auto& [id, row] : m_db->effects)
        if (row.holder == run)
            out.push_back(row);
    return out;
}

Result<std::vector<ResourceRow>> MemoryStore::resources() { return values(m_db->resources); }

Result<std::vector<SessionRow>> MemoryStore::sessions(bool endedToo)
{
    std::vector<SessionRow> out = values(m_db->sessions);
    if (!endedToo)
        std::erase_if(out, [](const SessionRow& s) { return s.endedAt != kNoTime; });
    return out;
}

Result<std::vector<WorkflowRow>> MemoryStore::workflows(bool withText)
{
    std::vector<WorkflowRow> out = values(m_db->workflows);
    if (!withText)
        for (WorkflowRow& row : out)
            row.text.clear();
    return out;
}

Result<std::optional<WorkflowRow>> MemoryStore::workflow(std::string_view name, std::uint32_t version)
{
    std::optional<WorkflowRow> best;
    for (const auto& [key, row] : m_db->workflows)
        if (key.first == name && (version == 0 || key.second == version))
            best = row;  // versions come in rising order
    return best;
}

Result<std::vector<AuditRow>> MemoryStore::audit(std::uint64_t after, std::size_t limit)
{
    std::vector<AuditRow> out;
    for (std::uint64_t seq = after; seq < m_db->audit.size() && out.size() < limit; ++seq)
        out.push_back(m_db->audit[seq]);
    return out;
}

Result<std::vector<AuditRow>> MemoryStore::auditOfRun(const RunId& run)
{
    std::vector<AuditRow> out;
    for (const AuditRow& row : m_db->audit)
        if (row.run == run)
            out.push_back(row);
    return out;
}

Result<std::optional<std::uint64_t>> MemoryStore::auditOfCommand(const CommandId& command)
{
    const auto found = m_db->actsWithoutRun.find(command);
    return found == m_db->actsWithoutRun.end() ? std::optional<std::uint64_t>()
                                               : std::optional(found->second);
}

Result<std::vector<VerifyProblem>> MemoryStore::check(bool)
{
    std::vector<VerifyProblem> problems;
    AuditVerifier verifier;
    for (const AuditRow& row : m_db->audit)
        if (!verifier.next(row)) {
            problems.push_back({"audit", verifier.problem()});
            break;
        }
    for (const auto& [id, review] : m_db->reviews)
        if (review.open())
            problems.push_back(openReview(review));
    return problems;
}

}  // namespace cairn
