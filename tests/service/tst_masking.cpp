// Fifty secrets, planted through every way into a store, are found nowhere in it: neither by its readers nor
// in the bytes of its file and its write-ahead log.

#include "core/base/text.h"
#include "core/model/codec.h"
#include "tests/service/harness.h"

#include <QtCore/QFile>

using namespace cairn;
using namespace cairn::testing;

class TestMasking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void plantedSecretsAreFoundNowhere();
    void aSecretDoesNotMakeAnotherRequest();
    void largePayloadsAreMaskedBeforeTheyAreStaged();
    void theListIsTheStoresAndTheWorkflows();
};

namespace {

constexpr int kSecrets = 50;

// The odd ones show themselves (canary-*); the even ones only stand where a listed name says so.
std::string secret(int number)
{
    return (number % 2 == 1 ? "canary-" : "hush") + std::to_string(1000 + number) + "x7q";
}

// Where a secret stands in each of the forms that texts and values have.
std::string form(int number)
{
    const std::string s = secret(number);
    if (number % 2 == 1)
        return "https://host/" + s + " and \"" + s + "\"";
    switch (number / 2 % 4) {
    case 0: return "password=" + s + "&x=1";
    case 1: return "Authorization: Basic " + s;
    case 2: return "postgresql://ann:" + s + "@host/db";
    default: return "my_token: " + s;
    }
}

std::string json(int number)
{
    std::string text;
    if (number % 2 == 1) {
        text = "{\"note\":";
        appendJsonString(text, form(number));
    } else {
        text = "{\"deep\":[{\"password\":\"" + secret(number) + "\"}],\"text\":";
        appendJsonString(text, form(number));
    }
    return text + "}";
}

AuditRow listed(World& w)
{
    AuditRow row;
    row.time = w.clock.wallMs();
    row.kind = "applied";
    row.verb = Verb::Retain;
    row.actor = "ann";
    row.command = makeId<CommandId>(w.clock.wallMs(), w.rng);
    return row;
}

struct Planter {
    World& w;
    Service& by;
    int next = 0;
    std::vector<RunId> runs{};

