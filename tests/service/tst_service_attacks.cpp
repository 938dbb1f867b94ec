// What somebody would try in order to do alone, or under another's name, what needs two: each attempt is
// refused, says why, and changes nothing. In memory and SQLite; with CAIRN_STORE
// (tst_service_attacks_postgres) on a server, where each person is a login.

#include "core/machine/policy.h"
#include "core/service/retention.h"
#include "tests/service/agreement_desk.h"
#include "tests/store/postgres_fixture.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

constexpr SpanMs kHour = 3'600'000;

const std::string kAnybody = R"({"schema":"urn:cairn:policy:1","rules":[
  {"verbs":["resume","slow","redact"],"people":2,"expires":"1h"}]})";
const std::string kFinance = R"({"schema":"urn:cairn:policy:1","rules":[
  {"verbs":["resume","slow"],"people":2,"role":"finance","expires":"1h"}],"roles":{"finance":["uid 3"]}})";

bool onServer()
{
    const char* store = std::getenv("CAIRN_STORE");
    return store != nullptr && postgres::isPostgresUrl(store);
}

std::string urlAs(const std::string& url, const std::string& login)
{
    static const std::string kAdmin = "user=cairn";
    std::string escaped, changed = url;
    for (const char c : login)
        escaped += c == ' ' ? std::string("%20") : std::string(1, c);
    return changed.replace(changed.rfind(kAdmin), kAdmin.size(), "user=" + escaped);
}

// The decision of `by`, as the store gets it from a program that asks no rule.
Result<std::uint64_t> forceDecision(Desk& by, StagedAct act, const std::string& login, StagedState as)
{
    act.state = as;
    act.confirmedBy = login;
    act.confirmedName = "somebody else";
    act.note = "looked at it and agree";
    act.confirmedAt = act.stagedAt + 1;
    AuditRow row = decisionEntry(act, {}, act.confirmedAt);
    auto change = std::make_shared<StoreChange>();
    change->decide = act;
    row.with = change;
    return by.connection->appendAudit(row);
}

// Entries that resumed the run, in the audit.
std::size_t resumed(World& w, const RunId& run)
{
    std::size_t count = 0;
    const auto rows = w.writer->auditOfRun(run);
    for (const AuditRow& row : *rows)
        count += row.kind == "applied" && row.verb == Verb::Resume ? 1 : 0;
    return count;
}

ResourceRow limited(std::uint32_t perSecond)
{
    ResourceRow row;
    row.name = "bank";
    row.permitsPerSecond = perSecond;
    return row;
}

}  // namespace

class TestServiceAttacks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data();
    void init();
    void cleanup();
    void twoDecideInTheSameMoment_data();
    void twoDecideInTheSameMoment();
    void thePolicyOfNowIsAskedWhenItIsDone();
    void thePolicyOfNowIsAskedForAResource();
    void whatWaitsOnTheStoreIsWithdrawnOrDone_data();
    void whatWaitsOnTheStoreIsWithdrawnOrDone();
    void aPolicyIsNotConfirmedOverAnother();
    void oneMoreCurrencyAsksForNoLess();
    void aConfirmationThatIsOnlyClaimedCountsForNothing();
    void twoEnginesCarryItOutOnce();
    void theSameIdWithAnotherActIsTheFirst();
    void noDigestConfirmsNothing();
    void whatIsApprovedIsWhatWasAsked();
    void anExpiredActStaysSoWhenTheClockGoesBack();
    void aRunIsNotRemovedWhileSomebodyIsAsked();
    void aHoldThatComesInBetweenKeepsTheTree();
    void retentionByAPersonIsAnActOfHis();
    void secretsInReasonsAreMaskedEverywhere();

private:
    PostgresStoreFixture m_server;
};

void TestServiceAttacks::initTestCase_data()
{
    if (!onServer())
        return storeRows();
    QTest::addColumn<bool>("sqlite");
    QTest::newRow("postgres") << false;
}

