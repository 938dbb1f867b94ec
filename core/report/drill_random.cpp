// Random kills under load: two engines at work, one of them killed at a random moment, again and again.

#include "core/report/drill_hits.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace cairn::drill {

namespace {

constexpr std::size_t kRunsAtOnce = 12;
constexpr int kLongestLife = 250;  // ms between two kills
constexpr int kShortestLife = 40;

// Runs that are not finished, oldest first; finished ones are checked and let go.
class Load {
public:
    explicit Load(Stage& stage)
        : m_stage(stage)
    {
    }

    void fill()
    {
        reap();
        while (m_open.size() < kRunsAtOnce) {
            const std::string number = std::to_string(++m_started);
            m_open.push_back(
                m_stage.start("drill-load", "load-" + number, R"({"amount":")" + number + R"(.00"})"));
        }
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
    Stage& m_stage;
    std::vector<RunId> m_open;
    std::uint32_t m_started = 0;
    std::uint32_t m_completed = 0;
};

}  // namespace

void randomKills(Stage& stage)
{
    const unsigned kills = stage.options().kills;
    stage.begin(
        std::to_string(kills) + " random kills under load, seed " + std::to_string(stage.options().seed));
    Load load(stage);
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
        Process& victim = engines[stage.rng().below(engines.size())];
        const auto owned = hits.workedOnBy(victim.pid(), load.runs());
        victim.kill(SIGKILL);
        victim.wait();
        hits.killed(owned);
        ++stage.now().faults;
        victim = stage.engine("load-" + std::to_string(kill + 3));
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
    stage.expect(load.completed() >= std::min(kills, 8U), "too few runs completed for this to be a test");
    for (auto& engine : engines)
        stopEngine(engine);
    stage.finish();
}

}  // namespace cairn::drill
