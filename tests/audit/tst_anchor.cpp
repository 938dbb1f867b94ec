// Anchors: what is written comes back, what is not an anchor is refused, and what they know is compared.
#include "core/audit/anchor.h"
#include "core/audit/verify_audit.h"
#include "core/store/memory/memory_store.h"
#include "tests/audit/acts.h"

#include <filesystem>
#include <fstream>

using namespace cairn;
using namespace cairn::testing;

class TestAnchor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void linesAreAdded();
    void aTornLineIsSaid();
    void whatIsNoAnchorIsRefused_data();
    void whatIsNoAnchorIsRefused();
    void anotherStoreKeepsThem();
    void aHistoryThatWasPutBackIsFound();
    void aForgedAnchorIsFound();
    void anchorsOfOtherStoresAreLeftOut();

private:
    [[nodiscard]] std::string path() const { return m_folder->file("anchors.jsonl"); }
    static bool same(const CheckpointRow& a, const CheckpointRow& b)
    {
        return audit::checkpointHash(a) == audit::checkpointHash(b);
    }

    ManualClock m_clock;
    std::shared_ptr<MemoryDatabase> m_database;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<Scratch> m_folder;
    TestKey m_keyFile;
    SigningKey m_key = m_keyFile.get();
};

void TestAnchor::init()
{
    m_database = makeMemoryDatabase({"test", false, true}, m_clock, 7);
    m_store = connectMemory(m_database);
    m_folder = std::make_unique<Scratch>();
    addActs(*m_store, 3);
}

void TestAnchor::linesAreAdded()
{
    QCOMPARE(audit::readAnchors(path()).error().kind, ErrorKind::NotFound);
    const CheckpointRow first = mustSign(*m_store, m_key);
    CAIRN_VERIFY_OK(audit::appendAnchor(path(), first));
    addActs(*m_store, 1);
    const CheckpointRow second = mustSign(*m_store, m_key);
    CAIRN_VERIFY_OK(audit::appendAnchor(path(), second));
    const auto rows = audit::readAnchors(path());
    QVERIFY(rows);
    QCOMPARE(rows->size(), std::size_t{2});
    QVERIFY(same(rows->front(), first) && same(rows->back(), second));
    QVERIFY(audit::signatureHolds(rows->back()));
}

// A crash in the middle of a line: it is said, and the next line stands by itself.
void TestAnchor::aTornLineIsSaid()
{
    const CheckpointRow row = mustSign(*m_store, m_key);
    CAIRN_VERIFY_OK(audit::appendAnchor(path(), row));
    const auto whole = std::filesystem::file_size(path());
    std::filesystem::resize_file(path(), whole - 10);
    CAIRN_VERIFY_OK(audit::appendAnchor(path(), row));
    const auto rows = audit::readAnchors(path());
    QVERIFY(!rows);
    QCOMPARE(rows.error().kind, ErrorKind::InvalidInput);
    QVERIFY2(rows.error().text.find("line 1") != std::string::npos, rows.error().text.c_str());
    std::ifstream in(path());
    std::string line;
    std::getline(in, line);
    std::getline(in, line);
    const auto second = audit::parseAnchor(line);
    QVERIFY(second && same(*second, row));
}

void TestAnchor::whatIsNoAnchorIsRefused_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("another kind") << "\"cairn_anchor\":1"
                                  << "\"cairn_anchor\":2";
    QTest::newRow("no head") << "\"head\":"
                             << "\"hxad\":";
    QTest::newRow("a number as text") << "\"checkpoint\":1"
                                      << "\"checkpoint\":\"1\"";
    QTest::newRow("another word for the key") << "cairn-ed25519-pub"
                                              << "cairn-ed25519-bup";
    QTest::newRow("not JSON") << "{"
                              << "(";
}

