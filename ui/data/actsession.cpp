#include "ui/data/actsession.h"

#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/staged.h"
#include "ui/data/actbodies.h"
#include "ui/data/convert.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::uint64_t kSentShown = 16 * 1024;

QStringList linesOf(const std::vector<std::string>& lines)
{
    QStringList result;
    for (const std::string& line : lines)
        result << qt(line);
    return result;
}

cmd::SettleAs settleOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Happened: return cmd::SettleAs::Happened;
    case Outcome::NotHappened: return cmd::SettleAs::NotHappened;
    case Outcome::RepeatSameKey: return cmd::SettleAs::RepeatSameKey;
    case Outcome::Compensate: return cmd::SettleAs::Compensate;
    case Outcome::Park: break;
    }
    return cmd::SettleAs::Park;
}

std::vector<OutcomeOffer> outcomesOf(const RunState& state, StepIx step, const Given& given)
{
    std::vector<OutcomeOffer> out;
    for (const SettleOffer& offer : settleOffers(state, step, given))
        out.push_back(
            {static_cast<Outcome>(static_cast<quint8>(offer.as) - 1), offer.allowed, qt(offer.why)});
    return out;
}

QString doneText(const ActRequest& request)
{
    const QString step = request.step.isEmpty() ? u"the run"_s : request.step;
    switch (request.verb) {
    case Verb::Approve: return u"Approved for %1."_s.arg(step);
    case Verb::Reject: return u"Rejected for %1."_s.arg(step);
    case Verb::Pause: return u"Paused: no new step starts."_s;
    case Verb::Resume: return u"Resumed."_s;
    case Verb::Cancel:
        return request.compensate ? u"Cancel is recorded."_s : u"Abandon is recorded: nothing is undone."_s;
    case Verb::Retry: return u"%1 is tried again."_s.arg(step);
    case Verb::Settle: return u"The outcome of %1 is recorded."_s.arg(step);
    case Verb::Slow: return u"The calls of %1 are slowed; engines go by it within a second."_s.arg(step);
    default: return u"Done."_s;
    }
}

// What the act depends on, as it is in this state (DESIGN 3.2: nothing for pause and cancel).
void noteDependencies(const RunState& state, ActRequest& request)
{
    if (const ApprovalRecord* approval = state.findApproval(request.approval))
        request.binding = approval->binding;
    if (const StepRecord* step = state.find(core(request.step)))
        request.stepRevision = step->revision;
    request.controlRevision = state.controlRevision();
    request.annotation = request.verb == Verb::Hold ? state.hold.version : state.assigned.version;
}

ActResult resultOf(const ActRequest& request, const cairn::Outcome& outcome)
{
    ActResult result;
    result.version = outcome.version;
    result.auditSeq = outcome.auditSeq;
    result.ownerElsewhere = outcome.ownerElsewhere;
    using Kind = cairn::Outcome::Kind;
    switch (outcome.kind) {
    case Kind::Committed:
    case Kind::Repeated:
    case Kind::Existing:
        result.end = ActEnd::Done;
        result.text = doneText(request);
        if (outcome.version != 0)  // an act on the store is in no run's history
            result.text += u" History entry %1."_s.arg(countText(outcome.version));
        break;
    case Kind::NoChange:
        result.end = ActEnd::NoChange;
        result.text = qt(outcome.text);
        break;
    case Kind::Rejected:
        result.end = outcome.rejection.code == RejectCode::Stale ? ActEnd::Stale : ActEnd::Refused;
        result.text = qt(outcome.rejection.text);
        break;
    case Kind::Proposed:
        result.end = ActEnd::Done;
        result.text = u"Proposed, not done yet: %1"_s.arg(qt(outcome.text));
        break;
    case Kind::Failed:
        result.end = outcome.error.kind == ErrorKind::OutcomeUnknown ? ActEnd::NotKnown : ActEnd::Failed;
        result.text = qt(outcome.error.text);
        break;
    }
    if (!result.text.isEmpty() && !result.text.endsWith(u'.'))
        result.text += u'.';
    return result;
}

}  // namespace

