// What a command would do, by the same decision, without writing anything; and the words for it.

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/service/impl.h"
#include "core/service/work.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kMaxLines = 50;  // of one list; the rest is told by its number

std::string stepName(const RunState& state, StepIx ix)
{
    return "step \"" + visibleLine(state.steps[ix].id) + "\"";
}

std::string amountOf(const StepRecord& step)
{
    return step.amount.currency.empty() ? std::string()
                                        : ", " + formatMoney(step.amount.micros, step.amount.currency);
}

// Lines that count things, or name an amount, beside their parts.
struct Lines {
    std::vector<std::string>& out;
    std::vector<PreviewSum>& sums;

    void count(std::size_t count, const char* one, const char* many, const std::string& head = {})
    {
        out.push_back(head + counted(count, one, many));
        sums.push_back({out.back(), head, count, one, many, {}});
    }
    void amount(const std::string& head, const StepRecord& step)
    {
        out.push_back(head + amountOf(step));
        if (!step.amount.currency.empty())
            sums.push_back({out.back(), head, 0, {}, {}, step.amount});
    }
};

// Names of tools, workflows and units come from outside: each line stays one.
void finishLines(std::vector<std::string>& lines)
{
    for (std::string& line : lines)
        line = visibleLine(line);
    if (lines.size() <= kMaxLines)
        return;
    const std::size_t more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back("and " + formatCount(static_cast<std::int64_t>(more)) + " more");
}

// One line per fact that an operator would ask about.
struct Teller {
    const RunState& before;
    const RunState& after;
    std::vector<std::string>& out;
    std::vector<PreviewSum>& sums;

