#include "core/service/staged.h"

#include "core/base/text.h"
#include "core/service/agreement.h"
#include "core/base/wire.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::uint8_t kBodyVersion = 1;
constexpr std::size_t kMaxPayloads = 8;

// Fields of each command that a person may leave, once for both directions.
template<class F> void each(F& f, cmd::Signal& c)
{
    f(c.name);
    f(c.messageHash);
    f(c.data);
}
template<class F> void each(F& f, cmd::Decide& c)
{
    f(c.approval);
    f(c.expectedBinding);
}
template<class F> void each(F& f, cmd::SetPaused& c)
{
    f(c.expectedControl);
    f(c.checkControl);
}
template<class F> void each(F& f, cmd::Cancel& c)
{
    f(c.compensate);
    f(c.expectedControl);
    f(c.checkControl);
}
template<class F> void each(F& f, cmd::Compensate& c)
{
    f(c.expectedControl);
    f(c.checkControl);
}
template<class F> void each(F& f, cmd::RetryStep& c)
{
    f(c.step);
    f(c.expectedRevision);
    f(c.checkRevision);
}
template<class F, class C> void eachOutput(F& f, C& c)
{
    f(c.step);
    f(c.output);
    f(c.expectedRevision);
    f(c.checkRevision);
}
template<class F> void each(F& f, cmd::SkipStep& c) { eachOutput(f, c); }
template<class F> void each(F& f, cmd::RecordResult& c) { eachOutput(f, c); }
template<class F> void each(F& f, cmd::Settle& c)
{
    eachOutput(f, c);
    f(c.as);
    f(c.evidence);
    f(c.assign);
}
template<class F> void each(F& f, cmd::AmendInput& c)
{
    f(c.step);
    f(c.input);
    f(c.expectedRevision);
    f(c.checkRevision);
}
template<class F> void each(F& f, cmd::SetDeadline& c)
{
    f(c.deadline);
    f(c.expectedControl);
    f(c.checkControl);
}
template<class F> void each(F& f, cmd::SetBudget& c)
{
    f(c.unit);
    f(c.limit);
    f(c.expectedControl);
    f(c.checkControl);
}
template<class F> void each(F& f, cmd::Fork& c)
{
    f(c.newRun);
    f(c.fromVersion);
    f(c.newEffects);
}
template<class F> void each(F& f, cmd::Migrate& c)
{
    f(c.toVersion);
    f(c.fromVersion);
}
template<class F> void each(F& f, cmd::Redact& c) { f(c.payloads); }
template<class F> void each(F&, cmd::Retain&) { }
template<class F> void each(F& f, cmd::Takeover& c)
{
    f(c.step);
    f(c.attempt);
    f(c.owner);
    f(c.checkOwner);
}
template<class F> void each(F& f, cmd::Hold& c)
{
    f(c.held);
    f(c.until);
    f(c.expected);
    f(c.check);
}
template<class F> void each(F& f, cmd::Assign& c)
{
    f(c.to);
    f(c.expected);
    f(c.check);
}
template<class F> void each(F& f, cmd::Note& c)
{
    f(c.text);
    f(c.masked);
    f(c.withdraw);
}

// An empty command of the verb; nullopt: not one that is left for an engine.
std::optional<cmd::Body> bodyOf(Verb verb)
{
    switch (verb) {
    case Verb::Approve: return cmd::Decide{{}, true, {}};
    case Verb::Reject: return cmd::Decide{{}, false, {}};
    case Verb::Pause: return cmd::SetPaused{true, 0, false};
    case Verb::Resume: return cmd::SetPaused{false, 0, false};
    case Verb::Cancel: return cmd::Cancel{};
    case Verb::Retry: return cmd::RetryStep{};
    case Verb::Skip: return cmd::SkipStep{};
    case Verb::Record: return cmd::RecordResult{};
    case Verb::Settle: return cmd::Settle{};
    case Verb::Amend: return cmd::AmendInput{};
    case Verb::Deadline: return cmd::SetDeadline{};
    case Verb::Budget: return cmd::SetBudget{};
    case Verb::Compensate: return cmd::Compensate{};
    case Verb::Fork: return cmd::Fork{};
    case Verb::Migrate: return cmd::Migrate{};
    case Verb::Redact: return cmd::Redact{};
    case Verb::Retain: return cmd::Retain{};
    case Verb::Signal: return cmd::Signal{};
    case Verb::Takeover: return cmd::Takeover{};
    case Verb::Hold: return cmd::Hold{};
    case Verb::Assign: return cmd::Assign{};
    case Verb::Note: return cmd::Note{};
    default: return std::nullopt;
    }
}

