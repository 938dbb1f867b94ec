// list, show, why, history, graph, context, watch, remedies, payload: verbs that change nothing.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/model/codec.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace cairn::cli {

namespace {

std::string noCommand(const Session& s, Verb verb)
{
    return s.hasCommand(verb) ? "" : " (in the library only: this version of cairn has no command for it)";
}

std::optional<ListFilter> filterOf(Session& s, const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : " ") + word;
    ParsedFilter parsed = parseFilter(text, s.service().now());
    if (parsed.error) {
        s.fail(kUsage,
            "filter, at character " + std::to_string(parsed.error->offset + 1) + ": " + parsed.error->text);
        return std::nullopt;
    }
    return std::move(parsed.filter);
}

void printRow(Session& s, const ListRow& row, TimeMs now)
{
    if (s.options.json) {
        s.json(dump(jsonRow(row, now)));
        return;
    }
    s.line(toText(row.run) + "  " + pad(std::string(key(row.activity)), 12) + " "
        + pad(row.workflow + "@" + std::to_string(row.workflowVersion), 18) + " "
        + Query::rowSentence(row, now).shortText);
}

int list(Session& s, const std::vector<std::string>& words, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    const auto filter = filterOf(s, words);
    if (!filter)
        return s.exitCode;
    const TimeMs now = s.service().now();
    std::optional<PageKey> after;
    std::size_t shown = 0;
    do {
        auto page = s.query().list(
            *filter, ListOrder::AttentionThenOldest, after, std::min<std::size_t>(limit - shown, 200));
        if (!page)
            return s.fail(page.error());
        for (const auto& row : page->rows)
            printRow(s, row, now);
        shown += page->rows.size();
        after = page->next;
    } while (after && shown < limit);
    if (after) {
        auto total = s.query().count(*filter);
        if (!total)
            return s.fail(total.error());
        if (*total > shown)
            s.note(std::to_string(*total - shown) + " more; raise --limit or narrow the filter");
    }
    return kDone;
}

Result<RunView> viewOf(Session& s, const std::string& named, std::uint64_t version)
{
    CAIRN_TRY_ASSIGN(const RunId run, s.query().resolve(named));
    return s.query().run(run, version);
}

int why(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    auto view = viewOf(s, named, 0);
    if (!view)
        return s.fail(view.error());
    const RunState& state = view->state;
    if (s.options.json) {
        Json json{{"run", toText(state.id)}, {"activity", key(view->explanation.summary.activity)},
            {"attention", key(view->explanation.summary.attention)},
            {"sentence", jsonSentence(view->sentence)}};
        Json reasons = Json::array();
        for (const auto& item : view->explanation.reasons)
            reasons.push_back(jsonReason(item, state));
        json["reasons"] = reasons;
        json["actions"] = jsonActions(s, view->explanation.actions, state);
        Json chain = Json::array();
        for (const auto& [run, sentence] : view->chain)
            chain.push_back({{"run", toText(run)}, {"sentence", jsonSentence(sentence)}});
        json["chain"] = chain;
        s.json(dump(json, 2));
        return kDone;
    }
    s.line(view->sentence.text);
    for (const auto& [name, value] : view->sentence.evidence)
        s.line("  " + pad(name, 16) + " " + value);
    bool heading = false;
    for (const auto& action : view->explanation.actions) {
        if (!action.allowed)
            continue;
        if (!heading)
            s.line("You can:");
        heading = true;
        s.line("  " + pad(std::string(key(action.verb)), 10)
            + (action.step == kNoStep ? std::string{} : " " + state.steps[action.step].id) + "  " + action.why
            + noCommand(s, action.verb));
    }
    return kDone;
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
        s.json(dump(json, 2));
        return kDone;
    }
    s.line("run       " + toText(state.id) + "  version " + std::to_string(state.version));
    s.line("workflow  " + state.workflow.name + "@" + std::to_string(state.workflow.version)
        + (view->identity.key.empty() ? std::string{} : "  key " + view->identity.key));
    s.line("activity  " + std::string(label(view->explanation.summary.activity)) + ", "
        + std::string(label(view->explanation.summary.attention)));
    s.line("started   " + formatInstant(state.startedAt));
    s.line("          " + view->sentence.text);
    for (const auto& step : state.steps)
        s.line("  " + pad(std::string(key(step.state)), 10) + pad(step.id, 28) + " " + pad(step.tool, 20)
            + " attempts " + std::to_string(step.attempts)
            + (step.reason == Reason::None ? std::string{} : "  " + std::string(label(step.reason))));
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
                    + pad(item.entry.actor.id, 14) + " " + item.line
                    + (item.reason.empty() ? std::string() : "  \"" + item.reason + "\""));
        }
        shown += page->size();
        from = page->back().entry.version + 1;
    }
    return kDone;
}

int payload(Session& s, const std::string& named, const std::string& id)
{
    if (!s.openReader())
        return s.exitCode;
    const auto run = s.target(named);
    if (!run)
        return s.exitCode;
    const auto payloadId = parseId<PayloadId>(id);
    if (!payloadId)
        return s.fail(
            kUsage, "\"" + visibleLine(id) + "\" is not a payload id; `cairn show --json` lists them");
    auto info = s.store().payloadInfo(*run, *payloadId);
    if (!info)
        return s.fail(info.error());
    const bool terminal = ::isatty(STDOUT_FILENO) != 0;
    for (std::uint64_t offset = 0; offset < info->ref.size;) {
        auto bytes = s.store().payload(*run, *payloadId, offset, kChunkSize);
        if (!bytes)
            return s.fail(bytes.error());
        if (bytes->empty())
            break;
        offset += bytes->size();
        const std::string safe = terminal ? visible(*bytes) : *bytes;
        std::fwrite(safe.data(), 1, safe.size(), stdout);
    }
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
    const auto actions = remedies(view->state, s.service().explainGiven(view->state));
    if (s.options.json) {
        s.json(dump(jsonActions(s, actions, view->state), 2));
        return kDone;
    }
    if (actions.empty())
        s.line("No verb is needed or would help: " + view->sentence.text);
    for (const auto& action : actions)
        s.line(pad(std::string(key(action.verb)), 10)
            + (action.step == kNoStep ? std::string{} : " " + view->state.steps[action.step].id) + "  "
            + action.why + noCommand(s, action.verb));
    return kDone;
}

