// Proves a bundle that was read: chains, states, payloads, definitions, audit and signatures.

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/export/bundle_parts.h"
#include "core/export/bundle_reader.h"
#include "core/model/codec.h"
#include "core/service/verify.h"

#include <algorithm>

namespace cairn::exporting {

namespace {

class Prover {
public:
    Prover(const std::string& path, const Bundle& bundle, BundleVerdict& verdict, BundleFault& fault)
        : m_bundle(bundle)
        , m_reader(path, bundle)
        , m_verdict(verdict)
        , m_fault(fault)
    {
    }

    Status prove(const std::optional<PublicKey>& wanted)
    {
        CAIRN_TRY(definitions());
        for (const RunHead& head : m_bundle.manifest.runs)
            CAIRN_TRY(run(head));
        for (const auto& [name, file] : m_bundle.files)
            if ((name.starts_with("payloads/") || name.starts_with("artifacts/")) && !m_named.contains(name))
                return bad("unlisted", name, "no run names this payload");
        CAIRN_TRY(audit());
        CAIRN_TRY(heads(wanted));
        m_verdict.counts.audit = m_bundle.audit.size();
        m_verdict.counts.files = m_bundle.files.size() + 1;
        return {};
    }

private:
    Status bad(const char* kind, const std::string& where, const std::string& text)
    {
        m_fault = {kind, visibleLine(where), text};
        return makeError(ErrorKind::Corrupt, m_fault.where + ": " + text + " (" + kind + ")");
    }

    Status definitions()
    {
        for (const DefinitionRow& row : m_bundle.definitions) {
            const auto text = m_bundle.texts.find(row.digest);
            if (text == m_bundle.texts.end())
                return bad("missing", definitionFile(row.digest),
                    "the text of " + visibleLine(row.name) + " is missing");
            if (sha256(text->second) != row.digest)
                return bad("definition", definitionFile(row.digest), "it does not have the hash of its name");
        }
        return {};
    }

    Status run(const RunHead& head)
    {
        const BundleRun& run = m_bundle.runs.at(head.run);
        const LoadedRun& loaded = run.whole.loaded;
        const std::string folder = runFolder(head.run);
        if (loaded.identity.run != head.run)
            return bad("fold", folder + "state.json", "it is the state of another run");
        if (loaded.entries.empty() || loaded.entries.size() != head.version
            || loaded.entries.back().hash != head.head)
            return bad("chain", folder + "history.jsonl",
                "the chain does not end with the head that the manifest says");
        auto problems = verifyWhole(m_reader, run.whole, m_workflows);
        if (!problems)
            return bad("fold", folder + "state.json", problems.error().text);
        if (!problems->empty())
            return bad(
                "fold", folder + "state.json", problems->front().where + ": " + problems->front().text);
        CAIRN_TRY(payloads(run, folder + "payloads.jsonl"));
        ++m_verdict.counts.runs;
        m_verdict.counts.entries += loaded.entries.size();
        return {};
    }

    Status payloads(const BundleRun& run, const std::string& where)
    {
        std::map<PayloadId, PayloadRef> named;
        for (const SealedEntry& sealed : run.whole.loaded.entries) {
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            collectPayloads(entry, named);
        }
        for (const PayloadInfo& info : run.payloads) {
            const auto at = named.find(info.ref.id);
            if (at == named.end() || !(at->second == info.ref))
                return bad(
                    "payload", where, "payload " + toText(info.ref.id) + " is not as the entries name it");
            if (info.redacted) {
                ++m_verdict.counts.withheld;
                continue;
            }
            const std::string name = payloadFile(info);
            const auto file = m_bundle.files.find(name);
            if (file == m_bundle.files.end())
                return bad("missing", name, "the bytes of payload " + toText(info.ref.id) + " are missing");
            if (file->second.size != info.ref.size
                || saltedDigest(info.salt, file->second.sha256) != info.ref.hash)
                return bad("payload", name, "the bytes do not fit the hash that the entries have of them");
            m_named.insert(name);
            ++m_verdict.counts.payloads;
            m_verdict.counts.bytes += info.ref.size;
        }
        return {};
    }