Status ActSession::open()
{
    // A store that is only looked at is opened so that it cannot be written: previews work, executing does
    // not.
    auto opened = m_opening->open(!m_opening->mayAct);
    if (!opened)
        return std::move(opened).error();
    m_store = std::move(*opened);
    CAIRN_TRY(readStore());
    m_queue = makeInlineQueue(*m_store);
    ServiceConfig& config = m_config;
    config.actorName = "console";
    config.uid = m_opening->uid;
    config.login = loginOf(m_rights, config.uid);
    config.host = core(m_opening->host);
    m_service = std::make_unique<Service>(*m_store, *m_queue, m_clock, m_rng, config);
    return {};
}

// Rights, level and place: none of them stays as it was when the store was opened.
Status ActSession::readStore()
{
    CAIRN_TRY_ASSIGN(m_info, m_store->info());
    CAIRN_TRY_ASSIGN(m_rights, m_store->rights());
    return {};
}

Result<Submission> ActSession::submissionOf(const ActRequest& request, const RunState& state)
{
    Submission submission;
    submission.run = request.run;
    submission.command.actor = {ActorKind::Person, core(m_opening->person)};
    submission.reason = core(request.reason);
    const std::string step = core(request.step);
    const bool check = request.expects;
    switch (request.verb) {
    case Verb::Approve:
    case Verb::Reject:
        submission.command.body =
            cmd::Decide{request.approval, request.verb == Verb::Approve, request.binding};
        return submission;
    case Verb::Pause: submission.command.body = cmd::SetPaused{true, 0, false}; return submission;
    case Verb::Resume:
        submission.command.body = cmd::SetPaused{false, request.controlRevision, check};
        return submission;
    case Verb::Cancel: submission.command.body = cmd::Cancel{request.compensate}; return submission;
    case Verb::Retry:
        submission.command.body = cmd::RetryStep{step, request.stepRevision, check};
        return submission;
    case Verb::Settle: {
        cmd::Settle settle;
        settle.step = step;
        settle.as = settleOf(request.settleAs);
        settle.expectedRevision = request.stepRevision;
        settle.checkRevision = check;
        if (request.settleAs == Outcome::Happened && !request.result.trimmed().isEmpty()) {
            submission.payloads.push_back(
                m_service->newPayload(core(request.result.trimmed()), "application/json"));
            settle.output = submission.payloads.back().ref;
        }
        if (const QString evidence = request.evidence.trimmed(); !evidence.isEmpty()) {
            submission.payloads.push_back(m_service->newPayload(core(evidence), "text/plain"));
            settle.evidence = submission.payloads.back().ref;
        }
        if (request.settleAs == Outcome::Park)
            settle.assign = submission.command.actor.id;  // whoever parks it looks after it
        submission.command.body = settle;
        return submission;
    }
    default: {
        CAIRN_TRY_ASSIGN(submission.command.body, typedBody(request, state, *m_service, submission));
        return submission;
    }
    }
}