    void say(std::string line) { out.push_back(std::move(line)); }
    void operator()(const RunStarted& f)
    {
        say("a new run starts"
            + (f.workflow.name.empty() ? std::string(", driven by its caller")
                                       : ": " + f.workflow.name + "@" + std::to_string(f.workflow.version)));
        if (!f.forkedFrom.isNull())
            say("results up to version " + std::to_string(f.forkedAt) + " of run " + toText(f.forkedFrom)
                + " are copied");
    }
    void operator()(const ControlChanged& f)
    {
        if (f.own.paused && !before.own.paused)
            tellPause();
        if (!f.own.paused && before.own.paused && !f.own.cancelled)
            say(after.inherited.paused ? "the run stays paused by its parent" : "steps start again");
        if (f.own.cancelled && !before.own.cancelled)
            say(f.own.compensate ? "the run is cancelled, then completed effects are undone, newest first"
                                 : "the run is cancelled; completed effects are not undone");
        if (f.own.deadline != before.own.deadline)
            say(f.own.deadline == kNoTime ? "the run has no deadline any more"
                                          : "the deadline becomes " + formatInstant(f.own.deadline));
    }
    void tellPause()
    {
        if (before.running.empty())
            say("no new step starts; none is under way");
        else
            Lines{out, sums}.count(before.running.size(), "step under way finishes", "steps under way finish",
                "no new step starts; ");
    }
    void operator()(const RestCancelled&)
    {
        std::size_t cancelled = 0;
        for (std::size_t i = 0; i < before.steps.size(); ++i)
            cancelled +=
                after.steps[i].state == StepState::Cancelled && before.steps[i].state != StepState::Cancelled
                ? 1
                : 0;
        if (cancelled > 0)
            Lines{out, sums}.count(
                cancelled, "step that has not begun is cancelled", "steps that have not begun are cancelled");
        if (!before.running.empty())
            Lines{out, sums}.count(
                before.running.size(), "step under way is stopped", "steps under way are stopped");
    }
    void operator()(const CompensationStarted&) { say("compensation begins"); }
    void operator()(const RunClosed& f) { say("the run ends as " + std::string(key(f.as))); }
    void operator()(const RunReopened&) { say("the run is open again"); }
    void operator()(const RunMigrated& f)
    {
        say("the run follows version " + std::to_string(f.to.version) + " of workflow " + f.to.name);
    }
    void operator()(const RunBlocked& f)
    {
        say(f.reason == Reason::None ? "the run is no longer blocked"
                                     : "the run is blocked: " + std::string(label(f.reason)));
    }
    void operator()(const BudgetChanged& f)
    {
        say("the limit becomes "
            + (f.unit.size() == 3 ? formatMoney(f.limit, f.unit) : formatCount(f.limit) + " " + f.unit));
    }
    void operator()(const PayloadsRedacted& f)
    {
        Lines{out, sums}.count(f.payloads.size(), "payload loses its bytes for good; its size and hash stay",
            "payloads lose their bytes for good; their sizes and hashes stay");
    }
    void operator()(const FailureAccepted&) { say("retention may remove the run when its time is over"); }
    void operator()(const StepAdded& f)
    {
        if (f.undoOf != kNoStep)
            Lines{out, sums}.amount(
                "the effect of " + stepName(after, f.undoOf) + " is undone under its key + \":undo\"",
                after.steps[f.undoOf]);
    }
    void operator()(const StepWaiting& f)
    {
        say(stepName(after, f.step) + " waits: " + std::string(label(f.reason))
            + (f.due == kNoTime ? std::string() : ", until " + formatInstant(f.due)));
    }
    void operator()(const StepCompleted& f)
    {
        say(stepName(after, f.step)
            + (f.byPerson          ? (f.output ? " is complete with the result given"
                                               : " is complete without a result: what reads it finds null")
                    : f.fromLedger ? " takes the result that its effect key already has"
                                   : " is complete"));
    }
    void operator()(const StepSkipped& f)
    {
        say(stepName(after, f.step) + " is skipped" + (f.output ? ", with a substitute output" : ""));
    }
    void operator()(const StepFailed& f)
    {
        say(stepName(after, f.step) + " fails: " + std::string(label(f.reason)));
    }
    void operator()(const EffectDenied& f)
    {
        say("the effect of " + stepName(after, f.step) + " is recorded as not having happened");
    }
    void operator()(const InputAmended& f)
    {
        say(stepName(after, f.step) + " gets the new input; the old one is kept");
    }
    void operator()(const AttemptStarted& f)
    {
        say(stepName(after, f.step) + " starts, attempt " + std::to_string(f.number));
    }
    void operator()(const ApprovalDecided& f)
    {
        if (const ApprovalRecord* record = after.findApproval(f.approval))
            say("the approval for " + stepName(after, record->step) + " is recorded as "
                + (f.as == ApprovalState::Pending ? "1 of " + std::to_string(record->needed)
                                                  : std::string(key(f.as))));
    }
    void operator()(const ChildRequested& f)
    {
        say(stepName(after, f.step) + " starts child run " + toText(f.child));
    }
    void operator()(const ChildGranted& f)
    {
        std::string text;
        for (const Usage& more : f.more)
            text += (text.empty() ? "" : " and ")
                + (more.unit.size() == 3 ? formatMoney(more.amount, more.unit)
                                         : formatCount(more.amount) + " " + more.unit);
        if (!text.empty())
            say("child run " + toText(f.child) + " gets " + text + " more of the budget");
    }
    void operator()(const SignalReceived& f) { say("signal \"" + visibleLine(f.name) + "\" is received"); }
    void operator()(const TakenOver& f)
    {
        if (f.step != kNoStep)
            return say(stepName(after, f.step) + " is taken from "
                + (f.from.isNull() ? "worker " + visibleLine(before.steps[f.step].attempt->worker)
                                   : "engine " + shortId(toText(f.from))));
        say("the run is "
            + (f.from.isNull() ? std::string() : "taken from engine " + shortId(toText(f.from)) + ", and is ")
            + "for the next engine that looks for work, at once");
    }
    void operator()(const AttemptEnded& f)
    {
        if (f.how == AttemptEnd::OwnerLost)
            say("the attempt at " + stepName(after, f.step)
                + " ends as lost; a result that comes later is refused, and kept as evidence");
    }
    void operator()(const StepUnknown& f)
    {
        say("whether " + stepName(after, f.step) + " had its effect is not known: "
            + (f.lookUpAt == kNoTime ? "a person settles it" : "the provider is asked first"));
    }
    void operator()(const HoldChanged& f)
    {
        if (!f.held)
            return say("plans and retention take the run again; the hold of " + visibleLine(before.hold.by.id)
                + " since " + formatInstant(before.hold.at) + " ends");
        say("plans and retention leave the run alone "
            + (f.until == kNoTime ? std::string("until somebody releases it")
                                  : "until " + formatInstant(f.until))
            + "; it runs on as before");
    }
    void operator()(const RunAssigned& f)
    {
        const std::string was = before.assigned.to.empty() ? "nobody" : visibleLine(before.assigned.to);
        say("the run is assigned to " + (f.to.id.empty() ? std::string("nobody") : visibleLine(f.to.id))
            + " instead of " + was);
    }
    void operator()(const NoteAdded& f)
    {
        say("a note of " + formatCount(static_cast<std::int64_t>(f.text.size)) + " bytes is kept"
            + (f.masked ? ", masked: its text is not shown beside the run" : ""));
    }
    void operator()(const NoteWithdrawn& f)
    {
        say("the note of version " + std::to_string(f.note)
            + " is no longer shown beside the run; it stays in the history");
    }
    template<class F> void operator()(const F&) { }
};

