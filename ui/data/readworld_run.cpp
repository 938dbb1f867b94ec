// Reads for the views of one run beside its steps: as it was, what people did, relations, comparisons,
// context.
#include "ui/data/readworld.h"

#include "core/query/run_views.h"
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
    Q_DECLARE_TR_FUNCTIONS(readworld_run)
};

Tie tieOf(Relation::Kind kind)
{
    switch (kind) {
    case Relation::Kind::Ancestor: return Tie::Ancestor;
    case Relation::Kind::Child: return Tie::Child;
    case Relation::Kind::HoldsEffect: return Tie::HoldsEffect;
    case Relation::Kind::ForkedFrom: return Tie::ForkedFrom;
    case Relation::Kind::Self: break;
    }
    return Tie::Self;
}

RelationLine relationOf(const Relation& relation)
{
    RelationLine line;
    line.tie = tieOf(relation.kind);
    line.run = relation.run;
    line.step = qt(relation.step);
    line.agent = qt(relation.agent);
    line.share = qt(relation.share);
    line.note = qt(relation.note);
    line.here = relation.row.has_value();
    if (!line.here) {
        line.word = Words::tr("not begun, or not in this store");
        return line;
    }
    const RunLine row = lineOf(*relation.row);
    line.workflow = row.workflow.isEmpty() ? Words::tr("driven")
                                           : row.workflow + u" @"_s + QString::number(row.workflowVersion);
    line.key = row.key;
    line.glyph = row.glyph;
    line.word = row.step.isEmpty() ? row.word : row.word + u", "_s + row.step;
    line.since = row.since;
    return line;
}

CompareLine lineOf(const Difference& difference)
{
    return {qt(difference.place), qt(difference.what), qt(difference.left), qt(difference.right)};
}

}  // namespace

Result<RunDetail> ReadWorld::runAt(const RunId& run, quint64 version)
{
    CAIRN_TRY_ASSIGN(RunView view, m_query->run(run, version));
    CAIRN_TRY_ASSIGN(const auto rows, m_store->attempts(run, kNoStep));
    CAIRN_TRY_ASSIGN(const auto effects, m_store->effectsOfRun(run));
    // "Ago" and "in" are told from the moment that is shown.
    view.at = view.state.changedAt;
    // Attributes are kept as they are now only.
    view.attributes.clear();
    std::vector<EffectRow> then;
    for (const EffectRow& effect : effects)
        if (const StepRecord* step = view.state.find(effect.holderStep);
            step != nullptr && step->effect == effect.effect)
            then.push_back(effect);
    RunDetail detail = detailOf(view, attemptsAsOf(view.state, rows), then);
    for (std::vector<VerbLine>* lines : {&detail.why.verbs, &detail.why.more})
        for (VerbLine& verb : *lines) {
            verb.on = false;
            verb.text = Words::tr("this is how it was: go back to now to act");
        }
    return detail;
}

Result<std::vector<ActLine>> ReadWorld::acts(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto rows, m_store->auditOfRun(run));
    std::vector<ActLine> lines;
    for (const AuditRow& row : rows) {
        ActLine line;
        line.seq = row.seq;
        line.time = row.time;
        line.person = row.actor.empty() ? qt(row.login) : qt(row.actor);
        line.verb = qt(label(row.verb));
        line.target = qt(row.target);
        line.reason = qt(row.reason);
        line.outcome = qt(row.kind);
        line.applied = row.kind == "applied";
        if (line.applied && !row.command.isNull()) {
            CAIRN_TRY_ASSIGN(const auto version, m_store->findCommand(run, row.command));
            line.version = version.value_or(0);
        }
        lines.push_back(std::move(line));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
    return lines;
}

// Those that can be done first; restarting is about the run, and never refused before its preview.
Result<std::vector<VerbLine>> ReadWorld::stepActs(const RunId& run, quint32 step)
{
    CAIRN_TRY_ASSIGN(const StepTold told, m_query->stepActions(run, step));
    WhyView why;
    why.run = run;
    for (const Action& action : told.actions)
        why.verbs.push_back({action.verb, letterOf(action.verb), verbName(action.verb), qt(action.why),
            action.allowed, qt(told.step), action.approval});
    why.verbs.push_back(
        {Verb::Fork, letterOf(Verb::Fork), verbName(Verb::Fork), qt(word(Verb::Fork).help), true, {}, {}});
    CAIRN_TRY(closeVerbs(why));
    std::stable_sort(why.verbs.begin(), why.verbs.end(),
        [](const VerbLine& a, const VerbLine& b) { return a.on && !b.on; });
    return why.verbs;
}

Result<std::vector<RelationLine>> ReadWorld::relations(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto relations, m_query->relations(run));
    std::vector<RelationLine> lines;
    for (const Relation& relation : relations)
        lines.push_back(relationOf(relation));
    return lines;
}

namespace {

Result<AttemptRow> attemptOf(StoreReader& store, const CompareSide& side)
{
    CAIRN_TRY_ASSIGN(const auto steps, store.steps(side.run));
    const std::string wanted = core(side.step);
    for (const StepRow& step : steps) {
        if (step.id != wanted)
            continue;
        CAIRN_TRY_ASSIGN(const auto rows, store.attempts(side.run, step.ix));
        for (const AttemptRow& row : rows)
            if (row.number == side.attempt && row.purpose == Purpose::Do)
                return row;
        return makeError(ErrorKind::NotFound,
            "Step \"" + wanted + "\" has no attempt " + std::to_string(side.attempt) + "; it has "
                + std::to_string(rows.size()));
    }
    return makeError(ErrorKind::NotFound, "The run has no step \"" + wanted + "\"");
}

}  // namespace

Result<Comparison> ReadWorld::compare(const CompareSide& left, const CompareSide& right)
{
    Comparison comparison;
    if (left.attempt != 0 && right.attempt != 0) {
        CAIRN_TRY_ASSIGN(const AttemptRow a, attemptOf(*m_store, left));
        CAIRN_TRY_ASSIGN(const AttemptRow b, attemptOf(*m_store, right));
        for (const Difference& difference : compareAttempts(a, b))
            comparison.lines.push_back(lineOf(difference));
        return comparison;
    }
    CAIRN_TRY_ASSIGN(
        const Compared compared, m_query->compare({left.run, left.version}, {right.run, right.version}));
    for (const Difference& difference : compared.differences)
        comparison.lines.push_back(lineOf(difference));
    comparison.same = compared.same;
    comparison.steps = compared.steps;
    return comparison;
}

Result<ContextText> ReadWorld::context(const RunId& run, int tokens)
{
    ContextOptions options;
    options.tokenBudget = static_cast<std::size_t>(std::max(1, tokens));
    CAIRN_TRY_ASSIGN(const std::string text, m_query->context(run, options));
    return ContextText{qt(text), tokens, text.size()};
}

Result<PayloadPart> ReadWorld::payloadPart(
    const RunId& run, const PayloadLine& line, quint64 offset, quint64 limit)
{
    CAIRN_TRY_ASSIGN(const quint64 size, sizeOf(run, line));
    CAIRN_TRY_ASSIGN(StoreReader* const from, readerOf(run, line));
    CAIRN_TRY_ASSIGN(
        const std::string bytes, from->payload(run, line.id, offset, std::min<quint64>(limit, kPayloadPart)));
    if (bytes.empty() && offset < size)
        return makeError(ErrorKind::Corrupt, "The payload is shorter than its recorded size");
    return PayloadPart{QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())), size};
}

}  // namespace cairn::ui
