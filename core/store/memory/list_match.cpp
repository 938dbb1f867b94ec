#include "core/store/memory/list_match.h"

#include <algorithm>

namespace cairn {

namespace {

template<typename T> bool any(const std::vector<T>& wanted, const T& value)
{
    return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool anyPattern(const std::vector<std::string>& wanted, std::string_view value)
{
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view pattern) {
        if (pattern.ends_with('*'))
            return value.starts_with(pattern.substr(0, pattern.size() - 1));
        return value == pattern;
    });
}

bool anyWorkflow(const std::vector<std::string>& wanted, const ListRow& row)
{
    const std::string versioned = row.workflow + '@' + std::to_string(row.workflowVersion);
    return std::any_of(wanted.begin(), wanted.end(),
        [&](const std::string& w) { return w == row.workflow || w == versioned; });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Letters of ASCII in either case, like LIKE of SQL.
bool contains(std::string_view text, std::string_view part)
{
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
        return lower(a) == lower(b);
    }) != text.end();
}

bool wordsMatch(const ListTerm& t, const ListRow& r)
{
    return (t.activity.empty() || any(t.activity, r.activity)) && !any(t.notActivity, r.activity)
        && (t.attention.empty() || any(t.attention, r.attention)) && !any(t.notAttention, r.attention)
        && (t.reason.empty() || any(t.reason, r.reason)) && !any(t.notReason, r.reason);
}

bool textsMatch(const ListTerm& t, const ListRow& r)
{
    const auto errorHas = [&](const std::string& part) { return contains(r.error, part); };
    return (t.workflow.empty() || anyWorkflow(t.workflow, r)) && !anyWorkflow(t.notWorkflow, r)
        && (t.step.empty() || anyPattern(t.step, r.step)) && !anyPattern(t.notStep, r.step)
        && (t.situation.empty() || any(t.situation, r.situation))
        && (t.resource.empty() || any(t.resource, r.resource)) && (t.key.empty() || anyPattern(t.key, r.key))
        && (t.errorContains.empty() || std::any_of(t.errorContains.begin(), t.errorContains.end(), errorHas));
}

bool placesMatch(const ListTerm& t, const ListRow& r)
{
    return (!t.parent || r.parent == *t.parent) && (!t.root || r.root == *t.root)
        && (!t.run || r.run == *t.run) && (!t.unfinishedOnly || !isFinished(r.activity))
        && (!t.rootsOnly || r.parent.isNull());
}

bool timesMatch(const ListTerm& t, const ListRow& r)
{
    return (t.sinceBefore == kNoTime || r.since < t.sinceBefore)
        && (t.sinceAfter == kNoTime || r.since >= t.sinceAfter)
        && (t.createdBefore == kNoTime || r.createdAt < t.createdBefore)
        && (t.createdAfter == kNoTime || r.createdAt >= t.createdAfter);
}

bool amountMatches(const ListTerm& t, const ListRow& r)
{
    const bool some = !r.amount.currency.empty();
    return (!t.amountAbove || (some && r.amount.micros > *t.amountAbove))
        && (!t.amountBelow || (some && r.amount.micros < *t.amountBelow))
        && (t.currency.empty() || t.currency == r.amount.currency);
}

bool annotationsMatch(const ListTerm& t, const ListRow& r)
{
    return (!t.heldAt || r.heldUntil > *t.heldAt) && (!t.notHeldAt || r.heldUntil <= *t.notHeldAt)
        && (t.assigned.empty() || any(t.assigned, r.assigned)) && !any(t.notAssigned, r.assigned);
}

bool peopleMatch(const ListTerm& t, const ListRow& r, const ListLookup& look)
{
    const auto anyName = [&](const std::vector<std::string>& names, const auto& asked) {
        return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return asked(r.run, name);
        });
    };
    const auto lost = [&](const std::vector<SessionId>& living) {
        const auto sessions = look.sessions(r.run);
        return std::any_of(
            sessions.begin(), sessions.end(), [&](const SessionId& id) { return !any(living, id); });
    };
    return anyName(t.worker, look.worksOn) && anyName(t.touchedBy, look.actedOn) && (!t.lost || lost(*t.lost))
        && (!t.notLost || !lost(*t.notLost));
}

}  // namespace

bool matches(const ListFilter& filter, const ListRow& row, const ListLookup& look)
{
    if (filter.empty())
        return true;
    return std::any_of(filter.begin(), filter.end(), [&](const ListTerm& t) {
        return wordsMatch(t, row) && textsMatch(t, row) && placesMatch(t, row) && timesMatch(t, row)
            && amountMatches(t, row) && annotationsMatch(t, row) && peopleMatch(t, row, look)
            && std::all_of(t.attributes.begin(), t.attributes.end(),
                [&](const auto& a) { return look.hasAttribute(row.run, a.first, a.second); });
    });
}

}  // namespace cairn
