#include "ui/data/merge.h"

#include "core/store/lists.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// Rows of several lists, as nextOf() gives them out: the command line merges with it too. `taken` tells how
// many of each; `open` which of them go on after their last row.
template<typename Line> std::vector<Line> woven(const std::vector<const std::vector<Line>*>& lists,
    std::size_t limit, std::vector<std::size_t>& taken, const std::vector<bool>& open = {},
    ListOrder order = ListOrder::AttentionThenOldest)
{
    taken.assign(lists.size(), 0);
    std::vector<std::optional<PageKey>> heads(lists.size());
    const auto look = [&](std::size_t i) {
        heads[i].reset();
        if (lists[i] != nullptr && taken[i] < lists[i]->size()) {
            const PageMark& place = (*lists[i])[taken[i]].place;
            heads[i] = PageKey{place.a, place.b, place.run};
        }
    };
    for (std::size_t i = 0; i < lists.size(); ++i)
        look(i);
    std::vector<Line> lines;
    while (lines.size() < limit) {
        const auto next = nextOf(heads, order);
        if (!next)
            break;
        lines.push_back((*lists[*next])[taken[*next]++]);
        look(*next);
        // What follows in that list is not known: other lists' rows may come after it.
        if (!heads[*next] && *next < open.size() && open[*next])
            break;
    }
    return lines;
}

using Lines = std::vector<AttentionLine>;

// The lines of one group, the head with its sum first, then as one store has them: the most runs first.
Lines groupOf(const QString& group, const std::vector<const Overview*>& all)
{
    Lines lines;
    for (const Overview* one : all)
        for (const AttentionLine& line : one->attention) {
            if (line.group != group)
                continue;
            const auto same = std::find_if(lines.begin(), lines.end(),
                [&line](const AttentionLine& l) { return l.head == line.head && l.word == line.word; });
            if (same == lines.end())
                lines.push_back(line);
            else
                same->count += line.count;
        }
    std::stable_sort(lines.begin(), lines.end(), [](const AttentionLine& a, const AttentionLine& b) {
        return a.head != b.head ? a.head : !a.head && a.count > b.count;
    });
    return lines;
}

Lines attentionOfAll(const std::vector<const Overview*>& all)
{
    QStringList groups;
    for (const Overview* one : all)
        for (const AttentionLine& line : one->attention)
            if (!groups.contains(line.group))
                groups << line.group;
    Lines lines;
    for (const QString& group : groups) {
        const Lines of = groupOf(group, all);
        lines.insert(lines.end(), of.begin(), of.end());
    }
    return lines;
}

// All are clear only where every store says so.
void tellAllClear(const std::vector<const Overview*>& all, Overview& sum)
{
    const Overview* oldest = nullptr;
    for (const Overview* one : all) {
        if (one->allClear.isEmpty())
            return;
        if (oldest == nullptr || oldest->oldestWait == 0
            || (one->oldestWait != 0 && one->oldestWait < oldest->oldestWait))
            oldest = one;
    }
    if (oldest == nullptr)
        return;
    sum.allClear = oldest->allClear;
    sum.oldestWait = oldest->oldestWait;
}

}  // namespace

Overview merged(const std::vector<Gather<Overview>::Part>& parts)
{
    Overview sum;
    std::vector<const Overview*> all;
    std::vector<std::vector<SituationLine>> stamped(parts.size());
    std::vector<const std::vector<SituationLine>*> lists;
    std::size_t total = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].share.share != Share::Whole)
            sum.shares.push_back(parts[i].share);
        const Overview* one = parts[i].value;
        if (one == nullptr)
            continue;
        all.push_back(one);
        stamped[i] = one->situations;
        for (SituationLine& line : stamped[i])
            line.store = parts[i].share.store;
        lists.push_back(&stamped[i]);
        total += one->situations.size() + one->cutSituations;
        sum.hiddenSituations += one->hiddenSituations;
        sum.matching += one->matching;
        sum.all += one->all;
        if (sum.filter.valid)
            sum.filter = one->filter;
        if (sum.at == 0 || parts[i].share.share == Share::Whole)
            sum.at = std::max(sum.at, one->at);
    }
    sum.attention = attentionOfAll(all);
    std::vector<std::size_t> taken;
    sum.situations = woven(lists, kMostSituations, taken);
    sum.cutSituations = total - sum.situations.size();
    tellAllClear(all, sum);
    return sum;
}

