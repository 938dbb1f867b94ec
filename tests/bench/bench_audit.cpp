// How fast `cairn audit verify` goes: entries a second of the chains of runs and of the operators' chain,
// what the time goes into, and how that stands to a floor: bare SHA-256 over the same bytes, which no
// verifier goes below. On SQLite, and under packaging/with-postgres on that server too.
//   bench_audit [--dir DIR] [--runs N] [--entries N] [--acts N]

#include "core/audit/verify_audit.h"
#include "core/model/codec.h"
#include "tests/bench/bench_place.h"
#include "tests/bench/figures.h"
#include "tests/store/builders.h"

#include <algorithm>
#include <functional>

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

void rate(const std::string& name, std::uint64_t entries, const Stopwatch& watch)
{
    figure(name + ", entries a second", static_cast<double>(entries) / watch.seconds(), "/s");
}

void measure(StoreReader& store, const std::string& name, const audit::Questions& questions)
{
    for (int again = 0; again < 3; ++again) {
        const Stopwatch watch;
        const audit::Report report = must(audit::verifyAudit(store, questions));
        rate(name + " verified", report.entries + report.histories.entries, watch);
        if (!report.found.empty())
            fail(report.found.front().text);
    }
}

// Bare SHA-256 over what is hashed of each entry, on one thread, with the bytes at hand: entries a second.
struct HashFloor {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    double took = 0;
    Digest last;  // so that nothing of it is left out by the compiler

    void take(const std::vector<std::string>& messages)
    {
        const Stopwatch watch;
        for (const std::string& message : messages)
            last = sha256(message);
        took += watch.seconds();
        entries += messages.size();
        for (const std::string& message : messages)
            bytes += message.size();
    }
    [[nodiscard]] double perSecond() const { return static_cast<double>(entries) / std::max(took, 1e-9); }
};

HashFloor floorOfHistories(StoreReader& store)
{
    HashFloor floor;
    ScanPlace place;
    std::vector<std::string> messages;
    for (std::size_t read = 1; read > 0; floor.take(messages)) {
        messages.clear();
        read = must(store.scanEntries(place, 5'000, [&](const RunId&, const SealedEntry& entry) {
            messages.push_back(std::string(12 + 2 + 32, 'h') + entry.body);  // as entryHash() has it
        }));
    }
    return floor;
}

