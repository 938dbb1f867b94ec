#include "tests/store/contract.h"

namespace cairn::testing {

namespace {

constexpr TimeMs kAt = 1'790'000'000'000;

// An entry that says nothing but what goes along with it. Each has a command of its own.
AuditRow with(StoreChange change, const std::string& login, const std::string& name)
{
    AuditRow row;
    row.time = kAt;
    row.kind = "applied";
    row.verb = Verb::ProposeAct;
    row.login = login;
    row.command = idOf<CommandId>("entry " + name);
    row.with = std::make_shared<StoreChange>(std::move(change));
    return row;
}

StoreChange policyOf(std::uint64_t version, const std::string& text)
{
    StoreChange change;
    change.policy = PolicyRow{version, text, "ann", "Ann", kAt};
    return change;
}

// As the store itself says who proposes, where it knows logins.
StagedAct act(StoreWriter& store, const std::string& name)
{
    const auto rights = store.rights();
    StagedAct a;
    a.command = idOf<CommandId>(name);
    a.run = idOf<RunId>("r");
    a.verb = Verb::Resume;
    a.body = std::string("body\0of it", 10);
    a.reason = "because it must go on";
    a.claimed = "ann";
    a.host = "desk";
    a.seenVersion = 7;
    a.stagedBy = rights && !rights->login.empty() ? rights->login : "uid 1";
    a.stagedAt = kAt;
    a.state = StagedState::Proposed;
    a.role = "ops";
    a.expires = 4'000'000'000'000;
    a.digest = actDigest(a);
    return a;
}
StoreChange proposing(const StagedAct& a)
{
    StoreChange change;
    change.propose = a;
    return change;
}
StoreChange deciding(StagedAct a, StagedState as, const std::string& by)
{
    a.state = as;
    a.confirmedBy = by;
    a.confirmedName = "Bob";
    a.note = "seen, and agreed";
    a.confirmedAt = a.decidedAt = kAt;
    StoreChange change;
    change.decide = std::move(a);
    return change;
}

// An act on the writer's run that waits to be carried out: confirmed by somebody else, or left for an engine
// where the store knows logins.
Result<StagedAct> waiting(StoreWriter& store, const Writer& writer, const std::string& name)
{
    StagedAct a = act(store, name);
    a.command.bytes[6] = static_cast<std::uint8_t>(0x70U | (a.command.bytes[6] & 0x0FU));
    a.run = writer.run;
    a.digest = actDigest(a);
    CAIRN_TRY_ASSIGN(const StoreRights rights, store.rights());
    if (rights.login.empty()) {
        CAIRN_TRY(store.appendAudit(with(proposing(a), a.stagedBy, name + " proposed")));
        CAIRN_TRY(
            store.appendAudit(with(deciding(a, StagedState::Waiting, "uid 2"), "uid 2", name + " agreed")));
    } else {
        CAIRN_TRY(store.stage(a));
    }
    CAIRN_TRY_ASSIGN(auto kept, store.stagedAct(a.command));
    return kept ? Result<StagedAct>(*std::move(kept))
                : makeError(ErrorKind::NotFound, "the act is not there");
}

// The commit that carries it out.
CommitMember carriedOut(const Writer& writer, const StagedAct& a)
{
    CommitMember member = writer.next("act");
    Entry entry;
    entry.version = writer.version + 1;
    entry.command = a.command;
    entry.verb = a.verb;
    entry.actor = {ActorKind::Person, "ann"};
    entry.time = kAt;
    StepReady ready;
    ready.step = 0;
    entry.facts = {ready};
    member.entry = sealEntry(entry, kMaxFormat, writer.head);
    member.left = true;
    return member;
}

}  // namespace

void ContractTest::policiesAreNumberedAndNeverChange()
{
    QVERIFY(!*m_store->policy(0));
    CAIRN_VERIFY_OK(m_store->appendAudit(with(policyOf(1, "first"), "ann", "1")));
    CAIRN_VERIFY_ERROR(m_store->appendAudit(with(policyOf(1, "again"), "ann", "2")), ErrorKind::Conflict);
    CAIRN_VERIFY_ERROR(m_store->appendAudit(with(policyOf(3, "hole"), "ann", "3")), ErrorKind::Conflict);
    CAIRN_VERIFY_OK(m_store->appendAudit(with(policyOf(2, "second"), "ann", "4")));
    QVERIFY((**m_store->policy(1) == PolicyRow{1, "first", "ann", "Ann", kAt}));
    QVERIFY((**m_store->policy(0) == PolicyRow{2, "second", "ann", "Ann", kAt}));
    QVERIFY(!*m_store->policy(3));
    QCOMPARE(m_store->audit(0, 100)->size(), std::size_t{2});  // what is not set is not on record as set
}

void ContractTest::anActIsProposedOnce()
{
    const StagedAct a = act(*m_store, "act");
    CAIRN_VERIFY_OK(m_store->appendAudit(with(proposing(a), a.stagedBy, "1")));
    CAIRN_VERIFY_ERROR(m_store->appendAudit(with(proposing(a), a.stagedBy, "2")), ErrorKind::Conflict);
    const auto kept = m_store->stagedAct(a.command);
    CAIRN_VERIFY_OK(kept);
    QVERIFY(kept->has_value());
    QVERIFY((*kept)->run == a.run);
    QCOMPARE((*kept)->verb, a.verb);
    QCOMPARE((*kept)->body, a.body);
    QCOMPARE((*kept)->reason, a.reason);
    QCOMPARE((*kept)->stagedBy, a.stagedBy);
    QCOMPARE((*kept)->role, a.role);
    QCOMPARE((*kept)->expires, a.expires);
    QCOMPARE((*kept)->digest, a.digest);
    QCOMPARE((*kept)->state, StagedState::Proposed);
    QCOMPARE(m_store->waitingActs(10)->size(), std::size_t{1});
    QVERIFY(m_store->takeStaged(10)->empty());  // nobody carries it out
    StagedAct finished = a;
    finished.state = StagedState::Committed;
    CAIRN_VERIFY_OK(m_store->finishStaged(finished));  // and nobody says that it was
    QCOMPARE((*m_store->stagedAct(a.command))->state, StagedState::Proposed);
}

void ContractTest::onlySomebodyElseDecidesAnAct()
{
    const StagedAct a = act(*m_store, "act");
    CAIRN_VERIFY_OK(m_store->appendAudit(with(proposing(a), a.stagedBy, "1")));
    for (const StagedState as : {StagedState::Waiting, StagedState::Refused})
        CAIRN_VERIFY_ERROR(
            m_store->appendAudit(with(deciding(a, as, a.stagedBy), a.stagedBy, "2")), ErrorKind::NoRight);
    StagedAct other = a;
    other.digest = sha256("another");
    CAIRN_VERIFY_ERROR(
        m_store->appendAudit(with(deciding(other, StagedState::Waiting, "uid 2"), a.stagedBy, "3")),
        ErrorKind::Conflict);
    CAIRN_VERIFY_ERROR(m_store->appendAudit(with(deciding(a, StagedState::Expired, ""), a.stagedBy, "4")),
        m_store->rights()->login.empty() ? ErrorKind::Conflict : ErrorKind::NoRight);
    QCOMPARE((*m_store->stagedAct(a.command))->state, StagedState::Proposed);
    CAIRN_VERIFY_OK(
        m_store->appendAudit(with(deciding(a, StagedState::Withdrawn, a.stagedBy), a.stagedBy, "5")));
    const auto kept = m_store->stagedAct(a.command);
    QCOMPARE((*kept)->state, StagedState::Withdrawn);
    QCOMPARE((*kept)->confirmedBy, a.stagedBy);
    QCOMPARE((*kept)->note, std::string("seen, and agreed"));
    CAIRN_VERIFY_ERROR(
        m_store->appendAudit(with(deciding(a, StagedState::Withdrawn, a.stagedBy), a.stagedBy, "6")),
        ErrorKind::Conflict);
    if (!m_store->rights()->login.empty())
        return;  // this connection is one person there: tst_postgres_acts has several
    const StagedAct second = act(*m_store, "second");
    CAIRN_VERIFY_OK(m_store->appendAudit(with(proposing(second), "uid 1", "7")));
    CAIRN_VERIFY_OK(
        m_store->appendAudit(with(deciding(second, StagedState::Waiting, "uid 2"), "uid 2", "8")));
    const auto taken = m_store->takeStaged(10);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->size(), std::size_t{1});
    QCOMPARE(taken->front().confirmedBy, std::string("uid 2"));
    StagedAct finished = taken->front();
    finished.state = StagedState::Committed;
    finished.version = 8;
    CAIRN_VERIFY_OK(m_store->finishStaged(finished));
    QCOMPARE((*m_store->stagedAct(second.command))->version, std::uint64_t{8});
    QVERIFY(m_store->takeStaged(10)->empty());
    QCOMPARE(m_store->answeredActs({}, 10)->size(), std::size_t{2});
}

