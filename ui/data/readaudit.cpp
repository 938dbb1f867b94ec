// The audit as a list, newest first: entries are numbered without a gap, so a page is asked for by number.
// Filters are asked entry by entry: no store has an index for them.
#include "core/audit/known_heads.h"
#include "core/audit/second_person.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/query/query.h"
#include "core/query/tell.h"
#include "core/store/hooked_store.h"
#include "ui/data/auditcheck.h"
#include "ui/data/auditfilter.h"
#include "ui/data/format.h"
#include "ui/data/plantargets.h"
#include "ui/data/qtconvert.h"
#include "ui/data/readworld.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(readaudit)
};

constexpr std::uint64_t kPart = 500;
constexpr std::uint64_t kMostLookedAt = 20'000;  // entries of one question; the answer says where it stopped

Glyph outcomeGlyph(const std::string& kind)
{
    if (kind == "refused")
        return Glyph::Skipped;
    return kind == "proposed" || kind == "staged" ? Glyph::Approval
                                                  : Glyph::Done;  // those two wait for people
}

QString sliceText(std::string_view slice)
{
    return QString::fromUtf8(slice.data(), static_cast<qsizetype>(slice.size()));
}

// What differs between two flat records, by their members; empty where they are none.
std::vector<Fact> changesOf(const std::string& before, const std::string& after)
{
    std::vector<Fact> facts;
    if (findJsonFault(before) || findJsonFault(after))
        return facts;
    const auto was = jsonObjectMembers(before);
    const auto is = jsonObjectMembers(after);
    if (!was || !is)
        return facts;
    const auto find = [](const std::vector<JsonMember>& members, const std::string& name) {
        return std::find_if(
            members.begin(), members.end(), [&name](const JsonMember& one) { return one.name == name; });
    };
    QStringList same;
    for (const JsonMember& one : *is) {
        const auto old = find(*was, one.name);
        const bool there = old != was->end();
        if (there && old->value == one.value)
            same << qt(one.name);
        else
            facts.push_back({qt(one.name),
                (there ? sliceText(old->value) : Words::tr("nothing")) + u" → "_s + sliceText(one.value),
                true});
    }
    for (const JsonMember& one : *was)
        if (find(*is, one.name) == is->end())
            facts.push_back({qt(one.name), sliceText(one.value) + u" → "_s + Words::tr("nothing"), true});
    if (!same.isEmpty())
        facts.push_back({Words::tr("Unchanged"), same.join(u", "_s), false});
    return facts;
}

// The sentence in what a refusal left; all of it where there is none.
QString whyRefused(const std::string& after)
{
    if (!findJsonFault(after))
        if (const auto why = jsonAt(after, "/why"))
            if (const auto text = jsonString(*why))
                return qt(*text);
    return qt(after);
}

AuditLine lineOf(const AuditRow& row, const audit::SecondPerson& second)
{
    AuditLine line;
    line.seq = row.seq;
    line.time = row.time;
    line.person = personOf(row);
    line.verb = qt(label(row.verb));
    line.verbKey = qt(key(row.verb));
    line.target = qt(row.target);
    line.run = row.run;
    line.reason = qt(row.reason);
    line.outcome = qt(row.kind);
    line.glyph = outcomeGlyph(row.kind);
    if (row.kind == "refused")
        line.why = whyRefused(row.after);
    line.second = qt(label(second));
    line.secondKey = second.kind == audit::Second::None ? nobodyElse()
        : second.login.empty()                          ? qt(key(second.kind))
                                                        : qt(second.login);
    line.unseen = isLoud(second.kind);
    const auto add = [](std::vector<Fact>& facts, const QString& name, const QString& value, bool mono) {
        facts.push_back({name, value.isEmpty() ? u"–"_s : value, mono});
    };
    add(line.act, Words::tr("Claimed name"), qt(row.actor), false);
    add(line.act, Words::tr("Vouched for"), qt(row.login), false);
    add(line.act, Words::tr("Host, user id"), qt(row.host) + u", "_s + QString::number(row.uid), false);
    add(line.act, Words::tr("Command"), row.command.isNull() ? QString() : idText(row.command), true);
    add(line.act, Words::tr("Run"), row.run.isNull() ? QString() : idText(row.run), true);
    add(line.act, Words::tr("On"), line.target, true);
    add(line.act, Words::tr("Reason"), line.reason, false);
    add(line.act, Words::tr("Second person"), line.second, false);
    if (row.kind != "refused")
        line.change = changesOf(row.before, row.after);
    add(line.change, Words::tr("Before"), qt(row.before), true);
    add(line.change, row.kind == "refused" ? Words::tr("Why refused") : Words::tr("After"), qt(row.after),
        true);
    const bool same = auditHash(row) == row.hash;
    add(line.chain, Words::tr("Previous"), hexText(row.previous), true);
    add(line.chain, Words::tr("This entry"), hexText(row.hash), true);
    add(line.chain, Words::tr("Recomputed"),
        same ? Words::tr("the same") : Words::tr("NOT THE SAME: ") + hexText(auditHash(row)), !same);
    return line;
}

