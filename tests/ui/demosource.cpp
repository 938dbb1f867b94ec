#include "demosource.h"

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

template<typename T> QFuture<Reply<T>> failure(const QString& what)
{
    QPromise<Reply<T>> promise;
    promise.start();
    promise.addResult(Reply<T>{std::nullopt, {what, u"The store is unchanged."_s, u"Try again."_s, false}});
    promise.finish();
    return promise.future();
}

qint64 ago(qint64 s) { return kDemoNow - s * 1000; }

struct Row {
    Glyph glyph;
    const char16_t* wait;
    const char16_t* what;
    const char16_t* where;
    quint64 n;
    qint64 age;
    qint64 next;
};
constexpr Row kRows[] = {
    {Glyph::Uncertain, u"Uncertain effect", u"249.90 EUR charge, no result", u"charge-card · order-checkout",
        1, 853, 0},
    {Glyph::Approval, u"Approval", u"Purchase over 2 000 EUR", u"approve-purchase · purchase", 7, 12000,
        2391},
    {Glyph::Paused, u"Paused by", u"By Kim Larsen: month-end freeze", u"post-batch · ledger-close", 4, 7560,
        0},
    {Glyph::Failed, u"Attempts exhausted", u"ledger.acme.test: host not found", u"post-batch · ledger-close",
        2, 4320, 0},
    {Glyph::Mismatch, u"Mismatch", u"/items/0/sku: number, want string", u"validate · order-intake", 18, 2460,
        0},
    {Glyph::NoWorker, u"No eligible worker", u"invoice-ocr @5 wanted, 3 have @4", u"read-scan · invoice", 1,
        1560, 0},
    {Glyph::Limit, u"Throttled", u"HTTP 429 from api.acme.test", u"lookup-price · order-intake", 300, 1335,
        11},
    {Glyph::Child, u"Child run", u"Follows 204 runs of price-one", u"fan-out · price-sync", 204, 1020, 0},
    {Glyph::Backoff, u"Back-off", u"HTTP 503 from fx.acme.test", u"get-rate · price-sync", 61, 520, 2},
    {Glyph::Limit, u"Limit or lock", u"card-gateway, 40 of 40 in use", u"charge-card · order-checkout", 88,
        185, 1},
    {Glyph::Lost, u"Worker lost", u"w-17 silent since 10:55:02", u"3 steps · order-intake", 14, 78, 12},
};

StepLine makeStep(
    quint32 ix, const QString& id, const QString& agent, Glyph glyph, std::vector<quint32> after)
{
    StepLine s;
    s.ix = ix;
    s.id = id;
    s.agent = agent;
    s.kind = u"tool"_s;
    s.tool = id;
    s.safety = u"Repeatable"_s;
    s.glyph = glyph;
    s.after = std::move(after);
    s.finished = glyph == Glyph::Done || glyph == Glyph::Skipped || glyph == Glyph::Failed;
    s.begun = glyph != Glyph::Pending;
    s.stuck = glyph == Glyph::Approval || glyph == Glyph::Failed || glyph == Glyph::Uncertain;
    s.word = glyph == Glyph::Done ? u"Complete"_s : glyph == Glyph::Pending ? u"Not started"_s : u"Waits"_s;
    s.attempts = s.finished ? 1 : 0;
    if (s.begun) {
        s.readyAt = ago(12000 - ix * 300);
        s.startedAt = s.readyAt + 600 + ix * 170;
        s.since = s.startedAt;
    }
    if (s.finished)
        s.endedAt = s.startedAt + 12100 + ix * 4000;
    s.revision = s.begun ? 3 : 0;
    return s;
}

}  // namespace

RunId demoRun(int n)
{
    RunId run;
    run.bytes = {0x01, 0xa2, 0x26, 0x11, 0x7c, 0x10, 0x70, 0x00, 0x80, 0x00, 0x55, 0x21, 0x9a, 0, 0xd4, 0x1e};
    run.bytes[12] = static_cast<std::uint8_t>(n >> 8);
    run.bytes[13] = static_cast<std::uint8_t>(n);
    return run;
}