RunSlice merged(const std::vector<Gather<RunSlice>::Part>& parts, std::vector<PageMark> marks,
    std::size_t limit, bool newest)
{
    RunSlice sum;
    std::vector<std::vector<RunLine>> stamped(parts.size());
    std::vector<const std::vector<RunLine>*> lists(parts.size(), nullptr);
    std::vector<bool> open(parts.size(), false);  // one that keeps silent ends where what is known of it ends
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].share.share != Share::Whole)
            sum.shares.push_back(parts[i].share);
        if (parts[i].value == nullptr)
            continue;
        stamped[i] = parts[i].value->lines;
        for (RunLine& line : stamped[i])
            line.store = parts[i].share.store;
        lists[i] = &stamped[i];
        open[i] = parts[i].value->more && parts[i].share.share == Share::Whole;
        sum.at = std::max(sum.at, parts[i].value->at);
    }
    std::vector<std::size_t> taken;
    sum.lines =
        woven(lists, limit, taken, open, newest ? ListOrder::NewestFirst : ListOrder::AttentionThenOldest);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].value == nullptr)
            continue;
        const StoreIx store = parts[i].share.store;
        if (marks.size() <= store)
            marks.resize(store + 1);
        if (taken[i] > 0)
            marks[store] = stamped[i][taken[i] - 1].place;
        sum.more = sum.more || parts[i].value->more || taken[i] < stamped[i].size();
    }
    sum.marks = std::move(marks);
    return sum;
}

bool sameContent(const Overview& a, const Overview& b)
{
    return a.attention == b.attention && a.situations == b.situations && a.matching == b.matching
        && a.all == b.all && a.hiddenSituations == b.hiddenSituations && a.cutSituations == b.cutSituations
        && a.filter.valid == b.filter.valid && a.allClear.isEmpty() == b.allClear.isEmpty();
}

bool sameContent(const RunSlice& a, const RunSlice& b) { return a.more == b.more && a.lines == b.lines; }

namespace {

struct Word {
    qsizetype at;
    qsizetype length;
};

// As the filter's own grammar divides it: blanks, but not those within quotes.
std::vector<Word> wordsOf(const QString& text)
{
    std::vector<Word> words;
    bool quoted = false;
    qsizetype begin = -1;
    for (qsizetype i = 0; i <= text.size(); ++i) {
        const bool end = i == text.size() || (!quoted && text.at(i).isSpace());
        if (end && begin >= 0)
            words.push_back({begin, i - begin});
        if (end) {
            begin = -1;
            continue;
        }
        if (begin < 0)
            begin = i;
        if (quoted && text.at(i) == u'\\')
            ++i;
        else if (text.at(i) == u'"')
            quoted = !quoted;
    }
    return words;
}

void blank(QString& text, const Word& word)
{
    text.replace(word.at, word.length, QString(word.length, u' '));
}

// Whether a `store:` term holds for a store; nothing: it is no such term.
std::optional<bool> storeTerm(const QString& word, const QString& store)
{
    const bool negated = word.startsWith(u'-');
    const QStringView rest = QStringView(word).mid(negated ? 1 : 0);
    if (!rest.startsWith(u"store:", Qt::CaseInsensitive))
        return std::nullopt;
    bool named = false;
    for (QStringView name : rest.mid(6).split(u'|')) {
        if (name.size() > 1 && name.startsWith(u'"') && name.endsWith(u'"'))
            name = name.mid(1, name.size() - 2);
        const bool prefix = name.endsWith(u'*');
        named = named
            || (prefix ? store.startsWith(name.chopped(1), Qt::CaseInsensitive)
                       : store.compare(name, Qt::CaseInsensitive) == 0);
    }
    return named != negated;
}

}  // namespace

QString storeTerms(const QString& filter)
{
    QString terms;
    for (const Word& word : wordsOf(filter)) {
        const QString one = filter.mid(word.at, word.length);
        if (one.compare(u"or", Qt::CaseInsensitive) == 0)
            return {};
        if (storeTerm(one, {}))
            terms += one + u' ';
    }
    return terms;
}

std::optional<QString> filterFor(const QString& filter, const QString& store)
{
    if (!filter.contains(u"store:"_s, Qt::CaseInsensitive))
        return filter;
    const std::vector<Word> words = wordsOf(filter);
    QString text = filter;
    std::vector<Word> alternative;
    std::optional<Word> separator;  // the `or` before the alternative
    bool holds = true;
    bool kept = false;
    bool everything = false;  // an alternative of nothing but `store:` terms
    const auto close = [&] {
        bool other = false;
        for (const Word& word : alternative)
            other = other || !storeTerm(filter.mid(word.at, word.length), store);
        if (separator && (!holds || !kept))
            blank(text, *separator);
        for (const Word& word : alternative)
            if (!holds || storeTerm(filter.mid(word.at, word.length), store))
                blank(text, word);
        everything = everything || (holds && !other);
        kept = kept || holds;
        alternative.clear();
        holds = true;
    };
    for (const Word& word : words) {
        const QString one = filter.mid(word.at, word.length);
        if (one.compare(u"or", Qt::CaseInsensitive) == 0) {
            close();
            separator = word;
            continue;
        }
        alternative.push_back(word);
        holds = holds && storeTerm(one, store).value_or(true);
    }
    close();
    if (!kept)
        return std::nullopt;
    return everything ? u"state:open or state:finished"_s : text;
}

}  // namespace cairn::ui
