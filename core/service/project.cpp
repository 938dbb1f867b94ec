// From an entry and the state after it to everything that is written with it in one transaction.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/service/impl.h"
#include "core/service/work.h"
#include "core/store/message.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kKeepWithin = 30'000;          // a run with nothing due within this is let go (DESIGN 12.3)
constexpr SpanMs kLongestBackOff = 86'400'000;  // as the machine caps a server's Retry-After

std::string summaryJson(const Summary& summary, const RunState& state)
{
    std::string out = "{\"version\":" + std::to_string(state.version) + ",\"activity\":\""
        + std::string(key(summary.activity)) + "\"";
    if (summary.primary.reason != Reason::None)
        out += ",\"reason\":\"" + std::string(key(summary.primary.reason)) + "\"";
    if (summary.primary.step != kNoStep)
        out += ",\"step\":" + jsonQuote(state.steps[summary.primary.step].id);
    return out + "}";
}

std::string shortened(std::string_view raw)
{
    const auto text =
        jsonKind(raw) == JsonKind::String ? jsonString(raw) : Result<std::string>(std::string(jsonTrim(raw)));
    return clipped(visibleLine(text ? *text : std::string(raw)), 200);
}

AttributeRow attributeRow(const AttributeDef& def, std::string_view raw)
{
    AttributeRow row;
    row.name = def.name;
    row.type = def.type;
    row.text = shortened(raw);
    if (def.type == "integer") {
        row.number = jsonInt(raw).has_value() ? *jsonInt(raw) : 0;
    } else if (def.type == "money") {
        const auto amount = parseAmount(row.text);
        row.number = amount ? *amount : 0;
    } else if (def.type == "time") {
        const auto at = parseInstant(row.text);
        row.number = at ? *at : 0;
    }
    return row;
}

// Ready steps that an engine starts by itself: not those of driven runs and outside workers.
bool startable(const RunState& state, const Definition* definition, StepIx ix)
{
    const StepRecord& step = state.steps[ix];
    if (state.restCancelled && step.undoOf == kNoStep)
        return false;
    if (step.kind != StepKind::Tool && step.kind != StepKind::Decision)
        return true;
    const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
    return !tool || tool->executor != "worker";
}

// A worker outside that calls a resource holds a permit of the run's owner.
bool usesResource(const Definition* definition, const StepRecord& step)
{
    const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
    return tool && !tool->resource.empty();
}

bool somethingToStart(const RunState& state, const Definition* definition)
{
    if (state.closed || state.driven || state.paused() || state.blocked != Reason::None)
        return false;
    return !state.fresh.empty() || std::any_of(state.ready.begin(), state.ready.end(), [&](StepIx ix) {
        return startable(state, definition, ix);
    });
}

struct Projection {
    Service::Impl& service;
    Work& work;
    Slot& slot;
    const Entry& entry;
    const RunState& after;
    CommitMember& member;