std::vector<StepLine> demoSteps()
{
    struct S {
        const char16_t* id;
        const char16_t* agent;
        Glyph glyph;
        std::vector<quint32> after;
        int path;
    };
    const std::vector<S> kSteps{{u"read-request", u"intake", Glyph::Done, {}, 1},
        {u"classify-need", u"intake", Glyph::Done, {0}, 1},
        {u"check-budget", u"finance", Glyph::Done, {0}, 0},
        {u"plan-search", u"scout", Glyph::Done, {1, 2}, 1},
        {u"search-suppliers", u"scout", Glyph::Done, {3}, 1}, {u"rank-quotes", u"scout", Glyph::Done, {4}, 1},
        {u"watch-price", u"scout", Glyph::Done, {4}, 0}, {u"check-sanctions", u"audit", Glyph::Done, {5}, 0},
        {u"negotiate-price", u"buyer", Glyph::Done, {5}, 1},
        {u"refresh-quotes", u"scout", Glyph::Running, {6}, 0},
        {u"draft-order", u"buyer", Glyph::Done, {8, 7}, 1},
        {u"quote-validity", u"buyer", Glyph::Timer, {8}, 0},
        {u"reserve-budget", u"finance", Glyph::Done, {10}, 0},
        {u"review-order", u"audit", Glyph::Done, {10}, 1},
        {u"approve-purchase", u"audit", Glyph::Approval, {13, 12}, 1},
        {u"place-order", u"buyer", Glyph::Pending, {14}, 0},
        {u"pay-deposit", u"finance", Glyph::Pending, {15}, 0},
        {u"book-delivery", u"buyer", Glyph::Pending, {15}, 0},
        {u"notify-requester", u"intake", Glyph::Pending, {15}, 0}};
    std::vector<StepLine> steps;
    for (quint32 i = 0; i < kSteps.size(); ++i) {
        const S& s = kSteps[i];
        steps.push_back(makeStep(i, QString::fromUtf16(s.id), QString::fromUtf16(s.agent), s.glyph, s.after));
        steps.back().onPath = s.path != 0;
    }
    steps[14].root = true;
    steps[14].note = u"finance-lead, 0 of 1\nexpires 11:36:11Z"_s;
    steps[14].word = u"Approval"_s;
    steps[14].kind = u"approval"_s;
    steps[11].note = u"quote lapses 16:00:00Z"_s;
    steps[11].due = kDemoNow + 18'220'000;
    for (int m = 0; m < 12; ++m) {
        auto member =
            makeStep(static_cast<quint32>(steps.size()), u"search-suppliers[%1]"_s.arg(m), u"scout"_s,
                m == 7       ? Glyph::Skipped
                    : m == 3 ? Glyph::Failed
                             : Glyph::Done,
                {});
        member.owner = 4;
        steps.push_back(member);
    }
    steps[12].tries = {{1, Glyph::Cancelled, ago(11800), ago(11770), u"timed out, no answer"_s, u"w-04"_s},
        {2, Glyph::Done, ago(11760), ago(11758), u"result of attempt 1"_s, u"w-04"_s}};
    steps[12].effectKey = u"01a226…d41e/reserve-budget"_s;
    PayloadLine in;
    in.id.bytes[15] = 1;
    in.title = u"input of reserve-budget"_s;
    in.role = u"input"_s;
    in.step = u"reserve-budget"_s;
    in.media = u"application/json"_s;
    in.size = 214;
    PayloadLine out = in;
    out.id.bytes[15] = 2;
    out.title = u"output of reserve-budget"_s;
    out.role = u"output"_s;
    out.size = 131;
    steps[12].payloads = {in, out};
    return steps;
}

