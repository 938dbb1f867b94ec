// Who else had a hand in an act, as the audit's entries and what is kept beside them say it; on either store.

#include "core/audit/second_person.h"
#include "tests/service/agreement_desk.h"

using namespace cairn;
using namespace cairn::testing;
using audit::Second;
using audit::SecondPeople;
using audit::SecondPerson;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

class TestSecondPerson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void whoConfirmedStandsBesideAllThreeEntries();
    void silenceRefusalAndWithdrawalAreThreeThings();
    void breakGlassIsLoudUntilItIsReviewed();
    void whatIsNotKeptAnyMoreIsNotGuessed();
    void everyKindHasItsWords();

private:
    // "resume confirmed uid 2": the verb, and who else, of each entry on the run but its pause.
    static Lines told(Paused& p)
    {
        SecondPeople seconds(*p.w.writer);
        const auto rows = p.w.writer->auditOfRun(p.run);
        Lines lines;
        for (const AuditRow& row : *rows) {
            const auto second = seconds.of(row);
            if (row.verb != Verb::Pause)
                lines.push_back(std::string(key(row.verb)) + ' ' + row.kind + ": "
                    + (second ? label(*second) : "failed: " + second.error().text));
        }
        return lines;
    }
};

void TestSecondPerson::whoConfirmedStandsBesideAllThreeEntries()
{
    Paused p;
    SecondPeople before(*p.w.writer);
    const auto rows = p.w.writer->auditOfRun(p.run);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{1});
    QVERIFY(*before.of(rows->front()) == SecondPerson{});  // one person is enough to pause

    const Outcome proposed = p.propose(p.ann);
    QVERIFY((told(p) == Lines{"act_propose proposed: waits for somebody else"}));
    QVERIFY(!p.ann.confirm(p.act(proposed)).ok());
    QVERIFY(p.bob.confirm(p.act(proposed)).ok());
    QVERIFY(!p.paused());
    // The attempt of its own author is nobody else's.
    QVERIFY((told(p)
        == Lines{"act_propose proposed: uid 2", "act_confirm refused: ", "act_confirm confirmed: uid 2",
            "resume applied: uid 2"}));
}

void TestSecondPerson::silenceRefusalAndWithdrawalAreThreeThings()
{
    Paused p;
    QVERIFY(p.bob.decide(p.act(p.propose(p.ann)), StagedState::Refused).ok());
    QVERIFY(p.ann.decide(p.act(p.propose(p.ann)), StagedState::Withdrawn).ok());
    const Outcome third = p.propose(p.ann);
    p.w.clock.advance(3'600'000);
    const Lines silent = told(p);
    QCOMPARE(silent.back(), std::string("act_propose proposed: nobody came"));  // before anything says so
    const auto over = p.w.writer->takeStaged(10);
    CAIRN_VERIFY_OK(over);
    CAIRN_VERIFY_OK(p.w.writer->appendAudit(expiryEntry(over->front(), {}, p.w.clock.wallMs())));
    QCOMPARE(p.act(third).state, StagedState::Expired);
    QVERIFY((told(p)
        == Lines{"act_propose proposed: rejected by uid 2", "act_confirm rejected: rejected by uid 2",
            "act_propose proposed: withdrawn before anybody came",
            "act_confirm withdrawn: withdrawn before anybody came", "act_propose proposed: nobody came",
            "act_propose expired: nobody came"}));
}

void TestSecondPerson::breakGlassIsLoudUntilItIsReviewed()
{
    Paused p;
    Submission alone =
        World::act(p.run, cmd::SetPaused{false, 0, false}, "the second person cannot be reached");
    alone.breakGlass = true;
    QCOMPARE(p.ann.service->submitAndWait(alone).kind, Outcome::Kind::Committed);
    QVERIFY((told(p) == Lines{"resume applied: NOBODY: by break-glass, REVIEW OPEN"}));
    const auto open = p.w.writer->reviews(false, 10);
    CAIRN_VERIFY_OK(open);
    QCOMPARE(open->size(), std::size_t{1});
    const auto rows = p.w.writer->auditOfRun(p.run);
    Review closed = open->front();
    closed.closedBy = "uid 2";
    closed.note = "it was needed";
    closed.closedAt = p.w.clock.wallMs();
    AuditRow row = rows->back();
    row.kind = "reviewed";
    row.login = "uid 2";
    row.before = row.after = "{}";
    auto change = std::make_shared<StoreChange>();
    change->review = closed;
    row.with = change;
    CAIRN_VERIFY_OK(p.w.writer->appendAudit(row));
    QVERIFY((told(p)
        == Lines{"resume applied: by break-glass, reviewed by uid 2",
            "resume reviewed: by break-glass, reviewed by uid 2"}));
}

// Of a proposal that was answered long ago, and of an act in a store that came without its reviews.
void TestSecondPerson::whatIsNotKeptAnyMoreIsNotGuessed()
{
    Paused p;
    SecondPeople seconds(*p.w.writer);
    AuditRow row;
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    row.command = makeId<CommandId>(p.w.clock.wallMs(), p.w.rng);
    QCOMPARE(seconds.of(row)->kind, Second::Asked);
    row.kind = "applied";
    row.verb = Verb::Resume;
    row.after = R"({"version":3,"break_glass":true})";
    QCOMPARE(seconds.of(row)->kind, Second::Glass);
    QVERIFY(isLoud(Second::Glass) && isLoud(Second::Alone) && !isLoud(Second::Reviewed));
    row.after = R"({"version":3,"confirmed_by":"uid 2"})";
    QVERIFY((*seconds.of(row) == SecondPerson{Second::Confirmed, "uid 2"}));
    // What was refused was done by nobody, whatever its text says.
    row.kind = "refused";
    QVERIFY(*seconds.of(row) == SecondPerson{});
    row.kind = "applied";
    row.after = R"({"confirmed_by":"uid 2")";  // damaged
    QVERIFY(*seconds.of(row) == SecondPerson{});
}

void TestSecondPerson::everyKindHasItsWords()
{
    QVERIFY(key(Second::None).empty() && label(SecondPerson{}).empty());
    std::set<std::string> keys;
    std::set<std::string> labels;
    for (auto kind = int(Second::Confirmed); kind <= int(Second::Glass); ++kind) {
        keys.insert(std::string(key(Second(kind))));
        labels.insert(label(SecondPerson{Second(kind), "kim"}));
    }
    QCOMPARE(keys.size(), std::size_t(Second::Glass));
    QCOMPARE(labels.size(), std::size_t(Second::Glass));
}

QTEST_APPLESS_MAIN(TestSecondPerson)
#include "tst_second_person.moc"
