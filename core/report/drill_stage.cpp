#include "core/report/drill_stage.h"

#include "core/base/text.h"

#include <curl/curl.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <set>
#include <sstream>

namespace cairn::drill {

namespace {

constexpr int kPollMs = 2;
constexpr int kRecoveryLimitMs = 60'000;

Status post(const std::string& url, const std::string& body)
{
    const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
    std::string answer;
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_COPYPOSTFIELDS, body.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, 5000L);
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(
        curl.get(), CURLOPT_WRITEFUNCTION, +[](char* data, std::size_t size, std::size_t count, void* out) {
            static_cast<std::string*>(out)->append(data, size * count);
            return size * count;
        });
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
    const CURLcode code = curl_easy_perform(curl.get());
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK || status >= 300)
        return makeError(ErrorKind::Io,
            "the provider did not take " + url + ": "
                + (code != CURLE_OK ? curl_easy_strerror(code) : std::to_string(status) + " " + answer));
    return {};
}

}  // namespace

Stage::Stage(const DrillOptions& options)
    : m_options(options)
    , m_rng(options.seed)
    , m_ledgerFile(options.folder + "/ledger.tsv")
{
}

Status Stage::startProvider()
{
    if (std::ifstream(m_ledgerFile))
        return makeError(ErrorKind::Refused,
            m_ledgerFile
                + " is the ledger of an earlier drill, whose payments would be counted again; remove "
                + m_options.folder + ", or name another store");
    auto started = Process::start(
        {m_options.effectd, m_ledgerFile, "--with-parent"}, {}, m_options.folder + "/provider.log", true);
    if (!started)
        return std::move(started).error();
    m_provider = std::move(*started);
    CAIRN_TRY_ASSIGN(const std::string port, m_provider.readLine(10'000));
    m_providerUrl = "http://127.0.0.1:" + port.substr(port.find_last_not_of("0123456789") + 1);
    environment.emplace_back("CAIRN_PROVIDER", m_providerUrl);
    environment.emplace_back("CAIRN_PROVIDER_PORT", m_providerUrl.substr(m_providerUrl.rfind(':') + 1));
    return {};
}

Status Stage::makeStore()
{
    CAIRN_TRY(startProvider());
    int code = 0;
    const std::string made = cli({"store", "init"}, &code);
    if (code != 0)
        return makeError(ErrorKind::Refused,
            "the store " + m_options.storeUrl + " could not be made; it must not exist yet: " + made);
    return openStore();
}

Status Stage::openStore()
{
    CAIRN_TRY_ASSIGN(m_store, m_options.open());
    return {};
}

void Stage::begin(const std::string& name)
{
    ScenarioReport report;
    report.name = name;
    m_reports.push_back(std::move(report));
    m_started.clear();
    m_ledgerBefore = ledger().size();
    if (m_options.progress)
        m_options.progress(name);
}

void Stage::finish()
{
    checkNoDuplicateEffects();
    checkNothingLost();
    countCost();
    if (now().recovered < now().interrupted)
        broken(Guarantee::Recovered,
            std::to_string(now().interrupted) + " faults stopped work under way, and only "
                + std::to_string(now().recovered) + " of them were followed by a commit of another engine");
    now().effects += static_cast<std::uint32_t>(ledger().size() - m_ledgerBefore);
    now().passed = now().failures.empty();
}

void Stage::broken(Guarantee guarantee, const std::string& what)
{
    if (m_reports.empty())
        m_reports.emplace_back().name = "preparation";
    now().failures.push_back({guarantee, what});
    now().passed = false;
}

Process Stage::engine(const std::string& name, const std::string& failpoints, const std::string& program,
    const std::vector<std::string>& more)
{
    auto variables = environment;
    variables.emplace_back("CAIRN_FAILPOINTS", failpoints);
    std::vector<std::string> argv{program.empty() ? m_options.cairn : program, "--store", m_options.storeUrl,
        "engine", "--name", name, "--lease", "1s"};
    argv.insert(argv.end(), more.begin(), more.end());
    auto started = Process::start(argv, variables, m_options.folder + "/engine-" + name + ".log", false);
    if (!started) {
        broken(started.error().text);
        return {};
    }
    return std::move(*started);
}

bool Stage::poll(const std::function<bool()>& holds, int limitMs)
{
    const SpanMs until = m_clock.monotonicMs() + limitMs;
    for (;;) {
        if (holds())
            return true;
        if (m_clock.monotonicMs() >= until)
            return false;
        ::poll(nullptr, 0, kPollMs);
    }
}

std::uint64_t Stage::version(const RunId& run)
{
    auto hot = m_store->hot(run);
    return hot ? hot->version : 0;
}

std::uint64_t Stage::progress(const RunId& run)
{
    std::uint64_t sum = version(run);
    if (const auto children = m_store->children(run))
        for (const RunId& child : *children)
            sum += progress(child);
    return sum;
}

std::optional<ListRow> Stage::row(const RunId& run)
{
    auto rows = m_store->listRows(std::span(&run, 1));
    if (!rows || rows->empty())
        return std::nullopt;
    return rows->front();
}

bool Stage::await(const RunId& run, const std::function<bool(const ListRow&)>& holds, int limitMs)
{
    return poll(
        [&] {
            const auto found = row(run);
            return found && holds(*found);
        },
        limitMs);
}

bool Stage::awaitActivity(const RunId& run, Activity activity, int limitMs)
{
    return await(
        run, [&](const ListRow& r) { return r.activity == activity; }, limitMs);
}

bool Stage::awaitReason(const RunId& run, Reason reason, int limitMs)
{
    return await(
        run, [&](const ListRow& r) { return r.reason == reason; }, limitMs);
}

void Stage::killAndRecover(
    Process& victim, const RunId& run, Process& successor, const std::string& successorName)
{
    victim.kill(SIGKILL);
    victim.wait();
    recover(run, [&] { successor = engine(successorName); });
}

void Stage::awaitDeathAndRecover(
    Process& victim, const RunId& run, Process& successor, const std::string& successorName)
{
    if (!poll([&] { return victim.ended(); }, 30'000))
        broken("the failpoint was never reached: this scenario tested nothing");
    killAndRecover(victim, run, successor, successorName);
}

void Stage::recover(const RunId& run, const std::function<void()>& successor)
{
    ++now().faults;
    remember(run);
    const std::uint64_t before = progress(run);
    const auto found = row(run);
    const auto time = m_store->now();
    const bool held = found && found->attention == Attention::Machine && !isFinished(found->activity)
        && found->activity != Activity::Waiting;
    const bool asked = found && found->reason == Reason::Resource && time && found->nextTime > *time;
    const SpanMs wait = asked ? found->nextTime - *time : 0;
    const SpanMs from = m_clock.monotonicMs();
    if (successor)
        successor();
    if (!held)
        return;
    ++now().interrupted;
    if (!poll([&] { return progress(run) > before; }, kRecoveryLimitMs)) {
        broken(Guarantee::Recovered,
            "run " + toText(run) + " did not move within " + std::to_string(kRecoveryLimitMs / 1000)
                + " s after a kill");
        return;
    }
    ++now().recovered;
    now().recoveryMs.push_back(static_cast<double>(std::max<SpanMs>(m_clock.monotonicMs() - from - wait, 0)));
}

std::string Stage::cli(const std::vector<std::string>& arguments, int* exitCode, const std::string& program)
{
    std::vector<std::string> argv{program.empty() ? m_options.cairn : program, "--store", m_options.storeUrl,
        "--json", "--as", "drill"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    auto started = Process::start(argv, environment, m_options.folder + "/cli.log", true);
    if (!started) {
        broken(started.error().text);
        return {};
    }
    const std::string output = started->readAll();
    const int code = started->wait();
    if (exitCode)
        *exitCode = code;
    else if (code != 0)
        broken("`cairn " + arguments.front() + "` ended with " + std::to_string(code) + ": "
            + visibleLine(output));
    acknowledge(arguments.front(), output);
    return output;
}

RunId Stage::start(
    const std::string& workflow, const std::string& key, const std::string& input, const std::string& program)
{
    const std::string output = cli({"start", workflow, "--key", key, "--input", input}, nullptr, program);
    const auto json = nlohmann::json::parse(output, nullptr, false);
    ++now().runs;
    if (!json.is_object() || !json.contains("run"))
        return {};
    const auto run = parseId<RunId>(json["run"].get<std::string>());
    if (!run)
        return {};
    m_started.push_back(*run);
    if (m_store)
        remember(*run);
    return *run;
}

void Stage::act(const std::vector<std::string>& arguments)
{
    ++now().manualSteps;
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--reason", "the drill's operator says so"});
    static_cast<void>(cli(all));
}

void Stage::mode(const std::string& name, const std::string& mode)
{
    if (auto done = post(m_providerUrl + "/mode/" + name, mode); !done)
        broken(done.error().text);
}

void stopEngine(Process& engine)
{
    engine.kill(SIGTERM);
    engine.wait();
}

void Stage::advanceClock(SpanMs span)
{
    auto info = m_store->info();
    if (!info) {
        broken(info.error().text);
        return;
    }
    if (auto set = m_store->setClockOffset(info->clockOffset + span); !set)
        broken(set.error().text);
}

}  // namespace cairn::drill