    void steps()
    {
        slot.rows.resize(after.steps.size());
        const bool renames = std::any_of(entry.facts.begin(), entry.facts.end(),
            [](const Fact& fact) { return std::holds_alternative<RunMigrated>(fact); });
        for (const StepIx ix : touchedSteps(after, entry)) {
            std::uint32_t& row = slot.rows[ix];
            if (!renames && row == after.steps[ix].revision + 1)
                continue;  // near what has changed, but not changed itself
            row = after.steps[ix].revision + 1;
            member.steps.push_back(stepRowOf(after, ix));
        }
    }
    void attempts()
    {
        for (const Fact& fact : entry.facts) {
            if (const auto* started = std::get_if<AttemptStarted>(&fact)) {
                const AttemptRow row = attemptRowOf(after, *started, entry.time);
                slot.open[row.id] = row;
                put(row);
            } else if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
                const auto found = slot.open.find(ended->attempt);
                if (found == slot.open.end())
                    continue;
                AttemptRow row = found->second;
                slot.open.erase(found);
                endAttemptRow(row, *ended, entry.time);
                put(row);
            }
        }
    }
    void put(const AttemptRow& row)
    {
        for (AttemptRow& there : member.attempts)
            if (there.id == row.id) {
                there = row;
                return;
            }
        member.attempts.push_back(row);
    }
    void approvals()
    {
        std::set<ApprovalId> touched;
        bool all = false;
        for (const Fact& fact : entry.facts) {
            if (const auto* asked = std::get_if<ApprovalRequested>(&fact))
                touched.insert(asked->approval);
            else if (const auto* decided = std::get_if<ApprovalDecided>(&fact))
                touched.insert(decided->approval);
            else if (const auto* started = std::get_if<AttemptStarted>(&fact))
                touched.insert(started->approval);
            else if (const auto* amended = std::get_if<InputAmended>(&fact))
                touched.insert(after.steps[amended->step].approval);
            all = all || std::holds_alternative<RestCancelled>(fact);
        }
        for (const ApprovalRecord& record : after.approvals)
            if (all || touched.contains(record.id))
                member.approvals.push_back(approvalRowOf(record));
    }
    void payloads()
    {
        const std::set<PayloadId> used = payloadsOf(entry);
        const auto add = [&](const NewPayload& payload) {
            if (!used.contains(payload.ref.id))
                return;
            PayloadRow row{payload.ref, payload.salt, {}, payload.artifact};
            row.copyFrom = payload.copyFrom;
            row.copyOf = payload.copyOf;
            if (payload.artifact.isNull() || !payload.staged)
                row.bytes = payload.bytes;
            member.payloads.push_back(std::move(row));
            slot.fresh.emplace(payload.ref.id, payload);
        };
        for (const NewPayload& payload : work.item().submission.payloads)
            add(payload);
        for (const auto& [id, payload] : work.made())
            add(payload);
    }
    Status effects()
    {
        for (const LedgerChange& change : ledgerChangesOf(after, entry)) {
            CAIRN_TRY_ASSIGN(EffectRow row, work.ledgerRow(change.effect));
            const StepRecord& step = after.steps[change.step];
            LedgerRow now;
            now.state = row.state;
            now.holder = row.holder;
            now.holderStep = row.holderStep;
            now.unknowable = row.inputDigest.isNull();
            if (!mayChange(now, change, after.id, step.id))
                continue;
            if (change.state == LedgerState::InFlight || row.key.empty()) {
                CAIRN_TRY_ASSIGN(row.key, work.keyText(change.step));
                CAIRN_TRY_ASSIGN(const Digest plain, work.plain(step.input));
                row.tool = step.tool;
                service.rng.fill(row.inputSalt.data(), row.inputSalt.size());
                row.inputDigest = saltedDigest(row.inputSalt, plain);
            }
            row.state = change.state;
            row.holder = after.id;
            row.holderStep = step.id;
            row.result = change.result.id;
            row.changedAt = entry.time;
            member.effects.push_back({row});
            ++row.revision;
            slot.ledger[change.effect] = row;
            if (change.wakesWaiters)
                member.wake.push_back(change.effect);
        }
        waits();
        return {};
    }
    // The store refuses a waiter whose effect has ended meanwhile (LedgerMoved): nobody would wake it.
    void waits()
    {
        for (const Fact& fact : entry.facts)
            if (const auto* waiting = std::get_if<StepWaiting>(&fact);
                waiting && waiting->reason == Reason::EffectInFlight)
                member.waits.emplace_back(after.steps[waiting->step].effect, waiting->step);
    }
    void outbox()
    {
        std::uint32_t number = 0;
        for (const Message& message : messagesOf(after, entry, work.given().definition))
            member.outbox.push_back(
                {after.id, entry.version, number++, message.to, encodeMessage(message), entry.time});
    }
    void resources()
    {
        const auto* fail = std::get_if<cmd::Fail>(&work.item().submission.command.body);
        const Definition* definition = work.given().definition;
        if (!fail || fail->failure != FailureClass::RateLimited || !definition)
            return;
        for (const Fact& fact : entry.facts) {
            const auto* ended = std::get_if<AttemptEnded>(&fact);
            const ToolDef* tool = ended ? definition->tool(after.steps[ended->step].tool) : nullptr;
            if (!tool || tool->resource.empty())
                continue;
            ResourceRow row;
            row.name = tool->resource;
            row.askedByServer = fail->retryAfter >= 0;
            row.backOffUntil = row.askedByServer ? entry.time + std::min(fail->retryAfter, kLongestBackOff)
                                                 : after.steps[ended->step].due;
            if (row.backOffUntil == kNoTime)
                continue;
            auto [known, isNew] = service.resources.try_emplace(row.name, row);
            if (!isNew)
                known->second.backOffUntil = std::max(known->second.backOffUntil, row.backOffUntil);
            member.resources.push_back(std::move(row));
        }
    }
    void list()
    {
        ListRow row = listRowOf(after, slot.identity, entry.time, work.given().definition);
        PayloadRef error = listError(after, entry.time);
        if (after.redacted.contains(error.id))
            error = {};
        finishListRow(row, service.errorText(slot, error, &work), listStepName(after, entry.time));
        if (slot.list && slot.list->sameContent(row))
            return;
        slot.list = row;
        member.list = std::move(row);
    }
    // The bytes of what is redacted go in this commit, and so does what was taken from them.
    void redactions()
    {
        bool input = false;
        for (const Fact& fact : entry.facts)
            if (const auto* redacted = std::get_if<PayloadsRedacted>(&fact))
                for (const PayloadId& id : redacted->payloads) {
                    member.redacted.push_back(id);
                    input = input || id == after.input.id;
                }
        const Definition* definition = work.given().definition;
        if (!input || !definition)
            return;
        for (const AttributeDef& def : definition->attributes) {
            AttributeRow row;
            row.name = def.name;
            row.type = def.type;
            member.attributes.push_back(std::move(row));
        }
    }
    void attributes()
    {
        const Definition* definition = work.given().definition;
        if (!member.create || !definition || definition->attributes.empty() || !after.input)
            return;
        const auto input = work.bytes(after.input);
        if (!input || findJsonFault(*input))
            return;
        for (const AttributeDef& def : definition->attributes)
            if (const auto raw = jsonAt(*input, def.at))
                member.attributes.push_back(attributeRow(def, *raw));
    }
    // Who confirmed it; or that nobody did, and then the review is opened with the act.
    void agreement(AuditRow& row)
    {
        const auto& agreed = work.given().agreed;
        if (!agreed || !work.given().needed.second())
            return;
        if (!agreed->glass) {
            row.after.insert(row.after.size() - 1,
                ",\"confirmed_by\":" + jsonQuote(agreed->by.login) + ",\"digest\":\"" + hex(agreed->digest)
                    + "\"");
            return;
        }
        row.after.insert(row.after.size() - 1, ",\"break_glass\":true");
        if (work.item().submission.origin)  // what was left for an engine opened it when it was left
            return;
        auto change = std::make_shared<StoreChange>();
        change->review = Review{row.command, row.run, row.verb, row.target, row.login, row.reason, {}, 0,
            row.time, {}, {}, kNoTime};
        row.with = std::move(change);
    }
    void audit(const Summary& before, std::uint64_t versionBefore)
    {
        const Submission& s = work.item().submission;
        if (s.command.actor.kind != ActorKind::Person)
            return;
        RunState shell;  // only for the words of "before"
        shell.version = versionBefore;
        AuditRow row;
        row.time = entry.time;
        row.kind = "applied";
        row.verb = entry.verb;
        row.actor = s.claimedName.empty() ? s.command.actor.id : s.claimedName;
        row.uid = s.origin ? s.origin->uid : service.config.uid;
        row.host = s.origin ? s.origin->host : service.config.host;
        row.login = s.command.actor.login.empty() ? service.config.login : s.command.actor.login;
        row.run = after.id;
        row.target = targetOf(s.command.body);
        row.command = s.command.id;
        row.reason = s.reason;
        Summary plain = before;
        plain.primary.step = kNoStep;
        row.before = summaryJson(plain, shell);
        row.after = summaryJson(summarise(after, entry.time), after);
        if (const auto* fork = std::get_if<cmd::Fork>(&s.command.body)) {
            row.before = "{\"source\":" + jsonQuote(toText(s.forkSource))
                + ",\"version\":" + std::to_string(fork->fromVersion) + "}";
            if (fork->newEffects)
                row.after.insert(row.after.size() - 1, ",\"new_effects\":true");
        }
        agreement(row);
        member.audit = std::move(row);
    }
};

}  // namespace

