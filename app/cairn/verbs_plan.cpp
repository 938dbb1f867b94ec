// plan: one act on many runs, staged, previewed, paced, stopped, and looked after.

#include "app/cairn/acting.h"
#include "app/cairn/plan_rows.h"
#include "app/cairn/waiting.h"
#include "core/base/text.h"
#include "core/plan/left.h"
#include "core/plan/runner.h"
#include "core/plan/words.h"
#include "core/service/staged.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace cairn::cli {

namespace {

struct StageArguments {
    std::string verb;
    std::vector<std::string> runs;
    PlanSpec spec;
    std::string rate, rampFrom, ramp, canaryWait, verify;
    std::string output, input, deadline, budget;
    bool noCompensation = false;
    std::uint32_t toVersion = 0;
};

// "5/s", "30/min", in items a minute.
Result<std::uint32_t> rateOf(const std::string& text)
{
    if (text.empty())
        return 0U;
    const auto slash = text.find('/');
    const std::string unit = slash == std::string::npos ? std::string() : text.substr(slash + 1);
    std::uint32_t number = 0;
    const char* end = text.data() + std::min(slash, text.size());
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    const std::uint32_t times = unit == "s" ? 60 : 1;
    if (fault != std::errc() || stop != end || number == 0 || (unit != "s" && unit != "min")
        || number > 600'000 / times)
        return makeError(ErrorKind::InvalidInput,
            "\"" + visibleLine(text)
                + "\" is no rate: give a whole number a second or a minute (5/s, 30/min)");
    return number * times;
}

Status spanInto(SpanMs& span, const std::string& text)
{
    if (text.empty())
        return {};
    CAIRN_TRY_ASSIGN(span, parseSpan(text == "0" ? "0ms" : text));
    return {};
}

Result<PlanPace> paceOf(const StageArguments& arguments)
{
    PlanPace pace = arguments.spec.pace;
    CAIRN_TRY_ASSIGN(pace.rate, rateOf(arguments.rate));
    CAIRN_TRY_ASSIGN(pace.rampFrom, rateOf(arguments.rampFrom));
    CAIRN_TRY(spanInto(pace.ramp, arguments.ramp));
    CAIRN_TRY(spanInto(pace.canaryWait, arguments.canaryWait));
    CAIRN_TRY(spanInto(pace.verify, arguments.verify));
    return pace;
}

Result<cmd::Body> bodyOf(Session& s, const StageArguments& arguments, Verb verb, Submission& submission)
{
    const auto json = [&](const std::string& given) {
        return attach(s, submission, given, "application/json");
    };
    const auto needed = [&](const std::string& given, const char* option) -> Status {
        if (!given.empty())
            return {};
        return makeError(ErrorKind::InvalidInput, arguments.verb + " needs " + option);
    };
    switch (verb) {
    case Verb::Pause: return cmd::Body(cmd::SetPaused{true, 0, false});
    case Verb::Resume: return cmd::Body(cmd::SetPaused{false, 0, false});
    case Verb::Cancel: return cmd::Body(cmd::Cancel{!arguments.noCompensation});
    case Verb::Compensate: return cmd::Body(cmd::Compensate{});
    case Verb::Migrate: return cmd::Body(cmd::Migrate{arguments.toVersion});
    case Verb::Retry: return cmd::Body(cmd::RetryStep{});
    case Verb::Skip: {
        cmd::SkipStep body;
        CAIRN_TRY_ASSIGN(body.output, json(arguments.output));
        return cmd::Body(body);
    }
    case Verb::Record: {
        CAIRN_TRY(needed(arguments.output, "--output"));
        cmd::RecordResult body;
        CAIRN_TRY_ASSIGN(body.output, json(arguments.output));
        return cmd::Body(body);
    }
    case Verb::Amend: {
        CAIRN_TRY(needed(arguments.input, "--input"));
        cmd::AmendInput body;
        CAIRN_TRY_ASSIGN(body.input, json(arguments.input));
        return cmd::Body(body);
    }
    case Verb::Deadline: {
        CAIRN_TRY(needed(arguments.deadline, "--deadline"));
        cmd::SetDeadline body;
        CAIRN_TRY_ASSIGN(body.deadline, typedDeadline(arguments.deadline, s.service().now()));
        return cmd::Body(body);
    }
    case Verb::Budget: {
        CAIRN_TRY(needed(arguments.budget, "--budget"));
        CAIRN_TRY_ASSIGN(const cmd::SetBudget body, typedBudget(arguments.budget));
        return cmd::Body(body);
    }
    default: return checkPlanVerb(verb).error();
    }
}

PlanAuthor authorOf(Session& s)
{
    const AuditRow who = s.personAct();
    return {s.login(), who.actor, who.uid, who.host, who.reason};
}

Result<PlanSpec> specFrom(Session& s, const StageArguments& arguments, std::span<const RunId> runs)
{
    const auto verb = parseKey<Verb>(arguments.verb);
    if (!verb)
        return makeError(ErrorKind::InvalidInput, "\"" + visibleLine(arguments.verb) + "\" is no verb");
    CAIRN_TRY(checkPlanVerb(*verb));
    PlanSpec spec = arguments.spec;
    CAIRN_TRY_ASSIGN(spec.pace, paceOf(arguments));
    spec.filter = s.options.where;
    Submission act;
    act.run = makeId<RunId>(s.clock.wallMs(), s.rng);  // of the template: no run's
    act.command.id = makeId<CommandId>(s.clock.wallMs(), s.rng);
    CAIRN_TRY_ASSIGN(act.command.body, bodyOf(s, arguments, *verb, act));
    return specFor(s.store(), s.service(), std::move(act), std::move(spec), runs);
}

int refused(Session& s, const PlanId& plan, const Error& why)
{
    if (why.kind == ErrorKind::Refused || why.kind == ErrorKind::NoRight)
        s.recordRefusal(Verb::Plan, plan.isNull() ? std::string("store") : toText(plan), why);
    return s.fail(why);
}

// The login may not write plans: an engine decides it again, and does it in this person's name. True: done.
bool answeredByEngine(Session& s, const Result<StagedAct>& left)
{
    if (!left) {
        s.fail(left.error());
        return false;
    }
    const auto answer = awaitEngine(s, left->command);
    if (!answer) {
        s.fail(answer.error());
        return false;
    }
    if (!*answer) {
        const std::string waits = "accepted, waits for an engine";
        s.answer(dump(Json{{"plan", left->target}, {"outcome", "staged"}, {"command", toText(left->command)},
                     {"text", waits}}),
            "plan " + left->target + ": " + waits);
        return false;
    }
    if ((*answer)->state == StagedState::Committed)
        return true;
    const Outcome outcome = outcomeOf(**answer);
    if (outcome.kind == Outcome::Kind::Rejected)
        s.fail(exitOfRejection(outcome.rejection), outcome.rejection.text);
    else
        s.fail(outcome.error);
    return false;
}

int leaveStaging(Session& s, const PlanDraft& draft, const PlanSpec& spec)
{
    if (!answeredByEngine(s, leavePlan(s.store(), draft)))
        return s.exitCode;
    const auto staged = s.store().plan(draft.row.id);
    if (!staged)
        return s.fail(staged.error());
    return printPlanPreview(s, staged->value_or(draft.row), spec, draft.preview, false);
}

int stage(Session& s, const StageArguments& arguments)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    if (const Status may = checkMayAct(s.rights()); !may)
        return s.fail(may.error());
    const auto runs = s.targets(arguments.runs);
    if (!runs)
        return s.exitCode;
    const auto spec = specFrom(s, arguments, *runs);
    if (!spec)
        return s.fail(spec.error());
    const auto draft = draftPlan(s.store(), s.service(), *spec, *runs, authorOf(s),
        makeId<PlanId>(s.clock.wallMs(), s.rng), makeId<CommandId>(s.clock.wallMs(), s.rng));
    if (!draft)
        return s.fail(draft.error());
    if (s.options.preview)
        return printPlanPreview(s, draft->row, *spec, draft->preview, true);
    if (!s.rights().commits)
        return leaveStaging(s, *draft, *spec);
    const auto staged = stagePlan(s.store(), *draft);
    return staged ? printPlanPreview(s, *staged, *spec, draft->preview, false)
                  : refused(s, {}, staged.error());
}

Result<PlanId> planNamed(Session& s, const std::string& named)
{
    const auto id = parseId<PlanId>(named);
    if (!id)
        return makeError(ErrorKind::InvalidInput,
            "\"" + visibleLine(named) + "\" is no id of a plan; `cairn plan list` tells them");
    CAIRN_TRY_ASSIGN(const auto found, s.store().plan(*id));
    if (!found)
        return makeError(
            ErrorKind::NotFound, "there is no plan " + toText(*id) + "; `cairn plan list --all` tells all");
    return *id;
}

// Until the plan needs nobody any more: it is paused, closed, or its runs are only looked after.
int carryOut(Session& s, const PlanId& plan)
{
    PlanRunnerConfig config;
    config.holder = makeId<SessionId>(s.clock.wallMs(), s.rng);
    config.who = authorOf(s);
    config.only = plan;
    PlanRunner runner(s.store(), s.service(), s.clock, std::move(config));
    Waiting waiting(s.options.store);
    for (;;) {
        const auto next = runner.tick();
        if (!next)
            return s.fail(next.error());
        if (!*next)
            break;
        if (s.service().pump() || waiting.wait(**next) != Waiting::Woken::Signal)
            continue;
        if (const Status left = runner.release(); !left)
            return s.fail(left.error());
        s.note("interrupted: an engine goes on with plan " + toText(plan) + ", or `cairn plan run`");
        break;
    }
    return showPlan(s, plan, {});
}

// Whoever may not carry it out watches the engines do so, until it needs nobody any more.
int watchPlan(Session& s, const PlanId& plan)
{
    constexpr SpanMs kLook = 1'000;  // a hint comes earlier, where the store has them
    Waiting waiting(s.options.store);
    std::string told;
    for (;;) {
        const auto row = s.store().plan(plan);
        if (!row)
            return s.fail(row.error());
        if (!*row)
            return s.fail(kNotFound, "there is no plan " + toText(plan));
        const bool ended = (*row)->state != PlanState::Running
            && ((*row)->state != PlanState::Verifying || (*row)->executedAt != kNoTime);
        if (ended)
            break;
        if (std::string now = standingOf(**row); now != told)
            s.note("plan " + toText(plan) + " " + (told = std::move(now)) + "; engines carry it out");
        if (waiting.wait(kLook) == Waiting::Woken::Signal)
            break;
    }
    return showPlan(s, plan, {});
}

// Whoever starts a plan where no engine is there would wait in vain.
void tellIfNobodyCarriesOut(Session& s, const PlanId& plan)
{
    const auto engines = s.store().sessions(false);
    if (engines && engines->empty())
        s.note("no engine is there to carry it out: start one, or `cairn plan run " + toText(plan) + "`");
}

// `order`: what a preview would do is said by the same decision.
int order(Session& s, const std::string& named, PlanAct act, const std::string& expect)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto id = planNamed(s, named);
    if (!id)
        return s.fail(id.error());
    PlanOrder wanted{*id, act, {}, makeId<CommandId>(s.clock.wallMs(), s.rng)};
    if (!expect.empty()) {
        const auto digest = parseDigest(expect);
        if (!digest)
            return s.fail(
                kUsage, "--expect takes the digest that `cairn plan preview` prints: 64 hexadecimal digits");
        wanted.digest = *digest;
    }
    if (s.options.preview) {
        const auto row = s.store().plan(*id);
        if (!row)
            return s.fail(row.error());
        const auto now = s.store().now();
        if (!now)
            return s.fail(now.error());
        const auto decided = previewOrder(s.store(), s.service(), **row, wanted, authorOf(s), s.info(), *now);
        return printPreview(s, decided ? Status() : Status(decided.error()),
            decided ? "plan " + toText(*id) + ": afterwards it " + std::string(label(decided->state))
                    : std::string());
    }
    if (!s.rights().commits) {
        if (const Status may = checkMayAct(s.rights()); !may)
            return s.fail(may.error());
        return answeredByEngine(s, leaveOrder(s.store(), s.service(), wanted, authorOf(s)))
            ? showPlan(s, *id, {})
            : s.exitCode;
    }
    const auto row = orderPlan(s.store(), s.service(), wanted, authorOf(s));
    if (!row)
        return s.fail(row.error());
    const auto spec = decodeSpec(row->spec);
    const bool goes = act == PlanAct::Start || act == PlanAct::Continue || act == PlanAct::Abort;
    if (goes && spec && runsAtOnce(*row, *spec) && row->holder.isNull() && isOpen(row->state))
        return carryOut(s, *id);
    if (goes && isOpen(row->state))  // an abort, too: somebody has to leave out the rest
        tellIfNobodyCarriesOut(s, *id);
    return showPlan(s, *id, {});
}

