#pragma once
// What the drill's scenarios share: the provider, engine processes, acts by the command line, and checks.

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "core/report/drill.h"
#include "core/report/process.h"

#include <map>
#include <optional>

namespace cairn::drill {

// The provider's own record of what was done.
struct LedgerLine {
    std::string name;
    std::string key;
    std::int64_t tokens = 0;  // that were charged
    std::int64_t micros = 0;  // EUR
};

class Stage {
public:
    explicit Stage(const DrillOptions& options);

    // A new store of today's format with a provider; opens it.
    [[nodiscard]] Status makeStore();
    [[nodiscard]] Status startProvider();
    [[nodiscard]] Status openStore();

    // A new scenario; everything that follows is counted for it.
    void begin(const std::string& name);
    void finish();
    ScenarioReport& now() { return m_reports.back(); }
    void broken(Guarantee guarantee, const std::string& what);
    void broken(const std::string& what) { broken(Guarantee::Course, what); }
    void tell(const std::string& what) { now().remarks.push_back(what); }
    void expect(bool holds, const std::string& what)
    {
        if (!holds)
            broken(what);
    }

    // Engines. `failpoints` kill the engine from inside, at a named place.
    [[nodiscard]] Process engine(const std::string& name, const std::string& failpoints = {},
        const std::string& program = {}, const std::vector<std::string>& more = {});
    // Kills with SIGKILL and starts another engine; measures until the run's next commit.
    void killAndRecover(
        Process& victim, const RunId& run, Process& successor, const std::string& successorName);
    // Waits for an engine that a failpoint kills, starts another, measures.
    void awaitDeathAndRecover(
        Process& victim, const RunId& run, Process& successor, const std::string& successorName);
    // The engine that had the run is dead; `successor` brings another, or is empty where one is there. From
    // then to the run's next commit, without a wait that a provider had asked for. A run that the machine
    // could not have moved is not measured.
    void recover(const RunId& run, const std::function<void()>& successor);

    // The command line, as a person or caller would use it. Gives its output; `exitCode` what it ended with.
    [[nodiscard]] std::string cli(
        const std::vector<std::string>& arguments, int* exitCode = nullptr, const std::string& program = {});
    [[nodiscard]] RunId start(const std::string& workflow, const std::string& key, const std::string& input,
        const std::string& program = {});
    void act(const std::vector<std::string>& arguments);  // a person's act; counted

    // The provider.
    void mode(const std::string& name, const std::string& mode);
    [[nodiscard]] std::vector<LedgerLine> ledger() const;
    [[nodiscard]] std::uint32_t effectsOf(const std::string& name) const;
    // What the provider charged in this scenario is what its runs spent, and what lost calls may have cost.
    void expectCostAccounted() { now().expectsCost = true; }

    // Waits until a condition on the run holds; false after the limit. The poll is 2 ms.
    [[nodiscard]] bool await(
        const RunId& run, const std::function<bool(const ListRow&)>& holds, int limitMs = 30'000);
    [[nodiscard]] bool awaitActivity(const RunId& run, Activity activity, int limitMs = 30'000);
    [[nodiscard]] bool awaitReason(const RunId& run, Reason reason, int limitMs = 30'000);
    [[nodiscard]] bool poll(const std::function<bool()>& holds, int limitMs);
    [[nodiscard]] std::optional<ListRow> row(const RunId& run);
    [[nodiscard]] std::uint64_t version(const RunId& run);
    // Commits of the run and of all its child runs.
    [[nodiscard]] std::uint64_t progress(const RunId& run);
    // Counts what was tried again and looked up in a run and in its child runs.
    void countAttempts(const RunId& run);
    // The newest entry of the run was seen: it must be there at the end of the scenario, with the same hash.
    void remember(const RunId& run);
    void advanceClock(SpanMs span);

    StoreWriter& store() { return *m_store; }
    Rng& rng() { return m_rng; }
    [[nodiscard]] const DrillOptions& options() const { return m_options; }
    void useStore(std::unique_ptr<StoreWriter> store) { m_store = std::move(store); }
    [[nodiscard]] std::vector<ScenarioReport> takeReports() { return std::move(m_reports); }
    std::vector<std::pair<std::string, std::string>> environment;  // of engines

private:
    struct Acknowledged {
        RunId run;
        std::uint64_t version = 0;
        std::string verb;
    };
    void acknowledge(const std::string& verb, const std::string& answer);
    void checkNoDuplicateEffects();
    void checkNothingLost();
    void countCost();
    void addCost(const RunId& run);
    void forEachFact(
        const RunId& run, const std::function<void(const Fact&)>& take, RunState* folded = nullptr);

    const DrillOptions& m_options;
    SeededRng m_rng;
    SystemClock m_clock;
    std::unique_ptr<StoreWriter> m_store;
    Process m_provider;
    std::string m_providerUrl;
    std::string m_ledgerFile;
    std::vector<ScenarioReport> m_reports;
    std::size_t m_ledgerBefore = 0;
    std::map<RunId, std::pair<std::uint64_t, Digest>> m_known;  // newest version and hash that were seen
    std::vector<Acknowledged> m_acknowledged;
    std::vector<RunId> m_started;  // in this scenario
};

// The scenarios, in the order in which they are run.
[[nodiscard]] Status addWorkflows(Stage& stage, const std::string& program);
// On the five agents (drill_agents.cpp):
[[nodiscard]] Status migrationDuringWork(Stage& stage);  // leaves the store migrated and open
void fiveAgents(Stage& stage);
void rateLimited(Stage& stage);
void killedAfterModelCall(Stage& stage);
void killedDuringCommit(Stage& stage);
void killedAfterAcceptance(Stage& stage);
void killedWhileApprovalIsAwaited(Stage& stage);
// On small workflows:
void messageTwice(Stage& stage);
void killedWithoutLookUp(Stage& stage);
void connectionDropped(Stage& stage);
void randomKills(Stage& stage);
void serverRestarted(Stage& stage);      // the database server, under load
void leaveEverySituation(Stage& stage);  // runs in every activity and reason, for the console to open
void verifyAll(Stage& stage);  // every run of the store: chain unbroken, fold equal to what is stored

// Stops an engine as an operator does (SIGTERM), and waits for it.
void stopEngine(Process& engine);
[[nodiscard]] DrillReport summarised(Stage& stage);

[[nodiscard]] std::string workflowText(const std::string& name);  // drill_workflows.cpp
[[nodiscard]] std::vector<std::string> workflowNames();

}  // namespace cairn::drill
