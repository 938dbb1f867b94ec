// Random kills under load: two engines at work, one of them killed at a random moment, again and again.

#include "core/report/drill_hits.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace cairn::drill {

namespace {

constexpr std::size_t kRunsAtOnce = 8;
constexpr int kLongestLife = 250;  // ms between two kills
constexpr int kShortestLife = 40;
constexpr int kWorkWithinMs = 20'000;            // an engine must have come to hold work
constexpr std::uint32_t kRecoveredPercent = 95;  // of the kills, at least; the others' victims had just ended
                                                 // what they held
constexpr const char* kThinking = "slow:120ms";  // a model takes its time, so that there is work to hit

// Runs that are not finished, oldest first; finished ones are checked and let go.
class Load {
public:
    // `name` is part of its runs' keys.
    Load(Stage& stage, std::string name, std::size_t atOnce)
        : m_stage(stage)
        , m_name(std::move(name))
        , m_atOnce(atOnce)
    {
    }

    void fill()
    {
        reap();
        while (m_open.size() < m_atOnce)
            add();
    }
    // One more, where there is room.
    void top()
    {
        reap();
        if (m_open.size() < m_atOnce)
            add();
    }
    void reap()
    {
        std::erase_if(m_open, [&](const RunId& run) {
            const auto row = m_stage.row(run);
            if (!row || !isFinished(row->activity))
                return false;
            m_stage.expect(row->activity == Activity::Completed,
                "run " + toText(run) + " ended as " + std::string(key(row->activity)));
            m_stage.countAttempts(run);
            m_stage.remember(run);
            ++m_completed;
            return true;
        });
    }
    [[nodiscard]] std::size_t open() const { return m_open.size(); }
    [[nodiscard]] std::uint32_t completed() const { return m_completed; }
    [[nodiscard]] const std::vector<RunId>& runs() const { return m_open; }

private:
    void add()
    {
        const std::string number = std::to_string(++m_started);
        m_open.push_back(
            m_stage.start("drill-load", m_name + "-" + number, R"({"amount":")" + number + R"(.00"})"));
    }

    Stage& m_stage;
    std::string m_name;
    std::size_t m_atOnce;
    std::vector<RunId> m_open;
    std::uint32_t m_started = 0;
    std::uint32_t m_completed = 0;
};

// Kills one of the engines at a moment at which it holds work: it is halted first, so that what is seen of it
// is still so when it dies. False: none held any.
bool killOneAtWork(Stage& stage, std::span<Process> engines, Hits& hits, Load& load, Process*& victim)
{
    return stage.poll(
        [&] {
            victim = &engines[stage.rng().below(engines.size())];
            victim->kill(SIGSTOP);
            const auto owned = hits.workedOnBy(victim->pid(), load.runs());
            if (owned.empty()) {
                victim->kill(SIGCONT);
                load.top();
                return false;
            }
            victim->kill(SIGKILL);
            victim->wait();
            hits.killed(owned);
            return true;
        },
        kWorkWithinMs);
}

}  // namespace