void TestServiceAttacks::init()
{
    if (!onServer())
        return useStoreOfRow();
    m_server.init(postgres::kSchema, {"test", false, true});
    // Logins that may do everything: it is not their rights that keep them from it.
    for (const char* login : {"uid 1", "uid 2", "uid 3"})
        static_cast<void>(
            RawPg(m_server.url).exec("CREATE ROLE \"" + std::string(login) + "\" LOGIN SUPERUSER"));
    World::s_elsewhere = [this] { return m_server.open(); };
    Desk::s_as = [this](const std::string& login) {
        auto opened = postgres::openStore(urlAs(m_server.url, login), {});
        if (!opened)
            qFatal("%s: %s", login.c_str(), errorLine(opened.error()).c_str());
        return *std::move(opened);
    };
}

void TestServiceAttacks::cleanup()
{
    World::s_elsewhere = nullptr;
    Desk::s_as = nullptr;
}

void TestServiceAttacks::twoDecideInTheSameMoment_data()
{
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    const auto row = [](const char* name, StagedState first, StagedState second) {
        QTest::newRow(name) << static_cast<int>(first) << static_cast<int>(second);
    };
    row("both confirm", StagedState::Waiting, StagedState::Waiting);
    row("confirmed, then rejected", StagedState::Waiting, StagedState::Refused);
    row("rejected, then confirmed", StagedState::Refused, StagedState::Waiting);
}

// Both have looked at the same act and were told that nothing is against it: the store takes one.
void TestServiceAttacks::twoDecideInTheSameMoment()
{
    QFETCH(int, first);
    QFETCH(int, second);
    const auto one = static_cast<StagedState>(first), other = static_cast<StagedState>(second);
    Paused p(kAnybody);
    const StagedAct act = p.act(p.propose(p.ann));
    for (Desk* desk : {&p.bob, &p.eve}) {
        const auto may = Agreements(*desk->service)
                             .mayDecide(act, {act.command, act.digest, one, "looked at it and agree", "x"},
                                 desk == &p.bob ? "uid 2" : "uid 3");
        CAIRN_VERIFY_OK(may);
        QVERIFY(!*may);
    }
    CAIRN_VERIFY_OK(forceDecision(p.bob, act, "uid 2", one));
    CAIRN_VERIFY_ERROR(forceDecision(p.eve, act, "uid 3", other), ErrorKind::Conflict);
    const StagedAct kept = **p.w.writer->stagedAct(act.command);
    QCOMPARE(kept.state, one);
    QCOMPARE(kept.confirmedBy, std::string("uid 2"));
    // Through the service the one who was slower is told who was faster, and that stands in the audit.
    const Outcome late = p.eve.decide(act, other);
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find("by uid 2") != std::string::npos, late.rejection.text.c_str());
    QVERIFY(late.auditSeq > 0);
    QVERIFY(p.paused());
    if (one != StagedState::Waiting)
        return;
    QCOMPARE(Agreements(*p.bob.service).carryOut(*p.bob.connection, kept).kind, Outcome::Kind::Committed);
    QVERIFY(!p.paused());
    QCOMPARE(resumed(p.w, p.run), std::size_t{1});
}

void TestServiceAttacks::thePolicyOfNowIsAskedWhenItIsDone()
{
    Paused p(kAnybody);
    const StagedAct act = p.act(p.propose(p.ann));
    QVERIFY(p.bob.decide(act).ok());
    QVERIFY(Agreements(*p.ann.service).setPolicy({kFinance, 1, "finance resumes now", "ann", false}).ok());
    const StagedAct confirmed = **p.w.writer->stagedAct(act.command);
    const Outcome done = Agreements(*p.bob.service).carryOut(*p.bob.connection, confirmed);
    QCOMPARE(done.kind, Outcome::Kind::Failed);
    QCOMPARE(done.error.kind, ErrorKind::Refused);
    QCOMPARE(done.error.text,
        std::string("\"uid 2\", who confirmed it, lacks the role \"finance\", which the policy asks for now; "
                    "nothing was done: propose it again"));
    QVERIFY(p.paused());
    // Not asked of who proposes, nor of who the new policy accepts.
    QCOMPARE(p.eve.confirm(p.act(p.propose(p.bob))).kind, Outcome::Kind::Committed);
    QVERIFY(!p.paused());
}

