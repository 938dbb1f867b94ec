#include "core/store/sqlite/list_sql.h"

#include <algorithm>

namespace cairn::sqlite {

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

// The smallest text that is greater than all that begin with `prefix`.
std::string afterPrefix(std::string prefix)
{
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    return prefix;
}

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

bool hasSituation(const ListTerm& t)
{
    return !t.situation.empty() && std::find(t.situation.begin(), t.situation.end(), "") == t.situation.end();
}

bool hasError(const ListTerm& t)
{
    return !t.errorContains.empty()
        && std::find(t.errorContains.begin(), t.errorContains.end(), "") == t.errorContains.end();
}

constexpr auto kActivities = static_cast<std::size_t>(Activity::Blocked);

}  // namespace

ListSql::ListSql(const ListFilter& filter, Index from)
    : m_from(from)
{
    if (from == Index::Attribute) {
        const auto& [name, text] = filter.front().attributes.front();
        m_values.emplace_back(name);
        m_values.emplace_back(text);
    }
    if (filter.empty()) {
        m_condition = "1";
        return;
    }
    // What a partial index asks for is said where it can be seen that it holds.
    if (from == Index::Error)
        m_condition = "error <> '' AND ";
    if (from == Index::Situation)
        m_condition = "situation IS NOT NULL AND ";
    // Alternatives are a value to compare: else each would be searched for by itself, with every row that its
    // index cannot decide on fetched from anywhere in the table (minutes with a million runs).
    m_condition += filter.size() > 1 ? "0 <> (" : "(";
    for (const ListTerm& term : filter) {
        if (&term != filter.data())
            m_condition += " OR ";
        addTerm(term);
    }
    m_condition += ")";
}

std::string ListSql::from() const
{
    switch (m_from) {
    case Index::Created: return " FROM run_list INDEXED BY list_created";
    case Index::Attention: return " FROM run_list INDEXED BY list_attention";
    case Index::Activity: return " FROM run_list INDEXED BY list_activity";
    case Index::Workflow: return " FROM run_list INDEXED BY list_workflow";
    case Index::Root: return " FROM run_list INDEXED BY list_root";
    case Index::Parent: return " FROM run_list INDEXED BY list_parent";
    case Index::Key: return " FROM run_list INDEXED BY list_key";
    case Index::Situation: return " FROM run_list INDEXED BY list_situation";
    case Index::Error: return " FROM run_list INDEXED BY list_error";
    case Index::Attribute:
        return " FROM (SELECT run AS found FROM run_attributes INDEXED BY attributes_text WHERE name = ? AND "
               "text = ?) CROSS JOIN run_list ON run_list.run = found";
    case Index::Run: return " FROM run_list";
    case Index::None: break;
    }
    return " FROM run_list NOT INDEXED";
}

std::vector<ListSql::Index> ListSql::candidates(const ListTerm& t)
{
    std::vector<Index> out;
    const bool words = !t.activity.empty() || !t.notActivity.empty() || !t.attention.empty()
        || !t.notAttention.empty() || !t.reason.empty() || !t.notReason.empty() || t.unfinishedOnly;
    if (t.run)
        return {Index::Run};
    if (t.parent)
        out.push_back(Index::Parent);
    if (t.key.size() == 1 && t.key.front() != "*" && !t.key.front().empty())
        out.push_back(Index::Key);
    if (t.root)
        out.push_back(Index::Root);
    if (!t.attributes.empty())
        out.push_back(Index::Attribute);
    if (hasSituation(t))
        out.push_back(Index::Situation);
    if (words)
        out.push_back(Index::Activity);
    if (t.workflow.size() == 1 && t.workflow.front().find('@') == std::string::npos)
        out.push_back(Index::Workflow);
    return out;
}

ListSql::Index ListSql::covering(const ListFilter& filter)
{
    const auto all = [&](auto&& holds) {
        return !filter.empty() && std::all_of(filter.begin(), filter.end(), holds);
    };
    const auto inIndexes = [](const ListTerm& t) {
        return t.key.empty() && !t.root && t.attributes.empty() && !t.amountAbove && !t.amountBelow
            && t.currency.empty() && !t.heldAt && !t.notHeldAt && t.assigned.empty() && t.notAssigned.empty();
    };
    if (!all(inIndexes))
        return Index::None;
    if (all(hasSituation))
        return Index::Situation;
    if (!all([](const ListTerm& t) { return t.situation.empty(); }))
        return Index::None;
    if (all(hasError))
        return Index::Error;
    return all([](const ListTerm& t) { return t.errorContains.empty(); }) ? Index::Attention : Index::None;
}

