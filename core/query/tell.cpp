#include "core/query/tell.h"

#include "core/base/text.h"

#include <algorithm>

namespace cairn {

namespace {

class Teller {
public:
    Teller(const RunState& state, const Explanation& explanation, const Definition* definition, TimeMs now,
        const Lookup& lookup)
        : s(state)
        , e(explanation)
        , d(definition)
        , t(now)
        , look(lookup)
    {
    }

    Told tell()
    {
        const ReasonItem& item = e.summary.primary;
        const bool pressing = item.reason != Reason::None && e.summary.attention <= Attention::Person;
        if (s.closed)
            closed();
        else if (s.restCancelled && (!pressing || item.reason == Reason::Child))
            ending();
        else if (item.reason == Reason::None)
            moving();
        else
            reason(item);
        if (const std::string size = tellSize(s); !size.empty())
            evidence("large run", size);
        finish();
        return std::move(out);
    }

private:
    Sentence& sentence() { return out.sentence; }
    void evidence(const char* name, const std::string& value)
    {
        sentence().evidence.emplace_back(name, visibleLine(value));
    }
    const StepRecord* stepOf(const ReasonItem& item) const
    {
        return item.step == kNoStep ? nullptr : &s.steps[item.step];
    }
    const ToolDef* toolOf(const StepRecord& step) const { return d ? d->tool(step.tool) : nullptr; }
    const StepDef* defOf(const StepRecord& step) const { return d ? d->step(step.name) : nullptr; }
    std::string line(const PayloadRef& ref) const
    {
        if (!ref)
            return "not recorded";
        const auto text = look.text ? look.text(ref) : std::nullopt;
        return text && !text->empty() ? *text : "not recorded";
    }
    static std::string amountOf(const StepRecord& step)
    {
        return step.amount.currency.empty() ? std::string()
                                            : ", " + formatMoney(step.amount.micros, step.amount.currency);
    }
    std::string at(TimeMs time) const { return time == kNoTime ? "not recorded" : formatInstant(time); }
    std::uint32_t allowed(const StepRecord& step) const
    {
        if (const StepDef* def = defOf(step); def && def->retry)
            return def->retry->maxAttempts;
        const ToolDef* tool = toolOf(step);
        return tool ? tool->retry.maxAttempts : s.driven ? RetryPolicy{}.maxAttempts : 0;
    }
    // "attempt 3 of 5"; how many are allowed is not told where the workflow is not here. The limit is one on
    // failures since the counts last began anew, so these are counted, and not every attempt there ever was.
    std::string attemptText(const StepRecord& step) const
    {
        const std::uint32_t of = allowed(step);
        return "attempt " + std::to_string(attemptOf(step))
            + (of == 0 ? " (how many are allowed is not recorded)" : " of " + std::to_string(of));
    }
    static std::string andInAll(const StepRecord& step, std::uint32_t told)
    {
        return step.attempts > told ? " (" + formatCount(step.attempts) + " in all)" : std::string();
    }
    // What used a step's attempts up: its failures, and the workers that it lost, each with a limit of its
    // own.
    static std::string triedText(const StepRecord& step)
    {
        if (step.failures == 0 && step.lost == 0)
            return step.attempts == 0 ? std::string()
                                      : " after " + counted(step.attempts, "attempt", "attempts");
        std::string text;
        if (step.failures > 0)
            text = " after " + counted(step.failures, "attempt", "attempts");
        if (step.lost > 0)
            text += (text.empty() ? " after " : " and ") + counted(step.lost, "lost worker", "lost workers");
        return text + andInAll(step, step.failures + step.lost);
    }

    void reason(const ReasonItem& item)
    {
        m_step = stepOf(item);
        sentence().since = item.since;
        sentence().next = item.due;
        evidence("reason", std::string(key(item.reason)));
        if (m_step)
            evidence("step", m_step->id);
        switch (item.reason) {
        case Reason::Approval: approval(*m_step); break;
        case Reason::OutcomeUnknown: unknown(*m_step, item); break;
        case Reason::EffectKeyConflict: keyConflict(*m_step); break;
        case Reason::Worker: worker(); break;
        case Reason::AttemptsExhausted: exhausted(*m_step); break;
        case Reason::FailedChild: failedChild(*m_step); break;
        case Reason::Incompatible:
            if (m_step && m_step->waitsForChild())
                child(*m_step, item);
            else
                incompatible();
            break;
        case Reason::Credential: credential(*m_step); break;
        case Reason::Budget: budget(item); break;
        case Reason::Deadline: deadline(); break;
        case Reason::Paused: paused(); break;
        case Reason::EffectInFlight: sameEffect(*m_step); break;
        case Reason::Retry: retry(*m_step); break;
        case Reason::Resource: throttled(*m_step); break;
        case Reason::Capacity: capacity(*m_step); break;
        case Reason::Timer: timer(*m_step); break;
        case Reason::Signal: signal(); break;
        case Reason::Child: child(*m_step, item); break;
        case Reason::Lease: lost(*m_step, item); break;
        default:
            out.clause = "waits: " + std::string(label(item.reason));
            sentence().shortText = std::string(label(item.reason));
            sentence().ends = "not recorded";
            break;
        }
        others(item);
    }

