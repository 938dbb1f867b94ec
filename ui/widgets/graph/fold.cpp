#include "ui/widgets/graph/fold.h"

#include "ui/data/format.h"

#include <QCoreApplication>
#include <QMap>

#include <algorithm>
#include <map>
#include <numeric>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(fold)
};

using Lists = std::vector<std::vector<int>>;

// A partition of the steps: each becomes one node. Built up in passes.
struct Parts {
    const std::vector<StepLine>& steps;
    std::unordered_map<quint32, int> at;  // step index -> position in `steps`
    Lists after;                          // by position
    std::vector<int> part;                // position -> part
    std::vector<DrawnNode> nodes;
};

int positionOf(const Parts& p, quint32 ix)
{
    const auto found = p.at.find(ix);
    return found == p.at.end() ? -1 : found->second;
}

// Members of a fan-out run between what the fan-out waits for and the fan-out itself, which joins them.
void connect(Parts& p)
{
    p.after.resize(p.steps.size());
    std::vector<char> joins(p.steps.size(), 0);
    for (const StepLine& step : p.steps)
        if (const int owner = positionOf(p, step.owner); owner >= 0)
            joins[static_cast<std::size_t>(owner)] = 1;
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const StepLine& step = p.steps[i];
        const int owner = positionOf(p, step.owner);
        const auto& needed =
            owner >= 0 && step.after.empty() ? p.steps[static_cast<std::size_t>(owner)].after : step.after;
        if (joins[i] == 0 || owner >= 0)
            for (const quint32 before : needed)
                if (const int from = positionOf(p, before); from >= 0 && from != owner)
                    p.after[i].push_back(from);
        if (owner >= 0)
            p.after[static_cast<std::size_t>(owner)].push_back(static_cast<int>(i));
    }
}

QString stem(const QString& id)
{
    qsizetype end = id.size();
    while (end > 0 && (id.at(end - 1).isDigit() || u"[]#-_/."_s.contains(id.at(end - 1))))
        --end;
    return end > 0 ? id.left(end) : id;
}

void addCounts(const Parts& p, DrawnNode& node)
{
    QMap<int, int> byGlyph;
    for (const quint32 ix : node.steps)
        ++byGlyph[static_cast<int>(p.steps[static_cast<std::size_t>(positionOf(p, ix))].glyph)];
    static const QMap<Glyph, QString> kWord{{Glyph::Done, Words::tr("complete")},
        {Glyph::DoneSkip, Words::tr("complete")}, {Glyph::Running, Words::tr("running")},
        {Glyph::Queued, Words::tr("ready")}, {Glyph::Pending, Words::tr("to come")},
        {Glyph::Failed, Words::tr("failed")}, {Glyph::Mismatch, Words::tr("mismatch")},
        {Glyph::Skipped, Words::tr("skipped")}, {Glyph::Cancelled, Words::tr("cancelled")},
        {Glyph::Uncertain, Words::tr("uncertain")}, {Glyph::Backoff, Words::tr("back-off")},
        {Glyph::Approval, Words::tr("approval")}, {Glyph::Child, Words::tr("child run")},
        {Glyph::Timer, Words::tr("timer")}};
    for (auto it = byGlyph.begin(); it != byGlyph.end(); ++it) {
        const auto glyph = static_cast<Glyph>(it.key());
        node.counts.emplace_back(glyph,
            countText(static_cast<quint64>(it.value())) + u' ' + kWord.value(glyph, Words::tr("wait")));
    }
    std::stable_sort(node.counts.begin(), node.counts.end(),
        [](const auto& a, const auto& b) { return (a.first == Glyph::Done) > (b.first == Glyph::Done); });
}

// The shape of a fold: the most pressing state inside it.
Glyph worst(const Parts& p, const DrawnNode& node)
{
    static const std::vector<Glyph> kOrder{Glyph::Uncertain, Glyph::NoWorker, Glyph::Approval,
        Glyph::Expiring, Glyph::Running, Glyph::Backoff, Glyph::Limit, Glyph::Lost, Glyph::Queued,
        Glyph::Child, Glyph::Timer, Glyph::Event};
    std::set<Glyph> have;
    bool begun = false;
    bool over = true;
    for (const quint32 ix : node.steps) {
        const StepLine& step = p.steps[static_cast<std::size_t>(positionOf(p, ix))];
        have.insert(step.glyph);
        begun = begun || step.begun;
        over = over && step.finished;
    }
    for (const Glyph glyph : kOrder)
        if (have.count(glyph) != 0)
            return glyph;
    if (!over)
        return begun ? Glyph::Queued : Glyph::Pending;
    if (have.count(Glyph::Done) != 0)
        return have.size() == 1 ? Glyph::Done : Glyph::DoneSkip;
    return have.count(Glyph::Failed) != 0 ? Glyph::Failed : *have.begin();
}

