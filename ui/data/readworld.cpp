#include "ui/data/readworld.h"

#include "core/audit/known_heads.h"
#include "core/service/redaction.h"
#include "core/service/staged.h"
#include "ui/data/convert.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>
#include <QSaveFile>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(readworld)
};

constexpr std::size_t kMostSituations = 500;
constexpr std::uint64_t kSavePart = 4ULL * 1024 * 1024;

ListFilter unfinished()
{
    ListTerm term;
    term.unfinishedOnly = true;
    return {term};
}

quint64 sumOf(const std::vector<CountRow>& rows)
{
    quint64 sum = 0;
    for (const CountRow& row : rows)
        sum += row.count;
    return sum;
}

TimeMs dayBegin(TimeMs now) { return now - now % 86'400'000; }

Standing standingOf(const Replica& replica) { return {qt(replicaText(replica)), replica.late()}; }

// Looked at with the facts, when a store is opened and when it answers again. What cannot be looked at (no
// right to the audit, a file that is not understood) is told by the check of the audit.
QString rewrittenIn(StoreReader& store, const StoreInfo& info, const Replica& replica)
{
    const audit::KnownHeads heads(audit::KnownHeads::usualPath());
    if (heads.path().empty() || replica.standby || fenceOf(info.minWriter))
        return {};
    const auto found = audit::rewrittenSince(store, heads);
    return found && *found ? qt((*found)->text) : QString();
}

// Where nobody has to do anything: says so, and what the longest wait is.
constexpr SpanMs kNextSlot = 1000;  // slotsOf() makes longer ones of these

void tellAllClear(const std::vector<CountRow>& open, TimeMs now, Overview& overview)
{
    const CountRow* oldest = nullptr;
    for (const CountRow& row : open) {
        if (row.attention != Attention::Machine && row.attention != Attention::None)
            return;
        if (row.reason != Reason::None && (oldest == nullptr || row.oldest < oldest->oldest))
            oldest = &row;
    }
    overview.allClear = Words::tr("No run needs a person. Last checked %1.").arg(instantText(now));
    if (oldest == nullptr || oldest->oldest == kNoTime)
        return;
    overview.oldestWait = oldest->oldest;
    overview.allClear += Words::tr(" Oldest wait: %1, since %2.")
                             .arg(qt(label(oldest->reason)).toLower(), instantText(oldest->oldest));
}

}  // namespace

QString whyNoActs(
    const StoreOpening& opening, const StoreInfo& info, const StoreRights& rights, const Replica& replica)
{
    if (replica.standby)
        return Words::tr("this is a standby, which takes no writes: open the primary to act");
    if (const auto fence = fenceOf(info.minWriter))
        return qt(fenceError(*fence).text);
    if (!opening.mayAct)
        return opening.whyNot.isEmpty() ? Words::tr("opened for looking only") : opening.whyNot;
    if (const Status may = checkMayAct(rights); !may)
        return qt(may.error().text);
    return {};
}

Status ReadWorld::open()
{
    auto opened = m_opening->open(true);
    if (!opened)
        return std::move(opened).error();
    m_store = std::make_unique<HidingStore>(std::move(*opened));
    m_query = std::make_unique<Query>(*m_store, m_clock);
    m_query->compareBy(m_store->stored());
    if (m_hook)
        m_hook(*m_store);
    return {};
}

// Of a store that was no standby when its facts were read nothing is asked: this is called with each poll.
Result<Replica> ReadWorld::replica() { return m_standby ? m_store->replica() : Result<Replica>(Replica{}); }

Result<StoreFacts> ReadWorld::facts()
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, m_store->info());
    CAIRN_TRY_ASSIGN(const TimeMs now, m_store->now());
    CAIRN_TRY_ASSIGN(const StoreRights rights, m_store->rights());
    CAIRN_TRY_ASSIGN(const Replica replica, m_store->replica());
    CAIRN_TRY_ASSIGN(const Changes changes, m_store->changesSince(0, 1));
    m_standby = replica.standby;
    StoreFacts facts;
    facts.name = m_opening->name;
    facts.url = m_opening->url;
    facts.environment = qt(info.environment);
    facts.person = m_opening->person;
    facts.identity = m_opening->identity;
    facts.sqliteVersion = m_opening->sqliteVersion;
    facts.guarded = info.safety == Safety::Guarded;
    facts.testClock = info.testClock;
    if (!rights.login.empty()) {  // the database vouches for it; the name on this host is only claimed
        facts.person = qt(rights.login);
        facts.identity = Words::tr("login of the database, %1 on this host").arg(m_opening->person);
    }
    facts.standing = standingOf(replica);
    facts.whyNot = whyNoActs(*m_opening, info, rights, replica);
    facts.mayAct = facts.whyNot.isEmpty();
    facts.closed = fenceOf(info.minWriter).has_value();
    facts.rewritten = rewrittenIn(*m_store, info, replica);
    facts.schema = info.schema;
    facts.now = now;
    facts.cursor = changes.cursor;
    return facts;
}

