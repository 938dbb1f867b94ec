// The demo source's answers about one run: as it was, acts, relations, comparisons, context, payloads.
#include "demosource.h"

#include "core/base/secrets.h"

#include <algorithm>

namespace cairn::ui::test {

using namespace Qt::StringLiterals;

namespace {

template<typename T> QFuture<Reply<T>> now(T value)
{
    QPromise<Reply<T>> promise;
    promise.start();
    promise.addResult(Reply<T>{std::move(value), {}});
    promise.finish();
    return promise.future();
}

qint64 timeOf(quint64 version) { return kDemoNow - 100'000 * (62 - static_cast<qint64>(version)); }

}  // namespace

QByteArray DemoSource::bytesOf(const PayloadLine& line) const
{
    if (payloadBytes)
        return payloadBytes(line);
    const auto size = static_cast<qsizetype>(line.size);
    if (line.size > 100'000)
        return QByteArray(size, 'x');
    const QByteArray text = R"({"account":"4410","amount":"4860.00","currency":"EUR","order":"PR-1187"})";
    return text.leftJustified(size, ' ');
}

// Each version has begun one step more; none had ended before the last that it has begun.
QFuture<Reply<RunDetail>> DemoSource::runAt(const RunId& run, quint64 version)
{
    travelled.push_back(version);
    RunDetail past = detailNow(run);
    past.version = version;
    past.at = timeOf(version);
    if (taint.isEmpty())
        past.why.sentence = u"The run executes step %1."_s.arg(version);
    for (VerbLine& verb : past.why.verbs) {
        verb.on = false;
        verb.text = u"this is how it was: go back to now to act"_s;
    }
    for (StepLine& step : past.steps.change()) {
        step.root = false;
        if (step.ix < version)
            continue;
        step.glyph = Glyph::Pending;
        step.begun = step.finished = step.stuck = false;
        step.readyAt = step.startedAt = step.endedAt = 0;
        step.tries.clear();
        step.payloads.clear();
    }
    past.payloads.clear();
    for (const StepLine& step : past.steps)
        past.payloads.insert(past.payloads.end(), step.payloads.begin(), step.payloads.end());
    return pastGate.pass(std::move(past));
}

QFuture<Reply<std::vector<ActLine>>> DemoSource::acts(const RunId&)
{
    std::vector<ActLine> acts = actLines;
    if (acts.empty())
        acts = {{18432, timeOf(24), u"Kim Larsen"_s, u"Skip"_s, u"search-suppliers[7]"_s, u"portal closed"_s,
                    u"applied"_s, true, 24},
            {18435, timeOf(48), u"Jonas Berg"_s, u"Approve"_s, u"approve-purchase"_s, u"he may not"_s,
                u"refused"_s, false, 0}};
    if (!taint.isEmpty())
        for (ActLine& act : acts)
            act.person = act.target = act.reason = act.verb = act.outcome = taint;
    return now(std::move(acts));
}

QFuture<Reply<AuditDays>> DemoSource::auditDays(quint64 after)
{
    daysAsked.push_back(after);
    AuditDays counts;
    counts.total = acted.size();
    counts.counted = std::min<quint64>(counts.total, after + daysPart);
    for (auto line = acted.rbegin(); line != acted.rend(); ++line) {
        if (line->seq <= after || line->seq > counts.counted)
            continue;
        const qint64 number = line->time / 86'400'000;
        auto day = std::find_if(counts.days.begin(), counts.days.end(),
            [number](const AuditDayCount& one) { return one.day == number; });
        if (day == counts.days.end())
            day = counts.days.insert(day, {number, 0, 0, line->seq, line->seq});
        ++day->entries;
        day->refused += line->outcome == u"refused"_s ? 1 : 0;
        day->last = line->seq;
    }
    return now(std::move(counts));
}

// As the rules say it of a step that waits for an approval, and of one that is complete.
QFuture<Reply<std::vector<VerbLine>>> DemoSource::stepActs(const RunId& run, quint32 step)
{
    stepsAsked.push_back(step);
    const RunDetail shown = detailNow(run);
    const StepLine line = step < shown.steps.size() ? shown.steps[step] : StepLine();
    std::vector<VerbLine> acts;
    if (line.glyph == Glyph::Approval)
        acts = {{Verb::Approve, u"A"_s, u"Approve"_s, u"Allow what is asked for"_s, true, line.id, {}},
            {Verb::Reject, u"X"_s, u"Reject"_s, u"Refuse what is asked for"_s, true, line.id, {}}};
    acts.push_back(
        {Verb::Fork, u"M"_s, u"Restart from"_s, u"A new run with earlier results"_s, true, {}, {}});
    const QString off = line.glyph == Glyph::Done ? u"it has a recorded result"_s : u"it has not failed"_s;
    acts.push_back({Verb::Retry, u"R"_s, u"Retry now"_s, off, false, line.id, {}});
    acts.push_back({Verb::Skip, {}, u"Skip step"_s, off, false, line.id, {}});
    if (!taint.isEmpty())
        for (VerbLine& verb : acts)
            verb.name = verb.text = verb.step = taint;
    return stepGate.pass(std::move(acts));
}

QFuture<Reply<std::vector<RelationLine>>> DemoSource::relations(const RunId& run)
{
    const auto line = [this](Tie tie, int n, const QString& step) {
        RelationLine relation;
        relation.tie = tie;
        relation.run = demoRun(n);
        relation.step = step;
        relation.agent = step.isEmpty() ? QString() : u"scout"_s;
        relation.workflow = u"flow-%1 @1"_s.arg(n);
        relation.glyph = Glyph::Running;
        relation.word = u"Executing"_s;
        relation.here = true;
        if (!taint.isEmpty())
            relation.step = relation.agent = relation.workflow = relation.word = relation.note =
                relation.share = taint;
        return relation;
    };
    std::vector<RelationLine> lines;
    if (run == demoRun(901)) {
        lines = {line(Tie::Ancestor, 1, {}), line(Tie::Self, 901, {}), line(Tie::Child, 903, u"deep"_s)};
    } else {
        lines = {line(Tie::Ancestor, 900, {}), line(Tie::Self, 1, {}),
            line(Tie::Child, 901, u"plan-search"_s), line(Tie::Child, 902, u"rank-quotes"_s)};
        lines[1].run = run;
        lines[2].share = u"may use 2.00 EUR"_s;
        lines[3].here = false;
        lines[3].word = u"not begun, or not in this store"_s;
    }
    return now(std::move(lines));
}

QFuture<Reply<Comparison>> DemoSource::compare(const CompareSide& left, const CompareSide& right)
{
    compared.emplace_back(left, right);
    Comparison comparison;
    comparison.lines = {
        {u"the run"_s, u"version"_s, QString::number(left.version), QString::number(right.version)},
        {u"step place-order"_s, u"state"_s, {}, u"Complete"_s}};
    if (!taint.isEmpty())
        comparison.lines = {{taint, taint, taint, taint}};
    comparison.same = 30;
    comparison.steps = 31;
    return now(std::move(comparison));
}

QFuture<Reply<ContextText>> DemoSource::context(const RunId&, int tokens)
{
    const QString text = taint.isEmpty() ? u"# Where the run stands\nbudget %1\n"_s.arg(tokens) : taint;
    return now(ContextText{text, tokens, static_cast<quint64>(text.toUtf8().size())});
}

// As it is given to somebody who looks: with what is hidden hidden, unless it was revealed.
QByteArray DemoSource::givenOf(const PayloadLine& line) const
{
    if (!taint.isEmpty())
        return taint.toUtf8();
    const QByteArray bytes = bytesOf(line);
    if (hidden.empty() || (line.plain && revealed.contains(line.id)))
        return bytes;
    const Masker hiding(hidden, Mark::Hidden);
    return QByteArray::fromStdString(hiding.payload(bytes.toStdString(), line.media.toStdString()));
}

QFuture<Reply<PayloadText>> DemoSource::payload(const RunId&, const PayloadLine& line)
{
    PayloadText text;
    text.line = line;
    const QByteArray bytes = givenOf(line);
    text.head = bytes.left(kPayloadShown);
    PayloadLine covered = line;
    covered.plain = false;
    text.hidden = hidden.empty() ? 0 : countMarks(givenOf(covered).toStdString(), Mark::Hidden);
    text.revealOff = revealOff;
    text.shown = text.hidden == 0 ? line.size : static_cast<quint64>(bytes.size());
    text.hash = payloadHash.isEmpty() ? u"9f31c2aa07aa"_s : payloadHash;
    text.salt = payloadSalt;
    return now(std::move(text));
}

QFuture<Reply<QString>> DemoSource::reveal(const RunId&, const PayloadLine& line, const QString& reason)
{
    revealReasons << reason;
    if (reason.isEmpty()) {
        Failure failure;
        failure.what = u"this store wants a reason"_s;
        return QtFuture::makeReadyFuture(Reply<QString>{std::nullopt, failure});
    }
    revealed.insert(line.id);
    return now(u"audit entry 812"_s);
}

QFuture<Reply<PayloadPart>> DemoSource::payloadPart(
    const RunId&, const PayloadLine& line, quint64 offset, quint64 limit)
{
    const QByteArray bytes = givenOf(line);
    return partGate.pass(PayloadPart{
        bytes.mid(static_cast<qsizetype>(offset), static_cast<qsizetype>(std::min(limit, kPayloadPart))),
        static_cast<quint64>(bytes.size())});
}

}  // namespace cairn::ui::test