HashFloor floorOfAudit(StoreReader& store)
{
    HashFloor floor;
    std::vector<AuditRow> page;
    std::vector<std::string> messages;
    WireWriter room;
    for (must(store.auditPage(0, 1'000, page)); !page.empty();
         must(store.auditPage(page.back().seq, 1'000, page))) {
        messages.clear();
        for (const AuditRow& row : page) {
            static_cast<void>(auditHash(row, room));
            messages.emplace_back(room.out());
        }
        floor.take(messages);
    }
    return floor;
}

// The best of three verifications beside the best of three floors.
void compare(const std::string& chain, const std::function<std::uint64_t()>& verify,
    const std::function<HashFloor()>& floorOf)
{
    double verified = 0;
    HashFloor floor;
    for (int again = 0; again < 3; ++again) {
        const Stopwatch watch;
        const std::uint64_t entries = verify();
        verified = std::max(verified, static_cast<double>(entries) / watch.seconds());
        const HashFloor one = floorOf();
        if (one.entries != entries || one.last.isNull())
            fail(chain + ": another number of entries was hashed than was verified");
        if (again == 0 || one.perSecond() > floor.perSecond())
            floor = one;
    }
    figure(chain + ": verified, entries a second", verified, "/s");
    figure(chain + ": floor, bare SHA-256 of the same bytes", floor.perSecond(), "/s");
    figure(chain + ": bytes hashed of an entry",
        static_cast<double>(floor.bytes) / static_cast<double>(floor.entries), "");
    figure(chain + ": ratio to the floor", verified / floor.perSecond(), "");
    figure(chain + ": ratio to the aim of 200,000 a second", verified / 200'000, "");
}

void measureChains(StoreReader& store)
{
    compare(
        "chains of runs", [&] { return must(audit::checkHistories(store, 1)).entries; },
        [&] { return floorOfHistories(store); });
    audit::Questions questions;
    questions.histories = false;
    compare(
        "operators' chain", [&] { return must(audit::verifyAudit(store, questions)).entries; },
        [&] { return floorOfAudit(store); });
}

// What all entries cost to be read, with nothing done to them. Gives how many bytes a body has.
std::size_t readHistories(StoreReader& store, int again)
{
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    const Stopwatch watch;
    ScanPlace place;
    for (std::size_t read = 1; read > 0; entries += read)
        read = must(store.scanEntries(
            place, 5'000, [&](const RunId&, const SealedEntry& entry) { bytes += entry.body.size(); }));
    rate("  of these: histories read only", entries, watch);
    if (again == 0)
        figure("  bytes of an entry of a history", static_cast<double>(bytes) / static_cast<double>(entries),
            "");
    return static_cast<std::size_t>(bytes / entries);
}

std::vector<AuditRow> readAudit(StoreReader& store)
{
    std::vector<AuditRow> page;
    std::vector<AuditRow> kept;
    std::uint64_t seq = 0;
    const Stopwatch watch;
    for (must(store.auditPage(0, 1'000, page)); !page.empty(); must(store.auditPage(seq, 1'000, page))) {
        seq = page.back().seq;
        if (kept.empty())
            kept = page;
    }
    rate("  of these: the audit read only", seq, watch);
    return kept;
}

// What hashing alone costs, on one thread.
void measureHashes(std::size_t body, const std::vector<AuditRow>& rows)
{
    constexpr std::uint64_t kHashes = 500'000;
    std::string bytes(body, 'x');
    Digest head;
    Stopwatch watch;
    for (std::uint64_t at = 0; at < kHashes; ++at)
        head = entryHash(kMaxFormat, head, bytes);
    rate("  of these: entries of histories hashed only", kHashes, watch);
    watch.restart();
    WireWriter room;
    for (std::uint64_t at = 0; at < kHashes; ++at)
        bytes[0] = static_cast<char>(auditHash(rows[at % rows.size()], room).bytes[0]);
    rate("  of these: entries of the audit hashed only", kHashes, watch);
    watch.restart();
    const std::string large(1 << 20, 'x');
    for (int i = 0; i < 200; ++i)
        head = sha256(head.view(), large);
    figure("SHA-256 of 1 MiB", 200 / watch.seconds(), "MiB/s");
    if (head.isNull() || bytes.empty())  // so that nothing of it is left out by the compiler
        fail("no hash was made");
}

struct Sizes {
    int runs = 0;
    int entries = 0;  // of each
    int acts = 0;
};

void benchOn(BenchPlace& place, const Sizes& sizes)
{
    place.anew();
    std::printf("on %s\n", place.words().c_str());
    const auto store = must(place.open());
    fill(*store, sizes.runs, sizes.entries, std::min(sizes.acts, sizes.runs * sizes.entries));

    measureChains(*store);
    audit::Questions questions;
    measure(*store, "both chains", questions);
    std::size_t body = 0;
    std::vector<AuditRow> rows;
    for (int again = 0; again < 3; ++again) {
        body = readHistories(*store, again);
        rows = readAudit(*store);
    }
    measureHashes(body, rows);

    const std::string keyFile = place.dir() + "/bench_audit.key";
    std::filesystem::remove(keyFile);
    const PublicKey key = must(makeKey(keyFile));
    const SigningKey signing = must(readKey(keyFile));
    const Stopwatch watch;
    const auto made = must(audit::makeCheckpoint(*store, signing, "bench"));
    rate("a checkpoint of all runs: checked and signed",
        static_cast<std::uint64_t>(sizes.runs) * static_cast<std::uint64_t>(sizes.entries), watch);
    figure("a checkpoint of all runs: checkpoints", static_cast<double>(made.made), "");
    questions.keys = {key};
    measure(*store, "both chains and checkpoints", questions);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", "/tmp");
    const Sizes sizes{number(argc, argv, "--runs", 2'000), number(argc, argv, "--entries", 200),
        number(argc, argv, "--acts", 100'000)};
    {
        BenchPlace file(dir, "bench_audit.db", BenchPlace::Where::File);
        benchOn(file, sizes);
    }
    BenchPlace server(dir, "bench_audit.db");
    if (server.onServer())
        benchOn(server, sizes);
    return 0;
}
