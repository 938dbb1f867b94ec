#include "core/audit/verify_audit.h"

#include "core/audit/chain_check.h"

#include <algorithm>
#include <functional>
#include <future>

namespace cairn::audit {

namespace {

constexpr std::size_t kPage = 1'000;
constexpr const char* kCheckpoints = "checkpoints";

std::string number(std::uint64_t value) { return std::to_string(value); }

bool mayBeSignedWith(const PublicKey& key, const std::vector<PublicKey>& keys)
{
    return keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Checkpoints one after the other, with the heads of runs that they cover.
class CheckpointCheck {
public:
    CheckpointCheck(StoreReader& store, const Questions& questions, Report& report)
        : m_store(store)
        , m_questions(questions)
        , m_report(report)
    {
    }

    Status run()
    {
        CAIRN_TRY_ASSIGN(const StoreInfo info, m_store.info());
        m_id = info.id;
        for (bool more = true; more && !m_broken;) {
            CAIRN_TRY_ASSIGN(const auto rows, m_store.checkpoints(m_report.checkpoints, kPage));
            more = !rows.empty();
            for (const CheckpointRow& row : rows) {
                CAIRN_TRY(one(row));
                if (m_broken)
                    break;
            }
        }
        for (const KnownCheckpoint& known : m_questions.checkpoints)
            if (!m_broken && known.number > m_report.checkpoints)
                broken(Damage::CutAtEnd, m_report.checkpoints + 1,
                    "they end with " + number(m_report.checkpoints) + ", and " + known.from
                        + " names checkpoint " + number(known.number));
        return {};
    }
    // Ends of the audit that they have signed.
    [[nodiscard]] std::vector<KnownHead> take() { return std::move(m_heads); }

private:
    void broken(Damage kind, std::uint64_t at, const std::string& text)
    {
        m_report.found.push_back({kind, kCheckpoints, at, "checkpoints: " + text});
        m_broken = true;
    }

    Status one(const CheckpointRow& row)
    {
        const std::uint64_t here = m_report.checkpoints + 1;
        const std::string name = "checkpoint " + number(row.number);
        if (row.number != here) {
            broken(Damage::Removed, here, "checkpoint " + number(here) + " was removed");
            return {};
        }
        if (!signatureHolds(row)) {
            broken(Damage::BadSignature, here,
                "the signature of " + name + " does not fit: it, or what it signs, was changed");
            return {};
        }
        if (!mayBeSignedWith(row.key, m_questions.keys)) {
            broken(Damage::BadSignature, here,
                name + " is signed with another key than the one that was named: " + publicKeyText(row.key));
            return {};
        }
        if (row.previous != m_report.newestHash) {
            broken(Damage::ReplacedTail, here, name + " was made after another one than " + number(here - 1));
            return {};
        }
        if (row.store != m_id) {
            broken(Damage::Inserted, here, name + " was made in another store, " + uuidText(row.store));
            return {};
        }
        CAIRN_TRY(heads(row));
        accept(row);
        return {};
    }

    void accept(const CheckpointRow& row)
    {
        m_report.checkpoints = row.number;
        m_report.newest = row;
        m_report.newestHash = checkpointHash(row);
        if (row.auditSeq > 0)
            m_heads.push_back({"checkpoint " + number(row.number), row.auditSeq, row.auditHead});
        for (const KnownCheckpoint& known : m_questions.checkpoints)
            if (!m_broken && known.number == row.number && known.hash != m_report.newestHash)
                broken(Damage::ReplacedTail, row.number,
                    "checkpoint " + number(row.number) + " is not the one that " + known.from + " names");
    }

    Status heads(const CheckpointRow& row)
    {
        CAIRN_TRY_ASSIGN(const auto covered, m_store.coveredHeads(row.number));
        std::vector<RunHead> listed;
        listed.reserve(covered.size());
        for (const CoveredHead& head : covered)
            listed.push_back(head.signedHead);
        if (listed.size() != row.runs || runHeadsDigest(listed) != row.runHeads) {
            broken(Damage::Changed, row.number,
                "the list of runs that checkpoint " + number(row.number) + " has signed was changed");
            return {};
        }
        for (const CoveredHead& head : covered)
            if (m_report.found.size() < m_questions.most) {
                if (head.stored.isNull() && head.deletedAt >= head.signedHead.version)
                    CAIRN_TRY(compareWithStone(row, head.signedHead));
                else
                    compare(row, head);
            }
        return {};
    }

    // A run that was deleted as the rules have it left a tombstone, which says where its history ended.
    Status compareWithStone(const CheckpointRow& row, const RunHead& then)
    {
        CAIRN_TRY_ASSIGN(const auto stone, m_store.tombstone(then.run));
        const std::string chain = "run " + toText(then.run);
        if (stone && sealOf(m_id, *stone) == StoneSeal::Bad)
            m_report.found.push_back({Damage::BadSignature, chain, then.version,
                chain + ": its tombstone was changed after it was signed"});
        else if (stone && stone->versions == then.version && stone->head != then.head)
            m_report.found.push_back({Damage::ReplacedTail, chain, then.version,
                chain + ": its tombstone ends in another entry " + number(then.version) + " than checkpoint "
                    + number(row.number) + " has signed"});
        return {};
    }

    // Against what is there now.
    void compare(const CheckpointRow& row, const CoveredHead& head)
    {
        const RunHead& then = head.signedHead;
        if (head.stored == then.head)
            return;
        const std::string chain = "run " + toText(then.run);
        const std::string what = chain + ": entry " + number(then.version);
        const std::string by = ", which checkpoint " + number(row.number) + " has signed, ";
        if (head.stored.isNull())
            m_report.found.push_back({Damage::CutAtEnd, chain, then.version, what + by + "is gone"});
        else
            m_report.found.push_back(
                {Damage::ReplacedTail, chain, then.version, what + by + "was replaced by another"});
    }

    StoreReader& m_store;
    const Questions& m_questions;
    Report& m_report;
    UuidBytes m_id{};
    std::vector<KnownHead> m_heads;
    bool m_broken = false;
};

// Reads the audit, and looks for what is known on the way.
class AuditWalker {
public:
    AuditWalker(StoreReader& store, std::uint64_t seq, const Digest& head, std::vector<KnownHead> known)
        : m_store(store)
        , m_known(std::move(known))
    {
        m_walk.seq = seq;
        m_walk.head = head;
        std::erase_if(m_known, [&](const KnownHead& k) { return k.seq != 0 && k.seq <= seq; });
        std::stable_sort(m_known.begin(), m_known.end(),
            [](const KnownHead& a, const KnownHead& b) { return a.seq < b.seq; });
        m_next = static_cast<std::size_t>(
            std::find_if(m_known.begin(), m_known.end(), [](const KnownHead& k) { return k.seq != 0; })
            - m_known.begin());
        m_anywhere.assign(m_known.begin(), m_known.begin() + static_cast<std::ptrdiff_t>(m_next));
    }

    // While one page is hashed the next is read.
    Result<AuditWalk> walk()
    {
        std::vector<AuditRow> page;
        std::vector<AuditRow> next;
        CAIRN_TRY(m_store.auditPage(m_walk.seq, kPage, page));
        while (!page.empty()) {
            auto hashed = std::async(std::launch::async | std::launch::deferred, wholeRows, std::cref(page));
            const Status read = m_store.auditPage(page.back().seq, kPage, next);
            const std::size_t whole = hashed.get();
            CAIRN_TRY(read);
            for (std::size_t at = 0; at < page.size(); ++at)
                if (!one(page[at], at < whole)) {
                    CAIRN_TRY(explain());
                    return m_walk;
                }
            std::swap(page, next);
        }
        missing();
        return m_walk;
    }

private:
    // How many rows from the first on have the hash that is stored with them.
    static std::size_t wholeRows(const std::vector<AuditRow>& rows)
    {
        WireWriter room;
        const auto bad = std::find_if(
            rows.begin(), rows.end(), [&](const AuditRow& row) { return auditHash(row, room) != row.hash; });
        return static_cast<std::size_t>(bad - rows.begin());
    }

    // False: it does not fit, or is another than is known.
    bool one(const AuditRow& row, bool whole)
    {
        if (row.seq != m_walk.seq + 1 || row.previous != m_walk.head || !whole) {
            m_broken = true;
            return false;
        }
        m_before = m_walk.head;
        m_walk.seq = row.seq;
        m_walk.head = row.hash;
        std::erase_if(m_anywhere, [&](const KnownHead& k) { return k.hash == row.hash; });
        for (; m_next < m_known.size() && m_known[m_next].seq == row.seq; ++m_next)
            if (const KnownHead& known = m_known[m_next]; known.hash != row.hash) {
                found(Damage::ReplacedTail, row.seq,
                    "entry " + number(row.seq) + " is not the one that " + known.from
                        + " names: it, or entries before it, were replaced by a chain made anew");
                return false;
            }
        return true;
    }

    void found(Damage kind, std::uint64_t at, const std::string& text)
    {
        m_walk.found = Found{kind, "audit", at, "audit: " + text};
    }

    Status explain()
    {
        if (!m_broken)
            return {};
        CAIRN_TRY_ASSIGN(const auto rows, m_store.audit(m_walk.seq, kWindow));
        m_walk.found = classify("audit", AuditWindow(rows), {m_walk.seq, m_walk.head, m_before});
        return {};
    }

    void missing()
    {
        if (m_next < m_known.size())
            found(Damage::CutAtEnd, m_walk.seq + 1,
                "it ends with entry " + number(m_walk.seq) + ", and " + m_known[m_next].from + " names entry "
                    + number(m_known[m_next].seq));
        else if (!m_anywhere.empty())
            found(Damage::CutAtEnd, m_walk.seq + 1,
                "it does not contain " + m_anywhere.front().from
                    + ": its tail was cut off, or it was made anew");
    }

    StoreReader& m_store;
    std::vector<KnownHead> m_known;     // by seq
    std::vector<KnownHead> m_anywhere;  // of which no number is known
    std::size_t m_next = 0;
    AuditWalk m_walk;
    Digest m_before;
    bool m_broken = false;
};

}  // namespace

Result<AuditWalk> walkAudit(
    StoreReader& store, std::uint64_t seq, const Digest& head, std::vector<KnownHead> known)
{
    return AuditWalker(store, seq, head, std::move(known)).walk();
}

Result<Report> verifyAudit(StoreReader& store, const Questions& questions)
{
    Report report;
    // Before all else: what is written meanwhile comes after it.
    CAIRN_TRY_ASSIGN(const AuditEnd end, store.auditEnd());
    CheckpointCheck checkpoints(store, questions, report);
    CAIRN_TRY(checkpoints.run());
    std::vector<KnownHead> known = checkpoints.take();
    known.insert(known.end(), questions.heads.begin(), questions.heads.end());
    if (end.toldSeq > 0)
        known.push_back({"the store's own note of its end (audit_head)", end.toldSeq, end.toldHash});
    CAIRN_TRY_ASSIGN(auto walk, walkAudit(store, 0, {}, std::move(known)));
    report.entries = walk.seq;
    report.head = walk.head;
    if (walk.found)
        report.found.insert(report.found.begin(), *std::move(walk.found));
    if (questions.histories) {
        CAIRN_TRY_ASSIGN(report.histories, checkHistories(store, questions.most));
        report.found.insert(report.found.end(), report.histories.found.begin(), report.histories.found.end());
    }
    return report;
}

std::vector<Found> askAnchors(const std::vector<CheckpointRow>& anchors, const UuidBytes& store,
    const std::string& from, Questions& questions)
{
    std::vector<Found> bad;
    for (std::size_t at = 0; at < anchors.size(); ++at) {
        const CheckpointRow& row = anchors[at];
        if (row.store != store)
            continue;
        const std::string name = "anchor " + number(at + 1) + " of " + from;
        if (!signatureHolds(row) || !mayBeSignedWith(row.key, questions.keys)) {
            bad.push_back({Damage::BadSignature, "anchors", at + 1,
                name + ": its signature does not fit, or is of another key than the one that was named"});
            continue;
        }
        if (row.auditSeq > 0)
            questions.heads.push_back({name, row.auditSeq, row.auditHead});
        questions.checkpoints.push_back({name, row.number, checkpointHash(row)});
    }
    return bad;
}

}  // namespace cairn::audit