    // A part of the store's audit: each entry by its own hash, and by its link where its neighbour is here.
    Status audit()
    {
        const AuditRow* before = nullptr;
        for (const AuditRow& row : m_bundle.audit) {
            const std::string where = "audit.jsonl, entry " + std::to_string(row.seq);
            if (auditHash(row) != row.hash)
                return bad("audit", where, "it was changed after it was written");
            if (before && row.seq <= before->seq)
                return bad("audit", where, "it is out of order");
            if (before && row.seq == before->seq + 1 && row.previous != before->hash)
                return bad("audit", where, "it does not continue the entry before it");
            if (!m_bundle.runs.contains(row.run))
                return bad("audit", where, "it is about a run that is not here");
            if (row.seq > m_bundle.manifest.auditSeq
                || (row.seq == m_bundle.manifest.auditSeq && row.hash != m_bundle.manifest.auditHead))
                return bad("audit", where, "it does not fit the audit's head that the manifest says");
            before = &row;
        }
        return {};
    }

    Status heads(const std::optional<PublicKey>& wanted)
    {
        if (m_bundle.heads) {
            if (m_bundle.heads->statement != headsStatement(m_bundle.manifest))
                return bad("signature", "heads.json", "what is signed is not what the manifest says");
            for (const HeadSignature& one : m_bundle.heads->signatures) {
                if (!verifySignature(one.key, m_bundle.heads->statement, one.signature))
                    return bad("signature", "heads.json",
                        "the signature does not fit the key " + fingerprint(one.key));
                m_verdict.signedBy.push_back(one.key);
            }
        }
        const auto& all = m_verdict.signedBy;
        if (wanted && std::find(all.begin(), all.end(), *wanted) == all.end())
            return bad("signature", "heads.json", "it is not signed with the key " + fingerprint(*wanted));
        return {};
    }

    const Bundle& m_bundle;
    BundleReader m_reader;
    BundleVerdict& m_verdict;
    BundleFault& m_fault;
    ParsedWorkflows m_workflows;
    std::set<std::string> m_named;
};

}  // namespace

Status proveBundle(const std::string& path, const Bundle& bundle, const std::optional<PublicKey>& wanted,
    BundleVerdict& verdict, BundleFault& fault)
{
    verdict.redacted = bundle.manifest.redacted;
    verdict.tool = bundle.manifest.tool;
    verdict.exporter = bundle.manifest.exporter;
    verdict.exportedAt = bundle.manifest.exportedAt;
    return Prover(path, bundle, verdict, fault).prove(wanted);
}

Result<BundleVerdict> verifyBundle(const std::string& path, const std::optional<PublicKey>& wanted)
{
    Bundle bundle;
    BundleVerdict verdict;
    BundleFault fault;
    Status proved = loadBundle(path, bundle, fault);
    if (proved)
        proved = proveBundle(path, bundle, wanted, verdict, fault);
    if (!proved && fault.kind.empty())
        return proved.error();
    if (!proved)
        verdict.fault = std::move(fault);
    return verdict;
}

BundleProof proofOf(const BundleVerdict& verdict, const std::optional<PublicKey>& wanted)
{
    const BundleCounts& c = verdict.counts;
    BundleProof proof;
    proof.shown.push_back("each of its " + counted(c.files, "file") + " is the one that its manifest names");
    proof.shown.push_back("the " + counted(c.entries, "entry", "entries") + " of " + counted(c.runs, "run")
        + " follow each other without a break, and give the states that are in it");
    if (c.payloads > 0)
        proof.shown.push_back(counted(c.payloads, "payload") + " have the bytes that the entries name");
    if (c.audit > 0)
        proof.shown.push_back(
            "the acts of people in it (" + std::to_string(c.audit) + ") are as they were written");
    if (c.withheld > 0)
        proof.notShown.push_back("what " + counted(c.withheld, "payload")
            + " said, whose bytes were left out: the entries name them by hashes with a salt that is not "
              "here");
    if (verdict.signedBy.empty()) {
        proof.notShown.emplace_back(
            "who made it: nobody has signed it, and whoever can write a file can make all of it anew");
    } else {
        proof.shown.push_back("all of it was signed with the key "
            + fingerprint(wanted.value_or(verdict.signedBy.front())) + (wanted ? ", which you named" : ""));
        if (!wanted)
            proof.notShown.emplace_back(
                "whose key that is: compare it with one that you got another way, and name "
                "that with --signed-by");
    }
    proof.notShown.emplace_back(
        "that the store had no other runs, and no other acts of people than those on these runs");
    proof.notShown.push_back("what came after " + formatInstant(verdict.exportedAt));
    proof.notShown.emplace_back(
        "that the store had not been rewritten before: compare the heads with a checkpoint, an "
        "anchor or an earlier bundle of the same runs");
    return proof;
}

}  // namespace cairn::exporting