// Waits up to `span` or until SIGINT or SIGTERM came; true: a signal came.
bool waitForSignal(int fd, int spanMs)
{
    pollfd entry{fd, POLLIN, 0};
    return ::poll(&entry, 1, spanMs) > 0;
}

// Whether this one run is among those that the filter finds.
Result<bool> matching(Session& s, const ListFilter& filter, const RunId& run)
{
    if (filter.empty())
        return true;
    ListFilter one;
    for (const ListTerm& term : filter) {
        if (term.run && *term.run != run)
            continue;
        one.push_back(term);
        one.back().run = run;
    }
    if (one.empty())  // would find every run
        return false;
    CAIRN_TRY_ASSIGN(const std::uint64_t found, s.query().count(one));
    return found > 0;
}

int watch(Session& s, const std::vector<std::string>& words, SpanMs period, SpanMs total)
{
    if (!s.openReader())
        return s.exitCode;
    const auto filter = filterOf(s, words);
    if (!filter)
        return s.exitCode;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    const int fd = ::signalfd(-1, &signals, SFD_CLOEXEC);
    auto start = s.store().changesSince(0, 1);
    if (!start)
        return s.fail(start.error());
    std::uint64_t cursor = start->cursor;
    const SpanMs until = total > 0 ? s.clock.monotonicMs() + total : 0;
    while (!waitForSignal(fd, static_cast<int>(period))) {
        auto changes = s.query().changesSince(cursor, 500);
        if (!changes)
            return s.fail(changes.error());
        cursor = changes->cursor;
        for (const auto& row : changes->rows) {
            auto matches = matching(s, *filter, row.run);
            if (!matches)
                return s.fail(matches.error());
            if (*matches)
                printRow(s, row, s.service().now());
        }
        std::fflush(stdout);
        if (until > 0 && s.clock.monotonicMs() >= until)
            break;
    }
    ::close(fd);
    return kDone;
}

}  // namespace

void addReadVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    {
        auto* cmd = v.app.add_subcommand("list", "Runs, the most pressing first");
        auto words = std::make_shared<std::vector<std::string>>();
        auto limit = std::make_shared<std::size_t>(50);
        cmd->add_option("FILTER", *words, "terms such as wait:approval state:blocked def:order@2 age:>2h");
        cmd->add_option("--limit", *limit, "rows at most");
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return list(s, *words, *limit); }; });
    }
    const auto runVerb = [&](const char* name, const char* help, auto function) {
        auto* cmd = v.app.add_subcommand(name, help);
        auto run = std::make_shared<std::string>();
        cmd->add_option("RUN", *run, "id, unique beginning of an id, or key")->required();
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return function(s, *run); }; });
        return cmd;
    };
    runVerb("why", "One sentence: why the run does not move, and what may be done", why);
    runVerb("graph", "The task graph as DOT text", graph);
    runVerb("remedies", "Verbs after which somebody can move the run again, safest first", remediesOf);
    {
        auto version = std::make_shared<std::uint64_t>(0);
        auto* cmd = runVerb("show", "A run and its steps, now or at an earlier version",
            [version](Session& session, const std::string& run) { return show(session, run, *version); });
        cmd->add_option("--at", *version, "version of the run's history");
    }
    {
        auto from = std::make_shared<std::uint64_t>(1);
        auto limit = std::make_shared<std::size_t>(100'000);
        auto* cmd = runVerb(
            "history", "Every entry of the run", [from, limit](Session& session, const std::string& run) {
                return history(session, run, *from, *limit);
            });
        cmd->add_option("--from", *from, "first version");
        cmd->add_option("--limit", *limit, "entries at most");
    }
    {
        auto tokens = std::make_shared<std::size_t>(8000);
        auto* cmd = runVerb("context", "A compact working context, rebuilt from graph, results and approvals",
            [tokens](Session& session, const std::string& run) { return context(session, run, *tokens); });
        cmd->add_option("--tokens", *tokens, "budget");
    }
    {
        auto id = std::make_shared<std::string>();
        auto* cmd = runVerb("payload", "The bytes of a payload, as stored",
            [id](Session& session, const std::string& run) { return payload(session, run, *id); });
        cmd->add_option("PAYLOAD", *id, "payload id, from show --json")->required();
    }
    {
        auto* cmd = v.app.add_subcommand("watch", "Prints runs as they change, until interrupted");
        auto words = std::make_shared<std::vector<std::string>>();
        auto total = std::make_shared<std::string>();
        cmd->add_option("FILTER", *words, "as for list");
        cmd->add_option("--for", *total, "stop after this span, for example 30s");
        cmd->callback([=, &s, &chosen] {
            chosen = [=, &s] {
                SpanMs span = 0;
                if (!total->empty()) {
                    const auto parsed = parseSpan(*total);
                    if (!parsed)
                        return s.fail(parsed.error());
                    span = *parsed;
                }
                return watch(s, *words, 500, span);
            };
        });
    }
}

}  // namespace cairn::cli
