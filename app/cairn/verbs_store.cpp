// store init|info|check|migrate|backup|clock, verify.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/text.h"
#include "core/service/sessions.h"
#include "core/store/checks.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

namespace cairn::cli {

namespace {

Status named(Session& s)
{
    if (s.options.store.empty())
        return makeError(ErrorKind::InvalidInput,
            std::string("no store named: give --store ") + kStoreUrls + ", or set CAIRN_STORE");
    return {};
}

// Whether the act was refused, or its place: a link, or a file system of the network, is no store to anybody.
int failedAt(Session& s, const Error& error)
{
    if (error.kind == ErrorKind::NotFound)
        return s.fail(kUnreachable, error.text);
    if (error.kind == ErrorKind::Refused) {
        StoreOptions reading;
        reading.readOnly = true;
        const auto opened = openStoreUrl(s.options.store, reading);
        if (!opened && opened.error().kind == ErrorKind::Refused)
            return s.fail(kUnreachable, error.text);
    }
    return s.fail(error);
}

int init(Session& s, const InitOptions& options)
{
    if (auto there = named(s); !there)
        return s.fail(there.error());
    InitOptions wanted = options;
    wanted.preview = s.options.preview;
    if (auto made = initStoreUrl(s.options.store, wanted); !made)
        return failedAt(s, made.error());
    if (s.options.preview)
        return printPreview(s, {},
            s.options.store + " is created (" + options.environment + ", "
                + (options.guarded ? "guarded" : "free") + (options.testClock ? ", test clock" : "") + ")"
                + (options.artifacts.empty() ? "" : "; large payloads go into " + options.artifacts));
    s.answer(dump(Json{{"store", s.options.store}, {"environment", options.environment},
                 {"safety", options.guarded ? "guarded" : "free"}, {"test_clock", options.testClock},
                 {"roles", options.roles},
                 {"bucket", options.artifacts.empty() ? Json() : Json(options.artifacts)}}),
        "created " + s.options.store + " (" + options.environment + ", "
            + (options.guarded ? "guarded" : "free") + (options.testClock ? ", test clock" : "")
            + (options.roles ? ", with roles" : "") + ")"
            + (options.artifacts.empty() ? "" : "; large payloads go into " + options.artifacts));
    return kDone;
}

using ShownHints = std::map<SessionId, HintHealth::State>;

std::optional<HintHealth::State> shownBy(const ShownHints& shown, const SessionRow& row)
{
    const auto found = shown.find(row.id);
    return found == shown.end() ? std::nullopt : std::optional(found->second);
}

Json jsonHints(std::optional<HintHealth::State> state)
{
    if (!state)
        return {};
    return *state == HintHealth::State::Deaf     ? "deaf"
        : *state == HintHealth::State::Listening ? "heard"
                                                 : "beginning";
}

Json jsonSessions(const std::vector<SessionRow>& rows, const ShownHints& shown)
{
    Json list = Json::array();
    for (const auto& row : rows)
        list.push_back(
            {{"session", toText(row.id)}, {"name", jsonText(row.name)}, {"host", jsonText(row.host)},
                {"pid", row.pid}, {"build", row.build}, {"heartbeat", jsonTime(row.heartbeatAt)},
                {"lease_until", jsonTime(row.leaseUntil)}, {"hints", jsonHints(shownBy(shown, row))}});
    return list;
}

std::string sessionLine(const SessionRow& row, const ShownHints& shown)
{
    const bool deaf = shownBy(shown, row) == HintHealth::State::Deaf;
    return row.name + "  " + toText(row.id) + "  pid " + std::to_string(row.pid) + " on " + row.host
        + ", heartbeat " + formatInstant(row.heartbeatAt)
        + (deaf ? ", AMBER: does not hear hints, asks at intervals" : "");
}

// Why nothing may be written into it; null: it may.
Json closedText(const StoreInfo& info)
{
    const auto fence = fenceOf(info.minWriter);
    return fence ? Json(fenceError(*fence).text) : Json();
}

// How far a standby is behind; null: this is none.
Json jsonReplica(const Replica& replica)
{
    if (!replica.standby)
        return {};
    const SpanMs behind = replica.behind();
    return {{"behind_ms", behind == kUnknownAge ? Json() : Json(behind)}, {"receives", replica.receives},
        {"replays_all", replica.replaysAll}, {"text", replicaText(replica)}};
}

// What `store info` has read beside StoreInfo.
struct Seen {
    HeardSessions sessions;
    std::map<SessionId, HintHealth::State> hints;
    std::vector<CountRow> counts;
};

void printInfoJson(Session& s, const Seen& seen)
{
    const StoreInfo& i = s.info();
    Json json{{"id", uuidText(i.id)}, {"schema", i.schema}, {"min_reader", i.minReader},
        {"min_writer", i.minWriter}, {"write_format", i.writeFormat}, {"environment", i.environment},
        {"safety", i.safety == Safety::Guarded ? "guarded" : "free"}, {"test_clock", i.testClock},
        {"clock_offset_ms", i.clockOffset}, {"now", jsonTime(s.service().now())}, {"closed", closedText(i)},
        {"bucket", i.artifacts.url.empty() ? Json() : Json(i.artifacts.url)},
        {"writes_to_bucket", i.artifacts.writes}};
    if (i.serverTimeline != 0)
        json["server"] = {{"system", std::to_string(i.serverSystem)}, {"timeline", i.serverTimeline}};
    json["standby"] = jsonReplica(s.replica());
    json["sessions"] = jsonSessions(seen.sessions.heard(), seen.hints);
    json["silent_sessions"] = jsonSessions(seen.sessions.silent(), seen.hints);
    Json groups = Json::array();
    for (const auto& row : seen.counts)
        groups.push_back({{"attention", key(row.attention)}, {"activity", key(row.activity)},
            {"reason", row.reason == Reason::None ? Json() : Json(key(row.reason))}, {"count", row.count},
            {"oldest", jsonTime(row.oldest)}});
    json["counts"] = groups;
    s.json(dump(json, 2));
}

void printPlace(Session& s)
{
    const StoreInfo& i = s.info();
    s.line("store    " + s.options.store + "  " + uuidText(i.id));
    s.line("schema   " + std::to_string(i.schema) + ", writes entry format " + std::to_string(i.writeFormat));
    if (const auto fence = fenceOf(i.minWriter))
        s.line("closed   " + fenceError(*fence).text);
    s.line("safety   " + i.environment + ", " + (i.safety == Safety::Guarded ? "guarded" : "free")
        + (i.testClock ? ", TEST CLOCK, offset " + formatSpan(i.clockOffset) : ""));
    if (i.serverTimeline != 0)
        s.line("server   system " + std::to_string(i.serverSystem) + ", timeline "
            + std::to_string(i.serverTimeline));
    if (s.replica().standby)
        s.line("standby  " + replicaText(s.replica()));
    if (!i.artifacts.url.empty())
        s.line("bucket   " + i.artifacts.url
            + (i.artifacts.writes ? ", large payloads go there"
                                  : ", large payloads may lie there; new ones do not"));
    s.line("time     " + formatInstant(s.service().now()));
}

int info(Session& s)
{
    if (!s.openReader())
        return s.exitCode;
    auto sessions = hearSessions(s.store(), s.service().now(), goneHere());
    if (!sessions)
        return s.fail(sessions.error());
    auto hints = s.store().shownHints();
    if (!hints)
        return s.fail(hints.error());
    auto counts = s.query().counts({});
    if (!counts)
        return s.fail(counts.error());
    const Seen seen{*std::move(sessions), *std::move(hints), *std::move(counts)};
    if (s.options.json) {
        printInfoJson(s, seen);
        return kDone;
    }
    printPlace(s);
    s.line("engines  " + std::to_string(seen.sessions.heard().size()));
    for (const auto& row : seen.sessions.heard())
        s.line("  " + sessionLine(row, seen.hints));
    if (const auto silent = seen.sessions.silent(); !silent.empty()) {
        s.line("silent   " + std::to_string(silent.size()) + ", past their lease; the next engine ends them");
        for (const auto& row : silent)
            s.line("  " + sessionLine(row, seen.hints));
    }
    s.line("runs");
    for (const auto& row : seen.counts)
        s.line("  " + formatCount(static_cast<std::int64_t>(row.count)) + "  "
            + std::string(label(row.activity))
            + (row.reason == Reason::None ? std::string{} : ", " + std::string(label(row.reason))));
    return kDone;
}

// `looked`: what the answer of a clean store has beside.
int printProblems(
    Session& s, const std::vector<VerifyProblem>& problems, const std::string& clean, const Json& looked)
{
    for (const auto& problem : problems)
        s.answer(dump(Json{{"where", jsonText(problem.where)}, {"problem", jsonText(problem.text)}}),
            problem.where + ": " + problem.text);
    if (!problems.empty())
        return kRefused;
    Json json{{"clean", true}};
    json.update(looked);
    s.answer(dump(json), clean);
    return kDone;
}

// What a check says of the payloads that lie in a bucket, and a backup.
std::string elsewhereText(Session& s, bool unread)
{
    const std::string& url = s.info().artifacts.url;
    if (url.empty())
        return {};
    if (unread)
        return "; what lies in " + url + " was not looked at";
    const auto totals = s.store().chunkTotals();
    return "; each of " + formatCount(static_cast<std::int64_t>(totals ? totals->elsewhere : 0))
        + " chunks in " + url + " was read";
}

int check(Session& s, bool quick)
{
    if (!s.openReader())
        return s.exitCode;
    auto problems = s.store().check(!quick);
    if (!problems)
        return s.fail(problems.error());
    if (quick)
        return printProblems(s, *problems,
            "nothing is wrong as far as --quick looks: it reads no history; `cairn store check` without it "
            "does"
                + elsewhereText(s, quick),
            Json{{"runs", Json()}, {"entries", Json()}});
    auto chains = readChains(s.store());
    if (!chains)
        return s.fail(chains.error());
    problems->insert(problems->end(), chains->problems.begin(), chains->problems.end());
    return printProblems(s, *problems,
        "the store is sound: its file, its shape, the audit's chain and those of "
            + formatCount(static_cast<std::int64_t>(chains->runs))
            + (chains->runs == 1 ? " run with " : " runs with ")
            + formatCount(static_cast<std::int64_t>(chains->entries))
            + (chains->entries == 1 ? " entry" : " entries") + " (`cairn verify` also folds them)"
            + elsewhereText(s, quick),
        Json{{"runs", chains->runs}, {"entries", chains->entries}});
}

// The store is of this version now, so that it can be opened.
bool recordMigration(Session& s, const MigrateOutcome& report)
{
    return s.openWriter()
        && s.record(Verb::MigrateStore, "store", "{\"schema\":" + std::to_string(report.from) + "}",
            "{\"schema\":" + std::to_string(report.to)
                + ",\"contracted\":" + (report.contracted ? "true" : "false") + "}");
}

int migrate(Session& s, bool contract)
{
    if (auto there = named(s); !there)
        return s.fail(there.error());
    auto report = migrateStoreUrl(s.options.store, contract, s.options.preview);
    if (!report)
        return failedAt(s, report.error());
    if (s.options.preview)
        return printPreview(s, {}, report->text);
    if (report->changed && !recordMigration(s, *report))
        return s.exitCode;
    s.answer(dump(Json{{"from", report->from}, {"to", report->to}, {"contracted", report->contracted},
                 {"text", report->text}}),
        report->text);
    return kDone;
}

int backup(Session& s, const std::string& path)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const std::string& url = s.info().artifacts.url;
    const std::string left =
        url.empty() ? "" : "; what lies in " + url + " stays there, and is read by the copy too";
    // What is copied is recorded here, and a store that is being moved, or was, takes no record.
    Status may = s.store().checkBackup(path);
    if (const auto fence = fenceOf(s.info().minWriter))
        may = fenceError(*fence);
    if (!may && !s.options.preview)
        return s.fail(may.error());
    if (s.options.preview)
        return printPreview(s, may, "the store is copied to " + path + " and the copy checked" + left);
    if (auto done = s.store().backup(path); !done)
        return s.fail(done.error());
    std::string place = "{\"file\":";
    appendJsonString(place, path);
    if (!s.record(Verb::BackUpStore, "store", "{}", place + "}"))
        return s.exitCode;
    s.answer(dump(Json{{"backup", path}, {"bucket", url.empty() ? Json() : Json(url)}}),
        "copied and checked: " + path + left);
    return kDone;
}

int clockOffset(Session& s, const std::string& text)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    auto span = parseSpan(text);
    if (!span)
        return s.fail(span.error());
    const SpanMs offset = s.info().clockOffset + *span;
    constexpr TimeMs kLastTime = 253'402'300'799'999;  // of year 9999: RFC 3339 has no later one
    if (s.service().now() > kLastTime - *span)
        return s.fail(kUsage, "the clock goes up to the end of the year 9999, and it would be past that");
    if (s.options.preview)
        return printPreview(
            s, checkClockOffset(s.info()), "the test clock will be " + formatSpan(offset) + " ahead");
    if (!s.reasonGiven(Verb::MoveClock))
        return s.exitCode;
    if (auto set = s.store().setClockOffset(offset); !set) {
        s.recordRefusal(Verb::MoveClock, "store", set.error());
        return s.fail(set.error());
    }
    if (!s.record(Verb::MoveClock, "store",
            "{\"clock_offset_ms\":" + std::to_string(s.info().clockOffset) + "}",
            "{\"clock_offset_ms\":" + std::to_string(offset) + "}"))
        return s.exitCode;
    s.answer(dump(Json{{"clock_offset_ms", offset}}), "the test clock is " + formatSpan(offset) + " ahead");
    return kDone;
}

