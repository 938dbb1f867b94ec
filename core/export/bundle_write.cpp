// Writes a bundle as a stream: a run at a time, of which a page of entries, or a chunk of a payload, is held.

#include "core/base/failpoint.h"
#include "core/export/bundle_parts.h"
#include "core/export/zip.h"
#include "core/model/codec.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn::exporting {

namespace {

constexpr std::uint64_t kEntriesAtOnce = 256;
constexpr std::size_t kAuditPage = 1'000;

constexpr std::string_view kReadMe =
    "A bundle of runs, written by cairn. `cairn verify FILE` proves it without a database, `cairn import "
    "FILE`\n"
    "makes a store of it to look at.\n\n"
    "manifest.json                 what is in here: each file with its size and SHA-256\n"
    "runs/ID/history.jsonl         each entry as it is stored: body is base64;\n"
    "                              hash = SHA-256(\"cairn-entry\\0\", format in 2 bytes, previous, body)\n"
    "runs/ID/decoded.jsonl         the same entries, to be read\n"
    "runs/ID/payloads.jsonl        payloads by id; hash = SHA-256(salt, SHA-256(bytes))\n"
    "runs/ID/state.json            what the entries fold to\n"
    "payloads/HASH artifacts/HASH  the bytes of small and large payloads\n"
    "definitions/SHA256.json       workflows, listed in definitions.jsonl\n"
    "audit.jsonl                   what people did to these runs\n"
    "heads.json                    where there is one: the ends of all chains and the hashes of all files,\n"
    "                              signed with Ed25519\n";

Error stoppedError() { return makeError(ErrorKind::Cancelled, "stopped; nothing was left behind"); }

class BundleWriter {
public:
    BundleWriter(StoreReader& reader, OutputFile& out, const BundleOptions& options)
        : m_reader(reader)
        , m_zip(out)
        , m_options(options)
    {
    }

    Result<BundleReport> write(std::span<const RunId> runs)
    {
        CAIRN_TRY(begin());
        BundleProgress progress{0, runs.size(), 0};
        for (const RunId& run : runs) {
            if (m_audited.contains(run))
                continue;  // named twice
            m_audited.insert(run);
            CAIRN_TRY(writeRun(run));
            ++m_report.counts.runs;
            progress.runs = m_report.counts.runs;
            progress.bytes = m_report.counts.bytes;
            m_options.tell(progress);
            if (failpoint::hit("export.run"))
                return makeError(ErrorKind::Io, "stopped by a failpoint");
        }
        CAIRN_TRY(writeDefinitions());
        CAIRN_TRY(writeAudit());
        CAIRN_TRY(writeHeads());
        m_report.counts.files = m_manifest.files.size() + 1;
        CAIRN_TRY(open("manifest.json"));
        CAIRN_TRY(m_zip.write(manifestJson(m_manifest)));
        CAIRN_TRY(m_zip.finish());
        return std::move(m_report);
    }

private:
    // --- files
    Status open(const std::string& name, std::optional<std::uint64_t> size = std::nullopt)
    {
        m_name = name;
        m_size = 0;
        m_hash = std::make_unique<Sha256>();
        return m_zip.begin(name, size);
    }
    Status put(std::string_view bytes)
    {
        if (m_options.stopped())
            return stoppedError();
        m_hash->update(bytes);
        m_size += bytes.size();
        return m_zip.write(bytes);
    }
    Digest close()
    {
        const Digest digest = m_hash->finish();
        m_manifest.files[m_name] = {m_size, digest};
        return digest;
    }
    Status whole(const std::string& name, std::string_view bytes)
    {
        CAIRN_TRY(open(name, bytes.size()));
        CAIRN_TRY(put(bytes));
        static_cast<void>(close());
        return {};
    }

    Status begin()
    {
        CAIRN_TRY_ASSIGN(const StoreInfo info, m_reader.info());
        CAIRN_TRY_ASSIGN(m_manifest.exportedAt, m_reader.now());
        m_manifest.tool = m_options.tool;
        m_manifest.exporter = m_options.exporter;
        m_manifest.filter = m_options.filter;
        m_manifest.store = uuidText(info.id);
        m_manifest.environment = info.environment;
        m_manifest.redacted = m_options.redact;
        if (m_options.redact)
            m_manifest.masked = {"bytes and salts of payloads", "keys of runs and of effects",
                "business attributes", "texts of errors"};
        return whole("README.txt", kReadMe);
    }

    // --- one run
    struct Run {
        RunId id;
        WholeRun whole;
        RunState state;
        std::map<PayloadId, PayloadRef> refs;
        std::vector<PayloadInfo> payloads;
    };

