// report durability, report estimate: figures for those who decide whether an engine is worth it.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/report/estimate.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>

namespace cairn::cli {

namespace {

constexpr std::size_t kPage = 500;

// "2026-11-01", an instant, or a span back from now ("30d").
Result<TimeMs> timeOf(Session& s, const std::string& option, const std::string& text)
{
    if (const auto span = parseSpan(text))
        return s.service().now() - *span;
    const auto instant = parseInstant(text.size() == 10 ? text + "T00:00:00Z" : text);
    if (!instant)
        return makeError(ErrorKind::InvalidInput,
            option + ": \"" + visibleLine(text)
                + "\" is no time: give a day (2026-11-01), an instant (2026-11-01T06:00:00Z) or a span back "
                  "from now (30d)");
    return *instant;
}

Result<Money> moneyOf(const std::string& option, const std::string& text)
{
    const auto blank = text.find(' ');
    const std::string currency = blank == std::string::npos ? "" : text.substr(blank + 1);
    const auto micros = parseAmount(text.substr(0, blank));
    if (!micros || currency.size() != 3
        || !std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
        return makeError(ErrorKind::InvalidInput,
            option + ": \"" + visibleLine(text)
                + "\" is no amount: give it with its currency, as \"25.00 EUR\"");
    return Money{*micros, currency};
}

Result<std::function<Result<RunPage>(const std::optional<PageKey>&)>> pagesOf(Session& s)
{
    const ParsedFilter parsed = parseFilter(s.options.where, s.service().now());
    if (parsed.error)
        return makeError(ErrorKind::InvalidInput,
            "--where: at character " + std::to_string(parsed.error->offset + 1) + ": " + parsed.error->text);
    return std::function<Result<RunPage>(const std::optional<PageKey>&)>(
        [&s, filter = parsed.filter](const std::optional<PageKey>& after) {
            return s.query().list(filter, ListOrder::NewestFirst, after, kPage);
        });
}

Json jsonSpent(const Spent& spent)
{
    Json used = Json::array();
    for (const auto& [unit, amount] : spent.used)
        used.push_back({{"unit", jsonText(unit)},
            {"amount", unit.size() == 3 ? formatAmount(amount, unit) : std::to_string(amount)}});
    return {{"calls", spent.calls}, {"work_ms", spent.worked}, {"used", used}};
}

Json jsonFormulas(const std::vector<Formula>& formulas)
{
    Json list = Json::array();
    for (const Formula& formula : formulas)
        list.push_back({{"name", formula.name}, {"rule", formula.rule}, {"text", jsonText(formula.text)}});
    return list;
}

Json jsonTexts(const std::vector<std::string>& texts)
{
    Json list = Json::array();
    for (const std::string& text : texts)
        list.push_back(jsonText(text));
    return list;
}

Json jsonLongest(const std::optional<LongestRun>& longest)
{
    if (!longest)
        return {};
    return {{"id", jsonText(longest->id)}, {"outcome", jsonText(longest->outcome)},
        {"took_ms", longest->took}, {"spent", jsonSpent(longest->spent)}};
}

Json jsonPrice(const std::optional<Money>& money) { return money ? jsonMoney(*money) : Json(); }

void printRow(Session& s, const std::string& name, const std::string& value)
{
    s.line("  " + pad(name, 26) + " " + value);
}

void printNotes(Session& s, const std::vector<Formula>& formulas, const std::vector<std::string>& remarks)
{
    if (!formulas.empty())
        s.line("formulas (a month is 30 days)");
    for (const Formula& formula : formulas) {
        s.line("  " + formula.name + " = " + formula.rule);
        s.line("    " + formula.text);
    }
    for (const std::string& remark : remarks)
        s.line("note: " + remark);
}

std::string countText(std::uint64_t count) { return formatCount(static_cast<std::int64_t>(count)); }

void printLongest(Session& s, const std::optional<LongestRun>& longest)
{
    if (longest)
        printRow(s, "longest run",
            longest->id + " (" + longest->outcome + "), " + formatSpan(longest->took) + ": "
                + spentText(longest->spent));
}

Json jsonDurability(const DurabilityReport& r)
{
    Json ended = Json::array();
    for (const auto& [activity, count] : r.ended)
        ended.push_back({{"activity", key(activity)}, {"count", count}});
    return {{"since", jsonTime(r.since)}, {"until", jsonTime(r.until)}, {"runs", r.runs}, {"ended", ended},
        {"open", r.open}, {"ended_without_completing", r.endedWithout}, {"lost", jsonSpent(r.lost)},
        {"effects_left", r.effectsLeft}, {"longest", jsonLongest(r.longest)},
        {"interruptions", r.work.interruptions}, {"interrupted_runs", r.interrupted},
        {"resumed_runs", r.resumed}, {"spent", jsonSpent(r.work.spent)},
        {"spent_again", jsonSpent(r.work.again)}, {"kept", jsonSpent(r.work.kept)},
        {"kept_steps", r.work.keptSteps}, {"kept_effects", r.work.keptEffects}, {"month", jsonSpent(r.month)},
        {"month_effects", r.monthEffects}, {"handed_over", r.work.handedOver},
        {"engine", jsonPrice(r.engine)}, {"needed", r.needed}, {"verdict", jsonText(r.verdict)},
        {"formulas", jsonFormulas(r.formulas)}, {"remarks", jsonTexts(r.remarks)}};
}

void printDurability(Session& s, const DurabilityReport& r)
{
    s.line("durability"
        + (r.since == kNoTime ? std::string(": no run")
                              : ", " + formatInstant(r.since) + " to " + formatInstant(r.until)));
    printRow(s, "runs", countText(r.runs) + ", " + countText(r.open) + " of them not ended");
    for (const auto& [activity, count] : r.ended)
        printRow(s, "ended as " + std::string(key(activity)), countText(count));
    printRow(s, "ended without completing", countText(r.endedWithout));
    printRow(s, "lost with these",
        spentText(r.lost) + "; " + countText(r.effectsLeft) + " effects stay as they were done");
    printLongest(s, r.longest);
    printRow(s, "interruptions",
        countText(r.work.interruptions) + " of " + countText(r.interrupted) + " runs, of which "
            + countText(r.resumed) + " completed");
    printRow(s, "spent in all", spentText(r.work.spent));
    printRow(s, "spent again, at most", spentText(r.work.again));
    printRow(s, "kept by resuming",
        spentText(r.work.kept) + "; " + countText(r.work.keptSteps) + " steps, "
            + countText(r.work.keptEffects) + " effects not done twice");
    printRow(s, "non-durability, a month",
        spentText(r.month) + "; " + formatCount(r.monthEffects) + " effects done twice");
    s.line("  " + r.verdict);
    printNotes(s, r.formulas, r.remarks);
}

Json jsonLog(const LogReport& r)
{
    Json outcomes = Json::array(), bad = Json::array();
    for (const auto& [word, count] : r.outcomes)
        outcomes.push_back({{"outcome", jsonText(word)}, {"count", count}});
    for (const BadLine& line : r.badLines)
        bad.push_back({{"line", line.number}, {"text", jsonText(line.text)}});
    return {{"since", jsonTime(r.since)}, {"until", jsonTime(r.until)}, {"runs", r.runs},
        {"outcomes", outcomes}, {"ended_without_completing", r.endedWithout}, {"cancelled", r.wanted},
        {"lost", jsonSpent(r.lost)}, {"kept", jsonSpent(r.kept)}, {"month", jsonSpent(r.month)},
        {"longest", jsonLongest(r.longest)}, {"engine", jsonPrice(r.engine)}, {"needed", r.needed},
        {"verdict", jsonText(r.verdict)}, {"repeated_ids", r.repeatedIds}, {"bad", r.bad}, {"bad_lines", bad},
        {"formulas", jsonFormulas(r.formulas)}, {"remarks", jsonTexts(r.remarks)}};
}

void printLog(Session& s, const LogReport& r)
{
    s.line("durability by a log"
        + (r.runs == 0 ? std::string(": no run")
                       : ", " + formatInstant(r.since) + " to " + formatInstant(r.until)));
    printRow(s, "runs", countText(r.runs));
    for (const auto& [word, count] : r.outcomes)
        printRow(s, "ended as " + word, countText(count));
    printRow(s, "ended without completing",
        countText(r.endedWithout) + ", of which cancelled " + countText(r.wanted));
    printRow(s, "lost with these", spentText(r.lost));
    printLongest(s, r.longest);
    printRow(s, "a record would keep", spentText(r.kept));
    printRow(s, "non-durability, a month", spentText(r.month));
    s.line("  " + r.verdict);
    printNotes(s, r.formulas, r.remarks);
    for (const BadLine& line : r.badLines)
        s.line("line " + std::to_string(line.number) + " is left out: " + line.text);
    if (r.bad > r.badLines.size())
        s.line("and " + countText(r.bad - r.badLines.size()) + " more lines are left out");
}

struct DurabilityArguments {
    std::string since, until, log, currency, engineCost;
};

Result<std::optional<Money>> engineCostOf(const DurabilityArguments& a)
{
    if (a.engineCost.empty())
        return std::optional<Money>();
    CAIRN_TRY_ASSIGN(Money cost, moneyOf("--engine-cost", a.engineCost));
    if (cost.micros < 0)
        return makeError(ErrorKind::InvalidInput, "--engine-cost is negative");
    return std::optional<Money>(std::move(cost));
}

int reportLog(Session& s, const DurabilityArguments& a)
{
    if (!a.since.empty() || !a.until.empty() || !s.options.where.empty())
        return s.fail(kUsage, "--since, --until and --where are about a store; --log reads the whole file");
    const auto engine = engineCostOf(a);
    if (!engine)
        return s.fail(engine.error());
    std::ifstream file;
    if (a.log != "-")
        file.open(a.log, std::ios::binary);
    if (a.log != "-" && !file)
        return s.fail(kUsage, "cannot open " + a.log);
    std::istream& in = a.log == "-" ? std::cin : file;
    const LogReport report = readLog(in, a.currency, *engine);
    if (s.options.json)
        s.json(dump(jsonLog(report)));
    else
        printLog(s, report);
    return report.bad > 0 ? kRefused : kDone;
}

int reportDurability(Session& s, const DurabilityArguments& a)
{
    if (!a.log.empty())
        return reportLog(s, a);
    if (!a.currency.empty())
        return s.fail(kUsage, "--currency goes with --log");
    const auto engine = engineCostOf(a);
    if (!engine)
        return s.fail(engine.error());
    if (!s.openReader())
        return s.exitCode;
    Result<TimeMs> since = kNoTime, until = s.service().now();
    if (!a.since.empty())
        since = timeOf(s, "--since", a.since);
    if (!a.until.empty())
        until = timeOf(s, "--until", a.until);
    if (!since || !until)
        return s.fail(!since ? since.error() : until.error());
    if (*since != kNoTime && *since >= *until)
        return s.fail(kUsage, "--since must be before --until");
    const auto page = pagesOf(s);
    if (!page)
        return s.fail(page.error());
    const auto report = durabilityOf(s.store(), *page, *since, *until, *engine);
    if (!report)
        return s.fail(report.error());
    if (s.options.json)
        s.json(dump(jsonDurability(*report)));
    else
        printDurability(s, *report);
    return kDone;
}

// --- estimate

struct EstimateArguments {
    std::string startsPerDay, startsPerMonth, failureRate, state, steps, checkpointsPerRun, checkpointsPerDay,
        active, retention, amplification, priceStorage, priceWrites, priceWritten, priceEngine, costPerRun,
        from;
};

Error badNumber(const std::string& option, const std::string& text, const char* example)
{
    return makeError(ErrorKind::InvalidInput,
        option + ": \"" + visibleLine(text) + "\" is not understood; for example " + example);
}

// A decimal in millionths.
Status number(Input<std::int64_t>& out, const char* option, const std::string& text, std::int64_t factor)
{
    if (text.empty())
        return {};
    const auto value = parseAmount(text);
    if (!value || *value < 0 || *value > 1'000'000'000'000'000)
        return badNumber(option, text, "12 or 12.5");
    out = {scaled(*value, factor, kMillion), From::Given};
    return {};
}

Status rate(Input<std::int64_t>& out, const std::string& text)
{
    if (text.empty())
        return {};
    const bool percent = text.back() == '%';
    const auto value =
        parseAmount(trimmed(percent ? std::string_view(text).substr(0, text.size() - 1) : text));
    if (!value || *value < 0 || *value > (percent ? 100 * kMillion : kMillion))
        return badNumber("--failure-rate", text, "15% or 0.15");
    out = {percent ? scaled(*value, 1, 100) : *value, From::Given};
    return {};
}

Status bytes(Input<std::int64_t>& out, const std::string& text)
{
    if (text.empty())
        return {};
    const auto end =
        std::find_if(text.begin(), text.end(), [](char c) { return (c < '0' || c > '9') && c != '.'; });
    const auto value = parseAmount(std::string(text.begin(), end));
    const std::string unit(
        trimmed(std::string_view(text).substr(static_cast<std::size_t>(end - text.begin()))));
    static const std::map<std::string, std::int64_t, std::less<>> kUnits{{"", 1}, {"B", 1}, {"KB", 1000},
        {"kB", 1000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}, {"KiB", 1024}, {"MiB", 1 << 20},
        {"GiB", 1 << 30}};
    const auto factor = kUnits.find(unit);
    if (!value || factor == kUnits.end())
        return badNumber("--state-per-run", text, "500KB (1 000 bytes each) or 500KiB (1 024)");
    out = {scaled(*value, factor->second, kMillion), From::Given};
    return {};
}

Status span(Input<SpanMs>& out, const char* option, const std::string& text)
{
    if (text.empty())
        return {};
    const auto value = parseSpan(text);
    if (!value)
        return badNumber(option, text, "90d or 1h");
    out = {*value, From::Given};
    return {};
}

Status price(std::optional<Money>& out, const char* option, const std::string& text)
{
    if (text.empty())
        return {};
    CAIRN_TRY_ASSIGN(out, moneyOf(option, text));
    return {};
}

Result<EstimateInput> inputOf(const EstimateArguments& a)
{
    EstimateInput in;
    CAIRN_TRY(number(in.starts, "--starts-per-day", a.startsPerDay, 30));
    CAIRN_TRY(number(in.starts, "--starts-per-month", a.startsPerMonth, 1));
    CAIRN_TRY(rate(in.failureMillionths, a.failureRate));
    CAIRN_TRY(bytes(in.stateBytes, a.state));
    CAIRN_TRY(number(in.stepsMillionths, "--steps-per-run", a.steps, kMillion));
    CAIRN_TRY(number(in.entriesMillionths, "--checkpoints-per-run", a.checkpointsPerRun, kMillion));
    Input<std::int64_t> perDay;
    CAIRN_TRY(number(perDay, "--checkpoints-per-day", a.checkpointsPerDay, 1));
    if (perDay.from == From::Given)
        in.checkpointsPerDay = perDay.value;
    CAIRN_TRY(span(in.active, "--active", a.active));
    CAIRN_TRY(span(in.retention, "--retention", a.retention));
    CAIRN_TRY(number(in.amplificationMillionths, "--write-amplification", a.amplification, kMillion));
    CAIRN_TRY(price(in.storagePrice, "--price-storage", a.priceStorage));
    CAIRN_TRY(price(in.writesPrice, "--price-writes", a.priceWrites));
    CAIRN_TRY(price(in.writtenPrice, "--price-written", a.priceWritten));
    CAIRN_TRY(price(in.enginePrice, "--price-engine", a.priceEngine));
    CAIRN_TRY(price(in.runCost, "--cost-per-run", a.costPerRun));
    return in;
}

std::string plain(std::int64_t millionths)
{
    std::string text = formatAmount(millionths, "");
    if (text.find('.') == std::string::npos)
        return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

template<typename T> Json jsonInput(const char* name, const Input<T>& input, Json value)
{
    return {{"name", name}, {"value", std::move(value)}, {"from", std::string(fromKey(input.from))}};
}

// What was computed with, and no more: the checkpoints of a run are not, where those of a day are given.
Json jsonInputs(const EstimateInput& in)
{
    Json list = Json::array({jsonInput("starts", in.starts, in.starts.value),
        jsonInput("failure_rate", in.failureMillionths, plain(in.failureMillionths.value)),
        jsonInput("state_bytes", in.stateBytes, in.stateBytes.value),
        in.checkpointsPerDay
            ? jsonInput("checkpoints_per_day", Input<std::int64_t>{*in.checkpointsPerDay, From::Given},
                *in.checkpointsPerDay)
            : jsonInput("checkpoints_per_run", in.entriesMillionths, plain(in.entriesMillionths.value)),
        jsonInput("steps_per_run", in.stepsMillionths, plain(in.stepsMillionths.value)),
        jsonInput("active_ms", in.active, in.active.value),
        jsonInput("retention_ms", in.retention, in.retention.value),
        jsonInput(
            "write_amplification", in.amplificationMillionths, plain(in.amplificationMillionths.value))});
    const std::pair<const char*, const std::optional<Money>*> prices[] = {{"price_storage", &in.storagePrice},
        {"price_writes", &in.writesPrice}, {"price_written", &in.writtenPrice},
        {"price_engine", &in.enginePrice}, {"cost_per_run", &in.runCost}};
    for (const auto& [name, price] : prices)
        if (*price)
            list.push_back(jsonInput(name, Input<std::int64_t>{(*price)->micros, From::Given},
                formatMoney((*price)->micros, (*price)->currency)));
    return list;
}

Json jsonMeasure(const std::optional<StoreMeasure>& m)
{
    if (!m)
        return {};
    return {{"runs", m->runs}, {"ended", m->ended}, {"ended_without_completing", m->endedWithout},
        {"entries", m->entries}, {"steps", m->steps}, {"history_bytes", m->entryBytes},
        {"payload_bytes", m->payloadBytes}, {"bytes_per_step", m->bytesPerStep()}};
}

Json jsonEstimate(const EstimateInput& in, const Estimate& e, const std::optional<StoreMeasure>& measure)
{
    return {{"inputs", jsonInputs(in)}, {"measured", jsonMeasure(measure)}, {"starts", e.starts},
        {"failures", e.failures}, {"runs_active", e.runsActive}, {"runs_held", e.runsHeld},
        {"active_bytes", e.activeBytes}, {"stored_bytes", e.storedBytes}, {"checkpoints", e.checkpoints},
        {"checkpoints_per_second", plain(e.checkpointsPerSecondMillionths)},
        {"bytes_per_checkpoint", e.bytesPerCheckpoint}, {"written_bytes", e.writtenBytes},
        {"storage_cost", jsonPrice(e.storageCost)}, {"writes_cost", jsonPrice(e.writesCost)},
        {"written_cost", jsonPrice(e.writtenCost)}, {"engine_cost", jsonPrice(e.engineCost)},
        {"total", jsonPrice(e.total)}, {"lost_without", jsonPrice(e.lostWithout)},
        {"repeated_with", jsonPrice(e.repeatedWith)},
        {"verdict", e.verdict.empty() ? Json() : Json(e.verdict)}, {"formulas", jsonFormulas(e.formulas)}};
}

void printEstimate(
    Session& s, const EstimateInput& in, const Estimate& e, const std::optional<StoreMeasure>& measure)
{
    s.line("a month, computed from");
    for (const Json& input : jsonInputs(in))
        printRow(s, input["name"].get<std::string>(),
            pad(input["value"].is_string() ? input["value"].get<std::string>() : input["value"].dump(), 16)
                + " " + input["from"].get<std::string>());
    if (measure)
        printRow(s, "measured",
            countText(measure->runs) + " runs, " + countText(measure->entries) + " entries, "
                + countText(measure->steps) + " steps, " + formatCount(measure->bytesPerStep())
                + " bytes a step");
    printNotes(s, e.formulas, {});
    if (!e.verdict.empty())
        s.line(e.verdict);
    s.line("note: histories and payloads; rows and indexes of the database come on top, and what is kept for "
           "backups");
}

int reportEstimate(Session& s, const EstimateArguments& a)
{
    auto input = inputOf(a);
    if (!input)
        return s.fail(input.error());
    std::optional<StoreMeasure> measure;
    if (!a.from.empty()) {
        s.options.store = a.from;
        if (!s.openReader())
            return s.exitCode;
        const auto page = pagesOf(s);
        if (!page)
            return s.fail(page.error());
        auto measured = measureStore(s.store(), *page);
        if (!measured)
            return s.fail(measured.error());
        measure = *std::move(measured);
        calibrate(*input, *measure);
    }
    if (input->starts.from == From::Assumed)
        return s.fail(kUsage,
            "how many runs start? give --starts-per-day or --starts-per-month, or --from a store with runs "
            "of several times");
    const auto estimate = estimateOf(*input);
    if (!estimate)
        return s.fail(estimate.error());
    if (s.options.json)
        s.json(dump(jsonEstimate(*input, *estimate, measure)));
    else
        printEstimate(s, *input, *estimate, measure);
    return kDone;
}

void addDurability(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto* cmd = group.add_subcommand("durability", "What a period would have cost without a record");
    auto a = std::make_shared<DurabilityArguments>();
    cmd->add_option("--since", a->since, "a day, an instant, or a span back from now (30d); default: all");
    cmd->add_option("--until", a->until, "likewise; default: now");
    cmd->add_option("--where", s.options.where, "only runs that match this filter");
    cmd->add_option("--log", a->log, "runs from before Cairn: JSON lines in a file, or - for standard input");
    cmd->add_option("--currency", a->currency, "with --log: of a cost that names none");
    cmd->add_option(
        "--engine-cost", a->engineCost, "what an engine costs a month, as \"40 EUR\": for the break-even");
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return reportDurability(s, *a); }; });
}

void addEstimate(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto* cmd = group.add_subcommand("estimate", "Storage, writes and cost of a month");
    auto a = std::make_shared<EstimateArguments>();
    auto* day = cmd->add_option("--starts-per-day", a->startsPerDay, "runs that start");
    cmd->add_option("--starts-per-month", a->startsPerMonth, "the same for 30 days")->excludes(day);
    cmd->add_option("--failure-rate", a->failureRate, "of the starts: 15% or 0.15");
    cmd->add_option("--state-per-run", a->state, "bytes of a run: 500KB, 500KiB");
    cmd->add_option("--steps-per-run", a->steps, "steps of a run");
    auto* run = cmd->add_option("--checkpoints-per-run", a->checkpointsPerRun, "entries of its history");
    cmd->add_option("--checkpoints-per-day", a->checkpointsPerDay, "of all runs together")->excludes(run);
    cmd->add_option("--active", a->active, "time from start to end: 1h");
    cmd->add_option("--retention", a->retention, "how long an ended run is kept: 90d");
    cmd->add_option("--write-amplification", a->amplification, "bytes written for a byte kept");
    cmd->add_option("--price-storage", a->priceStorage, "of 1 GB for a month, as \"0.10 EUR\"");
    cmd->add_option("--price-writes", a->priceWrites, "of a million checkpoints");
    cmd->add_option("--price-written", a->priceWritten, "of 1 GB that is written");
    cmd->add_option("--price-engine", a->priceEngine, "of engines and server for a month");
    cmd->add_option("--cost-per-run", a->costPerRun, "of the calls of a run: what a failure loses");
    cmd->add_option("--from", a->from, "URL of a store whose runs say what is not given here");
    cmd->add_option("--where", s.options.where, "with --from: only runs that match this filter");
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return reportEstimate(s, *a); }; });
}

}  // namespace

void addReportVerbs(Verbs v)
{
    auto* group = v.app.add_subcommand("report", "Figures: what durability is worth, what a month takes");
    group->require_subcommand(1);
    addDurability(v, *group);
    addEstimate(v, *group);
}

}  // namespace cairn::cli
