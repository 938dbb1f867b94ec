// Which acts can wait for somebody else, and what they depend on: redactions, takeovers, slowed resources; on
// either store.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/store/hooked_store.h"
#include "tests/service/agreement_desk.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

std::string twoPeopleFor(const std::string& verbs)
{
    return R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":[)" + verbs + R"(],"people":2}]})";
}

ResourceRow limited(std::uint32_t perSecond)
{
    ResourceRow row;
    row.name = "bank";
    row.permitsPerSecond = perSecond;
    return row;
}

Outcome slow(Desk& by, std::uint32_t seen, std::uint32_t wanted, bool glass = false)
{
    return Agreements(*by.service)
        .slow(
            *by.connection, {limited(seen), limited(wanted), "the bank asked us to", "somebody", glass, {}});
}

// What is done to the store itself, by whom and why: as its author saw the store, with no limit and one
// policy.
struct OnStore {
    const char* doing;
    Verb verb;
    std::function<Outcome(Desk& by, StoreWriter& store, const std::string& why)> act;
};
const OnStore kSlows{
    "slowing a resource", Verb::Slow, [](Desk& by, StoreWriter& store, const std::string& why) {
        return Agreements(*by.service).slow(store, {limited(0), limited(5), why, "somebody", false, {}});
    }};
const OnStore kSets{
    "setting the policy", Verb::SetPolicy, [](Desk& by, StoreWriter&, const std::string& why) {
        return Agreements(*by.service).setPolicy({kResume, 1, why, "somebody", false});
    }};

// How many entries of the audit are read through it.
class AuditCount final : public ClockedReader {
public:
    using ClockedReader::ClockedReader;
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override
    {
        auto rows = ClockedReader::audit(after, limit);
        read += rows ? rows->size() : 0;
        return rows;
    }
    std::size_t read = 0;
};

std::uint32_t perSecond(World& w) { return resourceNamed(*w.store, "bank")->permitsPerSecond; }

}  // namespace

class TestServiceAgreementKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void whatCancelCompensateAndMigrateDependOnIsPinned();
    void aRedactionWaitsForSomebodyElse();
    void aTakeoverWaitsForSomebodyElse();
    void slowingAResourceWaitsForSomebodyElse();
    void whatIsDoneIsAnsweredSoWhateverCameAfter();
    void whatIsDoneIsFoundWithoutReadingTheAudit();
    void aResourceThatMovedSinceIsRefused();
    void aResourceIsSlowedAloneByBreakingTheGlass();
    void actsOnTheStoreAreRefusedAndRecordedAlike();
    void whoWasFasterIsToldAndRecordedAlike();
};

void TestServiceAgreementKinds::whatCancelCompensateAndMigrateDependOnIsPinned()
{
    Paused p(twoPeopleFor(R"("cancel","migrate")"));
    std::string text = workflowText("flow", R"({"name":"look","tool":"look"})");
    const std::size_t at = text.find("\"version\":1");
    for (const char* version : {"2", "3"})
        p.w.add(text.replace(at + 10, 1, version));
    const auto propose = [&](cmd::Body body) {
        return p.ann.service->submitAndWait(World::act(p.run, std::move(body)));
    };
    const Outcome cancel = propose(cmd::Cancel{});
    const Outcome migrate = propose(cmd::Migrate{2, 0});
    QCOMPARE(cancel.kind, Outcome::Kind::Proposed);
    QCOMPARE(migrate.kind, Outcome::Kind::Proposed);
    const auto asked = submissionOf(p.act(cancel));
    CAIRN_VERIFY_OK(asked);
    const auto* pinned = std::get_if<cmd::Cancel>(&asked->command.body);
    QVERIFY(pinned && pinned->checkControl);
    QCOMPARE(pinned->expectedControl, p.w.service->load(p.run)->own.revision);
    // Somebody else changes both: the deadline, and by the glass the version.
    const TimeMs later = p.w.clock.wallMs() + 86'400'000;
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::SetDeadline{later, 0, false})).ok());
    Submission alone = World::act(p.run, cmd::Migrate{3, 0}, "the second person cannot be reached");
    alone.breakGlass = true;
    QCOMPARE(p.ann.service->submitAndWait(alone).kind, Outcome::Kind::Committed);
    const Outcome lateCancel = p.bob.confirm(p.act(cancel));
    QCOMPARE(lateCancel.rejection.code, RejectCode::Stale);
    QVERIFY(lateCancel.rejection.text.find("pause, deadline or budget of this run has changed") == 0);
    const Outcome lateMigrate = p.bob.confirm(p.act(migrate));
    QCOMPARE(lateMigrate.rejection.code, RejectCode::Stale);
    QVERIFY2(
        lateMigrate.rejection.text.find("the run follows version 3 now, and not 1 as when it was shown") == 0,
        lateMigrate.rejection.text.c_str());
    QCOMPARE(p.w.service->load(p.run)->workflow.version, 3U);
    // As it is now, it is done.
    QCOMPARE(p.bob.confirm(p.act(propose(cmd::Cancel{}))).kind, Outcome::Kind::Committed);
    QVERIFY(p.w.service->load(p.run)->own.cancelled);
    QCOMPARE(p.w.verified(p.run), std::string());
}

