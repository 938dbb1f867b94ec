// UIT: two operators at the same thing, and one at many.

#include "core/base/text.h"
#include "core/plan/runner.h"
#include "core/plan/words.h"
#include "core/query/query.h"
#include "core/service/agreement.h"
#include "core/store/hooked_store.h"
#include "tests/cases/bench.h"
#include "tests/support/clocked_reader.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestUit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c55_twoOperatorsEditTheSameRun();
    void c55_twoOperatorsEditTheSameInput();
    void c55_twoOperatorsEditThePolicy();
    void c56_bulkActOnExactlyWhatWasShown();
};

namespace {

struct Killed { };

// A process that carries plans out. `killAt`: right after that commit; 0: never.
class Carrier {
public:
    Carrier(Bench& b, const std::string& name, std::size_t killAt = 0)
        : m_bench(b)
    {
        const auto before = [this](const char*, Access access) -> std::optional<Error> {
            m_commits += access == Access::Commit ? 1 : 0;
            return std::nullopt;
        };
        const auto after = [this, killAt](const char*, Access access) -> std::optional<Error> {
            if (access == Access::Commit && m_commits == killAt)
                throw Killed{};
            return std::nullopt;
        };
        m_store = std::make_unique<HookedStore>(b.connect(), StoreHooks{before, after});
        m_reader = std::make_unique<ClockedReader>(*m_store, b.clock);
        m_queue = makeInlineQueue(*m_store);
        m_service = std::make_unique<Service>(*m_reader, *m_queue, b.clock, b.rng, ServiceConfig{});
        PlanRunnerConfig config;
        config.holder = deriveId<SessionId>("test", name);
        config.who.actor = name;
        m_runner = std::make_unique<PlanRunner>(*m_store, *m_service, b.clock, config);
    }

