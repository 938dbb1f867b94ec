// Many runs of the example workflows while engines are killed at random moments and at random boundaries, and
// the provider fails now and then.

#include "core/report/demo.h"
#include "core/report/drill_examples.h"
#include "core/report/drill_hits.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace cairn {

namespace {

using namespace drill;

constexpr std::size_t kOpenAtOnce = 16;
constexpr int kShortestPause = 100;  // ms between two kills
constexpr int kLongestPause = 700;
constexpr int kStalledMs = 120'000;  // nothing ended for so long: something is stuck
constexpr int kMostHits = 15;        // an armed engine dies at one of its first so many hits
constexpr unsigned kFaultOneIn = 4;  // runs that begin together with a fault of the provider

// What a provider may do to one call. The first two do it.
constexpr std::array<const char*, 6> kFaults{
    "do-then-drop@1", "slow:1@1", "drop-before@1", "429:1@1", "503:1@2", "500@1"};

class Soak {
public:
    Soak(Stage& stage, Examples& examples, const DemoOptions& options)
        : m_stage(stage)
        , m_examples(examples)
        , m_options(options)
        , m_hits(stage)
        , m_engines(std::max(options.engines, 1U))
        , m_boundaries(demoBoundaries("purchase"))
    {
    }

    void run()
    {
        for (Process& engine : m_engines)
            engine = nextEngine();
        m_nextKill = m_lastEnd = m_clock.monotonicMs();
        while (m_ended < m_options.runs && m_clock.monotonicMs() - m_lastEnd < kStalledMs) {
            startOne();
            m_examples.operate(1);
            m_hits.settle();
            replaceDead();
            killOne();
            reap();
            static_cast<void>(m_stage.poll([] { return false; }, 2));
        }
        tellStuck();
        m_stage.expect(m_stage.poll(
                           [&] {
                               m_hits.settle();
                               return m_hits.empty();
                           },
                           kStalledMs),
            "a run that was hit never moved again");
        for (Process& engine : m_engines)
            stopEngine(engine);
    }
    [[nodiscard]] std::uint32_t ended() const { return m_ended; }
    [[nodiscard]] std::uint32_t atBoundaries() const { return m_atBoundaries; }
    [[nodiscard]] std::uint32_t faults() const { return m_faults; }

private:
    // Every second engine is armed to die at a boundary; the others die at a moment.
    Process nextEngine()
    {
        std::string failpoints;
        if (m_engineNumber % 2 == 1)
            failpoints = m_boundaries[m_stage.rng().below(m_boundaries.size())] + "=kill@"
                + std::to_string(1 + m_stage.rng().below(kMostHits));
        return m_stage.engine("soak-" + std::to_string(++m_engineNumber), failpoints);
    }
    void startOne()
    {
        if (m_open.size() < kOpenAtOnce && m_started < m_options.runs) {
            const std::uint64_t dice = m_stage.rng().below(16);
            const Example kind = ++m_started % 2 == 0 ? Example::Purchase : Example::RepoReview;
            const Wish wish = dice == 0                  ? Wish::Refuse
                : dice <= 2 && kind == Example::Purchase ? Wish::TakeBack
                                                         : Wish::Consent;
            m_open.push_back(m_examples.start(kind, wish).run);
            if (kind == Example::Purchase && m_stage.rng().below(kFaultOneIn) == 0) {
                ++m_faults;
                m_stage.mode("payments", kFaults[m_stage.rng().below(kFaults.size())]);
            }
        }
    }
    void replaceDead()
    {
        for (Process& engine : m_engines) {
            if (!engine.ended())
                continue;
            m_stage.expect(engine.wait() == 128 + SIGKILL,
                "an engine ended by itself: " + std::to_string(engine.wait()));
            ++m_atBoundaries;
            ++m_stage.now().faults;
            replace(engine);
        }
    }
    void killOne()
    {
        if (m_clock.monotonicMs() < m_nextKill)
            return;
        m_nextKill = m_clock.monotonicMs() + kShortestPause
            + static_cast<SpanMs>(m_stage.rng().below(kLongestPause - kShortestPause));
        Process& victim = m_engines[m_stage.rng().below(m_engines.size())];
        const auto owned = m_hits.workedOnBy(victim.pid(), m_open);
        victim.kill(SIGKILL);
        victim.wait();
        m_hits.killed(owned);
        replace(victim);
    }
    void replace(Process& engine)
    {
        for (const RunId& run : m_open)
            m_stage.remember(run);
        engine = nextEngine();
    }
    void reap()
    {
        std::erase_if(m_open, [&](const RunId& id) {
            ExampleRun run;
            run.run = id;
            if (!m_examples.finished(run))
                return false;
            m_examples.check(run);
            ++m_ended;
            m_lastEnd = m_clock.monotonicMs();
            if (m_ended % 25 == 0 && m_options.drill.progress)
                m_options.drill.progress(std::to_string(m_ended) + " of " + std::to_string(m_options.runs)
                    + " runs ended, " + std::to_string(m_stage.now().faults) + " kills");
            return true;
        });
    }
    void tellStuck()
    {
        for (const RunId& run : m_open) {
            const auto row = m_stage.row(run);
            m_stage.broken("run " + toText(run) + " did not end; it is "
                + (row ? std::string(key(row->activity)) + " " + std::string(key(row->reason)) + " at "
                            + row->step
                       : "not in the list"));
        }
    }

