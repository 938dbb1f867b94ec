// Submissions: decided in order on a run's tentative state, pushed to the commit queue, answered as the
// commits land.

#include "core/service/service.h"

#include "core/base/failpoint.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/service/work.h"
#include "core/store/checks.h"

#include <algorithm>

namespace cairn {

namespace {

struct Depth {
    explicit Depth(int& d)
        : depth(d)
    {
        ++depth;
    }
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
};

}  // namespace

Outcome failedWith(const RunId& run, Error error)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Failed;
    outcome.run = run;
    outcome.error = std::move(error);
    return outcome;
}

std::uint32_t startsOf(const Entry& entry, const SessionId& session)
{
    std::uint32_t count = 0;
    for (const Fact& fact : entry.facts)
        if (const auto* started = std::get_if<AttemptStarted>(&fact))
            count += !session.isNull() && started->session == session ? 1 : 0;
    return count;
}

void Service::Impl::submit(Submission submission, Done done)
{
    const Depth guard(depth);
    auto item = std::make_shared<Item>();
    item->submission = std::move(submission);
    item->done = std::move(done);
    item->callersId = !item->submission.command.id.isNull();
    if (auto outcome = prepare(*item)) {
        auditRefusal(item, std::move(*outcome));
        return;
    }
    Slot& slot = slotOf(item->submission.run);
    slot.waiting.push_back(item);
    work(slot);
}

// Decides what waits, in order. Not while a broken chain still has members in the queue, or while something
// is read for the next decision.
void Service::Impl::work(Slot& slot)
{
    while (!slot.busy && !slot.broken && !slot.reading && !slot.waiting.empty()) {
        const ItemPtr item = slot.waiting.front();
        slot.waiting.pop_front();
        if (slot.parked) {
            answer(item, failedWith(slot.run, *slot.parked));
            continue;
        }
        slot.busy = true;
        decideNext(slot, item);
        slot.busy = false;
        if (!slot.reading)
            item->read.clear();
    }
    maybeIdle.push_back(slot.run);
}

void Service::Impl::finish(Slot& slot, const ItemPtr& item, Outcome outcome)
{
    // An answer that was decided on commits in flight is given when they have landed.
    if (!slot.chain.empty()) {
        item->held = std::move(outcome);
        slot.chain.push_back(item);
        return;
    }
    slot.busy = false;
    auditRefusal(item, std::move(outcome));
}

Outcome Service::Impl::refused(const Item& item, Rejection rejection)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.run = item.submission.run;
    outcome.rejection = std::move(rejection);
    return outcome;
}

void Service::Impl::answer(const ItemPtr& item, Outcome outcome)
{
    const Depth guard(depth);
    // Whatever stopped it since: a commit that may have landed is not undone by it.
    if (outcome.kind == Outcome::Kind::Failed && item->unclear)
        outcome.error.kind = ErrorKind::OutcomeUnknown;
    if (auto done = std::exchange(item->done, {}))
        done(std::move(outcome));
}

// The act has done nothing, whatever became of the entry that says so.
Outcome Service::Impl::notAudited(const Outcome& refused, Error why)
{
    const ErrorKind kind = why.kind == ErrorKind::OutcomeUnknown ? ErrorKind::Busy : why.kind;
    return failedWith(refused.run,
        makeError(kind,
            "nothing was done: the act is refused (" + refused.rejection.text
                + "), and the audit entry that says so could not be written: " + why.text));
}

AuditRow Service::Impl::auditRowOf(const Submission& s)
{
    // What was refused for a text that no store takes is on record all the same.
    const auto storable = [](const std::string& text) { return isStorableText(text) ? text : visible(text); };
    AuditRow row;
    row.time = now();
    row.verb = verbOf(s.command.body);
    row.actor = storable(s.claimedName.empty() ? s.command.actor.id : s.claimedName);
    row.uid = s.origin ? s.origin->uid : config.uid;
    row.host = s.origin ? s.origin->host : config.host;
    row.login = loginOf(s);
    // The run that a fork would have made does not exist.
    row.run = s.forkSource.isNull() ? s.run : s.forkSource;
    row.target = storable(targetOf(s.command.body));
    row.command = s.command.id;
    row.reason = storable(s.reason);
    return row;
}

