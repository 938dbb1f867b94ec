// One commit of a console beside two engines that commit as fast as they can, in one SQLite store: how long
// it takes from the call to the answer, waiting for the lock and the sync included.

#include "core/base/rng.h"
#include "core/model/codec.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/figures.h"

#include <atomic>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr std::size_t kGroup = 300;

// A run's first entry with its rows.
CommitMember memberOf(Rng& rng)
{
    const TimeMs now = SystemClock().wallMs();
    CommitMember member;
    member.create = true;
    member.run = makeId<RunId>(now, rng);
    RunStarted started;
    started.run = started.root = started.origin = member.run;
    Entry entry;
    entry.version = 1;
    entry.command = makeId<CommandId>(now, rng);
    entry.verb = Verb::Start;
    entry.actor = {ActorKind::Caller, "bench"};
    entry.time = now;
    entry.facts = {started};
    member.entry = sealEntry(entry, kMaxFormat, {});
    RunRow identity;
    identity.run = identity.root = member.run;
    identity.workflow = {"bench", 1, sha256("bench"), 1};
    identity.createdAt = now;
    member.identity = identity;
    ListRow row;
    row.run = row.root = member.run;
    row.workflow = "bench";
    row.workflowVersion = 1;
    row.createdAt = row.since = now;
    row.version = 1;
    member.list = row;
    return member;
}

void commit(StoreWriter& store, Rng& rng, std::size_t runs)
{
    std::vector<CommitMember> group;
    while (group.size() < runs)
        group.push_back(memberOf(rng));
    std::vector<MemberResult> results;
    must(store.commit(group, results));
    for (const MemberResult& result : results)
        if (result.kind != MemberResult::Kind::Committed)
            fail("a run was not accepted: " + result.error.text);
}

std::unique_ptr<StoreWriter> open(const std::string& path) { return must(sqlite::openStore(path, {})); }

}  // namespace

int main(int argc, char** argv)
{
    const std::string path = freshFile(argument(argc, argv, "--dir", "."), "busy.db");
    const int commits = number(argc, argv, "--commits", 1000);
    must(sqlite::initStore(path, {}));
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> runs[2]{};
    std::vector<double> waits;
    double seconds = 0;
    {
        std::vector<std::jthread> engines;
        for (std::atomic<std::uint64_t>& mine : runs)
            engines.emplace_back([&path, &stop, &mine] {
                const auto store = open(path);
                SystemRng rng;
                while (!stop) {
                    commit(*store, rng, kGroup);
                    mine += kGroup;
                }
            });
        const auto console = open(path);
        SystemRng rng;
        const Stopwatch whole;
        for (int i = 0; i < commits; ++i) {
            const Stopwatch one;
            commit(*console, rng, 1);
            waits.push_back(one.ms());
        }
        seconds = whole.seconds();
        stop = true;
    }
    percentiles("a console's commit beside two saturating engines", waits, "ms");
    for (const auto& mine : runs)
        figure("begun by one engine meanwhile", static_cast<double>(mine.load()) / seconds, "runs/s");
    return 0;
}
