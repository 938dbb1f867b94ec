// The five agents: one workflow that is run to its end again and again, each time with another fault at a
// place where systems of this kind lose or double something.

#include "core/report/drill_agents.h"

#include "core/base/text.h"
#include "core/model/codec.h"

#include <algorithm>
#include <csignal>
#include <set>

namespace cairn::drill {

namespace {

constexpr SpanMs kDay = 86'400'000;
constexpr int kStallMs = 60'000;
constexpr std::size_t kAgents = 5;
constexpr std::uint32_t kTransitions = 7;
const std::string kFirstResult = "engine.result-in-hand=kill@1";

}  // namespace

FiveAgents::FiveAgents(Stage& stage, const std::string& key, const std::string& program)
    : m_stage(stage)
    , m_name(key)
{
    m_paidBefore = stage.effectsOf("pay");
    m_askedBefore = stage.effectsOf("model");
    m_run = stage.start("drill-agents", key, R"({"amount":"12.50"})", program);
}

void FiveAgents::startEngine(const std::string& failpoints)
{
    m_engine = m_stage.engine(m_name + "-" + std::to_string(++m_engines), failpoints);
    m_armed = !failpoints.empty();
}

void FiveAgents::adopt(Process engine)
{
    m_engine = std::move(engine);
    m_armed = false;
}

// As a queue does that delivers at least once.
void FiveAgents::deliverTwice()
{
    const std::vector<std::string> message{
        "signal", toText(m_run), "order", "--id", "message-" + m_name, "--data", R"({"item":"chairs"})"};
    static_cast<void>(m_stage.cli(message));
    const std::string again = m_stage.cli(message);
    ++m_stage.now().faults;
    m_stage.expect(again.find("no_change") != std::string::npos,
        "the second delivery was not recognised: " + visibleLine(again));
    m_delivered = true;
}

void FiveAgents::approve()
{
    m_stage.act({"approve", toText(m_run)});
    m_stage.remember(m_run);
    m_approved = true;
}

void FiveAgents::killOnly()
{
    m_engine.kill(SIGKILL);
    m_engine.wait();
    m_armed = false;
}

void FiveAgents::replaceKilled()
{
    m_stage.recover(m_run, [&] { startEngine(); });
}

void FiveAgents::kill()
{
    m_engine.kill(SIGKILL);
    m_engine.wait();
    m_armed = false;
    m_stage.recover(m_run, [&] { startEngine(); });
}

void FiveAgents::killFor(Process successor)
{
    m_engine.kill(SIGKILL);
    m_engine.wait();
    m_stage.recover(m_run, [&] { adopt(std::move(successor)); });
}

// Dead by a failpoint, as it should be; anything else that ends an engine is a failure.
void FiveAgents::replaceDead()
{
    const int code = m_engine.wait();
    m_stage.expect(m_armed && code == 128 + SIGKILL, "an engine ended by itself: " + std::to_string(code));
    m_armed = false;
    m_stage.recover(m_run, [&] { startEngine(); });
}

void FiveAgents::stop()
{
    m_stage.expect(!m_armed, "the failpoint was never reached: this tested nothing");
    stopEngine(m_engine);
}

// The auditor's 24 hours pass by the test clock, while no engine is there.
void FiveAgents::nextDay()
{
    stop();
    m_stage.advanceClock(kDay + 1000);
    startEngine();
    m_slept = true;
}

bool FiveAgents::drive(const std::function<bool(const ListRow&)>& until)
{
    return m_stage.poll(
        [&] {
            if (m_engine.ended()) {
                replaceDead();
                return false;
            }
            const auto row = m_stage.row(m_run);
            if (!row)
                return false;
            if (until && until(*row))
                return true;
            if (row->reason == Reason::Signal && !m_delivered)
                deliverTwice();
            else if (row->reason == Reason::Approval && !m_approved)
                approve();
            else if (row->reason == Reason::Timer && !m_slept)
                nextDay();
            return isFinished(row->activity);
        },
        kStallMs);
}

void FiveAgents::driveTo(Reason reason)
{
    bool there = false;
    static_cast<void>(drive([&](const ListRow& row) { return there = row.reason == reason; }));
    m_stage.expect(there, m_name + ": the run did not come to wait for: " + std::string(key(reason)));
}

void FiveAgents::driveToFourth()
{
    bool there = false;
    static_cast<void>(drive([&](const ListRow& row) {
        // The plan was one call of the model; the second has come to the provider.
        return there = row.stepsDone == 3 && row.activity == Activity::Executing
            && m_stage.effectsOf("model") >= m_askedBefore + 2;
    }));
    m_stage.expect(there, m_name + ": the fourth transition was not reached after three");
}

void FiveAgents::checkHistory()
{
    const auto loaded = m_stage.store().loadRun(m_run, 1, 0);
    std::uint32_t messages = 0, payments = 0;
    const auto steps = m_stage.store().steps(m_run);
    StepIx pay = kNoStep;
    std::set<std::string> agents;
    if (steps)
        for (const StepRow& row : *steps) {
            agents.insert(row.agent);
            pay = row.name == "pay" ? row.ix : pay;
        }
    if (loaded)
        for (const SealedEntry& sealed : loaded->entries)
            if (const auto entry = decodeEntry(sealed.body, sealed.format))
                for (const Fact& fact : entry->facts) {
                    messages += std::holds_alternative<SignalReceived>(fact) ? 1 : 0;
                    const auto* done = std::get_if<StepCompleted>(&fact);
                    payments += done && done->step == pay ? 1 : 0;
                }
    m_stage.expect(steps && steps->size() == kTransitions && agents.size() == kAgents,
        m_name + ": seven transitions by five agents were expected");
    m_stage.expect(messages == 1,
        m_name + ": the message was taken " + std::to_string(messages) + " times, expected once");
    m_stage.expect(payments == 1,
        m_name + ": the payment was recorded " + std::to_string(payments) + " times, expected once");
}

void FiveAgents::finish()
{
    static_cast<void>(drive());
    const auto row = m_stage.row(m_run);
    m_stage.expect(row && row->activity == Activity::Completed && row->stepsDone == kTransitions,
        m_name + ": run " + toText(m_run) + " did not complete; it is "
            + (row ? std::string(key(row->activity)) + " " + std::string(key(row->reason))
                   : "not in the list"));
    m_stage.expect(m_delivered && m_approved && m_slept, m_name + ": a part of the course was left out");
    checkHistory();
    const std::uint32_t paid = m_stage.effectsOf("pay") - m_paidBefore;
    m_stage.expect(
        paid == 1, m_name + ": the provider made " + std::to_string(paid) + " payments, expected one");
    if (paid > 1)
        m_stage.broken(Guarantee::NoDuplicateEffect, m_name + ": one order was paid more than once");
    m_stage.countAttempts(m_run);
    m_stage.remember(m_run);
    stop();
}

namespace {

// Nobody called before the time that the provider named.
void expectWaited(Stage& stage, const FiveAgents& agents, SpanMs asked)
{
    const auto attempts = stage.store().attempts(agents.run(), kNoStep);
    const auto steps = stage.store().steps(agents.run());
    std::vector<AttemptRow> quotes;
    if (attempts && steps)
        for (const AttemptRow& row : *attempts)
            if (row.step < steps->size() && (*steps)[row.step].name == "quote")
                quotes.push_back(row);
    std::sort(quotes.begin(), quotes.end(),
        [](const AttemptRow& a, const AttemptRow& b) { return a.number < b.number; });
    stage.expect(quotes.size() == 2, "one refused call and one accepted call were expected");
    if (quotes.size() == 2)
        stage.expect(quotes[1].startedAt >= quotes[0].endedAt + asked,
            "the provider was called before the time it named");
}

}  // namespace

void fiveAgents(Stage& stage)
{
    stage.begin(
        "five agents: the coordinator killed after 3 of 7 transitions, a message twice, a 429, a pause "
        "of 24 hours");
    stage.expectCostAccounted();
    stage.mode("quote", "429:1@1");
    FiveAgents agents(stage, "agents");
    agents.startEngine();
    agents.driveTo(Reason::Signal);
    stage.mode("model", "slow:1@1");  // so that the fourth is under way when the kill comes
    agents.driveTo(Reason::Resource);
    ++stage.now().faults;
    agents.driveToFourth();
    agents.kill();
    agents.finish();
    expectWaited(stage, agents, 1000);
    stage.finish();
}

void rateLimited(Stage& stage)
{
    stage.begin("again: the engine that was told 429 is killed");
    stage.expectCostAccounted();
    stage.mode("quote", "429:2@1");
    FiveAgents agents(stage, "limited");
    agents.startEngine();
    agents.driveTo(Reason::Resource);
    ++stage.now().faults;
    const auto row = stage.row(agents.run());
    const auto told = stage.store().now();
    stage.expect(row && told && row->nextTime > *told, "the wait has no next time");
    agents.kill();
    agents.finish();
    expectWaited(stage, agents, 2000);
    stage.finish();
}

void killedAfterModelCall(Stage& stage)
{
    stage.begin("again: killed right after a model call, before its answer is recorded");
    stage.expectCostAccounted();
    stage.mode("quote", "429:1@1");
    FiveAgents plan(stage, "planned");
    plan.startEngine(kFirstResult);
    plan.finish();
    FiveAgents choice(stage, "chosen");
    choice.startEngine();
    choice.driveTo(Reason::Signal);
    choice.stop();
    choice.deliverTwice();
    choice.startEngine("engine.result-in-hand=kill@2");  // of the quote, of the choice
    choice.finish();
    for (const FiveAgents* agents : {&plan, &choice}) {
        const auto attempts = stage.store().attempts(agents->run(), agents == &plan ? 0 : 3);
        stage.expect(attempts && attempts->size() == 2,
            "the model is asked again exactly once, since its answer was not recorded");
    }
    stage.finish();
}

// Before the commit, in it, after it, and before the answer: at each of several commits of a run.
void killedDuringCommit(Stage& stage)
{
    stage.begin("again: killed during a commit, at each of several commits");
    stage.expectCostAccounted();
    int number = 0;
    for (const char* point :
        {"queue.before-commit", "store.before_commit", "queue.after-commit", "queue.before-answer"})
        for (const int hit : {1, 3, 5}) {
            if (hit == 1)
                stage.mode("quote", "429:1@1");
            FiveAgents agents(stage, "commit-" + std::to_string(++number));
            agents.startEngine(std::string(point) + "=kill@" + std::to_string(hit));
            agents.finish();
        }
    stage.finish();
}

// The worst moment: the provider has done it, and nobody here knows. It is asked; it is never done again.
void killedAfterAcceptance(Stage& stage)
{
    stage.begin("again: killed after the provider accepted the payment");
    stage.expectCostAccounted();
    stage.mode("quote", "429:1@1");
    FiveAgents agents(stage, "accepted");
    agents.startEngine();
    agents.driveTo(Reason::Approval);
    agents.stop();
    agents.approve();
    agents.startEngine(kFirstResult);
    agents.finish();
    stage.expect(stage.now().lookUps >= 1, "the provider was not asked what had become of the payment");
    stage.finish();
}

// A waiting run needs no engine: the approval is given while none is there.
void killedWhileApprovalIsAwaited(Stage& stage)
{
    stage.begin("again: killed while an approval is awaited; it is given while no engine is there");
    stage.expectCostAccounted();
    stage.mode("quote", "429:1@1");
    const std::uint32_t before = stage.effectsOf("pay");
    FiveAgents agents(stage, "approval");
    agents.startEngine();
    agents.driveTo(Reason::Approval);
    agents.killOnly();
    stage.expect(stage.effectsOf("pay") == before, "nothing may be paid before the approval");
    agents.approve();
    agents.replaceKilled();
    agents.finish();
    int code = 0;
    const std::string twice = stage.cli(
        {"approve", toText(agents.run()), "pay", "--reason", "the drill's operator says so"}, &code);
    stage.expect(code == 0 && twice.find("no_change") != std::string::npos,
        "the same approval twice must give the first answer");
    stage.finish();
}

// The store was made by the older binary, which works on it while the newer one migrates; then both run; then
// the older one is killed in the middle of a run; then the format is raised, and the older one must refuse.
Status migrationDuringWork(Stage& stage)
{
    const std::string& old = stage.options().format1;
    stage.begin("again: during a store migration, with a second engine that was built for format 1");
    if (old.empty()) {
        stage.broken("not run: there is no cairn-format1 beside this program");
        CAIRN_TRY(stage.openStore());
        stage.finish();
        return {};
    }
    stage.expectCostAccounted();
    stage.mode("model", "slow:1@1");
    stage.mode("quote", "429:1@1");
    FiveAgents agents(stage, "format-during", old);
    agents.adopt(stage.engine("format1", {}, old));
    static_cast<void>(stage.cli({"store", "migrate"}));  // while the older one works
    CAIRN_TRY(stage.openStore());
    ++stage.now().faults;
    agents.driveTo(Reason::Signal);
    int code = 0;
    static_cast<void>(stage.cli({"store", "migrate", "--contract"}, &code));
    stage.expect(code == 1, "raising the format must be refused while an older engine lives");
    stage.mode("model", "slow:1@1");
    agents.driveTo(Reason::Resource);
    ++stage.now().faults;
    agents.driveToFourth();
    Process newer = stage.engine("format2");
    stage.expect(stage.poll(
                     [&] {
                         const auto sessions = stage.store().sessions(false);
                         return sessions
                             && std::any_of(sessions->begin(), sessions->end(),
                                 [&](const SessionRow& row) { return row.pid == newer.pid(); });
                     },
                     10'000),
        "the newer engine did not join");
    agents.killFor(std::move(newer));
    agents.finish();
    stage.expect(stage.poll(
                     [&] {
                         int result = 0;
                         static_cast<void>(stage.cli({"store", "migrate", "--contract"}, &result));
                         return result == 0;
                     },
                     15'000),
        "the format could not be raised after the older engine was gone");
    FiveAgents after(stage, "format-after");
    after.startEngine();
    after.finish();
    const auto hot = stage.store().hot(after.run());
    stage.expect(hot && hot->format == kMaxFormat,
        "a run that was started after the migration must have the new format");
    Process refused = stage.engine("format1-again", {}, old);
    stage.expect(stage.poll([&] { return refused.ended(); }, 10'000) && refused.wait() != 0,
        "the older engine must refuse a store of a format that it does not know");
    stage.finish();
    return {};
}

}  // namespace cairn::drill
