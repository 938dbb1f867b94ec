// The writer thread: order, answers, nothing lost on stop; large payloads are staged before their commit.

#include "core/model/codec.h"
#include "tests/service/harness.h"

#include <atomic>
#include <thread>

using namespace cairn;
using namespace cairn::testing;

class TestCommitQueue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threadedServiceRunsToTheEnd();
    void fiftyStartsOnTheWriterThreadGiveOneRun();
    void stopCommitsWhatIsQueued();
    void largePayloadIsStagedBeforeItsCommit();
    void queueNeedsAConnection();
};

void TestCommitQueue::threadedServiceRunsToTheEnd()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look","input":{"$from":"input"}})"));
    auto db = makeMemoryDatabase({}, w.clock, 3);
    // The memory store is not thread-safe across connections: the writer thread's is the only one while it
    // works.
    std::atomic<int> wakes{0};
    auto reader = connectMemory(db);
    WorkflowRow row;
    const std::string text =
        workflowText("one", R"({"name":"only","tool":"look","input":{"$from":"input"}})");
    row.name = "one";
    row.version = 1;
    row.digest = sha256(text);
    row.text = text;
    QVERIFY(reader->addWorkflow(row));
    auto queue = makeThreadedQueue(connectMemory(db), [&] { ++wakes; });
    CAIRN_VERIFY_OK(queue);
    Service service(*reader, **queue, w.clock, w.rng, {});
    const Outcome started = service.submitAndWait(World::start(service, "one", R"({"a":1})"));
    QCOMPARE(told(started), std::string("Committed 1"));
    for (int i = 0; i < 20; ++i) {
        const Outcome o =
            service.submitAndWait(World::command(started.run, cmd::SetPaused{i % 2 == 0, 0, false}));
        QCOMPARE(told(o), "Committed " + std::to_string(i + 2));
    }
    QVERIFY(wakes.load() >= 21);
}

void TestCommitQueue::fiftyStartsOnTheWriterThreadGiveOneRun()
{
    World w;
    auto db = makeMemoryDatabase({}, w.clock, 3);
    auto reader = connectMemory(db);
    auto queue = makeThreadedQueue(connectMemory(db), {});
    CAIRN_VERIFY_OK(queue);
    std::map<MemberResult::Kind, int> kinds;
    for (int i = 0; i < 50; ++i) {
        Entry entry;
        entry.version = 1;
        entry.command = makeId<CommandId>(1, w.rng);
        entry.time = 1;
        RunStarted started;
        started.run = makeId<RunId>(1, w.rng);
        started.root = started.run;
        entry.facts.push_back(started);
        CommitMember member;
        member.run = started.run;
        member.create = true;
        member.identity = RunRow{};
        member.identity->run = started.run;
        member.identity->key = "k";
        member.entry = sealEntry(entry, kMaxFormat, {});
        (*queue)->push(std::move(member), [&](Result<MemberResult> result) {
            ++kinds[result ? result->kind : MemberResult::Kind::Failed];
        });
    }
    (*queue)->drain();
    QCOMPARE(kinds[MemberResult::Kind::Committed], 1);
    QCOMPARE(kinds[MemberResult::Kind::KeyTaken], 49);
    QVERIFY(!(*queue)->pump());
}

void TestCommitQueue::stopCommitsWhatIsQueued()
{
    World w;
    auto db = makeMemoryDatabase({}, w.clock, 3);
    std::vector<RunId> runs;
    {
        auto queue = makeThreadedQueue(connectMemory(db), {});
        CAIRN_VERIFY_OK(queue);
        for (int i = 0; i < 700; ++i) {
            Entry entry;
            entry.version = 1;
            entry.command = makeId<CommandId>(1, w.rng);
            entry.time = 1;
            RunStarted started;
            started.run = makeId<RunId>(1, w.rng);
            started.root = started.run;
            entry.facts.push_back(started);
            CommitMember member;
            member.run = started.run;
            member.create = true;
            member.identity = RunRow{};
            member.identity->run = started.run;
            member.entry = sealEntry(entry, kMaxFormat, {});
            runs.push_back(started.run);
            (*queue)->push(std::move(member), [](const Result<MemberResult>&) {});
        }
    }  // destroyed at once: more than two groups were waiting
    auto reader = connectMemory(db);
    for (const RunId& run : runs) {
        const auto hot = reader->hot(run);
        CAIRN_VERIFY_OK(hot);
        QCOMPARE(hot->version, std::uint64_t(1));
    }
}

void TestCommitQueue::largePayloadIsStagedBeforeItsCommit()
{
    World w;
    w.add(workflowText("one", R"({"name":"only","tool":"look","input":{"$from":"input"}})"));
    const std::string input = "\"" + std::string(3 * 1024 * 1024, 'y') + "\"";
    Submission s = World::start(*w.service, "one", input);
    QVERIFY(!s.payloads.front().artifact.isNull());
    QVERIFY(!s.payloads.front().staged);
    const PayloadId id = s.payloads.front().ref.id;
    const Outcome o = w.service->submitAndWait(std::move(s));
    QCOMPARE(told(o), std::string("Committed 1"));
    const auto info = w.store->payloadInfo(o.run, id);
    CAIRN_VERIFY_OK(info);
    QVERIFY(!info->artifact.isNull());
    const auto bytes = w.store->payload(o.run, id);
    CAIRN_VERIFY_OK(bytes);
    QVERIFY(*bytes == input);
}

void TestCommitQueue::queueNeedsAConnection()
{
    const auto queue = makeThreadedQueue(nullptr, {});
    CAIRN_VERIFY_ERROR(queue, ErrorKind::InvalidInput);
}

QTEST_APPLESS_MAIN(TestCommitQueue)
#include "tst_commit_queue.moc"
