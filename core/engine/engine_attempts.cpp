// Attempts: from the committed intent to the executor, and from its answer to the store.

#include "core/base/failpoint.h"
#include "core/base/json_scan.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/definition/render.h"
#include "core/engine/engine_impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::uint64_t kStageAbove = 1024 * 1024;
constexpr std::uint64_t kUsageIn = 1024 * 1024;  // larger outputs are not read for what they used
constexpr SpanMs kResultAgain = 250;
constexpr SpanMs kRefusedAgain = 60'000;
constexpr SpanMs kTimeToArrive = 1'000;  // that a request needs, at the most, to be seen by its receiver
constexpr SpanMs kHour = 3'600'000;
constexpr SpanMs kStagedFor = 12 * kHour;  // an output that waits longer for its commit is staged anew

std::string mediaOf(const std::string& bytes, const std::string& said)
{
    const bool json = said.empty() || said == "application/json"
        || (said.size() > 5 && said.substr(said.size() - 5) == "+json");
    if (json && validateJson(bytes))
        return said.empty() ? "application/json" : said;
    if (!json)
        return said;
    return isUtf8(bytes) ? "text/plain" : "application/octet-stream";
}

bool needsStaging(const EngineCore::Impl::Pending& pending)
{
    return !pending.staged && pending.result.output && pending.result.output->size() > kStageAbove;
}

// What the output says that the call used. What it says and no call can use is given back, as text.
std::string takeUsage(
    const EngineCore::Impl::Pending& pending, std::string_view output, cmd::Complete& complete)
{
    RefusedUsage refused;
    complete.used = usageOf(pending.usage, output, &refused);
    // What is not known counts with its worst case; where that is not known either, as the most there is.
    for (const std::string& unit : refused.tooMuch)
        if (std::none_of(pending.worstCase.begin(), pending.worstCase.end(),
                [&](const Usage& most) { return most.unit == unit; }))
            complete.used.push_back({unit, kMostUsed});
    if (!refused.text.empty())
        log::warning("usage_refused", {{"run", pending.run}, {"step", pending.step}, {"text", refused.text}});
    return refused.text;
}

}  // namespace

bool tellsOthers(const Fact& fact)
{
    return std::holds_alternative<ChildRequested>(fact) || std::holds_alternative<RunClosed>(fact)
        || std::holds_alternative<ControlChanged>(fact) || std::holds_alternative<ControlInherited>(fact)
        || std::holds_alternative<CancelConfirmed>(fact) || std::holds_alternative<ChildAnswered>(fact)
        || std::holds_alternative<AllotmentAsked>(fact) || std::holds_alternative<ChildGranted>(fact)
        || std::holds_alternative<EffectDenied>(fact) || std::holds_alternative<ParentTold>(fact)
        || std::holds_alternative<RunReopened>(fact);
}

void EngineCore::Impl::committed(const RunState& after, const Entry& entry)
{
    commits = {};
    if (!after.closed)
        owned.insert(after.id);
    for (const Fact& fact : entry.facts) {
        if (const auto* started = std::get_if<AttemptStarted>(&fact);
            started && started->session == session) {
            startAttempt(after, *started);
        } else if (started && started->session.isNull()) {
            spendOutside(after, started->step);
        } else if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
            const auto found = active.find(ended->attempt);
            if (found != active.end() && !found->second.reported)
                seams.executor.abandon(ended->attempt);  // its time is over
            dropActive(ended->attempt);
            dropOutside(ended->attempt);
            outboxAt = std::min(
                outboxAt, seams.clock.monotonicMs() + (ended->effect == EffectKnowledge::NoEffect ? 500 : 0));
        } else if (tellsOthers(fact)) {
            outboxAt = 0;
        }
    }
    stopCancelled(after);
    arm(after);
}

