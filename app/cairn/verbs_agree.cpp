// policy, acts show|confirm|reject|withdraw, approvals: who must agree to what, and how it stands.

#include "app/cairn/acting.h"
#include "app/cairn/acts.h"
#include "app/cairn/asked.h"
#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/cairn/previewed.h"
#include "core/base/text.h"
#include "core/definition/policy_text.h"
#include "core/machine/policy.h"
#include "core/query/tell.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace cairn::cli {

namespace {

// --- policy

int showPolicy(Session& s, std::uint64_t version)
{
    if (!s.openReader())
        return s.exitCode;
    const auto row = s.store().policy(version);
    if (!row)
        return s.fail(row.error());
    if (version != 0 && !*row)
        return s.fail(kNotFound, "there is no policy " + std::to_string(version));
    const auto newest = Agreements(s.service()).policy();
    if (!newest && version == 0)
        return s.fail(newest.error());
    const std::string text = *row ? (*row)->text : policyText(*newest);
    if (s.options.json) {
        s.json(dump(Json{{"version", *row ? (*row)->version : 0}, {"text", jsonText(text)},
            {"login", *row ? jsonOptional((*row)->login) : Json()},
            {"actor", *row ? jsonOptional((*row)->claimed) : Json()},
            {"set", *row ? jsonTime((*row)->setAt) : Json()}}));
        return kDone;
    }
    s.note(*row ? "policy " + std::to_string((*row)->version) + ", set by " + (*row)->login + " at "
                + formatInstant((*row)->setAt)
                : "none was set: these are the rules that a store like this one begins with (version 0)");
    s.text(visible(text));
    return kDone;
}

void printDiagnostics(Session& s, const std::string& file, const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& d : diagnostics) {
        if (s.options.json)
            s.json(dump(Json{{"file", jsonText(file)}, {"line", d.line}, {"column", d.column},
                {"pointer", jsonText(d.pointer)},
                {"severity", d.severity == Severity::Error ? "error" : "warning"},
                {"text", jsonText(d.text)}}));
        else
            s.line(diagnosticLine(file, d));
    }
}

// Needs no store.
int checkPolicy(Session& s, const std::string& file)
{
    const auto text = readArgument("@" + file);
    if (!text)
        return s.fail(text.error());
    const ParsedPolicy parsed = parsePolicy(*text);
    printDiagnostics(s, file, parsed.diagnostics);
    if (parsed && !s.options.json)
        s.line(file + ": is valid, " + std::to_string(parsed.policy->rules.size()) + " rules");
    return parsed ? kDone : kRefused;
}

int setPolicy(Session& s, const std::string& file, const std::optional<std::uint64_t>& expected)
{
    const auto text = readArgument("@" + file);
    if (!text)
        return s.fail(text.error());
    const auto command = ownCommandId(s);
    if (!command)
        return s.exitCode;
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    if (!s.options.preview && !s.rights().owns)
        return s.fail(kRefused,
            "a store with roles has its policy set by its owner: the login \"" + s.rights().login
                + "\" is not a member of the role cairn_owner");
    const auto present = Agreements(s.service()).policy();
    if (!present)
        return s.fail(present.error());
    const PolicyChange change{*text, expected.value_or(present->version), s.options.reason, s.person().id,
        s.options.breakGlass, *command};
    const auto preview = Agreements(s.service()).previewPolicy(change);
    if (!preview)
        return s.fail(preview.error());
    if (!s.options.json)
        printDiagnostics(s, file, parsePolicy(*text).diagnostics);
    if (s.options.preview) {
        if (preview->rejection)
            return printPreview(s,
                makeError(preview->rejection->code == RejectCode::Stale ? ErrorKind::Conflict
                                                                        : ErrorKind::InvalidInput,
                    preview->rejection->text),
                {});
        std::string lines;
        for (const std::string& line : preview->differences)
            lines += "; " + line;
        return printPreview(s, Status(),
            "the policy becomes version " + std::to_string(change.expected + 1) + " ("
                + tellNeeded(preview->needed) + ")" + (lines.empty() ? "; nothing differs" : lines));
    }
    const Outcome outcome = Agreements(s.service()).setPolicy(change);
    return printStoreOutcome(s, outcome, "policy " + std::to_string(outcome.version) + " holds from now on");
}

