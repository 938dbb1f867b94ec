#pragma once
// The other side of the situations: a store that the drill has made, a payment provider with a ledger of its
// own, engines as processes of their own, and the runs that get stuck. Nothing here acts for the operator.

#include "core/report/drill_stage.h"

#include <QString>

#include <map>
#include <vector>

namespace cairn::ui::test {

class Scene {
public:
    // `storeUrl` names a store that does not exist yet; `folder` is empty: logs and the ledger go there.
    Scene(const QString& storeUrl, const QString& folder);

    // `cairn drill --situations` makes the store, then a provider and an engine are started. Some 20 s.
    [[nodiscard]] Status open();
    // Kills the engines.
    void close();

    // What the situations are made of; each waits until the store has it so.
    [[nodiscard]] Status askForRefunds(int count);  // an approval each
    [[nodiscard]] Status loseTheAnswer();           // of one payment
    [[nodiscard]] Status loseTheWorker(int count);  // with so many steps under way
    [[nodiscard]] Status startAnotherWorker();
    [[nodiscard]] Status sendWrongOrders(int count);  // and a version that takes them is added
    [[nodiscard]] Status throttle(int count);         // so many runs wait for the supplier
    void providerIsWell();
    // Somebody else, at another desk, by the command line.
    [[nodiscard]] Status elsewhere(const std::vector<std::string>& arguments);

    // What the store says.
    [[nodiscard]] std::uint64_t count(const std::string& filter);
    [[nodiscard]] std::uint32_t effects(const std::string& name) const { return m_stage.effectsOf(name); }
    [[nodiscard]] std::optional<ListRow> row(const RunId& run) { return m_stage.row(run); }
    // Applied acts of this verb on the run that have this reason.
    [[nodiscard]] std::vector<AuditRow> acts(const RunId& run, Verb verb, const std::string& reason);
    // The same on the whole store: of all runs, and those of none.
    [[nodiscard]] std::uint64_t actsInAll(Verb verb, const std::string& reason);

private:
    [[nodiscard]] Status makeStore();
    [[nodiscard]] Status addWorkflows();
    [[nodiscard]] Status addWorkflow(const std::string& file, const std::string& text);
    [[nodiscard]] Status engine(const std::string& name);
    [[nodiscard]] Status waitFor(const std::string& filter, std::uint64_t count);
    [[nodiscard]] Status waitForNone(const std::string& filter);
    [[nodiscard]] Status broken();

    DrillOptions m_options;
    drill::Stage m_stage;
    SystemClock m_clock;
    std::map<std::string, Process> m_engines;
};

}  // namespace cairn::ui::test
