#pragma once
// Small histories for tests of the audit: acts on the store, and runs of a few entries.

#include "core/audit/checkpoint.h"
#include "tests/store/builders.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

namespace cairn::testing {

inline void addActs(StoreWriter& store, int count, const std::string& about = "act")
{
    for (int i = 0; i < count; ++i) {
        AuditRow row;
        row.time = 1'790'000'000'000;
        row.kind = "applied";
        row.verb = Verb::MoveClock;
        row.actor = "ann";
        row.host = "h";
        row.login = "t";
        row.target = "store";
        row.reason = about + " " + std::to_string(i);
        row.before = row.after = "{}";
        const auto seq = store.appendAudit(row);
        if (!seq)
            qFatal("%s", errorLine(seq.error()).c_str());
    }
}

inline void addEntry(StoreWriter& store, Writer& writer)
{
    CommitMember member =
        writer.version == 0 ? writer.create() : writer.next("c" + std::to_string(writer.version));
    if (writer.version == 0)
        member.list = writer.listRow();
    std::vector<MemberResult> results;
    const Status status = store.commit(std::span(&member, 1), results);
    if (!status || results.front().kind != MemberResult::Kind::Committed)
        qFatal("the run could not be written");
    writer.committed(member);
}

// A key of its own for each test program.
class TestKey {
public:
    TestKey()
    {
        if (!makeKey(m_folder.file("key")))
            qFatal("no key could be made");
    }
    [[nodiscard]] SigningKey get() const { return *readKey(m_folder.file("key")); }

private:
    Scratch m_folder;
};

inline CheckpointRow mustSign(StoreWriter& store, const SigningKey& key)
{
    const auto made = audit::makeCheckpoint(store, key, "t");
    if (!made)
        qFatal("%s", errorLine(made.error()).c_str());
    return made->newest;
}

}  // namespace cairn::testing