    // Until nothing is to be done; false: it was killed.
    bool drive()
    {
        try {
            for (;;) {
                const auto next = must(m_runner->tick());
                const bool moved = m_service->pump();
                if (!next)
                    return true;
                if (!moved)
                    m_bench.advance(std::clamp<SpanMs>(*next, 1, 1'000));
            }
        } catch (const Killed&) {
            return false;
        }
    }

private:
    Bench& m_bench;
    std::size_t m_commits = 0;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<ClockedReader> m_reader;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<PlanRunner> m_runner;
};

// Runs of "one" whose step has failed for good; a few at a time, as they come in life.
void failSome(Bench& b, EngineStandIn& engine, std::size_t count)
{
    b.tools["look"] = [](const Call&) { return fails(FailureClass::Permanent); };
    for (std::size_t i = 0; i < count; ++i) {
        static_cast<void>(b.started("one"));
        if (i % 30 == 29 || i + 1 == count)
            engine.settle();
    }
}

// What matches, page by page as a console reads it.
std::vector<RunId> matching(Bench& b, const ListFilter& filter)
{
    std::vector<RunId> runs;
    std::optional<PageKey> after;
    do {
        const auto page = must(b.store->list(filter, ListOrder::NewestFirst, after, 50));
        for (const ListRow& row : page.rows)
            runs.push_back(row.run);
        after = page.next;
    } while (after);
    return runs;
}

PlanSpec retryAll(const std::string& filter)
{
    Submission act;
    act.run = deriveId<RunId>("test", "template");
    act.command.id = deriveId<CommandId>("test", "template");
    act.command.body = cmd::RetryStep{};
    PlanSpec spec;
    spec.filter = filter;
    spec.pace.verify = 0;
    return must(specOf(std::move(act), std::move(spec)));
}

std::uint64_t retriesOf(const std::vector<AuditRow>& rows)
{
    return static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(),
        [](const AuditRow& row) { return row.kind == "applied" && row.verb == Verb::Retry; }));
}

// Items of the plan by what became of them: "done 580, stale 20".
std::string outcomesOf(Bench& b, const PlanId& plan)
{
    std::map<PlanItemState, std::uint64_t> counts;
    for (const PlanCount& count : must(b.store->planCounts(plan)))
        counts[count.state] += count.count;
    std::string text;
    for (const PlanItemState state : {PlanItemState::Open, PlanItemState::Done, PlanItemState::Skipped,
             PlanItemState::Stale, PlanItemState::Failed})
        text += (text.empty() ? "" : ", ") + std::string(key(state)) + " " + std::to_string(counts[state]);
    return text;
}

// One entry of the action with its filter, one of each run with its actor, and no run twice.
void auditTellsOfEach(
    Bench& b, const std::vector<RunId>& targets, const std::string& words, std::size_t resolvedByAnn)
{
    std::vector<std::string> kinds;
    const auto audit = must(b.store->audit(0, 1'000'000));
    for (const AuditRow& row : audit)
        if (row.verb == Verb::Plan) {
            kinds.push_back(row.kind);
            if (row.kind == "staged")
                QVERIFY2(
                    row.actor == "kim" && row.after.find("\"filter\":\"" + words + "\"") != std::string::npos,
                    row.after.c_str());
        }
    QVERIFY((kinds == std::vector<std::string>{"staged", "started", "finished"}));
    QCOMPARE(retriesOf(audit), std::uint64_t{targets.size()});
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto rows = b.audit(targets[i]);
        QCOMPARE(retriesOf(rows), std::uint64_t{1});
        const auto applied =
            std::find_if(rows.begin(), rows.end(), [](const AuditRow& row) { return row.kind == "applied"; });
        QCOMPARE(applied->actor, std::string(i < resolvedByAnn ? "ann" : "kim"));
    }
}

}  // namespace

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
    // Told is what ann saved, and when: bob does not save over it unseen.
    const std::string since =
        "; since then: deadline " + formatInstant(first) + " by ann at " + formatInstant(b.now());
    QVERIFY2(late.rejection.text.ends_with(since), late.rejection.text.c_str());
    QCOMPARE(b.state(run).own.deadline, first);  // what ann saved is not lost
    const auto audit = b.audit(run);
    QCOMPARE(audit.size(), std::size_t{2});
    // Nor by a change of another field, made from what both had seen.
    const Outcome budget = b.doAct(run, cmd::SetBudget{"EUR", 5'000'000, seen, true}, "bob");
    QCOMPARE(budget.rejection.code, RejectCode::Stale);
    QVERIFY2(budget.rejection.text.ends_with(since), budget.rejection.text.c_str());
    QCOMPARE(b.state(run).own.deadline, first);
    QVERIFY(b.state(run).budget.empty());
    QCOMPARE(audit[0].kind, std::string("applied"));
    QCOMPARE(audit[0].actor, std::string("ann"));
    QVERIFY(!audit[0].before.empty() && !audit[0].after.empty());
    QCOMPARE(audit[1].kind, std::string("refused"));
    QCOMPARE(audit[1].actor, std::string("bob"));
    // Having looked, bob saves over it, and knows what.
    const std::uint64_t now = b.state(run).own.revision;
    QCOMPARE(b.doAct(run, cmd::SetDeadline{second, now, true}, "bob").kind, Outcome::Kind::Committed);
    QCOMPARE(b.state(run).own.deadline, second);
    // Who comes last is told of both, the newest first.
    const Outcome last = b.doAct(run, cmd::SetBudget{"EUR", 5'000'000, seen, true}, "cid");
    const std::string at = " at " + formatInstant(b.now());
    QVERIFY2(last.rejection.text.ends_with("; since then: deadline " + formatInstant(second) + " by bob" + at
                 + "; before that: deadline " + formatInstant(first) + " by ann" + at),
        last.rejection.text.c_str());
    // A run that is not there (any more) is told as that.
    const Outcome nowhere =
        b.doAct(makeId<RunId>(b.now(), b.rng), cmd::SetDeadline{first, seen, true}, "bob");
    QCOMPARE(nowhere.kind, Outcome::Kind::Rejected);
    QCOMPARE(nowhere.rejection.code, RejectCode::NotFound);
}

// The input of a step, which both have open.
void TestUit::c55_twoOperatorsEditTheSameInput()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'look','input':{}}"));
    b.tools["look"] = [](const Call&) { return fails(FailureClass::Permanent); };
    EngineStandIn engine(b, {"w1"});
    const RunId run = b.started("one");
    engine.settle();
    const std::uint32_t seen = b.step(run, "do").revision;
    const auto amend = [&](const std::string& input, const std::string& who) {
        Submission s = b.act(run, cmd::Advance{}, who);
        s.payloads.push_back(b.service->newPayload(input, "application/json"));
        s.command.body = cmd::AmendInput{"do", s.payloads.back().ref, seen, true};
        return b.service->submitAndWait(std::move(s));
    };
    QCOMPARE(amend("{\"a\":1}", "ann").kind, Outcome::Kind::Committed);
    const Outcome late = amend("{\"b\":2}", "bob");
    QCOMPARE(late.rejection.code, RejectCode::Stale);
    QVERIFY2(late.rejection.text.ends_with("; since then: amend by ann at " + formatInstant(b.now())),
        late.rejection.text.c_str());
    QCOMPARE(b.text(run, b.step(run, "do").input), std::string("{\"a\":1}"));
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