void randomKills(Stage& stage)
{
    const unsigned kills = stage.options().kills;
    stage.begin(
        std::to_string(kills) + " random kills under load, seed " + std::to_string(stage.options().seed));
    stage.expectCostAccounted();
    stage.mode("model", kThinking);
    Load load(stage, "load", kRunsAtOnce);
    std::array<Process, 2> engines{stage.engine("load-1"), stage.engine("load-2")};
    Hits hits(stage);
    for (unsigned kill = 0; kill < kills; ++kill) {
        load.fill();
        const int life = kShortestLife + static_cast<int>(stage.rng().below(kLongestLife - kShortestLife));
        static_cast<void>(stage.poll(
            [&] {
                hits.settle();
                return false;
            },
            life));
        Process* victim = nullptr;
        if (!killOneAtWork(stage, engines, hits, load, victim)) {
            stage.broken("no engine came to hold work: a kill would have tested nothing");
            break;
        }
        *victim = stage.engine("load-" + std::to_string(kill + 3));
    }
    const bool done = stage.poll(
        [&] {
            hits.settle();
            load.reap();
            return load.open() == 0 && hits.empty();
        },
        60'000);
    if (!done)
        for (const RunId& run : load.runs()) {
            const auto row = stage.row(run);
            stage.broken("run " + toText(run) + " did not end after the last kill; it is "
                + (row ? std::string(key(row->activity)) + " " + std::string(key(row->reason))
                       : "not in the list"));
        }
    stage.mode("model", "ok");
    stage.expect(load.completed() >= std::min(kills, 8U), "too few runs completed for this to be a test");
    const ScenarioReport& now = stage.now();
    stage.tell(std::to_string(now.faults) + " kills, each of an engine with work under way; after "
        + std::to_string(now.recovered) + " of them a recovery was measured (at least "
        + std::to_string(kRecoveredPercent) + " % wanted), " + std::to_string(now.recoveryMs.size())
        + " runs in all");
    if (now.faults < kills || now.recovered * 100 < kills * kRecoveredPercent)
        stage.broken(Guarantee::Recovered,
            "only " + std::to_string(now.recovered) + " of " + std::to_string(kills)
                + " kills were followed by a measured recovery: this tested too little");
    for (auto& engine : engines)
        stopEngine(engine);
    stage.finish();
}

// A crash of the database server while two engines are at work: neither ends, nothing acknowledged is lost,
// and what was under way goes on when the server is back.
void serverRestarted(Stage& stage)
{
    stage.begin("the database server crashes under load and starts again");
    const std::string& command = stage.options().restartCommand;
    if (command.empty()) {
        stage.broken("not run: CAIRN_RESTART_COMMAND names no command; packaging/with-postgres exports one");
        stage.finish();
        return;
    }
    stage.expectCostAccounted();
    // All runs first, then the engines: so that there is much under way when the server goes. Some are in a
    // call that is not answered before the server is back, however fast the machine is; the others commit
    // meanwhile.
    stage.mode("model", "hold@" + std::to_string(kRunsAtOnce));
    Load load(stage, "server", 6 * kRunsAtOnce);
    load.fill();
    std::array<Process, 2> engines{stage.engine("server-1"), stage.engine("server-2")};
    const auto moved = [&](std::uint64_t than) {
        std::uint64_t sum = 0;
        for (const RunId& run : load.runs())
            sum += stage.version(run);
        return sum > than;
    };
    stage.expect(
        stage.poll([&] { return moved(load.open() + kRunsAtOnce); }, 30'000), "no work was under way");
    for (const RunId& run : load.runs())
        stage.remember(run);
    auto restart =
        Process::start({"/bin/sh", "-c", command}, {}, stage.options().folder + "/restart.log", false);
    const int code = restart ? restart->wait() : -1;
    const SpanMs back = SystemClock().monotonicMs();
    stage.expect(code == 0, "the restart command ended with " + std::to_string(code));
    ++stage.now().faults;
    ++stage.now().interrupted;
    load.reap();
    stage.expect(load.open() > 0, "all runs had ended before the server was back: this was no test");
    std::uint64_t before = 0;
    for (const RunId& run : load.runs())
        before += stage.version(run);
    stage.mode("model", "ok");
    if (stage.poll([&] { return moved(before); }, 30'000)) {
        ++stage.now().recovered;
        stage.now().recoveryMs.push_back(static_cast<double>(SystemClock().monotonicMs() - back));
    } else
        stage.broken(Guarantee::Recovered, "no run moved within 30 s after the server was back");
    const bool done = stage.poll(
        [&] {
            load.reap();
            return load.open() == 0;
        },
        60'000);
    stage.expect(done, std::to_string(load.open()) + " runs did not end after the server was back");
    for (auto& engine : engines) {
        stage.expect(engine.running(), "an engine ended when the server did");
        stopEngine(engine);
    }
    stage.finish();
}

}  // namespace cairn::drill
