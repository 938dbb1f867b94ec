#include "ui/data/actsession.h"

#include "core/definition/page.h"
#include "core/machine/policy.h"
#include "core/query/tell.h"
#include "core/service/staged.h"
#include "core/service/typed.h"
#include "ui/data/actbodies.h"
#include "ui/data/convert.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(actsession)
};

constexpr std::uint64_t kSentShown = 16 * 1024;
constexpr std::uint64_t kReasonShown = 2'000;  // bytes of the reason of one yes

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
    const QString step = request.step.isEmpty() ? Words::tr("the run") : request.step;
    switch (request.verb) {
    case Verb::Approve: return Words::tr("Approved for %1.").arg(step);
    case Verb::Reject: return Words::tr("Rejected for %1.").arg(step);
    case Verb::Pause: return Words::tr("Paused: no new step starts.");
    case Verb::Resume: return Words::tr("Resumed.");
    case Verb::Cancel:
        return request.compensate ? Words::tr("Cancel is recorded.")
                                  : Words::tr("Abandon is recorded: nothing is undone.");
    case Verb::Retry: return Words::tr("%1 is tried again.").arg(step);
    case Verb::Settle: return Words::tr("The outcome of %1 is recorded.").arg(step);
    case Verb::Redact:
        return Words::tr("%1 redacted: the bytes are gone.")
            .arg(plural(request.payloads.size(), "payload is", "payloads are"));
    default: return Words::tr("Done.");
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
        if (request.verb == Verb::Fork) {
            result.text = Words::tr("The new run %1 goes on from there; the old one is as it was.")
                              .arg(idText(outcome.run));
            break;
        }
        result.text = doneText(request) + Words::tr(" History entry %1.").arg(countText(outcome.version));
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
        result.text = Words::tr("Proposed, not done yet: %1").arg(qt(outcome.text));
        break;
    case Kind::Failed:
        result.end = outcome.error.kind == ErrorKind::OutcomeUnknown ? ActEnd::NotKnown : ActEnd::Failed;
        result.text = qt(outcome.error.text);
        break;
    }
    result.text = withFullStop(result.text);
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
    m_store = std::make_unique<HidingStore>(std::move(*opened));
    CAIRN_TRY(readStore());
    m_queue = makeInlineQueue(m_store->stored());
    ServiceConfig& config = m_config;
    config.actorName = "console";
    config.uid = m_opening->uid;
    config.login = loginOf(m_rights, config.uid);
    config.host = core(m_opening->host);
    m_service = std::make_unique<Service>(m_store->stored(), *m_queue, m_clock, m_rng, config);
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
    case Verb::Fork: {
        CAIRN_TRY_ASSIGN(cmd::Fork fork, typedFork(core(request.value.trimmed()), state.version));
        fork.newRun = makeId<RunId>(m_clock.wallMs(), m_rng);
        submission.forkSource = state.id;
        submission.run = fork.newRun;
        submission.command.body = fork;
        return submission;
    }
    case Verb::Redact: submission.command.body = cmd::Redact{request.payloads}; return submission;
    default: {
        CAIRN_TRY_ASSIGN(submission.command.body, typedBody(request, state, *m_service, submission));
        return submission;
    }
    }
}

