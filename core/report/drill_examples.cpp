#include "core/report/drill_examples.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn::drill {

namespace {

constexpr std::size_t kPage = 500;

// Reasons that end by a person's act only.
const std::vector<Reason> kForPeople{Reason::OutcomeUnknown, Reason::EffectKeyConflict,
    Reason::AttemptsExhausted, Reason::FailedChild, Reason::Incompatible, Reason::Credential,
    Reason::Approval, Reason::Budget, Reason::Deadline};

std::string shown(const ListRow& row)
{
    return row.workflow + " " + row.key + " (" + toText(row.run) + "), step " + row.step + ": "
        + std::string(key(row.reason));
}

}  // namespace

std::optional<Example> exampleOf(const std::string& workflow)
{
    for (const Example kind : {Example::Purchase, Example::RepoReview, Example::Research})
        if (workflow == workflowOf(kind))
            return kind;
    return std::nullopt;
}

const char* workflowOf(Example kind)
{
    return kind == Example::Purchase ? "purchase" : kind == Example::RepoReview ? "repo-review" : "research";
}

std::vector<std::string> filesOf(Example kind)
{
    switch (kind) {
    case Example::Purchase: return {"audit.json", "purchase.json"};
    case Example::RepoReview: return {"repo-review.json"};
    case Example::Research: return {"research-item.json", "research.json"};
    }
    return {};
}

Examples::Examples(Stage& stage, std::string definitions)
    : m_stage(stage)
    , m_definitions(std::move(definitions))
{
}