void TestServiceAttacks::thePolicyOfNowIsAskedForAResource()
{
    Paused p(kAnybody);
    const Outcome proposed =
        Agreements(*p.ann.service)
            .slow(*p.ann.connection, {limited(0), limited(5), "the bank asked us to", "ann", false, {}});
    QVERIFY2(proposed.kind == Outcome::Kind::Proposed, told(proposed).c_str());
    QVERIFY(p.bob.decide(p.act(proposed)).ok());
    QVERIFY(Agreements(*p.ann.service).setPolicy({kFinance, 1, "finance slows now", "ann", false}).ok());
    const Outcome done = Agreements(*p.bob.service).carryOut(*p.bob.connection, p.act(proposed));
    QCOMPARE(done.error.kind, ErrorKind::Refused);
    QVERIFY2(done.error.text.find("\"uid 2\", who confirmed it, lacks the role \"finance\"") == 0,
        told(done).c_str());
    QCOMPARE(resourceNamed(*p.w.store, "bank")->permitsPerSecond, 0U);
}

void TestServiceAttacks::whatWaitsOnTheStoreIsWithdrawnOrDone_data()
{
    QTest::addColumn<bool>("slows");
    QTest::newRow("a resource is slowed") << true;
    QTest::newRow("a policy is set") << false;
}

// Confirmed by a process that ended before it carried the act out. The author takes it back: who has it in
// hand already does nothing with it. Once it is done it has its answer in the same moment, and is not taken
// back.
void TestServiceAttacks::whatWaitsOnTheStoreIsWithdrawnOrDone()
{
    QFETCH(bool, slows);
    Paused p(R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["slow","policy_set"],"people":2}]})");
    const auto proposed = [&] {
        Agreements agreements(*p.ann.service);
        return slows ? agreements.slow(
                   *p.ann.connection, {limited(0), limited(5), "the bank asked us to", "ann", false, {}})
                     : agreements.setPolicy({kFinance, 1, "finance from now on", "ann", false});
    };
    const auto nothingDone = [&] {
        return resourceNamed(*p.w.store, "bank")->permitsPerSecond == 0
            && (*p.w.writer->policy(0))->version == 1;
    };
    const Outcome first = proposed();
    QVERIFY2(first.kind == Outcome::Kind::Proposed, told(first).c_str());
    QVERIFY(p.bob.decide(p.act(first)).ok());
    const StagedAct taken = p.act(first);
    QCOMPARE(taken.state, StagedState::Waiting);
    const Outcome withdrawn = p.ann.decide(taken, StagedState::Withdrawn);
    QVERIFY2(withdrawn.kind == Outcome::Kind::Committed, told(withdrawn).c_str());
    QCOMPARE(p.act(first).state, StagedState::Withdrawn);
    const Outcome late = Agreements(*p.bob.service).carryOut(*p.bob.connection, taken);
    QCOMPARE(late.kind, Outcome::Kind::Failed);
    QVERIFY2(late.error.kind == ErrorKind::Refused, told(late).c_str());
    QVERIFY2(late.error.text.find("it was withdrawn or decided otherwise") != std::string::npos,
        told(late).c_str());
    QVERIFY(nothingDone());
    const auto kinds = p.entries();
    QVERIFY((kinds
        == std::vector<std::string>{
            "act_propose proposed uid 1", "act_confirm confirmed uid 2", "act_confirm withdrawn uid 1"}));
    const Outcome again = p.ann.decide(p.act(first), StagedState::Withdrawn);
    QCOMPARE(again.rejection.code, RejectCode::Stale);
    QVERIFY2(again.rejection.text.find("the act is withdrawn by uid 1") == 0, told(again).c_str());
    // The other way round, and nobody has called it done yet.
    const Outcome second = proposed();
    QVERIFY(p.bob.decide(p.act(second)).ok());
    const Outcome done = Agreements(*p.bob.service).carryOut(*p.bob.connection, p.act(second));
    QVERIFY2(done.kind == Outcome::Kind::Committed, told(done).c_str());
    const StagedAct over = p.act(second);
    QCOMPARE(over.state, StagedState::Committed);
    QCOMPARE(over.auditSeq, done.auditSeq);
    QCOMPARE(over.version, done.version);
    const Outcome tooLate = p.ann.decide(over, StagedState::Withdrawn);
    QCOMPARE(tooLate.rejection.code, RejectCode::Stale);
    QVERIFY2(tooLate.rejection.text.find("the act is done, confirmed by uid 2") == 0, told(tooLate).c_str());
    QVERIFY(!nothingDone());
    QVERIFY(p.w.writer->waitingActs(10)->empty());
}

