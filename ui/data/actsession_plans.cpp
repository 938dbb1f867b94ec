// Plans and proposed acts on the acting connection: looked at, staged, ordered, decided. All of it by the
// same functions as the command line's.
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/plan/left.h"
#include "core/plan/runner.h"
#include "core/plan/words.h"
#include "core/query/query.h"
#include "core/service/agreement.h"
#include "core/service/staged.h"

#include "ui/data/actsession.h"
#include "ui/data/format.h"
#include "ui/data/planconvert.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <map>
#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

using Words = PlanWords;

constexpr SpanMs kMinute = 60'000;
// An order or decision is tried with this where no reason has been given yet: whether one is needed is asked
// when it is sent.
constexpr const char* kTried = "looked at, nothing is written";

QStringList linesOf(const PlanLines& all)
{
    QStringList lines;
    for (const PlanLine& line : all.lines) {
        QString text = qt(line.text) + u" ("_s + plural(line.runs, "run", "runs");
        if (line.count > 0)
            text += u", "_s + countText(line.count) + Words::tr(" in all");
        for (const auto& [currency, micros] : line.amount)
            text += u", "_s + moneyText(micros, qt(currency)) + Words::tr(" together");
        lines << text + u')';
    }
    if (all.more > 0)
        lines << Words::tr("and %1 more").arg(countText(all.more));
    return lines;
}

// Each reason with its number, zero as zero; then the first runs with theirs.
QStringList leftOutOf(const PlanPreview& preview)
{
    QStringList counts;
    for (const PlanLeftOut why : kLeftOutBefore)
        counts << u"%1 %2"_s.arg(qt(label(why)), countText(preview.of(why)));
    QStringList lines{counts.join(u", "_s)};
    for (const PlanLeft& left : preview.left)
        lines << shortId(left.run) + u": "_s + qt(left.why);
    const quint64 all = preview.targets - preview.included;
    if (all > preview.left.size())
        lines << Words::tr("and %1 more").arg(countText(all - preview.left.size()));
    return lines;
}

QString loadOf(const PlanSpec& spec, const PlanPreview& preview)
{
    QString load = spec.pace.rate == 0
        ? Words::tr("as fast as it goes")
        : Words::tr("%1 a minute, about %2").arg(countText(spec.pace.rate), durationText(preview.estimate));
    if (spec.pace.canary > 0)
        load += Words::tr(", %1 first").arg(countText(spec.pace.canary));
    if (spec.pace.stopOver > 0)
        load += Words::tr(", stops if more than %1 % return to the same situation").arg(spec.pace.stopOver);
    for (const auto& [name, runs] : preview.resources)
        load += Words::tr("; %1 wait for %2").arg(countText(runs), qt(name));
    for (const auto& [unit, amount] : preview.cost)
        load += Words::tr("; costs at most ")
            + (unit.size() == 3 ? moneyText(amount, qt(unit))
                                : countText(static_cast<quint64>(amount)) + u' ' + qt(unit));
    return load;
}

PlanForecast forecastOf(const PlanRow& row, const PlanSpec& spec, const PlanPreview& preview)
{
    PlanForecast told;
    told.plan = row.id;
    told.digest = hexText(row.digest);
    told.included = preview.included;
    told.sentence =
        Words::tr("%1: %2 of %3, %4 left out.")
            .arg(verbName(row.verb), countText(preview.included), plural(preview.targets, "run", "runs"),
                countText(preview.targets - preview.included));
    told.possible = !preview.blocked() && preview.included > 0;
    if (preview.blocked())
        told.refusal =
            Words::tr("blocked: in %1 an effect may happen twice; settle them first, or leave them out")
                .arg(plural(preview.uncertain, "run", "runs"));
    else if (preview.included == 0)
        told.refusal = Words::tr("nothing to do: 0 runs would be changed");
    told.willHappen = linesOf(preview.willHappen);
    told.willNotRepeat = linesOf(preview.notRepeated);
    told.mayRepeat = linesOf(preview.mayRepeat);
    for (const PlanLeft& left : preview.uncertainRuns)
        told.mayRepeat << shortId(left.run) + u": "_s + qt(left.why);
    told.alsoChanges = linesOf(preview.alsoChanges);
    told.leftOut = leftOutOf(preview);
    told.load = loadOf(spec, preview);
    told.reversible = qt(preview.undo.text);
    return told;
}

