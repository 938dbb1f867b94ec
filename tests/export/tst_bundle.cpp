// Bundles: written from a store, proved without one, and made into a store to look at.

#include "core/store/fence.h"
#include "core/store/hooked_store.h"
#include "tests/export/exported_run.h"

#include <QtCore/QFile>

#include <algorithm>
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

std::size_t filesIn(const Scratch& folder)
{
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
        ++count;
    return count;
}

}  // namespace

class TestBundle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void aBundleIsProvedAndBecomesAStoreWithTheSameContent();
    void anImportedStoreTakesNoWrites();
    void equalStatesGiveEqualFiles();
    void aLargePayloadGoesThroughInChunks();
    void aRedactedBundleHasNoBytesAndVerifies();
    void whatIsAndIsNotProvedIsSaid();
    void signedHeadsNameTheirKey();
    void whatIsStoppedLeavesNothing();
    void aFileIsNotWrittenOver();
    void aRunThatGoesOnMeanwhileIsExportedAsItWasSeen();
    void aRedactionMeanwhileLeavesAWholeBundleOrNone();

private:
    static Result<ex::BundleCounts> import(Exported& e, const char* bundle, const char* into)
    {
        return ex::importBundle({e.path(bundle), sqliteDoor(e.path(into)), importedByKim(), e.w.rng});
    }
};

void TestBundle::aBundleIsProvedAndBecomesAStoreWithTheSameContent()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QCOMPARE(verdict->counts.runs, std::uint64_t(1));
    QCOMPARE(verdict->counts.entries, e.w.service->load(e.run)->version);
    QCOMPARE(verdict->counts.audit, std::uint64_t(3));
    QCOMPARE(verdict->counts.withheld, std::uint64_t(0));
    QVERIFY(verdict->counts.payloads >= 5);
    CAIRN_VERIFY_OK(import(e, "a.zip", "copy.db"));
    const auto copy = sqlite::openStore(e.path("copy.db"), {});
    CAIRN_VERIFY_OK(copy);
    const auto before = e.w.store->loadRun(e.run, 1, 0), after = (*copy)->loadRun(e.run, 1, 0);
    CAIRN_VERIFY_OK(before);
    CAIRN_VERIFY_OK(after);
    QCOMPARE(after->entries.size(), before->entries.size());
    QCOMPARE(after->hot.head, before->hot.head);
    QCOMPARE(after->identity.key, std::string("order A1"));
    const auto problems = verifyRun(**copy, e.run);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    const auto deep = (*copy)->check(true);
    CAIRN_VERIFY_OK(deep);
    QVERIFY2(deep->empty(), deep->empty() ? "" : deep->front().text.c_str());
    const PayloadRef output = e.w.service->load(e.run)->find("pay")->output;
    const auto bytes = (*copy)->payload(e.run, output.id);
    CAIRN_VERIFY_OK(bytes);
    QCOMPARE(*bytes, std::string(R"({"receipt":9})"));
    // What people did, with their reasons, and at the end who made this store.
    const auto acts = (*copy)->audit(0, 100);
    CAIRN_VERIFY_OK(acts);
    QCOMPARE(acts->size(), std::size_t(4));
    QCOMPARE(acts->front().reason, std::string(kHostile));
    QCOMPARE(acts->back().verb, Verb::ImportRuns);
}

void TestBundle::anImportedStoreTakesNoWrites()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    CAIRN_VERIFY_OK(import(e, "a.zip", "copy.db"));
    auto opened = sqlite::openStore(e.path("copy.db"), {});
    CAIRN_VERIFY_OK(opened);
    StoreWriter& store = **opened;
    const auto info = store.info();
    CAIRN_VERIFY_OK(info);
    QCOMPARE(fenceOf(info->minWriter).value_or(Fence{}).kind == FenceKind::Imported, true);
    const Status written = store.raiseBackOff("bank", 1, false);
    CAIRN_VERIFY_ERROR(written, ErrorKind::Refused);
    QVERIFY2(written.error().text.find("was made from a bundle, to be looked at") != std::string::npos,
        written.error().text.c_str());
    const auto queue = makeInlineQueue(store);
    Service service(store, *queue, e.w.clock, e.w.rng, {});
    const Outcome act = service.submitAndWait(World::act(e.run, cmd::SetPaused{true}));
    QVERIFY(!act.ok());
    QVERIFY2(told(act).find("act on the run in the store that it was exported from") != std::string::npos,
        told(act).c_str());
}

void TestBundle::equalStatesGiveEqualFiles()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    QCOMPARE(e.write("b.zip"), std::string());
    QVERIFY(Files::of(e.path("a.zip")).all == Files::of(e.path("b.zip")).all);
}