// Proposed, then overtaken: it is not confirmed any more, so nobody has agreed to what cannot be done.
void TestServiceAttacks::aPolicyIsNotConfirmedOverAnother()
{
    const std::string strict =
        R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["policy_set"],"people":2}]})";
    Paused p(strict);
    const Outcome proposed =
        Agreements(*p.ann.service).setPolicy({kAnybody, 1, "as it was before", "ann", false});
    QCOMPARE(proposed.kind, Outcome::Kind::Proposed);
    const Outcome alone =
        Agreements(*p.eve.service).setPolicy({kFinance, 1, "nobody else can be reached", "eve", true});
    QCOMPARE(told(alone), std::string("Committed 2"));
    const Outcome late = p.bob.confirm(p.act(proposed));
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find("the policy has version 2, set by uid 3 at ") == 0,
        late.rejection.text.c_str());
    QVERIFY(late.rejection.text.find("Nothing was confirmed") != std::string::npos);
    QCOMPARE(p.act(proposed).state, StagedState::Proposed);
    QCOMPARE((*p.w.writer->policy(0))->text, kFinance);
}

// A run with a dear step and a cheap one of another currency.
void TestServiceAttacks::oneMoreCurrencyAsksForNoLess()
{
    World w;
    Desk ann{w, "uid 1"};
    w.add(workflowText("two",
        R"({"name":"a","tool":"pay","input":{"$from":"input"},"approval":{"role":"x","expires":"8h"}},)"
        R"({"name":"b","tool":"tip","input":{"$from":"input"},"approval":{"role":"x","expires":"8h"}})",
        {},
        R"("tip":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},)"
        R"("amount":{"at":"/tip","currency":"USD"},"effect_key":"tip/${/order}"},)"));
    const auto engine = w.engine();
    const RunId run =
        engine
            ->submitAndWait(World::start(*engine, "two", R"({"order":"A1","amount":"5000.00","tip":"0.01"})"))
            .run;
    const auto state = w.service->load(run);
    CAIRN_VERIFY_OK(state);
    QVERIFY((atStake(*state, cmd::Cancel{}) == std::vector<Money>{{5'000'000'000, "EUR"}, {10'000, "USD"}}));
    QVERIFY(Agreements(*ann.service)
                .setPolicy({R"({"schema":"urn:cairn:policy:1","rules":[
                    {"amount":{"from":"1000.00","currency":"EUR"},"people":2}]})",
                    0, "dear ones by two", "ann", false})
                .ok());
    const Outcome outcome = ann.service->submitAndWait(World::act(run, cmd::Cancel{}));
    QVERIFY2(outcome.kind == Outcome::Kind::Proposed, told(outcome).c_str());
    QVERIFY(!w.service->load(run)->own.cancelled);
}

void TestServiceAttacks::aConfirmationThatIsOnlyClaimedCountsForNothing()
{
    Paused p(kFinance);
    const auto asIfAgreed = [&](const std::string& login) {
        Submission s = World::act(p.run, cmd::SetPaused{false, 0, false});
        s.agreed = Agreed{{ActorKind::Person, "somebody else", login}, sha256("a plan"), false};
        return p.ann.service->submitAndWait(std::move(s));
    };
    const Outcome own = asIfAgreed("uid 1");
    QCOMPARE(own.error.kind, ErrorKind::Refused);
    QCOMPARE(own.error.text, std::string("who proposed an act cannot confirm it: somebody else has to"));
    const Outcome nobody = asIfAgreed({});
    QVERIFY2(nobody.error.text.find("nobody vouches for who this is") == 0, told(nobody).c_str());
    const Outcome lacking = asIfAgreed("uid 2");
    QVERIFY2(lacking.error.text.find("\"uid 2\", who confirmed it, lacks the role \"finance\"") == 0,
        told(lacking).c_str());
    QVERIFY(p.paused());
}

