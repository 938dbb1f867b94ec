// Makes a store from a bundle, run by run, in the order of the file: small payloads of one run are held,
// large ones go to the store in chunks as they come.

#include "core/base/json_scan.h"
#include "core/export/bundle_parts.h"
#include "core/export/zip.h"
#include "core/model/codec.h"
#include "core/service/impl.h"
#include "core/store/fence.h"

namespace cairn::exporting {

namespace {

constexpr std::size_t kMembersAtOnce = 256;

class Importer {
public:
    Importer(const ImportRequest& request, const Bundle& bundle)
        : m_request(request)
        , m_bundle(bundle)
    {
        for (const auto& [id, run] : bundle.runs)
            for (const PayloadInfo& info : run.payloads)
                if (!info.redacted && m_infos[payloadFile(info)].emplace_back(&info)->artifact.isNull())
                    ++m_uses[payloadFile(info)];
    }

    Status run()
    {
        CAIRN_TRY(make());
        CAIRN_TRY(shared());
        CAIRN_TRY_ASSIGN(const auto zip, ZipReader::open(m_request.path));
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto item, zip->next());
            if (!item)
                break;
            if (item->name.starts_with("runs/") || item->name == "definitions.jsonl")
                CAIRN_TRY(addWholeRuns());
            if (m_infos.contains(item->name))
                CAIRN_TRY(bytes(*zip, item->name));
        }
        CAIRN_TRY(addWholeRuns());
        if (m_next != m_bundle.manifest.runs.size())
            return makeError(ErrorKind::Corrupt, "the bundle changed while it was read");
        return close();
    }

private:
    // With an identity of its own: what is done here is done nowhere else.
    Status make()
    {
        InitOptions options;
        options.environment = m_bundle.manifest.environment;
        CAIRN_TRY(m_request.to.make(options));
        CAIRN_TRY_ASSIGN(m_to, m_request.to.open({}));
        return {};
    }

    Status shared()
    {
        for (const DefinitionRow& row : m_bundle.definitions)
            CAIRN_TRY(m_to->addWorkflow(
                {row.name, row.version, row.digest, m_bundle.texts.at(row.digest), {}, row.addedAt}));
        for (const AuditRow& row : m_bundle.audit)
            CAIRN_TRY(m_to->appendAudit(row));
        return {};
    }

    Status bytes(ZipReader& zip, const std::string& name)
    {
        const auto& infos = m_infos[name];
        const PayloadInfo& first = *infos.front();
        std::string held;
        std::uint32_t index = 0;
        const auto stage = [&](std::string_view chunk) -> Status {
            std::set<ArtifactId> staged;
            for (const PayloadInfo* info : infos)
                if (staged.insert(info->artifact).second)
                    CAIRN_TRY(m_to->stageChunk(info->artifact, index, chunk));
            ++index;
            return {};
        };
        for (;;) {
            if (m_request.stopped())
                return makeError(ErrorKind::Cancelled, "stopped; nothing was left behind");
            CAIRN_TRY_ASSIGN(const std::string_view some, zip.read());
            if (some.empty())
                break;
            held.append(some);
            if (held.size() > kPayloadLimit)
                return makeError(ErrorKind::Corrupt, "the bundle changed while it was read");
            while (!first.artifact.isNull() && held.size() >= kChunkSize) {
                CAIRN_TRY(stage(std::string_view(held).substr(0, kChunkSize)));
                held.erase(0, kChunkSize);
            }
        }
        if (first.artifact.isNull())
            m_held[name] = std::move(held);
        else if (!held.empty())
            CAIRN_TRY(stage(held));
        m_here.insert(name);
        return {};
    }

    // Those whose payloads have come, in the order of the file.
    Status addWholeRuns()
    {
        const auto& heads = m_bundle.manifest.runs;
        for (; m_next < heads.size(); ++m_next) {
            const BundleRun& run = m_bundle.runs.at(heads[m_next].run);
            for (const PayloadInfo& info : run.payloads)
                if (!info.redacted && !m_here.contains(payloadFile(info)))
                    return {};
            CAIRN_TRY(add(run));
        }
        return {};
    }