// A payload is named by its place among those that come along: 0 is none.
struct Put {
    WireWriter& out;
    const std::vector<NewPayload>& payloads;
    bool fail = false;

    void operator()(const std::string& v) { out.bytes(v); }
    void operator()(const Digest& v) { out.digest(v); }
    template<class Tag> void operator()(const Id<Tag>& v) { out.id(v); }
    void operator()(bool v) { out.boolean(v); }
    void operator()(const std::vector<PayloadId>& v)
    {
        out.u32(static_cast<std::uint32_t>(v.size()));
        for (const PayloadId& id : v)
            out.id(id);
    }
    void operator()(std::uint32_t v) { out.u32(v); }
    void operator()(std::uint64_t v) { out.u64(v); }
    void operator()(std::int64_t v) { out.i64(v); }
    void operator()(cmd::SettleAs v) { out.u8(static_cast<std::uint8_t>(v)); }
    void operator()(const PayloadRef& v)
    {
        const auto at = std::find_if(
            payloads.begin(), payloads.end(), [&](const NewPayload& p) { return p.ref.id == v.id; });
        fail = fail || (v && at == payloads.end());
        out.u8(v ? static_cast<std::uint8_t>(at - payloads.begin() + 1) : 0);
    }
};

struct Get {
    WireReader& in;
    const std::vector<NewPayload>& payloads;

    void operator()(std::string& v) { v = in.bytes(); }
    void operator()(Digest& v) { v = in.digest(); }
    template<class Tag> void operator()(Id<Tag>& v) { v = in.id<Id<Tag>>(); }
    void operator()(bool& v) { v = in.boolean(); }
    void operator()(std::vector<PayloadId>& v)
    {
        const std::uint32_t count = in.u32();
        for (std::uint32_t i = 0; i < count && !in.fail(); ++i)
            v.push_back(in.id<PayloadId>());
    }
    void operator()(std::uint32_t& v) { v = in.u32(); }
    void operator()(std::uint64_t& v) { v = in.u64(); }
    void operator()(std::int64_t& v) { v = in.i64(); }
    void operator()(cmd::SettleAs& v)
    {
        const std::uint8_t as = in.u8();
        if (as < 1 || as > static_cast<std::uint8_t>(cmd::SettleAs::Park))
            in.setFail();
        v = static_cast<cmd::SettleAs>(as);
    }
    void operator()(PayloadRef& v)
    {
        const std::size_t at = in.u8();
        if (at > payloads.size())
            in.setFail();
        else if (at > 0)
            v = payloads[at - 1].ref;
    }
};

// Hash, size and ids are made here, from the bytes: those of a stranger would be claims.
NewPayload readPayload(WireReader& in, const CommandId& command, std::size_t place)
{
    WireWriter seed;
    seed.id(command);
    seed.u32(static_cast<std::uint32_t>(place));
    NewPayload payload;
    payload.ref.id = deriveId<PayloadId>("staged", seed.out());
    payload.ref.media = in.bytes();
    const std::string_view salt = in.raw(payload.salt.size());
    std::copy(salt.begin(), salt.end(), payload.salt.begin());
    payload.bytes = in.bytes();
    payload.plain = sha256(payload.bytes);
    payload.ref.hash = saltedDigest(payload.salt, payload.plain);
    payload.ref.size = payload.bytes.size();
    if (payload.bytes.size() > kInlineLimit)
        payload.artifact = deriveId<ArtifactId>("staged", seed.out());
    return payload;
}