void ContractTest::anActThatWaitsIsCarriedOutOrWithdrawn()
{
    Writer a("a");
    createRun(a, a.listRow());
    const auto first = waiting(*m_store, a, "first");
    CAIRN_VERIFY_OK(first);
    QCOMPARE(first->state, StagedState::Waiting);
    QVERIFY(first->run == a.run);
    const auto withdraw = [&](const StagedAct& of, const std::string& name) {
        return m_store->appendAudit(
            with(deciding(of, StagedState::Withdrawn, of.stagedBy), of.stagedBy, name));
    };
    // Withdrawn: it is on record once, nobody is given it, and who had it already does nothing with it.
    CAIRN_VERIFY_OK(withdraw(*first, "one"));
    const StagedAct over = **m_store->stagedAct(first->command);
    QCOMPARE(over.state, StagedState::Withdrawn);
    QCOMPARE(over.confirmedBy, first->stagedBy);
    QCOMPARE(over.note, std::string("seen, and agreed"));
    QVERIFY(m_store->takeStaged(10)->empty());
    const std::size_t entries = m_store->audit(0, 100)->size();
    CAIRN_VERIFY_ERROR(withdraw(*first, "two"), ErrorKind::Conflict);
    QCOMPARE(m_store->audit(0, 100)->size(), entries);
    const MemberResult late = commitOne(carriedOut(a, *first));
    QVERIFY(late.kind == MemberResult::Kind::Failed);
    QVERIFY2(late.error.kind == ErrorKind::Refused, late.error.text.c_str());
    QCOMPARE(m_store->hot(a.run)->version, std::uint64_t{1});
    StagedAct finished = *first;
    finished.state = StagedState::Committed;
    CAIRN_VERIFY_OK(m_store->finishStaged(finished));  // nor does it become done by being called so
    QCOMPARE((*m_store->stagedAct(first->command))->state, StagedState::Withdrawn);
    // Carried out: not withdrawn any more, also before anybody has noted that it was done.
    const auto second = waiting(*m_store, a, "second");
    CAIRN_VERIFY_OK(second);
    const CommitMember act = carriedOut(a, *second);
    QVERIFY(commitOne(act).kind == MemberResult::Kind::Committed);
    a.committed(act);
    QCOMPARE((*m_store->stagedAct(second->command))->state, StagedState::Waiting);
    const auto tooLate = withdraw(*second, "three");
    CAIRN_VERIFY_ERROR(tooLate, ErrorKind::Conflict);
    QVERIFY2(
        tooLate.error().text.find("carried out already") != std::string::npos, tooLate.error().text.c_str());
    finished = *second;
    finished.state = StagedState::Committed;
    finished.version = 2;
    CAIRN_VERIFY_OK(m_store->finishStaged(finished));
    QCOMPARE((*m_store->stagedAct(second->command))->state, StagedState::Committed);
    CAIRN_VERIFY_ERROR(withdraw(*second, "four"), ErrorKind::Conflict);
    // An act that this store does not have is not asked for.
    StagedAct unknown = *second;
    unknown.command = idOf<CommandId>("unknown");
    QVERIFY(commitOne(carriedOut(a, unknown)).kind == MemberResult::Kind::Committed);
}