    void approval(const StepRecord& step)
    {
        const ApprovalRecord* record = s.findApproval(step.approval);
        const std::string role =
            record && !record->role.empty() ? visibleLine(record->role) : "anyone with the right";
        sentence().subject = role;
        out.clause =
            "waits for an approval by " + role + ", asked " + ago(record ? record->askedAt : kNoTime, t);
        sentence().shortText =
            "Approval by " + role + ", asked " + ago(record ? record->askedAt : kNoTime, t);
        if (!record)
            return;
        const bool expires = record->expires != kNoTime;
        out.clause += expires ? ", expires " + fromNow(record->expires, t) : ", does not expire";
        const std::string what = step.kind == StepKind::Approval
            ? "a yes or no"
            : "tool " + visibleLine(step.tool) + amountOf(step);
        std::string names, given;
        for (const Consent& consent : record->consents) {
            names += (names.empty() ? ", by " : ", ") + actorName(consent.by);
            given += (given.empty() ? ": " : ", ") + actorName(consent.by) + " at " + at(consent.at);
        }
        m_detail = capitalised(actorName(record->askedBy))
            + (step.kind == StepKind::Approval ? " asks for " : " asks to call ") + what + "; "
            + std::to_string(record->consents.size()) + " of " + std::to_string(record->needed) + " given"
            + names + "." + (expires ? " When it expires the step is skipped: expiry is never consent." : "");
        sentence().ends =
            "a yes or no by " + role + (expires ? ", or its expiry at " + at(record->expires) : "");
        evidence("asked by", actorName(record->askedBy));
        evidence("asked at", at(record->askedAt));
        evidence("given",
            std::to_string(record->consents.size()) + " of " + std::to_string(record->needed) + given);
        evidence("expires", expires ? at(record->expires) : "never");
        evidence("approval", toText(record->id));
        evidence("digest", hex(record->binding));
        if (!step.amount.currency.empty())
            evidence("amount", formatMoney(step.amount.micros, step.amount.currency));
    }
    void unknown(const StepRecord& step, const ReasonItem& item)
    {
        const auto keyText = look.key ? look.key(m_ix()) : std::nullopt;
        sentence().subject = "tool " + visibleLine(step.tool);
        out.clause = "may have had its effect (tool " + visibleLine(step.tool) + amountOf(step)
            + "): no result is recorded";
        if (item.lookingUp)
            out.clause += step.attempt ? "; the provider is being asked now"
                                       : "; the provider is asked " + fromNow(item.due, t);
        m_detail = "Attempt " + std::to_string(step.attempts - std::min(step.attempts, step.lookUps))
            + " sent its request with key " + (keyText ? quoted(*keyText) : std::string("(not recorded)"))
            + "; its outcome is open since " + at(item.since) + ". Evidence: "
            + (step.detail       ? line(step.detail)
                    : step.error ? line(step.error)
                                 : std::string("none recorded"))
            + ". A repeat "
            + (step.safety == ReplaySafety::Repeatable ? "under the same key has the effect once."
                                                       : "could have the effect a second time.");
        sentence().ends =
            item.lookingUp ? "the provider's answer" : "a person says whether it happened (Set outcome)";
        sentence().shortText = "Uncertain effect of " + visibleLine(step.tool) + amountOf(step);
        evidence("tool", step.tool);
        evidence("key", keyText.value_or("not recorded"));
        if (const auto page = tellPage(toolOf(step), keyText))
            evidence("page", *page);
        evidence("first request", at(step.firstStartedAt));
        evidence("attempts", std::to_string(step.attempts));
    }
    void keyConflict(const StepRecord& step)
    {
        const auto keyText = look.key ? look.key(m_ix()) : std::nullopt;
        sentence().subject = "effect key";
        out.clause = "uses an effect key that was used before with another input: "
            + (keyText ? quoted(*keyText) : "key not recorded");
        sentence().ends = "a person amends its input, skips it or records its result";
        sentence().shortText = "Effect key conflict at " + visibleLine(step.id);
        evidence("key", keyText.value_or("not recorded"));
    }
    void worker()
    {
        const std::string wanted = s.workflow.name + "@" + std::to_string(s.workflow.version);
        sentence().subject = wanted;
        out.clause = "finds no eligible worker for " + wanted;
        std::string here;
        for (const SessionRow& session : look.engines ? look.engines() : std::vector<SessionRow>{})
            here += (here.empty() ? "" : "; ")
                + visibleLine(session.name.empty() ? toText(session.id) : session.name) + " on "
                + visibleLine(session.host.empty() ? "an unrecorded host" : session.host) + " serves "
                + (session.serves == "*" || session.serves.empty() ? "everything"
                                                                   : fewWords(visibleLine(session.serves)));
        m_detail = !look.engines ? "Which engines were running is not recorded."
            : here.empty()       ? "No engine is running."
                                 : "Present: " + here + ".";
        if (s.blockedDetail) {
            // The whole text is evidence; the sentence has room for its beginning.
            m_detail += " Last refused because: " + fewWords(line(s.blockedDetail)) + ".";
            evidence("last refused because", line(s.blockedDetail));
        }
        sentence().ends = "an engine that serves " + wanted + " starts";
        sentence().shortText = "No eligible worker for " + wanted;
    }
    void exhausted(const StepRecord& step)
    {
        const std::string last = line(step.error);
        const std::string first = line(step.firstError);
        sentence().subject = step.tool.empty() ? step.id : "tool " + step.tool;
        out.clause = "failed" + triedText(step) + ": " + last;
        if (step.firstError && first != last)
            m_detail = "The first error was: " + first + ".";
        sentence().ends = "a person retries it, amends its input, skips it or records its result";
        sentence().shortText = "Attempts exhausted: " + last;
        evidence("last error", last);
        evidence("first error", first);
        evidence("attempts", std::to_string(step.attempts));
    }
    void failedChild(const StepRecord& step)
    {
        const RunId run = step.waitRun;
        std::string how = "without its result";
        for (const ChildRecord& record : s.children)
            if (record.run == run || (run.isNull() && record.step == m_ix()))
                how = "as " + std::string(key(record.as));
        const auto told = !run.isNull() && look.child ? look.child(run) : std::nullopt;
        sentence().subject = told ? told->name : "child run";
        out.clause = "failed because child run " + (told ? told->name + " " : std::string())
            + (run.isNull() ? std::string("(id not recorded)") : "(" + shortId(toText(run)) + ")") + " ended "
            + how;
        sentence().ends = "a person repairs the child, or retries, skips or records this step";
        sentence().shortText = "Failed child " + (told ? told->name : "run");
        if (told && told->open) {
            m_detail = "That run is open again: it " + told->clause + ".";
            sentence().ends = "the child's result, with which this step goes on";
            sentence().next = told->sentence.next;
            sentence().shortText += ", open again";
        }
        evidence("child", run.isNull() ? "not recorded" : toText(run));
    }
    void incompatible()
    {
        const std::string wanted = s.workflow.name + "@" + std::to_string(s.workflow.version);
        const std::string why =
            m_step ? line(m_step->error ? m_step->error : m_step->detail) : line(s.blockedDetail);
        sentence().subject = m_step ? m_step->id : wanted;
        if (!m_step && s.parked) {
            out.clause = "was parked " + ago(s.blockedAt, t) + ": " + why;
            sentence().ends =
                "a person resumes it, under a version of Cairn that reads its history back as it was meant";
            sentence().shortText = "Parked: " + why;
            evidence("found", why);
            return;
        }
        out.clause = (m_step ? "does not fit: " : "cannot go on under " + wanted + ": ") + why;
        sentence().ends = m_step ? "a person amends its input, skips it or records its result"
                                 : "a version that fits is added, or the run is migrated";
        sentence().shortText = "Mismatch: " + why;
        evidence("wanted", wanted);
        evidence("found", why);
    }
    void credential(const StepRecord& step)
    {
        const ToolDef* tool = toolOf(step);
        const std::string name =
            tool && !tool->secret.empty() ? visibleLine(tool->secret) : "(name not recorded)";
        sentence().subject = name;
        out.clause = "needs credential " + name + ", which is expired or missing: " + line(step.error);
        sentence().ends = "the credential is renewed, then a person retries the step";
        sentence().shortText = "Credential " + name;
        evidence("last error", line(step.error));
    }
    void budget(const ReasonItem& item)
    {
        BudgetTold told = tellBudget(s, item, d);
        sentence().subject = "budget";
        out.clause = std::move(told.clause);
        m_detail = std::move(told.detail);
        sentence().ends = std::move(told.ends);
        sentence().shortText = std::move(told.shortText);
        if (!s.budgetAt.isNull())
            evidence("budget set at", toText(s.budgetAt));
    }
    void deadline()
    {
        sentence().subject = "deadline";
        out.clause = "passed its deadline " + ago(s.deadline(), t) + " (" + at(s.deadline()) + ")";
        m_detail = "No new step starts.";
        sentence().ends = "a person sets another deadline or cancels the run";
        sentence().shortText = "Deadline passed " + ago(s.deadline(), t);
    }
    void paused()
    {
        const bool inherited = s.inherited.paused && !s.own.paused;
        const std::string who = inherited ? "its parent run" : actorName(s.pausedBy);
        sentence().subject = who;
        out.clause = "is paused by " + who + ", " + ago(s.pausedAt, t);
        const std::string why = s.pauseReason ? line(s.pauseReason) : "none was given";
        if (!inherited)
            m_detail = "Reason: " + why + ".";
        m_detail += (m_detail.empty() ? "" : " ")
            + (s.running.empty()
                    ? std::string("No new step starts.")
                    : counted(s.running.size(), "step under way finishes", "steps under way finish")
                        + ", no new one starts.");
        sentence().ends = inherited ? "a person resumes the parent" : "a person resumes it";
        sentence().shortText = "Paused by " + who + ", " + ago(s.pausedAt, t);
        evidence("paused by", who);
        evidence("paused at", at(s.pausedAt));
        if (!inherited)
            evidence("paused because", why);
    }
    void sameEffect(const StepRecord& step)
    {
        take(tellSameEffect(s, step, t, look));
        evidence("held by", step.waitRun.isNull() ? "not recorded" : toText(step.waitRun));
    }
    void take(OtherTold told)
    {
        sentence().subject = std::move(told.subject);
        out.clause = std::move(told.clause);
        sentence().ends = std::move(told.ends);
        sentence().shortText = std::move(told.shortText);
        if (told.next != kNoTime)
            sentence().next = told.next;
    }
    void retry(const StepRecord& step)
    {
        sentence().subject = step.tool.empty() ? step.id : "tool " + step.tool;
        out.clause =
            "is tried again " + fromNow(step.due, t) + ", " + attemptText(step) + ": " + line(step.error);
        sentence().ends = "time, at " + at(step.due);
        sentence().shortText = "Back-off, " + attemptText(step) + " " + fromNow(step.due, t);
        evidence("last error", line(step.error));
        evidence("next", at(step.due));
    }
    std::string resourceOf(const StepRecord& step) const
    {
        const ToolDef* tool = toolOf(step);
        return tool && !tool->resource.empty() ? visibleLine(tool->resource)
                                               : "a resource that is not recorded";
    }
    void throttled(const StepRecord& step)
    {
        const std::string name = resourceOf(step);
        sentence().subject = name;
        out.clause = "waits for " + name + ", which asked for no calls; next call " + fromNow(step.due, t)
            + " (" + at(step.due) + ")";
        const ToolDef* tool = toolOf(step);
        if (tool && look.othersOn)
            m_detail = counted(look.othersOn(tool->resource, s.id), "other run waits", "other runs wait")
                + " for it." + (step.error ? " It said: " + line(step.error) + "." : "");
        sentence().ends = "time, at " + at(step.due);
        sentence().shortText = "Throttled by " + name + ", " + fromNow(step.due, t);
        evidence("resource", name);
        evidence("next", at(step.due));
    }
    void capacity(const StepRecord& step)
    {
        const std::string name = resourceOf(step);
        const std::string holder =
            step.waitRun.isNull() ? "other runs" : "run " + shortId(toText(step.waitRun));
        sentence().subject = name;
        out.clause = "waits for room at " + name + ", held by " + holder
            + (step.due == kNoTime ? std::string() : "; looked at again " + fromNow(step.due, t));
        sentence().ends = "a permit comes free";
        sentence().shortText = "Limit of " + name + ", held by " + holder;
        evidence("limit", name);
    }
    void timer(const StepRecord& step)
    {
        sentence().subject = "timer";
        out.clause = "waits until " + at(step.due) + ", " + fromNow(step.due, t);
        sentence().ends = "time, at " + at(step.due);
        sentence().shortText = "Timer until " + at(step.due);
    }
    void signal()
    {
        if (!m_step) {
            sentence().subject = "its caller";
            out.clause = "waits for its caller, which was last heard " + ago(s.changedAt, t);
            sentence().ends = "the caller goes on";
            sentence().shortText = "Waits for its caller";
            return;
        }
        const StepDef* def = defOf(*m_step);
        const std::string name = def && !def->signal.empty() ? def->signal : m_step->name;
        sentence().subject = name;
        out.clause = "waits for signal " + quoted(name) + ", begun " + ago(m_step->since, t)
            + (m_step->due == kNoTime ? ", without a time limit" : ", at most until " + at(m_step->due));
        sentence().ends = "signal " + quoted(name)
            + (m_step->due == kNoTime ? "" : ", or its time-out, which skips the step");
        sentence().shortText = "External event " + quoted(name);
        evidence("signal", name);
    }
    void child(const StepRecord& step, const ReasonItem& item)
    {
        sentence().next = kNoTime;
        take(tellChild(step, item, look));
        evidence("child", step.waitRun.isNull() ? "not recorded" : toText(step.waitRun));
    }

