#pragma once
// What helps to write a filter, as plain values. Places are those of QString.

#include <QString>
#include <QStringList>

#include <vector>

namespace cairn::ui {

struct FilterQuestion {
    QString text;
    int cursor = -1;       // what can stand there; -1: not asked
    bool effects = false;  // what each term takes away
};
struct FilterChoice {
    QString text;  // takes the place of what is written
    qint64 count = -1;
    bool operator==(const FilterChoice&) const = default;
};
struct FilterTerm {
    QString term;
    int offset = 0;
    int length = 0;
    quint64 removed = 0;  // of what the terms before it have left
    quint64 without = 0;  // runs that match where it is not there
    bool operator==(const FilterTerm&) const = default;
};
struct FilterHelp {
    int offset = 0;  // of what a choice replaces
    int length = 0;
    QString field;  // whose values the choices are; empty: fields
    std::vector<FilterChoice> choices;
    bool more = false;
    std::vector<FilterTerm> terms;
};
struct FilterCounts {
    std::vector<qint64> runs;  // of each; -1: that filter is wrong
    bool operator==(const FilterCounts&) const = default;
};

// The filter with one more term, in each of its alternatives. Nothing, and why: it cannot be added.
struct AddedTerm {
    QString filter;
    QString wrong;
};
[[nodiscard]] AddedTerm withTerm(const QString& filter, const QString& term, bool negated);
// field:value, in quotes where the value needs them; empty for no value.
[[nodiscard]] QString termOf(const QString& field, const QString& value);
// The filter without what stands at that place.
[[nodiscard]] QString withoutTerm(const QString& filter, int offset, int length);

}  // namespace cairn::ui
