#pragma once
// Layered layout of a directed graph, top to bottom: layers by longest path, edges over several layers as
// chains of bends, order by barycentres with adjacent exchanges, positions by isotonic regression. Pure; any
// thread. 10,000 nodes take some tens of milliseconds, so a folded run is laid out on the UI thread without
// being noticed.

#include <cstdint>
#include <utility>
#include <vector>

namespace cairn::ui {

struct LayoutInput {
    int nodes = 0;
    std::vector<std::pair<int, int>> edges;  // from, to; self-loops and edges that close a circle are ignored
    std::vector<char> spine;                 // nodes that should stand in one straight line; may be empty
    int sweeps = 6;
    int maxBends = 60'000;  // beyond this many bends in all, long edges are drawn straight
};

struct LayoutResult {
    std::vector<int> layer;                  // of each node
    std::vector<double> x;                   // centre, in node widths (1.0 = one column)
    std::vector<std::vector<double>> bends;  // of each edge: x in each layer between its ends
    int layers = 0;
    double width = 0;  // in columns
    std::int64_t crossings = 0;
    std::vector<char> dropped;  // edge was ignored
};

[[nodiscard]] LayoutResult layOut(const LayoutInput& input);

namespace layered {

// Shared by the passes.
struct Net {
    int real = 0;                        // ids below are nodes, the others bends
    std::vector<std::vector<int>> rows;  // ids by layer, in order
    std::vector<std::vector<int>> up, down;
    std::vector<int> layer, place;
    std::vector<char> spine;
    [[nodiscard]] double width(int id) const { return id < real ? 1.0 : 0.25; }
    void renumber();
};

[[nodiscard]] std::int64_t crossings(const Net& net);
void order(Net& net, int sweeps);
[[nodiscard]] std::vector<double> positions(const Net& net);

}  // namespace layered
}  // namespace cairn::ui