RunDetail demoDetail()
{
    RunDetail d;
    d.line.run = demoRun(0);
    d.title = u"purchase PR-2026-1187"_s;
    d.idText = u"01a22611-7c10-7000-8000-55219a00d41e"_s;
    d.steps = demoSteps();
    for (const StepLine& step : d.steps)
        d.payloads.insert(d.payloads.end(), step.payloads.begin(), step.payloads.end());
    d.meta = {u"purchase @3"_s, u"key PR-2026-1187"_s, u"started 2026-11-29 07:21:39Z, 3 h 34 m ago"_s,
        u"212.4 k of 600 k tokens"_s, u"3.42 of 10.00 EUR"_s};
    d.version = 61;
    d.at = kDemoNow;
    WhyView& w = d.why;
    w.run = d.line.run;
    w.glyph = Glyph::Approval;
    w.badge = u"Approval, a person must"_s;
    w.reason = cairn::Reason::Approval;
    w.sentence = u"approve-purchase waits for an approval by finance-lead, asked 3 h 20 m ago. "
                 "Audit asks for 4 860.00 EUR to Northfield Seating. Expires in 39 m 51 s."_s;
    w.strong = {u"approve-purchase"_s, u"finance-lead"_s};
    w.evidence = {{u"Asked"_s, u"07:36:11Z by audit, for Léa Martin, site Lyon"_s},
        {u"Needs"_s, u"1 of finance-lead, 0 given"_s}, {u"Expires"_s, u"11:36:11Z, then it is rejected"_s},
        {u"Bound to"_s, u"sha256 51be07…c3d8"_s, true}};
    w.releases =
        u"finance-lead approves or rejects. If nobody does, it expires at 11:36:11Z; expiry is never consent."_s;
    ApprovalId approval;
    approval.bytes[0] = 7;
    w.verbs = {{Verb::Approve, u"A"_s, u"Approve"_s, u"place-order sends this, once"_s, true,
                   u"approve-purchase"_s, approval},
        {Verb::Reject, u"X"_s, u"Reject"_s, u"place-order is cancelled"_s, true, u"approve-purchase"_s,
            approval},
        {Verb::Pause, u"H"_s, u"Pause"_s, u"No new step starts; Resume undoes it"_s, true, {}, {}},
        {Verb::Cancel, u"Del"_s, u"Cancel"_s, u"Stops, then compensates where the workflow says so"_s, true,
            {}, {}},
        {Verb::Resume, u"⇧H"_s, u"Resume"_s, u"the run is not paused"_s, false, {}, {}},
        {Verb::Settle, u"O"_s, u"Set outcome"_s, u"no effect is uncertain in this run"_s, false, {}, {}}};
    return d;
}

DemoSource::DemoSource(QObject* parent)
    : Source(parent)
{
    store = {u"payments-eu"_s, u"sqlite:/srv/payments-eu.db"_s, u"prod"_s, u"Ines Duarte"_s,
        u"single-host identity"_s, u"3.51.3"_s, true, false, true, {}, 2, kDemoNow, 7, false, {}};
    detail = demoDetail();
    for (const Row& row : kRows)
        for (quint64 k = 0; k < row.n; ++k) {
            RunLine line;
            line.run = demoRun(static_cast<int>(all.size()));
            const QStringList where = QString::fromUtf16(row.where).split(u" · "_s);
            line.workflow = where.value(1);
            line.workflowVersion = 3;
            line.step = where.value(0);
            line.key = u"K-%1"_s.arg(58213 + all.size());
            line.glyph = row.glyph;
            line.word = QString::fromUtf16(row.wait);
            line.since = ago(row.age - static_cast<qint64>(k));
            line.next = row.next == 0 ? 0 : kDemoNow + row.next * 1000;
            line.attempt = row.glyph == Glyph::Limit ? 4 : 1;
            line.attemptsMax = 5;
            line.money = k % 3 == 0 ? u"1 249.90 EUR"_s : k % 3 == 1 ? u"88.00 EUR"_s : QString();
            line.createdAt = line.since - 60'000;
            line.place = {static_cast<qint64>(all.size()), 0, line.run};
            all.push_back(line);
        }
    detail.line = all[1];
    detail.why.run = all[1].run;
}