// A person's act that was refused is on record before its answer is given; where that cannot be written, it
// is not answered as refused.
void Service::Impl::auditRefusal(const ItemPtr& item, Outcome outcome)
{
    const Submission& s = item->submission;
    if (outcome.kind == Outcome::Kind::Proposed && outcome.auditSeq == 0)
        return keepProposal(item, std::move(outcome));
    if (outcome.kind != Outcome::Kind::Rejected || s.command.actor.kind != ActorKind::Person) {
        answer(item, std::move(outcome));
        return;
    }
    static constexpr const char* kCodes[] = {"?", "stale", "refused", "not_found", "invalid_input", "fenced",
        "no_right", "reason_missing", "conflict", "second_person"};
    AuditRow row = auditRowOf(s);
    row.kind = "refused";
    row.after = "{\"refused\":\"" + std::string(kCodes[static_cast<std::size_t>(outcome.rejection.code)])
        + "\",\"why\":";
    appendJsonString(row.after, outcome.rejection.text);
    row.after += "}";
    auto kept = std::make_shared<Outcome>(std::move(outcome));
    queue.pushAudit(std::move(row), [this, item, kept](Result<std::uint64_t> seq) {
        if (seq) {
            kept->auditSeq = *seq;
            return answer(item, std::move(*kept));
        }
        log::error("audit_failed", {{"run", item->submission.run}, {"error", seq.error().text}});
        answer(item, notAudited(*kept, std::move(seq).error()));
    });
}

// False: it was answered, or comes after something else.
bool Service::Impl::mayDecide(Slot& slot, const ItemPtr& item)
{
    if (!slot.loaded && !item->creates)
        if (const Status loaded = refresh(slot); !loaded) {
            Outcome outcome = failedWith(slot.run, loaded.error());
            if (loaded.error().kind == ErrorKind::NotFound)
                outcome = refused(*item, {RejectCode::NotFound, loaded.error().text, std::nullopt});
            finish(slot, item, std::move(outcome));
            return false;
        }
    if (!slot.mustBeParked() || std::holds_alternative<cmd::Park>(item->submission.command.body))
        return true;
    if (std::exchange(slot.parkFailed, false)) {
        finish(slot, item,
            failedWith(slot.run,
                makeError(ErrorKind::Busy,
                    "run " + toText(slot.run)
                        + " has lost entries, which could not be recorded; nothing was done: try again")));
        return false;
    }
    slot.waiting.push_front(item);
    parkNext(slot, slot.lost);
    return false;
}

void Service::Impl::decideNext(Slot& slot, const ItemPtr& item)
{
    item->late.reset();
    if (!mayDecide(slot, item))
        return;
    // A parked run is not trusted: each of its entries is checked.
    const bool check = item->distrusted || slot.tentative.parked
        || (config.verifyOneIn > 0 && rng.below(config.verifyOneIn) == 0);
    std::optional<RunState> before;
    if (check)
        before = slot.tentative;
    const Summary summary = summarise(slot.tentative, now());
    Work deciding(*this, slot, slot.tentative, *item);
    deciding.assumeOwnKeysFree();
    if (config.aside)
        deciding.mayReadAside();
    auto decision = deciding.decide();
    if (!decision && !deciding.aside().empty())
        return readAside(slot, item, deciding.aside());
    if (!decision) {
        Error error = std::move(decision).error();
        noteAway(error);
        giveUp(slot, item,
            error.kind == ErrorKind::InvalidInput
                ? refused(*item, {RejectCode::InvalidInput, error.text, std::nullopt})
                : failedWith(slot.run, std::move(error)));
        return;
    }
    if (auto* nothing = std::get_if<NoChange>(&*decision)) {
        Outcome outcome;
        outcome.kind = Outcome::Kind::NoChange;
        outcome.run = slot.run;
        outcome.version = slot.tentative.version;
        outcome.text = std::move(nothing->text);
        outcome.step = nothing->step;
        finish(slot, item, repeatedOr(*item, std::move(outcome)));
        return;
    }
    if (auto* rejection = std::get_if<Rejection>(&*decision)) {
        if (rejection->code == RejectCode::Stale && item->submission.command.actor.kind == ActorKind::Person)
            rejection->text += changedSince(slot.tentative, item->submission.command.body);
        Outcome outcome = repeatedOr(*item, refused(*item, std::move(*rejection)));
        if (outcome.kind == Outcome::Kind::Rejected && outcome.rejection.code == RejectCode::SecondPerson)
            outcome = proposalOf(*item, slot.tentative, deciding.given().needed);
        if (outcome.kind == Outcome::Kind::Rejected && outcome.rejection.late) {
            item->late = outcome.rejection;
            item->late->late.reset();
            apply(slot.tentative, *outcome.rejection.late);
            pushEntry(slot, item, deciding, *std::move(outcome.rejection.late), summary, before);
            return;
        }
        finish(slot, item, std::move(outcome));
        return;
    }
    pushEntry(slot, item, deciding, std::get<Entry>(*std::move(decision)), summary, before);
}