Result<ListFilter> ReadWorld::filterOf(const QString& text, TimeMs now) const
{
    // Without a filter: what is not finished; the list says so. With one: exactly what it says, nothing
    // hidden.
    if (text.isEmpty())
        return unfinished();
    ParsedFilter parsed = parseFilter(core(text), now);
    if (parsed.error)
        return makeError(ErrorKind::InvalidInput, parsed.error->text);
    return std::move(parsed.filter);
}

Status ReadWorld::readSituations(const QString& filter, const ListFilter& terms, Overview& overview)
{
    // In the order of the list of runs, so that what a limit cuts off is what can wait longest.
    CAIRN_TRY_ASSIGN(const SituationList list, m_query->situations(terms, kMostSituations));
    std::vector<std::string> keys;
    for (const SituationRow& row : list.rows) {
        overview.situations.push_back(situationOf(row, overview.at));
        keys.push_back(row.situation);
    }
    const TimeMs from = trendBegin(overview.at);
    CAIRN_TRY_ASSIGN(const auto starts, m_query->situationStarts(terms, keys, from, kTrendSlot));
    tellTrend(overview.situations, starts, from);
    overview.cutSituations = list.total - list.rows.size();
    if (filter.isEmpty())
        return {};
    CAIRN_TRY_ASSIGN(const SituationList every, m_query->situations(unfinished(), 1));
    overview.hiddenSituations = every.total > list.total ? every.total - list.total : 0;
    return {};
}

// Acts and plans that wait for a second person, where there are any: nothing of them is a run's own state.
Status ReadWorld::addSecond(Overview& overview)
{
    std::vector<PlanRow> rows;
    const auto all = planEntries(false, rows);
    if (!all && all.error().kind == ErrorKind::NoRight)
        return {};  // who may not see them is asked for nothing
    if (!all)
        return all.error();
    const auto waiting = std::count_if(
        all->entries.begin(), all->entries.end(), [](const PlanEntry& entry) { return entry.waits; });
    if (waiting > 0)
        overview.attention.push_back({kSecondPerson, Glyph::Approval, Words::tr("A second person must"),
            static_cast<quint64>(waiting), {}, true});
    return {};
}

Result<Overview> ReadWorld::overview(const QString& filter)
{
    Overview overview;
    CAIRN_TRY_ASSIGN(overview.at, m_store->now());
    CAIRN_TRY_ASSIGN(const auto open, m_query->counts(unfinished()));
    ListTerm ended;
    ended.activity = {Activity::Completed, Activity::Failed, Activity::Cancelled, Activity::Compensated};
    ended.sinceAfter = dayBegin(overview.at);
    CAIRN_TRY_ASSIGN(const auto finished, m_store->counts({ended}));
    overview.attention = attentionOf(open, finished);
    CAIRN_TRY(addSecond(overview));
    overview.finishedToday = finishedText(finished);
    tellAllClear(open, overview.at, overview);
    overview.all = sumOf(open);
    overview.matching = overview.all;
    ListFilter terms = unfinished();
    if (!filter.isEmpty()) {
        ParsedFilter parsed = parseFilter(core(filter), overview.at);
        if (parsed.error) {
            overview.filter = {false, static_cast<int>(parsed.error->offset),
                static_cast<int>(parsed.error->length), qt(parsed.error->text)};
            return overview;
        }
        terms = std::move(parsed.filter);
        CAIRN_TRY_ASSIGN(overview.matching, m_query->count(terms));
        CAIRN_TRY_ASSIGN(overview.all, m_store->count({}));
    }
    if (const Status read = readSituations(filter, terms, overview); !read)
        return read.error();
    return overview;
}

Result<RunSlice> ReadWorld::runs(const SliceRequest& request)
{
    RunSlice slice;
    CAIRN_TRY_ASSIGN(slice.at, m_store->now());
    CAIRN_TRY_ASSIGN(ListFilter filter, filterOf(request.filter, slice.at));
    if (!request.situation.isEmpty()) {
        if (filter.empty())
            filter.emplace_back();
        for (ListTerm& term : filter)
            term.situation = {core(request.situation)};
    }
    std::optional<PageKey> after;
    if (request.after)
        after = PageKey{request.after->a, request.after->b, request.after->run};
    const ListOrder order = request.newest ? ListOrder::NewestFirst : ListOrder::AttentionThenOldest;
    CAIRN_TRY_ASSIGN(const RunPage page,
        m_query->list(filter, order, after, static_cast<std::size_t>(std::max(1, request.limit))));
    for (const ListRow& row : page.rows)
        slice.lines.push_back(lineOf(row, order));
    slice.more = page.next.has_value();
    if (page.next)
        slice.mark = {page.next->a, page.next->b, page.next->run};
    return slice;
}

