#include "core/query/filter_help.h"

#include "core/base/text.h"

#include <algorithm>
#include <set>

namespace cairn {

namespace {

constexpr std::size_t kMostGroups = 200;      // situations that values are taken from
constexpr std::size_t kMostCounted = 40;      // values that are counted, each by a question to the store
constexpr std::uint64_t kActsLookedAt = 500;  // newest ones, for names of people

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all)
{
    return std::find(all.begin(), all.end(), text) != all.end();
}

std::string_view textOf(std::string_view filter, const FilterPlace& place)
{
    return filter.substr(place.offset, place.length);
}

// The other terms of its alternative, which hold as well where this one does.
std::string othersOf(std::string_view filter, const std::vector<FilterPlace>& places, const FilterPlace& one)
{
    std::string out;
    for (const FilterPlace& place : places)
        if (!place.isOr && place.alternative == one.alternative && place.offset != one.offset)
            out += (out.empty() ? "" : " ") + std::string(textOf(filter, place));
    return out;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// Fields with two names.
std::string_view canonical(std::string_view field)
{
    return field == "workflow"  ? "def"
        : field == "reason"     ? "wait"
        : field == "activity"   ? "state"
        : field == "amount"     ? "money"
        : field == "touched_by" ? "touched-by"
                                : field;
}

// What the store has of each field.
class Values {
public:
    Values(Query& query, ListFilter rest)
        : m_query(query)
        , m_rest(std::move(rest))
    {
    }

    Result<std::set<std::string>> of(const std::string& field, const std::string& prefix)
    {
        if (isOneOf(field, {"wait", "reason", "state", "activity", "attention"}))
            return states(field);
        if (isOneOf(field, {"def", "workflow"}))
            return workflows(prefix.find('@') != std::string::npos);
        if (isOneOf(field, {"step", "resource", "error", "situation"}))
            return grouped(field);
        if (field == "worker")
            return workers();
        if (isOneOf(field, {"touched-by", "touched_by"}))
            return people();
        if (isOneOf(field, {"assigned", "owner"}))
            return owners();
        if (field == "key")
            return keys(prefix);
        if (isOneOf(field, {"since", "age", "created"}))
            return std::set<std::string>{"<10m", "<1h", ">10m", ">1h", ">1d", "today", "yesterday"};
        if (isOneOf(field, {"money", "amount"}))
            return std::set<std::string>{">0", ">100", ">500", ">1000"};
        if (field == "is")
            return std::set<std::string>{"held", "open", "root"};
        return std::set<std::string>();
    }

private:
    Result<std::set<std::string>> states(const std::string& field)
    {
        CAIRN_TRY_ASSIGN(const auto rows, m_query.counts(m_rest));
        std::set<std::string> out;
        for (const CountRow& row : rows)
            out.emplace(isOneOf(field, {"wait", "reason"}) ? key(row.reason)
                    : field == "attention"                 ? key(row.attention)
                                                           : key(row.activity));
        if (isOneOf(field, {"state", "activity"}))
            out.insert({"open", "finished"});
        return out;
    }
    Result<std::set<std::string>> workflows(bool versions)
    {
        CAIRN_TRY_ASSIGN(const auto rows, m_query.reader().workflows(false));
        std::set<std::string> out;
        for (const WorkflowRow& row : rows)
            out.insert(versions ? row.name + "@" + std::to_string(row.version) : row.name);
        return out;
    }
    Result<std::set<std::string>> grouped(const std::string& field)
    {
        CAIRN_TRY_ASSIGN(const auto list, m_query.situations(m_rest, kMostGroups));
        std::set<std::string> out;
        for (const SituationRow& row : list.rows) {
            for (const SituationPart& part : row.parts)
                if (field == "step")
                    out.insert(part.step);
            out.insert(field == "step"    ? row.step
                    : field == "resource" ? row.resource
                    : field == "error"    ? row.error
                                          : row.situation);
        }
        return out;
    }
    Result<std::set<std::string>> workers()
    {
        CAIRN_TRY_ASSIGN(const auto rows, m_query.reader().sessions(false));
        std::set<std::string> out;
        for (const SessionRow& row : rows)
            out.insert(row.name);
        return out;
    }
    Result<std::set<std::string>> people()
    {
        // A bundle has an audit and no end that is kept beside it: then the oldest acts have to do.
        const auto end = m_query.reader().auditEnd();
        if (!end && end.error().kind != ErrorKind::Refused)
            return end.error();
        const std::uint64_t after = end && end->seq > kActsLookedAt ? end->seq - kActsLookedAt : 0;
        CAIRN_TRY_ASSIGN(const auto rows, m_query.reader().audit(after, kActsLookedAt));
        std::set<std::string> out;
        for (const AuditRow& row : rows)
            out.insert(row.actor);
        return out;
    }
    // Who has runs that are not finished, of the newest of these; who acted, and may have others; and nobody.
    Result<std::set<std::string>> owners()
    {
        ListFilter filter = m_rest;
        if (filter.empty())
            filter.emplace_back();
        for (ListTerm& term : filter) {
            term.unfinishedOnly = true;
            term.notAssigned.emplace_back();
        }
        CAIRN_TRY_ASSIGN(
            const RunPage page, m_query.list(filter, ListOrder::NewestFirst, std::nullopt, kMostCounted));
        CAIRN_TRY_ASSIGN(std::set<std::string> out, people());
        for (const ListRow& row : page.rows)
            out.insert(row.assigned);
        out.erase("me");  // in a filter these words are no names
        out.insert("none");
        return out;
    }
    Result<std::set<std::string>> keys(const std::string& prefix)
    {
        ListFilter filter = m_rest;
        if (filter.empty())
            filter.emplace_back();
        if (!prefix.empty())
            for (ListTerm& term : filter)
                term.key = {prefix + "*"};
        CAIRN_TRY_ASSIGN(
            const RunPage page, m_query.list(filter, ListOrder::NewestFirst, std::nullopt, kMostCounted));
        std::set<std::string> out;
        for (const ListRow& row : page.rows)
            out.insert(row.key);
        return out;
    }

    Query& m_query;
    ListFilter m_rest;
};

void sortAndCut(FilterOptions& found, std::size_t limit)
{
    std::stable_sort(
        found.options.begin(), found.options.end(), [](const FilterOption& a, const FilterOption& b) {
            return a.count.value_or(0) > b.count.value_or(0);
        });
    found.more = found.more || found.options.size() > limit;
    if (found.options.size() > limit)
        found.options.resize(limit);
}

FilterOptions fieldsAt(std::size_t offset, std::size_t length, std::string_view begun, std::size_t limit)
{
    FilterOptions found{offset, length, {}, {}, false};
    for (const std::string& field : filterFields())
        if (field.starts_with(lower(begun)))
            found.options.push_back({field == "attr.NAME" ? "attr." : field + ":", std::nullopt});
    sortAndCut(found, limit);
    return found;
}

Result<FilterOptions> valuesAt(Query& query, std::string_view text, const std::vector<FilterPlace>& places,
    const FilterPlace& place, std::size_t cursor, TimeMs now, std::size_t limit)
{
    const auto bar = text.substr(0, cursor).rfind('|');
    const std::size_t from = bar != std::string_view::npos && bar >= place.valueAt ? bar + 1 : place.valueAt;
    std::string begun(text.substr(from, cursor - from));
    std::erase(begun, '"');
    FilterOptions found{from, place.offset + place.length - from, place.field, {}, false};
    const std::string others = othersOf(text, places, place);
    const ParsedFilter rest = parseFilter(others, now);
    Values values(query, rest.error ? ListFilter{} : rest.filter);
    CAIRN_TRY_ASSIGN(const auto all, values.of(place.field, begun));
    for (const std::string& value : all) {
        if (value.empty() || !lower(value).starts_with(lower(begun)))
            continue;
        if (found.options.size() == kMostCounted) {
            found.more = true;
            break;
        }
        FilterOption option{filterValue(value), std::nullopt};
        const ParsedFilter whole =
            parseFilter(others + (others.empty() ? "" : " ") + place.field + ":" + option.text, now);
        if (!rest.error && !whole.error) {
            CAIRN_TRY_ASSIGN(option.count, query.count(whole.filter));
        }
        found.options.push_back(std::move(option));
    }
    sortAndCut(found, limit);
    return found;
}

Result<std::uint64_t> countOf(Query& query, const std::string& text, TimeMs now)
{
    const ParsedFilter parsed = parseFilter(text, now);
    if (parsed.error)
        return makeError(ErrorKind::InvalidInput, parsed.error->text);
    return query.count(parsed.filter);
}

// Without one term. An alternative of nothing else finds everything, and so does the whole then.
std::string withoutTerm(
    std::string_view text, const std::vector<FilterPlace>& places, const FilterPlace& gone)
{
    std::string out;
    bool alone = true;
    for (const FilterPlace& place : places)
        if (place.offset != gone.offset) {
            out += (out.empty() ? "" : " ") + std::string(textOf(text, place));
            alone = alone && (place.isOr || place.alternative != gone.alternative);
        }
    return alone ? std::string() : out;
}

}  // namespace

Result<FilterOptions> filterOptions(
    Query& query, std::string_view text, std::size_t cursor, TimeMs now, std::size_t limit)
{
    cursor = std::min(cursor, text.size());
    const auto places = filterPlaces(text);
    for (const FilterPlace& place : places) {
        if (cursor < place.offset || cursor > place.offset + place.length)
            continue;
        if (!place.field.empty() && cursor >= place.valueAt)
            return valuesAt(query, text, places, place, cursor, now, limit);
        const std::size_t from = place.offset + (place.negated && cursor > place.offset ? 1 : 0);
        const std::size_t end = place.field.empty() ? place.offset + place.length : place.valueAt;
        return fieldsAt(from, end - from, text.substr(from, cursor - from), limit);
    }
    return fieldsAt(cursor, 0, {}, limit);
}

Result<std::vector<FilterEffect>> filterEffects(Query& query, std::string_view text, TimeMs now)
{
    CAIRN_TRY_ASSIGN(const std::uint64_t all, query.count({}));
    CAIRN_TRY(countOf(query, std::string(text), now));
    const auto places = filterPlaces(text);
    std::vector<FilterEffect> effects;
    std::string before;
    std::uint64_t left = all;
    for (const FilterPlace& place : places) {
        if (place.isOr) {
            before.clear();
            left = all;
            continue;
        }
        FilterEffect effect{
            std::string(textOf(text, place)), place.offset, place.length, place.alternative, 0, 0};
        before += (before.empty() ? "" : " ") + effect.term;
        CAIRN_TRY_ASSIGN(const std::uint64_t after, countOf(query, before, now));
        effect.removed = left > after ? left - after : 0;  // another may have come between the two counts
        left = after;
        CAIRN_TRY_ASSIGN(effect.without, countOf(query, withoutTerm(text, places, place), now));
        effects.push_back(std::move(effect));
    }
    return effects;
}

std::string filterValue(std::string_view text)
{
    if (!text.empty() && text.find_first_of(" \t\n\"|\\") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

Result<std::string> withFilterTerm(std::string_view filter, std::string_view term, bool negated)
{
    const std::string added = (negated ? "-" : "") + std::string(term);
    if (const ParsedFilter alone = parseFilter(added, 0); alone.error)
        return makeError(ErrorKind::InvalidInput, alone.error->text);
    const auto own = filterPlaces(term);
    const std::string field = own.empty() ? std::string() : own.front().field;
    std::string out;
    const auto add = [&out](std::string_view one) { out += (out.empty() ? "" : " ") + std::string(one); };
    for (const FilterPlace& place : filterPlaces(filter)) {
        if (place.isOr) {
            add(added);
            add("or");
            continue;
        }
        if (textOf(filter, place) == added
            || (!negated && !place.negated && canonical(place.field) == canonical(field)))
            continue;
        add(textOf(filter, place));
    }
    add(added);
    return out;
}

}  // namespace cairn
