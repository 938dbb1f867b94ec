// How fast runs are removed while another connection commits as an engine does, and what that one feels of
// it.
//   bench_retention [--dir DIR] [--runs N] [--entries N] [--payload BYTES]

#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/figures.h"
#include "tests/store/builders.h"

#include <atomic>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;
using cairn::testing::Writer;

void commit(StoreWriter& store, std::vector<CommitMember>& members)
{
    std::vector<MemberResult> results;
    must(store.commit(members, results));
    for (const MemberResult& result : results)
        if (result.kind != MemberResult::Kind::Committed)
            fail("an entry could not be written");
    members.clear();
}

std::vector<Writer> fill(StoreWriter& store, int runs, int entries, std::size_t payload)
{
    std::vector<Writer> writers;
    for (int i = 0; i < runs; ++i)
        writers.emplace_back("r" + std::to_string(i));
    std::vector<CommitMember> members;
    for (int round = 0; round < entries; ++round)
        for (Writer& writer : writers) {
            CommitMember member =
                round == 0 ? writer.create("k" + toText(writer.run)) : writer.next(std::to_string(round));
            member.payloads = {testing::inlinePayload(
                toText(writer.run) + std::to_string(round), std::string(payload, 'x'))};
            member.steps = {testing::stepRow(static_cast<StepIx>(round), std::to_string(round))};
            member.list = writer.listRow();
            member.list->activity = Activity::Completed;
            member.list->endedAt = writer.createdAt + entries;
            writer.committed(member);
            members.push_back(std::move(member));
            if (members.size() == 200)
                commit(store, members);
        }
    if (!members.empty())
        commit(store, members);
    return writers;
}

TreeRemoval removalOf(const Writer& run, int number)
{
    Tombstone stone;
    stone.run = stone.root = run.run;
    stone.workflow = "purchase";
    stone.workflowVersion = 1;
    stone.versions = run.version;
    stone.head = run.head;
    stone.createdAt = run.createdAt;
    stone.endedAt = run.createdAt + 1;
    stone.deletedAt = run.createdAt + 2;
    stone.rule = "kept 90 days after its end (where nothing is said)";
    stone.by = "engine bench";
    TreeRemoval removal;
    removal.root = run.run;
    removal.stones = {stone};
    removal.audit.time = stone.deletedAt;
    removal.audit.kind = "applied";
    removal.audit.verb = Verb::Park;
    removal.audit.run = run.run;
    removal.audit.command = testing::idOf<CommandId>("remove " + std::to_string(number));
    return removal;
}

// Another engine, in the meantime: one commit after the other.
struct Neighbour {
    std::atomic<bool> over = false;
    std::vector<double> ms;

    void work(const std::string& path)
    {
        const auto store = must(sqlite::openStore(path, {}));
        Writer writer("neighbour");
        std::vector<CommitMember> members;
        for (int i = 0; !over; ++i) {
            members.push_back(i == 0 ? writer.create() : writer.next(std::to_string(i)));
            members.back().list = writer.listRow();
            writer.committed(members.back());
            const Stopwatch watch;
            commit(*store, members);
            ms.push_back(watch.ms());
        }
    }
    double at(double part)
    {
        std::sort(ms.begin(), ms.end());
        return ms.empty() ? 0 : ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
    }
};

}  // namespace

int main(int argc, char** argv)
{
    const std::string path = freshFile(argument(argc, argv, "--dir", "/tmp"), "bench_retention.db");
    const int runs = number(argc, argv, "--runs", 5'000);
    const int entries = number(argc, argv, "--entries", 20);
    const auto payload = static_cast<std::size_t>(number(argc, argv, "--payload", 2'000));
    must(sqlite::initStore(path, {}));
    std::vector<Writer> writers;
    {
        StoreOptions options;
        options.synchronousNormal = true;  // what is measured comes later
        const auto store = must(sqlite::openStore(path, options));
        writers = fill(*store, runs, entries, payload);
        must(store->checkpoint());
    }
    const auto store = must(sqlite::openStore(path, {}));
    const StoreSpace before = must(store->space());
    Neighbour neighbour;
    std::thread other([&] { neighbour.work(path); });
    const Stopwatch removing;
    for (int i = 0; i < runs; ++i)
        if (!must(store->removeTree(removalOf(writers[static_cast<std::size_t>(i)], i))))
            fail("a tree has changed");
    const double removed = removing.seconds();
    const Stopwatch sweeping;
    std::uint64_t rows = 0;
    for (std::uint64_t swept = 1; swept > 0; rows += swept)
        swept = must(store->sweepRemoved(256));
    const double swept = sweeping.seconds();
    neighbour.over = true;
    other.join();
    const std::uint64_t given = must(store->giveBack(before.bytes));
    figure("runs removed a second, one tree a transaction", runs / removed, "/s");
    figure("rows swept a second", static_cast<double>(rows) / swept, "/s");
    figure("runs removed and swept a second", runs / (removed + swept), "/s");
    figure("another connection's commit meanwhile, p50", neighbour.at(0.5), "ms");
    figure("another connection's commit meanwhile, p99", neighbour.at(0.99), "ms");
    figure("store before", static_cast<double>(before.bytes) / 1048576, "MiB");
    figure("given back", static_cast<double>(given) / 1048576, "MiB");
    return 0;
}