Result<StartOrder> EngineCore::Impl::orderOf(const RunState& after, const AttemptStarted& fact)
{
    const StepRecord& step = after.steps.at(fact.step);
    StartOrder order;
    order.run = after.id;
    order.step = step.id;
    order.attempt = fact.attempt;
    order.number = fact.number;
    order.purpose = fact.purpose;
    order.safety = step.safety;
    order.tool = step.tool;
    order.trace = fact.trace;
    order.span = fact.span;
    order.timeout = fact.timeoutAt == kNoTime ? 0 : std::max<SpanMs>(fact.timeoutAt - service->now(), 1);
    const auto definition = service->definition(after.workflow.name, after.workflow.version);
    const ToolDef* tool = definition ? definition->tool(step.tool) : nullptr;
    if (!tool)
        return makeError(ErrorKind::NotFound,
            "there is no tool \"" + step.tool + "\" in " + after.workflow.name + "@"
                + std::to_string(after.workflow.version));
    CAIRN_TRY(limits.learn(*definition));
    order.executor = tool->executor;
    order.settings = fact.purpose == Purpose::LookUp ? tool->lookUp : tool->settings;
    order.secret = tool->secret;
    const std::string version = after.workflow.name + "@" + std::to_string(after.workflow.version);
    auto folder = folders.find(version);
    if (folder == folders.end()) {
        CAIRN_TRY_ASSIGN(const auto row, seams.store.workflow(after.workflow.name, after.workflow.version));
        folder = folders.emplace(version, row ? row->folder : "").first;
    }
    order.workflowFolder = folder->second;
    order.input = "null";
    if (step.input && step.input.size <= kStageAbove) {
        CAIRN_TRY_ASSIGN(order.input, seams.store.payload(after.id, step.input.id, 0, step.input.size));
    }
    if (writes(step.safety)) {
        CAIRN_TRY_ASSIGN(order.effectKey, service->effectKey(after.id, fact.step));
    }
    return order;
}

// By one's own clock, at the last moment before a tool is called: the commit may have taken longer than the
// lease, and then others have taken over, perhaps asked the provider already. After close() the run is
// everybody's, too.
bool EngineCore::Impl::mayCall()
{
    if (closed || lost)
        return false;
    if (seams.clock.monotonicMs() < leaseEnds)
        return true;
    lost = "the lease passed while a commit was under way";
    return false;
}

void EngineCore::Impl::startAttempt(const RunState& after, const AttemptStarted& fact)
{
    static_cast<void>(failpoint::hit("engine.intent-committed"));
    ++stats.started;
    const StepRecord& step = after.steps.at(fact.step);
    Active entry;
    entry.run = after.id;
    entry.step = fact.step;
    entry.name = step.id;
    entry.safety = step.safety;
    entry.purpose = fact.purpose;
    if (const auto definition = service->definition(after.workflow.name, after.workflow.version))
        if (const ToolDef* tool = definition->tool(step.tool)) {
            entry.executor = tool->executor;
            if (fact.purpose != Purpose::LookUp) {
                entry.resource = tool->resource;
                entry.usage = tool->usage;
                entry.worstCase = tool->worstCase;
            }
        }
    entry.startedAt = seams.clock.monotonicMs();
    entry.endsAt = endOf(fact);
    limits.started(entry.resource);
    active.emplace(fact.attempt, std::move(entry));
    updateCapacity();
    auto order = orderOf(after, fact);
    if (!mayCall())
        return;
    StartOrder none;
    none.attempt = fact.attempt;
    none.safety = step.safety;
    none.purpose = fact.purpose;
    const Span within{step.attempt ? step.attempt->startedAt : kNoTime, fact.timeoutAt};
    if (!order)
        return refuseStart(none, order.error());
    if (step.input && step.input.size > kStageAbove && !tooLate(within))
        return readInput(*std::move(order), step.input, within);
    call(*std::move(order), within);
}

// The attempt would time out while its request is on the way: a look-up after that may overtake it, and what
// it says of the effect would not hold.
bool EngineCore::Impl::tooLate(const Span& within)
{
    return within.until != kNoTime && within.from != kNoTime
        && within.until - service->now() < std::min(kTimeToArrive, (within.until - within.from) / 2);
}

// The last look at the clocks: what came before, a commit or a large input that was read, took its time.
void EngineCore::Impl::call(StartOrder order, const Span& within)
{
    if (!mayCall())
        return;
    if (tooLate(within))
        return refuseStart(order,
            makeError(ErrorKind::Busy,
                "the store took so long for this attempt that its time-out has nearly passed; nothing was "
                "called"));
    if (within.until != kNoTime)
        order.timeout = std::max<SpanMs>(within.until - service->now(), 1);
    seams.executor.start(std::move(order));
}

void EngineCore::Impl::refuseStart(const StartOrder& order, const Error& why)
{
    const bool damaged = why.kind == ErrorKind::Corrupt || why.kind == ErrorKind::NotFound;
    if (const auto found = active.find(order.attempt); found != active.end())
        found->second.executor.clear();  // it was not asked: this says nothing of it
    finished(failedResult(order, damaged ? FailureClass::Permanent : FailureClass::Retryable,
        knowledgeWhenNotDone(order), why.text));
}