void TestServiceAgreementKinds::aRedactionWaitsForSomebodyElse()
{
    Paused p(twoPeopleFor(R"("redact")"));
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::Cancel{})).ok());
    const PayloadId input = p.w.service->load(p.run)->input.id;
    const Outcome proposed =
        p.ann.service->submitAndWait(World::act(p.run, cmd::Redact{{input}}, "asked for by the customer"));
    QVERIFY2(proposed.kind == Outcome::Kind::Proposed, told(proposed).c_str());
    QVERIFY(p.w.writer->payload(p.run, input).has_value());
    QCOMPARE(p.ann.confirm(p.act(proposed)).rejection.code, RejectCode::NoRight);
    QVERIFY(p.w.writer->payload(p.run, input).has_value());
    QCOMPARE(p.bob.confirm(p.act(proposed)).kind, Outcome::Kind::Committed);
    QVERIFY(!p.w.writer->payload(p.run, input));
    QVERIFY(p.w.service->load(p.run)->redacted.contains(input));
    QCOMPARE(p.act(proposed).state, StagedState::Committed);
    QCOMPARE(p.w.verified(p.run), std::string());
}

void TestServiceAgreementKinds::aTakeoverWaitsForSomebodyElse()
{
    Paused p(twoPeopleFor(R"("takeover")"));
    const auto engine = p.w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "flow", "{}")).run;
    const SessionId owner = p.w.store->hot(run)->owner;
    QVERIFY(!owner.isNull());
    const auto propose = [&] { return p.ann.service->submitAndWait(World::act(run, cmd::Takeover{})); };
    const Outcome first = propose();
    const Outcome second = propose();
    QVERIFY2(first.kind == Outcome::Kind::Proposed, told(first).c_str());
    const auto asked = submissionOf(p.act(first));
    CAIRN_VERIFY_OK(asked);
    const auto* pinned = std::get_if<cmd::Takeover>(&asked->command.body);
    QVERIFY(pinned && pinned->checkOwner && pinned->owner == owner);
    QCOMPARE(p.w.store->hot(run)->owner, owner);
    QCOMPARE(p.bob.confirm(p.act(first)).kind, Outcome::Kind::Committed);
    QVERIFY(p.w.store->hot(run)->owner.isNull());
    const Outcome late = p.bob.confirm(p.act(second));
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find("the run has changed hands since it was shown") == 0,
        late.rejection.text.c_str());
}

void TestServiceAgreementKinds::slowingAResourceWaitsForSomebodyElse()
{
    Paused p(twoPeopleFor(R"("slow")"));
    const Outcome proposed = slow(p.ann, 0, 5);
    QVERIFY2(proposed.kind == Outcome::Kind::Proposed, told(proposed).c_str());
    QVERIFY(proposed.auditSeq > 0);
    QCOMPARE(perSecond(p.w), 0U);
    const StagedAct act = p.act(proposed);
    QVERIFY(act.run.isNull());
    QCOMPARE(act.verb, Verb::Slow);
    QCOMPARE(act.target, std::string("bank"));
    QCOMPARE(act.stagedBy, std::string("uid 1"));
    QCOMPARE(act.digest, actDigest(act));
    QCOMPARE(p.ann.confirm(act).rejection.code, RejectCode::NoRight);
    QCOMPARE(perSecond(p.w), 0U);
    const Outcome done = p.bob.confirm(act);
    QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
    QCOMPARE(perSecond(p.w), 5U);
    QCOMPARE(p.act(proposed).state, StagedState::Committed);
    const auto rows = p.w.writer->audit(0, 100);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->back().verb, Verb::Slow);
    QCOMPARE(rows->back().kind, std::string("applied"));
    QCOMPARE(rows->back().before, std::string(R"({"per_second":0,"slots":0,"held_until":null})"));
    QCOMPARE(rows->back().after,
        std::string(R"({"per_second":5,"slots":0,"held_until":null,"proposed_by":"uid 1",)"
                    R"("confirmed_by":"uid 2"})"));
    // Once: whoever carries it out again hears of the entry that is there.
    StagedAct again = p.act(proposed);
    again.state = StagedState::Waiting;
    const Outcome repeated = Agreements(*p.bob.service).carryOut(*p.bob.connection, again);
    QCOMPARE(repeated.kind, Outcome::Kind::Committed);
    QCOMPARE(repeated.auditSeq, done.auditSeq);
    QCOMPARE(p.w.writer->audit(0, 100)->size(), rows->size());
}

