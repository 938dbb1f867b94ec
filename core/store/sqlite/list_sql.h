#pragma once
// Filters of lists as SQL: put together from fixed fragments chosen by enum, every value bound. Which index
// is used is decided here, not guessed by the planner: a store has no statistics.

#include "core/store/sqlite/db.h"
#include "core/store/store.h"

#include <variant>

namespace cairn::sqlite {

class ListSql {
public:
    enum class Index : std::uint8_t {
        None,
        Created,
        Attention,
        Activity,
        Workflow,
        Root,
        Parent,
        Key,
        Situation,
        Error,
        Attribute,  // of run_attributes, joined to the list
        Run,        // the table itself
    };

    // The condition of a filter; always true for an empty one. With Index::Attribute the first attribute of
    // the only term is where rows come from (see from()), and no condition.
    explicit ListSql(const ListFilter& filter, Index from = Index::None);

    // The indexes that can narrow a term, the most promising first.
    [[nodiscard]] static std::vector<Index> candidates(const ListTerm& term);
    // What an index knows of a term: the rest left out.
    [[nodiscard]] static ListTerm part(const ListTerm& term, Index index);
    // The index that holds all that the filter asks for, so that no other row is touched than those wanted;
    // None: there is none.
    [[nodiscard]] static Index covering(const ListFilter& filter);

    // " FROM run_list INDEXED BY ..."
    [[nodiscard]] std::string from() const;
    [[nodiscard]] const std::string& condition() const { return m_condition; }
    // The values of from() and condition(), in this order.
    void bindTo(Query& query) const;

private:
    using Value = std::variant<std::int64_t, std::string, RunId, SessionId>;

    void addTerm(const ListTerm& term);
    void addAttributes(const ListTerm& term);
    void addWords(const ListTerm& term);
    void addTexts(const ListTerm& term);
    void addPlaces(const ListTerm& term);
    void addPeople(const ListTerm& term);
    void addAmounts(const ListTerm& term);
    void addLost(const std::optional<std::vector<SessionId>>& living, bool negate);
    void addAnnotations(const ListTerm& t);
    void addTimes(const ListTerm& term);
    void addIn(const char* fragment, const std::vector<std::int64_t>& values);
    void addTextIn(const char* fragment, const std::vector<std::string>& values);
    void addPatterns(
        const char* exact, const char* range, const std::vector<std::string>& patterns, bool negate);
    void addWorkflows(const std::vector<std::string>& names, bool negate);
    void addTime(const char* fragment, TimeMs time);
    void also(const char* fragment);
    void placeholders(std::size_t count);

    std::string m_condition;
    std::vector<Value> m_values;
    bool m_first = true;  // no condition of the present term yet
    Index m_from = Index::None;
};

}  // namespace cairn::sqlite