QStringList linesOf(const std::vector<std::string>& lines)
{
    QStringList result;
    for (const std::string& line : lines)
        result << qt(line);
    return result;
}

PlanForecast forecastOf(const StagedAct& act, const Preview& preview)
{
    PlanForecast told;
    if (!act.digest.isNull())  // of one that waits for an engine and for nobody else
        told.digest = hexText(act.digest);
    const auto* rejection = std::get_if<Rejection>(&preview.decision);
    const auto* nothing = std::get_if<NoChange>(&preview.decision);
    told.possible = rejection == nullptr && nothing == nullptr;
    told.refusal = rejection != nullptr ? qt(rejection->text)
        : nothing != nullptr            ? qt(nothing->text)
                                        : QString();
    told.included = told.possible ? 1 : 0;
    told.willHappen = linesOf(preview.willHappen);
    told.willNotRepeat = linesOf(preview.willNotRepeat);
    told.mayRepeat = linesOf(preview.mayRepeat);
    told.alsoChanges = linesOf(preview.alsoChanges);
    told.reversible = qt(preview.undo.text);
    return told;
}

Glyph glyphOf(const PlanItem& item)
{
    switch (item.state) {
    case PlanItemState::Open: return Glyph::Queued;
    case PlanItemState::Done: return item.fate == PlanFate::Again ? Glyph::Failed : Glyph::Done;
    case PlanItemState::Skipped: return Glyph::Skipped;
    case PlanItemState::Stale: return Glyph::Mismatch;
    case PlanItemState::Failed: break;
    }
    return Glyph::Failed;
}

PlanItemLine lineOf(const PlanItem& item)
{
    QString why = qt(item.why);
    if (why.isEmpty())
        why = qt(label(item.leftOut));
    return {item.ord, item.run, qt(item.target), qt(key(item.state)), qt(label(item.fate)), why,
        glyphOf(item), item.state == PlanItemState::Done ? item.version : 0};
}

constexpr PlanItemState kItemStates[] = {PlanItemState::Open, PlanItemState::Done, PlanItemState::Skipped,
    PlanItemState::Stale, PlanItemState::Failed};
constexpr PlanFate kFates[] = {
    PlanFate::Moved, PlanFate::Finished, PlanFate::Again, PlanFate::NotYet, PlanFate::Unknown};

void fillFacts(const PlanRow& row, const PlanSpec& spec, PlanView& view)
{
    const auto add = [&view](const QString& name, const QString& value, bool mono = false) {
        view.facts.push_back({name, value.isEmpty() ? u"–"_s : value, mono});
    };
    add(Words::tr("Plan"), idText(row.id), true);
    add(Words::tr("Standing"), view.entry.standing);
    add(Words::tr("Author"), qt(row.login));
    add(Words::tr("Reason"), qt(row.reason));
    add(Words::tr("Staged"), instantText(row.stagedAt));
    add(Words::tr("Second person"),
        row.people < 2                ? Words::tr("not needed")
            : row.confirmedBy.empty() ? Words::tr("nobody yet")
                                      : qt(row.confirmedBy) + u", "_s + instantText(row.confirmedAt));
    PlanPreview none;
    none.estimate = estimatedSpan(spec.pace, row.items);
    add(Words::tr("Pace"), loadOf(spec, none));
    add(Words::tr("Found by"), spec.filter.empty() ? Words::tr("named one by one") : qt(spec.filter));
    add(Words::tr("Digest"), hexText(row.digest), true);
}

std::optional<PlanAct> actOf(PlanStep step)
{
    switch (step) {
    case PlanStep::Start: return PlanAct::Start;
    case PlanStep::Confirm: return PlanAct::Confirm;
    case PlanStep::Pause: return PlanAct::Pause;
    case PlanStep::Continue: return PlanAct::Continue;
    case PlanStep::Abort: return PlanAct::Abort;
    case PlanStep::Reject:
    case PlanStep::Withdraw: break;
    }
    return std::nullopt;
}

StagedState decidedAs(PlanStep step)
{
    return step == PlanStep::Reject  ? StagedState::Refused
        : step == PlanStep::Withdraw ? StagedState::Withdrawn
                                     : StagedState::Waiting;
}

ActResult ended(ActEnd end, const QString& text, quint64 auditSeq = 0)
{
    ActResult result;
    result.end = end;
    result.text = withFullStop(text);
    result.auditSeq = auditSeq;
    return result;
}

