// Order within the layers, and positions.
#include "ui/widgets/graph/layered.h"

#include <algorithm>

namespace cairn::ui::layered {

namespace {

using Lists = std::vector<std::vector<int>>;

std::size_t z(int i) { return static_cast<std::size_t>(i); }

// Crossings between two neighbouring layers: inversions, counted with a Fenwick tree.
std::int64_t between(const Net& net, std::size_t row)
{
    std::vector<int> ends;
    for (const int id : net.rows[row]) {
        const auto first = ends.size();
        for (const int to : net.down[z(id)])
            ends.push_back(net.place[z(to)]);
        std::sort(ends.begin() + static_cast<std::ptrdiff_t>(first), ends.end());
    }
    std::vector<int> tree(net.rows[row + 1].size() + 1, 0);
    std::int64_t total = 0;
    int seen = 0;
    for (const int end : ends) {
        int notRight = 0;
        for (auto i = z(end) + 1; i > 0; i -= i & (~i + 1))
            notRight += tree[i];
        total += seen - notRight;
        for (auto i = z(end) + 1; i < tree.size(); i += i & (~i + 1))
            ++tree[i];
        ++seen;
    }
    return total;
}

// Depth first from the sources, so that what hangs together begins side by side; the spine goes first.
void firstOrder(Net& net)
{
    std::vector<char> seen(net.layer.size(), 0);
    Lists rows(net.rows.size());
    std::vector<int> open;
    const auto visit = [&](int start) {
        open.push_back(start);
        while (!open.empty()) {
            const int id = open.back();
            open.pop_back();
            if (seen[z(id)] != 0)
                continue;
            seen[z(id)] = 1;
            rows[z(net.layer[z(id)])].push_back(id);
            for (auto it = net.down[z(id)].rbegin(); it != net.down[z(id)].rend(); ++it)
                if (seen[z(*it)] == 0)
                    open.push_back(*it);
        }
    };
    for (const auto& row : net.rows)
        for (const int id : row)
            if (net.up[z(id)].empty())
                visit(id);
    net.rows = std::move(rows);
    net.renumber();
}

void sortByNeighbours(Net& net, std::vector<int>& row, const Lists& neighbours, std::vector<double>& key)
{
    for (const int id : row) {
        const auto& list = neighbours[z(id)];
        double sum = 0;
        for (const int other : list)
            sum += net.place[z(other)];
        key[z(id)] = list.empty() ? net.place[z(id)] : sum / static_cast<double>(list.size());
    }
    std::stable_sort(row.begin(), row.end(), [&key](int a, int b) { return key[z(a)] < key[z(b)]; });
    for (std::size_t i = 0; i < row.size(); ++i)
        net.place[z(row[i])] = static_cast<int>(i);
}

int gainOf(const Net& net, int a, int b, const Lists& neighbours)
{
    int gain = 0;
    for (const int x : neighbours[z(a)])
        for (const int y : neighbours[z(b)])
            gain += (net.place[z(x)] > net.place[z(y)] ? 1 : 0) - (net.place[z(x)] < net.place[z(y)] ? 1 : 0);
    return gain;
}

// Exchanges neighbours while that removes crossings.
bool exchange(Net& net)
{
    bool better = false;
    for (auto& row : net.rows)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            const int a = row[i];
            const int b = row[i + 1];
            if (net.up[z(a)].size() * net.up[z(b)].size() + net.down[z(a)].size() * net.down[z(b)].size()
                > 4096)
                continue;  // wide fans cost more than they give
            if (gainOf(net, a, b, net.up) + gainOf(net, a, b, net.down) <= 0)
                continue;
            std::swap(row[i], row[i + 1]);
            net.place[z(a)] = static_cast<int>(i) + 1;
            net.place[z(b)] = static_cast<int>(i);
            better = true;
        }
    return better;
}

struct Block {
    double sum = 0;
    double weight = 0;
    std::size_t count = 0;
};

double weightOf(const Net& net, int a, int b)
{
    if (net.spine[z(a)] != 0 && net.spine[z(b)] != 0)
        return 40.0;  // the path to the wait stays one straight line
    return a >= net.real && b >= net.real ? 3.0 : 1.0;
}

// Wished places of one row, kept in order and apart: weighted isotonic regression (pool adjacent violators).
void placeRow(const Net& net, const std::vector<int>& row, std::vector<double>& x, bool useUp, bool useDown)
{
    std::vector<double> offset(row.size(), 0.0);
    for (std::size_t i = 1; i < row.size(); ++i)
        offset[i] = offset[i - 1] + (net.width(row[i - 1]) + net.width(row[i])) / 2;
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const int id = row[i];
        double sum = 0;
        double weight = 0;
        const auto pull = [&](const std::vector<int>& others) {
            for (const int other : others) {
                const double w = weightOf(net, id, other);
                sum += w * x[z(other)];
                weight += w;
            }
        };
        if (useUp)
            pull(net.up[z(id)]);
        if (useDown)
            pull(net.down[z(id)]);
        if (weight == 0.0) {
            weight = 0.05;
            sum = weight * x[z(id)];
        }
        blocks.push_back({sum - weight * offset[i], weight, 1});
        while (blocks.size() > 1) {
            const Block& right = blocks.back();
            Block& left = blocks[blocks.size() - 2];
            if (left.sum / left.weight <= right.sum / right.weight)
                break;
            left.sum += right.sum;
            left.weight += right.weight;
            left.count += right.count;
            blocks.pop_back();
        }
    }
    std::size_t i = 0;
    for (const Block& block : blocks)
        for (std::size_t k = 0; k < block.count; ++k, ++i)
            x[z(row[i])] = block.sum / block.weight + offset[i];
}

