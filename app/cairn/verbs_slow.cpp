// slow: holds the calls to a resource to a rate, or for a time. An act on the store, for all runs that call
// it.

#include "app/cairn/acting.h"
#include "app/cairn/acts.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace cairn::cli {

namespace {

struct SlowArguments {
    std::string resource;
    SlowWish wish;
    std::uint32_t slots = 0;
    std::string expected;
};

// The limits as --expect takes them and --preview prints them: calls a second and calls under way, 0 where
// there is no such limit.
std::string limitsOf(const ResourceRow& row)
{
    return std::to_string(row.permitsPerSecond) + "," + std::to_string(row.slots);
}

bool readLimits(std::string_view text, ResourceRow& row)
{
    const auto [permits, fault] =
        std::from_chars(text.data(), text.data() + text.size(), row.permitsPerSecond);
    const char* end = text.data() + text.size();
    if (fault != std::errc() || permits == end || *permits != ',')
        return false;
    const auto [slots, second] = std::from_chars(permits + 1, end, row.slots);
    return second == std::errc() && slots == end;
}

int commitSlow(Session& s, const SlowChange& change)
{
    if (!s.reasonGiven(Verb::Slow))
        return s.exitCode;
    if (!s.rights().commits)
        return s.fail(makeError(ErrorKind::NoRight,
            "the login \"" + s.rights().login
                + "\" may not change resources: it takes one with the right of an engine"));
    const ResourceRow& wanted = change.wanted;
    const Outcome outcome = Agreements(s.service()).slow(s.store(), change);
    if (outcome.kind != Outcome::Kind::Committed || !s.options.json)
        return printStoreOutcome(s, outcome, wanted.name + ": done; engines go by it within a second");
    Json json{{"resource", jsonText(wanted.name)}, {"per_second", wanted.permitsPerSecond},
        {"slots", wanted.slots}, {"held_until", jsonTime(wanted.backOffUntil)}, {"audit", outcome.auditSeq},
        {"command", toText(change.command)}};
    if (outcome.glass)
        json["break_glass"] = true;
    tellGlass(s, outcome);
    s.json(dump(json));
    return kDone;
}

// What it would do, or why it would be refused, and who is needed for it.
int previewSlow(Session& s, const SlowChange& change, const ResourceSaid& said)
{
    const auto decided = Agreements(s.service()).previewSlow(change);
    if (!decided)
        return s.fail(decided.error());
    auto lines = tellSlow(s.store(), s.service(), change.seen, change.wanted, said);
    if (!lines)
        return s.fail(lines.error());
    if (decided->needed.second())
        lines->push_back("it waits until somebody else confirms it: " + tellNeeded(decided->needed));
    // A reason is asked for when it is done.
    const bool refused = decided->rejection && decided->rejection->code != RejectCode::ReasonMissing;
    const PreviewUndo undo = undoOf(Verb::Slow);
    if (s.options.json) {
        s.json(dump(Json{{"preview", true}, {"allowed", !refused}, {"expect", limitsOf(change.seen)},
            {"will_happen", *lines}, {"reversible", undo.text},
            {"undo", {{"possible", undo.possible}, {"verb", undo.by ? Json(key(*undo.by)) : Json()}}}}));
        return refused ? exitOfRejection(*decided->rejection) : kDone;
    }
    if (refused)
        return s.fail(exitOfRejection(*decided->rejection), decided->rejection->text);
    s.line("preview, nothing is written");
    s.line("  will happen:");
    for (const std::string& line : *lines)
        s.line("    " + line);
    s.line("  undo: " + undo.text);
    s.line("  of limits " + limitsOf(change.seen) + "; with --expect " + limitsOf(change.seen)
        + " it is refused where they have changed by then");
    return kDone;
}

int slow(Session& s, const SlowArguments& arguments)
{
    ResourceRow expected;
    if (!arguments.expected.empty() && !readLimits(arguments.expected, expected))
        return s.fail(kUsage,
            "--expect takes the limits as --preview prints them, calls a second and calls under way: 20,4; 0 "
            "is no limit");
    const auto command = ownCommandId(s);
    if (!command)
        return s.exitCode;
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto seen = resourceNamed(s.store(), arguments.resource);
    if (!seen)
        return s.fail(seen.error());
    const auto said = resourceSaid(s.store(), s.service(), arguments.resource);
    if (!said)
        return s.fail(said.error());
    const auto wanted = wantedSlow(arguments.wish, *seen, *said, s.service().now());
    if (!wanted)
        return s.fail(wanted.error());
    SlowChange change{*seen, *wanted, s.personAct().reason, s.person().id, s.options.breakGlass,
        command->isNull() ? makeId<CommandId>(s.clock.wallMs(), s.rng) : *command};
    if (!arguments.expected.empty()) {
        change.seen.permitsPerSecond = expected.permitsPerSecond;
        change.seen.slots = expected.slots;
    }
    return s.options.preview ? previewSlow(s, change, *said) : commitSlow(s, change);
}

}  // namespace

void addSlowVerb(Verbs v)
{
    Session& s = v.session;
    auto* cmd = v.app.add_subcommand(
        "slow", "Holds the calls to a resource to a rate, or for a time: for all runs that call it");
    auto arguments = std::make_shared<SlowArguments>();
    cmd->add_option("RESOURCE", arguments->resource, "as the workflow names it, and why prints it")
        ->required();
    cmd->add_option("RATE", arguments->wish.rate,
           "20/s, 600/m; hold with --until; none: as the workflows of the store say")
        ->required();
    cmd->add_option("--until", arguments->wish.until, "with hold: a span from now (10m) or an instant");
    auto* slots = cmd->add_option("--slots", arguments->slots, "calls under way at one time; 0: not limited");
    cmd->add_option("--expect", arguments->expected,
        "limits as --preview printed them (20,4): refused as stale where they are others by now");
    addCommon(cmd, s);
    addCommandId(cmd, s);
    auto& chosen = v.chosen;
    cmd->callback([=, &s, &chosen] {
        if (slots->count() > 0)
            arguments->wish.slots = arguments->slots;
        chosen = [=, &s] { return slow(s, *arguments); };
    });
}

}  // namespace cairn::cli
