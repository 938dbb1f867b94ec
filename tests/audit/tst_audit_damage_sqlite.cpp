// Every damage that can be done to a store's file, with its guards taken off, is named for what it is.
#include "tests/audit/damages.h"
#include "tests/store/sqlite_fixture.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

std::string hexLiteral(std::string_view raw) { return "x'" + hex(raw) + "'"; }

class SqliteTables final : public RawTables {
public:
    explicit SqliteTables(const std::string& path)
        : m_raw(path)
    {
    }
    void open()
    {
        const std::string all = m_raw.value(
            "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_schema WHERE type = 'trigger'");
        exec(all);
    }
    void exec(const std::string& sql) override
    {
        const std::string error = m_raw.exec(sql);
        if (!error.empty())
            qFatal("%s: %s", sql.c_str(), error.c_str());
    }
    [[nodiscard]] std::string table(const std::string& name) const override { return name; }
    [[nodiscard]] std::string bytes(std::string_view raw) const override { return hexLiteral(raw); }
    [[nodiscard]] std::string id(const RunId& run) const override { return hexLiteral(run.view()); }
    [[nodiscard]] bool keepsAuditEnd() const override { return false; }

private:
    RawDb m_raw;
};

}  // namespace

class TestAuditDamageSqlite : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(makeKey(m_keys.file("key"))); }
    void theAudit_data() { rows(auditDamages()); }
    void theAudit() { check(auditDamages()); }
    void theHistories_data() { rows(historyDamages()); }
    void theHistories() { check(historyDamages()); }
    void theCheckpoints_data() { rows(checkpointDamages()); }
    void theCheckpoints() { check(checkpointDamages()); }
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
        const Folder folder;
        folder.init();
        const auto store = folder.open();
        SqliteTables raw(folder.path);
        Victim victim(*store, raw, m_keys.file("key"));
        raw.open();
        checkDamage(victim, cases[which]);
    }

    Scratch m_keys;
};

void TestAuditDamageSqlite::whatIsSignedIsAppendOnly()
{
    const Folder folder;
    folder.init();
    const auto store = folder.open();
    SqliteTables raw(folder.path);
    Victim victim(*store, raw, m_keys.file("key"));
    victim.sign();
    const RawDb guarded(folder.path);
    for (const char* sql : {"UPDATE checkpoints SET time = 1", "DELETE FROM checkpoints",
             "UPDATE checkpoint_heads SET version = 1", "DELETE FROM checkpoint_heads"})
        QVERIFY2(guarded.exec(sql).find("append-only") != std::string::npos, sql);
    QVERIFY(
        guarded
            .exec("INSERT INTO checkpoints SELECT 5, store, time, audit_seq, audit_head, runs, run_heads, "
                  "previous, public_key, signature, login FROM checkpoints")
            .find("without a hole")
        != std::string::npos);
    QVERIFY(guarded.exec("INSERT INTO checkpoint_heads VALUES(7, x'00', 1, x'00')").find("newest")
        != std::string::npos);
}

QTEST_APPLESS_MAIN(TestAuditDamageSqlite)
#include "tst_audit_damage_sqlite.moc"
