// Acts for which one person is not enough: proposed, confirmed by somebody else, carried out once; on either
// store.

#include "core/base/text.h"
#include "tests/service/agreement_desk.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

class TestServiceAgreement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void anActIsKeptUntilSomebodyElseConfirmsIt();
    void nobodyConfirmsHisOwnActUnderAnyName();
    void aConfirmedActIsDoneOnce();
    void whatHasChangedSinceIsRefused();
    void silenceIsNeverConsent();
    void rejectedAndWithdrawnAreTwoEnds();
    void whatWasConfirmedIsDoneOrWithdrawn();
    void theRoleIsAskedForOfWhoConfirms();
    void anotherDigestConfirmsNothing();
    void aPreviewShowsTheActAndWhoIsNeeded();
    void breakingTheGlassIsLoudAndReviewed();
    void approvalsAskForTheirRole();
    void thePolicyItselfNeedsTwoWhereItSaysSo();
    void thePolicyIsNotSetOverAnothers();
    void aPolicyThatIsWrongChangesNothing();
    void nothingElseIsAskedOfOnePersonActs();
};

void TestServiceAgreement::anActIsKeptUntilSomebodyElseConfirmsIt()
{
    Paused p;
    const Outcome proposed = p.propose(p.ann);
    QCOMPARE(told(proposed).substr(0, 8), std::string("Proposed"));
    QVERIFY(proposed.ok());
    QVERIFY(p.paused());
    const StagedAct act = p.act(proposed);
    QCOMPARE(act.stagedBy, std::string("uid 1"));
    QCOMPARE(act.expires, p.w.clock.wallMs() + 3'600'000);
    QCOMPARE(act.digest, actDigest(act));
    QCOMPARE(standingOf(act), "1 of 2, waiting for role ops, expires " + formatInstant(act.expires));

    const std::uint64_t before = p.w.service->load(p.run)->version;
    const Outcome done = p.bob.confirm(act);
    QCOMPARE(told(done), "Committed " + std::to_string(before + 1));
    QVERIFY(!p.paused());
    // Both names are in the run's own history, in the entry that did it, and in the audit.
    QCOMPARE(done.entry.actor.login, std::string("uid 1"));
    const auto* agreed = std::get_if<ActAgreed>(&done.entry.facts.front());
    const bool second = agreed == nullptr && done.entry.facts.size() > 1;
    if (second)
        agreed = std::get_if<ActAgreed>(&done.entry.facts[1]);
    QVERIFY(agreed != nullptr);
    QCOMPARE(agreed->by.login, std::string("uid 2"));
    QCOMPARE(agreed->digest, act.digest);
    QVERIFY(!agreed->glass);
    QVERIFY((p.entries() == Lines{"act_propose proposed uid 1", "act_confirm confirmed uid 2"}));
    const auto rows = p.w.writer->auditOfRun(p.run);
    QVERIFY(rows->back().after.find("\"confirmed_by\":\"uid 2\"") != std::string::npos);
    QCOMPARE(p.act(proposed).state, StagedState::Committed);
    QCOMPARE(p.act(proposed).version, before + 1);
}

void TestServiceAgreement::nobodyConfirmsHisOwnActUnderAnyName()
{
    Paused p;
    const StagedAct act = p.act(p.propose(p.ann));
    const Outcome refused = p.ann.confirm(act);  // the claimed name is another one
    QCOMPARE(
        told(refused), std::string("Rejected: who proposed an act cannot confirm it: somebody else has to"));
    QCOMPARE(refused.rejection.code, RejectCode::NoRight);
    QVERIFY(p.paused());
    QVERIFY((p.entries() == Lines{"act_propose proposed uid 1", "act_confirm refused uid 1"}));
    // The store refuses it by itself, whoever asks.
    StagedAct forged = act;
    forged.state = StagedState::Waiting;
    forged.confirmedBy = "uid 1";
    AuditRow row = decisionEntry(forged, {}, p.w.clock.wallMs());
    auto change = std::make_shared<StoreChange>();
    change->decide = forged;
    row.with = change;
    CAIRN_VERIFY_ERROR(p.w.writer->appendAudit(row), ErrorKind::NoRight);
    QCOMPARE((*p.w.writer->stagedAct(act.command))->state, StagedState::Proposed);
}

void TestServiceAgreement::aConfirmedActIsDoneOnce()
{
    Paused p;
    const Outcome proposed = p.propose(p.ann);
    const StagedAct act = p.act(proposed);
    QVERIFY(p.bob.confirm(act).ok());
    const Outcome again = p.bob.confirm(act);
    QCOMPARE(again.kind, Outcome::Kind::Rejected);
    QVERIFY(again.rejection.text.find("the act is done, confirmed by uid 2") == 0);
    // Paused again, the confirmed act does not resume it: its command has given its answer.
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::SetPaused{true, 0, false})).ok());
    StagedAct waiting = p.act(proposed);
    waiting.state = StagedState::Waiting;
    QCOMPARE(Agreements(*p.bob.service).carryOut(*p.bob.connection, waiting).kind, Outcome::Kind::Repeated);
    QVERIFY(p.paused());
}

