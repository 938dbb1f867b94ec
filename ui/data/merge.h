#pragma once
// Several stores' answers as one: lists in the core's order, counts as sums. Pure; any thread.

#include "ui/data/gather.h"

namespace cairn::ui {

// How many rows a merged list of situations holds at most; as many as one store gives.
constexpr std::size_t kMostSituations = 500;

// A filter and a place within lists, as one asks for the rows of several stores.
struct ListRequest {
    QString filter;
    StoreIx situationOf = 0;
    QString situation;            // key; empty: all
    std::vector<PageMark> marks;  // by store; none or null: from the beginning
    int limit = 200;
    bool newest = false;  // as in SliceRequest
};

[[nodiscard]] Overview merged(const std::vector<Gather<Overview>::Part>& parts);
// The first `limit` rows of all after the marks, none twice, none left out: what is not taken of a store now
// is taken next time, as the marks say.
[[nodiscard]] RunSlice merged(const std::vector<Gather<RunSlice>::Part>& parts, std::vector<PageMark> marks,
    std::size_t limit, bool newest = false);

[[nodiscard]] FilterHelp merged(const std::vector<Gather<FilterHelp>::Part>& parts);
[[nodiscard]] FilterCounts merged(const std::vector<Gather<FilterCounts>::Part>& parts);
[[nodiscard]] bool sameContent(const FilterHelp& a, const FilterHelp& b);
[[nodiscard]] bool sameContent(const FilterCounts& a, const FilterCounts& b);

[[nodiscard]] bool sameContent(const Overview& a, const Overview& b);  // whenever they were read
[[nodiscard]] bool sameContent(const RunSlice& a, const RunSlice& b);

// The filter for one of the stores, without its `store:` terms: they say which stores are meant. Blanks stand
// in their place, so that places in the text stay what they are. Nothing: no run of this store is meant.
[[nodiscard]] std::optional<QString> filterFor(const QString& filter, const QString& store);
// Its `store:` terms, with a blank after each: what another filter takes over. Empty where it has
// alternatives.
[[nodiscard]] QString storeTerms(const QString& filter);

}  // namespace cairn::ui