void EngineCore::Impl::background(WorkPool::Work work, WorkPool::Done done)
{
    if (seams.pool)
        return seams.pool->run(std::move(work), std::move(done));
    work(seams.store);
    done();
}

// A large input is read beside the engine's thread. Meanwhile the attempt may be over, or is to be stopped.
void EngineCore::Impl::readInput(StartOrder order, const PayloadRef& input, const Span& within)
{
    struct Reading {
        StartOrder order;
        std::optional<Error> problem;
    };
    auto reading = std::make_shared<Reading>();
    reading->order = std::move(order);
    const auto work = [reading, id = input.id, size = input.size](StoreWriter& store) {
        if (auto bytes = store.payload(reading->order.run, id, 0, size))
            reading->order.input = *std::move(bytes);
        else
            reading->problem = bytes.error();
    };
    background(work, [this, reading, within] {
        const auto found = active.find(reading->order.attempt);
        if (found == active.end())
            return;
        if (reading->problem)
            return refuseStart(reading->order, *reading->problem);
        if (!found->second.cancelling)
            return call(std::move(reading->order), within);
        AttemptResult result = failedResult(
            reading->order, FailureClass::Retryable, knowledgeWhenNotDone(reading->order), "stopped");
        result.cancelled = true;
        finished(std::move(result));
    });
}

// A cancelled run's attempts are stopped, but for one that does what cannot be taken back: stopping it
// half-way would only turn what it knows into doubt. It ends by itself or by its time-out. Undoing goes on.
void EngineCore::Impl::stopCancelled(const RunState& after)
{
    if (!after.cancelled())
        return;
    std::vector<AttemptId> stop;
    for (const StepIx ix : after.running) {
        const auto& attempt = after.steps[ix].attempt;
        const auto found = attempt ? active.find(attempt->id) : active.end();
        if (found == active.end() || found->second.cancelling || found->second.purpose != Purpose::Do
            || found->second.safety == ReplaySafety::Irreversible)
            continue;
        found->second.cancelling = true;
        stop.push_back(attempt->id);
    }
    for (const AttemptId& attempt : stop)
        seams.executor.cancel(attempt);
}

void EngineCore::Impl::finished(AttemptResult result)
{
    const auto found = active.find(result.attempt);
    if (found == active.end() || std::exchange(found->second.reported, true))
        return;
    noteAble(found->second, result);
    static_cast<void>(failpoint::hit("engine.result-in-hand"));
    ++stats.results;
    auto pending = std::make_shared<Pending>();
    pending->run = found->second.run;
    pending->step = found->second.name;
    pending->safety = found->second.safety;
    pending->usage = std::move(found->second.usage);
    pending->worstCase = std::move(found->second.worstCase);
    pending->result = std::move(result);
    results.push_back(std::move(pending));
}

// Hashing, checking and copying of a large output into the store, beside the engine's thread.
void EngineCore::Impl::stage(const std::shared_ptr<Pending>& pending)
{
    auto made =
        std::make_shared<Result<NewPayload>>(makeError(ErrorKind::Internal, "the output was not staged"));
    const auto work = [made, spool = pending->result.output, said = pending->result.media,
                          seed = service->payloadSeed(pending->run)](StoreWriter& store) {
        const auto staged = [&]() -> Result<NewPayload> {
            std::string media;
            {
                CAIRN_TRY_ASSIGN(const std::string bytes, spool->all());
                media = mediaOf(bytes, said);
            }
            return stagePayload(
                store, seed, [&](std::size_t limit) { return spool->read(limit); }, media);
        };
        try {
            *made = staged();
        } catch (const std::exception& problem) {
            *made =
                makeError(ErrorKind::Internal, std::string("the output cannot be staged: ") + problem.what());
        }
    };
    ++staging;
    background(work, [this, pending, made] {
        --staging;
        if (*made) {
            pending->staged = *std::move(*made);
            pending->stagedAt = seams.clock.monotonicMs();
        } else {
            later(*pending, made->error());
        }
        results.push_back(pending);
    });
}

void EngineCore::Impl::later(Pending& pending, const Error& why)
{
    trouble(why);
    pending.notBefore =
        seams.clock.monotonicMs() + (why.kind == ErrorKind::Full ? config.fullProbe : kResultAgain);
}