Result<ActPreview> ActSession::preview(const ActRequest& request)
{
    CAIRN_TRY(readStore());
    CAIRN_TRY_ASSIGN(const RunState state, m_service->load(request.run));
    if (request.verb == Verb::Slow)
        return previewSlow(request, state);
    ActPreview preview;
    preview.request = request;
    noteDependencies(state, preview.request);
    if (request.verb == Verb::Takeover) {
        CAIRN_TRY_ASSIGN(const HotRow hot, m_store->hot(state.id));
        preview.request.owner = hot.owner;
    }
    preview.at = m_service->now();
    preview.version = state.version;
    preview.reasonMinimum = static_cast<int>(reasonMinimum(m_info.safety));
    if (request.verb == Verb::Hold
        && !state.isHeld(preview.at))  // in every store (core/machine/annotate.cpp)
        preview.reasonMinimum = std::max(preview.reasonMinimum, 1);
    preview.reasonRequired = preview.reasonMinimum > 0;
    ActRequest tried = preview.request;
    tried.reason =
        u"preview, nothing is written"_s;  // whether a reason is given is asked when it is executed
    CAIRN_TRY_ASSIGN(const Submission submission, submissionOf(tried, state));
    CAIRN_TRY_ASSIGN(const Preview told, m_service->preview(submission));
    const auto* rejection = std::get_if<Rejection>(&told.decision);
    const auto* nothing = std::get_if<NoChange>(&told.decision);
    preview.possible = rejection == nullptr && nothing == nullptr;
    preview.refusal = rejection != nullptr ? qt(rejection->text)
        : nothing != nullptr               ? qt(nothing->text)
                                           : QString();
    if (const QString off = whyNoActs(*m_opening, m_info, m_rights); !off.isEmpty()) {
        preview.possible = false;
        preview.refusal = off;
    }
    preview.willHappen = linesOf(told.willHappen);
    preview.willNotRepeat = linesOf(told.willNotRepeat);
    preview.mayRepeat = linesOf(told.mayRepeat);
    preview.alsoChanges = linesOf(told.alsoChanges);
    for (const PreviewSum& sum : told.sums)
        preview.sums.push_back({qt(sum.line), qt(sum.head), sum.count, qt(sum.one), qt(sum.many),
            sum.amount.micros, qt(sum.amount.currency)});
    preview.reversible = qt(told.undo.text);
    if (told.needed.second())
        preview.second = qt(tellNeeded(told.needed));
    if (request.verb == Verb::Approve || request.verb == Verb::Reject)
        describeApproval(state, preview);
    else
        describeStep(state, preview);
    if (request.verb == Verb::Settle) {
        const auto found = state.stepById.find(core(request.step));
        if (found != state.stepById.end())
            preview.outcomes = outcomesOf(state, found->second, m_service->explainGiven(state));
    }
    return preview;
}

// By the same decision as the act, of each version.
Result<std::vector<ui::Fact>> ActSession::versions(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const RunState state, m_service->load(run));
    if (state.workflow.name.empty())
        return makeError(ErrorKind::InvalidInput, "this run is driven by its caller: it follows no workflow");
    CAIRN_TRY_ASSIGN(std::vector<WorkflowRow> rows, m_store->workflows(false));
    std::erase_if(rows, [&](const WorkflowRow& row) { return row.name != state.workflow.name; });
    std::sort(rows.begin(), rows.end(),
        [](const WorkflowRow& a, const WorkflowRow& b) { return a.version > b.version; });
    std::vector<ui::Fact> facts;
    for (const WorkflowRow& row : rows) {
        Submission tried;
        tried.run = run;
        tried.command.actor = {ActorKind::Person, core(m_opening->person)};
        tried.command.body = cmd::Migrate{row.version};
        tried.reason = "looked at, nothing is written";
        CAIRN_TRY_ASSIGN(const Preview told, m_service->preview(tried));
        QString answer = u"would take it: "_s + linesOf(told.willHappen).join(u"; "_s);
        if (row.version == state.workflow.version)
            answer = u"the run follows this one"_s;
        else if (const auto* rejection = std::get_if<Rejection>(&told.decision))
            answer = u"would not take it: "_s + qt(rejection->text);
        else if (const auto* nothing = std::get_if<NoChange>(&told.decision))
            answer = qt(nothing->text);
        facts.push_back({u"%1 @%2"_s.arg(qt(row.name)).arg(row.version), answer, false});
    }
    return facts;
}

