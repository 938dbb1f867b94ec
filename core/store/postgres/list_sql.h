#pragma once
// Filters of lists as SQL: put together from fixed fragments chosen by enum, every value bound. Sets are
// bound as arrays, so that the text depends on what is asked for and not on how much.

#include "core/store/postgres/db.h"
#include "core/store/store.h"

namespace cairn::postgres {

class ListSql {
public:
    // The condition of a filter; always true for an empty one.
    explicit ListSql(const ListFilter& filter);

    [[nodiscard]] const std::string& condition() const { return m_condition; }
    [[nodiscard]] const Params& params() const { return m_params; }
    // Binds one more value: its placeholder, "$7".
    template<typename T> std::string bind(const T& value)
    {
        m_params.add(value);
        std::string placeholder(1, '$');
        placeholder += std::to_string(m_params.values().size());
        return placeholder;
    }

private:
    void addTerm(const ListTerm& term);
    void addWords(const ListTerm& term);
    void addTexts(const ListTerm& term);
    void addErrors(const ListTerm& term);
    void addPlaces(const ListTerm& term);
    void addAttributes(const ListTerm& term);
    void addPeople(const ListTerm& term);
    void addLost(const std::optional<std::vector<SessionId>>& living, bool negate);
    void addAmounts(const ListTerm& term);
    void addAnnotations(const ListTerm& t);
    void addTimes(const ListTerm& term);
    void addIn(const char* fragment, const std::vector<std::int64_t>& values);
    void addPatterns(
        const char* exact, const char* prefixed, const std::vector<std::string>& patterns, bool negate);
    void addWorkflows(const std::vector<std::string>& names, bool negate);
    void addTime(const char* fragment, TimeMs time);
    void also(const char* fragment);
    // Appends a placeholder for a value.
    template<typename T> void value(const T& v) { m_condition += bind(v); }

    std::string m_condition;
    Params m_params;
    bool m_first = true;  // no condition of the present term yet
};

}  // namespace cairn::postgres