void TestAnchor::whatIsNoAnchorIsRefused()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    const std::string sound = audit::anchorJson(mustSign(*m_store, m_key));
    QVERIFY(audit::parseAnchor(sound));
    const QString text = QString::fromStdString(sound).replace(from, to);
    QVERIFY(text.toStdString() != sound);
    QCOMPARE(audit::parseAnchor(text.toStdString()).error().kind, ErrorKind::InvalidInput);
    QCOMPARE(audit::parseAnchor(std::string(1'000'000, '[')).error().kind, ErrorKind::InvalidInput);
}

void TestAnchor::anotherStoreKeepsThem()
{
    const auto database = makeMemoryDatabase({"test", false, true}, m_clock, 8);
    const auto other = connectMemory(database);
    addActs(*other, 1);
    AuditRow act;
    act.time = m_clock.wallMs();
    act.actor = "ann";
    act.reason = "every evening";
    const CheckpointRow row = mustSign(*m_store, m_key);
    CAIRN_VERIFY_OK(audit::appendAnchor(*other, act, row));
    const auto rows = audit::readAnchors(*other, m_store->info()->id);
    QVERIFY(rows);
    QCOMPARE(rows->size(), std::size_t{1});
    QVERIFY(same(rows->front(), row));
    QVERIFY(audit::readAnchors(*other, other->info()->id)->empty());
    const AuditRow kept = other->audit(1, 1)->front();
    QCOMPARE(kept.kind, std::string("anchor"));
    QVERIFY(kept.verb == Verb::AnchorAudit);
    QCOMPARE(kept.target, uuidText(m_store->info()->id));
    QCOMPARE(kept.reason, std::string("every evening"));
    QVERIFY(audit::verifyAudit(*other, {})->found.empty());
}

void TestAnchor::aHistoryThatWasPutBackIsFound()
{
    const auto backup = copyOf(*m_database);
    addActs(*m_store, 2);
    const CheckpointRow row = mustSign(*m_store, m_key);
    replaceBy(*m_database, *backup);
    audit::Questions questions;
    QVERIFY(audit::askAnchors({row}, m_store->info()->id, "FILE", questions).empty());
    const auto cut = audit::verifyAudit(*m_store, questions);
    QVERIFY(cut && !cut->found.empty());
    QVERIFY(cut->found.front().kind == audit::Damage::CutAtEnd);
    QCOMPARE(cut->found.front().number, std::uint64_t{4});
    addActs(*m_store, 2, "instead");
    mustSign(*m_store, m_key);
    const auto replaced = audit::verifyAudit(*m_store, questions);
    QCOMPARE(replaced->found.size(), std::size_t{2});  // the audit, and the checkpoints
    for (const audit::Found& found : replaced->found) {
        QVERIFY(found.kind == audit::Damage::ReplacedTail);
        QVERIFY2(found.text.find("anchor 1 of FILE") != std::string::npos, found.text.c_str());
    }
}

void TestAnchor::aForgedAnchorIsFound()
{
    CheckpointRow row = mustSign(*m_store, m_key);
    audit::Questions questions;
    questions.keys = {PublicKey{}};
    auto bad = audit::askAnchors({row}, m_store->info()->id, "FILE", questions);
    QCOMPARE(bad.size(), std::size_t{1});
    QVERIFY(bad.front().kind == audit::Damage::BadSignature);
    questions.keys = {m_key.publicKey()};
    row.auditSeq = 2;
    bad = audit::askAnchors({row}, m_store->info()->id, "FILE", questions);
    QCOMPARE(bad.size(), std::size_t{1});
    QVERIFY(questions.heads.empty() && questions.checkpoints.empty());
}

void TestAnchor::anchorsOfOtherStoresAreLeftOut()
{
    const auto other = connectMemory(makeMemoryDatabase({"test", false, true}, m_clock, 8));
    addActs(*other, 9);
    audit::Questions questions;
    QVERIFY(audit::askAnchors({mustSign(*other, m_key)}, m_store->info()->id, "FILE", questions).empty());
    QVERIFY(questions.heads.empty() && questions.checkpoints.empty());
}

QTEST_APPLESS_MAIN(TestAnchor)
#include "tst_anchor.moc"