Result<std::vector<RunLine>> ReadWorld::lines(const std::vector<RunId>& runs)
{
    CAIRN_TRY_ASSIGN(const auto rows, m_query->rows(runs));
    std::vector<RunLine> lines;
    for (const ListRow& row : rows)
        lines.push_back(lineOf(row));
    return lines;
}

Result<ChangeSet> ReadWorld::changes(quint64 cursor)
{
    ChangeSet set;
    CAIRN_TRY_ASSIGN(set.at, m_store->now());
    CAIRN_TRY_ASSIGN(const Changes changes, m_query->changesSince(cursor, 500));
    for (const ListRow& row : changes.rows)
        set.lines.push_back(lineOf(row));
    for (const GoneRun& gone : changes.removed)
        set.removed.push_back(gone.run);
    set.cursor = changes.cursor;
    set.more = changes.more;
    CAIRN_TRY_ASSIGN(const Replica seen, replica());
    set.standing = standingOf(seen);
    return set;
}

// What nobody may do here is named with the reason, not offered. Asked each time: a store may be moved, and a
// right taken away, while it is open.
Status ReadWorld::closeVerbs(WhyView& why)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, m_store->info());
    CAIRN_TRY_ASSIGN(const StoreRights rights, m_store->rights());
    CAIRN_TRY_ASSIGN(const Replica seen, replica());
    const QString off = whyNoActs(*m_opening, info, rights, seen);
    if (off.isEmpty())
        return {};
    for (std::vector<VerbLine>* lines : {&why.verbs, &why.more})
        for (VerbLine& verb : *lines)
            if (std::exchange(verb.on, false) || why.run.isNull())
                verb.text = off;
    return {};
}

Result<WhyView> ReadWorld::why(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const RunView view, m_query->run(run));
    WhyView why = cairn::ui::whyOf(view);
    CAIRN_TRY(addProposed(run, why));
    CAIRN_TRY(closeVerbs(why));
    return why;
}

// What somebody has proposed to do to the run, and who is waited for.
Status ReadWorld::addProposed(const RunId& run, WhyView& why)
{
    const auto all = plans(false);
    if (!all && all.error().kind == ErrorKind::NoRight)
        return {};
    if (!all)
        return all.error();
    for (const PlanEntry& entry : all->entries)
        if (entry.proposal && entry.run == run)
            why.evidence.push_back({Words::tr("Proposed"),
                Words::tr("%1 by %2: %3").arg(entry.what, entry.person, entry.standing), false});
    return {};
}

Result<WhyView> ReadWorld::whyOf(const SituationLine& situation)
{
    CAIRN_TRY_ASSIGN(const RunView view, m_query->run(situation.example));
    WhyView why = cairn::ui::whyOf(view);
    if (situation.count == 1) {
        CAIRN_TRY(closeVerbs(why));
        return why;
    }
    // Told by its oldest member; what may be done is asked of the runs that one marks.
    why.run = {};
    why.sentence =
        Words::tr("%1 wait for the same reason, the oldest since %2: %3")
            .arg(plural(situation.count, "run", "runs"), instantText(situation.oldest), why.sentence);
    why.evidence.insert(why.evidence.begin(), {Words::tr("Oldest run"), idText(situation.example), true});
    ListTerm members;
    members.situation = {core(situation.key)};
    CAIRN_TRY_ASSIGN(const SituationList told, m_query->situations({members}, 1));
    if (!told.rows.empty() && told.rows.front().workflow.empty() && !told.rows.front().parts.empty())
        why.evidence.push_back({Words::tr("Shared by"), sharedBy(told.rows.front().parts), false});
    if (situation.next != 0) {
        CAIRN_TRY_ASSIGN(const auto next,
            m_query->situationNext({members}, core(situation.key), situation.next, kNextSlot));
        why.next = slotsOf(next, situation.next);
    }
    for (VerbLine& verb : why.more) {
        if (verb.verb == Verb::Slow)
            continue;  // about what all of them call
        verb.on = false;
        verb.text = Words::tr("select one run below: each has to be read by itself");
    }
    for (VerbLine& verb : why.verbs) {
        if (verb.verb == Verb::Slow)
            continue;
        const bool several = verb.verb == Verb::Pause || verb.verb == Verb::Resume
            || verb.verb == Verb::Cancel || verb.verb == Verb::Retry;
        // A plan asks the store's lists, which do not know whose worker is lost.
        if (several && verb.on && !verb.abandon && why.reason != Reason::Lease) {
            // What one of them allows; a plan asks each, and leaves out those that do not.
            verb.situation = situation.key;
            verb.step.clear();
            verb.name = Words::tr("%1 %2").arg(verb.name, plural(situation.count, "run", "runs"));
            verb.text = Words::tr("By a plan, at a pace, after a preview. ") + verb.text;
            continue;
        }
        if (!several || verb.abandon || verb.on)
            verb.text = Words::tr("select one run below: each has to be read by itself");
        verb.on = false;
    }
    CAIRN_TRY(closeVerbs(why));
    return why;
}