void TestServiceAttacks::twoEnginesCarryItOutOnce()
{
    Paused p(kAnybody);
    const StagedAct act = p.act(p.propose(p.ann));
    QVERIFY(p.bob.decide(act).ok());
    const StagedAct confirmed = **p.w.writer->stagedAct(act.command);
    QCOMPARE(
        Agreements(*p.bob.service).carryOut(*p.bob.connection, confirmed).kind, Outcome::Kind::Committed);
    // It was killed before it could note that; another takes the act, which still reads as confirmed.
    QCOMPARE(Agreements(*p.eve.service).carryOut(*p.eve.connection, confirmed).kind, Outcome::Kind::Repeated);
    QCOMPARE(resumed(p.w, p.run), std::size_t{1});
    QCOMPARE(p.w.verified(p.run), std::string());
}

// A second act under the id of one that waits would be confirmed with the digest of the first.
void TestServiceAttacks::theSameIdWithAnotherActIsTheFirst()
{
    Paused p(kAnybody);
    const StagedAct act = p.act(p.propose(p.ann));
    Submission other = World::act(p.run, cmd::SetPaused{false, 0, false}, "quite another reason");
    other.command.id = act.command;
    const Outcome again = p.ann.service->submitAndWait(std::move(other));
    QCOMPARE(again.kind, Outcome::Kind::Proposed);
    const StagedAct kept = **p.w.writer->stagedAct(act.command);
    QCOMPARE(kept.digest, act.digest);
    QCOMPARE(kept.reason, act.reason);
    QCOMPARE(kept.expires, act.expires);
    // Confirmed, an act that says anything else is not that one.
    QVERIFY(p.bob.decide(act).ok());
    Submission third = World::act(p.run, cmd::SetPaused{false, 0, false}, "quite another reason");
    third.command.id = act.command;
    const Outcome refused = p.ann.service->submitAndWait(std::move(third));
    QCOMPARE(refused.error.kind, ErrorKind::Refused);
    QVERIFY2(refused.error.text.find(" is not what was confirmed; nothing was done") != std::string::npos,
        told(refused).c_str());
    QVERIFY(p.paused());
}

void TestServiceAttacks::noDigestConfirmsNothing()
{
    Paused p(kAnybody);
    const StagedAct act = p.act(p.propose(p.ann));
    const Outcome blind =
        Agreements(*p.bob.service).decideAct({act.command, {}, StagedState::Waiting, "I trust her", "bob"});
    QCOMPARE(blind.rejection.code, RejectCode::Stale);
    QVERIFY(
        blind.rejection.text.find("look again, and confirm the digest that is shown") != std::string::npos);
    StagedAct forged = act;
    forged.digest = {};
    CAIRN_VERIFY_ERROR(forceDecision(p.bob, forged, "uid 2", StagedState::Waiting), ErrorKind::Conflict);
    QCOMPARE((**p.w.writer->stagedAct(act.command)).state, StagedState::Proposed);
}

// An approval is asked for, then the amount is changed: a yes to the first question would pay something else.
void TestServiceAttacks::whatIsApprovedIsWhatWasAsked()
{
    Paused p(kAnybody);
    p.w.add(workflowText("pays",
        R"({"name":"pay","tool":"pay","input":{"$from":"input"},"approval":{"role":"x","expires":"8h"}})"));
    const auto engine = p.w.engine();
    const RunId run =
        engine->submitAndWait(World::start(*engine, "pays", R"({"order":"A1","amount":"12.50"})")).run;
    const auto asked = p.w.writer->approvals(run);
    CAIRN_VERIFY_OK(asked);
    QCOMPARE(asked->size(), std::size_t{1});
    Submission amend = World::act(run, cmd::Advance{});
    amend.payloads.push_back(
        p.ann.service->newPayload(R"({"order":"A1","amount":"9000.00"})", "application/json"));
    amend.command.body = cmd::AmendInput{"pay", amend.payloads.back().ref, 0, false};
    const Outcome amended = p.ann.service->submitAndWait(std::move(amend));
    QVERIFY2(amended.kind == Outcome::Kind::Committed, told(amended).c_str());
    const Outcome late =
        p.bob.service->submitAndWait(World::act(run, cmd::Decide{asked->front().id, true, {}}));
    QVERIFY2(late.kind == Outcome::Kind::Rejected, told(late).c_str());
    const auto now = p.w.service->load(run);
    CAIRN_VERIFY_OK(now);
    QVERIFY(!now->find("pay")->attempt);
    QCOMPARE(now->approvals.back().state, ApprovalState::Pending);
}