DrawnNode foldedNode(
    const Parts& p, DrawnNode::Kind kind, const std::vector<int>& members, const QString& title)
{
    DrawnNode node;
    node.kind = kind;
    node.title = title;
    node.future = true;
    for (const int i : members) {
        const StepLine& step = p.steps[static_cast<std::size_t>(i)];
        node.steps.push_back(step.ix);
        node.onPath = node.onPath || step.onPath;
        node.root = node.root || step.root;
        node.future = node.future && !step.begun;
    }
    node.key = node.steps.front();
    addCounts(p, node);
    node.glyph = worst(p, node);
    return node;
}

DrawnNode stepNode(const StepLine& step)
{
    DrawnNode node;
    node.key = step.ix;
    node.steps = {step.ix};
    node.title = step.id;
    node.mark = agentMark(step.agent);
    node.note = step.note;
    node.glyph = step.glyph;
    node.onPath = step.onPath;
    node.root = step.root;
    node.future = !step.begun && !step.finished;
    return node;
}

void take(Parts& p, const std::vector<int>& members, DrawnNode node)
{
    for (const int i : members)
        p.part[static_cast<std::size_t>(i)] = static_cast<int>(p.nodes.size());
    p.nodes.push_back(std::move(node));
}

// Fan-outs: members of one owner; and siblings that a decision added: same tool, same neighbours on both
// sides.
void foldFans(Parts& p, const FoldOptions& o)
{
    std::map<quint32, std::vector<int>> byOwner;
    Lists next(p.steps.size());
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        if (positionOf(p, p.steps[i].owner) >= 0)
            byOwner[p.steps[i].owner].push_back(static_cast<int>(i));
        for (const int from : p.after[i])
            next[static_cast<std::size_t>(from)].push_back(static_cast<int>(i));
    }
    for (const auto& [owner, members] : byOwner) {
        if (members.size() < o.fanFrom || o.open.count(owner) != 0)
            continue;
        const int join = positionOf(p, owner);
        DrawnNode node =
            foldedNode(p, DrawnNode::Kind::Fan, members, p.steps[static_cast<std::size_t>(join)].id);
        node.mark = u"×"_s + countText(members.size());
        const StepLine& step = p.steps[static_cast<std::size_t>(join)];
        node.onPath = node.onPath || step.onPath;
        node.root = node.root || step.root;
        node.key = owner;
        node.steps.push_back(owner);
        std::vector<int> all = members;
        all.push_back(join);
        take(p, all, std::move(node));
    }
    std::map<std::pair<std::pair<QString, std::vector<int>>, std::vector<int>>, std::vector<int>> alike;
    for (std::size_t i = 0; i < p.steps.size(); ++i)
        if (p.part[i] < 0 && positionOf(p, p.steps[i].owner) < 0)  // members stay open as their fan-out is
            alike[{{p.steps[i].tool + p.steps[i].kind + stem(p.steps[i].id), p.after[i]}, next[i]}].push_back(
                static_cast<int>(i));
    for (const auto& [key, members] : alike) {
        const StepLine& first = p.steps[static_cast<std::size_t>(members.front())];
        if (members.size() < o.fanFrom || o.open.count(first.ix) != 0)
            continue;
        DrawnNode node = foldedNode(p, DrawnNode::Kind::Fan, members, stem(first.id));
        node.mark = u"×"_s + countText(members.size());
        take(p, members, std::move(node));
    }
}

struct Links {
    Lists in, out;
};

Links linksOf(const Parts& p)
{
    Links links{Lists(p.nodes.size()), Lists(p.nodes.size())};
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; i < p.steps.size(); ++i)
        for (const int from : p.after[i]) {
            const int a = p.part[static_cast<std::size_t>(from)];
            const int b = p.part[i];
            if (a != b && seen.insert({a, b}).second) {
                links.out[static_cast<std::size_t>(a)].push_back(b);
                links.in[static_cast<std::size_t>(b)].push_back(a);
            }
        }
    return links;
}

// Finished steps in a row, one in and one out each, away from the path to the wait.
void foldChains(Parts& p, const FoldOptions& o)
{
    const Links links = linksOf(p);
    const auto plain = [&](int n) {
        const DrawnNode& node = p.nodes[static_cast<std::size_t>(n)];
        const StepLine& step = p.steps[static_cast<std::size_t>(positionOf(p, node.key))];
        return node.kind == DrawnNode::Kind::Step && step.finished && !step.stuck && !node.onPath
            && links.in[static_cast<std::size_t>(n)].size() <= 1
            && links.out[static_cast<std::size_t>(n)].size() <= 1;
    };
    std::vector<char> used(p.nodes.size(), 0);
    const int count = static_cast<int>(p.nodes.size());
    for (int n = 0; n < count; ++n) {
        const auto& before = links.in[static_cast<std::size_t>(n)];
        const bool begins = before.empty() || !plain(before.front());
        if (used[static_cast<std::size_t>(n)] != 0 || !plain(n) || !begins)
            continue;
        std::vector<int> chain;
        for (int at = n; at >= 0 && plain(at) && used[static_cast<std::size_t>(at)] == 0;) {
            used[static_cast<std::size_t>(at)] = 1;
            chain.push_back(positionOf(p, p.nodes[static_cast<std::size_t>(at)].key));
            const auto& on = links.out[static_cast<std::size_t>(at)];
            at = on.empty() ? -1 : on.front();
        }
        if (chain.size() < o.chainFrom
            || o.open.count(p.steps[static_cast<std::size_t>(chain.front())].ix) != 0)
            continue;
        const QString title = p.steps[static_cast<std::size_t>(chain.front())].id + u" … "_s
            + p.steps[static_cast<std::size_t>(chain.back())].id;
        DrawnNode node = foldedNode(p, DrawnNode::Kind::Chain, chain, title);
        node.mark = plural(chain.size(), "step", "steps");
        node.counts.clear();
        take(p, chain, std::move(node));
    }
}