Status Examples::git(const std::vector<std::string>& arguments, std::string* output)
{
    std::vector<std::string> argv{"/usr/bin/env", "git", "-C", m_repository, "-c", "user.name=Cairn", "-c",
        "user.email=cairn@localhost", "-c", "safe.directory=*", "-c", "commit.gpgSign=false"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const std::string log = m_stage.options().folder + "/git.log";
    CAIRN_TRY_ASSIGN(Process process, Process::start(argv, {}, log, true));
    const std::string text = process.readAll();
    if (const int code = process.wait(); code != 0)
        return makeError(ErrorKind::Io,
            "git " + arguments.front() + " ended with " + std::to_string(code) + "; what it said is in "
                + log);
    if (output)
        *output = text;
    return {};
}

// The tags' reflogs are the ledger here: they tell how often each was made.
Status Examples::makeRepository(const std::string& from)
{
    namespace fs = std::filesystem;
    m_repository = fs::absolute(m_stage.options().folder + "/repository").string();
    std::error_code error;
    fs::create_directories(m_repository, error);
    if (error)
        return makeError(ErrorKind::Io, "cannot make the folder " + m_repository + ": " + error.message());
    if (!from.empty()) {
        CAIRN_TRY(git({"clone", "--quiet", "--no-tags", fs::absolute(from).string(), m_repository}));
    } else {
        CAIRN_TRY(git({"init", "--quiet"}));
        std::ofstream(m_repository + "/counter.c") << "int next(int value)\n{\n    return value + 1;\n}\n";
        CAIRN_TRY(git({"add", "--all"}));
        CAIRN_TRY(git({"commit", "--quiet", "--message", "Count"}));
        fs::copy(m_definitions, m_repository + "/workflows", fs::copy_options::recursive, error);
        if (error)
            return makeError(ErrorKind::Io, "cannot copy " + m_definitions + ": " + error.message());
        CAIRN_TRY(git({"add", "--all"}));
        CAIRN_TRY(git({"commit", "--quiet", "--message", "Add the workflows"}));
    }
    return git({"config", "core.logAllRefUpdates", "always"});
}

Status Examples::prepare(const std::string& repository)
{
    std::vector<std::string> command{"workflow", "add"};
    for (const Example kind : {Example::Purchase, Example::RepoReview, Example::Research})
        for (const auto& file : filesOf(kind))
            command.push_back(m_definitions + "/" + file);
    int code = 0;
    const std::string output = m_stage.cli(command, &code);
    if (code != 0)
        return makeError(ErrorKind::Refused,
            "the example workflows in " + m_definitions + " were not taken: " + visibleLine(output));
    m_stage.mode("payments", "keyless");
    return makeRepository(repository);
}

ExampleRun& Examples::start(Example kind, Wish wish)
{
    const std::string number = std::to_string(++m_started);
    ExampleRun run;
    run.kind = kind;
    run.wish = wish;
    std::string input;
    switch (kind) {
    case Example::Purchase:
        run.name = "PO-" + number;
        input = R"({"order":")" + run.name + R"(","item":"laptop )" + number + R"(","quantity":)"
            + std::to_string(1 + m_started % 5) + R"(,"limit":"20000.00","currency":"EUR"})";
        break;
    case Example::RepoReview:
        run.name = "reviewed-" + number;
        input = R"({"repository":)" + jsonQuote(m_repository) + R"(,"tag":")" + run.name + R"("})";
        break;
    case Example::Research:
        run.name = "question " + number;
        input = R"({"question":")" + run.name + R"(","width":3})";
        break;
    }
    run.run = m_stage.start(workflowOf(kind), run.name, input);
    return m_runs[run.run] = run;
}

void Examples::operate(std::size_t most)
{
    ListTerm term;
    term.reason = kForPeople;
    term.unfinishedOnly = true;
    const auto page = m_stage.store().list({term}, ListOrder::AttentionThenOldest, std::nullopt, kPage);
    if (!page) {
        m_stage.broken(page.error().text);
        return;
    }
    std::size_t acts = 0;
    for (const ListRow& row : page->rows) {
        // The machine moves next where it is being looked up, for example.
        if (row.attention == Attention::Machine || m_unforeseen.contains(row.run) || acts++ >= most)
            continue;
        row.reason == Reason::Approval ? decide(row) : settle(row);
    }
    for (auto& [id, run] : m_runs)
        if (run.wish == Wish::TakeBack && !run.cancelled)
            takeBack(run);
}

void Examples::decide(const ListRow& row)
{
    const auto found = m_runs.find(row.run);
    const bool consents = found == m_runs.end() || found->second.wish != Wish::Refuse;
    ++m_approvals;
    m_stage.act({consents ? "approve" : "reject", toText(row.run), row.step});
    m_stage.remember(row.run);
}

// As somebody does who looks at the provider before saying anything.
void Examples::settle(const ListRow& row)
{
    ++m_settled[std::string(key(row.reason))];
    ++m_stage.now().parked;
    const auto found = m_runs.find(row.run);
    if (row.reason == Reason::AttemptsExhausted) {
        // A git that was killed may have left the lock of its tag; nobody else works on that tag.
        if (found != m_runs.end() && found->second.kind == Example::RepoReview) {
            std::error_code none;
            std::filesystem::remove(m_repository + "/.git/refs/tags/" + found->second.name + ".lock", none);
        }
        m_stage.act({"retry", toText(row.run), row.step});
    } else if (row.reason == Reason::OutcomeUnknown && found != m_runs.end()) {
        const ExampleRun& run = found->second;
        const bool happened = run.kind == Example::Purchase ? paymentsOf(run) > 0 : tagUpdates(run.name) > 0;
        std::vector<std::string> command{"settle", toText(row.run), row.step,
            happened ? "--happened" : "--did-not-happen", "--evidence", "seen at the provider"};
        if (happened)
            command.insert(command.end(), {"--output", R"({"found":"at the provider"})"});
        m_stage.act(command);
    } else {
        m_unforeseen.insert(row.run);
        m_stage.broken("nobody foresaw this wait: " + shown(row));
    }
    m_stage.remember(row.run);
}

// The run may have ended meanwhile; then it is refused, and nothing is to be taken back.
void Examples::takeBack(ExampleRun& run)
{
    if (paymentsOf(run) == 0)
        return;
    int code = 0;
    const std::string output =
        m_stage.cli({"cancel", toText(run.run), "--reason", "the order was taken back"}, &code);
    ++m_stage.now().manualSteps;
    run.cancelled = true;
    m_stage.expect(
        code == 0 || finished(run), "a run under way could not be cancelled: " + visibleLine(output));
}

bool Examples::finished(const ExampleRun& run)
{
    const auto row = m_stage.row(run.run);
    return row && isFinished(row->activity);
}

std::size_t Examples::paymentsOf(const ExampleRun& run) const
{
    const auto lines = m_stage.ledger();
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(),
        [&](const LedgerLine& line) { return line.name == "payments" && line.key == "order:" + run.name; }));
}

std::size_t Examples::tagUpdates(const std::string& tag) const
{
    std::ifstream log(m_repository + "/.git/logs/refs/tags/" + tag);
    std::string line;
    std::size_t count = 0;
    while (std::getline(log, line))
        ++count;
    return count;
}

