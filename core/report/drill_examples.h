#pragma once
// The example workflows as a caller starts them and an operator attends to them, and what they did outside:
// payments in the provider's ledger, tags in a git repository.

#include "core/report/drill_stage.h"

#include <set>

namespace cairn::drill {

enum class Example : std::uint8_t { Purchase, RepoReview, Research };

// What the operator is going to do with a run.
enum class Wish : std::uint8_t {
    Consent,
    Refuse,    // the irreversible step is skipped
    TakeBack,  // consents, and cancels the run once its payment was made: it is refunded, unless the run
               // ended before
};

struct ExampleRun {
    RunId run;
    Example kind = Example::Purchase;
    std::string name;  // order, tag or question: names what is done outside
    Wish wish = Wish::Consent;
    bool cancelled = false;
};

class Examples {
public:
    Examples(Stage& stage, std::string definitions);

    // Adds the definitions, makes (or clones) the repository, and has the provider forget about keys.
    [[nodiscard]] Status prepare(const std::string& repository);
    [[nodiscard]] ExampleRun& start(Example kind, Wish wish = Wish::Consent);
    // One round of an operator: decides at most so much of what waits for a person, by what is found outside.
    void operate(std::size_t most = 500);
    [[nodiscard]] bool finished(const ExampleRun& run);
    // A finished run: ended as it should, did outside what it should exactly once, and Cairn's own ledger
    // says so too.
    void check(const ExampleRun& run);
    // Of all runs together: nothing was done outside beyond what was checked.
    void checkNothingElse();

    [[nodiscard]] std::uint32_t approvals() const { return m_approvals; }
    [[nodiscard]] std::uint32_t payments() const { return m_payments; }
    [[nodiscard]] std::uint32_t refunds() const { return m_refunds; }
    [[nodiscard]] std::uint32_t tags() const { return m_tags; }
    [[nodiscard]] const std::map<std::string, std::uint32_t>& settled() const { return m_settled; }

private:
    [[nodiscard]] Status makeRepository(const std::string& from);
    [[nodiscard]] Status git(const std::vector<std::string>& arguments, std::string* output = nullptr);
    void decide(const ListRow& row);
    void settle(const ListRow& row);
    void takeBack(ExampleRun& run);
    void checkPurchase(const ExampleRun& run, Activity ended);
    void checkReview(const ExampleRun& run);
    void checkApproval(const ExampleRun& run);
    void checkStoreLedger(const ExampleRun& run, const char* tool, std::size_t expected);
    [[nodiscard]] std::size_t paymentsOf(const ExampleRun& run) const;
    [[nodiscard]] std::size_t tagUpdates(const std::string& tag) const;

    Stage& m_stage;
    std::string m_definitions;
    std::string m_repository;
    std::map<RunId, ExampleRun> m_runs;
    std::set<RunId> m_unforeseen;  // waits that no honest operator could end
    std::uint32_t m_started = 0;
    std::uint32_t m_approvals = 0;
    std::uint32_t m_payments = 0, m_refunds = 0, m_tags = 0;  // that were found, and should be
    std::map<std::string, std::uint32_t> m_settled;           // by reason
};

[[nodiscard]] std::optional<Example> exampleOf(const std::string& workflow);
[[nodiscard]] const char* workflowOf(Example kind);
// The definitions of one example in the order in which they are added: child runs first.
[[nodiscard]] std::vector<std::string> filesOf(Example kind);

}  // namespace cairn::drill
