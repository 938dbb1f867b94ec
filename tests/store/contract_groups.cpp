// The contract of stores: the members of one group.

#include "tests/store/contract.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

// A store may keep new rows until the end of the group: later members of it change what earlier ones brought.
void ContractTest::rowsOfOneGroupReplaceEachOther()
{
    const SessionId session = open("e");
    Writer writer("a", session);
    const auto begun = [&](const std::string& name, StepIx step) {
        AttemptRow row = attemptRow(name, step, 1, session);
        row.trace = legacyTrace(writer.run);
        row.span = legacySpan(row.id);
        return row;
    };
    std::vector<CommitMember> members{writer.create()};
    std::vector<StepRow> steps;
    for (StepIx ix = 0; ix < 40; ++ix)
        steps.push_back(stepRow(ix, "s" + std::to_string(ix)));
    members[0].steps = steps;
    members[0].attempts = {begun("1", 0)};
    writer.committed(members.back());

    members.push_back(writer.next("ends the attempt that the first began"));
    steps[0].state = StepState::Complete;
    AttemptRow ended = members[0].attempts[0];
    ended.endedAt = 77;
    steps.push_back(stepRow(40, "added"));
    members[1].steps = {steps[0], steps[40]};
    members[1].attempts = {ended, begun("2", 1)};
    writer.committed(members.back());

    members.push_back(writer.next("says once more that the second began"));
    steps[1].state = StepState::Running;
    steps[40].state = StepState::Complete;
    AttemptRow again = members[1].attempts[1];
    again.worker = "w2";
    members[2].steps = {steps[1], steps[40]};
    members[2].attempts = {again};

    for (const MemberResult& result : commitAll(members))
        QVERIFY2(result.kind == Kind::Committed, errorLine(result.error).c_str());
    QVERIFY(*m_store->steps(writer.run) == steps);
    QVERIFY(*m_store->attempts(writer.run, 0) == std::vector<AttemptRow>{ended});
    QVERIFY(*m_store->attempts(writer.run, 1) == std::vector<AttemptRow>{again});
    QCOMPARE(m_store->loadRun(writer.run, 1, 0)->entries.size(), std::size_t{3});
}

void ContractTest::manyRowsOfManyRunsComeBackAsWritten()
{
    const SessionId session = open("e");
    std::vector<CommitMember> members;
    for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(i);
        Writer writer("r" + name, session);
        CommitMember member = writer.create();
        for (StepIx ix = 0; ix < 5; ++ix) {
            const std::string number = name + "." + std::to_string(ix);
            member.steps.push_back(stepRow(ix, number));
            member.attempts.push_back(attemptRow(number, ix, 1, session));
            member.attempts.back().trace = legacyTrace(writer.run);
            member.attempts.back().span = legacySpan(member.attempts.back().id);
            member.payloads.push_back(inlinePayload(number, "payload " + number));
        }
        members.push_back(std::move(member));
    }
    for (const MemberResult& result : commitAll(members))
        QVERIFY2(result.kind == Kind::Committed, errorLine(result.error).c_str());
    for (const CommitMember& member : members) {
        QVERIFY(*m_store->steps(member.run) == member.steps);
        QVERIFY(*m_store->attempts(member.run, kNoStep) == member.attempts);
        for (const PayloadRow& row : member.payloads)
            QCOMPARE(*m_store->payload(member.run, row.ref.id, 0, kPayloadLimit), row.bytes);
        const auto loaded = m_store->loadRun(member.run, 1, 0);
        QCOMPARE(loaded->entries.size(), std::size_t{1});
        QVERIFY(loaded->entries[0].hash == member.entry.hash);
        QVERIFY(loaded->entries[0].body == member.entry.body);
    }
}

// It is found when the rows are written, long after the members before and after it were taken.
void ContractTest::aRepeatedCommandInAGroupLeavesItsNeighbours()
{
    Writer a("a"), b("b"), c("c");
    std::vector<CommitMember> members;
    for (Writer* w : {&a, &b, &c}) {
        const CommitMember first = w->create();
        QVERIFY(commitOne(first).kind == Kind::Committed);
        w->committed(first);
        members.push_back(w->next(w == &b ? "start" : "x"));
        members.back().steps = {stepRow(0, "s")};
        members.back().payloads = {inlinePayload("p", "hello")};
    }
    const auto results = commitAll(members);
    QVERIFY(results[0].kind == Kind::Committed);
    QVERIFY(results[1].kind == Kind::Duplicate);
    QCOMPARE(results[1].version, std::uint64_t{1});
    QVERIFY(results[2].kind == Kind::Committed);
    QVERIFY(m_store->steps(b.run)->empty());
    CAIRN_VERIFY_ERROR(m_store->payloadInfo(b.run, idOf<PayloadId>("payload p")), ErrorKind::NotFound);
    QCOMPARE(m_store->steps(c.run)->size(), std::size_t{1});
    QCOMPARE(*m_store->payload(c.run, idOf<PayloadId>("payload p"), 0, kPayloadLimit), std::string("hello"));
}

}  // namespace cairn::testing