int preview(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    const auto id = planNamed(s, named);
    if (!id)
        return s.fail(id.error());
    const auto row = s.store().plan(*id);
    if (!row)
        return s.fail(row.error());
    const auto spec = decodeSpec((*row)->spec);
    if (!spec)
        return s.fail(spec.error());
    const auto seen = previewPlan(s.store(), s.service(), **row);
    return seen ? printPlanPreview(s, **row, *spec, *seen, true) : s.fail(seen.error());
}

int copy(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    const auto id = planNamed(s, named);
    if (!id)
        return s.fail(id.error());
    const auto row = s.store().plan(*id);
    if (!row)
        return s.fail(row.error());
    const auto spec = decodeSpec((*row)->spec);
    if (!spec)
        return s.fail(spec.error());
    std::vector<RunId> runs;
    for (std::uint32_t after = 0; spec->filter.empty();) {
        const auto items = s.store().planItems(*id, after, kPlanPage, {});
        if (!items)
            return s.fail(items.error());
        if (items->empty())
            break;
        after = items->back().ord;
        for (const PlanItem& item : *items)
            runs.push_back(item.run);
    }
    const std::string command = commandOf(**row, *spec, runs, s.options.store);
    s.answer(dump(Json{{"plan", toText(*id)}, {"command", jsonText(command)}}), command);
    return kDone;
}