void ContractTest::aReviewIsClosedByAnother()
{
    const auto rights = m_store->rights();
    const std::string login = rights->login.empty() ? "uid 1" : rights->login;
    StoreChange change;
    change.review = Review{idOf<CommandId>("act"), idOf<RunId>("r"), Verb::Retry, "pay", login,
        "nobody else is there", {}, 0, kAt, {}, {}, kNoTime};
    CAIRN_VERIFY_OK(m_store->appendAudit(with(change, login, "1")));
    const auto open = m_store->reviews(false, 10);
    CAIRN_VERIFY_OK(open);
    QCOMPARE(open->size(), std::size_t{1});
    QCOMPARE(open->front().login, login);
    QCOMPARE(open->front().target, std::string("pay"));
    QCOMPARE(open->front().openedAt, kAt);
    const auto problems = m_store->check(false);
    CAIRN_VERIFY_OK(problems);
    const auto told = std::find_if(problems->begin(), problems->end(), [&](const VerifyProblem& problem) {
        return problem.where == "review " + toText(change.review->command);
    });
    QVERIFY(told != problems->end());
    QVERIFY(!told->blocksCopy);  // nobody else has looked at it yet: a backup stands all the same
    change.review->closedBy = login;
    change.review->note = "it was needed";
    change.review->closedAt = kAt + 1;
    CAIRN_VERIFY_ERROR(m_store->appendAudit(with(change, login, "2")), ErrorKind::NoRight);
    QCOMPARE(m_store->reviews(false, 10)->size(), std::size_t{1});
}

}  // namespace cairn::testing