// Whoever confirmed it died before the answer was kept: who carries it out again under another policy.
void TestServiceAgreementKinds::whatIsDoneIsAnsweredSoWhateverCameAfter()
{
    Paused p(twoPeopleFor(R"("slow")"));
    const Outcome proposed = slow(p.ann, 0, 5);
    const Outcome done = p.bob.confirm(p.act(proposed));
    QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
    StagedAct again = p.act(proposed);
    again.state = StagedState::Waiting;
    const Outcome other = slow(p.ann, 5, 7);
    QCOMPARE(p.bob.decide(p.act(other)).kind, Outcome::Kind::Committed);
    const Outcome set = Agreements(*p.ann.service)
                            .setPolicy({R"({"schema":"urn:cairn:policy:1","rules":[
        {"verbs":["slow"],"people":2,"role":"finance"}],"roles":{"finance":["uid 3"]}})",
                                1, "finance slows from now on", "ann", false});
    QVERIFY2(set.kind == Outcome::Kind::Committed, told(set).c_str());
    const Outcome repeated = Agreements(*p.bob.service).carryOut(*p.bob.connection, again);
    QVERIFY2(repeated.kind == Outcome::Kind::Committed, told(repeated).c_str());
    QCOMPARE(repeated.auditSeq, done.auditSeq);
    const auto known = Agreements(*p.bob.service).carriedOut(again);
    CAIRN_VERIFY_OK(known);
    QVERIFY(*known && (*known)->auditSeq == done.auditSeq);
    // One that was not done yet is decided by the policy of now.
    const auto open = Agreements(*p.bob.service).carriedOut(p.act(other));
    CAIRN_VERIFY_OK(open);
    QVERIFY(!*open);
    const Outcome late = Agreements(*p.bob.service).carryOut(*p.bob.connection, p.act(other));
    QCOMPARE(late.kind, Outcome::Kind::Failed);
    QCOMPARE(late.error.kind, ErrorKind::Refused);
    QCOMPARE(perSecond(p.w), 5U);
}

// However long the audit has become: one entry is read where it was done, and none where it was not.
void TestServiceAgreementKinds::whatIsDoneIsFoundWithoutReadingTheAudit()
{
    Paused p(twoPeopleFor(R"("slow")"));
    const Outcome proposed = slow(p.ann, 0, 5);
    const Outcome done = p.bob.confirm(p.act(proposed));
    QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
    const Outcome other = slow(p.ann, 5, 7);
    QVERIFY(p.w.writer->audit(0, 100)->size() > 4);
    AuditCount reader(*p.bob.connection, p.w.clock);
    Service service(reader, *p.bob.queue, p.w.clock, p.w.rng, {});
    const auto open = Agreements(service).carriedOut(p.act(other));
    CAIRN_VERIFY_OK(open);
    QVERIFY(!*open);
    QCOMPARE(reader.read, std::size_t{0});
    const auto known = Agreements(service).carriedOut(p.act(proposed));
    CAIRN_VERIFY_OK(known);
    QVERIFY(*known && (*known)->auditSeq == done.auditSeq);
    QCOMPARE(reader.read, std::size_t{1});
}

void TestServiceAgreementKinds::aResourceThatMovedSinceIsRefused()
{
    Paused p(twoPeopleFor(R"("slow")"));
    const Outcome first = slow(p.ann, 0, 5);
    const Outcome second = slow(p.ann, 0, 7);
    QCOMPARE(p.bob.confirm(p.act(first)).kind, Outcome::Kind::Committed);
    const Outcome stale = p.bob.confirm(p.act(second));
    QCOMPARE(stale.rejection.code, RejectCode::Stale);
    QVERIFY2(stale.rejection.text.find("the limits of resource bank have changed since they were shown") == 0,
        stale.rejection.text.c_str());
    QCOMPARE(perSecond(p.w), 5U);
    // A hold that began meanwhile is not lifted by an act that did not know of it.
    const Outcome third = slow(p.ann, 5, 9);
    QCOMPARE(third.kind, Outcome::Kind::Proposed);
    const TimeMs until = p.w.clock.wallMs() + 60'000;
    CAIRN_VERIFY_OK(p.w.writer->raiseBackOff("bank", until, false));
    QCOMPARE(p.bob.confirm(p.act(third)).kind, Outcome::Kind::Committed);
    QCOMPARE(perSecond(p.w), 9U);
    QCOMPARE(resourceNamed(*p.w.store, "bank")->backOffUntil, until);
    QCOMPARE(slow(p.ann, 4, 9).rejection.code, RejectCode::Stale);
}