int list(Session& s, bool all, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    const auto rows = s.store().plans(all, limit);
    if (!rows)
        return s.fail(rows.error());
    for (const PlanRow& row : *rows)
        printPlanRow(s, row);
    if (rows->empty() && !s.options.json)
        s.note(all ? "0 plans" : "0 plans are open; --all tells those that are closed too");
    return kDone;
}

int run(Session& s, const std::string& named)
{
    if (!s.openWriter())
        return s.exitCode;
    const auto id = planNamed(s, named);
    if (!id)
        return s.fail(id.error());
    return s.rights().commits ? carryOut(s, *id) : watchPlan(s, *id);
}

void addPaceOptions(CLI::App* cmd, StageArguments& a)
{
    cmd->add_option(
        "--rate", a.rate, "runs a second or a minute (5/s, 30/min); without it as fast as it goes");
    cmd->add_option("--ramp-from", a.rampFrom, "rate to begin with");
    cmd->add_option("--ramp", a.ramp, "span in which it grows to --rate");
    cmd->add_option("--jitter", a.spec.pace.jitter, "percent of the time between two runs")
        ->check(CLI::Range(0, 100));
    cmd->add_option(
        "--canary", a.spec.pace.canary, "so many runs first; the rest waits for what becomes of them");
    cmd->add_option("--canary-wait", a.canaryWait, "for so long at most (default 1m)");
    cmd->add_option("--stop-over", a.spec.pace.stopOver,
           "pauses the plan where more than this percentage returns to the same situation")
        ->check(CLI::Range(0, 100));
    cmd->add_option("--verify", a.verify,
        "how long the runs are looked after, before the plan is closed (default 10m; 0: not at all)");
}