    // --- nothing holds it
    void closed()
    {
        sentence().since = s.endedAt;
        sentence().subject = "run";
        out.clause = "ended as " + std::string(key(s.closedAs)) + " " + ago(s.endedAt, t);
        if (s.closedAs == Activity::Failed && !s.failed.empty()) {
            m_step = nullptr;
            const StepRecord& step = s.steps[*s.failed.begin()];
            m_detail = "Step " + quoted(step.id) + " failed: " + line(step.error) + ".";
        }
        const auto taken = std::count_if(
            s.steps.begin(), s.steps.end(), [](const StepRecord& step) { return step.fromLedger; });
        if (taken > 0)
            m_detail += (m_detail.empty() ? "" : " ")
                + counted(
                    static_cast<std::uint64_t>(taken), "step took its result", "steps took their results")
                + " from an effect that was done before under the same key; it was not done again.";
        if (s.closedByRecovery)
            m_detail += std::string(m_detail.empty() ? "" : " ")
                + "It was closed by an engine that found nothing left to do.";
        sentence().ends = "nothing: it is finished";
        sentence().shortText = std::string(label(s.closedAs)) + " " + ago(s.endedAt, t);
    }
    void ending()
    {
        std::uint64_t total = 1, confirmed = 0, undo = 0, undone = 0;
        for (const ChildRecord& record : s.children) {
            total += std::max(record.cancelTotal, 1U);
            confirmed += record.answered ? std::max(record.cancelTotal, 1U) : record.cancelConfirmed;
        }
        for (const StepRecord& step : s.steps)
            if (step.undoOf != kNoStep) {
                ++undo;
                undone += step.state == StepState::Complete ? 1 : 0;
            }
        sentence().since = s.changedAt;
        sentence().subject = "cancel";
        if (s.compensating)
            out.clause = "undoes completed effects: " + std::to_string(undone) + " of " + std::to_string(undo)
                + " undone";
        else
            out.clause = "is being cancelled: " + std::to_string(confirmed) + " of " + std::to_string(total)
                + " confirmed, " + counted(s.running.size(), "attempt under way", "attempts under way");
        sentence().ends = s.compensating ? "the last effect is undone"
                                         : "all attempts have ended and all children have answered";
        sentence().next = e.summary.nextDue;
        sentence().shortText = capitalised(out.clause);
        if (const auto child = tellUnanswered(s, look)) {
            out.clause += "; waits for " + child->clause;
            sentence().ends = child->ends;
            sentence().next = child->next;
            evidence("child", child->subject);
        }
    }
    void moving()
    {
        if (!s.running.empty()) {
            m_step = &s.steps[*s.running.begin()];
            const AttemptState& attempt = *m_step->attempt;
            sentence().subject = attempt.worker.empty() ? "engine" : attempt.worker;
            sentence().since = attempt.startedAt;
            sentence().next = m_step->due;
            out.clause = std::string(attempt.purpose == Purpose::LookUp ? "asks the provider"
                                 : attempt.purpose == Purpose::Undo     ? "undoes its effect"
                                                                        : "runs")
                + ", begun " + ago(attempt.startedAt, t) + ", " + attemptText(*m_step)
                + (m_step->tool.empty() ? std::string() : ", tool " + visibleLine(m_step->tool)) + ", by "
                + (attempt.worker.empty() ? engineName(attempt.session)
                                          : "worker " + visibleLine(attempt.worker));
            sentence().ends = "its result"
                + (m_step->due == kNoTime ? std::string() : ", or its time-out at " + at(m_step->due));
            sentence().shortText = "Runs " + visibleLine(m_step->id) + ", begun " + ago(attempt.startedAt, t);
            if (s.running.size() > 1)
                m_detail = counted(s.running.size() - 1, "other step runs too.", "other steps run too.");
            return;
        }
        const StepIx ix = !s.ready.empty() ? *s.ready.begin() : !s.fresh.empty() ? *s.fresh.begin() : kNoStep;
        m_step = ix == kNoStep ? nullptr : &s.steps[ix];
        sentence().subject = "engine";
        sentence().since = m_step ? m_step->since : s.changedAt;
        sentence().next = e.summary.nextDue;
        out.clause = "is ready, " + ago(sentence().since, t) + ", and starts as soon as "
            + (s.driven ? "its caller or a worker takes it" : "an engine has room");
        if (!s.driven && look.engines && look.engines().empty())
            m_detail = "No engine is running.";
        sentence().ends = "an engine starts it";
        sentence().shortText = "Queued " + ago(sentence().since, t);
    }
    std::string engineName(const SessionId& id) const
    {
        const auto session = look.session ? look.session(id) : std::nullopt;
        return "engine "
            + (session && !session->name.empty() ? visibleLine(session->name) : shortId(toText(id)));
    }
    void lost(const StepRecord& step, const ReasonItem& item)
    {
        const SessionId id = step.attempt ? step.attempt->session : SessionId{};
        const auto session = look.session ? look.session(id) : std::nullopt;
        const bool open = session && session->endedAt == kNoTime;  // nobody has ended it
        sentence().subject = engineName(id);
        out.clause = "lost its worker: " + engineName(id)
            + (open ? " was last heard " + ago(item.since, t) : std::string(" has ended"));
        m_detail = item.due == kNoTime ? "No engine is running that could take it over."
                                       : "Another engine takes it over.";
        sentence().ends =
            item.due == kNoTime ? "an engine starts, and takes it over" : "another engine takes it over";
        sentence().shortText = "Worker lost, last heard " + ago(item.since, t);
        evidence("engine", engineName(id));
    }