// The resource that the step calls, as it is now and as it is wanted.
Result<SlowChange> ActSession::slowOf(const ActRequest& request, const RunState& state)
{
    const StepRecord* step = state.find(core(request.step));
    const auto definition = m_service->definition(state.workflow.name, state.workflow.version);
    std::string resource;
    if (step != nullptr && definition)
        for (const ToolDef& tool : definition->tools)
            if (tool.name == step->tool)
                resource = tool.resource;
    if (resource.empty())
        return makeError(ErrorKind::InvalidInput, "this step calls no resource that could be slowed");
    SlowChange change;
    CAIRN_TRY_ASSIGN(change.seen, resourceNamed(*m_store, resource));
    CAIRN_TRY_ASSIGN(const ResourceSaid said, resourceSaid(*m_store, *m_service, resource));
    CAIRN_TRY_ASSIGN(
        change.wanted, typedSlow(core(request.value.trimmed()), change.seen, said, m_service->now()));
    change.reason = core(request.reason);
    change.claimedName = core(m_opening->person);
    return change;
}

Result<ActPreview> ActSession::previewSlow(const ActRequest& request, const RunState& state)
{
    ActPreview preview;
    preview.request = request;
    preview.at = m_service->now();
    preview.version = state.version;
    ActRequest tried = request;
    tried.reason = u"preview, nothing is written"_s;
    CAIRN_TRY_ASSIGN(const SlowChange change, slowOf(tried, state));
    CAIRN_TRY_ASSIGN(const ResourceSaid said, resourceSaid(*m_store, *m_service, change.seen.name));
    CAIRN_TRY_ASSIGN(const auto lines, tellSlow(*m_store, *m_service, change.seen, change.wanted, said));
    CAIRN_TRY_ASSIGN(const SlowPreview told, Agreements(*m_service).previewSlow(change));
    m_slow = change.seen;
    const QString name = qt(visibleLine(change.seen.name));
    preview.sentence =
        verbName(Verb::Slow) + u' ' + name + u", for all runs that call it. "_s + qt(word(Verb::Slow).help);
    preview.strong = {name};
    preview.willHappen = linesOf(lines);
    preview.reversible = qt(undoOf(Verb::Slow).text);
    preview.reasonMinimum = static_cast<int>(told.needed.reason);
    preview.reasonRequired = preview.reasonMinimum > 0;
    if (told.needed.second())
        preview.second = qt(tellNeeded(told.needed));
    preview.refusal = told.rejection ? qt(told.rejection->text) : QString();
    if (const QString off = whyNoActs(*m_opening, m_info, m_rights); !off.isEmpty())
        preview.refusal = off;
    else if (!m_rights.commits)
        preview.refusal = u"This login may not change resources: it takes one with the right of an engine."_s;
    preview.possible = preview.refusal.isEmpty();
    return preview;
}

Result<ActResult> ActSession::slow(const ActRequest& request, const RunState& state)
{
    CAIRN_TRY_ASSIGN(SlowChange change, slowOf(request, state));
    if (m_slow && m_slow->name == change.seen.name)
        change.seen = *m_slow;  // limits that are others by now are refused
    return resultOf(request, Agreements(*m_service).slow(*m_store, change));
}

void ActSession::fillSent(const RunId& run, const PayloadRef& ref, const QString& title, ActPreview& preview)
{
    if (ref.isNull())
        return;
    preview.sentTitle = title;
    preview.sent.line = payloadOf(ref, u"input"_s, preview.request.step);
    preview.sent.hash = hexText(ref.hash);
    const auto head = m_store->payload(run, ref.id, 0, kSentShown);
    if (!head) {
        preview.facts.push_back({title, qt(head.error().text), false});
        preview.sent.line.id = {};
        return;
    }
    preview.sent.head = QByteArray(head->data(), static_cast<qsizetype>(head->size()));
    if (head->size() == ref.size)
        preview.sent.fields = flatFields(*head);
}

