// retention: how long runs are kept, what goes now and what stays and why; redact: bytes that go before.

#include "app/cairn/acting.h"
#include "app/cairn/json_rows.h"
#include "core/base/counted.h"
#include "core/base/secrets.h"
#include "core/base/signing.h"
#include "core/base/text.h"
#include "core/service/redaction.h"
#include "core/service/retention.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

namespace cairn::cli {

namespace {

struct RetentionArguments {
    std::optional<std::string> workflow;
    std::uint32_t keep = 0;
    std::int64_t redact = -1;
    std::int64_t keys = -1;
    std::string key;
};

std::string nameOf(const std::string& workflow)
{
    return workflow.empty() ? "(driven runs)" : visibleLine(workflow);
}

std::string daysText(std::uint32_t days, const char* none)
{
    return days == 0 ? std::string(none) : counted(days, "day");
}

// --- rules

int showRules(Session& s)
{
    if (!s.openReader())
        return s.exitCode;
    const auto rules = retentionRules(s.store());
    if (!rules)
        return s.fail(rules.error());
    Json all = Json::array();
    for (const RetentionRule& rule : *rules) {
        all.push_back(Json{{"workflow", jsonText(rule.workflow)}, {"keep_days", rule.keepDays},
            {"redact_days", rule.redactDays}, {"keys_days", rule.keysDays}, {"source", rule.source}});
        if (!s.options.json)
            s.line(pad(nameOf(rule.workflow), 24) + "kept " + daysText(rule.keepDays, "")
                + ", payloads redacted "
                + (rule.redactDays == 0 ? "never" : "after " + daysText(rule.redactDays, ""))
                + ", keys known " + (rule.keysDays == 0 ? "for ever" : daysText(rule.keysDays, "")) + "; "
                + rule.source);
    }
    if (s.options.json)
        s.json(dump(Json{{"rules", all}}));
    return kDone;
}

std::string ruleJson(const RetentionRule& rule)
{
    return dump(Json{{"keep_days", rule.keepDays}, {"redact_days", rule.redactDays},
        {"keys_days", rule.keysDays}, {"source", rule.source}});
}

int setRule(Session& s, const RetentionArguments& arguments)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    if (!s.reasonGiven(s.options.preview ? std::nullopt : std::optional(Verb::Retain)))
        return s.exitCode;
    const auto rules = retentionRules(s.store());
    if (!rules)
        return s.fail(rules.error());
    RetentionRule before{*arguments.workflow, RetentionPolicy{}.keepDays, RetentionPolicy{}.redactDays, 0,
        "where nothing is said"};
    for (const RetentionRule& rule : *rules)
        if (rule.workflow == *arguments.workflow)
            before = rule;
    const auto changed = [](std::int64_t given, std::uint32_t old) {
        return given < 0 ? old : static_cast<std::uint32_t>(std::min<std::int64_t>(given, kMostDays + 1));
    };
    RetentionRow row;
    row.workflow = *arguments.workflow;
    row.keepDays = arguments.keep == 0 ? before.keepDays : arguments.keep;
    row.redactDays = changed(arguments.redact, before.redactDays);
    row.keysDays = changed(arguments.keys, before.keysDays);
    const Status fits = checkRetention(row);
    const RetentionRule after{row.workflow, row.keepDays, row.redactDays, row.keysDays, "set in the store"};
    const std::string text = "runs of " + nameOf(row.workflow) + " are kept " + daysText(row.keepDays, "")
        + " after they ended (before: " + daysText(before.keepDays, "")
        + "); `cairn retention preview` says what goes";
    if (s.options.preview)
        return printPreview(s, fits, fits ? text : std::string());
    if (!fits)
        return s.fail(fits.error());
    AuditRow audit = s.personAct();
    audit.login = s.login();
    audit.time = s.service().now();
    audit.kind = "applied";
    audit.verb = Verb::Retain;
    audit.target = visibleLine(row.workflow);
    audit.command = makeId<CommandId>(s.clock.wallMs(), s.rng);
    audit.before = ruleJson(before);
    audit.after = ruleJson(after);
    if (const Status done = s.store().setRetention(row, audit); !done) {
        s.recordRefusal(Verb::Retain, row.workflow, done.error());
        return s.fail(done.error());
    }
    s.answer(ruleJson(after), text);
    return kDone;
}

// --- preview and run

RetentionBy personBy(Session& s)
{
    const AuditRow act = s.personAct();
    RetentionBy by;
    by.name = act.actor;
    by.login = s.login();
    by.uid = act.uid;
    by.host = act.host;
    by.reason = act.reason;
    by.person = true;
    return by;
}

struct Listed {
    Json go = Json::array();
    Json stay = Json::array();
    Json redact = Json::array();
    RetentionDone removed;
    RetentionDone redacted;
};

void list(Session& s, RetentionDo what, const TreeVerdict& verdict, Listed& out)
{
    Json row{{"root", toText(verdict.root)}, {"workflow", jsonText(verdict.workflow)},
        {"ended", jsonTime(verdict.endedAt)}, {"runs", verdict.runs.size()}};
    const std::string line = toText(verdict.root) + "  " + nameOf(verdict.workflow) + "  ended "
        + formatInstant(verdict.endedAt) + "  " + counted(verdict.runs.size(), "run");
    if (!verdict.stays.empty()) {
        row["why"] = jsonText(verdict.stays);
        if (what == RetentionDo::Remove)
            out.stay.push_back(std::move(row));
        if (what == RetentionDo::Remove && !s.options.json)
            s.line("stays   " + line + "  " + visibleLine(verdict.stays));
        return;
    }
    const bool removes = what == RetentionDo::Remove;
    row["bytes"] = removes ? verdict.bytes() : verdict.payloadBytes;
    (removes ? out.go : out.redact).push_back(std::move(row));
    if (!s.options.json)
        s.line((removes ? "goes    " : "redacts ") + line + "  "
            + formatBytes(removes ? verdict.bytes() : verdict.payloadBytes));
}

// One pass. Where it only shows, what the verdict would do is counted as done.
Status pass(
    Session& s, const RetentionBy& by, RetentionDo what, const RetentionArguments& arguments, Listed& out)
{
    const bool shows = s.options.preview;
    RetentionPass pass(s.store(), s.rng, by, what);
    CAIRN_TRY(pass.begin(arguments.workflow));
    RetentionDone& done = what == RetentionDo::Remove ? out.removed : out.redacted;
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto verdict, pass.next());
        if (!verdict)
            return {};
        list(s, what, *verdict, out);
        if (!shows) {
            CAIRN_TRY(carryOut(s.store(), s.service(), by, *verdict, done));
        } else if (verdict->stays.empty()) {
            ++done.trees;
            done.runs += verdict->runs.size();
            done.bytes += what == RetentionDo::Remove ? verdict->bytes() : verdict->payloadBytes;
            for (const auto& [run, payloads] : verdict->payloads)
                done.payloads += payloads.size();
        } else {
            ++done.stayed;
        }
    }
}