void TestServiceAttacks::anExpiredActStaysSoWhenTheClockGoesBack()
{
    Paused p(kAnybody);
    const Outcome proposed = p.propose(p.ann);
    p.w.clock.advance(kHour);
    const auto over = p.w.writer->takeStaged(10);
    CAIRN_VERIFY_OK(over);
    QCOMPARE(over->size(), std::size_t{1});
    CAIRN_VERIFY_OK(p.w.writer->appendAudit(expiryEntry(over->front(), {}, p.w.clock.wallMs())));
    p.w.clock.advance(-kHour);
    const Outcome late = p.bob.confirm(p.act(proposed));
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY(late.rejection.text.find("expiry is never consent") != std::string::npos);
    CAIRN_VERIFY_ERROR(
        forceDecision(p.bob, p.act(proposed), "uid 2", StagedState::Waiting), ErrorKind::Conflict);
    QVERIFY(p.paused());
}

namespace {

RetentionBy ann(bool person)
{
    RetentionBy by;
    by.name = "ann";
    by.login = "uid 1";
    by.host = "desk";
    by.person = person;
    return by;
}

// What the rule says of the tree of `run`; nullopt: nothing, its time has not come.
std::optional<TreeVerdict> verdictOf(World& w, const RunId& run, RetentionDo what, const RetentionBy& by)
{
    RetentionPass pass(*w.store, w.rng, by, what);
    if (const Status began = pass.begin(); !began)
        qFatal("%s", began.error().text.c_str());
    for (;;) {
        auto next = pass.next();
        if (!next)
            qFatal("%s", next.error().text.c_str());
        if (!*next || (*next)->root == run)
            return *std::move(next);
    }
}

void keep(World& w, std::uint32_t days, std::uint32_t redactDays)
{
    AuditRow row;
    row.time = w.clock.wallMs();
    row.kind = "applied";
    row.verb = Verb::Retain;
    row.actor = "ann";
    row.command = makeId<CommandId>(w.clock.wallMs(), w.rng);
    const Status set = w.writer->setRetention({"flow", days, redactDays, 0}, row);
    if (!set)
        qFatal("%s", set.error().text.c_str());
}

}  // namespace

void TestServiceAttacks::aRunIsNotRemovedWhileSomebodyIsAsked()
{
    Paused p(R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":["redact"],"people":2,"expires":"30d"}]})");
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::Cancel{})).ok());
    keep(p.w, 1, 0);
    const PayloadId input = p.w.service->load(p.run)->input.id;
    const Outcome proposed = p.ann.service->submitAndWait(World::act(p.run, cmd::Redact{{input}}));
    QVERIFY2(proposed.kind == Outcome::Kind::Proposed, told(proposed).c_str());
    p.w.clock.advance(2 * kDay);
    auto verdict = verdictOf(p.w, p.run, RetentionDo::Remove, ann(false));
    QVERIFY(verdict.has_value());
    QCOMPARE(verdict->stays, std::string("an act of a person waits for somebody else to confirm it"));
    // Nor by who does not look at the verdict.
    QVERIFY(p.bob.decide(p.act(proposed), StagedState::Refused).ok());
    verdict = verdictOf(p.w, p.run, RetentionDo::Remove, ann(false));
    QCOMPARE(verdict->stays, std::string());
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::Redact{{input}})).kind
        == Outcome::Kind::Proposed);
    RetentionDone done;
    CAIRN_VERIFY_OK(carryOut(*p.w.writer, *p.w.service, ann(false), *verdict, done));
    QCOMPARE(done.moved, std::uint64_t{1});
    QCOMPARE(done.trees, std::uint64_t{0});
    CAIRN_VERIFY_OK(p.w.writer->hot(p.run));
}

