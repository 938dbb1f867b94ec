// The workflows that the drill runs. The provider's address reaches the tools by the environment
// (CAIRN_PROVIDER).

#include "core/report/drill_stage.h"

#include <map>

namespace cairn::drill {

namespace {

// Written with ' for ", which JSON never needs here.
std::string json(std::string text)
{
    for (char& c : text)
        c = c == '\'' ? '"' : c;
    return text;
}

// Engines are killed under the same call as often as chance has it: that must not use up its attempts.
std::string http(const std::string& name, const std::string& safety, const std::string& more = {})
{
    return "'" + name + "':{'safety':'" + safety
        + "','executor':'http','settings':{'url':'${env.CAIRN_PROVIDER}/do/" + name + "'},'resource':'" + name
        + "','retry':{'attempts':4,'lost':1000,'first_delay':'100ms','max_delay':'500ms'}" + more + "}";
}

std::string shell(const std::string& name, const std::string& script, const std::string& more = {})
{
    return "'" + name + "':{'safety':'read_only','executor':'command','settings':{'argv':['/bin/sh','-c','"
        + script + "']}" + more + "}";
}

const std::string kLookUp = ",'look_up':{'url':'${env.CAIRN_PROVIDER}/seen/${key}'}";
const std::string kAmount = ",'amount':{'at':'/amount','currency':'EUR'}";
const std::string kEcho = "'note':{'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}";

std::string workflow(
    const std::string& name, const std::string& tools, const std::string& steps, const std::string& more = {})
{
    return json("{'schema':'urn:cairn:workflow:1','name':'" + name
        + "','version':1,'agents':['coordinator','researcher','buyer',"
          "'auditor','reporter'],"
        + more + "'tools':{" + tools + "},'steps':[" + steps + "]}");
}

std::string chain(int steps)
{
    std::string text;
    for (int i = 1; i <= steps; ++i)
        text += std::string(i > 1 ? "," : "") + "{'name':'s" + std::to_string(i)
            + "','tool':'note','input':{'n':" + std::to_string(i) + "}"
            + (i > 1 ? ",'after':['s" + std::to_string(i - 1) + "']" : "") + "}";
    return text;
}

const std::string kOrder = "'input':{'amount':{'$from':'input','at':'/amount'}}";
// Its answer says what the call used; until then the worst case is reserved.
const std::string kModel = http("model", "read_only",
    ",'worst_case':[{'tokens':1000},{'amount':'0.01','currency':'EUR'}],"
    "'usage':{'tokens':'/usage/tokens','EUR':'/usage/cost'}");
const std::string kModelBudget = "'budget':[{'tokens':100000},{'amount':'1.00','currency':'EUR'}],";
const std::string kPay = http("pay", "irreversible", kLookUp + kAmount);
const std::string kBlindPay = http("blind-pay", "irreversible");
const std::string kNote = "{'name':'report','tool':'note','agent':'reporter','after':['";

const std::map<std::string, std::string>& all()
{
    static const std::map<std::string, std::string> workflows{
        // Seven transitions by five agents: a plan, the order's message, a quote, a choice, a payment that a
        // person agrees to, a pause of 24 hours, a report.
        {"drill-agents",
            workflow("drill-agents", kModel + "," + http("quote", "read_only") + "," + kPay + "," + kEcho,
                "{'name':'plan','kind':'decision','tool':'model','agent':'coordinator','input':{'ask':'plan'}"
                "},"
                "{'name':'order','kind':'signal','signal':'order','agent':'researcher','after':['plan']},"
                "{'name':'quote','tool':'quote','agent':'researcher','after':['order'],'input':{'for':{'$"
                "from'"
                ":'order','at':'/item'}}},"
                "{'name':'decide','kind':'decision','tool':'model','agent':'coordinator','after':['quote'],'"
                "input':{'ask':'which','of':{'$from':'quote','at':'/number'}}},"
                "{'name':'pay','tool':'pay','agent':'buyer','after':['decide'],'approval':{'role':'finance','"
                "expires':'2h'},"
                    + kOrder
                    + "},"
                      "{'name':'hold','kind':'timer','agent':'auditor','after':['pay'],'wait':'24h'},"
                    + kNote + "hold'],'input':{'done':true}}",
                kModelBudget)},
        {"drill-signal",
            workflow("drill-signal", kEcho,
                "{'name':'first','kind':'signal','signal':'paid'},{'name':'second','kind':'signal','signal':'"
                "paid','after':['first']},"
                    + kNote + "second']}")},
        {"drill-chain", workflow("drill-chain", kEcho, chain(12))},
        {"drill-pay",
            workflow("drill-pay", kPay + "," + kEcho,
                "{'name':'pay','tool':'pay','agent':'buyer'," + kOrder + "}," + kNote + "pay']}")},
        {"drill-blind",
            workflow("drill-blind", kBlindPay + "," + kEcho,
                "{'name':'pay','tool':'blind-pay','agent':'buyer'," + kOrder + "}," + kNote + "pay']}")},
        {"drill-load",
            workflow("drill-load", kModel + "," + http("reserve", "repeatable") + "," + kPay + "," + kEcho,
                "{'name':'plan','kind':'decision','tool':'model','agent':'coordinator','input':{'ask':'plan'}"
                "},"
                "{'name':'reserve','tool':'reserve','agent':'buyer','after':['plan'],"
                    + kOrder
                    + "},"
                      "{'name':'pay','tool':'pay','agent':'buyer','after':['reserve'],"
                    + kOrder + "}," + kNote + "pay']}",
                kModelBudget)},
        // One for each reason that a run may wait for.
        {"stuck-approval",
            workflow("stuck-approval", kPay,
                "{'name':'pay','tool':'pay','agent':'buyer','approval':{'role':'finance','expires':'8h'},"
                    + kOrder + "}")},
        {"stuck-unserved",
            workflow("stuck-unserved", kEcho, "{'name':'look','tool':'note','agent':'researcher'}")},
        {"stuck-exhausted",
            workflow("stuck-exhausted",
                shell("fetch", "echo host ledger.example not found >&2; exit 75",
                    ",'retry':{'attempts':2,'first_delay':'10ms'}"),
                "{'name':'fetch','tool':'fetch','agent':'researcher'}")},
        {"stuck-credential",
            workflow("stuck-credential", shell("login", "echo token expired >&2; exit 77"),
                "{'name':'login','tool':'login','agent':'buyer'}")},
        {"stuck-rejected",
            workflow("stuck-rejected",
                shell("validate", "echo /items/0/sku: expected text, got number >&2; exit 65"),
                "{'name':'validate','tool':'validate'}")},
        {"stuck-retry",
            workflow("stuck-retry",
                shell("flaky", "echo connection reset >&2; exit 75",
                    ",'retry':{'attempts':9,'first_delay':'6h','max_delay':'12h','max_total':'9d'}"),
                "{'name':'flaky','tool':'flaky'}")},
        {"stuck-limited",
            workflow("stuck-limited", http("throttled", "repeatable"),
                "{'name':'call','tool':'throttled','input':{'n':1}}")},
        // The second analysis does not fit beside what is reserved for the first, whose outcome is not known
        // yet.
        {"stuck-budget",
            workflow("stuck-budget",
                shell("model", "sleep 600", ",'timeout':'1h','worst_case':[{'tokens':40000}]"),
                "{'name':'first','kind':'decision','tool':'model','agent':'coordinator'},"
                "{'name':'second','kind':'decision','tool':'model','agent':'coordinator'}",
                "'budget':[{'tokens':50000}],")},
        {"stuck-deadline",
            workflow("stuck-deadline", kEcho, "{'name':'wait','kind':'signal','signal':'delivered'}",
                "'deadline':'1s',")},
        {"stuck-timer", workflow("stuck-timer", kEcho, "{'name':'hold','kind':'timer','wait':'24h'}")},
        {"stuck-signal",
            workflow(
                "stuck-signal", kEcho, "{'name':'wait','kind':'signal','signal':'delivered','wait':'72h'}")},
        {"stuck-parent",
            workflow("stuck-parent", kEcho,
                "{'name':'audit','kind':'run','agent':'auditor','workflow':'stuck-approval','input':{'amount'"
                ":'40.00'}}")},
        {"stuck-failed-child",
            workflow("stuck-failed-child", kEcho,
                "{'name':'audit','kind':'run','agent':'auditor','workflow':'ends-failed'}")},
        {"ends-failed",
            workflow("ends-failed", shell("fails", "echo no such account >&2; exit 1"),
                "{'name':'fails','tool':'fails'}", "'on_failure':'close',")},
        {"stuck-slow",
            workflow("stuck-slow", shell("slow", "sleep 600", ",'timeout':'1h'"),
                "{'name':'slow','tool':'slow','agent':'researcher'}")},
        {"stuck-slot",
            workflow("stuck-slot", shell("render", "sleep 600", ",'timeout':'1h','resource':'renderer'"),
                "{'name':'render','tool':'render'}", "'limits':{'renderer':{'slots':1}},")},
        {"stuck-same-effect",
            workflow("stuck-same-effect", http("charge", "irreversible", ",'effect_key':'order-${/order}'"),
                "{'name':'charge','tool':'charge','agent':'buyer','input':{'order':{'$from':'input','at':'/"
                "order'},'amount':{'$from':'input','at':'/amount'}}}")},
        {"undo",
            workflow("undo",
                http("book", "repeatable",
                    ",'undo':{'tool':'unbook','input':{'booking':{'$from':'input','at':''}}}")
                    + "," + http("unbook", "repeatable"),
                "{'name':'book','tool':'book','input':{'n':1}},{'name':'wait','kind':'signal','signal':'go','"
                "after':['book']}",
                "'on_cancel':'compensate',")},
        {"stuck-undo",
            workflow("stuck-undo",
                http("book", "repeatable", ",'undo':{'tool':'unbook-stuck','input':{'n':1}}") + ","
                    + http("unbook-stuck", "repeatable"),
                "{'name':'book','tool':'book','input':{'n':2}},{'name':'wait','kind':'signal','signal':'go','"
                "after':['book']}",
                "'on_cancel':'compensate',")},
    };
    return workflows;
}

}  // namespace

std::string workflowText(const std::string& name)
{
    const auto found = all().find(name);
    return found == all().end() ? std::string{} : found->second;
}

std::vector<std::string> workflowNames()
{
    std::vector<std::string> names;
    for (const auto& [name, text] : all())
        names.push_back(name);
    return names;
}

}  // namespace cairn::drill