std::string heldBy(const LedgerRow& row, const RunState& after)
{
    return row.holder == after.id ? "step \"" + visibleLine(row.holderStep) + "\""
                                  : "run " + toText(row.holder);
}

// What an effect key that is in the ledger already makes of a step that would run next; true: it was told.
bool tellHeld(const RunState& after, StepIx ix, const LedgerRow& row, Preview& preview)
{
    const std::string name = stepName(after, ix) + amountOf(after.steps[ix]);
    if (row.state == LedgerState::Absent || row.state == LedgerState::NotHappened
        || (row.holder == after.id && row.holderStep == after.steps[ix].id))
        return false;
    if (!row.unknowable && !row.sameInput) {
        preview.willHappen.push_back(name
            + " fails at once: Effect key conflict, the key was used with another input by "
            + heldBy(row, after));
        return true;
    }
    if (row.state == LedgerState::Completed) {
        preview.willNotRepeat.push_back(
            name + ": the result of " + heldBy(row, after) + " under the same effect key is taken");
        return true;
    }
    preview.willHappen.push_back(name + " waits: " + heldBy(row, after) + " holds the same effect key");
    return true;
}

using LedgerOf = std::function<Result<LedgerRow>(const EffectId&)>;

void tellNext(const Entry& entry, const RunState& before, const RunState& after, const LedgerOf& ledgerOf,
    const Definition* definition, Preview& preview)
{
    if (after.closed || after.paused() || after.blocked != Reason::None)
        return;
    Lines lines{preview.willHappen, preview.sums};
    const std::set<StepIx> touched = touchedSteps(after, entry);
    for (const StepIx ix : after.ready) {
        const bool was = ix < before.steps.size() && before.steps[ix].state == StepState::Ready;
        if (was && !before.paused())
            continue;
        if (!touched.contains(ix) && !before.paused())
            continue;
        const StepRecord& step = after.steps[ix];
        if (!step.effect.isNull() && lines.out.size() < kMaxLines)
            if (const auto row = ledgerOf(step.effect); row && tellHeld(after, ix, *row, preview))
                continue;
        preview.parts.next.push_back(previewStep(after, ix, definition));
        lines.amount(stepName(after, ix) + " runs next"
                + (step.tool.empty() ? std::string() : ": tool " + step.tool) + ", attempt "
                + std::to_string(step.attempts + 1)
                + (after.workflow.name.empty()
                        ? std::string()
                        : ", by " + after.workflow.name + "@" + std::to_string(after.workflow.version)),
            step);
    }
    for (const StepIx ix : after.fresh)
        if (ix >= before.steps.size() || !before.fresh.contains(ix)) {
            preview.parts.next.push_back(previewStep(after, ix, definition));
            lines.out.push_back(stepName(after, ix) + " is prepared next");
        }
}

void tellEffects(const Entry& entry, const RunState& after, Preview& preview)
{
    for (StepIx ix = 0; ix < after.steps.size(); ++ix)
        if (after.steps[ix].effectDone)
            Lines{preview.willNotRepeat, preview.sums}.amount(stepName(after, ix), after.steps[ix]);
    for (const StepIx ix : touchedSteps(after, entry)) {
        const StepRecord& step = after.steps[ix];
        const bool starts = step.state == StepState::Ready || step.state == StepState::Running
            || (step.state == StepState::Waiting && step.reason == Reason::Retry);
        if (writes(step.safety) && step.kind == StepKind::Tool && starts && step.attempts > 0)
            Lines{preview.mayRepeat, preview.sums}.amount(stepName(after, ix) + ": tried "
                    + counted(step.attempts, "time", "times") + " before; "
                    + (step.safety == ReplaySafety::Repeatable ? "the same key gives the same effect once"
                                                               : "its effect is taken not to have happened"),
                step);
    }
    for (const StepIx ix : after.unknown)
        Lines{preview.mayRepeat, preview.sums}.amount(
            stepName(after, ix) + ": whether its effect happened stays unknown", after.steps[ix]);
}

