// How fast `cairn audit verify` goes: entries a second, of both chains, on SQLite.
//   bench_audit [--dir DIR] [--runs N] [--entries N] [--acts N]

#include "core/audit/verify_audit.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/figures.h"
#include "tests/store/builders.h"

namespace {

using namespace cairn;
using namespace cairn::bench;
using cairn::testing::Writer;

AuditRow act(int number)
{
    AuditRow row;
    row.time = 1'790'000'000'000 + number;
    row.kind = "applied";
    row.verb = Verb::Pause;
    row.actor = "ann";
    row.uid = 1000;
    row.host = "desk.example.com";
    row.login = "uid 1000";
    row.target = "step-" + std::to_string(number);
    row.reason = "the provider's statement shows that it did not happen";
    row.before = R"({"paused":false,"activity":"executing"})";
    row.after = R"({"paused":true,"activity":"paused"})";
    return row;
}

// An entry as an engine writes it when a step ends and the next one begins.
SealedEntry seal(const Writer& writer, int number)
{
    Entry entry;
    entry.version = writer.version + 1;
    entry.command = testing::idOf<CommandId>(toText(writer.run) + std::to_string(number));
    entry.verb = Verb::Complete;
    entry.actor = {ActorKind::Engine, "engine-1"};
    entry.time = writer.createdAt + number;
    AttemptStarted started;
    started.attempt = testing::idOf<AttemptId>(std::to_string(number));
    AttemptEnded ended;
    ended.attempt = started.attempt;
    StepReady ready;
    entry.facts = {ended, ready, started};
    return sealEntry(entry, kMaxFormat, writer.head);
}

void commit(StoreWriter& store, std::vector<CommitMember>& members)
{
    std::vector<MemberResult> results;
    must(store.commit(members, results));
    for (const MemberResult& result : results)
        if (result.kind != MemberResult::Kind::Committed)
            fail("an entry could not be written");
    members.clear();
}

// Runs beside each other, as engines write them: entries of one run do not lie together in the file.
void fill(StoreWriter& store, int runs, int entries, int acts)
{
    std::vector<Writer> writers;
    writers.reserve(static_cast<std::size_t>(runs));
    for (int i = 0; i < runs; ++i)
        writers.emplace_back("r" + std::to_string(i));
    int audited = 0;
    std::vector<CommitMember> members;
    for (int round = 0; round < entries; ++round)
        for (Writer& writer : writers) {
            CommitMember member = round == 0 ? writer.create() : writer.next({});
            if (round > 0)
                member.entry = seal(writer, round);
            else
                member.list = writer.listRow();
            if (audited < acts) {
                member.audit = act(audited++);
                member.audit->run = writer.run;
            }
            writer.committed(member);
            members.push_back(std::move(member));
            if (members.size() == 200)
                commit(store, members);
        }
    if (!members.empty())
        commit(store, members);
}

void measure(StoreWriter& store, const char* name, const audit::Questions& questions)
{
    for (int again = 0; again < 3; ++again) {
        const Stopwatch watch;
        const audit::Report report = must(audit::verifyAudit(store, questions));
        const double seconds = watch.seconds();
        if (!report.found.empty())
            fail(report.found.front().text);
        const double all = static_cast<double>(report.entries + report.histories.entries);
        figure(std::string(name) + ": entries verified a second", all / seconds, "/s");
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string path = freshFile(argument(argc, argv, "--dir", "/tmp"), "bench_audit.db");
    const int runs = number(argc, argv, "--runs", 2'000);
    const int entries = number(argc, argv, "--entries", 200);
    const int acts = number(argc, argv, "--acts", 100'000);
    must(sqlite::initStore(path, {}));
    StoreOptions options;
    options.synchronousNormal = true;  // what is measured is reading
    const auto store = must(sqlite::openStore(path, options));
    fill(*store, runs, entries, std::min(acts, runs * entries));
    audit::Questions questions;
    measure(*store, "both chains", questions);
    questions.histories = false;
    measure(*store, "the audit alone", questions);
    const std::string keyFile = path + ".key";
    std::filesystem::remove(keyFile);
    const PublicKey key = must(makeKey(keyFile));
    const SigningKey signing = must(readKey(keyFile));
    const Stopwatch watch;
    const auto made = must(audit::makeCheckpoint(*store, signing, "bench"));
    figure("checkpoint of all runs: entries checked and signed a second",
        static_cast<double>(runs) * entries / watch.seconds(), "/s");
    figure("checkpoint of all runs: checkpoints", static_cast<double>(made.made), "");
    questions.histories = true;
    questions.keys = {key};
    measure(*store, "both chains and checkpoints", questions);
    return 0;
}