bool Service::Impl::worthOwning(const RunState& state, const Definition* definition, TimeMs at) const
{
    if (state.closed)
        return false;
    for (const StepIx ix : state.running)
        if (state.steps[ix].attempt->session == config.session
            || (state.steps[ix].attempt->session.isNull() && usesResource(definition, state.steps[ix])))
            return true;
    if (somethingToStart(state, definition))
        return true;
    const TimeMs due = nextDueOf(state, definition, at);
    return due != kNoTime && due <= at + kKeepWithin;
}

TimeMs Service::Impl::nextDueOf(const RunState& state, const Definition* definition, TimeMs at) const
{
    return cairn::nextDueOf(state, at, somethingToStart(state, definition));
}

Result<CommitMember> Service::Impl::project(
    Work& work, Slot& slot, const Entry& entry, const SealedEntry& sealed, const Summary& before)
{
    const RunState& after = work.state();
    Item& item = work.item();
    CommitMember member;
    member.run = after.id;
    member.create = item.creates;
    member.expectedVersion = entry.version - 1;
    member.expectedEpoch = slot.epoch;
    member.checkEpoch = slot.owned && !slot.releasing;
    member.control = after.controlVersion;
    member.by = config.session;
    member.entry = sealed;
    member.nextDue = nextDueOf(after, work.given().definition, entry.time);
    const bool worth = worthOwning(after, work.given().definition, entry.time);
    if (item.creates) {
        member.identity = item.identity;
        slot.identity = item.identity;
        if (!work.given().session.isNull() && !after.closed) {
            // What only waits is nobody's from the beginning: its engine has nothing to do for it.
            const bool forOthers = item.submission.delivered || item.submission.origin;
            member.owner = worth || !forOthers ? OwnerChange::Take : OwnerChange::Release;
            member.newOwner = member.owner == OwnerChange::Take ? config.session : SessionId{};
        }
    } else if (member.checkEpoch && !worth) {
        member.owner = OwnerChange::Release;
    }
    if (const auto* taken = std::get_if<cmd::Takeover>(&item.submission.command.body);
        taken && taken->step.empty()) {
        member.owner = slot.owned ? OwnerChange::Release : OwnerChange::Drop;
        member.checkEpoch = true;  // from whom it was taken is part of the decision
    }
    const bool starts = std::any_of(entry.facts.begin(), entry.facts.end(),
        [](const Fact& fact) { return std::holds_alternative<AttemptStarted>(fact); });
    if (item.creates || starts)
        member.ancestors = work.ancestors();
    Projection projection{*this, work, slot, entry, after, member};
    projection.payloads();
    projection.steps();
    projection.attempts();
    projection.approvals();
    CAIRN_TRY(projection.effects());
    projection.outbox();
    projection.resources();
    projection.list();
    projection.attributes();
    projection.redactions();
    projection.audit(before, entry.version - 1);
    member.delivered = item.submission.delivered;
    member.left = item.submission.left;
    member.planItem = item.submission.planItem;
    if (member.planItem)
        member.planItem->doneAt = std::max(member.planItem->doneAt, entry.time);
    if (!work.aside().empty())  // what only words need is not there yet
        return makeError(ErrorKind::Busy, "what the entry needs is to be read first");
    return member;
}

}  // namespace cairn
