#include "core/report/repairs.h"

#include "core/base/shell.h"
#include "core/base/text.h"
#include "core/report/drill_stage.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cairn {

namespace {

using namespace drill;
using Json = nlohmann::json;

const std::string kUnserved = "repair-worker";

// Written with ' for ", which none of it needs.
std::string workflowOf(
    const std::string& name, const std::string& tools, const std::string& steps, const std::string& more = {})
{
    std::string text = "{'schema':'urn:cairn:workflow:1','name':'" + name + "','version':1," + more
        + "'tools':{'note':{'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}" + tools
        + "},'steps':[" + steps + "]}";
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

std::string shell(const std::string& name, const std::string& script, const std::string& more = {})
{
    return ",'" + name + "':{'safety':'read_only','executor':'command','settings':{'argv':['/bin/sh','-c','"
        + script + "'],'env':['CAIRN_REPAIRED']},'retry':{'attempts':1}" + more + "}";
}

std::string pay(const std::string& name)
{
    return ",'" + name
        + "':{'safety':'irreversible','executor':'http','settings':{'url':'${env.CAIRN_PROVIDER}/do/" + name
        + "'}}";
}

const std::string kAmount = "'input':{'amount':{'$from':'input','at':'/amount'}}";

std::string reportAfter(const std::string& step)
{
    return ",{'name':'report','tool':'note','after':['" + step + "'],'after_skipped':true,'input':{'of':'"
        + step + "'}}";
}

// What was missing, and is there once somebody has seen to it: a file beside the provider's ledger, named to
// the tools through the engine's environment.
std::string needs(const std::string& what, int otherwise)
{
    // A path may have blanks: the shell is told not to take it apart.
    return "set -f; IFS=; test -e $$CAIRN_REPAIRED." + what + " && echo {} || exit "
        + std::to_string(otherwise);
}

struct Case {
    Reason reason;
    Verb verb;
    std::string workflow;
    std::string text;              // of the workflow
    std::vector<std::string> act;  // verb and arguments; RUN stands for the run
    std::string proven;            // the step that a receipt is made of
    std::string signal;            // sent after the repair, for the run to end; empty: none
    std::string mended;            // what is seen to before the repair (needs); empty: nothing
};

Case approval()
{
    return {Reason::Approval, Verb::Approve, "repair-approval",
        workflowOf("repair-approval", pay("pay"),
            "{'name':'pay','tool':'pay','approval':{'role':'finance','expires':'8h'}," + kAmount + "}"
                + reportAfter("pay")),
        {"approve", "RUN"}, "pay", "", ""};
}

Case unknown()
{
    return {Reason::OutcomeUnknown, Verb::Settle, "repair-unknown",
        workflowOf("repair-unknown", pay("blind-pay"),
            "{'name':'pay','tool':'blind-pay'," + kAmount + "}" + reportAfter("pay")),
        {"settle", "RUN", "pay", "--happened", "--output", R"({"seen":"in the provider's ledger"})",
            "--evidence", "one line in the provider's ledger"},
        "pay", "", ""};
}

std::vector<Case> brokenTools()
{
    return {
        {Reason::AttemptsExhausted, Verb::Retry, "repair-exhausted",
            workflowOf("repair-exhausted", shell("fetch", needs("source", 75)),
                "{'name':'fetch','tool':'fetch'}" + reportAfter("fetch")),
            {"retry", "RUN", "fetch"}, "fetch", "", "source"},
        {Reason::Credential, Verb::Retry, "repair-credential",
            workflowOf("repair-credential", shell("login", needs("token", 77)),
                "{'name':'login','tool':'login'}" + reportAfter("login")),
            {"retry", "RUN", "login"}, "login", "", "token"},
        {Reason::Incompatible, Verb::Amend, "repair-input",
            workflowOf("repair-input", shell("validate", "grep -q elsewhere && echo {} || exit 65"),
                "{'name':'validate','tool':'validate','input':{'from':'there'}}" + reportAfter("validate")),
            {"amend", "RUN", "validate", "--input", R"({"from":"elsewhere"})"}, "validate", "", ""},
        {Reason::FailedChild, Verb::Skip, "repair-parent",
            workflowOf("repair-parent", "",
                "{'name':'audit','kind':'run','workflow':'repair-child'}" + reportAfter("audit")),
            {"skip", "RUN", "audit"}, "report", "", ""},
    };
}

std::vector<Case> limits()
{
    return {
        {Reason::Budget, Verb::Budget, "repair-budget",
            workflowOf("repair-budget",
                shell("ask", "echo {}", ",'worst_case':[{'amount':'0.80','currency':'EUR'}]"),
                "{'name':'first','kind':'decision','tool':'ask'},"
                "{'name':'second','kind':'decision','tool':'ask','after':['first']}",
                "'budget':[{'amount':'1.00','currency':'EUR'}],"),
            {"budget", "RUN", "1.60 EUR"}, "second", "", ""},
        {Reason::Deadline, Verb::Deadline, "repair-deadline",
            workflowOf("repair-deadline", "",
                "{'name':'wait','kind':'signal','signal':'delivered'}" + reportAfter("wait"),
                "'deadline':'1s',"),
            {"deadline", "RUN", "1h"}, "report", "delivered", ""},
        {Reason::Paused, Verb::Resume, "repair-paused",
            workflowOf("repair-paused", "",
                "{'name':'wait','kind':'signal','signal':'delivered'}" + reportAfter("wait")),
            {"resume", "RUN"}, "report", "delivered", ""},
        {Reason::Worker, Verb::Record, kUnserved, workflowOf(kUnserved, "", "{'name':'look','tool':'note'}"),
            {"record", "RUN", "look", "--output", R"({"looked":"by hand"})"}, "look", "", ""},
    };
}

std::vector<Case> allCases()
{
    std::vector<Case> all{approval(), unknown()};
    for (auto&& more : {brokenTools(), limits()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::string joined(const std::vector<std::string>& words, const std::string& run)
{
    std::string text = "cairn";
    for (const std::string& word : words)
        text += " " + (word == "RUN" ? run : shellWord(word));
    return text;
}

class Repairer {
public:
    explicit Repairer(Stage& stage)
        : m_stage(stage)
        , m_folder(stage.options().folder)
    {
    }

    // Empty: all is set up.
    std::string prepare(const std::vector<Case>& cases)
    {
        std::error_code error;
        const std::string folder = std::filesystem::absolute(m_folder, error).string();
        m_stage.environment.emplace_back("CAIRN_REPAIRED", folder + "/repaired");
        // What this client remembers of stores is not to be mixed with what its user's remembers.
        m_stage.environment.emplace_back("XDG_STATE_HOME", folder + "/state");
        std::vector<std::string> add{"workflow", "add"};
        const std::string child =
            workflowOf("repair-child", shell("fails", "echo no such account >&2; exit 1"),
                "{'name':'fails','tool':'fails'}", "'on_failure':'close',");
        if (!write("repair-child.json", child))
            return "cannot write into " + m_folder;
        add.push_back(m_folder + "/repair-child.json");
        for (const Case& c : cases) {
            if (!write(c.workflow + ".json", c.text))
                return "cannot write into " + m_folder;
            add.push_back(m_folder + "/" + c.workflow + ".json");
        }
        if (!answered(add))
            return m_why;
        m_key = m_folder + "/witness.key";
        const auto made = answered({"audit", "key", "new", m_key});
        if (made)
            m_public = made->value("key", "");
        return made ? std::string() : m_why;
    }

    Repair repair(const Case& c)
    {
        Repair done;
        done.reason = c.reason;
        m_stage.begin("repair: " + std::string(key(c.reason)));
        m_done = &done;
        if (c.reason == Reason::OutcomeUnknown)
            m_stage.mode("blind-pay", "do-then-drop@1");
        done.run = m_stage.start(c.workflow, "repair " + std::string(key(c.reason)), R"({"amount":"12.50"})");
        done.command = joined(c.act, toText(done.run));
        if (stuck(c) && act(c) && moved(c))
            prove(c);
        m_stage.finish();
        if (done.problem.empty() && !m_stage.now().passed)
            done.problem = m_stage.now().failures.front().text;
        return done;
    }

    // Of the store as a whole, when all is done. Empty: it holds.
    std::string proveStore()
    {
        return answered({"verify"}) && answered({"audit", "verify"}) ? std::string() : m_why;
    }

private:
    [[nodiscard]] bool write(const std::string& name, const std::string& text) const
    {
        std::ofstream out(m_folder + "/" + name);
        out << text;
        out.close();
        return static_cast<bool>(out);
    }

    // What a command answered; nullopt: it did not end with 0, and `m_why` says what it said.
    std::optional<Json> answered(const std::vector<std::string>& words)
    {
        int code = 0;
        const std::string output = m_stage.cli(words, &code);
        std::optional<Json> answer;
        if (code == 0) {
            answer.emplace(Json::parse(output, nullptr, false));
            if (!answer->is_object())
                *answer = Json::object();
            return answer;
        }
        m_why = "`" + joined(words, "RUN") + "` ended with " + std::to_string(code) + ": "
            + visibleLine(clipped(output, 600));
        return answer;
    }

    bool held(bool holds, const char* proof, const std::string& otherwise)
    {
        if (holds)
            m_done->proofs.emplace_back(proof);
        else
            m_done->problem = std::string(proof) + ": " + otherwise;
        return holds;
    }
    bool failed(const std::string& what)
    {
        m_done->problem = what;
        return false;
    }

    bool stuck(const Case& c)
    {
        const RunId& run = m_done->run;
        if (c.reason == Reason::Paused) {
            if (!m_stage.awaitReason(run, Reason::Signal))
                return failed("the run that is to be paused does not wait for its signal");
            m_stage.act({"pause", toText(run)});
        }
        if (m_stage.awaitReason(run, c.reason))
            return true;
        const auto row = m_stage.row(run);
        return failed("the run is not stuck as it should be, for " + std::string(key(c.reason)) + ": it is "
            + (row ? std::string(key(row->activity)) + ", " + std::string(key(row->reason))
                   : std::string("not in the list")));
    }

    // The preview says what the act then does, and changes nothing.
    bool act(const Case& c)
    {
        std::vector<std::string> words = c.act;
        std::replace(words.begin(), words.end(), std::string("RUN"), toText(m_done->run));
        if (c.reason == Reason::OutcomeUnknown && m_stage.effectsOf("blind-pay") != 1)
            return failed("the provider's ledger does not have the one payment that is to be settled");
        words.insert(words.end(), {"--reason", "the repair that this situation asks for"});
        std::vector<std::string> preview = words;
        preview.emplace_back("--preview");
        const std::uint64_t before = m_stage.version(m_done->run);
        const auto told = answered(preview);
        const bool allowed = told && told->value("allowed", false) && told->contains("will_happen")
            && !(*told)["will_happen"].empty();
        if (!held(allowed && m_stage.version(m_done->run) == before, "preview",
                !told         ? m_why
                    : allowed ? "the run went on while it was only previewed"
                              : "it is not allowed, or does not say what will happen: "
                        + visibleLine(clipped(told->dump(), 600))))
            return false;
        if (!c.mended.empty() && !write("repaired." + c.mended, "seen to\n"))
            return failed("cannot write into " + m_folder);
        ++m_stage.now().manualSteps;
        const auto done = answered(words);
        return held(done && done->value("outcome", "") == "committed", "act",
            done ? "it was not committed: " + visibleLine(clipped(done->dump(), 600)) : m_why);
    }

    bool moved(const Case& c)
    {
        const RunId& run = m_done->run;
        if (!c.signal.empty()) {
            if (!m_stage.awaitReason(run, Reason::Signal))
                return failed("after the repair the run does not wait for its signal");
            if (!answered({"signal", toText(run), c.signal, "--id", "parcel 1", "--data", "{}"}))
                return failed(m_why);
        }
        const bool ended = m_stage.awaitActivity(run, Activity::Completed);
        const auto row = m_stage.row(run);
        return held(ended, "moved",
            "the run did not complete; it is "
                + (row ? std::string(key(row->activity)) + ", " + std::string(key(row->reason))
                       : std::string("not in the list")));
    }

    bool prove(const Case& c)
    {
        const std::string run = toText(m_done->run);
        const std::string base = m_folder + "/" + c.workflow;
        return held(answered({"verify", run}).has_value(), "run", m_why)
            && held(audited(c) && answered({"audit", "verify"}), "audit", m_why)
            && held(exported(run, base + ".zip"), "export", m_why)
            && held(answered({"receipt", run, c.proven, "--key", m_key, "-o", base + ".receipt"})
                    && answered({"receipt", "--check", base + ".receipt", "--signed-by", m_public}),
                "receipt", m_why);
    }

    bool exported(const std::string& run, const std::string& file)
    {
        if (!answered({"export", run, "-o", file, "--key", m_key, "--tree"}))
            return false;
        const auto verdict = answered({"verify", file, "--signed-by", m_public});
        if (verdict && verdict->value("clean", false))
            return true;
        if (verdict)
            m_why = visibleLine(clipped(verdict->dump(), 600));
        return false;
    }

    // The act is in the audit once, with its reason.
    bool audited(const Case& c)
    {
        const auto rows = m_stage.store().auditOfRun(m_done->run);
        if (!rows) {
            m_why = rows.error().text;
            return false;
        }
        const auto count = std::count_if(rows->begin(), rows->end(), [&](const AuditRow& row) {
            return row.verb == c.verb && row.kind == "applied"
                && row.reason == "the repair that this situation asks for";
        });
        m_why = "the audit has the act " + std::to_string(count) + " times";
        return count == 1;
    }

    Stage& m_stage;
    std::string m_folder;
    std::string m_key;
    std::string m_public;
    std::string m_why;
    Repair* m_done = nullptr;
};

}  // namespace

bool RepairReport::passed() const
{
    return problem.empty() && drill.passed && repairs.size() == kRepairs
        && std::all_of(repairs.begin(), repairs.end(), [](const Repair& repair) {
               return repair.problem.empty() && repair.proofs.size() == kRepairProofs;
           });
}

Result<RepairReport> runRepairs(const DrillOptions& options)
{
    Stage stage(options);
    CAIRN_TRY(stage.makeStore());
    const std::vector<Case> cases = allCases();
    RepairReport report;
    Repairer repairer(stage);
    report.problem = repairer.prepare(cases);
    if (!report.problem.empty())
        return report;
    // It serves every workflow but one, so that a run of that one has no eligible worker.
    std::vector<std::string> serves{"--serves", "repair-child"};
    for (const Case& c : cases)
        if (c.workflow != kUnserved)
            serves.insert(serves.end(), {"--serves", c.workflow});
    Process engine = stage.engine("repairs", {}, {}, serves);
    for (const Case& c : cases) {
        report.repairs.push_back(repairer.repair(c));
        if (!report.repairs.back().problem.empty())
            break;
    }
    stopEngine(engine);
    if (std::all_of(report.repairs.begin(), report.repairs.end(),
            [](const Repair& repair) { return repair.problem.empty(); })) {
        verifyAll(stage);
        report.problem = repairer.proveStore();
    }
    report.drill = summarised(stage);
    return report;
}

}  // namespace cairn