void Examples::check(const ExampleRun& given)
{
    const ExampleRun run = m_runs[given.run];  // with what the operator did
    const auto row = m_stage.row(run.run);
    const Activity ended = row ? row->activity : Activity::Queued;
    const bool asWished = ended == Activity::Completed || (run.cancelled && ended == Activity::Compensated);
    m_stage.expect(asWished,
        std::string(workflowOf(run.kind)) + " " + run.name + " (" + toText(run.run) + ") is "
            + (row ? std::string(key(row->activity)) + " " + std::string(key(row->reason))
                   : "not in the list"));
    m_stage.countAttempts(run.run);
    m_stage.remember(run.run);
    if (run.kind == Example::Purchase)
        checkPurchase(run, ended);
    else if (run.kind == Example::RepoReview)
        checkReview(run);
    if (run.kind != Example::Research)
        checkApproval(run);
}

// One was asked for, and it says what the operator said.
void Examples::checkApproval(const ExampleRun& run)
{
    const auto rows = m_stage.store().approvals(run.run);
    const bool one = rows && rows->size() == 1;
    const ApprovalState state = one ? rows->front().state : ApprovalState::Pending;
    const bool right = run.wish == Wish::Refuse
        ? state == ApprovalState::Rejected
        : state == ApprovalState::Approved || state == ApprovalState::Used;
    m_stage.expect(one && right,
        run.name + ": one approval was to be decided; found " + std::to_string(rows ? rows->size() : 0)
            + (one ? ", " + std::string(key(state)) : ""));
}

void Examples::checkPurchase(const ExampleRun& run, Activity ended)
{
    const std::size_t expected = run.wish == Wish::Refuse ? 0 : 1;
    const std::size_t found = paymentsOf(run);
    m_stage.expect(found == expected,
        run.name + ": the provider made " + std::to_string(found) + " payments, expected "
            + std::to_string(expected));
    checkStoreLedger(run, "pay", expected);
    m_payments += static_cast<std::uint32_t>(expected);
    if (ended != Activity::Compensated)
        return;
    ++m_refunds;
    checkStoreLedger(run, "refund", 1);
}

void Examples::checkReview(const ExampleRun& run)
{
    const std::size_t expected = run.wish == Wish::Refuse ? 0 : 1;
    const std::size_t found = tagUpdates(run.name);
    m_stage.expect(found == expected,
        "the tag " + run.name + " was made " + std::to_string(found) + " times, expected "
            + std::to_string(expected));
    checkStoreLedger(run, "tag", expected);
    m_tags += static_cast<std::uint32_t>(expected);
    m_stage.now().effects += static_cast<std::uint32_t>(found);
    if (found > expected)
        m_stage.now().duplicateEffects += static_cast<std::uint32_t>(found - expected);
}

void Examples::checkStoreLedger(const ExampleRun& run, const char* tool, std::size_t expected)
{
    const auto rows = m_stage.store().effectsOfRun(run.run);
    if (!rows) {
        m_stage.broken(rows.error().text);
        return;
    }
    const auto done = std::count_if(rows->begin(), rows->end(),
        [&](const EffectRow& row) { return row.tool == tool && row.state == LedgerState::Completed; });
    m_stage.expect(static_cast<std::size_t>(done) == expected,
        run.name + ": Cairn's ledger has " + std::to_string(done) + " of " + tool + ", expected "
            + std::to_string(expected));
}

void Examples::checkNothingElse()
{
    m_stage.expect(m_stage.effectsOf("payments") == m_payments,
        "the provider made " + std::to_string(m_stage.effectsOf("payments")) + " payments in all, expected "
            + std::to_string(m_payments));
    m_stage.expect(m_stage.effectsOf("refunds") == m_refunds,
        "the provider made " + std::to_string(m_stage.effectsOf("refunds")) + " refunds in all, expected "
            + std::to_string(m_refunds));
    std::string text;
    if (auto listed =
            git({"for-each-ref", "--format=%(refname:short) %(objecttype) %(contents:subject)", "refs/tags"},
                &text);
        !listed) {
        m_stage.broken(listed.error().text);
        return;
    }
    std::set<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.insert(line);
    std::uint32_t annotated = 0;
    for (const auto& [id, run] : m_runs)
        if (run.kind == Example::RepoReview && run.wish != Wish::Refuse)
            annotated += lines.contains(run.name + " tag Reviewed as " + run.name) ? 1 : 0;
    m_stage.expect(annotated == m_tags && lines.size() == m_tags,
        "the repository has " + std::to_string(lines.size()) + " tags, " + std::to_string(annotated)
            + " of them as they were agreed to, expected " + std::to_string(m_tags));
}

}  // namespace cairn::drill
