// show, history, graph, context, remedies: verbs that change nothing.

#include "app/cairn/acts.h"
#include "app/cairn/annotated.h"
#include "app/cairn/asked.h"
#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/store/fence.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

namespace {

Result<RunView> viewOf(Session& s, const std::string& named, std::uint64_t version)
{
    CAIRN_TRY_ASSIGN(const RunId run, s.query().resolve(named));
    return s.query().run(run, version);
}

// Decimals of a currency, whole numbers of anything else; the unit is said beside it.
std::string amountOf(std::int64_t amount, const std::string& unit)
{
    return unit.size() == 3 ? formatAmount(amount, unit) : std::to_string(amount);
}

int show(Session& s, const std::string& named, std::uint64_t version)
{
    if (!s.openReader())
        return s.exitCode;
    auto view = viewOf(s, named, version);
    if (!view)
        return s.fail(view.error());
    const RunState& state = view->state;
    if (s.options.json) {
        Json json = jsonRow(view->row, view->at);
        json["state_version"] = state.version;
        json["started"] = jsonTime(state.startedAt);
        json["head"] = hex(state.head);
        // Who owned it at an earlier version is not recorded.
        json["owner"] = version != 0 || view->hot.owner.isNull() ? Json() : Json(toText(view->hot.owner));
        json["sentence"] = jsonSentence(view->sentence);
        Json steps = Json::array();
        for (const auto& step : state.steps)
            steps.push_back(jsonStep(step));
        json["step_list"] = steps;
        Json budget = Json::array();
        for (const BudgetLine& line : state.budget)
            budget.push_back({{"unit", jsonText(line.unit)}, {"limit", amountOf(line.limit, line.unit)},
                {"used", amountOf(line.used, line.unit)}, {"reserved", amountOf(line.reserved, line.unit)}});
        json["budget"] = budget;
        addAnnotated(json, s.query().annotated(state, view->at));
        addAsked(json, state, askedOf(s, state, version != 0));
        json["waiting_acts"] = jsonActs(version == 0 ? waitingOf(s, state.id) : std::vector<StagedAct>());
        s.json(dump(json, 2));
        return kDone;
    }
    s.line("run       " + toText(state.id) + "  version " + std::to_string(state.version));
    s.line("workflow  " + state.workflow.name + "@" + std::to_string(state.workflow.version)
        + (view->identity.key.empty() ? std::string{} : "  key " + view->identity.key));
    s.line("activity  " + std::string(label(view->explanation.summary.activity)) + ", "
        + std::string(label(view->explanation.summary.attention)));
    s.line("started   " + formatInstant(state.startedAt));
    for (const BudgetLine& line : state.budget)
        s.line("budget    " + amountOf(line.used, line.unit) + " of " + amountOf(line.limit, line.unit) + " "
            + line.unit + " used, " + amountOf(line.reserved, line.unit) + " reserved");
    s.line("          " + view->sentence.text);
    printAnnotated(s, s.query().annotated(state, view->at));
    for (const auto& step : state.steps)
        s.line("  " + pad(std::string(key(step.state)), 10) + pad(step.id, 28) + " " + pad(step.tool, 20)
            + " attempts " + std::to_string(step.attempts)
            + (step.reason == Reason::None ? std::string{} : "  " + std::string(label(step.reason))));
    printAskedOf(s, state, askedOf(s, state, version != 0));
    if (version == 0)
        printWaiting(s, waitingOf(s, state.id));
    return kDone;
}

int history(Session& s, const std::string& named, std::uint64_t from, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    const auto run = s.target(named);
    if (!run)
        return s.exitCode;
    std::size_t shown = 0;
    while (shown < limit) {
        auto page = s.query().history(*run, from, std::min<std::size_t>(limit - shown, 500));
        if (!page)
            return s.fail(page.error());
        if (page->empty())
            break;
        for (const auto& item : *page) {
            if (s.options.json)
                s.json(entryJson(item.entry));
            else
                s.line(pad(std::to_string(item.entry.version), 5) + formatInstantMs(item.entry.time) + "  "
                    + item.line + (item.reason.empty() ? std::string() : "  \"" + item.reason + "\"")
                    + (item.evidence.empty() ? std::string() : "  evidence: " + item.evidence));
        }
        shown += page->size();
        from = page->back().entry.version + 1;
    }
    const auto rest = s.query().history(*run, from, 1);
    if (!rest)
        return s.fail(rest.error());
    if (!rest->empty())
        s.note("there is more: raise --limit, or go on with --from " + std::to_string(from));
    else if (shown == 0 && limit > 0)
        return s.fail(kNotFound, "the run has no version " + std::to_string(from));
    return kDone;
}

int graph(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    const auto run = s.target(named);
    if (!run)
        return s.exitCode;
    auto dot = s.query().dot(*run);
    if (!dot)
        return s.fail(dot.error());
    if (s.options.json)
        s.json(dump(Json{{"run", toText(*run)}, {"dot", jsonText(*dot)}}));
    else
        s.text(*dot);
    return kDone;
}

int context(Session& s, const std::string& named, std::size_t tokens)
{
    if (!s.openReader())
        return s.exitCode;
    const auto run = s.target(named);
    if (!run)
        return s.exitCode;
    auto text = s.query().context(*run, {tokens, s.options.json});
    if (!text)
        return s.fail(text.error());
    s.options.json ? s.json(*text) : s.text(*text);
    return kDone;
}

int remediesOf(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    auto view = viewOf(s, named, 0);
    if (!view)
        return s.fail(view.error());
    auto actions = remedies(view->state, s.service().explainGiven(view->state));
    const auto fence = fenceOf(s.info().minWriter);
    if (fence)
        actions.clear();
    if (s.options.json) {
        s.json(dump(jsonActions(s, actions, view->state), 2));
        return kDone;
    }
    if (fence)
        s.line("No verb is taken here: " + fenceError(*fence).text);
    else if (actions.empty())
        s.line((view->chain.empty() ? std::string("No verb is needed or would help: ")
                                    : "No verb on this run would help; see `cairn remedies "
                           + toText(view->chain.back().first) + "`: ")
            + view->sentence.text);
    for (const auto& action : actions) {
        s.line(pad(std::string(key(action.verb)), 10)
            + (action.step == kNoStep ? std::string{} : " " + view->state.steps[action.step].id) + "  "
            + action.why + noCommand(s, action.verb));
        printOffers(s, action);
    }
    return kDone;
}

}  // namespace

void addReadVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    const auto runVerb = [&](const char* name, const char* help, auto function) {
        auto* cmd = v.app.add_subcommand(name, help);
        auto run = std::make_shared<std::string>();
        cmd->add_option("RUN", *run, "id, unique beginning of an id, or key")->required();
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return function(s, *run); }; });
        return cmd;
    };
    runVerb("graph", "The task graph as DOT text", graph);
    runVerb("remedies", "Verbs after which somebody can move the run again, safest first", remediesOf);
    {
        auto version = std::make_shared<std::uint64_t>(0);
        auto* cmd = runVerb("show", "A run and its steps, now or at an earlier version",
            [version](Session& session, const std::string& run) { return show(session, run, *version); });
        cmd->add_option("--at", *version, "version of the run's history")->check(CLI::PositiveNumber);
    }
    {
        auto from = std::make_shared<std::uint64_t>(1);
        auto limit = std::make_shared<std::size_t>(100'000);
        auto* cmd = runVerb(
            "history", "Every entry of the run", [from, limit](Session& session, const std::string& run) {
                return history(session, run, *from, *limit);
            });
        cmd->add_option("--from", *from, "first version")->check(CLI::PositiveNumber);
        cmd->add_option("--limit", *limit, "entries at most");
    }
    {
        auto tokens = std::make_shared<std::size_t>(8000);
        auto* cmd = runVerb("context", "A compact working context, rebuilt from graph, results and approvals",
            [tokens](Session& session, const std::string& run) { return context(session, run, *tokens); });
        cmd->add_option("--tokens", *tokens, "budget");
    }
}

}  // namespace cairn::cli