ActResult refusedBy(const Error& error)
{
    return ended(error.kind == ErrorKind::Conflict ? ActEnd::Stale : ActEnd::Refused, qt(error.text));
}

bool isRefusal(const Error& error)
{
    return error.kind == ErrorKind::Refused || error.kind == ErrorKind::NoRight
        || error.kind == ErrorKind::Conflict;
}

// A refusal is an answer of its own.
Result<ActResult> notDone(const Error& error)
{
    if (isRefusal(error))
        return refusedBy(error);
    return error;
}

// The login may not write plans: an engine decides it again, and does it in this person's name.
Result<ActResult> leftForEngine(const Result<StagedAct>& act)
{
    return act ? ended(ActEnd::Done, Words::tr("Accepted, waits for an engine")) : notDone(act.error());
}

}  // namespace

PlanAuthor ActSession::author(const QString& reason) const
{
    return {m_config.login, core(m_opening->person), m_config.uid, m_config.host,
        m_service->masked(core(reason))};
}

Result<PlanRow> ActSession::planRow(const PlanId& plan)
{
    CAIRN_TRY_ASSIGN(auto found, m_store->plan(plan));
    if (!found)
        return makeError(ErrorKind::NotFound, "there is no plan " + toText(plan));
    return *std::move(found);
}

Result<StagedAct> ActSession::stagedAct(const CommandId& act)
{
    CAIRN_TRY_ASSIGN(auto found, m_store->stagedAct(act));
    if (!found)
        return makeError(ErrorKind::NotFound, "there is no act " + toText(act));
    return *std::move(found);
}

// --- one to be staged

// As ids: what the filter finds later is not part of it. One more than a plan takes is enough to be refused.
Result<std::vector<RunId>> ActSession::targetsOf(const PlanRequest& request)
{
    if (request.filter.isEmpty())
        return request.runs;
    const ParsedFilter parsed = parseFilter(core(request.filter), m_service->now());
    if (parsed.error)
        return makeError(ErrorKind::InvalidInput, parsed.error->text);
    std::vector<RunId> runs;
    std::optional<PageKey> after;
    do {
        CAIRN_TRY_ASSIGN(const cairn::RunPage page,
            m_store->list(parsed.filter, ListOrder::AttentionThenOldest, after, kPlanPage));
        for (const ListRow& row : page.rows)
            runs.push_back(row.run);
        after = page.next;
    } while (after && runs.size() <= kMaxPlanItems);
    return runs;
}

Result<PlanForecast> ActSession::draft(const PlanRequest& request)
{
    m_draft.reset();
    CAIRN_TRY(readStore());
    ActRequest asked = request.act;
    asked.run = makeId<RunId>(m_clock.wallMs(), m_rng);  // of the template: no run's
    asked.expects = false;
    CAIRN_TRY_ASSIGN(Submission act, submissionOf(asked, RunState{}));
    act.command.actor = Submission{}.command.actor;
    act.command.id = makeId<CommandId>(m_clock.wallMs(), m_rng);
    act.reason.clear();
    CAIRN_TRY_ASSIGN(const std::vector<RunId> runs, targetsOf(request));
    PlanSpec spec;
    spec.filter = core(request.filter);
    spec.leaveOutUncertain = request.pace.leaveOutUncertain;
    spec.pace.rate = request.pace.rate;
    spec.pace.rampFrom = request.pace.rampFrom;
    spec.pace.ramp = SpanMs{request.pace.rampSeconds} * 1000;
    spec.pace.canary = request.pace.canary;
    spec.pace.stopOver = request.pace.stopOver;
    spec.pace.verify = SpanMs{request.pace.verifyMinutes} * kMinute;
    CAIRN_TRY_ASSIGN(spec, specFor(*m_store, *m_service, std::move(act), std::move(spec), runs));
    CAIRN_TRY_ASSIGN(PlanDraft made,
        draftPlan(*m_store, *m_service, spec, runs, author({}), makeId<PlanId>(m_clock.wallMs(), m_rng),
            makeId<CommandId>(m_clock.wallMs(), m_rng)));
    PlanForecast told = forecastOf(made.row, spec, made.preview);
    told.at = m_service->now();
    told.reasonMinimum = static_cast<int>(made.needed.reason);
    told.reasonLacks = qt(reasonLacked(made.needed, {}));
    if (made.needed.second())
        told.needs = qt(tellNeeded(made.needed));
    told.command = qt(commandOf(made.row, spec, runs, core(m_opening->url)));
    QString off = whyNoActs(*m_opening, m_info, m_rights);
    if (!off.isEmpty()) {
        told.possible = false;
        told.refusal = off;
    }
    m_draft = std::move(made);
    return told;
}

