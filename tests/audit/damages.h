#pragma once
// What somebody with a shell can do to the tables of a store, and what `audit verify` has to say of it. The
// same table for every database: its SQL differs only in how tables and bytes are written.

#include "core/audit/verify_audit.h"
#include "tests/store/builders.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

#include <functional>

namespace cairn::testing {

// Raw access with the guards taken off: triggers, and the authorizer of our own connections.
class RawTables {
public:
    virtual ~RawTables() = default;
    virtual void exec(const std::string& sql) = 0;  // fails the test where it is refused
    [[nodiscard]] virtual std::string table(const std::string& name) const = 0;
    [[nodiscard]] virtual std::string bytes(std::string_view raw) const = 0;  // a literal
    [[nodiscard]] virtual std::string id(const RunId& run) const = 0;
    [[nodiscard]] virtual bool keepsAuditEnd() const = 0;  // a second time, in audit_head
    [[nodiscard]] std::string digest(const Digest& d) const { return bytes(d.view()); }
};

// A store with eight audit entries, run A of six entries and run B of three.
class Victim {
public:
    explicit Victim(StoreWriter& store, RawTables& raw, const std::string& keyFile)
        : m_store(store)
        , m_raw(raw)
        , m_key(*readKey(keyFile))
    {
        for (std::uint64_t i = 1; i <= 8; ++i)
            act("act " + std::to_string(i));
        for (int i = 0; i < 6; ++i)
            step(a);
        for (int i = 0; i < 3; ++i)
            step(b);
    }

    Writer a{"damage a"};
    Writer b{"damage b"};

    [[nodiscard]] StoreWriter& store() { return m_store; }
    [[nodiscard]] RawTables& raw() { return m_raw; }
    [[nodiscard]] const PublicKey& key() const { return m_key.publicKey(); }
    [[nodiscard]] std::string t(const std::string& name) const { return m_raw.table(name); }

    void act(const std::string& reason)
    {
        AuditRow row;
        row.time = 1'790'000'000'000;
        row.kind = "applied";
        row.verb = Verb::MoveClock;
        row.actor = "ann";
        row.host = "h";
        row.login = "t";
        row.target = "store";
        row.reason = reason;
        row.before = row.after = "{}";
        const auto seq = m_store.appendAudit(row);
        if (!seq)
            qFatal("%s", errorLine(seq.error()).c_str());
    }
    void step(Writer& writer)
    {
        CommitMember member =
            writer.version == 0 ? writer.create() : writer.next("c" + std::to_string(writer.version));
        if (writer.version == 0)
            member.list = writer.listRow();
        std::vector<MemberResult> results;
        const Status status = m_store.commit(std::span(&member, 1), results);
        if (!status || results.front().kind != MemberResult::Kind::Committed)
            qFatal("the run could not be written");
        writer.committed(member);
    }
    void sign()
    {
        const auto made = audit::makeCheckpoint(m_store, m_key, "t");
        if (!made)
            qFatal("%s", errorLine(made.error()).c_str());
    }

    [[nodiscard]] std::vector<AuditRow> audit() { return *m_store.audit(0, 100); }
    [[nodiscard]] std::vector<SealedEntry> entries(const Writer& writer)
    {
        std::vector<SealedEntry> all;
        const auto read =
            m_store.eachEntry({writer.run, 0}, 100, [&](const RunId& run, const SealedEntry& entry) {
                if (run == writer.run)
                    all.push_back(entry);
            });
        if (!read)
            qFatal("%s", errorLine(read.error()).c_str());
        return all;
    }

    // --- what is done to it

