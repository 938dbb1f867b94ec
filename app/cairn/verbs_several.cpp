// list, why, acts, watch: verbs that read several stores as one. With one store nothing here names it.

#include "app/cairn/acts.h"
#include "app/cairn/annotated.h"
#include "app/cairn/asked.h"
#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/cairn/printed_runs.h"
#include "app/cairn/waiting.h"
#include "app/common/open_store.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace cairn::cli {

namespace {

// One of the stores, opened for reading.
struct Place {
    Options options;
    std::unique_ptr<Session> own;
    Session* session = nullptr;
    std::string name;  // in the store column; empty: it is the only one
};
using Places = std::vector<std::unique_ptr<Place>>;

void nameEach(const std::vector<std::string>& urls, Places& places)
{
    const std::vector<std::string> names = shortNames(urls);
    for (std::size_t i = 0, at = 0; i < urls.size() && at < places.size(); ++i)
        if (places[at]->options.store == urls[i])
            places[at++]->name = names[i];
}

// The stores that can be read. What is wrong with the others is printed, and decides the exit code.
Places openEach(Session& s)
{
    Places places;
    if (s.options.stores.size() < 2) {
        places.push_back(std::make_unique<Place>());
        places.back()->session = &s;
        if (!s.openReader())
            places.clear();
        return places;
    }
    for (const std::string& url : s.options.stores) {
        auto place = std::make_unique<Place>();
        place->options = s.options;
        place->options.store = url;
        place->own = std::make_unique<Session>(place->options);
        place->session = place->own.get();
        if (place->session->openReader())
            places.push_back(std::move(place));
        else
            s.exitCode = place->session->exitCode;
    }
    nameEach(s.options.stores, places);
    return places;
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

// Widths of the store column, so that what follows stays in line.
std::size_t widthOf(const Places& places)
{
    std::size_t width = 0;
    for (const auto& place : places)
        width = std::max(width, place->name.size());
    return width;
}

constexpr std::size_t kErrorShown = 120;  // bytes of an error in a row

void printRow(const Place& place, std::size_t width, const ListRow& row, TimeMs now)
{
    Session& s = *place.session;
    if (s.options.json) {
        Json json = jsonRow(row, now);
        if (!place.name.empty())
            json["store"] = jsonText(place.options.store);
        s.json(dump(json));
        return;
    }
    s.line((width == 0 ? std::string() : pad(place.name, width) + "  ") + toText(row.run) + "  "
        + pad(std::string(key(row.activity)), 12) + " "
        + pad(row.workflow + "@" + std::to_string(row.workflowVersion), 18) + " "
        + Query::rowSentence(row, now).shortText + (row.key.empty() ? std::string() : "  key " + row.key)
        + (row.heldUntil > now ? "  held" : "")
        + (row.assigned.empty() ? std::string() : "  assigned to " + row.assigned)
        + (row.error.empty() ? std::string() : "  " + clipped(visibleLine(row.error), kErrorShown)));
}

// The list of one store, a page at a time.
struct Source {
    const Place* place;
    ListFilter filter;
    TimeMs now = kNoTime;
    std::vector<ListRow> rows;
    std::size_t at = 0;
    std::optional<PageKey> after{};
    bool ended = false;

    // The next row; null: there is none. Reads a page where that is needed.
    Result<const ListRow*> next(std::size_t limit)
    {
        constexpr std::size_t kPage = 200;
        if (at == rows.size() && !ended) {
            CAIRN_TRY_ASSIGN(RunPage page,
                place->session->query().list(
                    filter, ListOrder::AttentionThenOldest, after, std::min(limit, kPage)));
            rows = std::move(page.rows);
            at = 0;
            after = page.next;
            ended = !page.next;
        }
        return at < rows.size() ? &rows[at] : nullptr;
    }
};

// Prints up to `limit` rows of all in one order; gives how many.
Result<std::size_t> printMerged(std::vector<Source>& sources, std::size_t width, std::size_t limit)
{
    constexpr auto kOrder = ListOrder::AttentionThenOldest;
    std::size_t shown = 0;
    for (; shown < limit; ++shown) {
        std::vector<std::optional<PageKey>> heads;
        for (Source& source : sources) {
            CAIRN_TRY_ASSIGN(const ListRow* row, source.next(limit - shown));
            heads.push_back(row ? std::optional(pageKey(*row, kOrder)) : std::nullopt);
        }
        const auto first = nextOf(heads, kOrder);
        if (!first)
            break;
        Source& source = sources[*first];
        printRow(*source.place, width, source.rows[source.at++], source.now);
    }
    return shown;
}

int list(Session& s, const std::vector<std::string>& words, std::size_t limit)
{
    const Places places = openEach(s);
    std::vector<Source> sources;
    for (const auto& place : places) {
        const auto filter = filterOf(*place->session, words);
        if (!filter)
            return place->session->exitCode;
        sources.push_back({place.get(), *filter, place->session->service().now(), {}});
    }
    const auto shown = printMerged(sources, widthOf(places), limit);
    if (!shown)
        return s.fail(shown.error());
    for (const Source& source : sources)
        if (const auto acts = source.place->session->store().waitingActs(kActsLooked); acts && !acts->empty())
            s.note((source.place->name.empty() ? std::string() : source.place->name + ": ")
                + std::to_string(acts->size()) + (acts->size() == 1 ? " act waits" : " acts wait")
                + " for an engine: `cairn acts` lists them");
    const auto cut = [](const Source& source) { return !source.ended || source.at < source.rows.size(); };
    if (std::any_of(sources.begin(), sources.end(), cut)) {
        std::uint64_t all = 0;
        for (const Source& source : sources) {
            auto total = source.place->session->query().count(source.filter);
            if (!total)
                return s.fail(total.error());
            all += *total;
        }
        if (all > *shown)
            s.note(std::to_string(all - *shown) + " more; raise --limit or narrow the filter");
    }
    return s.exitCode;
}

// Acts of people whose logins may not commit, until an engine carries them out; of all stores in one order.
int acts(Session& s, std::size_t limit)
{
    const Places places = openEach(s);
    std::vector<std::pair<StagedAct, const Place*>> all;
    bool cut = false;
    for (const auto& place : places) {
        auto waiting = place->session->store().waitingActs(limit);
        if (!waiting)
            return s.fail(waiting.error());
        cut = cut || waiting->size() == limit;
        for (StagedAct& act : *waiting)
            all.emplace_back(std::move(act), place.get());
    }
    std::stable_sort(all.begin(), all.end(),
        [](const auto& a, const auto& b) { return a.first.stagedAt < b.first.stagedAt; });
    cut = cut || all.size() > limit;
    all.resize(std::min(all.size(), limit));
    const std::size_t width = widthOf(places);
    for (const auto& [act, place] : all) {
        Json json = jsonAct(act);
        if (!place->name.empty())
            json["store"] = jsonText(place->options.store);
        s.answer(dump(json), (width == 0 ? std::string() : pad(place->name, width) + "  ") + actLine(act));
    }
    if (cut)
        s.note("there may be more; raise --limit");
    return s.exitCode;
}

void printWhy(Session& s, const Place& place, const RunView& view)
{
    const RunState& state = view.state;
    if (s.options.json) {
        Json json{{"run", toText(state.id)}, {"activity", key(view.explanation.summary.activity)},
            {"attention", key(view.explanation.summary.attention)},
            {"sentence", jsonSentence(view.sentence)}};
        if (!place.name.empty())
            json["store"] = jsonText(place.options.store);
        Json reasons = Json::array();
        for (const auto& item : view.explanation.reasons)
            reasons.push_back(jsonReason(item, state));
        json["reasons"] = reasons;
        json["actions"] = jsonActions(s, view.explanation.actions, state);
        Json chain = Json::array();
        for (const auto& [run, sentence] : view.chain)
            chain.push_back({{"run", toText(run)}, {"sentence", jsonSentence(sentence)}});
        json["chain"] = chain;
        addAnnotated(json, place.session->query().annotated(state, view.at));
        addAsked(json, state, askedOf(*place.session, state, false));
        json["waiting_acts"] = jsonActs(waitingOf(*place.session, state.id));
        s.json(dump(json, 2));
        return;
    }
    s.line(view.sentence.text);
    if (!place.name.empty())
        s.line("  " + pad("store", 16) + " " + place.options.store);
    for (const auto& [name, value] : view.sentence.evidence)
        s.line("  " + pad(name, 16) + " " + value);
    if (view.sentence.ends != "not recorded")
        s.line("  " + pad("ends with", 16) + " " + view.sentence.ends);
    for (const auto& [run, sentence] : view.chain)
        s.line("  " + pad("waits for run", 16) + " " + toText(run) + ": " + sentence.text);
    printAnnotated(s, place.session->query().annotated(state, view.at));
    printAskedOf(s, state, askedOf(*place.session, state, false));
    printWaiting(s, waitingOf(*place.session, state.id));
    bool heading = false;
    for (const auto& action : view.explanation.actions) {
        if (!action.allowed)
            continue;
        if (!heading)
            s.line("You can:");
        heading = true;
        s.line("  " + pad(std::string(key(action.verb)), 10)
            + (action.step == kNoStep ? std::string{} : " " + state.steps[action.step].id) + "  " + action.why
            + noCommand(s, action.verb));
        printOffers(s, action);
    }
}

// A key may be in use in several stores: then it must be said which is meant.
int why(Session& s, const std::string& named)
{
    const Places places = openEach(s);
    const Place* found = nullptr;
    RunId run;
    std::optional<Error> none;
    for (const auto& place : places) {
        const auto here = place->session->query().resolve(named);
        if (!here && here.error().kind != ErrorKind::NotFound)
            return s.fail(here.error());
        if (!here) {
            none = here.error();
            continue;
        }
        if (found)
            return s.fail(kUsage,
                "\"" + named + "\" is a run in " + found->name + " and one in " + place->name
                    + "; name one --store");
        found = place.get();
        run = *here;
    }
    if (!found && none && s.exitCode == kDone)
        return s.fail(*none);
    if (!found && none)
        s.note("not in the stores that can be read: " + none->text);
    if (!found)
        return s.exitCode;
    const auto view = found->session->query().run(run, 0);
    if (!view)
        return s.fail(view.error());
    printWhy(s, *found, *view);
    return s.exitCode;
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

// What is followed of one store.
struct Watched {
    const Place* place;
    ListFilter filter;
    std::uint64_t cursor = 0;
    bool silent = false;  // it does not answer, and that was said
    bool late = false;    // it is a standby, far behind, and that was said
    PrintedRuns printed;
};

// Said once when a standby falls behind, and once when it has caught up.
Status noteLag(Watched& watched)
{
    if (!watched.place->session->replica().standby)
        return {};
    CAIRN_TRY_ASSIGN(const Replica replica, watched.place->session->store().replica());
    if (const bool was = std::exchange(watched.late, replica.late()); was != replica.late())
        watched.place->session->note(
            (watched.place->name.empty() ? std::string() : watched.place->name + ": ")
            + replicaText(replica));
    return {};
}

Status printRemoved(const Place& place, std::size_t width, const RunId& run)
{
    Session& s = *place.session;
    CAIRN_TRY_ASSIGN(const auto stone, s.store().tombstone(run));
    if (!stone)
        return {};
    if (s.options.json) {
        Json json{{"run", toText(run)}, {"removed", jsonTime(stone->deletedAt)},
            {"text", jsonText(removedText(*stone))}};
        if (!place.name.empty())
            json["store"] = jsonText(place.options.store);
        s.json(dump(json));
        return {};
    }
    s.line((width == 0 ? std::string() : pad(place.name, width) + "  ") + toText(run) + "  "
        + pad("removed", 12) + " " + visibleLine(removedText(*stone)));
    return {};
}

Status printChanges(Watched& watched, std::size_t width)
{
    Session& s = *watched.place->session;
    CAIRN_TRY_ASSIGN(const Changes changes, s.query().changesSince(watched.cursor, 500));
    for (const auto& row : changes.rows) {
        CAIRN_TRY_ASSIGN(const bool matches, matching(s, watched.filter, row.run));
        if (!matches)
            continue;
        watched.printed.note(row.run);
        printRow(*watched.place, width, row, s.service().now());
    }
    for (const GoneRun& gone : changes.removed)
        if (watched.printed.take(gone.run))
            CAIRN_TRY(printRemoved(*watched.place, width, gone.run));
    watched.cursor = changes.cursor;
    return noteLag(watched);
}

// One of several stores that does not answer is told once, and asked again; the others are followed
// meanwhile.
int watch(Session& s, const std::vector<std::string>& words, SpanMs period, SpanMs total)
{
    const Places places = openEach(s);
    std::vector<Watched> all;
    for (const auto& place : places) {
        const auto filter = filterOf(*place->session, words);
        if (!filter)
            return place->session->exitCode;
        auto start = place->session->store().changesSince(0, 1);
        if (!start)
            return s.fail(start.error());
        all.push_back({place.get(), *filter, start->cursor, false, place->session->replica().late(),
            PrintedRuns(!filter->empty())});
    }
    if (all.empty())
        return s.exitCode;
    const std::size_t width = widthOf(places);
    Waiting waiting;  // a list that is followed over several stores is looked at in its own time
    const SpanMs until = total > 0 ? s.clock.monotonicMs() + total : 0;
    while (waiting.wait(period) != Waiting::Woken::Signal) {
        for (Watched& watched : all) {
            const Status printed = printChanges(watched, width);
            if (!printed && all.size() == 1)
                return s.fail(printed.error());
            if (const bool was = std::exchange(watched.silent, !printed); was == !printed)
                continue;
            s.note(watched.place->name
                + (printed ? ": answers again" : ": does not answer: " + printed.error().text));
        }
        std::fflush(stdout);
        if (until > 0 && s.clock.monotonicMs() >= until)
            break;
    }
    return s.exitCode;
}

}  // namespace

void addSeveralVerbs(Verbs v)
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
    {
        auto* cmd =
            v.app.add_subcommand("why", "One sentence: why the run does not move, and what may be done");
        auto run = std::make_shared<std::string>();
        cmd->add_option("RUN", *run, "id, unique beginning of an id, or key")->required();
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return why(s, *run); }; });
    }
    {
        auto limit = std::make_shared<std::size_t>(200);
        auto* acting =
            v.app.add_subcommand("acts", "Acts that wait for an engine or for somebody else, oldest first");
        addActDecisions(v, *acting);
        acting->add_option("--limit", *limit, "acts at most")->check(CLI::PositiveNumber);
        acting->callback([=, &s, &chosen] {
            if (acting->get_subcommands().empty())  // their own callbacks come first
                chosen = [=, &s] { return acts(s, *limit); };
        });
    }
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

}  // namespace cairn::cli