// What was shown is what is done: runs that were resolved meanwhile are not touched, those that failed
// meanwhile are no part of it, and a kill in between neither loses nor repeats anything.
void TestUit::c56_bulkActOnExactlyWhatWasShown()
{
    CAIRN_BENCH();
    constexpr std::size_t kResolved = 20, kNew = 30;
    const std::size_t kMatch = b.onDisk() ? 600 : 3'000;
    b.add(workflow("one", "{'name':'do','tool':'look','input':{}}"));
    EngineStandIn engine(b, {"w1"});
    failSome(b, engine, kMatch);
    const std::string words = "wait:attempts_exhausted def:one";
    const ParsedFilter parsed = parseFilter(words, b.now());
    QVERIFY(!parsed.error);
    const std::vector<RunId> targets = matching(b, parsed.filter);
    QCOMPARE(targets.size(), kMatch);

    PlanAuthor kim{must(b.store->rights()).login, "kim", 1000, "host", "the provider is back"};
    if (kim.login.empty())
        kim.login = "uid 1000";
    const auto drafted = [&](std::span<const RunId> runs) {
        return draftPlan(b.reader(), *b.service, retryAll(words), runs, kim, deriveId<PlanId>("test", "plan"),
            deriveId<CommandId>("test", "plan"));
    };
    CAIRN_VERIFY_ERROR(drafted({}), ErrorKind::InvalidInput);  // of nothing there is no silent success
    const PlanDraft draft = must(drafted(targets));
    QCOMPARE(draft.preview.targets, std::uint64_t{kMatch});
    QCOMPARE(draft.preview.included, std::uint64_t{kMatch});
    for (const std::uint64_t left : draft.preview.leftOut)
        QCOMPARE(left, std::uint64_t{0});

    // While it is looked at, some get resolved, and others fail.
    b.tools["look"] = [](const Call&) { return done(); };
    for (std::size_t i = 0; i < kResolved; ++i)
        QCOMPARE(b.doAct(targets[i], cmd::RetryStep{"do", 0, false}, "ann").kind, Outcome::Kind::Committed);
    engine.settle();
    QVERIFY(b.state(targets[0]).closed && b.state(targets[kResolved - 1]).closed);
    failSome(b, engine, kNew);
    QCOMPARE(must(b.store->count(parsed.filter)), std::uint64_t{kMatch - kResolved + kNew});
    static_cast<void>(must(stagePlan(*b.store, draft)));
    static_cast<void>(must(orderPlan(*b.store, *b.service,
        {draft.row.id, PlanAct::Start, {}, deriveId<CommandId>("test", "start")}, kim)));

    // Killed half way; another finishes.
    {
        Carrier first(b, "first", 2);
        QVERIFY(!first.drive());
    }
    const std::uint64_t sofar = retriesOf(must(b.store->audit(0, 1'000'000))) - kResolved;
    QVERIFY2(sofar > 0 && sofar < kMatch - kResolved, std::to_string(sofar).c_str());
    b.advance(120'000);  // the lease of the first, whose time went on beside the bench
    Carrier second(b, "second");
    QVERIFY(second.drive());
    QVERIFY(must(b.store->plan(draft.row.id))->state == PlanState::Closed);
    QCOMPARE(outcomesOf(b, draft.row.id),
        "open 0, done " + std::to_string(kMatch - kResolved) + ", skipped 0, stale 20, failed 0");

    auditTellsOfEach(b, targets, words, kResolved);
    // Those that failed meanwhile are as they were, and are what is left to look at.
    QCOMPARE(must(b.store->count(parsed.filter)), std::uint64_t{kNew});
    for (const RunId& run : matching(b, parsed.filter))
        QVERIFY(b.audit(run).empty());
}

CAIRN_CASES(TestUit, "uit")
#include "cases_uit.moc"