void TestServiceAgreement::whatHasChangedSinceIsRefused()
{
    Paused p;
    const Outcome proposed = p.propose(p.ann);
    const TimeMs later = p.w.clock.wallMs() + 86'400'000;
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::SetDeadline{later, 0, false})).ok());
    const Outcome stale = p.bob.confirm(p.act(proposed));
    QCOMPARE(stale.kind, Outcome::Kind::Rejected);
    QCOMPARE(stale.rejection.code, RejectCode::Stale);
    QVERIFY2(stale.rejection.text.find("pause, deadline or budget of this run has changed") == 0,
        stale.rejection.text.c_str());
    QVERIFY(stale.rejection.text.find("let it be proposed again") != std::string::npos);
    QVERIFY(p.paused());
    QCOMPARE(p.act(proposed).state, StagedState::Proposed);
}

void TestServiceAgreement::silenceIsNeverConsent()
{
    Paused p;
    const Outcome proposed = p.propose(p.ann);
    p.w.clock.advance(3'600'000);
    const Outcome late = p.bob.confirm(p.act(proposed));
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QVERIFY(late.rejection.text.find("expiry is never consent") != std::string::npos);
    const auto over = p.w.writer->takeStaged(10);
    CAIRN_VERIFY_OK(over);
    QCOMPARE(over->size(), std::size_t{1});
    CAIRN_VERIFY_OK(p.w.writer->appendAudit(expiryEntry(over->front(), {}, p.w.clock.wallMs())));
    QCOMPARE(p.act(proposed).state, StagedState::Expired);
    QVERIFY(p.act(proposed).confirmedBy.empty());
    QVERIFY(p.paused());
    CAIRN_VERIFY_ERROR(
        p.w.writer->appendAudit(expiryEntry(over->front(), {}, p.w.clock.wallMs())), ErrorKind::Conflict);
}

void TestServiceAgreement::rejectedAndWithdrawnAreTwoEnds()
{
    Paused p;
    const Outcome first = p.propose(p.ann);
    QVERIFY(p.bob.decide(p.act(first), StagedState::Refused).ok());
    QCOMPARE(p.act(first).state, StagedState::Refused);
    QCOMPARE(p.act(first).note, std::string("looked at it and agree"));
    const Outcome second = p.propose(p.ann);
    const Outcome others = p.bob.decide(p.act(second), StagedState::Withdrawn);
    QCOMPARE(others.rejection.code, RejectCode::NoRight);
    QVERIFY(p.ann.decide(p.act(second), StagedState::Withdrawn).ok());
    QCOMPARE(p.act(second).state, StagedState::Withdrawn);
    QVERIFY(p.paused());
    QVERIFY(p.w.writer->waitingActs(10)->empty());
    QCOMPARE(p.w.writer->answeredActs({}, 10)->size(), std::size_t{2});
}

// Confirmed by a process that ended before it carried the act out: it waits for whoever takes it.
void TestServiceAgreement::whatWasConfirmedIsDoneOrWithdrawn()
{
    Paused p;
    const Outcome first = p.propose(p.ann);
    QVERIFY(p.bob.decide(p.act(first)).ok());
    const StagedAct taken = p.act(first);
    QCOMPARE(taken.state, StagedState::Waiting);
    QVERIFY(p.ann.decide(taken, StagedState::Withdrawn).ok());
    QCOMPARE(p.act(first).state, StagedState::Withdrawn);
    QVERIFY(standingOf(p.act(first)).find("withdrawn by uid 1") == 0);
    QVERIFY(!Agreements(*p.bob.service).carryOut(*p.bob.connection, taken).ok());
    QVERIFY(p.paused());
    const Outcome twice = p.ann.decide(p.act(first), StagedState::Withdrawn);
    QCOMPARE(twice.rejection.code, RejectCode::Stale);
    QVERIFY(twice.rejection.text.find("the act is withdrawn by uid 1") == 0);
    const std::vector<std::string> kinds = p.entries();
    QCOMPARE(std::count(kinds.begin(), kinds.end(), std::string("act_confirm withdrawn uid 1")), 1);
    QCOMPARE(std::count(kinds.begin(), kinds.end(), std::string("act_confirm confirmed uid 2")), 1);
    // Whoever may write a store without logins is its owner.
    const Outcome second = p.propose(p.ann);
    QVERIFY(p.bob.decide(p.act(second)).ok());
    QVERIFY(p.eve.decide(p.act(second), StagedState::Withdrawn).ok());
    // Done, and nobody has noted it yet.
    const Outcome third = p.propose(p.ann);
    QVERIFY(p.bob.decide(p.act(third)).ok());
    QVERIFY(Agreements(*p.bob.service).carryOut(*p.bob.connection, p.act(third)).ok());
    QVERIFY(!p.paused());
    QCOMPARE(p.act(third).state, StagedState::Waiting);
    const Outcome late = p.ann.decide(p.act(third), StagedState::Withdrawn);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find("the act was carried out already, as version ") == 0,
        late.rejection.text.c_str());
}