Result<PayloadRef> EngineCore::Impl::outputOf(Pending& pending, Submission& submission)
{
    const AttemptResult& result = pending.result;
    if (pending.staged) {
        submission.payloads.push_back(*pending.staged);
    } else if (!result.output) {
        submission.payloads.push_back(service->newPayload("null", "application/json"));
    } else {
        CAIRN_TRY_ASSIGN(std::string bytes, result.output->all());
        std::string media = mediaOf(bytes, result.media);
        submission.payloads.push_back(service->newPayload(std::move(bytes), std::move(media)));
    }
    return submission.payloads.back().ref;
}

Result<Submission> EngineCore::Impl::submissionOf(Pending& pending)
{
    AttemptResult& result = pending.result;
    Submission submission;
    submission.run = pending.run;
    submission.command.actor = self();
    // The same id at every try: a result is recorded once, whatever happened to the answer.
    submission.command.id =
        deriveId<CommandId>(pending.refusedOnce ? "result-refused" : "result", result.attempt.view());
    const auto text = [&](const std::string& bytes) -> PayloadRef {
        if (bytes.empty())
            return {};
        submission.payloads.push_back(service->newPayload(bytes, "text/plain"));
        return submission.payloads.back().ref;
    };
    switch (result.kind) {
    case AttemptResult::Kind::Completed: {
        CAIRN_TRY_ASSIGN(const PayloadRef ref, outputOf(pending, submission));
        cmd::Complete body;
        body.attempt = result.attempt;
        body.output = ref;
        body.used = result.used;
        if (!pending.usage.empty() && result.output && result.output->size() <= kUsageIn) {
            CAIRN_TRY_ASSIGN(const std::string bytes, result.output->all());
            body.refusedReport = text(takeUsage(pending, bytes, body));
        }
        submission.command.body = std::move(body);
        break;
    }
    case AttemptResult::Kind::LookedUp: {
        PayloadRef ref;
        if (result.verdict == EffectKnowledge::Happened) {
            CAIRN_TRY_ASSIGN(ref, outputOf(pending, submission));
        }
        submission.command.body = cmd::LookedUp{result.attempt, result.verdict, ref, text(result.evidence)};
        break;
    }
    case AttemptResult::Kind::Failed: {
        cmd::Fail body;
        body.attempt = result.attempt;
        body.failure = result.failure;
        body.effect = result.effect;
        body.error = text(result.error);
        body.signature = sha256(errorSignature(result.error));
        body.retryAfter = result.retryAfter;
        body.used = result.used;
        body.timedOut = result.timedOut;
        body.cancelled = result.cancelled;
        submission.command.body = std::move(body);
        break;
    }
    }
    return submission;
}

void EngineCore::Impl::submitResults()
{
    const SpanMs now = seams.clock.monotonicMs();
    for (std::size_t left = results.size(); left > 0; --left) {
        const std::shared_ptr<Pending> pending = results.front();
        results.pop_front();
        if (pending->notBefore > now || isAway()) {
            results.push_back(pending);
            continue;
        }
        if (now - pending->stagedAt > kStagedFor)
            pending->staged.reset();
        if (needsStaging(*pending)) {
            stage(pending);
            continue;
        }
        auto submission = submissionOf(*pending);
        if (!submission) {
            later(*pending, submission.error());
            results.push_back(pending);
            continue;
        }
        handed.push_back(pending);
        service->submit(*std::move(submission), [this, pending](const Outcome& outcome) {
            std::erase(handed, pending);
            answered(pending, outcome);
        });
    }
}

// What an attempt said was refused for what it is, not for coming too late: it goes on as a failure, so that
// the attempt ends. True: it did. The tool was called and did what it does: of an effect outside this says
// that it happened, only the result is lost.
bool EngineCore::Impl::refusedResult(Pending& pending, const Rejection& why)
{
    const AttemptResult& result = pending.result;
    if (pending.refusedOnce || result.kind == AttemptResult::Kind::Failed)
        return false;
    const RunState* state = service->state(pending.run);
    const auto found = state ? state->attempts.find(result.attempt) : decltype(state->attempts.end()){};
    if (state && found != state->attempts.end()) {
        const auto& current = state->steps[found->second].attempt;
        if (!current || current->id != result.attempt)
            return false;
    } else if (why.code != RejectCode::InvalidInput) {
        return false;
    }
    StartOrder order;
    order.attempt = result.attempt;
    // The rules know whether there can be an effect.
    pending.result = failedResult(order, FailureClass::Rejected, EffectKnowledge::Happened, why.text);
    pending.refusedOnce = true;
    pending.staged.reset();
    return true;
}