    Status writeRun(const RunId& id)
    {
        Run run{id, {}, {}, {}, {}};
        CAIRN_TRY_ASSIGN(auto wholes, m_reader.wholeRuns(std::span(&id, 1), {false, true, false}));
        run.whole = std::move(wholes.front());
        CAIRN_TRY(writeHistory(run));
        CAIRN_TRY(writeDecoded(run));
        CAIRN_TRY(m_options.redact ? nameOnly(run) : findPayloads(run));
        CAIRN_TRY(open(runFolder(id) + "payloads.jsonl"));
        for (const PayloadInfo& info : run.payloads)
            CAIRN_TRY(put(toJson(info) + "\n"));
        static_cast<void>(close());
        if (m_options.redact)
            CAIRN_TRY(mask(run));
        CAIRN_TRY(whole(runFolder(id) + "state.json", stateJson(run.whole) + "\n"));
        m_manifest.runs.push_back({id, run.state.version, run.state.head});
        noteWorkflow(run.whole.loaded.identity.workflow);
        noteWorkflow(run.state.workflow);
        return writePayloads(run);
    }

    // Up to the version at which the rows were read: the run may go on meanwhile.
    template<typename Each> Status eachEntry(Run& run, Each&& each)
    {
        const std::uint64_t last = run.whole.loaded.hot.version;
        for (std::uint64_t version = 0; version < last;) {
            CAIRN_TRY_ASSIGN(LoadedRun page,
                m_reader.loadRun(run.id, version + 1, std::min(version + kEntriesAtOnce, last)));
            if (page.entries.empty())
                return makeError(ErrorKind::Corrupt,
                    "run " + toText(run.id) + " has no entry after version " + std::to_string(version));
            if (version == 0)
                run.whole.loaded.identity = std::move(page.identity);
            for (const SealedEntry& sealed : page.entries)
                CAIRN_TRY(each(sealed));
            version += page.entries.size();
        }
        return {};
    }

    // A history that does not verify is not exported as if it did.
    Status writeHistory(Run& run)
    {
        CAIRN_TRY(open(runFolder(run.id) + "history.jsonl"));
        CAIRN_TRY(eachEntry(run, [&](const SealedEntry& sealed) -> Status {
            CAIRN_TRY(checkSeal(sealed, run.state.head));
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            if (entry.version != run.state.version + 1)
                return makeError(ErrorKind::Corrupt, "run " + toText(run.id) + " lacks an entry");
            apply(run.state, entry);
            run.state.head = sealed.hash;
            collectPayloads(entry, run.refs);
            ++m_report.counts.entries;
            return put(toJson(sealed) + "\n");
        }));
        static_cast<void>(close());
        return {};
    }

    Status writeDecoded(Run& run)
    {
        CAIRN_TRY(open(runFolder(run.id) + "decoded.jsonl"));
        CAIRN_TRY(eachEntry(run, [&](const SealedEntry& sealed) -> Status {
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            return put(entryJson(entry) + "\n");
        }));
        static_cast<void>(close());
        return {};
    }

    // What the entries say of them is all that a redacted bundle says: with a salt one could try out guesses.
    Status nameOnly(Run& run)
    {
        for (const auto& [id, ref] : run.refs)
            run.payloads.push_back({ref, {}, true, {}});
        m_report.counts.withheld += run.payloads.size();
        return {};
    }

    Status findPayloads(Run& run)
    {
        std::vector<PayloadId> ids;
        for (const auto& [id, ref] : run.refs)
            ids.push_back(id);
        std::set<PayloadId> found;
        for (std::size_t at = 0; at < ids.size(); at += kPayloadPage) {
            const auto page = std::span(ids).subspan(at, std::min(kPayloadPage, ids.size() - at));
            CAIRN_TRY_ASSIGN(auto some, m_reader.payloads(run.id, page, 0));
            for (FoundPayload& payload : some) {
                found.insert(payload.info.ref.id);
                run.payloads.push_back(std::move(payload.info));
            }
        }
        for (const PayloadId& id : ids) {
            if (found.contains(id))
                continue;
            auto info = m_reader.payloadInfo(run.id, id);
            if (!info && info.error().kind == ErrorKind::NotFound)
                continue;                                            // named, but of another run
            if (!info && info.error().kind == ErrorKind::Refused) {  // redacted: what the entries say is left
                run.payloads.push_back({run.refs.at(id), {}, true, {}});
                continue;
            }
            CAIRN_TRY(info);
            run.payloads.push_back(*std::move(info));
        }
        std::sort(run.payloads.begin(), run.payloads.end(),
            [](const PayloadInfo& a, const PayloadInfo& b) { return a.ref.id < b.ref.id; });
        return {};
    }

