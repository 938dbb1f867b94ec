// The filter's help between core and console: of one store, and of several as one.
#include "core/query/filter_help.h"
#include "ui/data/merge.h"
#include "ui/data/qtconvert.h"
#include "ui/data/readworld.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMostChoices = 60;
constexpr std::size_t kMostFilters = 50;

// A place in UTF-8 as a place in UTF-16.
int placeOf(const std::string& text, std::size_t offset)
{
    return static_cast<int>(qt(std::string_view(text).substr(0, offset)).size());
}

}  // namespace

AddedTerm withTerm(const QString& filter, const QString& term, bool negated)
{
    const auto text = withFilterTerm(core(filter), core(term), negated);
    return text ? AddedTerm{qt(*text), {}} : AddedTerm{{}, qt(text.error().text)};
}

QString termOf(const QString& field, const QString& value)
{
    return value.isEmpty() ? QString() : field + u':' + qt(filterValue(core(value)));
}

QString withoutTerm(const QString& filter, int offset, int length)
{
    QString left = filter;
    return left.remove(offset, length).simplified();
}

Result<FilterHelp> ReadWorld::filterHelp(const FilterQuestion& question)
{
    FilterHelp help;
    CAIRN_TRY_ASSIGN(const TimeMs now, m_store->now());
    const std::string text = core(question.text);
    if (question.cursor >= 0) {
        const std::size_t cursor = core(question.text.left(question.cursor)).size();
        CAIRN_TRY_ASSIGN(
            const FilterOptions found, cairn::filterOptions(*m_query, text, cursor, now, kMostChoices));
        help.offset = placeOf(text, found.offset);
        help.length = placeOf(text, found.offset + found.length) - help.offset;
        help.field = qt(found.field);
        help.more = found.more;
        for (const FilterOption& option : found.options)
            help.choices.push_back(
                {qt(option.text), option.count ? static_cast<qint64>(*option.count) : qint64{-1}});
    }
    if (question.effects) {
        CAIRN_TRY_ASSIGN(const auto effects, cairn::filterEffects(*m_query, text, now));
        for (const FilterEffect& effect : effects) {
            const int offset = placeOf(text, effect.offset);
            help.terms.push_back({qt(effect.term), offset,
                placeOf(text, effect.offset + effect.length) - offset, effect.removed, effect.without});
        }
    }
    return help;
}

Result<FilterCounts> ReadWorld::countFilters(const QStringList& filters)
{
    FilterCounts counts;
    CAIRN_TRY_ASSIGN(const TimeMs now, m_store->now());
    for (const QString& text : filters.first(std::min<qsizetype>(filters.size(), kMostFilters))) {
        const ParsedFilter parsed = parseFilter(core(text), now);
        if (parsed.error) {
            counts.runs.push_back(-1);
            continue;
        }
        CAIRN_TRY_ASSIGN(const std::uint64_t count, m_query->count(parsed.filter));
        counts.runs.push_back(static_cast<qint64>(count));
    }
    return counts;
}

FilterHelp merged(const std::vector<Gather<FilterHelp>::Part>& parts)
{
    FilterHelp sum;
    bool first = true;
    for (const auto& part : parts) {
        if (part.value == nullptr)
            continue;
        const FilterHelp& one = *part.value;
        if (std::exchange(first, false)) {
            sum = one;
            continue;
        }
        for (const FilterChoice& choice : one.choices) {
            const auto same = std::find_if(sum.choices.begin(), sum.choices.end(),
                [&](const FilterChoice& c) { return c.text == choice.text; });
            if (same == sum.choices.end())
                sum.choices.push_back(choice);
            else if (choice.count >= 0)
                same->count = std::max<qint64>(same->count, 0) + choice.count;
        }
        sum.more = sum.more || one.more;
        for (std::size_t i = 0; i < one.terms.size() && i < sum.terms.size(); ++i) {
            sum.terms[i].removed += one.terms[i].removed;
            sum.terms[i].without += one.terms[i].without;
        }
    }
    std::stable_sort(sum.choices.begin(), sum.choices.end(),
        [](const FilterChoice& a, const FilterChoice& b) { return a.count > b.count; });
    return sum;
}

FilterCounts merged(const std::vector<Gather<FilterCounts>::Part>& parts)
{
    FilterCounts sum;
    for (const auto& part : parts) {
        if (part.value == nullptr)
            continue;
        const std::vector<qint64>& runs = part.value->runs;
        sum.runs.resize(std::max(sum.runs.size(), runs.size()), 0);
        for (std::size_t i = 0; i < runs.size(); ++i)
            sum.runs[i] = sum.runs[i] < 0 || runs[i] < 0 ? -1 : sum.runs[i] + runs[i];
    }
    return sum;
}

bool sameContent(const FilterHelp& a, const FilterHelp& b)
{
    return a.offset == b.offset && a.length == b.length && a.choices == b.choices && a.terms == b.terms;
}
bool sameContent(const FilterCounts& a, const FilterCounts& b) { return a == b; }

}  // namespace cairn::ui