Result<ActResult> ActSession::stagePlan(const QString& digest, const QString& reason)
{
    CAIRN_TRY(readStore());
    if (!m_draft || hexText(m_draft->row.digest) != digest)
        return ended(ActEnd::Stale, Words::tr("this is not the plan that was looked at last: look again"));
    PlanDraft draft = *std::exchange(m_draft, std::nullopt);
    draft.setReason(core(reason));
    if (!m_rights.commits)
        return leftForEngine(leavePlan(*m_store, draft));
    const auto staged = cairn::stagePlan(*m_store, draft);
    if (!staged)
        return notDone(staged.error());
    const QString name = Words::tr("Plan %1").arg(shortId(staged->id));
    if (draft.needed.second())
        return ended(ActEnd::Done, name + Words::tr(" is staged: ") + qt(cairn::standingOf(*staged)));
    const PlanOrder start{draft.row.id, PlanAct::Start, {}, makeId<CommandId>(m_clock.wallMs(), m_rng)};
    const auto started = cairn::orderPlan(*m_store, *m_service, start, author(reason));
    if (!started)
        return ended(
            ActEnd::Done, name + Words::tr(" is staged, and was not started: ") + qt(started.error().text));
    CAIRN_TRY(carryOut(*started));
    CAIRN_TRY_ASSIGN(const PlanRow now, planRow(draft.row.id));
    return ended(ActEnd::Done, name + u' ' + qt(cairn::standingOf(now)));
}

// A small one without a pace is carried out at once; all others, and what has to wait, by an engine.
Status ActSession::carryOut(const PlanRow& row)
{
    CAIRN_TRY_ASSIGN(const PlanSpec spec, decodeSpec(row.spec));
    if (!runsAtOnce(row, spec) || !row.holder.isNull() || !isOpen(row.state))
        return {};
    PlanRunnerConfig config;
    config.holder = makeId<SessionId>(m_clock.wallMs(), m_rng);
    config.who = author(qt(row.reason));
    config.only = row.id;
    PlanRunner runner(*m_store, *m_service, m_clock, std::move(config));
    // Commits are made at once here, so nothing is waited for. Whatever is not done by then is an engine's.
    for (std::size_t look = 0; look < 4 * kAtOnceRuns; ++look) {
        CAIRN_TRY_ASSIGN(const auto next, runner.tick());
        if (!next)
            return {};
        static_cast<void>(m_service->pump());
    }
    return runner.release();
}

// --- what stands in the store

Result<QString> ActSession::copyOf(const PlanRow& row)
{
    CAIRN_TRY_ASSIGN(const PlanSpec spec, decodeSpec(row.spec));
    std::vector<RunId> runs;
    for (std::uint32_t after = 0; spec.filter.empty();) {
        CAIRN_TRY_ASSIGN(const auto items, m_store->planItems(row.id, after, kPlanPage, {}));
        if (items.empty())
            break;
        after = items.back().ord;
        for (const PlanItem& item : items)
            runs.push_back(item.run);
    }
    return qt(commandOf(row, spec, runs, core(m_opening->url)));
}

// Why each can or cannot be done, by the decisions that do it.
Result<std::vector<PlanOffer>> ActSession::offersOf(const PlanRow& row)
{
    QString off = whyNoActs(*m_opening, m_info, m_rights);
    std::vector<PlanOffer> offers;
    for (int i = 0; i < kPlanSteps; ++i) {
        PlanOffer offer{static_cast<PlanStep>(i), off};
        const auto act = actOf(offer.step);
        if (!act)
            offer.whyOff = Words::tr("a plan is not rejected or withdrawn: it is aborted");
        else if (off.isEmpty()) {
            const PlanOrder order{row.id, *act, row.digest, makeId<CommandId>(m_clock.wallMs(), m_rng)};
            const PlanAuthor who = author(QString::fromLatin1(kTried));
            const auto decided =
                previewOrder(*m_store, *m_service, row, order, who, m_info, m_service->now());
            if (!decided)
                offer.whyOff = qt(decided.error().text);
        }
        offers.push_back(offer);
    }
    return offers;
}