    Status mask(Run& run)
    {
        RunRow& identity = run.whole.loaded.identity;
        identity.key.clear();
        identity.keyInput = {};
        identity.keySalt = {};
        if (run.whole.list) {
            run.whole.list->key.clear();
            finishListRow(*run.whole.list, {}, listStepName(run.state, m_manifest.exportedAt));
        }
        run.whole.attributes.clear();
        for (EffectRow& effect : run.whole.effects) {
            effect.key.clear();
            effect.inputSalt = {};
            effect.inputDigest = {};
        }
        return {};
    }

    Status writePayloads(const Run& run)
    {
        for (const PayloadInfo& info : run.payloads) {
            if (info.redacted) {
                m_report.counts.withheld += m_options.redact ? 0 : 1;
                continue;
            }
            ++m_report.counts.payloads;
            m_report.counts.bytes += info.ref.size;
            if (!m_manifest.files.contains(payloadFile(info)))
                CAIRN_TRY(writePayload(run.id, info));
        }
        return {};
    }

    Status writePayload(const RunId& run, const PayloadInfo& info)
    {
        CAIRN_TRY(open(payloadFile(info), info.ref.size));
        for (std::uint64_t at = 0; at < info.ref.size;) {
            CAIRN_TRY_ASSIGN(const std::string bytes, m_reader.payload(run, info.ref.id, at, kChunkSize));
            if (bytes.empty())
                break;
            at += bytes.size();
            CAIRN_TRY(put(bytes));
        }
        if (saltedDigest(info.salt, close()) != info.ref.hash)
            return makeError(ErrorKind::Corrupt,
                "payload " + toText(info.ref.id) + " of run " + toText(run) + " does not fit its hash");
        return {};
    }

    // --- what the runs share
    void noteWorkflow(const WorkflowRef& ref)
    {
        if (!ref.name.empty())
            m_workflows.emplace(ref.name, ref.version);
    }

    Status writeDefinitions()
    {
        std::string lines;
        for (const auto& [name, version] : m_workflows) {
            CAIRN_TRY_ASSIGN(const auto row, m_reader.workflow(name, version));
            if (!row)
                continue;
            lines += toJson(DefinitionRow{row->name, row->version, row->digest, row->addedAt}) + "\n";
            if (!m_manifest.files.contains(definitionFile(row->digest)))
                CAIRN_TRY(whole(definitionFile(row->digest), row->text));
        }
        return whole("definitions.jsonl", lines);
    }

    Status writeAudit()
    {
        std::map<std::uint64_t, AuditRow> rows;
        for (const RunId& run : m_audited) {
            auto some = m_reader.auditOfRun(run);
            if (!some && some.error().kind == ErrorKind::NoRight) {
                m_report.notes.emplace_back("the audit is left out: it is not for this login");
                return whole("audit.jsonl", {});
            }
            CAIRN_TRY(some);
            for (AuditRow& row : *some)
                rows.emplace(row.seq, std::move(row));
        }
        std::string lines;
        for (const auto& [seq, row] : rows)
            lines += toJson(row) + "\n";
        m_report.counts.audit = rows.size();
        CAIRN_TRY(whole("audit.jsonl", lines));
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto page, m_reader.audit(m_manifest.auditSeq, kAuditPage));
            if (page.empty())
                return {};
            m_manifest.auditSeq = page.back().seq;
            m_manifest.auditHead = page.back().hash;
            if (m_options.stopped())
                return stoppedError();
        }
    }

    Status writeHeads()
    {
        if (!m_options.signHeads)
            return {};
        const std::string statement = headsStatement(m_manifest);
        CAIRN_TRY_ASSIGN(const auto signatures, m_options.signHeads(statement));
        return whole(std::string(kHeadsFile), headsJson(statement, signatures));
    }

    StoreReader& m_reader;
    ZipWriter m_zip;
    const BundleOptions& m_options;
    Manifest m_manifest;
    BundleReport m_report;
    std::set<RunId> m_audited;
    std::set<std::pair<std::string, std::uint32_t>> m_workflows;
    std::string m_name;
    std::uint64_t m_size = 0;
    std::unique_ptr<Sha256> m_hash;
};

}  // namespace

Result<BundleReport> writeBundle(
    StoreReader& reader, std::span<const RunId> runs, const std::string& path, const BundleOptions& options)
{
    CAIRN_TRY_ASSIGN(const auto out, OutputFile::create(path));
    BundleWriter writer(reader, *out, options);
    CAIRN_TRY_ASSIGN(BundleReport report, writer.write(runs));
    CAIRN_TRY(out->finish());
    report.size = out->size();
    return report;
}

}  // namespace cairn::exporting
