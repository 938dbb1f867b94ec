// What must be known before the first decision on a new run: its workflow, its key, what a fork copies.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/plan.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn {

namespace {

Outcome rejected(RejectCode code, const RunId& run, std::string text)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.run = run;
    outcome.rejection = {code, std::move(text), std::nullopt};
    return outcome;
}

std::string fingerprint(const Digest& digest) { return hex(digest).substr(0, 12); }

const NewPayload* given(const Submission& submission, const PayloadRef& ref)
{
    for (const NewPayload& payload : submission.payloads)
        if (payload.ref.id == ref.id)
            return &payload;
    return nullptr;
}

// Payloads that a fork takes over: what decide() copies into the new run (see Decider::own(Fork)).
std::vector<PayloadRef> forkedPayloads(const RunState& from)
{
    std::vector<PayloadRef> refs{from.input};
    for (const StepRecord& step : from.steps) {
        if (step.state == StepState::Complete
            || (step.kind == StepKind::FanOut && step.state == StepState::Waiting))
            refs.push_back(step.input);
        if (step.state == StepState::Complete || step.state == StepState::Skipped)
            refs.push_back(step.output);
    }
    std::erase_if(refs, [](const PayloadRef& ref) { return ref.isNull(); });
    return refs;
}

}  // namespace

Status checkGiven(const NewPayload& payload)
{
    if (payload.ref.media.find("json") == std::string::npos)
        return {};
    return validateJson(payload.bytes, kPayloadJson);
}

namespace {

// A person, a caller or a worker outside: what engines and runs bring was looked at before.
bool isOutside(const Actor& actor)
{
    return actor.kind == ActorKind::Person || actor.kind == ActorKind::Caller
        || actor.kind == ActorKind::Worker;
}

std::string_view whatIsGiven(const cmd::Body& body)
{
    if (std::holds_alternative<cmd::Signal>(body))
        return "the signal's data";
    const bool result = std::holds_alternative<cmd::Complete>(body)
        || std::holds_alternative<cmd::RecordResult>(body) || std::holds_alternative<cmd::Settle>(body)
        || std::holds_alternative<cmd::SkipStep>(body);
    return result ? "the result" : "the input";
}

// Of the steps that a caller brings itself; those of a workflow and of a plan are checked where they are
// read.
Status checkNewSteps(const cmd::Body& body)
{
    const auto check = [](const cmd::NewStep& step) -> Status {
        for (const std::string* text : {&step.id, &step.name})
            if (const Status checked = checkStepId(*text); !checked)
                return makeError(checked.error().kind, "a new step " + checked.error().text);
        return {};
    };
    if (const auto* one = std::get_if<cmd::DrivenStep>(&body))
        return check(one->step);
    if (const auto* one = std::get_if<cmd::RequestApproval>(&body))
        return check(one->step);
    if (const auto* several = std::get_if<cmd::AddSteps>(&body))
        for (const cmd::NewStep& step : several->steps)
            CAIRN_TRY(check(step));
    return {};
}

}  // namespace

