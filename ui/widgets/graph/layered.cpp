#include "ui/widgets/graph/layered.h"

#include <algorithm>
#include <limits>

namespace cairn::ui {

namespace {

using layered::Net;
using Lists = std::vector<std::vector<int>>;

// Kahn's order; ids left over stand on a circle (only damaged data has one).
std::vector<int> topological(int nodes, const Lists& out)
{
    std::vector<int> open(static_cast<std::size_t>(nodes), 0);
    for (const auto& targets : out)
        for (const int to : targets)
            ++open[static_cast<std::size_t>(to)];
    std::vector<int> done;
    done.reserve(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; ++i)
        if (open[static_cast<std::size_t>(i)] == 0)
            done.push_back(i);
    for (std::size_t head = 0; head < done.size(); ++head)
        for (const int to : out[static_cast<std::size_t>(done[head])])
            if (--open[static_cast<std::size_t>(to)] == 0)
                done.push_back(to);
    return done;
}

// Drops self-loops, doubles and edges out of range; then those that point backwards in what is left of a
// circle.
Lists usableEdges(const LayoutInput& in, LayoutResult& result)
{
    const auto n = static_cast<std::size_t>(in.nodes);
    Lists out(n);
    result.dropped.assign(in.edges.size(), 0);
    for (std::size_t e = 0; e < in.edges.size(); ++e) {
        const auto [from, to] = in.edges[e];
        if (from == to || from < 0 || to < 0 || from >= in.nodes || to >= in.nodes)
            result.dropped[e] = 1;
        else
            out[static_cast<std::size_t>(from)].push_back(to);
    }
    if (topological(in.nodes, out).size() == n)
        return out;
    for (auto& targets : out)
        targets.clear();
    for (std::size_t e = 0; e < in.edges.size(); ++e) {
        const auto [from, to] = in.edges[e];
        if (from >= to)
            result.dropped[e] = 1;
        else if (result.dropped[e] == 0)
            out[static_cast<std::size_t>(from)].push_back(to);
    }
    return out;
}

std::vector<int> layersOf(const std::vector<int>& sorted, const Lists& out)
{
    std::vector<int> layer(out.size(), 0);
    std::vector<char> hasInput(out.size(), 0);
    for (const int from : sorted)
        for (const int to : out[static_cast<std::size_t>(from)]) {
            hasInput[static_cast<std::size_t>(to)] = 1;
            auto& l = layer[static_cast<std::size_t>(to)];
            l = std::max(l, layer[static_cast<std::size_t>(from)] + 1);
        }
    // A source stands just above the first that needs it, not at the top of everything.
    for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
        const auto u = static_cast<std::size_t>(*it);
        if (hasInput[u] != 0 || out[u].empty())
            continue;
        int lowest = std::numeric_limits<int>::max();
        for (const int to : out[u])
            lowest = std::min(lowest, layer[static_cast<std::size_t>(to)] - 1);
        layer[u] = std::max(layer[u], lowest);
    }
    return layer;
}

int addBend(Net& net, int at)
{
    const int id = static_cast<int>(net.layer.size());
    net.layer.push_back(at);
    net.up.emplace_back();
    net.down.emplace_back();
    net.spine.push_back(0);
    net.rows[static_cast<std::size_t>(at)].push_back(id);
    return id;
}

void join(Net& net, int from, int to)
{
    net.down[static_cast<std::size_t>(from)].push_back(to);
    net.up[static_cast<std::size_t>(to)].push_back(from);
}

// One bend in each layer that an edge passes; gives the ids of each edge's bends.
Lists addBends(Net& net, const LayoutInput& in, const LayoutResult& result)
{
    Lists chains(in.edges.size());
    std::int64_t total = 0;
    for (std::size_t e = 0; e < in.edges.size(); ++e)
        if (result.dropped[e] == 0)
            total += net.layer[static_cast<std::size_t>(in.edges[e].second)]
                - net.layer[static_cast<std::size_t>(in.edges[e].first)] - 1;
    for (std::size_t e = 0; e < in.edges.size(); ++e) {
        if (result.dropped[e] != 0)
            continue;
        const auto [from, to] = in.edges[e];
        int last = from;
        const int end = net.layer[static_cast<std::size_t>(to)];
        const int begin = net.layer[static_cast<std::size_t>(from)] + 1;
        if (total > in.maxBends && end > begin)
            continue;  // drawn straight
        for (int l = begin; l < end; ++l) {
            const int bend = addBend(net, l);
            chains[e].push_back(bend);
            join(net, last, bend);
            last = bend;
        }
        join(net, last, to);
    }
    return chains;
}

}  // namespace

LayoutResult layOut(const LayoutInput& in)
{
    LayoutResult result;
    if (in.nodes <= 0)
        return result;
    const Lists out = usableEdges(in, result);
    const std::vector<int> sorted = topological(in.nodes, out);
    Net net;
    net.real = in.nodes;
    net.layer = layersOf(sorted, out);
    result.layers = 1 + *std::max_element(net.layer.begin(), net.layer.end());
    net.rows.resize(static_cast<std::size_t>(result.layers));
    net.up.resize(out.size());
    net.down.resize(out.size());
    net.spine.assign(out.size(), 0);
    if (in.spine.size() == out.size())
        net.spine = in.spine;
    for (const int id : sorted)
        net.rows[static_cast<std::size_t>(net.layer[static_cast<std::size_t>(id)])].push_back(id);
    const Lists chains = addBends(net, in, result);
    layered::order(net, in.sweeps);
    result.crossings = layered::crossings(net);
    const std::vector<double> x = layered::positions(net);
    result.layer.assign(net.layer.begin(), net.layer.begin() + in.nodes);
    result.x.assign(x.begin(), x.begin() + in.nodes);
    result.bends.resize(in.edges.size());
    for (std::size_t e = 0; e < chains.size(); ++e)
        for (const int bend : chains[e])
            result.bends[e].push_back(x[static_cast<std::size_t>(bend)]);
    for (const double centre : x)
        result.width = std::max(result.width, centre + 0.5);
    return result;
}

}  // namespace cairn::ui