// --- acts that somebody else proposed

std::optional<StagedAct> actOf(Session& s, const std::string& named)
{
    if (s.options.stores.size() > 1) {
        s.fail(kUsage, "one act is in one store: give exactly one --store");
        return std::nullopt;
    }
    const auto id = parseId<CommandId>(named);
    if (!id) {
        s.fail(kUsage,
            "\"" + visibleLine(named) + "\" is not the id of an act; `cairn acts` lists those that wait");
        return std::nullopt;
    }
    auto act = s.store().stagedAct(*id);
    if (!act) {
        s.fail(act.error());
        return std::nullopt;
    }
    if (!*act)
        s.fail(kNotFound, "there is no act " + toText(*id) + "; `cairn acts` lists those that wait");
    return *std::move(act);
}

int showSlow(Session& s, const StagedAct& act)
{
    const auto change = slowOf(act);
    if (!change)
        return s.fail(change.error());
    const auto said = resourceSaid(s.store(), s.service(), act.target);
    if (!said)
        return s.fail(said.error());
    const auto now = Agreements(s.service()).previewSlow(*change);
    if (!now)
        return s.fail(now.error());
    if (now->rejection)
        return printPreview(s, makeError(ErrorKind::Conflict, now->rejection->text), {});
    const auto lines = tellSlow(s.store(), s.service(), change->seen, change->wanted, *said);
    if (!lines)
        return s.fail(lines.error());
    std::string text;
    for (const std::string& line : *lines)
        text += (text.empty() ? "" : "; ") + line;
    return printPreview(s, Status(), text);
}

// What would be confirmed: the act, and what it would do now.
int show(Session& s, const StagedAct& act)
{
    s.answer(dump(jsonAct(act)), actLine(act));
    if (!s.options.json)
        s.line("  digest "
            + (act.digest.isNull() ? std::string("none: it needs nobody else") : hex(act.digest)));
    if (!isOpen(act.state))
        return kDone;
    if (act.verb == Verb::SetPolicy) {
        if (!s.options.json)
            s.text(visible(act.body));
        return kDone;
    }
    if (act.verb == Verb::Slow)
        return showSlow(s, act);
    if (act.verb == Verb::Plan) {
        s.note("an order on plan " + act.target + ": `cairn plan show " + act.target
            + "` tells how that stands");
        return kDone;
    }
    const auto preview = Agreements(s.service()).previewAct(act);
    if (!preview)
        return s.fail(preview.error());
    return printPreview(s, act.run, *preview);
}

int showAct(Session& s, const std::string& named)
{
    if (!s.openReader())
        return s.exitCode;
    const auto act = actOf(s, named);
    return act ? show(s, *act) : s.exitCode;
}

// A login that may not append to the audit leaves the decision with the store, which knows who it is.
int leaveDecision(Session& s, StagedAct act, const ActDecision& decision)
{
    const auto why = Agreements(s.service()).mayDecide(act, decision, s.login());
    if (!why)
        return s.fail(why.error());
    if (*why)
        return s.fail(exitOfRejection(**why), (*why)->text);
    act.state = decision.as;
    act.note = decision.reason;
    act.confirmedName = decision.claimedName;
    if (const Status left = s.store().decideAct(act); !left)
        return s.fail(left.error());
    s.answer(dump(Json{{"run", act.run.isNull() ? Json() : Json(toText(act.run))}, {"outcome", "staged"},
                 {"command", toText(act.command)}, {"text", "decided, waits for an engine"}}),
        toText(act.command) + ": decided, waits for an engine");
    return kDone;
}

