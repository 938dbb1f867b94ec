// Layout, folding, and the scene: crossings, straight path, caps, and size.
#include "demosource.h"
#include "ui/widgets/graph/fold.h"
#include "ui/widgets/graph/graphcanvas.h"
#include "ui/widgets/graph/layered.h"
#include "ui/widgets/graph/scene.h"

#include <QAccessible>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

using Edges = std::vector<std::pair<int, int>>;
Q_DECLARE_METATYPE(Edges)

namespace {

StepLine step(quint32 ix, std::vector<quint32> after, Glyph glyph = Glyph::Done)
{
    StepLine s;
    s.ix = ix;
    s.id = u"s%1"_s.arg(ix);
    s.tool = u"t%1"_s.arg(ix);
    s.glyph = glyph;
    s.after = std::move(after);
    s.finished = glyph == Glyph::Done;
    s.begun = glyph != Glyph::Pending;
    return s;
}

bool edgesPointDown(const LayoutInput& in, const LayoutResult& out)
{
    for (std::size_t e = 0; e < in.edges.size(); ++e)
        if (out.dropped[e] == 0
            && out.layer[static_cast<std::size_t>(in.edges[e].first)]
                >= out.layer[static_cast<std::size_t>(in.edges[e].second)])
            return false;
    return true;
}

bool nothingOverlaps(const Scene& scene)
{
    for (std::size_t a = 0; a < scene.boxes.size(); ++a)
        for (std::size_t b = a + 1; b < scene.boxes.size(); ++b)
            if (scene.boxes[a].intersects(scene.boxes[b]))
                return false;
    return true;
}

// Levels of ten nodes each, every one joined to two of the next level.
LayoutInput ladder(int nodes)
{
    LayoutInput in;
    in.nodes = nodes;
    for (int i = 0; i + 10 < nodes; ++i) {
        in.edges.emplace_back(i, i + 10);
        if (i % 10 != 9)
            in.edges.emplace_back(i, i + 11);
    }
    return in;
}

}  // namespace

class TestGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layersAndCrossings_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<Edges>("edges");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("crossings");
        QTest::newRow("one") << 1 << Edges{} << 1 << 0;
        QTest::newRow("chain") << 3 << Edges{{0, 1}, {1, 2}} << 3 << 0;
        QTest::newRow("diamond") << 4 << Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}} << 3 << 0;
        QTest::newRow("crossed, can be untangled") << 4 << Edges{{0, 3}, {1, 2}} << 2 << 0;
        QTest::newRow("three by three, complete")
            << 6 << Edges{{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}} << 2 << 9;
        QTest::newRow("long edge round the chain") << 4 << Edges{{0, 1}, {1, 2}, {2, 3}, {0, 3}} << 4 << 0;
        QTest::newRow("itself is ignored") << 2 << Edges{{0, 0}, {0, 1}} << 2 << 0;
        QTest::newRow("circle of damaged data") << 3 << Edges{{0, 1}, {1, 2}, {2, 0}} << 3 << 0;
        QTest::newRow("out of range") << 2 << Edges{{0, 1}, {0, 7}, {-1, 0}} << 2 << 0;
    }
    void layersAndCrossings()
    {
        QFETCH(int, nodes);
        QFETCH(Edges, edges);
        LayoutInput in;
        in.nodes = nodes;
        in.edges = edges;
        const LayoutResult out = layOut(in);
        QTEST(out.layers, "layers");
        QTEST(static_cast<int>(out.crossings), "crossings");
        QVERIFY(edgesPointDown(in, out));
    }

    void sameGraphSamePicture()
    {
        const LayoutResult a = layOut(ladder(300));
        const LayoutResult b = layOut(ladder(300));
        QCOMPARE(a.x, b.x);
        QCOMPARE(a.layer, b.layer);
    }

    void pathIsOneStraightLine()
    {
        const Scene scene = makeScene(foldSteps(demoSteps(), {}));
        double x = -1;
        int onPath = 0;
        for (std::size_t n = 0; n < scene.boxes.size(); ++n) {
            if (!scene.graph.nodes[n].onPath)
                continue;
            ++onPath;
            x = x < 0 ? scene.boxes[n].center().x() : x;
            QCOMPARE(scene.boxes[n].center().x(), x);
        }
        QCOMPARE(onPath, 9);
        QVERIFY(nothingOverlaps(scene));
        QCOMPARE(scene.crossings, 0);
    }

    void fanOutOfTwelveIsOneNode()
    {
        const DrawnGraph graph = foldSteps(demoSteps(), {});
        QCOMPARE(graph.nodes.size(), 19U);
        QCOMPARE(graph.folded, 12U);
        QCOMPARE(graph.folds, 1U);
        const DrawnNode& fan = graph.nodes[static_cast<std::size_t>(graph.nodeOf.at(22))];  // a member
        QCOMPARE(fan.title, u"search-suppliers"_s);
        QCOMPARE(fan.mark, u"×12"_s);
        QCOMPARE(fan.glyph, Glyph::DoneSkip);
        QStringList counts;
        for (const auto& [glyph, text] : fan.counts)
            counts << text;
        QCOMPARE(counts.join(u", "_s), u"10 complete, 1 failed, 1 skipped"_s);
    }

    void fanOutOfElevenIsDrawn()
    {
        std::vector<StepLine> steps{step(0, {}), step(1, {0})};
        for (quint32 i = 2; i < 13; ++i) {
            steps.push_back(step(i, {}));
            steps.back().owner = 1;
        }
        const DrawnGraph graph = foldSteps(steps, {});
        QCOMPARE(graph.nodes.size(), 13U);
        // Members stand between what the fan-out waits for and the fan-out that joins them.
        QCOMPARE(graph.edges.size(), 22U);
    }

    void alikeSiblingsOfADecisionAreFolded()
    {
        std::vector<StepLine> steps{step(0, {})};
        std::vector<quint32> all;
        for (quint32 i = 1; i <= 15; ++i) {
            steps.push_back(step(i, {0}, i < 5 ? Glyph::Running : Glyph::Pending));
            steps.back().tool = u"fetch"_s;
            steps.back().id = u"fetch-%1"_s.arg(i);
            all.push_back(i);
        }
        steps.push_back(step(16, all, Glyph::Pending));
        const DrawnGraph graph = foldSteps(steps, {});
        QCOMPARE(graph.nodes.size(), 3U);
        QCOMPARE(graph.nodes[1].glyph, Glyph::Running);  // the most pressing state inside
        QCOMPARE(graph.nodes[1].title, u"fetch"_s);
    }

    void finishedChainsAreFoldedAndOpen()
    {
        std::vector<StepLine> steps{step(0, {})};
        for (quint32 i = 1; i < 30; ++i)
            steps.push_back(step(i, {i - 1}));
        steps.push_back(step(30, {29}, Glyph::Approval));
        steps[30].stuck = steps[30].root = steps[30].onPath = true;
        FoldOptions options;
        DrawnGraph graph = foldSteps(steps, options);
        QCOMPARE(graph.nodes.size(), 2U);
        QCOMPARE(graph.folded, 30U);
        QCOMPARE(graph.nodes[0].title, u"s0 … s29"_s);
        options.open.insert(graph.nodes[0].key);
        graph = foldSteps(steps, options);
        QCOMPARE(graph.nodes.size(), 31U);
        // What the wait came along is never folded.
        for (StepLine& s : steps)
            s.onPath = true;
        QCOMPARE(foldSteps(steps, {}).nodes.size(), 31U);
    }

    void capIsHardAndCounted()
    {
        std::vector<StepLine> steps;
        for (quint32 i = 0; i < 3000; ++i)
            steps.push_back(step(i,
                i < 10 ? std::vector<quint32>{}
                       : std::vector<quint32>{i - 10, i - 9 - (i % 10 == 9 ? 1U : 0U)},
                i == 1500 ? Glyph::Approval : Glyph::Running));
        steps[1500].stuck = steps[1500].root = steps[1500].onPath = true;
        FoldOptions options;
        options.cap = 200;
        const DrawnGraph graph = foldSteps(steps, options);
        QCOMPARE(graph.nodes.size(), 200U);
        QCOMPARE(graph.leftOut, 2800U);
        QVERIFY(graph.nodeOf.count(1500) == 1);  // the wait is always drawn
    }

    void tenThousandNodes()
    {
        QElapsedTimer timer;
        timer.start();
        const LayoutInput in = ladder(10'000);
        const LayoutResult out = layOut(in);
        qInfo("10,000 nodes, %zu edges: laid out in %lld ms, %lld crossings", in.edges.size(),
            static_cast<long long>(timer.elapsed()), static_cast<long long>(out.crossings));
        QCOMPARE(out.layers, 1000);
        QVERIFY(edgesPointDown(in, out));
        std::vector<StepLine> steps;
        steps.push_back(step(0, {}));
        steps.push_back(step(1, {0}));
        for (quint32 i = 2; i < 10'000; ++i) {
            steps.push_back(step(i, {}));
            steps.back().owner = 1;
        }
        timer.restart();
        const Scene scene = makeScene(foldSteps(steps, {}));
        qInfo("10,000 steps folded and laid out in %lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(scene.boxes.size(), 2U);
    }

    void gridFindsWhatIsThere()
    {
        const Scene scene = makeScene(foldSteps(demoSteps(), {}));
        for (std::size_t n = 0; n < scene.boxes.size(); ++n)
            QCOMPARE(scene.nodeAt(scene.boxes[n].center()), static_cast<int>(n));
        QCOMPARE(scene.nodeAt(QPointF(-5000, -5000)), -1);
        QCOMPARE(scene.nodesIn(scene.bounds).size(), scene.boxes.size());
    }

    void arrowsMoveAlongTheGraph()
    {
        GraphCanvas canvas;
        canvas.resize(700, 600);
        canvas.setSteps(demoSteps());
        const QSignalSpy chosen(&canvas, &GraphCanvas::stepChosen);
        canvas.select(0);
        QTest::keyClick(&canvas, Qt::Key_Down);
        QCOMPARE(chosen.last().first().toUInt(), 1U);
        QTest::keyClick(&canvas, Qt::Key_Right);
        QCOMPARE(chosen.last().first().toUInt(), 2U);  // check-budget, beside it
        canvas.select(4);
        QTest::keyClick(&canvas, Qt::Key_Return);  // opens the fan-out
        QCOMPARE(canvas.scene().boxes.size(), 31U);
        QCOMPARE(canvas.summary(), u"31 of 31 steps drawn"_s);
    }

    void nodesAreKnownToAssistiveTechnology()
    {
        GraphCanvas canvas;
        canvas.resize(700, 600);
        canvas.setSteps(demoSteps());
        QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&canvas);
        QVERIFY(list != nullptr);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), 19);
        QCOMPARE(list->child(14)->text(QAccessible::Name),
            u"approve-purchase, approval, a person must decide, finance-lead, 0 of 1\nexpires 11:36:11Z"_s);
        const QSignalSpy chosen(&canvas, &GraphCanvas::stepChosen);
        auto* action = static_cast<QAccessibleActionInterface*>(
            list->child(2)->interface_cast(QAccessible::ActionInterface));
        action->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(chosen.last().first().toUInt(), 2U);
    }
};

QTEST_MAIN(TestGraph)
#include "tst_graph.moc"