std::optional<Outcome> Service::Impl::prepare(Item& item)
{
    Submission& s = item.submission;
    const TimeMs at = now();
    mask(s);
    // The store would refuse the commit; a preview, and a key that is in use, need none.
    if (const auto store = info(); store)
        if (const auto fence = fenceOf(store->minWriter))
            return failedWith(s.run, fenceError(*fence));
    // Entries of format 1 have no room for it, and what is decided on must be what can be read back.
    if (s.command.actor.kind == ActorKind::Person && s.command.actor.login.empty())
        if (const auto store = info(); store && std::min(store->writeFormat, kMaxFormat) >= 2)
            s.command.actor.login = config.login;
    if (isOutside(s.command.actor) && !s.delivered)
        for (const NewPayload& payload : s.payloads)
            if (const Status checked = checkGiven(payload); !checked)
                return rejected(RejectCode::InvalidInput, s.run,
                    std::string(whatIsGiven(s.command.body))
                        + " is not JSON that can be kept exactly: " + checked.error().text);
    if (const Status checked = checkNewSteps(s.command.body); !checked)
        return rejected(RejectCode::InvalidInput, s.run, checked.error().text);
    if (auto* start = std::get_if<cmd::Start>(&s.command.body))
        if (auto outcome = prepareStart(item, *start))
            return outcome;
    if (auto* fork = std::get_if<cmd::Fork>(&s.command.body))
        if (auto outcome = prepareFork(item, *fork))
            return outcome;
    if (s.run.isNull())
        return rejected(RejectCode::NotFound, s.run, "no run was named");
    if (s.command.id.isNull())
        s.command.id = makeId<CommandId>(at, rng);
    if (!s.reason.empty()) {
        if (const Status checked = checkText("the reason", s.reason); !checked)
            return rejected(RejectCode::InvalidInput, s.run, checked.error().text);
        s.command.reasonLength = reasonLength(s.reason);
        if (!s.command.reason) {
            s.payloads.push_back(makePayload(s.reason, "text/plain"));
            s.command.reason = s.payloads.back().ref;
        }
    }
    return std::nullopt;
}

std::optional<Outcome> Service::Impl::prepareStart(Item& item, cmd::Start& start)
{
    Submission& s = item.submission;
    const TimeMs at = now();
    const auto store = info();
    if (!store)
        return failedWith(s.run, store.error());
    if (s.run.isNull())
        s.run = start.run.isNull() ? makeId<RunId>(at, rng) : start.run;
    start.run = s.run;
    item.creates = true;
    if (s.workflow.empty()) {
        start.driven = true;
    } else {
        auto found = findDefinition(s.workflow, s.workflowVersion);
        if (!found)
            return failedWith(s.run, std::move(found).error());
        item.definition = *std::move(found);
        if (!item.definition) {
            const std::string version = s.workflowVersion == 0 ? "" : "@" + std::to_string(s.workflowVersion);
            return rejected(RejectCode::NotFound, s.run,
                "workflow " + visibleLine(s.workflow) + version
                    + " is not in this store: add it with `cairn workflow add`");
        }
    }
    if (const Status checked = checkText("the key", s.key); !checked)
        return rejected(RejectCode::InvalidInput, s.run, checked.error().text);
    const NewPayload* input = given(s, start.input);
    if (start.input && !input)
        return rejected(RejectCode::InvalidInput, s.run, "the run's input must come with the command");
    item.plainInput = input ? input->plain : sha256("");
    RunRow& identity = item.identity;
    identity.run = s.run;
    identity.root = start.root.isNull() ? s.run : start.root;
    identity.parent = start.parent;
    if (item.definition)
        identity.workflow = item.definition->ref;
    identity.key = s.key;
    identity.driven = start.driven;
    identity.createdAt = at;
    if (s.key.empty())
        return std::nullopt;
    rng.fill(identity.keySalt.data(), identity.keySalt.size());
    identity.keyInput = saltedDigest(identity.keySalt, item.plainInput);
    start.keyHash = sha256(saltView(store->salt), s.key);
    const auto taken = reader.findKey(identity.workflow.name, s.key);
    if (!taken)
        return failedWith(s.run, taken.error());
    // As of now: whoever is told "that run exists" is not told by a store that the run has left.
    if (const auto standing = *taken ? reader.info() : store; !standing)
        return failedWith(s.run, standing.error());
    else if (const auto fence = fenceOf(standing->minWriter))
        return failedWith(s.run, fenceError(*fence));
    return *taken ? std::optional(keyTaken(item, **taken)) : std::nullopt;
}