Error damaged(const StagedAct& act)
{
    return makeError(ErrorKind::InvalidInput,
        "act " + toText(act.command) + " is damaged, or says something else than it was staged for");
}

// Runs of children have derived ids of another version: a fork cannot take the place of one.
bool isRandomId(const RunId& run) { return (run.bytes[6] >> 4U) == 7; }

}  // namespace

std::string loginOf(const StoreRights& rights, std::uint32_t uid)
{
    return rights.login.empty() ? "uid " + std::to_string(uid) : rights.login;
}

Status checkMayAct(const StoreRights& rights)
{
    if (rights.commits || rights.stages)
        return {};
    return makeError(ErrorKind::NoRight,
        "the login \"" + rights.login
            + "\" may only read this store: acts need the role cairn_operator, decisions on approvals "
              "cairn_approver");
}

Result<StagedAct> stagedOf(Submission submission, const RunState& seen, const ServiceConfig& from)
{
    if (auto* decide = std::get_if<cmd::Decide>(&submission.command.body))
        if (const ApprovalRecord* record = seen.findApproval(decide->approval);
            record && decide->expectedBinding.isNull())
            decide->expectedBinding = record->binding;
    StagedAct act;
    act.command = submission.command.id;
    act.run = submission.run;
    act.verb = verbOf(submission.command.body);
    act.target = targetOf(submission.command.body);
    act.reason = submission.reason;
    act.claimed = submission.claimedName.empty() ? submission.command.actor.id : submission.claimedName;
    act.uid = from.uid;
    act.host = from.host;
    act.seenVersion = seen.version;
    if (const auto* decide = std::get_if<cmd::Decide>(&submission.command.body))
        act.seenDigest = decide->expectedBinding;
    if (!bodyOf(act.verb) || submission.payloads.size() > kMaxPayloads)
        return makeError(ErrorKind::InvalidInput, "this command is not one that is left for an engine");
    WireWriter out;
    out.u8(kBodyVersion);
    out.u8(static_cast<std::uint8_t>(submission.payloads.size()));
    for (const NewPayload& payload : submission.payloads) {
        out.bytes(payload.ref.media);
        out.raw(saltView(payload.salt));
        out.bytes(payload.bytes);
    }
    out.id(submission.forkSource);
    Put put{out, submission.payloads};
    std::visit(
        [&](auto& c) {
            if constexpr (requires { each(put, c); })
                each(put, c);
        },
        submission.command.body);
    if (put.fail)
        return makeError(ErrorKind::InvalidInput, "the act names a payload that does not come with it");
    act.body = out.take();
    return act;
}

Result<Submission> submissionOf(const StagedAct& act)
{
    auto body = bodyOf(act.verb);
    WireReader in(act.body);
    if (!body || in.u8() != kBodyVersion)
        return damaged(act);
    Submission submission;
    const std::size_t payloads = in.u8();
    for (std::size_t at = 0; at < payloads && at < kMaxPayloads && !in.fail(); ++at)
        submission.payloads.push_back(readPayload(in, act.command, at));
    submission.forkSource = in.id<RunId>();
    Get get{in, submission.payloads};
    std::visit(
        [&](auto& c) {
            if constexpr (requires { each(get, c); })
                each(get, c);
        },
        *body);
    const auto* fork = std::get_if<cmd::Fork>(&*body);
    if (in.fail() || !in.atEnd() || payloads > kMaxPayloads || targetOf(*body) != act.target
        || (fork != nullptr && (fork->newRun != act.run || !isRandomId(act.run))))
        return damaged(act);
    submission.run = act.run;
    submission.command.id = act.command;
    submission.command.actor = {act.verb == Verb::Signal ? ActorKind::Caller : ActorKind::Person,
        act.claimed.empty() ? act.stagedBy : act.claimed, act.stagedBy};
    submission.command.body = *std::move(body);
    submission.reason = act.reason;
    submission.claimedName = act.claimed;
    submission.origin = {act.uid, act.host};
    submission.left = true;
    return submission;
}