    Status add(const BundleRun& run)
    {
        const LoadedRun& loaded = run.whole.loaded;
        std::map<PayloadId, const PayloadInfo*> left;
        for (const PayloadInfo& info : run.payloads)
            left[info.ref.id] = &info;
        std::vector<CommitMember> group;
        for (const SealedEntry& sealed : loaded.entries) {
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            CommitMember& member = group.emplace_back();
            member.run = loaded.identity.run;
            member.create = sealed.version == 1;
            member.expectedVersion = sealed.version - 1;
            member.checkEpoch = false;
            member.control = loaded.hot.control;
            member.nextDue = loaded.hot.nextDue;
            member.entry = sealed;
            if (member.create)
                member.identity = loaded.identity;
            for (const PayloadId& id : payloadsOf(entry))
                if (const auto at = left.find(id); at != left.end()) {
                    member.payloads.push_back(payload(*at->second));
                    left.erase(at);
                }
            if (sealed.version == loaded.hot.version)
                rows(run.whole, member);
            if (group.size() == kMembersAtOnce)
                CAIRN_TRY(commit(group));
        }
        return commit(group);
    }

    PayloadRow payload(const PayloadInfo& info)
    {
        PayloadRow row{info.ref, info.salt, {}, info.artifact};
        row.redactedBy = info.redacted ? kWithheldBy : 0;
        if (info.redacted || !info.artifact.isNull())
            return row;
        const std::string name = payloadFile(info);
        row.bytes = m_held[name];
        if (--m_uses[name] == 0)
            m_held.erase(name);
        return row;
    }

    static void rows(const WholeRun& whole, CommitMember& member)
    {
        member.list = whole.list;
        member.steps = whole.steps;
        member.attempts = whole.attempts;
        member.approvals = whole.approvals;
        member.attributes = whole.attributes;
        for (const EffectRow& row : whole.effects) {
            member.effects.push_back({row});
            member.effects.back().row.revision = 0;
        }
    }

    Status commit(std::vector<CommitMember>& group)
    {
        if (group.empty())
            return {};
        std::vector<MemberResult> results;
        CAIRN_TRY(m_to->commit(group, results));
        for (const MemberResult& result : results)
            if (result.kind != MemberResult::Kind::Committed)
                return makeError(
                    result.kind == MemberResult::Kind::Failed ? result.error.kind : ErrorKind::Conflict,
                    "run " + toText(group.front().run) + " could not be written: "
                        + (result.error.text.empty() ? "it does not fit what is there" : result.error.text));
        group.clear();
        return {};
    }

    Status close()
    {
        CAIRN_TRY_ASSIGN(const StoreInfo info, m_to->info());
        FenceChange change;
        change.from = info.minWriter;
        change.to = minWriterOf({FenceKind::Imported, 0});
        AuditRow act = m_request.act;
        CAIRN_TRY_ASSIGN(act.time, m_to->now());
        act.kind = "applied";
        act.verb = Verb::ImportRuns;
        act.target = "store";
        act.command = makeId<CommandId>(act.time, m_request.rng);
        act.before = "{\"store\":" + jsonQuote(m_bundle.manifest.store)
            + ",\"audit_seq\":" + std::to_string(m_bundle.manifest.auditSeq) + "}";
        act.after = "{\"runs\":" + std::to_string(m_bundle.runs.size())
            + ",\"exported\":" + std::to_string(m_bundle.manifest.exportedAt)
            + ",\"exporter\":" + jsonQuote(m_bundle.manifest.exporter) + "}";
        change.audit = std::move(act);
        CAIRN_TRY(m_to->changeFence(change));
        return m_to->checkpoint();
    }

    const ImportRequest& m_request;
    const Bundle& m_bundle;
    std::unique_ptr<StoreWriter> m_to;
    std::map<std::string, std::vector<const PayloadInfo*>> m_infos;  // by the name of their file
    std::map<std::string, std::size_t> m_uses;                       // of inline ones
    std::map<std::string, std::string> m_held;
    std::set<std::string> m_here;
    std::size_t m_next = 0;  // of the manifest's runs
};

}  // namespace

Result<BundleCounts> importBundle(const ImportRequest& request)
{
    Bundle bundle;
    BundleVerdict verdict;
    BundleFault fault;
    CAIRN_TRY(loadBundle(request.path, bundle, fault));
    CAIRN_TRY(proveBundle(request.path, bundle, std::nullopt, verdict, fault));
    CAIRN_TRY(Importer(request, bundle).run());
    return verdict.counts;
}

}  // namespace cairn::exporting