// What a fork makes of the effects that its source had, or may have had, after the version that it begins
// with. `source`: as it is now.
void tellFork(const RunState& source, const RunState& after, const Definition* definition, Preview& preview)
{
    const bool again = after.origin != source.origin;
    for (const StepRecord& step : source.steps) {
        const bool doubted = step.state == StepState::Unknown || step.inDoubt() || step.attempt;
        if (!writes(step.safety) || step.undoOf != kNoStep || !(step.effectDone || doubted))
            continue;
        const StepRecord* copied = after.find(step.id);
        if (copied && isFinished(copied->state))
            continue;
        const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
        const bool named = tool && !tool->effectKey.empty();
        const std::string name = "step \"" + visibleLine(step.id) + "\"" + amountOf(step) + ": ";
        if (std::any_of(preview.willNotRepeat.begin(), preview.willNotRepeat.end(),
                [&](const std::string& line) { return line.starts_with(name); }))
            continue;
        if (again && !named)
            preview.mayRepeat.push_back(name
                + (step.effectDone ? "its effect was done by run " + toText(source.id)
                            + ": it is done AGAIN, under a new key"
                                   : "its effect may have been done by run " + toText(source.id)
                            + ": then it is done AGAIN, under a new key"));
        else
            preview.willNotRepeat.push_back(name
                + (again ? "its effect key is named by the workflow and stays the same: "
                         : "its effect key stays: ")
                + (step.effectDone ? "the result of run " + toText(source.id) + " is taken"
                                   : "it waits until the outcome in run " + toText(source.id) + " is known"));
    }
}

// A run is parked where its history can no longer be trusted to say what happened outside.
void tellAfterParking(const RunState& before, const RunState& after, std::vector<std::string>& mayRepeat)
{
    if (!before.parked || after.parked)
        return;
    for (StepIx ix = 0; ix < after.steps.size(); ++ix) {
        const StepRecord& step = after.steps[ix];
        if (writes(step.safety) && step.kind == StepKind::Tool && !step.effectDone && !isFinished(step.state))
            mayRepeat.push_back(stepName(after, ix)
                + ": look outside first; the run was parked, and its history may lack that it happened"
                + amountOf(step));
    }
}

// A step that had its consent and asks again: what was consented to is not what it would do now.
void tellVoidConsent(const Entry& entry, const RunState& before, std::vector<std::string>& lines)
{
    std::set<StepIx> steps;
    for (const Fact& fact : entry.facts) {
        if (const auto* amended = std::get_if<InputAmended>(&fact))
            steps.insert(amended->step);
        if (const auto* asked = std::get_if<ApprovalRequested>(&fact))
            steps.insert(asked->step);
    }
    for (const StepIx ix : steps) {
        if (ix >= before.steps.size())
            continue;
        const ApprovalRecord* given = before.findApproval(before.steps[ix].approval);
        if (given && (given->state == ApprovalState::Approved || given->state == ApprovalState::Used))
            lines.push_back("the approval for " + stepName(before, ix)
                + " is void, since what it allowed has changed: it is asked for again");
    }
}

void tellOthers(const Entry& entry, const RunState& before, const RunState& after,
    const Definition* definition, Preview& preview)
{
    std::size_t children = 0;
    for (const Message& message : messagesOf(after, entry, definition))
        children += message.kind == cmd::MessageKind::ControlFlow ? 1 : 0;
    if (children > 0)
        Lines{preview.alsoChanges, preview.sums}.count(children, "child run is told", "child runs are told");
    std::size_t approvals = 0;
    for (std::size_t i = 0; i < before.approvals.size(); ++i)
        approvals += before.approvals[i].state == ApprovalState::Pending
                && after.approvals[i].state == ApprovalState::Cancelled
            ? 1
            : 0;
    if (approvals > 0)
        Lines{preview.alsoChanges, preview.sums}.count(
            approvals, "open approval is no longer needed", "open approvals are no longer needed");
    tellVoidConsent(entry, before, preview.alsoChanges);
    if (before.paused() != after.paused() && after.deadline() != kNoTime)
        preview.alsoChanges.push_back(
            "the deadline " + formatInstant(after.deadline()) + " goes on counting");
    for (const LedgerChange& change : ledgerChangesOf(after, entry))
        if (change.wakesWaiters
            && (change.state == LedgerState::Completed || change.state == LedgerState::NotHappened))
            preview.alsoChanges.push_back(
                "runs that wait for the effect of " + stepName(after, change.step) + " go on");
}