Json jsonDone(const Listed& listed, std::uint64_t givenBack, const StoreSpace& space)
{
    return Json{{"trees", listed.removed.trees}, {"runs", listed.removed.runs},
        {"bytes", listed.removed.bytes}, {"stayed", listed.removed.stayed}, {"changed", listed.removed.moved},
        {"redacted_runs", listed.redacted.runs}, {"redacted_payloads", listed.redacted.payloads},
        {"redacted_bytes", listed.redacted.bytes}, {"proposed_runs", listed.redacted.proposed},
        {"given_back", givenBack}, {"store_bytes", space.bytes}, {"store_free", space.free},
        {"removes", listed.go}, {"stays", listed.stay}, {"redacts", listed.redact}};
}

void print(Session& s, const Listed& listed, std::uint64_t givenBack, const StoreSpace& space)
{
    if (s.options.json)
        return s.json(dump(jsonDone(listed, givenBack, space)));
    const bool shows = s.options.preview;
    s.line((shows ? "would remove " : "removed ") + counted(listed.removed.trees, "tree") + " ("
        + counted(listed.removed.runs, "run") + ", " + formatBytes(listed.removed.bytes) + "), "
        + (shows ? "redact " : "redacted ") + counted(listed.redacted.payloads, "payload") + " ("
        + formatBytes(listed.redacted.bytes) + "); " + counted(listed.removed.stayed, "tree")
        + " past its time stays");
    if (listed.redacted.proposed > 0)
        s.line(counted(listed.redacted.proposed, "run")
            + " to redact: somebody else has to confirm each, `cairn acts` lists them");
    if (!shows)
        s.line("given back to the file system: " + formatBytes(givenBack) + "; the store has "
            + formatBytes(space.bytes) + ", of which " + formatBytes(space.free)
            + " are free for what comes");
}

int run(Session& s, const RetentionArguments& arguments)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    if (!s.options.preview && !s.reasonGiven(Verb::Retain))
        return s.exitCode;
    RetentionBy by = personBy(s);
    if (!arguments.key.empty()) {
        auto key = readKey(arguments.key);
        if (!key)
            return s.fail(key.error());
        by.key = std::make_shared<const SigningKey>(*std::move(key));
    }
    Listed listed;
    for (const RetentionDo what : {RetentionDo::Remove, RetentionDo::Redact})
        if (const Status done = pass(s, by, what, arguments, listed); !done)
            return s.fail(done.error());
    std::uint64_t givenBack = 0;
    if (!s.options.preview) {
        const auto swept = sweep(s.store(), s.service().now(), [] { return false; });
        if (!swept)
            return s.fail(swept.error());
        givenBack = *swept;
    }
    const auto space = s.store().space();
    print(s, listed, givenBack, space ? *space : StoreSpace{});
    return kDone;
}