void TestServiceAgreementKinds::aResourceIsSlowedAloneByBreakingTheGlass()
{
    Paused p(twoPeopleFor(R"("slow")"));
    const Outcome alone = slow(p.ann, 0, 5, true);
    QVERIFY2(alone.kind == Outcome::Kind::Committed, told(alone).c_str());
    QVERIFY(alone.glass);
    QCOMPARE(perSecond(p.w), 5U);
    const auto open = p.w.writer->reviews(false, 10);
    CAIRN_VERIFY_OK(open);
    QCOMPARE(open->size(), std::size_t{1});
    QCOMPARE(open->front().verb, Verb::Slow);
    QCOMPARE(open->front().login, std::string("uid 1"));
    QCOMPARE(open->front().target, std::string("bank"));
}

void TestServiceAgreementKinds::actsOnTheStoreAreRefusedAndRecordedAlike()
{
    for (const OnStore* on : {&kSlows, &kSets}) {
        Paused p(R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["slow","policy_set"],"role":"ops",)"
                 R"("reason":12}],"roles":{"ops":["uid 2"]}})");
        const std::string doing = on->doing;
        const auto refused = [&](Desk& by, const std::string& why, RejectCode code, const std::string& text) {
            const Outcome outcome = on->act(by, *by.connection, why);
            QCOMPARE(outcome.rejection.code, code);
            QCOMPARE(told(outcome), "Rejected: " + text);
            const AuditRow row = p.w.writer->audit(0, 100)->back();
            QCOMPARE(row.seq, outcome.auditSeq);
            QCOMPARE(row.kind, std::string("refused"));
            QCOMPARE(row.verb, on->verb);
            QCOMPARE(row.reason, why);
            QCOMPARE(row.after, "{\"refused\":true,\"why\":" + jsonQuote(text) + "}");
        };
        refused(p.bob, "too short", RejectCode::ReasonMissing,
            doing + " needs a reason of at least 12 characters here");
        refused(p.ann, "the bank asked us to", RejectCode::NoRight,
            "\"uid 1\" lacks the role \"ops\", which " + doing + " needs");
        const Outcome done = on->act(p.bob, *p.bob.connection, "the bank asked us to");
        QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
        const AuditRow row = p.w.writer->audit(0, 100)->back();
        QCOMPARE(row.seq, done.auditSeq);
        QCOMPARE(row.kind, std::string("applied"));
        QCOMPARE(row.actor + ", " + row.login + "@" + row.host, std::string("somebody, uid 2@desk"));
    }
}

// Between the preview and the writing somebody else does another one: the store sees it, and it is a refusal
// as any other, on record.
void TestServiceAgreementKinds::whoWasFasterIsToldAndRecordedAlike()
{
    for (const OnStore* on : {&kSlows, &kSets}) {
        Paused p;
        bool faster = true;
        const auto none = [](const char*, Access) { return std::optional<Error>(); };
        const auto before = [&](const char* what, Access) -> std::optional<Error> {
            const bool writes =
                std::string_view(what) == "appendAudit" || std::string_view(what) == "slowResource";
            if (writes && std::exchange(faster, false))
                if (const Outcome other = on->act(p.bob, *p.bob.connection, "the bank asked me to");
                    !other.ok())
                    return makeError(ErrorKind::Io, told(other));
            return std::nullopt;
        };
        HookedStore store(p.w.connect(), {before, none});
        p.ann.service.reset();
        p.ann.queue = makeInlineQueue(store);
        ServiceConfig config;
        config.login = "uid 1";
        p.ann.service = std::make_unique<Service>(p.ann.reader, *p.ann.queue, p.w.clock, p.w.rng, config);
        const Outcome late = on->act(p.ann, store, "the bank asked us to");
        QVERIFY(!faster);
        QVERIFY2(late.kind == Outcome::Kind::Rejected, told(late).c_str());
        QCOMPARE(late.rejection.code, RejectCode::Stale);
        const AuditRow row = p.w.writer->audit(0, 100)->back();
        QCOMPARE(row.seq, late.auditSeq);
        QCOMPARE(row.kind + " " + row.login, std::string("refused uid 1"));
        QCOMPARE(row.verb, on->verb);
        QCOMPARE(row.after, "{\"refused\":true,\"why\":" + jsonQuote(late.rejection.text) + "}");
        p.ann.service.reset();  // before the store that its queue writes
        p.ann.queue.reset();
    }
}

QTEST_APPLESS_MAIN(TestServiceAgreementKinds)
#include "tst_service_agreement_kinds.moc"
