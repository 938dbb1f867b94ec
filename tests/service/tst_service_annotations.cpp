// Hold, assign and note: beside the run, in its history, and nothing that the engine goes by.

#include "core/query/query.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestServiceAnnotations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void aHoldStandsInStateAndListUntilItEnds();
    void aHoldNeedsAReasonAndATimeToCome();
    void aHeldRunRunsOn();
    void aFinishedRunCanBeHeld();
    void whoLooksAfterARunIsFoundByName();
    void notesAreToldUnlessMaskedOrWithdrawn();
    void whatChangedSinceItWasSeenIsStale();
    void aRepeatedCommandIsOneAnnotation();

private:
    static RunId started(World& w, Service& engine)
    {
        w.add(workflowText("one", R"({"name":"do","tool":"note","input":{}})"));
        return engine.submitAndWait(World::start(engine, "one", "{}")).run;
    }
    static Submission note(World& w, const RunId& run, const std::string& text, bool masked)
    {
        Submission s = World::act(run, cmd::Advance{});
        s.payloads.push_back(w.service->newPayload(text, "text/plain"));
        cmd::Note body;
        body.text = s.payloads.back().ref;
        body.masked = masked;
        s.command.body = body;
        return s;
    }
    static std::size_t found(World& w, const char* filter)
    {
        const ParsedFilter parsed = parseFilter(filter, w.clock.wallMs());
        const auto page = w.store->list(parsed.filter, ListOrder::NewestFirst, std::nullopt, 10);
        return parsed.error || !page ? 99 : page->rows.size();
    }
};

void TestServiceAnnotations::aHoldStandsInStateAndListUntilItEnds()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    QCOMPARE(found(w, "is:held"), std::size_t{0});
    const TimeMs until = w.clock.wallMs() + 3'600'000;
    const Outcome held =
        w.service->submitAndWait(World::act(run, cmd::Hold{true, until, 0, true}, "dispute"));
    QCOMPARE(held.kind, Outcome::Kind::Committed);
    QCOMPARE(held.entry.verb, Verb::Hold);
    QCOMPARE(held.entry.facts.size(), std::size_t{1});
    auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(state->isHeld(w.clock.wallMs()));
    QCOMPARE(state->hold.by.id, std::string("kim"));
    QCOMPARE(state->hold.version, held.version);
    QCOMPARE(found(w, "is:held"), std::size_t{1});
    QCOMPARE(found(w, "-is:held"), std::size_t{0});
    w.clock.advance(3'600'000);
    QVERIFY(!state->isHeld(w.clock.wallMs()));
    QCOMPARE(found(w, "is:held"), std::size_t{0});
    // Without an end it lasts until somebody releases it.
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Hold{true, kNoTime, 0, false}, "again")).ok());
    w.clock.advance(SpanMs{400} * 86'400'000);
    QCOMPARE(found(w, "is:held"), std::size_t{1});
    const Outcome released = w.service->submitAndWait(World::act(run, cmd::Hold{false, kNoTime, 0, false}));
    QCOMPARE(released.kind, Outcome::Kind::Committed);
    QCOMPARE(found(w, "is:held"), std::size_t{0});
    QCOMPARE(told(w.service->submitAndWait(World::act(run, cmd::Hold{false, kNoTime, 0, false}))),
        std::string("NoChange: the run is not held"));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceAnnotations::aHoldNeedsAReasonAndATimeToCome()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    const Outcome bare = w.service->submitAndWait(World::act(run, cmd::Hold{}, ""));
    QCOMPARE(bare.kind, Outcome::Kind::Rejected);
    QCOMPARE(bare.rejection.code, RejectCode::ReasonMissing);
    QVERIFY(bare.rejection.text.find("give --reason") != std::string::npos);
    const Outcome past =
        w.service->submitAndWait(World::act(run, cmd::Hold{true, w.clock.wallMs(), 0, false}));
    QCOMPARE(past.kind, Outcome::Kind::Rejected);
    QCOMPARE(past.rejection.code, RejectCode::InvalidInput);
    QCOMPARE(w.service->load(run)->hold.version, std::uint64_t{0});
}

void TestServiceAnnotations::aHeldRunRunsOn()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    const AttemptId attempt = World::attemptOf(*engine->state(run), "do");
    QVERIFY(!attempt.isNull());
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Hold{})).ok());
    engine->reload(run);
    QVERIFY(engine->pump() || engine->state(run) != nullptr);
    const Outcome done = engine->submitAndWait(World::complete(*engine, run, attempt, R"({"a":1})"));
    QVERIFY2(done.ok(), told(done).c_str());
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY(state->closed);
    QVERIFY(state->isHeld(w.clock.wallMs()));
    QCOMPARE(found(w, "is:held state:completed"), std::size_t{1});
}