int verify(Session& s, const std::vector<std::string>& named)
{
    if (!s.openReader())
        return s.exitCode;
    std::vector<VerifyProblem> problems;
    std::uint64_t checked = 0;
    const auto one = [&](const RunId& run) -> Status {
        CAIRN_TRY_ASSIGN(auto found, verifyRun(s.store(), run));
        problems.insert(problems.end(), found.begin(), found.end());
        ++checked;
        return {};
    };
    for (const auto& name : named) {
        const auto run = s.target(name);
        if (!run)
            return s.exitCode;
        if (auto done = one(*run); !done)
            return s.fail(done.error());
    }
    if (named.empty()) {
        std::optional<PageKey> after;
        do {
            auto page = s.store().list({}, ListOrder::NewestFirst, after, 500);
            if (!page)
                return s.fail(page.error());
            for (const auto& row : page->rows)
                if (auto done = one(row.run); !done)
                    return s.fail(done.error());
            after = page->next;
        } while (after);
        auto deep = s.store().check(true);
        if (!deep)
            return s.fail(deep.error());
        problems.insert(problems.end(), deep->begin(), deep->end());
    }
    if (auto rewritten = headProblem(s))
        problems.push_back(*std::move(rewritten));
    return printProblems(s, problems,
        formatCount(static_cast<std::int64_t>(checked)) + (checked == 1 ? " run" : " runs")
            + ": chains, states and derived rows agree",
        Json{{"runs", checked}});
}

