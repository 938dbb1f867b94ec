#include "core/plan/spec.h"

#include "core/base/shell.h"
#include "core/base/text.h"
#include "core/base/wire.h"

namespace cairn {

namespace {

constexpr std::uint8_t kSpecVersion = 1;
constexpr std::uint32_t kMostPerMinute = 600'000;
constexpr SpanMs kLongest = SpanMs{30} * 24 * 3600 * 1000;

void putPace(WireWriter& out, const PlanPace& p)
{
    for (const std::uint32_t number : {p.rate, p.rampFrom, p.jitter, p.canary, p.stopOver})
        out.u32(number);
    for (const SpanMs span : {p.ramp, p.canaryWait, p.verify})
        out.i64(span);
}

void getPace(WireReader& in, PlanPace& p)
{
    for (std::uint32_t* number : {&p.rate, &p.rampFrom, &p.jitter, &p.canary, &p.stopOver})
        *number = in.u32();
    for (SpanMs* span : {&p.ramp, &p.canaryWait, &p.verify})
        *span = in.i64();
}

Error wrong(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }

// Sets what an item adds to the template.
struct Aim {
    const PlanItem& item;
    bool expects;
    template<class C> void operator()(C& c) const
    {
        if constexpr (requires { c.checkRevision; }) {
            c.step = item.target;
            c.checkRevision = expects;
            c.expectedRevision = static_cast<std::uint32_t>(item.seen);
        } else if constexpr (requires { c.checkControl; }) {
            c.checkControl = expects && item.seen > 0;
            c.expectedControl = item.seen > 0 ? item.seen - 1 : 0;
        }
    }
};

std::string rateText(std::uint32_t perMinute)
{
    return perMinute % 60 == 0 ? std::to_string(perMinute / 60) + "/s" : std::to_string(perMinute) + "/min";
}

std::string spanText(SpanMs span) { return std::to_string(span) + "ms"; }

std::string paceText(const PlanPace& pace)
{
    const PlanPace usual;
    std::string out;
    if (pace.rate > 0)
        out += " --rate " + rateText(pace.rate);
    if (pace.rampFrom > 0)
        out += " --ramp-from " + rateText(pace.rampFrom) + " --ramp " + spanText(pace.ramp);
    if (pace.jitter > 0)
        out += " --jitter " + std::to_string(pace.jitter);
    if (pace.canary > 0)
        out += " --canary " + std::to_string(pace.canary);
    if (pace.canaryWait != usual.canaryWait)
        out += " --canary-wait " + spanText(pace.canaryWait);
    if (pace.stopOver > 0)
        out += " --stop-over " + std::to_string(pace.stopOver);
    if (pace.verify != usual.verify)
        out += " --verify " + spanText(pace.verify);
    return out;
}

// What the template says beyond its verb.
struct Arguments {
    const std::vector<NewPayload>& payloads;
    std::string payload() const
    {
        return payloads.empty() ? std::string() : shellWord(payloads.front().bytes);
    }
    std::string operator()(const cmd::Cancel& c) const { return c.compensate ? "" : " --no-compensation"; }
    std::string operator()(const cmd::SkipStep&) const
    {
        return payloads.empty() ? std::string() : " --output " + payload();
    }
    std::string operator()(const cmd::RecordResult&) const { return " --output " + payload(); }
    std::string operator()(const cmd::AmendInput&) const { return " --input " + payload(); }
    std::string operator()(const cmd::SetDeadline& c) const
    {
        return " --deadline " + (c.deadline == kNoTime ? std::string("none") : formatRfc3339(c.deadline));
    }
    std::string operator()(const cmd::SetBudget& c) const
    {
        const std::string limit =
            c.unit.size() == 3 ? formatAmount(c.limit, c.unit) : std::to_string(c.limit);
        return " --budget " + shellWord(limit + " " + c.unit);
    }
    std::string operator()(const cmd::Migrate& c) const
    {
        return c.toVersion == 0 ? std::string() : " --to " + std::to_string(c.toVersion);
    }
    template<class C> std::string operator()(const C&) const { return {}; }
};

StagedAct actOf(const PlanRow& plan, const PlanSpec& spec, const PlanItem& item)
{
    StagedAct act;
    act.command = item.command;
    act.run = item.run;
    act.verb = spec.verb;
    act.target = spec.target;
    act.body = spec.body;
    act.reason = plan.reason;
    act.claimed = plan.actor;
    act.uid = plan.uid;
    act.host = plan.host;
    act.stagedBy = plan.login;
    return act;
}

}  // namespace

bool isAboutStep(Verb verb) noexcept
{
    return verb == Verb::Retry || verb == Verb::Skip || verb == Verb::Record || verb == Verb::Amend;
}

Status checkPlanVerb(Verb verb)
{
    switch (verb) {
    case Verb::Pause:
    case Verb::Resume:
    case Verb::Cancel:
    case Verb::Retry:
    case Verb::Skip:
    case Verb::Record:
    case Verb::Amend:
    case Verb::Deadline:
    case Verb::Budget:
    case Verb::Compensate:
    case Verb::Migrate: return {};
    case Verb::Approve:
    case Verb::Reject:
        return makeError(ErrorKind::Refused,
            "an approval is decided by itself, on exactly what it asks: use `cairn approve` or `cairn "
            "reject`, run by run");
    case Verb::Settle:
        return makeError(ErrorKind::Refused,
            "what became of an effect is said run by run, each with its own evidence: use `cairn settle`");
    default:
        return makeError(ErrorKind::Refused,
            "\"" + std::string(key(verb))
                + "\" is no verb that plans take: pause, resume, cancel, retry, skip, record, amend, "
                  "deadline, budget, compensate or migrate");
    }
}

Status checkPace(const PlanPace& pace)
{
    if (pace.rate > kMostPerMinute || pace.rampFrom > kMostPerMinute)
        return wrong("a rate is at most 10000 items a second");
    if (pace.rampFrom > 0 && (pace.rate == 0 || pace.ramp <= 0))
        return wrong("a ramp needs the rate that it ends with, and a span longer than 0");
    if (pace.ramp > 0 && pace.rampFrom == 0)
        return wrong("a ramp needs the rate that it begins with");
    if (pace.jitter > 100 || pace.stopOver > 100)
        return wrong("jitter and the share that stops the plan are percentages, from 0 to 100");
    for (const SpanMs span : {pace.ramp, pace.canaryWait, pace.verify})
        if (span < 0 || span > kLongest)
            return wrong("a span of a plan is from 0 to 30 days");
    return {};
}

Result<PlanSpec> specOf(Submission act, PlanSpec spec)
{
    spec.verb = verbOf(act.command.body);
    CAIRN_TRY(checkPlanVerb(spec.verb));
    CAIRN_TRY(checkPace(spec.pace));
    if (!spec.step.empty() && !isAboutStep(spec.verb))
        return wrong("\"" + std::string(key(spec.verb)) + "\" is about the run as a whole: it takes no step");
    std::size_t bytes = 0;
    for (const NewPayload& payload : act.payloads) {
        CAIRN_TRY(checkGiven(payload));
        bytes += payload.bytes.size();
    }
    if (bytes > kInlineLimit)
        return wrong(
            "what a plan gives to each run is 16 KiB at most; this has " + std::to_string(bytes) + " bytes");
    CAIRN_TRY_ASSIGN(const StagedAct staged, stagedOf(std::move(act), RunState{}, ServiceConfig{}));
    spec.target = staged.target;
    spec.body = staged.body;
    return spec;
}

std::string encodeSpec(const PlanSpec& spec)
{
    WireWriter out;
    out.u8(kSpecVersion);
    out.u8(static_cast<std::uint8_t>(spec.verb));
    out.bytes(spec.step);
    out.bytes(spec.filter);
    out.boolean(spec.leaveOutUncertain);
    putPace(out, spec.pace);
    out.bytes(spec.target);
    out.bytes(spec.body);
    return out.take();
}

Result<PlanSpec> decodeSpec(std::string_view bytes)
{
    WireReader in(bytes);
    PlanSpec spec;
    const bool known = in.u8() == kSpecVersion;
    spec.verb = static_cast<Verb>(in.u8());
    spec.step = in.bytes();
    spec.filter = in.bytes();
    spec.leaveOutUncertain = in.boolean();
    getPace(in, spec.pace);
    spec.target = in.bytes();
    spec.body = in.bytes();
    if (!known || in.fail() || !in.atEnd() || !checkPlanVerb(spec.verb) || !checkPace(spec.pace))
        return makeError(ErrorKind::Corrupt, "what the plan does is damaged, or of a newer version");
    return spec;
}

CommandId itemCommand(const PlanId& plan, const RunId& run)
{
    WireWriter seed;
    seed.id(plan);
    seed.id(run);
    return deriveId<CommandId>("plan", seed.out());
}

Result<Submission> submissionOf(const PlanRow& plan, const PlanSpec& spec, const PlanItem& item, bool expects)
{
    CAIRN_TRY_ASSIGN(Submission submission, submissionOf(actOf(plan, spec, item)));
    std::visit(Aim{item, expects}, submission.command.body);
    submission.command.plan = plan.id;
    submission.runs = plan.items;
    submission.left = false;  // it is the plan that waits
    submission.planItem = PlanOutcome{plan.id, item.ord, plan.startedAt};
    if (!plan.confirmedBy.empty())
        submission.agreed =
            Agreed{{ActorKind::Person, plan.confirmedBy, plan.confirmedBy}, plan.digest, false, plan.role};
    return submission;
}

// Of a control the number is kept with one more, so that 0 says that the verb depends on nothing.
std::optional<std::uint64_t> dependsOn(Verb verb, const std::string& step, const RunState& state)
{
    if (isAboutStep(verb)) {
        const StepRecord* record = state.find(step);
        return record ? std::optional<std::uint64_t>(record->revision) : std::nullopt;
    }
    if (verb == Verb::Resume || verb == Verb::Deadline || verb == Verb::Budget)
        return state.controlRevision() + 1;
    return 0;
}

PlanDigest::PlanDigest(const PlanRow& plan)
{
    WireWriter out;
    out.bytes("cairn-plan");
    out.id(plan.id);
    out.bytes(plan.login);
    out.bytes(plan.reason);
    out.bytes(plan.spec);
    m_chain = sha256(out.out());
}

void PlanDigest::add(std::span<const PlanItem> items)
{
    for (const PlanItem& item : items) {
        WireWriter out;
        out.digest(m_chain);
        out.u32(item.ord);
        out.id(item.run);
        out.id(item.command);
        out.bytes(item.target);
        out.u64(item.seen);
        m_chain = sha256(out.out());
    }
}

Digest PlanDigest::digest() const { return m_chain; }

std::string commandOf(
    const PlanRow& plan, const PlanSpec& spec, std::span<const RunId> runs, std::string_view store)
{
    std::string out = "cairn";
    if (!store.empty())
        out += " --store " + shellWord(store);
    out += " plan stage " + std::string(key(spec.verb));
    PlanItem none;
    none.command = plan.command;
    none.run = RunId{plan.id.bytes};
    if (const auto act = submissionOf(actOf(plan, spec, none)))
        out += std::visit(Arguments{act->payloads}, act->command.body);
    if (!spec.step.empty())
        out += " --step " + shellWord(spec.step);
    if (spec.leaveOutUncertain)
        out += " --leave-out-uncertain";
    out += paceText(spec.pace);
    if (!plan.reason.empty())
        out += " --reason " + shellWord(plan.reason);
    if (!spec.filter.empty())
        return out + " --where " + shellWord(spec.filter);
    for (const RunId& run : runs)
        out += " " + toText(run);
    return out;
}

}  // namespace cairn