    void others(const ReasonItem& item)
    {
        if (item.count > 1 && item.reason != Reason::Child)
            m_detail += std::string(m_detail.empty() ? "" : " ")
                + counted(item.count - 1, "other step waits for the same.", "other steps wait for the same.");
        std::string more;
        for (const ReasonItem& other : e.reasons)
            if (&other != &e.reasons.front())
                more += (more.empty() ? "" : ", ") + std::string(label(other.reason))
                    + (other.count > 1 ? " (" + std::to_string(other.count) + ")" : "");
        if (!more.empty())
            m_detail += std::string(m_detail.empty() ? "" : " ") + "Also: " + more + ".";
    }
    StepIx m_ix() const { return m_step ? static_cast<StepIx>(m_step - s.steps.data()) : kNoStep; }
    static std::string capitalised(std::string text)
    {
        if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
            text[0] = static_cast<char>(text[0] - 'a' + 'A');
        return text;
    }
    void finish()
    {
        Sentence& told = sentence();
        for (std::string* text : {&told.subject, &told.shortText, &told.ends, &out.clause, &m_detail})
            *text = visibleLine(*text);
        told.text = (m_step ? "Step " + quoted(m_step->id) + " " : std::string("The run ")) + out.clause + "."
            + (m_detail.empty() ? "" : " " + m_detail);
        if (told.ends.empty())
            told.ends = "not recorded";
    }

    const RunState& s;
    const Explanation& e;
    const Definition* d;
    TimeMs t;
    const Lookup& look;
    const StepRecord* m_step = nullptr;
    std::string m_detail;
    Told out;
};

}  // namespace

Told tellRun(const RunState& state, const Explanation& explanation, const Definition* definition, TimeMs now,
    const Lookup& lookup)
{
    return Teller(state, explanation, definition, now, lookup).tell();
}

}  // namespace cairn
