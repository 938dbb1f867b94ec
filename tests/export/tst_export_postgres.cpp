// Bundles and receipts of a store on a PostgreSQL server: byte for byte what its tables hold.

#include "core/export/receipt.h"
#include "tests/export/exported_run.h"
#include "tests/store/postgres_fixture.h"

#include <filesystem>

using namespace cairn;
using namespace cairn::testing;

namespace {

// How much of payloads is asked for at one time.
class CountedReader final : public ClockedReader {
public:
    using ClockedReader::ClockedReader;
    Result<std::string> payload(
        const RunId& run, const PayloadId& id, std::uint64_t offset, std::uint64_t limit) override
    {
        auto bytes = ClockedReader::payload(run, id, offset, limit);
        if (bytes)
            most = std::max(most, bytes->size());
        ++reads;
        return bytes;
    }
    std::size_t most = 0;
    std::size_t reads = 0;
};

std::string inTables(const std::string& url, const RunId& run)
{
    return RawPg(url).value(
        "SELECT string_agg(version || ' ' || command || ' ' || format || ' ' || encode(hash, "
        "'hex') || ' ' || encode(body, 'hex'), E'\\n' ORDER BY version) FROM cairn.entries "
        "WHERE run = '"
        + toText(run) + "'");
}

// The same of a bundle's history.
std::string inBundle(const std::string& path, const RunId& run)
{
    std::string lines;
    std::string text = Files::of(path).at(ex::runFolder(run) + "history.jsonl");
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
        SealedEntry entry;
        if (const Status read = ex::parseRow(std::string_view(text).substr(at, end - at), entry); !read)
            return read.error().text;
        lines += (lines.empty() ? "" : "\n") + std::to_string(entry.version) + " " + toText(entry.command)
            + " " + std::to_string(entry.format) + " " + hex(entry.hash) + " " + hex(entry.body);
    }
    return lines;
}

std::size_t filesIn(const Scratch& folder)
{
    const std::filesystem::directory_iterator all(folder.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

class TestExportPostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_fixture.init(postgres::kSchema, {"test", false, true});
        World::s_elsewhere = [this] { return m_fixture.open(); };
    }
    void cleanup() { World::s_elsewhere = nullptr; }
    void theHistoryIsThatOfTheTables();
    void whatIsStoppedLeavesNothing();
    void aLargeResultGoesThroughInChunks();
    void aRedactedBundleHasNoBytes();
    void aReceiptHolds();

private:
    PostgresStoreFixture m_fixture;
};

void TestExportPostgres::theHistoryIsThatOfTheTables()
{
    Exported e;
    ex::BundleOptions options;
    const SigningKey key({1, 2, 3});
    options.signHeads = ex::signWith(key);
    QCOMPARE(e.write("a.zip", options), std::string());
    const std::string stored = inTables(m_fixture.url, e.run);
    QVERIFY(stored.size() > 1'000);
    QCOMPARE(inBundle(e.path("a.zip"), e.run), stored);
    const auto verdict = ex::verifyBundle(e.path("a.zip"), key.publicKey());
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QCOMPARE(verdict->counts.entries, e.w.service->load(e.run)->version);
    QCOMPARE(verdict->counts.audit, std::uint64_t(3));
    // A store to look at, in a file: the same history again.
    CAIRN_VERIFY_OK(
        ex::importBundle({e.path("a.zip"), sqliteDoor(e.path("copy.db")), importedByKim(), e.w.rng}));
    const auto copy = sqlite::openStore(e.path("copy.db"), {});
    CAIRN_VERIFY_OK(copy);
    const auto problems = verifyRun(**copy, e.run);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    CAIRN_VERIFY_OK(ex::writeBundle(**copy, std::span(&e.run, 1), e.path("again.zip"), {}));
    QCOMPARE(inBundle(e.path("again.zip"), e.run), stored);
}

void TestExportPostgres::whatIsStoppedLeavesNothing()
{
    Exported e;
    for (int parts = 0; parts < 8; ++parts) {
        ex::BundleOptions options;
        options.stopped = [left = parts]() mutable { return left-- == 0; };
        QCOMPARE(e.write("a.zip", options), std::string("stopped; nothing was left behind"));
        QCOMPARE(filesIn(e.folder), std::size_t(0));
    }
    QCOMPARE(e.write("a.zip"), std::string());
}

// 20 MB of one step: a mebibyte of it is held at a time, and stopping in the middle leaves nothing.
void TestExportPostgres::aLargeResultGoesThroughInChunks()
{
    const std::string large = "\"" + std::string(std::size_t{20} << 20U, 'x') + "\"";
    Exported e(large);
    CountedReader reader(*e.w.connection, e.w.clock);
    ex::BundleOptions options;
    options.stopped = [&reader] { return reader.reads == 10; };
    const auto stopped = ex::writeBundle(reader, std::span(&e.run, 1), e.path("a.zip"), options);
    CAIRN_VERIFY_ERROR(stopped, ErrorKind::Cancelled);
    QCOMPARE(filesIn(e.folder), std::size_t(0));
    reader.reads = 0;
    const auto report = ex::writeBundle(reader, std::span(&e.run, 1), e.path("a.zip"), {});
    CAIRN_VERIFY_OK(report);
    QCOMPARE(reader.most, kChunkSize);
    QVERIFY(reader.reads >= 21);
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QVERIFY(
        Files::of(e.path("a.zip")).at("artifacts/" + hex(e.w.service->load(e.run)->find("find")->output.hash))
        == large);
}

void TestExportPostgres::aRedactedBundleHasNoBytes()
{
    Exported e(R"({"secret":"canary-4711"})");
    ex::BundleOptions options;
    options.redact = true;
    QCOMPARE(e.write("a.zip", options), std::string());
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QCOMPARE(verdict->counts.payloads, std::uint64_t(0));
    for (const auto& [name, bytes] : Files::of(e.path("a.zip")).all)
        QVERIFY2(bytes.find("canary-4711") == std::string::npos, name.c_str());
    QCOMPARE(inBundle(e.path("a.zip"), e.run), inTables(m_fixture.url, e.run));
}

void TestExportPostgres::aReceiptHolds()
{
    Exported e;
    const SigningKey key({1}), other({2});
    const auto text = ex::makeReceipt({*e.w.store, e.run, "pay", key, "test"});
    CAIRN_VERIFY_OK(text);
    const auto verdict = ex::checkReceipt(*text, key.publicKey());
    QCOMPARE(verdict.fault, std::string());
    QCOMPARE(verdict.run, toText(e.run));
    QCOMPARE(verdict.resultHash, hex(e.w.service->load(e.run)->find("pay")->output.hash));
    QVERIFY(!ex::checkReceipt(*text, other.publicKey()).fault.empty());
}

CAIRN_POSTGRES_TEST_MAIN(TestExportPostgres)
#include "tst_export_postgres.moc"