ListTerm ListSql::part(const ListTerm& t, Index index)
{
    ListTerm out;
    if (index == Index::Activity) {
        out.activity = t.activity;
        out.notActivity = t.notActivity;
        out.attention = t.attention;
        out.notAttention = t.notAttention;
        out.reason = t.reason;
        out.notReason = t.notReason;
        out.unfinishedOnly = t.unfinishedOnly;
    }
    if (index == Index::Workflow)
        out.workflow = t.workflow;
    if (index == Index::Root)
        out.root = t.root;
    if (index == Index::Parent)
        out.parent = t.parent;
    if (index == Index::Key)
        out.key = t.key;
    if (index == Index::Situation)
        out.situation = t.situation;
    if (index == Index::Attribute)
        out.attributes = {t.attributes.front()};
    if (index == Index::Run)
        out.run = t.run;
    return out;
}

void ListSql::bindTo(Query& query) const
{
    for (const Value& value : m_values)
        std::visit([&](const auto& v) { query.bind(v); }, value);
}

void ListSql::also(const char* fragment)
{
    if (!m_first)
        m_condition += " AND ";
    m_first = false;
    m_condition += fragment;
}

void ListSql::placeholders(std::size_t count)
{
    m_condition += '(';
    for (std::size_t i = 0; i < count; ++i)
        m_condition += i == 0 ? "?" : ", ?";
    m_condition += ')';
}

void ListSql::addIn(const char* fragment, const std::vector<std::int64_t>& values)
{
    also(fragment);
    if (values.empty()) {  // a contradiction: one value that no row has, so that the index still fits
        m_condition += "(-1)";
        return;
    }
    placeholders(values.size());
    m_values.insert(m_values.end(), values.begin(), values.end());
}

void ListSql::addTextIn(const char* fragment, const std::vector<std::string>& values)
{
    if (values.empty())
        return;
    also(fragment);
    placeholders(values.size());
    m_values.insert(m_values.end(), values.begin(), values.end());
}

void ListSql::addPatterns(
    const char* exact, const char* range, const std::vector<std::string>& patterns, bool negate)
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
            m_condition += "1";
        } else if (isPattern(pattern)) {
            const std::string prefix = pattern.substr(0, pattern.size() - 1);
            m_condition += range;
            m_values.emplace_back(prefix);
            m_values.emplace_back(afterPrefix(prefix));
        } else {
            m_condition += exact;
            m_values.emplace_back(pattern);
        }
    }
    m_condition += ')';
}

void ListSql::addWorkflows(const std::vector<std::string>& names, bool negate)
{
    if (names.empty())
        return;
    if (names.size() == 1 && !negate && names.front().find('@') == std::string::npos) {
        also("workflow = ?");  // lets the index be used
        m_values.emplace_back(names.front());
        return;
    }
    also(negate ? "NOT (" : "(");
    m_condition += "workflow IN ";
    placeholders(names.size());
    m_condition += " OR workflow || '@' || workflow_version IN ";
    placeholders(names.size());
    m_condition += ')';
    for (int twice = 0; twice < 2; ++twice)
        m_values.insert(m_values.end(), names.begin(), names.end());
}

void ListSql::addTime(const char* fragment, TimeMs time)
{
    if (time == kNoTime)
        return;
    also(fragment);
    m_values.emplace_back(time);
}

// All three columns are named where one is wanted, so that the index on (activity, attention, reason) always
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
        addIn("activity IN ", activities);
    if (attentionWanted || reasonWanted)
        addIn("attention IN ", attentions);
    if (reasonWanted)
        addIn("reason IN ", reasons);
}

void ListSql::addTexts(const ListTerm& t)
{
    addWorkflows(t.workflow, false);
    addWorkflows(t.notWorkflow, true);
    addPatterns("step = ?", "(step >= ? AND step < ?)", t.step, false);
    addPatterns("step = ?", "(step >= ? AND step < ?)", t.notStep, true);
    addTextIn("ifnull(situation, '') IN ",
        std::find(t.situation.begin(), t.situation.end(), "") == t.situation.end()
            ? std::vector<std::string>()
            : t.situation);
    if (std::find(t.situation.begin(), t.situation.end(), "") == t.situation.end())
        addTextIn("situation IN ", t.situation);
    addTextIn("resource IN ", t.resource);
    if (!t.errorContains.empty()) {
        also("(");
        for (std::size_t i = 0; i < t.errorContains.size(); ++i) {
            m_condition += i == 0 ? "error LIKE ? ESCAPE '\\'" : " OR error LIKE ? ESCAPE '\\'";
            m_values.emplace_back(likePattern(t.errorContains[i]));
        }
        m_condition += ')';
    }
    const bool noKey = std::find(t.key.begin(), t.key.end(), "") != t.key.end();
    if (noKey)
        addPatterns("ifnull(key, '') = ?", "(key >= ? AND key < ?)", t.key, false);
    else
        addPatterns("key = ?", "(key >= ? AND key < ?)", t.key, false);
}

