#pragma once
// Internal to parsing: diagnostics with places, and objects read field by field.

#include "core/base/json_scan.h"
#include "core/definition/parse.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// A value in the text and where it stands.
struct Node {
    std::string_view raw;  // a slice of the definition's text
    std::string pointer;
};

class Report {
public:
    explicit Report(std::string_view text)
        : m_text(text)
    {
    }

    // `at` is a slice of the text.
    void error(std::string_view at, const std::string& pointer, std::string text);
    void warning(std::string_view at, const std::string& pointer, std::string text);
    // By pointer alone; where nothing is there, the nearest value around it.
    void errorAt(const std::string& pointer, std::string text);
    void warningAt(const std::string& pointer, std::string text);

    [[nodiscard]] bool hasErrors() const noexcept { return m_errors > 0; }
    [[nodiscard]] bool hasErrorAtOrBelow(const std::string& pointer) const;
    // Text too long for the schema's patterns was found: the schema pass would be slow on it, and is not
    // needed.
    bool tooLongForSchema = false;
    [[nodiscard]] std::string_view text() const noexcept { return m_text; }
    [[nodiscard]] std::vector<Diagnostic> take();

private:
    void add(Severity severity, std::string_view at, const std::string& pointer, std::string text);
    [[nodiscard]] std::string_view locate(std::string pointer) const;

    std::string_view m_text;
    std::size_t m_errors = 0;
    std::vector<std::pair<std::size_t, Diagnostic>> m_items;  // by offset
};

// Members of one object. Reports what is not an object, unknown fields (with the nearest known name), and by
// the functions below what is missing or has the wrong form. After a report the functions return their
// fallback.
class Fields {
public:
    // `what` names the object in messages: "a step", "tool \"pay\"".
    Fields(Report& report, Node node, std::string what, std::initializer_list<std::string_view> known);

    [[nodiscard]] bool has(std::string_view name) const { return member(name) != nullptr; }
    [[nodiscard]] Node node(std::string_view name) const;  // raw empty where absent
    [[nodiscard]] Node self() const { return m_node; }
    [[nodiscard]] const std::string& what() const noexcept { return m_what; }
    void rename(std::string what) { m_what = std::move(what); }
    bool require(std::string_view name);
    // A field that this kind of object does not take, although others do.
    void forbid(std::string_view name, const std::string& why);

    std::string text(std::string_view name, std::size_t most = 200);
    std::string identifier(std::string_view name);
    std::string pointer(std::string_view name);
    std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t fallback);
    bool flag(std::string_view name, bool fallback);
    SpanMs span(std::string_view name, SpanMs fallback, bool mayBeZero = false);
    std::string rawObject(std::string_view name);
    std::string raw(std::string_view name) const;
    std::vector<Node> list(std::string_view name);
    std::vector<std::pair<JsonMember, Node>> map(std::string_view name);
    // The position of the field's text among `choices`, or -1.
    int choice(std::string_view name, std::initializer_list<std::string_view> choices, int fallback);
    std::vector<std::string> identifiers(std::string_view name);

    Report& report() { return m_report; }
    void error(std::string_view name, std::string text);  // at a field, or at the object where it is absent

private:
    [[nodiscard]] const JsonMember* member(std::string_view name) const;
    bool wants(std::string_view name, JsonKind kind);

    Report& m_report;
    Node m_node;
    std::string m_what;
    std::vector<JsonMember> m_members;
};

// Empty where `name` may name a workflow, tool, step or agent; else what is wrong with it.
[[nodiscard]] std::string identifierFault(std::string_view name);
[[nodiscard]] std::string didYouMean(const std::string& near);
// Text of a node that must be text; reports otherwise.
[[nodiscard]] std::string textOf(Report& report, const Node& node, const std::string& what, std::size_t most);

// The parts of a definition.
void readTools(Definition& out, Fields& top);
void readSteps(Definition& out, Fields& top);
std::vector<BudgetLine> readBudget(Fields& fields, std::string_view name);
RetryPolicy readRetry(Fields& fields, std::string_view name, RetryPolicy fallback);
// The step's time as a whole has room for one attempt, unless the workflow says less.
void boundAttempt(Fields& parent, RetryPolicy& retry, SpanMs timeout);
// Rules between parts: names, order, what reads what.
void checkDefinition(const Definition& definition, Report& report);
// What the published schema refuses and nothing else reported.
void checkSchema(std::string_view text, Report& report);

}  // namespace cairn