RunLine DemoSource::tainted(RunLine line) const
{
    if (!taint.isEmpty())
        line.workflow = line.key = line.step = line.error = line.word = taint;
    return line;
}

RunDetail DemoSource::detailNow(const RunId& run) const
{
    RunDetail copy = detail;
    copy.line.run = run;
    copy.why.run = run;
    if (taint.isEmpty())
        return copy;
    copy.title = taint;
    copy.meta = {taint, taint};
    copy.why.sentence = copy.why.badge = copy.why.releases = taint;
    copy.why.strong = {taint};
    copy.why.evidence = {{taint, taint}};
    for (VerbLine& verb : copy.why.verbs)
        verb.text = verb.name = verb.step = taint;
    for (StepLine& step : copy.steps.change()) {
        step.id = step.agent = step.tool = step.word = step.note = step.safety = step.effectKey = taint;
        for (AttemptLine& attempt : step.tries)
            attempt.outcome = attempt.worker = taint;
        for (PayloadLine& payload : step.payloads)
            payload.title = payload.media = payload.role = taint;
    }
    for (PayloadLine& payload : copy.payloads)
        payload.title = payload.media = payload.role = taint;
    return copy;
}

QFuture<Reply<StoreFacts>> DemoSource::facts()
{
    ++factReads;
    return factGate.pass(StoreFacts(store));
}

QFuture<Reply<Overview>> DemoSource::overview(const QString& filter)
{
    Overview o;
    o.at = kDemoNow;
    const auto head = [this, &o](const QString& group, const QString& word, quint64 count) {
        o.attention.push_back({group, Glyph::None, word, count * (manyCounts ? 1'000'003ULL : 1ULL),
            u"attention:"_s + group, true});
    };
    const auto line = [&o](const QString& group, Glyph glyph, const QString& word, quint64 count) {
        o.attention.push_back({group, glyph, word, count, u"wait:"_s + group, false});
    };
    head(u"u"_s, u"Effect uncertain"_s, 1);
    line(u"u"_s, Glyph::Uncertain, u"no result stored"_s, 1);
    head(u"p"_s, u"A person must"_s, 11);
    line(u"p"_s, Glyph::Approval, u"approval"_s, 7);
    line(u"p"_s, Glyph::Paused, u"paused by operator"_s, 4);
    head(u"n"_s, u"Nobody can yet"_s, 21);
    line(u"n"_s, Glyph::Mismatch, u"schema mismatch"_s, 18);
    line(u"n"_s, Glyph::Failed, u"attempts exhausted"_s, 2);
    line(u"n"_s, Glyph::NoWorker, u"no eligible worker"_s, 1);
    head(u"m"_s, u"The machine will"_s, 1204);
    line(u"m"_s, Glyph::Limit, u"throttled"_s, 300);
    line(u"m"_s, Glyph::Lost, u"worker lost"_s, 14);
    line(u"m"_s, Glyph::Backoff, u"back-off"_s, 61);
    line(u"m"_s, Glyph::Child, u"child run"_s, 204);
    line(u"m"_s, Glyph::Timer, u"timer"_s, 512);
    line(u"m"_s, Glyph::Event, u"external event"_s, 25);
    head(u"r"_s, u"Moving"_s, 388);
    line(u"r"_s, Glyph::Running, u"executing"_s, 342);
    line(u"r"_s, Glyph::Queued, u"queued"_s, 46);
    if (secondWaits > 0)
        o.attention.push_back(
            {kSecondPerson, Glyph::Approval, u"A second person must"_s, secondWaits, {}, true});
    int i = 0;
    for (const Row& row : kRows)
        o.situations.push_back({0, QString::number(i++), row.glyph, QString::fromUtf16(row.wait),
            QString::fromUtf16(row.what), QString::fromUtf16(row.where), row.n, ago(row.age),
            row.next == 0 ? 0 : kDemoNow + row.next * 1000, row.next == 0 ? u"person"_s : QString(),
            demoRun(i), row.glyph == Glyph::Uncertain, {i, 0, demoRun(i)}});
    if (filter.contains(u"bad:"_s))
        o.filter = {false, 0, 4, u"no such field: bad"_s};
    std::erase_if(o.situations, [this](const SituationLine& s) { return s.key == over; });
    o.cutSituations = cut;
    o.hiddenSituations = filter.isEmpty() ? 0 : 2;
    o.matching = all.size();
    o.all = all.size() + (filter.isEmpty() ? 0 : 537);
    o.matching = matches.value_or(o.matching);
    for (SituationLine& s : o.situations) {
        s.waitTerm = u"wait:approval"_s;
        s.whereTerm = u"step:charge-card"_s;
        tellOwnAndTrend(s);
    }
    if (!taint.isEmpty())
        for (SituationLine& s : o.situations) {
            s.wait = s.what = s.where = s.nextWord = s.owner = taint;
            s.owned = 1;
        }
    o.all = std::max<quint64>(o.all, o.matching);
    o.finishedToday = u"Finished today 48 210\n48 112 completed · 61 cancelled\n37 failed"_s;
    ++overviews;
    return overviewGate.pass(std::move(o));
}