// The decision came to no end: the tentative state, and what is kept beside it, may be half made.
void Service::Impl::giveUp(Slot& slot, const ItemPtr& item, Outcome outcome)
{
    if (!slot.chain.empty()) {
        finish(slot, item, std::move(outcome));  // held; decided again with the whole chain
        breakChain(slot);
        return;
    }
    slot.tentative = slot.confirmed;
    slot.loaded = false;
    slot.forgetRows();
    finish(slot, item, std::move(outcome));
}

// The decision needs more than a moment's reading: the run waits for it, the service's thread does not. What
// is in flight lands meanwhile, and then all is decided again.
void Service::Impl::readAside(Slot& slot, const ItemPtr& item, WorkAside wanted)
{
    slot.waiting.push_front(item);
    breakChain(slot);
    auto reading = std::make_shared<AsideReading>();
    reading->wanted = std::move(wanted.wanted);
    reading->renders = std::move(wanted.renders);
    slot.reading = reading;
    const auto work = [reading](StoreReader& store) {
        try {
            reading->status = readPayloads(store, reading->wanted, reading->read);
            for (RenderJob& job : reading->renders)
                fill(job);
        } catch (const std::exception& problem) {
            reading->status =
                makeError(ErrorKind::Internal, std::string("the payloads cannot be read: ") + problem.what());
        }
    };
    config.aside(work, [this, here = std::weak_ptr<bool>(alive), run = slot.run, item, reading] {
        if (here.lock())
            readings.push_back({run, item, reading});
    });
}

// What was read aside is there: its decisions are made again. True: there was something.
bool Service::Impl::goOnWithRead()
{
    if (readings.empty())
        return false;
    ++depth;
    for (const Reading& each : std::exchange(readings, {})) {
        Slot* slot = findSlot(each.run);
        if (!slot || slot->reading != each.what)
            continue;
        slot->reading.reset();
        if (!each.what->status) {
            noteAway(each.what->status.error());
            std::erase(slot->waiting, each.item);
            answer(each.item, failedWith(each.run, each.what->status.error()));
        } else {
            each.item->read.merge(each.what->read);
            for (RenderJob& job : each.what->renders)
                each.item->rendered.insert_or_assign(job.step, std::move(job));
        }
        if (slot->outstanding == 0)
            rebuild(*slot);
    }
    --depth;
    return true;
}

// A command id that came from outside may have been committed before: then that is the answer, whatever the
// rules say now.
Outcome Service::Impl::repeatedOr(const Item& item, Outcome outcome)
{
    if (!item.callersId)
        return outcome;
    const auto version = reader.findCommand(item.submission.run, item.submission.command.id);
    if (!version) {
        noteAway(version.error());
        return failedWith(item.submission.run, version.error());
    }
    if (!*version)
        return outcome;
    return repeated(item.submission.run, **version);
}

// What was answered first. Of a run that was removed since there is no entry any more, and the answer stands.
Outcome Service::Impl::repeated(const RunId& run, std::uint64_t version)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Repeated;
    outcome.run = run;
    outcome.version = version;
    auto entry = entryAt(run, version);
    if (entry) {
        outcome.entry = *std::move(entry);
        return outcome;
    }
    const auto stone = entry.error().kind == ErrorKind::NotFound
        ? reader.tombstone(run)
        : Result<std::optional<Tombstone>>(std::nullopt);
    if (!stone || !*stone)
        return failedWith(run, std::move(entry).error());
    outcome.text = removedText(**stone);
    return outcome;
}