void TestServiceAgreement::theRoleIsAskedForOfWhoConfirms()
{
    Paused p;
    const StagedAct act = p.act(p.propose(p.eve));  // whoever may act may propose
    QCOMPARE(act.stagedBy, std::string("uid 3"));
    const StagedAct other = p.act(p.propose(p.ann));
    const Outcome refused = p.eve.confirm(other);
    QCOMPARE(refused.rejection.code, RejectCode::NoRight);
    QCOMPARE(refused.rejection.text,
        std::string(
            "\"uid 3\" lacks the role \"ops\", for which the act waits; nothing was done: ask somebody "
            "who has it"));
    QVERIFY(p.bob.confirm(act).ok());
}

void TestServiceAgreement::anotherDigestConfirmsNothing()
{
    Paused p;
    StagedAct act = p.act(p.propose(p.ann));
    act.digest = sha256("something else");
    const Outcome refused = p.bob.confirm(act);
    QCOMPARE(refused.rejection.code, RejectCode::Stale);
    QVERIFY(p.paused());
}

void TestServiceAgreement::aPreviewShowsTheActAndWhoIsNeeded()
{
    Paused p;
    const auto preview = p.ann.service->preview(World::act(p.run, cmd::SetPaused{false, 0, false}));
    CAIRN_VERIFY_OK(preview);
    QVERIFY(std::holds_alternative<Entry>(preview->decision));
    QCOMPARE(preview->needed.people, 2U);
    QCOMPARE(preview->needed.role, std::string("ops"));
    QVERIFY(p.w.writer->waitingActs(10)->empty());
    const auto now = Agreements(*p.bob.service).previewAct(p.act(p.propose(p.ann)));
    CAIRN_VERIFY_OK(now);
    QVERIFY(now->willHappen == preview->willHappen);
}

void TestServiceAgreement::breakingTheGlassIsLoudAndReviewed()
{
    Paused p;
    Submission alone = World::act(p.run, cmd::SetPaused{false, 0, false}, "short");
    alone.breakGlass = true;
    QCOMPARE(p.ann.service->submitAndWait(alone).rejection.code, RejectCode::ReasonMissing);
    alone.reason = "the second person cannot be reached";
    const Outcome done = p.ann.service->submitAndWait(alone);
    QCOMPARE(done.kind, Outcome::Kind::Committed);
    QVERIFY(done.glass);
    QVERIFY(!p.paused());
    const auto open = p.w.writer->reviews(false, 10);
    CAIRN_VERIFY_OK(open);
    QCOMPARE(open->size(), std::size_t{1});
    QCOMPARE(open->front().login, std::string("uid 1"));
    QCOMPARE(open->front().verb, Verb::Resume);
    QVERIFY(open->front().run == p.run);
    const auto rows = p.w.writer->auditOfRun(p.run);
    QVERIFY(rows->back().after.find("\"break_glass\":true") != std::string::npos);
    // Who broke it does not close it.
    const auto close = [&](const std::string& login) {
        Review closed = open->front();
        closed.closedBy = login;
        closed.note = "it was needed";
        closed.closedAt = p.w.clock.wallMs();
        AuditRow row = rows->back();
        row.kind = "reviewed";
        row.login = login;
        auto change = std::make_shared<StoreChange>();
        change->review = closed;
        row.with = change;
        return p.w.writer->appendAudit(row);
    };
    CAIRN_VERIFY_ERROR(close("uid 1"), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(close("uid 2"));
    CAIRN_VERIFY_ERROR(close("uid 3"), ErrorKind::Conflict);
    QVERIFY(p.w.writer->reviews(false, 10)->empty());
    QCOMPARE(p.w.writer->reviews(true, 10)->front().closedBy, std::string("uid 2"));
}

void TestServiceAgreement::approvalsAskForTheirRole()
{
    World w;
    Desk ann{w, "uid 1"};
    Desk eve{w, "uid 3"};
    w.add(
        workflowText("flow", R"({"name":"pay","tool":"note","approval":{"role":"finance","expires":"8h"}})"));
    const auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "flow", "{}")).run;
    const auto rows = w.writer->approvals(run);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{1});
    QVERIFY(Agreements(*ann.service).setPolicy({kResume, 0, "roles of people", "ann", false}).ok());
    const cmd::Decide yes{rows->front().id, true, {}};
    const Outcome refused = ann.service->submitAndWait(World::act(run, yes));
    QCOMPARE(refused.rejection.code, RejectCode::NoRight);
    QCOMPARE(refused.rejection.text,
        std::string(
            "\"uid 1\" lacks the role \"finance\", which this needs; nothing was done: ask somebody who "
            "has it"));
    QVERIFY(eve.service->submitAndWait(World::act(run, yes)).ok());
}

