#include "core/audit/checkpoint.h"

#include "core/audit/chain_check.h"
#include "core/base/wire.h"
#include "core/store/checks.h"

#include <algorithm>

namespace cairn::audit {

namespace {

constexpr std::size_t kPage = 2'000;
constexpr int kTries = 5;

Error willNotSign(const std::string& what)
{
    return makeError(
        ErrorKind::Corrupt, what + ": this is not signed. `cairn audit verify` says what was done to it");
}

// Makes one checkpoint after the other, each on the one before.
class Maker {
public:
    Maker(StoreWriter& store, const SigningKey& key, const std::string& login)
        : m_store(store)
        , m_key(key)
    {
        m_next.key = key.publicKey();
        m_next.login = login;
    }

    Result<Checkpointed> make()
    {
        CAIRN_TRY(begin());
        RunId after;
        for (bool more = true; more;) {
            CAIRN_TRY_ASSIGN(const auto page, m_store.runHeads(after, kPage));
            more = page.size() == kPage;
            for (const OpenHead& open : page) {
                after = open.now.run;
                if (open.now.version <= open.covered)
                    continue;
                CAIRN_TRY(checkRun(open));
                m_heads.push_back(open.now);
                if (m_heads.size() == kCheckpointRuns)
                    CAIRN_TRY(write());
            }
        }
        if (!m_heads.empty() || m_done.made == 0)
            CAIRN_TRY(write());
        return m_done;
    }

private:
    Status begin()
    {
        CAIRN_TRY_ASSIGN(const StoreInfo info, m_store.info());
        CAIRN_TRY_ASSIGN(const auto newest, m_store.newestCheckpoint());
        m_next.store = info.id;
        if (!newest)
            return checkAudit({});
        m_next.number = newest->number;
        m_next.previous = checkpointHash(*newest);
        if (!signatureHolds(*newest))
            return willNotSign("the signature of checkpoint " + std::to_string(newest->number) + " is bad");
        return checkAudit(*newest);
    }

    // From the end that the newest checkpoint has signed.
    Status checkAudit(const CheckpointRow& from)
    {
        std::uint64_t seq = from.auditSeq;
        Digest head = from.auditHead;
        if (seq > 0) {
            CAIRN_TRY_ASSIGN(const auto last, m_store.audit(seq - 1, 1));
            if (last.empty() || last.front().seq != seq || last.front().hash != head)
                return willNotSign("audit entry " + std::to_string(seq) + " is not the one that checkpoint "
                    + std::to_string(from.number) + " has signed");
        }
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto rows, m_store.audit(seq, kPage));
            for (const AuditRow& row : rows) {
                if (const Status link = checkAuditLink(row, seq, head); !link)
                    return willNotSign(link.error().text);
                seq = row.seq;
                head = row.hash;
            }
            if (rows.empty())
                break;
        }
        m_next.auditSeq = seq;
        m_next.auditHead = head;
        return {};
    }

    Status checkRun(const OpenHead& open)
    {
        Digest head = open.coveredHead;
        std::uint64_t version = open.covered;
        bool whole = true;
        const auto see = [&](const RunId& run, const SealedEntry& entry) {
            if (!whole || run != open.now.run || version == open.now.version)
                return;
            whole = entryFits(entry, version + 1, head);
            head = entry.hash;
            ++version;
        };
        while (whole && version < open.now.version) {
            const std::uint64_t before = version;
            CAIRN_TRY(m_store.eachEntry(
                {open.now.run, version}, std::min<std::uint64_t>(open.now.version - version, kPage), see));
            whole = whole && version > before;
        }
        if (!whole || head != open.now.head)
            return willNotSign("the history of run " + toText(open.now.run) + " is broken");
        return {};
    }

    Status write()
    {
        CAIRN_TRY_ASSIGN(m_next.time, m_store.now());
        ++m_next.number;
        m_next.runs = static_cast<std::uint32_t>(m_heads.size());
        m_next.runHeads = runHeadsDigest(m_heads);
        m_next.signature = sign(m_key, signedBytes(m_next));
        CAIRN_TRY(m_store.appendCheckpoint(m_next, m_heads));
        m_done.newest = m_next;
        m_done.runs += m_heads.size();
        ++m_done.made;
        m_next.previous = checkpointHash(m_next);
        m_heads.clear();
        return {};
    }

    StoreWriter& m_store;
    const SigningKey& m_key;
    CheckpointRow m_next;
    std::vector<RunHead> m_heads;
    Checkpointed m_done;
};

}  // namespace

std::string signedBytes(const CheckpointRow& row)
{
    WireWriter out;
    out.raw("cairn-checkpoint");
    out.u16(1);
    out.raw(saltView(row.store));
    out.u64(row.number);
    out.i64(row.time);
    out.u64(row.auditSeq);
    out.digest(row.auditHead);
    out.u32(row.runs);
    out.digest(row.runHeads);
    out.digest(row.previous);
    out.raw(row.key.view());
    return out.take();
}

Digest checkpointHash(const CheckpointRow& row) { return sha256(signedBytes(row), row.signature.view()); }

Digest runHeadsDigest(std::span<const RunHead> heads)
{
    WireWriter out;
    out.reserve(20 + heads.size() * 56);
    out.raw("cairn-run-heads");
    for (const RunHead& head : heads) {
        out.id(head.run);
        out.u64(head.version);
        out.digest(head.head);
    }
    return sha256(out.out());
}

bool signatureHolds(const CheckpointRow& row) noexcept
{
    return verifySignature(row.key, signedBytes(row), row.signature);
}

// Two that make one at the same time: the later one begins anew, on the other's.
Result<Checkpointed> makeCheckpoint(StoreWriter& store, const SigningKey& key, const std::string& login)
{
    for (int tries = 1;; ++tries) {
        auto made = Maker(store, key, login).make();
        if (made || made.error().kind != ErrorKind::Conflict || tries == kTries)
            return made;
    }
}

Result<bool> checkpointDue(StoreReader& store, SpanMs every)
{
    CAIRN_TRY_ASSIGN(const auto newest, store.newestCheckpoint());
    if (!newest)
        return true;
    CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
    return now - newest->time >= every;
}

}  // namespace cairn::audit
