// A plan for many runs: previewed, frozen, written, shown by pages, carried out. What a person waits for
// before an act on 10,000 runs, and what it takes of memory.

#include "core/plan/runner.h"
#include "tests/bench/service_bench.h"

#include <sys/resource.h>

namespace {

using namespace cairn;
using namespace cairn::bench;

double residentMiB()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::vector<RunId> runsOf(StoreReader& store, std::size_t count)
{
    std::vector<RunId> runs;
    std::optional<PageKey> after;
    do {
        auto page = must(store.list(ListFilter{}, ListOrder::NewestFirst, after, 500));
        for (const ListRow& row : page.rows)
            runs.push_back(row.run);
        after = page.next;
    } while (after && runs.size() < count);
    return runs;
}

PlanSpec pauseAll()
{
    Submission act;
    act.run = deriveId<RunId>("bench", "template");
    act.command.id = deriveId<CommandId>("bench", "template");
    act.command.body = cmd::SetPaused{true, 0, false};
    PlanSpec spec;
    spec.pace.verify = 0;
    return must(specOf(std::move(act), std::move(spec)));
}

void showPages(StoreReader& store, const PlanId& plan)
{
    std::vector<double> pages;
    for (std::uint32_t after = 0;;) {
        const Stopwatch watch;
        const auto items = must(store.planItems(plan, after, kPlanPage, {}));
        if (items.empty())
            break;
        pages.push_back(watch.ms());
        after = items.back().ord;
    }
    percentiles("a page of 500 items", pages, "ms");
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const int count = number(argc, argv, "--runs", 10'000);
    ServiceBench bench(freshFile(dir, "plans.db"));
    bench.add(timerWorkflow("waits", "30d"));
    bench.startWaiting("waits", 200, count);
    const auto runs = runsOf(bench.store(), static_cast<std::size_t>(count));
    const PlanAuthor author{"uid 1000", "bench", 1000, "host", "figures for the preview"};
    const double before = residentMiB();
    Stopwatch watch;
    const PlanDraft draft = must(draftPlan(bench.store(), bench.service(), pauseAll(), runs, author,
        deriveId<PlanId>("bench", "plan"), deriveId<CommandId>("bench", "plan")));
    figure("runs previewed", static_cast<double>(draft.preview.targets), "runs");
    figure("runs that would be changed", static_cast<double>(draft.preview.included), "runs");
    figure("preview and freeze", watch.ms(), "ms");
    figure("memory that it took at most", residentMiB() - before, "MiB");
    watch.restart();
    must(stagePlan(bench.store(), draft));
    figure("staged", watch.ms(), "ms");
    showPages(bench.store(), draft.row.id);
    watch.restart();
    static_cast<void>(must(bench.store().planCounts(draft.row.id)));
    figure("outcomes counted", watch.ms(), "ms");
    watch.restart();
    static_cast<void>(
        must(previewPlan(bench.store(), bench.service(), *must(bench.store().plan(draft.row.id)))));
    figure("previewed again, by a second person", watch.ms(), "ms");
    must(orderPlan(bench.store(), bench.service(),
        {draft.row.id, PlanAct::Start, {}, deriveId<CommandId>("bench", "start")}, author));
    SystemClock clock;
    PlanRunnerConfig config;
    config.holder = deriveId<SessionId>("bench", "holder");
    config.who = author;
    PlanRunner runner(bench.store(), bench.service(), clock, config);
    watch.restart();
    while (must(runner.tick()))
        static_cast<void>(bench.service().pump());
    figure("carried out, without a pace", watch.seconds(), "s");
    figure("acts", static_cast<double>(runs.size()) / watch.seconds(), "/s");
    return 0;
}