QFuture<Reply<AuditSlice>> DemoSource::audit(const AuditRequest& request)
{
    auditRequests.push_back(request);
    AuditSlice slice;
    slice.at = kDemoNow;
    slice.total = std::max<quint64>(auditTotal, acted.size());
    if (request.filter.contains(u"bad:"_s))
        slice.filter = {false, 0, 4, u"no such field: bad"_s};
    for (const AuditLine& line : acted)
        if (request.before == 0 || line.seq < request.before)
            slice.lines.push_back(line);
    slice.lookedFrom = auditLookedFrom;
    slice.more = auditLookedFrom > 1;
    return now(std::move(slice));
}

QFuture<Reply<AuditVerdict>> DemoSource::checkAudit(std::shared_ptr<CheckProgress> progress)
{
    checking = std::move(progress);
    return verdicts.pass(AuditVerdict(verdict));
}

QFuture<Reply<ExportSize>> DemoSource::measureExport(
    const ExportRequest& request, std::shared_ptr<ExportProgress>)
{
    const quint64 runs = request.runs.empty() ? 300 : request.runs.size();
    return now(ExportSize{runs, runs * 10, runs * 2, request.redact ? 0 : runs * 2048, runs > 40});
}

QFuture<Reply<ExportDone>> DemoSource::writeExport(
    const ExportRequest& request, std::shared_ptr<ExportProgress> progress)
{
    exported.push_back(request);
    exporting = std::move(progress);
    return exports.pass(ExportDone{request.path, 2048, 1, 0, 0, {}, u"Audit entry 7."_s});
}

QFuture<Reply<FilterHelp>> DemoSource::filterHelp(const FilterQuestion& question)
{
    questions.push_back(question);
    return now(FilterHelp(help));
}

QFuture<Reply<FilterCounts>> DemoSource::countFilters(const QStringList& filters)
{
    FilterCounts counts;
    for (const QString& filter : filters)
        counts.runs.push_back(filter.contains(u"bad:"_s) ? -1 : viewRuns);
    return now(std::move(counts));
}

QFuture<Reply<RunSlice>> DemoSource::runs(const SliceRequest& request)
{
    ++pageReads;
    listed.push_back(request);
    std::size_t from = 0;
    while (request.after && from < all.size() && all[from++].run != request.after->run) { }
    RunSlice slice;
    slice.at = kDemoNow;
    if ((!over.isEmpty() && request.situation == over) || matches == std::optional<quint64>(0))
        return now(std::move(slice));
    for (std::size_t i = from; i < all.size() && slice.lines.size() < static_cast<std::size_t>(request.limit);
         ++i)
        slice.lines.push_back(tainted(all[i]));
    if (!slice.lines.empty())
        slice.mark = slice.lines.back().place;
    slice.more = from + slice.lines.size() < all.size();
    return listGate.pass(std::move(slice));
}

