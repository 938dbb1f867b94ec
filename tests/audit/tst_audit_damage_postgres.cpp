// Every damage that can be done to a database's tables, with their guards taken off, is named for what it is.
#include "tests/audit/damages.h"
#include "tests/store/postgres_fixture.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

class PostgresTables final : public RawTables {
public:
    explicit PostgresTables(const std::string& url)
        : m_raw(url)
    {
    }
    void open()
    {
        for (const char* name : {"entries", "audit", "checkpoints", "checkpoint_heads", "runs"})
            exec("ALTER TABLE " + table(name) + " DISABLE TRIGGER USER");
    }
    void exec(const std::string& sql) override
    {
        const std::string error = m_raw.exec(sql);
        if (!error.empty())
            qFatal("%s: %s", sql.c_str(), error.c_str());
    }
    [[nodiscard]] std::string table(const std::string& name) const override { return "cairn." + name; }
    [[nodiscard]] std::string bytes(std::string_view raw) const override
    {
        return "'\\x" + hex(raw) + "'::bytea";
    }
    [[nodiscard]] std::string id(const RunId& run) const override { return "'" + toText(run) + "'::uuid"; }
    [[nodiscard]] bool keepsAuditEnd() const override { return true; }

private:
    RawPg m_raw;
};

}  // namespace

class TestAuditDamagePostgres : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(makeKey(m_keys.file("key"))); }
    void theAudit_data() { rows(auditDamages()); }
    void theAudit() { check(auditDamages()); }
    void theHistories_data() { rows(historyDamages()); }
    void theHistories() { check(historyDamages()); }
    void theCheckpoints_data() { rows(checkpointDamages()); }
    void theCheckpoints() { check(checkpointDamages()); }
    void theAuditsOwnEndShowsACut();
    void whatIsSignedIsAppendOnly();

private:
    static void rows(const std::vector<DamageCase>& cases)
    {
        QTest::addColumn<std::size_t>("which");
        for (std::size_t at = 0; at < cases.size(); ++at)
            QTest::newRow(cases[at].name) << at;
    }
    void check(const std::vector<DamageCase>& cases)
    {
        QFETCH(std::size_t, which);
        m_fixture.init();
        const auto store = m_fixture.open();
        PostgresTables raw(m_fixture.url);
        Victim victim(*store, raw, m_keys.file("key"));
        raw.open();
        checkDamage(victim, cases[which]);
    }

    PostgresStoreFixture m_fixture;
    Scratch m_keys;
};

// What somebody forgets who cuts the audit only.
void TestAuditDamagePostgres::theAuditsOwnEndShowsACut()
{
    m_fixture.init();
    const auto store = m_fixture.open();
    PostgresTables raw(m_fixture.url);
    Victim victim(*store, raw, m_keys.file("key"));
    raw.open();
    checkDamage(victim,
        {"cut", [](Victim& v) { v.exec("DELETE FROM cairn.audit WHERE seq > 6"); }, audit::Damage::CutAtEnd,
            7});
}

void TestAuditDamagePostgres::whatIsSignedIsAppendOnly()
{
    m_fixture.init();
    const auto store = m_fixture.open();
    PostgresTables raw(m_fixture.url);
    Victim victim(*store, raw, m_keys.file("key"));
    victim.sign();
    const RawPg guarded(m_fixture.url);
    for (const char* sql : {"UPDATE cairn.checkpoints SET time = 1", "DELETE FROM cairn.checkpoints",
             "TRUNCATE cairn.checkpoints", "UPDATE cairn.checkpoint_heads SET version = 1",
             "DELETE FROM cairn.checkpoint_heads", "TRUNCATE cairn.checkpoint_heads"})
        QVERIFY2(guarded.exec(sql).find("append-only") != std::string::npos, sql);
}

CAIRN_POSTGRES_TEST_MAIN(TestAuditDamagePostgres)
#include "tst_audit_damage_postgres.moc"