// Counts what is read, and stops where it is asked to.
class CountedStore final : public HookedStore {
public:
    CountedStore(std::unique_ptr<StoreWriter> store, std::shared_ptr<CheckProgress> progress)
        : HookedStore(std::move(store),
            {[](const char*, Access) { return std::optional<Error>(); },
                [](const char*, Access) { return std::optional<Error>(); }})
        , m_progress(std::move(progress))
    {
    }
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override
    {
        if (m_progress->stop)
            return stopped();
        auto rows = HookedStore::audit(after, limit);
        if (rows && !rows->empty())
            m_progress->acts = rows->back().seq;
        return rows;
    }
    Result<std::size_t> scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see) override
    {
        if (m_progress->stop)
            return stopped();
        auto count = HookedStore::scanEntries(place, limit, see);
        if (count)
            m_progress->entries += *count;
        return count;
    }

private:
    static Error stopped() { return makeError(ErrorKind::Cancelled, "stopped: nothing was found so far"); }

    std::shared_ptr<CheckProgress> m_progress;
};

QString wholeDetail(const audit::Report& report)
{
    QStringList parts;
    if (report.entries > 0)
        parts << Words::tr("entry 1 to %1").arg(countText(report.entries));
    parts << QStringList{plural(report.histories.entries, "entry", "entries") + Words::tr(" of ")
            + plural(report.histories.runs, "run", "runs") + Words::tr(" unbroken"),
        Words::tr("head ") + hexText(report.head).left(6) + u'…' + hexText(report.head).right(4)};
    parts << (report.checkpoints == 0 ? Words::tr("no checkpoint")
                                      : plural(report.checkpoints, "checkpoint", "checkpoints")
                + Words::tr(", the newest of ") + instantText(report.newest.time) + u"; "_s
                + plural(report.histories.uncovered, "run", "runs") + Words::tr(" went on since"));
    return parts.join(u" · "_s);
}

}  // namespace