void tellParts(const Entry& entry, const Definition* follows, TimeMs now, Preview& preview)
{
    addCost(preview.parts, preview.after);
    addLeftOut(preview.parts, entry, preview.before, preview.after, follows);
    for (std::string& line : consentThatIsLost(entry, preview.before, preview.after, follows))
        preview.alsoChanges.push_back(std::move(line));
    for (std::string& line : timesThatPass(preview.parts, preview.before, preview.after, now))
        preview.alsoChanges.push_back(std::move(line));
}

}  // namespace

std::string unawaitedSignal(const Definition* definition, std::string_view name)
{
    if (!definition)
        return {};
    std::set<std::string> names;
    for (const StepDef& step : definition->steps)
        if (step.kind == StepKind::Signal)
            names.insert(step.signal.empty() ? step.name : step.signal);
    if (names.contains(std::string(name)))
        return {};
    std::string there;
    for (const std::string& each : names)
        there += (there.empty() ? "" : ", ") + ("\"" + visibleLine(each) + "\"");
    return "no step of " + definition->ref.name + "@" + std::to_string(definition->ref.version)
        + " waits for signal \"" + visibleLine(name) + "\""
        + (there.empty() ? std::string("; none waits for a signal") : "; there is " + there);
}

void Service::assume(std::shared_ptr<const Definition> definition)
{
    m_impl->definitions[{definition->ref.name, definition->ref.version}] = std::move(definition);
}

Result<Preview> Service::preview(const Submission& submission)
{
    Item item;
    item.submission = submission;
    Preview preview;
    if (auto outcome = m_impl->prepare(item)) {
        if (outcome->kind == Outcome::Kind::Failed)
            return std::move(outcome->error);
        if (outcome->kind == Outcome::Kind::Rejected)
            preview.decision = std::move(outcome->rejection);
        else
            preview.decision = NoChange{outcome->text, kNoStep};
        return preview;
    }
    Slot slot;
    slot.run = item.submission.run;
    if (!item.creates) {
        if (const Status loaded = m_impl->load(slot); !loaded) {
            if (loaded.error().kind != ErrorKind::NotFound)
                return loaded.error();
            preview.decision = Rejection{RejectCode::NotFound, loaded.error().text, std::nullopt};
            return preview;
        }
    }
    preview.before = slot.tentative;
    preview.after = slot.tentative;
    Work work(*m_impl, slot, preview.after, item);
    work.previews();
    auto decision = work.decide();
    preview.needed = work.given().needed;
    if (!decision) {
        if (decision.error().kind != ErrorKind::InvalidInput)
            return std::move(decision).error();
        decision = Decision(Rejection{RejectCode::InvalidInput, decision.error().text, std::nullopt});
    }
    preview.decision = *std::move(decision);
    const auto* entry = std::get_if<Entry>(&preview.decision);
    if (!entry) {
        preview.after = preview.before;
        return preview;
    }
    const auto newer = preview.after.workflow == preview.before.workflow
        ? nullptr
        : m_impl->definition(preview.after.workflow.name, preview.after.workflow.version);
    const Definition* follows = newer ? newer.get() : work.given().definition;
    Teller teller{preview.before, preview.after, preview.willHappen, preview.sums};
    for (const Fact& fact : entry->facts)
        std::visit(teller, fact);
    tellNext(
        *entry, preview.before, preview.after, [&](const EffectId& id) { return work.ledgerOf(id); }, follows,
        preview);
    tellEffects(*entry, preview.after, preview);
    if (const auto* signal = std::get_if<cmd::Signal>(&submission.command.body))
        if (std::string nobody = unawaitedSignal(work.given().definition, signal->name); !nobody.empty())
            preview.willHappen.push_back("it is kept, and never taken: " + nobody);
    if (item.source) {
        CAIRN_TRY_ASSIGN(const RunState source, m_impl->fold(item.source->id, 0, nullptr, nullptr));
        tellFork(source, preview.after, work.given().definition, preview);
    }
    tellAfterParking(preview.before, preview.after, preview.mayRepeat);
    tellOthers(*entry, preview.before, preview.after, work.given().definition, preview);
    tellParts(*entry, follows, work.given().now, preview);
    for (auto* lines : {&preview.willHappen, &preview.willNotRepeat, &preview.mayRepeat, &preview.alsoChanges,
             &preview.parts.leftOut})
        finishLines(*lines);
    for (PreviewSum& sum : preview.sums) {
        sum.line = visibleLine(sum.line);
        sum.head = visibleLine(sum.head);
    }
    preview.undo = undoOf(entry->verb);
    return preview;
}

}  // namespace cairn
