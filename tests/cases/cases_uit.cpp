// UIT: two operators at the same thing.

#include "core/service/agreement.h"
#include "tests/cases/bench.h"

#include "tests/support/clocked_reader.h"

using namespace cairn;
using namespace cairn::testing;

class TestUit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c55_twoOperatorsEditTheSameRun();
    void c55_twoOperatorsEditThePolicy();
};

void TestUit::c55_twoOperatorsEditTheSameRun()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'wait','kind':'signal','signal':'go'}"));
    const RunId run = b.started("one");
    const std::uint64_t seen = b.state(run).own.revision;  // both have it open
    const TimeMs first = b.now() + 3'600'000, second = b.now() + 7'200'000;
    QCOMPARE(b.doAct(run, cmd::SetDeadline{first, seen, true}, "ann").kind, Outcome::Kind::Committed);
    const Outcome late = b.doAct(run, cmd::SetDeadline{second, seen, true}, "bob");
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find("has changed since it was shown") != std::string::npos,
        late.rejection.text.c_str());
    QCOMPARE(b.state(run).own.deadline, first);  // what ann saved is not lost
    const auto audit = b.audit(run);
    QCOMPARE(audit.size(), std::size_t{2});
    QCOMPARE(audit[0].kind, std::string("applied"));
    QCOMPARE(audit[0].actor, std::string("ann"));
    QVERIFY(!audit[0].before.empty() && !audit[0].after.empty());
    QCOMPARE(audit[1].kind, std::string("refused"));
    QCOMPARE(audit[1].actor, std::string("bob"));
    // Having looked, bob saves over it, and knows what.
    const std::uint64_t now = b.state(run).own.revision;
    QCOMPARE(b.doAct(run, cmd::SetDeadline{second, now, true}, "bob").kind, Outcome::Kind::Committed);
    QCOMPARE(b.state(run).own.deadline, second);
    // A run that is not there (any more) is told as that.
    const Outcome nowhere =
        b.doAct(makeId<RunId>(b.now(), b.rng), cmd::SetDeadline{first, seen, true}, "bob");
    QCOMPARE(nowhere.kind, Outcome::Kind::Rejected);
    QCOMPARE(nowhere.rejection.code, RejectCode::NotFound);
}

void TestUit::c55_twoOperatorsEditThePolicy()
{
    CAIRN_BENCH();
    const auto policy = [](const char* verb) {
        return std::string(R"({"schema":"urn:cairn:policy:1","rules":[{"verbs":[")") + verb
            + R"("],"people":2}]})";
    };
    Agreements here(*b.service);
    QCOMPARE(here.setPolicy({policy("cancel"), 0, "because of a test", "ann", false}).kind,
        Outcome::Kind::Committed);
    const Outcome late = here.setPolicy({policy("retry"), 0, "because of a test", "bob", false});
    QCOMPARE(late.kind, Outcome::Kind::Rejected);
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.find(
                 R"(rule 1: {"verbs": ["cancel"], "people": 2} -> {"verbs": ["retry"], "people": 2})")
            != std::string::npos,
        late.rejection.text.c_str());
    const auto kept = b.store->policy(0);
    QVERIFY(kept && *kept);
    QCOMPARE((*kept)->version, std::uint64_t{1});
    QCOMPARE((*kept)->text, policy("cancel"));
    const auto audit = b.store->audit(0, 100);
    QVERIFY(audit);
    std::vector<std::string> told;
    for (const AuditRow& row : *audit)
        if (row.verb == Verb::SetPolicy)
            told.push_back(row.kind + " " + row.actor + " " + row.before);
    QVERIFY((told == std::vector<std::string>{"applied ann {\"version\":0}", "refused bob {\"version\":0}"}));
}

CAIRN_CASES(TestUit, "uit")
#include "cases_uit.moc"