Result<AuditSlice> ReadWorld::audit(const AuditRequest& request)
{
    AuditSlice slice;
    CAIRN_TRY_ASSIGN(slice.at, m_store->now());
    const AuditFilter filter(core(request.filter), slice.at);
    CAIRN_TRY_ASSIGN(const AuditEnd end, m_store->auditEnd());
    slice.total = end.seq;
    slice.filter = filter.state();
    if (!slice.filter.valid)
        return slice;
    std::uint64_t before =
        request.before == 0 ? end.seq + 1 : std::min<std::uint64_t>(request.before, end.seq + 1);
    const std::uint64_t least = std::max<std::uint64_t>(1, request.downTo);
    const std::uint64_t stop = std::max(least, before > kMostLookedAt ? before - kMostLookedAt : 1);
    slice.lookedFrom = before;
    const auto limit = static_cast<std::size_t>(std::max(1, request.limit));
    audit::SecondPeople seconds(*m_store);
    bool past = false;
    PlanTargets targets(*m_store);
    while (before > stop && slice.lines.size() < limit && !past) {
        const std::uint64_t from = before > kPart + 1 ? before - kPart : 1;
        CAIRN_TRY_ASSIGN(const auto rows, m_store->audit(from - 1, before - from));
        for (auto row = rows.rbegin(); row != rows.rend() && slice.lines.size() < limit && !past; ++row) {
            slice.lookedFrom = row->seq;
            past = filter.isPast(*row);
            if (past)
                break;
            CAIRN_TRY_ASSIGN(const audit::SecondPerson second, seconds.of(*row));
            if (!filter.takes(*row, second))
                continue;
            slice.lines.push_back(lineOf(*row, second));
            if (row->verb == Verb::Plan)
                CAIRN_TRY(targets.fill(*row, slice.lines.back()));
        }
        if (rows.empty())
            break;
        before = slice.lookedFrom;
    }
    slice.more = !past && slice.lookedFrom > least;
    return slice;
}

Result<AuditDays> ReadWorld::auditDays(quint64 after)
{
    AuditDays answer;
    CAIRN_TRY_ASSIGN(const AuditEnd end, m_store->auditEnd());
    answer.total = end.seq;
    answer.counted = std::min<quint64>(end.seq, after + kAuditDaysPart);
    if (answer.counted <= after)
        return answer;
    CAIRN_TRY_ASSIGN(const auto days, m_store->auditDays(after, answer.counted));
    for (const AuditDay& day : days)
        answer.days.push_back({day.day, day.entries, day.refused, day.first, day.last});
    return answer;
}

Result<AuditVerdict> checkAudit(const StoreOpening& opening, const std::shared_ptr<CheckProgress>& progress)
{
    CAIRN_TRY_ASSIGN(auto opened, opening.open(true));
    CountedStore store(std::move(opened), progress);
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const AuditEnd end, store.auditEnd());
    progress->actsInAll = end.seq;
    audit::Questions questions;
    audit::Evidence evidence;
    audit::KnownHeads heads(audit::KnownHeads::usualPath());
    // A store that was moved goes on elsewhere under the same id: nothing of it is remembered.
    const bool remembers = !heads.path().empty() && !fenceOf(info.minWriter);
    if (remembers) {
        CAIRN_TRY_ASSIGN(const auto seen, heads.find(info.id));
        if (seen)
            audit::askRemembered(*seen, questions);
        evidence.remembered = seen.has_value();
    }
    const auto began = std::chrono::steady_clock::now();
    CAIRN_TRY_ASSIGN(const audit::Report report, audit::verifyAudit(store, questions));
    AuditVerdict verdict;
    verdict.tookMs =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began)
            .count();
    CAIRN_TRY_ASSIGN(verdict.at, store.now());
    verdict.entries = report.entries;
    verdict.head = hexText(report.head);
    evidence.checkpoints = report.checkpoints;
    for (const std::string& line : audit::detects(evidence))
        verdict.detects << qt(line);
    for (const audit::Found& found : report.found)
        verdict.damage << qt(word(found.kind)) + u": "_s + qt(found.text);
    verdict.whole = report.found.empty();
    verdict.detail = wholeDetail(report);
    verdict.sentence = verdict.whole ? Words::tr("The audit log is whole: %1, none missing, none changed.")
                                           .arg(plural(report.entries, "entry", "entries"))
                                     : Words::tr("History is damaged: %1").arg(qt(report.found.front().text));
    if (verdict.whole && remembers) {
        const audit::Remembered now{
            report.entries, report.head, report.checkpoints, report.newestHash, verdict.at};
        if (const Status kept = heads.remember(info.id, now); !kept)
            verdict.detail += Words::tr(" · what was verified is not remembered: ") + qt(kept.error().text);
    }
    return verdict;
}

}  // namespace cairn::ui