Result<ActPreview> ActSession::preview(const ActRequest& request)
{
    CAIRN_TRY(readStore());
    if (request.verb == Verb::Slow)
        return previewSlow(request);
    CAIRN_TRY_ASSIGN(const RunState state, m_service->load(request.run));
    ActPreview preview;
    preview.request = request;
    noteDependencies(state, preview.request);
    if (request.verb == Verb::Redact) {
        CAIRN_TRY(choosePayloads(state, preview));
    }
    if (request.verb == Verb::Takeover) {
        CAIRN_TRY_ASSIGN(const HotRow hot, m_store->hot(state.id));
        preview.request.owner = hot.owner;
    }
    preview.at = m_service->now();
    preview.version = state.version;
    preview.request.releases = request.verb == Verb::Hold && state.isHeld(preview.at);
    preview.reasonMinimum = static_cast<int>(reasonMinimum(m_info.safety));
    if (request.verb == Verb::Hold
        && !state.isHeld(preview.at))  // in every store (core/machine/annotate.cpp)
        preview.reasonMinimum = std::max(preview.reasonMinimum, 1);
    preview.reasonRequired = preview.reasonMinimum > 0;
    ActRequest tried = preview.request;
    tried.reason =
        Words::tr("preview, nothing is written");  // whether a reason is given is asked when it is executed
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
    if (request.verb == Verb::Approve || request.verb == Verb::Reject) {
        describeApproval(state, preview);
        CAIRN_TRY(previewOther(std::move(tried), state, preview));
    } else {
        describeStep(state, preview);
    }
    if (request.verb == Verb::Settle) {
        const auto found = state.stepById.find(core(request.step));
        if (found != state.stepById.end())
            preview.outcomes = outcomesOf(state, found->second, m_service->explainGiven(state));
    }
    return preview;
}

Status ActSession::previewOther(ActRequest tried, const RunState& state, ActPreview& preview)
{
    tried.verb = tried.verb == Verb::Approve ? Verb::Reject : Verb::Approve;
    CAIRN_TRY_ASSIGN(const Submission submission, submissionOf(tried, state));
    CAIRN_TRY_ASSIGN(const Preview told, m_service->preview(submission));
    if (const auto* rejection = std::get_if<Rejection>(&told.decision))
        preview.otherwise << Words::tr("it is refused: %1").arg(qt(rejection->text));
    else
        preview.otherwise = linesOf(told.willHappen) + linesOf(told.alsoChanges);
    return {};
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
        QString answer = Words::tr("would take it: ") + linesOf(told.willHappen).join(u"; "_s);
        if (row.version == state.workflow.version)
            answer = Words::tr("the run follows this one");
        else if (const auto* rejection = std::get_if<Rejection>(&told.decision))
            answer = Words::tr("would not take it: ") + qt(rejection->text);
        else if (const auto* nothing = std::get_if<NoChange>(&told.decision))
            answer = qt(nothing->text);
        facts.push_back({u"%1 @%2"_s.arg(qt(row.name)).arg(row.version), answer, false});
    }
    return facts;
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
    const auto shown = m_store->shown(run, ref.id);
    preview.sent.shown = shown ? shown->size : ref.size;
    preview.sent.hidden = shown ? shown->hidden : 0;
    if (head->size() == preview.sent.shown)
        preview.sent.fields = flatFields(*head);
    if (preview.sent.hidden > 0)
        preview.facts.push_back({Words::tr("Hidden"),
            Words::tr("%1 by the workflow; the data of the run reveals them, on record")
                .arg(plural(preview.sent.hidden, "field is hidden", "fields are hidden")),
            false});
}