// Moves one node to `to` and its neighbours in the row out of the way, in both directions.
void pushTo(const Net& net, const std::vector<int>& row, std::size_t at, double to, std::vector<double>& x)
{
    x[z(row[at])] = to;
    for (std::size_t i = at; i-- > 0;)
        x[z(row[i])] =
            std::min(x[z(row[i])], x[z(row[i + 1])] - (net.width(row[i]) + net.width(row[i + 1])) / 2);
    for (std::size_t i = at + 1; i < row.size(); ++i)
        x[z(row[i])] =
            std::max(x[z(row[i])], x[z(row[i - 1])] + (net.width(row[i]) + net.width(row[i - 1])) / 2);
}

// Room for a node to stand at `to` without touching its neighbours.
bool fits(
    const Net& net, const std::vector<int>& row, std::size_t at, double to, const std::vector<double>& x)
{
    const double half = net.width(row[at]) / 2;
    const bool left = at == 0 || x[z(row[at - 1])] + net.width(row[at - 1]) / 2 <= to - half + 1e-9;
    const bool right =
        at + 1 >= row.size() || x[z(row[at + 1])] - net.width(row[at + 1]) / 2 >= to + half - 1e-9;
    return left && right;
}

// The path becomes one straight line; elsewhere kinks of less than half a column go where there is room.
void straighten(const Net& net, std::vector<double>& x)
{
    double sum = 0;
    int count = 0;
    for (std::size_t id = 0; id < net.spine.size(); ++id)
        if (net.spine[id] != 0) {
            sum += x[id];
            ++count;
        }
    for (const auto& row : net.rows)
        for (std::size_t i = 0; count > 0 && i < row.size(); ++i)
            if (net.spine[z(row[i])] != 0) {
                pushTo(net, row, i, sum / count, x);
                break;  // one per layer; others on the path keep their distance
            }
    const auto settle = [&](const std::vector<int>& row, const Lists& others) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const int id = row[i];
            if (net.spine[z(id)] != 0 || others[z(id)].size() != 1)
                continue;
            const double to = x[z(others[z(id)].front())];
            if (to - x[z(id)] > -0.5 && to - x[z(id)] < 0.5 && fits(net, row, i, to, x))
                x[z(id)] = to;
        }
    };
    for (std::size_t row = 0; row < net.rows.size(); ++row)
        settle(net.rows[row], net.up);
    for (std::size_t row = net.rows.size(); row-- > 0;)
        settle(net.rows[row], net.down);
}

}  // namespace

void Net::renumber()
{
    place.resize(layer.size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            place[static_cast<std::size_t>(row[i])] = static_cast<int>(i);
}

std::int64_t crossings(const Net& net)
{
    std::int64_t total = 0;
    for (std::size_t row = 0; row + 1 < net.rows.size(); ++row)
        total += between(net, row);
    return total;
}

void order(Net& net, int sweeps)
{
    firstOrder(net);
    std::vector<double> key(net.layer.size());
    Lists best = net.rows;
    std::int64_t fewest = crossings(net);
    const auto keep = [&] {
        const std::int64_t now = crossings(net);
        if (now < fewest) {
            fewest = now;
            best = net.rows;
        }
    };
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
        if (sweep % 2 == 0)
            for (std::size_t row = 1; row < net.rows.size(); ++row)
                sortByNeighbours(net, net.rows[row], net.up, key);
        else
            for (std::size_t row = net.rows.size() - 1; row-- > 0;)
                sortByNeighbours(net, net.rows[row], net.down, key);
        keep();
    }
    net.rows = best;
    net.renumber();
    for (int pass = 0; pass < 8 && fewest > 0 && exchange(net); ++pass)
        keep();
    net.rows = best;
    net.renumber();
}

std::vector<double> positions(const Net& net)
{
    std::vector<double> x(net.layer.size(), 0.0);
    for (const auto& row : net.rows) {
        double at = 0;
        for (const int id : row) {
            x[z(id)] = at + net.width(id) / 2;
            at += net.width(id);
        }
        for (const int id : row)
            x[z(id)] -= at / 2;
    }
    for (int sweep = 0; sweep < 8; ++sweep) {
        const bool both = sweep >= 4;
        if (sweep % 2 == 0)
            for (std::size_t row = 0; row < net.rows.size(); ++row)
                placeRow(net, net.rows[row], x, true, both);
        else
            for (std::size_t row = net.rows.size(); row-- > 0;)
                placeRow(net, net.rows[row], x, both, true);
    }
    straighten(net, x);
    double left = 0;
    bool first = true;
    for (std::size_t id = 0; id < x.size(); ++id) {
        const double edge = x[id] - net.width(static_cast<int>(id)) / 2;
        left = first ? edge : std::min(left, edge);
        first = false;
    }
    for (double& value : x)
        value -= left;
    return x;
}

}  // namespace cairn::ui::layered