void TestServiceAgreement::thePolicyItselfNeedsTwoWhereItSaysSo()
{
    const std::string strict =
        R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["policy_set"],"people":2}]})";
    Paused p(strict);
    const Outcome proposed =
        Agreements(*p.ann.service).setPolicy({kResume, 1, "as it was before", "ann", false});
    QCOMPARE(proposed.kind, Outcome::Kind::Proposed);
    QCOMPARE(Agreements(*p.w.service).policy()->version, std::uint64_t{1});
    QCOMPARE(p.ann.confirm(p.act(proposed)).rejection.code, RejectCode::NoRight);
    const Outcome set = p.bob.confirm(p.act(proposed));
    QCOMPARE(told(set), std::string("Committed 2"));
    QCOMPARE(Agreements(*p.w.service).policy()->version, std::uint64_t{2});
    const auto row = p.w.writer->policy(2);
    QCOMPARE((*row)->text, kResume);
    QCOMPARE((*row)->login, std::string("uid 1"));
    QCOMPARE(p.act(proposed).state, StagedState::Committed);
}

// C55: the second who saves sees what the first has saved, and overwrites nothing.
void TestServiceAgreement::thePolicyIsNotSetOverAnothers()
{
    Paused p;
    const std::string mine = R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["cancel"],"people":2}]})";
    const std::string theirs = R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["retry"],"people":2}]})";
    QVERIFY(Agreements(*p.ann.service).setPolicy({mine, 1, "cancel by two people", "ann", false}).ok());
    const Outcome stale =
        Agreements(*p.bob.service).setPolicy({theirs, 1, "retry by two people", "bob", false});
    QCOMPARE(stale.kind, Outcome::Kind::Rejected);
    QCOMPARE(stale.rejection.code, RejectCode::Stale);
    QVERIFY2(stale.rejection.text.find("the policy has version 2, set by uid 1 at ") == 0,
        stale.rejection.text.c_str());
    QVERIFY(
        stale.rejection.text.find(
            "\n  rule 1: {\"verbs\": [\"cancel\"], \"people\": 2} -> {\"verbs\": [\"retry\"], \"people\": 2}")
        != std::string::npos);
    QCOMPARE((*p.w.writer->policy(0))->text, mine);
    QVERIFY(Agreements(*p.bob.service).setPolicy({theirs, 2, "retry by two people", "bob", false}).ok());
    QCOMPARE((*p.w.writer->policy(2))->text, mine);  // none is ever lost
    QCOMPARE((*p.w.writer->policy(0))->text, theirs);
    std::vector<std::string> kinds;
    const auto rows = p.w.writer->audit(0, 100);
    for (const AuditRow& row : *rows)
        if (row.verb == Verb::SetPolicy)
            kinds.push_back(row.kind + " " + row.login + " " + row.before);
    QVERIFY((kinds
        == Lines{"applied uid 1 {\"version\":0}", "applied uid 1 {\"version\":1}",
            "refused uid 2 {\"version\":1}", "applied uid 2 {\"version\":2}"}));
}

void TestServiceAgreement::aPolicyThatIsWrongChangesNothing()
{
    Paused p;
    const Outcome wrong = Agreements(*p.ann.service)
                              .setPolicy({"{\"schema\":\"urn:cairn:policy:1\",\n \"rules\":[{\"people\":3}]}",
                                  1, "three people", "ann", false});
    QCOMPARE(wrong.rejection.code, RejectCode::InvalidInput);
    QCOMPARE(wrong.rejection.text,
        std::string("policy:2:21: error: \"people\" must be a whole number from 1 to 2, found 3"));
    QVERIFY(wrong.auditSeq > 0);
    QCOMPARE(Agreements(*p.w.service).policy()->version, std::uint64_t{1});
}

void TestServiceAgreement::nothingElseIsAskedOfOnePersonActs()
{
    Paused p;
    const Outcome done = p.eve.service->submitAndWait(World::act(p.run, cmd::Cancel{}));
    QCOMPARE(done.kind, Outcome::Kind::Committed);
    QVERIFY(!done.glass);
    for (const Fact& fact : done.entry.facts)
        QVERIFY(!std::holds_alternative<ActAgreed>(fact));
}

QTEST_APPLESS_MAIN(TestServiceAgreement)
#include "tst_service_agreement.moc"