QFuture<Reply<std::vector<RunLine>>> DemoSource::lines(const std::vector<RunId>& runs)
{
    std::vector<RunLine> found;
    for (const RunLine& line : all)
        if (std::find(runs.begin(), runs.end(), line.run) != runs.end())
            found.push_back(line);
    return now(std::move(found));
}

QFuture<Reply<ChangeSet>> DemoSource::changes(quint64 cursor)
{
    ChangeSet set;
    set.cursor = cursor;
    set.at = kDemoNow;
    if (!pending.empty()) {
        set = pending.front();
        pending.erase(pending.begin());
    }
    set.standing = store.standing;
    return changeGate.pass(std::move(set));
}

QFuture<Reply<WhyView>> DemoSource::why(const RunId& run) { return whys.pass(detailNow(run).why); }

QFuture<Reply<WhyView>> DemoSource::whyOf(const SituationLine& s)
{
    WhyView why;
    why.glyph = s.glyph;
    why.badge = s.wait;
    why.sentence = u"%1 runs wait for the same reason. %2."_s.arg(s.count).arg(s.what);
    why.strong = {s.what};
    if (s.count > 1) {
        VerbLine pause{
            Verb::Pause, u"H"_s, u"Pause %1 runs"_s.arg(s.count), u"By a plan, at a pace."_s, true, {}, {}};
        pause.situation = s.key;
        why.verbs.push_back(pause);
        why.next = {{3, 0, 7}, kDemoNow, 60'000};
    }
    return now(std::move(why));
}

QFuture<Reply<RunDetail>> DemoSource::run(const RunId& run)
{
    ++runReads;
    if (!hold)
        return now(detailNow(run));
    m_held.push_back({std::make_shared<QPromise<Reply<RunDetail>>>(), run});
    m_held.back().promise->start();
    return m_held.back().promise->future();
}

void DemoSource::closeAll()
{
    factGate.close();
    overviewGate.close();
    listGate.close();
    changeGate.close();
    whys.close();
}

void DemoSource::openAll()
{
    factGate.open();
    overviewGate.open();
    listGate.open();
    changeGate.open();
    whys.open();
}

void DemoSource::failAll(const Failure& failure)
{
    factGate.fails = overviewGate.fails = listGate.fails = changeGate.fails = whys.fails = failure;
}

void DemoSource::release()
{
    hold = false;
    for (const Held& held : m_held) {
        held.promise->addResult(Reply<RunDetail>{detailNow(held.run), {}});
        held.promise->finish();
    }
    m_held.clear();
}

QFuture<Reply<RunId>> DemoSource::find(const QString& text)
{
    return text == u"nothing"_s ? failure<RunId>(u"There is no run \"nothing\"."_s) : now(demoRun(1));
}

QFuture<Reply<std::vector<HistoryLine>>> DemoSource::history(const RunId&, quint64 from, int limit)
{
    std::vector<HistoryLine> lines;
    for (quint64 v = from; v <= detail.version && lines.size() < static_cast<std::size_t>(limit); ++v) {
        const bool person = v % 12 == 0;
        lines.push_back({v, kDemoNow - static_cast<qint64>(100'000 * (62 - v)),
            person ? u"Kim Larsen"_s : u"engine w-04"_s, person ? u"Skip"_s : u"Complete"_s,
            u"search-suppliers[%1] complete"_s.arg(v),
            person ? u"Supplier portal closed for maintenance"_s : QString(), person, u"c81f07"_s});
        lines.back().matters = person;
        if (!taint.isEmpty())
            lines.back().actor = lines.back().text = lines.back().reason = taint;
    }
    return now(std::move(lines));
}

QFuture<Reply<std::vector<PayloadText>>> DemoSource::previews(
    const RunId& run, const std::vector<PayloadLine>& lines)
{
    std::vector<PayloadText> texts;
    for (const PayloadLine& line : lines)
        if (line.size <= kPreviewMost)
            texts.push_back(*payload(run, line).result().value);
    return now(std::move(texts));
}

QFuture<Reply<quint64>> DemoSource::savePayload(const RunId&, const PayloadLine& line, const QString&)
{
    return now(line.size);
}
QFuture<Reply<QString>> DemoSource::dot(const RunId&) { return now(u"digraph {}"_s); }

QFuture<Reply<ActPreview>> DemoSource::preview(const ActRequest& request)
{
    previewed.push_back(request);
    ActPreview p;
    p.request = request;
    p.request.binding.bytes[0] = 1;
    p.possible = std::find(refuse.begin(), refuse.end(), request.run) == refuse.end();
    if (!p.possible)
        p.refusal = u"it is paused already"_s;
    p.sentence = request.verb == Verb::Settle
        ? u"We do not know whether this payment happened. charge-card sent its request, then its worker went "
          u"silent. "
          "Nothing is retried meanwhile."_s
        : u"Audit asks you to allow one purchase: 24 chairs for 4 860.00 EUR from Northfield Seating."_s;
    p.strong = {u"Audit"_s, u"4 860.00 EUR"_s, u"charge-card"_s};
    p.facts = {{u"Asked"_s, u"07:36:11Z, 3 h 20 m ago, for Léa Martin, site Lyon"_s},
        {u"Needs"_s, u"1 of finance-lead; you hold it and did not ask"_s},
        {u"Expires"_s, u"11:36:11Z, in 39 m 51 s; then it is rejected"_s},
        {u"Bound to"_s, u"place-order @3, sha256 51be07…c3d8"_s, true}};
    p.sentTitle = u"What would be sent"_s;
    p.sent.line.id.bytes[0] = 9;
    p.sent.line.media = u"application/json"_s;
    p.sent.line.size = 214;
    p.sent.fields = {{u"payee"_s, u"Northfield Seating"_s}, {u"account"_s, u"ES91 •••• •••• 7730"_s},
        {u"amount"_s, u"4860.00"_s}, {u"currency"_s, u"EUR"_s}, {u"deliver_by"_s, u"2026-12-13"_s}};
    p.willHappen = {
        u"place-order sends this, once"_s, u"pay-deposit, book-delivery and notify-requester follow"_s};
    p.willNotRepeat = {u"reserve-budget"_s, u"21 steps with results"_s};
    p.reversible = u"Cannot be undone; pay-deposit would have to be refunded"_s;
    p.outcomes = {{Outcome::Happened, true, {}}, {Outcome::NotHappened, true, {}},
        {Outcome::RepeatSameKey, false, u"cards.acme.test does not declare that it de-duplicates"_s},
        {Outcome::Compensate, false, u"tool \"charge\" names nothing that undoes it"_s},
        {Outcome::Park, true, {}}};
    p.version = 61;
    p.at = kDemoNow;
    if (!taint.isEmpty()) {
        p.sentence = taint;
        p.facts = {{taint, taint}, {taint, taint, true}};
        p.sent.fields.clear();
        p.sent.head = taint.toUtf8();
        p.willHappen = p.willNotRepeat = p.mayRepeat = p.alsoChanges = {taint};
        p.refusal = p.possible ? QString() : taint;
        p.sentTitle = taint;
        p.strong = {taint};
        p.reversible = p.sent.line.media = taint;
        for (OutcomeOffer& offer : p.outcomes)
            offer.why = taint;
    }
    p.reasonRequired = store.guarded;
    p.reasonMinimum = store.guarded ? 10 : 0;
    if (adjust)
        adjust(p);
    return sheets.pass(std::move(p));
}

QFuture<Reply<ActResult>> DemoSource::execute(const ActRequest& request)
{
    executed.push_back(request);
    return actGate.pass(ActResult(answer));
}

}  // namespace cairn::ui::test