void ActSession::describeApproval(const RunState& state, ActPreview& preview)
{
    const ApprovalRecord* approval = state.findApproval(preview.request.approval);
    if (approval == nullptr || approval->step >= state.steps.size())
        return;
    const StepRecord& step = state.steps[approval->step];
    const QString id = qt(step.id);
    const QString money = moneyText(step.amount.micros, qt(step.amount.currency));
    const QString asker = approval->askedBy.id.empty() ? Words::tr("The workflow") : qt(approval->askedBy.id);
    preview.sentence =
        Words::tr("%1 asks you to allow step %2").arg(asker.left(1).toUpper() + asker.mid(1), id)
        + (money.isEmpty() ? QString() : Words::tr(" for ") + money) + u'.';
    preview.strong = {id, money};
    preview.facts = {
        {Words::tr("Asked"),
            Words::tr("%1, %2 ago, by %3")
                .arg(instantText(approval->askedAt), durationText(preview.at - approval->askedAt), asker)},
        {Words::tr("Needs"),
            Words::tr("%1 of %2, %3 given")
                .arg(approval->needed)
                .arg(qt(approval->role))
                .arg(approval->consents.size())},
        {Words::tr("Expires"),
            approval->expires == kNoTime
                ? Words::tr("never")
                : Words::tr("%1, in %2; expiry is never consent")
                      .arg(instantText(approval->expires), durationText(approval->expires - preview.at))},
        {Words::tr("Bound to"), Words::tr("sha256 ") + shortHex(approval->binding), true},
        {Words::tr("Since then"), sinceAsked(state, approval->id)}};
    for (const Consent& consent : approval->consents) {
        QString said = Words::tr("%1 at %2").arg(qt(actorName(consent.by)), instantText(consent.at));
        if (!consent.note.isNull()) {
            const auto reason = m_store->payload(state.id, consent.note.id, 0, kReasonShown);
            said += u": "_s + (reason ? qt(*reason) : qt(reason.error().text));
        }
        preview.facts.push_back({Words::tr("Agreed"), said});
    }
    fillSent(state.id, step.input,
        step.tool.empty() ? Words::tr("What is asked") : Words::tr("What would be sent"), preview);
}

void ActSession::describeStep(const RunState& state, ActPreview& preview)
{
    const StepRecord* step = state.find(core(preview.request.step));
    const QString help = qt(word(preview.request.verb).help);
    if (step == nullptr) {
        preview.sentence = verbName(preview.request.verb) + Words::tr(" this run. ") + help;
        if (preview.request.verb == Verb::Cancel && !preview.request.compensate)
            preview.sentence =
                Words::tr("Abandon this run. It stops, and nothing that it has done is undone.");
        return;
    }
    const QString id = qt(step->id);
    preview.strong = {id};
    preview.sentence = verbName(preview.request.verb) + u' ' + id + u". "_s + help;
    if (preview.request.verb == Verb::Settle)
        preview.sentence =
            Words::tr("We do not know whether the effect of %1 happened. Its request was begun, and no "
                      "result is stored. Nothing is retried meanwhile.")
                .arg(id);
    const auto add = [&preview](const QString& name, const QString& value, bool mono = false) {
        if (!value.isEmpty())
            preview.facts.push_back({name, value, mono});
    };
    add(Words::tr("Begun"), step->firstStartedAt == kNoTime ? QString() : instantText(step->firstStartedAt));
    add(Words::tr("Tool"),
        qt(step->tool) + (step->tool.empty() ? QString() : u", "_s + qt(label(step->safety)).toLower()));
    add(Words::tr("Amount"), moneyText(step->amount.micros, qt(step->amount.currency)));
    if (const auto found = state.stepById.find(step->id); found != state.stepById.end())
        if (const auto effect = m_service->effectKey(state.id, found->second)) {
            add(Words::tr("Effect key"), qt(*effect), true);
            const auto definition = m_service->definition(state.workflow.name, state.workflow.version);
            const ToolDef* tool = definition ? definition->tool(step->tool) : nullptr;
            if (tool != nullptr && !tool->page.empty())
                preview.facts.push_back(
                    {Words::tr("Provider's page"), qt(pageFor(tool->page, *effect)), true, true});
        }
    add(Words::tr("Attempts"),
        Words::tr("%1, %2 failed, %3 lost").arg(step->attempts).arg(step->failures).arg(step->lost));
    fillSent(state.id, step->input,
        preview.request.verb == Verb::Settle ? Words::tr("What was sent") : Words::tr("Its input"), preview);
}

Result<ActResult> ActSession::execute(const ActRequest& request)
{
    CAIRN_TRY(readStore());
    if (request.verb == Verb::Slow)
        return slow(request);
    CAIRN_TRY_ASSIGN(const RunState state, m_service->load(request.run));
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
    result.text = Words::tr("Accepted, waits for an engine; the history tells when it is carried out.");
    return result;
}

}  // namespace cairn::ui