// By the same rules as the withdrawal itself; the reason is asked for then.
int previewWithdrawal(Session& s, const StagedAct& act)
{
    const ActDecision decision{act.command, act.digest, StagedState::Withdrawn,
        s.options.reason.empty() ? std::string("looked at, nothing is written") : s.options.reason,
        s.person().id};
    const auto why = Agreements(s.service()).mayDecide(act, decision, s.login());
    if (!why)
        return s.fail(why.error());
    if (*why)
        return printPreview(s,
            makeError((*why)->code == RejectCode::Stale   ? ErrorKind::Conflict
                    : (*why)->code == RejectCode::NoRight ? ErrorKind::NoRight
                                                          : ErrorKind::Refused,
                (*why)->text),
            {});
    return printPreview(s, Status(),
        "act " + toText(act.command) + ", " + std::string(key(act.verb)) + " by " + act.stagedBy
            + ": withdrawn, and nobody carries it out; now it is " + standingOf(act));
}

int decideAct(Session& s, const std::string& named, StagedState as, const std::string& digest)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto act = actOf(s, named);
    if (!act)
        return s.exitCode;
    if (s.options.preview)
        return as == StagedState::Withdrawn ? previewWithdrawal(s, *act) : show(s, *act);
    constexpr std::size_t kLeast = 12;
    ActDecision decision{act->command, {}, as, s.service().masked(s.options.reason), s.person().id};
    const bool seen = digest.size() >= kLeast && hex(act->digest).compare(0, digest.size(), digest) == 0;
    if (as != StagedState::Waiting || seen)
        decision.shown = act->digest;
    else if (digest.empty())
        return s.fail(kUsage,
            "look at it first: `cairn acts show " + named
                + "`; then say with --digest what was shown, 12 characters of it or more");
    if (!s.rights().commits)
        return leaveDecision(s, *act, decision);
    const Outcome decided = Agreements(s.service()).decideAct(decision);
    if (decided.kind != Outcome::Kind::Committed || as != StagedState::Waiting)
        return printStoreOutcome(s, decided, toText(act->command) + ": " + decided.text);
    const auto confirmed = s.store().stagedAct(act->command);
    if (!confirmed || !*confirmed)
        return s.fail(confirmed ? makeError(ErrorKind::NotFound, "the act is gone") : confirmed.error());
    const Outcome outcome = Agreements(s.service()).carryOut(s.store(), **confirmed);
    if (isAnswer(outcome))
        if (const Status finished = s.store().finishStaged(answered(**confirmed, outcome)); !finished)
            s.note("an engine notes what became of it: " + finished.error().text);
    return printStoreOutcome(s, outcome,
        act->run.isNull()
            ? act->target + ": confirmed and done"
            : toText(act->run) + ": confirmed and done, version " + std::to_string(outcome.version));
}

// --- approvals

std::string noteOf(Session& s, const RunId& run, const PayloadId& note)
{
    if (note.isNull())
        return {};
    const auto bytes = s.store().payload(run, note);
    return bytes ? *bytes : "(" + bytes.error().text + ")";
}

// Each yes, in the order in which they came; a no is the row's own decision.
Json jsonConsents(Session& s, const RunState& state, const ApprovalId& approval)
{
    Json list = Json::array();
    if (const ApprovalRecord* record = state.findApproval(approval))
        for (const Consent& consent : record->consents)
            list.push_back({{"by", jsonText(consent.by.id)}, {"login", jsonOptional(consent.by.login)},
                {"at", jsonTime(consent.at)},
                {"reason", jsonOptional(noteOf(s, state.id, consent.note.id))}});
    return list;
}

std::string consentsText(Session& s, const RunState& state, const ApprovalId& approval)
{
    std::string text;
    if (const ApprovalRecord* record = state.findApproval(approval))
        for (const Consent& consent : record->consents) {
            const std::string reason = noteOf(s, state.id, consent.note.id);
            text += (text.empty() ? "" : ", ") + actorName(consent.by) + " at " + formatInstant(consent.at)
                + (reason.empty() ? std::string() : " \"" + reason + "\"");
        }
    return text;
}