    Stage& m_stage;
    Examples& m_examples;
    const DemoOptions& m_options;
    SystemClock m_clock;
    Hits m_hits;
    std::vector<Process> m_engines;
    std::vector<std::string> m_boundaries;
    std::vector<RunId> m_open;
    unsigned m_engineNumber = 0;
    std::uint32_t m_started = 0, m_ended = 0, m_atBoundaries = 0, m_faults = 0;
    SpanMs m_nextKill = 0, m_lastEnd = 0;
};

// A pass in which little happened proves little.
void expectFloors(Stage& stage, const Examples& examples, const Soak& soak, const DemoOptions& options)
{
    const ScenarioReport& now = stage.now();
    const auto atLeast = [&](std::uint32_t found, std::uint32_t wanted, const std::string& what) {
        stage.expect(found >= wanted,
            "only " + std::to_string(found) + " " + what + ", at least " + std::to_string(wanted)
                + " make this a test");
    };
    const std::uint32_t runs = options.runs;
    atLeast(soak.ended(), runs, "runs ended");
    atLeast(now.faults, std::max(options.drill.kills, std::max(3U, runs / 10)), "kills");
    atLeast(
        now.recovered, std::max(1U, runs / 10), "kills that stopped work under way, and measured recoveries");
    atLeast(soak.atBoundaries(), runs / 50, "kills at a named boundary");
    atLeast(examples.approvals(), runs, "approvals decided");
    atLeast(examples.payments(), runs / 3, "payments");
    atLeast(examples.tags(), runs / 3, "tags");
    atLeast(now.duplicateAttempts, runs / 50, "attempts repeated");
    atLeast(now.lookUps, runs / 100, "look-ups");
    atLeast(soak.faults(), runs / 50, "faults of the provider");
}

}  // namespace

Result<DrillReport> runSoak(const DemoOptions& options)
{
    Stage stage(options.drill);
    CAIRN_TRY(stage.makeStore());
    Examples examples(stage, options.definitions);
    CAIRN_TRY(examples.prepare(options.repository));
    stage.begin(std::to_string(options.runs) + " runs of repo-review and purchase, "
        + std::to_string(options.engines) + " engines, random kills, seed "
        + std::to_string(options.drill.seed));
    Soak soak(stage, examples, options);
    soak.run();
    examples.checkNothingElse();
    expectFloors(stage, examples, soak, options);
    stage.tell(std::to_string(soak.atBoundaries()) + " kills at a named boundary, "
        + std::to_string(soak.faults()) + " faults of the provider, " + std::to_string(examples.approvals())
        + " approvals decided");
    stage.tell(std::to_string(examples.payments()) + " payments, " + std::to_string(examples.refunds())
        + " refunds, " + std::to_string(examples.tags()) + " tags, each made once");
    stage.tell(std::to_string(stage.now().lookUps) + " look-ups of an effect whose outcome was not known");
    for (const auto& [reason, count] : examples.settled())
        stage.tell(std::to_string(count) + " waits settled by looking at the provider: " + reason);
    stage.finish();
    verifyAll(stage);
    return summarised(stage);
}

}  // namespace cairn
