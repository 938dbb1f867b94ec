#pragma once
// What helps to write a filter: what can stand at a place of it, with how many runs that would find, and how
// many each of its terms takes away. Both count with the store's own rules. Blocking, as Query is.

#include "core/query/query.h"

namespace cairn {

struct FilterOption {
    std::string text;                    // what takes the place of what is written there
    std::optional<std::uint64_t> count;  // runs that this leaves; none: a field, or the rest is not valid
};
struct FilterOptions {
    std::size_t offset = 0;  // of what a chosen text replaces
    std::size_t length = 0;
    std::string field;                  // whose values these are; empty: fields
    std::vector<FilterOption> options;  // of values: those that find most first
    bool more = false;                  // `limit` has cut them
};
// `cursor`: a byte of `text`, or its end. Values are those that this store has. Errors are the store's; a
// filter that is wrong has options all the same, without counts.
[[nodiscard]] Result<FilterOptions> filterOptions(
    Query& query, std::string_view text, std::size_t cursor, TimeMs now, std::size_t limit);

struct FilterEffect {
    std::string term;
    std::size_t offset = 0;  // of it in the text
    std::size_t length = 0;
    std::size_t alternative = 0;
    std::uint64_t removed = 0;  // of what the terms before it in its alternative have left
    std::uint64_t without = 0;  // runs that the whole filter would find if this term were not there
};
// The sums fit: all runs of the store, less what the terms of an alternative have removed, is what that one
// finds. InvalidInput: the filter is wrong.
[[nodiscard]] Result<std::vector<FilterEffect>> filterEffects(
    Query& query, std::string_view text, TimeMs now);

// The text as a value, in quotes where it needs them.
[[nodiscard]] std::string filterValue(std::string_view text);
// The filter with one more term, in each of its alternatives; one of the same field gives way where a run
// cannot have both. `term` is field:value; `negated`: what it finds is left out instead. InvalidInput: it
// cannot be negated.
[[nodiscard]] Result<std::string> withFilterTerm(
    std::string_view filter, std::string_view term, bool negated);

}  // namespace cairn
