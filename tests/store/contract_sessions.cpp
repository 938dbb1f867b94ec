#include "tests/store/contract.h"

#include <set>

namespace cairn::testing {

using Kind = MemberResult::Kind;

void ContractTest::sessionsOpenBeatAndEnd()
{
    const SessionRow row = sessionRow("e", 1000);
    CAIRN_VERIFY_OK(m_store->openSession(row));
    CAIRN_VERIFY_ERROR(m_store->openSession(row), ErrorKind::Conflict);
    CAIRN_VERIFY_ERROR(m_store->openSession({}), ErrorKind::InvalidInput);
    QVERIFY(*m_store->heartbeat(row.id, 2000, 12'000));
    auto rows = m_store->sessions(false);
    QCOMPARE(rows->size(), std::size_t{1});
    const SessionRow& s = rows->front();
    QCOMPARE(s.id, row.id);
    QCOMPARE(s.name, row.name);
    QCOMPARE(s.host, row.host);
    QCOMPARE(s.bootId, row.bootId);
    QCOMPARE(s.pidNamespace, row.pidNamespace);
    QCOMPARE(s.pid, row.pid);
    QCOMPARE(s.startTicks, row.startTicks);
    QCOMPARE(s.build, row.build);
    QCOMPARE(s.format, row.format);
    QCOMPARE(s.schema, row.schema);
    QCOMPARE(s.serves, row.serves);
    QCOMPARE(s.startedAt, TimeMs{1000});
    QCOMPARE(s.heartbeatAt, TimeMs{2000});
    QCOMPARE(s.leaseUntil, TimeMs{12'000});
    QCOMPARE(s.endedAt, kNoTime);
    QVERIFY(*m_store->endSession(row.id, 3000, kNoTime));
    QVERIFY(!*m_store->heartbeat(row.id, 3001, 13'000));
    QVERIFY(m_store->sessions(false)->empty());
    QCOMPARE(m_store->sessions(true)->front().endedAt, TimeMs{3000});
}

void ContractTest::aSessionEndsOnceAndOnlyAfterItsLease()
{
    SessionRow row = sessionRow("e", 1000);
    row.leaseUntil = 11'000;
    CAIRN_VERIFY_OK(m_store->openSession(row));
    QVERIFY(!*m_store->endSession(row.id, 10'000, 10'000));
    QVERIFY(!*m_store->endSession(row.id, 11'000, 11'000));
    QVERIFY(*m_store->endSession(row.id, 11'001, 11'001));
    QVERIFY(!*m_store->endSession(row.id, 11'002, kNoTime));
    QVERIFY(!*m_store->endSession(idOf<SessionId>("none"), 1, kNoTime));
}

void ContractTest::dueRunsAreClaimedOldestFirst()
{
    const SessionId session = open("e");
    const TimeMs now = *m_store->now();
    struct Run {
        const char* name;
        TimeMs due;
    };
    // Owned by a session that lets them go with the due time of the table.
    const SessionId maker = open("maker");
    for (const Run& r : {Run{"late", now - 10}, Run{"early", now - 500}, Run{"middle", now - 100},
             Run{"future", now + 60'000}, Run{"never", kNoTime}}) {
        Writer w(r.name, maker);
        const CommitMember first = w.create();
        QVERIFY(commitOne(first).kind == Kind::Committed);
        w.committed(first);
        CommitMember release = w.next("wait");
        release.owner = OwnerChange::Release;
        release.nextDue = r.due;
        QVERIFY(commitOne(release).kind == Kind::Committed);
    }
    const auto two = m_store->claim(session, now, 2);
    CAIRN_VERIFY_OK(two);
    QCOMPARE(two->size(), std::size_t{2});
    QCOMPARE((*two)[0].run, Writer("early").run);
    QCOMPARE((*two)[1].run, Writer("middle").run);
    QCOMPARE((*two)[0].epoch, std::uint64_t{2});
    QCOMPARE((*two)[0].version, std::uint64_t{2});
    const auto rest = m_store->claim(session, now, 10);
    QCOMPARE(rest->size(), std::size_t{1});
    QCOMPARE(rest->front().run, Writer("late").run);
    QVERIFY(m_store->claim(session, now, 10)->empty());
    QCOMPARE(m_store->hot(Writer("late").run)->owner, session);
    QCOMPARE(m_store->claim(session, now + 60'000, 10)->size(), std::size_t{1});
    QVERIFY(m_store->claim(session, now + 1'000'000'000, 10)->empty());
}

void ContractTest::runsOfEndedSessionsAreClaimed()
{
    const SessionId dead = open("dead"), living = open("living");
    std::vector<Writer> writers;
    for (const char* name : {"a", "b", "c"}) {
        writers.emplace_back(name, dead);
        const CommitMember first = writers.back().create();  // no due time: the owner's memory has it
        QVERIFY(commitOne(first).kind == Kind::Committed);
        writers.back().committed(first);
    }
    QVERIFY(m_store->claim(living, *m_store->now(), 10)->empty());
    QVERIFY(*m_store->endSession(dead, *m_store->now(), kNoTime));
    const auto two = m_store->claim(living, *m_store->now(), 2);
    QCOMPARE(two->size(), std::size_t{2});
    const auto one = m_store->claim(living, *m_store->now(), 2);
    QCOMPARE(one->size(), std::size_t{1});
    QCOMPARE(one->front().epoch, std::uint64_t{2});
    QVERIFY(m_store->claim(living, *m_store->now(), 2)->empty());
}

void ContractTest::aClaimRaisesTheEpochAndFencesTheFormerOwner()
{
    const SessionId dead = open("dead"), living = open("living");
    Writer old("a", dead);
    const CommitMember first = old.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    old.committed(first);
    QVERIFY(*m_store->endSession(dead, *m_store->now(), kNoTime));
    Writer taker = old;
    taker.by = living;
    taker.epoch = m_store->claim(living, *m_store->now(), 1)->front().epoch;
    QVERIFY(commitOne(old.next("late result")).kind == Kind::Stale);
    QVERIFY(commitOne(taker.next("recover")).kind == Kind::Committed);
}

void ContractTest::anEndedSessionClaimsAndTakesNothing()
{
    const SessionId session = open("e");
    QVERIFY(*m_store->endSession(session, *m_store->now(), kNoTime));
    CAIRN_VERIFY_ERROR(m_store->claim(session, *m_store->now(), 5), ErrorKind::LeaseLost);
    CAIRN_VERIFY_ERROR(m_store->claim(idOf<SessionId>("none"), *m_store->now(), 5), ErrorKind::LeaseLost);
    const MemberResult result = commitOne(Writer("a", session).create());
    QVERIFY(result.kind == Kind::Failed);
    QCOMPARE(result.error.kind, ErrorKind::LeaseLost);
    CAIRN_VERIFY_ERROR(m_store->takeOver(Writer("a").run, session), ErrorKind::LeaseLost);
}

void ContractTest::releaseIsGuarded()
{
    const SessionId one = open("one"), two = open("two");
    Writer w("a", one);
    CommitMember first = w.create();
    first.nextDue = 777;
    QVERIFY(commitOne(first).kind == Kind::Committed);
    CAIRN_VERIFY_OK(m_store->release(two, std::vector<ClaimedRun>{{w.run, 1, 1}}));
    CAIRN_VERIFY_OK(
        m_store->release(one, std::vector<ClaimedRun>{{w.run, 9, 1}, {idOf<RunId>("none"), 1, 1}}));
    QCOMPARE(m_store->hot(w.run)->owner, one);
    CAIRN_VERIFY_OK(m_store->release(one, std::vector<ClaimedRun>{{w.run, 1, 1}}));
    QVERIFY(m_store->hot(w.run)->owner.isNull());
    QCOMPARE(m_store->hot(w.run)->nextDue, TimeMs{777});
    QCOMPARE(m_store->hot(w.run)->epoch, std::uint64_t{1});
}

// Nobody would take the wake-ups of an ended session, and what it releases may have changed without its
// knowing: its runs are for the next claim.
void ContractTest::anEndedSessionIsNotWokenAndReleasesNothing()
{
    const SessionId ended = open("ended"), living = open("living");
    Writer w("a", ended), t("taken", ended);
    for (Writer* each : {&w, &t}) {
        const CommitMember first = each->create();
        QVERIFY(commitOne(first).kind == Kind::Committed);
        each->committed(first);
    }
    QVERIFY(*m_store->endSession(ended, *m_store->now(), kNoTime));
    Writer console = w;
    console.by = {};
    QVERIFY(commitOne(console.next("approve")).ownerElsewhere);
    CAIRN_VERIFY_OK(m_store->takeOver(t.run, living));
    QVERIFY(m_store->takeWakeups(ended)->empty());
    ClaimedRun claimed{w.run, 1, 1};
    claimed.nextDue = kNoTime;
    CAIRN_VERIFY_ERROR(m_store->release(ended, std::vector<ClaimedRun>{claimed}), ErrorKind::LeaseLost);
    QCOMPARE(m_store->hot(w.run)->owner, ended);
    const auto found = m_store->claim(living, *m_store->now(), 5);
    QCOMPARE(found->size(), std::size_t{1});
    QCOMPARE(found->front().run, w.run);
}

void ContractTest::endedSessionsWithoutRunsAreForgotten()
{
    const SessionId owns = open("owns"), empty = open("empty"), young = open("young"),
                    living = open("living");
    Writer w("a", owns);
    QVERIFY(commitOne(w.create()).kind == Kind::Committed);
    QVERIFY(*m_store->endSession(owns, 1'000, kNoTime));
    QVERIFY(*m_store->endSession(empty, 1'000, kNoTime));
    QVERIFY(*m_store->endSession(young, 2'000, kNoTime));
    const auto known = [&] {
        std::set<SessionId> ids;
        const auto rows = m_store->sessions(true);
        for (const SessionRow& row : *rows)
            ids.insert(row.id);
        return ids;
    };
    CAIRN_VERIFY_OK(m_store->dropSessionsEndedBefore(1'000));
    QCOMPARE(known().size(), std::size_t{4});
    CAIRN_VERIFY_OK(m_store->dropSessionsEndedBefore(2'000));
    QVERIFY((known() == std::set<SessionId>{owns, young, living}));
    QCOMPARE(m_store->claim(living, *m_store->now(), 5)->size(), std::size_t{1});
    CAIRN_VERIFY_OK(m_store->dropSessionsEndedBefore(2'001));
    QVERIFY((known() == std::set<SessionId>{living}));
    CAIRN_VERIFY_ERROR(m_store->claim(empty, *m_store->now(), 5), ErrorKind::LeaseLost);
}

void ContractTest::aReleaseMaySayWhenTheRunIsDue_data()
{
    QTest::addColumn<bool>("said");
    QTest::addColumn<qint64>("next");
    QTest::addColumn<qint64>("due");
    QTest::newRow("as stored") << false << qint64{0} << qint64{777};
    QTest::newRow("sooner") << true << qint64{500} << qint64{500};
    QTest::newRow("later") << true << qint64{4711} << qint64{4711};
    QTest::newRow("never by itself") << true << qint64{kNoTime} << qint64{kNoTime};
}

// What a claim finds is what the release said: a run with nothing due is not handed out again and again.
void ContractTest::aReleaseMaySayWhenTheRunIsDue()
{
    QFETCH(bool, said);
    QFETCH(qint64, next);
    QFETCH(qint64, due);
    const SessionId one = open("one"), two = open("two");
    Writer w("a", one);
    CommitMember first = w.create();
    first.nextDue = 777;
    QVERIFY(commitOne(first).kind == Kind::Committed);
    ClaimedRun claimed{w.run, 1, 1};
    if (said)
        claimed.nextDue = TimeMs{next};
    CAIRN_VERIFY_OK(m_store->release(one, std::vector<ClaimedRun>{claimed}));
    QCOMPARE(m_store->hot(w.run)->nextDue, TimeMs{due});
    if (due == kNoTime) {
        QVERIFY(m_store->claim(two, 1'000'000, 5)->empty());
        return;
    }
    QVERIFY(m_store->claim(two, due - 1, 5)->empty());
    const auto found = m_store->claim(two, due, 5);
    QCOMPARE(found->size(), std::size_t{1});
    QCOMPARE(found->front().run, w.run);
}

void ContractTest::aRefusedReleaseKeepsTheWakeUp()
{
    const SessionId owner = open("owner");
    Writer w("a", owner);
    const CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    Writer console = w;
    console.by = {};
    QVERIFY(commitOne(console.next("approve")).ownerElsewhere);
    CAIRN_VERIFY_OK(m_store->release(owner, std::vector<ClaimedRun>{{w.run, 9, 1}}));  // of an older epoch
    QCOMPARE(m_store->hot(w.run)->owner, owner);
    QVERIFY(*m_store->takeWakeups(owner) == std::vector<RunId>{w.run});
}

void ContractTest::aCommitCanLetTheRunGo()
{
    const SessionId one = open("one");
    Writer w("a", one);
    const CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    CommitMember release = w.next("wait");
    release.owner = OwnerChange::Release;
    release.nextDue = 4711;
    QVERIFY(commitOne(release).kind == Kind::Committed);
    QVERIFY(m_store->hot(w.run)->owner.isNull());
    QCOMPARE(m_store->hot(w.run)->nextDue, TimeMs{4711});
}

// By an engine that serves it: nobody owns it, and nobody claims it before its time.
void ContractTest::aRunCanBeCreatedForLater()
{
    const SessionId one = open("one");
    const TimeMs now = *m_store->now();
    Writer never("never", one), later("later", one), nobodys("nobodys");
    const auto letGo = [](CommitMember member, TimeMs due) {
        member.owner = OwnerChange::Release;
        member.newOwner = {};
        member.nextDue = due;
        return member;
    };
    const CommitMember first = letGo(never.create(), kNoTime);
    QVERIFY(commitOne(first).kind == Kind::Committed);
    QVERIFY(commitOne(letGo(later.create(), now + 60'000)).kind == Kind::Committed);
    QVERIFY(m_store->hot(never.run)->owner.isNull());
    QCOMPARE(m_store->hot(never.run)->epoch, std::uint64_t{0});
    QCOMPARE(m_store->hot(never.run)->nextDue, kNoTime);
    QCOMPARE(m_store->hot(later.run)->nextDue, now + 60'000);
    QVERIFY(m_store->claim(one, now, 10)->empty());
    // Who cannot say what an engine would do with it may not say when it is due.
    const MemberResult refused = commitOne(letGo(nobodys.create(), kNoTime));
    QVERIFY(refused.kind == Kind::Failed);
    QCOMPARE(refused.error.kind, ErrorKind::InvalidInput);
    never.committed(first);
    Writer console = never;
    console.by = {};
    QVERIFY(commitOne(console.next("approve")).kind == Kind::Committed);
    const auto claimed = m_store->claim(one, *m_store->now(), 10);
    QCOMPARE(claimed->size(), std::size_t{1});
    QCOMPARE(claimed->front().run, never.run);
    QCOMPARE(claimed->front().epoch, std::uint64_t{1});
    QCOMPARE(m_store->claim(one, now + 60'000, 10)->size(), std::size_t{1});
}

void ContractTest::othersCommitsWakeTheOwner()
{
    const SessionId owner = open("owner");
    Writer w("a", owner);
    const CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    const CommitMember own = w.next("own");
    QVERIFY(!commitOne(own).ownerElsewhere);
    w.committed(own);
    QVERIFY(m_store->takeWakeups(owner)->empty());

    Writer console = w;
    console.by = {};
    for (const char* command : {"pause", "resume"}) {
        CommitMember act = console.next(command);
        act.owner = OwnerChange::Release;  // only the owner can let go
        act.nextDue = 123;
        const MemberResult result = commitOne(act);
        QVERIFY(result.kind == Kind::Committed);
        QVERIFY(result.ownerElsewhere);
        console.committed(act);
    }
    QCOMPARE(m_store->hot(w.run)->owner, owner);
    QCOMPARE(m_store->hot(w.run)->nextDue, TimeMs{123});
    QVERIFY(*m_store->takeWakeups(owner) == std::vector<RunId>{w.run});
    QVERIFY(m_store->takeWakeups(owner)->empty());
}

void ContractTest::othersCommitsMakeAnUnownedRunDue()
{
    const SessionId engine = open("engine");
    Writer w("a");
    const CommitMember first = w.create();
    QVERIFY(!commitOne(first).ownerElsewhere);
    w.committed(first);
    const TimeMs now = *m_store->now();
    const TimeMs due = m_store->hot(w.run)->nextDue;
    QVERIFY2(due > now - 60'000 && due <= now, "a run started by nobody's engine is due at once");
    QCOMPARE(m_store->claim(engine, now, 5)->size(), std::size_t{1});
}

void ContractTest::aFinishedRunIsNotMadeDue()
{
    Writer w("a");
    CommitMember first = w.create();
    first.list = w.listRow();
    first.list->activity = Activity::Cancelled;
    QVERIFY(commitOne(first).kind == Kind::Committed);
    QCOMPARE(m_store->hot(w.run)->nextDue, kNoTime);
}

void ContractTest::aReleasedRunThatWasWokenIsDueAtOnce()
{
    const SessionId owner = open("owner");
    Writer w("a", owner);
    CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    Writer console = w;
    console.by = {};
    QVERIFY(commitOne(console.next("approve")).ownerElsewhere);
    CAIRN_VERIFY_OK(m_store->release(owner, std::vector<ClaimedRun>{{w.run, 1, 1}}));
    const TimeMs due = m_store->hot(w.run)->nextDue;
    QVERIFY(due != kNoTime && due <= *m_store->now());
    QVERIFY(m_store->takeWakeups(owner)->empty());
}

void ContractTest::aCommitTakesTheRunFromItsOwner()
{
    const SessionId one = open("one"), two = open("two");
    Writer w("a", one);
    const CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    Writer person = w;
    person.by = {};
    CommitMember taken = person.next("takeover");
    taken.owner = OwnerChange::Drop;
    QVERIFY(commitOne(taken).kind == Kind::Failed);  // it must say from whom
    taken.checkEpoch = true;
    taken.expectedEpoch = 7;
    QVERIFY(commitOne(taken).kind == Kind::Stale);
    taken.expectedEpoch = 1;
    const MemberResult result = commitOne(taken);
    QVERIFY(result.kind == Kind::Committed);
    QVERIFY(!result.ownerElsewhere);
    const auto hot = m_store->hot(w.run);
    CAIRN_VERIFY_OK(hot);
    QVERIFY(hot->owner.isNull());
    QCOMPARE(hot->epoch, std::uint64_t{2});
    QVERIFY(hot->nextDue != kNoTime && hot->nextDue <= *m_store->now());
    QVERIFY(*m_store->takeWakeups(one) == std::vector<RunId>{w.run});
    // Who lost the run is fenced, also where it has seen the entry.
    Writer late = w;
    late.committed(taken);
    late.epoch = 1;
    QVERIFY(commitOne(late.next("x")).kind == Kind::Stale);
    const auto claimed = m_store->claim(two, *m_store->now(), 5);
    CAIRN_VERIFY_OK(claimed);
    QCOMPARE(claimed->size(), std::size_t{1});
    QCOMPARE(claimed->front().epoch, std::uint64_t{3});
    // Where nobody has the run there is nothing to take.
    Writer free("b");
    const CommitMember begun = free.create();
    QVERIFY(commitOne(begun).kind == Kind::Committed);
    free.committed(begun);
    CommitMember again = free.next("takeover");
    again.owner = OwnerChange::Drop;
    again.checkEpoch = true;
    again.expectedEpoch = 0;
    QVERIFY(commitOne(again).kind == Kind::Committed);
    QCOMPARE(m_store->hot(free.run)->epoch, std::uint64_t{0});
}

void ContractTest::takeOverRaisesTheEpoch()
{
    const SessionId one = open("one"), two = open("two");
    Writer w("a", one);
    const CommitMember first = w.create();
    QVERIFY(commitOne(first).kind == Kind::Committed);
    w.committed(first);
    const auto taken = m_store->takeOver(w.run, two);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->epoch, std::uint64_t{2});
    QCOMPARE(taken->version, std::uint64_t{1});
    QCOMPARE(m_store->hot(w.run)->owner, two);
    QVERIFY(*m_store->takeWakeups(one) == std::vector<RunId>{w.run});
    QVERIFY(commitOne(w.next("x")).kind == Kind::Stale);
    QCOMPARE(m_store->takeOver(w.run, {})->epoch, std::uint64_t{3});
    QVERIFY(m_store->hot(w.run)->owner.isNull());
    const auto claimed = m_store->claim(one, *m_store->now(), 5);
    QCOMPARE(claimed->size(), std::size_t{1});
    QCOMPARE(claimed->front().epoch, std::uint64_t{4});
    CAIRN_VERIFY_ERROR(m_store->takeOver(idOf<RunId>("none"), one), ErrorKind::NotFound);
}

void ContractTest::theClockOffsetMovesStoreTime()
{
    const TimeMs before = *m_store->now();
    CAIRN_VERIFY_OK(m_store->setClockOffset(24LL * 3600 * 1000));
    const TimeMs after = *m_backend->connect()->now();
    QVERIFY(after - before >= 24LL * 3600 * 1000);
    QVERIFY(after - before < 25LL * 3600 * 1000);
    QCOMPARE(m_store->info()->clockOffset, SpanMs{24LL * 3600 * 1000});
}

}  // namespace cairn::testing