void addInit(Verbs v, CLI::App* group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* cmd = group->add_subcommand("init", "Creates a store");
    auto options = std::make_shared<InitOptions>();
    cmd->add_option("--env", options->environment, "environment word, for example dev, test or prod");
    cmd->add_flag("--guarded", options->guarded,
        "a person gives a reason for acts on runs, for moving the store, its bucket and its clock");
    cmd->add_flag("--test-clock", options->testClock,
        "the clock may be moved on (store clock); consoles show TEST CLOCK");
    cmd->add_flag("--roles", options->roles,
        "PostgreSQL: owned by the role cairn_owner, with rights for engine, operator, approver, viewer "
        "and auditor");
    cmd->add_option("--artifacts", options->artifacts,
        std::string("where large payloads go instead of into the store: ") + kBucketUrls);
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return init(s, *options); }; });
}

void addVerify(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto runs = std::make_shared<std::vector<std::string>>();
    auto* cmd = v.app.add_subcommand("verify",
        "Folds histories and compares with what is stored; all runs where none is named; or proves a bundle");
    cmd->add_option(
        "RUN", *runs, "ids, unique beginnings of ids, or keys; none: all runs; or a bundle's file");
    auto signedBy = std::make_shared<std::string>();
    cmd->add_option(
        "--signed-by", *signedBy, "of a bundle: the public key that must have signed it, or its file");
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            const auto bundle = verifyIfBundle(s, *runs, *signedBy);
            return bundle ? *bundle : verify(s, *runs);
        };
    });
}

}  // namespace

void addStoreVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* group =
        v.app.add_subcommand("store", "Creates, inspects, checks, migrates, backs up and moves a store");
    group->require_subcommand(1);
    addInit(v, group);
    group->add_subcommand("info", "What the store is, its engines and counts")->callback([&] {
        chosen = [&s] { return info(s); };
    });
    {
        auto quick = std::make_shared<bool>(false);
        auto* cmd = group->add_subcommand("check",
            "Schema shape, integrity, append-only, the audit's chain, each entry and chunk; --quick reads "
            "none of these two");
        cmd->add_flag("--quick", *quick,
            "leaves out what takes long: the entries of runs, chunks of payloads (a bucket's too), and on "
            "SQLite indexes and references between tables");
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return check(s, *quick); }; });
    }
    {
        auto contract = std::make_shared<bool>(false);
        auto* cmd =
            group->add_subcommand("migrate", "Brings the schema to this version; older engines may go on");
        cmd->add_flag("--contract", *contract,
            "write the newest format from now on; refused while an older engine lives");
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return migrate(s, *contract); }; });
    }
    {
        auto path = std::make_shared<std::string>();
        auto* cmd =
            group->add_subcommand("backup", "Copies the store while it is in use, and checks the copy");
        cmd->add_option("FILE", *path, "where the copy goes; must not exist")->required();
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return backup(s, *path); }; });
    }
    {
        auto span = std::make_shared<std::string>();
        auto* cmd = group->add_subcommand("clock", "Moves the clock of a test-clock store on");
        cmd->add_option("SPAN", *span, "for example 24h")->required();
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return clockOffset(s, *span); }; });
    }
    addArtifactsVerb(v, *group);
    addCopyVerb(v, *group);
    addVerify(v);
}

}  // namespace cairn::cli