Result<RunDetail> ReadWorld::run(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const RunView view, m_query->run(run));
    CAIRN_TRY_ASSIGN(const auto attempts, m_store->attempts(run, kNoStep));
    CAIRN_TRY_ASSIGN(const auto effects, m_store->effectsOfRun(run));
    RunDetail detail = detailOf(view, attempts, effects);
    CAIRN_TRY(closeVerbs(detail.why));
    return detail;
}

Result<RunId> ReadWorld::find(const QString& text) { return m_query->resolve(core(text)); }

Result<std::vector<HistoryLine>> ReadWorld::history(const RunId& run, quint64 from, int limit)
{
    CAIRN_TRY_ASSIGN(const auto items, m_query->history(run, from, static_cast<std::size_t>(limit)));
    std::vector<HistoryLine> lines;
    for (const HistoryItem& item : items)
        lines.push_back(historyOf(item));
    return lines;
}

Result<PayloadText> ReadWorld::payload(const RunId& run, const PayloadLine& line)
{
    PayloadText text;
    text.line = line;
    const auto found = m_store->payloadInfo(run, line.id);
    if (!found && found.error().kind == ErrorKind::Refused) {
        text.redacted = true;
        text.redaction = qt(redactedText(*m_store, run, line.id));
        return text;
    }
    CAIRN_TRY(found);
    const PayloadInfo& info = *found;
    text.line.media = qt(info.ref.media);
    text.line.size = info.ref.size;
    text.hash = hexText(info.ref.hash);
    text.salt =
        QByteArray(reinterpret_cast<const char*>(info.salt.data()), static_cast<qsizetype>(info.salt.size()));
    CAIRN_TRY_ASSIGN(StoreReader* const from, readerOf(run, line));
    CAIRN_TRY_ASSIGN(const ShownPayload shown, m_store->shown(run, line.id));
    text.hidden = shown.hidden;
    if (shown.hidden > 0)
        if (const auto may = revealing(shown.role); !may)
            text.revealOff = qt(may.error().text);
    text.shown = line.plain ? info.ref.size : shown.size;
    CAIRN_TRY_ASSIGN(const std::string head, from->payload(run, line.id, 0, kPayloadShown));
    text.head = QByteArray(head.data(), static_cast<qsizetype>(head.size()));
    if (text.shown == head.size())
        text.fields = flatFields(head);
    return text;
}

Result<std::vector<PayloadText>> ReadWorld::previews(const RunId& run, const std::vector<PayloadLine>& lines)
{
    std::vector<PayloadText> texts;
    for (const PayloadLine& line : lines) {
        if (line.size > kPreviewMost)
            continue;
        CAIRN_TRY_ASSIGN(PayloadText text, payload(run, line));
        text.line = line;
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<quint64> ReadWorld::save(const RunId& run, const PayloadLine& line, const QString& path)
{
    CAIRN_TRY_ASSIGN(const quint64 size, sizeOf(run, line));
    CAIRN_TRY_ASSIGN(StoreReader* const from, readerOf(run, line));
    QSaveFile file(path);
    const auto refused = [&file] {
        return makeError(ErrorKind::Io, "The file could not be written: " + file.errorString().toStdString());
    };
    if (!file.open(QIODevice::WriteOnly))
        return refused();
    for (std::uint64_t at = 0; at < size;) {
        CAIRN_TRY_ASSIGN(const std::string part, from->payload(run, line.id, at, kSavePart));
        if (part.empty())
            return makeError(ErrorKind::Corrupt, "The payload is shorter than its recorded size");
        if (file.write(part.data(), static_cast<qint64>(part.size())) < 0)
            return refused();
        at += part.size();
    }
    return file.commit() ? Result<quint64>(size) : Result<quint64>(refused());
}

Result<QString> ReadWorld::dot(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const std::string text, m_query->dot(run));
    return qt(text);
}

}  // namespace cairn::ui