Result<std::vector<PlanOffer>> ActSession::offersOf(const StagedAct& act)
{
    const QString off = whyNoActs(*m_opening, m_info, m_rights);
    std::vector<PlanOffer> offers;
    for (int i = 0; i < kPlanSteps; ++i) {
        PlanOffer offer{static_cast<PlanStep>(i), off};
        const bool decides = offer.step == PlanStep::Confirm || offer.step == PlanStep::Reject
            || offer.step == PlanStep::Withdraw;
        if (!decides)
            offer.whyOff = Words::tr("this is no plan but one act: it is confirmed, rejected or withdrawn");
        else if (off.isEmpty()) {
            const ActDecision decision{
                act.command, act.digest, decidedAs(offer.step), kTried, core(m_opening->person)};
            CAIRN_TRY_ASSIGN(const auto why, Agreements(*m_service).mayDecide(act, decision, m_config.login));
            if (why)
                offer.whyOff = qt(why->text);
        }
        offers.push_back(offer);
    }
    return offers;
}

Result<PlanView> ActSession::planView(const PlanEntry& entry, int items)
{
    CAIRN_TRY_ASSIGN(const PlanRow row, planRow(entry.plan));
    CAIRN_TRY_ASSIGN(const PlanSpec spec, decodeSpec(row.spec));
    PlanView view;
    view.entry = entryOf(row);
    view.at = m_service->now();
    view.itemsInAll = row.items;
    fillFacts(row, spec, view);
    std::map<PlanItemState, quint64> states;
    PlanFates fates;
    CAIRN_TRY_ASSIGN(const auto counts, m_store->planCounts(row.id));
    for (const PlanCount& count : counts) {
        states[count.state] += count.count;
        fates.count[static_cast<std::size_t>(count.fate)] += count.count;
    }
    std::map<std::uint32_t, PlanFate> now;
    if (row.state != PlanState::Closed) {
        CAIRN_TRY_ASSIGN(fates, readFates(*m_store, row.id, row.verb, kNoTime, 0, [&](const PlanItem& item) {
            if (item.ord <= static_cast<std::uint32_t>(items))
                now[item.ord] = item.fate;
        }));
    }
    for (const PlanItemState state : kItemStates)
        view.outcomes.push_back({qt(key(state)), countText(states[state]), false});
    for (const PlanFate fate : kFates)
        view.fates.push_back({qt(label(fate)), countText(fates.of(fate)), false});
    CAIRN_TRY_ASSIGN(auto page, m_store->planItems(row.id, 0, static_cast<std::size_t>(items), {}));
    for (PlanItem& item : page) {
        if (const auto found = now.find(item.ord); found != now.end())
            item.fate = found->second;
        view.items.push_back(lineOf(item));
    }
    CAIRN_TRY_ASSIGN(view.command, copyOf(row));
    CAIRN_TRY_ASSIGN(view.offers, offersOf(row));
    return view;
}

Result<PlanView> ActSession::proposalView(const PlanEntry& entry)
{
    CAIRN_TRY_ASSIGN(const StagedAct act, stagedAct(entry.act));
    PlanView view;
    view.entry = entryOf(act);
    view.at = m_service->now();
    fillFacts(act, view);
    CAIRN_TRY_ASSIGN(view.offers, offersOf(act));
    return view;
}

Result<PlanView> ActSession::plan(const PlanEntry& entry, int items)
{
    CAIRN_TRY(readStore());
    return entry.proposal ? proposalView(entry) : planView(entry, items);
}

Result<PlanForecast> ActSession::previewEntry(const PlanEntry& entry)
{
    CAIRN_TRY(readStore());
    PlanForecast told;
    if (entry.proposal) {
        CAIRN_TRY_ASSIGN(const StagedAct act, stagedAct(entry.act));
        if (act.verb == Verb::SetPolicy) {
            told.digest = hexText(act.digest);
            told.willHappen << Words::tr("the policy becomes:") << qt(act.body).split(u'\n');
        } else {
            CAIRN_TRY_ASSIGN(const Preview seen, Agreements(*m_service).previewAct(act));
            told = forecastOf(act, seen);
        }
        told.sentence =
            Words::tr("%1, proposed by %2: %3").arg(verbName(act.verb), qt(act.stagedBy), qt(act.reason));
    } else {
        CAIRN_TRY_ASSIGN(const PlanRow row, planRow(entry.plan));
        CAIRN_TRY_ASSIGN(const PlanSpec spec, decodeSpec(row.spec));
        CAIRN_TRY_ASSIGN(const PlanPreview seen, previewPlan(*m_store, *m_service, row));
        told = forecastOf(row, spec, seen);
    }
    told.at = m_service->now();
    told.reasonMinimum = static_cast<int>(reasonMinimum(m_info.safety));
    return told;
}

