// How the store is asked for payloads: several at a time, and for a fork one after the other, by the queue.

#include "core/store/hooked_store.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceReads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void aFanOutIsReadAPageAtATime();
    void aForkIsCopiedByTheQueue();
    void aRefusalThatIsNotOnRecordIsNoAnswer();
};

namespace {

// A service of another process, whose calls of the store are counted, or made to fail.
struct Counting {
    std::map<std::string, int> asked;    // by the service
    std::map<std::string, int> written;  // by its queue
    std::string fails;                   // calls of the queue with this name
    std::unique_ptr<StoreWriter> connection;
    std::unique_ptr<StoreWriter> writer;
    ClockedReader reader;
    std::unique_ptr<CommitQueue> queue;
    Service service;

    explicit Counting(World& w)
        : connection(std::make_unique<HookedStore>(w.connect(),
            StoreHooks{[this](const char* what, Access) -> std::optional<Error> {
                           ++asked[what];
                           return std::nullopt;
                       },
                [](const char*, Access) -> std::optional<Error> { return std::nullopt; }}))
        , writer(std::make_unique<HookedStore>(w.connect(),
              StoreHooks{[this](const char* what, Access) -> std::optional<Error> {
                             ++written[what];
                             if (fails == what)
                                 return makeError(ErrorKind::Io, "the disk says no");
                             return std::nullopt;
                         },
                  [](const char*, Access) -> std::optional<Error> { return std::nullopt; }}))
        , reader(*connection, w.clock)
        , queue(makeInlineQueue(*writer))
        , service(reader, *queue, w.clock, w.rng, {})
    {
    }
};

// A list as large as told, and then a step that reads all results, or something else.
struct Fan {
    World& w;
    std::unique_ptr<Service> engine;
    RunId run;
    std::vector<AttemptId> attempts;

    Fan(World& world, std::size_t members, const std::string& reads = "each")
        : w(world)
    {
        w.add(workflowText("fan",
            R"({"name":"each","tool":"look","for_each":{"from":"input"},
            "input":{"$from":"item"}},{"name":"sum","tool":"note","after":["each"],"input":{"$from":")"
                + reads + R"("}})"));
        engine = w.engine(1'000);
        std::string items = "[0";
        for (std::size_t i = 1; i < members; ++i)
            items += "," + std::to_string(i);
        run = engine->submitAndWait(World::start(*engine, "fan", items + "]")).run;
        const RunState* state = engine->state(run);
        for (const StepIx ix : state->running)
            attempts.push_back(state->steps[ix].attempt->id);
    }
    void end(std::size_t member, const std::string& output)
    {
        const Outcome o = engine->submitAndWait(World::complete(*engine, run, attempts.at(member), output));
        QVERIFY2(o.ok(), told(o).c_str());
    }
};

}  // namespace

// By whoever decides: a preview asks as its commit does.
void TestServiceReads::aFanOutIsReadAPageAtATime()
{
    constexpr std::size_t kMembers = 120;
    World w({}, 0);
    Fan fan(w, kMembers);
    QCOMPARE(fan.attempts.size(), kMembers);
    for (std::size_t i = 0; i + 1 < kMembers; ++i)
        fan.end(i, std::to_string(i));
    {
        Counting other(w);
        const auto preview =
            other.service.preview(World::complete(other.service, fan.run, fan.attempts.back(), "\"last\""));
        CAIRN_VERIFY_OK(preview);
        QVERIFY(std::holds_alternative<Entry>(preview->decision));
        QCOMPARE(other.asked["payloads"], 1);
        QCOMPARE(other.asked["payload"], 0);
    }
    Counting other(w);
    const Outcome o =
        other.service.submitAndWait(World::complete(other.service, fan.run, fan.attempts.back(), "\"last\""));
    QVERIFY2(o.ok(), told(o).c_str());
    QCOMPARE(other.asked["payloads"], 1);
    QCOMPARE(other.asked["payload"], 0);
    const std::string input = w.inputOf(fan.run, "sum");
    QVERIFY2(input.starts_with("[0,1,2,") && input.ends_with(",118,\"last\"]"), input.c_str());
    QCOMPARE(w.verified(fan.run), std::string());
}

void TestServiceReads::aForkIsCopiedByTheQueue()
{
    World w;
    Fan fan(w, 3, "input");
    const std::string large = "\"" + std::string(2 * kChunkSize + 5, 'x') + "\"";
    fan.end(0, "\"small\"");
    fan.end(1, large);
    fan.end(2, "2");
    const auto source = w.service->load(fan.run);
    CAIRN_VERIFY_OK(source);
    Counting other(w);
    Submission fork = World::act({}, cmd::Fork{{}, source->version, false}, "try it again from here");
    fork.forkSource = fan.run;
    const Outcome o = other.service.submitAndWait(std::move(fork));
    QCOMPARE(told(o), std::string("Committed 1"));
    QCOMPARE(other.asked["payload"], 0);    // the bytes are not needed to decide it
    QCOMPARE(other.written["payload"], 3);  // the large one, a mebibyte at a time
    QCOMPARE(other.written["stageChunk"], 3);
    QCOMPARE(other.written["payloads"], 1);
    const auto made = w.service->load(o.run);
    CAIRN_VERIFY_OK(made);
    for (const StepIx ix : source->find("each")->members) {
        const PayloadRef& from = source->steps[ix].output;
        const StepRecord* copy = made->find(source->steps[ix].id);
        QVERIFY(copy && copy->output && copy->output.id != from.id);
        QVERIFY(*w.store->payload(o.run, copy->output.id) == *w.store->payload(fan.run, from.id));
        const auto before = w.store->payloadInfo(fan.run, from.id);
        const auto after = w.store->payloadInfo(o.run, copy->output.id);
        QCOMPARE(after->artifact.isNull(), before->artifact.isNull());
        QVERIFY(after->artifact.isNull() || after->artifact != before->artifact);
    }
    QCOMPARE(w.verified(o.run), std::string());
}

// Refused is one of the entries of the audit: where it cannot be written, the refusal is not given.
void TestServiceReads::aRefusalThatIsNotOnRecordIsNoAnswer()
{
    World w;
    Fan fan(w, 1);
    const auto act = [&] { return World::act(fan.run, cmd::RetryStep{"no such step"}); };
    Counting other(w);
    const Outcome refused = other.service.submitAndWait(act());
    QVERIFY2(refused.kind == Outcome::Kind::Rejected, told(refused).c_str());
    QVERIFY(refused.auditSeq > 0);
    other.fails = "appendAudit";
    const Outcome failed = other.service.submitAndWait(act());
    QVERIFY2(failed.kind == Outcome::Kind::Failed, told(failed).c_str());
    QCOMPARE(failed.error.kind, ErrorKind::Io);
    QVERIFY2(failed.error.text.find("nothing was done") != std::string::npos, told(failed).c_str());
    QVERIFY2(failed.error.text.find("no such step") != std::string::npos, told(failed).c_str());
}

QTEST_APPLESS_MAIN(TestServiceReads)
#include "tst_service_reads.moc"