    NewPayload give(Submission& s, bool asJson)
    {
        const int number = next++ % kSecrets;
        s.payloads.push_back(
            by.newPayload(asJson ? json(number) : form(number), asJson ? "application/json" : "text/plain"));
        return s.payloads.back();
    }
    void submit(Submission s, const char* what)
    {
        const Outcome outcome = by.submitAndWait(std::move(s));
        if (!outcome.ok())
            qFatal("%s: %s", what, told(outcome).c_str());
    }
    RunId start(const std::string& workflow)
    {
        const Outcome started = by.submitAndWait(World::start(by, workflow, json(next++ % kSecrets)));
        if (!started.ok())
            qFatal("start: %s", told(started).c_str());
        runs.push_back(started.run);
        return started.run;
    }
};

std::string bytesOf(const std::string& path)
{
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

}  // namespace

void TestMasking::plantedSecretsAreFoundNowhere()
{
    World w;
    CAIRN_VERIFY_OK(w.writer->setNeverStore({{"password", "authorization"}, {}}, listed(w)));
    w.add(workflowText("work", R"({"name":"a","tool":"look"},{"name":"b","tool":"note","after":["a"]})",
        R"(,"never_store":{"keys":["*_token"],"patterns":["canary-*"]})"));
    const auto engine = w.engine();
    Planter p{w, *engine};
    while (p.next < 4 * kSecrets) {
        const RunId run = p.start("work");
        const AttemptId attempt = World::attemptOf(*engine->state(run), "a");
        {
            Submission s = World::command(run, cmd::Advance{}, {ActorKind::Worker, "w"});
            cmd::Renew renew;
            renew.attempt = attempt;
            renew.progress = p.give(s, true).ref;
            s.command.body = renew;
            p.submit(std::move(s), "progress");
        }
        {
            Submission s = World::command(run, cmd::Advance{});
            cmd::Partial partial;
            partial.attempt = attempt;
            partial.output = p.give(s, true).ref;
            s.command.body = partial;
            p.submit(std::move(s), "partial result");
        }
        {
            Submission s = World::command(run, cmd::Advance{});
            cmd::Fail fail;
            fail.attempt = attempt;
            fail.failure = FailureClass::Permanent;
            fail.error = p.give(s, false).ref;
            s.command.body = fail;
            p.submit(std::move(s), "error");
        }
        {
            Submission s = World::command(run, cmd::Advance{}, {ActorKind::Caller, "c"});
            cmd::Signal signal;
            signal.name = "go";
            signal.messageHash = sha256(std::to_string(p.next));
            signal.data = p.give(s, true).ref;
            s.command.body = signal;
            p.submit(std::move(s), "signal");
        }
        {
            Submission s = World::act(run, cmd::Advance{}, form(p.next++ % kSecrets));
            cmd::RecordResult record;
            record.step = "a";
            record.output = p.give(s, true).ref;
            s.command.body = record;
            p.submit(std::move(s), "record, and its reason");
        }
        p.submit(World::act(run, cmd::SetPaused{true, 0, false}, form(p.next++ % kSecrets)), "pause");
    }
    std::string all;
    for (const RunId& run : p.runs) {
        QCOMPARE(w.verified(run), std::string());
        const auto loaded = w.store->loadRun(run, 1, 0);
        CAIRN_VERIFY_OK(loaded);
        std::map<PayloadId, PayloadRef> refs;
        for (const SealedEntry& sealed : loaded->entries) {
            const auto entry = decodeEntry(sealed.body, sealed.format);
            CAIRN_VERIFY_OK(entry);
            collectPayloads(*entry, refs);
            all += sealed.body;
        }
        for (const auto& [id, ref] : refs)
            if (const auto bytes = w.store->payload(run, id))
                all += *bytes + "\n";
        const auto rows = w.store->listRows(std::span(&run, 1));
        CAIRN_VERIFY_OK(rows);
        all += rows->front().error + rows->front().situation + "\n";
    }
    const auto audit = w.store->audit(0, 10'000);
    CAIRN_VERIFY_OK(audit);
    for (const AuditRow& row : *audit)
        all += row.reason + row.before + row.after + "\n";
    if (w.folder)
        all += bytesOf(w.folder->file("store.db")) + bytesOf(w.folder->file("store.db-wal"));
    QVERIFY(all.find("[masked: canary-*]") != std::string::npos);
    QVERIFY(all.find("[masked: password]") != std::string::npos);
    for (int number = 0; number < kSecrets; ++number)
        QVERIFY2(all.find(secret(number)) == std::string::npos, secret(number).c_str());
}

// The same key with the same bytes is the same request, whatever was masked in them.
void TestMasking::aSecretDoesNotMakeAnotherRequest()
{
    World w;
    w.add(workflowText("work", R"({"name":"a","tool":"look"})", R"(,"never_store":{"keys":["password"]})"));
    const auto engine = w.engine();
    const Outcome first =
        engine->submitAndWait(World::start(*engine, "work", R"({"password":"one"})", "key"));
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    const Outcome again =
        engine->submitAndWait(World::start(*engine, "work", R"({"password":"one"})", "key"));
    QCOMPARE(again.kind, Outcome::Kind::Existing);
    QVERIFY(again.run == first.run);
    const auto state = w.service->load(first.run);
    CAIRN_VERIFY_OK(state);
    const auto input = w.store->payload(first.run, state->input.id);
    CAIRN_VERIFY_OK(input);
    QCOMPARE(*input, std::string(R"({"password":"[masked: password]"})"));
}

void TestMasking::largePayloadsAreMaskedBeforeTheyAreStaged()
{
    World w;
    w.add(
        workflowText("work", R"({"name":"a","tool":"look"})", R"(,"never_store":{"patterns":["canary-*"]})"));
    const auto engine = w.engine();
    const Outcome started = engine->submitAndWait(World::start(*engine, "work", "{}"));
    QCOMPARE(started.kind, Outcome::Kind::Committed);
    // The secret lies across the border of two chunks.
    std::string large = "\"" + std::string(kChunkSize - 6, 'x') + " canary-4711abc \"";
    std::size_t at = 0;
    const auto staged = stagePayload(
        *w.writer, engine->payloadSeed(started.run),
        [&](std::size_t limit) -> Result<std::string> {
            const std::string part = large.substr(at, limit);
            at += part.size();
            return part;
        },
        "application/json");
    CAIRN_VERIFY_OK(staged);
    QVERIFY(staged->bytes.text().find("canary-4711") == std::string::npos);
    Submission s = World::command(started.run, cmd::Advance{});
    cmd::Complete complete;
    complete.attempt = World::attemptOf(*engine->state(started.run), "a");
    complete.output = staged->ref;
    s.payloads.push_back(*staged);
    s.command.body = complete;
    QCOMPARE(told(engine->submitAndWait(std::move(s))), std::string("Committed 2"));
    const auto state = w.service->load(started.run);
    CAIRN_VERIFY_OK(state);
    const auto output = w.store->payload(started.run, state->steps[0].output.id);
    CAIRN_VERIFY_OK(output);
    QVERIFY(output->ends_with(" [masked: canary-*] \""));
    if (w.folder) {
        const std::string all = bytesOf(w.folder->file("store.db")) + bytesOf(w.folder->file("store.db-wal"));
        QVERIFY(all.find("canary-4711") == std::string::npos);
    }
}

void TestMasking::theListIsTheStoresAndTheWorkflows()
{
    World w;
    w.add(workflowText("one", R"({"name":"a","tool":"look"})", R"(,"never_store":{"keys":["pin"]})"));
    w.add(workflowText("two", R"({"name":"a","tool":"look"})"));
    const auto inputOf = [&](const std::string& workflow) {
        const Outcome started = w.service->submitAndWait(
            World::start(*w.service, workflow, R"({"pin":1,"code":2,"note":"Bearer abcdefgh123"})"));
        const auto state = w.service->load(started.run);
        const auto bytes = state ? w.store->payload(started.run, state->input.id) : Result<std::string>("");
        return bytes ? *bytes : bytes.error().text;
    };
    QCOMPARE(inputOf("one"),
        std::string(R"({"pin":"[masked: pin]","code":2,"note":"Bearer [masked: bearer token]"})"));
    QCOMPARE(inputOf("two"), std::string(R"({"pin":1,"code":2,"note":"Bearer [masked: bearer token]"})"));
    CAIRN_VERIFY_OK(w.writer->setNeverStore({{"code"}, {}}, listed(w)));
    w.clock.advance(2'000);
    QCOMPARE(inputOf("one"),
        std::string(
            R"({"pin":"[masked: pin]","code":"[masked: code]","note":"Bearer [masked: bearer token]"})"));
    QCOMPARE(inputOf("two"),
        std::string(R"({"pin":1,"code":"[masked: code]","note":"Bearer [masked: bearer token]"})"));
}

QTEST_APPLESS_MAIN(TestMasking)
#include "tst_masking.moc"