void ListSql::addPlaces(const ListTerm& t)
{
    if (t.parent) {
        also("parent = ?");
        m_values.emplace_back(*t.parent);
    }
    if (t.root) {
        also("root = ?");
        m_values.emplace_back(*t.root);
    }
    if (t.run) {
        also("run = ?");
        m_values.emplace_back(*t.run);
    }
    if (t.rootsOnly)
        also("parent IS NULL");
}

void ListSql::addAttributes(const ListTerm& t)
{
    for (const auto& [name, text] : t.attributes) {
        if (m_from == Index::Attribute && &name == &t.attributes.front().first)
            continue;
        also("EXISTS(SELECT 1 FROM run_attributes a WHERE a.run = run_list.run AND a.name = ? AND a.text = "
             "?)");
        m_values.emplace_back(name);
        m_values.emplace_back(text);
    }
}

void ListSql::addPeople(const ListTerm& t)
{
    if (!t.worker.empty()) {
        also("(EXISTS(SELECT 1 FROM attempts a WHERE a.run = run_list.run AND a.ended_at = 0 AND a.worker "
             "IN ");
        placeholders(t.worker.size());
        m_condition += ") OR EXISTS(SELECT 1 FROM run_hot h JOIN sessions s ON s.id = h.owner "
                       "WHERE h.run = run_list.run AND s.name IN ";
        placeholders(t.worker.size());
        m_condition += "))";
        for (int twice = 0; twice < 2; ++twice)
            m_values.insert(m_values.end(), t.worker.begin(), t.worker.end());
    }
    if (!t.touchedBy.empty()) {
        also(
            "EXISTS(SELECT 1 FROM audit u WHERE u.run = run_list.run AND u.kind = 'applied' AND u.actor IN ");
        placeholders(t.touchedBy.size());
        m_condition += ')';
        m_values.insert(m_values.end(), t.touchedBy.begin(), t.touchedBy.end());
    }
    addLost(t.lost, false);
    addLost(t.notLost, true);
}

void ListSql::addLost(const std::optional<std::vector<SessionId>>& living, bool negate)
{
    if (!living)
        return;
    also(negate ? "NOT EXISTS(" : "EXISTS(");
    m_condition +=
        "SELECT 1 FROM attempts a WHERE a.run = run_list.run AND a.ended_at = 0 AND a.session IS NOT NULL "
        "AND a.session NOT IN ";
    placeholders(living->size());
    m_condition += ')';
    m_values.insert(m_values.end(), living->begin(), living->end());
}

void ListSql::addAmounts(const ListTerm& t)
{
    if (t.amountAbove) {
        also("currency <> '' AND amount > ?");
        m_values.emplace_back(*t.amountAbove);
    }
    if (t.amountBelow) {
        also("currency <> '' AND amount < ?");
        m_values.emplace_back(*t.amountBelow);
    }
    if (!t.currency.empty()) {
        also("currency = ?");
        m_values.emplace_back(t.currency);
    }
}

void ListSql::addAnnotations(const ListTerm& t)
{
    if (t.heldAt) {
        also("held_until > ?");
        m_values.emplace_back(*t.heldAt);
    }
    if (t.notHeldAt) {
        also("held_until <= ?");
        m_values.emplace_back(*t.notHeldAt);
    }
    addTextIn("assigned IN ", t.assigned);
    addTextIn("assigned NOT IN ", t.notAssigned);
}

void ListSql::addTimes(const ListTerm& t)
{
    addTime("since < ?", t.sinceBefore);
    addTime("since >= ?", t.sinceAfter);
    addTime("created_at < ?", t.createdBefore);
    addTime("created_at >= ?", t.createdAfter);
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
        m_condition += '1';
    m_condition += ')';
}

}  // namespace cairn::sqlite
