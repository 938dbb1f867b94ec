#pragma once
// Commits that stores accept, built from little: for the contract tests and the fault tests.

#include "core/base/rng.h"
#include "core/model/codec.h"
#include "core/store/checks.h"
#include "core/store/store.h"

#include <string>

namespace cairn::testing {

template<typename IdType> IdType idOf(const std::string& name) { return deriveId<IdType>("test", name); }

inline EffectId effectOf(const std::string& name) { return sha256("effect " + name); }

inline PayloadRow inlinePayload(const std::string& name, std::string bytes, std::string media = "text/plain")
{
    PayloadRow row;
    row.ref.id = idOf<PayloadId>("payload " + name);
    row.salt = idOf<PayloadId>("salt " + name).bytes;
    row.ref.hash = saltedDigest(row.salt, sha256(bytes));
    row.ref.size = bytes.size();
    row.ref.media = std::move(media);
    row.bytes = std::move(bytes);
    return row;
}

// A run as seen by the one who writes it: gives commits that follow each other.
struct Writer {
    explicit Writer(const std::string& name, SessionId session = {})
        : run(idOf<RunId>("run " + name))
        , by(session)
    {
    }

    RunId run;
    SessionId by;
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;
    Digest head;
    TimeMs createdAt = 1'790'000'000'000;

    SealedEntry seal(const std::string& command) const
    {
        Entry entry;
        entry.version = version + 1;
        entry.command = idOf<CommandId>(toText(run) + command);
        entry.verb = Verb::Start;
        entry.actor = {ActorKind::Engine, "test"};
        entry.time = createdAt + static_cast<TimeMs>(version);
        if (version == 0) {
            RunStarted started;
            started.run = run;
            started.root = run;
            started.origin = run;
            entry.facts = {started};
        } else {
            StepReady ready;
            ready.step = 0;
            entry.facts = {ready};
        }
        return sealEntry(entry, kMaxFormat, head);
    }

    CommitMember next(const std::string& command) const
    {
        CommitMember member;
        member.run = run;
        member.expectedVersion = version;
        member.expectedEpoch = epoch;
        member.checkEpoch = !by.isNull();
        member.by = by;
        member.entry = seal(command);
        return member;
    }

    // The first commit; taken by `by` where there is a session.
    CommitMember create(const std::string& key = {}) const
    {
        CommitMember member = next("start");
        member.create = true;
        RunRow identity;
        identity.run = run;
        identity.root = run;
        identity.workflow = {"purchase", 1, sha256("purchase"), 1};
        identity.key = key;
        identity.keySalt = idOf<RunId>("key salt").bytes;
        if (!key.empty())
            identity.keyInput = sha256("input");
        identity.createdAt = createdAt;
        member.identity = identity;
        if (!by.isNull()) {
            member.owner = OwnerChange::Take;
            member.newOwner = by;
        }
        return member;
    }

    ListRow listRow() const
    {
        ListRow row;
        row.run = run;
        row.root = run;
        row.workflow = "purchase";
        row.workflowVersion = 1;
        row.createdAt = createdAt;
        row.since = createdAt;
        return row;
    }

    void committed(const CommitMember& member)
    {
        version = member.entry.version;
        head = member.entry.hash;
        if (member.owner == OwnerChange::Take)
            epoch = 1;
    }
};

inline StepRow stepRow(StepIx ix, const std::string& id, StepState state = StepState::Ready)
{
    StepRow row;
    row.ix = ix;
    row.id = id;
    row.name = id;
    row.tool = "shell";
    row.agent = "buyer";
    row.state = state;
    row.revision = 1;
    return row;
}

inline AttemptRow attemptRow(
    const std::string& name, StepIx step, std::uint32_t number, const SessionId& session)
{
    AttemptRow row;
    row.id = idOf<AttemptId>("attempt " + name);
    row.step = step;
    row.number = number;
    row.session = session;
    row.worker = "w";
    row.startedAt = 1'790'000'000'100;
    row.trace = idOf<RunId>("trace " + name).bytes;
    row.span = 0x8877665544332211ULL;
    return row;
}

inline SessionRow sessionRow(const std::string& name, TimeMs now)
{
    SessionRow row;
    row.id = idOf<SessionId>("session " + name);
    row.name = name;
    row.host = "host";
    row.bootId = "boot";
    row.pidNamespace = "pid:[1]";
    row.pid = 42;
    row.startTicks = 4711;
    row.build = "0.1.0";
    row.schema = kMaxFormat;
    row.serves = "*";
    row.startedAt = now;
    row.heartbeatAt = now;
    row.leaseUntil = now + 10'000;
    return row;
}

}  // namespace cairn::testing