// --- what was removed

Json jsonStone(const UuidBytes& store, const Tombstone& stone)
{
    const StoneSeal seal = sealOf(store, stone);
    return Json{{"run", toText(stone.run)}, {"root", toText(stone.root)},
        {"workflow", jsonText(stone.workflow)}, {"version", stone.workflowVersion},
        {"entries", stone.versions}, {"head", hex(stone.head)}, {"created", jsonTime(stone.createdAt)},
        {"ended", jsonTime(stone.endedAt)}, {"as", std::string(key(stone.as))},
        {"removed", jsonTime(stone.deletedAt)}, {"by", jsonText(stone.by)}, {"rule", jsonText(stone.rule)},
        {"audit_entry", stone.act},
        {"signature",
            seal == StoneSeal::Good      ? "good"
                : seal == StoneSeal::Bad ? "bad"
                                         : "none"}};
}

int removed(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    Json all = Json::array();
    bool bad = false;
    const auto tell = [&](const Tombstone& stone) {
        bad = bad || sealOf(s.info().id, stone) == StoneSeal::Bad;
        if (s.options.json)
            all.push_back(jsonStone(s.info().id, stone));
        else
            s.line(visibleLine(removedText(stone))
                + (sealOf(s.info().id, stone) == StoneSeal::Bad ? "; ITS SIGNATURE IS WRONG" : ""));
    };
    RunId after;
    if (!named.empty()) {
        const auto id = parseId<RunId>(named);
        if (!id)
            return s.fail(kUsage, "\"" + visibleLine(named) + "\" is no whole id of a run");
        const auto stone = s.store().tombstone(*id);
        if (!stone)
            return s.fail(stone.error());
        if (!*stone)
            return s.fail(kNotFound, "run " + toText(*id) + " was not removed from this store");
        tell(**stone);
    }
    constexpr std::size_t kPage = 500;
    for (bool more = named.empty(); more;) {
        const auto page = s.store().tombstones(after, kPage);
        if (!page)
            return s.fail(page.error());
        for (const Tombstone& stone : *page) {
            after = stone.run;
            tell(stone);
        }
        more = page->size() == kPage;
    }
    if (s.options.json)
        s.json(dump(Json{{"removed", all}}));
    return bad ? kRefused : kDone;
}

// --- what is never stored

struct NeverArguments {
    std::vector<std::string> keys;
    std::vector<std::string> patterns;
    std::vector<std::string> drop;
};

Json jsonNames(const std::vector<std::string>& names)
{
    Json all = Json::array();
    for (const std::string& name : names)
        all.push_back(jsonText(name));
    return all;
}

Json jsonList(const SecretList& list)
{
    return Json{{"keys", jsonNames(list.keys)}, {"patterns", jsonNames(list.patterns)}};
}

void printList(Session& s, const SecretList& list)
{
    if (s.options.json)
        return s.json(dump(jsonList(list)));
    for (const std::string& key : list.keys)
        s.line("key      " + visibleLine(key));
    for (const std::string& pattern : list.patterns)
        s.line("pattern  " + visibleLine(pattern));
    if (list.empty())
        s.line("the store masks what looks like a credential, and nothing else; workflows may mask more");
}