void addStage(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto a = std::make_shared<StageArguments>();
    auto* cmd = group.add_subcommand("stage", "Freezes which runs an act is for, and says what it would do");
    cmd->add_option("VERB", a->verb,
           "retry, pause, resume, cancel, compensate, skip, record, amend, deadline, budget or migrate")
        ->required();
    cmd->add_option("RUN", a->runs, kRunsHelp);
    cmd->add_option("--where", s.options.where, "all runs that match this filter");
    cmd->add_option(
        "--step", a->spec.step, "step id, the same in all runs; default: that which each waits in");
    cmd->add_option("--output", a->output, "skip, record: JSON, @FILE or -");
    cmd->add_option("--input", a->input, "amend: JSON, @FILE or -");
    cmd->add_option("--deadline", a->deadline, "deadline: an instant, a span from now, or none");
    cmd->add_option("--budget", a->budget, "budget: \"25.00 EUR\", or \"200000 tokens\"");
    cmd->add_option("--to", a->toVersion, "migrate: version; default: the newest");
    cmd->add_flag("--no-compensation", a->noCompensation, "cancel: leave completed effects as they are");
    cmd->add_flag("--leave-out-uncertain", a->spec.leaveOutUncertain,
        "leaves out runs in which an effect may happen twice, instead of refusing the plan");
    addPaceOptions(cmd, *a);
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return stage(s, *a); }; });
}