    void exec(const std::string& sql) { m_raw.exec(sql); }
    void moveAudit(std::uint64_t from, std::int64_t by)  // numbers of that one and all after it
    {
        const std::string at = std::to_string(from);
        exec("UPDATE " + t("audit") + " SET seq = -seq WHERE seq >= " + at);
        exec("UPDATE " + t("audit") + " SET seq = -seq + " + std::to_string(by) + " WHERE seq < 0");
    }
    void swapAudit(std::uint64_t one, std::uint64_t other)
    {
        const std::string x = std::to_string(one), y = std::to_string(other);
        exec("UPDATE " + t("audit") + " SET seq = -1 WHERE seq = " + x);
        exec("UPDATE " + t("audit") + " SET seq = " + x + " WHERE seq = " + y);
        exec("UPDATE " + t("audit") + " SET seq = " + y + " WHERE seq = -1");
    }
    void insertAudit(std::uint64_t at, std::uint64_t like, const Digest& previous, const Digest& hash)
    {
        exec("INSERT INTO " + t("audit")
            + "(seq, time, kind, verb, actor, uid, host, login, run, target, command, reason, before, after, "
              "previous, hash) SELECT "
            + std::to_string(at)
            + ", time, kind, verb, actor, uid, host, login, run, target, NULL, reason, before, after, "
            + m_raw.digest(previous) + ", " + m_raw.digest(hash) + " FROM " + t("audit")
            + " WHERE seq = " + std::to_string(like));
    }
    // With another reason, and the hashes of `from` up to `to` made anew.
    void forgeAudit(std::uint64_t from, std::uint64_t to)
    {
        auto rows = audit();
        for (std::uint64_t seq = from; seq <= to; ++seq) {
            AuditRow& row = rows[seq - 1];
            row.reason = "never happened " + std::to_string(seq);
            row.previous = seq == 1 ? Digest{} : rows[seq - 2].hash;
            row.hash = auditHash(row);
            exec("UPDATE " + t("audit") + " SET reason = '" + row.reason
                + "', previous = " + m_raw.digest(row.previous) + ", hash = " + m_raw.digest(row.hash)
                + " WHERE seq = " + std::to_string(seq));
        }
        endAuditAt(rows.back().seq, rows.back().hash);
    }
    // The second note of the audit's end, where there is one.
    void endAuditAt(std::uint64_t seq, const Digest& hash)
    {
        if (m_raw.keepsAuditEnd())
            exec("UPDATE " + t("audit_head") + " SET seq = " + std::to_string(seq)
                + ", hash = " + m_raw.digest(hash));
    }
    void cutAudit(std::uint64_t last)
    {
        exec("DELETE FROM " + t("audit") + " WHERE seq > " + std::to_string(last));
        endAuditAt(last, audit().back().hash);
    }

    [[nodiscard]] std::string ofA() const { return " WHERE run = " + m_raw.id(a.run); }
    void setEntry(std::uint64_t version, const std::string& what)
    {
        exec("UPDATE " + t("entries") + " SET " + what + ofA() + " AND version = " + std::to_string(version));
    }
    void moveEntries(std::uint64_t from, std::int64_t by)
    {
        exec("UPDATE " + t("entries") + " SET version = -version" + ofA()
            + " AND version >= " + std::to_string(from));
        exec("UPDATE " + t("entries") + " SET version = -version + " + std::to_string(by) + ofA()
            + " AND version < 0");
    }
    void standAt(std::uint64_t version, const Digest& head)
    {
        exec("UPDATE " + t("run_hot") + " SET version = " + std::to_string(version)
            + ", head = " + m_raw.digest(head) + ofA());
    }
    // Other entries from there on, sealed as if they had always been there.
    void forgeEntries(std::uint64_t from)
    {
        auto all = entries(a);
        for (std::uint64_t version = from; version <= all.size(); ++version) {
            SealedEntry& entry = all[version - 1];
            auto decoded = decodeEntry(entry.body, entry.format);
            decoded->time += 1;
            const SealedEntry sealed = sealEntry(*decoded, entry.format, all[version - 2].hash);
            setEntry(version, "body = " + m_raw.bytes(sealed.body) + ", hash = " + m_raw.digest(sealed.hash));
            entry = sealed;
        }
        standAt(all.size(), all.back().hash);
    }

private:
    StoreWriter& m_store;
    RawTables& m_raw;
    SigningKey m_key;
};

struct DamageCase {
    const char* name;
    std::function<void(Victim&)> damage;
    std::optional<audit::Damage> kind;  // none: this evidence cannot show it
    std::uint64_t number = 0;
    const char* chain = "audit";  // how it begins
    bool isSigned = false;        // two checkpoints were made before
    bool knowsHead = false;       // the audit's end was kept
    bool knowsCheckpoint = false;
    bool otherKey = false;  // is named as the one that signs
};

[[nodiscard]] std::vector<DamageCase> auditDamages();
[[nodiscard]] std::vector<DamageCase> historyDamages();
[[nodiscard]] std::vector<DamageCase> checkpointDamages();

// Does the damage, verifies, and compares.
void checkDamage(Victim& victim, const DamageCase& damage);

}  // namespace cairn::testing