void TestBundle::aLargePayloadGoesThroughInChunks()
{
    const std::string large = "\"" + std::string(std::size_t{20} << 20U, 'x') + "\"";
    Exported e(large);
    CountedReader reader(*e.w.connection, e.w.clock);
    const auto report = ex::writeBundle(reader, std::span(&e.run, 1), e.path("a.zip"), {});
    CAIRN_VERIFY_OK(report);
    QCOMPARE(reader.most, kChunkSize);
    QVERIFY(reader.reads >= 21);
    QVERIFY(report->size < large.size() / 10);
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    CAIRN_VERIFY_OK(import(e, "a.zip", "copy.db"));
    const auto copy = sqlite::openStore(e.path("copy.db"), {});
    CAIRN_VERIFY_OK(copy);
    const auto bytes = (*copy)->payload(e.run, e.w.service->load(e.run)->find("find")->output.id);
    CAIRN_VERIFY_OK(bytes);
    QVERIFY(*bytes == large);
}

void TestBundle::aRedactedBundleHasNoBytesAndVerifies()
{
    Exported e(R"({"secret":"canary-4711"})");
    ex::BundleOptions options;
    options.redact = true;
    QCOMPARE(e.write("a.zip", options), std::string());
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QVERIFY(verdict->redacted);
    QCOMPARE(verdict->counts.payloads, std::uint64_t(0));
    QVERIFY(verdict->counts.withheld >= 5);
    for (const auto& [name, bytes] : Files::of(e.path("a.zip")).all) {
        QVERIFY2(!name.starts_with("payloads/") && !name.starts_with("artifacts/"), name.c_str());
        for (const char* kept : {"canary-4711", "12.50", "order A1", "pay/A1"})
            QVERIFY2(bytes.find(kept) == std::string::npos, (name + " has " + kept).c_str());
    }
    CAIRN_VERIFY_OK(import(e, "a.zip", "copy.db"));
    const auto copy = sqlite::openStore(e.path("copy.db"), {});
    CAIRN_VERIFY_OK(copy);
    const auto hot = (*copy)->hot(e.run);
    CAIRN_VERIFY_OK(hot);
    QCOMPARE(hot->head, e.w.service->load(e.run)->head);
    // What was left out reads as redacted, and nothing of the store is missing or damaged.
    const PayloadRef output = e.w.service->load(e.run)->find("find")->output;
    const auto bytes = (*copy)->payload(e.run, output.id);
    CAIRN_VERIFY_ERROR(bytes, ErrorKind::Refused);
    QCOMPARE(bytes.error().text,
        "payload " + toText(output.id)
            + " was redacted: the bundle that this store was made from does not have it");
    const auto problems = verifyRun(**copy, e.run);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    const auto deep = (*copy)->check(true);
    CAIRN_VERIFY_OK(deep);
    QVERIFY2(deep->empty(), deep->empty() ? "" : deep->front().text.c_str());
    // And it can be exported once more, as redacted as before.
    CAIRN_VERIFY_OK(ex::writeBundle(**copy, std::span(&e.run, 1), e.path("again.zip"), {}));
    const auto again = ex::verifyBundle(e.path("again.zip"));
    CAIRN_VERIFY_OK(again);
    QVERIFY2(!again->fault, again->fault ? again->fault->text.c_str() : "");
    QCOMPARE(again->counts.payloads, std::uint64_t(0));
    QCOMPARE(again->counts.withheld, verdict->counts.withheld);
}

void TestBundle::whatIsAndIsNotProvedIsSaid()
{
    Exported e;
    const SigningKey key({1, 2, 3});
    ex::BundleOptions options;
    options.redact = true;
    options.signHeads = ex::signWith(key);
    QCOMPARE(e.write("signed.zip", options), std::string());
    QCOMPARE(e.write("plain.zip"), std::string());
    const auto has = [](const std::vector<std::string>& lines, std::string_view part) {
        return std::any_of(lines.begin(), lines.end(),
            [&](const std::string& line) { return line.find(part) != std::string::npos; });
    };
    const auto plain = ex::proofOf(*ex::verifyBundle(e.path("plain.zip")), std::nullopt);
    QVERIFY(has(plain.shown, "have the bytes that the entries name"));
    QVERIFY(has(plain.notShown, "who made it: nobody has signed it"));
    QVERIFY(!has(plain.notShown, "whose bytes were left out"));
    const auto verdict = ex::verifyBundle(e.path("signed.zip"), key.publicKey());
    const auto named = ex::proofOf(*verdict, key.publicKey());
    QVERIFY(has(named.shown, "signed with the key " + fingerprint(key.publicKey()) + ", which you named"));
    QVERIFY(!has(named.shown, "have the bytes that the entries name"));
    QVERIFY(has(named.notShown, "whose bytes were left out"));
    QVERIFY(!has(named.notShown, "who made it"));
    QVERIFY(has(ex::proofOf(*verdict, std::nullopt).notShown, "whose key that is"));
}