// The store will never take the result as it is. What the call did stands all the same, so it is told without
// what was refused: nobody repeats a call that had its effect because nobody could write down its answer.
void EngineCore::Impl::notStorable(Pending& pending, const Error& why)
{
    AttemptResult& result = pending.result;
    if (pending.staged && !std::exchange(pending.restaged, true)) {
        pending.staged.reset();  // its chunks may have been cleared away
        return;
    }
    log::error(
        "result_not_storable", {{"run", pending.run}, {"attempt", result.attempt}, {"text", why.text}});
    if (std::exchange(pending.refusedOnce, true)) {
        pending.notBefore = seams.clock.monotonicMs() + kRefusedAgain;
        return;
    }
    const std::string text = "the store does not take the result: " + visible(why.text);
    pending.staged.reset();
    result.output.reset();
    result.used.clear();
    if (result.kind == AttemptResult::Kind::LookedUp) {
        if (result.verdict == EffectKnowledge::Happened)  // without its output the step is not complete
            result.verdict = EffectKnowledge::Unknown;
        result.evidence = text;
        return;
    }
    if (result.kind == AttemptResult::Kind::Completed) {
        result.kind = AttemptResult::Kind::Failed;
        result.failure = FailureClass::Permanent;
        result.effect = writes(pending.safety) ? EffectKnowledge::Happened : EffectKnowledge::NoEffect;
    }
    result.error = text;
}

void EngineCore::Impl::answered(const std::shared_ptr<Pending>& pending, const Outcome& outcome)
{
    static_cast<void>(failpoint::hit("engine.result-answered"));
    if (outcome.kind == Outcome::Kind::Failed) {
        // The tool has done its work: its result is not given up.
        notCommitted(outcome.error);
        pending->notBefore = seams.clock.monotonicMs() + (full ? config.fullProbe : kResultAgain);
        if (outcome.error.kind == ErrorKind::InvalidInput)
            notStorable(*pending, outcome.error);
        results.push_back(pending);
        return;
    }
    if (outcome.kind == Outcome::Kind::Rejected) {
        if (refusedResult(*pending, outcome.rejection)) {
            results.push_back(pending);
            return;
        }
        ++stats.fenced;
        log::warning("result_refused",
            {{"run", pending->run}, {"attempt", pending->result.attempt}, {"text", outcome.rejection.text}});
    } else if (full) {
        leaveFull();
    }
    dropActive(pending->result.attempt);
}

void EngineCore::Impl::dropActive(const AttemptId& attempt)
{
    const auto found = active.find(attempt);
    if (found == active.end())
        return;
    const std::string resource = found->second.resource;
    limits.ended(resource);
    active.erase(found);
    updateCapacity();
    if (!resource.empty())
        feedPermits(resource);
}

// What a worker outside does is under the limits of the resource as well: it holds a permit of the run's
// owner.
void EngineCore::Impl::spendOutside(const RunState& state, StepIx ix)
{
    const StepRecord& step = state.steps.at(ix);
    if (!step.attempt || !step.attempt->session.isNull() || step.attempt->purpose == Purpose::LookUp
        || outside.contains(step.attempt->id))
        return;
    const auto definition = service->definition(state.workflow.name, state.workflow.version);
    const ToolDef* tool = definition ? definition->tool(step.tool) : nullptr;
    if (!tool || tool->resource.empty())
        return;
    limits.started(tool->resource);
    outside[step.attempt->id] = {state.id, tool->resource};
}

void EngineCore::Impl::dropOutside(const AttemptId& attempt)
{
    const auto found = outside.find(attempt);
    if (found == outside.end())
        return;
    const std::string resource = found->second.resource;
    outside.erase(found);
    limits.ended(resource);
    feedPermits(resource);
}

RunId EngineCore::Impl::holderOf(std::string_view resource) const
{
    for (const auto& [attempt, each] : active)
        if (each.resource == resource)
            return each.run;
    for (const auto& [attempt, each] : outside)
        if (each.resource == resource)
            return each.run;
    return {};
}

void EngineCore::Impl::updateCapacity()
{
    if (!service)
        return;
    Capacity capacity;
    const auto used = static_cast<std::uint32_t>(active.size());
    capacity.attempts =
        draining || full || closed || used >= config.maxAttempts ? 0 : config.maxAttempts - used;
    capacity.permits = [this](std::string_view resource) { return limits.permits(resource); };
    capacity.holder = [this](std::string_view resource) { return holderOf(resource); };
    service->setCapacity(std::move(capacity));
}

}  // namespace cairn