// --- what people do to it

Result<ActResult> ActSession::order(const PlanOrderRequest& request)
{
    CAIRN_TRY(readStore());
    return request.of.proposal ? decide(request) : orderPlan(request);
}

Result<ActResult> ActSession::orderPlan(const PlanOrderRequest& request)
{
    const auto act = actOf(request.step);
    const auto digest = parseDigest(core(request.digest));
    if (!act)
        return ended(ActEnd::Refused, Words::tr("a plan is not rejected or withdrawn: it is aborted"));
    const PlanOrder order{
        request.of.plan, *act, digest ? *digest : Digest{}, makeId<CommandId>(m_clock.wallMs(), m_rng)};
    if (!m_rights.commits)
        return leftForEngine(leaveOrder(*m_store, *m_service, order, author(request.reason)));
    const auto row = cairn::orderPlan(*m_store, *m_service, order, author(request.reason));
    if (!row)
        return notDone(row.error());
    if (*act != PlanAct::Confirm && *act != PlanAct::Pause)
        CAIRN_TRY(carryOut(*row));
    CAIRN_TRY_ASSIGN(const PlanRow now, planRow(request.of.plan));
    return ended(ActEnd::Done, Words::tr("Plan %1 %2").arg(shortId(now.id), qt(cairn::standingOf(now))));
}

Result<ActResult> ActSession::decide(const PlanOrderRequest& request)
{
    CAIRN_TRY_ASSIGN(StagedAct act, stagedAct(request.of.act));
    const auto digest = parseDigest(core(request.digest));
    const ActDecision decision{act.command, digest ? *digest : Digest{}, decidedAs(request.step),
        m_service->masked(core(request.reason)), core(m_opening->person)};
    if (!m_rights.commits) {  // the store knows who it is, and decides
        CAIRN_TRY_ASSIGN(const auto why, Agreements(*m_service).mayDecide(act, decision, m_config.login));
        if (why)
            return ended(why->code == RejectCode::Stale ? ActEnd::Stale : ActEnd::Refused, qt(why->text));
        act.state = decision.as;
        act.digest = decision.shown;
        act.note = decision.reason;
        act.confirmedName = decision.claimedName;
        CAIRN_TRY(m_store->decideAct(act));
        return ended(ActEnd::Done, Words::tr("Decided, waits for an engine"));
    }
    const cairn::Outcome decided = Agreements(*m_service).decideAct(decision);
    using Kind = cairn::Outcome::Kind;
    if (decided.kind == Kind::Failed)
        return decided.error;
    if (decided.kind != Kind::Committed)
        return ended(decided.rejection.code == RejectCode::Stale ? ActEnd::Stale : ActEnd::Refused,
            qt(decided.rejection.text), decided.auditSeq);
    if (decision.as != StagedState::Waiting)
        return ended(ActEnd::Done, Words::tr("The act is ") + qt(decided.text), decided.auditSeq);
    CAIRN_TRY_ASSIGN(const StagedAct confirmed, stagedAct(act.command));
    const cairn::Outcome done = Agreements(*m_service).carryOut(*m_store, confirmed);
    if (isAnswer(done))  // where this cannot be noted, an engine does
        static_cast<void>(m_store->finishStaged(answered(confirmed, done)));
    if (done.kind == Kind::Failed)
        return ended(ActEnd::Done, Words::tr("Confirmed; an engine carries it out: ") + qt(done.error.text),
            decided.auditSeq);
    if (done.kind == Kind::Rejected)
        return ended(ActEnd::Refused,
            Words::tr("Confirmed, and refused when it was carried out: ") + qt(done.rejection.text),
            decided.auditSeq);
    return ended(ActEnd::Done, Words::tr("Confirmed and done"), decided.auditSeq);
}

}  // namespace cairn::ui