void TestServiceAnnotations::aFinishedRunCanBeHeld()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Cancel{})).ok());
    engine->reload(run);
    static_cast<void>(engine->pump());
    Submission stopped = World::command(run, cmd::Fail{});
    std::get<cmd::Fail>(stopped.command.body).attempt = World::attemptOf(*w.service->load(run), "do");
    std::get<cmd::Fail>(stopped.command.body).cancelled = true;
    QVERIFY(engine->submitAndWait(std::move(stopped)).ok());
    QVERIFY(w.service->load(run)->closed);
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Hold{})).ok());
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Assign{"lee", 0, false})).ok());
    QVERIFY(w.service->load(run)->isHeld(w.clock.wallMs()));
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceAnnotations::whoLooksAfterARunIsFoundByName()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    QCOMPARE(found(w, "assigned:none"), std::size_t{1});
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Assign{"lee", 0, true})).ok());
    QCOMPARE(found(w, "assigned:lee"), std::size_t{1});
    QCOMPARE(found(w, "owner:kim|lee"), std::size_t{1});
    QCOMPARE(found(w, "-assigned:lee"), std::size_t{0});
    QCOMPARE(found(w, "assigned:none"), std::size_t{0});
    QCOMPARE(told(w.service->submitAndWait(World::act(run, cmd::Assign{"lee", 0, false}))),
        std::string("NoChange: the run is assigned to lee already"));
    for (const char* name : {" lee", "lee\n", "\x1b[2J"})
        QCOMPARE(w.service->submitAndWait(World::act(run, cmd::Assign{name, 0, false})).rejection.code,
            RejectCode::InvalidInput);
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Assign{"", 0, false})).ok());
    QCOMPARE(found(w, "assigned:none"), std::size_t{1});
    const auto audit = w.store->auditOfRun(run);
    CAIRN_VERIFY_OK(audit);
    QCOMPARE(audit->front().verb, Verb::Assign);
    QCOMPARE(audit->front().target, std::string("lee"));
}

void TestServiceAnnotations::notesAreToldUnlessMaskedOrWithdrawn()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    const Outcome plain = w.service->submitAndWait(note(w, run, "asked the bank\nat noon", false));
    const Outcome masked = w.service->submitAndWait(note(w, run, "card 4711", true));
    QVERIFY(plain.ok() && masked.ok());
    Query query(*w.store, w.clock);
    auto beside = query.annotated(*w.service->load(run), w.clock.wallMs());
    QCOMPARE(beside.notes.size(), std::size_t{2});
    QCOMPARE(beside.notes[0].version, plain.version);
    QVERIFY(beside.notes[0].text.find("asked the bank") != std::string::npos);
    QVERIFY(beside.notes[0].text.find('\n') == std::string::npos);
    QCOMPARE(beside.notes[1].text, std::string());
    for (const auto& [name, value] : beside.lines)
        QVERIFY(value.find("4711") == std::string::npos);
    const auto history = query.history(run, 1, 100);
    CAIRN_VERIFY_OK(history);
    std::string all;
    for (const HistoryItem& item : *history)
        all += item.line + "\n";
    QVERIFY(all.find("asked the bank") != std::string::npos);
    QVERIFY(all.find("4711") == std::string::npos);
    QCOMPARE(*w.store->payload(run, beside.notes[1].payload.id), std::string("card 4711"));
    // Withdrawn, it is beside the run no more, and in the history still.
    cmd::Note withdraw;
    withdraw.withdraw = plain.version;
    QVERIFY(w.service->submitAndWait(World::act(run, withdraw)).ok());
    beside = query.annotated(*w.service->load(run), w.clock.wallMs());
    QCOMPARE(beside.notes.size(), std::size_t{1});
    QCOMPARE(beside.notes[0].version, masked.version);
    QCOMPARE(w.service->submitAndWait(World::act(run, withdraw)).kind, Outcome::Kind::NoChange);
    withdraw.withdraw = 1;
    QCOMPARE(w.service->submitAndWait(World::act(run, withdraw)).rejection.code, RejectCode::NotFound);
    QCOMPARE(w.verified(run), std::string());
}

void TestServiceAnnotations::whatChangedSinceItWasSeenIsStale()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Hold{true, kNoTime, 0, true})).ok());
    const Outcome late = w.service->submitAndWait(World::act(run, cmd::Hold{false, kNoTime, 0, true}));
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY(w.service->submitAndWait(World::act(run, cmd::Assign{"lee", 0, true})).ok());
    const Outcome other = w.service->submitAndWait(World::act(run, cmd::Assign{"kim", 0, true}));
    QCOMPARE(other.rejection.code, RejectCode::Stale);
    QCOMPARE(w.service->load(run)->assigned.to, std::string("lee"));
}

void TestServiceAnnotations::aRepeatedCommandIsOneAnnotation()
{
    World w;
    auto engine = w.engine();
    const RunId run = started(w, *engine);
    Submission s = note(w, run, "once", false);
    s.command.id = makeId<CommandId>(w.clock.wallMs(), w.rng);
    const Outcome first = w.service->submitAndWait(s);
    const Outcome second = w.service->submitAndWait(s);
    QCOMPARE(first.kind, Outcome::Kind::Committed);
    QCOMPARE(second.kind, Outcome::Kind::Repeated);
    QCOMPARE(second.version, first.version);
    QCOMPARE(w.service->load(run)->notes.size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestServiceAnnotations)
#include "tst_service_annotations.moc"
