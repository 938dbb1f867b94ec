#include "situations_scene.h"

#include "core/base/text.h"
#include "core/query/query.h"
#include "app/common/open_store.h"

#include <algorithm>
#include <csignal>
#include <fstream>

namespace cairn::ui::test {

namespace {

constexpr int kDrillMs = 240'000;
constexpr int kStuckMs = 60'000;

// Written with ' for ", which none of it needs.
std::string workflow(const std::string& name, int version, const std::string& tools, const std::string& steps)
{
    std::string text = "{'schema':'urn:cairn:workflow:1','name':'" + name
        + "','version':" + std::to_string(version) + ",'agents':['buyer','clerk'],"
        + "'tools':{'note':{'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}" + tools
        + "},'steps':[" + steps + "]}";
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

std::string http(const std::string& name, const std::string& safety, const std::string& more = {})
{
    return ",'" + name + "':{'safety':'" + safety
        + "','executor':'http','settings':{'url':'${env.CAIRN_PROVIDER}/do/" + name + "'}" + more + "}";
}

std::string shell(const std::string& name, const std::string& script, const std::string& more = {})
{
    return ",'" + name + "':{'safety':'read_only','executor':'command','settings':{'argv':['/bin/sh','-c','"
        + script + "'],'env':['CAIRN_SITUATIONS']},'retry':{'attempts':1}" + more + "}";
}

std::string reportAfter(const std::string& step)
{
    return ",{'name':'report','tool':'note','agent':'clerk','after':['" + step + "'],'input':{'of':'" + step
        + "'}}";
}

const std::string kMoney = ",'amount':{'at':'/amount','currency':'EUR'}";
const std::string kPaid =
    "'input':{'amount':{'$from':'input','at':'/amount'},'payee':{'$from':'input','at':'/payee'}}}";

std::string order(int version, const std::string& script)
{
    return workflow("order", version, shell("validate", script),
        "{'name':'validate','tool':'validate','input':{'items':{'$from':'input','at':'/items'}}}"
            + reportAfter("validate"));
}

}  // namespace

Scene::Scene(const QString& storeUrl, const QString& folder)
    : m_options([&] {
        DrillOptions options;
        options.storeUrl = storeUrl.toStdString();
        options.cairn = CAIRN_BIN_DIR "/cairn";
        options.effectd = CAIRN_BIN_DIR "/cairn-effectd";
        options.folder = folder.toStdString();
        options.open = [url = options.storeUrl] {
            StoreOptions how;
            how.sendsHints = true;
            return openStoreUrl(url, how);
        };
        return options;
    }())
    , m_stage(m_options)
{
}

Status Scene::open()
{
    CAIRN_TRY(makeStore());
    m_stage.begin("situations");
    CAIRN_TRY(m_stage.startProvider());
    CAIRN_TRY(m_stage.openStore());
    m_stage.environment.emplace_back("CAIRN_SITUATIONS", m_options.folder + "/state");
    CAIRN_TRY(addWorkflows());
    // It takes over what the drill's engine had under way.
    CAIRN_TRY(engine("w-18"));
    return waitForNone("wait:lease");
}

void Scene::close()
{
    for (auto& [name, process] : m_engines) {
        process.kill(SIGKILL);
        process.wait();
    }
    m_engines.clear();
}

Status Scene::makeStore()
{
    auto started = Process::start(
        {m_options.cairn, "--store", m_options.storeUrl, "--json", "drill", "--situations", "--seed", "3"},
        {}, m_options.folder + "/drill.log", true);
    if (!started)
        return std::move(started).error();
    const bool ended = m_stage.poll([&] { return started->ended(); }, kDrillMs);
    if (ended && started->wait() == 0)
        return {};
    return makeError(ErrorKind::Refused,
        "cairn drill --situations " + std::string(ended ? "failed" : "did not end") + ": see "
            + m_options.folder + "/drill.log");
}

Status Scene::addWorkflow(const std::string& file, const std::string& text)
{
    const std::string path = m_options.folder + "/" + file;
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out)
        return makeError(ErrorKind::Io, "cannot write " + path);
    return elsewhere({"workflow", "add", path});
}

Status Scene::addWorkflows()
{
    CAIRN_TRY(addWorkflow("refund.json",
        workflow("refund", 1, http("refund", "irreversible", kMoney),
            "{'name':'refund','tool':'refund','agent':'buyer','approval':{'role':'finance','expires':'40m'},"
                + kPaid + reportAfter("refund"))));
    CAIRN_TRY(addWorkflow("card-payment.json",
        workflow("card-payment", 1, http("charge-card", "irreversible", kMoney),
            "{'name':'charge-card','tool':'charge-card','agent':'buyer'," + kPaid
                + reportAfter("charge-card"))));
    CAIRN_TRY(addWorkflow("scan.json",
        workflow("scan", 1,
            shell("scan", "set -f; IFS=; until test -e $$CAIRN_SITUATIONS.scan; do sleep 0.2; done; echo {}",
                ",'timeout':'1h'"),
            "{'name':'scan','tool':'scan','agent':'clerk'}" + reportAfter("scan"))));
    CAIRN_TRY(addWorkflow("order-1.json",
        order(1,
            "set -f; grep -q sku.:.[A-Z] && echo {} || "
            "(echo /items/0/sku: expected text, got number >&2; exit 65)")));
    CAIRN_TRY(addWorkflow("price.json",
        workflow("price", 1, http("price", "read_only", ",'resource':'supplier-api'"),
            "{'name':'price','tool':'price','agent':'buyer','input':{'item':{'$from':'input','at':'/"
            "item'}}}")));
    return addWorkflow("prices.json",
        workflow("prices", 1, "",
            "{'name':'list','tool':'note','input':{'items':{'$from':'input','at':'/items'}}},"
            "{'name':'price','kind':'run','agent':'buyer','after':['list'],"
            "'for_each':{'from':'list','at':'/items','max_items':1000},'workflow':'price',"
            "'input':{'item':{'$from':'item'}}}"));
}

// It serves all workflows but the one that the drill leaves without a worker.
Status Scene::engine(const std::string& name)
{
    std::vector<std::string> more{"--concurrency", "32"};
    for (const std::string& workflow : drill::workflowNames())
        if (workflow != "stuck-unserved")
            more.insert(more.end(), {"--serves", workflow});
    for (const char* workflow : {"refund", "card-payment", "scan", "order", "price", "prices"})
        more.insert(more.end(), {"--serves", workflow});
    m_engines[name] = m_stage.engine(name, {}, {}, more);
    return broken();
}

// What the stage has found to be wrong.
Status Scene::broken()
{
    const auto& failures = m_stage.now().failures;
    return failures.empty() ? Status{} : makeError(ErrorKind::Refused, failures.front().text);
}

Status Scene::elsewhere(const std::vector<std::string>& arguments)
{
    int code = 0;
    const std::string output = m_stage.cli(arguments, &code);
    if (code != 0)
        return makeError(ErrorKind::Refused,
            "`cairn " + arguments.front() + "` ended with " + std::to_string(code) + ": "
                + visibleLine(clipped(output, 600)));
    return broken();
}

std::uint64_t Scene::count(const std::string& filter)
{
    const ParsedFilter parsed = parseFilter(filter, m_clock.wallMs());
    if (parsed.error)
        return 0;
    const auto counted = Query(m_stage.store(), m_clock).count(parsed.filter);
    return counted ? *counted : 0;
}

Status Scene::waitFor(const std::string& filter, std::uint64_t wanted)
{
    std::uint64_t have = 0;
    const auto there = [&] { return (have = count(filter)) >= wanted; };
    if (m_stage.poll(there, kStuckMs))
        return broken();
    return makeError(ErrorKind::Refused,
        "only " + std::to_string(have) + " of " + std::to_string(wanted) + " runs became " + filter);
}

Status Scene::waitForNone(const std::string& filter)
{
    if (m_stage.poll([&] { return count(filter) == 0; }, kStuckMs))
        return broken();
    return makeError(ErrorKind::Refused, std::to_string(count(filter)) + " runs are still " + filter);
}

Status Scene::askForRefunds(int wanted)
{
    for (int i = 0; i < wanted; ++i)
        static_cast<void>(m_stage.start("refund", "refund R-" + std::to_string(101 + i),
            R"({"amount":")" + std::to_string(510 + 10 * i) + R"(.00","payee":"Northfield Seating"})"));
    return waitFor("def:refund wait:approval", static_cast<std::uint64_t>(wanted));
}

Status Scene::loseTheAnswer()
{
    m_stage.mode("charge-card", "do-then-drop@1");
    static_cast<void>(
        m_stage.start("card-payment", "checkout C-77", R"({"amount":"240.00","payee":"Harbour Hotel"})"));
    return waitFor("def:card-payment wait:outcome_unknown", 1);
}

Status Scene::loseTheWorker(int wanted)
{
    for (int i = 0; i < wanted; ++i)
        static_cast<void>(m_stage.start("scan", "scan " + std::to_string(i + 1), "{}"));
    CAIRN_TRY(waitFor("def:scan state:executing", static_cast<std::uint64_t>(wanted)));
    // Nobody is left to take over: another engine on this host would, at once.
    close();
    return waitFor("def:scan wait:lease", static_cast<std::uint64_t>(wanted));
}

Status Scene::startAnotherWorker()
{
    std::ofstream(m_options.folder + "/state.scan") << "seen to\n";
    return engine("w-22");
}

Status Scene::sendWrongOrders(int wanted)
{
    for (int i = 0; i < wanted; ++i)
        static_cast<void>(m_stage.start("order@1", "order " + std::to_string(58'201 + i),
            R"({"items":[{"sku":)" + std::to_string(4711 + i) + "}]}"));
    CAIRN_TRY(addWorkflow("order-2.json", order(2, "cat >&2; echo {}")));
    return waitFor("def:order wait:incompatible", static_cast<std::uint64_t>(wanted));
}

Status Scene::throttle(int wanted)
{
    m_stage.mode("price", "429:10");
    std::string items = "[1";
    for (int i = 2; i <= wanted; ++i)
        items += "," + std::to_string(i);
    static_cast<void>(m_stage.start("prices", "nightly prices", R"({"items":)" + items + "]}"));
    return waitFor("def:price wait:resource", static_cast<std::uint64_t>(wanted));
}

void Scene::providerIsWell() { m_stage.mode("price", "ok"); }

std::vector<AuditRow> Scene::acts(const RunId& run, Verb verb, const std::string& reason)
{
    auto rows = m_stage.store().auditOfRun(run);
    if (!rows)
        return {};
    std::erase_if(*rows, [&](const AuditRow& row) {
        return row.verb != verb || row.kind != "applied" || row.reason != reason;
    });
    return *std::move(rows);
}

std::uint64_t Scene::actsInAll(Verb verb, const std::string& reason)
{
    std::uint64_t found = 0;
    for (std::uint64_t after = 0;;) {
        const auto rows = m_stage.store().audit(after, 1000);
        if (!rows || rows->empty())
            return found;
        for (const AuditRow& row : *rows)
            found += row.verb == verb && row.kind == "applied" && row.reason == reason ? 1 : 0;
        after = rows->back().seq;
    }
}

}  // namespace cairn::ui::test