void printApproval(Session& s, const RunState& state, const ApprovalRow& row)
{
    const std::string note = noteOf(s, state.id, row.note);
    const std::string step = row.step < state.steps.size() ? state.steps[row.step].id : std::string();
    const Json deciders = Json::parse(row.deciders, nullptr, false);
    const std::size_t agreed = deciders.is_array() ? deciders.size() : 0;
    if (s.options.json) {
        const auto asked = row.state == ApprovalState::Pending
            ? s.query().asked(state, &s.service(), row.id, 1)
            : std::vector<Asked>();
        const Json content = jsonAsked(asked);
        s.json(dump(Json{{"run", toText(state.id)}, {"approval", toText(row.id)}, {"step", jsonText(step)},
            {"state", key(row.state)}, {"digest", hex(row.binding)}, {"role", jsonOptional(row.role)},
            {"needed", row.needed}, {"deciders", deciders}, {"consents", jsonConsents(s, state, row.id)},
            {"asked_by", jsonOptional(row.askedBy)}, {"asked", jsonTime(row.askedAt)},
            {"expires", jsonTime(row.expires)},
            {"on_expiry", row.expires == kNoTime ? Json() : Json("expired")},
            {"decided", jsonTime(row.decidedAt)}, {"decided_by", jsonOptional(row.decidedBy)},
            {"reason", jsonOptional(note)}, {"content", content.empty() ? Json() : content.front()}}));
        return;
    }
    std::string line = toText(state.id) + "  " + toText(row.id) + "  " + pad(std::string(key(row.state)), 9)
        + "  step \"" + step + "\"";
    const std::string consents = consentsText(s, state, row.id);
    if (row.state == ApprovalState::Pending)
        line += "  " + std::to_string(agreed) + " of " + std::to_string(row.needed) + ", waiting for "
            + (row.role.empty() ? std::string("a person") : "role " + row.role)
            + (row.expires == kNoTime ? std::string(", never expires")
                                      : ", expires " + formatInstant(row.expires))
            + (consents.empty() ? std::string() : "; agreed: " + consents);
    else if (row.needed > 1 && !consents.empty() && row.state != ApprovalState::Rejected)
        line += "  by " + consents;
    else
        line += "  " + (row.decidedBy.empty() ? std::string("by nobody") : "by " + row.decidedBy) + " at "
            + formatInstant(row.decidedAt) + (note.empty() ? std::string() : "  \"" + note + "\"");
    s.line(line);
}

// Those of the runs named, whatever became of them; without names, all that are open.
int approvals(Session& s, const std::vector<std::string>& named, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    std::vector<RunId> runs;
    if (named.empty()) {
        ListTerm waiting;
        waiting.reason = {Reason::Approval};
        const auto page = s.store().list({waiting}, ListOrder::AttentionThenOldest, std::nullopt, limit);
        if (!page)
            return s.fail(page.error());
        for (const ListRow& row : page->rows)
            runs.push_back(row.run);
        if (page->next)
            s.note("there are more; raise --limit");
    } else {
        const auto found = s.targets(named);
        if (!found)
            return s.exitCode;
        runs = *found;
    }
    for (const RunId& run : runs) {
        const auto state = s.service().load(run);
        if (!state)
            return s.fail(state.error());
        const auto rows = s.store().approvals(run);
        if (!rows)
            return s.fail(rows.error());
        for (const ApprovalRow& row : *rows)
            if (!named.empty() || row.state == ApprovalState::Pending)
                printApproval(s, *state, row);
    }
    return s.exitCode;
}

void addPolicyVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* group = v.app.add_subcommand("policy", "Who must agree to which acts: one person, or two");
    group->require_subcommand(1);
    {
        auto version = std::make_shared<std::uint64_t>(0);
        auto* cmd = group->add_subcommand("show", "The policy that holds");
        cmd->add_option("--version", *version, "an earlier one");
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return showPolicy(s, *version); }; });
    }
    {
        auto file = std::make_shared<std::string>();
        auto* cmd = group->add_subcommand("check", "Reads a policy and tells each mistake with its place");
        cmd->add_option("FILE", *file, "JSON, resources/schemas/policy-1.schema.json")->required();
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return checkPolicy(s, *file); }; });
    }
    auto file = std::make_shared<std::string>();
    auto expected = std::make_shared<std::optional<std::uint64_t>>();
    auto* cmd = group->add_subcommand("set", "Sets the policy, or proposes it where two people must agree");
    cmd->add_option("FILE", *file, "JSON, resources/schemas/policy-1.schema.json")->required();
    cmd->add_option(
        "--expect", *expected, "the version that this was made from; refused where it is another");
    addCommon(cmd, s);
    addCommandId(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return setPolicy(s, *file, *expected); }; });
}

}  // namespace

int printStoreOutcome(Session& s, const Outcome& outcome, const std::string& done)
{
    if (s.options.json) {
        Json json = jsonOutcome(outcome);
        if (outcome.run.isNull())
            json["run"] = Json();
        s.json(dump(json));
    } else {
        switch (outcome.kind) {
        case Outcome::Kind::Rejected: s.text(visible("refused: " + outcome.rejection.text)); break;
        case Outcome::Kind::Failed: s.line("failed: " + outcome.error.text); break;
        case Outcome::Kind::Proposed:
            s.line("proposed, " + outcome.text + "; act " + toText(outcome.proposal->command));
            break;
        case Outcome::Kind::Repeated:
            s.line("done before; audit entry " + std::to_string(outcome.auditSeq));
            break;
        default: s.line(done + "; audit entry " + std::to_string(outcome.auditSeq));
        }
    }
    if (!s.options.json && outcome.kind == Outcome::Kind::Rejected)
        s.note("what next: " + std::string(whatNext(outcome.rejection.code)));
    tellGlass(s, outcome);
    return exitOfOutcome(outcome);
}

void addActDecisions(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    {
        auto act = std::make_shared<std::string>();
        auto* cmd = group.add_subcommand("show", "An act, its digest, and what it would do now");
        cmd->add_option("ACT", *act, "its id, as `acts` prints it")->required();
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return showAct(s, *act); }; });
    }
    struct Choice {
        const char* name;
        const char* help;
        StagedState as;
    };
    for (const Choice& choice :
        {Choice{"confirm", "Confirms what somebody else proposed; it is done at once", StagedState::Waiting},
            Choice{"reject", "Rejects what somebody else proposed", StagedState::Refused},
            Choice{
                "withdraw", "Takes back what you proposed, or left for an engine", StagedState::Withdrawn}}) {
        auto act = std::make_shared<std::string>();
        auto digest = std::make_shared<std::string>();
        auto* cmd = group.add_subcommand(choice.name, choice.help);
        cmd->add_option("ACT", *act, "its id, as `acts` prints it")->required();
        if (choice.as == StagedState::Waiting)
            cmd->add_option("--digest", *digest, "of what was shown, as `acts show` prints it");
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen, as = choice.as] {
            chosen = [=, &s] { return decideAct(s, *act, as, *digest); };
        });
    }
}

void addAgreeVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    addPolicyVerbs(v);
    auto runs = std::make_shared<std::vector<std::string>>();
    auto limit = std::make_shared<std::size_t>(200);
    auto* cmd =
        v.app.add_subcommand("approvals", "Approvals as records: open ones, or all of the runs named");
    cmd->add_option("RUN", *runs, "ids, unique beginnings of ids, or keys");
    cmd->add_option("--limit", *limit, "runs at most")->check(CLI::PositiveNumber);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return approvals(s, *runs, *limit); }; });
}

}  // namespace cairn::cli