void addOrder(Verbs v, CLI::App& group, PlanAct act, const char* help)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto plan = std::make_shared<std::string>();
    auto expect = std::make_shared<std::string>();
    auto* cmd = group.add_subcommand(std::string(key(act)), help);
    cmd->add_option("PLAN", *plan, "its id")->required();
    if (act == PlanAct::Confirm)
        cmd->add_option("--expect", *expect, "digest of the plan that was looked at")->required();
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return order(s, *plan, act, *expect); }; });
}

void addNamed(Verbs v, CLI::App& group, const char* name, const char* help,
    std::function<int(Session&, const std::string&)> call)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto plan = std::make_shared<std::string>();
    auto* cmd = group.add_subcommand(name, help);
    cmd->add_option("PLAN", *plan, "its id")->required();
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return call(s, *plan); }; });
}

void addShow(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto plan = std::make_shared<std::string>();
    auto page = std::make_shared<PlanPage>();
    auto* cmd = group.add_subcommand("show", "How far a plan has come, and what became of its runs");
    cmd->add_option("PLAN", *plan, "its id")->required();
    cmd->add_option("--items", page->limit, "so many runs with their outcomes")
        ->check(CLI::Range(0, 100'000));
    cmd->add_option("--after", page->after, "from the one after this place on");
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            if (!s.openReader())
                return s.exitCode;
            const auto id = planNamed(s, *plan);
            return id ? showPlan(s, *id, *page) : s.fail(id.error());
        };
    });
}

}  // namespace

void addPlanVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* group = v.app.add_subcommand("plan", "One act on many runs, at a pace, and what becomes of them");
    group->require_subcommand(1);
    addStage(v, *group);
    addNamed(
        v, *group, "preview", "What the plan would do now, to the runs that have no outcome yet", preview);
    addOrder(v, *group, PlanAct::Confirm, "Agrees to a plan of somebody else, where two people are needed");
    const std::string start = "Starts it: an engine carries it out; up to " + std::to_string(kAtOnceRuns)
        + " runs without pace and verification, this command";
    addOrder(v, *group, PlanAct::Start, start.c_str());
    addOrder(v, *group, PlanAct::Pause, "No further run is acted on");
    addOrder(v, *group, PlanAct::Continue, "Lets a plan that is paused, or stopped by itself, go on");
    addOrder(v, *group, PlanAct::Abort, "Ends it: what is done stays done, the rest is left as it is");
    addNamed(v, *group, "run",
        "Carries it out here, where no engine is there to do it; without that right it watches", run);
    addShow(v, *group);
    {
        auto all = std::make_shared<bool>(false);
        auto limit = std::make_shared<std::size_t>(100);
        auto* cmd = group->add_subcommand("list", "Plans that are not closed, the newest first");
        cmd->add_flag("--all", *all, "those that are closed too");
        cmd->add_option("--limit", *limit, "plans at most")->check(CLI::PositiveNumber);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return list(s, *all, *limit); }; });
    }
    addNamed(v, *group, "copy", "The command that stages the same plan", copy);
}

}  // namespace cairn::cli
