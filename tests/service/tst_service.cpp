// What submissions answer: every kind of outcome, repeated commands, lost races, chains of commits.

#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const char* kindName(Outcome::Kind kind)
{
    static constexpr const char* kNames[] = {"Committed", "Repeated", "Existing", "NoChange", "Rejected", "Failed"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

template<> inline char* QTest::toString<Outcome::Kind>(const Outcome::Kind& kind) { return qstrdup(kindName(kind)); }

class TestService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsToItsEnd();
};

void TestService::runsToItsEnd()
{
    World w;
    w.add(workflowText("two", R"({"name":"first","tool":"look","input":{"$from":"input"}},
        {"name":"second","tool":"look","after":["first"],"input":{"x":{"$from":"first","at":"/a"}}})",
        R"(,"output":{"$from":"second"})"));
    auto engine = w.engine();
    const Outcome started = engine->submitAndWait(World::start(*engine, "two", R"({"n":1})"));
    QCOMPARE(started.kind, Outcome::Kind::Committed);
    const RunState* state = engine->state(started.run);
    QVERIFY(state != nullptr);
    QCOMPARE(w.inputOf(started.run, "first"), std::string(R"({"n":1})"));
    const Outcome first = engine->submitAndWait(
        World::complete(*engine, started.run, World::attemptOf(*state, "first"), R"({"a":[1, 2.50]})"));
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    QCOMPARE(w.inputOf(started.run, "second"), std::string(R"({"x":[1, 2.50]})"));
    state = engine->state(started.run);
    QVERIFY(state != nullptr);
    const Outcome second = engine->submitAndWait(
        World::complete(*engine, started.run, World::attemptOf(*state, "second"), R"("done")"));
    QCOMPARE(second.kind, Outcome::Kind::Committed);
    const auto loaded = w.service->load(started.run);
    CAIRN_VERIFY_OK(loaded);
    QVERIFY(loaded->closed);
    QCOMPARE(loaded->closedAs, Activity::Completed);
    const auto output = w.store->payload(started.run, loaded->output.id);
    CAIRN_VERIFY_OK(output);
    QCOMPARE(*output, std::string(R"("done")"));
    QCOMPARE(loaded->version, std::uint64_t(3));
    QCOMPARE(w.verified(started.run), std::string());
    QVERIFY(engine->state(started.run) == nullptr);   // let go with its end
}

QTEST_APPLESS_MAIN(TestService)
#include "tst_service.moc"