AuditRow refusedEntry(const StagedAct& act, const Error& why, TimeMs now)
{
    AuditRow row;
    row.time = now;
    row.kind = "refused";
    row.verb = act.verb;
    row.actor = act.claimed.empty() ? act.stagedBy : act.claimed;
    row.uid = act.uid;
    row.host = act.host;
    row.login = act.stagedBy;
    row.run = act.run;
    row.target = act.target;
    row.command = act.command;
    row.reason = act.reason;
    row.after = "{\"refused\":\"invalid_input\",\"why\":";
    appendJsonString(row.after, why.text);
    row.after += "}";
    return row;
}

bool isAnswer(const Outcome& outcome) noexcept
{
    if (outcome.kind != Outcome::Kind::Failed)
        return true;
    switch (outcome.error.kind) {
    case ErrorKind::InvalidInput:
    case ErrorKind::NotFound:
    case ErrorKind::Refused:
    case ErrorKind::NoRight:
    case ErrorKind::Corrupt:
    case ErrorKind::Internal: return true;
    default: return false;
    }
}

TimeMs expiryOf(const StagedAct& act) noexcept
{
    if (act.state == StagedState::Proposed)
        return act.expires;
    return std::max(act.stagedAt, act.confirmedAt) + kActExpires;
}

Outcome expired(const StagedAct& act)
{
    Outcome outcome;
    outcome.run = act.run;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.rejection = {RejectCode::Stale,
        "no engine carried it out before it expired at " + formatInstant(expiryOf(act))
            + "; nothing was done: look again",
        std::nullopt};
    return outcome;
}

StagedAct answered(StagedAct act, const Outcome& outcome)
{
    act.version = outcome.version;
    act.auditSeq = outcome.auditSeq;
    switch (outcome.kind) {
    case Outcome::Kind::Committed:
    case Outcome::Kind::Repeated:
    case Outcome::Kind::Existing: act.state = StagedState::Committed; break;
    case Outcome::Kind::Proposed: act.state = StagedState::Proposed; break;
    case Outcome::Kind::NoChange:
        act.state = StagedState::NoChange;
        act.outcome = outcome.text;
        break;
    case Outcome::Kind::Rejected:
        act.state = StagedState::Rejected;
        act.code = static_cast<std::uint8_t>(outcome.rejection.code);
        act.outcome = outcome.rejection.text;
        break;
    case Outcome::Kind::Failed:
        act.state = StagedState::Failed;
        act.code = static_cast<std::uint8_t>(outcome.error.kind);
        act.outcome = outcome.error.text;
        break;
    }
    return act;
}

Outcome outcomeOf(const StagedAct& act)
{
    Outcome outcome;
    outcome.run = act.run;
    outcome.version = act.version;
    outcome.auditSeq = act.auditSeq;
    switch (act.state) {
    case StagedState::Committed: outcome.kind = Outcome::Kind::Committed; break;
    case StagedState::NoChange:
        outcome.kind = Outcome::Kind::NoChange;
        outcome.text = act.outcome;
        break;
    case StagedState::Rejected:
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = {static_cast<RejectCode>(act.code), act.outcome, std::nullopt};
        break;
    case StagedState::Proposed:
        outcome.kind = Outcome::Kind::Proposed;
        outcome.text = standingOf(act);
        outcome.proposal = act;
        break;
    case StagedState::Refused:
    case StagedState::Expired:
    case StagedState::Withdrawn:
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = {RejectCode::Refused, standingOf(act) + "; nothing was done", std::nullopt};
        break;
    default: outcome.error = makeError(static_cast<ErrorKind>(act.code), act.outcome); break;
    }
    return outcome;
}

}  // namespace cairn
