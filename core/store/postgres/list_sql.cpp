#include "core/store/postgres/list_sql.h"

#include "core/store/checks.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

// The values that are wanted, of 0 or 1 to `last`: what is not excluded. Full sets are left out of the SQL.
template<typename Enum> std::vector<std::int64_t> wanted(const std::vector<Enum>& only,
    const std::vector<Enum>& without, Enum first, Enum last, bool unfinishedOnly = false)
{
    std::vector<std::int64_t> out;
    for (auto v = static_cast<int>(first); v <= static_cast<int>(last); ++v) {
        const auto value = static_cast<Enum>(v);
        const bool in = only.empty() || std::find(only.begin(), only.end(), value) != only.end();
        const bool excluded = std::find(without.begin(), without.end(), value) != without.end();
        if (in && !excluded && !(unfinishedOnly && v <= static_cast<int>(Activity::Compensated)))
            out.push_back(v);
    }
    return out;
}

bool isPattern(const std::string& text) { return text.ends_with('*'); }

std::string likePattern(std::string_view part)
{
    std::string out = "%";
    for (const char c : part) {
        if (c == '%' || c == '_' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '%';
}

// A text that no column can hold finds nothing; the server would refuse it.
std::string askable(const std::string& text) { return isStorableText(text) ? text : std::string("\x01"); }

std::vector<std::string> askable(const std::vector<std::string>& texts)
{
    std::vector<std::string> out;
    for (const std::string& text : texts)
        out.push_back(askable(text));
    return out;
}

Column texts(const std::vector<std::string>& values) { return Column::of(Type::Text, askable(values)); }

constexpr auto kActivities = static_cast<std::size_t>(Activity::Blocked);

}  // namespace

ListSql::ListSql(const ListFilter& filter)
{
    if (filter.empty()) {
        m_condition = "true";
        return;
    }
    m_condition = "(";
    for (const ListTerm& term : filter) {
        if (&term != filter.data())
            m_condition += " OR ";
        addTerm(term);
    }
    m_condition += ")";
}

void ListSql::also(const char* fragment)
{
    if (!m_first)
        m_condition += " AND ";
    m_first = false;
    m_condition += fragment;
}

void ListSql::addIn(const char* fragment, const std::vector<std::int64_t>& values)
{
    also(fragment);
    m_condition += "(";
    value(Column::of(Type::Int8, values));
    m_condition += ")";
}

void ListSql::addPatterns(
    const char* exact, const char* prefixed, const std::vector<std::string>& patterns, bool negate)
{
    if (patterns.empty())
        return;
    also(negate ? "NOT (" : "(");
    bool first = true;
    for (const std::string& pattern : patterns) {
        if (!first)
            m_condition += " OR ";
        first = false;
        if (pattern == "*") {
            m_condition += "true";
        } else if (isPattern(pattern)) {
            m_condition += prefixed;
            value(askable(pattern.substr(0, pattern.size() - 1)));
        } else {
            m_condition += exact;
            value(askable(pattern));
        }
    }
    m_condition += ')';
}

void ListSql::addWorkflows(const std::vector<std::string>& names, bool negate)
{
    if (names.empty())
        return;
    if (names.size() == 1 && !negate && names.front().find('@') == std::string::npos) {
        also("workflow = ");  // lets the index be used
        value(askable(names.front()));
        return;
    }
    also(negate ? "NOT (workflow = ANY(" : "(workflow = ANY(");
    value(texts(names));
    m_condition += ") OR workflow || '@' || workflow_version = ANY(";
    value(texts(names));
    m_condition += "))";
}

void ListSql::addTime(const char* fragment, TimeMs time)
{
    if (time == kNoTime)
        return;
    also(fragment);
    value(time);
}

// All three columns are named where one is wanted, so that the index on (activity, attention, reason)
// applies.
void ListSql::addWords(const ListTerm& t)
{
    const auto activities =
        wanted(t.activity, t.notActivity, Activity::Completed, Activity::Blocked, t.unfinishedOnly);
    const auto attentions = wanted(t.attention, t.notAttention, Attention::UnknownEffect, Attention::None);
    const auto reasons = wanted(t.reason, t.notReason, Reason::None, Reason::Lease);
    const bool attentionWanted = attentions.size() < static_cast<std::size_t>(Attention::None);
    const bool reasonWanted = reasons.size() < kReasonCount;
    if (activities.size() < kActivities || attentionWanted || reasonWanted)
        addIn("activity = ANY", activities);
    if (attentionWanted || reasonWanted)
        addIn("attention = ANY", attentions);
    if (reasonWanted)
        addIn("reason = ANY", reasons);
}

// Letters of ASCII are alike in either case, as in every other store: that is what the collation "C" says.
void ListSql::addErrors(const ListTerm& t)
{
    if (t.errorContains.empty())
        return;
    also("(");
    for (std::size_t i = 0; i < t.errorContains.size(); ++i) {
        m_condition += i == 0 ? "error ILIKE " : " OR error ILIKE ";
        value(likePattern(askable(t.errorContains[i])));
    }
    m_condition += ')';
}

void ListSql::addTexts(const ListTerm& t)
{
    addWorkflows(t.workflow, false);
    addWorkflows(t.notWorkflow, true);
    addPatterns("step = ", "step ^@ ", t.step, false);
    addPatterns("step = ", "step ^@ ", t.notStep, true);
    const bool noSituation = std::find(t.situation.begin(), t.situation.end(), "") != t.situation.end();
    if (!t.situation.empty()) {
        also(noSituation ? "coalesce(situation, '') = ANY(" : "situation = ANY(");
        value(texts(t.situation));
        m_condition += ')';
    }
    if (!t.resource.empty()) {
        also("resource = ANY(");
        value(texts(t.resource));
        m_condition += ')';
    }
    addErrors(t);
    const bool noKey = std::find(t.key.begin(), t.key.end(), "") != t.key.end();
    if (noKey)
        addPatterns("coalesce(key, '') = ", "key ^@ ", t.key, false);
    else
        addPatterns("key = ", "key ^@ ", t.key, false);
}

void ListSql::addPlaces(const ListTerm& t)
{
    if (t.parent) {
        also("parent = ");
        value(*t.parent);
    }
    if (t.root) {
        also("root = ");
        value(*t.root);
    }
    if (t.run) {
        also("run = ");
        value(*t.run);
    }
    if (t.rootsOnly)
        also("parent IS NULL");
}

void ListSql::addAttributes(const ListTerm& t)
{
    for (const auto& [name, text] : t.attributes) {
        also("EXISTS(SELECT 1 FROM cairn.run_attributes a WHERE a.run = run_list.run AND a.name = ");
        value(askable(name));
        m_condition += " AND a.text = ";
        value(askable(text));
        m_condition += ')';
    }
}

void ListSql::addPeople(const ListTerm& t)
{
    if (!t.worker.empty()) {
        also("(EXISTS(SELECT 1 FROM cairn.attempts a WHERE a.run = run_list.run AND a.ended_at = 0 "
             "AND a.worker = ANY(");
        value(texts(t.worker));
        m_condition += ")) OR EXISTS(SELECT 1 FROM cairn.run_hot h JOIN cairn.sessions s ON s.id = h.owner "
                       "WHERE h.run = run_list.run AND s.name = ANY(";
        value(texts(t.worker));
        m_condition += ")))";
    }
    if (!t.touchedBy.empty()) {
        also("EXISTS(SELECT 1 FROM cairn.audit u WHERE u.run = run_list.run AND u.kind = 'applied' "
             "AND u.actor = ANY(");
        value(texts(t.touchedBy));
        m_condition += "))";
    }
    addLost(t.lost, false);
    addLost(t.notLost, true);
}

void ListSql::addLost(const std::optional<std::vector<SessionId>>& living, bool negate)
{
    if (!living)
        return;
    also(negate ? "NOT EXISTS(" : "EXISTS(");
    m_condition += "SELECT 1 FROM cairn.attempts a WHERE a.run = run_list.run AND a.ended_at = 0 "
                   "AND a.session IS NOT NULL AND a.session <> ALL(";
    value(Column::of(Type::Uuid, *living));
    m_condition += "))";
}

void ListSql::addAmounts(const ListTerm& t)
{
    if (t.amountAbove) {
        also("currency <> '' AND amount > ");
        value(*t.amountAbove);
    }
    if (t.amountBelow) {
        also("currency <> '' AND amount < ");
        value(*t.amountBelow);
    }
    if (!t.currency.empty()) {
        also("currency = ");
        value(askable(t.currency));
    }
}

void ListSql::addAnnotations(const ListTerm& t)
{
    if (t.heldAt) {
        also("held_until > ");
        value(*t.heldAt);
    }
    if (t.notHeldAt) {
        also("held_until <= ");
        value(*t.notHeldAt);
    }
    if (!t.assigned.empty()) {
        also("assigned = ANY(");
        value(texts(t.assigned));
        m_condition += ')';
    }
    if (!t.notAssigned.empty()) {
        also("assigned <> ALL(");
        value(texts(t.notAssigned));
        m_condition += ')';
    }
}

void ListSql::addTimes(const ListTerm& t)
{
    addTime("since < ", t.sinceBefore);
    addTime("since >= ", t.sinceAfter);
    addTime("created_at < ", t.createdBefore);
    addTime("created_at >= ", t.createdAfter);
}

void ListSql::addTerm(const ListTerm& term)
{
    m_condition += '(';
    m_first = true;
    addWords(term);
    addTexts(term);
    addPlaces(term);
    addPeople(term);
    addAmounts(term);
    addAnnotations(term);
    addTimes(term);
    addAttributes(term);
    if (m_first)
        m_condition += "true";
    m_condition += ')';
}

}  // namespace cairn::postgres