// The same key with the same input, byte for byte, is the same request; with another input it is refused.
Outcome Service::Impl::keyTaken(const Item& item, const RunRow& other) const
{
    const Digest mine = saltedDigest(other.keySalt, item.plainInput);
    if (mine == other.keyInput) {
        Outcome outcome;
        outcome.kind = Outcome::Kind::Existing;
        outcome.run = other.run;
        outcome.text = "the key was used before with the same input";
        return outcome;
    }
    return rejected(RejectCode::Conflict, other.run,
        "key \"" + visibleLine(item.submission.key) + "\" belongs to run " + toText(other.run)
            + " with another input: its fingerprint is " + fingerprint(other.keyInput)
            + ", that of this input " + fingerprint(mine)
            + "; nothing was started. Use another key, or the same bytes");
}

// Which payloads a fork takes over, and under which ids. Their bytes are copied by the commit queue, one
// after the other; small ones are in memory together, and those beyond 64 MiB of them go the way of large
// ones.
Status Service::Impl::copyForFork(Item& item)
{
    constexpr std::uint64_t kInlineOfFork = 64 * 1024 * 1024;
    Submission& s = item.submission;
    std::vector<PayloadId> ids;
    for (const PayloadRef& ref : forkedPayloads(*item.source))
        ids.push_back(ref.id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::uint64_t small = 0;
    for (std::span<const PayloadId> rest = ids; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), kPayloadPage));
        rest = rest.subspan(page.size());
        CAIRN_TRY_ASSIGN(const auto found, reader.payloads(s.forkSource, page, 0));
        std::map<PayloadId, PayloadInfo> infos;
        for (const FoundPayload& each : found)
            infos[each.info.ref.id] = each.info;
        for (const PayloadId& id : page) {
            const auto known = infos.find(id);
            if (known == infos.end()) {
                CAIRN_TRY_ASSIGN(infos[id], reader.payloadInfo(s.forkSource, id));  // says why
            }
            NewPayload copy;
            const PayloadInfo& info = infos[id];
            copy.ref = info.ref;
            copy.ref.id = makeId<PayloadId>(clock.wallMs(), rng);
            copy.salt = info.salt;
            copy.copyFrom = s.forkSource;
            copy.copyOf = id;
            small += info.ref.size <= kInlineLimit ? info.ref.size : 0;
            if (info.ref.size > kInlineLimit || (small > kInlineOfFork && info.ref.size > 0))
                copy.artifact = makeId<ArtifactId>(clock.wallMs(), rng);
            item.copies[id] = copy.ref;
            s.payloads.push_back(std::move(copy));
        }
    }
    return {};
}

std::optional<Outcome> Service::Impl::prepareFork(Item& item, cmd::Fork& fork)
{
    Submission& s = item.submission;
    if (s.forkSource.isNull())
        return rejected(RejectCode::InvalidInput, s.run, "a fork needs the run that it is made from");
    RunRow from;
    auto source = fold(s.forkSource, fork.fromVersion, &from, nullptr);
    if (!source && source.error().kind == ErrorKind::NotFound)
        return rejected(RejectCode::NotFound, s.forkSource, source.error().text);
    if (!source)
        return failedWith(s.forkSource, std::move(source).error());
    const TimeMs at = now();
    if (fork.newRun.isNull())
        fork.newRun = s.run.isNull() ? makeId<RunId>(at, rng) : s.run;
    s.run = fork.newRun;
    fork.fromVersion = source->version;
    item.creates = true;
    item.source = std::make_shared<const RunState>(*std::move(source));
    auto found = findDefinition(item.source->workflow.name, item.source->workflow.version);
    if (!found)
        return failedWith(s.forkSource, std::move(found).error());
    item.definition = *std::move(found);
    if (const Status copied = copyForFork(item); !copied) {
        if (copied.error().kind != ErrorKind::Refused)
            return failedWith(s.forkSource, copied.error());
        return rejected(RejectCode::Refused, s.forkSource,
            "a result that the fork would copy was redacted: " + copied.error().text);
    }
    RunRow& identity = item.identity;
    identity.run = s.run;
    identity.root = s.run;
    identity.workflow = item.source->workflow;
    identity.forkedFrom = s.forkSource;
    identity.driven = item.source->driven;
    identity.createdAt = at;
    return std::nullopt;
}

}  // namespace cairn