void TestServiceAttacks::aHoldThatComesInBetweenKeepsTheTree()
{
    Paused p(kAnybody);
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::Cancel{})).ok());
    keep(p.w, 1, 0);
    p.w.clock.advance(2 * kDay);
    const auto verdict = verdictOf(p.w, p.run, RetentionDo::Remove, ann(false));
    QVERIFY(verdict.has_value());
    QCOMPARE(verdict->stays, std::string());
    QVERIFY(p.bob.service->submitAndWait(World::act(p.run, cmd::Hold{true, kNoTime, 0, false})).ok());
    RetentionDone done;
    CAIRN_VERIFY_OK(carryOut(*p.w.writer, *p.w.service, ann(false), *verdict, done));
    QCOMPARE(done.moved, std::uint64_t{1});
    CAIRN_VERIFY_OK(p.w.writer->hot(p.run));
}

// By the rule alone the machine redacts. A person who sets it going acts, whatever reason he gives.
void TestServiceAttacks::retentionByAPersonIsAnActOfHis()
{
    Paused p(kAnybody);
    QVERIFY(p.ann.service->submitAndWait(World::act(p.run, cmd::Cancel{})).ok());
    keep(p.w, 90, 1);
    p.w.clock.advance(2 * kDay);
    const PayloadId input = p.w.service->load(p.run)->input.id;
    const auto verdict = verdictOf(p.w, p.run, RetentionDo::Redact, ann(true));
    QVERIFY(verdict.has_value());
    RetentionDone done;
    CAIRN_VERIFY_OK(carryOut(*p.ann.connection, *p.ann.service, ann(true), *verdict, done));
    QCOMPARE(done.proposed, std::uint64_t{1});
    QCOMPARE(done.payloads, std::uint64_t{0});
    QCOMPARE(done.trees, std::uint64_t{0});
    QVERIFY(p.w.writer->payload(p.run, input).has_value());
    const auto waiting = p.w.writer->waitingActs(10);
    CAIRN_VERIFY_OK(waiting);
    QCOMPARE(waiting->size(), std::size_t{1});
    QCOMPARE(waiting->front().verb, Verb::Redact);
    QCOMPARE(waiting->front().stagedBy, std::string("uid 1"));
    QCOMPARE(p.bob.confirm(waiting->front()).kind, Outcome::Kind::Committed);
    QVERIFY(!p.w.writer->payload(p.run, input));
}

// Reasons of all that is no act on a run: they are kept in the audit for ever.
void TestServiceAttacks::secretsInReasonsAreMaskedEverywhere()
{
    Paused p(kAnybody);
    const std::string secret = "AKIAABCDEFGHIJKLMNOP";  // the well-known form of an access key
    const std::string reason = "with the key " + secret + " it works";
    QVERIFY(Agreements(*p.ann.service).setPolicy({kFinance, 1, reason, "ann", false}).ok());
    QVERIFY(Agreements(*p.ann.service).setPolicy({kAnybody, 2, reason, "ann", false}).ok());
    QCOMPARE(Agreements(*p.ann.service)
                 .slow(*p.ann.connection, {limited(0), limited(5), reason, "ann", false, {}})
                 .kind,
        Outcome::Kind::Proposed);
    const StagedAct act =
        p.act(p.ann.service->submitAndWait(World::act(p.run, cmd::SetPaused{false, 0, false}, reason)));
    QCOMPARE(act.reason, std::string("with the key [masked: access key] it works"));
    QVERIFY(Agreements(*p.bob.service)
                .decideAct({act.command, act.digest, StagedState::Refused, reason, "bob"})
                .ok());
    QCOMPARE((**p.w.writer->stagedAct(act.command)).note,
        std::string("with the key [masked: access key] it works"));
    const auto waiting = p.w.writer->waitingActs(10);
    CAIRN_VERIFY_OK(waiting);
    QCOMPARE(waiting->size(), std::size_t{1});
    QVERIFY(waiting->front().reason.find(secret) == std::string::npos);
    std::size_t masked = 0;
    const auto rows = p.w.writer->audit(0, 100);
    for (const AuditRow& row : *rows) {
        QVERIFY2(row.reason.find(secret) == std::string::npos, row.kind.c_str());
        masked += row.reason.find("[masked: access key]") != std::string::npos ? 1 : 0;
    }
    QCOMPARE(masked, std::size_t{5});  // two policies, the resource, the resume, what was said to that
}

QTEST_APPLESS_MAIN(TestServiceAttacks)
#include "tst_service_attacks.moc"