// Folds the entry again from its bytes and compares: an engine must not write what it cannot read back.
std::optional<Error> Service::Impl::checkAgain(
    const RunState& before, const RunState& after, const SealedEntry& sealed) const
{
    const auto decoded = decodeEntry(sealed.body, sealed.format);
    if (!decoded)
        return makeError(ErrorKind::Internal,
            "run " + toText(after.id) + ": entry " + std::to_string(sealed.version) + " cannot be read back: "
                + decoded.error().text + "; it was not written and the run is parked");
    RunState again = before;
    apply(again, *decoded);
    if (failpoint::hit("service.fold-differs"))
        ++again.own.revision;
    const auto wrong = differences(again, after);
    if (wrong.empty())
        return std::nullopt;
    return makeError(ErrorKind::Internal,
        "run " + toText(after.id) + ": folding entry " + std::to_string(sealed.version)
            + " again gives another " + wrong.front() + " (" + std::to_string(wrong.size())
            + " fields differ); nothing was written and the run is parked");
}

// Nothing of the entry is written. An entry of its own blocks the run, in the store, so that no other engine
// goes on with it either. Where even that one cannot be read back, or there is no run yet, it stands still
// here only.
void Service::Impl::park(Slot& slot, const ItemPtr& item, Error wrong, RunState before)
{
    log::error("run_parked", {{"run", slot.run}, {"error", wrong.text}});
    slot.tentative = std::move(before);
    item->distrusted = true;
    Outcome outcome = failedWith(slot.run, wrong);
    if (std::holds_alternative<cmd::Park>(item->submission.command.body)) {
        slot.parked = std::move(wrong);
    } else if (slot.tentative.version > 0 && !slot.tentative.parked) {
        parkNext(slot, wrong.text);
    }
    finish(slot, item, std::move(outcome));
}

void Service::Impl::parkNext(Slot& slot, const std::string& why)
{
    auto parking = std::make_shared<Item>();
    Submission& s = parking->submission;
    s.run = slot.run;
    s.command.id = makeId<CommandId>(now(), rng);
    s.command.actor = {ActorKind::System, config.actorName};
    s.payloads.push_back(makePayload(why, "text/plain"));
    s.command.body = cmd::Park{s.payloads.back().ref};
    slot.waiting.push_front(std::move(parking));
}

void Service::Impl::pushEntry(Slot& slot, const ItemPtr& item, Work& deciding, Entry entry,
    const Summary& summary, const std::optional<RunState>& before)
{
    item->entry = std::move(entry);
    item->format = deciding.given().format;
    const SealedEntry sealed = sealEntry(item->entry, item->format, slot.tentative.head);
    item->hash = sealed.hash;
    if (before)
        if (auto wrong = checkAgain(*before, slot.tentative, sealed))
            return park(slot, item, *std::move(wrong), *before);
    auto member = project(deciding, slot, item->entry, sealed, summary);
    if (!member && !deciding.aside().empty())
        return readAside(slot, item, deciding.aside());
    if (!member) {
        giveUp(slot, item, failedWith(slot.run, std::move(member).error()));
        return;
    }
    slot.tentative.head = sealed.hash;
    slot.tentative.format = std::max(slot.tentative.format, sealed.format);
    item->starts = startsOf(item->entry, config.session);
    item->permits.clear();
    for (const Fact& fact : item->entry.facts)
        if (const auto* started = std::get_if<AttemptStarted>(&fact))
            if (const Definition* d = deciding.given().definition;
                d && (started->session == config.session || started->session.isNull()))
                if (const ToolDef* tool = d->tool(slot.tentative.steps[started->step].tool);
                    tool && !tool->resource.empty())
                    ++item->permits[tool->resource];
    push(slot, item, *std::move(member));
}

void Service::Impl::push(Slot& slot, const ItemPtr& item, CommitMember member)
{
    item->owner = member.owner;
    slot.loaded = true;
    slot.releasing = slot.releasing || member.owner == OwnerChange::Release;
    startsInFlight += item->starts;
    for (const auto& [name, count] : item->permits)
        permitsInFlight[name] += count;
    slot.chain.push_back(item);
    ++slot.outstanding;
    const RunId run = slot.run;
    if (failpoint::hit("service.before-push")) {
        arrived(run, item, makeError(ErrorKind::Io, "failpoint service.before-push"));
        return;
    }
    queue.push(std::move(member),
        [this, run, item](Result<MemberResult> result) { arrived(run, item, std::move(result)); });
}

}  // namespace cairn