int neverStore(Session& s, const NeverArguments& arguments)
{
    const bool shows = arguments.keys.empty() && arguments.patterns.empty() && arguments.drop.empty();
    if (!(shows || s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto before = s.store().neverStore();
    if (!before)
        return s.fail(before.error());
    if (shows) {
        printList(s, *before);
        return kDone;
    }
    if (!s.options.preview && !s.reasonGiven(Verb::Retain))
        return s.exitCode;
    SecretList after = *before;
    after.add({arguments.keys, arguments.patterns});
    for (auto* names : {&after.keys, &after.patterns})
        std::erase_if(*names, [&](const std::string& name) {
            return std::find(arguments.drop.begin(), arguments.drop.end(), name) != arguments.drop.end();
        });
    const Status fits = checkSecretList(after);
    if (s.options.preview)
        return printPreview(s, fits,
            fits ? "masked from then on: " + counted(after.keys.size(), "key") + ", "
                    + counted(after.patterns.size(), "pattern")
                    + "; what is stored already stays (see redact)"
                 : std::string());
    if (!fits)
        return s.fail(fits.error());
    AuditRow audit = s.personAct();
    audit.reason = Masker(after).text(audit.reason);  // by the list that holds from this very act on
    audit.login = s.login();
    audit.time = s.service().now();
    audit.kind = "applied";
    audit.verb = Verb::Retain;
    audit.target = "never_store";
    audit.command = makeId<CommandId>(s.clock.wallMs(), s.rng);
    audit.before = dump(jsonList(*before));
    audit.after = dump(jsonList(after));
    if (const Status done = s.store().setNeverStore(after, audit); !done) {
        s.recordRefusal(Verb::Retain, "never_store", done.error());
        return s.fail(done.error());
    }
    printList(s, after);
    return kDone;
}

void addRedact(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "redact", "Deletes the bytes of payloads for good; that they were there, their size and hash stay");
    auto run = std::make_shared<std::string>();
    auto choice = std::make_shared<RedactionChoice>();
    auto payloads = std::make_shared<std::vector<std::string>>();
    cmd->add_option("RUN", *run, kRunHelp)->required();
    cmd->add_option("STEP", choice->step, "only what belongs to this step");
    cmd->add_option("--what", choice->kinds,
           "only of these kinds: input, output, partial, error, evidence, detail, progress, note, data, "
           "reason")
        ->delimiter(',')
        ->allow_extra_args(false);
    cmd->add_option("--payload", *payloads, "this payload, by its id")
        ->delimiter(',')
        ->allow_extra_args(false);
    cmd->add_flag("--all", choice->all, "everything that the run has");
    addActing(cmd, s, GoesBy::Nothing);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            for (const std::string& text : *payloads) {
                const auto id = parseId<PayloadId>(text);
                if (!id)
                    return s.fail(kUsage, "\"" + visibleLine(text) + "\" is no id of a payload");
                choice->payloads.push_back(*id);
            }
            return act(s, {*run}, [&](const RunState& state, Submission&) -> Result<cmd::Body> {
                CAIRN_TRY_ASSIGN(auto ids, chosenPayloads(s.store(), state, *choice));
                return cmd::Body(cmd::Redact{std::move(ids)});
            });
        };
    });
}

}  // namespace

void addRetentionVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* group =
        v.app.add_subcommand("retention", "How long runs are kept, what goes now, and what has gone");
    group->require_subcommand(1);
    const auto arguments = std::make_shared<RetentionArguments>();
    group->add_subcommand("rules", "How long runs of each workflow are kept, and who says so")
        ->callback([=, &s, &chosen] { chosen = [=, &s] { return showRules(s); }; });

    auto* set = group->add_subcommand(
        "set", "Sets how long runs of a workflow are kept; it goes before the definition");
    set->add_option("WORKFLOW", arguments->workflow, "its name; \"\": driven runs")->required();
    set->add_option("--keep", arguments->keep, "days after the end of a tree of runs");
    set->add_option("--redact", arguments->redact, "days until payloads are redacted; 0: never");
    set->add_option("--keys", arguments->keys, "days that keys and effects stay known; 0: for ever");
    addCommon(set, s);
    set->callback([=, &s, &chosen] { chosen = [=, &s] { return setRule(s, *arguments); }; });

    auto* look = group->add_subcommand("preview", "What `run` would remove now, and what stays and why");
    auto* now =
        group->add_subcommand("run", "Removes and redacts now what is over; engines do so by themselves");
    for (auto* cmd : {look, now})
        cmd->add_option("--workflow", arguments->workflow, "of this one only");
    now->add_option("--key", arguments->key, "file with the Ed25519 key that signs the tombstones");
    addCommon(now, s);
    look->callback([=, &s, &chosen] {
        chosen = [=, &s] {
            s.options.preview = true;
            return run(s, *arguments);
        };
    });
    now->callback([=, &s, &chosen] { chosen = [=, &s] { return run(s, *arguments); }; });

    auto named = std::make_shared<std::string>();
    auto* gone = group->add_subcommand("removed", "Runs that were removed: when, by whom, by which rule");
    gone->add_option("RUN", *named, "one run, by its whole id");
    gone->callback([=, &s, &chosen] { chosen = [=, &s] { return removed(s, *named); }; });

    auto never = std::make_shared<NeverArguments>();
    auto* mask = group->add_subcommand("never-store", "What is masked in everything before it is stored");
    mask->add_option(
        "--key", never->keys, "the name of a member, a parameter or a header; * at one end: anything");
    mask->add_option("--pattern", never->patterns, "text; * at its end: the rest of the word");
    mask->add_option("--drop", never->drop, "a key or a pattern that is masked no more");
    addCommon(mask, s);
    mask->callback([=, &s, &chosen] { chosen = [=, &s] { return neverStore(s, *never); }; });

    Verbs inGroup{*group, s, chosen};
    addRunsVerb(inGroup, "accept",
        "Says that the failure of runs is dealt with, so that they need not be kept", GoesBy::Nothing,
        [] { return cmd::Body(cmd::Retain{}); });
    addRedact(v);
}

}  // namespace cairn::cli
