// The exact words for every reason: subject, since, what ends it, next time; what is not recorded is said to
// be.

#include "core/base/text.h"
#include "tests/query/told_case.h"
#include "tests/support/cairn_qtest.h"

#include <algorithm>
#include <set>

using namespace cairn;
using namespace cairn::testing;

namespace {

Case approval(TimeMs expires, std::uint8_t needed = 1)
{
    Case c(Reason::Approval);
    ApprovalRecord record;
    record.id.bytes[15] = 7;
    record.role = "finance";
    record.needed = needed;
    record.askedAt = kNow - 3 * kHour;
    record.expires = expires;
    record.askedBy = {ActorKind::Run, "buyer"};
    if (needed > 1)
        record.consents.push_back({{ActorKind::Person, "kim"}, kNow - kHour, {}});
    c.state.approvals.push_back(record);
    c.step().approval = record.id;
    return c;
}

Case lostWorker(bool open, TimeMs takenOverAt)
{
    Case c(Reason::Lease, true, kNow - kMinute, takenOverAt);
    SessionRow session;
    session.id.bytes[15] = 5;
    session.name = "e1";
    AttemptState attempt;
    attempt.session = session.id;
    c.step().state = StepState::Running;
    c.step().attempt = attempt;
    c.state.running.insert(0);
    // It is in the store, and heard no more: it is none of the engines that are there.
    session.endedAt = open ? kNoTime : kNow;
    c.look.session = [session](const SessionId& id) {
        return id == session.id ? std::optional(session) : std::nullopt;
    };
    return c;
}

struct Row {
    const char* name;
    std::function<Case()> make;
    const char* text;
    const char* ends;
    const char* shortText;
};

const std::vector<Row>& rows()
{
    static const std::vector<Row> kRows = {
        {"approval", [] { return approval(kNow + 5 * kHour); },
            "Step \"pay\" waits for an approval by finance, asked 3 h ago, expires in 5 h. Buyer asks to "
            "call tool pay, "
            "4 860.00 EUR; 0 of 1 given. When it expires the step is skipped: expiry is never consent.",
            "a yes or no by finance, or its expiry at 2026-09-21 19:13:20Z",
            "Approval by finance, asked 3 h ago"},
        {"approval of two", [] { return approval(kNoTime, 2); },
            "Step \"pay\" waits for an approval by finance, asked 3 h ago, does not expire. Buyer asks to "
            "call tool pay, "
            "4 860.00 EUR; 1 of 2 given, by kim.",
            "a yes or no by finance", "Approval by finance, asked 3 h ago"},
        {"approval without a record", [] { return Case(Reason::Approval); },
            "Step \"pay\" waits for an approval by anyone with the right, asked at a time that is not "
            "recorded.",
            "not recorded", "Approval by anyone with the right, asked at a time that is not recorded"},
        {"uncertain effect",
            [] {
                Case c(Reason::OutcomeUnknown);
                c.step().detail = text(3);
                return c;
            },
            "Step \"pay\" may have had its effect (tool pay, 4 860.00 EUR): no result is recorded. Attempt 2 "
            "sent its request "
            "with key \"pay/A1\"; its outcome is open since 2026-09-21 11:13:20Z. Evidence: the provider is "
            "down. A repeat could "
            "have the effect a second time.",
            "a person says whether it happened (Set outcome)", "Uncertain effect of pay, 4 860.00 EUR"},
        {"uncertain, nothing known",
            [] {
                Case c(Reason::OutcomeUnknown);
                c.step().error = {};
                c.look.key = [](StepIx) { return std::optional<std::string>(); };
                return c;
            },
            "Step \"pay\" may have had its effect (tool pay, 4 860.00 EUR): no result is recorded. Attempt 2 "
            "sent its request "
            "with key (not recorded); its outcome is open since 2026-09-21 11:13:20Z. Evidence: none "
            "recorded. A repeat could have "
            "the effect a second time.",
            "a person says whether it happened (Set outcome)", "Uncertain effect of pay, 4 860.00 EUR"},
        {"uncertain, asked in a minute",
            [] {
                Case c(Reason::OutcomeUnknown, true, kNow - kMinute, kNow + kMinute);
                c.explanation.summary.primary.lookingUp = true;
                c.explanation.summary.attention = Attention::Machine;
                c.step().detail = text(3);
                return c;
            },
            "Step \"pay\" may have had its effect (tool pay, 4 860.00 EUR): no result is recorded; the "
            "provider is asked in 1 m. "
            "Attempt 2 sent its request with key \"pay/A1\"; its outcome is open since 2026-09-21 14:12:20Z. "
            "Evidence: the provider "
            "is down. A repeat could have the effect a second time.",
            "the provider's answer", "Uncertain effect of pay, 4 860.00 EUR"},
        {"effect key conflict", [] { return Case(Reason::EffectKeyConflict); },
            "Step \"pay\" uses an effect key that was used before with another input: \"pay/A1\".",
            "a person amends its input, skips it or records its result", "Effect key conflict at pay"},
        {"no worker", [] { return Case(Reason::Worker, false); },
            "The run finds no eligible worker for order@12. No engine is running.",
            "an engine that serves order@12 starts", "No eligible worker for order@12"},
        {"no fit worker",
            [] {
                Case c(Reason::Worker, false);
                c.state.blockedDetail = text(3);
                c.look.engines = []() {
                    SessionRow row;
                    row.name = "w-17";
                    row.host = "blue";
                    row.serves = "order@11 refund@3";
                    return std::vector<SessionRow>{row};
                };
                return c;
            },
            "The run finds no eligible worker for order@12. Present: w-17 on blue serves order@11 refund@3. "
            "Last refused because: "
            "the provider is down.",
            "an engine that serves order@12 starts", "No eligible worker for order@12"},
        {"no fit worker among many flows",
            [] {
                Case c(Reason::Worker, false);
                c.look.engines = []() {
                    SessionRow row;
                    row.name = "w-17";
                    row.host = "blue";
                    for (int i = 1; i <= 40; ++i)
                        row.serves += (i == 1 ? "flow" : " flow") + std::to_string(i);
                    return std::vector<SessionRow>{row};
                };
                return c;
            },
            "The run finds no eligible worker for order@12. Present: w-17 on blue serves flow1 flow2 flow3 "
            "flow4 flow5 flow6 flow7 "
            "flow8 and 32 more.",
            "an engine that serves order@12 starts", "No eligible worker for order@12"},
        {"exhausted", [] { return Case(Reason::AttemptsExhausted); },
            "Step \"pay\" failed after 2 attempts: HTTP 503 from the bank. The first error was: connection "
            "refused.",
            "a person retries it, amends its input, skips it or records its result",
            "Attempts exhausted: HTTP 503 from the bank"},
        {"exhausted, error gone",
            [] {
                Case c(Reason::AttemptsExhausted);
                c.step().error = c.step().firstError = text(kNotThere);
                return c;
            },
            "Step \"pay\" failed after 2 attempts: not recorded.",
            "a person retries it, amends its input, skips it or records its result",
            "Attempts exhausted: not recorded"},
        {"exhausted again after a retry",
            [] {
                Case c(Reason::AttemptsExhausted);
                c.step().attempts = 5;
                c.step().lost = 1;
                return c;
            },
            "Step \"pay\" failed after 2 attempts and 1 lost worker (5 in all): HTTP 503 from the bank. The "
            "first error was: connection refused.",
            "a person retries it, amends its input, skips it or records its result",
            "Attempts exhausted: HTTP 503 from the bank"},
        {"lost too many workers",
            [] {
                Case c(Reason::AttemptsExhausted);
                c.step().failures = 0;
                c.step().lost = 2;
                c.step().error = c.step().firstError = text(kNotThere);
                return c;
            },
            "Step \"pay\" failed after 2 lost workers: not recorded.",
            "a person retries it, amends its input, skips it or records its result",
            "Attempts exhausted: not recorded"},
        {"no worker, at an earlier version",
            [] {
                Case c(Reason::Worker, false);
                c.look.engines = nullptr;
                return c;
            },
            "The run finds no eligible worker for order@12. Which engines were running is not recorded.",
            "an engine that serves order@12 starts", "No eligible worker for order@12"},
        {"child, at an earlier version",
            [] {
                Case c(Reason::Child);
                c.step().waitRun = runId(9);
                c.look.child = nullptr;
                return c;
            },
            "Step \"pay\" waits for child run 010000\xe2\x80\xa6"
            "0009; what held it then is not recorded.",
            "the child ends",
            "Child run 010000\xe2\x80\xa6"
            "0009"},
        {"child of several, at an earlier version",
            [] {
                Case c(Reason::Child);
                c.step().waitRun = runId(9);
                c.explanation.summary.primary.count = 5;
                c.look.child = nullptr;
                return c;
            },
            "Step \"pay\" waits for 5 child runs; the oldest, child run 010000\xe2\x80\xa6"
            "0009; what held it then is not recorded.",
            "the child ends",
            "Child run 010000\xe2\x80\xa6"
            "0009"},
        {"back-off after a retry",
            [] {
                Case c(Reason::Retry, true, kNow - kMinute, kNow + 40'000);
                c.step().attempts = 6;
                c.step().failures = 1;
                return c;
            },
            "Step \"pay\" is tried again in 40 s, attempt 2 of 5: HTTP 503 from the bank.",
            "time, at 2026-09-21 14:14:00Z", "Back-off, attempt 2 of 5 in 40 s"},
        {"uncertain effect, looked up since",
            [] {
                Case c(Reason::OutcomeUnknown);
                c.step().detail = text(3);
                c.step().attempts = 4;
                c.step().lookUps = 2;
                return c;
            },
            "Step \"pay\" may have had its effect (tool pay, 4 860.00 EUR): no result is recorded. Attempt 2 "
            "sent its request with key \"pay/A1\"; its outcome is open since 2026-09-21 11:13:20Z. Evidence: "
            "the provider is down. A repeat could have the effect a second time.",
            "a person says whether it happened (Set outcome)", "Uncertain effect of pay, 4 860.00 EUR"},
        {"failed child",
            [] {
                Case c(Reason::FailedChild);
                c.step().waitRun = runId(9);
                ChildRecord record;
                record.run = runId(9);
                record.as = Activity::Failed;
                c.state.children.push_back(record);
                return c;
            },
            "Step \"pay\" failed because child run audit (010000\xe2\x80\xa6"
            "0009) ended as failed.",
            "a person repairs the child, or retries, skips or records this step", "Failed child audit"},
        {"mismatch of a step", [] { return Case(Reason::Incompatible); },
            "Step \"pay\" does not fit: HTTP 503 from the bank.",
            "a person amends its input, skips it or records its result", "Mismatch: HTTP 503 from the bank"},
        {"mismatch of the run",
            [] {
                Case c(Reason::Incompatible, false);
                c.state.blockedDetail = text(3);
                return c;
            },
            "The run cannot go on under order@12: the provider is down.",
            "a version that fits is added, or the run is migrated", "Mismatch: the provider is down"},
        {"credential", [] { return Case(Reason::Credential); },
            "Step \"pay\" needs credential bank-key, which is expired or missing: HTTP 503 from the bank.",
            "the credential is renewed, then a person retries the step", "Credential bank-key"},
        {"budget",
            [] {
                Case c(Reason::Budget);
                c.state.budget = {{"EUR", 10'000'000, 8'500'000, 500'000}};
                return c;
            },
            "Step \"pay\" has reached its budget: 8.50 EUR of 10.00 EUR used, 0.50 EUR reserved. What comes "
            "next may cost 5.00 EUR.",
            "a person raises the limit (Set budget) or cancels the run",
            "Budget reached: 8.50 EUR of 10.00 EUR used, 0.50 EUR reserved"},
        {"deadline",
            [] {
                Case c(Reason::Deadline, false);
                c.state.own.deadline = kNow - 20 * kMinute;
                return c;
            },
            "The run passed its deadline 20 m ago (2026-09-21 13:53:20Z). No new step starts.",
            "a person sets another deadline or cancels the run", "Deadline passed 20 m ago"},
        {"paused",
            [] {
                Case c(Reason::Paused, false);
                c.state.own.paused = true;
                c.state.pausedBy = {ActorKind::Person, "kim"};
                c.state.pausedAt = kNow - 26 * kHour;
                c.state.pauseReason = text(3);
                return c;
            },
            "The run is paused by kim, 1 d 2 h ago. Reason: the provider is down. No new step starts.",
            "a person resumes it", "Paused by kim, 1 d 2 h ago"},
        {"paused by the parent",
            [] {
                Case c(Reason::Paused, false);
                c.state.inherited.paused = true;
                c.state.pausedAt = kNow - 30'000;
                return c;
            },
            "The run is paused by its parent run, 30 s ago. No new step starts.",
            "a person resumes the parent", "Paused by its parent run, 30 s ago"},
        {"same effect",
            [] {
                Case c(Reason::EffectInFlight);
                c.step().waitRun = runId(9);
                return c;
            },
            "Step \"pay\" waits for the same effect, under way in run 010000\xe2\x80\xa6"
            "0009, begun 3 h ago.",
            "the result there: it is shared, or the key passes on",
            "Same effect under way in run 010000\xe2\x80\xa6"
            "0009"},
        {"same effect, in a run that stands still",
            [] {
                Case c(Reason::EffectInFlight);
                c.step().waitRun = runId(9);
                c.look.child = [](const RunId&) {
                    Sentence there;
                    there.ends = "a person says whether it happened (Set outcome)";
                    there.shortText = "Uncertain effect of pay";
                    return std::optional(
                        ChildTold{"order", "may have had its effect", there, Attention::UnknownEffect, true});
                };
                return c;
            },
            "Step \"pay\" waits for the same effect in run 010000\xe2\x80\xa6"
            "0009, begun 3 h ago; that run may have had its effect.",
            "a person says whether it happened (Set outcome); then the result there is shared, or the key "
            "passes on",
            "Same effect in run 010000\xe2\x80\xa6"
            "0009: Uncertain effect of pay"},
        {"failed child that is open again",
            [] {
                Case c(Reason::FailedChild);
                c.step().waitRun = runId(9);
                c.look.child = [](const RunId&) {
                    return std::optional(
                        ChildTold{"audit", "runs, begun 3 s ago", {}, Attention::Machine, true});
                };
                return c;
            },
            "Step \"pay\" failed because child run audit (010000\xe2\x80\xa6"
            "0009) ended without its result. That run is open again: it runs, begun 3 s ago.",
            "the child's result, with which this step goes on", "Failed child audit, open again"},
        {"back-off", [] { return Case(Reason::Retry, true, kNow - kMinute, kNow + 40'000); },
            "Step \"pay\" is tried again in 40 s, attempt 3 of 5: HTTP 503 from the bank.",
            "time, at 2026-09-21 14:14:00Z", "Back-off, attempt 3 of 5 in 40 s"},
        {"back-off, workflow not here",
            [] {
                Case c(Reason::Retry, true, kNow - kMinute, kNow + 40'000);
                c.withDefinition = false;
                return c;
            },
            "Step \"pay\" is tried again in 40 s, attempt 3 (how many are allowed is not recorded): HTTP 503 "
            "from the bank.",
            "time, at 2026-09-21 14:14:00Z",
            "Back-off, attempt 3 (how many are allowed is not recorded) in 40 s"},
        {"throttled", [] { return Case(Reason::Resource, true, kNow - kMinute, kNow + 90 * kMinute); },
            "Step \"pay\" waits for bank, which asked for no calls; next call in 1 h 30 m (2026-09-21 "
            "15:43:20Z). 41 other runs wait "
            "for it. It said: HTTP 503 from the bank.",
            "time, at 2026-09-21 15:43:20Z", "Throttled by bank, in 1 h 30 m"},
        {"limit",
            [] {
                Case c(Reason::Capacity, true, kNow - kMinute, kNow + 5'000);
                c.step().waitRun = runId(9);
                return c;
            },
            "Step \"pay\" waits for room at bank, held by run 010000\xe2\x80\xa6"
            "0009; looked at again in 5 s.",
            "a permit comes free",
            "Limit of bank, held by run 010000\xe2\x80\xa6"
            "0009"},
        {"timer", [] { return Case(Reason::Timer, true, kNow - kMinute, kNow + 50 * kHour); },
            "Step \"pay\" waits until 2026-09-23 16:13:20Z, in 2 d 2 h.", "time, at 2026-09-23 16:13:20Z",
            "Timer until 2026-09-23 16:13:20Z"},
        {"signal", [] { return Case(Reason::Signal); },
            "Step \"pay\" waits for signal \"paid\", begun 3 h ago, without a time limit.", "signal \"paid\"",
            "External event \"paid\""},
        {"driven run's caller", [] { return Case(Reason::Signal, false); },
            "The run waits for its caller, which was last heard 2 m ago.", "the caller goes on",
            "Waits for its caller"},
        {"child",
            [] {
                Case c(Reason::Child);
                c.step().waitRun = runId(9);
                return c;
            },
            "Step \"pay\" waits for audit, which waits for an approval by finance, asked 3 h ago, expires in "
            "5 h.",
            "a yes or no by finance", "audit: Approval by finance, asked 3 h ago"},
        {"child that has not started",
            [] {
                Case c(Reason::Child);
                c.step().waitRun = runId(9);
                c.look.child = [](const RunId&) { return std::optional<ChildTold>(); };
                return c;
            },
            "Step \"pay\" waits for child run 010000\xe2\x80\xa6"
            "0009, which has not started yet.",
            "the child starts and ends",
            "Child run 010000\xe2\x80\xa6"
            "0009"},
        {"several children",
            [] {
                Case c(Reason::Child);
                c.step().waitRun = runId(9);
                c.explanation.summary.primary.count = 5;
                return c;
            },
            "Step \"pay\" waits for 5 child runs; the oldest, audit, waits for an approval by finance, asked "
            "3 h ago, expires in 5 h.",
            "a yes or no by finance", "audit: Approval by finance, asked 3 h ago"},
        {"lost worker", [] { return lostWorker(true, kNow); },
            "Step \"pay\" lost its worker: engine e1 was last heard 1 m ago. Another engine takes it over.",
            "another engine takes it over", "Worker lost, last heard 1 m ago"},
        {"lost worker, no engine left", [] { return lostWorker(true, kNoTime); },
            "Step \"pay\" lost its worker: engine e1 was last heard 1 m ago. No engine is running that could "
            "take it over.",
            "an engine starts, and takes it over", "Worker lost, last heard 1 m ago"},
        {"lost worker that ended", [] { return lostWorker(false, kNow); },
            "Step \"pay\" lost its worker: engine e1 has ended. Another engine takes it over.",
            "another engine takes it over", "Worker lost, last heard 1 m ago"},
        {"parked",
            [] {
                Case c(Reason::Incompatible, false);
                c.state.blockedDetail = text(3);
                c.state.blockedAt = kNow - kHour;
                c.state.parked = true;
                return c;
            },
            "The run was parked 1 h ago: the provider is down.",
            "a person resumes it, under a version of Cairn that reads its history back as it was meant",
            "Parked: the provider is down"},
    };
    return kRows;
}

}  // namespace

class TestSentence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reasons_data();
    void reasons();
    void everyReasonThatRunsCanHaveIsTested();
    void otherReasonsAreNamed();
    void aRunThatGrowsIsCalledLarge();
};

void TestSentence::reasons_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < rows().size(); ++i)
        QTest::newRow(rows()[i].name) << static_cast<int>(i);
}

void TestSentence::reasons()
{
    QFETCH(int, index);
    const Row& row = rows()[static_cast<std::size_t>(index)];
    const Told told = row.make().tell();
    QCOMPARE(told.sentence.text, std::string(row.text));
    QCOMPARE(told.sentence.ends, std::string(row.ends));
    QCOMPARE(told.sentence.shortText, std::string(row.shortText));
    QVERIFY(!told.sentence.subject.empty());
}

void TestSentence::everyReasonThatRunsCanHaveIsTested()
{
    std::set<Reason> tested;
    for (const Row& row : rows())
        tested.insert(row.make().explanation.summary.primary.reason);
    for (const Word& w : words<Reason>()) {
        const auto reason = static_cast<Reason>(w.value);
        if (reason == Reason::None || reason == Reason::Dependency)
            continue;  // never a run's own reason
        QVERIFY2(tested.contains(reason), std::string(w.key).c_str());
    }
}

// Case C50: a soft limit with its reason, before anything is refused.
void TestSentence::aRunThatGrowsIsCalledLarge()
{
    const auto told = [](std::uint64_t version, std::size_t steps) {
        Case c(Reason::Timer, true, kNow - kMinute, kNow + kHour);
        c.state.version = version;
        c.state.steps.resize(std::max(steps, c.state.steps.size()));
        std::string large;
        for (const auto& [name, value] : c.tell().sentence.evidence)
            if (name == "large run")
                large = value;
        return large;
    };
    QCOMPARE(told(49'999, 7'999), std::string());
    QVERIFY2(
        told(50'000, 1).starts_with(formatCount(50'000) + " entries: the more"), told(50'000, 1).c_str());
    QVERIFY(told(50'000, 1).ends_with("let it end and start another"));
    QVERIFY(told(1, 8'000).find(" steps: the more") != std::string::npos);
    QVERIFY(told(50'000, 8'000).find(" entries, ") != std::string::npos);
}

void TestSentence::otherReasonsAreNamed()
{
    Case c(Reason::Timer, true, kNow - kMinute, kNow + kHour);
    ReasonItem other;
    other.reason = Reason::Signal;
    other.count = 3;
    c.explanation.reasons.push_back(other);
    c.explanation.summary.primary.count = 2;
    QCOMPARE(c.tell().sentence.text,
        std::string("Step \"pay\" waits until 2026-09-21 15:13:20Z, in 1 h. 1 other step waits for the "
                    "same. Also: External event (3)."));
}

QTEST_APPLESS_MAIN(TestSentence)
#include "tst_sentence.moc"