// Which nodes are drawn when there are more than the cap: the path and what is stuck first, then by distance
// from them.
std::vector<char> keepNearest(
    const Parts& p, const std::vector<int>& live, const Links& links, std::size_t cap)
{
    std::vector<char> keep(p.nodes.size(), 0);
    std::vector<int> queue;
    const auto add = [&](int n) {
        if (queue.size() < cap && keep[static_cast<std::size_t>(n)] == 0) {
            keep[static_cast<std::size_t>(n)] = 1;
            queue.push_back(n);
        }
    };
    for (const int n : live)
        if (p.nodes[static_cast<std::size_t>(n)].root)
            add(n);
    for (const int n : live)
        if (p.nodes[static_cast<std::size_t>(n)].onPath)
            add(n);
    for (const int n : live)
        for (const quint32 ix : p.nodes[static_cast<std::size_t>(n)].steps)
            if (p.steps[static_cast<std::size_t>(positionOf(p, ix))].stuck)
                add(n);
    if (queue.empty() && !live.empty())
        add(live.front());
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const int n : links.in[static_cast<std::size_t>(queue[head])])
            add(n);
        for (const int n : links.out[static_cast<std::size_t>(queue[head])])
            add(n);
    }
    for (const int n : live)
        add(n);  // parts that hang together with nothing
    return keep;
}

void emitGraph(Parts& p, const FoldOptions& o, DrawnGraph& graph)
{
    const Links links = linksOf(p);
    std::vector<char> isLive(p.nodes.size(), 0);
    for (const int part : p.part)
        isLive[static_cast<std::size_t>(part)] = 1;
    std::vector<int> live;
    for (std::size_t n = 0; n < p.nodes.size(); ++n)
        if (isLive[n] != 0)
            live.push_back(static_cast<int>(n));
    std::vector<char> keep = isLive;
    if (live.size() > o.cap)
        keep = keepNearest(p, live, links, o.cap);
    std::vector<int> drawn(p.nodes.size(), -1);
    // In the order of the run's steps, so that the picture is the same each time.
    for (const int part : p.part) {
        const auto n = static_cast<std::size_t>(part);
        if (keep[n] == 0 || drawn[n] >= 0)
            continue;
        drawn[n] = static_cast<int>(graph.nodes.size());
        graph.nodes.push_back(p.nodes[n]);
    }
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const int node = drawn[static_cast<std::size_t>(p.part[i])];
        if (node >= 0)
            graph.nodeOf.emplace(p.steps[i].ix, node);
        else
            ++graph.leftOut;
    }
    for (std::size_t a = 0; a < links.out.size(); ++a)
        for (const int b : links.out[a]) {
            const int from = drawn[a];
            const int to = drawn[static_cast<std::size_t>(b)];
            if (from < 0 || to < 0)
                continue;
            const DrawnNode& head = graph.nodes[static_cast<std::size_t>(from)];
            const DrawnNode& tail = graph.nodes[static_cast<std::size_t>(to)];
            graph.edges.push_back({from, to, head.onPath && tail.onPath, tail.future});
        }
}

}  // namespace

QString agentMark(const QString& agent)
{
    const bool splitsPair = agent.size() > 2 && agent.at(1).isHighSurrogate();
    return agent.left(splitsPair ? 3 : 2).toUpper();
}

DrawnGraph foldSteps(const std::vector<StepLine>& steps, const FoldOptions& options)
{
    DrawnGraph graph;
    graph.steps = steps.size();
    Parts p{steps, {}, {}, std::vector<int>(steps.size(), -1), {}};
    for (std::size_t i = 0; i < steps.size(); ++i)
        p.at.emplace(steps[i].ix, static_cast<int>(i));
    connect(p);
    foldFans(p, options);
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (p.part[i] < 0)
            take(p, {static_cast<int>(i)}, stepNode(steps[i]));
    if (p.nodes.size() > options.chainsAbove)
        foldChains(p, options);
    emitGraph(p, options, graph);
    for (const DrawnNode& node : graph.nodes)
        if (node.kind != DrawnNode::Kind::Step) {
            graph.folded += node.steps.size() - (node.kind == DrawnNode::Kind::Fan ? 1 : 0);
            ++graph.folds;
        }
    return graph;
}

}  // namespace cairn::ui