void ActSession::describeApproval(const RunState& state, ActPreview& preview)
{
    const ApprovalRecord* approval = state.findApproval(preview.request.approval);
    if (approval == nullptr || approval->step >= state.steps.size())
        return;
    const StepRecord& step = state.steps[approval->step];
    const QString id = qt(step.id);
    const QString money = moneyText(step.amount.micros, qt(step.amount.currency));
    const QString asker = approval->askedBy.id.empty() ? u"The workflow"_s : qt(approval->askedBy.id);
    preview.sentence = u"%1 asks you to allow step %2"_s.arg(asker, id)
        + (money.isEmpty() ? QString() : u" for "_s + money) + u'.';
    preview.strong = {id, money};
    preview.facts = {{u"Asked"_s,
                         u"%1, %2 ago, by %3"_s.arg(instantText(approval->askedAt),
                             durationText(preview.at - approval->askedAt), asker)},
        {u"Needs"_s,
            u"%1 of %2, %3 given"_s.arg(approval->needed)
                .arg(qt(approval->role))
                .arg(approval->approvedBy.size())},
        {u"Expires"_s,
            approval->expires == kNoTime
                ? u"never"_s
                : u"%1, in %2; expiry is never consent"_s.arg(
                    instantText(approval->expires), durationText(approval->expires - preview.at))},
        {u"Bound to"_s, u"sha256 "_s + shortHex(approval->binding), true}};
    fillSent(state.id, step.input, step.tool.empty() ? u"What is asked"_s : u"What would be sent"_s, preview);
}

void ActSession::describeStep(const RunState& state, ActPreview& preview)
{
    const StepRecord* step = state.find(core(preview.request.step));
    const QString help = qt(word(preview.request.verb).help);
    if (step == nullptr) {
        preview.sentence = verbName(preview.request.verb) + u" this run. "_s + help;
        if (preview.request.verb == Verb::Cancel && !preview.request.compensate)
            preview.sentence = u"Abandon this run. It stops, and nothing that it has done is undone."_s;
        return;
    }
    const QString id = qt(step->id);
    preview.strong = {id};
    preview.sentence = verbName(preview.request.verb) + u' ' + id + u". "_s + help;
    if (preview.request.verb == Verb::Settle)
        preview.sentence = u"We do not know whether the effect of %1 happened. Its request was begun, and no "
                           u"result is stored. "
                           "Nothing is retried meanwhile."_s.arg(id);
    const auto add = [&preview](const QString& name, const QString& value, bool mono = false) {
        if (!value.isEmpty())
            preview.facts.push_back({name, value, mono});
    };
    add(u"Begun"_s, step->firstStartedAt == kNoTime ? QString() : instantText(step->firstStartedAt));
    add(u"Tool"_s,
        qt(step->tool) + (step->tool.empty() ? QString() : u", "_s + qt(label(step->safety)).toLower()));
    add(u"Amount"_s, moneyText(step->amount.micros, qt(step->amount.currency)));
    if (const auto found = state.stepById.find(step->id); found != state.stepById.end())
        if (const auto effect = m_service->effectKey(state.id, found->second))
            add(u"Effect key"_s, qt(*effect), true);
    add(u"Attempts"_s, u"%1, %2 failed, %3 lost"_s.arg(step->attempts).arg(step->failures).arg(step->lost));
    fillSent(state.id, step->input,
        preview.request.verb == Verb::Settle ? u"What was sent"_s : u"Its input"_s, preview);
}

Result<ActResult> ActSession::execute(const ActRequest& request)
{
    CAIRN_TRY(readStore());
    CAIRN_TRY_ASSIGN(const RunState state, m_service->load(request.run));
    if (request.verb == Verb::Slow)
        return slow(request, state);
    CAIRN_TRY_ASSIGN(Submission submission, submissionOf(request, state));
    if (m_rights.commits)
        return resultOf(request, m_service->submitAndWait(std::move(submission)));
    CAIRN_TRY(checkMayAct(m_rights));
    submission.command.id = makeId<CommandId>(m_clock.wallMs(), m_rng);
    m_service->mask(submission);  // it is kept before it is submitted
    CAIRN_TRY_ASSIGN(const StagedAct act, stagedOf(std::move(submission), state, m_config));
    CAIRN_TRY(m_store->stage(act));
    ActResult result;
    result.end = ActEnd::Done;
    result.text = u"Accepted, waits for an engine; the history tells when it is carried out."_s;
    return result;
}

}  // namespace cairn::ui