void TestBundle::signedHeadsNameTheirKey()
{
    Exported e;
    const SigningKey key({1, 2, 3}), other({4, 5, 6});
    ex::BundleOptions options;
    options.signHeads = ex::signWith(key);
    QCOMPARE(e.write("a.zip", options), std::string());
    QCOMPARE(e.write("plain.zip"), std::string());
    const auto verdict = ex::verifyBundle(e.path("a.zip"), key.publicKey());
    CAIRN_VERIFY_OK(verdict);
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
    QCOMPARE(verdict->signedBy.size(), std::size_t(1));
    QVERIFY(verdict->signedBy.front() == key.publicKey());
    for (const char* bundle : {"a.zip", "plain.zip"}) {
        const auto asked = ex::verifyBundle(e.path(bundle), other.publicKey());
        CAIRN_VERIFY_OK(asked);
        QVERIFY(asked->fault);
        QCOMPARE(asked->fault->kind, std::string("signature"));
    }
}

void TestBundle::whatIsStoppedLeavesNothing()
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

void TestBundle::aFileIsNotWrittenOver()
{
    Exported e;
    QCOMPARE(e.write("a.zip"), std::string());
    QVERIFY(e.write("a.zip").find("there is a file at") != std::string::npos);
    QVERIFY(!ex::verifyBundle(e.path("a.zip"))->fault);
    QCOMPARE(filesIn(e.folder), std::size_t(1));
}

// Another pauses and resumes it between the reads of a page and the next.
void TestBundle::aRunThatGoesOnMeanwhileIsExportedAsItWasSeen()
{
    Exported e;
    e.w.add(workflowText("open", R"({"name":"ring","kind":"signal","signal":"go"})"));
    e.run = e.engine->submitAndWait(World::start(*e.engine, "open", "1")).run;
    struct GoingOn final : ClockedReader {
        explicit GoingOn(Exported& exported)
            : ClockedReader(*exported.w.connection, exported.w.clock)
            , e(exported)
        {
        }
        Result<LoadedRun> loadRun(const RunId& run, std::uint64_t from, std::uint64_t to) override
        {
            paused = !paused;
            Exported::need(e.engine->submitAndWait(World::act(run, cmd::SetPaused{paused})));
            return ClockedReader::loadRun(run, from, to);
        }
        Exported& e;
        bool paused = false;
    };
    GoingOn reader(e);
    const auto report = ex::writeBundle(reader, std::span(&e.run, 1), e.path("a.zip"), {});
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->counts.entries, std::uint64_t(1));
    QVERIFY(e.w.service->load(e.run)->version > 1);
    const auto verdict = ex::verifyBundle(e.path("a.zip"));
    CAIRN_VERIFY_OK(verdict);
    // Acts that came after the history was read are in the audit all the same.
    QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
}

// Between any two reads of the export: what comes out verifies, or there is no file and the refusal says why.
void TestBundle::aRedactionMeanwhileLeavesAWholeBundleOrNone()
{
    int whole = 0, none = 0;
    for (int at = 1, reads = 1; reads >= at; ++at) {
        Exported e(R"({"secret":"canary-4711"})");
        const PayloadId output = e.w.service->load(e.run)->find("find")->output.id;
        reads = 0;
        const auto before = [&](const char*, Access) -> std::optional<Error> {
            if (++reads == at)
                Exported::need(e.w.service->submitAndWait(World::act(e.run, cmd::Redact{{output}})));
            return std::nullopt;
        };
        const auto after = [](const char*, Access) { return std::optional<Error>(); };
        HookedStore store(e.w.connect(), StoreHooks{before, after});
        const auto report = ex::writeBundle(store, std::span(&e.run, 1), e.path("a.zip"), {});
        if (!report) {
            QVERIFY2(report.error().text.find("redacted") != std::string::npos, report.error().text.c_str());
            QVERIFY(!QFile::exists(QString::fromStdString(e.path("a.zip"))));
            ++none;
            continue;
        }
        const auto verdict = ex::verifyBundle(e.path("a.zip"));
        CAIRN_VERIFY_OK(verdict);
        QVERIFY2(!verdict->fault, verdict->fault ? verdict->fault->text.c_str() : "");
        ++whole;
    }
    QVERIFY2(whole > 4 && none > 0, qPrintable(QString::number(whole) + u' ' + QString::number(none)));
}

QTEST_APPLESS_MAIN(TestBundle)
#include "tst_bundle.moc"
